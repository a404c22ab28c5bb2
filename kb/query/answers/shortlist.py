"""Makes the shortlist of a question: the candidates that are ranked closely."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from graphs.store.reader import Store
from graphs.store.sql_passage_filter import PassageFilter
from kb.query.answers.bm25 import ScoredCandidate, score_candidate
from kb.query.answers.candidates import any_of_query, find_candidates
from kb.query.answers.features import Shortlist
from kb.query.answers.meanings import compare_meanings, nearest_passages
from kb.query.answers.question import QueryTerm, Question, parse_question
from kb.query.answers.same_passages import deduplicated
from kb.query.answers.stop_words import STOP_WORDS
from kb.query.answers.term_weights import PASSAGES, weighted_terms
from kb.query.lookup.common_filters import EVERYTHING, Scope
from kb.query.near.encoder import Encoder

# Of the query terms, by weight, by a passage on the shortlist. By hand, halved when refusals were
# fitted by features: what covers little is refused there, and here only noise is kept away.
_LEAST_COVERAGE = 0.1
# Passages that are reranked: in the language of the question, and in the other one. By hand, raised
# from 40 in all: more cost time, fewer lose answers that only the features tell.
_MOST_SHORTLISTED, _MOST_OTHER_LANGUAGE = 60, 45
# The rough score of an answer beside the rule that a question names. By hand: some two rare words
# in a short passage; lower adds passages that share a word with the question.
_LEAST_SCORE = 9.0
# Of the translations that aligned rules show, all by hand:
_MOST_TERMS = 3  # words of a question that are looked up: each takes some 20 ms
_LEAST_IMPORTANCE = 0.6  # of these words: an adjective's, the least that is more than an adverb's
_MOST_PASSAGES = 80  # with the word, that are looked at: more take longer and count the same
_LEAST_PAIRS = 3  # of aligned rules that have both words: fewer may be chance
_MOST_COMPARED = 2  # words of the other language, the likeliest
_LEAST_DICE = 0.4  # Dice's coefficient of two words that translate each other; 1 is always together
_MOST_WORDS = 2  # translations of a word


def shortlist(
    store: Store,
    text: str,
    game: str | None = None,
    scope: Scope = EVERYTHING,
    encoder: Encoder | None = None,
) -> Shortlist | None:
    """Return the best candidates by their rough scores, ready to be reranked: at most 60 in the
    question's language and 45 in the other, besides the nearest in meaning; None if there is no
    answer.

    There is none if the question has neither query terms nor the number of a rule, if it is about a
    game that is not loaded, or if no passage has its words. Of what says the same one is there.

    text, game: as for `ask`. scope: its edition and language, if any, are those of the passages.
    encoder: makes vectors of meanings, if they are to be compared; the passages nearest to the
        question are on the shortlist, too.
    """
    question = with_aligned_words(store, parse_question(store, text, game, scope))
    if question.missing_games and not question.games:
        return None
    frequencies = term_frequencies(store, question)
    if not frequencies and not question.rule_ids:
        return None  # nothing to search for
    terms = {lang: weighted_terms(question, frequencies, lang) for lang in ("ja", "en")}
    nearest: frozenset[str] = frozenset()
    if encoder and not question.rule_ids:
        nearest = nearest_passages(store, encoder, question, scope)
    scored_candidates = [
        score_candidate(
            candidate, question, terms["en" if candidate.passage.lang == "en" else "ja"]
        )
        for candidate in find_candidates(store, question, frequencies, scope, nearest)
    ]
    # If the question names a rule, that rule is the answer; others must match very well.
    least_score = _LEAST_SCORE if question.rule_ids else 0.0
    ranked = [
        scored
        for scored in scored_candidates
        if (scored.coverage >= _LEAST_COVERAGE and scored.score > least_score)
        or scored.passage.id in nearest
    ]
    ranked.sort(key=lambda scored: (-scored.score, scored.passage.id))
    if not ranked:
        return None
    ranked = _shortened(deduplicated(ranked), question.lang, nearest)
    ids = [scored.passage.id for scored in ranked]
    nodes, neighbours = store.get(ids), store.passages.neighbouring_words(ids)
    return Shortlist(
        ranked,
        [nodes[passage_id].text or "" for passage_id in ids],
        [neighbours.get(passage_id, "") for passage_id in ids],
        question,
        terms,
        frequencies,
        compare_meanings(store, encoder, question, ids) if encoder else (),
    )


def _shortened(
    ranked: list[ScoredCandidate], lang: str, nearest: Collection[str]
) -> list[ScoredCandidate]:
    """Return the best of ranked candidates, 60 in the question's language and 45 in others, in
    their
    order: scores of one language say little beside those of another.

    lang: the language of the question, `ja` or `en`. nearest: ids of passages that are kept,
        however many there are.
    """
    left = {True: _MOST_SHORTLISTED, False: _MOST_OTHER_LANGUAGE}
    kept = []
    for scored in ranked:
        is_own = (scored.passage.lang == "en") == (lang == "en")
        if left[is_own] or scored.passage.id in nearest:
            left[is_own] = max(0, left[is_own] - 1)
            kept.append(scored)
    return kept


def term_frequencies(store: Store, question: Question) -> dict[QueryTerm, int]:
    """Return in how many passages each query term of a question occurs, in any of its forms; 0 if
    in none. Related forms don't count."""
    return {
        query_term: store.passages.frequency(any_of_query(query_term.all_forms))
        for query_term in question.query_terms
    }


def with_aligned_words(store: Store, question: Question) -> Question:
    """Return a question whose words have translations from aligned rules as related forms.

    Only nouns, verbs and adjectives that neither the graph nor the thesaurus has in the other
    language, three of them at most, the rarest that any passage has: looking them up takes some
    20 ms a word. If all rules are in one language, the question is returned as it is.
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
    """Return the words of the other language that translate a word, as aligned rules show; two at
    most.

    Rules with the word are looked up, and the rules that translate them; a word of these that
    stands there and seldom elsewhere is its translation (Dice's coefficient of at least 0.4). Empty
    if fewer than three such rules are aligned, or if no word stands out.

    forms: the word, in normal forms; any of them counts. lang: its language, `ja` or `en`.
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
    that have one of some forms, among the 80 best passages; without rules that are not aligned."""
    narrow = PassageFilter(lang=lang)
    rows = store.passages.matching(any_of_query(forms), _MOST_PASSAGES, narrow)
    rules = {rule for _, rule, _ in rows if rule}
    pairs = {}
    for edge in store.edges(rules, "both", ["translates"]):
        source, target = edge.source, edge.target or ""
        pairs.update({source: target} if source in rules else {target: source})
    return pairs


def _words(store: Store, rules: Iterable[str]) -> Mapping[str, set[str]]:
    """Return {id of a passage: its words} for the first passages that give some rules, by ids."""
    passages = store.passages.first_passage_giving(rules).values()
    return {key: set(found.words.split()) for key, found in store.passages.lookup(passages).items()}
