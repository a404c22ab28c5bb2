"""Files in a tar or zip archive, read one after the other and never unpacked to disk."""

from __future__ import annotations

import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from scraper.page import Warn

LARGEST = 256 * 1024 * 1024
IN_ALL = 16 * 1024 * 1024 * 1024
_BROKEN = (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError, zlib.error, lzma.LZMAError,
           RuntimeError, NotImplementedError, ValueError)  # fmt: skip


def is_archive(path: Path) -> bool:
    """Whether a file is a tar (compressed or not) or zip archive, by what is in it."""
    try:
        return zipfile.is_zipfile(path) or tarfile.is_tarfile(path)
    except _BROKEN:
        return False


def members(path: Path, only: str = "") -> Iterator[tuple[str, bytes] | Warn]:
    """The (name, bytes) of each file in an archive, or only of the files of one name.

    A file that is larger than `LARGEST` is left out with a warning, and reading stops where
    all together pass `IN_ALL` or the archive breaks: a small archive may claim to be vast.
    """
    total = 0
    try:
        for name, size, data in _zip(path, only) if zipfile.is_zipfile(path) else _tar(path, only):
            total += size
            if total > IN_ALL:
                yield Warn(
                    str(path), f"unpacks to more than {IN_ALL >> 30} GB; the rest is not read"
                )
                return
            if data is None:
                yield Warn(f"{path}!{name}", f"larger than {LARGEST >> 20} MB; not read")
            else:
                yield name, data
    except _BROKEN as error:
        yield Warn(str(path), f"the archive is broken from here on: {error}")


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
