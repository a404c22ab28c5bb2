"""Parses HTML pages of MediaWiki in the monobook skin, with and without `#mw-content-text`.

For a redirect MediaWiki serves the body of its target, and only a note in `#contentSub` says so.
Such a document is parsed into two pages: the redirect, and its target.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from lxml import etree

from scraper.markup.html_walk import (
    Element,
    MarkupRules,
    all_text,
    count_text,
    has_two_markers,
    parse,
    walk,
)
from scraper.markup.page_builder import LinkTarget, PageBuilder, TextRun
from scraper.markup.size_limits import HTML_MARKS, MOST_MARKS, parsed_beginning, with_rest
from scraper.page import Page, PassageKind, ReadWarning
from scraper.sites import page_address, site_catalogue
from scraper.sources.saved_pages import Snapshot

# Two of them tell MediaWiki: skins and versions have not all of them, and other sites use one.
_MARKERS = ('id="bodyContent"', 'id="mw-content-text"', "wgPageName", 'id="firstHeading"',
          'content="MediaWiki')  # fmt: skip
# The reason to leave out an element of the page's frame, by its id.
_FRAME = {
    "column-one": "navigation", "footer": "site footer", "mw-navigation": "navigation",
    "mw-head": "navigation", "mw-panel": "navigation", "mw-page-base": "page frame",
    "siteNotice": "site notice",
}  # fmt: skip
_OMIT = {
    "#siteSub": "tagline", "#jump-to-nav": "jump link", "#toc": "table of contents",
    "#catlinks": "categories (kept as data)", "#contentSub": "page note",
    "#contentSub2": "page note", "#ad_bottom": "advertisement",
    "#mw-revision-info": "page note",
    ".editsection": "edit link", ".mw-editsection": "edit link", ".printfooter": "print footer",
    ".toc": "table of contents", ".mw-jump": "jump link", ".mw-jump-link": "jump link",
    ".visualClear": "page frame", ".mw-cite-backlink": "footnote mark",
    ".mw-indicators": "page frame", "form": "form", ".error": "error of the wiki",
    ".ref-mark": "footnote mark", ".reference": "footnote mark",
}  # fmt: skip
# The markup of footnotes, as pages show it where the wiki has no extension for them. Bounds are
# guards; a footnote is within one block.
_SHOWN_NOTE = re.compile(
    r"(&lt;ref\b[^<>&]{0,100}&gt;)"
    r"((?:(?!&lt;ref|</?(?:p|li|[oud]l|d[dt]|t[drh]|table|div|h\d)\b).){1,2000}?)(&lt;/ref&gt;)"
    r"|(&lt;ref(?:erences)?\b[^<>&]{0,100}/&gt;)",
    re.DOTALL,
)
# What a plugin of MTG Wiki shows for a card that its list has not.
_NO_CARD = re.compile(r"カード「[^」]{0,200}」は見つかりませんでした")
_DIFFERENCE = re.compile(r"class=['\"]diff\b")
# A guard of time, with room for 55 kanji: one is nine characters (`.E5.BC.95`) in an anchor.
_TO_FRAGMENT = re.compile(r'redirectToFragment\("(#[^"\s]{1,500})"\)')
_CONFIG = re.compile(r'"(wg\w+)":("(?:[^"\\]|\\.)*"|true|false|null|-?\d+)')
_ID: Any = etree.XPath("id($name)")
_STATED_URLS: Any = etree.XPath(
    '//link[@rel="canonical"]/@href | //div[@class="printfooter"]//a/@href'
)
_CANONICAL_URLS: Any = etree.XPath('//link[@rel="canonical"]/@href')
_REDIRECT_URLS: Any = etree.XPath('//*[contains(@class,"redirectText")]//a/@href')
_HEADLINE_IDS: Any = etree.XPath('.//*[contains(@class,"mw-headline")]/@id')
_UNKNOWN_URL = "http://wiki.invalid/"  # stands for the URL of a page whose URL is not known
# By hand, the languages to whose wikis pages link: any code would take the names of pages with a
# colon in them.
_INTERLANGUAGE = re.compile(r"(?:en|de|fr|it|es|pt|ru|ko|zh)(?:-[a-z]+)?:\S")
_ADMINISTRATIVE = {"edit": "edit form", "history": "history", "submit": "edit form",
                   "info": "page information", "delete": "form", "protect": "form"}  # fmt: skip


def recognises(text: str, url: str) -> bool:
    """Whether a text is an HTML page of MediaWiki. The URL is ignored.

    >>> recognises('<h1 id="firstHeading">引く</h1><div id="bodyContent">', "")
    True
    """
    return has_two_markers(_MARKERS, text)


def read(snapshot: Snapshot, text: str, root: Element) -> list[Page]:
    """Return the article that a document shows, after the redirect that led to it, if any.

    For a view that is not an article, return a page without a name and without passages; the kind
    of view is the reason in its `left_out` (`not an article: edit form`).

    snapshot: gives the URL, else the document's own is used, and the site that a person named,
        which is the source if the URL's host is not that of a known site.
    text: the HTML of the document; root: the tree of the same HTML.
    """
    root = _with_footnotes(text, root)
    url = snapshot.url or _stated_url(root)
    config = _config(text)
    source = page_address.named_source(url, snapshot.hints.site, "mediawiki")
    heading, body = (_by_id(root, name) for name in ("firstHeading", "bodyContent"))
    title = all_text(heading).strip() if heading is not None else ""
    name = str(config.get("wgPageName") or title).replace("_", " ")
    game = site_catalogue.game_of(source)
    fields = {"source": source, "engine": "mediawiki", "url": url, "game": game}
    chars = count_text(root)
    if view := _view(root, text, config):
        left_out = {f"not an article: {view}": chars}
        return [Page(name="", title=title, chars=chars, left_out=left_out, **fields)]  # type: ignore[arg-type]
    note = _redirect_note(root, heading, body)
    redirect = None
    if note is not None and (origin := _redirected_from(note, config)):
        target = name + _redirect_section(root, text)
        redirect = _redirect_page(note, origin, fields, target)
    categories = _categories(root, text, url)
    redirected = _redirect_target(root, url) if "redirectText" in text else None
    is_old = _by_id(root, "mw-revision-info") is not None or _has_parameter(url, "oldid")
    if redirect and note is not None:  # which is in the redirect's page, not in its target's
        note.clear(keep_tail=True)
        chars = count_text(root)
    builder = PageBuilder(name)
    _add_contents(builder, root, [e for e in (heading, body) if e is not None], url, name)
    page = builder.page(
        name=name,
        title=title,
        chars=chars,
        categories=categories,
        redirect=redirected,
        old=is_old,
        via=bool(redirect) or _has_parameter(url, "printable"),
        **fields,
    )
    return [redirect, page] if redirect else [page]


def _with_footnotes(text: str, root: Element) -> Element:
    """Return the tree of a document with the footnotes whose markup it shows at its end, where a
    wiki that knows them has them; `root` itself, its tree, if there are none."""
    if "&lt;ref" not in text:
        return root
    repaired = parse(
        _SHOWN_NOTE.sub(
            lambda match: "".join(
                f'<span class="{name}">{part}</span>'
                for name, part in zip(_PARTS_OF_NOTE, match.groups(), strict=True)
                if part
            ),
            text,
        )
    ).root
    # In a script or the like, what looks like a footnote is text.
    if count_text(repaired) != count_text(root):
        return root
    body = _by_id(repaired, "bodyContent")
    for note in repaired.xpath('//span[@class="ref-text"]'):
        note.tag = "div"
        (repaired if body is None else body).append(note)
    return repaired


_PARTS_OF_NOTE = ("ref-mark", "ref-text", "ref-mark", "ref-mark")


def _redirect_note(root: Element, *contents: Element | None) -> Element | None:
    """Return the element with the note that a redirect led to a page, or None.

    None too if any of the page's contents is in that element: then it is no such note.
    """
    note = _by_id(root, "contentSub")
    if note is None or note in contents:
        return None
    inside = (content for content in contents if content is not None)
    return None if any(note in content.iterancestors() for content in inside) else note


def _add_contents(
    builder: PageBuilder, root: Element, contents: list[Element], url: str, name: str
) -> None:
    """Add the text of a served page: `contents` are the elements of its article.

    The rest of the page is counted in `builder.left_out`.

    root: the tree of the whole document.
    url: its URL, or empty.
    name: the name of the page, the target of links to itself.
    """
    rules = MarkupRules(
        contents=contents,
        outside=lambda element: _FRAME.get(element.get("id", ""), "page frame"),
        omit=_OMIT,
        links=_links(url or _UNKNOWN_URL, name, _main_page(root, url or _UNKNOWN_URL)),
        anchor=_anchor,
        kinds=_KINDS,
    )
    walk(root, rules, builder)


def read_fragment(html: str, source: str, name: str, url: str) -> Page:
    """Return the page of an article's HTML without a frame, as the API gives it.

    source: the name of its site, such as `mtgwiki`.
    name: the name of the page; it becomes its title too, but not a passage.
    url: the URL of the page, which relative links start from; may be empty.

    >>> page = read_fragment("<p>カードを<b>引く</b>", "mtgwiki", "引く", "")
    >>> [p.text for p in page.passages], page.lost
    (['カードを引く'], 0)
    """
    html, rest = parsed_beginning(html, HTML_MARKS, MOST_MARKS)
    (root, trouble), builder = parse(html), PageBuilder(name)
    root = _with_footnotes(html, root)
    if trouble:
        builder.warnings.append(ReadWarning("page", trouble))
    rules = MarkupRules(
        contents=[root],
        omit=_OMIT,
        links=_links(url or _UNKNOWN_URL, name),
        anchor=_anchor,
        kinds=_KINDS,
    )
    walk(root, rules, builder)
    page = builder.page(
        source=source,
        engine="mediawiki",
        name=name,
        url=url,
        title=name,
        game=site_catalogue.game_of(source),
        chars=count_text(root),
    )
    return with_rest(page, rest, MOST_MARKS)


def _by_id(root: Element, name: str) -> Element | None:
    """Return the element whose `id` is `name`, or None."""
    return next(iter(_ID(root, name=name)), None)


def _stated_url(root: Element) -> str:
    """Return the URL that a document states as its own, or empty.

    It is the first absolute one of its canonical links and of the links in its print footer; the id
    of a revision (`oldid`) is removed from it.
    """
    absolute = [str(href) for href in _STATED_URLS(root) if href.startswith("http")]
    return re.sub(r"[&?]oldid=\d+", "", absolute[0]) if absolute else ""


def _config(text: str) -> dict[str, object]:
    """Return the variables in the document's script (`wgPageName` and the like) by their names.

    Only those with a string, an integer, a boolean or null as value; of one that is set twice the
    last, and none whose string is malformed.
    """
    config = {}
    for key, value in _CONFIG.findall(text):
        try:
            config[key] = json.loads(value)
        except ValueError:
            continue
    return config


def _view(root: Element, text: str, config: dict[str, object]) -> str:
    """Return what kind of view a document is, such as "edit form"; empty for an article.

    The others are "history", "page information", "form" (to delete or protect a page), "special
    page", "difference" and "missing page".

    text: the HTML of the document; root: its tree; config: its variables, by `_config`.
    """
    action = str(config.get("wgAction", "view"))
    if action in _ADMINISTRATIVE:
        return _ADMINISTRATIVE[action]
    if config.get("wgCanonicalNamespace") == "Special" or config.get("wgNamespaceNumber") == -1:
        return "special page"
    if _DIFFERENCE.search(text) and root.xpath('//table[contains(@class,"diff")]'):
        return "difference"
    if config.get("wgArticleId") == 0 or (
        "noarticletext" in text and root.xpath('//*[contains(@class,"noarticletext")]')
    ):
        return "missing page"
    return ""


def _has_parameter(url: str, name: str) -> bool:
    """Whether the query of a URL has a parameter with a name, even with an empty value."""
    return bool(re.search(rf"[?&]{name}=", url))


def _redirected_from(note: Element, config: dict[str, object]) -> str:
    """Return the name of the redirect that led to a page, or empty.

    It is `wgRedirectedFrom` in `config`, else the page that the first link with `redirect=no` leads
    to.

    note: the element `#contentSub`; config: the variables of the document, by `_config`.
    """
    name = config.get("wgRedirectedFrom")
    if name:
        return str(name).replace("_", " ")
    for href in note.xpath('.//a[contains(@href,"redirect=no")]/@href')[:1]:
        found = page_address.read(str(href), _UNKNOWN_URL, in_utf8=True)
        return found.name if found else ""
    return ""


def _redirect_page(note: Element, name: str, fields: dict[str, str | None], target: str) -> Page:
    """Return the redirect that led to a document as a page of its own.

    note: the element `#contentSub`, whose text becomes the page's only passage.
    name: the name of the redirect.
    fields: the fields that the two pages have in common.
    target: the name of the target page, with `#` and the section if it leads to a section.
    """
    run = TextRun()
    run.text(all_text(note))
    builder = PageBuilder(name)
    builder.add(run.passage("note"))
    page = builder.page(name=name, title=name, redirect=target, **fields)
    return page.with_(chars=page.kept)


def _redirect_target(root: Element, url: str) -> str | None:
    """Return the name of the page that a redirect leads to, with `#` and an anchor if it has one.

    None if the page is not a redirect that is shown itself (`redirect=no`), or its link leads to no
    page of a wiki.

    url: the URL of the page, or empty; links are relative to it.
    """
    for href in _REDIRECT_URLS(root)[:1]:
        if found := page_address.read(str(href), url or _UNKNOWN_URL, in_utf8=True):
            return f"{found.name}#{found.anchor}" if found.anchor else found.name
    return None


def _redirect_section(root: Element, text: str) -> str:
    """Return `#` and the section that a redirect leads to, or empty if it leads to a whole page.

    The section is in the document's script or, in newer versions, in the canonical URL. The first
    that can be read counts; it is decoded, with spaces for underscores.
    """
    hrefs = [f"/wiki/x{match[1]}" for match in _TO_FRAGMENT.finditer(text)]
    hrefs += [str(href) for href in _CANONICAL_URLS(root)]
    targets = (page_address.read(href, _UNKNOWN_URL) for href in hrefs)
    return next((f"#{target.anchor}" for target in targets if target and target.anchor), "")


def _categories(root: Element, text: str, url: str) -> tuple[str, ...]:
    """Return the names of a page's categories, without the name of their namespace.

    They are in the page's order, without hidden ones; empty if it has none. `url` is the page's, or
    empty.
    """
    box = _by_id(root, "catlinks")
    if box is None:
        return ()
    hrefs = box.xpath('.//*[@id="mw-normal-catlinks"]//li/a/@href')
    hrefs = hrefs or box.xpath(".//a[position()>1]/@href")
    targets = (page_address.read(str(href), url or _UNKNOWN_URL, in_utf8=True) for href in hrefs)
    return tuple(target.name.partition(":")[2] or target.name for target in targets if target)


def _heading_kind(element: Element) -> PassageKind | None:
    """Return "title" for the heading with the page's name; None for any other."""
    return "title" if element.get("id") == "firstHeading" else None


def interlanguage(link: Element) -> PassageKind | None:
    """Return "note" for a link to another language, as it is not part of the text before it.

    Such a link is known by its words (`en:…`), which begin with the code of a language that is
    listed here, in lower case. None for any other link.

    link: an `a` element.
    """
    words = link.text
    return "note" if words and ":" in words and _INTERLANGUAGE.match(words) else None


def _footnote_kind(element: Element) -> PassageKind | None:
    """Return "footnote" for what `_with_footnotes` put at the end; None for other elements."""
    return "footnote" if element.get("class") == "ref-text" else None


_KINDS = {"h1": _heading_kind, "a": interlanguage, "div": _footnote_kind}


def _main_page(root: Element, url: str) -> str:
    """Return the name of the wiki's main page, as the navigation of a page links to it, or empty.

    It is the first link of the navigation, then of the logo, that leads to a page of the same site.

    url: the URL of the document. A logo may lead to another site.
    """
    host = page_address.source_of(url)
    for place in ("n-mainpage-description", "n-mainpage", "p-logo"):
        for element in _ID(root, name=place):
            for href in element.xpath(".//a/@href"):
                found = page_address.read(str(href), url, in_utf8=True)
                if found and found.source == host and not found.front:
                    return found.name
    return ""


def _links(
    url: str, name: str, main_page: str = ""
) -> dict[str, Callable[[Element], LinkTarget | str | None]]:
    """Return {tag: function that says what an element links to}, the `links` of `MarkupRules`.

    The tags are `a`, and `span` and `strong`, by which MediaWiki shows a link to the page itself.
    The function is the same for all and returns None for an element that is no link (`_link`).

    url: the URL of the document, which relative links start from; name: the name of the page.
    main_page: the name of the page that links to the wiki itself lead to, or empty.
    """
    known = cache(partial(_link, url, page_address.source_of(url), name, main_page))

    def link(element: Element) -> LinkTarget | str | None:
        if element.get("style") and _NO_CARD.fullmatch(all_text(element).strip()):
            return "error of the wiki"
        href = element.get("href") if element.tag == "a" else None
        return known(href, element.get("class"))  # half the links of a page are there twice

    return dict.fromkeys(("a", "span", "strong"), link)


def _link(
    url: str, host: str, name: str, main_page: str, href: str | None, given: str | None
) -> LinkTarget | None:
    """Return what an element links to; None if it is not a link.

    A link within the page has the kind `anchor`, the page itself in bold the kind `page`. A page of
    the same site is `missing` if the link says that it does not exist, else `page`, also in an
    older revision. All others, such as a page's edit form or history, are `external`, with the
    `href` as written, and with a scheme if it has a host. An `a` without `href` is not a link.

    url: the URL of the document, which relative links start from.
    host: the site of that URL, as `page_address.source_of` gives it; all other sites are external.
    name: the name of the page that the element is on; main_page: that of the wiki's main page.
    href: that of an `a`; given: the classes of the element.
    """
    classes = given.split() if given else ()
    if "selflink" in classes:
        return LinkTarget("page", name)
    if not href:
        return None
    if href[0] == "#":
        return LinkTarget("anchor", name, page_address.decoded_anchor(href[1:]))
    if "external" in classes or "extiw" in classes:
        return LinkTarget("external", page_address.with_scheme(href, url))
    found = page_address.read(href, url, in_utf8=True)
    target = found and (main_page if found.front else found.name)
    if found is None or found.source != host or not target:
        return LinkTarget("external", page_address.with_scheme(href, url))
    target = target.replace("_", " ")  # where the URL does not show that it is a title
    if found.redlink or "new" in classes:
        return LinkTarget("missing", target, found.anchor)
    if found.view not in page_address.ARTICLE_VIEWS:
        return LinkTarget("external", page_address.with_scheme(href, url))
    return LinkTarget("page", target, found.anchor)


def _anchor(heading: Element) -> str:
    """Return the anchor of a heading as links to it give it: decoded, spaces for underscores.

    It is the id of the heading's `mw-headline`, or the heading's own; empty if it has neither.
    """
    ids = [*_HEADLINE_IDS(heading), heading.get("id", "")]
    return page_address.decoded_anchor(str(ids[0]))
