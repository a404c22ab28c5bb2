"""Mentions: where a passage speaks of a term, in any inflection and spelling."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from graphs.facts import Spoken, Told
from kb.fold import fold
from kb.words import Word, Words, normal_forms

_LONGEST = 16  # words in a name
# The last kana of a verb, that of its noun (引き) and that of its potential (引ける).
_ENDINGS = {
    "う": ("い", "え"), "く": ("き", "け"), "ぐ": ("ぎ", "げ"), "す": ("し", "せ"),
    "つ": ("ち", "て"), "ぬ": ("に", "ね"), "ぶ": ("び", "べ"), "む": ("み", "め"),
    "る": ("り", "れ"),
}  # fmt: skip
_ONE_STEP = frozenset("いきぎしじちにひびみりえけげせぜてでねへべめれ")  # before る: 加える, 捨てる


_PREFIXES = frozenset("非未不")
_SUFFIXES = frozenset("的機")


@dataclass(frozen=True, slots=True)
class Mention:
    """text[start:end] speaks of one of these terms (several where they are homonyms)."""

    start: int
    end: int
    terms: tuple[str, ...]


class Linker:
    """Finds the names of terms in passages: the longest that begins at a word.

    A name is found by its words' normal forms, so that 引く is found in 引いた, and by its
    spelling, so that オモテ向き is found where it says 表向き.

    >>> from kb.words import words
    >>> linker = Linker([("t1", "引く"), ("t2", "ドロー・ステップ"), ("t3", "ドロー")], words())
    >>> text = "ドローステップにカードを引かせる。"
    >>> [(text[m.start:m.end], m.terms) for m in linker.mentions(words()(text))]
    [('ドローステップ', ('t2',)), ('引か', ('t1',))]
    """

    def __init__(self, names: Iterable[tuple[str, str]], words: Words) -> None:
        self._terms: dict[str, set[str]] = defaultdict(set)
        for term, name in names:
            for key in _keys(name, words(name)):
                self._terms[key].add(term)
        self._begins = {key[:n] for key in self._terms for n in range(1, len(key) + 1)}

    def mentions(self, found: list[Word]) -> Iterator[Mention]:
        """The mentions in a text of these words, in order; none overlap."""
        spelled = [word.spelled for word in found]
        normal = [word.folded for word in found]
        begins, at = self._begins, 0
        while at < len(found):
            if spelled[at] not in begins and normal[at] not in begins:
                at += 1
                continue
            match = self._longest(at, spelled, normal)
            if match is None or (found[at].function and match[0] == at):
                at += 1  # a particle alone is no name, though one may begin with it: として扱う
                continue
            last, key = match
            if self._part_of_word(at, last, spelled):
                at = last + 1
                continue
            yield Mention(found[at].start, found[last].end, tuple(sorted(self._terms[key])))
            at = last + 1

    def _part_of_word(self, first: int, last: int, spelled: list[str]) -> bool:
        """Whether what stands before or behind makes another word of a name: 非公開, 効果的."""
        before = spelled[first - 1] if first else ""
        behind = spelled[last + 1] if last + 1 < len(spelled) else ""
        return before in _PREFIXES or behind in _SUFFIXES

    def _longest(self, at: int, spelled: list[str], normal: list[str]) -> tuple[int, str] | None:
        """Where the longest name that begins at a word ends, and the key that it has."""
        best: tuple[int, str] | None = None
        written, forms = "", ""
        for place in range(at, min(len(spelled), at + _LONGEST)):
            # A sign such as ・ is nothing once folded, and ends no name.
            if place == at and not spelled[place]:
                return None
            candidates = (written + spelled[place], written + normal[place], forms + normal[place])
            written, _, forms = candidates
            if spelled[place]:
                for key in candidates:
                    if key in self._terms:
                        best = place, key
                        break
            if not any(key in self._begins for key in candidates):
                break
        return best


class Teller:
    """Says of every passage which words it has and which terms it speaks of.

    A site's own link is never contradicted: where it leads to a term, no other is mentioned.
    A name that is one term's own and another's alias means the first; one that several terms
    of a game have as their own is no mention of any of them.
    """

    def __init__(self, names: Iterable[tuple[str, str, str, str]], words: Words) -> None:
        self._words = words
        self._names: dict[str, list[tuple[str, str]]] = defaultdict(list)
        usable = [n for n in names if not n[2].isascii() and (len(n[2]) > 1 or not _is_kana(n[2]))]
        own = {(game, fold(name)) for _, game, name, role in usable if role == "preferred"}
        for term, game, name, role in usable:
            if role == "preferred" or (game, fold(name)) not in own:
                self._names[game].append((term, name))
        self._linkers: dict[str, Linker] = {}

    def __call__(self, passage: Told) -> tuple[str, list[Spoken]]:
        """The normal forms of a passage's words, and its mentions."""
        found = self._words(passage.text)
        forms = " ".join(form for form, _, _ in normal_forms(found))
        if passage.lang != "ja" or passage.game not in self._names:
            return forms, []
        linker = self._linkers.get(passage.game)
        if linker is None:
            linker = Linker(self._names[passage.game], self._words)
            self._linkers[passage.game] = linker
        spoken = []
        for mention in linker.mentions(found):
            terms = set(mention.terms)
            for start, end, targets in passage.links:
                if targets and start < mention.end and mention.start < end:
                    terms &= targets
            if len(terms) == 1:
                term = terms.pop()
                label = term.partition("/term/")[2]
                spoken.append(Spoken(term, label, mention.start, mention.end))
        return forms, spoken


def _keys(name: str, found: list[Word]) -> set[str]:
    """What a name is found by: its spelling, its normal forms, and a verb's other forms."""
    keys = {fold(name), "".join(word.folded for word in found)}
    if found and found[-1].inflected and name and name[-1] in _ENDINGS:
        stem, before = fold(name[:-1]), name[-2:-1]
        noun, potential = _ENDINGS[name[-1]]
        if name[-1] == "る" and (before in _ONE_STEP or not _is_kana(before)):
            keys.add(stem)  # 加え, 捨て
        if name[-1] != "る" or before not in _ONE_STEP:
            keys |= {stem + noun, stem + potential + "る"}
    return {key for key in keys if key}


def _is_kana(text: str) -> bool:
    return "ぁ" <= text <= "ん"
