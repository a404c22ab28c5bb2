"""How well the passages that may answer a question do, roughly: by the words that they have."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from graphs.store.passage_index import IndexedPassage
from kb.query.answers.candidates import Candidate
from kb.query.answers.question import QueryTerm, Question, stems

_LENGTH = 45  # words in a passage of usual length
_UNDER = 0.7  # what a word in a heading above counts, or in the rule that this one is part of
_TERM = 1.25  # a term says more than another word of the same frequency
_UNKNOWN = 0.35  # a verb that stands nowhere: what it means may be said in other words
_NAMED = 100.0  # the score of a rule that a question names
RELATED_WORTH = 0.7  # what a kindred word counts
_PASSAGES = 50_000  # what frequencies are held against
_STATED_BY = {  # kinds of questions, by what answers them
    "step": {"order"}, "procedure": {"order"}, "outcome": {"happens", "may", "when", "many"},
    "ruling": {"happens", "may", "when", "many"},
}  # fmt: skip
_EXPLAINS = 10  # words with which a rule says more than what kind of thing it is on
_STATES, _CROSSING, _PHRASE = 1.25, 0.5, 0.4
_OF_KIND, _DEFINES, _HEADED, _BELOW = 1.08, 1.6, 2.4, 1.15


@dataclass(slots=True)
class ScoredCandidate:
    """A passage, how well it answers (roughly; held against others, closely), how much of what
    is asked for it covers, why it was chosen, in words; whether the question names its rule."""

    candidate: Candidate
    score: float = 0.0
    covered: float = 0.0
    why: list[str] = field(default_factory=list)
    close: float = 0.0
    named: bool = False

    @property
    def passage(self) -> IndexedPassage:
        """The passage in its place."""
        return self.candidate.passage


@dataclass(frozen=True, slots=True)
class WeightedTerm:
    """One thing that is asked for, as passages of a language are searched for it: its weight,
    its forms and kindred words, their English words stemmed."""

    wanted: QueryTerm
    weight: float
    forms: tuple[str, ...]
    kindred: tuple[str, ...]


def weighted_terms(
    question: Question, often: Mapping[QueryTerm, int], lang: str
) -> list[WeightedTerm]:
    """What a question asks for, as passages of a language are searched for it. A word of another
    language than the passages' can't be there; a term's names can."""
    english = lang == "en"
    kindred = {
        one: _stemmed(form for form in one.kindred if form.isascii() == english)
        for one in question.wanted
    }
    return [
        WeightedTerm(
            one,
            _weight(one, often[one]),
            _stemmed(one.forms[lang]) if lang == question.lang or one.terms else (),
            kindred[one],
        )
        for one in question.wanted
        if lang == question.lang or one.terms or kindred[one]
    ]


def _stemmed(forms: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({stems(form) for form in forms}))


def _weight(one: QueryTerm, often: int) -> float:
    """How much a thing that is asked for says: the rarer it is, the more."""
    says = _TERM if one.terms else one.says
    known = often or (one.says >= 1 and not one.kindred)
    return math.log(1 + _PASSAGES / (1 + often)) * says * (1 if known else _UNKNOWN)


def score_candidate(
    one: Candidate, question: Question, asked: Sequence[WeightedTerm]
) -> ScoredCandidate:
    """Score a passage: what it has of what is asked for, and what it is."""
    found, asks_what = ScoredCandidate(one), question.kind == "definition"
    lang = "en" if one.passage.lang == "en" else "ja"
    text = f" {stems(one.passage.words)} "
    above = f" {stems(one.above)} "
    if one.whole:
        above += f"{stems(one.whole.words)} "
    length = text.count(" ") - 1
    about_rule = one.cited_for if asks_what else ""
    whole = have = score = 0.0
    for each in asked:
        weight, wanted = each.weight, each.wanted
        whole += weight
        times: float = sum(text.count(f" {form} ") for form in each.forms)
        if one.defines in wanted.terms:  # what it says is said of the term, named or not
            times = max(times, 1)
        worth, how = 1.0, "speaks of"
        if not times:
            times = sum(text.count(f" {form} ") for form in each.kindred)
            worth, how = RELATED_WORTH, "has a word akin to"
        if times:
            have += weight * worth
            long = max(length, _LENGTH if about_rule in wanted.terms else 0)
            score += worth * weight * times * 2.2 / (times + 1.2 * (0.4 + 0.6 * long / _LENGTH))
            found.why.append(f"{how} {wanted.said}")
        elif any(f" {form} " in above for form in each.forms):
            have += weight * 0.8
            score += weight * _UNDER
            found.why.append(f"stands under {wanted.said}")
    score += _together(asked, text + above)
    if one.passage.rule in question.rules:
        found.score, found.covered, found.named = _NAMED, 1.0, True
        found.why.insert(0, f"is rule {one.passage.rule.rpartition('/')[2]}")
        return found
    if not whole:
        return found
    found.covered = have / whole
    found.score = score * found.covered**1.5 * (1.0 if lang == question.lang else _CROSSING)
    for kind in (one.passage.states or "").split(","):
        if question.kind in _STATED_BY.get(kind, ()):
            found.score *= _STATES
            found.why.append(f"states {'an' if kind == 'outcome' else 'a'} {kind}")
    if one.cited_for:
        found.score *= _HEADED if about_rule and length >= _EXPLAINS else _OF_KIND
        found.why.append(f"cited where {one.cited_for.rpartition('/')[2]} is defined")
    elif asks_what and one.whole and _names(f" {stems(one.whole.words)} ", asked):
        found.score *= _BELOW
        found.why.append(f"part of rule {(one.whole.rule or '').rpartition('/')[2]} on it")
    if one.defines:
        found.score *= _DEFINES if asks_what else _OF_KIND
        found.why.append(f"defines {one.defines.rpartition('/')[2]}")
    return found


def _together(asked: Sequence[WeightedTerm], text: str) -> float:
    """What it counts that words which stand together in the question do so in a passage."""
    found = 0.0
    for one, other in pairwise(asked):
        if one.wanted.end == other.wanted.start and any(
            f" {a} {b} " in text for a in one.forms for b in other.forms
        ):
            found += _PHRASE * (one.weight + other.weight)
    return found


def _names(text: str, asked: Sequence[WeightedTerm]) -> bool:
    """Whether a rule says no more than the name of something that is asked for."""
    text = text.strip().partition(" ")[2]
    return any(text.endswith(f) and len(text) - len(f) < 6 for one in asked for f in one.forms)
