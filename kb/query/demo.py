"""The newcomer's question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from graphs.model import Edge
from graphs.store import Store
from kb.query.search import Hit, search

_QUESTION = "ライブラリーから引こうとしたプレイヤーが敗北するのはどんなとき？"


@dataclass(frozen=True, slots=True)
class Cited:
    """A passage found, with the rules that it cites."""

    hit: Hit
    citations: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class Demonstration:
    """A question, and the passages that answer it, with what they cite."""

    question: str
    answers: tuple[Cited, ...]

    def as_json(self) -> dict[str, Any]:
        """As `sansho demo --json` prints it."""
        return {
            "question": self.question,
            "answers": [
                {"rank": rank, "score": answer.hit.score, "passage": answer.hit.passage,
                 "node": answer.hit.node.as_json(),
                 "citations": [edge.as_json() for edge in answer.citations]}
                for rank, answer in enumerate(self.answers, 1)
            ],
        }  # fmt: skip


def demonstrate(store: Store) -> Demonstration:
    """One question on the sample, answered by the passages that share most of its words."""
    hits = [hit for hit in search(store, _QUESTION, any_word=True).hits if hit.node.lang == "ja"]
    answers = (Cited(hit, tuple(store.edges([hit.node.id], "out", ["cites"]))) for hit in hits[:3])
    return Demonstration(_QUESTION, tuple(answers))
