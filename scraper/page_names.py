"""Gives pages names that ids can be put together of: a name to a page that has none, and bounded
ones to pages, their sections and their links' targets; and texts that can be stored.

The ids of all parts of a page begin with its name, so a name of megabytes would be in each; and a
page whose name reads like a part of another (`引く¶2`) would take its place.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace

from scraper.markup.size_limits import LONGEST_NAME, LONGEST_TARGET
from scraper.page import Link, Page, Passage, ReadWarning, Section
from scraper.sites import page_address
from scraper.sites.page_address import fit

_REPLACED = "\ufffd"  # stands for what is no character
_DIGEST = 8  # bytes: of names as many as there may be, no two get the same by chance
# What stands in ids between a page, its sections and their passages, and at the end between these
# and the number of a ruling, a procedure or an outcome. No wiki has names with a `%` and two
# digits, so that names which differ stay different. (The pattern begins with one set, which `re`
# finds faster than alternatives.)
_SIGN = re.compile(r"[#¶?!~](?:(?<=[#¶])|(?=[0-9]+(?:\.[0-9]+)?\Z))")
_IN_PERCENT = {"#": "%23", "¶": "%C2%B6", "?": "%3F", "!": "%21", "~": "%7E"}
_NO_PAGES = frozenset({"external", "rule", "glossary"})  # kinds of links
_LIKE_A_PART = "a name that reads like the id of a part of a page; {} in it is written {}"
UNNAMED = "a page without a name"  # how the warning begins
# Where the place in a WARC file begins, and that in an archive: file names may have such a sign.
_RECORD = re.compile(r"!(?=[0-9]+\Z)")
_IN_ARCHIVE = re.compile(r"(?<=\.tar|\.tgz|\.zip|\.bz2)!|(?<=\.gz|\.xz)!", re.IGNORECASE)
# Endings of archives and dumps, taken off the name of a page that is called after one.
_PACKED = re.compile(r"\.(?:warc|arc|gz|bz2|xz|zip|tar|tgz|xml)(?=\.|$)", re.IGNORECASE)


def with_name(page: Page, where: str, number: int) -> tuple[Page, list[ReadWarning]]:
    """Return a page that has text with a name, and a warning if its place gives it.

    The place is its URL if that names a page, else its file. A page without text, such as an edit
    form, is returned as it is, and so is one that has a name.

    where: the place of the document, as `Snapshot.where`.
    number: which page of the document it is, from 0.

    >>> from scraper.page import Passage
    >>> page = Page("pukiwiki", "", url="", passages=(Passage("paragraph", "引く"),))
    >>> named, warnings = with_name(page, "wiki/a.tar!b/draw.html", 1)
    >>> named.name, warnings[0].what
    ('draw 2', "a page without a name; called 'draw 2' after its place")
    """
    if page.name.strip() or not page.passages:
        return page, []
    found = page_address.read(page.url) if page.url else None
    name = found.name.strip() if found and not found.view else ""
    is_of_file = not name
    name = name or _name_of_place(where)
    if number:
        name = f"{name} {number + 1}"
    what = f"{UNNAMED}; called {name!r} after its place"
    title = page.title.strip() or name
    return page.with_(name=name, title=title, unnamed=is_of_file), [ReadWarning(where, what)]


def _name_of_place(where: str) -> str:
    """Return the name of a file without folder and ending. In an archive, a name that is only a
    number, or none, has the archive's before it; `page` if nothing is left.

    >>> _name_of_place("a/引く!.html"), _name_of_place("crawl.warc.gz!3021"), _name_of_place("")
    ('引く!', 'crawl 3021', 'page')
    """
    place, archive = where.replace("\\", "/"), ""
    if inside := _RECORD.search(place) or _IN_ARCHIVE.search(place):
        archive, place = place[: inside.start()], place[inside.start() + 1 :]
    stem = _stem(place)
    if archive and (stem.isdigit() or not stem):
        stem = f"{_PACKED.sub('', archive.rpartition('/')[2])} {stem}"
    return stem.strip() or "page"


def _stem(path: str) -> str:
    """Return the name of a file without folder and ending; of `.wiki`, all of it."""
    name = path.rpartition("/")[2]
    end = name.rfind(".")
    return name[:end] if end > 0 else name


def bounded_name(text: str, most: int = LONGEST_NAME) -> str:
    """Return a name; of one that is too long the beginning, an ellipsis and a hash of all of it.

    Names that differ stay different, and equal ones equal.

    most: characters; more than the hash and the ellipsis, which are 17.

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
    """Return the target of a redirect, with the name of the page as it is in ids, and not too long
    as a whole."""
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
    return _is_short(link) and (link.kind in _NO_PAGES or not _SIGN.search(link.target))


def _is_short(link: Link) -> bool:
    return len(link.target) <= _most(link) and len(link.anchor) <= LONGEST_NAME


def _bounded_link(link: Link) -> Link:
    target = link.target if link.kind in _NO_PAGES else _without_signs(link.target)
    return replace(link, target=bounded_name(target, _most(link)), anchor=bounded_name(link.anchor))


def with_fit_characters(page: Page, where: str, known: int = 0) -> tuple[Page, list[ReadWarning]]:
    """Return a page in which every text can be stored, and a warning that counts what could not.

    Parsers may have replaced such characters before; these are counted, too.

    where: the place of the document.
    known: how many U+FFFD are in the document itself, or stand for bytes that its charset does
        not have, of which there are other warnings.

    >>> page, warnings = with_fit_characters(Page("a", "引\\ud800", url=""), "a.html")
    >>> page.name, warnings[0].what
    ('引�', '1 that is no character (half a surrogate pair, NUL) is U+FFFD')
    """
    texts = [page.name, page.title, page.url, page.redirect or "", *page.categories]
    texts += [text for section in page.sections for text in (section.title, section.anchor)]
    texts += [passage.text for passage in page.passages]
    texts += [t for p in page.passages for link in p.links for t in (link.target, link.anchor)]
    texts += [ruby.reading for passage in page.passages for ruby in passage.ruby]
    whole = "\n".join(texts)
    if _REPLACED not in whole and fit(whole) == whole:
        return page, []
    page = _fit_page(page)
    count = sum(passage.text.count(_REPLACED) for passage in page.passages)
    count = count or max(page.name.count(_REPLACED), page.title.count(_REPLACED))
    count -= known
    if count <= 0:
        return page, []
    many = count > 1
    what = f"{count} that {'are no characters' if many else 'is no character'}"
    what += f" (half a surrogate pair, NUL) {'are' if many else 'is'} U+FFFD"
    return page, [ReadWarning(where, what)]


def _fit_page(page: Page) -> Page:
    """Return a page with `fit` texts in all of its fields."""
    return page.with_(
        name=fit(page.name),
        title=fit(page.title),
        url=fit(page.url),
        redirect=fit(page.redirect) if page.redirect else page.redirect,
        categories=tuple(map(fit, page.categories)),
        sections=tuple(
            replace(section, title=fit(section.title), anchor=fit(section.anchor))
            for section in page.sections
        ),
        passages=tuple(map(_fit_passage, page.passages)),
    )


def _fit_passage(passage: Passage) -> Passage:
    """Return a passage with `fit` texts; all spans stay as they are."""
    return replace(
        passage,
        text=fit(passage.text),
        links=tuple(
            replace(link, target=fit(link.target), anchor=fit(link.anchor))
            for link in passage.links
        ),
        ruby=tuple(replace(ruby, reading=fit(ruby.reading)) for ruby in passage.ruby),
    )
