"""Compressed files and the files in an archive, read as they come and never unpacked to disk."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from scraper.page import ReadWarning

LARGEST = 256 * 1024 * 1024
IN_ALL = 16 * 1024 * 1024 * 1024
BROKEN = (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError, zlib.error, lzma.LZMAError,
           RuntimeError, NotImplementedError, ValueError)  # fmt: skip


_COMPRESSED: tuple[tuple[bytes, Any], ...] = (
    (b"\x1f\x8b", gzip.open), (b"BZh", bz2.open), (b"\xfd7zXZ\x00", lzma.open),
)  # fmt: skip
_MAGICS = tuple(magic for magic, _ in _COMPRESSED)


def opened(path: Path) -> IO[bytes]:
    """A file as a stream of bytes, decompressed if it is compressed (gzip, bzip2, xz).

    Of what it unpacks to no more than `IN_ALL` is given: a small file may claim to be vast.
    """
    plain = path.open("rb")
    start = plain.read(6)
    plain.seek(0)
    for magic, open_compressed in _COMPRESSED:
        if start.startswith(magic):
            plain.close()
            return _Limited(open_compressed(path))  # type: ignore[return-value]
    return plain


def is_compressed(data: bytes) -> bool:
    """Whether a file that begins so is compressed in a way that `opened` knows."""
    return data.startswith(_MAGICS)


class _Limited(io.BufferedIOBase):
    """A stream that ends where it becomes larger than any that is read."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        left = max(0, IN_ALL - self._stream.tell())
        return self._stream.read(left if size is None or size < 0 else min(size, left))

    def readinto(self, buffer: Any) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def seek(self, place: int, whence: int = 0, /) -> int:
        return self._stream.seek(place, whence)

    def close(self) -> None:
        self._stream.close()
        super().close()


def is_archive(path: Path) -> bool:
    """Whether a file is a tar (compressed or not) or zip archive, by what is in it."""
    try:
        return zipfile.is_zipfile(path) or tarfile.is_tarfile(path)
    except BROKEN:
        return False


def members(path: Path, only: str = "") -> Iterator[tuple[str, bytes] | ReadWarning]:
    """The (name, bytes) of each file in an archive, or only of the files of one name.

    A file that is larger than `LARGEST` is left out with a warning, and reading stops where
    all together pass `IN_ALL` or the archive breaks: a small archive may claim to be vast.
    """
    total = 0
    try:
        for name, size, data in _zip(path, only) if zipfile.is_zipfile(path) else _tar(path, only):
            total += size
            if total > IN_ALL:
                yield ReadWarning(
                    str(path), f"unpacks to more than {IN_ALL >> 30} GB; the rest is not read"
                )
                return
            if data is None:
                yield ReadWarning(f"{path}!{name}", f"larger than {LARGEST >> 20} MB; not read")
            else:
                yield name, data
    except BROKEN as error:
        yield ReadWarning(str(path), f"the archive is broken from here on: {error}")


def _wanted(name: str, only: str) -> bool:
    return not only or name.rpartition("/")[2] == only


def _tar(path: Path, only: str) -> Iterator[tuple[str, int, bytes | None]]:
    with tarfile.open(path, "r|*") as archive:
        for member in archive:
            if not member.isfile():
                continue
            handle = None
            if member.size <= LARGEST and _wanted(member.name, only):
                handle = archive.extractfile(member)
            if handle or _wanted(member.name, only):
                yield member.name, member.size, handle.read() if handle else None
            archive.members.clear()  # type: ignore[attr-defined]  # it would remember each one


def _zip(path: Path, only: str) -> Iterator[tuple[str, int, bytes | None]]:
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            if info.is_dir() or not _wanted(info.filename, only):
                continue
            with archive.open(info) as handle:
                data = handle.read(LARGEST + 1)  # what the archive says of its size may be a lie
            yield info.filename, len(data), data if len(data) <= LARGEST else None
