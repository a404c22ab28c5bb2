"""What speaks for the passages that come nearest to answering a question, when they are held
against each other: where in them it is said, and how it is put."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from kb.query.answers.question import QueryTerm, Question, stems
from kb.query.answers.ranking import RELATED_WORTH, ScoredCandidate, WeightedTerm

_ABOVE, _BEFORE = 0.8, 0.4  # what a word counts that stands above a passage, before it
_LETTERS = 2_000  # of a sentence, that are compared


class Features(NamedTuple):
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
WEIGHTS = Features(5.0, 15.2, 1.7, 0.1, 0.6, -0.25, -1.7, -2.45, 0.7, 2.8)
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
class Shortlist:
    """The passages that come nearest to answering a question, ranked roughly, with their texts
    and the normal forms of what stands before each."""

    ranked: list[ScoredCandidate]
    texts: list[str]
    before: list[str]
    question: Question
    asked: Mapping[str, Sequence[WeightedTerm]]


def rerank(near: Shortlist) -> list[ScoredCandidate]:
    """The nearest passages, held against each other, best first."""
    for found, own in zip(near.ranked, features(near), strict=True):
        found.close = sum(w * sign for w, sign in zip(WEIGHTS, own, strict=True))
    return sorted(near.ranked, key=lambda one: (not one.named, -one.close, one.passage.id))


def features(near: Shortlist) -> list[Features]:
    """What speaks for each of the nearest passages, in their order."""
    likest = _likest(near.question.text, near.texts)
    contexts = _contexts(near)
    asks_what = near.question.kind == "definition"
    answers = re.compile(_ANSWERING.get(near.question.kind, "$^"), re.IGNORECASE)
    return [
        Features(
            found.score / near.ranked[0].score,
            like,
            context,
            -math.log(1 + long),
            bool(found.passage.rule),
            _lang(found) != near.question.lang,
            _EXAMPLE.match(text) is not None,
            len(text) < _FRAGMENT and not re.search("[。.]", text),
            answers.search(text) is not None,
            asks_what and bool(found.candidate.defines or found.candidate.cited_for),
        )
        for found, text, (like, long), context in zip(
            near.ranked, near.texts, likest, contexts, strict=True
        )
    ]


def _lang(found: ScoredCandidate) -> str:
    return "en" if found.passage.lang == "en" else "ja"


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


def _contexts(near: Shortlist) -> list[float]:
    """How much of what is asked for each passage covers, with what it stands under and what
    stands before it; what few of them have counts most."""
    ranked, asked = near.ranked, near.asked
    places = [
        [f" {stems(part)} " for part in (one.passage.words, one.candidate.above, prior)]
        for one, prior in zip(ranked, near.before, strict=True)
    ]
    worth = [
        [_worth(each, *parts) for each in asked[_lang(one)]]
        for one, parts in zip(ranked, places, strict=True)
    ]
    having: Counter[QueryTerm] = Counter()
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


def _worth(each: WeightedTerm, text: str, above: str, prior: str) -> float:
    """What it counts how a passage has one thing that is asked for."""
    if any(f" {form} " in text for form in each.forms):
        return 1.0
    if any(f" {form} " in above for form in each.forms):
        return _ABOVE
    if any(f" {form} " in text for form in each.kindred):
        return RELATED_WORTH
    return _BEFORE if any(f" {form} " in prior for form in each.forms) else 0.0
