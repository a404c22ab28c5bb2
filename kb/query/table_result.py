"""Results as tables: as a notebook shows them, and as pandas reads them."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from kb.errors import QuestionError

_CELL = "text-align:left;vertical-align:top;white-space:pre-line"


def table_row(**cells: object) -> dict[str, str]:
    """A row of a table, as text; what is None is empty.

    >>> table_row(game="mtg", rank=1, label=None)
    {'game': 'mtg', 'rank': '1', 'label': ''}
    """
    return {name: "" if value is None else str(value) for name, value in cells.items()}


@dataclass(frozen=True, slots=True, repr=False)
class Table:
    """Rows of the same columns. What is shown leaves out columns that are empty throughout, and
    says a `notice` once, below; `rows` and the frame have every cell.

    >>> first = table_row(game="mtg", number=None, label="引く")
    >>> Table((first, table_row(game="ygo", label="ドロー")))
    game | label
    mtg | 引く
    ygo | ドロー
    """

    rows: tuple[dict[str, str], ...]

    @property
    def columns(self) -> list[str]:
        """The columns in which something stands, but for the notice."""
        named = {name: None for one in self.rows for name, value in one.items() if value}
        ordered = dict.fromkeys(name for one in self.rows for name in one)
        return [name for name in ordered if name in named and name != "notice"]

    @property
    def notices(self) -> list[str]:
        """What a reader must be told of the sources of these rows."""
        return sorted({one["notice"] for one in self.rows if one.get("notice")})

    def __repr__(self) -> str:
        lines = [" | ".join(cells) for cells in [self.columns, *self._cells()] if cells]
        lines += [f"Note: {notice}" for notice in self.notices]
        return "\n".join(" ".join(line.split()) for line in lines) or "nothing found"

    def _repr_html_(self) -> str:
        """The table for a notebook. Every text of a page is escaped."""
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
        """The rows as a pandas DataFrame. Raises QuestionError where pandas is not installed."""
        try:
            import pandas
        except ImportError:
            raise QuestionError("a frame needs pandas: pip install pandas") from None
        return pandas.DataFrame(list(self.rows))

    def _cells(self) -> list[list[str]]:
        columns = self.columns
        return [[one.get(name, "") for name in columns] for one in self.rows]


class TableResult:
    """A result that is also a table: it says its rows in `table`, the rest follows."""

    __slots__ = ()

    def table(self) -> Table:
        """The result as rows of plain text."""
        raise NotImplementedError

    def to_frame(self) -> Any:
        """The table as a pandas DataFrame. Raises QuestionError where pandas is not installed."""
        return self.table().to_frame()

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()
