"""Reads the units of a TMX file of any length in little memory, with the line of each text.

expat reads it piece by piece, so that a unit, a text or a tag that is far too long is refused
before it is in memory. Entities are refused, and nothing outside of the file is ever read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO
from xml.parsers import expat

from kb.errors import SourceError
from kb.interchange.decision_values import language_of
from kb.language.nearest import shown

LONGEST_TEXT = 1 << 20  # characters of a segment
_CHUNK = 1 << 16  # bytes
_LONGEST_TAG = 1 << 20  # bytes of what expat must have whole: a tag, a comment
_DEEPEST = 100
_MOST_TEXTS = 1000  # of a unit
_CODES = frozenset({"bpt", "ept", "it", "ph", "ut"})  # they hold code of the document's format


@dataclass(frozen=True, slots=True)
class TmxUnit:
    """A unit of a TMX file.

    id: its `tuid`; empty if it has none.
    texts: (language, text) of each variant, in the order of the file, without inline codes; what
        `hi` marks is text. The text may be empty.
    lines: the line of the file on which each of the texts begins.
    source_lang: the source language, of the unit or else of the file; None if all are on a par.
    game: as `kb.interchange.tmx.write` writes it; None if the file does not say.
    """

    id: str
    texts: tuple[tuple[str, str], ...]
    lines: tuple[int, ...]
    source_lang: str | None = None
    game: str | None = None


def tmx_units(file: BinaryIO, name: str) -> Iterator[TmxUnit]:
    """Yield the units of a TMX file (1.1 to 1.4b).

    name: of the file, for messages.

    Raises SourceError, with the line, for broken XML, another kind of XML, entities, and what is
    too long or too deep.

    >>> from io import BytesIO
    >>> data = (
    ...     b'<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en-US">'
    ...     b'<seg>Draw <bpt i="1">{b</bpt>two<ept i="1">}</ept></seg></tuv></tu></body></tmx>'
    ... )
    >>> next(tmx_units(BytesIO(data), "a.tmx")).texts
    (('en', 'Draw two'),)
    """
    reader = _Reader(name)
    waiting = 0  # bytes since expat reported anything
    while True:
        chunk = file.read(_CHUNK)
        reader.feed(chunk)
        yield from reader.take_units()
        if not chunk:
            return
        waiting = 0 if reader.take_moved() else waiting + len(chunk)
        if waiting > _LONGEST_TAG:
            raise SourceError(f"{reader.where()}: a tag longer than {_LONGEST_TAG} bytes; not read")


class _Reader:
    """Collects units from the events of expat."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._units: list[TmxUnit] = []
        self._moved = False
        self._path: list[str] = []
        self._file_source = ""
        self._unit: dict[str, str] = {}  # the attributes of the unit that is open
        self._game: str | None = None
        self._texts: list[tuple[str, str]] = []
        self._lines: list[int] = []
        self._lang = ""
        self._parts: list[str] = []  # of the segment or of a property that is wanted
        self._size = 0
        self._collecting = ""  # `seg`, `game`, or nothing
        self._codes = 0  # how many inline codes are open
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.specified_attributes = True  # none of those that a DTD adds to each tag
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.DefaultHandler = self._other  # also stops expat from expanding entities
        parser.EntityDeclHandler = self._refuse_entities
        parser.SkippedEntityHandler = self._refuse_entities
        self._parser = parser

    def feed(self, chunk: bytes) -> None:
        """Parse a piece of the file; an empty one is its end."""
        try:
            self._parser.Parse(chunk, not chunk)
        except expat.ExpatError as error:
            what = expat.ErrorString(error.code)
            raise SourceError(f"{self._name}:{error.lineno}: broken XML: {what}") from None
        except (ValueError, LookupError) as error:  # a charset that expat does not know
            raise SourceError(f"{self._name}: {error}; save it as UTF-8") from None

    def take_units(self) -> list[TmxUnit]:
        """Return the units that were completed since the last call."""
        units, self._units = self._units, []
        return units

    def take_moved(self) -> bool:
        """Return whether expat has reported anything since the last call."""
        moved, self._moved = self._moved, False
        return moved

    def where(self) -> str:
        """Return the file and the line that is being read, for messages."""
        return f"{self._name}:{self._parser.CurrentLineNumber}"

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._moved = True
        if not self._path and tag != "tmx":
            raise SourceError(f"{self.where()}: the root element is {shown(tag)}; this is no TMX")
        if len(self._path) == _DEEPEST:
            raise SourceError(f"{self.where()}: elements nested deeper than {_DEEPEST}; not read")
        self._path.append(tag)
        if self._collecting == "seg":
            self._codes += tag in _CODES
            if tag == "ph" and attributes.get("type") == "lb" and self._codes == 1:
                self._add("\n")
        elif tag == "header":
            self._file_source = attributes.get("srclang", "")
        elif tag == "tu":
            self._unit, self._texts, self._lines, self._game = attributes, [], [], None
        elif tag == "tuv":
            self._start_variant(attributes)
        elif tag == "seg" and self._path[-2] == "tuv":
            if len(self._texts) == _MOST_TEXTS:
                raise SourceError(f"{self.where()}: a tu with over {_MOST_TEXTS} texts; not read")
            self._start_collecting("seg")
            self._lines.append(self._parser.CurrentLineNumber)
        elif tag == "prop" and attributes.get("type") == "x-game" and self._path[-2] == "tu":
            self._start_collecting("game")

    def _start_variant(self, attributes: dict[str, str]) -> None:
        tag = attributes.get("xml:lang") or attributes.get("lang")  # the second until TMX 1.1
        if not tag:
            raise SourceError(f"{self.where()}: a tuv without xml:lang; add its language")
        self._lang = language_of(tag, self.where())

    def _start_collecting(self, what: str) -> None:
        self._collecting, self._parts, self._size, self._codes = what, [], 0, 0

    def _characters(self, text: str) -> None:
        self._moved = True
        if self._collecting and not self._codes:
            self._add(text)

    def _add(self, text: str) -> None:
        self._size += len(text)
        if self._size > LONGEST_TEXT:
            raise SourceError(
                f"{self.where()}: a text longer than {LONGEST_TEXT} characters; not read"
            )
        self._parts.append(text)

    def _end(self, tag: str) -> None:
        self._moved = True
        self._path.pop()
        if tag == "seg" and self._collecting == "seg" and "seg" not in self._path:
            self._texts.append((self._lang, "".join(self._parts)))
            self._collecting = ""
        elif self._collecting == "seg":
            self._codes -= tag in _CODES
        elif tag == "prop" and self._collecting == "game":
            self._game = self._game or "".join(self._parts)
            self._collecting = ""
        elif tag == "tu":
            self._end_unit()

    def _end_unit(self) -> None:
        source = self._unit.get("srclang") or self._file_source
        known = source and source.lower() != "*all*"
        self._units.append(
            TmxUnit(
                self._unit.get("tuid", ""),
                tuple(self._texts),
                tuple(self._lines),
                language_of(source, self.where()) if known else None,
                self._game,
            )
        )

    def _other(self, data: str) -> None:
        self._moved = True
        # Without the external DTD an entity that only it declares comes here, as it is written.
        if data.startswith("&") and data.endswith(";"):
            self._refuse_entities(data)

    def _refuse_entities(self, *_: object) -> None:
        raise SourceError(
            f"{self.where()}: entities of its own; not read, as they may stand for anything: "
            "write the characters themselves"
        )
