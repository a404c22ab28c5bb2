"""The protocol of encoders, which make sentence vectors of texts, and what may get into one."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

VARIABLE = "SANSHO_ENCODER"  # of the environment: which encoder is wanted
# Of a text that is embedded; a model reads some 500 word pieces at most, and a character may be
# one. 95 of 100 passages of rulebooks have up to 429.
MOST_CHARACTERS = 450


class Encoder(Protocol):
    """Makes sentence vectors. Texts of similar meaning get vectors of a large cosine, in whichever
    languages they are.

    Both methods take any texts, embed what `embeddable_text` leaves of each, and return an array of
    float32 with a row of length 1 for each text.
    """

    @property
    def name(self) -> str:
        """The model and its version: two encoders of one name give the same vectors."""

    @property
    def dimension(self) -> int:
        """The length of a vector."""

    def questions(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of questions."""

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of passages, to be compared with those of questions."""


def embeddable_text(text: str) -> str:
    """Return what is embedded of a text: 450 characters at most, in Unicode's normal form NFKC,
    without control characters, and with one space for each run of white space.

    Encoders are programs that were not written for hostile text, some in C: nothing longer gets
    into them, and nothing that they would have to expand, such as U+FDFA with its 18 characters.

    >>> embeddable_text("  ５枚\\x00の\\n\\nカード ")
    '5枚の カード'
    """
    shown = (" " if letter.isspace() else letter for letter in text[: 4 * MOST_CHARACTERS])
    kept = "".join(letter for letter in shown if unicodedata.category(letter)[0] != "C")
    return " ".join(unicodedata.normalize("NFKC", kept).split())[:MOST_CHARACTERS].rstrip()
