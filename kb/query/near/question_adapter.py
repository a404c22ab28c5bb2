"""Turns the vector of a question towards those of the passages that answer it.

An encoder puts what is worded alike close together; what asks for a rule and the rule are worded
otherwise. A matrix, learnt from questions with known answers, adds to what the encoder says. It is
made by `python -m benchmarks.fit_adapter`, which writes `question_adapter.npz` beside this file;
that holds numbers alone. It is of one encoder: the vectors of any other stay as they are.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FILE = Path(__file__).with_name("question_adapter.npz")


def adapted(vector: NDArray[np.float32], encoder: str) -> NDArray[np.float32]:
    """Return a question's vector turned by the learnt matrix, again with the length 1; as it is, if
    that was learnt for another encoder.

    encoder: the name of the encoder that made it.
    """
    import numpy as np

    name, matrix = _matrix()
    if encoder != name:
        return vector
    turned = vector + vector @ matrix
    return np.asarray(turned / max(float(np.linalg.norm(turned)), 1e-9), np.float32)


@cache
def _matrix() -> tuple[str, NDArray[np.float32]]:
    """Return the name of the encoder, and the matrix whose product with a vector is added."""
    import numpy as np

    with np.load(FILE, allow_pickle=False) as stored:
        return str(stored["encoder"]), stored["matrix"].astype(np.float32)
