"""The schemas of JSON documents, made of the declared fields of results: for JSON Schema here, and
for the OpenAPI document of the explorer (`kb.web.openapi`)."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from inspect import getdoc
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import kb
from kb.interchange.csv_terms import COLUMNS
from kb.reason import Ask, LeftOut, Reason
from kb.result import reported_fields

_FREE = {"type": "object", "additionalProperties": True}
_SIMPLE: Mapping[Any, Mapping[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    Any: {},
}


@dataclass(frozen=True, slots=True)
class NodeName:
    """A name of a node, as documents have it."""

    lang: str
    text: str
    role: Literal["preferred", "alias", "redirect", "abbreviation", "listed", "reading", "proposed"]


@dataclass(frozen=True, slots=True)
class NamedBy:
    """The ids of passages that give a node one of its names."""

    lang: str
    text: str
    passages: Sequence[str]


# What `as_json` of a type gives beside its declared fields, or otherwise than these declare it.
_OWN: Mapping[type, Mapping[str, Any]] = {
    kb.Node: {"labels": Sequence[NodeName], "named_by": Sequence[NamedBy]},
    kb.Edge: {"status": Literal["resolved", "dangling"]},
}
# And of types that declare no fields: the whole.
_WHOLE: Mapping[type, Mapping[str, Any]] = {
    Ask: {"question": str, "arguments": Mapping[str, Any]},
    Reason: {"reason": str, "values": Mapping[str, Any], "ask": Ask | None},
    LeftOut: {"id": str | None, "reason": str, "values": Mapping[str, Any], "ask": Ask | None},
    kb.Picture: {"nodes": int, "edges": int, "left_out": int, "also": Sequence[LeftOut]},
}
# The commands that print what the method of `KnowledgeBase` of the same name returns; and others.
_METHODS = (
    "show", "refs", "path", "top", "search", "kwic", "ask", "compare", "diff", "changes", "impact",
    "align", "steps", "outcomes", "rulings", "terms", "termbase", "decide", "match", "check",
    "draw", "stats", "audit", "export",
)  # fmt: skip


class Names(dict[str, Any]):
    """The public names, which modules may import for type checkers alone; each when it is used."""

    def __missing__(self, name: str) -> Any:
        if name not in dir(kb):
            raise KeyError(name)
        return getattr(kb, name)


class TypeSchemas:
    """The schemas of types. What has fields is among `named`, by its name, and is referred to.

    place: what a reference begins with, such as `#/$defs/`.

    >>> TypeSchemas("#/$defs/").of(tuple[str, ...] | None)
    {'anyOf': [{'type': 'array', 'items': {'type': 'string'}}, {'type': 'null'}]}
    """

    def __init__(self, place: str) -> None:
        self._place = place
        self.named: dict[str, dict[str, Any]] = {}

    def of(self, hint: Any) -> dict[str, Any]:
        """Return the schema of a type."""
        if isinstance(hint, type) and (is_dataclass(hint) or hint in _WHOLE):
            return self._reference(hint)
        origin, inner = get_origin(hint), get_args(hint)
        if hint in _SIMPLE:
            return dict(_SIMPLE[hint])
        if origin is Literal:
            return {"enum": [*inner]}
        if origin in (Union, types.UnionType):
            return {"anyOf": [self.of(each) for each in inner]}
        if isinstance(origin, type) and issubclass(origin, Mapping):
            return {"type": "object", "additionalProperties": self.of(inner[1])}
        if isinstance(origin, type) and issubclass(origin, Iterable):
            members = [self.of(each) for each in inner if each is not Ellipsis]
            one = {"anyOf": members} if len(members) > 1 else members[0]
            return {"type": "array", "items": one}
        return dict(_FREE) if hasattr(hint, "as_json") else {}

    def _reference(self, to: type) -> dict[str, Any]:
        name = to.__name__
        if name not in self.named:
            self.named[name] = {}  # before its fields, which may be of the same type
            fields = {field: self.of(hint) for field, hint in _fields(to).items()}
            self.named[name] = {
                "type": "object",
                "description": " ".join((getdoc(to) or "").partition("\n\n")[0].split()),
                "properties": fields,
                "required": [*fields],
            }
        return {"$ref": f"{self._place}{name}"}


def _fields(of: type) -> Mapping[str, Any]:
    """Return {field of a type's document: its type}."""
    if of in _WHOLE:
        return _WHOLE[of]
    # A module's own name is before a public one: two are called `Reason`.
    hints = get_type_hints(of, localns=Names(vars(sys.modules[of.__module__])))
    declared = {field: _hint(of, path, hints) for field, path in reported_fields(of).items()}
    return {**declared, **_OWN.get(of, {})}


def _hint(of: type, path: str, hints: Mapping[str, Any]) -> Any:
    """Return the type of what a path of attributes leads to; Any where it is not declared."""
    name, _, rest = path.partition(".")
    if rest:  # `id`, of one node or of several
        if get_origin(hints[name]) is not tuple:
            return str | None
        some_lack = any(type(None) in get_args(each) for each in get_args(hints[name]))
        return Sequence[str | None] if some_lack else Sequence[str]
    if name in hints:
        return hints[name]
    found = next((vars(each)[name] for each in of.__mro__ if name in vars(each)), None)
    if isinstance(found, property) and found.fget:
        return get_type_hints(found.fget, localns=Names()).get("return", Any)
    return Any


def json_schema() -> dict[str, Any]:
    """Return a JSON Schema (2020-12) of what sansho writes: an object with one property, which
    says what its value is.

    `node` and `edge` are the lines of an export as JSON Lines, which fit as they are. Under the
    name of each command is the document that it prints with `--json`; under `row` a row of an
    export as CSV; under `error` the document of a question that has no answer. Fields may be
    added in later versions; a document without a required field is of another one.

    >>> [*json_schema()["properties"]][:3]
    ['node', 'edge', 'row']
    """
    schemas = TypeSchemas("#/$defs/")

    commands = {
        name: get_type_hints(getattr(kb.KnowledgeBase, name), localns=Names())["return"]
        for name in (*_METHODS, "trace", "package", "verify")
    } | {
        "build": kb.BuildReport,
        "update": kb.UpdateReport,
        "crawl": kb.CrawlReport,
        "near": kb.VectorReport,
        "demo": kb.Answers,
        "plugins": kb.Plugins,
    }
    commands["trace"] |= kb.UnsureMatches
    commands["package"] |= kb.ReturnedPackage
    properties = {
        "node": schemas.of(kb.Node),
        "edge": schemas.of(kb.Edge),
        "row": {
            "type": "object",
            "properties": dict.fromkeys(COLUMNS, _SIMPLE[str]),
            "required": [*COLUMNS],
        },
        "error": schemas.of(Reason),
        **{name: schemas.of(hint) for name, hint in sorted(commands.items())},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What sansho writes",
        "description": "An object with one property: what its value is.",
        "type": "object",
        "properties": properties,
        "$defs": dict(sorted(schemas.named.items())),
    }
