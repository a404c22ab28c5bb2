"""The five captures and the same pages as HTML: rules whole, parents right, citations there.

The rules are taken from the captures a second time here, by other means (the lines of the
files), so that the parsers are held against the text itself.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

import kb
from kb.language.fold import fold

pytestmark = pytest.mark.shared
Built = Callable[..., kb.KnowledgeBase]
HTML = ("pages/puki147euc", "pages/mw119", "pages/wisdom-guild/cr_r_121.reconstructed.html")
LETTERED = {"121.2": "abcd", "121.3": "a", "121.6": "abc", "120.3": "abcdefgh", "120.4": "abcd",
            "905.1": "abcd", "905.2": "abc", "905.4": "a"}  # fmt: skip


MEDIAWIKI = r'(?s)<div id="mw-content-text".*?<div class="printfooter'
PUKIWIKI = r'(?s)<div id="body">.*?<div id="toolbar"'
NOISE = ('<table id="toc".*?</table>', '<span class="editsection">.*?</span>', "<!--.*?-->",
         '<a class="anchor_super".*?</a>', '<div class="jumpmenu">.*?</div>')  # fmt: skip
READING = re.compile(r"[(（][ぁ-ん]+[)）]")


def expected_numbers(section: str, last: int) -> list[str]:
    numbers = [f"{section}.{n}" for n in range(1, last + 1)]
    return [section, *(m for n in numbers for m in [n, *(n + x for x in LETTERED.get(n, ""))])]


RULES = [
    *((n, "20231117", "002") for n in expected_numbers("121", 9)),
    *((n, "20231117", "001") for n in expected_numbers("120", 10)),
    *((n, "20240730", "004") for n in expected_numbers("905", 6)),
]


def squeezed(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())


def rule_texts(shared: Path, capture: str) -> dict[str, str]:
    """Number to text, from the lines of a capture."""
    text = next((shared / "seeds").glob(f"{capture}_*.txt")).read_text("utf-8")
    if capture == "002":
        text = text.partition("総合ルールビューア\n")[2].partition("©")[0]
        pieces = re.split(r"(?m)^(\d+\.\d+[a-z]?|\d{3}\.)$", text)
    else:
        pieces = re.split(r"(?m)^- (\d+(?:\.\d+[a-z]?)?) ", text)
    return {
        n.rstrip("."): squeezed(t.partition("\n-")[0].split("広告")[0])
        for n, t in zip(pieces[1::2], pieces[2::2], strict=True)
    }


@pytest.fixture(scope="module", params=["captures", "html"])
def pages(request: pytest.FixtureRequest, shared: Path, built: Built) -> kb.KnowledgeBase:
    if request.param == "captures":
        return built(shared / "seeds")
    return built(*(shared / path for path in HTML))


def rule(pages: kb.KnowledgeBase, number: str, edition: str) -> kb.Node:
    found = pages.show(f"mtg/cr/{edition}/ja/{number}").matches
    assert found, f"rule {number} of {edition} is missing"
    return found[0]


@pytest.mark.slow
@pytest.mark.parametrize(("number", "edition", "capture"), RULES)
def test_rules_are_whole(
    pages: kb.KnowledgeBase, shared: Path, number: str, edition: str, capture: str
) -> None:
    text = rule_texts(shared, capture)[number]
    assert squeezed(rule(pages, number, edition).text or "") == text


@pytest.mark.slow
@pytest.mark.parametrize(("number", "edition", "_"), RULES)
def test_parents_are_right(pages: kb.KnowledgeBase, number: str, edition: str, _: str) -> None:
    edges = pages.refs(f"mtg/cr/{edition}/ja/{number}", direction="out", kinds=["part_of"]).edges
    if number.isdigit():
        chapter = edges[0].target or edges[0].target_label
        assert chapter.rpartition("/")[2] == number[0]
    else:
        parent = re.sub(r"[a-z]$", "", number) if number[-1].isalpha() else number.split(".")[0]
        assert [edge.target for edge in edges] == [f"mtg/cr/{edition}/ja/{parent}"]


@pytest.mark.slow
def test_no_rule_but_these(pages: kb.KnowledgeBase) -> None:
    stated = {(n.number, n.edition) for n in pages.nodes("rule")}
    assert stated == {(n, e) for n, e, _ in RULES} | {("1", "20231117")}


@pytest.mark.parametrize(
    ("number", "cited"),
    [
        ("121.4", {"704"}),
        ("121.2a", {"616.1g"}),
        ("121.8", {"601.2i", "728"}),
        ("905.1d", {"100.2b", "100.4b"}),
        ("120.4b", {"614", "615"}),
        ("120.6", {"704", "701.15", "514.2"}),
        ("120.4a", {"120.6", "702.2"}),
        ("905.1c", {"905.2b", "905.2c"}),
        ("121.1", set()),
    ],
)
def test_citations(pages: kb.KnowledgeBase, number: str, cited: set[str]) -> None:
    edges = pages.refs(number, direction="out", kinds=["cites"]).edges
    assert {edge.target_label for edge in edges} == cited
    for edge in edges:
        assert (edge.status == "dangling") == (edge.reason is not None)


def test_a_citation_of_a_loaded_rule_resolves(pages: kb.KnowledgeBase) -> None:
    edges = pages.refs("905.1c", direction="out", kinds=["cites"]).edges
    assert {edge.target for edge in edges} == {
        "mtg/cr/20240730/ja/905.2b",
        "mtg/cr/20240730/ja/905.2c",
    }


def test_the_wiki_page_cites_in_the_edition_that_it_quotes(pages: kb.KnowledgeBase) -> None:
    edges = [
        e
        for e in pages.refs("mtgwiki/引く", direction="out", kinds=["cites"]).edges
        if e.target_label == "401.5"
    ]
    assert len(edges) == 1 and "20231117" in (edges[0].reason or "")
    assert edges[0].evidence.text.startswith("CR:401.5")


def test_evidence_is_the_passages_own_words(pages: kb.KnowledgeBase) -> None:
    graph = pages.graph(dangling=True)
    texts = {n.id: n.text for n in pages.nodes("passage")}
    for _, _, edge in graph.edges(data=True):
        assert edge["text"] and edge["text"] in (texts[edge["passage"]] or "")


@pytest.mark.parametrize(
    ("name", "english", "reading"),
    [
        ("通常のドロー", "Normal Draw", "つうじょうのドロー"),
        ("引く", "Draw card(s)", None),
        ("コンスピラシー・ドラフト", "Conspiracy Draft", None),
    ],
)
def test_terms(pages: kb.KnowledgeBase, name: str, english: str, reading: str | None) -> None:
    term = pages.show(name).matches[0]
    assert (term.kind, term.label, term.reading) == ("term", name, reading)
    assert kb.Label("en", english) in term.labels
    assert pages.show(english).matches[0].id == term.id


def test_audit(pages: kb.KnowledgeBase) -> None:
    audit = pages.audit()
    assert audit.lost == 0 and audit.chars == audit.kept + sum(audit.left_out.values())


def test_a_path_with_its_words(pages: kb.KnowledgeBase) -> None:
    ways = pages.path("引く", "状況起因処理").paths
    steps = ways[0]
    ids = [s.id for s in steps if isinstance(s, kb.Node)]
    assert ids[0] in ("mtg/term/引く", "mtgwiki/引く") and ids[-1] == "mtg/term/状況起因処理"
    assert all(s.evidence.text for s in steps if isinstance(s, kb.Edge))


# -- the same from both -----------------------------------------------------------------------


def test_same_headings(shared: Path, built: Built) -> None:
    """Every heading of the captures is one of the HTML, in the same order."""
    captures, html = built(shared / "seeds"), built(*(shared / path for path in HTML))
    for page in (
        "yugioh-wiki/通常のドロー",
        "mtgwiki/引く",
        "dmwiki/使う",
        "wisdom-guild/cr/r/121",
        "mtgwiki/コンスピラシー・ドラフト",
    ):
        one, other = (
            [
                squeezed(READING.sub("", n.label or ""))
                for n in opened.nodes("section")
                if n.id.startswith(page + "#")
            ]
            for opened in (captures, html)
        )
        assert sorted(one) == sorted(other), page


def lines_of(opened: kb.KnowledgeBase, page: str) -> list[str]:
    return [
        fold(READING.sub("", line)).replace(" ", "")
        for node in opened.nodes("passage")
        if node.id.startswith(page)
        for line in (node.text or "").splitlines()
    ]


def missing(short: str, long: str) -> int:
    """How many characters of `long` are not in `short`; -1 if `short` is not what remains."""
    rest = iter(long)
    return len(long) - len(short) if all(char in rest for char in short) else -1


@pytest.mark.parametrize(
    ("page", "allowed"),
    [
        ("mtgwiki/引く", 0),
        ("mtgwiki/コンスピラシー・ドラフト", 0),
        ("dmwiki/使う", 4),
        ("yugioh-wiki/通常のドロー", 8),
    ],
)
def test_same_text(shared: Path, built: Built, page: str, allowed: int) -> None:
    """Every line of a capture is a line of the HTML, but for the single characters between
    two links that the captures of the PukiWikis have lost (48 and 16 of them)."""
    captures, html = built(shared / "seeds"), built(*(shared / path for path in HTML))
    there = set(lines_of(html, page))
    gone = [line for line in lines_of(captures, page) if line not in there]
    unlike = [
        line for line in gone if not any(0 < missing(line, other) <= allowed for other in there)
    ]
    known = {"呪文を唱える手順"} if page == "mtgwiki/引く" else set()  # has a <ref> in the HTML
    assert [line for line in unlike if line[:8] not in known] == []


def test_the_viewers_two_forms_agree(shared: Path, built: Built) -> None:
    """234 term links and 4 rule links, of 31 words, at the same places in both forms."""
    captures, html = built(shared / "seeds"), built(*(shared / path for path in HTML))
    places = []
    for opened in (captures, html):
        refs = opened.refs("wisdom-guild/cr/r/121", direction="out", kinds=["links_to"]).edges
        places.append({(e.source, e.target, e.evidence.start, e.evidence.text) for e in refs})
    assert places[0] == places[1] and len(places[0]) == 234
    assert len({text for *_, text in places[0]}) == 31
    labels = {term.label for term in captures.nodes("term") if term.game == "mtg"}
    assert {"引く", "唱える", "支払う", "動かす", "与える", "として扱う"} <= labels
    assert not labels & {"引", "唱え", "支払", "動か", "与え", "として扱"}
    cites = captures.refs("wisdom-guild/cr/r/121", direction="out", kinds=["cites"]).edges
    assert len(cites) == 4


@pytest.mark.parametrize(
    ("page", "path", "content"),
    [
        ("mtgwiki/引く", "mw119/page_hiku.html", MEDIAWIKI),
        ("mtgwiki/コンスピラシー・ドラフト", "mw119/page_conspiracy-draft.html", MEDIAWIKI),
        ("yugioh-wiki/通常のドロー", "puki147euc/ygo/page_tsujo-no-draw.html", PUKIWIKI),
        ("dmwiki/使う", "puki147euc/dm/page_tsukau.html", PUKIWIKI),
    ],
)
def test_every_wiki_link_is_an_edge(
    shared: Path, built: Built, page: str, path: str, content: str
) -> None:
    """As many edges as the markup has links, counted with a pattern."""
    data = (shared / "pages" / path).read_bytes()
    markup = data.decode("euc_jp" if b"EUC-JP" in data[:300] else "utf-8")
    body = re.search(content, markup)[0]  # type: ignore[index]
    for noise in NOISE:
        body = re.sub(rf"(?s){noise}", "", body)
    links = re.findall(r"<a ([^>]*)>", body)
    stated = [a for a in links if "href" in a]
    opened = built(*(shared / one for one in HTML))
    edges = opened.refs(page, direction="out", kinds=["links_to"]).edges
    assert len(edges) == len(stated)
    assert all(e.evidence.text for e in edges)


def bare_copy(tmp_path: Path) -> tuple[Path, Path]:
    """A folder with a page that its manifest describes, and a folder with a bare copy of it, whose
    place and hash come first."""
    page, url = (
        "引く\n提供:MTG Wiki\nカードを引く。\n",
        "http://mtgwiki.com/wiki/%E5%BC%95%E3%81%8F",
    )
    described, bare = tmp_path / "pages", tmp_path / "a"
    for folder in (described, bare):
        folder.mkdir()
        (folder / "001.txt").write_text(page, "utf-8")
    line = json.dumps({"file": "001.txt", "url": url, "form": "text capture"})
    (described / "manifest.jsonl").write_text(line, "utf-8")
    return described, bare


@pytest.mark.parametrize("how", ["together", "turned", "added", "added first"])
def test_a_bare_copy_does_not_take_the_place_of_a_known_capture(tmp_path: Path, how: str) -> None:
    described, bare = bare_copy(tmp_path)
    path = tmp_path / "x.db"
    if how in ("together", "turned"):
        report = kb.build([described, bare][:: -1 if how == "turned" else 1], path)
    else:
        first, second = (described, bare) if how == "added" else (bare, described)
        kb.build(first, path)
        report = kb.build(second, path, add=True)
    assert report.shared.taken_from == {str(described): 1}
    assert report.shared.named == (("mtgwiki/引く", str(described)),)
    with kb.open(path) as base:
        assert base.show("mtgwiki/引く").matches[0].url
        taken, other = base.show("mtgwiki/引く").captures["mtgwiki/引く"]
    assert (taken.why_not, other.why_not) == ("", "no address is known of it")


def test_pages_of_one_source_are_not_shared(tmp_path: Path) -> None:
    described, bare = bare_copy(tmp_path)
    assert not kb.build(tmp_path, tmp_path / "x.db").shared
    assert not kb.build(bare, tmp_path / "y.db").shared
    assert kb.build(described, tmp_path / "y.db", add=True).shared
