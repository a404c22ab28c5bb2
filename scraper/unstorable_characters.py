"""Replaces the characters of a page that no file of a knowledge base can hold."""

from __future__ import annotations

import re
from dataclasses import replace

from scraper.page import Page, Passage, ReadWarning

_REPLACED = "\ufffd"
# NUL, halves of surrogate pairs, and two code points that are defined to be no characters.
_UNFIT = re.compile("[\x00\ud800-\udfff\ufffe\uffff]")


def fit(text: str) -> str:
    """Return a text of the same length with U+FFFD for what is no character.

    >>> fit("引\\ud800く\\0")
    '引�く�'
    """
    if text.isascii() and "\0" not in text:  # as nearly all addresses, at a fifth of the time
        return text
    return _UNFIT.sub(_REPLACED, text)


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
    texts = [passage.text for passage in page.passages]
    others = [page.name, page.title, page.url, page.redirect or "", *page.categories]
    others += [text for section in page.sections for text in (section.title, section.anchor)]
    others += [t for p in page.passages for link in p.links for t in (link.target, link.anchor)]
    others += [ruby.reading for passage in page.passages for ruby in passage.ruby]
    text, other = "\n".join(texts), "\n".join(others)
    if not (_REPLACED in text or _REPLACED in other or _UNFIT.search(text) or _UNFIT.search(other)):
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
