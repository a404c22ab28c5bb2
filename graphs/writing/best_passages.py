"""Stores the best passages for the commonest words, as `graphs.store.best_passages` reads them."""

from __future__ import annotations

import re
import sqlite3
from array import array
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from heapq import nsmallest
from itertools import groupby
from operator import itemgetter

from graphs.store import best_passages
from graphs.store.best_passages import TOKENIZER, lengths, most_stored
from graphs.store.sql_batches import batches

_HEADINGS = (  # titles and entries of contents, too
    "SELECT p.key FROM node s JOIN node p ON p.key = s.heading AND p.section = s.key "
    "WHERE s.kind IN ('section', 'page') AND {of}",
    "SELECT p.key FROM node g JOIN node p ON p.id = g.id || '¶1' AND p.section = g.key "
    "WHERE g.kind = 'page' AND instr(p.text, '。') = 0 AND {of}",
    "SELECT p.key FROM edge e JOIN node p ON p.key = e.source "
    "WHERE e.kind = 'links_to' AND e.details LIKE '%\"heading\"%' AND {of}",
)
_LONGEST_LINKS = 200  # characters of a passage of links that may be among the shortest
_SENTENCE = re.compile("[。！？!?．.]")

_Best = tuple[str, bool, int]  # of which best passages are: word, whether they say something, times
_Ranges = Iterable[tuple[int, int]]  # of keys, the end excluded


def write_best_passages(
    db: sqlite3.Connection, is_new: bool, removed: _Ranges = (), added: _Ranges = ()
) -> None:
    """Store the best passages for each common word.

    is_new: whether nothing is stored yet. Otherwise only those words are ranked again that were not
        common, or lost some of their best passages to others that are not stored.
    removed, added: the keys of the passages that a change took from the graph and put into it.
    """
    for name, what in (("word_in_passages", "row"), ("word_place", "instance")):
        db.execute(f"CREATE VIRTUAL TABLE temp.{name} USING fts5vocab(main, search, {what})")
    before = {word for (word,) in db.execute("SELECT word FROM common_word")}
    db.execute("DELETE FROM common_word")
    db.execute(
        "INSERT INTO common_word SELECT term, doc FROM word_in_passages WHERE doc >= ?",
        (best_passages.LEAST_PASSAGES,),
    )
    now = {word for (word,) in db.execute("SELECT word FROM common_word")}
    for word in before - now:
        db.execute("DELETE FROM best_passage WHERE word = ?", (word,))
    changed = now - before
    if not is_new:
        ends = _delete(db, sorted(removed))
        inserted = _insert(db, added, before & now)
        for best in sorted(ends.keys() | inserted):
            if best in ends and not _is_whole(db, best, ends[best]):
                changed.add(best[0])
            _shorten(db, best)
    words = _Words(db)
    for word in sorted(changed & now):
        db.execute("DELETE FROM best_passage WHERE word = ?", (word,))
        rows = ((word, *row) for row in words.best(word))
        db.executemany("INSERT INTO best_passage VALUES (?, ?, ?, ?, ?)", rows)
    for name in ("word_in_passages", "word_place"):
        db.execute(f"DROP TABLE temp.{name}")


def _delete(db: sqlite3.Connection, removed: Sequence[tuple[int, int]]) -> dict[_Best, int | None]:
    """Delete passages that were removed.

    Return {best passages among which they were: the last of those that are left}, where others come
    next that are not stored.
    """
    if not removed:
        return {}
    starts = [first for first, _ in removed]
    counts = db.execute("SELECT word, says, times, count(*) FROM best_passage GROUP BY 1, 2, 3")
    number = {(word, says, times): stored for word, says, times, stored in counts}
    rows = db.execute("SELECT * FROM best_passage")
    gone = [row for row in rows if _is_within(row[-1], starts, removed)]
    db.executemany(
        "DELETE FROM best_passage "
        "WHERE word = ? AND says = ? AND times = ? AND length = ? AND passage = ?",
        gone,
    )
    cut = {row[:3] for row in gone if number[row[:3]] >= most_stored(row[1])}
    return {best: next(iter(_in_order(db, best, last_first=True)), None) for best in sorted(cut)}


def _in_order(db: sqlite3.Connection, best: _Best, last_first: bool = False) -> list[int]:
    """Return the passages that are stored, by their length and id."""
    order = "DESC" if last_first else "ASC"
    rows = db.execute(
        "SELECT b.passage FROM best_passage b JOIN node n ON n.key = b.passage "
        f"WHERE word = ? AND says = ? AND times = ? ORDER BY b.length {order}, n.id {order}",
        best,
    )
    return [key for (key,) in rows]


def _is_whole(db: sqlite3.Connection, best: _Best, last: int | None) -> bool:
    """Return whether no passage that is not stored comes before the last that may be.

    last: the last passage behind which others may come.
    """
    stored = _in_order(db, best)
    return last in stored[most_stored(best[1]) - 1 :]


def _is_within(key: int, starts: Sequence[int], ranges: Sequence[tuple[int, int]]) -> bool:
    """Return whether a key is in one of some ranges, which are sorted. starts: of these."""
    place = bisect_right(starts, key) - 1
    return place >= 0 and key < ranges[place][1]


def _insert(db: sqlite3.Connection, added: _Ranges, common: Collection[str]) -> set[_Best]:
    """Insert passages that were added, for all common words; return what these are among."""
    if not common:
        return set()
    db.execute(
        "CREATE VIRTUAL TABLE temp.new_passage "
        f"USING fts5(words, content='', tokenize='{TOKENIZER}')"
    )
    db.execute("CREATE VIRTUAL TABLE temp.new_word USING fts5vocab(temp, new_passage, instance)")
    forms: dict[int, str] = {}
    for bounds in added:
        forms |= db.execute(
            "SELECT key, words FROM passage_words WHERE key >= ? AND key < ?", bounds
        ).fetchall()
    db.executemany("INSERT INTO temp.new_passage (rowid, words) VALUES (?, ?)", forms.items())
    # Of all words only the common ones are kept: of many new passages there are millions.
    words = db.execute("SELECT term, doc FROM temp.new_word")
    times = Counter((word, key) for word, key in words if word in common)
    of_passage = dict(lengths(db.execute("SELECT id, sz FROM temp.new_passage_docsize")))
    silent = _silent(db, "p.key IN (SELECT id FROM temp.new_passage_docsize)")
    found: set[_Best] = set()
    for (word, key), number in times.items():
        says = not (key in silent or _is_alone(word, forms[key]))
        row = (word, says, number, of_passage[key], key)
        db.execute("INSERT INTO best_passage VALUES (?, ?, ?, ?, ?)", row)
        found.add((word, says, number))
    for name in ("new_word", "new_passage"):
        db.execute(f"DROP TABLE temp.{name}")
    return found


def _shorten(db: sqlite3.Connection, best: _Best) -> None:
    """Delete the last of some best passages, if there are more than are stored."""
    surplus = _in_order(db, best)[most_stored(best[1]) :]
    db.executemany(
        "DELETE FROM best_passage WHERE word = ? AND says = ? AND times = ? AND passage = ?",
        ((*best, key) for key in surplus),
    )


def _is_alone(word: str, forms: str) -> bool:
    """Return whether the forms of a passage are one word, in no other form."""
    return all(form == word or not any(map(str.isalnum, form)) for form in forms.split())


class _Words:
    """The passages of words, ranked by how many times they have them and how short they are."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    @cached_property
    def _lengths(self) -> array[int]:
        """The length of each passage, by its key; negative of one that says nothing."""
        [last] = self._db.execute("SELECT max(key) FROM passage_words").fetchone()
        found = array("l", [0]) * ((last or 0) + 1)
        for key, length in lengths(self._db.execute("SELECT id, sz FROM search_docsize")):
            found[key] = length
        for key in _silent(self._db):
            if key < len(found):
                found[key] = -found[key]
        return found

    def best(self, word: str) -> Iterator[tuple[bool, int, int, int]]:
        """Yield (says, times, length, passage) of the best passages for a word: of those that have
        it so many times the shortest, of the same length the first by id; of those that say
        something, and of the others."""
        places = self._db.execute("SELECT doc FROM word_place WHERE term = ?", (word,))
        alike: dict[tuple[int, int], list[int]] = defaultdict(list)
        for key, times in Counter(key for (key,) in places).items():
            alike[times, self._lengths[key]].append(key)
        for times, length in [each for each in alike if each[0] == each[1]]:
            alone = self._alone(word, alike[times, length])
            alike[times, -length] += alone
            alike[times, length] = list(set(alike[times, length]).difference(alone))
        stored: Counter[tuple[int, bool]] = Counter()
        for (times, length), keys in sorted(alike.items(), key=lambda each: abs(each[0][1])):
            says = length > 0
            first = self._first(keys, most_stored(says) - stored[times, says])
            stored[times, says] += len(first)
            yield from ((says, times, abs(length), key) for key in first)

    def _alone(self, word: str, keys: Sequence[int]) -> list[int]:
        """Return the passages that have no other word than one, in no other form."""
        alone = []
        for batch in batches(keys):
            marks = ",".join("?" * len(batch))
            for key, words in self._db.execute(
                f"SELECT key, words FROM passage_words WHERE key IN ({marks})", batch
            ):
                if _is_alone(word, words):
                    alone.append(key)
        return alone

    def _first(self, keys: Sequence[int], most: int) -> Sequence[int]:
        """Return the first passages by their ids."""
        if len(keys) <= most or not most:
            return keys[:most]
        ids: list[tuple[str, int]] = []
        for batch in batches(keys):
            marks = ",".join("?" * len(batch))
            ids += self._db.execute(f"SELECT id, key FROM node WHERE key IN ({marks})", batch)
        return [key for _, key in nsmallest(most, ids)]


def _silent(db: sqlite3.Connection, keys: str = "1") -> set[int]:
    """Return the keys of passages that say nothing about any word.

    keys: an SQL condition on `p`, which of them.
    """
    headings = {key for query in _HEADINGS for (key,) in db.execute(query.format(of=keys))}
    return headings.union(_links_alone(db, keys))


def _links_alone(db: sqlite3.Connection, keys: str) -> Iterator[int]:
    """Yield the keys of short passages without a sentence that are links or citations, and nothing
    else that has a letter."""
    rows = db.execute(
        'SELECT p.key, p.text, e.start, e."end" FROM edge e JOIN node p ON p.key = e.passage '
        "WHERE e.kind IN ('links_to', 'cites') AND e.source = coalesce(p.gives_rule, p.key) "
        f"AND length(p.text) <= {_LONGEST_LINKS} AND {keys} ORDER BY 1, 3, 4"
    )
    for key, of_passage in groupby(rows, key=itemgetter(0)):
        position, outside, text = 0, "", ""
        for _, text, start, end in of_passage:
            outside += text[position:start]
            position = max(position, end)
        if not any(map(str.isalnum, outside + text[position:])) and not _SENTENCE.search(text):
            yield key
