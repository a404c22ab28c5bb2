"""Reads a person's corrections of which versions are one rule, and says what they mean for two
books: what a person says wins over what the alignment finds."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from kb.errors import SourceError

_KEYS = ("same", "different")
_LARGEST = 5_000_000  # bytes that are read: a guard; a pair of ids takes some 70
# The id of a version as answers name it, and that of its node: a person may copy either.
_VERSION = re.compile(
    r"(?P<game>[^/]+)/(?:rule/(?P<number>[^/@]+)@(?P<edition>[^/]+)/(?P<lang>[^/]+)"
    r"|cr/(?P<edition2>[^/]+)/(?P<lang2>[^/]+)/(?P<number2>[^/]+))"
)
_PARTS = ("edition", "lang", "number")
Version = tuple[str, str, str]  # edition, language, number


class Correction(NamedTuple):
    """Two versions of rules of a game of which a person says whether they are one rule."""

    game: str
    is_same: bool
    one: Version
    other: Version


@dataclass(frozen=True, slots=True)
class PairCorrections:
    """What corrections say of two books.

    same: {number before: number after} of what is one rule; different: pairs that are not.
    """

    same: Mapping[str, str] = field(default_factory=dict)
    different: frozenset[tuple[str, str]] = frozenset()

    def applied(self, matches: Mapping[str, str]) -> dict[str, str]:
        """Return {number before: number after} as found, corrected: what a person says stands in
        the place of matches of either number, and what is different is left out.

        >>> PairCorrections({"2": "1"}, frozenset([("3", "3")])).applied({"1": "1", "3": "3"})
        {'2': '1'}
        """
        taken = set(self.same.values())
        kept = {
            before: after
            for before, after in matches.items()
            if after not in taken and (before, after) not in self.different
        }
        return kept | dict(self.same)


NOT_CORRECTED = PairCorrections()
BY_A_PERSON = "correction"  # the grounds of what a person says


def corrections_between(
    corrections: Iterable[Correction], game: str, lang: str, before: str, after: str
) -> PairCorrections:
    """Return what corrections say of two editions of a game in a language, whichever of the two
    versions of a correction is named first; nothing of others."""
    same: dict[str, str] = {}
    different: set[tuple[str, str]] = set()
    for correction in corrections:
        for one, other in ((correction.one, correction.other), (correction.other, correction.one)):
            if correction.game == game and (one[:2], other[:2]) == ((before, lang), (after, lang)):
                if correction.is_same:
                    same[one[2]] = other[2]
                else:
                    different.add((one[2], other[2]))
    return PairCorrections(same, frozenset(different))


def read_corrections(path: Path) -> tuple[Correction, ...]:
    """Return the corrections of a TOML file, sorted.

    It has `same`, a list of pairs of rules' ids that are one rule, and `different`, a list of pairs
    that are not. An id names a version: `mtg/rule/701.19@20260116/en`, or that of its node.

    Each is there once. Without either key there are none. Raises SourceError, with the wrong entry:
    for a file that is not there or no TOML, another key, what is no pair of versions of rules of
    one game, and a pair that is said to be both.
    """
    try:
        with path.open("rb") as file:
            given = tomllib.loads(file.read(_LARGEST).decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise SourceError(f"{path}: can't be read as TOML: {error}") from error
    if unknown := sorted(given.keys() - set(_KEYS)):
        raise SourceError(f"{path}: unknown key {unknown[0]!r}; there are {' and '.join(_KEYS)}")
    found = {entry for key in _KEYS for entry in _entries(path, key, given.get(key, []))}
    for entry in found:
        if entry._replace(is_same=not entry.is_same) in found:
            names = " and ".join("/".join(version) for version in (entry.one, entry.other))
            raise SourceError(f"{path}: {names} of {entry.game} are the same and different")
    return tuple(sorted(found))


def _entries(path: Path, key: str, pairs: Any) -> Iterator[Correction]:
    """Yield the corrections of one list of the file, in its order, each with its versions sorted;
    raises SourceError for an entry that is wrong. path, key: of the list."""
    if not isinstance(pairs, list):
        raise SourceError(f"{path}: {key} must be a list of pairs of ids")
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2:
            raise SourceError(f"{path}: {key}: {pair!r} is no pair of ids")
        (game, one), (other_game, other) = (_version(path, key, name) for name in pair)
        if game != other_game or one == other:
            raise SourceError(f"{path}: {key}: {pair!r} must be two versions of rules of one game")
        yield Correction(game, key == "same", *sorted((one, other)))


def _version(path: Path, key: str, name: object) -> tuple[str, Version]:
    match = _VERSION.fullmatch(name) if isinstance(name, str) else None
    if not match:
        example = "mtg/rule/701.19@20260116/en"
        raise SourceError(f"{path}: {key}: {name!r} is no id of a rule, such as {example}")
    edition, lang, number = (match[part] or match[f"{part}2"] for part in _PARTS)
    return match["game"], (edition, lang, number)
