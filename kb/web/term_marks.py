"""Which terms are marked in running text: none, the first of each section and only the first few on
a page, or all; never those that stand in every other line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

import kb

# How terms are marked. `quiet`: the first time in a section; the others are links that do not show.
Marks = Literal["off", "quiet", "full"]
_OF_TERMS = ("mentions", "name")
_TERM_OR_CARD = re.compile(r"[^/]+/(?:term|card)/")
# Sections of a page in which a term is marked, by hand: who has met it in three knows that it is
# one. With more the longest chapters have one word in seven marked.
_MOST_SECTIONS = 3
# A term is frequent if it is in more than one text of eight, of forty at least. By hand, on Magic's
# chapters: such are card, player, ability, spell, which a reader of rules knows; one in four keeps
# most of these, one in sixteen takes words that readers look up, such as triggered ability.
_MOST_MARKED = 0.1  # of a text's characters, by hand: of more, none is seen
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
    _sections: Counter[str] = field(default_factory=Counter)

    def kind(
        self, link: kb.TextLink, within: str = "", crowded: frozenset[kb.TextLink] = frozenset()
    ) -> str | None:
        """Return the class of a link in a text: its kind, with `again` if the same term was marked
        before; None if it is a term that is not marked. Citations and links of pages are always
        links.

        within: the section in which the first mention counts. crowded: what `crowded` returns of
            the text.

        >>> marks = TermMarks("quiet")
        >>> draw = kb.TextLink(0, 4, "mtg/term/引く", "draw", "mentions")
        >>> marks.kind(draw), marks.kind(draw), TermMarks("off").kind(draw)
        ('mentions', 'mentions again', None)
        """
        kind = link_kind(link)
        if kind not in _OF_TERMS:
            return kind
        target = link.target or ""
        if self.mode == "off" or target in self.frequent:
            return None
        if self.mode == "full":
            return kind
        is_new = (within, target) not in self._marked and self._sections[target] < _MOST_SECTIONS
        if is_new and link not in crowded:
            self._marked.add((within, target))
            self._sections[target] += 1
            return kind
        return f"{kind} again"


def crowded(text: kb.LinkedText) -> frozenset[kb.TextLink]:
    """Return the mentions that are too many in a text: those behind a tenth of its characters, the
    longest names first, of which a reader knows the fewest; never the only one."""
    mentions = [link for link in text.links if link_kind(link) in _OF_TERMS]
    mentions.sort(key=lambda link: (link.start - link.end, link.start))
    left, found = len(text.text) * _MOST_MARKED, set[kb.TextLink]()
    for place, link in enumerate(mentions):
        if place and link.end - link.start > left:
            found.add(link)
        else:
            left -= link.end - link.start
    return frozenset(found)


def link_kind(link: kb.TextLink) -> str:
    """Return the kind of a link as it looks: what leads to a term or a card is a mention of it,
    whether the page links it or it was found in the text.

    >>> link_kind(kb.TextLink(0, 2, "mtg/term/引く", "引く", "links_to"))
    'mentions'
    """
    leads_to_term = link.kind == "links_to" and _TERM_OR_CARD.match(link.target or "")
    return "mentions" if leads_to_term else link.kind


def frequent_terms(texts: Iterable[kb.LinkedText]) -> frozenset[str]:
    """Return the ids of the terms that are in more than one in eight of the texts; none if there
    are fewer than forty."""
    of_texts = [
        {link.target for link in text.links if link_kind(link) in _OF_TERMS and link.target}
        for text in texts
    ]
    if len(of_texts) < _FEWEST_TEXTS:
        return frozenset()
    counts = Counter(term for terms in of_texts for term in terms)
    return frozenset(term for term, count in counts.items() if count > len(of_texts) * _MOST_SHARE)


# Of verbs whose last sign changes with their form: what stands in its place.
_INFLECTED = {
    "う": "わいえおっ", "く": "かきけこい", "ぐ": "がぎげごい", "す": "さしせそ",
    "つ": "たちてとっ", "ぬ": "なにねのん", "ぶ": "ばびべぼん", "む": "まみめもん",
    "る": "らりれろっ",
}  # fmt: skip
_HIRAGANA = re.compile(r"[ぁ-ゖ]+")


def end_of_word(text: str, start: int, end: int, target: str) -> int:
    """Return where the word ends of which text[start:end] is linked to a term: where a page links
    the Chinese characters of a verb alone, behind its okurigana, in any form of the verb.

    >>> end_of_word("引く場合", 0, 1, "mtg/term/引く"), end_of_word("引いて", 0, 1, "mtg/term/引く")
    (2, 2)
    >>> end_of_word("引", 0, 1, "mtg/term/引く"), end_of_word("唱えた", 0, 1, "mtg/term/唱える")
    (1, 2)
    """
    name, words = target.rpartition("/")[2], text[start:end]
    okurigana = name.removeprefix(words)
    if okurigana == name or not _HIRAGANA.fullmatch(okurigana):
        return end
    for place, sign in enumerate(okurigana, end):
        if text[place : place + 1] != sign:
            forms = _INFLECTED.get(okurigana, "")  # of one sign: 唱える keeps its え
            return place + (text[place : place + 1] in [*forms])
    return end + len(okurigana)
