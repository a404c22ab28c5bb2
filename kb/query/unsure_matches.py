"""Lists what a build is not sure of: which version of a rule is that of an edition before."""

from __future__ import annotations

from dataclasses import dataclass

from graphs.store.reader import Store
from graphs.store.rule_versions import unsure_versions
from kb.query.common_filters import Scope
from kb.result import ListResult, columns

_SURE = 0.6  # what is below is unsure: of 80 such matches that were read some 25 were wrong


@dataclass(frozen=True, slots=True)
class UnsureMatch:
    """Two versions of a rule that a build took for one, without being sure.

    game, lang: of both. before, after: the ids of the rule by the older and the newer version, such
        as `mtg/rule/701.15@20231117/en`, as a file of corrections names them.
    before_text, after_text: their texts.
    change: what happened, if they are one rule.
    grounds: by what they were matched: `neighbours`, `similar text`, `far text`…
    sure: how sure that is, from 0 to 1.
    """

    game: str
    lang: str
    before: str
    after: str
    before_text: str
    after_text: str
    change: str
    grounds: str
    sure: float


@dataclass(frozen=True, slots=True, repr=False)
class UnsureMatches(ListResult[UnsureMatch], items="matches", item="match"):
    """What a build is not sure of, the least sure first. total: how many there are in all."""

    matches: tuple[UnsureMatch, ...]
    total: int

    _COLUMNS = columns("sure grounds change before after before_text after_text")


def unsure_matches(store: Store, most: int, scope: Scope) -> UnsureMatches:
    """Return the matches of versions that a build is not sure of.

    most: at most how many are returned. scope: only those of a game, of a language, and whose newer
        version is of an edition.
    """
    rows = unsure_versions(store, _SURE, scope.game, scope.edition, scope.lang)
    found = tuple(UnsureMatch(*row) for row in rows)
    return UnsureMatches(found[:most], len(found))
