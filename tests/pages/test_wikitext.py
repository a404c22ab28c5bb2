"""Wikitext, exports and API answers: every construct, any input, and the served pages' word."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scraper import Hints, Page, Snapshot, read_pages, snapshots
from scraper.page import text_size
from scraper.sites import mediawiki_api, mediawiki_dump, mediawiki_source
from scraper.sites.mediawiki import read_fragment
from tests.hostile.test_hostile import MARKUP, check
from tests.pages.test_golden import marked
from tests.timing import grows_linearly


def read(text: str, name: str = "試験") -> Page:
    page = mediawiki_source.read_source(text, "mtgwiki", name, "")
    check(page)
    assert page.chars == text_size(text)
    return page


def shown(text: str) -> list[str]:
    """Each passage as kind, depth, number and text, with its marks."""
    return [
        f"{p.kind}{p.depth or ''}{' head' if p.head else ''}"
        f"{f' {p.ordinal}.' if p.ordinal else ''} {marked(p)}"
        for p in read(text).passages
    ]


CASES = {
    "'''太字'''と''斜体''と'''''両方'''''": ["paragraph *太字*と斜体と*両方*"],
    "'''閉じない\n次の行": ["paragraph *閉じない*次の行"],
    "[[引く|引い]]た": ["paragraph [引い|page|引く]た"],
    "[[draw_step]]": ["paragraph [draw_step|page|Draw step]"],
    "[[引く#色の_役割]]、[[#節]]": [
        "paragraph [引く#色の_役割|page|引く#色の 役割]、[#節|anchor|試験#節]"
    ],
    "[[:Category:ルール]]": ["paragraph [Category:ルール|page|カテゴリ:ルール]"],
    "[http://a.example/ 甲] [http://b.example/]": [
        "paragraph [甲|external|http://a.example/] [[1]|external|http://b.example/]"
    ],
    "見よ http://a.example/x 。": [
        "paragraph 見よ [http://a.example/x|external|http://a.example/x] 。"
    ],
    "[[a[b]]": ["paragraph [[a[b]]"],
    "*甲\n**乙\n*#丙\n*#丁\n*:戊\n#己\n#庚": [
        "item1 甲", "item2 乙", "item2 1. 丙", "item2 2. 丁", "gloss2 戊", "item1 1. 己",
        "item1 2. 庚",
    ],
    ";語:説明[[a:b]]\n; 語2\n: 説明2": [
        "entry1 語", "gloss1 説明[a:b|page|A:b]", "entry1 語2", "gloss1 説明2",
    ],
    "一\n二\n\n三": ["paragraph 一二", "paragraph 三"],
    " 整形 [[a]]\n  済み\n後": ["pre 整形 [a|page|A]⏎ 済み", "paragraph 後"],
    "<pre>\n[[a]] &lt;\n</pre>": ["pre [[a]] <"],
    "<nowiki>[[a]]'''</nowiki>": ["paragraph [[a]]'''"],
    "甲<!-- 注 -->乙\n<!-- 行 -->\n丙": ["paragraph 甲乙丙"],
    "<ruby><rb>引</rb><rp>(</rp><rt>ひ</rt><rp>)</rp></ruby>く": ["paragraph {引|ひ}く"],
    "甲<br />乙<ref>注[[a]]</ref>。<references />": ["paragraph 甲⏎乙。", "footnote 注[a|page|A]"],
    "&hearts;&#9829;&nbsp;|&lt;b&gt;&nosuch;": ["paragraph ♥♥\xa0|<b>&nosuch;"],
    "----\n甲": ["paragraph 甲"],
    "__TOC__甲{{DEFAULTSORT:こう}}": ["paragraph 甲"],
    "{{#card:X}}\n甲": ["note card:X", "paragraph 甲"],
    "甲({{#CR:104.3}}、{{#cr:502.63}})": ["paragraph 甲(CR:104.3、cr:502.63)"],
    "{{情報ボックス|名=甲|CR=702.2}}\n乙": ["row 名⇥甲", "row CR⇥702.2", "paragraph 乙"],
    "{{カードテキスト|甲|[[飛行]]}}": ["paragraph 甲⏎[飛行|page|飛行]"],
    "<div>甲\n*乙\n</div>丙": ["paragraph 甲", "item1 乙", "paragraph 丙"],
    "<blockquote>引用</blockquote>": ["quote 引用"],
    "[[ファイル:a.png|thumb|説明[[b]]]]": ["paragraph 説明[b|page|B]"],
    "[[en:Draw]]": ["note [en:Draw|page|En:Draw]"],
    "{| class=x\n|+ 題\n! 甲 !! 乙\n|-\n| rowspan=2 | [[a|子]] || 丑\n* 寅\n|}後": [
        "caption 題", "row head 甲⇥乙", "row [子|page|A]⇥丑⏎寅", "paragraph 後",
    ],
    "<foo>甲</foo><s>乙</s>": ["paragraph <foo>甲</foo>乙"],
    "<includeonly>甲</includeonly><noinclude>乙</noinclude>": ["paragraph 乙"],
    "{{{1}}}と{{{2|既定}}}": ["paragraph {{{1}}}と既定"],
}  # fmt: skip


@pytest.mark.parametrize("text", CASES)
def test_constructs(text: str) -> None:
    assert shown(text) == CASES[text]


def test_sections() -> None:
    page = read("前\n== 節 ==\n===下===\n==節==\n= 大 =\n==")
    assert [(s.title, s.level, s.anchor, s.parent) for s in page.sections[1:]] == [
        ("節", 2, "節", None),
        ("下", 3, "下", 1),
        ("節", 2, "節 2", None),
        ("大", 1, "大", None),
    ]


def test_categories_and_redirects() -> None:
    page = read("甲\n[[Category:ルール|ひく]]\n[[カテゴリ:領域]]")
    assert page.categories == ("ルール", "領域")
    assert read("#REDIRECT [[引く#色_1]]").redirect == "引く#色 1"
    assert read("#REDIRECT [[引く]]").redirect == "引く"
    assert marked(read("#転送 [[引く]]").passages[0]) == "[引く|page|引く]"
    assert read("#REDIRECT 引く").redirect is None


def test_left_out_has_reasons() -> None:
    page = read("{{箱|x}}'''甲'''<!-- 注 -->[[Category:乙]]&amp;[[丙|丁]]")
    assert page.left_out == {
        "template (not expanded)": 7,
        "wiki markup": 11,
        "comment": 8,
        "link target": 1,
        "categories (kept as data)": 14,
        "character reference": 4,
    }


# -- any input ----------------------------------------------------------------------------
_PIECES = [
    "[[", "]]", "{{", "}}", "{{{", "}}}", "|", "||", "!!", "{|", "|}", "|-", "|+", "\n", "\n", "*",
    "#", ":", ";", "=", "==", "''", "'''", "'''''", "<ref>", "</ref>", "<ref name=a />", "<pre>",
    "</pre>", "<nowiki>", "</nowiki>", "<!--", "-->", "<div>", "</div>", "<b>", "</b>", "<ruby>",
    "<rt>", "</rt>", "</ruby>", "<li>", "<td>", "<table>", "</table>", "<gallery>", "</gallery>",
    "http://a.b/", "[http://a.b ", "]", "カード", "引く", " ", "ファイル:a", "|thumb|", "Category:",
    "#REDIRECT ", "{{カードテキスト|", "CR=1", "#CR:1.2", "&amp;", "&#0;", "&", "__TOC__", "----",
    "\x00", "\x0b", "\x1c", "\ud800", "%00", "en:", "<br/>", "<foo>", "</foo>", "\x01", "\r", "\t",
]  # fmt: skip
WIKI = st.lists(st.sampled_from(_PIECES), max_size=60).map("".join)


@given(st.text(max_size=1000))
def test_any_text(text: str) -> None:
    read(text)


@given(WIKI)
@example("<b>'''[[a|'''</b>]]<div>'''</div>")
@example("{|\n|<div>\n|-\n</div>\n*<table><td>\n|}\n</table>")
@example("[[%00]]<pre>'''")
def test_any_wikitext(text: str) -> None:
    read(text)


@given(WIKI, st.sampled_from(["", "http://mtgwiki.com/index.php?title=X&action=raw", "::"]))
def test_any_raw_snapshot(text: str, url: str) -> None:
    pages = list(mediawiki_source.read(Snapshot("a/b.wiki", b"", url), text))
    assert pages
    for page in pages:
        check(page)


def dump(data: bytes) -> list[Page]:
    found = list(mediawiki_dump.pages(Snapshot("export.xml", data)))
    for page in found:
        check(page)
    return found


def page_xml(title: str, text: str, more: str = "") -> str:
    return (
        f"<page><title>{escape(title)}</title><ns>0</ns><id>1</id>{more}<revision><id>2</id>"
        f"<timestamp>2024-01-01T00:00:00Z</timestamp><text xml:space='preserve'>{escape(text)}"
        "</text></revision></page>"
    )


def export(*pages: str, version: str = "0.11") -> bytes:
    base = "<siteinfo><base>http://mtgwiki.com/wiki/Main</base></siteinfo>"
    space = f"http://www.mediawiki.org/xml/export-{version}/"
    return f'<mediawiki xmlns="{space}">{base}{"".join(pages)}</mediawiki>'.encode()


@given(st.binary(max_size=500))
def test_any_bytes_as_export(data: bytes) -> None:
    dump(data)
    dump(b"<mediawiki>" + data)
    dump(b"<mediawiki><page><title>a</title><revision><text>" + data)


@given(st.data())
def test_mutated_export(data: st.DataObject) -> None:
    whole = export(page_xml("甲", "'''甲'''[[乙]]"), page_xml("丙", "==丁==\n*戊"))
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, len(whole)))
    dump(whole[:start] + whole[end:])
    dump(whole[:end] + whole[start:])


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                "parse query pages title text * content revisions slots main redirects from"
                " to categories category wikitext timestamp 1".split()
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=30,
)


@given(_JSON)
def test_any_json(answer: object) -> None:
    known = {"title": "引く", "text": "<p>甲"}
    for asked in (answer, {"query": answer, "parse": answer}, {"query": answer, "parse": known}):
        pages = list(mediawiki_api.pages(Snapshot("api.json", b""), json.dumps(asked)))
        for page in pages:
            check(page)
    assert pages


@given(st.text(max_size=500))
@example("[" * 100_000)
@example("<api><parse title='a'><text>&lt;p&gt;x")
def test_any_text_as_api(text: str) -> None:
    for start in ("", "{", "<api>", "<api><query><pages><page title='a'><revisions><rev>"):
        for page in mediawiki_api.pages(Snapshot("api", b""), start + text):
            check(page)
    inside = f"<api><parse title='a'><text>甲{escape(text)}</text></parse></api>"
    assert [check(page) for page in mediawiki_api.pages(Snapshot("api", b""), inside)]


@given(MARKUP)
def test_any_fragment(markup: str) -> None:
    check(read_fragment(markup, "mtgwiki", "X", ""))


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        "[[",
        "{{",
        "[[a|",
        "{{a|b=",
        "<b>",
        "</b>",
        "<ref>",
        "<!--",
        "<nowiki>",
        "<pre>",
        "'''",
        "''a",
        "[http://a ",
        "\n{|\n|a",
        "\n*",
        "*",
        "{{{",
        "<ruby>a",
        "[[a]]",
        "==\n",
        "\n;:",
        "&amp;",
        "<b ",
        "<div>\n",
        "\n|a||",
        "{|",
        "__",
        "[[a|'''",
        "]][[",
        "}}{{",
        "{{a}}",
        "http://a.b ",
        "カード",
        "\n ",
        "<td>",
        "\n:{|\n!a",
        "[[ファイル:a|thumb|",
        "<gallery>",
        "[[a|b]]'''c'''\n",
    ],
)
def test_time_grows_linearly(unit: str) -> None:
    def work(text_size: int) -> None:
        page = mediawiki_source.read_source(unit * (text_size // len(unit)), "mtgwiki", "X", "")
        assert page.lost == 0

    assert grows_linearly(work, 30_000)


# -- exports ------------------------------------------------------------------------------
@pytest.mark.parametrize("version", ["0.4", "0.6", "0.11"])
def test_export(version: str) -> None:
    mark = "<redirect />" if version == "0.4" else '<redirect title="引く" />'
    pages = dump(
        export(
            page_xml("引く", "'''引く'''"),
            page_xml("ドロー", "#転送 [[引く]]", mark),
            page_xml("利用者:甲", "乙"),
            version=version,
        )
    )
    assert [(p.source, p.name, p.redirect) for p in pages] == [
        ("mtgwiki", "引く", None),
        ("mtgwiki", "ドロー", "引く"),
        ("mtgwiki", "利用者:甲", None),
    ]
    assert pages[0].url == "http://mtgwiki.com/wiki/%E5%BC%95%E3%81%8F"
    assert all(page.left_out["export metadata"] > 0 and not page.warnings for page in pages)


def test_the_newest_revision_counts() -> None:
    revision = "<revision><timestamp>{}</timestamp><text>{}</text></revision>"
    both = revision.format("2024", "新") + revision.format("2020", "旧い")
    (page,) = dump(export(f"<page><title>a</title>{both}</page>"))
    assert [p.text for p in page.passages] == ["新"]
    assert page.left_out["older revision"] == 2


def test_a_broken_export_warns() -> None:
    pages = dump(export(page_xml("a", "甲"), page_xml("b", "乙"))[:-40])
    assert pages[0].name == "a"
    assert pages[-1].warnings


def test_entities_are_inert(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("秘密", "utf-8")
    bomb = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "ボム"}">' for n in range(12))
    kind = (
        f'<?xml version="1.0"?><!DOCTYPE mediawiki [{bomb}<!ENTITY x SYSTEM "{secret.as_uri()}">]>'
    )
    body = (
        '<page><title>a</title><redirect title="&e11;"/><revision><text>甲&e11;&x;乙'
        "</text></revision></page>"
    )
    pages = list(dump(kind.encode() + export(body)))
    assert pages
    for page in pages:
        text = "".join(p.text for p in page.passages)
        assert "秘密" not in text and "ボム" not in text and page.redirect is None
    answer = f'{kind}<api><parse title="a&e11;"><text>甲&e11;&x;</text></parse></api>'
    for page in mediawiki_api.pages(Snapshot("api.xml", b""), answer):
        check(page)
        assert "秘密" not in repr(page) and "ボム" not in repr(page)


# -- API ----------------------------------------------------------------------------------
@pytest.mark.parametrize("text", [{"*": "<p>甲<b>乙</b></p>"}, "<p>甲<b>乙</b></p>"])
def test_api_parse(text: object) -> None:
    category = {"*": "ルール"} if isinstance(text, dict) else {"category": "ルール"}
    answer = {"parse": {"title": "引く", "text": text, "categories": [category]}}
    (page,) = mediawiki_api.pages(
        Snapshot("a", b"", "http://mtgwiki.com/api.php"), json.dumps(answer)
    )
    assert (page.source, page.name, page.categories) == ("mtgwiki", "引く", ("ルール",))
    assert marked(page.passages[0]) == "甲*乙*"


@pytest.mark.parametrize(
    "revision",
    [
        {"*": "[[乙]]"},
        {"content": "[[乙]]"},
        {"slots": {"main": {"content": "[[乙]]"}}},
        {"slots": {"main": {"*": "[[乙]]"}}},
    ],
)
def test_api_query(revision: dict[str, object]) -> None:
    entry = {"title": "甲", "revisions": [revision]}
    for pages in ({"1": entry}, [entry]):
        query = {"pages": pages, "redirects": [{"from": "丙", "to": "甲"}]}
        found = mediawiki_api.pages(Snapshot("a", b""), json.dumps({"query": query}))
        assert [(page.name, page.redirect) for page in found] == [("丙", "甲"), ("甲", None)]
        assert marked(found[1].passages[0]) == "[乙|page|乙]"


@pytest.mark.parametrize("place", ["revision", "slot"])
def test_an_empty_text_is_one(place: str) -> None:
    text = {"content": ""}
    revision = text if place == "revision" else {"slots": {"main": text}}
    query = {"pages": [{"title": "甲", "revisions": [revision]}]}
    [page] = mediawiki_api.pages(Snapshot("a", b""), json.dumps({"query": query}))
    assert page.name == "甲" and not page.passages


# -- the evidence -------------------------------------------------------------------------
def shots(shared: Path, pattern: str) -> Iterator[Snapshot]:
    for folder in ("mw119", "mw139"):
        for shot in snapshots(shared / "pages" / folder, Hints()):
            if isinstance(shot, Snapshot) and Path(shot.where).match(pattern):
                yield shot


@pytest.mark.shared
def test_exports_and_answers_as_raw(shared: Path) -> None:
    """The same source gives the same passages, however it was fetched."""
    (shot,) = (s for s in shots(shared, "raw_hiku.wiki"))
    (raw,) = mediawiki_source.read(shot, shot.data.decode())
    seen = [page for shot in shots(shared, "export*.xml") for page in mediawiki_dump.pages(shot)]
    for shot in shots(shared, "api_*"):
        found = mediawiki_api.pages(shot, shot.data.decode())
        seen += [page for page in found if page.form == "wikitext"]
        assert found
    for page in seen:
        check(page)
    again = [page for page in seen if page.name == raw.name]
    assert len(again) >= 4
    assert all(page.passages == raw.passages for page in again)


@pytest.mark.parametrize(
    "inside",
    [
        "<page><title>甲</title><revision><text>乙</text></revision>丙</page>丁",
        "<page>甲<revision><text>乙</text></revision>丙<revision><text>丁</text></revision>戊</page>",
        "甲<siteinfo>乙</siteinfo>丙<page><title>丁</title></page>戊<page/>己",
    ],
)
def test_text_behind_the_elements_of_an_export_is_counted(inside: str) -> None:
    pages = dump(f"<mediawiki>{inside}</mediawiki>".encode())
    assert sum(page.chars for page in pages) == sum(inside.count(sign) for sign in "甲乙丙丁戊己")


@pytest.mark.parametrize("start", ["", "<div>甲</div>\n", "{|\n|甲\n|}\n"])
@pytest.mark.parametrize("where", ["引く.wiki", "a/引く.mediawiki", "a.tar!引く.wikitext"])
def test_wikitext_in_a_file_that_says_so(where: str, start: str) -> None:
    text = f"{start}[[手札]]から引く。\n<div>乙</div>\n<table><tr><td>丙</table>\n"
    for site in ("mtgwiki", None):
        [page], _ = read_pages(Snapshot(where, text.encode(), hints=Hints(site=site)))
        assert (page.name, page.form) == ("引く", "wikitext")
        assert [link.target for p in page.passages for link in p.links] == ["手札"]
        texts = "".join(passage.text for passage in page.passages)
        assert all(sign in texts for sign in "乙丙")


def test_a_text_with_a_tag_in_it_is_no_page_of_html() -> None:
    hints = Hints(site="mtgwiki")
    [page], _ = read_pages(Snapshot("a.txt", "手札は領域。\n<div>甲</div>".encode(), hints=hints))
    assert page.form != "html" and "甲" in "".join(p.text for p in page.passages)
