"""Ways between nodes: the least cost, against a search that knows the whole graph."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise
from pathlib import Path

import networkx as nx
import pytest

import kb
from graphs import walks as searched
from graphs.model import Edge, EdgeKind, Node, kind_of_id
from graphs.store.reader import Store
from graphs.walks import COST, FoundPath, paths, proposed_translations
from graphs.writing.best_claims import SharedNodes
from graphs.writing.edge_targets import EdgeTargets
from graphs.writing.page_claims import EdgeClaim, PageClaims, PageNode, rows_in_pieces
from graphs.writing.writer import writing
from kb.query.refs import path as path_question
from tests.commands import run
from tests.conftest import SAMPLE
from tests.rulebooks import build_books


def weighed(base: kb.KnowledgeBase) -> nx.Graph[str]:
    """All nodes and what it costs to go from one to the next."""
    whole = base.graph()
    edges = [(a, b, data["kind"]) for a, b, data in whole.edges(data=True) if a != b]
    stand: Counter[tuple[str, str, bool]] = Counter()
    for source, target, kind in edges:
        stand.update([(source, kind, True), (target, kind, False)])
    graph: nx.Graph[str] = nx.Graph()
    for source, target, kind in edges:
        most = max(stand[source, kind, True], stand[target, kind, False])
        cost = COST[kind] + (most - 1).bit_length()
        sections = [
            str(whole.nodes[end].get("number", "")).split(".")[0] for end in (source, target)
        ]
        if kind == "cites" and sections[0] and sections[0] == sections[1]:
            cost += 6  # within a section
        if cost < graph.get_edge_data(source, target, {"cost": 1000})["cost"]:
            graph.add_edge(source, target, cost=cost)
    return graph


@pytest.mark.slow
def test_no_way_costs_less(base: kb.KnowledgeBase) -> None:
    graph, dice = weighed(base), random.Random(704)
    # Of a game with older editions the cheapest way may lead through one, which paths leave out.
    nodes = sorted(node for node in graph if "lanterns/" not in node)
    for _ in range(40):
        start, end = dice.sample(nodes, 2)
        least, cheapest = nx.single_source_dijkstra(graph, start, end, weight="cost")
        found = base.path(start, end, most=5)
        assert not found.paths if least > 120 else min(found.costs) >= least
        rules = [id.rpartition("/")[2] for id in cheapest if kind_of_id(id) == "cr"]
        # A path twice through one rule, in two languages, gives way to one that is not.
        assert least > 120 or min(found.costs) == least or len(set(rules)) < len(rules)
        ranks = list(zip((each is not None for each in found.lists), found.costs, strict=True))
        assert ranks == sorted(ranks) and len(set(found.paths)) == len(found.paths)
        for cost, way in zip(found.costs, found.paths, strict=True):
            ids = [step.id for step in way if isinstance(step, Node)]
            assert (ids[0], ids[-1]) == (start, end) and len(set(ids)) == len(ids)
            assert cost == sum(graph[a][b]["cost"] for a, b in pairwise(ids))


@pytest.mark.slow
def test_the_order_of_files_does_not_matter(tmp_path: Path) -> None:
    files = sorted(path for path in SAMPLE.rglob("*") if path.is_file())
    for name, sources in (("one.db", files), ("other.db", files[::-1])):
        kb.build(sources, tmp_path / name)
    with kb.open(tmp_path / "one.db") as one, kb.open(tmp_path / "other.db") as other:
        for start, end in (("引く", "状況起因処理"), ("引く", "山札"), ("121.2a", "104.4a")):
            found = one.path(start, end, most=8)
            assert found.paths and found == other.path(start, end, most=8)


def made(file: Path, *edges: tuple[EdgeKind, str, str], proposed: bool = False) -> Store:
    """A graph of one page, whose passages have these edges; proposed: of translations, as nobody
    states them."""
    names = sorted({name for _, *ends in edges for name in ends})
    details = {"basis": "proposed", "both": 2, "of": 3} if proposed else None
    page = PageNode(Node("p", "page", text="p"))
    claims = PageClaims(
        "p", [page, *(PageNode(Node(name, "passage", text=name)) for name in names)]
    )
    claims.edges += [
        EdgeClaim(kind, a, b, b, a, 0, len(a), "none", details if kind == "translates" else None)
        for kind, a, b in edges
    ]
    with writing(file) as writer:
        writer.add(next(rows_in_pieces([claims])))
        writer.finish_pages()
        SharedNodes(writer).resolve()
        EdgeTargets(writer).resolve(lambda wanted: ())
        writer.finish()
    return Store(file)


def kinds(found: list[FoundPath]) -> list[list[str]]:
    return [[step.kind for step in way.steps if isinstance(step, Edge)] for way in found]


EVERYDAY: list[tuple[EdgeKind, str, str]] = [("mentions", f"m{n}", "word") for n in range(100)]
STRONG: list[tuple[EdgeKind, str, str]] = [
    ("cites", "a", "b"), ("defines", "b", "c"), ("cites", "c", "d"),
]  # fmt: skip


def test_three_strong_edges_before_two_mentions_of_an_everyday_term(tmp_path: Path) -> None:
    edges: list[tuple[EdgeKind, str, str]] = [("mentions", "a", "word"), ("mentions", "d", "word")]
    with made(tmp_path / "x.db", *edges, *EVERYDAY, *STRONG) as store:
        assert kinds(paths(store, ["a"], ["d"], 3)) == [["cites", "defines", "cites"]]
    with made(tmp_path / "y.db", *edges, *EVERYDAY) as store:  # where there is no other way
        assert kinds(paths(store, ["a"], ["d"], 3)) == [["mentions", "mentions"]]
    with made(tmp_path / "z.db", *edges, *STRONG) as store:  # a term that only two mention
        assert [way.cost for way in paths(store, ["a"], ["d"], 3)] == [12]


def test_a_translation_that_is_only_proposed_comes_after_what_pages_state(tmp_path: Path) -> None:
    edges: list[tuple[EdgeKind, str, str]] = [("translates", "a", "d"), *STRONG]
    with made(tmp_path / "x.db", *edges) as store:
        assert [way.cost for way in paths(store, ["a"], ["d"], 1)] == [4]
        assert proposed_translations(store, store.keys(["a", "d"])) == set()
    with made(tmp_path / "y.db", *edges, proposed=True) as store:
        found = paths(store, ["d"], ["a"], 1)
        assert [way.cost for way in found] == [12] and kinds(found) != [["translates"]]
    with made(tmp_path / "z.db", edges[0], proposed=True) as store:
        found = paths(store, ["d"], ["a"], 1)
        assert [way.cost for way in found] == [24]
        assert [step.is_proposed for step in found[0].steps if isinstance(step, Edge)] == [True]


def test_a_search_that_leads_too_far_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain: list[tuple[EdgeKind, str, str]] = [("cites", f"n{n}", f"n{n + 1}") for n in range(30)]
    with made(tmp_path / "x.db", *chain) as store:
        assert len(paths(store, ["n0"], ["n29"], 1)[0].steps) == 59
        monkeypatch.setattr(searched, "_MOST_NODES", 10)
        assert paths(store, ["n0"], ["n29"], 1) == []
        assert paths(store, ["n0"], ["n3"], 1) != []


def test_names_that_share_a_node_or_none(base: kb.KnowledgeBase) -> None:
    [way] = base.path("引く", "ドロー", game="mtg", most=1).paths
    assert [step.id for step in way if isinstance(step, Node)] == ["mtg/term/引く"]


def test_paths_that_differ_only_by_edition_are_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = (
        "Harbour Comprehensive Rules\n\n1. Harbour\n\n100. Ships\n\n"
        "100.1. A ship is a card with a sail. See rule 101, “Winds.”\n\n"
        "101. Winds\n\n101.1. The wind turns once a round.\n\n"
        "102. Boats\n\n102.1. A boat is a ship; see rule 100.1 and rule 101.\n"
    )
    editions = ("20210101", "20220101", "20230101")
    books = {(edition, "en"): book for edition in editions}
    with build_books(tmp_path, books) as opened:
        found = opened.path("100.1", "101")
        numbers = [[step.number for step in way if isinstance(step, Node)] for way in found.paths]
        assert numbers[0] == ["100.1", "101"] and len(found.paths) == 2
        assert len({tuple(way) for way in numbers}) == len(numbers)
        assert found.editions[0] == (editions, editions)
        assert {step.edition for step in found.paths[0] if isinstance(step, Node)} == {"20230101"}
        assert opened.path("100.1", "101", edition="20210101").editions[0] == (editions[:1],) * 2
        assert (
            opened.path("100.1", "101", most=1).more.ask.arguments["most"] == 2
            and found.more is None
        )
        assert len(opened.path("101", "Winds").paths) == 1
        monkeypatch.setattr(path_question, "MOST_PATHS", 1)
        assert opened.path("100.1", "101", most=1).more is None  # more are refused


def test_paths_are_of_the_newest_edition_or_of_that_asked_for(tmp_path: Path) -> None:
    old = (
        "Harbour Comprehensive Rules\n\n1. Harbour\n\n100. Ships\n\n"
        "100.1. A ship is a card with a sail. See rule 101, “Winds.”\n\n"
        "101. Winds\n\n101.1. The wind turns once a round.\n\n"
        "102. Boats\n\n102.1. A boat is small.\n"
    )
    new = old.replace(" See rule 101, “Winds.”", " See rule 102, “Boats.”").replace(
        "A boat is small.", "A boat is small (see rule 101)."
    )
    with build_books(tmp_path, {("20210101", "en"): old, ("20220101", "en"): new}) as opened:
        newest, [older, *_] = (
            opened.path("100.1", "101").paths,
            opened.path("100.1", "101", edition="20210101").paths,
        )
        for way in newest:
            assert {step.edition for step in way if isinstance(step, Node)} == {"20220101"}
        assert [step.number for step in older if isinstance(step, Node)] == ["100.1", "101"]


def test_a_path_through_a_list_says_so_and_comes_last(tmp_path: Path) -> None:
    names = tmp_path / "ygo.csv"
    names.write_text("ja,en,reading\n霧の港,Misty Port,\n嵐の海,Stormy Sea,\n", "utf-8")
    kb.build([names], tmp_path / "kb.db", names="cards", game="ygo")
    with kb.open(tmp_path / "kb.db") as opened:
        found = opened.path("霧の港", "嵐の海")
        assert [node is not None and node.kind for node in found.lists] == ["page"]
        assert found.as_json()["lists"] == [found.lists[0].id]
    said = run("path", "霧の港", "嵐の海", of=tmp_path / "kb.db").stdout
    assert "no connection but that both stand in one list" in said


def test_containment_goes_along_the_hierarchy(tmp_path: Path) -> None:
    letters = "".join(f"100.5{letter} Sail number {letter} is white.\n\n" for letter in "abcdefgh")
    english = (
        "Harbour Comprehensive Rules\n\n1. Harbour\n\n100. Ships\n\n100.1. A ship floats.\n\n"
        f"100.5. Sails are white:\n\n{letters}"
        "100.7. A torn sail is an exception to rule 100.5b.\n\n"
        "101. Winds\n\n101.1. The wind fills sails (see rule 100).\n"
    )
    japanese = "ハーバー 総合ルール\n\n1. 港\n\n101. 風\n\n101.1. 風は帆を満たす(rule 100 参照)。\n"
    books = {("20210101", "en"): english, ("20210101", "ja"): japanese}
    with build_books(tmp_path, books) as opened:
        found = opened.path("101.1", "100.5b")
        numbers = [step.number for step in found.paths[0] if isinstance(step, Node)]
        assert numbers == ["101.1", "100", "100.5", "100.5b"]
        assert found.languages[0] == (("en", "ja"), ("en",), ("en",), ("en",))
        done = run("path", "101.1", "100.5b", "--lang", "ja", of=tmp_path / "kb.db")
        assert done.exit_code == 1  # 100.5b is not there in Japanese
        said = run("path", "harbour/cr/20210101/ja/101.1", "100", of=tmp_path / "kb.db").stdout
        assert "(100 in ja is not loaded)" in " ".join(said.split())


def test_other_senses_and_two_names_of_one_thing_are_said(base: kb.KnowledgeBase) -> None:
    found = base.path("引く", "ドロー", game="mtg")
    assert found.costs == (0,) and "mtgwiki/引く" in {left_out.id for left_out in found.also}
    assert found.as_json()["also"] and found.as_json()["languages"] == [[["ja"]]]
    words = ["path", "引く", "ドロー", "--game", "mtg", "--kb", str(base.file)]
    said = run(*words).stdout
    assert "引く and ドロー are names of the same thing." in said and "mtgwiki/引く" in said
    assert not base.path("mtgwiki/引く", "121.4", lang="ja").also


def test_the_steps_of_a_path_are_numbered_from_one(base: kb.KnowledgeBase) -> None:
    assert run("path", "121.2a", "616.1g", of=base).stdout.startswith("1. ")
