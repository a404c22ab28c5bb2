"""Finds the rulings on a term, card, rule or page: the questions and answers that speak of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from graphs.model import Evidence, Node
from graphs.store.reader import Store
from graphs.store.references import rulings_referring
from kb.query.lookup.arguments import MOST_LISTED
from kb.query.lookup.common_filters import Scope
from kb.query.lookup.cursor import longer_list
from kb.query.lookup.find_by_reference import resolve_edition, unknown_ref
from kb.query.lookup.passage_places import Place, find_places
from kb.query.statements.steps_and_outcomes import (
    MOST_MENTIONS,
    Subject,
    find_subject,
    left_out_by_filters,
    mentions_left_out,
    statements_defining,
)
from kb.reason import LeftOut, Reason
from kb.result import ListResult, columns

_AT_ONCE = 50  # rulings whose nodes are read together: by hand, some more than are shown at once
_Found = tuple[str, Evidence, str]


@dataclass(frozen=True, slots=True)
class Ruling:
    """A question and its answer, as a page has them.

    question, answer: their texts.
    date: the day of the ruling, as YYYY-MM-DD; None if the page does not say.
    node: its node.
    evidence: the words that refer to what was asked for; of a ruling on its own page, the passage.
    place: where it stands: the page, its section and its address.
    why: `page` if it stands on the page of what was asked for, or how it refers to that: `cites`,
        `links_to` or `mentions`.
    """

    question: str
    answer: str
    date: str | None
    node: Node
    evidence: Evidence
    place: Place
    why: str


@dataclass(frozen=True, slots=True, repr=False)
class Rulings(ListResult[Ruling], items="rulings", item="ruling"):
    """The rulings that speak of something: those on its page first, then those that refer to it.

    also: what was not looked at, of a term that is mentioned very often; if there are none, how
        many the filters leave out.
    more: how to go on, if there are more; else None.
    """

    rulings: tuple[Ruling, ...]
    also: tuple[LeftOut, ...] = ()
    more: Reason | None = None

    _COLUMNS = columns(
        "question answer date page=place.page url=place.url why ruling=node.id notice=node.notice"
    )


def rulings(store: Store, ref: str, scope: Scope, most: int) -> Rulings:
    """Return the rulings on the page of what a reference names, or in whose words it is cited,
    linked or mentioned. The result may be empty.

    ref: a term, card, rule or page, as for `find_nodes`.
    scope: its game limits also what the reference may name.
    most: at most how many rulings; reading ends there.

    Those on its page come first, then those that refer to it. Each is there once, for the first
    reason.

    Raises NotFoundError if the reference names nothing.
    """
    subject = _subject(store, ref, scope)
    found = list(islice(_found(store, subject, scope), most + 1))
    also = list(mentions_left_out(store, subject, "ruling", scope))
    if not found:

        def count(wider: Scope) -> int:
            return sum(1 for _ in _found(store, _subject(store, ref, wider), wider))

        also += left_out_by_filters(scope, "ruling", count)
    nodes = store.get(ruling for ruling, *_ in found)
    places = find_places(store, {evidence.passage for _, evidence, _ in found})
    return Rulings(
        tuple(
            Ruling(node.label or "", node.text or "", node.date, node, evidence, place, why)
            for ruling, evidence, why in found[:most]
            if (node := nodes.get(ruling)) and (place := places.get(evidence.passage))
        ),
        tuple(also),
        longer_list(10 * most, most, MOST_LISTED) if len(found) > most else None,
    )


def _subject(store: Store, ref: str, scope: Scope) -> Subject:
    """Return what a reference names in a game, and if an edition is asked for, only in this or in
    none; then there may be nothing. Raises NotFoundError if it names nothing in the game."""
    subject = find_subject(store, ref, scope.game)
    if not subject.nodes:
        raise unknown_ref(store, ref, Scope(game=scope.game))
    if not scope.edition:
        return subject
    edition = resolve_edition(store, scope.edition)
    return replace(subject, nodes=tuple(n for n in subject.nodes if n.edition in (None, edition)))


def _found(store: Store, subject: Subject, scope: Scope) -> Iterator[_Found]:
    """Yield the rulings that speak of a subject, each once: its id, its evidence, and why.

    scope: of the rulings, but for its edition, which is of what they speak of.
    """
    scope = replace(scope, edition=None)
    seen: set[str] = set()
    every = _all_found(store, subject)
    while batch := list(islice(every, _AT_ONCE)):
        nodes = store.get(ruling for ruling, *_ in batch)
        for ruling, evidence, why in batch:
            node = nodes.get(ruling)
            if node and scope.includes(node) and ruling not in seen:
                seen.add(ruling)
                yield ruling, evidence, why


def _all_found(store: Store, subject: Subject) -> Iterator[_Found]:
    """Yield what `_found` does, with repetitions and out of the scope, too."""
    on_page = [node.id for node in statements_defining(store, subject, "ruling")]
    edges = store.edges(on_page, "out", ["part_of"])
    # A page comes before its copy in another wiki of the site: `rush/引く`.
    for edge in sorted(edges, key=lambda edge: edge.evidence.page.count("/")):
        yield edge.source, edge.evidence, "page"
    ids = [node.id for node in subject.nodes]
    for ruling, edge in rulings_referring(store, ids, MOST_MENTIONS):
        yield ruling, edge.evidence, edge.kind
