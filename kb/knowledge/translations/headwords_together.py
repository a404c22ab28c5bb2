"""Proposes English names for terms of further languages, such as German, and these for the English
ones: by the aligned rules in which the two headwords stand together.

Glossaries that are sorted anew tell nothing by their order, and not every term heads a rule. But of
two lists of headwords, those that translate each other stand in the same rules.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from graphs.writing.names_and_merges import NodeName
from graphs.writing.rules import StatedRule
from kb.knowledge.translations.proposed_names import log_likelihood_ratio
from kb.language.english_inflection import EnglishFinder
from kb.language.fold import is_japanese

# By hand, with the headwords of Lorcana in German (2026-04-30), each pair read: 61 of 63 are right;
# and of 30 of Magic's in Chinese (2022-06-10) that no order tells, all.
_LEAST_SCORE = 10.0  # as that of `proposed_names`; a few rules that nothing else shares
_LEAST_OF_RULE = 0.5  # of the score, for each rule: headwords in most rules meet by chance
_LEAST_DICE = 0.45  # the share of two headwords' rules that they have in common
_LONGEST = 6_000  # characters of a rule that are read; a guard, as in `aligned_texts`
_MOST_RULES = 20_000  # of a game; a guard, as in `translations`
_MOST_EXAMPLES = 3  # places shown for a pair
_PLAIN = 5  # letters of a word that are looked for at least; endings behind them differ

_HEAD = re.compile(r"\s*(?P<name>[^.:;\n–—]{1,40}?)\s+[–—-]\s")  # of a rule: `Ready – When a card`

Span = tuple[int, int]


class HeadwordPair(NamedTuple):
    """A term with an English name and one with a name in another language that stand together.

    english_term, term: their ids. english, name: the names. score: the log-likelihood ratio.
    both, of: in how many rules both stand, of those with the English one.
    examples: the first rules with both, as (the English rule, where the name is in its passage, the
        other rule, where the name is there).
    """

    english_term: str
    term: str
    lang: str
    english: str
    name: str
    score: float
    both: int
    of: int
    examples: tuple[tuple[StatedRule, Span, StatedRule, Span], ...]


def headwords_together(
    groups: Iterable[Sequence[StatedRule]], names: Iterable[NodeName]
) -> Iterator[HeadwordPair]:
    """Yield the headwords that are likely to translate each other, of terms that lack a name in the
    other language, each once: by language, the likeliest first.

    groups: the rules of one game that are there in several languages, of one number each.
    names: the preferred and other names of its terms, as pages state them.
    """
    of_term: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name in sorted(names, key=lambda each: (each.node, each.role != "preferred", each.text)):
        if name.role in ("preferred", "alias"):
            of_term[name.node][name.lang].append(name.text)
    langs = {lang for of_lang in of_term.values() for lang in of_lang} - {"ja", "en"}
    pairs: dict[str, dict[tuple[str, str], tuple[StatedRule, StatedRule]]] = defaultdict(dict)
    for group in groups:
        of_lang = {rule.lang: rule for rule in group if len(rule.text) <= _LONGEST}
        for lang in langs & of_lang.keys() if "en" in of_lang else ():
            english, other = of_lang["en"], of_lang[lang]
            if len(pairs[lang]) < _MOST_RULES:  # of editions with the same words the first
                pairs[lang].setdefault((english.text, other.text), (english, other))
    for lang in sorted(pairs):
        ours = {term: of["en"] for term, of in of_term.items() if "en" in of and lang not in of}
        theirs = {term: of[lang] for term, of in of_term.items() if lang in of and "en" not in of}
        if ours and theirs:
            yield from _together(lang, list(pairs[lang].values()), ours, theirs)


def _together(
    lang: str,
    pairs: Sequence[tuple[StatedRule, StatedRule]],
    ours: Mapping[str, Sequence[str]],
    theirs: Mapping[str, Sequence[str]],
) -> Iterator[HeadwordPair]:
    """Yield the pairs of terms of which each is the best that is left for the other."""
    finder = EnglishFinder((term, name) for term, named in ours.items() for name in named)
    patterns = {
        term: re.compile("|".join(map(_pattern, named)), re.IGNORECASE)
        for term, named in theirs.items()
    }
    with_english: dict[str, dict[int, Span]] = defaultdict(dict)
    with_other: dict[str, dict[int, Span]] = defaultdict(dict)
    for place, (english, other) in enumerate(pairs):
        for found in finder.find(english.text[english.start :]):
            for term in found.concepts:
                span = found.start + english.start, found.end + english.start
                with_english[term].setdefault(place, span)
        for term, pattern in patterns.items():
            if match := pattern.search(other.text, other.start):
                with_other[term][place] = match.span()
    heads = _heads(pairs, ours, theirs)
    scored: list[tuple[int, float, str, str]] = []
    for (one, places), (two, others) in product(with_english.items(), with_other.items()):
        both = len(places.keys() & others.keys())
        if 2 * both >= _LEAST_DICE * (len(places) + len(others)):
            score = log_likelihood_ratio(both, len(places), len(others), len(pairs))
            if score >= max(_LEAST_SCORE, both * _LEAST_OF_RULE) or heads[one, two]:
                scored.append((-heads[one, two], -score, one, two))
    done: set[str] = set()
    for _, score, one, two in sorted(scored):
        if not done & {one, two}:
            done |= {one, two}
            common = sorted(with_english[one].keys() & with_other[two].keys())
            examples = tuple(
                (pairs[at][0], with_english[one][at], pairs[at][1], with_other[two][at])
                for at in common[:_MOST_EXAMPLES]
            )
            yield HeadwordPair(
                one, two, lang, ours[one][0], theirs[two][0], round(-score, 2), len(common),
                len(with_english[one]), examples,
            )  # fmt: skip


def _heads(
    pairs: Sequence[tuple[StatedRule, StatedRule]],
    ours: Mapping[str, Sequence[str]],
    theirs: Mapping[str, Sequence[str]],
) -> Counter[tuple[str, str]]:
    """Return how many rules begin with a name of two terms and a dash, in either language: as one
    that is inflected stands for several headwords, these go before all others."""
    terms: list[dict[str, list[str]]] = [defaultdict(list), defaultdict(list)]
    for of_name, named in zip(terms, (ours, theirs), strict=True):
        for term, texts in named.items():
            for text in texts:
                of_name[text.casefold()].append(term)
    found: Counter[tuple[str, str]] = Counter()
    for pair in pairs:
        heads = [_HEAD.match(rule.text, rule.start) for rule in pair]
        one, other = (
            of_name.get(head["name"].casefold(), []) if head else []
            for head, of_name in zip(heads, terms, strict=True)
        )
        found.update(product(one, other))
    return found


def _pattern(name: str) -> str:
    """Return the pattern of a name in any inflection, by the beginnings of its words; of a script
    without spaces, of the name itself.

    >>> [bool(re.search(_pattern("kleines Boot"), text)) for text in ("kleine Boote", "Bootsmann")]
    [True, False]
    """
    if is_japanese(name):
        return re.escape(name)
    stems = (word[: max(_PLAIN, len(word) - 2)] for word in name.split())
    return r"\b" + r"\w{0,4}\W+".join(map(re.escape, stems)) + r"\w{0,4}\b"
