"""Matches terms of different games that are one concept, by their names and definitions.

A shared name alone proves little, as two games may use one word for different things. So both
terms must be defined, and their definitions must share content words, in whatever language.
Without shared content words a name counts only if it describes itself (a compound of several
words), or if both games define other terms with it (their basic vocabulary).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, combinations, product
from typing import Literal

from graphs.writing.page_claims import EdgeClaim
from kb.knowledge.compared_definitions import (
    DefinedTerm,
    Definition,
    TermDefinitions,
    as_written,
    english_stems,
    name_parts,
    names_action,
)
from kb.knowledge.glossary import is_action
from kb.knowledge.page_subject import game_of
from kb.language.tokens import Tokenizer

Relation = Literal["exact", "close"]
_Pair = tuple[str, str]  # the ids of two terms of different games, in order

# A word that more than one in _COMMON_SHARE terms is defined with proves little; but no word counts
# as common that at most _MIN_COMMON terms are defined with, as in a few pages one in eight is one
# or two. By hand: with a larger _COMMON_SHARE fewer words prove anything, with a smaller one terms
# are joined by words that any game has.
_COMMON_SHARE = 8
_MIN_COMMON = 4


@dataclass(frozen=True, slots=True)
class _Match:
    """The finding that two terms are one concept.

    relation: `exact`, or `close` if the terms may differ in details.
    basis: the reason, in a phrase for people.
    definition: where it can be read.
    names: the names that the evidence is searched for in the definition.
    """

    relation: Relation
    basis: str
    definition: Definition
    names: list[str]


def same_concepts(definitions: TermDefinitions, tokenizer: Tokenizer) -> list[EdgeClaim]:
    """Return edges between terms of different games that are one concept, ordered by their ids.

    An edge's details are its `relation`, `exact` or `close`, and the `basis` of the match. Its
    evidence is in the definition of one of the two terms. Each pair has one edge, from the id that
    sorts first.

    definitions: the terms of all games, from `term_definitions`.

    >>> from graphs.writing.names_and_merges import DefiningPassage, NodeName
    >>> from kb.language.tokens import tokenizer
    >>> from kb.knowledge.compared_definitions import term_definitions
    >>> names = [
    ...     NodeName("g1/term/捨てる", "ja", "preferred", "捨てる", "捨てる"),
    ...     NodeName("g2/term/捨てる", "ja", "preferred", "捨てる", "捨てる"),
    ... ]
    >>> texts = "捨てるとは、駒を盤から箱へ移す行為。", "盤にある駒を箱に移すこと。"
    >>> passages = [
    ...     DefiningPassage("g1/term/捨てる", "ja", "p1", texts[0], True),
    ...     DefiningPassage("g2/term/捨てる", "ja", "p2", texts[1], True),
    ... ]
    >>> [edge] = same_concepts(term_definitions(names, passages, tokenizer()), tokenizer())
    >>> edge.source, edge.target, edge.details["relation"]
    ('g1/term/捨てる', 'g2/term/捨てる', 'exact')
    """
    terms = definitions.terms
    matcher = _Matcher(definitions, tokenizer)
    matches: dict[_Pair, _Match] = {}
    for pair in sorted(_candidates(terms)):
        if match := matcher.match(terms[pair[0]], terms[pair[1]]):
            matches[pair] = match
    exact = {pair for pair, match in matches.items() if match.relation == "exact"}
    for pair, match in matcher.matches_by_third_term(exact):
        if pair not in matches or matches[pair].relation == "close":
            matches[pair] = match
    exact_pairs = sorted(pair for pair, match in matches.items() if match.relation == "exact")
    for pair, match in matcher.matches_by_substitution(exact_pairs):
        matches.setdefault(pair, match)
    return [_edge(terms, pair, matches[pair]) for pair in sorted(matches)]


def _candidates(terms: Mapping[str, DefinedTerm]) -> set[_Pair]:
    """Return the pairs of terms (ids, the one that sorts first first) of different games that share
    a name and are both defined.

    terms: the terms by their ids. A shared name is Japanese, English, or a compound of the same
        nouns.
    """
    by_name: dict[tuple[str, ...], list[DefinedTerm]] = defaultdict(list)
    for term in terms.values():
        if term.definitions:
            for folded in term.japanese:
                by_name["ja", folded].append(term)
            for folded in term.english:
                by_name["en", folded].append(term)
            for parts in term.compounds:
                by_name["parts", *parts].append(term)
    return {pair for group in by_name.values() if len(group) > 1 for pair in _across_games(group)}


def _across_games(terms: Iterable[DefinedTerm]) -> Iterator[_Pair]:
    """Yield all pairs of some terms that are of different games, as ids, the one that sorts first
    first. A pair occurs again if a term does; none if all are of one game."""
    by_game: dict[str, list[str]] = defaultdict(list)
    for term in terms:
        by_game[term.game].append(term.id)
    for ids, other_ids in combinations(by_game.values(), 2):
        for a, b in product(ids, other_ids):
            yield min(a, b), max(a, b)


class _Matcher:
    """Decides whether two terms are one concept, with counts over the terms of all games."""

    def __init__(self, definitions: TermDefinitions, tokenizer: Tokenizer) -> None:
        self._first_sentence_words = definitions.first_sentence_words
        self._terms = terms = definitions.terms
        self._tokenizer = tokenizer
        words: dict[str, list[frozenset[str]]] = defaultdict(list)
        for term in terms.values():
            words[term.game].append(frozenset().union(*(d.words for d in term.definitions)))
        # By content words: how many terms of a game, and of all, are defined with them.
        self._uses = {game: Counter(chain.from_iterable(sets)) for game, sets in words.items()}
        self._all_uses = sum((Counter(c) for c in self._uses.values()), Counter[str]())
        defined = sum(1 for term in terms.values() if term.definitions)
        self._common = max(_MIN_COMMON, defined / _COMMON_SHARE)
        # By (game, folded name): how many terms prefer that name.
        self._holders: Counter[tuple[str, str]] = Counter(
            (term.game, name) for term in terms.values() for name in term.preferred
        )
        # By (game, canonical name): the ids of the terms.
        self._named: dict[tuple[str, str], list[str]] = defaultdict(list)
        for term in terms.values():
            for name in sorted(term.canonical):
                self._named[term.game, name].append(term.id)

    def match(self, a: DefinedTerm, b: DefinedTerm) -> _Match | None:
        """Match two defined terms that share a name; None if too little agrees, or one is
        something done and the other is not.

        `exact`: they share a Japanese name, and their definitions share two distinctive words, or
        one and the terms an English name. `close`: the definitions share two words; or one
        distinctive word, and both terms prefer the same name; or both prefer a name that no other
        term of their games prefers, if it is a compound (but not with definitions in one
        language that share nothing), or is no action and basic in both games.
        """
        if {self._is_action(a), self._is_action(b)} == {True, False}:
            return None
        agreed, definition, other_definition = self._agreement(a, b)
        preferred = sorted(a.preferred & b.preferred)
        japanese = sorted(set(a.japanese) & set(b.japanese))
        english = sorted(set(a.english) & set(b.english))
        shown = [n for n in japanese if n in a.preferred or n in b.preferred] or japanese
        names = [a.japanese[n] for n in shown] + [a.english[n] for n in english]
        basis = f"both are called {' and '.join(names)}" if names else "their names are alike"
        distinctive = [word for word in agreed if self._all_uses[word] <= self._common]
        if agreed:
            basis += f"; both definitions speak of {', '.join(as_written(agreed, definition.text))}"
        if japanese and len(distinctive) + bool(english) > 1 and distinctive:
            return _Match("exact", basis, definition, names)
        if (preferred and distinctive) or len(agreed) > 1:
            return _Match("close", basis, definition, names)
        if preferred and all(self._holders[t.game, n] == 1 for t in (a, b) for n in preferred):
            name = a.japanese[preferred[0]]
            comparable = definition.lang == other_definition.lang and not agreed
            if len(name_parts(name, self._tokenizer)) > 1 and not comparable:
                basis += ", a name that says what it is"
                return _Match("close", basis, definition, names)
            if self._is_basic(a, b) and names_action(name, self._tokenizer) is not True:
                basis += ", by which both games define others"
                return _Match("close", basis, definition, names)
        return None

    def _is_action(self, term: DefinedTerm) -> bool | None:
        """Return whether a term is something done, if its Japanese name and the head of its English
        definition agree on that; else None. A pile and what puts cards there share a name in many
        games (discard)."""
        glosses = {is_action(each.text) for each in term.definitions if each.lang == "en"}
        names = {names_action(term.japanese[name], self._tokenizer) for name in term.preferred}
        return next(iter(glosses)) if len(glosses) == 1 and glosses == names else None

    def _agreement(
        self, a: DefinedTerm, b: DefinedTerm
    ) -> tuple[list[str], Definition, Definition]:
        """Return the content words that two definitions share apart from the terms' names, and the
        definitions, one of each term: the pair that shares the most, of equals the first.

        The words are sorted, and may be none. Words that begin with the stem of a name of one
        English word are left out, too. Both terms must have a definition (else ValueError).
        """
        canonical = a.canonical | b.canonical
        stems = [english_stems(name) for name in (*a.english.values(), *b.english.values())]
        name_stems = tuple(stem[0] for stem in stems if len(stem) == 1 and stem[0][3:])
        best = max(
            product(a.definitions, b.definitions),
            key=lambda pair: len((pair[0].words & pair[1].words) - canonical),
        )
        shared = (best[0].words & best[1].words) - canonical
        return sorted(w for w in shared if not (name_stems and w.startswith(name_stems))), *best

    def _is_basic(self, a: DefinedTerm, b: DefinedTerm) -> bool:
        """Return whether in each of the games a definition of another term uses the term.

        A use is any of its canonical names among the content words of a definition of that game.
        """
        return all(
            any(
                self._uses[t.game][name] > any(name in d.words for d in t.definitions)
                for name in t.canonical
            )
            for t in (a, b)
        )

    def matches_by_third_term(self, exact: set[_Pair]) -> Iterator[tuple[_Pair, _Match]]:
        """Yield exact matches of terms of different games that both match the same third term
        exactly, and whose own definitions share several content words.

        exact: the pairs known so far; these are not yielded again. Each result is (pair, match),
        the pair's ids sorted; it comes again for another third term. What these matches would lead
        to in turn is not followed.
        """
        matched: dict[str, set[str]] = defaultdict(set)
        for a_id, b_id in exact:
            matched[a_id].add(b_id)
            matched[b_id].add(a_id)
        for third in sorted(matched):
            for pair in combinations(sorted(matched[third]), 2):
                a, b = (self._terms[term] for term in pair)
                agreed, definition, _ = self._agreement(a, b)
                if a.game != b.game and pair not in exact and len(agreed) > 1:
                    words = ", ".join(as_written(agreed, definition.text))
                    basis = (
                        f"both are one with {_label(self._terms[third])} of {game_of(third)}; "
                        f"both definitions speak of {words}"
                    )
                    yield pair, _Match("exact", basis, definition, [*a.japanese.values()])

    def matches_by_substitution(self, exact: Iterable[_Pair]) -> Iterator[tuple[_Pair, _Match]]:
        """Yield close matches of terms that stand for each other in two definitions of one
        concept, and are the only things named in which the first sentences differ.

        exact: pairs of ids that are one concept. Each result is (pair, match), where the pair is
        of other terms than these, sorted; it may be known already, or be yielded several times.
        """
        for pair in exact:
            a, b = (self._terms[term] for term in pair)
            for a_definition, b_definition in product(a.definitions, b.definitions):
                a_words = self._first_sentence_words(a_definition)
                b_words = self._first_sentence_words(b_definition)
                shared = (a_words & b_words) - a.canonical - b.canonical
                a_only = self._things_named(a, a_words - b_words - b.canonical)
                b_only = self._things_named(b, b_words - a_words - a.canonical)
                if len(shared) < 2 or len(a_only) != 1 or len(b_only) != 1:
                    continue
                a_term, b_term = a_only[0], b_only[0]
                basis = (
                    f"{_label(self._terms[a_term])} and {_label(self._terms[b_term])} are the "
                    f"terms by which the definitions of {_label(a)} and {_label(b)} differ"
                )
                found = min(a_term, b_term), max(a_term, b_term)
                definition = a_definition if a_term < b_term else b_definition
                names = [*self._terms[found[0]].japanese.values()]
                yield found, _Match("close", basis, definition, names)

    def _things_named(self, term: DefinedTerm, words: frozenset[str]) -> list[str]:
        """Return the ids, sorted, of other terms of the same game that are named by some words and
        are things (`_is_thing`).

        words: canonical names and other content words; those that name nothing are ignored.
        """
        groups = (self._named.get((term.game, word), []) for word in words - term.canonical)
        ids = {node for group in groups for node in group}
        return sorted(node for node in ids if self._is_thing(self._terms[node]))

    def _is_thing(self, term: DefinedTerm) -> bool:
        """Whether no preferred name ends in a verb (加える) or pronoun (自分).

        Only the last morpheme of each name counts; also true if the term has no preferred name.
        """
        names = [self._tokenizer.tokenize(term.japanese[name]) for name in sorted(term.preferred)]
        kinds = {morphemes[-1].part_of_speech()[0] for morphemes in names if len(morphemes)}
        return not kinds & {"動詞", "代名詞"}


def _label(term: DefinedTerm) -> str:
    return term.id.partition("/term/")[2]


def _edge(terms: Mapping[str, DefinedTerm], pair: _Pair, match: _Match) -> EdgeClaim:
    """The edge for a match; its evidence is the longest of the match's names that the passage's
    text contains, or else the whole definition.

    terms: the terms by their ids; both of the pair must be there.

    Its source and target are the ids of the pair in their order; its details are the match's
    `relation` and `basis`.
    """
    source, target = pair
    definition = match.definition
    start, end = 0, definition.end
    for name in sorted(match.names, key=len, reverse=True):
        if (position := definition.text.find(name)) >= 0:
            start, end = position, position + len(name)
            break
    return EdgeClaim(
        "same_concept",
        source,
        target,
        _label(terms[target]),
        definition.passage,
        start,
        end,
        "",
        {"relation": match.relation, "basis": match.basis},
    )
