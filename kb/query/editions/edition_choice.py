"""Chooses the editions and the language that a question about a rulebook means, and says so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from graphs.sort_orders import in_order
from graphs.store.reader import Store
from kb.errors import QuestionError
from kb.language.nearest_value import shown
from kb.query.lookup.find_by_reference import (
    nearest_editions,
    normalize_rule_number,
    resolve_edition,
    take_edition_for,
)
from kb.reason import LeftOut, Reason, again
from kb.rules.alignment import is_under
from kb.rules.loaded_editions import LoadedEdition, LoadedRules, describe_loaded

_MOST_LISTED = 12  # editions in a message, the newest: some two lines of a terminal


@dataclass(frozen=True, slots=True)
class ChosenBook:
    """The game and the language in which editions are compared.

    loaded: how much of each edition is loaded in each language, the chosen one first.
    also: the other languages in which the editions could be compared.
    """

    game: str
    lang: str
    loaded: tuple[LoadedEdition, ...]
    also: tuple[LeftOut, ...]


def find_edition(
    store: Store, games: Mapping[str, LoadedRules], given: str, game: str | None = None
) -> str:
    """Return the edition of a rulebook that a person means, as `resolve_edition` does.

    games: the rules that are loaded, by game; game: only its editions count, None for all.

    Raises QuestionError if there is no such edition; the message names the nearest.
    """
    edition = resolve_edition(store, given, game)
    wanted = [loaded for one, loaded in games.items() if game in (None, one)]
    known = {edition for loaded in wanted for edition in loaded.editions}
    if edition in known:
        take_edition_for(given, edition)
        return edition
    near = tuple(nearest_editions(edition, known))
    there_are = list_editions(wanted)
    raise QuestionError("no_edition", edition=(shown(given),), near=near, there_are=there_are)


def list_editions(games: Iterable[LoadedRules]) -> Reason:
    """Return as a message which editions are loaded, by game and language, the oldest first: of
    more than twelve the newest, and how many are older; that there is none if so."""
    books: list[Reason] = []
    for loaded in games:
        for lang in sorted({lang for _, lang in loaded.books}):
            editions = loaded.editions_in(lang)
            books.append(
                Reason(
                    "editions_in",
                    older=max(0, len(editions) - _MOST_LISTED),
                    editions=tuple(editions[-_MOST_LISTED:]),
                    game=loaded.game,
                    lang=lang,
                )
            )
    return Reason("there_are", books=tuple(books)) if books else Reason("there_is_none")


def choose_book(
    games: Mapping[str, LoadedRules],
    editions: Sequence[str],
    game: str | None,
    lang: str | None,
    under: Sequence[str],
    has_any: Callable[[LoadedRules, str], bool],
) -> ChosenBook:
    """Return the game and language in which some editions are to be compared: the language in which
    the one of which least is loaded is most complete, Japanese if that leaves several.

    game, lang: what a person asked for; None for any.
    under: the numbers of the rules that are asked about; in another language there must be some of
        each, and rules that are in all of the editions, for it to be named.
    has_any: whether a game has anything else that is asked for in another language.

    Raises QuestionError if they are not all there in one language, or in more than one game.
    """
    fitting = {
        one: langs
        for one, loaded in games.items()
        if game in (None, one) and (langs := _common_langs(loaded, editions, lang))
    }
    if not fitting:
        raise QuestionError(_not_together(games, editions, game, lang))
    if len(fitting) > 1:
        choices = tuple(again(game=one) for one in sorted(fitting))
        raise QuestionError("editions_of_several_games", choices=choices)
    [(chosen_game, langs)] = fitting.items()
    loaded = games[chosen_game]
    best = langs[0]
    others = [one for one in _all_langs(loaded, editions) if one != best]
    return ChosenBook(
        chosen_game,
        best,
        tuple(loaded.loaded(edition, one) for one in (best, *others) for edition in editions),
        tuple(
            LeftOut(
                None,
                Reason(
                    "in_language",
                    again(lang=one),
                    lang=one,
                    loaded=describe_loaded([loaded.loaded(edition, one) for edition in editions]),
                ),
            )
            for one in others
            if _can_be_compared(loaded, editions, one, under) and has_any(loaded, one)
        ),
    )


def _can_be_compared(
    loaded: LoadedRules, editions: Iterable[str], lang: str, under: Iterable[str]
) -> bool:
    """Return whether some editions are all there in a language and have rules in common, and any of
    them has some under each of some numbers."""
    if any((edition, lang) not in loaded.books for edition in editions):
        return False
    numbers = [loaded.numbers[edition, lang] for edition in editions]
    return bool(frozenset.intersection(*numbers)) and all(
        any(is_under(number, normalize_rule_number(given)) for number in frozenset.union(*numbers))
        for given in under
    )


def _all_langs(loaded: LoadedRules, editions: Iterable[str]) -> list[str]:
    """Return the languages in which any of some editions is loaded, sorted."""
    return sorted({lang for edition in editions for lang in loaded.langs(edition)})


def _common_langs(loaded: LoadedRules, editions: Sequence[str], lang: str | None) -> list[str]:
    """Return the languages in which all of some editions are loaded, or of these `lang` alone, the
    most complete first: by the share, then the rules, of the least complete edition; of equal ones
    Japanese first, then by name. Empty if there are none."""
    langs = [
        one
        for one in _all_langs(loaded, editions)
        if lang in (None, one) and all((edition, one) in loaded.books for edition in editions)
    ]

    def incompleteness(one: str) -> tuple[float, int, bool, str]:
        parts = [loaded.loaded(edition, one) for edition in editions]
        return -min(p.share for p in parts), -min(p.rules for p in parts), one != "ja", one

    return sorted(langs, key=incompleteness)


def _not_together(
    games: Mapping[str, LoadedRules], editions: Sequence[str], game: str | None, lang: str | None
) -> Reason:
    """Return the reason for editions that are not all there in one game and language: those that
    are in none that was asked for, or else that they are in different ones; and which there are."""
    wanted = [loaded for one, loaded in games.items() if game in (None, one)]
    missing = [
        edition
        for edition in dict.fromkeys(editions)
        if not any(
            edition == known and lang in (None, one)
            for loaded in wanted
            for known, one in loaded.books
        )
    ]
    if not missing and (of_games := _of_different_games(games, editions)):
        return of_games
    there_are = list_editions(wanted)
    if missing:
        return Reason("no_edition", edition=tuple(missing), lang=lang, there_are=there_are)
    named = tuple(in_order(editions))
    return Reason("not_together", editions=named, there_are=there_are)


def _of_different_games(games: Mapping[str, LoadedRules], editions: Sequence[str]) -> Reason | None:
    """Return the reason for two editions that no game has both of; None if one has, or if there are
    not two."""
    having = [
        [game for game, loaded in games.items() if any(each == of for of, _ in loaded.books)]
        for each in editions
    ]
    if len(having) != 2 or set(having[0]) & set(having[1]):
        return None
    (before, after), (games_before, games_after) = editions, having
    return Reason(
        "of_different_games",
        before=before, games=tuple(games_before), after=after, others=tuple(games_after),
    )  # fmt: skip
