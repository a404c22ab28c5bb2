"""MediaWiki pages written for the purpose: what differs between 1.16 and 1.43."""

from __future__ import annotations

import pytest

from scraper import Page, Snapshot, read_pages

URL = "http://mtgwiki.com/wiki/%E5%BC%95%E3%81%8F"
CONFIG = '<script>set({{"wgPageName":"引く","wgAction":"{action}","wgArticleId":{id}}})</script>'
# The frames of three versions, cut down to what a parser meets.
V116 = (
    '<html><head>{config}</head><body><div id="globalWrapper"><div id="content">'
    '<h1 id="firstHeading" class="firstHeading">引く</h1><div id="bodyContent">'
    '<h3 id="siteSub">提供: MTG Wiki</h3><div id="contentSub">{sub}</div>'
    '<div id="jump-to-nav">移動: 案内</div><!-- start content -->{body}'
    '<div class="printfooter">取得</div><div id="catlinks">{cats}</div></div></div></div>'
    '<div id="column-one">道具</div><div id="footer">末尾</div></body></html>'
)
V119 = V116.replace('<h3 id="siteSub">提供: MTG Wiki</h3>', '<div id="siteSub">提供</div>').replace(
    "{body}", '<div id="mw-content-text">{body}</div>'
)
V139 = V119.replace("{body}", '<div class="mw-parser-output">{body}</div>')
EDIT_FIRST = (
    '<h2><span class="editsection">[<a href="/x">編集</a>]</span> '
    '<span class="mw-headline" id=".E3.83.AB.E3.83.BC.E3.83.AB">ルール</span>'
    "</h2>"
)
EDIT_LAST = (
    '<h2><span id=".E3.83.AB.E3.83.BC.E3.83.AB"></span>'
    '<span class="mw-headline" id="ルール">ルール</span><span class="mw-editsection">'
    '<span class="mw-editsection-bracket">[</span><a href="/x">編集</a>'
    '<span class="mw-editsection-bracket">]</span></span></h2>'
)

# As of 1.43.
EDIT_BESIDE = (
    '<div class="mw-heading mw-heading2"><h2 id="ルール">ルール</h2>'
    '<span class="mw-editsection">[<a href="/x">編集</a>]</span></div>'
)


def pages(
    body: str,
    frame: str = V119,
    sub: str = "",
    cats: str = "",
    action: str = "view",
    id: int = 5,
    url: str = URL,
) -> list[Page]:
    config = CONFIG.format(action=action, id=id)
    html = frame.format(config=config, body=body, sub=sub, cats=cats)
    found, _ = read_pages(Snapshot("test", html.encode(), url))
    assert all(page.lost == 0 for page in found)
    return found


@pytest.mark.parametrize("frame", [V116, V119, V139])
@pytest.mark.parametrize("heading", [EDIT_FIRST, EDIT_LAST, EDIT_BESIDE])
def test_the_same_page_from_any_version(frame: str, heading: str) -> None:
    toc = '<table id="toc" class="toc"><tr><td><h2>目次</h2></td></tr></table>'
    (page,) = pages(f"<p>カードを\n引く。</p>{toc}{heading}<p>本文</p>", frame)
    assert [p.text for p in page.passages] == ["引く", "カードを引く。", "ルール", "本文"]
    assert (page.sections[1].title, page.sections[1].level, page.sections[1].anchor) == (
        "ルール",
        2,
        "ルール",
    )


@pytest.mark.parametrize(
    "sub",
    [
        '(<a href="/index.php?title=%E3%83%89%E3%83%AD%E3%83%BC&amp;redirect=no">'
        "ドロー</a> から転送)",
        '<span class="mw-redirectedfrom">（<a href="/index.php?title=%E3%83%89%E3%83%AD%E3%83%BC'
        '&amp;redirect=no">ドロー</a>から転送）</span>',
    ],
)
def test_a_view_through_a_redirect_is_two_pages(sub: str) -> None:
    redirect, page = pages("<p>本文</p>", sub=sub)
    assert (redirect.name, redirect.redirect, page.name) == ("ドロー", "引く", "引く")
    assert page.via and "から転送" in redirect.passages[0].text


@pytest.mark.parametrize(
    "body",
    [
        '<div class="redirectMsg"><span class="redirectText"><a href="/wiki/%E6%89%8B%E6%9C%AD">'
        "手札</a></span></div>",
        '<div class="redirectMsg"><p>転送先:</p><ul class="redirectText"><li>'
        '<a href="/wiki/%E6%89%8B%E6%9C%AD">手札</a></li></ul></div>',
    ],
)
def test_a_redirect_seen_as_itself(body: str) -> None:
    assert pages(body)[0].redirect == "手札"


LINKS = [
    ('<a href="/wiki/%E6%89%8B%E6%9C%AD" title="手札">X</a>', "page", "手札", ""),
    ('<a href="/wiki/%E6%89%8B%E6%9C%AD" class="mw-redirect">X</a>', "page", "手札", ""),
    ('<a href="/index.php?title=A_B&amp;action=edit&amp;redlink=1" class="new">X</a>', "missing",
     "A B", ""),
    ('<strong class="selflink">X</strong>', "page", "引く", ""),
    ('<a class="mw-selflink selflink">X</a>', "page", "引く", ""),
    ('<a href="#.E3.83.AB">X</a>', "anchor", "引く", "."),
    ('<a href="#.E3.83.AB.E3.83.BC.E3.83.AB">X</a>', "anchor", "引く", "ルール"),
    ('<a href="/wiki/Who/What_%28x%29#.E3.83.AB.E3.83.BC">X</a>', "page", "Who/What (x)", "ルー"),
    ('<a class="external text" href="https://example.com/">X</a>', "external",
     "https://example.com/", ""),
]  # fmt: skip


@pytest.mark.parametrize(("html", "kind", "target", "anchor"), LINKS)
def test_links(html: str, kind: str, target: str, anchor: str) -> None:
    passage = pages(f"<p>前{html}後</p>")[0].passages[1]
    (link,) = passage.links
    assert (passage.text, link.start, link.end) == ("前X後", 1, 2)
    assert (link.kind, link.target) == (kind, target)
    assert link.anchor == anchor or anchor == "."


def test_categories_are_kept_as_data() -> None:
    for cats in (
        '<div id="mw-normal-catlinks"><a href="/x">カテゴリ</a>: <ul><li>'
        '<a href="/wiki/%E3%82%AB%E3%83%86%E3%82%B4%E3%83%AA:A">A</a></li></ul></div>',
        '<a href="/x">カテゴリ</a>: <a href="/wiki/Category:A">A</a>',
    ):
        (page,) = pages("<p>本文</p>", cats=cats)
        assert page.categories == ("A",)
        assert page.left_out["categories (kept as data)"] > 0


@pytest.mark.parametrize(
    ("action", "id", "view"),
    [("edit", 5, "edit form"), ("history", 5, "history"), ("view", 0, "missing page")],
)
def test_views_that_are_no_articles(action: str, id: int, view: str) -> None:
    (page,) = pages("<p>本文</p>", action=action, id=id)
    assert (page.name, list(page.left_out)) == ("", [f"not an article: {view}"])


def test_old_and_printable_views_are_told_apart() -> None:
    assert pages("<p>x</p>", url="http://mtgwiki.com/index.php?title=A&oldid=3")[0].old
    assert pages("<p>x</p>", url="http://mtgwiki.com/index.php?title=A&printable=yes")[0].via
    assert pages("<p>x</p>", sub='<div id="mw-revision-info">時点</div>')[0].old


def test_footnotes_whose_markup_is_shown_are_footnotes() -> None:
    body = (
        '<p>裏向きに置く。&lt;ref name="a"&gt;これは<a href="/wiki/x">全般</a>に言える。'
        "&lt;/ref&gt;次の文。&lt;ref name=a /&gt;</p>"
        "<ul><li>甲 &lt;ref&gt;</li><li>乙&lt;/ref&gt;</li></ul>"
    )
    for frame in (V116, V139):
        (page,) = pages(body, frame)
        texts = [(passage.kind, passage.text) for passage in page.passages[1:]]
        assert texts[0] == ("paragraph", "裏向きに置く。次の文。")
        assert texts[-1] == ("footnote", "これは全般に言える。")
        assert ("item", "甲 <ref>") in texts  # what spans blocks is text
        assert page.left_out["footnote mark"] == 31
        assert [link.kind for link in page.passages[-1].links] == ["page"]


def test_an_error_that_the_wiki_shows_is_no_text_of_the_page() -> None:
    body = '<p>甲</p><p><span style="color:red">カード「Xyz」は見つかりませんでした</span></p>'
    body += '<p><strong class="error">乙</strong>カード「丙」は見つかりませんでした</p>'
    (page,) = pages(body)
    assert [each.text for each in page.passages[1:]] == ["甲", "カード「丙」は見つかりませんでした"]
    assert page.left_out["error of the wiki"] > 10
