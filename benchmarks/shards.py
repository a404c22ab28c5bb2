"""Writes pages into one file: as rows of a Parquet file, or as records of a WARC file.

The pages are taken one after the other, so that a file may have more of them than fit in memory.
The same pages give the same bytes. Parquet needs pyarrow: `pip install 'sansho[dist]'`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import NamedTuple

_ROWS = 1000  # of a row group, which is in memory while it is written
_TAKEN = "2026-01-01T00:00:00Z"  # a record must have a time


class ServedPage(NamedTuple):
    """A page's file, its address, the type that its server states, and its bytes."""

    file: str
    url: str
    content_type: str
    data: bytes


def write_parquet(path: Path, pages: Iterable[ServedPage]) -> None:
    """Write a Parquet file with a row for each page: its address, its type and its bytes."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    schema = pa.schema({"url": pa.string(), "content_type": pa.string(), "body": pa.binary()})
    waiting = iter(pages)
    with ParquetWriter(path, schema, compression="zstd") as writer:
        while group := list(islice(waiting, _ROWS)):
            columns = ([getattr(page, name) for page in group] for name in ServedPage._fields[1:])
            writer.write_batch(pa.record_batch(list(columns), schema=schema))


def write_warc(path: Path, pages: Iterable[ServedPage]) -> None:
    """Write a compressed WARC file with an answer for each page."""
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    with path.open("wb") as file:
        writer = WARCWriter(file)
        for number, page in enumerate(pages, 1):
            named = [("Content-Type", page.content_type)]
            record = writer.create_warc_record(
                page.url,
                "response",
                payload=BytesIO(page.data),
                http_headers=StatusAndHeaders("200 OK", named, protocol="HTTP/1.1"),
                warc_headers_dict={"WARC-Date": _TAKEN, "WARC-Record-ID": f"<urn:page:{number}>"},
            )
            writer.write_record(record)


# The writers by the form of the file, and the ending of its name.
WRITERS: dict[str, tuple[Callable[[Path, Iterable[ServedPage]], None], str]] = {
    "parquet": (write_parquet, ".parquet"),
    "warc": (write_warc, ".warc.gz"),
}
