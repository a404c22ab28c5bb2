"""Names in both languages, `日本語名/English Name`, in sentences: where they begin and end."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.language.bilingual_names import bilingual_names
from kb.language.tokens import tokenizer
from kb.language.transliteration import likeness
from tests.conftest import SHARED

NAMES = SHARED / "corpora/lexicon/mtg_names_en_ja.json"


def found(text: str) -> list[str]:
    return [text[name.start : name.end] for name in bilingual_names(text, tokenizer())]


@pytest.mark.parametrize(
    "text",
    [
        "[霧の番人/Mist Warden]",
        "《[霧の番人/Mist Warden]》を唱える。",
        "[霧の番人/Mist Warden]は強い。",
        "これは[霧の番人/Mist Warden]の再録である。",
        "(例:[霧の番人/Mist Warden]、[北の港/North Port]、[連絡/Tidings])",
        "[霧の番人/Mist Warden], [北の港/North Port]",
        "[霧の番人/Mist Warden]や[北の港/North Port]など。",
        "対戦相手が[霧の番人/Mist Warden]を唱える。",
        "…を引く[霧の番人/Mist Warden]と使う。",
        "カードを引く[霧の番人/Mist Warden]は便利だ。",
        "[北の港/North Port]を引く[霧の番人/Mist Warden]。",
        "「引く」や[霧の番人/Mist Warden]など。",
        "「引く」ではなく[霧の番人/Mist Warden]である。",
        "自分の[霧の番人/Mist Warden]を守る。",
        "4枚の[霧の番人/Mist Warden]を入れる。",
        "その後[霧の番人/Mist Warden]が出た。",
        "たとえば、[大いなる霧、アグラード/Aglard, the Great Mist]を使う。",
        "[霧の番人/Mist Warden]や[霧を運ぶ者、アグラード/Aglard, the Mist Bearer]を使う。",
        "[怒りの天使アグラード/Aglard, Angel of Wrath]である。",
        "近年([信念無き物あさり/Faithless Gleaning]以降)は多い。",
        "(例:[よりよい品々/Greater Goods])",
        "たとえば、[夢か現か/Dream or Waking]を使う。",
        "([隠れ潜む機械/Lurking Machine]など)",
        "まず[霧の番人/Mist Warden]を使う。",
        "[アグラード/Aglard]を使う。",
        "黒の[ラグノールのエルフ/Lagnor Elves]を使う。",
        "[リム＝ドールの蔵/Lim-Dôl's Vault]を使う。",
        "[火+氷/Blaze+Frost]を唱える。",
        "[火//氷/Blaze // Frost]を唱える。",
        "[+1の矛/+1 Spear]を使う。",
        "[霧の番人／Mist Warden]を使う。",
        "[霧の番人/Mist Warden] 4枚",
        "[霧の番人/Mist Warden] - 強い。",
        "・[霧の番人/Mist Warden]",
        "[墓地/Graveyard]に置く。",
        "[守備(しゅび)魔法/Guard Spell]を使う。",
        "《[蒼鱗の竜（ブルースケイル・ドラゴン）／Blue-Scale Dragon]》を出す。",
        "[守備魔法(しゅびまほう)/Guard Spell]",
        "効果(こうか)で[霧の番人/Mist Warden]を出す。",
        "レジェンド([アグラード/Aglard])など",
        "カード(例：[アグラード/Aglard])",
        "分割カード[霧//港/Mist//Port]を使う。",
        "[霧/港/Mist/Port]を使う。",
        "対戦相手が[霧//港/Mist // Port]を唱える。",
        "例えば[稲妻/Lightning Strike]や[霧の番人/Mist Warden]。",
        "しかし[稲妻/Lightning Strike]は強い。",
        "この場合[霧の番人/Mist Warden]が出る。",
        "その時[稲妻/Lightning Strike]を使う。",
        "次に[森林の始祖体/Silvan Primordial]の効果。",
        "最後に[森林の番人/Forest Warden]を使う。",
        "通常[霧の番人/Mist Warden]は使わない。",
        "分割カード[黒猫/Black Cat]を使う。",
        "分割カード[霧紋の力/Circle of Power]を使う。",
        "攻撃側が[巨大化/Gigantic Growth]を使う。",
        "[プレイヤー/Player]は引く。",
    ],
)
def test_cut_at_the_right_place(text: str) -> None:
    names = [piece.partition("]")[0] for piece in text.split("[")[1:]]
    assert found(text.replace("[", "").replace("]", "")) == names


@pytest.mark.parametrize(
    "text",
    [
        "and/orである",
        "P/Tは3/3",
        "白/黒の札",
        "A/Bテスト",
        "ターン/1回",
        "オンライン/Magic Onlineで遊ぶ",
        "カード名/英名",
        "http://wiki.example/wiki/引く/Draw",
        "/home/利用者/Name",
        "表/おに/Silent Song",
        "資料/Name.txt",
        "赤/Red-緑/Greenの札",
        "Gen/Conで",
        "形式/TCG",
        "ＯＮ／ＯＦＦ",
        "カードを引く/Draw card(s)と書く",
        "インスタント/Sorceryとして",
        "2023/11/17",
        "札の効果(こうか)霧の番人/Mist Wardenを使う。",
        "使用する天使(アグラード/Aglard)を使う。",
        "暗黒騎士(きし/Dark Knight)を使う。",
        "霧の港/Mist/Port",
        "霧/港/Mistを使う。",
        "霧/港/Mist/Port/Fogを使う。",
        "蒼鱗の竜(初版)/Blue-Scale Dragon",
        "/",
        "",
    ],
)
def test_no_names(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "japanese", "english", "reading"),
    [
        ("蒼鱗の竜(ブルースケイル)/Blue-Scale", "蒼鱗の竜", "Blue-Scale", "ブルースケイル"),
        ("守備魔法(しゅびまほう)/Guard Spell", "守備魔法", "Guard Spell", "しゅびまほう"),
        ("札を控え室(ひかえしつ)/Waiting Roomに", "控え室", "Waiting Room", "ひかえしつ"),
        ("守備(しゅび)魔法(まほう)/Guard Spellを", "守備魔法", "Guard Spell", ""),
        ("暗黒騎士(きし)/Dark Knightを使う。", "暗黒騎士", "Dark Knight", ""),
        ("守備(しゅび)魔法/Guard Spell", "守備魔法", "Guard Spell", ""),
        ("霜(しも/Frost)", "霜", "Frost", "しも"),
        ("札を墓地（ぼち/Graveyard）に置く。", "墓地", "Graveyard", "ぼち"),
        ("蒼鱗の竜(ブルースケイル/Blue-Scale)", "蒼鱗の竜", "Blue-Scale", "ブルースケイル"),
    ],
)  # fmt: skip
def test_readings_in_brackets(text: str, japanese: str, english: str, reading: str) -> None:
    [name] = bilingual_names(text, tokenizer())
    assert (name.japanese, name.english, name.reading) == (japanese, english, reading)


def test_nothing_where_the_cut_is_unclear() -> None:
    assert found("湖畔の霧谷砦番人一覧目録/Portを使う。") == []


def test_a_known_name_decides() -> None:
    text = "湖畔の霧谷砦番人一覧目録/Portを使う。"
    [name] = bilingual_names(text, tokenizer(), {"Port": "番人一覧目録"})
    assert name.japanese == "番人一覧目録"


_ODD = st.text(alphabet="霧の番人をがア・、/／+()（） ABab'\"「」0\n", max_size=60)


@given(_ODD, _ODD)
def test_any_text_is_read(before: str, behind: str) -> None:
    text = f"{before}。霧谷/Port。{behind}"  # a name that nothing around it hides
    names = list(bilingual_names(text, tokenizer()))
    assert ("霧谷", "Port") in [(name.japanese, name.english) for name in names], text
    for name in names:
        assert text[name.start : name.end].startswith(name.japanese[0])
        assert text[name.start : name.end].endswith(name.english)


def test_likeness_of_sounds() -> None:
    assert likeness("ファイレクシア", "Phyrexian") > 0.8
    assert likeness("エルフ", "Elvish") > likeness("エルフ", "Elvish", whole=True)
    assert likeness("カード", "Wrath") < 0.5
    assert likeness("", "") == 1.0


FRAMES = (
    "{}",
    "たとえば、{}や{}など。",
    "(例:{}、{}、{})",
    "対戦相手が{}をコントロールしている場合、{}は破壊される。",
    "《{}》を唱える。",
    "これは{}の亜種である。",
    "「引く」ではなく{}である。",
    "また{}によって、{}からも守られる。",
    "カードを引く{}と相性がよい。",
    "自分の{}を守る。",
)


@pytest.mark.shared
def test_real_names_in_sentences() -> None:
    """Of names of which none was looked at when the rules were made."""
    pairs = list(json.loads(Path(NAMES).read_text("utf-8")).items())
    chance = random.Random(14)
    names = [f"{ja}/{en}" for en, ja in chance.sample(pairs, 1500) if ja != "undefined"]
    wanted = right = wrong = 0
    for number, frame in enumerate(FRAMES * 60):
        count = frame.count("{}")
        chosen = [names[(number * 3 + other) % len(names)] for other in range(count)]
        got = found(frame.format(*chosen))
        wanted += count
        right += len(set(got) & set(chosen))
        wrong += len(set(got) - set(chosen))
    assert right / wanted >= 0.85
    assert wrong / wanted <= 0.03


def test_a_name_begins_behind_what_is_quoted_before_it() -> None:
    assert found("「引く」ドロー/Draw") == ["ドロー/Draw"]
