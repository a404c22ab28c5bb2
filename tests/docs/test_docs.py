"""The code in docs/extending.md runs, one block after the other, in an empty folder."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from kb.language.thesaurus import read_rows
from tests.conftest import ROOT

GUIDE = ROOT / "docs" / "extending.md"
_BLOCK = re.compile(r"^```(?P<language>\w+)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_guide_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = GUIDE.read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    blocks = list(_BLOCK.finditer(text))
    assert len(blocks) > 7
    for block in blocks:
        if block["language"] == "toml":
            (tmp_path / "sites.toml").write_text(block["code"], encoding="utf-8")
        else:
            line = text.count("\n", 0, block.start("code"))
            exec(compile("\n" * line + block["code"], str(GUIDE), "exec"), names)


def test_the_files_that_the_guide_names_are_there() -> None:
    named = re.findall(r"`((?:scraper|kb|graphs|tests|docs)/[\w./]+)`", GUIDE.read_text("utf-8"))
    assert len(named) > 20
    assert [name for name in named if not (ROOT / name).exists() and "NAME" not in name] == []


def test_a_row_of_the_thesaurus_relates_something() -> None:
    table = ROOT / "kb" / "language" / "thesaurus.tsv"
    rows = list(read_rows(table.read_text("utf-8").splitlines()))
    assert len(rows) > 350 and (["引き分け"], ["draw", "tie"]) in rows
    with pytest.raises(ValueError, match="a group of one word"):
        list(read_rows(["japanese\tenglish\tcomment", "負ける\t\twhy"]))
