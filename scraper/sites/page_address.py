"""Parses the URL of a page into its site and name, and writes the canonical URL of a page."""

from __future__ import annotations

import re
from binascii import a2b_qp
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from scraper.sites import site_catalogue
from scraper.sites.site_catalogue import Catalogue, Site, Wiki

# How a URL begins of which it is sure what it takes from its base: nothing, the folder, the path.
_START = re.compile(
    r"(?P<absolute>https?://\w)|(?P<query>\?[^#\s])|/(?:[^/\s]|\Z)|\./|\w[^:/?#]*(?:[/?#]|\Z)"
)
# What no file of a knowledge base can hold: NUL, halves of surrogate pairs, and two code points
# that are defined to be no characters.
_UNFIT = re.compile("[\x00\ud800-\udfff\ufffe\uffff]")
# What a URL is without at its ends.
_AROUND = "".join(map(chr, range(0x21)))
# The views of MediaWiki that show the article, of now or of then.
ARTICLE_VIEWS = frozenset({"", "view", "diff", "oldid", "printable"})
_TITLE_QUERY = re.compile(r"(?:^|&)title=")
_ESCAPES = re.compile(rb"(?:%[0-9A-Fa-f]{2})+")
_ESCAPED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_ELSE_IN_QUOTED_PRINTABLE = re.compile(rb"[=\r\n]|%\Z")
_SPACES = re.compile(" {2,}")
# The usual names of a wiki's script, which without a query serves the wiki's first page.
_SCRIPTS = ("index.php", "pukiwiki.php")
_ARTICLES = "/wiki/"  # the usual folder of the articles of a MediaWiki
_LINE_BREAKS = "\t\r\n"  # what `urlsplit` removes from a URL
_BYTES_WITH_DOTS = re.compile(r"(?:\.[0-9A-F]{2}){2}")  # one alone may be a decimal: 1.15
# A character in an anchor, as older versions of MediaWiki write its bytes. They do not write
# letters, digits, spaces and `-_.:` so: the dot before such a byte is one.
_CHARACTER_WITH_DOTS = re.compile(
    r"""\.(?: 2[1-9A-CF] | 3[B-F] | 40 | 5[B-E] | 60 | 7[B-E]
      | (?: [CD][0-9A-F] | E[0-9A-F]\.[89AB][0-9A-F] | F[0-4](?:\.[89AB][0-9A-F]){2} )
        \.[89AB][0-9A-F] )""",
    re.VERBOSE,
)


# Never changed, but only by convention: Python takes four times as long to make a frozen object,
# and each link of a page makes one.
@dataclass(slots=True, unsafe_hash=True)
class Address:
    """A parsed URL of a page on a wiki.

    source: the name of the site, or its host if the catalogue has no record of it.
    name: the name of the page.
    anchor: the place in the page, without `#` and decoded, by `decoded_anchor` unless the wiki is
        known for a PukiWiki; empty for the whole page.
    view: the view of the page that the URL asks for, such as `edit`, `diff` or `history`; empty
        for the article itself.
    redlink: whether the URL is marked as a link to a missing page.
    site: the record of the site, or None.
    front: whether the URL is that of the wiki itself, whose first page PukiWiki calls `FrontPage`.
    """

    source: str
    name: str
    anchor: str = ""
    view: str = ""
    redlink: bool = False
    site: Site | None = None
    front: bool = False


def fit(text: str) -> str:
    """Return a text of the same length with U+FFFD for what is no character.

    >>> fit("引\\ud800く\\0")
    '引�く�'
    """
    if text.isascii() and "\0" not in text:  # as nearly all addresses, at a fifth of the time
        return text
    return _UNFIT.sub("\ufffd", text)


def name_from_percent(text: str, in_utf8: bool = False) -> str:
    """Return a page's name, decoded from its percent-encoded form: as UTF-8, else as EUC-JP.

    The two bytes of some EUC-JP characters are also a Latin or Greek letter in UTF-8. Where the
    wiki may use EUC-JP, a name that would have no character above U+07FF is decoded as EUC-JP if
    it can be, unless it has such letters as they are. Never raises: bytes in neither charset become
    U+FFFD. `+` and `_` are kept as they are.

    in_utf8: whether the wiki is known to use UTF-8, as every MediaWiki does.

    >>> name_from_percent("%E5%BC%95%E3%81%8F"), name_from_percent("%BB%C8%A4%A6")
    ('引く', '使う')
    >>> name_from_percent("%C8%AF%C6%B0"), name_from_percent("D%C3%BBl", in_utf8=True)
    ('発動', 'Dûl')
    >>> name_from_percent("a\\udc80")
    'a�'
    """
    if "%" not in text and text.isascii():  # as the names of parameters
        return fit(text)
    from scraper.sources.charset import read_euc

    data = unescaped(text)
    try:
        name = data.decode("utf_8")
    except UnicodeDecodeError:
        euc, broken = read_euc(data)
        return data.decode("utf_8", "replace") if broken and in_utf8 else euc
    if not in_utf8 and not name.isascii() and text.isascii() and max(name) < "\u0800":
        euc, broken = read_euc(data)
        return name if broken else euc
    return name


def unescaped(text: str) -> bytes:
    """Return the bytes that a percent-encoded text stands for, in UTF-8 where it is not encoded.

    A `%` without two hex digits behind it stays.

    >>> unescaped("a%20b%zz")
    b'a b%zz'
    """
    data = fit(text).encode()
    # Quoted-printable has the same escapes with `=` for `%`, and its decoder is ten times as fast
    # as a pattern or urllib's loop. Its result counts where the two can't differ: without that
    # sign, line breaks and broken escapes.
    if not _ELSE_IN_QUOTED_PRINTABLE.search(data):
        found = a2b_qp(data.replace(b"%", b"="))
        if b"=" not in found:
            return found
    return _ESCAPES.sub(_unescaped, data)


def _unescaped(escapes: re.Match[bytes]) -> bytes:
    return bytes.fromhex(escapes[0].replace(b"%", b"").decode())


def source_of(url: str) -> str:
    """Return the name of the site that a URL belongs to; its host if no record has that.

    Empty for a malformed URL.

    >>> source_of("http://m.mtgwiki.com/"), source_of("http://www.example.jp:8000/")
    ('mtgwiki', 'example.jp')
    """
    if site := site_catalogue.known_site(url):
        return site.name
    try:
        return site_catalogue.plain_host(urlsplit(url))
    except ValueError:
        return ""


def named_source(url: str, hint: str | None, engine: str) -> str:
    """Return the source of a page: the name of its site if a record has the host of its URL.

    If no record has it: the user's `hint`; without a hint, the host; without a URL, the engine.

    hint: `Hints.site`, or None. It counts only if no record has the host.
    engine: what to return if nothing else is known; returned as it is.

    >>> named_source("http://localhost:8000/wiki/X", "mtgwiki", "mediawiki")
    'mtgwiki'
    """
    site = site_catalogue.known_site(url)
    return site.name if site else hint or source_of(url) or engine


def read(url: str, base: str = "", in_utf8: bool = False) -> Address | None:
    """Parse a URL, which may be relative to `base`.

    None if it can't be a page of a wiki: another scheme than HTTP, a script, a picture, or a
    malformed URL. A URL on an unknown host is parsed too: then `source` is the host and `site` is
    None. On any host but Wisdom Guild's, the address of the site itself gives the name `FrontPage`.

    in_utf8: whether a wiki that no record has, and that the base is a page of, uses UTF-8; see
        `name_from_percent`.

    >>> address = read("https://yugioh-wiki.net:443/index.php?%C4%CC%BE%EF#top")
    >>> address.source, address.name, address.anchor
    ('yugioh-wiki', '通常', 'top')
    >>> read("/index.php?title=A_b&action=edit&redlink=1", "http://mtgwiki.com/wiki/X").name
    'A b'
    """
    used = _used_part(base, url) if base else ""
    return _read(url, used, in_utf8, site_catalogue.current())


def with_scheme(url: str, base: str) -> str:
    """Return a URL that begins with a host (`//…`) with the scheme of its base; others as they are.

    >>> with_scheme("//a.jp/?X", "https://b.jp/"), with_scheme("?X", "https://b.jp/")
    ('https://a.jp/?X', '?X')
    """
    if not url.startswith("//"):
        return url
    return f"{'https' if base.startswith('https:') else 'http'}:{url}"


def _used_part(base: str, url: str) -> str:
    """Return the part of a base URL that counts for a relative URL: as little as is sure.

    Pages have it in common, so that a link that they all have is parsed only once. It is empty
    for an absolute URL that leads to another host.
    """
    start = _START.match(url)
    if start is None:
        return base
    folder, path, host = _beginnings(base)
    if start.lastgroup == "absolute" and not url.startswith(folder) and host not in url.lower():
        return ""
    return path if start.lastgroup == "query" else folder


@lru_cache(1 << 8)  # all links of a page have one base, and pages are read one after the other
def _beginnings(base: str) -> tuple[str, str, str]:
    """Return the folder of a URL, the URL without query and fragment, and its host as `plain_host`
    gives it; three times itself if it has no host."""
    try:
        parts = urlsplit(base)
    except ValueError:
        return base, base, base
    if not parts.netloc:
        return base, base, base
    path = parts._replace(query="", fragment="")
    folder = path._replace(path=_folder(parts))
    return folder.geturl(), path.geturl(), site_catalogue.plain_host(parts)


def _folder(parts: SplitResult) -> str:
    """Return the path of the folder that a split URL is in, with `/` at both ends."""
    return parts.path.rpartition("/")[0] + "/"


@lru_cache(1 << 14)  # the same links occur on page after page
def _read(url: str, base: str, in_utf8: bool, sites: Catalogue) -> Address | None:
    """Parse a URL as `read` does, with a given catalogue."""
    before, _, fragment = _without_line_breaks(url.strip(_AROUND)).partition("#")
    path, _, query = before.partition("?")
    place = _place(path, base, sites)
    if place is None:
        return None
    parts, source, site, wiki, front, of_base = place
    query = query or parts.query
    engine = site.engine if site else ""
    in_utf8 = wiki.charset == "utf-8" if wiki else in_utf8 and of_base
    if engine == "wisdomguild":
        if parts.path.endswith(".php"):  # a search
            return None
        name = name_from_percent(parts.path, in_utf8).strip("/")
        return Address(source, name, decoded_anchor(fragment), site=site)
    if title := _title_in_path(parts.path, query, wiki, engine):
        name = _normalized_title(name_from_percent(title, in_utf8=True))
        return Address(source, name, decoded_anchor(fragment), site=site)
    if "title=" in query and _TITLE_QUERY.search(query):
        return _read_title_query(query, source, decoded_anchor(fragment), site)
    is_pukiwiki = query or engine == "pukiwiki"  # a name in a path may be that of a MediaWiki
    anchor = name_from_percent(fragment, True) if is_pukiwiki else decoded_anchor(fragment)
    if front and not query:
        prefix = wiki.prefix if wiki else ""
        return Address(source, prefix + "FrontPage", anchor, site=site, front=True)
    return _read_pukiwiki(parts.path, query, source, anchor, site, wiki, in_utf8)


def _without_line_breaks(url: str) -> str:
    for sign in _LINE_BREAKS:
        url = url.replace(sign, "")
    return url


class _Place(NamedTuple):
    """Where a URL without its query and fragment leads to.

    parts: the absolute URL; it has a query only if it is that of the base.
    source, site, wiki: the site and its wiki; None if no record has the host, which then is the
        source.
    front: whether it is the wiki itself, its folder or script, if there is no query. The folder is
        the base's on an unknown host. Of a MediaWiki it is that of the articles, and the root of
        the host leads to it, too; beside a PukiWiki in a folder the host has other things.
    of_base: whether it is on the host of the base, at whatever port and by whatever scheme: behind
        a proxy, pages are often served at another address than their links give.
    """

    parts: SplitResult
    source: str
    site: Site | None
    wiki: Wiki | None
    front: bool
    of_base: bool


@lru_cache(1 << 12)  # nearly all links to a PukiWiki differ in their queries alone
def _place(path: str, base: str, sites: Catalogue) -> _Place | None:
    """Return where a URL leads to; None if it is malformed or has another scheme than HTTP.

    path: the URL without its query and fragment; it may be relative to `base`.
    """
    try:
        parts, start = urlsplit(urljoin(base, path) if base else path), urlsplit(base)
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"}:
        return None
    host = site_catalogue.plain_host(parts)
    site = sites.at_host(host)
    wiki = sites.wiki_at(parts)
    of_base = site_catalogue.plain_host(start) == host
    if site and wiki:
        folder = f"/{wiki.prefix}" if wiki.prefix else wiki.folder
        pages_host = site_catalogue.plain_host(urlsplit(wiki.pages))
        has_root = site.engine == "mediawiki" or host != pages_host
    else:
        folder = _folder(start) if of_base else "/"
        has_root = folder.startswith((_ARTICLES, "/index.php/"))
    own, last = _folder(parts), parts.path.rpartition("/")[2]
    front = (not last or last in _SCRIPTS) and (own == folder or (has_root and own == "/"))
    return _Place(parts, site.name if site else host, site, wiki, front, of_base)


def _title_in_path(path: str, query: str, wiki: Wiki | None, engine: str) -> str:
    """Return the percent-encoded title of a MediaWiki page that is in a URL's path, or empty.

    path, query: those of the absolute URL, still percent-encoded.
    engine: the engine of the site; empty for an unknown host. Any but `mediawiki` and the
        empty one give an empty title.

    The title follows the script, or else the beginning of the wiki's articles, which on an unknown
    host is `/wiki/`. The script itself, which may be there too, is no title.
    """
    if engine not in {"", "mediawiki"}:
        return ""
    if title := path.partition("/index.php/")[2]:
        return title
    start = urlsplit(wiki.pages).path if wiki and "?" not in wiki.pages else _ARTICLES
    script = path.endswith(".php") and (query or path.rpartition("/")[2] in _SCRIPTS)
    return path.removeprefix(start) if path.startswith(start) and not script else ""


def _read_title_query(query: str, source: str, anchor: str, site: Site | None) -> Address:
    """Parse a URL of MediaWiki with the title in its query (`?title=…`).

    The view is the `action`, else `diff`, `oldid` or `printable` if there is such a parameter. It
    is empty for a link to a missing page (`redlink`) and with `redirect=no`.

    query: still percent-encoded, with a `title`.
    source, anchor, site: for the result; the anchor is decoded.
    """
    fields = _fields(query, in_utf8=True)
    view = fields.get("action", "")
    view = view or next((v for v in ("diff", "oldid", "printable") if v in fields), "")
    redlink = "redlink" in fields
    if redlink or fields.get("redirect") == "no":
        view = ""
    return Address(source, _normalized_title(fields["title"]), anchor, view, redlink, site)


def _read_pukiwiki(
    path: str,
    query: str,
    source: str,
    anchor: str,
    site: Site | None,
    wiki: Wiki | None,
    in_utf8: bool,
) -> Address | None:
    """Parse a URL of PukiWiki in any of its forms: with a command, a bare query, or a path.

    The name begins with the wiki's prefix. None for a script, a picture, a style
    sheet, or a query that names no page.

    path, query: those of the absolute URL, still percent-encoded.
    source, anchor, site: for the result; the anchor is decoded.
    wiki: its prefix and folder are used; None for an unknown host.
    in_utf8: as for `name_from_percent`.
    """
    prefix = wiki.prefix if wiki else ""
    fields = _fields(query, in_utf8) if "=" in query else {}
    if command := fields.get("cmd") or fields.get("plugin") or "":
        view = "" if command == "read" else command
        page = fields.get("page", "")
        return Address(source, page and prefix + page, anchor, view, site=site)
    if query and "=" not in query and "&" not in query:
        name = name_from_percent(query.replace("+", " "), in_utf8)
        return Address(source, prefix + name, anchor, site=site)
    folder = wiki.folder if wiki else "/"
    tail = path.removeprefix(f"/{prefix}" if prefix else folder).strip("/")
    if not query and tail and not tail.endswith((".php", ".html", ".png", ".css")):
        name = name_from_percent(tail.replace("+", " "), in_utf8)
        return Address(source, prefix + name, anchor, site=site)
    return None


def canonical(url: str) -> str:
    """Return the canonical URL of a page, the same for every URL that leads to it. Never raises.

    Host, scheme, port, script and the order of parameters may differ. A URL that is not of an
    article of a known site, that is of Wisdom Guild, or of a MediaWiki itself, whose first page may
    have any name, only loses its port if that is 80 or 443. One that `read` can't parse is returned
    as it is. An anchor is kept.

    >>> canonical("http://www.yugioh-wiki.net:80/index.php?cmd=read&page=%BB%C8%A4%A6#faq")
    'https://yugioh-wiki.net/index.php?%BB%C8%A4%A6#faq'
    >>> canonical("https://m.mtgwiki.com/index.php?redirect=no&title=%E5%BC%95%E3%81%8F")
    'http://mtgwiki.com/wiki/%E5%BC%95%E3%81%8F'
    """
    address = read(url)
    if address is None:
        return url
    wiki = site_catalogue.current().wiki_at(urlsplit(url))
    engine = address.site.engine if address.site else ""
    is_article = address.name and not address.view and not address.redlink
    is_article = is_article and not (address.front and engine == "mediawiki")
    if not is_article or not address.site or not wiki or engine == "wisdomguild":
        return _without_port(urlsplit(url))
    anchor = f"#{quote(address.anchor)}" if address.anchor else ""
    name = address.name.replace(" ", "_") if engine == "mediawiki" else address.name
    try:
        return wiki.pages + quoted(wiki, name.removeprefix(wiki.prefix)) + anchor
    except UnicodeEncodeError:  # a character that the wiki's charset does not have
        return _without_port(urlsplit(url))


def quoted(wiki: Wiki, name: str) -> str:
    """Return a page's name percent-encoded in the charset of the wiki, except `wiki.unescaped`.

    No prefix is removed and no space replaced.

    Raises UnicodeEncodeError if that lacks a character of the name.
    """
    from scraper.sources.charset import write_euc

    data = write_euc(name) if wiki.charset == "euc_jp" else name.encode("utf-8")
    return quote(data, safe=wiki.unescaped)


def _without_port(parts: SplitResult) -> str:
    """Return a URL without its port if that is 80 or 443."""
    try:
        default = parts.port in {80, 443}
    except ValueError:
        return parts.geturl()
    netloc = parts.netloc.rpartition(":")[0] if default else parts.netloc
    return parts._replace(netloc=netloc).geturl()


def name_prefix(url: str) -> str:
    """Return the prefix of page names on the wiki that a URL belongs to, as in `Wiki.prefix`.

    Empty for a site's first wiki, an unknown host or a malformed URL.

    >>> name_prefix("https://yugioh-wiki.net/rush/index.php?X"), name_prefix("http://a.jp/?X")
    ('rush/', '')
    """
    try:
        wiki = site_catalogue.current().wiki_at(urlsplit(url))
    except ValueError:
        return ""
    return wiki.prefix if wiki else ""


def _fields(query: str, in_utf8: bool) -> dict[str, str]:
    """Return the parameters of a query, decoded; of several with one name the last one.

    All of it has one charset: a character that is valid in one alone decides.

    in_utf8: as for `name_from_percent`.
    """
    if not in_utf8 and "%" in query:
        try:
            shown = unescaped("".join(_ESCAPED.findall(query))).decode()
        except UnicodeDecodeError:
            shown = ""
        in_utf8 = max(shown, default="") >= "\u0800"
    parts = (part.partition("=") for part in query.replace("+", " ").split("&") if part)
    return {
        name_from_percent(name, in_utf8): name_from_percent(value, in_utf8)
        for name, _, value in parts
    }


def _normalized_title(name: str) -> str:
    """Return a MediaWiki title with single spaces for underscores, none at its ends, without a
    colon before it, and with a capital first letter.

    To MediaWiki these spellings of a title are the same.
    """
    name = _SPACES.sub(" ", name.replace("_", " ")).strip().removeprefix(":").lstrip()
    return name[:1].upper() + name[1:]


@lru_cache(1 << 12)  # the same anchors occur on page after page
def decoded_anchor(fragment: str) -> str:
    """Decode an anchor, given without `#`; underscores become spaces, line breaks are removed.

    Percent-encoding is decoded. Older versions of MediaWiki write `ル` as `.E3.83.AB`; this is
    decoded too if at least two such bytes are adjacent. Decimals stay.

    >>> decoded_anchor(".E5.BC.95.E3.81.8F_1.15"), decoded_anchor("FAQ_2")
    ('引く 1.15', 'FAQ 2')
    """
    fragment = _without_line_breaks(fragment)
    if _BYTES_WITH_DOTS.search(fragment):
        fragment = _CHARACTER_WITH_DOTS.sub(lambda match: match[0].replace(".", "%"), fragment)
    return name_from_percent(fragment, in_utf8=True).replace("_", " ")
