"""What was labelled by hand is found, and nothing else: a drop below these floors fails."""

from __future__ import annotations

import pytest

from tests import accuracy

# precision, recall
FLOORS = {
    "citations": (0.99, 0.99),
    "mentions": (0.98, 0.98),
    "rulings": (1.0, 1.0),
    "procedures": (1.0, 1.0),
    "cards": (1.0, 1.0),
    "how cited": (0.97, 0.97),
    "terms": (0.98, 0.93),
    "concepts": (1.0, 0.7),
}
OF_PAGES = {"concepts", "terms", "how cited"}  # all their labels are of captured pages
OF_OUR_OWN = [kind for kind in FLOORS if kind not in OF_PAGES]


@pytest.mark.shared
@pytest.mark.parametrize("kind", FLOORS)
def test_floor(kind: str) -> None:
    seen, unseen = accuracy.measured(kind)
    whole = seen + unseen
    precision, recall = FLOORS[kind]
    assert whole.precision >= precision and whole.recall >= recall, seen.mistakes


@pytest.mark.parametrize("kind", OF_OUR_OWN)
def test_floor_of_sentences_of_our_own(kind: str) -> None:
    """The cases that need no captured page, so that the figure stands anywhere."""
    whole = accuracy.Score()
    for case in accuracy.cases(kind):
        if case["source"] is None:
            whole += accuracy.KINDS[kind](case)
    assert whole.right > 1
    assert whole.precision >= 0.9 and whole.recall >= 0.95
