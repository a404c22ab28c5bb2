"""Extracts the content words of a text, with names of terms in one canonical form per concept."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import pairwise

from graphs.writing.labels import NodeName
from kb.extract.terms import game_of
from kb.language.tokens import Tokenizer, stem
from kb.resolve.mentions import NameLinker, search_keys

_ENGLISH_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
_MEANINGFUL = re.compile(r"[^\W\d_]{2}|[一-鿿]")
_MAX_NAME_WORDS = 5  # words in an English name
_STOP_WORDS = frozenset(
    "こと もの とき 場合 事 物 為る 有る 居る 成る 行う 際 時 為 一つ 一 又 其の 此の 言う 指す "
    "ゲーム".split()
)

_Key = tuple[str, str]  # language and folded name


class ContentWordExtractor:
    """Extracts the content words of texts, in which any name of a term has its canonical form.

    With canonical names, texts in different languages share the words for the terms that they
    name.

    names: for each Japanese name and way to find it: (canonical form, search key).
    english: the canonical forms of English names, by the names' stems.
    """

    def __init__(
        self,
        names: Iterable[tuple[str, str]],
        english: Mapping[tuple[str, ...], str],
        tokenizer: Tokenizer,
    ) -> None:
        self._names = frozenset(names)
        self._english = english
        self._tokenizer = tokenizer

    @cached_property
    def _linker(self) -> NameLinker:
        return NameLinker(self._names)

    def __call__(self, text: str, lang: str) -> frozenset[str]:
        """Return the content words of a text: canonical names, else normal forms or stems.

        lang: `en`; a text in any other language is read as Japanese.
        """
        words = self._english_words(text) if lang == "en" else self._japanese_words(text)
        return frozenset(word for word in words if word not in _STOP_WORDS)

    def packed(self) -> str:
        """Return this extractor's names as JSON, for the cache."""
        return json.dumps([sorted(self._names), sorted(self._english.items())], ensure_ascii=False)

    @staticmethod
    def unpacked(packed: str, tokenizer: Tokenizer) -> ContentWordExtractor:
        """Return the extractor that was `packed`."""
        names, english = json.loads(packed)
        return ContentWordExtractor(
            map(tuple, names), {tuple(stems): word for stems, word in english}, tokenizer
        )

    def _japanese_words(self, text: str) -> Iterator[str]:
        entries, starts = self._tokenizer.entries(text)
        covered: set[int] = set()  # the characters that belong to names
        for match in self._linker.mentions(entries, starts):
            yield from match.terms  # here, canonical forms
            covered.update(range(match.start, match.end))
        for entry, start in zip(entries, starts, strict=False):  # the last start is the end
            if not entry.function and _MEANINGFUL.match(entry.normal) and start not in covered:
                yield entry.normal

    def _english_words(self, text: str) -> Iterator[str]:
        stems = english_stems(text)
        position = 0
        while position < len(stems):
            for length in range(min(_MAX_NAME_WORDS, len(stems) - position), 0, -1):
                name = self._english.get(stems[position : position + length])
                if name is not None:
                    yield name
                    position += length
                    break
            else:
                if len(stems[position]) > 4:
                    yield stems[position]
                position += 1


def content_word_extractor(
    names: Mapping[str, list[NodeName]], canonical: Mapping[_Key, str], tokenizer: Tokenizer
) -> ContentWordExtractor:
    """Return an extractor for texts about some terms.

    names: the names of each term, by the term's id.
    canonical: {(language, folded name): canonical form} for all these names, from
        `canonical_names`.
    """
    distinct = {(n.lang, n.role, n.folded, n.text) for group in names.values() for n in group}
    japanese = (
        (canonical[lang, folded], key)
        for lang, role, folded, text in distinct
        if lang == "ja" and role != "reading" and _is_word(text, tokenizer)
        for key in search_keys(text, tokenizer)
    )
    english = {
        english_stems(text): canonical[lang, folded]
        for lang, _, folded, text in sorted(distinct)
        if lang == "en"
    }
    return ContentWordExtractor(japanese, english, tokenizer)


def _is_word(name: str, tokenizer: Tokenizer) -> bool:
    """Whether a name is not a phrase (`the top of the pile`), the words of which are found
    separately.

    False also for names in ASCII and names of one character. A phrase is a name with a function
    word in it.
    """
    return (
        not name.isascii()
        and len(name) > 1
        and not any(token.entry.function for token in tokenizer(name))
    )


def english_stems(text: str) -> tuple[str, ...]:
    """Return the stems of the English words of a text, in order.

    >>> english_stems("Drawn cards")
    ('drawn', 'card')
    """
    return tuple(map(stem, _ENGLISH_WORD.findall(text.casefold())))


def canonical_names(names: Mapping[str, list[NodeName]]) -> dict[_Key, str]:
    """Return {(language, folded name): canonical form} for all names, sorted by key.

    names: the names of each term, by the term's id. All names of a term have one canonical form,
    and so have all names of terms of different games that share a name. The form is a Japanese
    name that is not a reading, if there is one. Names that several terms of one game share are
    left out of this: they connect nothing, and each is its own canonical form. The forms are as
    written, not folded.

    >>> names = {
    ...     "g/term/引く": [
    ...         NodeName("g/term/引く", "ja", "preferred", "引く", "引く"),
    ...         NodeName("g/term/引く", "en", "preferred", "draw", "Draw"),
    ...     ]
    ... }
    >>> canonical_names(names)
    {('en', 'draw'): '引く', ('ja', '引く'): '引く'}
    """
    holders: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for node, group in names.items():
        for name in group:
            holders[game_of(node), name.lang, name.folded].add(node)
    parents: dict[_Key, _Key] = {}  # a union-find forest

    def root(key: _Key) -> _Key:
        while (parent := parents.setdefault(key, key)) != key:
            parents[key] = parents[parent]
            key = parents[key]
        return key

    texts: dict[_Key, str] = {}
    readings: set[_Key] = set()
    for node, group in names.items():
        keys = [(name.lang, name.folded) for name in group]
        for name in group:
            key = (name.lang, name.folded)
            texts[key] = min(texts.get(key, name.text), name.text)
            if name.role == "reading":
                readings.add(key)
            root(key)
        unshared = [key for key in keys if len(holders[game_of(node), *key]) == 1]
        for one, other in pairwise(unshared):
            first, second = sorted(
                (root(one), root(other)), key=lambda key: (key[0] != "ja", key in readings, key)
            )
            parents[second] = first
    return {key: texts[root(key)] for key in sorted(texts)}
