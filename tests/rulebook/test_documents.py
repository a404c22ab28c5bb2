"""Documents beside a rulebook: their sections are asked for as rules are, and never taken for
rules; numbers beside the name of another document are of that."""

from __future__ import annotations

import pytest

import kb
from kb.language.citations.citation_grammar import find_citations
from scraper import Hints, Snapshot
from scraper.sites import rulebook_text
from tests.commands import run

_RULES = """Harbour Game Comprehensive Rules
Effective January 1, 2024

1. Cards
1.1. A card has two sides.
1.2. A card is drawn from the deck. See section 2.1 of the Tournament Rules.
1.3. A card may be played.
1.4. A played card stays.
2. Turns
2.1. A turn has two phases, see rule 1.2.
2.2. A turn ends. Penalties are in section 3 of the Harbour Game Infraction Procedure Guide.
"""
_EVENTS = """Harbour Game Tournament Rules
Effective {date}

Contents
1. Types
1.1 Large events
1.2 Small events
2. Order
2.1 Rounds
2.2 Breaks
2.3 Results

1. Types
1.1 Large events
At least {players} players take part, as section 2.1 says.
1.2 Small events
Anybody may come. Comprehensive Rules 1.2 applies.
2. Order
2.1 Rounds
A round has 50 minutes. See also 1.1, “Large events.”
2.2 Breaks
A break has ten minutes.
2.3 Results
Both players report the result.
"""


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> kb.KnowledgeBase:
    folder = tmp_path_factory.mktemp("documents")
    (folder / "rules.txt").write_text(_RULES)
    for date, players in (("March 1, 2024", 32), ("March 1, 2025", 64)):
        (folder / f"events-of-{players}.txt").write_text(_EVENTS.format(date=date, players=players))
    kb.build([folder], folder / "harbour.db")
    return kb.open(folder / "harbour.db")


def _cited(base: kb.KnowledgeBase, node: str) -> dict[str, str | None]:
    return {
        edge.target_label: edge.target
        for edge in base.refs(node, direction="out", kinds=["cites"]).edges
    }


def test_a_title_says_which_document_it_is() -> None:
    text = _EVENTS.format(date="March 1, 2024", players=8)
    page = rulebook_text.read(Snapshot("x.txt", text.encode(), hints=Hints()), text)[0]
    assert (page.document, page.edition) == ("tournament-rules", "20240301")
    assert page.name == "harbour-game/document/tournament-rules-20240301/en"
    headings = {p.rule.number: p.text for p in page.passages if p.rule and p.kind == "heading"}
    assert headings["1.1"] == "1.1 Large events" and len(headings) == 7


def test_a_number_is_of_the_document_that_is_named(harbour: kb.KnowledgeBase) -> None:
    events = "harbour-game/document/tournament-rules-20250301/en"
    rules = "harbour-game/cr/20240101/en"
    assert _cited(harbour, f"{rules}/1.2") == {"2.1": f"{events}/2.1"}
    assert _cited(harbour, f"{rules}/2.1") == {"1.2": f"{rules}/1.2"}
    assert _cited(harbour, f"{rules}/2.2") == {"3": None}
    assert _cited(harbour, f"{events}/1.1") == {"2.1": f"{events}/2.1"}
    assert _cited(harbour, f"{events}/1.2") == {"1.2": f"{rules}/1.2"}
    assert _cited(harbour, f"{events}/2.1") == {"1.1": f"{events}/1.1"}


def test_what_is_not_loaded_is_said(harbour: kb.KnowledgeBase) -> None:
    said = run("refs", "2.2", "--direction", "out", of=harbour).stdout
    assert "section 3 of the penalty guide is not loaded" in " ".join(said.split())


def test_sections_are_shown_as_rules_are_and_are_none(harbour: kb.KnowledgeBase) -> None:
    assert {node.kind for node in harbour.show("1.1").matches} == {"rule"}
    sections = harbour.show("tournament rules 1.1").entries
    assert [entry.node.kind for entry in sections] == ["document"]
    assert [rule.edition for rule in sections[0].different] == ["tournament-rules-20240301"]
    assert harbour.show("1.1", edition="tournament-rules-20240301").matches[0].text
    assert {book.edition for book in harbour.stats().rulebooks} == {"20240101"}
    assert len(harbour.stats().documents) == 2


def test_editions_of_a_document_are_compared(harbour: kb.KnowledgeBase) -> None:
    editions = "tournament-rules-20240301", "tournament-rules-20250301"
    assert [change.after.number for change in harbour.diff(*editions).changes] == ["1.1"]
    history = harbour.trace("tournament rules 1.1").history
    assert [entry.edition for entry in history] == list(editions)
    assert "{+64+}" in run("diff", *editions, of=harbour).stdout


@pytest.mark.parametrize(
    ("text", "of_events", "of_penalties", "own"),
    [
        ("See section 4 of the Magic: The Gathering Tournament Rules.", "4", "", ""),
        ("(MTR 4.3 and 4.4, rule 704.5a)", "4.3 4.4", "", "704.5a"),
        ("sections 3.1 and 3.2 of the Infraction Procedure Guide", "", "3.1 3.2", ""),
        ("イベントルールの「3.2」を参照。ルール704.5aに従う。", "3.2", "", "704.5a"),
        ("大会規定第4章", "4", "", ""),
        ("In section 4, the Tournament Rules apply.", "", "", "4"),
        ("§ 4 der Turnierregeln", "4", "", ""),
    ],
)
def test_names_of_documents(text: str, of_events: str, of_penalties: str, own: str) -> None:
    found: dict[str | None, list[str]] = {}
    for cited in find_citations(text, {"3.1", "3.2", "4.3", "4.4"}):
        found.setdefault(cited.document, []).append(cited.number)
    wanted = {"tournament-rules": of_events, "penalty-guide": of_penalties, None: own}
    assert found == {document: numbers.split() for document, numbers in wanted.items() if numbers}


@pytest.mark.parametrize(
    ("text", "known", "found"),
    [
        ("See section 2.3 and rule 103.1 of the comprehensive rules.", ("2.3",),
         [("2.3", None), ("103.1", "rulebook")]),
        ("Rules 3.1 and 4.2 of the comprehensive rules apply.", (),
         [("3.1", "rulebook"), ("4.2", "rulebook")]),
        ("See CR 120.3 and MTR 3.12.", (), [("120.3", "rulebook"), ("3.12", "tournament-rules")]),
        ("イベントルール 3.1 および第1章を参照", ("1",),
         [("3.1", "tournament-rules"), ("1", None)]),
        ("別途公開している「フロアルール」1.2.1 および 4.3 が適用される", ("1.2.1", "4.3"),
         [("1.2.1", "tournament-rules"), ("4.3", "tournament-rules")]),
        ("「대회 운영 규정」 2.1을 따른다", ("2.1",), [("2.1", "tournament-rules")]),
        ("An error of the rules (PCG 2.4)", ("2.4",), [("2.4", "correction-guide")]),
        ("An error of the rules (PEN 2.4)", ("2.4",), []),
        ("多人对战见《多人对战指南》1.2，本章其余规定不变。", ("1.2",), []),
    ],
)  # fmt: skip
def test_which_of_several_numbers_are_of_the_document(
    text: str, known: tuple[str, ...], found: list[tuple[str, str | None]]
) -> None:
    assert [(each.number, each.document) for each in find_citations(text, known)] == found


@pytest.mark.parametrize(
    "asked", ["Harbour Game Tournament Rules 2.1", "MTR 2.1", "mtr2.1", "トーナメントルール2.1"]
)
def test_a_document_and_a_number_name_a_section(harbour: kb.KnowledgeBase, asked: str) -> None:
    shown = harbour.show(asked, game="harbour-game").entries
    assert [entry.node.series for entry in shown] == ["tournament-rules"]


def test_the_rulebook_may_be_named_too(harbour: kb.KnowledgeBase) -> None:
    shown = harbour.show("Harbour Game Comprehensive Rules 2.1").entries
    assert [entry.node.id for entry in shown] == ["harbour-game/cr/20240101/en/2.1"]


def test_a_document_of_another_game_is_not_shown(harbour: kb.KnowledgeBase) -> None:
    assert run("show", "MTR 2.1", "--game", "mtg", of=harbour).exit_code == 2


def test_a_tree_without_rules_below_has_the_text(harbour: kb.KnowledgeBase) -> None:
    assert "A card may be played." in run("show", "1.3", "--tree", of=harbour).stdout


def test_a_text_is_held_against_documents_too(harbour: kb.KnowledgeBase) -> None:
    text = (
        "Harbour Game Tournament Rules 2.2 says “A break has ten minutes.” MTR 9.9 does not.\n"
        "Penalties are in IPG 2.1. Rule 2.2 is another."
    )
    claims = {claim.text: claim for claim in harbour.verify(text).claims}
    assert [(c.verdict, c.node and c.node.series) for c in claims.values()] == [
        ("exact", "tournament-rules"),
        ("exact", "tournament-rules"),
        ("not found", None),
        ("not found", None),
        ("exact", "rule"),
    ]
    assert claims["IPG 2.1"].message == "No section 2.1 of the penalty guide is loaded"


def test_a_filter_may_cite_a_section(harbour: kb.KnowledgeBase) -> None:
    found = harbour.search(cites="tournament rules 2.1").hits
    assert {hit.node.number for hit in found} == {"1.1", "1.2"}


def test_the_date_of_a_document_names_its_edition(harbour: kb.KnowledgeBase) -> None:
    shown = harbour.show("1.1", edition="20240301").entries
    assert [entry.node.edition for entry in shown] == ["tournament-rules-20240301"]


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        ("MTR 2.2 says “A break has ten minutes.”", "exact exact"),
        ("MTR 2.2 says “A break has twenty minutes.”", "exact repaired"),
        ("MTR 2.1 says “A break has ten minutes.”", "repaired exact"),
        ("MTR 1.2 says “A card is drawn from the deck.”", "repaired exact"),
        ("Rule 2.2 says “A break has ten minutes.”", "repaired exact"),
    ],
)
def test_words_are_held_against_the_section_that_is_named(
    harbour: kb.KnowledgeBase, text: str, verdicts: str
) -> None:
    claims = harbour.verify(f"Harbour Game: {text}").claims
    assert " ".join(claim.verdict for claim in claims) == verdicts
