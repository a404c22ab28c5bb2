"""Reads a draft in HTML: a segment is the text of a block element, without code and scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.checking.draft import Segment
from kb.checking.drafts.draft_file import DraftFile
from kb.checking.drafts.segments import Block, LinePlaces, SegmentText, block_of, segments_of
from kb.checking.ignore_comments import comments_in
from scraper.markup.html_tokens import BLOCKS, Token, attributes_of, resolve_references, tokens

_BREAK = "br"  # within a block: the line ends, the sentence may go on
# Elements that are left out: with all that is in them, to their end; and to the end of their block
# or ruby at most, as their end tags may be missing.
_LEFT_OUT = frozenset("head math object script style svg template".split())
_LEFT_OUT_IN_LINE = frozenset("code kbd rp rt rtc samp".split())
_RUBY = frozenset(("rb", "rp", "rt", "rtc", "ruby"))
_REFERENCE = re.compile(r"&(?:#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[^\t\n\f <&#;]{1,32};?)")


def read(file: DraftFile, warnings: list[str]) -> Iterator[Segment]:
    """Yield the segments of an HTML document, in order, without languages; `declared_language` has
    the document's."""
    comments = comments_in(file.text)
    yield from segments_of(file, blocks_of(file.text), comments, warnings)


def declared_language(text: str) -> str | None:
    """Return the language that `html` or `body` declares, as it is written, within the first 5,000
    characters of a document; None without one.

    >>> declared_language('<!DOCTYPE html><html lang="ja"><body>引く')
    'ja'
    """
    for token in tokens(text[:5000]):
        if token.kind == "start" and token.text in ("html", "body"):
            given = dict(attributes_of(token))
            if found := given.get("lang") or given.get("xml:lang"):
                return found
    return None


def blocks_of(document: str, start: int = 0, line: int = 1) -> Iterator[Block | None]:
    """Yield the blocks with text of an HTML document, or of a part of a file, in order; None for
    the last, if it has none. What stands in code, scripts, ruby's readings and a head is left out.

    start, line: where the part begins in the file: its offset and line number; it begins at the
        beginning of a line.

    >>> [block.text for block in blocks_of("<p>Draw <b>a</b>\\ncard.<script>1</script><p>引&lt;") if block]
    ['Draw a card.', '引<']
    """  # noqa: E501
    reader = _BlockReader(document, start, line)
    for token in tokens(document):
        if token.kind == "text":
            reader.take_text(token)
        elif token.kind != "unclosed" and (block := reader.take_tag(token)):
            yield block
    yield reader.end_block(len(document))


class _BlockReader:
    """Collects the text of the block that is being read."""

    def __init__(self, document: str, start: int, line: int) -> None:
        self._document = document
        self._places = LinePlaces(document, line)
        self._offset = start
        self._built = SegmentText()
        self._begin: int | None = None  # of the text of the block
        self._outside = ""  # the element whose end is awaited, as it is left out
        self._depth = 0  # of elements of that name in each other

    def take_text(self, token: Token) -> None:
        """Add a piece of text to the block, with its references resolved; nothing within what is
        left out, and no white space at the block's beginning."""
        if self._outside or (self._begin is None and token.text.isspace()):
            return
        if self._begin is None:
            self._begin = token.start
        done = token.start
        if token.end - token.start != len(token.text) or "&" in token.text:
            for found in _REFERENCE.finditer(self._document, token.start, token.end):
                resolved = resolve_references(found[0])
                if resolved != found[0]:
                    self._add(done, found.start())
                    # In `&notit;` only the beginning is a reference.
                    rest = resolved[1:] if found[0].endswith(resolved[1:]) else ""
                    shown = resolved.removesuffix(rest)
                    self._built.add_collapsed(shown, *self._places.place(found.start()))
                    done = found.end() - len(rest)
        self._add(done, token.end)

    def _add(self, start: int, end: int) -> None:
        """Add a piece of the document as it stands there."""
        if start < end:
            self._built.add_collapsed(self._document[start:end], *self._places.place(start))

    def take_tag(self, token: Token) -> Block | None:
        """Take a tag into account; return the block that it ends, None if it ends none with text.
        Each tag of a block element ends a block, that of its end, too."""
        name, is_block = token.text, token.text in BLOCKS
        if self._outside in _LEFT_OUT:
            self._inside_left_out(token)
            return None
        if self._outside and (is_block or (name in _RUBY and self._outside in _RUBY)):
            self._outside = ""
        if token.kind == "end" and name == self._outside:
            self._outside = ""
        elif name in _LEFT_OUT and token.kind == "start" and not token.empty:
            self._outside, self._depth = name, 1
        elif name in _LEFT_OUT_IN_LINE and token.kind == "start" and not token.empty:
            self._outside = self._outside or name
        if name == _BREAK:
            self._built.add_gap("\n", *self._places.place(token.start))
            return None
        return self.end_block(token.start) if is_block or name in _LEFT_OUT else None

    def _inside_left_out(self, token: Token) -> None:
        """Look for the end of an element that is left out; `<body>` ends a head, too."""
        if self._outside == "head" and token.text == "body":
            self._outside = ""
        elif token.text == self._outside and not token.empty:
            self._depth += 1 if token.kind == "start" else -1
            self._outside = self._outside if self._depth else ""

    def end_block(self, end: int) -> Block | None:
        """Return the block that ends here, and begin another; None if it has no text."""
        built, begin = self._built, self._begin
        self._built, self._begin = SegmentText(), None
        if begin is None:
            return None
        return block_of(built, self._offset + begin, self._offset + end)
