"""Snapshots: bytes as they were served, and what is known of them besides."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scraper.errors import SourceError
from scraper.page import Warn

LARGEST = 256 * 1024 * 1024
MANIFEST = "manifest.jsonl"
Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Hints:
    """What the person who builds knows better than detection: see `sansho build --help`."""

    site: str | None = None
    game: str | None = None
    lang: str | None = None
    edition: str | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Bytes as served, with where they are kept (`where`), their URL, and what a manifest
    says of them. `notice` is what readers must be told of everything that is cited from it."""

    where: str
    data: bytes
    url: str = ""
    content_type: str = ""
    status: int = 200
    taken: str = ""
    form: str = ""
    notice: str = ""
    hints: Hints = field(default_factory=Hints)

    @property
    def sha256(self) -> str:
        """The hash of the bytes, in hex."""
        return hashlib.sha256(self.data).hexdigest()


def snapshots(source: Path, hints: Hints) -> Iterator[Snapshot | Warn]:
    """Every snapshot under a file or folder, in the order of their paths.

    A folder's `manifest.jsonl` names URLs, headers and times; files that it does not name
    are read all the same. What can't be read is a `Warn`, in its place. Raises SourceError
    if `source` is not there or holds no file.
    """
    if not source.exists():
        raise SourceError(f"{source}: no such file or folder")
    if source.is_file():
        entries, _ = _manifest(source.parent / MANIFEST)
        yield _open(source, entries.get(source, {}), hints)
        return
    files = sorted(path for path in source.rglob("*") if path.is_file())
    known: dict[Path, Entry] = {}
    for path in (path for path in files if path.name == MANIFEST):
        entries, warnings = _manifest(path)
        known |= entries
        yield from warnings
    pages = [path for path in files if path.name != MANIFEST and not path.name.startswith(".")]
    if not pages:
        raise SourceError(f"{source}: an empty folder; nothing to read in it")
    for path in pages:
        yield _open(path, known.get(path, {}), hints)
    for path in sorted(set(known) - set(pages)):
        yield Warn(str(path), "named in the manifest but not there")


def _manifest(path: Path) -> tuple[dict[Path, Entry], list[Warn]]:
    """What a manifest says of the files at and below its folder."""
    entries: dict[Path, Entry] = {}
    warnings: list[Warn] = []
    if not path.is_file():
        return entries, warnings
    for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
            entries[path.parent / str(entry["file"])] = entry
        except (ValueError, KeyError, TypeError, RecursionError):
            warnings.append(Warn(f"{path}:{number}", "not a manifest line (JSON with a file)"))
    return entries, warnings


def _open(path: Path, entry: Entry, hints: Hints) -> Snapshot | Warn:
    try:
        if path.stat().st_size > LARGEST:
            return Warn(str(path), f"larger than {LARGEST // 2**20} MB; not read")
        data = path.read_bytes()
    except OSError as error:
        return Warn(str(path), f"can't be read: {error.strerror or error}")
    if _binary(data):
        return Warn(str(path), "a binary file, not a page")
    headers = entry.get("headers")
    headers = headers if isinstance(headers, dict) else {}
    known = {str(key).lower(): str(value) for key, value in headers.items()}
    return Snapshot(
        where=str(path),
        data=data,
        url=_text(entry, "url"),
        content_type=_text(entry, "content_type") or known.get("content-type", ""),
        status=entry["status"] if isinstance(entry.get("status"), int) else 200,
        taken=_text(entry, "taken") or known.get("last-modified", ""),
        form=_text(entry, "form"),
        notice=_text(entry, "notice"),
        hints=Hints(
            hints.site or _text(entry, "site") or None,
            hints.game or _text(entry, "game") or None,
            hints.lang or _text(entry, "lang") or None,
            hints.edition or _text(entry, "edition") or None,
        ),
    )


def _text(entry: Entry, key: str) -> str:
    value = entry.get(key)
    return value if isinstance(value, str) else ""


def _binary(data: bytes) -> bool:
    """Whether the bytes are no text: NUL among them without a UTF-16 mark, or a known magic."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return False
    return data.startswith((b"%PDF-", b"PK\x03\x04", b"\x1f\x8b", b"\x89PNG", b"\xff\xd8\xff")) or (
        b"\x00" in data[:65536]
    )
