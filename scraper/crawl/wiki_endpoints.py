"""The endpoints of a wiki: addresses of articles, source text, page lists and recent changes.

The sites of the catalogue are known; of any other wiki the same is read from one of its pages.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from urllib.parse import parse_qs, quote, urlencode, urljoin, urlsplit

from lxml import etree

from scraper.crawl.response_view import ResponseView
from scraper.crawl.urls import leads_to_article, origin
from scraper.errors import SourceError
from scraper.markup.html_walk import parse
from scraper.sites import address, catalogue
from scraper.sites.catalogue import Site, Wiki
from scraper.sources.charset import write_euc

_ALL_PAGES = re.compile(r"(?:特別|special):(?:ページ一覧|全ページ|allpages)", re.IGNORECASE)
_TIMES = ("updated", "date", "pubDate", "description")  # of a feed's item
_JAPAN = timezone(timedelta(hours=9))
_WHEN = re.compile(r"(\d{4})-(\d\d)-(\d\d)\D{1,8}(\d\d):(\d\d):(\d\d)")
_SCRIPT = re.compile(r'wgScript"?\s*[:=]\s*"([^"\s]{1,200})"')
_PATH = re.compile(r'wgArticlePath"?\s*[:=]\s*"([^"\s]{1,200})\$1"')


@dataclass(frozen=True, slots=True)
class WikiEndpoints:
    """The addresses at which one wiki serves what a crawl asks for.

    engine: `mediawiki`, `pukiwiki` or `wisdomguild`.
    pages, script, charset, unescaped, prefix, own_lists, own_changes: as in
        `scraper.sites.catalogue.Wiki`.
    """

    engine: str
    pages: str
    script: str
    charset: str = "utf-8"
    unescaped: str = ""
    prefix: str = ""
    own_lists: tuple[str, ...] = ()
    own_changes: tuple[str, ...] = ()

    def article(self, name: str) -> str:
        """The address of an article. Raises SourceError if the wiki can't have such a name.

        >>> endpoints_of_site("mtgwiki").article("A b")
        'http://mtgwiki.com/wiki/A_b'
        >>> endpoints_of_site("yugioh-wiki").article("通常")
        'https://yugioh-wiki.net/index.php?%C4%CC%BE%EF'
        """
        if self.engine == "wisdomguild" and re.fullmatch(r"\d{3}(?:\.\d+[a-z]?)?\.?", name):
            name = f"cr/r/{name.rstrip('.')}"
        if self.engine == "mediawiki":
            name = name.replace(" ", "_")
        return self.pages + self._quoted(name)

    def source(self, name: str) -> str:
        """The address of an article's source text. Raises SourceError as `article` does.

        >>> endpoints_of_site("dmwiki").source("使う")
        'https://dmwiki.net/index.php?plugin=source&page=%E4%BD%BF%E3%81%86'
        """
        if self.engine == "mediawiki":
            return f"{self.script}?title={quote(name.replace(' ', '_'), safe='')}&action=raw"
        if self.engine == "pukiwiki":
            return f"{self.script}?plugin=source&page={self._quoted(name)}"
        return self.article(name)

    def place(self, name: str, source: bool) -> str:
        """The address of an article, or of its source text; empty if the wiki can't have such a
        name."""
        try:
            return self.source(name) if source else self.article(name)
        except (SourceError, UnicodeError):
            return ""

    @property
    def lists(self) -> tuple[str, ...]:
        """The addresses of the list of all pages; each is tried if the one before fails."""
        if self.own_lists or self.engine == "wisdomguild":
            return self.own_lists
        if self.engine == "pukiwiki":
            return (f"{self.script}?cmd=list",)
        query: dict[str, str | int] = {"action": "query", "list": "allpages", "aplimit": 500, "format": "json"}
        return self._api(query), self.article("特別:ページ一覧")

    @property
    def changes(self) -> tuple[str, ...]:
        """The addresses of the recent changes; each is tried if the one before fails."""
        if self.own_changes or self.engine == "wisdomguild":
            return self.own_changes
        if self.engine == "pukiwiki":
            return f"{self.script}?cmd=rss", f"{self.script}?RecentChanges"
        query: dict[str, str | int] = {
            "action": "query",
            "list": "recentchanges",
            "rclimit": 500,
            "rcprop": "title|timestamp",
            "format": "json",
        }
        feed = f"{self.script}?title={quote('特別:最近の更新')}&feed=atom&days=30&limit=500"
        return self._api(query), feed

    def name(self, url: str) -> str:
        """The name of the article at an address of this wiki; empty if it is none."""
        place = address.read(url)
        if place is None or place.view or not leads_to_article(url, self.engine):
            return ""
        return place.name

    def _api(self, query: dict[str, str | int]) -> str:
        return f"{self.script.rpartition('/')[0]}/api.php?{urlencode(query)}"

    def _quoted(self, name: str) -> str:
        name = name.removeprefix(self.prefix)
        try:
            data = write_euc(name) if self.charset == "euc_jp" else name.encode()
        except UnicodeEncodeError:
            raise SourceError(
                f"{name}: has a character that this wiki's names can't have"
            ) from None
        return quote(data, safe=self.unescaped)


def endpoints_of_site(name: str) -> WikiEndpoints:
    """The endpoints of the first wiki of a site. Raises SourceError if no record has the name."""
    sites = catalogue.current().sites
    if name not in sites:
        raise SourceError(
            f"{name}: no such site; there are {', '.join(sites)}, or give an address (http://…)"
        )
    return _endpoints(sites[name], sites[name].wikis[0])


def endpoints_from_page(url: str, view: ResponseView) -> WikiEndpoints | None:
    """The endpoints of the wiki that a page is of: those of its record, else as far as the page
    itself tells. None if it is no page of a wiki."""
    site, wiki = catalogue.known_site(url), catalogue.current().wiki_at(urlsplit(url))
    if site and wiki and urlsplit(wiki.pages).hostname == urlsplit(url).hostname:
        return _endpoints(site, wiki)
    path = urlsplit(url).path
    if view.engine == "mediawiki":
        script = _said(_SCRIPT, url, view.text) or urljoin(url, "/index.php")
        usual = f"{origin(url)}/wiki/" if path.startswith("/wiki/") else f"{script}?title="
        pages = _said(_PATH, url, view.text) or usual
        return WikiEndpoints("mediawiki", pages, script, unescaped="/:(),")
    if view.engine == "pukiwiki":
        folder = path.rpartition("/")[0] if path.endswith(("/", ".php")) else ""
        script = f"{origin(url)}{folder}/index.php"
        if view.charset == "euc_jp":
            return WikiEndpoints("pukiwiki", f"{script}?", script, "euc_jp")
        return WikiEndpoints("pukiwiki", f"{script}?", script, unescaped="/:")
    return None


def _endpoints(site: Site, wiki: Wiki) -> WikiEndpoints:
    return WikiEndpoints(
        engine=site.engine,
        pages=wiki.pages,
        script=wiki.script,
        charset=wiki.charset,
        unescaped=wiki.unescaped,
        prefix=wiki.prefix,
        own_lists=wiki.lists,
        own_changes=wiki.changes,
    )


def _said(which: re.Pattern[str], url: str, text: str) -> str:
    """A path that MediaWiki tells its scripts."""
    found = which.search(text)
    return urljoin(url, found[1].replace("\\/", "/")) if found else ""


@dataclass(frozen=True, slots=True)
class PageList:
    """What a list of pages or of changes gives: addresses of articles (with the time of the
    change, in seconds), and of lists that go on."""

    articles: tuple[tuple[str, float], ...] = ()
    more: tuple[str, ...] = ()

    @property
    def oldest(self) -> float:
        """The time of the oldest change that is told, as far as times are told."""
        return min((when for _, when in self.articles if when), default=float("inf"))


def parse_page_list(wiki: WikiEndpoints, url: str, view: ResponseView) -> PageList | None:
    """The articles in a list, or None if the answer is no such list."""
    start = view.text.lstrip("\ufeff \r\n\t")
    if start.startswith("{"):
        return _from_api(wiki, url, view.text)
    if start.startswith("<") and re.search(r"<(?:rss|feed|rdf:RDF)\b", start[:1500]):
        return _from_feed(wiki, view.text)
    if "RecentChanges" in url:
        return _from_recent(wiki, url, view.text)
    if wiki.engine != view.engine:
        return None
    articles = [link for link in view.links if wiki.name(link)]
    more = [link for link in view.links if _goes_on(link)]
    return PageList(tuple((link, 0.0) for link in articles), tuple(more))


def _goes_on(url: str) -> bool:
    """Whether an address is of a further part of MediaWiki's list of all pages."""
    place = address.read(url)
    if place is None or place.view or not _ALL_PAGES.match(place.name):
        return False
    fields = parse_qs(urlsplit(url).query)
    return "from" in fields and "hideredirects" not in fields


def _from_api(wiki: WikiEndpoints, url: str, text: str) -> PageList | None:
    try:
        answer = json.loads(text)
        found = answer["query"]
        rows = found["allpages"] if "allpages" in found else found["recentchanges"]
        articles = tuple(
            (wiki.article(row["title"]), _stamp(row.get("timestamp", ""))) for row in rows
        )
        on = answer.get("continue") or {}
        for values in (answer.get("query-continue") or {}).values():
            on = on | values
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    if not on:
        return PageList(articles)
    parts = urlsplit(url)
    fields = {key: values[0] for key, values in parse_qs(parts.query).items()}
    fields |= {str(key): str(value) for key, value in on.items()}
    return PageList(articles, (parts._replace(query=urlencode(fields)).geturl(),))


def _from_feed(wiki: WikiEndpoints, text: str) -> PageList | None:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
    root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    if root is None:
        return None
    articles = []
    for item in root.iter("{*}item", "{*}entry"):
        said = {
            etree.QName(part).localname: (part.get("href") or part.text or "").strip()
            for part in item
            if isinstance(part.tag, str)
        }
        times = (
            said[name] for name in ("updated", "date", "pubDate", "description") if name in said
        )
        when = _stamp(next(times, ""))
        if wiki.engine == "mediawiki":  # its links lead to the difference
            articles.append((wiki.article(said.get("title", "")), when))
        elif "link" in said:
            articles.append((said["link"], when))
    return PageList(tuple(articles))


def _from_recent(wiki: WikiEndpoints, url: str, text: str) -> PageList | None:
    articles = []
    for item in parse(text).root.iter("li"):
        when = _WHEN.search("".join(item.itertext())[:60])
        links = [urljoin(url, a.get("href", "")) for a in item.iter("a")]
        endpoints_of_site = [link for link in links if wiki.name(link)]
        if when and endpoints_of_site:
            moment = datetime(*map(int, when.groups()), tzinfo=_JAPAN)  # type: ignore[misc,arg-type]
            articles.append((endpoints_of_site[0], moment.timestamp()))
    return PageList(tuple(articles))


def _stamp(text: str) -> float:
    """A time as lists give it, in seconds; 0 where there is none."""
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            found = read(text.replace(" JST", " +0900").strip())
        except (ValueError, TypeError, OverflowError):
            continue
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    return 0.0
