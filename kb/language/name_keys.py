"""The keys by which names are compared and found: by their spelling, and by their sound.

By their spelling, accents and signs do not count: Jötun, jotun; T.A.P., tap. By their sound, kana,
Hepburn and Kunrei romaji become the same letters: what writers of kana and of romaji disagree on is
left out, which is the length of vowels, small kana, づ and ず, apostrophes, spaces. Such a key is
written in hiragana, one sign for a syllable: so three signs of a key say much, and an index of them
is small. Keys are for matching only.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache

from graphs.model import NodeKind
from graphs.store.name_index import NameKey
from kb.language.fold import KATAKANA_TO_HIRAGANA, fold, is_japanese
from kb.language.made_readings import UNREAD, has_kanji, made_readings, needs_reading
from kb.language.tokens import Tokenizer, tokenizer

# The nodes whose names people look up; those of the others are sentences.
NAMED_KINDS: tuple[NodeKind, ...] = ("term", "card", "rule", "page")

SPELLING = "spelling"  # `spelling_key` of the name
KANA = "kana"  # `sound_key` of a name in kana, or of a reading that a page states
MADE = "made"  # `sound_key` of the likeliest reading that Sudachi makes for the name
MADE_OTHERWISE = "made otherwise"  # of one of its other readings
_CACHE_SIZE = 1 << 12  # names; a guard: a name is asked for in several forms, hardly later again
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
_MOST_LONE_CONSONANTS = 1  # one slip (`hku`); English words have two or more, such as `bolt`
_BEHIND_Y = {"あ": "や", "う": "ゆ", "お": "よ"}
_LETTERS_OF_KEY = str.maketrans({kana: letters for letters, kana in _KEY_OF_LETTERS.items()})
_VOICING = "\u3099\u309a"  # combining marks that make another kana
_LETTERS = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "ð": "d", "þ": "th", "đ": "d", "ł": "l", "ı": "i", "ŋ": "n"}
)


def name_keys(name: str, tokenizer: Tokenizer) -> list[NameKey]:
    """Return the keys of a name: by its spelling, and by its sound if it is Japanese.

    The sound is that of its kana; of kanji and Latin letters in it, it is that of readings that
    are made for it, which have a form of their own and may be wrong. That of the spelling comes
    first, then KANA, MADE and MADE_OTHERWISE; of two that sound the same, the first stays. Always
    at least one key, which is empty if the name has no letters.

    >>> from kb.language.tokens import tokenizer
    >>> for key in name_keys("ドロー", tokenizer()) + name_keys("引く", tokenizer()):
    ...     print(*key)
    ドロー spelling どろー どろー
    ドロー kana どろ どろー
    引く spelling 引く 引く
    引く made ひく ひく
    """
    spelled = spelling_key(name)
    keys = [NameKey(name, SPELLING, spelled, spelled)]
    if is_japanese(name):
        if not has_kanji(name):
            keys.append(_sound(name, KANA, name))
        readings = made_readings(name, tokenizer) if needs_reading(name) else []
        for reading in readings:
            form = MADE if reading == readings[0] else MADE_OTHERWISE
            keys.append(_sound(name, form, reading))
    return _each_once(keys)


def _sound(name: str, form: str, reading: str) -> NameKey:
    return NameKey(name, form, sound_key(reading), sound_with_lengths(reading))


def _each_once(keys: Iterable[NameKey]) -> list[NameKey]:
    """Return keys in order, without those whose sound an earlier one has already, and without empty
    ones but for that of the spelling."""
    found: dict[tuple[str, str], NameKey] = {}
    for key in keys:
        if key.key or key.form == SPELLING:
            found.setdefault((key.exact, "" if key.form == SPELLING else "sound"), key)
    return list(found.values())


def key_maker(_: None) -> Callable[[Iterable[str]], list[NameKey]]:
    """Return a function that returns the keys of some names, those of each name together, in order;
    for worker processes. The argument is not used: `WorkerPool.map` gives one."""
    tokens = tokenizer()
    return lambda names: [key for name in names for key in name_keys(name, tokens)]


@lru_cache(_CACHE_SIZE)
def spelling_key(text: str) -> str:
    """Return a name as `fold` does, also without accents, hyphens, apostrophes and other signs.

    Only letters, digits and the sign ー are left; the result may be empty.

    >>> spelling_key("Jötun Æther-Bolt’s"), spelling_key("T.A.P.P.E.R."), spelling_key("ガ！")
    ('jotunaetherbolts', 'tapper', 'が')
    """
    decomposed = unicodedata.normalize("NFD", fold(text).translate(_LETTERS))
    bare = "".join(
        char for char in decomposed if char in _VOICING or not unicodedata.combining(char)
    )
    return "".join(filter(str.isalnum, unicodedata.normalize("NFC", bare)))


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
    """Return how a text sounds, in Latin letters that are the same for all ways of writing it, with
    ー for long marks, 〓 and digits. All else is left out."""
    kana = unicodedata.normalize("NFKC", text).casefold().translate(KATAKANA_TO_HIRAGANA)
    kana = _PAIR.sub(lambda pair: _PAIRS[pair[0]], kana)
    letters = "".join([_SYLLABLES.get(char, char) for char in kana])
    letters = unicodedata.normalize("NFKD", _DOUBLED.sub(r"\1\1", letters))
    letters = _NO_SOUND.sub("", letters.translate(_LONG_MARKS))
    for written, sound in _SAME_SOUNDS if _LATIN.search(kana) else ():
        letters = written.sub(sound, letters)
    return _GLIDE.sub("iy", letters).replace("'", "")


def _in_kana(letters: str) -> str:
    """Return letters with each syllable as a hiragana; what is no syllable stays."""
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
    """Return whether a text in Latin letters may be romaji with a slip: all but one of its
    consonants are followed by a vowel, doubled, or an n. True for a text without letters.

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
