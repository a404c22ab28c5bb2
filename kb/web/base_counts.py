"""What is kept of a knowledge base: counts that every page tells, and the last long answers."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import combinations, pairwise
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import kb
from kb.reason import take_for

# Answers of a knowledge base, by hand: enough for readers who turn pages at the same time; each may
# be a whole comparison of editions in memory.
_MOST = 4
_Answer = TypeVar("_Answer")
_KEPT: WeakKeyDictionary[kb.KnowledgeBase, OrderedDict[Hashable, Any]] = WeakKeyDictionary()


def recent(base: kb.KnowledgeBase, question: Hashable, answer: Callable[[], _Answer]) -> _Answer:
    """Return the answer to a question, as it was found before if that was among the last four; what
    names in it were taken for is then said again.

    question: what tells it from all other questions. answer: finds the answer, or raises.
    """
    with _LOCK:
        kept = _KEPT.setdefault(base, OrderedDict())
        if question in kept:
            kept.move_to_end(question)
            known: _Answer = kept[question]
            for reason in getattr(known, "taken_as", ()):
                take_for(reason)
            return known
    found = answer()
    with _LOCK:
        kept[question] = found
        while len(kept) > _MOST:
            kept.popitem(last=False)
    return found


@dataclass(frozen=True)
class Loaded:
    """What is loaded in a knowledge base.

    stats: its counts.
    built: the day on which it was built, as YYYY-MM-DD.
    notice: what readers must be told of its texts.
    """

    stats: kb.Stats
    built: str
    notice: str

    @property
    def rulebooks(self) -> tuple[kb.LoadedEdition, ...]:
        """The editions of rulebooks, in each language."""
        return self.stats.rulebooks

    @property
    def games(self) -> list[str]:
        """The games, sorted."""
        return sorted(game for game in self.stats.games if game)

    @property
    def langs(self) -> list[str]:
        """The languages of rulebooks, and English and Japanese in any case, sorted."""
        return sorted({book.lang for book in self.rulebooks} | {"en", "ja"})

    @property
    def editions(self) -> list[str]:
        """The editions of rulebooks, the newest first."""
        editions = {book.edition for book in self.rulebooks}
        return sorted(editions, key=kb.edition_key, reverse=True)

    def editions_by_game(self, first: str = "") -> list[tuple[str, list[str]]]:
        """Return (game, its editions, the newest first), sorted by game.

        first: the game that comes first.
        """
        games = sorted(
            {book.game for book in self.rulebooks}, key=lambda game: (game != first, game)
        )
        return [
            (
                game,
                sorted(
                    {book.edition for book in self.rulebooks if book.game == game},
                    key=kb.edition_key,
                    reverse=True,
                ),
            )
            for game in games
        ]

    def has_all_between(self, game: str, editions: Sequence[str]) -> bool:
        """Return whether some editions of a game are all that are loaded from the oldest of them to
        the newest, in one language at least."""
        keys = sorted(map(kb.edition_key, editions))
        of_lang: dict[str, set[str]] = {}
        for book in self.rulebooks:
            if book.game == game and keys[0] <= kb.edition_key(book.edition) <= keys[-1]:
                of_lang.setdefault(book.lang, set()).add(book.edition)
        return any(len(of) > 1 and of == set(editions) for of in of_lang.values())

    def edition_pairs(self) -> list[tuple[str, str, str, str]]:
        """Return (game, language, older edition, next edition) of what can be compared: neighbours
        alone, of editions with any rules; by game and language, the oldest first."""
        found: list[tuple[str, str, str, str]] = []
        for game, lang in sorted({(book.game, book.lang) for book in self.rulebooks}):
            editions = sorted(
                {
                    book.edition
                    for book in self.rulebooks
                    if (book.game, book.lang) == (game, lang) and book.rules
                },
                key=kb.edition_key,
            )
            found += [(game, lang, *pair) for pair in pairwise(editions)]
        return found

    def language_pairs(self) -> list[tuple[str, str, str, str]]:
        """Return (game, edition, language, other language) of what stands side by side: each two
        languages in which an edition has any rules; by game, the oldest edition first."""
        return list(self._language_pairs())

    def _language_pairs(self) -> Iterator[tuple[str, str, str, str]]:
        books = {(book.game, book.edition) for book in self.rulebooks}
        for game, edition in sorted(books, key=lambda book: (book[0], kb.edition_key(book[1]))):
            langs = sorted(
                book.lang
                for book in self.rulebooks
                if (book.game, book.edition) == (game, edition) and book.rules
            )
            for first, second in combinations(langs, 2):
                yield game, edition, first, second


_LOADED: WeakKeyDictionary[kb.KnowledgeBase, Loaded] = WeakKeyDictionary()
_LOCK = Lock()


def loaded(base: kb.KnowledgeBase) -> Loaded:
    """Return what is loaded in a knowledge base; it is counted when it is first asked for."""
    with _LOCK:
        if base not in _LOADED:
            built = date.fromtimestamp(base.file.stat().st_mtime).isoformat()
            _LOADED[base] = Loaded(base.stats(), built, base.notice)
        return _LOADED[base]
