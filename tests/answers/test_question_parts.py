"""Questions that name several things: their parts, an answer for each, sub-rules of one rule."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import kb
from kb.cli.render.output import cell_width
from kb.query.answers.ask import find_parts
from kb.query.answers.shortlist import shortlist
from tests.commands import run
from tests.rulebooks import build_books

RULES = """Harbour Comprehensive Rules

1. Ships

100. Keywords

100.1. A keyword is a word that stands for a rule.

100.2. Swift

100.2a Swift is a keyword that lets a ship sail on the day on which it was built.

100.2b A ship with swift pays no toll at a lock.

100.2c A ship with swift leaves the quay before other ships of the fleet.

100.3. Armoured

100.3a Armoured is a keyword that keeps a ship from sinking.

100.3b A ship with armoured that would sink is towed to the quay.

101. Cargo

101.1. A barrel holds water. A crew drinks from a barrel at noon.

101.2. A lantern burns oil. The watch lights a lantern at dusk.

Glossary

Armoured
A keyword that keeps a ship from sinking. See rule 100.3, “Armoured.”

Swift
A keyword that lets a ship sail at once. See rule 100.2, “Swift.”
"""


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Iterator[kb.KnowledgeBase]:
    books = {("20220101", "en"): RULES}
    with build_books(tmp_path_factory.mktemp("parts"), books, "mtg") as base:
        yield base


def parts(base: kb.KnowledgeBase, question: str) -> list[str]:
    found = shortlist(base._store, question)
    return [part.words for part in find_parts(found.question, found.terms["en"])] if found else []


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What happens if a ship has swift and armoured?", ["swift", "armoured"]),
        ("Do swift ships and armoured ships sink?", ["swift", "armoured"]),
        ("swift plus armoured, does it sink?", ["swift", "armoured"]),
        ("Swift vs. armoured", ["Swift", "armoured"]),
        ("Armoured/swift ships and the toll", ["Armoured", "swift"]),
        ("What does swift do?", []),
        ("Does a swift ship pay a toll?", []),
        ("Is a barrel for water, or a lantern for oil?", []),
        ("Who drinks from a barrel and a lantern?", ["barrel", "lantern"]),
    ],
)
def test_the_parts_of_a_question(
    harbour: kb.KnowledgeBase, question: str, expected: list[str]
) -> None:
    assert parts(harbour, question) == expected


def test_each_part_has_an_answer_that_says_so(harbour: kb.KnowledgeBase) -> None:
    answers = harbour.ask("Does a ship with swift and armoured pay a toll at a lock?")
    assert answers[0].node.number == "100.2b" and answers[0].part == "swift"
    assert "armoured" in [one.part for one in answers[1:3]]
    assert [one.rank for one in answers] == list(range(1, len(answers) + 1))
    assert answers.as_json()["answers"][0]["part"] == "swift"
    assert {row["part"] for row in answers.table().rows} >= {"swift", "armoured"}
    shown = run(
        "ask", "Does a ship with swift and armoured pay a toll at a lock?", of=harbour
    ).stdout
    assert "   on        swift\n" in shown and "on        armoured\n" in shown


def test_an_ordinary_question_has_no_parts(harbour: kb.KnowledgeBase) -> None:
    answers = harbour.ask("Who lights a lantern?")
    assert answers and {one.part for one in answers} == {""}
    assert "on  " not in run("ask", "Who lights a lantern?", of=harbour).stdout


def test_sub_rules_of_one_rule_are_together(harbour: kb.KnowledgeBase) -> None:
    answers = harbour.ask("What does swift do?")
    siblings = [one for one in answers if one.group]
    assert len(siblings) > 1
    assert {one.group for one in siblings} == {"mtg/cr/20220101/en/100.2"}
    shown = run("ask", "What does swift do?", of=harbour).stdout
    assert shown.count("under 100.2 Swift\n") == 1 == shown.count("also under 100.2:")
    assert max(map(cell_width, shown.splitlines())) <= 80
    for one in answers:
        start, end = one.decides
        assert (one.passage.text or "")[start:end] in " ".join(shown.split())
        assert f"{one.rank}. " in shown


def test_what_nothing_speaks_of_is_said_with_answers_too(harbour: kb.KnowledgeBase) -> None:
    question = "What happens if a ship has swift and armoured and zorblax?"
    answers = harbour.ask(question)
    assert answers and answers.unknown == ("zorblax",)
    assert (
        run("ask", question, of=harbour).stdout.rstrip().endswith("Nothing here speaks of zorblax.")
    )


def test_a_game_that_is_not_loaded_is_named(harbour: kb.KnowledgeBase) -> None:
    question = "How many prize cards are there in Pokémon?"
    answers = harbour.ask(question)
    assert not answers and answers.missing_games == ("pokemon",)
    done = run("ask", question, of=harbour)
    assert done.exit_code == 1 and "pokemon is not loaded" in done.stderr
    assert "games that are loaded: mtg" in done.stderr
