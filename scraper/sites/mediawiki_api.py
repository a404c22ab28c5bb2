"""MediaWiki's API, as JSON (both format versions) and XML: rendered pages, sources, redirects.

The text of a page is what counts as the page's text; keys, ids and times of the answer are
the envelope it came in, and are counted nowhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from lxml import etree

from scraper.markup.page_builder import PageBuilder, TextRun
from scraper.page import Page
from scraper.sites import address, catalogue
from scraper.sites.mediawiki import read_fragment
from scraper.sites.mediawiki_source import read_source
from scraper.sources.snapshot import Snapshot

_Answer = Mapping[str, Any]


def recognises(text: str, url: str) -> bool:
    """Whether a document is an answer of the API.

    >>> recognises('{"query":{"pages":{}}}', ""), recognises('[{"x": 1}]', "")
    (True, False)
    """
    start = text[:4096].lstrip("\ufeff \r\n\t")
    if start.startswith("<"):
        return "<api" in start
    return start.startswith("{") and ('"parse"' in text or '"query"' in text)


def pages(snapshot: Snapshot, text: str) -> list[Page]:
    """The pages in an answer: one parsed page, or sources and redirects asked for by query."""
    answer = _xml(text) if text.lstrip("\ufeff \r\n\t").startswith("<") else _json(text)
    found = _parsed(snapshot, _dict(answer.get("parse")))
    query = _dict(answer.get("query"))
    found += [_redirect(snapshot, pair) for pair in _dicts(query.get("redirects"))]
    for entry in _dicts(query.get("pages")):
        found += _sources(snapshot, entry)
    return [page for page in found if page.name]


def _json(text: str) -> _Answer:
    try:
        return _dict(json.loads(text.lstrip("\ufeff \r\n\t")))
    except (ValueError, RecursionError):
        return {}


def _xml(text: str) -> _Answer:
    """The XML form in the shape of the JSON form; no document type, no entities, no network."""
    start = text.find("<api")
    if start < 0:
        return {}
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
    try:
        root = etree.fromstring(text[start:].encode("utf-8", "replace"), parser)
    except (etree.LxmlError, ValueError):
        return {}
    if root is None:
        return {}
    return {"parse": _xml_parse(root), "query": _xml_query(root)}


def _xml_parse(root: Any) -> _Answer:
    for parse in root.iterchildren("parse"):
        text = "".join(str(child.xpath("string()")) for child in parse.iterchildren("text"))
        categories = [str(child.xpath("string()")) for child in parse.iterfind("categories/cl")]
        return {**parse.attrib, "text": text, "categories": [{"*": c} for c in categories]}
    return {}


def _xml_query(root: Any) -> _Answer:
    pages = []
    for page in root.iterfind("query/pages/page"):
        revisions = [
            {**rev.attrib, "*": "".join(rev.itertext())} for rev in page.iterfind("revisions/rev")
        ]
        pages.append({**page.attrib, "revisions": revisions})
    redirects = [dict(pair.attrib) for pair in root.iterfind("query/redirects/r")]
    return {"pages": pages, "redirects": redirects}


def _parsed(snapshot: Snapshot, parse: _Answer) -> list[Page]:
    """The page of `action=parse`: its HTML goes the way of served pages."""
    name, html = _words(parse.get("title")).replace("_", " "), _content(parse.get("text"))
    source_text = _content(parse.get("wikitext"))
    if not name or not (html or source_text):
        return []
    source = _source(snapshot)
    if not html:
        return [read_source(source_text, source, name, snapshot.url)]
    page = read_fragment(html, source, name, snapshot.url)
    named = [
        _content(entry) or _words(entry.get("category"))
        for entry in _dicts(parse.get("categories"))
    ]
    return [page.with_(categories=tuple(name.replace("_", " ") for name in named if name))]


def _sources(snapshot: Snapshot, entry: _Answer) -> list[Page]:
    """The page of `action=query&prop=revisions`, by the newest revision that was asked for."""
    name = _words(entry.get("title")).replace("_", " ")
    revisions = [rev for rev in _dicts(entry.get("revisions")) if _has_content(rev)]
    if not name or not revisions:
        return []
    newest = max(revisions, key=lambda rev: _words(rev.get("timestamp")))
    return [read_source(_content(newest), _source(snapshot), name, snapshot.url)]


def _redirect(snapshot: Snapshot, pair: _Answer) -> Page:
    """A redirect as the answer lists it: a page of which only its target is known."""
    name, target = _words(pair.get("from")), _words(pair.get("to"))
    section = f"#{_words(pair['tofragment'])}" if pair.get("tofragment") else ""
    composer, run = PageBuilder(name), TextRun()
    span = run.open_link("page", target)
    run.text(target)
    run.close(span)
    if run:
        composer.add(run.passage("note"))
    source = _source(snapshot)
    page = composer.page(
        source=source,
        name=name,
        url=snapshot.url,
        title=name,
        form="wikitext",
        redirect=(target + section) if composer.passages else None,
        game=catalogue.game_of(source),
        engine="mediawiki",
    )
    return page.with_(chars=page.kept)


def _source(snapshot: Snapshot) -> str:
    return address.named_source(snapshot.url, snapshot.hints.site, "mediawiki")


def _has_content(revision: _Answer) -> bool:
    return bool(_content(revision)) or "*" in revision or "content" in revision


def _content(value: object) -> str:
    """A text in any of the places where the API has put it over the years."""
    if isinstance(value, str):
        return value
    entry = _dict(value)
    slots = _dict(_dict(entry.get("slots")).get("main"))
    return next(
        (
            text
            for where in (entry, slots)
            for key in ("*", "content")
            if isinstance(text := where.get(key), str)
        ),
        "",
    )


def _words(value: object) -> str:
    return value if isinstance(value, str) else ""


def _dict(value: object) -> _Answer:
    return value if isinstance(value, dict) else {}


def _dicts(value: object) -> Iterable[_Answer]:
    """The entries of a list, or of a dict that has ids for keys."""
    if isinstance(value, dict):
        value = list(value.values())
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
