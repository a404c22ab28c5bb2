"""Names taken apart and looked up."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.knowledge.page_subject import defines_term, node_of_page
from kb.knowledge.prepared_page import PageContext
from kb.language.fold import fold
from kb.language.headwords import Headword, parse_headword
from kb.language.tokens import tokenizer
from scraper import Page
from scraper.sites import site_catalogue
from tests.rulebooks import build_books, rulebook


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("引く", Headword("引く")),
        ("ドロー/Draw", Headword("ドロー", None, "Draw")),
        ("嘘か真か/Fact or Fiction", Headword("嘘か真か", None, "Fact or Fiction")),
        (
            "通常(つうじょう)のドロー/Normal Draw",
            Headword("通常のドロー", "つうじょうのドロー", "Normal Draw"),
        ),
        ("相棒（あいぼう）／Companion", Headword("相棒", "あいぼう", "Companion")),
        ("使う（キーワード処理）", Headword("使う", None, None, "キーワード処理")),
        ("《灰流うらら》", Headword("灰流うらら", None, None, None, True)),
        (
            "《灰流（はる）うらら》/Ash Blossom",
            Headword("灰流うらら", "はるうらら", "Ash Blossom", None, True),
        ),
        ("Ｓ・トリガー", Headword("S・トリガー")),
        ("イベント (ルール)", Headword("イベント", None, None, "ルール")),
        ("Who/What/When", Headword("Who/What/When")),
        ("パワー／タフネス", Headword("パワー/タフネス")),
        ("霧の港/Misty Port(きりのみなと)", Headword("霧の港", "きりのみなと", "Misty Port")),
        ("霧の港/Misty Port (Used)", Headword("霧の港", None, "Misty Port (Used)")),
        ("引く（CR:121.1）", Headword("引く")),
        ("引く(ルール121.1参照)／Draw", Headword("引く", None, "Draw")),
        ("引(ひ)く/Draw (rule 121)", Headword("引く", "ひく", "Draw")),
        ("", Headword("")),
    ],
)
def test_read_name(text: str, name: Headword) -> None:
    assert parse_headword(text) == name


def test_ruby_in_the_middle() -> None:
    name = parse_headword("使う力の発動", [(3, 4, "ちから"), (5, 7, "はつどう")])
    assert (name.label, name.reading) == ("使う力の発動", None)  # 使う has no reading given


@pytest.mark.parametrize(
    ("source", "title", "node_id"),
    [
        ("mtgwiki", "引く", "mtg/term/引く"),
        ("mtgwiki", "嘘か真か/Fact or Fiction", "mtg/card/嘘か真か"),
        ("mtgwiki", "イベント (ルール)", "mtg/term/イベント (ルール)"),
        ("yugioh-wiki", "《灰流うらら》", "ygo/card/灰流うらら"),
    ],
)
def test_ids(source: str, title: str, node_id: str) -> None:
    site = site_catalogue.current().sites[source]
    page = Page(source=source, engine=site.engine, game=site.game, name="手札", url="")
    assert node_of_page(PageContext.of(page, tokenizer()), title)[0] == node_id


@pytest.mark.parametrize(
    "title",
    [
        "FrontPage",
        "MenuBar",
        "メインページ",
        "カテゴリ:ルール",
        "Category:X",
        "テンプレート:Y",
        "特別:最近の更新",
        "CR:401",
        "利用者:A",
        "トーク:引く",
        ":config",
    ],
)
def test_the_wikis_own_pages_are_no_terms(title: str) -> None:
    assert not defines_term(title)


@pytest.mark.parametrize("title", ["引く", "コンスピラシー:王位争奪", "S・トリガー", "C++"])
def test_terms(title: str) -> None:
    assert defines_term(title)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("オモテ向き", "表向き"),
        ("ドロー・ステップ", "ドローステップ"),
        ("RUM−七皇", "ＲＵＭ－七皇"),
        ("〜波", "～波"),
        ("《灰流うらら》", "灰流うらら"),
        ("Draw Card", "drawcard"),
    ],
)
def test_folded_alike(one: str, other: str) -> None:
    assert fold(one) == fold(other)


def test_folding_keeps_words_apart() -> None:
    words = ["引く", "ドロー", "表向き", "裏向き", "カード", "カ", "コスト", "効果"]
    assert len({fold(word) for word in words}) == len(words)


def test_a_name_in_two_languages_is_mentioned_by_the_rule_that_states_it(tmp_path: Path) -> None:
    rules = {
        "100": "札",
        "100.1": "例えば《霧の番人／Mist Warden》を唱える。",
        "100.2": "札を引く。",
    }
    base = build_books(tmp_path, {("20230101", "ja"): rulebook(rules, "港の総合ルール")})
    found = base.refs("霧の番人", direction="in", kinds="mentions").edges
    assert [edge.source for edge in found] == ["harbour/cr/20230101/ja/100.1"]
