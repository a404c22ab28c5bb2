"""Which terms are marked in running text: none, the first of each section, or all; never those that
stand in every other line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

import kb

# How terms are marked. `quiet`: the first time in a section; the others are links that do not show.
Marks = Literal["off", "quiet", "full"]
_OF_TERMS = ("mentions", "name")
# A term is frequent if it is in more than one text of eight, of forty at least. By hand, on Magic's
# chapters: such are card, player, ability, spell, which a reader of rules knows; one in four keeps
# most of these, one in sixteen takes words that readers look up, such as triggered ability.
_FEWEST_TEXTS = 40
_MOST_SHARE = 1 / 8


@dataclass
class TermMarks:
    """How the terms of one page are marked; keeps which were marked so far.

    frequent: the ids of terms that are not marked on it at all.
    """

    mode: Marks
    frequent: frozenset[str] = frozenset()
    _marked: set[tuple[str, str]] = field(default_factory=set)

    def kind(self, link: kb.TextLink, within: str = "") -> str | None:
        """Return the class of a link in a text: its kind, with `again` if the same term was marked
        before; None if it is a term that is not marked. Citations and links of pages are always
        links.

        within: the section in which the first mention counts.

        >>> marks = TermMarks("quiet")
        >>> draw = kb.TextLink(0, 4, "mtg/term/引く", "draw", "mentions")
        >>> marks.kind(draw), marks.kind(draw), TermMarks("off").kind(draw)
        ('mentions', 'mentions again', None)
        """
        if link.kind not in _OF_TERMS:
            return link.kind
        if self.mode == "off" or link.target in self.frequent:
            return None
        mark = within, link.target or ""
        if self.mode == "full" or mark not in self._marked:
            self._marked.add(mark)
            return link.kind
        return f"{link.kind} again"


def frequent_terms(texts: Iterable[kb.LinkedText]) -> frozenset[str]:
    """Return the ids of the terms that are in more than one in eight of the texts; none if there
    are fewer than forty."""
    of_texts = [
        {link.target for link in text.links if link.kind in _OF_TERMS and link.target}
        for text in texts
    ]
    if len(of_texts) < _FEWEST_TEXTS:
        return frozenset()
    counts = Counter(term for terms in of_texts for term in terms)
    return frozenset(term for term, count in counts.items() if count > len(of_texts) * _MOST_SHARE)
