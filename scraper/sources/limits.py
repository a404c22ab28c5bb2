"""The limits of what is read of a source; whatever exceeds one is a warning that names it.

Other modules look them up here at each use, so that a test can lower them.
"""

from __future__ import annotations

LARGEST = 256 << 20  # bytes of one file, unpacked
IN_ALL = 16 << 30  # bytes of all files of an archive, or of one decompressed stream
READER_MEMORY = 1 << 30  # private bytes of the process that reads an archive or a Parquet file
READER_SECONDS, READER_SECONDS_A_MB = 60, 10  # of its processor time
MEMBER_HEADER = 1 << 16  # bytes of a header in a tar that belongs to the next one: a long name, pax
MEMBER_HEADERS = 1 << 17  # bytes of all headers of a file in a tar, with its sparse map
DICTIONARY = 128 << 20  # bytes of memory that decompression may need (xz, lzma)
READ_AGAIN = 1 << 30  # bytes of a WARC file that are read twice, to find records behind damage
CANDIDATES = 100_000  # places in a compressed WARC file where a record may begin
CODINGS = 5  # content codings of one answer
ROWS = 10_000_000  # rows of a Parquet file
RECORD_HEAD = 1 << 20  # bytes of the headers of a record in a WARC file
KINDS = 20  # kinds of records that are left out of a WARC file, in the warning that counts them
MANIFEST_LINE = 1 << 20  # bytes of a line of a manifest
MANIFEST = LARGEST  # bytes of a manifest
MANIFEST_FILES = 1_000_000  # files that the manifests of a folder or an archive name
MEMBERS = 1_000_000  # files and folders of one archive
LINK_NAMES = 64_000_000  # characters of the names of hard links in a tar, which are kept to its end
MANIFEST_VALUE = 200  # characters of what a manifest states of a file, such as its game
LONG_VALUE = 8_000  # characters of its address, notice or headers
SITES_FILE = 1 << 20  # bytes of a file that describes wikis
WARNINGS = 1000  # warnings of one archive, WARC file, manifest or folder


def size(number: int) -> str:
    """Return a number of bytes in the largest unit that it is a whole number of.

    >>> size(LARGEST), size(IN_ALL), size(CANDIDATES)
    ('256 MB', '16 GB', '100000 bytes')
    """
    for unit, name in ((30, "GB"), (20, "MB"), (10, "kB")):
        if number >> unit and not number & ((1 << unit) - 1):
            return f"{number >> unit} {name}"
    return f"{number} bytes"
