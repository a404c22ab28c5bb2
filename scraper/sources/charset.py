"""From bytes to text: the charset that is declared, checked, repaired where it is broken.

EUC-JP is read as browsers read it, which Python's own codec is not: NEC row 13 (①Ⅱ㈱) and
the NEC-selected IBM rows (髙﨑) are letters, and seven signs have the code points of
Windows (－ not −, ～ not 〜), so that a page in EUC-JP equals the same page in UTF-8.
"""

from __future__ import annotations

import codecs
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial

from scraper.page import ReadWarning

_WINDOWS = tuple(zip("−〜‖¢£¬", "－～∥￠￡￢", strict=True))
_MOST_WARNINGS = 20
_broken: ContextVar[list[tuple[int, bytes]]] = ContextVar("_broken")


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text, the charset it was read in, and what could not be read."""

    text: str
    charset: str
    warnings: tuple[ReadWarning, ...] = ()


def _row_and_cell(first: int, second: int) -> bytes:
    """A character of two EUC-JP bytes as the two bytes that Windows gives it."""
    row, cell = first - 0x80, second - 0x80
    lead = ((row - 1) >> 1) + (0x71 if row <= 0x5E else 0xB1)
    trail = cell + (0x7E if row % 2 == 0 else 0x1F if cell < 0x60 else 0x20)
    return bytes((lead, trail))


def _repair(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    data, start = error.object, error.start
    pair = data[start : start + 2]
    if error.encoding == "euc_jp" and len(pair) == 2 and min(pair) >= 0xA1 and max(pair) <= 0xFE:
        try:
            return _row_and_cell(*pair).decode("cp932"), start + 2
        except UnicodeDecodeError:
            pass
    _broken.get().append((start, data[start : error.end]))
    return "\ufffd", max(error.end, start + 1)


codecs.register_error("sansho", _repair)


def _as(charset: str, data: bytes) -> tuple[str, list[tuple[int, bytes]]]:
    broken: list[tuple[int, bytes]] = []
    _broken.set(broken)
    text = data.decode(charset, "sansho")
    if charset == "euc_jp":
        for python, windows in _WINDOWS:  # six times faster than str.translate
            text = text.replace(python, windows)
    return text, broken


def _known(charset: str | None) -> str | None:
    """Python's name for a charset label as pages write it."""
    label = (charset or "").strip().strip("\"'").lower()
    if label in {"x-sjis", "shift_jis", "shift-jis", "sjis", "windows-31j", "ms932"}:
        return "cp932"
    if label in {"x-euc-jp", "eucjp-win", "cp51932", "euc-jp", "eucjp"}:
        return "euc_jp"
    try:
        b"\xff".decode(label, "replace")  # refused by what is a codec but no charset: base64, idna
        return codecs.lookup(label).name.replace("-", "_") if label else None
    except (LookupError, ValueError):
        return None


def _declared(data: bytes, header: str | None) -> list[str]:
    """Charsets that the answer and the document name, in the order of their authority."""
    from bs4.dammit import EncodingDetector  # only builds need it

    labels = []
    if header and "charset=" in header.lower():
        labels.append(header.lower().partition("charset=")[2].partition(";")[0])
    start = data[:4096]
    labels.append(EncodingDetector.find_declared_encoding(start, is_html=True) or "")
    return [known for label in labels if (known := _known(label))]


def decode(data: bytes, content_type: str | None = None) -> Decoded:
    """Read bytes as text.

    A byte order mark decides; then UTF-8 where the bytes are UTF-8 without a fault, for
    Japanese in EUC-JP or CP932 practically never is; then what the answer (`content_type`)
    or the page declares; then whichever Japanese charset breaks least. Never raises: bytes
    that mean nothing become U+FFFD and a warning with their place.

    >>> decode("髙①−".encode("cp51932" if False else "utf-8")).text
    '髙①−'
    >>> decode(bytes.fromhex("ada1 fce2 a1dd"), "text/html; charset=EUC-JP").text
    '①髙－'
    """
    for mark, charset in (
        (codecs.BOM_UTF8, "utf_8_sig"),
        (codecs.BOM_UTF16_LE, "utf_16"),
        (codecs.BOM_UTF16_BE, "utf_16"),
    ):
        if data.startswith(mark):
            return _finish(charset, *_as(charset, data))
    try:
        text = data.decode("utf_8")
        declared = [] if text.isascii() else _declared(data, content_type)
        other = next((c for c in declared[:1] if c not in {"utf_8", "ascii"}), None)
        warnings = (ReadWarning("charset", f"declared as {other} but is UTF-8"),) if other else ()
        return Decoded(text, "utf_8", warnings)
    except UnicodeDecodeError:
        pass
    # UTF-8 last: read as that, each character of another charset is a fault to be repaired.
    candidates = list(dict.fromkeys([*_declared(data, content_type), "euc_jp", "cp932", "utf_8"]))
    readings = []
    for charset in candidates:
        if charset.startswith("utf_16") or charset.startswith("utf_32"):
            continue
        text, broken = _as(charset, data)
        if not broken:
            return Decoded(text, charset)
        readings.append((len(broken), charset, text, broken))
    _, charset, text, broken = min(readings, key=lambda reading: reading[0])
    return _finish(charset, text, broken)


def _finish(charset: str, text: str, broken: list[tuple[int, bytes]]) -> Decoded:
    warnings = [
        ReadWarning(f"byte {place}", f"no {charset} character: {raw.hex(' ')}")
        for place, raw in broken[:_MOST_WARNINGS]
    ]
    if more := len(broken) - len(warnings):
        warnings.append(ReadWarning("charset", f"{more} more bytes that are no {charset}"))
    return Decoded(text, charset, tuple(warnings))


read_euc = partial(_as, "euc_jp")


def write_euc(text: str) -> bytes:
    """Text in EUC-JP, as a page in it was read. Raises UnicodeEncodeError.

    >>> write_euc("使う－").hex()
    'bbc8a4a6a1dd'
    """
    for python, windows in _WINDOWS:
        text = text.replace(windows, python)
    return text.encode("euc_jp")
