"""Parses HTML pages of PukiWiki 1.4.7 to 1.5.4, in EUC-JP or UTF-8.

The page's own text is in `#body` and, for footnotes, `#note`. Its name is in the header. PukiWiki
serves every view with the status 200; only the robots directive shows that it is not an article.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import chain, islice
from typing import Any

from lxml.etree import XPath

from scraper.markup.html_walk import Element, MarkupRules, count_text, has_two_markers, walk
from scraper.markup.page_builder import LinkTarget, PageBuilder
from scraper.page import Page, PassageKind
from scraper.sites import page_address, site_catalogue
from scraper.sites.page_address import source_of, unescaped
from scraper.sources.charset import read_euc
from scraper.sources.saved_pages import Snapshot

# Two of them tell PukiWiki: skins have not all of them, and other sites use one.
_MARKERS = ('id="body"', "PukiWiki", 'class="anchor_super"', 'class="jumpmenu"', 'id="navigator"')
_CONTENTS: Any = XPath('id("body") | id("note")')
_TITLES: Any = XPath('//h1[@class="title"]')
# Where it mostly is: a large page is not looked through for others.
_TITLE_BEFORE: Any = XPath('id("body")/preceding::h1[@class="title"]')
_STATED_NAME: Any = XPath('id("pukiwiki-site-properties")//input[@class="page-name"]/@value')
_STATED_URL: Any = XPath('//div[@id="header"]//a[span[@class="small"]]/@href')
_STABLE_ANCHOR: Any = XPath('.//a[@class="anchor_super"]/@id')
_IN_NOTES: Any = XPath('boolean(ancestor::*[@id="note"])')
# The reason to leave out an element of the page's frame, by its id.
_FRAME = {
    "header": "site header", "navigator": "navigation", "menubar": "navigation",
    "toolbar": "toolbar", "lastmodified": "date line", "related": "related pages",
    "footer": "site footer", "attach": "attachments",
    "pukiwiki-site-properties": "script",
}  # fmt: skip
_OMIT = {
    ".jumpmenu": "jump link", ".anchor_super": "anchor mark", ".anchor": "anchor mark",
    ".contents": "table of contents", ".note_super": "footnote mark", ".edit_form": "form",
    ".editsection": "edit link", "form": "form",
}  # fmt: skip
_ROBOTS = re.compile(r'<meta name="robots" content="[^">]*NOINDEX', re.IGNORECASE)
_ERROR = re.compile(r'id="body">\s*<h3>Runtime error')
# Views that are not articles, by what their titles contain.
_VIEWS = (
    ("の編集", "edit form"), ("の変更点", "difference"), ("のソース", "source view"),
    ("のバックアップ", "backup"), ("の履歴", "backup"), ("の一覧", "list"),
    ("の検索結果", "search"),
    ("Runtime error", "error"), ("有効なWikiNameではありません", "invalid name"),
)  # fmt: skip
_LOOKED_AT = 1000  # links of a page; a guard of time, on a page none of whose links shows it
# Links that are valid in one charset alone, most of which decide. By hand: one may be broken, or
# written for another wiki, so that one or two can't decide; many more would only take time.
_ENOUGH = 16
# With encoded bytes. The bounds are guards of time; URLs of pages have some hundred characters.
_LINK = re.compile(r"""href=["']([^"'>%]{0,500}%[^"'>]{2,1000})""")
_ABSOLUTE = re.compile("[a-z]+:|//")
_JAPANESE = re.compile("[\u0800-\U0010ffff]")  # what no two bytes in UTF-8 can be
_DECLARED = re.compile(r"(?:charset|encoding)=[\"']?utf-?8\b", re.IGNORECASE)


def recognises(text: str, url: str) -> bool:
    """Whether a text is an HTML page of PukiWiki, of any view. The URL is ignored.

    >>> recognises('<div id="navigator"></div><div id="body"></div>PukiWiki 1.4.7', "")
    True
    """
    return has_two_markers(_MARKERS, text)


def read(snapshot: Snapshot, text: str, root: Element) -> list[Page]:
    """Return the article that a document shows, in a list.

    For a view that is not an article (edit form, difference, error), return a page without a name
    and without passages, with the kind of view in `left_out`.

    text: the document; root: its tree. If the snapshot has no URL, the one that the document states
        is used.
    """
    url = snapshot.url or _stated_url(root)
    source = page_address.named_source(url, snapshot.hints.site, "pukiwiki")
    host = page_address.source_of(url)
    prefix = page_address.name_prefix(url)
    in_utf8 = not site_catalogue.known_site(url) and names_in_utf8(text, url)
    title = _page_name(root, url, in_utf8).removeprefix(prefix)
    name = prefix + title
    fields = {
        "source": source,
        "url": url,
        "engine": "pukiwiki",
        "game": site_catalogue.game_of(source),
        "chars": count_text(root),
    }
    if view := _view(root, text):
        left_out = {f"not an article: {view}": count_text(root)}
        return [Page(name="", title=title, left_out=left_out, **fields)]  # type: ignore[arg-type]
    builder = PageBuilder(title)
    titles = _TITLE_BEFORE(root) or _TITLES(root)
    rules = MarkupRules(
        contents=[*titles[:1], *_CONTENTS(root)],
        outside=lambda element: _FRAME.get(element.get("id", ""), "page frame"),
        omit=_OMIT,
        links={
            "a": partial(_link, url, in_utf8, host, name),
            "span": partial(_missing_page, url, in_utf8),
        },
        anchor=_anchor,
        kinds={"h1": lambda element: "title", "span": _footnote_kind},
    )
    walk(root, rules, builder)
    return [builder.page(name=name, title=title, **fields)]


def _stated_url(root: Element) -> str:
    """Return the URL that a document states in its header, as written there, or empty."""
    for link in _STATED_URL(root)[:1]:
        return str(link)
    return ""


def _page_name(root: Element, url: str, in_utf8: bool) -> str:
    """Return the name of a page, from the most reliable place that has it.

    These are the site's properties, the link in the heading, the URL, and the title. The name may
    begin with the wiki's prefix or not. Empty if none of them has a name.

    in_utf8: as for `page_address.read`.
    """
    for value in _STATED_NAME(root):
        return str(value)
    link = root.find('.//h1[@class="title"]/a')
    found = page_address.read(link.get("href", ""), url, in_utf8) if link is not None else None
    if found and found.name:
        return found.name
    found = page_address.read(url, url, in_utf8) if url else None
    if found and found.name:
        return found.name
    return "".join(root.xpath("//title/text()")).rpartition(" - ")[0].strip()


def _view(root: Element, text: str) -> str:
    """Return what kind of view a document is; empty for an article.

    A view has an edit form, lines that were added or removed, a runtime error, or a robots
    directive with NOINDEX. Its title gives the kind, one of those in `_VIEWS`, such as "edit form";
    else the kind is "error" or "view".
    """
    head = text[:8192]
    form = 'class="edit_form"' in text or 'class="diff_' in text
    error = "<h3>Runtime error" in text and _ERROR.search(text) is not None
    # Most pages say nothing to robots: to look for the word is faster than the whole pattern.
    to_robots = "obots" in head or "OBOTS" in head  # in any case that people write
    if not (form or error or (to_robots and _ROBOTS.search(head))):
        return ""
    title = "".join(root.xpath("//title/text()"))
    return next((view for words, view in _VIEWS if words in title), "error" if error else "view")


def _link(
    url: str, in_utf8: bool, host: str, name: str, element: Element
) -> LinkTarget | str | None:
    """Return what an `a` links to, the reason to leave it out, or None if it is neither.

    A reason is a `str`. A link in an `h1` gives None; so does one inside an element of the class
    `noexists`, which is the link itself, except that its `?` is left out. The target is an anchor
    of this page (`#…`) or a page of the same site. Views and links with `rel` are external.

    url: the URL of the document, which relative links start from.
    in_utf8: as for `page_address.read`.
    host: the site of that URL, as `page_address.source_of` gives it; all other sites are external.
    name: the name of the page.
    """
    parent = element.getparent()
    if parent.get("class") == "noexists":
        return "missing-page mark" if element.text == "?" else None
    if parent.tag == "h1":
        return None
    href = element.get("href", "")
    if href.startswith("#"):
        return LinkTarget("anchor", name, href[1:])
    found = page_address.read(href, url, in_utf8)
    if found and found.source == host and not found.view and element.get("rel") is None:
        return LinkTarget("page", found.name, found.anchor)
    return LinkTarget("external", page_address.with_scheme(href, url)) if href else None


def _missing_page(url: str, in_utf8: bool, element: Element) -> LinkTarget | None:
    """Return the missing page that an element of the class `noexists` links to, or None.

    None if it is of another class, if there is no link in it, or if its URL can't be that of a
    page.

    url: the URL of the document, which relative links start from.
    in_utf8: as for `page_address.read`.
    """
    if element.get("class") != "noexists":
        return None
    link = element.find("a")
    found = None if link is None else page_address.read(link.get("href", ""), url, in_utf8)
    return LinkTarget("missing", found.name) if found else None


def _anchor(heading: Element) -> str:
    """Return the stable anchor of a heading: the id of its `anchor_super` link, else its own id.

    Empty if it has neither.
    """
    for anchor in _STABLE_ANCHOR(heading)[:1]:
        return str(anchor)
    return str(heading.get("id", ""))


def _footnote_kind(element: Element) -> PassageKind | None:
    """Return "footnote" for the text of a footnote below the page; None for other elements."""
    if element.get("class") == "small" and _IN_NOTES(element):
        return "footnote"
    return None


def names_in_utf8(text: str, url: str = "") -> bool:
    """Return whether the names in the URLs of a wiki are in UTF-8, as its links on a page show.

    Links to other hosts, which may use another charset, do not count. More than half of the first
    `_ENOUGH` that show it decide. If none does, the charset that the page declares counts; without
    that it is false.

    text: the page, in HTML. url: its own URL, which counts as a link; or empty.

    >>> names_in_utf8('<a href="?%E5%BC%95%E3%81%8F">'), names_in_utf8('<a href="?%BB%C8%A4%A6">')
    (True, False)
    """
    shown = list(islice(_shown(text, url), _ENOUGH))
    if shown:
        return sum(shown) > len(shown) / 2
    return _DECLARED.search(text[:4096]) is not None


def _shown(text: str, url: str) -> Iterator[bool]:
    """Yield whether a link is in UTF-8, for each link that shows it; first for the page's own URL.

    text, url: as for `names_in_utf8`.
    """
    host = source_of(url)
    found = (match[1] for match in islice(_LINK.finditer(text), _LOOKED_AT))
    own = (
        link for link in found if not _ABSOLUTE.match(link) or (host and source_of(link) == host)
    )
    for link in chain([url], own):
        in_utf8 = _only_utf8(unescaped(link))
        if in_utf8 is not None:
            yield in_utf8


def text_in_utf8(data: bytes) -> bool:
    """Return whether a text is in UTF-8 and, by the characters that it has, in no other charset.

    >>> text_in_utf8("引く".encode()), text_in_utf8("é".encode())
    (True, False)
    """
    return _only_utf8(data) is True


def _only_utf8(data: bytes) -> bool | None:
    """Return True for bytes that are in UTF-8, and False for those in EUC-JP.

    None for what may be both, as every pair of bytes that is a Latin or Greek letter in UTF-8, and
    for what is neither, such as a name that is cut short.
    """
    try:
        return True if _JAPANESE.search(data.decode()) else None
    except UnicodeDecodeError:
        _, broken = read_euc(data)
        return None if broken else False
