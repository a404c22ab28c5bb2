"""Builds a wiki's URLs of articles, source text, page lists and recent changes; parses the lists.

For a site of the catalogue the URLs follow its record; for any other wiki they are inferred from
one of its pages.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from difflib import get_close_matches
from urllib.parse import parse_qs, quote, urlencode, urljoin, urlsplit

from lxml import etree

from scraper.crawl.parse_response import ResponseView
from scraper.crawl.urls import leads_to_article, origin, tidy
from scraper.errors import SourceError
from scraper.markup.html_walk import parse
from scraper.sites import page_address, site_catalogue
from scraper.sites.page_address import Address
from scraper.sites.site_catalogue import Wiki
from scraper.sources.capture_times import timestamp

_ALL_PAGES = re.compile(r"(?:特別|special):(?:ページ一覧|全ページ|allpages)", re.IGNORECASE)
_TIME_ELEMENTS = ("updated", "date", "pubDate", "description")  # of a feed's item
_JAPAN = timezone(timedelta(hours=9))  # PukiWiki writes the time of its own place
_TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)\D{1,8}(\d\d):(\d\d):(\d\d)")  # a weekday may be between
# Variables of MediaWiki's scripts. The bounds are guards; such paths have some twenty characters.
_SCRIPT = re.compile(r'wgScript"?\s*[:=]\s*"([^"\s]{1,200})"')
_ARTICLE_PATH = re.compile(r'wgArticlePath"?\s*[:=]\s*"([^"\s]{1,200})\$1"')

# Characters that are compared with the names of sites: a guard, as that takes time by their square.
_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class WikiEndpoints:
    """The URLs at which one wiki serves what a crawl fetches.

    engine: `mediawiki`, `pukiwiki` or `wisdomguild`.
    urls: how its URLs are written, as in the catalogue; the hosts do not matter.
    """

    engine: str
    urls: Wiki

    def article(self, name: str) -> str:
        """Return the URL of an article. Raises SourceError if the wiki can't have such a name.

        name: the page's name as readers see it, not percent-encoded; for `wisdomguild` a rule's
            number will do. Whether there is such a page is not checked.

        >>> endpoints_of_site("mtgwiki").article("A b")
        'http://mtgwiki.com/wiki/A_b'
        >>> endpoints_of_site("yugioh-wiki").article("通常")
        'https://yugioh-wiki.net/index.php?%C4%CC%BE%EF'
        """
        if self.engine == "wisdomguild" and re.fullmatch(r"\d{3}(?:\.\d+[a-z]?)?\.?", name):
            name = f"cr/r/{name.rstrip('.')}"
        if self.engine == "mediawiki":
            name = name.replace(" ", "_")
        return self.urls.pages + self._quoted(name)

    def source(self, name: str) -> str:
        """Return the URL of an article's source text. Raises SourceError as `article` does.

        A `wisdomguild` site has none: the URL of the article is returned.

        >>> endpoints_of_site("dmwiki").source("使う")
        'https://dmwiki.net/index.php?plugin=source&page=%E4%BD%BF%E3%81%86'
        """
        if self.engine == "mediawiki":
            return f"{self.urls.script}?title={quote(name.replace(' ', '_'), safe='')}&action=raw"
        if self.engine == "pukiwiki":
            return f"{self.urls.script}?plugin=source&page={self._quoted(name)}"
        return self.article(name)

    def place(self, name: str, source: bool) -> str:
        """Return the URL of an article, or of its source text if `source` is true.

        Empty if the wiki can't have such a name.
        """
        try:
            return self.source(name) if source else self.article(name)
        except (SourceError, UnicodeError):
            return ""

    @property
    def lists(self) -> tuple[str, ...]:
        """The URLs of the list of all pages; each is tried if the one before fails.

        Those of the catalogue, else those of the engine: for PukiWiki one; for MediaWiki an API
        query and the page 特別:ページ一覧. Empty for any other engine without lists in the
        catalogue. An API gives 500 at once, as many as it lets those have who are not logged in.
        """
        if self.urls.lists or self.engine not in ("mediawiki", "pukiwiki"):
            return self.urls.lists
        if self.engine == "pukiwiki":
            return (f"{self.urls.script}?cmd=list",)
        return self._api("list=allpages&aplimit=500"), self.article("特別:ページ一覧")

    @property
    def changes(self) -> tuple[str, ...]:
        """The URLs of the recent changes; each is tried if the one before fails.

        Those of the catalogue, else those of the engine: for PukiWiki the feed and RecentChanges;
        for MediaWiki an API query and a feed. Empty for any other engine without any in the
        catalogue.
        """
        if self.urls.changes or self.engine not in ("mediawiki", "pukiwiki"):
            return self.urls.changes
        if self.engine == "pukiwiki":
            return f"{self.urls.script}?cmd=rss", f"{self.urls.script}?RecentChanges"
        feed = f"{self.urls.script}?title={quote('特別:最近の更新')}&feed=atom&days=30&limit=500"
        return self._api("list=recentchanges&rclimit=500&rcprop=title%7Ctimestamp"), feed

    def address(self, url: str) -> Address | None:
        """Parse a URL of this wiki as `page_address.read` does, with names in its charset.

        >>> endpoints_of_site("mtgwiki").address("http://mtgwiki.com/wiki/A_b").name
        'A b'
        """
        return page_address.read(url, url, self.urls.charset == "utf-8")

    def name(self, url: str) -> str:
        """Return the name of the article at a URL of this wiki; empty if it is not an article.

        Whether the URL is on this wiki's host is not checked.
        """
        page = self.address(url)
        if page is None or page.view or not leads_to_article(url, self.engine):
            return ""
        return page.name

    def _api(self, query: str) -> str:
        """Return the URL of a query to MediaWiki's API. `query` is percent-encoded."""
        folder = self.urls.script.rpartition("/")[0]
        return f"{folder}/api.php?action=query&{query}&format=json"

    def _quoted(self, name: str) -> str:
        """Return a name without the wiki's `prefix`, percent-encoded in the wiki's charset.

        The characters in `unescaped` stay as they are. Raises SourceError if the charset does not
        have a character of the name.
        """
        name = name.removeprefix(self.urls.prefix)
        try:
            return page_address.quoted(self.urls, name)
        except UnicodeEncodeError:
            raise SourceError(
                f"{name}: has a character that this wiki's names can't have"
            ) from None


def endpoints_of_site(name: str) -> WikiEndpoints:
    """Return the endpoints of a site's first wiki. Raises SourceError for an unknown name.

    name: the site's name in the catalogue, such as `mtgwiki`.
    """
    sites = site_catalogue.current().sites
    if name not in sites:
        near = get_close_matches(name[:_LONGEST_NAME].casefold(), sites, n=2)
        suggestion = f"nearest: {', '.join(near)}; " if near else ""
        raise SourceError(
            f"{name}: no such site; {suggestion}there are {', '.join(sites)}, or give an address "
            "(http://…)"
        )
    return WikiEndpoints(sites[name].engine, sites[name].wikis[0])


def endpoints_from_page(url: str, view: ResponseView) -> WikiEndpoints | None:
    """Return the endpoints of the wiki that a page belongs to; None if it is not a wiki's page.

    They follow the wiki's record. If it has none, they are inferred from the page. No request is
    made, and whether the endpoints answer is not checked.

    url: the URL of the page.
    view: the parsed page; with a record it is not looked at.
    """
    site, wiki = site_catalogue.known_site(url), site_catalogue.current().wiki_at(urlsplit(url))
    if site and wiki and urlsplit(wiki.pages).hostname == urlsplit(url).hostname:
        return WikiEndpoints(site.engine, wiki)
    path = urlsplit(url).path
    if view.engine == "mediawiki":
        script = _stated_url(_SCRIPT, url, view.text) or urljoin(url, "/index.php")
        default = f"{origin(url)}/wiki/" if path.startswith("/wiki/") else f"{script}?title="
        pages = _stated_url(_ARTICLE_PATH, url, view.text) or default
        return WikiEndpoints("mediawiki", Wiki((), pages, script, unescaped="/:(),"))
    if view.engine == "pukiwiki":
        folder = path.rpartition("/")[0] if path.endswith(("/", ".php")) else ""
        script = f"{origin(url)}{folder}/index.php"
        if view.charset == "euc_jp":
            return WikiEndpoints("pukiwiki", Wiki((), f"{script}?", script, "euc_jp"))
        return WikiEndpoints("pukiwiki", Wiki((), f"{script}?", script, unescaped="/:"))
    return None


def _stated_url(variable: re.Pattern[str], url: str, text: str) -> str:
    """Return the URL in a variable of MediaWiki's scripts; empty if the page does not have it.

    url: the URL of the page, which the variable's value is relative to; text: the page.
    """
    match = variable.search(text)
    return (tidy(match[1].replace("\\/", "/"), url) or "") if match else ""


@dataclass(frozen=True, slots=True)
class PageList:
    """A parsed part of a list of pages or of changes.

    articles: the URLs of articles, each with the time of its change in seconds since 1970; 0 if
        the list gives no time.
    more: the URLs of further parts of the list.
    """

    articles: tuple[tuple[str, float], ...] = ()
    more: tuple[str, ...] = ()

    @property
    def oldest(self) -> float:
        """The time of the oldest change, in seconds since 1970; infinity without any times.

        Articles without a time are ignored.
        """
        return min((when for _, when in self.articles if when), default=float("inf"))


def parse_page_list(wiki: WikiEndpoints, url: str, view: ResponseView) -> PageList | None:
    """Parse a list of pages or changes: API answer, feed, or HTML; None if it is not a list.

    An HTML page of the wiki counts as a list of all articles that it links to, without times,
    whatever it is; so the result may be empty.

    wiki: the wiki that it was fetched from.
    url: its URL. If it contains `RecentChanges`, HTML is parsed as PukiWiki's list of changes.
    view: the parsed answer, with as many links as a list may have (`max_links`).
    """
    start = view.text.lstrip("\ufeff \r\n\t")
    if start.startswith("{"):
        return _parse_api_list(wiki, url, view.text)
    if start.startswith("<") and re.search(r"<(?:rss|feed|rdf:RDF)\b", start[:1500]):
        return _parse_feed(wiki, view.text)
    if "RecentChanges" in url:
        return _parse_recent_changes(wiki, url, view.text)
    if wiki.engine != view.engine:
        return None
    articles = [link for link in view.links if wiki.name(link)]
    more = [link for link in view.links if _is_further_part(link)]
    return PageList(tuple((link, 0.0) for link in articles), tuple(more))


def _is_further_part(url: str) -> bool:
    """Whether a URL leads to a part (any but the first) of MediaWiki's list of all pages."""
    page = page_address.read(url)
    if page is None or page.view or not _ALL_PAGES.match(page.name):
        return False
    fields = parse_qs(urlsplit(url).query)
    return "from" in fields and "hideredirects" not in fields


def _parse_api_list(wiki: WikiEndpoints, url: str, text: str) -> PageList | None:
    """Parse an API answer with a list of pages or changes; None if it is malformed.

    Also None if it has a title that the wiki's URLs can't have.

    url: the URL of the answer, from which that of the next part is made; text: its JSON.
    """
    try:
        answer = json.loads(text)
        query = answer["query"]
        rows = query["allpages"] if "allpages" in query else query["recentchanges"]
        articles = tuple(
            (wiki.article(row["title"]), _parse_time(row.get("timestamp", ""))) for row in rows
        )
        continuation = answer.get("continue") or {}
        for values in (answer.get("query-continue") or {}).values():
            continuation = continuation | values
    except (SourceError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    if not continuation:
        return PageList(articles)
    parts = urlsplit(url)
    fields = {key: values[0] for key, values in parse_qs(parts.query).items()}
    fields |= {str(key): str(value) for key, value in continuation.items()}
    return PageList(articles, (parts._replace(query=urlencode(fields)).geturl(),))


def _parse_feed(wiki: WikiEndpoints, text: str) -> PageList | None:
    """Parse an RSS or Atom feed of changes; None if it is not XML. It has no further parts.

    The address of an item is its link; for MediaWiki, that of the article with its title. Items
    without a link or a possible title are left out. The time is 0 if an item has none.

    wiki: whose feed it is; decides by its engine what an item's address is.
    text: the XML; broken XML is read as far as possible.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
    root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    if root is None:
        return None
    articles = []
    for item in root.iter("{*}item", "{*}entry"):
        fields = {
            etree.QName(part).localname: (part.get("href") or part.text or "").strip()
            for part in item
            if isinstance(part.tag, str)
        }
        times = (fields[name] for name in _TIME_ELEMENTS if name in fields)
        changed = _parse_time(next(times, ""))
        if wiki.engine == "mediawiki":  # its links lead to the difference, not to the article
            with suppress(SourceError):
                articles.append((wiki.article(fields.get("title", "")), changed))
        elif "link" in fields:
            articles.append((fields["link"], changed))
    return PageList(tuple(articles))


def _parse_recent_changes(wiki: WikiEndpoints, url: str, text: str) -> PageList | None:
    """Parse PukiWiki's page RecentChanges, whose times are in Japan's time zone.

    Never None; items without a time or an article are left out, and links that can't be followed.

    wiki: tells which of an item's links are to articles; the first of them counts.
    url: the URL of the page, which its links are relative to; text: its HTML.
    """
    articles = []
    for item in parse(text).root.iter("li"):
        time = _TIME.search("".join(item.itertext())[:60])
        links = [tidy(a.get("href", ""), url) for a in item.iter("a")]
        article_links = [link for link in links if link and wiki.name(link)]
        if time and article_links:
            with suppress(ValueError):  # no such day or hour
                changed = datetime(*map(int, time.groups()), tzinfo=_JAPAN)  # type: ignore[misc,arg-type]
                articles.append((article_links[0], changed.timestamp()))
    return PageList(tuple(articles))


def _parse_time(text: str) -> float:
    """Return a time in ISO 8601 or RFC 2822 in seconds since 1970; 0 if it is neither, or empty.

    A time without a zone is in UTC.
    """
    return timestamp(text.replace(" JST", " +0900").strip()) or 0.0
