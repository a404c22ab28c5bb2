"""Finds the sentence of a passage that decides a question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kb.language.tokens import normal_forms, tokenizer
from kb.query.answers.bm25 import RELATED_WORTH
from kb.query.answers.question import ANSWER_WORDS, Question, stem_words
from kb.query.answers.term_weights import WeightedTerm
from kb.query.lookup.passage_places import without_rule_number

# Factors and worths set by hand: only what they put before what matters. A noun of the question is
# worth its weight, from 2.4, if 5,000 passages have it, to 10.8, if none has.
_ANSWER_FACTOR = 1.5  # of a sentence with words that answer such a question
_DEFINING_FACTOR = 1.5  # of a sentence that says what something is, if that is asked
_MEANING_FACTOR = 2.5  # of one that says what a word means
_FRAGMENT_FACTOR = 0.3  # of a line that is no sentence
_ADDED_WORTH = 0.05  # by its place: the earlier of two that are alike; less than any noun's weight
_ANNOUNCING_FACTOR = 0.3  # of a sentence that only says of what kind something is, or that it is
_CARRIED_WORTH = 0.6  # of what the sentence before covers, in one that goes on from it
# How rules and glossaries word what a sentence does; one that is worded otherwise is a plain one.
_DEFINING = re.compile(
    r"とは|(?:の)?こと。|の(?:略|総称)|を指す|という。|\b(?:means?|is an?|is the|are|refers to)\b"
)
_MEANING = re.compile(
    r"[”」』]\s?(?:means?\b|とは|という(?:の|こと)は)|\bmeans?,? [“\"「]"
    r"|^(?:For a player )?[Tt]o [^,.]{3,40}, "
)
_ANNOUNCING = re.compile(
    r"^[^.]{0,60}\b(?:is|are|represents?) (?:an? )?(?:\w+[ -]){0,2}"
    r"(?:abilit(?:y|ies)|keywords?|actions?)\b[^.“]{0,70}\.$"
    r"|^(?:Certain|Some|Many|There are)\b[^.]*\.$|[^。]*(?:が存在する|がある|ことがある)。$"
    r"|^[^。]{0,30}(?:能力|キーワード)(?:の一種)?(?:である|です)。$",
    re.IGNORECASE,
)
_GOING_ON = re.compile(
    r"(?:こ|そ)(?:の|れ|れら|う|こ)|ただし|また、|したがって|(?:This|These|That|Those|It|They|Rather|Otherwise"
    r"|Instead|However|To do so|Then|First|If (?:so|not|they|it)|A \w+ cast)\b"
)
_REFERRING = re.compile(
    r"(?:参照|を参照|見よ)[)）]?。?$|^\W*(?:See|For more|Ignore this rule)\b"
    r"|^This is called\b|\binformally (?:called|known)\b|\bis referred to as\b|と呼ばれる。$",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[。！？.!?]")
# A question and its answer, as wikis write them: Q: and A:, perhaps with a number.
_ASKING = re.compile(r"[\s\u3000]*[QＱ][\s0-9０-９]{0,4}[：:.．]")
_ANSWERING = re.compile(r"[\s\u3000]*[AＡ][\s0-9０-９]{0,4}[：:.．]")
_OPENING, _CLOSING = "「『（(〔【［[“", "」』）)〕】］]”"
_JAPANESE_END = "。！？"
# With the quotation marks and brackets that close behind it: they are of the sentence.
_ENGLISH_END = re.compile(r"[.!?][”’\"')]*(?=\s+[A-Z“‘\"'(\d]|\s*$)")
# Words whose full stop ends no sentence.
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|vs|etc|cf)\.$", re.IGNORECASE)


def deciding_sentence(
    text: str, number: str, question: Question, terms: Sequence[WeightedTerm]
) -> tuple[int, int]:
    """Return the span (start, end) of the sentence in a passage that decides a question best.

    It is the one with most of the question's words, weighted, and of those that are alike the one
    that states what is asked for: a definition, a number, what may be done; else the earliest. Of a
    question with its answer it is one of the answer's. A text without a sentence, such as white
    space or the number alone, gives all of it: (0, its length).

    text: the passage's text.
    number: of the rule that it gives; it is no part of the sentence. Empty if it gives none.
    terms: of the question, for the language of the passage, as `weighted_terms` returns them.
    """
    spans = list(sentence_spans(text, len(text) - len(without_rule_number(text, number))))
    answering = _answering(text, spans)
    if not spans:
        return 0, len(text)
    answer_words = ANSWER_WORDS.get(question.kind)
    possible = answering or spans
    # A sentence that only refers elsewhere decides nothing where there is another.
    possible = [span for span in possible if not _REFERRING.search(text[slice(*span)])] or possible
    best, best_score, before = possible[0], -1.0, 0.0
    for place, (start, end) in enumerate(possible):
        sentence = text[start:end]
        overlap = _overlap(sentence, terms)
        if _GOING_ON.match(sentence):
            overlap += _CARRIED_WORTH * before
        before = overlap
        score = overlap + _ADDED_WORTH / (1 + place)
        if answer_words and re.search(answer_words, sentence, re.IGNORECASE):
            score *= _ANSWER_FACTOR
        if question.kind == "definition":
            score *= _DEFINING_FACTOR if _DEFINING.search(sentence) else 1.0
            score *= _MEANING_FACTOR if _MEANING.search(sentence) else 1.0
        if not _SENTENCE_END.search(sentence):
            score *= _FRAGMENT_FACTOR
        if _ANNOUNCING.search(sentence):
            score *= _ANNOUNCING_FACTOR
        if score > best_score:
            best, best_score = (start, end), score
    return best


def sentence_spans(text: str, start: int = 0) -> Iterator[tuple[int, int]]:
    """Yield the spans (start, end) of the sentences of a text, without white space around them.

    A sentence ends with its line, and outside of brackets and quotation marks at 。！？, or at a
    full stop, ! or ? that a new sentence follows, beginning with a capital letter, a digit or an
    opening sign. Its last sign is part of it. An empty text yields nothing.

    start: where the first sentence begins; spans are places in the whole text.

    >>> text = "「引く。」と書く。次。"
    >>> [text[start:end] for start, end in sentence_spans(text)]
    ['「引く。」と書く。', '次。']
    >>> text = "121.1. Draw one (e.g. a card). Then stop."
    >>> [text[start:end] for start, end in sentence_spans(text, 7)]
    ['Draw one (e.g. a card).', 'Then stop.']
    """
    english_ends = {
        match.end()
        for match in _ENGLISH_END.finditer(text)
        if not _ABBREVIATION.search(text, max(0, match.start() - 5), match.start() + 1)
    }
    depth, begin = 0, start
    for position in range(start, len(text)):
        sign = text[position]
        depth = max(0, depth + (sign in _OPENING) - (sign in _CLOSING))
        is_line_end = sign == "\n"
        if (
            is_line_end
            or (sign in _JAPANESE_END and not depth)
            or (position + 1 in english_ends and not depth)
        ):
            yield from _stripped(text, begin, position + 1)
            begin = position + 1
            depth = 0 if is_line_end else depth
    yield from _stripped(text, begin, len(text))


def _stripped(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield a span without the white space at its ends; nothing if there is nothing else."""
    words = text[start:end]
    if stripped := words.strip():
        first = start + len(words) - len(words.lstrip())
        yield first, first + len(stripped)


def _answering(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the sentences of the answer in a text that has a question and its answer; else none.

    The question, from a sentence that begins with `Q:` or `Q1.`, ends where one begins with `A:`;
    all from there on are the answer's, further questions, too.
    """
    asked = False
    for place, (start, _) in enumerate(spans):
        asked = asked or _ASKING.match(text, start) is not None
        if asked and _ANSWERING.match(text, start):
            return list(spans[place:])
    return []


def _overlap(sentence: str, terms: Sequence[WeightedTerm]) -> float:
    """Return the sum of the weights of those of some terms that a sentence has in any form, once
    each; related words count 0.7 of it."""
    words = " ".join(form for form, _, _ in normal_forms(tokenizer()(sentence)))
    stemmed = f" {stem_words(words)} "
    score = 0.0
    for term in terms:
        if any(f" {form} " in stemmed for form in term.forms):
            score += term.weight
        elif any(f" {form} " in stemmed for form in term.related):
            score += term.weight * RELATED_WORTH
    return score
