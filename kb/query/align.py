"""Aligns an edition of a rulebook in two languages, rule by rule, and lists where they differ."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from graphs.store.reader import Store
from kb.errors import NotFoundError, QuestionError
from kb.query.common_filters import Scope
from kb.query.diff import texts_by_number
from kb.query.edition_choice import find_edition, list_editions
from kb.query.find_nodes import near_names, normalize_rule_number
from kb.query.left_out import LeftOut
from kb.query.list_result import ListResult
from kb.query.loaded_rules import (
    Gaps,
    LoadedEdition,
    LoadedRules,
    describe_loaded,
    language_name,
    loaded_rules,
    refuse_unknown_scope,
)
from kb.query.rule_successors import is_under
from kb.query.rule_surroundings import Surroundings
from kb.query.table_result import Table, table_row
from scraper.rulebook.numbering import number_key


@dataclass(frozen=True, slots=True)
class AlignedPair:
    """A rule that is there in both languages; `texts` is its text by language."""

    game: str
    edition: str
    number: str
    texts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Problem:
    """A difference between the two languages at one rule.

    kind: `missing` if the rule is not there in one language, `citations` if the texts cite
        different rules.
    what: the difference in words.
    only: what only one language has, by language: the rule's number, or the numbers that it
        cites.
    """

    game: str
    edition: str
    number: str
    kind: str
    what: str
    only: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class NotLoaded:
    """How many rules of an edition are loaded in the other language, and may be there in this one
    or not: nothing around them is loaded."""

    game: str
    edition: str
    lang: str
    rules: int


@dataclass(frozen=True, slots=True, repr=False)
class Alignment(ListResult[AlignedPair]):
    """Rules in two languages, by edition and in the order of their numbers.

    langs: the two languages.
    pairs: the rules that are there in both.
    problems: where the two differ.
    not_loaded: how many rules could not be compared, by edition and the language that lacks them;
        without those that lack none.
    loaded: how much is loaded of the editions that were compared, in each of the two languages.
    also: other languages that these editions are there in.
    """

    langs: tuple[str, str]
    pairs: tuple[AlignedPair, ...]
    problems: tuple[Problem, ...]
    not_loaded: tuple[NotLoaded, ...] = ()
    loaded: tuple[LoadedEdition, ...] = ()
    also: tuple[LeftOut, ...] = ()

    _ITEM = "pair"

    def _items(self) -> tuple[AlignedPair, ...]:
        return self.pairs

    def _about(self) -> str:
        return f"of {self.langs[0]} and {self.langs[1]}"

    def table(self) -> Table:
        """Return a table with a row per rule: `game`, `edition`, `number`, the text in each
        language, and the `problem` of the rule in words, if it has one. Rules that only one
        language has are at the end."""
        rules = {(pair.game, pair.edition, pair.number): pair.texts for pair in self.pairs}
        problems: dict[tuple[str, str, str], list[str]] = {}
        for problem in self.problems:
            key = problem.game, problem.edition, problem.number
            rules.setdefault(key, {})
            problems.setdefault(key, []).append(problem.what)
        return Table(
            tuple(
                table_row(
                    game=key[0],
                    edition=key[1],
                    number=key[2],
                    **{lang: texts.get(lang) for lang in self.langs},
                    problem="; ".join(problems.get(key, ())),
                )
                for key, texts in rules.items()
            )
        )

    def as_json(self) -> dict[str, Any]:
        """Return the fields by their names, the object that `sansho align --json` prints.

        A pair is {"game", "edition", "number", "texts": {language: text}}; a problem has "kind",
        "what" and "only": {language: numbers of rules} in place of the texts.
        """
        return asdict(self)


def align(
    store: Store, first_lang: str, second_lang: str, rule: str | None, scope: Scope
) -> Alignment:
    """Return the rules of all editions that are there in two languages, side by side.

    first_lang, second_lang: the languages, such as `ja` and `en`, in the order of the result.
    rule: only this rule, by its number as a person writes it, and its sub-rules; None for all.
    scope: its game and edition select; its language and source are ignored.

    Raises QuestionError if the languages are the same or unknown, if no edition is there in both,
    or if `rule` is no number of a rule; NotFoundError if the rule is in neither.
    """
    if first_lang == second_lang:
        raise QuestionError(f"{first_lang} and {second_lang} are one language; name two")
    langs = (first_lang, second_lang)
    rule = normalize_rule_number(rule) if rule else None
    games = loaded_rules(store)
    for lang in langs:
        refuse_unknown_scope(games, scope.game, lang)
    wanted = find_edition(store, games, scope.edition, scope.game) if scope.edition else None
    chosen = [loaded for game, loaded in games.items() if scope.game in (None, game)]
    books = [
        (loaded, edition)
        for loaded in chosen
        for edition in loaded.editions
        if wanted in (None, edition) and set(langs) <= set(loaded.langs(edition))
    ]
    if not books:
        raise QuestionError(
            f"no edition{f' {wanted}' if wanted else ''} is there in both "
            f"{first_lang} and {second_lang} ({list_editions(chosen)})"
        )
    aligned = [_align_edition(store, loaded, edition, langs, rule) for loaded, edition in books]
    pairs = tuple(pair for one, _, _ in aligned for pair in one)
    problems = tuple(problem for _, one, _ in aligned for problem in one)
    not_loaded = tuple(each for _, _, one in aligned for each in one)
    if rule and not (pairs or problems or not_loaded):
        near = near_names(store, rule, scope)
        raise NotFoundError(f"no rule {rule} is there in {first_lang} or {second_lang}", near)
    return Alignment(
        langs,
        pairs,
        problems,
        not_loaded,
        tuple(loaded.loaded(edition, lang) for loaded, edition in books for lang in langs),
        tuple(_other_languages(books, langs)),
    )


def _other_languages(
    books: Iterable[tuple[LoadedRules, str]], langs: tuple[str, str]
) -> Iterator[LeftOut]:
    """Yield the languages in which the editions are there besides the two that are aligned."""
    others: dict[str, list[LoadedEdition]] = defaultdict(list)
    for loaded, edition in books:
        for lang in loaded.langs(edition):
            if lang not in langs:
                others[lang].append(loaded.loaded(edition, lang))
    for lang in sorted(others):
        yield LeftOut(
            language_name(lang), describe_loaded(others[lang]), f"sansho align {langs[0]} {lang}"
        )


def _align_edition(
    store: Store, loaded: LoadedRules, edition: str, langs: tuple[str, str], rule: str | None
) -> tuple[list[AlignedPair], list[Problem], list[NotLoaded]]:
    """Return the rules of one edition that both languages have, and where the languages differ,
    both sorted by number; a rule that cites differently is in both lists. And how many rules are
    loaded in one language alone.

    rule: only the rule of this normalized number and its sub-rules; None for all.
    """
    game = loaded.game
    texts = {lang: texts_by_number(store.rules(game, edition, lang)) for lang in langs}
    citations = {lang: _cited_numbers(store, game, edition, lang) for lang in langs}
    places = {lang: _place_is_loaded(loaded, edition, lang, texts) for lang in langs}
    pairs, problems = [], []
    not_loaded: Counter[str] = Counter()
    for number in sorted({n for book in texts.values() for n in book}, key=number_key):
        if rule and not is_under(number, rule):
            continue
        having = [lang for lang in langs if number in texts[lang]]
        if len(having) < 2:
            lacking = next(lang for lang in langs if lang not in having)
            if not places[lacking](number):
                not_loaded[lacking] += 1
                continue
            what = f"rule {number} is there in {having[0]}, not in {lacking}"
            only_here = {having[0]: (number,)}
            problems.append(Problem(game, edition, number, "missing", what, only_here))
            continue
        pairs.append(
            AlignedPair(game, edition, number, {lang: texts[lang][number] for lang in langs})
        )
        only = {lang: tuple(cited) for lang, cited in _cited_alone(citations, number, langs)}
        if any(only.values()):
            parts = [f"{lang} alone cites {', '.join(only[lang])}" for lang in langs if only[lang]]
            what = "; ".join(parts)
            problems.append(Problem(game, edition, number, "citations", what, only))
    return (
        pairs,
        problems,
        [NotLoaded(game, edition, lang, not_loaded[lang]) for lang in langs if not_loaded[lang]],
    )


def _place_is_loaded(
    loaded: LoadedRules, edition: str, lang: str, texts: Mapping[str, Mapping[str, str]]
) -> Callable[[str], bool]:
    """Return a function that says whether an edition is loaded in a language where a rule of a
    number would stand, so that the rule is missing if it is not there.

    texts: {language: {number: text}} of both languages.
    """
    if loaded.loaded(edition, lang).whole:
        return lambda number: True
    numbers = {number for book in texts.values() for number in book}
    same = {number: number for number in texts[lang]}
    return Surroundings(numbers, same, same, Gaps(others=True)).is_loaded


def _cited_alone(
    citations: Mapping[str, Mapping[str, set[str]]], number: str, langs: tuple[str, str]
) -> Iterator[tuple[str, list[str]]]:
    """Yield, for each of two languages, (language, numbers that a rule cites in that one only).

    The numbers are sorted; there are none if the rule cites the same rules in both.

    citations: {language: {number of a rule: numbers that it cites}}, with both languages.
    """
    for lang, other_lang in (langs, langs[::-1]):
        alone = citations[lang].get(number, set()) - citations[other_lang].get(number, set())
        yield lang, sorted(alone, key=number_key)


def _cited_numbers(store: Store, game: str, edition: str, lang: str) -> dict[str, set[str]]:
    """Return {number of a rule: numbers of the rules that it cites}, without rules that cite none.
    The cited rules need not be loaded.

    Keys are the rules of this edition in this language. A cited number is the last part of the
    cited rule's id.
    """
    cited: dict[str, set[str]] = defaultdict(set)
    for number, cited_id in store.citations(game, edition, lang):
        cited[number].add(cited_id.rpartition("/")[2])
    return cited
