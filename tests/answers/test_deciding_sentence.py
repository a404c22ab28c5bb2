"""Which sentence of a passage decides a question, and what limits it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

import kb
from kb.mcp.passages import ask
from kb.query.answers.limits import limits_within
from kb.query.answers.question import QueryTerm, Question, question_kind
from kb.query.answers.sentence_features import sentence_features
from kb.query.answers.term_weights import WeightedTerm
from kb.web.app import create_app
from tests.commands import run
from tests.rulebooks import build_books

RULES = """Harbour Comprehensive Rules

1. Ships

100. Loading

100.1. Loading is a harbour action. A ship that loads takes a crate aboard. A wet crate can’t be
loaded.

100.2. A ship leaves the quay at dawn.

100.2a A ship with a pilot leaves the quay at any hour.

100.2b However, a ship with a pilot that carries powder doesn’t leave the quay at night.

100.2c The crew of a ship eats at noon.

101. Locks

101.1. A lock has two gates. A captain pays five coins for a lock. The master of a lock opens the
gates.
"""


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Iterator[kb.KnowledgeBase]:
    books = {("20220101", "en"): RULES}
    with build_books(tmp_path_factory.mktemp("deciding"), books, "mtg") as base:
        yield base


def _decides(answer: kb.Answer) -> str:
    return " ".join((answer.passage.text or "")[slice(*answer.decides)].split())


def _of_rule(base: kb.KnowledgeBase, question: str, number: str) -> kb.Answer:
    return next(one for one in base.ask(question) if one.place.number == number)


@pytest.mark.parametrize(
    ("question", "number", "sentence"),
    [
        ("What is loading?", "100.1", "A ship that loads takes a crate aboard."),
        ("Can a wet crate be loaded?", "100.1", "A wet crate can’t be loaded."),
        ("How many coins for a lock?", "101.1", "A captain pays five coins for a lock."),
        ("Who opens the gates of a lock?", "101.1", "The master of a lock opens the gates."),
    ],
)
def test_it_says_what_is_asked(
    harbour: kb.KnowledgeBase, question: str, number: str, sentence: str
) -> None:
    assert _decides(_of_rule(harbour, question, number)) == sentence


def test_what_limits_it_stands_right_below(harbour: kb.KnowledgeBase) -> None:
    question = "When does a ship with a pilot leave the quay?"
    limited = _of_rule(harbour, question, "100.2a")
    [limit] = limited.limits
    assert limit.number == "100.2b" and limit.text.startswith("However, a ship with a pilot")
    shown = " ".join(run("ask", question, of=harbour).stdout.split())
    assert f"{_decides(limited)} but 100.2b: {limit.text}" in shown
    assert limit.text in json.dumps(harbour.ask(question).as_json(), ensure_ascii=False)
    reply = " ".join(ask(harbour, question).text.split())
    assert f"but “100.2b”: > {limit.text}" in reply
    assert reply.count("under “100.2”: > A ship leaves the quay at dawn.") == 1
    with TestClient(create_app(kb.ReopenedBase(harbour.file)), "http://127.0.0.1") as client:
        page = client.get("/en/ask", params={"q": question}).text
    assert page.count(limit.text) >= page.count('class="limit"') > 0
    assert page.count('class="above"') == 1


def test_the_rule_of_sub_rules_stands_above_them_once(harbour: kb.KnowledgeBase) -> None:
    question = "When does a ship with a pilot leave the quay?"
    answers = [one for one in harbour.ask(question) if one.group]
    assert {one.above for one in answers} == {"A ship leaves the quay at dawn."}
    shown = run("ask", question, of=harbour).stdout
    assert shown.count("under 100.2 A ship leaves the quay at dawn.") == 1


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("A crew may rest. However, the watch may not.", ["However, the watch may not."]),
        ("A crew may rest. It can’t rest at sea.", ["It can’t rest at sea."]),
        ("A crew may rest. Powder burns unless it is wet.", []),
        ("A crew may rest. Similarly, it can’t work.", []),
        ("A crew may rest. Rest is rare. A crew rests only if it is noon.",
         ["A crew rests only if it is noon."]),
        ("船員は休める。ただし、見張りは休めない。", ["ただし、見張りは休めない。"]),
        ("船員は休める。これは上陸ではない。", ["これは上陸ではない。"]),
        ("船員は休める。札を引く。", []),
        ("A crew may rest.", []),
    ],
)  # fmt: skip
def test_what_limits_a_sentence(text: str, limits: list[str]) -> None:
    first = text.index("。" if "。" in text else ".") + 1
    found = limits_within(text, "", (0, first))
    assert [limit.text for limit in found] == limits
    assert [text[limit.start : limit.end] for limit in found] == limits


def test_no_more_than_two_limits() -> None:
    text = "A crew may rest." + " However, it can’t rest here." * 5
    assert len(limits_within(text, "", (0, 16))) == 2


def test_features_of_sentences() -> None:
    question = "Who may rest?"
    term = QueryTerm("rest", {"en": frozenset(["rest"]), "ja": frozenset()}, start=8, end=12)
    asked = Question(question, "en", question_kind(question), frozenset(), (term,), frozenset())
    terms = [WeightedTerm(term, 5.0, ("rest",), ())]
    first, second = sentence_features(["See rule 7.", "A player rests."], asked, terms)
    assert (first.overlap, second.overlap, second.so_far) == (0, 1, 1)
    assert first.is_referring and not second.is_referring
    assert second.says_who and not first.says_who
    assert first.after == second.overlap and second.after == 0
    assert sentence_features([], asked, terms) == []
