"""Gathers what changed between two editions as a document tells it: by section, moves together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from graphs.store.reader import Store
from kb.query.editions.diff import (
    ChangeFilters,
    Diff,
    changes_by_section,
    diff,
    not_loaded_rules,
    texts_by_number,
)
from kb.query.editions.impact import Impact, Touched, impact
from kb.query.lookup.common_filters import Scope
from kb.reason import Ask, LeftOut, Reason, again
from kb.result import Result
from kb.rules.changes import RuleChange
from kb.rules.loaded_editions import LoadedEdition
from scraper.rulebook.numbering import parent_number
from scraper.sites.games import game_name

_ALL = 1 << 30  # statements; more than any knowledge base has


@dataclass(frozen=True, slots=True)
class MovedRules:
    """Rules that got other numbers together: a rule, and all below it that are still at their
    places below it.

    before, after: the number of the topmost rule in each edition. text: its words in the newer one.
    rules: how many moved so, itself included.
    """

    before: str
    after: str
    text: str
    rules: int


@dataclass(frozen=True, slots=True)
class ChangedSection:
    """What changed in a section.

    number, heading: as in `SectionChanges`.
    changes: its rules that are not the same, in order. moves: those of them that have other
        numbers, those that moved together as one.
    """

    number: str
    heading: str
    changes: tuple[RuleChange, ...]
    moves: tuple[MovedRules, ...]


@dataclass(frozen=True, slots=True)
class Changes(Result):
    """What changed between two editions of a rulebook, to be published.

    game, before, after, lang: the editions that were compared. name: that of the game, for titles;
        its id if it has no other. loaded: how much of each edition is loaded in that language.
    under: the rules that were asked for; empty for all.
    counts: {kind of change: how many rules}, as `diff` has it. same: how many stayed the same.
    sections: what changed, in the order of the numbers.
    moves: all rules that have other numbers; a chapter that moved whole is one of these.
    glossary: the entries of the glossary that changed; None if a part of the rules was asked for,
        or if one of the editions has no glossary.
    pages: {page: how many of its statements may be stale now}, the most first.
    more: how to list these statements; None if there are none.
    also: what was left out, and how to get it.
    """

    game: str
    name: str
    lang: str
    before: str
    after: str
    loaded: tuple[LoadedEdition, ...]
    under: tuple[str, ...]
    counts: Mapping[str, int]
    same: int
    sections: tuple[ChangedSection, ...]
    moves: tuple[MovedRules, ...]
    glossary: tuple[RuleChange, ...] | None
    pages: Mapping[str, int]
    more: Reason | None = None
    also: tuple[LeftOut, ...] = ()


def changes(
    store: Store, before: str, after: str, scope: Scope, under: tuple[str, ...] = ()
) -> Changes:
    """Return what changed from an older edition to a newer one.

    before, after, scope, under: as for `diff`.

    Raises as `diff`, and QuestionError if the first edition is not the older one.
    """
    found = diff(store, before, after, scope, ChangeFilters(under))
    book = Scope(game=found.game, lang=found.lang)
    stale = impact(store, found.after, found.before, book, most=_ALL)
    pages = Counter(one.evidence.page for one in _of_changes(stale, found, under))
    asked = {"game": found.game, "lang": found.lang}
    editions = (found.before, found.after)
    return Changes(
        game=found.game,
        name=game_name(found.game, "en") or found.game,
        lang=found.lang,
        before=found.before,
        after=found.after,
        loaded=tuple(one for one in found.loaded if one.lang == found.lang),
        under=under,
        counts={kind: n for kind, n in found.counts.items() if kind not in _ALIKE},
        same=found.same,
        sections=tuple(_sections(store, found)),
        moves=moves_together(found.changes),
        glossary=found.glossary,
        pages=dict(sorted(pages.items(), key=lambda item: (-item[1], item[0]))),
        more=Reason("changes_stale", Ask("impact", editions=editions, **asked)) if pages else None,
        also=tuple(_left_out(found, stale, under)),
    )


_ALIKE = ("typographic", "examples")  # they count as the same here


def _of_changes(stale: Impact, found: Diff, under: tuple[str, ...]) -> Iterator[Touched]:
    """Yield the statements of pages that are on rules that changed. The entries of the older
    edition's own glossary are none."""
    old = {change.before.number for change in found.changes if change.before}
    new = {change.after.number for change in found.changes if change.after}
    for one in stale.touched:
        before, after = (rule and rule.number for rule in (one.before, one.after))
        if one.rule is not None and (not under or before in old or after in new):
            yield one


def _sections(store: Store, found: Diff) -> Iterator[ChangedSection]:
    """Yield the sections that have changes, in their order."""
    texts = [
        texts_by_number(store.rules(found.game, edition, found.lang))
        for edition in (found.before, found.after)
    ]
    for (number, heading), several in changes_by_section(found.changes, *texts).items():
        yield ChangedSection(number, heading, tuple(several), moves_together(several))


def moves_together(changes: Iterable[RuleChange]) -> tuple[MovedRules, ...]:
    """Return the moves of rules, in their order: of rules that moved with the rule that they are
    under, that rule's alone.

    >>> from kb.rules.changes import RuleText
    >>> numbers = (("7", "8"), ("7.1", "8.1"), ("7.2", "8.3"))
    >>> moved = [RuleChange("moved", RuleText(a, ""), RuleText(b, "")) for a, b in numbers]
    >>> [(move.before, move.after, move.rules) for move in moves_together(moved)]
    [('7', '8', 2), ('7.2', '8.3', 1)]
    """
    moved = {
        change.before.number: change.after
        for change in changes
        if change.before and change.after and change.kind.startswith("moved")
    }
    rules: Counter[str] = Counter()
    for number in moved:
        top = number
        while (above := parent_number(top)) and above in moved:
            if moved[top].number != moved[above].number + top.removeprefix(above):
                break
            top = above
        rules[top] += 1
    return tuple(MovedRules(top, moved[top].number, moved[top].text, n) for top, n in rules.items())


def _left_out(found: Diff, stale: Impact, under: tuple[str, ...]) -> Iterator[LeftOut]:
    """Yield what the document does not have: other languages, newer statements, what counts as the
    same, what can't be compared, and the glossary where a part of the rules was asked for."""
    editions = {"before": found.before, "after": found.after}
    asked = {**editions, "game": found.game, "lang": found.lang, "under": under}
    yield from found.also
    own = [*found.also, *not_loaded_rules(found)]
    yield from (one for one in stale.also if one not in own)
    for kind, count in (("typographic", found.typographic), ("examples", found.examples)):
        if count:
            ask = Ask("diff", **asked, kinds=(kind,))
            yield LeftOut(None, Reason(f"changes_{kind}", ask, count=count))
    yield from not_loaded_rules(found)
    if under:
        yield LeftOut(None, Reason("changes_of_glossary", again(without=("under",))))
