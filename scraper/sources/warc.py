"""WARC files: the answers that a crawler kept, one after the other."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from io import SEEK_CUR, SEEK_END, BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING

from scraper.page import ReadWarning
from scraper.sources.archive import BROKEN, IN_ALL, LARGEST
from scraper.sources.http_body import BodyError, decode_body

if TYPE_CHECKING:
    from warcio.recordloader import ArcWarcRecord

_MAGIC, _GZIP = b"WARC/", b"\x1f\x8b"
_HEAD = 1 << 20  # the headers of a record are never so large
_STEP = 1 << 16
_RECORD_END = b"\r\n\r\n"
_NO_PAGE = ("image/", "audio/", "video/", "font/", "text/css", "text/javascript",
            "application/javascript", "application/x-javascript")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Record:
    """An answer that a WARC file keeps. `place` is where its record begins, in bytes of the
    file as it is uncompressed."""

    place: int
    url: str
    taken: str
    status: int
    headers: dict[str, str]
    body: bytes


def records(path: Path) -> Iterator[Record | ReadWarning]:
    """The answers with a page in a WARC file, compressed or not.

    Of responses, those with a status of 2xx; of resources, all. What can't be read is a Warn,
    in its place; where the file breaks off, all that was whole before has been given.
    """
    left_out: Counter[str] = Counter()
    with path.open("rb") as file:
        yield from _records(str(path), _Counted(_pieces(file)), left_out)
    if left_out:
        told = ", ".join(f"{n} {kind}" for kind, n in sorted(left_out.items()))
        yield ReadWarning(str(path), f"records that are no pages are left out: {told}")


def body_at(path: Path, place: int) -> bytes:
    """The body of the answer whose record begins at a byte of the file as it lies.

    Raises ValueError where none begins there.
    """
    from warcio.archiveiterator import ArchiveIterator

    with path.open("rb") as file:
        file.seek(place)
        try:
            found = _record(next(iter(ArchiveIterator(file))), place)
        except Exception as error:  # see _records
            raise ValueError(f"{path}: no record at byte {place} ({error})") from None
    if isinstance(found, Record):
        return found.body
    raise ValueError(f"{path}: no answer at byte {place}")


def is_whole(path: Path, place: int) -> bool:
    """Whether a file holds nothing but whole records from a byte on, as it lies."""
    with path.open("rb") as file:
        file.seek(place)
        stream = _Counted(_pieces(file))
        for _ in _records(str(path), stream, Counter()):
            pass
        file.seek(place)
        packed = file.read(len(_GZIP)) == _GZIP
        file.seek(max(0, file.seek(0, SEEK_END) - len(_RECORD_END)))
        return not stream.broken and (packed or file.read() == _RECORD_END)


def last_start(path: Path) -> int:
    """Where the last record begins that can be found in a file, as it lies; 0 if there is none."""
    from warcio.archiveiterator import ArchiveIterator

    start = 0
    with path.open("rb") as file, suppress(Exception):  # see _records
        iterator = ArchiveIterator(file)
        for record in iterator:
            start = iterator.get_record_offset()
            while record.raw_stream.read(_STEP):
                pass
    return start


def _records(where: str, file: _Counted, left_out: Counter[str]) -> Iterator[Record | ReadWarning]:
    from warcio.archiveiterator import ArchiveIterator

    iterator = ArchiveIterator(file)
    try:
        while True:
            file.allow(_HEAD)  # a head without an end would be read into memory whole
            record = next(iterator, None)
            file.allow(None)
            if record is None:
                break
            if record.length is None:
                raise ValueError("a record does not tell its length")
            yield from _of(record, f"{where}!{iterator.offset}", iterator.offset, left_out)
            while record.raw_stream.read(_STEP):
                pass
            if record.raw_stream.limit:
                raise EOFError("it ends within a record")
            file.allow(_HEAD)
            iterator.read_to_end()
    except Exception as error:  # warcio lets through whatever a malformed head leads to
        file.broken = file.broken or str(error).strip()[:200] or type(error).__name__
    if file.broken:
        yield ReadWarning(where, f"the WARC file is broken from here on: {file.broken}")


def _of(
    record: ArcWarcRecord, where: str, place: int, left_out: Counter[str]
) -> Iterator[Record | ReadWarning]:
    try:
        found = _record(record, place)
    except BodyError as error:
        yield ReadWarning(where, f"the answer {error}; left out")
        return
    if isinstance(found, str):
        left_out.update([found] if found else [])
    else:
        yield found


def _record(record: ArcWarcRecord, place: int) -> Record | str:
    """The answer that a record holds, or the kind that it is, where that is no page (empty
    where it goes without saying). Raises CodingError, or EOFError where the file breaks off."""
    said = record.rec_headers
    if record.rec_type not in {"response", "resource"}:
        return "revisit" if record.rec_type == "revisit" else ""
    headers: dict[str, str] = {}
    status = 200
    if record.http_headers is not None:
        headers = {name.lower(): value for name, value in record.http_headers.headers}
        code = record.http_headers.get_statuscode()
        status = int(code) if code.isdigit() else 0
    elif record.rec_type == "response":
        return "answer without headers"
    else:
        headers = {"content-type": record.content_type or ""}
    if not 200 <= status < 300:
        return f"answer {status}"
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind.startswith(_NO_PAGE):
        return kind
    body = _body(record, headers)
    return Record(
        place,
        str(said.get_header("WARC-Target-URI") or ""),
        str(said.get_header("WARC-Date") or ""),
        status,
        headers,
        body,
    )


def _body(record: ArcWarcRecord, headers: dict[str, str]) -> bytes:
    from warcio.bufferedreaders import ChunkedDataException, ChunkedDataReader

    length = record.payload_length if record.http_headers is not None else record.length
    if length is not None and length > LARGEST:
        raise BodyError(f"is larger than {LARGEST >> 20} MB")
    body: bytes = record.raw_stream.read(LARGEST + 1) or b""
    while len(body) <= LARGEST and (more := record.raw_stream.read(_STEP)):
        body += more
    if length is not None and 0 <= len(body) < length:
        raise EOFError(f"a record of {length} bytes ends after {len(body)}")
    if headers.get("transfer-encoding", "").strip().lower() == "chunked":
        reader = ChunkedDataReader(BytesIO(body), raise_exceptions=True)
        # Many a writer keeps the header and takes the chunks off.
        with suppress(ChunkedDataException):
            body = b"".join(iter(partial(reader.read, _STEP), b""))
    return decode_body(body, headers.get("content-encoding", ""), LARGEST)


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    """What a file holds from where it stands, unpacked if it is packed with gzip."""
    start = file.read(len(_GZIP))
    file.seek(-len(start), SEEK_CUR)
    return _members(file) if start == _GZIP else iter(partial(file.read, _STEP), b"")


def _members(file: IO[bytes]) -> Iterator[bytes]:
    """What a gzip file holds, piece by piece. Python's own reader loses, where the file breaks off,
    what it has read already."""
    engine, fed = zlib.decompressobj(16 + zlib.MAX_WBITS), file.read(_STEP)
    while fed:
        piece = engine.decompress(fed, _STEP)
        if piece:
            yield piece
        fed = engine.unused_data if engine.eof else engine.unconsumed_tail
        fed = fed or file.read(_STEP)
        if engine.eof and fed:
            engine = zlib.decompressobj(16 + zlib.MAX_WBITS)
    if not engine.eof:
        raise EOFError("it ends within a compressed record")


class _Counted:
    """A stream that says how far it was read, ends where it breaks, and gives no more at a time
    than is allowed."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._rest = b""
        self._place = 0
        self._left: int | None = None
        self.broken = ""

    def allow(self, most: int | None) -> None:
        """So many bytes may be read, until told otherwise."""
        self._left = most

    def tell(self) -> int:
        """How many bytes were read."""
        return self._place

    def read(self, size: int) -> bytes:
        """Some of the next bytes; none where the stream ends or breaks."""
        if not self._rest and not self.broken:
            self._rest = self._next()
        data, self._rest = self._rest[:size], self._rest[size:]
        self._place += len(data)
        if self._left is not None:
            self._left -= len(data)
        return data

    def _next(self) -> bytes:
        try:
            if self._left is not None and self._left <= 0:
                raise ValueError("the head of a record does not end")
            if self._place > IN_ALL:
                raise ValueError(f"it unpacks to more than {IN_ALL >> 30} GB")
            return next(self._pieces, b"")
        except (*BROKEN, zlib.error) as error:
            self.broken = str(error)
            return b""


def may_begin(data: bytes) -> bool:
    """Whether a file that begins so may be a WARC file."""
    return data.startswith((_MAGIC, _GZIP))


def is_warc(path: Path) -> bool:
    """Whether a file is a WARC file, packed with gzip or not, by what it begins with."""
    try:
        with path.open("rb") as file:
            return next(_pieces(file), b"").startswith(_MAGIC)
    except (OSError, EOFError, zlib.error):
        return False
