"""Ranks candidate passages roughly, with BM25 scores of the query terms that they contain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from graphs.store.passage_index import IndexedPassage
from kb.query.answers.candidates import Candidate
from kb.query.answers.question import QueryTerm, Question, stem_words
from kb.query.answers.term_weights import WeightedTerm
from kb.reason import Reason

# Numbers for a rough order, set by hand with the first 216 labelled questions. The weights of
# `rerank` and `refusal` were fitted to what these give: who changes one fits those again.
_USUAL_LENGTH = 45  # words; the mean of the rulebooks' passages is 29, three quarters have up to 41
_CONTEXT_WORTH = 0.7  # of a term in the headings above, or in the parent rule
_NAMED_SCORE = 100.0  # of a rule that the question names: more than words alone bring
RELATED_WORTH = 0.7  # of a related word, compared with the term itself
# {kind of statement: kinds of questions that it answers}
_KINDS_ANSWERED = {
    "step": {"order"}, "procedure": {"order"}, "outcome": {"happens", "may", "when", "many"},
    "ruling": {"happens", "may", "when", "many"},
}  # fmt: skip
_EXPLAINING = 10  # words; a shorter rule only names the kind of thing that it is on
_ADJACENCY_WORTH = 0.4  # of two terms that are adjacent as in the question
# Factors of the score, of a passage that … 1 would make no difference, less puts it down.
_STATEMENT_FACTOR = 1.25  # states what such a question asks for
# Is in another language than the question: half, as most rules stand in both, and then the one
# in the question's language is shown; a rule in one language only has no rival to lose to.
_LANGUAGE_FACTOR = 0.5
_DEFINING_FACTOR = 1.6  # defines a term, if a definition is asked for
_CITED_FACTOR = 2.4  # gives a rule that is cited in the definition that is asked for
_RELEVANT_FACTOR = 1.08  # otherwise defines a term, or gives a rule that is cited for it
_SUBRULE_FACTOR = 1.15  # gives a sub-rule of the rule that is named after the term


@dataclass(slots=True)
class ScoredCandidate:
    """A candidate with its scores.

    score: the rough score of `score_candidate`; higher is better, and 0 means no match.
    coverage: the share of the query terms that it contains, by weight, from 0 to 1.
    matches: which query terms it has and where: in its `text`, as a `related` word there, in the
        `context` that it stands under, or nowhere, as it is `defined` without its name.
    answers_as: the kinds of statements in it that such a question asks for, such as `outcome`.
    reasons: why else it was chosen, as messages for people.
    copies: the ids of passages that were left out because they give the same.
    named: that it gives a rule that the question names, as a message; else None.
    final_score: the score of `rerank`; 0 before that.
    asked_before: how like the question is to one that was asked of its rule before, from 0 to 1.
    is_named: whether the question names the rule that the passage gives.
    """

    candidate: Candidate
    score: float = 0.0
    coverage: float = 0.0
    matches: list[tuple[str, QueryTerm]] = field(default_factory=list)
    answers_as: list[str] = field(default_factory=list)
    reasons: list[Reason] = field(default_factory=list)
    copies: list[str] = field(default_factory=list)
    named: Reason | None = None
    final_score: float = 0.0
    asked_before: float = 0.0
    is_named: bool = False

    @property
    def passage(self) -> IndexedPassage:
        """The passage of the candidate."""
        return self.candidate.passage

    @property
    def lang(self) -> str:
        """The language of the passage, `ja` or `en`: any other counts as `ja`."""
        return "en" if self.candidate.passage.lang == "en" else "ja"


def score_candidate(
    candidate: Candidate, question: Question, terms: Sequence[WeightedTerm]
) -> ScoredCandidate:
    """Return a candidate with its rough score, its coverage and the reasons for them.

    terms: the terms of the question for the language of the passage, from `weighted_terms`.

    A candidate that matches nothing is returned, too, with the scores 0. One that gives a rule
    that the question names has the score 100 and the coverage 1. `final_score` is not set.

    The score is the BM25 score of the passage, with what its context has, times its coverage to the
    power of 1.5; halved in another language than the question's, and raised for what the passage
    is: a definition, a statement of the kind that is asked for, a rule that is cited in a
    definition. What only the context has counts 0.8 of its weight for the coverage.
    """
    scored, asks_definition = ScoredCandidate(candidate), question.kind == "definition"
    text = f" {stem_words(candidate.passage.words)} "
    context = f" {stem_words(candidate.above)} "
    length = text.count(" ") - 1
    cited_for = candidate.cited_for if asks_definition else ""
    total_weight = covered_weight = score = 0.0
    for term in terms:
        weight, query_term = term.weight, term.query_term
        total_weight += weight
        count: float = sum(text.count(f" {form} ") for form in term.forms)
        worth, how = 1.0, "text"
        if not count and candidate.defines in query_term.term_ids:
            count, how = 1, "defined"  # although it does not contain the name
        if not count:
            count = sum(text.count(f" {form} ") for form in term.related)
            worth, how = RELATED_WORTH, "related"
        if count:
            covered_weight += weight * worth
            # BM25 with k1 = 1.2 and b = 0.6; but a rule that is cited in the term's definition
            # gains nothing from being short.
            counted_length = max(length, _USUAL_LENGTH if cited_for in query_term.term_ids else 0)
            length_factor = 0.4 + 0.6 * counted_length / _USUAL_LENGTH
            score += worth * weight * count * 2.2 / (count + 1.2 * length_factor)
            scored.matches.append((how, query_term))
        elif any(f" {form} " in context for form in term.forms):
            covered_weight += weight * 0.8
            score += weight * _CONTEXT_WORTH
            scored.matches.append(("context", query_term))
    score += _adjacency_bonus(terms, text + context)
    if candidate.passage.rule in question.rule_ids:
        scored.score, scored.coverage, scored.is_named = _NAMED_SCORE, 1.0, True
        scored.named = Reason("is_rule", rule=candidate.passage.rule.rpartition("/")[2])
        return scored
    if not total_weight:
        return scored
    scored.coverage = covered_weight / total_weight
    scored.score = (
        score * scored.coverage**1.5 * (1.0 if scored.lang == question.lang else _LANGUAGE_FACTOR)
    )
    for kind in (candidate.passage.states or "").split(","):
        if question.kind in _KINDS_ANSWERED.get(kind, ()):
            scored.score *= _STATEMENT_FACTOR
            scored.answers_as.append(kind)
    if candidate.cited_for:
        scored.score *= _CITED_FACTOR if cited_for and length >= _EXPLAINING else _RELEVANT_FACTOR
        scored.reasons.append(Reason("is_cited_for", term=candidate.cited_for.rpartition("/")[2]))
    elif (
        asks_definition
        and candidate.parent
        and _is_only_name(f" {stem_words(candidate.parent.words)} ", terms)
    ):
        scored.score *= _SUBRULE_FACTOR
        scored.reasons.append(
            Reason("is_part_of", rule=(candidate.parent.rule or "").rpartition("/")[2])
        )
    if candidate.defines:
        scored.score *= _DEFINING_FACTOR if asks_definition else _RELEVANT_FACTOR
        code = "follows_definition" if candidate.follows else "defines"
        scored.reasons.append(Reason(code, term=candidate.defines.rpartition("/")[2]))
    return scored


def _adjacency_bonus(terms: Sequence[WeightedTerm], text: str) -> float:
    """Return what is added to the score for terms that are adjacent in the question, without a
    space between them, and also in a passage's text or context; 0 if there are none.

    terms: in the order of the question.
    text: the stemmed forms of the passage and its context, with a space around each.
    """
    bonus = 0.0
    for term, following in pairwise(terms):
        if term.query_term.end == following.query_term.start and any(
            f" {first} {second} " in text for first in term.forms for second in following.forms
        ):
            bonus += _ADJACENCY_WORTH * (term.weight + following.weight)
    return bonus


def _is_only_name(text: str, terms: Sequence[WeightedTerm]) -> bool:
    """Return whether a rule's text, without its number, ends with the name of a term and has at
    most five characters before it: then it is a heading.

    text: the rule's number and the stemmed forms of its text, separated by spaces.
    """
    text = text.strip().partition(" ")[2]
    return any(
        text.endswith(form) and len(text) - len(form) < 6 for term in terms for form in term.forms
    )
