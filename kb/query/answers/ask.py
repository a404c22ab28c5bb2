"""Answers a question: parses it, finds candidate passages, ranks and reranks them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from graphs.model import Edge, Node
from graphs.store.passage_index import IndexedPassage
from graphs.store.reader import Store
from kb.query.answers.bm25 import ScoredCandidate, score_candidate, weighted_terms
from kb.query.answers.candidates import any_of_query, find_candidates, links_alone
from kb.query.answers.question import parse_question
from kb.query.answers.rerank import Shortlist, rerank
from kb.query.table_result import Table, TableResult, table_row

_LEAST_COVERAGE = 0.2  # of the query terms, by weight, by a passage on the shortlist
_MOST_SHORTLISTED = 40  # passages that are reranked
# The rough score that the best passage must have. Less is no answer: the pages hardly mention
# what is asked.
_LEAST_SCORE = 9.0


@dataclass(frozen=True, slots=True)
class Answer:
    """A passage that answers a question.

    rank: its place among the answers, from 1.
    score: its score after reranking; only comparable among the answers to one question.
    passage: the passage.
    node: the rule that the passage gives, or the passage itself if it gives none.
    citations: the edges to the rules that `node` cites.
    why: the reasons why it was chosen, in words.
    """

    rank: int
    score: float
    passage: Node
    node: Node
    citations: tuple[Edge, ...]
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answers(TableResult):
    """A question and its answers, best first; there are none if the pages do not say."""

    question: str
    answers: tuple[Answer, ...]

    def table(self) -> Table:
        """Return a table with a row per answer, best first.

        Its columns are rank, game, number, label, text, cites (the cited rules, separated by
        commas), why (the reasons, separated by semicolons), passage (its id) and notice.
        """
        return Table(
            tuple(
                table_row(
                    rank=answer.rank,
                    game=answer.node.game,
                    number=answer.node.number,
                    label=answer.node.label,
                    text=answer.passage.text,
                    cites=", ".join(dict.fromkeys(edge.target_label for edge in answer.citations)),
                    why="; ".join(answer.why),
                    passage=answer.passage.id,
                    notice=answer.node.notice,
                )
                for answer in self.answers
            )
        )

    def as_json(self) -> dict[str, Any]:
        """Return {"question", "answers"}, the object that `sansho ask --json` prints.

        An answer is {"rank", "score", "passage", "node", "why", "citations"}: `passage` and `node`
        as `Node.as_json` gives them, `why` a list of reasons, and a citation {"node": the id of
        the cited rule or None, "label", "evidence"}.
        """
        return {
            "question": self.question,
            "answers": [
                {
                    "rank": answer.rank,
                    "score": answer.score,
                    "passage": answer.passage.as_json(),
                    "node": answer.node.as_json(),
                    "why": list(answer.why),
                    "citations": [
                        {
                            "node": edge.target,
                            "label": edge.target_label,
                            "evidence": edge.as_json()["evidence"],
                        }
                        for edge in answer.citations
                    ],
                }
                for answer in self.answers
            ],
        }


def ask(store: Store, text: str, top: int = 5, game: str | None = None) -> Answers:
    """Return at most `top` passages that answer a question, best first.

    text: the question in a person's words, Japanese or English.
    game: the id of the game that it is about; by default the one that its words name, if any.

    There are no answers if the pages hardly mention what is asked.
    """
    candidates = shortlist(store, text, game)
    ranked = rerank(candidates) if candidates else []
    # They are taken out at the end: the ranking compares each candidate with all others.
    empty = links_alone(store, [scored.passage.id for scored in ranked])
    answers = [scored for scored in ranked if scored.passage.id not in empty]
    return _make_answers(store, text, answers[:top])


def shortlist(store: Store, text: str, game: str | None = None) -> Shortlist | None:
    """Return the best candidates by their rough scores, at most 40, ready to be reranked; None
    if there is no answer.

    There is none if the question has neither query terms nor the number of a rule, if it has a
    proper name that no passage contains, or if even the best candidate scores low and no
    candidate gives a definition that is asked for.

    text, game: as for `ask`.
    """
    question = parse_question(store, text, game)
    frequencies = {
        query_term: store.passages.frequency(any_of_query(query_term.all_forms))
        for query_term in question.query_terms
    }
    unknown = any(
        not frequency and query_term.is_proper_name for query_term, frequency in frequencies.items()
    )
    if unknown or (not frequencies and not question.rule_ids):
        return None  # nothing to search for, or a name that no page contains
    terms = {lang: weighted_terms(question, frequencies, lang) for lang in ("ja", "en")}
    scored_candidates = [
        score_candidate(
            candidate, question, terms["en" if candidate.passage.lang == "en" else "ja"]
        )
        for candidate in find_candidates(store, question, frequencies)
    ]
    # If the question names a rule, that rule is the answer; others must match very well.
    least_score = _LEAST_SCORE if question.rule_ids else 0.0
    ranked = [
        scored
        for scored in scored_candidates
        if scored.coverage >= _LEAST_COVERAGE and scored.score > least_score
    ]
    ranked.sort(key=lambda scored: (-scored.score, scored.passage.id))
    asks_definition = question.kind == "definition"
    defined = asks_definition and any(scored.candidate.defines for scored in ranked)
    if not defined and max((scored.score for scored in ranked), default=0.0) < _LEAST_SCORE:
        return None
    ranked = _deduplicated(ranked)[:_MOST_SHORTLISTED]
    ids = [scored.passage.id for scored in ranked]
    nodes, preceding = store.get(ids), store.passages.preceding_words(ids)
    return Shortlist(
        ranked,
        [nodes[passage_id].text or "" for passage_id in ids],
        [preceding.get(passage_id, "") for passage_id in ids],
        question,
        terms,
    )


def _deduplicated(ranked: list[ScoredCandidate]) -> list[ScoredCandidate]:
    """Return ranked candidates without those that give the same rule, or consist of the same
    words, as a better one.

    Of a rule in several editions the newest is kept, at the place of the best; of its passages, the
    one that states it before its further paragraphs and examples.

    ranked: the candidates, best first.
    """
    places: dict[str, int] = {}
    kept: list[ScoredCandidate] = []
    for scored in ranked:
        rule = (scored.passage.rule or "").split("/")
        keys = {
            scored.passage.words,
            f"{rule[0]} {rule[-2:]}" if scored.passage.rule else scored.passage.id,
        }
        known_places = {places[key] for key in keys if key in places}
        if not known_places:
            places |= dict.fromkeys(keys, len(kept))
            kept.append(scored)
        elif scored.passage.rule:
            place = min(known_places)
            if _is_better_text(scored.passage, kept[place].passage):
                kept[place] = scored
    return kept


def _is_better_text(passage: IndexedPassage, kept: IndexedPassage) -> bool:
    """Whether a passage of a rule is of a newer edition than another, or the one of the two that
    begins with the rule's number."""
    rule, kept_rule = passage.rule or "", kept.rule or "~"
    number = rule.rpartition("/")[2].lower()
    begins, kept_begins = (
        words.replace(" ", "").startswith(number) for words in (passage.words, kept.words)
    )
    return rule > kept_rule or (rule == kept_rule and begins and not kept_begins)


def _make_answers(store: Store, text: str, ranked: list[ScoredCandidate]) -> Answers:
    """Return the answers for ranked candidates, with their nodes and citations looked up.

    text: the question.

    An answer's node is the rule that the passage gives, or else the passage; citations are those of
    this node. Scores are rounded to three places; ranks begin at 1; equal reasons are merged.
    """
    ids = [scored.passage.rule or scored.passage.id for scored in ranked]
    nodes = store.get([*ids, *(scored.passage.id for scored in ranked)])
    citations: dict[str, list[Edge]] = defaultdict(list)
    for edge in store.edges(ids, "out", ["cites"]):
        citations[edge.source].append(edge)
    return Answers(
        text,
        tuple(
            Answer(
                rank,
                round(scored.final_score, 3),
                nodes[scored.passage.id],
                nodes[node_id],
                tuple(citations[node_id]),
                tuple(dict.fromkeys(scored.reasons)),
            )
            for rank, (node_id, scored) in enumerate(zip(ids, ranked, strict=True), 1)
        ),
    )
