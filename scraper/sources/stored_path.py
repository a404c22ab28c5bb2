"""Writes the path of any file as text that can be stored, also if its bytes are not UTF-8."""

from __future__ import annotations

import re

_SIGN = "\ufffd"
# What can't be stored, and the sign itself where it would be taken for one of these.
_UNSTORABLE = re.compile(f"[\ud800-\udfff\0]|{_SIGN}(?=[89A-F][0-9A-F]|00)")


def storable_path(path: str) -> str:
    """Return a path in which each byte that is not UTF-8 is written as U+FFFD and two hex digits.

    Python reads such bytes as lone surrogates, which neither UTF-8 nor SQLite can take. NUL is
    written in the same way. Different paths stay different, and one path is always written alike;
    any other path is returned as it is.

    >>> storable_path("a/\\udcff.html") == "a/\\ufffdFF.html"
    True
    >>> storable_path("a/引く.html")
    'a/引く.html'
    """
    return path if path.isascii() and "\0" not in path else _UNSTORABLE.sub(_in_hex, path)


def _in_hex(match: re.Match[str]) -> str:
    char = match[0]
    is_byte = "\udc80" <= char <= "\udcff"
    data = char.encode("utf-8", "surrogateescape" if is_byte else "surrogatepass")
    return "".join(f"{_SIGN}{byte:02X}" for byte in data)
