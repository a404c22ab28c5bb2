"""Detects the charset of a document and decodes it, with a repair of broken Japanese text.

EUC-JP is decoded as browsers do it, not as Python's codec does: NEC row 13 (①Ⅱ㈱) and the
NEC-selected IBM rows (髙﨑) are characters, and a few signs become the code points of Windows
(－ not −, ～ not 〜). So a page in EUC-JP has the same text as the page in UTF-8.
"""

from __future__ import annotations

import codecs
import re
from contextvars import ContextVar
from dataclasses import dataclass, field

from scraper.page import ReadWarning

# Pairs of a sign as Python's codec decodes it and as Windows does.
_WINDOWS = tuple(zip("−〜‖¢£¬", "－～∥￠￡￢", strict=True))
_MOST_WARNINGS = 20  # of a document, of single places; enough to find out what is wrong with it
# Python's names of the charsets that pages have. Its other codecs are for other things (base64,
# idna, zlib, unicode_escape) or give halves of surrogate pairs (utf_7).
_CHARSET = re.compile(
    r"utf_8|utf_(?:16|32)(?:_[lb]e)?|ascii|iso8859_\d+|iso2022_(?:jp|kr)\w*|cp\d+|koi8_[rtu]|"
    r"mac_\w+|euc_\w+|euc(?:jis)\w+|shift_jis\w*|big5\w*|gb(?:2312|k|18030)|hz|johab|tis_620"
)


@dataclass(frozen=True, slots=True)
class Decoded:
    """A decoded text, the charset (Python's name of it), and warnings of undecodable bytes."""

    text: str
    charset: str
    warnings: tuple[ReadWarning, ...] = ()


@dataclass(slots=True)
class Broken:
    """What can't be decoded: how many parts, and the offset and bytes of the first of them.

    All of them would take a hundred times the memory of the document. It is true if there are any.
    """

    count: int = 0
    first: list[tuple[int, bytes]] = field(default_factory=list)

    def add(self, offset: int, raw: bytes) -> None:
        """Record a part by its offset in the data and its bytes."""
        self.count += 1
        if len(self.first) < _MOST_WARNINGS:
            self.first.append((offset, raw))

    def __bool__(self) -> bool:
        return self.count > 0


# What can't be decoded, from the decoding that is under way.
_broken: ContextVar[Broken] = ContextVar("_broken")


def _to_cp932(first: int, second: int) -> bytes:
    """Convert the two bytes of a character in EUC-JP to its two bytes in CP932.

    first, second: the bytes as they are in EUC-JP, each from 0xA1 to 0xFE.
    """
    row, cell = first - 0x80, second - 0x80
    lead = ((row - 1) >> 1) + (0x71 if row <= 0x5E else 0xB1)
    trail = cell + (0x7E if row % 2 == 0 else 0x1F if cell < 0x60 else 0x20)
    return bytes((lead, trail))


def _repair(error: UnicodeError) -> tuple[str, int]:
    """Decode a character that only Windows' EUC-JP has, or record the bytes as undecodable.

    This is an error handler for codecs; it returns the text (U+FFFD for undecodable bytes) and the
    byte offset where decoding goes on. Raises `error` if it comes from encoding.
    """
    if not isinstance(error, UnicodeDecodeError):
        raise error
    data, start = error.object, error.start
    pair = data[start : start + 2]
    if error.encoding == "euc_jp" and len(pair) == 2 and min(pair) >= 0xA1 and max(pair) <= 0xFE:
        try:
            return _to_cp932(*pair).decode("cp932"), start + 2
        except UnicodeDecodeError:
            pass
    _broken.get().add(start, data[start : error.end])
    return "\ufffd", max(error.end, start + 1)


codecs.register_error("sansho", _repair)


def _decode_as(charset: str, data: bytes) -> tuple[str, Broken]:
    """Return the text in a charset, and what of the data is not in it, which is U+FFFD in the text.

    charset: Python's name of it, as `_codec_name` gives it.
    """
    broken = Broken()
    _broken.set(broken)
    text = data.decode(charset, "sansho")
    return _as_windows_has_them(text) if charset == "euc_jp" else text, broken


def _as_windows_has_them(text: str) -> str:
    """Return a text that Python decoded from EUC-JP with the code points of Windows."""
    for python, windows in _WINDOWS:  # six times faster than str.translate
        text = text.replace(python, windows)
    return text


def _codec_name(charset: str | None) -> str | None:
    """Return the name of Python's codec for the label of a charset in a page or header.

    As in browsers, the labels of Shift_JIS mean Windows' variant. None if the label is unknown.
    """
    label = (charset or "").strip().strip("\"'").lower()
    if label in {"x-sjis", "shift_jis", "shift-jis", "sjis", "windows-31j", "ms932"}:
        return "cp932"
    if label in {"x-euc-jp", "eucjp-win", "cp51932", "euc-jp", "eucjp"}:
        return "euc_jp"
    try:
        name = codecs.lookup(label).name.replace("-", "_")
    except (LookupError, ValueError):
        return None
    return name if _CHARSET.fullmatch(name) else None


def _declared(data: bytes, header: str | None) -> list[str]:
    """Return the charsets that the header and the document declare, the header's first.

    They are Python's names, two at most, which may be the same; unknown ones are left out. The
    document's is looked for in its first 4,096 bytes.

    header: the whole Content-Type header, or None.
    """
    from bs4.dammit import EncodingDetector  # slow to import; only builds need it

    labels = []
    if header and "charset=" in header.lower():
        labels.append(header.lower().partition("charset=")[2].partition(";")[0])
    start = data[:4096]
    labels.append(EncodingDetector.find_declared_encoding(start, is_html=True) or "")
    return [name for label in labels if (name := _codec_name(label))]


def decode(data: bytes, content_type: str | None = None) -> Decoded:
    """Decode a document.

    The charset is that of a byte order mark; else UTF-8 if the bytes are valid UTF-8, which
    Japanese in EUC-JP or CP932 practically never is; else the first in which the bytes are valid,
    of those that the Content-Type header (`content_type`) and the document declare, EUC-JP and
    CP932; else the one with the fewest invalid bytes. Never raises: invalid bytes become U+FFFD
    and a warning with their offset.

    content_type: the whole header, such as `text/html; charset=EUC-JP`; a document that is valid
        UTF-8 is decoded as such even if this declares another charset, with a warning unless it
        is ASCII.

    >>> decode("髙①−".encode()).text
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
            return _with_warnings(charset, *_decode_as(charset, data))
    try:
        text = data.decode("utf_8")
        declared = [] if text.isascii() else _declared(data, content_type)
        wrong = next((name for name in declared[:1] if name not in {"utf_8", "ascii"}), None)
        warnings = (ReadWarning("charset", f"declared as {wrong} but is UTF-8"),) if wrong else ()
        return Decoded(text, "utf_8", warnings)
    except UnicodeDecodeError:
        pass
    if decoded := _with_surrogates(data):
        return decoded
    # UTF-8 comes last: in it every character of another charset is an error that must be repaired.
    candidates = list(dict.fromkeys([*_declared(data, content_type), "euc_jp", "cp932", "utf_8"]))
    best: tuple[str, str, Broken] | None = None  # the others are not kept: a text is large
    for charset in candidates:
        if charset.startswith("utf_16") or charset.startswith("utf_32"):
            continue
        text, broken = _decode_as(charset, data)
        if not broken:
            return Decoded(text, charset)
        if best is None or broken.count < best[2].count:
            best = charset, text, broken
        del text
    assert best is not None  # UTF-8 is always a candidate
    return _with_warnings(*best)


def _with_surrogates(data: bytes) -> Decoded | None:
    """Decode UTF-8 in which halves of surrogate pairs are encoded, as some programs write it.

    A pair is its character, a half alone U+FFFD. None if it is not UTF-8 even so.
    """
    try:
        text = data.decode("utf_8", "surrogatepass")
    except UnicodeDecodeError:
        return None
    replaced = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    count = replaced.count("\ufffd") - text.count("\ufffd")
    what = f"halves of surrogate pairs, in place of which are U+FFFD: {count}"
    return Decoded(replaced, "utf_8", (ReadWarning("charset", what),) if count else ())


def _with_warnings(charset: str, text: str, broken: Broken) -> Decoded:
    """Return a decoded text with warnings of its invalid bytes, the first of them one by one.

    The first `_MOST_WARNINGS` have a warning each; a last warning gives the number of the others.

    charset: Python's name of it.
    broken: the invalid parts, as `_decode_as` gives them.
    """
    warnings = [
        ReadWarning(f"byte {offset}", f"no {charset} character: {raw.hex(' ')}")
        for offset, raw in broken.first
    ]
    if more := broken.count - len(warnings):
        warnings.append(ReadWarning("charset", f"{more} more bytes that are no {charset}"))
    return Decoded(text, charset, tuple(warnings))


def read_euc(data: bytes) -> tuple[str, bool]:
    """Decode EUC-JP as browsers do. Return the text, and whether any of it is U+FFFD for bytes that
    are invalid.

    >>> read_euc(bytes.fromhex("bbc8 a4a6 ada1 a1dd"))
    ('使う①－', False)
    """
    try:  # names of pages are decoded here one by one, and few need the repair
        return _as_windows_has_them(data.decode("euc_jp")), False
    except UnicodeDecodeError:
        text, broken = _decode_as("euc_jp", data)
        return text, bool(broken)


def write_euc(text: str) -> bytes:
    """Encode a text in EUC-JP, the reverse of `read_euc`.

    Raises UnicodeEncodeError if it has a character that EUC-JP lacks.

    >>> write_euc("使う－").hex()
    'bbc8a4a6a1dd'
    """
    for python, windows in _WINDOWS:
        text = text.replace(windows, python)
    return text.encode("euc_jp")
