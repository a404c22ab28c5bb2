"""What TBX files of both versions say in the same words: statuses, ids, sources, why a name stands.

TBX has four administrative statuses. `deprecatedTerm-admn-sts` is defined as "should not be used";
`supersededTerm-admn-sts` says besides that the term was right once, which we don't know of a name.
A deprecated and a forbidden name of ours are therefore both deprecatedTerm, and the first note of
each name, which begins with our own status, tells them apart.
"""

from __future__ import annotations

import re

from kb.termbase.model import ConceptDefinition, ConceptName, RelatedConcept, Status

TBX_STATUS: dict[Status, str] = {
    "preferred": "preferredTerm-admn-sts",
    "admitted": "admittedTerm-admn-sts",
    "deprecated": "deprecatedTerm-admn-sts",
    "forbidden": "deprecatedTerm-admn-sts",
}
# Without case, blanks, hyphens and the endings "Term" and "-admn-sts". A term that law or a
# standard sets (legal, regulated, standardized) is not thereby preferred here: it is left out.
_STATUS_OF: dict[str, Status] = {
    "preferred": "preferred",
    "recommended": "preferred",
    "approved": "preferred",
    "admitted": "admitted",
    "allowed": "admitted",
    "deprecated": "deprecated",
    "notrecommended": "deprecated",
    "superseded": "deprecated",
    "obsolete": "deprecated",
    "forbidden": "forbidden",
    "prohibited": "forbidden",
}
# What `why_note` writes: a status, one of the reasons for it, and what else is known.
_WHY = re.compile(
    r"(preferred|admitted|deprecated|forbidden): (?:title|alias|redirect|abbreviation"
    r"|older edition|obsolete|other translator|list|proposed|decision)(?:, .*)?",
    re.DOTALL,
)
_CONCEPT = re.compile(r"concept: (.+)", re.DOTALL)  # what `concept_note` writes
# What both XML 1.0's editions have as letters of a name; all else is escaped.
_ESCAPED = re.compile("[^A-Za-z0-9\u3041-\u3094\u30a1-\u30fa\u30fc\u4e00-\u9fa5-]|^[0-9\u30fc-]|^$")
_ESCAPE = re.compile("_([0-9a-f]*)_")  # of `xml_id`; without digits that of an empty id


def xml_id(concept: str) -> str:
    """Return the id of a concept as XML can have it: letters, digits, `.`, `-` and `_` alone.

    `/` is written `.`, and any other sign as its number in hexadecimal digits between `_` and `_`,
    a digit, hyphen, ー or `/` at the beginning, too; an empty id is `__`.

    >>> xml_id("mtg/term/引く"), xml_id("ygo/card/A・B")
    ('mtg.term.引く', 'ygo.card.A_30fb_B')
    """
    return _ESCAPED.sub(_escaped, concept)


def concept_of_id(identifier: str) -> str:
    """Return the id of the concept that `xml_id` made an XML id of; of an id of another tool what
    that would be, which may be no concept's. An escape of no character is left out.

    >>> concept_of_id("mtg.term.引く"), concept_of_id(xml_id("0.5_/・"))
    ('mtg/term/引く', '0.5_/・')
    """
    return _ESCAPE.sub(_unescaped, identifier.replace(".", "/"))


def _escaped(match: re.Match[str]) -> str:
    sign = match[0]
    return "." if sign == "/" and match.start() else f"_{ord(sign):x}_" if sign else "__"


def _unescaped(match: re.Match[str]) -> str:
    number = int(match[1], 16) if 0 < len(match[1]) <= 6 else 0
    return chr(number) if 0 < number < 0x110000 or match[1] == "0" else ""


def concept_note(concept: str) -> str:
    """Return the note that states the id of a concept, as `concept: mtg/term/引く`: other tools
    keep notes, but renumber ids."""
    return f"concept: {concept}"


def concept_of_note(note: str) -> str | None:
    """Return the id of the concept that a note of `concept_note` states; None for any other
    note."""
    found = _CONCEPT.fullmatch(note)
    return found[1] if found else None


def why_note(name: ConceptName) -> str:
    """Return the note on the status of a name: the status, what it rests on, and how sure that is.

    >>> why_note(ConceptName("en", "Draw", "admitted", "proposed", score=12.5))
    'admitted: proposed, no page states it, score 12.5'
    """
    parts = _proposal(name) or [name.why]
    if name.count:
        parts.append(f"met {name.count} times" if name.count > 1 else "met once")
    return f"{name.status}: {', '.join(parts)}"


def _proposal(name: ConceptName) -> list[str]:
    """Return that a name is only proposed, and its score if it has one, as words to be joined;
    nothing for any other name."""
    if name.why != "proposed":
        return []
    score = [] if name.score is None else [f"score {name.score:g}"]
    return ["proposed", "no page states it", *score]


def status_of_note(note: str) -> Status | None:
    """Return the status that a note of `why_note` begins with; None for any other note."""
    found = _WHY.fullmatch(note)
    return _STATUS_OF[found[1]] if found else None


def is_proposal_note(note: str) -> bool:
    """Return whether a note of `why_note` says that the name is only proposed.

    >>> is_proposal_note("admitted: proposed, score 3"), is_proposal_note("admitted: alias")
    (True, False)
    """
    return re.match("admitted: proposed(?:,|$)", note) is not None


def status_of(value: str) -> Status | None:
    """Return the status that a value of any TBX dialect means; None if it means none of ours.

    >>> status_of("preferredTerm-admn-sts"), status_of("notRecommended"), status_of("legalTerm")
    ('preferred', 'deprecated', None)
    """
    plain = re.sub(r"[\s_-]", "", value).casefold()
    return _STATUS_OF.get(plain.removesuffix("admnsts").removesuffix("term"))


def source_text(given: ConceptName | ConceptDefinition) -> str:
    """Return who gives a name or definition, and where (authority, address, passage), with commas;
    empty if unknown.

    That a name is only proposed stands here, too: OmegaT shows the source of a name, but no note.

    >>> source_text(ConceptName("ja", "引く", authority="頁 (3)", url="https://a.example"))
    '頁 (3), https://a.example'
    """
    proposal = _proposal(given) if isinstance(given, ConceptName) else []
    parts = [*proposal, given.authority, given.url, given.passage]
    return ", ".join(part for part in parts if part)


def related_text(related: RelatedConcept) -> str:
    """Return the id of a related concept, how near it is, and why it is held to be so.

    >>> related_text(RelatedConcept("ygo/term/ドロー", "close", "glossary"))
    'ygo/term/ドロー (close: glossary)'
    """
    basis = f": {related.basis}" if related.basis else ""
    return f"{related.id} ({related.relation}{basis})"
