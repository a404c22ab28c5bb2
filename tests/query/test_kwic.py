"""The concordance, on the sample."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import kb
from kb.cli.render import passages as render
from kb.language.fold import fold
from kb.query.passages import kwic
from kb.shared_wording import counted
from tests.commands import run
from tests.rulebooks import write_books


def test_lines_hold_the_words_in_any_inflection(base: kb.KnowledgeBase) -> None:
    lines = base.kwic("引く", most=1000).lines
    assert len({line.key for line in lines}) > 3 and all("引" in line.key for line in lines)
    for line in lines:
        [passage] = base.show(line.passage).matches
        assert passage.text and passage.text[line.start : line.end] == line.key
        around = passage.text.replace("\n", " ")
        assert around[: line.start].endswith(line.left)
        assert around[line.end :].startswith(line.right)


def test_sorted_by_what_stands_around(base: kb.KnowledgeBase) -> None:
    right = [fold(line.right) for line in base.kwic("カード", order="right").lines]
    left = [fold(line.left)[::-1] for line in base.kwic("カード", order="left").lines]
    assert right == sorted(right) and left == sorted(left)
    place = [fold(line.right) for line in base.kwic("カード").lines]
    assert place != right


def test_phrases_sections_and_nothing(base: kb.KnowledgeBase) -> None:
    assert all("カード" in line.key for line in base.kwic("カードを引く").lines)
    asked = base.kwic("ドロー", section="FAQ").lines
    assert asked and all("FAQ" in line.passage for line in asked)
    assert base.kwic("ぺんぎん").lines == () == base.kwic("、").lines


def test_command(base: kb.KnowledgeBase) -> None:
    path = str(base.file)
    ran = run("kwic", "引く", "--json", "--max", "3", of=path)
    lines = json.loads(ran.stdout)["lines"]
    assert len(lines) == 3 and all(set(line) >= {"left", "key", "right", "node"} for line in lines)
    shown = run("kwic", "引く", "--max", "3", of=path)
    assert shown.exit_code == 0 and shown.output.count("引") >= 3
    assert run("kwic", "ぺんぎん", of=path).exit_code == 1


def test_what_a_filter_leaves_out_is_counted_in_lines(tmp_path: Path) -> None:
    book = (
        "1. Harbour\n\n100. Ships\n\n100.1. A ship has a crate, and a crate is a crate.\n\n"
        "100.2. A crate floats (see rule 100.1).\nExample: It doesn't sink.\n\n"
        "100.3. A ship floats, too.\n\n"
    )
    books = {(f"20{year}0101", "en"): book for year in (20, 21)}
    kb.build([write_books(tmp_path / "books", books)], tmp_path / "kb.db")
    with kb.open(tmp_path / "kb.db") as base:
        for asked in ({"cites": "100.1"}, {"text": "crate"}):
            [left_out] = base.kwic(**asked, kind="ruling", merge_editions=True).also
            lines = base.follow(left_out.reason.ask)
            assert str(left_out).startswith(f"{counted(len(lines), 'line')} left out by"), asked
        assert not base.kwic(kind="ruling", cites="100.3").also  # nothing without either


def test_of_very_many_passages_those_with_lines_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = "1. Harbour\n\n100. Ships\n\n" + "".join(f"100.{n}. Crate {n}.\n\n" for n in range(1, 9))
    books = {(f"20{year}0101", "en"): book for year in range(20, 25)}
    kb.build([write_books(tmp_path / "books", books)], tmp_path / "kb.db")
    monkeypatch.setattr(kwic, "_MOST_READ", 3)
    for most, passages in (
        (6, "more than 6 passages"),
        (20, "8 passages (40 with older editions)"),
    ):
        monkeypatch.setattr(kwic, "MOST_COUNTED", most)
        monkeypatch.setattr(render, "_MOST_COUNTED", most)
        with kb.open(tmp_path / "kb.db") as opened:
            found = opened.kwic("crate", merge_editions=True, most=2)
        assert (found.total - found.older, found.older) == (min(8, most), 32)
        words = ["kwic", "crate", "--max", "2", "--kb", str(tmp_path / "kb.db")]
        assert f"the lines in {passages}" in run(*words).stdout


def test_what_leaves_nothing_out_says_nothing(base: kb.KnowledgeBase) -> None:
    assert base.kwic("state-based actions").also == ()
