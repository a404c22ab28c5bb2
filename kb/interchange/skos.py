"""Writes concepts as SKOS, in Turtle or JSON-LD: for thesaurus software and linked data.

Each name is a label, as `skos_labels` says which, and a label of SKOS-XL, which has its status, the
reason for it and its source; a reading is an `ndl:transcription` of it, as in the authority data of
Japan's National Diet Library. What is unusual about a name is an `editorialNote` of the concept, in
words. A definition is a plain text; who gives it is an annotation (`owl:Axiom`). Each game is a
concept scheme.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, BinaryIO, Literal, TypeGuard
from urllib.parse import quote

from kb.control_characters import json_text, xml_text
from kb.termbase.model import IN_USE, Concept, ConceptDefinition, ConceptName, ConceptSpelling

# The form of language tags by BCP 47, in small letters, without extensions and grandfathered tags.
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
_LONE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")  # that encodes nothing
# Characters that may have to be escaped: `"`, `\`, and all that is neither printable
# ASCII nor from U+3001 to U+D7FF, where most of Japanese is, so that few are looked at singly.
_UNUSUAL = re.compile(r"[^ !#-\[\]-~\u3001-\ud7ff]")
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

    Tags that differ only in case are one language; they are written as is usual. A tag with one of
    its parts twice is none.

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
    """Return the IRI of a web page; None for any other address, also for one with a user, a
    password or an IPv6 address in it.

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
    """Return a value in Turtle: a whole IRI in angle brackets, a text in quotation marks with its
    language or datatype, a whole number as it is, statements in square brackets."""
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
    """Return what is written for a character: as it is if it can be printed and ends no literal,
    else its escape."""
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
    """Return {property: its values}, both in the order given; the types are `@type`."""
    found: dict[str, list[Any]] = {}
    for name, value in statements:
        if name == "a" and isinstance(value, Iri):
            found.setdefault("@type", []).append(value.text)
        else:
            found.setdefault(name, []).append(_json_value(value))
    return found


def _json_value(value: Value) -> str | int | dict[str, Any]:
    """Return a value in JSON-LD: an IRI or a text with language or datatype as an object, a whole
    number as such, any other text as it is."""
    if isinstance(value, Iri):
        return {"@id": value.text}
    if isinstance(value, Text):
        if value.lang:
            return {"@value": value.text, "@language": value.lang}
        if value.datatype == "xsd:integer":
            return int(value.text)
        return {"@value": value.text, "@type": value.datatype} if value.datatype else value.text
    return _json_statements(value)


# The names of this termbase's own: in a domain that nobody has or ever will. Behind `#` there are
# no dots or double slashes that a reader would take out.
BASE = "https://sansho.invalid/"
CONCEPTS, GAMES, OWN = f"{BASE}concepts#", f"{BASE}games#", f"{BASE}vocabulary#"
NO_GAME = f"{BASE}games"  # the scheme of concepts that belong to no game
PREFIXES = {
    "dcterms": "http://purl.org/dc/terms/",
    "lexinfo": "http://www.lexinfo.net/ontology/3.0/lexinfo#",
    "ndl": "http://ndl.go.jp/dcndl/terms/",
    "owl": "http://www.w3.org/2002/07/owl#",
    "sansho": OWN,
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "xl": "http://www.w3.org/2008/05/skos-xl#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
_NO_GAME = "no game"
_PARTS_OF_SPEECH = ("noun", "verb", "adjective", "adverb")  # that LexInfo has by the same names
_REASONS = {
    "proposed": "proposed: no page states it",
    "decision": "a person's decision",
    "list": "only a list of names gives it",
    "older edition": "only an older edition uses it",
    "obsolete": "a glossary calls it obsolete",
    "other translator": "another source translates so",
}  # to be said in words; the others are the usual ones
# The codes of ISO 15924, and the letters of which a reading consists: Latin with its extensions A
# and B; katakana, also of half width, or hiragana with ー, and any signs and digits.
_SCRIPTS = {
    "Latn": re.compile(r"[\x00-\u024f]+"),
    "Kana": re.compile(r"[\u30a0-\u30ff\uff66-\uff9f\W\d]+"),
    "Hira": re.compile(r"[\u3041-\u309f\u30fc\W\d]+"),
}

Description = tuple[Iri | None, Statements]
_STATUSES = (*IN_USE, "deprecated", "forbidden")

Role = Literal["prefLabel", "altLabel", "hiddenLabel"]


def write(concepts: Iterable[Concept], out: BinaryIO, langs: tuple[str, str] | None = None) -> int:
    """Write concepts as SKOS in Turtle to an open file, and return how many were written.

    langs: the languages to write; None for all. A concept without a name in them is left out.
    """
    out.write(turtle_prefixes(PREFIXES).encode())
    count = 0
    for count, descriptions in enumerate(_described(concepts, langs), 1):  # noqa: B007
        for subject, statements in descriptions:
            out.write(f"\n{turtle(subject, statements)}\n".encode())
    return count


def write_jsonld(
    concepts: Iterable[Concept], out: BinaryIO, langs: tuple[str, str] | None = None
) -> int:
    """Write the same statements as `write`, as JSON-LD: an object of `@graph` on each line; return
    how many concepts were written."""
    out.write(f'{{"@context": {json_text(PREFIXES)}, "@graph": ['.encode())
    count, separator = 0, ""
    for count, descriptions in enumerate(_described(concepts, langs), 1):  # noqa: B007
        for subject, statements in descriptions:
            out.write(f"{separator}\n{json_ld(subject, statements)}".encode())
            separator = ","
    out.write(b"\n]}\n")
    return count


def _described(
    concepts: Iterable[Concept], langs: tuple[str, str] | None
) -> Iterator[list[Description]]:
    """Yield the descriptions of each concept that has a label: before it that of its game, if it is
    new, and behind it who gives its definitions."""
    games: set[str | None] = set()
    for concept in concepts:
        if langs is not None:
            concept = _in_languages(concept, langs)
        if not (labels := concept_labels(concept)):
            continue
        descriptions: list[Description] = []
        if concept.game not in games:
            games.add(concept.game)
            descriptions.append(_game(concept.game))
        descriptions.append((_concept_iri(concept.id), tuple(_statements(concept, labels))))
        yield descriptions + [(None, cited) for cited in _citations_of_definitions(concept)]


def _in_languages(concept: Concept, langs: tuple[str, str]) -> Concept:
    """Return a concept with the names, definitions and spellings that it has in some languages."""
    tags = set(map(language_tag, langs))
    return replace(
        concept,
        names=tuple(name for name in concept.names if language_tag(name.lang) in tags),
        definitions=tuple(text for text in concept.definitions if language_tag(text.lang) in tags),
        spellings=tuple(text for text in concept.spellings if language_tag(text.lang) in tags),
    )


def _game(game: str | None) -> Description:
    """Return the description of a game, as the scheme of its concepts; `no game` for None."""
    title = Text(_NO_GAME if game is None else xml_text(game))
    return _game_iri(game), (
        ("a", Iri("skos:ConceptScheme")),
        ("dcterms:title", title),
        ("skos:prefLabel", title),
    )


def _game_iri(game: str | None) -> Iri:
    return Iri(NO_GAME) if game is None else named(GAMES, game)


def _concept_iri(concept_id: str) -> Iri:
    return named(CONCEPTS, concept_id)


def _statements(concept: Concept, labels: Iterable[ConceptLabel]) -> Iterator[tuple[str, Value]]:
    """Yield all that is stated of a concept: what it is, its labels, definitions, examples, notes,
    relations and pages."""
    yield "a", Iri("skos:Concept")
    yield "dcterms:identifier", Text(xml_text(concept.id))
    yield "dcterms:type", Text(concept.kind)
    yield "skos:inScheme", _game_iri(concept.game)
    yield "skos:topConceptOf", _game_iri(concept.game)
    for label in labels:
        yield f"skos:{label.role}", label.literal
        yield f"xl:{label.role}", tuple(_label_statements(label))
    yield from _texts("skos:definition", ((text.lang, text.text) for text in concept.definitions))
    yield from _texts("skos:example", ((name.lang, name.context or "") for name in concept.names))
    yield from _texts("skos:editorialNote", (("en", note) for note in _notes(concept, labels)))
    yield from _relations(concept)
    pages = [concept.url, *(definition.url for definition in concept.definitions)]
    for page in dict.fromkeys(filter(None, pages)):
        yield "dcterms:source", _page(page)


def _texts(name: str, texts: Iterable[tuple[str, str]]) -> Iterator[tuple[str, Value]]:
    """Yield a statement for each text, given with its language, that is not empty; each once."""
    for literal in dict.fromkeys(text_literal(text, lang) for lang, text in texts):
        if literal.text:
            yield name, literal


def _relations(concept: Concept) -> Iterator[tuple[str, Value]]:
    """Yield which concepts of other games are the same, each once and not the concept itself: by
    `skos:closeMatch` or, where both are stated, `skos:exactMatch`."""
    found: dict[str, str] = {}
    for related in concept.related:
        if related.id != concept.id and found.get(related.id) != "exact":
            found[related.id] = related.relation
    for concept_id, relation in found.items():
        yield f"skos:{relation}Match", _concept_iri(concept_id)


def _label_statements(label: ConceptLabel) -> Iterator[tuple[str, Value]]:
    """Yield what is stated of a label: an `xl:Label`, without a name of its own."""
    yield "a", Iri("xl:Label")
    yield "xl:literalForm", label.literal
    stated: list[tuple[str, Value]] = [
        ("sansho:status", Text(name.status)) for name in label.names[:1]
    ]
    stated += [statement for name in label.names for statement in _name_statements(name)]
    yield from dict.fromkeys(stated) if len(label.names) > 1 else stated
    if label.count:
        yield _number("sansho:count", label.count)


def _name_statements(name: ConceptName) -> Iterator[tuple[str, Value]]:
    """Yield what is stated of a name beside its text and status."""
    if name.reading and (reading := xml_text(name.reading)):
        yield "ndl:transcription", Text(reading, _reading_tag(name.lang, reading))
    if name.part_of_speech in _PARTS_OF_SPEECH:
        yield "lexinfo:partOfSpeech", Iri(f"lexinfo:{name.part_of_speech}")
    yield "sansho:reason", Text(name.why)
    yield from _citation(name)
    if name.context_passage:
        yield "sansho:contextPassage", Text(xml_text(name.context_passage))
    if name.count:
        yield _number("sansho:count", name.count)
    if _is_number(name.score):
        yield "sansho:score", Text(repr(name.score), datatype="xsd:double")


def _is_number(value: float | None) -> TypeGuard[float]:
    return value is not None and math.isfinite(value)


def _number(name: str, value: int) -> tuple[str, Value]:
    return name, Text(str(value), datatype="xsd:integer")


def _reading_tag(lang: str, reading: str) -> str:
    """Return the language tag of a reading: the language and the script.

    >>> _reading_tag("ja", "ドロー"), _reading_tag("ja", "ひく"), _reading_tag("ja", "ドローする")
    ('ja-Kana', 'ja-Hira', 'ja-Hrkt')
    """
    language = language_tag(lang).split("-")[0]
    for script, letters in _SCRIPTS.items():
        if letters.fullmatch(reading):
            return f"{language}-{script}"
    return f"{language}-Hrkt"  # hiragana and katakana


def _citation(stated: ConceptName | ConceptDefinition) -> Iterator[tuple[str, Value]]:
    """Yield who states something, as far as it is known: the page, the source and its edition in
    words, the passage."""
    if stated.url:
        yield "dcterms:source", _page(stated.url)
    if citation := xml_text(stated.authority):
        yield "dcterms:bibliographicCitation", Text(citation)
    if stated.passage:
        yield "sansho:passage", Text(xml_text(stated.passage))


def _page(url: str) -> Iri | Text:
    """Return the page of an address, or the address as a text if it is none of the web."""
    return web_address(url) or Text(xml_text(url))


def _citations_of_definitions(concept: Concept) -> Iterator[Statements]:
    """Yield who gives each definition, as annotations of the statement that it is one.

    So a concept may have several definitions, which are plain texts as tools expect.
    """
    for definition in concept.definitions:
        text = text_literal(definition.text, definition.lang)
        if text.text and (citation := tuple(_citation(definition))):
            yield (
                ("a", Iri("owl:Axiom")),
                ("owl:annotatedSource", _concept_iri(concept.id)),
                ("owl:annotatedProperty", Iri("skos:definition")),
                ("owl:annotatedTarget", text),
                *citation,
            )


def _notes(concept: Concept, labels: Iterable[ConceptLabel]) -> Iterator[str]:
    """Yield in words, for editors, what is unusual about names and why concepts are related."""
    for label in labels:
        for name in label.names:
            if name.status not in IN_USE or name.why in _REASONS or name.note:
                yield _note(name, label)
    for related in concept.related:
        if related.basis:
            yield f"{related.relation} match with {related.id}: {related.basis}"


def _note(name: ConceptName, label: ConceptLabel) -> str:
    """Return in words what is unusual about a name, and the remark that it has: `en “pull”:
    forbidden; a person's decision; …`."""
    only = label.role == "prefLabel" and is_proposed(label.names)
    parts = (
        "" if name.status in IN_USE else name.status,
        _REASONS.get(name.why, "" if name.status in IN_USE else name.why),
        "the only name in this language" if only else "",
        f"log-likelihood ratio {name.score:.1f}" if _is_number(name.score) else "",
        name.note,
    )
    return f"{name.lang} \u201c{name.text}\u201d: {'; '.join(filter(None, parts))}"


@dataclass(frozen=True, slots=True)
class ConceptLabel:
    """A text that names a concept, and all that is known of it.

    literal: the text with its language; a concept has no other label with the same.
    names: the names with this text. The first one's status is the label's.
    count: how often passages spell a name so; 0 if they do not, or if it is a name itself.
    """

    role: Role
    literal: Text
    names: tuple[ConceptName, ...]
    count: int = 0


def concept_labels(concept: Concept) -> list[ConceptLabel]:
    """Return the labels of a concept, in the order of its names; empty texts are left out.

    >>> name = ConceptName("en", "draw")
    >>> [label.role for label in concept_labels(Concept("mtg/term/引く", "mtg", (name, name)))]
    ['prefLabel']
    """
    by_text: dict[Text, list[ConceptName]] = {}
    for name in concept.names:
        if (literal := text_literal(name.text, name.lang)).text:
            by_text.setdefault(literal, []).append(name)
    for names in by_text.values():
        names.sort(key=_rank)
    preferred = _preferred(by_text)
    labels = [
        ConceptLabel(_role(names[0], literal in preferred), literal, tuple(names))
        for literal, names in by_text.items()
    ]
    return labels + _spelling_labels(concept.spellings, by_text)


def is_proposed(names: Iterable[ConceptName]) -> bool:
    """Return whether no page and no person states a name, of which these are all statements."""
    return all(name.why == "proposed" for name in names)


def _rank(name: ConceptName) -> tuple[bool, int]:
    """Return the sort key of names with the same text: a person's decision comes first, then the
    better status."""
    return name.why != "decision", _STATUSES.index(name.status)


def _preferred(by_text: Mapping[Text, Sequence[ConceptName]]) -> set[Text]:
    """Return which texts are preferred, at most one of each language: the first that is stated to
    be, or one that is only proposed if it is the only one in use; otherwise none."""
    in_use: dict[str | None, list[Text]] = {}
    for literal, names in by_text.items():
        if names[0].status in IN_USE:
            in_use.setdefault(literal.lang, []).append(literal)
    chosen = set()
    for texts in in_use.values():
        stated = [
            text
            for text in texts
            if by_text[text][0].status == "preferred" and not is_proposed(by_text[text])
        ]
        if stated or (len(texts) == 1 and is_proposed(by_text[texts[0]])):
            chosen.add((stated or texts)[0])
    return chosen


def _role(name: ConceptName, is_preferred: bool) -> Role:
    if name.status not in IN_USE:
        return "hiddenLabel"
    return "prefLabel" if is_preferred else "altLabel"


def _spelling_labels(
    spellings: Iterable[ConceptSpelling], names: Collection[Text]
) -> list[ConceptLabel]:
    """Return the hidden labels of spellings that are no names, in their order; each text once, with
    its whole count."""
    counts: Counter[Text] = Counter()
    for spelling in spellings:
        literal = text_literal(spelling.text, spelling.lang)
        if literal not in names and literal.text:
            counts[literal] += spelling.count
    return [ConceptLabel("hiddenLabel", literal, (), count) for literal, count in counts.items()]
