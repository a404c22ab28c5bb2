"""Finds names in English texts, in any inflection and spelling."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

_MAX_WORDS = 9  # in a name: of 47,000 names of cards, eight have more; those are not found
_MOST_TEXTS = 1 << 14  # in a cache; a guard of memory: names are asked for with text after text
# Words, and signs that end a name; hyphens, quotation marks and spaces stand between its words.
_ENGLISH_TOKEN = re.compile(r"[^\W_]+|[^\w\s\-‐‑–'’‘\"“”]")
_POSSESSIVE = re.compile(r"['’]s?\b")
_CACHE_SIZE = 1 << 14  # words: three times those of Magic's rules, which have 5,200
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


class FoundName(NamedTuple):
    """A name found in text[start:end]: the concepts that have it, sorted by id."""

    start: int
    end: int
    concepts: tuple[str, ...]

    def use(self, text: str) -> NameUse:
        """Return how the text it was found in uses it. `text` must be that text."""
        written = text[self.start : self.end].casefold()
        if written.isascii() and written.endswith("s") and not written.endswith("ss"):
            written = written[:-1]
        before, behind = text[: self.start][-1:], text[self.end : self.end + 1]
        within = (_joins(before) and _same_script(before, text[self.start])) or (
            _joins(behind) and _same_script(text[self.end - 1], behind)
        )
        return NameUse(self.concepts, written, within)


class NameUse(NamedTuple):
    """A way in which texts use a name, for counting.

    written: as it is written, in lower case, without a single s at its end.
    within: whether it is a part of a compound: `player` in `two-player`, プレイ in ゲームプレイ.
    """

    concepts: tuple[str, ...]
    written: str
    within: bool


class EnglishFinder:
    """Finds names in English texts, and in other languages with spaces between words.

    Inflections, capitals, hyphens and quotation marks don't count, nor whether a compound is
    written as one word or two (`facedown`, `face-down`). But one participle is not another: a
    blocking creature is no blocked one. Of names that differ by it, the one as written counts.

    names: (id of a concept, a name of it); names without words, or of more than nine, are left out.
    """

    def __init__(self, names: Iterable[tuple[str, str]]) -> None:
        by_words: dict[tuple[str, ...], set[tuple[str, tuple[str, ...]]]] = defaultdict(set)
        for concept, name in names:
            words = self.words(name)
            if words and len(words) <= _MAX_WORDS:
                by_words[words].add((concept, _participles(name, english_tokens(name))))
                if len(words) == 2 and all(word.isalpha() for word in words):
                    by_words[(_joined(name),)].add((concept, ("",)))
        self._names = {words: tuple(sorted(found)) for words, found in by_words.items()}
        longest: dict[str, int] = defaultdict(int)
        for words in self._names:
            longest[words[0]] = max(longest[words[0]], len(words))
        self._longest = dict(longest)
        self._known: dict[str, tuple[str, ...]] = {}

    def find(self, text: str) -> list[FoundName]:
        """Return the names in a text, in order and without overlaps: at each word the longest that
        begins there."""
        tokens = english_tokens(text)
        bases = [base for base, _, _ in tokens]
        found: list[FoundName] = []
        place = 0
        while place < len(tokens):
            length, concepts = self._longest_at(text, tokens, bases, place)
            if length < 2 and (joined := self._joined_at(text, tokens, place)):
                length, concepts = 2, joined
            if length:
                found.append(FoundName(tokens[place][1], tokens[place + length - 1][2], concepts))
            place += length or 1
        return found

    def has(self, text: str, name: str) -> bool:
        """Return whether a text has the words of a name, one behind another; never if it has none.
        Here a compound in one word is not the same as in two."""
        words = self._known.get(name)
        if words is None:
            words = self._known[name] = self.words(name)
        bases = self.words(text)
        return any(
            bases[place : place + len(words)] == words
            for place, base in enumerate(bases)
            if words and base == words[0]
        )

    @staticmethod
    def words(text: str) -> tuple[str, ...]:
        """Return the words and signs of a text, in order, each as `inflection_base` returns it.
        Hyphens, underscores, quotation marks and possessive endings are left out."""
        return _english_words(text)

    def _longest_at(
        self, text: str, tokens: list[tuple[str, int, int]], bases: list[str], place: int
    ) -> tuple[int, tuple[str, ...]]:
        """Return how many words the longest name has that begins at a word, and whose it is; 0 and
        nothing if none begins there."""
        longest = self._longest.get(bases[place], 0)
        for length in range(min(longest, len(bases) - place), 0, -1):
            named = self._names.get(tuple(bases[place : place + length]))
            if named:
                written = _participles(text, tokens[place : place + length])
                same = [concept for concept, own in named if own == written]
                # Where names are alike but for a participle, the one without any stands for all.
                like = same or [concept for concept, own in named if _agree(own, written)]
                if like:
                    return length, tuple(dict.fromkeys(like))
        return 0, ()

    def _joined_at(
        self, text: str, tokens: list[tuple[str, int, int]], place: int
    ) -> tuple[str, ...]:
        """Return whose name two words are if they are written together; nothing if nobody's."""
        if place + 1 < len(tokens):
            (_, start, end), (_, second, second_end) = tokens[place], tokens[place + 1]
            if second == end + 1 and text[end] in " -‐‑":
                whole = inflection_base(text[start:end] + text[second:second_end])
                named = self._names.get((whole,), ())
                return tuple(dict.fromkeys(concept for concept, _ in named))
        return ()


def english_tokens(text: str) -> list[tuple[str, int, int]]:
    """Return (base, start, end) of each word and sign of a text, in order; the base is that of
    `inflection_base`. Hyphens, underscores, quotation marks and a possessive 's are none."""
    plain = _POSSESSIVE.sub(lambda found: " " * len(found[0]), text)
    return [
        (inflection_base(found[0]), found.start(), found.end())
        for found in _ENGLISH_TOKEN.finditer(plain)
    ]


@lru_cache(_MOST_TEXTS)
def _english_words(text: str) -> tuple[str, ...]:
    return tuple(base for base, _, _ in english_tokens(text))


def _participles(text: str, tokens: Iterable[tuple[str, int, int]]) -> tuple[str, ...]:
    """Return for each of some words of a text `ing` or `ed` if it is such a participle, else an
    empty text; past forms count as `ed`.

    >>> _participles("Blocked kings chose", english_tokens("Blocked kings chose"))
    ('ed', '', 'ed')
    """
    return tuple(_participle(text[start:end].casefold()) for _, start, end in tokens)


@lru_cache(_CACHE_SIZE)
def _participle(word: str) -> str:
    if word.endswith("ing"):
        return "" if inflection_base(word) == word else "ing"
    is_past = word in _IRREGULAR and not word.endswith("s")
    return "ed" if is_past or (word.endswith("ed") and inflection_base(word) != word) else ""


_WORD = re.compile(r"[^\W_]+")
# Behind a verb they are no part of a noun: `back up` is not the keyword Backup.
_PARTICLES = frozenset("in off on out over up".split())


def has_form(name: str, words: str) -> bool:
    """Return whether words that were found for a name are a form of it: each an inflection of the
    name's word, a participle of a name that is one only as the same participle.

    >>> has_form("Tap", "tapped"), has_form("Modified", "modify"), has_form("Role", "rolls")
    (True, False, False)
    >>> has_form("Backup", "back up"), has_form("Facedown", "face down")
    (False, True)
    """
    own, used = _WORD.findall(name.casefold()), _WORD.findall(words.casefold())
    if len(own) != len(used):
        return len(used) < len(own) or used[-1] not in _PARTICLES
    return all(
        _participle(word) == _participle(form)
        if _participle(word)
        else bool(_base_words(word) & _base_words(form))
        for word, form in zip(own, used, strict=True)
    )


@lru_cache(_CACHE_SIZE)
def _base_words(form: str) -> frozenset[str]:
    """Return the words of which a word may be a form, itself among them.

    >>> sorted(_base_words("tapped"))
    ['tap', 'tapp', 'tappe', 'tapped']
    """
    bases = {form, _IRREGULAR.get(form, form)}
    for ending, instead in (
        ("s", ""), ("es", ""), ("ies", "y"), ("ed", ""), ("d", ""), ("ied", "y"), ("ing", ""),
        ("ing", "e"), ("ying", "ie"),
    ):  # fmt: skip
        if form.endswith(ending) and (base := form[: -len(ending)] + instead):
            if ending in ("d", "es") and not form.endswith(("ed", "es")):
                continue
            bases |= {base, _DOUBLED.sub(r"\1", base)} if ending in ("ed", "ing") else {base}
    return frozenset(bases)


def _agree(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether no word of a text is one participle in a name and the other in the text."""
    return all(not (a and b) or a == b for a, b in zip(one, other, strict=True))


def _joined(name: str) -> str:
    """Return the form of all inflections of a name when its words are written as one."""
    return inflection_base("".join(found[0] for found in _ENGLISH_TOKEN.finditer(name)))


def _joins(sign: str) -> bool:
    """Whether a character beside a name may make a compound with it: a hyphen, or a letter that is
    not ASCII. Not an empty one."""
    return sign in ("-", "‐", "‑") or (sign.isalpha() and not sign.isascii())


def _same_script(sign: str, other: str) -> bool:
    """Whether two characters are written as one word: both katakana, both kanji, or either an ASCII
    hyphen."""
    return _script(sign) == _script(other) != "" or "-" in (sign, other)


def _script(sign: str) -> str:
    """Return the script of a Japanese character that compounds are written in, `katakana` or
    `kanji`; empty for others, such as hiragana, ・ and half-width katakana."""
    if "ァ" <= sign <= "ヺ" or sign == "ー":
        return "katakana"
    return "kanji" if "一" <= sign <= "鿿" or sign == "々" else ""


@lru_cache(_CACHE_SIZE)
def inflection_base(word: str) -> str:
    """Return a form in lower case that the inflections of an English word share: plural, tense,
    participle. Short words and those that are not ASCII stay as they are.

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
