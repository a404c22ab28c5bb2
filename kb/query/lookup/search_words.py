"""Parses the words of a search, and finds them in a text: phrases, quotations, inflected words.

It also finds the places where a text can be cut: not inside a number or a word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from kb.language.fold import is_japanese
from kb.language.tokens import normal_forms, stem, tokenizer

# Characters that are looked at for a good place: by hand, more than most words have; with more,
# less of the context would be shown than there is room for.
_FAR = 12
_IN_WORDS = frozenset(".'’-/+")  # signs that may stand inside a word or number
_KANA_SIGNS = frozenset("ー々〆ヶ")


def cut_behind(text: str, position: int, limit: int) -> int:
    """Return the first place at or behind a position where a text may be cut, a place between words
    if there is one near; `limit` if there is none before it.

    >>> cut_behind("Draw a card", 2, 11), cut_behind("See 121.2b there", 6, 16)
    (4, 10)
    """
    return _cut(text, range(position, limit), limit)


def cut_before(text: str, position: int, limit: int) -> int:
    """Return the last place at or before a position where a text may be cut, a place between words
    if there is one near; `limit` if there is none behind it.

    >>> cut_before("Draw a card", 9, 0), cut_before("手札を2枚引く。", 4, 0)
    (7, 3)
    """
    return _cut(text, range(position, limit, -1), limit)


def _cut(text: str, positions: range, limit: int) -> int:
    """Return the first of some places between two words; if that is far, one that is at least in no
    number and no Latin word; else `limit`."""
    possible = None
    for far, position in enumerate(positions):
        if _joins(text, position):
            continue
        if far > _FAR and possible is not None:
            return possible
        if _is_between_words(text, position):
            return position
        possible = position if possible is None else possible
    return limit if possible is None else possible


def _joins(text: str, position: int) -> bool:
    """Return whether the characters around a place belong to one number or word in Latin letters,
    or to one character."""
    if not 0 < position < len(text):
        return False
    before, behind = text[position - 1], text[position]
    if unicodedata.combining(behind):
        return True
    kinds = {_kind(before), _kind(behind)}
    if kinds == {"latin"}:
        return True
    around = text[position - 2 : position - 1], text[position + 1 : position + 2]
    return kinds == {"latin", "sign"} and (
        (before in _IN_WORDS and _kind(around[0]) == "latin")
        or (behind in _IN_WORDS and _kind(around[1]) == "latin")
    )


def _is_between_words(text: str, position: int) -> bool:
    """Return whether no word seems to go on at a place, by the kinds of letters around it: kana
    behind a kanji are its ending, and a kanji behind a digit is what it counts."""
    if not 0 < position < len(text):
        return True
    before, behind = text[position - 1], text[position]
    kinds = _kind(before), _kind(behind)
    if "sign" in kinds:
        return behind.isspace() or before.isspace() or kinds[1] != "sign"
    return kinds[0] != kinds[1] and kinds != ("kanji", "hiragana") and not before.isdigit()


def _kind(char: str) -> str:
    """Return the kind of a character: `hiragana`, `katakana`, `kanji`, `latin` (any other letter,
    and digits), or `sign` (white space, too)."""
    if "぀" <= char <= "ゟ":
        return "hiragana"
    if "゠" <= char <= "ヿ" or char in _KANA_SIGNS:
        return "katakana" if char != "・" else "sign"
    if not char.isalnum():
        return "sign"
    return "kanji" if "㐀" <= char <= "鿿" else "latin"


Phrase = tuple[str, ...]  # the normal forms of words that stand one behind the other

# Words of English that no passage is about; Japanese ones are particles, which never count.
_FUNCTION_WORDS = frozenset(
    "a an the of to in on at by for from with into and or as is are was were be been it its this "
    "that these those their your".split()
)
_QUOTATION_MARKS = str.maketrans(dict.fromkeys("“”„‟＂", '"'))
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
_JOINT = re.compile(r"['.]")  # within a word, where the tokenizer parts some words and some not
_PART = re.compile(r"[^'.]+")
_GAP = re.compile(r"[\s,、，]")  # what parts of one word have not between them
_NOT_PART_OF_WORD = re.compile(r"[^\w]|$")


@dataclass(frozen=True, slots=True)
class SearchWords:
    """The words of a search.

    required: phrases that must occur as they are: those in quotation marks.
    loose: other phrases, each of which must occur; a phrase is what is written together. Function
        words of English are left out, unless there are no others.
    sequence: all the words that are not in quotation marks, as one phrase, if these are several
        words of English; else empty.
    """

    required: tuple[Phrase, ...]
    loose: tuple[Phrase, ...]
    sequence: Phrase

    @property
    def phrases(self) -> tuple[Phrase, ...]:
        """The phrases that must all occur, those in quotation marks first, each once."""
        return tuple(dict.fromkeys((*self.required, *self.loose)))

    @property
    def as_written(self) -> tuple[Phrase, ...]:
        """The phrases with `sequence` instead of its words; empty if there is no such sequence."""
        return tuple(dict.fromkeys((*self.required, self.sequence))) if self.sequence else ()

    @property
    def single_words(self) -> tuple[Phrase, ...]:
        """The phrases in quotation marks, then each word of the loose phrases by itself, each
        once."""
        words = ((form,) for phrase in self.loose for form in phrase)
        return tuple(dict.fromkeys((*self.required, *words)))


def parse_words(text: str) -> SearchWords:
    """Return the words of a search as a person types them; with signs alone there are none.
    Quotation marks of other forms count as `"`; one that nothing closes is none.

    >>> parse_words("カードを引く").phrases
    (('カード', '引く'),)
    >>> parse_words("draw a card").phrases, parse_words("draw a card").sequence
    ((('draw',), ('card',)), ('draw', 'a', 'card'))
    >>> parse_words('"draw a card" hand').phrases
    (('draw', 'a', 'card'), ('hand',))
    """
    text = unicodedata.normalize("NFC", text.translate(_INVISIBLE)).translate(_QUOTATION_MARKS)
    pieces = text.split('"')
    if not len(pieces) % 2:  # the last mark is closed by none, and so it is none
        pieces[-2:] = [" ".join(pieces[-2:])]
    quoted, others = pieces[1::2], " ".join(pieces[::2]).split()
    required = tuple(filter(None, map(_phrase, quoted)))
    written = tuple(filter(None, map(_phrase, others)))
    content = tuple(phrase for phrase in written if not _FUNCTION_WORDS.issuperset(phrase))
    english = len(written) > 1 and not any(map(is_japanese, others))
    return SearchWords(
        required,
        content if content or required else written,
        tuple(form for phrase in written for form in phrase) if english and content else (),
    )


def _phrase(text: str) -> Phrase:
    """Return the normal forms of the words of a text that have a letter or digit, in order;
    particles are none. Empty if it has no such word."""
    forms = (form.replace('"', " ") for form, _, _ in normal_forms(tokenizer()(text)))
    return tuple(form for form in forms if is_searchable(form))


def is_searchable(form: str) -> bool:
    """Return whether a word has a letter or a digit: signs alone are in no index."""
    return any(char.isalnum() for char in form)


def phrases_query(phrases: Collection[Phrase], any_word: bool = False) -> str:
    """Return the full-text query for passages with all of some phrases; empty if there are none.

    any_word: for passages with at least one word of them.

    >>> phrases_query([("カード", "引く"), ("手札",)])
    '"カード 引く" AND "手札"'
    """
    if any_word:
        forms = dict.fromkeys(form for phrase in phrases for form in phrase)
        return " OR ".join(f'"{form}"' for form in forms)
    return " AND ".join(f'"{" ".join(phrase)}"' for phrase in dict.fromkeys(phrases))


def name_query(text: str) -> str:
    """Return the full-text query for a name or word as it is written: as a phrase, if it is several
    words of English. Empty if it has no word.

    >>> name_query("draw a card"), name_query("手札")
    ('"draw a card"', '"手札"')
    """
    words = parse_words(text)
    return phrases_query(words.as_written or words.phrases)


def fulltext_query(text: str, any_word: bool = False) -> str:
    """Return the full-text query for words as a person types them; empty if there are none.

    Words written together are a phrase, in which particles do not count, and so are words in
    quotation marks. Phrases separated by spaces must all occur; with `any_word` at least one word
    must. Function words of English are left out, unless there are no others.

    >>> fulltext_query("カードを引かれた"), fulltext_query("draw a card")
    ('"カード 引く"', '"draw" AND "card"')
    >>> fulltext_query("カード 引かれた"), fulltext_query("カードを引かれた", any_word=True)
    ('"カード" AND "引く"', '"カード" OR "引く"')
    """
    return phrases_query(parse_words(text).phrases, any_word)


def find_phrases(text: str, phrases: Sequence[Phrase]) -> Iterator[tuple[int, int]]:
    """Yield the spans (start, end) in a text of each occurrence of some phrases, in order; they may
    overlap, as one begins at each word that begins a phrase.

    Function words of Japanese between the words of a phrase do not count, nor do the endings of
    words. If several phrases begin at a word, the first of them that is there is taken. A number is
    found only as a whole: 100.1 is not in 100.1a.

    >>> text = "Draws a card (see 100.1a)."
    >>> [text[start:end] for start, end in find_phrases(text, [("draw", "a", "card"), ("100.1",)])]
    ['Draws a card']
    """
    wanted: dict[str, list[tuple[Phrase, bool]]] = {}
    for phrase in phrases:
        stems = tuple(stem(part) for form in phrase for part in _PART.findall(form))
        if stems:
            wanted.setdefault(stems[0], []).append((stems, len(phrase) == 1))
    if not wanted:
        return
    words = list(_words(text))
    forms = [form for form, _, _ in words]
    for first, form in enumerate(forms):
        for stems, is_one_word in wanted.get(form, ()):
            if tuple(forms[first : first + len(stems)]) != stems:
                continue
            start, end = words[first][1], words[first + len(stems) - 1][2]
            is_apart = is_one_word and _GAP.search(text, start, end)
            if not is_apart and not _is_piece_of_number(text, start, end):
                yield start, end
                break


def _words(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield (stem, start, end) of each content word, and of each part of one with an apostrophe or
    a full stop in it: in some places the tokenizer parts them there, and in others not."""
    for form, start, end in normal_forms(tokenizer()(text)):
        if len(form) != end - start or not _JOINT.search(form):
            yield stem(form), start, end
            continue
        for part in _PART.finditer(form):
            yield stem(part[0]), start + part.start(), start + part.end()


def _is_piece_of_number(text: str, start: int, end: int) -> bool:
    """Return whether a span that begins or ends with a digit is only a piece of a longer number, as
    121 is in 121.4 and 121a."""
    before, behind = text[max(0, start - 2) : start], text[end : end + 2]
    if text[start].isdigit() and (
        before[-1:].isdecimal() or (before[-1:] in {".", "-"} and before[:1].isdecimal())
    ):
        return True
    if not text[end - 1].isdigit():
        return False
    is_lettered = behind[:1].isascii() and behind[:1].isalpha()
    return (
        behind[:1].isdecimal()
        or (is_lettered and _NOT_PART_OF_WORD.match(behind, 1) is not None)
        or (behind[:1] in {".", "-"} and behind[1:].isdecimal())
    )
