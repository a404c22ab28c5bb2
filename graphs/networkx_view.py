"""Converts nodes and edges to a networkx graph that its writers of GraphML, GEXF and GML take.

Attributes are texts and whole numbers, and none of them has a name that one of these formats has a
meaning of its own for: `start` and `end` of an edge would be times in GEXF, and GML keeps the id of
a node as its `label`.
"""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from graphs.model import Edge, Node, named, named_by

if TYPE_CHECKING:
    import networkx as nx

# Characters that no XML file can have, and line ends that it would change. All but a few are
# control characters, which have a picture of their own: ␀.
_NOT_IN_XML = re.compile(r"\r\n?|[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# The fields of a node that are attributes as they are; its id is none, and its labels are beside
# its label.
_NODE_FIELDS = tuple(name for name in Node.__slots__ if name not in ("id", "labels"))
_node_values = attrgetter(*_NODE_FIELDS)
_as_json = json.JSONEncoder(ensure_ascii=False).encode
# Unicode's Control Pictures: from U+2400 on, one for each control character up to U+001F, in order.
_PICTURES, _LAST_CONTROL, _REPLACEMENT = 0x2400, 0x1F, "\N{REPLACEMENT CHARACTER}"


def as_networkx(
    nodes: Iterable[Node], edges: Iterable[Edge], dangling: bool = False
) -> nx.MultiDiGraph[str]:
    """Return a multigraph of the nodes, by id, and the edges between them.

    A node's attributes are its fields as in `Node.as_json`, without those that are None or empty;
    `labels`, `named_by` and `details` are JSON texts. `name` is the same as `label`, which GML
    files do not keep. An edge's attributes are `kind`, `reason`, `details` (a JSON text) and, from
    its evidence, `text`, `passage`, `span_start` and `span_end`; its key is made of its kind,
    passage and start: of edges that have the same ends and key, the last one stays. Control
    characters that no XML file can have are shown as pictures (␀).

    Dangling edges are left out unless `dangling` is set. Then each leads to a node that has no
    attributes and is called `? ` and the edge's target label. The end of an edge that is not
    among `nodes` is added by its id, without attributes.

    >>> graph = as_networkx([Node("mtg/term/引く", "term", game="mtg", label="引く")], [])
    >>> graph.nodes["mtg/term/引く"]
    {'kind': 'term', 'game': 'mtg', 'label': '引く', 'name': '引く'}
    """
    import networkx as nx

    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    with _uncollected():
        for node in nodes:
            graph.add_node(storable(node.id), **_node_attributes(node))
        ids = _StorableTexts()
        for edge in edges:
            if edge.target is None and not dangling:
                continue
            evidence = edge.evidence
            passage = ids[evidence.passage]
            graph.add_edge(
                ids[edge.source],
                ids[edge.target or f"? {edge.target_label}"],
                f"{edge.kind} {passage}:{evidence.start}",
                **_edge_attributes(edge, passage),
            )
    return graph


@contextmanager
def _uncollected() -> Iterator[None]:
    """Let Python look for no circles of objects within a `with` block: in a graph that grows by a
    million dictionaries it finds none, and takes an eighth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _StorableTexts(dict[str, str]):
    """A cache of `storable` for ids, which come in many edges."""

    def __missing__(self, text: str) -> str:
        return self.setdefault(text, storable(text))


def _node_attributes(node: Node) -> dict[str, Any]:
    """Return the attributes of a node that have a value, in the order of its fields, `named_by` and
    `name` last: see `as_networkx`."""
    attributes: dict[str, Any] = {}
    for name, value in zip(_NODE_FIELDS, _node_values(node), strict=True):
        if value:
            attributes[name] = storable(value if isinstance(value, str) else _as_json(value))
        if name == "label" and node.labels:
            attributes["labels"] = storable(_as_json([*map(named, node.labels)]))
    if passages := named_by(node.labels):
        attributes["named_by"] = storable(_as_json(passages))
    if "label" in attributes:
        attributes["name"] = attributes["label"]
    return attributes


def _edge_attributes(edge: Edge, passage: str) -> dict[str, Any]:
    """Return the attributes of an edge, without those that have no value. passage: the id of the
    passage that it rests on, `storable`."""
    evidence = edge.evidence
    attributes: dict[str, Any] = {"kind": edge.kind}
    if evidence.text:
        attributes["text"] = storable(evidence.text)
    attributes["passage"] = passage
    attributes["span_start"], attributes["span_end"] = evidence.start, evidence.end
    if edge.reason:
        attributes["reason"] = storable(edge.reason)
    if edge.details:
        attributes["details"] = storable(_as_json(edge.details))
    return attributes


def structured(attributes: Mapping[str, Any], name: str) -> Any:
    """Return the list or object that an attribute gives as a JSON text; None if it is not there or
    empty. Raises ValueError if it is no JSON.

    >>> structured({"kind": "same_concept", "details": '{"relation": "close"}'}, "details")
    {'relation': 'close'}
    """
    return json.loads(attributes.get(name) or "null")


def storable(text: str) -> str:
    """Return a text with every character that no XML file can have replaced, control characters by
    their pictures and others by �, and each line end by a line feed: also what the node with this
    id is called in the graph.

    >>> storable("a\\x00b\\ufffe"), storable("a\\r\\nb\\tc")
    ('a␀b�', 'a\\nb\\tc')
    """
    # Most texts are, and to see that takes a tenth of the time.
    return text if text.isprintable() else _NOT_IN_XML.sub(_replacement, text)


def _replacement(found: re.Match[str]) -> str:
    """Return what stands for a character, or for a line end, in an XML file: a line feed for a line
    end, the picture of a control character, � for any other."""
    if found[0].startswith("\r"):
        return "\n"
    code = ord(found[0])
    return chr(_PICTURES + code) if code <= _LAST_CONTROL else _REPLACEMENT
