"""The same concept in several games: terms that share a name, and definitions that agree.

A shared name alone proves little: two games give one word to different things. So both terms
must be defined, and the definitions must speak of the same things, in whatever language; only
a name that says itself what it is, being put together of several words, or that is the basic
vocabulary in which both games define their other terms, is believed without.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, combinations, product
from typing import Literal

from graphs.build.claims import EdgeClaim
from kb.extract.terms import game_of
from kb.language.tokens import Tokenizer
from kb.resolve.content_words import english_stems
from kb.resolve.term_definitions import (
    DefinedTerm,
    Definition,
    TermDefinitions,
    name_parts,
    names_action,
)

Relation = Literal["exact", "close"]

_COMMON = 8  # what one definition in so many has says little
_FEW = 4  # definitions, in which nothing is common


@dataclass(frozen=True, slots=True)
class _Judged:
    """That two terms are one concept: on what basis, where it can be read, by which names."""

    relation: Relation
    basis: str
    at: Definition
    names: list[str]


def same_concepts(meanings: TermDefinitions, words: Tokenizer) -> list[EdgeClaim]:
    """Edges between terms of different games that are one concept, in the order of their ids.

    `details` say the relation, `exact` or `close`, and on what basis; the evidence is in the
    definition of one of the two.

    >>> from graphs.build.labels import DefiningPassage
    >>> from graphs.build.labels import NodeName
    >>> from kb.resolve.term_definitions import term_definitions
    >>> from kb.language.tokens import tokenizer
    >>> named = [
    ...     NodeName("g1/term/捨てる", "ja", "preferred", "捨てる", "捨てる"),
    ...     NodeName("g2/term/捨てる", "ja", "preferred", "捨てる", "捨てる"),
    ... ]
    >>> texts = "捨てるとは、駒を盤から箱へ移す行為。", "盤にある駒を箱に移すこと。"
    >>> defined = [
    ...     DefiningPassage("g1/term/捨てる", "ja", "p1", texts[0], True),
    ...     DefiningPassage("g2/term/捨てる", "ja", "p2", texts[1], True),
    ... ]
    >>> [want] = same_concepts(term_definitions(named, defined, tokenizer()), tokenizer())
    >>> want.source, want.want, want.details["relation"]
    ('g1/term/捨てる', 'g2/term/捨てる', 'exact')
    """
    terms = meanings.terms
    judge = _Judge(meanings, words)
    found: dict[tuple[str, str], _Judged] = {}
    for pair in sorted(_candidates(terms)):
        if judged := judge(terms[pair[0]], terms[pair[1]]):
            found[pair] = judged
    for pair, judged in judge.over_a_third({p for p, j in found.items() if j.relation == "exact"}):
        if pair not in found or found[pair].relation == "close":
            found[pair] = judged
    exact = sorted(pair for pair, judged in found.items() if judged.relation == "exact")
    for pair, judged in judge.counterparts(exact):
        found.setdefault(pair, judged)
    return [_want(terms, pair, found[pair]) for pair in sorted(found)]


def _candidates(terms: Mapping[str, DefinedTerm]) -> set[tuple[str, str]]:
    """The pairs of terms of different games that share a name, and that are both defined."""
    alike: dict[tuple[str, ...], list[DefinedTerm]] = defaultdict(list)
    for term in terms.values():
        if term.definitions:
            for folded in term.japanese:
                alike["ja", folded].append(term)
            for folded in term.english:
                alike["en", folded].append(term)
            for parts in term.parts:
                alike["parts", *parts].append(term)
    return {pair for group in alike.values() if len(group) > 1 for pair in _across_games(group)}


def _across_games(terms: Iterable[DefinedTerm]) -> Iterator[tuple[str, str]]:
    games: dict[str, list[str]] = defaultdict(list)
    for term in terms:
        games[term.game].append(term.id)
    for one, other in combinations(games.values(), 2):
        for a, b in product(one, other):
            yield min(a, b), max(a, b)


class _Judge:
    """Says of two terms whether they are one concept, and why."""

    def __init__(self, meanings: TermDefinitions, words: Tokenizer) -> None:
        self._first = meanings.first
        self._terms = terms = meanings.terms
        self._words = words
        said: dict[str, list[frozenset[str]]] = defaultdict(list)
        for term in terms.values():
            said[term.game].append(frozenset().union(*(d.says for d in term.definitions)))
        self._said = {game: Counter(chain.from_iterable(each)) for game, each in said.items()}
        self._all = sum((Counter(c) for c in self._said.values()), Counter[str]())
        defined = sum(1 for term in terms.values() if term.definitions)
        self._common = max(_FEW, defined / _COMMON)
        self._holders: Counter[tuple[str, str]] = Counter(
            (term.game, name) for term in terms.values() for name in term.main
        )
        self._named: dict[tuple[str, str], list[str]] = defaultdict(list)
        for term in terms.values():
            for word in sorted(term.words):
                self._named[term.game, word].append(term.id)

    def __call__(self, a: DefinedTerm, b: DefinedTerm) -> _Judged | None:
        agreed, one, other = self._agreement(a, b)
        main = sorted(a.main & b.main)
        japanese = sorted(set(a.japanese) & set(b.japanese))
        english = sorted(set(a.english) & set(b.english))
        shown = [n for n in japanese if n in a.main or n in b.main] or japanese
        names = [a.japanese[n] for n in shown] + [a.english[n] for n in english]
        basis = f"both are called {' and '.join(names)}" if names else "their names are alike"
        clear = [word for word in agreed if self._all[word] <= self._common]
        if agreed:
            basis += f"; both definitions speak of {', '.join(agreed)}"
        if japanese and len(clear) + bool(english) > 1 and clear:
            return _Judged("exact", basis, one, names)
        if (main and clear) or len(agreed) > 1:
            return _Judged("close", basis, one, names)
        if main and all(self._holders[t.game, n] == 1 for t in (a, b) for n in main):
            compared = one.lang == other.lang and not agreed
            if len(name_parts(a.japanese[main[0]], self._words)) > 1 and not compared:
                return _Judged("close", f"{basis}, a name that says what it is", one, names)
            if self._basic(a, b) and names_action(a.japanese[main[0]], self._words) is not True:
                return _Judged("close", f"{basis}, by which both games define others", one, names)
        return None

    def _agreement(
        self, a: DefinedTerm, b: DefinedTerm
    ) -> tuple[list[str], Definition, Definition]:
        """What two definitions both speak of beside the names, and which two that do most."""
        own = a.words | b.words
        names = [english_stems(name) for name in (*a.english.values(), *b.english.values())]
        stems = tuple(name[0] for name in names if len(name) == 1 and name[0][3:])
        best = max(
            product(a.definitions, b.definitions),
            key=lambda pair: len((pair[0].says & pair[1].says) - own),
        )
        agreed = (best[0].says & best[1].says) - own
        return sorted(w for w in agreed if not (stems and w.startswith(stems))), *best

    def _basic(self, a: DefinedTerm, b: DefinedTerm) -> bool:
        """Whether each game defines others of its terms by this one."""
        return all(
            any(
                self._said[t.game][word] > any(word in d.says for d in t.definitions)
                for word in t.words
            )
            for t in (a, b)
        )

    def over_a_third(
        self, exact: set[tuple[str, str]]
    ) -> Iterator[tuple[tuple[str, str], _Judged]]:
        """Terms that are exactly one with the same third, and speak of the same as each other."""
        beside: dict[str, set[str]] = defaultdict(set)
        for one, other in exact:
            beside[one].add(other)
            beside[other].add(one)
        for third in sorted(beside):
            for pair in combinations(sorted(beside[third]), 2):
                a, b = (self._terms[node] for node in pair)
                agreed, at, _ = self._agreement(a, b)
                if a.game != b.game and pair not in exact and len(agreed) > 1:
                    basis = (
                        f"both are one with {_label(self._terms[third])} of {game_of(third)}; "
                        f"both definitions speak of {', '.join(agreed)}"
                    )
                    yield pair, _Judged("exact", basis, at, [*a.japanese.values()])

    def counterparts(
        self, exact: Iterable[tuple[str, str]]
    ) -> Iterator[tuple[tuple[str, str], _Judged]]:
        """Terms that stand for each other in two definitions of one concept: all else that the
        two speak of is the same."""
        for pair in exact:
            a, b = (self._terms[node] for node in pair)
            for one, other in product(a.definitions, b.definitions):
                here, there = self._first(one), self._first(other)
                same = (here & there) - a.words - b.words
                left = self._terms_in(a, here - there - b.words)
                right = self._terms_in(b, there - here - a.words)
                if len(same) < 2 or len(left) != 1 or len(right) != 1:
                    continue
                mine, theirs = left[0], right[0]
                basis = (
                    f"{_label(self._terms[mine])} and {_label(self._terms[theirs])} are the terms "
                    f"by which the definitions of {_label(a)} and {_label(b)} differ"
                )
                at = one if mine < theirs else other
                names = [*self._terms[min(mine, theirs)].japanese.values()]
                yield (min(mine, theirs), max(mine, theirs)), _Judged("close", basis, at, names)

    def _terms_in(self, term: DefinedTerm, said: frozenset[str]) -> list[str]:
        """The other terms of its game that these words are, and that name a thing."""
        nodes = (self._named.get((term.game, word), []) for word in said - term.words)
        found = {node for group in nodes for node in group}
        return sorted(node for node in found if self._names_thing(self._terms[node]))

    def _names_thing(self, term: DefinedTerm) -> bool:
        """Whether a term's name is a noun: not 加える, and not 自分."""
        parts = [self._words.tokenize(term.japanese[name]) for name in sorted(term.main)]
        kinds = {morphemes[-1].part_of_speech()[0] for morphemes in parts if len(morphemes)}
        return not kinds & {"動詞", "代名詞"}


def _label(term: DefinedTerm) -> str:
    return term.id.partition("/term/")[2]


def _want(terms: Mapping[str, DefinedTerm], pair: tuple[str, str], judged: _Judged) -> EdgeClaim:
    source, target = pair
    at = judged.at
    start, end = 0, at.end
    for name in sorted(judged.names, key=len, reverse=True):
        if (place := at.text.find(name)) >= 0:
            start, end = place, place + len(name)
            break
    details = {"relation": judged.relation, "basis": judged.basis}
    return EdgeClaim(
        "same_concept", source, target, _label(terms[target]), at.passage, start, end, "", details
    )
