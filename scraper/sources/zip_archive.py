"""Reads the files in a zip, also of a damaged one, in bounded memory.

`zipfile` reads the whole directory into memory, and gives up where one entry of it is damaged.
"""

from __future__ import annotations

import bz2
import io
import lzma
import struct
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from typing import IO, NamedTuple

from scraper.sources import limits
from scraper.sources.compressed import DamageError, Decompressor, Inflater, pieces

_LOCAL, _ENTRY, _END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
_END_64, _LOCATOR_64 = b"PK\x06\x06", b"PK\x06\x07"
_MAGICS = (_LOCAL, _END, b"PK\x07\x08", b"PK00PK\x03\x04")
_LONGEST_END = 22 + 65_535  # bytes of the record at the end, with its comment
_END_SIZE, _END_64_SIZE = 22, 56 + 20  # bytes; the second with its locator
_ENTRY_FORM = struct.Struct("<4s4xHH4xLLLHHH8xL")  # of an entry in the directory
_LOCAL_FORM = struct.Struct("<4s2xHH4xLLLHH")  # of the header before a file
_STEP = 1 << 16
_ENCRYPTED, _SIZES_BEHIND, _UTF_8 = 1, 1 << 3, 1 << 11  # flags
_STORED, _DEFLATED, _BZIP2, _LZMA = 0, 8, 12, 14
_ENDLESS = 1 << 62
_ALL_ONES = 0xFFFFFFFF  # stands for a number that the 64-bit extra field has


class ZipFile(NamedTuple):
    """A file in a zip, as its directory or the header before it says.

    name: its path; bytes that are not UTF-8 are lone surrogates.
    flags, method: how it is stored.
    crc: its checksum.
    stored_size, size: the number of its bytes, compressed and not. If the header before it does not
        say them, `size` is None, and `stored_size` is more than there can be.
    place: where that header is, in bytes of the archive.
    shift: how many bytes less that is as the directory says, which is so where the archive has
        bytes before it, or has become longer somewhere.
    """

    name: str
    flags: int
    method: int
    crc: int
    stored_size: int
    size: int | None
    place: int
    shift: int = 0


def looks_like_zip(start: bytes) -> bool:
    """Whether a file that begins with these bytes (at least 8) is a zip."""
    return start.startswith(_MAGICS)


def zip_files(file: IO[bytes]) -> Iterator[ZipFile | str]:
    """Yield the files in a zip, without reading them, and texts that say what of it is damaged.

    They are in the order of its directory. Damaged entries of that are passed over. If there is
    no directory, as at the end of a file that breaks off, the files are found by their headers.
    """
    found = _directory(file)
    if found is None:
        yield "it has no directory (breaks off?); its files are looked for"
        yield from _by_headers(file)
        return
    place, end, shift = found[:3]
    stated: int | None = found[3]
    count = 0
    while place < end:
        count += 1
        if count > limits.MEMBERS:
            yield f"it has more than {limits.MEMBERS} files and folders; the rest is not read"
            return
        file.seek(place)
        head = file.read(_ENTRY_FORM.size)
        if len(head) < _ENTRY_FORM.size or not head.startswith(_ENTRY):
            on = _find(file, _ENTRY, place + 1, end)
            what = "not read" if on is None else f"read from byte {on} on"
            yield f"its directory is damaged at byte {place}; the rest is {what}"
            place = end if on is None else on
            stated = None  # the damage is told already
            continue
        _, flags, method, crc, stored, size, name_size, extra_size, comment_size, start = (
            _ENTRY_FORM.unpack(head)
        )
        name, extra = file.read(name_size), file.read(extra_size)
        place += _ENTRY_FORM.size + name_size + extra_size + comment_size
        size, stored, start = _long_numbers(extra, size, stored, start)
        if not name.endswith(b"/"):
            text = _name(name, flags)
            yield ZipFile(text, flags, method, crc, stored, size, start + shift, shift)
    if stated is not None and count & 0xFFFF != stated & 0xFFFF:
        yield f"its directory has {count} files and folders, not {stated} as it says"


def _by_headers(file: IO[bytes]) -> Iterator[ZipFile | str]:
    """Yield the files in a zip without a directory, by the headers before them."""
    end = file.seek(0, io.SEEK_END)
    place = _find(file, _LOCAL, 0, end)
    for _ in range(limits.MEMBERS):
        if place is None:
            return
        file.seek(place)
        head = file.read(_LOCAL_FORM.size)
        if len(head) < _LOCAL_FORM.size:
            return
        _, flags, method, crc, stored, size, name_size, extra_size = _LOCAL_FORM.unpack(head)
        name, extra = file.read(name_size), file.read(extra_size)
        start = place + _LOCAL_FORM.size + name_size + extra_size
        size, stored, _ = _long_numbers(extra, size, stored, 0)
        is_known = not (flags & _SIZES_BEHIND and not stored)
        if name and not name.endswith(b"/"):
            found = ZipFile(_name(name, flags), flags, method, crc, stored, size, place)
            yield found if is_known else found._replace(stored_size=end, size=None)
        place = _find(file, _LOCAL, start + (stored if is_known else 0), end)
    yield f"it has more than {limits.MEMBERS} files and folders; the rest is not read"


def _find(file: IO[bytes], magic: bytes, start: int, end: int) -> int | None:
    """Return where some bytes stand in a file, from `start` on and before `end`; or None."""
    step = 1 << 9  # it mostly stands near
    while start < end:
        file.seek(start)
        data = file.read(min(step, end - start))
        step = min(2 * step, _STEP)
        found = data.find(magic)
        if found >= 0:
            return start + found
        if len(data) <= len(magic):
            return None
        start += len(data) - len(magic) + 1
    return None


def _directory(file: IO[bytes]) -> tuple[int, int, int, int] | None:
    """Return where the directory of a zip starts and ends, how many bytes stand before the archive,
    by which all places in it are shifted, and how many entries it says to have. None if it has
    none."""
    length = file.seek(0, io.SEEK_END)
    tail_start = max(0, length - _LONGEST_END)
    file.seek(tail_start)
    tail = file.read(_LONGEST_END)
    found = tail.rfind(_END)
    if found < 0 or len(tail) - found < _END_SIZE:
        return None
    count, size, place = struct.unpack_from("<HLL", tail, found + 10)
    end = tail_start + found
    if end >= _END_64_SIZE:
        file.seek(end - _END_64_SIZE)
        record = file.read(_END_64_SIZE)
        if record.startswith(_END_64) and _LOCATOR_64 in record:
            count, size, place = struct.unpack_from("<QQQ", record, 32)
            end -= _END_64_SIZE
    if size > end or not (size or place in (0, end)):
        return None
    file.seek(min(place, end))
    if file.read(len(_ENTRY)) == _ENTRY:  # its size may be damaged
        return place, end, 0, count
    return end - size, end, end - size - place, count


def _long_numbers(extra: bytes, size: int, stored: int, place: int) -> tuple[int, int, int]:
    """Return numbers of an entry; those that need 64 bits are in its extra field."""
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, at)
        if kind == 1:
            count = min(length, len(extra) - at - 4) // 8
            numbers = iter(struct.unpack_from(f"<{count}Q", extra, at + 4))
            size, stored, place = (
                next(numbers, number) if number == _ALL_ONES else number
                for number in (size, stored, place)
            )
        at += 4 + length
    return size, stored, place


def _name(name: bytes, flags: int) -> str:
    """Return a name as text. One that is not said to be UTF-8 is often UTF-8 all the same."""
    if flags & _UTF_8:
        return name.decode("utf-8", "surrogateescape")
    try:
        return name.decode("utf-8")
    except UnicodeDecodeError:
        return name.decode("cp437")


class ZipReader:
    """Reads the bytes of files in a zip, none of them twice."""

    def __init__(self, file: IO[bytes]) -> None:
        """file: the archive; it stays open."""
        self._file = file
        self._starts = array(
            "q",
            sorted(
                found.place
                for found in zip_files(file)
                if isinstance(found, ZipFile) and 0 <= found.place < _ENDLESS
            ),
        )
        self._was_read = bytearray(len(self._starts) + 1)

    def read(self, found: ZipFile) -> bytes:
        """Return the bytes of a file.

        Raises DamageError if it can't be read: it is too large, encrypted or damaged, its method is
        not known, or its bytes are those of another file, too: a small archive may so become huge.
        """
        if found.size is not None and found.size > limits.LARGEST:
            raise DamageError(f"larger than {limits.size(limits.LARGEST)}")
        if found.flags & _ENCRYPTED:
            raise DamageError("encrypted")
        data = _unpacked(found, self._stored(found))
        is_whole = len(data) == found.size and zlib.crc32(data) == found.crc
        if found.size is not None and not is_whole:
            raise DamageError("damaged (its size or checksum is wrong)")
        return data

    def _stored(self, found: ZipFile) -> Iterator[bytes]:
        """Yield the bytes of a file as they are stored."""
        if not 0 <= found.place < _ENDLESS:
            raise DamageError("damaged (it stands nowhere)")
        head = self._header_at(found.place) or self._header_at(found.place - found.shift)
        if not head:
            raise DamageError(f"damaged (no header at byte {found.place})")
        size = _LOCAL_FORM.size + sum(_LOCAL_FORM.unpack(head)[-2:])
        self._check_overlap(found, found.place + size)
        self._file.seek(size - len(head), io.SEEK_CUR)
        left = found.stored_size
        while left and (piece := self._file.read(min(left, _STEP))):
            left -= len(piece)
            yield piece

    def _header_at(self, place: int) -> bytes:
        """Return the header of a file, if there is one at a place; else nothing."""
        self._file.seek(max(0, place))
        head = self._file.read(_LOCAL_FORM.size)
        return head if len(head) == _LOCAL_FORM.size and head.startswith(_LOCAL) else b""

    def _check_overlap(self, found: ZipFile, start: int) -> None:
        """Raise DamageError if bytes of a file belong to another one, or were read before."""
        number = bisect_right(self._starts, found.place)
        is_before_next = number == len(self._starts) or (
            start + found.stored_size <= self._starts[number] or found.size is None
        )
        if not is_before_next or self._was_read[number]:
            raise DamageError("overlaps another file of the archive")
        self._was_read[number] = True


def _unpacked(found: ZipFile, stored: Iterator[bytes]) -> bytes:
    """Return the bytes of a file, a little more if it is larger than it should be."""
    data = io.BytesIO()
    unpacked = stored
    if found.method != _STORED:
        unpacked = pieces(_decompressor(found.method), stored)
    elif found.size is None:
        raise DamageError("its size is not known")
    most = limits.LARGEST if found.size is None else found.size
    while data.tell() < most and (piece := next(unpacked, b"")):
        data.write(piece)
    if data.tell() > limits.LARGEST:
        raise DamageError(f"larger than {limits.size(limits.LARGEST)}")
    if not data.tell():
        next(unpacked, b"")  # of an empty file, too, the header is looked at
    return data.getvalue()


def _decompressor(method: int) -> Decompressor:
    """Return the decompressor of a method. Raises DamageError if there is none."""
    if method == _DEFLATED:
        return Inflater(-zlib.MAX_WBITS)
    if method == _BZIP2:
        return bz2.BZ2Decompressor()
    if method == _LZMA:
        return _LzmaOfZip()
    raise DamageError(f"compressed by a method that is not known ({method})")


class _LzmaOfZip:
    """Decompresses LZMA whose parameters stand before the data, as zip files have it."""

    def __init__(self) -> None:
        self._head: bytes = b""
        self._inner: lzma.LZMADecompressor | None = None

    @property
    def eof(self) -> bool:
        return self._inner is not None and self._inner.eof

    @property
    def needs_input(self) -> bool:
        return self._inner is None or self._inner.needs_input

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data if self._inner else b""

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        if self._inner is None:
            self._head += data
            if len(self._head) < 9:
                return b""
            properties, dictionary = self._head[4], int.from_bytes(self._head[5:9], "little")
            if self._head[2:4] != b"\x05\x00" or properties >= 9 * 5 * 5:
                raise ValueError("wrong parameters")
            if dictionary > limits.DICTIONARY:
                limit = limits.size(limits.DICTIONARY)
                raise DamageError(f"decompression needs more than {limit} of memory")
            rest, lc = divmod(properties, 9)
            pb, lp = divmod(rest, 5)
            known = {"id": lzma.FILTER_LZMA1, "dict_size": dictionary, "lc": lc, "lp": lp, "pb": pb}
            self._inner = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[known])
            data, self._head = self._head[9:], b""
        return self._inner.decompress(data, max_length)
