"""Finds what a word of a question is called in the other language, in rules that are aligned."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from graphs.store.reader import Store
from graphs.store.sql_passage_filter import PassageFilter
from kb.query.answers.candidates import any_of_query
from kb.query.answers.question import Question
from kb.query.answers.stop_words import STOP_WORDS
from kb.query.answers.term_weights import PASSAGES

_MOST_TERMS = 3  # words of a question that are looked up
_LEAST_IMPORTANCE = 0.6  # of these words
_MOST_PASSAGES = 80  # with the word, that are looked at
_LEAST_PAIRS = 3  # of aligned rules that have both words
_MOST_COMPARED = 2  # words of the other language, the likeliest
_LEAST_DICE = 0.4  # Dice's coefficient of two words that translate each other
_MOST_WORDS = 2  # translations of a word


def with_aligned_words(store: Store, question: Question) -> Question:
    """Return a question whose words have translations from aligned rules as related forms.

    Only nouns, verbs and adjectives that neither the graph nor the thesaurus has in the other
    language, three of them at most, the rarest: looking them up takes some 20 ms a word.
    """
    other_is_ascii = question.lang == "ja"
    unknown = [
        term
        for term in question.query_terms
        if term.importance >= _LEAST_IMPORTANCE
        and all(form.isascii() != other_is_ascii for form in term.expanded_forms)
    ]
    if not unknown or len({lang for _, _, lang in store.editions()}) < 2:
        return question  # or no rules are aligned
    frequency = {
        term: store.passages.frequency(any_of_query(term.forms[question.lang])) for term in unknown
    }
    rare = sorted((term for term in unknown if frequency[term]), key=lambda term: frequency[term])
    found = {
        term: replace(
            term,
            related=term.related | aligned_words(store, term.forms[question.lang], question.lang),
        )
        for term in rare[:_MOST_TERMS]
    }
    terms = tuple(found.get(term, term) for term in question.query_terms)
    return replace(question, query_terms=terms)


def aligned_words(store: Store, forms: Iterable[str], lang: str) -> frozenset[str]:
    """Return the words of the other language that translate a word, as aligned rules show.

    Rules with the word are looked up, and the rules that translate them; a word of these that
    stands there and nowhere else is its translation (by Dice's coefficient). Empty if no rule is
    aligned, or if no word stands out.

    forms: the word, in normal forms. lang: its language, `ja` or `en`.
    """
    pairs = _aligned_rules(store, forms, lang)
    if len(pairs) < _LEAST_PAIRS:
        return frozenset()
    texts = _words(store, pairs.values())
    counts = Counter(word for words in texts.values() for word in words)
    frequent = [
        word
        for word, count in counts.items()
        if count >= max(_LEAST_PAIRS, len(texts) / 3)
        and word.isalpha()
        and word not in STOP_WORDS
        and word.isascii() == (lang == "ja")
    ]
    rarity = {word: store.passages.frequency(any_of_query([word])) for word in frequent}
    frequent.sort(key=lambda word: (-counts[word] * math.log(PASSAGES / (1 + rarity[word])), word))
    other = "en" if lang == "ja" else "ja"
    found: dict[str, float] = {}
    for word in frequent[:_MOST_COMPARED]:
        aligned = len(_aligned_rules(store, [word], other))
        dice = 2 * counts[word] / (len(texts) + max(aligned, counts[word]))
        if dice >= _LEAST_DICE:
            found[word] = dice
    return frozenset(sorted(found, key=lambda word: (-found[word], word))[:_MOST_WORDS])


def _aligned_rules(store: Store, forms: Iterable[str], lang: str) -> dict[str, str]:
    """Return {rule: the rule that it is a translation of, or the other way} for rules of a language
    that have one of some forms."""
    narrow = PassageFilter(lang=lang)
    rows = store.passages.matching(any_of_query(forms), _MOST_PASSAGES, narrow)
    rules = {rule for _, rule, _ in rows if rule}
    pairs = {}
    for edge in store.edges(rules, "both", ["translates"]):
        source, target = edge.source, edge.target or ""
        pairs.update({source: target} if source in rules else {target: source})
    return pairs


def _words(store: Store, rules: Iterable[str]) -> Mapping[str, set[str]]:
    """Return {passage: its words} for the passages that give some rules."""
    passages = store.passages.first_passage_giving(rules).values()
    return {key: set(found.words.split()) for key, found in store.passages.lookup(passages).items()}
