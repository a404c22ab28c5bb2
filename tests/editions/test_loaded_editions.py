"""Editions of which only a part is loaded in a language: what diff, trace and align say of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import pytest

import kb
from kb.rules.loaded_editions import measured_rules
from scraper.rulebook.numbering import number_key
from tests.commands import run
from tests.rulebooks import build_books, rulebook

BIRDS = "heron crane stork gull tern rail coot swan duck owl".split()


def whole(words: str) -> dict[str, str]:
    """Return an invented rulebook of three chapters with three sections each, in one language."""
    texts = {}
    for chapter in range(1, 4):
        texts[str(chapter)] = f"Chapter {words} {BIRDS[chapter]}"
        for section in range(1, 4):
            number = f"{chapter}0{section}"
            texts[number] = f"Section {words} {BIRDS[chapter]} {BIRDS[section + 3]}"
            for rule in range(1, 6):
                bird, other = BIRDS[chapter + section], BIRDS[rule + 3]
                texts[f"{number}.{rule}"] = (
                    f"Every {words} {bird} of nest {chapter}{section} that meets {other} number "
                    f"{rule} sings {chapter * section * rule} songs."
                )
    return texts


ENGLISH = whole("grey")
CHANGED = {n: text for n, text in ENGLISH.items() if not n.startswith("303")} | {
    "101.2": ENGLISH["101.2"] + " Others keep silent.",
    "202.6": "A moulting bird pays one feather to sleep.",
    "202.7": "Feathers are counted at dawn.",
}
OTHER_BIRD = CHANGED | {"101.5": "Eggs are never lent to a stranger."}
JAPANESE = {
    number: f"{number[0]}の鳥は第{number}条により{len(number) + ord(number[-1])}回歌う。"
    for number in ENGLISH
}
FIRST_PART = {n: t for n, t in JAPANESE.items() if n in ("1", "101") or n.startswith("101.")}
SECOND_PART = {n: t for n, t in JAPANESE.items() if n == "202" or n.startswith("202.")}


def build(folder: Path, *books: tuple[str, str, Mapping[str, str]], game: str = "birds") -> Path:
    """Build a base of (edition, language, texts)."""
    in_order = {
        (edition, lang): rulebook({n: texts[n] for n in sorted(texts, key=number_key)})
        for edition, lang, texts in books
    }
    build_books(folder, in_order, game).close()
    return folder / "kb.db"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three whole English editions, and a section of the first and of the second in Japanese."""
    return build(
        tmp_path_factory.mktemp("birds"),
        ("20240101", "en", ENGLISH),
        ("20250101", "en", CHANGED),
        ("20260101", "en", OTHER_BIRD),
        ("20240101", "ja", FIRST_PART),
        ("20250101", "ja", SECOND_PART),
    )


@pytest.fixture(scope="module")
def birds(path: Path) -> kb.KnowledgeBase:
    return kb.open(path)


def printed(path: Path, *words: str) -> str:
    done = run(*words, of=path)
    assert done.exit_code == 0, done.output
    return done.stdout


# -- which language ---------------------------------------------------------------------------


def test_the_most_complete_language_is_compared(birds: kb.KnowledgeBase) -> None:
    found = birds.diff("20240101", "20250101")
    assert found.lang == "en" and found.not_loaded == {}
    assert found.counts | {"typographic": 0} == {
        "added": 2,
        "removed": 6,
        "changed": 1,
        "typographic": 0,
    }
    assert found.also == ()  # the Japanese parts have no rule in common
    shares = {(one.edition, one.lang): (one.rules, one.whole) for one in found.loaded}
    total = len(ENGLISH)
    assert shares["20240101", "en"] == (total, True) and shares["20240101", "ja"] == (7, False)


def test_another_language_with_rules_in_common_is_offered(tmp_path: Path) -> None:
    file = build(
        tmp_path,
        ("20240101", "en", ENGLISH),
        ("20250101", "en", CHANGED),
        ("20240101", "ja", FIRST_PART),
        ("20250101", "ja", FIRST_PART | SECOND_PART),
    )
    with kb.open(file) as base:
        [other] = base.diff("20240101", "20250101").also
    assert other.reason.values["lang"] == other.reason.ask.arguments["lang"] == "ja"
    loaded = f"7 of {len(ENGLISH)} rules of 20240101 and 13 of {len(CHANGED)} rules of 2025"
    assert loaded in str(other)
    text = " ".join(printed(file, "diff", "20240101", "20250101").split())
    assert "also in Japanese, 7 of " in text and " --lang ja" in text


def test_what_is_not_loaded_is_neither_added_nor_removed(birds: kb.KnowledgeBase) -> None:
    found = birds.diff("20240101", "20250101", lang="ja")
    assert found.changes == () and found.same == 0
    assert found.not_loaded == {"20250101": 7, "20240101": 6}
    assert [one.reason.ask.arguments["lang"] for one in found.also] == ["en"]


def test_the_text_says_which_language_and_what_is_not_loaded(path: Path) -> None:
    text = printed(path, "diff", "20240101", "20250101")
    head = " ".join(text.split("\n\n")[0].split())
    assert head.startswith("20240101 → 20250101 birds · in English 2 added, 6 removed, 1 changed")
    japanese = " ".join(printed(path, "diff", "20240101", "20250101", "--lang", "ja").split())
    assert "not loaded: 7 rules of 20240101 can’t be looked up in 20250101" in japanese
    assert "removed" not in japanese and "added" not in japanese


def test_a_fragment_of_the_only_language_removes_nothing(tmp_path: Path) -> None:
    part = {n: t for n, t in ENGLISH.items() if n[0] == "1"} | {"101.6": "Nests are shared."}
    del part["102.3"]
    file = build(tmp_path, ("20240101", "en", ENGLISH), ("20250101", "en", part))
    with kb.open(file) as base:
        found = base.diff("20240101", "20250101")
        back = base.diff("20250101", "20240101")
        history = base.trace("302.2").history
    kinds = [(c.kind, (c.after or c.before).number) for c in found.changes]  # type: ignore[union-attr]
    assert ("added", "101.6") in kinds and ("removed", "102.3") in kinds and len(kinds) == 2
    assert found.not_loaded == {"20250101": sum(n[0] != "1" for n in ENGLISH)}
    assert back.not_loaded == {"20250101": sum(n[0] != "1" for n in ENGLISH)}
    assert [(one.edition, one.kind) for one in history] == [
        ("20240101", "first"),
        ("20250101", "not loaded"),
    ]


def test_two_parts_and_nothing_whole(tmp_path: Path) -> None:
    citing = {
        n: f"渡り鳥の第{n}番は規則302.1、202.{n[-1]}、303.{n[-1]}に従って巣を守る。"
        for n in FIRST_PART
    }
    file = build(tmp_path, ("20240101", "ja", citing), ("20250101", "ja", SECOND_PART))
    with kb.open(file) as base:
        found = base.diff("20240101", "20250101")
        history = [(one.edition, one.kind) for one in base.trace("202.2")]
    assert found.changes == () and found.not_loaded == {"20250101": 7, "20240101": 6}
    assert [(one.of, one.whole) for one in found.loaded] == [(None, False), (None, False)]
    assert history == [("20240101", "not loaded"), ("20250101", "first")]
    assert "only 6 rules are here in Japanese" in " ".join(
        printed(file, "diff", "20240101", "20250101").split()
    )


def test_a_section_that_a_whole_edition_lost_is_removed(birds: kb.KnowledgeBase) -> None:
    removed = [
        c.before.number for c in birds.diff("20240101", "20250101") if c.before and not c.after
    ]
    assert removed == ["303", *(f"303.{n}" for n in range(1, 6))]
    assert [one.kind for one in birds.trace("303.2", lang="en")] == ["first", "removed"]


def test_loaded_shares_are_ordered_by_value_of_editions() -> None:
    numbers = {(edition, "en"): frozenset(ENGLISH) for edition in ("1.10", "1.9", "1.2")}
    rules = measured_rules("birds", numbers, lambda edition, lang: ())
    assert rules.editions == ["1.2", "1.9", "1.10"]


# -- narrowing --------------------------------------------------------------------------------


def test_filters_count_what_they_leave_out(birds: kb.KnowledgeBase) -> None:
    everything = birds.diff("20240101", "20250101")
    added = birds.diff("20240101", "20250101", kinds="added,changed")
    assert [change.kind for change in added] == ["changed", "added", "added"]
    assert added.filtered_out == {"removed": 6} and added.same == everything.same
    two = birds.diff("20240101", "20250101", under=["101", "202"])
    assert len(two) == 3 and two.filtered_out == {} and two.same < everything.same
    assert birds.diff("20240101", "20250101", rule="101").changes == two[:1]
    worded = birds.diff("20240101", "20250101", words="feathers")
    assert [c.after and c.after.number for c in worded] == ["202.6", "202.7"]
    assert worded.same == 0 and worded.filtered_out == {"removed": 6, "changed": 1}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["diff", "20240101", "20250101", "--kind", "adde"], "nearest: added"),
        (["diff", "20240102", "20250101"], "nearest: 20240101, 20250101"),
        (["diff", "20240101", "20250101", "--lang", "jp"], "nearest: ja"),
        (["trace", "101.1", "--edition", "20260102"], "nearest: 20260101"),
    ],
)
def test_wrong_values_are_refused_with_the_nearest(path: Path, words: list[str], said: str) -> None:
    done = run(*words, of=path)
    assert done.exit_code == 2 and said in done.stderr


@pytest.mark.parametrize(
    "words", [["--under", "999"], ["--mentions", "zzzz"], ["--under", "101", "--under", "999"]]
)
def test_what_names_nothing_is_told(path: Path, words: list[str]) -> None:
    done = run("diff", "20240101", "20250101", *words, of=path)
    assert done.exit_code == 1 and done.stdout == "" and words[-1] in done.stderr


def test_mentions_in_japanese_and_english() -> None:
    with kb.sample() as base:
        found = base.diff("20231117", "20231117", mentions="引く", lang="ja")
        plain = base.diff("20231117", "20231117", lang="ja")
    assert 0 < found.same < plain.same


def test_many_changes_begin_with_their_sections(tmp_path: Path) -> None:
    new = {n: t + " In winter none does." if "." in n else t for n, t in ENGLISH.items()}
    file = build(tmp_path, ("20240101", "en", ENGLISH), ("20250101", "en", new))
    blocks = printed(file, "diff", "20240101", "20250101").split("\n\n")
    assert "45 changed" in blocks[0]
    table = blocks[1].splitlines()
    assert len(table) == 10 and all("5 changed" in line for line in table[:9])
    assert table[9].startswith("Fewer: --under 1") and "--words" in table[9]
    assert "Section" in table[0] and blocks[2].startswith("101.1  changed")


# -- trace ------------------------------------------------------------------------------------


def test_a_number_that_several_rules_had(tmp_path: Path) -> None:
    shifted = dict(ENGLISH)
    for rule in range(5, 0, -1):
        shifted[f"101.{rule + 1}"] = ENGLISH[f"101.{rule}"]
    shifted["101.1"] = "Whoever finds an egg puts it back before the sun is up."
    file = build(tmp_path, ("20240101", "en", ENGLISH), ("20250101", "en", shifted))
    with kb.open(file) as base:
        found = base.trace("101.3")
        older = base.trace("101.3", edition="20240101")
    assert [(one.number, one.kind) for one in found] == [("101.2", "first"), ("101.3", "moved")]
    [other] = found.also
    assert other.reason.ask.arguments["edition"] == "20240101" and ENGLISH["101.3"][:30] in str(
        other
    )
    assert [one.number for one in older] == ["101.3", "101.4"] and not older.also


def test_trace_says_what_changed_once(path: Path) -> None:
    text = printed(path, "trace", "101.2", "--lang", "en")
    first, changed, same = re.split(r"\n(?=\d{8}  )", text)[1:]
    assert ENGLISH["101.2"] in " ".join(first.split())
    old, new = changed.split("    + ")
    assert "songs." in old and "{+Others keep silent.+}" in " ".join(new.split())
    assert same.splitlines()[0] == "20260101  101.2  same" and "Every" not in same


def test_trace_goes_on_behind_a_part(path: Path) -> None:
    with kb.open(path) as base:
        found = base.trace("202.1", lang="ja")
    assert [(one.edition, one.kind) for one in found] == [
        ("20240101", "not loaded"),
        ("20250101", "first"),
    ]
    text = printed(path, "trace", "202.1", "--lang", "ja")
    assert "20240101  not loaded: 7 of" in text and "20250101  202.1  first here" in text


# -- align ------------------------------------------------------------------------------------


def test_align_counts_what_is_not_loaded_apart(birds: kb.KnowledgeBase) -> None:
    found = birds.align("ja", "en", edition="20240101")
    assert [pair.number for pair in found] == list(FIRST_PART)
    assert not [one for one in found.problems if one.kind == "missing"]
    [apart] = found.not_loaded
    assert (apart.lang, apart.rules) == ("ja", len(ENGLISH) - len(FIRST_PART))


def test_align_prints_a_paragraph_a_language(path: Path) -> None:
    text = printed(path, "align", "ja", "en", "--edition", "20240101", "--rule", "101.1")
    blocks = text.rstrip().split("\n\n")
    assert blocks[0].startswith("birds 20240101  rules loaded: Japanese 7 of ")
    assert blocks[1].startswith("1 difference of numbers\n  101.1  Japanese alone says 54 (“")
    lines = blocks[2].splitlines()
    assert lines[0] == "101.1" and lines[1].startswith("  ja  ") and lines[2].startswith("  en  ")
    assert blocks[-1] == "1 pair, 1 problem"


@pytest.mark.parametrize("columns", [80, 120])
def test_every_line_fits(path: Path, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from kb.cli.render.output import cell_width

    monkeypatch.setenv("COLUMNS", str(columns))
    for words in (
        ["diff", "20240101", "20250101"],
        ["diff", "20240101", "20250101", "--lang", "ja"],
        ["trace", "101.2"],
        ["align", "ja", "en"],
    ):
        lines = [line for line in printed(path, *words).splitlines() if "sansho " not in line]
        assert lines and max(map(cell_width, lines)) <= columns
        assert not any(a == b == "" for a, b in pairwise(lines))


# -- real editions ----------------------------------------------------------------------------


@pytest.mark.shared
def test_real_fragments_beside_whole_editions(rules_and_pages: kb.KnowledgeBase) -> None:
    base = rules_and_pages
    found = base.diff("20231117", "20240730")
    japanese = base.diff("20231117", "20240730", lang="ja")
    aligned = base.align("ja", "en", edition="20260116")
    assert found.lang == "en"
    assert (found.counts["added"], found.counts["moved"]) == (96, 118)
    assert "removed" not in found.counts and len(found) + found.same == 3146
    assert japanese.changes == () and sum(japanese.not_loaded.values()) == 57
    assert len(aligned) == 129 and aligned.not_loaded[0].rules > 3000
    assert {(one.number, one.kind) for one in aligned.problems} == {
        ("100.3", "citations"),  # the Japanese text alone sends the reader to rule 9
        ("104.6", "citations"),  # 725 in Japanese, 726 in English
    }
