"""Reads a draft in Markdown: a segment is a paragraph, an item, a heading, a cell of a table
or a rule."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from html.entities import html5
from typing import Any, NamedTuple

from kb.checking.draft import Segment
from kb.checking.drafts.draft_file import DraftFile
from kb.checking.drafts.read_html import blocks_of as html_blocks
from kb.checking.drafts.segments import Block, SegmentText, block_of, segments_of
from kb.checking.ignore_comments import comments_in
from kb.errors import SourceError
from scraper.markup.html_tokens import resolve_references
from scraper.rulebook.numbering import Key, ends_sentence, number_key

# Guards; the longest rulebook has less than 1,000,000 characters.
LARGEST = 5_000_000  # characters of a file in Markdown: its parser takes much memory
_DEEPEST = 100  # blocks in each other, which the parser enters by recursion; people write a few
_FRONT_MATTER = re.compile(
    r"(?:---[ \t]*\n(?=[\w\"'-]+[ \t]*:|\#|---)(?:.*\n)*?(?:---|\.\.\.)"  # YAML
    r"|\+\+\+[ \t]*\n(?:.*\n)*?\+\+\+)[ \t]*(?:\n|\Z)"  # TOML
)
_LONGEST_FRONT_MATTER = 100_000  # characters: a guard, as its end is looked for; it has some lines
_ROW_PREFIX = re.compile(r"[\s>*+-]*\|")
# The number of a rule at the beginning of a line, with a point in it, as lists have numbers, too.
_RULE = re.compile(r"\**(\d{1,4}(?:\.\d{1,3}){1,6}[a-z]?)\.?\**[ \t\u3000]+(?=\S)")
# What Markdown takes for a list's number, and is a rule's: lists hardly have a hundred items.
_LIST_NUMBER = re.compile(r"\s{0,3}\d{3,4}\.\s+")
_CODE = ("fence", "code_block")
_CONTAINERS = ("blockquote", "bullet_list", "ordered_list", "list_item")
_TOKEN = re.compile(
    r"""(?P<escape>\\(?:[!-/:-@\[-`{-~]|(?=\n)))
      | (?P<code>`+)
      | (?P<comment><!--)
      | (?P<break><br[ \t]*/?>)
      | (?P<address><?https?://[^\s<>()（）「」『』、。\]]++>?)
      | (?P<tag></?[A-Za-z][^<>]*+>)
      | (?P<note>\[\^[^\s\[\]]{1,100}\])
      | (?P<open>!?\[)
      | (?P<close>\](?P<target>
            \((?:<[^<>\n]*+>|(?:[^()\s\\<]|\\.|\([^()\s]*+\))*+)
              (?:\s+(?:"[^"]*+"|'[^']*+'|\([^()]*+\)))?\s*+\)
          | \[[^\[\]]*+\])?)
      | (?P<entity>&(?:\#\d{1,8}|\#[xX][0-9a-fA-F]{1,7}|[A-Za-z][A-Za-z0-9]{1,31});)
      | (?P<mark>(?<!\s)\*++|\*++(?!\s)|(?<!\w)_++(?=\S)|(?<=\S)_++(?!\w)|~~)
    """,
    re.VERBOSE | re.IGNORECASE,
)


def read(file: DraftFile, warnings: list[str]) -> Iterator[Segment]:
    """Yield the segments of a document, in order, without languages; none of code, front matter and
    definitions of links.

    warnings: gets a line on what is nested too deeply.

    Raises SourceError if it is longer than 5,000,000 characters.
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


class _Part(NamedTuple):
    """A part of a line, by the line's index, with its start and end in the text."""

    line: int
    start: int
    end: int


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
        """Return the numbers, from 1, of the lines with text that are in no block, as they are
        nested too deeply; and note those of code in `_code`.

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
        """Yield the blocks, in their order, None for such without text; each rule of a paragraph is
        one, and each cell of a table."""
        is_cell, done = False, 0
        for token in self._tokens:
            if token.type == "tr_open":
                is_cell, done = True, 0
            elif token.type == "tr_close":
                is_cell = False
            elif token.type == "html_block" and token.map:
                yield from self._html(*token.map)
            elif token.type == "inline" and token.map and token.content:
                lines = [line + self._skipped for line in range(*token.map)]
                parts = self._parts(lines, token.content)
                if is_cell:
                    parts = [self._cell(lines[0], token.content, done)]
                    done = parts[0].end
                for rule in self._rules(parts):
                    yield self._block(rule)

    def _html(self, first: int, last: int) -> Iterator[Block | None]:
        """Yield the blocks of a block of HTML, by the lines that it has."""
        first, last = first + self._skipped, last + self._skipped
        end = self._starts[last] if last < len(self._starts) else len(self._text)
        start = self._starts[first]
        yield from html_blocks(self._text[start:end], start, first + 1)

    def _parts(self, lines: list[int], content: str) -> list[_Part]:
        """Return where each line of a block's content stands, one part for each; the number of a
        rule that Markdown takes for a list's (`100. `) belongs to its line.

        lines: the lines of the block in the file. content: without indents and marks of blocks.
        """
        parts = []
        unused = iter(lines)
        for said in map(str.strip, content.split("\n")):
            # Lines of odd white space alone are not in the content.
            line = next((line for line in unused if said in self._line(line)), lines[-1])
            bare = self._line(line).rstrip()
            column = len(bare) - len(said) if bare.endswith(said) else max(bare.find(said), 0)
            if _LIST_NUMBER.fullmatch(self._line(line)[:column]):  # a rule's, not of a list
                said, column = self._line(line).strip(), len(bare) - len(bare.lstrip())
            parts.append(self._part(line, column, len(said)))
        return parts

    def _rules(self, parts: list[_Part]) -> Iterator[list[_Part]]:
        """Yield the lines of a block; of one that begins with the number of a rule, each rule by
        itself, as lines without blank lines between are one paragraph to Markdown. Within a
        sentence only a higher number begins a rule, or one with a full stop: others are cited."""
        begins, last = [0], self._rule_number(parts[0])
        for index, part in enumerate(parts[1:], 1):
            number = self._rule_number(part) if last else None
            is_led = self._text[part.start : part.end].partition(" ")[0].rstrip("*").endswith(".")
            before = self._text[parts[index - 1].start : parts[index - 1].end].rstrip()
            is_apart = ends_sentence(before) or before.endswith((")", "）"))
            if number and last and (number > last or is_led or is_apart):
                begins.append(index)
                last = number
        for begin, end in zip(begins, [*begins[1:], len(parts)], strict=True):
            yield parts[begin:end]

    def _rule_number(self, part: _Part) -> Key | None:
        """Return the key of the number of a rule that a line begins with; None for another line."""
        found = _RULE.match(self._text, part.start, part.end)
        return number_key(found[1]) if found else None

    def _cell(self, line: int, content: str, done: int) -> _Part:
        """Return where a cell of a table's row stands.

        content: of the cell. done: where the cell before it ends in the text; 0 for the first.
        """
        said = content.replace("|", "\\|")  # only so may a cell have this sign
        row = self._line(line)
        before = done - self._starts[line] if done else 0
        if not done and (prefix := _ROW_PREFIX.match(row)):
            before = prefix.end()
        column = row.find(said, before)
        return self._part(line, max(row.find(said) if column < 0 else column, 0), len(said))

    def _part(self, line: int, column: int, length: int) -> _Part:
        start = self._starts[line] + column
        return _Part(line, start, min(start + length, len(self._text)))

    def _block(self, parts: list[_Part]) -> Block | None:
        """Return the block that the parts of some lines make, without markup; None if it has no
        text."""
        built = SegmentText()
        joined = "\n".join(self._text[start:end] for _, start, end in parts)
        begins = [0]  # of the parts in the joined text
        for _, first, last in parts:
            begins.append(begins[-1] + last - first + 1)
        for start, end, shown in visible_pieces(joined):
            while start < end:
                index = bisect_right(begins, start) - 1
                stop = min(end, begins[index + 1])
                line, first, _ = parts[index]
                column = first - self._starts[line] + start - begins[index]
                piece = joined[start:stop] if shown is None else shown
                built.add_collapsed(piece, line + 1, column)
                start = stop if shown is None else end
        return block_of(built, parts[0].start, parts[-1].end)


def _maps(value: Any) -> Iterator[list[int]]:
    """Yield the lines, first and behind the last, of the definitions that the parser found."""
    for definitions in (value.get("references", {}).values(), value.get("duplicate_refs", ())):
        for definition in definitions:
            yield definition["map"]


class Visible(NamedTuple):
    """A piece of a text that a reader sees.

    start, end: where it stands. shown: what is seen in its place; None for the piece as it is.
    """

    start: int
    end: int
    shown: str | None = None


def visible_pieces(text: str) -> Iterator[Visible]:
    """Yield the pieces of a paragraph that a reader sees, in their order, without overlaps; of code
    in it, comments, addresses and tags nothing is seen.

    text: without the marks of blocks; lines end with line feeds.

    >>> text = "**Draw** a [card](x.md), `code` &amp; so\\\\*"
    >>> "".join(piece.shown or text[piece.start : piece.end] for piece in visible_pieces(text))
    'Draw a card,  & so*'
    """
    done = 0
    for hidden in sorted(_hidden(text)):
        if hidden.start > done:
            yield Visible(done, hidden.start)
        if hidden.shown and hidden.start >= done:
            yield hidden
        done = max(done, hidden.end)
    if done < len(text):
        yield Visible(done, len(text))


def _hidden(text: str) -> Iterator[Visible]:
    """Yield the markup of a paragraph, and what is seen in its place; in no certain order."""
    codes = _code_ends(text)
    last_comment = text.rfind("-->")
    brackets: list[tuple[int, int]] = []  # that are open, as links begin with them
    position = 0
    while found := _TOKEN.search(text, position):
        kind, start, position = found.lastgroup, *found.span()
        kind = "close" if kind == "target" else kind
        if kind == "code":
            position = end = codes.get(start, position)
            if end > found.end():
                yield Visible(start, end)
        elif kind == "comment":
            if start < last_comment:
                position = text.index("-->", start) + 3
                yield Visible(start, position)
        elif kind == "escape":
            yield Visible(start, start + 1)
        elif kind == "break":
            yield Visible(start, position, "\n")
        elif kind == "entity":
            if found[0][1] == "#" or found[0][1:] in html5:
                yield Visible(start, position, resolve_references(found[0]))
        elif kind == "open":
            brackets.append(found.span())
        elif kind == "close":
            opening = brackets.pop() if brackets else None
            if opening and found["target"]:
                yield Visible(*opening)
                yield Visible(start, position)
            elif found["target"]:
                position = start + 1
        else:
            yield Visible(start, position)


def _code_ends(text: str) -> dict[int, int]:
    """Return {where a run of backquotes begins: where the code span ends that it may begin}; runs
    behind which there is none of the same length are left out."""
    runs: dict[int, list[int]] = {}
    found = [match.span() for match in re.finditer("`+", text)]
    for start, end in found:
        runs.setdefault(end - start, []).append(start)
    ends = {}
    for start, end in found:
        same = runs[end - start]
        following = bisect_left(same, end)
        if following < len(same):
            ends[start] = same[following] + end - start
    return ends
