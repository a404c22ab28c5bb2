"""Puts the rule in the question's language in the place of its translation among the answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from graphs.store.reader import Store
from kb.query.answers.bm25 import ScoredCandidate
from kb.query.answers.candidates import Candidate
from kb.query.answers.question import Question
from kb.reason import Reason

_MOST = 10  # answers, the best, whose rules are looked up


def with_counterparts(
    store: Store, question: Question, ranked: Sequence[ScoredCandidate]
) -> list[ScoredCandidate]:
    """Return ranked answers in which a rule in another language than the question's gives its
    place to the rule that it translates, or that translates it, in the question's language.

    A counterpart that stands further down moves up; of each pair one is left. Only the ten best
    are looked at. Passages that give no rule, and rules without a counterpart, stay.

    ranked: the answers, best first.
    """
    foreign = {
        scored.passage.rule: scored
        for scored in ranked[:_MOST]
        if scored.passage.rule and (scored.passage.lang == "en") != (question.lang == "en")
    }
    counterparts: dict[str, str] = {}
    for edge in store.edges(foreign, "both", ["translates"]):
        if edge.target:
            counterparts.setdefault(edge.source, edge.target)
            counterparts.setdefault(edge.target, edge.source)
    known = {scored.passage.rule: scored for scored in ranked if scored.passage.rule}
    wanted = {counterparts[rule] for rule in foreign if rule in counterparts}
    giving = store.passages.first_passage_giving(wanted - known.keys())
    passages = store.passages.lookup(giving.values())
    answers: dict[str, ScoredCandidate] = {}
    for scored in ranked:
        rule = scored.passage.rule or ""
        other = counterparts.get(rule, "") if rule in foreign else ""
        chosen = known.get(other)
        if chosen is None and giving.get(other) in passages:
            candidate = Candidate(passages[giving[other]], "", None, "", "")
            chosen = replace(scored, candidate=candidate, copies=[])
        if chosen is not None:
            answers.setdefault(chosen.passage.id, _moved(chosen, scored))
        else:
            answers.setdefault(scored.passage.id, scored)
    return list(answers.values())


def _moved(chosen: ScoredCandidate, scored: ScoredCandidate) -> ScoredCandidate:
    """Return an answer that stands for its translation: it has the better score of the two."""
    number = (scored.passage.rule or "").rpartition("/")[2]
    return replace(
        chosen,
        final_score=max(chosen.final_score, scored.final_score),
        reasons=[
            *chosen.reasons,
            Reason("is_translated_by", rule=number, lang=scored.passage.lang),
        ],
        copies=[*chosen.copies, scored.passage.id],
    )
