"""Questions that were asked before: how like another is, and which rules they know."""

from __future__ import annotations

import pytest

from kb.query.answers import asked_before as module
from kb.query.answers.asked_before import asked_before, question_words, rule_key
from tests.rulebooks import build_books, rulebook

_BREWING = "900.1. A potion is brewed from three herbs."
_RULES = {
    "1": "Kitchen",
    "100": "Potions",
    "100.1": "A potion boils for one hour.",
    "100.2": "A potion cools for one hour.",
}


@pytest.fixture
def know(tmp_path, monkeypatch):
    """A function that makes these rows all that was asked before."""

    def take(*rows: str) -> None:
        (tmp_path / "asked.tsv").write_text("\n".join(["# head", *rows, ""]), "utf-8")
        forget()

    def forget() -> None:
        module._questions.cache_clear()
        asked_before.cache_clear()

    monkeypatch.setattr(module, "FILE", tmp_path / "asked.tsv")
    yield take
    monkeypatch.undo()
    forget()


@pytest.fixture
def asked(know):
    """Questions of a game that does not exist."""
    know(
        f"brew potion herb\t{rule_key(_BREWING)}",
        "boil cauldron over\t0123456789ab",
        "potion price shop\t",
    )


def test_the_key_is_of_the_letters_alone():
    assert rule_key(_BREWING) == rule_key("901.12 A potion is brewed from three herbs")
    assert rule_key(_BREWING) != rule_key("900.1. A potion is brewed from two herbs.")


@pytest.mark.usefixtures("asked")
def test_the_same_words_are_alike_and_others_are_not():
    found = asked_before("How do I brew a potion from herbs?")
    assert found.rules.keys() == {rule_key(_BREWING)}
    assert found.rules[rule_key(_BREWING)] > found.in_vain


@pytest.mark.usefixtures("asked")
def test_what_no_rule_answered_is_alike_to_what_none_will():
    found = asked_before("shop price of a potion?")
    assert found.in_vain > found.answered


@pytest.mark.usefixtures("asked")
def test_nothing_is_like_a_question_of_other_words():
    assert not asked_before("wolf").rules and asked_before("").answered == 0


def test_a_rule_that_was_asked_for_comes_first_and_says_so(know, tmp_path):
    question = "When does my brew get cold, the potion for the hour?"
    with build_books(tmp_path, {("20240101", "en"): rulebook(_RULES)}) as base:
        firsts = []
        for number in ("100.1", "100.2"):
            know(f"{' '.join(question_words(question))}\t{rule_key(_RULES[number])}")
            first = base.ask(question).answers[0]
            assert "asked_before" in {reason.code for reason in first.why}
            firsts.append(first.node.number)
    assert firsts == ["100.1", "100.2"]
