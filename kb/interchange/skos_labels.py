"""Which label of SKOS each name of a concept is.

- The preferred name of a language is its `prefLabel`, an admitted one an `altLabel`; a deprecated
  or forbidden one is a `hiddenLabel`, which a search finds and no tool offers.
- A proposed name, which no page states, is an `altLabel`, and the `prefLabel` only where the
  language has no other name to use.
- How passages spell a name is a `hiddenLabel`, too.

A text that is named several times is one label only, and a language has at most one `prefLabel`, as
SKOS asks for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from kb.control_characters import xml_text
from kb.interchange.rdf_text import Text, language_tag, text_literal
from kb.termbase.model import Concept, ConceptName, ConceptSpelling

IN_USE = ("preferred", "admitted")  # statuses of names that may be used
_STATUSES = (*IN_USE, "deprecated", "forbidden")

Role = Literal["prefLabel", "altLabel", "hiddenLabel"]
_Key = tuple[str, str]  # the language tag and the text


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
    by_text: dict[_Key, list[ConceptName]] = {}
    for name in concept.names:
        if (key := _key(name))[1]:
            by_text.setdefault(key, []).append(name)
    for names in by_text.values():
        names.sort(key=_rank)
    preferred = _preferred(by_text)
    labels = [
        ConceptLabel(_role(names[0], key in preferred), _literal(names[0]), tuple(names))
        for key, names in by_text.items()
    ]
    return labels + _spelling_labels(concept.spellings, by_text)


def is_proposed(names: Iterable[ConceptName]) -> bool:
    """Return whether no page and no person states a name, of which these are all statements."""
    return all(name.why == "proposed" for name in names)


def _key(name: ConceptName | ConceptSpelling) -> _Key:
    """Return what labels have in common that are the same."""
    return language_tag(name.lang), xml_text(name.text)


def _literal(name: ConceptName | ConceptSpelling) -> Text:
    return text_literal(name.text, name.lang)


def _rank(name: ConceptName) -> tuple[bool, int]:
    """Return the sort key of names with the same text: a person's decision comes first."""
    return name.why != "decision", _STATUSES.index(name.status)


def _preferred(by_text: Mapping[_Key, Sequence[ConceptName]]) -> set[_Key]:
    """Return which texts are preferred, at most one of each language."""
    in_use: dict[str, list[_Key]] = {}
    for key, names in by_text.items():
        if names[0].status in IN_USE:
            in_use.setdefault(key[0], []).append(key)
    chosen = set()
    for keys in in_use.values():
        stated = [
            key
            for key in keys
            if by_text[key][0].status == "preferred" and not is_proposed(by_text[key])
        ]
        if stated or (len(keys) == 1 and is_proposed(by_text[keys[0]])):
            chosen.add((stated or keys)[0])
    return chosen


def _role(name: ConceptName, is_preferred: bool) -> Role:
    if name.status not in IN_USE:
        return "hiddenLabel"
    return "prefLabel" if is_preferred else "altLabel"


def _spelling_labels(
    spellings: Iterable[ConceptSpelling], names: Collection[_Key]
) -> list[ConceptLabel]:
    """Return the labels of spellings that are no names; each text once, with its whole count."""
    counts: dict[_Key, tuple[Text, int]] = {}
    for spelling in spellings:
        key = _key(spelling)
        if key not in names and key[1]:
            literal, count = counts.get(key, (_literal(spelling), 0))
            counts[key] = literal, count + spelling.count
    return [ConceptLabel("hiddenLabel", literal, (), count) for literal, count in counts.values()]
