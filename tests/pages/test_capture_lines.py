"""Plain-text captures by extractors of several manners give the same headings and passages."""

from __future__ import annotations

from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st

from scraper import Hints, Page, Snapshot, read_pages
from scraper.sites import plain_text_capture
from tests.timing import grows_linearly

PUKIWIKI = "https://yugioh-wiki.net/index.php?%B0%FA%A4%AF"
MEDIAWIKI = "http://mtgwiki.com/wiki/%E5%BC%95%E3%81%8F"
ARTICLE = ["引く/Draw", "ルール", "FAQ"]


def read(text: str, url: str = "") -> Page:
    [page], _ = read_pages(Snapshot("x.txt", text.encode(), url=url, content_type="text/plain"))
    assert page.form == "text capture" and page.lost == 0
    return page


def headings(page: Page) -> list[str]:
    return [passage.text for passage in page.passages if passage.kind == "heading"]


def texts(page: Page, kind: str = "paragraph") -> list[str]:
    return [passage.text for passage in page.passages if passage.kind == kind]


MARKED = """引く/Draw  †
山札の一番上のカードを手札に加えること。
引けないプレイヤーは敗北する。
↑
ルール  †
- １枚ずつ引く。
- 引く枚数は減らない。
↑
FAQ  †
Ｑ：引かないことはできますか？
Ａ：できません。
"""


def test_pukiwiki_without_blank_lines() -> None:
    page = read(MARKED, PUKIWIKI)
    assert headings(page) == ARTICLE
    assert texts(page) == [
        "山札の一番上のカードを手札に加えること。",
        "引けないプレイヤーは敗北する。",
        "Ｑ：引かないことはできますか？\nＡ：できません。",
    ]
    assert texts(page, "item") == ["１枚ずつ引く。", "引く枚数は減らない。"]
    assert page.left_out == {"anchor mark": 3, "jump link": 2, "list mark": 2}


def test_a_mark_on_the_next_line_and_blank_lines() -> None:
    with_marks_below = MARKED.replace("  †", "\n†")
    assert headings(read(with_marks_below, PUKIWIKI)) == ARTICLE
    spaced = read(MARKED.replace("\n", "\n\n"), PUKIWIKI)
    assert headings(spaced) == ARTICLE
    assert "↑" not in "".join(passage.text for passage in spaced.passages)


def test_short_lines_are_no_headings_beside_marked_ones() -> None:
    page = read(MARKED.replace("- １枚ずつ引く。", "手札\n"), PUKIWIKI)
    assert headings(page) == ARTICLE and "手札" in texts(page)


def test_the_frame_of_pukiwiki() -> None:
    frame = "引く\nhttp://wiki.example/\n[ トップ ] [ 編集 | 凍結 | 差分 ]\n- 用語集\n最新の5件\n"
    foot = (
        "Last-modified: 2026-11-04 (水) 08:19:30 (17d)\nLink: 山札(9d)\nHTML convert time: 0.1 sec."
    )
    page = read(frame + MARKED + foot, PUKIWIKI)
    assert headings(page) == ARTICLE
    assert "用語集" not in texts(page, "item")
    assert page.left_out["page frame"] > 40 and page.left_out["navigation"] > 10
    edit = read("引く の編集\n" + frame + MARKED + foot, PUKIWIKI)
    assert edit.name == "" and edit.passages == ()


HTML = """<html><body><div id="body"><h2><a href="?a">引く</a>/Draw <a>&dagger;</a></h2>
<p>　<a href="?b">山札</a>の一番上の<a href="?c">カード</a>を<a href="?d">手札</a>に加えること。<br>
　引けない<a href="?e">プレイヤー</a>は<a href="?f">敗北</a>する。</p>
<a>&uarr;</a>
<h3>ルール <a>&dagger;</a></h3>
<ul><li><a href="?g">１枚</a>ずつ<a href="?a">引く</a>。</li>
<li>引く<a href="?h">枚数</a>を減らさず、<a href="?b">山札</a>が空でも続ける。</li></ul>
</div></body></html>"""
SENTENCES = {
    "山札の一番上のカードを手札に加えること。", "引けないプレイヤーは敗北する。", "１枚ずつ引く。",
    "引く枚数を減らさず、山札が空でも続ける。",
}  # fmt: skip


@pytest.mark.parametrize(("separator", "strip"), [("\n", True), ("\n", False), ("", False)])
def test_extracted_by_another_manner(separator: str, strip: bool) -> None:
    """With a line for each piece of text between two tags, or lines as in the markup."""
    text = BeautifulSoup(HTML, "lxml").get_text(separator, strip=strip)
    page = read(text, PUKIWIKI)
    assert headings(page) == ARTICLE[:2]
    lines = {line for p in page.passages for line in p.text.split("\n") if p.kind != "heading"}
    assert lines == SENTENCES


MEDIAWIKI_PAGE = """引く
提供: MTG Wiki
移動: 案内, 検索
カードを引くとは、山の上から札を一枚取り、手の中の札に足すことをいう。
目次
- 1 ルール
- 1.1 例外
- 2 参考
[編集] ルール
引けないプレイヤーは敗北する。
- 複数枚は１枚ずつ引く。
[編集] 例外
代わりに手札に加える効果がある。
[編集] 参考
- 手札
「http://mtgwiki.com/index.php?title=x&oldid=3」から取得
カテゴリ: ルール
個人用ツール
- ログイン
"""
OLD = MEDIAWIKI_PAGE.replace("[編集] ", "").replace(
    "移動:",
    "2026年11月1日 (日) 09:40時点における誰か (トーク)による版\n"
    "(差分) ←前の版 | 最新版 (差分) | 次の版→ (差分)\n移動:",
)
DIFFERENCE = """引く
提供: MTG Wiki
(版間での差分)
移動: 案内, 検索
2026年11月1日 (日) 09:40時点における版 (編集)
誰か (トーク)
←古い編集
2026年11月2日 (月) 09:40時点における最新版 (編集) (取り消し)
36行: | 36行:
+
{| class="wikitable"
+
|}
+
==参考==
"""
RENDERED = "2026年11月2日 (月) 09:40時点における最新版\n" + MEDIAWIKI_PAGE.partition("検索\n")[2]


@pytest.mark.parametrize("text", [MEDIAWIKI_PAGE, OLD, DIFFERENCE + RENDERED])
def test_views_of_a_mediawiki_page(text: str) -> None:
    page = read(text, MEDIAWIKI)
    assert page.name == page.title == "引く"
    assert headings(page) == ["ルール", "例外", "参考"]
    assert texts(page)[0].startswith("カードを引くとは") and len(texts(page)) == 3
    assert texts(page, "item") == ["複数枚は１枚ずつ引く。", "手札"]
    assert page.old == (text is not MEDIAWIKI_PAGE)
    assert page.left_out["page frame"] > 40 and page.left_out["table of contents"] > 10


def test_the_contents_say_how_deep_a_section_is() -> None:
    page = read(MEDIAWIKI_PAGE, MEDIAWIKI)
    levels = {section.title: section.level for section in page.sections}
    assert levels["ルール"] == levels["参考"] == 2 and levels["例外"] == 3


def test_a_difference_without_the_page_below_it() -> None:
    page = read(DIFFERENCE, MEDIAWIKI)
    assert page.name == "" and page.passages == ()
    assert list(page.left_out) == ["not an article: difference"]


def test_views_that_the_url_tells() -> None:
    page = read("引く\n提供: MTG Wiki\n{| class=x\n|}\n", MEDIAWIKI + "?action=edit")
    assert page.name == "" and list(page.left_out) == ["not an article: edit form"]


_FRAMED = """{title}
[ トップ ] [ 編集 | 差分 | バックアップ | 添付 | リロード ] [ 新規 | 一覧 | 単語検索 | 最終更新 ]
*引く [#top]
「引く」とは、[[山札]]から[[カード]]を捨てることである。~
PukiWiki 1.4.7 Copyright © 2001-2006 PukiWiki Developers Team.
"""


@pytest.mark.parametrize(
    "title",
    [
        "引く の変更点", "引く のソース", "引く の編集", "引く の履歴(No.3)", "引く の関連ページ",
        "引く のバックアップソース(No.2)", "ページの一覧", "RecentChanges",
    ],
)  # fmt: skip
def test_a_view_in_the_frame_of_a_wiki_needs_no_url(title: str) -> None:
    text = _FRAMED.format(title=title)
    pages, _ = read_pages(Snapshot("view.txt", text.encode()))
    assert [(page.name, page.passages) for page in pages] == [("", ())]
    assert read_pages(Snapshot("a.txt", _FRAMED.format(title="引く").encode()))[0][0].passages


def test_a_link_to_the_rules_viewer_is_no_rules_viewer() -> None:
    page = read(MEDIAWIKI_PAGE.replace("- 手札", "総合ルールビューア"), MEDIAWIKI)
    assert page.source == "mtgwiki" and len(headings(page)) >= 3


@pytest.mark.parametrize("between", ["\n", " "])
@pytest.mark.parametrize("title", ["総合ルールビューア\n", "総合ルールビューア "])
def test_the_rules_viewer_with_whole_lines(title: str, between: str) -> None:
    """The number of a rule stands on its own line or not, and so does the viewer's title."""
    text = (
        f"カード\nトップページ\n{title}1. 考え方\n121. カードを引くこと\n"
        f"121.1{between}山札の一番上のカードを手札に加える。\n121.2{between}１枚ずつ引く。\n"
        f"121.2a{between}rule 121.4も参照する。\n© Somebody\n"
    )
    page = read(text, "http://whisper.wisdom-guild.net/cr/r/121")
    assert headings(page) == ["1. 考え方", "121. カードを引くこと"]
    assert [text.partition(" ")[0] for text in texts(page)] == ["121.1", "121.2", "121.2a"]


@pytest.mark.shared
@pytest.mark.parametrize("view", ["oldid_hiku.html", "diff_hiku.html", "page_hiku.html"])
def test_real_views_have_the_sections_of_the_page(shared: Path, view: str) -> None:
    markup = (shared / "pages/mw119" / view).read_text("utf-8")
    soup = BeautifulSoup(markup, "lxml")
    for element in soup(["script", "style", "head"]):
        element.decompose()
    sections = ["ルール", "色の役割", "その他", "参考", "引用:総合ルール 20231117.0"]
    page = read(soup.get_text(""), MEDIAWIKI)
    assert [heading for heading in headings(page) if heading in sections] == (
        sections[:2] if view.startswith("oldid") else sections
    )
    shown = "\n".join(passage.text for passage in page.passages)
    for furniture in ("案内, 検索", "前の版", "版間での差分", "から取得", "\n+\n", "{|"):
        assert furniture not in shown


@pytest.mark.shared
def test_a_real_page_of_pukiwiki_by_text_nodes(shared: Path) -> None:
    path = shared / "pages/puki147euc/ygo/page_tsujo-no-draw.html"
    [html], _ = read_pages(Snapshot(path.name, path.read_bytes(), url=PUKIWIKI))
    markup = path.read_bytes().decode("euc_jp", "replace").partition("?>")[2]
    body = BeautifulSoup(markup, "lxml").find(id="body")
    assert body is not None
    wanted = ["".join(heading.split()) for heading in headings(html)]
    for separator, strip in (("\n", True), ("\n", False), ("", False)):
        page = read(body.get_text(separator, strip=strip), PUKIWIKI)
        assert ["".join(heading.split()) for heading in headings(page)] == wanted


ARTICLES = ("page_", "oldid", "printable", "diff_hiku")  # the last has the page below it
NO_ARTICLES = ("page_nonexistent", "other-encoding-query")


@pytest.mark.shared
@pytest.mark.parametrize("engine", ["mw119", "mw139", "puki147euc", "puki154utf"])
def test_real_views_without_an_address(shared: Path, engine: str) -> None:
    """Each page keeps its name, also where its heading is in pieces or it lists rules; each other
    view is no page."""
    views = sorted((shared / "pages" / engine).rglob("*.html"))
    assert views
    for path in views:
        data = path.read_bytes()
        if not data.strip():  # a redirect
            continue
        soup = BeautifulSoup(
            data.decode("euc_jp" if "euc" in engine else "utf-8", "replace"), "lxml"
        )
        [page], _ = read_pages(Snapshot("x.txt", soup.get_text("\n").encode()))
        assert page.form == "text capture" and page.lost == 0
        is_article = path.name.startswith(ARTICLES) and not any(n in path.name for n in NO_ARTICLES)
        assert bool(page.passages) == bool(page.name) == is_article, path
        assert soup.h1 is not None and page.name in soup.h1.text


LINES = [
    "†", "↑", "[", "編集", "]", "?", "カード", "を", "引く。", "", "目次", "1", "1.1", "(", "移動:",
    "案内", "(版間での差分)", "+", "{|", "「http://x", "」から取得", "Q:", "A:", "- a",
    "2026年11月2日 (月) 09:40時点における版", "Last-modified: x", "総合ルールビューア", "121.1",
    "提供: x", "[ トップ ]", "\ud7ff",
]  # fmt: skip


@given(st.lists(st.sampled_from(LINES)), st.sampled_from([PUKIWIKI, MEDIAWIKI]))
def test_no_character_is_lost(lines: list[str], url: str) -> None:
    pages, _ = read_pages(Snapshot("x.txt", "\n".join(["カード", *lines]).encode(), url=url))
    assert [page.lost for page in pages] == [0]


@pytest.mark.parametrize("line", ["Q:", "1", "を", "(", "+", "カード", "- 目次", "†", "[", "  "])
def test_time_is_linear(line: str) -> None:
    def work(count: int) -> None:
        text = "引く\n提供: MTG Wiki\n目次\n" + f"{line}\n" * count
        read(text, MEDIAWIKI)
        read(text.replace("提供", "x"), PUKIWIKI)

    assert grows_linearly(work, 2_000)


def test_a_toolbar_alone_has_no_article() -> None:
    """Nor a title to look for in its second line, which is not there."""
    page = read("[ トップ ]", PUKIWIKI)
    assert not page.passages and page.left_out == {"navigation": 5}


def test_several_rules_are_linked_in_the_text_of_the_viewer() -> None:
    text = (
        "総合ルールビューア\n1. 概要\n121. 引くこと\n121.1.\n"
        "引くことについては、\nrules 704.5a\nを見よ。\n"
        "121.2.\n札を引く。\n"
    )
    [page] = plain_text_capture.read(
        Snapshot("a.txt", text.encode(), hints=Hints(game="mtg")), text
    )
    links = [(link.kind, link.target) for each in page.passages for link in each.links]
    assert links == [("rule", "704.5a")]
