"""Query results as tables: HTML for notebooks, plain text, data frames for pandas."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from kb.errors import QuestionError
from kb.reason import Reason

_CELL = "text-align:left;vertical-align:top;white-space:pre-line"


def table_row(**cells: object) -> dict[str, str]:
    """Return a row of a table: each cell as text, None as an empty string.

    >>> table_row(game="mtg", rank=1, label=None)
    {'game': 'mtg', 'rank': '1', 'label': ''}
    """
    return {name: "" if value is None else str(value) for name, value in cells.items()}


@dataclass(frozen=True, slots=True, repr=False)
class Table:
    """A table of text; `rows` are {name of a column: cell}, all with the same columns.

    Where it is displayed, columns without any text are left out, and a column `notice` is shown
    as notes below the table, each different text once. `rows` and `to_frame` have every cell.

    >>> first = table_row(game="mtg", number=None, label="引く")
    >>> Table((first, table_row(game="ygo", label="ドロー")))
    game | label
    mtg | 引く
    ygo | ドロー
    """

    rows: tuple[dict[str, str], ...]

    @property
    def columns(self) -> list[str]:
        """The names of the columns that are displayed, in order.

        They are in the order of the rows' keys. Columns that are empty in every row, and `notice`,
        are skipped.
        """
        filled = {name: None for row in self.rows for name, value in row.items() if value}
        ordered = dict.fromkeys(name for row in self.rows for name in row)
        return [name for name in ordered if name in filled and name != "notice"]

    @property
    def notices(self) -> list[str]:
        """The different notices about the sources of the rows, sorted."""
        return sorted({row["notice"] for row in self.rows if row.get("notice")})

    def __repr__(self) -> str:
        lines = [" | ".join(cells) for cells in [self.columns, *self._cells()] if cells]
        lines += [f"Note: {notice}" for notice in self.notices]
        return "\n".join(" ".join(line.split()) for line in lines) or "nothing found"

    def _repr_html_(self) -> str:
        """Return the table as HTML for a notebook, all text escaped.

        A table without rows becomes `<p>nothing found</p>`; notices are small paragraphs below it.
        """
        if not self.rows:
            return "<p>nothing found</p>"
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        body = "\n".join(
            "<tr>" + "".join(f'<td style="{_CELL}">{escape(cell)}</td>' for cell in cells) + "</tr>"
            for cells in self._cells()
        )
        notes = "".join(f"\n<p><small>{escape(notice)}</small></p>" for notice in self.notices)
        return f"<table>\n<tr>{head}</tr>\n{body}\n</table>{notes}"

    def to_frame(self) -> Any:
        """Return the rows as a pandas DataFrame of text: every column, `notice` and empty ones too.

        Raises QuestionError if pandas is not installed.
        """
        try:
            import pandas
        except ImportError:
            raise QuestionError("needs_pandas") from None
        return pandas.DataFrame(list(self.rows))

    def _cells(self) -> list[list[str]]:
        """Return the cells that are displayed, row by row, in the order of `columns`; the header is
        not among them."""
        columns = self.columns
        return [[row.get(name, "") for name in columns] for row in self.rows]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableResult:
    """A mixin for results that are also tables; a subclass defines `table`.

    taken_as: what references and editions were taken for that nothing has by the name that was
        given, and how; and what the answer had to do without, such as vectors of sentences.
    """

    taken_as: tuple[Reason, ...] = ()

    def table(self) -> Table:
        """Return the result as a table."""
        raise NotImplementedError

    def to_frame(self) -> Any:
        """Return the table as a pandas DataFrame.

        Raises QuestionError if pandas is not installed.
        """
        return self.table().to_frame()

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()
