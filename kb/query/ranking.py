"""Which of the passages that may answer a question do: all of them roughly, by their words; the
best ones closely, by where in them it is said and how it is put."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from kb.query.candidates import Candidate
from kb.query.question import Question, Wanted, stems

_LENGTH = 45  # words in a passage of usual length
_UNDER = 0.7  # what a word in a heading above counts, or in the rule that this one is part of
_TERM = 1.25  # a term says more than another word of the same frequency
_UNKNOWN = 0.35  # a verb that stands nowhere: what it means may be said in other words
_NAMED = 100.0  # the score of a rule that a question names
_KINDRED = 0.7  # what a kindred word counts
_ABOVE, _BEFORE = 0.8, 0.4  # what a word counts that stands above a passage, before it
_LETTERS = 2_000  # of a sentence, that are compared
_PASSAGES = 50_000  # what frequencies are held against
_STATED_BY = {  # kinds of questions, by what answers them
    "step": {"order"}, "procedure": {"order"}, "outcome": {"happens", "may", "when", "many"},
    "ruling": {"happens", "may", "when", "many"},
}  # fmt: skip
_EXPLAINS = 10  # words with which a rule says more than what kind of thing it is on
_STATES, _CROSSING, _PHRASE = 1.25, 0.5, 0.4
_OF_KIND, _DEFINES, _HEADED, _BELOW = 1.08, 1.6, 2.4, 1.15


@dataclass(slots=True)
class Found:
    """A passage, how well it answers (roughly; held against others, closely), how much of what
    is asked for it covers, why it was chosen, in words; whether the question names its rule."""

    candidate: Candidate
    score: float = 0.0
    covered: float = 0.0
    why: list[str] = field(default_factory=list)
    close: float = 0.0
    named: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """One thing that is asked for, as passages of a language are searched for it: its weight,
    its forms and kindred words, their English words stemmed."""

    wanted: Wanted
    weight: float
    forms: tuple[str, ...]
    kindred: tuple[str, ...]


def asked_for(question: Question, often: Mapping[Wanted, int], lang: str) -> list[Asked]:
    """What a question asks for, as passages of a language are searched for it. A word of another
    language than the passages' can't be there; a term's names can."""
    english = lang == "en"
    kindred = {
        one: _stemmed(form for form in one.kindred if form.isascii() == english)
        for one in question.wanted
    }
    return [
        Asked(one, _weight(one, often[one]),
              _stemmed(one.forms[lang]) if lang == question.lang or one.terms else (), kindred[one])
        for one in question.wanted if lang == question.lang or one.terms or kindred[one]
    ]  # fmt: skip


def _stemmed(forms: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({stems(form) for form in forms}))


def _weight(one: Wanted, often: int) -> float:
    """How much a thing that is asked for says: the rarer it is, the more."""
    says = _TERM if one.terms else one.says
    known = often or (one.says >= 1 and not one.kindred)
    return math.log(1 + _PASSAGES / (1 + often)) * says * (1 if known else _UNKNOWN)


def judged(one: Candidate, question: Question, asked: Sequence[Asked]) -> Found:
    """Score a passage: what it has of what is asked for, and what it is."""
    found, asks_what = Found(one), question.kind == "definition"
    lang = "en" if one.told.lang == "en" else "ja"
    text = f" {stems(one.told.words)} "
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
            worth, how = _KINDRED, "has a word akin to"
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
    if one.told.rule in question.rules:
        found.score, found.covered, found.named = _NAMED, 1.0, True
        found.why.insert(0, f"is rule {one.told.rule.rpartition('/')[2]}")
        return found
    if not whole:
        return found
    found.covered = have / whole
    found.score = score * found.covered**1.5 * (1.0 if lang == question.lang else _CROSSING)
    for kind in (one.told.states or "").split(","):
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


def _together(asked: Sequence[Asked], text: str) -> float:
    """What it counts that words which stand together in the question do so in a passage."""
    found = 0.0
    for one, other in pairwise(asked):
        if one.wanted.end == other.wanted.start and any(
            f" {a} {b} " in text for a in one.forms for b in other.forms
        ):
            found += _PHRASE * (one.weight + other.weight)
    return found


def _names(text: str, asked: Sequence[Asked]) -> bool:
    """Whether a rule says no more than the name of something that is asked for."""
    text = text.strip().partition(" ")[2]
    return any(text.endswith(f) and len(text) - len(f) < 6 for one in asked for f in one.forms)


# -- closely ------------------------------------------------------------------------------


class Signs(NamedTuple):
    """What speaks for a passage when the best ones are held against each other."""

    rough: float  # its score, of the best one's
    likeness: float  # of its likest sentence or two to the question, in letters
    context: float  # how much is covered with what stands above and before, rare among these
    brevity: float  # of these sentences
    rule: float  # whether it gives a rule
    crossing: float  # whether it is in another language
    example: float
    fragment: float  # a name or a cell, no sentence
    answering: float  # whether it has what answers such a question: a number, a time...
    defining: float  # of what a question asks the meaning of, or cited where that is defined


# Fitted on the labelled questions that are not held out, by `python -m benchmarks.fit_answers`.
WEIGHTS = Signs(5.0, 15.2, 1.7, 0.1, 0.6, -0.25, -1.7, -2.45, 0.7, 2.8)
_SENTENCE = re.compile(r"(?<=[。！？])|(?<=[.!?])\s+|[\n\t]+")
_EXAMPLE = re.compile(r"（?例）?[：:]|Example:")
_FRAGMENT = 25  # characters; what is longer says something
_ANSWERING = {
    "many": r"[0-9０-９一二三四五六七八九十]+\s*(?:枚|回|人|点|体|つ|個|種|以上|以下|マナ)"
    r"|\t[0-9０-９]|任意|好きな(?:数|枚数)|複数|すべて|no more than|at least|any number"
    r"|\b(?:\d+|twice|one|two|three|four|five|six|seven|eight|nine|ten|fifteen|twenty|thirty|forty|sixty)\b",
    "when": r"の(?:開始|終了|最初|最後|際|とき|時|間)|前に|後に|直前|まで|次に|フェイズ|ステップ"
    r"|\d年|タイミング|\b(?:when|whenever|after|before|until|beginning|end of|during|step|phase)\b",
    "who": r"プレイヤー|オーナー|コントローラー|相手|自分|あなた"
    r"|\b(?:player|controller|owner|opponent)s?\b",
    "order": r"まず|最初|次に|その後|順|先に|第[一二三123]|逆|上から"
    r"|\b(?:first|then|next|order|after|top|last)\b",
    "may": r"でき|られる|てもよい|ない。|ません|ではない|含"
    r"|\b(?:can|can’t|may|isn’t|must|not|only)\b",
    "happens": r"場合|時|なら|たら|れば|代わりに|される"
    r"|\b(?:if|when|instead|would|is put|loses|becomes)\b",
    "definition": r"とは|こと。|行為|指す|である。|もの。|\b(?:means?|is an?|are)\b",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Close:
    """The passages that come nearest to answering a question, ranked roughly, with their texts
    and the normal forms of what stands before each."""

    ranked: list[Found]
    texts: list[str]
    before: list[str]
    question: Question
    asked: Mapping[str, Sequence[Asked]]


def closely(near: Close) -> list[Found]:
    """The nearest passages, held against each other, best first."""
    for found, own in zip(near.ranked, signs(near), strict=True):
        found.close = sum(w * sign for w, sign in zip(WEIGHTS, own, strict=True))
    return sorted(
        near.ranked, key=lambda one: (not one.named, -one.close, one.candidate.told.passage)
    )


def signs(near: Close) -> list[Signs]:
    """What speaks for each of the nearest passages, in their order."""
    likest = _likest(near.question.text, near.texts)
    contexts = _contexts(near)
    asks_what = near.question.kind == "definition"
    answers = re.compile(_ANSWERING.get(near.question.kind, "$^"), re.IGNORECASE)
    return [
        Signs(
            found.score / near.ranked[0].score, like, context, -math.log(1 + long),
            bool(found.candidate.told.rule), _lang(found) != near.question.lang,
            _EXAMPLE.match(text) is not None,
            len(text) < _FRAGMENT and not re.search("[。.]", text),
            answers.search(text) is not None,
            asks_what and bool(found.candidate.defines or found.candidate.cited_for),
        )
        for found, text, (like, long), context
        in zip(near.ranked, near.texts, likest, contexts, strict=True)
    ]  # fmt: skip


def _lang(found: Found) -> str:
    return "en" if found.candidate.told.lang == "en" else "ja"


def _likest(question: str, texts: Sequence[str]) -> list[tuple[float, int]]:
    """For each text the likeness of its likest sentence, or two, to a question, and how long
    that is: the cosine of what letters stand together, the rare among these texts most."""
    pieces = [[one for one in _SENTENCE.split(text) if one and one.strip()] for text in texts]
    single = [[_letters(one) for one in own] for own in pieces]
    often = Counter(g for own in single for g in frozenset().union(*own))
    weight = {gram: math.log(1 + len(texts) / (0.5 + n)) ** 2 for gram, n in often.items()}
    rarest = math.log(1 + len(texts) / 0.5) ** 2
    wanted = _letters(question)
    norm = math.sqrt(sum(weight.get(gram, rarest) for gram in wanted)) or 1.0
    found = []
    for own in single:
        best, long = 0.0, 1
        for one in [*own, *(a | b for a, b in pairwise(own))]:
            whole = math.sqrt(sum(weight.get(gram, rarest) for gram in one)) or 1.0
            shared = sum(weight.get(gram, rarest) for gram in one & wanted)
            if (like := shared / (norm * whole)) > best:
                best, long = like, len(one)
        found.append((best, long))
    return found


def _letters(text: str) -> frozenset[str]:
    """The letters of a text, and the twos and threes that stand together."""
    plain = re.sub(r"\W", "", text.casefold())[:_LETTERS]
    return frozenset(plain[at : at + n] for n in (1, 2, 3) for at in range(len(plain) - n + 1))


def _contexts(near: Close) -> list[float]:
    """How much of what is asked for each passage covers, with what it stands under and what
    stands before it; what few of them have counts most."""
    ranked, asked = near.ranked, near.asked
    places = [
        [f" {stems(part)} " for part in (one.candidate.told.words, one.candidate.above, prior)]
        for one, prior in zip(ranked, near.before, strict=True)
    ]
    worth = [
        [_worth(each, *parts) for each in asked[_lang(one)]]
        for one, parts in zip(ranked, places, strict=True)
    ]
    having: Counter[Wanted] = Counter()
    for one, own in zip(ranked, worth, strict=True):
        having.update(a.wanted for a, w in zip(asked[_lang(one)], own, strict=True) if w > _BEFORE)
    found = []
    for one, own in zip(ranked, worth, strict=True):
        weights = [
            math.log(1 + len(ranked) / (0.5 + having[a.wanted])) * a.wanted.says
            for a in asked[_lang(one)]
        ]
        whole = sum(weights) or 1.0
        found.append(sum(w * n for w, n in zip(weights, own, strict=True)) / whole)
    return found


def _worth(each: Asked, text: str, above: str, prior: str) -> float:
    """What it counts how a passage has one thing that is asked for."""
    if any(f" {form} " in text for form in each.forms):
        return 1.0
    if any(f" {form} " in above for form in each.forms):
        return _ABOVE
    if any(f" {form} " in text for form in each.kindred):
        return _KINDRED
    return _BEFORE if any(f" {form} " in prior for form in each.forms) else 0.0
