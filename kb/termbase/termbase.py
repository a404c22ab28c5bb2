"""The termbase of a knowledge base: its concepts, with a person's decisions applied."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from graphs.model import Node
from graphs.store.reader import Store
from graphs.store.termbase_rows import count_uncalled, name_rows, term_ids
from kb.errors import NotFoundError
from kb.language.fold import fold
from kb.query.lookup.common_filters import EVERYTHING, Scope
from kb.query.lookup.find_by_reference import find_named
from kb.reason import Argument, Ask, LeftOut, Reason, again
from kb.result import ListResult, columns
from kb.termbase.concepts import Kind, concepts_of
from kb.termbase.decisions_applied import (
    DecisionNotice,
    NamedConcept,
    ResolvedDecisions,
    apply_decisions,
    resolve_decisions,
)
from kb.termbase.model import Concept, ConceptName, Decision

_KINDS: tuple[Kind, ...] = ("term", "card")
_MOST_UNJOINED = 30  # terms of one language that are named: a few lines; more are no help
_UNSURE = frozenset(("proposed", "listed"))  # roles of names that no page states


@dataclass(frozen=True, slots=True, repr=False)
class Termbase(ListResult[Concept], items="concepts", item="concept"):
    """Concepts with their names in every language, the status of each and who gives it.

    concepts: sorted by id; those that only decisions name come last.
    notices: what is to be said of decisions, such as that the term of one is not known.
    also: what was left out, and how to get it.
    lacking: of what a reference names, the languages of its game's rules, or else of the base, in
        which it has no name, not even a proposed one: `{id of the concept: languages}`.
    """

    concepts: tuple[Concept, ...]
    notices: tuple[DecisionNotice, ...] = ()
    also: tuple[LeftOut, ...] = ()
    lacking: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    _COLUMNS = columns(
        "concept=concept.id game=concept.game lang=name.lang name=name.text status=name.status "
        "why=name.why reading=name.reading part_of_speech=name.part_of_speech "
        "authority=name.authority note=name.note count context=name.context definition",
        count=lambda _found, row: row["name"].count or None,  # 0 if nobody counted, too
    )

    def _rows(self) -> Iterator[Mapping[str, object]]:
        for concept in self.concepts:
            for name in concept.names:
                definition = _definition(concept, name)
                yield {"concept": concept, "name": name, "definition": definition}


def _definition(concept: Concept, name: ConceptName) -> str | None:
    first = next(other for other in concept.names if other.lang == name.lang)
    texts = (each.text for each in concept.definitions if each.lang == name.lang)
    return next(texts, None) if name is first else None


def termbase(
    store: Store,
    ref: str | None = None,
    scope: Scope = EVERYTHING,
    decisions: Sequence[Decision] = (),
    cards: bool = False,
    uses: bool = True,
) -> Termbase:
    """Return the concepts of a knowledge base, or those that a reference names, with decisions
    applied.

    ref: a term or card by any of its names, or its id; None for all terms.
    scope: its game, source and language (of a name) choose; its edition is ignored. `ref` may be in
        another language.
    cards: whether cards are among them; those that `ref` or a decision names always are.
    uses: whether to tell how often and where names are used.

    Raises NotFoundError if `ref` names nothing, or nothing that is a term or card, or none that has
    a name in the language.
    """
    if ref is None:
        decided = DecidedConcepts(store, scope, decisions, cards, uses=uses)
        concepts = tuple(decided)
        return Termbase(concepts, decided.notices, decided.left_out)
    named = _named(store, ref, scope, decisions)
    decided = DecidedConcepts(store, scope, decisions, ids=[node.id for node in named], uses=uses)
    wanted = fold(ref)
    concepts = tuple(
        concept
        for concept in decided
        if not concept.id.startswith("decision/")
        or any(fold(name.text) == wanted for name in concept.names)
    )
    if not concepts:
        raise NotFoundError("no_term_or_card", ref=ref)
    lang = scope.lang
    if not (named_so := tuple(each for each in concepts if lang in (None, *_langs(each)))):
        langs = tuple(sorted({one for each in concepts for one in _langs(each)}))
        raise NotFoundError("no_name_in_language", ref=ref, lang=lang, langs=langs)
    concepts = named_so
    about = {concept.id for concept in concepts}
    notices = tuple(n for n in decided.notices if fold(n.term) == wanted or n.term in about)
    lacking = dict(_lacking(store, concepts))
    return Termbase(concepts, notices, tuple(_unjoined(store, concepts, lacking)), lacking)


def _lacking(store: Store, concepts: Sequence[Concept]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the id of each concept and the languages in which it has no name, if there are any."""
    of_rules = [(game, lang) for game, _, lang in store.editions()]
    for concept in concepts:
        langs = {lang for game, lang in of_rules if game == concept.game}
        lacking = (langs or set(store.values()["lang"])) - _langs(concept)
        if lacking:
            yield concept.id, tuple(sorted(lacking))


def _unjoined(
    store: Store, concepts: Sequence[Concept], lacking: Mapping[str, Sequence[str]]
) -> Iterator[LeftOut]:
    """Yield for each game and language in which a concept has no name the terms that are named in
    that language alone, unless they are very many: one of them may be the same."""
    places = {(one.game, lang): None for one in concepts for lang in lacking.get(one.id, ())}
    for game, lang in places:
        named: dict[str, set[str]] = defaultdict(set)
        texts: dict[str, str] = {}
        for row in name_rows(store, term_ids(store, ("term",), game, None, lang)):
            if row.role != "reading":
                named[row.node].add(row.lang)
                texts.setdefault(row.node, row.text)
        alone = tuple(sorted(texts[node] for node, langs in named.items() if langs == {lang}))
        if 0 < len(alone) <= _MOST_UNJOINED:
            ask = Ask("terms", game=game, lang=lang)
            said = Reason("unjoined_terms", ask, terms=len(alone), lang=lang, names=alone)
            yield LeftOut(None, said)


def _langs(concept: Concept) -> set[str]:
    """Return the languages in which a concept has a name."""
    return {name.lang for name in concept.names}


def _named(store: Store, ref: str, scope: Scope, decisions: Sequence[Decision]) -> list[Node]:
    """Return the terms and cards of the scope's game that a reference names in the store or by a
    decision, each once, those that the store names so first; empty if it names other things, or
    the term of the decision is not in the store.

    Raises NotFoundError if neither the store nor a decision has it."""
    wanted = fold(ref)
    terms = {each.term for each in decisions if wanted in (fold(each.name), fold(each.term))}
    found: dict[str, Node] = {}
    try:
        # The language is that of a name to be found, not of the one given.
        nodes = find_named(store, ref, scope=replace(scope, lang=None))
    except NotFoundError:
        if not terms:
            raise
        nodes = []
    by_decision = [
        node for _, node in store.find_by_names([fold(term) for term in terms], listed=True)
    ]
    for node in [*nodes, *by_decision, *store.get(terms).values()]:
        if node.kind in _KINDS and scope.game in (None, node.game):
            found.setdefault(node.id, node)
    return list(found.values())


class DecidedConcepts:
    """The concepts of a store with decisions applied, as a stream that is read once.

    ids: of the concepts that are in the store, in the order of the stream; those that only
        decisions name have none there.
    left_out: what is not among all those of a scope, and how to get it.
    notices: what is to be said of the decisions; complete when the stream was read to its end.
    """

    def __init__(
        self,
        store: Store,
        scope: Scope = EVERYTHING,
        decisions: Sequence[Decision] = (),
        cards: bool = False,
        ids: Sequence[str] | None = None,
        uses: bool = True,
    ) -> None:
        """scope, cards, uses: as for `termbase`. ids: of the concepts; None: all in the scope."""
        self._store = store
        self._decisions = [
            decision for decision in decisions if scope.game in (None, decision.game or scope.game)
        ]
        self._resolved = decisions_on_nodes(store, self._decisions, scope.game)
        self._seen: set[str] = set()
        self.left_out: tuple[LeftOut, ...] = ()
        if ids is None:
            kinds: tuple[Kind, ...] = _KINDS if cards else ("term",)
            ids = term_ids(store, kinds, scope.game, scope.source, scope.lang)
            decided_cards = self._decided_cards(set(ids), scope) if self._decisions else []
            ids = sorted([*ids, *decided_cards]) if decided_cards else ids
            self.left_out = tuple(_left_out(store, scope, ids, cards))
        self.ids: Sequence[str] = ids
        self._uses = uses

    def __iter__(self) -> Iterator[Concept]:
        concepts = concepts_of(self._store, self.ids, self._uses)
        return apply_decisions(concepts, self._resolved, self._seen)

    @property
    def notices(self) -> tuple[DecisionNotice, ...]:
        unused: dict[str, list[str]] = {}
        used: set[str] = set()
        for concept, decisions in self._resolved.of_concept.items():
            for decision in decisions:
                if concept in self._seen:
                    used.add(decision.where or decision.term)
                unused.setdefault(decision.where or decision.term, []).append(concept)
        found = list(self._resolved.notices)
        for decision in self._decisions:
            key = decision.where or decision.term
            if key in unused and key not in used:
                said = Reason("decision_left_out", term=decision.term, concepts=tuple(unused[key]))
                found.append(DecisionNotice(decision.where, decision.term, said))
        return tuple(dict.fromkeys(found))

    def _decided_cards(self, known: set[str], scope: Scope) -> list[str]:
        """Return the ids of cards that decisions name and that aren't known, in the scope's game;
        none if the scope has a source."""
        nodes = self._store.get(set(self._resolved.of_concept) - known)
        return [
            node.id
            for node in nodes.values()
            if node.kind == "card" and scope.game in (None, node.game) and scope.source is None
        ]


def decisions_on_nodes(
    store: Store, decisions: Sequence[Decision], game: str | None
) -> ResolvedDecisions:
    """Return which terms and cards of a store decisions are about, as `resolve_decisions` does;
    without decisions, nothing is read.

    game: that of the nodes; None for any.
    """
    if not decisions:
        return ResolvedDecisions({})
    terms = list(dict.fromkeys(decision.term for decision in decisions))
    nodes = {
        node.id: node for _, node in store.find_by_names(list(set(map(fold, terms))), listed=True)
    }
    nodes |= store.get(terms)
    candidates = [
        NamedConcept(
            node.id,
            node.game,
            tuple(each.text for each in node.labels if each.role not in ("reading", *_UNSURE)),
            node.kind,
            tuple(each.text for each in node.labels if each.role in _UNSURE),
        )
        for node in nodes.values()
        if node.kind in _KINDS and game in (None, node.game)
    ]
    return resolve_decisions(decisions, sorted(candidates, key=lambda each: each.id))


def _left_out(store: Store, scope: Scope, ids: Sequence[str], cards: bool) -> Iterator[LeftOut]:
    """Yield what is not among all concepts of a scope: how many cards, and how many names of lists
    of which nobody said what they are; nothing if there are none.

    ids: of the concepts that are. cards: whether cards are among them.
    """
    if not cards:
        others = set(term_ids(store, ("card",), scope.game, scope.source, scope.lang)) - set(ids)
        if others:
            yield LeftOut(None, Reason("only_terms_given", again(cards=True), cards=len(others)))
    if unsure := count_uncalled(store, scope.game):
        build_with = tuple(Argument("names", kind) for kind in ("terms", "cards"))
        yield LeftOut(None, Reason("unsure_names", names=unsure, build_with=build_with))
