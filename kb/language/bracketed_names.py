"""Finds names with their English in brackets: `メインデッキ(Main Deck)`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from kb.language.bilingual_names import BilingualName
from kb.language.tokens import Tokenizer
from kb.language.transliteration import likeness

_LONGEST = 30  # characters before the bracket that may belong to the name
_ENGLISH = re.compile(
    r"[(（]((?:[A-Z][A-Za-z'’-]+|[a-z]{1,3}(?= ))(?: [A-Za-z][A-Za-z'’-]*){0,5})[)）]"
)
_LOWER = re.compile(r"[(（]([a-z][a-z'’-]+(?: [a-z'’-]+){0,4})[)）](?=と(?:いう|は|呼)|[」』])")
_KATAKANA = re.compile(r"[ァ-ヺー・＝]+")
_PARTICLES = frozenset({"助詞", "補助記号", "空白", "接続詞"})
_SOUNDS_ALIKE = 0.7


def has_bracketed_names(text: str) -> bool:
    """Return whether a text may have a name with the English in brackets behind it.

    >>> has_bracketed_names("ルーン(Rune)を置く。"), has_bracketed_names("1枚(2枚)")
    (True, False)
    """
    return bool(_ENGLISH.search(text) or _LOWER.search(text))


def bracketed_names(text: str, tokenizer: Tokenizer) -> Iterator[BilingualName]:
    """Yield the names that a Japanese text gives with the English in brackets, in order.

    The Japanese name is the run of nouns that ends at the bracket. Nothing is found where it is
    unclear where the name begins: behind a verb or an adverb, or behind の where the English has
    more words than the run, unless the two sound alike.

    >>> from kb.language.tokens import tokenizer
    >>> text = "自分のメインデッキ(Main Deck)とルーン(Rune)を置く。"
    >>> [(name.japanese, name.english) for name in bracketed_names(text, tokenizer())]
    [('メインデッキ', 'Main Deck'), ('ルーン', 'Rune')]
    """
    matches = sorted(
        (*_ENGLISH.finditer(text), *_LOWER.finditer(text)), key=lambda match: match.start()
    )
    for match in matches:
        start = _beginning(text, match.start(), match[1], tokenizer)
        if start is not None:
            japanese = text[start : match.start()]
            yield BilingualName(start, match.end(), japanese, match[1])


def _beginning(text: str, bracket: int, english: str, tokenizer: Tokenizer) -> int | None:
    """Return where the name before a bracket begins; None if that is unclear."""
    offset = max(0, bracket - _LONGEST)
    morphemes = list(tokenizer.tokenize(text[offset:bracket]))
    first = len(morphemes)
    while first and _is_of_name(morphemes[first - 1]):
        first -= 1
    while first < len(morphemes) and morphemes[first].surface() in "・＝":
        first += 1
    run = morphemes[first:]
    if not run or (first == 0 and offset):
        return None
    name = "".join(morpheme.surface() for morpheme in run)
    sounds = _KATAKANA.fullmatch(name) and likeness(name, english, whole=True) >= _SOUNDS_ALIKE
    if not sounds and first:
        before = morphemes[first - 1]
        if before.part_of_speech()[0] not in _PARTICLES:
            return None
        if before.surface() == "の" and len(run) < len(english.split()):
            return None
    return offset + int(run[0].begin())


def _is_of_name(morpheme: Any) -> bool:
    """Whether one of Sudachi's morphemes may belong to a name: a noun, an affix, or a sign."""
    kind, surface = morpheme.part_of_speech(), str(morpheme.surface())
    if kind[0] == "名詞":
        return str(kind[1]) != "数詞"
    return kind[0] in ("接頭辞", "接尾辞", "形状詞") or surface in ("・", "＝")
