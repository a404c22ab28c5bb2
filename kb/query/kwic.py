"""Makes concordances (KWIC): each occurrence of some words, with its context on both sides."""

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
from kb.query.search import fulltext_query
from kb.query.table_result import Table, TableResult, table_row

LineOrder = Literal["place", "left", "right"]


@dataclass(frozen=True, slots=True)
class ConcordanceLine:
    """One occurrence of the words.

    left, right: the context before and after, with line breaks as spaces.
    key: the words as they are written there: the passage's text[start:end].
    node: the rule that the passage gives, or the passage itself if it gives none.
    passage: the id of the passage.
    """

    left: str
    key: str
    right: str
    node: Node
    passage: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Concordance(TableResult):
    """The lines of a concordance, in the order that was asked for."""

    lines: tuple[ConcordanceLine, ...]

    def table(self) -> Table:
        """Return a table with a row per line.

        The columns are `game`, `left`, `key`, `right`, `number`, `passage` and `notice`.
        """
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
        """Return the object that `sansho kwic --json` prints: `lines`, a list of dicts with the
        fields of `ConcordanceLine`, in which `node` is as in `Node.as_json`."""
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


class _Occurrence(NamedTuple):
    """A concordance line before its node is looked up; `rule` is the id of the rule that the
    passage gives."""

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
) -> Concordance:
    """Return a concordance of some words, in any inflection and spelling.

    text: words to look for. Words written together are a phrase; of several phrases separated by
        spaces, each occurrence is a line, but only in passages that contain all of them. No
        lines if it has no content words.
    order: by `place` (in the order of the pages), or sorted by the context to the `left` (from
        its end) or to the `right`.
    width: how many characters of context to give on each side.
    most: at most how many lines, counted after sorting.
    filters: only passages that fit these; None for all passages.

    Raises QuestionError for a filter with an unknown kind or a reference that names nothing.
    """
    narrow = passage_filter(store, filters or {})
    query = fulltext_query(text)
    phrases = [
        tuple(form for form, _, _ in normal_forms(tokenizer()(part))) for part in text.split()
    ]
    phrases = [phrase for phrase in phrases if phrase]
    if not query or not phrases:
        return Concordance(())
    found: Iterable[_Occurrence] = _occurrences(
        store.passages.occurrences(query, narrow), phrases, width
    )
    if order == "right":
        found = sorted(found, key=lambda occurrence: fold(occurrence.right))
    elif order == "left":
        found = sorted(found, key=lambda occurrence: fold(occurrence.left)[::-1])
    occurrences = list(islice(found, most))
    nodes = store.get({occurrence.rule or occurrence.passage for occurrence in occurrences})
    return Concordance(
        tuple(
            ConcordanceLine(
                occurrence.left,
                occurrence.key,
                occurrence.right,
                nodes[occurrence.rule or occurrence.passage],
                occurrence.passage,
                occurrence.start,
                occurrence.end,
            )
            for occurrence in occurrences
        )
    )


def _occurrences(
    passages: Iterable[tuple[str, str | None, str]],
    phrases: Sequence[tuple[str, ...]],
    width: int,
) -> Iterator[_Occurrence]:
    """Yield the occurrences of some phrases in some passages, passage by passage.

    Function words between the words of a phrase do not count. If several phrases begin at a word,
    the first of them is taken.

    passages: (id, id of the rule that it gives or None, text).
    phrases: the normal forms of the words of each phrase.
    width: how many characters of context each occurrence has on either side.
    """
    for passage, rule, text in passages:
        words = normal_forms(tokenizer()(text))
        forms = [form for form, _, _ in words]
        for first in range(len(forms)):
            phrase = next(
                (
                    phrase
                    for phrase in phrases
                    if tuple(forms[first : first + len(phrase)]) == phrase
                ),
                None,
            )
            if phrase:
                start, end = words[first][1], words[first + len(phrase) - 1][2]
                left = text[max(0, start - width) : start].replace("\n", " ")
                right = text[end : end + width].replace("\n", " ")
                yield _Occurrence(left, text[start:end], right, passage, rule, start, end)
