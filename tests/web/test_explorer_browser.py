"""What people do in the explorer, in a browser: with a mouse, with the keyboard alone, with
JavaScript off, in either language."""

from __future__ import annotations

import json
import re

import pytest

import kb
from kb.control_characters import json_text
from tests.explorer import PHONE, Visitor

_RULE = "/en/node/mtg/cr/20231117/ja/121.4"
_FOCUSED = "document.activeElement"

expect = pytest.importorskip("playwright.sync_api").expect  # waits for a page that still comes


@pytest.mark.slow
@pytest.mark.parametrize("scripts", [True, False])
def test_from_a_search_to_what_a_rule_cites_and_means(visit: Visitor, scripts: bool) -> None:
    page = visit("/", java_script_enabled=scripts)
    assert page.url.endswith("/en/")
    page.get_by_role("searchbox").or_(page.get_by_role("combobox")).first.fill("121.4")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("h1")).to_contain_text("121.4")
    expect(page.locator("main").get_by_text("2023-11-17").first).to_be_visible()  # its edition
    page.locator("main .text").get_by_role("link", name="704").first.click()  # a citation
    expect(page.locator("h1")).to_have_text(re.compile(r"^704"))
    page.go_back()
    page.locator("main .text").get_by_role("link", name="ライブラリー").first.click()  # a term
    expect(page.locator("h1")).to_contain_text("ライブラリー")
    expect(page.get_by_role("heading", name="What refers to it")).to_be_visible()
    page.get_by_role("link", name="Picture").click()
    neighbour = page.locator("figure:visible svg a:not(.centre)").first
    name = neighbour.locator("text").first.text_content() or ""
    with page.expect_navigation():
        neighbour.click()
    expect(page.locator("h1")).to_contain_text(name)


@pytest.mark.slow
@pytest.mark.parametrize("scripts", [True, False])
def test_every_question_is_asked_with_its_form(visit: Visitor, scripts: bool) -> None:
    page = visit("/en/", java_script_enabled=scripts)
    page.get_by_label("Ask a question").fill("What happens when I draw from an empty library?")
    page.get_by_role("button", name="Ask", exact=True).click()
    assert page.locator("main mark").first.inner_text()  # the deciding sentence
    page.get_by_text("Why this passage").first.click()
    expect(page.locator("details li").first).to_be_visible()

    page.get_by_role("link", name="Compare editions").click()
    page.get_by_label("Before").select_option("20231117")
    page.get_by_label("After").select_option("20240730")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("main").get_by_role("link", name="905").first).to_be_visible()
    assert page.locator("mark.inserted").first.inner_text() == "/Conspiracy Draft"

    page.get_by_role("link", name="Compare terms").click()
    page.get_by_label("Term", exact=True).fill("引く")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("main article").nth(1)).to_be_visible()  # games

    page.get_by_role("link", name="Concordance").click()
    page.get_by_label("Words", exact=True).fill("引く")
    page.locator("main").get_by_role("button").click()
    assert page.locator("main mark").first.inner_text().startswith("引")


@pytest.mark.slow
def test_what_a_text_cites_is_verified(visit: Visitor) -> None:
    page = visit("/en/verify")
    page.get_by_label("A text").fill("Rule 121.4 says so, and rule 121.99 says otherwise.")
    page.get_by_role("button", name="Verify").click()
    assert page.get_by_role("status").inner_text()
    claims = page.locator("main ol > li")
    expect(claims).to_have_count(2)
    assert "number exists" in claims.nth(0).inner_text()
    assert "not found" in claims.nth(1).inner_text()


@pytest.mark.slow
def test_the_keyboard_alone_leads_to_a_rule_and_on(visit: Visitor) -> None:
    page = visit("/en/")
    page.keyboard.press("Tab")
    assert page.evaluate(f"{_FOCUSED}.getAttribute('href')") == "#content"  # shown when focused
    assert page.locator(":focus").bounding_box()["width"] > 50
    page.keyboard.press("Enter")
    assert page.evaluate(f"{_FOCUSED}.id") == "content"
    page.keyboard.press("/")
    assert page.evaluate(f"{_FOCUSED}.name") == "q"
    ring = page.evaluate(f"getComputedStyle({_FOCUSED}).outlineStyle")
    assert ring != "none"
    page.keyboard.type("dra")
    page.get_by_role("option").first.wait_for()
    page.keyboard.press("Escape")
    expect(page.get_by_role("option")).to_have_count(0)
    assert page.evaluate(f"{_FOCUSED}.value") == "dra"  # a second Escape clears it
    page.keyboard.type("w")
    page.get_by_role("option").first.wait_for()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowDown")  # round to the first
    chosen = page.locator("[role=option][aria-selected=true]")
    expect(chosen).to_have_count(1)
    assert page.evaluate(f"{_FOCUSED}.getAttribute('aria-activedescendant')") == (
        chosen.get_attribute("id")
    )
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/node/"))
    visit.go(page, _RULE)
    with page.expect_navigation():
        page.keyboard.press("]")
    expect(page.locator("h1")).to_have_text(re.compile(r"^121\.5"))
    with page.expect_navigation():
        page.keyboard.press("[")
    expect(page.locator("h1")).to_have_text(re.compile(r"^121\.4"))


@pytest.mark.slow
def test_tab_reaches_the_search_box_and_enter_searches_without_suggestions(visit: Visitor) -> None:
    page = visit("/en/")
    for _ in range(4):
        page.keyboard.press("Tab")
        if page.evaluate(f"{_FOCUSED}.name") == "q":
            break
    page.keyboard.type("zzzz", delay=80)  # slowly enough to be given suggestions, if any
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/en/search\?q=zzzz"))
    expect(page.locator("main").get_by_text("No passage has these words").first).to_be_visible()


@pytest.mark.slow
def test_suggestions_follow_what_is_typed_and_a_click_takes_one(visit: Visitor) -> None:
    page = visit("/ja/", viewport=PHONE)
    box = page.get_by_role("combobox")
    for typed, wanted in (("ひく", "引く"), ("draw", "引く"), ("121.", "121.")):
        box.fill(typed)
        page.get_by_role("option").filter(has_text=wanted).first.wait_for()
    assert page.evaluate("document.scrollingElement.scrollWidth") <= PHONE["width"]
    with page.expect_navigation():
        page.get_by_role("option").first.click()
    expect(page.locator("h1")).to_contain_text("121.")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("locale", "lang", "search"), [("ja-JP", "ja", "検索"), ("fr", "en", "Search")]
)
def test_the_interface_speaks_the_readers_language(
    visit: Visitor, locale: str, lang: str, search: str
) -> None:
    page = visit("/", locale=locale)
    expect(page.locator("html")).to_have_attribute("lang", lang)
    expect(page.get_by_role("button", name=search)).to_be_visible()
    visit.go(page, f"/{lang}/node/mtg/cr/20231117/ja/121.4")
    other = "English" if lang == "ja" else "日本語"
    page.get_by_role("link", name=other).click()
    expect(page.locator("html")).to_have_attribute("lang", "en" if lang == "ja" else "ja")
    expect(page.locator("h1")).to_contain_text("121.4")
    visit.go(page, f"/{lang}/search?q=引く&most=5")
    page.get_by_role("link", name=other).click()
    expect(page).to_have_url(re.compile(r"most=5"))
    expect(page.locator("h1")).to_contain_text("引く")


@pytest.mark.slow
def test_the_json_beside_a_page_is_that_of_the_command(
    visit: Visitor, base: kb.KnowledgeBase
) -> None:
    page = visit("/en/show?ref=121.4&lang=ja")
    address = page.locator("footer a[type='application/json']").get_attribute("href")
    answer = page.request.get(f"{visit.server}{address}")
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == json.loads(json_text(base.show("121.4", lang="ja").as_json()))


@pytest.mark.slow
def test_the_rule_that_is_asked_about_is_kept_when_editions_are_chosen(visit: Visitor) -> None:
    page = visit("/en/diff?rule=905")
    page.locator("main").get_by_role("link", name="2024-07-30").first.click()
    expect(page).to_have_url(re.compile(r"rule=905"))
    assert page.locator("mark.inserted").first.inner_text() == "/Conspiracy Draft"


@pytest.mark.slow
def test_keys_go_through_a_page_and_are_shown(visit: Visitor) -> None:
    page = visit("/en/node/mtg/cr/20231117/en/704")
    page.keyboard.press("j")
    page.keyboard.press("j")
    first = page.evaluate(f"{_FOCUSED}.textContent")
    page.keyboard.press("j")
    assert page.evaluate(f"{_FOCUSED}.textContent") != first
    page.keyboard.press("k")
    assert page.evaluate(f"{_FOCUSED}.textContent") == first
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    assert page.get_by_role("dialog").locator("kbd").count() >= 6
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.keyboard.press("/")
    page.keyboard.type("j?")  # a field takes what is typed
    assert page.evaluate(f"{_FOCUSED}.value") == "j?"


@pytest.mark.slow
@pytest.mark.parametrize("scripts", [True, False])
def test_a_citation_is_there_to_be_copied(visit: Visitor, scripts: bool) -> None:
    page = visit(_RULE, java_script_enabled=scripts)
    page.get_by_text("Cite this").click()
    expect(page.locator("details.cite pre").first).to_contain_text("comprehensive rules 121.4")
    expect(page.locator("details.cite button")).to_have_count(5 if scripts else 0)


@pytest.mark.slow
def test_a_paragraph_shows_its_link_when_it_is_pointed_at(visit: Visitor) -> None:
    page = visit("/en/node/mtg/cr/20231117/en/704")
    link = page.locator("main .line .pilcrow").first
    assert link.evaluate("e => getComputedStyle(e).opacity") == "0"
    link.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert link.evaluate("e => getComputedStyle(e).opacity") == "1"
    page.keyboard.press("Enter")
    assert page.url.endswith(link.get_attribute("href") or "")
