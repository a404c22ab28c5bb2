"""Finds what pages say of rules: the sentences, rulings and cards that cite or quote them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from graphs.sort_orders import edition_key
from graphs.store.reader import Store
from graphs.store.rule_versions import StatementOnRule, VersionRow, statements_on, versions_of
from graphs.store.titles import pages_of_cards
from kb.query.editions.impact import edition_in, sentence_around
from kb.query.lookup.preferred_names import authority_of
from kb.query.show.preview import shortened
from kb.reason import Reason
from kb.result import Result
from kb.rules.change_kind_names import RENUMBERED, SAME_TEXT

_RULEBOOK = "rulebook"  # the source of rulebooks
_LATEST = "latest"  # the edition of a citation that names none
# Changes after which a statement is as right as before, but for the rule's number.
_SAME_WORDS = SAME_TEXT | RENUMBERED | {"first"}
_LONGEST = 300  # characters of a sentence; by hand: three lines beside a paragraph


@dataclass(frozen=True, slots=True)
class Comment:
    """What a page says of a rule.

    kind: `cites` or `quotes`. by: what says it: a `card`'s page, a `ruling` or a `page`.
    node: the id of the passage, or of the ruling. passage: the id of the passage.
    page, lang, url: the title of the page with its source, its language and its address; None if
        that is not known.
    question: of a ruling; empty for others.
    sentence: the sentence that cites, or the words that are quoted.
    edition: the one that it speaks of; None if it names none.
    stale: what became of the rule since, if its number or its words are others now.
    """

    kind: Literal["cites", "quotes"]
    by: Literal["card", "ruling", "page"]
    node: str
    passage: str
    page: str
    lang: str | None
    url: str | None
    question: str
    sentence: str
    edition: str | None
    stale: Reason | None


@dataclass(frozen=True, slots=True, repr=False)
class Commentary(Result):
    """What pages say of one rule: rulings first, then cards, then other pages; `total` says how
    many there are, of which `comments` has the first."""

    comments: tuple[Comment, ...]
    total: int


def commentary(store: Store, rules: Sequence[str], most: int | None) -> dict[str, Commentary]:
    """Return {id: what pages say of a rule, in any of its versions}; rules of which nothing is said
    are left out. Neither rulebooks count nor rules of these that a page quotes. A few queries for
    all rules together.

    most: comments of each; None for all.
    """
    said: dict[str, dict[tuple[str, str, int], StatementOnRule]] = defaultdict(dict)
    for rule, statement in statements_on(store, rules, _RULEBOOK):
        if statement.source_kind != "rule" and not _gives_it(statement, rule):
            is_quoted = statement.kind == "quotes"  # once on a page, however often that has it
            where = statement.page if is_quoted else statement.passage
            place = statement.kind, where, 0 if is_quoted else statement.start
            known = said[rule].get(place)
            if known is None or known.source_kind == "passage":
                said[rule][place] = statement  # a ruling in place of the passage that asks it
    every = [each for of_rule in said.values() for each in of_rule.values()]
    if not every:
        return {}
    cards = pages_of_cards(store, {each.page for each in every})
    fates = _Fates(versions_of(store, {each.target for each in every}))
    found = {}
    for rule in rules:
        ordered = sorted(said.get(rule, {}).values(), key=lambda each: _rank(each, cards))
        if ordered:
            comments = tuple(_comment(each, cards, fates) for each in ordered[:most])
            found[rule] = Commentary(comments, len(ordered))
    return found


def _gives_it(statement: StatementOnRule, rule: str) -> bool:
    """Return whether a page is where the text of a version comes from: that quotes nothing."""
    given = statement.target, statement.target_source
    return statement.kind == "quotes" and given == (rule, _source(statement))


def _source(statement: StatementOnRule) -> str:
    return statement.page.partition("/")[0]


def _by(statement: StatementOnRule, cards: Iterable[str]) -> Literal["card", "ruling", "page"]:
    if statement.source_kind == "ruling":
        return "ruling"
    return "card" if statement.page in cards else "page"


def _rank(statement: StatementOnRule, cards: Iterable[str]) -> tuple[bool, int]:
    order = ("ruling", "card", "page")
    return statement.kind == "quotes", order.index(_by(statement, cards))


def _comment(statement: StatementOnRule, cards: Iterable[str], fates: _Fates) -> Comment:
    by = _by(statement, cards)
    named = edition_in(statement.wanted)
    return Comment(
        "quotes" if statement.kind == "quotes" else "cites",
        by,
        statement.source if by == "ruling" else statement.passage,
        statement.passage,
        authority_of(statement.title or statement.page, None, _source(statement)),
        statement.lang,
        statement.url,
        statement.label or "" if by == "ruling" else "",
        shortened(sentence_around(statement), _LONGEST),
        None if named == _LATEST else named,
        fates.since(statement),
    )


class _Fates:
    """What became of rules since the versions that statements speak of."""

    def __init__(self, versions: Iterable[VersionRow]) -> None:
        """versions: all of the rules that are spoken of."""
        self._by_id = {version.id: version for version in versions}
        self._of_rule: dict[str, dict[str, list[VersionRow]]] = defaultdict(dict)
        for version in sorted(self._by_id.values(), key=lambda row: edition_key(row.edition)):
            self._of_rule[version.rule].setdefault(version.lang, []).append(version)

    def since(self, statement: StatementOnRule) -> Reason | None:
        """Return what became of a rule since the version that a statement speaks of; None if its
        number and words are the same, and for what names no edition: it is held against the newest.
        """
        spoken = self._by_id.get(statement.target)
        if spoken is None or edition_in(statement.wanted) == _LATEST:
            return None
        first, *later = self._from(spoken)
        last = later[-1] if later else first
        known: dict[str, Any] = {"number": spoken.number, "edition": spoken.edition}
        if last.gone:
            known |= {"meant": last.gone_in or last.edition, "into": last.merged_into_number}
            return Reason("cited_rule_gone", None, **known)
        if last.number != first.number:
            return Reason("rule_is_now", None, **known, now=last.number, meant=last.edition)
        if any(each.change not in _SAME_WORDS for each in later):
            code = "words_changed" if statement.kind == "quotes" else "rule_changed"
            return Reason(code, None, **known, meant=last.edition)
        return None

    def _from(self, spoken: VersionRow) -> list[VersionRow]:
        """Return the versions of a rule from the edition of one on, in the language that goes on
        longest: a wiki's own translation is often the only version in its language."""
        chains = [
            [each for each in chain if edition_key(each.edition) >= edition_key(spoken.edition)]
            for chain in self._of_rule[spoken.rule].values()
            if any(each.edition == spoken.edition for each in chain)
        ]
        return max(
            chains, key=lambda chain: (edition_key(chain[-1].edition), chain[0].lang == spoken.lang)
        )
