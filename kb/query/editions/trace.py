"""Traces one rule and its sub-rules through all editions of its rulebook."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from graphs.model import Node
from graphs.sort_orders import edition_key
from graphs.store.reader import Store
from graphs.store.rule_versions import (
    VersionRow,
    merged_into,
    split_from,
    texts_of,
    unsure_versions,
    versions_of,
    versions_with_number,
)
from kb.errors import QuestionError
from kb.language.citations.rule_numbers import rule_id
from kb.query.editions.edition_choice import find_edition
from kb.query.lookup.common_filters import Scope
from kb.query.lookup.named_nodes import first_words, number_in_language
from kb.query.lookup.rules_of_terms import find_rules
from kb.reason import Ask, LeftOut, Reason, again
from kb.result import ListResult, columns
from kb.rules.alignment import is_under
from kb.rules.change_kind_names import RENUMBERED, RuleChangeKind, told_change
from kb.rules.changes import RuleChange, RuleText
from kb.rules.loaded_editions import (
    LoadedEdition,
    LoadedRules,
    describe_loaded,
    loaded_rules,
    refuse_unknown_scope,
)
from scraper.rulebook.documents_beside_rulebook import document_of_edition
from scraper.rulebook.numbering import Key, number_key, parse_number

if TYPE_CHECKING:
    from graphs.picture.picture import Picture

_WITH_SUB_RULES = "sub-rules"
_UNEVENTFUL = ("same", _WITH_SUB_RULES, "not loaded")
_SURE = 0.6  # what is below is unsure: of 80 such matches that were read some 25 were wrong


@dataclass(frozen=True, slots=True)
class TraceEntry:
    """A rule in one edition.

    edition: the edition.
    number: the rule's number in it; for a removed rule its last number, for a merged one that of
        the rule that it is in.
    kind: what happened to the rule since the previous edition that has it: `first` (nobody can say
        if an older edition had it, as none or too little of one is loaded), `added`, `split`
        (from another rule, `split_from` of its change), `removed`, `merged` (into another rule, or
        of a rule that begins: made of others, `took_in`), `same`, or one or more of these with `+`
        between: `moved` (another number), `changed` (another text), `renumbered` (only the numbers
        of cited rules changed, as the rules did), `sub-rules` (sub-rules were added, removed,
        changed, or moved otherwise than along with the rule). A change of typography alone is none.
        `not loaded` if only a part of the edition is loaded, and not the one where the rule would
        stand; the number is then that of the edition before, or of the first one that has the rule.
    text: the rule's text; None if it was removed or is not loaded.
    sub_rules: what happened to its sub-rules of all levels since the previous edition, in the order
        of their numbers: those that the kind `sub-rules` speaks of, and those whose citations were
        renumbered. Empty for `added` and `removed`.
    change: what happened to the rule itself, with the words that differ; None if it stayed the
        same, and for `added`, `removed` and `not loaded`.
    took_in: the numbers before of the rules that were merged into it, in the edition before.
    split_off: the numbers of the rules that were part of it in the edition before.
    """

    edition: str
    number: str
    kind: str
    text: str | None
    sub_rules: tuple[RuleChange, ...] = ()
    change: RuleChange | None = None
    took_in: tuple[str, ...] = ()
    split_off: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Origin:
    """A rule that another one was made of when that began: it was merged into it, or is what it was
    split from.

    became: the number of that rule at its beginning, in the edition `in_edition`.
    history: what it was before, an entry per edition, the oldest first.
    """

    became: str
    in_edition: str
    history: tuple[TraceEntry, ...]

    @property
    def events(self) -> tuple[TraceEntry, ...]:
        """The entries of its history that tell of more than that it stayed."""
        return tuple(each for each in self.history if each.kind not in _UNEVENTFUL)


@dataclass(frozen=True, slots=True, repr=False)
class Trace(ListResult[TraceEntry], items="history", item="entry"):
    """The history of one rule: an entry per edition, the oldest first, from the first one that has
    the rule, or has it perhaps, to the newest, or to the one that it was removed from.

    loaded: how much of each edition is loaded in the rule's language.
    also: other rules that had the same number in other editions, and the rule in other languages.
    origins: of a rule that begins as `merged` or `split` the rules that it was made of, and those
        that these were made of; the nearest first.
    """

    game: str
    lang: str
    history: tuple[TraceEntry, ...]
    loaded: tuple[LoadedEdition, ...] = ()
    also: tuple[LeftOut, ...] = ()
    origins: tuple[Origin, ...] = ()

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
        from graphs.picture.scene import Said
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
    direction until an edition lacks it. The first entry that has it is `first` or `added`.

    ref: a rule's number, name or id, or a term with one rule of its own. A number is that of the
        newest edition in which a rule has it, in the language in which most of all editions is
        loaded; `also` names what it means besides.
    scope: leaves out what the reference may mean.

    Raises QuestionError for an unknown edition, game or language, or if several games have such a
    rule; NotFoundError if nothing is called so.
    """
    games = loaded_rules(store, document_of_edition(scope.edition or ""))
    refuse_unknown_scope(games, scope.game, scope.lang)
    if scope.edition:
        edition = find_edition(store, games, scope.edition, scope.game)
        scope = replace(scope, edition=edition)
    candidates = find_rules(store, ref, scope)
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
    editions = loaded.editions_in(lang)
    history = _History(store, rule, editions)
    found = history.entries()
    also = [*_same_name(candidates, rule)]
    if not scope.edition and parse_number(ref) == rule.number:
        also += history.other_meanings()
    also += _other_languages(loaded, ref, scope, history.other_languages())
    also += _others_in_languages(candidates, rule)
    return Trace(
        loaded.game,
        lang,
        tuple(found),
        tuple(loaded.loaded(edition, lang) for edition in editions),
        tuple(also),
        tuple(_origins(store, history, found[0], editions)),
    )


def _origins(
    store: Store, history: _History, first: TraceEntry, editions: Sequence[str]
) -> Iterator[Origin]:
    """Yield what a rule that begins with an entry was made of, as `Trace.origins` has it."""
    seen: set[str] = set()
    waiting = [(history, first)]
    for of, entry in waiting:
        nodes = store.get(set(of.made_of()) - seen)
        seen |= nodes.keys()
        for node in sorted(nodes.values(), key=lambda node: number_key(node.number or "")):
            one = _History(store, node, editions)
            before = edition_key(entry.edition)
            entries = [each for each in one.entries() if edition_key(each.edition) < before]
            yield Origin(entry.number, entry.edition, tuple(entries))
            waiting.append((one, entries[0]))


def _completeness(loaded: LoadedRules, lang: str) -> tuple[float, int]:
    """Return how many editions are loaded in a language, of a part of an edition its share; and how
    many rules that are."""
    parts = [loaded.loaded(edition, lang) for edition in loaded.editions]
    return sum(one.share for one in parts), sum(one.rules for one in parts)


def _same_name(candidates: Iterable[Node], rule: Node) -> Iterator[LeftOut]:
    """Yield the rules of the same edition and language that a name means besides a rule, in the
    order of the candidates; those of its number are left out."""
    for other in candidates:
        is_beside = (other.edition, other.lang) == (rule.edition, rule.lang)
        if is_beside and other.number != rule.number:
            number = other.number or ""
            ask = Ask("trace", ref=number, game=other.game)
            yield LeftOut(other.id, Reason("another_rule_of_name", ask, number=number))


def _other_languages(
    loaded: LoadedRules, ref: str, scope: Scope, newest: Mapping[str, VersionRow]
) -> Iterator[LeftOut]:
    """Yield a rule in each of the other languages that it is in, with the question for it: by the
    number that was asked for, if it has that there.

    newest: {language: its newest version}."""
    for lang, row in sorted(newest.items()):
        parts = [loaded.loaded(edition, lang) for edition in loaded.editions_in(lang)]
        by_number = parse_number(ref) == row.number and scope.edition in (None, row.edition)
        ask = again(lang=lang) if by_number else Ask("trace", ref=row.id)
        yield LeftOut(row.id, Reason("in_language", ask, lang=lang, loaded=describe_loaded(parts)))


def _others_in_languages(candidates: Iterable[Node], rule: Node) -> Iterator[LeftOut]:
    """Yield what the reference names in other languages, the newest node in each, where that is
    another rule."""
    newest: dict[str, Node] = {}
    for node in sorted(candidates, key=lambda node: edition_key(node.edition)):
        if node.lang != rule.lang:
            newest[node.lang or ""] = node
    for node in newest.values():
        if node.rule != rule.rule:
            yield number_in_language(Ask("trace", ref=node.id), [node])


class _History:
    """The versions of a rule, as the build found them."""

    def __init__(self, store: Store, rule: Node, editions: Sequence[str]) -> None:
        """editions: those that are loaded in the rule's language, the oldest first."""
        self._store, self._rule, self._editions = store, rule, editions
        self._game, self._lang = rule.game or "", rule.lang or ""
        self._all = versions_of(store, [rule.id])
        self._versions = {row.edition: row for row in self._all if row.lang == self._lang}
        self._texts: dict[str, str] = {}

    def other_languages(self) -> dict[str, VersionRow]:
        """Return {another language: the newest version of the rule in it}; often empty."""
        found: dict[str, VersionRow] = {}
        for row in sorted(self._all, key=lambda row: edition_key(row.edition)):
            if row.lang != self._lang:
                found[row.lang] = row
        return found

    def entries(self) -> list[TraceEntry]:
        """Return an entry for each edition from the first one that has the rule, or has it perhaps,
        to the last one of which that is true, or to that which it is gone from."""
        known = [edition for edition in self._editions if edition in self._versions]
        first, last = self._versions[known[0]], self._versions[known[-1]]
        since = self._editions.index(first.absent_in) + 1 if first.absent_in else 0
        until = self._editions.index(last.gone_in) if last.gone_in else len(self._editions)
        sub_rules = _SubRules(self._store, self._game, self._lang, self._versions.values())
        ids = [row.id for row in self._versions.values()]
        self._texts, self._merged = texts_of(self._store, ids), merged_into(self._store, ids)
        self._split = split_from(self._store, ids)
        found: list[TraceEntry] = []
        number = first.number
        for edition in self._editions[since:until]:
            row = self._versions.get(edition)
            number = row.number if row else number
            if row is None:
                found.append(TraceEntry(edition, number, "not loaded", None))
            elif row is first:
                found.append(self._begun(row))
            else:
                found.append(self._entry(row, sub_rules))
        if last.gone and last.gone_in:
            found.append(self._gone(last, last.gone, last.gone_in))
        return found

    def _begun(self, first: VersionRow) -> TraceEntry:
        """Return the entry of the edition that a rule is first found in: of kind `first`, `split`,
        with the rule that it was part of, `merged`, with those that it was made of, or else
        `added`."""
        kind, text = first.change, self._texts[first.id]
        took_in = tuple(self._merged.get(first.id, {}).values())
        if kind == "split":
            after = RuleText(first.number, text)
            change = RuleChange("split", None, after, split_from=first.split_from_number)
            return TraceEntry(first.edition, first.number, kind, text, change=change)
        if kind != "first":
            kind = "merged" if took_in else "added"
        return TraceEntry(first.edition, first.number, kind, text, took_in=took_in)

    def made_of(self) -> Iterable[str]:
        """Return the ids of the rules that the first version was made of, in the edition before."""
        first = min(self._versions.values(), key=lambda row: edition_key(row.edition))
        return [first.split_from] if first.split_from else self._merged.get(first.id, {})

    def _entry(self, row: VersionRow, sub_rules: _SubRules) -> TraceEntry:
        """Return the entry of a version that is not the first: what became of the rule and its
        sub-rules since the version before; `same` if nothing did."""
        changes, is_changed = sub_rules.between(self._versions[row.before_edition or ""], row)
        own = told_change(row.change)
        kinds = (own, _WITH_SUB_RULES if is_changed else None)
        before = RuleText(row.before_number or "", self._texts[row.before or ""])
        after = RuleText(row.number, self._texts[row.id])
        return TraceEntry(
            row.edition,
            row.number,
            "+".join(filter(None, kinds)) or "same",
            after.text,
            tuple(changes),
            RuleChange(own, before, after) if own else None,
            tuple(self._merged.get(row.id, {}).values()),
            tuple(self._split.get(row.before or "", {}).values()),
        )

    def _gone(self, last: VersionRow, kind: str, edition: str) -> TraceEntry:
        """Return the entry of the edition that lacks a rule: with the number of the rule that it
        was merged into, or else its own last one. kind: `merged` or `removed`."""
        if kind == "merged":
            before = RuleText(last.number, self._texts[last.id])
            change = RuleChange("merged", before, None, into=last.merged_into_number)
            return TraceEntry(edition, last.merged_into_number or "", kind, None, change=change)
        return TraceEntry(edition, last.number, kind, None)

    def other_meanings(self) -> Iterator[LeftOut]:
        """Yield the other rules that had the rule's number, each as it is in the newest edition in
        which it had it, the newest rules first."""
        number = self._rule.number or ""
        rows = versions_with_number(self._store, self._game, self._lang, number, exactly=True)
        others: dict[str, list[VersionRow]] = {}
        for row in sorted(rows, key=lambda row: edition_key(row.edition), reverse=True):
            if row.edition in self._editions and self._versions.get(row.edition) != row:
                others.setdefault(row.rule, []).append(row)
        texts = texts_of(self._store, [versions[0].id for versions in others.values()])
        for newest, *older in others.values():
            words = first_words(texts[newest.id])
            editions = tuple(row.edition for row in reversed([newest, *older]))
            ask = again(edition=newest.edition)
            reason = Reason("another_rule_of_number", ask, editions=editions, words=words)
            yield LeftOut(newest.id, reason)


class _SubRules:
    """What became of the sub-rules of a rule, in the editions of its language."""

    def __init__(self, store: Store, game: str, lang: str, versions: Iterable[VersionRow]) -> None:
        self._store = store
        self._rows: dict[str, dict[str, VersionRow]] = defaultdict(dict)  # by edition and rule
        for number in {row.number for row in versions}:
            for row in versions_with_number(store, game, lang, number):
                self._rows[row.edition][row.rule] = row

    def between(self, before: VersionRow, after: VersionRow) -> tuple[list[RuleChange], bool]:
        """Return what became of the sub-rules from one version of a rule to the next, in the order
        of their numbers; and whether that is more than what came of rules having other numbers."""
        pairs = list(self._pairs(before, after))
        texts = texts_of(self._store, [row.id for pair in pairs for row in pair.rows])
        merged = merged_into(self._store, [pair.new.id for pair in pairs if pair.new])
        changes, is_changed = [], False
        for pair in sorted(pairs, key=_SubRulePair.place):
            old, new = (
                RuleText(row.number, texts[row.id]) if row else None for row in (pair.old, pair.new)
            )
            into = pair.old.merged_into_number if pair.old and pair.kind == "merged" else None
            origin = pair.new.split_from_number if pair.new else None
            took_in = tuple(merged.get(pair.new.id, {}).values()) if pair.new else ()
            kind = "merged" if took_in and pair.kind == "added" else pair.kind
            changes.append(RuleChange(kind, old, new, into, origin, took_in))
            is_changed |= not pair.along or pair.kind not in RENUMBERED
        return changes, is_changed

    def _pairs(self, before: VersionRow, after: VersionRow) -> Iterator[_SubRulePair]:
        """Yield the sub-rules of both versions of a rule, in no order, but for those that stayed
        the same or only moved along with it, and those of which nobody can say what became."""
        old, new = self._rows[before.edition], self._rows[after.edition]
        elsewhere = [row for rule, row in old.items() if rule not in new and not row.gone]
        for row in versions_of(self._store, [row.id for row in elsewhere]):
            if row.edition == after.edition and row.lang == after.lang:
                new = {**new, row.rule: row}
        came = [row for row in new.values() if row.before_edition == before.edition]
        came_from = {row.before: row for row in came}
        origins = {row.before for row in came} - {row.id for row in old.values()}
        for row in versions_of(self._store, filter(None, origins)):
            if row.id in origins:
                old = {**old, row.rule: row}
        for row in old.values():
            successor = came_from.get(row.id)
            was_below = row.id != before.id and is_under(row.number, before.number)
            is_below = (
                successor is not None
                and successor.id != after.id
                and is_under(successor.number, after.number)
            )
            if not (was_below or is_below):
                continue
            if successor:
                along = _place_under(row.number, before.number) == _place_under(
                    successor.number, after.number
                )
                kind = told_change(successor.change)
                if kind and not (along and kind == "moved"):
                    yield _SubRulePair(row, successor, kind, along)
            elif row.gone_in == after.edition and (kind := told_change(row.gone or "")):
                yield _SubRulePair(row, None, kind, False)
        for row in new.values():
            is_new = row.change in ("added", "split") and row.absent_in == before.edition
            if is_new and row.id != after.id and is_under(row.number, after.number):
                yield _SubRulePair(None, row, told_change(row.change) or "added", False)


class _SubRulePair(NamedTuple):
    """A sub-rule in two editions; what happened to it; whether it has the same place under the
    rule."""

    old: VersionRow | None
    new: VersionRow | None
    kind: RuleChangeKind
    along: bool

    @property
    def rows(self) -> list[VersionRow]:
        return [row for row in (self.old, self.new) if row]

    def place(self) -> tuple[Key, bool]:
        """Return the place in the order of the numbers; one that is gone is at its old number."""
        return number_key(self.rows[-1].number), self.new is not None


def _place_under(number: str | None, above: str) -> Key | None:
    """Return what follows in the key of a rule's number after that of the rule above it; None if
    there is no number."""
    return number_key(number)[len(number_key(above)) :] if number else None


# -- what is not sure ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class UnsureMatch:
    """Two versions of a rule that a build took for one, without being sure.

    game, lang: of both. before, after: the ids of the rule by the older and the newer version, such
        as `mtg/rule/701.15@20231117/en`, as a file of corrections names them.
    before_text, after_text: their texts.
    change: what happened, if they are one rule.
    grounds: by what they were matched: `neighbours`, `similar text`, `far text`…
    sure: how sure that is, from 0 to 1.
    """

    game: str
    lang: str
    before: str
    after: str
    before_text: str
    after_text: str
    change: str
    grounds: str
    sure: float


@dataclass(frozen=True, slots=True, repr=False)
class UnsureMatches(ListResult[UnsureMatch], items="matches", item="match"):
    """What a build is not sure of, the least sure first. total: how many there are in all."""

    matches: tuple[UnsureMatch, ...]
    total: int

    _COLUMNS = columns("sure grounds change before after before_text after_text")


def unsure_matches(store: Store, most: int, scope: Scope) -> UnsureMatches:
    """Return the matches of versions that a build is not sure of, the least sure first.

    most: at most how many are returned. scope: only those of a game, of a language, and whose newer
        version is of an edition.
    """
    rows = unsure_versions(store, _SURE, scope.game, scope.edition, scope.lang)
    found = tuple(UnsureMatch(*row) for row in rows)
    return UnsureMatches(found[:most], len(found))
