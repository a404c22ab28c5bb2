"""Failing inputs on disk: one folder each, with its pieces, its traceback and how to repeat it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from benchmarks.fuzz.case import Case, Piece

_DESCRIPTION, _TRACEBACK = "case.json", "failure.txt"


def keep(
    folder: Path, target: str, seed: int, number: int, case: Case, kind: str, why: str
) -> Path:
    """Write a failing case into a folder of its own in `folder`, and return that.

    kind: how it fails, in short; why: the traceback.
    """
    short = re.sub(r"[^a-z0-9]+", "-", kind.lower()).strip("-")[:60]
    place = folder / f"{target}-{seed}-{number}-{short}"
    place.mkdir(parents=True, exist_ok=True)
    pieces = []
    for index, piece in enumerate(case):
        file = f"{index}{_suffix(piece.name)}"
        (place / file).write_bytes(piece.data)
        pieces.append({"name": piece.name, "file": file, "about": dict(piece.about)})
    described = {"target": target, "seed": seed, "number": number, "kind": kind, "pieces": pieces}
    (place / _DESCRIPTION).write_text(json.dumps(described, indent=1), "ascii")
    repeat = f"python -m benchmarks.fuzz {target} --seed {seed} --only {number}"
    again = f"python -m benchmarks.fuzz --again {place}"
    text = f"{kind}\n\nAs it was: {repeat}\nAs it is here: {again}\n\n{why}"
    (place / _TRACEBACK).write_text(text, "utf-8", "backslashreplace")
    return place


def _suffix(name: str) -> str:
    found = re.search(r"\.[A-Za-z0-9]{1,8}$", name)
    return found[0] if found else ".bin"


def kept_cases(folder: Path) -> Iterator[tuple[str, Path, Case]]:
    """Yield (target, folder, case) of each case that was kept in a folder or below."""
    for file in sorted(folder.rglob(_DESCRIPTION)):
        described = json.loads(file.read_text("ascii"))
        yield (
            described["target"],
            file.parent,
            tuple(
                Piece(one["name"], (file.parent / one["file"]).read_bytes(), one["about"])
                for one in described["pieces"]
            ),
        )
