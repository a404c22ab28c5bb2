"""The notebooks run, with kb, networkx, pandas and Python's own modules alone, and show what they
were committed with."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path

import pytest

import kb
from tests.notebooks import NOTEBOOKS, Cell, code, outputs, run

MAY_IMPORT = {"kb", "networkx", "pandas", *sys.stdlib_module_names}
OF_ANY_BASE = ("what_the_last_five_editions_did", "one_word_through_four_games")


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


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.parametrize("name", OF_ANY_BASE)
def test_notebook_of_real_rulebooks(rules_and_pages: kb.KnowledgeBase, name: str) -> None:
    """It says what it is of, and asks that; the repository keeps nothing of it."""
    [path] = [path for path in NOTEBOOKS if path.stem == name]
    shown = [of for _, of in run(json.loads(path.read_text("utf-8")), str(rules_and_pages.file))]
    assert "Your" in shown[0].printed and "sample" not in shown[0].printed
    assert sum(each.svg is not None for each in shown) >= 2


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
