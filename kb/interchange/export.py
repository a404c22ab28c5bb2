"""The graph in the formats of other tools."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from typing import Any

from graphs.store.reader import Store
from kb.errors import QuestionError
from kb.interchange.jsonl import write


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What an export wrote, and where."""

    out: str
    format: str
    nodes: int
    edges: int

    def as_json(self) -> dict[str, Any]:
        """As `sansho export --json` prints it."""
        return asdict(self)


def export(store: Store, out: str, form: str) -> ExportReport:
    """Write the whole graph. Raises QuestionError for a format that is not known, and if it would
    take the place of the knowledge base."""
    if os.path.realpath(out) == os.path.realpath(store.path):
        raise QuestionError(f"{out} is the knowledge base itself; name another file")
    if form != "jsonl":
        raise QuestionError(f"no format {form}; there is: jsonl")
    nodes, edges = write(store, out)
    return ExportReport(out, form, nodes, edges)
