"""Writes descriptions of resources as text in the two forms of RDF: Turtle and JSON-LD.

A description is written at once, so that a file of any length takes no memory. rdflib, which would
keep the whole graph, takes a minute for what is written here in seconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from kb.control_characters import json_text, xml_text

_LANGUAGE = re.compile(
    r"([a-z]{2,3}(-[a-z]{3}){0,3}|[a-z]{4,8})"  # the language
    r"(-[a-z]{4})?(-([a-z]{2}|[0-9]{3}))?"  # a script, a region
    r"(-([a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(-x(-[a-z0-9]{1,8})+)?"  # variants, private use
)
_UNDETERMINED = "und"  # the tag of a language that is not known
_WEB_ADDRESS = re.compile(
    r"(https?://)([^\s/?#:@%\[\]\\]+(?::\d+)?)([/?][^#]*)?(?:#(.*))?", re.IGNORECASE | re.DOTALL
)  # scheme, host and port, path and query, fragment
_MAY_STAND = "!$%&'()*+,/:;=?@~"  # in them, beside letters, digits and `-._`
_LONE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_UNUSUAL = re.compile(r"[^ !#-\[\]-~\u3001-\ud7ff]")  # characters that may have to be escaped
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


@dataclass(frozen=True, slots=True)
class Iri:
    """A resource: its whole IRI, or a prefix and a name such as `skos:Concept`."""

    text: str


@dataclass(frozen=True, slots=True)
class Text:
    """A text with its language, or a value with its datatype such as `xsd:integer`.

    Both are None for a text without a language.
    """

    text: str
    lang: str | None = None
    datatype: str | None = None


Statements = tuple[tuple[str, "Value"], ...]  # the properties, with prefixes, and their values
Value = Iri | Text | Statements  # statements describe a resource that has no name


def text_literal(text: str, lang: str) -> Text:
    """Return a text as a literal, without the characters that XML can't hold.

    lang: the language; one that is no valid tag becomes `und`.

    >>> text_literal("引く\\x01", "ja"), text_literal("draw", "in English").lang
    (Text(text='引く', lang='ja', datatype=None), 'und')
    """
    return Text(xml_text(text), language_tag(lang))


@lru_cache
def language_tag(lang: str) -> str:
    """Return the language tag for a language, `und` if it can't be one.

    Tags that differ only in case are one language; they are written as is usual.

    >>> language_tag("ZH_hans"), language_tag("<ja>")
    ('zh-Hans', 'und')
    """
    tag = lang.replace("_", "-").lower()
    language, *others = tag.split("-")
    if not _LANGUAGE.fullmatch(tag) or len(set(others)) < len(others):
        return _UNDETERMINED
    cased = {2: str.upper, 4: str.title}  # a region, a script
    return "-".join([language, *(cased.get(len(part), str)(part) for part in others)])


@lru_cache
def named(namespace: str, name: str) -> Iri:
    """Return the IRI of a name in a namespace; two names never have the same.

    Everything but ASCII letters, digits and `-._~/` is percent-encoded.

    >>> named("https://example.org/#", "mtg/term/引く").text
    'https://example.org/#mtg/term/%E5%BC%95%E3%81%8F'
    """
    return Iri(namespace + quote(name, safe="/", errors="surrogatepass"))


@lru_cache
def web_address(url: str) -> Iri | None:
    """Return the IRI of a web page; None for any other address.

    What an IRI can't hold is percent-encoded.

    >>> web_address("http://wiki.example/a b[1]"), web_address("javascript:x")
    (Iri(text='http://wiki.example/a%20b%5B1%5D'), None)
    """
    if not (found := _WEB_ADDRESS.fullmatch(url)):
        return None
    scheme, host, path, fragment = found.groups()
    address = f"{scheme}{_quoted(host)}{_quoted(path or '')}"
    return Iri(address if fragment is None else f"{address}#{_quoted(fragment)}")


def _quoted(part: str) -> str:
    """Return a part of an address with what can't stand there percent-encoded."""
    return _LONE_PERCENT.sub("%25", quote(part, _MAY_STAND, errors="surrogatepass"))


def turtle_prefixes(prefixes: Mapping[str, str]) -> str:
    """Return the lines that declare the prefixes of a Turtle file.

    >>> turtle_prefixes({"skos": "http://www.w3.org/2004/02/skos/core#"})
    '@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\\n'
    """
    return "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in prefixes.items())


def turtle(subject: Iri | None, statements: Statements) -> str:
    """Return the description of a resource in Turtle.

    subject: None for a resource that has no name.

    >>> print(turtle(None, (("a", Iri("xl:Label")), ("xl:literalForm", Text("引く", "ja")))))
    [] a xl:Label ;
        xl:literalForm "引く"@ja .
    """
    name = "[]" if subject is None else _turtle_value(subject)
    properties = _turtle_statements(statements, " ;\n    ")
    return f"{name} {properties} ."


def _turtle_statements(statements: Statements, separator: str) -> str:
    return separator.join(f"{name} {_turtle_value(value)}" for name, value in statements)


def _turtle_value(value: Value) -> str:
    """Return a value in Turtle."""
    if isinstance(value, Iri):
        return f"<{value.text}>" if "://" in value.text else value.text
    if isinstance(value, Text):
        if value.datatype == "xsd:integer":
            return value.text
        # What can't be printed is escaped, for terminals obey some of it.
        quoted = f'"{_UNUSUAL.sub(_escape, value.text)}"'
        if value.lang:
            return f"{quoted}@{value.lang}"
        return f"{quoted}^^{value.datatype}" if value.datatype else quoted
    return f"[ {_turtle_statements(value, ' ; ')} ]"


def _escape(found: re.Match[str]) -> str:
    """Return what is written for a character."""
    character = found[0]
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable() or character == "\N{IDEOGRAPHIC SPACE}":
        return character
    return f"\\U{ord(character):08X}"


def json_ld(subject: Iri | None, statements: Statements) -> str:
    """Return the description of a resource as a JSON-LD object on one line.

    subject: None for a resource that has no name.

    >>> json_ld(Iri("http://a.example/#b"), (("a", Iri("skos:Concept")),))
    '{"@id": "http://a.example/#b", "@type": ["skos:Concept"]}'
    """
    identity = {} if subject is None else {"@id": subject.text}
    return json_text(identity | _json_statements(statements))


def _json_statements(statements: Iterable[tuple[str, Value]]) -> dict[str, list[Any]]:
    """Return the values of each property."""
    found: dict[str, list[Any]] = {}
    for name, value in statements:
        if name == "a" and isinstance(value, Iri):
            found.setdefault("@type", []).append(value.text)
        else:
            found.setdefault(name, []).append(_json_value(value))
    return found


def _json_value(value: Value) -> str | int | dict[str, Any]:
    """Return a value in JSON-LD."""
    if isinstance(value, Iri):
        return {"@id": value.text}
    if isinstance(value, Text):
        if value.lang:
            return {"@value": value.text, "@language": value.lang}
        if value.datatype == "xsd:integer":
            return int(value.text)
        return {"@value": value.text, "@type": value.datatype} if value.datatype else value.text
    return _json_statements(value)
