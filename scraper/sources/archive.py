"""Reads the files in tar and zip archives, one at a time, and never trusts what they claim."""

from __future__ import annotations

import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import groupby
from pathlib import Path
from typing import IO, NamedTuple

from scraper.page import ReadWarning
from scraper.sources import limits
from scraper.sources.compressed import DamageError, Stream, decompressed, is_compressed
from scraper.sources.few_warnings import with_few_warnings
from scraper.sources.files import message, open_file
from scraper.sources.stored_path import storable_path
from scraper.sources.tar_archive import TarFile, looks_like_tar, tar_files
from scraper.sources.zip_archive import ZipReader, looks_like_zip, zip_files

# What the readers of archives and compressed files raise on a broken file.
BROKEN = (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError, zlib.error, lzma.LZMAError,
          RuntimeError, NotImplementedError, ValueError)  # fmt: skip
_START = 512  # bytes by which an archive is known


class Member(NamedTuple):
    """A file in an archive.

    name: its path there; bytes that are not UTF-8 are lone surrogates.
    read: returns its bytes; call it before the next member is asked for. Raises DamageError if
        they can't be read.
    """

    name: str
    read: Callable[[], bytes]


def may_be_archive(data: bytes) -> bool:
    """Whether a file that begins with these bytes may be an archive that `members` reads.

    True for any compressed file; `is_archive` decides. At least the first 512 bytes are needed.
    """
    return looks_like_zip(data) or looks_like_tar(data) or is_compressed(data)


def is_archive(path: Path) -> bool:
    """Whether a file is a tar (compressed or not) or zip archive, judged by its first bytes.

    False if it can't be read.
    """
    try:
        with open_file(path) as file:
            start = _beginning(decompressed(file))
    except OSError:
        return False
    return looks_like_zip(start) or looks_like_tar(start)


def _beginning(found: Iterator[bytes]) -> bytes:
    """Return the first bytes of pieces that may be damaged behind them."""
    start = b""
    try:
        while len(start) < _START and (piece := next(found, b"")):
            start += piece
    except DamageError:
        pass
    return start


def members(path: Path, where: str = "") -> Iterator[Member | ReadWarning]:
    """Yield the files in a tar or zip archive, one at a time. An archive in it is one file.

    A file that can't be read is told where it is read, anything else that is damaged gives a
    warning in its place. Reading ends with a warning where the archive can't be read any further.

    where: the archive's place in warnings; its path if empty.
    """
    where = where or storable_path(str(path))
    return with_few_warnings(_members(path, where), where)


def _members(path: Path, where: str) -> Iterator[Member | ReadWarning]:
    try:
        with open_file(path) as file:
            start = file.read(_START)
            file.seek(0)
            yield from _in_zip(file, where) if looks_like_zip(start) else _in_tar(file, where)
    except DamageError as error:
        yield ReadWarning(where, f"the archive is broken from here on: {error}")
    except BROKEN as error:
        yield ReadWarning(where, f"can't be read from here on: {message(error)}")


def _in_tar(file: IO[bytes], where: str) -> Iterator[Member | ReadWarning]:
    """Yield the files in a tar, and then the hard links to them. These are read in a second pass
    over the archive, as it can't be read backwards."""
    stream = Stream(file)
    links: dict[str, TarFile] = {}
    try:
        for found in tar_files(stream):
            if isinstance(found, str):
                yield ReadWarning(where, found)
            elif found.place < stream.tell():
                links[found.name] = found
            else:
                links.pop(found.name, None)  # which this file replaces
                yield Member(found.name, partial(_read_of_tar, stream, found))
    except DamageError:
        yield from _links_in_tar(file, list(links.values()), where)
        raise
    yield from _links_in_tar(file, list(links.values()), where)


def _links_in_tar(
    file: IO[bytes], links: list[TarFile], where: str
) -> Iterator[Member | ReadWarning]:
    """Yield the hard links in a tar, in the order of what they link to."""
    file.seek(0)
    stream, total = Stream(file), 0
    links.sort(key=lambda link: link.place)
    for place, group in groupby(links, lambda link: link.place):
        stream.seek(place)
        read = cache(partial(_read_of_tar, stream))  # the same bytes for all of them
        for link in group:
            total += link.size
            if total > limits.IN_ALL:
                most = limits.size(limits.IN_ALL)
                yield ReadWarning(where, f"its hard links make more than {most}; not all are read")
                return
            yield Member(link.name, partial(read, link._replace(name="")))


def _read_of_tar(stream: Stream, found: TarFile) -> bytes:
    """Return the bytes of a file that come next in a stream."""
    if found.problem:
        raise DamageError(found.problem)
    if found.size > limits.LARGEST:
        raise DamageError(f"larger than {limits.size(limits.LARGEST)}")
    data = stream.read(found.size)
    if len(data) < found.size:
        raise DamageError("the archive breaks off in it")
    return data


def _in_zip(file: IO[bytes], where: str) -> Iterator[Member | ReadWarning]:
    reader, total = ZipReader(file), 0
    for found in zip_files(file):
        if isinstance(found, str):
            yield ReadWarning(where, found)
            continue
        total += found.size or 0
        if total > limits.IN_ALL:
            most = limits.size(limits.IN_ALL)
            yield ReadWarning(where, f"unpacks to more than {most}; the rest is not read")
            return
        yield Member(_with_slashes(found.name), partial(reader.read, found))


def _with_slashes(name: str) -> str:
    """Return a name in a zip as it should be: some programs for Windows write backslashes."""
    return name if "/" in name else name.replace("\\", "/")
