"""Reads the weights of features that were fitted to labelled questions.

They are in `weights.tsv` beside this file: a feature a row, with its weight, and the one that it
has where vectors of meanings are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeVar

FILE = Path(__file__).with_name("weights.tsv")
Features = TypeVar("Features", bound=NamedTuple)


def fitted_weights(of: str, features: type[Features]) -> Sequence[Features]:
    """Return the weights of some features, once for each column of the file.

    of: what they are the features of, as rows begin: `ranking`, `refusal` or `sentence`.
    features: the type that names them. KeyError if the file lacks one.
    """
    rows = [_rows()[f"{of}.{name}"] for name in features._fields]
    return [features(*weights) for weights in zip(*rows, strict=True)]


@cache
def _rows() -> dict[str, list[float]]:
    lines = FILE.read_text("utf-8").splitlines()
    rows = (line.split("\t") for line in lines if not line.startswith("#"))
    return {feature: list(map(float, weights)) for feature, *weights in rows}
