"""Crawling: what is asked, when, how often, what is kept. Only ever of a server on loopback."""

from __future__ import annotations

import errno
import gzip
import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import zlib
from email.utils import formatdate
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from warcio.archiveiterator import ArchiveIterator

import kb
from kb.cli import main
from scraper.coding import CodingError, decoded
from scraper.crawl import fetch, guard, keep, pace, state
from scraper.crawl.same import same
from tests.conftest import ROOT
from tests.webs import Asked, Page, Says, Web, html, links, mediawiki, pukiwiki, web


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting is a matter of seconds elsewhere."""
    monkeypatch.setattr(pace, "FIRST_WAIT", 0.01)


def crawl(web: Web, into: Path, start: str = "/", **how: Any) -> kb.Crawled:
    return kb.crawl([web.url + start], into, **{"delay": 0.0, **how})


def lines(into: Path) -> list[dict[str, Any]]:
    """The manifest, each line of it true of its file."""
    found = [json.loads(line) for line in (into / "manifest.jsonl").read_text("utf-8").splitlines()]
    for line in found:
        assert hashlib.sha256((into / line["file"]).read_bytes()).hexdigest() == line["sha256"]
    return found


def kept(web: Web, into: Path) -> list[str]:
    return [line["url"].removeprefix(web.url) for line in lines(into)]


def failed(done: kb.Crawled) -> dict[str, str]:
    return {"/" + one.url.split("/", 3)[-1]: one.what for one in done.failed}


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["crawl", *words])


# -- manners ----------------------------------------------------------------------------------


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


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_a_robots_file_that_is_not_there_allows_all(tmp_path: Path, status: int) -> None:
    with web({"/": "page", "/robots.txt": Says("Disallow: /", status)}) as site:
        assert crawl(site, tmp_path).fetched == 1


@pytest.mark.parametrize("answer", [
    Says("", 500), Says("", 503), Says("", 429), Says(raw=b""),
    Says("", 301, {"Location": "http://127.0.0.2:9/robots.txt"}),
    Says("", 301, {"Location": "/robots.txt"}),
])  # fmt: skip
def test_a_robots_file_that_can_not_be_had_allows_nothing(tmp_path: Path, answer: Says) -> None:
    with web({"/": "page", "/robots.txt": answer}) as site:
        with pytest.raises(kb.SourceError, match=r"robots\.txt can't be read"):
            crawl(site, tmp_path)
        assert site.asked == []
        site.pages["/robots.txt"] = ""
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
    packed = gzip.compress(b"User-agent: *\nDisallow: /a\n")
    with web({"/": links("/a"), "/a": "a"}) as site:
        headers = {"Content-Encoding": "gzip"}
        site.pages["/robots.txt"] = Says(packed[: len(packed) - cut], headers=headers)
        if cut:
            with pytest.raises(kb.SourceError, match="nothing there is allowed"):
                crawl(site, tmp_path)
        else:
            assert crawl(site, tmp_path).skipped == {"robots.txt": 1}


def test_requests_keep_their_distance(tmp_path: Path) -> None:
    with web({"/": links("/a", "/b"), "/a": "a", "/b": "b"}) as site:
        times: list[float] = []
        answer = site.answer
        site.answer = lambda *said: (times.append(time.monotonic()), answer(*said))[1]  # type: ignore[method-assign]
        crawl(site, tmp_path, delay=0.1)
        assert len(times) == 4 and min(b - a for a, b in pairwise(times)) > 0.09


@pytest.mark.parametrize("rule", ["Crawl-delay: 0.2", "Request-rate: 5/1"])
def test_a_site_may_ask_for_more_distance(tmp_path: Path, rule: str) -> None:
    with web({"/": links("/a"), "/a": "a", "/robots.txt": f"User-agent: *\n{rule}"}) as site:
        site.pages["/robots.txt"] = Says(f"User-agent: *\n{rule}", kind="text/plain")
        began = time.monotonic()
        crawl(site, tmp_path)
        assert time.monotonic() - began > 0.19


def test_who_is_busy_is_waited_for(tmp_path: Path) -> None:
    """By seconds, by a date, by a wait of our own that grows."""

    def busy(status: int, after: str, times: int) -> Page:
        return lambda asked: (
            Says("later", status, {"Retry-After": after}) if asked.before < times else Says("there")
        )

    in_a_second = formatdate(time.time() + 1.5, usegmt=True)
    pages: dict[str, Page] = {"/": links("/a", "/b", "/c"), "/a": busy(429, "1", 1),
                              "/b": busy(503, in_a_second, 2), "/c": busy(503, "", 2)}  # fmt: skip
    with web(pages) as site:
        began = time.monotonic()
        assert crawl(site, tmp_path).fetched == 4
        assert time.monotonic() - began > 1
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
        assert done.skipped == {"noindex": 2} and not any("/no1" in t or "/no2" in t or "/no3" in t
                                                          for t in site.asked)  # fmt: skip


def test_a_contact_is_told_and_can_not_break_out(tmp_path: Path) -> None:
    with web({"/": "page"}) as site:
        crawl(site, tmp_path, contact="mailto:me@example.org")
        assert site.log[0].headers["User-Agent"].endswith("(+mailto:me@example.org)")
        for bad in ("a\r\nX: y", "人"):
            with pytest.raises(kb.SourceError, match="--contact"):
                crawl(site, tmp_path, contact=bad)


# -- staying where it was sent ----------------------------------------------------------------


def test_it_stays_on_the_site(tmp_path: Path) -> None:
    with web({"/": "other"}) as other, web() as site:
        out = [other.url + "/", other.url.replace("127.0.0.1", "localhost") + "/", "mailto:a@b.c",
               "file:///etc/passwd", "ftp://127.0.0.1/", "http://[", "//127.0.0.2/"]  # fmt: skip
        redirects = {f"/to{n}": Says("", 302, {"Location": href}) for n, href in enumerate(out)}
        site.pages |= {"/": links(*out, *redirects, "/in"), "/in": "in", **redirects}
        done = crawl(site, tmp_path)
        assert kept(site, tmp_path) == ["/", "/in"] and other.log == []
        assert done.skipped == {"redirects to another site": 3} and len(done.failed) == 4


def test_a_redirect_is_one_page_and_heeds_robots(tmp_path: Path) -> None:
    pages: dict[str, Page] = {
        "/": links("/old", "/new", "/older", "/out"), "/new": "new",
        "/old": Says("", 301, {"Location": "/new"}), "/older": Says("", 308, {"Location": "old"}),
        "/out": Says("", 307, {"Location": "/private"}), "/private": "no",
        "/robots.txt": Says("User-agent: *\nDisallow: /private"),
    }  # fmt: skip
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
        assert sorted(failed(done).values()) == ["more than 10 redirects", "redirects in a circle",
                                                 "redirects to itself"]  # fmt: skip
        assert len(site.asked) < 20


@pytest.mark.parametrize("address", [
    "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0",
    "100.64.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "192.0.2.1", "::1", "::",
    "fe80::1%eth0", "fc00::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "2002:7f00:1::",
    "64:ff9b::7f00:1", "2001:db8::1", "::ffff:0:0",
])  # fmt: skip
def test_addresses_that_are_not_public(address: str) -> None:
    assert not guard.is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "64:ff9b::808:808"])
def test_addresses_that_are_public(address: str) -> None:
    assert guard.is_public(address)


@pytest.mark.parametrize("answers", [["127.0.0.1"], ["8.8.8.8", "10.0.0.1"], ["::ffff:7f00:1"]])
def test_a_named_site_never_leads_to_a_private_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answers: list[str]
) -> None:
    """By whatever its name stands for; and nothing is connected to before all is looked at."""
    connected: list[object] = []
    monkeypatch.setattr(socket, "create_connection", lambda *said, **_: connected.append(said))
    monkeypatch.setattr(guard, "resolve", lambda host, port: answers)
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

    monkeypatch.setattr(guard, "resolve", resolve)
    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(kb.SourceError, match=r"robots\.txt can't be read"):
        kb.crawl(["mtgwiki", "引く"], tmp_path, delay=0)
    assert set(connected) == {("8.8.8.8", 80)} and len(looked_up) == len(connected)


def test_a_proxy_of_others_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with web() as proxy, web({"/": "page"}) as site:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        assert crawl(site, tmp_path).fetched == 1 and proxy.log == []


# -- one page, one request --------------------------------------------------------------------


def test_an_address_in_many_spellings_is_one(tmp_path: Path) -> None:
    with web({"/a%20b/c?x=%E5": "page"}) as site:
        ways = ["/a%20b/c?x=%E5", "/a b/c?x=%e5#top", "/a%20b/./z/../c?x=%E5", "/%61%20b/c?x=%E5",
                site.url.replace("http", "HTTP") + "/a%20b/c?x=%E5"]  # fmt: skip
        site.pages["/"] = links(*ways)
        assert crawl(site, tmp_path).fetched == 2 and len(site.asked) == 2


def test_a_page_that_names_another_address_is_that_page(tmp_path: Path) -> None:
    def canonical(href: str) -> str:
        return html("page", f'<link rel="canonical" href="{href}">')

    pages: dict[str, Page] = {
        "/": links("/p?s=1", "/p?s=2", "/p", "/q", "/r"), "/p": Says(canonical("/p")),
        "/p?s=1": Says(canonical("/p")), "/p?s=2": Says(canonical("/p")),
        "/q": Says(canonical("/")), "/r": Says(canonical("/")),
    }  # fmt: skip
    with web(pages) as site:
        done = crawl(site, tmp_path)
        assert kept(site, tmp_path) == ["/", "/p?s=1", "/q", "/r"]  # the last two are a mistake
        assert done.skipped == {"another address of a page": 1} and "/p" not in site.asked


def test_the_views_of_a_wiki_are_not_followed(tmp_path: Path) -> None:
    article = links(
        "/index.php?title=B", "/wiki/B", "/index.php?title=A&action=edit", "/wiki/特別:検索",
        "/wiki/Special:RecentChanges", "/wiki/利用者:X", "/wiki/トーク:A", "/wiki/利用者・トーク:X",
        "/index.php?title=A&oldid=3", "/index.php?title=C&action=edit&redlink=1",
        "/wiki/A_talk:b", "/wiki/Talk:A", "/index.php?title=A&printable=yes", "/wiki/CR:401",
    )  # fmt: skip
    pages: dict[str, Page] = {"/wiki/A": Says(mediawiki("A", article)),
                              "/index.php?title=B": Says(mediawiki("B", links("/wiki/A"))),
                              "/wiki/CR:401": Says(mediawiki("CR:401", "x"))}  # fmt: skip
    with web(pages) as site:
        assert crawl(site, tmp_path, "/wiki/A").fetched == 3
        assert site.asked == ["/wiki/A", "/index.php?title=B", "/wiki/CR:401"]


def test_the_forms_of_pukiwiki_are_no_pages(tmp_path: Path) -> None:
    """They answer 200, and so does a page that is not there: with a form to write it."""
    form = pukiwiki("無の編集", '<form class="edit_form"></form>').replace(
        b"<head>", b'<head><meta name="robots" content="NOINDEX,NOFOLLOW">'
    )
    error = pukiwiki("E", "").replace(b"<p></p>", b"<h3>Runtime error</h3>")
    start = links("?cmd=edit&amp;page=A", "?cmd=read&amp;page=B", "/index.php?B", "?B", "?無", "?E",
                  "?cmd=diff&amp;page=B", "?RecentChanges", "?:config")  # fmt: skip
    euc = "%CC%B5"
    pages: dict[str, Page] = {
        "/?A": Says(pukiwiki("A", start)), "/?cmd=read&page=B": Says(pukiwiki("B", "b")),
        f"/?{euc}": Says(form), "/?E": Says(error),
    }  # fmt: skip
    with web(pages) as site:
        done = crawl(site, tmp_path, "/?A")
        assert site.asked == ["/?A", "/?cmd=read&page=B", f"/?{euc}", "/?E"]
        assert (done.fetched, sum(done.skipped.values())) == (2, 2)


# -- what is no whole page --------------------------------------------------------------------

_BOMB = gzip.compress(b"<p>" + bytes(60 << 20))


@pytest.mark.parametrize(("answer", "said"), [
    (Says("x" * 10, headers={"Content-Length": "99"}), "peer closed"),
    (Says(gzip.compress(b"<p>x" * 99)[:-9], headers={"Content-Encoding": "gzip"}), "breaks off"),
    (Says("plain", headers={"Content-Encoding": "gzip"}), "compression is broken"),
    (Says("plain", headers={"Content-Encoding": "br"}), "not asked for"),
    (Says(_BOMB, headers={"Content-Encoding": "gzip"}), "unpacks to more"),
    (Says(raw=b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + bytes(40 << 20)), "larger"),
    (Says("x", headers={"Content-Length": str(99 << 20)}), "larger"),
    (Says(raw=b"HTTP/1.1 200 OK\r\nX: " + b"x" * (1 << 20)), "Receive buffer too long"),
    (Says(raw=b"garbage\r\n\r\n"), "illegal status line"), (Says("  "), "an empty answer"),
    (Says("", 500), "500"), (Says("", 301), "without an address"),
    (Says(raw=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"), "closed"),
])  # fmt: skip
def test_what_is_not_whole_is_not_kept(tmp_path: Path, answer: Says, said: str) -> None:
    with web({"/": links("/bad", "/good"), "/bad": answer, "/good": "good"}) as site:
        done = crawl(site, tmp_path)
        assert kept(site, tmp_path) == ["/", "/good"]
        assert said in failed(done)["/bad"]
        assert not list(tmp_path.glob("**/*.part"))


def test_what_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "DEADLINE", 0.5)
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    pid = os.fork()
    if pid == 0:  # a server that says one letter of a header at a time
        listener.settimeout(5)
        try:
            while True:
                connection, _ = listener.accept()
                asked = connection.recv(9999)
                if b"robots.txt" in asked:
                    connection.sendall(b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n")
                    connection.close()
                    continue
                drip = b"HTTP/1.1 200 OK\r\nX: "
                while True:
                    connection.sendall(drip)
                    drip = b"x"
                    time.sleep(0.1)
        except OSError:
            os._exit(0)
    try:
        began = time.monotonic()
        with pytest.raises(kb.SourceError, match="no whole answer within"):
            kb.crawl([f"http://127.0.0.1:{port}/"], tmp_path, delay=0)
        assert time.monotonic() - began < 2
    finally:
        listener.close()
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def test_what_is_no_page_is_skipped(tmp_path: Path) -> None:
    png = b"\x89PNG\r\n\x1a\n" + bytes(99)
    pages: dict[str, Page] = {
        "/image": Says(png), "/png": Says(png, kind="image/png"), "/octet": Says(html("x"),
        kind="application/octet-stream"), "/text": Says("本文", kind="text/plain"),
        "/none": Says(html("x"), kind=""), "/json": Says("{}", kind="application/json"),
        "/css": Says("a{}", kind="text/css"), "/wiki": Says("x", kind="text/x-wiki"),
        "/xml": Says("<a/>", kind="application/rss+xml"),
    }  # fmt: skip
    with web({"/": links(*pages, "/gone"), **pages, "/gone": Says("", 410)}) as site:
        done = crawl(site, tmp_path)
        assert sorted(kept(site, tmp_path)) == ["/", "/json", "/none", "/octet", "/text", "/wiki",
                                                "/xml"]  # fmt: skip
        assert done.skipped == {"gone (410)": 1, "no page (image/png)": 1, "no page (text/css)": 1,
                                "no text (declared as text/html)": 1}  # fmt: skip


def test_a_charset_that_is_declared_wrong_harms_nothing(tmp_path: Path) -> None:
    body = html("カード" + links("?引く")).encode("euc_jp")
    with web({"/": Says(body, kind="text/html; charset=utf-8")}) as site:
        crawl(site, tmp_path)
        assert site.asked == ["/", "/?%B0%FA%A4%AF"]  # as the page's own letters are
        assert (tmp_path / lines(tmp_path)[0]["file"]).read_bytes() == body


def test_a_charset_that_is_none_harms_nothing(tmp_path: Path) -> None:
    with web(
        {"/": Says(html("カード").encode("euc_jp"), kind="text/html; charset=base64")}
    ) as site:
        assert crawl(site, tmp_path).fetched == 1


def test_an_answer_behind_an_answer_is_nobody_s(tmp_path: Path) -> None:
    body = html("first").encode()
    one = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s"
    both = one % (len(body), body) + one % (5, b"false")
    with web({"/": links("/a", "/b"), "/a": Says(raw=both), "/b": "true"}) as site:
        crawl(site, tmp_path)
        found = {
            line["url"][-2:]: (tmp_path / line["file"]).read_bytes() for line in lines(tmp_path)
        }
        assert found["/a"] == body and b"true" in found["/b"]


@pytest.mark.parametrize("coding", ["gzip", "deflate", "raw deflate", "gzip, gzip", "identity"])
def test_bodies_are_unpacked(coding: str) -> None:
    body = b"<p>" + bytes(range(256)) * 9
    packer = zlib.compressobj(wbits=-15)
    packed = {"gzip": gzip.compress(body[:9]) + gzip.compress(body[9:]), "identity": body,
              "deflate": zlib.compress(body), "raw deflate": packer.compress(body) + packer.flush(),
              "gzip, gzip": gzip.compress(gzip.compress(body))}[coding]  # fmt: skip
    assert decoded(packed, coding.removeprefix("raw "), 9999) == body
    if coding != "identity":
        with pytest.raises(CodingError):
            decoded(packed[:-2], coding.removeprefix("raw "), 9999)
        with pytest.raises(CodingError):
            decoded(packed, coding.removeprefix("raw "), 99)


# -- ceilings ---------------------------------------------------------------------------------


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
    monkeypatch.setattr("scraper.crawl.look.MOST_LINKS", 3)
    far = "/" + "x" * 3000
    with web(
        {"/": links("/a", "/b", far, "/c", "/d"), "/a": links("/e"), "/e": links("/f")}
    ) as site:
        crawl(site, tmp_path, depth=2)
        assert site.asked == ["/", "/a", "/b", "/c", "/e"]


# -- again ------------------------------------------------------------------------------------


def test_a_second_round_asks_whether_anything_changed(tmp_path: Path) -> None:
    def page(asked: Asked) -> Says:
        same = asked.headers.get("If-None-Match") == '"1"'
        return Says("", 304) if same else Says(html(links("/a")), headers={"ETag": '"1"'})

    dated = "Sat, 21 Nov 2026 00:40:59 GMT"

    def old(asked: Asked) -> Says:
        same = asked.headers.get("If-Modified-Since") == dated
        return Says("", 304) if same else Says(html("old"), headers={"Last-Modified": dated})

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


def test_ages_and_times_are_no_change(tmp_path: Path) -> None:
    """Of a page that sansho reads, and of one that it does not."""

    def plain(asked: Asked) -> Says:
        ticket = f'<input type="hidden" name="digest" value="{asked.before}">'
        return Says(html(f"page <!-- {asked.before} --> x ({asked.before}d) {ticket}"))

    def article(asked: Asked) -> Says:
        words = "引く" if asked.before < 3 else "捨てる"
        return Says(pukiwiki("A", f'{words} <a href="?B" title="B (AGE)">B</a>',
                             f"{asked.before}d", f"0.{asked.before}"))  # fmt: skip

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


@pytest.mark.parametrize("hurtful", ["<!--", "<script>", '<div id="menubar">', "<p>(1", "<input "])
def test_comparing_takes_no_square_of_anything(hurtful: str) -> None:
    pages = [(hurtful * 100_000 + end).encode() for end in ("a", "b")]
    began = time.process_time()
    same(*pages, "http://a.jp/", "", "")
    assert time.process_time() - began < 10


@pytest.mark.parametrize(("new", "changed"), [
    ('<p>words <a href="/x">x</a> (9h)<script>2</script></p><ul class="recent">2</ul>', False),
    ('<p>words <a href="/y">x</a></p><ul class="recent">1</ul>', True),
    ('<p>other <a href="/x">x</a></p><ul class="recent">1</ul>', True),
    ('<p>words <a href="/x">x</a></p><ul class="recent">1</ul>more', True),
])  # fmt: skip
def test_what_is_a_change_of_a_page_that_nobody_knows(new: str, changed: bool) -> None:
    old = '<p>words <a href="/x">x</a> (1d)<script>1</script></p><ul class="recent">1</ul>'
    assert same(html(old).encode(), html(new).encode(), "http://a.jp/", "", "") != changed


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
    with web({"/": lambda asked: Says(html("x"), 304 if asked.headers.get("If-None-Match") else 200,
                                      tag)}) as site:  # fmt: skip
        crawl(site, tmp_path)
        (tmp_path / lines(tmp_path)[0]["file"]).unlink()
        assert crawl(site, tmp_path).fetched == 1


# -- interrupted ------------------------------------------------------------------------------


def numbered(number: int) -> dict[str, Page]:
    pages: dict[str, Page] = {f"/{n}": f"page {n}" + "x" * 5000 for n in range(1, number)}
    return {"/": links(*pages), **pages}


def command(web: Web, into: Path) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", "from kb.cli import main; main()", "crawl", web.url + "/",
             "--into", str(into), "--delay", "0", "--json"]  # fmt: skip
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            cwd=ROOT)  # fmt: skip


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
        assert json.loads(out)["fetched"] == 40 and 1 < kills < 4
        urls = kept(site, into) if into.is_dir() else in_warc(into)
        assert sorted(url.removeprefix(site.url) for url in urls) == sorted(site.pages)
        twice = [page for page in site.pages if site.asked.count(page) > 1]
        assert len(twice) <= kills  # those under way when it was killed
        assert {path.name for path in tmp_path.rglob("*") if path.name.endswith(".part")} == set()


def in_warc(path: Path) -> list[str]:
    """The answers in a WARC file, as an independent reader has them."""
    with path.open("rb") as file:
        found = [(record.rec_type, record.rec_headers.get_header("WARC-Target-URI"),
                  record.digest_checker.passed)
                 for record in ArchiveIterator(file, check_digests="raise")]  # fmt: skip
    types = [kind for kind, _, _ in found]
    assert types.count("warcinfo") == 1 and types[0] == "warcinfo"
    assert types.count("response") == types.count("request")
    return [url for kind, url, _ in found if kind == "response"]


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
@pytest.mark.parametrize("step", ["stage", "publish", "written"])
@pytest.mark.parametrize("name", ["pages", "pages.warc.gz"])
def test_a_crash_at_any_step_leaves_nothing_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: bool, step: str, name: str
) -> None:
    into = tmp_path / name
    home: Any = state.State if step == "written" else type(keep.keeper(into, ""))
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


def test_an_interrupted_crawl_says_what_to_do(tmp_path: Path) -> None:
    with web({"/": lambda asked: (time.sleep(5), Says("x"))[1]}) as site:
        running = command(site, tmp_path)
        while not site.asked and running.poll() is None:
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=10)
    assert (running.returncode, out) == (2, "") and "the same command goes on" in err


# -- what people are told ---------------------------------------------------------------------


def test_a_memory_that_is_damaged(tmp_path: Path) -> None:
    with web(numbered(3)) as site:
        crawl(site, tmp_path)
        data = (tmp_path / ".crawl.db").read_bytes()
        for broken in (b"x" * 5000, data[:4096] + b"x" * (len(data) - 4096)):
            (tmp_path / ".crawl.db").write_bytes(broken)
            with pytest.raises(kb.SourceError, match="delete that file to begin anew"):
                crawl(site, tmp_path)


def test_two_crawls_do_not_share_a_folder(tmp_path: Path) -> None:
    with web({"/": "x"}) as site:
        seen: list[str] = []

        def second(asked: Asked) -> Says:
            with pytest.raises(kb.SourceError, match="another crawl is at work") as trouble:
                crawl(site, tmp_path)
            seen.append(str(trouble.value))
            return Says("x")

        site.pages["/"] = second
        crawl(site, tmp_path)
        assert len(seen) == 1


def test_a_full_disk_keeps_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, left = keep._write, [3]

    def full(path: Path, data: bytes) -> None:
        left[0] -= 1
        if left[0] < 0:
            path.write_bytes(data[:7])
            raise OSError(errno.ENOSPC, "No space left on device")
        real(path, data)

    with web(numbered(6)) as site:
        with monkeypatch.context() as patch:
            patch.setattr(keep, "_write", full)
            with pytest.raises(kb.SourceError, match=r"the disk is full; .* same command goes on"):
                crawl(site, tmp_path)
        assert len(lines(tmp_path)) == 3
        assert crawl(site, tmp_path).fetched == 6


@pytest.mark.parametrize(("words", "said"), [
    (["nowhere"], "there are mtgwiki, yugioh-wiki, dmwiki, wisdom-guild"),
    (["ftp://a.jp/"], "no address of a page"), (["http://"], "no address of a page"),
    (["http://u:p@a.jp/"], "no address of a page"),
    (["mtgwiki", "http://a.jp/"], "not both"), (["yugioh-wiki", "😀"], "can't have"),
    (["wisdom-guild"], "has no list of its pages"),
    (["http://127.0.0.1:9/"], "can't be read"), (["http://sansho.invalid/"], "no such host"),
])  # fmt: skip
def test_what_can_not_be_done(tmp_path: Path, words: list[str], said: str) -> None:
    done = run(*words, "--into", str(tmp_path / "x"), "--delay", "0", "--json")
    assert (done.exit_code, done.stdout) == (2, "") and said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_place_that_can_not_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for into in (tmp_path / "file", tmp_path / "file" / "x", tmp_path / "file" / "x.warc"):
        done = run("http://127.0.0.1:9/", "--into", str(into))
        assert done.exit_code == 2 and str(tmp_path) in done.stderr


def test_what_the_command_says(tmp_path: Path) -> None:
    with web({"/": links("/a", "/b"), "/b": Says("", 500)}) as site:
        done = run(site.url, "--into", str(tmp_path), "--delay", "0", "--json")
        found = json.loads(done.stdout)
        assert done.exit_code == 0 and set(found) >= {"fetched", "unchanged", "skipped", "failed"}
        assert found["failed"] == [{"url": f"{site.url}/b", "what": "500 Internal Server Error"}]
        done = run(site.url, "--into", str(tmp_path), "--delay", "0")
        assert "0 pages fetched, 1 unchanged" in done.stdout and "/b: 500" in done.stderr
        done = run(f"{site.url}/none", "--into", str(tmp_path), "--delay", "0", "--json")
        assert done.exit_code == 1 and json.loads(done.stdout)["skipped"] == {"not there (404)": 1}
        site.pages["/robots.txt"] = Says("User-agent: *\nDisallow: /")
        done = run(f"{site.url}/x", "--into", str(tmp_path), "--delay", "0", "--json")
        assert (done.exit_code, done.stdout) == (2, "") and "allows none" in done.stderr


def test_a_long_crawl_is_estimated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace.time, "sleep", lambda seconds: None)
    told: list[str] = []
    with web(numbered(80)) as site:
        kb.crawl([site.url], tmp_path, say=told.append)
    assert any("79 pages are known so far" in text and "79 seconds" in text for text in told)


def test_names_of_files_are_safe(tmp_path: Path) -> None:
    names = ["/../../etc/passwd", "/..%2f..%2fx", "/a/b?c=d/../e", "/%00", "/.hidden", "/CON",
             "/" + "%E5" * 600, "/a:b*c|d"]  # fmt: skip
    for name in names:
        answer = fetch.Answer("http://a.jp:80" + name, 200, "", (), b"", b"", "2026-01-01T00", ())
        file = keep.file_name(answer)
        folder, _, last = file.partition("/")
        assert "/" not in last and ".." not in file and not last.startswith(".")
        assert len(last) < 140 and folder == "a.jp_80"


def test_the_source_of_a_wiki_that_is_not_known_by_name(tmp_path: Path) -> None:
    """Its engine, script and charset are told by the page that is named."""
    view = pukiwiki("Aのソース", "<pre>[[B]]を引く</pre>")
    with web({"/w/?A": Says(pukiwiki("A", "x")), "/w/?B": Says(pukiwiki("B", "x"))}) as site:
        for name in ("A", "B"):
            site.pages[f"/w/index.php?plugin=source&page={name}"] = Says(view)
        done = crawl(site, tmp_path / "p", "/w/?A", source=True, depth=0)
        assert done.fetched == 1 and site.asked[-1] == "/w/index.php?plugin=source&page=A"
    text = Says("[[乙|おつ]]を引く", kind="text/x-wiki; charset=UTF-8")
    raw = "/index.php?title={}&action=raw"
    with web({"/wiki/A": Says(mediawiki("A", "x")), raw.format("A"): text}) as site:
        site.pages[raw.format("%E4%B9%99")] = text
        done = crawl(site, tmp_path / "m", "/wiki/A", source=True, depth=1)
        assert kept(site, tmp_path / "m") == [raw.format("A"), raw.format("%E4%B9%99")]
        assert crawl(site, tmp_path / "m", "/wiki/A", source=True, depth=1).unchanged == 2
