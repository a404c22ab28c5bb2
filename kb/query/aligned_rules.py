"""Aligns the rules of one edition in two languages: which are there in both, and which in one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from graphs.model import Node
from graphs.store.reader import Store
from kb.language.shifted_sections import Shifts, shifted_sections
from kb.query.aligned_marks import TextMark, marks_in_pair_texts
from kb.query.loaded_rules import Gaps, LoadedRules
from kb.query.rule_successors import is_under
from kb.query.rule_surroundings import Surroundings
from kb.query.translation_differences import Difference, RuleText, text_differences
from kb.query.unnumbered_headings import UnnumberedHeading, unnumbered_headings
from scraper.rulebook.numbering import Key, number_key

_ANOTHER = "′"  # behind a number that another rule has in the first language


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
    """

    game: str
    edition: str
    number: str
    kind: str
    what: str
    only: Mapping[str, tuple[str, ...]]
    spans: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NotLoaded:
    """How many rules of an edition are loaded in the other language, and may be there in this one
    or not: nothing around them is loaded."""

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

    def rule(self, number: str, text: str) -> RuleText:
        """Return a rule as it is compared. text: its text, without what is another's."""
        examples = (self.rules[number].details or {}).get("examples", ())
        cited = self.cited.get(number, {})
        return RuleText(self.lang, text, "\n".join(examples), cited)


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
) -> AlignedEdition:
    """Return the rules of one edition that both languages have, where the two differ, and how many
    rules are loaded in one alone.

    rule: only the rule of this normalized number and its sub-rules; None for all.
    with_marks: whether the pairs have marks.
    """
    first = _read_edition(store, loaded.game, edition, langs[0], {})
    second, shifts = _second_edition(store, loaded.game, edition, langs[1], first)
    sections = dict(shifts.sections)
    books = {langs[0]: first, langs[1]: second}
    texts = _Texts(store, first, second)
    places = {lang: _place_is_loaded(loaded, edition, lang, books) for lang in langs}
    pairs: list[AlignedPair] = []
    problems: list[Problem] = []
    not_loaded: Counter[str] = Counter()
    for name in sorted({*first.rules, *second.rules}, key=_place):
        number = name.rstrip(_ANOTHER)
        if rule and not is_under(number, rule):
            continue
        lacking = next((lang for lang in langs if name not in books[lang].rules), None)
        found = texts.of(name)
        if len(found) == len(langs):
            numbers = _numbers(first, second, name)
            pairs.append(AlignedPair(loaded.game, edition, number, found, numbers=numbers))
        elif lacking and not (shifts.is_in_chapter(number) or places[lacking](number)):
            not_loaded[lacking] += 1
            continue
        differences = [*_other_number(langs, number, sections.get(name))]
        if lacking or name not in shifts.uncertain:
            differences += _differences(first, second, name, found, texts.is_preface(name))
        problems += (Problem(loaded.game, edition, number, *one) for one in differences)
    return AlignedEdition(
        tuple(_with_marks(store, pairs, books) if with_marks else pairs),
        tuple(problems),
        tuple(
            NotLoaded(loaded.game, edition, lang, not_loaded[lang])
            for lang in langs
            if not_loaded[lang]
        ),
    )


def _place(name: str) -> tuple[Key, str]:
    """Return what the names of rules are sorted by."""
    return number_key(name.rstrip(_ANOTHER)), name


def _numbers(first: _Edition, second: _Edition, name: str) -> dict[str, str]:
    """Return the numbers of a rule in both languages if its section has two; else nothing."""
    if name not in first.rules or name not in second.rules:
        return {}
    own = {book.lang: book.rules[name].number or name for book in (first, second)}
    return own if len(set(map(number_key, own.values()))) > 1 else {}


def _other_number(langs: tuple[str, str], number: str, other: str | None) -> Iterator[Difference]:
    """Yield that a section has another number in the second language, if it has."""
    if other:
        what = f"{number} in {langs[0]} is {other} in {langs[1]}"
        yield Difference("renumbered", what, {langs[0]: (number,), langs[1]: (other,)})


def _differences(
    first: _Edition, second: _Edition, name: str, texts: Mapping[str, str], is_preface: bool
) -> Iterator[Difference]:
    """Yield where a rule differs.

    name: of the rule in the two editions.

    texts: by language, of those in which it is there, with a number or without.
    is_preface: whether it is a preface that has a number in one language alone.
    """
    if name in first.rules and name in second.rules:
        yield from text_differences(
            first.rule(name, texts[first.lang]), second.rule(name, texts[second.lang])
        )
        return
    having, lacking = (first, second) if name in first.rules else (second, first)
    number = name.rstrip(_ANOTHER)
    only = {having.lang: (number,)}
    if is_preface:
        return
    if lacking.lang in texts:
        heading = texts[lacking.lang]
        what = f"“{heading}” is {number} in {having.lang}, and has no number in {lacking.lang}"
        yield Difference("unnumbered", what, only)
    else:
        what = f"rule {number} is there in {having.lang}, not in {lacking.lang}"
        yield Difference("missing", what, only, texts=texts)


# -- reading ---------------------------------------------------------------------------------------


def _read_edition(
    store: Store, game: str, edition: str, lang: str, names: Mapping[Key, str]
) -> _Edition:
    """Return the rules of an edition in a language.

    names: what to call the rule of a number, by the number's key; others keep their numbers.
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


def _second_edition(
    store: Store, game: str, edition: str, lang: str, first: _Edition
) -> tuple[_Edition, Shifts]:
    """Return the rules in the second language, named as those of the first that they translate;
    and the sections whose numbers differ."""
    names = {number_key(number): number for number in first.rules}
    alone = _read_edition(store, game, edition, lang, names)
    shifts = shifted_sections(_texts(first), _texts(alone))
    if not shifts.sections:
        return alone, shifts
    for number in alone.rules:
        if shifts.is_in_chapter(number):
            names[number_key(number)] = number + _ANOTHER if number in first.rules else number
    names |= {number_key(other): number for number, other in shifts.match.items()}
    return _read_edition(store, game, edition, lang, names), shifts


def _texts(book: _Edition) -> dict[str, str]:
    return {number: node.text or "" for number, node in book.rules.items()}


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
        """Return the texts of a rule by language, of those in which it is there."""
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
    """Yield the pairs with the terms and citations in their texts."""
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
