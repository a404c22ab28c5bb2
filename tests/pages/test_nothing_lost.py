"""No page is dropped or raises, and the text of its bytes is counted as by another program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kb
from benchmarks.raw_text import html_text_size, raw_text_size
from kb.building import page_reader
from scraper import Hints, Page, Snapshot, detect_format, read_pages
from scraper.markup.html_walk import count_text, parse
from scraper.markup.size_limits import deep_tree
from tests.captured import captured
from tests.conftest import SAMPLE, SHARED
from tests.edits import contents
from tests.webs import mediawiki

MEDIAWIKI = '<html><h1 id="firstHeading">{}</h1><div id="bodyContent">{}</div></html>'
PUKIWIKI = (
    '<html><body><h1 class="title">{}</h1><div id="navigator">n</div>'
    '<div id="body">{}</div>PukiWiki</body></html>'
)


def read(
    text: str | bytes, where: str = "枠.html", url: str = "", **hints: str
) -> tuple[list[Page], list[str]]:
    """The pages and warnings of a document, after its text was counted in two ways."""
    data = text if isinstance(text, bytes) else text.encode()
    pages, warnings = read_pages(Snapshot(where, data, url, hints=Hints(**hints)))  # type: ignore[arg-type]
    if pages:
        names = tuple(page.name for page in pages)
        assert sum(page.chars for page in pages) == raw_text_size(data, "", pages[0].form, names)
        assert not any(page.lost for page in pages)
    return pages, [warning.what for warning in warnings]


def text_of(pages: list[Page]) -> str:
    return "\n".join(passage.text for page in pages for passage in page.passages)


# -- pages without a name ---------------------------------------------------------------------
UNNAMED = {
    "mediawiki.html": MEDIAWIKI.format("", "<p>カードを引く。"),
    "pukiwiki.html": PUKIWIKI.format("", "<p>カードを引く。"),
    "answer.json": '{"parse": {"title": "", "text": {"*": "<p>カードを引く。"}}}',
    "untitled.json": '{"parse": {"wikitext": "カードを引く。"}}',
    "query.json": '{"query": {"pages": [{"revisions": [{"content": "カードを引く。"}]}]}}',
    "answer.xml": '<api><parse title=""><text>&lt;p>カードを引く。</text></parse></api>',
    "export.xml": "<mediawiki><page><title/><revision><text>カードを引く。</text></revision></page>"
    "</mediawiki>",
}


@pytest.mark.parametrize("where", UNNAMED)
def test_page_without_a_name_is_named_after_its_place(where: str) -> None:
    pages, warnings = read(UNNAMED[where], f"folder/{where}")
    assert [page.name for page in pages] == [where.partition(".")[0]]
    assert "カードを引く。" in text_of(pages)
    assert any(warning.startswith("a page without a name") for warning in warnings)


def test_pages_without_names_in_one_document_have_names_of_their_own() -> None:
    revisions = [{"revisions": [{"content": f"{n}枚引く。"}]} for n in range(3)]
    pages, warnings = read(json.dumps({"query": {"pages": revisions}}), "a.json")
    assert [page.name for page in pages] == ["a", "a 2", "a 3"]
    assert len(warnings) == 3


def test_a_view_that_is_no_article_stays_without_a_name() -> None:
    form = PUKIWIKI.format("", '<form class="edit_form">x</form>')
    [page], warnings = read("<title>Xの編集</title>" + form)
    assert page.name == "" and list(page.left_out) == ["not an article: edit form"]
    assert not [warning for warning in warnings if "name" in warning]


def unnamed_files(folder: Path, *names: str) -> list[Path]:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        text = MEDIAWIKI.format("", f"<p>{name}を引く。")
        (folder / name).write_text(text, "utf-8")
    return [folder / name for name in names]


def page_names(base: Path) -> dict[str, str]:
    """The text of each page, by its id."""
    with kb.open(base) as opened:
        pages = [node.id for node in opened.nodes("page")]
        return {
            page: "".join(node.text or "" for node in opened.parts(page) if node.kind == "passage")
            for page in pages
        }


def test_pages_without_names_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    folder, base = tmp_path / "x", tmp_path / "x.db"
    unnamed_files(folder, "a/x.html", "a/y.html")
    result = kb.build([folder], kb=base)
    assert sorted(page_names(base)) == ["mediawiki/x", "mediawiki/y"]
    assert not [w.what for w in result.warnings if "also called" in w.what]  # each keeps its name
    unnamed_files(folder, "b/x.html", "c/b/x.html")
    (folder / "c" / "y.html").write_text(MEDIAWIKI.format("y", "<p>名のあるyを引く。"), "utf-8")
    result = kb.build([folder], kb=base)
    names = [f"mediawiki/{name}" for name in ("a/y", "c/b/x", "x/a/x", "x/b/x", "y")]
    assert sorted(page_names(base)) == names
    assert all(f"{name}.htmlを引く" in text for name, text in [
        ("a/y", page_names(base)["mediawiki/a/y"]), ("c/b/x", page_names(base)["mediawiki/c/b/x"]),
    ])  # fmt: skip
    told = [w.what for w in result.warnings if "other pages are also called" in w.what]
    assert len(told) == 4 and not [w for w in result.warnings if "as does" in w.what]
    for change in (
        lambda: (folder / "b" / "x.html").unlink(),
        lambda: (folder / "c" / "y.html").unlink(),
        lambda: (folder / "b" / "x.html").write_text(MEDIAWIKI.format("a/x", "<p>新。"), "utf-8"),
    ):
        change()
        kb.build([folder], kb=base, replace=True)
        kb.build([folder], kb=tmp_path / "new.db", replace=True)
        assert sorted(contents(base)) == sorted(contents(tmp_path / "new.db"))
        (tmp_path / "new.db").unlink()


# -- pages whose text is not where it should be -----------------------------------------------
@pytest.mark.parametrize(
    ("page", "is_told"),
    [
        ('<h1 id="firstHeading">引く</h1><div id="globalWrapper"><p>カードを引く。</div>', True),
        ('<h1 id="firstHeading">引く</h1><p>カードを引く。<div id="bodyContent"> </div>', True),
        ('<h1 class="title">引く</h1><p>カードを引く。<div id="note">\n</div>PukiWiki', True),
        ('<h1 class="title">引く</h1><div id="navigator">n</div>カードを引く。PukiWiki', True),
        (MEDIAWIKI.format("引く", "カードを引く。") + "<p>frame", False),
        (MEDIAWIKI.format("引く", ""), False),
        (PUKIWIKI.format("引く", "カードを引く。"), False),
    ],
)
def test_text_that_is_all_frame_is_told(page: str, is_told: bool) -> None:
    page = f"<html><body>{page}<script>wgPageName</script></body></html>"
    _, warnings = read(page, site="mediawiki" if "firstHeading" in page else "pukiwiki")
    told = [w for w in warnings if "characters are left out as page frame" in w]
    assert bool(told) == is_told, warnings


# -- names that read like parts of other pages -----------------------------------------------
DUMP = (
    '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/"><siteinfo><base>'
    "http://mtgwiki.com/wiki/X</base></siteinfo>{}</mediawiki>"
)
DUMPED = (
    "<page><title>{}</title><ns>0</ns><id>1</id><revision><id>1</id><text>{}</text></revision>"
    "</page>"
)
PARTS = (
    "甲。カードを引く場合、ライフを失う。\n\nQ: 引くか？\n\nA: 引く。\n#見る。\n#引く。\n"
    "== ルール{} ==\n乙。"
)


@pytest.mark.parametrize(
    "name",
    ["引く¶1", "引く¶2", "引く#ルール", "引く#ルール¶1", "引く?1", "引く~1", "引く!1", "引く!1.1"],
)
def test_a_page_whose_name_reads_like_a_part_of_another(name: str, tmp_path: Path) -> None:
    section = name.removeprefix("引く")
    pages = [("引く", PARTS.format(section) + f"[[{name}]]"), (name, "丙。\n\n丁。")]
    (tmp_path / "d.xml").write_text(DUMP.format("".join(DUMPED.format(*p) for p in pages)), "utf-8")
    report = kb.build(tmp_path / "d.xml", tmp_path / "x.db")
    assert any("reads like the id of a part" in warning.what for warning in report.warnings)
    with kb.open(tmp_path / "x.db") as base:
        audit = base.audit(deep=True)
        assert (audit.lost, list(audit.damage or ())) == (0, [])
        assert base.show(name).matches[0].kind == "page"
        base.export(tmp_path / "x.jsonl")
    written = (tmp_path / "x.jsonl").read_text("utf-8")
    assert all(f"{sign}。" in written for sign in "甲乙丙丁")


# -- characters that are none -----------------------------------------------------------------
@pytest.mark.parametrize(
    ("where", "text", "count"),
    [
        ("a.html", MEDIAWIKI.format("a", "<p>引&#xD800;く&#xDFFF;&#0;"), 3),
        ("a.html", PUKIWIKI.format("a\0", "<p>引\0く"), 2),
        ("a.json", '{"parse": {"title": "a\\ud800", "text": "<p>引く\\udc00\\u0000</p>"}}', 2),
        ("a.json", '{"parse": {"title": "a", "wikitext": "== \\ud800 ==\\n*\\ud801"}}', 2),
        ("a.csv", "en,ja\nForest,森\0\nIsland,島\nSwamp,沼\n", 1),
        (
            "a.xml",
            "<mediawiki><page><title>a</title><revision><text>引&#xD800;く</text></revision>"
            "</page></mediawiki>",
            1,
        ),
        ("a.xml", '<api><parse title="a"><text>引&#xD800;く&#57343;</text></parse></api>', 2),
    ],
)
def test_what_is_no_character_is_replaced_and_counted_once(
    where: str, text: str, count: int
) -> None:
    pages, warnings = read(text, where)
    assert text_of(pages).count("\ufffd") == count
    assert [w for w in warnings if "U+FFFD" in w and w.startswith(f"{count} that")]
    json.dumps([page.name for page in pages] + [text_of(pages)], ensure_ascii=False).encode()


def test_surrogates_in_bytes() -> None:
    page = MEDIAWIKI.format("引く", "<p>引\udc00く\ud800、\ud842\udfb7る")
    pages, warnings = read(page.encode("utf-8", "surrogatepass"))
    assert text_of(pages) == "引く\n引\ufffdく\ufffd、𠮷る"
    assert warnings[:1] == ["halves of surrogate pairs, in place of which are U+FFFD: 2"]
    assert not [warning for warning in warnings[1:] if "U+FFFD" in warning]


@pytest.mark.parametrize(
    "charset",
    ["utf-7", "idna", "rot13", "unicode_escape", "zlib", "undefined", "punycode", "\0", "mbcs"],
)
def test_charsets_that_are_none(charset: str) -> None:
    page = f'<meta charset="{charset}">' + MEDIAWIKI.format("引く", "<p>+2AA-\\ud800")
    pages, _ = read(page.encode("cp932"))
    assert text_of(pages) == "引く\n+2AA-\\ud800"


# -- pages that raise -------------------------------------------------------------------------
@pytest.mark.parametrize("address", [
    "http://[x", "//[", "http://x:99999999/", "http://x:-1/", "::", "javascript:a", "http://\0",
    "http://x/?%zz", "?" + "a" * 10**5, "http://[::1", "#%ud800", "http://x/wiki/%ED%A0%80",
])  # fmt: skip
def test_any_address(address: str) -> None:
    link = f'<link rel="canonical" href="{address}"/>'
    body = f'<p>引く<a href="{address}">札</a><div class="printfooter"><a href="{address}">'
    for frame in (MEDIAWIKI, PUKIWIKI):
        for url in ("", address, "http://mtgwiki.com/wiki/X"):
            pages, _ = read(link + frame.format("名", body), url=url)
            assert "札" in text_of(pages)


@pytest.mark.parametrize("digits", ["9" * 5000, "²", "９" * 30, "٣", "9999-99-99", "Ⅷ", "0" * 5000])
def test_any_number(digits: str, tmp_path: Path) -> None:
    rules = "\n".join(f"{digits}{n}. 規則 {digits}\n{n}.{digits} 引く。rule {n}.{digits}a-{digits}b"
                      for n in range(1, 9))  # fmt: skip
    item = f"\n{digits}. 項目\n・{digits}年{digits}月{digits}日\n# 番号 (CR:{digits})\n"
    frame = MEDIAWIKI.format("名", f'<ol start="{digits}"><li value="{digits}">{item}</ol>')
    (tmp_path / "a.html").write_text(frame, "utf-8")
    assert len(read(rules, "rules.txt", site="rulebook")[0]) == 1
    (tmp_path / "capture.txt").write_text(f"引く\n提供:MTG Wiki\n{item}", "utf-8")
    result = kb.build([tmp_path], kb=tmp_path / "x.db")
    assert result.nodes["page"] == 2


@pytest.mark.parametrize("edition", ["abc", "", "9" * 5000, "9999-99-99", "²", "\ud800", "1.2.3.4"])
def test_any_edition_of_a_rulebook_with_a_glossary(edition: str) -> None:
    lines = [f"{n}.{m}. 規則。" for n in range(1, 4) for m in range(1, 5)]
    text = "\n".join([*lines, "用語集", "引く", "カードを手札に加えること。"])
    pages, _ = read(text, "rules.txt", site="rulebook", edition=edition, game="mtg", lang="ja")
    assert len(pages) == 1 and "手札" in text_of(pages)
    for page in pages:
        page_reader._extracted_page(page, Snapshot("a", b""), "0")


# -- what a page can hide ---------------------------------------------------------------------
@pytest.mark.parametrize(
    "markup",
    [
        "<!--",
        "<!-- x --",
        '<a title="',
        "<a title='<b>",
        "<b x=\"'><i y='",
        "</html>",
        "</body></html>",
        "</html><html><body>",
        "<title>",
        "<title>x</title><title>",
        "<noscript>",
        "<template>",
        "<option>",
        "<select><option>",
        "<iframe>",
        "<noframes>",
        "<frameset>",
        "<svg>",
        "<svg><title>x</title>",
        "<xmp>",
        "<plaintext>",
        "<textarea>",
        "<textarea><b>",
        "<![CDATA[",
        "<![CDATA[x]]>",
        "<?",
        "<!x",
        "\0",
        "<\0b>",
        "<p/ =>",
        "<script/>",
        "<script><!-- <script></script>",
        "<script>x</script>",
        "</",
        "</ x>",
        "<b" * 99,
        "<b>" * 3000,
        "<b>" * 3000 + "<!--",
        "<p title='" + "<b>" * 3000,
        "<div id=body>",
        "<table><tr>",
    ],
)
def test_markup_hides_no_text(markup: str) -> None:
    """Where a browser would show nothing of the rest, it is kept, or counted under a reason."""
    behind = ["<p>札</p></body></html>", '"札">', "<p>札", "<p title='x'>札</p>", "札 x", ""]
    for frame in (MEDIAWIKI, PUKIWIKI):
        rests = behind[:1] if len(markup) > 1000 else behind
        assert rests
        for rest in rests:
            pages, _ = read(frame.format("名", f"<p>引く</p>{markup}{rest}"))
            assert sum(page.chars for page in pages) >= len("名引く")


@pytest.mark.parametrize(
    "markup", ["<!--", "<!-- x --", '<a title="', "<b x=\"'><i y='", "<a b='x"]
)
def test_text_behind_markup_that_is_never_closed_is_kept(markup: str) -> None:
    pages, warnings = read(MEDIAWIKI.format("名", f"<p>引く</p>{markup}<p>札</p>"))
    assert "札" in text_of(pages)
    assert [warning for warning in warnings if "never closed" in warning]


def test_text_behind_the_end_of_the_document_keeps_its_structure() -> None:
    body = "<p>引く</html><h2>札</h2><ul><li>山札<li>捨て札</ul>"
    pages, _ = read(json.dumps({"parse": {"title": "名", "text": body}}), "a.json")
    kinds = [(passage.kind, passage.text) for passage in pages[0].passages]
    assert kinds == [("paragraph", "引く"), ("heading", "札"), ("item", "山札"), ("item", "捨て札")]


@pytest.mark.parametrize("frame", [MEDIAWIKI, PUKIWIKI], ids=["mediawiki", "pukiwiki"])
@pytest.mark.parametrize("end", ["</body></html>", "</body>", "</HTML >", "</html></body></html>"])
def test_the_end_of_a_document_in_an_article_ends_nothing(frame: str, end: str) -> None:
    """What is behind it stays where it was, as in browsers."""
    article = (
        "<p>引く|</p>山札|<ul><li>一|</li><li>二<ul><li>三|</li></ul></li></ul><div><b>太|字</b></div>"
        "<table><tr><th>甲|</th>|<td>乙</td></tr>|</table><h2>節|</h2><pre>前\n|後</pre>|末|"
    )
    places = [place for place, letter in enumerate(article) if letter == "|"]
    (whole,), warnings = read(frame.format("名", article.replace("|", "")))
    for place in [*places, -1]:
        pieces = (article[:place].replace("|", ""), article[place:].replace("|", ""))
        text = (article.replace("|", end) if place < 0 else end.join(pieces)) + "<!-- </body> -->"
        (page,), found = read(frame.format("名", text))
        assert (page.passages, page.sections) == (whole.passages, whole.sections)
        assert (page.left_out, found) == (whole.left_out, warnings)


@pytest.mark.parametrize(("end", "said"), [("", False), ("<p>末尾。</p>", True)])
def test_a_document_that_goes_on_behind_its_end_is_not_said_to_be_cut(end: str, said: bool) -> None:
    [page], warnings = read_pages(Snapshot("a.html", (mediawiki("引く", "引く。") + end).encode()))
    assert (
        page.whole
        and [one.what for one in warnings]
        == ["goes on behind </html>; what stands there is read, too"] * said
    )
    [cut], [warning] = read_pages(Snapshot("a.html", mediawiki("引く", "引く。")[:-7].encode()))
    assert not cut.whole and "truncated" in warning.what


def test_what_a_host_adds_behind_a_page_is_no_article() -> None:
    for frame in (MEDIAWIKI, PUKIWIKI):
        text = frame.format("名", "<p>引く</p>") + "<p>広告</p><script>'</body>'</script>"
        (page,), _ = read(text)
        assert text_of([page]).splitlines() == ["名", "引く"] and page.left_out["script"] == 9


_PIECES = [*(
    "a <b> </b> <p> <!-- --> --!> <!--> <script> </script> <title> </title> <textarea> </textarea> "
    '<xmp> <plaintext> <svg> <html> </html> <body> </body> <![CDATA[ ]]> <? <! > < </ " \' = =" / '
    "<a x=\" y='z' <br/> <script/> & &amp; &#x41; &#0; &#xD800; &copyb &nosuch; \0 \x01 \x0b 引く "
    "<DIV </Div> <table> <td> </title </style -- ! \ufeff <é> </>"
).split(" "), " ", "\n"]  # fmt: skip


@given(st.lists(st.sampled_from(_PIECES), max_size=30).map("".join))
def test_three_tokenizers_agree(markup: str) -> None:
    expected = html_text_size(markup)
    assert count_text(parse(markup).root) == expected
    assert count_text(deep_tree(markup.lstrip("\ufeff").replace("\0", "\ufffd"))) == expected


# -- counted twice ----------------------------------------------------------------------------
@pytest.mark.parametrize(
    "frame",
    [
        '<div id="contentSub">{note}</div>' + MEDIAWIKI,
        MEDIAWIKI + '<div id="contentSub">{note}</div>',
        '<div id="contentSub">{note}' + MEDIAWIKI + "</div>",
        MEDIAWIKI.replace("<h1", '<h1><p id="contentSub">{note}</p></h1><h1'),
    ],
)
def test_a_redirects_notice_is_counted_once(frame: str) -> None:
    note = '(<a href="/index.php?title=B&redirect=no">B</a>から転送)'
    pages, _ = read(
        frame.replace("{note}", note).format("A", "<p>引く"), url="http://mtgwiki.com/wiki/A"
    )
    assert all(number > 0 for page in pages for number in page.left_out.values())
    assert "引く" in text_of(pages)


@pytest.mark.parametrize(
    "place",
    [
        SAMPLE,
        pytest.param(SHARED / "pages", marks=pytest.mark.shared),
        pytest.param(SHARED / "seeds", marks=pytest.mark.shared),
    ],
)
def test_raw_text_of_real_pages(place: Path) -> None:
    read_ = 0
    for snapshot in captured(place):
        pages, _ = read_pages(snapshot)
        if pages and pages[0].form != "PDF":
            names = tuple(page.name for page in pages)
            size = raw_text_size(
                snapshot.open().read(), snapshot.content_type, pages[0].form, names
            )
            assert sum(page.chars for page in pages) == size, snapshot.where
            read_ += 1
    assert read_ > 4


# -- the last door ----------------------------------------------------------------------------
def test_what_a_parser_raises_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SANSHO_RAISE", raising=False)
    monkeypatch.setattr(detect_format, "_read_html", _raise)
    pages, warnings = read(MEDIAWIKI.format("名", "<p>カードを<b>引く</b>。<p>札"))
    assert [page.name for page in pages] == ["枠"]
    assert text_of(pages) == "名\nカードを引く。\n札"
    assert "could not be read (ZeroDivisionError: here); its text is kept as plain text" in warnings


def test_what_an_extractor_raises_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SANSHO_RAISE", raising=False)
    monkeypatch.setattr(page_reader, "extract", _raise)
    (tmp_path / "a.html").write_text(
        MEDIAWIKI.format("名", "<h2>札</h2><p>カードを引く。"), "utf-8"
    )
    result = kb.build([tmp_path], kb=tmp_path / "x.db", workers=1)
    assert [w.what for w in result.warnings if w.what.startswith("could not be read (Zero")]
    with kb.open(tmp_path / "x.db") as base:
        assert base.audit().lost == 0
        assert [hit.node.text for hit in base.search("引く").hits] == ["カードを引く。"]


def _raise(*_: object) -> None:
    raise ZeroDivisionError("here")
