"""Makes readings in kana of names in kanji, with Sudachi; they may be wrong.

They are for finding names, and for people who are told so: never for what a page says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import zip_longest
from typing import Any

from kb.language.sound_keys import UNREAD
from kb.language.tokens import Tokenizer

_SPOKEN_PARTICLES = {"は": "ワ", "へ": "エ"}
_TO_READ = re.compile(r"[A-Za-zＡ-Ｚａ-ｚ々〆〇㐀-䶿一-鿿豈-龎𠀀-𳿿]")
_KANJI = re.compile(r"[々〆〇㐀-䶿一-鿿豈-龎𠀀-𳿿]")
_ALL_KANA = re.compile(r"[ぁ-ゖァ-ヺー]+")
_KANA_NAME = re.compile(r"[ぁ-ゖァ-ヺー][ぁ-ゖァ-ヺー・ 　=＝]*")
_MOST_READINGS = 6  # of one name
_MOST_CHARACTERS = 80


def needs_reading(name: str) -> bool:
    """Return whether a name has kanji or Latin letters, so that its sound must be looked up.

    >>> needs_reading("引く"), needs_reading("ドロー")
    (True, False)
    """
    return _TO_READ.search(name) is not None


def has_kanji(name: str) -> bool:
    """Return whether a name has any kanji.

    >>> has_kanji("引く"), has_kanji("Ｓ・トリガー")
    (True, False)
    """
    return _KANJI.search(name) is not None


def made_readings(name: str, tokenizer: Tokenizer) -> list[str]:
    """Return readings of a name in kana, six at most; the first is the likeliest.

    The others have another reading of one word, or particles as they are spoken (は as ワ). Digits
    and Latin letters that are no word stay as they are; a kanji that has no reading is 〓. The
    list is empty for names without letters, and for those of more than 80 characters.

    >>> from kb.language.tokens import tokenizer
    >>> made_readings("カードを引く", tokenizer()), "ヤマフダ" in made_readings("山札", tokenizer())
    (['カードヲヒク'], True)
    """
    if len(name) > _MOST_CHARACTERS:
        return []
    morphemes = [m for m in tokenizer.tokenize(name) if any(map(str.isalnum, m.surface()))]
    likeliest = [_reading(morpheme) for morpheme in morphemes]
    readings = {"".join(likeliest): None}
    others = [_other_readings(morpheme, tokenizer) for morpheme in morphemes]
    # First one other reading of each word, then the second of each: the first are the likelier.
    for of_words in zip_longest(*others):
        for index, other in enumerate(of_words):
            if other and len(readings) < _MOST_READINGS:
                readings["".join((*likeliest[:index], other, *likeliest[index + 1 :]))] = None
    return [reading for reading in readings if reading]


def _reading(morpheme: Any) -> str:
    """Return how a word is read; digits and what has no reading as they are, kanji as 〓."""
    surface: str = morpheme.surface()
    reading = surface if surface.isdigit() else morpheme.reading_form() or surface
    return _KANJI.sub(UNREAD, reading)


def _other_readings(morpheme: Any, tokenizer: Tokenizer) -> tuple[str, ...]:
    """Return the other readings that the dictionary has of a word in kanji or a particle."""
    surface: str = morpheme.surface()
    if _KANJI.search(surface):
        likeliest = morpheme.reading_form()
        return tuple(other for other in tokenizer.readings(surface) if other != likeliest)
    is_particle = surface in _SPOKEN_PARTICLES and morpheme.part_of_speech()[0] == "助詞"
    return (_SPOKEN_PARTICLES[surface],) if is_particle else ()


def likeliest_reading(morphemes: Iterable[Any]) -> str | None:
    """Return the likeliest reading of a name in katakana; None if a word of it has none that is
    written in kana, such as one in Latin letters.

    morphemes: the name, as `Tokenizer.tokenize` returns it.

    >>> from kb.language.tokens import tokenizer
    >>> [likeliest_reading(tokenizer().tokenize(name)) for name in ("引く", "Sトリガー")]
    ['ヒク', None]
    """
    words = [morpheme for morpheme in morphemes if any(map(str.isalnum, morpheme.surface()))]
    reading = "".join(map(_reading, words))
    return reading if _ALL_KANA.fullmatch(reading) else None


def is_kana(name: str) -> bool:
    """Return whether a name is its own reading: all kana, perhaps with middle dots or spaces.

    >>> is_kana("ドロー"), is_kana("オール・カード"), is_kana("引く")
    (True, True, False)
    """
    return _KANA_NAME.fullmatch(name) is not None
