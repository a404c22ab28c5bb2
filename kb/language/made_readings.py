"""Makes readings in kana of names in kanji, with Sudachi; they may be wrong.

Words of card games that Sudachi reads otherwise stand in `card_game_readings.tsv` beside this file.

The readings are for finding names, and for people who are told so: never for what a page says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

from kb.language.tokens import Tokenizer

UNREAD = "〓"  # stands for a kanji whose reading is not known, in readings and in keys
_SPOKEN_PARTICLES = {"は": "ワ", "へ": "エ"}
_TO_READ = re.compile(r"[A-Za-zＡ-Ｚａ-ｚ々〆〇㐀-䶿一-鿿\uf900-\ufaff𠀀-𳿿]")
_KANJI = re.compile(r"[々〆〇㐀-䶿一-鿿\uf900-\ufaff𠀀-𳿿]")
_ALL_KANA = re.compile(r"[ぁ-ゖァ-ヺー]+")
_KANA_NAME = re.compile(r"[ぁ-ゖァ-ヺー][ぁ-ゖァ-ヺー・ 　=＝]*")
# Of one name: each is a key in the index of names. By hand: fewer lose other readings of long
# names, more make the index larger by unlikely ones.
_MOST_READINGS = 6
_MOST_CHARACTERS = 80  # a guard: the longest name of a card has 36 in Japanese; more are prose
_TABLE = Path(__file__).with_name("card_game_readings.tsv")
_NOUNS = frozenset({"名詞", "代名詞", "接頭辞", "接尾辞"})

MADE_BY_SUDACHI = "reading made by Sudachi"
MADE_WITH_TABLE = "reading made by Sudachi with a list of card-game words"


@dataclass(frozen=True, slots=True)
class MadeReading:
    """A reading that was made for a name.

    kana: the reading in katakana.
    basis: how it was made, in words: `reading made by Sudachi`.
    """

    kana: str
    basis: str


@dataclass(frozen=True, slots=True)
class _ReadWord:
    """A word of a name: the likeliest reading, the others, and whether the table has it."""

    likeliest: str
    others: tuple[str, ...]
    in_table: bool = False


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
    """Return readings of a name in katakana, six at most, each once; the first is the likeliest.

    The others have another reading of one word, or particles as they are spoken (は as ワ). Digits
    and Latin letters that are no word stay as they are; a kanji that has no reading is 〓. The
    list is empty for names without letters, and for those of more than 80 characters.

    >>> from kb.language.tokens import tokenizer
    >>> made_readings("カードを引く", tokenizer()), "ヤマフダ" in made_readings("山札", tokenizer())
    (['カードヲヒク'], True)
    """
    if len(name) > _MOST_CHARACTERS:
        return []
    words = list(_read_words(tokenizer.tokenize(name), tokenizer))
    likeliest = [word.likeliest for word in words]
    readings = {"".join(likeliest): None}
    # First one other reading of each word, then the second of each: the first are the likelier.
    for of_words in zip_longest(*(word.others for word in words)):
        for index, other in enumerate(of_words):
            if other and len(readings) < _MOST_READINGS:
                readings["".join((*likeliest[:index], other, *likeliest[index + 1 :]))] = None
    return [reading for reading in readings if reading]


def _read_words(morphemes: Iterable[Any], tokenizer: Tokenizer | None) -> Iterator[_ReadWord]:
    """Yield how the words of a name are read, in order; signs are left out. Of a name's words that
    the table has together, the longest comes as one.

    tokenizer: for the other readings, which are left out without it.
    """
    rest = [morpheme for morpheme in morphemes if any(map(str.isalnum, morpheme.surface()))]
    start, behind_noun = 0, False
    while start < len(rest):
        count = _words_of_table(rest, start, behind_noun)
        word = rest[start : start + max(count, 1)]
        usual = "".join(map(_reading, word))
        of_first = _other_readings(word[0], tokenizer) if tokenizer and len(word) == 1 else ()
        if count:
            listed = _table()["".join(morpheme.surface() for morpheme in word)]
            others = tuple(other for other in (usual, *of_first) if other != listed)
            yield _ReadWord(listed, tuple(dict.fromkeys(others)), listed != usual)
        else:
            yield _ReadWord(usual, of_first)
        start += len(word)
        behind_noun = word[-1].part_of_speech()[0] in _NOUNS


def _words_of_table(morphemes: Sequence[Any], start: int, behind_noun: bool) -> int:
    """Return how many of some morphemes, from one on, are together a word of the table, the most
    that are; 0 if none are.

    behind_noun: then a word of one character is none: 手 in 相手 is read otherwise.
    """
    surface, found = "", 0
    for count, morpheme in enumerate(morphemes[start:], 1):
        surface += morpheme.surface()
        if len(surface) > _longest_in_table():
            break
        if surface in _table() and (len(surface) > 1 or not behind_noun):
            found = count
    return found


@cache
def _table() -> Mapping[str, str]:
    """Return {word: its reading in katakana} of the table; of a word in two rows, the last."""
    lines = _TABLE.read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return {row[0]: row[1] for row in rows[1:]}


@cache
def _longest_in_table() -> int:
    return max(map(len, _table()))


def _reading(morpheme: Any) -> str:
    """Return how a word is read, in katakana; digits and what has no reading as they are, each
    kanji that then remains as 〓."""
    surface: str = morpheme.surface()
    reading = surface if surface.isdigit() else morpheme.reading_form() or surface
    return _KANJI.sub(UNREAD, reading)


def _other_readings(morpheme: Any, tokenizer: Tokenizer) -> tuple[str, ...]:
    """Return the other readings that the dictionary has of a word in kanji, or how the particles は
    and へ are spoken; empty for all else."""
    surface: str = morpheme.surface()
    if _KANJI.search(surface):
        likeliest = morpheme.reading_form()
        return tuple(other for other in tokenizer.readings(surface) if other != likeliest)
    is_particle = surface in _SPOKEN_PARTICLES and morpheme.part_of_speech()[0] == "助詞"
    return (_SPOKEN_PARTICLES[surface],) if is_particle else ()


def likeliest_reading(morphemes: Iterable[Any]) -> MadeReading | None:
    """Return the likeliest reading of a name, and how it was made; None if a word of it has none
    that is written in kana, such as one in Latin letters or digits, or no word is in it.

    morphemes: the name, as `Tokenizer.tokenize` returns it.

    >>> from kb.language.tokens import tokenizer
    >>> likeliest_reading(tokenizer().tokenize("引く"))
    MadeReading(kana='ヒク', basis='reading made by Sudachi')
    >>> likeliest_reading(tokenizer().tokenize("山札を引く")).kana
    'ヤマフダヲヒク'
    >>> likeliest_reading(tokenizer().tokenize("Sトリガー")) is None
    True
    """
    words = list(_read_words(morphemes, None))
    kana = "".join(word.likeliest for word in words)
    if not _ALL_KANA.fullmatch(kana):
        return None
    in_table = any(word.in_table for word in words)
    return MadeReading(kana, MADE_WITH_TABLE if in_table else MADE_BY_SUDACHI)


def is_kana(name: str) -> bool:
    """Return whether a name is its own reading: all kana, perhaps with middle dots, spaces or =
    behind the first. False if it is empty.

    >>> is_kana("ドロー"), is_kana("オール・カード"), is_kana("引く")
    (True, True, False)
    """
    return _KANA_NAME.fullmatch(name) is not None
