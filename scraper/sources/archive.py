"""Readers of compressed files (gzip, bzip2, xz) and of tar and zip archives, as streams."""

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

LARGEST = 256 * 1024 * 1024  # bytes of one file
IN_ALL = 16 * 1024 * 1024 * 1024  # bytes of all files of an archive, or of one decompressed stream
# What the readers of archives raise on a broken file.
BROKEN = (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError, zlib.error, lzma.LZMAError,
           RuntimeError, NotImplementedError, ValueError)  # fmt: skip
_COMPRESSED: tuple[tuple[bytes, Any], ...] = (
    (b"\x1f\x8b", gzip.open), (b"BZh", bz2.open), (b"\xfd7zXZ\x00", lzma.open),
)  # fmt: skip
_MAGICS = tuple(magic for magic, _ in _COMPRESSED)


def opened(path: Path) -> IO[bytes]:
    """Open a file as a stream of bytes, decompressed if it is compressed (gzip, bzip2, xz).

    A compressed stream ends after `IN_ALL` bytes: a small file may decompress to a huge one.
    Raises OSError if the file can't be opened.
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
    """Whether a file that begins with these bytes is compressed in a format that `opened` reads."""
    return data.startswith(_MAGICS)


class _Limited(io.BufferedIOBase):
    """A binary stream that ends after `IN_ALL` bytes of another stream."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        remaining = max(0, IN_ALL - self._stream.tell())
        return self._stream.read(remaining if size is None or size < 0 else min(size, remaining))

    def readinto(self, buffer: Any) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return self._stream.seek(offset, whence)

    def close(self) -> None:
        self._stream.close()
        super().close()


def may_be_archive(data: bytes) -> bool:
    """Whether a file that begins with these bytes may be an archive that `members` reads.

    True for any compressed file; `is_archive` decides. At least the first 262 bytes are needed.
    """
    return data.startswith(b"PK") or data[257:262] == b"ustar" or is_compressed(data)


def is_archive(path: Path) -> bool:
    """Whether a file is a tar (compressed or not) or zip archive, judged by its content.

    False if it can't be read.
    """
    try:
        return zipfile.is_zipfile(path) or tarfile.is_tarfile(path)
    except BROKEN:
        return False


def members(path: Path, only: str = "") -> Iterator[tuple[str, bytes] | ReadWarning]:
    """Yield the (name, bytes) of each file in a tar or zip archive, one at a time.

    The name is the file's path in the archive. An archive in the archive is one file.

    only: yield just the files with this name, in whatever folder; all files if it is empty.

    A file larger than `LARGEST` is replaced by a warning. Reading ends with a warning where the
    archive is broken, or where all files together exceed `IN_ALL`: a small archive may unpack to
    a huge size.
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


def _selected(name: str, only: str) -> bool:
    """Whether the last part of a member's name is `only`; any name if that is empty."""
    return not only or name.rpartition("/")[2] == only


def _tar(path: Path, only: str) -> Iterator[tuple[str, int, bytes | None]]:
    """Yield the name, size and bytes of each file in a tar; None for the bytes if too large.

    Folders, links and files with another name than `only` are skipped. The size is as stated.
    """
    with tarfile.open(path, "r|*") as archive:
        for member in archive:
            if not member.isfile():
                continue
            handle = None
            if member.size <= LARGEST and _selected(member.name, only):
                handle = archive.extractfile(member)
            if handle or _selected(member.name, only):
                yield member.name, member.size, handle.read() if handle else None
            archive.members.clear()  # type: ignore[attr-defined]  # or they would all stay in memory


def _zip(path: Path, only: str) -> Iterator[tuple[str, int, bytes | None]]:
    """Yield the name, size and bytes of each file in a zip; None for the bytes if too large.

    Folders and files with another name than `only` are skipped. The size is that of what was read,
    at most `LARGEST` + 1.
    """
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            if info.is_dir() or not _selected(info.filename, only):
                continue
            with archive.open(info) as handle:
                data = handle.read(LARGEST + 1)  # the size in the archive may be false
            yield info.filename, len(data), data if len(data) <= LARGEST else None
