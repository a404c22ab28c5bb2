"""Proposes what terms are called in the other language, from rules that are aligned by number.

Words that occur in the same rules again and again are likely to translate each other. How strongly
two are associated is told by the log-likelihood ratio (T. Dunning 1993). They are linked one to
one, the strongest first, and what is linked explains its occurrences, which then speak for no
other pair (competitive linking: I. D. Melamed, Models of Translational Equivalence among Words,
Computational Linguistics 26, 2000).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import log

from kb.knowledge.translations.aligned_texts import (
    AlignedText,
    EnglishName,
    Segment,
    SegmentReader,
    Uses,
    english_key,
    is_function_word,
)
from kb.language.fold import fold
from kb.language.tokens import Tokenizer
from kb.language.transliteration import likeness

MEASURE = "log-likelihood ratio"
# The thresholds were set by hand, on the names that are labelled in `tests/gold/proposed_names`:
# all of the first hundred that are proposed should be right. A score of 10.83 is reached by chance
# once in a thousand times, of 6 about once in seventy: such links must pass `is_plausible`.
_LEAST_SCORES = (25.0, 15.0, 10.0, 8.0, 6.0)  # of links, by round: the surest are linked first
_LEAST_DICE = 0.3  # the share of two names' occurrences that they have in common; less is chance
# The latter for short names. Higher than where a name and its English are known to belong together
# (0.7): here each is held against all others.
_SOUNDS_ALIKE, _SOUND_THE_SAME = 0.8, 0.95
_SHORT = 6  # letters; fewer have two or three consonants, which many words share
# Factors for names that sound alike, that terms have, and for each part that is linked already:
# they decide between nearly equal scores, and no more.
_FOR_SOUND, _FOR_NAME, _FOR_PART = 1.5, 1.25, 1.2
# A second translation of a name needs so many segments, and this share of all that have the name:
# with less, a frequent name is given any word that it meets three times.
_LEAST_AGAIN, _LEAST_SHARE_AGAIN = 3, 0.2
# The share at which a translation belongs to a part of a name. Higher: names of several words are
# given what translates one of these; lower: none is found whose words are used alone, too.
_ALONE = 0.5
# The share of a name's occurrences at which it is part of a longer one. Higher: names stay cut off
# where a rule says them shortly; lower: words that often stand beside them become part of them.
_EXTENDED = 0.7
# Of the segments with an English name, those that have the Japanese one: with less, the rules call
# it otherwise in most places.
_LEAST_SHARE = 0.5
# English names that go equally well with a Japanese one that occurs once: of more, it is chance
# which of them is meant.
_MOST_RIVALS = 2
_MOST_EXAMPLES = 3  # places shown for a proposed name: enough to judge it by
# Pairs of words of one segment, and of all; guards of time and memory. The longest rule in a
# rulebook has about 2,000, and all of a large rulebook 400,000.
_MOST_PAIRS_OF_SEGMENT, _MOST_PAIRS = 20_000, 600_000
_KATAKANA = re.compile(r"[ァ-ヺー・＝]+")
_DIGITS = re.compile(r"[0-9０-９]")

_Rank = tuple[float, float, int, str]  # score, Dice coefficient, length and Japanese name


@dataclass(frozen=True, slots=True)
class Example:
    """Where a proposed name stands beside the name that it translates: passages and spans."""

    japanese: str
    english: str
    japanese_span: tuple[int, int]
    english_span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class ProposedName:
    """A Japanese and an English name that are likely to translate each other.

    japanese: as it is written most often; a verb in its dictionary form.
    english: the English name as the term has it.
    score: the log-likelihood ratio, raised for names that sound alike or that terms have.
    both, of: in how many segments both occur, of those that have the English name.
    examples: the first few places.
    """

    japanese: str
    english: str
    score: float
    both: int
    of: int
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class _Link:
    english: EnglishName
    japanese: str
    score: float
    both: int
    of: int
    is_composed: bool = False  # of parts that translate words of the English name


def proposed_names(
    texts: Iterable[AlignedText],
    english_names: Iterable[str],
    japanese_names: Iterable[str],
    known: Iterable[tuple[str, str]],
    tokenizer: Tokenizer,
    surest: bool = False,
    homonyms: Collection[EnglishName] = (),
) -> list[ProposedName]:
    """Return the names that rules in two languages suggest to translate each other, likeliest
    first; of equals by their English. One English name may have several; none without rules.

    texts: the rules of one game that are loaded in both languages.
    english_names: the English names of the game's terms; only these are given a Japanese name.
    japanese_names: the Japanese names of its terms; they are preferred.
    known: (Japanese name, English name) of pairs that pages state. They are not proposed again,
        and what they explain speaks for no other pair.
    surest: whether only those names are looked for that many rules speak for.
    homonyms: keys of English names that terms share of which one has a Japanese name and another
        has none. Of other names a second translation needs more.

    >>> from kb.language.tokens import tokenizer
    >>> pairs = [
    ...     ("呪文を唱える。", "Cast a spell."), ("呪文は解決される。", "A spell resolves."),
    ...     ("墓地に置く。", "Put it there."), ("対戦相手の呪文。", "An opponent's spell."),
    ... ]
    >>> texts = [AlignedText(f"j{n}", f"e{n}", *pair) for n, pair in enumerate(pairs * 3)]
    >>> [found] = proposed_names(texts, ["Spell"], [], [], tokenizer())
    >>> found.english, found.japanese, found.both, found.of
    ('Spell', '呪文', 9, 9)
    """
    names = {english_key(name): name for name in sorted(english_names, reverse=True)}
    names = {key: name for key, name in names.items() if key and not is_function_word(key[0])}
    known_pairs = sorted({(fold(japanese), english_key(english)) for japanese, english in known})
    reader = SegmentReader({*names, *(english for _, english in known_pairs)}, tokenizer)
    segments = list(_as_many_as_are_read(texts, reader))
    verbs = _verbs_of_nouns(reader, segments)
    known_pairs = [(verbs.get(japanese, japanese), english) for japanese, english in known_pairs]
    wanted = {fold(name) for name in japanese_names} | {japanese for japanese, _ in known_pairs}
    wanted |= {verbs[name] for name in wanted & verbs.keys()}
    written = {key: spellings.most_common(1)[0][0] for key, spellings in reader.written.items()}
    linker = _Linker(segments, names, written, wanted, _stems(reader.uses) - wanted)
    for japanese, english in known_pairs:
        linker.explain(english, japanese, is_known=True)
    linker.homonyms = set(homonyms)
    links = [
        link for least in _LEAST_SCORES[: 1 if surest else None] for link in linker.links(least)
    ]
    links = [link for link in links if link.english in names and linker.is_plausible(link)]
    links.sort(key=lambda link: (-link.score, link.english, link.japanese))
    return [
        ProposedName(
            written[link.japanese],
            names[link.english],
            round(link.score, 2),
            link.both,
            link.of,
            tuple(linker.examples[link.english, link.japanese]),
        )
        for link in links
    ]


def _as_many_as_are_read(texts: Iterable[AlignedText], reader: SegmentReader) -> Iterator[Segment]:
    """Yield the segments of rules, in order. Those with more than 20,000 pairs of words are left
    out, as they are far longer than a rule and tell nothing; and no rule is read behind the one at
    which all have more than 600,000, so that the time is bounded."""
    pairs = 0
    for text in texts:
        for segment in reader.segments(text):
            pairs_of_segment = len(segment.english) * len(segment.japanese)
            if pairs_of_segment <= _MOST_PAIRS_OF_SEGMENT:
                pairs += pairs_of_segment
                yield segment
        if pairs > _MOST_PAIRS:
            return


def _verbs_of_nouns(reader: SegmentReader, segments: Iterable[Segment]) -> dict[str, str]:
    """Give nouns the keys of the verbs that they are forms of, 負け that of 負ける, in all segments
    and in `reader.written`.

    Return {noun: verb}, folded, of the nouns that texts have. Of several verbs the last sorted
    counts.
    """
    verbs = {noun: verb for verb, noun in sorted(reader.nouns.items()) if noun in reader.written}
    for noun, verb in verbs.items():
        reader.written[verb].update(reader.written[noun])
    for segment in segments:
        for noun in verbs.keys() & segment.japanese.keys():
            segment.rename(noun, verbs[noun])
    return verbs


def _stems(uses: Mapping[str, Uses]) -> set[str]:
    """Return the nouns that are never used but in longer names: 統率 of 統率者 and 統率領域.

    Names in katakana may be words of their own; not if a suffix always follows.
    """
    return {
        name
        for name, of_name in uses.items()
        if of_name.all > 1
        and not of_name.alone
        and (of_name.before_suffix == of_name.all or not _KATAKANA.fullmatch(name))
    }


class _Linker:
    """Links English and Japanese names one to one, round by round.

    segments: what is linked is taken out of them.
    names, written: the English and the Japanese names as they are written.
    wanted: Japanese names that are preferred, folded.
    stems: Japanese names that translate nothing, as they are only parts of others.
    """

    def __init__(
        self,
        segments: Sequence[Segment],
        names: Mapping[EnglishName, str],
        written: Mapping[str, str],
        wanted: Collection[str],
        stems: Collection[str],
    ) -> None:
        self._segments = segments
        self._names = names
        self._written = written
        self._wanted = wanted
        self._stems = stems
        self.homonyms: set[EnglishName] = set()  # of which one has no Japanese name yet
        self._likeness: dict[tuple[EnglishName, str], float] = {}
        self._linked: set[EnglishName] = set()
        self._stated: set[str] = set()  # Japanese names whose English one pages state
        self._meanings: dict[str, set[str]] = defaultdict(set)  # stems that a name is linked to
        self._joined: set[str] = set()  # names that are joined of two by の
        self.examples: dict[tuple[EnglishName, str], list[Example]] = {}
        # The segments of each English word and Japanese name, before anything is linked.
        self._with_stem: dict[str, set[int]] = defaultdict(set)
        self._with_japanese: dict[str, set[int]] = defaultdict(set)
        self._uses: Counter[EnglishName] = Counter()
        for place, segment in enumerate(segments):
            self._uses.update(segment.english.keys())
            for stemmed in segment.stems:
                self._with_stem[stemmed].add(place)
            for key, found in segment.japanese.items():
                self._with_japanese[key].add(place)
                if found[0].is_joined:
                    self._joined.add(key)

    def links(self, least: float) -> Iterator[_Link]:
        """Yield the pairs in which each is the best for the other, with at least this score, and
        take their occurrences out of the segments; the strongest first. What an earlier pair of the
        round explains is no longer there for the others, which then may not be yielded."""
        english_places: dict[EnglishName, list[int]] = defaultdict(list)
        japanese_counts: Counter[str] = Counter()
        for place, segment in enumerate(self._segments):
            for key in segment.english:
                english_places[key].append(place)
            japanese_counts.update(segment.japanese.keys())
        best: dict[EnglishName, tuple[_Rank, _Link]] = {}
        best_score: dict[str, float] = {}
        equals: Counter[tuple[str, float]] = Counter()
        for english, places in english_places.items():
            for rank, link in self._candidates(english, places, japanese_counts):
                if english not in best or rank > best[english][0]:
                    best[english] = (rank, link)
                equals[link.japanese, rank[0]] += 1
                if rank[0] > best_score.get(link.japanese, 0.0):
                    best_score[link.japanese] = rank[0]
        rivals: dict[str, list[_Link]] = defaultdict(list)
        for rank, link in best.values():
            if link.score < least or rank[0] < best_score[link.japanese]:
                continue
            is_sure = link.both > 1 or link.is_composed or link.japanese in self._wanted
            if is_sure or equals[link.japanese, rank[0]] <= _MOST_RIVALS:
                rivals[link.japanese].append(link)
        for japanese in sorted(rivals, key=lambda each: (-rivals[each][0].score, each)):
            link = min(rivals[japanese], key=lambda each: (self._distance(each), each.english))
            link = self._extended(link, english_places[link.english])
            if self.explain(link.english, link.japanese):
                self._linked.add(link.english)
                self.homonyms.discard(link.english)
                yield link

    def _candidates(
        self, english: EnglishName, places: Sequence[int], japanese_counts: Mapping[str, int]
    ) -> Iterator[tuple[_Rank, _Link]]:
        """Yield the Japanese names that occur with an English one and may translate it, each with
        its rank; the highest rank is the best.

        places: the segments that have the English name now.
        """
        together = Counter(chain.from_iterable(self._segments[at].japanese for at in places))
        all_places = frozenset(places)
        for japanese, both in together.items():
            of_japanese = japanese_counts[japanese]
            dice = 2 * both / (len(places) + of_japanese)
            if dice < _LEAST_DICE or japanese in self._stems:
                continue
            if len(english) < 2 and japanese in self._joined:
                continue
            if english in self._linked and both < self._least_again(english):
                continue
            if japanese in self._stated and both < _LEAST_AGAIN:
                continue
            if len(english) > 1 and self._translates_a_part(english, japanese, all_places):
                continue
            score = log_likelihood_ratio(both, len(places), of_japanese, len(self._segments))
            composed = self._composition(english, japanese)
            if composed < 0:
                continue
            score *= _FOR_PART**composed
            if self._sounds_alike(english, japanese):
                score *= _FOR_SOUND
            if japanese in self._wanted:
                score *= _FOR_NAME
            rank = (round(score, 3), round(dice, 6), len(japanese), japanese)
            yield rank, _Link(english, japanese, score, both, len(places), composed > 0)

    def _least_again(self, english: EnglishName) -> float:
        """Return how many segments must speak for a second translation of a name: three, and of a
        name that is no homonym also a fifth of those that have it."""
        if english in self.homonyms:
            return _LEAST_AGAIN
        return max(_LEAST_AGAIN, _LEAST_SHARE_AGAIN * self._uses[english])

    def _translates_a_part(
        self, english: EnglishName, japanese: str, places: Collection[int]
    ) -> bool:
        """Whether a Japanese name goes also with one word of an English name alone: in more than
        half as many other segments as it has with the whole name.

        places: the segments of the English name.
        """
        with_japanese = self._with_japanese[japanese]
        with_name = len(with_japanese.intersection(places))
        for part in english:
            if not is_function_word(part):
                alone = (self._with_stem[part] & with_japanese).difference(places)
                if len(alone) > _ALONE * with_name:
                    return True
        return False

    def _composition(self, english: EnglishName, japanese: str) -> int:
        """Return how many parts of a Japanese name, shorter than itself, are linked to words of an
        English name; 0 if none is linked, -1 if one is linked to something else."""
        ends = range(1, len(japanese) + 1)
        parts = {japanese[start:end] for end in ends for start in range(end)} - {japanese}
        linked = [self._meanings[part] for part in parts & self._meanings.keys()]
        if any(meanings.isdisjoint(english) for meanings in linked):
            return -1
        return len(linked)

    def _sounds_alike(self, english: EnglishName, japanese: str) -> bool:
        """Whether two names sound alike, the Japanese one being in katakana; short ones must sound
        nearly the same."""
        if not _KATAKANA.fullmatch(self._written[japanese]):
            return False
        key = english, japanese
        if key not in self._likeness:
            name = self._names.get(english) or " ".join(english)
            self._likeness[key] = likeness(self._written[japanese], name, whole=True)
        is_short = sum(map(len, english)) < _SHORT
        return self._likeness[key] >= (_SOUND_THE_SAME if is_short else _SOUNDS_ALIKE)

    def _distance(self, link: _Link) -> float:
        """Return how far apart two names stand in the segments that have both, as a share of their
        lengths, 0 to 1 on average; 1 if none has both. Names that always occur together are told
        apart by their order."""
        distances = []
        for place in self._with_japanese[link.japanese]:
            segment = self._segments[place]
            if link.english in segment.english and link.japanese in segment.japanese:
                ours = segment.english[link.english][0]
                theirs = next(iter(segment.japanese[link.japanese]))
                length = max(1, len(segment.text.english_text))
                other_length = max(1, len(segment.text.japanese_text))
                distances.append(abs(ours.start / length - theirs.start / other_length))
        return sum(distances) / len(distances) if distances else 1.0

    def _extended(self, link: _Link, places: Sequence[int]) -> _Link:
        """Return a link to the longer name of which its Japanese name is nearly always a part,
        where the English has several words; the same link if there is none, if terms have the
        Japanese name, or if the two sound alike. Of several the one in most segments, then the
        longest; the link has its count, and the score of the shorter name.

        places: the segments that have both names.
        """
        if len(link.english) < 2 or link.japanese in self._wanted:
            return link
        if self._sounds_alike(link.english, link.japanese):
            return link
        longer: Counter[str] = Counter()
        for place in places:
            segment = self._segments[place]
            found = segment.japanese.get(link.japanese, ())
            longer.update(
                {other.key for name in found for other in segment.longer(name, joined=True)}
            )
        enough = [name for name, count in longer.items() if count >= _EXTENDED * link.both]
        if not enough:
            return link
        name = max(enough, key=lambda each: (longer[each], len(each), each))
        return _Link(link.english, name, link.score, longer[name], link.of)

    def is_plausible(self, link: _Link) -> bool:
        """Whether a link is likely enough to be proposed, and not only to explain occurrences: it
        has no digit, and sounds alike, or half of the segments with the English name have the
        Japanese one, at least two unless its parts confirm it."""
        if _DIGITS.search(link.japanese):
            return False
        if self._sounds_alike(link.english, link.japanese):
            return True
        return link.both >= _LEAST_SHARE * link.of and (link.both > 1 or link.is_composed)

    def explain(self, english: EnglishName, japanese: str, is_known: bool = False) -> bool:
        """Take the occurrences of two names that translate each other out of the segments that
        have both; return whether any has.

        All of the English name go, and as many of the Japanese one with the names that overlap
        them, first those that are no part of a longer name; more of it stay. The first examples
        are kept in `examples`, and the English words as meanings of a Japanese name of several
        characters, also if no segment has both.

        is_known: whether pages state it; neither name then needs another translation.
        """
        if is_known:
            self._linked.add(english)
            self._stated.add(japanese)
        if len(japanese) > 1:
            self._meanings[japanese].update(english)
        examples: list[Example] = []
        for place in sorted(self._with_japanese.get(japanese, ())):
            segment = self._segments[place]
            if english not in segment.english or japanese not in segment.japanese:
                continue
            ours = segment.english.pop(english)
            theirs = sorted(segment.japanese[japanese], key=lambda name: bool(segment.longer(name)))
            segment.take_out(theirs[: len(ours)])
            one, other = theirs[0], ours[0]
            spans = (one.start, one.end), (other.start, other.end)
            examples.append(Example(segment.text.japanese, segment.text.english, *spans))
        if examples:
            self.examples.setdefault((english, japanese), examples[:_MOST_EXAMPLES])
        return bool(examples)


def log_likelihood_ratio(both: int, first: int, second: int, total: int) -> float:
    """Return Dunning's log-likelihood ratio (G²) of two words that occur in aligned segments.

    It is 0 where they are independent, and grows with what speaks against that; 10.83 is reached
    by chance once in a thousand times. It does not tell attraction from avoidance.

    both: in how many segments both occur.
    first, second: in how many each occurs, alone or not.
    total: how many segments there are.

    T. Dunning, Accurate Methods for the Statistics of Surprise and Coincidence, Computational
    Linguistics 19 (1993).

    >>> log_likelihood_ratio(5, 5, 5, 100) > log_likelihood_ratio(5, 9, 9, 100) > 10.83
    True
    >>> log_likelihood_ratio(1, 10, 10, 100)
    0.0
    """
    cells = _entropy(both) + _entropy(first - both) + _entropy(second - both)
    cells += _entropy(total - first - second + both)
    margins = _entropy(first) + _entropy(total - first) + _entropy(second)
    margins += _entropy(total - second)
    return max(0.0, round(2 * (cells - margins + _entropy(total)), 6))


def _entropy(count: int) -> float:
    """Return n · ln n, which is 0 for 0."""
    return count * log(count) if count > 0 else 0.0
