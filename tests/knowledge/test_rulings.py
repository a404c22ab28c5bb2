"""The rulings on a term, card, rule or page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import kb
from kb.knowledge.rulings import rulings as extracted
from scraper import Passage
from tests.commands import run
from tests.rulebooks import base_of, described, write_books
from tests.webs import mediawiki

BOOK = "Harbour Comprehensive Rules\n\n1. Harbour\n\n100. Ships\n\n100.1. A ship has a sail.\n"


@pytest.fixture(scope="module")
def wiki(tmp_path_factory: pytest.TempPathFactory) -> kb.KnowledgeBase:
    """Two pages with questions and answers, and a term that they speak of."""
    folder = tmp_path_factory.mktemp("wiki")
    pages = {
        "錨": "<b>錨</b>（いかり）とは、船を止める札である。</p><h2>FAQ</h2>"
        "<p>Ｑ：裏向きの札でも止められますか？<br>Ａ：はい、止められます。（22/08/05）",
        "帆走": "<b>帆走</b>とは、船を進めることである。</p><h2>FAQ</h2>"
        "<p>Ｑ：錨を下ろしたまま帆走できますか？<br>Ａ：いいえ、できません。</p>"
        "<p>Ｑ：風がなくても進めますか？<br>Ａ：はい、進めます。",
    }
    for name, content in pages.items():
        (folder / f"{name}.html").write_text(mediawiki(name, content), "utf-8")
    return base_of([folder], folder / "kb.db", game="mtg", lang="ja")


def test_those_on_the_page_come_before_those_that_mention(wiki: kb.KnowledgeBase) -> None:
    own, other = wiki.rulings("錨").rulings
    assert (own.question, own.answer[:2], own.date) == (
        "裏向きの札でも止められますか？",
        "はい",
        "2022-08-05",
    )
    assert own.why == "page" and own.place.page == "錨"
    assert other.why == "mentions" and other.evidence.text == "錨" and other.place.page == "帆走"
    assert other.node.kind == "ruling" and other.node.text == other.answer == "いいえ、できません。"


def test_each_row_of_a_table_has_its_date() -> None:
    passages = [
        Passage("paragraph", "Ｑ：どの札で止められますか？\nＡ："),
        Passage("row", "札\t裁定"),
        Passage("row", "錨\t止められます。（22/08/05）"),
        Passage("row", "帆\t止められません。（22/09/12）"),
    ]
    [table] = extracted(passages)
    assert (table.date, table.dates) == ("2022-09-12", ("2022-08-05", "2022-09-12"))
    assert "22/08/05" in table.answer


def test_a_list_that_is_cut_says_how_to_go_on(wiki: kb.KnowledgeBase) -> None:
    whole = wiki.rulings("帆走")
    assert len(whole) == 2 and whole.more is None
    cut = wiki.rulings("帆走", most=1)
    assert cut.rulings == whole.rulings[:1] and cut.more.ask == kb.Ask(
        "rulings", ref="帆走", most=10
    )
    json.dumps(cut.as_json())
    assert [row["question"] for row in whole.table().rows] == [r.question for r in whole]


def test_filters_narrow_and_unknown_names_are_refused(wiki: kb.KnowledgeBase) -> None:
    assert len(wiki.rulings("錨", game="mtg", lang="ja")) == 2
    with pytest.raises(kb.NotFoundError):
        wiki.rulings("竜骨")
    with pytest.raises(kb.QuestionError):
        wiki.rulings("錨", lang="en")


def test_mentions_that_are_not_looked_at_are_named_where_a_ruling_has_one(
    wiki: kb.KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kb.query.statements.steps_and_outcomes.MOST_MENTIONS", 0)
    [anchor] = wiki.rulings("錨").also
    assert anchor.reason.ask and wiki.follow(anchor.reason.ask).hits
    assert not wiki.steps("錨").also


@pytest.mark.parametrize("question", ["rulings", "outcomes", "steps"])
def test_what_a_filter_leaves_out_is_counted_where_nothing_is_left(
    tmp_path: Path, question: str
) -> None:
    pages = {
        "錨": "<b>錨</b>（いかり）とは、船を止める札である。錨を下ろした場合、船は動けない。"
        "</p><h2>手順</h2><p>錨は次の手順で下ろす。</p><ol><li>鎖を選ぶ。</li><li>錨を下ろす。</li></ol>"
        "<h2>FAQ</h2><p>Ｑ：裏向きの札でも止められますか？<br>Ａ：はい、止められます。",
        "帆": "<b>帆</b>とは、風を受ける札である。",
    }
    files = {f"{name}.html": mediawiki(name, content) for name, content in pages.items()}
    wiki = described(tmp_path / "wiki", files, game="mtg", lang="ja")
    book = write_books(tmp_path / "book", {("20210101", "en"): BOOK}, "mtg")
    with base_of([wiki, book], tmp_path / "kb.db") as base:
        ask = getattr(base, question)
        [alone] = ask("錨", lang="en").also
        assert alone.reason.ask == kb.Ask(question, ref="錨")
        assert alone.reason.values["filter"] == kb.Argument("lang", "en")
        counted = alone.reason.values["passages"]
        assert counted.values["number"] == len(base.follow(alone.reason.ask)) > 0
        assert str(counted) in run(question, "錨", "--lang", "en", of=base).stderr
        [together] = ask("錨", lang="en", source="rulebook").also
        assert together.reason.code == "left_out_together"
        assert len(base.follow(together.reason.ask)) == counted.values["number"]
        assert not ask("帆", lang="en").also and not ask("錨").also


def test_what_nothing_asks_about_has_none(base: kb.KnowledgeBase) -> None:
    found = base.rulings("121.4", lang="ja")
    assert not found and found.more is None and found.also == ()


def test_the_command_prints_questions_with_answers_under_their_pages(
    wiki: kb.KnowledgeBase,
) -> None:
    said = run("rulings", "錨", of=wiki).stdout
    assert said.index("裏向きの札でも") < said.index("2022-08-05") < said.index("錨を下ろしたまま")
    assert said.count("› FAQ") == 2 and "2 rulings" in said
    cut = run("rulings", "帆走", "--max", "1", of=wiki).stdout
    assert "the first 1 ruling" in cut and "--max 10" in cut
    document = json.loads(run("rulings", "錨", "--json", of=wiki).stdout)
    assert [each["why"] for each in document["rulings"]] == ["page", "mentions"]
    assert run("rulings", "錨", "--game", "mtg", "--lang", "ja", of=wiki).exit_code == 0
    assert run("rulings", "竜骨", of=wiki).exit_code == 1
