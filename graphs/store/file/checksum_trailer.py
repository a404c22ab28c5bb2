"""The checksum at the end of a graph's file: it is appended to a finished file, and compared.

SQLite reads as many pages as the file's header counts, and does not look at what stands behind
them. There sansho writes `MAGIC`, the number of bytes before it, and a checksum of all bytes
before the checksum itself. Every byte of the file is covered: a trailer that is damaged itself
does not match, or is none. It tells damage, not forgery: who changes a file on purpose can make
the checksum right again.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO

MAGIC = b"\nsansho crc-32 1\n"  # another checksum must have another magic
_SIZE_BYTES, _CHECKSUM_BYTES = 8, 4  # the size of any file; a CRC-32
_LENGTH = len(MAGIC) + _SIZE_BYTES + _CHECKSUM_BYTES
_READ_AT_ONCE = 1 << 18  # bytes; they stay in the processor's own memory while they are summed up


def append_trailer(path: Path) -> None:
    """Append the trailer to a finished file, which has none. Raises OSError if that is impossible.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "graph")
    ...     length = path.write_bytes(b"pages")
    ...     append_trailer(path)
    ...     with path.open("rb") as file:
    ...         print(checksum_matches(file))
    ...     drop_trailer(path)
    ...     path.read_bytes()
    True
    b'pages'
    """
    with path.open("r+b", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        file.write(MAGIC + size.to_bytes(_SIZE_BYTES, "big"))
        checksum = _checksum(file, size + len(MAGIC) + _SIZE_BYTES)
        file.write(checksum.to_bytes(_CHECKSUM_BYTES, "big"))


def drop_trailer(path: Path) -> None:
    """Cut the trailer off a file; one without a trailer stays as it is."""
    with path.open("r+b") as file:
        if _stored_trailer(file):
            file.truncate(file.seek(0, os.SEEK_END) - _LENGTH)


def has_trailer(file: BinaryIO) -> bool:
    """Whether a file ends with a trailer, of a checksum that may be right or wrong."""
    return _stored_trailer(file) is not None


def checksum_matches(file: BinaryIO) -> bool | None:
    """Whether the checksum at the end of a file is that of its bytes; None if it has no trailer.

    file: open for reading bytes, without a buffer to be quick; it is read to its end.
    """
    trailer = _stored_trailer(file)
    if trailer is None:
        return None
    size = file.seek(0, os.SEEK_END)
    counted = int.from_bytes(trailer[len(MAGIC) : -_CHECKSUM_BYTES], "big")
    if counted != size - _LENGTH:
        return False
    checksum = int.from_bytes(trailer[-_CHECKSUM_BYTES:], "big")
    return _checksum(file, size - _CHECKSUM_BYTES) == checksum


def _stored_trailer(file: BinaryIO) -> bytes | None:
    """Return the whole trailer of a file, MAGIC included, or None if the file has none."""
    size = file.seek(0, os.SEEK_END)
    if size < _LENGTH:
        return None
    file.seek(size - _LENGTH)
    trailer = file.read(_LENGTH)
    return trailer if len(trailer) == _LENGTH and trailer.startswith(MAGIC) else None


def _checksum(file: BinaryIO, size: int) -> int:
    """Return the CRC-32 of the first bytes of a file, as many as `size` says, or of all if it has
    fewer."""
    from zlib import crc32  # here: a file that is known to be whole is opened without it

    buffer = memoryview(bytearray(_READ_AT_ONCE))
    checksum = 0
    file.seek(0)
    while size > 0 and (read := file.readinto(buffer[:size])):  # type: ignore[attr-defined]
        checksum = crc32(buffer[:read], checksum)
        size -= read
    return checksum
