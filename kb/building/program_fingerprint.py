"""The fingerprint of the program and its libraries, which a knowledge base records."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.resources.abc import Traversable

from scraper import plugins

_PACKAGES = ("scraper", "graphs", "kb")
# Libraries whose version may change what is read from a source.
_LIBRARIES = ("beautifulsoup4", "lxml", "mwparserfromhell", "pyarrow", "pypdfium2",
              "snowballstemmer", "sudachidict_core", "sudachipy", "warcio")  # fmt: skip


def build_fingerprint(sample: bool = False) -> str:
    """Return a text that is the same for builds that give the same graph for the same sources.

    It has a hash of this program's modules, so that it changes with every change of the code (also
    of a comment, but not of data files) even if the version stays the same, and the versions of the
    libraries and plug-ins that read sources.

    sample: whether the bundled sample is built.

    >>> build_fingerprint() == build_fingerprint()
    True
    >>> build_fingerprint() == build_fingerprint(sample=True)
    False
    """
    return f"{_program_fingerprint()}{', of the sample' * sample}"


@cache
def _program_fingerprint() -> str:
    """Return the start of a hash of all modules, 16 digits in hex, and the versions of the
    libraries; these are enough to tell two versions apart. It is computed once in a process."""
    digest = hashlib.sha256()
    for package in _PACKAGES:
        for module in _modules(files(package)):
            digest.update(module.read_bytes() + b"\0")
    libraries = ", ".join(f"{name} {_version(name)}" for name in _LIBRARIES)
    others = f", {added}" if (added := plugins.fingerprint()) else ""
    return f"{digest.hexdigest()[:16]} with {libraries}{others}"


def _modules(folder: Traversable) -> list[Traversable]:
    """Return the `.py` files in a folder and the folders in it, at any depth, always in the same
    order."""
    modules = []
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            modules += _modules(entry)
        elif entry.name.endswith(".py"):
            modules.append(entry)
    return modules


def _version(name: str) -> str:
    """Return the version of an installed library, or `none`."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"
