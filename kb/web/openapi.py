"""The interface for programs as an OpenAPI document, made of what is declared: the questions of
`KnowledgeBase` with their arguments, and the fields of their answers."""

from __future__ import annotations

import types
from collections.abc import Iterable, Mapping
from functools import cache
from inspect import Parameter, Signature, getdoc, signature
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import kb
from kb.document_schemas import Names, TypeSchemas
from kb.reason import Argument, Reason
from kb.result import ListResult
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


@cache
def openapi() -> Mapping[str, Any]:
    """Return the OpenAPI document (3.1) of the explorer's JSON and CSV."""
    schemas = TypeSchemas("#/components/schemas/")
    schemas.named["Error"] = {
        "type": "object",
        "description": "Why there is no answer; `near` has names that are like the one given.",
        "properties": {"error": schemas.of(Reason), "near": schemas.of(list[str])},
        "required": ["error", "near"],
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
        "components": {"schemas": schemas.named},
    }


def _operation(name: str, schemas: TypeSchemas) -> dict[str, Any]:
    method = getattr(kb.KnowledgeBase, _METHODS.get(name, name))
    called = signature(method)
    hints = get_type_hints(method, localns=Names())
    result = hints["return"]
    answer: dict[str, Any] = {
        "description": "The answer.",
        "content": {"application/json": {"schema": schemas.of(result)}},
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
            fields = get_type_hints(get_args(hints[argument.name])[0], localns=Names())
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
