"""Finds what a question names besides each other, and gives each such part its best answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest

from kb.query.answers.bm25 import ScoredCandidate
from kb.query.answers.question import QueryTerm, Question
from kb.query.answers.term_weights import WeightedTerm
from scraper.sites.games import find_games

_MOST_PARTS = 3
_MOST_OF_WHOLE = 4  # answers to the whole question before more answers for its parts
_MOST_OF_PARTS = 4  # answers for the parts, together
_WHAT_IS = {"ja": "{}とは何？", "en": "What does {} do?"}
_LEAST_WEIGHT = 0.5  # of a part, as a share of the heaviest one's
_JOINED = re.compile(
    r"[\s\d]*(?:\s*[,、，・&＆+＋/／]\s*(?:\b(?:and|or)\b)?"
    r"|\b(?:and|or|plus|versus|vs)\b\.?(?:\s+(?:in|on|with|of|for|to|both|is|are|has|have)\b)?"
    r"|とか|と、?|や|及び|および|かつ|または|それとも)+\s*(?:\b(?:the|an?)\b\s*)?",
    re.IGNORECASE,
)
_LAST_OF_LIST = re.compile(r"\s*,\s*(?:and|or)\b", re.IGNORECASE)
_IF = re.compile(r"[うくぐすつぬぶむる]と")  # 引くと: if one draws
_NO_NOUN = re.compile(r"[ぁ-ん]+|and|or|plus|with|(?:versus|vs)\.?", re.IGNORECASE)
_SIDE_BY_SIDE = re.compile(r"[\s-]*")
_BOTH = re.compile("両方|それぞれ")


@dataclass(frozen=True, slots=True)
class Part:
    """One of several things that a question names.

    words: as the question writes them.
    terms: the query terms in these words.
    question: what it is, as a question, with the games that the whole question names.
    """

    words: str
    terms: tuple[QueryTerm, ...]
    question: str


def find_parts(question: Question, terms: Sequence[WeightedTerm]) -> list[Part]:
    """Return the parts of a question, at most three, in its order; none if it names one thing.

    They are names, or nouns, joined by a word such as `and`; with a word such as `both`, all names
    in the question. What is in most passages is no part beside what is rare.

    terms: those of the question, weighted, for passages in its language.
    """
    weights = {term.query_term: term.weight for term in terms}
    units = _units(question)
    heads = [max(weights.get(term, 0.0) for term in unit) for unit in units]
    is_named = [bool(unit[0].term_ids) for unit in units]
    chosen = {
        place
        for pair in _joined(question.text, units, heads)
        if is_named[pair[0]] == is_named[pair[1]]
        for place in pair
    }
    if len(chosen) < 2 and _BOTH.search(question.text):
        chosen |= {place for place, named in enumerate(is_named) if named}
    least = _LEAST_WEIGHT * max((heads[place] for place in chosen), default=0.0)
    heaviest = sorted(chosen, key=lambda place: -heads[place])[:_MOST_PARTS]
    kept = sorted(place for place in heaviest if heads[place] >= least)
    if len(kept) < 2:
        return []
    spans = [(units[place][0].start, units[place][-1].end) for place in kept]
    games = "".join(f" {question.text[start:end]}" for _, start, end in find_games(question.text))
    return [
        Part(
            question.text[start:end],
            tuple(units[place]),
            _WHAT_IS[question.lang].format(question.text[start:end]) + games,
        )
        for place, (start, end) in zip(kept, spans, strict=True)
    ]


def _units(question: Question) -> list[list[QueryTerm]]:
    """Return the names in a question, each alone, and its other nouns, those that stand side by
    side together, in its order."""
    units: list[list[QueryTerm]] = []
    for term in sorted(question.query_terms, key=lambda term: term.start):
        if not term.term_ids and (term.importance < 1 or _NO_NOUN.fullmatch(term.text)):
            continue
        is_of_last = (
            units
            and not term.term_ids
            and not units[-1][-1].term_ids
            and _SIDE_BY_SIDE.fullmatch(question.text, units[-1][-1].end, term.start)
        )
        if is_of_last:
            units[-1].append(term)
        else:
            units.append([term])
    return units


def _joined(
    text: str, units: Sequence[Sequence[QueryTerm]], heads: Sequence[float]
) -> list[tuple[int, int]]:
    """Return which two units are joined, by their places. Of units side by side, as in `first
    strike creatures and trample creatures`, the heaviest counts."""
    gaps = list(pairwise(units))
    adjacent = [
        _SIDE_BY_SIDE.fullmatch(text, one[-1].end, other[0].start) is not None
        for one, other in gaps
    ]
    found: list[tuple[int, int]] = []
    for place, (one, other) in enumerate(gaps):
        gap = one[-1].end, other[0].start
        if not _JOINED.fullmatch(text, *gap) or _IF.match(text, gap[0] - 1):
            continue
        if _LAST_OF_LIST.match(text, *gap) and not found:
            continue  # of two, it joins sentences
        first, last = place, place + 1
        while first and adjacent[first - 1]:
            first -= 1
        while last < len(units) - 1 and adjacent[last]:
            last += 1
        found.append(
            (
                max(range(first, place + 1), key=lambda n: heads[n]),
                max(range(place + 1, last + 1), key=lambda n: heads[n]),
            )
        )
    return found


def speaks_of(scored: ScoredCandidate, part: Part) -> bool:
    """Return whether a candidate has a word of a part: one of the same name, in any language."""
    names = {name for term in part.terms for name in term.term_ids}
    texts = {term.text for term in part.terms}
    return any(
        bool(names.intersection(term.term_ids)) or term.text in texts for _, term in scored.matches
    )


def with_parts(
    ranked: Sequence[ScoredCandidate],
    parts: Sequence[Part],
    rankings: Sequence[Sequence[ScoredCandidate]],
) -> list[ScoredCandidate]:
    """Return the candidates for a question, best first, in such an order that the first answers
    speak of all its parts.

    The first stays, if it speaks of any. Then comes the best for each part that it does not speak
    of, then what is best for the whole question, and further answers for each part.

    ranked: for the whole question, best first.
    rankings: for each part, found by this part alone; best first.
    """
    whole = {_key(scored): scored for scored in ranked}
    of_parts = [
        [whole.get(_key(scored), scored) for scored in ranking if speaks_of(scored, part)]
        for part, ranking in zip(parts, rankings, strict=True)
    ]
    order = [scored for scored in ranked[:1] if any(speaks_of(scored, part) for part in parts)]
    order += [
        one
        for part, best in zip(parts, of_parts, strict=True)
        if not any(speaks_of(scored, part) for scored in order)
        for one in best[:1]
    ]
    order += ranked[:_MOST_OF_WHOLE]
    order += [
        one
        for best in zip_longest(*(best[: _MOST_OF_PARTS // len(parts)] for best in of_parts))
        for one in best
        if one
    ]
    return list({_key(scored): scored for scored in [*order, *ranked]}.values())


def _key(scored: ScoredCandidate) -> str:
    return scored.passage.rule or scored.passage.id
