"""Compares two editions of a rulebook: which rules were added, removed, moved, changed…"""

from __future__ import annotations

from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import filterfalse
from typing import get_args

from graphs.model import Node
from graphs.sort_orders import edition_key
from graphs.store.passage_index import PassageFilter
from graphs.store.reader import Store
from graphs.store.rule_versions import glossary_of, matched_numbers, steps_between, versions_of
from kb.errors import NotFoundError
from kb.language.citations.rule_numbers import rule_id
from kb.language.fold import fold
from kb.query.editions.edition_choice import choose_book, find_edition
from kb.query.lookup.common_filters import Scope
from kb.query.lookup.find_by_reference import find_named, near_names, normalize_rule_number
from kb.reason import LeftOut, Reason
from kb.result import ListResult, columns, reported
from kb.rules.alignment import is_under
from kb.rules.change_kind_names import RuleChangeKind, stored_change
from kb.rules.changes import (
    EditionComparison,
    KnownMatches,
    NumberPair,
    RuleChange,
    RuleText,
)
from kb.rules.loaded_editions import (
    LoadedEdition,
    LoadedRules,
    loaded_rules,
    refuse_unknown_scope,
)
from kb.rules.similarity import folded, mask_numbers
from scraper.rulebook.documents_beside_rulebook import document_of_edition
from scraper.rulebook.numbering import looks_like_heading, number_key, parent_number

_KINDS: tuple[str, ...] = get_args(RuleChangeKind)
# What may name another rule: a translation tells it, too, of a rule that seems removed or added.
_BETWEEN_RULES = frozenset(("merged", "split", "removed", "added"))
_WITH_RECORDED_MENTIONS = "ja"  # in texts of other languages names are not looked for by a build


@dataclass(frozen=True, slots=True)
class ChangeFilters:
    """Which changes `diff` lists. Empty fields and False leave none out.

    under: only these rules, by their numbers in either edition as a person writes them, and their
        sub-rules.
    kinds: only changes of these kinds of `ListedChangeKind`; with `merged` also those of the rules
        that others were merged into.
    words: only rules and glossary entries whose text in either edition has these words; of rules in
        any inflection or spelling, and in their examples, too.
    mentions: only rules that mention these terms or cards in either edition; all of them.
    typographic, examples: list also the rules that differ only so.
    """

    under: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    words: str = ""
    mentions: tuple[str, ...] = ()
    typographic: bool = False
    examples: bool = False

    @property
    def are_of_rules(self) -> bool:
        """Whether they choose what only rules have (`under` or `mentions`), so that the glossary is
        not asked for."""
        return bool(self.under or self.mentions)


@dataclass(frozen=True, slots=True)
class SectionChanges:
    """How many rules of a section changed.

    number, heading: of the section, in the edition after if it is there; the heading is "" if the
        edition gives none.
    counts: {kind of change: how many rules}, without kinds that do not occur.
    """

    number: str
    heading: str
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True, repr=False)
class Diff(ListResult[RuleChange], items="changes", item="change"):
    """The differences between two editions of a rulebook.

    before, after: the two editions.
    changes: the rules that are not the same, in the order of their numbers.
    same: how many rules stayed the same, number and text; only of those that were asked for.
    typographic: how many rules have the same number, and texts that differ only in quotation
        marks, dashes, width or spaces. They count as the same unless they are in `changes`.
    examples: how many rules have the same number and text, but other examples. They count as the
        same unless they are in `changes`.
    sections: how many of the changes there are in each section that has some, in order.
    filtered_out: {kind: how many changes were left out, as they are not what was asked for}.
    not_loaded: {edition: how many rules of the other edition may be in it or not: it has no such
        rule, but what would stand around it is not loaded either}. They are in no other number.
    loaded: how much of each edition is loaded: in `lang`, then in the other languages.
    glossary: the entries of the glossary that are not the same but for typography, in the order of
        their headwords, which stand for the numbers; None if a part of the rules was asked for, or
        if one of the editions has no glossary.
    also: the other languages in which the editions can be compared, and have what was asked for.
    """

    game: str
    lang: str
    before: str
    after: str
    changes: tuple[RuleChange, ...]
    same: int
    typographic: int = 0
    examples: int = 0
    sections: tuple[SectionChanges, ...] = ()
    filtered_out: Mapping[str, int] = field(default_factory=dict)
    not_loaded: Mapping[str, int] = field(default_factory=dict)
    loaded: tuple[LoadedEdition, ...] = ()
    glossary: tuple[RuleChange, ...] | None = None
    also: tuple[LeftOut, ...] = ()

    _COLUMNS = columns(
        "kind number_before=before.number number_after=after.number text_before=before.text "
        "text_after=after.text"
    )

    @reported
    def counts(self) -> dict[str, int]:
        """How many rules there are of each kind of change that occurs, in the order of
        `RuleChangeKind`; of `typographic` always, and of `examples` whether listed or not."""
        return _count_kinds(self.changes) | {
            "typographic": self.typographic,
            **({"examples": self.examples} if self.examples else {}),
        }

    @property
    def new_headings(self) -> tuple[RuleText, ...]:
        """What was added as the heading of rules that were added, too, or merged from others, in
        order."""
        new = [change.after for change in self.changes if change.after and not change.before]
        above = {parent_number(rule.number) for rule in new}
        return tuple(rule for rule in new if rule.number in above and looks_like_heading(rule.text))

    def _about(self) -> str:
        return f"of {self.before} and {self.after} ({self.game}, {self.lang})"


def diff(
    store: Store, before: str, after: str, scope: Scope, filters: ChangeFilters = ChangeFilters()
) -> Diff:
    """Return the differences between two editions of a rulebook.

    before, after: the editions as a person writes them (see `find_edition`); neither has to
        be the older one.
    scope: its game and language, by default that in which both editions are most complete; its
        edition and source are ignored.
    filters: which of the changes are listed.

    Raises QuestionError if an edition is not there, if a number of a rule is none, or if several
    games have both editions; NotFoundError if neither edition has a rule, or
    nothing is called as what is to be mentioned.
    """
    games = loaded_rules(store, document_of_edition(before))
    refuse_unknown_scope(games, scope.game, scope.lang)
    before, after = (find_edition(store, games, given, scope.game) for given in (before, after))

    def has_any(rules: LoadedRules, lang: str) -> bool:
        return _has_subject(store, rules.game, (before, after), lang, filters)

    book = choose_book(games, (before, after), scope.game, scope.lang, filters.under, has_any)
    compared = _Compared(store, games[book.game], book.lang, before, after)
    pairs, others = compared.split_by_subject(compared.pairs_under(filters.under), filters)
    listed, left_out = compared.list_changes(pairs, filters)
    left_out.update(filter(None, (compared.listed_kind(pair, filters) for pair in others)))
    kinds = compared.kinds
    not_loaded = Counter(
        after if pair[1] is None else before for pair in pairs if kinds[pair] == "not loaded"
    )
    return Diff(
        game=book.game,
        lang=book.lang,
        before=before,
        after=after,
        changes=tuple(listed),
        same=sum(compared.listed_kind(pair, filters) is None for pair in pairs)
        - not_loaded.total(),
        typographic=sum(kinds[pair] == "typographic" for pair in pairs),
        examples=sum(pair in compared.other_examples for pair in pairs),
        sections=tuple(
            SectionChanges(number, heading, _count_kinds(several))
            for (number, heading), several in changes_by_section(
                listed, compared.old_texts, compared.new_texts
            ).items()
        ),
        filtered_out={kind: left_out[kind] for kind in _KINDS if left_out[kind]},
        not_loaded=dict(not_loaded),
        loaded=book.loaded,
        glossary=None
        if filters.are_of_rules
        else _glossary_changes(store, book.game, book.lang, before, after, filters.words),
        also=book.also,
    )


def _glossary_changes(
    store: Store, game: str, lang: str, before: str, after: str, words: str
) -> tuple[RuleChange, ...] | None:
    """Return which entries of a glossary two editions do not have in common, but for typography, in
    the order of their headwords; None if one of them has no glossary. An entry of which only the
    numbers of rules changed is `renumbered`.

    words: only entries that have all of these, as parts of words, too, in one of the editions;
        empty for all.
    """
    books = [glossary_texts(store, game, lang, edition) for edition in (before, after)]
    if not all(books):
        return None
    old, new = (_by_headword(book.values()) for book in books)
    changes = []
    for head in old.keys() | new.keys():
        for was, now in _paired(old.get(head, []), new.get(head, [])):
            if not (was and now):
                changes.append(RuleChange("removed" if was else "added", was, now))
            elif folded(was.text) != folded(now.text):
                texts = [mask_numbers(folded(entry.text)) for entry in (was, now)]
                kind: RuleChangeKind = "renumbered" if texts[0] == texts[1] else "changed"
                changes.append(RuleChange(kind, was, now))
    wanted = folded(words).split()
    return tuple(
        sorted((change for change in changes if _has_words(change, wanted)), key=_headword)
    )


def _by_headword(entries: Iterable[RuleText]) -> dict[str, list[RuleText]]:
    """Return {headword, but for typography: the entries that have it, in their order}."""
    found: dict[str, list[RuleText]] = defaultdict(list)
    for entry in entries:
        found[folded(entry.number)].append(entry)
    return found


def _paired(
    old: Sequence[RuleText], new: Sequence[RuleText]
) -> Iterator[tuple[RuleText | None, RuleText | None]]:
    """Yield the entries of one headword in two editions, those together that are most alike, the
    most alike first: a word may have an entry for each of its senses. Then come those that are left
    with None in place of the other; one entry on each side is a pair however little is alike."""
    if len(old) == len(new) == 1:
        yield old[0], new[0]
        return
    from rapidfuzz import fuzz

    alike = sorted(
        (
            (-fuzz.ratio(was.text, now.text), n, m)
            for n, was in enumerate(old)
            for m, now in enumerate(new)
        )
    )
    left, right = set(range(len(old))), set(range(len(new)))
    for _, n, m in alike:
        if n in left and m in right:
            left.remove(n)
            right.remove(m)
            yield old[n], new[m]
    yield from ((old[n], None) for n in sorted(left))
    yield from ((None, new[m]) for m in sorted(right))


def _has_words(change: RuleChange, words: Sequence[str]) -> bool:
    """Whether an entry has all of some words, which are folded, before or after its change."""
    entries = filter(None, (change.before, change.after))
    texts = [folded(f"{entry.number} {entry.text}") for entry in entries]
    return any(all(word in text for word in words) for text in texts)


def _headword(change: RuleChange) -> str:
    entry = change.after or change.before
    return entry.number.casefold() if entry else ""


def not_loaded_rules(found: Diff) -> Iterator[LeftOut]:
    """Yield for each edition how many rules of the other one can't be looked up in it, as it is
    loaded in part; nothing if both are whole."""
    of = {one.edition: one for one in found.loaded if one.lang == found.lang}
    for edition, count in found.not_loaded.items():
        other = found.before if edition == found.after else found.after
        rules, whole = of[edition].rules, of[edition].of
        values = {"count": count, "other": other, "edition": edition, "rules": rules, "of": whole}
        yield LeftOut(None, Reason("changes_not_loaded", None, **values))


def glossary_texts(store: Store, game: str, lang: str, edition: str) -> dict[str, RuleText]:
    """Return {id of a term: its headword and text} of the glossary of an edition; several texts of
    a term are joined with line breaks under the first headword. Empty if it has no glossary."""
    found: dict[str, RuleText] = {}
    for term, headword, text, _ in glossary_of(store, "rulebook", game, edition, lang):
        known = found.get(term)
        found[term] = (
            RuleText(known.number, f"{known.text}\n{text}") if known else RuleText(headword, text)
        )
    return found


class _Compared:
    """Two editions of a rulebook in one language, with the kind of change of each rule.

    kinds: {(number before, number after): what happened to the rule}, of all rules.
    other_examples: the rules that differ only in their examples.
    """

    def __init__(
        self, store: Store, rules: LoadedRules, lang: str, before: str, after: str
    ) -> None:
        self._store = store
        self._old = store.rules(rules.game, before, lang)
        self._new = store.rules(rules.game, after, lang)
        self.old_texts, self.new_texts = texts_by_number(self._old), texts_by_number(self._new)
        self.editions = (before, after)
        self._scope = Scope(game=rules.game, lang=lang, edition=after)
        known = known_matches(
            store, rules.game, lang, before, after, (self.old_texts, self.new_texts)
        )
        old_gaps, new_gaps = (rules.gaps(edition, lang) for edition in (before, after))
        self._compared = EditionComparison(
            self.old_texts, self.new_texts, old_gaps, new_gaps, known
        )
        self._old_examples, self._new_examples = map(_examples, (self._old, self._new))
        self._with_examples = EditionComparison(
            {number: "\n".join(own) for number, own in self._old_examples.items()},
            {number: "\n".join(own) for number, own in self._new_examples.items()},
        )
        steps = steps_between(store, rules.game, lang, before, after)
        if steps is None:
            self.kinds = {pair: self._compared.kind(*pair) for pair in self._compared.pairs()}
            self.other_examples = {
                pair
                for pair, kind in self.kinds.items()
                if kind in (None, "typographic") and self._with_examples.differ(*pair)
            }
        else:
            changes = {(step.before, step.after): step.change for step in steps}
            self.other_examples = {pair for pair, change in changes.items() if change == "examples"}
            # A third book, such as that of another language, may have joined what these two
            # alone did not show to be one rule.
            self.kinds = {
                pair: self._compared.kind(*pair)
                if changes.get(pair, "examples") in (*_BETWEEN_RULES, "examples")
                else stored_change(changes[pair])
                for pair in self._compared.pairs()
            }

    def pairs_under(self, numbers: Sequence[str]) -> list[NumberPair]:
        """Return the rules of some numbers in either edition and their sub-rules, each once, in the
        order of the book; all if there are no numbers. Raises NotFoundError if neither edition has
        one of the rules, and QuestionError for what is no number."""
        if not numbers:
            return list(self.kinds)
        wanted: dict[NumberPair, None] = {}
        for given in numbers:
            number = normalize_rule_number(given)
            under = self._pairs_under(number)
            if not under:
                before, after = self.editions
                raise NotFoundError(
                    "in_neither_edition",
                    near=near_names(self._store, number, self._scope),
                    before=before,
                    after=after,
                    rule=number,
                    book=tuple(filter(None, [self._scope.game, self._scope.lang])),
                )
            wanted.update(dict.fromkeys(under))
        return [pair for pair in self.kinds if pair in wanted]

    def _pairs_under(self, number: str) -> list[NumberPair]:
        """Return the rules that have a number in either edition, with what is below them in both:
        what was added there since, and what was removed; of a heading that is numbered as its rules
        are (`104 Setup`, `106 A player takes…`) these. Of a rule that heads no section also what
        was merged into it: a section's changes are as many as are counted. Empty if neither has
        it."""
        here = {number}, {number}
        for before, after in self.kinds:
            if before and after and number in (before, after):
                here[0].add(before)
                here[1].add(after)
        headings = _Headings(self.old_texts), _Headings(self.new_texts)
        is_section = any(each.above(number)[0] == number for each in headings)
        merged = {} if is_section else self._compared.merged
        ends = {
            (before, after): (before, after or (before and merged.get(before)))
            for before, after in self.kinds
        }
        return [
            pair
            for pair, numbers in ends.items()
            if any(
                one
                and (
                    of_section.above(one)[0] in of_edition
                    or any(is_under(one, above) for above in of_edition)
                )
                for one, of_edition, of_section in zip(numbers, here, headings, strict=True)
            )
        ]

    def list_changes(
        self, pairs: Iterable[NumberPair], filters: ChangeFilters
    ) -> tuple[list[RuleChange], Counter[str]]:
        """Return the changes of some rules that are of the kinds asked for, in their order, and how
        many others there are of each kind; of no kinds asked for, all changes. What counts as the
        same is in neither."""
        listed: list[RuleChange] = []
        left_out: Counter[str] = Counter()
        for pair in pairs:
            kind = self.listed_kind(pair, filters)
            if kind is None:
                continue
            takes_in = "merged" in filters.kinds and pair[1] in self._compared.took_in
            if filters.kinds and kind not in filters.kinds and not takes_in:
                left_out[kind] += 1
                continue
            if kind == "examples":
                listed.append(self._with_examples.change(pair, kind))
            else:
                change = self._compared.change(pair, kind)
                before, after = change.before, change.after
                if before:
                    before = replace(before, examples=self._old_examples[before.number])
                if after:
                    after = replace(after, examples=self._new_examples[after.number])
                listed.append(replace(change, before=before, after=after))
        return listed, left_out

    def listed_kind(self, pair: NumberPair, filters: ChangeFilters) -> RuleChangeKind | None:
        """Return the kind under which a rule is listed; None if it counts as the same, or if it is
        not loaded in one edition."""
        kind = self.kinds[pair]
        examples = filters.examples or "examples" in filters.kinds
        if examples and pair in self.other_examples:
            return "examples"
        if kind == "typographic" and not (filters.typographic or kind in filters.kinds):
            return None
        return None if kind == "not loaded" else kind

    def split_by_subject(
        self, pairs: list[NumberPair], filters: ChangeFilters
    ) -> tuple[list[NumberPair], list[NumberPair]]:
        """Return those of some rules that have the words and all mentions asked for, in either
        edition, and the others, both in their order; all and none if nothing is asked for."""
        if not (filters.words.strip() or filters.mentions):
            return pairs, []

        conditions = _with_subject(self._store, [*self._old, *self._new], filters)
        old_ids = {rule.number: rule.id for rule in self._old}
        new_ids = {rule.number: rule.id for rule in self._new}

        def is_about(pair: NumberPair) -> bool:
            ids = {old_ids.get(pair[0]), new_ids.get(pair[1])}
            return all(not ids.isdisjoint(condition) for condition in conditions)

        return list(filter(is_about, pairs)), list(filterfalse(is_about, pairs))


def known_matches(
    store: Store,
    game: str,
    lang: str,
    before: str,
    after: str,
    numbers: tuple[Iterable[str], Iterable[str]],
) -> KnownMatches:
    """Return which rules of two editions are one, and which were merged into another or split from
    one since, as the build found it. numbers: those of the rules before and after."""
    matches = matched_numbers(store, game, lang, before, after)
    of_old = {rule_id(game, before, lang, n): n for n in numbers[0] if n not in matches}
    came = set(matches.values())
    of_new = {rule_id(game, after, lang, n): n for n in numbers[1] if n not in came}
    into: dict[str, str] = {}
    split_from: dict[str, str] = {}
    since = edition_key(before), edition_key(after)
    for ids, found in ((of_old, into), (of_new, split_from)):
        rows = versions_of(store, ids)
        number_of = {row.rule: ids[row.id] for row in rows if row.id in ids}
        for row in rows:
            other, edition = (
                (row.merged_into, row.gone_in) if ids is of_old else (row.split_from, row.edition)
            )
            if other and row.lang == lang and since[0] < edition_key(edition) <= since[1]:
                found[number_of[row.rule]] = other
    return KnownMatches(
        matches,
        _numbers_there(store, into, after, lang),
        _numbers_there(store, split_from, before, lang),
    )


def _numbers_there(
    store: Store, versions: Mapping[str, str], edition: str, lang: str
) -> dict[str, str]:
    """Return {key: the number that the rule of a version has in an edition}, without those that it
    has not. versions: {key: id of a version}."""
    rows = versions_of(store, versions.values())
    there = {row.rule: row.number for row in rows if (row.edition, row.lang) == (edition, lang)}
    rule_of = {row.id: row.rule for row in rows}
    found = {key: there.get(rule_of[version]) for key, version in versions.items()}
    return {key: number for key, number in found.items() if number}


def _with_subject(store: Store, rules: Sequence[Node], filters: ChangeFilters) -> list[set[str]]:
    """Return, for each mention and then for the words that are asked for, the ids of the rules that
    have them; an empty list if nothing is. Raises as `rules_with_mentions`."""
    conditions = [rules_with_mentions(store, ref, rules) for ref in filters.mentions]
    if filters.words.strip():
        conditions.append(rules_with_words(store, filters.words, rules))
    return conditions


def _has_subject(
    store: Store, game: str, editions: Iterable[str], lang: str, filters: ChangeFilters
) -> bool:
    """Return whether some editions have rules in a language with the words and mentions that are
    asked for; of several of these, whether each is in any rule."""
    if not (filters.words.strip() or filters.mentions):
        return True
    rules = [rule for edition in editions for rule in store.rules(game, edition, lang)]
    under = {
        rule.id
        for rule in rules
        if not filters.under
        or any(is_under(rule.number or "", normalize_rule_number(n)) for n in filters.under)
    }
    return all(not under.isdisjoint(found) for found in _with_subject(store, rules, filters))


def _count_kinds(changes: Iterable[RuleChange]) -> dict[str, int]:
    """Return {kind: how many changes}, in the order of `RuleChangeKind`, without those of 0."""
    kinds = Counter(change.kind for change in changes)
    return {kind: kinds[kind] for kind in get_args(RuleChangeKind) if kinds[kind]}


def changes_by_section(
    changes: Iterable[RuleChange], old_texts: Mapping[str, str], new_texts: Mapping[str, str]
) -> dict[tuple[str, str], list[RuleChange]]:
    """Return {(number, heading) of a section: its changes}, in the order of the changes.

    A section is what stands at the second level (`702`), if it has a heading, else a chapter; of a
    removed rule that of the old edition. In a book whose headings are numbered as its rules are
    (`104 Setup`, `106 A player takes…`) it is the heading before the rule.

    old_texts, new_texts: {number of a rule: its text} of both editions.
    """
    old, new = _Headings(old_texts), _Headings(new_texts)
    found: dict[tuple[str, str], list[RuleChange]] = {}
    for change in changes:
        rule = change.after or change.before
        assert rule
        section = (new if change.after else old).above(rule.number)
        found.setdefault(section, []).append(change)
    return found


class _Headings:
    """The chapters and sections of an edition whose texts look like headings."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        """texts: {number of a rule: its text}."""
        tops = {key: number for number in texts if len(key := number_key(number)) <= 2}
        self._others = {
            key for key, number in tops.items() if not looks_like_heading(texts[number])
        }
        self._headings = {
            key: (number, " ".join(texts[number].split()))
            for key, number in tops.items()
            if key not in self._others
        }
        self._keys = sorted(self._headings)

    def above(self, number: str) -> tuple[str, str]:
        """Return the number and heading of the section that a rule is in; the heading is "" if
        there is none."""
        key = number_key(number)
        for level in (key[:2], key[:1]):
            if level in self._headings:
                return self._headings[level]
        place = bisect(self._keys, key)
        # If the rule that stands for a heading is not loaded, nor may be the heading before it.
        if key[:2] in self._others and place:
            return self._headings[self._keys[place - 1]]
        return number.split(".")[0], ""


def texts_by_number(rules: Iterable[Node]) -> dict[str, str]:
    """Return {number of a rule: its text, or "" if it has none}; nodes without a number are left
    out."""
    return {rule.number: rule.text or "" for rule in rules if rule.number}


def _examples(rules: Iterable[Node]) -> dict[str, tuple[str, ...]]:
    """Return {number of a rule: its examples}; nodes without a number are left out."""
    return {
        rule.number: tuple((rule.details or {}).get("examples", ()))
        for rule in rules
        if rule.number
    }


def rules_with_words(store: Store, words: str, rules: Iterable[Node]) -> set[str]:
    """Return the ids of the rules that have some words in their text or an example, in any
    inflection and spelling.

    words: as for `kb.query.passages.search.search`: those written together are a phrase, those
        separated by spaces must all occur. If they are signs alone, the text must contain them as
        they are.
    rules: of one game and language, of any editions.
    """
    from kb.query.lookup.search_words import fulltext_query  # loads the tokenizer

    rules = list(rules)
    if query := fulltext_query(words):
        return _rules_that_match(store, query, rules)
    looked_for = fold(words)
    return {
        rule.id
        for rule in rules
        for text in (rule.text or "", *(rule.details or {}).get("examples", ()))
        if looked_for in fold(text)
    }


def rules_with_mentions(store: Store, ref: str, rules: Iterable[Node]) -> set[str]:
    """Return the ids of the rules that mention a term or card.

    Mentions are recorded in Japanese text; in other languages the names of the term in that
    language are looked for, in any inflection.

    ref: a name of the term or card; if it names several, a mention of any counts.
    rules: of one game and language, of any editions.

    Raises NotFoundError or QuestionError if it names nothing of the kind.
    """
    rules = list(rules)
    ids = {rule.id for rule in rules}
    terms = find_named(store, ref, "term", "card", scope=Scope(game=rules[0].game))
    passages = {
        edge.evidence.passage
        for edge in store.edges([term.id for term in terms], "in", ["mentions"])
    }
    found = {one.rule for one in store.passages.lookup(passages).values() if one.rule in ids}
    mentioning = {rule for rule in found if rule}
    lang = rules[0].lang
    if lang != _WITH_RECORDED_MENTIONS:
        names = {
            label.text
            for term in terms
            for label in term.labels
            if label.lang == lang and label.role != "reading"
        }
        if query := _any_phrase(names):
            mentioning |= _rules_that_match(store, query, rules)
    return mentioning


def _any_phrase(names: Iterable[str]) -> str:
    """Return the full-text query for texts with at least one of some names; empty if none of them
    has a word."""
    from kb.language.tokens import normal_forms, tokenizer

    phrases = {
        " ".join(form.replace('"', " ") for form, _, _ in forms)
        for name in names
        if (forms := normal_forms(tokenizer()(name))) and any(map(str.isalnum, name))
    }
    return " OR ".join(f'"{phrase}"' for phrase in sorted(phrases))


def _rules_that_match(store: Store, query: str, rules: Sequence[Node]) -> set[str]:
    """Return the ids of the rules in whose text or examples a full-text query finds something."""
    ids = {rule.id for rule in rules}
    books = {(rule.game, rule.edition, rule.lang) for rule in rules}
    return {
        rule
        for game, edition, lang in books
        for _, rule, _ in store.passages.occurrences(
            query, PassageFilter(game=game, edition=edition, lang=lang, kind="rule")
        )
        if rule in ids
    }
