"""Reads a text that is to be verified: from a file or from bytes, in any charset."""

from __future__ import annotations

from pathlib import Path

from kb.errors import QuestionError, SourceError
from kb.language.nearest import shown
from kb.query.arguments import text_of
from kb.reason import Argument

LARGEST = 8 << 20  # bytes


def text_to_verify(given: object) -> str:
    """Return the text that a person gives: as text, as bytes, or as the path of a file.

    Raises SourceError if a file can't be read or is too large, QuestionError for anything else.

    >>> text_to_verify("See 121.4".encode("utf-16"))
    'See 121.4'
    """
    if isinstance(given, str):
        return text_of("text", given, empty=True)
    if isinstance(given, bytes):
        return _decoded(given)
    if isinstance(given, Path):
        from kb.checking.drafts.draft_file import open_draft

        return open_draft(given, LARGEST).text
    raise QuestionError("no_text_to_verify", argument=Argument("text"), given=shown(given))


def _decoded(data: bytes) -> str:
    if len(data) > LARGEST:
        raise SourceError(f"larger than {LARGEST >> 20} MB; verify it in parts")
    from scraper.sources.charset import decode

    text = decode(data).text
    if "\0" in text:
        raise SourceError("not a text (it has NUL characters)")
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
