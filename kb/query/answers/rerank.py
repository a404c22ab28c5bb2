"""Reranks the best candidates of a question by ten features with fitted weights."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from kb.query.answers.bm25 import RELATED_WORTH, ScoredCandidate, WeightedTerm
from kb.query.answers.question import QueryTerm, Question, stem_words

# What a query term counts that is not in the passage but in its context, or in the passage before.
_CONTEXT_WORTH, _PRECEDING_WORTH = 0.8, 0.4
_MOST_CHARACTERS = 2_000  # of a sentence that are compared


class Features(NamedTuple):
    """The features of one passage of a shortlist. Booleans count as 0 or 1."""

    first_score: float  # the rough score, as a share of the best passage's
    similarity: float  # of its best sentence, or two, to the question, by character n-grams
    coverage: float  # share of the query terms that it covers, with its context
    brevity: float  # of that sentence: minus the logarithm of its length
    is_rule: float  # whether it gives a rule
    other_language: float  # whether it is in another language than the question
    is_example: float  # whether it is an example
    is_fragment: float  # whether it is a name or a table cell, not a sentence
    has_answer_words: float  # whether it has what answers such a question: a number, a time…
    is_definition: float  # if a definition is asked for: defines a term, or is cited for it


# Fitted on the labelled questions that are not held out, by `python -m benchmarks.fit_answers`.
WEIGHTS = Features(5.0, 15.2, 1.7, 0.1, 0.6, -0.25, -1.7, -2.45, 0.7, 2.8)
_SENTENCE = re.compile(r"(?<=[。！？])|(?<=[.!?])\s+|[\n\t]+")
_EXAMPLE = re.compile(r"（?例）?[：:]|Example:")
_MOST_FRAGMENT = 25  # characters; a longer text is no mere fragment
# {kind of question: pattern of the words that an answer to it contains}
ANSWER_WORDS = {
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
    """The best candidates of a question, with what is needed to rerank them.

    ranked: the candidates, best first by their rough scores.
    texts: their texts, in the same order.
    preceding: the normal forms of the passage before each, in the same order; empty if none.
    question: the question.
    terms: the question's terms by the language of the passage, `ja` or `en`.
    """

    ranked: list[ScoredCandidate]
    texts: list[str]
    preceding: list[str]
    question: Question
    terms: Mapping[str, Sequence[WeightedTerm]]


def rerank(shortlist: Shortlist) -> list[ScoredCandidate]:
    """Return all candidates of a shortlist, best first, and set their `final_score`: the sum of
    their weighted features. The shortlist's own order does not change.

    Passages that give a rule that the question names come before all others.
    """
    for scored, values in zip(shortlist.ranked, features(shortlist), strict=True):
        scored.final_score = sum(
            weight * value for weight, value in zip(WEIGHTS, values, strict=True)
        )
    return sorted(
        shortlist.ranked,
        key=lambda scored: (not scored.is_named, -scored.final_score, scored.passage.id),
    )


def features(shortlist: Shortlist) -> list[Features]:
    """Return the features of each candidate of a shortlist, in its order, before weighting.

    `has_answer_words` is False if there is no pattern for the question's kind; `is_definition` is
    False unless a definition is asked for. A fragment is a text of less than 25 characters without
    a full stop.
    """
    best_sentences = _best_sentences(shortlist.question.text, shortlist.texts)
    coverages = _coverages(shortlist)
    asks_definition = shortlist.question.kind == "definition"
    answer_words = re.compile(ANSWER_WORDS.get(shortlist.question.kind, "$^"), re.IGNORECASE)
    return [
        Features(
            scored.score / shortlist.ranked[0].score,
            similarity,
            coverage,
            -math.log(1 + length),
            bool(scored.passage.rule),
            _lang(scored) != shortlist.question.lang,
            _EXAMPLE.match(text) is not None,
            len(text) < _MOST_FRAGMENT and not re.search("[。.]", text),
            answer_words.search(text) is not None,
            asks_definition and bool(scored.candidate.defines or scored.candidate.cited_for),
        )
        for scored, text, (similarity, length), coverage in zip(
            shortlist.ranked, shortlist.texts, best_sentences, coverages, strict=True
        )
    ]


def _lang(scored: ScoredCandidate) -> str:
    """Return the language of a passage, `ja` or `en`.

    scored: the passage as a candidate. Any language other than `en` counts as `ja`.
    """
    return "en" if scored.passage.lang == "en" else "ja"


def _best_sentences(question: str, texts: Sequence[str]) -> list[tuple[float, int]]:
    """Return for each text (similarity, length) of the sentence, or two consecutive sentences,
    that are most similar to a question.

    The similarity is the cosine of the sets of character n-grams, from 0 to 1, each n-gram
    weighted by how rare it is among the texts. The length is the number of different n-grams.
    For a text that shares none with the question the result is (0.0, 1).
    """
    sentences = [
        [sentence for sentence in _SENTENCE.split(text) if sentence and sentence.strip()]
        for text in texts
    ]
    grams = [[_ngrams(sentence) for sentence in split] for split in sentences]
    frequencies = Counter(gram for split in grams for gram in frozenset().union(*split))
    weights = {
        gram: math.log(1 + len(texts) / (0.5 + number)) ** 2 for gram, number in frequencies.items()
    }
    unseen = math.log(1 + len(texts) / 0.5) ** 2
    wanted = _ngrams(question)
    question_norm = math.sqrt(sum(weights.get(gram, unseen) for gram in wanted)) or 1.0
    results = []
    for split in grams:
        best, length = 0.0, 1
        for sentence in [*split, *(a | b for a, b in pairwise(split))]:
            norm = math.sqrt(sum(weights.get(gram, unseen) for gram in sentence)) or 1.0
            shared = sum(weights.get(gram, unseen) for gram in sentence & wanted)
            if (similarity := shared / (question_norm * norm)) > best:
                best, length = similarity, len(sentence)
        results.append((best, length))
    return results


def _ngrams(text: str) -> frozenset[str]:
    """Return the n-grams of one, two and three letters in a text, without case and punctuation.

    White space is dropped, too, so n-grams run across words. Only the first 2,000 characters count.
    """
    plain = re.sub(r"\W", "", text.casefold())[:_MOST_CHARACTERS]
    return frozenset(
        plain[start : start + n] for n in (1, 2, 3) for start in range(len(plain) - n + 1)
    )


def _coverages(shortlist: Shortlist) -> list[float]:
    """Return for each candidate the share of the query terms that it covers, from 0 to 1.

    A term in the context or in the preceding passage counts in part. Terms are weighted by their
    importance and by how few of the candidates have them.
    """
    ranked, terms = shortlist.ranked, shortlist.terms
    places = [
        [
            f" {stem_words(part)} "
            for part in (scored.passage.words, scored.candidate.context, preceding)
        ]
        for scored, preceding in zip(ranked, shortlist.preceding, strict=True)
    ]
    worths = [
        [_worth(term, *parts) for term in terms[_lang(scored)]]
        for scored, parts in zip(ranked, places, strict=True)
    ]
    frequencies: Counter[QueryTerm] = Counter()
    for scored, term_worths in zip(ranked, worths, strict=True):
        frequencies.update(
            term.query_term
            for term, worth in zip(terms[_lang(scored)], term_worths, strict=True)
            if worth > _PRECEDING_WORTH
        )
    coverages = []
    for scored, term_worths in zip(ranked, worths, strict=True):
        weights = [
            math.log(1 + len(ranked) / (0.5 + frequencies[term.query_term]))
            * term.query_term.importance
            for term in terms[_lang(scored)]
        ]
        total = sum(weights) or 1.0
        covered = sum(weight * worth for weight, worth in zip(weights, term_worths, strict=True))
        coverages.append(covered / total)
    return coverages


def _worth(term: WeightedTerm, text: str, context: str, preceding: str) -> float:
    """Return how much of a query term a passage covers, from 0 to 1.

    text, context, preceding: the stemmed forms of the passage, of what it stands under, and of
        the passage before it, each with a space at both ends.
    """
    if any(f" {form} " in text for form in term.forms):
        return 1.0
    if any(f" {form} " in context for form in term.forms):
        return _CONTEXT_WORTH
    if any(f" {form} " in text for form in term.related):
        return RELATED_WORTH
    return _PRECEDING_WORTH if any(f" {form} " in preceding for form in term.forms) else 0.0
