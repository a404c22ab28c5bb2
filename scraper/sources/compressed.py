"""Reads compressed streams (gzip, bzip2, xz), also damaged ones: what comes before the damage."""

from __future__ import annotations

import bz2
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, Protocol

from scraper.sources import limits
from scraper.sources.files import message, open_file

# Bytes that are read, or decompressed, at a time: as many as are in memory at once, and enough that
# the calls cost little beside the work.
_STEP = 1 << 16
_MOST_BITS = 16 + zlib.MAX_WBITS  # zlib's word for gzip
_LONGEST_MAGIC = 6  # bytes, that of xz


class DamageError(OSError):
    """Raised where a stream can't be read any further; the message says why."""


class Decompressor(Protocol):
    """What the decompressors of `bz2` and `lzma` have in common."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


class Inflater:
    """Decompresses gzip or deflate, with the interface of the other decompressors."""

    def __init__(self, window_bits: int = _MOST_BITS) -> None:
        """window_bits: as zlib takes them; they say which format it is."""
        self._zlib = zlib.decompressobj(window_bits)

    @property
    def eof(self) -> bool:
        return self._zlib.eof

    @property
    def needs_input(self) -> bool:
        return not self._zlib.unconsumed_tail and not self._zlib.eof

    @property
    def unused_data(self) -> bytes:
        return self._zlib.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        return self._zlib.decompress(self._zlib.unconsumed_tail + data, max(0, max_length))


def _xz() -> Decompressor:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, limits.DICTIONARY)


_FORMATS: dict[bytes, Callable[[], Decompressor]] = {
    b"\x1f\x8b": Inflater, b"BZh": bz2.BZ2Decompressor, b"\xfd7zXZ\x00": _xz,
}  # fmt: skip
_MAGICS = tuple(_FORMATS)


def is_compressed(data: bytes) -> bool:
    """Whether a file that begins with these bytes is compressed in a format that `opened` reads."""
    return data.startswith(_MAGICS)


def pieces(decompressor: Decompressor, compressed: Iterator[bytes]) -> Iterator[bytes]:
    """Yield what a decompressor gives for pieces of compressed bytes, in small pieces, up to its
    end. Raises DamageError, after the last piece that can be read, if they are damaged or break
    off. What is behind the end is the decompressor's `unused_data`."""
    try:
        while not decompressor.eof:
            more = next(compressed, b"") if decompressor.needs_input else b""
            ended = decompressor.needs_input and not more
            piece = decompressor.decompress(more, _STEP)
            if piece:
                yield piece
            elif ended and not decompressor.eof:
                raise DamageError("the compressed data breaks off")
    except lzma.LZMAError as error:
        if "limit" in str(error):
            limit = limits.size(limits.DICTIONARY)
            raise DamageError(f"decompression needs more than {limit} of memory") from None
        raise DamageError(f"the compressed data is damaged ({error})") from None
    except (zlib.error, EOFError, ValueError) as error:
        raise DamageError(f"the compressed data is damaged ({error})") from None
    except DamageError:
        raise
    except OSError as error:  # bz2 raises it for damage
        raise DamageError(f"the compressed data is damaged ({message(error)})") from None
    except MemoryError:
        raise DamageError("decompression needs more memory than there is") from None


def decompressed(
    file: IO[bytes], on_start: Callable[[int], object] = lambda place: None
) -> Iterator[bytes]:
    """Yield a file's bytes in pieces from its current position on, decompressed if they are
    compressed.

    The first bytes are read at once, not when the first piece is asked for. Several compressed
    streams may follow each other, and zeros the last. Raises DamageError, after the last piece
    that can be read.

    on_start: called with the place in the file where a compressed stream begins, before any of it
        is decompressed.
    """
    start = file.read(_LONGEST_MAGIC)
    file.seek(-len(start), io.SEEK_CUR)
    make = next((make for magic, make in _FORMATS.items() if start.startswith(magic)), None)
    stored = iter(lambda: file.read(_STEP), b"")
    if make is None:
        return stored
    return _decompressed(make, stored, lambda rest: on_start(file.tell() - len(rest)))


def _decompressed(
    make: Callable[[], Decompressor], stored: Iterator[bytes], on_start: Callable[[bytes], object]
) -> Iterator[bytes]:
    """Yield the bytes of compressed streams that follow each other.

    make: makes a decompressor; on_start: called when a stream begins, with what was read ahead.
    """
    rest = b""
    while True:
        on_start(rest)
        decompressor = make()
        yield from pieces(decompressor, _after(rest, stored))
        rest = decompressor.unused_data.lstrip(b"\0")
        while not rest:
            more = next(stored, b"")
            if not more:
                return
            rest = more.lstrip(b"\0")


def _after(first: bytes, more: Iterator[bytes]) -> Iterator[bytes]:
    if first:
        yield first
    yield from more


class Stream(io.BufferedIOBase):
    """A binary stream over pieces of bytes, which can be read and skipped, but not backwards.

    Reading raises DamageError behind the last byte that can be read, or behind `limits.IN_ALL`: a
    small file may unpack to a huge one.
    """

    def __init__(self, file: IO[bytes]) -> None:
        """Read a file from its current position on, decompressed. The stream closes the file."""
        self._file = file
        self._pieces = decompressed(file)
        self._rest = memoryview(b"")
        self._place = 0
        self._damage: DamageError | None = None

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        """Return how many bytes have been read or skipped."""
        return self._place

    def read(self, size: int | None = -1, /) -> bytes:
        """Return the next bytes, as many as are asked for unless the stream ends or is damaged
        before; then DamageError is raised by the next call. All of them without a size."""
        left = limits.IN_ALL + 1 if size is None or size < 0 else size
        found = io.BytesIO()
        while left:
            try:
                piece = self._piece(left)
            except DamageError:
                if found.tell():
                    break  # the next call raises it again, as no piece comes any more
                raise
            if not piece:
                break
            left -= len(piece)
            found.write(piece)
        return found.getvalue()

    def read1(self, size: int = -1, /) -> bytes:
        return bytes(self._piece(size if size >= 0 else _STEP))

    def readinto(self, buffer: Any) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Go forward to a place in the stream, or to its end, and return where it is then. Raises
        io.UnsupportedOperation for a place behind, or one that is not counted from the start."""
        if whence != 0 or offset < self._place:
            raise io.UnsupportedOperation("a compressed stream is read forward only")
        self.skip(offset - self._place)
        return self._place

    def skip(self, size: int) -> int:
        """Pass over bytes; return how many there were, fewer only at the end of the stream."""
        left = size
        while left and (piece := self._piece(left)):
            left -= len(piece)
        return size - left

    def close(self) -> None:
        self._file.close()
        super().close()

    def _piece(self, most: int) -> memoryview:
        """Return some of the next bytes, not more than `most`; none at the end."""
        if not self._rest:
            if self._place > limits.IN_ALL:
                raise DamageError(f"unpacks to more than {limits.size(limits.IN_ALL)}")
            self._rest = memoryview(self._next_piece())
        piece, self._rest = self._rest[:most], self._rest[most:]
        self._place += len(piece)
        return piece

    def _next_piece(self) -> bytes:
        if self._damage is not None:  # a generator raises only once
            raise DamageError(str(self._damage))
        try:
            return next(self._pieces, b"")
        except DamageError as error:
            self._damage = error
            raise


def opened(path: str | Path) -> IO[bytes]:
    """Open a file as a stream of bytes, decompressed if it is compressed.

    Raises OSError if the file can't be opened or is no regular file.
    """
    file = open_file(path)
    if is_compressed(file.read(_LONGEST_MAGIC)):
        file.seek(0)
        return Stream(file)  # type: ignore[return-value]
    file.seek(0)
    return io.BufferedReader(file)
