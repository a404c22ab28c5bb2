"""Finds which entries of glossaries in two languages explain one thing, by what their texts name.

Headings tell which names translate each other, and rules that are aligned suggest it; a headword
that is neither a heading nor a frequent word has only its gloss.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from math import log, sqrt

from graphs.natural_order import natural_key
from graphs.writing.names_and_merges import DefiningPassage, DerivedLabel, NodeName
from kb.knowledge.page_subject import game_of
from kb.language.english_names_in_text import EnglishFinder
from kb.language.fold import fold

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

    definitions: the passages that define terms. names: those of all terms; both as pages state
    them. given: the names that headings state. suggested: (game, Japanese, English) names that
    aligned rules suggest; the surer they are, the more is found.
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
        names = _Names(known)
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


class _Names:
    """Finds names that translate each other in texts of both languages."""

    def __init__(self, pairs: Collection[tuple[str, str]]) -> None:
        """pairs: (Japanese, English) names."""
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
        and numbers."""
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
