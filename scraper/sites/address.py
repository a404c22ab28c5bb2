"""Where a URL leads: which source, which page, which part of it, seen how."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import SplitResult, parse_qsl, quote, unquote_to_bytes, urljoin, urlsplit

HOSTS = {
    "mtgwiki.com": "mtgwiki",
    "yugioh-wiki.net": "yugioh-wiki",
    "dm-wiki.com": "dmwiki",
    "dmwiki.net": "dmwiki",
    "dmarchive.net": "dmwiki",
    "whisper.wisdom-guild.net": "wisdom-guild",
}
GAMES = {"mtgwiki": "mtg", "wisdom-guild": "mtg", "yugioh-wiki": "ygo", "dmwiki": "dm"}
ENGINES = {
    "mtgwiki": "mediawiki", "mediawiki": "mediawiki", "yugioh-wiki": "pukiwiki",
    "dmwiki": "pukiwiki", "pukiwiki": "pukiwiki", "wisdom-guild": "wisdomguild",
    "rulebook": "rulebook", "namelist": "namelist",
}  # fmt: skip
_RUSH = "rush.yugioh-wiki.net"
# How a known site's addresses begin, and the charset of the names in them.
_BASES = {
    "mtgwiki.com": ("http://mtgwiki.com/wiki/", "utf-8"),
    "yugioh-wiki.net": ("https://yugioh-wiki.net/index.php?", "euc_jp"),
    _RUSH: ("https://yugioh-wiki.net/index.php?", "euc_jp"),
    "dm-wiki.com": ("https://dm-wiki.com/?", "euc_jp"),
    "dmarchive.net": ("https://dmarchive.net/?", "euc_jp"),
    "dmwiki.net": ("https://dmwiki.net/", "utf-8"),
}
_UNESCAPED = {"mtgwiki": "/:(),", "dmwiki": "/:", "yugioh-wiki": ""}
_MOBILE = re.compile(r"^(?:www|m|mobile)\.")


@dataclass(frozen=True, slots=True)
class Address:
    """A place on a site. `view` is "" for the article itself; `source` is the host where
    the site is none that sansho knows by name."""

    source: str
    name: str
    anchor: str = ""
    view: str = ""
    redlink: bool = False


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
    """The source that a URL belongs to, or its host."""
    host = _MOBILE.sub("", (urlsplit(url).hostname or "").lower())
    if host == _RUSH:
        return "yugioh-wiki"
    return HOSTS.get(host, host)


def named_source(url: str, hint: str | None, engine: str) -> str:
    """The source to call a page's: by its host if that is known, else as somebody says, else
    by its host, else by what made it.

    >>> named_source("http://localhost:8000/wiki/X", "mtgwiki", "mediawiki")
    'mtgwiki'
    """
    host = source_of(url) if url else ""
    return host if host in GAMES else (hint or host or engine)


@lru_cache(maxsize=65536)
def read(url: str, base: str = "") -> Address | None:
    """Where a URL leads, or None where it is no page of a wiki (mail, script, another site).

    >>> read("https://yugioh-wiki.net:443/index.php?%C4%CC%BE%EF#top")
    Address(source='yugioh-wiki', name='通常', anchor='top', view='', redlink=False)
    >>> read("/index.php?title=A_b&action=edit&redlink=1", "http://mtgwiki.com/wiki/X").name
    'A b'
    """
    try:
        parts = urlsplit(urljoin(base, url) if base else url)
        source = source_of(parts.geturl())
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"}:
        return None
    anchor = _anchor(parts.fragment)
    if parts.path.startswith("/wiki/"):
        return Address(source, _title(name_from_percent(parts.path[6:], "mediawiki")), anchor)
    if source == "wisdom-guild":
        return Address(source, name_from_percent(parts.path).strip("/"), anchor)
    wiki = "mediawiki" if re.search(r"(?:^|&)title=", parts.query) else "pukiwiki"
    fields = dict(parse_qsl(_as_utf8(parts.query, wiki), True))
    if wiki == "mediawiki":
        view = fields.get("action", "")
        view = view or next((v for v in ("diff", "oldid", "printable") if v in fields), "")
        redlink = "redlink" in fields
        title = _title(fields["title"])
        if fields.get("redirect") == "no":
            view = ""
        return Address(source, title, anchor, "" if redlink else view, redlink)
    return _pukiwiki(parts, fields, source, anchor)


def canonical(url: str) -> str:
    """One address for a page, by whatever host, scheme, port, script or order of parameters it
    was reached. An address that leads to no page of a known site loses only its port.

    >>> canonical("http://www.yugioh-wiki.net:80/index.php?cmd=read&page=%BB%C8%A4%A6#faq")
    'https://yugioh-wiki.net/index.php?%BB%C8%A4%A6#faq'
    >>> canonical("https://m.mtgwiki.com/index.php?redirect=no&title=%E5%BC%95%E3%81%8F")
    'http://mtgwiki.com/wiki/%E5%BC%95%E3%81%8F'
    """
    from scraper.sources.charset import write_euc

    place = read(url)
    if place is None:
        return url
    parts = urlsplit(url)
    host = _MOBILE.sub("", (parts.hostname or "").lower())
    base, charset = _BASES.get(host, ("", ""))
    if not base or place.view or place.redlink or not place.name:
        return _without_port(parts)
    name = place.name
    if name.startswith("rush/") and place.source == "yugioh-wiki":
        base, charset, name = base.replace("/index", "/rush/index"), "utf-8", name[5:]
    if place.source == "mtgwiki":
        name = name.replace(" ", "_")
    anchor = f"#{quote(place.anchor)}" if place.anchor else ""
    try:
        data = write_euc(name) if charset == "euc_jp" else name.encode(charset)
        return base + quote(data, safe=_UNESCAPED[place.source]) + anchor
    except UnicodeEncodeError:  # a character that the wiki's charset has not
        return _without_port(parts)


def _without_port(parts: SplitResult) -> str:
    try:
        default = parts.port in {80, 443}
    except ValueError:
        return parts.geturl()
    netloc = parts.netloc.rpartition(":")[0] if default else parts.netloc
    return parts._replace(netloc=netloc).geturl()


def part_of_site(url: str) -> str:
    """What the names of pages begin with where a site holds a second wiki (Rush Duel's).

    >>> part_of_site("https://yugioh-wiki.net/rush/index.php?X"), part_of_site("http://a.jp/?X")
    ('rush/', '')
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return "rush/" if parts.path.startswith("/rush/") or parts.hostname == _RUSH else ""


def _pukiwiki(
    parts: SplitResult, fields: dict[str, str], source: str, anchor: str
) -> Address | None:
    rush, query = part_of_site(parts.geturl()), parts.query
    command = fields.get("cmd") or fields.get("plugin") or ""
    if command:
        view = "" if command == "read" else command
        return Address(source, rush + fields.get("page", ""), anchor, view)
    if query and "=" not in query and "&" not in query:
        return Address(source, rush + name_from_percent(query.replace("+", " ")), anchor)
    tail = parts.path.removeprefix("/rush").strip("/")
    if not query and tail in {"", "index.php"}:
        return Address(source, rush + "FrontPage", anchor)
    if not query and not tail.endswith((".php", ".html", ".png", ".css")):
        return Address(source, rush + name_from_percent(tail.replace("+", " ")), anchor)
    return None


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
