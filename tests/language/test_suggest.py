"""What is suggested to a person who is typing."""

from __future__ import annotations

from pathlib import Path

import pytest

import kb
from tests.rulebooks import build_books, rulebook


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("121.", "121.1"),  # the beginning of a number
        ("ライブ", "ライブラリー"),  # of a name, in kana
        ("らいぶらり", "ライブラリー"),  # in the other kana
        ("raibura", "ライブラリー"),  # in romaji
        ("置換", "置換効果"),  # in kanji
        ("Replacement", "Replacement Effects"),  # in English
        ("libary", "library"),  # with a slip
    ],
)
def test_a_beginning_in_any_spelling(base: kb.KnowledgeBase, typed: str, name: str) -> None:
    found = [each.name.casefold() for each in base.suggest(typed)]
    assert any(each.startswith(name.casefold()) for each in found), found


def test_a_number_is_suggested_once_for_each_game_in_its_newest_edition(
    base: kb.KnowledgeBase,
) -> None:
    found = base.suggest("905", most=20)
    assert len({(each.node.game, each.name) for each in found}) == len(found) > 1
    assert next(each.node.edition for each in found if each.name == "905") == "20240730"


def test_no_more_than_asked_for_and_each_thing_once(base: kb.KnowledgeBase) -> None:
    found = base.suggest("カード", most=3)
    assert 0 < len({each.node.id for each in found}) == len(found) <= 3


def test_filters_narrow(base: kb.KnowledgeBase) -> None:
    assert {each.node.game for each in base.suggest("ドロー", game="ygo")} == {"ygo"}


@pytest.mark.parametrize("typed", ["", "  ", "？？", "zzzzzzzz"])
def test_nothing_is_suggested_for_nothing(base: kb.KnowledgeBase, typed: str) -> None:
    assert not base.suggest(typed)


def test_many_editions_hide_no_number(tmp_path: Path) -> None:
    """What is looked through is bounded by numbers, not by how many editions have them."""
    rules = {f"101.{n}": f"Ship {n} sails." for n in range(1, 30)} | {"102.1": "A sailor rows."}
    books = {(edition, "en"): rulebook(rules) for edition in ("20330301", "20330501", "20330601")}
    with build_books(tmp_path, books) as opened:
        found = [each.name for each in opened.suggest("1", most=50)]
    assert "102.1" in found and len(found) == len(set(found))
