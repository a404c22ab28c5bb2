"""Wisdom Guild's rules viewer: a section of the comprehensive rules, term by term linked.

Its frame is not relied on: the rules are found by their numbers, the edition by its form,
so that the saved page and the text capture of it are read by the same steps.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from scraper.markup.html_walk import Element, LinkTarget, MarkupRules, count_text, walk
from scraper.markup.page_builder import PageBuilder
from scraper.page import Link, Page, Passage
from scraper.sites import address, catalogue
from scraper.sources.snapshot import Snapshot

NUMBER = re.compile(r"\d+(?:\.\d+)*[a-z]?\.?")
_EDITION = re.compile(r"訳\s*(\d{8})")
_GLOSSARY = re.compile(r"/cr/glossary/g_([^/?#]+)")
_RULE = re.compile(r"/cr/(?:r/|cr\.php\?r=)(\d[\w.]*)")
_VIEWER = "総合ルールビューア"


def recognises(text: str, url: str) -> bool:
    """Whether this is a page of the rules viewer.

    >>> recognises("<title>121. / 総合ルールビューア</title>", "http://whisper.wisdom-guild.net/cr/r/121")
    True
    """
    return _VIEWER in text and catalogue.may_be(url, "wisdomguild")


def read(snapshot: Snapshot, text: str, root: Element) -> list[Page]:
    """The rules that one viewer page gives."""
    composer = PageBuilder()
    bodies = root.xpath("//body")[:1] or [root]
    walk(root, MarkupRules(bodies, link=_link), composer)
    return [viewer_page(snapshot, composer, count_text(root))]


def viewer_page(snapshot: Snapshot, raw: PageBuilder, chars: int) -> Page:
    """The page in the passages of a viewer, whatever form they came in."""
    place = address.read(snapshot.url) if snapshot.url else None
    name = place.name if place else ""
    start, end = _span(raw.passages)
    edition = next((found[1] for p in raw.passages if (found := _EDITION.search(p.text))), None)
    composer = PageBuilder()
    composer.left_out = raw.left_out
    composer.warnings = raw.warnings
    for passage in raw.passages[:start]:
        composer.leave_out("navigation", passage.text)
    for passage in raw.passages[end:]:
        composer.leave_out("site footer", passage.text)
    rules = raw.passages[start:end]
    if rules and rules[0].text.startswith(_VIEWER):
        composer.leave_out("navigation", _VIEWER)
        rules[0] = _without(rules[0], len(_VIEWER))
    for passage in _joined(rules):
        plain = replace(passage, parent=None, depth=0, ordinal=None)
        if re.match(r"\d+\.(?:\s|$)", passage.text):
            level = 1 if len(passage.text.partition(".")[0]) < 3 else 2
            composer.heading(plain, level)
        else:
            composer.add(replace(plain, kind="paragraph", block=len(composer.passages)))
    site = catalogue.site_with("wisdomguild")
    heading = next((p.text for p in reversed(composer.passages) if p.kind == "heading"), "")
    return composer.page(
        source=address.named_source(snapshot.url, snapshot.hints.site, site.name),
        engine="wisdomguild",
        name=name or f"cr/r/{heading.partition('.')[0]}",
        title=heading,
        url=snapshot.url,
        game=site.game,
        chars=chars,
        edition=edition,
    )


def _span(passages: Sequence[Passage]) -> tuple[int, int]:
    """Where the rules begin (after the viewer's own title) and end (at the site's footer)."""
    start = next((n + 1 for n, p in enumerate(passages) if p.text == _VIEWER), None)
    if start is None:
        start = next((n for n, p in enumerate(passages) if p.text.startswith(_VIEWER)), 0)
    end = next(
        (n for n in range(start, len(passages)) if passages[n].text.startswith("©")), len(passages)
    )
    return start, end


def _joined(passages: Sequence[Passage]) -> list[Passage]:
    """Each rule's number and text as one passage, where the markup keeps them apart."""
    out: list[Passage] = []
    number: Passage | None = None
    for passage in passages:
        if number is not None and NUMBER.fullmatch(number.text):
            passage = _behind(number, passage)
            number = None
        elif NUMBER.fullmatch(passage.text):
            number = passage
            continue
        out.append(passage)
    return [*out, number] if number is not None else out


def _without(passage: Passage, length: int) -> Passage:
    rest = passage.text[length:].lstrip()
    shift = len(passage.text) - len(rest)
    return _moved(passage, rest, -shift, passage.links)


def _behind(number: Passage, passage: Passage) -> Passage:
    return _moved(passage, f"{number.text} {passage.text}", len(number.text) + 1, passage.links)


def _moved(passage: Passage, text: str, by: int, links: Sequence[Link]) -> Passage:
    moved = (replace(link, start=link.start + by, end=link.end + by) for link in links)
    return replace(passage, text=text, links=tuple(link for link in moved if link.start >= 0))


def _link(element: Element) -> LinkTarget | None:
    href = element.get("href", "") if element.tag == "a" else ""
    if found := _GLOSSARY.search(href):
        return LinkTarget("glossary", found[1])
    if "/cr/c/" in href:
        return None
    if found := _RULE.search(href):
        own_number = NUMBER.fullmatch((element.text or "").strip())
        return None if own_number else LinkTarget("rule", found[1])
    return LinkTarget("external", href) if href else None
