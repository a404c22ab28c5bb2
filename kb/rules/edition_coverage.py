"""Measures how much of each edition of a rulebook is loaded in each language, when all is in."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from graphs.edition_order import in_order
from kb.rules.loaded_editions import Book, LoadedEdition, LoadedRules
from scraper.rulebook.numbering import Key, number_key

# The shares here were set by hand: lower takes a part for a whole, and what it lacks for removed;
# higher takes a short edition for a part, and says of its rules that nobody can tell.
# The share of another edition's sections that an edition must have to be whole: surely, and if
# nothing it cites is missing. Editions differ in a few sections, fragments have a few.
_SURELY, _LIKELY = 0.9, 0.6
_HALF = 0.5  # of the rules of a section, for it to be there; of the numbers that books share
_ENOUGH_CITED = 8  # different numbers, to judge by them; of fewer the sections decide
_FEW_CITED = 4  # the same, to see that most of them are not there
_TRANSLATED = 0.9  # the share of the rules of the same edition in another language


def measured_rules(
    game: str,
    numbers: Mapping[Book, frozenset[str]],
    cited: Callable[[str, str], Iterable[str]],
) -> LoadedRules:
    """Return how much of each edition of a game's rulebook is loaded in each language.

    numbers: {(edition, language): numbers of its rules}, none of them empty.
    cited: returns the numbers that the rules of an edition cite in a language; it is asked only
        where they are needed.
    """
    measure = _Measure(game, numbers, cited)
    loaded = {book: measure.loaded(*book) for book in numbers}
    return LoadedRules(game, loaded, numbers)


class _Measure:
    """The numbers of the rules of one game that are loaded, by edition and language."""

    def __init__(
        self,
        game: str,
        numbers: Mapping[Book, frozenset[str]],
        cited: Callable[[str, str], Iterable[str]],
    ) -> None:
        """The arguments are those of `measured_rules`."""
        self._game, self._numbers, self._cited = game, numbers, cited
        self._editions = in_order(edition for edition, _ in numbers)
        self._sections_of: dict[str, Counter[Key]] = {}

    def loaded(self, edition: str, lang: str) -> LoadedEdition:
        """Return how much of an edition is loaded in a language; in another one than its fullest it
        is whole if it has nine tenths of the rules. Raises KeyError for what is not loaded."""
        of, is_whole = self._standard[edition]
        here = self._numbers[edition, lang]
        if of is None:
            return LoadedEdition(self._game, edition, lang, len(here), None, False)
        is_whole = is_whole and len(here & self._fullest(edition)) >= _TRANSLATED * of
        return LoadedEdition(self._game, edition, lang, len(here), max(of, len(here)), is_whole)

    def _fullest_lang(self, edition: str) -> str:
        """Return the language in which most of an edition is loaded, of equal ones the first by
        code. The edition must be loaded in some language, or ValueError is raised."""
        langs = (lang for known, lang in self._numbers if known == edition)
        return min(langs, key=lambda lang: (-len(self._numbers[edition, lang]), lang))

    def _fullest(self, edition: str) -> frozenset[str]:
        """Return the numbers of an edition in the language in which most of it is loaded."""
        return self._numbers[edition, self._fullest_lang(edition)]

    @cached_property
    def _standard(self) -> dict[str, tuple[int | None, bool]]:
        """{edition: (how many rules it has, whether it is whole in its fullest language)}. Of an
        edition that is not, the nearest whole one says how many.

        An edition is whole if it has the sections of the nearest whole edition that has more rules
        than it; if there is none, unless its own citations and numbers show that it is a part.
        """
        by_size = sorted(self._editions, key=lambda edition: -len(self._fullest(edition)))
        place = {edition: index for index, edition in enumerate(self._editions)}
        whole: list[str] = []
        standard: dict[str, tuple[int | None, bool]] = {}
        for edition in by_size:
            nearest = min(
                whole, key=lambda other: (abs(place[other] - place[edition]), other), default=None
            )
            is_whole = self._is_whole(edition, nearest) if nearest else self._seems_whole(edition)
            if is_whole:
                whole.append(edition)
                nearest = edition
            standard[edition] = len(self._fullest(nearest)) if nearest else None, is_whole
        return standard

    def _is_whole(self, edition: str, other: str) -> bool:
        """Return whether an edition is whole in its fullest language, compared with another one
        that is.

        It is if it has something of every chapter of the other, and nearly all rules or sections;
        or many sections, and the rules that it cites. For a part of a book cites rules of its other
        parts; so it is not if it cites a chapter that is not there. A long book most of whose
        numbers the other has not is numbered otherwise, not a part: it is judged by itself.
        """
        numbers, of_other = self._fullest(edition), self._fullest(other)
        shared = len(numbers & of_other)
        if shared < _HALF * len(numbers) and len(numbers) >= _HALF * len(of_other):
            return self._seems_whole(edition)
        missing = of_other - numbers
        if len(missing) <= (1 - _SURELY) * len(of_other) and _have_chapters(numbers, missing):
            return True
        here, there = self._sections(edition), self._sections(other)
        share = sum(here[one] >= _HALF * rules for one, rules in there.items()) / len(there)
        lost = {section[:1] for section in there} - {section[:1] for section in here}
        if share >= _SURELY and not lost:
            return True
        cited = set(self._cited(edition, self._fullest_lang(edition)))
        if lost & {number_key(number)[:1] for number in cited}:
            return False
        if share >= _SURELY:
            return True
        if len(cited) >= _ENOUGH_CITED:
            return share >= _HALF and len(cited & numbers) >= _SURELY * len(cited)
        return share >= _LIKELY

    def _seems_whole(self, edition: str) -> bool:
        """Return whether an edition seems to be whole in its fullest language, with no other one to
        compare it with: it has nearly all rules that it cites; or most of them, and most of the
        sections before its last ones."""
        numbers = self._fullest(edition)
        cited = set(self._cited(edition, self._fullest_lang(edition)))
        if len(cited) >= _FEW_CITED:
            there = len(cited & numbers) / len(cited)
            if there < _HALF or (there >= _SURELY and len(cited) >= _ENOUGH_CITED):
                return there >= _HALF
        by_chapter: dict[int, list[int]] = defaultdict(list)
        for section in self._sections(edition):
            if len(section) > 1:
                by_chapter[section[0]].append(section[1])
        # Sections are counted from 1 in each chapter, or from 100 times its number.
        expected = sum(
            max(found) % 100 + 1 if max(found) >= 100 else max(found)
            for found in by_chapter.values()
        )
        return sum(map(len, by_chapter.values())) >= _HALF * expected

    def _sections(self, edition: str) -> Counter[Key]:
        """Return how many rules there are of each section of an edition, in its fullest language:
        of all below the second level, and of the chapters' headings."""
        if edition not in self._sections_of:
            keys = map(number_key, self._fullest(edition))
            self._sections_of[edition] = Counter(key[:2] for key in keys)
        return self._sections_of[edition]


def _have_chapters(numbers: Iterable[str], others: Iterable[str]) -> bool:
    """Return whether some numbers have all chapters, the first levels, of others; True if there are
    no others."""
    wanted = {number_key(number)[:1] for number in others}
    for number in numbers:
        if not wanted:
            break
        wanted.discard(number_key(number)[:1])
    return not wanted
