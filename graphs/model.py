"""The dataclasses of the graph (Node, Edge, Evidence, Label) and the kinds of nodes and edges."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

NodeKind = Literal[
    "page",
    "section",
    "passage",
    "term",
    "rule",
    "document",
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
Role = Literal["preferred", "alias", "redirect", "abbreviation", "listed", "reading", "proposed"]

# The rank of each edge kind: 0 is the kind that says most about how two nodes are connected.
# Edges are listed in this order. What a page states (it defines, cites, redirects) comes first,
# links, words and the parts of a page, which nearly every node has, last.
STRENGTH: dict[str, int] = {
    kind: rank
    for rank, kind in enumerate(
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


# At the end of the id of a passage, ruling, procedure, step or outcome; no page's name ends so, and
# none has a `#` (`scraper.bounded_names`).
_NUMBER_ON_PAGE = re.compile(r"[¶?!~][0-9]+(?:\.[0-9]+)*\Z")


def kind_of_id(node_id: str) -> str:
    """Return the part of an id that says what it is: what is behind the first `/`, up to the next;
    empty if there is no `/`. Ids of pages and of what stands on them say no kind: of these it is
    the name of the page, or its beginning.

    A name may have anything in it, `/card/` among others.

    >>> kind_of_id("mtg/term/card/M055"), kind_of_id("mtg/card/否定の契約"), kind_of_id("引く")
    ('term', 'card', '')
    """
    _game, _, rest = node_id.partition("/")
    return rest.partition("/")[0]


def page_and_section(node_id: str) -> tuple[str, str]:
    """Return the id of the page that something stands on, and the title of its section, as its own
    id has them; what stands in no section has an empty title, and a page is its own page.

    node_id: of a page, a section, a passage or what a passage states. Rules, terms, cards and
        editions stand on no one page.

    >>> page_and_section("mtgwiki/引く#ルール¶4"), page_and_section("mtgwiki/引く~1")
    (('mtgwiki/引く', 'ルール'), ('mtgwiki/引く', ''))
    >>> page_and_section("mtgwiki/何枚?"), page_and_section("dmwiki/使う#手順!1.2")
    (('mtgwiki/何枚?', ''), ('dmwiki/使う', '手順'))
    """
    page, _, section = _NUMBER_ON_PAGE.sub("", node_id).partition("#")
    return page, section


@dataclass(frozen=True, slots=True)
class Label:
    """A name of a node.

    lang: the language of the name, such as `ja` or `en`.
    text: the name as it is written.
    role: what kind of name it is; a node has at most one preferred name in each language. No page
        states a `proposed` name: aligned rules in two languages suggest it.
    passages: the ids of passages that give the node this name; the first few, if there are many.
        Labels that differ in nothing else are equal.
    """

    lang: str
    text: str
    role: Role = "preferred"
    passages: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The words that an edge rests on: `text` is the text of the passage from `start` to `end`.

    page, passage: the ids of the passage and of its page.
    start, end: the span in the passage's text, in characters, end excluded.
    """

    page: str
    passage: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Node:
    """A page, a part of a page, or something that pages describe: a term, a rule, a card…

    Fields that do not apply to a node are None.

    id: says what the node is (`mtg/term/引く`), and does not depend on the order of a build.
    game: the game that the node belongs to, such as `mtg`.
    source: where the page comes from that gives the node, such as `mtgwiki`.
    lang: the language of the text, such as `ja` or `en`.
    edition: the dated version of the rulebook, such as `20231117`.
    number: the number of a rule or of a step.
    label: the name or title; for a ruling the question, for an outcome its subject, for a
        procedure the sentence that introduces it.
    labels: all names, in every language.
    reading: the pronunciation of a Japanese name, in kana.
    text: the words of the page; for a ruling the answer.
    section: the id of the section that a passage stands in, or of its page if it is in none.
    url: the address of the page that gives the node.
    notice: a warning about the source that readers must see, such as that its text is a
        demonstration.
    date: the day of a ruling, as YYYY-MM-DD.
    details: fields that only one kind of node has, such as what is printed on a card or the
        parts of an outcome.
    rule: of a rule, or a section of a document, in one edition and language: the id of that rule
        through all editions, such as `mtg/rule/701.19@20260116/en`: its number, edition and
        language in its newest version.
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
    rule: str | None = None

    @property
    def section_title(self) -> str:
        """The title of the section that the node stands in, with a number behind it if another
        section of its page has the same; empty if it stands in none."""
        return (self.section or "").partition("#")[2]

    @property
    def series(self) -> str:
        """What a numbered rule or section is of, whatever the edition: `rule` for the game's rules,
        else the document's name, such as `tournament-rules`, or `document` if its edition has
        none; empty for any other node."""
        if self.kind != "document":
            return "rule" if self.kind == "rule" else ""
        return (self.edition or "").rpartition("-")[0] or self.kind

    def as_json(self) -> dict[str, Any]:
        """Return the node as a dict for JSON: every field by its name, those that are None too.

        `labels` holds `{"lang", "text", "role"}` of each label. The passages of labels are in
        an additional key `named_by`, a list of `{"lang", "text", "passages"}` of the labels that
        have any.
        """
        fields = {name: getattr(self, name) for name in self.__slots__}  # asdict is slow
        fields["labels"] = tuple(map(named, self.labels))
        fields["details"] = deepcopy(self.details)
        return fields | {"named_by": named_by(self.labels)}


def named(label: Label) -> dict[str, str]:
    """Return a label for JSON, without its passages."""
    return {"lang": label.lang, "text": label.text, "role": label.role}


def named_by(labels: Iterable[Label]) -> list[dict[str, Any]]:
    """Return for JSON the passages of the labels that have any."""
    return [
        {"lang": label.lang, "text": label.text, "passages": list(label.passages)}
        for label in labels
        if label.passages
    ]


def is_proposed(details: Mapping[str, Any] | None) -> bool:
    """Return whether an edge with these details is only proposed: see `Edge.is_proposed`."""
    return (details or {}).get("basis") == "proposed"


@dataclass(frozen=True, slots=True)
class Edge:
    """A connection from one node to another, with the words that it rests on.

    source, target: the ids of the nodes. The target of a dangling edge is None.
    target_label: the target as the page names it, or else the target's own label.
    reason: why the target of a dangling edge is not in the graph; None for other edges.
    details: fields that only one kind of edge has, such as how a rule is cited (`cites`) or
        why two terms are taken for the same concept (`same_concept`).
    """

    kind: EdgeKind
    source: str
    target: str | None
    target_label: str
    evidence: Evidence
    reason: str | None = None
    details: Mapping[str, Any] | None = field(default=None, hash=False)

    @property
    def status(self) -> str:
        """`resolved` or `dangling`.

        Dangling is an edge whose target is None.
        """
        return "dangling" if self.target is None else "resolved"

    @property
    def gives_names_only(self) -> bool:
        """Whether a passage that `defines` its target only names it, as a row of a list does."""
        return bool((self.details or {}).get("names_only"))

    @property
    def is_proposed(self) -> bool:
        """Whether no page says so: aligned rules in two languages only suggest a translation."""
        return is_proposed(self.details)

    def as_json(self) -> dict[str, Any]:
        """Return the edge as a dict for JSON: every field by its name, and its `status`.

        `evidence` is `{"page", "passage", "start", "end", "text"}`.
        """
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
