"""Parses XML as a stream of events with their places, without entities and DTD, in little memory.

A tag or text that is far too long is refused before it is in memory, and nothing outside of the
file is ever read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Literal, NamedTuple, NoReturn
from xml.parsers import expat

from kb.errors import SourceError

# Bytes of what expat must have whole: a tag, a comment. A guard of time and memory, as each piece
# is looked at again with all before it; any number this large would do.
LONGEST_TAG = 1 << 22
DEEPEST = 1000  # elements in each other; a guard: the formats need a few
_NO_ATTRIBUTES: Mapping[str, str] = {}
# Elements whose content is code of the original format; `sub` in them is text again.
CODES = frozenset(("bpt", "ept", "it", "ph", "ut"))
# The tag of a line break in HTML (`br`) or TEI (`lb`), the two signs `\n`, or line breaks
# themselves.
_LINE_BREAK = re.compile(
    r"\s*(?:<(?:[\w]+:)?(?:br|lb)\b[^>]*>|\\n|[\n\r\u2028]+)\s*", re.IGNORECASE
)
# Characters of a code that may be a line break: a guard of memory and time, and far more than such
# a code with its attributes has.
_LONGEST_CODE = 200

Kind = Literal["start", "end", "text", "comment"]


class XmlEvent(NamedTuple):
    """A start or end of an element, a piece of text, or a comment.

    text: the name of the element without its prefix, or the text.
    attributes: of a start, by name, with their prefixes; only those that stand in the tag.
    line, column: where it begins in the file, from 1 and from 0. A piece of text has no line break
        but at its beginning.
    ends_line: of a comment, whether it is the last on its line.
    """

    kind: Kind
    text: str
    line: int
    column: int
    attributes: Mapping[str, str] = _NO_ATTRIBUTES
    ends_line: bool = False


def xml_events(
    pieces: Iterable[bytes], name: str, charset: str | None = None
) -> Iterator[XmlEvent]:
    """Yield the events of an XML document in their order.

    A DOCTYPE may name a DTD, which is not read.

    pieces: the bytes of the document. name: of the file, for messages.
    charset: what they are in; None for what the document declares.

    Raises SourceError where the XML is broken, defines or uses entities of its own, or is too deep.

    >>> document = "<a b='1'>引く<!-- c --></a>".encode()
    >>> [(event.kind, event.text, event.column) for event in xml_events([document], "a.xml")]
    [('start', 'a', 0), ('text', '引く', 9), ('comment', ' c ', 11), ('end', 'a', 21)]
    """
    parser = _EventParser(name, charset)
    comment: XmlEvent | None = None
    for piece in chain(pieces, (b"",)):
        for event in parser.parse(piece):
            if comment:
                yield comment._replace(ends_line=event.kind == "text" and event.text[:1] == "\n")
            comment = event if event.kind == "comment" else None
            if not comment:
                yield event
    if comment:
        yield comment._replace(ends_line=True)


class _EventParser:
    """Collects the events of the pieces that are parsed."""

    def __init__(self, name: str, charset: str | None) -> None:
        self._name = name
        self._events: list[XmlEvent] = []
        self._depth = self._silent = 0  # elements that are open; bytes since an event
        parser = self._parser = expat.ParserCreate(charset)
        parser.specified_attributes = True  # none of those that a DTD adds to each tag
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.CommentHandler = self._comment
        parser.EntityDeclHandler = self._refuse_entity
        parser.SkippedEntityHandler = self._refuse_entity

    def parse(self, piece: bytes) -> list[XmlEvent]:
        """Return the events of a further piece of the document; an empty one is its end. Raises
        SourceError where the XML is broken, in an unknown charset, or silent for LONGEST_TAG."""
        self._events = []
        try:
            self._parser.Parse(piece, not piece)
        except expat.ExpatError as error:
            what = expat.ErrorString(error.code)
            raise SourceError(
                f"{self._name}: line {error.lineno}: the XML is broken: {what}"
            ) from error
        except (ValueError, LookupError) as error:  # a charset that expat does not know
            raise SourceError(f"{self._name}: {error}; save it as UTF-8") from None
        self._silent = 0 if self._events else self._silent + len(piece)
        if self._silent > LONGEST_TAG:  # each piece is looked at again with all before it
            self._refuse("a tag or comment that is too long, or never closed")
        return self._events

    def _add(self, kind: Kind, text: str, attributes: Mapping[str, str] = _NO_ATTRIBUTES) -> None:
        line, column = self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber
        self._events.append(XmlEvent(kind, text, line, column, attributes))

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            self._refuse(f"elements are nested more than {DEEPEST} deep")
        self._add("start", name.rpartition(":")[2], attributes)

    def _end(self, name: str) -> None:
        self._depth -= 1
        self._add("end", name.rpartition(":")[2])

    def _text(self, text: str) -> None:
        self._add("text", text)

    def _comment(self, text: str) -> None:
        self._add("comment", text)

    def _refuse_entity(self, name: str, *_: object) -> NoReturn:
        self._refuse(f"the entity {name[:40]} is one of its own, which isn't read; write it out")

    def _refuse(self, what: str) -> NoReturn:
        raise SourceError(f"{self._name}: line {self._parser.CurrentLineNumber}: {what}")


class TextPiece(NamedTuple):
    """A piece of the text of an element, or white space between two; where it stands in the file.

    in_code: whether it is a text within code of the original format, such as a footnote's, or
        beside one.
    """

    text: str
    line: int
    column: int
    is_gap: bool = False
    in_code: bool = False


class InlineText:
    """Collects the text of an element, such as `<source>` or `<seg>`, from its events.

    Codes of the original format are left out; one that breaks the line is a gap.
    """

    def __init__(self, name: str) -> None:
        """name: of the element."""
        self.name = name
        self.pieces: list[TextPiece] = []
        self.length = 0
        self._visible = [True]
        self._in_code = 0  # codes that are open
        self._code = ""

    def take(self, event: XmlEvent) -> bool:
        """Take an event into account; return whether it ends the element."""
        if event.kind == "text":
            self._take_text(event)
        elif event.kind == "start":
            given = event.attributes
            if "lb" in (given.get("type"), given.get("ctype")) or given.get("subType") == "xlf:lb":
                self._add(event, "\n", True)
            if event.text == "sub":
                self._add(event, " ", True)
            self._in_code += event.text in CODES
            self._visible.append(
                event.text == "sub" or (self._visible[-1] and event.text not in CODES)
            )
            self._code = ""
        elif event.kind == "end":
            if len(self._visible) == 1:
                return True
            self._in_code -= event.text in CODES
            if not self._visible.pop() and _LINE_BREAK.fullmatch(self._code):
                self._add(event, "\n", True)
            if event.text == "sub":
                self._add(event, " ", True)
        return False

    def _take_text(self, event: XmlEvent) -> None:
        if self._visible[-1]:
            self._add(event, event.text)
        elif len(self._code) < _LONGEST_CODE:
            self._code += event.text[:_LONGEST_CODE]

    def _add(self, event: XmlEvent, text: str, is_gap: bool = False) -> None:
        in_code = self._in_code > 0
        self.pieces.append(TextPiece(text, event.line, event.column, is_gap, in_code))
        self.length += len(text)
