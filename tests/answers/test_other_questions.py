"""Questions in words that another question answers: which one is asked, and with what."""

from __future__ import annotations

from time import process_time

import pytest

import kb
from kb.query.answers.other_questions import _MOST_LINES, LIKELY, _questions, written_question
from kb.query.answers.question_kinds import ORDINARY, question_kinds
from tests.questions import command_cases
from tests.rulebooks import base_of, build_books, described, rulebook, write_books


@pytest.fixture(scope="module")
def base():
    with kb.sample() as opened:
        yield opened


ASKED = [
    ("Which rules refer to 704?", "refs", {"ref": "704", "direction": "in"}),
    ("wich rules in Magic refernce rule 704", "refs", {"ref": "704", "game": "mtg"}),
    ("How many rules cite 704?", "refs", {"ref": "704", "direction": "in"}),
    ("704を引用しているルールは", "refs", {"ref": "704", "direction": "in"}),
    ("MTGの704番はどのルールから参照されてる？", "refs", {"ref": "704", "direction": "in"}),
    ("what rules does 121.4 refer to?", "refs", {"ref": "121.4", "direction": "out"}),
    ("121.4はどのルールを引用していますか", "refs", {"ref": "121.4", "direction": "out"}),
    ("What is 通常のドロー called in English?", "termbase", {"term": "通常のドロー"}),
    ("通常のドローは英語で何？", "termbase", {"term": "通常のドロー"}),
    ("who translates 引く as draw", "termbase", {"term": "引く"}),
    ("Is Normal Draw the same as 通常のドロー", "termbase", {"term": "Normal Draw"}),
    ("How does 121.2a get to 616.1g?", "path", {"start": "121.2a", "end": "616.1g"}),
    ("121.4から704へはどうたどれる？", "path", {"start": "121.4", "end": "704"}),
    ("ドローフェイズの手順は？", "steps", {"ref": "ドローフェイズ"}),
    ("How many sub-rules has 121?", "show", {"ref": "121", "tree": True}),
    ("遊戯王の用語一覧", "terms", {"game": "ygo"}),
    ("list all terms in Duel Masters", "terms", {"game": "dm"}),
    ("灰流うららの裁定を見せて", "rulings", {"ref": "灰流うらら"}),
    ("which editions are loaded", "stats", {}),
    ("どの版が入っていますか？", "stats", {}),
    ("121.4の履歴は？", "trace", {"ref": "121.4", "game": "mtg"}),
    ("How has rule 121.4 changed over time?", "trace", {"ref": "121.4"}),
    ("so 704, anything else in the book pointing to it?", "refs", {"direction": "in"}),
    ("121.4って昔は何番だったっけ", "trace", {"ref": "121.4"}),
    ("hey whats 通常のドロー called in the english rules", "termbase", {"term": "通常のドロー"}),
    ("cards drawn: how many things are there under 121 altogether", "show", {"ref": "121"}),
]


@pytest.mark.parametrize(("question", "asked", "arguments"), ASKED)
def test_a_question_is_answered_by_the_one_that_it_asks(base, question, asked, arguments):
    other = base.ask(question).other
    assert (other and other.ask.question) == asked
    assert not other or arguments.items() <= other.ask.arguments.items()


@pytest.mark.parametrize(
    "question",
    [
        "What is a replacement effect?",
        "How many cards do I draw?",
        "What are the steps of the combat phase?",
        "How does a card get to the graveyard?",
        "Which rule says that I lose with an empty library?",
        "Is drawing the same as putting a card into the hand?",
        "引くとは何ですか",
        "121.4には何が書いてある？",
        "対象を変更できる？",
        "手札は何枚まで？",
    ],
)
def test_what_the_rules_say_is_left_to_passages(base, question):
    assert base.ask(question).other is None


@pytest.mark.parametrize(
    "question",
    [
        "Which rules refer to 999?",
        "What is 無い言葉 called in English?",
    ],
)
def test_nothing_is_handed_over_that_names_or_finds_nothing(base, question):
    assert base.ask(question).other is None


@pytest.mark.parametrize("question", ["What does rule 704 say?", "ルール７０４について教えて"])
def test_a_rule_that_is_a_heading_is_shown_with_its_sub_rules(base, question):
    answers = base.ask(question)
    assert answers.other.ask.question == "show" and answers.other.ask.arguments["ref"] == "704"
    assert answers.other.lines and not answers.answers


@pytest.fixture(scope="module")
def harbour(tmp_path_factory):
    """Two games that no catalogue has, of which one has two editions."""
    folder = tmp_path_factory.mktemp("harbour")
    first = {"1": "Docks", "1.1": "A crane lifts one crate.", "1.2": "Each player has six ropes."}
    second = {"1": "Docks", "1.1": "Each player has nine ropes.", "1.2": "Sirens sound at dawn."}
    write_books(folder, {("20230101", "en"): rulebook(first)}, "stormy-harbour")
    later = {"stormy-harbour.20240101.en.txt": rulebook(second)}
    described(folder, later, game="stormy-harbour", lang="en", edition="20240101", site="rulebook")
    moon = {"moon-garden.20240601.en.txt": rulebook({"1": "Moons", "1.1": "A moon is planted."})}
    described(folder, moon, game="moon-garden", lang="en", edition="20240601", site="rulebook")
    with base_of([folder], folder / "kb.db", workers=1) as opened:
        yield opened


def _trace_of(harbour, question):
    return next(
        ask for ask, _, _ in _questions(harbour._store, question, None) if ask.question == "trace"
    ).arguments


def test_an_old_number_is_that_of_the_edition_before(harbour):
    assert _trace_of(harbour, "What number does old rule 1.2 have now?")["edition"] == "20230101"
    assert _trace_of(harbour, "旧版の1.2は新版では何番？")["edition"] == "20230101"
    assert "edition" not in _trace_of(harbour, "what number did rule 1.1 have in 2023")


def test_a_game_that_no_catalogue_has_is_known_by_its_id(harbour):
    ask, _, _ = next(_questions(harbour._store, "What changed in Stormy Harbour?", None))
    assert ask.arguments["game"] == "stormy-harbour"
    assert not list(_questions(harbour._store, "What changed in Moon Garden?", None))


def test_an_edition_beside_a_word_for_rules_is_that_of_the_answer(harbour):
    for question, ropes in (
        ("How many ropes has each player in the 2023 edition?", "six"),
        ("How many ropes has each player?", "nine"),
    ):
        assert ropes in harbour.ask(question).answers[0].passage.text


def test_that_nothing_cites_a_rule_is_an_answer_above_the_passages(base):
    answers = base.ask("121.9を引用しているルールは")
    assert answers.other.ask.question == "refs" and not answers.other.lines
    assert not answers.other.sure and answers.answers


@pytest.mark.parametrize(
    ("question", "arguments"),
    [
        ("What changed in 121?", {"under": "121", "game": "mtg"}),
        ("waht changed in 121 between 20231117 and 20240730", {"under": "121"}),
        ("which rules were added in the newest Magic rules?", {"kinds": ("added",)}),
        ("121は最新版で何が変わった？", {"under": "121"}),
        ("2023年版から2024年版までの変更点", {"game": "mtg"}),
        ("最新版で置換効果の何が変わった？", {"under": "614"}),
    ],
)
def test_what_changed_is_asked_of_two_editions(base, question, arguments):
    ask, _, _ = next(_questions(base._store, question, None))
    editions = {"before": "20231117", "after": "20240730"}
    assert ask.question == "diff"
    assert (editions | arguments).items() <= ask.arguments.items()


def test_a_sure_one_stands_alone_and_any_other_above_the_passages(base):
    sure, unsure = base.ask("Which rules cite 704?"), base.ask("ドローフェイズの手順は？")
    assert sure and sure.other.sure and not sure.answers
    assert unsure.other.sure is False and unsure.answers
    assert 0 < len(unsure.other.lines) <= _MOST_LINES


def test_the_document_names_the_question_and_has_its_first_lines(base):
    other = base.ask("Which rules cite 704?").as_json()["other"]
    assert other["ask"]["question"] == "refs"
    assert other["lines"] and set(other) == {"ask", "said", "lines", "sure"}
    assert base.ask("What is drawing?").as_json()["other"] is None


def test_a_long_text_is_answered_in_no_time(base):
    began = process_time()
    for text in ("なに" * 58 + "を引用", "と" * 118 + "道"):
        assert not list(_questions(base._store, text, None))
    assert process_time() - began < 3


def test_editions_are_of_one_language_and_a_history_begins_with_the_newest(tmp_path):
    rules = {"1": "Docks", "100": "Cranes", "100.1": "A crane lifts one crate."}
    more = rules | {"100.2": "A crane rests at night."}
    books = {
        ("20230101", "en"): rulebook(rules), ("20231201", "ja"): rulebook(rules),
        ("20240101", "en"): rulebook(more), ("20250101", "en"): rulebook(more),
    }  # fmt: skip
    with build_books(tmp_path, books) as several:
        ask, _, _ = next(_questions(several._store, "What changed since 2023?", None))
        assert (ask.arguments["before"], ask.arguments["after"]) == ("20230101", "20250101")
        history = several.ask("what is the history of rule 100.1").other
    assert history.ask.question == "trace"
    assert history.lines[0].split()[0] == "20250101"


def test_the_kinds_of_questions_that_nothing_was_fitted_to_are_told():
    """So many of them are right as when they were first asked, or more."""
    right = {True: [], False: []}  # by whether the question is ordinary
    for case in command_cases():
        if not case["fitted"]:
            kinds = dict(question_kinds(written_question(case["question"]).text))
            likely = kinds.pop(ORDINARY) <= 1 - LIKELY
            found = max(kinds, key=kinds.__getitem__) if likely else ORDINARY
            right[case["want"] == ORDINARY].append(found == case["want"])
    assert sum(right[True]) >= 0.97 * len(right[True]) > 100
    assert sum(right[False]) >= 0.7 * len(right[False]) > 70
