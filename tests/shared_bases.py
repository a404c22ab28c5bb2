"""Knowledge bases that several files of tests ask: each is built once in a run of the tests."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import pytest
from filelock import FileLock

import kb

# The sources of the base that most tests on real rules ask. Built in the shared folder, with these
# paths, so that no path of the machine is printed.
RULES_AND_PAGES = ("seeds", "corpora/mtg-cr-en", "corpora/mtg-cr-ja")

# And of the base of English rulebooks alone, with editions that are older.
ENGLISH_RULES = (
    "corpora/mtg-cr-en-older/MagicCompRules_20200124.txt",
    "corpora/mtg-cr-en-older/MagicCompRules_20220218.txt",
    "corpora/mtg-cr-en/MagicCompRules_20231117.txt",
)


def folder_of_run(factory: pytest.TempPathFactory) -> Path:
    """Return a folder that all processes of this run of the tests have in common."""
    base = factory.getbasetemp()  # of a worker of xdist: a folder within that of the run
    folder = (base.parent if base.name.startswith("popen-") else base) / "shared_bases"
    folder.mkdir(exist_ok=True)
    return folder


def built_once(folder: Path, sources: Sequence[Path]) -> Path:
    """Return the file of the knowledge base of some sources, built by the first that asks for it.

    Whoever asks for it meanwhile waits: nothing is gained by building it beside another. It is
    only to be read.
    """
    name = sha256("\n".join(map(str, sources)).encode()).hexdigest()[:16]
    path = folder / f"{name}.db"
    with FileLock(path.with_suffix(".lock")):
        if not path.exists():
            kb.build(list(sources), path)
    return path


def built_of_rules_and_pages(folder: Path, shared: Path) -> Path:
    """Return the file of the knowledge base of `RULES_AND_PAGES`."""
    with contextlib.chdir(shared):
        return built_once(folder, [Path(source) for source in RULES_AND_PAGES])
