"""The words of a shard's passages as Parquet files, so that they are tokenized only once.

word: spelled, folded, normal, dictionary, function, inflected (the fields of `tokens.Entry`);
    each word of the shard has a row
passage: number (of the private node, see `graphs.writing.shard_row_files`), game, lang, text,
    start, rule (the reference of the rule that it gives), words (as they are indexed), entries
    (rows in `word`), starts (of each word in the text, and the text's end)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import IO, Any, NamedTuple

import pyarrow as pa

from graphs.writing.shard_row_files import opened_table, read_rows
from kb.language.tokens import Entry

_FIELDS = ("normal", "dictionary", "function", "inflected", "spelled", "folded")
_WORD = pa.schema(
    [(name, pa.bool_() if name in {"function", "inflected"} else pa.string()) for name in _FIELDS]
)
_PASSAGE = pa.schema(
    [
        ("number", pa.int64()),
        ("game", pa.string()),
        ("lang", pa.string()),
        ("text", pa.string()),
        ("start", pa.int64()),
        ("rule", pa.int64()),
        ("words", pa.string()),
        ("entries", pa.list_(pa.int32())),
        ("starts", pa.list_(pa.int32())),
    ]
)


class PassageWords(NamedTuple):
    """A passage with its words: the columns of the file `passage`, with the words themselves."""

    number: int
    game: str
    lang: str
    text: str
    start: int
    rule: int | None
    words: str
    entries: list[Entry]
    starts: list[int]


class TokenFiles:
    """Writes the words of a shard's passages. A context manager; without an error in the `with`
    block, the files are complete behind it."""

    def __init__(self, create: Callable[[str], IO[bytes]]) -> None:
        """create: returns a new file, by its name, that is open for writing bytes."""
        self._open = ExitStack()
        self._words, self._passages = (
            opened_table(self._open, create, name, schema)
            for name, schema in (("word", _WORD), ("passage", _PASSAGE))
        )
        self._known: dict[tuple[Any, ...], int] = {}  # rows in the file `word`, by their values
        self._met: dict[Entry, int] = {}  # the same by the tokenizer's objects, which is faster

    def __enter__(self) -> TokenFiles:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.__exit__(kind, error, trace)

    def add(self, passage: PassageWords) -> None:
        """Write a passage with its words; a word that the shard has already is only referred to."""
        *fields, entries, starts = passage
        self._meet(dict.fromkeys(entry for entry in entries if entry not in self._met))
        rows = [self._met[entry] for entry in entries]
        self._passages.add((*fields, rows, starts), passage.text)

    def _meet(self, entries: Iterable[Entry]) -> None:
        """Number the words of a passage in `_met`, and write those that were not met before.

        Two are the same word if all their fields are: the tokenizer may have several objects for
        one.
        """
        for entry in entries:
            values = tuple(getattr(entry, name) for name in _FIELDS)
            if values not in self._known:
                self._known[values] = len(self._known)
                self._words.add(values)
            self._met[entry] = self._known[values]


def read_words(open_file: Callable[[str], IO[bytes]]) -> list[Entry]:
    """Return the words of a shard, each once, in the order of their rows, by which passages refer
    to them."""
    with open_file("word.parquet") as file:
        return [
            Entry(**dict(zip(_FIELDS, values, strict=True)))
            for batch in read_rows(file)
            for values in zip(*(column.to_pylist() for column in batch.columns), strict=True)
        ]


def read_passages(
    open_file: Callable[[str], IO[bytes]], words: Sequence[Entry]
) -> Iterator[PassageWords]:
    """Yield the passages of a shard, in the order in which they were written. words: as
    `read_words` returns them."""
    with open_file("passage.parquet") as file:
        for batch in read_rows(file):
            for *fields, rows, starts in zip(
                *(column.to_pylist() for column in batch.columns), strict=True
            ):
                yield PassageWords._make((*fields, [words[row] for row in rows], starts))
