"""What pages put into a graph, before it is settled what is there and who speaks for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from graphs.model import EdgeKind, Label, Node


@dataclass(frozen=True, slots=True)
class NodeClaim:
    """That a page says there is a term, rule, card or edition, and what it says of it.

    Several pages may claim one node; the claim with the lowest (rank, page) speaks for it,
    so that the order of reading does not matter.
    """

    node: Node
    rank: int = 0


@dataclass(frozen=True, slots=True)
class LabelClaim:
    """That a page gives a node a name: which passage does. `folded` is the name as it is looked
    up."""

    node: str
    label: Label
    folded: str
    passage: str | None = None


@dataclass(frozen=True, slots=True)
class EdgeClaim:
    """An edge as a page states it: `target` is the id that it aims at, there or not; `reason`
    says why, should it not be; `details` go with the edge."""

    kind: EdgeKind
    source: str
    target: str
    target_label: str
    passage: str
    start: int
    end: int
    reason: str
    details: Mapping[str, Any] | None = field(default=None, hash=False)


@dataclass(frozen=True, slots=True)
class PageNode:
    """A node that one page owns: what it is part of (`parent`), the rule that a passage
    gives and so speaks for (`gives_rule`), the passage that is a section's heading."""

    node: Node
    parent: str | None = None
    gives_rule: str | None = None
    heading: str | None = None


@dataclass(slots=True)
class PageClaims:
    """All that one page puts into the graph.

    `nodes` are the page's own (the page, its sections, their passages), a container before
    what is in it.
    """

    page: str
    parts: list[PageNode] = field(default_factory=list)
    nodes: list[NodeClaim] = field(default_factory=list)
    labels: list[LabelClaim] = field(default_factory=list)
    edges: list[EdgeClaim] = field(default_factory=list)














