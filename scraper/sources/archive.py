"""Reads the files in tar and zip archives, one at a time, and never trusts what they claim.

`zipfile` and `tarfile` read them in a child process: the one keeps the whole directory in memory,
and some versions of the other take gigabytes or hours for the headers of a small tar.
"""

from __future__ import annotations

import io
import lzma
import os
import posixpath
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, partial
from itertools import groupby, pairwise
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from scraper.reader_process import Frame
from scraper.sources import limits
from scraper.sources.compressed import DamageError, Stream, decompressed, is_compressed
from scraper.sources.files import MANIFEST, frames_of_file, message, open_file

# What the readers of compressed files raise on a broken one.
BROKEN = (EOFError, OSError, zlib.error, lzma.LZMAError, RuntimeError, ValueError)
_START = 512  # bytes by which an archive is known: the first header of a tar
_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08", b"PK00PK\x03\x04")  # a file, the end, split
# Headers of a tar that belong to the next one.
_OF_NEXT = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE,
            tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)  # fmt: skip
_ENCRYPTED, _UTF_8 = 1, 1 << 11  # flags of a file in a zip, by its format
# Bytes of a file in a zip that are unpacked at a time; of bzip2 and LZMA: packed ones, which may
# unpack to very many, so that they are few.
_STEP = 1 << 12


class Member(NamedTuple):
    """A file in an archive.

    name: its path there; bytes that are not UTF-8 are lone surrogates.
    data: its bytes; problem: why they can't be read, or are not; empty if they are.
    in_advance: whether it is a manifest that comes before its turn, where it comes again.
    """

    name: str
    data: bytes
    problem: str
    in_advance: bool


class _File(NamedTuple):
    """A file that is found in an archive. read: returns its bytes, before the next file is asked
    for; raises whatever the libraries do if they can't be read."""

    name: str
    read: Callable[[], bytes]


def may_be_archive(data: bytes) -> bool:
    """Whether a file that begins with these bytes may be an archive that `members` reads.

    True for any compressed file; `is_archive` decides. At least the first 512 bytes are needed.
    """
    return data.startswith(_ZIP) or _looks_like_tar(data) or is_compressed(data)


def is_archive(path: Path) -> bool:
    """Whether a file is a tar (compressed or not) or zip archive, judged by its first bytes.

    False if it can't be read.
    """
    try:
        with open_file(path) as file:
            start = _beginning(decompressed(file))
    except OSError:
        return False
    return start.startswith(_ZIP) or _looks_like_tar(start)


def _beginning(found: Iterator[bytes]) -> bytes:
    """Return the first bytes of pieces that may be damaged behind them: whole pieces, `_START`
    bytes or more, fewer only where they end or are damaged."""
    start = b""
    try:
        while len(start) < _START and (piece := next(found, b"")):
            start += piece
    except DamageError:
        pass
    return start


def _looks_like_tar(start: bytes) -> bool:
    """Whether a file that begins with these bytes is a tar. Its first header may be damaged, if it
    is one of the usual kind."""
    if start[257:].startswith(b"ustar"):
        return True
    try:
        tarfile.TarInfo.frombuf(start[:_START], "utf-8", "surrogateescape")
    except (tarfile.TarError, ValueError, OverflowError):
        return False
    return bool(start[:1].strip(b"\0"))


def members(path: Path) -> Iterator[Member | str]:
    """Yield the manifests in a tar or zip archive, and then all the files in it, one at a time. An
    archive in it is one file.

    A file that can't be read says so; anything else that is damaged gives a text to warn with in
    its place. Reading ends with one where the archive can't be read any further.
    """
    for found, data in frames_of_file(path, frames_of_archive, "its reader"):
        if "name" in found:
            yield Member(data=data, **found)
        else:
            yield str(found["what"])


def frames_of_archive(file: IO[bytes], given: dict[str, Any]) -> Iterator[Frame]:
    """Yield the fields of each `Member` of an archive with its bytes, and `what` to warn of. To be
    run in a child.

    Of several files with one place only the last is read, as it is where the archive is unpacked.

    given: the limits.
    """
    vars(limits).update(given)
    files = _opened(file)
    last_of = dict[int, int]()
    for number, found in enumerate(files()):
        if isinstance(found, _File):
            last_of[_key(found.name)] = number
            if found.name.rpartition("/")[2] == MANIFEST:
                yield _frame(found, in_advance=True)
    for number, found in enumerate(files()):
        if isinstance(found, str):
            yield {"what": found}, b""
        elif number < last_of.get(_key(found.name), 0):
            problem = "a later file of this name in the archive is read instead"
            yield {"name": found.name, "problem": problem, "in_advance": False}, b""
        else:
            yield _frame(found, in_advance=False)


def _key(name: str) -> int:
    """Return what stands for the place of a file: a hash of its path, the same for `./a` and `a`.
    Names may be long, and there may be very many."""
    return hash(posixpath.normpath(name))


def _frame(found: _File, in_advance: bool) -> Frame:
    data, problem = b"", ""
    try:
        data = found.read()
    except DamageError as error:
        problem = f"{error}; not read"
    except Exception as error:  # the libraries raise whatever damage leads to
        problem = f"can't be read: {message(error)}"
    return {"name": found.name, "problem": problem, "in_advance": in_advance}, data


def _opened(file: IO[bytes]) -> Callable[[], Iterator[_File | str]]:
    """Return a function that yields the files in an archive, and texts that say what of it can't be
    read. It can be called again, and begins anew; of a zip with a broken directory, and of what is
    no archive, it yields such a text alone."""
    file.seek(0)
    if not file.read(_START).startswith(_ZIP):
        return partial(_in_tar, file)
    try:
        return partial(_in_zip, zipfile.ZipFile(file))
    except MemoryError as error:
        why = message(error)
    except Exception as error:  # the library raises whatever damage leads to
        why = f"{message(error)} (does the archive break off?)"
    return lambda: iter([f"its directory can't be read, so no file is: {why}"])


def _in_zip(archive: zipfile.ZipFile) -> Iterator[_File | str]:
    """Yield the files in a zip, in the order of its directory, but no folders; a text and then
    nothing more where it has too many, or they unpack to too much."""
    total = 0
    in_place = sorted(archive.infolist(), key=lambda info: info.header_offset)
    # Many entries for the same bytes would make a small file huge.
    overlapping = {
        id(info)
        for info, following in pairwise(in_place)
        if info.header_offset + info.compress_size > following.header_offset
    }
    for number, info in enumerate(archive.infolist()):
        if number == limits.MEMBERS:
            yield f"it has more than {limits.MEMBERS} files and folders; the rest is not read"
            return
        if info.is_dir():
            continue
        total += info.file_size
        if total > limits.IN_ALL:
            most = limits.size(limits.IN_ALL)
            yield f"unpacks to more than {most}; the rest is not read"
            return
        overlaps = id(info) in overlapping
        yield _File(_name_in_zip(info), partial(_read_of_zip, archive, info, overlaps))


def _name_in_zip(info: zipfile.ZipInfo) -> str:
    """Return the name of a file in a zip. One that is not said to be UTF-8 is often UTF-8 all the
    same; some programs for Windows write backslashes."""
    name = info.filename
    if not info.flag_bits & _UTF_8:
        with suppress(UnicodeError):
            name = name.encode("cp437").decode("utf-8")
    return name if "/" in name else name.replace("\\", "/")


def _read_of_zip(archive: zipfile.ZipFile, info: zipfile.ZipInfo, overlaps: bool) -> bytes:
    """Return the bytes of a file in a zip. Raises DamageError if it is too large, encrypted or
    overlaps another, and whatever `zipfile` does if it is damaged.

    overlaps: whether some of its bytes belong to another file, too.
    """
    if info.file_size > limits.LARGEST:
        raise DamageError(f"larger than {limits.size(limits.LARGEST)}")
    if info.flag_bits & _ENCRYPTED:
        raise DamageError("encrypted")
    if overlaps:
        raise DamageError("overlaps another file of the archive")
    data = io.BytesIO()
    with archive.open(info) as stored:
        while piece := stored.read(_STEP):
            data.write(piece)
    return data.getvalue()


def _in_tar(file: IO[bytes]) -> Iterator[_File | str]:
    """Yield the files in a tar, and then the hard links to them. These are read in a second pass
    over the archive, as it can't be read backwards. What ends the first pass is said last."""
    links: dict[str, _Stored] = {}
    problem = ""
    try:
        yield from _files_in_tar(_stream(file), links)
    except Exception as error:  # the library raises whatever damage leads to
        problem = f"can't be read from here on: {message(error)}"
    yield from _links_in_tar(_stream(file), links)
    if problem:
        yield problem


def _stream(file: IO[bytes]) -> Stream:
    """Return a stream from the beginning of a file, which stays open when the stream is closed."""
    again = os.fdopen(file.fileno(), "rb", closefd=False)
    again.seek(0)
    return Stream(again)


class _Stored(NamedTuple):
    """Where the bytes of a file in a tar stand in its stream."""

    place: int
    size: int
    is_sparse: bool


def _files_in_tar(stream: Stream, links: dict[str, _Stored]) -> Iterator[_File | str]:
    """Yield the files in a tar. What is no header is passed over, and so is the end of the archive:
    others may follow. All links but hard ones, devices and pipes are counted only.

    links: gets the hard links by their names, if what they link to comes before them, as it does in
        what a program packs.
    """
    headers = _Headers(stream)
    files = dict[int, _Stored]()
    others, name_size, is_headless = 0, 0, False
    with tarfile.open(
        fileobj=cast(IO[bytes], headers), mode="r:", tarinfo=_Header, ignore_zeros=True,
        encoding="utf-8", errors="surrogateescape",
    ) as archive:  # fmt: skip
        for count in range(limits.MEMBERS + 1):
            header = cast(_Header | None, archive.next())
            # Nothing may be kept of what was read before.
            archive.members = []  # type: ignore[attr-defined]
            archive.pax_headers = {}
            if headers.damage is not None:
                on = f"from byte {header.offset} on" if header else "not"
                what = f"what stands at byte {headers.damage} is no header (damaged?)"
                yield f"{what}; the rest is {on} read"
            headers.begin()
            if header is None:
                stream.read(1)  # raises DamageError if it is not the end, but broken
                break
            if count == limits.MEMBERS:
                yield f"it has more than {limits.MEMBERS} files and folders; the rest is not read"
                break
            was_headless, is_headless = is_headless, header.is_too_large
            if is_headless:
                most = limits.size(limits.MEMBER_HEADER)
                what = f"the header at byte {header.offset} is larger than {most}"
                yield f"{what}; the file behind it is not read"
            if is_headless or was_headless:
                continue
            target = files.get(_key(header.linkname)) if header.islnk() else None
            name_size += len(header.name) if target else 0
            if target and name_size <= limits.LINK_NAMES:
                links[header.name] = files[_key(header.name)] = target
            elif header.islnk() or header.issym() or header.isdev():
                others += 1
            elif not header.isdir():
                links.pop(header.name, None)  # which this file replaces
                stored = _Stored(header.offset_data, header.size, header.issparse())
                files[_key(header.name)] = stored
                yield _File(header.name, partial(_read_of_tar, stream, stored))
    if others:
        yield f"{others} links, devices or pipes in it are not read"


class _Headers:
    """A tar as `tarfile` reads it: the headers before each file, in bounded memory and time.

    damage: the first place behind the last file that has something else than a header, or zeros;
        None if there is none.
    """

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self.tell, self.seek = stream.tell, stream.seek
        self._last = b""
        self.begin()

    def begin(self) -> None:
        """Note that the headers of another file come next."""
        self.damage: int | None = None
        self._left, self._passed = limits.MEMBER_HEADERS, 0

    def read(self, size: int) -> bytes:
        self._left -= size
        if self._left < 0:
            most = limits.size(limits.MEMBER_HEADERS)
            raise DamageError(f"the headers at byte {self.tell()} are larger than {most}")
        self._last = self._stream.read(size)
        return self._last

    def pass_over(self) -> None:
        """Note that what was read last is no header. No file reaches further than the search."""
        if self.damage is None and self._last.strip(b"\0"):
            self.damage = self.tell() - len(self._last)
        self._left, self._passed = limits.MEMBER_HEADERS, self._passed + tarfile.BLOCKSIZE
        if self._passed > limits.LARGEST:
            most = limits.size(limits.LARGEST)
            raise DamageError(f"no file begins in {most} before byte {self.tell()}")


class _Header(tarfile.TarInfo):
    """A header of a tar, which tells `_Headers` if it is none.

    is_too_large: whether it belongs to the next one, and is not read as it is so large.
    """

    is_too_large = False

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> _Header:
        header = super().frombuf(buf, encoding, errors)
        if header.type in _OF_NEXT and header.size > limits.MEMBER_HEADER:
            # As a file it is passed over.
            header.type, header.is_too_large = tarfile.REGTYPE, True
        return header

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> _Header:
        try:
            return super().fromtarfile(archive)
        except tarfile.HeaderError:
            archive.fileobj.pass_over()  # type: ignore[attr-defined]
            raise


def _links_in_tar(stream: Stream, links: dict[str, _Stored]) -> Iterator[_File | str]:
    """Yield the hard links in a tar, in the order of what they link to."""
    total = 0
    in_order = sorted(links.items(), key=lambda link: link[1].place)
    for stored, group in groupby(in_order, lambda link: link[1]):
        read = cache(partial(_read_of_tar, stream, stored))  # the same bytes for all of them
        for name, _ in group:
            total += stored.size
            if total > limits.IN_ALL:
                most = limits.size(limits.IN_ALL)
                yield f"its hard links make more than {most}; not all are read"
                return
            yield _File(name, read)


def _read_of_tar(stream: Stream, stored: _Stored) -> bytes:
    """Return the bytes of a file that come next in a stream, or further on. Raises DamageError if
    it is sparse, too large or not all there, and io.UnsupportedOperation if it lies behind."""
    if stored.is_sparse:
        raise DamageError("a sparse file")
    if not 0 <= stored.size <= limits.LARGEST:
        raise DamageError(f"larger than {limits.size(limits.LARGEST)}, or damaged")
    stream.seek(stored.place)
    data = stream.read(stored.size)
    if len(data) < stored.size:
        raise DamageError("the archive breaks off in it")
    return data
