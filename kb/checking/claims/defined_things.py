"""Finds what a sentence says that a rule defines or is, and which rules that is the matter of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

from graphs.store.reader import Store
from kb.checking.claims.loaded_rulebooks import Rulebooks
from kb.checking.claims.rule_words import words_of
from kb.language.fold import fold

_DEFINED = (
    r"(?:defined|explained|described|covered|detailed|treated|handled|found|specified|definiert"
    r"|erklärt|beschrieben|geregelt)"
)
_DEFINES = re.compile(
    rf"\b{_DEFINED}\b|\b(?:defines|explains|describes|covers)\b|定義|説明|規定|定め|解説",
    re.IGNORECASE,
)
# Between the name of a thing and the number of its rule: `scry is defined in Magic rule 1.2`. In
# the second half of a sentence the verb is left out: `and mill in 1.3`.
_TO_NUMBER = re.compile(
    r"(?P<is>\s+(?:is|are|was|were|ist|sind|wird|werden)(?:\s+(?:also|now|fully|auch))?"
    rf"(?:\s+{_DEFINED})?)?(?P<in>\s+(?:in|by|at|under|durch|unter))?"
    r"(?:\s+(?:the\s+)?(?:Magic|Lorcana|Riftbound|MTG|CR|Comprehensive Rules?|rulebook))*"
    r"(?:\s+(?:rules?|section|Regel))?\s*$",
    re.IGNORECASE,
)
_NAME_BEFORE = re.compile(
    r"(?:^|[,;:.(–—]\s*|\b(?=(?:and|but|while|whereas|und|aber)\s))"
    r"(?:(?:and|but|while|whereas|und|aber)\s+)?(?:(?:the|an?|keyword|term|concept|word|der|die|das)\s+)*[“\"„]?"
    r"(?P<name>[^\W\d][^,;:.()“”\"„\n]{1,38}?)[”\"“]?(?:\s+(?:keyword|ability|action|mechanic))*$",
    re.IGNORECASE,
)
_NAME_BEHIND = re.compile(
    r"\s*(?:defines|explains|describes|covers|introduces|details|is about|deals with|definiert"
    r"|erklärt|is the rule (?:for|on|about|of))\s+"
    r"(?:(?:how|what|the|an?|keyword|term|der|die|das)\s+)*[“\"„]?"
    r"(?P<name>[^\W\d][\w'’-]*(?: [\w'’-]+){0,4})",
    re.IGNORECASE,
)
_NAME_ENDS = re.compile(
    r"$|[”\"“.,;:)]|\s+(?:works?|is|are|does|means|and|ist|und)\b", re.IGNORECASE
)
_JAPANESE_BEFORE = re.compile(
    r"(?:^|[、。，；\s「『（(])(?P<name>[^\s、。，「」『』（）はが]{2,20})[」』]?(?:の(?:定義|説明|ルール|規則))?"
    r"(?:は|が|について(?:は)?)、?[^、。]{0,8}$"
)
_JAPANESE_BEHIND = re.compile(
    r"\s*(?:(?:で|に(?:て|お|は)?|の|が)[^、。]{0,4}?(?:定義|説明|規定|定め|記載|載|書|解説|あ[るり])|です|である|だ(?:。|$))"
)
_JAPANESE_GOES_ON = re.compile(r"\s*[、，]")


@dataclass(frozen=True, slots=True)
class DefinedThing:
    """What a sentence says that a rule defines: its name, and the numbers of the rules that it is
    the matter of, the one that has it as its heading first."""

    name: str
    numbers: tuple[str, ...]


class DefinedThings:
    """Knows which rules the terms and headings of an edition are the matter of."""

    def __init__(self, store: Store, rulebooks: Rulebooks) -> None:
        self._store, self._rulebooks = store, rulebooks
        self._matter = lru_cache(4096)(self._find_matter)

    def named(
        self, lead: str, behind: str, sentence: str, book: tuple[str, str, str]
    ) -> DefinedThing | None:
        """Return what the words around a number say that its rule defines or is; None if they name
        nothing so, or nothing that the edition has a rule for.

        lead, behind: of its sentence, up to the next numbers. sentence: all of it.
        book: game, edition and language.
        """
        for name in names_defined(lead, behind, sentence):
            if numbers := self._matter(fold(name), book):
                return DefinedThing(name, numbers)
        return None

    def words(self, name: str, game: str) -> Sequence[Set[str]]:
        """Return the words of each name of a thing."""
        terms = [one for one in self._store.find_by_label(fold(name)) if one.game == game]
        labels = {label.text for term in terms if term.kind == "term" for label in term.labels}
        return [words_of(one) for one in sorted({name, *labels})]

    def _find_matter(self, name: str, book: tuple[str, str, str]) -> tuple[str, ...]:
        game, edition, lang = book
        named = [one for one in self._store.find_by_label(name) if one.game == game]
        rules = [one for one in named if one.kind == "rule"]
        of_edition = [one for one in rules if one.edition == edition]
        headed = [self._rulebooks.number_in(one, edition, lang) for one in of_edition or rules]
        terms = [one.id for one in named if one.kind == "term"]
        defines = [edge.source for edge in self._store.edges(terms, "in", ("defines",))]
        beginning = f"{game}/cr/{edition}/"
        passages = [one for one in defines if one.startswith(f"rulebook/{beginning}")]
        cited = [
            edge.target.rpartition("/")[2]
            for edge in self._store.edges(passages, "out", ("cites", "quotes"))
            if edge.target and edge.target.startswith(beginning)
        ]
        return tuple(dict.fromkeys(number for number in (*headed, *cited) if number))


def names_defined(lead: str, behind: str, sentence: str = "") -> Iterator[str]:
    """Yield what may be the name of the thing that a sentence says a rule defines or is, by the
    words before and behind the rule's number; the verb may stand elsewhere in the sentence.

    >>> list(names_defined("In Magic, scry is defined in ", " since then."))
    ['scry']
    >>> list(names_defined("The legend rule is ", "."))
    ['legend rule', 'legend']
    >>> list(names_defined("Rule ", " explains how priority works."))
    ['priority works', 'priority']
    >>> list(names_defined("占術はルール", "で定義されている。"))
    ['占術']
    >>> list(names_defined("You may draw a card ", "."))
    []
    """
    tail = _TO_NUMBER.search(lead)
    is_defined = tail and (tail["is"] or (tail["in"] and _DEFINES.search(sentence)))
    if tail and is_defined and (found := _NAME_BEFORE.search(lead[: tail.start()].rstrip())):
        yield found["name"]
        if found["name"].endswith(" rule"):
            yield found["name"].removesuffix(" rule")
    if found := _NAME_BEHIND.match(behind):
        words = found["name"].split(" ")
        for size in range(len(words), 0, -1):
            name = " ".join(words[:size])
            if _NAME_ENDS.match(behind, found.start("name") + len(name)):
                yield name
    goes_on = _JAPANESE_GOES_ON.match(behind) and _DEFINES.search(sentence)
    if (goes_on or _JAPANESE_BEHIND.match(behind)) and (found := _JAPANESE_BEFORE.search(lead)):
        yield found["name"]
