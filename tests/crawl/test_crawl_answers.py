"""Crawling: what is made of answers, good and broken ones. Only ever of a server on loopback."""

from __future__ import annotations

import errno
import gzip
import json
import os
import signal
import socket
import time
import zlib
from pathlib import Path

import pytest

import kb
from scraper.crawl import http_client, page_store, waiting_times
from scraper.sources.http_body import BodyError, decode_body
from tests.crawling import crawl, failed, kept, lines, numbered, run, soon
from tests.webs import Asked, Page, Says, html, links, mediawiki, pukiwiki, web

__all__ = ["soon"]  # used by every test here


# -- one page, one request -------------------------------------------------------------------------


def test_an_address_in_many_spellings_is_one(tmp_path: Path) -> None:
    with web({"/a%20b/c;d?x=%E5": "page"}) as site:
        ways = [
            "/a%20b/c;d?x=%E5",
            "/a b/c;d?x=%e5#top",
            "/a%20b/./z/../c;d?x=%E5",
            "/%61%20b/c;d?x=%E5",
            site.url.replace("http", "HTTP") + "/a%20b/c;d?x=%E5",
        ]
        site.pages["/"] = links(*ways)
        assert crawl(site, tmp_path).fetched == 2 and len(site.asked) == 2


def test_a_page_that_names_another_address_is_that_page(tmp_path: Path) -> None:
    def canonical(href: str) -> str:
        return html("page", f'<link rel="canonical" href="{href}">')

    pages: dict[str, Page] = {
        "/": links("/p?s=1", "/p?s=2", "/p", "/q", "/r"),
        "/p": Says(canonical("/p")),
        "/p?s=1": Says(canonical("/p")),
        "/p?s=2": Says(canonical("/p")),
        "/q": Says(canonical("/")),
        "/r": Says(canonical("/")),
    }
    with web(pages) as site:
        done = crawl(site, tmp_path)
        assert kept(site, tmp_path) == ["/", "/p?s=1", "/q", "/r"]  # the last two are a mistake
        assert done.skipped == {"another address of a page": 1} and "/p" not in site.asked


def test_what_is_no_address_of_a_wiki_is_followed_where_nobody_knows_the_wiki(
    tmp_path: Path,
) -> None:
    others = ("/a.html", "/b.php", "/c.php?id=1", "/d.htm", "/e")
    for number, wiki in enumerate((mediawiki, pukiwiki)):
        pages: dict[str, Page] = {
            "/": Says(wiki("A", links(*others))),
            **dict.fromkeys(others, "x"),
        }
        with web(pages) as site:
            assert crawl(site, tmp_path / str(number)).fetched == 6
            assert sorted(kept(site, tmp_path / str(number))) == sorted(pages)


def test_the_views_of_a_wiki_are_not_followed(tmp_path: Path) -> None:
    article = links(
        "/index.php?title=B",
        "/wiki/B",
        "/index.php?title=A&action=edit",
        "/wiki/特別:検索",
        "/wiki/Special:RecentChanges",
        "/wiki/利用者:X",
        "/wiki/トーク:A",
        "/wiki/利用者・トーク:X",
        "/index.php?title=A&oldid=3",
        "/index.php?title=C&action=edit&redlink=1",
        "/wiki/A_talk:b",
        "/wiki/Talk:A",
        "/index.php?title=A&printable=yes",
        "/wiki/CR:401",
    )
    pages: dict[str, Page] = {
        "/wiki/A": Says(mediawiki("A", article)),
        "/index.php?title=B": Says(mediawiki("B", links("/wiki/A"))),
        "/wiki/CR:401": Says(mediawiki("CR:401", "x")),
    }
    with web(pages) as site:
        assert crawl(site, tmp_path, "/wiki/A").fetched == 3
        assert site.asked == ["/wiki/A", "/index.php?title=B", "/wiki/CR:401"]


def test_the_forms_of_pukiwiki_are_no_pages(tmp_path: Path) -> None:
    """They answer 200, and so does a page that is not there: with a form to write it."""
    form = pukiwiki("無の編集", '<form class="edit_form"></form>').replace(
        b"<head>", b'<head><meta name="robots" content="NOINDEX,NOFOLLOW">'
    )
    error = pukiwiki("E", "").replace(b"<p></p>", b"<h3>Runtime error</h3>")
    start = links(
        "?cmd=edit&amp;page=A",
        "?cmd=read&amp;page=B",
        "/index.php?B",
        "?B",
        "?無",
        "?E",
        "?cmd=diff&amp;page=B",
        "?RecentChanges",
        "?:config",
    )
    euc = "%CC%B5"
    pages: dict[str, Page] = {
        "/?A": Says(pukiwiki("A", start)),
        "/?cmd=read&page=B": Says(pukiwiki("B", "b")),
        f"/?{euc}": Says(form),
        "/?E": Says(error),
    }
    with web(pages) as site:
        done = crawl(site, tmp_path, "/?A")
        assert site.asked == ["/?A", "/?cmd=read&page=B", f"/?{euc}", "/?E"]
        assert (done.fetched, sum(done.skipped.values())) == (2, 2)


# -- what is no whole page -------------------------------------------------------------------------

_BOMB = gzip.compress(b"<p>" + bytes(60 << 20))


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Says("x" * 10, headers={"Content-Length": "99"}), "peer closed"),
        (
            Says(gzip.compress(b"<p>x" * 99)[:-9], headers={"Content-Encoding": "gzip"}),
            "breaks off",
        ),
        (Says("plain", headers={"Content-Encoding": "gzip"}), "compression is broken"),
        (Says("plain", headers={"Content-Encoding": "br"}), "other than gzip"),
        (Says(_BOMB, headers={"Content-Encoding": "gzip"}), "unpacks to more"),
        (
            Says(raw=b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + bytes(40 << 20)),
            "larger",
        ),
        (Says("x", headers={"Content-Length": str(99 << 20)}), "larger"),
        (Says(raw=b"HTTP/1.1 200 OK\r\nX: " + b"x" * (1 << 20)), "Receive buffer too long"),
        (Says(raw=b"garbage\r\n\r\n"), "illegal status line"),
        (Says("  "), "an empty answer"),
        (Says("", 500), "500"),
        (Says("", 301), "without an address"),
        (Says(raw=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"), "closed"),
    ],
)
def test_what_is_not_whole_is_not_kept(tmp_path: Path, answer: Says, said: str) -> None:
    with web({"/": links("/bad", "/good"), "/bad": answer, "/good": "good"}) as site:
        done = crawl(site, tmp_path)
        assert kept(site, tmp_path) == ["/", "/good"]
        assert said in failed(done)["/bad"]
        assert not list(tmp_path.glob("**/*.part"))


def test_what_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_client, "DEADLINE", 0.5)
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
        with pytest.raises(kb.SourceError, match="no whole answer within"):
            kb.crawl([f"http://127.0.0.1:{port}/"], tmp_path, delay=0)
    finally:
        listener.close()
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def test_what_is_no_page_is_skipped(tmp_path: Path) -> None:
    png = b"\x89PNG\r\n\x1a\n" + bytes(99)
    pages: dict[str, Page] = {
        "/image": Says(png),
        "/png": Says(png, kind="image/png"),
        "/octet": Says(html("x"), kind="application/octet-stream"),
        "/text": Says("本文", kind="text/plain"),
        "/none": Says(html("x"), kind=""),
        "/json": Says("{}", kind="application/json"),
        "/css": Says("a{}", kind="text/css"),
        "/wiki": Says("x", kind="text/x-wiki"),
        "/xml": Says("<a/>", kind="application/rss+xml"),
    }
    with web({"/": links(*pages, "/gone"), **pages, "/gone": Says("", 410)}) as site:
        done = crawl(site, tmp_path)
        assert sorted(kept(site, tmp_path)) == [
            "/",
            "/json",
            "/none",
            "/octet",
            "/text",
            "/wiki",
            "/xml",
        ]
        assert done.skipped == {
            "gone (410)": 1,
            "no page (image/png)": 1,
            "no page (text/css)": 1,
            "no text (declared as text/html)": 1,
        }


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
    packed = {
        "gzip": gzip.compress(body[:9]) + gzip.compress(body[9:]),
        "identity": body,
        "deflate": zlib.compress(body),
        "raw deflate": packer.compress(body) + packer.flush(),
        "gzip, gzip": gzip.compress(gzip.compress(body)),
    }[coding]
    assert decode_body(packed, coding.removeprefix("raw "), 9999) == body
    if coding != "identity":
        with pytest.raises(BodyError):
            decode_body(packed[:-2], coding.removeprefix("raw "), 9999)
        with pytest.raises(BodyError):
            decode_body(packed, coding.removeprefix("raw "), 99)


# -- what people are told --------------------------------------------------------------------------


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
    real, left = page_store._write, [3]

    def full(path: Path, data: bytes) -> None:
        left[0] -= 1
        if left[0] < 0:
            path.write_bytes(data[:7])
            raise OSError(errno.ENOSPC, "No space left on device")
        real(path, data)

    with web(numbered(6)) as site:
        with monkeypatch.context() as patch:
            patch.setattr(page_store, "_write", full)
            with pytest.raises(kb.SourceError, match=r"the disk is full; .* same command goes on"):
                crawl(site, tmp_path)
        assert len(lines(tmp_path)) == 3
        assert crawl(site, tmp_path).fetched == 6


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere"], "there are mtgwiki, yugioh-wiki, dmwiki, wisdom-guild"),
        (["ftp://a.jp/"], "no address of a page"),
        (["http://"], "no address of a page"),
        (["http://u:p@a.jp/"], "no address of a page"),
        (["mtgwiki", "http://a.jp/"], "not both"),
        (["yugioh-wiki", "😀"], "can't have"),
        (["wisdom-guild"], "has no list of its pages"),
        (["http://127.0.0.1:9/"], "can't be read"),
        (["http://sansho.invalid/"], "no such host"),
    ],
)
def test_what_can_not_be_done(tmp_path: Path, words: list[str], said: str) -> None:
    done = run(*words, "--into", str(tmp_path / "x"), "--delay", "0", "--json")
    assert done.exit_code == 2 and said in done.stderr
    assert said in json.loads(done.stdout)["error"]["values"]["text"]
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
        said = " ".join(done.stdout.split())
        assert "0 pages fetched, 1 unchanged" in said and "/b\n" in done.stderr
        done = run(f"{site.url}/none", "--into", str(tmp_path), "--delay", "0", "--json")
        assert done.exit_code == 1 and json.loads(done.stdout)["skipped"] == {"not there (404)": 1}
        site.pages["/robots.txt"] = Says("User-agent: *\nDisallow: /")
        done = run(f"{site.url}/x", "--into", str(tmp_path), "--delay", "0", "--json")
        assert done.exit_code == 2 and "allows none" in done.stderr


def test_a_long_crawl_is_estimated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting_times.time, "sleep", lambda seconds: None)
    told: list[str] = []
    with web(numbered(80)) as site:
        kb.crawl([site.url], tmp_path, say=told.append)
    assert any("79 pages are known so far" in text and "79 seconds" in text for text in told)


def test_names_of_files_are_safe(tmp_path: Path) -> None:
    names = [
        "/../../etc/passwd",
        "/..%2f..%2fx",
        "/a/b?c=d/../e",
        "/%00",
        "/.hidden",
        "/CON",
        "/" + "%E5" * 600,
        "/a:b*c|d",
    ]
    for name in names:
        answer = http_client.Answer(
            "http://a.jp:80" + name, 200, "", (), b"", b"", "2026-01-01T00", ()
        )
        file = page_store.file_name(answer)
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
    name = "Pok%C3%A9mon"  # which may be EUC-JP, too
    html = Says(pukiwiki("X", "x", charset="UTF-8"), kind="text/html; charset=UTF-8")
    with web({f"/w/?{name}": html}) as site:
        crawl(site, tmp_path / "u", f"/w/?{name}", source=True, depth=0)
        assert site.asked[-1] == f"/w/index.php?plugin=source&page={name}"
    text = Says("[[乙|おつ]]を引く", kind="text/x-wiki; charset=UTF-8")
    raw = "/index.php?title={}&action=raw"
    with web({"/wiki/A": Says(mediawiki("A", "x")), raw.format("A"): text}) as site:
        site.pages[raw.format("%E4%B9%99")] = text
        done = crawl(site, tmp_path / "m", "/wiki/A", source=True, depth=1)
        assert kept(site, tmp_path / "m") == [raw.format("A"), raw.format("%E4%B9%99")]
        assert crawl(site, tmp_path / "m", "/wiki/A", source=True, depth=1).unchanged == 2
