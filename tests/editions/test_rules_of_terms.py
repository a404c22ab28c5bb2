"""Questions about rules that are asked by the name of a term."""

from __future__ import annotations

import pytest

import kb
from kb.reason import asking
from tests.rulebooks import base_of, described

BOOK = """{year} Harbour Comprehensive Rules
These rules are effective as of January 1, {year}.

1. Port

100. General

100.1. Ships carry salt.

100.2. Ballast is what keeps a ship upright.

100.3. Ballast may be thrown out{more}.

{number}. Loading a ship

{number}.1. Loading is slow.

Glossary

Load
To bring a thing into a ship. See rule {number}, “Loading a ship.”

Ballast
What weighs a ship down.
"""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> kb.KnowledgeBase:
    folder = tmp_path_factory.mktemp("books")
    for year, number, more in (("2024", 101, ""), ("2025", 102, " in a storm")):
        texts = {f"harbour.{year}.txt": BOOK.format(year=year, number=number, more=more)}
        given = {"site": "rulebook", "game": "harbour", "edition": f"{year}0101"}
        described(folder, texts, **given)
    return base_of([folder], folder / "kb.db")


def test_a_term_means_the_rule_that_its_definition_cites(base: kb.KnowledgeBase) -> None:
    with asking("trace") as asked:
        assert [entry.number for entry in base.trace("Load").history] == ["101", "102"]
    [taken] = asked.taken
    assert str(taken).startswith(
        "Load is a term; the answer is for its rule 102 Loading a ship (cited"
    )
    assert [entry.number for entry in base.trace("Load", edition="20240101").history][:1] == ["101"]
    changes = base.diff("20240101", "20250101", rule="Load").changes
    assert [change.kind for change in changes] == ["moved", "moved"]


def test_of_several_rules_one_is_to_be_chosen(base: kb.KnowledgeBase) -> None:
    with pytest.raises(kb.QuestionError, match="Ballast is a term with several rules") as error:
        base.trace("Ballast")
    choices = error.value.reason.values["choices"]
    assert [choice.arguments["ref"] for choice in choices] == ["100.2", "100.3"]
    with pytest.raises(kb.QuestionError, match=r'rule="100\.2"'):
        base.diff("20240101", "20250101", rule="Ballast")


def test_names_are_looked_for_in_japanese_text_alone(base: kb.KnowledgeBase) -> None:
    """A search for what mentions a term says so, with the search that finds the words."""
    found = base.search(mentions="Ballast", edition="20250101")
    assert not found.hits and found.also[0].reason.code == "names_in_japanese_alone"
    ask = found.also[0].reason.ask
    assert ask and base.search(**ask.arguments).hits
    with asking("search", mentions=("Ballast", "Load"), lang="en"):
        [said, *_] = base.search(mentions=["Ballast", "Load"], lang="en").also
    assert said.reason.ask and said.reason.ask.arguments["text"] == "Ballast Load"
    assert not any("japanese" in each.reason.code for each in base.search("ships").also)
