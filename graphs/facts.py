"""What pages put into a graph, before it is settled what is there and who speaks for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from graphs.model import EdgeKind, Label, Node


@dataclass(frozen=True, slots=True)
class Claim:
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
class Want:
    """An edge as a page states it: `want` is the id that it aims at, there or not; `reason`
    says why, should it not be; `details` go with the edge."""

    kind: EdgeKind
    source: str
    want: str
    target_label: str
    passage: str
    start: int
    end: int
    reason: str
    details: Mapping[str, Any] | None = field(default=None, hash=False)


@dataclass(frozen=True, slots=True)
class Own:
    """A node that one page owns: what it is part of (`parent`), the rule that a passage
    gives and so speaks for (`speaks_for`), the passage that is a section's heading."""

    node: Node
    parent: str | None = None
    speaks_for: str | None = None
    heading: str | None = None


@dataclass(slots=True)
class Facts:
    """All that one page puts into the graph.

    `nodes` are the page's own (the page, its sections, their passages), a container before
    what is in it.
    """

    page: str
    nodes: list[Own] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    labels: list[LabelClaim] = field(default_factory=list)
    wants: list[Want] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Named:
    """A name that a page gives a node, as it is looked up and as it is written."""

    node: str
    lang: str
    role: str
    folded: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Defined:
    """A passage that may define a node: it is said to itself (`sure`), or a page is, and it is
    what names the node there or one of the first behind that."""

    node: str
    lang: str
    passage: str
    text: str
    sure: bool


class Told(NamedTuple):
    """A passage, and the site's own links in it: start, end, and the nodes that a link is to."""

    game: str
    lang: str
    text: str
    links: Sequence[tuple[int, int, frozenset[str]]]


class Spoken(NamedTuple):
    """That text[start:end] speaks of a node, whose name is `label`."""

    node: str
    label: str
    start: int
    end: int


class Spelling(NamedTuple):
    """That a name of a game's term is found where it says `spelled`, folded."""

    game: str
    spelled: str
    term: str
    name: str


class Telling(NamedTuple):
    """What is told of a passage: its words for searching, the nodes that it speaks of, and those
    of its words (as spelled, normal and folded, normal) that were not met before."""

    words: str
    spoken: Sequence[Spoken]
    met: Sequence[tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class Aimed:
    """An edge's details, and the label and text of the node that it leads to."""

    details: Mapping[str, Any]
    label: str
    text: str
