"""Reader of WARC files: yields the HTTP answers in them, also from damaged files."""

from __future__ import annotations

import logging
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from io import SEEK_END, BufferedReader, BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING

from scraper.page import ReadWarning
from scraper.sources import limits
from scraper.sources.archive import BROKEN
from scraper.sources.compressed import decompressed, is_compressed
from scraper.sources.files import message, open_file, storable_path
from scraper.sources.http_body import BodyError, decode_body, is_success

if TYPE_CHECKING:
    from io import FileIO

    from warcio.recordloader import ArcWarcRecord

_MAGIC, _GZIP = b"WARC/", b"\x1f\x8b"
# Where a record may begin: a head line behind a blank line; a gzip stream, deflated.
_HEAD_LINE, _GZIP_HEAD = re.compile(rb"\n\r?\n(WARC/[01]\.\d)"), re.compile(rb"(\x1f\x8b\x08)")
# One byte less than `_HEAD_LINE` matches at most, which may be cut between two pieces; and the
# bytes by which `compressed` knows a format.
_LONGEST_HEAD, _LONGEST_MAGIC = 10, 6
_STEP = 1 << 16  # bytes that are read at a time, as in `compressed`
_RECORD_END = b"\r\n\r\n"
_STATUS = re.compile("[0-9]{3}")  # by HTTP
_NO_PAGE = ("image/", "audio/", "video/", "font/", "text/css", "text/javascript",
            "application/javascript", "application/x-javascript")  # fmt: skip

# warcio logs what it mends in a record. Where a program has set up no logging, Python would write
# that, which holds text of the file, to standard error.
logging.getLogger("warcio").addHandler(logging.NullHandler())


@dataclass(frozen=True, slots=True)
class Record:
    """An HTTP answer in a WARC file.

    place: where its record begins, in bytes of the decompressed file.
    url: the address that was asked for.
    taken: the record's date, in ISO 8601; empty if it has none.
    status: the HTTP status code; 200 for a resource record, 0 if it is not a number.
    headers: the HTTP headers, their names in lower case.
    body: the body without transfer and content coding.
    """

    place: int
    url: str
    taken: str
    status: int
    headers: dict[str, str]
    body: bytes


def records(path: Path, where: str = "") -> Iterator[Record | ReadWarning]:
    """Yield the answers in a WARC file, compressed or not, that hold a page, or what was sent in
    place of one.

    These are response records and resource records, unless their type is that of an image, a script
    and the like. A record that can't be read gives a warning in its place,
    and reading goes on at the next one that is found. The last warning gives the numbers of records
    that hold no page, by kind, if there are any: answers without a 2xx status, too.

    The `place` of a record is in the decompressed file, so `body_at` can use it only if the file is
    not compressed, and behind damage in a compressed file it only tells records apart.

    where: the file's place in warnings; its path if empty.
    """
    left_out: Counter[str] = Counter()
    where = where or storable_path(str(path))
    try:
        with open_file(path) as raw, BufferedReader(raw) as file:
            yield from _runs(file, where, left_out)
    except OSError as error:
        yield ReadWarning(where, f"can't be read: {message(error)}")
    if left_out:
        yield ReadWarning(where, f"records that are no pages are left out: {_counts(left_out)}")


def _counts(left_out: Counter[str]) -> str:
    """Return how many records of each kind are left out, as a text for people, sorted by kind and
    joined with `, `; of more than `limits.KINDS` kinds the others are counted together."""
    kinds = sorted(left_out.items())
    named, rest = kinds[: limits.KINDS], kinds[limits.KINDS :]
    counts = [f"{number} {kind}" for kind, number in named]
    if rest:
        number = sum(number for _, number in rest)
        counts.append(f"{number} of {len(rest)} other kinds (only {limits.KINDS} are named)")
    return ", ".join(counts)


def _runs(
    file: BufferedReader[FileIO], where: str, left_out: Counter[str]
) -> Iterator[Record | ReadWarning]:
    """Yield the answers in a file, and a warning for each damaged place: reading goes on behind it,
    at the next record that is found.

    where: the path, for warnings; left_out: the counts, which are added to.
    """
    search = _Search(file)
    start: tuple[int, int] | None = (0, 0)
    while start is not None:
        stored, place = start
        file.seek(stored)
        stream = _CountedStream(file, place)
        yield from _records(where, stream, left_out)
        if not stream.broken:
            return
        start = search.next_record(stream, stored)
        if start is None:
            what = f"{stream.broken}{search.limit}"
            yield ReadWarning(where, f"the WARC file is broken from here on: {what}")
        else:
            what = f"{stream.broken}; reading goes on at byte {start[0]} of the file{search.limit}"
            yield ReadWarning(f"{where}!{stream.start}", f"a damaged record: {what}")


class _Search:
    """Finds the next record behind damage. What was read may be read again for this, but not too
    often: records may claim, one after the other, to be as long as all of the file.

    limit: which limit the last search reached, as the end of a warning; empty for none.
    """

    def __init__(self, file: BufferedReader[FileIO]) -> None:
        self._file = file
        self._is_compressed = is_compressed(file.peek(_LONGEST_MAGIC))
        self._to_read_again = limits.READ_AGAIN
        self._to_try = limits.CANDIDATES
        self.limit = ""

    def next_record(self, stream: _CountedStream, stored: int) -> tuple[int, int] | None:
        """Return where the next record begins: (in the file as stored, in the decompressed one).
        None if there is none, or none that can be found.

        stream: what was read when the damage was met; stored: where that began in the file.
        """
        read_in_vain = stream.tell() - stream.start
        self._to_read_again -= read_in_vain
        goes_back = self._to_read_again > 0
        if not goes_back:
            most = limits.size(limits.READ_AGAIN)
            self.limit = f"; what was read is not searched again, as {most} of it were"
        if not self._is_compressed:
            place = stored + (stream.start + 1 if goes_back else stream.tell()) - stream.first
            found = self._find(_HEAD_LINE, place)
            return None if found is None else (found, stream.first + found - stored)
        known = [start for start in stream.starts if start[1] > stream.start]
        place = known[0][0] if known and goes_back else stream.last_start + 1
        while (found := self._find(_GZIP_HEAD, place)) is not None:
            if self._to_try <= 0:
                most = f"{limits.CANDIDATES} places where a record may begin"
                self.limit = f"; the rest is not searched, as {most} were tried"
                return None
            self._to_try -= 1
            if self._begins_record(found):
                return found, max(stream.tell(), stream.start + 1)
            place = found + 1
        return None

    def _find(self, pattern: re.Pattern[bytes], place: int) -> int | None:
        """Return where a pattern's last group first begins in the file, from a place on."""
        self._file.seek(place)
        data = b""
        while more := self._file.read(_STEP):
            data += more
            if found := pattern.search(data):
                return place + found.start(1)
            kept = data[-_LONGEST_HEAD:]
            place += len(data) - len(kept)
            data = kept
        return None

    def _begins_record(self, place: int) -> bool:
        """Whether a compressed record begins at a place of the file: whether the first bytes there
        unpack to those of a record."""
        self._file.seek(place)
        try:
            found = zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(self._file.read(1024), 16)
        except zlib.error:
            return False
        return found.startswith(_MAGIC)


def body_at(path: Path, place: int) -> bytes:
    """Return the body of the answer whose record begins at byte `place` of the file as stored.

    The body is without transfer and content coding. `place` is not `Record.place` if the file is
    compressed: that counts decompressed bytes.

    Raises ValueError if no answer begins there, or only one that `records` would leave out; OSError
    if the file can't be opened.
    """
    from warcio.archiveiterator import ArchiveIterator

    with path.open("rb") as file:
        file.seek(place)
        try:
            record = _parse_record(next(iter(ArchiveIterator(file))), place)
        except Exception as error:  # see _records
            raise ValueError(f"{path}: no record at byte {place} ({error})") from None
    if isinstance(record, Record):
        return record.body
    raise ValueError(f"{path}: no answer at byte {place}")


def is_whole(path: Path, place: int) -> bool:
    """Whether a file, from byte `place` of it as it is stored, holds only whole records.

    place: where a record begins; 0 for the whole file. The content of records is not judged: one
        whose body can't be decoded is whole too.
    """
    with path.open("rb") as file:
        file.seek(place)
        stream = _CountedStream(file)
        for _ in _records(str(path), stream, Counter()):
            pass
        file.seek(place)
        compressed = file.read(len(_GZIP)) == _GZIP
        file.seek(max(0, file.seek(0, SEEK_END) - len(_RECORD_END)))
        return not stream.broken and (compressed or file.read() == _RECORD_END)


def last_start(path: Path) -> int:
    """Return the offset of the last record that can be found in a file as it is stored, or 0.

    This record may itself be incomplete.
    """
    from warcio.archiveiterator import ArchiveIterator

    start = 0
    with path.open("rb") as file, suppress(Exception):  # see _records
        iterator = ArchiveIterator(file)
        for record in iterator:
            start = iterator.get_record_offset()
            while record.raw_stream.read(_STEP):
                pass
    return start


def _records(
    where: str, file: _CountedStream, left_out: Counter[str]
) -> Iterator[Record | ReadWarning]:
    """Yield the answers in a stream of records; count those that are left out, by kind.

    Damage ends the stream and sets `file.broken`; `file.start` is then where the damaged record
    begins.

    where: the path, for warnings; left_out: the counts, which are added to.
    """
    from warcio.archiveiterator import ArchiveIterator

    iterator = ArchiveIterator(file)
    iterator.INC_RECORD = ""  # what it would write to standard error
    try:
        while True:
            file.begin(iterator.offset)
            file.allow(limits.RECORD_HEAD)  # headers without an end would all be read into memory
            record = next(iterator, None)
            file.allow(None)
            if record is None:
                break
            if record.length is None:
                raise ValueError("a record does not tell its length")
            yield from _answer_or_warning(
                record, f"{where}!{iterator.offset}", iterator.offset, left_out
            )
            while record.raw_stream.read(_STEP):
                pass
            if record.raw_stream.limit:
                raise EOFError("it ends within a record")
            file.allow(limits.RECORD_HEAD)
            iterator.read_to_end()
            if iterator.err_count:
                raise ValueError("it does not end where it says")
    except Exception as error:  # warcio raises whatever malformed headers lead to
        file.broken = file.broken or message(error)


def _answer_or_warning(
    record: ArcWarcRecord, where: str, place: int, left_out: Counter[str]
) -> Iterator[Record | ReadWarning]:
    """Yield the answer of a record, or a warning, or nothing and count the kind of the record.

    A body that can't be decoded gives the warning. Kinds that never hold a page are not counted.

    where: what a warning gives as the place; place: the offset of the record, for the answer.
    left_out: how many records of each kind are left out; added to.

    Raises EOFError where the file breaks off.
    """
    try:
        answer = _parse_record(record, place)
    except BodyError as error:
        yield ReadWarning(where, f"the answer {error}; left out")
        return
    if isinstance(answer, str):
        left_out.update([answer] if answer else [])
        return
    if not is_success(answer.status):
        left_out[f"answer {answer.status}"] += 1
    yield answer


def _parse_record(record: ArcWarcRecord, place: int) -> Record | str:
    """Return the answer in a record, or the kind of a record that is left out.

    The kind is such as `image/png`, `answer 404` (of an image) or `revisit`. It is empty for
    records that never hold a page, such as requests; these are not counted. Raises BodyError, and
    EOFError where the file breaks off.

    place: what the answer's `Record.place` shall be; nothing is read there.
    """
    record_headers = record.rec_headers
    if record.rec_type not in {"response", "resource"}:
        return "revisit" if record.rec_type == "revisit" else ""
    headers: dict[str, str] = {}
    status = 200
    if record.http_headers is not None:
        headers = {name.lower(): value for name, value in record.http_headers.headers}
        code = record.http_headers.get_statuscode()
        status = int(code) if _STATUS.fullmatch(code) else 0
    elif record.rec_type == "response":
        return "answer without headers"
    else:
        headers = {"content-type": record.content_type or ""}
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind.startswith(_NO_PAGE):
        return kind if is_success(status) else f"answer {status}"
    try:
        body = _body(record, headers)
    except BodyError:
        if is_success(status):
            raise
        return f"answer {status}"
    return Record(
        place,
        str(record_headers.get_header("WARC-Target-URI") or ""),
        str(record_headers.get_header("WARC-Date") or ""),
        status,
        headers,
        body,
    )


def _body(record: ArcWarcRecord, headers: dict[str, str]) -> bytes:
    """Return the body of a record without transfer and content coding.

    headers: the HTTP headers, their names in lower case.

    Raises BodyError, also if the body is larger than `limits.LARGEST`, and EOFError where the
    file breaks off.
    """
    from warcio.bufferedreaders import ChunkedDataException, ChunkedDataReader

    length = record.payload_length if record.http_headers is not None else record.length
    if length is not None and length > limits.LARGEST:
        raise BodyError(f"is larger than {limits.size(limits.LARGEST)}")
    read = BytesIO()
    while read.tell() <= limits.LARGEST and (more := record.raw_stream.read(_STEP)):
        read.write(more)
    body = read.getvalue()
    if length is not None and 0 <= len(body) < length:
        raise EOFError(f"a record of {length} bytes ends after {len(body)}")
    if headers.get("transfer-encoding", "").strip().lower() == "chunked":
        reader = ChunkedDataReader(BytesIO(body), raise_exceptions=True)
        # Many programs keep the header but store the body without its chunks.
        with suppress(ChunkedDataException):
            body = b"".join(iter(partial(reader.read, _STEP), b""))
    return decode_body(body, headers.get("content-encoding", ""), limits.LARGEST)


class _CountedStream:
    """A readable stream over a file, decompressed, with a position and a limit.

    It ends where the file ends or can't be decompressed.

    broken: the message of that error, or empty.
    first: its position at the beginning; start: that of the record that is being read.
    starts: where the compressed streams in the file begin, from `start` on: (in the file, as a
        position of this stream).
    last_start: where the last of them begins in the file.
    """

    def __init__(self, file: IO[bytes], first: int = 0) -> None:
        """file: read from its current position on; first: the position that this is to have."""
        self.first = self.start = self.last_start = first
        self.starts: list[tuple[int, int]] = []
        self._pieces = decompressed(file, self._note_start)
        self._rest = b""
        self._place = first
        self._left: int | None = None
        self.broken = ""

    def begin(self, place: int) -> None:
        """Say where the next record begins."""
        self.start = place
        self.starts = [start for start in self.starts if start[1] >= place]

    def _note_start(self, stored: int) -> None:
        self.last_start = stored
        if len(self.starts) < limits.CANDIDATES:  # else the search begins at `last_start`
            self.starts.append((stored, self._place + len(self._rest)))

    def allow(self, max_bytes: int | None) -> None:
        """Limit how many bytes may be read from now on; None for no limit.

        Past the limit the stream ends and `broken` is set. The piece at hand is read to its end.
        """
        self._left = max_bytes

    def tell(self) -> int:
        """Return how many bytes have been read."""
        return self._place

    def read(self, size: int) -> bytes:
        """Return up to `size` of the next bytes; empty at the end of the stream.

        They are from one piece, so they may be fewer than `size` before the end. An error in the
        pieces, or a limit that is exceeded, ends the stream: see `broken`.
        """
        if not self._rest and not self.broken:
            self._rest = self._next_piece()
        data, self._rest = self._rest[:size], self._rest[size:]
        self._place += len(data)
        if self._left is not None:
            self._left -= len(data)
        return data

    def _next_piece(self) -> bytes:
        """Return the next piece; empty at the end, or after an error, which is kept in `broken`."""
        try:
            if self._left is not None and self._left <= 0:
                most = limits.size(limits.RECORD_HEAD)
                raise ValueError(f"the head of a record is longer than {most}")
            if self._place > limits.IN_ALL:
                raise ValueError(f"it unpacks to more than {limits.size(limits.IN_ALL)}")
            return next(self._pieces, b"")
        except BROKEN as error:
            self.broken = message(error)
            return b""


def may_begin(data: bytes) -> bool:
    """Whether a file that begins with these bytes may be a WARC file (it may also be any gzip)."""
    return data.startswith((_MAGIC, _GZIP))


def is_warc(path: Path) -> bool:
    """Whether a file is a WARC file, compressed with gzip or not, by its first bytes.

    False if it can't be read.
    """
    try:
        with open_file(path) as file:
            return next(decompressed(file), b"").startswith(_MAGIC)
    except OSError:
        return False
