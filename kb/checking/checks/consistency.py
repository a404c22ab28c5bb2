"""Finds terms that a draft translates in two ways."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from kb.checking.checks.missing_terms import giver_of, is_said_otherwise
from kb.checking.draft import Finding, comparable_parts, finding_at
from kb.checking.house_usage import House, ReadSegment
from kb.checking.rules_in_two_languages import Usage
from kb.checking.term_finder import Word, words_of
from kb.language.english_inflection import FoundName, NameUse
from kb.language.typography import fold_typography
from kb.reason import Reason
from kb.termbase.model import ConceptName

# All by hand: lower calls free wording a fault, higher overlooks a term that was translated once
# by mistake.
_ENOUGH = 3  # segments that translate a term in one way; and so many to one for another name
_SURE = 0.9  # smoothed share of segments and rules that do
# Of at most so many segments and rules, as even if all agree, smoothing leaves 5 of 5 at 0.86.
_SURE_OF_FEW, _FEW = 0.8, 6
# Japanese has none where English has one.
_PRONOUN = re.compile("you|your|あなた(?:の)?", re.IGNORECASE)
_RARELY = 0.05  # the share of rules with a name that the house doesn't stand for: slips in rules
_MOST_TEXTS = 2  # that are remembered of two words in sequence: more than the checked one
_LEAST_RATE = 0.85  # of aligned rules that have one of the names, smoothed: these translate freely


@dataclass(slots=True)
class _Use:
    """How a draft translates a name of its source.

    named: (segment, where the source has it, the names that the target has for it), in order.
    names: what the termbase allows.
    """

    names: tuple[ConceptName, ...]
    named: list[tuple[ReadSegment, FoundName, tuple[str, ...]]] = field(default_factory=list)


class Consistency:
    """Collects how a draft translates its terms; when all segments are seen, says where one is
    translated otherwise than elsewhere."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._uses: dict[tuple[NameUse, str], _Use] = {}

    def add(self, read: ReadSegment) -> None:
        """Take note of the terms of a segment, each once; of none if it has no source, or isn't the
        translation of all of it."""
        if read.source is None or not read.is_whole:
            return
        part, _ = comparable_parts(read.source, read.target)
        own = self._house.finder(read.target_lang)
        seen: set[NameUse] = set()
        for name in read.source_names:
            use = name.use(read.source)
            if name.end > len(part) or use in seen:
                continue
            seen.add(use)
            names = self._house.usable_names(name.concepts, read.target_lang)
            if names and not _PRONOUN.fullmatch(_written(read, name)):
                had = tuple(
                    one.text
                    for one in names
                    if own.has(read.target, one.text) or is_said_otherwise(one.text, read.target)
                )
                known = self._uses.setdefault((use, read.target_lang), _Use(names))
                known.named.append((read, name, had))

    def findings(self) -> Iterator[Finding]:
        """Yield the terms that are translated otherwise than in most segments of the draft: term by
        term, in the order in which they were met, only those of four segments or more."""
        for (use, _), known in self._uses.items():
            if len(known.named) > _ENOUGH:
                yield from self._lacking(use, known)
                yield from self._other_name(use, known)

    def _lacking(self, use: NameUse, known: _Use) -> Iterator[Finding]:
        """Yield a finding, without a place, for each segment that has none of the names, where
        nearly all others (three at least) have one, and fewer than three aligned rules have the
        term."""
        lacking = [(read, name) for read, name, had in known.named if not had]
        agreeing = len(known.named) - len(lacking)
        if agreeing < _ENOUGH:
            return
        for read, name in lacking:
            rules = self._in_rules(use, read, [one.text for one in known.names])
            if rules[0] >= _ENOUGH:
                continue  # the rules have judged
            total = len(known.named) - 1 + rules[0]
            rate = (agreeing + rules[1] + 1) / (total + 2)
            if rate < (_SURE if total > _FEW else _SURE_OF_FEW):
                continue
            written = _written(read, name)
            counts = Counter(text for _, _, had in known.named for text in had[:1])
            usual = counts.most_common(1)[0][0]
            yield finding_at(
                read.segment,
                0,
                0,
                "inconsistent-term",
                Reason("usual_elsewhere", written=written, name=usual, segments=agreeing),
                expected=usual,
                term=use.concepts[0],
                giver=Reason("segments_of_draft", segments=agreeing),
                source_text=written,
            )

    def _other_name(self, use: NameUse, known: _Use) -> Iterator[Finding]:
        """Yield a finding for each segment that has another of the names than the usual one, of
        ties the longest; unless a decision or the rules have that name, or it is part of the usual
        one. Its place is empty if the name is inflected there."""
        by_name: dict[str, int] = defaultdict(int)
        for _, _, had in known.named:
            for text in had:
                by_name[text] += 1
        if len(by_name) < 2:
            return
        usual = max(by_name, key=lambda text: (by_name[text], len(text)))
        decided = {one.text for one in known.names if one.why == "decision"}
        for read, name, had in known.named:
            if not had or usual in had or by_name[usual] < _ENOUGH * by_name[had[0]]:
                continue
            if had[0] in decided or had[0] in usual:
                continue
            rules = self._in_rules(use, read, [had[0]])
            if rules[1] > _RARELY * rules[0]:
                continue
            written = _written(read, name)
            start = max(read.target.find(had[0]), 0)
            end = start + len(had[0]) if read.target[start:].startswith(had[0]) else start
            yield finding_at(
                read.segment,
                start,
                end,
                "inconsistent-term",
                Reason(
                    "other_elsewhere",
                    written=written,
                    name=usual,
                    segments=by_name[usual],
                    other_name=had[0],
                ),
                expected=usual,
                term=use.concepts[0],
                giver=Reason("segments_of_draft", segments=by_name[usual]),
                suggestion=usual,
                source_text=written,
            )

    def _in_rules(self, use: NameUse, read: ReadSegment, names: list[str]) -> tuple[int, int]:
        """Return how many aligned rules have the source's name in any form, and how many of these
        have one of some names in the target language."""
        assert read.source is not None and read.source_lang is not None
        aligned = self._house.aligned(read.source_lang, read.target_lang)
        usage = aligned.usage_in_any_form(use, names, read.source)
        return usage.rules, usage.agreeing


def _written(read: ReadSegment, name: FoundName) -> str:
    assert read.source is not None
    return read.source[name.start : name.end]


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
        """Yield the variations of a name that a segment has in fewer places than its source, one
        for each term at most: as `inconsistent-term` if its right name is there as well, else as
        `missing-term`. Nothing of terms that the aligned rules often translate otherwise."""
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
        """Return where a text first has the last word of a name behind a word that the name doesn't
        have, or its first word before one; only where no rule but this text has the two together,
        and the other word is no part of a known name. None otherwise, and for a name of one word.

        taken: starts that are not looked at."""
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
            known = (n for n in read.target_names if n.start <= one.start and two.end <= n.end)
            if any(name.start <= new.start < name.end for name in known):
                continue
            return one.start, two.end
        return None

    def _words(self, text: str) -> list[Word]:
        return words_of(text, self._house.finder(self._lang))


def _adjacent(text: str, words: Sequence[Word]) -> Iterator[tuple[Word, Word]]:
    """Yield the pairs of words with nothing between them, or one space, hyphen or middle dot."""
    for one, two in pairwise(words):
        between = text[one.end : two.start]
        if not between or (len(between) == 1 and between in " -‐‑・"):
            yield one, two
