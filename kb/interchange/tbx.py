"""Writes and reads TBX 3 (ISO 30042:2019), dialect TBX-Linguist in DCA style.

TBX-Linguist is the smallest public dialect with a field for the reading of a name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO

from kb.interchange.tbx_reader import read_tbx
from kb.interchange.tbx_writer import Dialect, write_tbx
from kb.termbase.model import Concept, Decision

_LINGUIST = Dialect(
    namespace="urn:iso:std:iso:30042:ed-2",
    root="tbx",
    attributes={"type": "TBX-Linguist", "style": "dca"},
    doctype="",
    header="tbxHeader",
    encoding_note=None,
    entry="conceptEntry",
    language="langSec",
    name="termSec",
    reading=("admin", "reading"),
)


def write(concepts: Iterable[Concept], out: BinaryIO, langs: tuple[str, str] | None = None) -> int:
    """Write concepts as TBX 3, one entry each, and return how many entries were written.

    A concept without a name is left out, and of texts what XML can't hold. TBX wants one entry at
    least: without a concept the file is well-formed, but not valid.

    langs: languages that come first in each entry, and the first is the document's; None if it
        does not matter. All languages are written.
    """
    return write_tbx(_LINGUIST, concepts, out, langs)


def read(file: BinaryIO, name: str) -> Iterator[Decision]:
    """Yield a decision for each name in a TBX file of any version, style and public dialect.

    name: the file's name, for messages. Raises SourceError as `read_tbx` does.
    """
    return read_tbx(file, name)
