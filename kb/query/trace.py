"""Traces one rule and its sub-rules through all editions of its rulebook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from graphs.edition_order import edition_key
from graphs.model import Node
from graphs.store.reader import Store
from kb.errors import QuestionError
from kb.language.rule_numbers import rule_id
from kb.query.common_filters import Scope
from kb.query.diff import texts_by_number
from kb.query.edition_choice import find_edition
from kb.query.find_nodes import find_named
from kb.reason import Ask, LeftOut, Reason, again
from kb.result import ListResult, columns
from kb.rules.alignment import is_under
from kb.rules.change_kinds import RENUMBERED
from kb.rules.changes import EditionComparison, NumberPair, RuleChange
from kb.rules.loaded import (
    LoadedEdition,
    LoadedRules,
    describe_loaded,
    loaded_rules,
    refuse_unknown_scope,
)
from scraper.rulebook.documents import document_of_edition
from scraper.rulebook.numbering import Key, number_key, parse_number

if TYPE_CHECKING:
    from graphs.picture.picture import Picture

_WITH_SUB_RULES = "sub-rules"
_FIRST_WORDS = 40  # characters of another rule's text


@dataclass(frozen=True, slots=True)
class TraceEntry:
    """A rule in one edition.

    edition: the edition.
    number: the rule's number in it; for a removed rule its last number, for a merged one that of
        the rule that it is in.
    kind: what happened to the rule since the previous edition that has it: `added`, `removed`,
        `merged` (into another rule), `same`, or one or more of these with `+` between: `moved`
        (another number), `changed` (another text), `renumbered` (only the numbers of cited rules
        changed, as the rules did),
        `sub-rules` (sub-rules were added, removed, changed, or moved otherwise than along with the
        rule). A change of typography alone is none. `not loaded` if only a part of the edition is
        loaded, and not the one where the rule would stand; the number is then that of the edition
        before, or of the first one that has the rule.
    text: the rule's text; None if it was removed or is not loaded.
    sub_rules: what happened to its sub-rules of all levels since the previous edition, in the order
        of their numbers: those that the kind `sub-rules` speaks of, and those whose citations were
        renumbered. Empty for `added` and `removed`.
    change: what happened to the rule itself, with the words that differ; None if it stayed the
        same, and for `added`, `removed` and `not loaded`.
    """

    edition: str
    number: str
    kind: str
    text: str | None
    sub_rules: tuple[RuleChange, ...] = ()
    change: RuleChange | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Trace(ListResult[TraceEntry], items="history", item="entry"):
    """The history of one rule: an entry per edition, the oldest first, from the first one that has
    the rule, or has it perhaps, to the newest, or to the one that it was removed from.

    loaded: how much of each edition is loaded in the rule's language.
    also: other rules that had the same number in other editions, and the rule in other languages.
    """

    game: str
    lang: str
    history: tuple[TraceEntry, ...]
    loaded: tuple[LoadedEdition, ...] = ()
    also: tuple[LeftOut, ...] = ()

    _COLUMNS = columns(
        "edition number kind text sub_rules",
        sub_rules=lambda _found, entry: len(entry.sub_rules) or None,
    )

    def _about(self) -> str:
        return f"of {self.history[-1].number} ({self.game}, {self.lang})" if self.history else ""

    def draw(self) -> Picture:
        """Return the history as a picture: the editions on a line, a box for each stretch of the
        same text, and marks where the rule changed, moved or was not there.

        The ids of its nodes are those of the rule in each edition that has it.
        """
        from graphs.picture.said import Said
        from graphs.picture.timeline import TimelineEntry, timeline

        entries = [
            TimelineEntry(
                entry.edition,
                tuple(entry.kind.split("+")),
                rule_id(self.game, entry.edition, self.lang, entry.number or "")
                if entry.text is not None
                else None,
                entry.number,
                entry.text,
            )
            for entry in self.history
        ]
        values = {"rule": self.history[-1].number, "game": self.game, "lang": self.lang}
        title = Said("the history of {rule} ({game}, {lang})", values)
        return timeline(entries, title, self.also)


def trace(store: Store, ref: str, scope: Scope) -> Trace:
    """Return the history of a rule through all editions in its language.

    The rule is followed from one edition back to the oldest and forward to the newest, in each
    direction until an edition lacks it. The first entry that has it is always `added`, even if it
    is of the oldest edition that is loaded.

    ref: a rule's number, name or id. A number is that of the newest edition in which a rule has it,
        in the language in which most of all editions is loaded; `also` names what it means besides.
    scope: leaves out what the reference may mean.

    Raises QuestionError for an unknown edition, game or language, or if several games have such a
    rule; NotFoundError if nothing is called so.
    """
    games = loaded_rules(store, document_of_edition(scope.edition or ""))
    refuse_unknown_scope(games, scope.game, scope.lang)
    if scope.edition:
        edition = find_edition(store, games, scope.edition, scope.game)
        scope = replace(scope, edition=edition)
    candidates = find_named(store, ref, "rule", "document", scope=scope)
    candidates = [node for node in candidates if node.series == candidates[0].series]
    if candidates[0].kind == "document" and not scope.edition:
        games = loaded_rules(store, candidates[0].series)
    found_games = sorted({node.game or "" for node in candidates})
    if len(found_games) > 1:
        choices = tuple(again(game=game) for game in found_games)
        raise QuestionError("rule_of_several_games", ref=ref, choices=choices)
    loaded = games[found_games[0]]
    lang = max(
        {node.lang or "" for node in candidates},
        key=lambda lang: (*_completeness(loaded, lang), lang == "ja", lang),
    )
    in_lang = [node for node in candidates if node.lang == lang]
    place = {edition: index for index, edition in enumerate(loaded.editions)}
    rule = max(in_lang, key=lambda node: place[node.edition or ""])
    editions = [edition for edition in loaded.editions if (edition, lang) in loaded.numbers]
    compared = _Comparisons(store, loaded, lang)
    found = _history(compared, rule, editions)
    also = [*_same_name(candidates, rule)]
    if not scope.edition and parse_number(ref) == rule.number:
        also += _other_meanings(compared, rule, found, editions)
    also += _other_languages(loaded, candidates, rule)
    return Trace(
        loaded.game,
        lang,
        tuple(found),
        tuple(loaded.loaded(edition, lang) for edition in editions),
        tuple(also),
    )


def _completeness(loaded: LoadedRules, lang: str) -> tuple[float, int]:
    """Return how many editions are loaded in a language, of a part of an edition its share; and how
    many rules that are."""
    parts = [loaded.loaded(edition, lang) for edition in loaded.editions]
    return sum(one.share for one in parts), sum(one.rules for one in parts)


def _same_name(candidates: Iterable[Node], rule: Node) -> Iterator[LeftOut]:
    """Yield the rules of the same edition and language that a name means besides a rule."""
    for other in candidates:
        is_beside = (other.edition, other.lang) == (rule.edition, rule.lang)
        if is_beside and other.number != rule.number:
            number = other.number or ""
            ask = Ask("trace", ref=number, game=other.game)
            yield LeftOut(other.id, Reason("another_rule_of_name", ask, number=number))


def _other_languages(
    loaded: LoadedRules, candidates: Iterable[Node], rule: Node
) -> Iterator[LeftOut]:
    """Yield the newest of the candidates in each language that the rule is not in."""
    newest: dict[str, Node] = {}
    for other in candidates:
        lang = other.lang or ""
        if lang != rule.lang:
            newest[lang] = max(
                other, newest.get(lang, other), key=lambda node: edition_key(node.edition)
            )
    for lang in sorted(newest):
        parts = [
            loaded.loaded(edition, lang)
            for edition in loaded.editions
            if (edition, lang) in loaded.numbers
        ]
        loaded_there = describe_loaded(parts)
        reason = Reason("in_language", again(lang=lang), lang=lang, loaded=loaded_there)
        yield LeftOut(newest[lang].id, reason)


def _other_meanings(
    compared: _Comparisons, rule: Node, history: Iterable[TraceEntry], editions: Iterable[str]
) -> Iterator[LeftOut]:
    """Yield the other rules that had a rule's number, each as it is in the newest edition in which
    it had it, the newest rules first.

    history: of the rule. editions: those that are loaded in its language, the oldest first.
    """
    number = rule.number or ""
    own = {entry.edition for entry in history if entry.number == number and entry.text is not None}
    newer: str | None = None  # the next edition in which another rule has the number
    groups: list[list[str]] = []
    for edition in reversed(list(editions)):
        if edition in own or number not in compared.texts[edition]:
            continue
        if newer and compared[edition, newer].new_numbers.get(number) == number:
            groups[-1].append(edition)
        else:
            groups.append([edition])
        newer = edition
    for group in groups:
        text = " ".join(compared.texts[group[0]][number].split())
        words = text if len(text) <= _FIRST_WORDS else f"{text[:_FIRST_WORDS].rstrip()}…"
        yield LeftOut(
            rule_id(rule.game or "", group[0], rule.lang or "", number),
            Reason(
                "another_rule_of_number",
                again(edition=group[0]),
                editions=tuple(reversed(group)),
                words=words,
            ),
        )


class _Step(NamedTuple):
    """A rule in one edition: its number, or what became of it."""

    edition: str
    number: str | None
    fate: str = ""


def _history(compared: _Comparisons, rule: Node, editions: list[str]) -> list[TraceEntry]:
    """Return the entries of a rule's history.

    editions: those that are loaded in its language, the oldest first.
    """
    assert rule.edition and rule.number
    position = editions.index(rule.edition)
    start = _Step(rule.edition, rule.number)
    earlier = [*_follow(compared, start, editions[:position][::-1], back=True)]
    later = [*_follow(compared, start, editions[position + 1 :], back=False)]
    if earlier and earlier[-1].fate == "added":  # not there yet
        earlier.pop()
    steps = [*earlier[::-1], start, *later]
    known = [step for step in steps if step.number]
    entries = {
        new.edition: _entry(compared[old.edition, new.edition], new.edition, old.number, new.number)
        for old, new in pairwise(known)
        if old.number and new.number
    }
    history: list[TraceEntry] = []
    number = known[0].number or ""
    for step in steps:
        number = step.number or number
        if step is known[0]:
            text = compared.texts[step.edition][number]
            history.append(TraceEntry(step.edition, number, "added", text))
        elif step.number:
            history.append(entries[step.edition])
        elif step.fate == "merged":
            comparison = compared[known[-1].edition, step.edition]
            change = comparison.change((number, None), "merged")
            history.append(
                TraceEntry(step.edition, change.into or "", "merged", None, change=change)
            )
        else:
            history.append(TraceEntry(step.edition, number, step.fate, None))
    return history


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
        if not kind or kind in ("typographic", "not loaded") or (along and kind == "moved"):
            continue
        sub_rules.append(compared.change(pair, kind))
        if not along or kind not in RENUMBERED:
            kinds.append(_WITH_SUB_RULES)
    all_kinds = dict.fromkeys(kind for kind in kinds if kind and kind != "typographic")
    own = compared.kind(before, after)
    return TraceEntry(
        edition,
        after,
        "+".join(all_kinds) or "same",
        compared.new[after],
        tuple(sub_rules),
        compared.change((before, after), own) if own and own != "typographic" else None,
    )


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
    """{(older edition, newer edition): the two compared}; made when it is first looked up.

    texts: {edition: {number of a rule: its text}}, likewise.
    """

    def __init__(self, store: Store, loaded: LoadedRules, lang: str) -> None:
        super().__init__()
        self.texts = _TextsByEdition(store, loaded.game, lang)
        self._loaded, self._lang = loaded, lang

    def __missing__(self, editions: tuple[str, str]) -> EditionComparison:
        old, new = (self.texts[edition] for edition in editions)
        old_gaps, new_gaps = (self._loaded.gaps(edition, self._lang) for edition in editions)
        return self.setdefault(editions, EditionComparison(old, new, old_gaps, new_gaps))


def _follow(
    compared: _Comparisons, start: _Step, editions: Iterable[str], *, back: bool
) -> Iterator[_Step]:
    """Yield what a rule is in one edition after another, until one lacks it.

    start: where the rule is known; this is not yielded.
    editions: the editions in which to look for it, nearest first.
    back: whether these are older, not newer.

    In an edition of which the rule's place is not loaded, its fate is `not loaded`, and the search
    goes on behind it. In the last one its fate may be `removed`, or `added` if it is not there yet.
    """
    edition, number = start.edition, start.number
    fate: NumberPair
    for next_edition in editions:
        if back:
            comparison = compared[next_edition, edition]
            next_number, fate = comparison.old_numbers.get(number or ""), (None, number)
        else:
            comparison = compared[edition, next_edition]
            next_number, fate = comparison.new_numbers.get(number or ""), (number, None)
        if next_number:
            edition, number = next_edition, next_number
            yield _Step(edition, number)
            continue
        kind = comparison.kind(*fate) or ""
        yield _Step(next_edition, None, kind)
        if kind != "not loaded":
            return
