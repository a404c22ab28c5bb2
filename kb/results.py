"""What questions are answered with: typed, and the same as JSON (CONTRACT)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from graphs import Edge, Node
from scraper.page import Warn


@dataclass(frozen=True, slots=True)
class Report:
    """What a build gave. `seconds` is wall time."""

    kb: str
    pages: int
    nodes: Mapping[str, int]
    edges: Mapping[str, int]
    dangling: int
    warnings: tuple[Warn, ...]
    seconds: float

    def as_json(self) -> dict[str, Any]:
        """As `sansho build --json` prints it."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Shown:
    """The nodes that a reference names, the likeliest first; where there are none, names
    that begin alike."""

    matches: tuple[Node, ...]
    near: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """As `sansho show --json` prints it."""
        return {"matches": [node.as_json() for node in self.matches]}


@dataclass(frozen=True, slots=True)
class Refs:
    """A node, its edges, and the nodes at their other ends, by id."""

    node: Node
    edges: tuple[Edge, ...]
    nodes: Mapping[str, Node]

    def as_json(self) -> dict[str, Any]:
        """As `sansho refs --json` prints it."""
        return {"node": self.node.as_json(), "edges": [edge.as_json() for edge in self.edges]}


@dataclass(frozen=True, slots=True)
class Paths:
    """Ways from one node to another: node, edge, node, … the shortest first."""

    paths: tuple[tuple[Node | Edge, ...], ...]

    def as_json(self) -> dict[str, Any]:
        """As `sansho path --json` prints it."""
        return {"paths": [[step.as_json() for step in path] for path in self.paths]}


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that was found, or the rule that it gives. `spans` are places in `snippet`;
    a higher `score` is better, and only compares within one search."""

    node: Node
    score: float
    snippet: str
    spans: tuple[tuple[int, int], ...]
    passage: str


@dataclass(frozen=True, slots=True)
class Hits:
    """What a search found, best first."""

    hits: tuple[Hit, ...]

    def as_json(self) -> dict[str, Any]:
        """As `sansho search --json` prints it."""
        return {
            "hits": [
                {"node": hit.node.as_json(), "score": hit.score, "snippet": hit.snippet,
                 "spans": [list(span) for span in hit.spans], "passage": hit.passage}
                for hit in self.hits
            ]
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Audit:
    """Where every character went, white space not counted: `chars` is the sum of `kept`,
    all of `left_out`, and `lost`. And which edges dangle, and what could not be read."""

    chars: int
    kept: int
    left_out: Mapping[str, int]
    dangling: tuple[Edge, ...]
    warnings: tuple[Warn, ...]

    @property
    def lost(self) -> int:
        """Characters in no passage and under no reason."""
        return self.chars - self.kept - sum(self.left_out.values())

    def as_json(self) -> dict[str, Any]:
        """As `sansho audit --json` prints it."""
        text = {
            "chars": self.chars, "kept": self.kept, "left_out": dict(self.left_out),
            "lost": self.lost,
        }  # fmt: skip
        return {
            "text": text,
            "dangling": [edge.as_json() for edge in self.dangling],
            "warnings": [asdict(warn) for warn in self.warnings],
        }


@dataclass(frozen=True, slots=True)
class Stats:
    """How much there is: nodes by kind, source, game and edition, edges by kind."""

    kinds: Mapping[str, int]
    sources: Mapping[str, int]
    games: Mapping[str, int]
    editions: Mapping[str, int]
    edges: Mapping[str, int]
    dangling: int

    def as_json(self) -> dict[str, Any]:
        """As `sansho stats --json` prints it."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export wrote, and where."""

    out: str
    format: str
    nodes: int
    edges: int

    def as_json(self) -> dict[str, Any]:
        """As `sansho export --json` prints it."""
        return asdict(self)


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
