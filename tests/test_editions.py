"""Editions compared, rules traced, languages aligned: invented rulebooks and the real ones."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kb
from kb.query.rule_successors import align_rules

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


def book(texts: Mapping[str, str]) -> str:
    lines = [f"{n}. {text}" if not n[-1].isalpha() else f"{n} {text}" for n, text in texts.items()]
    return "Harbour Comprehensive Rules\n\n" + "\n\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> kb.KnowledgeBase:
    """Three English editions and a Japanese one of an invented game."""
    folder = tmp_path_factory.mktemp("harbour")
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
    entries = []
    for edition, lang, texts in books:
        name = f"harbour.{edition}.{lang}.txt"
        (folder / name).write_text(book(texts), "utf-8")
        entries.append(
            {"file": name, "game": "harbour", "lang": lang, "edition": edition, "site": "rulebook"}
        )
    lines = "".join(json.dumps(entry) + "\n" for entry in entries)
    (folder / "manifest.jsonl").write_text(lines, "utf-8")
    kb.build([folder], folder / "x.db")
    return kb.open(folder / "x.db")


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
    kb.build([tmp_path], tmp_path / "kb.db", site="rulebook", game="harbour")
    with kb.open(tmp_path / "kb.db") as base:
        found = base.diff("20240105", "20240509")
        assert (found.before, found.after) == ("20240101", "20240502")
        assert [change.kind for change in found.changes] == ["changed"]
        [rule] = base.show("100.1", edition="20240509").matches
        assert (rule.edition, rule.text) == ("20240502", "A sail is new.")
        with pytest.raises(kb.QuestionError, match="no edition 2024"):
            base.diff("2024", "20240509")


def test_editions_that_are_not_there(harbour: kb.KnowledgeBase) -> None:
    said = r"no edition 20240102; there are 20240101, 20250101, 20260101 \(harbour, en\); 20250101"
    with pytest.raises(kb.QuestionError, match=said):
        harbour.diff("20240102", "20250101")
    with pytest.raises(kb.QuestionError, match="no edition 20240101; there are 20250101"):
        harbour.diff("20240101", "20250101", lang="ja")


def test_the_other_way_round(harbour: kb.KnowledgeBase) -> None:
    swap = {"added": "removed", "removed": "added"}
    back = told(harbour.diff("20250101", "20240101"))
    assert {(swap.get(kind, kind), a, b) for kind, b, a in back} == EXPECTED


# -- trace, align -----------------------------------------------------------------------------


def test_a_rule_through_all_editions(harbour: kb.KnowledgeBase) -> None:
    def history(*args: str, **narrow: str) -> list[tuple[str, str, str]]:
        found = harbour.trace(*args, **narrow).history  # type: ignore[arg-type]
        return [(one.edition, one.number, one.kind) for one in found]

    assert history("100.2", lang="en") == [
        ("20240101", "100.1", "added"),
        ("20250101", "100.2", "moved"),
        ("20260101", "100.2", "changed"),
    ]
    assert history("100.2", edition="20240101") == [
        ("20240101", "100.2", "added"),
        ("20250101", "100.3", "moved"),
        ("20260101", "100.3", "same"),
    ]
    assert history("102.2", edition="20240101") == [
        ("20240101", "102.2", "added"),
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
    for edition, texts in (("20240101", whole), ("20250101", part), ("20260101", fuller)):
        (tmp_path / f"harbour.{edition}.en.txt").write_text(book(texts), "utf-8")
    hints = {"game": "harbour", "lang": "en", "site": "rulebook"}
    lines = [
        json.dumps(hints | {"file": path.name, "edition": path.name.split(".")[1]})
        for path in sorted(tmp_path.iterdir())
    ]
    (tmp_path / "manifest.jsonl").write_text("\n".join(lines), "utf-8")
    kb.build([tmp_path], tmp_path / "x.db")
    with kb.open(tmp_path / "x.db") as base:
        history = [(one.edition, one.kind) for one in base.trace("1.5").history]
    assert history == [("20240101", "added"), ("20260101", "changed")]


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
    have it, at its number first."""
    image = align_rules(old, new)
    assert image.keys() <= old.keys() and set(image.values()) <= new.keys()
    assert len(set(image.values())) == len(image)
    assert all(image[n] == n for n in old if new.get(n) == old[n])
    both = Counter(old.values()) & Counter(new.values())
    assert Counter(old[n] for n, other in image.items() if old[n] == new[other]) == both
    assert align_rules(old, old) == {n: n for n in image} | {n: n for n in old}


@given(BOOKS)
def test_rules_that_all_moved_are_found(old: dict[str, str]) -> None:
    new = {f"9{number}": text for number, text in old.items()}
    assert align_rules(old, new).keys() == old.keys()


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
    image = align_rules(old, new)
    assert image["1.1.1"] == "2.1.1" and image["2.1.1"] == "3.1.1" and image["1"] == "2"


@pytest.mark.parametrize("kind", ["reworded", "alike", "one text", "few texts"])
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
        }[kind]

    old = {number: text(n, False) for n, number in enumerate(numbers)}
    new = {f"1{number}": text(n, True) for n, number in enumerate(numbers)}
    began = time.process_time()
    align_rules(old, new)
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
    shared: Path, built: Callable[..., kb.KnowledgeBase], before: str, after: str
) -> None:
    """Against sets of the two files' lines, which know nothing of the matching."""
    folder = shared / "corpora" / "mtg-cr-en"
    old, new = (
        plain_rules((folder / f"MagicCompRules_{one}.txt").read_text("utf-8-sig"))
        for one in (before, after)
    )
    # The file named 20240802 says that its rules are effective as of July 30.
    names = [one.replace("20240802", "20240730") for one in (before, after)]
    found = built(folder).diff(*names)
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
    told = {
        c.after.number
        for kind in ("added", *REWORDED)
        for c in kinds.get(kind, ())
        if c.after
    }
    assert fresh <= told
    texts = {squeezed(text) for text in new.values()}
    lost = {n for n, text in old.items() if squeezed(text) not in texts}
    assert lost <= {
        c.before.number
        for kind in ("removed", *REWORDED)
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
