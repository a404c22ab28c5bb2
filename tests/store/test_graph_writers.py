"""Graphs go into the files of networkx's GraphML, GEXF and GML as they are, and come back."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

import kb
from graphs.model import Edge, Evidence, Label, Node
from graphs.networkx_view import as_networkx, structured

Graph = Any
ODD = "a\x00b\x0b\r\nc\ttab \x1f\ufffe\U0001f600 <&\"'> ]]> \x85 &#1; \\u0000 "
STRUCTURED = {"n": 1, "parts": ["x", None, ODD.replace("\r\n", "\n")], "relation": "close"}


def graphml(graph: Graph) -> Graph:
    out = io.BytesIO()
    nx.write_graphml(graph, out)
    return nx.read_graphml(io.BytesIO(out.getvalue()), force_multigraph=True)


def gexf(graph: Graph) -> Graph:
    out = io.BytesIO()
    nx.write_gexf(graph, out)
    return nx.read_gexf(io.BytesIO(out.getvalue()))


def gml(graph: Graph) -> Graph:
    out = io.BytesIO()
    nx.write_gml(graph, out)
    return nx.read_gml(io.BytesIO(out.getvalue()))


WRITERS: list[tuple[Callable[[Graph], Graph], set[str], set[str]]] = [
    # What each format adds to nodes and edges, or keeps for itself.
    (graphml, set(), set()),
    (gexf, {"label"}, {"id"}),
    (gml, {"label"}, set()),
]


def without(attributes: dict[str, Any], names: set[str]) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if name not in names}


def same(graph: Graph, read: Graph, of_nodes: set[str], of_edges: set[str]) -> None:
    assert read.is_directed() and set(read) == set(graph)
    for node, attributes in graph.nodes(data=True):
        assert without(read.nodes[node], of_nodes) == without(attributes, of_nodes)
    assert read.number_of_edges() == graph.number_of_edges()
    for a, b, key, data in graph.edges(keys=True, data=True):
        # Without parallel edges, GEXF is read as a graph without keys.
        found = read.edges[(a, b, key) if read.is_multigraph() else (a, b)]
        assert without(found, of_edges) == without(data, of_edges)


@pytest.mark.slow
@pytest.mark.parametrize(("through", "of_nodes", "of_edges"), WRITERS)
@pytest.mark.parametrize(
    "graph",
    [
        lambda base: base.graph(dangling=True),
        lambda base: base.refs("引く").graph(dangling=True),
        lambda base: base.refs("121", with_parts=True).graph(),
        lambda base: base.path("引く", "704").graph(),
        lambda base: base.compare("引く").graph(),
    ],
)
def test_graphs_come_back_as_they_were(
    base: kb.KnowledgeBase,
    graph: Callable[[kb.KnowledgeBase], Graph],
    through: Callable[[Graph], Graph],
    of_nodes: set[str],
    of_edges: set[str],
) -> None:
    made = graph(base)
    assert made.number_of_edges()
    same(made, through(made), of_nodes, of_edges)


@pytest.mark.parametrize(("through", "of_nodes", "of_edges"), WRITERS)
def test_text_that_no_file_could_have(
    through: Callable[[Graph], Graph], of_nodes: set[str], of_edges: set[str]
) -> None:
    labels = (Label("ja", ODD, passages=(ODD,)), Label("en", "x", "alias"))
    nodes = [
        Node(f"x/{ODD}", "term", label=ODD, labels=labels, text=ODD, details=STRUCTURED),
        Node("x/2", "passage", number="007", label="", text=" 1 ", date="true"),
    ]
    evidence = Evidence("x", ODD, 0, 3, ODD)
    edges = [
        Edge("cites", f"x/{ODD}", "x/2", ODD, evidence, details=STRUCTURED),
        Edge("cites", f"x/{ODD}", "x/2", ODD, Evidence("x", ODD, 5, 5, ""), details={}),
        Edge("cites", "x/2", None, ODD, evidence, reason=ODD),
    ]
    same(graph := as_networkx(nodes, edges, dangling=True), through(graph), of_nodes, of_edges)
    assert graph.number_of_edges() == 3


def test_attributes_are_texts_and_numbers(base: kb.KnowledgeBase) -> None:
    graph = base.graph(dangling=True)
    for _, data in graph.nodes(data=True):
        assert {type(value) for value in data.values()} <= {str}
    for *_, data in graph.edges(data=True):
        assert {type(value) for value in data.values()} <= {str, int}
    term = graph.nodes["mtg/term/引く"]
    assert {"lang": "ja", "text": "引く", "role": "preferred"} in json.loads(term["labels"])
    relations = {
        (structured(data, "details") or {}).get("relation") for *_, data in graph.edges(data=True)
    }
    assert {"exact", "close"} & relations


@pytest.mark.shared
def test_graphs_of_real_pages_come_back(built: Any, shared: Path) -> None:
    base = built(shared / "seeds")
    graph = base.graph(dangling=True)
    for through, of_nodes, of_edges in WRITERS[:2]:
        same(graph, through(graph), of_nodes, of_edges)
