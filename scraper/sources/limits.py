"""The limits of what is read of a source; whatever exceeds one is a warning that names it.

Other modules look them up here at each use, so that a test can lower them.

The number of warnings about one source is kept small.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from scraper.page import ReadWarning

# All of them are guards against hostile input: any numbers as large would do. No honest input that
# we know comes near them; what it has is said where we can tell.

# Bytes of one file, unpacked: it is in memory, with its text and its tree. Books in PDF have some
# MB.
LARGEST = 256 << 20
# Bytes of all files of an archive, or of one decompressed stream: hours of reading.
IN_ALL = 16 << 30
# Private bytes of the process that reads an archive or a Parquet file: a file of `LARGEST` and what
# the library holds beside it fit in.
READER_MEMORY = 1 << 30
# Of its processor time, to begin with and for each MB, which may unpack to a GB.
READER_SECONDS, READER_SECONDS_A_MB = 60, 10
# Bytes of a header in a tar that belongs to the next one: a long name, pax. Paths have 4 kB at
# most.
MEMBER_HEADER = 1 << 16
# Bytes of all headers of a file in a tar, with its sparse map: twice `MEMBER_HEADER`, as a name and
# what it links to may both be long.
MEMBER_HEADERS = 1 << 17
# Bytes of memory that decompression may need (xz, lzma): `xz -9` asks for 65 MB.
DICTIONARY = 128 << 20
READ_AGAIN = 1 << 30  # bytes of a WARC file that are read twice, to find records behind damage
# Places in a compressed WARC file where a record may begin: three bytes, which are there by chance
# once in 16 MB.
CANDIDATES = 100_000
CODINGS = 5  # content codings of one answer; servers use one
ROWS = 10_000_000  # rows of a Parquet file; each costs time, also an empty one
RECORD_HEAD = 1 << 20  # bytes of the headers of a record in a WARC file; they have some kB
# Kinds of records that are left out of a WARC file, in the warning that counts them, one line.
KINDS = 20
MANIFEST_LINE = 1 << 20  # bytes of a line of a manifest: an address and headers of `LONG_VALUE` fit
MANIFEST = LARGEST  # bytes of a manifest
# Files that the manifests of a folder or an archive name, and files and folders of one archive:
# what is kept of each takes memory.
MANIFEST_FILES = 1_000_000
MEMBERS = 1_000_000
LINK_NAMES = 64_000_000  # characters of the names of hard links in a tar, which are kept to its end
# Characters of what a manifest states of a file, such as its game: as many as an id may have
# (`games.is_id`). It would be in every row of the page.
MANIFEST_VALUE = 200
LONG_VALUE = 8_000  # characters of its address, notice or headers; as `crawl.urls.LONGEST`
SITES_FILE = 1 << 20  # bytes of a file that describes wikis; a record has some hundred
# Warnings of one archive, WARC file, manifest or folder: they are kept, and nobody reads more.
WARNINGS = 1000


def size(number: int) -> str:
    """Return a number of bytes in the largest unit that it is a whole number of.

    >>> size(LARGEST), size(IN_ALL), size(CANDIDATES)
    ('256 MB', '16 GB', '100000 bytes')
    """
    for unit, name in ((30, "GB"), (20, "MB"), (10, "kB")):
        if number >> unit and not number & ((1 << unit) - 1):
            return f"{number >> unit} {name}"
    return f"{number} bytes"


Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class _MoreWarnings(ReadWarning):
    """A warning that counts others, which are not kept."""

    number: int = 0


def with_few_warnings(found: Iterator[Found], where: str) -> Iterator[Found | ReadWarning]:
    """Yield everything that is found, but at most `WARNINGS` warnings, and one more that
    counts the rest: what a stranger made may have millions. That counts, too, what is found to
    count others.

    where: what that warning gives as the place.
    """
    count = rest = 0
    for one in found:
        if isinstance(one, _MoreWarnings):
            rest += one.number
        elif not isinstance(one, ReadWarning):
            yield one
        elif count < WARNINGS:
            count += 1
            yield one
        else:
            rest += 1
    if rest:
        warnings = "warning" if rest == 1 else "warnings"
        what = f"{rest} more {warnings}, as only {WARNINGS} are kept"
        yield _MoreWarnings(where, what, number=rest)
