"""The list of terms, on pages written for the purpose."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import kb
from kb.cli.main import main

PAGES = {
    "dmwiki": {"捨てる": "*捨てる/Discard [#top]\n札を墓地に置くこと。~\n-[[墓地]]\n"},
    "yugioh-wiki": {"墓地": "*墓地/Graveyard [#top]\n使った札を置く場所。~\n"},
}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("terms")
    for site, pages in PAGES.items():
        (folder / site).mkdir()
        lines = ""
        for title, text in pages.items():
            name = f"{title.encode().hex().upper()}.txt"
            (folder / site / name).write_text(text, "utf-8")
            lines += json.dumps({"file": name, "site": site}) + "\n"
        (folder / site / "manifest.jsonl").write_text(lines, "utf-8")
    kb.build([folder / site for site in PAGES], folder / "kb.db")
    return str(folder / "kb.db")


def said(path: str, *words: str, code: int = 0) -> str:
    ran = CliRunner(env={"COLUMNS": "80"}).invoke(main, ["terms", *words, "--kb", path])
    assert ran.exit_code == code, ran.output
    return ran.output


def test_sources_and_what_filters_leave_out(path: str) -> None:
    with kb.open(path) as base:
        found = base.terms(game="ygo")
        every = base.terms()
    assert found.games == {"dm": 2, "ygo": 1}
    assert (len(found.terms), found.left_out, every.left_out) == (1, 2, 0)
    assert found.sources == {"ygo/term/墓地": ("yugioh-wiki",)}
    document = found.as_json()
    assert (document["left_out"], document["games"]) == (2, {"dm": 2, "ygo": 1})


def test_text(path: str) -> None:
    text = said(path)
    assert "3 terms (dm 2, ygo 1)" in text
    assert text.index("捨てる") < text.index("Graveyard")  # by game
    assert "1 term of ygo; the filters leave out 2" in said(path, "--game", "ygo")
    assert all(len(line) <= 80 for line in text.splitlines())


def test_none(path: str) -> None:
    assert "No such terms; there are dm 2, ygo 1." in said(
        path, "--game", "ygo", "--source", "dmwiki", code=1
    )
