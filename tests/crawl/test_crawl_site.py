"""Crawls of sites that hurt, that are killed, and that change: `benchmarks.crawls` in small.

The first tests are of the servers and of the checks themselves: that the sites say what they are
said to say, that a follower of links who keeps the rules finds what is expected, and that each
check can fail.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import http.client
import json
import subprocess
import sys
import time
import zlib
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import NamedTuple
from urllib.parse import quote, urljoin

import pytest
from lxml import html as lxml_html

from benchmarks import crawls
from benchmarks.crawls import DEEP, FREELY, Ended, Hurt, Kept, Lives, crawl
from tests.conftest import ROOT
from tests.hurtful import Hurtful, hurting, links, page
from tests.livingwikis import MediaWiki, PukiWiki
from tests.testsite import Answer, Asked, Server, place, serving

KILLS = 3  # `python -m benchmarks.crawls` does it more often
LATE = 0.3  # seconds by which a busy machine may see a request late


class Got(NamedTuple):
    """An answer, read as a careful client reads it."""

    status: int
    headers: dict[str, str]
    body: bytes


def get(server: Server, target: str, **headers: str) -> Got:
    """What the server answers, on a connection of its own. Raises what `http.client` raises."""
    connection = http.client.HTTPConnection(server.host, server.port, timeout=5)
    with contextlib.closing(connection):
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request("GET", target, headers={"User-Agent": "sansho test", **names})
        answer = connection.getresponse()
        body = answer.read(1 << 22)
        if answer.length:
            raise http.client.IncompleteRead(body, answer.length)
        known = {name.lower(): value for name, value in answer.getheaders()}
        if known.get("content-encoding") == "gzip":
            unpacker = zlib.decompressobj(31)
            body = unpacker.decompress(body, 1 << 22)
            if not unpacker.eof:
                raise EOFError("cut off, or a bomb")
        return Got(answer.status, known, body)


# -- the sites and the checks ------------------------------------------------------------------


@pytest.fixture(scope="module")
def walked() -> Iterator[tuple[Server, list[Server], list[Kept]]]:
    """The hurtful site, walked by a follower of links who is told what is forbidden."""
    site = Hurtful(articles=12, patience=0)
    with hurting(site) as (server, beside):
        kept, queue = [], deque(["/robots.txt", site.start])
        seen = {site.start}
        while queue:
            target = queue.popleft()
            try:
                got = get(server, target)
            except (OSError, EOFError, ValueError, zlib.error, http.client.HTTPException):
                continue
            if got.status in {429, 503} and site.tries[place(target)] < 4:
                queue.append(target)
            hrefs = [got.headers["location"]] if "location" in got.headers else []
            if got.status == 200 and place(target) in site.good:
                kept.append(Kept(server.url + target, 200, got.body))
                tree = lxml_html.fromstring(got.body)
                if not tree.xpath('//meta[@content="NOFOLLOW"]'):
                    hrefs = tree.xpath('//a[not(contains(@rel, "NoFollow"))]/@href')
                    target = next(iter(tree.xpath("//base/@href")), target)
            for href in hrefs:
                with contextlib.suppress(ValueError):
                    url = urljoin(server.url + target, href.strip())
                    to = quote(place(url), safe="/?=&~")
                    inside = url.lower().startswith(server.url + "/") and len(to) < 500
                    if inside and not site.forbidden(to) and place(to) not in seen:
                        seen.add(place(to))
                        queue.append(to)
        server.settle()
        yield server, beside, kept


def test_a_follower_who_keeps_the_rules_finds_what_is_expected(
    walked: tuple[Server, list[Server], list[Kept]],
) -> None:
    server, beside, kept = walked
    assert isinstance(server.site, Hurtful)
    assert len(server.site.good) > 60 and len(server.site.bad) > 80
    assert all(map(server.site.forbidden, server.site.never))
    assert not any(map(server.site.forbidden, server.site.good | server.site.bad))
    assert not list(crawls.kept_faults(kept, server.site, decoded=True))
    faults = crawls.asked_faults(server, beside, [])
    assert [fault for fault in faults if "endless redirect" not in fault] == []


@pytest.mark.parametrize(
    ("target", "host", "fault"),
    [
        ("/private/x", None, "/private/x is asked, which is forbidden"),
        ("/se%63ret/x", None, "/se%63ret/x is asked, which is forbidden"),
        ("/", "localhost:1", "/ is asked of localhost:1"),
        ("/slow/", None, "/slow/ is got again 1 times"),
    ],
)
def test_what_should_not_be_asked_is_seen(
    walked: tuple[Server, list[Server], list[Kept]], target: str, host: str | None, fault: str
) -> None:
    server, beside, _ = walked
    host = host or server.url.removeprefix("http://")
    headers = {"host": host, "user-agent": "sansho"}
    before = list(server.log)
    status = 304 if target == "/" else 200
    server.log.append(Asked("GET", target, headers, time.monotonic(), status, 1, True))
    try:
        assert fault in list(crawls.asked_faults(server, beside, []))
        if "again" in fault:  # the first of the two was cut short by a kill
            first = next(n for n, asked in enumerate(before) if asked.place == target)
            assert fault not in list(crawls.asked_faults(server, beside, [first + 1]))
    finally:
        server.log[:] = before


def test_what_should_not_be_kept_is_seen(
    walked: tuple[Server, list[Server], list[Kept]],
) -> None:
    server, _, kept = walked
    site = server.site
    assert isinstance(site, Hurtful)

    def faults(*changed: Kept) -> set[str]:
        return set(crawls.kept_faults(changed, site, decoded=True))

    assert faults(*kept, kept[0]) == {"/ is kept 2 times"}
    assert faults(*kept[1:]) == {"/ is not kept"}
    url = site.base
    assert faults(*kept, Kept(f"{url}/odd/short", 200, b"")) == {
        "/odd/short is kept, of which no page comes"
    }
    assert f"{url}/private/x is kept, which is forbidden" in faults(
        *kept, Kept(f"{url}/private/x", 200, b"")
    )
    other = Kept(kept[1].url, 200, b"other")
    assert faults(kept[0], other, *kept[2:]) == {
        f"{other.url} is kept with another body than the page's"
    }


def test_torn_and_foreign_files_are_seen(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(b"a")
    entry = {
        "file": "a.html",
        "url": "http://a/",
        "status": 200,
        "headers": {},
        "taken": "",
        "sha256": hashlib.sha256(b"a").hexdigest(),
    }
    manifest = tmp_path / "manifest.jsonl"
    manifest.write_text(json.dumps(entry) + "\n")
    assert not list(crawls.folder_faults(tmp_path, tmp_path))
    (tmp_path / ".b.tmp").write_bytes(b"")
    (tmp_path / "b.html").write_bytes(b"b")
    clean = tmp_path / "clean"
    clean.mkdir()
    found = list(crawls.folder_faults(tmp_path, clean))
    assert found == ["b.html is in no line", ".b.tmp is left over"]
    manifest.write_text(json.dumps({**entry, "sha256": "0"}) + "\n" + json.dumps(entry)[:9])
    found = list(crawls.folder_faults(tmp_path))
    assert any("no end" in fault for fault in found)
    assert any("line 2" in fault for fault in found)
    assert any("has not the hash" in fault for fault in found)


def test_torn_archives_are_seen(tmp_path: Path) -> None:
    from io import BytesIO

    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    whole = tmp_path / "a.warc.gz"
    with whole.open("wb") as stream:
        writer = WARCWriter(stream, gzip=True)
        writer.write_record(writer.create_warcinfo_record("a.warc.gz", {"software": "a test"}))
        said = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
        body = BytesIO(b"<p>a" * 400)
        record = writer.create_warc_record("http://a/", "response", body, http_headers=said)
        writer.write_record(record)
    assert not list(crawls.warc_faults(whole))
    assert crawls.in_warc(whole) == [Kept("http://a/", 200, b"<p>a" * 400)]
    torn = tmp_path / "b.warc.gz"
    torn.write_bytes(whole.read_bytes()[:-20])
    assert list(crawls.warc_faults(torn))
    broken = tmp_path / "c.warc"
    data = gzip.decompress(whole.read_bytes())
    broken.write_bytes(data.replace(b"<p>a<p>a", b"<p>b<p>a"))
    assert list(crawls.warc_faults(broken))


def test_busy_pages_heal_and_slow_ones_come() -> None:
    site = Hurtful(articles=1)
    with hurting(site) as (server, _):
        statuses = [get(server, "/busy/seconds") for _ in range(3)]
        assert [got.status for got in statuses] == [429, 429, 200]
        assert statuses[0].headers["retry-after"] == "1"
        assert "GMT" in get(server, "/busy/date").headers["retry-after"]
        assert {get(server, "/busy/never").status for _ in range(9)} == {503}
        assert get(server, "/slow/dripping").body == site.bodies["/slow/dripping"]
        with pytest.raises(http.client.IncompleteRead):
            get(server, "/odd/short")
        assert len(get(server, "/endless/body").body) == 1 << 22  # and it would go on


def test_the_site_as_a_process_of_its_own(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    words = [sys.executable, "-m", "tests.testsite", "pukiwiki", "--pages", "3", "--log", str(log)]
    with subprocess.Popen(
        words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin and process.stdout
        said = json.loads(process.stdout.readline())
        host, port = said["url"].removeprefix("http://").partition("/")[0].split(":")
        known = Server(PukiWiki(1), host=host, port=int(port))
        assert get(known, "/index.php?FrontPage").status == 200
        process.stdin.close()
    assert len(said["good"]) == 3
    assert json.loads(log.read_text())["target"] == "/index.php?FrontPage"


def test_a_mediawiki_tells_who_has_its_pages() -> None:
    site = MediaWiki(5)
    with serving(site) as server:
        first = get(server, site.start)
        since = first.headers["last-modified"]
        assert get(server, site.start, If_Modified_Since=since).status == 304
        assert server.log[-1].sent == 0
        target = quote(site.edit(3))
        assert get(server, target, If_Modified_Since=since).status == 200
        assert "1度目の手直し" in get(server, target).body.decode()


def test_a_pukiwiki_never_says_the_same_twice() -> None:
    site = PukiWiki(5)
    with serving(site) as server:
        target = site.edit(3)
        first, second = (get(server, target) for _ in range(2))
        assert first.body != second.body
        assert not {"etag", "last-modified"} & first.headers.keys()
        assert "1度目の手直し" in first.body.decode("euc_jp")
        lines = [set(got.body.decode("euc_jp").splitlines()) for got in (first, second)]
        differ = "\n".join(lines[0] - lines[1])
        assert all(word in differ for word in ("convert time", "digest", "d)"))
        assert get(server, "/index.php?cmd=edit&page=x").status == 200  # as all that is missing


# -- crawls ------------------------------------------------------------------------------------


class Small(NamedTuple):
    """A crawl of a site of a few pages."""

    into: Path
    server: Server
    ended: Ended


def _killed(into: Path) -> Hurt:
    return crawls.hurt(into, KILLS, Random(into.name), articles=20, brief=True)


def _small(into: Path, site: Few, *options: str) -> Small:
    with serving(site) as server:
        return Small(into, server, crawl(server.url + "/", into, *options))


def _torn(into: Path) -> Small:
    """A crawl that was killed while it wrote: the last line or record stands there by half."""
    with serving(Few()) as server:
        process = crawls.started(server.url + "/", into, "--delay", "0.3")
        while len(server.log) < 4 and process.poll() is None:
            time.sleep(0.01)
        crawls.kill(process)
        end = into / "manifest.jsonl" if into.is_dir() else into
        data = end.read_bytes()
        end.write_bytes(data + data[:150])  # less than any line or record has
        return Small(into, server, crawl(server.url + "/", into, *FREELY))


class Updated(NamedTuple):
    """A wiki that was crawled, crawled again unchanged (`asked` is what of then), and after three
    edits, then with kills. `kept` and `new` are places of captures."""

    site: MediaWiki | PukiWiki
    into: Path
    kept: list[str]
    second: Ended
    asked: list[Asked]
    new_at_second: list[str]
    edited: Counter[str]
    third: Lives
    new_at_third: list[str]


def _updated(site: MediaWiki | PukiWiki, into: Path) -> Updated:
    def places() -> list[str]:
        return [place(page.url) for page in crawls.captures(into)]

    with serving(site) as server:
        url = server.url + site.start
        first = crawl(url, into, *FREELY, *DEEP)
        assert first.code == 0, first.words
        kept, begun = places(), len(server.log)
        second = crawl(url, into, *FREELY, *DEEP)
        asked = [asked for asked in server.log[begun:] if asked.place in site.good]
        after = places()
        edited = Counter(site.edit(rank) for rank in (1, 12, 24))
        third = crawls.crawl_killed(server, into, 2, Random(1), *FREELY, *DEEP)
    return Updated(
        site, into, kept, second, asked, after[len(kept) :], edited, third, places()[len(after) :]
    )


class AtOnce(NamedTuple):
    """Crawls that mostly wait, and so are made at the same time."""

    killed: dict[str, Hurt]
    torn: dict[str, Small]
    updated: dict[str, Updated]
    unhurried: Small
    without_robots: Small


@pytest.fixture(scope="module")
def at_once(tmp_path_factory: pytest.TempPathFactory) -> AtOnce:
    def into(name: str) -> Path:
        return tmp_path_factory.mktemp("crawled") / name

    names = ("pages", "pages.warc.gz")
    with ThreadPoolExecutor(8) as pool:
        killed = {name: pool.submit(_killed, into(name)) for name in names}
        torn = {name: pool.submit(_torn, into(name)) for name in names}
        wikis = {"pages.warc.gz": MediaWiki(25), "pages": PukiWiki(25)}
        updated = {name: pool.submit(_updated, site, into(name)) for name, site in wikis.items()}
        unhurried = pool.submit(_small, into("pages"), Few())
        without_robots = pool.submit(_small, into("pages"), Few(Answer(500)), *FREELY)
    return AtOnce(
        {name: crawled.result() for name, crawled in killed.items()},
        {name: small.result() for name, small in torn.items()},
        {name: update.result() for name, update in updated.items()},
        unhurried.result(),
        without_robots.result(),
    )


@pytest.fixture(params=["pages", "pages.warc.gz"])
def crawled(at_once: AtOnce, request: pytest.FixtureRequest) -> Hurt:
    return at_once.killed[request.param]


@pytest.fixture(params=["pages", "pages.warc.gz"])
def updated(at_once: AtOnce, request: pytest.FixtureRequest) -> Updated:
    return at_once.updated[request.param]


class Few:
    """A page that links to three others, or to what it is told; its robots.txt can be anything."""

    start = "/"

    def __init__(
        self, robots: Answer | None = None, hrefs: Sequence[str] = ("/1", "/2", "/3")
    ) -> None:
        self.base = ""
        self.robots = robots or Answer(404)
        self.body = page("入口", *links(hrefs))

    def answer(self, asked: Asked) -> Answer:
        if asked.target == "/robots.txt":
            return self.robots
        if asked.target == "/1?robots":
            return Answer(body=_ROBOTS)
        if asked.target in ("/1", "/2", "/3"):
            return Answer(body=page(f"頁 {asked.target}", *links(["/"])))
        return Answer(body=self.body) if asked.target == "/" else Answer(404)


def _pages(server: Server) -> list[str]:
    """The pages that were asked for, in order."""
    return [asked.target for asked in server.log if asked.target != "/robots.txt"]


def _shortest_pause(server: Server) -> float:
    """The least that lies between two requests for pages, in seconds."""
    times = [asked.at for asked in server.log if asked.target != "/robots.txt"]
    return min(later - sooner for sooner, later in pairwise(times))


@pytest.mark.slow
def test_a_killed_crawl_comes_to_its_end(crawled: Hurt) -> None:
    done = crawled.lives.ended
    assert done is not None and crawled.lives.kills == KILLS
    assert done.code == 0, done.words
    assert done.said.keys() >= {"fetched", "unchanged", "skipped", "failed"}
    assert "Traceback" not in done.words


@pytest.mark.slow
def test_every_allowed_page_is_kept_once(crawled: Hurt) -> None:
    folder = crawled.into.is_dir()
    kept = crawls.in_folder(crawled.into) if folder else crawls.in_warc(crawled.into)
    assert list(crawls.kept_faults(kept, crawled.site, decoded=folder)) == []


@pytest.mark.slow
def test_nothing_forbidden_is_asked_nothing_twice_nobody_else(crawled: Hurt) -> None:
    lives = crawled.lives.lives
    assert list(crawls.asked_faults(crawled.server, crawled.beside, lives)) == []


@pytest.mark.slow
def test_nothing_is_half_written(crawled: Hurt, at_once: AtOnce) -> None:
    if crawled.into.is_dir():
        assert list(crawls.folder_faults(crawled.into, at_once.unhurried.into)) == []
    else:
        assert list(crawls.warc_faults(crawled.into)) == []
        beside = {path.name for path in crawled.into.parent.iterdir()} - {crawled.into.name}
        assert all(name.startswith(".") for name in beside)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pages", "pages.warc.gz"])
def test_what_was_torn_is_mended(name: str, at_once: AtOnce) -> None:
    into, server, done = at_once.torn[name]
    assert done.code == 0, done.words
    kept = sorted(place(page.url) for page in crawls.captures(into))
    assert kept == ["/", "/1", "/2", "/3"]
    assert len(_pages(server)) <= 5  # one may have been cut short
    if into.is_dir():
        assert list(crawls.folder_faults(into, at_once.unhurried.into)) == []
    else:
        assert list(crawls.warc_faults(into)) == []


@pytest.mark.slow
def test_what_was_crawled_can_be_built(crawled: Hurt) -> None:
    words = [
        sys.executable,
        "-c",
        "from kb.cli import main; main()",
        "build",
        str(crawled.into),
        "--kb",
        str(crawled.into.parent / "built.db"),
        "--json",
    ]
    done = subprocess.run(words, cwd=crawled.into.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["pages"] >= crawled.site.articles
    assert not [warning for warning in said["warnings"] if "manifest" in warning["where"]]


@pytest.mark.slow
def test_a_second_crawl_of_what_is_unchanged_keeps_nothing(updated: Updated) -> None:
    assert sorted(updated.kept) == sorted(updated.site.good)
    assert {asked.place for asked in updated.asked} == updated.site.good
    assert updated.new_at_second == []
    said = updated.second.said
    assert (said["fetched"], said["unchanged"]) == (0, updated.site.pages)
    if isinstance(updated.site, MediaWiki):
        assert {asked.status for asked in updated.asked} == {304}
        assert sum(asked.sent for asked in updated.asked) == 0


@pytest.mark.slow
def test_after_edits_what_was_edited_is_kept_again(updated: Updated) -> None:
    done = updated.third.ended
    assert done is not None and done.code == 0, done
    assert Counter(updated.new_at_third) == updated.edited
    faults = crawls.folder_faults if updated.into.is_dir() else crawls.warc_faults
    assert list(faults(updated.into)) == []


@pytest.mark.slow
def test_the_port_that_goes_without_saying_is_none(tmp_path: Path) -> None:
    site = Few(hrefs=["http://127.0.0.3:80/1", "http://127.0.0.3/1", "//127.0.0.3:80/1", "/1"])
    with contextlib.ExitStack() as stack:
        try:
            server = stack.enter_context(serving(site, host="127.0.0.3", port=80))
        except OSError as error:
            pytest.skip(f"port 80 of 127.0.0.3 can't be listened on: {error}")
        done = crawl("http://127.0.0.3/", tmp_path / "pages", *FREELY)
    assert done.code == 0, done.words
    assert _pages(server) == ["/", "/1"]


@pytest.mark.slow
def test_by_itself_it_asks_once_a_second(at_once: AtOnce) -> None:
    into, server, done = at_once.unhurried
    assert done.code == 0, done.words
    assert sorted(_pages(server)) == ["/", "/1", "/2", "/3"]
    assert len(crawls.captures(into)) == 4
    assert _shortest_pause(server) > 1 - LATE


_ROBOTS = b"User-agent: sansho\nDisallow: /2\n\nUser-agent: *\nDisallow: /3\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "robots",
    [
        pytest.param(Answer(body=_ROBOTS), id="plain"),
        pytest.param(
            Answer(body=gzip.compress(_ROBOTS), headers=(("Content-Encoding", "gzip"),)), id="gzip"
        ),
        pytest.param(Answer(301, headers=(("Location", "/1?robots"),)), id="moved"),
    ],
)
def test_robots_txt_is_read_as_it_is_served(robots: Answer, tmp_path: Path) -> None:
    _, server, done = _small(tmp_path / "pages", Few(robots), *FREELY)
    assert done.code == 0, done.words
    assert [target for target in sorted(_pages(server)) if "?" not in target] == ["/", "/1", "/3"]


@pytest.mark.slow
def test_the_pause_that_robots_txt_asks_for_is_kept(tmp_path: Path) -> None:
    robots = b"User-agent: *\nCrawl-delay: 0.4\n"
    _, server, done = _small(tmp_path / "pages", Few(Answer(body=robots)), *FREELY)
    assert done.code == 0, done.words
    assert _shortest_pause(server) > 0.4 - LATE


def test_where_nothing_is_allowed_nothing_is_asked(tmp_path: Path) -> None:
    robots = Answer(body=b"User-agent: *\nDisallow: /\n", content_type="text/plain")
    _, server, done = _small(tmp_path / "pages", Few(robots), *FREELY)
    assert _pages(server) == []
    assert done.code != 0 and "robots" in done.words and "Traceback" not in done.words


@pytest.mark.slow
def test_what_is_allowed_is_not_guessed(at_once: AtOnce) -> None:
    _, server, done = at_once.without_robots
    assert _pages(server) == [] and server.log
    assert done.code != 0 and "robots" in done.words and "Traceback" not in done.words


@pytest.mark.slow
@pytest.mark.parametrize(("option", "many"), [("--max", 2), ("--depth", 0)])
def test_ceilings_are_kept(option: str, many: int, tmp_path: Path) -> None:
    into, _, done = _small(tmp_path / "pages", Few(), *FREELY, option, str(many))
    assert done.code == 0, done.words
    assert len(crawls.captures(into)) == (many or 1)


def test_a_page_that_is_not_there_is_told_of(tmp_path: Path) -> None:
    with serving(Few()) as server:
        done = crawl(server.url + "/none", tmp_path / "pages", *FREELY)
    assert done.code == 1 and "Traceback" not in done.words
