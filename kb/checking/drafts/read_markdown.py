"""Reads a draft in Markdown: a segment is a paragraph, an item, a heading or a cell of a table."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from kb.checking.draft import Segment
from kb.checking.drafts.blocks import Block, block_of, segments_of
from kb.checking.drafts.draft_file import DraftFile
from kb.checking.drafts.markdown_inline import visible_pieces
from kb.checking.drafts.read_html import blocks_of as html_blocks
from kb.checking.drafts.segment_text import SegmentText
from kb.checking.ignore_comments import comments_in
from kb.errors import SourceError

LARGEST = 10_000_000  # characters of a file in Markdown: its parser takes much memory
_DEEPEST = 100  # blocks in each other
_FRONT_MATTER = re.compile(
    r"(?:---[ \t]*\n(?:.*\n)*?(?:---|\.\.\.)|\+\+\+[ \t]*\n(?:.*\n)*?\+\+\+)[ \t]*(?:\n|\Z)"
)
_LONGEST_FRONT_MATTER = 100_000  # characters
_CELL_END = re.compile(r"(?:[^|\\]|\\.)*+\\?+", re.DOTALL)
_CODE = ("fence", "code_block")
_CONTAINERS = ("blockquote", "bullet_list", "ordered_list", "list_item")


def read(file: DraftFile, warnings: list[str]) -> Iterator[Segment]:
    """Yield the segments of a document, without languages.

    Raises SourceError if it is too long.
    """
    if len(file.text) > LARGEST:
        raise SourceError(
            f"{file.path}: more than {LARGEST:,} characters of Markdown; check it in parts"
        )
    document = _Document(file.text)
    comments = [c for c in comments_in(file.text) if not document.is_code(c.start)]
    if document.unread:
        warnings.append(
            f"{file.path}: line {document.unread[0]}: blocks are nested too deeply to be read "
            f"(more than {_DEEPEST}); lines not checked: {len(document.unread)}"
        )
    yield from segments_of(file, document.blocks(), comments, warnings)


class _Document:
    """A Markdown document as its blocks."""

    def __init__(self, text: str) -> None:
        from markdown_it import MarkdownIt

        parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable("table")
        parser.core.ruler.enableOnly(["block"])
        found = _FRONT_MATTER.match(text[:_LONGEST_FRONT_MATTER])
        self._skipped = text.count("\n", 0, found.end()) if found else 0
        body = text[found.end() :] if found else text
        references: dict[str, Any] = {}
        self._tokens = parser.parse(body, references)
        self._text = text
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._code: list[tuple[int, int]] = []  # lines of code: first, and the one behind the last
        self.unread = self._unread_lines(references)

    def is_code(self, offset: int) -> bool:
        """Whether a character stands in a block of code or in front matter."""
        line = bisect_right(self._starts, offset) - 1
        index = bisect_right(self._code, (line, len(self._starts))) - 1
        in_code = index >= 0 and self._code[index][0] <= line < self._code[index][1]
        return line < self._skipped or in_code

    def _unread_lines(self, references: dict[str, Any]) -> list[int]:
        """Return the numbers of the lines with text that are in no block, and note those of code.

        references: what the parser found of links that are defined apart.
        """
        spans = [tuple(t.map) for t in self._tokens if t.map and not t.type.startswith(_CONTAINERS)]
        spans += [tuple(span) for span in _maps(references)]
        read = bytearray(len(self._starts) + 1)
        for first, last in spans:
            read[self._skipped + first : self._skipped + last] = b"\1" * (last - first)
        for token in self._tokens:
            if token.map and token.type in _CODE:
                self._code.append((token.map[0] + self._skipped, token.map[1] + self._skipped))
        return [
            line + 1
            for line in range(self._skipped, len(self._starts))
            if not read[line] and any(map(str.isalnum, self._line(line)))
        ]

    def _line(self, line: int) -> str:
        """Return a line by its index, without its line feed."""
        end = self._starts[line + 1] - 1 if line + 1 < len(self._starts) else len(self._text)
        return self._text[self._starts[line] : end]

    def blocks(self) -> Iterator[Block | None]:
        """Yield the blocks that have text, in their order."""
        cell = 0
        in_cell = False
        for token in self._tokens:
            if token.type == "tr_open":
                cell = 0
            elif token.type in ("td_open", "th_open"):
                in_cell = True
            elif token.type in ("td_close", "th_close"):
                in_cell, cell = False, cell + 1
            elif token.type == "html_block" and token.map:
                yield from self._html(*token.map)
            elif token.type == "inline" and token.map and token.content:
                lines = [line + self._skipped for line in range(*token.map)]
                parts = (
                    [self._cell(lines[0], cell)] if in_cell else self._parts(lines, token.content)
                )
                yield self._block(lines[0], parts)

    def _html(self, first: int, last: int) -> Iterator[Block | None]:
        """Yield the blocks of a block of HTML, by the lines that it has."""
        first, last = first + self._skipped, last + self._skipped
        end = self._starts[last] if last < len(self._starts) else len(self._text)
        yield from html_blocks(
            self._text[self._starts[first] : end], self._starts[first], first + 1
        )

    def _parts(self, lines: list[int], content: str) -> list[tuple[int, int]]:
        """Return where each line of a block's content stands in the text: start and end.

        lines: the lines of the block in the file. content: without indents and marks of blocks.
        """
        parts = []
        for line, said in zip(lines, content.split("\n"), strict=False):
            whole, said = self._line(line), said.strip()
            bare = whole.rstrip()
            column = len(bare) - len(said) if bare.endswith(said) else max(whole.find(said), 0)
            start = self._starts[line] + column
            parts.append((start, start + len(said)))
        return parts

    def _cell(self, line: int, cell: int) -> tuple[int, int]:
        """Return where a cell of a table's row stands, by its index."""
        whole = self._line(line)
        row = whole.strip()
        position = len(whole) - len(whole.lstrip())
        while position < len(whole) and whole[position] in "> \t":  # a table in a quotation
            position += 1
        position += row[-1:] != "" and whole.startswith("|", position)
        for _ in range(cell):
            found = _CELL_END.match(whole, position)
            position = (found.end() if found else len(whole)) + 1
        found = _CELL_END.match(whole, position)
        end = found.end() if found else len(whole)
        start = self._starts[line]
        return start + min(position, len(whole)), start + min(end, len(whole))

    def _block(self, line: int, parts: list[tuple[int, int]]) -> Block | None:
        """Return the block that the parts of some lines make.

        line: the index of the first line. parts: one of each line from there on.
        """
        built = SegmentText()
        joined = "\n".join(self._text[start:end] for start, end in parts)
        begins = [0]  # of the lines in the joined text
        for start, end in parts:
            begins.append(begins[-1] + end - start + 1)
        for start, end, shown in visible_pieces(joined):
            index = bisect_right(begins, start) - 1
            column = parts[index][0] - self._starts[line + index] + start - begins[index]
            if shown is not None:
                built.add_collapsed(shown, line + index + 1, column)
                continue
            while start < end:
                stop = min(end, begins[index + 1] - 1)
                column = parts[index][0] - self._starts[line + index] + start - begins[index]
                built.add_collapsed(joined[start:stop], line + index + 1, column)
                if stop < end:
                    at = parts[index][1] - self._starts[line + index]
                    built.add_gap("\n", line + index + 1, at)
                start, index = stop + 1, index + 1
        return block_of(built, parts[0][0], parts[-1][1])


def _maps(value: Any) -> Iterator[list[int]]:
    """Yield the lines, first and behind the last, of the definitions that the parser found."""
    for definitions in (value.get("references", {}).values(), value.get("duplicate_refs", ())):
        for definition in definitions:
            yield definition["map"]
