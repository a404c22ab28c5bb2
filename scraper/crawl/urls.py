"""One form for an address, one key for a page, and which addresses a crawl may follow."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, urljoin, urlsplit

from scraper.sites import address, catalogue

LONGEST = 8000  # servers take no longer ones
_LAST_PORT = 65535
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_SPECIAL = re.compile(
    r"(?:特別|利用者|ノート|トーク|ファイル|画像|メディア|"
    r"special|user|talk|file|image|media|mediawiki)(?:[-‐・ ]?(?:トーク|会話|talk))?:"
    r"|[^:]{1,40}(?:[-‐・]トーク|[-‐]ノート|[ _]talk):",
    re.IGNORECASE,
)
_ENDLESS = {"RecentChanges", "RecentDeleted", "InterWiki", "InterWikiName", "InterWikiSandBox"}


def tidy(url: str, base: str = "") -> str | None:
    """An address in the one form that it is asked for and remembered by; None where there is
    nothing to ask for: no http or https, a name and password in it, too long, no address at all.

    >>> tidy("HTTP://Example.JP:80/a/./b/%7eC?x=%e5#top")
    'http://example.jp/a/b/~C?x=%E5'
    >>> tidy("../x", "http://a.jp/b/c"), tidy("mailto:a@a.jp")
    ('http://a.jp/x', None)
    """
    import httpx

    try:
        joined = urljoin(base, url.strip()) if base else url.strip()
        if len(joined) > LONGEST:
            return None
        scheme, colon, rest = joined.partition("#")[0].partition(":")
        found = httpx.URL(scheme.lower() + colon + _ESCAPE.sub(_plain, rest))
        if found.scheme not in {"http", "https"} or not found.host or found.userinfo:
            return None
        if (found.port or 0) > _LAST_PORT:
            return None
        whole = f"{found.scheme}://{found.netloc.decode()}{found.raw_path.decode()}"
    except (ValueError, UnicodeError, httpx.InvalidURL):
        return None
    return whole if len(whole) <= LONGEST else None


def _plain(escape: re.Match[str]) -> str:
    character = chr(int(escape[1], 16))
    return character if character in _UNRESERVED else escape[0].upper()


def origin(url: str) -> str:
    """Scheme, host and port.

    >>> origin("http://a.jp:8000/x?y")
    'http://a.jp:8000'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def key(url: str, engine: str = "") -> str:
    """What is the same for all addresses of one page, as far as addresses tell.

    `engine` is that of the page where the address was found (`pukiwiki`, `mediawiki`), by which
    one knows what its parts mean.

    >>> key("http://a.jp/index.php?title=A_b", "mediawiki")
    'http://a.jp/wiki/A%20b'
    >>> [key(url, "pukiwiki") for url in ("http://a.jp/?cmd=read&page=X", "http://a.jp/index.php?X")]
    ['http://a.jp/?X', 'http://a.jp/?X']
    """
    if catalogue.known_site(url):
        return address.canonical(url).partition("#")[0]
    place = address.read(url) if engine else None
    if place is None or place.view or place.redlink or not place.name:
        return url
    path = urlsplit(url).path
    name = quote(place.name)
    if engine == "mediawiki" and path.startswith(("/wiki/", "/index.php")):
        return f"{origin(url)}/wiki/{name}"
    if engine == "pukiwiki":
        script = path.endswith(("/", ".php")) or not path
        return f"{origin(url)}{path.rpartition('/')[0] if script else ''}/?{name}"
    return url


def leads_to_article(url: str, engine: str) -> bool:
    """Whether an address on a wiki's page is that of an article: not a view of one (edit,
    difference, history, search…), not a page that is missing, not one of the wiki's own.

    >>> leads_to_article("http://a.jp/?cmd=edit&page=X", "pukiwiki")
    False
    >>> leads_to_article("http://a.jp/calendar?month=9", "")
    True
    """
    if engine not in {"mediawiki", "pukiwiki"}:
        return True
    place = address.read(url)
    if place is None:  # a file or a script; what a wiki that nobody knows has there may be a page
        return catalogue.known_site(url) is None
    if place.view or place.redlink or not place.name:
        return False
    if engine == "mediawiki":
        return not _SPECIAL.match(place.name)
    return place.name not in _ENDLESS and not place.name.startswith(":")


@dataclass(frozen=True, slots=True)
class Scope:
    """The sites that a crawl stays on: origins as given, and named sites by all their hosts."""

    origins: frozenset[str]
    sites: frozenset[str] = frozenset()

    def holds(self, url: str) -> bool:
        """Whether an address is on one of the sites.

        >>> Scope(frozenset({"http://a.jp"})).holds("http://a.jp:8000/x")
        False
        >>> Scope(frozenset(), frozenset({"mtgwiki"})).holds("https://m.mtgwiki.com/wiki/X")
        True
        """
        if origin(url) in self.origins:
            return True
        return address.source_of(url) in self.sites and urlsplit(url).port in {None, 80, 443}

    @property
    def hosts(self) -> frozenset[str]:
        """The hosts that the user named himself."""
        return frozenset(urlsplit(one).hostname or "" for one in self.origins)
