"""The concordance: each place filters words stand, with what is around them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal, NamedTuple

from graphs.model import Node
from graphs.store.reader import Store
from kb.language.fold import fold
from kb.language.tokens import normal_forms, tokenizer
from kb.query.passage_filters import PassageFilters, passage_filter
from kb.query.search import query_of
from kb.query.table_result import Table, TableResult, table_row

LineOrder = Literal["place", "left", "right"]


@dataclass(frozen=True, slots=True)
class ConcordanceLine:
    """One place: the words as they stand there (`key`), what is before and behind them, and the
    passage, or the rule that it gives. passage.text[start:end] is the key."""

    left: str
    key: str
    right: str
    node: Node
    passage: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Lines(TableResult):
    """The lines of a concordance, in the order asked for."""

    lines: tuple[ConcordanceLine, ...]

    def table(self) -> Table:
        """A row a place, with the words and what is on each side."""
        return Table(
            tuple(
                table_row(
                    game=line.node.game,
                    left=line.left,
                    key=line.key,
                    right=line.right,
                    number=line.node.number,
                    passage=line.passage,
                    notice=line.node.notice,
                )
                for line in self.lines
            )
        )

    def as_json(self) -> dict[str, Any]:
        """As `sansho kwic --json` prints it."""
        return {
            "lines": [
                {
                    "left": line.left,
                    "key": line.key,
                    "right": line.right,
                    "node": line.node.as_json(),
                    "passage": line.passage,
                    "start": line.start,
                    "end": line.end,
                }
                for line in self.lines
            ]
        }


class _Place(NamedTuple):
    """A place of the words: what a line shows of it, its passage, and the rule given there."""

    left: str
    key: str
    right: str
    passage: str
    rule: str | None
    start: int
    end: int


def kwic(
    store: Store,
    text: str,
    order: LineOrder = "place",
    width: int = 30,
    most: int = 100,
    filters: PassageFilters | None = None,
) -> Lines:
    """Each place filters words stand, in any inflection and spelling; words that stand together
    are a phrase, and filters words are set apart by spaces each is a key in passages with all."""
    narrow = passage_filter(store, filters or {})
    query = query_of(text)
    keys = [tuple(form for form, _, _ in normal_forms(tokenizer()(part))) for part in text.split()]
    keys = [key for key in keys if key]
    if not query or not keys:
        return Lines(())
    found: Iterable[_Place] = _places(store.passages.occurrences(query, narrow), keys, width)
    if order == "right":
        found = sorted(found, key=lambda place: fold(place.right))
    elif order == "left":
        found = sorted(found, key=lambda place: fold(place.left)[::-1])
    places = list(islice(found, most))
    nodes = store.get({place.rule or place.passage for place in places})
    return Lines(
        tuple(
            ConcordanceLine(
                place.left,
                place.key,
                place.right,
                nodes[place.rule or place.passage],
                place.passage,
                place.start,
                place.end,
            )
            for place in places
        )
    )


def _places(
    passages: Iterable[tuple[str, str | None, str]], keys: Sequence[tuple[str, ...]], width: int
) -> Iterator[_Place]:
    """The places in some passages, one after the other."""
    for passage, rule, text in passages:
        found = normal_forms(tokenizer()(text))
        forms = [form for form, _, _ in found]
        for at in range(len(forms)):
            key = next((key for key in keys if tuple(forms[at : at + len(key)]) == key), None)
            if key:
                start, end = found[at][1], found[at + len(key) - 1][2]
                left = text[max(0, start - width) : start].replace("\n", " ")
                right = text[end : end + width].replace("\n", " ")
                yield _Place(left, text[start:end], right, passage, rule, start, end)
