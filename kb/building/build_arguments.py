"""Checks the arguments and hints of a build, and warns of games nearly known by name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import fields
from errno import ENAMETOOLONG
from operator import index
from os import PathLike, fspath, lstat
from pathlib import Path

from rapidfuzz.distance import DamerauLevenshtein

from graphs.store.build_records import Provenance
from graphs.store.reader import Store
from kb.errors import QuestionError
from kb.language.nearest_value import known_value, shown
from kb.reason import Argument
from scraper import Hints, ReadWarning
from scraper.rulebook.edition import edition_of
from scraper.rulebook.languages import LANGUAGE_CODES
from scraper.sites import site_catalogue
from scraper.sites.games import game_of_file, game_of_title, is_id, known_games
from scraper.sources.files import kind_of_no_file
from scraper.sources.manifest import NAMED_KINDS
from scraper.sources.remote import is_remote

_NAMES = frozenset(field.name for field in fields(Hints))
# Letters of a name that has but one slip of the keyboard; the slips that others may have. By hand:
# two slips make other words of short names (`ygo`, `yug`, `mtg`).
_SHORT, _MOST_SLIPS = 5, 2


def sources_given(sources: object) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """Return sources as paths, and those that are addresses such as `s3://bucket/pages` as texts
    without a slash at their end, each in the order given; one alone is one source, not its
    characters. An empty list gives none.

    Raises QuestionError for what is no path, and for an empty one, which would be this folder.
    """
    given = [sources] if isinstance(sources, str | PathLike) else sources
    if isinstance(given, Iterator):
        given = list(given)
    if not isinstance(given, Iterable) or isinstance(given, bytes):
        raise QuestionError("no_source", argument=Argument("sources"), given=repr(given))
    for source in given:
        if not isinstance(source, str | PathLike) or not str(source).strip():
            raise QuestionError("no_source", argument=Argument("sources"), given=repr(source))
    texts = [str(source) for source in given]
    urls = tuple(_without_slash(text) for text in texts if is_remote(text))
    return tuple(Path(text) for text in texts if not is_remote(text)), urls


def _without_slash(url: str) -> str:
    """Return the address of a folder without slashes behind it, so that both forms are the same;
    one of a protocol alone (`s3://`) as it is."""
    bare = url.rstrip("/")
    return url if bare.endswith(":") else bare


def path_given(name: str, value: object) -> Path:
    """Return an argument that names a file. Raises QuestionError if it is no path, or empty, or
    can't be a name on this system, or names a pipe, a socket or a device.

    name: of the argument, for the message.

    >>> path_given("kb", "a\\0.db")
    Traceback (most recent call last):
    kb.errors.QuestionError: kb is 'a\\x00.db'; give the name of a file: embedded null byte
    """
    path = fspath(value) if isinstance(value, str | PathLike) else None
    if not isinstance(path, str) or not path.strip():
        raise QuestionError("no_file_name", argument=Argument(name), given=repr(value), why="")
    if why := why_no_name(path):
        given = ascii(path[:60])
        raise QuestionError("no_file_name", argument=Argument(name), given=given, why=why)
    kind = kind_of_no_file(path)
    if kind and kind != "a folder":
        raise QuestionError("no_file_but", argument=Argument(name), given=repr(value), kind=kind)
    return Path(path)


def why_no_name(path: str) -> str:
    """Return why no file can have a name, in the system's words; empty if one can, whether or not
    there is such a file."""
    try:
        lstat(path)
    except ValueError as error:  # NUL, half a surrogate pair
        return str(error)
    except OSError as error:
        return str(error.strerror) if error.errno == ENAMETOOLONG else ""
    return ""


def check_functions(given: Mapping[str, object]) -> None:
    """Raise QuestionError if one of some arguments, by their names, is neither a function nor
    None."""
    for name, value in given.items():
        if value is not None and not callable(value):
            raise QuestionError("no_function", argument=Argument(name), given=repr(value))


def number_of_workers(value: object) -> int:
    """Return the argument `workers`. Raises QuestionError if it is no whole number from 1.

    >>> number_of_workers("2")
    Traceback (most recent call last):
    kb.errors.QuestionError: workers is '2'; give a whole number from 1
    """
    try:
        number = 0 if isinstance(value, bool) else index(value)  # type: ignore[arg-type]
    except TypeError:
        number = 0
    if number < 1:
        raise QuestionError("no_number", argument=Argument("workers"), given=repr(value))
    return number


def check_switches(given: Mapping[str, object]) -> None:
    """Raise QuestionError if one of some arguments, by their names, is neither True nor False."""
    for name, value in given.items():
        if not isinstance(value, bool):
            raise QuestionError("not_true_or_false", argument=Argument(name), given=repr(value))


def checked_hints(
    site: str | None = None,
    game: str | None = None,
    lang: str | None = None,
    edition: str | None = None,
    names: str | None = None,
) -> Hints:
    """Return the hints that a person gives, in the form in which they are stored: a game or a
    language that differs from a known one just in case is that, a date is digits alone.

    Inside `site_catalogue.using`, as the person's own sites and their games are known, too.

    Raises QuestionError for an empty value, a site, language or kind of names that there is not, an
    edition that is neither a date nor a version, and a game that can't be a part of an id.

    >>> checked_hints(game="MTG", edition="2023-11-17").edition
    '20231117'
    >>> checked_hints(lang="JA").lang
    'ja'
    """
    given = {"site": site, "game": game, "lang": lang, "edition": edition, "names": names}
    for name, value in given.items():
        if value is not None and not (isinstance(value, str) and value.strip()):
            code = "empty_hint" if isinstance(value, str) else "hint_not_text"
            raise QuestionError(code, argument=Argument(name), given=shown(value))
    return Hints(
        site=None if site is None else known_value("site", site, site_catalogue.names()),
        game=None if game is None else _checked_game(game),
        lang=None if lang is None else _checked_lang(lang),
        edition=None if edition is None else _checked_edition(edition),
        names=None if names is None else NAMED_KINDS[known_value("kind", names, NAMED_KINDS)],
    )


def stored_warnings(provenance: Provenance, without_part: bool = False) -> Iterator[ReadWarning]:
    """Yield the warnings that a file keeps, as `Provenance.warnings` sorts them. Anybody may have
    written the file: names that are no hint's are left out."""
    for where, what, hints in provenance.warnings(without_part):
        yield ReadWarning(where, what, tuple(filter(_NAMES.__contains__, hints.split(","))))


def near_games(store: Store) -> list[ReadWarning]:
    """Return a warning for each game with pages that no record has and whose name is nearly that of
    one that has a record, sorted by its name: it may be mistyped. `where` is `game` and the name.

    Inside `site_catalogue.using`, as the person's own sites have records, too.
    """
    known = _known_games()
    rows = store.table(
        "SELECT DISTINCT game FROM node WHERE kind = 'page' AND game <> source ORDER BY game",
        str,
    )
    nearest = ((game, near_game(game, known)) for (game,) in rows if game not in known)
    return [
        ReadWarning(
            f"game {game}",
            f"a new game, near {near}, which is known; build its sources with that if it is meant",
            ("game",),
        )
        for game, near in nearest
        if near
    ]


def near_game(game: str, known: Collection[str]) -> str | None:
    """Return the known game whose name, in its id or in full, is nearly that of a new one; None if
    there is none. Of several it is the likest id, of equals the first by name; a full name counts
    only if no id is near.

    >>> known = ["dm", "mtg", "weiss-schwarz", "ygo"]
    >>> [near_game(game, known) for game in ("mgt", "magic", "weis-shwarz", "harbour")]
    ['mtg', 'mtg', 'weiss-schwarz', None]
    """
    plain = _plain(game)
    allowed = 1 if len(plain) <= _SHORT else _MOST_SLIPS
    slips = sorted(
        (DamerauLevenshtein.distance(plain, other, score_cutoff=allowed), name)
        for name in known
        if len(plain) > allowed + 1 and len(other := _plain(name)) > allowed + 1
    )
    if slips and slips[0][0] <= allowed:
        return slips[0][1]
    named = game_of_title(" ".join(game.replace("_", "-").split("-"))) or game_of_file(game)
    return named if named in known else None


def _plain(game: str) -> str:
    """Return the letters and digits of a game's id, in lower case."""
    return "".join(filter(str.isalnum, game.casefold()))


def _known_games() -> set[str]:
    """Return the games that have a record, in this program or in the person's own sites."""
    return {*known_games(), *(site.game for site in site_catalogue.current().sites.values())}


def _checked_game(game: str) -> str:
    if not is_id(game):
        raise QuestionError("no_id", what="game", given=shown(game))
    return next((known for known in _known_games() if known == game.casefold()), game)


def _checked_lang(lang: str) -> str:
    try:
        return known_value("language", lang, LANGUAGE_CODES)
    except QuestionError as error:
        raise QuestionError("no_other_language", unknown=error.reason) from None


def _checked_edition(edition: str) -> str:
    name = edition_of(edition)
    if name is None:
        raise QuestionError("no_name_of_edition", given=shown(edition))
    if not is_id(name):
        raise QuestionError("no_id", what="edition", given=shown(name))
    return name
