"""Parses answers of MediaWiki's API, in JSON (both format versions) or XML, into pages.

Only the text of a page is counted in `Page.chars`: the keys, ids and times of the answer are not
part of any page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from itertools import count
from typing import Any

from lxml import etree

from scraper.markup.page_builder import LinkTarget, PageBuilder, TextRun
from scraper.page import Page
from scraper.sites import page_address, site_catalogue
from scraper.sites.mediawiki import read_fragment
from scraper.sites.mediawiki_source import read_source
from scraper.sources.saved_pages import Snapshot

_Json = Mapping[str, Any]  # a JSON object
# The number of half a surrogate pair, which libxml2 lets through as bytes that are no UTF-8.
_HALF_CHARACTER = re.compile(
    "&#(?:x0*[dD][89a-fA-F][0-9a-fA-F]{2}"
    "|0*(?:5529[6-9]|55[3-9][0-9]{2}|56[0-9]{3}|57[0-2][0-9]{2}|573[0-3][0-9]|5734[0-3]));"
)
# Of one answer, or elements in XML. A guard against memory; MediaWiki gives 5,000 pages at most,
# which are 20,000 objects with their revisions.
MOST_OBJECTS = 100_000


class TooLargeAnswer(Exception):
    """Raised for an answer with so many objects that they would take too much memory."""

    def __init__(self) -> None:
        """The message is fixed."""
        super().__init__(
            f"an answer of the API with more than {MOST_OBJECTS:,} objects; kept as it is written"
        )


def recognises(text: str, url: str) -> bool:
    """Whether a text is an answer of the API. The URL is ignored.

    That is a text that begins with `{` and has "parse" or "query" in quotes in it, or XML with
    `<api` in the first 4,096 characters, enough for a declaration and a comment.

    >>> recognises('{"query":{"pages":{}}}', ""), recognises('[{"x": 1}]', "")
    (True, False)
    """
    start = text[:4096].lstrip("\ufeff \r\n\t")
    if start.startswith("<"):
        return "<api" in start
    return start.startswith("{") and ('"parse"' in text or '"query"' in text)


def pages(snapshot: Snapshot, text: str) -> list[Page]:
    """Return the pages in an answer.

    An answer to `action=parse` has one page, in HTML or wikitext; an answer to `action=query` has
    redirects and the wikitext of any number of pages. Redirects come first, each as a page of its
    own; of each page only the newest revision is read. Pages without a text are omitted; the
    name of a page may be empty. The list is empty for a malformed answer, but of malformed XML the
    part in front is read. Raises TooLargeAnswer for one with more than `MOST_OBJECTS` objects.

    snapshot: where the answer comes from; its URL is the URL of all pages.
    text: the answer, in JSON or XML.
    """
    is_xml = text.lstrip("\ufeff \r\n\t").startswith("<")
    answer = _load_xml(text) if is_xml else _load_json(text)
    pages = _parsed_page(snapshot, _dict(answer.get("parse")))
    query = _dict(answer.get("query"))
    pages += [_redirect_page(snapshot, redirect) for redirect in _dicts(query.get("redirects"))]
    for entry in _dicts(query.get("pages")):
        pages += _queried_page(snapshot, entry)
    return [page for page in pages if page.name or page.passages]


def _load_json(text: str) -> _Json:
    """Return an answer in JSON, with None for its numbers; empty if it is malformed or no object.

    Raises TooLargeAnswer.
    """
    objects = count(1)

    def counted(item: dict[str, Any]) -> dict[str, Any]:
        if next(objects) > MOST_OBJECTS:
            raise TooLargeAnswer
        return item

    def nothing(_: str) -> None:
        return None

    try:
        start = text.lstrip("\ufeff \r\n\t")
        return _dict(json.loads(start, object_hook=counted, parse_int=nothing, parse_float=nothing))
    except (ValueError, RecursionError):
        return {}


def _load_xml(text: str) -> _Json:
    """Return an answer in XML as it would be in JSON: `parse` and `query`.

    It is read up to where it is malformed; empty if nothing can be. The parser loads no document
    type and no entities, and makes no requests. Raises TooLargeAnswer.
    """
    start = text.find("<api")
    if start < 0:
        return {}
    if text.count("<") > 2 * MOST_OBJECTS:
        raise TooLargeAnswer
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=True,
        recover=True,
        remove_comments=True,
        remove_pis=True,
        encoding="utf-8",
    )
    xml = _HALF_CHARACTER.sub("\ufffd", text[start:])
    try:
        root = etree.fromstring(xml.encode("utf-8", "replace"), parser)
    except (etree.LxmlError, ValueError):
        return {}
    if root is None:
        return {}
    return {"parse": _load_xml_parse(root), "query": _load_xml_query(root)}


def _load_xml_parse(root: Any) -> _Json:
    """Return the answer to `action=parse` in an XML tree, the first one; empty if there is none.

    Its keys are the attributes of the element (`title` and others), `text` (the HTML, a str) and
    `categories`, a list of objects with the name as `*`. Wikitext in it is not read.
    """
    for parse in root.iterchildren("parse"):
        text = "".join(str(child.xpath("string()")) for child in parse.iterchildren("text"))
        categories = [str(child.xpath("string()")) for child in parse.iterfind("categories/cl")]
        return {
            **parse.attrib,
            "text": text,
            "categories": [{"*": category} for category in categories],
        }
    return {}


def _load_xml_query(root: Any) -> _Json:
    """Return the pages and redirects of an answer to `action=query` in an XML tree.

    The keys are `pages` and `redirects`, both lists of objects with the attributes of the elements.
    A page has also `revisions`, a list of objects with the text as `*`.
    """
    pages = []
    for page in root.iterfind("query/pages/page"):
        revisions = [
            {**revision.attrib, "*": "".join(revision.itertext())}
            for revision in page.iterfind("revisions/rev")
        ]
        pages.append({**page.attrib, "revisions": revisions})
    redirects = [dict(redirect.attrib) for redirect in root.iterfind("query/redirects/r")]
    return {"pages": pages, "redirects": redirects}


def _parsed_page(snapshot: Snapshot, parse: _Json) -> list[Page]:
    """Return the page of an answer to `action=parse` in a list; empty if it has no text.

    Its categories are those that the answer lists, or, from wikitext, those in the wikitext.

    parse: the value of `parse` in the answer. HTML in it is preferred to wikitext.
    """
    name, html = _text(parse.get("title")).replace("_", " "), _content(parse.get("text"))
    wikitext = _content(parse.get("wikitext"))
    if not (html or wikitext):
        return []
    source = _source(snapshot)
    if not html:
        return [read_source(wikitext, source, name, snapshot.url)]
    page = read_fragment(html, source, name, snapshot.url)
    categories = [
        _content(entry) or _text(entry.get("category")) for entry in _dicts(parse.get("categories"))
    ]
    return [page.with_(categories=tuple(c.replace("_", " ") for c in categories if c))]


def _queried_page(snapshot: Snapshot, entry: _Json) -> list[Page]:
    """Return the newest revision of a page in an answer to `action=query&prop=revisions`.

    It is in a list, which is empty if no revision has a text. An empty text is one.
    Revisions without a text are skipped; of those of one time, or without times, the first counts
    as the newest.

    entry: one of the objects in `query.pages` of the answer.
    """
    name = _text(entry.get("title")).replace("_", " ")
    revisions = [revision for revision in _dicts(entry.get("revisions")) if _has_content(revision)]
    if not revisions:
        return []
    newest = max(revisions, key=lambda revision: _text(revision.get("timestamp")))
    return [read_source(_content(newest), _source(snapshot), name, snapshot.url)]


def _redirect_page(snapshot: Snapshot, redirect: _Json) -> Page:
    """Return the page of a redirect that an answer lists; its only text is the target's name.

    redirect: an object with `from`, `to` and perhaps `tofragment`. The name of the page is empty if
        it has no `from`; without `to` the page has no passage and no target.
    """
    name, target = _text(redirect.get("from")), _text(redirect.get("to"))
    section = f"#{_text(redirect['tofragment'])}" if redirect.get("tofragment") else ""
    builder, run = PageBuilder(name), TextRun()
    span = run.open(LinkTarget("page", target))
    run.text(target)
    run.close(span)
    if run:
        builder.add(run.passage("note"))
    source = _source(snapshot)
    page = builder.page(
        source=source,
        name=name,
        url=snapshot.url,
        title=name,
        form="wikitext",
        redirect=(target + section) if builder.passages else None,
        game=site_catalogue.game_of(source),
        engine="mediawiki",
    )
    return page.with_(chars=page.kept)


def _source(snapshot: Snapshot) -> str:
    """Return the name of the source that an answer comes from, by its URL or the site that a person
    named."""
    return page_address.named_source(snapshot.url, snapshot.hints.site, "mediawiki")


def _has_content(revision: _Json) -> bool:
    """Whether an answer has the text of a revision, even if that is empty."""
    slot = _dict(_dict(revision.get("slots")).get("main"))
    return not {"*", "content"}.isdisjoint({*revision, *slot}) or bool(_content(revision))


def _content(value: object) -> str:
    """Return a text from any of the places where versions of the API put it; empty if none.

    value: the text itself, or an object with it as `*` or `content` (in this order, if both), else
        in its slot `main`.
    """
    if isinstance(value, str):
        return value
    entry = _dict(value)
    slots = _dict(_dict(entry.get("slots")).get("main"))
    return next(
        (
            text
            for parent in (entry, slots)
            for key in ("*", "content")
            if isinstance(text := parent.get(key), str)
        ),
        "",
    )


def _text(value: object) -> str:
    """Return a value if it is a text, else an empty text."""
    return value if isinstance(value, str) else ""


def _dict(value: object) -> _Json:
    """Return a value if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def _dicts(value: object) -> Iterable[_Json]:
    """Return the JSON objects in a list, or in an object whose keys are ids.

    Other values in it are skipped. Empty if `value` is neither a list nor an object.
    """
    if isinstance(value, dict):
        value = list(value.values())
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
