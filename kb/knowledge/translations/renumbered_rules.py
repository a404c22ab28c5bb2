"""Finds chapters that two languages number differently, so that one number is not one rule.

A translation may lack rules that its original has by now, and count on without them. Then most
headings of a chapter speak of what another heading of the other language speaks of.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, islice
from math import log

from graphs.natural_order import natural_key
from graphs.writing.aligned_rules import StatedRule
from scraper.rulebook.numbering import parent_number, with_numbers_above

_LEAST_SIBLINGS = 4
_CLEARLY = 1.2  # how much more alike a heading of another number must be
_MOST_OFF = 0.4  # the share of headings that are more like another one
_NEAR = 20  # numbers by which a heading may be off
_LONGEST_TEXT = 10_000  # characters below a heading that are compared
_MOST_NAMES = 600  # by which they are compared

_Book = tuple[str, str]  # a game and an edition
_Texts = dict[str, dict[str, str]]  # {number of a heading: {language: text of all its rules}}


def renumbered_headings(
    groups: Iterable[tuple[StatedRule, ...]], names: Iterable[tuple[str, str]]
) -> frozenset[tuple[str, str, str]]:
    """Return the (game, edition, number) of the headings whose rules are not the same in Japanese
    and English, as far as names tell it: `translated_rules` found no better numbers for them.

    groups: the rules of an edition, in each language.
    names: (Japanese, English) names that translate each other, the surest first, to compare the
        texts by.
    """
    first_names = islice(names, _MOST_NAMES)
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
    English one, if there is one."""
    rule = next((rule for rule in group if rule.lang == "en"), group[0])
    return rule.game, rule.edition, rule.number


def is_below(rule: tuple[str, str, str], headings: Collection[tuple[str, str, str]]) -> bool:
    """Return whether a rule is one of some headings or stands below one.

    rule, headings: each (game, edition, number).
    """
    game, edition, number = rule
    return any((game, edition, each) in headings for each in with_numbers_above(number))


def _texts_of_headings(groups: Iterable[Sequence[StatedRule]]) -> dict[_Book, _Texts]:
    """Return the texts of all rules below each heading that both languages have."""
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
    another of them.

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
