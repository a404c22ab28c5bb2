"""The explorer's pages as files: every link leads to a file, also from a folder in a browser."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pytest

import kb
from kb.web.site import SiteReport, write_site
from kb.web.site_links import Links, file_names
from tests.commands import run
from tests.explorer import PHONE, barriers, overflow
from tests.page_markup import Markup

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_ADDRESS = re.compile(r'\s(?:href|src)="([^"]*)"')


@pytest.fixture(scope="module")
def site(base: kb.KnowledgeBase, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of the sample, of one edition: the older one's links lead to nothing."""
    folder = tmp_path_factory.mktemp("site") / "out"
    write_site(base.file, folder, workers=1, edition="20231117", langs=("ja",))
    return folder


def _files(folder: Path) -> dict[str, bytes]:
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file()
    }


@pytest.mark.slow
def test_every_link_leads_to_a_file(site: Path) -> None:
    broken = []
    pages = list(site.rglob("*.html"))
    assert len(pages) > 300
    for page in pages:
        text = page.read_text("utf-8")
        for found in _ADDRESS.findall(text):
            address = urlsplit(unescape(found))
            if address.scheme in ("http", "https"):
                continue
            target = page.parent / unquote(address.path) if address.path else page
            place = f'id="{address.fragment}"' if address.fragment else ""
            is_file = not found.startswith("/") and target.is_file()
            if not is_file or place not in target.read_text("utf-8", "replace"):
                broken.append(f"{page.relative_to(site)}: {found}")
    assert not broken, "\n".join(broken[:20])


@pytest.mark.slow
def test_each_chapter_is_written_once(site: Path) -> None:
    """A rule leads to its place in the chapter, which is one file for all its rules."""
    titles = [
        re.findall(r"<title>(.*?)</title>", page.read_text("utf-8"))[0]
        for page in site.glob("ja/read/**/*.html")
        if "chapter=" in page.name
    ]
    assert len(titles) > 3 and len({*titles}) == len(titles)
    rule = (site / "ja/node/mtg/cr/20231117/ja/121.4.html").read_text("utf-8")
    assert re.search(r'href="[^"]*chapter%3D(?:1|121)\.html#r121\.4"', rule)


@pytest.mark.slow
def test_what_needs_a_server_is_not_there(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        assert not re.search(r"<form\b|<button\b|sansho\.js|format=json|\shref=\"\"", text), page
        assert not Markup(text).amiss, page
    rule = (site / "ja/node/mtg/cr/20231117/ja/121.4.html").read_text("utf-8")
    assert "検索にはスクリプトか" in rule
    assert "残りが0枚の" in rule
    entrance = (site / "index.html").read_text("utf-8")
    assert "mtgwiki" in entrance and "Paraphrase written for demonstration" in entrance


@pytest.mark.slow
def test_the_same_base_gives_the_same_files_whatever_the_workers(
    base: kb.KnowledgeBase, tmp_path: Path
) -> None:
    for name, workers in (("one", 1), ("two", 2)):
        write_site(base.file, tmp_path / name, game="ygo", langs=("en",), workers=workers)
    assert _files(tmp_path / "one") == _files(tmp_path / "two")


def test_an_old_site_is_replaced_when_the_new_one_is_whole(
    base: kb.KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "site"

    def write() -> SiteReport:
        return write_site(base.file, out, game="dm", langs=("en",), workers=1)

    write()
    before = _files(out)
    (out / "old.txt").write_text("old", "utf-8")
    with monkeypatch.context() as patch:
        patch.setattr("kb.web.site._write_entrance", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            write()
    assert (out / "old.txt").is_file()
    write()
    assert _files(out) == before
    assert [each.name for each in tmp_path.iterdir()] == ["site"]  # nothing is left beside it


def test_a_folder_of_something_else_is_not_touched(base: kb.KnowledgeBase, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("mine", "utf-8")
    answer = run("site", str(tmp_path), of=base)
    assert answer.exit_code == 2
    assert "something else than a site" in answer.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["letter.txt"]
    assert run("site", str(tmp_path / "new"), "--game", "nothing", of=base).exit_code == 2
    assert not (tmp_path / "new").exists()


def test_the_command_says_what_it_wrote_and_whose_texts_these_are(
    base: kb.KnowledgeBase, tmp_path: Path
) -> None:
    answer = run("site", str(tmp_path / "out"), "--game", "dm", "--lang", "en", of=base)
    assert answer.exit_code == 0, answer.output
    assert "Paraphrase written for demonstration" in answer.stdout
    assert "passes them on" in answer.stdout
    assert (tmp_path / "out/en/index.html").is_file()


def test_names_of_files_can_be_written_everywhere() -> None:
    ids = [
        "w/a?b",
        "w/..",
        "w//x",
        "w/CON",
        "w/X",
        "w/x",
        "w/\u00e9",
        "w/e\u0301",
        "w/" + "長" * 200,
        "w/a.",
    ]
    names = file_names(ids)
    assert len({name.casefold() for name in names.values()}) == len(ids)
    for name in names.values():
        assert not re.search(r'[\\:*?"<>|%#\s]|//|(?:^|/)\.\.?(?:/|$)|[. ](?:/|$)', name), name
        assert all(len(step.encode()) < 200 for step in name.split("/"))
    assert file_names(reversed(ids)) == names


def test_links_lead_to_the_page_on_which_something_stands() -> None:
    links = Links(file_names(["w/引く"]), ("en",), game="mtg")
    assert links.file_of("/en/node/w/%E5%BC%95%E3%81%8F") == "en/node/w/引く.html"
    assert links.file_of("/en/node/w/%E5%BC%95%E3%81%8F%23x%C2%B64") == "en/node/w/引く.html"
    assert links.file_of("/en/") == "en/index.html"
    assert links.file_of("/en/contents?game=mtg&edition=1&lang=ja") == (
        "en/contents/game=mtg/edition=1/lang=ja.html"
    )
    for other in ("/ja/", "/en/ask?q=x", "/en/contents?game=dm", "/en/top?by=linked", "/en/node/x"):
        assert links.file_of(other) is None, other


@pytest.mark.slow
@pytest.mark.parametrize("scripts", [True, False])
def test_it_opens_from_a_folder(site: Path, browser: Browser, scripts: bool) -> None:
    context = browser.new_context(java_script_enabled=scripts)
    page = context.new_page()
    wrong: list[str] = []
    page.on("requestfailed", lambda request: wrong.append(request.url))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto((site / "index.html").as_uri())
    page.get_by_role("link", name="日本語").click()
    page.locator("main a[href*=read]").first.click()
    page.locator("main a[href*=node]").first.click()
    assert page.locator("h1").inner_text()
    assert page.evaluate("getComputedStyle(document.body).maxWidth") if scripts else True
    if scripts:
        page.get_by_role("searchbox").fill("ドロー")
        page.locator(".suggestions a").first.click()
        assert "ドロー" in page.locator("h1").inner_text()
    else:
        assert page.get_by_text("検索にはスクリプトか").is_visible()
    assert not wrong
    context.close()


@pytest.mark.slow
def test_its_pages_have_no_barriers(site: Path, browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    found = []
    for name in ("index", "ja/index", "ja/top", "ja/node/mtg/term/引く", "ja/node/mtgwiki/引く",
                 "ja/node/mtg/cr/20231117/ja/121.4"):  # fmt: skip
        page.goto((site / f"{name}.html").as_uri())
        found += barriers(page)
        page.set_viewport_size(PHONE)
        found += overflow(page)
        page.set_viewport_size({"width": 1200, "height": 900})
    assert not found, "\n".join(found)
    context.close()
