"""Snapshots: bytes as they were served, and what is known of them besides."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from scraper import pdf
from scraper.archive import BROKEN, LARGEST, is_archive, members, opened
from scraper.errors import SourceError
from scraper.page import Warn

MANIFEST = "manifest.jsonl"
Entry = Mapping[str, Any]
_Known = dict[str, str | Warn]  # a manifest's lines by their files; unread, they are small
_BEGINNING = 4096
_DUMP = b"<mediawiki"  # how a dump's root element begins


@dataclass(frozen=True, slots=True)
class Hints:
    """What the person who builds knows better than detection: see `sansho build --help`."""

    site: str | None = None
    game: str | None = None
    lang: str | None = None
    edition: str | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Bytes as served, with where they are kept (`where`), their URL, and what a manifest
    says of them. `notice` is what readers must be told of everything that is cited from it.
    A dump is not taken into memory: it has `stream`, which opens it, and of `data` only the
    beginning."""

    where: str
    data: bytes
    url: str = ""
    content_type: str = ""
    status: int = 200
    taken: str = ""
    form: str = ""
    notice: str = ""
    hints: Hints = field(default_factory=Hints)
    stream: Callable[[], IO[bytes]] | None = None

    def open(self) -> IO[bytes]:
        """The bytes as a file, from their beginning."""
        return self.stream() if self.stream else BytesIO(self.data)

    @property
    def sha256(self) -> str:
        """The hash of the bytes, in hex. Of a dump all of it is read."""
        with self.open() as bytes_:
            return hashlib.file_digest(bytes_, "sha256").hexdigest()  # type: ignore[arg-type]


def snapshots(source: Path, hints: Hints) -> Iterator[Snapshot | Warn]:
    """Every snapshot under a file, a folder or a tar or zip archive.

    A `manifest.jsonl` tells URLs, headers and times of the files at and below its folder;
    files that it does not name are read all the same. What can't be read is a `Warn`, in its
    place. Raises SourceError if `source` is not there or holds no file.
    """
    if not source.exists():
        raise SourceError(f"{source}: no such file or folder")
    if source.is_dir():
        yield from _folder(source, hints)
    elif is_archive(source):
        yield from _archive(source, hints)
    else:
        known = _manifest(_read(source.parent / MANIFEST), source.parent)
        yield _file(source, known, hints)


def _folder(source: Path, hints: Hints) -> Iterator[Snapshot | Warn]:
    known: _Known = {}
    for path in _files(source):
        if path.name == MANIFEST:
            known |= _manifest(_read(path), path.parent)
    seen = set()
    for path in _files(source):
        if path.name != MANIFEST and not path.name.startswith("."):
            seen.add(str(path))
            yield _file(path, known, hints)
    if not seen:
        raise SourceError(f"{source}: an empty folder; nothing to read in it")
    yield from _left_over(known, seen)


def _files(source: Path) -> Iterator[Path]:
    """The files in a folder and in those in it, always in the same order."""
    for folder, folders, names in os.walk(source):
        folders.sort()
        for name in sorted(names):
            path = Path(folder, name)
            if path.is_file():
                yield path


def _file(path: Path, known: _Known, hints: Hints) -> Snapshot | Warn:
    entry = _said_of(str(path), known)
    opener = partial(opened, path)
    try:
        with opener() as file:
            data = file.read(_BEGINNING)
            if _DUMP in data:
                found = _snapshot(str(path), data, entry, hints)
                return found if isinstance(found, Warn) else replace(found, stream=opener)
            data += file.read(LARGEST)
    except BROKEN as error:
        return Warn(str(path), f"can't be read: {getattr(error, 'strerror', None) or error}")
    if len(data) > LARGEST:
        return Warn(str(path), f"larger than {LARGEST >> 20} MB; not read")
    return _snapshot(str(path), data, entry, hints)


def _archive(source: Path, hints: Hints) -> Iterator[Snapshot | Warn]:
    known: _Known = {}
    for found in members(source, only=MANIFEST):
        if not isinstance(found, Warn):
            name, data = found
            known |= _manifest(data, Path(f"{source}!{name}").parent)
    seen = set()
    for found in members(source):
        if isinstance(found, Warn):
            yield found
            continue
        name, data = found
        where = str(Path(f"{source}!{name}"))
        seen.add(where)
        last = name.rpartition("/")[2]
        if last != MANIFEST and not last.startswith("."):
            yield _snapshot(where, data, _said_of(where, known), hints)
    yield from _left_over(known, seen)


def _read(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def _manifest(data: bytes, folder: Path) -> _Known:
    """What a manifest says, by where the files are; a line that says nothing is a warning."""
    entries: _Known = {}
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        if not line.strip():
            continue
        try:
            entries[str(folder / str(json.loads(line)["file"]))] = line
        except (ValueError, KeyError, TypeError, RecursionError):
            where = f"{folder / MANIFEST}:{number}"
            entries[where] = Warn(where, "not a manifest line (JSON with a file)")
    return entries


def _said_of(where: str, known: _Known) -> Entry:
    """What a manifest says of a file."""
    line = known.get(where, "{}")
    entry: Entry = json.loads(line) if isinstance(line, str) else {}
    return entry


def _left_over(known: _Known, seen: set[str]) -> Iterator[Warn]:
    """What a manifest says of files that are not there."""
    for where, line in sorted(known.items(), key=lambda item: item[0]):
        if isinstance(line, Warn):
            yield line
        elif where not in seen:
            yield Warn(where, "named in the manifest but not there")


def _snapshot(where: str, data: bytes, entry: Entry, hints: Hints) -> Snapshot | Warn:
    if _binary(data):
        return Warn(where, "a binary file, not a page")
    headers = entry.get("headers")
    headers = headers if isinstance(headers, dict) else {}
    said = {str(key).lower(): str(value) for key, value in headers.items()}
    return Snapshot(
        where=where,
        data=data,
        url=_text(entry, "url"),
        content_type=_text(entry, "content_type") or said.get("content-type", ""),
        status=entry["status"] if isinstance(entry.get("status"), int) else 200,
        taken=_text(entry, "taken") or said.get("last-modified", ""),
        form=_text(entry, "form"),
        notice=_text(entry, "notice"),
        hints=Hints(
            hints.site or _text(entry, "site") or None,
            hints.game or _text(entry, "game") or None,
            hints.lang or _text(entry, "lang") or None,
            hints.edition or _text(entry, "edition") or None,
        ),
    )


def _text(entry: Entry, key: str) -> str:
    value = entry.get(key)
    return value if isinstance(value, str) else ""


def _binary(data: bytes) -> bool:
    """Whether the bytes are no text: NUL among them without a UTF-16 mark, or a known magic."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff", pdf.MAGIC)):
        return False
    return data.startswith((b"PK\x03\x04", b"\x1f\x8b", b"\x89PNG", b"\xff\xd8\xff")) or (
        b"\x00" in data[:65536]
    )
