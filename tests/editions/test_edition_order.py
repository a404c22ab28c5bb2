"""One order of editions, by dates or else by versions, wherever editions are put in one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphs
import kb
import scraper
from graphs.sort_orders import edition_key, in_order
from tests.commands import run
from tests.rulebooks import described, rulebook

# How the source would order editions otherwise: as text, in SQL, by numbers alone.
OTHERWISE = re.compile(
    r"edition\b[^\n]{0,20}\b(?:DESC|ASC)\b|"
    r"key=lambda \w+: [\w.]*edition(?: or \"\")?[,)]|"
    r"natural_key\([^()]*edition|key=natural_key\)[^\n]*edition|\.edition [<>]=? "
)


def test_the_source_has_no_other_order() -> None:
    found = {
        f"{path.name}:{number}"
        for package in (graphs, kb, scraper)
        for path in Path(str(package.__file__)).parent.rglob("*.py")
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if path.name != "sort_orders.py" and OTHERWISE.search(line) and "groupby" not in line
    }
    assert not found
    assert OTHERWISE.search('max(nodes, key=lambda node: node.edition or "")')


@pytest.mark.parametrize(
    "oldest_first",
    [
        ["1.9", "1.10", "1.10.1", "2"],
        ["undated", "1.9", "20240101", "20240102"],
        ["v9", "v10"],
        ["tournament-rules-undated", "tournament-rules-20240101", "tournament-rules-20250101"],
        ["20249999", "20240101"],  # the first is no date, and so a version
    ],
)
def test_dates_versions_and_mixtures(oldest_first: list[str]) -> None:
    assert in_order(reversed(oldest_first)) == oldest_first
    assert in_order(oldest_first, newest_first=True) == oldest_first[::-1]


def test_editions_of_one_day_have_one_order() -> None:
    """Not that of a set, which is another in each process."""
    code = (
        "from graphs.sort_orders import in_order\n"
        "print(in_order(['mtr-20250101', '20250101', 'ipg-20250101', '20240101']))"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in "0123"
    }
    assert len(printed) == 1


@given(st.lists(st.text("0123456789.-ab", max_size=9), max_size=6))
def test_it_is_an_order(editions: list[str]) -> None:
    found = in_order(editions)
    assert found == in_order(editions[::-1])
    assert sorted(found, key=edition_key) == found


def test_a_version_that_ends_in_0_can_be_named(tmp_path: Path) -> None:
    for edition, words in (("v1.9", "A ship is slow."), ("v2.0", "A ship is fast.")):
        texts = {"1": "Harbour", "100": "Ships", "100.1": words, "100.2": "See rule 100.1."}
        given = {"game": "harbour", "lang": "en", "edition": edition, "site": "rulebook"}
        described(tmp_path, {f"harbour.{edition}.en.txt": rulebook(texts)}, **given)
    kb.build([tmp_path], tmp_path / "x.db")
    base = kb.open(tmp_path / "x.db")
    assert [node.edition for node in base.show("100.1", edition="v2.0").matches] == ["v2.0"]
    assert [each.kind for each in base.diff("v1.9", "v2.0").changes] == ["changed"]
    assert base.search("fast", edition="v2.0").total == 1


def test_every_question_takes_1_10_for_newer_than_1_9(tmp_path: Path) -> None:
    for edition, words in (("1.9", "A ship is slow."), ("1.10", "A ship is fast if it sails.")):
        name = f"harbour.{edition}.en.txt"
        texts = {"1": "Harbour", "100": "Ships", "100.1": words, "100.2": "See rule 100.1."}
        given = {"game": "harbour", "lang": "en", "edition": edition, "site": "rulebook"}
        described(tmp_path, {name: rulebook(texts)}, **given)
    kb.build([tmp_path], tmp_path / "x.db")
    base = kb.open(tmp_path / "x.db")
    assert base.show("100.1").matches[0].edition == "1.10"
    assert base.refs("100.1").node.edition == "1.10"
    assert base.outcomes("100.1").outcomes[0].place.edition == "1.10"
    assert base.top(kind="rule").nodes[0].node.edition == "1.10"
    assert [entry.edition for entry in base.trace("100.1")] == ["1.9", "1.10"]
    assert base.ask("How fast is a ship?").answers[0].place.edition == "1.10"
    assert "1.10" in run("show", "100.1", of=base).stdout.split("the same")[0]
