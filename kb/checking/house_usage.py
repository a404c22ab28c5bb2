"""What a draft is held against: the names of one game's concepts, and how its rules use them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

from graphs.model import Node
from graphs.store.reader import Store
from graphs.store.rule_versions import matched_numbers, translated_editions
from graphs.store.termbase_rows import term_ids
from kb.checking.draft import Segment
from kb.checking.kept_tools import cached_method
from kb.checking.rules_in_two_languages import AlignedRules, aligned_texts
from kb.checking.term_finder import STOP_WORDS, Finder, Word, finder, words_of
from kb.language.citations.citation_patterns import fold_width
from kb.language.citations.rule_numbers import normalize_number
from kb.language.english_inflection import FoundName
from kb.language.fold import fold
from kb.language.tokens import tokenizer
from kb.language.typography import fold_typography
from kb.query.editions.diff import texts_by_number
from kb.query.lookup.common_filters import Scope
from kb.rules.loaded_editions import LoadedRules
from kb.termbase.concepts import concepts, concepts_of
from kb.termbase.model import IN_USE, Concept, ConceptName, Reason

_MOST_TEXTS = 2  # that are remembered of a word: more than the one that is checked
# Characters of a draft and a rule, by which it is told whose number it has: a guard of time, as
# rules of one number differ from their first words on.
_COMPARED = 200
# Percent, by hand: how like one of the rules a draft must be, and how much more than the other.
# Lower takes a chance likeness for the rule; where it isn't met, the draft's other numbers decide.
_LEAST_ALIKE, _CLEARLY = 40, 15
_FEW_RULES = 50  # of which a share says nothing: by hand, a leaflet has as many
_SURE = 22.0  # the least score of a proposed name: that of two rules that have it and no other
_REASONS: dict[str, Reason] = {
    "preferred": "title", "alias": "alias", "redirect": "redirect",
    "abbreviation": "abbreviation",
}  # fmt: skip
_LISTED = re.compile(r"(?<=\w)\s?[/／]\s?(?=\w)")
_NUMBER = re.compile(
    r"\s*(?:rule\s*|CR\s*)?(?P<number>(?:[A-Z]-)?\d{1,4}(?:(?:[.-]|\.?\()[0-9a-z]{1,4}\)?){0,8}[a-z]?)"
    r"(?:[.．:：]?(?=\s|$)|(?=[〔「]))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ReadSegment:
    """A segment with the names of concepts that were found in it.

    source: the text that it translates, as the draft gives it or from the rulebook; None if there
        is none.
    rule: the id of the rule that the source was taken from; None if the draft gives it.
    source_names, target_names: the names in order, without overlaps; of the game's concepts.
    is_whole: whether the target may be the translation of all of the source, so that what it lacks
        counts.
    """

    segment: Segment
    source: str | None
    source_lang: str | None
    target_lang: str
    source_names: Sequence[FoundName] = ()
    target_names: Sequence[FoundName] = ()
    rule: str | None = None
    is_whole: bool = True

    @property
    def target(self) -> str:
        """The text of the segment in the draft."""
        return self.segment.target


class House:
    """The names of one game's concepts by language, and the rules that show how they are used."""

    def __init__(
        self,
        store: Store,
        game: str,
        loaded: LoadedRules | None,
        concepts: Iterable[Concept],
        edition: str | None,
    ) -> None:
        """loaded: the rules of the game that are loaded; None if there are none.
        concepts: of this game. edition: the one that drafts mean; None for the newest."""
        self.store, self.game, self.loaded, self.edition = store, game, loaded, edition
        self.concepts = {concept.id: _with_parts_of_names(concept) for concept in concepts}
        # What a check found in the last pairs of texts, by texts and languages; it keeps it small.
        self.found_in_pairs: dict[tuple[str, ...], Sequence[Any]] = {}

    @cached_property
    def with_uses(self) -> Mapping[str, Concept]:
        """The terms of the game as pages have them, by id, with how often names and spellings are
        used: all texts of the knowledge base are read for it."""
        return {concept.id: concept for concept in concepts(self.store, Scope(game=self.game))}

    def book(self, lang: str) -> tuple[str, str] | None:
        """Return (edition, language) of the rules that who writes in a language goes by: of the
        edition that is meant, or else of the one nearest to it; None without any."""
        loaded = self.loaded
        nearest = (one for one in self.nearest_editions() if loaded and lang in loaded.langs(one))
        return next(((edition, lang) for edition in nearest), None)

    def nearest_editions(self) -> list[str]:
        """Return the editions of the game, the one that is meant first, then the nearest to it by
        their order, of two as near the newer; without one meant, the newest first."""
        order = self.loaded.editions if self.loaded else []
        place = order.index(self.edition) if self.edition in order else len(order)
        return sorted(order, key=lambda one: (abs(order.index(one) - place), -order.index(one)))

    @cached_method()
    def numbers_in(self, lang: str, other_lang: str) -> Mapping[str, str]:
        """Return {number of a rule in a language: its number in another one}, of the books that
        `book` returns; empty if either is loaded in part or not at all, and for an edition that is
        not there in the other language: who translates it keeps its numbers."""
        book, other = self.book(lang), self.book(other_lang)
        if self.loaded and book and other and lang != other_lang:
            wholes = (self.loaded.loaded(*one).whole for one in (book, other))
            if all(wholes) and self.are_one_book(book, other):
                game, edition = self.game, other[0]
                return matched_numbers(self.store, game, lang, book[0], edition, other_lang)
        return {}

    def are_one_book(self, book: tuple[str, str], other: tuple[str, str]) -> bool:
        """Return whether two books, (edition, language) of each, are one in two languages."""
        pairs = (
            (translated_editions(self.store, self.game, one[1], two[1]).get(one[0]), two[0])
            for one, two in ((book, other), (other, book))
        )
        return book[0] == other[0] or any(there == edition for there, edition in pairs)

    @cached_method()
    def finder(self, lang: str, into: str | None = None) -> Finder:
        """Return what finds the names of the game's terms, preferred and admitted ones, in texts of
        a language. into: a language that the terms must have a name in, too; None for any."""
        names = (
            (concept.id, name.text)
            for concept in self.concepts.values()
            if concept.kind == "term" and (not into or self.usable_names((concept.id,), into))
            for name in concept.names
            if name.lang == lang and name.status in IN_USE
            if name.why != "proposed" or not self._stated(lang)[fold(name.text)] - {concept.id}
        )
        return finder(lang, names, tokenizer())

    @cached_method()
    def usable_names(self, concepts: tuple[str, ...], lang: str) -> tuple[ConceptName, ...]:
        """Return the names of some concepts that a draft in a language may use, preferred ones
        first, proposed ones last, each text once; without those that only lists give, and without
        proposed ones that are stated of another concept."""
        names = [
            name
            for one in concepts
            for name in self.concepts[one].names
            if name.lang == lang and name.status in IN_USE and name.why != "list"
            if name.why != "proposed" or not self._stated(lang)[fold(name.text)] - {one}
        ]
        names.sort(key=lambda name: (name.status != "preferred", name.why == "proposed"))
        return tuple({name.text: name for name in reversed(names)}.values())[::-1]

    @cached_method()
    def _stated(self, lang: str) -> Mapping[str, set[str]]:
        """Return {folded name: the terms of which it is stated} in a language."""
        stated: dict[str, set[str]] = defaultdict(set)
        for concept in self.concepts.values():
            for name in concept.names:
                if name.lang == lang and name.why != "proposed" and concept.kind == "term":
                    stated[fold(name.text)].add(concept.id)
        return stated

    def wanted_names(self, concepts: tuple[str, ...], lang: str) -> tuple[ConceptName, ...]:
        """Return the names that a draft must use: where a person prefers one, those that persons
        decided on, else all that may be used, as `usable_names` gives them."""
        names = self.usable_names(concepts, lang)
        decided = tuple(name for name in names if name.why == "decision")
        return decided if any(name.status == "preferred" for name in decided) else names

    @cached_method()
    def aligned(self, source_lang: str, target_lang: str) -> AlignedRules:
        """Return the game's rules that are loaded in both languages, as `aligned_texts` pairs them;
        empty without any."""
        langs = source_lang, target_lang
        pairs = aligned_texts(self.store, self.loaded, *langs) if self.loaded else ()
        return AlignedRules(pairs, *map(self.finder, langs))

    @cached_method()
    def rule_texts(self, lang: str) -> tuple[str, ...]:
        """Return the texts of the game's rules in a language, in the edition that is meant or, if
        that isn't there, the newest that is; none if no edition is."""
        editions = self.loaded.editions_in(lang) if self.loaded else []
        if not editions:
            return ()
        edition = self.edition if self.edition in editions else editions[-1]
        rules = self.store.rules(self.game, edition, lang)
        return tuple(rule.text for rule in rules if rule.text)

    def in_sentence(self, name: str, lang: str, text: str, start: int) -> str:
        """Return a name as it is written at a place in a text: an English one in small letters
        inside a sentence, where the game's rules have it so more often; any other as it is."""
        before = text[:start].rstrip()
        if lang != "en" or not before or before[-1] in '.!?:“"\n' or name.lower() == name:
            return name
        small, rules = name.lower(), "\n".join(self.rule_texts(lang))
        inside = Counter(
            re.findall(rf"(?<=[a-z,] )(?:{re.escape(name)}|{re.escape(small)})\b", rules)
        )
        return small if inside[small] > inside[name] else name

    def new_words(self, text: str, lang: str) -> list[Word]:
        """Return the content words of a text, in order, that the game's rules in its language don't
        have, not counting the text itself if it is one of them."""
        own, known = fold_typography(text), self._vocabulary(lang)
        words = words_of(text, self.finder(lang))
        return [word for word in words if known.get(word.form, {own}) == {own}]

    @cached_method()
    def _vocabulary(self, lang: str) -> Mapping[str, set[str]]:
        """Return {form of a word: texts of the game's rules that have it, folded}, two at most."""
        known: dict[str, set[str]] = defaultdict(set)
        for rule in self.rule_texts(lang):
            own = fold_typography(rule)
            for word in words_of(rule, self.finder(lang)):
                if len(known[word.form]) < _MOST_TEXTS:
                    known[word.form].add(own)
        return known

    def is_common(self, concepts: tuple[str, ...], lang: str, share: float) -> bool:
        """Return whether at least a share of the game's rules in a language have a name of just
        these concepts; False if there are too few rules for a share to say anything."""
        few = len(self.rule_texts(lang)) < _FEW_RULES
        return not few and self.frequency(concepts, lang) >= share

    def frequency(self, concepts: tuple[str, ...], lang: str) -> float:
        """Return the share of the game's rules in a language that have a name of just these
        concepts; 0 if there are no rules."""
        return self._rules_with(lang)[concepts] / max(len(self.rule_texts(lang)), 1)

    @cached_method()
    def _rules_with(self, lang: str) -> Counter[tuple[str, ...]]:
        """Return how many of the game's rules in a language have a name of just some concepts."""
        return Counter(
            concepts
            for text in self.rule_texts(lang)
            for concepts in {name.concepts for name in self.finder(lang).find(text)}
        )


def _with_parts_of_names(concept: Concept) -> Concept:
    """Return a term with each of the names that one of its names lists: 場にいる and 場にある of
    場にいる／場にある, but not “the” of “top of a/the library”. Cards stay as they are."""
    if concept.kind == "card" or not any(_LISTED.search(name.text) for name in concept.names):
        return concept
    names: list[ConceptName] = []
    for name in concept.names:
        parts = _LISTED.split(name.text)
        are_names = len(parts) > 1 and all(
            len(part) > 1 and fold(part) not in STOP_WORDS for part in parts
        )
        names += [replace(name, text=part) for part in parts] if are_names else [name]
    return replace(concept, names=tuple(names))


def names_only(nodes: Iterable[Node]) -> Iterator[Concept]:
    """Yield terms or cards as concepts that have nothing but their names, in order: titles,
    aliases, redirects and abbreviations. One that has none of these is left out.

    nodes: of any games.
    """
    for node in nodes:
        names = tuple(
            ConceptName(
                label.lang,
                label.text,
                "preferred" if label.role == "preferred" else "admitted",
                _REASONS[label.role],
            )
            for label in node.labels
            if label.role in _REASONS
        )
        if names:
            yield Concept(node.id, node.game, names, "card" if node.kind == "card" else "term")


def other_games_terms(store: Store, game: str) -> Iterator[Concept]:
    """Yield the terms of all games but one."""
    yield from names_only(node for node in store.names_of_kind("term") if node.game != game)


def cards_of(store: Store, game: str) -> Iterator[Concept]:
    """Yield the cards of a game that have a preferred name; others are only on lists of names,
    which may be of terms as well."""
    cards = names_only(store.names_of_kind("card", game))
    yield from (card for card in cards if any(name.status == "preferred" for name in card.names))


def without_listed_names(concepts: Iterable[Concept]) -> Iterator[Concept]:
    """Yield concepts without what only lists of names call them, but for those that a person
    decides on; a concept without other names is left out."""
    for concept in concepts:
        if any(name.why == "decision" for name in concept.names):
            yield concept
        elif names := tuple(name for name in concept.names if name.why != "list"):
            yield replace(concept, names=names)


def game_terms(store: Store, game: str) -> Iterator[Concept]:
    """Yield the terms of a game as the termbase has them, without names that little speaks for, and
    without notes on readings: of a name that a person decides on, the person's note is shown. How
    often names are used is not told, as all texts would be read for it: see `House.with_uses`."""
    for concept in concepts_of(store, term_ids(store, ("term",), game, None, None), False):
        sure = (name for name in concept.names if (name.score or _SURE) >= _SURE)
        names = tuple(replace(name, note="") for name in sure)
        if names:
            yield replace(concept, names=names)


class SourceRules:
    """The rules of the edition that a draft means in another language than its own, or of the
    edition nearest to it that is there in another one."""

    def __init__(self, house: House, source_lang: str | None) -> None:
        """source_lang: the language of the source; None for the one in which most is loaded."""
        self._house, self._source_lang = house, source_lang
        self._book = cache(self._read)
        self._by_own = 0  # rules that had the numbers of the draft's language, less the others

    def rule(
        self, text: str, target_lang: str, following: str = ""
    ) -> tuple[str, str, str, str] | None:
        """Return (number, text, language, edition) of the rule whose number a text in a language
        begins with; None if it begins with none, has no words behind it, or if the rule isn't there
        in another language. The number is the one that the text has.

        following: the next text of the draft. If it begins with no number, it may go on with the
            rule, and of a rule of several lines only the first is returned.
        """
        match = _NUMBER.match(fold_width(text[:60]))
        book = self._book(target_lang) if match else None
        if match is None or book is None:
            return None
        edition, lang, rules, own = book
        words = text[match.end() :]
        number = normalize_number(match["number"], rules)
        number = number if number in rules else number.rstrip(".")
        found = rules.get(self._source_number(number, words, target_lang, lang, own) or "")
        if not found or words.strip() == "":
            return None
        if following.strip() and not _NUMBER.match(fold_width(following[:60])):
            found = found.partition("\n")[0]
        return number, found, lang, edition

    def _source_number(
        self, number: str, words: str, target_lang: str, lang: str, own: Mapping[str, str]
    ) -> str | None:
        """Return the number in the source's language of the rule that a draft gives a number.

        Where the two languages number their rules otherwise, a draft may have the numbers of
        either: its words are more like those of the rule that it translates. Words that are like
        neither have the numbers that the draft had before. None if the source lacks the rule.

        words: behind the number. own: the rules in the draft's language that are loaded.
        """
        from rapidfuzz import fuzz

        source_numbers = self._house.numbers_in(target_lang, lang)
        if source_numbers.get(number) == number or number not in own:
            return number
        same = self._house.numbers_in(lang, target_lang)
        given = words.strip()[:_COMPARED]
        by_own = fuzz.ratio(given, own[number][:_COMPARED])
        by_source = fuzz.ratio(given, own.get(same.get(number, ""), "")[:_COMPARED])
        if abs(by_own - by_source) >= _CLEARLY and max(by_own, by_source) >= _LEAST_ALIKE:
            self._by_own += 1 if by_own > by_source else -1
            return source_numbers.get(number) if by_own > by_source else number
        return number if self._by_own < 0 else source_numbers.get(number)

    def _read(
        self, target_lang: str
    ) -> tuple[str, str, Mapping[str, str], Mapping[str, str]] | None:
        """Return the edition and language of the sources, their texts by number, and those of the
        rules in the draft's language, if these are numbered otherwise, else empty. None if no rules
        are loaded in another language, or in that of the source."""
        loaded = self._house.loaded
        if loaded is None:
            return None
        for edition in self._house.nearest_editions():
            for lang in loaded.langs(edition):
                if lang != target_lang and self._source_lang in (None, lang):
                    store, game = self._house.store, self._house.game
                    rules = texts_by_number(store.rules(game, edition, lang))
                    own: Mapping[str, str] = {}
                    book, same = self._house.book(target_lang), self._house.numbers_in
                    if book and any(a != b for a, b in same(target_lang, lang).items()):
                        own = texts_by_number(store.rules(game, *book))
                    return edition, lang, rules, own
        return None
