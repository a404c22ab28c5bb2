"""What a node, an edge and a piece of evidence are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

NodeKind = Literal[
    "page",
    "section",
    "passage",
    "term",
    "rule",
    "card",
    "ruling",
    "procedure",
    "step",
    "outcome",
    "edition",
]
EdgeKind = Literal[
    "part_of",
    "links_to",
    "redirects_to",
    "cites",
    "quotes",
    "mentions",
    "defines",
    "same_concept",
    "succeeds",
    "translates",
]
Role = Literal["preferred", "alias", "redirect", "abbreviation", "reading"]

# From what says most of a connection to what says least: the order in which edges are told.
STRENGTH: dict[str, int] = {
    kind: place
    for place, kind in enumerate(
        (
            "defines",
            "cites",
            "redirects_to",
            "same_concept",
            "quotes",
            "succeeds",
            "translates",
            "links_to",
            "mentions",
            "part_of",
        )
    )
}


@dataclass(frozen=True, slots=True)
class Label:
    """A name of a node: in which language, in which role, and the ids of passages that give it
    (no more than three, where many do)."""

    lang: str
    text: str
    role: Role = "preferred"
    passages: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The words that an edge rests on: text is the passage's own text[start:end]."""

    page: str
    passage: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Node:
    """One thing that the pages speak of, or a part of them.

    `id` says what it is and never depends on the order of a build. Fields that do not apply
    are None. `section` is the id of the section that a passage stands in; `notice` is what a
    reader must be told of the source (a demonstration text, say); `date` is the day of a
    ruling, as YYYY-MM-DD. `details` are what only one kind has, by name: what is printed on a
    card, the parts of an outcome.
    """

    id: str
    kind: NodeKind
    game: str | None = None
    source: str | None = None
    lang: str | None = None
    edition: str | None = None
    number: str | None = None
    label: str | None = None
    labels: tuple[Label, ...] = ()
    reading: str | None = None
    text: str | None = None
    section: str | None = None
    url: str | None = None
    notice: str | None = None
    date: str | None = None
    details: Mapping[str, Any] | None = field(default=None, hash=False)

    def as_json(self) -> dict[str, Any]:
        """The node as the `node` of CONTRACT, and which passages give it which name."""
        fields = asdict(self)
        for label in fields["labels"]:
            del label["passages"]
        named_by = [
            {"lang": label.lang, "text": label.text, "passages": list(label.passages)}
            for label in self.labels
            if label.passages
        ]
        return fields | {"named_by": named_by}


@dataclass(frozen=True, slots=True)
class Edge:
    """One connection, and the words it rests on. A dangling edge has no target but says
    what it wanted (`target_label`) and why that is not there (`reason`). `details` are what
    only one kind has: how a rule is cited, on what two concepts are held to be one."""

    kind: EdgeKind
    source: str
    target: str | None
    target_label: str
    evidence: Evidence
    reason: str | None = None
    details: Mapping[str, Any] | None = field(default=None, hash=False)

    @property
    def status(self) -> str:
        """`resolved` or `dangling`."""
        return "dangling" if self.target is None else "resolved"

    def as_json(self) -> dict[str, Any]:
        """The edge as the `edge` of CONTRACT."""
        return {
            "kind": self.kind,
            "source": self.source,
            "target": self.target,
            "target_label": self.target_label,
            "status": self.status,
            "reason": self.reason,
            "details": self.details,
            "evidence": asdict(self.evidence),
        }
