"""`sansho verify`: numbers that are right while the sentence speaks of another rule."""

from __future__ import annotations

from pathlib import Path

import pytest

import kb
from kb.checking.claims.other_subjects import RuleWords, words_of
from tests.rulebooks import base_of, rulebook, write_books

RULES = {
    "200": "Lighthouses",
    "200.1": "A lighthouse shines on three squares of open water around its cliff.",
    "200.2": "A keeper may dim a lighthouse instead of drawing from the supply.",
    "200.2a": "A dimmed lighthouse is lit again when the next round begins.",
    "201": "Smugglers",
    "201.1": "A smuggler hides one barrel below deck and shows it to nobody.",
    "201.2": "If a customs officer finds a hidden barrel, its smuggler pays a fine.",
    "201.3": "Barrels of rum are worth twice their number of stamps at the tavern.",
    "202": "Fog",
    "202.1": "Fog drifts one square towards the shore at dusk.",
    "202.2": "A ship in fog can’t hail another ship, nor read its flag.",
    "203": "Repairs",
    "203.1": "A carpenter patches one hole with a plank from the hold.",
    "203.2": "Tar seals every patched hole for as long as the hull stays dry.",
    "204": "Pilots",
    "204.1": "A pilot leads a convoy through a reef without rolling for damage.",
    "204.2": "If a pilot leaves, see rule 203.1 for each hole that the reef tears.",
    "205": "Auctions",
    "205.1": "Bidders raise their hands in turn until one bidder is left.",
    "205.2": "The winner of an auction takes the crates and pays the harbourmaster.",
    "206": "Crew",
    "206.1": "Each sailor of a crew eats one biscuit at the end of a round.",
    "206.2": "A hungry crew mutinies, and its captain is set ashore.",
    "207": "Storms",
    "207.1": "A storm breaks the mast of every ship that carries full sail.",
    "207.2": "Thunder wakes sleeping gulls, which steal the biscuits.",
    "208": "Treasure Maps",
    "208.1": "What is drawn on parchment leads to a chest under a palm.",
    "209": "Sea Shanties",
    "209.1": "Whoever sings loudest goes first in the next round.",
}  # fmt: skip
ABOUT = "about something else"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> kb.KnowledgeBase:
    folder = tmp_path_factory.mktemp("books")
    title = "Magic: The Gathering Comprehensive Rules"
    # In the newer edition all that is behind the lighthouses has moved by one.
    newer = {k if k < "203" else f"{int(k[:3]) + 1}{k[3:]}": v for k, v in RULES.items()}
    newer |= {"203": "Tides", "203.1": "The tide lifts what lies on the beach."}
    newer = dict(sorted(newer.items()))
    books = {
        ("20230101", "en"): rulebook(RULES, title),
        ("20240101", "en"): rulebook(newer, title),
    }
    return base_of([write_books(folder, books, "mtg")], folder / "kb.db")


def verdicts(
    base: kb.KnowledgeBase, folder: Path, text: str, **asked: str
) -> list[tuple[str, str, str | None]]:
    (folder / "a.cpp").write_text(text)
    found = base.verify_files(folder, game="mtg", **({"edition": "20230101"} | asked)).claims
    return [(one.number or "", one.verdict, one.expected) for one in found]


@pytest.mark.parametrize(
    ("text", "number", "meant"),
    [
        # of another section
        ("Bidders raise hands in turn until a single one is left (CR 202.2).", "202.2", "206.1"),
        ("A customs officer finds a\n// hidden barrel: a fine, rule 200.1", "200.1", "201.2"),
        # of the same: a sister rule
        ("Hide one barrel below deck and show it to nobody. CR 201.3", "201.3", "201.1"),
        # in two sentences, of which the second only cites
        ("Tar seals a patched hole while the hull is dry. See CR 202.1.", "202.1", "204.2"),
        # a name alone
        ("Treasure Maps: 209.1", "209.1", "209"),
    ],
)  # fmt: skip
def test_a_sentence_of_another_rule(
    base: kb.KnowledgeBase, tmp_path: Path, text: str, number: str, meant: str
) -> None:
    assert verdicts(base, tmp_path, f"// {text}\n") == [(number, ABOUT, meant)]


@pytest.mark.parametrize(
    "text",
    [
        "Bidders raise their hands until one is left (CR 205.1).",
        "Fog: bidders raise their hands until one bidder is left (CR 202.2).",  # its heading
        "Something is handled here as usual. CR 202.2",
        "A pilot who leaves: each hole that the reef tears (rule 203.1).",  # which 204.2 cites
        "Bidders raise hands in turn until one is left (CR 205.1, but for CR 202.2).",
        "A dimmed lighthouse is lit again: rule 200.2.",  # of what is below it
        # Each line has a number of its own.
        "One barrel hidden below deck: 201.1\n// Bidders raise their hands in turn: 205.1",
    ],
)
def test_what_is_not_blamed(base: kb.KnowledgeBase, tmp_path: Path, text: str) -> None:
    found = verdicts(base, tmp_path, f"// {text}\n", against="20230101")
    assert found and {each[1] for each in found} == {"exact"}


@pytest.mark.parametrize(
    ("text", "number", "meant"),
    [
        ("Fog is defined in rule 205.1.", "205.1", "202"),
        ("Repairs are explained in 206.2: a plank is needed.", "206.2", "203"),
        ("The smugglers rule is 203.2.", "203.2", "201"),
        ("CR 204.1 explains how fog works.", "204.1", "202"),
    ],
)
def test_what_is_defined_elsewhere(
    base: kb.KnowledgeBase, tmp_path: Path, text: str, number: str, meant: str
) -> None:
    assert verdicts(base, tmp_path, f"// {text}\n", against="20230101") == [(number, ABOUT, meant)]


def test_two_things_in_one_sentence(base: kb.KnowledgeBase) -> None:
    for numbers, right in ((("205.1", "206.1"), ABOUT), (("202.1", "203.1"), "exact")):
        text = "Fog is defined in rule {}, and repairs in {}.".format(*numbers)
        found = base.verify(text, game="mtg", edition="20230101", against="20230101").claims
        assert [one.verdict for one in found] == [right, right], text


def test_a_number_by_itself_is_said_to_be_that(base: kb.KnowledgeBase) -> None:
    alone, shared = base.verify("See 203.1 for more.\n\nFog drifts: 202.1.", game="mtg").claims
    assert alone.stands and "shares no word with the rule" in alone.message
    assert shared.stands and not shared.message
    found = base.verify("See 203.1 for more. Fog drifts: 202.1.", game="mtg")
    assert found.shown_counts == {"number exists": 2} and found.counts == {"exact": 2}
    assert found.problems.shown_counts == found.shown_counts
    quoted = base.verify("“Fog drifts one square towards the shore” (CR 202.1).", game="mtg")
    assert quoted.shown_counts == {"exact": 2}


def test_the_name_of_a_column_tells_nothing(base: kb.KnowledgeBase, tmp_path: Path) -> None:
    numbers = ["200.1", "200.2", "202.1", "202.2", "203.1", "203.2", "204.1"]
    rows = "".join(f'f("{number}", "Smugglers");\n' for number in numbers)
    found = verdicts(base, tmp_path, rows, against="20230101")
    assert [each[1] for each in found] == ["exact"] * len(numbers)


def test_the_number_is_that_of_the_edition_that_holds_now(
    base: kb.KnowledgeBase, tmp_path: Path
) -> None:
    line = "// Bidders raise their hands in turn until a single one is left (CR 202.2)."
    [(_, verdict, then)] = verdicts(base, tmp_path, line, against="20230101")
    assert (verdict, then) == (ABOUT, "205.1")
    (tmp_path / "a.cpp").write_text(line)
    [claim] = base.verify_files(tmp_path, game="mtg").claims
    assert (claim.verdict, claim.expected) == (ABOUT, "206.1")
    assert claim.message == (
        "The sentence speaks of another rule than 202.2: Auctions; that is 206.1 now"
    )


def test_words_of_rules(base: kb.KnowledgeBase) -> None:
    words = RuleWords(rule for rule in base.nodes("rule") if rule.edition == "20230101")
    said = words_of("a hidden barrel and the customs officer")
    assert words.rivals("200.1", said & words.weights.keys(), 1.0)[0] == "201.2"
    assert words.refers("204.2", "203.1") and words.refers("204.2", "203.2") is False
    assert words.section("200.2a") == "200" and words.heading("201.1") == {"smuggler"}


KEYWORDS = {
    "300": "Keyword Abilities",
    "300.1": "Moored",
    "300.1a": "A ship with this ability stays where it is while the tide turns.",
    "300.2": "Swift",
    "300.2a": "A ship with this ability sails in the round in which it was built.",
    "300.3": "Ghostly",
    "300.3a": "Cannons don’t hit a ship with this ability (see rule 300.2).",
}


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Swift: sails at once. CR 300.1a", "300.2"),
        ('name: "Swift"\nCR 300.1a', "300.2"),
        ("Moored: stays where it is. CR 300.1a", None),
        ("Swift ships: Moored ones stay. CR 300.1a", None),
        ("Swift: as a ghostly ship. CR 300.3a", None),  # which cites the other
        ("/** Moored. */\nRULE_300_1A,\n/** Swift. */\nRULE_300_2A,", None),
        ("The Magic: The Gathering Comprehensive Rules; see CR 300.1a", None),
    ],
)
def test_a_label_that_names_the_section_beside(
    tmp_path: Path, said: str, expected: str | None
) -> None:
    rules = {**{n: RULES[n] for n in RULES if n < "205"}, **KEYWORDS}
    books = {("20230101", "en"): rulebook(rules, "Magic: The Gathering Comprehensive Rules")}
    base = base_of([write_books(tmp_path, books, "mtg")], tmp_path / "kb.db")
    claims = [one for one in base.verify(said, game="mtg").claims if one.kind == "citation"]
    assert claims and {one.expected for one in claims} == {expected}
    assert (claims[0].verdict == ABOUT) == (expected is not None)
