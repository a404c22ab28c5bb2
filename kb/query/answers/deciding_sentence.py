"""Finds the sentence of a passage that decides a question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from operator import mul

from kb.query.answers.fitted_weights import fitted_weights
from kb.query.answers.question import Question
from kb.query.answers.sentence_features import SentenceFeatures, sentence_features
from kb.query.answers.term_weights import WeightedTerm
from kb.query.lookup.passage_places import without_rule_number

[SENTENCE_WEIGHTS] = fitted_weights("sentence", SentenceFeatures)
# How much less a sentence beside the best may come to, if one goes on from the other, so that both
# are marked: by hand; of the passages of several sentences one of seven has two marked.
_CLOSE = 1.5
GOING_ON = re.compile(
    r"(?:(?:If|When|In|Once|After|For) )?(?:this|that|these|those|such|it|its|they|their|each one"
    r"|any such|doing so|so|it’s|they’re)\b|Otherwise\b|Rather\b|If (?:the player|you|not)\b"
    r"|(?:こ|そ)(?:の|れ|れら|う)",
    re.IGNORECASE,
)
# A question and its answer, as wikis write them: Q: and A:, perhaps with a number.
_ASKING = re.compile(r"[\s\u3000]*[QＱ][\s0-9０-９]{0,4}[：:.．]")
_ANSWERING = re.compile(r"[\s\u3000]*[AＡ][\s0-9０-９]{0,4}[：:.．]")
_OPENING, _CLOSING = "「『（(〔【［[“", "」』）)〕】］]”"
_JAPANESE_END = "。！？"
# With the quotation marks and brackets that close behind it: they are of the sentence.
_ENGLISH_END = re.compile(r"[.!?][”’\"')]*(?=\s+[A-Z“‘\"'(\d]|\s*$)")
# Words whose full stop ends no sentence.
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|vs|etc|cf|ex)\.$", re.IGNORECASE)


def deciding_sentence(
    text: str, number: str, question: Question, terms: Sequence[WeightedTerm]
) -> tuple[int, int]:
    """Return the span (start, end) of the sentence in a passage that decides a question best.

    It is the one whose features, weighted, come to most: that has the question's words, says what
    is asked for, and neither only refers elsewhere nor says of what kind something is; else the
    earliest. Where that or the next begins with words such as `they` or `otherwise`, which go on
    from the sentence before, and the two come to nearly the same, they are one. Of a question with
    its answer it is one of the answer's. A text without a sentence,
    such as white space or the number alone, gives all of it: (0, its length).

    text: the passage's text.
    number: of the rule that it gives; it is no part of the sentence. Empty if it gives none.
    terms: of the question, for the language of the passage, as `weighted_terms` returns them.
    """
    possible = possible_sentences(text, number)
    sentences = [text[start:end] for start, end in possible]
    features = sentence_features(sentences, question, terms)
    scores = [
        (not _says_little(own), sum(map(mul, own, SENTENCE_WEIGHTS)), -at)
        for at, own in enumerate(features)
    ]
    if not possible:
        return 0, len(text)
    best = max(range(len(scores)), key=scores.__getitem__)
    for first, other in ((best, best + 1), (best - 1, best - 1)):
        if (
            0 <= first < len(possible) - 1
            and GOING_ON.match(sentences[first + 1])
            and scores[other][0]
            and scores[best][1] - scores[other][1] < _CLOSE
        ):
            return possible[first][0], possible[first + 1][1]
    return possible[best]


def _says_little(sentence: SentenceFeatures) -> bool:
    """Return whether a sentence only refers elsewhere, or is the first and only says of what kind
    something is: it decides nothing where there is another."""
    kind_alone = sentence.is_classifying or sentence.is_announcing
    return bool(sentence.is_referring or (sentence.is_first and kind_alone))


def possible_sentences(text: str, number: str) -> list[tuple[int, int]]:
    """Return the spans of the sentences of a passage one of which decides: without those of a
    question that it answers.

    number: of the rule that it gives; empty if it gives none.
    """
    spans = list(sentence_spans(text, len(text) - len(without_rule_number(text, number))))
    return _answering(text, spans) or spans


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
