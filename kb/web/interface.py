"""The language of the explorer's own words: English, or Japanese from a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

import kb
from kb.reason import sentences
from kb.web.stated import in_japanese

InterfaceLanguage = Literal["en", "ja"]
LANGUAGES: tuple[InterfaceLanguage, ...] = ("en", "ja")


@dataclass(frozen=True)
class Interface:
    """The explorer's words in one language.

    lang: `en` or `ja`.
    """

    lang: InterfaceLanguage

    def __call__(self, text: str, **values: object) -> str:
        """Return the explorer's words in this language.

        text: the words in English, with names of values in braces: `{count} rules`. What the
            table `japanese.tsv` lacks stays English.

        >>> Interface("ja")("Search"), Interface("en")("{count} rules", count=3)
        ('検索', '3 rules')
        >>> Interface("en")("links_to")
        'links to'
        """
        words = _japanese().get(text, text) if self.lang == "ja" else text.replace("_", " ")
        return words.format(**values) if values else words

    def language(self, code: str | None) -> str:
        """Return the name of a language; the code itself of one that has none here.

        >>> Interface("en").language("ja"), Interface("ja").language("fr")
        ('Japanese', 'フランス語')
        """
        return sentences(self.lang).get(f"language_{code}", code or "")

    def stated(self, text: str) -> str:
        """Return what a file states in English in this language."""
        return text if self.lang == "en" else in_japanese(text)

    def place(self, where: str) -> str:
        """Return where a warning is of: a file, a place in it, or both."""
        file, _, place = where.rpartition(": ")
        worded = self.stated(place)
        return f"{file}: {worded}" if file and worded != place else worded if not file else where

    @property
    def words(self) -> Mapping[str, str]:
        """The words of the explorer and its pictures: {English: in this language}."""
        return {} if self.lang == "en" else _japanese()

    def game(self, game: str | None) -> str:
        """Return the name of a game; its id if no name is known.

        >>> Interface("en").game("mtg"), Interface("ja").game("dm"), Interface("en").game("x")
        ('Magic: The Gathering', 'デュエル・マスターズ', 'x')
        """
        return (game and kb.game_name(game, self.lang)) or game or ""


@cache
def _japanese() -> dict[str, str]:
    """Return {English words: Japanese words}."""
    table = (files("kb.web") / "japanese.tsv").read_text("utf-8")
    rows = (line.split("\t", 1) for line in table.splitlines() if line and not line.startswith("#"))
    return {english: japanese for english, japanese in rows if japanese}


def preferred_language(accept_language: str) -> InterfaceLanguage:
    """Return the language of the explorer that a browser asks for first; English if neither.

    accept_language: the header `Accept-Language`

    >>> preferred_language("fr;q=0.9, ja;q=0.8, en;q=0.5"), preferred_language("de")
    ('ja', 'en')
    """
    best: InterfaceLanguage = "en"
    highest = 0.0
    for part in accept_language[:200].split(","):
        tag, _, quality = part.strip().partition(";q=")
        for lang in LANGUAGES:
            if tag.lower().split("-")[0] == lang and _number(quality) > highest:
                best, highest = lang, _number(quality)
    return best


def _number(quality: str) -> float:
    try:
        return float(quality or 1)
    except ValueError:
        return 0.0
