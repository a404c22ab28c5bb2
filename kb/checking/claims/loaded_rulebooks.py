"""The rulebooks that are loaded: which editions of which game have a number, and its rule."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial

from graphs.model import Node
from graphs.sort_orders import edition_key
from graphs.store.reader import Store
from graphs.store.rule_versions import (
    VersionRow,
    matched_numbers,
    rule_parents,
    rules_above,
    rules_beside,
    versions_of,
)
from kb.checking.kept_tools import cached_method
from kb.language.fold import fold, is_japanese
from kb.language.typography import fold_typography
from kb.reason import Reason
from kb.rules.change_kind_names import RENUMBERED, SAME_TEXT
from kb.rules.edition_dates import NamedEdition, edition_dates
from kb.rules.loaded_editions import LoadedRules, loaded_rules
from scraper.rulebook.numbering import number_key

_MOST_LEVELS = 9  # a guard; no rulebook has more than seven
_DAY = 8  # digits of a date as editions are called: 20240802


@dataclass(frozen=True, slots=True)
class CitedRule:
    """What a number means in a game.

    rules: the rule in each language of the edition, the language that is preferred first; empty if
        no edition has it.
    edition: that has it.
    stands: whether that is the edition meant, or may be: a newer one is loaded only in part.
    is_of_language: whether it is a number of the language that is preferred, as far as its editions
        are loaded; else it is one of another language, whose rules are numbered otherwise.
    partly: what is loaded of the edition meant, if it may have more rules; else None.
    """

    rules: tuple[Node, ...]
    edition: str | None
    stands: bool
    partly: Reason | None = None
    is_of_language: bool = True


class Rulebooks:
    """The rules of all games that are loaded, by game, edition, language and number."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._numbered = lru_cache(4096)(store.find_by_number)
        self._editions_in = cache(store.editions_in)
        self._rules: dict[tuple[str, str], Mapping[str, list[Node]]] = {}  # of whole editions
        self._successors = cache(partial(matched_numbers, store))
        self._forms = cache(lambda game: frozenset(map(form_of, self.known(game))))
        self._headings: dict[str, str | None] = {}  # by the id of a rule

    @cached_property
    def games(self) -> Mapping[str, LoadedRules]:
        """{game: what is loaded of its rules}."""
        return loaded_rules(self._store)

    @cached_property
    def _known(self) -> dict[str, frozenset[str]]:
        return {
            game: frozenset().union(*loaded.numbers.values()) for game, loaded in self.games.items()
        }

    def heading_above(self, rule: Node) -> str | None:
        """Return the heading of a rule, or of the nearest rule above it that has one."""
        if rule.id not in self._headings:
            above = () if rule.label else reversed(rules_above(self._store, rule.id))
            labels = (row.label for row in above)
            self._headings[rule.id] = rule.label or next(filter(None, labels), None)
        return self._headings[rule.id]

    def read(self, game: str, edition: str) -> Mapping[str, list[Node]]:
        """Return {number: its rules in all languages} of an edition, read at once; from then on
        none of them is looked up by itself."""
        if (game, edition) not in self._rules:
            found: dict[str, list[Node]] = defaultdict(list)
            for lang in self.games[game].langs(edition):
                rules = {rule.id: rule for rule in self._store.rules(game, edition, lang)}
                parents = rule_parents(self._store, game, edition, lang)
                for rule in (one for one in rules.values() if one.kind == "rule"):
                    found[rule.number or ""].append(rule)
                    above: Node | None = rule
                    for _ in range(_MOST_LEVELS):  # a damaged file may go in circles
                        if above and not above.label:
                            above = rules.get(parents.get(above.id) or "")
                    self._headings[rule.id] = above.label if above else None
            self._rules[game, edition] = found
        return self._rules[game, edition]

    @cached_method(2048)
    def all_versions(self, rule: str) -> list[Node]:
        """Return the versions of the rule that one is a version of, itself among them."""
        rows = [row.id for row in versions_of(self._store, [rule])]
        return list(self._store.get(rows or [rule]).values())

    @cached_method(8192)
    def headings_beside(self, rule: str) -> tuple[str, ...]:
        """Return the headings of the rules that stand beside one, itself among them."""
        return tuple(row.label for row in rules_beside(self._store, rule) if row.label)

    def known(self, game: str | None) -> frozenset[str]:
        """Return the numbers of a game's rules, of all editions and languages; for None, of all
        games; empty for a game without rules."""
        if game is None:
            return frozenset().union(*self._known.values())
        return self._known.get(game, frozenset())

    def is_headed(self, game: str, number: str, words: str) -> bool:
        """Whether a game has a rule of a number, in any edition and language, whose heading, or the
        nearest above it, is among some words."""
        if number not in self.known(game):
            return False
        headings = {self.heading_above(rule) for rule in self.all_numbered(game, number)}
        return any(has_words(words, heading) for heading in headings if heading)

    def has_form(self, game: str, number: str) -> bool:
        """Whether a game has a rule whose number has the form of a number, by `form_of`."""
        return form_of(number) in self._forms(game)

    def find(self, game: str, number: str, edition: str | None, lang: str | None) -> CitedRule:
        """Return the rule of a number: of the edition meant, else of the first that has it in the
        order of `_order`, else in another language's numbers; without rules if none has it, or if
        the game has none.

        edition: that is meant; None for the newest. lang: that is preferred.
        """
        loaded = self.games.get(game)
        if loaded is None:
            return CitedRule((), None, False)
        stands, is_any_whole = True, False
        partly: Reason | None = None
        elsewhere: str | None = None
        order = self._order(game, lang)
        if edition:
            order = [(edition, True), *((one, True) for one, _ in order if one != edition)]
        for one, is_meant in order:
            langs = self._langs_meant(game, one, edition, lang)
            if any(number in loaded.numbers[one, each] for each in langs):
                stands = stands or not is_meant  # newer than what there is in the language
                return CitedRule(self._nodes(game, one, number, lang), one, stands, partly)
            if elsewhere is None and number in self._numbers_below(game, one)[0]:
                elsewhere = one
            is_whole = self.is_whole(game, one)
            if is_meant and (one == edition or is_whole):
                stands = False
            if one == edition and not is_whole:
                partly = self.partly_loaded(game, one)
            is_any_whole = is_any_whole or is_whole
        if not partly and not is_any_whole:
            partly = self.partly_loaded(game, loaded.editions[-1])
        if elsewhere:
            nodes = self._nodes(game, elsewhere, number, lang)
            return CitedRule(nodes, elsewhere, False, partly, is_of_language=False)
        return CitedRule((), None, False, partly)

    def _langs_meant(
        self, game: str, edition: str, asked: str | None, lang: str | None
    ) -> Sequence[str]:
        """Return the languages whose numbers count in an edition for who reads one of them: that
        one, where all of it is loaded; all of the edition's, where it is loaded in part, or in none
        of the newer ones; none of an edition that is only in others, while its own is loaded.

        asked: the edition that is meant, in whatever language there is; None for the newest.
        """
        loaded = self.games[game]
        langs = loaded.langs(edition)
        if lang in langs:
            return [lang] if loaded.loaded(edition, lang).whole else langs
        read = loaded.editions_in(lang or "")
        is_read = bool(read) and loaded.loaded(read[-1], lang or "").whole
        return langs if edition == asked or not is_read else ()

    def number_in(self, rule: Node, edition: str, lang: str) -> str | None:
        """Return the number that a rule has in a language in an edition; where that edition isn't
        loaded in the language, in the newest before it that is, else in the oldest. None if it has
        none there."""
        books = self.games[rule.game or ""].editions_in(lang)
        if edition not in books:
            order = self.games[rule.game or ""].editions
            place = order.index(edition) if edition in order else len(order)
            before = [one for one in books if order.index(one) < place]
            edition = (before or books[:1] or [edition])[-1 if before else 0]
        rows = versions_of(self._store, [rule.id])
        return next((r.number for r in rows if (r.edition, r.lang) == (edition, lang)), None)

    def versions(self, rule: Node) -> list[Node]:
        """Return all versions of a rule in its language, itself among them, the newest first."""
        rows = [row for row in versions_of(self._store, [rule.id]) if row.lang == rule.lang]
        nodes = self._store.get(row.id for row in rows).values()
        return sorted(nodes, key=lambda node: edition_key(node.edition), reverse=True)

    def in_language(self, rules: Iterable[Node], lang: str) -> list[Node]:
        """Return the versions of some rules in a language, the newest first; other nodes than rules
        have none."""
        rows = versions_of(self._store, (rule.id for rule in rules if rule.kind == "rule"))
        nodes = self._store.get(row.id for row in rows if row.lang == lang).values()
        return sorted(nodes, key=lambda node: edition_key(node.edition), reverse=True)

    def is_word(self, game: str, text: str) -> bool:
        """Whether a term or a rule of a game has these words as a name or heading."""
        return any(
            node.game == game and node.kind in ("term", "rule")
            for node in self._store.find_by_label(fold(text))
        )

    def own_edition(
        self, game: str | None, edition: str | None, lang: str | None = None
    ) -> str | None:
        """Return an edition if the game has it; for another date that of a file with this date, or
        the newest that was in force then, or else the oldest; None for another game's, for a name
        that is no date, for None, and for a game without rules.

        edition: may be a year or a month, which is meant to its end. lang: that the edition must be
            in; None for any.
        """
        loaded = self.games.get(game or "")
        if not loaded or not edition:
            return edition if loaded else None
        editions = (loaded.editions_in(lang) if lang else []) or loaded.editions
        if edition in editions:
            return edition
        if (self.is_loaded(edition) and edition not in loaded.editions) or not edition.isdigit():
            return None
        if of_file := [one for one in self._editions_in_files(edition) if one in editions]:
            return of_file[-1]
        dated = [one for one in editions if one.isdigit() and len(one) == _DAY]
        in_force = [one for one in dated if one <= edition.ljust(_DAY, "9")]
        return in_force[-1] if in_force else dated[0] if dated else None

    def _editions_in_files(self, date: str) -> list[str]:
        return self._editions_in(date) if len(date) == _DAY else []

    def is_between(self, game: str, edition: str | None, taken: str | None) -> bool:
        """Whether an edition came out between one and the date for which it is taken, so that
        nobody can say what was in force in its language.

        edition: the date; taken: the edition in the language. False without either.
        """
        editions = self.games[game].editions
        return bool(edition and taken) and any(
            str(taken) < one <= str(edition) for one in editions if one.isdigit()
        )

    def edition_taken(
        self, game: str | None, edition: str, lang: str | None = None
    ) -> Reason | None:
        """Return which edition is taken for one that a text names and is not loaded, be it as
        `edition_taken_for` (a part of its date, or of its file's) or `edition_not_loaded` (with the
        one in force, or else the oldest); None for one that is.

        lang: in which the text names it; None for any.
        """
        own = self.own_edition(game, edition, lang)
        if self.is_loaded(edition):
            if own in (None, edition) or not lang:
                return None
            in_force, oldest = (own, None) if own and own < edition else (None, own)
            return Reason(
                "edition_not_loaded", edition=edition, in_force=in_force, oldest=oldest, lang=lang
            )
        if own and (own.startswith(edition) or own in self._editions_in_files(edition)):
            return Reason("edition_taken_for", given=edition, edition=own)
        in_force = own if own and own < edition else None
        oldest = None if in_force else own
        return Reason("edition_not_loaded", edition=edition, in_force=in_force, oldest=oldest)

    def is_loaded_in(self, game: str, edition: str, lang: str) -> bool:
        """Whether some of an edition is loaded in a language."""
        return (edition, lang) in self.games[game].books

    def is_loaded(self, edition: str) -> bool:
        """Whether any game has an edition."""
        return any(edition in loaded.editions for loaded in self.games.values())

    def _order(self, game: str, lang: str | None) -> list[tuple[str, bool]]:
        """Return (edition, whether it is meant by who reads a language) for the editions of a game:
        the newest in the language; newer ones in others only, which aren't meant; the further ones
        in the language; older ones in others only. Each group the newest first."""
        loaded = self.games[game]
        newest_first = loaded.editions[::-1]
        read = [one for one in newest_first if (one, lang) in loaded.numbers] or newest_first
        # Of what is newer, but in other languages only, the reader of this language may know.
        others = [one for one in newest_first if one not in read]
        newest = max(map(loaded.editions.index, read))
        newer = [one for one in others if loaded.editions.index(one) > newest]
        older = [one for one in others if one not in newer]
        meant = [(one, True) for one in read]
        unread = [*((one, False) for one in newer), *((one, True) for one in older)]
        return [*meant[:1], *unread[: len(newer)], *meant[1:], *unread[len(newer) :]]

    @cached_method()
    def partly_loaded(self, game: str, edition: str) -> Reason | None:
        """Return how much of an edition is loaded, in the language that has most; None if all of it
        is, or none."""
        loaded = self.games[game]
        langs = loaded.langs(edition)
        if not langs or not loaded.gaps(edition, langs[0]).others:
            return None
        most = loaded.loaded(edition, langs[0])
        of = most.of if most.of and most.of > most.rules else None
        return Reason("partly_loaded", rules=most.rules, of=of, edition=edition)

    def is_whole(self, game: str, edition: str) -> bool:
        """Whether all rules of an edition are loaded, in the language that has most of them."""
        loaded = self.games.get(game)
        return bool(loaded and edition in loaded.editions and not self.partly_loaded(game, edition))

    def _nodes(self, game: str, edition: str, number: str, lang: str | None) -> tuple[Node, ...]:
        rules = self._rules.get((game, edition))
        nodes = self._numbered(number) if rules is None else rules.get(number, [])
        nodes = [node for node in nodes if node.game == game and node.edition == edition]
        return tuple(sorted(nodes, key=lambda node: (node.lang != lang, node.lang or "")))

    def all_numbered(self, game: str, number: str, document: str | None = None) -> list[Node]:
        """Return the rules of a number in all editions and languages, the newest first; the
        sections of a document instead, if one is named."""
        nodes = self._numbered(number, "document" if document else "rule")
        return [node for node in nodes if node.game == game and document in (None, node.series)]

    @cached_method(8192)
    def latest(self, game: str, number: str | None, lang: str | None) -> str | None:
        """Return the newest edition that is meant if a text names none: the first that is whole, or
        has the number, in the order of `_order`; if none is, the first; None for a game without
        rules.

        number: None for any. lang: that is read; None for any."""
        loaded = self.games.get(game)
        if loaded is None:
            return None
        editions = [one for one, is_meant in self._order(game, lang) if is_meant]
        for edition in editions:
            if self.is_whole(game, edition):
                return edition
            if number and any(
                number in loaded.numbers[edition, one]
                for one in loaded.langs(edition)
                if lang in (None, one)
            ):
                return edition
        return editions[0] if editions else None

    def has(self, game: str, edition: str, lang: str | None, number: str) -> bool:
        """Whether an edition has a number in a language."""
        loaded = self.games.get(game)
        return bool(loaded and number in loaded.numbers.get((edition, lang or ""), ()))

    def is_outside(self, game: str, edition: str, number: str) -> bool:
        """Whether an edition is loaded in part, and no rule of the chapter that would have a
        number (`704` for 704.5b): nobody can say that it isn't there."""
        loaded = self.games.get(game)
        if loaded is None or self.is_whole(game, edition):
            return False
        first = number.partition(".")[0]
        return not any(
            one.partition(".")[0] == first
            for lang in loaded.langs(edition)
            for one in loaded.numbers[edition, lang]
        )

    def has_beside(self, game: str, number: str) -> bool:
        """Whether some edition has rules where a number would stand, so that it would be there: one
        that is loaded whole, or up to a number well before it; or no rule of the game has such a
        number."""
        last = _LAST_PART.fullmatch(number)
        if not self.has_form(game, number) or last is None:
            return True
        section = tuple(number_key(_above(number) or number))
        for (edition, _), numbers in self.games[game].numbers.items():
            keys = (tuple(number_key(one)) for one in numbers)
            if self.is_whole(game, edition) and any(k[: len(section)] == section for k in keys):
                return True
            parts = (_LAST_PART.fullmatch(one) for one in numbers)
            places = {_place(part[2]) for part in parts if part and part[1] == last[1]}
            end = max(places, default=0)
            if places and _place(last[2]) > (end + 1 if len(places) == end else 2 * end):
                return True
        return False

    def successor(self, game: str, before: str, after: str, number: str) -> str | None:
        """Return the number that a rule of one edition has in another; None if it has none there.
        Of editions without a language in common, that of the rule that translates it."""
        loaded = self.games[game]
        common = [lang for lang in loaded.langs(before) if (after, lang) in loaded.numbers]
        if not common:
            rules = self._nodes(game, before, number, None)
            langs = loaded.langs(after)
            found = (self.number_in(rule, after, lang) for rule in rules for lang in langs)
            return next(filter(None, found), None)
        return self._successors(game, common[0], before, after).get(number)

    def is_loaded_at(self, rule: Node, edition: str) -> bool:
        """Whether an edition is loaded in a rule's language where the rule would stand: with the
        rule, with its number, or without gaps there."""
        game, lang = rule.game or "", rule.lang or ""
        loaded = self.games.get(game)
        if loaded is None or (edition, lang) not in loaded.numbers:
            return False
        number = rule.number or ""
        now = self.successor(game, rule.edition or "", edition, number)
        if now:
            return self.has(game, edition, lang, now)
        gaps = loaded.gaps(edition, lang)
        return self.has(game, edition, lang, number) or not (gaps.others or number in gaps.numbers)

    def in_other_languages(self, rule: Node, edition: str) -> Reason | None:
        """Return whether a rule says the same in an edition that is not loaded in its language, by
        a language in which both are: `same_in_language`, `renumbered_in_language` or
        `changed_in_language`, with its number there if that is another; None without any."""
        rows = {row.id: row for row in versions_of(self._store, [rule.id])}
        for row in rows.values():
            if row.edition != edition or row.lang == rule.lang:
                continue
            old = [
                one.id
                for one in rows.values()
                if (one.edition, one.lang) == (rule.edition, row.lang)
            ]
            if not old:
                continue
            at: VersionRow | None = row
            is_renumbered = False
            while at and at.id not in old and at.before and at.change in SAME_TEXT | RENUMBERED:
                is_renumbered = is_renumbered or at.change in RENUMBERED
                at = rows.get(at.before)
            code = "changed_in_language"
            if at and at.id in old:
                code = "renumbered_in_language" if is_renumbered else "same_in_language"
            now = row.number if row.number != rule.number else None
            return Reason(code, lang=row.lang, number=now)
        return None

    def absence(self, rule: Node, after: str) -> Reason:
        """Return what became of a rule of one edition that another has not: `not_there_yet` (an
        older one), `merged_there` with the number, or `no_longer_there`."""
        game, before = rule.game or "", rule.edition or ""
        editions = self.games[game].editions
        if after in editions and editions.index(before) > editions.index(after):
            return Reason("not_there_yet")
        for row in versions_of(self._store, [rule.id]):
            if row.gone == "merged" and row.lang == rule.lang and row.merged_into_number:
                number = self.successor(game, row.gone_in or "", after, row.merged_into_number)
                if number:
                    return Reason("merged_there", number=number)
        return Reason("no_longer_there")

    def neighbours(self, game: str, edition: str | None, number: str) -> Reason | None:
        """Return which numbers there are near one that is not: the first and last below the nearest
        number above it, or that this has none below it; None if nothing above it is there.

        edition: None for the newest."""
        loaded = self.games.get(game)
        if loaded is None or not loaded.editions:
            return None
        edition = edition or self.latest(game, None, None) or loaded.editions[-1]
        numbers, below = self._numbers_below(game, edition)
        above = number
        while above := _above(above):
            if found := below.get(tuple(number_key(above))):
                first, last = found
                last_one = last if last != first else None
                return Reason("numbers_below", above=above, first=first, last=last_one)
            if above in numbers:
                return Reason("no_numbers_below", above=above)
        return None

    @cached_method()
    def _numbers_below(
        self, game: str, edition: str
    ) -> tuple[frozenset[str], Mapping[tuple[object, ...], tuple[str, str]]]:
        """Return the numbers of an edition, and {key of a number: the first and last one directly
        below it}; the numbers above needn't be there themselves."""
        loaded = self.games[game]
        numbers = frozenset().union(
            *(loaded.numbers[edition, one] for one in loaded.langs(edition))
        )
        below: dict[tuple[object, ...], tuple[str, str]] = {}
        for key, one in sorted((tuple(number_key(one)), one) for one in numbers):
            below[key[:-1]] = below.get(key[:-1], (one, one))[0], one
        return numbers, below

    def editions_named(self, text: str, game: str | None) -> Iterator[NamedEdition]:
        """Yield where a text names an edition by its date or name, also a date that is not loaded,
        as `edition_dates` does. game: whose editions' names count; all for None."""
        books = [self.games[game]] if game and game in self.games else self.games.values()
        loaded = frozenset(edition for book in books for edition in book.editions)
        yield from edition_dates(text, loaded)

    def describe(self, game: str) -> Sequence[Reason]:
        """Return how much of each edition of a game is loaded in each language, the newest first;
        empty for a game without rules."""
        loaded = self.games.get(game)
        books: list[Reason] = []
        for edition in reversed(loaded.editions if loaded else ()):
            for lang in loaded.langs(edition) if loaded else ():
                assert loaded
                one = loaded.loaded(edition, lang)
                code = "all_rules_in" if one.whole else "only_rules_in"
                books.append(Reason(code, edition=edition, lang=lang, rules=one.rules))
        return books


# A number up to its last part, which counts those beside it; a sub-rule's is a letter.
_LAST_PART = re.compile(r"(.*(?:\W(?=\w)|\d(?=[a-z]))|)(\d+|[a-z])")
_LETTERS = "abcdefghijkmnpqrstuvwxyz"  # no l and o, which look like digits


def _place(part: str) -> int:
    """Return which one a last part of a number counts: 3 for `3` and for `c`."""
    return int(part) if part.isdigit() else _LETTERS.find(part) + 1


@lru_cache(8192)
def form_of(number: str) -> str:
    """Return the form of a rule's number: before its first point each digit as 0, behind it each
    run of digits; each run of small letters as a.

    >>> form_of("704.5b"), form_of("A-1-02")
    ('000.0a', 'A-0-00')
    """
    first, separator, rest = number.partition(".")
    rest = re.sub(r"\d+", "0", rest)
    return re.sub(r"[a-z]+", "a", re.sub(r"\d", "0", first) + separator + rest)


def has_words(text: str, words: str) -> bool:
    """Whether a text has some words in this order, in any case; of Japanese, the letters.

    >>> has_words("It says Flying is", "flying"), has_words("unflying", "flying")
    (True, False)
    """
    if is_japanese(words):
        return fold(words) in fold(text)
    pattern = rf"(?<!\w){re.escape(fold_typography(words))}(?!\w)"
    found = re.search(pattern, fold_typography(text), re.IGNORECASE)
    return bool(words.strip()) and found is not None


def levels(number: str) -> int:
    """Return how many levels a number has that points set apart: 3 for 1.2.3."""
    return number.count(".") + 1


def _above(number: str) -> str:
    """Return the number of the rule above another: 121 for 121.4, 704.5 for 704.5b; empty for a
    first level."""
    shorter = re.sub(r"(?:(?<=\d)[a-z]+|[.-]\(?\w+\)?\.?|\(\w+\))$", "", number)
    return shorter if shorter != number else ""
