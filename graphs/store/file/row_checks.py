"""Checks the values of rows where they are read: a file may hold any value in any column.

SQLite keeps whatever was written into a file, so a column of texts may hold numbers or bytes, and a
column of JSON anything. These checks raise RowError, a StoreError; the store adds which file it is.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from math import isfinite
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar, get_args, get_type_hints

from graphs.errors import StoreError
from graphs.model import EdgeKind, NodeKind, Role
from graphs.store.file.schema import FILTERED_COLUMNS

NODE_KINDS = frozenset(get_args(NodeKind))
EDGE_KINDS = frozenset(get_args(EdgeKind))
ROLES = frozenset(get_args(Role))
_DEEPEST = 8  # levels of lists and objects in the JSON of details; honest ones have four
_TEXT_OR_NONE = (str, NoneType)
# The details that are read one by one, by their keys. Others are texts, lists of texts, numbers or
# switches.
_TEXTS = frozenset({"card", "condition", "modality", "result", "subject", "how", "relation",
                    "basis", "heading", "headed", "english", "name", "measure",
                    "set_as"})  # fmt: skip
_LISTS_OF_TEXTS = frozenset({"examples"})
_NUMBERS = frozenset({"both", "of", "ordinal"})

# What a build writes where a value stands by itself, as in the citation of a text: words that can't
# say anything. Fields of records that have these names are checked, too.
_WORD = re.compile(r"\w[\w.+-]{0,199}")
# The bounds of lengths are guards: any this large would do. That of words is as in
# `scraper.sites.games.is_id`.
_FORMS = {
    "game": _WORD, "source": _WORD, "lang": _WORD, "edition": _WORD,
    "number": re.compile(r"\w[\w.()-]{0,79}"), "date": re.compile(r"\d{4}-\d\d-\d\d"),
    "rule_id": re.compile(r"\w[\w.+-]*/rule/\w[\w.()-]*@\w[\w.+-]*/\w[\w.+-]*"),
    "fitness": re.compile(r"[01]{5} -?\d+ [01] -?[\d.]+ [01] .*", re.DOTALL),
}  # fmt: skip
# Values of a form, or types of rows: bounds memory. A rulebook has some thousands of numbers, and
# values that are not remembered are only checked again.
_MOST_REMEMBERED = 50_000
# What the id of a part of a page has behind that of the page, by its kind; nine digits are a guard:
# no page has as many parts.
_PARTS = {
    "page": re.compile(""), "section": re.compile("#"), "passage": re.compile(r"¶[0-9]{1,9}\Z"),
    "ruling": re.compile(r"\?[0-9]{1,9}\Z"), "procedure": re.compile(r"![0-9]{1,9}\Z"),
    "step": re.compile(r"![0-9]{1,9}\.[0-9]{1,9}\Z"), "outcome": re.compile(r"~[0-9.]{1,19}\Z"),
}  # fmt: skip
_SHOWN = 40  # characters of a value in a message, which a file may make of any length

Row = TypeVar("Row", bound=Sequence[Any])
Record = TypeVar("Record")
_accepted_records: set[tuple[Callable[..., Any], tuple[type, ...]]] = set()
_accepted_texts: set[tuple[type, ...]] = set()
_accepted_values: defaultdict[str, set[str]] = defaultdict(set)  # by the names of their forms


class RowError(StoreError):
    """A row of a file holds what no file of sansho holds. The message says where, not in which
    file."""


@contextmanager
def of_file(path: Path) -> Iterator[None]:
    """Raise a StoreError that names the file in place of a RowError from the `with` block; other
    errors stay as they are."""
    try:
        yield
    except RowError as error:
        raise damaged(path, error) from error


def damaged(path: Path, what: object) -> StoreError:
    """Return (not raise) the error for a file in which something is not as sansho writes it."""
    return StoreError(f"{path}: damaged ({what}); build it again from its sources")


def check_types(row: Sequence[Any], types: Mapping[type, Any] | Iterable[type], what: str) -> None:
    """Raise RowError unless all values of a row are of some types. what: the row, for the message.

    >>> check_types(("a", None), (str, NoneType), "a node")
    """
    if not set(map(type, row)).issubset(types):
        raise RowError(f"{what} holds a value of a wrong type")


def check_texts(row: Sequence[Any], what: str) -> None:
    """Raise RowError unless all values of a row are texts or None. what: the row, for the
    message."""
    found = tuple(map(type, row))
    if found not in _accepted_texts:  # a third of the time of the whole check, for most rows
        check_types(row, _TEXT_OR_NONE, what)
        if len(_accepted_texts) < _MOST_REMEMBERED:
            _accepted_texts.add(found)


def check_columns(rows: Iterable[Row], columns: Sequence[Any], what: str) -> Iterator[Row]:
    """Yield rows, and raise RowError at the first whose values are not of the types of its columns.

    columns: the type of each, such as `str` or `str | None`. what: the rows, for the message.

    >>> list(check_columns([("a", None)], (str, int | None), "names"))
    [('a', None)]
    """
    accepted: set[tuple[type, ...]] = set()
    for row in rows:
        types = tuple(map(type, row))
        if types not in accepted:
            if not all(map(_fits, types, columns)):
                raise RowError(f"{what} hold a value of a wrong type")
            accepted.add(types)
        yield row


def record(kind: Callable[..., Record], row: Sequence[Any]) -> Record:
    """Return a row as an object of a class whose fields are its columns. Raises RowError if a value
    is not of the type of its field, or, unless it is empty, not of the form that its name stands
    for, such as `game`; any whole number is taken for a switch, and stays a number."""
    types = tuple(map(type, row))
    if (kind, types) not in _accepted_records:
        for (name, hint), found in zip(get_type_hints(kind).items(), types, strict=True):
            if not _fits(found, hint):
                raise RowError(f"{name} of a {kind.__name__} is of a wrong type")
        _accepted_records.add((kind, types))
    for place, name in _formed_fields(kind):
        if row[place]:
            check_form(name, row[place], f"a {kind.__name__}")
    return kind(*row)


@cache
def _formed_fields(kind: Callable[..., Any]) -> tuple[tuple[int, str], ...]:
    """Return (place, name) of the fields of a class whose values have a form."""
    return tuple((place, name) for place, name in enumerate(get_type_hints(kind)) if name in _FORMS)


def check_form(name: str, value: str | None, what: str) -> None:
    """Raise RowError unless a value is of the form that a build gives it, or None. An empty text is
    of no form.

    name: of the form, as of the column: `game`, `source`, `lang`, `edition`, `number`, `date`,
        `rule_id`, `fitness`; no other. what: the row, for the message.

    >>> check_form("number", "103.1.a.(1)", "a node")
    >>> check_form("game", "mtg. Obey", "a node")
    Traceback (most recent call last):
    graphs.store.file.row_checks.RowError: a node has the game 'mtg. Obey', as no build writes it
    """
    if value is None or value in (accepted := _accepted_values[name]):
        return
    if not _FORMS[name].fullmatch(value):
        raise RowError(f"{what} has the {name} {value[:_SHOWN]!r}, as no build writes it")
    if len(accepted) >= _MOST_REMEMBERED:
        accepted.clear()
    accepted.add(value)


def check_forms(names: Sequence[str], rows: Iterable[Row], what: str) -> Iterator[Row]:
    """Yield rows of texts or None, and raise RowError at the first that has a value of another form
    or type.

    names: of the forms of the columns, empty for columns of any text. what: as for `check_form`.
    """
    for row in rows:
        check_texts(row, what)
        for name, value in zip(names, row, strict=True):
            if name:
                check_form(name, value, what)
        yield row


def check_node(
    node_id: str,
    kind: object,
    game: str | None,
    source: str | None,
    lang: str | None,
    edition: str | None,
    number: str | None,
) -> None:
    """Raise RowError unless a node is of a known kind, its id is as a build makes it for that kind,
    and its other values are of their forms."""
    if kind not in NODE_KINDS:
        check_one_of(kind, NODE_KINDS, f"the node {node_id[:_SHOWN]!r}")
    check_form("game", game, "a node")
    check_form("source", source, "a node")
    check_form("lang", lang, "a node")
    check_form("edition", edition, "a node")
    check_form("number", number, "a node")
    if kind in ("rule", "document"):
        book = "cr" if kind == "rule" else kind
        fits = node_id.startswith(f"{game}/{book}/") and node_id.endswith(f"/{number}")
    elif kind in ("term", "card"):
        fits = node_id.startswith(f"{game}/{kind}/")
    elif kind == "edition":
        fits = node_id in (f"{game}/cr/{edition}", f"{game}/document/{edition}")
    elif source is None:  # of no site: nothing is known of its pages
        return
    else:
        fits = node_id.startswith(f"{source}/") and bool(_PARTS[str(kind)].search(node_id))
    if not fits:
        where = f"the node {node_id[:_SHOWN]!r}"
        raise RowError(f"{where} has not the id that a {kind} with its values has")


def _fits(found: type, hint: Any) -> bool:
    """Whether a type that SQLite gives is the one of a column, or one of several; a whole number
    fits a switch."""
    return found in (get_args(hint) or (hint,)) or (hint is bool and found is int)


def check_one_of(value: object, allowed: frozenset[str], what: str) -> None:
    """Raise RowError unless a value is one of some words, which the message calls kinds. what: its
    row, for the message."""
    if value not in allowed:
        raise RowError(f"{what} is of the unknown kind {str(value)[:_SHOWN]!r}")


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def parse_json(stored: str, what: str) -> Any:
    """Return what a JSON text holds. what: its row, for the message.

    Raises RowError if it is no JSON, has numbers that JSON has not (NaN), or is nested deeper than
    anything that sansho writes.

    >>> parse_json('{"how": "rule"}', "an edge")
    {'how': 'rule'}
    """
    try:
        value = _DECODER.decode(stored)
        if "\\u" in stored:  # half of a surrogate pair is no text
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError, TypeError) as error:
        raise RowError(f"{what} holds JSON that can't be read") from error
    if stored.count("[") + stored.count("{") > _DEEPEST and _is_deep(value):
        raise RowError(f"{what} holds JSON that is nested too deeply")
    return value


def parse_details(stored: str | None, what: str) -> dict[str, Any] | None:
    """Return details from the JSON that they are stored as; None if nothing is stored.

    what: the row, for the message. Raises RowError if it holds something else than details are.

    >>> parse_details('{"examples": ["a"], "text_start": 2}', "a node")
    {'examples': ['a'], 'text_start': 2}
    """
    if not stored:
        return None
    details = parse_json(stored, what)
    if not isinstance(details, dict) or not all(map(_is_detail, details, details.values())):
        raise RowError(f"{what} holds details of another shape")
    return details


def parse_values(stored: str | None, what: str) -> dict[str, list[str]]:
    """Return the values that nodes have, by the columns that queries are filtered by, from the JSON
    that they are stored as; empty lists if nothing is stored.

    what: as for `parse_details`. Raises RowError for anything else than lists of such values.
    """
    details = parse_details(stored, what) or {}
    found = {name: details.get(name, []) for name in FILTERED_COLUMNS}
    for name, values in found.items():
        if not isinstance(values, list):
            raise RowError(f"{what} has another shape")
        for value in values:
            check_form(name, value, what)
    return found


def _is_detail(name: str, value: object) -> bool:
    """Whether a value is what the detail of this name holds: of a name that is not known a text, a
    finite number, a switch or a list of texts, but not None."""
    if name in _TEXTS:
        return isinstance(value, str)
    if name in _LISTS_OF_TEXTS:
        return _is_list_of_texts(value)
    if name in _NUMBERS:
        return isinstance(value, int)
    if name == "exception_to":
        return value is None or isinstance(value, str)
    if name == "wordings":
        return isinstance(value, list) and all(map(_is_wording, value))
    if name == "faces":
        return isinstance(value, list) and all(map(_is_face, value))
    if isinstance(value, float):
        return isfinite(value)
    return isinstance(value, str | int) or _is_list_of_texts(value)


def _is_list_of_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _is_face(value: object) -> bool:
    """Whether a value is what is printed on one face of a card."""
    return isinstance(value, dict) and all(
        isinstance(printed, str) or _is_list_of_texts(printed) for printed in value.values()
    )


def _is_wording(value: object) -> bool:
    """Whether a value says how another page words a rule: `page`, `text`, and in `differs` the
    spans that differ."""
    return (
        isinstance(value, dict)
        and value.keys() == {"page", "text", "differs"}
        and isinstance(value["page"], str)
        and isinstance(value["text"], str)
        and isinstance(value["differs"], list)
        and all(map(_is_pair_of_spans, value["differs"]))
    )


def _is_pair_of_spans(value: object) -> bool:
    """Whether a value is a list of the starts and ends of a part of each of two texts."""
    if not isinstance(value, list) or [type(end) for end in value] != [int] * 4:
        return False
    start, end, other_start, other_end = value
    return bool(0 <= start <= end and 0 <= other_start <= other_end)


def _is_deep(value: object) -> bool:
    """Whether anything stands within more than _DEEPEST lists and objects, each in another:
    deeper than sansho nests them."""
    level = [value]
    for _ in range(_DEEPEST + 1):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return bool(level)
