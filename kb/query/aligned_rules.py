"""Aligns the rules of one edition in two languages: which are there in both, and which in one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from graphs.model import Node
from graphs.store.reader import Store
from kb.query.aligned_marks import TextMark, marks_in_pair_texts
from kb.query.loaded_rules import Gaps, LoadedRules
from kb.query.rule_successors import is_under
from kb.query.rule_surroundings import Surroundings
from kb.query.translation_differences import Difference, RuleText, text_differences
from kb.query.unnumbered_headings import UnnumberedHeading, unnumbered_headings
from scraper.rulebook.numbering import Key, number_key


@dataclass(frozen=True, slots=True)
class AlignedPair:
    """A rule that is there in both languages; `texts` is its text by language.

    marks: the terms and citations in the texts, by language; empty unless they were asked for.
    """

    game: str
    edition: str
    number: str
    texts: Mapping[str, str]
    marks: Mapping[str, tuple[TextMark, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Problem:
    """A difference between the two languages at one rule.

    kind: `missing` if the rule is not there in one language, `unnumbered` if it is a heading that
        has no number there, `citations` if the texts cite different rules, `numbers` if they state
        different amounts.
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

    rules: by number, written as in the first of the two languages.
    cited: the numbers that each rule cites, itself and those above it excepted.
    """

    lang: str
    rules: Mapping[str, Node]
    cited: Mapping[str, frozenset[str]]

    def rule(self, number: str, text: str) -> RuleText:
        """Return a rule as it is compared. text: its text, without what is another's."""
        examples = (self.rules[number].details or {}).get("examples", ())
        cited = self.cited.get(number, frozenset())
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
    spelling = {number_key(number): number for number in first.rules}
    second = _read_edition(store, loaded.game, edition, langs[1], spelling)
    books = {langs[0]: first, langs[1]: second}
    texts = _Texts(store, first, second)
    places = {lang: _place_is_loaded(loaded, edition, lang, books) for lang in langs}
    pairs: list[AlignedPair] = []
    problems: list[Problem] = []
    not_loaded: Counter[str] = Counter()
    for number in sorted({*first.rules, *second.rules}, key=number_key):
        if rule and not is_under(number, rule):
            continue
        lacking = next((lang for lang in langs if number not in books[lang].rules), None)
        found = texts.of(number)
        if len(found) == len(langs):
            pairs.append(AlignedPair(loaded.game, edition, number, found))
        elif lacking and not places[lacking](number):
            not_loaded[lacking] += 1
            continue
        problems += (
            Problem(loaded.game, edition, number, *difference)
            for difference in _differences(first, second, number, found, texts.is_preface(number))
        )
    return AlignedEdition(
        tuple(_with_marks(store, pairs, books) if with_marks else pairs),
        tuple(problems),
        tuple(
            NotLoaded(loaded.game, edition, lang, not_loaded[lang])
            for lang in langs
            if not_loaded[lang]
        ),
    )


def _differences(
    first: _Edition, second: _Edition, number: str, texts: Mapping[str, str], is_preface: bool
) -> Iterator[Difference]:
    """Yield where a rule differs.

    texts: by language, of those in which it is there, with a number or without.
    is_preface: whether it is a preface that has a number in one language alone.
    """
    if number in first.rules and number in second.rules:
        yield from text_differences(
            first.rule(number, texts[first.lang]), second.rule(number, texts[second.lang])
        )
        return
    having, lacking = (first, second) if number in first.rules else (second, first)
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
    store: Store, game: str, edition: str, lang: str, spelling: Mapping[Key, str]
) -> _Edition:
    """Return the rules of an edition in a language.

    spelling: how to write a number, by its key; numbers whose key is not there stay as they are.
    """
    rules: dict[str, Node] = {}
    for node in store.rules(game, edition, lang):
        if node.number:
            number = spelling.get(number_key(node.number), node.number)
            rules[node.number if number in rules else number] = node
    own = {node.number: number for number, node in rules.items()}
    cited: dict[str, set[str]] = defaultdict(set)
    for citing, cited_id in store.citations(game, edition, lang):
        number, target = own.get(citing, citing), cited_id.rpartition("/")[2]
        target = spelling.get(number_key(target), target)
        if not is_under(number, target):
            cited[number].add(target)
    return _Edition(lang, rules, {number: frozenset(found) for number, found in cited.items()})


class _Texts:
    """The texts of rules in two languages, where headings that lack their numbers are found."""

    def __init__(self, store: Store, first: _Edition, second: _Edition) -> None:
        self._books = (first, second)
        self._headings = {
            **unnumbered_headings(store, first.rules, second.rules),
            **unnumbered_headings(store, second.rules, first.rules),
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


def _place_is_loaded(
    loaded: LoadedRules, edition: str, lang: str, books: Mapping[str, _Edition]
) -> Callable[[str], bool]:
    """Return a function that says whether an edition is loaded in a language where a rule of a
    number would stand, so that the rule is missing if it is not there."""
    if loaded.loaded(edition, lang).whole:
        return lambda number: True
    numbers = {number for book in books.values() for number in book.rules}
    same = {number: number for number in books[lang].rules}
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
