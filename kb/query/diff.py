"""Compares two editions of a rulebook: which rules were added, removed, moved, changed…"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, get_args

from graphs.model import Node
from graphs.store.reader import Store
from kb.errors import QuestionError
from kb.query.common_filters import Scope
from kb.query.find_nodes import normalize_rule_number, resolve_edition
from kb.query.list_result import ListResult
from kb.query.rule_changes import EditionComparison, RuleChange, RuleChangeKind
from kb.query.rule_successors import is_under
from kb.query.table_result import Table, table_row


@dataclass(frozen=True, slots=True, repr=False)
class Diff(ListResult[RuleChange]):
    """The differences between two editions of a rulebook.

    before, after: the two editions.
    changes: the rules that are not the same, in the order of their numbers.
    same: how many rules are not in `changes`: they have the same number and text.
    typographic: how many rules have the same number, and texts that differ only in quotation
        marks, dashes, width or spaces. They count as the same unless they are in `changes`.
    examples: how many rules have the same number and text, but other examples. They count as the
        same unless they are in `changes`.
    """

    game: str
    lang: str
    before: str
    after: str
    changes: tuple[RuleChange, ...]
    same: int
    typographic: int = 0
    examples: int = 0

    _ITEM = "change"

    def _items(self) -> tuple[RuleChange, ...]:
        return self.changes

    @property
    def counts(self) -> dict[str, int]:
        """How many rules there are of each kind of change that occurs, in the order of
        `RuleChangeKind`; of `typographic` always, and of `examples` whether listed or not."""
        kinds = Counter(change.kind for change in self.changes)
        return {kind: kinds[kind] for kind in get_args(RuleChangeKind) if kinds[kind]} | {
            "typographic": self.typographic,
            **({"examples": self.examples} if self.examples else {}),
        }

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

    def _about(self) -> str:
        return f"of {self.before} and {self.after} ({self.game}, {self.lang})"

    def as_json(self) -> dict[str, Any]:
        """Return the object that `sansho diff --json` prints: the fields of `Diff` by name, and
        `counts`.

        `changes` is a sequence of dicts with the fields of `RuleChange`, in which `before` and
        `after` are `{"number", "text"}` or None.
        """
        return asdict(self) | {"counts": self.counts}


def diff(
    store: Store,
    before: str,
    after: str,
    rule: str | None,
    scope: Scope,
    typographic: bool = False,
    examples: bool = False,
) -> Diff:
    """Return the differences between two editions of a rulebook.

    before, after: the editions as a person writes them (see `resolve_edition`); neither has to
        be the older one.
    rule: only this rule, by its number in either edition, and its sub-rules; None for all rules.
    scope: its game and language, by default Japanese if the editions are there in several; its
        edition and source are ignored.
    typographic: list also the rules whose texts differ only in typography.
    examples: list also the rules that differ only in their examples.

    Raises QuestionError if an edition or the rule is not there, if `rule` is no number, or if
    several games have both editions.
    """
    before, after = (resolve_edition(store, given) for given in (before, after))
    game, lang = _choose_rulebook(store.editions(), [before, after], scope)
    old_rules, new_rules = (store.rules(game, edition, lang) for edition in (before, after))
    compared = EditionComparison(texts_by_number(old_rules), texts_by_number(new_rules))
    with_examples = EditionComparison(
        _examples_by_number(old_rules), _examples_by_number(new_rules)
    )
    pairs = list(compared.pairs())
    if rule is not None:
        number = normalize_rule_number(rule)
        pairs = [pair for pair in pairs if any(n and is_under(n, number) for n in pair)]
        if not pairs:
            raise QuestionError(
                f"neither {before} nor {after} has a rule {number} ({game}, {lang})"
            )
    kinds = [compared.kind(*pair) for pair in pairs]
    other_examples = {
        pair
        for pair, kind in zip(pairs, kinds, strict=True)
        if kind in (None, "typographic") and with_examples.differ(*pair)
    }
    changes: list[RuleChange] = []
    for pair, kind in zip(pairs, kinds, strict=True):
        if examples and pair in other_examples:
            changes.append(with_examples.change(pair, "examples"))
        elif kind and (typographic or kind != "typographic"):
            changes.append(compared.change(pair, kind))
    return Diff(
        game=game,
        lang=lang,
        before=before,
        after=after,
        changes=tuple(changes),
        same=len(pairs) - len(changes),
        typographic=kinds.count("typographic"),
        examples=len(other_examples),
    )


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


def _examples_by_number(rules: Iterable[Node]) -> dict[str, str]:
    """Return {number of a rule: its examples, a line each}; "" for a rule without examples."""
    return {
        rule.number: "\n".join((rule.details or {}).get("examples", ()))
        for rule in rules
        if rule.number
    }
