"""Applies a person's decisions on names to concepts; what a person decides wins."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kb.language.fold import fold, is_japanese
from kb.reason import Reason
from kb.result import reported
from kb.termbase.model import Concept, ConceptDefinition, ConceptName, Decision

_ID_MARKS = ("/term/", "/card/")
_NEW = "decision/"


@dataclass(frozen=True, slots=True)
class DecisionNotice:
    """Something about a decision that a person should know, such as that its term names nothing.

    where: the file and line of the decision.
    term: the term that it is about.
    said: the remark.
    """

    where: str
    term: str
    said: Reason

    @reported
    def what(self) -> str:
        """The remark in words."""
        return str(self.said)

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" if self.where else self.what


@dataclass(frozen=True, slots=True)
class NamedConcept:
    """What is needed of a concept to know which decisions are about it.

    names: those that pages state. unsure: those that are only proposed, or that only lists have.
    """

    id: str
    game: str | None
    names: tuple[str, ...]
    kind: str = "term"
    unsure: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ResolvedDecisions:
    """Decisions, by the concepts that they are about.

    of_concept: {id of a concept: its decisions}.
    new: the decisions whose terms no concept has, together for each new concept.
    notices: what is to be said of them.
    """

    of_concept: Mapping[str, tuple[Decision, ...]]
    new: tuple[tuple[Decision, ...], ...] = ()
    notices: tuple[DecisionNotice, ...] = ()


def resolve_decisions(
    decisions: Sequence[Decision], concepts: Iterable[NamedConcept]
) -> ResolvedDecisions:
    """Return which concepts some decisions are about, each concept's in the order of the decisions.

    concepts: all that may be meant; each is found by its id, else by a name, else by a name that
        is the same when it is folded. The decision's game narrows them.

    A term that several games have is decided on in all of them. Of a term and a card of one name
    the term is meant. What several terms of one game may mean is decided on in none; that, unknown
    terms, and what a later decision on the same name replaces, is in the notices. An unknown term
    is a new concept, unless it looks like an id.
    """
    index = _Index(concepts)
    of_concept: dict[str, list[Decision]] = defaultdict(list)
    unknown: dict[tuple[str | None, str], list[Decision]] = defaultdict(list)
    notices: list[DecisionNotice] = []
    for decision in decisions:
        found = index.find(decision)
        clashing = _of_one_game(found)
        if clashing:
            ids = tuple(concept.id for concept in clashing)
            said = Reason("decided_on_several", term=decision.term, concepts=ids)
            notices.append(DecisionNotice(decision.where, decision.term, said))
        elif found:
            for concept in found:
                of_concept[concept.id].append(decision)
        elif any(mark in decision.term for mark in _ID_MARKS):
            said = Reason("decided_on_nothing", term=decision.term)
            notices.append(DecisionNotice(decision.where, decision.term, said))
        else:
            unknown[decision.game, fold(decision.term)].append(decision)
    notices += map(_notice_of_new, unknown.values())
    for of_one in (*of_concept.values(), *unknown.values()):
        notices += _contradictions(of_one)
    return ResolvedDecisions(
        {concept: tuple(of_one) for concept, of_one in of_concept.items()},
        tuple(map(tuple, unknown.values())),
        tuple(notices),
    )


def apply_decisions(
    concepts: Iterable[Concept], resolved: ResolvedDecisions, seen: set[str] | None = None
) -> Iterator[Concept]:
    """Yield concepts with decisions applied, one by one in their order, and then the new concepts;
    of two decisions on one name the later one counts.

    seen: if given, the ids of the concepts that decisions were applied to are added to it.
    """
    for concept in concepts:
        decisions = resolved.of_concept.get(concept.id, ())
        if decisions and seen is not None:
            seen.add(concept.id)
        yield _decided(concept, decisions) if decisions else concept
    for group in resolved.new:
        yield _new_concept(group)


class _Index:
    """Concepts by their ids, names and folded names."""

    def __init__(self, concepts: Iterable[NamedConcept]) -> None:
        self._by_id: dict[str, NamedConcept] = {}
        # Names to the letter, folded names, and unsure ones, folded.
        self._tiers: tuple[dict[str, dict[str, NamedConcept]], ...] = ({}, {}, {})
        for concept in concepts:
            self._by_id[concept.id] = concept
            exact, folded, unsure = self._tiers
            for name in concept.names:
                exact.setdefault(name, {})[concept.id] = concept
                folded.setdefault(fold(name), {})[concept.id] = concept
            for name in concept.unsure:
                unsure.setdefault(fold(name), {})[concept.id] = concept

    def find(self, decision: Decision) -> list[NamedConcept]:
        """Return the concepts that a decision may be about: in each game the terms that have its
        term to the letter, or else those that have it when it is folded, or else those for which it
        is proposed or listed; or else the cards, likewise."""
        term = decision.term
        by_id = self._by_id.get(term)
        if by_id:
            return [by_id] if decision.game in (None, by_id.game) else []
        found: list[NamedConcept] = []
        for is_term in (True, False):
            for tier, name in zip(self._tiers, (term, fold(term), fold(term)), strict=True):
                games = {concept.game for concept in found}
                found += [
                    concept
                    for concept in tier.get(name, {}).values()
                    if (concept.kind == "term") is is_term
                    and concept.game not in games
                    and decision.game in (None, concept.game)
                ]
        return found


def _of_one_game(concepts: Sequence[NamedConcept]) -> list[NamedConcept]:
    """Return the concepts that share their game with another one; empty if each has its own."""
    by_game: dict[str | None, list[NamedConcept]] = defaultdict(list)
    for concept in concepts:
        by_game[concept.game].append(concept)
    return [concept for group in by_game.values() if len(group) > 1 for concept in group]


def _notice_of_new(decisions: Sequence[Decision]) -> DecisionNotice:
    first = decisions[0]
    langs = {name.lang for name in _new_concept(decisions).names}
    alone = next(iter(langs)) if len(langs) == 1 else None
    said = Reason("new_concept", game=first.game, term=first.term, lang=alone)
    return DecisionNotice(first.where, first.term, said)


def _contradictions(decisions: Iterable[Decision]) -> Iterator[DecisionNotice]:
    """Yield a notice of each decision on one concept that gives a name another status than an
    earlier one, or prefers another name in the same language."""
    statuses: dict[tuple[str, str], Decision] = {}
    preferred: dict[str, Decision] = {}
    for decision in decisions:
        earlier = statuses.get((decision.lang, decision.name))
        if earlier and earlier.status != decision.status:
            said = Reason(
                "decided_otherwise",
                name=decision.name,
                status=decision.status,
                other_status=earlier.status,
                earlier=earlier.where or Reason("earlier_decision"),
            )
            yield DecisionNotice(decision.where, decision.term, said)
        if decision.status == "preferred":
            other = preferred.get(decision.lang)
            if other and other.name != decision.name:
                said = Reason(
                    "prefers_another",
                    name=decision.name,
                    other_name=other.name,
                    earlier=other.where or Reason("earlier_decision"),
                )
                yield DecisionNotice(decision.where, decision.term, said)
            preferred[decision.lang] = decision
        statuses[decision.lang, decision.name] = decision


def _decided(concept: Concept, decisions: Iterable[Decision]) -> Concept:
    for decision in decisions:
        names = _with_decision(concept.names, decision)
        definitions = concept.definitions
        if decision.definition:
            given = ConceptDefinition(decision.lang, decision.definition, decision.where)
            definitions = (given, *definitions)
        concept = replace(concept, names=names, definitions=definitions)
    return concept


def _with_decision(names: Sequence[ConceptName], decision: Decision) -> tuple[ConceptName, ...]:
    """Return the names of a concept with a decision on one of them, new or known (to the letter, or
    else when folded); by language in the order that these had, preferred ones first. A name that
    was preferred in the language is admitted if the decision prefers another."""
    of_lang = [name for name in names if name.lang == decision.lang]
    exact = [name for name in of_lang if name.text == decision.name]
    same = exact or [name for name in of_lang if fold(name.text) == fold(decision.name)]
    decided = _decided_name(same[0] if same else None, decision)
    rest = [name for name in names if name not in same[:1]]
    if decision.status == "preferred":
        rest = [
            replace(name, status="admitted")
            if name.lang == decision.lang and name.status == "preferred"
            else name
            for name in rest
        ]
    place = names.index(same[0]) if same else len(names)
    rest.insert(place, decided)
    languages = list(dict.fromkeys(name.lang for name in rest))
    return tuple(sorted(rest, key=lambda n: (languages.index(n.lang), n.status != "preferred")))


def _decided_name(known: ConceptName | None, decision: Decision) -> ConceptName:
    """Return the name that a decision is on, as decided.

    known: what is known of it already; None of a new name. Its note stays unless the decision has
        one; where it stands on a page stays, too, as `passage`.
    """
    base = known or ConceptName(decision.lang, decision.name)
    return replace(
        base,
        text=decision.name,
        status=decision.status,
        why="decision",
        authority=decision.where,
        url=None,
        edition=None,
        reading=decision.reading or base.reading,
        part_of_speech=decision.part_of_speech or base.part_of_speech,
        note=_note(base, decision),
    )


def _note(known: ConceptName, decision: Decision) -> str:
    """Return the note of a decision; what is noted of a reading goes with a reading that is given
    in its place."""
    if decision.note:
        return decision.note
    return "" if decision.reading else known.note


def _new_concept(decisions: Sequence[Decision]) -> Concept:
    first = decisions[0]
    concept = Concept(_NEW + first.term, first.game, ())
    named = {fold(decision.name) for decision in decisions}
    if fold(first.term) not in named:
        lang = "ja" if is_japanese(first.term) else "en" if first.term.isascii() else "und"
        name = ConceptName(lang, first.term, "preferred", "decision", first.where)
        concept = replace(concept, names=(name,))
    return _decided(concept, decisions)
