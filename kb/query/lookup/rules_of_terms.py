"""Finds the rules that are meant by the name of a term, where a question is about rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from graphs.model import Node, NodeKind
from graphs.store.passage_index import PassageFilter
from graphs.store.reader import Store
from graphs.store.rule_versions import versions_of
from kb.errors import QuestionError
from kb.language.fold import fold, is_japanese
from kb.query.lookup.common_filters import Scope
from kb.query.lookup.find_by_reference import find_named, find_nodes, where_it_stands
from kb.query.lookup.named_nodes import split_into_things
from kb.query.lookup.search_words import parse_words, phrases_query
from kb.reason import Reason, again, take_for
from scraper.rulebook.numbering import parse_number

_MOST_OFFERED = 6  # rules of which one is to be chosen, by hand: more are a list to search
_QUOTES = '「『“"（('
_RULES: tuple[NodeKind, ...] = ("rule", "document")


def find_rules(store: Store, ref: str, scope: Scope, argument: str = "ref") -> list[Node]:
    """Return the rules, and the sections of documents, that a reference names, the likeliest first.

    The name of a term means the rule that has a name of it as its heading, or else the one that its
    definitions cite, or else the one that begins with it. Which rule that is, is kept for the
    answer (`take_for`).

    argument: which argument the reference is, for the questions to ask instead.

    Raises QuestionError if several rules of a term are equally likely, and as `find_named` does.
    """
    found = find_nodes(store, ref, scope)
    if any(node.kind in _RULES for node in found):
        return [node for node in found if node.kind in _RULES]
    anywhere = replace(scope, edition=None, lang=None, source=None)
    first: dict[str | None, Node] = {}  # of homonyms in a game the likeliest
    for node in find_nodes(store, ref, anywhere):
        if node.kind == "term":
            first.setdefault(node.game, node)
    if not first:
        return find_named(store, ref, *_RULES, scope=scope)
    if rules := _of_terms(store, ref, list(first.values()), scope, argument):
        return rules
    names = {each.text for term in first.values() for each in term.labels if each.role != "reading"}
    for name in filter(is_japanese, sorted(names)):
        other = name.removesuffix("する") if name.endswith("する") else f"{name}する"
        terms = [n for n in find_nodes(store, other, anywhere) if n.kind == "term"]
        if rules := _of_terms(store, other, terms, scope, argument):
            take_for(Reason("taken_for", given=ref, name=(other,), how="another form of it"))
            return rules
    choices = tuple(again(**each) for each in _near_with_rules(store, ref, anywhere, argument))
    stands = where_it_stands(store, ref, scope)
    raise QuestionError(
        "term_without_rule", ref=ref, choices=choices[:_MOST_OFFERED], stands=stands
    )


def _of_terms(
    store: Store, ref: str, terms: Sequence[Node], scope: Scope, argument: str
) -> list[Node]:
    """Return the rule that some terms of a name have, in the scope, as `find_rules` does; empty if
    they have none."""
    for how, rules in _likely_rules(store, terms):
        versions = store.get(row.id for row in versions_of(store, [rule.id for rule in rules]))
        things = split_into_things(node for node in versions.values() if scope.includes(node))
        if len(things) == 1:
            rule = things[0][0]
            said = Reason("rule_of_term", given=ref, number=rule.number, name=rule.label, how=how)
            take_for(said)
            return things[0]
        if things:
            several = [thing[0] for thing in things]
            games = {node.game for node in several}
            numbers: list[dict[str, Any]] = [
                {argument: node.number, **({"game": node.game} if len(games) > 1 else {})}
                for node in several
            ]
            choices = tuple(again(**each) for each in numbers[:_MOST_OFFERED])
            raise QuestionError("rules_of_term", ref=ref, how=how, choices=choices)
    return []


def _near_with_rules(
    store: Store, ref: str, scope: Scope, argument: str
) -> Iterator[dict[str, Any]]:
    """Yield the names of terms near to one, each with its game, for which a rule is found."""
    from kb.query.lookup.find_names import names_beginning, similar_names  # for an error alone

    near = [*similar_names(store, ref, scope), *names_beginning(store, ref, scope)]
    for name in {each.name: each for each in near}.values():
        for node in name.nodes:
            if node.kind == "term" and any(rules for _, rules in _likely_rules(store, [node])):
                yield {argument: name.name, "game": node.game}
                break


def rules_by_name(store: Store, given: str, scope: Scope) -> list[Node]:
    """Return the rules that are meant where a person gives a rule by its number and writes a name
    in its place, as `find_rules` does; empty for a number, and for what names nothing."""
    if parse_number(given) or not find_nodes(store, given, replace(scope, edition=None)):
        return []
    return find_rules(store, given, scope, "rule")


def _likely_rules(store: Store, terms: Sequence[Node]) -> Iterator[tuple[Reason, list[Node]]]:
    """Yield (how they are found, the rules) for each way to find the rules of some terms, the
    surest first."""
    if not terms:
        return
    games = {term.game for term in terms}
    ids = [term.id for term in terms]
    names = {each.text for term in terms for each in term.labels if each.role != "reading"}
    headed = (node for name in sorted(set(map(fold, names))) for node in store.find_by_label(name))
    yield Reason("headed_so"), _rules_of(headed, games)
    entries = {edge.source for edge in store.edges(ids, "in", ["defines"])}
    cited = [edge.target for edge in store.edges(entries, "out", ["cites"]) if edge.target]
    yield Reason("cited_there"), _rules_of(store.get(cited).values(), games)
    yield Reason("begins_so"), _rules_of(_begun_with(store, names, games), games)


def _begun_with(store: Store, names: set[str], games: set[str | None]) -> Iterator[Node]:
    """Yield the rules of the newest edition of some games in each language that begin with any of
    some names."""
    folded = tuple(map(fold, names))
    words = [parse_words(name) for name in sorted(names)]
    queries = [phrases_query(each.as_written or each.phrases) for each in words]
    query = " OR ".join(f"({each})" for each in queries if each)
    newest = {(game, lang): edition for game, edition, lang in store.editions() if game in games}
    for (game, lang), edition in newest.items() if query else ():
        narrow = PassageFilter(game=game, edition=edition, lang=lang, kind="rule")
        found = {rule for _, rule, _ in store.passages.occurrences(query, narrow) if rule}
        for node in store.get(found).values():
            if fold((node.text or "").lstrip(_QUOTES)).startswith(folded):
                yield node


def _rules_of(nodes: Iterable[Node], games: set[str | None]) -> list[Node]:
    """Return the rules of some games among some nodes, each once."""
    rules = {n.id: n for n in nodes if n.kind == "rule" and n.game in games}
    return sorted(rules.values(), key=lambda node: node.id)
