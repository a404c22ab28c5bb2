"""The rules that a knowledge base has in two languages, as evidence of how terms are translated."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from graphs.model import Node
from graphs.sort_orders import edition_key, natural_key
from graphs.store.reader import Store
from graphs.store.rule_versions import translated_editions, translated_numbers
from kb.checking.draft import comparable_parts
from kb.checking.kept_tools import cached_method
from kb.checking.term_finder import Finder, Word, WordLinks
from kb.language.english_inflection import NameUse
from kb.language.typography import fold_typography
from kb.query.editions.diff import texts_by_number
from kb.rules.loaded_editions import LoadedRules

# Rules with a translation that are read. A guard of time and memory: three editions of the longest
# rulebook (Magic's, of 3,200 to 3,400 rules) fit; what is left out is of the oldest ones.
_MOST_PAIRS = 12_000


@dataclass(frozen=True, slots=True)
class Usage:
    """How the aligned rules translate a name.

    rules: how many rules have it in the source language.
    agreeing: how many of those have one of the names asked for in the target language.
    """

    rules: int
    agreeing: int

    @property
    def rate(self) -> float:
        """(agreeing + 1) / (rules + 2): the share of rules that agree, smoothed, so that few rules
        say less than many; 0.5 if there are none."""
        return (self.agreeing + 1) / (self.rules + 2)


class AlignedRules:
    """Pairs of texts in a source and a target language, and which names stand in the sources."""

    def __init__(
        self, pairs: Iterable[tuple[str, str]], source_finder: Finder, target_finder: Finder
    ) -> None:
        """pairs: (text in the source language, text in the target language); equal ones count
        once, and those of which either text has no comparable part don't count."""
        self._finders = source_finder, target_finder
        self._target_finder = target_finder
        self._by_source: dict[str, list[int]] = defaultdict(list)
        self._texts: list[tuple[str, str]] = []
        self._pairs: list[tuple[str, str]] = []  # folded source, target
        self._with: dict[NameUse, list[int]] = defaultdict(list)
        self._uses: dict[tuple[str, ...], set[NameUse]] = defaultdict(set)
        for whole, translation in dict.fromkeys(pairs):
            source, target = comparable_parts(whole, translation)
            if not source or not target:
                continue
            index = len(self._pairs)
            own = fold_typography(whole)
            self._pairs.append((own, target))
            self._by_source[own].append(index)
            self._texts.append((source, target))
            for use in {name.use(source) for name in source_finder.find(source)}:
                self._with[use].append(index)
                self._uses[use.concepts].add(use)

    def __len__(self) -> int:
        return len(self._pairs)

    def usage(self, use: NameUse, names: Iterable[str], source: str) -> Usage:
        """Return how the rules translate a name that is written in one way, without those whose
        source is the text that is being checked; `Usage(0, 0)` if none is left.

        names: in the target language; a rule agrees if it has any of them. source: the whole source
        text that is checked.
        """
        indexes = self._with.get(use, ())
        if not indexes:
            return Usage(0, 0)
        own, agreeing = fold_typography(source), self._agreeing(use, frozenset(names))
        others = [index for index in indexes if self._pairs[index][0] != own]
        return Usage(len(others), sum(index in agreeing for index in others))

    @cached_method()
    def _agreeing(self, use: NameUse, names: frozenset[str]) -> frozenset[int]:
        """Return the indexes of the rules with a name whose translations have any of some names."""
        has, pairs = self._target_finder.has, self._pairs
        return frozenset(
            index for index in self._with[use] if any(has(pairs[index][1], name) for name in names)
        )

    @cached_property
    def _links(self) -> WordLinks:
        return WordLinks(self._texts, *self._finders)

    def unexplained(self, source: str, target: str) -> list[Word]:
        """Return the words of a target that nothing in its source accounts for, in order, by the
        rules with other sources than this text."""
        return self._links.unexplained(
            source, target, self._by_source.get(fold_typography(source), ())
        )

    def usage_in_any_form(self, use: NameUse, names: Iterable[str], source: str) -> Usage:
        """Return what `usage` does, summed over all forms in which the name's concepts are written:
        if it stands within a compound, only over those that do; else only over those that don't."""
        wanted = frozenset(names)
        found = [
            self.usage(other, wanted, source)
            for other in self._uses.get(use.concepts, ())
            if other.within == use.within
        ]
        return Usage(sum(one.rules for one in found), sum(one.agreeing for one in found))


def aligned_texts(
    store: Store,
    loaded: LoadedRules,
    source_lang: str,
    target_lang: str,
    with_examples: bool = False,
) -> Iterator[tuple[str, str]]:
    """Yield (text in the source language, text in the target language) of the rules that an edition
    of a game has in both, or one of another date in the target language, the newest edition first,
    and the rules of each in the order of their numbers; of at most 12,000 rules.

    with_examples: whether to yield the examples of a rule behind it, too, if it has as many in both
        languages.
    """
    left = _MOST_PAIRS
    game, langs = loaded.game, (source_lang, target_lang)
    translated = translated_editions(store, game, *langs)
    for edition, other_edition in sorted(
        translated.items(), key=lambda each: edition_key(each[0]), reverse=True
    ):
        books = [
            {rule.number: rule for rule in store.rules(game, each, lang) if rule.number}
            for each, lang in zip((edition, other_edition), langs, strict=True)
        ]
        sources, targets = (texts_by_number(book.values()) for book in books)
        same = translated_numbers(store, game, edition, *langs, other_edition)
        for number, (other, _) in sorted(same.items(), key=lambda each: natural_key(each[0])):
            if left:
                left -= 1
                yield sources[number], targets[other]
                if with_examples:
                    yield from _examples(books[0][number], books[1][other])


def _examples(rule: Node, translated: Node) -> Iterator[tuple[str, str]]:
    """Yield (example, its translation) in the order of the rule; nothing if they aren't as many."""
    examples, others = ((one.details or {}).get("examples", ()) for one in (rule, translated))
    if len(examples) == len(others):
        yield from zip(examples, others, strict=True)
