"""Writes glossaries as UTX 1.11, the tab-separated format of AAMT for translation software.

The file is UTF-8 without a byte order mark; lines end with CR and LF. Two lines that begin with
`#` are the header: what the file is, and the columns. A date of creation is left out, so that the
same concepts always give the same file.

Glossaries that have a column for each of two languages take the pairs of names from here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import BinaryIO, NamedTuple

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


def pairs_of_all(
    concepts: Iterable[Concept],
    langs: tuple[str, str],
    usable: bool,
    left_out: Counter[str] | None,
) -> Iterator[tuple[Concept, NamePair]]:
    """Yield the pairs of all concepts, each with its concept, as `name_pairs` does.

    left_out: is given how much was left out, by reason: concepts with a source name alone
        (`no target`) or a target name alone (`no source`); pairs whose source name would be a
        remark (`begins with #`).
    """
    counted = Counter[str]() if left_out is None else left_out
    for concept in concepts:
        pair = None
        for pair in name_pairs(concept, langs, usable):
            if on_one_line(pair.source.text).startswith("#"):
                counted["begins with #"] += 1
            else:
                yield concept, pair
        if pair is None and _names(concept, langs[0]):
            counted["no target"] += 1
        elif pair is None and _names(concept, langs[1]):
            counted["no source"] += 1


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


COLUMNS = (
    "src", "tgt", "src:pos", "tgt:pos", "term status", "src:comment", "tgt:comment", "concept ID",
)  # fmt: skip
_VOID = "-"  # what UTX has in a cell without a value
_PARTS_OF_SPEECH = ("noun", "verb", "adjective", "adverb")  # that UTX has by the same names


def write(
    concepts: Iterable[Concept],
    out: BinaryIO,
    langs: tuple[str, str],
    left_out: Counter[str] | None = None,
) -> int:
    """Write a glossary as UTX 1.11, and return how many entries it has.

    Each source name has a line with the best target name, and the best source name one with each
    further target name. `term status` is `approved` for the preferred names of both sides,
    `forbidden` for a deprecated or forbidden target name, `provisional` for a name that is only
    proposed, and else `non-standard`.

    langs: source and target language.
    left_out: as for `pairs_of_all`.
    """
    out.write(
        f"#UTX 1.11; {langs[0]}/{langs[1]}; copyright: the owners of the sources; "
        f"license: that of each source\r\n#{chr(9).join(COLUMNS)}\r\n".encode()
    )
    written = 0
    for concept, pair in pairs_of_all(concepts, langs, False, left_out):
        cells = _cells(concept, pair)
        out.write(("\t".join(cell or _VOID for cell in cells) + "\r\n").encode())
        written += 1
    return written


def _cells(concept: Concept, pair: NamePair) -> list[str]:
    """Return the cells of an entry, in the order of COLUMNS; empty where there is no value."""
    source, target = pair
    return [
        on_one_line(cell)
        for cell in (
            source.text, target.text, _part_of_speech(source), _part_of_speech(target),
            _term_status(pair), _comment(source), _comment(target), concept.id,
        )
    ]  # fmt: skip


def _part_of_speech(name: ConceptName) -> str:
    return name.part_of_speech if name.part_of_speech in _PARTS_OF_SPEECH else ""


def _term_status(pair: NamePair) -> str:
    """Return the term status of an entry, as `write` says."""
    if pair.target.status in ("deprecated", "forbidden"):
        return "forbidden"
    if "proposed" in (pair.source.why, pair.target.why):
        return "provisional"
    both_preferred = pair.source.status == pair.target.status == "preferred"
    return "approved" if both_preferred else "non-standard"


def _comment(name: ConceptName) -> str:
    """Return the reading of a name, what its status rests on, its authority and note, with `; ` and
    as far as it has them."""
    reading = f"reading {name.reading}" if name.reading else ""
    return "; ".join(part for part in (reading, name.why, name.authority, name.note) if part)
