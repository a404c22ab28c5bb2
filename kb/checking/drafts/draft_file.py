"""Reads a draft's file as text, and recognises its format, and its languages by its letters."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from kb.checking.draft import Segment
from kb.errors import SourceError
from kb.interchange.xml_events import XmlEvent, xml_events
from scraper.rulebook.languages import LANGUAGES, detect_language
from scraper.sources import limits
from scraper.sources.charset import decode

_KANA = re.compile("[ぁ-ゖァ-ヺｦ-ﾟ]")
_HAN = re.compile("[々〆㐀-鿿\uf900-\ufaff\U00020000-\U0003ffff]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_OTHER = re.compile(r"[^\W\d_]")
# Of the letters of Japanese that are kana or Han: rulebooks in Japanese have 0.7, headings in kanji
# less; Chinese ones have none, but may name a card in kana.
_KANA_SHARE = 0.05
_FEWEST_LETTERS = 40  # Latin ones by whose words the language is told: fewer have no frequent words
_WITH_RECORD = frozenset(language.code for language in LANGUAGES)
_LOOKED_AT = 20_000  # characters of a draft that tell its language: held until it is told, a guard


def language_code(given: str | None) -> str | None:
    """Return the code of a language without its region and script, in small letters; None for none.

    >>> language_code("ja-JP"), language_code("EN_us"), language_code("")
    ('ja', 'en', None)
    """
    return re.split("[-_]", given.strip(), maxsplit=1)[0].lower() or None if given else None


def language_by_script(text: str) -> str | None:
    """Return the language that a text is likely in, by its letters: `ja` for kana, `zh` for Chinese
    characters without kana; of Latin letters by its frequent words, `en` if these tell no other
    language that rulebooks are read in; None for other letters, or none.

    >>> [language_by_script(text) for text in ("LPを払う。", "抽一张牌。", "Draw a card.", "12")]
    ['ja', 'zh', 'en', None]
    >>> language_by_script("Wer eine Karte ziehen soll und keine mehr hat, verliert das Spiel.")
    'de'
    """
    kana, han = len(_KANA.findall(text)), len(_HAN.findall(text))
    latin, letters = len(_LATIN.findall(text)), len(_OTHER.findall(text))
    if 2 * (kana + han) >= max(latin, 1):  # a character of Japanese says more than a Latin letter
        return "ja" if kana >= _KANA_SHARE * (kana + han) else "zh"
    if not latin or 2 * latin < letters:
        return None
    found = detect_language(text) if latin >= _FEWEST_LETTERS else "en"
    return found if found in _WITH_RECORD else "en"


def with_languages(
    path: str,
    segments: Iterator[Segment],
    source_lang: str | None,
    target_lang: str | None,
    warnings: list[str],
) -> Iterator[Segment]:
    """Yield segments, in order, with their languages: those given, else those that a segment has,
    else by the letters of the first 20,000 characters together, None if these tell none. A segment
    without a source has no source language.

    path: of the draft. warnings: gets a line if the languages can hardly be meant, and if there are
        no segments.
    """
    given_source, given_target = language_code(source_lang), language_code(target_lang)
    first: list[Segment] = []
    size = 0
    for segment in segments:
        first.append(segment)
        size += len(segment.target)
        if size >= _LOOKED_AT:
            break
    by_target = language_by_script("".join(segment.target for segment in first))
    by_source = language_by_script("".join(segment.source or "" for segment in first))
    if not first:
        warnings.append(f"{path}: has nothing to check")
        return
    stated = language_code(first[0].target_lang)
    if given_target and stated and stated != given_target:
        warnings.append(f"{path}: says that it is in {stated}; it is checked as {given_target}")
    if (
        first[0].source is not None
        and None is source_lang is target_lang
        and by_target == by_source is not None
    ):
        warnings.append(f"{path}: source and translation are both in {by_target}, by their letters")
    for segment in (*first, *segments):
        target = given_target or language_code(segment.target_lang) or by_target
        source = given_source or language_code(segment.source_lang) or by_source
        yield replace(
            segment,
            target_lang=target,
            source_lang=None if segment.source is None else source,
        )


# Guards of memory, as a draft is held whole; the longest rulebook has less than 1 MB.
LARGEST = 100 << 20  # bytes of a draft
_CHUNK = 1 << 18  # characters of XML that are parsed at a time: what is encoded beside the text
_HEAD = 4096  # characters by which a format is recognised: comments before a root are shorter
_SUFFIXES = {
    ".txt": "text", ".text": "text", ".md": "markdown", ".markdown": "markdown",
    ".html": "html", ".htm": "html", ".xhtml": "html", ".xlf": "xliff", ".xliff": "xliff",
    ".sdlxliff": "xliff", ".mqxliff": "xliff", ".mxliff": "xliff", ".tmx": "tmx",
    ".csv": "csv", ".tsv": "csv",
}  # fmt: skip
_FORMATS = "text, Markdown, HTML, XLIFF, TMX and CSV are read"
_OTHER_FILES = (
    (b"%PDF-", "a PDF file; save its text"),
    (b"PK\x03\x04", "a zip file (such as .docx, .xlsx or .odt); save it as text or HTML"),
    (b"\xd0\xcf\x11\xe0", "a file of an old office program; save it as text or HTML"),
    (b"{\\rtf", "an RTF file; save it as text or HTML"),
    (b"\x1f\x8b", "a compressed file; unpack it"),
)
# XML in UTF-16 needs no byte order mark, as its first sign is known.
_WITHOUT_MARK = ((b"<\0", codecs.BOM_UTF16_LE), (b"\0<", codecs.BOM_UTF16_BE))
# What may stand before the root element: the declaration, comments, instructions, a DOCTYPE. The
# bounds are for hostile files; `_HEAD` bounds them all together.
_ROOT = re.compile(
    r"\s*+(?:<\?[^>]{0,2000}>\s*+|<!--(?:(?!-->).){0,3000}-->\s*+|<!DOCTYPE[^>\[]{0,1000}"
    r"(?:\[[^\]]{0,3000}\]\s*)?>\s*+)*+<([A-Za-z][\w.:-]{0,40})",
    re.DOTALL | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class DraftFile:
    """A file as text.

    path: as it was given. format: one of those of `Draft`.
    text: decoded, without byte order mark; each line ends with a line feed alone.
    warnings: about its charset, a line each.
    """

    path: str
    format: str
    text: str
    warnings: tuple[str, ...] = ()

    def xml_events(self) -> Iterator[XmlEvent]:
        """Yield the events of an XML file, whatever charset it declares; raise SourceError where it
        is broken."""
        starts = range(0, len(self.text), _CHUNK)
        pieces = (self.text[start : start + _CHUNK] for start in starts)
        return xml_events(
            (piece.encode("utf-8", "replace") for piece in pieces), self.path, "utf-8"
        )


def open_draft(path: str | Path, largest: int | None = None) -> DraftFile:
    """Read a file as text, in the charset that it has or declares, and recognise its format.

    The suffix of plain text, Markdown and CSV decides, else the root element of XML, else the
    suffix; a file of another suffix is plain text, with a warning.

    largest: the most bytes that are read; None for `LARGEST`.

    Raises SourceError if the file can't be read, is larger, is no text (a PDF, a zip, NUL
    characters), is XML of another kind, or isn't the XLIFF or TMX that its suffix says.
    """
    data = _read_bytes(path, LARGEST if largest is None else largest)
    for beginning, mark in _WITHOUT_MARK:
        data = mark + data if data.startswith(beginning) else data
    decoded = decode(data)
    if data.startswith((b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")) or "\0" in decoded.text:
        raise SourceError(f"{path}: not a text file (it has NUL characters); {_FORMATS}")
    del data
    text = decoded.text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    warnings = [f"{path}: {warning.where}: {warning.what}" for warning in decoded.warnings]
    suffix = Path(path).suffix.lower()
    form = _format(path, suffix, text)
    if suffix not in _SUFFIXES and form == "text":
        warnings.append(f"{path}: read as plain text, as its suffix names no other format")
    return DraftFile(str(path), form, text, tuple(warnings))


def _read_bytes(path: str | Path, largest: int) -> bytes:
    """Return the bytes of a file; raise SourceError if it can't be read, is larger than that, or
    begins as a PDF, zip, old office, RTF or gzip file does."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(largest + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        what = getattr(error, "strerror", None) or error
        raise SourceError(f"{path}: can't be read: {what}") from error
    if len(data) > largest:
        raise SourceError(f"{path}: larger than {limits.size(largest)}; check it in parts")
    for beginning, what in _OTHER_FILES:
        if data.startswith(beginning):
            raise SourceError(f"{path}: {what}; {_FORMATS}")
    return data


def _format(path: str | Path, suffix: str, text: str) -> str:
    """Return the format of a text by the suffix of its file and its root element, `text` if neither
    tells; raise SourceError for XML that is no draft."""
    form = _SUFFIXES.get(suffix)
    root = _root_element(text)
    if form in ("text", "markdown", "csv"):
        return form
    if root in ("xliff", "tmx"):
        return root
    if form in ("xliff", "tmx"):
        what = f"its root element is <{root}>" if root else "it is no XML"
        raise SourceError(f"{path}: not {form.upper()}, as {what}; {_FORMATS}")
    if form == "html" or root == "html":
        return "html"
    if root and (suffix == ".xml" or text.lstrip().startswith("<?xml")):
        raise SourceError(f"{path}: XML with the root element <{root}> is no draft; {_FORMATS}")
    return "text"


def _root_element(text: str) -> str | None:
    """Return the name of the root element without its prefix, in small letters; None if there seems
    to be none."""
    found = _ROOT.match(text[:_HEAD])
    return found[1].rpartition(":")[2].lower() if found else None
