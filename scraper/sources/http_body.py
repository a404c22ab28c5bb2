"""Bodies of HTTP answers as they were before they were compressed for the way."""

from __future__ import annotations

import zlib

_STEP = 1 << 20
_GZIP, _ZLIB, _RAW = 16 + zlib.MAX_WBITS, zlib.MAX_WBITS, -zlib.MAX_WBITS


class BodyError(ValueError):
    """A body that can't be decompressed as its headers say: why."""


def decode_body(body: bytes, coding: str, most: int) -> bytes:
    """A body without its `Content-Encoding`, whole or not at all.

    Raises CodingError where the body is broken, breaks off, becomes larger than `most` bytes
    (a small body may claim to be vast), or is in a coding that nobody asked for.

    >>> import gzip
    >>> decode_body(gzip.compress("引く".encode()), "gzip", 100).decode()
    '引く'
    """
    for name in reversed([part.strip().lower() for part in coding.split(",")]):
        if name in {"gzip", "x-gzip"}:
            body = _inflated(body, _GZIP, most)
        elif name == "deflate":  # by the standard with zlib's frame; some leave it out
            body = _inflated(body, _ZLIB if _has_frame(body) else _RAW, most)
        elif name not in {"", "identity"}:
            raise BodyError(f"comes in a coding that was not asked for ({name[:40]})")
    return body


def _has_frame(body: bytes) -> bool:
    return len(body) > 1 and body[0] & 15 == 8 and (body[0] << 8 | body[1]) % 31 == 0


def _inflated(body: bytes, kind: int, most: int) -> bytes:
    whole = bytearray()
    while True:
        engine = zlib.decompressobj(kind)
        while body and not engine.eof:
            try:
                whole += engine.decompress(body, _STEP)
            except zlib.error as error:
                raise BodyError(f"its compression is broken ({error})") from None
            body = engine.unconsumed_tail
            if len(whole) > most:
                raise BodyError(f"unpacks to more than {most >> 20} MB")
        if not engine.eof:
            raise BodyError("its compressed body breaks off")
        body = engine.unused_data
        if kind != _GZIP or not body.startswith(b"\x1f\x8b"):  # gzip may have several members
            return bytes(whole)
