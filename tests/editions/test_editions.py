"""Editions compared, rules traced, languages aligned: invented rulebooks and the real ones."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping
from difflib import SequenceMatcher
from itertools import pairwise, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kb
from kb.language.typography import fold_typography
from kb.rules.alignment import Alignment
from kb.rules.changes import EditionComparison
from kb.rules.similarity import mask_numbers, split_at_numbers
from tests.commands import run
from tests.rulebooks import base_of, build_books, rulebook
from tests.shared_bases import ENGLISH_RULES

OLD = {
    "1": "Harbour",
    "100": "Ships",
    "100.1": "A ship is a card with a sail.",
    "100.2": "A captain may board one empty ship in the morning.",
    "100.2a": "Boarding takes the whole morning; see rule 101.1.",
    "100.2b": "A boarded ship can’t be sold until evening.",
    "100.3": "Lost ships are laid aside.",
    "101": "Winds",
    "101.1": "The wind turns once a round.",
    "101.2": "A becalmed ship stays where it is, whatever the captain pays.",
    "102": "Cargo",
    "102.1": "Salt weighs two.",
    "102.2": "Cloth weighs one.",
}
NEW = {
    "1": "Harbour",
    "100": "Ships",
    "100.1": "Rafts are no ships and carry neither captains nor goods.",
    "100.2": "A ship is a card with a sail.",
    "100.3": "A captain may board one empty ship in the morning.",
    "100.3a": "Boarding takes the whole morning; see rule 102.1.",
    "100.3b": "A boarded ship can’t be sold until evening.",
    "101": "Tides",
    "101.1": "At flood tide all anchored rafts drift one space seawards.",
    "102": "Winds",
    "102.1": "The wind turns once a round.",
    "102.2": "A becalmed ship stays where it is, whatever its captain or crew pays.",
    "103": "Cargo",
    "103.1": "Nothing perishable lasts beyond three rounds.",
    "103.2": "Cloth weighs one.",
}
NEWEST = {n: text for n, text in NEW.items() if n != "103.2"} | {"100.2": OLD["100.1"] + " Always."}
EXPECTED = {
    ("moved", "100.1", "100.2"), ("moved", "100.2", "100.3"),
    ("moved+renumbered", "100.2a", "100.3a"), ("moved", "100.2b", "100.3b"),
    ("removed", "100.3", None), ("added", None, "100.1"), ("added", None, "101"),
    ("added", None, "101.1"), ("moved", "101", "102"), ("moved", "101.1", "102.1"),
    ("moved+changed", "101.2", "102.2"), ("moved", "102", "103"), ("removed", "102.1", None),
    ("added", None, "103.1"), ("moved", "102.2", "103.2"),
}  # fmt: skip


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> kb.KnowledgeBase:
    """Three English editions and a Japanese one of an invented game."""
    japanese = {
        "1": "港",
        "100": "船",
        "100.1": "筏は船ではない。",
        "100.2": "船は帆のある札である。",
        "100.3": "船長は朝に空いた船へ乗ってよい。",
        "100.3a": "乗るには朝いっぱいかかる。",
        "100.3c": "この規則は和文にだけある。",
    }
    books = [
        ("20240101", "en", OLD),
        ("20250101", "en", NEW),
        ("20260101", "en", NEWEST),
        ("20250101", "ja", japanese),
    ]
    texts = {(edition, lang): rulebook(rules) for edition, lang, rules in books}
    return build_books(tmp_path_factory.mktemp("harbour"), texts)


def told(found: kb.Diff) -> set[tuple[str, str | None, str | None]]:
    return {
        (c.kind, c.before and c.before.number, c.after and c.after.number) for c in found.changes
    }


# -- diff -------------------------------------------------------------------------------------


def test_what_became_of_each_rule(harbour: kb.KnowledgeBase) -> None:
    found = harbour.diff("20240101", "20250101.0")
    assert (found.game, found.lang) == ("harbour", "en")
    assert told(found) == EXPECTED and found.same == 2
    assert len(found.changes) == len(EXPECTED)


def test_the_words_that_differ(harbour: kb.KnowledgeBase) -> None:
    found = harbour.diff("20240101", "20250101", rule="101.2")
    [change] = [c for c in found.changes if c.before and c.before.number == "101.2"]
    assert change.before and change.after
    words = [(change.before.text[a:b], change.after.text[c:d]) for a, b, c, d in change.spans]
    assert words == [("the", "its"), ("", "or crew")]


def test_one_rule_by_either_number(harbour: kb.KnowledgeBase) -> None:
    older = told(harbour.diff("20240101", "20250101", rule="102"))
    assert older == {
        ("moved", "101", "102"),
        ("moved", "101.1", "102.1"),
        ("moved+changed", "101.2", "102.2"),
        ("moved", "102", "103"),
        ("removed", "102.1", None),
        ("moved", "102.2", "103.2"),
        ("added", None, "103.1"),  # below the rule that was 102
    }
    with pytest.raises(kb.QuestionError, match="has a rule 900"):
        harbour.diff("20240101", "20250101", rule="900")


def test_the_date_of_a_file_names_its_edition(tmp_path: Path) -> None:
    """A book says from when it holds; its file is named by the day on which it came out."""
    for effective, published, text in (
        ("January 1", "20240105", "old"),
        ("May 2", "20240509", "new"),
    ):
        lines = f"These rules are effective as of {effective}, 2024.\n\n1. Ships\n\n100. Sails\n\n"
        path = tmp_path / f"HarbourRules_{published}.txt"
        path.write_text(f"{lines}100.1. A sail is {text}.\n\n100.2. It is white.\n", "utf-8")
    with base_of([tmp_path], tmp_path / "kb.db", site="rulebook", game="harbour") as base:
        found = base.diff("20240105", "20240509")
        assert (found.before, found.after) == ("20240101", "20240502")
        assert [change.kind for change in found.changes] == ["changed"]
        [rule] = base.show("100.1", edition="20240509").matches
        assert (rule.edition, rule.text) == ("20240502", "A sail is new.")
        with pytest.raises(kb.QuestionError, match="no edition 2024"):
            base.diff("2024", "20240509")


def test_editions_that_are_not_there(harbour: kb.KnowledgeBase) -> None:
    said = (
        r"no edition 20240102; nearest: 20240101, 20250101 "
        r"\(there are: 20240101, 20250101, 20260101 in harbour, en; 20250101 in harbour, ja\)"
    )
    with pytest.raises(kb.QuestionError, match=said):
        harbour.diff("20240102", "20250101")
    with pytest.raises(kb.QuestionError, match="no edition 20240101 in Japanese"):
        harbour.diff("20240101", "20250101", lang="ja")


def test_the_other_way_round(harbour: kb.KnowledgeBase) -> None:
    swap = {"added": "removed", "removed": "added"}
    back = told(harbour.diff("20250101", "20240101"))
    assert {(swap.get(kind, kind), a, b) for kind, b, a in back} == EXPECTED


# -- typography, renumbered citations ---------------------------------------------------------

TYPESET = {
    "straight quotes": lambda text: text.translate(str.maketrans("‘’“”", "''\"\"")),
    "dashes": lambda text: text.replace("—", "--").replace("–", "‒").replace("-", "‐"),
    "no-break spaces": lambda text: text.replace(" a ", "\u00a0a "),
    "zero width": lambda text: text.replace("ai", "a\u200bi").replace("tain", "\u00adtain"),
    "full width": lambda text: text.replace("(1)", "（１）"),
    "ellipsis": lambda text: text.replace("…", ". . ."),
    "spaces around dashes": lambda text: text.replace("—", " — "),
}
TYPOGRAPHY = {
    "1": "Harbour",
    "100": "Ships",
    "100.1": "A ship’s “sail” is white—never torn.",
    "100.2": "The captain pays (1) or waits… See rules 100.2a–b.",
    "100.2a": "A half-sunk ship carries a loss of −1.",
    "100.2b": "A raft is no ship.",
}


def opened(folder: Path, *books: str | bytes, lang: str = "en") -> kb.KnowledgeBase:
    """A knowledge base of editions 20240101, 20250101, … of one rulebook."""
    editions = {(f"{2024 + number}0101", lang): text for number, text in enumerate(books)}
    return build_books(folder, editions)


@pytest.mark.parametrize("name", TYPESET)
def test_typography_is_no_change(tmp_path: Path, name: str) -> None:
    variant = {n: TYPESET[name](text) for n, text in TYPOGRAPHY.items()}
    differing = {n for n in TYPOGRAPHY if TYPOGRAPHY[n] != variant[n]}
    with opened(tmp_path, rulebook(TYPOGRAPHY), rulebook(variant)) as base:
        found = base.diff("20240101", "20250101")
        assert found.changes == () and found.same == len(TYPOGRAPHY)
        assert found.typographic == len(differing) > 0
        assert found.counts == {"typographic": found.typographic}
        listed = base.diff("20240101", "20250101", typographic=True)
        assert told(listed) == {("typographic", n, n) for n in differing}
        assert all(change.spans for change in listed.changes)
        assert listed.same + listed.typographic == len(TYPOGRAPHY)
        assert listed.counts == found.counts
        assert [entry.kind for entry in base.trace("100").history] == ["first", "same"]


def test_line_ends_are_no_change(tmp_path: Path) -> None:
    text = rulebook(TYPOGRAPHY)
    other = text.replace("\n", "  \t\r\n")
    with opened(tmp_path, text, other.encode("utf-8-sig")) as base:
        found = base.diff("20240101", "20250101")
        assert found.changes == () and found.same == len(TYPOGRAPHY)


def test_a_moved_rule_set_otherwise_only_moved(tmp_path: Path) -> None:
    new = TYPOGRAPHY | {"100.2b": "An entirely new rule on tides.", "100.2c": "A raft is no ship."}
    new["100.2c"] = new["100.2c"].replace(" is", "\u00a0is")
    with opened(tmp_path, rulebook(TYPOGRAPHY), rulebook(new)) as base:
        assert told(base.diff("20240101", "20250101")) == {
            ("added", None, "100.2b"),
            ("moved", "100.2b", "100.2c"),
        }


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("See rule 102.1, “Salt.”", 'See rule 103.1, "Salt."', "renumbered"),
        ("See rules 102.1–2.", "See rules 103.1–2.", "renumbered"),
        ("See rules 102.2a–b.", "See rules 103.2a–b.", "renumbered"),
        ("See rules 102.2a–b.", "See rules 103.2a–c.", "changed"),  # 103.2c is new
        ("See rules 101 and 102.", "See rules 101 and 103.", "renumbered"),
        ("See 102.1.", "See 103.2.", "changed"),  # another rule
        ("See 101.1 and 102.1.", "See 101.1 and 103.2.", "changed"),
        ("See 101.1 and 102.1.", "See 101.2 and 103.1.", "changed"),
        ("See 102.1 and 102.2.", "See 103.1 and 102.2.", "changed"),  # 102.2 is another one now
        ("See section 2.", "See section 3.", "renumbered"),
        ("Pay 2 coins.", "Pay 3 coins.", "changed"),  # chapter 2 is 3 now, but this cites nothing
        ("See 102.1. It is heavy.", "See 103.1. It is light.", "changed"),
        ("See 102.1 in 1.4.7.", "See 103.1 in 1.4.7.", "renumbered"),
    ],
)
def test_citations_that_follow_their_rules(before: str, after: str, kind: str) -> None:
    old = {
        "1": "Harbour", "101": "Winds", "101.1": "The wind turns.", "101.2": "A calm is long.",
        "102": "Cargo", "102.1": "Salt weighs two.", "102.2": "Cloth weighs one.",
        "102.2a": "Wet cloth weighs two.", "102.2b": "Torn cloth is worthless.",
        "2": "Crew", "201": "Captains", "201.1": "A captain may whistle.",
    }  # fmt: skip
    new = {
        "1": "Harbour", "101": "Winds", "101.1": "The wind turns.", "101.2": "A calm is long.",
        "102": "Fishing", "102.1": "Nets are cast.", "102.2": "Herring rots by noon.",
        "103": "Cargo", "103.1": "Salt weighs two.", "103.2": "Cloth weighs one.",
        "103.2a": "Wet cloth weighs two.", "103.2b": "Torn cloth is worthless.",
        "103.2c": "Silk is never torn.",
        "2": "Lighthouses", "201": "Lamps", "201.1": "Each lamp burns oil.",
        "3": "Crew", "301": "Captains", "301.1": "A captain may whistle.",
    }  # fmt: skip
    compared = EditionComparison(old | {"101.3": before}, new | {"101.3": after})
    assert compared.kind("101.3", "101.3") == kind
    assert compared.kind("102.1", "103.1") == "moved"
    moved = EditionComparison(old | {"101.3": before}, new | {"101.4": after})
    assert moved.kind("101.3", "101.4") == f"moved+{kind}"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("107.5.a", "107.6.a"),
        ("103.1.a.(1)", "103.2.a.(1)"),
        ("A-1-01", "A-1-02"),
        ("5-1-2", "5-2-2"),
        ("10.1.1.2.1.1", "10.1.1.2.2.1"),
        ("100.6b", "100.7b"),
    ],
)
@pytest.mark.parametrize("text", ["See {}.", "{}を参照。", "({})", "规则{}", "rule {} and others"])
def test_numbers_of_any_rulebook(old: str, new: str, text: str) -> None:
    around, [cited] = split_at_numbers(fold_typography(text.format(old)))
    assert (cited.number, cited.cites) == (old, True)
    assert split_at_numbers(fold_typography(text.format(new)))[0] == around
    assert mask_numbers(fold_typography(text.format(old))) == "#".join(around)


def test_the_numbers_are_marked_whole(tmp_path: Path) -> None:
    old = {"1": "Harbour", "100": "Ships", "100.1": "See rule 100.2.", "100.2": "A ship floats."}
    new = {**old, "100.1": "See rule 100.3.", "100.2": "Rafts sink.", "100.3": "A ship floats."}
    with opened(tmp_path, rulebook(old), rulebook(new)) as base:
        [change] = [c for c in base.diff("20240101", "20250101").changes if c.kind == "renumbered"]
        assert change.before and change.after
        [(start, end, a, b)] = change.spans
        assert (change.before.text[start:end], change.after.text[a:b]) == ("100.2", "100.3")


def test_the_text_begins_with_the_counts(tmp_path: Path) -> None:
    new = TYPOGRAPHY | {"100.2b": "A raft is no ship, whatever its captain says of it."}
    new["100.1"] = TYPESET["straight quotes"](new["100.1"])
    opened(tmp_path, rulebook(TYPOGRAPHY), rulebook(new)).close()

    def lines(*options: str) -> list[str]:
        command = ["diff", "20240101", "20250101", "--kb", str(tmp_path / "kb.db"), *options]
        return run(*command).output.splitlines()

    assert lines()[1:3] == [
        "1 changed, 5 same",
        "1 of the same differs only in quotation marks, dashes, width or spaces;",
    ]
    assert "100.1  typographic" not in lines() and "100.1  typographic" in lines("--typographic")
    assert lines("--typographic")[1] == "1 changed, 1 typographic, 4 same"
    assert max(map(len, lines("--typographic"))) <= 80
    printed = json.loads("\n".join(lines("--json")))
    assert printed["counts"] == {"changed": 1, "typographic": 1} and printed["typographic"] == 1


# -- trace: sub-rules -------------------------------------------------------------------------


def test_trace_follows_sub_rules(tmp_path: Path) -> None:
    old = {
        "1": "Harbour", "100": "Ships", "100.1": "A ship has these parts:",
        "100.1a": "A hull, which floats.", "100.1b": "A mast; see rule 101.1.",
        "101": "Winds", "101.1": "The wind turns once a round.",
    }  # fmt: skip
    changed = old | {"100.1a": "A hull, which floats until it is pierced.", "100.1c": "A rudder."}
    changed = dict(sorted(changed.items()))
    moved = {
        "1": "Harbour", "100": "Tides", "100.1": "The tide rises.", "101": "Ships",
        "101.1": changed["100.1"], "101.1a": changed["100.1a"],
        "101.1b": "A mast; see rule 102.1.", "101.1c": changed["100.1c"],
        "102": "Winds", "102.1": changed["101.1"],
    }  # fmt: skip
    typeset = moved | {"101.1a": moved["101.1a"].replace(" ", "\u00a0", 1)}
    with opened(tmp_path, *map(rulebook, (old, changed, moved, typeset))) as base:
        history = base.trace("100.1", edition="20240101").history
        text = run("trace", "101.1", of=tmp_path / "kb.db").output
        chapter = base.trace("1").history
    assert [(one.number, one.kind) for one in history] == [
        ("100.1", "first"),
        ("100.1", "sub-rules"),
        ("101.1", "moved"),
        ("101.1", "same"),
    ]
    changes = [
        [(c.kind, c.before and c.before.number, c.after and c.after.number) for c in one.sub_rules]
        for one in history
    ]
    assert changes == [
        [],
        [("changed", "100.1a", "100.1a"), ("added", None, "100.1c")],
        [("moved+renumbered", "100.1b", "101.1b")],
        [],
    ]
    assert "text same\n    sub-rules: changed 100.1a; added 100.1c" in text
    assert [one.kind for one in chapter] == ["first", "sub-rules", "sub-rules", "same"]


# -- trace, align -----------------------------------------------------------------------------


def test_a_rule_through_all_editions(harbour: kb.KnowledgeBase) -> None:
    def history(*args: str, **narrow: str) -> list[tuple[str, str, str]]:
        found = harbour.trace(*args, **narrow).history  # type: ignore[arg-type]
        return [(one.edition, one.number, one.kind) for one in found]

    assert history("100.2", lang="en") == [
        ("20240101", "100.1", "first"),
        ("20250101", "100.2", "moved"),
        ("20260101", "100.2", "changed"),
    ]
    assert history("100.2", edition="20240101") == [
        ("20240101", "100.2", "first"),
        ("20250101", "100.3", "moved"),
        ("20260101", "100.3", "same"),
    ]
    assert history("102.2", edition="20240101") == [
        ("20240101", "102.2", "first"),
        ("20250101", "103.2", "moved"),
        ("20260101", "103.2", "removed"),
    ]
    assert history("101.1", lang="en") == [
        ("20250101", "101.1", "added"),
        ("20260101", "101.1", "same"),
    ]


def test_a_part_of_an_edition_does_not_say_that_a_rule_is_gone(tmp_path: Path) -> None:
    whole = {"1": "Ships"} | {
        f"1.{n}": f"A ship of kind w{n} carries {n} guns." for n in range(1, 40)
    }
    part = {"3": "Fish", "3.1": "A fish swims."}
    fuller = whole | {"1.5": whole["1.5"] + " It floats."}
    with opened(tmp_path, *map(rulebook, (whole, part, fuller))) as base:
        history = [(one.edition, one.kind) for one in base.trace("1.5").history]
    assert history == [
        ("20240101", "first"),
        ("20250101", "not loaded"),
        ("20260101", "changed"),
    ]


def test_another_language_is_named_where_it_has_the_rules(tmp_path: Path) -> None:
    japanese = {number: text for number, text in OLD.items() if number < "101"}
    books = {("20240101", "en"): OLD, ("20250101", "en"): NEW, ("20260101", "en"): NEWEST}
    books |= {("20240101", "ja"): japanese, ("20250101", "ja"): japanese}
    books["20260101", "ja"] = {"103": "Cargo", "103.1": NEW["103.1"]}
    written = {book: rulebook(texts) for book, texts in books.items()}
    with build_books(tmp_path, written) as base:
        [other] = base.diff("20240101", "20250101").also
        assert other.reason.ask and base.follow(other.reason.ask).lang == "ja"
        assert base.diff("20240101", "20250101", under="100").also
        assert not base.diff("20240101", "20250101", under="102").also
        assert base.diff("20240101", "20250101", words="captain").also
        assert base.diff("20240101", "20250101", words="boarding", under="100").also
        assert not base.diff("20240101", "20250101", words="becalmed").also
        assert not base.diff("20240101", "20260101").also


def test_two_languages(harbour: kb.KnowledgeBase) -> None:
    found = harbour.align("ja", "en", rule="100")
    assert [pair.number for pair in found.pairs] == ["100", "100.1", "100.2", "100.3", "100.3a"]
    assert found.pairs[1].texts == {"ja": "筏は船ではない。", "en": NEW["100.1"]}
    problems = {(p.number, p.kind): (p.what, p.only) for p in found.problems}
    assert problems == {
        ("100.3a", "citations"): ("en alone cites 102.1", {"ja": (), "en": ("102.1",)}),
        ("100.3b", "missing"): ("rule 100.3b is there in en, not in ja", {"en": ("100.3b",)}),
        ("100.3c", "missing"): ("rule 100.3c is there in ja, not in en", {"ja": ("100.3c",)}),
    }
    with pytest.raises(kb.QuestionError, match="no edition 20240101 is there in both"):
        harbour.align("ja", "en", edition="20240101")


# -- matching ---------------------------------------------------------------------------------

NUMBERS = st.from_regex(r"[1-3](\.[1-4](\.[1-4])?)?", fullmatch=True)
TEXTS = st.lists(
    st.sampled_from("salt cloth sail wind 101.2 captain 引く 山札 the a".split()), max_size=7
).map(" ".join)
BOOKS = st.dictionaries(NUMBERS, TEXTS, max_size=20)


@given(BOOKS, BOOKS)
def test_any_two_books(old: dict[str, str], new: dict[str, str]) -> None:
    """No rule has two counterparts, and every text that both have is matched as often as both
    have it, unless it stands above other rules, which it follows; one that each has once, at its
    number if that is the same."""
    image = Alignment(old, new).matches()
    assert image.keys() <= old.keys() and set(image.values()) <= new.keys()
    assert len(set(image.values())) == len(image)
    uses = Counter(old.values()) + Counter(new.values())
    assert all(image[n] == n for n in old if new.get(n) == old[n] and uses[old[n]] == 2)
    above = {
        book[number.rpartition(".")[0]]
        for book in (old, new)
        for number in book
        if number.rpartition(".")[0] in book
    }
    both = Counter(old.values()) & Counter(new.values())
    kept = Counter(old[n] for n, other in image.items() if old[n] == new[other])
    assert {t: n for t, n in kept.items() if t not in above} == {
        t: n for t, n in both.items() if t not in above
    }
    assert Alignment(old, old).matches() == {n: n for n in image} | {n: n for n in old}


@given(BOOKS)
def test_rules_that_all_moved_are_found(old: dict[str, str]) -> None:
    new = {f"9{number}": text for number, text in old.items()}
    assert Alignment(old, new).matches().keys() == old.keys()


def test_equal_texts_go_by_their_neighbours() -> None:
    old = {
        "1": "Ships",
        "1.1": "General",
        "1.1.1": "A ship sails.",
        "2": "Winds",
        "2.1": "General",
        "2.1.1": "A wind blows.",
    }
    new = {
        "1": "Harbours",
        "1.1": "General",
        "1.1.1": "A harbour is deep.",
        "2": "Ships",
        "2.1": "General",
        "2.1.1": "A ship sails.",
        "3": "Winds",
        "3.1": "General",
        "3.1.1": "A wind blows.",
    }
    image = Alignment(old, new).matches()
    assert image["1.1.1"] == "2.1.1" and image["2.1.1"] == "3.1.1" and image["1"] == "2"


COAST = {
    "1": "Coast", "100": "Beaches", "100.1": "A beach is a place of sand.",
    "100.2": "Shells lie on the beach until somebody takes them.",
    "100.3": "Two shells are alike if they have one colour.",
    "100.4": "Crabs always walk sideways.",
    "101": "Cliffs", "101.1": "A cliff can’t be climbed at night.",
    "101.2": "Gulls nest on every cliff.", "101.3": "Nobody owns a cliff.",
}  # fmt: skip


@pytest.mark.parametrize(
    ("number", "text"),
    [
        # much was added to the old text
        (
            "100.4",
            "All life under stones is shy, and comes out at ebb. Crabs always walk sideways.",
        ),
        # the beginning stayed
        ("100.2", "Shells lie on the beach until a wave, a storm or a child of the village comes."),
        ("101.1", "A cliff can’t be climbed in rain, in fog, or by players without a rope."),
        # a heading, by the rules below it
        ("101", "Steep places"),
        ("1", "Where land ends"),
    ],
)
@pytest.mark.parametrize("shift", [False, True])
def test_what_stands_between_the_same_neighbours_changed(
    number: str, text: str, shift: bool
) -> None:
    new = COAST | {number: text}
    if shift:  # another section comes first
        move = {"101": "102", "100": "101"}
        moved = {move.get(n[:3], n[:3]) + n[3:]: text for n, text in new.items()}
        new = {"1": moved["1"], "100": "Tides", "100.1": "Ebb follows flood."} | moved
        number = move.get(number[:3], number[:3]) + number[3:]
    image = Alignment(COAST, new).matches()
    assert len(image) == len(COAST) and number in image.values()
    assert all(new[other] in (COAST[n], text) for n, other in image.items())


def test_another_rule_at_the_same_place_is_another_rule() -> None:
    new = COAST | {"100.2": "Boats may land in calm weather.", "101.2": "Ropes wear out in time."}
    image = Alignment(COAST, new).matches()
    assert image.keys() == COAST.keys() - {"100.2", "101.2"}


def test_split_and_merged_rules() -> None:
    halves = ("Whoever finds a shell keeps it.", "Whoever finds a crab lets it run away again.")
    split = COAST | {"100.4": halves[0], "100.5": halves[1]}
    merged = COAST | {"100.4": " ".join(halves)}
    assert Alignment(split, merged).matches()["100.5"] == "100.4"
    assert Alignment(merged, split).matches()["100.4"] == "100.5"


def test_a_heading_that_went_into_another() -> None:
    """A chapter whose heading was reworded while its rules went one level down, and one that was
    joined to another."""
    rules = ("A boat that leaves the harbour pays the toll at once.",
             "Whoever owns no boat may borrow one from the guild.",
             "At dawn each captain counts the crates on the quay.")  # fmt: skip
    old = {"7": "Leaving Port", "7.1": rules[0], "7.2": rules[1], "7.3": rules[2]}
    new = {"8": "Ways Out of Town", "8.1": rules[0], "8.1.1": rules[1], "8.1.2": rules[2]}
    assert Alignment(old, new).matches()["7"] == "8"
    other = {"8": "Quays", "8.1": "A quay has room for two boats, or for a barge."}
    joined = other | {"8.2": rules[0], "8.3": rules[1], "8.4": rules[2]}
    alignment = Alignment(old | other, joined)
    assert alignment.matches()["8"] == "8"
    assert alignment.merged(alignment.matches()) == {"7": "8"}


def test_parts_of_a_rule_are_rules_of_their_own(tmp_path: Path) -> None:
    """But a rule made by the pattern of another one, which still has its words, is none."""
    halves = (
        "A ferry carries two carts across the river at noon, for a coin that its owner names and"
        " that nobody may lend to another captain or crew before the bell of the harbour rings.",
        "In a storm the ferryman may refuse whoever cannot show him a lantern and a rope.",
    )
    old = {"1": "Ferries", "1.1": " ".join(halves), "1.2": "Rafts carry nothing but their owners."}
    new = {
        "1": "Ferries", "1.1": halves[0], "1.2": halves[1], "1.3": old["1.2"],
        "1.4": halves[0].replace("ferry", "barge"),
    }  # fmt: skip
    compared = EditionComparison(old, new)
    assert compared.split == {"1.2": "1.1"}
    texts = {"20240101": rulebook(old), "20250101": rulebook(new), "20260101": rulebook(new)}
    base = build_books(tmp_path, {(day, "en"): text for day, text in texts.items()})
    for last in ("20250101", "20260101"):
        [change] = base.diff("20240101", last, kinds="split")
        assert change.after and (change.after.number, change.split_from) == ("1.2", "1.1")
    first, _ = base.trace("1.2").history
    assert first.kind == "split" and first.change and first.change.split_from == "1.1"
    assert base.trace("1.1").history[1].split_off == ("1.2",)
    [version] = [one for one in base.show("1.2").rules[0].versions if one.change == "split"]
    assert version.before == ("1.1",)


def test_what_another_rule_gained_was_merged_into_it() -> None:
    coin = "If someone flips a coin and only cares which side comes up, no captain wins the flip."
    call = "A captain who flips a coin calls a side. If the call is right, the captain wins."
    new = f"Some flips care only which side of the coin comes up. No captain wins those. {call}"
    old = {"5": "Coins", "5.1": call, "5.2": coin}
    alignment = Alignment(old, {"5": "Coins", "5.1": new})
    assert alignment.merged(alignment.matches()) == {"5.2": "5.1"}


def test_a_heading_is_where_most_of_its_rules_are() -> None:
    """Whatever stands above other rules in the same words."""
    rules = [f"A {thing} is turned when its owner names it." for thing in ("ship", "raft", "oar")]
    others = [f"A {thing} may be sold for coins at dawn." for thing in ("sail", "rope", "map")]
    end = {"3": "Ends", "3.1": "General", "3.1.1": "A game ends when a captain has no ships left."}
    old = {"1": "Trade", "2": "Turning", "2.1": "General", **end}
    old |= {f"2.1.{n}": text for n, text in enumerate(rules, 1)}
    new = {"1": "Trade", "1.1": "General", "2": "Cards", "2.1": "How cards lie", **end}
    new |= {f"1.1.{n}": text for n, text in enumerate(others, 1)}
    new |= {f"2.1.{n}": f"{text[:-1]} aloud." for n, text in enumerate(rules, 1)}
    assert Alignment(old, new).matches()["2.1"] == "2.1"


def test_amounts_tell_what_a_rule_was_merged_into() -> None:
    deck = "A deck has at least 60 cards, and there is no upper limit to how many cards it has."
    fixed = "In the fixed way of play, of two colours, a deck has at least 60 cards, and there is "
    fixed += "no upper limit to it."
    drawn = f"In the drawn way of play, {deck.replace('60', '40')}"
    old = {"1": "Decks", "1.1": "Before play", "1.1.1": deck}
    alignment = Alignment(old, {"1": "Zones", "2": "Ways of play", "2.1": fixed, "2.2": drawn})
    assert alignment.merged({}).get("1.1.1") == "2.1"


def test_a_sentence_that_went_into_another_rule() -> None:
    old = {
        "5": "Duels",
        "5.1": "A duel is an action of the day. Only captains may fight duels.",
        "5.2": "Who calls a duel names the other captain, who picks the weapons and the place.",
    }
    new = {
        "5": "Duels",
        "5.1": f"Only captains may fight duels. {old['5.2']} Both then take cover, "
        "with a second beside each, until the bell of the harbour has been struck three times.",
    }
    alignment = Alignment(old, new)
    assert alignment.matches()["5.2"] == "5.1"
    assert alignment.merged(alignment.matches()) == {"5.1": "5.1"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["reworded", "alike", "one text", "few texts", "unlike"])
def test_three_thousand_rules_in_a_few_seconds(kind: str) -> None:
    """Also where nothing can be told apart, the time does not grow with the square."""
    numbers = [f"{100 + n // 20}.{n % 20 + 1}" for n in range(3000)]

    def text(n: int, changed: bool) -> str:
        own = " ".join(f"w{(n * 37 + k * k) % 2000}" for k in range(50))
        return {
            "reworded": f"{own} now" if changed else own,
            "alike": f"A card may be drawn {'now' if changed else 'then'}.",
            "one text": "A card may be drawn.",
            "few texts": f"Card w{n % 40} may be drawn.",
            "unlike": f"Card w{n}{'new' if changed else 'old'} may be drawn.",
        }[kind]

    old = {number: text(n, False) for n, number in enumerate(numbers)}
    new = {f"1{number}": text(n, True) for n, number in enumerate(numbers)}
    began = time.process_time()
    Alignment(old, new).matches()
    assert time.process_time() - began < 12  # two at most on a quiet machine


# -- the real ones ----------------------------------------------------------------------------


def plain_rules(text: str) -> dict[str, str]:
    """The rules of a rulebook in plain text, read by their numbers alone."""
    body = re.split(r"^(?:Glossary|用語集)$", text.replace("\r", ""), flags=re.M)
    whole = "\n".join(body[:-1])
    line = re.compile(r"^(\d{3}\.\d+[a-z]?)\.? +(.+)$|^(\d{1,3})\. +(.+)$", re.M)
    return {m[1] or m[3]: (m[2] or m[4]).strip() for m in line.finditer(whole)}


REWORDED = ("changed", "moved+changed", "renumbered", "moved+renumbered")
PAIRS = [("20231117", "20240802"), ("20240802", "20260116"), ("20231117", "20260116")]


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_every_rule_of_real_editions_is_told_once(
    shared: Path, rules_and_pages: kb.KnowledgeBase, before: str, after: str
) -> None:
    """Against sets of the two files' lines, which know nothing of the matching."""
    folder = shared / "corpora" / "mtg-cr-en"
    old, new = (
        plain_rules((folder / f"MagicCompRules_{one}.txt").read_text("utf-8-sig"))
        for one in (before, after)
    )
    # The file named 20240802 says that its rules are effective as of July 30.
    names = [one.replace("20240802", "20240730") for one in (before, after)]
    found = rules_and_pages.diff(*names)
    kinds: dict[str, list[kb.RuleChange]] = {}
    for change in found.changes:
        kinds.setdefault(change.kind, []).append(change)
    was = [c.before.number for c in found.changes if c.before]
    now = [c.after.number for c in found.changes if c.after]
    assert len(set(was)) == len(was) and len(set(now)) == len(now)
    assert found.same + len(was) == len(old) and found.same + len(now) == len(new)
    same = {n for n in old if squeezed(old[n]) == squeezed(new.get(n, ""))}
    assert len(same) == found.same and not same & {*was, *now}

    texts = {squeezed(text) for text in old.values()}
    fresh = {n for n, text in new.items() if squeezed(text) not in texts}
    new_kinds = ("added", "split", *REWORDED)
    told = {c.after.number for kind in new_kinds for c in kinds.get(kind, ()) if c.after}
    assert fresh <= told
    texts = {squeezed(text) for text in new.values()}
    lost = {n for n, text in old.items() if squeezed(text) not in texts}
    assert lost <= {
        c.before.number
        for kind in ("removed", "merged", *REWORDED)
        for c in kinds.get(kind, ())
        if c.before
    }

    once_old, once_new = once(old), once(new)
    moved = {
        (once_old[t], once_new[t])
        for t in once_old.keys() & once_new.keys()
        if once_old[t] != once_new[t]
    }
    assert moved <= {
        (c.before.number, c.after.number) for c in kinds["moved"] if c.before and c.after
    }
    assert all(
        c.before and c.after and squeezed(c.before.text) == squeezed(c.after.text)
        for c in kinds["moved"]
    )


def squeezed(text: str) -> str:
    return " ".join(text.split())


def once(rules: Mapping[str, str]) -> dict[str, str]:
    """The numbers of the texts that stand only once."""
    count = Counter(squeezed(text) for text in rules.values())
    return {squeezed(text): n for n, text in rules.items() if count[squeezed(text)] == 1}


# What sets a book otherwise: the pattern, and what stands for it.
OTHERWISE = (
    ("[‘’]", "'"), ("[“”]", '"'), ("–", "‒"), ("—", "--"), ("−", "-"), (r"\. \. \.", "…"),
    (" of ", "\u00a0of "), ("tion", "\u00adtion"), (", ", ",\u200b "), ("$", " \t\r"),
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.shared
def test_a_real_book_typeset_otherwise_is_the_same(shared: Path, tmp_path: Path) -> None:
    """Its longest chapter, with a third of the rules."""
    path = shared / "corpora" / "mtg-cr-en" / "MagicCompRules_20231117.txt"
    whole = path.read_text("utf-8-sig").replace("\r", "")
    chapter = whole.rindex("\n7. "), whole.rindex("\n8. ")
    text = other = whole[: whole.index("\nContents\n")] + whole[slice(*chapter)]
    for pattern, replacement in OTHERWISE:
        other = re.sub(pattern, replacement, other, flags=re.M)
    with opened(tmp_path, text, other) as base:
        found = base.diff("20240101", "20250101")
        assert found.changes == () and found.same > 1300 and found.typographic > 1000
        listed = base.diff("20240101", "20250101", rule="702.26", typographic=True)
        assert listed.typographic == len(listed.changes) > 10
        assert [entry.kind for entry in base.trace("702").history] == ["first", "same"]


ENGLISH = ["20200124", "20220218", "20231117", "20260116"]


@pytest.mark.slow
@pytest.mark.shared
def test_no_evident_change_of_real_editions_is_removed_and_added(
    shared: Path, built: Callable[..., kb.KnowledgeBase], rules_and_pages: kb.KnowledgeBase
) -> None:
    """Words in common over 0.8, at one number or between the same neighbours: counted without the
    means of the matching."""
    older = built(*(shared / source for source in ENGLISH_RULES))
    for before, after in pairwise(ENGLISH):
        found = (rules_and_pages if after == ENGLISH[-1] else older).diff(before, after)
        removed = [c.before for c in found.changes if c.before and not c.after]
        added = [c.after for c in found.changes if c.after and not c.before]
        # Both have the sub-rules of one rule, or one number: neighbours are among these.
        evident = [
            (one.number, other.number)
            for one, other in product(removed, added)
            if one.number.rstrip(LETTERS) == other.number.rstrip(LETTERS)
            or one.number.split(".")[0] == other.number.split(".")[0]
            if words_in_common(one.text, other.text) > 0.8
        ]
        assert evident == []
        assert {"608.3", "811.4", "308"}.isdisjoint(rule.number for rule in removed)
        assert all(
            loose(c.before.text) == loose(c.after.text)
            for c in found.changes
            if c.kind == "moved" and c.before and c.after
        )
        assert all(
            without_numbers(c.before.text) == without_numbers(c.after.text)
            for c in found.changes
            if "renumbered" in c.kind and c.before and c.after
        )
        if after == "20231117":
            assert found.typographic == 1236
    kinds = {entry.edition: entry for entry in rules_and_pages.trace("702.26", lang="en").history}
    assert kinds["20260116"].kind == "sub-rules"
    assert [change.after.number for change in kinds["20260116"].sub_rules if change.after] == [
        "702.26k"
    ]


LETTERS = "abcdefghijklmnopqrstuvwxyz"


def loose(text: str) -> str:
    for pattern, plain in (("[‘’]", "'"), ("[“”]", '"'), ("[–—−]", "-")):
        text = re.sub(pattern, plain, text)
    return squeezed(text)


def without_numbers(text: str) -> str:
    return re.sub(r"\d+(?:\.\d+)?[a-z]*(?:-[a-z]\b)?", "#", loose(text)).replace(" ", "")


def words_in_common(text: str, other: str) -> float:
    """The ratio of difflib over words, without the numbers of cited rules."""
    first, second = (
        re.sub(r"\d{3}(?:\.\d+[a-z]*)?", "#", loose(one)).casefold().split()
        for one in (text, other)
    )
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    if min(matcher.real_quick_ratio(), matcher.quick_ratio()) <= 0.8:
        return 0.0
    return matcher.ratio()


@pytest.mark.slow
@pytest.mark.shared
def test_real_japanese_editions(shared: Path, built: Callable[..., kb.KnowledgeBase]) -> None:
    """One class of characters came in between these two: one rule tells it."""
    found = built(shared / "corpora" / "lorcana-cr-ja").diff("20250829", "20251031")
    [change] = found.changes
    assert change.kind == "changed" and change.after and found.same == 406
    [(start, end, a, b)] = change.spans
    assert start == end and "ロボット" in change.after.text[a:b]


@pytest.mark.shared
def test_the_two_types_of_effects_read_as_a_table(
    shared: Path, built: Callable[..., kb.KnowledgeBase]
) -> None:
    base = built(shared / "pages" / "puki147euc" / "ygo")
    subjects = [one.subject for one in base.outcomes("通常のドロー").outcomes]
    assert subjects.count("コストタイプ") >= 8 and subjects.count("効果タイプ") >= 12
    first, last = subjects.index("コストタイプ"), subjects.index("効果タイプ")
    assert set(subjects[first:last]) == {"コストタイプ"}  # one part of the table after the other
    assert {one.subject for one in base.outcomes("コストタイプ").outcomes} == {"コストタイプ"}


BOOK = """Sample Rules
Effective {date}
1. Zones
1.1. A pond is a zone.
Example: A koi swims {where}.
1.2. A reed is a card.
2. Turns
2.1. All players draw.
2.2. All players rest.
"""


def test_other_examples_alone_are_told_and_listed_on_request(tmp_path: Path) -> None:
    for date, where in (("May 1, 2023", "north"), ("May 1, 2024", "south and sinks")):
        (tmp_path / f"{where[:5]}.txt").write_text(BOOK.format(date=date, where=where), "utf-8")
    with base_of([tmp_path], tmp_path / "kb.db", site="rulebook", game="demo") as base:
        found = base.diff("20230501", "20240501")
        assert (found.changes, found.same, found.examples) == ((), 6, 1)
        [change] = base.diff("20230501", "20240501", examples=True).changes
        assert change.kind == "examples" and change.after and "sinks" in change.after.text
        assert base.diff("20230501", "20230501").examples == 0
    ran = run("diff", "20230501", "20240501", of=tmp_path / "kb.db")
    assert "1 of the same differs only in its examples; --examples lists them" in ran.stdout


def test_in_a_book_of_numbered_headings_a_section_is_the_heading_before(tmp_path: Path) -> None:
    old = {
        "101": "Setup", "102": "A ship has a deck of many planks.",
        "103": "A deck has at most forty planks.", "104": "Sailing",
        "105": "Each ship sails in the order of the captains’ ages.",
    }  # fmt: skip
    new = {
        "101": old["101"], "102": old["102"], "103": old["103"].replace("forty", "fifty"),
        "103.1": "A plank is no card.", "104": old["104"], "105": old["105"],
    }  # fmt: skip
    books = {("20230101", "en"): rulebook(old), ("20240101", "en"): rulebook(new)}
    [section] = build_books(tmp_path, books).diff("20230101", "20240101").sections
    assert (section.number, section.heading) == ("101", "Setup")
    assert section.counts == {"added": 1, "changed": 1}
