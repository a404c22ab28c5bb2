"""Reads a draft in TMX: a segment is a unit's text in the target language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kb.checking.draft import Segment
from kb.checking.drafts.draft_file import DraftFile, language_code
from kb.checking.drafts.segments import SegmentText, Unit, segments_of_units, units_and_comments
from kb.checking.ignore_comments import IgnoreComment, parse_comment
from kb.errors import SourceError
from kb.interchange.tmx import TmxReader, TmxText, TmxUnit
from kb.interchange.xml_events import XmlEvent


def read(
    file: DraftFile, warnings: list[str], source_lang: str | None, target_lang: str | None
) -> Iterator[Segment]:
    """Yield a segment for each unit that has a text in the target language, in order.

    source_lang, target_lang: which texts of a unit are meant; None for those that the file says.

    Raises SourceError where the XML is broken, and where a unit has texts in several languages of
    which any may be the target.
    """
    reader = TmxReader(file.path)
    source_lang, target_lang = language_code(source_lang), language_code(target_lang)

    def take(event: XmlEvent) -> Iterator[Unit | IgnoreComment]:
        taken = reader.take(event)
        if isinstance(taken, TmxUnit):
            yield _unit(taken, file.path, source_lang, target_lang)
        elif taken and (comment := parse_comment(taken)):
            yield comment

    yield from segments_of_units(file.path, units_and_comments(file.xml_events(), take), warnings)


def _unit(read: TmxUnit, path: str, source_lang: str | None, target_lang: str | None) -> Unit:
    """Return a unit with its source and target; raise SourceError as `read` does. Its source is the
    text in the source language, or, if nobody names that, the first that isn't the target; empty
    without one."""
    texts = read.texts
    target = _target(read, path, source_lang, target_lang)
    source = _find(texts, source_lang or read.source_lang, target)
    if source is None and source_lang is None:
        source = next((text for text in texts if text is not target), None)
    return Unit(
        id=read.id,
        line=read.line,
        source=SegmentText(source.pieces).text() if source else "",
        target=SegmentText(target.pieces) if target else None,
        source_lang=language_code(source.lang) if source else None,
        target_lang=language_code(target.lang) if target else None,
    )


def _target(
    read: TmxUnit, path: str, source_lang: str | None, target_lang: str | None
) -> TmxText | None:
    """Return which text is the target: with a target language the first in it; without one the
    first of those beside the source, which are of one language; None if there is none.

    The source is the first text in the source language; if neither the file nor a person named one,
    the first of all. Raises SourceError if several languages are left beside it."""
    texts = read.texts
    if target_lang:
        return _find(texts, target_lang)
    source = _find(texts, source_lang or read.source_lang)
    if source is None and not source_lang and texts:
        source = texts[0]
    others = [text for text in texts if text is not source]
    langs = list(dict.fromkeys(text.lang for text in others))
    if len(langs) > 1:
        raise SourceError(
            f"{path}: line {read.line}: a unit with texts in {', '.join(langs[:10])}; "
            "say the target's language"
        )
    return others[0] if others else None


def _find(texts: Sequence[TmxText], lang: str, but: TmxText | None = None) -> TmxText | None:
    """Return the first text in a language, of the same region if there is one; None without one,
    and for an empty language.

    but: a text that is not meant.
    """
    found = [
        text
        for text in texts
        if lang and text is not but and language_code(text.lang) == language_code(lang)
    ]
    same_region = (text for text in found if text.lang.lower() == lang.lower())
    return next(same_region, found[0] if found else None)
