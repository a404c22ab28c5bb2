"""Reads snapshots (bytes as served, with their metadata) from folders, archives and WARC files."""

from __future__ import annotations

import hashlib
import os
import posixpath
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from io import SEEK_END, BufferedReader, BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING

from scraper.errors import SourceError
from scraper.page import NamedKind, ReadWarning
from scraper.rulebook import pdf
from scraper.sources import limits, parquet_pages, warc
from scraper.sources.archive import BROKEN, is_archive, may_be_archive, members
from scraper.sources.compressed import DamageError, Stream, is_compressed, opened
from scraper.sources.files import (
    HIDDEN,
    MANIFEST,
    NoFileError,
    check_is_file,
    is_hidden,
    is_of_program,
    message,
    open_file,
    storable_path,
    walk,
)
from scraper.sources.http_body import is_success
from scraper.sources.limits import with_few_warnings
from scraper.sources.manifest import (
    NAMED_KINDS,
    Entry,
    Manifests,
    entry_of,
    missing_files,
    without_surrogates,
)
from scraper.sources.rulebook_files import book_parts, joined, joined_warning, runs

if TYPE_CHECKING:
    from scraper.sites.site_catalogue import Site

SITES = "sites.toml"
_NO_PAGES = frozenset({MANIFEST, SITES})  # files with metadata
# What is stated of a Parquet file that may be so of its pages.
_OF_FILES = ("form", "notice", "site", "game", "lang", "edition", "names")
_ZSTD = b"\x28\xb5\x2f\xfd"  # the magic by its format
# Magics of files that are no pages: Parquet, zstd, zip, gzip, PNG, JPEG.
_BINARY = (parquet_pages.MAGIC, _ZSTD, b"PK\x03\x04", b"\x1f\x8b", b"\x89PNG", b"\xff\xd8\xff")
# Bytes in which the root element of a dump is looked for, as in `mediawiki_dump`: a declaration and
# a comment fit in front of it.
_BEGINNING = 4096
_SMALL = 1 << 20  # bytes that are read at once: nearly all files of pages are smaller
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
    def is_page(self) -> bool:
        """Whether it is the page that was asked for, by its status, and no redirect or error."""
        return is_success(self.status)

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
class Request:
    """Which snapshots are asked for.

    hints: the user's hints; known: the identities of snapshots that are not read again.
    source: the path of the file or folder that is read.
    named: what its places begin with in place of that path; empty for the path.
    refused: whether answers that are no page by their status are asked for.
    """

    hints: Hints
    known: Container[bytes]
    source: str
    named: str = ""
    refused: bool = False

    def place(self, path: str) -> str:
        """Return the place of a file: its path, in which the source may have another name."""
        if not self.named:
            return storable_path(path)
        inside = path.removeprefix(self.source).replace(os.sep, "/")
        return storable_path(self.named.removesuffix("/") + inside if inside else self.named)

    def identity(self, where: str, entry: Entry, content: bytes) -> bytes:
        """Return a hash (16 bytes) of everything that the pages of a snapshot depend on.

        where: the place; entry: what a manifest states of it; content: the bytes.
        """
        metadata = f"{where}\0{entry}\0{self._hints_text}\0".encode("utf-8", "surrogatepass")
        return hashlib.blake2b(metadata + content, digest_size=16).digest()

    @cached_property
    def _hints_text(self) -> str:
        """The hints as a text, which is slow to make."""
        return repr(self.hints)


def snapshots(
    source: Path,
    hints: Hints,
    known: Container[bytes] = frozenset(),
    named: str = "",
    refused: bool = False,
) -> Iterator[Snapshot | Unchanged | ReadWarning]:
    """Yield every snapshot in a file, a folder, a tar or zip archive, a WARC or a Parquet file.

    A `manifest.jsonl` gives the URLs, headers and times of files in its folder and below; files
    that it does not name are read too. What can't be read gives a warning in its place, as does a
    binary file. Archives, WARC and Parquet files in a folder are read too; in archives they are
    not. Of hidden files in folders and archives (`scraper.sources.files`) only those are
    read that a manifest names. The order is always the same. Of several members of an archive with
    one name, the last is read.

    hints: what the user states about all snapshots; it takes precedence over the manifest.
    known: the identities of snapshots that need not be read; each gives an `Unchanged`. A dump is
        never `Unchanged`.
    named: the name under which the source is known in places, identities and warnings, if it is a
        copy of something that is elsewhere; empty for its path.
    refused: whether answers that are no page by their status are yielded, too, so that their text
        can be counted. They give a warning in any case.

    Raises SourceError if `source` does not exist, is a pipe, a socket or a device, or is a folder
    without a file to read: not at the call, but where the iteration finds it.
    """
    request = Request(hints, known, str(source), named, refused)
    where = request.place(str(source))
    check_is_there(source, where)
    manifests = Manifests()
    if source.is_dir():
        files = folder_files(source, request, manifests)
        yield from with_few_warnings(_read_files(files, request, manifests), where)
    else:
        files = file_with_manifest(source, request, manifests)
        yield from _read_files(files, request, manifests)


def _read_files(
    files: Iterator[str | ReadWarning], request: Request, manifests: Manifests
) -> Iterator[Snapshot | Unchanged | ReadWarning]:
    """Yield the snapshots in files, and warnings as they are. files: the paths, and warnings."""
    for found in runs(files):
        if isinstance(found, ReadWarning):
            yield found
        else:
            yield from read_run(found, manifests, request)


def read_run(
    paths: Sequence[str], manifests: Manifests, request: Request
) -> Iterator[Snapshot | Unchanged | ReadWarning]:
    """Yield the snapshots of files that `rulebook_files.runs` gives together: those that are parts
    of one rulebook are one, with the folder as its place."""
    entry = manifests.of(request.place(paths[0]))
    are_alike = all(manifests.of(request.place(path)) == entry for path in paths)
    parts = book_parts(paths) if are_alike else []
    of_book = [part.path for part in parts]
    for path in paths:
        if path not in of_book:
            yield from read_file(path, manifests, request)
        elif path == of_book[0]:
            where = request.place(os.path.dirname(path))  # noqa: PTH120
            yield joined_warning(where, parts)
            yield from _make_snapshot(where, joined(parts), entry, request)


def file_with_manifest(
    source: Path, request: Request, manifests: Manifests
) -> Iterator[str | ReadWarning]:
    """Yield the warnings of the manifest beside a file, then the path of the file.

    manifests: gets what that manifest states.
    """
    named, beside = request.named, str(source).removesuffix(source.name) + MANIFEST
    place = storable_path(named[: named.rfind("/") + 1] + MANIFEST if named else beside)
    add_manifest(manifests, beside, place)
    where = request.place(str(source))
    for warning in manifests.warnings:  # not those of other files that it names
        if warning.where in {where, place} or warning.where.startswith(f"{place}:"):
            yield warning
    yield str(source)


def check_is_there(source: Path, where: str) -> None:
    """Raise SourceError if there is neither a file nor a folder, or it can't be looked at."""
    try:
        source.stat()
        if not source.is_dir():
            check_is_file(source)
    except NoFileError as error:
        raise SourceError(f"{where}: {error}") from None
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise SourceError(f"{where}: no such file or folder") from None
    except OSError as error:
        raise SourceError(f"{where}: can't be read: {message(error)}") from None


def folder_files(
    source: Path, request: Request, manifests: Manifests
) -> Iterator[str | ReadWarning]:
    """Yield the paths of the files to read in a folder and below, and warnings; those of manifests
    and of files that these name in vain come last.

    manifests: gets what the manifests state, before the first path is yielded.

    Raises SourceError if there is no file to read. The folder is walked twice, as there may be too
    many files to remember.
    """
    for path in walk(source):
        if not isinstance(path, ReadWarning) and path.rpartition(os.sep)[2] == MANIFEST:
            add_manifest(manifests, path, request.place(path))
    seen, is_empty, problem = set(), True, ""
    for path in files_to_read(source, manifests.entries, request.place):
        yield path
        if isinstance(path, ReadWarning):
            problem = problem or f"{path.where}: {path.what}"
        else:
            is_empty = False
            where = request.place(path)
            if where in manifests.entries:
                seen.add(where)
    if is_empty:
        nothing = problem or _nothing_read(list(manifests.entries))
        raise SourceError(f"{request.place(str(source))}: {nothing}")
    yield from manifests.warnings
    yield from missing_files(manifests, seen)


def add_manifest(manifests: Manifests, path: str, place: str) -> None:
    """Add what a manifest states, if it is there; a warning if it can't be read.

    place: its own; those of its files begin with the same folder.
    """
    try:
        with open_file(path) as file, BufferedReader(file) as buffered:
            manifests.add(buffered, place.removesuffix(MANIFEST), place)
    except FileNotFoundError:
        return
    except OSError as error:
        manifests.warnings.append(ReadWarning(place, f"can't be read: {message(error)}"))


def _nothing_read(named: Sequence[str]) -> str:
    """Return why a folder has no file to read: it is empty, or only has a manifest.

    named: the places of the files that manifests in it name.
    """
    if not named:
        return "an empty folder; nothing to read in it"
    rest = len(named) - 1
    others = f" and {rest} {'other' if rest == 1 else 'others'} are" if rest else " is"
    return f"nothing to read in it; {MANIFEST} names files, but {min(named)}{others} not there"


def files_to_read(
    folder: Path, named: Container[str], place: Callable[[str], str] = storable_path
) -> Iterator[str | ReadWarning]:
    """Yield the paths of the files in a folder and below that are read, and warnings for others.

    Manifests and `sites.toml` are left out.

    named: the places of files that manifests name.
    place: returns the place of a file by its path.
    """
    for path in walk(folder, place):
        if isinstance(path, ReadWarning):
            yield path
            continue
        where, inside = place(path), path.removeprefix(str(folder)).replace(os.sep, "/")
        if where not in named and is_hidden(inside):
            yield from _passed_over(where, inside)
        elif inside.rpartition("/")[2] not in _NO_PAGES:
            yield path


def _passed_over(where: str, inside: str) -> Iterator[ReadWarning]:
    """Yield the warning of a hidden file, unless it is a program's own. inside: its path in the
    folder or archive that is read."""
    if not is_of_program(inside):
        yield ReadWarning(where, HIDDEN)


def read_file(
    path: str, manifests: Manifests, request: Request
) -> Iterator[Snapshot | Unchanged | ReadWarning]:
    """Yield the snapshots of a file: many in a WARC file or an archive, else one or a warning.

    The kind is judged by the content. The members of an archive have manifests of their own.

    manifests: what is stated of files; of this one nothing may be.
    """
    where = request.place(path)
    entry = manifests.of(where)
    try:
        with open_file(path) as file:
            data = file.read(_SMALL)
    except OSError as error:
        yield ReadWarning(where, f"can't be read: {message(error)}")
        return
    if warc.may_begin(data) and warc.is_warc(Path(path)):
        yield from _read_warc(path, entry, request)
    elif data.startswith(parquet_pages.MAGIC):
        yield from with_few_warnings(_read_parquet(path, entry, request), where)
    elif may_be_archive(data) and is_archive(Path(path)):
        yield from with_few_warnings(_read_archive(Path(path), where, request), where)
    elif len(data) < _SMALL and not is_compressed(data) and _DUMP not in data[:_BEGINNING]:
        yield from _make_snapshot(where, data, entry, request)
    else:
        yield from _read_large_file(path, entry, request)


def _read_warc(
    path: str, entry: Entry, request: Request
) -> Iterator[Snapshot | Unchanged | ReadWarning]:
    """Yield the answers in a WARC file. What is stated of the file applies to each of them.

    Their URLs, status, headers and times are those in the WARC file. Each is at `where!place`.
    """
    where = request.place(path)
    for record in with_few_warnings(warc.records(Path(path), where), where):
        if isinstance(record, ReadWarning):
            yield record
            continue
        of_record = replace(
            entry,
            url=without_surrogates(record.url),
            status=record.status,
            content_type=without_surrogates(record.headers.get("content-type", "")),
            taken=without_surrogates(record.taken or record.headers.get("last-modified", "")),
        )
        for found in _make_snapshot(f"{where}!{record.place}", record.body, of_record, request):
            if not isinstance(found, ReadWarning) or is_success(record.status):
                yield found  # the last warning of the file counts the others


def _read_parquet(
    path: str, entry: Entry, request: Request
) -> Iterator[Snapshot | Unchanged | ReadWarning]:
    """Yield the pages in a Parquet file. What is stated of the file applies to each page whose row
    states nothing else.

    Their URLs, status, types and times are those of their rows. Each is at `where!place`.
    """
    where = request.place(path)
    of_file = {name: value for name in _OF_FILES if (value := getattr(entry, name))}
    for row in parquet_pages.rows(Path(path), where):
        if isinstance(row, ReadWarning):
            yield row
            continue
        place, problems = _member_place(where, row.place), list(row.problems)
        of_row = entry_of(row.stated, problems)
        yield from (ReadWarning(place, what) for what in problems)
        missing = {name: of_file[name] for name in of_file if not getattr(of_row, name)}
        yield from _make_snapshot(place, row.body, replace(of_row, **missing), request)


def _read_large_file(
    path: str, entry: Entry, request: Request
) -> Iterator[Snapshot | Unchanged | ReadWarning]:
    """Yield the snapshot of a file that is large, compressed or a dump, or a warning, or both.

    The bytes are decompressed. A dump is not read into memory but has a `stream`; any other file
    that is larger than `limits.LARGEST` when decompressed gives a warning.

    path: of the file, never a place in an archive.
    """
    where = request.place(path)
    try:
        with opened(path) as file:
            data = file.read(_BEGINNING)
            if _DUMP in data:
                # A dump is never `Unchanged`: its identity says nothing of its pages.
                request = replace(request, known=frozenset(), refused=False)
                for dump in _make_snapshot(where, data, entry, request, b""):
                    if isinstance(dump, Snapshot):
                        dump = replace(dump, stream=partial(opened, path))
                    yield dump
                return
        if _is_too_large(path):
            limit = limits.size(limits.LARGEST)
            yield ReadWarning(where, f"larger than {limit}; not read")
            return
        with opened(path) as file:
            data = file.read(limits.LARGEST)
            problem = _damage_behind(file)
    except BROKEN as error:
        yield ReadWarning(where, f"can't be read: {message(error)}")
        return
    if problem:
        yield ReadWarning(where, f"{problem}; read as far as it goes")
    yield from _make_snapshot(where, data, entry, request)


def _is_too_large(path: str) -> bool:
    """Whether a file is larger than `limits.LARGEST`, decompressed. Nothing of it is kept, so that
    a small file that unpacks to a huge one costs no memory."""
    with opened(path) as file:
        if not isinstance(file, Stream):
            return file.seek(0, SEEK_END) > limits.LARGEST
        try:
            return file.skip(limits.LARGEST + 1) > limits.LARGEST
        except DamageError:  # smaller than that
            return False


def _damage_behind(file: IO[bytes]) -> str:
    """Return what is wrong with a stream behind the bytes that were read; empty if nothing is."""
    try:
        file.read(1)
    except DamageError as error:
        return str(error)
    return ""


def _read_archive(
    source: Path, archive: str, request: Request
) -> Iterator[Snapshot | Unchanged | ReadWarning]:
    """Yield the snapshots in a tar or zip archive, whose place is `archive`. The warnings of its
    manifests come last."""
    manifests, seen = Manifests(), set()
    for member in members(source):
        if isinstance(member, str):
            yield ReadWarning(archive, member)
            continue
        where = _member_place(archive, member.name)
        inside = where.removeprefix(f"{archive}!")
        if member.in_advance:
            if member.problem:
                manifests.warnings.append(ReadWarning(where, member.problem))
            else:
                manifests.add(BytesIO(member.data), where.removesuffix(MANIFEST), where)
            continue
        if where in manifests.entries:
            seen.add(where)
        elif is_hidden(inside):
            yield from _passed_over(where, inside)
            continue
        if inside.rpartition("/")[2] in _NO_PAGES:
            continue
        if member.problem:
            yield ReadWarning(where, member.problem)
        else:
            yield from _make_snapshot(where, member.data, manifests.of(where), request)
    yield from manifests.warnings
    yield from missing_files(manifests, seen)


def _member_place(archive: str, name: str) -> str:
    """Return the place of a member of an archive, whether or not its path begins with `./`.

    >>> _member_place("a.tar", "./b//c.html")
    'a.tar!b/c.html'
    """
    return f"{archive}!{storable_path(posixpath.normpath(name))}"


def _make_snapshot(
    where: str, data: bytes, entry: Entry, request: Request, content: bytes | None = None
) -> Iterator[Snapshot | Unchanged | ReadWarning]:
    """Yield the snapshot of some bytes, or a warning if they are binary. If they are no page by
    their status, yield a warning, and the snapshot only if it is asked for.

    An `Unchanged` if the request knows their identity. The user's hints take precedence over the
    entry's.

    where: the path of the file, or the place in an archive or WARC file, as in `Snapshot.where`.
    entry: what a manifest states of them.
    content: what the identity covers in place of all bytes; None for all bytes.
    """
    if not is_success(entry.status):
        what = f"an answer with the status {entry.status}, not a page; left out"
        yield ReadWarning(where, what)
        if not request.refused or _is_binary(data):
            return
    identity = request.identity(where, entry, data if content is None else content)
    if identity in request.known:
        yield Unchanged(identity)
        return
    if _is_binary(data):
        yield ReadWarning(where, _what_binary(data))
        return
    yield Snapshot(
        where=where,
        data=data,
        url=entry.url,
        content_type=entry.content_type,
        status=entry.status,
        taken=entry.taken,
        form=entry.form,
        notice=entry.notice,
        hints=Hints(
            request.hints.site or entry.site or None,
            request.hints.game or entry.game or None,
            request.hints.lang or entry.lang or None,
            request.hints.edition or entry.edition or None,
            request.hints.sites,
            request.hints.names or NAMED_KINDS.get(entry.names),
        ),
        identity=identity,
    )


def _what_binary(data: bytes) -> str:
    """Return why binary bytes are not read: a damaged or nested archive or Parquet file, another
    compression, or no page at all. data: bytes for which `_is_binary` is true."""
    if data.startswith(parquet_pages.MAGIC):
        return "a Parquet file inside an archive; not read"
    if is_compressed(data) or data.startswith(b"PK"):
        return "an archive that is damaged, or inside another; not read"
    if data.startswith(_ZSTD):
        return "compressed with zstd, which is not read; gzip, bzip2 and xz are"
    return "a binary file, not a page"


def _is_binary(data: bytes) -> bool:
    """Whether bytes are neither text nor a PDF: by a known signature, or by a NUL in the first 64
    kB. False of no bytes.

    A text in UTF-16 contains NULs too, but begins with a byte order mark.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff", pdf.MAGIC)):
        return False
    return data.startswith(_BINARY) or b"\x00" in data[:65536]
