"""Shortens the names of a page that are too long: of itself, its sections and its links' targets.

The ids of all parts of a page begin with its name, so a name of megabytes would be in each.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

from scraper.markup.size_limits import LONGEST_NAME, LONGEST_TARGET
from scraper.page import Link, Page, Passage, ReadWarning, Section

_DIGEST = 8  # bytes


def bounded_name(text: str, most: int = LONGEST_NAME) -> str:
    """Return a name; of one that is too long the beginning, an ellipsis and a hash of all of it.

    Names that differ stay different, and equal ones equal.

    most: characters.

    >>> bounded_name("引く"), bounded_name("a" * 600, most=20)
    ('引く', 'aaa…0bd3996a5cdf6786')
    """
    if len(text) <= most:
        return text
    whole = text.encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(whole, digest_size=_DIGEST).hexdigest()
    return f"{text[: most - len(digest) - 1]}…{digest}"


def with_bounded_names(page: Page, where: str) -> tuple[Page, list[ReadWarning]]:
    """Return a page in which no name is too long, and a warning if any was.

    Names are those of the page, of its sections and categories and of what its links lead to. No
    text of a passage changes.

    where: the place of the document.
    """
    bounded = page.with_(
        source=bounded_name(page.source),
        name=bounded_name(page.name),
        url=page.url if len(page.url) <= LONGEST_TARGET else "",
        title=bounded_name(page.title),
        redirect=bounded_name(page.redirect) if page.redirect else page.redirect,
        categories=tuple(map(bounded_name, page.categories)),
        sections=tuple(map(_bounded_section, page.sections)),
        passages=tuple(map(_bounded_passage, page.passages)),
    )
    if bounded == page:
        return page, []
    what = (
        f"names of more than {LONGEST_NAME:,} characters, or addresses of more than "
        f"{LONGEST_TARGET:,}; only their beginning is taken, the text is kept"
    )
    return bounded, [ReadWarning(where, what)]


def _bounded_section(section: Section) -> Section:
    if len(section.title) <= LONGEST_NAME and len(section.anchor) <= LONGEST_NAME:
        return section
    return replace(section, title=bounded_name(section.title), anchor=bounded_name(section.anchor))


def _bounded_passage(passage: Passage) -> Passage:
    if all(_fits(link) for link in passage.links):
        return passage
    return replace(passage, links=tuple(map(_bounded_link, passage.links)))


def _most(link: Link) -> int:
    return LONGEST_TARGET if link.kind == "external" else LONGEST_NAME


def _fits(link: Link) -> bool:
    return len(link.target) <= _most(link) and len(link.anchor) <= LONGEST_NAME


def _bounded_link(link: Link) -> Link:
    target, anchor = bounded_name(link.target, _most(link)), bounded_name(link.anchor)
    return replace(link, target=target, anchor=anchor)
