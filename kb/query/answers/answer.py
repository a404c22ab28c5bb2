"""What `ask` returns: the answers to a question, each with its passage and the reasons for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from graphs.model import Edge, Node
from kb.query.list_result import ListResult
from kb.query.places import Place
from kb.query.table_result import Table, table_row
from kb.query.word_boundaries import cut_before, cut_behind
from kb.reason import Reason


@dataclass(frozen=True, slots=True)
class Answer:
    """A passage that answers a question.

    rank: its place among the answers, from 1.
    score: its score after reranking; only comparable among the answers to one question.
    passage: the passage.
    node: the rule that the passage gives, or the passage itself if it gives none.
    citations: the edges to the rules that `node` cites.
    why: the reasons why it was chosen, in words.
    decides: (start, end) of the sentence in the passage's text that decides the question.
    not_found: words of the question that neither the passage nor what it stands under has.
    place: where the passage stands.
    same: where else the same text stands: other editions, captures and pages.
    headings: what the cited rules are about, in the order of `citations`; empty if unknown.
    reworded: where older editions have the rule in other words.
    part: the words of the part of the question that it is on, separated by commas if it is on
        several; empty for a question that asks about one thing.
    group: the id of the rule that it is a sub-rule of, if another answer is one of its sub-rules,
        too; else empty.
    """

    rank: int
    score: float
    passage: Node
    node: Node
    citations: tuple[Edge, ...]
    why: tuple[Reason, ...]
    decides: tuple[int, int]
    not_found: tuple[str, ...]
    place: Place
    same: tuple[Place, ...]
    headings: tuple[str, ...]
    reworded: tuple[Place, ...] = ()
    part: str = ""
    group: str = ""

    def context(self, most: int) -> tuple[str, str]:
        """Return what the passage says before and behind the sentence that decides, without the
        number of its rule, on one line each; either is empty if there is nothing.

        most: at most how many characters there are of both; … stands where more is left out.
        """
        text, (start, end) = self.passage.text or "", self.decides
        left = " ".join(text[self.place.number_length(text) : start].split())
        right = " ".join(text[end:].split())
        before = max(most // 3, most - len(right))
        behind = most - min(len(left), before)
        if len(left) > before:
            left = "…" + left[cut_behind(left, len(left) - before, len(left)) :].lstrip()
        if len(right) > behind:
            right = right[: cut_before(right, behind, 0)].rstrip() + "…"
        return left, right


@dataclass(frozen=True, slots=True, repr=False)
class Answers(ListResult[Answer]):
    """A question and its answers, best first; there are none if the pages do not say.

    unknown: words of the question that no passage at all has; of a question with answers, only
        those for which no passage has other words.
    near, hints: names that are like these words, and sentences that say how, and which games are
        loaded; without answers only.
    missing_games: the ids of games that the question names and that are not loaded.
    """

    question: str
    answers: tuple[Answer, ...]
    unknown: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    hints: tuple[Reason, ...] = ()
    missing_games: tuple[str, ...] = ()

    _ITEM = "answer"

    def _items(self) -> tuple[Answer, ...]:
        return self.answers

    def table(self) -> Table:
        """Return a table with a row per answer, best first.

        Its columns are rank, part, game, number, label, text, cites (the cited rules, separated by
        commas), why (the reasons, separated by semicolons), passage (its id) and notice.
        """
        return Table(
            tuple(
                table_row(
                    rank=answer.rank,
                    part=answer.part,
                    game=answer.node.game,
                    number=answer.node.number,
                    label=answer.node.label,
                    text=answer.passage.text,
                    cites=", ".join(dict.fromkeys(edge.target_label for edge in answer.citations)),
                    why="; ".join(map(str, answer.why)),
                    passage=answer.passage.id,
                    notice=answer.node.notice,
                )
                for answer in self.answers
            )
        )

    def _about(self) -> str:
        return f"to {self.question}"

    def as_json(self) -> dict[str, Any]:
        """Return the object that `sansho ask --json` prints: the fields, by their names.

        An answer is {"rank", "part", "group", "score", "passage", "node", "why", "decides",
        "not_found", "place", "same", "reworded", "citations"}: `passage` and `node` as
        `Node.as_json` gives them, `why` a list of reasons, `place`, `same` and `reworded` as in
        `Place.as_json`, and a citation {"node": the id of the cited rule or None, "label",
        "heading", "evidence"}.
        """
        return {
            "question": self.question,
            "answers": [
                {
                    "rank": answer.rank,
                    "part": answer.part,
                    "group": answer.group,
                    "score": answer.score,
                    "passage": answer.passage.as_json(),
                    "node": answer.node.as_json(),
                    "why": [reason.as_json() for reason in answer.why],
                    "decides": list(answer.decides),
                    "not_found": list(answer.not_found),
                    "place": answer.place.as_json(),
                    "same": [place.as_json() for place in answer.same],
                    "reworded": [place.as_json() for place in answer.reworded],
                    "citations": [
                        {
                            "node": edge.target,
                            "label": edge.target_label,
                            "heading": heading,
                            "evidence": edge.as_json()["evidence"],
                        }
                        for edge, heading in zip(answer.citations, answer.headings, strict=True)
                    ],
                }
                for answer in self.answers
            ],
            "unknown": list(self.unknown),
            "near": list(self.near),
            "hints": [hint.as_json() for hint in self.hints],
            "missing_games": list(self.missing_games),
        }
