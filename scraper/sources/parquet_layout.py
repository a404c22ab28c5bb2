"""Reads where a Parquet file keeps its columns, and what reading them needs, before it is read.

A column of a row group is stored in pages (parts of the column, nothing to do with web pages), each
behind a header. A few bytes may unpack to gigabytes, and the library allocates what a header
claims: so the headers are looked at first. The footer is read here, too, as the library's own
classes for it end the process where it is damaged. Both are in Thrift's compact protocol.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import IO, TYPE_CHECKING, NamedTuple

from scraper.sources import limits
from scraper.sources.compressed import DamageError

if TYPE_CHECKING:
    from io import FileIO

MAGIC = b"PAR1"
_END = 8  # bytes behind the footer: its length, and the magic
# Types of values in Thrift's compact protocol.
_STOP, _TRUE, _FALSE, _BYTE, _DOUBLE, _TEXT, _LIST, _SET, _STRUCT = 0, 1, 2, 3, 7, 8, 9, 10, 12
_NUMBERS = frozenset((4, 5, 6))
_SIZES = {_BYTE: 1, _DOUBLE: 8}
_ITEM_SIZES = _SIZES | {_TRUE: 1, _FALSE: 1}  # of items of a list: there truth takes a byte
_FAR = 1 << 40  # bytes: no value is so long
_DEEPEST = 16  # structures and lists in each other
_LONG_LIST = 15  # a list has at least so many items, and their number stands behind
# Fields of the footer, of a row group, of a column in it, and of that column's metadata.
_ROW_GROUPS, _COLUMNS, _ROWS, _METADATA = 4, 1, 3, 3
_SIZE, _FIRST_PAGE, _FIRST_DICTIONARY = 7, 9, 11
# Fields of a page's header, and of what stands in it of data and dictionaries.
_UNPACKED, _STORED, _DATA, _DICTIONARY, _DATA_V2, _VALUES = 2, 3, 5, 7, 8, 1
_SMALLEST = 4  # bytes of a value in a dictionary
_BAD_FOOTER, _BAD_HEADER = "its footer can't be read", "the header of a page can't be read"


class Chunk(NamedTuple):
    """Where a column of a row group is stored: its first byte, and the one behind its last."""

    start: int
    end: int


class RowGroup(NamedTuple):
    """A row group: the number of its rows, and where the columns that are wanted are stored."""

    rows: int
    chunks: tuple[Chunk, ...]


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


def row_groups(footer: bytes, columns: Container[int]) -> list[RowGroup]:
    """Return the row groups of a file.

    footer: as `footer` returns it; columns: the places of those that are wanted, among all columns.
        Their names, which stand there a second time, may be false: the library does not read them.

    Raises DamageError if it can't be read, or there are too many.
    """
    thrift = _Thrift(BytesIO(footer[len(MAGIC) :]), _BAD_FOOTER)
    found: list[RowGroup] = []
    for field, kind in thrift.fields():
        if (field, kind) == (_ROW_GROUPS, _LIST):
            found = [_row_group(thrift, columns) for _ in thrift.structures(limits.ROW_GROUPS)]
        else:
            thrift.skip(kind)
    return found


def _row_group(thrift: _Thrift, columns: Container[int]) -> RowGroup:
    rows, chunks = 0, tuple[Chunk, ...]()
    for field, kind in thrift.fields():
        if (field, kind) == (_COLUMNS, _LIST):
            found = [_chunk(thrift) for _ in thrift.structures()]
            chunks = tuple(chunk for place, chunk in enumerate(found) if place in columns)
        elif field == _ROWS and kind in _NUMBERS:
            rows = thrift.count()
        else:
            thrift.skip(kind)
    return RowGroup(rows, chunks)


def _chunk(thrift: _Thrift) -> Chunk:
    """Read where a column of a row group is stored."""
    numbers = {}
    for field, kind in thrift.fields():
        if (field, kind) != (_METADATA, _STRUCT):
            thrift.skip(kind)
            continue
        for inner, inner_kind in thrift.fields():
            if inner_kind in _NUMBERS:
                numbers[inner] = thrift.number()
            else:
                thrift.skip(inner_kind)
    pages, dictionary = numbers.get(_FIRST_PAGE, 0), numbers.get(_FIRST_DICTIONARY, 0)
    start = dictionary if 0 < dictionary < pages else pages
    return Chunk(start, start + numbers.get(_SIZE, 0))


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


def needs(file: IO[bytes], chunk: Chunk, rows: int) -> Needs:
    """Return what reading a column needs, by the headers of its pages.

    rows: of its row group; none of its pages can have more values.

    Raises DamageError if a header can't be read, or if it can't be true.
    """
    place, largest, dictionary, in_all = chunk.start, 0, 0, 0
    while place < chunk.end:
        file.seek(place)
        page = _page(_Thrift(file, _BAD_HEADER))
        place = file.tell() + page.stored
        if place > chunk.end:
            raise DamageError("a page that is longer than its column")
        if page.in_dictionary * _SMALLEST > page.unpacked:
            raise DamageError("a dictionary of more values than it has bytes for")
        if page.values > rows:
            raise DamageError("a page with more values than there are rows")
        dictionary = max(dictionary, page.unpacked if page.in_dictionary else 0)
        largest = max(largest, page.unpacked)
        in_all += page.unpacked
    return Needs(largest + dictionary, in_all)


@dataclass(slots=True)
class _Page:
    """The header of a page: bytes unpacked and as stored, and values in it."""

    unpacked: int = 0
    stored: int = 0
    values: int = 0
    in_dictionary: int = 0


def _page(thrift: _Thrift) -> _Page:
    page = _Page()
    for field, kind in thrift.fields():
        if field == _UNPACKED and kind in _NUMBERS:
            page.unpacked = thrift.count()
        elif field == _STORED and kind in _NUMBERS:
            page.stored = thrift.count()
        elif field in {_DATA, _DATA_V2} and kind == _STRUCT:
            page.values = max(page.values, _values(thrift))
        elif field == _DICTIONARY and kind == _STRUCT:
            page.in_dictionary = _values(thrift)
        else:
            thrift.skip(kind)
    return page


def _values(thrift: _Thrift) -> int:
    """Read the part of a header that tells how many values a page has."""
    values = 0
    for field, kind in thrift.fields():
        if field == _VALUES and kind in _NUMBERS:
            values = thrift.count()
        else:
            thrift.skip(kind)
    return values


class _Thrift:
    """Reads Thrift's compact protocol from a file; raises DamageError where it can't be read."""

    def __init__(self, file: IO[bytes], problem: str) -> None:
        """problem: what is said where it can't be read."""
        self._file = file
        self._problem = problem

    def fields(self) -> Iterator[tuple[int, int]]:
        """Yield the fields of a structure: their numbers, and the types of their values. Read the
        value, or skip it, before the next is asked for."""
        field = 0
        while (head := self._byte()) != _STOP:
            step, kind = head >> 4, head & 15
            field = field + step if step else self.number()
            yield field, kind

    def structures(self, most: int | None = None) -> Iterator[None]:
        """Yield once for each structure in a list; read it before the next is asked for.

        most: the number at most; more raise DamageError.
        """
        count, kind = self._list()
        if kind != _STRUCT:
            raise DamageError(self._problem)
        if most is not None and count > most:
            raise DamageError(f"more than {most} row groups")
        for _ in range(count):
            yield

    def count(self) -> int:
        """Read a number that counts something."""
        number = self.number()
        if number < 0:
            raise DamageError(self._problem)
        return number

    def number(self) -> int:
        """Read a number, which is stored so that small negative numbers are short, too."""
        number = self._size()
        return (number >> 1) ^ -(number & 1)

    def skip(self, kind: int, depth: int = 0) -> None:
        """Pass over a value of a type."""
        if kind in {_TRUE, _FALSE}:  # which are the value itself
            return
        if depth > _DEEPEST:
            raise DamageError(self._problem)
        if kind in _NUMBERS:
            self._size()
        elif kind == _TEXT:
            self._pass(self._size())
        elif kind in _SIZES:
            self._pass(_SIZES[kind])
        elif kind == _STRUCT:
            for _, inner in self.fields():
                self.skip(inner, depth + 1)
        elif kind in {_LIST, _SET}:
            self._skip_items(*self._list(), depth + 1)
        else:
            raise DamageError(self._problem)

    def _skip_items(self, count: int, kind: int, depth: int) -> None:
        """Pass over the items of a list. It may claim to have any number of them: those without
        bytes to read one by one are passed over at once."""
        if kind in _ITEM_SIZES:
            self._pass(count * _ITEM_SIZES[kind])
        else:
            for _ in range(count):
                self.skip(kind, depth)

    def _pass(self, size: int) -> None:
        """Pass over bytes. If there are fewer, the next one that is read is missing."""
        if size > _FAR:
            raise DamageError(self._problem)
        self._file.seek(size, os.SEEK_CUR)

    def _list(self) -> tuple[int, int]:
        """Read the beginning of a list: return how many items it has, and of which type."""
        head = self._byte()
        count, kind = head >> 4, head & 15
        return self._size() if count == _LONG_LIST else count, kind

    def _byte(self) -> int:
        data = self._file.read(1)
        if not data:
            raise DamageError(self._problem)
        return data[0]

    def _size(self) -> int:
        """Read a number of which each byte has seven bits, and whether another one follows."""
        number = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            number |= (byte & 127) << shift
            if byte < 128:
                return number & (2**64 - 1)
        raise DamageError(self._problem)
