"""The concordance: each place where words stand, with what is around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from graphs.model import Node
from graphs.store import Store
from kb.fold import fold
from kb.query.lookup import edition_of
from kb.query.search import query_of
from kb.query.table import Table, Tabular, row
from kb.words import normal_forms, words

Order = Literal["place", "left", "right"]
_MOST_PASSAGES = 20_000  # that are looked through


@dataclass(frozen=True, slots=True)
class Line:
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
class Lines(Tabular):
    """The lines of a concordance, in the order asked for."""

    lines: tuple[Line, ...]

    def table(self) -> Table:
        """A row a place, with the words and what is on each side."""
        return Table(
            tuple(
                row(game=line.node.game, left=line.left, key=line.key, right=line.right,
                    number=line.node.number, passage=line.passage, notice=line.node.notice)
                for line in self.lines
            )
        )  # fmt: skip

    def as_json(self) -> dict[str, Any]:
        """As `sansho kwic --json` prints it."""
        return {
            "lines": [
                {"left": line.left, "key": line.key, "right": line.right,
                 "node": line.node.as_json(), "passage": line.passage,
                 "start": line.start, "end": line.end}
                for line in self.lines
            ]
        }  # fmt: skip


def kwic(
    store: Store, text: str, order: Order = "place", width: int = 30, most: int = 100,
    game: str | None = None, source: str | None = None, edition: str | None = None,
    section: str | None = None,
) -> Lines:  # fmt: skip
    """Each place where words stand, in any inflection and spelling; words that stand together
    are a phrase, and where words are set apart by spaces each is a key in passages with all."""
    query = query_of(text)
    keys = [tuple(form for form, _, _ in normal_forms(words()(part))) for part in text.split()]
    keys = [key for key in keys if key]
    if not query or not keys:
        return Lines(())
    rows = store.matching(query, _MOST_PASSAGES)
    edition = edition_of(store, edition) if edition else None
    nodes = store.get({node for passage, rule, _ in rows for node in (passage, rule) if node})
    lines: list[Line] = []
    for passage_id, rule, _ in sorted(rows):
        passage = nodes[passage_id]
        node = nodes.get(rule or "", passage)
        if (
            game in (None, node.game)
            and source in (None, passage.source)
            and edition in (None, node.edition)
            and (not section or fold(section) in fold(passage.section or ""))
        ):
            lines += _lines(node, passage, keys, width)
    if order == "right":
        lines.sort(key=lambda line: (fold(line.right), line.passage, line.start))
    elif order == "left":
        lines.sort(key=lambda line: (fold(line.left)[::-1], line.passage, line.start))
    return Lines(tuple(lines[:most]))


def _lines(
    node: Node, passage: Node, keys: Sequence[tuple[str, ...]], width: int
) -> Iterator[Line]:
    """The places in one passage."""
    text = passage.text or ""
    found = normal_forms(words()(text))
    forms = [form for form, _, _ in found]
    for at in range(len(forms)):
        for key in keys:
            if tuple(forms[at : at + len(key)]) == key:
                start, end = found[at][1], found[at + len(key) - 1][2]
                left = text[max(0, start - width) : start].replace("\n", " ")
                right = text[end : end + width].replace("\n", " ")
                yield Line(left, text[start:end], right, node, passage.id, start, end)
                break
