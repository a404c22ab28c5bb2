"""Makes the shortlist of a question: the candidates that are ranked closely."""

from __future__ import annotations

from collections.abc import Collection

from graphs.store.reader import Store
from kb.query.answers.aligned_words import with_aligned_words
from kb.query.answers.bm25 import ScoredCandidate, score_candidate
from kb.query.answers.candidates import any_of_query, find_candidates
from kb.query.answers.features import Shortlist
from kb.query.answers.meanings import compare_meanings, nearest_passages
from kb.query.answers.question import QueryTerm, Question, parse_question
from kb.query.answers.same_passages import deduplicated
from kb.query.answers.term_weights import weighted_terms
from kb.query.common_filters import EVERYTHING, Scope
from kb.query.near.encoder import Encoder

_LEAST_COVERAGE = 0.1  # of the query terms, by weight, by a passage on the shortlist
# Passages that are reranked: in the language of the question, and in the other one.
_MOST_SHORTLISTED, _MOST_OTHER_LANGUAGE = 60, 45
_LEAST_SCORE = 9.0  # the rough score of an answer beside the rule that a question names


def shortlist(
    store: Store,
    text: str,
    game: str | None = None,
    scope: Scope = EVERYTHING,
    encoder: Encoder | None = None,
) -> Shortlist | None:
    """Return the best candidates by their rough scores, at most 40, ready to be reranked; None
    if there is no answer.

    There is none if the question has neither query terms nor the number of a rule, if it is about a
    game that is not loaded, or if no passage has its words.

    text, game: as for `ask`. scope: its edition and language, if any, are those of the passages.
    encoder: makes vectors of meanings, if they are to be compared; the passages nearest to the
        question are on the shortlist, too.
    """
    question = with_aligned_words(store, parse_question(store, text, game))
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
    """Return the best of ranked candidates, each language's: scores of one language say little
    beside those of another.

    lang: the language of the question, `ja` or `en`. nearest: ids of passages that are kept.
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
    """Return in how many passages each query term of a question occurs."""
    return {
        query_term: store.passages.frequency(any_of_query(query_term.all_forms))
        for query_term in question.query_terms
    }
