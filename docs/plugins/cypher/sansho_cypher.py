"""Writes the whole graph as statements in Cypher: `cypher-shell < graph.cypher` loads them.

sansho export --out graph.cypher
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, BinaryIO

from graphs.model import Edge, Node
from graphs.store.reader import Store
from kb.interchange.export import Format

_FIELDS = (
    "game", "source", "lang", "edition", "number", "label", "reading", "text", "url", "notice",
    "date",
)  # fmt: skip


def write(store: Store, out: BinaryIO) -> tuple[int, int]:
    """Write the graph to an open file, and return the number of nodes, the missing ones among them,
    and of edges.

    Each node is a statement, with its kind as a label beside `Sansho`; each edge is one that looks
    its ends up by id, for which an index is made first. What an edge leads to and is not loaded is
    a node `Missing`.
    """
    out.write(b"CREATE INDEX sansho_id IF NOT EXISTS FOR (n:Sansho) ON (n.id);\n")
    nodes = edges = 0
    for node in store.all_nodes():
        nodes += 1
        out.write(_node(node.id, node.kind.title(), _properties(node)).encode())
    missing: set[str] = set()
    for edge in store.all_edges():
        edges += 1
        target = edge.target or f"? {edge.target_label}"
        if edge.target is None and target not in missing:
            missing.add(target)
            out.write(_node(target, "Missing", {"label": edge.target_label}).encode())
        out.write(_edge(edge, target).encode())
    return nodes + len(missing), edges


def _properties(node: Node) -> dict[str, Any]:
    values = {name: value for name in _FIELDS if (value := getattr(node, name)) is not None}
    names = [f"{label.lang}:{label.text}" for label in node.labels]
    return values | ({"names": names} if names else {})


def _node(node_id: str, kind: str, properties: Mapping[str, Any]) -> str:
    return f"CREATE (:Sansho:{kind} {_map({'id': node_id, **properties})});\n"


def _edge(edge: Edge, target: str) -> str:
    evidence = edge.evidence
    properties = {"status": edge.status, "passage": evidence.passage, "words": evidence.text}
    ends = f"MATCH (a:Sansho {_map({'id': edge.source})}), (b:Sansho {_map({'id': target})})"
    return f"{ends} CREATE (a)-[:{edge.kind.upper()} {_map(properties)}]->(b);\n"


def _map(values: Mapping[str, Any]) -> str:
    """Return a map as Cypher writes it. Strings are written as JSON writes them in ASCII, which
    Cypher reads: so no page's text can end one.

    >>> _map({"id": "a'\\\\ }) DETACH DELETE n", "n": ["引"]})
    '{id: "a\\'\\\\\\\\ }) DETACH DELETE n", n: ["\\\\u5f15"]}'
    """
    return "{" + ", ".join(f"{key}: {json.dumps(value)}" for key, value in values.items()) + "}"


CYPHER = Format("cypher", (".cypher", ".cql"), "graph", __name__, "Cypher, for graph databases")
