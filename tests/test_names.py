"""Names taken apart and looked up."""

from __future__ import annotations

import pytest

from kb.extract.terms import defines_term, node_of_page
from kb.fold import fold
from kb.names import Name, read_name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("引く", Name("引く")),
        ("ドロー/Draw", Name("ドロー", None, "Draw")),
        ("嘘か真か/Fact or Fiction", Name("嘘か真か", None, "Fact or Fiction")),
        ("通常(つうじょう)のドロー/Normal Draw",
         Name("通常のドロー", "つうじょうのドロー", "Normal Draw")),
        ("相棒（あいぼう）／Companion", Name("相棒", "あいぼう", "Companion")),
        ("使う（キーワード処理）", Name("使う", None, None, "キーワード処理")),
        ("《灰流うらら》", Name("灰流うらら", None, None, None, True)),
        ("《灰流（はる）うらら》/Ash Blossom",
         Name("灰流うらら", "はるうらら", "Ash Blossom", None, True)),
        ("Ｓ・トリガー", Name("S・トリガー")),
        ("イベント (ルール)", Name("イベント", None, None, "ルール")),
        ("Who/What/When", Name("Who/What/When")),
        ("パワー／タフネス", Name("パワー/タフネス")),
        ("", Name("")),
    ],
)  # fmt: skip
def test_read_name(text: str, name: Name) -> None:
    assert read_name(text) == name


def test_ruby_in_the_middle() -> None:
    name = read_name("使う力の発動", [(3, 4, "ちから"), (5, 7, "はつどう")])
    assert (name.label, name.reading) == ("使う力の発動", None)  # 使う has no reading given


@pytest.mark.parametrize(
    ("source", "title", "node_id"),
    [("mtgwiki", "引く", "mtg/term/引く"),
     ("mtgwiki", "嘘か真か/Fact or Fiction", "mtg/card/嘘か真か"),
     ("mtgwiki", "イベント (ルール)", "mtg/term/イベント (ルール)"),
     ("yugioh-wiki", "《灰流うらら》", "mtg/card/灰流うらら")],
)  # fmt: skip
def test_ids(source: str, title: str, node_id: str) -> None:
    assert node_of_page("mtg", source, title)[0] == node_id


@pytest.mark.parametrize(
    "title",
    ["FrontPage", "MenuBar", "メインページ", "カテゴリ:ルール", "Category:X", "テンプレート:Y",
     "特別:最近の更新", "CR:401", "利用者:A", "トーク:引く", ":config"],
)  # fmt: skip
def test_the_wikis_own_pages_are_no_terms(title: str) -> None:
    assert not defines_term(title)


@pytest.mark.parametrize("title", ["引く", "コンスピラシー:王位争奪", "S・トリガー", "C++"])
def test_terms(title: str) -> None:
    assert defines_term(title)


@pytest.mark.parametrize(
    ("one", "other"),
    [("オモテ向き", "表向き"), ("ドロー・ステップ", "ドローステップ"), ("RUM−七皇", "ＲＵＭ－七皇"),
     ("〜波", "～波"), ("《灰流うらら》", "灰流うらら"), ("Draw Card", "drawcard")],
)  # fmt: skip
def test_folded_alike(one: str, other: str) -> None:
    assert fold(one) == fold(other)


def test_folding_keeps_words_apart() -> None:
    words = ["引く", "ドロー", "表向き", "裏向き", "カード", "カ", "コスト", "効果"]
    assert len({fold(word) for word in words}) == len(words)
