"""Aligns an edition of a rulebook in two languages, rule by rule, and lists where they differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from graphs.store.reader import Store
from graphs.store.rule_versions import translated_editions
from kb.errors import NotFoundError, QuestionError
from kb.query.editions.edition_choice import find_edition, list_editions
from kb.query.editions.language_alignment import AlignedPair, NotLoaded, Problem, align_edition
from kb.query.lookup.common_filters import Scope
from kb.query.lookup.find_by_reference import near_names, normalize_rule_number
from kb.reason import LeftOut, Reason, again
from kb.result import ListResult
from kb.rules.loaded_editions import (
    LoadedEdition,
    LoadedRules,
    describe_loaded,
    loaded_rules,
    refuse_unknown_scope,
)
from scraper.rulebook.numbering import number_key


@dataclass(frozen=True, slots=True, repr=False)
class Alignment(ListResult[AlignedPair], items="pairs", item="pair"):
    """Rules in two languages, by edition and in the order of their numbers.

    langs: the two languages.
    pairs: the rules that are there in both.
    problems: where the two differ.
    not_loaded: how many rules could not be compared, by edition and the language that lacks them;
        without those that lack none.
    loaded: how much is loaded of the editions that were compared, in each of the two languages.
    translated_by: {edition in the first language: the edition in the second that translates it}, of
        those whose dates differ.
    also: other languages that these editions are there in.
    """

    langs: tuple[str, str]
    pairs: tuple[AlignedPair, ...]
    problems: tuple[Problem, ...]
    not_loaded: tuple[NotLoaded, ...] = ()
    loaded: tuple[LoadedEdition, ...] = ()
    translated_by: Mapping[str, str] = field(default_factory=dict)
    also: tuple[LeftOut, ...] = ()

    def _rows(self) -> Iterator[Mapping[str, object]]:
        rules = {(pair.game, pair.edition, pair.number): pair.texts for pair in self.pairs}
        problems: dict[tuple[str, str, str], list[str]] = {}
        for problem in self.problems:
            key = problem.game, problem.edition, problem.number
            rules.setdefault(key, {})
            problems.setdefault(key, []).append(problem.what)
        for key, texts in rules.items():
            game, edition, number = key
            row: dict[str, object] = {"game": game, "edition": edition, "number": number}
            row |= {lang: texts.get(lang) for lang in self.langs}
            yield row | {"problem": "; ".join(problems.get(key, ()))}

    def _column_names(self) -> tuple[str, ...]:
        return "game", "edition", "number", *self.langs, "problem"

    def _about(self) -> str:
        return f"of {self.langs[0]} and {self.langs[1]}"

    def rows(self, game: str, edition: str) -> list[AlignedPair]:
        """Return the rules of an edition in the order of their numbers: the pairs and, with a text
        in one language alone, the rules that the other one lacks; empty for an edition that was not
        compared. edition: in the first language."""
        missing = (
            AlignedPair(one.game, one.edition, one.number, one.texts)
            for one in self.problems
            if one.kind == "missing"
        )
        rules = [
            one for one in (*self.pairs, *missing) if (one.game, one.edition) == (game, edition)
        ]
        return sorted(rules, key=lambda rule: number_key(rule.number))


def align(
    store: Store,
    first_lang: str,
    second_lang: str,
    rule: str | None,
    scope: Scope,
    with_marks: bool = False,
) -> Alignment:
    """Return the rules of all editions that are there in two languages, side by side; also of those
    that the build found to translate one of another date.

    first_lang, second_lang: the languages, such as `ja` and `en`, in the order of the result.
    rule: only this rule, by its number as a person writes it, and its sub-rules; None for all.
    scope: its game and edition select; its language and source are ignored.
    with_marks: whether the pairs say where terms and citations stand in their texts.

    Raises QuestionError if the languages are the same or unknown, if no edition is there in both,
    or if `rule` is no number of a rule; NotFoundError if the rule is in neither.
    """
    if first_lang == second_lang:
        raise QuestionError("one_language", langs=(first_lang, second_lang))
    langs = (first_lang, second_lang)
    rule = normalize_rule_number(rule) if rule else None
    games = loaded_rules(store)
    for lang in langs:
        refuse_unknown_scope(games, scope.game, lang)
    wanted = find_edition(store, games, scope.edition, scope.game) if scope.edition else None
    chosen = [loaded for game, loaded in games.items() if scope.game in (None, game)]
    books = [
        (loaded, edition, other)
        for loaded in chosen
        for edition, other in _editions_in_both(store, loaded, langs)
        if wanted in (None, edition, other)
    ]
    if not books:
        there_are = list_editions(chosen)
        raise QuestionError("not_in_both", edition=wanted, langs=langs, there_are=there_are)
    aligned = [
        align_edition(store, loaded, edition, langs, rule, with_marks, other)
        for loaded, edition, other in books
    ]
    pairs = tuple(pair for one in aligned for pair in one.pairs)
    problems = tuple(problem for one in aligned for problem in one.problems)
    not_loaded = tuple(each for one in aligned for each in one.not_loaded)
    if rule and not (pairs or problems or not_loaded):
        near = near_names(store, rule, scope)
        raise NotFoundError("no_rule_in", rule=rule, langs=langs, near=near)
    return Alignment(
        langs,
        pairs,
        problems,
        not_loaded,
        tuple(
            loaded.loaded(edition, lang)
            for loaded, *editions in books
            for edition, lang in zip(editions, langs, strict=True)
        ),
        {edition: other for _, edition, other in books if edition != other},
        tuple(_other_languages([book[:2] for book in books], langs)),
    )


def _editions_in_both(
    store: Store, loaded: LoadedRules, langs: tuple[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield (edition in the first language, edition in the second) of the rules that are there in
    both, the oldest of the first first. An edition that is there in both is paired with itself,
    others with the one that the build found to translate them."""
    near = translated_editions(store, loaded.game, *langs)
    for edition in loaded.editions:
        if set(langs) <= set(loaded.langs(edition)):
            yield edition, edition
        elif edition in near:
            yield edition, near[edition]


def _other_languages(
    books: Iterable[tuple[LoadedRules, str]], langs: tuple[str, str]
) -> Iterator[LeftOut]:
    """Yield the languages in which the editions are there besides the two that are aligned, sorted,
    each once with all its editions."""
    others: dict[str, list[LoadedEdition]] = defaultdict(list)
    for loaded, edition in books:
        for lang in loaded.langs(edition):
            if lang not in langs:
                others[lang].append(loaded.loaded(edition, lang))
    for lang in sorted(others):
        loaded_there = describe_loaded(others[lang])
        reason = Reason("in_language", again(other=lang), lang=lang, loaded=loaded_there)
        yield LeftOut(None, reason)
