"""The folder in which the rows of shards are kept: local, or on object storage.

Each shard has a folder in it, named by a hash of what it is made of. A task writes into a new
folder in that one, and at last the marker `complete.json`, which names it: so a shard is complete
or not there, whatever happens to the task, or if two do the same.
"""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import IO, Any

from scraper.sources.remote import file_system

_MARKER = "complete.json"
# The names of folders with rows: 32 digits of `uuid4`. Nothing that leads out of the folder of the
# shard can match.
_ROWS = re.compile("[0-9a-f]{8,32}")
_OF_ROWS = ".parquet"


@dataclass(frozen=True, slots=True)
class Marker:
    """What is known of a complete shard.

    rows: the folder with its rows, in that of the shard.
    made_by: the fingerprint of the program.
    content: a hash of what was read.
    parts: the number of parts.
    build: the build that read it.
    files: a hash of each file with rows, by its name.
    """

    rows: str
    made_by: str
    content: str
    parts: int
    build: str
    files: Mapping[str, str]


@dataclass(frozen=True)
class ShardFolder:
    """The folder of one shard. It can be sent to other processes and machines.

    place: its path or URL.
    """

    place: str

    @staticmethod
    def within(folder: str, name: str) -> ShardFolder:
        """Return the folder of a shard in that of all shards. It is a hidden one, so that its files
        are not taken for pages."""
        return ShardFolder(f"{folder.rstrip('/')}/.{name}.shard")

    @cached_property
    def _files(self) -> Any:
        return file_system(self.place)[0]

    @cached_property
    def _path(self) -> str:
        return file_system(self.place)[1]

    def marker(self) -> Marker | None:
        """Return what is known of the shard; None if it is not complete, or its marker can't be
        read. Whether the rows are there is not looked at.

        The marker may be anybody's: it is none if it names anything but a folder for rows in that
        of the shard.
        """
        try:
            marker = Marker(**json.loads(self._files.cat_file(f"{self._path}/{_MARKER}")))
            return marker if _ROWS.fullmatch(marker.rows) else None
        except (OSError, ValueError, TypeError, RecursionError):
            return None

    def new_rows(self) -> str:
        """Return the name of a new folder for rows, which is made. If the shard's own folder is a
        link, that is deleted first."""
        name = uuid.uuid4().hex
        if self._is_link(self._path):  # nothing is written where it leads
            self._files.rm_file(self._path)
        self._files.makedirs(f"{self._path}/{name}", exist_ok=True)
        return name

    def create(self, rows: str) -> Callable[[str], IO[bytes]]:
        """Return a function that creates a file in a folder for rows, by its name, open for writing
        bytes; one that is there is overwritten."""
        return lambda name: self._files.open(f"{self._path}/{rows}/{name}", "wb")

    def open(self, rows: str) -> Callable[[str], IO[bytes]]:
        """Return a function that opens a file in a folder for rows, by its name, for reading bytes;
        it raises FileNotFoundError if there is none."""
        return lambda name: self._files.open(f"{self._path}/{rows}/{name}", "rb")

    def digests(self, rows: str) -> dict[str, str]:
        """Return a hash of each file in a folder for rows, by its name, sorted; an empty dict if it
        is gone or one of them can't be read."""
        found = {}
        try:
            for path in sorted(self._files.ls(f"{self._path}/{rows}", detail=False)):
                with self._files.open(path, "rb") as file:
                    digest = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16))
                found[path.rpartition("/")[2]] = digest.hexdigest()
        except OSError:
            return {}
        return found

    def complete(self, marker: Marker) -> None:
        """Declare the shard complete, by writing the marker, and then delete the rows that the
        marker before named, if they are others."""
        before, path = self.marker(), f"{self._path}/{_MARKER}"
        if self._is_link(path):
            self._files.rm_file(path)
        self._files.pipe_file(path, json.dumps(asdict(marker)).encode())
        if before and before.rows != marker.rows:
            self.delete(before.rows)

    def delete_unfinished(self) -> None:
        """Delete the rows that the marker does not name, all of them without one: those of tasks
        that were killed. No task may be at work. A folder that is not there is none."""
        try:
            names = [path.rpartition("/")[2] for path in self._files.ls(self._path, detail=False)]
        except FileNotFoundError:
            return
        marker = self.marker()
        for name in names:
            if _ROWS.fullmatch(name) and not (marker and name == marker.rows):
                self.delete(name)

    def delete(self, rows: str) -> None:
        """Delete a folder for rows, if it is there. One that holds anything but `.parquet` files
        stays, and so does what a link leads to; the link itself goes."""
        path = f"{self._path}/{rows}"
        try:
            if self._is_link(path):
                self._files.rm_file(path)
            elif not self._is_link(self._path) and all(
                found.rstrip("/") == path or found.endswith(_OF_ROWS)
                for found in self._files.ls(path, detail=False)
            ):
                self._files.rm(path, recursive=True)
        except FileNotFoundError:
            return

    def _is_link(self, path: str) -> bool:
        """Whether there is a link, which only a folder on this machine can have."""
        is_link = getattr(self._files, "islink", None)
        return bool(is_link and is_link(path))
