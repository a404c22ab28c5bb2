"""Compares names by their sound: kana, Hepburn and Kunrei romaji become the same letters.

A key is for matching only. What writers of kana and of romaji disagree on is left out of it: the
length of vowels, small kana, づ and ず, apostrophes, spaces. It is written in hiragana, one sign
for a syllable: so three signs of a key say much, and an index of them is small.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_CACHE_SIZE = 1 << 12
_ROWS = {
    "": "あいうえお", "k": "かきくけこ", "g": "がぎぐげご", "s": "さしすせそ", "z": "ざじずぜぞ",
    "t": "たちつてと", "d": "だぢづでど", "n": "なにぬねの", "h": "はひふへほ", "b": "ばびぶべぼ",
    "p": "ぱぴぷぺぽ", "m": "まみむめも", "r": "らりるれろ",
}  # fmt: skip
_SYLLABLES = {
    kana: consonant + vowel
    for consonant, row in _ROWS.items()
    for kana, vowel in zip(row, "aiueo", strict=True)
} | {
    "や": "ya", "ゆ": "yu", "よ": "yo", "わ": "wa", "ゐ": "i", "ゑ": "e", "を": "o", "ん": "n",
    "ぢ": "zi", "づ": "zu", "ゔ": "bu",
    "ぁ": "a", "ぃ": "i", "ぅ": "u", "ぇ": "e", "ぉ": "o", "ゃ": "ya", "ゅ": "yu", "ょ": "yo",
    "ゎ": "wa", "ゕ": "ka", "ゖ": "ke",
}  # fmt: skip
# Two kana that are one syllable, which the letters of each do not give.
_PAIRS = {
    "てぃ": "ti", "でぃ": "zi", "とぅ": "tu", "どぅ": "zu", "てゅ": "tyu", "でゅ": "dyu",
    "ゔぁ": "ba", "ゔぃ": "bi", "ゔぇ": "be", "ゔぉ": "bo", "ゔゅ": "byu",
}  # fmt: skip
_PAIR = re.compile("|".join(_PAIRS))
UNREAD = "〓"  # stands for a kanji whose reading is not known, in readings and in keys
_TO_HIRAGANA = {code: code - 0x60 for code in range(ord("ァ"), ord("ヶ") + 1)}
_DOUBLED = re.compile(r"っ+([a-z])")
_NO_SOUND = re.compile(f"[^a-z0-9'ー{UNREAD}]")
_LATIN = re.compile("[a-z]")
_GLIDE = re.compile("(?<=[bdghkmnprstz])i?y")
# From any way of writing romaji to the letters of _ROWS, in this order.
_SAME_SOUNDS = tuple(
    (re.compile(written), sound)
    for written, sound in (
        ("[tc](?=ch)", "t"), ("dz", "z"), ("d(?=[iu])", "z"), ("m(?=[bpm])", "n"),
        ("n'", "n"), ("v", "b"),
        ("shi|sy", "si"), ("sh", "si"), ("chi|cy", "ti"), ("ch", "ti"), ("tsu", "tu"),
        ("ts", "tu"), ("ji|jy", "zi"), ("j", "zi"), ("f(?=u)", "h"), ("f", "hu"),
        ("(?<=[kg])w", "u"), ("w(?=[ieo])", "u"),
    )
)  # fmt: skip
_LONG_MARKS = str.maketrans({"\u0304": "ー", "\u0302": "ー"})  # combining: ō, ô
_LONG_VOWEL = re.compile("aa+|ii+|uu+|e[ei]+|o[ou]+")
_KEY_OF_LETTERS = {
    consonant + vowel: kana
    for consonant, row in _ROWS.items()
    for kana, vowel in zip(row, "aiueo", strict=True)
} | {"wa": "わ"}
_KEY_SYLLABLE = re.compile("[bdghkmnprstzw]?[aiueo]")
_LONE_CONSONANT = re.compile(r"([bcdfghjklmpqrstvwxyz])(?!\1|[aiueoy])")
_MOST_LONE_CONSONANTS = 1
_BEHIND_Y = {"あ": "や", "う": "ゆ", "お": "よ"}
_LETTERS_OF_KEY = str.maketrans({kana: letters for letters, kana in _KEY_OF_LETTERS.items()})


@lru_cache(_CACHE_SIZE)
def sound_key(text: str) -> str:
    """Return how a name in kana or in romaji sounds, in hiragana that are only for comparing.

    Consonants without a vowel are letters in it (`n` for ん, one of a doubled consonant). Vowels
    with long marks count as those without; digits stay; other signs, kanji and letters of other
    scripts are left out. The result may be empty.

    >>> sound_key("ツウジョウ"), sound_key("tsūjō"), sound_key("tuuzyou"), sound_key("tsujo")
    ('つじお', 'つじお', 'つじお', 'つじお')
    >>> sound_key("キャット"), sound_key("きやっと"), sound_key("kyatto")
    ('きあtと', 'きあtと', 'きあtと')
    """
    letters = _letters(text).replace("iy", "i").replace("ー", "")
    return _in_kana(_LONG_VOWEL.sub(_first_vowel, letters))


@lru_cache(_CACHE_SIZE)
def sound_with_lengths(text: str) -> str:
    """Return the same as `sound_key`, but with the sign ー behind vowels that are long, however
    their length is written, and with the letter `y` where kana show ゃ, ゅ and ょ.

    >>> sound_with_lengths("ドロー"), sound_with_lengths("dorou"), sound_with_lengths("doro")
    ('どろー', 'どろー', 'どろ')
    >>> sound_with_lengths("ショウリ"), sound_with_lengths("shouri")
    ('しyおーり', 'しおーり')
    """
    letters = _LONG_VOWEL.sub(lambda vowel: f"{_first_vowel(vowel)}ー", _letters(text))
    return _in_kana(re.sub("ー+", "ー", letters))


def _first_vowel(found: re.Match[str]) -> str:
    return found[0][0]


@lru_cache(_CACHE_SIZE)
def _letters(text: str) -> str:
    """Return how a text sounds, in Latin letters that are the same for all ways of writing it."""
    kana = unicodedata.normalize("NFKC", text).casefold().translate(_TO_HIRAGANA)
    kana = _PAIR.sub(lambda pair: _PAIRS[pair[0]], kana)
    letters = "".join([_SYLLABLES.get(char, char) for char in kana])
    letters = unicodedata.normalize("NFKD", _DOUBLED.sub(r"\1\1", letters))
    letters = _NO_SOUND.sub("", letters.translate(_LONG_MARKS))
    for written, sound in _SAME_SOUNDS if _LATIN.search(kana) else ():
        letters = written.sub(sound, letters)
    return _GLIDE.sub("iy", letters).replace("'", "")


def _in_kana(letters: str) -> str:
    """Return letters with each syllable as a hiragana."""
    return _KEY_SYLLABLE.sub(
        lambda syllable: _KEY_OF_LETTERS.get(syllable[0], syllable[0]), letters
    )


def sound_letters(key: str) -> str:
    """Return a key of `sound_key` in letters, in which a slip in romaji changes one of them.

    >>> sound_letters("きあtと")
    'kiatto'
    """
    return key.translate(_LETTERS_OF_KEY)


def may_be_romaji(words: str) -> bool:
    """Return whether a text in Latin letters may be romaji with a slip: most of its consonants are
    followed by a vowel, doubled, or an n.

    >>> may_be_romaji("tsujo no doro"), may_be_romaji("hku"), may_be_romaji("lightning bolt")
    (True, True, False)
    """
    return len(_LONE_CONSONANT.findall(sound_letters(sound_key(words)))) <= _MOST_LONE_CONSONANTS


def kana_of_key(key: str) -> str:
    """Return a key of `sound_with_lengths` in kana alone, to sort names by their readings.

    >>> [kana_of_key(sound_with_lengths(word)) for word in ("アンタップ", "やまふだ", "しょうめつ")]
    ['あんたっぷ', 'やまふだ', 'しよーめつ']
    """
    kana = re.sub("y([あうお])", lambda match: _BEHIND_Y[match[1]], key)
    return re.sub("[a-z](?=[ぁ-ん])", "っ", re.sub("n(?![a-z])", "ん", kana))
