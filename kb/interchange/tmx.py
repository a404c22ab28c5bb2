"""Writes aligned rules and glosses as TMX 1.4b, and reads TMX as a termbase or as a draft."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import BinaryIO, NamedTuple
from xml.sax.saxutils import escape

from kb.control_characters import xml_text
from kb.errors import SourceError
from kb.interchange.decision_values import language_of
from kb.interchange.xml_events import InlineText, TextPiece, XmlEvent, xml_events
from kb.language.nearest_value import shown
from kb.termbase.model import Decision, TranslationUnit
from scraper.rulebook.numbering import ends_sentence

LONGEST_TEXT = 1 << 20  # characters of a text of a termbase; a guard, as a line of `text_lines`
_MOST_TEXTS = 1000  # of a unit; a guard of memory: there are not so many languages
_CHUNK = 1 << 18  # bytes that are parsed at a time, by hand: little memory, and few calls
# Characters; a longer text is a sentence. Of 65,848 names of Magic’s cards in English and Japanese
# one is longer (141), the next has 64.
_LONGEST_TERM = 80
_IN_TEXT = {"\r": "&#13;"}
_IN_ATTRIBUTE = {'"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}


def write(
    units: Iterable[TranslationUnit], out: BinaryIO, langs: tuple[str, str] | None = None
) -> int:
    """Write units as TMX 1.4b in UTF-8, and return how many.

    A unit has its id as `tuid`, and its game, edition and kind as properties. Texts without
    content are left out, and so are units with fewer than two texts that have some. The same units
    give the same bytes: there is no date.

    langs: source and target language; other languages, and units without both, are left out.
        None for all, none of which is the source then (`*all*`).
    """
    source = langs[0] if langs else "*all*"
    out.write(
        '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n'
        f'<header creationtool="sansho" creationtoolversion={_quoted(_tool_version())} '
        f'segtype="paragraph" o-tmf="sansho" adminlang="en" srclang={_quoted(source)} '
        'datatype="plaintext"/>\n<body>\n'.encode()
    )
    written = 0
    for unit in units:
        if element := _element(unit, langs):
            out.write(element.encode())
            written += 1
    out.write(b"</body>\n</tmx>\n")
    return written


def _element(unit: TranslationUnit, langs: tuple[str, str] | None) -> str:
    """Return a unit as an element, with its line breaks; empty if it has texts in fewer than two
    languages."""
    texts = [(lang, text) for lang, text in unit.texts if xml_text(text).strip()]
    if langs:
        texts = [pair for lang in langs for pair in texts if pair[0] == lang]
    if len({lang for lang, _ in texts}) < 2:
        return ""
    properties = {"x-game": unit.game, "x-edition": unit.edition, "x-kind": unit.kind}
    lines = [f"<tu tuid={_quoted(unit.id)}>"]
    lines += [
        f'<prop type="{name}">{_escaped(value)}</prop>'
        for name, value in properties.items()
        if value
    ]
    lines += [
        f"<tuv xml:lang={_quoted(lang)}><seg>{_escaped(text)}</seg></tuv>" for lang, text in texts
    ]
    return "\n".join([*lines, "</tu>\n"])


def _escaped(text: str) -> str:
    return escape(xml_text(text), _IN_TEXT)


def _quoted(value: str) -> str:
    """Return the value of an attribute, in quotation marks."""
    return f'"{escape(xml_text(value), _IN_ATTRIBUTE)}"'


def _tool_version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # slow to import

    try:
        return version("sansho")
    except PackageNotFoundError:  # run from its sources
        return "0"


class TmxText(NamedTuple):
    """The text of a unit in one language.

    lang: the language as the file has it, such as `ja-JP`; empty if it has none.
    line: where the text begins.
    """

    lang: str
    line: int
    pieces: Sequence[TextPiece]

    @property
    def text(self) -> str:
        """The text as it is in the file, without codes of the original format and what is in
        them."""
        return "".join(piece.text for piece in self.pieces if not piece.in_code)


class TmxUnit(NamedTuple):
    """A unit of a TMX file.

    id: its `tuid`; empty if it has none. line: where it begins.
    source_lang: the source language, of the unit or else of the file, as that has it; empty if all
        are on a par.
    texts: in the order of the file.
    game: as `write` writes it; None if the file does not say.
    """

    id: str
    line: int
    source_lang: str
    texts: Sequence[TmxText]
    game: str | None = None


class TmxReader:
    """Makes the units of a TMX file (1.1 to 1.4b) of its events."""

    def __init__(self, name: str) -> None:
        """name: of the file, for messages."""
        self._name = name
        self._has_root = False
        self._declared = ""  # the source language by the header
        self._inline: InlineText | None = None
        self._value: list[str] | None = None  # of a note, or of a property that is wanted
        self._unit: XmlEvent | None = None
        self._lang = self._game = ""
        self._line = 0
        self._texts: list[TmxText] = []

    def size(self) -> int:
        """Return how many characters the text that is being read has so far; 0 between texts."""
        return self._inline.length if self._inline else 0

    def take(self, event: XmlEvent) -> TmxUnit | str | None:
        """Take an event into account; return the unit, or the text of the note, that it ends.

        None for any other event. Raises SourceError if the root element is another, and for over
        1000 texts in a unit.
        """
        if self._inline:
            if self._inline.take(event):
                self._texts.append(TmxText(self._lang, self._line, self._inline.pieces))
                self._inline = None
        elif event.kind == "start":
            self._start(event)
        elif event.kind == "end":
            return self._end(event.text)
        elif self._value is not None and event.kind == "text":
            self._value.append(event.text)
        return None

    def _start(self, event: XmlEvent) -> None:
        """Take the start of an element into account, outside of texts."""
        tag, given = event.text, event.attributes
        if not self._has_root and tag != "tmx":
            raise SourceError(
                f"{self._name}: line {event.line}: the root element is {shown(tag)}; this is no TMX"
            )
        self._has_root = True
        if tag == "header":
            self._declared = given.get("srclang", "")
        elif tag == "tu":
            self._unit, self._texts, self._game = event, [], ""
        elif tag == "tuv":
            self._lang = given.get("xml:lang") or given.get("lang") or ""  # until TMX 1.1
        elif tag == "seg":
            if len(self._texts) == _MOST_TEXTS:
                raise SourceError(
                    f"{self._name}: line {event.line}: a tu with over {_MOST_TEXTS} texts; not read"
                )
            self._inline, self._line = InlineText("seg"), event.line
        elif tag == "note" or (tag == "prop" and given.get("type") == "x-game"):
            self._value = []

    def _end(self, tag: str) -> TmxUnit | str | None:
        """Take the end of an element into account, as `take` does."""
        if self._value is not None and tag in ("note", "prop"):
            value, self._value = "".join(self._value), None
            if tag == "note":
                return value
            self._game = self._game or value
        elif tag == "tu" and self._unit:
            given = self._unit.attributes
            source = given.get("srclang") or self._declared
            return TmxUnit(
                given.get("tuid", ""),
                self._unit.line,
                "" if source.lower() == "*all*" else source,
                self._texts,
                self._game or None,
            )
        return None


def read_units(file: BinaryIO, name: str) -> Iterator[TmxUnit]:
    """Yield the units of a file of any length.

    name: of the file, for messages.

    Raises SourceError, with the line, for broken XML, another kind of XML, entities, and what is
    too long or too deep.

    >>> from io import BytesIO
    >>> data = (
    ...     b'<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en-US">'
    ...     b'<seg>Draw <bpt i="1">{b</bpt>two<ept i="1">}</ept></seg></tuv></tu></body></tmx>'
    ... )
    >>> [(text.lang, text.text) for text in next(read_units(BytesIO(data), "a.tmx")).texts]
    [('en-US', 'Draw two')]
    """
    reader = TmxReader(name)
    for event in xml_events(iter(partial(file.read, _CHUNK), b""), name):
        if isinstance(unit := reader.take(event), TmxUnit):
            yield unit
        elif event.kind == "text" and reader.size() > LONGEST_TEXT:
            raise SourceError(
                f"{name}: line {event.line}: a text longer than {LONGEST_TEXT} characters; not read"
            )


def read(file: BinaryIO, name: str, langs: tuple[str, str] | None = None) -> Iterator[Decision]:
    """Yield decisions from a TMX file whose units are terms: what the source text is called in
    each other language.

    The source is the text in the source language, or else the first one, unless `langs` names the
    source: then a unit without it is skipped. Its first translation
    into a language is preferred, further ones are admitted. A unit with a sentence (a text that
    ends with a full stop, is longer than 80 characters or has a line break) is no term, and is
    skipped.

    name: of the file, for messages and `Decision.where`.
    langs: source and target language; None for those of the file.

    Raises SourceError if it can't be read, or has units and none of them is a term.
    """
    preferred: dict[tuple[str | None, str, str], str] = {}
    units = 0
    for unit in read_units(file, name):
        units += 1
        variants = list(_variants(unit, name))
        source_lang = langs[0] if langs else _language(unit.source_lang, name, unit.line)
        source = next((item for item in variants if item[0] == source_lang), None)
        if source is None and not langs:
            source = next(iter(variants), None)
        if source is None or not all(_is_term(text) for _, text, _ in variants):
            continue
        for lang, text, line in variants:
            if lang != source[0] and (langs is None or lang == langs[1]):
                first = preferred.setdefault((unit.game, source[1], lang), text)
                status = "preferred" if first == text else "admitted"
                where = f"{name}:{line}"
                yield Decision(source[1], lang, text, status, game=unit.game, where=where)  # type: ignore[arg-type]
    if units and not preferred:
        raise SourceError(
            f"{name}: none of its {units} units is a term in two languages; "
            "a memory of sentences is no termbase"
        )


def _variants(unit: TmxUnit, name: str) -> Iterator[tuple[str, str, int]]:
    """Yield (language, text, line) of the texts of a unit that are not empty, without codes, in the
    order of the file. Raises SourceError for a text without a language, or with what is none."""
    for given in unit.texts:
        lang = _language(given.lang, name, given.line)
        if not lang:
            raise SourceError(f"{name}:{given.line}: a tuv without xml:lang; add its language")
        if text := given.text.strip():
            yield lang, text, given.line


def _language(tag: str, name: str, line: int) -> str:
    return language_of(tag, f"{name}:{line}") if tag else ""


def _is_term(text: str) -> bool:
    """Whether a text may be a term, and is not a sentence or more: it has no line break, no end of
    a sentence at its end, and up to 80 characters."""
    return len(text) <= _LONGEST_TERM and "\n" not in text and not ends_sentence(text)
