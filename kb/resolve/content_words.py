"""What a text says: the words that count, a term's name as what it names, in any language alike."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import pairwise

from graphs.build.labels import NodeName
from kb.extract.terms import game_of
from kb.language.tokens import Tokenizer, stem
from kb.resolve.mentions import NameLinker, search_keys

_ENGLISH_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
_LETTER = re.compile(r"[^\W\d_]{2}|[一-鿿]")
_LONGEST = 5  # words in an English name
_ANY = frozenset(
    "こと もの とき 場合 事 物 為る 有る 居る 成る 行う 際 時 為 一つ 一 又 其の 此の 言う 指す "
    "ゲーム".split()
)


class ContentWords:
    """What a text says: the words that mean something, a term's name as what it names.

    japanese: (the word that a name is, how the name is spelled); english: by their stems, the
    words that names are.
    """

    def __init__(
        self,
        japanese: Iterable[tuple[str, str]],
        english: Mapping[tuple[str, ...], str],
        words: Tokenizer,
    ) -> None:
        self._spelled = frozenset(japanese)
        self._english = english
        self._words = words

    @cached_property
    def _linker(self) -> NameLinker:
        return NameLinker(self._spelled)

    def __call__(self, text: str, lang: str) -> frozenset[str]:
        found = self._english_words(text) if lang == "en" else self._japanese(text)
        return frozenset(word for word in found if word not in _ANY)

    def packed(self) -> str:
        """As a text that can be kept."""
        return json.dumps(
            [sorted(self._spelled), sorted(self._english.items())], ensure_ascii=False
        )

    @staticmethod
    def unpacked(kept: str, words: Tokenizer) -> ContentWords:
        """What was `packed`."""
        japanese, english = json.loads(kept)
        return ContentWords(
            map(tuple, japanese), {tuple(stems): word for stems, word in english}, words
        )

    def _japanese(self, text: str) -> Iterator[str]:
        entries, starts = self._words.entries(text)
        taken: set[int] = set()
        for mention in self._linker.mentions(entries, starts):
            yield from mention.terms
            taken.update(range(mention.start, mention.end))
        for entry, start in zip(entries, starts, strict=False):  # the last start is the end
            if not entry.function and _LETTER.match(entry.normal) and start not in taken:
                yield entry.normal

    def _english_words(self, text: str) -> Iterator[str]:
        found = english_stems(text)
        at = 0
        while at < len(found):
            for long in range(min(_LONGEST, len(found) - at), 0, -1):
                if (word := self._english.get(found[at : at + long])) is not None:
                    yield word
                    at += long
                    break
            else:
                if len(found[at]) > 4:
                    yield found[at]
                at += 1


def content_words(
    names: Mapping[str, list[NodeName]], one: Mapping[tuple[str, str], str], words: Tokenizer
) -> ContentWords:
    """What tells what a text says, where terms have these names, each of which is one word."""
    every = {(n.lang, n.role, n.folded, n.text) for own in names.values() for n in own}
    japanese = (
        (one[lang, folded], key)
        for lang, role, folded, text in every
        if lang == "ja" and role != "reading" and _is_word(text, words)
        for key in search_keys(text, words)
    )
    english = {
        english_stems(text): one[lang, folded]
        for lang, _, folded, text in sorted(every)
        if lang == "en"
    }
    return ContentWords(japanese, english, words)


def _is_word(name: str, words: Tokenizer) -> bool:
    """A phrase (the top of a pile) is no word; what it is made of is found by itself."""
    return (
        not name.isascii()
        and len(name) > 1
        and not any(word.entry.function for word in words(name))
    )


def english_stems(text: str) -> tuple[str, ...]:
    """The English words of a text, each without its ending.

    >>> english_stems("Drawn cards")
    ('drawn', 'card')
    """
    return tuple(map(stem, _ENGLISH_WORD.findall(text.casefold())))


def canonical_names(names: Mapping[str, list[NodeName]]) -> dict[tuple[str, str], str]:
    """For each name (language, folded) the word that it is, names of one term being one word.

    A name that several terms of a game have joins nothing.
    """
    holders: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for node, own in names.items():
        for name in own:
            holders[game_of(node), name.lang, name.folded].add(node)
    above: dict[tuple[str, str], tuple[str, str]] = {}

    def top(key: tuple[str, str]) -> tuple[str, str]:
        while (higher := above.setdefault(key, key)) != key:
            above[key] = above[higher]
            key = above[key]
        return key

    text: dict[tuple[str, str], str] = {}
    readings: set[tuple[str, str]] = set()
    for node, own in names.items():
        keys = [(n.lang, n.folded) for n in own]
        for name in own:
            key = (name.lang, name.folded)
            text[key] = min(text.get(key, name.text), name.text)
            if name.role == "reading":
                readings.add(key)
            top(key)
        clear = [k for k in keys if len(holders[game_of(node), *k]) == 1]
        for one, other in pairwise(clear):
            first, second = sorted(
                (top(one), top(other)), key=lambda k: (k[0] != "ja", k in readings, k)
            )
            above[second] = first
    return {key: text[top(key)] for key in sorted(text)}
