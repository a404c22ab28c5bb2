"""Readers that go away, values of the wrong type, and what Python shows of results."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import kb
from tests.building.test_build import COMMAND, sansho


@pytest.fixture(scope="module")
def path(base: kb.KnowledgeBase) -> Path:
    return base.file


# -- readers that go away ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    ["terms", "show 121.4", "search 引く", "kwic 引く", "export --out -", "audit --json", "stats"],
)
def test_a_reader_that_goes_away(path: Path, words: str) -> None:
    """The exit code says neither that nothing was found nor that all was written."""
    command = [*COMMAND, *words.split(), "--kb", str(path)]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert run.stdout and run.stderr
    run.stdout.close()  # before anything is written
    assert (run.wait(60), run.stderr.read()) == (141, b"")
    run.stderr.close()


@pytest.mark.parametrize("words", [["--help"], ["show", "--help"], ["--version"]])
def test_a_reader_of_help_that_goes_away(words: list[str]) -> None:
    code = "import time; from kb.cli import main; time.sleep(0.2); main()"
    run = subprocess.Popen([sys.executable, "-c", code, *words], stdout=subprocess.PIPE)
    assert run.stdout
    run.stdout.close()
    assert run.wait(60) == 141


# -- values that are refused ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "words", ["refs 121 --kind", "audit --dangling", "draw 121 --out x.svg --kind"]
)
def test_an_empty_kind_is_not_ignored(path: Path, words: str) -> None:
    done = sansho(*words.split(), "", "--kb", path)
    assert done.returncode == 2 and "empty" in done.stderr and not done.stdout


def test_the_case_of_a_format_does_not_count(base: kb.KnowledgeBase, tmp_path: Path) -> None:
    assert base.export(tmp_path / "x.txt", "JSONL").format == "jsonl"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere", "c"), "nowhere: no such site"),
        ((["mtgwiki"], None), "into is None"),
        ((["mtgwiki"], ""), "into is ''"),
        (("", "c"), "one is empty"),
        ((["mtgwiki", " "], "c"), "one is empty"),
        (([7], "c"), "7 is no text"),
        ((None, "c"), "targets: None"),
    ],
)
def test_targets_of_a_crawl(arguments: tuple[object, object], message: str) -> None:
    with pytest.raises(kb.SourceError) as error:
        kb.crawl(*arguments)  # type: ignore[arg-type]
    assert message in str(error.value)


@pytest.mark.parametrize("given", [{"depth": "1"}, {"most": 0}, {"delay": "1"}, {"contact": None}])
def test_other_values_of_a_crawl(given: dict[str, object], tmp_path: Path) -> None:
    with pytest.raises(kb.SourceError):
        kb.crawl("mtgwiki", tmp_path / "c", **given)  # type: ignore[arg-type]


def test_a_manifest_of_what_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "manifest.jsonl").write_text('{"file": "gone.txt"}\n{"file": "too.txt"}\n')
    with pytest.raises(kb.SourceError) as error:
        kb.build(tmp_path, tmp_path / "x.db")
    assert "gone.txt and 1 other are not there" in str(error.value)


# -- what Python shows ---------------------------------------------------------------------------


@pytest.mark.slow
def test_results_are_shown_in_a_line(base: kb.KnowledgeBase, tmp_path: Path) -> None:
    row = base.compare("引く", game="mtg").rows[0]
    for result in (base.audit(), base.stats(), row, kb.build(kb=tmp_path / "y.db")):
        assert repr(result).startswith("<") and len(repr(result)) < 300
        assert "Node(" not in repr(result)
    assert "mtg/term/引く" in repr(row) and " 0 lost" in repr(base.audit())
