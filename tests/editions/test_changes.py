"""`base.changes`: what changed between two editions, as a document to be published tells it."""

from __future__ import annotations

from pathlib import Path

import pytest

import kb
from kb.query.editions.changes import moves_together
from kb.rules.changes import RuleChange, RuleText
from tests.rulebooks import base_of, build_books, rulebook, wiki_source, write_books

OLD = {
    "100": "Ships",
    "100.1": "A ship leaves the harbour when its owner hoists the sail.",
    "100.2": "To moor a ship, its owner pays two coins and turns it upright.",
    "100.3": "A wreck is a ship that has more holes than planks.",
    "100.4": "The tide turns each ship that no anchor holds (see rule 101.1).",
    "101": "Anchors",
    "101.1": "An anchor holds one ship for as long as nobody lifts it.",
    "101.2": "A chain of seven links joins an anchor to its ship.",
    "101.2a": "A chain with a broken link joins nothing.",
    "102": "Lanterns",
    "102.1": "A lantern burns for two turns, then its owner discards it.",
    "102.2": "Nobody sails at night without a burning lantern.",
}
# A section between the first and the second, so that two sections move whole.
NEW = {
    "100": "Ships",
    "100.1": OLD["100.1"],
    "100.2": OLD["100.2"].replace("two coins", "three coins"),
    "100.3": OLD["100.4"].replace("101.1", "102.1"),
    "101": "Weather",
    "101.1": "Fog hides every ship that shows no lantern to the others.",
    "102": "Anchors",
    "102.1": OLD["101.1"],
    "102.2": OLD["101.2"],
    "102.2a": OLD["101.2a"],
    "103": "Lanterns",
    "103.1": OLD["102.1"].replace("two turns", "four turns"),
    "103.2": OLD["102.2"],
}
GLOSSARY = "\nGlossary\n\nAnchor\nWhat holds a ship. See rule {}.\n\nSail\nWhat {} hoist.\n"
GLOSSARIES = {
    "20230101": GLOSSARY.format("101.1", "owners"),
    "20240101": GLOSSARY.format("102.1", "captains") + "\nFog\nWhat hides a ship.\n",
}
PAGE = """*船
係留は総合ルール 100.2のとおり。
難破は総合ルール 100.3。錨は総合ルール 101.1である。
出港は総合ルール 100.1。
"""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> kb.KnowledgeBase:
    folder = tmp_path_factory.mktemp("changes")
    for name in ("books", "wiki"):
        (folder / name).mkdir()
    books = {
        (edition, "en"): rulebook(rules, glossary=GLOSSARIES[edition])
        for edition, rules in (("20230101", OLD), ("20240101", NEW))
    }
    sources = [
        write_books(folder / "books", books, "dm"),
        wiki_source(folder / "wiki", {"船": PAGE}, "dmwiki"),
    ]
    return base_of(sources, folder / "kb.db")


def test_each_section_has_its_changes(base: kb.KnowledgeBase) -> None:
    found = base.changes("20230101", "20240101")
    assert (found.game, found.name, found.lang) == ("dm", "Duel Masters", "en")
    assert found.counts == {
        "added": 2, "removed": 1, "moved": 6, "changed": 1, "moved+changed": 1,
        "moved+renumbered": 1,
    }  # fmt: skip
    assert found.same == 2
    kinds = {one.number: [change.kind for change in one.changes] for one in found.sections}
    assert kinds["100"] == ["changed", "removed", "moved+renumbered"]
    assert kinds["101"] == ["added", "added"]
    assert [one.heading for one in found.sections] == ["Ships", "Weather", "Anchors", "Lanterns"]


def test_a_section_that_moved_whole_is_one_move(base: kb.KnowledgeBase) -> None:
    found = base.changes("20230101", "20240101")
    moves = [(move.before, move.after, move.text, move.rules) for move in found.moves]
    assert moves == [
        ("100.4", "100.3", NEW["100.3"], 1),
        ("101", "102", "Anchors", 4),
        ("102", "103", "Lanterns", 3),
    ]
    assert [move for section in found.sections for move in section.moves] == list(found.moves)


def test_a_rule_that_left_its_place_is_a_move_by_itself() -> None:
    numbers = [("7", "8"), ("7.1", "8.1"), ("7.1a", "8.1b"), ("7.2", "9.1"), ("704", "804")]
    changes = [RuleChange("moved", RuleText(one, ""), RuleText(two, "")) for one, two in numbers]
    changes.append(RuleChange("removed", RuleText("7.3", "Gone."), None))
    assert [(one.before, one.after, one.rules) for one in moves_together(changes)] == [
        ("7", "8", 3), ("7.1a", "8.1b", 1), ("7.2", "9.1", 1),
    ]  # fmt: skip


def test_what_changed_in_the_glossary(base: kb.KnowledgeBase) -> None:
    found = base.changes("20230101", "20240101").glossary or ()
    assert [(one.kind, (one.after or one.before or RuleText("", "")).number) for one in found] == [
        ("renumbered", "Anchor"), ("added", "Fog"), ("changed", "Sail"),
    ]  # fmt: skip


def test_pages_that_may_be_stale_and_how_to_list_them(base: kb.KnowledgeBase) -> None:
    found = base.changes("20230101", "20240101")
    assert found.pages == {"dmwiki/船": 3}
    assert found.more and found.more.ask and found.more.ask.question == "impact"
    listed = base.impact(*found.more.ask.arguments["editions"])
    assert sum(one.rule is not None for one in listed) == 3


def test_a_part_of_the_rules(base: kb.KnowledgeBase) -> None:
    found = base.changes("20230101", "20240101", under="100.2")
    assert found.counts == {"changed": 1} and found.glossary is None
    assert found.pages == {"dmwiki/船": 1}
    [left] = [one.reason for one in found.also if one.reason.code == "changes_of_glossary"]
    assert left.ask and str(left.ask) == 'base.changes("20230101", after="20240101")'


def test_other_languages_and_what_counts_as_the_same_are_told(tmp_path: Path) -> None:
    quoted = "A “buoy” floats; anybody may moor a ship to it."
    old, new = (OLD | {"102.3": text} for text in (quoted.replace("“", '"'), quoted))
    books = {
        ("20230101", "en"): rulebook(old), ("20240101", "en"): rulebook(new),
        ("20230101", "de"): rulebook(OLD), ("20240101", "de"): rulebook(OLD),
    }  # fmt: skip
    with build_books(tmp_path, books) as base:
        found = base.changes("20230101", "20240101", lang="en")
        assert not found.sections and found.counts == {}
        asks = {one.reason.code: one.reason.ask for one in found.also}
        assert asks["in_language"] and asks["in_language"].arguments["lang"] == "de"
        ask = asks["changes_typographic"]
        assert ask and [one.kind for one in base.diff(**ask.arguments)] == ["typographic"]


def test_of_an_edition_that_is_there_in_part_it_says_what_can_not_be_compared(
    tmp_path: Path,
) -> None:
    part = {number: text for number, text in NEW.items() if number.startswith("102")}
    books = {
        ("20230101", "en"): rulebook(OLD), ("20240101", "en"): rulebook(NEW),
        ("20230101", "ja"): rulebook(OLD), ("20240101", "ja"): rulebook(part),
    }  # fmt: skip
    found = build_books(tmp_path, books).changes("20230101", "20240101", lang="ja")
    said = [str(one) for one in found.also]
    assert any("of which 4 of 13 rules are loaded" in each for each in said), said
    assert {one.lang for one in found.loaded} == {"ja"}


def test_documents_beside_the_rules(tmp_path: Path) -> None:
    books = {
        (f"tournament-rules-{edition}", "en"): rulebook(rules, "Harbour Tournament Rules")
        for edition, rules in (("20230101", OLD), ("20240101", NEW))
    }
    with build_books(tmp_path, books) as base:
        found = base.changes("tournament-rules-20230101", "tournament-rules-20240101")
        assert found.counts["changed"] == 1 and found.after == "tournament-rules-20240101"


def test_what_can_not_be_asked(base: kb.KnowledgeBase) -> None:
    for before, after in (("20240101", "20230101"), ("20230101", "20230101"), ("2042", "20240101")):
        with pytest.raises(kb.QuestionError):
            base.changes(before, after)
    with pytest.raises(kb.NotFoundError):
        base.changes("20230101", "20240101", under="999")


def test_editions_of_different_games_are_refused_in_one_sentence(tmp_path: Path) -> None:
    sources = [
        write_books(tmp_path / "ships", {("20210101", "en"): rulebook(OLD)}, "harbour"),
        write_books(tmp_path / "trains", {("20220101", "en"): rulebook(NEW)}, "station"),
    ]
    refused = pytest.raises(kb.QuestionError, match=r"harbour.*station; choose two editions of one")
    with base_of(sources, tmp_path / "kb.db", workers=1) as base, refused:
        base.diff("20210101", "20220101")
