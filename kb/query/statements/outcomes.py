"""Finds the outcomes stated on a term: what happens on which condition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from graphs.model import Evidence, Node, page_and_section
from graphs.store.reader import Store
from kb.language.fold import fold
from kb.query.lookup.arguments import MOST_LISTED
from kb.query.lookup.common_filters import Scope
from kb.query.lookup.cursor import longer_list
from kb.query.lookup.find_by_reference import unknown_ref
from kb.query.lookup.passage_places import Place
from kb.query.statements.steps_and_outcomes import (
    MOST_MENTIONS,
    Statement,
    Subject,
    collect_statements,
    find_subject,
    left_out_by_filters,
    mentions_left_out,
    quotations_left_out,
    rules_about,
    rules_quoted_from_elsewhere,
    statements_defining,
)
from kb.reason import Ask, LeftOut, Reason
from kb.result import ListResult, columns

_SUBJECT_FORMS = ("{}", "「{}」", "《{}》", "“{}”", "the {}", "a {}", "an {}")  # of a name


@dataclass(frozen=True, slots=True)
class Outcome:
    """A statement of the form "if condition, then result".

    subject: what it is about, in the words of the page.
    condition, result: its two parts; empty if not stated.
    modality: `must`, `may`, `cannot` or `is`.
    exception_to: the id of the outcome, or the words, to which this is an exception, or None.
    node: the outcome's node.
    evidence: the passage that states it, and its words there.
    place: where that passage stands.
    same: where else the same is stated: other editions, captures and pages.
    card: the name of the card that it is printed on, or None.
    """

    subject: str
    condition: str
    result: str
    modality: str
    exception_to: str | None
    node: Node
    evidence: Evidence
    place: Place
    same: tuple[Place, ...]
    card: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Outcomes(ListResult[Outcome], items="outcomes", item="outcome"):
    """The outcomes stated on a term, by game and in the order of the pages, each once.

    also: what was left out: outcomes of older editions, those of other rules that the term's
        page only quotes, and the abilities of cards that it shows; what was not looked at, of a
        term that is mentioned very often; and if there are no outcomes, how many the filters leave
        out.
    total: how many there are, `outcomes` included.
    more: how to go on, if not all are here; else None.
    """

    outcomes: tuple[Outcome, ...]
    also: tuple[LeftOut, ...] = ()
    total: int = 0
    more: Reason | None = None

    _COLUMNS = columns(
        "game=node.game subject condition result modality exception_to "
        "passage=evidence.passage notice=node.notice"
    )


def outcomes(store: Store, ref: str, scope: Scope, most: int) -> Outcomes:
    """Return the outcomes stated on a term's page, under its rule, or with the term as subject.

    If there are none, the outcomes under the rules that a rulebook's glossary cites for the term
    are returned. The result may be empty. What several editions or captures state in the same
    words is one outcome. What is printed on a card counts only for that card, or for a page that is
    asked for by its name.

    ref: a term, card, rule or page, as for `find_nodes`.
    scope: its game limits also what the reference may name. Without an edition in it, outcomes
        that a newer edition words otherwise are left out; `also` says so.
    most: at most how many outcomes.

    They are sorted by game, in it as `collect_statements` returns them.

    Raises NotFoundError if the reference names nothing and nothing is stated of it.
    """
    statements, also = _stated(store, ref, scope)
    if not statements:
        also += left_out_by_filters(
            scope, "outcome", lambda wider: len(_stated(store, ref, wider)[0])
        )
    ids = {key: statement.node.id for statement in statements for key in statement.ids}
    return Outcomes(
        tuple(_outcome(statement, ids) for statement in statements[:most]),
        tuple(also),
        len(statements),
        longer_list(len(statements), most, MOST_LISTED) if len(statements) > most else None,
    )


def _stated(store: Store, ref: str, scope: Scope) -> tuple[list[Statement], list[LeftOut]]:
    """Return the outcomes stated on what a reference names, by game, and what was left out of
    them; arguments and errors as for `outcomes`."""
    subject = find_subject(store, ref, scope.game)
    on_page = statements_defining(store, subject, "outcome")
    quoted = rules_quoted_from_elsewhere(store, subject, on_page)
    nodes = [node for node in on_page if node.id not in quoted]
    nodes += store.stated_in("outcome", store.passages_giving(rules_about(store, subject)))
    nodes += _on_subject(store, subject)
    if not nodes:  # a glossary's entry only refers to the rules
        nodes = store.stated_in(
            "outcome", store.passages_giving(rules_about(store, subject, cited=True))
        )
    if not nodes and not subject.nodes:
        raise unknown_ref(store, ref, Scope(game=scope.game))
    found = {node.id for node in nodes}
    only_quoted = [place for node_id, place in quoted.items() if node_id not in found]
    nodes, of_cards = _without_cards(nodes, subject)
    statements, outdated = collect_statements(store, nodes, scope, _content)
    statements.sort(key=lambda statement: statement.node.game or "")
    return statements, [
        *quotations_left_out(only_quoted, "outcomes"),
        *outdated,
        *of_cards,
        *mentions_left_out(store, subject, "outcome", scope),
    ]


def _without_cards(
    nodes: Iterable[Node], subject: Subject
) -> tuple[list[Node], tuple[LeftOut, ...]]:
    """Return outcomes, each once, without those that are printed on other cards than the subject,
    and an entry for each such card and page, with their number. A page or rule that was itself
    asked for keeps all."""
    if not subject.term_ids:
        return list(nodes), ()
    kept: list[Node] = []
    cards: dict[tuple[str, str], int] = {}
    own = {fold(name) for name in subject.names}
    for node in {node.id: node for node in nodes}.values():
        card = (node.details or {}).get("card")
        if not card or fold(card) in own:
            kept.append(node)
        else:
            shown_on = card, page_and_section(node.id)[0]
            cards[shown_on] = cards.get(shown_on, 0) + 1
    return kept, tuple(
        LeftOut(
            None,
            Reason("outcomes_on_card", Ask("outcomes", ref=page), card=card, number=number),
        )
        for (card, page), number in cards.items()
    )


def _on_subject(store: Store, subject: Subject) -> list[Node]:
    """Return the outcomes whose subject is a term or any of its names, also in quotation marks or
    behind an English article, in its games; some may come twice."""
    subjects = [form.format(name) for name in subject.names for form in _SUBJECT_FORMS]
    games = {node.game for node in subject.nodes}
    return [
        node
        for node in store.outcomes_on(subject.term_ids, subjects, MOST_MENTIONS)
        if not games or node.game in games
    ]


def _content(node: Node) -> tuple[str, ...]:
    """Return the texts of an outcome that say what it states: its label, condition, result and
    modality; those that it lacks are empty."""
    details = node.details or {}
    parts = (str(details.get(part) or "") for part in ("condition", "result", "modality"))
    return node.label or "", *parts


def _outcome(statement: Statement, ids: Mapping[str, str]) -> Outcome:
    """Return an outcome; a part that the details of its node lack is empty.

    ids: {id of an outcome: id of the one that stands for it}; what it is an exception to becomes
        the latter.
    """
    details = statement.node.details or {}
    exception_to = details.get("exception_to")
    return Outcome(
        details.get("subject", ""),
        details.get("condition", ""),
        details.get("result", ""),
        details.get("modality", ""),
        ids.get(exception_to, exception_to) if exception_to else None,
        statement.node,
        statement.evidence,
        statement.place,
        statement.same,
        details.get("card"),
    )
