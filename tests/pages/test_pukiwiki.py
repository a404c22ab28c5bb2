"""PukiWiki pages written for the purpose, where the sample has none of the kind."""

from __future__ import annotations

import pytest

from scraper import Page, Snapshot, read_pages

FRAME = """<html><head><title>{title} - Wiki</title>{head}</head><body>
<div id="header"><h1 class="title"><a href="{base}?plugin=related&amp;page={title}">{title}</a></h1>
</div><div id="navigator">[ 編集 ]</div><div id="body">{body}</div>
<div id="footer">PukiWiki 1.4.7</div></body></html>"""
ROBOTS = '<meta name="robots" content="NOINDEX,NOFOLLOW" />'
BASE = "https://yugioh-wiki.net/index.php"


def page(
    body: str, url: str = f"{BASE}?X", title: str = "X", head: str = "", note: str = ""
) -> Page:
    base = url.partition("?")[0]
    html = FRAME.format(title=title, head=head, body=body, note=note, base=base)
    pages, _ = read_pages(Snapshot("test", html.encode(), url))
    assert pages[0].lost == 0
    return pages[0]


def test_the_wiki_of_rush_duel_is_another_wiki() -> None:
    """Its pages and the links between them have names of their own, alike."""
    read = page(
        '<a href="./?Y" class="link_page_passage">Y</a>', "https://yugioh-wiki.net/rush/index.php?X"
    )
    assert (read.name, read.title) == ("rush/X", "X")
    assert read.passages[1].links[0].target == "rush/Y"


@pytest.mark.parametrize(
    "body",
    [
        '<span class="noexists">引く<a href="{b}?cmd=edit&amp;page=Y&amp;refer=X">?</a></span>',
        '<span class="noexists"><a href="./?cmd=edit&amp;page=Y&amp;refer=X">引く</a></span>',
    ],
)
def test_missing_pages_in_both_forms(body: str) -> None:
    passage = page(f"<p>を{body.format(b=BASE)}か</p>").passages[1]
    assert passage.text == "を引くか"
    (link,) = passage.links
    assert (link.start, link.end, link.kind, link.target) == (1, 3, "missing", "Y")


def test_rows_of_one_table_share_a_block_and_heads_are_marked() -> None:
    table = (
        '<table class="style_table"><thead><tr><td>名前</td><td>枚数</td></tr></thead>'
        "<tbody><tr><td>一<br />二</td><td></td></tr></tbody></table>"
    )
    rows = [p for p in page(table * 2).passages if p.kind == "row"]
    assert [row.text for row in rows] == ["名前\t枚数", "一\n二\t"] * 2
    assert [row.head for row in rows] == [True, False] * 2
    assert rows[0].block == rows[1].block != rows[2].block == rows[3].block


def test_a_nested_list_hangs_under_its_item() -> None:
    body = "<ul><li>一<br />\n続き<ol><li>甲</li><li>乙</li></ol></li></ul><ul><li>二</li></ul>"
    passages = page(body).passages[1:]
    assert [(p.text, p.depth, p.ordinal, p.parent) for p in passages] == [
        ("一\n続き", 1, None, None),
        ("甲", 2, 1, 1),
        ("乙", 2, 2, 1),
        ("二", 1, None, None),
    ]


def test_a_definition_hangs_under_its_entry() -> None:
    passages = page("<dl><dt>用語</dt><dd>説明</dd><dd>続き</dd></dl>").passages[1:]
    assert [(p.kind, p.parent) for p in passages] == [("entry", None), ("gloss", 1), ("gloss", 1)]


def test_preformatted_text_keeps_its_lines() -> None:
    assert (
        page("<pre>（１）：引く。\n  二行目</pre>").passages[1].text == "（１）：引く。\n  二行目"
    )


@pytest.mark.parametrize(
    ("title", "head", "body", "view"),
    [
        ("X の編集", ROBOTS, "", "edit form"),
        ("X の履歴ソース(No.4)", ROBOTS, "", "backup"),
        ("有効なWikiNameではありません", ROBOTS, "", "invalid name"),
        ("X", "", '<div class="edit_form"><form></form></div>', "view"),
        ("X", "", "<h3>Runtime error</h3>", "error"),
    ],
)
def test_views_that_are_no_articles(title: str, head: str, body: str, view: str) -> None:
    read = page(body, title=title, head=head)
    assert read.name == "" and not read.passages
    assert list(read.left_out) == [f"not an article: {view}"]
