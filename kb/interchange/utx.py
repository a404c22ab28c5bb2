"""Writes glossaries as UTX 1.11, the tab-separated format of AAMT for translation software.

The file is UTF-8 without a byte order mark; lines end with CR and LF. Two lines that begin with
`#` are the header: what the file is, and the columns. A date of creation is left out, so that the
same concepts always give the same file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import BinaryIO

from kb.interchange.name_pairs import NamePair, count_unpaired, name_pairs, on_one_line
from kb.termbase.model import Concept, ConceptName

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
    left_out: is given how much was left out, by reason: concepts with a source name alone
        (`no target`) or a target name alone (`no source`); entries whose source name would be a
        remark (`begins with #`).
    """
    counted = Counter[str]() if left_out is None else left_out
    out.write(
        f"#UTX 1.11; {langs[0]}/{langs[1]}; copyright: the owners of the sources; "
        f"license: that of each source\r\n#{chr(9).join(COLUMNS)}\r\n".encode()
    )
    written = 0
    for concept in concepts:
        pairs = list(name_pairs(concept, langs, usable=False))
        if not pairs:
            count_unpaired(concept, langs, counted)
        for pair in pairs:
            cells = _cells(concept, pair)
            if cells[0].startswith("#"):
                counted["begins with #"] += 1
                continue
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
