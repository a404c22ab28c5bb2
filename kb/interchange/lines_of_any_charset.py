"""Reads the lines of a text file whose charset is not known, with a bound on their length."""

from __future__ import annotations

import codecs
import re
import shutil
from collections.abc import Generator
from contextlib import suppress
from io import TextIOWrapper
from tempfile import TemporaryFile
from typing import BinaryIO

from kb.errors import SourceError
from scraper.sources.charset import decode

# Characters: a guard of memory for files that are no tables; any number this large would do: the
# longest line of the bundled sample's table has 521.
LONGEST_LINE = 1 << 20
_CHUNK = 1 << 16  # bytes that are read at a time, by hand: little memory, and few calls
# Bytes of lines by which the charset is told, by hand: thousands of lines, of which a few would do,
# and little memory.
_SAMPLE = 1 << 18
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LEGACY = ("cp932", "euc_jp")
# What Japanese text has, and French or German in their charsets of Windows seldom, which are valid
# CP932, too: `é` and the letter after it are a kanji.
_JAPANESE = re.compile("[ぁ-んァ-ヶ]|[一-龯]{2}|[ｦ-ﾟ]{2}")
_SHOWN = {"utf_8_sig": "UTF-8", "utf_16": "UTF-16", "cp932": "Shift_JIS", "euc_jp": "EUC-JP"}


def text_lines(file: BinaryIO, name: str) -> Generator[str, None, None]:
    """Yield the lines of a text file, each with the line break that it has in the file.

    The charset is UTF-8, with or without a byte order mark, UTF-16 with one, or what Japanese
    Windows and Unix saved before (CP932, EUC-JP); it is told from the whole file. A line ends with
    CR, LF or both. A file of any length takes little memory.

    name: of the file, for messages.

    Raises SourceError if the file is in none of these charsets or has a line that is longer than
    LONGEST_LINE.

    >>> from io import BytesIO
    >>> list(text_lines(BytesIO("引く,draw\\r\\n".encode("cp932")), "a.csv"))
    ['引く,draw\\r\\n']
    """
    if not file.seekable():
        with TemporaryFile() as copy:
            shutil.copyfileobj(file, copy)
            copy.seek(0)
            yield from text_lines(copy, name)
        return
    start = file.tell()
    charset = _charset(file, name)
    file.seek(start)
    text = TextIOWrapper(file, encoding=charset, newline="")
    number = 0
    try:
        while line := text.readline(LONGEST_LINE + 1):
            number += 1
            if len(line) > LONGEST_LINE:
                raise SourceError(
                    f"{name}:{number}: a line longer than {LONGEST_LINE} characters; not read"
                )
            yield line
    finally:
        with suppress(ValueError):  # the file was closed before its lines were all taken
            text.detach()


def _charset(file: BinaryIO, name: str) -> str:
    """Return Python's name of the charset of a file: `utf_8_sig`, also without a mark and for an
    empty file, `utf_16`, `cp932` or `euc_jp`. Raises SourceError, with the line, if it is none of
    these.

    file: stands at its beginning, and anywhere afterwards.
    """
    start = file.tell()
    mark = file.read(2)
    if b"\0" in mark:
        raise SourceError(f"{name}: UTF-16 without a byte order mark; save it as UTF-8")
    tried = ["utf_16" if mark in _UTF16_MARKS else "utf_8_sig"]
    line = _first_undecodable(file, start, tried[0])
    if line and tried == ["utf_8_sig"]:
        file.seek(start)
        told = decode(_sample(file))
        if told.charset in _LEGACY and _JAPANESE.search(told.text):
            tried.append(told.charset)
            line = _first_undecodable(file, start, told.charset)
    if line:
        what = " or ".join(_SHOWN[charset] for charset in tried)
        raise SourceError(f"{name}:{line}: not text in {what}; save the file as UTF-8")
    return tried[-1]


def _first_undecodable(file: BinaryIO, start: int, charset: str) -> int:
    """Return the number of the first line that is not in a charset; 0 if there is none.

    A file with a line that is far too long is not looked at further: 0 is returned then, too.
    """
    decoder = codecs.getincrementaldecoder(charset)()
    lines, open_line = 1, 0
    file.seek(start)
    while True:
        chunk = file.read(_CHUNK)
        try:
            text = decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            before = error.object[: error.start].decode(charset, "ignore")
            return lines + before.count("\n")
        lines += text.count("\n")
        line_end = max(text.rfind("\n"), text.rfind("\r"))
        open_line = len(text) - line_end - 1 + (open_line if line_end < 0 else 0)
        if not chunk or open_line > LONGEST_LINE:
            return 0


def _sample(file: BinaryIO) -> bytes:
    """Return the first lines of a file that are not ASCII, as many as tell its charset; of a very
    long line a piece may be left out."""
    sample = bytearray()
    while len(sample) < _SAMPLE and (line := file.readline(_CHUNK)):
        if not line.isascii():
            sample += line
    return bytes(sample)
