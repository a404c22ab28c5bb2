"""The schemas of the documents that tools give beside their texts: made from the fields of results,
with what every tool adds."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from dataclasses import is_dataclass
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

# Not that of `typing`: pydantic can't read it before Python 3.12.
from typing_extensions import TypedDict

import kb

JsonObject = dict[str, Any]


class _PublicNames(dict[str, Any]):
    """The public names, which modules may import for type checkers alone; each when it is used."""

    def __missing__(self, name: str) -> Any:
        if name not in dir(kb):
            raise KeyError(name)
        return getattr(kb, name)


_PUBLIC = _PublicNames()
_STATUS = Literal["resolved", "dangling"]


class LabelShape(TypedDict):
    lang: str
    text: str
    role: str


class ReasonShape(TypedDict):
    reason: str
    values: JsonObject
    ask: JsonObject | None


class LeftOutShape(ReasonShape):
    id: str | None


def shape(result: type, **more: Any) -> Any:
    """Return the type of a tool's document: the fields of a result as JSON has them, `more` and
    `notices`, which every document has, and others.

    more: fields that the tool adds or gives otherwise.

    >>> list(shape(kb.Comparison).__annotations__)[-2:]
    ['more', 'notices']
    """
    added = {**more, "more": str | None, "notices": list[str]}
    return TypedDict(f"{result.__name__}Shape", _fields(result) | added)  # type: ignore[operator]


def _fields(result: Any) -> dict[str, Any]:
    hints = get_type_hints(result, localns=_PUBLIC)
    found: dict[str, Any] = {}
    for name, path in kb.reported_fields(result).items():
        first, _, part = path.partition(".")
        if first in hints:
            hint = hints[first]
        else:
            hint = get_type_hints(getattr(result, first).fget, localns=_PUBLIC)["return"]
        found[name] = _only_ids(hint) if part == "id" else json_type(hint)
    return found


def _only_ids(hint: Any) -> Any:
    return list[str] if get_origin(hint) is tuple else str


@cache
def json_type(hint: Any) -> Any:
    """Return the type that a field of some type has in a document."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return Union[tuple(map(json_type, inner))]  # noqa: UP007 -- made when it runs
    if origin is Literal or hint in (str, int, float, bool, Any, type(None)):
        return hint
    if hint is kb.Reason:
        return ReasonShape
    if hint is kb.LeftOut:
        return LeftOutShape
    if hint is kb.Node:
        own = {name: json_type(each) for name, each in get_type_hints(kb.Node).items()}
        given = {"labels": list[LabelShape], "named_by": list[JsonObject]}
        return TypedDict("NodeShape", own | given)  # type: ignore[operator]
    if hint is kb.Edge:
        own = {name: json_type(each) for name, each in get_type_hints(kb.Edge).items()}
        return TypedDict("EdgeShape", own | {"status": _STATUS})  # type: ignore[operator]
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return dict[str, json_type(inner[1]) if len(inner) > 1 else Any]  # type: ignore[misc]
    if isinstance(origin, type) and issubclass(origin, typing.Iterable):
        members = {json_type(each) for each in inner if each is not Ellipsis}
        return list[Union[tuple(members)]] if members else list[Any]  # type: ignore[misc] # noqa: UP007
    if is_dataclass(hint):
        return TypedDict(f"{getattr(hint, '__name__', '')}Shape", _fields(hint))  # type: ignore[operator]
    return Any
