"""Tells the languages of a draft by its letters, where neither a person nor the file names them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from kb.checking.draft import Segment
from scraper.rulebook.languages import LANGUAGES, detect_language

_KANA = re.compile("[ぁ-ゖァ-ヺｦ-ﾟ]")
_HAN = re.compile("[々〆㐀-鿿\uf900-\ufaff\U00020000-\U0003ffff]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_OTHER = re.compile(r"[^\W\d_]")
# Of the letters of Japanese that are kana or Han: rulebooks in Japanese have 0.7, headings in kanji
# less; Chinese ones have none, but may name a card in kana.
_KANA_SHARE = 0.05
_FEWEST_LETTERS = 40  # Latin ones by whose words the language is told: fewer have no frequent words
_WITH_RECORD = frozenset(language.code for language in LANGUAGES)
_LOOKED_AT = 20_000  # characters of a draft that tell its language: held until it is told, a guard


def language_code(given: str | None) -> str | None:
    """Return the code of a language without its region and script, in small letters; None for none.

    >>> language_code("ja-JP"), language_code("EN_us"), language_code("")
    ('ja', 'en', None)
    """
    return re.split("[-_]", given.strip(), maxsplit=1)[0].lower() or None if given else None


def language_by_script(text: str) -> str | None:
    """Return the language that a text is likely in, by its letters: `ja` for kana, `zh` for Chinese
    characters without kana; of Latin letters by its frequent words, `en` if these tell no other
    language that rulebooks are read in; None for other letters, or none.

    >>> [language_by_script(text) for text in ("LPを払う。", "抽一张牌。", "Draw a card.", "12")]
    ['ja', 'zh', 'en', None]
    >>> language_by_script("Wer eine Karte ziehen soll und keine mehr hat, verliert das Spiel.")
    'de'
    """
    kana, han = len(_KANA.findall(text)), len(_HAN.findall(text))
    latin, letters = len(_LATIN.findall(text)), len(_OTHER.findall(text))
    if 2 * (kana + han) >= max(latin, 1):  # a character of Japanese says more than a Latin letter
        return "ja" if kana >= _KANA_SHARE * (kana + han) else "zh"
    if not latin or 2 * latin < letters:
        return None
    found = detect_language(text) if latin >= _FEWEST_LETTERS else "en"
    return found if found in _WITH_RECORD else "en"


def with_languages(
    path: str,
    segments: Iterator[Segment],
    source_lang: str | None,
    target_lang: str | None,
    warnings: list[str],
) -> Iterator[Segment]:
    """Yield segments, in order, with their languages: those given, else those that a segment has,
    else by the letters of the first 20,000 characters together, None if these tell none. A segment
    without a source has no source language.

    path: of the draft. warnings: gets a line if the languages can hardly be meant, and if there are
        no segments.
    """
    given_source, given_target = language_code(source_lang), language_code(target_lang)
    first: list[Segment] = []
    size = 0
    for segment in segments:
        first.append(segment)
        size += len(segment.target)
        if size >= _LOOKED_AT:
            break
    by_target = language_by_script("".join(segment.target for segment in first))
    by_source = language_by_script("".join(segment.source or "" for segment in first))
    if not first:
        warnings.append(f"{path}: has nothing to check")
        return
    stated = language_code(first[0].target_lang)
    if given_target and stated and stated != given_target:
        warnings.append(f"{path}: says that it is in {stated}; it is checked as {given_target}")
    if (
        first[0].source is not None
        and None is source_lang is target_lang
        and by_target == by_source is not None
    ):
        warnings.append(f"{path}: source and translation are both in {by_target}, by their letters")
    for segment in (*first, *segments):
        target = given_target or language_code(segment.target_lang) or by_target
        source = given_source or language_code(segment.source_lang) or by_source
        yield replace(
            segment,
            target_lang=target,
            source_lang=None if segment.source is None else source,
        )
