"""Finds names like what a person typed (misspelt, in other kana, in romaji), or is typing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter, itemgetter
from typing import NamedTuple
from unicodedata import normalize

from graphs.model import Node
from graphs.sort_orders import edition_key, natural_key
from graphs.store.name_index import NameKey
from graphs.store.reader import Store
from kb.language.english_inflection import EnglishFinder
from kb.language.fold import is_japanese
from kb.language.made_readings import has_kanji
from kb.language.name_keys import (
    KANA,
    MADE,
    MADE_OTHERWISE,
    NAMED_KINDS,
    SPELLING,
    may_be_romaji,
    sound_key,
    sound_letters,
    sound_with_lengths,
    spelling_key,
)
from kb.query.lookup.common_filters import EVERYTHING, Scope
from kb.result import ListResult, columns
from scraper.rulebook.numbering import parse_number
from scraper.sites.games import game_called

_SOUNDS = (KANA, MADE, MADE_OTHERWISE)
# The surest first: what is written says more than how it sounds, and that more than what is made.
_FORM_ORDER = {SPELLING: 0, KANA: 1, MADE: 2, MADE_OTHERWISE: 3}
_CERTAINTY = {SPELLING: 3, KANA: 2, MADE: 2, MADE_OTHERWISE: 1}  # see `SimilarName.certainty`
_CERTAINTY_OF_FORM_OF_WORD = 2
_LIKE_ENOUGH = 70.0  # of 100; what is less alike looks like nothing to a person, but for
_LIKE_ENOUGH_FOR_A_SLIP = 60.0  # a slip in a name of three letters: 66.7, as one of three differs
_LONGEST = 100  # characters of what is typed: a guard; 99 of 100 names in rulebooks have up to 78
# The likeness of names that differ in long and short vowels alone: below 100, which is the same,
# and above a slip in a name of less than 50 letters.
SAME_BUT_FOR_LENGTHS = 98.0
_NAMES_AT_ONCE = 40  # whose nodes are looked up together: some times the five that are wanted
_SECTION = re.compile(r"[^.-]+[.-]")  # of a number: `121.` of 121.4
# Numbers of a section that are compared: a guard on the time. Magic's largest (702) has some 800 in
# nine books.
_MOST_NUMBERS = 4000
_MOST_BEGINNINGS = 60  # names that begin alike, of which the most used are returned: a guard
_MOST_USES = 200  # edges that are counted; of two popular names, neither is the likelier


@dataclass(frozen=True, slots=True)
class SimilarName:
    """A name that is like what a person typed.

    name: the name, as a page gives it.
    nodes: the nodes that have it, those with most edges to them first.
    how: `same spelling` (but for accents and signs), `another form of the word` (in English, such
        as its plural), `kana` (it sounds the same), `reading` (one that a page states),
        `reading made by a dictionary, not stated by a page` (it may be wrong), `one slip` (one
        letter or sign is left out, added, swapped or replaced), or `alike`. If romaji was typed,
        `in romaji` is among the words about sound.
    likeness: from 0 to 100, which is the same but for what does not count.
    certainty: 3 if the name is spelled as it was typed, 2 if it sounds so or is another form of the
        same English words, 1 if it sounds so in another reading than the likeliest that Sudachi
        makes, and 0 if it is only like what was typed.
    """

    name: str
    nodes: tuple[Node, ...]
    how: str
    likeness: float
    certainty: int


class _Match(NamedTuple):
    """A key that is like the one that is looked for: how like, and how many letters differ."""

    found: NameKey
    likeness: float
    distance: int


def similar_names(
    store: Store, words: str, scope: Scope = EVERYTHING, most: int = 5
) -> list[SimilarName]:
    """Return the names most like some words, the likeliest first; often none.

    Of names that are equally like, a name by its spelling comes before one by its sound, that
    before one by a reading that was made for it, and then the one to which most edges lead. A node
    is named once, by the likeliest of its names.

    words: as a person types them: a name with slips, in hiragana or katakana, or in romaji.
    scope: leaves out nodes without these values.
    most: at most how many names are returned.
    """
    matches = sorted(_matches(store, words), key=_order)
    found: list[SimilarName] = []
    for start in range(0, len(matches), _NAMES_AT_ONCE):
        some = matches[start : start + _NAMES_AT_ONCE]
        found = _merged([*found, *_in_scope(store, words, some, scope)])
        if len(found) >= most:
            break
    return found[:most]


def names_beginning(
    store: Store, words: str, scope: Scope = EVERYTHING, most: int = 5
) -> list[SimilarName]:
    """Return names that begin as some words do, in spelling or in sound.

    Those that are the same come first, with a `certainty`, then those to which most edges lead; of
    many names, the 60 shortest of either are compared. Empty if none begins so.

    words, scope, most: as for `similar_names`.
    """
    words = words[:_LONGEST]
    forms: list[tuple[str, tuple[str, ...]]] = [(spelling_key(words), (SPELLING,))]
    if _may_be_sound(words):
        forms.append((sound_key(words), _SOUNDS))
    matches: dict[str, _Match] = {}
    for wanted, of_form in forms:
        for key in store.names.beginning(wanted, of_form, _MOST_BEGINNINGS):
            match = _Match(key, 100.0 * (key.key == wanted), 0)
            matches[key.name] = max(matches.get(key.name, match), match, key=attrgetter("likeness"))
    return _merged(_in_scope(store, words, list(matches.values()), scope))[:most]


def _order(match: _Match) -> tuple[int, int]:
    """Return the order of a match: the likest first, in whole per cent, then the surest form."""
    return -round(match.likeness), _FORM_ORDER[match.found.form]


def _matches(store: Store, words: str) -> Iterator[_Match]:
    """Yield the likest key of each name that is like some words, in no order."""
    words = words[:_LONGEST]
    best: dict[str, _Match] = {}
    matches = _alike(store, spelling_key(words), (SPELLING,))
    if _may_be_sound(words):
        exact = sound_with_lengths(words)
        matches += [_by_length(match, exact) for match in _alike(store, sound_key(words), _SOUNDS)]
    for match in matches:
        name = match.found.name
        if name not in best or _order(match) < _order(best[name]):
            best[name] = match
    yield from best.values()


def _by_length(match: _Match, exact: str) -> _Match:
    """Return a match by sound, of the likeness 98 instead of 100 if only the length of vowels
    differs; any other as it is. exact: the sound of what was typed, with lengths."""
    # Romaji do not always tell しょ from しお, so where ゃ, ゅ and ょ begin does not count.
    if match.distance or match.found.exact.replace("y", "") == exact.replace("y", ""):
        return match
    return match._replace(likeness=SAME_BUT_FOR_LENGTHS)


def _may_be_sound(words: str) -> bool:
    """Return whether words can be compared by their sound: those in kana and in romaji, without any
    kanji."""
    return not has_kanji(words) and (is_japanese(words) or may_be_romaji(words))


def _alike(store: Store, key: str, forms: Sequence[str]) -> list[_Match]:
    """Return the keys of some forms that are like a key, with how like they are, the likest first:
    those of a likeness of 70, and those one slip away from 60 on. Empty if there are none."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    is_sound = SPELLING not in forms
    found = store.names.similar(key, forms, most_longer=max(2, len(key) // 4))
    # Sounds are compared letter by letter, as a slip in romaji is one letter of a syllable.
    compared = [sound_letters(name.key) if is_sound else name.key for name in found]
    letters = sound_letters(key) if is_sound else key
    scored = process.extract(
        letters,
        compared,
        scorer=OSA.normalized_similarity,
        score_cutoff=_LIKE_ENOUGH_FOR_A_SLIP / 100,
        limit=None,
    )
    matches = (
        _Match(found[index], 100 * likeness, OSA.distance(letters, compared[index]))
        for _, likeness, index in scored
    )
    return [match for match in matches if match.likeness >= _LIKE_ENOUGH or match.distance == 1]


def _in_scope(
    store: Store, words: str, matches: Sequence[_Match], scope: Scope
) -> list[SimilarName]:
    """Return the names of some matches whose nodes are in a scope, the likeliest first; of equally
    like ones those with most edges, then the shortest. Nodes out of scope are left out of a
    name."""
    nodes = store.named([match.found.name for match in matches], NAMED_KINDS)
    uses = store.uses([node.id for of_name in nodes.values() for node in of_name], _MOST_USES)
    found: list[tuple[tuple[float | str, ...], SimilarName]] = []
    for match in matches:
        in_scope = [node for node in nodes.get(match.found.name, ()) if scope.includes(node)]
        in_scope.sort(key=lambda node: (-uses[node.id], node.id))
        if in_scope:
            similar = _similar_name(words, match, in_scope)
            used = uses[in_scope[0].id]
            found.append(((*_order(match), -used, len(similar.name), match.found.name), similar))
    return [similar for _, similar in sorted(found, key=itemgetter(0))]


def _similar_name(words: str, match: _Match, nodes: Sequence[Node]) -> SimilarName:
    """Return a name with the nodes that have it; the name of the first instead of its reading."""
    name = match.found.name
    is_reading = {label.role for label in nodes[0].labels if label.text == name} == {"reading"}
    how = _how(words, match, is_reading)
    shown = nodes[0].label if is_reading else None
    return SimilarName(
        shown or name, tuple(nodes), how, round(match.likeness, 1), _certainty(words, match)
    )


def _certainty(words: str, match: _Match) -> int:
    """Return how certain a match is, as in `SimilarName.certainty`: 0 unless it is the same, or,
    for romaji without lengths, the same but for these."""
    # Romaji is often written without any length of vowels; kana, and other romaji, with it.
    has_lengths = is_japanese(words) or "ー" in sound_with_lengths(words)
    least = 100.0 if has_lengths else SAME_BUT_FOR_LENGTHS
    if match.likeness >= least:
        return _CERTAINTY[match.found.form]
    return _CERTAINTY_OF_FORM_OF_WORD if _is_form_of_word(words, match) else 0


def _is_form_of_word(words: str, match: _Match) -> bool:
    """Whether a name has the same English words as were typed, in other inflections."""
    name = match.found.name
    return (
        match.distance > 0
        and match.found.form == SPELLING
        and words.isascii()
        and EnglishFinder.words(words) == EnglishFinder.words(name)
    )


def _merged(names: Iterable[SimilarName]) -> list[SimilarName]:
    """Return names in order, each once with all its nodes, and each node only at the first of its
    names; a name whose nodes all have one before is left out."""
    merged: dict[str, SimilarName] = {}
    known: set[str] = set()
    for similar in names:
        nodes = tuple(node for node in similar.nodes if node.id not in known)
        known.update(node.id for node in nodes)
        first = merged.get(similar.name)
        if nodes and first:
            merged[similar.name] = replace(first, nodes=(*first.nodes, *nodes))
        elif nodes:
            merged[similar.name] = replace(similar, nodes=nodes)
    return list(merged.values())


def _how(words: str, match: _Match, stated: bool) -> str:
    """Return how a key matches what was typed, in the words of `SimilarName.how`.

    stated: whether the name is a reading that a page states.
    """
    form = match.found.form
    if _is_form_of_word(words, match):
        return "another form of the word"
    if match.distance:
        return "one slip" if match.distance == 1 else "alike"
    if form == SPELLING:
        return "reading" if stated else "same spelling"
    romaji = "" if is_japanese(words) else ", in romaji"
    if stated or form == KANA:
        return ("reading" if stated else "kana") + romaji
    return f"reading{romaji and ' in romaji,'} made by a dictionary, not stated by a page"


def near_numbers(store: Store, number: str, scope: Scope, most: int) -> tuple[str, ...]:
    """Return the numbers of rules that look most like one that no rule has, the likest first.

    They are of its section; if there is none, of those whose numbers begin with the same sign;
    empty if there are none either. Of equally like ones the first in the order of numbers comes
    first.

    number: as `parse_number` returns it. scope: leaves out rules without these values.
    """
    from rapidfuzz.distance import OSA

    section = _SECTION.match(number)
    for beginning in (section[0] if section else number, number[:1]):
        rules = store.rules_numbered(beginning, _MOST_NUMBERS, scope.game)
        known = {rule.number for rule in rules if rule.number and scope.includes(rule)}
        if known:
            likeness = partial(OSA.normalized_similarity, number)
            return tuple(sorted(known, key=lambda n: (-likeness(n), natural_key(n)))[:most])
    return ()


# Names that begin so; with fewer, names that are only alike are suggested, too. By hand: with more,
# what a slip may mean is pushed down a list that answers each key.
_FEWEST = 3
_MOST_SUGGESTED_NUMBERS = 60  # that begin so: a bound, as it answers each key
# Of names that only begin so, what a reader of rules looks up before the rest: `doro` begins the
# names of many cards.
_KIND_ORDER = {"term": 0, "rule": 1}


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Something that a person may mean.

    name: its name, or the number of a rule.
    how: how the name is like what was typed: `number`, `beginning`, or as
        `kb.query.lookup.find_names.SimilarName` says it.
    node: of a rule in several editions the newest.
    """

    name: str
    how: str
    node: Node


@dataclass(frozen=True, slots=True, repr=False)
class Suggestions(ListResult[Suggestion], items="suggestions", item="suggestion"):
    """What a person may mean who is typing, the likeliest first."""

    suggestions: tuple[Suggestion, ...]

    _COLUMNS = columns("name kind=node.kind game=node.game id=node.id")


def suggest(store: Store, typed: str, scope: Scope, most: int) -> Suggestions:
    """Return what a person may mean who has typed the beginning of a number or name, perhaps with
    slips, in kana or in romaji; nothing for white space.

    Rules by their numbers come first, in any way of writing them (`CR 121.4`, `MTG 121.4`); then
    what is called so, in any inflection, by its spelling or sound; then names that begin so, terms
    first; then, if these are fewer than three, names that are alike. A node comes once.

    scope: leaves out nodes without these values. most: at most how many.
    """
    typed = " ".join(normalize("NFKC", typed).split())[:_LONGEST]
    if not typed:
        return Suggestions(())
    found = _numbered(store, typed, scope, most)
    if len(found) < most:
        names = names_beginning(store, typed, scope, _NAMES_AT_ONCE)
        suggested = [
            (not each.certainty, Suggestion(each.name, "beginning", node))
            for each in names
            for node in each.nodes
        ]
        suggested.sort(key=lambda one: (one[0], _KIND_ORDER.get(one[1].node.kind, 2)))
        found += [suggestion for _, suggestion in suggested]
    if len(found) < min(_FEWEST, most) or (typed.isascii() and " " in typed):
        alike = similar_names(store, typed, scope, most)
        forms = [each for each in alike if each.how == "another form of the word"]
        alike = forms if len(found) >= _FEWEST else alike
        found += [Suggestion(each.name, each.how, node) for each in alike for node in each.nodes]
    first: dict[str, Suggestion] = {}
    for each in found:
        first.setdefault(each.node.id, each)
    return Suggestions(tuple(first.values())[:most])


def _numbered(store: Store, typed: str, scope: Scope, most: int) -> list[Suggestion]:
    """Return the rules whose number begins as what was typed, each number and game once, in its
    newest edition; by number. They are among the first 60 numbers of the game, before the
    rest of the scope counts. Empty for what is no number, alone or behind a word that says that it
    is one or of which game."""
    head, _, rest = typed.partition(" ")
    game = game_called(head) if rest else None
    number = rest if game else typed
    number = number if number[:1].isdigit() else parse_number(number) or ""
    if not number or (game and scope.game not in (None, game)):
        return []
    newest: dict[tuple[str | None, str | None], Node] = {}
    for node in store.rules_numbered(number, _MOST_SUGGESTED_NUMBERS, game or scope.game):
        if scope.includes(node):
            key = node.game, node.number
            newest[key] = max(node, newest.get(key, node), key=lambda one: edition_key(one.edition))
    return [Suggestion(node.number or "", "number", node) for node in newest.values()][:most]
