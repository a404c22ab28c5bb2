"""Decodes the `Content-Encoding` (gzip, deflate) of HTTP bodies."""

from __future__ import annotations

import zlib

_STEP = 1 << 20  # bytes that are decompressed at a time
_GZIP, _ZLIB, _RAW = 16 + zlib.MAX_WBITS, zlib.MAX_WBITS, -zlib.MAX_WBITS


class BodyError(ValueError):
    """Raised for a body that can't be decoded as its headers say; the message says why."""


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
    for name in reversed([part.strip().lower() for part in coding.split(",")]):
        if name in {"gzip", "x-gzip"}:
            body = _decompress(body, _GZIP, max_bytes)
        elif name == "deflate":  # the standard asks for a zlib header; some servers leave it out
            body = _decompress(body, _ZLIB if _has_zlib_header(body) else _RAW, max_bytes)
        elif name not in {"", "identity"}:
            raise BodyError(f"comes in a coding that was not asked for ({name[:40]})")
    return body


def _has_zlib_header(body: bytes) -> bool:
    return len(body) > 1 and body[0] & 15 == 8 and (body[0] << 8 | body[1]) % 31 == 0


def _decompress(body: bytes, window_bits: int, max_bytes: int) -> bytes:
    """Return a whole decompressed body; `window_bits` names the format, as zlib does.

    Gzip may have several members, which are joined; any other bytes after the end are ignored.
    Raises BodyError if the body is broken, breaks off, or exceeds `max_bytes` decompressed.
    """
    result = bytearray()
    while True:
        decompressor = zlib.decompressobj(window_bits)
        while body and not decompressor.eof:
            try:
                result += decompressor.decompress(body, _STEP)
            except zlib.error as error:
                raise BodyError(f"its compression is broken ({error})") from None
            body = decompressor.unconsumed_tail
            if len(result) > max_bytes:
                raise BodyError(f"unpacks to more than {max_bytes >> 20} MB")
        if not decompressor.eof:
            raise BodyError("its compressed body breaks off")
        body = decompressor.unused_data
        if window_bits != _GZIP or not body.startswith(
            b"\x1f\x8b"
        ):  # gzip may have several members
            return bytes(result)
