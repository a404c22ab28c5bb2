"""Amounts in Japanese, English and Chinese texts, and those that a translation changes or loses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.language.amounts import amounts, differing_amounts
from tests.timing import grows_linearly

FOUND = {
    ("ja", "手札を７枚引く"): [(7, "７", True)],
    ("ja", "二つのうち十五個を選ぶ"): [(2, "二", True), (15, "十五", True)],
    ("ja", "10,000点のダメージ"): [(10000, "10,000", True)],
    ("ja", "2番目と第3ラウンド"): [(2, "2", False), (3, "3", True)],
    ("ja", "この2枚、両方の半分"): [(2, "2", False), (2, "両方", False), (0.5, "半分", False)],
    ("ja", "（④参照）"): [(4, "④", False)],
    ("ja", "一番上、一方、一部、第三者、二段攻撃、十分に、三人称"): [],
    ("ja", "《七つの海》を1枚見る"): [(1, "1", True)],
    ("ja", "2025年10月31日、1.2.3版、rule 104.3a、第5章、{2}{W}、3/3、+1/+1"): [],
    ("ja", "110.2a 札を2枚引く"): [(2, "2", True)],
    ("en", "Draw seven cards or more"): [(7, "seven", True)],
    ("en", "two hundred and five, twenty-one"): [(205, "two hundred and five", True),
                                                 (21, "twenty-one", True)],
    ("en", "rounds one and three"): [(1, "one", False), (3, "three", True)],
    ("en", "a card, twice"): [(1, "a", False), (2, "twice", False)],
    ("en", "the two ships, the 4th round"): [(2, "two", False), (4, "4", False)],
    ("en", "no one looks at one another at once; someone else"): [],
    ("en", "Two-Headed Giant"): [(2, "Two", False)],
    ("en", "See rules 103.2 and 509.1. October 31, 2025. {2}, 3/3, d20"): [(20, "20", False)],
    ("zh", "抓三张牌，两位牌手"): [(3, "三", True), (2, "两", True)],
    ("zh", "这两个特征，第一个，统一"): [(2, "两", False)],
    ("ko", "카드를 3장 뽑는다"): [(3, "3", True)],
}  # fmt: skip


@pytest.mark.parametrize(("lang", "text"), FOUND)
def test_amounts_in_a_text(lang: str, text: str) -> None:
    found = [(one.value, text[one.start : one.end], one.certain) for one in amounts(text, lang)]
    assert found == FOUND[lang, text]


SAME = [
    ("札を2枚引く。", "Draw two cards."),
    ("両者がライフを失う。", "The two players each lose life."),
    ("3人以上で始める。", "It begins with more than two players."),
    ("2人を超える対戦", "a game of three or more players"),
    ("次の色がある。「白」「青」「黒」", "There are three colors: white, blue, and black."),
    ("山札に札がない", "the deck has 0 cards"),
    ("ライフの半分を失う", "lose half their life"),
    ("帆を2倍にする", "Double the sails."),
    ("2回目の航海", "the second voyage"),
    ("rule 104.3と5番の船", "ship number 5 (see rule 104.4)"),
    ("一つの船", "a ship"),
    ("十二枚の札", "12 cards"),
    ("一万点", "10,000 points"),
]
DIFFERENT = [
    ("札を2枚引く。", "Draw three cards.", [2], [3]),
    ("札を引く。", "Draw four cards.", [], [4]),
    ("七人の水夫", "eight sailors", [7], [8]),
    ("3番目の港", "the fourth port", [3], [4]),
    ("この3隻", "the four ships", [3], [4]),
    ("2枚捨て、3枚引き、3枚見せる", "Discard two, draw three and reveal two.", [3], [2]),
    ("毒を10個", "fifteen counters", [10], [15]),
]


@pytest.mark.parametrize(("japanese", "english"), SAME)
def test_amounts_that_are_said_in_other_words(japanese: str, english: str) -> None:
    assert differing_amounts(japanese, "ja", english, "en") == ((), ())
    assert differing_amounts(english, "en", japanese, "ja") == ((), ())


@pytest.mark.parametrize(("japanese", "english", "first", "second"), DIFFERENT)
def test_amounts_that_differ(
    japanese: str, english: str, first: list[float], second: list[float]
) -> None:
    for texts, expected in (
        ((japanese, "ja", english, "en"), [first, second]),
        ((english, "en", japanese, "ja"), [second, first]),
    ):
        found = differing_amounts(*texts)
        assert [[one.value for one in side] for side in found] == expected


def test_languages_with_regions_and_unknown_ones() -> None:
    assert differing_amounts("札を2枚引く。", "ja-JP", "Draw two cards.", "en-US") == ((), ())
    assert differing_amounts("Tirez trois cartes.", "fr", "Draw three cards.", "en") == ((), ())
    first, second = differing_amounts("Tirez 3 cartes.", "fr-FR", "Draw 4 cards.", "en_US")
    assert [one.value for one in (*first, *second)] == [3, 4]


def test_amounts_beside_a_text_count_as_stated() -> None:
    texts = ("札を3枚引く。", "ja", "Draw some cards.", "en")
    assert differing_amounts(*texts)[0][0].value == 3
    assert differing_amounts(*texts, beside=("", "Example: three cards.")) == ((), ())


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    ["rule 104.3、", "十", "「舟」、", "hundred and ", "3, ", "舟、", "1/", "《舟"],
)
def test_time_grows_with_the_text(piece: str) -> None:
    assert grows_linearly(lambda n: differing_amounts(piece * n, "ja", piece * n, "en"), 600)


PIECES = st.lists(
    st.sampled_from(
        [
            *"7七十百万枚つ第目①{}《》., １のー\n-",
            "two",
            "three",
            "hundred and",
            "rule 104.3",
            "3/3",
        ]
    ),
    max_size=12,
).map("".join)


@given(PIECES | st.text(max_size=40), PIECES, st.sampled_from(("ja", "en", "zh", "xx")))
def test_any_text(text: str, other: str, lang: str) -> None:
    """Spans are within the text, and a text states what it states itself."""
    for amount in amounts(text, lang):
        assert 0 <= amount.start < amount.end <= len(text)
    assert differing_amounts(text, lang, text, lang) == ((), ())
    first, second = differing_amounts(text, lang, other, "en")
    assert len({one.value for one in first}) == len(first)
    assert len({one.value for one in second}) == len(second)


@pytest.mark.parametrize(("text", "lang"), [("draws 2.5 cards", "en"), ("1.5枚引く", "ja")])
def test_a_decimal_is_no_amount_of_things(text: str, lang: str) -> None:
    assert amounts(text, lang) == ()
