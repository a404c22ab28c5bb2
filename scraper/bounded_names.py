"""Makes names that ids can be put together of: of a page, its sections and its links' targets.

The ids of all parts of a page begin with its name, so a name of megabytes would be in each; and a
page whose name reads like a part of another (`引く¶2`) would take its place.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace

from scraper.markup.size_limits import LONGEST_NAME, LONGEST_TARGET
from scraper.page import Link, Page, Passage, ReadWarning, Section

_DIGEST = 8  # bytes
# What stands in ids between a page, its sections and their passages, and at the end between these
# and the number of a ruling, a procedure or an outcome. No wiki has names with a `%` and two
# digits, so that names which differ stay different. (The pattern begins with one set, which `re`
# finds faster than alternatives.)
_SIGN = re.compile(r"[#¶?!~](?:(?<=[#¶])|(?=[0-9]+(?:\.[0-9]+)?\Z))")
_IN_PERCENT = {"#": "%23", "¶": "%C2%B6", "?": "%3F", "!": "%21", "~": "%7E"}
_NO_PAGES = frozenset({"external", "rule", "glossary"})  # kinds of links
_LIKE_A_PART = "a name that reads like the id of a part of a page; {} in it is written {}"


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


def page_name(text: str) -> str:
    """Return the name of a page as it is in ids: not too long, and without the signs of ids.

    >>> page_name("引く¶2"), page_name("何枚?2"), page_name("何枚?")
    ('引く%C2%B62', '何枚%3F2', '何枚?')
    """
    return bounded_name(_without_signs(text))


def ends_like_part(text: str) -> bool:
    """Whether a text ends as the ids of rulings, procedures and outcomes do.

    >>> ends_like_part("ルール?1"), ends_like_part("ルール1")
    (True, False)
    """
    return any(match[0] not in "#¶" for match in _SIGN.finditer(text))


def _without_signs(text: str) -> str:
    return _SIGN.sub(lambda match: _IN_PERCENT[match[0]], text)


def with_bounded_names(page: Page, where: str) -> tuple[Page, list[ReadWarning]]:
    """Return a page in which no name is too long or has a sign of ids, and warnings if any did.

    Names are those of the page, of its sections and categories and of what its links lead to. No
    text of a passage changes, nor the page's title.

    where: the place of the document.
    """
    bounded = page.with_(
        source=bounded_name(page.source),
        name=page_name(page.name),
        url=page.url if len(page.url) <= LONGEST_TARGET else "",
        title=bounded_name(page.title),
        redirect=_bounded_redirect(page.redirect) if page.redirect else page.redirect,
        categories=tuple(map(bounded_name, page.categories)),
        sections=tuple(map(_bounded_section, page.sections)),
        passages=tuple([_bounded_passage(p) if p.links else p for p in page.passages]),
    )
    if bounded == page:
        return page, []
    warnings = []
    if sign := _SIGN.search(page.name):
        told = _LIKE_A_PART.format(sign[0], _IN_PERCENT[sign[0]])
        warnings.append(ReadWarning(where, told))
    if not _has_long_name(page):
        return bounded, warnings
    what = (
        f"names of more than {LONGEST_NAME:,} characters, or addresses of more than "
        f"{LONGEST_TARGET:,}; only their beginning is taken, the text is kept"
    )
    return bounded, [*warnings, ReadWarning(where, what)]


def _has_long_name(page: Page) -> bool:
    names = (page.source, page.name, page.title, page.redirect or "", *page.categories)
    sections = (text for each in page.sections for text in (each.title, each.anchor))
    return (
        len(page.url) > LONGEST_TARGET
        or any(len(name) > LONGEST_NAME for name in (*names, *sections))
        or any(not _is_short(link) for passage in page.passages for link in passage.links)
    )


def _bounded_redirect(redirect: str) -> str:
    """Return the target of a redirect, with the name of the page as it is in ids."""
    name, sign, section = redirect.partition("#")
    return bounded_name(f"{page_name(name)}{sign}{section}")


def _bounded_section(section: Section) -> Section:
    if len(section.title) <= LONGEST_NAME and len(section.anchor) <= LONGEST_NAME:
        return section
    return replace(section, title=bounded_name(section.title), anchor=bounded_name(section.anchor))


def _bounded_passage(passage: Passage) -> Passage:
    if all(map(_fits, passage.links)):
        return passage
    return replace(passage, links=tuple(map(_bounded_link, passage.links)))


def _most(link: Link) -> int:
    return LONGEST_TARGET if link.kind == "external" else LONGEST_NAME


def _fits(link: Link) -> bool:
    if link.kind in _NO_PAGES:
        return _is_short(link)
    return (
        len(link.target) <= LONGEST_NAME
        and len(link.anchor) <= LONGEST_NAME
        and not _SIGN.search(link.target)
    )


def _is_short(link: Link) -> bool:
    return len(link.target) <= _most(link) and len(link.anchor) <= LONGEST_NAME


def _bounded_link(link: Link) -> Link:
    target = link.target if link.kind in _NO_PAGES else _without_signs(link.target)
    return replace(link, target=bounded_name(target, _most(link)), anchor=bounded_name(link.anchor))
