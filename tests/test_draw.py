"""Pictures: the same each time, letters that the font has and that lie apart, errors for people."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import get_args

import matplotlib
import networkx as nx
import pytest
from click.testing import CliRunner
from matplotlib.backends.backend_agg import FigureCanvasAgg

import kb
from graphs.model import EdgeKind, NodeKind
from graphs.path_search import COST
from graphs.picture import lettering
from graphs.picture.layout import box_positions
from graphs.picture.paint import EDGE_STYLES, NODE_STYLES
from kb.cli.group import main
from tests.rulebooks import write_books

DRAWN: dict[str, Callable[[kb.KnowledgeBase], kb.Picture]] = {
    "a term": lambda base: base.draw("引く"),
    "a rule": lambda base: base.draw("121.4"),
    "all at once": lambda base: base.draw("引く", most=200),
    "a rule with its parts": lambda base: base.draw(
        "704", direction="in", kinds=["cites"], depth=2, with_parts=True
    ),
    "two steps": lambda base: base.draw("ドロー", game="ygo", depth=2, most=40),
    "a page": lambda base: base.draw("mtgwiki/引く", most=40),
    "ways": lambda base: base.path("引く", "状況起因処理", most=8).draw(),
    "three games": lambda base: base.compare("ドロー").draw(),
}


@pytest.mark.parametrize("name", DRAWN)
def test_letters_are_there_and_lie_apart(base: kb.KnowledgeBase, name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of a missing letter matplotlib warns
        picture = DRAWN[name](base)
        assert picture._repr_png_().startswith(b"\x89PNG")
        [axes] = picture.figure.axes
        renderer = FigureCanvasAgg(picture.figure).get_renderer()
        extents = [text.get_window_extent(renderer).padded(-0.5) for text in axes.texts]
    assert "not the official text" in "".join(text.get_text() for text in axes.texts)
    page = picture.figure.bbox
    for extent in extents:
        assert page.x0 <= extent.x0 and extent.x1 <= page.x1
        assert page.y0 <= extent.y0 and extent.y1 <= page.y1
    assert not [pair for pair in combinations(extents, 2) if pair[0].overlaps(pair[1])]


def test_every_kind_has_its_look() -> None:
    assert set(get_args(NodeKind)) <= NODE_STYLES.keys()
    assert set(get_args(EdgeKind)) == COST.keys() == kb.STRENGTH.keys() <= EDGE_STYLES.keys()


def test_boxes_lie_apart() -> None:
    sizes = {f"n{n}": (40.0 + n, 20.0 + n % 7) for n in range(30)}
    columns = {node: n % 5 - 2 for n, node in enumerate(sizes)}
    joined = {node: [f"n{(n * 7) % 30}"] for n, node in enumerate(sizes)}
    middles = box_positions(columns, sizes, joined)
    for one, other in combinations(sizes, 2):
        (x, y), (wide, high) = middles[one], sizes[one]
        across = abs(x - middles[other][0]) >= (wide + sizes[other][0]) / 2
        assert across or abs(y - middles[other][1]) >= (high + sizes[other][1]) / 2


def test_every_name_can_be_written(base: kb.KnowledgeBase) -> None:
    for node in base.nodes():
        for text in (node.label, node.text, *(label.text for label in node.labels)):
            assert "〓" not in lettering.text_line(text or "", 10).text


def test_letters_that_the_font_lacks() -> None:
    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    graph.add_node("a", kind="term", label="🐟引く\N{CJK UNIFIED IDEOGRAPH-20BB7}$\\frac{$<b>")
    graph.add_node("b", kind="rule", number="1.1", text="か\u3099く " * 100)  # a combining mark
    graph.add_edge("a", "b", kind="mentions")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        picture = kb.draw(graph, "a")
        texts = [text.get_text() for text in picture.figure.axes[0].texts]
        assert "〓引く〓$\\frac{$<b>" in texts and picture.as_bytes("svg")
    assert any(text.startswith("がく が") and text.endswith("…") for text in texts)


def test_nothing_is_set_for_other_pictures(base: kb.KnowledgeBase) -> None:
    settings = [name for name in matplotlib.rcParams if name != "backend"]
    before = [matplotlib.rcParams[name] for name in settings]
    base.draw("121.4").as_bytes("svg")
    assert [matplotlib.rcParams[name] for name in settings] == before
    assert "matplotlib_fontja" not in sys.modules


def test_the_same_picture_each_time(tmp_path: Path) -> None:
    kb.build(kb=tmp_path / "kb.db")
    for seed in ("1", "2"):
        words = ["draw", "引く", "--depth", "2", "--kb", "kb.db", "--out", f"{seed}.svg"]
        code = "from kb.cli import main; main()"
        subprocess.run(
            [sys.executable, "-c", code, *words],
            cwd=tmp_path,
            check=True,
            env=os.environ | {"PYTHONHASHSEED": seed},
        )
    one, other = ((tmp_path / f"{seed}.svg").read_bytes() for seed in ("1", "2"))
    assert one == other and b"<svg" in one and b"dc:date" not in one


def test_what_is_chosen(base: kb.KnowledgeBase) -> None:
    whole = base.refs("引く").graph(dangling=True)
    picture = base.draw("引く", most=9)
    merged = 1  # a rule that is there in two editions
    assert (picture.nodes, picture.edges) == (9, 8)
    assert picture.left_out == len(whole) - merged - 9
    said = {text.get_text() for text in picture.figure.axes[0].texts}
    assert {"引く", "ドロー", "page", "same concept"} <= said and "mentions" not in said
    assert kb.draw(base.graph(), most=5).left_out == len(base.graph()) - 5


def test_what_is_not_loaded_is_drawn(tmp_path: Path) -> None:
    page = (Path(kb.__file__).parent / "sample" / "mtgwiki" / "hiku.html").read_bytes()
    (tmp_path / "hiku.html").write_bytes(page)
    kb.build([tmp_path / "hiku.html"], tmp_path / "x.db")
    with kb.open(tmp_path / "x.db") as opened:
        picture = opened.draw("mtgwiki/引く", kinds=["cites"], direction="out")
        assert "not loaded" in {text.get_text() for text in picture.figure.axes[0].texts}


def run(base: kb.KnowledgeBase, *words: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, ["draw", *words, "--kb", str(base.file)])
    return done.exit_code, done.stdout, done.stderr


@pytest.mark.parametrize("form", ["svg", "PNG"])
def test_command(base: kb.KnowledgeBase, tmp_path: Path, form: str) -> None:
    out = tmp_path / f"引く.{form}"
    said = " ".join(run(base, "引く", "--max", "9", "--out", str(out))[1].split())
    assert ": 9 nodes, 8 edges; 59 more nodes left out (--max)" in said
    assert "also mtgwiki/引く (a page)" in said
    assert out.read_bytes().startswith((b"<?xml", b"\x89PNG"))
    found = json.loads(run(base, "121.4", "--lang", "ja", "--out", str(out), "--json")[1])
    assert found == {"nodes": 13, "edges": 12, "left_out": 0, "also": []}


def test_errors(base: kb.KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for out, said in (
        ("x.gif", "x.gif: a picture is .svg or .png"),
        ("x", "x: a picture is"),
        ("no/x.svg", "x.svg: can't be written: No such file"),
    ):
        code, printed, told = run(base, "引く", "--out", str(tmp_path / out))
        assert (code, printed) == (2, "") and said in told
    assert run(base, "なし", "--out", "x.svg")[0] == 1
    assert not list(tmp_path.iterdir())
    with pytest.raises(kb.DrawError, match="nothing to draw"):
        kb.draw(nx.MultiDiGraph())
    monkeypatch.setattr(lettering, "find_spec", lambda name: None)
    code, _, told = run(base, "引く", "--out", str(tmp_path / "x.svg"))
    assert code == 2 and "pip install 'sansho[draw]'" in told


# -- results as graphs ------------------------------------------------------------------------


def test_results_are_graphs_as_the_whole_is(base: kb.KnowledgeBase) -> None:
    whole = base.graph(dangling=True)
    for result in (
        base.refs("121.4"),
        base.refs("704", with_parts=True, depth=2),
        base.path("引く", "状況起因処理"),
        base.compare("ドロー"),
    ):
        graph = result.graph(dangling=True)
        assert graph.number_of_edges() > 3
        for node, fields in graph.nodes(data=True):
            assert whole.nodes[node] == fields
        for source, target, key, data in graph.edges(keys=True, data=True):
            assert whole.edges[source, target, key] == data
        assert None not in {data["passage"] for *_, data in graph.edges(data=True)}


def test_boxes_say_page_edition_and_language(tmp_path: Path) -> None:
    book = (
        "Harbour Comprehensive Rules\n\n1. Harbour\n\n100. Ships\n\n100.1. A ship is a card.\n\n"
        "101. Winds\n\n101.1. Wind moves ships (see rule 100).\n\n"
        "Glossary\n\nShip\nA card with a sail. See rule 100, “Ships.”\n\nCredits\n"
    )
    rules = ("1. 港", "100. 船", "101. 風", "101.1. 風は船を動かす(rule 100 参照)。")
    japanese = "\n\n".join(("ハーバー 総合ルール", *rules, ""))
    editions = ("20210101", "20220101")
    books = {(edition, "en"): book for edition in editions} | {(editions[1], "ja"): japanese}
    kb.build([write_books(tmp_path / "books", books)], tmp_path / "x.db")
    with kb.open(tmp_path / "x.db") as base:
        picture = base.draw("100", kinds="cites")
        said = [text.get_text() for text in picture.figure.axes[0].texts]
        assert said.count("20210101, 20220101 · en") == 2  # 100 and 101.1
        assert said.count("20220101 · ja") == 2
        assert said.count("Glossary · en · 20210101, 20220101") == 1
        assert not any("¶" in text or "#" in text for text in said)
