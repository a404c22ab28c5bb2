"""Reduces English words to one form for all inflections of a word, and no further."""

from __future__ import annotations

import re
from functools import lru_cache

_CACHE_SIZE = 1 << 14  # words
_VOWEL = re.compile("[aeiouy]")
_DOUBLED = re.compile(r"([bdgklmnprtz])\1$")
_IRREGULAR = {
    form: base
    for base, forms in {
        "become": "became", "begin": "began begun", "break": "broke broken", "bring": "brought",
        "buy": "bought", "choose": "chose chosen", "come": "came", "deal": "dealt",
        "die": "died dies dying", "do": "did does done", "draw": "drawn drew",
        "fall": "fallen fell", "fight": "fought", "find": "found", "fly": "flew flown",
        "gain": "gained", "get": "got gotten", "give": "gave given", "go": "goes gone went",
        "hide": "hid hidden", "hold": "held", "keep": "kept", "know": "knew known",
        "lie": "lain lies lying", "lose": "lost", "make": "made", "mean": "meant", "pay": "paid",
        "say": "said", "see": "saw seen", "send": "sent", "show": "shown", "sing": "sang sung",
        "spend": "spent", "take": "taken took", "tie": "tied ties tying", "win": "won",
        "write": "written wrote",
    }.items()
    for form in forms.split()
}  # fmt: skip


@lru_cache(_CACHE_SIZE)
def inflection_base(word: str) -> str:
    """Return a form that the inflections of an English word share: plural, tense, participle.

    Words that are only derived from each other (`active`, `activate`) keep different forms, which
    a stem of the search index does not keep apart. The form itself need not be a word.

    >>> {inflection_base(word) for word in ("tap", "Taps", "tapped", "tapping")}
    {'tap'}
    >>> inflection_base("active") == inflection_base("activate")
    False
    """
    word = word.casefold()
    if not word.isascii() or len(word) < 3:
        return word
    word = _IRREGULAR.get(word, word)
    for ending, instead in (
        ("ies", "y"), ("ied", "y"), ("ing", ""), ("ed", ""),
        ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"), ("s", ""),
    ):  # fmt: skip
        if word.endswith(ending):
            base = word[: len(word) - len(ending)] + instead
            if len(base) < 3 or not _VOWEL.search(base) or word.endswith(("ss", "us", "is")):
                break
            word = base
            break
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 3 and word.endswith("y"):
        word = word[:-1] + "i"
    return _DOUBLED.sub(r"\1", word) if len(word) > 3 else word
