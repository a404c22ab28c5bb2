"""The interface for programs as an OpenAPI document, made of what is declared: the questions of
`KnowledgeBase` with their arguments, and the fields of their answers."""

from __future__ import annotations

import types
from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass
from functools import cache
from inspect import Parameter, Signature, getdoc, signature
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import kb
from kb.reason import Argument
from kb.result import ListResult, reported_fields
from kb.web.addresses import asked_parameters
from kb.web.interface_language import LANGUAGES
from kb.web.interface_words import FIELDS_IN_WORDS

# The questions that a page of the same name answers, each by its method.
QUESTIONS = (
    "show", "refs", "path", "search", "suggest", "kwic", "ask", "compare", "diff", "impact",
    "trace", "align", "steps", "outcomes", "rulings", "top", "chapters", "audit", "verify",
)  # fmt: skip
_METHODS = {"chapters": "chapter_citations"}
# Arguments that pages do not have: files, what only Python passes, what a page always does.
_LEFT_OUT = {
    "trace": (), "verify": ("against",), "kwic": ("with_lang",), "audit": ("deep",),
    "align": ("marks",), "suggest": ("most",), "impact": ("most",),
}  # fmt: skip
_RENAMED = {
    "align": {"lang": "first", "other": "second"},
    "suggest": {"typed": "q"},
    "verify": {"text": "text"},
    "kwic": {"merge_editions": "each_edition"},
    "impact": {"editions": "before"},
}
_SEVERAL = frozenset(("kind", "under", "mentions", "cites", "dangling"))
_FREE = {"type": "object", "additionalProperties": True}
_SIMPLE: Mapping[Any, Mapping[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    Any: {},
}


class _Names(dict[str, Any]):
    """The public names, which modules may import for type checkers alone; each when it is used."""

    def __missing__(self, name: str) -> Any:
        if name not in dir(kb):
            raise KeyError(name)
        return getattr(kb, name)


@cache
def openapi() -> Mapping[str, Any]:
    """Return the OpenAPI document (3.1) of the explorer's JSON and CSV."""
    schemas: dict[str, Any] = {
        "Error": {
            "type": "object",
            "description": "Why there is no answer; `near` has names that are like the one given.",
            "properties": {"error": _FREE, "near": {"type": "array", "items": _SIMPLE[str]}},
            "required": ["error", "near"],
        }
    }
    paths = {f"/{{interface}}/{name}": {"get": _operation(name, schemas)} for name in QUESTIONS}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "sansho",
            "version": "1",
            "summary": "Card-game rules, terms and cards, and what they refer to.",
            "description": "Every page of a question gives its answer with format=json as the "
            "command of the same name does with --json; every list gives a table with format=csv. "
            "Texts are those of the pages and rulebooks that are loaded, with their sources.",
        },
        "paths": paths,
        "components": {"schemas": schemas},
    }


def _operation(name: str, schemas: dict[str, Any]) -> dict[str, Any]:
    method = getattr(kb.KnowledgeBase, _METHODS.get(name, name))
    called = signature(method)
    hints = get_type_hints(method, localns=_Names())
    result = hints["return"]
    answer: dict[str, Any] = {
        "description": "The answer.",
        "content": {"application/json": {"schema": _schema(result, schemas)}},
    }
    if issubclass(result, ListResult):
        answer["content"]["text/csv"] = {"schema": {"type": "string"}}
    refused = {"schema": {"$ref": "#/components/schemas/Error"}}
    summary, _, rest = (getdoc(method) or "").partition("\n\n")
    return {
        "operationId": name,
        "summary": " ".join(summary.split()),
        "description": rest.partition("\n>>>")[0].strip(),
        "parameters": [*_OF_ALL, *_parameters(name, called, hints)],
        "responses": {
            "200": answer,
            **{
                status: {"description": words, "content": {"application/json": refused}}
                for status, words in _REFUSED.items()
            },
        },
    }


_REFUSED = {
    "400": "The question can't be answered as it was put.",
    "404": "Nothing is called so.",
    "503": "It took too long, or too much is asked at once.",
}
_OF_ALL: list[dict[str, Any]] = [
    {
        "name": "interface", "in": "path", "required": True,
        "description": "The language of the explorer's own words; answers do not depend on it.",
        "schema": {"enum": [*LANGUAGES]},
    },
    {
        "name": "format", "in": "query", "required": True,
        "description": FIELDS_IN_WORDS["format"], "schema": {"enum": ["json", "csv"]},
    },
]  # fmt: skip


def _parameters(name: str, called: Signature, hints: Mapping[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for argument in [*called.parameters.values()][1:]:
        if argument.kind is Parameter.VAR_KEYWORD:
            fields = get_type_hints(get_args(hints[argument.name])[0], localns=_Names())
            found += [_parameter(name, each, hint, False) for each, hint in fields.items()]
        elif argument.name not in _LEFT_OUT.get(name, ()) and (name, argument.name) != (
            "show", "tree",
        ):  # fmt: skip
            required = argument.default is Parameter.empty
            found.append(_parameter(name, argument.name, hints[argument.name], required))
    if name == "impact":
        found.append(_parameter(name, "after", str, False))
    by_name = {each["name"]: each for each in found}
    return list(by_name.values())


def _parameter(name: str, argument: str, hint: Any, required: bool) -> dict[str, Any]:
    renamed = _RENAMED.get(name, {})
    called = renamed.get(argument) or next(iter(asked_parameters(Argument(argument, 1))))
    values = sorted({str(each) for part in _parts(hint) for each in _literals(part)})
    kinds = {*_parts(hint)}
    plain: dict[str, Any] = (
        {"enum": ["0", "1"]} if bool in kinds
        else {"type": "integer", "minimum": 0} if int in kinds
        else {"enum": values} if values and str not in kinds
        else {"type": "string"}
    )  # fmt: skip
    several = called in _SEVERAL or (name, called) == ("compare", "ref")
    schema = {"type": "array", "items": plain} if several else plain
    words = FIELDS_IN_WORDS[called]
    return {
        "name": called, "in": "query", "required": required, "description": words, "schema": schema,
    }  # fmt: skip


def _parts(hint: Any) -> Iterable[Any]:
    """Return the types of which a value may be one, those of the members of collections, too."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType) or (
        isinstance(origin, type) and issubclass(origin, Iterable)
    ):
        return [part for each in inner for part in _parts(each)]
    return [hint]


def _literals(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) is Literal else ()


def _schema(hint: Any, schemas: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a type; those of dataclasses are put among the components."""
    if isinstance(hint, type) and is_dataclass(hint):
        return _component(hint, schemas)
    origin, inner = get_origin(hint), get_args(hint)
    if hint in _SIMPLE:
        return dict(_SIMPLE[hint])
    if origin is Literal:
        return {"enum": [*inner]}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_schema(each, schemas) for each in inner]}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _schema(inner[1], schemas)}
    if isinstance(origin, type) and issubclass(origin, Iterable):
        members = [_schema(each, schemas) for each in inner if each is not Ellipsis]
        one = {"anyOf": members} if len(members) > 1 else members[0]
        return {"type": "array", "items": one}
    return dict(_FREE) if hasattr(hint, "as_json") else {}


def _component(of: type, schemas: dict[str, Any]) -> dict[str, Any]:
    name = of.__name__
    if name not in schemas:
        schemas[name] = {}  # before its fields, which may be of the same type
        hints = get_type_hints(of, localns=_Names())
        fields = {
            field: _schema(_hint(of, path, hints), schemas)
            for field, path in reported_fields(of).items()
        }
        schemas[name] = {
            "type": "object",
            "description": (getdoc(of) or "").partition("\n\n")[0],
            "properties": fields,
            # What has a document of its own may leave out fields, and add some.
            **({} if _declared(of) else {"additionalProperties": True}),
            **({"required": [*fields]} if _declared(of) else {}),
        }
    return {"$ref": f"#/components/schemas/{name}"}


def _declared(of: type) -> bool:
    """Whether the document of a type is its declared fields."""
    own = next((each for each in of.__mro__ if "as_json" in vars(each)), None)
    return own is None or own.__module__ == "kb.result"


def _hint(of: type, path: str, hints: Mapping[str, Any]) -> Any:
    """Return the type of what a path of attributes leads to; Any where it is not declared."""
    name, _, rest = path.partition(".")
    if rest:
        return Any
    if name in hints:
        return hints[name]
    found = next((vars(each)[name] for each in of.__mro__ if name in vars(each)), None)
    if isinstance(found, property) and found.fget:
        return get_type_hints(found.fget, localns=_Names()).get("return", Any)
    return Any
