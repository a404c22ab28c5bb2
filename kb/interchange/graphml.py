"""Writes the whole graph as GraphML, for Gephi, yEd and networkx.

Attributes are single texts and numbers, each declared before it is used. A node's id is its id in
the graph, so that networkx reads the ids and names of `KnowledgeBase.graph(dangling=True)`.

What the tools make of it:

- Gephi shows `label` at nodes and edges. Keys whose id is `d3` and attributes called `weight`,
  `size` or `x` have a meaning of their own there: none is written. It merges edges between the same
  two nodes unless "Don't merge" is chosen when the file is opened.
- yEd reads all attributes as custom properties, and draws nodes without text on one place: its
  Properties Mapper makes `label` their text, and a layout places them. What it would draw at once
  (`y:NodeLabel`) is no single text, and strict readers refuse it.
- networkx has the id of an edge as its key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO
from xml.sax.saxutils import escape, quoteattr

from graphs.model import Edge, Label, Node
from graphs.networkx_view import storable
from graphs.store.reader import Store
from kb.control_characters import json_text, printable_xml
from kb.query.lookup.named_nodes import first_words

_BEGINNING = b"""<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
"""
_FIELDS = (
    "game", "source", "lang", "edition", "number", "reading", "text", "section", "url", "notice",
    "date",
)  # fmt: skip
# Fields of details that are useful by themselves, as far as they are texts.
_NODE_DETAILS = ("subject", "modality", "condition", "result", "exception_to")
_EDGE_DETAILS = ("relation", "basis", "how", "heading")
_MISSING, _MARK = "missing", "? "  # the kind of a node that only dangling edges lead to; its id
_LANGUAGE = re.compile(r"[A-Za-z0-9-]+")  # others can be no part of an XML name


def write(store: Store, out: BinaryIO) -> tuple[int, int]:
    """Write the graph to an open file, and return the number of nodes, the missing ones among them,
    and the number of edges.

    A dangling edge leads to a node of the kind `missing`, which is called `? ` and the edge's
    target label. All names of a node are in `labels`, with ` | ` between them, and those of one
    language in `label_ja`, `label_en`…; `details` is a JSON text. Control characters that no XML
    file can have are shown as pictures (␀).
    """
    languages = [lang for lang in store.values()["lang"] if _LANGUAGE.fullmatch(lang)]
    out.write(_BEGINNING)
    for key in _keys(languages):
        _write_line(out, key)
    out.write(b'<graph id="sansho" edgedefault="directed">\n')
    counts = _write_graph(out, store, languages)
    out.write(b"</graph>\n</graphml>\n")
    return counts


def _write_graph(out: BinaryIO, store: Store, languages: Sequence[str]) -> tuple[int, int]:
    """Write the nodes and edges, and return how many there are.

    A node that is missing stands before the first edge to it.
    """
    written: set[str] = set()
    for node in store.all_nodes():
        if (node_id := storable(node.id)) not in written:
            written.add(node_id)
            _write_line(out, _element("node", {"id": node_id}, _node_attributes(node, languages)))
    count = 0
    for count, edge in enumerate(store.all_edges(), 1):
        ends = {"source": storable(edge.source), "target": _target(edge)}
        for node_id in ends.values():
            if node_id not in written:
                written.add(node_id)
                missing = {"kind": _MISSING, "label": node_id.removeprefix(_MARK)}
                _write_line(out, _element("node", {"id": node_id}, missing))
        _write_line(out, _element("edge", {"id": f"e{count}"} | ends, _edge_attributes(edge)))
    return len(written), count


def _target(edge: Edge) -> str:
    """Return the id of the node that an edge leads to; of one that dangles `? ` and its label."""
    return storable(edge.target or f"{_MARK}{edge.target_label}")


def _keys(languages: Iterable[str]) -> Iterator[str]:
    """Yield the declarations of all attributes, those of nodes first, an element each.

    The id of a key differs from its name, which nodes and edges may share.
    """
    names = [_name_in(lang) for lang in languages]
    node_texts = ("kind", "label", *_FIELDS, "labels", *names, *_NODE_DETAILS, "details")
    edge_texts = ("kind", "label", "status", "reason", "text", "passage", *_EDGE_DETAILS, "details")
    for element, attributes, kind in (
        ("node", node_texts, "string"),
        ("edge", edge_texts, "string"),
        ("edge", ("span_start", "span_end"), "int"),
    ):
        for name in attributes:
            key = {"id": f"{element}_{name}", "for": element, "attr.name": name, "attr.type": kind}
            yield f"<key{_xml_attributes(key)}/>"


def _name_in(lang: str) -> str:
    """Return the attribute for the names in a language, as `label_ja`."""
    return f"label_{lang}"


def _node_attributes(node: Node, languages: Iterable[str]) -> dict[str, Any]:
    """Return the attributes of a node; those without a value are None or empty."""
    label = node.label or node.number
    if not label and node.kind == "outcome":  # of a result without a subject
        label = first_words(node.text or "")
    attributes: dict[str, Any] = {"kind": node.kind, "label": label or node.id}
    attributes |= {name: getattr(node, name) for name in _FIELDS}
    if node.labels:
        attributes["labels"] = _joined(node.labels)
        for lang in languages:
            attributes[_name_in(lang)] = _joined(
                label for label in node.labels if label.lang == lang and label.role != "reading"
            )
    return attributes | _details(node.details, _NODE_DETAILS)


def _joined(labels: Iterable[Label]) -> str:
    """Return the texts of labels, each once, with ` | ` between them; empty for none."""
    return " | ".join(dict.fromkeys(label.text for label in labels))


def _edge_attributes(edge: Edge) -> dict[str, Any]:
    """Return the attributes of an edge; those without a value are None or empty."""
    evidence = edge.evidence
    return {
        "kind": edge.kind,
        "label": edge.kind,
        "status": edge.status,
        "reason": edge.reason,
        "text": evidence.text,
        "passage": evidence.passage,
        "span_start": evidence.start,
        "span_end": evidence.end,
    } | _details(edge.details, _EDGE_DETAILS)


def _details(details: Mapping[str, Any] | None, names: Iterable[str]) -> dict[str, Any]:
    """Return the fields of some names that are texts, and all fields together as a JSON text,
    called `details`; nothing without details."""
    if not details:
        return {}
    fields = {name: details.get(name) for name in names}
    texts = {name: value for name, value in fields.items() if isinstance(value, str)}
    return texts | {"details": json_text(details)}


def _element(tag: str, identity: Mapping[str, str], attributes: Mapping[str, Any]) -> str:
    """Return a node or an edge with its attributes, without those that are None or empty."""
    data = "".join(
        f'<data key="{tag}_{name}">{escape(storable(str(value)))}</data>'
        for name, value in attributes.items()
        if value not in (None, "")
    )
    return f"<{tag}{_xml_attributes(identity)}>{data}</{tag}>"


def _xml_attributes(values: Mapping[str, str]) -> str:
    return "".join(f" {name}={quoteattr(value)}" for name, value in values.items())


def _write_line(out: BinaryIO, element: str) -> None:
    """Write an element and a line break."""
    out.write(f"{printable_xml(element)}\n".encode())
