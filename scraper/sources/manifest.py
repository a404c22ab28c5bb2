"""Parses manifests (`manifest.jsonl`): what they state of the files beside them and below.

The times that they state, as headers and web archives do, are parsed here.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import PurePosixPath
from typing import IO, Any, Final

from scraper.page import NamedKind, ReadWarning
from scraper.sources import limits
from scraper.sources.capture_times import timestamp
from scraper.sources.files import storable_path
from scraper.sources.limits import with_few_warnings

_PLAIN_NAME = re.compile(r"[^./\\]+(?:[./][^./\\]+)*")  # a path with no "." or ".." in it
_SURROGATE = re.compile("[\ud800-\udfff]")
_LARGEST_SHOWN = 10**9  # of the numbers in a warning: they may have any length
_TOO_LONG: Final = b"too long"
_BOM, _UTF_16 = b"\xef\xbb\xbf", (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Entry:
    """What a manifest states of a file; see `Snapshot` for most of it. All of it may be empty."""

    url: str = ""
    content_type: str = ""
    status: int = 200
    taken: str = ""
    form: str = ""
    notice: str = ""
    site: str = ""
    game: str = ""
    lang: str = ""
    edition: str = ""
    names: str = ""


NO_ENTRY = Entry()
# What lists of names name, as people and manifests put it.
NAMED_KINDS: dict[str, NamedKind] = {
    "terms": "term", "term": "term", "cards": "card", "card": "card",
}  # fmt: skip
_WHAT = {"taken": "time", "names": "kind of names (terms, cards)"}
_LONG_TEXTS = frozenset(("url", "content_type", "notice"))
TEXTS = tuple(one.name for one in fields(Entry) if one.name != "status")


@dataclass(slots=True)
class Manifests:
    """What one or more manifests state.

    entries: the entries by the places of their files, as `Snapshot.where` writes them. Of several
        lines for one file the last counts, and of several manifests the one nearest to the file.
    warnings: what can't be read of them.
    outside: the places that are outside the folder of their manifest.
    """

    entries: dict[str, Entry] = field(default_factory=dict)
    warnings: list[ReadWarning] = field(default_factory=list)
    outside: set[str] = field(default_factory=set)

    def add(self, manifest: IO[bytes], folder: str, place: str) -> None:
        """Parse a manifest; a malformed line, or a value that can't be used, is a warning.

        manifest: an open file; OSError is raised where it can't be read.
        folder: what the places of its files begin with, such as `a/b/` or `a.tar!b/`.
        place: its own place.
        """
        self.warnings += with_few_warnings(self._parsed(manifest, folder, place), place)

    def _parsed(self, manifest: IO[bytes], folder: str, place: str) -> Iterator[ReadWarning]:
        """Add the entries of a manifest; yield what can't be read of it."""
        for number, line in enumerate(_lines(manifest), 1):
            at = f"{place}:{number}"
            if number == 1 and line.startswith(_UTF_16):
                yield ReadWarning(place, "in UTF-16, not UTF-8; not read")
                return
            if line is _TOO_LONG:
                most = limits.size(limits.MANIFEST_LINE)
                yield ReadWarning(at, f"a line that is longer than {most}; not read")
                continue
            if not line.strip():
                continue
            if manifest.tell() > limits.MANIFEST:
                most = limits.size(limits.MANIFEST)
                yield ReadWarning(at, f"the manifest is larger than {most}; not read from here on")
                return
            if len(self.entries) >= limits.MANIFEST_FILES:
                most = f"more than {limits.MANIFEST_FILES} files"
                yield ReadWarning(at, f"manifests name {most}; not read from here on")
                return
            if parsed := _parse_line(line):
                name, entry, problems = parsed
                self.entries[folder + name] = entry
                if _is_outside(name):
                    self.outside.add(folder + name)
                yield from (ReadWarning(folder + name, f"manifest: {what}") for what in problems)
            else:
                yield ReadWarning(at, "not a manifest line (JSON with a file)")

    def of(self, where: str) -> Entry:
        """Return what is stated of a file; an empty entry if nothing is."""
        return self.entries.get(where, NO_ENTRY)


def _lines(manifest: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a manifest with their line ends; `_TOO_LONG` for one that is too long,
    whose rest is passed over."""
    while line := manifest.readline(limits.MANIFEST_LINE):
        is_cut = not line.endswith(b"\n") and len(line) == limits.MANIFEST_LINE
        yield _TOO_LONG if is_cut else line
        while is_cut and (more := manifest.readline(limits.MANIFEST_LINE)):
            is_cut = not more.endswith(b"\n")


def _parse_line(line: bytes) -> tuple[str, Entry, list[str]] | None:
    """Return the name of a file as in a place, what is stated of it, and what can't be used of
    that; None if the line is malformed."""
    try:
        stated = json.loads(line.removeprefix(_BOM).decode("utf-8", "surrogateescape"))
        name = stated["file"]
        if not isinstance(name, str) or not name:
            return None
        # Creating a Path for each would take longer than reading the files.
        plain = _PLAIN_NAME.fullmatch(name)
        name = storable_path(name if plain else os.path.normpath(name))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    problems: list[str] = []
    return name, entry_of(stated, problems), problems


def entry_of(stated: Mapping[str, Any], problems: list[str]) -> Entry:
    """Return what can be used of what is stated of a file; empty values, and the status 200, for
    what is not stated or can't be used.

    stated: as JSON has it; headers in it, in any case, stand for a type and a time that are not
        stated by themselves. problems: gets what can't be used.
    """
    texts = {name: text for name in TEXTS if (text := _text(stated, name, problems))}
    headers = stated.get("headers")
    if isinstance(headers, dict):
        names = {str(key).lower(): key for key in headers}
        for name, header in (("content_type", "content-type"), ("taken", "last-modified")):
            if name not in texts and header in names:
                texts[name] = _text(headers, names[header], problems)
    elif headers is not None:
        problems.append("headers: no object of names and values; left out")
    for name, is_one in (("taken", _is_time), ("names", NAMED_KINDS.__contains__)):
        if name in texts and texts[name] and not is_one(texts[name]):
            problems.append(f"{name}: {texts[name]!r} is no {_WHAT[name]}; left out")
            del texts[name]
    return Entry(**texts, status=_status(stated, problems))


def _is_outside(name: str) -> bool:
    """Whether a name leads out of the folder of its manifest."""
    path = PurePosixPath(name)
    return path.is_absolute() or ".." in path.parts


def _is_time(text: str) -> bool:
    return timestamp(text) is not None


def _status(stated: Mapping[str, Any], problems: list[str]) -> int:
    status = stated.get("status", 200)
    if isinstance(status, int) and 0 <= status < 1000:
        return int(status)
    if status is not None:
        problems.append(f"status: {_shown(status)} is no HTTP status; left out")
    return 200


def _text(stated: Mapping[str, Any], name: str, problems: list[str]) -> str:
    """Return a value that must be a text, without lone surrogates; empty if it is missing, no text,
    or too long. Except for what is missing, `problems` gets what is wrong."""
    value = stated.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        problems.append(f"{name}: {_shown(value)} is no text; left out")
        return ""
    most = limits.LONG_VALUE if name in _LONG_TEXTS else limits.MANIFEST_VALUE
    if len(value) > most:  # it would be in every row of the page
        problems.append(f"{name}: longer than {most} characters; left out")
        return ""
    clean = without_surrogates(value)
    if clean != value:
        problems.append(f"{name}: has half a character (a lone surrogate); U+FFFD is put for it")
    return clean


def _shown(value: object) -> str:
    if isinstance(value, int | float) and abs(value) < _LARGEST_SHOWN:
        return str(value)
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return "such a number"


def without_surrogates(text: str) -> str:
    """Return a text with U+FFFD for each lone surrogate, which can't be stored.

    >>> without_surrogates("a\\ud800b")
    'a\\ufffdb'
    """
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def missing_files(manifests: Manifests, seen: set[str]) -> Iterator[ReadWarning]:
    """Yield a warning for each file that manifests name and that is not there, by place.

    seen: the places of files that manifests name and that are there.
    """
    for where in sorted(manifests.entries.keys() - seen):
        what = "outside its folder; not read" if where in manifests.outside else "not there"
        yield ReadWarning(where, f"named in the manifest but {what}")
