"""Finds names that are marked as such in passages: by the site's own links, and by 《》."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from graphs.writing.passage_annotations import PassageText, SiteLink
from kb.language.fold import fold, is_hiragana
from kb.language.headwords import parse_headword

_LONGEST_NAME = 200  # characters, of a page's name
_CARD = re.compile(r"《([^《》\n]{1,160})》")

Match = TypeVar("Match", bound=tuple[int, int, object])


class MarkedName(NamedTuple):
    """Words that are marked as a name, by 《》 or by a link; with the okurigana behind the link.

    term: the id of the term that they name; empty if they name something else, such as a card.
    """

    start: int
    end: int
    term: str


def marked_names(
    passage: PassageText, starts: Sequence[int], terms_named: Callable[[int, int], Sequence[str]]
) -> list[MarkedName]:
    """Return the names that are marked as such in a passage, in the order of their spans.

    A link to a target that no page gives marks its words if they are the name of the target and
    that of a card, or a term's name. What stands in 《》 is a card's name if it is no term's.

    starts: where the words of the passage start, and its end, as `Tokenizer.entries` returns them.
    terms_named: returns the ids of the terms that have text[start:end] as a name.
    """
    text = passage.text
    marked = []
    for link in passage.links:
        if not link.start < link.end <= len(text):
            continue
        end, word_end = link.end, starts[bisect_left(starts, link.end)]
        if is_hiragana(text[end:word_end]):  # sites link only the stem of a verb
            end = word_end
        words = text[link.start : link.end][:_LONGEST_NAME]
        term = _linked_term(link, terms_named(link.start, end), words)
        if term is not None:
            marked.append(MarkedName(link.start, end, term))
    cards = [
        MarkedName(match.start(), match.end(), "")
        for match in (_CARD.finditer(text) if "《" in text else ())
        if not terms_named(*match.span(1))
    ]
    return sorted(marked + cards) if cards else marked


def _linked_term(link: SiteLink, named: Sequence[str], words: str) -> str | None:
    """Return the id of the term that linked words name; empty if they name something that is no
    term, and None if they need not be a name.

    named: the terms that have the words as a name.
    """
    if not link.nodes:
        is_targets_name = len(words) <= len(link.label) and fold(words) in fold(link.label)
        if is_targets_name and _is_name_of_card(link.label):
            return ""
        return named[0] if len(named) == 1 else None
    terms = [node for node in link.nodes if "/term/" in node]
    if len(terms) < len(link.nodes) and _is_card(link):
        return ""
    if len(terms) > 1:
        terms = [term for term in terms if term in named]
    return terms[0] if len(terms) == 1 else ""


def _is_card(link: SiteLink) -> bool:
    """Whether a link leads to the page of a card, and not to one that shows a card in passing."""
    target = fold(link.label)
    cards = (node.partition("/card/")[2] for node in link.nodes)
    return any(card and fold(card) in target for card in cards)


def _is_name_of_card(label: str) -> bool:
    """Whether the name of a page is written as a card's: in 《》, or in both languages."""
    name = parse_headword(label)
    return name.card or name.english is not None


def beside(marked: Sequence[MarkedName], matches: Iterable[Match]) -> Iterator[Match]:
    """Yield the matches that agree with what the site marks: those that overlap with no marked
    name, or contain it and more.

    marked, matches: both in the order of their spans; matches don't overlap.
    """
    place = reached = 0  # how many marked names begin before the match, and where they end
    for match in matches:
        start, end = match[0], match[1]
        while place < len(marked) and marked[place].start < start:
            reached = max(reached, marked[place].end)
            place += 1
        is_contained = start < reached
        while place < len(marked) and marked[place].start < end:
            name = marked[place]
            is_contained |= name.end > end or (name.start, name.end) == (start, end)
            reached = max(reached, name.end)
            place += 1
        if not is_contained:
            yield match
