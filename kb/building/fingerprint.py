"""What a knowledge base depends on besides its sources: this program, and what it reads with."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.resources.abc import Traversable

_ROOMS = ("scraper", "graphs", "kb")
_READS_WITH = ("beautifulsoup4", "lxml", "mwparserfromhell", "pypdfium2", "snowballstemmer",
               "sudachidict_core", "sudachipy", "warcio")  # fmt: skip


def build_fingerprint(sample: bool = False) -> str:
    """The same for builds that give the same graph for the same sources.

    It changes with each change of this program, even of one that has the same version.

    >>> build_fingerprint() == build_fingerprint()
    True
    >>> build_fingerprint() == build_fingerprint(sample=True)
    False
    """
    return f"{_program()}{', of the sample' * sample}"


@cache
def _program() -> str:
    code = hashlib.sha256()
    for room in _ROOMS:
        for file in _modules(files(room)):
            code.update(file.read_bytes() + b"\0")
    reads_with = ", ".join(f"{name} {_version(name)}" for name in _READS_WITH)
    return f"{code.hexdigest()[:16]} with {reads_with}"


def _modules(folder: Traversable) -> list[Traversable]:
    found = []
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            found += _modules(entry)
        elif entry.name.endswith(".py"):
            found.append(entry)
    return found


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"
