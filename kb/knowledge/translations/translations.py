"""Joins what two languages say of one thing: rules of one number, headings, glosses, terms.

What a page states (two headings of one rule) and what is only proposed (words that occur together
in aligned rules) are kept apart: a proposed name has a role of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, islice, pairwise, product
from math import log
from typing import Any

from graphs.sort_orders import edition_key, natural_key
from graphs.writing.names_and_merges import DefiningPassage, DerivedLabel, NodeName
from graphs.writing.page_claims import EdgeClaim
from graphs.writing.rules import (
    CitedHeading,
    RuleTexts,
    StatedRule,
    cited_headings,
)
from graphs.writing.writer import Writer
from kb.knowledge.page_subject import game_of
from kb.knowledge.translations.aligned_texts import AlignedText, EnglishName, english_key
from kb.knowledge.translations.headwords_together import headwords_together
from kb.knowledge.translations.proposed_names import MEASURE, ProposedName, proposed_names
from kb.language.fold import fold
from kb.language.tokens import Tokenizer
from kb.rules.rules_across_languages import near_translations, translated_rules
from scraper.rulebook.numbering import number_key, parent_number, with_numbers_above

# Of headings below one other, to judge whether two languages number them alike. The first three
# are by hand: names tell little of fewer headings; a heading alone may be more like another one
# by chance, so that many of them must be, and clearly.
_LEAST_SIBLINGS = 4
# How much more alike a heading of another number must be, by hand: less is chance, and more keeps
# a heading that was only moved with its old number.
_CLEARLY = 1.2
_MOST_OFF = 0.4  # the share of headings that are more like another one
# Guards: they keep the time of a hostile book from growing with the square of its size. Chapters
# that lack or add a few sections are off by fewer numbers.
_NEAR = 20  # numbers by which a heading may be off
_LONGEST_TEXT = 10_000  # characters below a heading that are compared
_COMPARED_NAMES = 600  # by which they are compared, the surest first

_Book = tuple[str, str]  # a game and an edition
_Texts = dict[str, dict[str, str]]  # {number of a heading: {language: text of all its rules}}


def renumbered_headings(
    groups: Iterable[tuple[StatedRule, ...]], names: Iterable[tuple[str, str]]
) -> frozenset[tuple[str, str, str]]:
    """Return the (game, edition, number) of the headings whose rules are not the same in Japanese
    and English, as far as names tell it: `translated_rules` found no better numbers for them. All
    headings directly below one other are returned together, or none of them.

    groups: the rules of an edition, in each language.
    names: (Japanese, English) names that translate each other, the surest first, to compare the
        texts by.
    """
    first_names = islice(names, _COMPARED_NAMES)
    known = [(japanese.casefold(), english.casefold()) for japanese, english in first_names]
    found: set[tuple[str, str, str]] = set()
    for book, texts in _texts_of_headings(groups).items():
        children: dict[str, list[str]] = defaultdict(list)
        for number in texts:
            children[parent_number(number) or ""].append(number)
        for siblings in children.values():
            siblings.sort(key=natural_key)
            if _are_renumbered([texts[number] for number in siblings], known):
                found.update((*book, number) for number in siblings)
    return frozenset(found)


def known_rule(group: Sequence[StatedRule]) -> tuple[str, str, str]:
    """Return by what (game, edition, number) a rule in several languages is known: those of the
    English one, else of the first. The group must not be empty."""
    rule = next((rule for rule in group if rule.lang == "en"), group[0])
    return rule.game, rule.edition, rule.number


def is_below(rule: tuple[str, str, str], headings: Collection[tuple[str, str, str]]) -> bool:
    """Return whether a rule is one of some headings or stands below one.

    rule, headings: each (game, edition, number).
    """
    game, edition, number = rule
    return any((game, edition, each) in headings for each in with_numbers_above(number))


def _texts_of_headings(groups: Iterable[Sequence[StatedRule]]) -> dict[_Book, _Texts]:
    """Return the texts of all rules below each heading that both languages have, the heading's own
    included: {(game, edition): {number: {`ja` or `en`: text}}}, case-folded and cut at 10,000
    characters."""
    books: dict[_Book, _Texts] = defaultdict(dict)
    pieces: dict[_Book, dict[str, dict[str, list[str]]]] = {}
    in_both = [group for group in groups if {"ja", "en"} <= {rule.lang for rule in group}]
    for group in in_both:
        if all(rule.heading for rule in group):
            game, edition, number = known_rule(group)
            of_heading = {"ja": [], "en": []}  # type: dict[str, list[str]]
            pieces.setdefault((game, edition), {})[number] = of_heading
    for group in in_both:
        game, edition, own_number = known_rule(group)
        headings = pieces.get((game, edition), {})
        for number in with_numbers_above(own_number):
            for rule in group:
                if rule.lang in ("ja", "en") and number in headings:
                    headings[number][rule.lang].append(rule.text[rule.start :])
    for book, headings in pieces.items():
        for number, of_heading in headings.items():
            books[book][number] = {
                lang: "\n".join(texts)[:_LONGEST_TEXT].casefold()
                for lang, texts in of_heading.items()
            }
    return books


def _are_renumbered(
    siblings: Sequence[Mapping[str, str]], names: Collection[tuple[str, str]]
) -> bool:
    """Return whether many of some headings are clearly more like the other language's text of
    another of them. False for fewer than four, or without names.

    siblings: the texts of each heading in both languages, in the order of their numbers.
    """
    if len(siblings) < _LEAST_SIBLINGS or not names:
        return False
    japanese = [{n for n, name in enumerate(names) if name[0] in text["ja"]} for text in siblings]
    english = [{n for n, name in enumerate(names) if name[1] in text["en"]} for text in siblings]
    uses = [sum(place in found for found in english) for place in range(len(names))]
    weights = [log(len(siblings) / count) if count else 0.0 for count in uses]

    def alike(one: set[int], other: set[int]) -> float:
        total = sum(weights[n] for n in one) + sum(weights[n] for n in other)
        return 2 * sum(weights[n] for n in one & other) / total if total else 0.0

    off = 0
    for place, found in enumerate(japanese):
        own = alike(found, english[place])
        before, behind = english[max(0, place - _NEAR) : place], english[place + 1 :][:_NEAR]
        others = (alike(found, other) for other in chain(before, behind))
        off += max(others) > _CLEARLY * own
    return off > _MOST_OFF * len(siblings)


_Group = tuple[StatedRule, ...]  # a rule of an edition, in each language

_Books = Mapping[str, Mapping[str, StatedRule]]  # {language: {number: rule}}

_ANOTHER = "′"  # behind a number that another rule has in the fullest language
_LANGUAGES = ("ja", "en")  # between which names are looked for
_LONGEST_HEADING = 60  # characters; longer ones are sentences: the longest of Magic's has 52
_OFTEN = 5  # segments that speak for a name by which rules are compared: by hand, fewer are chance
# Guards against names that a hostile glossary gives to thousands of terms, or a term thousands of
# names, whose pairs would be their product. Real homonyms and synonyms are a few.
_MOST_TERMS = 10  # that an English name may have to tell one
_MOST_NAMES = 20  # of a term in a language that are compared
# By hand: a sample of so many rules is enough to find the names by which headings are compared, and
# takes a fraction of the time of all.
_ENOUGH_RULES = 400  # of a game to tell how it is numbered
_MOST_RULES = 20_000  # of a game to tell which headings go together; a guard: six long editions
_SENTENCE_ENDS = ("。", ".", "こと")
# By hand: with fewer uses, or a larger share, headings that do translate each other are left out,
# as rules use a word now and then where the other language says it otherwise.
_FEWEST = 4  # rules that use a heading as a word, for it to tell anything
_LEAST_DICE = 0.3  # the share of two headings' uses that they have in common
_LONGEST = 6_000  # characters of a rule that are read; a guard, as in `aligned_texts`


@dataclass(frozen=True, slots=True)
class HeadingPair:
    """The headings of one rule in Japanese and English, and the passages that have them."""

    game: str
    edition: str
    number: str
    japanese: str
    english: str
    japanese_passage: str
    english_passage: str


@dataclass(frozen=True, slots=True)
class AlignedRules:
    """What a graph has in several languages.

    groups: the rules that are there in several languages, in one edition or in two that are nearly
        the same, sorted by language.
    headings: the headings of rules in Japanese and English.
    names: (game, Japanese, English) names that some of the rules suggest, the likeliest first.
    """

    groups: tuple[tuple[StatedRule, ...], ...]
    headings: tuple[HeadingPair, ...]
    names: tuple[tuple[str, str, str], ...] = ()


def read_aligned_rules(writer: Writer) -> AlignedRules:
    """Read the rules of a graph that several languages have, and their headings: those of both
    languages' rules, and those that Japanese passages give a rule in English. Both are empty in a
    graph of one language."""
    rules = RuleTexts(writer)
    try:
        books = rules.books()
        groups = tuple(
            group
            for game in books
            for of_lang in _books(rules, game, books[game])
            for group in _groups(of_lang)
        )
        pairs = [*_headings_of(groups), *_cited_headings(rules, cited_headings(writer))]
    finally:
        rules.close()
    return AlignedRules(groups, tuple(pair for pair in pairs if _is_name(pair)))


def _books(
    rules: RuleTexts, game: str, editions: Mapping[str, Collection[str]]
) -> Iterator[_Books]:
    """Yield what belongs together of a game: each edition that is there in several languages; and
    each that another language has in an edition nearly the same before or after it: publishers
    date translations by the day when they appear.

    editions: {edition: its languages}, the newest first.
    """
    for edition, langs in editions.items():
        if len(langs) > 1:
            yield rules.of_edition(game, edition)
    books = [(edition, *langs) for edition, langs in editions.items() if len(langs) == 1]
    tried: set[frozenset[str]] = set()
    for edition, lang in books:
        for other in sorted({each for langs in editions.values() for each in langs} - {lang}):
            for near in _near_editions(list(editions), edition, editions, lang, other):
                if frozenset((edition, near)) in tried:
                    continue
                tried.add(frozenset((edition, near)))
                found = {
                    lang: rules.of_edition(game, edition).get(lang, {}),
                    other: rules.of_edition(game, near).get(other, {}),
                }
                if near_translations(*map(_texts_by_number, found.values())):
                    yield dict(sorted(found.items()))
                    break


def _near_editions(
    order: Sequence[str],
    edition: str,
    editions: Mapping[str, Collection[str]],
    lang: str,
    other: str,
) -> Iterator[str]:
    """Yield the editions in another language next to one, the older before the newer, but for those
    that are there in its own language, too: there the two are aligned within the edition.

    order: all editions, the newest first.
    """
    place = order.index(edition)
    older = [one for one in order[place + 1 :] if other in editions[one]][:1]
    newer = [one for one in order[:place] if other in editions[one]][-1:]
    yield from (one for one in (*older, *newer) if lang not in editions[one])


def _texts_by_number(rules: Mapping[str, StatedRule]) -> dict[str, str]:
    return {number: rule.text for number, rule in rules.items()}


def _groups(of_lang: _Books) -> Iterator[_Group]:
    """Yield the rules that several languages have, in the order of their numbers in the fullest
    one, with which the others are aligned; of languages that are as full, the first. Each group is
    sorted by language. of_lang: sorted by language."""
    fullest = max(of_lang, key=lambda lang: len(of_lang[lang]))
    texts = {lang: _texts_by_number(rules) for lang, rules in of_lang.items()}
    editions = {rule.edition for rules in of_lang.values() for rule in rules.values()}
    aligned = translated_rules if len(editions) == 1 else near_translations
    groups: dict[str, dict[str, StatedRule]] = defaultdict(dict)
    for lang, rules in of_lang.items():
        alone = dict(rules)
        for pair in aligned(texts[fullest], texts[lang]) if lang != fullest else ():
            rule = alone.pop(pair.other)
            groups[pair.number][lang] = rule if pair.is_sure else replace(rule, is_sure=False)
        for number, rule in alone.items():
            # What has the number in the fullest language is another rule.
            is_own = lang == fullest or number not in of_lang[fullest]
            groups[number if is_own else f"{number}{_ANOTHER}"][lang] = rule
    for number in sorted(groups, key=lambda number: number_key(number.rstrip(_ANOTHER))):
        if len(groups[number]) > 1:
            yield tuple(groups[number][lang] for lang in of_lang if lang in groups[number])


def _is_name(pair: HeadingPair) -> bool:
    """Whether two headings are short enough for names, not empty, and no sentences."""
    return all(
        0 < len(heading) <= _LONGEST_HEADING and not heading.endswith(_SENTENCE_ENDS)
        for heading in (pair.japanese, pair.english)
    )


def _headings_of(groups: Iterable[Sequence[StatedRule]]) -> Iterator[HeadingPair]:
    for group in groups:
        of_lang = {rule.lang: rule for rule in group if rule.heading}
        if set(_LANGUAGES) <= set(of_lang):
            yield _heading_pair(of_lang["ja"], of_lang["ja"].heading, of_lang["en"])


def _heading_pair(
    japanese: StatedRule | CitedHeading, heading: str, english: StatedRule
) -> HeadingPair:
    rule = english.game, english.edition, english.number
    return HeadingPair(*rule, heading, english.heading, japanese.passage, english.passage)


def _cited_headings(rules: RuleTexts, cited: Iterable[CitedHeading]) -> Iterator[HeadingPair]:
    """Yield the headings that Japanese passages give behind the number of a rule that is there in
    English and has a heading: `rule 704〔…〕`. A rule that is cited so twice comes twice."""
    of_english: dict[str, list[CitedHeading]] = defaultdict(list)
    for each in cited:
        beginning, mark, number = each.wanted.rpartition("/ja/")
        if mark:
            of_english[f"{beginning}/en/{number}"].append(each)
    for rule_id, rule in rules.with_ids(of_english).items():
        if rule.heading:
            for each in of_english[rule_id]:
                yield _heading_pair(each, each.heading, rule)


class TermNames:
    """The names of the terms of each game in Japanese and English, by the forms that are compared.

    names: those of all terms; readings don't count.

    english: by game and key; a key that very many terms share tells none of them.
    """

    def __init__(self, names: Iterable[NodeName]) -> None:
        self.japanese: dict[tuple[str, str], set[str]] = defaultdict(set)
        self.english: dict[tuple[str, EnglishName], set[str]] = defaultdict(set)
        self.of_term: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        self._of_game: dict[str, list[dict[str, set[str]]]] = defaultdict(list)
        for name in names:
            if name.role == "reading" or name.lang not in _LANGUAGES:
                continue
            game = game_of(name.node)
            if name.lang == "ja":
                self.japanese[game, name.folded].add(name.node)
            elif key := english_key(name.text):
                self.english[game, key].add(name.node)
            self.of_term[name.node][name.lang].add(name.text)
        self.english = {
            key: terms for key, terms in self.english.items() if len(terms) <= _MOST_TERMS
        }
        for term, of_lang in self.of_term.items():
            self._of_game[game_of(term)].append(of_lang)

    def has(self, term: str, lang: str) -> bool:
        """Return whether a term has a name in a language; not if it is unknown, or has only
        readings."""
        return bool(self.of_term[term].get(lang))

    def texts(self, game: str, lang: str) -> set[str]:
        """Return all names of a game's terms in a language, as written; none of an unknown game."""
        return {text for of_lang in self._of_game.get(game, ()) for text in of_lang.get(lang, ())}

    def homonyms(self, game: str) -> set[EnglishName]:
        """Return the English names, as they are compared, that terms of a game share of which one
        has a Japanese name and another has none."""
        return {
            key
            for (of_game, key), terms in self.english.items()
            if of_game == game and len({self.has(term, "ja") for term in terms}) > 1
        }

    def pairs(self, game: str) -> set[tuple[str, str]]:
        """Return the (Japanese, English) names that terms of a game have, each with each; of a term
        with very many names the first twenty of a language, sorted."""
        return {
            pair
            for of_lang in self._of_game.get(game, ())
            if "ja" in of_lang and "en" in of_lang
            for pair in product(
                sorted(of_lang["ja"])[:_MOST_NAMES], sorted(of_lang["en"])[:_MOST_NAMES]
            )
        }


def labels_by_headings(headings: Iterable[HeadingPair], names: TermNames) -> list[DerivedLabel]:
    """Return the names that terms have in the other language as the headings of rules state them.

    They are sorted, one for a term and a language: that of the newest edition, in it of the first
    pair of headings; not in capitals, if any edition has it otherwise. The Japanese
    term that has the one heading as its name gets the English name of the term that has the other,
    by which the two are merged; if there is only one of the terms, it gets the other heading as its
    name. Where several terms have a heading as their name, none gets any by it. Where one of the
    terms has a name in both languages, there is nothing to add. A heading that an edition
    translates in several ways (`General`) names nothing.
    """
    found: dict[tuple[str, str], DerivedLabel] = {}
    newest_first = sorted(headings, key=lambda pair: edition_key(pair.edition), reverse=True)
    newest_first.sort(key=lambda pair: pair.english.isupper())
    for pair in _with_one_translation(newest_first):
        japanese = set(names.japanese.get((pair.game, fold(pair.japanese)), ()))
        english = set(names.english.get((pair.game, english_key(pair.english)), ()))
        named = {term for term in japanese if names.has(term, "en")}
        named |= {term for term in english if names.has(term, "ja")}
        if named:
            continue
        if len(japanese) == 1 and len(english) == 1:
            [other] = english
            text = min(names.of_term[other]["en"])
            label = _label(japanese.pop(), "en", text, pair.english_passage)
        elif len(japanese) == 1:
            label = _label(japanese.pop(), "en", pair.english, pair.english_passage)
        elif len(english) == 1:
            label = _label(english.pop(), "ja", pair.japanese, pair.japanese_passage)
        else:
            continue
        found.setdefault((label.node, label.lang), label)
    return sorted(found.values())


def _with_one_translation(headings: Sequence[HeadingPair]) -> Iterator[HeadingPair]:
    """Yield the pairs of headings of which each has the other alone in its edition, in order; the
    same pair at two rules of an edition comes twice."""
    of_heading: dict[tuple[str, str, str, object], set[object]] = defaultdict(set)
    for pair in headings:
        japanese, english = fold(pair.japanese), english_key(pair.english)
        of_heading[pair.game, pair.edition, "ja", japanese].add(english)
        of_heading[pair.game, pair.edition, "en", english].add(japanese)
    for pair in headings:
        book = pair.game, pair.edition
        of_japanese = of_heading[*book, "ja", fold(pair.japanese)]
        of_english = of_heading[*book, "en", english_key(pair.english)]
        if len(of_japanese) == len(of_english) == 1:
            yield pair


def _label(node: str, lang: str, text: str, passage: str) -> DerivedLabel:
    return DerivedLabel(node, lang, text, "preferred", fold(text), passage)


@dataclass(frozen=True, slots=True)
class Translations:
    """What several languages say of one thing.

    labels: the names that are proposed for terms.
    edges: the edges of proposed names, and those between rules of one number.
    """

    labels: tuple[DerivedLabel, ...]
    edges: tuple[EdgeClaim, ...]


def translations(
    groups: Sequence[tuple[StatedRule, ...]], names: Iterable[NodeName], tokenizer: Tokenizer
) -> Translations:
    """Return the edges between rules of one number and edition in several languages, and the names
    that the rules suggest for the terms of each game, with their edges; by game, and the labels
    sorted. Both are empty without rules.

    groups: the rules of one number and edition in each language.
    names: the names of all terms.
    """
    names = list(names)
    known = TermNames(names)
    labels: set[DerivedLabel] = set()
    edges: list[EdgeClaim] = []
    for game, groups_of_game in sorted(_by_game(groups).items()):
        found = _proposals(game, groups_of_game, known, tokenizer)
        starts = {rule.passage: rule.start for group in groups_of_game for rule in group}
        for proposal in found:
            labels.update(_proposed_labels(game, proposal, known))
            edges += _edges_of(game, proposal, known, starts)
        of_game = (name for name in names if game_of(name.node) == game)
        for pair in headwords_together(groups_of_game, of_game):
            english, english_span, other, span = pair.examples[0]
            labels.add(_proposed(pair.english_term, pair.lang, pair.name, other.passage))
            labels.add(_proposed(pair.term, "en", pair.english, english.passage))
            details = {
                "basis": "proposed",
                "name": pair.name,
                "measure": MEASURE,
                "score": pair.score,
                "both": pair.both,
                "of": pair.of,
                **_in_target(other.passage, span),
                "passages": [each[2].passage for each in pair.examples],
            }
            ends = pair.english_term, pair.term, pair.name, english.passage, *english_span
            edges.append(EdgeClaim("translates", *ends, "", details))
        edges += _edges_between_rules(groups_of_game)
    return Translations(tuple(sorted(labels)), tuple(edges))


def comparable_rules(
    aligned: AlignedRules, names: Iterable[NodeName], tokenizer: Tokenizer
) -> AlignedRules:
    """Return rules and headings without those of chapters that Japanese and English number
    differently, and without headings that the rules hardly use together: what stands at one number
    there does not translate each other. The names are those by which the rules are compared.

    names: the names of all terms, as pages state them.
    """
    known = TermNames(names)
    renumbered: set[tuple[str, str, str]] = set()
    evidence: dict[str, HeadingEvidence] = {}
    suggested: list[tuple[str, str, str]] = []
    for game, groups in _by_game(aligned.groups).items():
        evidence[game] = HeadingEvidence(groups[:_MOST_RULES])
        some = groups[:: len(groups) // _ENOUGH_RULES + 1]
        found = _proposals(game, some, known, tokenizer, surest=True)
        pairs = [(each.japanese, each.english) for each in found if each.both >= _OFTEN]
        suggested += [(game, each.japanese, each.english) for each in found]
        renumbered |= renumbered_headings(groups, [*pairs, *sorted(known.pairs(game))])
    return AlignedRules(
        tuple(group for group in aligned.groups if not is_below(known_rule(group), renumbered)),
        tuple(
            pair
            for pair in aligned.headings
            if not is_below((pair.game, pair.edition, pair.number), renumbered)
            and not (
                pair.game in evidence
                and evidence[pair.game].speaks_against(pair.japanese, pair.english)
            )
        ),
        tuple(suggested),
    )


def _by_game(groups: Iterable[_Group]) -> dict[str, list[_Group]]:
    of_game: dict[str, list[_Group]] = defaultdict(list)
    for group in groups:
        of_game[group[0].game].append(group)
    return of_game


def _proposals(
    game: str,
    groups: Iterable[Sequence[StatedRule]],
    known: TermNames,
    tokenizer: Tokenizer,
    surest: bool = False,
) -> list[ProposedName]:
    """Return the names that the rules of a game suggest, the likeliest first; of a sample perhaps
    the surest alone."""
    names = known.texts(game, "en"), known.texts(game, "ja"), known.pairs(game)
    return proposed_names(_texts(groups), *names, tokenizer, surest, known.homonyms(game))


def _texts(groups: Iterable[Sequence[StatedRule]]) -> Iterator[AlignedText]:
    """Yield the rules that are there in Japanese and English, in order, without their numbers;
    those that several editions have in the same words once, from the first."""
    seen: set[tuple[str, str]] = set()
    for group in groups:
        of_lang = {rule.lang: rule for rule in group}
        if set(_LANGUAGES) <= set(of_lang):
            japanese, english = of_lang["ja"], of_lang["en"]
            pair = japanese.text[japanese.start :], english.text[english.start :]
            if pair not in seen:
                seen.add(pair)
                yield AlignedText(japanese.passage, english.passage, *pair)


def _english_terms(game: str, proposal: ProposedName, known: TermNames) -> list[str]:
    """Return the terms of a proposal's English name, sorted: those without a Japanese one, if there
    are any, else all."""
    terms = known.english.get((game, english_key(proposal.english)), set())
    return sorted({term for term in terms if not known.has(term, "ja")} or terms)


def _proposed_labels(game: str, proposal: ProposedName, known: TermNames) -> Iterator[DerivedLabel]:
    """Yield a proposed name as a label of the terms of the other name: the Japanese one for all of
    `_english_terms`, the English one for terms of the Japanese name without an English one."""
    example = proposal.examples[0]
    for term in _english_terms(game, proposal, known):
        yield _proposed(term, "ja", proposal.japanese, example.japanese)
    for term in known.japanese.get((game, fold(proposal.japanese)), ()):
        if not known.has(term, "en"):
            yield _proposed(term, "en", proposal.english, example.english)


def _proposed(node: str, lang: str, text: str, passage: str) -> DerivedLabel:
    return DerivedLabel(node, lang, text, "proposed", fold(text), passage)


def _edges_of(
    game: str, proposal: ProposedName, known: TermNames, starts: Mapping[str, int]
) -> Iterator[EdgeClaim]:
    """Yield the edges of a proposed name: from each English term to the other terms that have the
    Japanese name, or to the passage that uses it if there is none; the evidence is the first
    example."""
    japanese_terms = known.japanese.get((game, fold(proposal.japanese)), set())
    example = proposal.examples[0]
    details = {
        "basis": "proposed",
        "name": proposal.japanese,
        "measure": MEASURE,
        "score": proposal.score,
        "both": proposal.both,
        "of": proposal.of,
        **_in_target(example.japanese, example.japanese_span, starts),
        "passages": [each.japanese for each in proposal.examples],
    }
    start = starts[example.english]
    for term in _english_terms(game, proposal, known):
        for target in sorted(japanese_terms - {term}) or [example.japanese]:
            yield EdgeClaim(
                "translates",
                term,
                target,
                proposal.japanese,
                example.english,
                example.english_span[0] + start,
                example.english_span[1] + start,
                "",
                details,
            )


def _in_target(
    passage: str, span: tuple[int, int], starts: Mapping[str, int] | None = None
) -> dict[str, Any]:
    """Return the details of an edge that say where its target's words stand.

    starts: where the text begins in each passage that the span is counted from; None if it is
        counted from the passage's beginning.
    """
    start = starts[passage] if starts else 0
    return {
        "target_passage": passage,
        "target_start": span[0] + start,
        "target_end": span[1] + start,
    }


def _edges_between_rules(groups: Iterable[Sequence[StatedRule]]) -> Iterator[EdgeClaim]:
    """Yield an edge between each two languages of a rule, from the one that sorts first; headings
    are rules. Its basis is `same heading`, `same number` or, if numbers differ, `moved section`."""
    for group in groups:
        for one, other in combinations(group, 2):
            basis = "same heading" if one.heading and other.heading else "same number"
            if number_key(one.number) != number_key(other.number):
                basis = "moved section"
            is_sure = one.is_sure and other.is_sure
            yield EdgeClaim(
                "translates",
                one.id,
                other.id,
                other.number,
                one.passage,
                one.start,
                one.end,
                "",
                {
                    "basis": basis,
                    **({} if is_sure else {"sure": False}),
                    **_in_target(other.passage, (other.start, other.end)),
                },
            )


def translations_of_glosses(
    definitions: Iterable[DefiningPassage], compared: Collection[str] = ()
) -> Iterator[EdgeClaim]:
    """Yield an edge between each two glosses of one term in different languages, from the language
    that sorts first, by term; none if one passage is both. Its basis is `same headword`, or
    `compared glosses` where only a comparison makes them those of one term.

    definitions: the passages that define terms; of pages and sections, which define with several
        passages, none counts. Of several glosses in a language the last id counts, which is that
        of the newest edition. compared: the ids of terms that were joined by their glosses.
    """
    glosses: dict[str, dict[str, DefiningPassage]] = defaultdict(dict)
    for definition in sorted(definitions, key=lambda each: each.passage):
        if definition.sure and definition.passage.startswith("rulebook/") and definition.lang:
            glosses[definition.node][definition.lang] = definition
    for term in sorted(glosses):
        of_lang = glosses[term]
        for one, other in combinations(sorted(of_lang), 2):
            source, target = of_lang[one], of_lang[other]
            if source.passage != target.passage:
                yield EdgeClaim(
                    "translates",
                    source.passage,
                    target.passage,
                    "",
                    source.passage,
                    0,
                    len(source.text),
                    "",
                    {
                        "basis": "compared glosses" if term in compared else "same headword",
                        "term": term,
                        **_in_target(target.passage, (0, len(target.text))),
                    },
                )


class HeadingEvidence:
    """Which rules of one game use which words, in Japanese and English.

    groups: the rules of one number and edition in each language.
    """

    def __init__(self, groups: Iterable[Sequence[StatedRule]]) -> None:
        self._japanese: dict[str, set[int]] = defaultdict(set)  # by two letters, folded
        self._english: dict[str, set[int]] = defaultdict(set)  # by stem
        for place, group in enumerate(groups):
            for rule in group:
                text = rule.text[rule.start : rule.start + _LONGEST]
                if rule.lang == "ja":
                    for pair in _letter_pairs(fold(text)):
                        self._japanese[pair].add(place)
                elif rule.lang == "en":
                    for stem in english_key(text):
                        self._english[stem].add(place)

    def speaks_against(self, japanese: str, english: str) -> bool:
        """Return whether rules use two headings often, and hardly ever together.

        >>> rules = [
        ...     [StatedRule("", "g", "1", "1", "ja", "", "", "札を引く。", 0, 5),
        ...      StatedRule("", "g", "1", "1", "en", "", "", text, 0, 12)]
        ...     for text in ["Draw a card.", "A condition.", "The card.", "Any condition."] * 9
        ... ]
        >>> evidence = HeadingEvidence([*rules, *[rule[:1] for rule in rules * 9]])
        >>> evidence.speaks_against("札を引く", "Conditions"), evidence.speaks_against("山", "Deck")
        (True, False)
        """
        ours = _common(self._japanese, _letter_pairs(fold(japanese)))
        theirs = _common(self._english, english_key(english))
        if min(len(ours), len(theirs)) < _FEWEST:
            return False
        return 2 * len(ours & theirs) < _LEAST_DICE * (len(ours) + len(theirs))


def _letter_pairs(text: str) -> set[str]:
    """Return each two letters that stand beside each other in a text; of a single letter, that
    letter, and of an empty text the empty one."""
    return {one + other for one, other in pairwise(text)} or {text}


def _common(places: dict[str, set[int]], keys: Iterable[str] | EnglishName) -> set[int]:
    """Return the places that all of some keys have; none for no keys."""
    found = [places.get(key, set()) for key in keys]
    return set.intersection(*found) if found else set()
