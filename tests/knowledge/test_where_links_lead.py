"""Links of served pages lead where a browser goes, or say why they lead nowhere here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kb.knowledge.links import WIKI_PART
from tests.rulebooks import base_of
from tests.webs import links, mediawiki, pukiwiki

OUTSIDE = "outside the known sites"
MAIN_PAGE = '<div id="p-logo"><a href="/">w</a><a href="/wiki/%E8%A1%A8%E7%B4%99">x</a></div>'


def led_to(
    folder: Path, url: str, page: str | bytes, file: str = "a.html"
) -> list[tuple[str, str | None]]:
    """The target and the reason of each link of a page in their order; the reason is None where it
    is only that a page of the wiki was not fetched."""
    (folder / file).write_bytes(page if isinstance(page, bytes) else page.encode())
    manifest = json.dumps({"file": file, "url": url})
    (folder / "manifest.jsonl").write_text(manifest, "utf-8")
    with base_of([folder], folder / "x.db", game="ws") as base:
        [name] = [node.id for node in base.nodes("page")]
        edges = base.refs(name, direction="out", kinds=["links_to"]).edges
    ordered = sorted(edges, key=lambda edge: edge.evidence.start)
    return [
        (edge.target_label, None if (edge.reason or "").startswith("page ") else edge.reason)
        for edge in ordered
    ]


@pytest.mark.parametrize("folder", ["/", "/dm/", "/wiki/"])
@pytest.mark.parametrize("script", ["index.php", "pukiwiki.php"])
def test_links_of_pukiwiki(tmp_path: Path, folder: str, script: str) -> None:
    hrefs = ["./", script, "?乙 ", "./?乙", "//mtgwiki.com/wiki/乙", "//v.example/?乙",
             "?cmd=edit&amp;page=乙", "mailto:a@b.jp"]  # fmt: skip
    content = pukiwiki("甲", links(*hrefs))
    assert led_to(tmp_path, f"http://w.example{folder}{script}?%B9%C3", content) == [
        ("FrontPage", None), ("FrontPage", None), ("乙", None), ("乙", None), ("乙", None),
        ("http://v.example/?乙", OUTSIDE), ("?cmd=edit&page=乙", WIKI_PART),
        ("mailto:a@b.jp", OUTSIDE),
    ]  # fmt: skip


def test_links_of_a_mediawiki_with_its_articles_at_the_root(tmp_path: Path) -> None:
    page = mediawiki("甲", links("/", "/Sol_Ring", "/index.php?title=Sol_Ring", "/A_B#C_D"))
    page = page.replace("</body>", MAIN_PAGE.replace("/wiki/", "/") + "</body>")
    assert led_to(tmp_path, "http://w.example/%E7%94%B2", page) == [
        ("表紙", None), ("Sol Ring", None), ("Sol Ring", None), ("A B#C D", None),
    ]  # fmt: skip


def test_links_with_a_host_to_the_wiki_s_own(tmp_path: Path) -> None:
    """Also those that are marked as leading elsewhere."""
    outward = '<a class="external" rel="nofollow" href="http://w.example/{}">x</a> '
    hrefs = ["", "wiki/", "Lim-D%C3%BBl"]
    page = mediawiki("甲", "".join(map(outward.format, hrefs)))
    found = led_to(tmp_path, "http://w.example/wiki/%E7%94%B2", page)
    parts = [(f"http://w.example/{path}", WIKI_PART) for path in hrefs[:2]]
    assert found == [*parts, ("Lim-Dûl", None)]
    hrefs = ["", "dm/", "dm/?%B2%B5"]
    found = led_to(
        tmp_path, "http://w.example/dm/?%B9%C3", pukiwiki("甲", "".join(map(outward.format, hrefs)))
    )
    assert found == [("http://w.example/", WIKI_PART), ("FrontPage", None), ("乙", None)]


@pytest.mark.parametrize("host", ["mtgwiki.com", "w.example"])
def test_links_of_mediawiki(tmp_path: Path, host: str) -> None:
    hrefs = ["/", "/wiki/", "/index.php", "/index.php/乙", "//dmwiki.net/乙", "/index.php?search=x"]
    page = mediawiki("甲", links(*hrefs)).replace("</body>", MAIN_PAGE + "</body>")
    assert led_to(tmp_path, f"http://{host}/wiki/%E7%94%B2", page) == [
        ("表紙", None), ("表紙", None), ("表紙", None), ("乙", None), ("乙", None),
        ("/index.php?search=x", WIKI_PART),
    ]  # fmt: skip


def test_the_main_page_of_a_mediawiki_that_does_not_name_it(tmp_path: Path) -> None:
    hrefs = ["/", "/wiki/", "http://www.mtgwiki.com"]
    page = mediawiki("甲", links(*hrefs))
    found = led_to(tmp_path, "http://mtgwiki.com/wiki/%E7%94%B2", page)
    assert found == [(href, WIKI_PART) for href in hrefs]


def test_the_main_page_of_a_mediawiki_is_not_on_another_site(tmp_path: Path) -> None:
    logo = '<div id="p-logo"><a href="https://portal.example/top">w</a></div>'
    page = mediawiki("甲", links("/")).replace("</body>", logo + "</body>")
    assert led_to(tmp_path, "http://w.example/wiki/%E7%94%B2", page) == [("/", WIKI_PART)]


def test_views_of_a_page_of_mediawiki(tmp_path: Path) -> None:
    """Links to a page's edit form or history are none to the page; red links of old versions and
    links to an old revision are."""
    query = "/index.php?title=乙&amp;"
    hrefs = [f"{query}action=edit", f"{query}action=history", f"{query}oldid=7"]
    red = f'<a class="new" href="{query}action=edit">丙</a>'
    found = led_to(tmp_path, "http://mtgwiki.com/wiki/甲", mediawiki("甲", links(*hrefs) + red))
    edit, history = (href.replace("&amp;", "&") for href in hrefs[:2])
    missing = "the wiki had no page 乙 (a red link)"
    assert found == [(edit, WIKI_PART), (history, WIKI_PART), ("乙", None), ("乙", missing)]


def test_sections_of_other_pages(tmp_path: Path) -> None:
    """By their anchors, which are not written as their ids are."""
    ids = ["コスト（マナ）", "見出し", "見出し_2", "第_3"]
    titles = ["コスト（マナ）", "見出し", "見出し", "第 3"]
    headings = "".join(
        f'<h2><span class="mw-headline" id="{anchor}">{title}</span></h2><p>本文。</p>'
        for anchor, title in zip(ids, titles, strict=True)
    )
    hrefs = [f"/wiki/乙#{anchor}" for anchor in [*ids, "見出し_4"]]
    for name, content in (("甲", links(*hrefs)), ("乙", headings)):
        (tmp_path / f"{name}.html").write_text(mediawiki(name, content), "utf-8")
    with base_of([tmp_path], tmp_path / "x.db", site="mtgwiki") as base:
        edges = base.refs("mtgwiki/甲", direction="out", kinds=["links_to"]).edges
        assert [edge.target for edge in sorted(edges, key=lambda edge: edge.evidence.start)] == [
            "mtgwiki/乙#コスト(マナ)", "mtgwiki/乙#見出し", "mtgwiki/乙#見出し_2",
            "mtgwiki/乙#第 3", "mtgwiki/乙",
        ]  # fmt: skip


def test_names_with_a_small_first_letter(tmp_path: Path) -> None:
    """Most wikis have none; where both are there, the large one is meant."""
    pages = {
        "eBay": links("/wiki/iPhone#use", "/wiki/%C3%A9", "/wiki/both", "/wiki/gone"),
        "iPhone": '<h2><span id="use">use</span></h2><p>本文。</p>',
        "é": "", "both": "", "Both": "",
    }  # fmt: skip
    manifest = ""
    for number, (name, content) in enumerate(pages.items()):
        (tmp_path / f"{number}.html").write_text(mediawiki(name, content), "utf-8")
        url = f"http://w.example/wiki/{name}"
        manifest += json.dumps({"file": f"{number}.html", "url": url}) + "\n"
    (tmp_path / "manifest.jsonl").write_text(manifest)
    with base_of([tmp_path], tmp_path / "x.db", game="ws") as base:
        edges = base.refs("w.example/eBay", direction="out", kinds=["links_to"]).edges
        found = {edge.target or edge.target_label for edge in edges}
        assert found == {"w.example/iPhone#use", "w.example/é", "w.example/Both", "Gone"}


@pytest.mark.parametrize("anchor", ["list_a", "a-b.E3.81.82"])
def test_anchors_of_pukiwiki_are_as_written(tmp_path: Path, anchor: str) -> None:
    heading = f'<h2>節 <a class="anchor_super" id="{anchor}" href="?甲#{anchor}">&dagger;</a></h2>'
    page = pukiwiki("甲", links(f"#{anchor}", f"?甲#{anchor}", f"?乙#{anchor}") + heading)
    found = led_to(tmp_path, "http://w.example/?%B9%C3", page)
    assert found == [("甲#節", None), ("甲#節", None), (f"乙#{anchor}", None)]


def test_a_page_of_another_wiki_in_source(tmp_path: Path) -> None:
    source = "*甲\n[[別館:乙]]は[[wiki:丙]]とは違う。\n"
    found = led_to(tmp_path, "http://w.example/?%B9%C3", source, "B9C3.txt")
    assert found == [("別館:乙", OUTSIDE), ("wiki:丙", OUTSIDE)]
