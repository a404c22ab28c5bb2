"""Addresses of pages: parses a URL into site and page name, and writes the canonical URL."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import SplitResult, parse_qsl, quote, unquote_to_bytes, urljoin, urlsplit

from scraper.sites import catalogue
from scraper.sites.catalogue import Catalogue, Site, Wiki


@dataclass(frozen=True, slots=True)
class Address:
    """A place on a site.

    source: the name of the site, or its host if no record knows it.
    name: the name of the page there.
    view: "" for the article itself, else what is shown of it (`edit`, `diff`, `history`, …).
    redlink: whether the site itself says that the page is missing.
    site: the record of the site, if there is one.
    """

    source: str
    name: str
    anchor: str = ""
    view: str = ""
    redlink: bool = False
    site: Site | None = None


def name_from_percent(text: str, wiki: str = "pukiwiki") -> str:
    """A page's name from its percent-encoded form: UTF-8 if it is, else EUC-JP.

    The two bytes of some EUC-JP characters are also UTF-8 for a Latin or Greek letter. On a
    PukiWiki, where EUC-JP occurs, a name that would have no character above U+07FF is read
    as EUC-JP if it can be; MediaWiki has never had anything but UTF-8.

    >>> name_from_percent("%E5%BC%95%E3%81%8F"), name_from_percent("%BB%C8%A4%A6")
    ('引く', '使う')
    >>> name_from_percent("%C8%AF%C6%B0"), name_from_percent("D%C3%BBl", "mediawiki")
    ('発動', 'Dûl')
    """
    from scraper.sources.charset import read_euc

    data = unquote_to_bytes(text)
    try:
        name = data.decode("utf_8")
    except UnicodeDecodeError:
        return read_euc(data)[0]
    if wiki == "pukiwiki" and not name.isascii() and max(name) < "\u0800":
        euc, broken = read_euc(data)
        return name if broken else euc
    return name


def source_of(url: str) -> str:
    """The name of the site that a URL is on; its host if no record knows it. Raises ValueError
    for what is no address.

    >>> source_of("http://m.mtgwiki.com/"), source_of("http://www.example.jp:8000/")
    ('mtgwiki', 'example.jp')
    """
    site = catalogue.known_site(url)
    return site.name if site else catalogue.plain_host(urlsplit(url))


def named_source(url: str, hint: str | None, engine: str) -> str:
    """What to call the source of a page: the site of its host if a record knows that, else what
    a person said (`hint`), else its host, else the engine that made it.

    >>> named_source("http://localhost:8000/wiki/X", "mtgwiki", "mediawiki")
    'mtgwiki'
    """
    if url and catalogue.known_site(url):
        return source_of(url)
    return hint or (source_of(url) if url else "") or engine


def read(url: str, base: str = "") -> Address | None:
    """Parse a URL, relative to `base` if that is given. None if it is no page of a wiki (mail,
    script, picture, another scheme).

    >>> found = read("https://yugioh-wiki.net:443/index.php?%C4%CC%BE%EF#top")
    >>> found.source, found.name, found.anchor
    ('yugioh-wiki', '通常', 'top')
    >>> read("/index.php?title=A_b&action=edit&redlink=1", "http://mtgwiki.com/wiki/X").name
    'A b'
    """
    return _read(url, base, catalogue.current())


@lru_cache(maxsize=65536)  # links to one page come again on page after page
def _read(url: str, base: str, sites: Catalogue) -> Address | None:
    try:
        parts = urlsplit(urljoin(base, url) if base else url)
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"}:
        return None
    host = catalogue.plain_host(parts)
    site, wiki = sites.at_host(host), sites.wiki_at(parts)
    source = site.name if site else host
    anchor = _anchor(parts.fragment)
    engine = site.engine if site else ""
    if engine == "wisdomguild":
        return Address(source, name_from_percent(parts.path).strip("/"), anchor, site=site)
    if title := _title_in_path(parts, wiki, engine):
        return Address(source, _title(name_from_percent(title, "mediawiki")), anchor, site=site)
    if re.search(r"(?:^|&)title=", parts.query):
        return _mediawiki(parts, source, anchor, site)
    return _pukiwiki(parts, source, anchor, site, wiki)


def _title_in_path(parts: SplitResult, wiki: Wiki | None, engine: str) -> str:
    """The part of a path that is the title of a MediaWiki page, still in percent; empty if there
    is none. On an unknown host `/wiki/` begins such paths."""
    if engine not in {"", "mediawiki"}:
        return ""
    begin = urlsplit(wiki.pages).path if wiki and "?" not in wiki.pages else "/wiki/"
    title = parts.path.removeprefix(begin) if parts.path.startswith(begin) else ""
    return "" if title == "index.php" else title


def _mediawiki(parts: SplitResult, source: str, anchor: str, site: Site | None) -> Address:
    """The address that a query with a title gives."""
    fields = dict(parse_qsl(_as_utf8(parts.query, "mediawiki"), True))
    view = fields.get("action", "")
    view = view or next((v for v in ("diff", "oldid", "printable") if v in fields), "")
    redlink = "redlink" in fields
    if redlink or fields.get("redirect") == "no":
        view = ""
    return Address(source, _title(fields["title"]), anchor, view, redlink, site)


def _pukiwiki(
    parts: SplitResult, source: str, anchor: str, site: Site | None, wiki: Wiki | None
) -> Address | None:
    """The address of a PukiWiki page, in any of the forms that these wikis have."""
    prefix, query = wiki.prefix if wiki else "", parts.query
    fields = dict(parse_qsl(_as_utf8(query, "pukiwiki"), True))
    if command := fields.get("cmd") or fields.get("plugin") or "":
        view = "" if command == "read" else command
        return Address(source, prefix + fields.get("page", ""), anchor, view, site=site)
    if query and "=" not in query and "&" not in query:
        name = name_from_percent(query.replace("+", " "))
        return Address(source, prefix + name, anchor, site=site)
    folder = wiki.folder if wiki else "/"
    tail = parts.path.removeprefix(f"/{prefix}" if prefix else folder).strip("/")
    if not query and tail in {"", "index.php"}:
        return Address(source, prefix + "FrontPage", anchor, site=site)
    if not query and not tail.endswith((".php", ".html", ".png", ".css")):
        name = name_from_percent(tail.replace("+", " "))
        return Address(source, prefix + name, anchor, site=site)
    return None


def canonical(url: str) -> str:
    """The one address of a page, whatever host, scheme, port, script or order of parameters it
    was reached by. An address that leads to no page of a known site only loses its port.

    >>> canonical("http://www.yugioh-wiki.net:80/index.php?cmd=read&page=%BB%C8%A4%A6#faq")
    'https://yugioh-wiki.net/index.php?%BB%C8%A4%A6#faq'
    >>> canonical("https://m.mtgwiki.com/index.php?redirect=no&title=%E5%BC%95%E3%81%8F")
    'http://mtgwiki.com/wiki/%E5%BC%95%E3%81%8F'
    """
    place = read(url)
    if place is None:
        return url
    wiki = catalogue.current().wiki_at(urlsplit(url))
    wanted = place.site and wiki and not place.view and not place.redlink and place.name
    if not wanted or not place.site or not wiki or place.site.engine == "wisdomguild":
        return _without_port(urlsplit(url))
    anchor = f"#{quote(place.anchor)}" if place.anchor else ""
    try:
        return article_url(wiki, place.site, place.name) + anchor
    except UnicodeEncodeError:  # a character that the wiki's charset does not have
        return _without_port(urlsplit(url))


def article_url(wiki: Wiki, site: Site, name: str) -> str:
    """The address of an article of a wiki. Raises UnicodeEncodeError if the wiki's charset does
    not have a character of the name."""
    if site.engine == "mediawiki":
        name = name.replace(" ", "_")
    return wiki.pages + quoted(wiki, name.removeprefix(wiki.prefix))


def quoted(wiki: Wiki, name: str) -> str:
    """A page's name as the wiki's addresses have it: its charset, in percent. Raises
    UnicodeEncodeError."""
    from scraper.sources.charset import write_euc

    data = write_euc(name) if wiki.charset == "euc_jp" else name.encode("utf-8")
    return quote(data, safe=wiki.unescaped)


def _without_port(parts: SplitResult) -> str:
    try:
        default = parts.port in {80, 443}
    except ValueError:
        return parts.geturl()
    netloc = parts.netloc.rpartition(":")[0] if default else parts.netloc
    return parts._replace(netloc=netloc).geturl()


def name_prefix(url: str) -> str:
    """What the names of pages begin with at an address, where a site holds a second wiki.

    >>> name_prefix("https://yugioh-wiki.net/rush/index.php?X"), name_prefix("http://a.jp/?X")
    ('rush/', '')
    """
    try:
        wiki = catalogue.current().wiki_at(urlsplit(url))
    except ValueError:
        return ""
    return wiki.prefix if wiki else ""


def _as_utf8(query: str, wiki: str) -> str:
    """The query with its percent bytes as UTF-8, whatever charset they were in."""
    return re.sub(
        r"(?:%[0-9A-Fa-f]{2})+", lambda m: quote(name_from_percent(m[0], wiki), safe=""), query
    )


def _title(name: str) -> str:
    name = name.replace("_", " ").strip()
    return name[:1].upper() + name[1:]  # the first letter of a MediaWiki title has no case


def _anchor(fragment: str) -> str:
    """An anchor as it reads: MediaWiki wrote `.E3.83.AB` for what is now `ル`."""
    if re.search(r"(?:\.[0-9A-F]{2}){2}", fragment):
        fragment = re.sub(r"\.([0-9A-F]{2})", r"%\1", fragment)
    return name_from_percent(fragment, "mediawiki").replace("_", " ")
