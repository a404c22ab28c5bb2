"""Splits aligned rules into segments, and finds what may be a name in each language."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from kb.knowledge.names.mentions import JOINING_NOUNS
from kb.language.fold import fold
from kb.language.tokens import Tokenizer, stem

EnglishName = tuple[str, ...]  # the stems of its words

# Of a name, in English words or Japanese morphemes. By hand: terms of rulebooks have fewer, and
# each word more makes the names of a run of nouns more by one for every noun.
_MOST_WORDS = 7
# Guards of time and memory: of a rule that are read; nouns that are read as one run; characters of
# a Japanese name. What is longer is a list or no prose.
_MOST_CHARACTERS = 6_000
_MOST_JOINED = 2  # nouns that の joins to one more in a name; more make a phrase, not a name
_LONGEST_RUN = 40
_LONGEST_NAME = 40
# Guards, too: no English word is as long, no symbol in brackets (`{2}`) has as many characters.
_ENGLISH_WORD = re.compile(r"[A-Za-z][A-Za-z’'-]{0,60}")
_SYMBOL = re.compile(r"\{[^{}]{0,20}\}|\[[^\[\]]{0,20}\]")
# Not `kb.language.sentences`: both languages must be cut at the same places to be held against each
# other, and what is proposed was measured with these.
_ENGLISH_SENTENCE = re.compile(r"(?<=[.!?])[\"”’)]*\s+(?=[A-Z“\"(\[{])|\n+")
_JAPANESE_SENTENCE = re.compile(r"(?<=。)[」』）)]*|\n+")
_JOINING = ("・", "＝")  # between the words of one name
_PLACES = frozenset(
    "内 中 外 前 後 時 間 側 上 下 以上 以下 以外 ごと 等 など たち 達 ずつ".split()
)
# Nouns that are in most sentences, as the English function words are.
_FUNCTION_NOUNS = JOINING_NOUNS | frozenset(
    "自分 自身 それぞれ すべて 全て いずれ ほか 他 うち どれ よう 通り 上記 下記".split()
)
_NO_BEGINNING = ("sign", "suffix", "place", "of")
_NO_END = ("sign", "prefix", "place", "of")
_ENDS_OF_VERBS, _ENDS_OF_NOUNS = "うくぐすつぬぶむる", "いきぎしちにびみり"
_DOERS = ("er", "or", "ers", "ors")
_ARTICLES = frozenset(("a", "an", "the"))
# Words that are in most sentences: they are no names, and translate in too many ways.
_FUNCTION_WORDS = (
    "a an the of to in and or for with by from at on as is are was were be been being it its that "
    "this these those then than not no any each all other another may can could would will shall "
    "must should do does did has have had their there they them he she his her you your who whose "
    "which what where into onto also only more most less such so but about per see rule rules "
    "under over during until while before after above below up down out off through between among "
    "without within against toward upon if when whenever because like"
)


class AlignedText(NamedTuple):
    """A rule in both languages: the ids of the passages that give it, and their texts."""

    japanese: str
    english: str
    japanese_text: str
    english_text: str


class EnglishOccurrence(NamedTuple):
    """An English name in a text: the stems of its words, and its span."""

    key: EnglishName
    start: int
    end: int


class Occurrence(NamedTuple):
    """A Japanese name in a text, folded, its span, and the run of nouns that it stands in.

    run: counted in the segment; names of different runs do not overlap.
    is_joined: of two by の.
    """

    key: str
    start: int
    end: int
    run: int
    is_joined: bool = False


class Segment:
    """A sentence in both languages, or a rule, with what may be names in it.

    english, japanese: names and other words with their occurrences, in order.
    stems: of all its English words.
    """

    __slots__ = ("_runs", "english", "japanese", "stems", "text")

    def __init__(
        self,
        text: AlignedText,
        english: Iterable[EnglishOccurrence],
        japanese: Iterable[Occurrence],
        stems: frozenset[str],
    ) -> None:
        self.text = text
        self.stems = stems
        self.english: dict[EnglishName, list[EnglishOccurrence]] = {}
        self.japanese: dict[str, list[Occurrence]] = {}
        self._runs: dict[int, list[Occurrence]] = {}
        for name in english:
            self.english.setdefault(name.key, []).append(name)
        for found in japanese:
            self.japanese.setdefault(found.key, []).append(found)
            self._runs.setdefault(found.run, []).append(found)

    def rename(self, old: str, new: str) -> None:
        """Give a Japanese name another key, beside the occurrences that have it already. Raises
        KeyError if the segment has no such name."""
        renamed = {name: name._replace(key=new) for name in self.japanese.pop(old)}
        self.japanese[new] = sorted(
            (*self.japanese.get(new, ()), *renamed.values()), key=lambda name: name.start
        )
        for number in {name.run for name in renamed}:
            self._runs[number] = [renamed.get(name, name) for name in self._runs[number]]

    def longer(self, name: Occurrence, joined: bool = False) -> list[Occurrence]:
        """Return the names that a Japanese name stands within, in the order of the run; none with
        the same key. Those of the same span count.

        joined: whether names count that are joined of two by の.
        """
        return [
            other
            for other in self._runs[name.run]
            if (joined or not other.is_joined or name.is_joined)
            and other.start <= name.start
            and name.end <= other.end
            and other.key != name.key
        ]

    def take_out(self, names: Iterable[Occurrence]) -> None:
        """Take Japanese names out, and those that overlap with them. Of a name that is part of
        longer ones, these stay, as they may translate something else. A key that is left without
        names goes; what is not there any more is ignored."""
        gone: set[Occurrence] = set()
        for name, is_part in [(name, bool(self.longer(name))) for name in names]:
            run = self._runs[name.run]
            going = [other for other in run if _goes_with(other, name, is_part)]
            self._runs[name.run] = [other for other in run if other not in going]
            gone.update(going)
        for key in {name.key for name in gone}:
            kept = [name for name in self.japanese[key] if name not in gone]
            if kept:
                self.japanese[key] = kept
            else:
                del self.japanese[key]


def _goes_with(name: Occurrence, other: Occurrence, is_part: bool) -> bool:
    """Whether a name is explained by another one: it stands in it, or overlaps with it if that is
    no part of a longer one."""
    if is_part and not name.is_joined:
        return other.start <= name.start and name.end <= other.end
    return name.start < other.end and other.start < name.end


def english_key(name: str) -> EnglishName:
    """Return the stems of the words of an English name, without symbols in brackets, and without
    articles unless it has nothing else; empty for a name without Latin letters.

    >>> english_key("State-Based Actions"), english_key("a player’s deck"), english_key("Power {P}")
    (('state-bas', 'action'), ('player', 'deck'), ('power',))
    """
    stems = tuple(_stem(word) for word in _ENGLISH_WORD.findall(_SYMBOL.sub("", name)))
    return tuple(word for word in stems if word not in _ARTICLES) or stems


def is_function_word(stemmed: str) -> bool:
    """Return whether a stem is that of a word that most sentences have, or of one letter."""
    return stemmed in _FUNCTION_STEMS or len(stemmed) < 2


@lru_cache(1 << 14)  # words, in any case: a guard, well above those of a rulebook
def _stem(word: str) -> str:
    """Return the stem of a word; one that does something, by -er, has another than what it does.

    >>> [_stem(word) for word in ("attacks", "attacking", "Attacker’s", "attackers", "order")]
    ['attack', 'attack', 'attacker', 'attacker', 'order']
    """
    bare = word.casefold().replace("’", "'").removesuffix("'s").removesuffix("s'")
    stemmed = stem(bare)
    is_doer = bare.endswith(_DOERS) and not stemmed.endswith(("er", "or"))
    return f"{stemmed}er" if is_doer else stemmed


_FUNCTION_STEMS = frozenset(map(_stem, _FUNCTION_WORDS.split()))


class SegmentReader:
    """Splits aligned rules into segments, and finds the names and words in them.

    names: the stems of the English names to find.
    written: how each folded Japanese name is written, with counts.
    uses: how often each is used in which way.
    nouns: the nouns that verbs are used as, by the verbs, both folded: 負け of 負ける.
    """

    def __init__(self, names: Collection[EnglishName], tokenizer: Tokenizer) -> None:
        self._names = names
        self._tokenizer = tokenizer
        self.written: dict[str, Counter[str]] = defaultdict(Counter)
        self.uses: dict[str, Uses] = defaultdict(Uses)
        self.nouns: dict[str, str] = {}
        self._folded: dict[str, str] = {}

    def segments(self, text: AlignedText) -> Iterator[Segment]:
        """Yield the sentences of a rule in both languages, in order, or the rule as one segment if
        they are not as many. Only its first 6,000 characters in each language are read; one that is
        empty in both gives none."""
        japanese = list(_sentences(_JAPANESE_SENTENCE, text.japanese_text[:_MOST_CHARACTERS]))
        english = list(_sentences(_ENGLISH_SENTENCE, text.english_text[:_MOST_CHARACTERS]))
        if len(japanese) != len(english):
            japanese = [(0, text.japanese_text[:_MOST_CHARACTERS])]
            english = [(0, text.english_text[:_MOST_CHARACTERS])]
        for (start, one), (other_start, other) in zip(japanese, english, strict=True):
            words: list[re.Match[str]] = []
            stems: list[str] = []
            for word in _ENGLISH_WORD.finditer(other):
                if (stemmed := _stem(word[0])) not in _ARTICLES:
                    words.append(word)
                    stems.append(stemmed)
            found = self._english(words, stems, other_start)
            yield Segment(text, found, self._japanese(one, start), frozenset(stems))

    def _english(
        self, words: Sequence[re.Match[str]], stems: Sequence[str], offset: int
    ) -> Iterator[EnglishOccurrence]:
        """Yield the names in an English text, the longest where several begin; and other words,
        each as a name of one; in order, without overlaps and function words.

        words: of the text, without articles, which names are compared without.
        """
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
            yield EnglishOccurrence(key, offset + words[place].start(), offset + end)
            place += length

    def _japanese(self, text: str, offset: int) -> list[Occurrence]:
        """Return what may be a name in a Japanese text: parts of runs of nouns, which overlap, and
        verbs and adjectives in dictionary form; in order of their runs."""
        found: list[Occurrence] = []
        run: list[_Noun] = []
        runs = 0
        is_counted = False  # whether a number stands before
        for morpheme in self._tokenizer.tokenize(text):
            surface, kind = morpheme.surface(), morpheme.part_of_speech()
            role = _role_in_name(surface, kind, run[-1].role if run else "")
            is_counter = is_counted and kind[2] in ("助数詞", "助数詞可能")
            is_counted = kind[1] == "数詞"
            if role and not is_counter and len(run) < _LONGEST_RUN:
                start, end = offset + morpheme.begin(), offset + morpheme.end()
                run.append(_Noun(surface, role, start, end))
                continue
            if run:
                self._add_names(run, runs, found)
                runs += 1
                run = []
            if kind[0] in ("動詞", "形容詞") and kind[1] != "非自立可能":
                span = offset + morpheme.begin(), offset + morpheme.end()
                verb = morpheme.dictionary_form()
                key = self._add(verb, *span, runs, found)
                if key not in self.nouns and (noun := _noun_of_verb(verb, kind[4])):
                    self.nouns[key] = fold(noun)
                runs += 1
        self._add_names(run, runs, found)
        return found

    def _add_names(self, run: Sequence[_Noun], number: int, found: list[Occurrence]) -> None:
        """Add the names that a run of nouns may have to `found`: all its parts of at most seven
        morphemes that may begin and end so and are not in ASCII; count how they are used."""
        for first, beginning in enumerate(run):
            if beginning.role in _NO_BEGINNING:
                continue
            name = ""
            joined = 0
            for last in range(first, min(len(run), first + _MOST_WORDS)):
                joined += run[last].role == "of"
                if joined > _MOST_JOINED:
                    break
                name += run[last].surface
                if run[last].role not in _NO_END and not name.isascii():
                    key = self._add(name, beginning.start, run[last].end, number, found, joined > 0)
                    behind = run[last + 1].role if last + 1 < len(run) else "place"
                    self.uses[key].alone += behind in ("place", "of")
                    self.uses[key].before_suffix += behind == "suffix"
                    self.uses[key].all += 1

    def _add(
        self,
        name: str,
        start: int,
        end: int,
        run: int,
        found: list[Occurrence],
        joined: bool = False,
    ) -> str:
        """Add a name to `found`, unless it is too long; return its key in any case."""
        key = self._folded.get(name) or self._folded.setdefault(name, fold(name))
        if len(name) <= _LONGEST_NAME:
            self.written[key][name] += 1
            found.append(Occurrence(key, start, end, run, joined))
        return key


@dataclass(slots=True)
class Uses:
    """How often a run of nouns is used: in all, with no noun behind it, and before a suffix."""

    all: int = 0
    alone: int = 0
    before_suffix: int = 0


class _Noun(NamedTuple):
    """A morpheme in a run of nouns: what it is there, and its span."""

    surface: str
    role: str
    start: int
    end: int


def _noun_of_verb(verb: str, conjugation: str) -> str:
    """Return the noun that a verb in its dictionary form is used as; empty for adjectives.

    conjugation: of Sudachi, such as 五段-タ行.

    >>> _noun_of_verb("負ける", "下一段-カ行"), _noun_of_verb("勝つ", "五段-タ行")
    ('負け', '勝ち')
    """
    if "一段" in conjugation:
        return verb[:-1]
    if conjugation.startswith("五段") and verb[-1] in _ENDS_OF_VERBS:
        return verb[:-1] + _ENDS_OF_NOUNS[_ENDS_OF_VERBS.index(verb[-1])]
    return ""


def _sentences(end: re.Pattern[str], text: str) -> Iterator[tuple[int, str]]:
    """Yield the sentences of a text with their offsets, in order, without those that are empty;
    white space between them is part of the first.

    end: what ends a sentence.
    """
    start = 0
    for match in end.finditer(text):
        if text[start : match.end()].strip() and match.end() > start:
            yield start, text[start : match.end()]
            start = match.end()
    if text[start:].strip():
        yield start, text[start:]


def _role_in_name(surface: str, kind: Sequence[str], before: str) -> str:
    """Return what a morpheme is in a run of nouns: `noun`, `suffix`, `place`, `prefix`, `sign` or
    `of` (の); empty if it ends the run.

    before: what the morpheme before it is; empty at the beginning of a run.
    """
    if surface in _FUNCTION_NOUNS:
        return ""
    if before and surface in _PLACES:
        return "place"
    if before in ("noun", "suffix", "place") and surface == "の" and kind[0] == "助詞":
        return "of"
    if kind[0] == "名詞" and kind[1] != "数詞" and kind[2] != "副詞可能":
        return "noun"
    if kind[0] == "形状詞" and kind[1] != "助動詞語幹":
        return "noun"
    if kind[0] == "接頭辞":
        return "prefix"
    if before and kind[0] == "接尾辞":
        return "suffix"
    return "sign" if before in ("noun", "suffix") and surface in _JOINING else ""
