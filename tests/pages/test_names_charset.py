"""Names in URLs that are valid both in UTF-8 and in EUC-JP are read as the wiki writes them."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest

import kb
from scraper import Snapshot, read_pages
from scraper.sites import page_address
from scraper.sites.pukiwiki import names_in_utf8
from scraper.sites.pukiwiki_source import name_of
from tests.rulebooks import described
from tests.webs import links, mediawiki, pukiwiki

NAMES = ["é", "辿", "Pokémon", "±0", "効果"]  # the first two have the same bytes in two charsets


@pytest.mark.parametrize(
    ("start", "linked"),
    [
        ("https://w.example/index.php?", "https://w.example/index.php?"),
        ("https://w.example/index.php?", "http://w.example/index.php?"),  # behind a proxy
        ("https://www.W.example/dm/?", "https://w.example:443/dm/index.php?"),
        ("https://yugioh-wiki.net/rush/index.php?", "https://yugioh-wiki.net/rush/index.php?"),
        ("https://dmwiki.net/", "https://dmwiki.net/"),
    ],
)
def test_no_page_of_a_wiki_in_utf8_is_lost(tmp_path: Path, start: str, linked: str) -> None:
    hrefs = [linked + quote(name, safe="") for name in NAMES]
    for number, name in enumerate(NAMES):
        page = pukiwiki(name, links(*hrefs), charset="UTF-8")
        described(tmp_path, {f"{number}.html": page}, url=start + quote(name, safe=""))
    report = kb.build([tmp_path], tmp_path / "x.db", game="ygo")
    assert report.pages == len(NAMES)
    with kb.open(tmp_path / "x.db") as base:
        for node in base.nodes("page"):
            edges = base.refs(node.id, direction="out", kinds=["links_to"]).edges
            named = {node.label, *(edge.target_label for edge in edges if edge.target)}
            assert {name.removeprefix("rush/") for name in named} == set(NAMES)


def test_a_name_of_an_euc_wiki_is_not_latin() -> None:
    assert _targets("?%C8%AF%C6%B0", "?%BB%C8%A4%A6") == ["発動", "使う"]  # the first also `ȯư`


def test_a_letter_that_is_not_encoded_is_itself() -> None:
    assert _targets("?é", "?cmd=read&page=é", "?%C3%A9") == ["é", "é", "辿"]
    address = page_address.read("https://yugioh-wiki.net/index.php?Ω")
    assert address is not None and address.name == "Ω"


@pytest.mark.parametrize("start", ["", "cmd=read&page="])
def test_a_name_has_one_charset(start: str) -> None:
    for encoded, name in (("%E5%BC%95A%C3%A9", "引Aé"), ("%B0%FAA%C3%A9", "引A辿")):
        address = page_address.read(f"https://w.example/?{start}{encoded}")
        assert address is not None and address.name == name


def test_a_link_to_another_wiki_does_not_count() -> None:
    other = "https://other.example/?%E5%BC%95%E3%81%8F"
    assert not names_in_utf8(f'<a href="{other}">x</a><a href="?%BB%C8%A4%A6">y</a>')
    assert names_in_utf8(f'<a href="{other}">x</a>', "http://www.other.example/?X")


def test_without_a_link_the_declared_charset_counts() -> None:
    assert names_in_utf8('<meta charset="UTF-8"><a href="?%C3%A9">x</a>')
    assert not names_in_utf8('<meta charset="EUC-JP"><a href="?%C3%A9">x</a>')


def test_a_name_that_is_cut_short_is_read_in_the_charset_of_the_others() -> None:
    cut = "?%E5%BC%95%E3%81%8"
    assert _targets("?%E5%BC%95%E3%81%8F", "?%E5%8A%B9", cut)[-1] == "引\ufffd%8"


@pytest.mark.parametrize(("charset", "name"), [("utf-8", "é"), ("euc_jp", "辿")])
def test_the_name_of_a_source_file_is_in_the_charset_of_its_text(charset: str, name: str) -> None:
    assert name_of(Snapshot("wiki/C3A9.txt", "効果".encode(charset))) == name


def test_names_of_a_mediawiki_are_in_utf8_wherever_its_articles_are() -> None:
    url = "http://w.example/Lim-D%C3%BBl"
    html = mediawiki("甲", links("/Lim-D%C3%BBl")).encode()
    [page] = read_pages(Snapshot("a.html", html, url=url))[0]
    assert page.passages[-1].links[0].target == "Lim-Dûl"
    [page] = read_pages(Snapshot("a.wiki", b"== a ==\n* [[b]]\n", url=url))[0]
    assert page.name == "Lim-Dûl"
    capture = "Lim-Dûl\n提供:W\n移動: 案内, 検索\n本文である。\n".encode()
    [page] = read_pages(Snapshot("a.txt", capture, url=url))[0]
    assert page.name == "Lim-Dûl"


@pytest.mark.parametrize(("charset", "name"), [("utf-8", "é"), ("euc_jp", "辿")])
def test_a_page_has_the_same_name_from_its_source_as_from_its_html(charset: str, name: str) -> None:
    url, link = "https://w.example/?%C3%A9", f"?{quote('効果', encoding=charset)}"
    assert name_of(Snapshot("a.txt", "効果".encode(charset), url=url)) == name
    url = "https://w.example/?plugin=source&page=%C3%A9"
    view = pukiwiki("の", f'{links(link)}<pre id="source">*a\n-[[b]]~\n</pre>', charset=charset)
    [page] = read_pages(Snapshot("a.html", view, url=url))[0]
    assert page.form == "pukiwiki source" and page.name == name


def _targets(*hrefs: str) -> list[str]:
    shot = Snapshot("a.html", pukiwiki("甲", links(*hrefs)), url="https://w.example/?%B9%C3")
    [page] = read_pages(shot)[0]
    return [link.target for passage in page.passages for link in passage.links]
