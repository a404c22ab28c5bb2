"""Finds the rules that are meant by the name of a term, where a question is about rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
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
from kb.query.lookup.search_words import name_query
from kb.reason import Ask, Reason, again, take_for
from scraper.rulebook.numbering import parse_number

_EXPLAINS = Reason("explains_it")
_MOST_OFFERED = 6  # rules of which one is to be chosen, by hand: more are a list to search
_QUOTES = '「『“"（('
# Behind a name, in any inflection of English: `Exerted – When a card…`, `「昇格」とは`.
_EXPLAINED = r"[a-z]*[」』”\"）)]*(?:\s*[:：—–―]|\s+-\s|とは)"
_RULES: tuple[NodeKind, ...] = ("rule", "document")


def find_rules(store: Store, ref: str, scope: Scope, argument: str = "ref") -> list[Node]:
    """Return the rules, and the sections of documents, that a reference names, the likeliest first.

    The name of a term means the rule that has a name of it as its heading, or else the one that its
    definitions cite, or else the one that begins with it: of several the one that explains it
    (`Exerted – When a card…`). Which rule that is, is kept for the answer (`take_for`).

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
    likely = _likely_rules(store, terms)
    for how, rules in likely:
        things = _versions(store, rules, scope)
        if len(things) == 1:
            rule = things[0][0]
            # Of the rules that begin with the name, the one that explains it is no sure choice.
            rest = [_versions(store, more, scope) for _, more in likely if how == _EXPLAINS]
            others = _choices((one for one in chain(*rest) if one[0] != rule), argument)
            number, label = rule.number, rule.label
            said = Reason(
                "rule_of_term", given=ref, number=number, name=label, how=how, others=others
            )
            take_for(said)
            return things[0]
        if things:
            choices = _choices(things, argument)
            raise QuestionError("rules_of_term", ref=ref, how=how, choices=choices)
    return []


def _versions(store: Store, rules: Iterable[Node], scope: Scope) -> list[list[Node]]:
    """Return the versions of some rules in a scope, those of a rule together, the newest first."""
    versions = store.get(row.id for row in versions_of(store, [rule.id for rule in rules]))
    return split_into_things(node for node in versions.values() if scope.includes(node))


def _choices(things: Iterable[Sequence[Node]], argument: str) -> tuple[Ask, ...]:
    """Return the question that is being answered, for each of some rules: by its id, as a number
    may be another rule's in another language; where numbers alone are asked for, by its number with
    what tells it from the others."""
    rules = [versions[0] for versions in things][:_MOST_OFFERED]
    if argument == "ref":
        return tuple(again(ref=rule.id) for rule in rules)
    differ = [name for name in ("game", "lang") if len({getattr(one, name) for one in rules}) > 1]
    asked: list[dict[str, Any]] = [
        {argument: rule.number} | {name: getattr(rule, name) for name in differ} for rule in rules
    ]
    return tuple(again(**each) for each in asked)


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
    begun = list(_begun_with(store, names, games))
    named = "|".join(map(re.escape, sorted(names)))
    explains = re.compile(rf"[{_QUOTES}]*(?:{named}){_EXPLAINED}", re.IGNORECASE)
    yield (
        _EXPLAINS,
        _rules_of((n for n in begun if explains.match(n.text or "")), games),
    )
    yield Reason("begins_so"), _rules_of(begun, games)


def _begun_with(store: Store, names: set[str], games: set[str | None]) -> Iterator[Node]:
    """Yield the rules of the newest edition of some games in each language that begin with any of
    some names."""
    folded = tuple(map(fold, names))
    queries = map(name_query, sorted(names))
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
