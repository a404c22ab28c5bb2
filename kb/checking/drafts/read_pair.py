"""Pairs the segments of a draft with those of the text that it translates."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Container, Hashable, Iterable, Sequence
from dataclasses import replace
from itertools import groupby, pairwise, zip_longest
from statistics import median

from kb.checking.draft import Segment
from kb.checking.drafts.draft_file import DraftFile
from kb.checking.drafts.read_text import wrap_width
from kb.checking.drafts.segments import is_spaced
from kb.checking.ignore_comments import union
from scraper.rulebook.languages import begins_example
from scraper.rulebook.numbering import number_at, parent_number, with_numbers_above

# Of a file that is paired with another. A guard of memory, as both are held; the longest rulebook,
# Magic's, has 5,200 lines with text.
MOST_PAIRED = 200_000  # segments
# By hand: paragraphs, examples and a glossary go without numbers; prose has lists of a few.
_NUMBERED_SHARE = 0.3  # of the segments of a rulebook that begin with a number
_FEWEST_NUMBERED = 3
_SAME_LINES_SHARE = 0.9  # of the lines with text that both files have, if they go line by line
_ITEM = re.compile(r"[(（]\s?(\w{1,4})\s?[)）]")
_MOST_ROUNDS = 8  # a guard: each goes through all segments, and one that finds nothing is the last
# By hand, for lengths that go together: laxer pairs what doesn't belong together, stricter leaves
# whole stretches unpaired for a few segments.
_FEWEST_FOR_RATIO = 5  # pairs in the middle of which the usual ratio is
_MOST_UNLIKE = 2.5  # times the usual ratio of lengths
_ONE_UNLIKE_IN = 12  # segments may be of other lengths
_SHORT = 12  # characters added to each length: one word more or less of a short text says little
_MOST_RANGES = 10  # of lines, in a warning: for display, a line
_UNSURE = ("", "unsure")  # the key of what must not be paired
# Rules of a chapter with other sub-rules. By hand: one or two may have gained a sub-rule in one of
# the languages.
_FEWEST_DIFFERING = 3
_Pairs = dict[int, int]  # indices of segments of the target, and of their sources


def pair_segments(
    source: DraftFile,
    sources: Sequence[Segment],
    target: DraftFile,
    targets: Sequence[Segment],
    warnings: list[str],
) -> list[Segment]:
    """Return the segments of a draft, in order, each with its source where that is certain, else
    without one. Paragraphs that have other numbers of lines in the two are one segment each.

    They are paired by rule numbers where both texts are rulebooks, else line by line, else by
    paragraphs, else in order between what both have alike.

    sources, targets: of the two files; of plain text, a segment for each line or each paragraph.
    warnings: gets a line that says what has no counterpart.
    """
    merged = None
    numbered = _are_numbered(sources) and _are_numbered(targets)
    if numbered:
        keys = [_number_keys(side) for side in (sources, targets)]
        differing = _differing_chapters(*keys)
        if differing:
            chapters = ", ".join(sorted(differing)[:_MOST_RANGES])
            warnings.append(
                f"{target.path}: not paired, as most rules there have other sub-rules in the "
                f"source, so that equal numbers aren't equal rules: {chapters}"
            )
        keys = [[_UNSURE if _is_below(key, differing) else key for key in side] for side in keys]
        pairs = _match(sources, targets, *keys)
    elif _go_line_by_line(source, sources, target, targets):
        lines = {segment.line: index for index, segment in enumerate(sources)}
        pairs = {i: lines[s.line] for i, s in enumerate(targets) if s.line in lines}
    else:
        if len(sources) != len(targets) and source.format == target.format == "text":
            merged = _by_paragraphs(sources, targets)
        sources, targets = merged or (sources, targets)
        texts = [[segment.target for segment in side] for side in (sources, targets)]
        pairs = dict(enumerate(range(len(targets)))) if merged else _match(sources, targets, *texts)
    warnings += _unpaired(target.path, [s for i, s in enumerate(targets) if i not in pairs])
    used = set(pairs.values())
    warnings += _unpaired(source.path, [s for i, s in enumerate(sources) if i not in used])
    return [
        replace(segment, source=sources[pairs[index]].target) if index in pairs else segment
        for index, segment in enumerate(targets)
    ]


def _are_numbered(segments: Sequence[Segment]) -> bool:
    """Whether a text is a rulebook: three segments or more, and three of ten, begin with the number
    of a rule."""
    count = sum(number_at(segment.target) is not None for segment in segments)
    return count >= max(_FEWEST_NUMBERED, _NUMBERED_SHARE * len(segments))


def _number_keys(segments: Iterable[Segment]) -> list[Hashable | None]:
    """Return a key for each segment: (its number, "") for one that begins with a rule's, (the last
    rule's number before it, `2`) for an item such as (2), None for what has neither."""
    keys: list[Hashable | None] = []
    above = ""
    for segment in segments:
        if found := number_at(segment.target):
            above = found.number
            keys.append((above, ""))
        elif item := _ITEM.match(segment.target):
            keys.append((above, item[1].lower()))
        else:
            keys.append(None)
    return keys


def _differing_chapters(
    source_keys: Iterable[Hashable | None], target_keys: Iterable[Hashable | None]
) -> set[str]:
    """Return the numbers below which the same number is mostly another rule on both sides: most of
    the rules there have sub-rules with other numbers.

    So it is where each language has its keywords in its own alphabetical order. Rules that have
    sub-rules on one side only don't count: the other side may be a part of the book.
    """
    below = [_numbers_below(keys) for keys in (source_keys, target_keys)]
    found: dict[str, list[bool]] = {}
    for number in below[0].keys() & below[1].keys():
        if chapter := parent_number(number):
            found.setdefault(chapter, []).append(below[0][number] != below[1][number])
    return {
        chapter
        for chapter, differ in found.items()
        if sum(differ) >= _FEWEST_DIFFERING and 2 * sum(differ) > len(differ)
    }


def _numbers_below(keys: Iterable[Hashable | None]) -> dict[str, set[str]]:
    """Return {number: the numbers of the rules directly below it}, without those that have none
    below them."""
    below: dict[str, set[str]] = {}
    for key in keys:
        if isinstance(key, tuple) and (above := parent_number(key[0])):
            below.setdefault(above, set()).add(key[0])
    return below


def _is_below(key: Hashable | None, chapters: Container[str]) -> bool:
    """Whether a key is that of a rule, or of an item of one, below one of some chapters, at any
    depth; not of a chapter itself."""
    return isinstance(key, tuple) and any(
        number in chapters for number in with_numbers_above(key[0])[1:]
    )


def _go_line_by_line(
    source: DraftFile, sources: Sequence[Segment], target: DraftFile, targets: Sequence[Segment]
) -> bool:
    """Whether two plain texts have the same number of lines, with text in the same of them (of ten,
    one may differ), and neither has wrapped lines."""
    if source.format != "text" or target.format != "text":
        return False
    if source.text.rstrip().count("\n") != target.text.rstrip().count("\n"):
        return False
    if wrap_width(source.text) is not None or wrap_width(target.text) is not None:
        return False
    one, other = ({segment.line for segment in side} for side in (sources, targets))
    return len(one & other) >= _SAME_LINES_SHARE * len(one | other)


def _match(
    sources: Sequence[Segment],
    targets: Sequence[Segment],
    source_keys: Sequence[Hashable | None],
    target_keys: Sequence[Hashable | None],
) -> _Pairs:
    """Return which segments belong together: those with the same key, and between these what is
    equally many on both sides and of lengths that go together."""
    anchors = _anchors(source_keys, target_keys)
    pairs = dict(anchors)
    usual = _usual_ratio([(targets[i], sources[j]) for i, j in anchors])
    ends = [(-1, -1), *anchors, (len(targets), len(sources))]
    for (target_before, source_before), (target_after, source_after) in pairwise(ends):
        gap = range(target_before + 1, target_after)
        other_gap = range(source_before + 1, source_after)
        unsure = any(target_keys[i] == _UNSURE for i in gap)
        if len(gap) == len(other_gap) and not unsure:
            both = [(targets[i], sources[j]) for i, j in zip(gap, other_gap, strict=True)]
            if _go_together(both, usual or _usual_ratio(both)):
                pairs |= zip(gap, other_gap, strict=True)
    return pairs


def _anchors(
    source_keys: Sequence[Hashable | None], target_keys: Sequence[Hashable | None]
) -> list[tuple[int, int]]:
    """Return pairs of segments with the same key, in rising order of both: keys that are once on
    either side, and between these such that are as often there on either side.

    So the table of contents and the chapters that have its numbers again are told apart.
    """
    anchors = [(-1, -1), (len(target_keys), len(source_keys))]
    for _ in range(_MOST_ROUNDS):
        found = [anchors[0]]
        for (target_before, source_before), (target_after, source_after) in pairwise(anchors):
            same = _same_keys(
                source_keys, range(source_before + 1, source_after),
                target_keys, range(target_before + 1, target_after),
            )  # fmt: skip
            found += [*_rising(same), (target_after, source_after)]
        if len(found) == len(anchors):
            break
        anchors = found
    return anchors[1:-1]


def _same_keys(
    source_keys: Sequence[Hashable | None],
    source_range: range,
    target_keys: Sequence[Hashable | None],
    target_range: range,
) -> list[tuple[int, int]]:
    """Return the pairs with a key that is once on either side in some ranges of indices; if there
    is none, of keys that are as often on both; else the last of each key that both have, as only
    one may have a table of contents. They are sorted by the index of the target."""
    places: tuple[dict[Hashable, list[int]], ...] = ({}, {})
    for side, keys, indices in (
        (places[0], source_keys, source_range),
        (places[1], target_keys, target_range),
    ):
        for index in indices:
            if (key := keys[index]) is not None and key != _UNSURE:
                side.setdefault(key, []).append(index)
    shared = [(found, places[0][key]) for key, found in places[1].items() if key in places[0]]
    same = [pair for pair in shared if len(pair[0]) == len(pair[1])]
    once = [pair for pair in same if len(pair[0]) == 1]
    last = [(found[-1:], others[-1:]) for found, others in shared]
    return sorted(pair for both in once or same or last for pair in zip(*both, strict=True))


def _usual_ratio(pairs: Sequence[tuple[Segment, Segment]]) -> float | None:
    """Return how many characters of the target there are for one of the source, in the middle of
    some pairs; None for less than five."""
    if len(pairs) < _FEWEST_FOR_RATIO:
        return None
    return median(_size(target) / _size(source) for target, source in pairs)


def _go_together(pairs: Sequence[tuple[Segment, Segment]], ratio: float | None) -> bool:
    """Whether the lengths of segments are such that they may translate each other, nearly all, and
    examples stand for examples; for none, they do.

    ratio: of the lengths of target and source, as is usual here; None if it isn't known.
    """
    unlike = 0
    for target, source in pairs:
        own = _size(target) / _size(source)
        usual = own if ratio is None else ratio
        unlike += not usual / _MOST_UNLIKE <= own <= usual * _MOST_UNLIKE
        unlike += begins_example(target.target) != begins_example(source.target)
    return unlike * _ONE_UNLIKE_IN <= len(pairs)


def _size(segment: Segment) -> int:
    """Return the length of a text and twelve characters, for comparison: never 0, and differences
    between short texts say little."""
    return len(segment.target) + _SHORT


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest selection of pairs of which both indices rise, in order; of equally long
    ones, the one whose second indices are least at the end.

    pairs: sorted by the first index.

    >>> _rising([(0, 0), (1, 5), (2, 1), (3, 2)])
    [(0, 0), (2, 1), (3, 2)]
    """
    ends: list[int] = []  # the least second index that ends a rising row of each length
    last: list[int] = []  # the pair that it is of
    before: list[int] = []
    for index, (_, second) in enumerate(pairs):
        length = bisect_left(ends, second)
        ends[length : length + 1] = [second]
        last[length : length + 1] = [index]
        before.append(last[length - 1] if length else -1)
    row, index = [], last[-1] if last else -1
    while index >= 0:
        row.append(pairs[index])
        index = before[index]
    return row[::-1]


def _by_paragraphs(
    sources: Sequence[Segment], targets: Sequence[Segment]
) -> tuple[list[Segment], list[Segment]] | None:
    """Return sources and targets one for one, if both have as many paragraphs, several of them;
    paragraphs with unlike numbers of lines are one segment each. None if they have not."""
    groups = [_paragraphs(side) for side in (sources, targets)]
    if len(groups[0]) != len(groups[1]) or len(groups[0]) < 2:
        return None
    paired: tuple[list[Segment], list[Segment]] = ([], [])
    for both in zip_longest(*groups, fillvalue=[]):
        same = len(both[0]) == len(both[1])
        for side, group in zip(paired, both, strict=True):
            side += group if same else [_joined(group)]
    return paired


def _paragraphs(segments: Sequence[Segment]) -> list[list[Segment]]:
    """Return the segments in groups, between which are empty lines."""
    number = 0
    groups = []
    before = 0
    for segment in segments:
        number += segment.line > before + 1
        groups.append((number, segment))
        before = segment.places[-1][1]
    return [[s for _, s in group] for _, group in groupby(groups, key=lambda pair: pair[0])]


def _joined(segments: Sequence[Segment]) -> Segment:
    """Return several segments, at least one, as one with the id and line of the first and all of
    their places; what one ignores, all do."""
    text, places = "", []
    ignored: frozenset[str] | None = frozenset()
    for segment in segments:
        if text and is_spaced(text, segment.target):
            text += " "  # its place is behind what the segment before ends with
        places += [(len(text) + offset, line, col) for offset, line, col in segment.places]
        text += segment.target
        ignored = union(ignored, segment.ignored)
    return replace(segments[0], target=text, places=tuple(places), ignored=ignored)


def _unpaired(path: str, segments: Sequence[Segment]) -> list[str]:
    """Return a warning, with the first ten ranges of lines, about the segments of a file that have
    no counterpart; empty without such."""
    if not segments:
        return []
    ranges: list[list[int]] = []
    for segment in segments:
        if ranges and segment.line <= ranges[-1][1] + 1:
            ranges[-1][1] = segment.line
        else:
            ranges.append([segment.line, segment.line])
    shown = [str(a) if a == b else f"{a}–{b}" for a, b in ranges[:_MOST_RANGES]]
    more = ", …" if len(ranges) > _MOST_RANGES else ""
    what = f"{path}: segments without a counterpart: {len(segments)} (lines "
    return [what + ", ".join(shown) + more + ")"]
