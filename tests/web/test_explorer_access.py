"""Every page of the explorer can be used by everybody: with a screen reader, in dark and light,
on a phone, on paper."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from kb.web.pages import PAGES
from tests.explorer import PHONE, WIDE, Visitor, barriers, overflow

_DIFF = "diff?before=20231117&after=20240730"
_HEADER = "document.querySelector('header')?.offsetHeight ?? 0"  # a preview has none
_SHOWN = (
    "/en/", "/ja/search?q=引く", "/en/search?q=zzzz", "/en/suggest?q=hiku", "/en/show?ref=引く",
    "/ja/node/mtg/cr/20231117/ja/121.4", "/en/node/mtg/cr/20231117/en/704",
    "/en/node/mtg/term/引く", "/en/node/mtg/card/予言", "/ja/node/mtgwiki/ライブラリーアウト",
    "/en/node/dmwiki/使う%23手順!1", "/en/node/yugioh-wiki/通常のドロー%23FAQ%3F1",
    "/en/node?id=dmwiki/ドロー%23ドロー~1", "/ja/refs?ref=121.4", "/en/compare?ref=引く",
    f"/ja/{_DIFF}", "/en/align?first=en&second=ja&rule=121.4", "/en/trace?ref=905",
    "/en/impact?before=20231117&after=20240730&game=mtg",
    "/en/contents?game=mtg&edition=20231117&lang=ja", "/ja/kwic?q=敗北",
    "/en/ask?q=引くとは何ですか", "/en/path?start=121.4&end=704", "/ja/top?most=10", "/en/audit",
    "/en/verify", "/en/rulings?ref=灰流うらら", "/en/draw?ref=121.4", "/en/steps?ref=引く",
    "/en/outcomes?ref=引く", "/en/nothing", "/ja/preview/mtg/term/引く",
    "/en/preview/ygo/card/灰流うらら", "/ja/commentary?ref=mtg/cr/20231117/ja/704.5b",
    "/ja/glossary?game=mtg", "/en/glossary?game=mtg&letter=D", "/ja/programs",
    "/en/chapters?game=mtg", "/ja/read", "/en/read?game=mtg&lang=en&chapter=121&beside=ja",
)  # fmt: skip


def test_every_kind_of_page_is_looked_at() -> None:
    looked_at = {urlsplit(address).path.split("/")[2] for address in _SHOWN}
    # A feed is no page.
    assert {path.partition("/")[0] for path in PAGES} - {"feed"} <= looked_at


@pytest.mark.slow
def test_no_page_has_barriers_in_any_form(visit: Visitor) -> None:
    visit.allow("console error: Failed to load resource: the server responded with a status of 404")
    page = visit("/en/")
    found = []
    for address in _SHOWN:
        visit.go(page, address)
        found += barriers(page)
        page.set_viewport_size(PHONE)
        page.emulate_media(color_scheme="dark")
        found += overflow(page)
        if (height := page.evaluate(_HEADER)) >= 130:
            found.append(f"{address}: the header is {height} high on a phone")
        found += barriers(page, "color-contrast", "link-in-text-block", "target-size")
        page.set_viewport_size(WIDE)
        page.emulate_media(color_scheme="light")
    assert not found, "\n".join(found)


@pytest.mark.slow
def test_paper_has_the_text_and_no_controls(visit: Visitor) -> None:
    page = visit("/en/node/mtg/cr/20231117/ja/121.4", color_scheme="dark")
    page.emulate_media(media="print")
    assert not page.locator("body > header").is_visible()
    assert page.locator(".printed-source").is_visible()
    assert page.locator(".printed-source").inner_text().endswith("/20231117/ja/121.4")
    assert page.get_by_role("heading", name="121.4").is_visible()
    assert page.locator("main").get_by_text("残りが0枚の").first.is_visible()
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == "rgb(255, 255, 255)"
