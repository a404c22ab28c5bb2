"""Reads a draft of any format as segments."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from kb.checking.draft import Draft, Segment
from kb.checking.drafts import (
    read_csv,
    read_html,
    read_markdown,
    read_text,
    read_tmx,
    read_xliff,
)  # fmt: skip
from kb.checking.drafts.draft_file import DraftFile, open_draft, with_languages
from kb.checking.drafts.read_pair import MOST_PAIRED, pair_segments
from kb.errors import SourceError

_BILINGUAL = ("xliff", "tmx", "csv")


def read_draft(
    path: str | Path,
    *,
    source_path: str | Path | None = None,
    source_lang: str | None = None,
    target_lang: str | None = None,
) -> Draft:
    """Return a draft whose segments are read as they are taken.

    path: plain text, Markdown, HTML, XLIFF, TMX, or CSV with a column of sources and one of
        translations.
    source_path: the text that a draft in plain text, Markdown or HTML translates; then the format
        is `pair`, and both files are read at once.
    source_lang, target_lang: such as `ja` and `en`; None for those that the file names, else what
        its letters tell.

    Raises SourceError if a file can't be read, is too large or of no known format; and, when the
    segments are taken, where it is broken.
    """
    file = open_draft(path)
    warnings = list(file.warnings)
    if source_path is None:
        form, segments = file.format, _segments(file, warnings, source_lang, target_lang)
    else:
        form, source = "pair", open_draft(source_path)
        warnings += source.warnings
        source_lang = source_lang or _declared(source)
        segments = iter(
            pair_segments(source, _side(source, []), file, _side(file, warnings), warnings)
        )
    target_lang = target_lang or _declared(file)
    segments = with_languages(file.path, segments, source_lang, target_lang, warnings)
    return Draft(file.path, form, segments, warnings)


def _declared(file: DraftFile) -> str | None:
    """Return the language that an HTML file declares; None for other files."""
    return read_html.declared_language(file.text) if file.format == "html" else None


def _side(file: DraftFile, warnings: list[str]) -> list[Segment]:
    """Return all segments of a source or of its translation, without languages.

    Raises SourceError for too many, and for a file that has both.
    """
    if file.format in _BILINGUAL:
        raise SourceError(
            f"{file.path}: {file.format.upper()} has source and translation in one file; "
            "check it without a source file"
        )
    segments = list(islice(_segments(file, warnings, None, None), MOST_PAIRED + 1))
    if len(segments) > MOST_PAIRED:
        raise SourceError(
            f"{file.path}: more than {MOST_PAIRED:,} segments can't be paired with another file; "
            "check it in parts"
        )
    return segments


def _segments(
    file: DraftFile, warnings: list[str], source_lang: str | None, target_lang: str | None
) -> Iterator[Segment]:
    """Return the segments of a file, read as its format says."""
    if file.format == "csv":
        return read_csv.read(file, warnings, source_lang, target_lang)
    if file.format == "tmx":
        return read_tmx.read(file, warnings, source_lang, target_lang)
    if file.format == "xliff":
        return read_xliff.read(file, warnings)
    if file.format == "html":
        return read_html.read(file, warnings)
    if file.format == "markdown":
        return read_markdown.read(file, warnings)
    return read_text.read(file, warnings)
