"""Pairs the names of a concept in two languages, for glossaries that have a column for each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from kb.control_characters import xml_text
from kb.termbase.model import Concept, ConceptName

# Tabs, and all that Python or a spreadsheet takes for the end of a line.
_BREAKS = re.compile(r"[\t\n\r\v\f\x1c-\x1f\x85\u2028\u2029]+")
# A sort key: the first of a concept's names in a language is that which translates best.
_BETTER_FIRST = {"preferred": 0, "admitted": 1, "deprecated": 2, "forbidden": 3}


class NamePair(NamedTuple):
    """A name in the source language, and one in the target language that may translate it."""

    source: ConceptName
    target: ConceptName


def name_pairs(concept: Concept, langs: tuple[str, str], usable: bool) -> Iterator[NamePair]:
    """Yield pairs of a concept's names: each source name with the best target name, and the best
    source name with each further target name.

    All source names are there, as all may stand in a text that is translated. Names that are the
    same on one line are one. Nothing is yielded if there is no name in one of the languages.

    langs: source and target language.
    usable: whether deprecated and forbidden target names are left out.
    """
    sources = _names(concept, langs[0])
    targets = _names(concept, langs[1])
    if usable:
        targets = [name for name in targets if is_usable(name)]
    if not sources or not targets:
        return
    for source in sources:
        yield NamePair(source, targets[0])
    for target in targets[1:]:
        yield NamePair(sources[0], target)


def count_unpaired(concept: Concept, langs: tuple[str, str], left_out: Counter[str]) -> None:
    """Add a concept that has no pair to what is left out: it has `no target`, or `no source`; one
    with names in neither language is not counted."""
    if _names(concept, langs[0]):
        left_out["no target"] += 1
    elif _names(concept, langs[1]):
        left_out["no source"] += 1


def is_usable(name: ConceptName) -> bool:
    """Whether a translator may write a name: it is preferred or admitted."""
    return name.status in ("preferred", "admitted")


def on_one_line(text: str) -> str:
    """Return a text as a cell of a table without quoting can hold it: on one line, without tabs,
    white space around it, and characters that XML can't hold.

    >>> on_one_line("one\\tor\\r\\n more\\x01")
    'one or more'
    """
    pieces = (xml_text(piece).strip() for piece in _BREAKS.split(text))
    return " ".join(piece for piece in pieces if piece)


def _names(concept: Concept, lang: str) -> list[ConceptName]:
    """Return the names in a language that a line can show, each once, better statuses first, those
    of one status in the order of the concept."""
    names: dict[str, ConceptName] = {}
    for name in sorted(concept.names, key=lambda name: _BETTER_FIRST[name.status]):
        if name.lang == lang and (text := on_one_line(name.text)):
            names.setdefault(text, name)
    return list(names.values())
