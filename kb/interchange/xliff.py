"""Writes the texts of a new edition, with their translations so far, as XLIFF 1.2 or 2.1, for a
translator's own tool."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import BinaryIO, Literal
from xml.sax.saxutils import escape, quoteattr

from kb.control_characters import xml_text
from kb.termbase.edition_translation import EditionWork, WorkUnit

Version = Literal["1.2", "2.1"]
TOOL = "sansho"
# Around the words that differ, in a note: signs that rules don't have.
_BEGIN, _END = "⟦", "⟧"
_STATES = {
    "1.2": {"final": "final", "needs-review": "needs-review-translation", "new": "new"},
    "2.1": {"final": "final", "needs-review": "initial", "new": "initial"},
}


def _escaped(text: str) -> str:
    return escape(xml_text(text), {"\r": "&#13;"})


def write(work: EditionWork, out: BinaryIO, version: Version) -> int:
    """Write the units of an edition, in their order, and return how many.

    Each has its id, its state and, where that is not final, notes: what the edition did with it,
    what the text was before with the words that differ in ⟦…⟧, and the terms in it. In XLIFF 1.2
    the text before and its translation, or the text that is most like it, are an `alt-trans`, too,
    in which the words that differ are marked.
    """
    lines = _of_12(work) if version == "1.2" else _of_21(work)
    for line in lines:
        out.write(f"{line}\n".encode())
    return len(work.units)


def write_for_omegat(work: EditionWork, out: BinaryIO) -> int:
    """Write the units as XLIFF 1.2 in which each target is the source, without states and notes,
    and return how many. OmegaT takes what stands in a target for the text to be translated; it
    fills in what is final from the memory beside it."""
    out.write(f"{_head_of_12(work)}\n".encode())
    for unit in work.units:
        source = _escaped(unit.source)
        out.write(
            f'<trans-unit id={_quoted(unit.id)} xml:space="preserve">\n<source>{source}</source>\n'
            f"<target>{source}</target>\n</trans-unit>\n".encode()
        )
    out.write(f"{_END_OF_12}\n".encode())
    return len(work.units)


def original_of(work: EditionWork) -> str:
    """Return what the file is a translation of, as `sansho build` knows it again:
    `sansho:lorcana/cr/20260709`."""
    return f"{TOOL}:{work.game}/cr/{work.after}"


def _of_12(work: EditionWork) -> Iterator[str]:
    yield _head_of_12(work)
    for unit in work.units:
        approved = "yes" if unit.state == "final" else "no"
        yield (
            f"<trans-unit id={_quoted(unit.id)} resname={_quoted(unit.place)} "
            f'approved="{approved}" xml:space="preserve">'
        )
        yield f"<source>{_escaped(unit.source)}</source>"
        state = _STATES["1.2"][unit.state]
        yield f'<target state="{state}">{_escaped(unit.target)}</target>'
        yield from _alternative(unit, work)
        yield from (f"<note>{_escaped(note)}</note>" for note in notes_of(unit))
        yield "</trans-unit>"
    yield _END_OF_12


_END_OF_12 = "</body>\n</file>\n</xliff>"


def _head_of_12(work: EditionWork) -> str:
    given = {
        "original": original_of(work),
        "source-language": work.source_lang,
        "target-language": work.target_lang,
        "datatype": "plaintext",
        "tool-id": TOOL,
    }
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">\n'
        f"{_tag('file', given)}\n"
        f'<header><tool tool-id="{TOOL}" tool-name="{TOOL}"/></header>\n<body>'
    )


def _tag(name: str, attributes: Mapping[str, str]) -> str:
    """Return the start of an element."""
    given = (f"{attribute}={_quoted(value)}" for attribute, value in attributes.items())
    return f"<{name} {' '.join(given)}>"


def _alternative(unit: WorkUnit, work: EditionWork) -> Iterator[str]:
    """Yield the text that a unit's is most like, with its translation: that of the edition before,
    or else of any rule or gloss."""
    if unit.old_target:
        spans = [(start, end) for start, end, _, _ in unit.spans]
        pair = _marked(unit.old_source, spans), _escaped(unit.old_target)
        origin = work.before
    elif unit.near:
        spans = [(start, end) for _, _, start, end in unit.near.spans]
        pair = _marked(unit.near.source, spans), _escaped(unit.near.target)
        origin = unit.near.node.id
    else:
        return
    yield f'<alt-trans match-quality="{unit.score:.0%}" origin={_quoted(origin)}>'
    yield f"<source>{pair[0]}</source>\n<target>{pair[1]}</target>\n</alt-trans>"


def _of_21(work: EditionWork) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield (
        '<xliff version="2.1" xmlns="urn:oasis:names:tc:xliff:document:2.0" '
        f"srcLang={_quoted(work.source_lang)} trgLang={_quoted(work.target_lang)}>"
    )
    yield _tag("file", {"id": "rules", "original": original_of(work)})
    for unit in work.units:
        yield f"<unit id={_quoted(unit.id)} name={_quoted(unit.place)}>"
        if found := notes_of(unit):
            notes = "".join(f"<note>{_escaped(note)}</note>" for note in found)
            yield f"<notes>{notes}</notes>"
        yield f'<segment state="{_STATES["2.1"][unit.state]}">'
        yield f'<source xml:space="preserve">{_escaped(unit.source)}</source>'
        if unit.target:
            yield f'<target xml:space="preserve">{_escaped(unit.target)}</target>'
        yield "</segment>\n</unit>"
    yield "</file>\n</xliff>"


def notes_of(unit: WorkUnit) -> list[str]:
    """Return what a translator should know of a unit, a sentence each; empty if it is final."""
    if unit.state == "final":
        return []
    found = [f"{unit.place}: {unit.kind}", *unit.notes]
    if unit.old_target:
        before = [(start, end) for start, end, _, _ in unit.spans]
        after = [(start, end) for _, _, start, end in unit.spans]
        found.append(f"was: {bracketed(unit.old_source, before)}")
        found.append(f"is: {bracketed(unit.source, after)}")
        if unit.old_target != unit.target:
            found.append(f"its translation was: {unit.old_target}")
    elif unit.near:
        found.append(f"like it ({unit.near.score:.0%}): {unit.near.source} = {unit.near.target}")
    if unit.terms:
        found.append("terms: " + "; ".join(f"{name} = {there}" for name, there in unit.terms))
    return found


def bracketed(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return a text with spans of it in ⟦…⟧; an empty span stays without.

    >>> bracketed("Draw two cards.", [(5, 8)])
    'Draw ⟦two⟧ cards.'
    """
    return _marked(text, spans, _BEGIN, _END, str)


def _marked(
    text: str,
    spans: Iterable[tuple[int, int]],
    begin: str = '<mrk mtype="x-changed">',
    end_sign: str = "</mrk>",
    written: Callable[[str], str] = _escaped,
) -> str:
    """Return a text with signs around spans of it that are not empty. written: how its pieces are
    written."""
    pieces, last = list[str](), 0
    for start, end in spans:
        if end > start:
            pieces += [written(text[last:start]), begin, written(text[start:end]), end_sign]
            last = end
    return "".join(pieces) + written(text[last:])


def _quoted(value: str) -> str:
    return quoteattr(xml_text(value))
