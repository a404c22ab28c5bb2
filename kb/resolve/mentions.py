"""Mentions: where a passage speaks of a term, in any inflection and spelling."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator
from typing import NamedTuple

from graphs.build.annotations import Annotation, Mention, PassageText, Spelling
from graphs.build.labels import NodeName
from kb.extract.terms import game_of
from kb.language.fold import fold
from kb.language.tokens import Entry, Tokenizer, normal_text

_LONGEST = 16  # words in a name
_SHORT = 4  # characters, by which most words are known to begin no name
_MOST_MET = 500_000  # words
# The last kana of a verb, that of its noun (引き) and that of its potential (引ける).
_ENDINGS = {
    "う": ("い", "え"), "く": ("き", "け"), "ぐ": ("ぎ", "げ"), "す": ("し", "せ"),
    "つ": ("ち", "て"), "ぬ": ("に", "ね"), "ぶ": ("び", "べ"), "む": ("み", "め"),
    "る": ("り", "れ"),
}  # fmt: skip
_ONE_STEP = frozenset("いきぎしじちにひびみりえけげせぜてでねへべめれ")  # before る: 加える, 捨てる
_PREFIXES = frozenset("非未不")
_SUFFIXES = frozenset("的機")


class NameMatch(NamedTuple):
    """text[start:end] speaks of one of these terms (several where they are homonyms)."""

    start: int
    end: int
    terms: tuple[str, ...]


class NameLinker:
    """Finds the names of terms in passages: the longest that begins at a word.

    It is made of (term, how a name of it is spelled): see `spelled`.

    >>> from kb.language.tokens import tokenizer
    >>> names = [("t1", "引く"), ("t2", "ドロー・ステップ"), ("t3", "ドロー")]
    >>> linker = NameLinker(
    ...     (term, key) for term, name in names for key in search_keys(name, tokenizer())
    ... )
    >>> text = "ドローステップにカードを引かせる。"
    >>> [(text[m.start:m.end], m.terms) for m in linker.mentions(*tokenizer().entries(text))]
    [('ドローステップ', ('t2',)), ('引か', ('t1',))]
    """

    def __init__(self, names: Iterable[tuple[str, str]]) -> None:
        self._terms: dict[str, tuple[str, ...]] = {}
        homonyms: dict[str, set[str]] = defaultdict(set)
        for term, key in names:
            alone = (term,)
            if self._terms.setdefault(key, alone) != alone:
                homonyms[key].add(term)
        for key, terms in homonyms.items():
            self._terms[key] = tuple(sorted(terms.union(self._terms[key])))
        # Of a long name not every beginning is remembered: they would be most of the memory.
        self._sorted = sorted(self._terms)
        self._short = {key[:n] for key in self._sorted for n in range(1, min(len(key), _SHORT) + 1)}
        self._may_begin = _MayBegin(self._short)

    def mentions(self, entries: list[Entry], starts: list[int]) -> Iterator[NameMatch]:
        """The mentions in a text of these words, in order; none overlap."""
        may_begin, after = self._may_begin, 0
        for at in [at for at, entry in enumerate(entries) if may_begin[entry]]:
            if at < after:
                continue
            match = self._longest(at, entries)
            if match is None or (entries[at].function and match[0] == at):
                continue  # a particle alone is no name, though one may begin with it: として扱う
            last, key = match
            after = last + 1
            if not _part_of_word(at, last, entries):
                yield NameMatch(starts[at], starts[after], self._terms[key])

    def _longest(self, at: int, entries: list[Entry]) -> tuple[int, str] | None:
        """Where the longest name that begins at a word ends, and the key that it has."""
        best: tuple[int, str] | None = None
        begins, terms = self._begins, self._terms
        written = forms = ""  # as the words are spelled, as their normal forms are
        for place in range(at, min(len(entries), at + _LONGEST)):
            entry = entries[place]
            if entry.spelled == entry.folded and written == forms:
                written = forms = written + entry.spelled
                candidates: tuple[str, ...] = (written,)
            else:  # any words as they are spelled, and the last or all in their normal forms
                last = written + entry.folded
                written, forms = written + entry.spelled, forms + entry.folded
                candidates = (written, last, forms)
            if entry.spelled:  # a sign such as ・ is nothing once folded, and ends no name
                for key in candidates:
                    if key in terms:
                        best = place, key
                        break
            if not any(map(begins, candidates)):
                break
        return best

    def _begins(self, text: str) -> bool:
        """Whether a name begins so."""
        if len(text) <= _SHORT:
            return text in self._short
        place = bisect_left(self._sorted, text)
        return place < len(self._sorted) and self._sorted[place].startswith(text)


class _MayBegin(dict[Entry, bool]):
    """Whether a name may begin with a word: found once a word."""

    def __init__(self, short: Container[str]) -> None:
        self._short = short

    def __missing__(self, entry: Entry) -> bool:
        if len(self) > _MOST_MET:
            self.clear()
        # A sign such as ・ is nothing once folded, and begins no name.
        found = entry.spelled[:_SHORT] in self._short or entry.folded[:_SHORT] in self._short
        self[entry] = found and bool(entry.spelled)
        return self[entry]


def _part_of_word(first: int, last: int, entries: list[Entry]) -> bool:
    """Whether what stands before or behind makes another word of a name: 非公開, 効果的."""
    before = entries[first - 1].spelled if first else ""
    behind = entries[last + 1].spelled if last + 1 < len(entries) else ""
    return before in _PREFIXES or behind in _SUFFIXES


class Annotator:
    """Says of every passage which words it has and which terms it speaks of.

    A site's own link is never contradicted: where it leads to a term, no other is mentioned.
    A name that several terms of a game have as their own is no mention of any of them.
    """

    def __init__(self, spellings: Iterable[Spelling], words: Tokenizer) -> None:
        self._words = words
        self._names: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for found in spellings:
            self._names[found.game].append((found.term, found.spelled))
        self._linkers: dict[str, NameLinker] = {}
        self._met: set[Entry] = set()

    def __call__(self, passage: PassageText) -> Annotation:
        """The normal forms of a passage's words, its mentions, the words not met before."""
        entries, starts = self._words.entries(passage.text)
        new = {entry for entry in entries if entry.spelled}.difference(self._met)
        self._met |= new
        met = tuple((e.spelled, e.folded, "" if e.function else e.normal) for e in new)
        forms = normal_text(entries)
        if passage.lang != "ja" or passage.game not in self._names:
            return Annotation(forms, (), met)
        linker = self._linkers.get(passage.game)
        if linker is None:
            linker = NameLinker(self._names[passage.game])
            self._linkers[passage.game] = linker
            self._names[passage.game] = []  # they are many
        spoken = []
        for mention in linker.mentions(entries, starts):
            terms = mention.terms
            for start, end, targets in passage.links:
                if targets and start < mention.end and mention.start < end:
                    terms = tuple(term for term in terms if term in targets)
            if len(terms) == 1:
                label = terms[0].partition("/term/")[2]
                spoken.append(Mention(terms[0], label, mention.start, mention.end))
        return Annotation(forms, spoken, met)


def searchable_names(names: Iterable[NodeName]) -> set[tuple[str, str, str]]:
    """Of the names of terms those that passages are searched for: (game, term, name).

    What is one term's own name and another's alias means the first. Readings and single kana are
    no names, nor is what is not Japanese.
    """
    fit = [
        (game_of(name.node), name)
        for name in names
        if name.role != "reading"
        and not name.text.isascii()
        and (len(name.text) > 1 or not _is_kana(name.text))
    ]
    own = {(game, name.folded) for game, name in fit if name.role == "preferred"}
    return {
        (game, name.node, name.text)
        for game, name in fit
        if name.role == "preferred" or (game, name.folded) not in own
    }


def spellings(names: Iterable[tuple[str, str, str]], words: Tokenizer) -> Iterator[Spelling]:
    """All ways in which names (game, term, name) are found."""
    for game, term, name in names:
        for one in search_keys(name, words):
            yield Spelling(game, one, term, name)


def search_keys(name: str, words: Tokenizer) -> set[str]:
    """What a name is found by, folded: its spelling, so that オモテ向き is found where it says
    表向き; its words' normal forms, so that 引く is found in 引いた; a verb's other forms.

    >>> from kb.language.tokens import tokenizer
    >>> sorted(search_keys("引く", tokenizer()))
    ['引き', '引く', '引ける']
    """
    found = words(name)
    keys = {fold(name), "".join(word.entry.folded for word in found)}
    if found and found[-1].entry.inflected and name and name[-1] in _ENDINGS:
        stem, before = fold(name[:-1]), name[-2:-1]
        noun, potential = _ENDINGS[name[-1]]
        if name[-1] == "る" and (before in _ONE_STEP or not _is_kana(before)):
            keys.add(stem)  # 加え, 捨て
        if name[-1] != "る" or before not in _ONE_STEP:
            keys |= {stem + noun, stem + potential + "る"}
    return {key for key in keys if key}


def _is_kana(text: str) -> bool:
    return "ぁ" <= text <= "ん"
