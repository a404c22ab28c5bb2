"""Measures what reading a Parquet file needs, from the headers of its pages, before it is read.

A column of a row group is stored in pages (parts of the column, nothing to do with web pages), each
behind a header in Thrift's compact protocol. A few bytes may unpack to gigabytes, and the library
allocates what a header claims. So the headers are looked at first.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from io import BufferedReader
from typing import TYPE_CHECKING, Any, NamedTuple

from scraper.sources import limits
from scraper.sources.compressed import DamageError

if TYPE_CHECKING:
    from io import FileIO

MAGIC = b"PAR1"
_END = 8  # bytes behind the footer: its length, and the magic
# Types of values in Thrift's compact protocol, as far as headers of pages have them.
_STOP, _TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _STRUCT = 0, 1, 2, 3, 7, 8, 12
_NUMBERS = frozenset((4, 5, 6))
_DEEPEST = 4  # structures in structures
# Fields of a page's header, and of the structures in it, by their numbers.
_UNPACKED, _STORED, _DATA, _DICTIONARY, _DATA_V2, _VALUES = 2, 3, 5, 7, 8, 1
_SMALLEST = 4  # bytes of a value in a dictionary


class Chunk(NamedTuple):
    """Where a column of a row group is stored: its first byte, and the one behind its last."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Needs:
    """What reading a column needs.

    at_once: bytes of its largest page and its dictionary, unpacked: they are in memory together.
    in_all: bytes of all its pages, unpacked.
    """

    at_once: int
    in_all: int


def footer(file: FileIO) -> bytes:
    """Return the footer of a Parquet file, with the magic and the length around it.

    Raises DamageError if there is none, or a very large one.
    """
    end = file.seek(0, os.SEEK_END)
    file.seek(max(0, end - _END))
    last = file.read(_END) or b""
    size = int.from_bytes(last[:4], "little")
    if not last.endswith(MAGIC) or not 0 < size <= end - _END - len(MAGIC):
        raise DamageError("a Parquet file without its end (truncated?)")
    if size > limits.PARQUET_FOOTER:
        most = limits.size(limits.PARQUET_FOOTER)
        raise DamageError(f"a Parquet file with a footer larger than {most}")
    file.seek(end - _END - size)
    data = file.read(size) or b""
    return MAGIC + data + last


def chunk_of(column: Any) -> Chunk:
    """Return where a column is stored. column: its metadata, as pyarrow gives them."""
    start = column.data_page_offset
    if column.has_dictionary_page and 0 < (column.dictionary_page_offset or 0) < start:
        start = column.dictionary_page_offset
    return Chunk(start, start + column.total_compressed_size)


def are_apart(chunks: Iterable[Chunk]) -> bool:
    """Whether no byte is in two of some chunks: a small file could so become huge.

    >>> are_apart([Chunk(9, 12), Chunk(4, 9)]), are_apart([Chunk(4, 9), Chunk(8, 12)])
    (True, False)
    """
    last = 0
    for start, end in sorted(chunks):
        if start < last or end < start:
            return False
        last = end
    return True


def needs(file: BufferedReader[FileIO], chunk: Chunk, rows: int) -> Needs:
    """Return what reading a column needs, by the headers of its pages.

    rows: of its row group; none of its pages can have more values.

    Raises DamageError if a header can't be read, or if it can't be true.
    """
    place, largest, dictionary, in_all = chunk.start, 0, 0, 0
    while place < chunk.end:
        file.seek(place)
        header = _structure(file)
        unpacked, stored = _number(header, _UNPACKED), _number(header, _STORED)
        place = file.tell() + stored
        if place > chunk.end:
            raise DamageError("a page that is longer than its column")
        if _DICTIONARY in header:
            if _number(header[_DICTIONARY], _VALUES) > unpacked // _SMALLEST:
                raise DamageError("a dictionary of more values than it has bytes for")
            dictionary = max(dictionary, unpacked)
        for data in (header[field] for field in (_DATA, _DATA_V2) if field in header):
            if _number(data, _VALUES) > rows:
                raise DamageError("a page with more values than there are rows")
        largest = max(largest, unpacked)
        in_all += unpacked
    return Needs(largest + dictionary, in_all)


def _number(structure: Any, field: int) -> int:
    """Return a number that a structure must have, and that counts something."""
    value = structure.get(field) if isinstance(structure, dict) else None
    if not isinstance(value, int) or value < 0:
        raise DamageError("the header of a page can't be read")
    return value


def _structure(file: BufferedReader[FileIO], depth: int = 0) -> dict[int, Any]:
    """Read a structure of Thrift's compact protocol: return its values by their fields' numbers.

    Texts are passed over. Raises DamageError if it has anything that no header of a page has.
    """
    found: dict[int, Any] = {}
    field = 0
    while (head := _byte(file)) != _STOP:
        step, kind = head >> 4, head & 15
        field = field + step if step else _zigzag(_varint(file))
        if kind in _NUMBERS:
            found[field] = _zigzag(_varint(file))
        elif kind == _STRUCT and depth < _DEEPEST:
            found[field] = _structure(file, depth + 1)
        elif kind == _BINARY:
            file.seek(_varint(file), os.SEEK_CUR)
        elif kind in {_BYTE, _DOUBLE}:
            file.seek(1 if kind == _BYTE else 8, os.SEEK_CUR)
        elif kind not in {_TRUE, _FALSE}:
            raise DamageError("the header of a page can't be read")
    return found


def _byte(file: BufferedReader[FileIO]) -> int:
    data = file.read(1)
    if not data:
        raise DamageError("the header of a page can't be read")
    return data[0]


def _varint(file: BufferedReader[FileIO]) -> int:
    """Read a number of which each byte has seven bits, and whether another one follows."""
    number = 0
    for shift in range(0, 63, 7):
        byte = _byte(file)
        number |= (byte & 127) << shift
        if byte < 128:
            return number
    raise DamageError("the header of a page can't be read")


def _zigzag(number: int) -> int:
    """Return a number that is stored so that small negative numbers are short, too.

    >>> [_zigzag(number) for number in (0, 1, 2, 3)]
    [0, -1, 1, -2]
    """
    return (number >> 1) ^ -(number & 1)
