"""Divides the files of a source into groups that are read by themselves, on any machine."""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scraper.page import ReadWarning
from scraper.sources.limits import with_few_warnings
from scraper.sources.manifest import Entry, Manifests
from scraper.sources.remote import is_remote, list_files, local_copy
from scraper.sources.rulebook_files import runs
from scraper.sources.saved_pages import (
    Hints,
    Request,
    Snapshot,
    Unchanged,
    check_is_there,
    file_with_manifest,
    folder_files,
    read_file,
    read_run,
)

# Files in a group. By hand: with more, a file that changes makes more of them be read again; with
# fewer, there are more groups to merge.
_MEAN_FILES = 200
# Of files, where no name ends a group for long: five times the mean, which chance reaches in one
# group of 150. And bytes, by hand: as a thousand pages of 32 kB.
_MOST_FILES = 1_000
_MOST_BYTES = 32_000_000
# A file that is larger, or that is called like an archive or a dump, is a group by itself: pages
# are smaller.
_LARGE_FILE = 1_000_000  # bytes
_OF_MANY = (
    ".7z", ".bz2", ".gz", ".parquet", ".tar", ".tgz", ".warc", ".xml", ".xz", ".zip", ".zst",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FileGroup:
    """Files that are read together.

    source: the file or folder that they were found in, as it was named.
    paths: their paths, in the order in which they are read; or addresses on object storage.
    entries: what manifests state of them, by place.
    version: of files on object storage, a text that is another one if any of them has changed;
        empty if nobody knows.
    """

    source: str
    paths: tuple[str, ...]
    entries: Mapping[str, Entry]
    version: str = ""


def file_groups(
    source: Path, own: Container[str] = frozenset()
) -> Iterator[FileGroup | ReadWarning]:
    """Yield the files of a folder, or a single file, in groups; and warnings of what can't be read
    before files are opened.

    Where a group ends is told by the names of its files, so that a file more or less changes one
    group and not all behind it.

    own: real paths of files in the folder that are left out.

    Raises SourceError as `scraper.snapshots` does.
    """
    request = Request(Hints(), frozenset(), str(source))
    check_is_there(source, request.place(str(source)))
    manifests = Manifests()
    if source.is_dir():
        found = folder_files(source, request, manifests)
    else:
        found = file_with_manifest(source, request, manifests)
    for group in _grouped(_with_sizes(found, own), str(source)):
        if isinstance(group, ReadWarning):
            yield group
            continue
        places = map(request.place, group)
        entries = {
            place: manifests.entries[place] for place in places if place in manifests.entries
        }
        yield FileGroup(str(source), tuple(group), entries)


def remote_groups(url: str) -> Iterator[FileGroup | ReadWarning]:
    """Yield the files of a folder on object storage, or a single file, as `file_groups` does.

    Raises SourceError if there is none, or if they can't be listed.
    """
    versions: dict[str, str] = {}
    manifests = Manifests()

    def listed() -> Iterator[list[tuple[str, int]] | ReadWarning]:
        for file in list_files(url, manifests):
            if isinstance(file, ReadWarning):
                yield file
            else:
                versions[file.url] = file.version
                yield [(file.url, file.size)]

    for group in _grouped(listed(), url):
        if isinstance(group, ReadWarning):
            yield group
            continue
        known = [versions.pop(path) for path in group]
        entries = {path: manifests.entries[path] for path in group if path in manifests.entries}
        text = repr((known, entries)).encode("utf-8", "surrogatepass")
        version = hashlib.blake2b(text, digest_size=16).hexdigest() if all(known) else ""
        yield FileGroup(url, tuple(group), entries, version)


def _grouped(
    files: Iterable[Sequence[tuple[str, int]] | ReadWarning], source: str
) -> Iterator[list[str] | ReadWarning]:
    """Yield (path, size) of files in groups: their paths; warnings as they are.

    files: those that may be parts of one book are given together, and stay so.
    source: what the paths begin with, on which no group depends.
    """
    waiting, size = list[str](), 0
    for together in files:
        if isinstance(together, ReadWarning):
            yield together
            continue
        paths = [path for path, _ in together]
        size_of_files = sum(size_of_file for _, size_of_file in together)
        is_large = size_of_files > _LARGE_FILE or paths[0].lower().endswith(_OF_MANY)
        if waiting and (is_large or size + size_of_files > _MOST_BYTES):
            yield waiting
            waiting, size = [], 0
        waiting += paths
        size += size_of_files
        is_full = len(waiting) >= _MOST_FILES
        if is_large or is_full or any(_ends_group(path.removeprefix(source)) for path in paths):
            yield waiting
            waiting, size = [], 0
    if waiting:
        yield waiting


def _with_sizes(
    found: Iterable[str | ReadWarning], own: Container[str]
) -> Iterator[list[tuple[str, int]] | ReadWarning]:
    """Yield the paths of files with their sizes, but for those in `own`; warnings as they are."""
    for run in runs(found):
        if isinstance(run, ReadWarning):
            yield run
        elif others := [path for path in run if os.path.realpath(path) not in own]:
            yield [(path, _size(path)) for path in others]


def read_group(group: FileGroup, hints: Hints) -> Iterator[Snapshot | ReadWarning]:
    """Yield the snapshots in a group of files, and warnings of what can't be read, as
    `scraper.snapshots` does for all files of a source; also what is refused by its status."""
    yield from with_few_warnings(_read(group, hints), group.source)


def _read(group: FileGroup, hints: Hints) -> Iterator[Snapshot | ReadWarning]:
    request = Request(hints, frozenset(), group.source, refused=True)
    manifests = Manifests(dict(group.entries))
    for run in runs(group.paths):
        assert not isinstance(run, ReadWarning)
        read = _read_remote if is_remote(run[0]) else read_run
        for found in read(run, manifests, request):
            assert isinstance(found, Snapshot | ReadWarning)  # nothing is known before
            yield found


def _read_remote(
    urls: Sequence[str], manifests: Manifests, request: Request
) -> Iterator[Snapshot | Unchanged | ReadWarning]:
    """Yield the snapshots in files on object storage, each of which is copied for it. Raises
    SourceError where one can't be copied."""
    for url in urls:
        with local_copy(url) as copy:
            of_copy = replace(request, source=str(copy), named=url)
            yield from read_file(str(copy), manifests, of_copy)


def _ends_group(name: str) -> bool:
    """Whether a group ends behind a file: behind one of `_MEAN_FILES`, by a hash of its name, so
    that it is always the same for the same name."""
    return zlib.crc32(name.encode("utf-8", "surrogateescape")) % _MEAN_FILES == 0


def _size(path: str) -> int:
    """Return the size of a file in bytes; 0 if nobody knows."""
    try:
        return os.stat(path).st_size  # noqa: PTH116
    except OSError:
        return 0
