"""Reads snapshots (bytes as served, with their metadata) from folders, archives and WARC files."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from scraper.errors import SourceError
from scraper.page import NamedKind, ReadWarning
from scraper.rulebook import pdf
from scraper.sources import warc
from scraper.sources.archive import (
    BROKEN,
    LARGEST,
    is_archive,
    is_compressed,
    may_be_archive,
    members,
    opened,
)

if TYPE_CHECKING:
    from scraper.sites.site_catalogue import Site

MANIFEST, SITES = "manifest.jsonl", "sites.toml"
_NO_PAGES = frozenset({MANIFEST, SITES})  # files with metadata
# What lists of names name, as people and manifests put it.
NAMED_KINDS: dict[str, NamedKind] = {
    "terms": "term", "term": "term", "cards": "card", "card": "card",
}  # fmt: skip
Entry = Mapping[str, Any]  # a parsed line of a manifest
# Lines of manifests by the path of their file; a line that can't be read is a warning. The lines
# are kept as text because that takes less memory than the parsed entries.
_Lines = dict[str, str | ReadWarning]
_BEGINNING = 4096  # bytes in which the root element of a dump is looked for
_SMALL = 1 << 20  # bytes that are read at once
_PLAIN_NAME = re.compile(r"[^./\\]+(?:[./][^./\\]+)*")  # a path with no "." or ".." in it
_DUMP = b"<mediawiki"  # the beginning of a dump's root element


@dataclass(frozen=True, slots=True)
class Hints:
    """What the user states about sources, in place of what would be detected; None to detect it.

    site: a site of the catalogue or another kind of source, as `catalogue.names` lists them.
    game: the id of the game, such as `mtg`.
    lang: the language, as a code.
    edition: the edition of the rulebook, as a date such as `20231117`.
    sites: records of the user's own sites.
    names: what lists of names name, terms or cards.
    """

    site: str | None = None
    game: str | None = None
    lang: str | None = None
    edition: str | None = None
    sites: tuple[Site, ...] = ()
    names: NamedKind | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Bytes as served, with their metadata.

    where: the path of the file, followed by `!` and the place in it if it is an archive.
    data: the bytes; of a dump, which is not read into memory, only the beginning.
    url: the address that they were fetched from, or empty.
    content_type: the Content-Type header, or empty.
    status: the HTTP status code.
    taken: when they were fetched, or the Last-Modified header; empty if neither is known.
    form: the form of the document that the manifest states, or empty.
    notice: what readers must be told wherever the pages are cited, such as an attribution.
    hints: what the user or the manifest states about the pages.
    stream: opens a dump as a stream; None for any other snapshot.
    identity: a hash of everything that the pages depend on, so that equal identities mean equal
        pages. For a dump it does not cover the bytes: see `Part.identity`.
    """

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
        """Open all bytes as a binary file, at the beginning; those of a dump are decompressed."""
        return self.stream() if self.stream else BytesIO(self.data)

    @property
    def sha256(self) -> str:
        """The SHA-256 of all bytes, in hex. A dump is read from beginning to end for this."""
        with self.open() as file:
            return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Unchanged:
    """A snapshot whose identity is known already; nothing else is read of it."""

    identity: bytes


@dataclass(frozen=True)
class _Request:
    """Which snapshots are asked for.

    hints: the user's hints; known: the identities of snapshots that are not read again.
    """

    hints: Hints
    known: Container[bytes]

    def identity(self, where: str, line: str, content: bytes) -> bytes:
        """Return a hash (16 bytes) of everything that the pages of a snapshot depend on.

        where: the path; line: its line in a manifest, as text; content: the bytes.
        """
        metadata = f"{where}\0{line}\0{self._hints_text}\0".encode("utf-8", "surrogatepass")
        return hashlib.blake2b(metadata + content, digest_size=16).digest()

    @cached_property
    def _hints_text(self) -> str:
        """The hints as a text, which is slow to make."""
        return repr(self.hints)


def snapshots(
    source: Path, hints: Hints, known: Container[bytes] = frozenset()
) -> Iterator[Snapshot | Unchanged | ReadWarning]:
    """Yield every snapshot in a file, a folder, a tar or zip archive, or a WARC file.

    A `manifest.jsonl` gives the URLs, headers and times of files in its folder and below; files
    that it does not name are read too. What can't be read gives a warning in its place, as does a
    binary file. Archives and WARC files in a folder are read too, archives in archives are not.
    Files whose names begin with a dot are passed over in folders and archives. The order is always
    the same.

    hints: what the user states about all snapshots; it takes precedence over the manifest.
    known: the identities of snapshots that need not be read; each gives an `Unchanged`. A dump is
        never `Unchanged`.

    Raises SourceError if `source` does not exist or is a folder without a file to read: not at the
    call, but where the iteration finds it.
    """
    if not source.exists():
        raise SourceError(f"{source}: no such file or folder")
    request = _Request(hints, known)
    if source.is_dir():
        yield from _read_folder(source, request)
    elif not warc.is_warc(source) and is_archive(source):
        yield from _read_archive(source, request)
    else:
        beside = str(source).removesuffix(source.name)
        lines = _parse_manifest(_read_bytes(source.parent / MANIFEST), beside)
        yield from _read_file(str(source), lines, request)


def _read_folder(source: Path, request: _Request) -> Iterator[Snapshot | Unchanged | ReadWarning]:
    """Yield the snapshots in a folder and below, then the warnings of the manifests in it.

    Manifests, `sites.toml` and files whose names begin with a dot are no snapshots. Raises
    SourceError if there is no other file.
    """
    lines: _Lines = {}
    paths = list(_walk_files(source))
    for path in paths:
        if path.rpartition(os.sep)[2] == MANIFEST:
            lines |= _parse_manifest(_read_bytes(Path(path)), path.removesuffix(MANIFEST))
    seen = set()
    for path in paths:
        if is_read_in_folder(path.rpartition(os.sep)[2]):
            seen.add(path)
            yield from _read_file(path, lines, request)
    if not seen:
        named = [where for where, line in lines.items() if isinstance(line, str)]
        raise SourceError(f"{source}: {_nothing_read(named)}")
    yield from _manifest_warnings(lines, seen)


def _nothing_read(named: Sequence[str]) -> str:
    """Return why a folder has no file to read: it is empty, or only has a manifest.

    named: the places of the files that manifests in it name.
    """
    if not named:
        return "an empty folder; nothing to read in it"
    rest = len(named) - 1
    others = f" and {rest} {'other' if rest == 1 else 'others'} are" if rest else " is"
    return f"nothing to read in it; {MANIFEST} names files, but {min(named)}{others} not there"


def is_read_in_folder(name: str) -> bool:
    """Whether a file of a folder or archive is read, by its name: files with metadata and those
    whose names begin with a dot are not."""
    return name not in _NO_PAGES and not name.startswith(".")


def _walk_files(source: Path) -> Iterator[str]:
    """Yield the paths of all files in a folder and below, always in the same order.

    They are texts, as creating a Path takes longer than reading a file.
    """
    for folder, folders, names in os.walk(source):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)  # noqa: PTH118
            if os.path.isfile(path):  # noqa: PTH113
                yield path


def _read_file(
    where: str, lines: _Lines, request: _Request
) -> Iterator[Snapshot | Unchanged | ReadWarning]:
    """Yield the snapshots of a file: many in a WARC file or an archive, else one or a warning.

    The kind is judged by the content. The members of an archive have manifests of their own.

    where: the path of the file; lines: the lines of manifests, in which its own may be missing.
    """
    line = _line_of(where, lines)
    try:
        with open(where, "rb", buffering=0) as file:  # noqa: PTH123
            data = file.read(_SMALL)
    except OSError as error:
        yield ReadWarning(where, f"can't be read: {error.strerror or error}")
        return
    if warc.may_begin(data) and warc.is_warc(Path(where)):
        yield from _read_warc(where, line, request)
    elif may_be_archive(data) and is_archive(Path(where)):
        yield from _read_archive(Path(where), request)
    elif len(data) < _SMALL and not is_compressed(data) and _DUMP not in data[:_BEGINNING]:
        yield _make_snapshot(where, data, line, request)
    else:
        yield _read_large_file(where, line, request)


def _read_warc(
    where: str, line: str, request: _Request
) -> Iterator[Snapshot | Unchanged | ReadWarning]:
    """Yield the answers in a WARC file. The file's line in a manifest applies to each of them.

    Their URLs, status, headers and times are those in the WARC file. Each is at `where!place`.

    line: that line as JSON, `{}` if there is none.
    """
    for record in warc.records(Path(where)):
        if isinstance(record, ReadWarning):
            yield record
            continue
        entry = {
            **json.loads(line),
            "url": record.url,
            "status": record.status,
            "headers": record.headers,
            "taken": record.taken,
            "content_type": "",
        }
        yield _make_snapshot(f"{where}!{record.place}", record.body, json.dumps(entry), request)


def _read_large_file(
    where: str, line: str, request: _Request
) -> Snapshot | Unchanged | ReadWarning:
    """Return the snapshot of a file that is large, compressed or a dump.

    The bytes are decompressed. A dump is not read into memory but has a `stream`; any other file
    that is larger than `LARGEST` when decompressed gives a warning.

    where: the path of the file, never a place in an archive.
    line: its line in a manifest, as JSON; `{}` if there is none.
    """
    open_stream = partial(opened, Path(where))
    try:
        with open_stream() as file:
            data = file.read(_BEGINNING)
            if _DUMP in data:
                # A dump is never `Unchanged`: its identity says nothing of its pages.
                request = _Request(request.hints, frozenset())
                dump = _make_snapshot(where, data, line, request, b"")
                return replace(dump, stream=open_stream) if isinstance(dump, Snapshot) else dump
            data += file.read(LARGEST)
    except BROKEN as error:
        return ReadWarning(where, f"can't be read: {getattr(error, 'strerror', None) or error}")
    if len(data) > LARGEST:
        return ReadWarning(where, f"larger than {LARGEST >> 20} MB; not read")
    return _make_snapshot(where, data, line, request)


def _read_archive(source: Path, request: _Request) -> Iterator[Snapshot | Unchanged | ReadWarning]:
    """Yield the snapshots in a tar or zip archive, which is read twice: first the manifests.

    Manifests, `sites.toml` and files whose names begin with a dot are no snapshots. The warnings of
    the manifests come last.
    """
    lines: _Lines = {}
    for member in members(source, only=MANIFEST):
        if not isinstance(member, ReadWarning):
            path, data = member
            lines |= _parse_manifest(data, _member_place(source, path.removesuffix(MANIFEST)))
    seen = set()
    for member in members(source):
        if isinstance(member, ReadWarning):
            yield member
            continue
        path, data = member
        where = _member_place(source, path)
        seen.add(where)
        if is_read_in_folder(path.rpartition("/")[2]):
            yield _make_snapshot(where, data, _line_of(where, lines), request)
    yield from _manifest_warnings(lines, seen)


def _read_bytes(path: Path) -> bytes:
    """Return the bytes of a file; empty if there is no such file. Raises OSError if unreadable."""
    return path.read_bytes() if path.is_file() else b""


def _member_place(source: Path, path: str) -> str:
    """Return the place of a member of an archive, whether or not its path begins with `./`.

    >>> _member_place(Path("a.tar"), "./b/c.html")
    'a.tar!b/c.html'
    """
    return f"{source}!{path.removeprefix('./')}"


def _parse_manifest(data: bytes, folder: str) -> _Lines:
    """Return the lines of a manifest by the places of their files.

    data: the manifest, or empty bytes if there is none.
    folder: what the place of every file in the manifest's folder begins with, such as `a/b/` or
        `a.tar!b/`.

    A malformed line gives a warning under its own place.
    """
    lines: _Lines = {}
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        if not line.strip():
            continue
        try:
            name = str(json.loads(line)["file"])
            # Creating a Path for each would take longer than reading the files.
            plain = _PLAIN_NAME.fullmatch(name)
            lines[folder + (name if plain else os.path.normpath(name))] = line
        except (ValueError, KeyError, TypeError, RecursionError):
            where = f"{folder}{MANIFEST}:{number}"
            lines[where] = ReadWarning(where, "not a manifest line (JSON with a file)")
    return lines


def _line_of(where: str, lines: _Lines) -> str:
    """Return the line of a file in a manifest, as JSON; `{}` if it has none or it is a warning.

    where: the path of the file, or its place in an archive: a key of `lines`.
    """
    line = lines.get(where)
    return line if isinstance(line, str) else "{}"


def _manifest_warnings(lines: _Lines, seen: set[str]) -> Iterator[ReadWarning]:
    """Yield the warnings of manifests: malformed lines, and lines of files that do not exist.

    seen: the places of all files that were found.
    """
    for where, line in sorted(lines.items(), key=lambda item: item[0]):
        if isinstance(line, ReadWarning):
            yield line
        elif where not in seen:
            yield ReadWarning(where, "named in the manifest but not there")


def _make_snapshot(
    where: str, data: bytes, line: str, request: _Request, content: bytes | None = None
) -> Snapshot | Unchanged | ReadWarning:
    """Return the snapshot of some bytes, or a warning if they are binary.

    An `Unchanged` if the request knows their identity. The user's hints take precedence over the
    entry's.

    where: the path of the file, or the place in an archive or WARC file, as in `Snapshot.where`.
    line: their entry in a manifest, as JSON; `{}` if there is none.
    content: what the identity covers in place of all bytes; None for all bytes.
    """
    identity = request.identity(where, line, data if content is None else content)
    if identity in request.known:
        return Unchanged(identity)
    entry: Entry = json.loads(line)
    if _is_binary(data):
        return ReadWarning(where, _what_binary(data))
    headers = entry.get("headers")
    headers = headers if isinstance(headers, dict) else {}
    headers = {str(key).lower(): str(value) for key, value in headers.items()}
    return Snapshot(
        where=where,
        data=data,
        url=_text(entry, "url"),
        content_type=_text(entry, "content_type") or headers.get("content-type", ""),
        status=entry["status"] if isinstance(entry.get("status"), int) else 200,
        taken=_text(entry, "taken") or headers.get("last-modified", ""),
        form=_text(entry, "form"),
        notice=_text(entry, "notice"),
        hints=Hints(
            request.hints.site or _text(entry, "site") or None,
            request.hints.game or _text(entry, "game") or None,
            request.hints.lang or _text(entry, "lang") or None,
            request.hints.edition or _text(entry, "edition") or None,
            request.hints.sites,
            request.hints.names or NAMED_KINDS.get(_text(entry, "names")),
        ),
        identity=identity,
    )


def _text(entry: Entry, key: str) -> str:
    """Return the value of a key if it is a text, else an empty text.

    entry: a parsed line of a manifest; the key may be missing.
    """
    value = entry.get(key)
    return value if isinstance(value, str) else ""


def _what_binary(data: bytes) -> str:
    """Return why binary bytes are not read: a damaged or nested archive, or no page at all."""
    if is_compressed(data) or data.startswith(b"PK"):
        return "an archive that is damaged, or inside another; not read"
    return "a binary file, not a page"


def _is_binary(data: bytes) -> bool:
    """Whether bytes are neither text nor a PDF: by a known signature, or by an early NUL.

    A text in UTF-16 contains NULs too, but begins with a byte order mark.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff", pdf.MAGIC)):
        return False
    return data.startswith((b"PK\x03\x04", b"\x1f\x8b", b"\x89PNG", b"\xff\xd8\xff")) or (
        b"\x00" in data[:65536]
    )
