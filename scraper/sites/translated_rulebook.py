"""Parses the translation of an edition that came back from a translator: XLIFF whose `original`
says `sansho:GAME/cr/EDITION`, as `sansho package` writes it. Its targets are read as the rulebook
in the target language (`scraper.sites.rulebook_text`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from lxml import etree

from scraper.errors import SourceError
from scraper.page import Page, ReadWarning, text_size
from scraper.sites import rulebook_text
from scraper.sources.saved_pages import Snapshot

_ORIGINAL = re.compile(r"sansho:([\w.-]{1,60})/cr/([\w.-]{1,60})")
_HEAD = re.compile(r"<xliff\b[^>]*>[\s\S]{0,2000}?\boriginal=[\"']sansho:", re.ASCII)
_FOR_HEAD = 8_192  # characters in which the root and its file are looked for: they come first
# Headings of the glossary, as `scraper.rulebook.languages` knows them; of other languages English.
_GLOSSARY = {
    "ja": "用語集", "zh": "词汇表", "de": "Glossar", "fr": "Glossaire", "es": "Glosario",
    "it": "Glossario", "pt": "Glossário", "ko": "용어집",
}  # fmt: skip
_ENTRY, _NAME, _EXAMPLE = "entry-", ".name", ".example-"
_FINAL = frozenset(("final", "signed-off"))
_READ = frozenset(("source", "target"))


@dataclass(frozen=True, slots=True)
class TranslatedUnit:
    """A text of the edition in both languages, each without markup.

    id: as `sansho package` gave it. target: empty without a translation, and where it is the source
    as it was, as some tools fill in, unless its state says that it is done. is_final: whether its
    state says so, or the file has none for it, as that of OmegaT.
    """

    id: str
    source: str
    target: str
    is_final: bool


@dataclass(frozen=True, slots=True)
class TranslatedEdition:
    """The texts of an edition: what it is of, and its units in order."""

    game: str
    edition: str
    source_lang: str
    target_lang: str
    units: tuple[TranslatedUnit, ...]


def recognises(text: str) -> bool:
    """Whether a document is XLIFF that `sansho package` wrote, or a tool that kept its `original`.

    >>> recognises('<xliff version="1.2"><file original="sansho:mtg/cr/20260116">')
    True
    """
    return _HEAD.search(text[:_FOR_HEAD]) is not None


def stated_edition(file: str | Path) -> tuple[str, str] | None:
    """Return (game, edition) that a file of a package is a translation of; None for any other file,
    and one that can't be read."""
    try:
        with Path(file).open("rb") as opened:
            head = opened.read(_FOR_HEAD).decode("utf-8", "replace")
    except (OSError, ValueError):
        return None
    found = _ORIGINAL.search(head) if recognises(head) else None
    return (found[1], found[2]) if found else None


def read_units(text: str) -> TranslatedEdition:
    """Return the texts of a document that `recognises` knows. Raises SourceError if it is no
    well-formed XML, or lacks the languages."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(text.encode(), parser)
    except etree.XMLSyntaxError as error:
        raise SourceError(f"line {error.lineno}: {error.msg}") from error
    file = next(each for each in root.iter("{*}file"))
    original = _ORIGINAL.fullmatch(file.get("original", ""))
    source_lang = file.get("source-language") or root.get("srcLang") or ""
    target_lang = file.get("target-language") or root.get("trgLang") or ""
    if original is None or not source_lang or not target_lang:
        raise SourceError("its file doesn't say of which edition it is, or in which languages")
    units = tuple(_units(root))
    return TranslatedEdition(original[1], original[2], source_lang, target_lang, units)


def _units(root: etree._Element) -> Iterator[TranslatedUnit]:
    for unit in root.iter("{*}trans-unit", "{*}unit"):
        segments = list(unit.iterfind("{*}segment")) or [unit]
        texts = {name: "".join(_text(each, name) for each in segments) for name in _READ}
        states = [each.get("state") for each in (*segments, *unit.iterfind("{*}target"))]
        states += ["final" if unit.get("approved") == "yes" else unit.get("approved")]
        source, target = texts["source"].strip(), texts["target"].strip()
        is_done = any(state in _FINAL for state in states)
        is_translated = target != source or is_done or not any(map(str.isalpha, source))
        yield TranslatedUnit(
            unit.get("id", ""),
            source,
            target if is_translated else "",
            is_done or not any(states),
        )


def _text(element: etree._Element, name: str) -> str:
    found = element.find(f"{{*}}{name}")
    return "" if found is None else "".join(map(str, found.itertext()))


def read(snapshot: Snapshot, text: str) -> tuple[list[Page], list[ReadWarning]]:
    """Return the rulebook in the target language as one page, in a list, and warnings of what has
    no translation, or is not said to be final. Raises SourceError as `read_units`."""
    found = read_units(text)
    hints = replace(
        snapshot.hints,
        game=snapshot.hints.game or found.game,
        edition=snapshot.hints.edition or found.edition,
        lang=snapshot.hints.lang or found.target_lang.partition("-")[0],
    )
    book = "\n".join(_lines(found))
    pages = [
        page.with_(
            form="rulebook XLIFF",
            chars=page.chars + text_size(text) - text_size(book),
            left_out=dict(page.left_out)
            | {"markup and sources": text_size(text) - text_size(book)},
        )
        for page in rulebook_text.read(replace(snapshot, hints=hints), book)
    ]
    empty = sum(not unit.target for unit in found.units)
    open_ones = sum(bool(unit.target) and not unit.is_final for unit in found.units)
    of, warnings = f"{len(found.units):,}", list[ReadWarning]()
    if empty:
        what = f"{empty:,} of {of} texts have no translation; left out"
        warnings.append(ReadWarning(snapshot.where, what))
    if open_ones:
        what = f"{open_ones:,} of {of} texts are not marked as final; read all the same"
        warnings.append(ReadWarning(snapshot.where, what))
    return pages, warnings


def _lines(found: TranslatedEdition) -> Iterator[str]:
    """Yield the lines of the rulebook in the target language: rules behind their numbers, examples
    below them, the glossary at the end."""
    is_in_glossary = False
    for unit in found.units:
        if not unit.target:
            continue
        if unit.id.startswith(_ENTRY):
            if not is_in_glossary:
                yield from ("", _GLOSSARY.get(found.target_lang, "Glossary"), "")
                is_in_glossary = True
            yield unit.target
            if not unit.id.endswith(_NAME):
                yield ""
        elif _EXAMPLE in unit.id:
            yield unit.target
        else:
            dot = "." if unit.id[-1:].isdigit() else ""
            yield f"{unit.id}{dot} {unit.target}"
