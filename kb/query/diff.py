"""What changed from one edition of a rulebook to another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from graphs.model import Node
from graphs.store.reader import Store
from kb.errors import QuestionError
from kb.language.textdiff import differences
from kb.query.lookup import edition_of, rule_number
from kb.query.rule_alignment import align_rules, is_under, one_line
from kb.query.scope import Scope
from kb.query.table_result import Table, TableResult, table_row
from scraper.rulebook.numbering import number_key

RuleChangeKind = Literal["added", "removed", "moved", "changed", "moved+changed"]


@dataclass(frozen=True, slots=True)
class RuleText:
    """A rule as an edition has it."""

    number: str
    text: str


@dataclass(frozen=True, slots=True)
class RuleChange:
    """What became of a rule. `spans` are [start, end) of the words that differ, in the text
    before and in the text after; none where only the width of letters differs."""

    kind: RuleChangeKind
    before: RuleText | None
    after: RuleText | None
    spans: tuple[tuple[int, int, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Diff(TableResult):
    """Two editions (`before`, `after`) of a rulebook compared, in the order of the numbers."""

    game: str
    lang: str
    before: str
    after: str
    changes: tuple[RuleChange, ...]
    same: int

    def table(self) -> Table:
        """A row a rule that changed, as the two editions have it."""
        return Table(
            tuple(
                table_row(
                    kind=one.kind,
                    number_before=one.before and one.before.number,
                    number_after=one.after and one.after.number,
                    text_before=one.before and one.before.text,
                    text_after=one.after and one.after.text,
                )
                for one in self.changes
            )
        )

    def as_json(self) -> dict[str, Any]:
        """As `sansho diff --json` prints it."""
        return asdict(self)


# -- diff ---------------------------------------------------------------------------------


def diff(store: Store, before: str, after: str, rule: str | None, scope: Scope) -> Diff:
    """Compare two editions; with `rule`, only that rule (by either number) and its sub-rules."""
    before, after = (edition_of(store, given) for given in (before, after))
    game, lang = _book_of(store.editions(), [before, after], scope)
    old, new = (
        texts_by_number(store.rules(game, before, lang)),
        texts_by_number(store.rules(game, after, lang)),
    )
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
    there: list[tuple[str, str, str]], editions: Iterable[str], scope: Scope
) -> tuple[str, str]:
    """The game and language in which all of some editions are there."""
    wanted = set(editions)
    books: dict[tuple[str, str], set[str]] = {}
    for one, edition, tongue in there:
        if scope.game in (None, one) and scope.lang in (None, tongue):
            books.setdefault((one, tongue), set()).add(edition)
    fitting = [book for book, has in books.items() if wanted <= has]
    if not fitting:
        missing = sorted(wanted - set().union(*books.values()))
        said = (
            f"no edition {' or '.join(missing)}"
            if missing
            else (f"{' and '.join(sorted(wanted))} are not there in one game and language")
        )
        raise QuestionError(f"{said}; there are {list_editions(books)}")
    if len({one for one, _ in fitting}) > 1:
        games = ", ".join(sorted({one for one, _ in fitting}))
        raise QuestionError(f"these editions are there of several games ({games}): say which")
    return min(fitting, key=lambda book: (book[1] != "ja", book[1]))


def list_editions(books: Mapping[tuple[str, str], Iterable[str]]) -> str:
    """The editions that are there, for a person who asked for another."""
    found = [
        f"{', '.join(sorted(has))} ({game}, {lang})" for (game, lang), has in sorted(books.items())
    ]
    return "; ".join(found) or "none"


def texts_by_number(rules: Iterable[Node]) -> dict[str, str]:
    return {node.number: node.text or "" for node in rules if node.number}


def _pairs(
    old: Mapping[str, str], new: Mapping[str, str]
) -> Iterator[tuple[str | None, str | None]]:
    """The numbers of each rule before and after, each rule once, in the order of the newer
    numbers; what is there no more stands where it stood."""
    image = align_rules(old, new)
    gone = [(number_key(n), 0, n, None) for n in old if n not in image]
    origin = {other: number for number, other in image.items()}
    there = [(number_key(n), 1, origin.get(n), n) for n in new]
    for _, _, before, after in sorted([*gone, *there], key=lambda table_row: table_row[:2]):
        yield before, after


def _change(
    before: str | None, after: str | None, old: Mapping[str, str], new: Mapping[str, str]
) -> RuleChange | None:
    kind = change_kind(before, after, old, new)
    was = RuleText(before, old[before]) if before else None
    now = RuleText(after, new[after]) if after else None
    if kind == "same":
        return None
    if was and now and "changed" in kind:
        return RuleChange(kind, was, now, tuple(differences(was.text, now.text)))
    return RuleChange(kind, was, now)


def change_kind(
    before: str | None, after: str | None, old: Mapping[str, str], new: Mapping[str, str]
) -> Any:
    """What a rule's numbers and texts make of it."""
    if before is None or after is None:
        return "added" if before is None else "removed"
    moved = before != after
    changed = one_line(old[before]) != one_line(new[after])
    return "+".join(["moved"] * moved + ["changed"] * changed) or "same"


# -- trace --------------------------------------------------------------------------------
