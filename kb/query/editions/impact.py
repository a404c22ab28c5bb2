"""Says what a newer edition of the rules touches in a knowledge base: pages, rulings, terms."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

from graphs.model import Evidence, Node
from graphs.sort_orders import edition_key
from graphs.store.reader import Store
from graphs.store.rule_versions import (
    StatementOnRule,
    glossary_of,
    rules_of,
    statements_on_rules,
    versions_of,
)
from kb.errors import QuestionError
from kb.language.sentences import sentences
from kb.query.editions.diff import Diff, diff, not_loaded_rules
from kb.query.editions.edition_choice import list_editions
from kb.query.lookup.common_filters import EVERYTHING, Scope
from kb.query.lookup.cursor import longer_list
from kb.reason import LeftOut, Reason, again
from kb.result import ListResult, columns, reported
from kb.rules.alignment import is_under
from kb.rules.change_kind_names import RENUMBERED, SAME_TEXT, ImpactKind
from kb.rules.changes import RuleChange, RuleText
from kb.rules.loaded_editions import LoadedRules, loaded_rules, refuse_unknown_scope
from scraper.rulebook.documents_beside_rulebook import document_of_edition
from scraper.rulebook.numbering import looks_like_heading, parent_number

_RULEBOOK = "rulebook"  # the source of rulebooks
_LATEST = "latest"  # the edition of a citation that names none
# Where the number alone shows that the rule is another one, or none.
_GONE = frozenset(("removed", "merged"))
# Words for whoever plays, by hand: one for another leaves the sense as it was. Few words do.
_PERSONS = frozenset(("person", "persons", "people", "player", "players"))


@dataclass(frozen=True, slots=True)
class Touched:
    """Something that a newer edition touches.

    node: the id of what says it: a page's passage, a quoted rule, or a term.
    evidence: its words. sentence: that they stand in, for reading.
    rule: the id of the rule that it speaks of, as `show` takes it; None for an entry of a glossary.
    change: what became of that rule or entry: a kind of change, as `diff` says it.
    before, after: its number (or headword) and text in the older edition and in the newer one; None
        in the one that lacks it.
    kind: what may be wrong now: `number` (the rule, or one that the words cite, has another number
        now or is gone), `words` (the words that are given are others now, or the rule that is cited
        has another word for players), `sense` (the rule that is cited says something else now).
    spans: (start, end, start, end) of the words that differ in both texts.
    into: the number of the rule that a merged one is in now.
    """

    node: str
    evidence: Evidence
    sentence: str
    rule: str | None
    change: str
    before: RuleText | None
    after: RuleText | None
    kind: ImpactKind
    spans: tuple[tuple[int, int, int, int], ...] = ()
    into: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Impact(ListResult[Touched], items="touched", item="statement"):
    """What a newer edition touches.

    game, before, after, lang: the editions that were compared, and the language of their rules.
    touched: the statements, by page, in the order of the page; terms last.
    counts: {kind: how many}, of all that were found.
    pages: {page: how many of its statements}, the most first, then by id.
    checked: how many statements were looked at.
    unchecked: how many could not be held against the rules, as these are not loaded there.
    total: how many were found; `more` says how to list them all.
    also: what was left out, and how to get it.
    """

    game: str
    before: str
    after: str
    lang: str
    touched: tuple[Touched, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
    pages: Mapping[str, int] = field(default_factory=dict)
    checked: int = 0
    total: int = 0
    unchecked: int = 0
    more: Reason | None = None
    also: tuple[LeftOut, ...] = ()

    _COLUMNS = columns(
        "page=evidence.page node kind change number_before=before.number number_after=after.number "
        "words=evidence.text sentence text_before=before.text text_after=after.text "
        "passage=evidence.passage"
    )

    @reported
    def untouched(self) -> int:
        """How many of the statements looked at are as right as before."""
        return self.checked - self.total


def impact(
    store: Store,
    after: str | None,
    before: str | None = None,
    scope: Scope = EVERYTHING,
    kinds: Sequence[str] = (),
    most: int = 1_000,
) -> Impact:
    """Return what a newer edition touches, among what is loaded.

    after, before: the editions; None for the newest, and the one before it that is loaded in a
        language in common.
    scope: its game and language are those of the rules; its source that of the pages.
    kinds: only these of `ImpactKind`. most: at most how many are listed.

    A statement is held against the rule as it was when it was made: in the edition that it names,
    if that is newer than `before`, else in `before`. What names `after` or a newer one is not
    looked at, and what stands beside the heading that its number has in `after`, and not beside the
    one of before, has been mended already. Raises QuestionError if an edition is not there, or
    there is only one.
    """
    games = loaded_rules(store, document_of_edition(after or ""))
    refuse_unknown_scope(games, scope.game, scope.lang)
    if after is None or before is None:
        after, before = newest_two(games, scope, after)
    steps = _Steps(store, scope, after, before)
    first = steps.first
    statements = [
        one
        for one in statements_on_rules(store, first.game, _RULEBOOK)
        if scope.source is None or _source(one.page) == scope.source
    ]
    older = [(one, edition) for one in statements if (edition := steps.edition_of(one))]
    rules = rules_of(store, (one.target for one, _ in older))
    numbers = _Numbers(store, first.lang, rules)
    headings = _Headings(store, first.game, first.after)
    held = [
        (one, edition, number)
        for one, edition in older
        if (number := numbers.of(one, edition)) is not None
    ]
    unknown = Counter(edition_in(one.wanted) for one, edition in older)
    unknown.subtract(edition_in(one.wanted) for one, _, _ in held)
    found = [
        touched
        for one, edition, number in held
        if (change := steps.changes(edition).get(number))
        if not headings.are_of_newer(one, number, edition)
        for touched in _touched(one, change, rules.get(one.target))
    ]
    entries = [] if scope.source else list(_glossary(store, first))
    found += entries
    wanted = [one for one in found if not kinds or one.kind in kinds]
    pages = Counter(one.evidence.page for one in wanted)
    return Impact(
        first.game,
        first.before,
        first.after,
        first.lang,
        tuple(wanted[:most]),
        {kind: n for kind in get_args(ImpactKind) if (n := _count(wanted, kind))},
        dict(sorted(pages.items(), key=lambda item: (-item[1], item[0]))),
        len(held) + len(entries),
        len(wanted),
        sum((+unknown).values()),
        longer_list(2 * most, most, 100_000) if len(wanted) > most else None,
        tuple(_left_out(len(statements) - len(older), unknown, first)),
    )


def _count(found: Iterable[Touched], kind: str) -> int:
    return sum(one.kind == kind for one in found)


def _source(page: str) -> str:
    return page.partition("/")[0]


def _left_out(newer: int, unknown: Counter[str], first: Diff) -> Iterator[LeftOut]:
    """Yield what was not looked at: statements made for the newer edition; those on rules that are
    not known in the language of the comparison, {edition that they name: how many}; and the
    languages in which the editions could be compared, too."""
    if unknown.total():  # the way on first: another language may have the editions whole
        yield from first.also
    if newer:
        yield LeftOut(None, Reason("impact_newer", count=newer, edition=first.after))
    for edition, count in sorted((+unknown).items()):
        yield LeftOut(None, Reason("impact_unknown", count=count, edition=edition))
    yield from not_loaded_rules(first)
    if not unknown.total():
        yield from first.also


def newest_two(
    games: Mapping[str, LoadedRules], scope: Scope, after: str | None
) -> tuple[str, str]:
    """Return the editions (after, before) that are meant: the newest one, and the nearest older one
    that is loaded as fully in a language that both have."""
    fitting = [
        loaded
        for game, loaded in games.items()
        if scope.game in (None, game) and len(loaded.editions) > 1
    ]
    if after is not None:
        fitting = [loaded for loaded in fitting if after in loaded.editions]
    if len(fitting) > 1:
        choices = tuple(again(game=loaded.game) for loaded in fitting)
        raise QuestionError("editions_of_several_games", choices=choices)
    if not fitting:
        raise QuestionError("one_edition_only", there_are=list_editions(games.values()))
    [loaded] = fitting
    order = sorted(loaded.editions, key=edition_key)
    pairs = [
        (newer, older)
        for newer in ([after] if after else order[::-1])
        for older in order[: order.index(newer)][::-1]
        if _share(loaded, newer, older, scope.lang) >= _WHOLE
    ]
    newest = order.index(after) if after else -1
    return pairs[0] if pairs else (order[newest], order[newest - 1])


_WHOLE = 0.5  # of the rules: by hand; of a smaller part most changes can't be told


def _share(loaded: LoadedRules, one: str, other: str, lang: str | None) -> float:
    """Return how much of the less complete of two editions is loaded, in the language in which that
    is most; 0 if they have none in common."""
    langs = set(loaded.langs(one)) & set(loaded.langs(other))
    shares = [
        min(loaded.loaded(edition, each).share for edition in (one, other))
        for each in langs
        if lang in (None, each)
    ]
    return max(shares, default=0.0)


class _Steps:
    """What became of the rules of each edition until the newer one."""

    def __init__(self, store: Store, scope: Scope, after: str, before: str) -> None:
        self._store = store
        self.first = diff(store, before, after, Scope(game=scope.game, lang=scope.lang))
        if edition_key(self.first.before) >= edition_key(self.first.after):
            raise QuestionError("impact_order", before=self.first.before, after=self.first.after)
        self._scope = Scope(game=self.first.game, lang=self.first.lang)
        self._changes: dict[str, dict[str, RuleChange]] = {}
        self._editions = sorted(
            {
                edition
                for game, edition, lang in store.editions()
                if (game, lang) == (self.first.game, self.first.lang)
                and edition_key(self.first.before) <= edition_key(edition)
                and edition_key(edition) < edition_key(self.first.after)
            },
            key=edition_key,
        )

    def edition_of(self, statement: StatementOnRule) -> str | None:
        """Return the loaded edition that a statement is held against; None if it means the newer
        edition, or one after it."""
        named = edition_in(statement.wanted)
        if named == _LATEST or edition_key(named) <= edition_key(self.first.before):
            return self.first.before
        if edition_key(named) >= edition_key(self.first.after):
            return None
        return [one for one in self._editions if edition_key(one) <= edition_key(named)][-1]

    def changes(self, edition: str) -> Mapping[str, RuleChange]:
        """Return {number in an edition: what became of that rule}, without those that stayed as
        they were."""
        if edition not in self._changes:
            found = (
                self.first
                if edition == self.first.before
                else diff(self._store, edition, self.first.after, self._scope)
            )
            self._changes[edition] = {
                change.before.number: change for change in found.changes if change.before
            }
        return self._changes[edition]


def edition_in(rule: str) -> str:
    """Return the edition in the id of a rule's version: `mtg/cr/20231117/ja/401.5`."""
    return rule.split("/")[2]


class RuleFates:
    """What became of the rules of one edition until another, newer one."""

    def __init__(self, store: Store, game: str, before: str, after: str) -> None:
        """before, after: two editions that are loaded. Raises QuestionError if they are in no
        language in common."""
        self._store = store
        found = diff(store, before, after, Scope(game=game))
        self._lang, self._before, self._after = found.lang, found.before, found.after
        self._changes = {change.before.number: change for change in found.changes if change.before}
        self._known: dict[str, RuleChange | None] = {}
        self._whole: dict[str, bool] = {}

    def of(self, version: str) -> RuleChange | None:
        """Return what became of a rule, given by the id of any of its versions; None if it stayed
        as it was, and for what has no version in the older edition."""
        if version not in self._known:
            number = next(
                (
                    row.number
                    for row in versions_of(self._store, [version])
                    if (row.edition, row.lang) == (self._before, self._lang)
                ),
                "",
            )
            self._known[version] = self._changes.get(number)
        return self._known[version]

    def of_rule(self, rule: Node) -> RuleChange | None:
        """Return what became of a rule, as `of` does, fast if it is of the older edition."""
        if (rule.edition, rule.lang) == (self._before, self._lang):
            return self._changes.get(rule.number or "")
        return self.of(rule.id)

    def has_moved_whole(self, change: RuleChange) -> bool:
        """Return whether a rule has the same words under its new number, and all its sub-rules
        have moved with it, to the same numbers below it."""
        before, after = change.before, change.after
        if not before or not after or change.kind not in ("moved", "moved+renumbered"):
            return False
        if before.number not in self._whole:
            self._whole[before.number] = all(
                one.after is not None
                and one.after.number == after.number + number.removeprefix(before.number)
                for number, one in self._changes.items()
                if number != before.number and is_under(number, before.number)
            )
        return self._whole[before.number]


class _Headings:
    """The headings that numbers stand under in editions of a game, in all languages."""

    def __init__(self, store: Store, game: str, after: str) -> None:
        self._store, self._game, self._after = store, game, after
        self._known: dict[str, dict[str, set[str]]] = {}

    def are_of_newer(self, statement: StatementOnRule, number: str, edition: str) -> bool:
        """Return whether a citation that names no edition stands in a sentence, or on a page, that
        has the heading of its number in the newer edition, and not that of an older one."""
        if statement.kind != "cites" or edition_in(statement.wanted) != _LATEST:
            return False
        said = f"{statement.page} {sentence_around(statement)}".casefold()
        old, new = (self._above(number, each) for each in (edition, self._after))
        return any(one in said for one in new - old) and not any(one in said for one in old - new)

    def _above(self, number: str, edition: str) -> set[str]:
        """Return the nearest headings that a number stands under, or has."""
        above: str | None = number
        while above and above not in self._of(edition):
            above = parent_number(above)
        return self._of(edition).get(above or "", set())

    def _of(self, edition: str) -> dict[str, set[str]]:
        """Return {number: its headings, in small letters} of an edition."""
        if edition not in self._known:
            found: dict[str, set[str]] = defaultdict(set)
            langs = {
                lang
                for game, each, lang in self._store.editions()
                if (game, each) == (self._game, edition)
            }
            for lang in sorted(langs):
                for rule in self._store.rules(self._game, edition, lang):
                    if rule.number and rule.label and looks_like_heading(rule.label):
                        found[rule.number].add(rule.label.casefold())
            self._known[edition] = found
        return self._known[edition]


class _Numbers:
    """The numbers of rules in editions of one language."""

    def __init__(self, store: Store, lang: str, rules: Mapping[str, str]) -> None:
        """rules: {id of a version: id of its rule's newest version}."""
        self._rules = rules
        self._of_rule: dict[str, dict[str, str]] = defaultdict(dict)
        for version in versions_of(store, rules):
            if version.lang == lang:
                self._of_rule[version.rule][version.edition] = version.number

    def of(self, statement: StatementOnRule, edition: str) -> str | None:
        """Return the number in an edition of the rule that a statement means: the one that it says
        if it names no edition, else that which the rule has there; None without one."""
        if statement.kind == "cites" and edition_in(statement.wanted) == _LATEST:
            return statement.wanted.rpartition("/")[2]
        return self._of_rule[self._rules.get(statement.target, "")].get(edition)


def _touched(statement: StatementOnRule, change: RuleChange, rule: str | None) -> Iterator[Touched]:
    """Yield a statement if a change touches it: a citation by the rule's number or what it says, a
    quotation by its words or its number."""
    number = change.before.number if change.before else ""
    has_moved = change.kind in _GONE or bool(change.after and change.after.number != number)
    has_words = change.kind not in SAME_TEXT
    kind: ImpactKind
    if statement.kind == "quotes":
        kind = "words" if has_words and change.kind not in RENUMBERED else "number"
    elif has_moved:
        kind = "number"
    else:
        kind = "words" if _is_wording_alone(change) else "sense"
        has_words = has_words and change.kind not in RENUMBERED
    if not has_moved and not has_words:
        return
    words = statement.text[statement.start : statement.end]
    yield Touched(
        statement.source,
        Evidence(statement.page, statement.passage, statement.start, statement.end, words),
        sentence_around(statement),
        rule,
        change.kind,
        change.before,
        change.after,
        kind,
        change.spans,
        change.into,
    )


def _is_wording_alone(change: RuleChange) -> bool:
    """Whether all that differs in a rule is which word it has for players."""
    before, after = change.before, change.after
    return bool(before and after and change.spans) and all(
        {before.text[a:b].lower(), after.text[c:d].lower()} <= _PERSONS
        for a, b, c, d in change.spans
        if before and after
    )


def sentence_around(statement: StatementOnRule) -> str:
    """Return the sentences of the passage that a statement's words are in; all that it gives of a
    rule's words."""
    text, start, end = statement.text, statement.start, statement.end
    around = [
        span for span in sentences(text, None) if span[0] < max(end, start + 1) and span[1] > start
    ]
    return text[around[0][0] : around[-1][1]].strip() if around else text[start:end]


def _glossary(store: Store, first: Diff) -> Iterator[Touched]:
    """Yield the terms whose entry in the glossary is another one now, in the glossary's order."""
    changes = {
        change.before.number: change
        for change in first.glossary or ()
        if change.before and change.kind not in SAME_TEXT
    }
    seen: set[str] = set()
    book = _RULEBOOK, first.game, first.before, first.lang
    for term, headword, text, passage in glossary_of(store, *book) if changes else ():
        change = changes.get(headword)
        if change is None or term in seen:
            continue
        seen.add(term)
        page = passage.partition("#")[0]
        yield Touched(
            term,
            Evidence(page, passage, 0, len(text), text),
            text,
            None,
            change.kind,
            change.before,
            change.after,
            "number" if change.kind in RENUMBERED else "words",
            change.spans,
            change.into,
        )
