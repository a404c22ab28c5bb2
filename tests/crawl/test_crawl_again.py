"""Crawling: the second time, and after it was interrupted. Only ever of a server on loopback."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator

import kb
from scraper.crawl import page_store, queue
from scraper.crawl.visit_pages import same_content
from tests.children import interruptible
from tests.conftest import ROOT
from tests.crawling import crawl, kept, lines, numbered, soon
from tests.timing import grows_linearly
from tests.webs import Asked, Says, Web, html, links, pukiwiki, web

__all__ = ["soon"]  # used by every test here


# -- again -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_second_round_asks_whether_anything_changed(tmp_path: Path) -> None:
    def page(asked: Asked) -> Says:
        same_content = asked.headers.get("If-None-Match") == '"1"'
        return Says("", 304) if same_content else Says(html(links("/a")), headers={"ETag": '"1"'})

    dated = "Sat, 21 Nov 2026 00:40:59 GMT"

    def old(asked: Asked) -> Says:
        same_content = asked.headers.get("If-Modified-Since") == dated
        return (
            Says("", 304) if same_content else Says(html("old"), headers={"Last-Modified": dated})
        )

    with web({"/": page, "/a": old}) as site:
        for into in (tmp_path / "a", tmp_path / "b.warc.gz"):
            assert crawl(site, into).fetched == 2
            for _ in range(2):
                done = crawl(site, into)
                assert (done.fetched, done.unchanged) == (0, 2)
        assert len(lines(tmp_path / "a")) == 2
        # Another command over the same pages: what it has not seen it reads from what is kept.
        site.log.clear()
        assert crawl(site, tmp_path / "a", depth=7).unchanged == 2 and len(site.asked) == 2


def test_what_was_said_for_robots_holds_where_nothing_changed(tmp_path: Path) -> None:
    """A 304 need not repeat it; what it says itself takes the place of earlier headers."""
    said: list[str] = ["nofollow"]  # on each answer to come

    def page(asked: Asked) -> Says:
        tag = {"ETag": '"1"', "X-Robots-Tag": said.pop(0)}
        return Says(html(links("/a")), 304 if asked.headers.get("If-None-Match") else 200, tag)

    with web({"/": page, "/a": "a"}) as site:
        for into in (tmp_path / "a", tmp_path / "b.warc.gz"):
            said[:] = ["nofollow", "", "noindex, nofollow", "", "all"]
            assert crawl(site, into).fetched == 1
            assert crawl(site, into).unchanged == 1 and "/a" not in site.asked
            done = crawl(site, into)  # a page that is to be forgotten is asked for whole again
            assert (done.skipped, "/a" in site.asked) == ({"noindex": 1}, False)
            assert (crawl(site, into).unchanged, "/a" in site.asked) == (1, True)
            assert "If-None-Match" not in site.log[-2].headers
            assert crawl(site, into).unchanged == 2
            site.log.clear()


def test_a_page_whose_time_is_over_is_not_to_be_kept(tmp_path: Path) -> None:
    """Its tag is in what was kept, and the server says that nothing changed."""
    tag = '<meta name="robots" content="unavailable_after: 2999-01-31">'

    def page(asked: Asked) -> Says:
        status = 304 if asked.headers.get("If-None-Match") else 200
        return Says(html("x", tag), status, {"ETag": '"1"'})

    with web({"/": page}) as site:
        assert crawl(site, tmp_path).fetched == 1 and crawl(site, tmp_path).unchanged == 1
        capture = tmp_path / lines(tmp_path)[0]["file"]
        capture.write_bytes(capture.read_bytes().replace(b"2999", b"2009"))
        assert crawl(site, tmp_path).skipped == {"noindex": 1}


def test_a_crawl_of_an_earlier_version_goes_on(tmp_path: Path) -> None:
    """It kept no headers for robots: pages are asked for whole once."""

    def page(asked: Asked) -> Says:
        tag = {"ETag": '"1"', "X-Robots-Tag": "nofollow"}
        return Says(html(links("/a")), 304 if asked.headers.get("If-None-Match") else 200, tag)

    with web({"/": page, "/a": "a"}) as site:
        crawl(site, tmp_path)
        with closing(sqlite3.connect(tmp_path / ".crawl.db")) as db:
            db.execute("alter table page drop column robots")
            db.commit()
        for _ in range(2):
            assert crawl(site, tmp_path).unchanged == 1
        conditions = [
            asked.headers.get("If-None-Match") for asked in site.log if asked.target == "/"
        ]
        assert conditions == [None, None, '"1"'] and "/a" not in site.asked


def test_no_lock_is_left(tmp_path: Path) -> None:
    """The queue stays: it knows what to ask for the next time."""
    with web({"/": html(links("/a")), "/a": html("a")}) as site:
        for into in (tmp_path / "a", tmp_path / "b.warc.gz"):
            crawl(site, into)
    names = [file.name for file in tmp_path.rglob("*")]
    assert not [name for name in names if name.endswith(".lock")], names


def test_ages_and_times_are_no_change(tmp_path: Path) -> None:
    """Of a page that sansho reads, and of one that it does not."""

    def plain(asked: Asked) -> Says:
        ticket = f'<input type="hidden" name="digest" value="{asked.before}">'
        return Says(html(f"page <!-- {asked.before} --> x ({asked.before}d) {ticket}"))

    def article(asked: Asked) -> Says:
        words = "引く" if asked.before < 3 else "捨てる"
        return Says(
            pukiwiki(
                "A",
                f'{words} <a href="?B" title="B (AGE)">B</a>',
                f"{asked.before}d",
                f"0.{asked.before}",
            )
        )

    with web({"/?A": article, "/?B": plain}) as site:
        assert crawl(site, tmp_path, "/?A").fetched == 2
        for _ in range(2):
            done = crawl(site, tmp_path, "/?A")
            assert (done.fetched, done.unchanged) == (0, 2)
        done = crawl(site, tmp_path, "/?A")
        assert (done.fetched, done.unchanged) == (1, 1)
        found = [line for line in lines(tmp_path) if line["url"].endswith("?A")]
        assert len(found) == 2 and found[0]["file"] != found[1]["file"]
        assert found[0]["taken"] < found[1]["taken"]
    report = kb.build([tmp_path], tmp_path / "x.db", site="pukiwiki", game="dm")
    assert report.pages == 2
    with kb.open(tmp_path / "x.db") as base:
        assert any("捨てる" in (node.text or "") for node in base.nodes("passage"))


@pytest.mark.slow
@pytest.mark.parametrize("hurtful", ["<!--", "<script>", '<div id="menubar">', "<p>(1", "<input "])
def test_comparing_takes_no_square_of_anything(hurtful: str) -> None:
    def compare(times: int) -> None:
        pages = [(hurtful * times + end).encode() for end in ("a", "b")]
        same_content(*pages, "http://a.jp/", "", "")

    assert grows_linearly(compare, 20_000)


@pytest.mark.parametrize(
    ("new", "changed"),
    [
        ('<p>words <a href="/x">x</a> (9h)<script>2</script></p><ul class="recent">2</ul>', False),
        ('<p>words <a href="/y">x</a></p><ul class="recent">1</ul>', True),
        ('<p>other <a href="/x">x</a></p><ul class="recent">1</ul>', True),
        ('<p>words <a href="/x">x</a></p><ul class="recent">1</ul>more', True),
    ],
)
def test_what_is_a_change_of_a_page_that_nobody_knows(new: str, changed: bool) -> None:
    old = '<p>words <a href="/x">x</a> (1d)<script>1</script></p><ul class="recent">1</ul>'
    assert same_content(html(old).encode(), html(new).encode(), "http://a.jp/", "", "") != changed


def test_a_page_that_is_gone_keeps_its_captures(tmp_path: Path) -> None:
    with web({"/": links("/a"), "/a": "a"}) as site:
        crawl(site, tmp_path)
        del site.pages["/a"]
        done = crawl(site, tmp_path)
        assert (done.unchanged, done.skipped) == (1, {"not there (404)": 1})
        assert kept(site, tmp_path) == ["/", "/a"]


def test_an_archive_that_someone_replaced_is_filled_anew(tmp_path: Path) -> None:
    def page(asked: Asked) -> Says:
        asks = asked.headers.get("If-None-Match")
        return Says("", 304) if asks else Says(html(links("/a")), headers={"ETag": '"1"'})

    with web({"/": page, "/a": "a"}) as site:
        crawl(site, tmp_path / "x.warc")
        data = (tmp_path / "x.warc").read_bytes()
        (tmp_path / "x.warc").write_bytes(data.replace(b"WARC/1.1", b"WARC/9.9"))
        assert crawl(site, tmp_path / "x.warc", depth=5).fetched == 2


def test_a_capture_that_someone_took_away_is_fetched_anew(tmp_path: Path) -> None:
    tag = {"ETag": '"1"'}
    with web(
        {
            "/": lambda asked: Says(
                html("x"), 304 if asked.headers.get("If-None-Match") else 200, tag
            )
        }
    ) as site:
        crawl(site, tmp_path)
        (tmp_path / lines(tmp_path)[0]["file"]).unlink()
        assert crawl(site, tmp_path).fetched == 1


# -- interrupted -----------------------------------------------------------------------------------


def command(web: Web, into: Path) -> subprocess.Popen[str]:
    words = [
        sys.executable,
        "-c",
        "from kb.cli import main; main()",
        "crawl",
        web.url + "/",
        "--into",
        str(into),
        "--delay",
        "0",
        "--json",
    ]
    return subprocess.Popen(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        **interruptible(),
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pages", "pages.warc.gz"])
def test_a_killed_crawl_goes_on(tmp_path: Path, name: str) -> None:
    into = tmp_path / name
    with web(numbered(40)) as site:
        kills = 0
        running = command(site, into)
        while running.poll() is None:
            if len(site.log) >= 15 * (kills + 1):
                running.send_signal(signal.SIGKILL)
                running.communicate()
                kills, running = kills + 1, command(site, into)
            time.sleep(0.001)
        out, err = running.communicate()
        assert running.returncode == 0, err
        assert json.loads(out)["fetched"] == 40 and 0 < kills < 4
        urls = kept(site, into) if into.is_dir() else in_warc(into)
        assert sorted(url.removeprefix(site.url) for url in urls) == sorted(site.pages)
        twice = [page for page in site.pages if site.asked.count(page) > 1]
        assert len(twice) <= kills  # those under way when it was killed
        assert {path.name for path in tmp_path.rglob("*") if path.name.endswith(".part")} == set()


def in_warc(path: Path) -> list[str]:
    """The answers in a WARC file, as an independent reader has them."""
    with path.open("rb") as file:
        found = [
            (
                record.rec_type,
                record.rec_headers.get_header("WARC-Target-URI"),
                record.digest_checker.passed,
            )
            for record in ArchiveIterator(file, check_digests="raise")
        ]
    types = [kind for kind, _, _ in found]
    assert types.count("warcinfo") == 1 and types[0] == "warcinfo"
    assert types.count("response") == types.count("request")
    return [url for kind, url, _ in found if kind == "response"]


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
@pytest.mark.parametrize("step", ["stage", "publish", "finish_write"])
@pytest.mark.parametrize("name", ["pages", "pages.warc.gz"])
def test_a_crash_at_any_step_leaves_nothing_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: bool, step: str, name: str
) -> None:
    into = tmp_path / name
    home: Any = (
        queue.CrawlQueue if step == "finish_write" else type(page_store.open_page_store(into, ""))
    )
    real, calls = getattr(home, step), [0]

    def crash(self: Any, *said: Any) -> Any:
        calls[0] += 1
        if calls[0] == 3 and before:
            raise KeyboardInterrupt
        done = real(self, *said)
        if calls[0] == 3:
            raise KeyboardInterrupt
        return done

    with web(numbered(6)) as site:
        with monkeypatch.context() as patch:
            patch.setattr(home, step, crash)
            with pytest.raises(KeyboardInterrupt):
                crawl(site, into)
        assert crawl(site, into).fetched == 6
        asked_again = len(site.asked) - 6
        assert asked_again == (1 if step == "stage" else 0)  # what was not decided yet
        urls = kept(site, into) if into.is_dir() else in_warc(into)
        assert sorted(url.removeprefix(site.url) for url in urls) == sorted(site.pages)
        assert not list(tmp_path.rglob("*.part"))


@pytest.mark.parametrize("torn", ['{"file": "127', '{"file'])
def test_a_torn_line_is_cut_off(tmp_path: Path, torn: str) -> None:
    with web(numbered(3)) as site:
        crawl(site, tmp_path)
        manifest = tmp_path / "manifest.jsonl"
        manifest.write_text(manifest.read_text("utf-8") + torn, "utf-8")
        site.pages["/1"] = "changed"
        crawl(site, tmp_path)
        assert len(lines(tmp_path)) == 4


@pytest.mark.parametrize("cut", [1, 7, 300, 900, 4000, 100_000])
@pytest.mark.parametrize("name", ["pages.warc.gz", "pages.warc"])
def test_an_archive_that_lost_its_end_goes_on(tmp_path: Path, name: str, cut: int) -> None:
    """What was in it is fetched again, and each record can be read."""
    into = tmp_path / name
    with web(numbered(5)) as site:
        crawl(site, into)
        into.write_bytes(into.read_bytes()[:-cut])
        site.pages["/1"] = "changed"
        again = crawl(site, into)
        assert again.fetched + again.unchanged == 5 and again.fetched >= 1
        found = archived(into)
        assert {url.removeprefix(site.url) for url in found} == set(site.pages)
        assert crawl(site, into).fetched == 0 and archived(into) == found


@pytest.mark.parametrize("name", ["pages.warc.gz", "pages.warc"])
def test_a_shorter_archive_that_is_whole_stays_as_it_is(tmp_path: Path, name: str) -> None:
    """Somebody put another in the place of the crawl's own."""
    with web(numbered(5)) as site:
        crawl(site, tmp_path / name)
        crawl(site, tmp_path / f"other.{name}", "/1")
        other = (tmp_path / f"other.{name}").read_bytes()
        (tmp_path / name).write_bytes(other)
        crawl(site, tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(other)
        assert len(archived(tmp_path / name)) >= 5


def archived(path: Path) -> list[str]:
    """The answers in a WARC file of which the end was lost, as an independent reader has them."""
    with path.open("rb") as file:
        return [
            record.rec_headers.get_header("WARC-Target-URI")
            for record in ArchiveIterator(file, check_digests="raise")
            if record.content_stream().read() and record.rec_type == "response"
        ]


@pytest.mark.parametrize("name", ["pages.warc.gz", "pages.warc"])
def test_a_torn_record_is_cut_off(tmp_path: Path, name: str) -> None:
    into = tmp_path / name
    with web(numbered(3)) as site:
        crawl(site, into)
        whole = into.read_bytes()
        into.write_bytes(whole + whole[:150])
        site.pages["/1"] = "changed"
        assert crawl(site, into).fetched == 1 and len(in_warc(into)) == 4
        (tmp_path / "other.warc").write_bytes(whole[:-20])
        with pytest.raises(kb.SourceError, match="no whole WARC file"):
            crawl(site, tmp_path / "other.warc")
        (tmp_path / "other.warc").write_bytes(whole)  # one of somebody else's, that goes on
        if name.endswith("warc"):
            assert crawl(site, tmp_path / "other.warc").fetched == 3


@pytest.mark.parametrize("name", ["pages", "pages.warc"])
@pytest.mark.parametrize(
    "plan",
    [{"place": "../victim"}, {"place": "/etc/victim"}, {"place": 5}, {}, [1], {"offset": "x"}],
)
def test_a_forged_plan_writes_nothing(tmp_path: Path, name: str, plan: object) -> None:
    into, victim = tmp_path / name, tmp_path / "victim"
    victim.write_text("mine")
    with web(numbered(2)) as site:
        crawl(site, into)
        hidden = into / ".crawl" if into.is_dir() else tmp_path / f".{name}.crawl"
        hidden.with_name(hidden.name + ".part").write_text("forged")
        kept = [path.read_bytes() for path in sorted(tmp_path.rglob("*.html"))]
        if isinstance(plan, dict):
            plan = {"line": "forged", **plan}
        with closing(sqlite3.connect(hidden.with_name(hidden.name + ".db"))) as db:
            db.execute("update plan set what = ?, done = 0", (json.dumps(plan),))
            db.execute("update page set place = '../victim', validators = '{\"ETag\": \"1\"}'")
            db.commit()
        with pytest.raises(kb.SourceError, match="delete that file to begin anew"):
            crawl(site, into)
        assert victim.read_text() == "mine"
        assert kept == [path.read_bytes() for path in sorted(tmp_path.rglob("*.html"))]
        with closing(sqlite3.connect(hidden.with_name(hidden.name + ".db"))) as db:
            db.execute("delete from plan")
            db.commit()
        assert crawl(site, into).fetched == 2  # what is said to be at a foreign place is not there


def test_an_interrupted_crawl_says_what_to_do(tmp_path: Path) -> None:
    with web({"/": lambda asked: (time.sleep(5), Says("x"))[1]}) as site:
        running = command(site, tmp_path)
        while not site.asked and running.poll() is None:
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert (running.returncode, out) == (-signal.SIGINT, "") and "the same command goes on" in err
