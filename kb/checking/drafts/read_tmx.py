"""Reads a draft in TMX: a segment is a unit's text in the target language."""

from __future__ import annotations

from collections.abc import Iterator

from kb.checking.draft import Segment
from kb.checking.drafts.bilingual import Unit, segments_of_units
from kb.checking.drafts.draft_file import DraftFile
from kb.checking.drafts.languages import language_code
from kb.checking.drafts.xml_events import XmlEvent, xml_events
from kb.checking.drafts.xml_units import InlineText, units_and_comments
from kb.checking.ignore_comments import IgnoreComment, parse_comment
from kb.errors import SourceError

_ANY_SOURCE = "*all*"  # what `srclang` says if any language may be the source


def read(
    file: DraftFile, warnings: list[str], source_lang: str | None, target_lang: str | None
) -> Iterator[Segment]:
    """Yield a segment for each unit that has a text in the target language.

    source_lang, target_lang: which texts of a unit are meant; None for those that the file says.

    Raises SourceError where the XML is broken, and where a unit has texts in several languages of
    which any may be the target.
    """
    reader = _TmxReader(file.path, language_code(source_lang), language_code(target_lang))
    units = units_and_comments(xml_events(file), reader.take)
    yield from segments_of_units(file.path, units, warnings)


class _TmxReader:
    """Collects what belongs to the unit that is being read."""

    def __init__(self, path: str, source_lang: str | None, target_lang: str | None) -> None:
        self._path = path
        self._source_lang, self._target_lang = source_lang, target_lang
        self._declared = ""  # the source language by the header
        self._inline: InlineText | None = None
        self._note: list[str] | None = None
        self._lang = ""  # of the text that is being read
        self._unit: XmlEvent | None = None
        self._texts: list[tuple[str, InlineText]] = []

    def take(self, event: XmlEvent) -> list[Unit | IgnoreComment]:
        """Take an event into account; return the unit that it ends, or the comment in a note."""
        if self._inline:
            if self._inline.take(event):
                self._texts.append((self._lang, self._inline))
                self._inline = None
        elif event.kind == "start":
            self._start(event)
        elif event.kind == "text":
            if self._note is not None:
                self._note.append(event.text)
        elif event.text == "note" and self._note is not None:
            comment = parse_comment("".join(self._note))
            self._note = None
            return [comment] if comment else []
        elif event.text == "tu" and self._unit:
            return [self._complete(self._unit)]
        return []

    def _start(self, event: XmlEvent) -> None:
        """Take the start of an element into account, outside of texts."""
        given = event.attributes
        if event.text == "header":
            self._declared = given.get("srclang", "")
        elif event.text == "tu":
            self._unit, self._texts = event, []
        elif event.text == "tuv":
            self._lang = given.get("xml:lang") or given.get("lang") or ""
        elif event.text == "seg":
            self._inline = InlineText("seg")
        elif event.text == "note":
            self._note = []

    def _complete(self, unit: XmlEvent) -> Unit:
        """Return the unit that has ended; raise SourceError as `read` does."""
        target = self._target(unit)
        source = self._find(self._source_of(unit), target)
        if source is None and self._source_lang is None:
            source = next((i for i in range(len(self._texts)) if i != target), None)
        lang, text = (None, None) if target is None else self._texts[target]
        return Unit(
            id=unit.attributes.get("tuid", ""),
            line=unit.line,
            source="" if source is None else self._texts[source][1].built.text(),
            target=text.built if text else None,
            source_lang=None if source is None else language_code(self._texts[source][0]),
            target_lang=language_code(lang),
        )

    def _source_of(self, unit: XmlEvent) -> str:
        """Return the source language of a unit; empty if it is not said."""
        declared = unit.attributes.get("srclang") or self._declared
        return self._source_lang or ("" if declared == _ANY_SOURCE else declared)

    def _target(self, unit: XmlEvent) -> int | None:
        """Return which text is the target, by its index; None if there is none."""
        if self._target_lang:
            return self._find(self._target_lang, None)
        source = self._find(self._source_of(unit), None)
        if source is None and not self._source_lang and self._texts:
            source = 0
        others = [i for i in range(len(self._texts)) if i != source]
        langs = list(dict.fromkeys(self._texts[i][0] for i in others))
        if len(langs) > 1:
            raise SourceError(
                f"{self._path}: line {unit.line}: a unit with texts in {', '.join(langs[:10])}; "
                "say the target's language"
            )
        return others[0] if others else None

    def _find(self, lang: str, but: int | None) -> int | None:
        """Return the index of the first text in a language, of the same region if there is one.

        but: the index of a text that is not meant.
        """
        wanted = lang.lower(), language_code(lang)
        for match in (lambda given: given.lower() == wanted[0], language_code):
            for index, (given, _) in enumerate(self._texts):
                if lang and index != but and match(given) in (True, wanted[1]):
                    return index
        return None
