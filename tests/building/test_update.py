"""`update`: sites and folders are looked at again, and what came and what is stale is said."""

from __future__ import annotations

import json
from pathlib import Path

import kb
from tests.commands import printed
from tests.rulebooks import write_books
from tests.webs import Says, links, mediawiki, web

OLD = """
1. Boats
1.1. A boat carries up to three crates.
1.2. Whenever a boat sinks, its crates go into the hold.
1.3. The fastest boat takes two coins.
"""
LONG = "".join(f"{n}. Part {n}\n{n}.1. A boat is moored by {n} ropes.\n" for n in range(1, 30))
NEW = OLD.replace("1.3. The", "1.3. A boat with an anchor stays.\n1.4. The").replace("two", "three")
BOTH = {("20250101", "en"): OLD, ("20260101", "en"): NEW}


def test_a_new_edition_and_what_it_makes_stale(tmp_path: Path) -> None:
    books = write_books(tmp_path / "books", {("20250101", "en"): OLD})
    wiki = tmp_path / "fast.txt"
    wiki.write_text("*Fast\nThe fastest boat takes coins (CR:1.3).\n", "utf-8")
    file = tmp_path / "kb.db"
    kb.build([books], file, game="harbour")
    kb.build([wiki], file, game="harbour", site="pukiwiki", add=True)
    write_books(tmp_path / "books", BOTH)
    report = kb.update(file)
    assert report.changes.editions_added == (("harbour", "20260101", "en"),)
    [impact] = report.impact
    assert (impact.before, impact.after) == ("20250101", "20260101")
    assert not report.crawled and not report.failed
    again = kb.update(file).changes
    assert not again.editions_added and not again.pages_changed and again.pages_same


def test_a_site_is_asked_again(tmp_path: Path) -> None:
    file, pages = tmp_path / "kb.db", tmp_path / "pages"
    with web() as site:
        site.pages |= {
            "/": Says(mediawiki("Boats", f"Boats carry crates. {links('/a')}")),
            "/a": Says(mediawiki("Anchors", "An anchor holds a boat.")),
        }
        kb.crawl([f"{site.url}/"], pages, depth=1, delay=0.0)
        kb.build([pages], file, game="harbour")
        site.pages["/a"] = Says(mediawiki("Anchors", "An anchor holds any boat."))
        report = kb.update(file, delay=0.0)
        assert report.crawled[str(pages)].fetched == 1
        [page] = report.changes.pages_changed
        assert page.endswith("Anchors") and not report.changes.pages_added
        with kb.open(file) as base:
            assert base.search('"holds any boat"').hits
    report = kb.update(file, delay=0.0)  # the server is gone
    assert str(pages) in report.failed or report.crawled[str(pages)].given_up
    with kb.open(file) as base:
        assert base.search('"holds any boat"').hits


def test_the_command_writes_what_came(tmp_path: Path) -> None:
    books = write_books(tmp_path / "books", {("20250101", "en"): OLD})
    file, out = tmp_path / "kb.db", tmp_path / "news.md"
    kb.build([books], file, game="harbour")
    write_books(tmp_path / "books", BOTH)
    code, said, _ = printed("update", "--out", out, of=file)
    assert code == 0 and "1: harbour 20260101 (en)" in said and "written to" in said
    assert "- `harbour 20260101 (en)`" in out.read_text("utf-8")
    code, said, _ = printed("update", "--json", of=file)
    assert code == 0 and json.loads(said)["changes"]["editions_added"] == []


def test_a_queue_of_another_program_is_no_crawl(tmp_path: Path) -> None:
    from scraper.crawl.crawl import recorded_crawls

    (tmp_path / ".crawl.db").write_bytes(b"no database")
    assert recorded_crawls(tmp_path) == []


def test_two_builds_are_compared(tmp_path: Path) -> None:
    pages, file, before = tmp_path / "pages", tmp_path / "kb.db", tmp_path / "before.db"
    pages.mkdir()
    for name, text in {"Anchor": "*Anchor", "Boat": "*Boat\nIt floats.", "Crate": "*Crate"}.items():
        (pages / f"{name}.txt").write_text(f"{text}\n", "utf-8")
    kb.build([pages], before, game="harbour", site="pukiwiki")
    (pages / "Anchor.txt").unlink()
    (pages / "Boat.txt").write_text("*Boat\nIt sinks (see [[Crate]]).\n", "utf-8")
    (pages / "Sail.txt").write_text("*Sail/帆\n", "utf-8")
    kb.build([pages], file, game="harbour", site="pukiwiki")
    with kb.open(file) as base:
        found = base.changes_since(before)
    [came], [changed], [went] = found.pages_added, found.pages_changed, found.pages_removed
    assert (came[-4:], changed[-4:], went[-6:]) == ("Sail", "Boat", "Anchor")
    assert found.pages_same == 1 and found.terms_added and found.terms_removed
    assert "links_to" in found.edges
    for suffix, words in {"md": "## Changed pages (1)", "html": "Changed pages (1)</h2>"}.items():
        out = tmp_path / f"news.{suffix}"
        code, said, _ = printed("changes", "--since", before, "--out", out, of=file)
        assert code == 0 and "changed pages" in said and words in out.read_text("utf-8")
    code, feed, _ = printed("changes", "--since", before, "--format", "atom", of=file)
    assert code == 0 and "<title>New pages (1)</title>" in feed
    for wrong in (["--since", before, "20230101"], ["20230101"], []):
        assert printed("changes", *wrong, of=file)[0] == 2


def test_a_rulebook_that_a_page_announces_is_fetched(tmp_path: Path) -> None:
    file, pages = tmp_path / "kb.db", tmp_path / "pages"
    pdf = b"%PDF-1.4\n\x00\x01 no real one"
    with web() as site:
        site.pages |= {"/": links("/old.txt"), "/old.txt": Says(LONG, kind="text/plain")}
        kb.crawl([f"{site.url}/"], pages, depth=1, delay=0.0)
        kb.build([pages], file, game="harbour", site="rulebook", edition="20250101", lang="en")
        site.pages |= {"/": links("/old.txt", "/new.pdf"), "/new.pdf": Says(pdf, kind="text/html")}
        report = kb.update(file, delay=0.0)
    assert report.crawled[str(pages)].fetched == 2
    assert [found.read_bytes() for found in pages.rglob("*new*")] == [pdf]
