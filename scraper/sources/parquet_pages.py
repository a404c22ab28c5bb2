"""Reads a Parquet file of pages: each row is a page, one row at a time.

Columns are known by their names, in any case: the bytes of a page (`body`, or else `content`,
`html`, `wikitext`, `text`), when it was fetched (`taken`, or else `fetched`, `date`, `timestamp`),
its path (`file`), its `status`, and what manifests state of files. Others are passed over.

Needs pyarrow: `pip install 'sansho[dist]'`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scraper.page import ReadWarning
from scraper.sources import limits
from scraper.sources.compressed import DamageError
from scraper.sources.files import message, open_file
from scraper.sources.manifest import TEXTS
from scraper.sources.parquet_layout import RowGroup, are_apart, footer, needs, row_groups

if TYPE_CHECKING:
    from io import FileIO

_NEEDED = "a Parquet file; reading it needs pyarrow: pip install 'sansho[dist]'"
_BODY, _FILE, _STATUS, _TAKEN, _TYPE = "body", "file", "status", "taken", "content_type"
_BODIES = ("body", "content", "html", "wikitext", "text")  # the first that is there counts
_TIMES = ("taken", "fetched", "date", "timestamp")
_WIKITEXT = {_TYPE: "text/x-wiki"}  # what a column `wikitext` states of its pages
_BUFFER = 1 << 16  # bytes of a column that are read from the file at once
_MOST_SHOWN, _LONGEST_SHOWN = 20, 40  # columns in a warning, and characters of each
# Arrow's own copy of the schema is not used: its types may be anybody's, and may make each row cost
# as much as the whole column (dictionaries). In its place stands a key of the same length.
_ARROW_SCHEMA, _NO_SCHEMA = b"ARROW:schema", b"not:a-schema"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a Parquet file of pages.

    place: the path of the page's file, if the row states one; else the number of the row, from 1.
    body: the bytes of the page.
    stated: what the row states of it, by the names that manifests have for it.
    problems: what it states that can't be read.
    """

    place: str
    body: bytes
    stated: Mapping[str, object]
    problems: tuple[str, ...] = ()


class _TooMuchError(Exception):
    """Raised where a file unpacks to more than is read of one."""


def rows(path: Path, where: str) -> Iterator[Row | ReadWarning]:
    """Yield the rows of a Parquet file in their order. What can't be read gives a warning in its
    place, and reading goes on with the next row group.

    where: the file's place in warnings.
    """
    if find_spec("pyarrow") is None:
        yield ReadWarning(where, _NEEDED)
        return
    try:
        with open_file(path) as raw:
            yield from _PageFile(raw, where).rows()
    except Exception as error:  # pyarrow raises whatever malformed metadata lead to
        yield ReadWarning(where, f"can't be read: {_in_words(error)}")


class _PageFile:
    """A Parquet file of pages that is open."""

    def __init__(self, raw: FileIO, where: str) -> None:
        """Read the footer. Raises DamageError, or what pyarrow raises, if it can't be read."""
        from pyarrow.parquet import ParquetFile, read_metadata

        self._where = where
        self._raw = raw
        self._footer = footer(raw).replace(_ARROW_SCHEMA, _NO_SCHEMA)
        self._parquet = ParquetFile(
            raw,
            metadata=read_metadata(BytesIO(self._footer)),
            buffer_size=_BUFFER,
            pre_buffer=False,
            page_checksum_verification=True,
            arrow_extensions_enabled=False,
        )
        self._in_pages = 0  # bytes of all stored parts of the columns that were read, unpacked
        self._in_rows = 0  # bytes of all rows; more, as a value of a dictionary may be in many

    def rows(self) -> Iterator[Row | ReadWarning]:
        """Yield all rows that can be read, and warnings."""
        schema = self._parquet.schema_arrow
        columns, problems = _columns(schema)
        yield from (ReadWarning(self._where, problem) for problem in problems)
        if _BODY not in columns:
            yield ReadWarning(self._where, _no_body(schema))
            return
        names = list(columns.values())
        if twice := next((name for name in names if schema.names.count(name) > 1), ""):
            yield ReadWarning(self._where, f"two columns are called {_short(twice)}; not read")
            return
        groups = row_groups(self._footer, self._places(names))
        if any(len(group.chunks) != len(names) for group in groups):
            raise DamageError("a row group without some of the columns")
        # A part without rows, as programs write for an empty table, has no bytes of its own.
        if not are_apart(chunk for group in groups if group.rows for chunk in group.chunks):
            raise DamageError("several columns are stored in the same bytes")
        yield from self._rows_of_groups(columns, groups)

    def _places(self, names: Sequence[str]) -> set[int]:
        """Return the places of columns among all that are stored; a nested one is several."""
        schema = self._parquet.schema
        paths = [schema.column(place).path for place in range(len(schema))]
        return {place for place, path in enumerate(paths) if path in names}

    def _rows_of_groups(
        self, columns: Mapping[str, str], groups: Sequence[RowGroup]
    ) -> Iterator[Row | ReadWarning]:
        """Yield the rows of all row groups. columns: as `_columns` returns them."""
        first = 1
        for number, group in enumerate(groups):
            end = first + group.rows
            if end > limits.ROWS + 1:
                what = f"more than {limits.ROWS} rows; not read from row {first} on"
                yield ReadWarning(self._where, what)
                return
            unread, problem = first, "not there"
            if not group.rows:
                continue
            try:
                self._check_needs(group)
                for row in self._rows_of_group(number, range(first, end), columns):
                    yield row
                    unread += 1
            except _TooMuchError:
                most = limits.size(limits.IN_ALL)
                what = f"unpacks to more than {most}; not read from row {unread} on"
                yield ReadWarning(self._where, what)
                return
            except Exception as error:  # pyarrow raises whatever malformed pages lead to
                problem = f"can't be read: {_in_words(error)}"
            if unread < end:
                yield ReadWarning(f"{self._where}!{unread}", f"{_rows(unread, end - 1)}: {problem}")
            first = end

    def _check_needs(self, group: RowGroup) -> None:
        """Raise DamageError if a row group can't be read in bounded memory, or is damaged, and
        _TooMuchError if too much was unpacked before."""
        file = BufferedReader(self._raw)
        try:
            needed = [needs(file, chunk, group.rows) for chunk in group.chunks]
        finally:
            file.detach()
        if sum(need.at_once for need in needed) > limits.PARQUET_PAGE:
            raise DamageError(f"its pages unpack to more than {limits.size(limits.PARQUET_PAGE)}")
        self._in_pages += sum(need.in_all for need in needed)
        _check_total(self._in_pages)

    def _rows_of_group(
        self, group: int, numbers: range, columns: Mapping[str, str]
    ) -> Iterator[Row | ReadWarning]:
        """Yield the rows of a row group, of each either it or why it is not read."""
        names = list(columns.values())
        default = _WIKITEXT if columns[_BODY].lower() == "wikitext" else {}
        batches = self._parquet.iter_batches(1, [group], names, use_threads=False)
        for number, batch in zip(numbers, batches, strict=False):
            values = {stated: batch.column(name)[0] for stated, name in columns.items()}
            row = _row(number, values, default)
            if isinstance(row, Row):
                self._in_rows += len(row.body)
                _check_total(self._in_rows)
                yield row
            else:
                yield ReadWarning(f"{self._where}!{number}", row)


def _rows(first: int, last: int) -> str:
    return f"rows {first} to {last}" if first < last else f"row {first}"


def _check_total(size: int) -> None:
    if size > limits.IN_ALL:
        raise _TooMuchError


def _columns(schema: Any) -> tuple[dict[str, str], list[str]]:
    """Return the names of the columns to read, and what is wrong with others.

    The names are by those that manifests have for what is in them, or `body`, or `file`.
    """
    found: dict[str, str] = {}
    problems = []
    names = {name.lower(): name for name in reversed(schema.names)}
    for stated, called, fits in _KINDS:
        for name in (names[lower] for lower in called if lower in names):
            kind = schema.field(schema.names.index(name)).type
            if fits(kind):
                found[stated] = name
                break
            problems.append(f"column {_short(name)} is of type {_short(str(kind))}; left out")
    return found, problems


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_binary(kind))


def _is_time(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_timestamp(kind) or types.is_date(kind))


def _is_number(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_integer(kind))


# What is stated, how columns of it are called, and whether one of some type is such a column.
_KINDS: tuple[tuple[str, tuple[str, ...], Callable[[Any], bool]], ...] = (
    (_BODY, _BODIES, _is_text),
    (_FILE, (_FILE,), _is_text),
    (_STATUS, (_STATUS,), _is_number),
    (_TAKEN, _TIMES, lambda kind: _is_text(kind) or _is_time(kind)),
    *((name, (name,), _is_text) for name in TEXTS if name != _TAKEN),
)


def _no_body(schema: Any) -> str:
    """Return that a file has no column of pages, and which it has, of what types."""
    first = list(zip(schema.names, schema.types, strict=True))[:_MOST_SHOWN]
    shown = ", ".join(f"{_short(name)} ({_short(str(kind))})" for name, kind in first)
    rest = len(schema.names) - len(first)
    more = f" and {rest} others" if rest else ""
    needed = f"{', '.join(_BODIES[:-1])} or {_BODIES[-1]}"
    return (
        f"a Parquet file without pages: it has the columns {shown or 'of nothing'}{more}; the text "
        f"or bytes of each page must be in {needed}; not read"
    )


def _short(name: str) -> str:
    """Return a name from the file as a warning shows it."""
    return name if len(name) <= _LONGEST_SHOWN else name[:_LONGEST_SHOWN] + "…"


def _in_words(error: Exception) -> str:
    """Return what went wrong, in one line: pyarrow's messages may have many."""
    return message(error).partition("\n")[0]


def _row(number: int, values: dict[str, Any], default: Mapping[str, object]) -> Row | str:
    """Return a row, or why it is not read.

    number: counted from 1; values: pyarrow's, by the names that manifests have for them.
    default: what is stated where no value states it.
    """
    body = values.pop(_BODY).as_buffer()
    if body is None:
        return "a row without a page's bytes; left out"
    if body.size > limits.LARGEST:
        return f"larger than {limits.size(limits.LARGEST)}; not read"
    stated = dict(default)
    problems = []
    for name, value in values.items():
        try:
            if value.is_valid:
                stated[name] = _plain(value)
        except (ValueError, OverflowError, NotImplementedError) as error:
            problems.append(f"{name}: {_in_words(error)}; left out")
    file = stated.pop(_FILE, None)
    place = str(file) if file and len(str(file)) <= limits.LONG_VALUE else str(number)
    return Row(place, body.to_pybytes(), stated, tuple(problems))


def _plain(value: Any) -> object:
    """Return a value as JSON would have it: a number, a text, or a time as text.

    A text that is too long to be used is cut, but stays too long. A time without a zone is in UTC.
    """
    from pyarrow import timestamp, types

    if types.is_integer(value.type):
        return value.as_py()
    if types.is_temporal(value.type):
        passed = timedelta(microseconds=value.cast(timestamp("us"), safe=False).value)
        return (_EPOCH + passed).isoformat().replace("+00:00", "Z")
    buffer = value.as_buffer()
    data = buffer.slice(0, min(buffer.size, 4 * limits.LONG_VALUE + 4)).to_pybytes()
    return data.decode("utf-8", "surrogateescape")
