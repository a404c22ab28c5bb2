"""Says which parts of a source and its translation can be held against each other."""

from __future__ import annotations

import re

# What begins examples and remarks that a translation may leave out, or put elsewhere.
_EXAMPLE = re.compile(
    r"(?:(?<=[.!?。）)”」])|\n|^)\s*(?:e\.g\.|Examples?\b\s*[:：]|For example\b|例\s*[:：、]"
    r"|例えば|See (?:also )?rule|参照[:：]|詳細については)"
)
# Characters of Japanese for each of English: of Magic's and Riftbound's rules of 60 characters and
# more, half have 0.49 at most; of drafts 0.51 and 2.17. Other pairs of languages are taken as 1.
_USUAL_RATIO = {("en", "ja"): 0.5, ("ja", "en"): 2.17}


def comparable_parts(source: str, target: str) -> tuple[str, str]:
    """Return two texts without the examples and remarks at their ends that only one of them has:
    from `e.g.`, `Example:`, `See rule`, 例：, 参照： and the like on. If both have some, or
    neither, they are returned as they are; what remains may be empty.

    >>> comparable_parts("Draw a card. e.g., “Draw two.”", "カードを引く。")
    ('Draw a card.', 'カードを引く。')
    """
    ends = [_EXAMPLE.search(text) for text in (source, target)]
    if bool(ends[0]) == bool(ends[1]):
        return source, target
    source_end, target_end = (found.start() if found else None for found in ends)
    return source[:source_end].rstrip(), target[:target_end].rstrip()


def usual_length(source: str, source_lang: str, target_lang: str) -> float:
    """Return how many characters the translation of a text usually has."""
    return len(source) * _USUAL_RATIO.get((source_lang, target_lang), 1.0)


def is_whole(source: str, source_lang: str, target: str, target_lang: str) -> bool:
    """Return whether a target is long enough, and short enough, to be the translation of all of its
    source. Short texts always are.

    >>> is_whole("Draw a card. " * 20, "en", "カードを引く。", "ja")
    False
    """
    expected = usual_length(source, source_lang, target_lang)
    if max(expected, len(target)) < 60:  # too short for a ratio to say anything
        return True
    # By hand. All 120 of Magic's rules 100 to 106 in Japanese are within; a third of a text isn't.
    return 0.4 <= (len(target) + 10) / (expected + 10) <= 2.5
