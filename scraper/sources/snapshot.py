"""Snapshots: bytes as they were served, and what is known of them besides."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from scraper.errors import SourceError
from scraper.page import ReadWarning
from scraper.rulebook import pdf
from scraper.sources import warc
from scraper.sources.archive import BROKEN, LARGEST, is_archive, is_compressed, members, opened

if TYPE_CHECKING:
    from scraper.sites.catalogue import Site

MANIFEST, SITES = "manifest.jsonl", "sites.toml"
_NO_PAGES = frozenset({MANIFEST, SITES})  # files that say something of the pages beside them
Entry = Mapping[str, Any]
_Known = dict[str, str | ReadWarning]  # a manifest's lines by their files; unread, they are small
_BEGINNING = 4096
_SMALL = 1 << 20  # bytes, read at once
_PLAIN = re.compile(r"[^./\\]+(?:[./][^./\\]+)*")  # a name in which nothing is to be resolved
_DUMP = b"<mediawiki"  # how a dump's root element begins


@dataclass(frozen=True, slots=True)
class Hints:
    """What a person knows better than detection: see `sansho build --help`.

    sites: records of wikis that are not built in.
    """

    site: str | None = None
    game: str | None = None
    lang: str | None = None
    edition: str | None = None
    sites: tuple[Site, ...] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Bytes as served, with where they are kept (`where`), their URL, and what a manifest
    says of them. `notice` is what readers must be told of everything that is cited from it.
    A dump is not taken into memory: it has `stream`, which opens it, and of `data` only the
    beginning. What is read of two snapshots is the same if their `identity` is; that of a dump
    says nothing of its pages (see `Part.identity`)."""

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
    identity: bytes = b""

    def open(self) -> IO[bytes]:
        """The bytes as a file, from their beginning."""
        return self.stream() if self.stream else BytesIO(self.data)

    @property
    def sha256(self) -> str:
        """The hash of the bytes, in hex. Of a dump all of it is read."""
        with self.open() as bytes_:
            return hashlib.file_digest(bytes_, "sha256").hexdigest()  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Unchanged:
    """A snapshot that is known already, by its identity."""

    identity: bytes


@dataclass(frozen=True)
class _Ask:
    """What is asked for: snapshots with these hints, but nothing of those that are known."""

    hints: Hints
    known: Container[bytes]

    def identity(self, where: str, line: str, content: bytes) -> bytes:
        """What all that is read of a snapshot depends on, in short."""
        said = f"{where}\0{line}\0{self._said}\0".encode("utf-8", "surrogatepass")
        return hashlib.blake2b(said + content, digest_size=16).digest()

    @cached_property
    def _said(self) -> str:
        return repr(self.hints)


def snapshots(
    source: Path, hints: Hints, known: Container[bytes] = frozenset()
) -> Iterator[Snapshot | Unchanged | ReadWarning]:
    """Every snapshot under a file, a folder or a tar or zip archive, and in a WARC file.

    A `manifest.jsonl` tells URLs, headers and times of the files at and below its folder;
    files that it does not name are read all the same. What can't be read is a `Warn`, in its
    place; of a snapshot whose identity is known, nothing is said but that it is there. Raises
    SourceError if `source` is not there or holds no file.
    """
    if not source.exists():
        raise SourceError(f"{source}: no such file or folder")
    ask = _Ask(hints, known)
    if source.is_dir():
        yield from _folder(source, ask)
    elif not warc.is_warc(source) and is_archive(source):
        yield from _archive(source, ask)
    else:
        manifest = _manifest(_read(source.parent / MANIFEST), source.parent)
        yield from _file(str(source), manifest, ask)


def _folder(source: Path, ask: _Ask) -> Iterator[Snapshot | Unchanged | ReadWarning]:
    said: _Known = {}
    files = list(_files(source))
    for path in files:
        if path.rpartition(os.sep)[2] == MANIFEST:
            said |= _manifest(_read(Path(path)), Path(path).parent)
    seen = set()
    for path in files:
        name = path.rpartition(os.sep)[2]
        if name not in _NO_PAGES and not name.startswith("."):
            seen.add(path)
            yield from _file(path, said, ask)
    if not seen:
        raise SourceError(f"{source}: an empty folder; nothing to read in it")
    yield from _left_over(said, seen)


def _files(source: Path) -> Iterator[str]:
    """The files in a folder and in those in it, always in the same order; as text, for a Path
    takes longer to make than a file to read."""
    for folder, folders, names in os.walk(source):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)  # noqa: PTH118
            if os.path.isfile(path):  # noqa: PTH113
                yield path


def _file(where: str, said: _Known, ask: _Ask) -> Iterator[Snapshot | Unchanged | ReadWarning]:
    line = _said_of(where, said)
    try:
        with open(where, "rb", buffering=0) as plain:  # noqa: PTH123
            data = plain.read(_SMALL)
    except OSError as error:
        yield ReadWarning(where, f"can't be read: {error.strerror or error}")
        return
    if warc.may_begin(data) and warc.is_warc(Path(where)):
        yield from _answers(where, line, ask)
    elif len(data) < _SMALL and not is_compressed(data) and _DUMP not in data[:_BEGINNING]:
        yield _snapshot(where, data, line, ask)
    else:
        yield _page(where, line, ask)


def _answers(where: str, line: str, ask: _Ask) -> Iterator[Snapshot | Unchanged | ReadWarning]:
    """The answers in a WARC file; what a manifest says of the file holds of each."""
    for found in warc.records(Path(where)):
        if isinstance(found, ReadWarning):
            yield found
            continue
        said = {
            **json.loads(line),
            "url": found.url,
            "status": found.status,
            "headers": found.headers,
            "taken": found.taken,
            "content_type": "",
        }
        yield _snapshot(f"{where}!{found.place}", found.body, json.dumps(said), ask)


def _page(where: str, line: str, ask: _Ask) -> Snapshot | Unchanged | ReadWarning:
    """A file that is large, compressed or a dump."""
    opener = partial(opened, Path(where))
    try:
        with opener() as file:
            data = file.read(_BEGINNING)
            if _DUMP in data:
                found = _snapshot(where, data, line, _Ask(ask.hints, frozenset()), b"")
                return replace(found, stream=opener) if isinstance(found, Snapshot) else found
            data += file.read(LARGEST)
    except BROKEN as error:
        return ReadWarning(where, f"can't be read: {getattr(error, 'strerror', None) or error}")
    if len(data) > LARGEST:
        return ReadWarning(where, f"larger than {LARGEST >> 20} MB; not read")
    return _snapshot(where, data, line, ask)


def _archive(source: Path, ask: _Ask) -> Iterator[Snapshot | Unchanged | ReadWarning]:
    said: _Known = {}
    for found in members(source, only=MANIFEST):
        if not isinstance(found, ReadWarning):
            name, data = found
            said |= _manifest(data, Path(f"{source}!{name}").parent)
    seen = set()
    for found in members(source):
        if isinstance(found, ReadWarning):
            yield found
            continue
        name, data = found
        where = str(Path(f"{source}!{name}"))
        seen.add(where)
        last = name.rpartition("/")[2]
        if last not in _NO_PAGES and not last.startswith("."):
            yield _snapshot(where, data, _said_of(where, said), ask)
    yield from _left_over(said, seen)


def _read(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def _manifest(data: bytes, folder: Path) -> _Known:
    """What a manifest says, by where the files are; a line that says nothing is a warning."""
    entries: _Known = {}
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        if not line.strip():
            continue
        try:
            name = str(json.loads(line)["file"])
            # A Path for each would take longer than to read the files.
            plain = _PLAIN.fullmatch(name)
            entries[f"{folder}{os.sep}{name}" if plain else str(folder / name)] = line
        except (ValueError, KeyError, TypeError, RecursionError):
            where = f"{folder / MANIFEST}:{number}"
            entries[where] = ReadWarning(where, "not a manifest line (JSON with a file)")
    return entries


def _said_of(where: str, known: _Known) -> str:
    """What a manifest says of a file: its line."""
    line = known.get(where)
    return line if isinstance(line, str) else "{}"


def _left_over(known: _Known, seen: set[str]) -> Iterator[ReadWarning]:
    """What a manifest says of files that are not there."""
    for where, line in sorted(known.items(), key=lambda item: item[0]):
        if isinstance(line, ReadWarning):
            yield line
        elif where not in seen:
            yield ReadWarning(where, "named in the manifest but not there")


def _snapshot(
    where: str, data: bytes, line: str, ask: _Ask, content: bytes | None = None
) -> Snapshot | Unchanged | ReadWarning:
    """A snapshot of some bytes, with what is said of them (JSON); `content` is what its identity
    says of them, if not all."""
    identity = ask.identity(where, line, data if content is None else content)
    if identity in ask.known:
        return Unchanged(identity)
    entry: Entry = json.loads(line)
    if _binary(data):
        return ReadWarning(where, "a binary file, not a page")
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
            ask.hints.site or _text(entry, "site") or None,
            ask.hints.game or _text(entry, "game") or None,
            ask.hints.lang or _text(entry, "lang") or None,
            ask.hints.edition or _text(entry, "edition") or None,
            ask.hints.sites,
        ),
        identity=identity,
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
