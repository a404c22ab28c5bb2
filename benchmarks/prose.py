"""Sentences and names that nobody wrote: for wikis of any size, of our own words alone.

Words come as they do in texts: few of them often, most of them seldom, and new ones ever more
slowly (Zipf's law and Heaps' law).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from random import Random
from typing import NamedTuple


class Link(NamedTuple):
    """A link to the page of a name; `there` is whether the wiki has it, `redirect` whether that
    page leads on to another."""

    name: str
    there: bool = True
    redirect: bool = False


Run = str | Link

# What every game has, so that terms of several games share these names.
CONCEPTS = (
    "カード 手札 山札 引く プレイヤー 効果 能力 領域 対戦相手 ターン コスト 捨てる 墓地 攻撃 対象 "
    "呪文 ダメージ ライフ フェイズ ステップ 召喚 場 勝利 敗北 唱える 優先権 スタック トークン "
    "カウンター 防御 マナ 起動型能力 誘発型能力 常在型能力 置換効果 先攻 後攻 初期手札 追放領域 "
    "戦闘フェイズ 引き分け 支払う 公開領域 非公開領域 召喚酔い サイドボード シャッフル 軽減効果"
).split()
# How made-up names end: every other one is a card's, the others are terms'.
_ENDINGS = [
    pair.split("/")
    for pair in (
        "能力/Ability 騎士/Knight 儀式/Ritual 竜/Dragon 効果/Effect "
        "魔術師/Mage 領域/Zone 巨人/Giant "
        "段階/Stage 狼/Wolf 条件/Condition 歌い手/Singer 召喚/Summon "
        "番人/Warden 宣言/Call 獣/Beast "
        "状態/State 剣/Sword 処理/Process 塔/Tower 攻撃/Attack "
        "精霊/Spirit 防御/Guard 船乗り/Sailor "
        "コスト/Cost 鷹/Hawk 対象/Target 守護者/Keeper 期間/Period 蛇/Serpent 手順/Procedure "
        "庭師/Gardener カウンター/Counter 使者/Envoy 反応/Response 鏡/Mirror 制限/Limit "
        "旅人/Traveller 種別/Type 灯/Lamp"
    ).split()
]
_SYLLABLES = [
    pair.split("/")
    for pair in (
        "ラ/ra キ/ki ノ/no テ/te ム/mu サ/sa リ/ri ヴォ/vo ネ/ne グ/gu ミ/mi ト/to "
        "エ/e ザ/za ル/ru "
        "フィ/fi ハ/ha ゴ/go シェ/she ベ/be ア/a ド/do ニ/ni ユ/yu ガ/ga ロ/ro ピ/pi セ/se ヌ/nu "
        "ダ/da オ/o ワ/wa ジェ/je マ/ma ツ/tsu レ/re ブ/bu モ/mo ナ/na ケ/ke ギ/gi ソ/so チャ/cha "
        "ポ/po イ/i バ/ba ヘ/he ク/ku ジョ/jo スタ/sta"
    ).split()
]
_NOUNS = (
    "場面 状況 順番 結果 理由 枚数 名前 種類 数字 文章 記述 解釈 相談 大会 審判 記録 時間 机 箱 "
    "束 上 下 左 右 表 裏 中 外 最初 最後 次 前 後 全員 自分 味方 仲間 観客 初心者 経験者 作戦 "
    "準備 開始 終了 途中 移動 交換 比較 選択 判断 確認 説明 質問 回答 間違い 例外 原則 目的 役割 "
    "価値 強さ 速さ 重さ 大きさ 高さ 色 形 音 絵 印 線 点 組み合わせ 使い道 取り決め 言い方 "
    "考え方 見分け方 火 水 風 土 光 影 森 山 海 川 空 雪 雨 石 木 花 鳥 魚 馬 犬 猫 町 城 橋 道 "
    "門 家 店 学校 図書館 地図 手紙 時計 鍵 窓 椅子 机上 紙 筆 布 糸 針 皿 鍋 灯り 祭り 物語 歴史 "
    "習慣"
).split()
_ADJECTIVES = (
    "新しい 古い 大きい 小さい 強い 弱い 速い 遅い 高い 低い 長い 短い 重い 軽い 多い 少ない "
    "珍しい 正しい 難しい 易しい"
).split()
# Stems of verbs by the endings that they take: plain, past, joining, negative, "if", passive.
_FORMS = ("る", "た", "て", "ない", "ば", "れる")
_VERBS = [
    (stem, dict(zip(_FORMS, endings.split(), strict=True)))
    for endings, stems in {
        "る た て ない れば られる": "数え 見せ 集め 並べ 決め 与え 受け 確かめ 加え 捨て",
        "する した して しない すれば される": "公開 破壊 追放 宣言 移動 交換 指定 確認 追加 記録",
        "す した して さない せば される": "戻 回 移 起こ 動か 残 渡 増や 減ら",
        "く いた いて かない けば かれる": "引 置 書 除",
        "う った って わない えば われる": "払 使 行 扱 失",
        "ぶ んだ んで ばない べば ばれる": "選 運 呼",
        "む んだ んで まない めば まれる": "積 読 含",
    }.items()
    for stem in stems.split()
]
# {語} a word, {項} a term of the wiki, {形} an adjective, {数} a number; the rest forms of verbs.
_SENTENCES = (
    "{項}を{た}ときは、{語}を先に{る}。",
    "{語}が{形}場合、{語}は{数}まで{れる}。",
    "{語}を{た}後で{語}を{て}、{形}{語}と比べる。",
    "{語}ごとに{語}を{る}ことができる。",
    "{項}がないうちは、{語}を{て}はならない。",
    "{形}{語}では、{項}より{語}のほうが役に立つ。",
    "{語}と{語}を{ば}、{項}が{れる}。",
    "{語}を{ない}限り、{語}は{語}のままである。",
    "{項}で迷ったら、{語}の{語}を読み直すとよい。",
    "{数}の{語}を{て}から、残りを{語}へ{る}。",
    "{語}が{形}なら、{語}を{て}もよい。",
    "{語}の{語}は{形}が、{語}によって変わる。",
    "{項}の{語}を{る}と、{形}{語}が{語}に{れる}。",
    "{語}は{数}を超えて{れる}ことがない。",
)
_OPENINGS = ("は、{語}を{る}ための{形}{語}である。", "は、{項}の{語}として{れる}{語}。",
             "とは、{語}を{て}{語}に{る}ことである。")  # fmt: skip
_QUESTIONS = ("{項}を{た}とき、{語}はどうなりますか？", "{語}の{語}を{る}ことはできますか？",
              "{項}は{数}まで{れる}のですか？")  # fmt: skip
_ANSWERS = ("はい、{語}が{形}ので{れる}。", "いいえ、{語}を{た}後では{ない}。",
            "{数}だけ{て}、残りは{語}へ{る}。")  # fmt: skip
_CELLS = ("{語}", "{形}{語}", "{語}と{語}")
_TITLES = ("{語}と{語}の{語}", "{語}を{る}{語}")  # of rules: a word alone would be a term


Patterns = Sequence[Sequence[str]]


def _parts(patterns: Sequence[str]) -> Patterns:
    """The patterns in pieces: what stands there, a slot, what stands there, …"""
    return [re.split(r"\{(.+?)\}", pattern) for pattern in patterns]


SENTENCES, OPENINGS, QUESTIONS = map(_parts, (_SENTENCES, _OPENINGS, _QUESTIONS))
ANSWERS, CELLS, TITLES = map(_parts, (_ANSWERS, _CELLS, _TITLES))


def coined(number: int) -> tuple[str, str]:
    """The made-up word of a number, in kana and in letters.

    >>> coined(0), coined(1)
    (('トキラ', 'Tokira'), ('オグテ', 'Ogute'))
    """
    base, length = len(_SYLLABLES), 3
    while number >= base**length:
        number, length = number - base**length, length + 1
    number = (number * 7919 + 61) % base**length  # so that those that follow differ at once
    chosen = [_SYLLABLES[number // base**place % base] for place in range(length)]
    return "".join(kana for kana, _ in chosen), "".join(sound for _, sound in chosen).capitalize()


def made_up(number: int) -> tuple[str, str, bool]:
    """The made-up name of a number: Japanese, English, and whether it is a card's."""
    family, place = divmod(number, len(_ENDINGS))
    kana, letters = coined(family)
    ending, english = _ENDINGS[place]
    card = place % 2 == 1
    return f"{kana}{'の' if card else ''}{ending}", f"{letters} {english}", card


@lru_cache(1 << 16)  # the commonest
def _word(rank: int) -> str:
    return _NOUNS[rank] if rank < len(_NOUNS) else coined(10**6 + rank)[0]


def _noun(rng: Random) -> str:
    """A word by Zipf's law as Mandelbrot has it; how many there are has no end."""
    return _word(int(20 / (1 - rng.random()) - 20))


def _one_of(things: Sequence[str], rng: Random) -> str:
    return things[int(len(things) * rng.random())]


def sentence(patterns: Patterns, rng: Random, term: Callable[[], Run]) -> list[Run]:
    """A sentence of one of some patterns; `term` gives a term, linked or not."""
    runs: list[Run] = []
    for place, part in enumerate(patterns[int(len(patterns) * rng.random())]):
        if place % 2 == 0:
            runs.append(part)
        elif part == "語":
            runs.append(_noun(rng))
        elif part == "項":
            runs.append(term())
        elif part == "形":
            runs.append(_one_of(_ADJECTIVES, rng))
        elif part == "数":
            runs.append(f"{1 + int(7 * rng.random())}枚")
        else:
            stem, endings = _VERBS[int(len(_VERBS) * rng.random())]
            runs.append(stem + endings[part])
    return runs
