"""`sansho decide`: a person's decisions on names, kept beside the knowledge base."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import kb
from tests.commands import printed


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return Path(shutil.copy(kb.sample().file, tmp_path / "kb.db"))


def english(base: kb.KnowledgeBase) -> dict[str, str]:
    [concept] = base.termbase("引く", game="mtg")
    return {name.text: name.status for name in concept.names if name.lang == "en"}


def test_what_is_decided_is_used_without_being_asked_for_and_said(file: Path) -> None:
    with kb.open(file) as base:
        before = english(base)
        assert before["Draw"] == "preferred"
        base.decide("引く", prefer="pull", forbid="Draw card(s)", note="as on the box", game="mtg")
        assert english(base)["pull"] == "preferred" and english(base)["Draw card(s)"] == "forbidden"
        assert english(base)["Draw"] == "admitted"
        said = base.termbase("引く", game="mtg").taken_as
        assert [str(each) for each in said] == ["2 decisions in kb.db.decisions.csv are used"]
        assert base.termbase("引く", game="mtg", decisions=[]).taken_as == ()
        draft = file.with_name("draft.csv")
        draft.write_text("source,target\nカードを引く。,Draw card(s).\n", "utf-8")
        found = base.check(draft, source_lang="ja", target_lang="en", game="mtg")
        assert "forbidden-term" in {one.kind for one in found.problems}


def test_the_graph_and_texts_are_exported_beside_decisions(file: Path) -> None:
    with kb.open(file) as base:
        base.decide("引く", prefer="pull", game="mtg")
        assert base.export(file.with_name("graph.jsonl")).nodes > 100
        assert base.export(file.with_name("texts.tmx")).entries
        with pytest.raises(kb.QuestionError, match="no use in jsonl"):
            base.export(
                file.with_name("graph.jsonl"), decisions=file.with_name("kb.db.decisions.csv")
            )


def test_a_second_decision_takes_the_place_of_the_first(file: Path) -> None:
    with kb.open(file) as base:
        base.decide("引く", prefer="pull", game="mtg")
        base.decide("引く", prefer="take", game="mtg")
        assert english(base)["take"] == "preferred" and english(base)["pull"] == "admitted"
        base.decide("引く", forbid="pull", game="mtg")
        assert english(base)["pull"] == "forbidden"
        rows = file.with_name("kb.db.decisions.csv").read_text("utf-8-sig").splitlines()
        assert len(rows) == 3


def test_the_command(file: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "mine.csv")
    asked = ["decide", "引く", "--game", "mtg", "--prefer", "=pull", "--out", out]
    status, shown, _ = printed(*asked, of=file)
    assert status == 0 and "=pull" in shown
    assert "'=pull" in Path(out).read_text("utf-8")  # no formula for a spreadsheet
    assert not file.with_name("kb.db.decisions.csv").exists()
    for words, code in ((["引く", "--game", "mtg"], 2), (["zzzz", "--prefer", "x"], 1)):
        assert printed("decide", *words, of=file)[0] == code
