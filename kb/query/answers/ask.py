"""Answers to questions: the passages that speak of what is asked for, best first, and why."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from graphs.model import Edge, Node
from graphs.store.reader import Store
from kb.query.answers.candidates import any_of, find_candidates
from kb.query.answers.question import parse_question
from kb.query.answers.ranking import ScoredCandidate, score_candidate, weighted_terms
from kb.query.answers.rerank import Shortlist, rerank
from kb.query.table_result import Table, TableResult, table_row

_BESIDE = 0.2  # of what is asked for, that a further answer covers
_CLOSELY = 40  # passages that are held against each other
_ENOUGH = 9.0  # the score of the best; less is no answer: what is asked for is hardly spoken of


@dataclass(frozen=True, slots=True)
class Answer:
    """A passage that answers, or the rule that it gives; the rules that it cites; why it was
    chosen, in words."""

    rank: int
    score: float
    passage: Node
    node: Node
    citations: tuple[Edge, ...]
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answers(TableResult):
    """A question and its answers, the best first; none where the pages do not say."""

    question: str
    answers: tuple[Answer, ...]

    def table(self) -> Table:
        """A row an answer, with the rules that it cites and why it was chosen."""
        return Table(
            tuple(
                table_row(
                    rank=one.rank,
                    game=one.node.game,
                    number=one.node.number,
                    label=one.node.label,
                    text=one.passage.text,
                    cites=", ".join(dict.fromkeys(edge.target_label for edge in one.citations)),
                    why="; ".join(one.why),
                    passage=one.passage.id,
                    notice=one.node.notice,
                )
                for one in self.answers
            )
        )

    def as_json(self) -> dict[str, Any]:
        """As `sansho ask --json` prints it."""
        return {
            "question": self.question,
            "answers": [
                {
                    "rank": one.rank,
                    "score": one.score,
                    "passage": one.passage.as_json(),
                    "node": one.node.as_json(),
                    "why": list(one.why),
                    "citations": [
                        {
                            "node": edge.target,
                            "label": edge.target_label,
                            "evidence": edge.as_json()["evidence"],
                        }
                        for edge in one.citations
                    ],
                }
                for one in self.answers
            ],
        }


def ask(store: Store, text: str, top: int = 5, game: str | None = None) -> Answers:
    """The passages that answer a question, best first; none if the pages hardly speak of it."""
    near = shortlist(store, text, game)
    return _answers(store, text, rerank(near)[:top] if near else [])


def shortlist(store: Store, text: str, game: str | None = None) -> Shortlist | None:
    """The passages that come nearest to answering a question, ranked roughly; None if
    none comes near."""
    question = parse_question(store, text, game)
    often = {one: store.passages.frequency(any_of(one.every)) for one in question.wanted}
    unknown = any(not times and one.proper for one, times in often.items())
    if unknown or (not often and not question.rules):
        return None  # it asks for nothing, or for something that no page here speaks of
    asked = {lang: weighted_terms(question, often, lang) for lang in ("ja", "en")}
    found = [
        score_candidate(one, question, asked["en" if one.passage.lang == "en" else "ja"])
        for one in find_candidates(store, question, often)
    ]
    least = _ENOUGH if question.rules else 0.0  # beside a rule that is named, hardly any other
    ranked = [one for one in found if one.covered >= _BESIDE and one.score > least]
    ranked.sort(key=lambda one: (-one.score, one.passage.id))
    asks_what = question.kind == "definition"
    defined = asks_what and any(one.candidate.defines for one in ranked)
    if not defined and max((one.score for one in ranked), default=0.0) < _ENOUGH:
        return None
    ranked = _distinct(ranked)[:_CLOSELY]
    ids = [one.passage.id for one in ranked]
    nodes, before = store.get(ids), store.passages.preceding(ids)
    return Shortlist(
        ranked,
        [nodes[one].text or "" for one in ids],
        [before.get(one, "") for one in ids],
        question,
        asked,
    )


def _distinct(ranked: list[ScoredCandidate]) -> list[ScoredCandidate]:
    """Of passages that give one rule, or say the same in the same words, the first; of a rule
    in several editions the newest, where the best of them stands."""
    places: dict[str, int] = {}
    kept: list[ScoredCandidate] = []
    for one in ranked:
        rule = (one.passage.rule or "").split("/")
        keys = {
            one.passage.words,
            f"{rule[0]} {rule[-2:]}" if one.passage.rule else one.passage.id,
        }
        known = {places[key] for key in keys if key in places}
        if not known:
            places |= dict.fromkeys(keys, len(kept))
            kept.append(one)
        elif one.passage.rule:
            place = min(known)
            if (one.passage.rule or "") > (kept[place].passage.rule or "~"):
                kept[place] = one
    return kept


def _answers(store: Store, text: str, ranked: list[ScoredCandidate]) -> Answers:
    ids = [one.passage.rule or one.passage.id for one in ranked]
    nodes = store.get([*ids, *(one.passage.id for one in ranked)])
    cited: dict[str, list[Edge]] = defaultdict(list)
    for edge in store.edges(ids, "out", ["cites"]):
        cited[edge.source].append(edge)
    return Answers(
        text,
        tuple(
            Answer(
                rank,
                round(one.close, 3),
                nodes[one.passage.id],
                nodes[node],
                tuple(cited[node]),
                tuple(dict.fromkeys(one.why)),
            )
            for rank, (node, one) in enumerate(zip(ids, ranked, strict=True), 1)
        ),
    )
