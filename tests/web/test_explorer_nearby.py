"""What stands beside a text: previews of what links lead to, and what speaks of a rule."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from starlette.testclient import TestClient

import kb
from graphs.store.file.connection import ReadConnection
from tests.explorer import PHONE, Visitor, barriers
from tests.rulebooks import base_of, described, rulebook, write_books

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

_RULE = "mtg/cr/20231117/ja/121.4"
_MOST_QUERIES = 30  # of a preview: a term that no page defines looks for the rule headed so
_CARD = "#preview"

expect = pytest.importorskip("playwright.sync_api").expect


@contextmanager
def _counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Give the list in which the queries of all connections are noted."""
    asked: list[str] = []
    execute = ReadConnection.execute

    def counting(self: ReadConnection, sql: str, parameters: Any = (), /) -> Any:
        asked.append(sql)
        return execute(self, sql, parameters)

    with monkeypatch.context() as patched:
        patched.setattr(ReadConnection, "execute", counting)
        yield asked


# -- previews, over HTTP ------------------------------------------------------------------
def test_a_term_is_its_names_its_definition_and_two_references(client: TestClient) -> None:
    answer = client.get("/en/preview/mtg/term/引く")
    assert answer.headers["cache-control"] == "private, max-age=300"
    words = " ".join(re.sub(r"<[^>]+>", " ", answer.text).split())
    assert "Draw 引 （ ひ ） く" in words and "see 121" in words
    assert "made by Sudachi" in words  # as no page here gives the reading
    assert "引く · MTG Wiki" in client.get("/ja/preview/mtg/term/引く").text  # whose definition
    assert answer.text.count("<li>") == 2 and "/en/node/mtg/term/" in answer.text
    assert 'lang="ja" dir="auto">カードを引く' in client.get("/ja/preview/mtg/term/引く").text
    assert "<script" not in answer.text and len(answer.content) < 4_000


def test_a_rule_is_its_text_number_edition_and_language(client: TestClient) -> None:
    text = client.get(f"/ja/preview/{_RULE}").text
    assert "121.4" in text and "2023-11-17" in text and "日本語" in text
    assert "残りが0枚の" in text
    lines = client.get("/en/preview/mtg/cr/20231117/ja/121").text  # a heading alone
    assert "121.1" in lines and "121.3" in lines


def test_a_card_is_its_values_and_other_nodes_their_text(client: TestClient) -> None:
    text = client.get("/en/preview/ygo/card/灰流うらら").text
    assert "1800" in text and "Ash Blossom" in text
    assert client.get("/en/preview/mtgwiki/引く").status_code == 200
    assert client.get("/en/preview?id=mtgwiki/引く%23ルール").status_code == 200
    assert client.get("/en/preview/mtg/term/nothing").status_code == 404
    assert "cache-control" not in client.get("/en/preview/mtg/term/nothing").headers


def test_no_preview_asks_much_of_the_base(
    base: kb.KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds = ("term", "rule", "card", "page", "section", "passage", "ruling", "outcome")
    nodes = [node for kind in kinds for node in base.nodes(kind)[:40]]
    assert len(nodes) > 100
    for node in nodes:
        with _counted(monkeypatch) as asked:
            base.preview(node)
        assert len(asked) <= _MOST_QUERIES, node.id


# -- what speaks of a rule ------------------------------------------------------------------
def test_all_rules_of_a_page_are_one_question(
    base: kb.KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = [rule.id for rule in base.nodes("rule")]
    with _counted(monkeypatch) as asked:
        found = base.commentary(rules)
    assert len(found) > 50 and len(asked) <= 6
    part = base.commentary(rules, most=1)
    assert found.keys() == part.keys() and all(len(each.comments) == 1 for each in part.values())
    assert [each.total for each in part.values()] == [len(each.comments) for each in found.values()]


def test_what_speaks_of_a_rule_stands_below_it_with_its_source(client: TestClient) -> None:
    page = client.get("/en/node/mtg/cr/20231117/ja/121").text
    below = re.findall(r'<details class="commentary".*?</details>', page, re.DOTALL)
    assert len(below) > 5
    of_five = next(each for each in below if "Fact or Fiction" in each)
    assert "手札に入れることは引くことではない(CR:121.5)。" in of_five and "card" in of_five
    many = client.get("/en/node/mtg/cr/20231117/ja/704.5b").text
    assert 'data-all="/en/commentary?ref=mtg' in many and "all 4" in many
    assert client.get("/en/commentary?ref=mtg/cr/20231117/ja/704.5b").text.count("<li>") == 4


def test_what_was_right_in_an_older_edition_is_stale(tmp_path: Path) -> None:
    old = {
        "100": "Ships",
        "100.1": "A ship leaves the harbour when its owner hoists the sail.",
        "100.2": "To moor a ship, its owner pays two coins and turns it upright.",
        "100.3": "A wreck is a ship that has more holes than planks.",
        "100.4": "An anchor holds one ship for as long as nobody lifts it.",
    }
    new = old | {"100.2": old["100.2"].replace("two", "three"), "100.3": old["100.4"]}
    del new["100.4"]
    cited = "".join(f"船について(CR:{number})。\n\n" for number in list(old)[1:])
    dated = f"== 引用:総合ルール 20230101.0 ==\n*100.2 {old['100.2']}\n"
    files = {"船.wiki": f"{cited}{dated}", "帆.wiki": "帆について(CR:100.2)。\n"}
    wiki = tmp_path / "wiki"
    for name, text in files.items():
        url = f"http://mtgwiki.com/index.php?title={name[0]}&action=raw"
        described(wiki, {name: text}, url=url)
    books = {("20230101", "en"): rulebook(old), ("20240101", "en"): rulebook(new)}
    sources = [write_books(tmp_path / "books", books, "mtg"), wiki]
    with base_of(sources, tmp_path / "kb.db", workers=1) as base:
        newest = base.commentary([f"mtg/cr/20240101/en/{number}" for number in new])
        older = base.commentary(["mtg/cr/20230101/en/100.3"])
    stale = {
        rule[len("mtg/cr/") :]: {
            (each.page[0], each.kind, each.stale.code if each.stale else "")
            for each in of_rule.comments
        }
        for rule, of_rule in (*newest.items(), *older.items())
    }
    assert stale == {
        "20240101/en/100.1": {("船", "cites", "")},
        "20240101/en/100.2": {
            ("帆", "cites", ""),  # which names no edition
            ("船", "cites", "rule_changed"),
            ("船", "quotes", "words_changed"),
        },
        "20240101/en/100.3": {("船", "cites", "rule_is_now")},  # it was 100.4
        "20230101/en/100.3": {("船", "cites", "cited_rule_gone")},
    }


def _queries_of(page: Page) -> list[str]:
    """Note the addresses of the previews that a page asks for, from now on."""
    asked: list[str] = []
    page.on(
        "request", lambda request: "/preview" in request.url and asked.append(_name(request.url))
    )
    return asked


def _name(address: str) -> str:
    return address.rpartition("/")[2]


# -- previews, in a browser -----------------------------------------------------------------
_PAGE = f"/en/node/{_RULE}"


@pytest.mark.slow
def test_only_what_is_pointed_at_is_asked_for_and_opens_beside_it(visit: Visitor) -> None:
    page = visit(_PAGE)
    asked = _queries_of(page)
    before = page.evaluate("document.body.offsetHeight")
    link = page.locator("main .text a", has_text="704").first
    link.hover()
    card = page.locator(_CARD)
    expect(card).to_be_visible()
    assert (asked == ["704"] and "State" in card.inner_text()) or "状況起因" in card.inner_text()
    assert page.evaluate("document.body.offsetHeight") == before  # nothing moved
    assert not barriers(page)
    box, of_link = card.bounding_box(), link.bounding_box()
    assert box and of_link and abs(box["y"] - of_link["y"]) < 60 + box["height"]
    card.hover()
    page.wait_for_timeout(400)
    expect(card).to_be_visible()  # while the pointer is in it
    page.locator("h1").hover()
    expect(card).to_have_count(0)
    link.hover()
    expect(card).to_be_visible()
    assert asked == ["704"]  # kept
    card.get_by_role("link", name="Open").click()
    expect(page.locator("h1")).to_have_text(re.compile("^704"))


@pytest.mark.slow
def test_a_late_card_never_covers_a_newer_one(visit: Visitor) -> None:
    page = visit(_PAGE)
    slow = page.locator("main .text a", has_text="704").first
    other = page.locator("main .text a", has_text="ライブラリー").first
    card = page.locator(_CARD)
    other.hover()
    expect(card).to_contain_text("Library")
    page.locator("h1").hover()
    expect(card).to_have_count(0)
    waiting: list[Route] = []
    page.route("**/preview/**/704", lambda route: waiting.append(route))
    slow.hover()
    page.wait_for_timeout(300)
    assert len(waiting) == 1  # is answered when the other card, which is known, is there
    other.hover()
    expect(card).to_contain_text("Library")
    waiting[0].continue_()
    page.wait_for_timeout(500)
    expect(card).to_have_count(1)
    expect(card).to_contain_text("Library")


@pytest.mark.slow
def test_the_keyboard_opens_enters_and_closes_a_card(visit: Visitor) -> None:
    page = visit(_PAGE)
    page.locator("h1").click()
    link = page.locator("main .text a").first
    while not link.evaluate("link => link === document.activeElement"):
        page.keyboard.press("Tab")
    card = page.get_by_role("dialog")
    expect(card).to_be_visible()
    assert link.get_attribute("aria-describedby") == card.get_attribute("id")
    page.keyboard.press("Alt+ArrowDown")
    expect(card.get_by_role("link").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(card).to_have_count(0)
    expect(link).to_be_focused()
    assert link.get_attribute("aria-describedby") is None


@pytest.mark.slow
def test_a_card_that_comes_when_the_focus_has_gone_does_not_open(visit: Visitor) -> None:
    page = visit(_PAGE)
    waiting: list[Route] = []
    page.route("**/preview/**", lambda route: waiting.append(route))
    page.locator("main .text a").first.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")  # by the keyboard, so that the focus is visible
    page.wait_for_timeout(300)
    page.locator("#find").focus()  # no link to a node
    assert waiting
    for route in waiting:
        route.continue_()
    page.wait_for_timeout(500)
    expect(page.locator(_CARD)).to_have_count(0)


@pytest.mark.slow
def test_open_is_in_view_however_long_a_card_is(visit: Visitor) -> None:
    for options in ({"viewport": {"width": 1280, "height": 360}}, {"viewport": PHONE}):
        page = visit(_PAGE, **options)
        page.locator("main .text a", has_text="704").first.focus()
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Tab")
        expect(page.locator(f"{_CARD} .open a")).to_be_in_viewport(ratio=1)


@pytest.mark.slow
def test_a_tap_opens_the_card_and_open_follows_the_link(visit: Visitor) -> None:
    page = visit(_PAGE, viewport=PHONE, has_touch=True, is_mobile=True)
    link = page.locator("main .text a", has_text="704").first
    link.tap()
    card = page.locator(_CARD)
    expect(card).to_be_visible()
    assert page.url.endswith("121.4")
    page.locator("h1").tap()
    expect(card).to_have_count(0)
    link.tap()
    card.get_by_role("link", name="Open").tap()
    expect(page.locator("h1")).to_have_text(re.compile("^704"))


@pytest.mark.slow
def test_without_scripts_a_link_is_a_link_and_a_preview_a_page(visit: Visitor) -> None:
    page = visit(_PAGE, java_script_enabled=False)
    page.locator("main .text a", has_text="704").first.hover()
    page.wait_for_timeout(300)
    expect(page.locator(_CARD)).to_have_count(0)
    visit.go(page, f"/ja/preview/{_RULE}")
    expect(page.get_by_role("article")).to_contain_text("121.4")
    visit.go(page, "/en/node/mtg/cr/20231117/ja/704.5b")
    below = page.locator("details.commentary").first
    below.locator("summary").click()
    below.get_by_role("link", name="all 4").click()
    expect(page.locator("main .comments li")).to_have_count(4)


@pytest.mark.slow
def test_what_is_much_is_fetched_when_it_is_unfolded(visit: Visitor) -> None:
    page = visit("/en/node/mtg/cr/20231117/ja/704.5b")
    below = page.locator("details.commentary").first
    expect(below.locator("li")).to_have_count(3)
    below.locator("summary").click()
    expect(below.locator("li")).to_have_count(4)
    expect(below.get_by_role("link", name="all 4")).to_have_count(0)
