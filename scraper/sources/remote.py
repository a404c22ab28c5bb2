"""Lists files on object storage and copies them to this machine, by fsspec.

Needs fsspec, and a package for the protocol: `pip install 'sansho[dist]' s3fs`. Credentials are
those that this package finds, in the environment or its own files.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from scraper.errors import SourceError
from scraper.page import ReadWarning
from scraper.sources.files import HIDDEN, MANIFEST, is_hidden, is_of_program, message
from scraper.sources.manifest import Manifests, missing_files
from scraper.sources.saved_pages import SITES

# Storage that a person has or rents. Not taken: what fetches from anywhere (http, ftp, github: for
# pages there is `sansho crawl`), what reads one thing in another and so may lead anywhere (zip,
# simplecache, reference), what takes any host for the right one (sftp), and what runs programs.
PROTOCOLS = ("abfs", "abfss", "az", "file", "gcs", "gs", "hdfs", "memory", "s3", "s3a")
_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.:-]*)://(.*)", re.DOTALL)
_PASSWORD = re.compile(r"[^/@]*:[^/@]*@")
_PATTERN = re.compile(r"[*?\[]")
_NEEDED = "needs fsspec: pip install 'sansho[dist]'"
_NO_SITES = (
    "descriptions of wikis are not read from object storage, but from a copy on this machine"
)
# What storages call the version of a file's content, and the time when it was written.
_VERSIONS = ("ETag", "etag", "VersionId", "md5Hash", "crc32c", "generation", "checksum")
_TIMES = ("LastModified", "last_modified", "updated", "mtime", "modificationTime", "created")


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file on object storage.

    url: its address; size: in bytes.
    version: a text that is another one if the file, or the manifest beside it, has changed; empty
        if the storage does not tell.
    """

    url: str
    size: int
    version: str


def is_remote(source: str) -> bool:
    """Whether a source is an address, with a protocol, and not a path on this machine.

    >>> is_remote("s3://bucket/pages"), is_remote("pages/a.html"), is_remote("C:/pages")
    (True, False, False)
    """
    return _ADDRESS.fullmatch(source) is not None


def list_files(url: str, manifests: Manifests | None = None) -> Iterator[RemoteFile | ReadWarning]:
    """Yield the files at an address, sorted by it: a file, those in a folder and below, or those
    that a pattern with `*` fits. Hidden files that no manifest names give a warning; manifests and
    `sites.toml` are left out. Warnings of manifests, and of files that those of a folder name in
    vain, come last.

    manifests: gets what the manifests in the folder and below, or beside the files, state of files
        by their addresses, before the first file is yielded.

    Raises SourceError if there is none, or the storage can't be read: not at the call, but where
    the iteration begins.
    """
    storage, manifests = _Storage(url), manifests or Manifests()
    with _in_words(url):
        found = storage.files()
        places = storage.manifests(found)
    if not found:
        raise SourceError(f"{url}: no such file, or a folder without files")
    for place in places:
        with local_copy(place) as copy, copy.open("rb") as file:
            manifests.add(file, place.removesuffix(MANIFEST), place)
    seen = set()
    for path in sorted(found):
        address, inside = storage.address(path), storage.inside(path)
        if address not in manifests.entries and is_hidden(inside):
            if not is_of_program(inside):
                yield ReadWarning(address, HIDDEN)
        elif inside == SITES:
            yield ReadWarning(address, _NO_SITES, ("sites",))
        elif path.rpartition("/")[2] not in {MANIFEST, SITES}:
            seen.add(address)
            yield RemoteFile(address, int(found[path].get("size") or 0), _version(path, found))
    named = manifests.entries.keys()
    for warning in manifests.warnings:
        if storage.is_folder or warning.where in seen or warning.where not in named:
            yield warning
    if storage.is_folder:
        yield from missing_files(manifests, seen)


@contextmanager
def local_copy(url: str) -> Iterator[Path]:
    """Copy a file to a temporary folder; yield the path of the copy. It is deleted when the `with`
    block ends.

    Raises SourceError if it can't be copied.
    """
    storage = _Storage(url)
    with tempfile.TemporaryDirectory(prefix="sansho-") as folder:
        copy = Path(folder) / "copy"
        with _in_words(url):
            storage.copy(storage.path, copy)
        yield copy


def file_system(address: str) -> tuple[Any, str]:
    """Return fsspec's file system for a path on this machine or an address, and the path there.

    fsspec itself would take `::` in a name for the end of one address and the beginning of another,
    in which the first is read.
    """
    from fsspec import get_filesystem_class

    match = _ADDRESS.fullmatch(address)
    kind = get_filesystem_class(match[1].lower() if match else "file")
    files = kind(**kind._get_kwargs_from_urls(address))
    return files, str(files._strip_protocol(address))


class _Storage:
    """The storage of an address, and the path there."""

    def __init__(self, url: str) -> None:
        """Raises SourceError if addresses like this one are not read."""
        _check(url)
        with _in_words(url):
            self._files, self.path = file_system(url)
            self._files.invalidate_cache()
        self._base, self._folder = url, self.path  # an address, and its path
        self.is_folder = False  # until its files are listed

    def files(self) -> dict[str, Mapping[str, Any]]:
        """Return what is known of each file at the path or below, or that fits it, by its path;
        empty if there is none. It sets `is_folder`."""
        if _PATTERN.search(self.path) and not self._files.exists(self.path):
            self._base = _PATTERN.split(self._base)[0].rpartition("/")[0]
            self._folder = _PATTERN.split(self.path)[0].rpartition("/")[0]
            found = self._files.glob(self.path, detail=True)
        elif self._files.isfile(self.path):
            found = {self.path: self._files.info(self.path)}
        else:
            found = self._files.find(self.path, detail=True)
            self.is_folder = True
        return {path: known for path, known in found.items() if known.get("type") == "file"}

    def inside(self, path: str) -> str:
        """Return the path of a file from the folder that is listed; empty for a file by itself."""
        return path.removeprefix(self._folder).removeprefix("/")

    def address(self, path: str) -> str:
        """Return the address of a file here. What the given one begins with stays as it is: it may
        name an account."""
        inside = self.inside(path)
        slash = "/" if inside and not self._base.endswith("/") else ""
        return f"{self._base}{slash}{inside}"

    def manifests(self, found: Iterable[str]) -> list[str]:
        """Return the addresses of the manifests beside files, those nearest to them last. found:
        the paths of the files."""
        folders = {path.rpartition("/")[0]: self.address(path).rpartition("/")[0] for path in found}
        places = [
            f"{folder}/{MANIFEST}"
            for path, folder in folders.items()
            if self._files.isfile(f"{path}/{MANIFEST}")
        ]
        return sorted(places, key=lambda place: (place.count("/"), place))

    def copy(self, path: str, to: Path) -> None:
        """Copy a file, in pieces."""
        if self._files.info(path)["type"] != "file":
            raise SourceError(f"{self.address(path)}: not a file")
        self._files.get_file(path, str(to))


def check_address(url: str) -> None:
    """Raise SourceError if nothing can be kept at an address like this one, or read from it: by its
    protocol, or because the package for that is not installed."""
    _Storage(url)


def _check(url: str) -> None:
    """Raise SourceError if addresses like this one are not read."""
    match = _ADDRESS.fullmatch(url)
    protocol = match[1].lower() if match else ""
    if not match or protocol not in PROTOCOLS:
        known = ", ".join(PROTOCOLS)
        hint = "; a crawl fetches pages" if protocol in {"http", "https"} else ""
        raise SourceError(f"{url}: read are files on this machine and {known}{hint}")
    if _PASSWORD.match(match[2]):
        raise SourceError(
            "an address with a password: it would be kept in the knowledge base; put it where the "
            "package for the storage looks for it"
        )
    if find_spec("fsspec") is None:
        raise SourceError(f"{url}: {_NEEDED}")


@contextmanager
def _in_words(url: str) -> Iterator[None]:
    """Raise whatever the package for a storage raises as a SourceError with a message."""
    try:
        yield
    except SourceError:
        raise
    except FileNotFoundError:
        raise SourceError(f"{url}: no such file or folder") from None
    except Exception as error:  # each package has errors of its own
        raise SourceError(f"{url}: can't be read: {message(error).splitlines()[0]}") from error


def _version(path: str, found: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the version of a file and of the manifest beside it; empty if it is not known.

    found: what is known of the files, by their paths.
    """
    manifest = found.get(path.rpartition("/")[0] + "/" + MANIFEST)
    versions = [_version_of(known) for known in (found[path], manifest) if known is not None]
    if not all(versions):
        return ""
    return hashlib.blake2b("\n".join(versions).encode(), digest_size=16).hexdigest()


def _version_of(known: Mapping[str, Any]) -> str:
    """Return what tells one version of a file from another, of what a storage says of it: its size
    and versions, else its size and times; empty if it says neither."""
    for names in (_VERSIONS, _TIMES):
        if told := [f"{name} {known[name]}" for name in names if known.get(name) is not None]:
            return f"{known.get('size')} {' '.join(told)}"
    return ""
