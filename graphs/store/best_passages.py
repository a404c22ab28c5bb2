"""The best passages for the commonest words, stored by a build in the order of a full-text search.

SQLite ranks all passages that have a word to find the best of them: a word in a hundred thousand
passages takes a third of a second. By BM25, a passage with one word is the better the more times it
has it and the shorter it is; so the shortest passages for each number of times are enough to begin
with, and the exact scores follow from a few sums.
"""

from __future__ import annotations

import heapq
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import lru_cache
from itertools import groupby
from math import log
from operator import itemgetter
from typing import NamedTuple

from graphs.store.row_checks import RowError, check_columns

LEAST_PASSAGES = 5_000  # that a word is common in; the others are ranked as quickly
MOST_STORED = 1_200  # passages that have a word so many times, and say something
MOST_SAYING_NOTHING = 200
TOKENIZER = "porter unicode61"  # of the full-text index
_K1, _B, _LEAST_IDF = 1.2, 0.75, 1e-6  # of SQLite's bm25()

Ranked = tuple[float, int]  # score, key of a passage


class BestPassages(NamedTuple):
    """The best passages for a word, of those that say something about it or of the others.

    is_whole: whether these are all.
    by_score: lists of passages of the same score, best first. If they are not all, the lists end
        before the first passage that is not stored, and the last one has its first by id.
    """

    is_whole: bool
    by_score: Iterator[list[Ranked]]


def best_passages(db: sqlite3.Connection, form: str, says: bool) -> BestPassages | None:
    """Return the best passages for a word; None if the word is not common, or stands in the index
    for other forms, too.

    form: a normal form, without white space.
    says: whether to return those that say something. The others are headings, titles, entries of
        contents, links alone, and the word alone.
    """
    passages = passages_with(db, form)
    if passages is None:
        return None
    counted = db.execute(
        "SELECT times, count(*), max(length) FROM best_passage WHERE word = ? AND says = ? "
        "GROUP BY times",
        (form, says),
    )
    stored = list(check_columns(counted, (int, int, int), "best passages"))
    scale = _Scale.of(db, passages)
    # If there are so many, longer ones are not stored.
    ends = [scale.score(times, last) for times, n, last in stored if n >= most_stored(says)]
    runs = [_run(db, form, says, times, scale) for times, _, _ in stored]
    return BestPassages(not ends, _by_score(runs, max(ends, default=0.0)))


def passages_with(db: sqlite3.Connection, form: str) -> int | None:
    """Return how many passages have a word; None where `best_passages` does, too."""
    known = db.execute("SELECT passages FROM common_word WHERE word = ?", (form,))
    found = next(check_columns(known, (int,), "common words"), None)
    return found[0] if found and index_words(form) == (form,) else None


def most_stored(says: bool) -> int:
    """Return how many passages that have a word so many times are stored at most."""
    return MOST_STORED if says else MOST_SAYING_NOTHING


def _run(
    db: sqlite3.Connection, form: str, says: bool, times: int, scale: _Scale
) -> Iterator[tuple[float, int, int]]:
    """Yield (-score, times, passage) of the passages that have a word so many times, best first."""
    rows = db.execute(
        "SELECT length, passage FROM best_passage WHERE word = ? AND says = ? AND times = ? "
        "ORDER BY 1, 2",
        (form, says, times),
    )
    for length, key in check_columns(rows, (int, int), "best passages"):
        yield -scale.score(times, length), times, key


def _by_score(
    runs: Iterable[Iterator[tuple[float, int, int]]], end: float
) -> Iterator[list[Ranked]]:
    """Yield the passages of each score, best first, for as long as all are stored.

    runs: (-score, times, passage), each sorted. end: a score below which some are not stored, and
        of which those with the greatest ids are not.
    """
    for negative, group in groupby(heapq.merge(*runs), key=itemgetter(0)):
        score, found = -negative, list(group)
        # The last ones are cut off, by their ids: others of that score may belong between them.
        if score > end or (score == end and len({times for _, times, _ in found}) == 1):
            yield [(score, key) for _, _, key in found]
        if score <= end:
            return


class _Scale:
    """SQLite's BM25 for one word.

    idf: how much the word counts; average: the mean length of all passages.
    """

    def __init__(self, idf: float, average: float) -> None:
        self._idf, self._average = idf, average

    @classmethod
    def of(cls, db: sqlite3.Connection, passages: int) -> _Scale:
        """Return the scale of a word that so many passages have."""
        rows = db.execute("SELECT block FROM search_data WHERE id = 1")
        [block] = next(check_columns(rows, (bytes,), "the search index"), (b"",))
        number, words, *_ = (*_varints(block), 0, 0)
        if not 0 < passages <= number or not words:
            raise RowError("the search index counts other passages than it has")
        idf = log((number - passages + 0.5) / (passages + 0.5))
        return cls(idf if idf > 0 else _LEAST_IDF, words / number)

    def score(self, times: int, length: int) -> float:
        """Return the score of a passage of a length that has the word so many times."""
        norm = _K1 * (1 - _B + _B * length / self._average)
        return self._idf * ((times * (_K1 + 1.0)) / (times + norm))


def _varints(block: bytes) -> Iterator[int]:
    """Yield the numbers that SQLite packed into a block, seven bits in each byte."""
    value = 0
    for byte in block:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            yield value
            value = 0


@lru_cache(maxsize=256)
def index_words(words: str) -> tuple[str, ...]:
    """Return the words of a text as the full-text index has them.

    >>> index_words("draws カード")
    ('draw', 'カード')
    """
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(f"CREATE VIRTUAL TABLE text USING fts5(words, tokenize='{TOKENIZER}')")
        db.execute("CREATE VIRTUAL TABLE word USING fts5vocab(text, instance)")
        db.execute("INSERT INTO text VALUES (?)", (words,))
        return tuple(word for (word,) in db.execute('SELECT term FROM word ORDER BY "offset"'))


def lengths(sizes: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, int]]:
    """Yield (passage, length) of rows of the full-text index's table of lengths."""
    for key, packed in sizes:
        yield key, next(_varints(packed), 0)
