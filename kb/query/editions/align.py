"""Aligns an edition of a rulebook in two languages: what is in both, in one, and differs."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import pairwise
from typing import NamedTuple

from graphs.model import Edge, Node
from graphs.sort_orders import edition_key
from graphs.store.reader import Store
from graphs.store.rule_versions import translated_editions, translated_numbers, versions_of
from kb.errors import NotFoundError, QuestionError
from kb.language.amounts import Amount, differing_amounts
from kb.language.citations.citation_grammar import find_citations
from kb.language.citations.citation_patterns import fold_width
from kb.query.editions.edition_choice import find_edition, list_editions
from kb.query.lookup.common_filters import Scope
from kb.query.lookup.find_by_reference import near_names, normalize_rule_number
from kb.query.lookup.passage_places import without_rule_number
from kb.query.lookup.rules_of_terms import rules_by_name
from kb.reason import LeftOut, Reason, again
from kb.result import ListResult
from kb.rules.alignment import is_under
from kb.rules.changes import Surroundings
from kb.rules.loaded_editions import (
    Gaps,
    LoadedEdition,
    LoadedRules,
    describe_loaded,
    loaded_rules,
    refuse_unknown_scope,
)
from scraper.rulebook.languages import alternatives
from scraper.rulebook.numbering import Key, number_key, parent_number

_ANOTHER = "′"  # behind a number that another rule has in the first language
_LONGEST = 60  # characters of a heading: 99 of 100 sections of rulebooks have up to 42
# Passages before a rule that are read: a preface, with its heading, is a page or so; any number
# that bounds the reading would do.
_MOST_BEFORE = 12
_STOPS = tuple('。．.!?！？;；:：,、…」”’"')
# Characters of a number that no other number in a text is taken for: 5 or 12 may be an amount.
_SHORTEST = 3
_INLINE_EXAMPLE = re.compile(
    r"\be\.g\.|\b(?:for|as an) (?:example|instance)\b|たとえば|例えば"
    rf"|(?:{alternatives(lambda language: language.example)})s?\s?[:：]",
    re.IGNORECASE,
)


# -- marks in the texts of a pair ---------------------------------------------------------------
# Finds the terms and citations in the texts of aligned rules, as the graph has them.


@dataclass(frozen=True, slots=True)
class TextMark:
    """A term or citation in text[start:end] of a rule.

    kind: `term` or `citation`.
    target: the id of the term, or of the rule that is cited.
    names: the term's names in the other language, preferred ones first; of a citation none.
    proposed: those of the names that no page states: aligned rules suggest them.
    """

    kind: str
    start: int
    end: int
    target: str
    names: tuple[str, ...] = ()
    proposed: tuple[str, ...] = ()


def marks_in_pair_texts(
    store: Store, rules: Mapping[str, Mapping[str, Node]]
) -> dict[str, dict[str, tuple[TextMark, ...]]]:
    """Return {number of a rule: {language: the marks in its text}}, in order, none in another.

    rules: the rules of two languages, by language and number.

    The marks are the mentions and citations that the graph has, and the names of terms that the
    rule in the other language mentions. Of those that overlap, the longest is kept. Those in the
    examples below a rule are left out, as its text has none.
    """
    edges = {lang: _edges(store, by_number.values()) for lang, by_number in rules.items()}
    every = [edge for found in edges.values() for each in found.values() for edge in each]
    passages = store.get({edge.evidence.passage for edge in every})
    terms = store.get({edge.target for edge in every if edge.kind == "mentions" and edge.target})
    marked: dict[str, dict[str, tuple[TextMark, ...]]] = defaultdict(dict)
    langs = list(rules)
    for lang, other in (langs, langs[::-1]):
        names = {term.id: _names(term, other) for term in terms.values()}
        own_names = {term.id: _names(term, lang).names for term in terms.values()}
        for number, rule in rules[lang].items():
            marks = list(_own_marks(rule, edges[lang].get(rule.id, ()), passages, names))
            there = rules[other].get(number)
            mentioned = {edge.target for edge in edges[other].get(there.id, ())} if there else ()
            for term in mentioned:
                if term in terms:
                    marks += _named_in(rule.text or "", own_names[term], term, names[term])
            marked[number][lang] = _without_overlaps(marks)
    return marked


class _TermNames(NamedTuple):
    """The names of a term in one language, and those of them that no page states."""

    names: tuple[str, ...] = ()
    proposed: tuple[str, ...] = ()


def _edges(store: Store, rules: Iterable[Node]) -> dict[str, list[Edge]]:
    """Return {id of a rule: its mentions and citations} for some rules; those that have none are
    left out, and an edge without a target is there."""
    found: dict[str, list[Edge]] = defaultdict(list)
    for edge in store.edges([rule.id for rule in rules], "out", ("mentions", "cites")):
        found[edge.source].append(edge)
    return found


def _named_in(
    text: str, own_names: Iterable[str], term: str, names: _TermNames
) -> Iterator[TextMark]:
    """Yield where a text has a name of a term, in any common inflection of English; name by name,
    each in the order of the text, so that marks may overlap.

    own_names: in the language of the text; names: in the other, for the marks.
    """
    for name in own_names:
        for found in _name_pattern(name).finditer(text):
            yield TextMark("term", *found.span(), term, *names)


@lru_cache(maxsize=10_000)
def _name_pattern(name: str) -> re.Pattern[str]:
    if not name.isascii():
        return re.compile(re.escape(name))
    return re.compile(
        rf"(?<![A-Za-z]){re.escape(name)}(?:e?s|e?d|n|ing)?(?![A-Za-z])", re.IGNORECASE
    )


def _own_marks(
    rule: Node,
    edges: Iterable[Edge],
    passages: Mapping[str, Node],
    names: Mapping[str, _TermNames],
) -> Iterator[TextMark]:
    """Yield the marks of a rule's own edges in its text, in the order of the edges, of those whose
    words are there. What is not loaded is marked by the name that the text has for it."""
    text = rule.text or ""
    shifts: dict[str, int | None] = {}  # from the text of a passage to that of the rule
    for edge in edges:
        evidence = edge.evidence
        if evidence.passage not in shifts:
            shifts[evidence.passage] = _shift(text, passages.get(evidence.passage), rule.number)
        shift = shifts[evidence.passage]
        if shift is None:
            continue
        start, end = evidence.start + shift, evidence.end + shift
        if not 0 <= start < end or text[start:end] != evidence.text:
            continue
        target = edge.target or edge.target_label
        if edge.kind == "mentions":
            yield TextMark("term", start, end, target, *names.get(target, _TermNames()))
        else:
            yield TextMark("citation", start, end, target)


def _shift(text: str, passage: Node | None, number: str | None) -> int | None:
    """Return how far the text of a rule stands from its passage's, which begins with the number;
    None if the passage is not a part of it."""
    given = (passage.text or "") if passage else ""
    own = without_rule_number(given, number or "")
    place = text.find(own) if own else -1
    return place - (len(given) - len(own)) if place >= 0 else None


def _names(term: Node, lang: str) -> _TermNames:
    """Return the names of a term in a language, preferred ones first, those that no page states
    last; without readings."""
    labels = [label for label in term.labels if label.lang == lang and label.role != "reading"]
    labels.sort(key=lambda label: (label.role == "proposed", label.role != "preferred"))
    stated = {label.text for label in labels if label.role != "proposed"}
    names = tuple(dict.fromkeys(label.text for label in labels))
    return _TermNames(names, tuple(name for name in names if name not in stated))


def _without_overlaps(marks: Iterable[TextMark]) -> tuple[TextMark, ...]:
    """Return marks in the order of the text, of those that overlap the longest; of equally long
    ones the first, and of those in one place the one whose target sorts first."""
    kept: list[TextMark] = []
    covered: set[int] = set()
    for mark in sorted(marks, key=lambda one: (one.start - one.end, one.start, one.target)):
        span = range(mark.start, mark.end)
        if covered.isdisjoint(span):
            covered.update(span)
            kept.append(mark)
    return tuple(sorted(kept, key=lambda one: one.start))


# -- pairs ---------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class AlignedPair:
    """A rule that is there in both languages; `texts` is its text by language.

    number: of the rule in the first language.
    numbers: its number by language, where its section has another one in the second; else empty.
    marks: the terms and citations in the texts, by language; empty unless they were asked for.
    """

    game: str
    edition: str
    number: str
    texts: Mapping[str, str]
    marks: Mapping[str, tuple[TextMark, ...]] = field(default_factory=dict)
    numbers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Problem:
    """A difference between the two languages at one rule.

    kind: `missing` if the rule is not there in one language, `unnumbered` if it is a heading that
        has no number there, `citations` if the texts cite different rules, `numbers` if they state
        different amounts, `renumbered` if a section has another number in the second language; that
        of the first is `number`.
    what: the difference in words.
    only: what only one language has, by language: the rule's number, the numbers that it cites, or
        the amounts.
    spans: where that stands in the texts of the pair, by language, as (start, end).
    texts: the text of a rule that is missing, in the language that has it; else empty.
    probably_new: whether a rule is missing in the older of two editions of different dates, and no
        edition of its language that is as old has it.
    """

    game: str
    edition: str
    number: str
    kind: str
    what: str
    only: Mapping[str, tuple[str, ...]]
    spans: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    probably_new: bool = False


@dataclass(frozen=True, slots=True)
class NotLoaded:
    """How many rules of an edition are loaded in the other language, and may be there in this one
    (`lang`) or not: nothing around them is loaded."""

    game: str
    edition: str
    lang: str
    rules: int


@dataclass(frozen=True, slots=True)
class _Edition:
    """The rules of one edition in one language.

    rules: by the number that the rule has in the first of the two languages. One of the second
        that the first has not, but whose number another rule has there, has a mark behind it.
    cited: the rules that each rule cites, itself and those above it excepted: {name: number in this
        language}, both as in `rules`.
    """

    lang: str
    rules: Mapping[str, Node]
    cited: Mapping[str, Mapping[str, str]]

    def rule(self, number: str, text: str) -> _RuleText:
        """Return a rule as it is compared. text: its text, without what is another's."""
        examples = (self.rules[number].details or {}).get("examples", ())
        cited = self.cited.get(number, {})
        return _RuleText(self.lang, text, "\n".join(examples), cited)


@dataclass(frozen=True, slots=True)
class AlignedEdition:
    """The rules of one edition in two languages, sorted by number; a rule with a problem may be a
    pair, too."""

    pairs: tuple[AlignedPair, ...]
    problems: tuple[Problem, ...]
    not_loaded: tuple[NotLoaded, ...]


def align_edition(
    store: Store,
    loaded: LoadedRules,
    edition: str,
    langs: tuple[str, str],
    rule: str | None,
    with_marks: bool = False,
    other_edition: str | None = None,
    numbered_in: str | None = None,
) -> AlignedEdition:
    """Return the rules of one edition that both languages have, where the two differ, and how many
    rules are loaded in one alone.

    other_edition: in the second language; None for the same.
    rule: only the rule of this normalized number, in either language, and its sub-rules; None for
        all.
    with_marks: whether the pairs have marks.
    numbered_in: the language in which the number is meant; None for either.
    """
    first = _read_edition(store, loaded.game, edition, langs[0], {})
    editions = (edition, other_edition or edition)
    second, shifts = _second_edition(store, loaded.game, editions, langs[1], first)
    books = {langs[0]: first, langs[1]: second}
    texts = _Texts(store, first, second)
    places = {
        lang: _place_is_loaded(loaded, each, lang, books)
        for lang, each in zip(langs, editions, strict=True)
    }
    pairs: list[AlignedPair] = []
    problems: list[Problem] = []
    not_loaded: Counter[str] = Counter()
    for name in sorted({*first.rules, *second.rules}, key=_place):
        number = name.rstrip(_ANOTHER)
        own = _numbers_in(books, name, numbered_in)
        if rule and not any(is_under(each, rule) for each in own):
            continue
        lacking = next((lang for lang in langs if name not in books[lang].rules), None)
        found = texts.of(name)
        if len(found) == len(langs):
            numbers = _numbers(first, second, name)
            pairs.append(AlignedPair(loaded.game, edition, number, found, numbers=numbers))
        elif lacking and not (shifts.is_in_chapter(number) or places[lacking](number)):
            not_loaded[lacking] += 1
            continue
        problem = partial(Problem, loaded.game, edition, number)
        if other := shifts.sections.get(name):
            what = f"{number} in {langs[0]} is {other} in {langs[1]}"
            only = {langs[0]: (number,), langs[1]: (other,)}
            problems.append(problem("renumbered", what, only))
        if lacking or name not in shifts.uncertain:
            problems += _problems(problem, first, second, name, found, texts.is_preface(name))
    return AlignedEdition(
        tuple(_with_marks(store, pairs, books) if with_marks else pairs),
        tuple(_with_new(store, problems, books, dict(zip(langs, editions, strict=True)))),
        tuple(
            NotLoaded(loaded.game, edition, lang, not_loaded[lang])
            for lang in langs
            if not_loaded[lang]
        ),
    )


def _with_new(
    store: Store,
    problems: Iterable[Problem],
    books: Mapping[str, _Edition],
    editions: Mapping[str, str],
) -> Iterator[Problem]:
    """Yield problems, of which those are marked that are rules of a newer edition alone, and not of
    an edition of its language that is as old as the other one. books, editions: by language."""
    newer, older = sorted(editions, key=lambda lang: edition_key(editions[lang]), reverse=True)
    new, old = editions[newer], editions[older]
    rules = books[newer].rules if new != old else {}
    alone = {number: rules.get(number + _ANOTHER) or rules.get(number) for number in rules}
    rows = versions_of(store, [node.id for node in rules.values()])
    of_version = {row.id: row.rule for row in rows}
    was_there = {
        row.rule
        for row in rows
        if row.lang == newer and edition_key(row.edition) <= edition_key(old)
    }
    for one in problems:
        is_alone = one.kind == "missing" and newer in one.only
        node = alone.get(one.only[newer][0]) if is_alone else None
        if node and of_version[node.id] not in was_there:
            what = f"{one.what}; probably new in {new}, as {old} is older"
            yield replace(one, what=what, probably_new=True)
        else:
            yield one


def _place(name: str) -> tuple[Key, str]:
    """Return what the names of rules are sorted by: their numbers, then, of one number, the rule of
    the first language before another one."""
    return number_key(name.rstrip(_ANOTHER)), name


def _numbers_in(books: Mapping[str, _Edition], name: str, lang: str | None) -> set[str]:
    """Return the number that a rule has in a language; with None for the language those in both, as
    a person may have either."""
    own = {
        book.rules[name].number
        for book in books.values()
        if lang in (None, book.lang) and name in book.rules
    }
    return {*filter(None, own), *([] if lang else [name.rstrip(_ANOTHER)])}


def _numbers(first: _Edition, second: _Edition, name: str) -> dict[str, str]:
    """Return the numbers of a rule in both languages, by language, if they differ but for their
    form; else an empty dict."""
    if name not in first.rules or name not in second.rules:
        return {}
    own = {book.lang: book.rules[name].number or name for book in (first, second)}
    return own if len(set(map(number_key, own.values()))) > 1 else {}


def _problems(
    problem: Callable[..., Problem],
    first: _Edition,
    second: _Edition,
    name: str,
    texts: Mapping[str, str],
    is_preface: bool,
) -> Iterator[Problem]:
    """Yield where a rule differs: in its citations and amounts if both have it; else that one lacks
    it or its number. A preface and a rule that says the same yield nothing.

    problem: makes one of the rule from its kind and what follows that.
    name: of the rule in the two editions.
    texts: by language, of those in which it is there, with a number or without.
    is_preface: whether it is a preface that has a number in one language alone.
    """
    if name in first.rules and name in second.rules:
        rules = first.rule(name, texts[first.lang]), second.rule(name, texts[second.lang])
        yield from _differences_of_texts(problem, *rules)
        return
    having, lacking = (first, second) if name in first.rules else (second, first)
    number = name.rstrip(_ANOTHER)
    only = {having.lang: (number,)}
    if is_preface:
        return
    if lacking.lang in texts:
        heading = texts[lacking.lang]
        what = f"“{heading}” is {number} in {having.lang}, and has no number in {lacking.lang}"
        yield problem("unnumbered", what, only)
    else:
        what = f"rule {number} is there in {having.lang}, not in {lacking.lang}"
        yield problem("missing", what, only, texts=texts)


# -- reading ---------------------------------------------------------------------------------------


def _read_edition(
    store: Store, game: str, edition: str, lang: str, names: Mapping[Key, str]
) -> _Edition:
    """Return the rules of an edition in a language.

    names: what to call the rule of a number, by the number's key; others keep their numbers, and so
        does the second of two of one name. Rules without a number are left out.
    """
    rules: dict[str, Node] = {}
    for node in store.rules(game, edition, lang):
        if node.number:
            name = names.get(number_key(node.number), node.number)
            rules[node.number if name in rules else name] = node
    own = {node.number: name for name, node in rules.items()}
    cited: dict[str, dict[str, str]] = defaultdict(dict)
    for citing, cited_id in store.citations(game, edition, lang):
        target = cited_id.rpartition("/")[2]
        if not is_under(citing, target):
            name = names.get(number_key(target), target)
            cited[own.get(citing, citing)][name] = target
    return _Edition(lang, rules, cited)


@dataclass(frozen=True, slots=True)
class _Shifts:
    """Where the second language has other numbers than the first.

    sections: {number in the first: number in the second} of the sections that moved.
    uncertain: the rules, by their numbers in the first, whose counterparts are not sure.
    chapters: the keys of what the sections are in. A rule there without counterpart is in one
        language alone, even if the other has its number.
    """

    sections: Mapping[str, str]
    uncertain: frozenset[str]
    chapters: frozenset[Key]

    def is_in_chapter(self, number: str) -> bool:
        """Return whether a rule is in a chapter where any section moved."""
        key = number_key(number)
        return any(key[:end] in self.chapters for end in range(1, len(key)))


def _second_edition(
    store: Store, game: str, editions: tuple[str, str], lang: str, first: _Edition
) -> tuple[_Edition, _Shifts]:
    """Return the rules in the second language, named as those of the first that they translate, as
    the build found it; and where the numbers differ. editions: in either language."""
    same = translated_numbers(store, game, editions[0], first.lang, lang, editions[1])
    edition = editions[1]
    names = {number_key(other): number for number, (other, _) in same.items()}
    for node in store.rules(game, edition, lang):
        if node.number and number_key(node.number) not in names:
            is_taken = node.number in first.rules
            names[number_key(node.number)] = node.number + _ANOTHER * is_taken
    book = _read_edition(store, game, edition, lang, names)
    moved = {
        number: other
        for number, (other, _) in same.items()
        if number_key(number)[-1:] != number_key(other)[-1:]
        and any(parent_number(each) == number for each in same)
    }
    shifts = _Shifts(
        moved,
        frozenset(number for number, (_, is_sure) in same.items() if not is_sure),
        frozenset(number_key(number)[:-1] for number in moved),
    )
    return book, shifts


class _Texts:
    """The texts of rules in two languages, where headings that lack their numbers are found."""

    def __init__(self, store: Store, first: _Edition, second: _Edition) -> None:
        self._books = (first, second)
        self._headings = {
            **unnumbered_headings(store, first.rules, _of_first(second)),
            **unnumbered_headings(store, _of_first(second), first.rules),
        }
        self._behind = {
            heading.behind: heading for heading in self._headings.values() if heading.behind
        }

    def of(self, number: str) -> dict[str, str]:
        """Return the texts of a rule by language, the first language first, of those in which it is
        there, with its number or as a heading without one; empty if neither has it."""
        texts = {
            book.lang: self._own_text(book.rules[number])
            for book in self._books
            if number in book.rules
        }
        heading = self._headings.get(number)
        if heading:
            texts[heading.lang] = heading.text
        return {book.lang: texts[book.lang] for book in self._books if book.lang in texts}

    def is_preface(self, number: str) -> bool:
        """Return whether a rule is a preface that has a number in one language alone."""
        return number in self._headings and self._headings[number].preface

    def _own_text(self, rule: Node) -> str:
        """Return the text of a rule without the heading at its end that is another rule's."""
        heading: UnnumberedHeading | None = self._behind.get(rule.id)
        text = rule.text or ""
        return text.removesuffix(f"\n{heading.text}") if heading else text


def _of_first(book: _Edition) -> dict[str, Node]:
    """Return the rules without those whose numbers other rules have in the first language."""
    return {name: rule for name, rule in book.rules.items() if not name.endswith(_ANOTHER)}


def _place_is_loaded(
    loaded: LoadedRules, edition: str, lang: str, books: Mapping[str, _Edition]
) -> Callable[[str], bool]:
    """Return a function that says whether an edition is loaded in a language where a rule of a
    number would stand, so that the rule is missing if it is not there."""
    if loaded.loaded(edition, lang).whole:
        return lambda number: True
    numbers = {number for book in books.values() for number in _of_first(book)}
    same = {number: number for number in _of_first(books[lang])}
    return Surroundings(numbers, same, same, Gaps(others=True)).is_loaded


def _with_marks(
    store: Store, pairs: list[AlignedPair], books: Mapping[str, _Edition]
) -> Iterator[AlignedPair]:
    """Yield the pairs, in order, with the terms and citations in their texts, without those behind
    the end of a text from which another rule's heading was cut."""
    numbers = [pair.number for pair in pairs]
    rules = {
        lang: {number: book.rules[number] for number in numbers if number in book.rules}
        for lang, book in books.items()
    }
    marks = marks_in_pair_texts(store, rules)
    for pair in pairs:
        found = {
            lang: tuple(mark for mark in each if mark.end <= len(pair.texts[lang]))
            for lang, each in marks.get(pair.number, {}).items()
        }
        yield replace(pair, marks=found)


@dataclass(frozen=True, slots=True)
class UnnumberedHeading:
    """A heading without a number.

    lang, text: the heading; of a preface with all that is below it.
    preface: whether it is the heading of a text before all rules, which is cited by no number.
    behind: the id of the rule that it stands behind, and whose text it was taken for; None if it
        stands before all rules.
    """

    lang: str
    text: str
    behind: str | None = None
    preface: bool = False


def unnumbered_headings(
    store: Store, having: Mapping[str, Node], lacking: Mapping[str, Node]
) -> dict[str, UnnumberedHeading]:
    """Return {number of a rule: its heading without number} for rules that one language numbers.

    having: the rules of the language that numbers them, by number; lacking: those of the other.

    The heading of such a rule stands in the other language directly before the next rule that both
    have; or, if the rule is a preface, anywhere before the first one. A line is taken for a heading
    if it is short and ends as no sentence does.
    """
    numbers = sorted(having, key=number_key)
    found: dict[str, UnnumberedHeading] = {}
    for number, following in pairwise(numbers):
        first_line = (having[number].text or "").strip().partition("\n")[0]
        if number not in lacking and following in lacking and _is_heading(first_line):
            heading = _heading_before(store, lacking[following], having[number])
            if heading:
                found[number] = heading
    return found


def _heading_before(store: Store, following: Node, rule: Node) -> UnnumberedHeading | None:
    """Return the heading that stands where a rule's number should, before the next rule; None if
    none does, or another rule begins between. Of a preface it is the nearest heading above, with
    the text below it."""
    passages = store.passages
    start = passages.first_passage_giving([following.id]).get(following.id)
    if start is None:
        return None
    ids = passages.preceding([start], _MOST_BEFORE)[start]
    places = {place.passage: place for place in passages.places(ids)}
    texts = passages.texts(ids)
    rules = [place.rule for place in places.values() if place.rule]
    begins_rule = set(passages.first_passage_giving(rules).values())
    is_preface = "\n" in (rule.text or "").strip() and not rules
    lang, below = following.lang or "", ""
    for passage in ids:
        text = texts[passage].text.strip()
        is_title = texts[passage].bare and not rules
        if passage in begins_rule or is_title:
            return None
        if _is_heading(text):
            return UnnumberedHeading(lang, text + below, places[passage].rule, is_preface)
        if not is_preface:
            return None
        below = f"\n{text}{below}"
    return None


def _is_heading(line: str) -> bool:
    return bool(line) and len(line) <= _LONGEST and "\n" not in line and not line.endswith(_STOPS)


class _RuleText(NamedTuple):
    """A rule in one language.

    examples: those below it, a line each.
    cited: the rules that it cites, as {name: number in this language}. A rule has one name in both
        languages: its number in the first.
    """

    lang: str
    text: str
    examples: str
    cited: Mapping[str, str]


def _differences_of_texts(
    problem: Callable[..., Problem], first: _RuleText, second: _RuleText
) -> Iterator[Problem]:
    """Yield where a rule says different things in two languages, at most once a kind: first the
    citations, then the amounts (`numbers`); nothing if they agree."""
    cited = {first.lang: _cited_alone(first, second), second.lang: _cited_alone(second, first)}
    if any(cited.values()):
        spans = {
            rule.lang: _citation_spans(rule.text, cited[rule.lang]) for rule in (first, second)
        }
        in_both = set(cited[first.lang]) & set(cited[second.lang])
        note = f" ({', '.join(sorted(in_both))}: not the same rule)" if in_both else ""
        yield problem("citations", _in_words(cited, "cites") + note, cited, spans)
    amounts = _amounts_alone(first, second)
    if any(amounts.values()):
        values = {lang: tuple(f"{one.value:,}" for one in found) for lang, found in amounts.items()}
        spans = {
            lang: tuple((one.start, one.end) for one in found) for lang, found in amounts.items()
        }
        yield problem("numbers", _in_words(values, "says"), values, spans)


def _in_words(only: Mapping[str, tuple[str, ...]], verb: str) -> str:
    return "; ".join(
        f"{lang} alone {verb} {', '.join(found)}" for lang, found in only.items() if found
    )


def _cited_alone(rule: _RuleText, other: _RuleText) -> tuple[str, ...]:
    """Return the numbers that a rule cites in one language alone, sorted.

    A rule is cited in the other language, too, if a sub-rule of it is, or if its number stands
    there in other words, or in an example below the rule.
    """
    text = fold_width(f"{other.text}\n{other.examples}")
    alone = (
        number
        for name, number in rule.cited.items()
        if name not in other.cited
        and not any(is_under(deeper, name) for deeper in other.cited)
        and (number in other.cited.values() or not _stands_in(number, text))
    )
    return tuple(sorted(alone, key=number_key))


def _stands_in(number: str, text: str) -> bool:
    """Return whether a number with levels stands in a text, in whatever words, but as a whole: not
    121.4 in 121.4.1. False for one of fewer than three characters."""
    if len(number) < _SHORTEST:
        return False
    return bool(re.search(rf"(?<![\w.-]){re.escape(number)}(?![\w-]|\.\d)", text))


def _citation_spans(text: str, numbers: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """Return where a text cites some rules, as (start, end) in order, each place once; empty
    without numbers."""
    found = find_citations(text, known=frozenset(numbers)) if numbers else ()
    return tuple(dict.fromkeys((one.start, one.end) for one in found if one.number in numbers))


def _amounts_alone(first: _RuleText, second: _RuleText) -> dict[str, tuple[Amount, ...]]:
    """Return the amounts that a rule states in one language and the other neither states nor
    implies, neither in the rule nor in the examples below it, by language. What an example within
    the text states does not count."""
    texts, beside = [], []
    for rule in (first, second):
        example = _INLINE_EXAMPLE.search(rule.text)
        end = example.start() if example else len(rule.text)
        texts.append(rule.text[:end])
        beside.append(f"{rule.text[end:]}\n{rule.examples}".strip())
    found = differing_amounts(texts[0], first.lang, texts[1], second.lang, (beside[0], beside[1]))
    return {first.lang: found[0], second.lang: found[1]}


@dataclass(frozen=True, slots=True, repr=False)
class Alignment(ListResult[AlignedPair], items="pairs", item="pair"):
    """Rules in two languages, by edition and in the order of their numbers.

    langs: the two languages.
    pairs: the rules that are there in both.
    problems: where the two differ.
    not_loaded: how many rules could not be compared, by edition and the language that lacks them;
        without those that lack none.
    loaded: how much is loaded of the editions that were compared, in each of the two languages.
    translated_by: {edition in the first language: the edition in the second that translates it}, of
        those whose dates differ.
    also: that the number asked for is another rule's in the second language; and other languages
        that these editions are there in.
    """

    langs: tuple[str, str]
    pairs: tuple[AlignedPair, ...]
    problems: tuple[Problem, ...]
    not_loaded: tuple[NotLoaded, ...] = ()
    loaded: tuple[LoadedEdition, ...] = ()
    translated_by: Mapping[str, str] = field(default_factory=dict)
    also: tuple[LeftOut, ...] = ()

    def rules(self) -> list[tuple[AlignedPair, list[Problem]]]:
        """Return each rule with its problems: the pairs, then, with a text in one language alone,
        the rules that the other one lacks."""
        # A rule of the second language may have the number of another one of the first.
        rules: dict[tuple[str, ...], tuple[AlignedPair, list[Problem]]] = {
            (pair.game, pair.edition, pair.number): (pair, []) for pair in self.pairs
        }
        for one in self.problems:
            place = one.game, one.edition, one.number
            alone = AlignedPair(*place, one.texts)
            rules.setdefault((*place, *one.texts), (alone, []))[1].append(one)
        return list(rules.values())

    def _rows(self) -> Iterator[Mapping[str, object]]:
        for rule, problems in self.rules():
            row: dict[str, object] = {"game": rule.game, "edition": rule.edition}
            row |= {"number": rule.number} | {lang: rule.texts.get(lang) for lang in self.langs}
            yield row | {"problem": "; ".join(one.what for one in problems)}

    def _column_names(self) -> tuple[str, ...]:
        return "game", "edition", "number", *self.langs, "problem"

    def _about(self) -> str:
        return f"of {self.langs[0]} and {self.langs[1]}"

    def rows(self, game: str, edition: str) -> list[AlignedPair]:
        """Return the rules of an edition in the order of their numbers: the pairs and, with a text
        in one language alone, the rules that the other one lacks; empty for an edition that was not
        compared. edition: in the first language."""
        rules = (rule for rule, _ in self.rules() if (rule.game, rule.edition) == (game, edition))
        return sorted(rules, key=lambda rule: number_key(rule.number))


def align(
    store: Store,
    first_lang: str,
    second_lang: str,
    rule: str | None,
    scope: Scope,
    with_marks: bool = False,
) -> Alignment:
    """Return the rules of all editions that are there in two languages, side by side; also of those
    that the build found to translate one of another date.

    first_lang, second_lang: the languages, such as `ja` and `en`, in the order of the result.
    rule: only this rule, by its number in either language as a person writes it, or by its name or
        that of a term, and its sub-rules; None for all.
    scope: its game and edition select; its language and source are ignored.
    with_marks: whether the pairs say where terms and citations stand in their texts.

    Raises QuestionError if the languages are the same or unknown, if no edition is there in both,
    or if `rule` is no number of a rule; NotFoundError if the rule is in neither.
    """
    if first_lang == second_lang:
        raise QuestionError("one_language", langs=(first_lang, second_lang))
    langs = (first_lang, second_lang)
    named = rules_by_name(store, rule, scope) if rule else []
    number = normalize_rule_number(rule) if rule and not named else None
    games = loaded_rules(store)
    for lang in langs:
        refuse_unknown_scope(games, scope.game, lang)
    wanted = find_edition(store, games, scope.edition, scope.game) if scope.edition else None
    chosen = [loaded for game, loaded in games.items() if scope.game in (None, game)]
    books = [
        (loaded, edition, other)
        for loaded in chosen
        for edition, other in _editions_in_both(store, loaded, langs)
        if wanted in (None, edition, other)
        if not named or _number_of(named, loaded.game, (edition, other), langs)[0]
    ]
    if not books:
        there_are = list_editions(chosen)
        raise QuestionError("not_in_both", edition=wanted, langs=langs, there_are=there_are)
    aligned = []
    for loaded, edition, other in books:
        own, of_lang = number, None
        if named:
            own, of_lang = _number_of(named, loaded.game, (edition, other), langs)
        aligned.append(
            align_edition(store, loaded, edition, langs, own, with_marks, other, of_lang)
        )
    pairs = tuple(pair for one in aligned for pair in one.pairs)
    problems = tuple(problem for one in aligned for problem in one.problems)
    not_loaded = tuple(each for one in aligned for each in one.not_loaded)
    if number and not (pairs or problems or not_loaded):
        near = near_names(store, number, scope)
        raise NotFoundError("no_rule_in", rule=number, langs=langs, near=near)
    return Alignment(
        langs,
        pairs,
        problems,
        not_loaded,
        tuple(
            loaded.loaded(edition, lang)
            for loaded, *editions in books
            for edition, lang in zip(editions, langs, strict=True)
        ),
        {edition: other for _, edition, other in books if edition != other},
        (
            *_of_two_rules(number, pairs, problems, langs),
            *_other_languages([book[:2] for book in books], langs),
        ),
    )


def _number_of(
    named: Iterable[Node], game: str, editions: tuple[str, str], langs: tuple[str, str]
) -> tuple[str | None, str | None]:
    """Return the number that a rule has in an edition in the first of two languages, or else in the
    second, and that language; None for both if neither has it. named: its versions."""
    numbers = {(node.game, node.edition, node.lang): node.number for node in named}
    for edition, lang in zip(editions, langs, strict=True):
        if number := numbers.get((game, edition, lang)):
            return number, lang
    return None, None


def _of_two_rules(
    number: str | None,
    pairs: Iterable[AlignedPair],
    problems: Iterable[Problem],
    langs: tuple[str, str],
) -> Iterator[LeftOut]:
    """Yield for each edition in which a number is that of another rule in the second language which
    rules these are, by their headings or the beginning of their texts."""
    first = {pair.edition: pair for pair in pairs if pair.number == number and pair.numbers}
    for edition, pair in first.items():
        others = [
            *(other.texts for other in pairs if other.numbers.get(langs[1]) == number),
            *(one.texts for one in problems if one.kind == "missing" and one.number == number),
        ]
        for texts in others:
            if langs[1] in texts and texts != pair.texts:
                said = Reason(
                    "number_of_two_rules",
                    number=number,
                    edition=edition,
                    lang=langs[0],
                    name=pair.texts[langs[0]][:_LONGEST],
                    other=langs[1],
                    other_name=texts[langs[1]][:_LONGEST],
                )
                yield LeftOut(None, said)


def _editions_in_both(
    store: Store, loaded: LoadedRules, langs: tuple[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield (edition in the first language, edition in the second) of the rules that are there in
    both, the oldest of the first first. An edition that is there in both is paired with itself,
    others with the one that the build found to translate them."""
    near = translated_editions(store, loaded.game, *langs)
    for edition in loaded.editions:
        if set(langs) <= set(loaded.langs(edition)):
            yield edition, edition
        elif edition in near:
            yield edition, near[edition]


def _other_languages(
    books: Iterable[tuple[LoadedRules, str]], langs: tuple[str, str]
) -> Iterator[LeftOut]:
    """Yield the languages in which the editions are there besides the two that are aligned, sorted,
    each once with all its editions."""
    others: dict[str, list[LoadedEdition]] = defaultdict(list)
    for loaded, edition in books:
        for lang in loaded.langs(edition):
            if lang not in langs:
                others[lang].append(loaded.loaded(edition, lang))
    for lang in sorted(others):
        loaded_there = describe_loaded(others[lang])
        reason = Reason("in_language", again(other=lang), lang=lang, loaded=loaded_there)
        yield LeftOut(None, reason)
