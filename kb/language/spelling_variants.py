"""Tells spellings of one word (ふだ, 札) from different words (あんた, 貴方)."""

from __future__ import annotations

import re
from typing import Any

from kb.language.fold import fold

_KANJI = re.compile(r"[一-鿿々]")
_MAX_CACHED = 30_000  # pairs of words
_PLAIN_ENDING = dict(zip("えけげせてねべめれ", "うくぐすつぬぶむる", strict=True))


class SpellingVariants:
    """Decides whether a dictionary's normal form of a word is the same word in another spelling.

    A dictionary gives one normal form to words of one meaning as well (貴方 for あんた). A spelling
    with other kana or kanji is read alike; one that has a kanji in common counts as the same word
    (引ける and 引く), and so does every other spelling in kana (プレイヤー and プレーヤー).

    >>> from sudachipy import Dictionary
    >>> is_same_word = SpellingVariants(Dictionary()).is_same_word
    >>> is_same_word("ふだ", "札"), is_same_word("ひける", "引く"), is_same_word("あんた", "貴方")
    (True, True, False)
    """

    def __init__(self, dictionary: Any) -> None:
        """dictionary: Sudachi's. Versions that can't look words up take all words for the same."""
        self._lookup = getattr(dictionary, "lookup", None)
        self._cache: dict[tuple[str, str], bool] = {}

    def is_same_word(self, written: str, normal: str) -> bool:
        """Return whether a word and its normal form are one word.

        written, normal: both in dictionary form.
        """
        if self._lookup is None or not _KANJI.search(normal):
            return True
        if len(self._cache) > _MAX_CACHED:
            self._cache.clear()
        key = written, normal
        known = self._cache.get(key)
        if known is None:
            known = self._cache[key] = self._is_same_word(written, normal)
        return known

    def _is_same_word(self, written: str, normal: str) -> bool:
        if fold(written) == fold(normal) or set(_KANJI.findall(written)) & set(normal):
            return True
        readings = self._readings(normal)
        if fold(written) in readings:
            return True
        if not readings.isdisjoint(self._readings(written)):
            return True
        if written.endswith("る") and (ending := _PLAIN_ENDING.get(fold(written[-2:-1]))):
            verb = written[:-2] + ending  # whose potential the word may be: ひける, ひく
            return not readings.isdisjoint(self._readings(verb))
        return False

    def _readings(self, word: str) -> set[str]:
        """Return how a word may be read, folded; at least one reading if it is in kana."""
        assert self._lookup is not None
        readings = {fold(found.reading_form()) for found in self._lookup(word)}
        return readings if _KANJI.search(word) else {*readings, fold(word)}
