"""The results and the columns in docs/sql.md.

    python -m tests.sql_recipes

runs each recipe on the bundled sample, writes its result below it, and the columns of the views
from `graphs.store.file.sql_views`: read the difference before it is committed.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import kb
from graphs.store.file import sql_views
from tests.conftest import ROOT

PAGE = ROOT / "docs" / "sql.md"
# A recipe, and the table below it if there is one. DuckDB's own block ends its lines with `;`.
_RECIPE = re.compile(
    r"^```sql\n(?P<query>[^;]+?)\n```\n(?:\n(?:\|.*\n|No rows.*\n)+)?", re.MULTILINE
)
_NO_ROWS = "No rows in the sample.\n"
_COLUMNS = re.compile(r"(?<=-->\n).*?(?=<!-- end -->)", re.DOTALL)
_VIEW = re.compile(r"^(\w+): (.+(?:\n(?! ).+)*)\n((?:    .*\n)+)", re.MULTILINE)
_COLUMN = re.compile(r"^    (\w[\w, ]*): (.+(?:\n        .+)*)", re.MULTILINE)


def views() -> Iterator[tuple[str, str, list[tuple[list[str], str]]]]:
    """Yield (name, what a row is, [(columns, what they hold)]) of each view, as documented."""
    for name, what, columns in _VIEW.findall(sql_views.__doc__ or ""):
        yield (
            name,
            _joined(what),
            [(names.split(", "), _joined(text)) for names, text in _COLUMN.findall(columns)],
        )


def recipes(page: str) -> list[str]:
    """The queries of the page that are run."""
    return [found["query"] for found in _RECIPE.finditer(page)]


def opened(path: Path) -> closing[sqlite3.Connection]:
    """A connection to a file as the page says that it be opened."""
    return closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True))


def current(page: str) -> str:
    """The page with results and columns as they are now."""
    with kb.sample() as base, opened(base.file) as db:

        def with_result(found: re.Match[str]) -> str:
            return f"```sql\n{found['query']}\n```\n\n{_result(db, found['query'])}"

        page = _RECIPE.sub(with_result, page)
    columns = "".join(_described(*view) for view in views())
    return _COLUMNS.sub(lambda _: f"\n{columns}", page)


def _result(db: sqlite3.Connection, query: str) -> str:
    found = db.execute(query)
    rows = found.fetchall()
    return _table([name for name, *_ in found.description], rows) if rows else _NO_ROWS


def _described(name: str, what: str, columns: list[tuple[list[str], str]]) -> str:
    rows = [(", ".join(f"`{column}`" for column in names), text) for names, text in columns]
    return f"### `{name}`\n\n{what[:1].upper()}{what[1:]}\n\n{_table(['column', 'what'], rows)}\n"


def _table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(_cell, line))} |\n" for line in lines)


def _cell(value: object) -> str:
    return "" if value is None else str(value).replace("|", "\\|").replace("\n", " ")


def _joined(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    PAGE.write_text(current(PAGE.read_text("utf-8")), "utf-8")
