"""Crawling the sites that sansho knows by name: each is played by a server on loopback."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

import httpcore
import pytest

import kb
from scraper.crawl import private_address_guard, waiting_times
from scraper.crawl.wiki_endpoints import endpoints_of_site
from scraper.sites import site_catalogue
from tests.cli.test_cli import run, shell_lines
from tests.conftest import ROOT
from tests.crawling import lines
from tests.webs import Asked, Says, Web, links, mediawiki, pukiwiki, web

_SPECIAL = "/wiki/" + quote("特別:ページ一覧", safe="/:")


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Web]:
    """A server that every host leads to, with or without TLS."""
    monkeypatch.setattr(waiting_times, "FIRST_WAIT", 0.01)
    monkeypatch.setattr(private_address_guard, "resolve", lambda host, port: ["8.8.8.8"])
    monkeypatch.setattr(private_address_guard._Stream, "start_tls", lambda self, **_: self)
    real = httpcore.SyncBackend.connect_tcp
    with web() as site:
        port = urlsplit(site.url).port

        def connect(self: Any, host: str, _: int, *said: Any) -> Any:
            assert host == "8.8.8.8"
            return real(self, "127.0.0.1", port or 0, *said)

        monkeypatch.setattr(httpcore.SyncBackend, "connect_tcp", connect)
        yield site


def names(into: Path) -> list[str]:
    """What is kept, by the ends of its addresses."""
    return [unquote(line["url"].rpartition("/")[2]) for line in lines(into)]


def article(name: str, *others: str, text: str = "本文") -> Says:
    hrefs = [f"/wiki/{quote(other)}" for other in others]
    return Says(mediawiki(name, f"{text} {links(*hrefs)}"))


def crawl(into: Path, *targets: str, **how: Any) -> kb.CrawlReport:
    return kb.crawl(targets, into, **{"delay": 0.0, **how})


def stamp(days: float) -> str:
    return (datetime.now(UTC) + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")


def test_a_page_and_what_it_links_to(stage: Web, tmp_path: Path) -> None:
    for name, others in (("引く", ("手札", "山札", "引く")), ("手札", ("墓地",)), ("山札", ())):
        stage.pages[f"/wiki/{quote(name)}"] = article(name, *others)
    done = crawl(tmp_path, "mtgwiki", "引く", depth=1)
    assert names(tmp_path) == ["引く", "手札", "山札"] and done.fetched == 3
    assert lines(tmp_path)[0]["url"] == "http://mtgwiki.com/wiki/%E5%BC%95%E3%81%8F"
    report = kb.build([tmp_path], tmp_path / "x.db")
    with kb.open(tmp_path / "x.db") as base:
        assert report.pages == 3 and base.show("引く").matches[0].game == "mtg"
    assert crawl(tmp_path / "one", "http://mtgwiki.com/wiki/引く").fetched == 1  # depth 0


@pytest.mark.slow
def test_the_crawls_of_the_docs_run(
    stage: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    listing = pukiwiki("一覧", links(endpoints_of_site("dmwiki").article("甲"))).decode("euc_jp")
    stage.pages |= {
        f"/wiki/{quote('引く')}": article("引く"),
        "/index.php?cmd=list": Says(listing),
        f"/{quote('甲')}": Says(pukiwiki("甲", "x").decode("euc_jp")),
    }
    commands = shell_lines((ROOT / "docs/crawling.md").read_text("utf-8"))
    crawls = [line for line in commands if line.startswith("sansho crawl ")]
    assert len(crawls) == 2
    for line in crawls:
        done = run(*shlex.split(line)[1:])
        assert done.exit_code == 0 and "1 page fetched" in done.stdout, (line, done.stderr)


def test_the_source_of_a_page(stage: Web, tmp_path: Path) -> None:
    def source(text: str) -> Says:
        return Says(text, kind="text/x-wiki; charset=UTF-8")

    raw = "/index.php?title={}&action=raw"
    stage.pages |= {
        raw.format(quote("ドロー")): source("#転送 [[引く]]"),
        raw.format(quote("引く")): source("[[手札|手]]に加える。[[利用者:甲]] [[カテゴリ:用語]]"),
        raw.format(quote("手札")): source("持つ札。"),
    }
    assert crawl(tmp_path, "mtgwiki", "ドロー", source=True, depth=2).fetched == 3
    assert kb.build([tmp_path], tmp_path / "x.db").pages == 3


def test_a_site_that_moved_to_https_is_asked_there(stage: Web, tmp_path: Path) -> None:
    seen: list[str] = []

    def page(name: str, *others: str) -> Any:
        def answer(asked: Asked) -> Says:
            seen.append(name)
            if len(seen) == 1:
                return Says("", 301, {"Location": f"https://mtgwiki.com/wiki/{quote(name)}"})
            return article(name, *others)

        return answer

    for name, others in (("甲", ("乙", "丙")), ("乙", ()), ("丙", ())):
        stage.pages[f"/wiki/{quote(name)}"] = page(name, *others)
    crawl(tmp_path, "mtgwiki", "甲", depth=1)
    assert seen == ["甲", "甲", "乙", "丙"]  # one redirect, not one for each page
    assert all(line["url"].startswith("https:") for line in lines(tmp_path))


class Api:
    """MediaWiki's API, as 1.19 (`query-continue`) or later (`continue`) answers."""

    def __init__(self, stage: Web, titles: list[str], old: bool) -> None:
        self.titles, self.old = titles, old
        self.changes: list[tuple[str, str]] = []
        self._stage = stage
        for query in ("", "?x"):
            stage.pages["/api.php" + query] = Says("")
        real = stage.answer
        stage.answer = lambda target, headers: (  # type: ignore[method-assign]
            self._answer(target, headers)
            if target.startswith("/api.php")
            else real(target, headers)
        )

    def _answer(self, target: str, headers: Any) -> Says:
        self._stage.log.append(Asked(target, headers, 0))
        fields = {key: values[0] for key, values in parse_qs(urlsplit(target).query).items()}
        kind = fields["list"]
        start = int(fields.get("apfrom", fields.get("rcstart", 0)))
        if kind == "allpages":
            rows = [{"title": title} for title in self.titles]
        else:
            rows = [{"title": title, "timestamp": when} for title, when in self.changes]
        answer: dict[str, Any] = {"query": {kind: rows[start : start + 2]}}
        if start + 2 < len(rows):
            on = {"apfrom" if kind == "allpages" else "rcstart": str(start + 2)}
            answer |= {"query-continue": {kind: on}} if self.old else {"continue": on}
        return Says(json.dumps(answer), kind="application/json")


@pytest.mark.parametrize("old", [True, False])
def test_all_of_a_site_and_what_changed_since(stage: Web, tmp_path: Path, old: bool) -> None:
    titles = [f"頁{n}" for n in range(5)]
    api = Api(stage, titles, old)
    for title in titles:
        stage.pages[f"/wiki/{quote(title)}"] = article(title)
    assert crawl(tmp_path, "mtgwiki").fetched == 5
    stage.log.clear()
    api.changes = [("頁2", stamp(0.1)), ("新しい頁", stamp(0.1)), ("頁0", stamp(-9))]
    stage.pages[f"/wiki/{quote('頁2')}"] = article("頁2", text="変わった")
    stage.pages[f"/wiki/{quote('新しい頁')}"] = article("新しい頁")
    done = crawl(tmp_path, "mtgwiki")
    assert (done.fetched, done.unchanged) == (2, 4)
    pages = [target for target in stage.asked if target.startswith("/wiki/")]
    assert sorted(unquote(page[6:]) for page in pages) == ["新しい頁", "頁2"]
    stage.log.clear()
    api.changes = [("頁2", stamp(-5))]
    done = crawl(tmp_path, "mtgwiki")  # nothing changed
    assert (done.fetched, done.unchanged, len(stage.asked)) == (0, 6, 1)


def test_a_site_that_is_away_is_not_said_to_be_unchanged(stage: Web, tmp_path: Path) -> None:
    Api(stage, ["甲"], old=False)
    stage.pages[f"/wiki/{quote('甲')}"] = article("甲")
    crawl(tmp_path, "mtgwiki")
    stage.pages["/robots.txt"] = Says("", 503)
    with pytest.raises(kb.SourceError, match=r"robots\.txt can't be read"):
        crawl(tmp_path, "mtgwiki")


def test_changes_that_do_not_reach_back_far_enough(stage: Web, tmp_path: Path) -> None:
    api = Api(stage, ["甲", "乙"], old=False)
    for title in ("甲", "乙", "丙"):
        stage.pages[f"/wiki/{quote(title)}"] = article(title)
    crawl(tmp_path, "mtgwiki")
    api.titles, api.changes = ["甲", "乙", "丙"], [("甲", stamp(0.1))]
    told: list[str] = []
    done = crawl(tmp_path, "mtgwiki", say=told.append)
    assert (done.fetched, done.unchanged) == (1, 2)
    assert any("can't be told" in text for text in told)


def test_a_list_as_a_page_where_there_is_no_api(stage: Web, tmp_path: Path) -> None:
    frame = mediawiki("特別:ページ一覧", "{}")
    more = f"/index.php?title={quote('特別:ページ一覧')}&from={quote('乙')}"
    hide = f"/index.php?title={quote('特別:ページ一覧')}&hideredirects=1&from=x"
    stage.pages |= {
        _SPECIAL: Says(frame.replace("{}", links("/wiki/甲", more.replace("&", "&amp;"), hide))),
        more: Says(frame.replace("{}", links("/wiki/乙", _SPECIAL))),
        "/wiki/" + quote("甲"): article("甲"),
        "/wiki/" + quote("乙"): article("乙"),
    }
    assert crawl(tmp_path, "mtgwiki").fetched == 2 and sorted(names(tmp_path)) == ["乙", "甲"]


def test_a_list_that_robots_forbids_is_not_read(stage: Web, tmp_path: Path) -> None:
    stage.pages["/robots.txt"] = Says("User-agent: *\nDisallow: /api.php\nDisallow: /wiki/特別")
    told: list[str] = []
    done = crawl(tmp_path, "mtgwiki", say=told.append)
    assert done.fetched == 0 and stage.asked == []
    assert any("list of the site's pages" in text for text in told)


@pytest.mark.parametrize(("site", "base"), [("dmwiki", "/"), ("yugioh-wiki", "/index.php?")])
def test_all_of_a_pukiwiki(stage: Web, tmp_path: Path, site: str, base: str) -> None:
    """In EUC-JP and UTF-8; its list is marked NOFOLLOW, as all views are, and is asked for by
    who wants the whole site."""
    wiki = endpoints_of_site(site)

    def target(url: str) -> str:
        return url.partition("//")[2].partition("/")[1] + url.partition("//")[2].partition("/")[2]

    def page(name: str, text: str = "") -> Says:
        body = pukiwiki(name, text or "本文")
        return Says(
            body if site == "yugioh-wiki" else body.decode("euc_jp").encode(), kind="text/html"
        )

    all_pages = links(*(wiki.article(name) for name in ("甲", "乙")), "/index.php?cmd=edit&page=X")
    listing = pukiwiki("一覧", all_pages).decode("euc_jp")
    marked = listing.replace("<head>", '<head><meta name="robots" content="NOINDEX,NOFOLLOW">')
    stage.pages |= {
        "/index.php?cmd=list": Says(marked.encode(wiki.urls.charset)),
        target(wiki.article("甲")): page("甲"),
        target(wiki.article("乙")): page("乙"),
        target(wiki.article("一覧")): Says("", 404),
    }
    assert crawl(tmp_path, site).fetched == 2
    items = "".join(
        f"<item><title>x</title><link>{wiki.article(name)}</link><description>{when}</description>"
        "</item>"
        for name, when in (
            ("甲", "Sat, 21 Nov 2099 09:19:30 JST"),
            ("乙", "Sat, 21 Nov 2020 09:19:30 JST"),
        )
    )
    feed = f'<?xml version="1.0" encoding="UTF-8"?><rss version="0.91">{items}</rss>'
    stage.pages["/index.php?cmd=rss"] = Says(feed, kind="application/xml")
    stage.pages[target(wiki.article("甲"))] = page("甲", "変わった")
    stage.log.clear()
    done = crawl(tmp_path, site)
    assert (done.fetched, done.unchanged) == (1, 1)
    assert stage.asked == ["/index.php?cmd=rss", target(wiki.article("甲"))]
    assert kb.build([tmp_path], tmp_path / "x.db").pages == 2


def test_names_in_a_list_that_can_not_be_are_left_out(stage: Web, tmp_path: Path) -> None:
    hrefs = links(
        "/index.php?%FF%FF",
        "/index.php?%F0%9F%98%80",
        endpoints_of_site("yugioh-wiki").article("甲"),
    )
    stage.pages |= {
        "/index.php?cmd=list": Says(pukiwiki("一覧", hrefs)),
        "/index.php?%B9%C3": Says(pukiwiki("甲", "x")),
    }
    assert crawl(tmp_path, "yugioh-wiki").fetched == 1


def test_the_list_of_changes_of_pukiwiki_reaches_further(stage: Web, tmp_path: Path) -> None:
    wiki = endpoints_of_site("dmwiki")
    recent = "".join(
        f'<li>{when} (土) 09:19:30 - <a href="{wiki.article(name)}">x</a></li>'
        for name, when in (("甲", "2099-11-21"), ("乙", "2020-11-21"))
    )
    recent += '<li>2020-11-20 (土) 09:19:30 - <a href="http://[broken">x</a></li>'
    listing = pukiwiki("一覧", links(wiki.article("甲"), wiki.article("乙"))).decode("euc_jp")
    stage.pages |= {
        "/index.php?cmd=list": Says(listing),
        "/index.php?RecentChanges": Says(f"<html><ul>{recent}</ul>"),
    }
    for name in ("甲", "乙"):
        stage.pages["/" + quote(name)] = Says(pukiwiki(name, "x").decode("euc_jp"))
    assert crawl(tmp_path, "dmwiki").fetched == 2
    stage.log.clear()
    done = crawl(tmp_path, "dmwiki")
    assert done.unchanged == 2
    assert [unquote(target) for target in stage.asked] == [
        "/index.php?cmd=rss",
        "/index.php?RecentChanges",
        "/甲",
    ]


def test_names_of_the_rules_viewer(tmp_path: Path) -> None:
    wiki = endpoints_of_site("wisdom-guild")
    assert wiki.article("121.4") == "http://whisper.wisdom-guild.net/cr/r/121.4"
    assert wiki.article("card/10E039/").endswith(".net/card/10E039/")
    for site in site_catalogue.current().sites:
        assert endpoints_of_site(site).source("x") and endpoints_of_site(site).article("x")
