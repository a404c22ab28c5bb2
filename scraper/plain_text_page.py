"""Makes a page of plain text of a document that no parser could read, so that no text is lost."""

from __future__ import annotations

import os
from collections.abc import Iterator

from scraper.markup.html_tokens import BLOCKS, tokens
from scraper.markup.page_builder import PageBuilder
from scraper.page import Page, Passage, text_size
from scraper.sites import page_address
from scraper.sources.snapshot import Snapshot

# Set while the parsers themselves are tested: then what they raise is raised.
RAISE = "SANSHO_RAISE"
_NO_TEXT = {"script": "script", "style": "style sheet"}


def failures_are_raised() -> bool:
    """Whether errors of parsers and extractors are raised instead of being warnings."""
    return bool(os.environ.get(RAISE))


def failure(error: Exception) -> str:
    """Return the warning of a page that could not be read: what was wrong, on one line, of which
    200 characters are shown.

    >>> failure(ValueError("a\\nb"))
    'could not be read (ValueError: a b); its text is kept as plain text'
    """
    what = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    return f"could not be read ({what}); its text is kept as plain text"


def plain_text_page(snapshot: Snapshot, text: str, name: str = "", is_html: bool = False) -> Page:
    """Return a page with a passage for each line of a text that is not blank, stripped, and without
    links and sections. Of HTML, an element of a block begins a line; scripts and styles are left
    out.

    snapshot: gives the URL and the site.
    text: the decoded document; is_html: whether it is HTML, whose tags are no text then.
    name: the page's name, or empty.

    >>> page = plain_text_page(Snapshot("a", b""), "<p>a<b>b</b><p>c<script>d</script>", "", True)
    >>> [passage.text for passage in page.passages], dict(page.left_out), page.lost
    (['ab', 'c'], {'script': 1}, 0)
    """
    builder = PageBuilder(name)
    pieces = _text_of_html(text, builder) if is_html else iter((text,))
    for line in "".join(pieces).splitlines():
        if line.strip():
            builder.add(Passage("paragraph", line.strip(), block=len(builder.passages)))
    kept = sum(text_size(passage.text) for passage in builder.passages)
    return builder.page(
        source=page_address.named_source(snapshot.url, snapshot.hints.site, "unread"),
        name=name,
        title=name,
        url=snapshot.url,
        form="html" if is_html else "plain text",
        chars=kept + sum(builder.left_out.values()),
    )


def _text_of_html(text: str, builder: PageBuilder) -> Iterator[str]:
    """Yield the text of an HTML document in pieces, with line ends for blocks.

    Scripts and what is never closed are counted in `builder` as left out.
    """
    inside = ""
    for token in tokens(text):
        if token.kind == "unclosed":
            builder.leave_out("tag or comment that is never closed", token.text)
        elif token.kind == "text" and inside in _NO_TEXT:
            builder.leave_out(_NO_TEXT[inside], token.text)
        elif token.kind == "text":
            yield token.text
        elif token.text in BLOCKS:
            yield "\n"
        inside = token.text if token.kind == "start" and not token.empty else ""
