"""Compares the rules of one edition in two languages: which are there in both, and where the two
say different things."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from graphs.model import Node
from graphs.store.reader import Store
from kb.language.amounts import Amount, differing_amounts
from kb.language.citation_grammar import find_citations
from kb.language.citation_patterns import fold_width
from kb.query.loaded_rules import Gaps, LoadedRules
from kb.query.rule_successors import is_under
from kb.query.rule_surroundings import Surroundings
from kb.query.unnumbered_headings import UnnumberedHeading, unnumbered_headings
from scraper.rulebook.languages import alternatives
from scraper.rulebook.numbering import number_key

Span = tuple[int, int]
_INLINE_EXAMPLE = re.compile(
    rf"\be\.g\.|\b(?:for|as an) (?:example|instance)\b|たとえば|例えば"
    rf"|(?:{alternatives(lambda language: language.example)})s?\s?[:：]",
    re.IGNORECASE,
)


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
class TextMark:
    """A term or citation in text[start:end] of a rule.

    kind: `term` or `citation`.
    target: the id of the term, or of the rule that is cited.
    names: the term's names in the other language, preferred ones first; of a citation none.
    """

    kind: str
    start: int
    end: int
    target: str
    names: tuple[str, ...] = ()


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
    """

    game: str
    edition: str
    number: str
    kind: str
    what: str
    only: Mapping[str, tuple[str, ...]]
    spans: Mapping[str, tuple[Span, ...]] = field(default_factory=dict)


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

    def text(self, number: str) -> str:
        return self.rules[number].text or ""

    def examples(self, number: str) -> str:
        """Return the examples below a rule, a line each."""
        return "\n".join((self.rules[number].details or {}).get("examples", ()))


def align_edition(
    store: Store, loaded: LoadedRules, edition: str, langs: tuple[str, str], rule: str | None
) -> tuple[list[AlignedPair], list[Problem], list[NotLoaded]]:
    """Return the rules of one edition that both languages have, and where the languages differ,
    both sorted by number; a rule with a problem may be in both lists. And how many rules are
    loaded in one language alone.

    rule: only the rule of this normalized number and its sub-rules; None for all.
    """
    first = _read_edition(store, loaded.game, edition, langs[0])
    spelling = {number_key(number): number for number in first.rules}
    second = _read_edition(store, loaded.game, edition, langs[1], spelling)
    books = {langs[0]: first, langs[1]: second}
    headings = {
        **unnumbered_headings(store, first.rules, second.rules),
        **unnumbered_headings(store, second.rules, first.rules),
    }
    behind = {heading.behind: heading for heading in headings.values() if heading.behind}
    places = {lang: _place_is_loaded(loaded, edition, lang, books) for lang in langs}
    pairs: list[AlignedPair] = []
    problems: list[Problem] = []
    not_loaded: Counter[str] = Counter()
    for number in sorted({*first.rules, *second.rules}, key=number_key):
        if rule and not is_under(number, rule):
            continue
        having = [lang for lang in langs if number in books[lang].rules]
        lacking = next((lang for lang in langs if lang not in having), "")
        if not lacking:
            texts = {lang: _own_text(books[lang], number, behind) for lang in langs}
            pairs.append(AlignedPair(loaded.game, edition, number, texts))
            differences = _differences(first, second, number, texts)
        elif number in headings:
            heading = headings[number].text
            own = books[having[0]].text(number)
            texts = {lang: heading if lang == lacking else own for lang in langs}
            pairs.append(AlignedPair(loaded.game, edition, number, texts))
            differences = iter([_without_number(number, having[0], lacking, heading)])
        elif places[lacking](number):
            differences = iter([_missing(number, having[0], lacking)])
        else:
            not_loaded[lacking] += 1
            continue
        problems += (Problem(loaded.game, edition, number, *one) for one in differences)
    left = [NotLoaded(loaded.game, edition, lang, not_loaded[lang]) for lang in langs]
    return pairs, problems, [one for one in left if one.rules]


_Difference = tuple[str, str, dict[str, tuple[str, ...]], dict[str, tuple[Span, ...]]]


def _missing(number: str, having: str, lacking: str) -> _Difference:
    what = f"rule {number} is there in {having}, not in {lacking}"
    return "missing", what, {having: (number,)}, {}


def _without_number(number: str, having: str, lacking: str, heading: str) -> _Difference:
    what = f"“{heading}” is {number} in {having}, and has no number in {lacking}"
    return "unnumbered", what, {having: (number,)}, {}


# -- reading ---------------------------------------------------------------------------------------


def _read_edition(
    store: Store, game: str, edition: str, lang: str, spelling: Mapping[tuple[int, ...], str] = {}
) -> _Edition:
    """Return the rules of an edition in a language.

    spelling: how to write a number, by its key; numbers whose key is not there stay as they are.
    """
    rules: dict[str, Node] = {}
    for node in store.rules(game, edition, lang):
        if node.number:
            written = spelling.get(number_key(node.number), node.number)
            rules[node.number if written in rules else written] = node
    names = {node.number: number for number, node in rules.items()}
    cited: dict[str, set[str]] = defaultdict(set)
    for number, cited_id in store.citations(game, edition, lang):
        citing, target = names.get(number, number), cited_id.rpartition("/")[2]
        target = spelling.get(number_key(target), target)
        if not is_under(citing, target):
            cited[citing].add(target)
    return _Edition(lang, rules, {number: frozenset(found) for number, found in cited.items()})


def _own_text(book: _Edition, number: str, headings: Mapping[str, UnnumberedHeading]) -> str:
    """Return the text of a rule without the heading at its end that is another rule's.

    headings: by the id of the rule that they stand behind.
    """
    heading = headings.get(book.rules[number].id)
    return book.text(number).removesuffix(f"\n{heading.text}") if heading else book.text(number)


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


# -- comparing -------------------------------------------------------------------------------------


def _differences(
    first: _Edition, second: _Edition, number: str, texts: Mapping[str, str]
) -> Iterator[_Difference]:
    """Yield where the two texts of a rule differ."""
    cited = {one.lang: _cited_alone(one, other, number) for one, other in _both_ways(first, second)}
    if any(cited.values()):
        parts = [f"{lang} alone cites {', '.join(found)}" for lang, found in cited.items() if found]
        spans = {lang: _citation_spans(texts[lang], found) for lang, found in cited.items()}
        yield "citations", "; ".join(parts), cited, spans
    amounts = _differing_amounts(first, second, number, texts)
    if any(amounts.values()):
        values = {lang: tuple(map(_value_text, found)) for lang, found in amounts.items()}
        parts = [f"{lang} alone says {', '.join(found)}" for lang, found in values.items() if found]
        where = {
            lang: tuple((one.start, one.end) for one in found) for lang, found in amounts.items()
        }
        yield "numbers", "; ".join(parts), values, where


def _both_ways(first: _Edition, second: _Edition) -> tuple[tuple[_Edition, _Edition], ...]:
    return (first, second), (second, first)


def _cited_alone(one: _Edition, other: _Edition, number: str) -> tuple[str, ...]:
    """Return the numbers that a rule cites in one language alone, sorted.

    A rule is cited in the other language, too, if a sub-rule of it is, if an example below the rule
    cites it, or if its number stands there in any other way.
    """
    there = other.cited.get(number, frozenset())
    alone = [
        cited
        for cited in one.cited.get(number, frozenset()) - there
        if not any(is_under(deeper, cited) for deeper in there)
    ]
    if not alone:
        return ()
    text = fold_width(f"{other.text(number)}\n{other.examples(number)}")
    return tuple(sorted((cited for cited in alone if not _stands_in(cited, text)), key=number_key))


def _stands_in(number: str, text: str) -> bool:
    """Return whether a number with levels stands in a text, in whatever words."""
    if len(number) < 3:
        return False
    return bool(re.search(rf"(?<![\w.-]){re.escape(number)}(?![\w-]|\.\d)", text))


def _citation_spans(text: str, numbers: tuple[str, ...]) -> tuple[Span, ...]:
    """Return where a text cites some rules."""
    found = find_citations(text, known=frozenset(numbers))
    return tuple(dict.fromkeys((one.start, one.end) for one in found if one.number in numbers))


def _differing_amounts(
    first: _Edition, second: _Edition, number: str, texts: Mapping[str, str]
) -> dict[str, tuple[Amount, ...]]:
    """Return the amounts that a rule states in one language and the other neither states nor
    implies, neither in the rule nor in the examples below it, by language. What an example within
    the text states does not count."""
    rules, beside = [], []
    for book in (first, second):
        text = texts[book.lang]
        example = _INLINE_EXAMPLE.search(text)
        end = example.start() if example else len(text)
        rules.append(text[:end])
        beside.append(f"{text[end:]}\n{book.examples(number)}")
    found = differing_amounts(rules[0], first.lang, rules[1], second.lang, (beside[0], beside[1]))
    return {first.lang: found[0], second.lang: found[1]}


def _value_text(amount: Amount) -> str:
    return f"{amount.value:,}" if isinstance(amount.value, int) else str(amount.value)
