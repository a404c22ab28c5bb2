"""Compares a rule in two languages: the rules that it cites and the amounts that it states."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kb.language.amounts import Amount, differing_amounts
from kb.language.citation_grammar import find_citations
from kb.language.citation_patterns import fold_width
from kb.query.rule_successors import is_under
from scraper.rulebook.languages import alternatives
from scraper.rulebook.numbering import number_key

Spans = tuple[tuple[int, int], ...]
_SHORTEST = 3  # characters of a number that no other number in a text is taken for
_INLINE_EXAMPLE = re.compile(
    r"\be\.g\.|\b(?:for|as an) (?:example|instance)\b|たとえば|例えば"
    rf"|(?:{alternatives(lambda language: language.example)})s?\s?[:：]",
    re.IGNORECASE,
)


class RuleText(NamedTuple):
    """A rule in one language.

    examples: those below it, a line each.
    cited: the rules that it cites, as {name: number in this language}. A rule has one name in both
        languages: its number in the first.
    """

    lang: str
    text: str
    examples: str
    cited: Mapping[str, str]


class Difference(NamedTuple):
    """A difference between two languages at one rule; the fields are those of `Problem`."""

    kind: str
    what: str
    only: Mapping[str, tuple[str, ...]]
    spans: Mapping[str, Spans] = {}
    texts: Mapping[str, str] = {}


def text_differences(first: RuleText, second: RuleText) -> Iterator[Difference]:
    """Yield where a rule says different things in two languages, at most once a kind."""
    cited = {
        first.lang: _cited_alone(first, second),
        second.lang: _cited_alone(second, first),
    }
    if any(cited.values()):
        spans = {
            rule.lang: _citation_spans(rule.text, cited[rule.lang]) for rule in (first, second)
        }
        yield Difference("citations", _in_words(cited, "cites"), cited, spans)
    amounts = _amounts_alone(first, second)
    if any(amounts.values()):
        values = {lang: tuple(map(_value_text, found)) for lang, found in amounts.items()}
        spans = {
            lang: tuple((one.start, one.end) for one in found) for lang, found in amounts.items()
        }
        yield Difference("numbers", _in_words(values, "says"), values, spans)


def _in_words(only: Mapping[str, tuple[str, ...]], verb: str) -> str:
    return "; ".join(
        f"{lang} alone {verb} {', '.join(found)}" for lang, found in only.items() if found
    )


def _cited_alone(rule: RuleText, other: RuleText) -> tuple[str, ...]:
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
    """Return whether a number with levels stands in a text, in whatever words."""
    if len(number) < _SHORTEST:
        return False
    return bool(re.search(rf"(?<![\w.-]){re.escape(number)}(?![\w-]|\.\d)", text))


def _citation_spans(text: str, numbers: tuple[str, ...]) -> Spans:
    """Return where a text cites some rules."""
    found = find_citations(text, known=frozenset(numbers)) if numbers else ()
    return tuple(dict.fromkeys((one.start, one.end) for one in found if one.number in numbers))


def _amounts_alone(first: RuleText, second: RuleText) -> dict[str, tuple[Amount, ...]]:
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


def _value_text(amount: Amount) -> str:
    return f"{amount.value:,}"
