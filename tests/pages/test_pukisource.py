"""PukiWiki source text, read into what PukiWiki would have served."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scraper import Hints, Page, Passage, Snapshot, read_pages
from scraper.markup.html_walk import parse
from scraper.page import text_size
from scraper.sites import pukiwiki_source
from scraper.sources.charset import decode
from tests.hostile.test_hostile import check
from tests.pages.test_golden import marked
from tests.rulebooks import base_of, described
from tests.timing import grows_linearly

URL = "https://yugioh-wiki.net/index.php?A/B"


def page(source: str, url: str = URL) -> Page:
    [read] = pukiwiki_source.read(Snapshot("test", b"", url), source)
    check(read)
    assert read.chars == text_size(source) + text_size(read.name)
    for passage in read.passages:
        for start, end in passage.strong:
            assert 0 <= start < end <= len(passage.text)
    return read


def body(source: str) -> tuple[Passage, ...]:
    """The passages but for the title."""
    read = page(source)
    assert read.passages[0].kind == "title" and read.passages[0].text == read.name
    return read.passages[1:]


def shown(source: str) -> list[str]:
    """Each passage as its kind, its depth and its number, and its marked text."""
    return [
        f"{p.kind} {p.depth}{f' {p.ordinal}.' if p.ordinal else ''} {marked(p)}"
        for p in body(source)
    ]


BLOCKS = {
    "　引く。~\n　引いた。~\n続き。": ["paragraph 0 引く。⏎　引いた。⏎続き。"],
    "引く\n続き\nab\ncd\n\n次": ["paragraph 0 引く続きab cd", "paragraph 0 次"],
    "~一\n~二\n三": ["paragraph 0 一", "paragraph 0 二三"],
    "前\n~": ["paragraph 0 前"],
    "-一\n--二\n---三\n----\n-四": ["item 1 一", "item 2 二", "item 3 三", "item 1 四"],
    "-一~\n続き\n-二": ["item 1 一⏎続き", "item 1 二"],
    "+一\n+二\n++三\n+四": ["item 1 1. 一", "item 1 2. 二", "item 2 1. 三", "item 1 3. 四"],
    "+一\n\n+二\n-三": ["item 1 1. 一", "item 1 1. 二", "item 1 三"],
    "--一": ["item 1 一"],
    ":語|意味\n:次|意": ["entry 1 語", "gloss 1 意味", "entry 1 次", "gloss 1 意"],
    ":Draw|Put the top card\nof your library~\ninto 手に\n入れる\n:次|意": [
        "entry 1 Draw", "gloss 1 Put the top card of your library⏎into 手に入れる", "entry 1 次",
        "gloss 1 意"],
    ":語|\n意味\n-一\n::次|~意\n味": [
        "entry 1 語", "gloss 1 意味", "item 1 一", "entry 2 次", "gloss 2 意味"],
    ":語": ["paragraph 0 :語"],
    ">引用\n>続き\n\n外": ["quote 0 引用", "quote 0 続き", "paragraph 0 外"],
    ">一\n>>二\n<<三\n<四": ["quote 0 一", "quote 0 二", "quote 0 三", "paragraph 0 四"],
    " 一 [[二]]\n  三": ["pre 0 一 [[二]]⏎ 三"],
    "|名|~値|\n|CENTER:BGCOLOR(#fff):一|SIZE(9):二|": ["row 0 名⇥値", "row 0 一⇥二"],
    "|20|LEFT:|c\n|終|わ|f\n|見|出|h\n|一|二|": ["row 0 見⇥出", "row 0 終⇥わ", "row 0 一⇥二"],
    "|>|広い|\n|高い|い|\n|~|ろ|": ["row 0 広い", "row 0 高い⇥い", "row 0 ろ"],
    "|開いた": ["paragraph 0 |開いた"],
    ',一,"二,三",=="\n,a,b,c': ["row 0 一⇥二,三⇥==\"", "row 0 a⇥b⇥c"],
    "前\n//黙\n後": ["paragraph 0 前後"],
    "CENTER:中\n続き": ["paragraph 0 中続き"],
    "LEFT:\n|左|": ["row 0 左"],
    "#contents\n#region(隠す)\n中\n#endregion\n#author(\"x\")\n#freeze\n#br\n#何か(1)\n#x(1)": [
        "paragraph 0 中", "paragraph 0 #何か(1)"],
    "#fold(題){{\n-中\n}}\n後": ["item 1 中", "paragraph 0 後"],
    "-一\n#ref(a.png)\n-二": ["item 1 一", "item 1 二"],
    "本文((注[[語]]))。((二))": [
        "paragraph 0 本文。", "footnote 0 注[語|page|語]", "footnote 0 二"],
    "a(((b)))": ["paragraph 0 a)", "footnote 0 (b"],
}  # fmt: skip


@pytest.mark.parametrize("source", BLOCKS)
def test_blocks(source: str) -> None:
    assert shown(source) == BLOCKS[source]


INLINE = {
    "[[引く]]と[[使う>カード]]": "[引く|page|引く]と[使う|page|カード]",
    "[[使う>カード#top]][[語#faq]]": "[使う|page|カード#top][語#faq|page|語#faq]",
    "[[上>#top]]": "[上|anchor|A/B#top]",
    "[[./c]] [[../d]] [[/e]]": "[./c|page|A/B/c] [../d|page|A/d] [/e|page|e]",
    "[[公式:https://a.jp/b?c=1]]": "[公式|external|https://a.jp/b?c=1]",
    "[[公式>https://a.jp/]]。": "[公式|external|https://a.jp/]。",
    "見よhttp://a.jp/b。": "見よ[http://a.jp/b|external|http://a.jp/b]。",
    "[[百科>:wp:語]] [[wp:語]]": "[百科|external|wp:語] [wp:語|external|wp:語]",
    "[[[語]]]、[[[[語]]]]": "[[語|page|語]]、[[[語|page|語]]]",
    "[[A->b]]と[[ 空 ]]と[[開": "[A-|page|b]と[[ 空 ]]と[[開",
    "''太い[[語]]''と'''斜'''と%%消%%": "*太い[語*|page|語]と斜と消",
    "''開いたまま、5%%": "''開いたまま、5%%",
    "[[''太''い>語]]": "[*太*い|page|語]",
    "&ruby(ひ){引};く": "{引|ひ}く",
    "[[&ruby(ひ){引};く>引く]]": "[{引|ひ}く|page|引く]",
    "上&br;下&br();": "上⏎下",
    "&size(9){小&color(red){赤[[語]]};};大": "小赤[語|page|語]大",
    "COLOR(red){赤}SIZE(9):小": "赤小",
    "&aname(x);&counter;&new{今};": "今",
    "&#9829;&hearts;&#x2665;&amp;&nothing;": "♥♥♥&&nothing;",
    "WikiName AT&T R&D;": "WikiName AT&T R&D;",
}


@pytest.mark.parametrize("source", INLINE)
def test_inline(source: str) -> None:
    [passage] = body("x" + source)
    assert marked(passage) == "x" + INLINE[source]


def test_headings_and_sections() -> None:
    read = page("前書き\n*&ruby(ひ){引};く [#top]\n本文\n**細目 [#x1]\n***[[語]]\n-項\n*次")
    assert [(s.title, s.level, s.anchor, s.parent) for s in read.sections[1:]] == [
        ("引く", 2, "top", None),
        ("細目", 3, "x1", 1),
        ("語", 4, "", 2),
        ("次", 2, "", None),
    ]
    assert [p.section for p in read.passages] == [0, 0, 1, 1, 2, 3, 3, 4]
    assert read.left_out["anchor mark"] == 11


def test_heading_rows_and_parents() -> None:
    rows = body("|見|出|h\n|~一|~二|\n|一|二|")
    assert [row.head for row in rows] == [True, True, False]
    items = page("-一\n--二\n---三\n--四\n:語|意").passages
    assert [p.parent for p in items] == [None, None, 1, 2, 1, None, 5]


def test_every_omission_has_its_reason() -> None:
    read = page(
        "#author(1)\n//b\n----\n|c|c\n|CENTER:>|a|\n&ruby(よ){読};~\n#x\n&ref(a);[[b>c]]((d))"
    )
    assert set(read.left_out) == {
        "author line",
        "comment",
        "rule",
        "column style",
        "joined cell",
        "style mark",
        "markup",
        "reading (kept with its word)",
        "line break",
        "plugin",
        "picture",
        "link target",
    }


@pytest.mark.parametrize(
    ("where", "url", "name"),
    [
        ("wiki/BBC8A4A6.txt", "", "使う"),
        ("wiki/E4BDBFE38186.txt", "", "使う"),
        ("a/使う.txt", "", "使う"),
        ("x.txt", "https://dm-wiki.com/?%BB%C8%A4%A6", "使う"),
        ("x.txt", "https://h.jp/?cmd=source&page=%E4%BD%BF%E3%81%86", "使う"),
    ],
)
def test_names(where: str, url: str, name: str) -> None:
    assert pukiwiki_source.name_of(Snapshot(where, b"", url)) == name


def test_a_page_of_a_second_wiki_is_called_as_it_calls_itself(tmp_path: Path) -> None:
    source = "*通常のドロー [#top]\nターンの初めにカードを引くこと。~\n"
    read = page(source, "https://yugioh-wiki.net/rush/?通常のドロー")
    assert (read.name, read.title) == ("rush/通常のドロー", "通常のドロー")
    url = "https://yugioh-wiki.net/rush/?cmd=source&page=通常のドロー"
    described(tmp_path, {"a.txt": source}, url=url)
    with base_of([tmp_path], tmp_path / "kb.db") as base:
        [term] = base.terms().terms
    assert {term.label, *(label.text for label in term.labels)} == {"通常のドロー"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ただの文章。\n二行目。",
        "== 見出し ==\n* [[語]]\n* [[語>b]]",
        "{{カ}}\n-[[a]]\n*b [#top]",
        "<html><body>-[[a]]</body></html>",
        "100.1. 規則\n100.2. 規則",
        "- 項\n- 項\n**強**",
    ],
)
def test_other_texts_are_not_recognised(text: str) -> None:
    assert not pukiwiki_source.recognises(text, "")


_SIGNS = (
    '* ** *** - -- --- + ++ : | || |h |c |f > >> < << , " == # #x( #x{{ }} '
    "// ---- ~ [[ ]] [[a>b]] (( )) "
    "'' ''' %% %%% &br; &ruby(a){ }; "
    "&size(1){ ) ( { } COLOR(a){ SIZE(1): CENTER: "
    "http://a.jp &#9829; &#11; "
    "[#abc] 引く カード a \u3000 \x00 \x0b \x85 \ud800 \uffff"
).split(" ")
SOURCE = st.lists(st.sampled_from([*_SIGNS, "\n", "\n", " ", "\r\n"]), max_size=60).map("".join)


@given(SOURCE)
@example("[[&ruby(a){b};>c]]")
@example("|~|\n|~|h\n|>|")
def test_any_source(source: str) -> None:
    page(source)


@given(st.text(max_size=500), st.sampled_from((URL, "", "::", "https://yugioh-wiki.net/rush/?A")))
def test_any_text(text: str, url: str) -> None:
    page(text, url)
    pukiwiki_source.recognises(text, url)


@pytest.mark.parametrize(
    "unit",
    [
        "[[",
        "[[a>",
        "((",
        "((a))",
        "&x(",
        "&x{",
        "&x(a){",
        "''",
        "'",
        "'''a''",
        "%%a",
        "COLOR(",
        "COLOR(a){",
        "[[a>b&]]",
        ':"a,',
        ',"a',
        ',"""a',
        "http://",
        "[#a",
        "-\n>\n",
        ">\n-a\n",
        "<\n",
        "|~",
        "|~|a|\n",
        "#x{{\n",
        "*a\n",
        "~\n",
        "&#9829;",
        "[[x:",
        "a@",
        "}",
    ],
)
def test_time_grows_linearly(unit: str) -> None:
    def work(text_size: int) -> None:
        source = "," * unit.startswith(",") + unit * (text_size // len(unit))
        page(source)
        pukiwiki_source.recognises(source, "")

    assert grows_linearly(work, 20_000)


def test_views_without_a_source_give_no_page() -> None:
    root = parse("<html><body><p>a</p></body></html>").root
    assert pukiwiki_source.from_view(Snapshot("v", b""), "", root) == []


@pytest.mark.shared
@pytest.mark.parametrize("wiki", ["puki147euc", "puki154utf"])
@pytest.mark.parametrize("view", ["cmd_source.html", "cmd_backup-age1-source.html"])
def test_views(shared: Path, wiki: str, view: str) -> None:
    data = (shared / "pages" / wiki / "dm" / view).read_bytes()
    text = decode(data, None).text
    url = "https://dm-wiki.com/?cmd=source&page=%BB%C8%A4%A6"
    [read] = pukiwiki_source.from_view(Snapshot(view, data, url), text, parse(text).root)
    check(read)
    assert (read.name, read.old, read.via) == ("使う", "backup" in view, "backup" not in view)
    assert [s.title for s in read.sections[1:3]] == ["使う（キーワード処理）", "手順"]


@pytest.mark.parametrize("text", ["{{札}}", "{|\n|札\n|}", "札の<link>タグ", "札の<p>あ</p>"])
def test_what_looks_like_another_format_is_source_in_a_file_of_a_page(text: str) -> None:
    for hints in (Hints(), Hints(site="pukiwiki")):
        [page], _ = read_pages(Snapshot("wiki/58.txt", text.encode(), hints=hints))
        assert (page.name, page.form) == ("X", "pukiwiki source")
        assert "札" in page.passages[-1].text
