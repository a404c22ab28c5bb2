"""Crawling: whom it asks, how often, and how much. Only ever a server on loopback."""

from __future__ import annotations

import gzip
import json
import math
import shlex
import socket
import time
from email.utils import formatdate
from pathlib import Path
from urllib.parse import quote

import pytest

import kb
from kb.cli.render.output import counted
from scraper.crawl import private_address_guard, robots
from scraper.crawl.parse_response import view_response
from scraper.crawl.polite_client import MOST_HOPS
from scraper.crawl.queue import CrawlQueue, QueueEntry
from tests.crawling import Clock, clock, crawl, failed, kept, numbered, run, soon
from tests.timing import grows_linearly
from tests.webs import Asked, Page, Says, html, links, web

__all__ = ["clock", "soon"]  # fixtures


# -- manners ---------------------------------------------------------------------------------------


def test_robots_is_asked_first_and_heeded(tmp_path: Path) -> None:
    rules = "User-agent: *\nDisallow: /private/\n\nUser-agent: other\nDisallow: /"
    with web({"/": links("/a", "/private/b"), "/a": "a", "/private/b": "b"}) as site:
        site.pages["/robots.txt"] = Says(rules, kind="text/plain")
        done = crawl(site, tmp_path)
        assert site.log[0].target == "/robots.txt" and site.asked == ["/", "/a"]
        assert (done.fetched, done.skipped) == (2, {"robots.txt": 1})
        said = {one.headers["User-Agent"] for one in site.log}
        assert all(agent.startswith("sansho/") for agent in said) and len(said) == 1
        assert not any("Cookie" in one.headers for one in site.log)


@pytest.mark.parametrize(
    ("agent", "is_meant"),
    [
        ("sansho", True), ("Sansho", True), ("sansho/1.0", True), ("sansho *", True), ("*", True),
        ("s", False), ("san", False), ("sansho-images", False), ("sanshoku", False), ("", False),
    ],
)  # fmt: skip
def test_a_group_is_for_the_name_that_it_gives(agent: str, is_meant: bool) -> None:
    rules = robots.parse_rules(f"User-agent: other\nUser-Agent: {agent}\nDisallow: /a # no\n")
    assert rules.allow("http://a.jp/a") is not is_meant
    both = f"User-agent: *\nDisallow: /\n\nUser-agent: {agent}\nDisallow: /b\n"
    assert robots.parse_rules(both).allow("http://a.jp/a") is (is_meant and agent != "*")


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_a_robots_file_that_is_not_there_allows_all(tmp_path: Path, status: int) -> None:
    with web({"/": "page", "/robots.txt": Says("Disallow: /", status)}) as site:
        assert crawl(site, tmp_path).fetched == 1


@pytest.mark.parametrize(
    "answer",
    [
        Says("", 500),
        Says("", 503),
        Says("", 429),
        Says(raw=b""),
        Says("", 301, {"Location": "http://127.0.0.2:9/robots.txt"}),
        Says("", 301, {"Location": "/robots.txt"}),
    ],
)
def test_a_robots_file_that_can_not_be_had_allows_nothing(tmp_path: Path, answer: Says) -> None:
    with web({"/": "page", "/robots.txt": answer}) as site:
        with pytest.raises(kb.SourceError, match=r"robots\.txt can't be read"):
            crawl(site, tmp_path)
        assert site.asked == []
        site.pages["/robots.txt"] = Says("")
        assert crawl(site, tmp_path).fetched == 1  # a later run tries again


def test_a_robots_file_may_be_moved_and_vast(tmp_path: Path) -> None:
    vast = "User-agent: *\nDisallow: /a\n" + "# x\n" * 300_000
    with web({"/": links("/a", "/b"), "/a": "a", "/b": "b", "/r": Says(vast)}) as site:
        site.pages["/robots.txt"] = Says("", 302, {"Location": "/r"})
        assert crawl(site, tmp_path).skipped == {"robots.txt": 1}


@pytest.mark.parametrize("kind", ["image/png", "text/css", ""])
def test_a_robots_file_may_be_declared_as_anything(tmp_path: Path, kind: str) -> None:
    rules = Says("\ufeffUser-agent: *\nDisallow: /a", kind=kind)
    with web({"/": links("/a"), "/a": "a", "/robots.txt": rules}) as site:
        assert crawl(site, tmp_path).skipped == {"robots.txt": 1}


@pytest.mark.parametrize("cut", [0, 9])
def test_a_robots_file_may_come_compressed(tmp_path: Path, cut: int) -> None:
    """Though that is not asked for; one that can't be read allows nothing."""
    packed = gzip.compress(b"User-agent: *\nDisallow: /a\n", mtime=0)
    with web({"/": links("/a"), "/a": "a"}) as site:
        headers = {"Content-Encoding": "gzip"}
        site.pages["/robots.txt"] = Says(packed[: len(packed) - cut], headers=headers)
        if cut:
            with pytest.raises(kb.SourceError, match="nothing there is allowed"):
                crawl(site, tmp_path)
        else:
            assert crawl(site, tmp_path).skipped == {"robots.txt": 1}


RULES = "User-agent: *\nDisallow: /a\nDisallow: /非\n"


@pytest.mark.parametrize(
    "body",
    [
        *(RULES.encode(charset) for charset in ("utf-8-sig", "utf-16", "utf-32", "utf-16-le")),
        b"\xfe\xff" + RULES.encode("utf-16-be"),
        RULES.encode("utf-32-be"),
        gzip.compress(RULES.encode(), mtime=0),
        RULES.encode() + "# é".encode("latin-1"),
    ],
)
def test_a_robots_file_in_any_charset_is_read(body: bytes) -> None:
    rules = robots.parse_rules(robots.decode_rules(body))
    assert not rules.allow("http://x.jp/a") and rules.allow("http://x.jp/b")


def test_paths_in_the_charset_of_the_site() -> None:
    rules = robots.parse_rules(robots.decode_rules(RULES.encode("euc_jp")))
    assert not rules.allow(f"http://x.jp/{quote('非公開', encoding='euc_jp')}")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"\x89PNG\r\n\0\0", "is no text"),
        (b"User-agent: *\nDisallow:\0 /a", "is no text"),
        (b"\x1f\x8bbroken", "can't be unpacked"),
        (gzip.compress(b"#" * (1 << 20), mtime=0), "can't be unpacked"),
        (b"\n <!DOCTYPE html><p>User-agent: *", "is a web page"),
        (b'{"error": 404}', "has no line"),
    ],
)
def test_what_is_no_robots_file_allows_nothing(tmp_path: Path, body: bytes, why: str) -> None:
    with pytest.raises(robots.UnreadableRules, match=why):
        robots.decode_rules(body)
    with web({"/": "page", "/robots.txt": Says(body)}) as site:
        with pytest.raises(kb.SourceError, match=f"can't be read .{why}.*nothing there is allowed"):
            crawl(site, tmp_path)
        assert site.asked == []


@pytest.mark.parametrize("body", ["", "# nothing", "Sitemap: http://x.jp/map", "User-agent: *"])
def test_a_robots_file_without_rules_allows_all(body: str) -> None:
    assert robots.parse_rules(robots.decode_rules(body.encode())).allow("http://x.jp/a")


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ("Crawl-delay: 2.5", 2.5),
        ("crawl delay: 10 s # slow", 10),
        ("Crawl-delay: ５", 5),
        ("Crawl-delay: 1000000000", 1e9),
        *((f"Crawl-delay: {odd}", math.inf) for odd in ("-1", "nan", "1e400", "9" * 999, "soon")),
        ("Request-rate: 1/2m", 120),
        *((f"Request-rate: {odd}", math.inf) for odd in ("0/1", "1/0", f"1/{'9' * 400}", "x")),
        ("Crawl-delay:", 0),
    ],
)
def test_the_pace_that_a_site_asks_for(line: str, seconds: float) -> None:
    assert robots.parse_rules(f"User-agent: *\n{line}\nDisallow: /a").delay == seconds


def test_a_pace_that_is_unreasonable_is_refused(tmp_path: Path, clock: Clock) -> None:
    """Before a page is asked for; a person who wants to wait says so."""
    with web({"/": "page"}) as site:
        for value, why in (
            ("900", "15 minutes"),
            ("1000000000", "11,574.1 days"),
            ("-1", "no num"),
        ):
            site.pages["/robots.txt"] = Says(f"User-agent: *\nCrawl-delay: {value}")
            with pytest.raises(kb.SourceError, match=why):
                crawl(site, tmp_path / value)
        assert site.asked == [] and clock.slept == []
        site.pages["/robots.txt"] = Says("User-agent: *\nCrawl-delay: 900")
        assert crawl(site, tmp_path / "slow", delay=900.0).fetched == 1 and clock.slept == [900]


def test_requests_keep_their_distance(tmp_path: Path, clock: Clock) -> None:
    with web({"/": links("/a", "/b"), "/a": "a", "/b": "b"}) as site:
        times: list[float] = []
        answer = site.answer
        site.answer = lambda *said: (times.append(clock.now), answer(*said))[1]  # type: ignore[method-assign]
        crawl(site, tmp_path, delay=7.0)
        assert times == [1000.0, 1007.0, 1014.0, 1021.0]


@pytest.mark.parametrize("rule", ["Crawl-delay: 0.2", "Request-rate: 5/1"])
def test_a_site_may_ask_for_more_distance(tmp_path: Path, clock: Clock, rule: str) -> None:
    with web({"/": links("/a"), "/a": "a", "/robots.txt": f"User-agent: *\n{rule}"}) as site:
        site.pages["/robots.txt"] = Says(f"User-agent: *\n{rule}", kind="text/plain")
        crawl(site, tmp_path)
        assert clock.slept == pytest.approx([0.2, 0.2])  # before each page


def test_who_is_busy_is_waited_for(tmp_path: Path, clock: Clock) -> None:
    """By seconds, by a date, by a wait of our own that grows."""

    def busy(status: int, after: str, times: int) -> Page:
        return lambda asked: (
            Says("later", status, {"Retry-After": after}) if asked.before < times else Says("there")
        )

    in_a_minute = formatdate(time.time() + 60, usegmt=True)
    pages: dict[str, Page] = {
        "/": links("/a", "/b", "/c"),
        "/a": busy(429, "30", 1),
        "/b": busy(503, in_a_minute, 1),
        "/c": busy(503, "", 2),
    }
    with web(pages) as site:
        assert crawl(site, tmp_path).fetched == 4
        assert max(clock.slept) <= 60 < sum(clock.slept) and 30 in clock.slept
        assert [site.asked.count(page) for page in ("/a", "/c")] == [2, 3]


def test_who_is_busy_for_long_is_left_for_another_day(tmp_path: Path) -> None:
    refusing = Says("no", 503)
    with web({"/": links("/a", "/b", "/c"), "/a": refusing, "/c": "c"}) as site:
        site.pages["/b"] = Says("no", 429, {"Retry-After": "86400"})
        done = crawl(site, tmp_path)
        assert failed(done)["/a"] == "503 Service Unavailable, 4 times"
        assert failed(done)["/b"] == "429 Too Many Requests: asks to come back in 24.0 hours"
        assert done.fetched == 2 and site.asked.count("/b") == 1
        site.pages["/a"] = site.pages["/b"] = "healed"
        assert crawl(site, tmp_path).fetched == 2


def test_a_host_that_refuses_all_is_left_alone(tmp_path: Path) -> None:
    pages: dict[str, Page] = {f"/{n}": Says("no", 503) for n in range(20)}
    with web({"/": links(*pages), **pages}) as site:
        done = crawl(site, tmp_path)
        assert done.left == 15 and "left alone" in done.failed[-1].what
        for page in pages:
            site.pages[page] = "there"
        done = crawl(site, tmp_path)
        assert (done.fetched, done.left, done.failed) == (21, 0, ())


def test_marks_in_pages_are_heeded(tmp_path: Path) -> None:
    site_pages: dict[str, Page] = {
        "/": links("/noindex", "/nofollow", "/header") + '<a rel="x NoFollow" href="/no1">x</a>',
        "/noindex": Says(html(links("/seen"), '<meta name="ROBOTS" content="NoIndex">')),
        "/nofollow": Says(html(links("/no2"), '<meta name="robots" content="nofollow">')),
        "/header": Says(html(links("/no3")), headers={"X-Robots-Tag": "none"}),
        "/seen": Says(html("seen", '<meta name="otherbot" content="noindex">')),
    }
    with web(site_pages) as site:
        done = crawl(site, tmp_path)
        assert sorted(kept(site, tmp_path)) == ["/", "/nofollow", "/seen"]
        assert done.skipped == {"noindex": 2} and not any(
            "/no1" in t or "/no2" in t or "/no3" in t for t in site.asked
        )


@pytest.mark.parametrize("answer", [Says("", 500), Says("", 503), Says(raw=b"")])
@pytest.mark.parametrize(("fetched", "left"), [(12, 13), (28, 0)])
def test_a_host_that_dies_is_said_with_the_command_that_goes_on(
    tmp_path: Path, answer: Says, fetched: int, left: int
) -> None:
    """Whether it is given up, or the last pages were those that it did not give."""
    with web(numbered(30)) as site:
        pages = dict(site.pages)
        site.pages |= {f"/{n}": answer for n in range(fetched, 30)}
        words = [site.url, "--into", str(tmp_path / "my pages"), "--delay", "0"]
        done = run(*words)
        said = " ".join(done.stdout.split())
        if answer.status == 500 and not left:  # two pages that are broken
            assert done.exit_code == 0 and "goes on" not in said
            return
        failures = 30 - fetched - left
        assert done.exit_code == 1 and f"{fetched} pages fetched" in said
        assert f"{counted(left, 'page')} known and not asked for and {failures} that failed" in said
        assert "--max" not in said and shlex.join(["sansho", "crawl", *words]) in done.stdout
        assert site.url in done.stderr
        asked = len(site.log)
        site.pages = pages
        done = run(*words, "--json")
        assert (done.exit_code, json.loads(done.stdout)["given_up"]) == (0, [])
        assert sorted(kept(site, tmp_path / "my pages")) == sorted(pages)
        assert site.asked.count("/1") == 1 and len(site.log) > asked


def test_pages_that_never_come_do_not_hold_up_the_next_round(tmp_path: Path) -> None:
    """They are asked for again, each at least once, before the others are asked for changes."""
    broken = Says(raw=b"")
    pages: dict[str, Page] = {f"/{n}": broken for n in range(6)}
    with web({"/": links("/a", *pages), "/a": "a", **pages}) as site:
        for asked in (1, 1, 1, 2):
            done = crawl(site, tmp_path)
            assert [host.url for host in done.given_up] == [site.url]
            assert site.asked.count("/a") == asked


def test_directives_are_read_as_documents_have_them() -> None:
    """`gold/robots.tsv`: what holds, the document that says so, headers, tags."""
    table = (Path(__file__).parents[1] / "gold" / "robots.tsv").read_text("utf-8")
    wrong = []
    for line in table.splitlines()[1:]:
        holds, _, headers, tags = line.split("\t")
        body = f"<!DOCTYPE html><html><head><title>t</title>{tags}</head><body><p>x</body>"
        found = view_response("http://a.jp/", body.encode(), "", headers.split(" | ")).marks
        if found != set(holds.replace("-", "").split()):
            wrong.append((sorted(found), line))
    assert not wrong


@pytest.mark.parametrize("piece", ["max-", "a:", ": ", "unavailable_after:", "mon,", " ", "\t:\n"])
def test_reading_directives_takes_no_square_of_anything(piece: str) -> None:
    assert grows_linearly(lambda times: robots.parse_directives([piece * times]), 20_000)


def test_a_contact_is_told_and_can_not_break_out(tmp_path: Path) -> None:
    with web({"/": "page"}) as site:
        crawl(site, tmp_path, contact="mailto:me@example.org")
        assert site.log[0].headers["User-Agent"].endswith("(+mailto:me@example.org)")
        for bad in ("a\r\nX: y", "人"):
            with pytest.raises(kb.SourceError, match="contact"):
                crawl(site, tmp_path, contact=bad)


# -- staying where it was sent ---------------------------------------------------------------------


def test_it_stays_on_the_site(tmp_path: Path) -> None:
    with web({"/": "other"}) as other, web() as site:
        out = [
            other.url + "/",
            other.url.replace("127.0.0.1", "localhost") + "/",
            "mailto:a@b.c",
            "file:///etc/passwd",
            "ftp://127.0.0.1/",
            "http://[",
            "//127.0.0.2/",
        ]
        redirects = {f"/to{n}": Says("", 302, {"Location": href}) for n, href in enumerate(out)}
        site.pages |= {"/": links(*out, *redirects, "/in"), "/in": "in", **redirects}
        done = crawl(site, tmp_path)
        assert kept(site, tmp_path) == ["/", "/in"] and other.log == []
        assert done.skipped == {"redirects to another site": 3} and len(done.failed) == 4


def test_a_redirect_is_one_page_and_heeds_robots(tmp_path: Path) -> None:
    pages: dict[str, Page] = {
        "/": links("/old", "/new", "/older", "/out"),
        "/new": "new",
        "/old": Says("", 301, {"Location": "/new"}),
        "/older": Says("", 308, {"Location": "old"}),
        "/out": Says("", 307, {"Location": "/private"}),
        "/private": "no",
        "/robots.txt": Says("User-agent: *\nDisallow: /private"),
    }
    with web(pages) as site:
        done = crawl(site, tmp_path)
        assert sorted(kept(site, tmp_path)) == ["/", "/new"]
        assert site.asked.count("/new") == site.asked.count("/old") == 1
        assert "/private" not in site.asked
        assert done.skipped == {"redirect": 3, "robots.txt": 1}


def test_the_letters_of_a_redirect(tmp_path: Path) -> None:
    """Many a server sends them as bytes."""
    raw = "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /あ\r\n\r\n".encode()
    with web({"/": Says(raw=raw), "/%E3%81%82": "there"}) as site:
        assert crawl(site, tmp_path).fetched == 1


def test_circles_of_redirects_end(tmp_path: Path) -> None:
    def on(asked: Asked) -> Says:
        number = int(asked.target.rpartition("/")[2])
        return Says("", 302, {"Location": f"/on/{number + 1}"})

    pages: dict[str, Page] = {f"/on/{n}": on for n in range(99)}
    circle = {f"/c{n}": Says("", 302, {"Location": f"/c{(n + 1) % 3}"}) for n in range(3)}
    pages |= {"/": links("/on/0", "/c0", "/self"), "/self": Says("", 301, {"Location": "/self"})}
    with web({**pages, **circle}) as site:
        done = crawl(site, tmp_path)
        assert sorted(failed(done).values()) == [
            "more than 10 redirects",
            "redirects in a circle",
            "redirects to itself",
        ]
        assert len(site.asked) < 20


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "0.0.0.0",
        "100.64.0.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "192.0.2.1",
        "::1",
        "::",
        "fe80::1%eth0",
        "fc00::1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "2002:7f00:1::",
        "64:ff9b::7f00:1",
        "2001:db8::1",
        "::ffff:0:0",
    ],
)
def test_addresses_that_are_not_public(address: str) -> None:
    assert not private_address_guard.is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "64:ff9b::808:808"])
def test_addresses_that_are_public(address: str) -> None:
    assert private_address_guard.is_public(address)


@pytest.mark.parametrize("answers", [["127.0.0.1"], ["8.8.8.8", "10.0.0.1"], ["::ffff:7f00:1"]])
def test_a_named_site_never_leads_to_a_private_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answers: list[str]
) -> None:
    """By whatever its name stands for; and nothing is connected to before all is looked at."""
    connected: list[object] = []
    monkeypatch.setattr(socket, "create_connection", lambda *said, **_: connected.append(said))
    monkeypatch.setattr(private_address_guard, "resolve", lambda host, port: answers)
    with pytest.raises(kb.SourceError, match="no public address"):
        kb.crawl(["mtgwiki", "引く"], tmp_path, delay=0)
    assert connected == []


def test_the_address_that_was_checked_is_the_one_that_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that is answered otherwise the second time leads nowhere else."""
    looked_up, connected = [], []

    def resolve(host: str, port: int) -> list[str]:
        looked_up.append(host)
        return ["8.8.8.8"]

    def connect(address: tuple[str, int], *_: object, **__: object) -> socket.socket:
        connected.append(address)
        raise ConnectionRefusedError("no")

    monkeypatch.setattr(private_address_guard, "resolve", resolve)
    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(kb.SourceError, match=r"robots\.txt can't be read"):
        kb.crawl(["mtgwiki", "引く"], tmp_path, delay=0)
    assert set(connected) == {("8.8.8.8", 80)} and len(looked_up) == len(connected)


def test_a_proxy_of_others_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with web() as proxy, web({"/": "page"}) as site:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        assert crawl(site, tmp_path).fetched == 1 and proxy.log == []


# -- ceilings --------------------------------------------------------------------------------------


def test_a_ceiling_of_pages(tmp_path: Path) -> None:
    def endless(asked: Asked) -> Says:
        return Says(html(links(f"/{int(asked.target[1:] or 0) + 1}")))

    pages: dict[str, Page] = {f"/{n}": endless for n in range(1, 50)}
    with web({"/": endless, **pages}) as site:
        done = crawl(site, tmp_path, most=5, depth=99)
        assert (done.fetched, done.left, len(site.asked)) == (5, 1, 5)
        assert crawl(site, tmp_path, most=8, depth=99).fetched == 8  # goes on
        assert len(site.asked) == 8
        assert crawl(site, tmp_path, most=8, depth=99).unchanged == 8  # a round more


def test_a_ceiling_of_depth_and_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scraper.crawl.parse_response.MOST_LINKS", 3)
    far = "/" + "x" * 9000
    with web(
        {"/": links("/a", "/b", far, "/c", "/d"), "/a": links("/e"), "/e": links("/f")}
    ) as site:
        crawl(site, tmp_path, depth=2)
        assert site.asked == ["/", "/a", "/b", "/c", "/e"]


@pytest.mark.parametrize(
    ("start", "into", "how", "said"),
    [
        ("http://127.0.0.1:{}/", "x", {"delay": float("nan")}, "can be waited"),
        ("http://127.0.0.1:{}/", "x", {"delay": -1.0}, "can be waited"),
        ("http://127.0.0.1:{}/", "", {}, "give the name of a file or folder"),
        ("http://127.0.0.1:{}/", "n" * 300, {}, "can't be written"),
        ("http://127.0.0.1:{}/", "n" * 250 + ".warc", {}, "can't be written"),
        ("http://127.0.0.1:99999/", "x", {}, "no address of a page"),
    ],
)
def test_what_can_not_be_asked_for(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    start: str,
    into: str,
    how: dict[str, float],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    with web({"/": "page"}) as site:
        port = site.url.rpartition(":")[2]
        with pytest.raises(kb.SourceError, match=said):
            kb.crawl([start.format(port)], into, **{"delay": 0.0, **how})
        assert site.asked == [] and not list(tmp_path.iterdir())


def test_a_long_address_is_one(tmp_path: Path) -> None:
    """A server may take no more than 8,000 characters."""
    long, longer = "/" + "m" * 5000, "/" + "n" * 9000
    with web({"/": links(long, longer), long: "page", longer: "page"}) as site:
        assert crawl(site, tmp_path).fetched == 2 and site.asked == ["/", long]
        assert kept(site, tmp_path) == ["/", long]


@pytest.mark.parametrize("hops", [MOST_HOPS, MOST_HOPS + 1])
def test_as_many_redirects_are_followed_as_are_promised(tmp_path: Path, hops: int) -> None:
    pages: dict[str, Page] = {
        f"/on/{n}": Says("", 302, {"Location": f"/on/{n + 1}"}) for n in range(hops)
    }
    with web({"/": links("/on/0"), f"/on/{hops}": "there", **pages}) as site:
        done = crawl(site, tmp_path)
        assert (f"/on/{hops}" in site.asked) is (hops == MOST_HOPS)
        assert list(failed(done).values()) == ["more than 10 redirects"] * (hops > MOST_HOPS)


@pytest.mark.parametrize("asked", [MOST_HOPS, MOST_HOPS + 1])
def test_as_many_redirects_of_robots_txt_are_followed(tmp_path: Path, asked: int) -> None:
    """Of so many requests the last may be the answer."""
    rules = {f"/r/{n}": Says("", 302, {"Location": f"/r/{n + 1}"}) for n in range(asked - 2)}
    first = Says("", 302, {"Location": "/r/0"})
    last = Says("User-agent: *\nDisallow: /hidden\n")
    pages: dict[str, Page] = {"/": links("/hidden"), "/hidden": "x", **rules}
    with web({**pages, "/robots.txt": first, f"/r/{asked - 2}": last}) as site:
        if asked == MOST_HOPS:
            assert crawl(site, tmp_path).fetched == 1
        else:
            with pytest.raises(kb.SourceError, match="redirects without end"):
                crawl(site, tmp_path)
        assert "/hidden" not in site.asked


def test_a_page_is_visited_once_in_a_round(tmp_path: Path) -> None:
    queue = CrawlQueue(tmp_path / "queue.db")
    job = queue.begin("crawl", "2026-01-01T00:00:00")
    queue.enqueue(job, [QueueEntry("a", "http://a/", "http://a", "page", 0)])
    row = queue.next(job, (), lists=False)
    assert row is not None
    queue.record_result(job, row, "fetched")
    queue.requeue(job)
    assert queue.next(job, (), lists=False) is None
    queue.finish(job)
    again = queue.begin("crawl", "2026-01-02T00:00:00")
    queue.requeue(again)
    assert queue.next(again, (), lists=False) is not None
    queue.close()
