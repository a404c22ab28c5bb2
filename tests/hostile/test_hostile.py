"""Nothing that a page holds makes a parser raise, and nothing of it is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scraper import Hints, Page, Snapshot, read_pages
from tests.conftest import SAMPLE
from tests.timing import grows_linearly

PAGES = {path: path.read_bytes() for path in sorted(SAMPLE.rglob("*.html"))}
TEXTS = {path: path.read_bytes() for path in sorted(SAMPLE.rglob("*.txt"))}
URLS = ("", "http://mtgwiki.com/wiki/X", "https://yugioh-wiki.net/index.php?X",
        "http://whisper.wisdom-guild.net/cr/r/1", "https://example.org/[", "::")  # fmt: skip


def read(data: bytes, url: str = "", content_type: str = "") -> list[Page]:
    pages, _ = read_pages(Snapshot("test", data, url, content_type))
    for page in pages:
        check(page)
    return pages


def check(page: Page) -> None:
    """What must hold of every page, whatever it was made from."""
    assert page.lost == 0, (page.chars, page.kept, page.left_out)
    assert all(number > 0 for number in page.left_out.values())
    for place, passage in enumerate(page.passages):
        assert 0 <= passage.section < len(page.sections)
        assert passage.parent is None or passage.parent < place
        for link in passage.links:
            assert 0 <= link.start < link.end <= len(passage.text)
        for ruby in passage.ruby:
            assert 0 <= ruby.start < ruby.end <= len(passage.text)
        for start, end in passage.strong:
            assert 0 <= start < end <= len(passage.text)


@given(st.binary(max_size=2000), st.sampled_from(URLS))
def test_any_bytes(data: bytes, url: str) -> None:
    read(data, url)


@given(st.text(max_size=2000), st.sampled_from(URLS))
def test_any_text(text: str, url: str) -> None:
    read(text.encode("utf-8", "surrogatepass"), url)


_TAGS = (
    "<p> </p> <ul> <ol> <li> </li> </ul> </ol> <dl><dt> <dd> </dl> <table> <tr> <td> <th> </td> "
    "</tr> </table> <thead> <pre> </pre> <h2> </h2> <h3> </h3> <br/> <ruby> <rb> <rt> </rt> "
    "</ruby> <b> </b> <blockquote> </blockquote> <div> </div> <!--x--> &amp; &#9829; <h2><span><b>"
)
_PIECES = [
    *_TAGS.split(), "カード", "引く", "\n", '<a href="/wiki/引く">', "</a>",
    '<span class="noexists">', "</span>", '<div id="body">', '<div id="note">',
    '<h1 id="firstHeading">', '<div id="bodyContent">', '<div class="jumpmenu">x</div>',
    '<a href="#a" class="note_super">*1</a>',
]  # fmt: skip
MARKUP = st.lists(st.sampled_from(_PIECES), max_size=60).map("".join)
FRAMES = (
    '<html><body><h1 class="title"><a href="?X">X</a></h1><div id="navigator">n</div>'
    '<div id="body">{}</div>PukiWiki</body></html>',
    '<html><body><h1 id="firstHeading">X</h1><div id="bodyContent">{}</div></body></html>',
    "<html><title>総合ルールビューア</title><body>総合ルールビューア<p>{}</p>© x</body></html>",
)


@given(MARKUP, st.sampled_from(FRAMES))
@example("<table><tr><td>a<table><tr><td>b</td></tr></table>c</td></tr></table>", FRAMES[0])
@example("<ul><li><b>カード</li><li>引く</b></li></ul>", FRAMES[1])
def test_any_markup(markup: str, frame: str) -> None:
    read(frame.format(markup).encode())


def test_a_second_root_element() -> None:
    """What a broken tag lets stand beside the root is part of the document too."""
    page = '<html xmlns=">\n<head>\n<meta name="a">' + FRAMES[0].format("カードを引く。")
    (read_,) = read(page.encode())
    assert "カードを引く。" in [passage.text for passage in read_.passages]


@given(st.sampled_from(sorted(PAGES)), st.data())
def test_mutated_pages(path: Path, data: st.DataObject) -> None:
    """A real page cut short, with a piece taken out, or with a piece twice."""
    page = PAGES[path]
    start = data.draw(st.integers(0, len(page)))
    end = data.draw(st.integers(start, len(page)))
    how = data.draw(st.sampled_from(("cut", "out", "twice")))
    before, after = page[:start], page[end:]
    read({"cut": page[:end], "out": before + after, "twice": page[:end] + page[start:]}[how])


@pytest.mark.slow
@given(st.sampled_from(sorted(TEXTS)), st.data())
def test_mutated_rulebooks(path: Path, data: st.DataObject) -> None:
    text = TEXTS[path]
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    read(text[:start] + text[end:])


@pytest.mark.slow
@pytest.mark.parametrize("tag", ["div", "ul><li", "table><tr><td", "b", "blockquote"])
def test_nested_beyond_measure(tag: str) -> None:
    deep = f"<{tag}>" * 10_000 + "底" + "あ" * 5000
    for frame in FRAMES:
        pages = read(frame.format(deep).encode())
        assert "底" in "".join(p.text for page in pages for p in page.passages)


def test_what_is_nested_too_deep_spoils_nothing_else() -> None:
    """The page keeps its headings, lists, tables and links, before and behind what is too deep."""
    body = (
        '<h2>規則{0}</h2><ul><li><a href="/wiki/乙">乙</a>を引く{0}</ul>'
        "<table><tr><td>甲{0}<td>丙</table>"
    )
    deep = body.format(1) + "<b>" * 10_000 + "底" + "</b>" * 10_000 + body.format(2)
    (page,) = read(FRAMES[1].format(deep).encode())
    kept = [(p.kind, p.text, [link.target for link in p.links]) for p in page.passages]
    for n in (1, 2):
        assert ("heading", f"規則{n}", []) in kept and ("item", f"乙を引く{n}", ["乙"]) in kept
        assert any(kind == "row" and text.startswith(f"甲{n}") for kind, text, _ in kept)
    assert page.lost == 0


@pytest.mark.parametrize("unit", ["<!--", "<![CDATA[", "<?", "<!", "<p>", "</p>", "&", "<a "])
def test_too_deep_takes_linear_time(unit: str) -> None:
    deep = "<b>" * 600
    assert grows_linearly(
        lambda size: read(FRAMES[1].format(deep + unit * (size // len(unit))).encode()), 40_000
    )


def test_entities_are_inert() -> None:
    bomb = '<!DOCTYPE html [<!ENTITY a "x"><!ENTITY b "&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>'
    pages = read((bomb + FRAMES[1].format("<p>&b;&c;")).encode())
    text = "".join(p.text for page in pages for p in page.passages)
    assert "root:" not in text and "xxx" not in text


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["カード", "引く。", "<p>引く</p>", "<li>", "[", "rule 1.", "（"])
def test_time_grows_linearly(unit: str) -> None:
    assert grows_linearly(
        lambda size: read(FRAMES[1].format(unit * (size // len(unit))).encode()), 300_000
    )


MILLIONS = 20_000_000
LINES = {
    "pukiwiki.html": FRAMES[0],
    "mediawiki.html": FRAMES[1],
    "viewer.html": "<html><title>総合ルールビューア</title><body>{}</body></html>",
    "card.html": '<html><body><div class="wg-whisper-card-detail"><table><tr><td>{}'
    "</td></tr></table></div></body></html>",
    "引く.wiki": "{}",
    "pukiwiki.txt": "*引く [#top]\n-[[ドロー]]{}",
    "rulebook.txt": "1.1. {}",
    "namelist.csv": "森,Forest\n{},Forest",
    "mtgwiki.txt": "{}",
}


@pytest.mark.slow
@pytest.mark.parametrize("where", LINES)
def test_twenty_megabytes_in_one_line(where: str) -> None:
    line = "カードを引く。" * (MILLIONS // 21)
    data = LINES[where].format(line).encode()
    url = "http://mtgwiki.com/index.php?title=X&action=raw" if where.endswith(".wiki") else ""
    site = where.partition(".")[0] if where.endswith((".txt", ".csv")) else None
    [page], _ = read_pages(Snapshot(where, data, url, hints=Hints(site=site)))
    assert page.lost == 0
    assert where.endswith(".csv") or page.kept >= len(line)  # as a list it names nothing


@pytest.mark.parametrize("inside", ["<b>引く</b>", "<ruby>引<rt>ひ</rt></ruby>く"])
@pytest.mark.parametrize(
    "around", ["総合ルールビューア{}", "<p>121.1<p>{}", "総合ルールビューア {}。"]
)
def test_what_stands_in_a_viewers_text_stays_where_it_is(around: str, inside: str) -> None:
    """The title and the numbers of the rules viewer are taken from the texts behind them."""
    [page] = read(FRAMES[2].format(around.format(inside)).encode(), URLS[3])
    [passage] = [one for one in page.passages if "引く" in one.text]
    spans = [*passage.strong, *((ruby.start, ruby.end) for ruby in passage.ruby)]
    assert [passage.text[start:end] for start, end in spans] in (["引く"], ["引"])


def test_an_empty_second_root_is_no_content() -> None:
    """Here libxml2 puts all text into the head of one `html`, and an empty body into another."""
    page = (
        "<!DOCTYPE html><html><head><title>総合ルールビューア</title><iv id=x>"
        "<div>カードを引く。</div><script>1</script></head><body></body></html>"
    )
    assert len(page) > 100
    for cut in range(40, len(page)):
        document = (page[:40] + page[cut:]).encode()
        texts = [passage.text for one in read(document) for passage in one.passages]
        assert "".join(texts) in page, cut
