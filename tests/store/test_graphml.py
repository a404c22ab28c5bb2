"""GraphML: networkx reads the graph that was written, and the file keeps the format's rules."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from lxml import etree

import kb
from graphs.model import Edge, Evidence, Label, Node
from graphs.networkx_view import as_networkx, storable
from kb.interchange import graphml
from tests.hostile_text import SEQUENCES

_NAMESPACE = "{http://graphml.graphdrawing.org/xmlns}"
_TYPES = {"boolean", "int", "long", "float", "double", "string"}
# What Gephi takes for its own, as the id or the name of a key.
_GEPHI_NODES = {"d3", "x", "y", "z", "xpos", "ypos", "size", "r", "g", "b", "id", "timeset"}
_GEPHI_EDGES = {
    "d7",
    "edgelabel",
    "weight",
    "edge weight",
    "edgeid",
    "r",
    "g",
    "b",
    "id",
    "timeset",
}
_ODD = "a\x00b\x0b\r\nc\ttab \x1f\ufffe\U0001f600 <&\"'> ]]> <![CDATA[ \x85 &#1; <html> "


class StoreOf:
    """Gives the nodes and edges of a list as a store does."""

    def __init__(self, nodes: Iterable[Node], edges: Iterable[Edge], langs: Iterable[str]) -> None:
        self.nodes, self.edges, self.langs = nodes, edges, list(langs)

    def values(self) -> dict[str, list[str]]:
        return {"lang": self.langs}

    def all_nodes(self) -> Iterator[Node]:
        return iter(self.nodes)

    def all_edges(self) -> Iterator[Edge]:
        return iter(self.edges)


def written(store: Any) -> tuple[bytes, int, int]:
    out = io.BytesIO()
    nodes, edges = graphml.write(store, out)
    return out.getvalue(), nodes, edges


def read(content: bytes) -> Any:
    return nx.read_graphml(io.BytesIO(content), force_multigraph=True)


def names_of(element: Any) -> str:
    return str(element.tag).removeprefix(_NAMESPACE)


def check_rules(content: bytes) -> None:
    """Check what GraphML's schema asks for beside the elements, and what Gephi and yEd need."""
    root = etree.fromstring(content, etree.XMLParser(resolve_entities=False, huge_tree=True))
    assert root.getroottree().docinfo.internalDTD is None
    assert b"<![CDATA[" not in content  # Gephi reads no such text
    assert root.tag == f"{_NAMESPACE}graphml"
    *keys, graph = root
    assert [names_of(key) for key in keys] == ["key"] * len(keys)
    declared = {key.get("id"): key for key in keys}
    assert len(declared) == len(keys)
    named = Counter((key.get("for"), key.get("attr.name")) for key in keys)
    assert set(named.values()) == {1}
    for key in keys:
        assert key.get("attr.type") in _TYPES
        assert key.get("for") in {"node", "edge"}  # of `all` Gephi reads those of nodes alone
        reserved = _GEPHI_NODES if key.get("for") == "node" else _GEPHI_EDGES
        assert not {key.get("id").lower(), key.get("attr.name").lower()} & reserved
        assert etree.QName(key.get("id"))  # a name that XML may have
    assert names_of(graph) == "graph" and graph.get("edgedefault") == "directed"
    check_elements(graph, declared)


def check_elements(graph: Any, declared: dict[str, Any]) -> None:
    nodes: set[str] = set()
    edges: set[str] = set()
    for element in graph:
        ids = nodes if names_of(element) == "node" else edges
        assert element.get("id") not in ids
        ids.add(element.get("id"))
        if names_of(element) == "edge":
            assert {element.get("source"), element.get("target")} <= nodes
        keys = [data.get("key") for data in element]
        assert len(set(keys)) == len(keys)
        for data in element:
            key = declared[data.get("key")]
            assert names_of(data) == "data" and key.get("for") == names_of(element)
            assert not len(data) and data.text
            assert key.get("attr.type") != "int" or str(int(data.text)) == data.text


def edge_counts(graph: Any) -> Counter[tuple[Any, ...]]:
    fields = ("kind", "passage", "span_start", "span_end", "text", "reason")
    return Counter(
        (source, target, *(data.get(field) for field in fields))
        for source, target, data in graph.edges(data=True)
    )


def same_as(graph: Any, expected: Any) -> None:
    """Check that a graph that was read has the nodes and edges of one of `as_networkx`."""
    assert set(graph) == set(expected)
    fields = ("kind", "label", "game", "source", "lang", "number", "reading", "text", "url")
    for node, attributes in expected.nodes(data=True):
        for field in fields:
            if field in attributes:
                assert graph.nodes[node][field] == attributes[field]
    # as_networkx keeps one of several edges with the same passage and start.
    assert set(edge_counts(expected)) <= set(edge_counts(graph))
    assert {edge[:4] for edge in edge_counts(graph)} == {edge[:4] for edge in edge_counts(expected)}


@pytest.fixture(scope="module")
def sample(base: kb.KnowledgeBase) -> tuple[bytes, int, int]:
    """What is written of the sample."""
    return written(base._store)


@pytest.fixture(scope="module")
def graph(sample: tuple[bytes, int, int]) -> Any:
    """What networkx reads of it."""
    return read(sample[0])


@pytest.mark.slow
def test_networkx_reads_the_graph(
    base: kb.KnowledgeBase, sample: tuple[bytes, int, int], graph: Any
) -> None:
    content, nodes, edges = sample
    every = list(base._store.all_edges())
    check_rules(content)
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (nodes, edges)
    assert edges == len(every)
    same_as(graph, base.graph(dangling=True))
    missing = [node for node, kind in graph.nodes(data="kind") if kind == "missing"]
    assert missing and set(graph) - set(missing) == set(base.graph())
    assert {graph.nodes[node]["label"] for node in missing} == {
        storable(edge.target_label) for edge in every if edge.target is None
    }
    statuses = Counter(status for *_, status in graph.edges(data="status"))
    assert statuses["dangling"] == sum(edge.target is None for edge in every)
    reasons = [reason for *_, reason in graph.edges(data="reason") if reason]
    assert len(reasons) == statuses["dangling"]


@pytest.mark.slow
def test_names_and_details_are_single_texts(graph: Any) -> None:
    term = graph.nodes["mtg/term/引く"]
    assert term["label"] == "引く"
    assert "Draw" in term["label_en"] and "引く" in term["label_ja"].split(" | ")
    assert "引く" in term["labels"].split(" | ")
    outcome = next(data for _, data in graph.nodes(data=True) if data["kind"] == "outcome")
    assert outcome["modality"] == json.loads(outcome["details"])["modality"]
    relations = {relation for *_, relation in graph.edges(data="relation") if relation}
    assert relations <= {"exact", "close"} and relations
    assert all(data["label"] for _, data in graph.nodes(data=True))
    assert all(data["label"] == data["kind"] for *_, data in graph.edges(data=True))


@pytest.mark.parametrize("odd", [_ODD, " ", "\x00", "\ud800", *SEQUENCES])
def test_hostile_text_comes_back(odd: str) -> None:
    details: dict[str, Any] = {"condition": odd, "result": [odd], "n": {"a": None}, odd: 1.5}
    labels = (Label("ja", odd), Label("en", f"x{odd}", "alias"), Label(odd, "y", "reading"))
    nodes = [
        Node(f"x/{odd}", "term", label=odd, labels=labels, text=odd, url=odd, details=details),
        Node("x/2", "passage", number="007", label="", text=" 1 ", date="true"),
    ]
    evidence = Evidence("x", odd, 0, 3, odd)
    edges = [
        Edge("cites", f"x/{odd}", "x/2", odd, evidence, details=details),
        Edge("cites", f"x/{odd}", "x/2", odd, Evidence("x", odd, 5, 5, ""), details={}),
        Edge("cites", "x/2", None, odd, evidence, reason=odd),
        Edge("cites", "x/2", "x/2", "", evidence),
        Edge("cites", "x/3", "x/2", "", evidence),
    ]
    content, *counts = written(StoreOf(nodes, edges, ["ja", "en", odd]))
    check_rules(content)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028]", content.decode())
    graph = read(content)
    assert counts == [4, 5]
    same_as(graph, as_networkx(nodes, edges, dangling=True))
    assert graph.nodes[storable(f"x/{odd}")]["label"] == storable(odd)
    assert graph.nodes["x/2"]["label"] == "007" and graph.nodes["x/3"]["kind"] == "missing"
    assert graph.nodes[storable(f"x/{odd}")]["labels"] == storable(f"{odd} | x{odd} | y")
    assert json.loads(graph.nodes[storable(f"x/{odd}")]["details"])["n"] == {"a": None}


def test_a_reading_is_no_name_in_its_language() -> None:
    labels = (Label("ja", "引く"), Label("ja", "ドロー", "alias"), Label("ja", "ひく", "reading"))
    node = Node("x", "term", label="引く", labels=labels, reading="ひく")
    attributes = read(written(StoreOf([node], [], ["ja"]))[0]).nodes["x"]
    assert attributes["label_ja"] == "引く | ドロー" and attributes["reading"] == "ひく"
    assert attributes["labels"] == "引く | ドロー | ひく"


def test_export_writes_it(
    base: kb.KnowledgeBase, sample: tuple[bytes, int, int], tmp_path: Path
) -> None:
    report = base.export(tmp_path / "x.graphml")
    content, *counts = sample
    assert (tmp_path / "x.graphml").read_bytes() == content
    assert [report.nodes, report.edges] == counts


def test_an_empty_graph_is_a_file_too() -> None:
    content, *counts = written(StoreOf([], [], []))
    check_rules(content)
    assert counts == [0, 0] and not read(content)


def test_the_file_grows_while_the_graph_is_read() -> None:
    out, sizes = io.BytesIO(), []

    def nodes() -> Iterator[Node]:
        for number in range(400):
            sizes.append(out.tell())
            yield Node(f"x/{number}", "passage", text="札" * 100)

    graphml.write(StoreOf(nodes(), [], ["ja"]), out)  # type: ignore[arg-type]
    assert max(b - a for a, b in pairwise([*sizes, out.tell()])) < out.tell() / 5
