"""Reading a rulebook: a chapter on a page, two languages, editions, marks; in a browser, too."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import kb
from kb.web.app import create_app
from kb.web.pages.reading import _chapters
from kb.web.term_marks import TermMarks, frequent_terms
from tests.explorer import PHONE, Visitor, barriers
from tests.rulebooks import build_books, rulebook

_BOOK = "game=mtg&edition=20231117"
_CHAPTER = f"/en/read?{_BOOK}&lang=en&chapter=7"


def _read(client: TestClient, address: str, status: int = 200) -> str:
    answer = client.get(address)
    assert answer.status_code == status, answer.text
    return answer.text


def test_a_chapter_is_on_one_page_with_all_its_texts(client: TestClient) -> None:
    page = _read(client, f"/en/read?{_BOOK}&lang=ja&chapter=1")
    base = kb.sample()
    sections = base.parts("mtg/cr/20231117/ja/1")
    for section in sections:
        assert f'<h2 id="r{section.number}">' in page
        for rule in base.parts(section):
            assert f'id="r{rule.number}"' in page
    assert page.count("<h1") == 1
    [before] = re.findall(r'rel="prev" href="([^"]+)"', page)
    assert "chapter=0" in before


def test_sections_follow_each_other_over_chapters(client: TestClient) -> None:
    numbers, address = [], f"/en/read?{_BOOK}&lang=en&chapter=100"
    while address:
        page = _read(client, address)
        numbers += re.findall(r'<h1 id="r([^"]+)"', page)
        address = "".join(re.findall(r'rel="next" href="([^"]+)"', page)).replace("&amp;", "&")
    base = kb.sample()
    chapters = [part for part in base.parts("mtg/cr/20231117") if part.lang == "en"]
    assert numbers == [each.number for chapter in chapters for each in base.parts(chapter)]


def test_a_rule_is_read_in_its_section(client: TestClient) -> None:
    page = _read(client, f"/en/read?{_BOOK}&lang=en&chapter=121.2a")
    assert '<h1 id="r121">' in page and 'id="r121.2a"' in page
    _read(client, f"/en/read?{_BOOK}&lang=en&chapter=999", 404)
    _read(client, f"/en/read?{_BOOK}&lang=en&beside=fr", 404)


def test_both_languages_stand_side_by_side(client: TestClient) -> None:
    page = _read(client, f"/en/read?{_BOOK}&lang=en&chapter=121&beside=ja")
    rule = page[page.index('id="r121.4"') : page.index('id="r121.5"')]
    text = re.sub(r"<[^>]+>", "", rule)
    assert "has run out of cards" in text and "残りが0枚の" in text


def test_the_edition_of_a_date_is_read_and_said(client: TestClient) -> None:
    page = _read(client, "/en/read?game=mtg&lang=ja&at=2024-01-31&chapter=121")
    assert "was in force as of <time>2024-01-31</time>" in page and "2023-11-17</time>" in page
    assert "nothing" not in _read(client, "/en/read?game=mtg&lang=ja&at=1999", 400)[:300]
    _read(client, "/en/read?game=mtg&lang=ja&at=yesterday", 400)


def test_terms_are_marked_as_chosen_and_citations_always(client: TestClient) -> None:
    def marks(choice: str) -> tuple[int, int, int]:
        page = _read(client, f"/en/read?{_BOOK}&lang=ja&chapter=121&marks={choice}")
        kinds = re.findall(r'<a class="(cites|name|mentions)( again)?(?: short)?"', page)
        first = sum(kind != "cites" and not again for kind, again in kinds)
        return sum(kind == "cites" for kind, _ in kinds), first, len(kinds) - first

    cited, off, _ = marks("off")
    _, quiet, _ = marks("quiet")
    still_cited, full, _ = marks("full")
    assert cited == still_cited > 0
    assert off == 0 < quiet < full
    _read(client, f"{_CHAPTER}&marks=loud", 400)


def test_everyday_words_are_no_terms(client: TestClient) -> None:
    page = _read(client, f"{_CHAPTER}&marks=full")
    words = {word.casefold() for word in re.findall(r'<a class="name"[^>]*>([^<]+)</a>', page)}
    assert words and not words & {"time", "instead", "created", "during", "name", "becomes"}


def test_a_term_of_every_other_rule_is_not_marked() -> None:
    link = kb.TextLink(0, 4, "x/term/card", "card", "mentions")
    rare = kb.TextLink(5, 9, "x/term/draw", "draw", "mentions")
    texts = [kb.LinkedText(str(n), None, "card draw", (link,)) for n in range(40)]
    texts.append(kb.LinkedText("40", None, "card draw", (link, rare)))
    assert frequent_terms(texts) == {"x/term/card"}
    assert not frequent_terms(texts[:20])
    marks = TermMarks("quiet", frequent_terms(texts))
    assert marks.kind(link) is None and marks.kind(rare) == "mentions"
    assert marks.kind(rare, "another section") == "mentions"
    assert marks.kind(rare, "a third") == "mentions"
    assert marks.kind(rare, "a fourth") == "mentions again"


def test_what_a_page_links_is_marked_as_what_is_found() -> None:
    marks = TermMarks("quiet")
    linked = kb.TextLink(0, 1, "mtg/term/引く", "引く", "links_to")
    assert marks.kind(linked) == "mentions" and marks.kind(linked) == "mentions again"
    page = kb.TextLink(0, 2, "mtgwiki/引く", "引く", "links_to")
    assert marks.kind(page) == marks.kind(page) == "links_to"
    assert TermMarks("off").kind(linked) is None


@pytest.mark.parametrize(
    "address",
    [
        f"/ja/read?{_BOOK}&lang=ja&chapter=121",
        "/ja/node/mtg/cr/20231117/ja/121",
        f"/ja/align?first=ja&second=en&{_BOOK}",
    ],
)
def test_one_word_in_eight_is_marked_at_most(client: TestClient, address: str) -> None:
    page = _read(client, address)
    texts = re.findall(r'<p class="text"[^>]*lang="ja"[^>]*>.*?</p>', page, re.S)
    texts = texts or re.findall(r'<p class="text"[^>]*>.*?</p>', page, re.S)
    marked = re.findall(
        r'<a class="(?:mentions|name|cites)(?: short)?"[^>]*>(.*?)</a>', "".join(texts)
    )
    words = re.sub(r"<[^>]+>|\s", "", "".join(texts))
    assert 0 < len("".join(marked)) < len(words) / 8


def test_headings_side_by_side_have_no_marks(client: TestClient) -> None:
    page = _read(client, f"/ja/align?first=ja&second=en&{_BOOK}&rule=121")
    heading = page[page.index('class="pair heading') :]
    assert 'class="mentions' not in heading[: heading.index("</article>")]


def test_rulebooks_without_chapters_are_read_by_hundreds() -> None:
    class Base:
        def parts(self, rule: kb.Node) -> list[kb.Node]:
            return []

    numbers = ("000", "001", "050", "100", "101", "300")
    rules = [
        kb.Node(f"x/cr/1/en/{number}", "rule", number=number, label="A Heading")
        for number in numbers
    ]
    found = _chapters(Base(), rules)  # type: ignore[arg-type]
    assert [[rule.number for rule in each.rules] for each in found] == [
        ["000", "001", "050"], ["100", "101"], ["300"],
    ]  # fmt: skip


def test_no_line_tears_a_date(client: TestClient) -> None:
    for lang in ("en", "ja"):
        for path in ("", "audit", "search?q=draw", "compare?ref=mtg/term/引く"):
            page = _read(client, f"/{lang}/{path}")
            whole = re.sub(
                r"<(time|title|option|textarea|pre)\b.*?</\1>|<[^>]*>", "", page, flags=re.S
            )
            assert not re.findall(r"\b\d{4}-\d\d-\d\d\b", whole), path
    style = (files("kb.web") / "static" / "sansho.css").read_text("utf-8")
    assert re.search(r"^time\b[^{]*\{ white-space: nowrap", style, re.M)


def test_examples_of_questions_are_answered(client: TestClient) -> None:
    for lang, none in (("en", "is no answer"), ("ja", "答えがありません")):
        listed = re.search(r'<ul class="asked".*?</ul>', _read(client, f"/{lang}/"), re.S)
        for address in re.findall(r'href="([^"]+)"', listed[0] if listed else ""):
            answered = _read(client, address.replace("&amp;", "&"))
            assert 'class="answer"' in answered and none not in answered


_HARBOUR = {
    "1": "Ships", "100": "General", "100.1": "A ship floats.",
    "2": "Keywords", "200": "Keyword Abilities", "200.1": "Anchor", "200.1a": "Anchor holds.",
    "200.2": "Sail", "200.2a": "A sail moves the ship. See rule 200.1a.",
}  # fmt: skip


def test_the_headings_in_a_section_are_its_contents(tmp_path: Path) -> None:
    build_books(tmp_path, {("20240101", "en"): rulebook(_HARBOUR)}).close()
    served = kb.ReopenedBase(next(tmp_path.rglob("*.db")))
    with TestClient(create_app(served, hosts=["testserver"])) as client:
        section = _read(client, "/en/read?game=harbour&chapter=200")
        assert re.findall(r'<h2 id="r([^"]+)"', section) == ["200.1", "200.2"]
        assert (
            '<a href="#r200.1">' in section and '<div class="rule indent0" id="r200.1a"' in section
        )
        chapter = _read(client, "/en/read?game=harbour&chapter=2")
        assert '<h3 id="r200.2">' in chapter and 'class="folded"' in chapter
    served.close()


def test_a_page_shows_what_is_nested_in_items(client: TestClient, base: kb.KnowledgeBase) -> None:
    parts = base.show("yugioh-wiki/ドロー", tree=True).contents["yugioh-wiki/ドロー"].parts
    items = [part for part in parts if part.set_as == "item"]
    page = _read(client, "/ja/node/yugioh-wiki/ドロー")
    article = page.partition("<article")[2].partition("</article>")[0]
    assert any(part.nested for part in items) and article.count("<li>") == len(items)


# -- in a browser

_LINES = """() => {
  const lengths = [];
  for (const text of document.querySelectorAll('.book .rule p.text')) {
    const range = document.createRange(), lines = new Map();
    const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode()); )
      for (let at = 0; at < node.length; at++) {
        range.setStart(node, at); range.setEnd(node, at + 1);
        const box = range.getBoundingClientRect(), line = Math.round(box.bottom / 8);
        if (box.width) lines.set(line, (lines.get(line) || 0) + 1);
      }
    lengths.push(...[...lines.values()].slice(0, -1));
  }
  return lengths.sort((a, b) => a - b);
}"""


@pytest.mark.slow
@pytest.mark.parametrize(("lang", "least", "most"), [("en", 60, 75), ("ja", 33, 42)])
def test_lines_are_as_long_as_one_reads_well(
    visit: Visitor, lang: str, least: int, most: int
) -> None:
    page = visit(f"/en/read?{_BOOK}&lang={lang}&chapter=1")
    lengths = page.evaluate(_LINES)
    assert least <= lengths[len(lengths) // 2] <= most


@pytest.mark.slow
def test_the_contents_follow_where_one_is(visit: Visitor) -> None:
    page = visit(_CHAPTER)
    current = page.locator(".toc [aria-current=true]")
    *_, last = numbers = page.locator(".toc a[href^='#r7'] .number").all_text_contents()
    for number in (last, numbers[0]):  # over all that is between, and back
        page.evaluate(
            "id => document.getElementById(id).scrollIntoView({behavior: 'instant'})", f"r{number}"
        )
        current.get_by_text(number, exact=True).wait_for()
    assert page.locator(".toc").bounding_box()["y"] >= 0  # it stays beside
    phone = visit(_CHAPTER, viewport=PHONE)
    link = phone.locator(".toc nav a").first
    assert not link.is_visible()
    phone.locator(".toc summary").click()
    assert link.is_visible()


@pytest.mark.slow
def test_marks_are_remembered(visit: Visitor) -> None:
    page = visit(_CHAPTER)
    page.locator(".settings summary").click()
    page.get_by_label("Marks of terms").select_option("off")
    assert not page.locator("a[href].name, a[href].mentions").count()
    visit.go(page, f"/en/read?{_BOOK}&lang=ja&chapter=1")
    assert page.locator("a[href].cites").count()
    assert page.locator("html").get_attribute("data-marks") == "off"
    page.locator(".settings summary").click()
    page.get_by_label("Marks of terms").select_option("full")
    assert page.locator("a[href].name, a[href].mentions").count()
    plain = visit(f"{_CHAPTER}&marks=off", java_script_enabled=False)
    assert not plain.locator("a.name").count()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1200])
def test_reading_has_no_barriers(visit: Visitor, width: int, scheme: str) -> None:
    options = {"viewport": {"width": width, "height": 740}, "color_scheme": scheme}
    page = visit("/ja/read", **options)
    for address in (
        "/ja/read",
        f"/ja/read?{_BOOK}&lang=ja&chapter=121&beside=en&marks=full",
        f"{_CHAPTER}&marks=quiet",
        f"/en/contents?{_BOOK}&lang=en",
    ):
        visit.go(page, address)
        assert not barriers(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("h1").bounding_box()["x"] >= 0
    page.locator(".menu").evaluate("menu => menu.open = true")
    assert page.get_by_role("navigation", name="Questions").is_visible()
    assert not barriers(page)
