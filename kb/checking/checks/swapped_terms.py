"""Finds terms of the source in whose place the target names another term of the game."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from kb.checking.checks.missing_terms import (
    giver_of,
    goes_without_saying,
    has_beginning,
    sentences_of,
)
from kb.checking.draft import Finding, comparable_parts, finding_at
from kb.checking.house_usage import House, ReadSegment
from kb.checking.rules_in_two_languages import Usage
from kb.checking.term_finder import STOP_WORDS, Finder
from kb.language.english_inflection import FoundName, inflection_base
from kb.language.fold import fold
from kb.reason import Reason
from kb.termbase.model import ConceptName

# Of the aligned rules with a name, the least share that has one of its names in the other language,
# for its lack to say something. By hand, with rules in two languages: at .8 in 19 of 1,000 pairs a
# term stands for another, nearly all where the languages do differ; lower shares add words that are
# translated freely (選択), higher ones lose half of what was exchanged by a script.
_LEAST_SHARE = 0.8
_STRANGER = 0.6  # the same of a term that only the target has, as its words stand there
_ENOUGH_RULES = 3  # to judge by a share; of fewer all must agree
_SAME_PLACE = 0.1  # of a sentence, from the place of the term that is missing
_EVERYWHERE = 0.05  # of the rules have a word, such as `character`, that is added for clarity
# Of terms on either side without their counterpart; more show that it isn't a translation of all.
_MOST = 3
_MOST_KEPT = 4  # results: both of a segment, and of the one before
# The same of two terms of one kind, such as two phases, either of which is missing.
_LEAST_SHARE_OF_KIND = 0.5
_FOUR_KANJI = re.compile("[一-鿿]{4}")
_LAST_WORD = re.compile(r"[A-Za-z]+\W*$|[ァ-ヺー]+$|[一-鿿]$")


# What parts a sentence in two that contrast.
_CONTRAST = {
    "ja": re.compile("が、|けれど、|一方、"),
    "en": re.compile(r"[,;] (?:but|while|whereas)\b|; "),
}


class LoneName(NamedTuple):
    """A name of a term in one text of a pair that the other text names less often, or not at all.

    name: where it stands. names: what the other language calls it, the best first.
    usage: how the game's aligned rules translate it.
    is_sure: whether they reliably translate it by one of its names.
    is_absent: whether the other text has none of its names at all.
    """

    name: FoundName
    names: tuple[ConceptName, ...]
    usage: Usage
    is_sure: bool
    is_absent: bool


def lone_names(read: ReadSegment, house: House, of_source: bool = True) -> Sequence[LoneName]:
    """Return the names of terms in a segment's source that its target names less often, or not at
    all, in order; or the other way round. Empty without a source."""
    if read.source is None or read.source_lang is None:
        return ()
    texts = comparable_parts(read.source, read.target)
    langs = read.source_lang, read.target_lang
    if not of_source:
        texts, langs = texts[::-1], langs[::-1]
    key = *texts, *langs
    if key not in house.found_in_pairs:  # several checks ask for those of one segment
        if len(house.found_in_pairs) >= _MOST_KEPT:
            house.found_in_pairs.clear()
        house.found_in_pairs[key] = _lone_names(house, *texts, *langs)
    return house.found_in_pairs[key]


def _lone_names(
    house: House, text: str, other: str, lang: str, other_lang: str
) -> Sequence[LoneName]:
    """Return the names of terms in a text that another one, in another language, has less often."""
    own, others = house.finder(lang, other_lang), house.finder(other_lang, lang)
    there = Counter(concept for name in others.find(other) for concept in set(name.concepts))
    left = Counter(there)
    aligned = house.aligned(lang, other_lang)
    found: list[LoneName] = []
    for name in own.find(text):
        written = text[name.start : name.end]
        names = house.usable_names(name.concepts, other_lang)
        if fold(written) in STOP_WORDS or not names or fold(written) in fold(other):
            continue
        if goes_without_saying(names):
            continue
        same = [concept for concept in name.concepts if there[concept]]
        left.subtract(same)
        # A name of one letter is part of many words: 場 of 戦場.
        hidden = not same and any(
            others.has(other, one.text)
            or has_beginning(other, one.text)
            or _has_end(other, one.text, others)
            for one in names
            if len(one.text) > 1
        )
        if hidden or any(left[concept] >= 0 for concept in same):
            continue
        usage = aligned.usage_in_any_form(name.use(text), [one.text for one in names], text)
        least = _LEAST_SHARE if usage.rules >= _ENOUGH_RULES else 1
        is_sure = usage.agreeing >= least * usage.rules
        found.append(LoneName(name, names, usage, is_sure, not same))
    return found


def _has_end(text: str, name: str, finder: Finder) -> bool:
    """Whether a text has the end of a Japanese name of four kanji, which is no term itself: 相手
    for 対戦相手."""
    end = name[-2:]
    return bool(_FOUR_KANJI.fullmatch(name)) and end in text and not finder.find(end)


def swapped_terms(read: ReadSegment, house: House) -> Iterator[Finding]:
    """Yield the terms of the target that the source doesn't name, in the place of those that it
    does and the target doesn't, in the order of the source; nothing if the target isn't the
    translation of all of a source, or if more than three are left on both sides.

    A term that the target names once more than the source is in place of another of its kind:
    `replacement effects and replacement effects`."""
    if read.source is None or not read.is_whole:
        return
    yield from _exchanged(read, house)
    lost = _first_each(lone_names(read, house))
    strangers = _first_each(lone_names(read, house, of_source=False))
    if min(sum(one.is_sure for one in of_text) for of_text in (lost, strangers)) > _MOST:
        return
    for one in lost:
        if stranger := _likeliest(read, one, strangers, house):
            strangers.remove(stranger)
            yield _finding(read, one, stranger.name, house)
        elif one.is_sure and one.is_absent and (repeated := _repeated(read, one, house)):
            yield _finding(read, one, repeated, house)
    for name, sister in _sisters(read, house, strangers):
        yield _finding(read, name, sister.name, house)


def _exchanged(read: ReadSegment, house: House) -> Iterator[Finding]:
    """Yield the first of two terms that each text has once, in different parts, but in one text
    where the other has the other: `Only triggered … Activated abilities never` for 起動 … 誘発.

    The parts are sentences, or what contrasts in one (が、 and `but`), as many in both texts."""
    assert read.source is not None and read.source_lang is not None
    langs = read.source_lang, read.target_lang
    if not all(lang in _CONTRAST for lang in langs):
        return
    parts = [
        _parts(text, lang) for text, lang in zip((read.source, read.target), langs, strict=True)
    ]
    if len(parts[0]) != len(parts[1]) or len(parts[0]) < 2:
        return
    own, others = house.finder(*langs), house.finder(*langs[::-1])
    places = [
        _single_places(f.find(text), in_text)
        for f, text, in_text in zip((own, others), (read.source, read.target), parts, strict=True)
    ]
    moved = [
        (concept, part, places[1][concept][0])
        for concept, (part, _) in places[0].items()
        if concept in places[1] and places[1][concept][0] != part
    ]
    for (one, part, there), (other, other_part, other_there) in combinations(moved, 2):
        if (part, there) == (other_there, other_part) and one != other:
            name, instead = places[0][one][1], places[1][other][1]
            names = house.usable_names(name.concepts, read.target_lang)
            if names and not set(name.concepts) & set(instead.concepts):
                usage = house.aligned(*langs).usage_in_any_form(
                    name.use(read.source), [n.text for n in names], read.source
                )
                yield _finding(read, LoneName(name, names, usage, True, False), instead, house)
                return


def _sisters(
    read: ReadSegment, house: House, strangers: Sequence[LoneName]
) -> Iterator[tuple[LoneName, LoneName]]:
    """Yield (term of the source, name in the target) where the source has a term of several words,
    the target has none of its names, but a term that the source lacks and that shares the first or
    last English word with it: `activated ability` for 常在型能力, 色指標 for `color identity`."""
    assert read.source is not None and read.source_lang is not None
    there = {concept for name in read.target_names for concept in name.concepts}
    sisters = [
        (one, words)
        for one in strangers
        if one.is_absent and (words := _compound(read.target, read.target_lang, one, one.names))
    ]
    others = house.finder(read.target_lang)
    for name in read.source_names if sisters else ():
        names = house.usable_names(name.concepts, read.target_lang)
        lone = LoneName(name, names, Usage(0, 0), True, True)
        words = _compound(read.source, read.source_lang, lone, names)
        is_there = any(others.has(read.target, one.text) for one in names)
        if not words or is_there or not there.isdisjoint(name.concepts):
            continue
        for one, others_words in sisters:
            is_like = words[0] == others_words[0] or words[-1] == others_words[-1]
            if is_like and set(words) != set(others_words):
                yield lone, one
                break


def _compound(text: str, lang: str, one: LoneName, names: Sequence[ConceptName]) -> list[str]:
    """Return the base forms of a term's English words, as a text in English has it, else as it is
    called first; empty for a term of one word or without an English name."""
    called = [text[one.name.start : one.name.end]] if lang == "en" else [n.text for n in names]
    words = called[0].split() if called else []
    return [inflection_base(word) for word in words] if len(words) > 1 else []


def _parts(text: str, lang: str) -> list[tuple[int, int]]:
    """Return the spans of a text's sentences, or of the two parts of one that contrasts them."""
    sentences = sentences_of(text, lang)
    found = list(_CONTRAST[lang].finditer(text)) if len(sentences) == 1 else []
    if len(found) != 1:
        return sentences
    return [(0, found[0].end()), (found[0].end(), len(text))]


def _single_places(
    names: Sequence[FoundName], parts: Sequence[tuple[int, int]]
) -> dict[str, tuple[int, FoundName]]:
    """Return {concept: (index of the part that names it, where)} of those that are named once."""
    counts = Counter(concept for name in names for concept in name.concepts)
    return {
        concept: (part, name)
        for name in names
        for part, (start, end) in enumerate(parts)
        if start <= name.start < end
        for concept in name.concepts
        if counts[concept] == 1
    }


def _first_each(names: Sequence[LoneName]) -> list[LoneName]:
    """Return the first name of each term, in order."""
    return list({one.name.concepts: one for one in reversed(names)}.values())[::-1]


def _likeliest(
    read: ReadSegment, lost: LoneName, found: Sequence[LoneName], house: House
) -> LoneName | None:
    """Return, of names in the target that the source doesn't have, the one that stands in the place
    of a term: one of its kind by its last word (`phase`), else the one at the nearest place in the
    sentence, but elsewhere none that one in twenty rules has; None without any. Both must be sure,
    or of one kind."""
    assert read.source is not None
    place = lost.name.start / max(len(read.source), 1)
    ranked = []
    kinds = _kinds(lost, read.source)
    for one in found:
        is_like = bool(kinds & _kinds(one, read.target))
        is_known = all(
            each.usage.agreeing >= _LEAST_SHARE_OF_KIND * each.usage.rules
            or each.usage.rules < _ENOUGH_RULES
            for each in (lost, one)
        )
        is_rare = not house.is_common(one.name.concepts, read.target_lang, _EVERYWHERE)
        distance = abs(one.name.start / max(len(read.target), 1) - place)
        is_stranger = one.is_sure or one.usage.agreeing >= _STRANGER * one.usage.rules > 0
        is_sure = (is_rare or distance < _SAME_PLACE) and lost.is_sure and is_stranger
        if _say_the_same(lost, one, read):
            continue
        is_lost = lost.is_absent or not house.is_common(
            lost.name.concepts, read.source_lang or "", _EVERYWHERE
        )
        if one.is_absent and is_lost and (is_sure or (is_like and is_known and lost.is_absent)):
            ranked.append((not is_like, distance, one.name.start, one))
    return min(ranked)[-1] if ranked else None


def _say_the_same(lost: LoneName, one: LoneName, read: ReadSegment) -> bool:
    """Whether a name in the target is the beginning of the one that is lost (`enters`), or one of
    them is a single kanji of the other in one language: 歌 and 歌う, `song` and `sing`."""
    assert read.source is not None
    given = fold(read.source[lost.name.start : lost.name.end])
    written = fold(read.target[one.name.start : one.name.end])
    names, others = ([fold(name.text) for name in each.names] for each in (lost, one))
    if any(name.startswith(written) for name in names):
        return True
    pairs = [*((given, other) for other in others), *((written, name) for name in names)]
    return any(
        len(kanji) == 1 < len(whole) and kanji in whole
        for pair in pairs
        for kanji, whole in (pair, pair[::-1])
    )


def _repeated(read: ReadSegment, lost: LoneName, house: House) -> FoundName | None:
    """Return the last name of a term that the target names once more than the source does, and that
    is of the same kind as a term it lacks; None without one."""
    assert read.source is not None and read.source_lang is not None
    in_source = Counter(
        name.concepts for name in house.finder(read.source_lang, read.target_lang).find(read.source)
    )
    in_target = house.finder(read.target_lang, read.source_lang).find(read.target)
    counts = Counter(name.concepts for name in in_target)
    kinds = {_kind(name.text) for name in lost.names} - {""}
    for name in reversed(in_target):
        is_more = counts[name.concepts] == in_source[name.concepts] + 1 > 1
        written = read.target[name.start : name.end]
        if is_more and " " in written and _kind(written) in kinds:
            return name
    return None


def _kinds(one: LoneName, text: str) -> set[str]:
    """Return what says of which kind a term is, in both languages. text: that it stands in."""
    names = [text[one.name.start : one.name.end], *(name.text for name in one.names)]
    return set(map(_kind, names)) - {""}


def _kind(name: str) -> str:
    """Return what says of which kind a term is: its last word in English, in katakana the last run
    of it, in kanji the last one; empty for others."""
    found = _LAST_WORD.search(name.strip())
    return inflection_base(found[0].strip()) if found else ""


def _finding(read: ReadSegment, lost: LoneName, instead: FoundName, house: House) -> Finding:
    """Return that a name in the target should be that of a term of the source."""
    assert read.source is not None
    best = lost.names[0] if lost.names else None
    written = read.source[lost.name.start : lost.name.end]
    put = read.target[instead.start : instead.end]
    name: str | None = None
    if best:
        name = house.in_sentence(best.text, read.target_lang, read.target, instead.start)
    return finding_at(
        read.segment,
        instead.start,
        instead.end,
        "merged-terms",
        Reason("should_be_another", written=written, name=name, instead=put),
        expected=name,
        term=lost.name.concepts[0],
        giver=giver_of(best, lost.usage) if best else Reason("source"),
        suggestion=name,
        source_text=written,
    )
