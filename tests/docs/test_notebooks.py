"""The notebooks run, with kb, networkx and pandas alone, and show what they were committed with."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from tests.notebooks import NOTEBOOKS, Cell, code, outputs, run

MAY_IMPORT = {"kb", "networkx", "pandas"}


def imported(cells: list[Cell]) -> set[str]:
    """The modules that cells import."""
    nodes = [node for cell in cells for node in ast.walk(ast.parse("".join(cell["source"])))]
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return names | {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}


def squeezed(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path: Path) -> None:
    """Texts, tables and pictures are the same. After a change: python -m tests.notebooks"""
    notebook = json.loads(path.read_text("utf-8"))
    cells = code(notebook)
    assert len(cells) >= 4 and imported(cells) <= MAY_IMPORT
    if "pandas" in imported(cells):
        pytest.importorskip("pandas")
    for count, (cell, shown) in enumerate(run(notebook), 1):
        for kept, new in zip(cell["outputs"], outputs(shown, count), strict=True):
            old, fresh = (one.get("data") or {"text": one["text"]} for one in (kept, new))
            assert old.keys() == fresh.keys()
            for form in old:
                assert squeezed("".join(old[form])) == squeezed("".join(fresh[form]))


def test_a_picture_is_kept_as_a_notebook_keeps_it() -> None:
    kept = [
        output["data"]
        for path in NOTEBOOKS
        for cell in code(json.loads(path.read_text("utf-8")))
        for output in cell["outputs"]
        if "image/svg+xml" in output.get("data", ())
    ]
    assert len(kept) >= 3
    for data in kept:
        svg = "".join(data["image/svg+xml"])
        assert svg.startswith("<svg") and len(svg) < 100_000
        assert "".join(data["text/plain"]).startswith("<a picture: ")
