"""Runs the notebooks as a reader does, cell after cell.

    python -m tests.notebooks [NAME…]

runs them (or those named) and saves what they show: read the difference before it is committed.
"""

from __future__ import annotations

import ast
import json
import os
import sys
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from pprint import pformat
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from tests.conftest import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
Cell = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Shown:
    """What a cell prints, and the value of its last line in the forms that a notebook shows."""

    printed: str
    text: str | None
    html: str | None
    svg: str | None


def code(notebook: dict[str, Any]) -> list[Cell]:
    """The cells that are run."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def run(notebook: dict[str, Any], base: str = "") -> Iterator[tuple[Cell, Shown]]:
    """Each cell that is run, in order, with what it shows: of the sample, or of `base`."""
    names: dict[str, Any] = {}
    for cell in code(notebook):
        # pandas cuts its tables at the terminal's edge. No rulebooks are beside the folder.
        with (
            patch.dict(os.environ, COLUMNS="200", SANSHO_KB=base),
            TemporaryDirectory() as folder,
            chdir(folder),
        ):
            shown = _run("".join(cell["source"]), names)
        yield cell, shown


def _run(source: str, names: dict[str, Any]) -> Shown:
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    with redirect_stdout(StringIO()) as printed:
        exec(compile(ast.Module(body, []), "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
    html, svg = (
        getattr(value, f"_repr_{form}_")() if hasattr(value, f"_repr_{form}_") else None
        for form in ("html", "svg")
    )
    # Jupyter breaks long lists into lines.
    text = pformat(value) if isinstance(value, list | tuple | dict | set) else repr(value)
    return Shown(printed.getvalue(), None if value is None else text, html, svg)


def outputs(shown: Shown, count: int) -> list[dict[str, Any]]:
    """What a cell shows, as a notebook keeps it."""
    found: list[dict[str, Any]] = []
    if shown.printed:
        lines = shown.printed.splitlines(keepends=True)
        found.append({"name": "stdout", "output_type": "stream", "text": lines})
    if shown.text is not None:
        data: dict[str, Any] = {}
        if shown.html is not None:
            data["text/html"] = shown.html.splitlines(keepends=True)
        if shown.svg is not None:
            data["image/svg+xml"] = shown.svg.splitlines(keepends=True)
        data["text/plain"] = shown.text.splitlines(keepends=True)
        found.append(
            {
                "data": dict(sorted(data.items())),
                "execution_count": count,
                "metadata": {},
                "output_type": "execute_result",
            }
        )
    return found


def save(path: Path) -> None:
    """Run a notebook and keep what it shows."""
    notebook = json.loads(path.read_text("utf-8"))
    for count, (cell, shown) in enumerate(run(notebook), 1):
        cell["execution_count"], cell["outputs"] = count, outputs(shown, count)
    path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    for path in NOTEBOOKS:
        if len(sys.argv) == 1 or path.stem in sys.argv[1:]:
            save(path)
            print(path)
