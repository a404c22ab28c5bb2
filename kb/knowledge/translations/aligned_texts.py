"""Segments of aligned rules, and entries of glossaries in two languages that explain one thing.

Of the segments it is found what may be a name in each language. Headings tell which names translate
each other, and rules that are aligned suggest it; a headword that is neither a heading nor a
frequent word has only its gloss.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, product
from math import log, sqrt
from typing import NamedTuple

from graphs.sort_orders import natural_key
from graphs.writing.names_and_merges import DefiningPassage, DerivedLabel, NodeName
from kb.knowledge.names.mentions import JOINING_NOUNS
from kb.knowledge.page_subject import game_of
from kb.language.english_inflection import EnglishFinder
from kb.language.fold import fold
from kb.language.tokens import Tokenizer, stem

# By hand, with the glossaries of Lorcana (2025-10-31), each pair read: 37 of 37 are right with all
# names that aligned rules suggest; of 40 at 0.35 and 1.1 one is wrong; at 0.5 and 1.25 there are
# 18. With the few names that are suggested before terms are merged, 23 of 23.
_LEAST_ALIKE = 0.4  # the cosine of two glosses; lower ones share little but the words of any rule
_CLEARLY = 1.15  # how much more alike than with any other entry, on both sides
_LEAST_COMMON = 3  # names in both: fewer are a chance
# Entries that two glossaries are known to have in common, for their order to tell anything, and how
# many of them must be in one order. By hand: of Lorcana’s 53 of 61 are, as names may be homonyms.
_FEWEST_ANCHORS, _MOSTLY = 12, 0.8
_ROUNDS = 5  # each with the names that the one before found: a guard, as the last finds no more
_SHORTEST = 2  # letters of a Japanese name that is looked for; one kanji is part of many words
# What says a place in an order or a citation, in digits; both languages give it.
_ORDER = (
    (re.compile(r"first\b|最初|1つ目|1番目"), "1st"),
    (re.compile(r"second\b|2つ目|2番目"), "2nd"),
    (re.compile(r"third\b|3つ目|3番目"), "3rd"),
    (re.compile(r"fourth\b|4つ目|4番目"), "4th"),
)
_NUMBER = re.compile(r"\d+(?:\.\d+)*")


@dataclass(frozen=True, slots=True)
class GlossaryEntry:
    """An entry of a rulebook's glossary in one language.

    node: the id of its term. names: what the entry calls it.
    passage: the id of the passage that has the text. text: of the gloss, with or without its head.
    """

    node: str
    lang: str
    names: tuple[str, ...]
    passage: str
    text: str

    @property
    def document(self) -> str:
        """What the rulebook is in all its editions and languages: `rulebook/mtg/cr`."""
        return "/".join(self.passage.split("/")[:3])

    @property
    def page(self) -> str:
        """The id of the page that has it."""
        return self.passage.partition("#")[0]


def labels_by_glosses(
    definitions: Iterable[DefiningPassage],
    names: Iterable[NodeName],
    given: Sequence[DerivedLabel],
    suggested: Iterable[tuple[str, str, str]],
) -> list[DerivedLabel]:
    """Return the English names that Japanese terms have by their glosses, sorted: those of the
    English terms whose entries explain the same. By such a name the two are merged.

    Only terms without a name in the other language get one, by the entries of rulebooks alone: the
    first name of the English term.

    definitions: the passages that define terms. names: those of all terms; both as pages state
    them. given: the names that headings state. suggested: (game, Japanese, English) names that
    aligned rules suggest; the more there are, the more is found.
    """
    known: dict[str, set[tuple[str, str]]] = defaultdict(set)
    of_term: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for name in names:
        if name.role != "reading":
            of_term[name.node][name.lang].add(name.text)
    for label in given:
        of_term[label.node][label.lang].add(label.text)
    for node, of_lang in of_term.items():
        known[game_of(node)].update(product(sorted(of_lang["ja"]), sorted(of_lang["en"])))
    stated = {(game, fold(ja), fold(en)) for game, pairs in known.items() for ja, en in pairs}
    paired = {(game, english) for game, _, english in stated}
    for game, japanese, english in suggested:
        known[game].add((japanese, english))
        if (game, fold(japanese), fold(english)) not in stated:  # a homonym: 場 and プレイ, play
            paired.discard((game, fold(english)))
    entries: dict[tuple[str, str], GlossaryEntry] = {}
    for one in sorted(definitions, key=lambda each: natural_key(each.passage)):
        texts = tuple(sorted(of_term[one.node][one.lang]))
        if one.sure and texts and one.lang in ("ja", "en") and one.passage.startswith("rulebook/"):
            entries[one.node, one.lang] = GlossaryEntry(
                one.node, one.lang, texts, one.passage, one.text
            )
    alone = [
        entry
        for entry in entries.values()
        if not of_term[entry.node]["en" if entry.lang == "ja" else "ja"]
        and not any((game_of(entry.node), fold(text)) in paired for text in entry.names)
    ]
    pairs = list(pairs_by_glosses(alone, known))
    pairs += pairs_by_order(entries.values(), alone, pairs, of_term, known)
    found = []
    for ours, theirs in pairs:
        text = theirs.names[0]
        found.append(DerivedLabel(ours.node, "en", text, "preferred", fold(text), theirs.passage))
    return sorted(found)


def pairs_by_glosses(
    entries: Iterable[GlossaryEntry], names: Mapping[str, Collection[tuple[str, str]]]
) -> Iterator[tuple[GlossaryEntry, GlossaryEntry]]:
    """Yield (Japanese, English) entries of one document that explain one thing: each is the other's
    likeliest, clearly, by the names in their texts; those first that others are compared by.

    entries: of terms without a name in the other language, one for a term and a language.
    names: {game: (Japanese, English) names that translate each other}.
    """
    by_game: dict[tuple[str, str], list[GlossaryEntry]] = defaultdict(list)
    for entry in entries:
        by_game[game_of(entry.node), entry.document].append(entry)
    for (game, _), left in sorted(by_game.items()):
        known = set(names.get(game, ()))
        for _ in range(_ROUNDS):
            ours, theirs = ([one for one in left if one.lang == lang] for lang in ("ja", "en"))
            if not ours or not theirs:
                break
            found = list(_Likeness(left, known).mutual(ours, theirs))
            if not found:
                break
            yield from found
            known.update(pair for one, other in found for pair in product(one.names, other.names))
            done = {name for pair in found for entry in pair for name in entry.names}
            left = [one for one in left if done.isdisjoint(one.names)]  # also of other editions


def pairs_by_order(
    entries: Iterable[GlossaryEntry],
    alone: Collection[GlossaryEntry],
    pairs: Sequence[tuple[GlossaryEntry, GlossaryEntry]],
    names: Mapping[str, Mapping[str, Collection[str]]],
    known: Mapping[str, Collection[tuple[str, str]]],
) -> Iterator[tuple[GlossaryEntry, GlossaryEntry]]:
    """Yield (Japanese, English) entries between the same two known pairs of glossaries that are in
    one order, as where a translation keeps that of its original: those whose texts are most alike
    there, even if they have only one name in common.

    entries: of all terms, in the order of the glossaries; alone: those without the other language.
    pairs: what is known by glosses. names: {id of a term: {language: its names}}.
    known: {game: (Japanese, English) names that translate each other}.
    """
    by_page: dict[tuple[str, str], dict[str, list[GlossaryEntry]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for entry in entries:
        by_page[entry.document, entry.lang][entry.page].append(entry)
    same = {(one.node, other.node) for one, other in pairs}
    left = set(alone).difference(*pairs)
    for document in sorted({document for document, _ in by_page}):
        books = [by_page[document, lang].values() for lang in ("ja", "en")]
        if not all(books):
            continue
        ours, theirs = (max(of_lang, key=len) for of_lang in books)
        places = {entry.node: place for place, entry in enumerate(theirs)}
        named = {fold(name): place for place, entry in enumerate(theirs) for name in entry.names}
        anchors: list[tuple[int, int]] = []
        for place, entry in enumerate(ours):
            found = [places[other] for one, other in same if one == entry.node and other in places]
            found += [named[fold(n)] for n in names[entry.node].get("en", ()) if fold(n) in named]
            anchors += [(place, min(found))] if found else []
        kept = _rising(anchors)
        if len(kept) < _FEWEST_ANCHORS or len(kept) < _MOSTLY * len(anchors):
            continue
        game = game_of(ours[0].node)
        alike = _Likeness([*ours, *theirs], {*known.get(game, ()), *_names_of(pairs, game)})
        for (first, other), (last, other_last) in pairwise(
            [(-1, -1), *kept, (len(ours), len(theirs))]
        ):
            gap = [one for one in ours[first + 1 : last] if one in left]
            gap_of_other = [one for one in theirs[other + 1 : other_last] if one in left]
            if gap and gap_of_other:
                yield from alike.mutual(gap, gap_of_other, least_common=1)


def _names_of(
    pairs: Iterable[tuple[GlossaryEntry, GlossaryEntry]], game: str
) -> Iterator[tuple[str, str]]:
    """Yield the names that pairs of entries of a game give in two languages."""
    for one, other in pairs:
        if game_of(one.node) == game:
            yield from product(one.names, other.names)


def _rising(places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the most pairs of numbers, sorted by the first, of which the second rises, too."""
    best: list[list[tuple[int, int]]] = []
    for pair in places:
        longest = max((one for one in best if one[-1][1] < pair[1]), key=len, default=[])
        best.append([*longest, pair])
    return max(best, key=len, default=[])


class _Likeness:
    """How alike the texts of entries in two languages are, by the names in them."""

    def __init__(
        self, entries: Iterable[GlossaryEntry], known: Collection[tuple[str, str]]
    ) -> None:
        """known: (Japanese, English) names that translate each other."""
        names = NamesInBoth(known)
        self._found = {entry: names.of(entry.text, entry.lang) for entry in entries}
        self._weights = _weights([*self._found.values()])

    def of(self, one: GlossaryEntry, other: GlossaryEntry) -> tuple[float, int]:
        """Return the likeness of two texts, from 0 to 1, and how many names they have in common."""
        ours, theirs = self._found[one], self._found[other]
        return _cosine(ours, theirs, self._weights), (ours & theirs).total()

    def mutual(
        self,
        ours: Sequence[GlossaryEntry],
        theirs: Sequence[GlossaryEntry],
        least_common: int = _LEAST_COMMON,
    ) -> Iterator[tuple[GlossaryEntry, GlossaryEntry]]:
        """Yield the entries that are each other's likeliest, clearly, in the order of the first.

        least_common: how many names they must have in common."""
        alike = [[self.of(one, other)[0] for other in theirs] for one in ours]
        for row, entry in enumerate(ours):
            column = max(range(len(theirs)), key=alike[row].__getitem__)
            best = alike[row][column]
            others = [*alike[row][:column], *alike[row][column + 1 :]]
            others += [alike[n][column] for n in range(len(ours)) if n != row]
            is_alike = best >= _LEAST_ALIKE and self.of(entry, theirs[column])[1] >= least_common
            if is_alike and best >= _CLEARLY * max(others, default=0.0):
                yield entry, theirs[column]


class NamesInBoth:
    """Finds names that translate each other in texts of both languages."""

    def __init__(self, pairs: Collection[tuple[str, str]]) -> None:
        """Number the names: all that translate each other, also by way of a third, have one number.

        pairs: (Japanese, English) names. Japanese ones shorter than `_SHORTEST` are not looked for.
        """
        numbers: dict[str, str] = {}
        for japanese, english in sorted(pairs):  # names of one thing have one number
            number = numbers.get(f"en {english.casefold()}") or numbers.get(f"ja {fold(japanese)}")
            number = number or str(len(numbers))
            numbers.setdefault(f"en {english.casefold()}", number)
            numbers.setdefault(f"ja {fold(japanese)}", number)
        self._japanese = {
            name[3:]: number
            for name, number in numbers.items()
            if name.startswith("ja ") and len(name) >= 3 + _SHORTEST
        }
        longest = sorted(self._japanese, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest)) or r"(?!)")
        self._english = EnglishFinder(
            (number, name[3:]) for name, number in numbers.items() if name.startswith("en ")
        )

    def of(self, text: str, lang: str) -> Counter[str]:
        """Return how often a text has each name, by a number of its own; with places in an order
        and numbers. lang: `ja` for the first names of the pairs, any other for English."""
        folded = fold(text)
        found: Counter[str] = Counter()
        if lang == "ja":
            found.update({self._japanese[match[0]] for match in self._pattern.finditer(folded)})
        else:
            found.update({one for name in self._english.find(text) for one in name.concepts})
        for pattern, place in _ORDER:
            if pattern.search(folded if lang == "ja" else text.casefold()):
                found[place] = 1
        found.update({f"#{number}" for number in _NUMBER.findall(folded)})
        return found


def _weights(texts: Sequence[Counter[str]]) -> dict[str, float]:
    """Return how much each name says: the fewer texts have it, the more."""
    counts = Counter(name for text in texts for name in text)
    return {name: log(1 + len(texts) / count) for name, count in counts.items()}


def _cosine(one: Counter[str], other: Counter[str], weights: Mapping[str, float]) -> float:
    """Return how alike two texts are by their names, from 0 to 1."""
    both = sum(weights[name] ** 2 for name in one.keys() & other.keys())
    sizes = [sqrt(sum(weights[name] ** 2 for name in each)) for each in (one, other)]
    return both / (sizes[0] * sizes[1]) if all(sizes) else 0.0


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
    """Return what a morpheme is in a run of nouns: `noun`, `suffix`, `place` (a word such as 内,
    以上 or など, behind which no name goes on but by の), `prefix`, `sign` or `of` (の); empty if
    it ends the run, as verbs do, numerals, nouns of time, and function nouns such as こと.

    kind: the morpheme's part of speech by Sudachi, the broadest class first.
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
