"""Reads HTTP answers: their status, and the `Content-Encoding` (gzip, deflate) of their bodies."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from io import BytesIO
from itertools import chain

from scraper.sources import limits
from scraper.sources.compressed import DamageError, Inflater, pieces

_STEP = 1 << 16  # bytes that are decompressed at a time, as in `compressed`
# Bytes of a body that unpacks to some 64 MB at most, whatever it is: deflate makes at most a
# thousand bytes of one.
_SMALL = 1 << 16
_GZIP_MAGIC = b"\x1f\x8b"
_GZIP, _ZLIB, _RAW = 16 + zlib.MAX_WBITS, zlib.MAX_WBITS, -zlib.MAX_WBITS  # as zlib names them


class BodyError(ValueError):
    """Raised for a body that can't be decoded as its headers say; the message says why."""


def is_success(status: int) -> bool:
    """Whether an answer with an HTTP status is what was asked for, and no redirect or error.

    >>> is_success(203), is_success(404)
    (True, False)
    """
    return 200 <= status < 300


def decode_body(body: bytes, coding: str, max_bytes: int) -> bytes:
    """Return a whole body without its content coding.

    coding: the value of the `Content-Encoding` header, which may list several codings; empty if
        there is none.
    max_bytes: the most bytes that it may decompress to; a body without a coding is returned as it
        is, however large.

    Raises BodyError if the body is broken, breaks off, decompresses to more than `max_bytes` (a
    small body may become a huge one), or is in a coding other than gzip and deflate.

    >>> import gzip
    >>> decode_body(gzip.compress("引く".encode()), "gzip", 100).decode()
    '引く'
    """
    names = [part.strip().lower() for part in coding.split(",")]
    if len(names) > limits.CODINGS:
        raise BodyError(f"comes in more than {limits.CODINGS} codings")
    for name in reversed(names):
        if name in {"gzip", "x-gzip"}:
            body = _decompress(body, _GZIP, max_bytes)
        elif name == "deflate":  # the standard asks for a zlib header; some servers leave it out
            body = _decompress(body, _ZLIB if _has_zlib_header(body) else _RAW, max_bytes)
        elif name not in {"", "identity"}:
            raise BodyError(f"comes in a coding other than gzip and deflate ({name[:40]})")
    return body


def _has_zlib_header(body: bytes) -> bool:
    return len(body) > 1 and body[0] & 15 == 8 and (body[0] << 8 | body[1]) % 31 == 0


def _decompress(body: bytes, window_bits: int, max_bytes: int) -> bytes:
    """Return a whole decompressed body; `window_bits` names the format, as zlib does.

    Gzip may have several members, which are joined; any other bytes after the end are ignored.
    Raises BodyError if the body is broken, breaks off, or exceeds `max_bytes` decompressed.
    """
    if len(body) > _SMALL:  # it may become huge: nothing of it is kept before that is known
        for _ in _limited(_pieces(body, window_bits), max_bytes):
            pass
    result = BytesIO()
    for piece in _limited(_pieces(body, window_bits), max_bytes):
        result.write(piece)
    return result.getvalue()


def _limited(found: Iterator[bytes], max_bytes: int) -> Iterator[bytes]:
    """Yield pieces of a body. Raises BodyError if it can't be decompressed or exceeds a size."""
    size = 0
    try:
        for piece in found:
            size += len(piece)
            if size > max_bytes:
                raise BodyError(f"unpacks to more than {limits.size(max_bytes)}")
            yield piece
    except DamageError as error:
        raise BodyError(f"its compression is broken ({error})") from None


def _pieces(body: bytes, window_bits: int) -> Iterator[bytes]:
    """Yield a decompressed body in pieces. Raises DamageError if it is broken or breaks off."""
    stored = (body[start : start + _STEP] for start in range(0, len(body), _STEP))
    rest = b""
    while True:
        inflater = Inflater(window_bits)
        yield from pieces(inflater, chain([rest] if rest else (), stored))
        rest = inflater.unused_data
        if len(rest) < len(_GZIP_MAGIC):
            rest += next(stored, b"")
        if window_bits != _GZIP or not rest.startswith(_GZIP_MAGIC):
            return
