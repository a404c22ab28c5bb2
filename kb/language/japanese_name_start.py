"""Decides where a Japanese name begins in a sentence, when its end and its English are known.

In 「カードを引く闇の腹心/Dark Confidant」 nothing separates the name from the words before. Every
word that may be its first gets a score, the sum of logarithms of how likely a name of so many
words is for the English one, how likely its particles are within a name, and how likely a name
stands behind the words before it. Words in katakana should sound like English ones. If no place is
clearly the best, there is no answer: a wrong name is worse than none.

The numbers are counted, roughly, in 12,000 names of cards in both languages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from kb.language.tokens import Tokenizer
from kb.language.transliteration import likeness

# How often a name of 1, 2, 3, … English words has 1, 2, 3, … Japanese ones: natural logarithms.
_WORD_COUNTS: Mapping[int, Sequence[float]] = {
    1: (-0.6, -0.9, -2.7, -5.3),
    2: (-3.5, -0.4, -1.4, -3.3, -6.5),
    3: (-4.7, -1.9, -0.5, -1.7, -3.6, -6.5),
    4: (-7.0, -2.3, -1.4, -0.7, -1.8, -4.0, -6.5),
    5: (-7.0, -2.2, -1.8, -1.0, -1.6, -3.3, -3.3, -6.0),
}
_NEVER = -9.0  # below any count of the table, and below _ENOUGH: alone it rules a place out

# The weights that follow are natural logarithms, too: each is about how often names have it, and
# the rounder ones were set by hand so that names in sentences of wikis begin in the right place.
# Within a name: how often it has a particle (の is in every other name), a verb or adjective.
_WITHIN: Mapping[str, float] = {
    "の": 0.0, "を": -4.1, "へ": -4.6, "に": -4.8, "と": -5.2, "から": -4.7, "が": -7.0,
    "で": -6.7, "て": -6.7, "は": -7.5, "か": -7.0,
}  # fmt: skip
_OTHER_WITHIN, _DOER_WITHIN, _WHETHER_WITHIN, _VERB_WITHIN, _ADJECTIVE_WITHIN = (
    -8.0,
    -1.0,
    -1.0,
    -1.5,
    -2.0,
)
_ADVERB_BEFORE_NOUN = -3.0
_AND_WITHIN, _POINTER_WITHIN, _TALK_FIRST, _GENITIVE_OF_VERB = -1.0, -5.0, -4.0, -1.5

# Commas: in both names, in the Japanese alone (beside an epithet, or not), in the English alone
# (behind a comma, or not); the longest proper name behind one, in words.
_COMMA, _COMMA_FOR_EPITHET, _COMMA_ALONE = -0.25, -1.5, -6.0
_NO_COMMA_BEHIND_ONE, _NO_COMMA, _LONG_AFTER_COMMA, _LONGEST_AFTER_COMMA = -3.4, -1.5, -2.0, 4

# Behind what a name stands: a particle, a clause by the particle before its verb, another word.
_BEHIND: Mapping[str, float] = {
    "は": -0.7, "が": -0.7, "も": -0.7, "や": -0.7, "を": -1.0, "と": -1.0, "の": -3.7,
}  # fmt: skip
_BEHIND_OTHER_PARTICLE = -1.2
_BEHIND_CLAUSE: Mapping[str, float] = {"を": -2.7, "に": -3.3, "の": -2.5, "が": -4.0, "から": -3.3}
_BEHIND_VERB, _BEHIND_FIRST_VERB, _BEHIND_ADJECTIVE = -4.0, -5.5, -3.2
_BEHIND_LINK, _BEHIND_TALK = -1.2, -0.8
_BEHIND_SORT, _SORT_WITHIN = -1.0, -6.0
_BEHIND_WORD: Mapping[str, float] = {"連体詞": -1.5, "接続詞": -0.8, "副詞": -1.2}
# The same if the name begins with a verb, and what stands before may be that verb's.
_GOVERNING = {"を": -3.5, "に": -3.0, "が": -2.0, "で": -2.0, "から": -2.0}
_IN_LIST = -1.5  # words between a name in a list and the one before: seldom, but there are some

# Words in katakana that do not sound like English: in the name, or hardly; one left out that does;
# a name of nothing else that does not sound like all of the English one.
_UNLIKE, _HARDLY_LIKE, _LEFT_OUT, _PART = -2.5, -0.7, -3.0, -7.0
# Of 3,000 names in katakana, 83% are above _LIKE beside their own English and 2% beside another's;
# 94% and 32% are above _SOMEWHAT_LIKE.
_LIKE, _SOMEWHAT_LIKE = 0.7, 0.5

# The least score; the least lead over the second, which is to be five times as likely (e^1.6).
# Higher: more names without an answer; lower: more that begin in the wrong place.
_ENOUGH, _CLEARLY = -6.5, 1.6

_CONTENT = frozenset({"名詞", "動詞", "形容詞", "形状詞", "副詞", "代名詞", "感動詞"})
_NOMINAL = frozenset({"名詞", "代名詞", "接尾辞"})  # 巨大化 ends with a suffix
_INFLECTED = frozenset({"動詞", "形容詞"})
_VERBAL = frozenset({"動詞", "助動詞", "形容詞", "接尾辞"})
_FUNCTION = frozenset({"助詞", "助動詞", "補助記号", "空白", "接尾辞"})
_AUXILIARY_VERBS = frozenset(
    "いる 居る ある 有る ない 無い する 為る できる 出来る なる 成る".split()
)
# Verbs that do no more than link what is before them to a name.
_LINKING_VERBS = frozenset("いう 言う できる よる 対する 関する おける 似る".split())
_POINTERS = frozenset("この その あの どの ある 或る 同じ こんな そんな いわゆる あらゆる".split())
# Nouns that need something before them.
_NOT_FIRST = frozenset("者 もの 物 こと ところ とき 場合 ため 々".split())
# Words of talk about cards: what a text says of a card, or whose it is. No name begins with them.
_TALK = frozenset(
    "再録 収録 登場 印刷 採用 使用 禁止 制限 有名 強力 便利 代表 上位 下位 互換 亜種 同様 同じ "
    "類似 通常 同名 同型 サイクル デッキ カード コスト 効果 能力 対戦 相手 自分 前者 後者 前述 "
    "後述 上記 下記 例 初出 起動 誘発 クリーチャー トークン 手札 山札 ライブラリー 優秀 最強 定番 "
    "典型 限定 良い 多い 相性 一部 他 墓地 戦場 場 後 前 中 間 内 際 今 以前 以降 以上 以下".split()
)
# Nouns of time and the like that stand before a name only as an adverb does, without a particle.
_NOUNS_AS_ADVERBS = frozenset(
    "通常 現在 以前 近年 本来 普段 今後 従来 結果 結局 実際 当初 一応 元々 基本的 大抵".split()
)
# Nouns for a step of what happens, which open a clause with に, は or で.
_STEPS = frozenset("次 最初 最後 同時 初め 始め 一方 今回 実際".split())
# Words for a sort of cards, which stand before a name; but a name may have them, too, and then its
# English has that word.
_SORTS: Mapping[str, str] = {
    "カード": "card", "クリーチャー": "creature", "トークン": "token", "モンスター": "monster",
    "エンチャント": "enchant", "アーティファクト": "artifact",
}  # fmt: skip
_COLOURS: Mapping[str, str] = {
    "白": "white", "青": "blue", "黒": "black", "赤": "red", "緑": "green", "無色": "colorless",
}  # fmt: skip
_UNCOUNTED = frozenset("of the to in and for with a an by from into at on or as s".split())
_AND = re.compile(" (?:and|&) ")
_EPITHET = re.compile("(?<!of) the ")  # Arvad the Cursed
_KATAKANA_WORD = re.compile("[ァ-ヺー]{3,}")
_KATAKANA_ONLY = re.compile("[ァ-ヺー・＝]+")
_LAST_KATAKANA = re.compile("([ァ-ヺー]{3,})[^ァ-ヺー]?$")


class _Word(NamedTuple):
    """A word of the text before the slash.

    surface: the word as written.
    kind: its part of speech, as Sudachi names it.
    adverbial: whether it is a noun that may stand as an adverb: 場合, 時.
    attributive: whether it is inflected, and may modify the noun behind it.
    dictionary: its dictionary form.
    start: its offset in the text.
    """

    surface: str
    kind: str
    attributive: bool
    dictionary: str
    start: int
    adverbial: bool = False

    @classmethod
    def of(cls, morpheme: Any) -> _Word:
        """Return a morpheme of Sudachi's as a word, with another kind where that reads names
        better: 連体詞 that do not point count as adjectives, に and で always as particles."""
        kind, _, detail, *_, form = morpheme.part_of_speech()
        surface = morpheme.surface()
        if surface in _NOUNS_AS_ADVERBS:
            kind = "副詞"
        if kind == "連体詞" and surface not in _POINTERS:
            kind, form = "形容詞", "連体形"  # 大いなる
        if kind == "助動詞" and surface in {"に", "で"}:  # of 実質的に
            kind, form = "助詞", ""
        if surface == "し":  # of 呪われし者; Sudachi knows it as a particle, too
            kind, form = "助動詞", ""
        attributive = form.startswith(("連体形", "終止形"))
        dictionary, adverbial = morpheme.dictionary_form(), detail == "副詞可能"
        return cls(surface, kind, attributive, dictionary, morpheme.begin(), adverbial)


def name_beginning(
    text: str, english: str, tokenizer: Tokenizer, *, alone: bool = False, listed: bool = False
) -> int | None:
    """Return where in a text the Japanese name at its end begins, an offset; None if that is
    unclear: no place is likely enough, or two are nearly as likely. None for an empty text.

    text: what stands before the slash, from the last sign or particle that can't be in a name.
    english: the English name.
    alone: whether signs set the text apart, so that all of it is the name if it can be one.
    listed: whether only a comma, や or the like is between the text and the name before it.

    >>> from kb.language.tokens import tokenizer
    >>> text = "対戦相手が霧の番人"
    >>> text[name_beginning(text, "Mist Warden", tokenizer()):]
    '霧の番人'
    >>> name_beginning("湖畔の霧谷砦番人一覧目録", "Port", tokenizer())
    """
    words = _with_opening([_Word.of(morpheme) for morpheme in tokenizer.tokenize(text)])
    if words and words[0].kind == "助詞" and len(words[0].surface) > 1:  # よりよい品物
        words[0] = words[0]._replace(kind="")
    if alone and words and _can_be_name(words):
        return 0 if _sound(text, "", english) > _ENOUGH else None
    commas = [index for index, word in enumerate(words) if word.surface == "、"]
    earliest = commas[-2] + 1 if len(commas) > 1 else 0  # a name has one comma at most
    scores = sorted(
        (
            _score(words, first, text, english) + (_IN_LIST if listed and first else 0.0),
            words[first].start,
        )
        for first in range(earliest, len(words))
        if _may_begin(words, first)
    )
    if not scores or scores[-1][0] < _ENOUGH:
        return None
    is_clear = len(scores) == 1 or scores[-1][0] - scores[-2][0] >= _CLEARLY
    return scores[-1][1] if is_clear else None


def _with_opening(words: list[_Word]) -> list[_Word]:
    """Return words with the first two as one conjunction if they open a clause as one does: 次に,
    この場合. The same words if they don't, or there are fewer than three."""
    if len(words) < 3:
        return words
    first, second = words[:2]
    is_pointer = first.kind == "連体詞" and second.adverbial and words[2].kind != "助詞"
    is_time = first.surface in _STEPS and second.surface in {"に", "は", "で"}
    if not is_pointer and not is_time:
        return words
    return [first._replace(surface=first.surface + second.surface, kind="接続詞"), *words[2:]]


def _can_be_name(words: Sequence[_Word]) -> bool:
    """Return whether words that stand apart can be a name: with one comma at most, and without a
    function word at the beginning."""
    commas = sum(word.surface == "、" for word in words)
    return commas <= 1 and words[0].kind not in _FUNCTION | {"接続詞", "連体詞"}


def _may_begin(words: Sequence[_Word], first: int) -> bool:
    """Return whether a name may begin with a word: not with a particle or other function word, an
    auxiliary verb, or a noun that needs something before it (者). Behind other words, it must have
    a noun."""
    word = words[first]
    return (
        word.kind not in _FUNCTION
        and word.surface not in _NOT_FIRST
        and word.dictionary not in _AUXILIARY_VERBS
        and (first == 0 or any(later.kind in _NOMINAL for later in words[first:]))
    )


def _score(words: Sequence[_Word], first: int, text: str, english: str) -> float:
    """Return how likely a name begins with the word `first`, to compare with other words: a sum of
    logarithms, the higher the likelier, hardly ever above 0."""
    start, before, name = words[first].start, words[:first], words[first:]
    behind_comma = any(word.surface == "、" for word in before)
    return (
        (_behind(before, name, english) if before else 0.0)
        + _commas(name, english, behind_comma)
        + _length(name, english)
        + _words_within(name, english)
        + _sound(text[start:], text[:start], english)
    )


# -- What stands before ------------------------------------------------------------------------


def _behind(before: Sequence[_Word], name: Sequence[_Word], english: str) -> float:
    """Return how likely a name of some words stands behind other words, at least one: 0 behind a
    comma or ・, `_NEVER` where the two are part of one expression, such as two nouns."""
    last, word = before[-1], name[0]
    if last.surface in {"、", "・"}:
        return 0.0
    if not last.kind:
        return _NEVER
    if last.kind == "助詞":
        return _behind_particle(before, name, english)
    if last.kind in _VERBAL - {"接尾辞"}:
        return _behind_verb(before, word, english)
    if last.surface in _TALK and len(before) > 1 and before[-2].kind == "連体詞":  # その後
        return _BEHIND_TALK
    if _is_other_sort(last.surface, english):  # 分割カード
        return _BEHIND_SORT
    if last.surface == "より" and word.kind in _INFLECTED:  # よりよい
        return _NEVER
    return _BEHIND_WORD.get(last.kind, _NEVER)


def _behind_particle(before: Sequence[_Word], name: Sequence[_Word], english: str) -> float:
    """Return how likely a name of some words stands behind words that end with a particle."""
    particle = before[-1].surface
    if particle == "の" and len(before) > 1:
        if _is_talk(before[:-1], english):
            return _BEHIND_TALK
        if before[-2].kind == "助詞":  # 闇への, 灰からの: part of a name
            return _BEHIND_FIRST_VERB
    score = _BEHIND.get(particle, _BEHIND_OTHER_PARTICLE)
    if particle == "の" and name[0].kind == "形容詞":  # 相性の良い
        return score + _GENITIVE_OF_VERB
    begins_with_verb = name[0].kind == "動詞" or (name[1:] and _is_noun_verb(name, 1))
    return score + (_GOVERNING.get(particle, 0.0) if begins_with_verb else 0.0)


def _behind_verb(before: Sequence[_Word], word: _Word, english: str) -> float:
    """Return how likely a name that begins with a word stands behind words that end with a verb,
    an adjective or an auxiliary."""
    last, earlier = before[-1], before[-2].surface if len(before) > 1 else ""
    if last.surface == "なく" and last.dictionary in _AUXILIARY_VERBS:  # ではなく
        return _BEHIND_LINK
    if not last.attributive or word.kind == "助動詞":
        return _NEVER
    is_link = (
        _is_talk(before, english)
        or (last.surface == "な" and earlier == "よう")
        or (last.dictionary in {"ある", "有る"} and earlier == "で")
        or last.dictionary in _LINKING_VERBS
    )
    if is_link:
        return _BEHIND_LINK
    if last.surface == "な":
        return _BEHIND_ADJECTIVE
    if all(one.kind != "助詞" or one.surface == "て" for one in before):
        return _BEHIND_FIRST_VERB
    return _BEHIND_CLAUSE.get(_governing_particle(before), _BEHIND_VERB)


def _governing_particle(words: Sequence[_Word]) -> str:
    """Return the particle between the verb that ends some words and what belongs to it: を in
    カードを引く. Empty if the verb stands alone."""
    index = len(words) - 1
    while index > 0 and (words[index].kind in _VERBAL or words[index].surface == "て"):
        index -= 1
        if words[index].attributive and words[index + 1].kind in _INFLECTED:
            break  # of カードを引く注意深い, 注意深い stands alone
    if 0 < index < len(words) - 1 and _is_noun_verb(words, index + 1):
        index -= 1
    return words[index].surface if words[index].kind == "助詞" else ""


def _is_talk(words: Sequence[_Word], english: str) -> bool:
    """Return whether the last of some words, back to a particle, say of which or how many cards a
    text speaks, so that they are no part of a name."""
    for word in reversed(words):
        is_before_name = word.surface in _SORTS and word is not words[-1]  # カード魔紋の力
        if word.kind in {"助詞", "補助記号"} or is_before_name:
            return False
        if _is_no_beginning(word, english):
            return True
    return False


def _is_no_beginning(word: _Word, english: str) -> bool:
    """Return whether hardly any name begins with a word: a number, a pronoun, a word of talk about
    cards, or a colour that the English name does not have."""
    colour = _COLOURS.get(word.surface)
    is_other_colour = colour is not None and colour not in english.casefold()
    is_talk = word.surface in _TALK or word.surface.isdigit()
    return is_talk or word.kind == "代名詞" or is_other_colour


def _is_other_sort(word: str, english: str) -> bool:
    """Return whether a word is a sort of cards that the English name does not have."""
    sort = _SORTS.get(word)
    return sort is not None and sort not in english.casefold()


# -- What is within ----------------------------------------------------------------------------


def _length(name: Sequence[_Word], english: str) -> float:
    """Return how likely a name with so many words is for the English one.

    If both have a comma, the proper name on the one side of it is not counted: it may be any
    number of words to Sudachi.
    """
    comma = next((index for index, word in enumerate(name) if word.surface == "、"), None)
    proper, mark, epithet = english.partition(",")
    if mark and comma is not None:
        name, proper = name[:comma], ""
    ours = sum(
        word.kind in _CONTENT and not _is_second_part(name, index)
        for index, word in enumerate(name)
    )
    theirs = sum(
        word not in _UNCOUNTED for word in re.findall(r"[^\W_]+", f"{proper} {epithet}".casefold())
    )
    counts = _WORD_COUNTS[min(max(theirs, 1), max(_WORD_COUNTS))]
    return counts[ours - 1] if 0 < ours <= len(counts) else _NEVER


def _words_within(name: Sequence[_Word], english: str) -> float:
    """Return how likely a name has its particles, verbs and adjectives, but for the last word, and
    begins with such a word; 0 for nouns alone."""
    first = name[0]
    is_adverb = first.kind == "副詞" and first.surface != "より"
    score = _TALK_FIRST if is_adverb or _is_no_beginning(first, english) else 0.0
    if is_adverb and len(name) > 1 and name[1].kind in {"名詞", "形状詞", "形容詞"}:  # 例えば稲妻
        score += _ADVERB_BEFORE_NOUN
    for index, word in enumerate(name[:-1]):
        following = name[index + 1]
        if word.kind in _INFLECTED:
            is_second = index > 0 and name[index - 1].kind == "動詞"
            score += 0.0 if is_second else _VERB_WITHIN
        elif word.surface in {"を", "に"} and _is_doer(name[index + 1 :]):
            score += _DOER_WITHIN
        elif word.surface == name[-1].surface == "か":  # 行動か死か
            score += _WHETHER_WITHIN
        elif word.kind == "助詞":
            is_and = word.surface == "と" and _AND.search(english)
            score += _AND_WITHIN if is_and else _WITHIN.get(word.surface, _OTHER_WITHIN)
            score += _GENITIVE_OF_VERB if following.kind in _INFLECTED else 0.0
        elif _is_other_sort(word.surface, english):
            score += _SORT_WITHIN
        elif word.surface == "な":
            score += _ADJECTIVE_WITHIN
        elif word.kind in {"連体詞", "接続詞"}:
            score += _POINTER_WITHIN
    return score


def _commas(name: Sequence[_Word], english: str, behind_comma: bool) -> float:
    """Return how likely a name has a comma, or none, beside its English one.

    behind_comma: whether there is a comma in the text before the name.
    """
    commas = [index for index, word in enumerate(name) if word.surface == "、"]
    if "," not in english:
        alone = _COMMA_FOR_EPITHET if _EPITHET.search(english) else _COMMA_ALONE
        return alone if commas else 0.0
    if not commas:
        return _NO_COMMA_BEHIND_ONE if behind_comma else _NO_COMMA
    is_long = len(name) - commas[-1] - 1 > _LONGEST_AFTER_COMMA
    return _COMMA + (_LONG_AFTER_COMMA if is_long else 0.0)


def _is_second_part(words: Sequence[_Word], index: int) -> bool:
    """Return whether a word is one with the word before it: する behind a noun, and the second verb
    of a compound such as 隠れ潜む."""
    return _is_noun_verb(words, index) or (
        index > 0 and words[index].kind == words[index - 1].kind == "動詞"
    )


def _is_noun_verb(words: Sequence[_Word], index: int) -> bool:
    """Return whether a word is する behind a noun."""
    is_verb = words[index].dictionary in {"する", "為る"}
    return is_verb and index > 0 and words[index - 1].kind == "名詞"


def _is_doer(words: Sequence[_Word]) -> bool:
    """Return whether words begin with a verb and 者, as behind を in 命を与える者."""
    for word in words:
        if word.surface in {"者", "もの", "物"}:
            return True
        if word.kind not in {"動詞", "助動詞"}:
            return False
    return False


def _sound(name: str, before: str, english: str) -> float:
    """Return how the words in katakana speak for a name: those in it should sound like words of
    the English one, and one directly before it should not. 0 if there are none, else a sum of
    penalties."""
    score = sum(_likeness_score(word, english) for word in _KATAKANA_WORD.findall(name))
    if _KATAKANA_ONLY.fullmatch(name) and likeness(name, english, whole=True) < _LIKE:
        score += _PART
    left_out = _LAST_KATAKANA.search(before)
    is_name = left_out is not None and not _is_other_sort(left_out[1], english)
    if left_out and is_name and _likeness_score(left_out[1], english) == 0.0:
        score += _LEFT_OUT
    return score


def _likeness_score(katakana: str, english: str) -> float:
    """Return 0 if a word in katakana sounds like an English word of a name, or like all of it, else
    a penalty, which is small if one sounds somewhat like it. The name must not be empty."""
    best = max(likeness(katakana, word) for word in [*english.split(), english])
    if best > _LIKE:
        return 0.0
    return _HARDLY_LIKE if best >= _SOMEWHAT_LIKE else _UNLIKE
