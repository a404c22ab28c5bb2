"""Compares two editions of a rulebook: which rules were added, removed, moved or changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from graphs.model import Node
from graphs.store.reader import Store
from kb.errors import QuestionError
from kb.language.word_diff import differences
from kb.query.common_filters import Scope
from kb.query.find_nodes import normalize_rule_number, resolve_edition
from kb.query.rule_successors import align_rules, is_under, one_line
from kb.query.table_result import Table, TableResult, table_row
from scraper.rulebook.numbering import number_key

RuleChangeKind = Literal["added", "removed", "moved", "changed", "moved+changed"]


@dataclass(frozen=True, slots=True)
class RuleText:
    """A rule's number and text in one edition."""

    number: str
    text: str


@dataclass(frozen=True, slots=True)
class RuleChange:
    """What happened to a rule from one edition to another.

    kind: `added`, `removed`, `moved` (another number), `changed` (another text), `moved+changed`.
    before, after: the rule in each edition; None in the one that lacks it.
    spans: (start, end, start, end) of the words that differ, in the text before and in the text
        after; empty if only the width of letters differs.
    """

    kind: RuleChangeKind
    before: RuleText | None
    after: RuleText | None
    spans: tuple[tuple[int, int, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Diff(TableResult):
    """The differences between two editions of a rulebook.

    before, after: the two editions.
    changes: the rules that are not the same, in the order of their numbers.
    same: how many rules have the same number and text.
    """

    game: str
    lang: str
    before: str
    after: str
    changes: tuple[RuleChange, ...]
    same: int

    def table(self) -> Table:
        """Return a table with a row per change: the rule's number and text in both editions.

        The columns are `kind`, `number_before`, `number_after`, `text_before` and `text_after`. The
        columns of an edition are empty if it lacks the rule.
        """
        return Table(
            tuple(
                table_row(
                    kind=change.kind,
                    number_before=change.before and change.before.number,
                    number_after=change.after and change.after.number,
                    text_before=change.before and change.before.text,
                    text_after=change.after and change.after.text,
                )
                for change in self.changes
            )
        )

    def as_json(self) -> dict[str, Any]:
        """Return the object that `sansho diff --json` prints: the fields of `Diff` by name.

        `changes` is a sequence of dicts with the fields of `RuleChange`, in which `before` and
        `after` are `{"number", "text"}` or None.
        """
        return asdict(self)


def diff(store: Store, before: str, after: str, rule: str | None, scope: Scope) -> Diff:
    """Return the differences between two editions of a rulebook.

    before, after: the editions as a person writes them (see `resolve_edition`); neither has to
        be the older one.
    rule: only this rule, by its number in either edition, and its sub-rules; None for all rules.
    scope: its game and language, by default Japanese if the editions are there in several; its
        edition and source are ignored.

    Raises QuestionError if an edition or the rule is not there, if `rule` is no number, or if
    several games have both editions.
    """
    before, after = (resolve_edition(store, given) for given in (before, after))
    game, lang = _choose_rulebook(store.editions(), [before, after], scope)
    old, new = (
        texts_by_number(store.rules(game, before, lang)),
        texts_by_number(store.rules(game, after, lang)),
    )
    pairs = list(_number_pairs(old, new))
    if rule is not None:
        number = normalize_rule_number(rule)
        pairs = [pair for pair in pairs if any(n and is_under(n, number) for n in pair)]
        if not pairs:
            raise QuestionError(
                f"neither {before} nor {after} has a rule {number} ({game}, {lang})"
            )
    changes = [change for b, a in pairs if (change := _change(b, a, old, new))]
    return Diff(game, lang, before, after, tuple(changes), len(pairs) - len(changes))


def _choose_rulebook(
    rulebooks: list[tuple[str, str, str]], editions: Iterable[str], scope: Scope
) -> tuple[str, str]:
    """Return the (game, language) in which all of some editions are there, Japanese if several.

    rulebooks: (game, edition, language) of all rulebooks that are loaded.
    editions: names of editions in the form that the graph stores.
    scope: only its game and language count; None in one of them means any.

    Raises QuestionError if there is none, or if there is more than one game.
    """
    wanted = set(editions)
    books: dict[tuple[str, str], set[str]] = {}
    for game, edition, lang in rulebooks:
        if scope.game in (None, game) and scope.lang in (None, lang):
            books.setdefault((game, lang), set()).add(edition)
    fitting = [book for book, loaded in books.items() if wanted <= loaded]
    if not fitting:
        missing = sorted(wanted - set().union(*books.values()))
        problem = (
            f"no edition {' or '.join(missing)}"
            if missing
            else (f"{' and '.join(sorted(wanted))} are not there in one game and language")
        )
        raise QuestionError(f"{problem}; there are {list_editions(books)}")
    if len({game for game, _ in fitting}) > 1:
        games = ", ".join(sorted({game for game, _ in fitting}))
        raise QuestionError(f"these editions are there of several games ({games}): say which")
    return min(fitting, key=lambda book: (book[1] != "ja", book[1]))


def list_editions(books: Mapping[tuple[str, str], Iterable[str]]) -> str:
    """Return the editions that are loaded, as text for an error message; `none` if there are none.

    books: the editions by (game, language).

    >>> list_editions({("mtg", "ja"): ["20231117", "20230616"]})
    '20230616, 20231117 (mtg, ja)'
    """
    listed = [
        f"{', '.join(sorted(editions))} ({game}, {lang})"
        for (game, lang), editions in sorted(books.items())
    ]
    return "; ".join(listed) or "none"


def texts_by_number(rules: Iterable[Node]) -> dict[str, str]:
    """Return {number of a rule: its text, or "" if it has none}; nodes without a number are left
    out."""
    return {rule.number: rule.text or "" for rule in rules if rule.number}


def _number_pairs(
    old: Mapping[str, str], new: Mapping[str, str]
) -> Iterator[tuple[str | None, str | None]]:
    """Yield (number before, number after) of each rule of two editions.

    old, new: the texts of each edition by number.

    Unchanged rules are yielded, too.

    An added rule has no number before, a removed rule none after. The pairs are in the order of
    the numbers after; a removed rule is at the place of its old number.
    """
    new_numbers = align_rules(old, new)
    removed = [(number_key(n), 0, n, None) for n in old if n not in new_numbers]
    old_numbers = {after: before for before, after in new_numbers.items()}
    present = [(number_key(n), 1, old_numbers.get(n), n) for n in new]
    for _, _, before, after in sorted([*removed, *present], key=lambda entry: entry[:2]):
        yield before, after


def _change(
    before: str | None, after: str | None, old: Mapping[str, str], new: Mapping[str, str]
) -> RuleChange | None:
    """Return what happened to a rule, given its numbers; None if it stayed the same.

    before, after: its number in each edition; None if it is not in that edition.
    old, new: the texts of each edition by number.
    """
    kind = change_kind(before, after, old, new)
    old_rule = RuleText(before, old[before]) if before else None
    new_rule = RuleText(after, new[after]) if after else None
    if kind == "same":
        return None
    if old_rule and new_rule and "changed" in kind:
        spans = tuple(differences(old_rule.text, new_rule.text))
        return RuleChange(kind, old_rule, new_rule, spans)
    return RuleChange(kind, old_rule, new_rule)


def change_kind(
    before: str | None, after: str | None, old: Mapping[str, str], new: Mapping[str, str]
) -> Any:
    """Return a rule's RuleChangeKind, or `same`.

    before, after: its number in each edition, or None if it is not in that edition.
    old, new: the texts of each edition by number. White space does not count.

    >>> old, new = {"1": "Zones", "2": "Cards"}, {"1": "Zones", "3": "All cards"}
    >>> [change_kind(b, a, old, new) for b, a in [("1", "1"), ("2", "3"), (None, "3")]]
    ['same', 'moved+changed', 'added']
    """
    if before is None or after is None:
        return "added" if before is None else "removed"
    moved = before != after
    changed = one_line(old[before]) != one_line(new[after])
    return "+".join(["moved"] * moved + ["changed"] * changed) or "same"
