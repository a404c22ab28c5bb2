"""Writes TBX 3 (ISO 30042:2019), dialect TBX-Linguist in DCA style, and TBX of 2008 (ISO
30042:2008, martif); reads TBX of either version, in either style, as decisions about names.

TBX-Linguist is the smallest public dialect with a field for the reading of a name. OmegaT and
translate-toolkit, and with it Weblate, read TBX of 2008; the latter only names in a `tig`.

Both versions say statuses, ids, sources and why a name stands in the same words. TBX has four
administrative statuses. `deprecatedTerm-admn-sts` is defined as "should not be used";
`supersededTerm-admn-sts` says besides that the term was right once, which we don't know of a name.
A deprecated and a forbidden name of ours are therefore both deprecatedTerm, and the first note of
each name, which begins with our own status, tells them apart.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, BinaryIO, NamedTuple, get_args
from urllib.parse import quote

from lxml import etree

from kb.control_characters import xml_text
from kb.errors import SourceError
from kb.interchange.decision_values import language_of
from kb.interchange.xml_events import CODES
from kb.language.nearest_value import shown
from kb.termbase.model import (
    Concept,
    ConceptDefinition,
    ConceptName,
    Decision,
    PartOfSpeech,
    RelatedConcept,
    Status,
)
from scraper.sites.games import game_of_rulebook, known_games

TBX_STATUS: dict[Status, str] = {
    "preferred": "preferredTerm-admn-sts",
    "admitted": "admittedTerm-admn-sts",
    "deprecated": "deprecatedTerm-admn-sts",
    "forbidden": "deprecatedTerm-admn-sts",
}
# Without case, blanks, hyphens and the endings "Term" and "-admn-sts". A term that law or a
# standard sets (legal, regulated, standardized) is not thereby preferred here: it is left out.
_STATUS_OF: dict[str, Status] = {
    "preferred": "preferred",
    "recommended": "preferred",
    "approved": "preferred",
    "admitted": "admitted",
    "allowed": "admitted",
    "deprecated": "deprecated",
    "notrecommended": "deprecated",
    "superseded": "deprecated",
    "obsolete": "deprecated",
    "forbidden": "forbidden",
    "prohibited": "forbidden",
}
# What `why_note` writes: a status, one of the reasons for it, and what else is known.
_WHY = re.compile(
    r"(preferred|admitted|deprecated|forbidden): (?:title|alias|redirect|abbreviation"
    r"|older edition|obsolete|other translator|list|proposed|decision)(?:, .*)?",
    re.DOTALL,
)
_CONCEPT = re.compile(r"concept: (.+)", re.DOTALL)  # what `concept_note` writes
# What both XML 1.0's editions have as letters of a name; all else is escaped.
_ESCAPED = re.compile("[^A-Za-z0-9\u3041-\u3094\u30a1-\u30fa\u30fc\u4e00-\u9fa5-]|^[0-9\u30fc-]|^$")
_ESCAPE = re.compile("_([0-9a-f]*)_")  # of `xml_id`; without digits that of an empty id


def xml_id(concept: str) -> str:
    """Return the id of a concept as XML can have it: letters, digits, `.`, `-` and `_` alone.

    `/` is written `.`, and any other sign as its number in hexadecimal digits between `_` and `_`,
    a digit, hyphen, ー or `/` at the beginning, too; an empty id is `__`.

    >>> xml_id("mtg/term/引く"), xml_id("ygo/card/A・B")
    ('mtg.term.引く', 'ygo.card.A_30fb_B')
    """
    return _ESCAPED.sub(_escaped, concept)


def concept_of_id(identifier: str) -> str:
    """Return the id of the concept that `xml_id` made an XML id of; of an id of another tool what
    that would be, which may be no concept's. An escape of no character is left out.

    >>> concept_of_id("mtg.term.引く"), concept_of_id(xml_id("0.5_/・"))
    ('mtg/term/引く', '0.5_/・')
    """
    return _ESCAPE.sub(_unescaped, identifier.replace(".", "/"))


def _escaped(match: re.Match[str]) -> str:
    sign = match[0]
    return "." if sign == "/" and match.start() else f"_{ord(sign):x}_" if sign else "__"


def _unescaped(match: re.Match[str]) -> str:
    number = int(match[1], 16) if 0 < len(match[1]) <= 6 else 0
    return chr(number) if 0 < number < 0x110000 or match[1] == "0" else ""


def concept_note(concept: str) -> str:
    """Return the note that states the id of a concept, as `concept: mtg/term/引く`: other tools
    keep notes, but renumber ids."""
    return f"concept: {concept}"


def why_note(name: ConceptName) -> str:
    """Return the note on the status of a name: the status, what it rests on, and how sure that is.

    >>> why_note(ConceptName("en", "Draw", "admitted", "proposed", score=12.5))
    'admitted: proposed, no page states it, score 12.5'
    """
    parts = _proposal(name) or [name.why]
    if name.count:
        parts.append(f"met {name.count} times" if name.count > 1 else "met once")
    return f"{name.status}: {', '.join(parts)}"


def _proposal(name: ConceptName) -> list[str]:
    """Return that a name is only proposed, and its score if it has one, as words to be joined;
    nothing for any other name."""
    if name.why != "proposed":
        return []
    score = [] if name.score is None else [f"score {name.score:g}"]
    return ["proposed", "no page states it", *score]


def is_proposal_note(note: str) -> bool:
    """Return whether a note of `why_note` says that the name is only proposed.

    >>> is_proposal_note("admitted: proposed, score 3"), is_proposal_note("admitted: alias")
    (True, False)
    """
    return re.match("admitted: proposed(?:,|$)", note) is not None


def status_of(value: str) -> Status | None:
    """Return the status that a value of any TBX dialect means; None if it means none of ours.

    >>> status_of("preferredTerm-admn-sts"), status_of("notRecommended"), status_of("legalTerm")
    ('preferred', 'deprecated', None)
    """
    plain = re.sub(r"[\s_-]", "", value).casefold()
    return _STATUS_OF.get(plain.removesuffix("admnsts").removesuffix("term"))


def source_text(given: ConceptName | ConceptDefinition) -> str:
    """Return who gives a name or definition, and where (authority, address, passage), with commas;
    empty if unknown.

    That a name is only proposed stands here, too: OmegaT shows the source of a name, but no note.

    >>> source_text(ConceptName("ja", "引く", authority="頁 (3)", url="https://a.example"))
    '頁 (3), https://a.example'
    """
    proposal = _proposal(given) if isinstance(given, ConceptName) else []
    parts = [*proposal, given.authority, given.url, given.passage]
    return ", ".join(part for part in parts if part)


def related_text(related: RelatedConcept) -> str:
    """Return the id of a related concept, how near it is, and why it is held to be so.

    >>> related_text(RelatedConcept("ygo/term/ドロー", "close", "glossary"))
    'ygo/term/ドロー (close: glossary)'
    """
    basis = f": {related.basis}" if related.basis else ""
    return f"{related.id} ({related.relation}{basis})"


_ROOTS = ("tbx", "martif", "TBX")  # TBX 3, TBX 2008, TBX-Min of 2013
_ENTRIES = ("conceptEntry", "termEntry", "entry")
_LANGUAGES = frozenset(("langSec", "langSet", "langGroup"))
_NAMES = frozenset(("termSec", "tig", "ntig", "termGroup"))
# Of an element with one of these names the type says what it holds; of others, the name does.
_TYPED = frozenset(("admin", "descrip", "termNote"))
_STATUS_FIELDS = ("administrativestatus", "termstatus", "usagestatus", "normativeauthorization")
_READ = frozenset((
    *_STATUS_FIELDS, "term", "note", "partofspeech", "reading", "pronunciation", "definition",
    "subjectfield",
))  # fmt: skip
# The ids of terms and cards, and of concepts that a decision alone makes.
_OWN_CONCEPT = re.compile(r"[^/]+/(?:term|card)/.+|decision/.+", re.DOTALL)
# A line break of a printed file, with the indent behind it. Without the look-behind, many blanks
# would take time by their square.
_INDENTED = re.compile(r"(?<![ \t])[ \t]*\r?\n[ \t]+")
_MOST_GROUPS = 4  # in each other; a guard: those that TBX knows are two deep
# Characters of a subject field in which the name of a game is looked for: a guard of time, far
# longer than such a name.
_LONGEST_GAME = 200
_PARTS: dict[str, PartOfSpeech] = {
    **{part: part for part in get_args(PartOfSpeech)},
    "propernoun": "noun",
    "proper noun": "noun",
}
_XML = "{http://www.w3.org/XML/1998/namespace}"
_SAFE: dict[str, Any] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "dtd_validation": False,
    "huge_tree": False,
    "remove_comments": True,
    "remove_pis": True,
}
_CHUNK = 1 << 15  # bytes that are parsed at a time, by hand: little memory, and few calls
# Bytes of one element, or of what stands before it: a guard of memory, as an entry is in it whole;
# any number this large would do: the longest entry of the bundled sample takes 4,760.
_MOST_BETWEEN = 1 << 23
_COMPRESSED = (b"\x1f\x8b", b"PK\x03\x04", b"BZh", b"\xfd7zXZ")  # gzip, zip, bzip2, xz


class _Field(NamedTuple):
    """A piece of information: its data category in lower case, its text, its stated language."""

    kind: str
    text: str
    lang: str | None = None


class _Name(NamedTuple):
    """A name in an entry; its status is None if the entry does not state it."""

    lang: str
    text: str
    status: Status | None
    note: str
    reading: str | None
    part_of_speech: PartOfSpeech | None
    definition: str
    is_proposed: bool


def read(file: BinaryIO, name: str) -> Iterator[Decision]:
    """Yield a decision for each name in a TBX file.

    The file is TBX 3 in DCA or DCT style, TBX 2008 or TBX-Min of 2013, in any dialect; data
    categories that say nothing here are passed over. The concept is the one that the entry's note
    or id states if sansho wrote it; otherwise it is the preferred Japanese name, or of the first
    language if there is none. If no name of a language is stated to be preferred, the first one
    without a status is, and others are admitted.

    name: the file's name, for messages.

    Raises SourceError if it is no such file, is not well-formed, has entities that it declares or
    does not declare, entries but no name, an entry above 8 MB, or a language section without a
    language.
    """
    expected = "TBX (root element tbx or martif)"
    entries = decisions = 0
    for entry in stream_elements(file, name, _ROOTS, _ENTRIES, expected):
        entries += 1
        for decision in _decisions(entry, name):
            decisions += 1
            yield decision
    if entries and not decisions:
        raise SourceError(
            f"{name}: no name is in its entries; {expected} with langSec and termSec, or langSet "
            "and tig, was expected"
        )


def _decisions(entry: etree._Element, file: str) -> Iterator[Decision]:
    """Yield the decisions that an entry holds, one for each name in its order; none without
    names."""
    where = f"{file}:{entry.sourceline}"
    fields = list(_fields(entry, where))
    names = _with_statuses(list(_names(entry, where)))
    if not names:
        return
    definitions = _entry_definitions(entry, fields, {name.lang for name in names})
    stated = _stated_concept(entry, fields)
    concept = stated or _main_name(names)
    subject = next((field.text for field in fields if field.kind == "subjectfield"), "")
    game = (subject or None) if stated else _known_game(subject)
    for name in names:
        yield Decision(
            concept, name.lang, name.text, name.status or "admitted", name.note, game,
            name.reading, name.part_of_speech, name.definition or definitions.get(name.lang, ""),
            where, name.is_proposed,
        )  # fmt: skip


def _names(entry: etree._Element, where: str) -> Iterator[_Name]:
    """Yield the names in the language sections of an entry, in its order; terms without text are
    left out."""
    for section in entry:
        if local_name(section) in _LANGUAGES:
            lang = _language(section, where)
            definition = _joined(_fields(section, where))
            for element in section:
                if local_name(element) in _NAMES:
                    name = _name(lang, list(_fields(element, where)), definition)
                    if name.text:
                        yield name


def _name(lang: str, fields: list[_Field], definition: str) -> _Name:
    """Return the name that the fields of a term section are about; its text is empty if it has
    none.

    definition: that of its language; one of its own goes before it.
    """
    values = {field.kind: field.text for field in reversed(fields)}
    notes = [field.text for field in fields if field.kind == "note" and field.text]
    stated = (status_of(values[kind]) for kind in _STATUS_FIELDS if kind in values)
    status = next((status for status in stated if status), None)
    why = _WHY.fullmatch(notes[0]) if notes else None
    noted = _STATUS_OF[why[1]] if why else None
    if noted == "forbidden" and status == "deprecated":
        status = noted
    reading = values.get("reading") or (values.get("pronunciation") if lang == "ja" else None)
    part = values.get("partofspeech", "").casefold()
    return _Name(
        lang, values.get("term", ""), status, "\n".join(notes[1:] if noted else notes),
        reading or None, (_PARTS.get(part, "other") if part else None),
        _joined(fields) or definition, bool(notes) and is_proposal_note(notes[0]),
    )  # fmt: skip


def _fields(parent: etree._Element, where: str, depth: int = 0) -> Iterator[_Field]:
    """Yield what an element says that is read here; the sections below it are left out.

    Of a group, such as a definition with its source, the notes are left out, too: they are about
    the definition. The group of a term in TBX 2008 is no such group.

    depth: how many groups the element is in; those that TBX knows are two deep.
    """
    for element in parent:
        name = local_name(element)
        if name.endswith("Grp"):
            if depth < _MOST_GROUPS:
                for field in _fields(element, where, depth + 1):
                    if field.kind != "note" or name == "termGrp":
                        yield field
        elif name not in _LANGUAGES and name not in _NAMES:
            kind = (element.get("type", "") if name in _TYPED else name).casefold()
            if kind in _READ:
                lang = element.get(f"{_XML}lang") if kind == "definition" else None
                yield _Field(kind, _text(element, where), lang)


def _text(element: etree._Element, where: str) -> str:
    """Return the text of an element without the line breaks and indents of a printed file, and
    without codes of other formats, which are taken out of the element. Raises SourceError if an
    entity is in it that XML does not have by itself."""
    if not len(element):
        return _unwrapped(element.text or "")
    for child in list(element.iter()):
        if not isinstance(child.tag, str):
            raise SourceError(
                f"{where}: the entity {shown(child.text or '')} is not read; "
                "write the character itself"
            )
        if local_name(child) in CODES:
            tail = child.tail
            child.clear()
            child.tail = tail
    return _unwrapped("".join(map(str, element.itertext())))


def _unwrapped(text: str) -> str:
    return _INDENTED.sub(" ", text.strip(" \t\r\n"))


def _joined(fields: Iterable[_Field]) -> str:
    """Return the definitions among fields, with an empty line between them; empty for none."""
    return "\n\n".join(field.text for field in fields if field.kind == "definition" and field.text)


def _language(section: etree._Element, where: str) -> str:
    """Return the language of a section without script and region; raise SourceError if it has
    none, or what is none."""
    tag = section.get(f"{_XML}lang") or section.get("lang") or ""
    if not tag:
        raise SourceError(
            f"{where}: a language section has no xml:lang; write one such as ja or en"
        )
    return language_of(tag, where)


def _entry_definitions(
    entry: etree._Element, fields: list[_Field], langs: set[str]
) -> dict[str, str]:
    """Return the definitions that stand in an entry outside the language sections, by language.

    A definition is in the language that it states, or else in the document's; if the entry has no
    name in that one, it is for all languages that have no definition.

    langs: the languages of the entry's names.
    """
    definitions = [field for field in fields if field.kind == "definition"]
    if not definitions:
        return {}
    document_lang = _primary(entry.getroottree().getroot().get(f"{_XML}lang") or "")
    unstated = _joined(field for field in definitions if not field.lang)
    by_lang = dict.fromkeys({document_lang} & langs or langs, unstated)
    stated: dict[str, list[_Field]] = {}
    for field in definitions:
        if field.lang:
            stated.setdefault(_primary(field.lang), []).append(field)
    return by_lang | {lang: _joined(of_lang) for lang, of_lang in stated.items()}


def _primary(tag: str) -> str:
    return re.split("[-_]", tag.strip())[0].lower()


def _with_statuses(names: list[_Name]) -> list[_Name]:
    """Return names with a status each: of a language without a preferred one, the first that states
    nothing is that, and others are admitted."""
    preferred = {name.lang for name in names if name.status == "preferred"}
    complete = []
    for name in names:
        if name.status is None:
            name = name._replace(status="admitted" if name.lang in preferred else "preferred")
            preferred.add(name.lang)
        complete.append(name)
    return complete


def _stated_concept(entry: etree._Element, fields: list[_Field]) -> str | None:
    """Return the id of a concept that an entry of ours states, by a note or by its own id; None for
    another's entry.

    The note outlives an export by tools that number entries anew; but the id has the signs that a
    note can't hold.
    """
    identifier = concept_of_id(entry.get("id") or entry.get(f"{_XML}id") or "")
    for field in fields:
        if field.kind == "note" and (noted := _CONCEPT.fullmatch(field.text)):
            return identifier if _unwrapped(xml_text(identifier)) == noted[1] else noted[1]
    return identifier if _OWN_CONCEPT.fullmatch(identifier) else None


def _main_name(names: list[_Name]) -> str:
    """Return the name that an entry goes by: the preferred one in Japanese, which most pages are
    in, or else in the first language; if none of that is preferred, its first."""
    japanese = [name for name in names if name.lang == "ja"]
    group = japanese or [name for name in names if name.lang == names[0].lang]
    return next((name.text for name in group if name.status == "preferred"), group[0].text)


def _known_game(subject: str) -> str | None:
    """Return the game that a subject field names, by its id or by a name in its first 200
    characters; None for any other."""
    return subject if subject in known_games() else game_of_rulebook(subject[:_LONGEST_GAME])


def stream_elements(
    file: BinaryIO, name: str, roots: Collection[str], tags: Collection[str], expected: str
) -> Iterator[etree._Element]:
    """Yield the elements with given names, each complete, in the order of their ends.

    Names are without namespaces: an element of any namespace counts. What was yielded is emptied
    when the next one is asked for, so that a file of any length takes little memory. A DOCTYPE
    may be there, but nothing that it names is loaded.

    name: the file's name, for messages.
    roots: the names that the root element may have.
    expected: what such a file is called, for messages: `TBX (root element tbx or martif)`.

    Raises SourceError if the file is not such a file, is not well-formed, declares entities, has
    no such element although its body is not empty, or one that takes more than 8 MB.
    """
    # The first parser tells the root, whatever its name; the other is told the names to look for.
    beginning = etree.XMLPullParser(events=("start",), **_SAFE)
    parser = etree.XMLPullParser(events=("end",), tag=[f"{{*}}{tag}" for tag in tags], **_SAFE)
    is_begun, is_empty, since = False, True, 0
    failure: etree.LxmlError | None = None
    data = file.read(_CHUNK)
    if not data.strip() and len(data) < _CHUNK:
        raise SourceError(f"{name} is empty; {expected} was expected")
    if data.startswith(_COMPRESSED):
        raise SourceError(f"{name} is compressed; unpack it first")
    while failure is None:
        since += len(data)  # bytes that were read since the last element
        if since > _MOST_BETWEEN:
            raise SourceError(
                f"{name}: more than {_MOST_BETWEEN >> 20} MB without the end of an entry; "
                "split the file into smaller entries"
            )
        if not is_begun:
            _feed(beginning, data)
            for _, root in islice(beginning.read_events(), 1):
                assert isinstance(root, etree._Element)
                _check_root(root, name, roots, expected)
                is_begun = True
        failure, whole = _feed(parser, data)
        for _, element in parser.read_events():
            assert isinstance(element, etree._Element)
            since, is_empty = 0, False
            yield element
            _empty(element)
        if whole is not None:
            if is_empty and not _has_empty_body(whole):
                names = ", ".join(tags)
                raise SourceError(
                    f"{name}: none of the elements {names} is in it; {expected} was expected"
                )
            return
        data = file.read(_CHUNK)
    raise _malformed(name, failure) from failure


def _feed(
    parser: etree.XMLPullParser, data: bytes
) -> tuple[etree.LxmlError | None, etree._Element | None]:
    """Let a parser take some bytes, none for the end. Return (what is wrong with them, the root at
    the end); both None if there is nothing of the kind."""
    try:
        if data:
            parser.feed(data)
            return None, None
        return None, parser.close()
    except etree.LxmlError as error:
        return error, None


def local_name(element: etree._Element) -> str:
    """Return the name of an element without its namespace; empty for anything else in a tree."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def _check_root(root: etree._Element, name: str, roots: Collection[str], expected: str) -> None:
    if local_name(root) not in roots:
        found = shown(local_name(root))
        raise SourceError(f"{name}: its root element is {found}, but {expected} was expected")
    declared: Any = root.getroottree().docinfo.internalDTD
    if declared is not None and declared.entities():
        raise SourceError(
            f"{name}: its DOCTYPE declares entities, which are not read; "
            "write the characters themselves, and leave the declarations out"
        )


def _malformed(name: str, error: etree.LxmlError) -> SourceError:
    what = (
        " ".join(str(error.msg if isinstance(error, etree.XMLSyntaxError) else error).split())
        or "it breaks off"
    )
    return SourceError(f"{name}: not well-formed XML: {shown(what)}; mend it or export it again")


def _has_empty_body(root: etree._Element) -> bool:
    bodies = list(root.iter("{*}body"))
    return bool(bodies) and not any(len(body) for body in bodies)


def _empty(element: etree._Element) -> None:
    """Empty an element, and take out all of the tree that stands before it."""
    element.clear()
    child = element
    for parent in element.iterancestors():
        while child.getprevious() is not None:
            del parent[0]
        child = parent


_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*")  # `language` of XML Schema
_PART = r"(?:[\w.~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*"
# An address of the web in the form of RFC 3986, as strict readers of `anyURI` want it; without a
# user.
_URL = re.compile(rf"https?://[\w.~-]+(?::\d+)?(?:/{_PART})?(?:\?{_PART})?(?:#{_PART})?", re.ASCII)
_DOCUMENT_LANGUAGE = "en"  # that of the notes


@dataclass(frozen=True, slots=True)
class _Dialect:
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


_LINGUIST = _Dialect(
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


_MARTIF = _Dialect(
    namespace=None,
    root="martif",
    attributes={"type": "TBX"},
    doctype='<!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">\n',
    header="martifHeader",
    encoding_note=("XCSURI", "TBXXCSV02.xcs"),
    entry="termEntry",
    language="langSet",
    name="tig",
    reading=("termNote", "pronunciation"),
)


def write(
    concepts: Iterable[Concept],
    out: BinaryIO,
    langs: tuple[str, str] | None = None,
    dialect: _Dialect = _LINGUIST,
) -> int:
    """Write concepts as TBX 3, one entry each, and return how many entries were written.

    A concept without a name is left out, and of texts what XML can't hold. TBX wants one entry at
    least: without a concept the file is well-formed, but not valid.

    langs: languages that come first in each entry, and the first is the document's; None if it
        does not matter. All languages are written.
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


def write_2008(
    concepts: Iterable[Concept], out: BinaryIO, langs: tuple[str, str] | None = None
) -> int:
    """Write concepts as TBX of 2008, for tools that read nothing newer; else as `write` does."""
    return write(concepts, out, langs, _MARTIF)


def _frame(dialect: _Dialect, language: str) -> tuple[bytes, bytes]:
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


def _entry(dialect: _Dialect, concept: Concept, first: tuple[str, ...]) -> etree._Element | None:
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
    dialect: _Dialect, entry: etree._Element, concept: Concept, lang: str, names: list[ConceptName]
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


def _add_name(dialect: _Dialect, section: etree._Element, name: ConceptName) -> None:
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
