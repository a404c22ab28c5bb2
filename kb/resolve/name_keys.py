"""Makes the keys by which a name is found although it is misspelt, in kana or in romaji."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from graphs.store.name_index import NameKey
from kb.language.fold import is_japanese
from kb.language.made_readings import has_kanji, made_readings, needs_reading
from kb.language.name_forms import KANA, MADE, MADE_OTHERWISE, SPELLING
from kb.language.sound_keys import sound_key, sound_with_lengths
from kb.language.spelling_keys import spelling_key
from kb.language.tokens import Tokenizer, tokenizer


def name_keys(name: str, tokenizer: Tokenizer) -> list[NameKey]:
    """Return the keys of a name: by its spelling, and by its sound if it is Japanese.

    The sound is that of its kana; of kanji and Latin letters in it, it is that of readings that
    are made for it, which have a form of their own and may be wrong. Always at least one key,
    which is empty if the name has no letters.

    >>> from kb.language.tokens import tokenizer
    >>> for key in name_keys("ドロー", tokenizer()) + name_keys("引く", tokenizer()):
    ...     print(*key)
    ドロー spelling どろー どろー
    ドロー kana どろ どろー
    引く spelling 引く 引く
    引く made ひく ひく
    """
    spelled = spelling_key(name)
    keys = [NameKey(name, SPELLING, spelled, spelled)]
    if is_japanese(name):
        if not has_kanji(name):
            keys.append(_sound(name, KANA, name))
        readings = made_readings(name, tokenizer) if needs_reading(name) else []
        for reading in readings:
            form = MADE if reading == readings[0] else MADE_OTHERWISE
            keys.append(_sound(name, form, reading))
    return _each_once(keys)


def _sound(name: str, form: str, reading: str) -> NameKey:
    return NameKey(name, form, sound_key(reading), sound_with_lengths(reading))


def _each_once(keys: Iterable[NameKey]) -> list[NameKey]:
    """Return keys without those that another form has already, and without empty ones behind the
    first."""
    found: dict[tuple[str, str], NameKey] = {}
    for key in keys:
        if key.key or key.form == SPELLING:
            found.setdefault((key.exact, "" if key.form == SPELLING else "sound"), key)
    return list(found.values())


def key_maker(_: None) -> Callable[[Iterable[str]], list[NameKey]]:
    """Return a function that returns the keys of some names; for worker processes."""
    tokens = tokenizer()
    return lambda names: [key for name in names for key in name_keys(name, tokens)]
