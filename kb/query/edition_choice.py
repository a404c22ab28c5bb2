"""Chooses the editions and the language that a question about a rulebook means, and says so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graphs.store.reader import Store
from kb.errors import QuestionError
from kb.language.nearest import shown
from kb.message import Argument, Ask, Message, Value, joined, values
from kb.query.find_nodes import resolve_edition
from kb.query.left_out import LeftOut
from kb.query.loaded_rules import LoadedEdition, LoadedRules, describe_loaded, language_name
from kb.query.nearest_editions import nearest_editions, warn_if_taken_as

_MOST_LISTED = 12  # editions in a message


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
    edition = resolve_edition(store, given)
    wanted = [loaded for one, loaded in games.items() if game in (None, one)]
    known = {edition for loaded in wanted for edition in loaded.editions}
    if edition in known:
        warn_if_taken_as(given, edition)
        return edition
    near = nearest_editions(edition, known)
    suggestion = Message("; nearest: ", values(near)) if near else ""
    there_are = Message(" (", list_editions(wanted), ")")
    raise QuestionError(Message("no edition ", Value(shown(given)), suggestion, there_are))


def list_editions(games: Iterable[LoadedRules]) -> Message:
    """Return which editions are loaded in which languages, as the end of a message."""
    listed: list[Message] = []
    for loaded in games:
        for lang in sorted({lang for _, lang in loaded.numbers}):
            editions = [one for one in loaded.editions if (one, lang) in loaded.numbers]
            left_out = len(editions) - _MOST_LISTED
            more = f"{left_out} older, " if left_out > 0 else ""
            book = Value(loaded.game), ", ", Value(lang)
            listed.append(Message(more, values(editions[-_MOST_LISTED:]), " in ", *book))
    return Message("there are: ", joined("; ", listed)) if listed else Message("there is none here")


def choose_book(
    games: Mapping[str, LoadedRules],
    editions: Sequence[str],
    game: str | None = None,
    lang: str | None = None,
) -> ChosenBook:
    """Return the game and language in which some editions are to be compared: the language in which
    the one of which least is loaded is most complete, Japanese if that leaves several.

    game, lang: what a person asked for; None for any.

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
        choices = joined(" or ", [Argument("game", one) for one in sorted(fitting)])
        raise QuestionError(Message("several games have these editions; say which: ", choices))
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
                language_name(one),
                describe_loaded([loaded.loaded(edition, one) for edition in editions]),
                Message(Ask(lang=one)),
            )
            for one in others
            if all((edition, one) in loaded.numbers for edition in editions)
        ),
    )


def _all_langs(loaded: LoadedRules, editions: Iterable[str]) -> list[str]:
    """Return the languages in which any of some editions is loaded, sorted."""
    return sorted({lang for edition in editions for lang in loaded.langs(edition)})


def _common_langs(loaded: LoadedRules, editions: Sequence[str], lang: str | None) -> list[str]:
    """Return the languages in which all of some editions are loaded, the most complete first."""
    langs = [
        one
        for one in _all_langs(loaded, editions)
        if lang in (None, one) and all((edition, one) in loaded.numbers for edition in editions)
    ]

    def incompleteness(one: str) -> tuple[float, int, bool, str]:
        parts = [loaded.loaded(edition, one) for edition in editions]
        return -min(p.share for p in parts), -min(p.rules for p in parts), one != "ja", one

    return sorted(langs, key=incompleteness)


def _not_together(
    games: Mapping[str, LoadedRules], editions: Sequence[str], game: str | None, lang: str | None
) -> Message:
    """Return the message for editions that are not all there in one game and language."""
    wanted = [loaded for one, loaded in games.items() if game in (None, one)]
    missing = [
        edition
        for edition in dict.fromkeys(editions)
        if not any(
            edition == known and lang in (None, one)
            for loaded in wanted
            for known, one in loaded.numbers
        )
    ]
    where = Message(" in ", Value(language_name(lang))) if lang else ""
    if missing:
        problem = Message("no edition ", values(missing, " or "), where)
    else:
        named = values(sorted(set(editions)), " and ")
        problem = Message(named, " are not there in one game and language")
    return Message(problem, " (", list_editions(wanted), ")")
