"""Makes the keys by which a name is found although it is misspelt, in kana or in romaji."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from graphs.store.name_index import NameKey
from kb.language.fold import is_japanese
from kb.language.made_readings import has_kanji, made_readings, needs_reading
from kb.language.name_forms import KANA, MADE, MADE_OTHERWISE, SPELLING
from kb.language.sound_keys import sound_key
from kb.language.spelling_keys import spelling_key
from kb.language.tokens import Tokenizer, tokenizer


def name_keys(name: str, tokenizer: Tokenizer) -> list[NameKey]:
    """Return the keys of a name: by its spelling, and by its sound if it is Japanese.

    The sound is that of its kana; of kanji and Latin letters in it, it is that of readings that
    are made for it, which have a form of their own and may be wrong. Always at least one key,
    which is empty if the name has no letters.

    >>> from kb.language.tokens import tokenizer
    >>> [tuple(key) for key in name_keys("ドロー", tokenizer())]
    [('ドロー', 'spelling', 'どろー'), ('ドロー', 'kana', 'どろ')]
    >>> [tuple(key) for key in name_keys("引く", tokenizer())]
    [('引く', 'spelling', '引く'), ('引く', 'made', 'ひく')]
    """
    keys = {SPELLING: [spelling_key(name)]}
    if is_japanese(name):
        keys[KANA] = [] if has_kanji(name) else [sound_key(name)]
        made = map(sound_key, made_readings(name, tokenizer)) if needs_reading(name) else ()
        keys[MADE], keys[MADE_OTHERWISE] = _first_and_others(
            [key for key in dict.fromkeys(made) if key not in keys[KANA]]
        )
    return [
        NameKey(name, form, key)
        for form, of_form in keys.items()
        for key in of_form
        if key or form == SPELLING
    ]


def _first_and_others(keys: list[str]) -> tuple[list[str], list[str]]:
    """Return two lists: the first key, if there is any, and the others."""
    return keys[:1], keys[1:]


def key_maker(_: None) -> Callable[[Iterable[str]], list[NameKey]]:
    """Return a function that returns the keys of some names; for worker processes."""
    tokens = tokenizer()
    return lambda names: [key for name in names for key in name_keys(name, tokens)]
