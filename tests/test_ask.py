"""Questions and their answers, on the sample and against the labelled questions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import kb
from kb.cli.group import main
from tests import questions


def test_an_answer_has_its_passage_its_citations_and_its_reasons(base: kb.KnowledgeBase) -> None:
    answers = base.ask("ライブラリーが空の時に引こうとしたらどうなりますか？").answers
    first = answers[0]
    assert [one.rank for one in answers] == list(range(1, len(answers) + 1))
    assert first.passage.text and "引" in first.passage.text
    assert all(one.why for one in answers)
    assert [one.score for one in answers] == sorted((o.score for o in answers), reverse=True)
    assert all(edge.kind == "cites" for one in answers for edge in one.citations)


def test_the_same_answers_each_time(base: kb.KnowledgeBase) -> None:
    asked = "通常のドローの代わりに発動した効果が無効になったら引けますか"
    assert base.ask(asked) == base.ask(asked)


@pytest.mark.parametrize(
    "asked",
    [
        "rule 704.5bって何？",
        "704.5bには何と書いてある？",
        "What does rule 704.5b say?",
        "CR:704.5b",
    ],
)
def test_a_rule_that_is_named_by_its_number(base: kb.KnowledgeBase, asked: str) -> None:
    first, *others = base.ask(asked).answers
    assert (first.node.number, first.why[0]) == ("704.5b", "is rule 704.5b")
    assert first.node.lang == ("en" if asked.startswith(("What", "CR")) else "ja")
    assert not others


def test_the_game_is_told_from_the_words(base: kb.KnowledgeBase) -> None:
    for game, words in (("ygo", "遊戯王でドローとは？"), ("mtg", "マジックでドローとは？")):
        assert {one.node.game for one in base.ask(words).answers} == {game}
    assert {one.node.game for one in base.ask("ドローとは？", game="dm").answers} == {"dm"}


@pytest.mark.parametrize(
    "asked",
    ["ポケモンのサイドは何枚？", "？", "ペンギンはどこに住んでいますか", "What is love?"],
)
def test_nothing_is_guessed(base: kb.KnowledgeBase, asked: str) -> None:
    assert base.ask(asked).answers == ()


SOURCE = """*塗装
**解説
|[[塗装]]|塗料|
塗装とは、色を塗り直すこと。
**FAQ
Q：塗装した竜は攻撃できますか？~
A：

Q：塗装した城は壊れますか？~
A：いいえ、壊れません。
**関連
-[[塗装]]
-[[塗装した竜]]
"""


def test_a_name_alone_and_a_question_without_an_answer_are_no_answers(tmp_path: Path) -> None:
    (tmp_path / "塗装.txt").write_text(SOURCE, "utf-8")
    report = kb.build(
        [tmp_path / "塗装.txt"], tmp_path / "kb.db", site="pukiwiki", game="dm", workers=1
    )
    assert report.nodes["ruling"] == 2  # one with an answer that is empty
    with kb.open(tmp_path / "kb.db") as base:
        for asked in (
            "塗装とは？",
            "塗装",
            "塗装した竜は攻撃できますか？",
            "塗装した城は壊れますか？",
        ):
            texts = [one.passage.text or "" for one in base.ask(asked).answers]
            assert not [text for text in texts if text in {"塗装", "塗装した竜"}]
            assert not [text for text in texts if text.startswith("Q") and "壊れません" not in text]
        assert (base.ask("塗装とは？").answers[0].passage.text or "").startswith("塗装とは")


def test_the_command(base: kb.KnowledgeBase, tmp_path: object) -> None:
    path = str(base.file)
    ran = CliRunner().invoke(main, ["ask", "召喚とは何ですか", "--kb", path, "--json"])
    found = json.loads(ran.stdout)
    assert ran.exit_code == 0 and found["question"] == "召喚とは何ですか"
    for answer in found["answers"]:
        assert set(answer) >= {"rank", "score", "passage", "node", "citations", "why"}
        assert all(set(cited) >= {"node", "evidence"} for cited in answer["citations"])
    nothing = CliRunner().invoke(main, ["ask", "ポケモンのサイドは？", "--kb", path])
    assert nothing.exit_code == 1 and "do not say" in nothing.stderr


@given(st.text(max_size=60))
def test_any_question(text: str) -> None:
    with kb.sample() as base:
        if text.strip():
            base.ask(text)
        else:
            with pytest.raises(kb.QuestionError, match="empty"):
                base.ask(text)


def test_the_labelled_questions_on_the_sample() -> None:
    cases = [case for case in questions.cases() if case["kb"] == "sample"]
    places = [questions.place(case) for case in cases if case["answers"]]
    assert len(places) > 20
    assert sum(place == 1 for place in places) >= 0.55 * len(places)
    assert sum(place is not None and place <= 3 for place in places) >= 0.65 * len(places)


@pytest.mark.slow
@pytest.mark.shared
def test_the_labelled_questions() -> None:
    found = questions.measured()

    def share(name: str, held_out: bool, most: int) -> float:
        results = [result for _, result in found[name, held_out]]
        return sum(r is not None and r <= most for r in results) / len(results)

    for held_out, first, third, unanswered in ((False, 0.64, 0.74, 0.70), (True, 0.50, 0.69, 0.70)):
        assert share("questions", held_out, 1) >= first
        assert share("questions", held_out, 3) >= third
        assert share("unanswerable", held_out, 0) >= unanswered
        assert share("definitions", held_out, 3) == 1.0
