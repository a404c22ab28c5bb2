"""A reranker without a model: the answers that share most with the question come first.

    SANSHO_RERANKER=overlap sansho ask カードを引けないとき

It is here to show the interface; put a model of yours in its place.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence


class Overlap:
    """Scores passages by the pieces of words that they share with the question, as Dice does: twice
    the shared ones among those of both."""

    def __init__(self, wanted: str = "") -> None:
        """wanted: what stands behind `overlap:`, the length of a piece; 2 if it is empty.

        Raises ValueError if it is no number.
        """
        self.size = int(wanted or 2)
        self.name = f"overlap of {self.size} characters"

    def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return a number for each passage, from 0 for nothing shared to 1.

        >>> Overlap().scores("draw a card", ["draw a card", "discard", "life"])[0]
        1.0
        """
        asked = self._pieces(question)
        return [self._dice(asked, self._pieces(passage)) for passage in passages]

    def _pieces(self, text: str) -> frozenset[str]:
        folded = unicodedata.normalize("NFKC", text).casefold()
        return frozenset(folded[at : at + self.size] for at in range(len(folded) - self.size + 1))

    @staticmethod
    def _dice(one: frozenset[str], other: frozenset[str]) -> float:
        return 2 * len(one & other) / ((len(one) + len(other)) or 1)
