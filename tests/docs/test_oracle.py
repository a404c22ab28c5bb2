"""The oracle of two versions: equal sides are equal, and what differs is told."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchmarks.oracle import ask
from benchmarks.oracle.__main__ import HERE, main
from benchmarks.oracle.report import Report
from tests.conftest import ROOT

TABLES = {
    "commands": "== both\n{--help|show 121.4|shw}\n== real\naudit\n",
    "python": "base.show('{121.4|引く}')\n",
}
WORDS = "Look up and cross-reference the rules"  # of `sansho --help`


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """A folder with few questions."""
    folder = tmp_path / "questions"
    shutil.copytree(HERE / "questions" / "texts", folder / "texts")
    for kind, lines in TABLES.items():
        (folder / f"{kind}.txt").write_text(lines, "utf-8")
    return folder


def compared(kind: str, tables: Path, new: Path = ROOT) -> int:
    """Compare this tree with another, on the sample."""
    options = ["--only", kind, "--base", "sample", "--questions", str(tables)]
    return main([str(ROOT), str(new), *options, "--save", str(tables.parent / "saved")])


@pytest.mark.slow
def test_a_side_equals_itself(
    tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compared("python", tables) == 0
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 3 and all(line.split()[-1] == "0" for line in printed[1:])
    saved = [path for path in (tmp_path / "saved" / "old").rglob("*") if path.is_file()]
    assert any("通常のドロー" in path.read_text("utf-8") for path in saved)


@pytest.mark.slow
def test_an_altered_answer_is_told(
    tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    altered = tmp_path / "altered"
    for package in ask.PACKAGES:
        shutil.copytree(ROOT / package, altered / package)
    (file,) = [path for path in altered.rglob("*.py") if WORDS in path.read_text("utf-8")]
    file.write_text(file.read_text("utf-8").replace(WORDS, WORDS.replace("rules", "laws")), "utf-8")
    assert compared("commands", tables, altered) == 1
    printed = capsys.readouterr().out
    assert "commands         5       4          1" in printed
    assert "1. in 1 answer; the first: sansho --help  [sample, stdout]" in printed
    assert f"-  {WORDS} of Japanese card games.\n" in printed.replace("    -", "-")
    assert printed.count("the first:") == 1


def test_differences_of_one_kind_are_shown_once(tmp_path: Path) -> None:
    report = Report(tmp_path)
    old = {f"show {n}": {"stdout": f"{n} of 9 rules\n", "exit": "0"} for n in range(20)}
    new = {question: answer | {"stdout": answer["stdout"].replace("rules", "laws")}
           for question, answer in old.items()}  # fmt: skip
    report.add("commands", "sample", old, new | {"show 3": {"stdout": "", "exit": "2"}})
    first, *others = report.groups()
    assert len(first.answers) == 19 and "-0 of 9 rules" in first.lines
    assert sorted(group.where for group in others) == [
        "show 3  [sample, exit]", "show 3  [sample, stdout]",
    ]  # fmt: skip
    assert "2 more kinds of differences: --max 3" in report.text(most=1)


def test_what_varies_is_not_compared() -> None:
    first, second = (
        ask.normalised(f"{Path.cwd()}/base.db in {seconds} s\n--after 10.{mark} 0x7f{mark}")
        for seconds, mark in (("1.2", "1a2b3c4d"), ("33", "0f0f0f0f"))
    )
    assert first == second == "BASE/base.db in 0 s\n--after 10.xxxxxxxx 0x0"
