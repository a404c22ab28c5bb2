"""One rule followed through all editions of its rulebook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from graphs.model import Node
from graphs.store.reader import Store
from kb.query.diff import change_kind, texts_by_number
from kb.query.rule_alignment import align_rules
from scraper.rulebook.numbering import number_key

_PART = 10  # an edition with a tenth of another's rules is there in part only


@dataclass(frozen=True, slots=True)
class TraceEntry:
    """A rule in one edition. `kind` is what became of it since the edition before: added,
    same, moved, changed, moved+changed, or removed (then `number` is its last, without text)."""

    edition: str
    number: str
    kind: str
    text: str | None


@dataclass(frozen=True, slots=True)
class Trace:
    """One rule through the editions of its rulebook, the oldest first."""

    game: str
    lang: str
    history: tuple[TraceEntry, ...]

    def as_json(self) -> dict[str, Any]:
        """As `sansho trace --json` prints it."""
        return asdict(self)


def trace(store: Store, rule: Node) -> Trace:
    """Follow a rule to the oldest edition and to the newest, in its language."""
    assert rule.game and rule.lang and rule.edition and rule.number
    editions = sorted(
        {
            edition
            for game, edition, lang in store.editions()
            if (game, lang) == (rule.game, rule.lang)
        }
    )
    books = _Books(store, rule.game, rule.lang)
    at = editions.index(rule.edition)
    earlier = list(_followed(books, rule.edition, rule.number, reversed(editions[:at])))
    later = list(_followed(books, rule.edition, rule.number, editions[at + 1 :]))
    gone = next((edition for edition, number in later if number is None), None)
    way = [(edition, number) for edition, number in reversed(earlier) if number]
    way += [(rule.edition, rule.number)]
    way += [(edition, number) for edition, number in later if number]
    history = [TraceEntry(way[0][0], way[0][1], "added", books[way[0][0]][way[0][1]])]
    for (old, before), (new, after) in pairwise(way):
        kind = change_kind(before, after, books[old], books[new])
        history.append(TraceEntry(new, after, kind, books[new][after]))
    if gone:
        history.append(TraceEntry(gone, way[-1][1], "removed", None))
    return Trace(rule.game, rule.lang, tuple(history))


class _Books(dict[str, dict[str, str]]):
    """The texts of editions by their numbers, read when they are asked for."""

    def __init__(self, store: Store, game: str, lang: str) -> None:
        super().__init__()
        self._store, self._game, self._lang = store, game, lang

    def __missing__(self, edition: str) -> dict[str, str]:
        texts = texts_by_number(self._store.rules(self._game, edition, self._lang))
        return self.setdefault(edition, texts)


def _followed(
    books: _Books, edition: str, number: str, others: Iterable[str]
) -> Iterator[tuple[str, str | None]]:
    """A rule's number in one edition after another, until one does not have it (None).

    An edition of which only some pages are there, without the rule's section, tells nothing.
    """
    for other in others:
        found = align_rules(books[edition], books[other]).get(number)
        if found is None and _in_part(books[other], books[edition], number):
            continue
        yield other, found
        if found is None:
            return
        edition, number = other, found


def _in_part(book: Mapping[str, str], whole: Mapping[str, str], number: str) -> bool:
    section = number_key(number)[:2]
    return len(book) * _PART < len(whole) and not any(number_key(n)[:2] == section for n in book)
