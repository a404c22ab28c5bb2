"""Exports the whole graph to a file in a given interchange format."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from graphs.store.reader import Store
from kb.errors import QuestionError
from kb.interchange import jsonl

FORMATS: dict[str, Callable[[Store, str], tuple[int, int]]] = {"jsonl": jsonl.write}


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What an export wrote.

    out: the file; `-` is standard output.
    format: the interchange format.
    nodes, edges: how many of each were written.
    """

    out: str
    format: str
    nodes: int
    edges: int

    def as_json(self) -> dict[str, Any]:
        """Return {"out", "format", "nodes", "edges"}, the object that `sansho export --json`
        prints."""
        return asdict(self)


def export(store: Store, out: str, form: str) -> ExportReport:
    """Write the whole graph to the file `out` (`-`: standard output) in the format `form`, a key of
    FORMATS such as `jsonl`. An existing file is replaced.

    Raises QuestionError if the format is unknown or if `out` is the knowledge base itself, and
    StoreError if the file can't be written.
    """
    if os.path.realpath(out) == os.path.realpath(store.path):
        raise QuestionError(f"{out} is the knowledge base itself; name another file")
    if form not in FORMATS:
        raise QuestionError(f"no format {form}; there is: {', '.join(FORMATS)}")
    nodes, edges = FORMATS[form](store, out)
    return ExportReport(out, form, nodes, edges)
