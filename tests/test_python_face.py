"""The Python face: what is refused and how, what results are like, what `dir` shows."""

from __future__ import annotations

import pytest

import kb
from kb.query.nearest import nearest, refuse_unknown


@pytest.mark.parametrize(
    ("given", "known", "found"),
    [
        ("MTG", ["dm", "mtg", "ygo"], ["mtg"]),
        ("ｍｔｇ", ["dm", "mtg", "ygo"], ["mtg"]),
        ("jp", ["en", "ja"], ["ja"]),
        ("japanese", ["en", "ja"], ["ja"]),
        ("English", ["en", "ja"], ["en"]),
        ("cite", ["cites", "quotes", "mentions"], ["cites"]),
        ("wisdom guild", ["wisdom-guild", "mtgwiki"], ["wisdom-guild"]),
        ("wiki", ["wisdom-guild", "mtgwiki"], ["mtgwiki"]),
        ("foo", ["cites", "quotes", "mentions"], []),
        ("", ["ja"], []),
        ("ja", [], []),
    ],
)
def test_the_nearest_values_are_suggested(given: str, known: list[str], found: list[str]) -> None:
    assert nearest(given, known)[:1] == found


def test_a_long_list_of_values_is_cut_and_a_long_value_too() -> None:
    with pytest.raises(kb.QuestionError) as caught:
        refuse_unknown("edition", "x" * 100_000, [f"2023{n:04}" for n in range(900)])
    assert "and 880 more" in str(caught.value)
    assert len(str(caught.value)) < 500
