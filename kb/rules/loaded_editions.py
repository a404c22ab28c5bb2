"""How much of each edition of a rulebook is loaded in each language, and what it lacks.

A build measures it when all is in; questions read what it found.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial

from graphs.model import NodeKind
from graphs.sort_orders import in_order
from graphs.store.reader import Store
from graphs.store.rule_versions import BookRow, book_rows
from kb.language.nearest_value import refuse_unknown
from kb.reason import Reason, sentences
from kb.result import reported_as
from scraper.rulebook.documents_beside_rulebook import document_of_edition
from scraper.rulebook.numbering import Key, number_key

Book = tuple[str, str]  # edition, language


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
    """How much of the rules of one game is loaded, by edition and language, as a build found it.

    Likewise of the sections of a document beside the rules. `kb.rules.loaded_editions` says how
    it is found.
    """

    def __init__(
        self,
        game: str,
        loaded: Mapping[Book, LoadedEdition],
        numbers: Mapping[Book, frozenset[str]],
    ) -> None:
        """loaded: how much of each book is loaded; numbers: the numbers of the rules of each, none
        of them empty."""
        self.game, self._loaded, self.numbers = game, loaded, numbers

    @property
    def books(self) -> Iterable[Book]:
        """The (edition, language) of which any rules are loaded."""
        return self._loaded.keys()

    @cached_property
    def editions(self) -> list[str]:
        """The editions that are loaded in any language, the oldest first."""
        return in_order(edition for edition, _ in self._loaded)

    def editions_in(self, lang: str) -> list[str]:
        """Return the editions that are loaded in a language, the oldest first; empty for one that
        is unknown."""
        return [edition for edition in self.editions if (edition, lang) in self._loaded]

    def langs(self, edition: str) -> list[str]:
        """Return the languages in which some of an edition is loaded, the fullest first, of equally
        full ones by their codes; empty for an unknown edition."""
        langs = [lang for known, lang in self._loaded if known == edition]
        return sorted(langs, key=lambda lang: (-self._loaded[edition, lang].rules, lang))

    def loaded(self, edition: str, lang: str) -> LoadedEdition:
        """Return how much of an edition is loaded in a language; of an unknown one nothing: 0 rules
        of as many as it has elsewhere."""
        if found := self._loaded.get((edition, lang)):
            return found
        of = max((self._loaded[edition, one].of or 0 for one in self.langs(edition)), default=0)
        return LoadedEdition(self.game, edition, lang, 0, of or None, False)

    def gaps(self, edition: str, lang: str) -> Gaps:
        """Return what is not loaded of an edition in a language, as far as the base shows it.

        An empty result (which is false) means that a rule that is not there is not in the edition.
        Where the book is whole in the language, single newer rules that its translation lacks are
        no gap, but missing sections are, with others behind them.
        The edition must be loaded in some language, else IndexError is raised; `lang` must be one
        of these.
        """
        fullest = self.langs(edition)[0]
        others = not self._loaded[edition, fullest].whole
        if fullest == lang:  # all numbers are not read for nothing
            return Gaps(others=others)
        missing = self.numbers[edition, fullest] - self.numbers[edition, lang]
        if self.loaded(edition, lang).whole:
            # A translation may lack rules that are newer, and count on without them; but no chapter
            # and no section before others.
            sections = {number_key(number)[:2] for number in self.numbers[edition, lang]}
            last = {key[:1]: key for key in sorted(sections)}
            keys = {one: number_key(one)[:2] for one in missing}
            missing = frozenset(
                one
                for one, key in keys.items()
                if key not in sections and key < last.get(key[:1], (*key, 0))
            )
        return Gaps(missing, others)


def loaded_rules(store: Store, document: str | None = None) -> dict[str, LoadedRules]:
    """Return {game: how much of its rules is loaded}, sorted by game; or of the sections of a
    document beside them, such as `tournament-rules`. Games without such are left out."""
    books: dict[str, dict[Book, LoadedEdition]] = defaultdict(dict)
    for row in book_rows(store):
        if document_of_edition(row.edition) == document:
            one = _as_loaded(row)
            books[row.game][row.edition, row.lang] = one

    kind: NodeKind = "document" if document else "rule"
    return {
        game: LoadedRules(game, of_game, _NumbersOfBooks(store, kind, game, of_game))
        for game, of_game in sorted(books.items())
    }


class _NumbersOfBooks(Mapping[Book, frozenset[str]]):
    """{(edition, language): the numbers of its rules} of a game; each book is read when it is first
    asked for."""

    def __init__(self, store: Store, kind: NodeKind, game: str, books: Collection[Book]) -> None:
        self._books = books
        self._read = cache(partial(store.numbers_of_book, kind, game))

    def __getitem__(self, book: Book) -> frozenset[str]:
        if book not in self._books:
            raise KeyError(book)
        return self._read(*book)

    def __contains__(self, book: object) -> bool:
        return book in self._books

    def __iter__(self) -> Iterator[Book]:
        return iter(self._books)

    def __len__(self) -> int:
        return len(self._books)


def _as_loaded(row: BookRow) -> LoadedEdition:
    whole = bool(row.whole)
    return LoadedEdition(row.game, row.edition, row.lang, row.rules, row.total, whole)


def loaded_editions(store: Store, documents: bool = False) -> Iterator[LoadedEdition]:
    """Yield how much of each edition is loaded in each language, by game, edition and language.

    documents: those of documents beside the rulebooks instead, one document after the other.
    """
    rows = [row for row in book_rows(store) if bool(document_of_edition(row.edition)) == documents]
    for row in sorted(rows, key=lambda row: document_of_edition(row.edition) or ""):
        yield _as_loaded(row)


def refuse_unknown_scope(
    games: Mapping[str, LoadedRules], game: str | None, lang: str | None = None
) -> None:
    """Raise QuestionError if a game or a language has no rules; None means any.

    games: as `loaded_rules` returns it.
    """
    if game:
        refuse_unknown("game with rules", game, games)
    if lang:
        known = {lang for loaded in games.values() for _, lang in loaded.books}
        refuse_unknown("language with rules", lang, known)


def language_name(lang: str) -> str:
    """Return the English name of a language; of a rarer one its code.

    >>> language_name("ja"), language_name("tlh")
    ('Japanese', 'tlh')
    """
    return sentences("en").get(f"language_{lang}", lang)


def describe_loaded(loaded: Iterable[LoadedEdition]) -> Reason:
    """Return as a message how much of some editions is loaded; those of which nothing is are left
    out.

    loaded: one at least of which there are rules, else IndexError is raised.

    >>> print(describe_loaded([LoadedEdition("mtg", "2023", "ja", 42, 3050, False)]))
    42 of 3,050 rules of 2023 are loaded
    """
    parts = tuple(
        Reason("all_rules_of", rules=one.rules, edition=one.edition)
        if one.whole or one.rules == one.of
        else Reason("rules_of", rules=one.rules, of=one.of, edition=one.edition)
        for one in loaded
        if one.rules
    )
    return Reason("are_loaded", first=parts[:-1], last=parts[-1])


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
