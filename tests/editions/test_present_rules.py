"""What rules of older editions are today: moved, gone, with another rule under their number."""

from __future__ import annotations

import pytest

import kb
from tests.rulebooks import build_books, rulebook

_FIRST = {
    "1": "Docks",
    "1.1": "A crane lifts one crate at a time.",
    "1.2": "A barrel rolls downhill when nobody holds it.",
    "1.3": "Ropes are coiled by the youngest sailor.",
}
_SECOND = {
    "1": "Docks",
    "1.1": "A barrel rolls downhill when nobody holds it.",
    "1.2": "Ropes are coiled by the youngest sailor.",
}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> kb.KnowledgeBase:
    books = {("20230101", "en"): rulebook(_FIRST), ("20240101", "en"): rulebook(_SECOND)}
    return build_books(tmp_path_factory.mktemp("docks"), books)


def _today(base: kb.KnowledgeBase, number: str, edition: str = "20230101") -> kb.PresentRule:
    [found] = base.present_rules([f"harbour/cr/{edition}/en/{number}"]).values()
    return found


def test_a_rule_that_moved_has_its_number_of_today(base: kb.KnowledgeBase) -> None:
    today = _today(base, "1.2")
    assert (today.of, today.was, today.number, today.edition) == (
        "20230101", "1.2", "1.1", "20240101",
    )  # fmt: skip
    assert today.gone_in is None
    assert today.other and today.other.id == "harbour/cr/20240101/en/1.2"  # the ropes


def test_a_rule_that_was_removed_is_gone_and_another_has_its_number(
    base: kb.KnowledgeBase,
) -> None:
    today = _today(base, "1.1")
    assert (today.gone_in, today.id) == ("20240101", "harbour/cr/20230101/en/1.1")
    assert today.other and today.other.number == "1.1"


def test_a_rule_that_stayed_has_no_other(base: kb.KnowledgeBase) -> None:
    today = _today(base, "1")
    assert today.number == today.was and today.other is None


def test_rules_of_the_newest_edition_and_other_nodes_are_left_out(base: kb.KnowledgeBase) -> None:
    new = [node.id for node in base.nodes("rule") if node.edition == "20240101"]
    assert len(new) == 3
    assert not base.present_rules([*new, "harbour/term/crane", "nothing"])


def test_several_are_answered_together_and_one_may_be_given_alone(base: kb.KnowledgeBase) -> None:
    old = [node.id for node in base.nodes("rule") if node.edition == "20230101"]
    assert base.present_rules(old).keys() == {*old}
    assert base.present_rules(old[0]).keys() == {old[0]}
