"""Aligns the rules of two editions: which rule became which, by number, text and neighbours.

Where neighbours decide, pairs do not cross: the chain of pairs with the highest score is taken.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeVar

from kb.rules.similarity import RuleSimilarity, RuleTree
from scraper.rulebook.numbering import number_key

Item = TypeVar("Item")
# Pairs that are compared; of longer sequences only the ends. A guard, as time and memory grow with
# it: 63 rules on either side, of a gap between rules that match.
_MOST_CELLS = 4000


def best_chain(
    left: Sequence[Item], right: Sequence[Item], score: Callable[[Item, Item], float]
) -> list[tuple[Item, Item]]:
    """Return pairs of an item of each sequence, in order, whose scores add up to most.

    Both items of a pair come after those of the pair before. Items may stay alone, and a pair with
    a score of 0 is not in the result; scores are 0 or more. Of chains that add up to the same, the
    one whose pairs stand later is taken. If there are more than 4,000 possible pairs, an item is
    compared only with those that are as near the beginning or the end as it is.

    >>> best_chain("abc", "xbca", lambda one, other: float(one == other))
    [('b', 'b'), ('c', 'c')]
    """
    if len(left) * len(right) > _MOST_CELLS:
        return _as_near_the_ends(left, right, score)
    # totals[i][j]: the highest sum for left[i:] and right[j:].
    totals = [[0.0] * (len(right) + 1) for _ in range(len(left) + 1)]
    scores = [[score(one, other) for other in right] for one in left]
    for i in reversed(range(len(left))):
        for j in reversed(range(len(right))):
            alone = max(totals[i + 1][j], totals[i][j + 1])
            totals[i][j] = max(alone, scores[i][j] and scores[i][j] + totals[i + 1][j + 1])
    chain, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        if totals[i][j] == totals[i + 1][j]:
            i += 1
        elif totals[i][j] == totals[i][j + 1]:
            j += 1
        else:
            chain.append((left[i], right[j]))
            i, j = i + 1, j + 1
    return chain


def _as_near_the_ends(
    left: Sequence[Item], right: Sequence[Item], score: Callable[[Item, Item], float]
) -> list[tuple[Item, Item]]:
    """Return the pairs with a score above 0 of items that are as far from the beginning as one
    another, in the first half of the shorter sequence, or as far from the end."""
    shorter = min(len(left), len(right))
    first = shorter // 2
    last = shorter - first
    near = [*zip(left[:first], right[:first], strict=True)]
    near += zip(left[len(left) - last :], right[len(right) - last :], strict=True)
    return [(one, other) for one, other in near if score(one, other)]


def longest_increasing(values: Sequence[int]) -> list[int]:
    """Return the indices of the longest strictly increasing subsequence of some integers, in order;
    of several, one that ends with the least value. Empty for none.

    >>> longest_increasing([3, 1, 2, 0, 4])
    [1, 2, 4]
    """
    tails: list[int] = []  # the smallest last value of a subsequence of each length
    last: list[int] = []  # its index
    previous: list[int] = []
    for index, value in enumerate(values):
        length = bisect_left(tails, value)
        previous.append(last[length - 1] if length else -1)
        tails[length : length + 1] = [value]
        last[length : length + 1] = [index]
    chain, index = [], last[-1] if last else -1
    while index >= 0:
        chain.append(index)
        index = previous[index]
    return chain[::-1]


# The shares and similarities here were set by hand, with cases that people read in eight editions
# of Magic's rulebook, seven of Lorcana's and two of Riftbound's (`rule_history` in tests/gold): 366
# when mergers came, of which .957 were right, of the hard half .934. Lower takes one rule for
# another that is worded like it; higher tells a reworded rule as removed and added.
# Pairs of rules with equal texts that are compared; above it order decides. A guard: in 25 editions
# of rulebooks no text is that of more than ten rules of an edition (`General`), which makes 100.
_MOST_PAIRS = 10_000
# The similarity that two texts must have: anywhere, and if the new rule is at an expected place.
_ANYWHERE, _IN_PLACE = 0.5, 0.33
_ELSEWHERE = 0.65  # under a parent that is not the successor of the old one
_SURE = 0.75  # in the first round, wherever it stands: such matches show where others are expected
_FAR = 0.43  # what is left at last, in any other place
# Of a rule that was merged into another: the share of its words that this one has; and that the
# rule before it lacked. Without these, as of twins that became one, the similarity to it. Of thirty
# mergers that were read with a share of 0.55, five were wrong, mostly the shortest.
_MERGED, _MERGED_WORDS, _TWIN = 0.575, 0.3, 0.53
_MERGED_LEAST = 8  # words that both have; what is shorter is in many rules
# Rules elsewhere that have most words of one with so few, which then tell nothing.
_PATTERN, _FEW_WORDS = 3, 20
# An amount, such as of life or of cards in a deck, which tells rules of one wording apart. Of one
# digit it is in most rules; with a full stop it is the number of a rule.
_AMOUNT = re.compile(r"(?<![\d.])\d{2,}(?![\d.])")
# Below the same rule as before: so much of it that all of it is there; or some of it, which is much
# of what the other rule gained.
_WHOLE = 0.9
_SOME, _GAIN = 0.35, 0.4
# Of a rule that was split from one of another place: as `_MERGED`, `_MERGED_WORDS`.
_FAR_SPLIT, _FAR_LOST = 0.65, 0.6
_SHORTEST_SENTENCE = 15  # characters; what is shorter (`Draw a card.`) is a sentence of many rules
_SENTENCE_END = re.compile(r"(?<=[^\W\d][.!?])(?=[^\W\d_a-z])|(?<=[。！？])")  # of folded text
_HEADING = 0.2  # in an expected place, if the sub-rules match, too
# (the least similarity anywhere, and in an expected place) of each round: the surest first, as they
# show where others are expected; the last one again, as it finds more places itself.
_ROUNDS = (
    (_SURE, _SURE),
    (_ANYWHERE, _ANYWHERE),
    (_ANYWHERE, _IN_PLACE),
    (_ANYWHERE, _IN_PLACE),
)
# By what two rules were matched; and how sure that is where no similarity of texts says it, set by
# hand: one text at two numbers is one rule, one text at many numbers is told by what is around it.
Grounds = Literal[
    "unchanged", "same text", "neighbours", "similar text", "sub-rules", "split text", "far text"
]
_SURENESS: dict[Grounds, float] = {"unchanged": 1.0, "same text": 1.0, "neighbours": 0.8}
_LEAST_SURE = 0.6  # of a match by sub-rules; `unsure_matches` lists what is below it
# On the similarity, only to choose among rules that are like enough: by hand, less than what two
# rules differ by that are clearly unlike.
_CONTAINED_BONUS = 0.06  # for a rule that has nearly all words of the old one
_PLACE_BONUS = 0.1  # for an expected place and for the same parent, each


def is_under(number: str, above: str) -> bool:
    """Return whether the rule `number` is the rule `above` or one of its sub-rules, at any depth.

    >>> is_under("121.2a", "121"), is_under("121.2a", "1"), is_under("121.20", "121.2")
    (True, True, False)
    """
    key = number_key(above)
    return number_key(number)[: len(key)] == key


class Alignment:
    """Two editions, and the matches found between them, in both directions.

    Rules that kept number and text are matched first, then equal texts at other numbers, then
    similar texts; of the rest, headings whose sub-rules match, rules between the same neighbours
    whose texts have something in common, and texts that were split or went far away. Typography
    and cited numbers don't count.

    >>> old = {"1": "Zones", "1.1": "A deck is a pile of cards.", "1.2": "A hand is hidden."}
    >>> new = {"1": "Zones", "1.1": "Zones are places.", "1.2": old["1.1"], "1.3": old["1.2"]}
    >>> Alignment(old, new).matches()
    {'1': '1', '1.1': '1.2', '1.2': '1.3'}

    new_number: the number after, by the number before.
    old_number: the number before, by the number after.
    grounds: by the number before, by what it was matched, and how sure that is, from 0 to 1.

    In all methods `old` is the number of a rule before, `new` the number of a rule after.
    """

    def __init__(self, before: Mapping[str, str], after: Mapping[str, str]) -> None:
        """before, after: the texts of each edition by number."""
        self.before, self.after = RuleTree(before), RuleTree(after)
        self.new_number: dict[str, str] = {}
        self.old_number: dict[str, str] = {}
        self.grounds: dict[str, tuple[Grounds, float]] = {}
        self.match_unchanged()
        self.match_equal_texts()
        self.match_changed_texts()
        self.match_split_texts()
        self.match_far_texts()
        self.correct_headings()

    def matches(self) -> dict[str, str]:
        """Return {number before: number after}, sorted by number. A rule that was removed is not in
        it, and no number after occurs twice."""
        return {n: self.new_number[n] for n in self.before.numbers if n in self.new_number}

    def merged(self, matches: Mapping[str, str]) -> dict[str, str]:
        """Return {number of a rule before: the number after of the rule that it was merged into}.

        matches: as `matches` returns them, or fewer. Only rules without a match may be merged: into
            one after that has most of their words, of which its own rule before, if it has one, had
            a good part not; or into their twin, if that was changed; a heading into the one below
            which most of its sub-rules are.

        >>> sails = "A ship may sail to each port of the sea that its owner names aloud."
        >>> boards = "A captain who owns a raft may board it at dawn, if there is wind."
        >>> alignment = Alignment({"1": sails, "2": boards}, {"1": f"{sails} {boards}"})
        >>> alignment.matches(), alignment.merged(alignment.matches())
        ({'1': '1'}, {'2': '1'})
        """
        left = [n for n in self.before.numbers if n not in matches]
        headings = [n for n in left if self.before.is_heading(n)]
        found = {}
        for old in headings:
            if above := _above_most(self.before.children.get(old, ()), matches, self.after):
                found[old] = above
        worded = [n for n in left if n not in headings]
        if worded:
            similarity = RuleSimilarity(self.before, self.after, worded, self.after.numbers)
            own = {new: old for old, new in matches.items()}
            for old in worded:
                ranks = [
                    rank
                    for new in similarity.candidates(old)
                    if (rank := self._merged_rank(old, new, own.get(new), similarity))
                ]
                # A few words that many rules elsewhere have are a pattern, not this rule.
                is_pattern = len(ranks) >= _PATTERN and similarity.words(old) < _FEW_WORDS
                if ranks and (max(ranks)[0] or not is_pattern):
                    found[old] = max(ranks)[-1]
        return found

    def split(self, matches: Mapping[str, str]) -> dict[str, str]:
        """Return {number of a rule after: the number before of the rule that it was split from}.

        matches: as for `merged`. Only rules without a match may be: from one before that had most
            of their words, of which its own rule after, if it has one, lacks a good part or a whole
            sentence. Words that it still has are a pattern that many rules follow.

        >>> sails = "A ship may sail to each port of the sea that its owner names aloud."
        >>> boards = "A captain who owns a raft may board it at dawn, if there is wind."
        >>> alignment = Alignment({"1": f"{sails} {boards}"}, {"1": sails, "2": boards})
        >>> alignment.matches(), alignment.split(alignment.matches())
        ({'1': '1'}, {'2': '1'})
        """
        own = {new: old for old, new in matches.items()}
        added = [n for n in self.after.numbers if n not in own and not self.after.is_heading(n)]
        if not added:
            return {}
        before, after = self.before.texts, self.after.texts
        changed = [n for n in before if n not in matches or before[n] != after[matches[n]]]
        similarity = RuleSimilarity(self.after, self.before, added, changed)
        found = {}
        for new in added:
            ranks = (
                self._split_rank(new, old, matches.get(old), similarity)
                for old in similarity.candidates(new)
            )
            if best := max(filter(None, ranks), default=None):
                found[new] = best[-1]
        return found

    def _split_rank(
        self, new: str, old: str, own: str | None, similarity: RuleSimilarity
    ) -> tuple[bool, float, float, str] | None:
        """Return how likely a rule was split from another one, to be compared: (whether it is near,
        share of its words that the other lost, share that it had, the other's number); None if it
        was not. own: the number after of the other one, if it is a rule then.

        similarity: of rules after (its `old`) to rules before.
        """
        words, lost = similarity.coverage(new, old), similarity.coverage(new, old, own)
        if similarity.words(new) * words < _MERGED_LEAST:
            return None
        after = self.after.texts
        took = _has_sentence(after[new], self.before.texts[old], after[own] if own else "")
        is_near = self._same_parent(old, new) or self.after.parent[new] == own
        least, least_lost = (_MERGED, _MERGED_WORDS) if is_near else (_FAR_SPLIT, _FAR_LOST)
        is_split = words >= least and (lost >= least_lost or took)
        return (is_near, lost, words, old) if is_split else None

    def _merged_rank(
        self, old: str, new: str, own: str | None, similarity: RuleSimilarity
    ) -> tuple[bool, bool, float, float, str] | None:
        """Return how likely a rule was merged into another one, to be compared: (whether it is
        near, whether it has its amounts, share of its words that the other gained, share that it
        has, the other's number); None if it was not.

        own: the number before of the other one, if it was a rule then.
        """
        words = similarity.coverage(old, new)
        if own is not None and self.before.texts[own] == self.after.texts[new]:
            return None
        is_near = self._same_parent(old, new)
        new_words = similarity.coverage(old, new, own)
        before = self.before.texts
        amounts, new_amounts = (
            set(_AMOUNT.findall(text)) for text in (before[old], self.after.texts[new])
        )
        has_amounts = amounts <= new_amounts
        took = _has_sentence(self.after.texts[new], before[old], before[own] if own else "")
        if is_near and words >= _SOME and took:
            return True, has_amounts, new_words, words, new
        if similarity.words(old) * words < _MERGED_LEAST:
            return None
        is_merged = words >= _MERGED and (
            new_words >= _MERGED_WORDS or similarity(old, new) >= _TWIN
        )
        if is_near and not is_merged:
            is_merged = words >= _WHOLE or (
                words >= _SOME and similarity.gain(old, new, own) >= _GAIN
            )
        return (is_near, has_amounts, new_words, words, new) if is_merged else None

    def match_unchanged(self) -> None:
        """Match rules that kept their number and their text. A text that several rules have (`It is
        present on Units.`) tells nothing below another rule than before."""
        before, after = self.before.texts, self.after.texts
        uses, new_uses = Counter(before.values()), Counter(after.values())
        for number, text in before.items():
            if after.get(number) != text:
                continue
            parent = self.before.parent[number]
            is_elsewhere = parent and before[parent] != after.get(parent)
            if not (is_elsewhere and max(uses[text], new_uses[text]) > 1):
                self._match(number, number, "unchanged")

    def match_equal_texts(self) -> None:
        """Match rules that kept only their text: first texts that occur once, then those that
        occur several times, by their neighbours.

        Only rules that are unmatched so far count; a text that occurs once in one edition and
        several times in the other counts as one that occurs several times.
        """
        old_by_text, new_by_text = self._unmatched(self.before), self._unmatched(self.after)
        repeated = []
        for text in old_by_text.keys() & new_by_text.keys():
            if len(old_by_text[text]) == len(new_by_text[text]) == 1:
                self._match(old_by_text[text][0], new_by_text[text][0], "same text")
            else:
                repeated.append((old_by_text[text], new_by_text[text]))
        # Parents go before their sub-rules: a parent's match shows where the sub-rules are.
        repeated.sort(
            key=lambda group: (len(self.before.key[group[0][0]]), self.before.position[group[0][0]])
        )
        for old_numbers, new_numbers in repeated:
            self._match_by_neighbours(old_numbers, new_numbers)

    def match_changed_texts(self) -> None:
        """Match rules that were reworded, in several rounds: the surest matches first, because
        they show where the neighbours are to be expected.

        Only rules that are unmatched so far count. Rules that are similar to none stay unmatched,
        except headings whose sub-rules match.
        """
        left = [number for number in self.before.numbers if number not in self.new_number]
        right = [number for number in self.after.numbers if number not in self.old_number]
        if not left or not right:
            return
        similarity = RuleSimilarity(self.before, self.after, left, right)
        candidates = {number: similarity.candidates(number) for number in left}
        for anywhere, in_place in _ROUNDS:
            self._match_by_sub_rules(old for old in left if self.before.is_heading(old))
            unmatched = {old: candidates[old] for old in left if old not in self.new_number}
            proposals = self._propose(unmatched, similarity, anywhere, in_place)
            self._match_best(proposals, "similar text")
        self._match_by_sub_rules(left)
        self._match_between_neighbours(similarity)

    def match_split_texts(self) -> None:
        """Match rules whose text became a rule with sub-rules: those together are like it. Only
        rules that are unmatched so far, with all their sub-rules after, and no headings count."""
        left = [
            number
            for number in self.before.numbers
            if number not in self.new_number and not self.before.is_heading(number)
        ]
        joined = {
            number: "\n".join(map(self.after.texts.__getitem__, (number, *children)))
            for number, children in self.after.children.items()
            if number
            and not self.after.is_heading(number)
            and self.old_number.keys().isdisjoint((number, *children))
        }
        if left and joined:
            after = RuleTree(joined)
            similarity = RuleSimilarity(self.before, after, left, after.numbers)
            proposals = (
                (score, old, new)
                for old in left
                for new in similarity.candidates(old)
                if (score := similarity(old, new)) >= _ANYWHERE
            )
            self._match_best(proposals, "split text")

    def match_far_texts(self) -> None:
        """Match what is left in other places: texts that were reworded and moved at once, and
        sub-rules of rules that match, whose order changed.

        Only now, as what is elsewhere is found wrongly where a nearer rule is meant.
        """
        left = [number for number in self.before.numbers if number not in self.new_number]
        if not left or len(self.old_number) == len(self.after.numbers):
            return
        similarity = RuleSimilarity(self.before, self.after, left, self.after.numbers)
        proposals = []
        for old in left:
            scores = {new: similarity(old, new) for new in similarity.candidates(old)}
            # A rule that is more like another one was rather merged into that.
            twin = max((scores[new] for new in scores if new in self.old_number), default=0.0)
            for new in scores.keys() - self.old_number.keys():
                score = scores[new]
                if self._is_match(self.before.parent[old], self.after.parent[new]):
                    score = max(score, similarity.coverage(old, new) - _ANYWHERE + _FAR)
                if score >= max(_FAR, twin):
                    proposals.append((score, old, new))
        self._match_best(proposals, "far text")

    def correct_headings(self) -> None:
        """Match headings to where the most of their sub-rules went, where they were matched to
        another place: a heading such as General stands in many chapters. The lowest go first.

        A heading that kept its text and level, and that no other has, is sure by itself.
        """
        uses, new_uses = Counter(self.before.texts.values()), Counter(self.after.texts.values())
        for old in sorted(self.before.numbers, key=lambda number: -len(self.before.key[number])):
            if not self.before.is_heading(old):
                continue
            new = self.new_number.get(old)
            is_level = new and len(self.before.key[old]) == len(self.after.key[new])
            if new and is_level and self._is_sure(new, uses, new_uses):
                continue
            above = self._above_sub_rules(old)
            if above and above != new and not self._is_sure(above, uses, new_uses):
                self._unmatch(old, self.old_number.get(above))
                self._match(old, above, "sub-rules", _LEAST_SURE)

    def _match_best(self, proposals: Iterable[tuple[float, str, str]], grounds: Grounds) -> None:
        """Match the proposed (score, old, new) with the highest scores, each rule once; of equal
        ones the first before. The score, 1 at most, is how sure the match is."""
        order = self.before.position
        for score, old, new in sorted(proposals, key=lambda p: (-p[0], order[p[1]], p[2])):
            if old not in self.new_number and new not in self.old_number:
                self._match(old, new, grounds, min(score, 1.0))

    def _match_by_sub_rules(self, left: Iterable[str]) -> None:
        """Match rules whose sub-rules match, whatever their texts: the greater part of those of
        each that have a match. The lowest rules go first.

        left: the numbers of the rules before that may be matched.
        """
        for old in sorted(left, key=lambda number: -len(self.before.key[number])):
            above = None if old in self.new_number else self._above_sub_rules(old)
            if above and above not in self.old_number:
                self._match(old, above, "sub-rules", _LEAST_SURE)

    def _above_sub_rules(self, old: str) -> str | None:
        """Return the number after of the rule below which most matched sub-rules of a rule before
        are, if most of its sub-rules were below that; else None, as for one without sub-rules."""
        children, level = self.before.children.get(old, ()), len(self.before.key[old])
        above = _above_most(children, self.new_number, self.after, level)
        if above is None:
            return None
        level = len(self.after.key[above])
        back = _above_most(self.after.children[above], self.old_number, self.before, level)
        return above if back == old else None

    def _match_between_neighbours(self, similarity: RuleSimilarity) -> None:
        """Match what is left between siblings that match, in order, where the texts have something
        in common.

        Two rules in the same gap are likely one, so that little is enough. Sub-rules of what is
        matched here have their turn after it.
        """
        for parent in (None, *self.before.numbers):
            new_parent = self.new_number.get(parent) if parent else None
            if parent and not new_parent:
                continue
            for old_gap, new_gap in self._gaps(parent, new_parent):
                for old, new in best_chain(old_gap, new_gap, similarity.in_place):
                    if not self._is_elsewhere(old, new, similarity):
                        self._match(old, new, "neighbours", similarity.in_place(old, new))

    def _is_elsewhere(self, old: str, new: str, similarity: RuleSimilarity) -> bool:
        """Whether little speaks for two rules between the same neighbours, and something against
        it: the whole text of the old one stands beside the new one, or both are headings."""
        text = self.before.texts[old]
        if similarity.in_place(old, new) >= _ANYWHERE or text in self.after.texts[new]:
            return False
        if self.before.is_heading(old) and self.after.is_heading(new):
            return not self._same_children(old, new)
        beside = self.after.children[self.after.parent[new]]
        return len(text) >= _SHORTEST_SENTENCE and any(
            text in self.after.texts[other] for other in beside
        )

    def _gaps(
        self, parent: str | None, new_parent: str | None
    ) -> Iterator[tuple[list[str], list[str]]]:
        """Yield the unmatched sub-rules of two rules that match, before and after, between each two
        sub-rules that match and at the ends. Gaps in which one edition has none are left out.

        Where sub-rules changed places, only those in a common order delimit gaps.
        """
        old_siblings, new_siblings = self.before.children[parent], self.after.children[new_parent]
        anchors = self._anchors(old_siblings, new_siblings)
        start, new_start = 0, 0
        for end, new_end in [*anchors, (len(old_siblings), len(new_siblings))]:
            old_gap = [n for n in old_siblings[start:end] if n not in self.new_number]
            new_gap = [n for n in new_siblings[new_start:new_end] if n not in self.old_number]
            if old_gap and new_gap:
                yield old_gap, new_gap
            start, new_start = end + 1, new_end + 1

    def _anchors(self, old_siblings: list[str], new_siblings: list[str]) -> list[tuple[int, int]]:
        """Return (index before, index after) of siblings that match, as many as stand in the same
        order in both editions, in that order."""
        position = {number: index for index, number in enumerate(new_siblings)}
        matched = [
            (index, position[new])
            for index, old in enumerate(old_siblings)
            if (new := self.new_number.get(old)) in position
        ]
        return [matched[n] for n in longest_increasing([new for _, new in matched])]

    def _propose(
        self,
        unmatched: Mapping[str, list[str]],
        similarity: RuleSimilarity,
        anywhere: float,
        in_place: float,
    ) -> Iterator[tuple[float, str, str]]:
        """Yield (score, old, new) for unmatched rules that are similar enough, in no order.

        A rule may be in several of them. Nothing is matched here.

        unmatched: candidates (new numbers) by old number.
        anywhere, in_place: the least similarity, in general and at an expected place.
        """
        for old, candidates in unmatched.items():
            expected = set(self._expected_places(old))
            for new in {*expected, *candidates}:
                if new in self.old_number:
                    continue
                is_near = new in expected or self._same_parent(old, new)
                least = in_place if is_near else anywhere
                if new not in expected and self._parents_differ(old, new):
                    least = max(least, _ELSEWHERE)
                if new in expected and self._same_children(old, new):
                    least = min(least, _HEADING)
                if (score := similarity(old, new)) >= least:
                    score += _CONTAINED_BONUS * (similarity.coverage(old, new) >= _WHOLE)
                    agreements = (new in expected) + self._same_parent(old, new)
                    yield score + _PLACE_BONUS * agreements, old, new

    # -- where a match is expected ----------------------------------------------------------

    def _expected_places(self, old: str) -> Iterator[str]:
        """Yield the new numbers at which a rule is expected: its own last part under its parent's
        match, and the numbers next to the matches of its siblings. A parent that has no match yet
        is expected to keep its number.

        All of them are in the edition after; some may be matched already or occur twice.
        """
        parent = self.before.parent[old]
        above = parent and self.new_number.get(
            parent, parent if parent not in self.old_number else None
        )
        if above or not parent:
            last_part = self.before.key[old][len(self.before.key[parent]) if parent else 0 :]
            key = (number_key(above) if above else ()) + last_part
            if key in self.after.by_key:
                yield self.after.by_key[key]
        for step in (-1, 1):
            sibling = self.before.sibling(old, step)
            if sibling in self.new_number:
                beside = self.after.sibling(self.new_number[sibling], -step)
                if beside:
                    yield beside

    def _same_parent(self, old: str, new: str) -> bool:
        """Return whether the parents of two rules match; two rules at the top count, too."""
        return self._is_match(self.before.parent[old], self.after.parent[new])

    def _parents_differ(self, old: str, new: str) -> bool:
        """Return whether the parent of either of two rules matches another rule than the parent of
        the other one."""
        parent, new_parent = self.before.parent[old], self.after.parent[new]
        if self._is_match(parent, new_parent):
            return False
        return parent in self.new_number or new_parent in self.old_number

    def _same_children(self, old: str, new: str) -> bool:
        """Return whether two rules have sub-rules and the first ones match."""
        first = self.before.first_child(old)
        return first is not None and self._is_match(first, self.after.first_child(new))

    def _is_match(self, old: str | None, new: str | None) -> bool:
        return new is not None and self.new_number.get(old) == new if old else new is None

    def _match_by_neighbours(self, old_numbers: list[str], new_numbers: list[str]) -> None:
        """Match rules that all have the same text: those first whose parents, siblings and
        sub-rules match best. Too many to compare are matched in order.

        old_numbers, new_numbers: the unmatched numbers with that text in each edition, sorted.

        If one list is longer, some of its numbers stay unmatched.
        """
        if len(old_numbers) * len(new_numbers) > _MOST_PAIRS:
            for old, new in zip(old_numbers, new_numbers, strict=False):
                self._match(old, new, "neighbours")
            return
        pairs = [
            (-self._neighbour_score(old, new), self._distance(old, new), index, old, new)
            for index, old in enumerate(old_numbers)
            for new in new_numbers
        ]
        for *_, old, new in sorted(pairs):
            if old not in self.new_number and new not in self.old_number:
                self._match(old, new, "neighbours")

    def _neighbour_score(self, old: str, new: str) -> int:
        """Return how many neighbours of two rules match, from 0 to 5; the parent counts twice.

        The neighbours are the parent, the first sub-rule, and the siblings before and after. Only
        matches found so far count. Two rules at the top count as having matching parents.
        """
        before, after = self.before, self.after
        neighbours = [
            (before.first_child(old), after.first_child(new)),
            (before.sibling(old, -1), after.sibling(new, -1)),
            (before.sibling(old, 1), after.sibling(new, 1)),
        ]
        matching = sum(1 for a, b in neighbours if a and b and self.new_number.get(a) == b)
        return matching + 2 * self._same_parent(old, new)

    def _distance(self, old: str, new: str) -> int:
        """Return the number of rules between a new rule and the place where the old one would be
        if nothing had been inserted since the last matched rule before it."""
        index = start = self.before.position[old]
        while (
            index >= 0 and self.before.numbers[index] not in self.new_number and start - index < 50
        ):
            index -= 1
        anchor = self.new_number.get(self.before.numbers[index]) if index >= 0 else None
        expected = start - index + (self.after.position[anchor] if anchor else index)
        return abs(self.after.position[new] - expected)

    def _unmatched(self, rulebook: RuleTree) -> dict[str, list[str]]:
        """Return {text: the unmatched numbers with this text, sorted}.

        rulebook: the very object `self.before` or `self.after`.
        """
        matched = self.new_number if rulebook is self.before else self.old_number
        numbers: dict[str, list[str]] = defaultdict(list)
        for number in rulebook.numbers:
            if number not in matched:
                numbers[rulebook.texts[number]].append(number)
        return numbers

    def _is_sure(self, new: str, uses: Counter[str], new_uses: Counter[str]) -> bool:
        """Whether a heading after is matched to the only one before that has its text."""
        old, text = self.old_number.get(new), self.after.texts[new]
        is_same = old is not None and text == self.before.texts[old]
        return is_same and max(uses[text], new_uses[text]) == 1

    def _unmatch(self, *numbers: str | None) -> None:
        """Take back what rules before were matched to, if they were."""
        for old in numbers:
            if old in self.new_number:
                del self.old_number[self.new_number.pop(old)], self.grounds[old]

    def _match(self, old: str, new: str, grounds: Grounds, sure: float | None = None) -> None:
        self.new_number[old], self.old_number[new] = new, old
        self.grounds[old] = grounds, _SURENESS[grounds] if sure is None else min(sure, 1.0)


def _has_sentence(text: str, other: str, without: str) -> bool:
    """Whether a folded text has a whole sentence of another one (`other`), of 15 characters or
    more, that a third one (`without`; empty for none) has not."""
    return any(
        len(each) >= _SHORTEST_SENTENCE and each in text and each not in without
        for each in _SENTENCE_END.split(other)
    )


def _above_most(
    children: Iterable[str],
    matches: Mapping[str, str],
    others: RuleTree,
    level: int | None = None,
) -> str | None:
    """Return the rule that stands above more than half of the matches of some rules, and above at
    least a third as many as there are rules; None if there is none.

    children: numbers in one edition; matches: their numbers in the other; others: its rules.
    level: on which the rule stands, if anything of that level is above a match; None for the lowest
        rule that does.
    """
    children = list(children)
    above: Counter[str | None] = Counter()
    matched = [matches[child] for child in children if child in matches]
    for number in matched:
        parents = list(_parents(number, others))
        if level is None:
            above.update(parents)
        else:
            near = (parent for parent in parents if len(others.key[parent]) <= level)
            above[next(near, None)] += 1
    enough = [n for n, count in above.items() if 2 * count > len(matched)]
    best = max(enough, key=lambda number: len(others.key[number]) if number else 0, default=None)
    return best if best and 3 * above[best] >= len(children) else None


def _parents(number: str, tree: RuleTree) -> Iterator[str]:
    """Yield the rules above another, the nearest first, without itself; none for one at the top."""
    parent = tree.parent[number]
    while parent:
        yield parent
        parent = tree.parent[parent]
