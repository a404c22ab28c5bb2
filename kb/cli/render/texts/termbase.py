"""Prints concepts with their names, for `sansho termbase`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from kb.cli.render.lookup.show_term import print_definition_place
from kb.cli.render.node_names import place_name
from kb.cli.render.output import bold, counted, dim, echo, end_of_result, field, warning

if TYPE_CHECKING:
    from kb import Concept, ConceptName, DecisionNotice, Termbase

_MAX_SPELLINGS = 8


def print_termbase(result: Termbase, *, whole: bool, notice: str) -> None:
    """Print a block for each concept with its names, and how many there are of each status.

    whole: print also definitions, sentences that use the names, spellings and related concepts.
    notice: the knowledge base's notice to readers; empty if there is none.
    """
    for index, concept in enumerate(result.concepts):
        if index:
            echo()
        _print_concept(concept, whole)
    if result.notices:
        echo()
        print_notices(result.notices)
    statuses = Counter(name.status for concept in result.concepts for name in concept.names)
    by_status = ", ".join(f"{number:,} {status}" for status, number in statuses.most_common())
    names = counted(statuses.total(), "name")
    sums = f"{counted(len(result.concepts), 'concept')}, {names}: {by_status}"
    end_of_result(sums=sums, left_out=result.also, notices=[notice])


def print_notices(notices: Iterable[DecisionNotice]) -> None:
    """Print what is to be said of decisions, a line each."""
    for notice in notices:
        echo(warning(f"! {notice}"), indent=2)


def _print_concept(concept: Concept, whole: bool) -> None:
    firsts: dict[str, str] = {}
    for name in concept.names:
        firsts.setdefault(name.lang, name.text)
    heading = " / ".join(dict.fromkeys(firsts.values())) or concept.id
    facts = [concept.game, concept.id]
    echo(bold(heading), "  ", dim(" · ".join(fact for fact in facts if fact)))
    lang = None
    for name in concept.names:
        _print_name(name, "" if name.lang == lang else name.lang, whole)
        lang = name.lang
    if whole:
        _print_rest(concept)


def _print_name(name: ConceptName, lang: str, whole: bool) -> None:
    facts = [f"{name.status}: {name.why}", name.authority]
    if name.reading and name.reading != name.text:
        facts.insert(0, name.reading)
    if name.part_of_speech:
        facts.insert(0, name.part_of_speech)
    if name.count and whole:
        facts.append(f"{name.count:,}×")
    if name.note:
        facts.append(name.note)
    field(lang, name.text, dim(f"  {' · '.join(fact for fact in facts if fact)}"))
    if whole and name.context:
        place = place_name(name.context_passage or "")
        field("", dim("e.g. "), name.context, dim(f"  ({place})"))


def _print_rest(concept: Concept) -> None:
    for definition in concept.definitions:
        field("means", dim(f"({definition.lang}) "), definition.text)
        print_definition_place(definition.authority, definition.url)
    for related in concept.related:
        field(related.relation, f"{related.id}: {related.basis}")
    if concept.spellings:
        written = [f"{each.text} {each.count:,}×" for each in concept.spellings[:_MAX_SPELLINGS]]
        left = len(concept.spellings) - _MAX_SPELLINGS
        rest = dim(f" and {counted(left, 'more spelling')}: --json has them") if left > 0 else ""
        field("written", ", ".join(written), rest)
