"""Writes aligned rules and glosses as TMX 1.4b, and reads TMX as a termbase or as a draft."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO
from xml.sax.saxutils import escape

from kb.control_characters import xml_text
from kb.errors import SourceError
from kb.interchange.tmx_units import TmxUnit, tmx_units
from kb.termbase.model import Decision, TranslationUnit

_LONGEST_TERM = 80  # characters; a longer text is a sentence
_SENTENCE_ENDS = tuple(".!?。！？")
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
    """Return a unit as an element, with its line breaks; empty if it has too few texts."""
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


def read_units(file: BinaryIO, name: str) -> Iterator[TmxUnit]:
    """Yield the units of a TMX file with all their texts, such as a draft that is checked.

    name: of the file, for messages.

    Raises SourceError, with the line, if it can't be read.
    """
    return tmx_units(file, name)


def read(file: BinaryIO, name: str, langs: tuple[str, str] | None = None) -> Iterator[Decision]:
    """Yield decisions from a TMX file whose units are terms: what the source text is called in
    each other language.

    The source is the text in the source language, or else the first one. Its first translation
    into a language is preferred, further ones are admitted. A unit with a sentence (a text that
    ends with a full stop, is longer than 80 characters or has a line break) is no term, and is
    skipped.

    name: of the file, for messages and `Decision.where`.
    langs: source and target language; None for those of the file.

    Raises SourceError if it can't be read, or has units and none of them is a term.
    """
    preferred: dict[tuple[str | None, str, str], str] = {}
    units = 0
    for unit in tmx_units(file, name):
        units += 1
        variants = [
            (lang, text.strip(), line)
            for (lang, text), line in zip(unit.texts, unit.lines, strict=True)
            if text.strip()
        ]
        source_lang = langs[0] if langs else unit.source_lang
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


def _is_term(text: str) -> bool:
    """Whether a text may be a term, and is not a sentence or more."""
    return len(text) <= _LONGEST_TERM and "\n" not in text and not text.endswith(_SENTENCE_ENDS)
