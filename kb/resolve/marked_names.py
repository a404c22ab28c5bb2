"""Finds names that are marked as such in passages: by the site's own links, and by 《》."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

from graphs.writing.passage_annotations import PassageText
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
    text, marked = passage.text, []
    for start, end, nodes, label in passage.links:
        if not start < end <= len(text):
            continue
        word_end = starts[bisect_left(starts, end)]
        if end != word_end and is_hiragana(text[end:word_end]):
            end = word_end  # sites link only the stem of a verb
        if len(nodes) == 1:
            [node] = nodes
            marked.append(MarkedName(start, end, node if "/term/" in node else ""))
        elif nodes:
            term = _term_of_page(nodes, label, terms_named(start, end))
            marked.append(MarkedName(start, end, term))
        elif _is_name_of_card(label) and fold(text[start:end][:_LONGEST_NAME]) in fold(label):
            marked.append(MarkedName(start, end, ""))
        elif len(named := terms_named(start, end)) == 1:
            marked.append(MarkedName(start, end, named[0]))
    if "《" not in text:
        return marked
    cards = [
        MarkedName(match.start(), match.end(), "")
        for match in _CARD.finditer(text)
        if not terms_named(*match.span(1))
    ]
    return sorted(marked + cards)


def _term_of_page(nodes: Collection[str], label: str, named: Sequence[str]) -> str:
    """Return the id of the term that a page with several nodes is about; empty if none.

    label: the page's name; named: the terms that a link to it names, to choose from several.
    """
    target = fold(label)
    cards = (node.partition("/card/")[2] for node in nodes)
    if any(card and fold(card) in target for card in cards):
        return ""  # else it may show cards in passing
    terms = [node for node in nodes if "/term/" in node]
    if len(terms) > 1:
        terms = [term for term in terms if term in named]
    return terms[0] if len(terms) == 1 else ""


@lru_cache(1 << 14)  # sites link the same pages again and again
def _is_name_of_card(label: str) -> bool:
    """Whether the name of a page is written as a card's: in 《》, or in both languages."""
    if "《" not in label and "/" not in label and "／" not in label:
        return False
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
