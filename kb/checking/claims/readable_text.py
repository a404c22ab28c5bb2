"""Makes readable text of Markdown, BBCode and HTML, and knows where each character comes from."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from itertools import accumulate, compress
from typing import Literal

BlockKind = Literal["quoted", "code", "marked"]

# What is left out of a text or replaced in it, by the name of its group. All are bounded, so that
# no text takes more than a few steps a character: marks as people write them are shorter. The order
# matters: of two that begin at one place the first counts, so that `</blockquote>` is no other tag.
_MARK = re.compile(
    r"(?P<fence>^[ \t]{0,3}(?:`{3,}|~{3,})[^\n`]{0,100}$)"
    r"|(?P<prefix>^[ \t]{0,3}(?::{1,8}[ \t]?)?(?:[>＞][ \t　]?)+)"
    r"|(?P<rule>^[ \t]{0,3}(?:[-*_][ \t]?){3,}$)"
    r"|(?P<target>\](?:\((?:<[^<>\n]{0,500}>"
    r"|(?:(?=[a-z]{1,10}:|[./#])[^()\s]{0,500}|[!-'*-~]{0,500})(?:\([^()\s]{0,100}\)[^()\s]{0,200})?)"
    r"(?:[ \t]+[\"'][^\"'\n]{0,200}[\"'])?\)))"
    r"|(?P<footnote>\[\^(?P<note>[\w-]{1,20})\]:?)"
    r"|(?P<image>!(?=\[))"
    r"|(?P<bbquote>\[/?quote(?:=[^\]\n]{0,100})?\])"
    r"|(?P<bbcode>\[/?(?:b|i|u|s|url|code|list|spoiler)\]|\[/(?:size|color)\]"
    r"|\[(?:url|size|color|code|list|spoiler)=[^\]\n]{0,200}\])"
    r"|(?P<comment><!--(?:(?!-->)[\s\S]){0,2000}-->)"
    r"|(?P<htmlquote></?(?:blockquote|q)(?:\s[^<>]{0,200})?>)"
    r"|(?P<html></?[A-Za-z][\w-]{0,20}(?:\s[^<>]{0,500})?/?>)"
    r"|(?P<entity>&(?:[A-Za-z]{2,10}|\#\d{1,6}|\#[xX][0-9A-Fa-f]{1,5});)"
    r"|(?P<escape>\\(?=[!-/:-@\[-`{-~]))"
    r"|(?P<url>(?:https?://|www\.)[^\s<>\"'「」『』“”（）()\[\]、。]{1,500})"
    r"|(?P<emphasis>\*{1,3}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|~~|`{1,2})",
    re.MULTILINE,
)
# Guards: a bracket or mark farther back is no part of a link or of emphasis, and what is between is
# joined for each.
_LONGEST_LINK_TEXT = 300  # characters
_LONGEST_EMPHASIZED = 2000  # characters: a paragraph


@dataclass(frozen=True, slots=True)
class Block:
    """A span of a readable text that its marks set apart.

    quoted: what stands in a block quote; code: in a block of code; marked: between two marks of
        emphasis.
    """

    kind: BlockKind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ReadableText:
    """A text without its marks.

    text: what people read. Line ends stay.
    places: for each character of `text`, where it stands in the text with marks; one more for the
        end.
    blocks: what the marks set apart, in order of their beginnings.
    notes: {where a mark of a footnote stood: where the footnote begins}.
    """

    text: str
    places: tuple[int, ...]
    blocks: tuple[Block, ...]
    notes: Mapping[int, int] = field(default_factory=dict)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return (start, end) of where a span of the readable text stands in the text with marks,
        without marks at its ends; an empty one stands before its character."""
        if end <= start:
            return self.places[start], self.places[start]
        return self.places[start], self.places[end - 1] + 1

    def is_cut(self, index: int) -> bool:
        """Whether marks are left out directly before a character of the readable text; never before
        the first."""
        return 0 < index < len(self.text) and self.places[index] > self.places[index - 1] + 1

    def find(self, offset: int) -> int:
        """Return where a character of the text with marks stands in the readable text, or else the
        next one that is in it; behind all of them the length of the readable text or one more."""
        return bisect_left(self.places, offset)


def readable_text(text: str) -> ReadableText:
    """Return a text without the marks of Markdown, BBCode and HTML, and without addresses.

    Plain text is returned as it is, but for what looks like such marks. A mark of emphasis that is
    not closed stays, and so do the words of a block of code. Entities stand as their characters.

    >>> found = readable_text("See **rule 1.2** and [1.3](http://example.org/9.9).")
    >>> found.text, found.span(4, 12)
    ('See rule 1.2 and 1.3.', (6, 14))
    >>> [(block.kind, block.start, block.end) for block in readable_text("> A\\n> b\\n\\nc").blocks]
    [('quoted', 0, 4)]
    """
    reader = _Reader(text)
    reader.read()
    return reader.result()


class _Reader:
    """Reads a text from its beginning to its end and keeps what is no mark."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._kept: list[str] = []
        self._places: list[int] = []
        self._brackets: list[int] = []  # indices in `_kept` of `[` that may begin a link
        self._dropped: set[int] = set()  # indices in `_kept`
        self._blocks: list[Block] = []
        self._open: dict[str, int] = {}  # where what is open began, by its mark
        self._quoted_lines: list[int] = []  # where lines of block quotes begin in `_kept`
        self._marks_of_notes: list[tuple[str, int]] = []  # (name, index in `_kept`)
        self._notes: dict[str, int] = {}
        self._actions: dict[str, Callable[[re.Match[str]], None]] = {
            "fence": self._fence,
            "prefix": self._prefix,
            "target": self._target,
            "footnote": self._footnote,
            "bbquote": self._tag_of_quote,
            "htmlquote": self._tag_of_quote,
            "html": self._tag,
            "entity": self._entity,
            "escape": self._escape,
            "emphasis": self._emphasis,
        }

    def read(self) -> None:
        position = 0
        while match := _MARK.search(self._text, position):
            self._keep(position, match.start())
            position = match.end()
            action = self._actions.get(match.lastgroup or "")
            if action:
                action(match)
            if match.lastgroup == "escape" and position < len(self._text):
                self._keep(position, position + 1)
                position += 1
        self._keep(position, len(self._text))

    def result(self) -> ReadableText:
        new_index: Sequence[int] = range(len(self._kept) + 1)
        kept, places = self._kept, self._places
        if self._dropped:
            stays = [index not in self._dropped for index in range(len(kept))]
            new_index = [0, *accumulate(stays)]
            kept, places = list(compress(kept, stays)), list(compress(places, stays))
        blocks = [
            Block(block.kind, new_index[block.start], new_index[block.end])
            for block in [*self._blocks, *self._quoted_blocks()]
        ]
        return ReadableText(
            "".join(kept),
            (*places, len(self._text)),
            tuple(sorted(blocks, key=lambda block: (block.start, -block.end))),
            {
                new_index[index]: new_index[self._notes[name]]
                for name, index in self._marks_of_notes
                if name in self._notes
            },
        )

    # -- what is kept ----------------------------------------------------------------------------

    def _keep(self, start: int, end: int) -> None:
        piece = self._text[start:end]
        offset = piece.find("[")
        while offset >= 0:
            self._brackets.append(len(self._kept) + offset)
            offset = piece.find("[", offset + 1)
        self._kept += piece
        self._places += range(start, end)

    # -- marks -----------------------------------------------------------------------------------

    def _fence(self, match: re.Match[str]) -> None:
        begin = self._open.pop("fence", None)
        if begin is None:
            self._open["fence"] = len(self._kept)
        else:
            self._blocks.append(Block("code", begin, len(self._kept)))

    def _prefix(self, match: re.Match[str]) -> None:
        self._quoted_lines.append(len(self._kept))

    def _quoted_blocks(self) -> list[Block]:
        """Return the block quotes: lines with a prefix that follow each other, as one, with the
        line feed behind the last."""
        text = "".join(self._kept)
        blocks: list[Block] = []
        for start in self._quoted_lines:
            end = text.find("\n", start)
            end = len(text) if end < 0 else end
            if blocks and blocks[-1].end == start - 1:
                blocks[-1] = Block("quoted", blocks[-1].start, end)
            else:
                blocks.append(Block("quoted", start, end))
        return [Block("quoted", block.start, min(block.end + 1, len(text))) for block in blocks]

    def _target(self, match: re.Match[str]) -> None:
        """Leave out the address of a link, and the bracket at its beginning, if that is within 300
        characters."""
        while self._brackets:
            begin = self._brackets.pop()
            if begin in self._dropped:
                continue
            if len(self._kept) - begin <= _LONGEST_LINK_TEXT:
                self._dropped.add(begin)
            return

    def _footnote(self, match: re.Match[str]) -> None:
        """Leave out the mark of a footnote, or its name where it begins."""
        if match[0].endswith(":"):
            self._notes.setdefault(match["note"], len(self._kept))
        else:
            self._marks_of_notes.append((match["note"], len(self._kept)))

    def _tag_of_quote(self, match: re.Match[str]) -> None:
        if match[0][1] != "/":
            self._open["quote"] = len(self._kept)
        elif (begin := self._open.pop("quote", None)) is not None:
            self._blocks.append(Block("quoted", begin, len(self._kept)))

    def _tag(self, match: re.Match[str]) -> None:
        """Leave out a tag; of `p`, `br`, `div`, `li`, `tr` and headings a line feed stands for it,
        and a `ref` stands in brackets."""
        if re.match(r"</?(?:p|br|div|li|tr|h\d)\b", match[0], re.IGNORECASE):
            shown = "\n"
        elif re.match(r"</?ref\b", match[0], re.IGNORECASE) and not match[0].endswith("/>"):
            shown = ")" if match[0][1] == "/" else "("
        else:
            return
        self._kept.append(shown)
        self._places.append(match.start())

    def _entity(self, match: re.Match[str]) -> None:
        shown = unescape(match[0])
        self._kept += shown
        self._places += [match.start()] * len(shown)

    def _escape(self, match: re.Match[str]) -> None:
        """Leave out a backslash before a sign; the sign is kept by `read`."""

    def _emphasis(self, match: re.Match[str]) -> None:
        """Leave out a mark of emphasis that is closed in the same paragraph, with its other one;
        any other mark is kept."""
        mark = match[0]
        before = self._text[match.start() - 1 : match.start()]
        behind = self._text[match.end() : match.end() + 1]
        begin = self._open.get(mark)
        if begin is not None and before.strip() and self._is_emphasized(begin + len(mark)):
            del self._open[mark]
            self._dropped.update(range(begin, begin + len(mark)))
            self._blocks.append(Block("marked", begin, len(self._kept)))
        elif behind.strip():
            self._open[mark] = len(self._kept)
            self._keep(match.start(), match.end())
        else:
            self._keep(match.start(), match.end())

    def _is_emphasized(self, begin: int) -> bool:
        """Whether what was kept since an opening mark may be emphasized: words of one paragraph, at
        most 2,000 characters."""
        if len(self._kept) - begin > _LONGEST_EMPHASIZED:
            return False
        words = "".join(self._kept[begin:])
        return "\n\n" not in words and any(map(str.isalnum, words))
