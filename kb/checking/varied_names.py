"""Finds names that a draft varies by a word: `mana reserve` for `mana pool`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from kb.checking.aligned_rules import Usage
from kb.checking.comparable import comparable_parts
from kb.checking.draft import Finding, finding_at
from kb.checking.house import House, ReadSegment
from kb.checking.missing_terms import giver_of
from kb.checking.unexplained_words import Word, words_of
from kb.language.english_finder import FoundName
from kb.language.typography import fold_typography
from kb.reason import Reason
from kb.termbase.model import ConceptName

_MOST_TEXTS = 2  # that are remembered of two words in sequence: more than the checked one
_LEAST_RATE = 0.85  # of aligned rules that have one of the names, smoothed


class VariedNames:
    """The pairs of words that stand together in the rules of a language: what is no variation."""

    def __init__(self, house: House, lang: str) -> None:
        self._house, self._lang = house, lang
        self._pairs: dict[tuple[str, str], set[str]] = defaultdict(set)
        for text in house.rule_texts(lang):
            own = fold_typography(text)
            for one, two in _adjacent(text, self._words(text)):
                known = self._pairs[one.form, two.form]
                if len(known) < _MOST_TEXTS:
                    known.add(own)

    def find(self, read: ReadSegment) -> Iterator[Finding]:
        """Yield the variations of a name that a segment has in fewer places than its source."""
        if read.source is None or read.source_lang is None or not read.is_whole:
            return
        part, _ = comparable_parts(read.source, read.target)
        by_name: dict[tuple[str, ...], list[FoundName]] = defaultdict(list)
        for found in read.source_names:
            if found.end <= len(part):
                by_name[found.concepts].append(found)
        words = self._words(read.target)
        in_target = Counter(one for name in read.target_names for one in name.concepts)
        taken: set[int] = set()
        for concepts, places in by_name.items():
            names = self._house.wanted_names(concepts, self._lang)
            if not names or max(in_target[one] for one in concepts) >= len(places):
                continue
            for name in names:
                variation = self._variation(name.text, read, words, taken)
                if variation is None:
                    continue
                usage = self._usage(places[0], names, read)
                if usage.rules and usage.rate < _LEAST_RATE:
                    continue
                start, end = variation
                taken.add(start)
                written = read.source[places[0].start : places[0].end]
                yield finding_at(
                    read.segment,
                    start,
                    end,
                    "inconsistent-term" if in_target[concepts[0]] else "missing-term",
                    Reason(
                        "should_be",
                        written=written,
                        name=name.text,
                        instead=read.target[start:end],
                    ),
                    expected=name.text,
                    term=concepts[0],
                    giver=giver_of(name, usage),
                    suggestion=name.text,
                    source_text=written,
                )
                break

    def _usage(self, place: FoundName, names: Sequence[ConceptName], read: ReadSegment) -> Usage:
        assert read.source is not None and read.source_lang is not None
        aligned = self._house.aligned(read.source_lang, read.target_lang)
        return aligned.usage_in_any_form(
            place.use(read.source), [name.text for name in names], read.source
        )

    def _variation(
        self, name: str, read: ReadSegment, words: Sequence[Word], taken: set[int]
    ) -> tuple[int, int] | None:
        """Return where a text has the last word of a name behind another word than the name has
        there, or the first word before another; only where no rule has these words together."""
        parts = [word.form for word in self._words(name)]
        if len(parts) < 2:
            return None
        own = fold_typography(read.target)
        for one, two in _adjacent(read.target, words):
            if one.start in taken or self._pairs.get((one.form, two.form), {own}) != {own}:
                continue
            is_new_first = two.form == parts[-1] and one.form not in parts
            is_new_last = one.form == parts[0] and two.form not in parts
            if not (is_new_first or is_new_last):
                continue
            new = one if is_new_first else two
            if any(n.start <= new.start < n.end for n in self._known(read, one, two)):
                continue
            return one.start, two.end
        return None

    @staticmethod
    def _known(read: ReadSegment, one: Word, two: Word) -> list[FoundName]:
        """Return the names in a target that have both of two words."""
        return [n for n in read.target_names if n.start <= one.start and two.end <= n.end]

    def _words(self, text: str) -> list[Word]:
        return words_of(text, self._house.finder(self._lang))


def _adjacent(text: str, words: Sequence[Word]) -> Iterator[tuple[Word, Word]]:
    """Yield the pairs of words with nothing between them, or a space, hyphen or middle dot."""
    for one, two in pairwise(words):
        between = text[one.end : two.start]
        if not between or (len(between) == 1 and between in " -‐‑・"):
            yield one, two
