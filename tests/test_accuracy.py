"""What was labelled by hand is found, and nothing else: a drop below these floors fails."""

from __future__ import annotations

import pytest

from kb.extract.outcomes import Outcome
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
    "outcomes": (0.85, 0.80),
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


def test_an_outcome_with_its_parts_swapped_is_another() -> None:
    """The measure of outcomes is strict enough to tell a condition from its result."""
    wanted = [label for case in accuracy.cases("outcomes") for label in case["wanted"]]
    matched = [0, 0]
    for label in wanted:
        parts = label["condition"], label["result"]
        for swapped, (condition, result) in enumerate((parts, parts[::-1])):
            said = label["subject"], condition, result, label["modality"], label["exception_to"]
            matched[swapped] += accuracy.same_outcome(Outcome(0, 0, 1, *said), label)
    assert matched[0] == len(wanted) and matched[1] <= len(wanted) * 0.05
