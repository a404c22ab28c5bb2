"""What changed from one edition of a rulebook to another, and what became of one rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, Literal

from graphs.model import Node
from graphs.store import Store
from kb.errors import QuestionError
from kb.query.lookup import edition_of, rule_number
from kb.query.match import is_under, match, one_line
from kb.query.table import Table, Tabular, row
from kb.wording import differences
from scraper.numbering import key_of

Kind = Literal["added", "removed", "moved", "changed", "moved+changed"]
_PART = 10  # an edition with a tenth of another's rules is there in part only


@dataclass(frozen=True, slots=True)
class Stated:
    """A rule as an edition has it."""

    number: str
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """What became of a rule. `spans` are [start, end) of the words that differ, in the text
    before and in the text after; none where only the width of letters differs."""

    kind: Kind
    before: Stated | None
    after: Stated | None
    spans: tuple[tuple[int, int, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Diff(Tabular):
    """Two editions (`before`, `after`) of a rulebook compared, in the order of the numbers."""

    game: str
    lang: str
    before: str
    after: str
    changes: tuple[Change, ...]
    same: int

    def table(self) -> Table:
        """A row a rule that changed, as the two editions have it."""
        return Table(
            tuple(
                row(kind=one.kind,
                    number_before=one.before and one.before.number,
                    number_after=one.after and one.after.number,
                    text_before=one.before and one.before.text,
                    text_after=one.after and one.after.text)
                for one in self.changes
            )
        )  # fmt: skip

    def as_json(self) -> dict[str, Any]:
        """As `sansho diff --json` prints it."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Traced:
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
    history: tuple[Traced, ...]

    def as_json(self) -> dict[str, Any]:
        """As `sansho trace --json` prints it."""
        return asdict(self)


# -- diff ---------------------------------------------------------------------------------


def diff(
    store: Store, before: str, after: str, rule: str | None, lang: str | None, game: str | None
) -> Diff:
    """Compare two editions; with `rule`, only that rule (by either number) and its sub-rules."""
    before, after = (edition_of(store, given) for given in (before, after))
    game, lang = _book_of(store.editions(), [before, after], lang, game)
    old, new = _texts(store.rules(game, before, lang)), _texts(store.rules(game, after, lang))
    pairs = list(_pairs(old, new))
    if rule is not None:
        number = rule_number(rule)
        pairs = [pair for pair in pairs if any(n and is_under(n, number) for n in pair)]
        if not pairs:
            raise QuestionError(
                f"neither {before} nor {after} has a rule {number} ({game}, {lang})"
            )
    changes = [change for b, a in pairs if (change := _change(b, a, old, new))]
    return Diff(game, lang, before, after, tuple(changes), len(pairs) - len(changes))


def _book_of(
    there: list[tuple[str, str, str]], editions: Iterable[str], lang: str | None, game: str | None
) -> tuple[str, str]:
    """The game and language in which all of some editions are there."""
    wanted = set(editions)
    books: dict[tuple[str, str], set[str]] = {}
    for one, edition, tongue in there:
        if game in (None, one) and lang in (None, tongue):
            books.setdefault((one, tongue), set()).add(edition)
    fitting = [book for book, has in books.items() if wanted <= has]
    if not fitting:
        missing = sorted(wanted - set().union(*books.values()))
        said = f"no edition {' or '.join(missing)}" if missing else (
            f"{' and '.join(sorted(wanted))} are not there in one game and language"
        )  # fmt: skip
        raise QuestionError(f"{said}; there are {listed(books)}")
    if len({one for one, _ in fitting}) > 1:
        games = ", ".join(sorted({one for one, _ in fitting}))
        raise QuestionError(f"these editions are there of several games ({games}): say which")
    return min(fitting, key=lambda book: (book[1] != "ja", book[1]))


def listed(books: Mapping[tuple[str, str], Iterable[str]]) -> str:
    """The editions that are there, for a person who asked for another."""
    found = [f"{', '.join(sorted(has))} ({game}, {lang})"
             for (game, lang), has in sorted(books.items())]  # fmt: skip
    return "; ".join(found) or "none"


def _texts(rules: Iterable[Node]) -> dict[str, str]:
    return {node.number: node.text or "" for node in rules if node.number}


def _pairs(
    old: Mapping[str, str], new: Mapping[str, str]
) -> Iterator[tuple[str | None, str | None]]:
    """The numbers of each rule before and after, each rule once, in the order of the newer
    numbers; what is there no more stands where it stood."""
    image = match(old, new)
    gone = [(key_of(n), 0, n, None) for n in old if n not in image]
    origin = {other: number for number, other in image.items()}
    there = [(key_of(n), 1, origin.get(n), n) for n in new]
    for _, _, before, after in sorted([*gone, *there], key=lambda row: row[:2]):
        yield before, after


def _change(
    before: str | None, after: str | None, old: Mapping[str, str], new: Mapping[str, str]
) -> Change | None:
    kind = _kind(before, after, old, new)
    was = Stated(before, old[before]) if before else None
    now = Stated(after, new[after]) if after else None
    if kind == "same":
        return None
    if was and now and "changed" in kind:
        return Change(kind, was, now, tuple(differences(was.text, now.text)))
    return Change(kind, was, now)


def _kind(
    before: str | None, after: str | None, old: Mapping[str, str], new: Mapping[str, str]
) -> Any:
    """What a rule's numbers and texts make of it."""
    if before is None or after is None:
        return "added" if before is None else "removed"
    moved = before != after
    changed = one_line(old[before]) != one_line(new[after])
    return "+".join(["moved"] * moved + ["changed"] * changed) or "same"


# -- trace --------------------------------------------------------------------------------


def trace(store: Store, rule: Node) -> Trace:
    """Follow a rule to the oldest edition and to the newest, in its language."""
    assert rule.game and rule.lang and rule.edition and rule.number
    editions = sorted({edition for game, edition, lang in store.editions()
                       if (game, lang) == (rule.game, rule.lang)})  # fmt: skip
    books = _Books(store, rule.game, rule.lang)
    at = editions.index(rule.edition)
    earlier = list(_followed(books, rule.edition, rule.number, reversed(editions[:at])))
    later = list(_followed(books, rule.edition, rule.number, editions[at + 1 :]))
    gone = next((edition for edition, number in later if number is None), None)
    way = [(edition, number) for edition, number in reversed(earlier) if number]
    way += [(rule.edition, rule.number)]
    way += [(edition, number) for edition, number in later if number]
    history = [Traced(way[0][0], way[0][1], "added", books[way[0][0]][way[0][1]])]
    for (old, before), (new, after) in pairwise(way):
        kind = _kind(before, after, books[old], books[new])
        history.append(Traced(new, after, kind, books[new][after]))
    if gone:
        history.append(Traced(gone, way[-1][1], "removed", None))
    return Trace(rule.game, rule.lang, tuple(history))


class _Books(dict[str, dict[str, str]]):
    """The texts of editions by their numbers, read when they are asked for."""

    def __init__(self, store: Store, game: str, lang: str) -> None:
        super().__init__()
        self._store, self._game, self._lang = store, game, lang

    def __missing__(self, edition: str) -> dict[str, str]:
        texts = _texts(self._store.rules(self._game, edition, self._lang))
        return self.setdefault(edition, texts)


def _followed(
    books: _Books, edition: str, number: str, others: Iterable[str]
) -> Iterator[tuple[str, str | None]]:
    """A rule's number in one edition after another, until one does not have it (None).

    An edition of which only some pages are there, without the rule's section, tells nothing.
    """
    for other in others:
        found = match(books[edition], books[other]).get(number)
        if found is None and _in_part(books[other], books[edition], number):
            continue
        yield other, found
        if found is None:
            return
        edition, number = other, found


def _in_part(book: Mapping[str, str], whole: Mapping[str, str], number: str) -> bool:
    section = key_of(number)[:2]
    return len(book) * _PART < len(whole) and not any(key_of(n)[:2] == section for n in book)
