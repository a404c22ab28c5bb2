"""Traces one rule through all editions of its rulebook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from graphs.model import Node
from graphs.store.reader import Store
from kb.query.diff import change_kind, texts_by_number
from kb.query.rule_successors import align_rules
from scraper.rulebook.numbering import number_key

_PARTIAL = 10  # an edition with less than a tenth of another's rules is incomplete


@dataclass(frozen=True, slots=True)
class TraceEntry:
    """A rule in one edition.

    edition: the edition.
    number: the rule's number in it; for a removed rule its last number.
    kind: what happened to the rule since the previous edition: `added`, `same`, `moved` (another
        number), `changed` (another text), `moved+changed` or `removed`.
    text: the rule's text; None if it was removed.
    """

    edition: str
    number: str
    kind: str
    text: str | None


@dataclass(frozen=True, slots=True)
class Trace:
    """The history of one rule: an entry per edition that has it, the oldest first, and one more
    if it was removed."""

    game: str
    lang: str
    history: tuple[TraceEntry, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the object that `sansho trace --json` prints: `game`, `lang` and `history`, whose
        items are dicts with the fields of `TraceEntry`."""
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
    position = editions.index(rule.edition)
    earlier = list(_follow(texts, rule.edition, rule.number, reversed(editions[:position])))
    later = list(_follow(texts, rule.edition, rule.number, editions[position + 1 :]))
    removed_in = next((edition for edition, number in later if number is None), None)
    numbers = [(edition, number) for edition, number in reversed(earlier) if number]
    numbers += [(rule.edition, rule.number)]
    numbers += [(edition, number) for edition, number in later if number]
    first_edition, first_number = numbers[0]
    first_text = texts[first_edition][first_number]
    history = [TraceEntry(first_edition, first_number, "added", first_text)]
    for (old_edition, before), (new_edition, after) in pairwise(numbers):
        kind = change_kind(before, after, texts[old_edition], texts[new_edition])
        history.append(TraceEntry(new_edition, after, kind, texts[new_edition][after]))
    if removed_in:
        history.append(TraceEntry(removed_in, numbers[-1][1], "removed", None))
    return Trace(rule.game, rule.lang, tuple(history))


class _TextsByEdition(dict[str, dict[str, str]]):
    """{edition: {number of a rule: its text}}; an edition is read when it is first looked up."""

    def __init__(self, store: Store, game: str, lang: str) -> None:
        super().__init__()
        self._store, self._game, self._lang = store, game, lang

    def __missing__(self, edition: str) -> dict[str, str]:
        texts = texts_by_number(self._store.rules(self._game, edition, self._lang))
        return self.setdefault(edition, texts)


def _follow(
    texts: _TextsByEdition, edition: str, number: str, editions: Iterable[str]
) -> Iterator[tuple[str, str | None]]:
    """Yield (edition, number of the rule in it) for one edition after another.

    texts: of all these editions, in the rule's game and language.
    edition, number: where the rule is known; this edition is not yielded.
    editions: the editions in which to look for it, nearest first.

    The last pair has None as its number if the rule is missing from an edition. An incomplete
    edition that lacks the rule's whole section is skipped: it shows nothing.
    """
    for next_edition in editions:
        next_number = align_rules(texts[edition], texts[next_edition]).get(number)
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
