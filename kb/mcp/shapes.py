"""The shapes of the documents that tools give beside their texts: those of `--json`, with what was
cut in `more` and what readers must be told in `notices`."""

from __future__ import annotations

from typing import Any, Literal, NotRequired

# Not that of `typing`: pydantic can't read it before Python 3.12.
from typing_extensions import TypedDict

JsonObject = dict[str, Any]
Span = list[int]


class LabelShape(TypedDict):
    lang: str
    text: str
    role: str


class NodeShape(TypedDict):
    id: str
    kind: str
    game: str | None
    source: str | None
    lang: str | None
    edition: str | None
    number: str | None
    label: str | None
    labels: list[LabelShape]
    reading: str | None
    text: str | None
    section: str | None
    url: str | None
    notice: str | None
    date: str | None
    details: JsonObject | None
    named_by: list[JsonObject]


class EvidenceShape(TypedDict):
    page: str
    passage: str
    start: int
    end: int
    text: str


class EdgeShape(TypedDict):
    kind: str
    source: str
    target: str | None
    target_label: str
    status: Literal["resolved", "dangling"]
    reason: str | None
    details: JsonObject | None
    evidence: EvidenceShape


class ReasonShape(TypedDict):
    reason: str
    values: JsonObject
    ask: JsonObject | None


class LeftOutShape(ReasonShape):
    id: str | None


class PlaceShape(TypedDict):
    passage: str
    page_id: str
    page: str
    section: str
    rule: str
    number: str
    heading: str
    edition: str
    game: str
    lang: str
    source: str
    url: str
    entry: str


class Shape(TypedDict):
    """What every document has."""

    more: str | None
    notices: list[str]


class EntryShape(TypedDict):
    node: str
    same: list[str]
    different: list[str]
    rule: NotRequired[JsonObject]
    term: NotRequired[JsonObject]
    page: NotRequired[JsonObject]
    changed_below: NotRequired[JsonObject]


class ShowShape(Shape):
    matches: list[NodeShape]
    taken_as: list[ReasonShape]
    entries: list[EntryShape]
    examples: NotRequired[dict[str, list[EvidenceShape]]]
    tree: NotRequired[dict[str, JsonObject]]
    contents: NotRequired[dict[str, JsonObject]]
    also: list[LeftOutShape]


class RefsShape(Shape):
    node: NodeShape
    named: list[NodeShape]
    edges: list[EdgeShape]
    depths: list[int]
    counts: dict[str, dict[str, int]]
    total: int
    also: list[LeftOutShape]


class PathShape(Shape):
    paths: list[list[NodeShape | EdgeShape]]
    costs: list[int]
    editions: list[list[list[str]]]
    languages: list[list[list[str]]]
    also: list[LeftOutShape]


class HitShape(TypedDict):
    node: NodeShape
    score: float
    snippet: str
    spans: list[Span]
    passage: str
    place: PlaceShape
    same: list[PlaceShape]


class SearchShape(Shape):
    hits: list[HitShape]
    total: int
    with_phrase: int | None
    near: list[str]
    hints: list[ReasonShape]
    also: list[LeftOutShape]


class CitationShape(TypedDict):
    node: str | None
    label: str
    heading: str
    evidence: EvidenceShape


class AnswerShape(TypedDict):
    rank: int
    part: str
    group: str
    score: float
    passage: NodeShape
    node: NodeShape
    why: list[ReasonShape]
    decides: Span
    not_found: list[str]
    place: PlaceShape
    same: list[PlaceShape]
    reworded: list[PlaceShape]
    citations: list[CitationShape]


class AskShape(Shape):
    question: str
    answers: list[AnswerShape]
    unknown: list[str]
    near: list[str]
    hints: list[ReasonShape]
    missing_games: list[str]


class NameShape(TypedDict):
    lang: str
    text: str
    authority: str
    passage: str | None
    proposed: bool


class RowShape(TypedDict):
    game: str | None
    term: NodeShape
    ja: str | None
    reading: str | None
    en: str | None
    definition: str | None
    evidence: EvidenceShape | None
    relation: str | None
    basis: str | None
    edition: str | None
    page: str | None
    url: str | None
    names: list[NameShape]
    made_reading: str | None
    reading_basis: str | None


class CompareShape(Shape):
    rows: list[RowShape]
    alone: list[str]
    also: list[LeftOutShape]
    not_joined: list[JsonObject]


class RuleTextShape(TypedDict):
    number: str
    text: str


class ChangeShape(TypedDict):
    kind: str
    before: RuleTextShape | None
    after: RuleTextShape | None
    spans: list[Span]


class DiffShape(Shape):
    game: str
    lang: str
    before: str
    after: str
    changes: list[ChangeShape]
    counts: dict[str, int]
    total: int
    same: int
    typographic: int
    examples: int
    sections: list[JsonObject]
    filtered_out: dict[str, int]
    not_loaded: dict[str, int]
    loaded: list[JsonObject]
    also: list[LeftOutShape]


class ClaimShape(TypedDict):
    line: int
    start: int
    end: int
    end_line: int
    span: Span
    text: str
    kind: Literal["citation", "quotation"]
    verdict: Literal[
        "exact", "typographic", "repaired", "contradicts", "other edition", "not found"
    ]
    stands: bool
    node: NodeShape | None
    expected: str | None
    message: str
    rule: str | None
    edition: str | None
    number: str | None
    url: str | None
    changes: list[JsonObject]
    also: list[str]


class VerifyShape(Shape):
    claims: list[ClaimShape]
    counts: dict[str, int]
    stands: bool
    total: int
    game: str | None
    edition: str | None
    against: list[str]
    also: list[LeftOutShape]
    left_out: int
