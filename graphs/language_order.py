"""The order in which languages are preferred where nobody asked for one."""

from __future__ import annotations

_FIRST = ("ja", "en")  # the languages of most pages and books, and of the termbase's readers
LanguageKey = tuple[int, str]


def language_key(lang: str | None) -> LanguageKey:
    """Return a sort key by which what is in a language stands before the same in others: Japanese,
    English, then the others by their codes; None, for what has no language, is last.

    >>> sorted(["zh", "en", None, "de", "ja"], key=language_key)
    ['ja', 'en', 'de', 'zh', None]
    """
    place = _FIRST.index(lang) if lang in _FIRST else len(_FIRST) + (lang is None)
    return place, lang or ""
