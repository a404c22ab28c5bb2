"""Query results as sequences: their length, items and slices, and a short description."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import ClassVar, Generic, TypeVar, overload
from unicodedata import east_asian_width

from kb.query.table_result import TableResult
from kb.wording import counted

Item = TypeVar("Item", covariant=True)

_ROWS_SHOWN = 3
_WIDEST = 100  # columns of a terminal that a line takes


class ListResult(TableResult, Generic[Item]):
    """A mixin for results that are also sequences: `len`, iteration, indexes and slices go by the
    items, and a result without items is false. A subclass defines `_items`, `_ITEM` and `table`.

    Its dataclass must not make a `__repr__` of its own.

    >>> from kb import sample
    >>> found = sample().path("121.2a", "616.1g", lang="ja", most=1)
    >>> len(found), len(found[0]), [len(path) for path in found[:5]], bool(found)
    (1, 3, [3], True)
    """

    __slots__ = ()
    _ITEM: ClassVar[str] = "item"  # what an item is called, in the singular

    def _items(self) -> Sequence[Item]:
        """Return the items, in order."""
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self._items())

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items())

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Item, ...]: ...
    def __getitem__(self, index: int | slice) -> Item | tuple[Item, ...]:
        items = self._items()
        return tuple(items[index]) if isinstance(index, slice) else items[index]

    def __repr__(self) -> str:
        """Return how many items there are and the first rows of the table, in a few lines."""
        head = _shortened(f"{type(self).__name__} {self._about()}")
        lines = [f"<{head}: {counted(len(self), self._ITEM)}>"]
        rows = self.table().rows
        for row in rows[:_ROWS_SHOWN]:
            cells = [cell for name, cell in row.items() if cell and name != "notice"]
            lines.append("  " + _shortened(" | ".join(cells)))
        if len(rows) > _ROWS_SHOWN:
            lines.append(f"  … {counted(len(rows) - _ROWS_SHOWN, 'more row')}; see .table()")
        return "\n".join(lines)

    def _about(self) -> str:
        """Return what the result is of, with a preposition; empty if it does not say."""
        return ""


def _shortened(text: str) -> str:
    """Return a text as one line, cut where it is too wide: Japanese characters take two columns."""
    line = " ".join(text.split())
    columns = accumulate(2 if east_asian_width(char) in "WF" else 1 for char in line[:_WIDEST])
    fitting = sum(width < _WIDEST for width in columns)
    return line if fitting == len(line) else line[:fitting] + "…"
