"""The labelled questions, the measures of their answers, and the table of these."""

from __future__ import annotations

import math
from typing import Any

import pytest

from tests import questions
from tests.ranking_measures import (
    ALL,
    SEVERAL,
    UNANSWERABLE,
    Result,
    groups,
    mean,
    ndcg,
    place,
    share_of_needed,
    table,
)


@pytest.mark.parametrize(
    ("case", "name"),
    [
        ({"kind": "several", "class": "ja-to-en"}, SEVERAL),
        ({"kind": "unanswerable", "answers": []}, UNANSWERABLE),
        ({"class": "near-miss"}, "near-miss"),
        ({"kb": "rulebook", "kind": "definition"}, "definition"),
        ({"kind": "definition"}, "everyday-ja"),
        ({"lang": "en"}, "en-to-ja"),
        ({"answers": ["mtg/cr/20231117/en/121.1", "rulebook/mtg/cr/20231117/en#A¶1"]}, "ja-to-en"),
        ({"answers": ["mtg/cr/20231117/en/121.1", "mtg/cr/20240730/ja/121.1"]}, "everyday-ja"),
        ({"lang": "en", "answers": ["mtg/cr/20231117/en/121.1"]}, "everyday-en"),
        ({"lang": "en", "answers": ["some-wiki/and/en-passant#a/en/b¶2"]}, "en-to-ja"),
    ],
)
def test_a_question_is_counted_in_one_class(case: dict[str, Any], name: str) -> None:
    usual = {"kb": "captures", "kind": "when", "lang": "ja", "answers": ["some-wiki/引く¶2"]}
    assert questions.class_of({**usual, **case}) == name


def test_the_questions_are_complete_and_told_apart() -> None:
    cases = list(questions.all_cases())
    assert len({case["id"] for case in cases}) == len(cases) > 700
    assert len({(case["kb"], case["question"]) for case in cases}) == len(cases)
    for case in cases:
        assert bool(case["answers"]) == (case["kind"] != "unanswerable"), case["id"]
        assert ("needed" in case) == (case["kind"] == "several"), case["id"]
    assert 0.3 < sum(map(questions.held_out, cases)) / len(cases) < 0.37


def test_measures() -> None:
    entries = [frozenset({"a", "A"}), frozenset({"b"}), frozenset({"c"})]
    assert place(entries, {"x", "A"}) == 1 and place(entries, {"x"}) is None
    assert place([frozenset({str(n)}) for n in range(12)], {"10"}) is None
    assert ndcg(entries, {"a", "A"}) == 1
    assert ndcg(entries, {"b", "c"}) == pytest.approx(
        (1 / math.log2(3) + 1 / 2) / (1 + 1 / math.log2(3))
    )
    assert ndcg([*entries, frozenset({"b"})], {"b"}) == pytest.approx(1 / math.log2(3))
    assert ndcg((), {"a"}) == 0
    assert share_of_needed(entries, [{"A"}, {"x", "c"}, {"y"}]) == pytest.approx(2 / 3)
    assert mean([1.0, 0.0, 0.0, 0.0]).error == pytest.approx(math.sqrt(0.25 * 0.75 / 4))
    assert math.isnan(mean([]).value)


def test_a_table_has_a_line_for_each_class_set_and_system() -> None:
    def one(name: str, which: str, system: str, right: bool) -> Result:
        entries = (frozenset({"a"}),) if right else ()
        return Result(system, (name, which, "seen"), frozenset("a"), (frozenset("a"),), entries)

    results = [
        one("everyday-ja", "older", "one", True),
        one("everyday-ja", "newer", "one", False),
        one("everyday-ja", "older", "two", False),
        one("everyday-ja", "newer", "two", False),
        one(SEVERAL, "newer", "one", True),
        one(UNANSWERABLE, "newer", "two", False),
    ]
    assert len(groups(results)[ALL, "both", "seen"]) == 4
    assert (SEVERAL, "both", "seen") not in groups(results)
    lines = [line.split() for line in table(results)]
    assert ["everyday-ja", "seen", "older", "1", "one", *["1.000", "±0.000"] * 4] == next(
        line[:-2] for line in lines if line[:3] == ["everyday-ja", "seen", "older"]
    )
    assert ["several", "seen", "newer", "1", "one", "1.000", "±0.000", "0.000", "±0.000"] in lines
    assert ["unanswerable", "seen", "newer", "1", "two", "1.000", "±0.000"] in lines
