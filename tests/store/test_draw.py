"""Pictures: the same each time, texts that lie apart, hostile names, links, errors for people."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from io import BytesIO
from itertools import combinations
from pathlib import Path
from typing import Any, get_args

import networkx as nx
import pytest
from PIL import Image

import kb
from graphs.model import EdgeKind, NodeKind
from graphs.picture.draw import narrow_scene
from graphs.picture.layout import DrawnEdge, DrawnGraph, box_positions
from graphs.picture.lettering import text_line, wrapped
from graphs.picture.styles import EDGE_STYLES, NODE_STYLES, rules
from graphs.store.reader import Store
from graphs.walks import COST
from tests.commands import printed
from tests.hostile_text import SEQUENCES
from tests.pictures import SVG, faults, outlines, parsed, texts, width_in_fonts
from tests.rulebooks import base_of_files, build_books

DRAWN: dict[str, Callable[[kb.KnowledgeBase], kb.Picture]] = {
    "a term": lambda base: base.draw("引く"),
    "a rule": lambda base: base.draw("121.4"),
    "few": lambda base: base.draw("引く", most=5),
    "many": lambda base: base.draw("引く", most=40),
    "all at once": lambda base: base.draw("引く", most=200),
    "a rule with its parts": lambda base: base.draw(
        "704", direction="in", kinds=["cites"], depth=2, with_parts=True
    ),
    "two steps": lambda base: base.draw("ドロー", game="ygo", depth=2, most=40),
    "a page": lambda base: base.draw("mtgwiki/引く", most=40),
    "ways": lambda base: base.path("引く", "状況起因処理", most=8).draw(),
    "three games": lambda base: base.compare("ドロー").draw(),
}


@pytest.mark.parametrize("narrow", [False, True], ids=["wide", "narrow"])
@pytest.mark.parametrize("name", DRAWN)
def test_texts_lie_apart(base: kb.KnowledgeBase, name: str, narrow: bool) -> None:
    picture = DRAWN[name](base)
    svg = picture.svg(narrow=narrow)
    assert not faults(svg)
    boxes = list(outlines(svg))
    assert len(boxes) == picture.nodes
    assert not [pair for pair in combinations(boxes, 2) if pair[0].overlaps(pair[1])]
    assert "not the official text" in " ".join(texts(parsed(svg)))


@pytest.mark.slow
def test_pictures_of_all_sizes(base: kb.KnowledgeBase) -> None:
    nodes = [node for node in base.nodes() if node.kind in ("term", "rule", "page", "card")]
    for number, node in enumerate(nodes[::15]):
        picture = base.draw(node.id, most=5 + number % 36, depth=1 + number % 2)
        for narrow in (False, True):
            assert not faults(picture.svg(narrow=narrow)), node.id


@pytest.mark.slow
@pytest.mark.shared
def test_pictures_of_real_pages(shared: Path, built: Callable[..., kb.KnowledgeBase]) -> None:
    base = built(shared / "seeds")
    nodes = [node for node in base.nodes() if node.kind not in ("passage", "edition")]
    for number, node in enumerate(nodes[:: len(nodes) // 24]):
        picture = base.draw(node.id, most=5 + number * 7 % 36, depth=1 + number % 3)
        for narrow in (False, True):
            assert not faults(picture.svg(narrow=narrow)), node.id


@pytest.mark.parametrize("narrow", [False, True], ids=["wide", "narrow"])
def test_bars_are_as_long_as_their_numbers(narrow: bool) -> None:
    name = "7 領域とそこにあるカードをどう扱うかについてのとても長い名前の章"
    counts = {
        name: {"20251219": {"added": 1200, "moved": 600}, "20260501": {"changed": 3}},
        "8": {"20251219": {}, "20260501": {"removed": 600, "added": 0}},
    }
    picture = kb.bars(counts, "what changed")
    svg = picture.svg(narrow=narrow)
    assert not faults(svg) and (picture.nodes, picture.edges) == (2, 3)
    assert {"2025-12-19", "1,800", "·", "600", "removed"} < {*texts(parsed(svg))}
    widths = {}
    for group in parsed(svg).iter(f"{SVG}g"):
        if (title := group.findtext(f"{SVG}title")) and (
            path := group.find(f"{SVG}path")
        ) is not None:
            across = [float(x) for x in re.findall(r"(-?[\d.]+) -?[\d.]+", path.attrib["d"])]
            widths[title.rpartition(": ")[2]] = max(across) - min(across)
    assert widths["1,200 added"] == pytest.approx(2 * widths["600 moved"], abs=0.2)
    assert widths["600 removed"] == pytest.approx(widths["600 moved"], abs=0.2)
    assert 0 < widths["3 changed"] < 3


def test_bars_of_what_has_no_colour_are_refused() -> None:
    for counts in ({}, {"a": {"b": {"nonsense": 1}}}):
        with pytest.raises(kb.DrawError, match=r"no rows|nonsense is no kind"):
            kb.bars(counts, "x")


def test_a_phone_shows_it_without_shrinking(base: kb.KnowledgeBase) -> None:
    root = parsed(base.draw("引く", most=40).svg(narrow=True))
    assert float(root.attrib["width"]) <= 328
    assert min(float(text.attrib["font-size"]) for text in root.iter(f"{SVG}text")) >= 9


def test_svg_is_what_save_writes(base: kb.KnowledgeBase, tmp_path: Path) -> None:
    picture = base.draw("121.4", lang="ja", most=8)
    picture.save(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text("utf-8") == picture.svg()


def test_a_png_has_letters() -> None:
    def image(label: str) -> bytes:
        graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
        graph.add_node("a", kind="term", label=label)
        return kb.draw(graph).as_bytes("png")

    assert image("引").startswith(b"\x89PNG")
    images = {image(label) for label in "引参则다〓"}
    assert len(images) == 5  # an empty box for each of them would give the same image
    assert image("\U00020000") == image("〓")  # the font lacks it


def test_a_png_is_the_svg_in_light(base: kb.KnowledgeBase) -> None:
    picture = base.draw("121.4")
    with Image.open(BytesIO(picture.as_bytes("png"))) as image:
        width, height = map(float, parsed(picture.svg()).attrib["viewBox"].split()[2:])
        assert image.width / image.height == pytest.approx(width / height, rel=0.01)
        colours = {colour for _, colour in image.convert("RGB").getcolors(1 << 24)}
        assert image.convert("RGB").getpixel((0, 0)) == (255, 255, 255)
    strong = {style.hue.strong for style in (NODE_STYLES["rule"], EDGE_STYLES["cites"])}
    assert strong <= {"#{:02X}{:02X}{:02X}".format(*colour) for colour in colours}


# -- hostile names ----------------------------------------------------------------------------

MARKUP = (
    "<script>alert(1)</script>", "]]><svg onload=alert(1)>", "&lt;b&gt;&amp;", "--><!--", "\"'><a>",
    "</title><style>*{}</style>", "url(javascript:x)", "<!ENTITY x 'y'>", "{{x}}", "$\\frac{$",
)  # fmt: skip


def hostile_graph(words: str) -> nx.MultiDiGraph[str]:
    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    graph.add_node(f"a{words}", kind="term", label=f"引く{words}", game=words, notice=words)
    graph.add_node(f"b{words}", kind="rule", number=f"1{words}", text=f"文{words}", place=words)
    graph.add_node(f"c{words}", kind="passage", text=words * 50)
    graph.add_edge(f"a{words}", f"b{words}", kind="cites")
    graph.add_edge(f"c{words}", f"a{words}", kind="mentions")
    graph.add_edge(f"a{words}", f"? {words}", kind="links_to")
    return graph


@pytest.mark.parametrize("words", [*MARKUP, *SEQUENCES, "\ud800", "\0", "\ufffe", "a\u0300" * 9])
def test_hostile_text_is_text(words: str) -> None:
    picture = kb.draw(hostile_graph(words), f"a{words}")
    for narrow in (False, True):
        svg = picture.svg(lambda node: f"/node?{node}", narrow=narrow, standalone=False)
        root = parsed(svg)
        assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
            "svg", "g", "a", "title", "path", "text",
        }  # fmt: skip
        for element in root.iter():
            assert not [name for name in element.attrib if name.startswith("on") or name == "style"]
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", svg)
        assert not faults(svg)
    plain = words.isascii() and words.isprintable()
    assert not plain or f"引く{words}" in "".join(root.itertext())


@pytest.mark.slow
def test_a_name_without_end_is_cut() -> None:
    svg = kb.draw(hostile_graph("長い名前 " * 100_000)).svg(str)
    assert not faults(svg) and len("".join(texts(parsed(svg)))) < 2_000


def test_characters_of_any_width() -> None:
    for words in (
        "🐟引く",
        "\ufdfd",
        "\U0001242b",
        "⸻",
        "ＷＷＷ",
        "ﷺ",
        "\U000f0000",
        "Ǆ",
        "⅒",
        "⌨",
    ):
        graph = hostile_graph(words)
        root = parsed(kb.draw(graph).svg())
        for text in root.iter(f"{SVG}text"):
            known = width_in_fonts(text.text or "") * float(text.attrib["font-size"])
            assert "textLength" in text.attrib or known <= 190 * 1.2


def test_no_text_is_wider_than_it_is_said_to_be(base: kb.KnowledgeBase) -> None:
    nodes = list(base.nodes())
    assert len(nodes) > 100
    for node in nodes:
        for text in (node.label, node.text, *(label.text for label in node.labels)):
            line = text_line(text or "", 10)
            assert line.fitted or width_in_fonts(line.text) * 10 <= line.width + 0.01


def test_lines_break_where_they_may() -> None:
    def lines(text: str) -> list[str]:
        return [line.text for line in wrapped(text, 10, 82, 9)]

    assert lines("A player draws (see rule 121) twice") == [
        "A player draws", "(see rule 121)", "twice",
    ]  # fmt: skip
    assert not [line for line in lines("「引く」、「捨てる」。" * 3) if line[0] in "、。」"]
    assert lines("x" * 50)[0].startswith("xxxx") and "".join(lines("x" * 50)) == "x" * 50
    assert lines("Glossary · 20210101") == ["Glossary", "20210101"]
    assert lines("") == lines(" \n") == []


# -- links and styles -------------------------------------------------------------------------


def test_nodes_are_links(base: kb.KnowledgeBase) -> None:
    picture = base.draw("121.4", lang="ja")
    assert not list(parsed(picture.svg()).iter(f"{SVG}a"))
    for narrow in (False, True):
        links = list(parsed(picture.svg(lambda node: f"/n/{node}", narrow)).iter(f"{SVG}a"))
        assert len(links) == picture.nodes
        assert all(link.attrib["href"].startswith("/n/") for link in links)
        assert all(link[0].tag == f"{SVG}title" and link[0].text for link in links)
    one = {"mtg/cr/20231117/ja/121.4": "121.4.html"}
    assert [link.attrib["href"] for link in parsed(picture.svg(one)).iter(f"{SVG}a")] == [
        "121.4.html"
    ]


@pytest.mark.parametrize(
    ("address", "is_link"),
    [
        ("/a", True), ("a/b", True), ("?q=引く", True), ("#x", True), ("https://x.example/", True),
        ("javascript:alert(1)", False), (" javascript:alert(1)", False), ("", False),
        ("JaVa\tScript:x", False), ("data:text/html,x", False), ("vbscript:x", False),
    ],
)  # fmt: skip
def test_only_addresses_of_web_pages_are_links(address: str, is_link: bool) -> None:
    svg = kb.draw(hostile_graph("")).svg(lambda node: address)
    assert bool(list(parsed(svg).iter(f"{SVG}a"))) == is_link


def test_styles_are_in_one_place(base: kb.KnowledgeBase) -> None:
    picture = base.draw("引く")
    inline = picture.svg(standalone=False)
    assert "style" not in inline and "fill" not in inline and " id=" not in inline
    alone = picture.svg()
    assert picture.as_bytes("svg").decode() == picture._repr_svg_() == alone
    [style] = parsed(alone).iter(f"{SVG}style")
    assert style.text and style.text.startswith(kb.picture_css())
    assert style.text.endswith("{ max-width: 100%; height: auto; }\n")
    assert "@media (prefers-color-scheme: dark)" in kb.picture_css()
    assert all(
        line.strip(" }").startswith((".sansho-picture", "@media")) or line == "}"
        for line in kb.picture_css().splitlines()
    )
    used = {name for part in parsed(inline).iter() for name in part.get("class", "").split()}
    unstyled = {"node", "edge", "remark", "sansho-picture", "head", "outline", "centre"}
    assert used - unstyled <= {name for rule in rules() for name in (*rule.group, rule.part)}


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_everything_can_be_seen(dark: bool) -> None:
    def colour(group: set[str], part: str, what: str = "fill") -> str:
        found = {}
        for rule in rules():
            if set(rule.group) <= group and rule.part == part:
                found |= rule.light | (rule.dark if dark else {})
        return found[what]

    ground = colour(set(), "background")
    for kind in (name.replace(" ", "-") for name in NODE_STYLES):
        for group in ({"node", kind}, {"node", kind, "centre"}):
            for part in ("label", "pale"):
                assert contrast(colour(group, part), colour(group, "outline")) >= 4.5, group
        assert contrast(colour({"node", kind}, "outline", "stroke"), ground) >= 3
    for kind in EDGE_STYLES:
        assert contrast(colour({"edge", kind}, "line", "stroke"), ground) >= 3
    assert contrast(colour(set(), "pale"), ground) >= 4.5


def test_every_kind_has_its_look() -> None:
    assert set(get_args(NodeKind)) <= NODE_STYLES.keys()
    assert set(get_args(EdgeKind)) == COST.keys() == kb.STRENGTH.keys() <= EDGE_STYLES.keys()


def test_boxes_lie_apart() -> None:
    sizes = {f"n{n}": (40.0 + n, 20.0 + n % 7) for n in range(30)}
    columns = {node: n % 5 - 2 for n, node in enumerate(sizes)}
    joined = {node: [f"n{(n * 7) % 30}"] for n, node in enumerate(sizes)}
    middles = box_positions(columns, sizes, joined)
    assert middles.keys() == sizes.keys()
    for one, other in combinations(sizes, 2):
        (x, y), (wide, high) = middles[one], sizes[one]
        across = abs(x - middles[other][0]) >= (wide + sizes[other][0]) / 2
        assert across or abs(y - middles[other][1]) >= (high + sizes[other][1]) / 2


@pytest.mark.slow
def test_the_same_picture_each_time(tmp_path: Path) -> None:
    kb.build(kb=tmp_path / "kb.db")
    for seed in ("1", "2"):
        words = ["draw", "引く", "--depth", "2", "--kb", "kb.db", "--out", f"{seed}.svg"]
        code = (
            "import atexit, sys; atexit.register(lambda: print('resvg_py' in sys.modules));"
            "from kb.cli import main; main()"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, *words],
            cwd=tmp_path,
            check=True,
            capture_output=True,
            env=os.environ | {"PYTHONHASHSEED": seed},
        )
        assert done.stdout.split()[-1] == b"False"
    one, other = ((tmp_path / f"{seed}.svg").read_bytes() for seed in ("1", "2"))
    assert one == other and b"<svg" in one and b"dc:date" not in one


def test_what_is_chosen(base: kb.KnowledgeBase) -> None:
    whole = base.refs("引く").graph(dangling=True)
    picture = base.draw("引く", most=9)
    merged = 1  # a rule that is there in two editions
    assert (picture.nodes, picture.edges) == (9, 8)
    assert picture.left_out == len(whole) - merged - 9
    said = set(texts(parsed(picture.svg())))
    assert {"引く", "ドロー", "page", "same concept"} <= said and "mentions" not in said
    assert kb.draw(base.graph(), most=5).left_out == len(base.graph()) - 5


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("ref", ["引く", "mtgwiki/引く"])
def test_of_very_many_edges_the_strongest_are_read(
    base: kb.KnowledgeBase, monkeypatch: pytest.MonkeyPatch, ref: str, depth: int
) -> None:
    whole = base.refs(ref, game="mtg")
    monkeypatch.setattr("kb.api._LEAST_EDGES", 12)
    monkeypatch.setattr("kb.api._EDGES_PER_NODE", 1)
    rows: list[object] = []
    read = Store.edges_with

    def counting(self: Store, *values: Any) -> Iterator[Any]:
        for row in read(self, *values):
            rows.append(row)
            yield row

    monkeypatch.setattr(Store, "edges_with", counting)
    picture = base.draw(ref, game="mtg", most=6, depth=depth)
    assert len(rows) <= 2 * 12 * depth + 40 < len(whole) or ref != "引く"
    unread = {
        one.reason.values["kind"]: one.reason.values["number"]
        for one in picture.also
        if one.reason.code == "edges_not_read"
    }
    assert "mentions" in unread and (depth > 1 or "same_concept" not in unread)
    for one in picture.also:
        if one.reason.code == "edges_not_read" and one.reason.ask and ref == "引く":
            kinds = {edge.kind for edge in base.follow(one.reason.ask).edges}
            assert one.reason.values["kind"] in kinds
    said = " ".join(texts(parsed(picture.svg())))
    assert "edges that were not read: " in said
    if depth == 1 and ref == "引く":
        assert sum(unread.values()) == len([edge for edge in whole if edge.target]) - 12
    assert picture.svg() == base.draw(ref, game="mtg", most=6, depth=depth).svg()


def test_what_is_not_loaded_is_drawn(tmp_path: Path) -> None:
    page = (Path(kb.__file__).parent / "sample" / "mtgwiki" / "hiku.html").read_bytes()
    with base_of_files(tmp_path, {"hiku.html": page}) as opened:
        picture = opened.draw("mtgwiki/引く", kinds=["cites"], direction="out")
        assert "not loaded" in texts(parsed(picture.svg()))


@pytest.mark.parametrize("form", ["svg", "PNG"])
def test_command(base: kb.KnowledgeBase, tmp_path: Path, form: str) -> None:
    out = tmp_path / f"引く.{form}"
    said = " ".join(printed("draw", "引く", "--max", "9", "--out", str(out), of=base)[1].split())
    assert ": 9 nodes, 8 edges; 59 more nodes left out (--max)" in said
    assert "also mtgwiki/引く (a page)" in said
    assert out.read_bytes().startswith((b"<svg", b"\x89PNG"))
    found = json.loads(
        printed("draw", "121.4", "--lang", "ja", "--out", str(out), "--json", of=base)[1]
    )
    assert found == {"nodes": 12, "edges": 11, "left_out": 0, "also": []}


def test_errors(base: kb.KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for file, said in (
        ("x.gif", "x.gif: a picture is .svg or .png"),
        ("x", "x: a picture is"),
        ("no/x.svg", "x.svg: can't be written: No such file"),
    ):
        code, out, told = printed("draw", "引く", "--out", tmp_path / file, of=base)
        assert (code, out) == (2, "") and said in told
    assert printed("draw", "なし", "--out", "x.svg", of=base)[0] == 1
    assert not list(tmp_path.iterdir())
    with pytest.raises(kb.DrawError, match="nothing to draw"):
        kb.draw(nx.MultiDiGraph())
    monkeypatch.setitem(sys.modules, "resvg_py", None)  # as if it weren't installed
    code, _, told = printed("draw", "引く", "--out", str(tmp_path / "x.png"), of=base)
    assert code == 2 and "pip install 'sansho[draw]'" in told
    assert printed("draw", "引く", "--out", str(tmp_path / "x.svg"), of=base)[0] == 0


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
    with build_books(tmp_path, books) as base:
        picture = base.draw("100", kinds="cites")
        said = " ".join(texts(parsed(picture.svg())))
        # 100 and 101.1 once each, in both languages and all editions
        assert "100 船" in said and "100 Ships" not in said
        assert said.count("Glossary · en · 2021-01-01, 2022-01-01") == 1
        assert not any(mark in said for mark in "¶#")
        japanese = " ".join(texts(parsed(picture.svg(words={"cites": "参照", "Ships": "x"}))))
        assert "参照" in japanese and "cites" not in japanese and "Ships" in japanese


def test_lines_that_meet_at_a_box_have_lanes_of_their_own() -> None:
    nodes = {name: {"kind": "term", "label": name} for name in "rabc"}
    edges = [DrawnEdge(*ends, "cites", 1) for ends in ("ra", "rb", "rc", "ab", "bc")]
    drawn = DrawnGraph(nodes, dict.fromkeys(nodes, "r"), dict.fromkeys(nodes, 0), edges, (), (), {})
    lines = [g for g in narrow_scene(drawn).groups if g.title in ("a – cites → b", "b – cites → c")]
    right = [max(x for one in g.items for _, ends in one.path for x, _ in ends) for g in lines]
    assert len(set(right)) == 2
