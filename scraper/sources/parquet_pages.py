"""Reads a Parquet file of pages: each row is a page, one row at a time.

Columns are known by their names, in any case: the bytes of a page (`body`, or else `content`,
`html`, `wikitext`, `text`), when it was fetched (`taken`, or else `fetched`, `date`, `timestamp`),
its path (`file`), its `status`, and what manifests state of files. Others are passed over.

pyarrow reads it in a child process: it allocates whatever a damaged file claims, a few bytes may
unpack to gigabytes, and some damage ends its process.

Needs pyarrow: `pip install 'sansho[dist]'`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from io import SEEK_END, BytesIO
from pathlib import Path
from typing import IO, Any, NamedTuple

from scraper.page import ReadWarning
from scraper.reader_process import Frame
from scraper.sources import limits
from scraper.sources.compressed import DamageError
from scraper.sources.files import frames_of_file, message
from scraper.sources.manifest import TEXTS

_NEEDED = "a Parquet file; reading it needs pyarrow: pip install 'sansho[dist]'"
_BODY, _FILE, _STATUS, _TAKEN, _TYPE = "body", "file", "status", "taken", "content_type"
_BODIES = ("body", "content", "html", "wikitext", "text")  # the first that is there counts
_TIMES = ("taken", "fetched", "date", "timestamp")
MAGIC = b"PAR1"  # at both ends of the file, by the format
_END = 8  # bytes behind the footer, by the format: its length, and the magic, of four each
# Bytes of a column that are read from the file at once: without a buffer pyarrow takes all of it
# in a row group into memory.
_BUFFER = 1 << 16
# Columns in a warning, and characters of each: it is one line, and names may have any length.
_MOST_SHOWN, _LONGEST_SHOWN = 20, 40
# Arrow's own copy of the schema is not used: its types may be anybody's, and may make each row cost
# as much as the whole column (dictionaries). In its place stands a key of the same length.
_ARROW_SCHEMA, _NO_SCHEMA = b"ARROW:schema", b"not:a-schema"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Row(NamedTuple):
    """A row of a Parquet file of pages.

    place: the path of the page's file, if the row states one; else the number of the row, from 1.
    body: the bytes of the page.
    stated: what the row states of it, by the names that manifests have for it.
    problems: what it states that can't be read.
    """

    place: str
    body: bytes
    stated: Mapping[str, object]
    problems: Sequence[str] = ()


def rows(path: Path, where: str) -> Iterator[Row | ReadWarning]:
    """Yield the rows of a Parquet file in their order. What can't be read gives a warning in its
    place, and reading goes on with the next row group.

    where: the file's place in warnings.
    """
    if find_spec("pyarrow") is None:
        yield ReadWarning(where, _NEEDED)
        return
    number = 0
    for found, body in frames_of_file(path, frames_of_rows, "pyarrow"):
        number = found.pop("row", number)
        if "place" in found:
            yield Row(body=body, **found)
        else:
            yield ReadWarning(f"{where}!{number}" if number else where, found["what"])


def frames_of_rows(file: IO[bytes], given: dict[str, Any]) -> Iterator[Frame]:
    """Yield the fields of each `Row` of a Parquet file with the number of the `row`, and `what` to
    warn of. To be run in a child.

    given: the limits.
    """
    import pyarrow

    vars(limits).update(given)
    pyarrow.set_memory_pool(pyarrow.system_memory_pool())  # which reserves nothing in advance
    try:
        yield from _frames(file)
    except Exception as error:  # pyarrow raises whatever malformed metadata lead to
        yield {"what": f"can't be read: {_in_words(error)}"}, b""


def _frames(file: IO[bytes]) -> Iterator[Frame]:
    """As `frames_of_rows`. Raises DamageError, or what pyarrow raises, where it can't go on."""
    from pyarrow.parquet import ParquetFile, read_metadata

    metadata = read_metadata(BytesIO(_footer(file)))
    parquet = ParquetFile(
        file,
        metadata=metadata,
        buffer_size=_BUFFER,
        pre_buffer=False,
        page_checksum_verification=True,
        arrow_extensions_enabled=False,
    )
    schema = parquet.schema_arrow
    columns, problems = _columns(schema)
    names = list(columns.values())
    twice = next((name for name in names if schema.names.count(name) > 1), "")
    if _BODY not in columns:
        problems.append(_no_body(schema))
    elif twice:
        problems.append(f"two columns are called {_short(twice)}; not read")
    yield from (({"what": problem}, b"") for problem in problems)
    if _BODY not in columns or twice:
        return
    first, total = 1, 0
    for group in range(metadata.num_row_groups):
        numbers = range(first, first + metadata.row_group(group).num_rows)
        first = numbers.stop
        if first > limits.ROWS + 1:
            what = f"more than {limits.ROWS} rows; not read from row {numbers.start} on"
            yield {"what": what}, b""
            return
        unread, problem = numbers.start, "not there"
        try:
            batches = parquet.iter_batches(1, [group], names, use_threads=False)
            for number, batch in zip(numbers, batches, strict=False):
                values = {stated: batch.column(name)[0] for stated, name in columns.items()}
                row, body = _row(number, values, columns[_BODY].lower() == "wikitext")
                total += len(body)
                if total > limits.IN_ALL:
                    most = limits.size(limits.IN_ALL)
                    what = f"unpacks to more than {most}; not read from row {number} on"
                    yield {"what": what}, b""
                    return
                yield row, body
                unread += 1
        except Exception as error:  # pyarrow raises whatever malformed pages lead to
            problem = f"can't be read: {_in_words(error)}"
        if unread < first:
            yield {"row": unread, "what": f"{_rows(unread, first - 1)}: {problem}"}, b""


def _footer(file: IO[bytes]) -> bytes:
    """Return the footer of a Parquet file, with the magic and the length around it, and without
    Arrow's own schema.

    Raises DamageError if there is none.
    """
    end = file.seek(0, SEEK_END)
    file.seek(max(0, end - _END))
    last = file.read(_END)
    size = int.from_bytes(last[:4], "little")
    if not last.endswith(MAGIC) or not 0 < size <= end - _END - len(MAGIC):
        raise DamageError("a Parquet file without its end (truncated?)")
    file.seek(end - _END - size)
    return MAGIC + file.read(size).replace(_ARROW_SCHEMA, _NO_SCHEMA) + last


def _rows(first: int, last: int) -> str:
    return f"rows {first} to {last}" if first < last else f"row {first}"


def _columns(schema: Any) -> tuple[dict[str, str], list[str]]:
    """Return the names of the columns to read, and what is wrong with others.

    The names are by those that manifests have for what is in them, or `body`, or `file`. Of several
    columns for one thing the first in the order of `_KINDS` counts whose type will do; of names
    that differ in case alone, the first of the file.
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
    """Return a name from the file as a warning shows it: of a long one the beginning and `…`."""
    return name if len(name) <= _LONGEST_SHOWN else name[:_LONGEST_SHOWN] + "…"


def _in_words(error: Exception) -> str:
    """Return what went wrong, in one line: pyarrow's messages may have many."""
    return message(error).partition("\n")[0]


def _row(number: int, values: dict[str, Any], is_wikitext: bool) -> Frame:
    """Return a row, or, as `what`, why it is not read: it has no bytes of a page, or too many.

    number: counted from 1; values: pyarrow's, by the names that manifests have for them.
    """
    body = values.pop(_BODY).as_buffer()
    if body is None:
        return {"row": number, "what": "a row without a page's bytes; left out"}, b""
    if body.size > limits.LARGEST:
        what = f"larger than {limits.size(limits.LARGEST)}; not read"
        return {"row": number, "what": what}, b""
    stated: dict[str, object] = {_TYPE: "text/x-wiki"} if is_wikitext else {}
    problems = []
    for name, value in values.items():
        try:
            if value.is_valid:
                stated[name] = _plain(value)
        except (ValueError, OverflowError, NotImplementedError) as error:
            problems.append(f"{name}: {_in_words(error)}; left out")
    file = stated.pop(_FILE, None)
    place = str(file) if file and len(str(file)) <= limits.LONG_VALUE else str(number)
    row = {"row": number, "place": place, "stated": stated, "problems": problems}
    return row, body.to_pybytes()


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
