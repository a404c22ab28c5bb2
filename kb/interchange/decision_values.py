"""Checks the values of decisions that people wrote: a language, a status, a part of speech."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import cast, get_args

from kb.control_characters import xml_text
from kb.errors import SourceError
from kb.language.nearest_value import nearest, shown
from kb.termbase.model import PartOfSpeech, Status

STATUS_OF_VERB: dict[str, Status] = {
    "prefer": "preferred", "admit": "admitted", "deprecate": "deprecated", "forbid": "forbidden",
}  # fmt: skip
_STATUSES: tuple[Status, ...] = get_args(Status)
_STATUS_OF_WORD: dict[str, Status] = {status: status for status in _STATUSES} | STATUS_OF_VERB
_PARTS_OF_SPEECH: tuple[PartOfSpeech, ...] = get_args(PartOfSpeech)
# A tag of BCP 47 (with `_` as some tools write it): a language of two or three letters, and subtags
# of up to eight signs.
_LANGUAGE_TAG = re.compile(r"([a-z]{2,3})(?:[-_][a-z0-9]{1,8})*", re.IGNORECASE)


def language_of(tag: str, where: str) -> str:
    """Return the language of a tag such as `ja-JP`, without script and region.

    Raises SourceError if it is no language tag; the message begins with `where`.

    >>> language_of("JA-jp", "a.tmx:3")
    'ja'
    """
    if not (found := _LANGUAGE_TAG.fullmatch(tag.strip())):
        raise SourceError(f"{where}: {shown_value(tag)} is no language; write one such as ja or en")
    return found[1].lower()


def status_of(word: str, where: str) -> Status:
    """Return the status that a word means: a status, or a verb such as `forbid`; case is ignored.

    Raises SourceError, with the right words, if it is no such word.

    >>> status_of("Forbid", "a.csv:2")
    'forbidden'
    """
    status = _STATUS_OF_WORD.get(word.strip().lower())
    return status or cast(Status, refuse("status", word, _STATUSES, where))


def part_of_speech_of(word: str, where: str) -> PartOfSpeech | None:
    """Return the part of speech that a word means, whatever its case; None for an empty one.

    Raises SourceError, with the right words, if it is none.
    """
    plain = word.strip().lower()
    if not plain:
        return None
    found = next((part for part in _PARTS_OF_SPEECH if part == plain), None)
    return found or cast(PartOfSpeech, refuse("part of speech", word, _PARTS_OF_SPEECH, where))


def shown_value(value: str) -> str:
    """Return a value of a file as a message shows it: on one line, shortened.

    >>> shown_value("draw\\n a card\\x01")
    'draw a card'
    """
    return shown(" ".join(xml_text(value).split()))


def refuse(what: str, given: str, known: Iterable[str], where: str) -> None:
    """Raise SourceError for a value that is not known, with the nearest, if one is near, and all
    known ones. It never returns."""
    values = list(known)
    near = nearest(given, values, most=1)
    suggestion = f"; nearest: {near[0]}" if near else ""
    raise SourceError(
        f"{where}: no {what} {shown_value(given)}{suggestion} (there are: {', '.join(values)})"
    )
