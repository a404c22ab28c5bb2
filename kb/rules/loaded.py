"""Says how much of each edition of a rulebook is loaded in each language, and what it lacks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from graphs.edition_order import in_order
from graphs.store.reader import Store
from kb.language.nearest import refuse_unknown
from kb.reason import Reason, sentences
from kb.result import reported_as
from scraper.rulebook.documents import document_of_edition
from scraper.rulebook.numbering import Key, number_key

# The share of another edition's sections that an edition must have to be whole: surely, and if
# nothing it cites is missing. Editions differ in a few sections, fragments have a few.
_SURELY, _LIKELY = 0.9, 0.6
_HALF = 0.5  # of the rules of a section, for it to be there
_ENOUGH_CITED = 8  # different numbers, to judge by them
_FEW_CITED = 4  # the same, to see that most of them are not there
_TRANSLATED = 0.9  # the share of the rules of the same edition in another language


@dataclass(frozen=True, slots=True)
class LoadedEdition:
    """How much of an edition of a game's rulebook is loaded in a language.

    rules: how many of its rules are loaded.
    of: how many rules it has where it is most complete: in another language, or else, if the
        edition is nowhere whole, as many as its nearest whole edition has. None if no edition of
        the game is whole, so that nobody can say.
    whole: whether all of it is loaded, as far as the rules that are loaded show it.
    """

    game: str
    edition: str
    lang: str
    rules: int
    of: int | None
    whole: bool

    @property
    def language(self) -> str:
        """The English name of the language; of a rarer one its code."""
        return language_name(self.lang)

    @property
    def share(self) -> float:
        """The share of its rules that are loaded, from 0 to 1; 1 if it is whole, 0 if nobody can
        say."""
        if self.whole:
            return 1.0
        return min(1.0, self.rules / self.of) if self.of else 0.0

    @reported_as("share")
    def loaded_share(self) -> float | None:
        """The share of its rules that are loaded, in four places; None if nobody can say."""
        return round(self.rules / self.of, 4) if self.of else None


@dataclass(frozen=True, slots=True)
class Gaps:
    """What is not loaded of an edition in a language.

    numbers: rules that it has in another language, and that are not loaded in this one.
    others: whether more may be missing, because the edition is nowhere whole.
    """

    numbers: frozenset[str] = frozenset()
    others: bool = False

    def __bool__(self) -> bool:
        return self.others or bool(self.numbers)


WITHOUT_GAPS = Gaps()


class LoadedRules:
    """The numbers of the rules of one game that are loaded, by edition and language."""

    def __init__(
        self,
        game: str,
        numbers: Mapping[tuple[str, str], frozenset[str]],
        cited: Callable[[str, str], Iterable[str]],
    ) -> None:
        """game: its rules only are known here.

        numbers: {(edition, language): numbers of its rules}, none of them empty.
        cited: returns the numbers that the rules of an edition cite in a language.
        """
        self.game, self.numbers, self._cited = game, numbers, cited
        self._sections_of: dict[str, Counter[Key]] = {}

    @cached_property
    def editions(self) -> list[str]:
        """The editions that are loaded in any language, the oldest first."""
        return in_order(edition for edition, _ in self.numbers)

    def langs(self, edition: str) -> list[str]:
        """Return the languages in which some of an edition is loaded, the fullest first."""
        langs = [lang for known, lang in self.numbers if known == edition]
        return sorted(langs, key=lambda lang: (-len(self.numbers[edition, lang]), lang))

    def loaded(self, edition: str, lang: str) -> LoadedEdition:
        """Return how much of an edition is loaded in a language; it may be nothing."""
        of, is_whole = self._standard[edition]
        here = self.numbers.get((edition, lang), frozenset())
        if of is None:
            return LoadedEdition(self.game, edition, lang, len(here), None, False)
        is_whole = is_whole and len(here & self._fullest(edition)) >= _TRANSLATED * of
        return LoadedEdition(self.game, edition, lang, len(here), max(of, len(here)), is_whole)

    def gaps(self, edition: str, lang: str) -> Gaps:
        """Return what is not loaded of an edition in a language, as far as the base shows it.

        An empty result (which is false) means that a rule that is not there is not in the edition.
        """
        fullest = self._fullest(edition)
        missing = fullest - self.numbers[edition, lang]
        return Gaps(frozenset(missing), others=not self._standard[edition][1])

    def _fullest(self, edition: str) -> frozenset[str]:
        """Return the numbers of an edition in the language in which most of it is loaded."""
        return self.numbers[edition, self.langs(edition)[0]]

    @cached_property
    def _standard(self) -> dict[str, tuple[int | None, bool]]:
        """{edition: (how many rules it has, whether it is whole in its fullest language)}. Of an
        edition that is not, the nearest whole one says how many.

        An edition is whole if it has the sections of the nearest whole edition that has more rules
        than it; if there is none, unless its own citations and numbers show that it is a part.
        """
        by_size = sorted(self.editions, key=lambda edition: -len(self._fullest(edition)))
        place = {edition: index for index, edition in enumerate(self.editions)}
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
        parts; so it is not if it cites a chapter that is not there.
        """
        numbers, of_other = self._fullest(edition), self._fullest(other)
        missing = of_other - numbers
        if len(missing) <= (1 - _SURELY) * len(of_other) and _have_chapters(numbers, missing):
            return True
        here, there = self._sections(edition), self._sections(other)
        share = sum(here[one] >= _HALF * rules for one, rules in there.items()) / len(there)
        lost = {section[:1] for section in there} - {section[:1] for section in here}
        if share >= _SURELY and not lost:
            return True
        cited = set(self._cited(edition, self.langs(edition)[0]))
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
        cited = set(self._cited(edition, self.langs(edition)[0]))
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
    """Return whether some numbers have all chapters, the first levels, of others."""
    wanted = {number_key(number)[:1] for number in others}
    for number in numbers:
        if not wanted:
            break
        wanted.discard(number_key(number)[:1])
    return not wanted


def loaded_rules(store: Store, document: str | None = None) -> dict[str, LoadedRules]:
    """Return {game: the numbers of its rules that are loaded}; or of the sections of a document
    beside them, such as `tournament-rules`."""
    numbers: dict[str, dict[tuple[str, str], set[str]]] = defaultdict(lambda: defaultdict(set))
    for game, edition, lang, number in store.rule_numbers("document" if document else "rule"):
        if document_of_edition(edition) == document:
            numbers[game][edition, lang].add(number)

    def cited_in(game: str) -> Callable[[str, str], Iterable[str]]:
        return lambda edition, lang: (
            cited.rpartition("/")[2] for _, cited in store.citations(game, edition, lang)
        )

    return {
        game: LoadedRules(
            game, {book: frozenset(found) for book, found in books.items()}, cited_in(game)
        )
        for game, books in sorted(numbers.items())
    }


def loaded_editions(store: Store, documents: bool = False) -> Iterator[LoadedEdition]:
    """Yield how much of each edition is loaded in each language, by game, edition and language.

    documents: those of documents beside the rulebooks instead.
    """
    named: set[str | None] = {None}
    if documents:
        named = {document_of_edition(edition) for _, edition, *_ in store.rule_numbers("document")}
    for document in sorted(named, key=str):
        for rules in loaded_rules(store, document).values():
            for edition in rules.editions:
                for lang in sorted(rules.langs(edition)):
                    yield rules.loaded(edition, lang)


def refuse_unknown_scope(
    games: Mapping[str, LoadedRules], game: str | None, lang: str | None = None
) -> None:
    """Raise QuestionError if a game or a language has no rules; None means any.

    games: as `loaded_rules` returns it.
    """
    if game:
        refuse_unknown("game with rules", game, games)
    if lang:
        known = {lang for loaded in games.values() for _, lang in loaded.numbers}
        refuse_unknown("language with rules", lang, known)


def language_name(lang: str) -> str:
    """Return the English name of a language; of a rarer one its code.

    >>> language_name("ja"), language_name("tlh")
    ('Japanese', 'tlh')
    """
    return sentences("en").get(f"language_{lang}", lang)


def describe_loaded(loaded: Iterable[LoadedEdition]) -> Reason:
    """Return how much of some editions is loaded.

    >>> print(describe_loaded([LoadedEdition("mtg", "2023", "ja", 42, 3050, False)]))
    42 of 3,050 rules of 2023 are loaded
    """
    parts = tuple(
        Reason("all_rules_of", rules=one.rules, edition=one.edition)
        if one.rules == one.of
        else Reason("rules_of", rules=one.rules, of=one.of, edition=one.edition)
        for one in loaded
        if one.rules
    )
    return Reason("are_loaded", first=parts[:-1], last=parts[-1])
