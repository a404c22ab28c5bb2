"""The notebooks run, with `import kb` alone, and show what they were committed with."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def cells(path: Path) -> list[dict[str, Any]]:
    return [c for c in json.loads(path.read_text("utf-8"))["cells"] if c["cell_type"] == "code"]


def run(
    source: str, names: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> tuple[str, str | None]:
    """Run a cell; what it prints and the value of its last line, as a notebook shows them; that
    value as HTML, if it has such a form."""
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "cell", "exec"), names)
    value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
    html = value._repr_html_() if hasattr(value, "_repr_html_") else None
    return capsys.readouterr().out + ("" if value is None else repr(value)), html


def squeezed(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    assert len(cells(path)) >= 4
    for cell in cells(path):
        source = "".join(cell["source"])
        imports = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Import)]
        assert {alias.name for node in imports for alias in node.names} <= {"kb"}
        committed = "".join(
            "".join(output.get("text") or output["data"]["text/plain"])
            for output in cell["outputs"]
        )
        pictured = [
            "".join(output["data"]["text/html"])
            for output in cell["outputs"]
            if "text/html" in output.get("data", ())
        ]
        text, html = run(source, names, capsys)
        assert squeezed(text) == squeezed(committed)
        assert pictured == [html] * (html is not None)
