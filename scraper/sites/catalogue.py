"""The catalogue of sites: one record for each site. Nothing else knows the name of a host.

A wiki on a new host needs a record and no code. It is built in (`BUILT_IN`), or a person gives it
in a TOML file (`scraper.sites.sites_file`); `using` makes such records known for a while.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal
from urllib.parse import SplitResult, urlsplit

Engine = Literal["mediawiki", "pukiwiki", "wisdomguild"]

# What `--site` may say of sources that come from no site: how they are to be read.
KINDS: Mapping[str, str] = {
    "mediawiki": "mediawiki",
    "pukiwiki": "pukiwiki",
    "rulebook": "rulebook",
    "namelist": "namelist",
}
_MOBILE = re.compile(r"^(?:www|m|mobile)\.")  # hosts that serve the same pages as the one without


@dataclass(frozen=True, slots=True)
class Wiki:
    """One wiki of a site, and how its addresses are written.

    hosts: the hosts that serve it, the usual one first; each also with `www.`, `m.`, `mobile.`.
    pages: what the address of an article begins with; the article's name follows.
    script: what all other addresses begin with (lists, source text, feeds).
    charset: the charset of the names in addresses, `utf-8` or `euc_jp`.
    unescaped: the characters that the wiki leaves as they are in the names in addresses.
    prefix: what the names of its pages begin with, where a site holds a second wiki; that one's
        addresses then have this as the first part of their path.
    lists, changes: addresses of the list of all pages and of recent changes, each tried where the
        one before does not answer; empty for those of the engine.
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
        """The path below which all its pages are, with a slash at its end."""
        return urlsplit(self.pages).path.rpartition("/")[0] + "/"


@dataclass(frozen=True, slots=True)
class Site:
    """A site: what its source is called, its game, its engine, its wikis (the one to fetch from
    first).

    follow: the beginnings of the paths that a crawl follows links to; all paths if empty.
    """

    name: str
    game: str
    engine: Engine
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
    """Some sites, to be looked up by name and by host.

    >>> Catalogue(BUILT_IN).at_host("m.dmwiki.net").name
    'dmwiki'
    """

    def __init__(self, sites: tuple[Site, ...]) -> None:
        self.sites = {site.name: site for site in sites}
        self._hosts = {host: site for site in sites for wiki in site.wikis for host in wiki.hosts}

    def at_host(self, host: str) -> Site | None:
        """The site that a host serves, or None."""
        return self._hosts.get(_MOBILE.sub("", host.lower()))

    def wiki_at(self, parts: SplitResult) -> Wiki | None:
        """The wiki that an address is of; of a site with several, by host and path. None if the
        host is unknown."""
        host = plain_host(parts)
        site = self._hosts.get(host)
        if site is None:
            return None
        for wiki in site.wikis:
            if wiki.prefix and parts.path.startswith(f"/{wiki.prefix}"):
                return wiki
        return next(wiki for wiki in site.wikis if host in wiki.hosts)


def plain_host(parts: SplitResult) -> str:
    """The host of an address, without what only says which form of its pages is served.

    >>> plain_host(urlsplit("https://m.mtgwiki.com/wiki/X"))
    'mtgwiki.com'
    """
    return _MOBILE.sub("", (parts.hostname or "").lower())


_BUILT_IN = Catalogue(BUILT_IN)
_current: ContextVar[Catalogue] = ContextVar("catalogue", default=_BUILT_IN)
_extended: dict[tuple[Site, ...], Catalogue] = {(): _BUILT_IN}


def current() -> Catalogue:
    """The catalogue in use: the built-in sites, and those of an enclosing `using`."""
    return _current.get()


@contextmanager
def using(sites: tuple[Site, ...]) -> Iterator[Catalogue]:
    """Make sites known besides the built-in ones until the `with` ends; one of the same name or
    host as a built-in site takes its place.

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
    """The site that an address is on, or None. Raises ValueError for what is no address."""
    return current().at_host(urlsplit(url).hostname or "")


def may_be(url: str, engine: Engine) -> bool:
    """Whether an address may be of a site with some engine: one that no record knows may be."""
    site = known_site(url) if url else None
    return site is None or site.engine == engine


def site_with(engine: Engine) -> Site:
    """The first site that has an engine.

    >>> site_with("wisdomguild").game
    'mtg'
    """
    return next(site for site in current().sites.values() if site.engine == engine)


def names() -> list[str]:
    """What `--site` may say: the names of all sites, and the kinds of other sources."""
    return sorted({*current().sites, *KINDS})


def engine_of(name: str) -> str:
    """The engine of a site, or the kind of source, that goes by a name; empty for another.

    >>> engine_of("dmwiki"), engine_of("rulebook"), engine_of("nowhere")
    ('pukiwiki', 'rulebook', '')
    """
    site = current().sites.get(name)
    return site.engine if site else KINDS.get(name, "")


def game_of(name: str) -> str | None:
    """The game that the site of a name is about; None for any other name."""
    site = current().sites.get(name)
    return site.game if site else None
