"""The catalogue of sites: a record for each site, looked up by name, host or URL.

No other module contains the name of a host. A wiki on a new host needs a record and no code. The
record is built in (`BUILT_IN`), or the user writes it in a TOML file (`scraper.sites.sites_file`)
and it is known inside `using`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from urllib.parse import SplitResult, urlsplit

from scraper import plugins

# The values of `--site` for sources that do not come from a site in the catalogue: the engines
# whose pages they are, or the kinds of documents.
KINDS = ("mediawiki", "pukiwiki", "rulebook", "namelist")
# Characters, as `games.is_id` takes for the name of a source; the DNS has 253 at most, real hosts a
# few dozen.
_LONGEST_HOST = 200
_HOST = re.compile(rf"(?:\w[\w.-]{{0,{_LONGEST_HOST - 1}}})?")
_NOT_IN_HOSTS = re.compile(r"[^\w.-]+|\A[.-]+")
_MOBILE = re.compile(r"^(?:www|m|mobile)\.")  # such hosts serve the same pages as without it


@dataclass(frozen=True, slots=True)
class Wiki:
    """One wiki of a site, and how its URLs are written.

    hosts: the hosts that serve it, the usual one first. Each is also known with `www.`, `m.` and
        `mobile.` before it.
    pages: the beginning of an article's URL; the article's name follows.
    script: the beginning of all other URLs (lists, source text, feeds).
    charset: the charset of the names in URLs, `utf-8` or `euc_jp`.
    unescaped: the characters that the wiki does not percent-encode in these names.
    prefix: for the second wiki of a site, the first part of its URLs' paths; the names of its
        pages get the same prefix. Empty for a site's first wiki.
    lists, changes: the URLs of the list of all pages and of recent changes. Each is tried if the
        one before fails. If empty, the usual URLs of the engine are used.
    """

    hosts: tuple[str, ...]
    pages: str
    script: str
    charset: str = "utf-8"
    unescaped: str = ""
    prefix: str = ""
    lists: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()

    @property
    def folder(self) -> str:
        """The path that all its pages are below, with a slash at the end."""
        return urlsplit(self.pages).path.rpartition("/")[0] + "/"


@dataclass(frozen=True, slots=True)
class Site:
    """A site: one source of pages.

    name: the name of the source, such as `mtgwiki`.
    game: the id of its game.
    engine: the software that serves it: `mediawiki`, `pukiwiki`, `wisdomguild`, or what a plug-in
        reads.
    wikis: its wikis; the first one is the one to fetch pages from.
    follow: a crawl follows links only to paths that begin with one of these; to all if empty.
    """

    name: str
    game: str
    engine: str
    wikis: tuple[Wiki, ...]
    follow: tuple[str, ...] = ()


BUILT_IN: tuple[Site, ...] = (
    Site(
        name="mtgwiki",
        game="mtg",
        engine="mediawiki",
        wikis=(
            Wiki(
                hosts=("mtgwiki.com",),
                pages="http://mtgwiki.com/wiki/",
                script="http://mtgwiki.com/index.php",
                unescaped="/:(),",
            ),
        ),
    ),
    Site(
        name="yugioh-wiki",
        game="ygo",
        engine="pukiwiki",
        wikis=(
            Wiki(
                hosts=("yugioh-wiki.net",),
                pages="https://yugioh-wiki.net/index.php?",
                script="https://yugioh-wiki.net/index.php",
                charset="euc_jp",
            ),
            Wiki(
                hosts=("rush.yugioh-wiki.net",),
                pages="https://yugioh-wiki.net/rush/index.php?",
                script="https://yugioh-wiki.net/rush/index.php",
                prefix="rush/",
            ),
        ),
    ),
    Site(
        name="dmwiki",
        game="dm",
        engine="pukiwiki",
        wikis=(
            Wiki(
                hosts=("dmwiki.net",),
                pages="https://dmwiki.net/",
                script="https://dmwiki.net/index.php",
                unescaped="/:",
            ),
            Wiki(
                hosts=("dm-wiki.com",),
                pages="https://dm-wiki.com/?",
                script="https://dm-wiki.com/",
                charset="euc_jp",
                unescaped="/:",
            ),
            Wiki(
                hosts=("dmarchive.net",),
                pages="https://dmarchive.net/?",
                script="https://dmarchive.net/",
                charset="euc_jp",
                unescaped="/:",
            ),
        ),
    ),
    Site(
        name="wisdom-guild",
        game="mtg",
        engine="wisdomguild",
        wikis=(
            Wiki(
                hosts=("whisper.wisdom-guild.net",),
                pages="http://whisper.wisdom-guild.net/",
                script="http://whisper.wisdom-guild.net/",
                unescaped="/:(),",
            ),
        ),
        follow=("/cr/", "/card/"),
    ),
)


class Catalogue:
    """A set of sites, indexed by name and by host. Of sites with the same key the last one counts.

    sites: the sites by their names.

    >>> Catalogue(BUILT_IN).at_host("m.dmwiki.net").name
    'dmwiki'
    """

    def __init__(self, sites: tuple[Site, ...]) -> None:
        self.sites = {site.name: site for site in sites}
        self._hosts = {host: site for site in sites for wiki in site.wikis for host in wiki.hosts}

    def at_host(self, host: str) -> Site | None:
        """Return the site that a host serves, or None if no record has the host.

        host: without a port, in upper or lower case, with or without `www.`, `m.` or `mobile.`.
        """
        return self._hosts.get(without_mobile(host.lower()))

    def wiki_at(self, parts: SplitResult) -> Wiki | None:
        """Return the wiki that a split URL belongs to, or None if no record has the host.

        The wikis of one site are told apart by path, then by host.
        """
        host = plain_host(parts)
        site = self._hosts.get(host)
        if site is None:
            return None
        for wiki in site.wikis:
            if wiki.prefix and parts.path.startswith(f"/{wiki.prefix}"):
                return wiki
        return next(wiki for wiki in site.wikis if host in wiki.hosts)


def plain_host(parts: SplitResult) -> str:
    """Return the host of a split URL in lower case, without `www.`, `m.` or `mobile.`; empty if it
    has none.

    Sources, and games that nobody names, are called by their hosts: what no host's name has is
    written `_`, so that an address in a page can't make up a name that says something.

    >>> plain_host(urlsplit("https://m.mtgwiki.com/wiki/X")), plain_host(urlsplit("http://[::1]/"))
    ('mtgwiki.com', '_1')
    """
    host = without_mobile((parts.hostname or "").lower())
    return host if _HOST.fullmatch(host) else _NOT_IN_HOSTS.sub("_", host)[:_LONGEST_HOST]


def without_mobile(host: str) -> str:
    """Return the name of a host, given in lower case, without one `www.`, `m.` or `mobile.` before
    it."""
    return _MOBILE.sub("", host)


_BUILT_IN = Catalogue(BUILT_IN)
_current: ContextVar[Catalogue] = ContextVar("catalogue", default=_BUILT_IN)
_extended: dict[tuple[Site, ...], Catalogue] = {(): _BUILT_IN}


def current() -> Catalogue:
    """Return the catalogue in use: the built-in sites, and those of the innermost `using`."""
    return _current.get()


@contextmanager
def using(sites: tuple[Site, ...]) -> Iterator[Catalogue]:
    """Use a catalogue of the built-in sites and some others inside a `with` block, and yield it.

    A site with the name or host of a built-in site takes its place. The sites of an outer `using`
    are not in the catalogue of an inner one.

    >>> wiki = Wiki(("wiki.example",), "https://wiki.example/?", "https://wiki.example/")
    >>> with using((Site("ws-wiki", "ws", "pukiwiki", (wiki,)),)):
    ...     game_of("ws-wiki"), known_site("https://www.wiki.example/?X").name
    ('ws', 'ws-wiki')
    >>> known_site("https://www.wiki.example/?X")
    """
    if sites not in _extended:
        _extended[sites] = Catalogue(BUILT_IN + sites)
    token = _current.set(_extended[sites])
    try:
        yield _extended[sites]
    finally:
        _current.reset(token)


def known_site(url: str) -> Site | None:
    """Return the site that a URL belongs to; None if no record has its host or it is malformed."""
    try:
        return current().at_host(urlsplit(url).hostname or "")
    except ValueError:
        return None


def may_have_engine(url: str, engine: str) -> bool:
    """Whether a URL may belong to a site with this engine: it does, or no record has its host.

    True for an empty or malformed URL too.
    """
    site = known_site(url) if url else None
    return site is None or site.engine == engine


def site_with(engine: str) -> Site:
    """Return the first site with an engine. Raises StopIteration if there is none.

    >>> site_with("wisdomguild").game
    'mtg'
    """
    return next(site for site in current().sites.values() if site.engine == engine)


def names() -> list[str]:
    """Return the possible values of `--site`, sorted: the names of sites and the other kinds."""
    return sorted({*current().sites, *KINDS, *engines_of_plugins()})


@cache
def engines_of_plugins() -> tuple[str, ...]:
    """Return the engines whose pages plug-ins read, sorted: their names."""
    installed = plugins.installed_plugins()
    return tuple(one.name for one in installed if one.group == "sites" and not one.problem)


def engine_of(name: str) -> str:
    """Return the engine or kind of source that a value of `--site` stands for; empty if unknown.

    >>> engine_of("dmwiki"), engine_of("rulebook"), engine_of("nowhere")
    ('pukiwiki', 'rulebook', '')
    """
    site = current().sites.get(name)
    if site:
        return site.engine
    return name if name in KINDS or name in engines_of_plugins() else ""


def game_of(name: str) -> str | None:
    """Return the id of the game that a named site is about; None if no site has the name."""
    site = current().sites.get(name)
    return site.game if site else None
