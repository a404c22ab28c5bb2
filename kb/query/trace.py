"""Traces one rule and its sub-rules through all editions of its rulebook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from graphs.model import Node
from graphs.store.reader import Store
from kb.query.diff import texts_by_number
from kb.query.list_result import ListResult
from kb.query.rule_changes import RENUMBERED, EditionComparison, RuleChange
from kb.query.rule_successors import is_under
from kb.query.table_result import Table, table_row
from scraper.rulebook.numbering import Key, number_key

_PARTIAL = 10  # an edition with less than a tenth of another's rules is incomplete
_WITH_SUB_RULES = "sub-rules"


@dataclass(frozen=True, slots=True)
class TraceEntry:
    """A rule in one edition.

    edition: the edition.
    number: the rule's number in it; for a removed rule its last number.
    kind: what happened to the rule since the previous edition: `added`, `removed`, `same`, or one
        or more of these with `+` between: `moved` (another number), `changed` (another text),
        `renumbered` (only the numbers of cited rules changed, as the rules did), `sub-rules`
        (sub-rules were added, removed, changed, or moved otherwise than along with the rule). A
        change of typography alone is none.
    text: the rule's text; None if it was removed.
    sub_rules: what happened to its sub-rules of all levels since the previous edition, in the order
        of their numbers: those that the kind `sub-rules` speaks of, and those whose citations were
        renumbered. Empty for `added` and `removed`.
    """

    edition: str
    number: str
    kind: str
    text: str | None
    sub_rules: tuple[RuleChange, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Trace(ListResult[TraceEntry]):
    """The history of one rule: an entry per edition that has it, the oldest first, and one more
    if it was removed."""

    game: str
    lang: str
    history: tuple[TraceEntry, ...]

    _ITEM = "entry"

    def _items(self) -> tuple[TraceEntry, ...]:
        return self.history

    def _about(self) -> str:
        return f"of {self.history[-1].number} ({self.game}, {self.lang})" if self.history else ""

    def table(self) -> Table:
        """Return a table with a row per edition: `edition`, `number`, `kind`, `text`, and how many
        `sub_rules` changed."""
        return Table(
            tuple(
                table_row(
                    edition=entry.edition,
                    number=entry.number,
                    kind=entry.kind,
                    text=entry.text,
                    sub_rules=len(entry.sub_rules) or None,
                )
                for entry in self.history
            )
        )

    def as_json(self) -> dict[str, Any]:
        """Return the object that `sansho trace --json` prints: `game`, `lang` and `history`, whose
        items are dicts with the fields of `TraceEntry`; in its `sub_rules` are dicts with the
        fields of `RuleChange`."""
        return asdict(self)


def trace(store: Store, rule: Node) -> Trace:
    """Return the history of a rule through all editions in its language.

    The rule is followed from its own edition back to the oldest and forward to the newest, in
    each direction until an edition lacks it. The first entry is always `added`, even if it is of
    the oldest edition that is loaded.

    rule: a node of kind `rule`, with its game, language, edition and number.
    """
    assert rule.game and rule.lang and rule.edition and rule.number
    editions = sorted(
        {
            edition
            for game, edition, lang in store.editions()
            if (game, lang) == (rule.game, rule.lang)
        }
    )
    texts = _TextsByEdition(store, rule.game, rule.lang)
    compared = _Comparisons(texts)
    position = editions.index(rule.edition)
    start = (rule.edition, rule.number)
    earlier = list(_follow(compared, *start, editions[:position][::-1], back=True))
    later = list(_follow(compared, *start, editions[position + 1 :], back=False))
    removed_in = next((edition for edition, number in later if number is None), None)
    numbers = [(edition, number) for edition, number in reversed(earlier) if number]
    numbers += [start]
    numbers += [(edition, number) for edition, number in later if number]
    first_edition, first_number = numbers[0]
    first_text = texts[first_edition][first_number]
    history = [TraceEntry(first_edition, first_number, "added", first_text)]
    for (old_edition, before), (new_edition, after) in pairwise(numbers):
        history.append(_entry(compared[old_edition, new_edition], new_edition, before, after))
    if removed_in:
        history.append(TraceEntry(removed_in, numbers[-1][1], "removed", None))
    return Trace(rule.game, rule.lang, tuple(history))


def _entry(compared: EditionComparison, edition: str, before: str, after: str) -> TraceEntry:
    """Return what became of a rule from one edition to the next that has it.

    edition: the newer edition; before, after: the rule's number in each.
    """
    sub_rules: list[RuleChange] = []
    kinds: list[str | None] = [compared.kind(before, after)]
    for pair in compared.pairs():
        old_number, new_number = pair
        was_below = old_number not in (None, before) and is_under(old_number or "", before)
        is_below = new_number not in (None, after) and is_under(new_number or "", after)
        if not (was_below or is_below):
            continue
        kind = compared.kind(old_number, new_number)
        along = _place_under(old_number, before) == _place_under(new_number, after)
        if not kind or kind == "typographic" or (along and kind == "moved"):
            continue
        sub_rules.append(compared.change(pair, kind))
        if not along or kind not in RENUMBERED:
            kinds.append(_WITH_SUB_RULES)
    told = dict.fromkeys(kind for kind in kinds if kind and kind != "typographic")
    text = compared.new[after]
    return TraceEntry(edition, after, "+".join(told) or "same", text, tuple(sub_rules))


def _place_under(number: str | None, above: str) -> Key | None:
    """Return what follows in the key of a rule's number after that of the rule above it; None if
    there is no number."""
    return number_key(number)[len(number_key(above)) :] if number else None


class _TextsByEdition(dict[str, dict[str, str]]):
    """{edition: {number of a rule: its text}}; an edition is read when it is first looked up."""

    def __init__(self, store: Store, game: str, lang: str) -> None:
        super().__init__()
        self._store, self._game, self._lang = store, game, lang

    def __missing__(self, edition: str) -> dict[str, str]:
        texts = texts_by_number(self._store.rules(self._game, edition, self._lang))
        return self.setdefault(edition, texts)


class _Comparisons(dict[tuple[str, str], EditionComparison]):
    """{(older edition, newer edition): the two compared}; made when it is first looked up."""

    def __init__(self, texts: _TextsByEdition) -> None:
        super().__init__()
        self.texts = texts

    def __missing__(self, editions: tuple[str, str]) -> EditionComparison:
        old, new = editions
        return self.setdefault(editions, EditionComparison(self.texts[old], self.texts[new]))


def _follow(
    compared: _Comparisons, edition: str, number: str, editions: Iterable[str], *, back: bool
) -> Iterator[tuple[str, str | None]]:
    """Yield (edition, number of the rule in it) for one edition after another.

    edition, number: where the rule is known; this edition is not yielded.
    editions: the editions in which to look for it, nearest first.
    back: whether these are older than `edition`, not newer.

    The last pair has None as its number if the rule is missing from an edition. An incomplete
    edition that lacks the rule's whole section is skipped: it shows nothing.
    """
    texts = compared.texts
    for next_edition in editions:
        if back:
            next_number = compared[next_edition, edition].old_numbers.get(number)
        else:
            next_number = compared[edition, next_edition].new_numbers.get(number)
        if next_number is None and _lacks_section(texts[next_edition], texts[edition], number):
            continue
        yield next_edition, next_number
        if next_number is None:
            return
        edition, number = next_edition, next_number


def _lacks_section(texts: Mapping[str, str], complete: Mapping[str, str], number: str) -> bool:
    """Return whether an edition is incomplete compared with another and has no rule in the section
    of a number.

    texts: the texts by number of the edition that may be incomplete.
    complete: those of the other edition.
    number: a rule's number in the other edition.
    """
    section = number_key(number)[:2]
    return len(texts) * _PARTIAL < len(complete) and not any(
        number_key(n)[:2] == section for n in texts
    )
