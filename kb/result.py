"""What a result has: its fields, declared once, and from them its JSON document, its table and its
short description.

A result is a frozen dataclass. `reported` makes a property a part of its document; a field with the
metadata `UNREPORTED` is left out, and one with `ID_ALONE` has the ids of its nodes. `columns`
declares the table. The reference in docs reads the same declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import accumulate
from typing import Any, ClassVar, Generic, TypeVar, overload
from unicodedata import east_asian_width

from kb.errors import QuestionError
from kb.reason import Reason
from kb.shared_wording import counted

Item = TypeVar("Item", covariant=True)

_CELL = "text-align:left;vertical-align:top;white-space:pre-line"
_ROWS_SHOWN = _LEFT_OUT_SHOWN = 3  # for display: a result is some lines in a session of Python
_WIDEST = 100  # columns of a terminal that a line takes, for display


# -- fields ----------------------------------------------------------------------------------------


class _Reported(property):
    """A property that is a field of the result's document, too, by the name `called`."""

    called = ""


def reported(get: Callable[[Any], Any]) -> property:
    """Return a property that is a field of the result's document, too."""
    return _Reported(get)


def reported_as(name: str) -> Callable[[Callable[[Any], Any]], property]:
    """Return a decorator like `reported`, for a field with another name than the property's."""

    def decorate(get: Callable[[Any], Any]) -> property:
        made = _Reported(get)
        made.called = name
        return made

    return decorate


UNREPORTED: Mapping[str, Any] = {"json": None}
"""The metadata of a dataclass's field that is left out of the document."""

ID_ALONE: Mapping[str, Any] = {"json": "id"}
"""The metadata of a field of which the document has the id of each node, and not the whole."""


@cache
def reported_fields(result: Hashable) -> Mapping[str, str]:
    """Return {field of a dataclass's document: where it is}, a path as for `attribute`: the fields
    in the order of their declaration, then the reported properties."""
    assert isinstance(result, type)
    declared = result.__dataclass_fields__  # type: ignore[attr-defined]
    parts = {name: each.metadata.get("json", "") for name, each in declared.items()}
    found = {
        name: f"{name}.{part}" if part else name for name, part in parts.items() if part is not None
    }
    for each in reversed(result.__mro__):
        for name, value in vars(each).items():
            if isinstance(value, _Reported):
                found[value.called or name] = name
    return found


def document(value: Any) -> Any:
    """Return a value as JSON has it: the reported fields of a dataclass by their names, and what
    has an `as_json` of its own by that. Sets are sorted; any other iterable is a list.

    >>> document(Reason("no_rule_number", given="x"))["reason"], document(("a", None))
    ('no_rule_number', ['a', None])
    """
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(name): document(each) for name, each in value.items()}
    if isinstance(value, set | frozenset):
        value = sorted(value)
    if isinstance(value, Iterable):
        return [document(each) for each in value]
    if hasattr(value, "as_json"):
        return value.as_json()
    return fields_document(value)


def fields_document(value: Any) -> dict[str, Any]:
    """Return the document of a dataclass: {name: value} of its reported fields, in their order."""
    paths = reported_fields(type(value))  # type: ignore[arg-type]
    return {name: document(attribute(value, path)) for name, path in paths.items()}


def attribute(value: Any, path: str) -> Any:
    """Return what a path of attributes leads to; through a sequence, that of each of its members,
    and None where there is nothing.

    >>> attribute(Reason("no_rule_number", given="x"), "values.given")
    'x'
    """
    for name in filter(None, path.split(".")):
        if isinstance(value, tuple | list):
            value = tuple(attribute(each, name) for each in value)
        elif isinstance(value, Mapping):
            value = value.get(name)
        else:
            value = getattr(value, name, None)
    return value


# -- tables ----------------------------------------------------------------------------------------

Compute = Callable[[Any, Any], object]  # from the result and an item of it


def columns(paths: str, **computed: Compute) -> Mapping[str, str | Compute]:
    """Return the declaration of a table: each column by its name.

    paths: `name=path` of each column, or `name` where the path is the same: attributes of an item,
        as for `attribute`.
    computed: instead of a column's path, a function from the result and an item; columns that are
        not among the paths stand behind them.

    >>> list(columns("number=node.number text", text=lambda _result, item: item.text.strip()))
    ['number', 'text']
    """
    declared: dict[str, str | Compute] = {}
    for each in paths.split():
        name, _, path = each.partition("=")
        declared[name] = path or name
    return declared | computed


@dataclass(frozen=True, slots=True, repr=False)
class Table:
    """A table; `cells` are {name of a column: value} of each row, all with the same columns, whose
    names are `declared`.

    Where it is displayed, columns without any text are left out, and a column `notice` is shown
    as notes below the table, each different text once. `rows` and `to_frame` have every cell.

    >>> Table(({"game": "mtg", "label": "引く"}, {"game": "ygo", "label": "ドロー"}))
    game | label
    mtg | 引く
    ygo | ドロー
    """

    cells: tuple[Mapping[str, Any], ...]
    declared: tuple[str, ...] = ()

    @property
    def rows(self) -> tuple[dict[str, str], ...]:
        """The cells as text, what is missing as an empty one."""
        return tuple({name: _text(value) for name, value in row.items()} for row in self.cells)

    @property
    def columns(self) -> list[str]:
        """The names of the columns that are displayed, in order: those with text in any row, but
        for `notice`."""
        filled = {name for row in self.rows for name, value in row.items() if value}
        ordered = dict.fromkeys(name for row in self.cells for name in row)
        return [name for name in ordered if name in filled and name != "notice"]

    @property
    def notices(self) -> list[str]:
        """The different notices about the sources of the rows, sorted."""
        return sorted({row["notice"] for row in self.rows if row.get("notice")})

    def __repr__(self) -> str:
        lines = [" | ".join(cells) for cells in [self.columns, *self._displayed()] if cells]
        lines += [f"Note: {notice}" for notice in self.notices]
        return "\n".join(" ".join(line.split()) for line in lines) or "nothing found"

    def _repr_html_(self) -> str:
        """Return the table as HTML for a notebook, all text escaped; notices are small paragraphs
        below it."""
        if not self.cells:
            return "<p>nothing found</p>"
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        body = "\n".join(
            "<tr>" + "".join(f'<td style="{_CELL}">{escape(cell)}</td>' for cell in cells) + "</tr>"
            for cells in self._displayed()
        )
        notes = "".join(f"\n<p><small>{escape(notice)}</small></p>" for notice in self.notices)
        return f"<table>\n<tr>{head}</tr>\n{body}\n</table>{notes}"

    def to_frame(self) -> Any:
        """Return the cells as a pandas DataFrame: every column, `notice` and empty ones, too.
        Numbers are numbers, several values of a cell one text, and NaN is what is missing. A frame
        without rows has the columns, too.

        Raises QuestionError if pandas is not installed.
        """
        try:
            import pandas
        except ImportError:
            raise QuestionError("needs_pandas") from None
        rows = [{name: _value(value) for name, value in row.items()} for row in self.cells]
        return pandas.DataFrame(rows, columns=list(self.declared) or None)

    def _displayed(self) -> list[list[str]]:
        """Return the cells that are displayed, row by row, in the order of `columns`."""
        names = self.columns
        return [[row.get(name, "") for name in names] for row in self.rows]


def _value(value: Any) -> Any:
    """Return a cell as a data frame has it: NaN for None, "" and (), numbers as they are, all else
    as text."""
    if value is None or value in ("", ()):
        return float("nan")
    return value if isinstance(value, int | float) else _text(value)


def _text(value: Any) -> str:
    """Return a cell as text: several values with commas between them, each once; or semicolons, if
    a value has a comma itself."""
    if isinstance(value, tuple | list):
        texts = dict.fromkeys(_text(each) for each in value if each is not None)
        return ("; " if any(", " in text for text in texts) else ", ").join(texts)
    return "" if value is None else str(value)


# -- results ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What all results have: a document, and what was taken for something else.

    taken_as: what references and editions were taken for that nothing has by the name that was
        given, and how; and what the answer had to do without, such as vectors of sentences.
    """

    taken_as: tuple[Reason, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the object that the command prints with `--json`: the fields by their names."""
        return fields_document(self)


class ListResult(Result, Generic[Item]):
    """A mixin for results that are also sequences and tables: `len`, iteration, indexes and slices
    go by the items, and a result without items is false. A subclass says in its header which field
    has the items and what one is called, in the singular, and defines `_COLUMNS`.

    Its dataclass must not make a `__repr__` of its own.

    >>> from kb import sample
    >>> found = sample().path("121.2a", "616.1g", lang="ja", most=1)
    >>> len(found), len(found[0]), [len(path) for path in found[:5]], bool(found)
    (1, 3, [3], True)
    """

    __slots__ = ()
    _ITEMS: ClassVar[str]
    _ITEM: ClassVar[str]
    _COLUMNS: ClassVar[Mapping[str, str | Compute]] = {}

    def __init_subclass__(cls, items: str = "", item: str = "") -> None:
        """items: the field that has the items. item: what one is called."""
        if items:  # not where `dataclass` makes the class again, with slots
            cls._ITEMS, cls._ITEM = items, item

    def _items(self) -> Sequence[Item]:
        """Return the items, in order: the value of the field that the class names."""
        found: Sequence[Item] = getattr(self, self._ITEMS)
        return found

    def _rows(self) -> Iterable[Any]:
        """Return what each row of the table is of: the items, unless a subclass says otherwise; or,
        without `_COLUMNS`, the rows themselves."""
        return self._items()

    def table(self) -> Table:
        """Return the result as a table."""
        return Table(tuple(map(self._row, self._rows())), self._column_names())

    def _column_names(self) -> tuple[str, ...]:
        return tuple(self._COLUMNS)

    def _row(self, item: Any) -> Mapping[str, Any]:
        if not self._COLUMNS:
            return item  # type: ignore[no-any-return]  # a row by itself
        return {
            name: attribute(item, path) if isinstance(path, str) else path(self, item)
            for name, path in self._COLUMNS.items()
        }

    def to_frame(self) -> Any:
        """Return the table as a pandas DataFrame; QuestionError if pandas is not installed."""
        return self.table().to_frame()

    def _repr_html_(self) -> str:
        said = "".join(f"<p>{escape(str(reason))}</p>\n" for reason in self.taken_as)
        return said + self.table()._repr_html_()

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
        """Return how many items there are, the first rows of the table, and what else there is."""
        head = _shortened(f"{type(self).__name__} {self._about()}")
        lines = [f"<{head}: {counted(len(self), self._ITEM)}>", *map(str, self.taken_as)]
        rows = self.table().rows
        for row in rows[:_ROWS_SHOWN]:
            cells = [cell for name, cell in row.items() if cell and name != "notice"]
            lines.append("  " + _shortened(" | ".join(cells)))
        if len(rows) > _ROWS_SHOWN:
            lines.append(f"  … {counted(len(rows) - _ROWS_SHOWN, 'more row')}; see .table()")
        return "\n".join([*lines, *self._what_else()])

    def _what_else(self) -> Iterator[str]:
        """Yield that there is more, and the first things that were left out, a line each: whole, as
        they end with the question that gives it."""
        if more := getattr(self, "more", None):
            yield f"  {more}"
        left_out = getattr(self, "also", ())
        yield from (f"  also: {each}" for each in left_out[:_LEFT_OUT_SHOWN])
        if len(left_out) > _LEFT_OUT_SHOWN:
            yield f"  also: … {len(left_out) - _LEFT_OUT_SHOWN} more; see .also"

    def _about(self) -> str:
        """Return what the result is of, with a preposition; empty if it does not say."""
        return ""


def _shortened(text: str) -> str:
    """Return a text as one line, cut, with … at its end, where it has 100 columns or more: Japanese
    characters take two."""
    line = " ".join(text.split())
    widths = accumulate(2 if east_asian_width(char) in "WF" else 1 for char in line[:_WIDEST])
    fitting = sum(width < _WIDEST for width in widths)
    return line if fitting == len(line) else line[:fitting] + "…"
