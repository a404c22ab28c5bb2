"""Measures how strongly two words of aligned texts are associated (log-likelihood ratio)."""

from __future__ import annotations

from math import log


def log_likelihood_ratio(both: int, first: int, second: int, total: int) -> float:
    """Return Dunning's log-likelihood ratio (G²) of two words that occur in aligned segments.

    It is 0 where they are independent, and grows with what speaks against that; 10.83 is reached
    by chance once in a thousand times. It does not tell attraction from avoidance.

    both: in how many segments both occur.
    first, second: in how many each occurs, alone or not.
    total: how many segments there are.

    T. Dunning, Accurate Methods for the Statistics of Surprise and Coincidence, Computational
    Linguistics 19 (1993).

    >>> log_likelihood_ratio(5, 5, 5, 100) > log_likelihood_ratio(5, 9, 9, 100) > 10.83
    True
    >>> log_likelihood_ratio(1, 10, 10, 100)
    0.0
    """
    cells = _entropy(both) + _entropy(first - both) + _entropy(second - both)
    cells += _entropy(total - first - second + both)
    margins = _entropy(first) + _entropy(total - first) + _entropy(second)
    margins += _entropy(total - second)
    return max(0.0, round(2 * (cells - margins + _entropy(total)), 6))


def _entropy(count: int) -> float:
    """Return n · ln n, which is 0 for 0."""
    return count * log(count) if count > 0 else 0.0
