"""Writes and reads TBX 3 (ISO 30042:2019), dialect TBX-Linguist in DCA style.

TBX-Linguist is the smallest public dialect with a field for the reading of a name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO
from urllib.parse import quote

from lxml import etree

from kb.control_characters import xml_text
from kb.interchange.tbx_reader import (
    TBX_STATUS,
    concept_note,
    read_tbx,
    related_text,
    source_text,
    why_note,
    xml_id,
)
from kb.termbase.model import Concept, ConceptDefinition, ConceptName, Decision

_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*")  # `language` of XML Schema
_PART = r"(?:[\w.~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*"
# An address of the web in the form of RFC 3986, as strict readers of `anyURI` want it; without a
# user.
_URL = re.compile(rf"https?://[\w.~-]+(?::\d+)?(?:/{_PART})?(?:\?{_PART})?(?:#{_PART})?", re.ASCII)
_DOCUMENT_LANGUAGE = "en"  # that of the notes


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a version of TBX names what all have.

    namespace: of all elements; None for none.
    root, attributes: the root element and its attributes.
    doctype: the line before it, with its line break; empty for none.
    header: the header element.
    encoding_note: the type and text of the paragraph that says which data categories are used;
        None for none.
    entry, language, name: the elements of a concept, of a language in it, of a name in that.
    reading: the element and the type of the reading of a name.
    """

    namespace: str | None
    root: str
    attributes: dict[str, str]
    doctype: str
    header: str
    encoding_note: tuple[str, str] | None
    entry: str
    language: str
    name: str
    reading: tuple[str, str]


_LINGUIST = Dialect(
    namespace="urn:iso:std:iso:30042:ed-2",
    root="tbx",
    attributes={"type": "TBX-Linguist", "style": "dca"},
    doctype="",
    header="tbxHeader",
    encoding_note=None,
    entry="conceptEntry",
    language="langSec",
    name="termSec",
    reading=("admin", "reading"),
)


def write_tbx(
    dialect: Dialect,
    concepts: Iterable[Concept],
    out: BinaryIO,
    langs: tuple[str, str] | None,
) -> int:
    """Write concepts in a version of TBX, and return how many entries were written.

    A concept without a name is left out: TBX has no place for it.

    langs: languages that come first in each entry, and the first is the document's; None if it
        does not matter.
    """
    language = xml_text(langs[0]) if langs else _DOCUMENT_LANGUAGE
    before, after = _frame(dialect, language)
    out.write(before)
    written = 0
    for concept in concepts:
        entry = _entry(dialect, concept, langs or ())
        if entry is not None:
            out.write(etree.tostring(entry, encoding="utf-8", pretty_print=True))
            written += 1
    out.write(after)
    return written


def _frame(dialect: Dialect, language: str) -> tuple[bytes, bytes]:
    """Return what stands before and after the entries of a document, as UTF-8: all up to `<body>`
    and all from `</body>` on. language: of the document."""
    root = etree.Element(dialect.root, dialect.attributes)
    root.set(_XML_LANG, language)
    if dialect.namespace:
        root.set("xmlns", dialect.namespace)
    header = etree.SubElement(root, dialect.header)
    description = etree.SubElement(header, "fileDesc")
    _add(etree.SubElement(description, "titleStmt"), "title", "Termbase")
    _add(etree.SubElement(description, "sourceDesc"), "p", "written by sansho")
    if dialect.encoding_note:
        kind, text = dialect.encoding_note
        _add(etree.SubElement(header, "encodingDesc"), "p", text, kind)
    etree.SubElement(etree.SubElement(root, "text"), "body")
    document = etree.tostring(root, encoding="unicode", pretty_print=True)
    before, _, after = document.partition("<body/>")
    prolog = f'<?xml version="1.0" encoding="UTF-8"?>\n{dialect.doctype}'
    return f"{prolog}{before}<body>\n".encode(), f"</body>{after}".encode()


def _entry(dialect: Dialect, concept: Concept, first: tuple[str, ...]) -> etree._Element | None:
    """Return the entry of a concept; None if it has no name.

    first: the languages that come first, if it has names in them; the others follow in the order
        of its names.
    """
    names: dict[str, list[ConceptName]] = {lang: [] for lang in first}
    for name in concept.names:
        if xml_text(name.text).strip():
            names.setdefault(name.lang, []).append(name)
    named = {lang: of_language for lang, of_language in names.items() if of_language}
    if not named:
        return None
    entry = etree.Element(dialect.entry, id=xml_id(concept.id))
    if concept.game:
        _add(entry, "descrip", concept.game, "subjectField")
    for definition in concept.definitions:
        if definition.lang not in named:
            _add_definition(entry, definition, is_foreign=True)
    _add(entry, "note", concept_note(concept.id))
    _add_spellings(
        entry, concept, [item.lang for item in concept.spellings if item.lang not in named]
    )
    for related in concept.related:
        _add(entry, "ref", related_text(related), "crossReference")
    if url := _url(concept.url):
        _add(entry, "xref", concept.url or "", "externalCrossReference").set("target", url)
    for lang, of_language in named.items():
        _add_language(dialect, entry, concept, lang, of_language)
    return entry


def _add_language(
    dialect: Dialect, entry: etree._Element, concept: Concept, lang: str, names: list[ConceptName]
) -> None:
    """Add the section of a language with the definitions, the spellings met and the names in it."""
    section = etree.SubElement(entry, dialect.language)
    section.set(_XML_LANG, xml_text(lang))
    for definition in concept.definitions:
        if definition.lang == lang:
            _add_definition(section, definition)
    _add_spellings(section, concept, [lang])
    for name in names:
        _add_name(dialect, section, name)


def _add_name(dialect: Dialect, section: etree._Element, name: ConceptName) -> None:
    """Add a name; in TBX what is said of the term itself comes before all else."""
    element = etree.SubElement(section, dialect.name)
    _add(element, "term", name.text)
    _add(element, "termNote", TBX_STATUS[name.status], "administrativeStatus")
    if name.part_of_speech:
        _add(element, "termNote", name.part_of_speech, "partOfSpeech")
    if name.why == "abbreviation":
        _add(element, "termNote", "abbreviation", "termType")
    if name.reading:
        tag, kind = dialect.reading
        _add(element, tag, name.reading, kind)
    if name.context:
        group = etree.SubElement(element, "descripGrp")
        _add(group, "descrip", name.context, "context")
        if name.context_passage:
            _add(group, "admin", name.context_passage, "source")
    if source := source_text(name):
        _add(element, "admin", source, "source")
    _add(element, "note", why_note(name))
    if name.note:
        _add(element, "note", name.note)


def _add_definition(
    parent: etree._Element, definition: ConceptDefinition, is_foreign: bool = False
) -> None:
    """Add a definition and its source.

    is_foreign: it has no section of its language to stand in, and so must state the language.
    """
    group = etree.SubElement(parent, "descripGrp")
    element = _add(group, "descrip", definition.text, "definition")
    if is_foreign and _LANGUAGE.fullmatch(definition.lang):
        element.set(_XML_LANG, definition.lang)
    if source := source_text(definition):
        _add(group, "admin", source, "source")


def _add_spellings(parent: etree._Element, concept: Concept, langs: Collection[str]) -> None:
    """Add a note of the spellings that were met in some languages, if there are any."""
    met = [f"{item.text} ({item.count})" for item in concept.spellings if item.lang in langs]
    if met:
        _add(parent, "note", f"spellings met: {', '.join(met)}")


def _add(parent: etree._Element, tag: str, text: str, kind: str | None = None) -> etree._Element:
    """Add an element with a text, without what XML can't hold, and a type if one is given; return
    it."""
    element = etree.SubElement(parent, tag)
    if kind:
        element.set("type", kind)
    element.text = xml_text(text)
    return element


def _url(url: str | None) -> str | None:
    """Return a web address as the type `anyURI` can have it, percent-encoded where it must be; None
    if it is no such address."""
    quoted = quote(xml_text(url or ""), safe="%~!$&'()*+,;=:@/?#")
    return quoted if _URL.fullmatch(quoted) else None


def write(concepts: Iterable[Concept], out: BinaryIO, langs: tuple[str, str] | None = None) -> int:
    """Write concepts as TBX 3, one entry each, and return how many entries were written.

    A concept without a name is left out, and of texts what XML can't hold. TBX wants one entry at
    least: without a concept the file is well-formed, but not valid.

    langs: languages that come first in each entry, and the first is the document's; None if it
        does not matter. All languages are written.
    """
    return write_tbx(_LINGUIST, concepts, out, langs)


def read(file: BinaryIO, name: str) -> Iterator[Decision]:
    """Yield a decision for each name in a TBX file of any version, style and public dialect.

    name: the file's name, for messages. Raises SourceError as `read_tbx` does.
    """
    return read_tbx(file, name)
