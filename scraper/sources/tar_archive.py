"""Reads the files in a tar as a stream, also of a damaged one, in bounded memory.

`tarfile` parses the headers. It does not walk the archive: it takes a damaged header for the end,
says nothing of it, and reads into memory whatever number of bytes a header claims.
"""

from __future__ import annotations

import posixpath
import re
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from scraper.sources import limits
from scraper.sources.compressed import DamageError, Stream

_BLOCK = 512
_MAGIC, _MAGIC_PLACE = b"ustar", 257
_STEP = 128 * _BLOCK  # bytes that are searched at a time
_ZEROS = bytes(_BLOCK)
_LONG_NAME, _LONG_LINK = tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK
_PAX = (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE)
_EXTENSIONS = (_LONG_NAME, _LONG_LINK, *_PAX, tarfile.XGLTYPE)  # headers of the next header
_LINKS_AND_DEVICES = (tarfile.LNKTYPE, tarfile.SYMTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE,
                      tarfile.FIFOTYPE)  # fmt: skip
_PAX_RECORD = re.compile(rb"(\d{1,10}) ([^=\n]{1,200})=")
_BREAKS_OFF = "the archive breaks off"


class TarFile(NamedTuple):
    """A file in a tar.

    name: its path; bytes that are not UTF-8 are lone surrogates.
    place: where its bytes begin in the stream. They come next, unless it is a hard link: then they
        are those of a file before it.
    size: the number of its bytes.
    problem: why it can't be read; empty if it can.
    """

    name: str
    place: int
    size: int
    problem: str = ""


@dataclass(slots=True)
class _Extension:
    """What headers before a file's own header say of it."""

    name: str | None = None
    link: str | None = None
    size: int | None = None
    problem: str = ""


def looks_like_tar(start: bytes) -> bool:
    """Whether a file that begins with these bytes (at least 512) is a tar.

    The first header may be damaged, if it is one of the usual kind.
    """
    if start[_MAGIC_PLACE:].startswith(_MAGIC):
        return True
    return bool(start[:1].strip(b"\0")) and _header(start[:_BLOCK]) is not None


def tar_files(stream: Stream) -> Iterator[TarFile | str]:
    """Yield the files in a tar, and texts that say what is not read of it.

    The bytes of a file may be read from the stream before the next file is asked for. A damaged
    header is passed over: reading goes on at the next whole one. A hard link is a file if the one
    that it links to comes before it, as it does in what a program packs. All other links, devices
    and pipes are counted only. Raises DamageError where the stream breaks off.
    """
    extension, others, count = _Extension(), 0, 0
    files: dict[int, TarFile] = {}  # without their names: there may be very many
    block = stream.read(_BLOCK)
    while block:
        count += 1
        if count > limits.MEMBERS:
            yield f"it has more than {limits.MEMBERS} files and folders; the rest is not read"
            return
        start = stream.tell() - len(block)
        if extension.problem and _header(block) is None:
            yield f"a file whose own header is missing: {extension.problem}"
        if block == _ZEROS:
            (block, what), extension = _after_end(stream), _Extension()
            if what:
                yield what
            continue
        header = _header(block)
        if header is None:
            block, extension = _next_header(stream), _Extension()
            on = f"from byte {stream.tell() - _BLOCK} on" if block else "not"
            yield f"what stands at byte {start} is no header (damaged?); the rest is {on} read"
            continue
        data_start = stream.tell()
        size = _stored_size(header, extension)
        if header.type in _EXTENSIONS:
            _read_extension(stream, header, extension)
        else:
            if header.type in _LINKS_AND_DEVICES:
                link = _hard_link(header, extension, files)
                if link:
                    files[_key(link.name)] = link._replace(name="")
                    yield link
                others += not link
            elif header.type != tarfile.DIRTYPE:
                if not _skip_sparse_map(stream, header, block):
                    most = limits.size(limits.MEMBER_HEADER)
                    extension.problem = f"a sparse file whose map is larger than {most}; not read"
                data_start = stream.tell()
                file = _file(header, extension, data_start, size)
                files[_key(file.name)] = file._replace(name="")
                yield file
            extension = _Extension()
        _skip_to(stream, data_start + _padded(size))
        block = stream.read(_BLOCK)
        if 0 < len(block) < _BLOCK:
            raise DamageError(_BREAKS_OFF)
    if extension.problem:
        yield f"a file whose own header is missing: {extension.problem}"
    if others:
        yield f"{others} links, devices or pipes in it are not read"


def _header(block: bytes) -> tarfile.TarInfo | None:
    """Return the parsed header that a block is; None if it is none."""
    try:
        header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except (tarfile.TarError, ValueError, OverflowError):
        return None
    return header if header.size >= 0 else None


def _stored_size(header: tarfile.TarInfo, extension: _Extension) -> int:
    """Return how many bytes of data follow a header; a folder, a link or a device has none."""
    if header.type in (*_LINKS_AND_DEVICES, tarfile.DIRTYPE):
        return 0
    if header.type in _EXTENSIONS or extension.size is None:
        return header.size
    return extension.size


def _hard_link(
    header: tarfile.TarInfo, extension: _Extension, files: Mapping[int, TarFile]
) -> TarFile | None:
    """Return the file that a hard link is; None for any other header, and if no file before it has
    the name that it links to.

    files: those before it, by `_key` of their names.
    """
    if header.type != tarfile.LNKTYPE:
        return None
    target = files.get(_key(header.linkname if extension.link is None else extension.link))
    if target is None:
        return None
    link = _file(header, extension, target.place, target.size)
    return link._replace(problem=link.problem or target.problem)


def _key(name: str) -> int:
    """Return what stands for a name, which may be long."""
    return hash(posixpath.normpath(name))


def _file(header: tarfile.TarInfo, extension: _Extension, place: int, size: int) -> TarFile:
    name = header.name if extension.name is None else extension.name
    problem = extension.problem
    if header.type == tarfile.GNUTYPE_SPARSE:
        problem = problem or "a sparse file; not read"
    if len(name) > limits.MEMBER_NAME:
        problem = f"its name is longer than {limits.MEMBER_NAME} characters; not read"
        name = name[:100]
    return TarFile(name, place, size, problem)


def _read_extension(stream: Stream, header: tarfile.TarInfo, extension: _Extension) -> None:
    """Add what a header for the next header says. One that is too large makes that file unreadable,
    as its name is not known then."""
    if header.type == tarfile.XGLTYPE:
        return
    if header.size > limits.MEMBER_HEADER:
        limit = limits.size(limits.MEMBER_HEADER)
        extension.problem = f"a header of it is larger than {limit}; not read"
        return
    data = stream.read(header.size)
    if len(data) < header.size:
        raise DamageError(_BREAKS_OFF)
    if header.type == _LONG_NAME:
        extension.name = _text(data.partition(b"\0")[0])
    elif header.type == _LONG_LINK:
        extension.link = _text(data.partition(b"\0")[0])
    else:
        _read_pax(data, extension)


def _read_pax(data: bytes, extension: _Extension) -> None:
    """Add what a pax header says: records of a length, a space, a key, `=`, a value, a line end."""
    place = 0
    while record := _PAX_RECORD.match(data, place):
        end = place + int(record[1])
        if end <= record.end() or end > len(data):
            break
        value = data[record.end() : end - 1]
        if record[2] in (b"path", b"GNU.sparse.name"):
            extension.name = _text(value)
        elif record[2] == b"linkpath":
            extension.link = _text(value)
        elif record[2] == b"size" and value.isdigit() and len(value) < 20:
            extension.size = int(value)
        if record[2].startswith(b"GNU.sparse."):
            extension.problem = "a sparse file; not read"
        place = end


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _skip_sparse_map(stream: Stream, header: tarfile.TarInfo, block: bytes) -> bool:
    """Pass over the blocks in which an old sparse file goes on to say where its holes are; return
    False if there are more than `limits.MEMBER_HEADER` has room for."""
    is_extended = header.type == tarfile.GNUTYPE_SPARSE and block[482]
    left = limits.MEMBER_HEADER // _BLOCK
    while is_extended and left:
        more = stream.read(_BLOCK)
        if len(more) < _BLOCK:
            raise DamageError(_BREAKS_OFF)
        is_extended, left = more[504], left - 1
    return not is_extended


def _skip_to(stream: Stream, place: int) -> None:
    """Raise DamageError if the stream ends before that; what only fills up the last block may be
    missing."""
    missing = place - stream.tell()
    if missing - stream.skip(missing) >= _BLOCK:
        raise DamageError(_BREAKS_OFF)


def _padded(size: int) -> int:
    return size + -size % _BLOCK


def _after_end(stream: Stream) -> tuple[bytes, str]:
    """Return the header that follows the zeros at the end of an archive, as where one was appended
    to another, and what is to be said of what stands there; both empty if only zeros do."""
    end, most = stream.tell(), limits.size(limits.PADDING)
    while data := stream.read(_STEP):
        place = len(data) - len(data.lstrip(b"\0"))
        if place < len(data):
            stream.unread(data[place - place % _BLOCK :])
            break
        if stream.tell() - end > limits.PADDING:
            return b"", f"more than {most} of zeros stand behind its end; the rest is not read"
    else:
        return b"", ""
    start = stream.tell()
    if block := _next_header(stream, limits.PADDING):
        return block, f"more files follow behind its end, at byte {stream.tell() - _BLOCK}; read"
    searched = f" (no file begins in the next {most})" if stream.read(1) else ""
    return b"", f"what stands behind its end, from byte {start} on, is not read{searched}"


def _next_header(stream: Stream, most: int | None = None) -> bytes:
    """Return the next whole header in a stream, of the usual kind; empty if there is none.

    most: in how many bytes it is searched for; None for the whole stream.
    """
    start = stream.tell()
    while most is None or stream.tell() - start < most:
        data = stream.read(_STEP)
        found = data.find(_MAGIC)
        while found >= 0:
            start_of_it = found - _MAGIC_PLACE
            block = data[max(start_of_it, 0) : start_of_it + _BLOCK]
            if start_of_it >= 0 and not start_of_it % _BLOCK and _header(block):
                stream.unread(data[start_of_it + _BLOCK :])
                return block
            found = data.find(_MAGIC, found + 1)
        if not data:
            break
    return b""
