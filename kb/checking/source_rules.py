"""Finds the rule that a segment without a source translates: by the number at its beginning."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kb.checking.house import House
from kb.language.citation_patterns import fold_width
from kb.language.rule_numbers import normalize_number
from kb.language.shifted_sections import paired_numbers
from kb.query.diff import texts_by_number

_NUMBER = re.compile(
    r"\s*(?:rule\s*|CR\s*)?(?P<number>(?:[A-Z]-)?\d{1,4}(?:(?:[.-]|\.?\()[0-9a-z]{1,4}\)?){0,8}[a-z]?)"
    r"(?:[.．:：]?(?=\s|$)|(?=[〔「]))",
    re.IGNORECASE,
)


class SourceRules:
    """The rules of an edition in another language than a draft's."""

    def __init__(self, house: House, edition: str | None, source_lang: str | None) -> None:
        """edition: the one that is meant; None for the newest that has rules in another language.
        source_lang: the language of the source; None for the one in which most is loaded."""
        self._house, self._edition, self._source_lang = house, edition, source_lang
        self._books: dict[str, tuple[str, str, Mapping[str, str]] | None] = {}

    def rule(
        self, text: str, target_lang: str, following: str = ""
    ) -> tuple[str, str, str, str] | None:
        """Return (number, text, language, edition) of the rule whose number a text in a language
        begins with; None if it begins with none, or if it isn't there in another language.

        following: the next text of the draft. If it begins with no number, it may go on with the
            rule, and of a rule of several lines only the first is returned.
        """
        match = _NUMBER.match(fold_width(text[:60]))
        book = self._book(target_lang) if match else None
        if match is None or book is None:
            return None
        edition, lang, rules = book
        number = normalize_number(match["number"], rules)
        found = rules.get(number) or rules.get(number.rstrip("."))
        if not found or text[match.end() :].strip() == "":
            return None
        if following.strip() and not _NUMBER.match(fold_width(following[:60])):
            found = found.partition("\n")[0]
        return number, found, lang, edition

    def _book(self, target_lang: str) -> tuple[str, str, Mapping[str, str]] | None:
        if target_lang not in self._books:
            self._books[target_lang] = self._read(target_lang)
        return self._books[target_lang]

    def _read(self, target_lang: str) -> tuple[str, str, Mapping[str, str]] | None:
        loaded = self._house.loaded
        if loaded is None:
            return None
        newest_first = [self._house.edition, *loaded.editions[::-1]]
        editions = [self._edition] if self._edition else list(dict.fromkeys(newest_first))
        for edition in filter(None, editions):
            for lang in loaded.langs(edition):
                if lang != target_lang and self._source_lang in (None, lang):
                    store, game = self._house.store, self._house.game
                    rules = texts_by_number(store.rules(game, edition, lang))
                    drafts = texts_by_number(store.rules(game, edition, target_lang))
                    return edition, lang, _numbered_as(drafts, rules)
        return None


def _numbered_as(drafts: Mapping[str, str], rules: Mapping[str, str]) -> Mapping[str, str]:
    """Return the rules of another language by the numbers that they have in the draft's, where
    sections are numbered otherwise there.

    drafts: the rules in the draft's language, if they are loaded.
    """
    if not drafts:
        return rules
    pairs = paired_numbers(drafts, rules)
    if all(number == other for number, other in pairs):
        return rules
    return {number: rules[other] for number, other in pairs}
