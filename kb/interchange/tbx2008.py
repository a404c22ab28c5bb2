"""Writes and reads TBX 2008 (ISO 30042:2008, martif), for tools that read nothing newer.

OmegaT and translate-toolkit, and with it Weblate, read it; the latter only names in a `tig`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO

from kb.interchange.tbx import Dialect, read_tbx, write_tbx
from kb.termbase.model import Concept, Decision

_MARTIF = Dialect(
    namespace=None,
    root="martif",
    attributes={"type": "TBX"},
    doctype='<!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">\n',
    header="martifHeader",
    encoding_note=("XCSURI", "TBXXCSV02.xcs"),
    entry="termEntry",
    language="langSet",
    name="tig",
    reading=("termNote", "pronunciation"),
)


def write(concepts: Iterable[Concept], out: BinaryIO, langs: tuple[str, str] | None = None) -> int:
    """Write concepts as TBX 2008, one entry each, and return how many entries were written.

    A concept without a name is left out, and of texts what XML can't hold.

    langs: languages that come first in each entry, and the first is the document's; None if it
        does not matter. All languages are written.
    """
    return write_tbx(_MARTIF, concepts, out, langs)


def read(file: BinaryIO, name: str) -> Iterator[Decision]:
    """Yield a decision for each name in a TBX file of any version, style and public dialect.

    name: the file's name, for messages. Raises SourceError as `read_tbx` does.
    """
    return read_tbx(file, name)
