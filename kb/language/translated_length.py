"""How long the translation of a text usually is, and whether one may be that of all of it."""

from __future__ import annotations

# Characters of Japanese for each of English: of Magic's and Riftbound's rules of 60 characters and
# more, half have 0.49 at most; of drafts 0.51 and 2.17. Of Chinese 0.32, of 2,372 rules of Magic's.
# Other pairs of languages are taken as 1.
_USUAL_RATIO = {
    ("en", "ja"): 0.5, ("ja", "en"): 2.17, ("en", "zh"): 0.32, ("zh", "en"): 3.2,
    ("ja", "zh"): 0.57, ("zh", "ja"): 1.75,
}  # fmt: skip


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
