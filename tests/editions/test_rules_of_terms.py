"""Questions about rules that are asked by the name of a term."""

from __future__ import annotations

from pathlib import Path

import pytest

import kb
from kb.reason import asking
from tests.rulebooks import base_of, described, wiki_source

BOOK = """{year} Harbour Comprehensive Rules
These rules are effective as of January 1, {year}.

1. Port

100. General

100.1. Ships carry a load of ballast.

100.2. Ballast is what keeps a ship upright.

100.3. Ballast may be thrown out{more}.

100.4. Keeled – When a ship is keeled, it lies on its side.

100.5. A keeled ship is no hulk.

100.6. Keeled ships drift.

{number}. Loading a ship

{number}.1. Loading is slow.

Glossary

Load
To bring a thing into a ship. See rule {number}, “Loading a ship.”

Ballast
What weighs a ship down.

Keel
To lay a ship on its side.
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
    # By ids: a number may be another rule's in the language that a question takes.
    numbers = [base.trace(**choice.arguments).history[-1].number for choice in choices]
    assert numbers == ["100.2", "100.3"]
    assert all("/20250101/en/" in choice.arguments["ref"] for choice in choices)
    with pytest.raises(kb.QuestionError, match=r'rule="100\.2"'):
        base.diff("20240101", "20250101", rule="Ballast")


def test_the_rule_that_explains_a_term_is_meant_before_those_that_only_begin_with_it(
    base: kb.KnowledgeBase,
) -> None:
    with asking("trace", ref="keel") as asked:
        assert base.trace("keel").history[-1].number == "100.4"
    [taken] = asked.taken
    assert "it explains the name" in str(taken)
    [other] = taken.values["others"]
    assert other.arguments["ref"] == "harbour/cr/20250101/en/100.6"


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


def test_a_word_that_is_no_name_is_said_to_stand_in_rules(base: kb.KnowledgeBase) -> None:
    with pytest.raises(kb.NotFoundError, match=r"nothing is called upright; .* 100\.2 ") as error:
        base.trace("upright")
    ask = error.value.reason.values["stands"].ask
    assert [hit.node.number for hit in base.search(**ask.arguments).hits] == ["100.2"]
    assert base.show("upright").why_none == error.value.reason
    with pytest.raises(kb.NotFoundError, match=r"xyzzy$"):
        base.trace("xyzzy")


SAIL = """Harbour Comprehensive Rules

1. Port

101. Sail

101.1. Ships leave.

102. Stow

102.1. Goods go below.
"""
WIKI = {
    "出航": "*出航 [#top]\n船が港を出ること。~\n-[[出航する]]\n",
    "出航する": "*出航する/Sail [#top]\n船を港から出すこと。~\n-[[出航]]\n",
    "荷": "*荷 [#top]\n船が運ぶもの。~\n-[[出航]]\n",
    "荷積み": "*荷積み/Stow [#top]\n荷を船に入れること。~\n-[[荷]]\n",
}


def test_a_term_without_a_rule_leads_to_that_of_its_other_form(tmp_path: Path) -> None:
    described(
        tmp_path / "books", {"h.txt": SAIL}, site="rulebook", game="harbour", edition="20240101"
    )
    (tmp_path / "wiki").mkdir()
    wiki = wiki_source(tmp_path / "wiki", WIKI, "dmwiki")
    base = base_of([tmp_path / "books", wiki], tmp_path / "kb.db", game="harbour")
    with asking("trace") as asked:
        assert base.trace("出航").history[-1].number == "101"
    assert "taken for 出航する" in " ".join(map(str, asked.taken))
    with pytest.raises(kb.QuestionError, match=r'no rule is known here; .*trace\("荷積み"'):
        base.trace("荷")


def test_the_rule_headed_so_defines_a_term_that_nothing_else_does(tmp_path: Path) -> None:
    described(
        tmp_path / "books", {"h.txt": SAIL}, site="rulebook", game="harbour", edition="20240101"
    )
    (tmp_path / "wiki").mkdir()
    pages = {
        "帆走": "*帆走/Sail [#top]\n-[[荷]]\n",
        "荷": "*荷 [#top]\n船が運ぶもの。~\n-[[帆走]]\n",
    }
    wiki = wiki_source(tmp_path / "wiki", pages, "dmwiki")
    base = base_of([tmp_path / "books", wiki], tmp_path / "kb.db", game="harbour")
    [definition] = base.show("帆走").entries[0].term.definitions
    assert (definition.evidence.text, definition.edition) == ("Ships leave.", "20240101")
    assert base.compare("帆走").rows[0].definition == "Ships leave."
    [other] = base.show("荷").entries[0].term.definitions  # its own page comes first
    assert other.evidence.text == "船が運ぶもの。"


def test_the_name_of_a_game_among_words_is_taken_for_the_filter() -> None:
    base = kb.sample()
    found = base.search("マジック カードを引かれた")
    assert found.hits and {hit.node.game for hit in found.hits} == {"mtg"}
    assert found.hits == base.search("カードを引かれた", game="mtg").hits
    assert [each.code for each in found.taken_as] == ["game_among_words"]
    assert not base.search("カードを引かれた").taken_as
