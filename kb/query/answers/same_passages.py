"""Leaves out candidates that say the same as a better one: in another edition, capture or page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from graphs.edition_order import edition_key
from graphs.store.passage_index import IndexedPassage
from graphs.store.reader import Store
from graphs.store.rule_versions import VersionRow, versions_of
from kb.query.answers.bm25 import ScoredCandidate
from kb.query.lookup.common_filters import Scope
from kb.query.lookup.passage_places import find_copies

_BY_NUMBER = "number "  # before the number of a rule, in a key
# By hand. Lower takes another rule for the same where an edition renumbered its rules; higher shows
# a rule twice that an edition worded in another way.
_LEAST_LIKENESS = 75  # of 100, of a rule's words in two editions; less is another rule
# The same, of two versions that a build found to be one rule: only what has hardly a word in common
# is kept apart.
_LEAST_OF_RULE = 40
_MOST_OF_RULES = 30  # candidates, the best, whose rules are looked up: more than are ever shown
# The number of a rule among the words of a passage; before a full stop it is several words.
_SIGNS = re.compile(r"[.-]")
_LETTER = r"(?: [a-z](?= |$))?"
_NUMBER = re.compile(
    rf" \d+(?:\.\d+)+{_LETTER}|(?:(?<= rule)|(?<= rules)) \d+(?:[ .]\d+)*{_LETTER}"
)


def deduplicated(ranked: list[ScoredCandidate]) -> list[ScoredCandidate]:
    """Return ranked candidates without those that give the same rule, or consist of the same
    words, as a better one.

    Of what several editions state in the same words, or nearly so in a rule of the same number, the
    newest is kept, at the place of the best; of a rule's passages, the one that states it before
    its further paragraphs and examples. The ids of those left out are in the `copies` of the one
    that is kept, which is changed so.

    ranked: the candidates, best first.
    """
    places: dict[str, int] = {}
    kept: list[ScoredCandidate] = []
    for scored in ranked:
        keys = _sameness_keys(scored.passage)
        known_places = [
            places[key]
            for key in keys
            if key in places and _is_same(scored.passage, kept[places[key]].passage, key)
        ]
        if not known_places:
            for key in keys:
                places.setdefault(key, len(kept))
            kept.append(scored)
            continue
        place = min(known_places)
        if _is_better_text(scored.passage, kept[place].passage):
            scored.copies += [*kept[place].copies, kept[place].passage.id]
            kept[place] = scored
        else:
            kept[place].copies.append(scored.passage.id)
    return kept


def newest_of_rules(store: Store, ranked: Sequence[ScoredCandidate]) -> list[ScoredCandidate]:
    """Return candidates of which each rule is one, in a language: what the newest edition says of
    it, at the place of the best of its versions.

    A version that has hardly a word in common with the one that was found takes no one's place:
    what is sought may stand in another rule since. Only the rules of the 30 best candidates are
    looked up; others, and passages without a rule, stay. The ids of what is left out are added to
    the `copies` of what stays.
    """
    some = {scored.passage.rule for scored in ranked[:_MOST_OF_RULES] if scored.passage.rule}
    rows = {row.id: row for row in versions_of(store, some)}
    newest: dict[tuple[str, str], VersionRow] = {}
    for row in sorted(rows.values(), key=lambda row: edition_key(row.edition)):
        newest[row.rule, row.lang] = row
    first = store.passages.first_passage_giving({row.id for row in newest.values()})
    passages = store.passages.lookup(first.values())
    places: dict[tuple[str, str], int] = {}
    kept: list[ScoredCandidate] = []
    for scored in ranked:
        own = rows.get(scored.passage.rule or "")
        if own is None:
            kept.append(scored)
            continue
        key = own.rule, own.lang
        if key in places:
            kept[places[key]].copies.append(scored.passage.id)
            continue
        last = newest[key]
        other = passages.get(first.get(last.id, ""))
        if other and last.id != own.id and _is_alike(other, scored.passage):
            candidate = replace(scored.candidate, passage=other)
            scored = replace(
                scored, candidate=candidate, copies=[*scored.copies, scored.passage.id]
            )
        places[key] = len(kept)
        kept.append(scored)
    return kept


def newest_of_same(
    store: Store, ranked: Sequence[ScoredCandidate], scope: Scope
) -> tuple[list[ScoredCandidate], dict[str, list[str]]]:
    """Return candidates, in order, with the newest edition's passage in place of an older one that
    says the same; and {passage: the ids of the others that say the same, newest first}.

    The ranking sees no more than what it was given: of a rule that several editions state in the
    same words, the search may have found an older one alone.

    scope: if it has an edition, nothing takes another's place.
    """
    copies = find_copies(store, {scored.passage.id: scored.copies for scored in ranked})
    known = store.passages.lookup(same[0] for same in copies.values() if same)
    shown = {scored.passage.id for scored in ranked}
    newest: list[ScoredCandidate] = []
    for scored in ranked:
        own, same = scored.passage, copies.get(scored.passage.id, [])
        other = known.get(same[0]) if same and not scope.edition else None
        if (
            other
            and other.id not in shown
            and own.edition
            and edition_key(other.edition) > edition_key(own.edition)
        ):
            candidate = replace(scored.candidate, passage=other)
            merged = [*scored.copies, own.id]
            scored = replace(scored, candidate=candidate, copies=merged)
            copies |= find_copies(store, {other.id: [own.id, *same]})
            shown.add(other.id)
        newest.append(scored)
    return newest, copies


def _sameness_keys(passage: IndexedPassage) -> list[str]:
    """Return the keys one of which two passages share if they may say the same: their words and
    their rule (or id without one); in a rulebook also, with game and language, their words without
    the numbers of rules, and the number of their rule."""
    keys = [passage.words, passage.rule or passage.id]
    if passage.edition:
        where = f"{passage.game} {passage.lang} "
        keys.append(where + _wording(passage))
        if passage.number:
            keys.append(f"{_BY_NUMBER}{where}{passage.number}")
    return keys


def _is_same(passage: IndexedPassage, kept: IndexedPassage, key: str) -> bool:
    """Return whether two passages with a key in common say the same: always by their words or rule;
    by the words without numbers if their editions differ; by the number if also three quarters of
    the wording are alike."""
    if key in (passage.words, passage.rule, passage.id):
        return True
    # Within one edition, only the numbers tell apart what two rules say of different things.
    if passage.edition == kept.edition:
        return False
    if not key.startswith(_BY_NUMBER):
        return True
    from rapidfuzz import fuzz

    # A number may be another rule's in the next edition.
    return fuzz.ratio(_wording(passage), _wording(kept)) >= _LEAST_LIKENESS


def _is_alike(passage: IndexedPassage, other: IndexedPassage) -> bool:
    from rapidfuzz import fuzz

    return fuzz.ratio(_wording(passage), _wording(other)) >= _LEAST_OF_RULE


def _wording(passage: IndexedPassage) -> str:
    """Return the words of a passage without the number of its rule, and with a sign for the other
    numbers of rules: these change from edition to edition."""
    words = f" {passage.words}"
    if passage.number:
        number, taken, rest = _SIGNS.sub("", passage.number), "", words.split()
        while rest and number.startswith(taken + _SIGNS.sub("", rest[0])):
            taken += _SIGNS.sub("", rest.pop(0))
        words = f" {' '.join(rest)}" if taken == number else words
    return _NUMBER.sub(" #", words)


def _is_better_text(passage: IndexedPassage, kept: IndexedPassage) -> bool:
    """Whether a passage is of a newer edition than another; of one edition, whether its rule's id
    sorts behind the other's (or the other has none), or it alone of two passages of a rule begins
    with the number. A passage without a rule is better only by its edition."""
    if passage.edition and kept.edition and passage.edition != kept.edition:
        return edition_key(passage.edition) > edition_key(kept.edition)
    if not passage.rule:
        return False
    rule, kept_rule = passage.rule, kept.rule or "~"
    number = rule.rpartition("/")[2].lower()
    begins, kept_begins = (
        words.replace(" ", "").startswith(number) for words in (passage.words, kept.words)
    )
    return rule > kept_rule or (rule == kept_rule and begins and not kept_begins)
