"""Normalizes URLs, computes the key of a page, and decides which links a crawl may follow."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, urljoin, urlsplit

from scraper.sites import page_address, site_catalogue

LONGEST = 8000  # characters; servers refuse longer URLs (RFC 9110 asks for 8,000 at least)
_DEFAULT_PORTS = {"http": 80, "https": 443}  # by HTTP; they say nothing in a URL
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_HOST = re.compile(r"[\w.:-]+", re.ASCII)  # a colon is in IPv6 addresses only
# What is not percent-encoded besides letters, digits and `-._~`: as the URL Standard has it, and
# the percent sign, since escapes stay as they are.
_SAFE_IN_PATH = "!$%&'()*+,/:;=@[\\]^|"
_SAFE_IN_QUERY = _SAFE_IN_PATH + "?`{}"
# In the queries of wikis, also of such whose engine is not known: asked for what changes a page.
_FORMS = re.compile(r"(?:^|&)(?:action|cmd|do|plugin)=(?:edit|submit|delete|revert|login)\b")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
# Names of MediaWiki's pages that are not articles.
_SPECIAL = re.compile(
    r"(?:特別|利用者|ノート|トーク|ファイル|画像|メディア|"
    r"special|user|talk|file|image|media|mediawiki)(?:[-‐・ ]?(?:トーク|会話|talk))?:"
    r"|[^:]{1,40}(?:[-‐・]トーク|[-‐]ノート|[ _]talk):",
    re.IGNORECASE,
)
# PukiWiki's pages that are not articles.
_NO_ARTICLES = {"RecentChanges", "RecentDeleted", "InterWiki", "InterWikiName", "InterWikiSandBox"}


def tidy(url: str, base: str = "") -> str | None:
    """Return a URL in the normal form in which it is requested and stored, without fragment.

    base: the URL that a relative one starts from; if empty, a relative one gives None.

    None if it can't be requested: malformed, too long, not HTTP, or with a user name.

    >>> tidy("HTTP://Example.JP:80/a/./b/%7eC?x=%e5#top")
    'http://example.jp/a/b/~C?x=%E5'
    >>> tidy("../x", "http://a.jp/b/c"), tidy("mailto:a@a.jp")
    ('http://a.jp/x', None)
    """
    try:
        joined = urljoin(base, url.strip()) if base else url.strip()
        if len(joined) > LONGEST or _CONTROL.search(joined):
            return None
        parts = urlsplit(_ESCAPE.sub(_normalized_escape, joined.partition("#")[0]))
        host = (parts.hostname or "").encode("idna").decode("ascii")
        if parts.scheme not in _DEFAULT_PORTS or "@" in parts.netloc or not _HOST.fullmatch(host):
            return None
        host = f"[{host}]" if ":" in host else host
        port = "" if parts.port in {None, _DEFAULT_PORTS[parts.scheme]} else f":{parts.port}"
        path = quote(_without_dot_segments(parts.path or "/"), _SAFE_IN_PATH)
        query = "?" + quote(parts.query, _SAFE_IN_QUERY) if parts.query else ""
    except ValueError:
        return None
    normal = f"{parts.scheme}://{host}{port}{path}{query}"
    return normal if len(normal) <= LONGEST else None


def _without_dot_segments(path: str) -> str:
    """Return a path that begins with a slash without `.` and `..`, as RFC 3986 resolves them.

    >>> _without_dot_segments("/a/./b/../../../c//.")
    '/c//'
    """
    kept: list[str] = []
    segments = path.split("/")
    for segment in segments:
        if segment == "..":
            del kept[max(1, len(kept) - 1) :]
        elif segment != ".":
            kept.append(segment)
    return "/".join(kept if segments[-1] not in {".", ".."} else [*kept, ""])


def _normalized_escape(escape: re.Match[str]) -> str:
    """Return an escaped character as it is if it needs no escape; else with capital digits."""
    character = chr(int(escape[1], 16))
    return character if character in _UNRESERVED else escape[0].upper()


def origin(url: str) -> str:
    """Return the scheme, host and port of a URL, as they stand in it.

    url: an absolute URL, as `tidy` returns it; else equal origins may give different texts.

    >>> origin("http://a.jp:8000/x?y")
    'http://a.jp:8000'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def key(url: str, engine: str = "") -> str:
    """Return a key that is the same for all URLs of one page, as far as URLs show that.

    The key is a URL too, though not always one that can be requested. It is `url` itself if nothing
    else is known. Keys with and without an engine may differ.

    url: as `tidy` returns it.
    engine: the engine of the page on which the URL was found (`pukiwiki`, `mediawiki`), which
        determines what the parts of the URL mean; empty if unknown.

    >>> key("http://a.jp/index.php?title=A_b", "mediawiki")
    'http://a.jp/wiki/A%20b'
    >>> [key(url, "pukiwiki") for url in ("http://a.jp/?cmd=read&page=X", "http://a.jp/index.php?X")]
    ['http://a.jp/?X', 'http://a.jp/?X']
    """
    if site_catalogue.known_site(url):
        return page_address.canonical(url).partition("#")[0]
    page = page_address.read(url) if engine else None
    if page is None or page.view or page.redlink or not page.name:
        return url
    path = urlsplit(url).path
    name = quote(page.name)
    if engine == "mediawiki" and path.startswith(("/wiki/", "/index.php")):
        return f"{origin(url)}/wiki/{name}"
    if engine == "pukiwiki":
        is_script = path.endswith(("/", ".php")) or not path
        return f"{origin(url)}{path.rpartition('/')[0] if is_script else ''}/?{name}"
    return url


def leads_to_article(url: str, engine: str) -> bool:
    """Whether a link leads to an article; true for all links on a page that is not a wiki's, but
    those to forms by which a wiki is edited.

    Other views of an article (edit, difference, history), missing pages, and the wiki's own pages
    (recent changes, users, files) are not articles. What can't be a wiki's page (a file, a script)
    counts as an article unless it is on a site of the catalogue.

    url: the link's absolute URL.
    engine: the engine of the page with the link; empty if it is not a wiki's.

    >>> leads_to_article("http://a.jp/?cmd=edit&page=X", "pukiwiki")
    False
    >>> leads_to_article("http://a.jp/calendar?month=9", "")
    True
    """
    if engine not in {"mediawiki", "pukiwiki"}:
        return not _FORMS.search(urlsplit(url).query)
    page = page_address.read(url)
    if page is None:  # a file or a script; on an unknown wiki this may be a page all the same
        return site_catalogue.known_site(url) is None
    if page.view or page.redlink or not page.name:
        return False
    if engine == "mediawiki":
        return not _SPECIAL.match(page.name)
    return page.name not in _NO_ARTICLES and not page.name.startswith(":")


@dataclass(frozen=True, slots=True)
class Scope:
    """The sites that a crawl stays on.

    origins: the origins that the user named.
    sites: the names of sites in the catalogue, each with all its hosts.
    """

    origins: frozenset[str]
    sites: frozenset[str] = frozenset()

    def holds(self, url: str) -> bool:
        """Whether a URL belongs to one of the sites.

        An origin must be the same in scheme, host and port. Of a site in the catalogue any host
        and scheme will do, at the port 80 or 443 or without one.

        >>> Scope(frozenset({"http://a.jp"})).holds("http://a.jp:8000/x")
        False
        >>> Scope(frozenset(), frozenset({"mtgwiki"})).holds("https://m.mtgwiki.com/wiki/X")
        True
        """
        if origin(url) in self.origins:
            return True
        return page_address.source_of(url) in self.sites and urlsplit(url).port in {None, 80, 443}

    @property
    def hosts(self) -> frozenset[str]:
        """The hosts of `origins`, without scheme and port; those of `sites` are not included."""
        return frozenset(urlsplit(origin).hostname or "" for origin in self.origins)
