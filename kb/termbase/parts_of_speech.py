"""Tells the part of speech of a name: of Japanese by its last word, of English by its gloss.

Where a name may be several parts of speech, or an inflected form, nothing is said: a wrong part of
speech misleads more than none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from kb.termbase.model import PartOfSpeech

_SIGNS = frozenset({"補助記号", "空白"})
_NOUNS = frozenset({"名詞", "代名詞"})
_INFLECTED: dict[str, PartOfSpeech] = {"動詞": "verb", "形容詞": "adjective"}
_DICTIONARY_FORM = "終止形-一般"
# Auxiliaries that make another verb of a verb: される, させる. Others are tenses and negations.
_VOICES = frozenset({"れる", "られる", "せる", "させる"})
_VERB_GLOSS = re.compile(r"\W*(?:[0-9]{1,2}[.)]\s*)?(?:A keyword action\b.{0,80}? to|To) [a-z]")
_WORD = re.compile(r"[A-Za-z]+")
# What things are called in rulebooks; words that are verbs, too, are not among them.
_HEADS = frozenset(
    """ability abilities area arena area artifact battlefield card cards classification condition
    creature creatures deck effect effects element event game games graveyard icon instant item
    keyword keywords land library location loop mana object objects opponent opponents option
    permanent phase player players pile pool priority requirement round rule rules section sequence
    sorcery spell spells step steps subtype supertype symbol symbols team text token tokens
    type types value values variant victory zone zones""".split()
)
# Endings of words that are nouns and nothing else.
_NOUN_ENDINGS = ("ility", "tion", "sion", "ness", "ment", "ship", "hood", "ance", "ence")
_SHORTEST = 6  # letters of a word that is judged by its ending
_NO_NOUNS = frozenset({"mention", "position", "function", "question", "condition", "experience",
                       "balance", "advance", "sentence", "reference", "influence", "sequence",
                       "implement", "supplement", "complement", "harness",
                       "witness"})  # fmt: skip


def part_of_japanese(morphemes: Sequence[Any]) -> PartOfSpeech | None:
    """Return the part of speech of a Japanese name; None if it is no noun and no dictionary form
    of a verb or adjective.

    morphemes: the name, as `kb.language.tokens.Tokenizer.tokenize` returns it.

    >>> from kb.language.tokens import tokenizer
    >>> [part_of_japanese(tokenizer().tokenize(name)) for name in ("引く", "表向き", "引いた")]
    ['verb', 'noun', None]
    """
    words = [morpheme for morpheme in morphemes if morpheme.part_of_speech()[0] not in _SIGNS]
    if not words:
        return None
    kind, detail, *_, form = words[-1].part_of_speech()
    if kind in _NOUNS or (kind == "接尾辞" and detail == "名詞的"):
        return "noun"
    if kind in _INFLECTED and form == _DICTIONARY_FORM:
        return _INFLECTED[kind]
    if _is_voice(words[-1]) and form == _DICTIONARY_FORM:
        return "verb" if any(word.part_of_speech()[0] == "動詞" for word in words[:-1]) else None
    return "adverb" if kind == "副詞" and len(words) == 1 else None


def _is_voice(word: Any) -> bool:
    return word.part_of_speech()[0] == "助動詞" and word.dictionary_form() in _VOICES


def part_of_english(name: str, glosses: Iterable[str]) -> PartOfSpeech | None:
    """Return the part of speech of an English name; None if neither a gloss nor the name's last
    word tells it.

    glosses: the texts that define the name in English.

    >>> part_of_english("Draw", ["To put the top card of a deck into a hand."])
    'verb'
    >>> part_of_english("Static Ability", []), part_of_english("Counter", ["1. A marker."])
    ('noun', None)
    """
    senses = [_VERB_GLOSS.match(gloss) is not None for gloss in glosses]
    if any(senses):
        return "verb" if all(senses) else None
    words = _WORD.findall(name.casefold())
    last = words[-1] if words else ""
    if last in _HEADS:
        return "noun"
    is_noun = len(last) >= _SHORTEST and last not in _NO_NOUNS and last.endswith(_NOUN_ENDINGS)
    return "noun" if is_noun else None
