"""Finds segments whose target seems to lack a sentence, or half of what the source says."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.checking.comparable_parts import comparable_parts, usual_length
from kb.checking.draft import Finding, finding_at
from kb.checking.house_usage import ReadSegment
from kb.reason import Reason

# Shares of the length that translations usually have, by hand with 94 drafts: of 57 segments that
# lack a clause 12 are found so, and none of 670 that lack nothing. Higher shares are those of terse
# translations.
_WITH_FEWER_SENTENCES = 0.67
_AS_MANY_SENTENCES = 0.5
_NO_TRANSLATION = 0.25  # with less it is none, which is told otherwise
_SHORTEST = 60  # characters of English that are expected or there: of less a length says little
_SENTENCE_ENDS = {
    "ja": re.compile(r"[。！？!?]+[」』）)”\"]*\s*"),
    "en": re.compile(r"(?<=[a-z\d)”\"’'\]}])[.!?]+[)”\"’']*(?:\s+|$)"),
}


def missing_text(read: ReadSegment) -> Iterator[Finding]:
    """Yield a finding without a place if a segment's target is much shorter than translations of
    such a source are, more so if it has fewer sentences. Only English and Japanese are known."""
    langs = read.source_lang or "", read.target_lang
    if read.source is None or not all(lang in _SENTENCE_ENDS for lang in langs):
        return
    source, target = comparable_parts(read.source, read.target)
    expected = usual_length(source, *langs)
    in_english = max(len(source), expected) if "en" in langs else len(source)
    sentences = [
        len(sentences_of(text, lang)) for text, lang in zip((source, target), langs, strict=True)
    ]
    least = _WITH_FEWER_SENTENCES if sentences[0] > sentences[1] else _AS_MANY_SENTENCES
    if in_english >= _SHORTEST and _NO_TRANSLATION * expected < len(target) < least * expected:
        share = round(100 * len(target) / expected)
        said = Reason("much_shorter", percent=share, sentences=sentences[0], here=sentences[1])
        yield finding_at(
            read.segment,
            0,
            0,
            "missing-text",
            said,
            giver=Reason("source"),
            source_text=read.source,
        )


def sentences_of(text: str, lang: str) -> list[tuple[int, int]]:
    """Return the spans of the sentences of an English or Japanese text, in order.

    >>> sentences_of("Draw two cards. Discard one.", "en"), sentences_of("引く。捨てる。", "ja")
    ([(0, 16), (16, 28)], [(0, 3), (3, 7)])
    """
    ends = [match.end() for match in _SENTENCE_ENDS[lang].finditer(text)]
    if not ends or text[ends[-1] :].strip():
        ends.append(len(text))
    return list(zip([0, *ends], ends, strict=False))
