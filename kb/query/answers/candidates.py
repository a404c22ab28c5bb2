"""Finds candidate passages: with a question's words, defining its terms, or near such passages."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from graphs.store.passage_index import IndexedPassage, PassageFilter
from graphs.store.reader import Store
from kb.language.tokens import normal_forms, tokenizer
from kb.query.answers.question import QueryTerm, Question
from kb.query.answers.term_weights import weight_of_term
from kb.query.lookup.common_filters import EVERYTHING, Scope
from kb.query.lookup.preferred_names import LISTS
from scraper.rulebook.numbering import number_key

_QUESTION = re.compile(r"[\s\u3000]*[QＱ]\s?[0-9０-９]{0,3}\s?[：:.．]")  # Q1: as wikis write it
_EMPTY_ANSWER = re.compile(r"[AＡ]\s?[：:.．][\s\u3000]*$")
_SENTENCE = re.compile(r"[。．.!?！？:：…\t]")  # signs that a text is more than a name
_LIGHT_WORDS = frozenset({"為る"})  # of names: 塗装した竜
# How many passages a full-text query retrieves: for any of the terms, for one, for two together. By
# hand, as all numbers here, with the first 216 labelled questions: more takes longer, as each is
# scored; fewer loses answers that have few of the words.
_MOST_FOR_ANY, _MOST_FOR_ONE, _MOST_FOR_TWO = 250, 40, 60
_MOST_SEARCHED = 8  # query terms, the rarest, that are searched for: up to 28 pairs of them
# Passages; a term that more of them contain is not searched for by itself. In 25 rulebooks of
# 60,000 passages these are 37 words, such as `card`, `player`, `the`.
_COMMON = 5_000
_MOST_DEFINING = 40  # passages that define one term: a guard, for terms of many glossaries
# Words of a phrase that is searched for. SQLite compares each word of a phrase at each of its
# places in a passage: a name of thousands of words, in a text of such, takes the square of them.
# Any number of dozens would do; nine tenths of the names in rulebooks have up to 8 words and signs.
_MOST_WORDS = 32
_LIST_LEVELS = 3  # of list items above a passage that count as its context: a query for each level
_OPENING = 4  # passages in which a page on a term says what it is
# By hand: a definition stands in the first sub-rules of the rule on it; more bring exceptions.
_MOST_SUBRULES_DEFINING = 3  # of a rule that is cited where a term is defined
_MOST_SUBRULES = 5  # of any other rule, which may answer in any of them; more push out other rules
# Passages whose rules' parent rules and sub-rules are candidates, too: a bound on the time.
_MOST_EXPANDED = 60


@dataclass(frozen=True, slots=True)
class _Definitions:
    """Where the terms that a question names are defined.

    passages: {id of a passage: id of the term that it defines}.
    rules: {id of a rule: id of the term}, for the rules that these passages cite.
    following: those of these passages that only follow the name of the term, as on its page.
    names_only: the ids of passages that only name the terms, as rows of lists of names do.
    """

    passages: Mapping[str, str]
    rules: Mapping[str, str]
    names_only: frozenset[str]
    following: frozenset[str]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that may answer a question.

    passage: the passage, with the normal forms of its words.
    context: the normal forms of its page's name, its heading and the list items above it.
    parent: the passage that gives the parent rule of the rule that this passage gives; None if
        there is no such rule or if that passage was not found.
    defines: the id of the term that it defines, or an empty string.
    cited_for: the id of the term in whose definition its rule is cited, or an empty string.
    follows: whether it counts as defining the term only because it follows the term's name.
    """

    passage: IndexedPassage
    context: str
    parent: IndexedPassage | None
    defines: str
    cited_for: str
    follows: bool = False

    @property
    def above(self) -> str:
        """The words of what it stands under, its context and its parent rule, with spaces between;
        a space or more if it stands under nothing."""
        return f"{self.context} {self.parent.words if self.parent else ''}"


def any_of_query(forms: Iterable[str]) -> str:
    """Return the full-text query for passages that contain at least one of some normal forms.

    It is in the syntax of FTS5. A form of several words is a phrase, of which the first 32 words
    count. Forms without letters or digits are left out. A query for no forms matches nothing.

    >>> any_of_query(["引く", "draw card"])
    '"引く" OR "draw card"'
    """
    phrases = (
        " ".join(form.replace('"', " ").split(maxsplit=_MOST_WORDS)[:_MOST_WORDS])
        for form in forms
        if any(map(str.isalnum, form))
    )
    return " OR ".join(f'"{phrase}"' for phrase in phrases) or '""'


def find_candidates(
    store: Store,
    question: Question,
    frequencies: Mapping[QueryTerm, int],
    scope: Scope = EVERYTHING,
    nearest: Iterable[str] = (),
) -> list[Candidate]:
    """Return the passages that may answer a question, in no particular order, each once; often some
    hundreds, and none if nothing has its words.

    frequencies: in how many passages each query term occurs; it must have all terms.
    scope: passages of other editions or languages are left out.
    nearest: the ids of passages that are candidates whatever their words.

    Titles, headings, rows of lists of names and passages that say nothing
    (`_passages_without_answer`) are left out, and passages of other games if the question is about
    one. So are names in another language if a definition is asked for.
    """
    definitions = _find_definitions(store, question)
    passages = _retrieve(store, question, frequencies, definitions, scope)
    passages |= store.passages.lookup(set(nearest) - passages.keys())
    for passage_id in _passages_without_answer(store, question, passages):
        del passages[passage_id]
    contexts, parents = _contexts(store, passages), _parent_passages(store, passages)
    return [
        Candidate(
            passage,
            contexts[passage.id],
            parents.get(passage.rule or ""),
            definitions.passages.get(passage.id, ""),
            definitions.rules.get(passage.rule or "", ""),
            passage.id in definitions.following,
        )
        for passage in passages.values()
        if not passage.heading
        and not passage.title
        and not passage.id.startswith(f"{LISTS}/")
        and not (question.kind == "definition" and passage.id in definitions.names_only)
        and (not question.games or passage.game in question.games)
        and scope.edition in (None, passage.edition)
        and scope.lang in (None, passage.lang)
    ]


def _find_definitions(store: Store, question: Question) -> _Definitions:
    """Return the passages that define the terms of a question, and the rules that they cite.

    A passage defines a term if an edge says so, or if it opens the term's own page. The rules
    that it cites count because a glossary's entry is short and refers to the rules for the rest;
    so do the first sub-rules of these rules. A passage that defines several terms counts for the
    first in the question.
    """
    passages: dict[str, str] = {}
    titles: dict[str, str] = {}
    names_only: set[str] = set()
    for query_term in question.query_terms:
        defining = store.edges(query_term.term_ids, "in", ["defines"])
        names_only.update(edge.evidence.passage for edge in defining if edge.gives_names_only)
        for edge in [edge for edge in defining if not edge.gives_names_only][:_MOST_DEFINING]:
            is_own_page = edge.source == edge.evidence.page
            (titles if is_own_page else passages).setdefault(
                edge.evidence.passage, edge.target or ""
            )
    following: set[str] = set()
    for title, opening in store.passages.following(titles, _OPENING).items():
        new = [passage for passage in opening if passage not in passages]
        following.update(new)
        passages |= dict.fromkeys(new, titles[title])
    citations = store.edges(passages, "out", ["cites"])
    rules = {edge.target: passages[edge.source] for edge in citations if edge.target}
    sub_rules = _sub_rules(store, rules, _MOST_SUBRULES_DEFINING)
    return _Definitions(
        passages,
        {rule: rules[parent] for rule, parent in sub_rules.items()} | rules,
        frozenset(names_only),
        frozenset(following),
    )


def _retrieve(
    store: Store,
    question: Question,
    frequencies: Mapping[QueryTerm, int],
    definitions: _Definitions,
    scope: Scope,
) -> dict[str, IndexedPassage]:
    """Return passages that contain query terms, define terms, give the rules of the question or
    of a definition, or give parent rules or sub-rules of the rules found so; by their ids.

    Titles, headings and passages of other games may be among them.

    frequencies: in how many passages each query term occurs; it must have all terms.
    """
    known = [term for term in question.query_terms if frequencies[term] or term.related]
    rarest = sorted(known, key=lambda term: -weight_of_term(term, frequencies[term]))
    rarest = rarest[:_MOST_SEARCHED]
    # A term that occurs in every other passage finds nothing useful, and takes long to rank.
    alone = [term for term in rarest if frequencies[term] <= _COMMON] or rarest[:1]
    queries = [
        any_of_query(term.all_forms if frequencies[term] else term.expanded_forms) for term in alone
    ]
    limits = [(" OR ".join(queries), _MOST_FOR_ANY)] if queries else []
    limits += ((query, _MOST_FOR_ONE) for query in queries)
    limits += [
        (
            f"({any_of_query(term.expanded_forms)}) AND ({any_of_query(other.expanded_forms)})",
            _MOST_FOR_TWO,
        )
        for term, other in combinations(rarest, 2)
        if term in alone
    ]
    narrow = PassageFilter(edition=scope.edition, lang=scope.lang)
    ids = dict.fromkeys(definitions.passages)
    for query, most in limits:
        ids |= dict.fromkeys(row[0] for row in store.passages.matching(query, most, narrow))
    passages = store.passages.lookup(ids)
    rules = [passage.rule for passage in passages.values() if passage.rule][:_MOST_EXPANDED]
    related = [*_parent_rules(store, rules).values(), *_sub_rules(store, rules, _MOST_SUBRULES)]
    giving = store.passages.first_passage_giving([*related, *definitions.rules, *question.rule_ids])
    return passages | store.passages.lookup(
        passage for passage in giving.values() if passage not in passages
    )


def _passages_without_answer(
    store: Store, question: Question, passages: Mapping[str, IndexedPassage]
) -> list[str]:
    """Return the ids of passages that can't answer a question: questions that have no answer or an
    empty one, and names alone, such as the entry of a glossary. These give no rule, have no word
    that the question does not have, and no sign of a sentence (full stop, colon, tab …)."""
    forms = {form for term in question.query_terms for form in term.expanded_forms}
    words = _LIGHT_WORDS.union(*(form.split() for form in forms))
    repeating = {
        passage.id
        for passage in passages.values()
        if not passage.rule and words.issuperset(passage.words.split())
    }
    asking = {
        passage.id: passage for passage in passages.values() if passage.words.startswith("q ")
    }
    texts = {node.id: node.text or "" for node in store.get(repeating | asking.keys()).values()}
    return [
        passage
        for passage, text in texts.items()
        if (passage in repeating and not _SENTENCE.search(text))
        or (
            passage in asking
            and _QUESTION.match(text)
            and (not asking[passage].states or _EMPTY_ANSWER.search(text))
        )
    ]


def links_alone(store: Store, passages: Iterable[str]) -> set[str]:
    """Return the ids of those of some passages, given by their ids, that are one link from the
    first to the last character: items of lists that lead elsewhere and say nothing themselves. A
    link to a page that is not loaded counts, too."""
    nodes = store.get(passages)
    return {
        edge.source
        for edge in store.edges(nodes, "out", ["links_to"])
        if edge.evidence.start == 0 and edge.evidence.end == len(nodes[edge.source].text or "")
    }


def _contexts(store: Store, passages: Mapping[str, IndexedPassage]) -> dict[str, str]:
    """Return for each passage the normal forms of what it stands under: its page's name, its
    heading and the list items above it, as one string.

    The list items, up to three, go from the nearest outwards. Those that are not among the passages
    are looked up in the store. A passage that stands under nothing gets white space only.
    """
    known = dict(passages)
    for _ in range(_LIST_LEVELS):
        parents = {passage.parent for passage in known.values() if passage.parent} - known.keys()
        known |= store.passages.lookup(sorted(parents))
    page_forms = {
        page: " ".join(form for form, _, _ in normal_forms(tokenizer()(page)))
        for page in {passage.page for passage in passages.values() if passage.page}
    }
    contexts = {}
    for passage_id, passage in passages.items():
        parts, item = [page_forms.get(passage.page or "", ""), passage.under or ""], passage
        while item.parent in known and len(parts) < _LIST_LEVELS + 2:
            item = known[item.parent]
            parts.append(item.words)
        contexts[passage_id] = " ".join(parts)
    return contexts


def _parent_passages(
    store: Store, passages: Mapping[str, IndexedPassage]
) -> dict[str, IndexedPassage]:
    """Return {id of a rule that is given: the passage that gives its parent rule}, where both are
    given by some of the passages; of several passages that give a rule, the last counts."""
    given = {passage.rule: passage for passage in passages.values() if passage.rule}
    parents = _parent_rules(store, given)
    return {rule: given[parents[rule]] for rule in given if parents.get(rule) in given}


def _parent_rules(store: Store, rules: Iterable[str]) -> dict[str, str]:
    """Return {id of a rule: id of the rule that it is part of, or of the edition for a chapter}.

    Rules without a loaded parent are left out.

    rules: ids of rules.
    """
    edges = store.edges(rules, "out", ["part_of"])
    return {edge.source: edge.target for edge in edges if edge.target}


def _sub_rules(store: Store, rules: Iterable[str], most: int) -> dict[str, str]:
    """Return {id of a sub-rule: id of its rule} for the first `most` sub-rules of each rule, in the
    order of the rules' ids and then of the numbers. Only direct sub-rules count. rules: ids of
    rules.

    A rule without sub-rules adds nothing.
    """
    found: dict[str, str] = {}
    below: dict[str, set[str]] = defaultdict(set)
    for edge in store.edges(rules, "in", ["part_of"]):
        below[edge.target or ""].add(edge.source)
    for rule in sorted(below):
        first = sorted(below[rule], key=lambda sub_rule: number_key(sub_rule.rpartition("/")[2]))[
            :most
        ]
        found |= dict.fromkeys(first, rule)
    return found
