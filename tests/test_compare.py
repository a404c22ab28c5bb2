"""One concept side by side, on pages written for the purpose."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import kb
from kb.cli.main import main

PAGES = {
    "dmwiki": "*捨てる/Discard [#top]\n手札のカードを墓地に置くこと。~\n-[[手札]]\n",
    "yugioh-wiki": "*捨てる/Discard [#top]\n手札のカードを墓地へ置く行為。~\n-[[手札]]\n",
}


@pytest.fixture
def path(tmp_path: Path) -> str:
    for site, text in PAGES.items():
        (tmp_path / site).mkdir()
        name = "捨てる".encode().hex().upper()
        (tmp_path / site / f"{name}.txt").write_text(text, "utf-8")
        line = {"file": f"{name}.txt", "site": site}
        (tmp_path / site / "manifest.jsonl").write_text(json.dumps(line), "utf-8")
    kb.build([tmp_path / site for site in PAGES], tmp_path / "kb.db")
    return str(tmp_path / "kb.db")


def test_rows(path: str) -> None:
    with kb.open(path) as base:
        asked, other = base.compare("捨てる", game="dm").rows
    assert (asked.game, asked.ja, asked.en, asked.relation) == ("dm", "捨てる", "Discard", None)
    assert asked.definition == "手札のカードを墓地に置くこと。"
    assert (other.game, other.relation) == ("ygo", "exact")
    assert other.basis and "手札" in other.basis
    assert other.evidence and other.evidence.text == "手札のカードを墓地へ置く行為。"
    assert other.evidence.page == "yugioh-wiki/捨てる"


def test_command(path: str) -> None:
    ran = CliRunner().invoke(main, ["compare", "Discard", "--kb", path, "--json"])
    rows = json.loads(ran.stdout)["rows"]
    fields = {"game", "term", "ja", "reading", "en", "definition", "evidence", "relation", "basis"}
    assert ran.exit_code == 0 and [row["game"] for row in rows] == ["dm", "ygo"]
    assert all(set(row) == fields for row in rows)
    shown = CliRunner().invoke(main, ["compare", "捨てる", "--game", "dm", "--kb", path]).output
    assert "exact: " in shown and "ygo" in shown
    assert CliRunner().invoke(main, ["compare", "無い", "--kb", path]).exit_code == 2
