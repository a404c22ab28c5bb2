"""The tools `termbase`, the names to use, and `check`, where a translation departs from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

import kb
from kb import KnowledgeBase
from kb.mcp.citing import Game, Refs, Skip, listed
from kb.mcp.replies import Reply, address, around, fact, name, part_of, quote, reply, said
from kb.shared_wording import counted, dotted

if TYPE_CHECKING:
    from kb import Check, Concept, ConceptName, Finding, LeftOut, Termbase

# Characters, by hand: as for `verify`.
_LONGEST_TEXT = 60_000
_MAX_DEFINITIONS = 2  # of a concept, by hand: `show` has all
_MAX_RELATED = 6
# Terms whose uses are counted: by hand, as each reads all English passages, which takes seconds.
_MOST_COUNTED = 3
_LONGEST_CONTEXT = 300
_MAX_LINES_NAMED = 10
_AROUND = 120  # characters of a segment around a problem, half on each side
_Terms = Annotated[
    Refs,
    Field(max_length=10, description="Terms or cards by any name, or ids; empty: all of the game."),
]
_NamedIn = Annotated[
    str | None, Field(description="Only terms that have a name in this language: de.")
]
_MostConcepts = Annotated[int, Field(ge=1, le=40, description="Terms at most.")]
_MostProblems = Annotated[int, Field(ge=1, le=60, description="Problems at most.")]
_Text = Annotated[
    str,
    Field(min_length=1, max_length=_LONGEST_TEXT, description="The translation: plain text."),
]
_Original = Annotated[
    str,
    Field(
        max_length=_LONGEST_TEXT,
        description="What it translates, line by line. Without it, what begins with a rule's "
        "number is held against that rule.",
    ),
]
_SourceLang = Annotated[str | None, Field(description="Language of the original: en.")]
_TargetLang = Annotated[str | None, Field(description="Language of the translation: ja.")]
_OfRules = Annotated[str | None, Field(description="The edition that it means: 20231117.")]


def termbase(
    base: KnowledgeBase,
    terms: _Terms = [],  # noqa: B006
    game: Game = None,
    lang: _NamedIn = None,
    most: _MostConcepts = 10,
    skip: Skip = 0,
) -> Reply:
    """Tell which names a term has in each language and which to use: preferred, admitted,
    deprecated or only proposed, by whose authority, with readings and a sentence that uses it. Use
    it for "how do I translate X?". For other games use compare."""
    uses = 0 < len(terms) <= _MOST_COUNTED
    found: list[Termbase] = []
    unfound: dict[str, kb.NotFoundError] = {}
    for term in terms or (None,):
        try:
            found.append(base.termbase(term, game=game, lang=lang, uses=uses))
        except kb.NotFoundError as error:
            unfound[term or ""] = error
    if not found:
        first = next(iter(unfound.values()))
        if len(unfound) == 1:
            raise first
        raise kb.NotFoundError("none_found", refs=tuple(unfound), first=first.reason)
    concepts = list({each.id: each for one in found for each in one.concepts}.values())
    lacking = {concept: langs for one in found for concept, langs in one.lacking.items()}
    part = part_of(
        concepts,
        lambda each: list(_concept_lines(each, lacking.get(each.id, ()))),
        skip,
        most,
        "terms",
    )
    lines = [*part.lines, *(f"not found: {said(error.reason)}" for error in unfound.values())]
    notices = [f"decision: {said(each.said, 300)}" for one in found for each in one.notices]
    items = [_concept_item(concept) for concept in concepts[skip : part.stop]]
    also: list[LeftOut] = [each for one in found for each in one.also]
    return reply([*lines, *notices[:_MAX_LINES_NAMED]], items, part, also, [base.notice])


def _concept_item(concept: Concept) -> dict[str, Any]:
    preferred = {each.lang: each.text for each in concept.names if each.status == "preferred"}
    related = [each.id for each in concept.related]
    return {"id": concept.id, "game": concept.game, "preferred": preferred, "related": related}


def _concept_lines(concept: Concept, lacking: Sequence[str]) -> Iterator[str]:
    """Yield the lines for a concept. lacking: the languages in which it has no name."""
    first = next(iter(concept.names), None)
    facts = [name(first.text if first else concept.id), concept.kind, fact(concept.game or "")]
    yield dotted(*facts, address(concept.url))
    for each in concept.names:
        yield _name_line(each)
        if each.note:
            yield f"  note: {name(each.note, 300)}"
        if each.context and each.status == "preferred":
            yield from ("  used so:", *quote(each.context, _LONGEST_CONTEXT, "  "))
    if lacking:
        yield f"no name in {listed(map(fact, lacking))}"
    for definition in concept.definitions[:_MAX_DEFINITIONS]:
        yield f"definition ({fact(definition.lang)}, {name(definition.authority)}):"
        yield from quote(definition.text, _LONGEST_CONTEXT)
    related = [f"{name(each.id)} ({each.relation})" for each in concept.related]
    if related:
        yield f"in other games: {listed(related, _MAX_RELATED)}"
    yield f"id: {name(concept.id, 300)}"


def _name_line(each: ConceptName) -> str:
    """Return a name in a line: language, name, status, why, who gives it, reading, how often."""
    given = f", given by {name(each.authority)}" if each.authority else ""
    reading = f"; reading {name(each.reading)}" if each.reading else ""
    used = f"; used {counted(each.count, 'time')}" if each.count else ""
    why = f"{each.status}: {each.why}{given}"
    return f"{fact(each.lang)}: {name(each.text)} ({why}){reading}{used}"


def check(
    base: KnowledgeBase,
    text: _Text,
    original: _Original = "",
    source_lang: _SourceLang = None,
    target_lang: _TargetLang = None,
    game: Game = None,
    edition: _OfRules = None,
    most: _MostProblems = 20,
    skip: Skip = 0,
) -> Reply:
    """Check a translation against the termbase, the rules and its original: names to avoid, missing
    terms, numbers and citations that differ, a turned sense, inconsistent names; with what to write
    instead. The first call may take a minute. For citations and quotations use verify."""
    with TemporaryDirectory(prefix="sansho-") as folder:
        draft, source = Path(folder, "text.txt"), Path(folder, "original.txt")
        draft.write_text(text, "utf-8")
        if original:
            source.write_text(original, "utf-8")
        found = base.check(
            draft,
            original=source if original else None,
            source_lang=source_lang,
            target_lang=target_lang,
            game=game,
            edition=edition,
        )
    part = part_of(found.problems, _problem_lines, skip, most, "problems")
    lines = [*_check_sums(found), *([""] if part.lines else []), *part.lines]
    items = [
        {
            "line": each.line,
            "start": each.start,
            "end": each.end,
            "problem": each.kind,
            "id": each.term,
            "fix": each.suggestion,
        }
        for each in found.problems[skip : part.stop]
    ]
    return reply(lines, items, part, notices=[base.notice])


def _check_sums(found: Check) -> Iterator[str]:
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in found.counts.items())
    sums = f"{counted(len(found.problems), 'problem')} in {counted(found.segments, 'segment')}"
    yield sums + (f": {kinds}" if kinds else "")
    for reason in found.held_against:
        yield said(reason, 300)
    if found.segments > found.with_source + found.from_rules:
        compared = f"{found.with_source + found.from_rules:,} of {found.segments:,}"
        yield f"only {compared} segments have a source: give `original` to hold all against one"
    if found.not_compared:
        lines = listed(map(str, found.not_compared), _MAX_LINES_NAMED)
        yield f"too long or short for their source, not compared: lines {lines}"
    for warning in found.warnings[:_MAX_LINES_NAMED]:
        yield f"not read: {name(warning, 300)}"


# Of kinds whose names don't say it all.
_MEANING = {
    "merged-terms": " (other words stand for this term)",
    "other-game-term": " (only another game calls it so)",
}


def _problem_lines(found: Finding) -> list[str]:
    """Return where a problem is and what it is, on whose authority; the words around it; and what
    should stand there."""
    told = f": {said(found.said, 400)}" if found.said else ""
    giver = f" ({said(found.giver, 200)})" if found.giver else ""
    # Other words may stand there for a term; which, is only sure where one can be written instead.
    near = "near " if found.kind == "merged-terms" and not found.suggestion else ""
    place = f"line {found.line}, {near}character {found.start + 1}"
    kind = f"{found.kind}{_MEANING.get(found.kind, '')}"
    lines = [f"{place}: {kind}{told}{giver}"]
    text = " ".join(found.segment_text.split())
    at = max(0, text.find(found.text))
    lines += quote(around(text, at, at + len(found.text), _AROUND))
    if found.expected and not found.said:
        lines.append(f"expected: {name(found.expected, 300)}")
    return [*lines, f"write: {name(found.suggestion, 300)}"] if found.suggestion else lines
