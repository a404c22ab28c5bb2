"""Divides the files of a source into groups that are read by themselves, on any machine."""

from __future__ import annotations

import os
import zlib
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from scraper.errors import SourceError
from scraper.page import ReadWarning
from scraper.sources.few_warnings import with_few_warnings
from scraper.sources.files import walk
from scraper.sources.manifest import MANIFEST, Entry, Manifests, missing_files
from scraper.sources.snapshot import (
    Hints,
    Request,
    Snapshot,
    add_manifest,
    check_is_there,
    files_to_read,
    nothing_read,
    read_file,
)
from scraper.sources.stored_path import storable_path

_MEAN_FILES = 1_000  # in a group
_MOST_FILES = 4_000
_MOST_BYTES = 32_000_000  # a larger file is a group by itself


@dataclass(frozen=True, slots=True)
class FileGroup:
    """Files that are read together.

    source: the file or folder that they were found in, as it was named.
    paths: their paths, in the order in which they are read.
    entries: what manifests state of them, by place.
    """

    source: str
    paths: tuple[str, ...]
    entries: Mapping[str, Entry]


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
    where = storable_path(str(source))
    check_is_there(source, where)
    if source.is_dir():
        yield from _groups_of_folder(source, where, own)
        return
    manifests = Manifests()
    add_manifest(manifests, str(source).removesuffix(source.name) + MANIFEST)
    yield from (w for w in manifests.warnings if ":" in w.where or w.where == where)
    yield _group(where, [str(source)], manifests)


def read_group(group: FileGroup, hints: Hints) -> Iterator[Snapshot | ReadWarning]:
    """Yield the snapshots in a group of files, and warnings of what can't be read, as
    `scraper.snapshots` does for all files of a source."""
    yield from with_few_warnings(_read(group, Request(hints, frozenset())), group.source)


def _read(group: FileGroup, request: Request) -> Iterator[Snapshot | ReadWarning]:
    manifests = Manifests(dict(group.entries))
    for path in group.paths:
        for found in read_file(path, manifests, request):
            assert isinstance(found, Snapshot | ReadWarning)  # nothing is known before
            yield found


def _groups_of_folder(
    folder: Path, where: str, own: Container[str]
) -> Iterator[FileGroup | ReadWarning]:
    """Yield the groups of a folder's files, then the warnings of its manifests.

    Raises SourceError if there is no file to read.
    """
    manifests = Manifests()
    for path in walk(folder):
        if isinstance(path, str) and path.rpartition(os.sep)[2] == MANIFEST:
            add_manifest(manifests, path)
    seen: set[str] = set()
    problem, size, paths = "", 0, list[str]()
    for path in files_to_read(folder, manifests.entries):
        if isinstance(path, ReadWarning):
            yield path
            problem = problem or f"{path.where}: {path.what}"
            continue
        seen.add(storable_path(path))
        if os.path.realpath(path) in own:
            continue
        size_of_file = _size(path)
        if paths and size + size_of_file > _MOST_BYTES:
            yield _group(where, paths, manifests)
            size, paths = 0, []
        size += size_of_file
        paths.append(path)
        if len(paths) >= _MOST_FILES or _ends_group(path.removeprefix(str(folder))):
            yield _group(where, paths, manifests)
            size, paths = 0, []
    if paths:
        yield _group(where, paths, manifests)
    if not seen:
        raise SourceError(f"{where}: {problem or nothing_read(list(manifests.entries))}")
    yield from manifests.warnings
    yield from missing_files(manifests, seen)


def _group(source: str, paths: list[str], manifests: Manifests) -> FileGroup:
    """Return a group with what manifests state of its files."""
    places = map(storable_path, paths)
    entries = {where: manifests.entries[where] for where in places if where in manifests.entries}
    return FileGroup(source, tuple(paths), entries)


def _ends_group(name: str) -> bool:
    """Whether a group ends behind a file; always the same for the same name."""
    return zlib.crc32(name.encode("utf-8", "surrogateescape")) % _MEAN_FILES == 0


def _size(path: str) -> int:
    """Return the size of a file in bytes; 0 if nobody knows."""
    try:
        return os.stat(path).st_size  # noqa: PTH116
    except OSError:
        return 0
