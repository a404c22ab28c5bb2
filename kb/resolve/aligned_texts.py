"""Splits aligned rules into segments, and finds what may be a name in each language."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kb.language.fold import fold
from kb.language.tokens import Tokenizer, stem

EnglishName = tuple[str, ...]  # the stems of its words

_MOST_WORDS = 7  # of a name
_MOST_CHARACTERS = 6_000  # of a rule that are read
_ENGLISH_WORD = re.compile(r"[A-Za-z][A-Za-z’'-]*")
_ENGLISH_SENTENCE = re.compile(r"(?<=[.!?])[\"”’)]*\s+(?=[A-Z“\"(\[{])|\n+")
_JAPANESE_SENTENCE = re.compile(r"(?<=。)[」』）)]*|\n+")
_JOINING = ("・", "＝")  # between the words of one name
_PLACES = frozenset(
    "内 中 外 前 後 時 間 側 上 下 以上 以下 以外 ごと 等 など たち 達 ずつ".split()
)
_NO_BEGINNING = ("sign", "suffix", "place")
_NO_END = ("sign", "prefix", "place")
_ARTICLES = frozenset(("a", "an", "the"))
# Words that are in most sentences: they are no names, and translate in too many ways.
_FUNCTION_WORDS = (
    "a an the of to in and or for with by from at on as is are was were be been being it its that "
    "this these those then than not no any each all other another may can could would will shall "
    "must should do does did has have had their there they them he she his her you your who whose "
    "which what where into onto also only more most less such so but about per see rule rules"
)
_FUNCTION_STEMS = frozenset(stem(word) for word in _FUNCTION_WORDS.split())


class AlignedText(NamedTuple):
    """A rule in both languages: the ids of the passages that give it, and their texts."""

    japanese: str
    english: str
    japanese_text: str
    english_text: str


class Occurrence(NamedTuple):
    """A name in a text: its key (folded Japanese, or English stems) and its span."""

    key: str | EnglishName
    start: int
    end: int


@dataclass(slots=True)
class Segment:
    """A sentence in both languages, or a rule, with what may be names in it.

    english, japanese: names, and other words; those that are explained are taken out.
    stems: of all its English words.
    """

    text: AlignedText
    english: list[Occurrence]
    japanese: list[Occurrence]
    stems: frozenset[str]


def english_key(name: str) -> EnglishName:
    """Return the stems of the words of an English name, without articles.

    >>> english_key("State-Based Actions"), english_key("a player’s deck")
    (('state-bas', 'action'), ('player', 'deck'))
    """
    stems = tuple(_stem(word) for word in _ENGLISH_WORD.findall(name))
    return tuple(word for word in stems if word not in _ARTICLES) or stems


def is_function_word(stemmed: str) -> bool:
    """Return whether a stem is that of a word that most sentences have."""
    return stemmed in _FUNCTION_STEMS or len(stemmed) < 2


def _stem(word: str) -> str:
    return stem(word.casefold().replace("’", "'").removesuffix("'s").removesuffix("s'"))


class SegmentReader:
    """Splits aligned rules into segments, and finds the names and words in them.

    names: the stems of the English names to find.
    written: how each folded Japanese name is written, with counts.
    """

    def __init__(self, names: Collection[EnglishName], tokenizer: Tokenizer) -> None:
        self._names = names
        self._tokenizer = tokenizer
        self.written: dict[str, Counter[str]] = defaultdict(Counter)

    def segments(self, text: AlignedText) -> Iterator[Segment]:
        """Yield the sentences of a rule in both languages, or the rule if they are not as many."""
        japanese = list(_sentences(_JAPANESE_SENTENCE, text.japanese_text[:_MOST_CHARACTERS]))
        english = list(_sentences(_ENGLISH_SENTENCE, text.english_text[:_MOST_CHARACTERS]))
        if len(japanese) != len(english):
            japanese = [(0, text.japanese_text[:_MOST_CHARACTERS])]
            english = [(0, text.english_text[:_MOST_CHARACTERS])]
        for (start, one), (other_start, other) in zip(japanese, english, strict=True):
            found = list(self._english(other, other_start))
            stems = frozenset(_stem(word) for word in _ENGLISH_WORD.findall(other))
            yield Segment(text, found, list(self._japanese(one, start)), stems)

    def _english(self, text: str, offset: int) -> Iterator[Occurrence]:
        """Yield the names in an English text, the longest where several begin; and other words."""
        words = list(_ENGLISH_WORD.finditer(text))
        stems = [_stem(word[0]) for word in words]
        place = 0
        while place < len(words):
            for length in range(min(_MOST_WORDS, len(words) - place), 0, -1):
                key = tuple(stems[place : place + length])
                if key in self._names:
                    break
            else:
                length, key = 1, (stems[place],)
                if is_function_word(stems[place]):
                    place += 1
                    continue
            end = words[place + length - 1].end()
            yield Occurrence(key, offset + words[place].start(), offset + end)
            place += length

    def _japanese(self, text: str, offset: int) -> Iterator[Occurrence]:
        """Yield what may be a name in a Japanese text: parts of runs of nouns, and verbs."""
        run: list[tuple[str, str, int, int]] = []  # surface, role in a run, start, end
        for morpheme in self._tokenizer.tokenize(text):
            surface, kind = morpheme.surface(), morpheme.part_of_speech()
            role = _role_in_name(surface, kind, run[-1][1] if run else "")
            start, end = offset + morpheme.begin(), offset + morpheme.end()
            if role:
                run.append((surface, role, start, end))
                continue
            yield from self._names_in_run(run)
            run.clear()
            if kind[0] in ("動詞", "形容詞") and kind[1] != "非自立可能":
                yield self._occurrence(morpheme.dictionary_form(), start, end)
        yield from self._names_in_run(run)

    def _names_in_run(self, run: Sequence[tuple[str, str, int, int]]) -> Iterator[Occurrence]:
        for first in range(len(run)):
            for last in range(first, min(len(run), first + _MOST_WORDS)):
                begins, ends = run[first][1], run[last][1]
                if begins in _NO_BEGINNING or ends in _NO_END:
                    continue
                name = "".join(word[0] for word in run[first : last + 1])
                if not name.isascii():
                    yield self._occurrence(name, run[first][2], run[last][3])

    def _occurrence(self, name: str, start: int, end: int) -> Occurrence:
        key = fold(name)
        self.written[key][name] += 1
        return Occurrence(key, start, end)


def _sentences(end: re.Pattern[str], text: str) -> Iterator[tuple[int, str]]:
    """Yield the sentences of a text with their offsets, without those that are empty."""
    start = 0
    for match in end.finditer(text):
        if text[start : match.end()].strip() and match.end() > start:
            yield start, text[start : match.end()]
            start = match.end()
    if text[start:].strip():
        yield start, text[start:]


def _role_in_name(surface: str, kind: Sequence[str], before: str) -> str:
    """Return what a morpheme is in a run of nouns: noun, suffix, place, prefix or sign; empty if it
    ends the run.

    before: what the morpheme before it is; empty at the beginning of a run.
    """
    if kind[0] == "名詞" and kind[1] != "数詞" and kind[2] != "副詞可能":
        return "noun"
    if kind[0] == "形状詞" and kind[1] != "助動詞語幹":
        return "noun"
    if kind[0] == "接頭辞":
        return "prefix"
    if before and kind[0] == "接尾辞":
        return "place" if surface in _PLACES else "suffix"
    return "sign" if before in ("noun", "suffix") and surface in _JOINING else ""
