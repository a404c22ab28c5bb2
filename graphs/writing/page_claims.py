"""Claims: what one page states about nodes, labels and edges, before the graph is resolved.

They are named tuples, as a page makes hundreds: these cost a third of what dataclasses do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from graphs.model import EdgeKind, Label, Node


class NodeClaim(NamedTuple):
    """A statement of one page that a term, rule, card or edition exists, with its description.

    Several pages may claim the same node. The claim with the lowest (rank, page) describes it,
    so the order in which pages are read does not matter.

    node: the node as this page describes it
    rank: how little authority the page has on the node; 0 is the most
    """

    node: Node
    rank: int = 0


class LabelClaim(NamedTuple):
    """A statement of one page that a node has a name.

    node: the id of the node
    label: the name, with its language and role
    folded: the name as it is looked up
    passage: the id of the passage that gives the name; None if no single passage does
    """

    node: str
    label: Label
    folded: str
    passage: str | None = None


class EdgeClaim(NamedTuple):
    """An edge as one page states it.

    source: the id of the node that the edge starts from
    target: the id of the node that the edge aims at, whether or not any page gives that node
    target_label: what to call the target where it is not loaded
    passage: the id of the passage that is the evidence
    start, end: the span of the evidence in the passage's text
    reason: why the target is missing, for the case that it is
    details: what only this kind of edge has, by name
    """

    kind: EdgeKind
    source: str
    target: str
    target_label: str
    passage: str
    start: int
    end: int
    reason: str
    details: Mapping[str, Any] | None = None


class PageNode(NamedTuple):
    """A node that belongs to one page: the page, a section, a passage, or what a passage states.

    node: the node itself
    parent: the id of the node that it is part of
    gives_rule: the id of the rule whose text a passage gives; citations and mentions in the
        passage then start from the rule
    heading: the id of the passage that shows the node: the heading of a section, or the passage
        that states a procedure, a step, an outcome or a ruling
    """

    node: Node
    parent: str | None = None
    gives_rule: str | None = None
    heading: str | None = None


@dataclass(slots=True)
class PageClaims:
    """Everything that one page puts into the graph.

    page: the id of the page
    parts: the nodes that belong to the page, a container before what is in it
    nodes: claims on nodes that other pages may claim too
    labels: the names that the page gives to nodes
    edges: the edges that the page states
    """

    page: str
    parts: list[PageNode] = field(default_factory=list)
    nodes: list[NodeClaim] = field(default_factory=list)
    labels: list[LabelClaim] = field(default_factory=list)
    edges: list[EdgeClaim] = field(default_factory=list)
