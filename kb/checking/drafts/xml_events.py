"""Parses XML as a stream of events with their lines and columns, without entities and DTD."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, NoReturn
from xml.parsers import expat

from kb.checking.drafts.draft_file import DraftFile
from kb.errors import SourceError

_CHUNK = 1 << 18  # characters that are parsed at a time
_MOST_SILENT = 16  # such pieces without an event: a tag or comment of more than 4 MB
_DEEPEST = 1000  # elements in each other
_NO_ATTRIBUTES: Mapping[str, str] = {}


class XmlEvent(NamedTuple):
    """A start or end of an element, a piece of text, or a comment.

    text: the name of the element without its prefix, or the text.
    attributes: of a start, by name, with their prefixes.
    line, column: where it begins in the file, from 1 and from 0. A piece of text has no line break
        but at its beginning.
    ends_line: of a comment, whether it is the last on its line.
    """

    kind: Literal["start", "end", "text", "comment"]
    text: str
    line: int
    column: int
    attributes: Mapping[str, str] = _NO_ATTRIBUTES
    ends_line: bool = False


def xml_events(file: DraftFile) -> Iterator[XmlEvent]:
    """Yield the events of an XML document in their order.

    Its declaration is not obeyed: the file is decoded. A DOCTYPE may name a DTD, which is not read.

    Raises SourceError where the XML is broken, defines or uses entities of its own, or is too deep.

    >>> file = DraftFile("a.xml", "tmx", "<a b='1'>引く<!-- c --></a>")
    >>> [(event.kind, event.text, event.column) for event in xml_events(file)]
    [('start', 'a', 0), ('text', '引く', 9), ('comment', ' c ', 11), ('end', 'a', 21)]
    """
    parser = _EventParser(file)
    comment: XmlEvent | None = None
    for start in range(0, len(file.text) + 1, _CHUNK):
        chunk = file.text[start : start + _CHUNK]
        for event in parser.parse(chunk, start + _CHUNK > len(file.text)):
            if comment:
                yield comment._replace(ends_line=event.kind == "text" and event.text[:1] == "\n")
            comment = event if event.kind == "comment" else None
            if not comment:
                yield event
    if comment:
        yield comment._replace(ends_line=True)


class _EventParser:
    """Collects the events of the pieces that are parsed."""

    def __init__(self, file: DraftFile) -> None:
        self._path = file.path
        self._events: list[XmlEvent] = []
        self._depth = self._silent = 0
        parser = self._parser = expat.ParserCreate("utf-8")
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.CommentHandler = self._comment
        parser.EntityDeclHandler = self._refuse_entity
        parser.SkippedEntityHandler = self._refuse_entity

    def parse(self, text: str, is_last: bool) -> list[XmlEvent]:
        """Return the events of a further piece of the document."""
        self._events = []
        try:
            self._parser.Parse(text.encode("utf-8", "replace"), is_last)
        except expat.ExpatError as error:
            what = expat.ErrorString(error.code)
            raise SourceError(
                f"{self._path}: line {error.lineno}: the XML is broken: {what}"
            ) from error
        self._silent = 0 if self._events else self._silent + 1
        if self._silent > _MOST_SILENT:  # each piece is looked at again with all before it
            self._refuse("a tag or comment that is too long, or never closed")
        return self._events

    def _add(
        self,
        kind: Literal["start", "end", "text", "comment"],
        text: str,
        attributes: Mapping[str, str] = _NO_ATTRIBUTES,
    ) -> None:
        line, column = self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber
        self._events.append(XmlEvent(kind, text, line, column, attributes))

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            self._refuse(f"elements are nested more than {_DEEPEST} deep")
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
        raise SourceError(f"{self._path}: line {self._parser.CurrentLineNumber}: {what}")
