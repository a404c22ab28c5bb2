"""What was labelled by hand is found, and nothing else: a drop below these floors fails."""

from __future__ import annotations

import pytest

from kb.knowledge.outcomes.outcomes import Outcome
from tests import accuracy

# precision, recall
# Precision and recall, each on the labels that the extractors were written with and on the third
# that is held out. Apart, so that a loss on the one can't hide behind a gain on the other.
FLOORS = {
    "citations": ((0.99, 0.99), (0.99, 0.96)),
    "mentions": ((0.98, 0.98), (0.98, 0.98)),
    "rulings": ((1.0, 1.0), (1.0, 1.0)),
    "procedures": ((1.0, 1.0), (1.0, 1.0)),
    "cards": ((1.0, 1.0), (1.0, 1.0)),
    "how cited": ((0.99, 0.99), (0.93, 0.93)),
    "terms": ((0.99, 0.96), (0.97, 0.91)),
    "concepts": ((1.0, 0.74), (1.0, 0.59)),
    "outcomes": ((0.92, 0.88), (0.71, 0.66)),
    "translations": ((0.93, 0.74), (0.93, 0.82)),
}
# Of a game: how many of its first hundred proposed names may be wrong, of those with a label, and
# the share of its labelled headwords that have their name, stated or proposed.
FLOORS_OF_TRANSLATIONS = {
    "mtg": (5, 0.74),
    "lorcana": (3, 0.82),
    "riftbound": (3, 0.97),
}
OF_PAGES = {
    "concepts",
    "terms",
    "how cited",
    "translations",
}  # all their labels are of captured pages
OF_OUR_OWN = [kind for kind in FLOORS if kind not in OF_PAGES]


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.parametrize("kind", FLOORS)
def test_floor(kind: str) -> None:
    measured = accuracy.measured(kind)
    assert accuracy.row(kind) in accuracy.PAGE.read_text("utf-8"), accuracy.KEEP
    for score, (precision, recall) in zip(measured, FLOORS[kind], strict=True):
        assert score.precision >= precision and score.recall >= recall, score.mistakes


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


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.parametrize("game", FLOORS_OF_TRANSLATIONS)
def test_floor_of_names_in_the_other_language(game: str) -> None:
    whole = accuracy.Score()
    for case in accuracy.cases("translations"):
        if case["game"] == game:
            whole += accuracy.score_translations(case)
    most_wrong, found = FLOORS_OF_TRANSLATIONS[game]
    assert whole.wrong <= most_wrong and whole.recall >= found, whole.mistakes
