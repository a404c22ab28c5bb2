"""Gathers what the pages say of a term or card: definitions, spellings, mentions, cited rules."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest

from graphs.model import Node
from graphs.store.reader import Store
from graphs.store.references import (
    MentionedWords,
    count_mentions,
    count_rulings,
    mentioned_words,
)
from kb.query.show.definitions import TermDefinition, find_definitions
from kb.query.show.rule_context import RuleName, cited_rules

# Mentions whose words are read: a bound. Lowered from 5,000, by which the page of a name that is
# mentioned very often comes in two thirds of the time; `MOST_MENTIONS` is the same elsewhere.
_MAX_READ = 2_000
_MAX_PLACES = 3  # of a spelling that are named: as examples, to look at
_QUOTES = '《》〈〉「」『』【】"“”'  # around a name in a text; no part of its spelling
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]{1,9}://", re.IGNORECASE)
# What forms of one word differ in: the kana behind kanji, and the common English inflections.
_ENDING = re.compile(r"[ぁ-ん]*$")
_ENGLISH_ENDING = re.compile(r"(?:ies|es|s|ed|ing|y|e)?$")


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a name is written on pages.

    text: the words, as they stand there; of several forms of one word (引い, 引か) the name that
        they are forms of.
    count: how many times.
    forms: the forms that were met, the most frequent first, if `text` is not the only one.
    places: the ids of the first few passages that have it.
    is_name: whether it is one of the term's names, or a form of one; if not, it was taken for a
        name because it differs from one only in spelling, or because the page links it so.
    """

    text: str
    count: int
    forms: tuple[tuple[str, int], ...]
    places: tuple[str, ...]
    is_name: bool


@dataclass(frozen=True, slots=True)
class TermProfile:
    """What pages say of a term or card.

    definitions: the texts that define it, the best first.
    mentions: how many times passages mention it.
    pages: on how many pages; of the first `read` mentions, if there are more.
    spellings: how it is written there, the most frequent first.
    read: how many mentions were read for `spellings` and `pages`; less than `mentions` if there are
        very many.
    rulings: how many rulings mention it; of the first `read` mentions, if there are more.
    cites: the rules that its definitions cite.
    """

    definitions: tuple[TermDefinition, ...]
    mentions: int
    pages: int
    spellings: tuple[Spelling, ...]
    read: int
    rulings: int
    cites: tuple[RuleName, ...]


def term_profile(store: Store, term: Node) -> TermProfile:
    """Return what pages say of a term or card; without definitions or mentions these are empty or
    0."""
    definitions = find_definitions(store, term)
    words = mentioned_words(store, term.id, _MAX_READ)
    edges = count_mentions(store, term.id)
    names = [label.text for label in term.labels if label.role != "reading"]
    return TermProfile(
        definitions,
        len(words) if edges <= _MAX_READ else edges,
        len({each.page for each in words}),
        _spellings(words, names),
        len(words),
        count_rulings(store, term.id, _MAX_READ),
        cited_rules(store, [each.evidence.passage for each in definitions]),
    )


def _spellings(words: Iterable[MentionedWords], names: Sequence[str]) -> tuple[Spelling, ...]:
    """Return how a term is written in some mentions, the most frequent spelling first, equally
    frequent ones by their text; words that are an address are left out.

    names: of the term, the first of those that have one stem being the spelling.
    """
    spelling_of, known = spelling_finder(names), frozenset(names)
    met: dict[str, list[str]] = defaultdict(list)  # the passages of each text, as it stands there
    for each in words:
        if not _ADDRESS.match(each.text):  # a link may show its address; that is no spelling
            met[each.text].append(each.passage)
    forms: dict[str, dict[str, int]] = defaultdict(dict)
    passages: dict[str, set[str]] = defaultdict(set)
    for text, places in met.items():
        spelling = spelling_of(text)
        forms[spelling][text] = len(places)
        passages[spelling].update(places)
    found = [
        Spelling(
            spelling,
            sum(of_spelling.values()),
            _most_frequent(of_spelling) if set(of_spelling) != {spelling} else (),
            tuple(nsmallest(_MAX_PLACES, passages[spelling])),
            spelling in known,
        )
        for spelling, of_spelling in forms.items()
    ]
    return tuple(sorted(found, key=lambda each: (-each.count, each.text)))


def spelling_finder(names: Sequence[str]) -> Callable[[str], str]:
    """Return a function from words of a passage that mention a term to their spelling: the one of
    the term's names that they are a form of, or else the words without quotation marks.

    >>> spelling_of = spelling_finder(["引く", "draw"])
    >>> spelling_of("引か"), spelling_of("「ドロー」"), spelling_of("drawing")
    ('引く', 'ドロー', 'draw')
    """
    known = frozenset(names)
    of_stem = {_stem(name): name for name in reversed(names)}

    def spelling_of(words: str) -> str:
        bare = words.strip(_QUOTES) or words
        spelling = bare if bare in known else of_stem.get(_stem(bare), bare)
        if spelling not in known and known.issuperset(bare.split("/")):
            return bare.split("/")[0]  # as wikis write a card in two languages: 山/Mountain
        return spelling

    return spelling_of


def _most_frequent(forms: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """Return (form, count) of forms, the most frequent first; equally frequent ones by their
    text."""
    return tuple(sorted(forms.items(), key=lambda form: (-form[1], form[0])))


def _stem(word: str) -> str:
    """What the forms of a word have in common: all but kana at its end, or an English ending.

    A word in kana alone is its own stem.

    >>> _stem("引か"), _stem("ドロー"), _stem("drawing"), _stem("Cards"), _stem("ため")
    ('引', 'ドロー', 'draw', 'card', 'ため')
    """
    if word.isascii():
        lower = word.casefold()
        return _ENGLISH_ENDING.sub("", lower, count=1) or lower
    return _ENDING.sub("", word) or word
