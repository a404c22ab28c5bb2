"""Tokenizes Japanese and English with Sudachi: tokens, their normal and dictionary forms, stems."""

from __future__ import annotations

import re
import threading
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice
from operator import attrgetter
from typing import Any, NamedTuple

from kb.language.fold import fold

# Characters in one call: Sudachi takes 49,149 bytes; a character has up to 4 (usually 3).
_MAX_LENGTH = 12_000
# Sudachi joins each number with the digits around it, for which it moves all that is behind it:
# many numbers in one call take the square of their number. By hand: rules and articles have fewer
# in 12,000 characters, so that only tables of numbers are cut into shorter pieces, where words may
# be split at more places.
_MOST_NUMBERS = 400
_SHORT_LENGTH = 1_000  # characters in one call of a text with more numbers than that
_NUMBER = re.compile(r"\d+")
_BREAK = re.compile(r"[。\n、 　]")
_FUNCTION = frozenset({"助詞", "助動詞", "補助記号", "空白"})
_INFLECTED = frozenset({"動詞", "形容詞"})
# Words that Sudachi splits in some spellings: the normal forms of the two parts, and the word.
SPLIT_WORDS = {("表", "向き"): "表向き", ("裏", "向き"): "裏向き"}
_SECOND_PARTS = frozenset(second for _, second in SPLIT_WORDS)
_LATIN = re.compile(r"[!-~ß-öø-ɏ]+")  # of folded words: ASCII, and Latin letters with accents
_LATIN_LETTER = re.compile(r"[a-zß-öø-ɏ]")
# A guard, as for the two below: the caches of words of a page of 20 MB took 270 MB when they were
# larger, and the words of ordinary pages are far fewer.
_MAX_STEMS = 1 << 14  # in the cache
MAX_WORDS = 30_000  # in a cache, which is emptied when it is full; each takes up to a kilobyte
_KANJI_SIGN = re.compile(r"[一-鿿々]")
_MAX_CACHED = 30_000  # pairs of words


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """What the dictionary knows of a word: one object per word, however often it occurs.

    normal: the normal form; of a word in Latin letters of any width, the word in lower case.
    dictionary: the dictionary form of a verb or adjective, else empty.
    function: whether it is a particle, an auxiliary, a sign or white space.
    inflected: whether it is a verb or an adjective.
    spelled: the word as it is written in the text, folded (to match names).
    folded: the normal form, folded (to match names); the dictionary form where the normal form is
        another word of the same meaning.
    """

    normal: str
    dictionary: str
    function: bool
    inflected: bool
    spelled: str
    folded: str


class Token(NamedTuple):
    """One word of a text, at text[start:end]."""

    start: int
    end: int
    entry: Entry


class Tokenizer:
    """A Sudachi tokenizer with a cache of dictionary entries. Several threads may use it at once.

    To construct it is slow, as it loads the dictionary: `tokenizer()` returns a shared instance.
    """

    def __init__(self) -> None:
        from sudachipy import Dictionary, SplitMode
        from sudachipy.errors import SudachiError

        dictionary = Dictionary()
        create: Any = getattr(dictionary, "tokenizer", None) or dictionary.create
        self._of_thread = _TokenizerOfThread(lambda: create(mode=SplitMode.A))
        self._too_long = SudachiError
        self._variants = SpellingVariants(dictionary)
        self._cache: dict[tuple[int, str], Entry] = {}
        self._lookup = getattr(dictionary, "lookup", None)  # old versions lack it

    def __call__(self, text: str) -> list[Token]:
        """Return the tokens of a text in order; they cover all of it, with spaces and signs, and do
        not overlap. An empty text has none. Where Sudachi writes a sign out as several words (㍿),
        some of them may be empty."""
        entries, starts = self.entries(text)
        return list(map(Token, starts, starts[1:], entries))

    def entries(self, text: str) -> tuple[list[Entry], list[int]]:
        """Return the entries of the words of a text, and their starts followed by the text's end.

        This is faster than a call, as no token objects are made. `starts` is one longer than
        `entries`: word i is text[starts[i]:starts[i + 1]]. Of an empty text: no entries, and [0].
        """
        cached, end = self._cache, 0
        entries: list[Entry] = []
        starts = [0]
        longest = _longest_piece(text)
        for piece in (text,) if len(text) <= longest else self._split(text, longest):
            for morphemes in self._morphemes(piece):
                # One plain loop is the fastest way: each call of a morpheme costs as much as it
                # does here, and none is made twice.
                for morpheme in morphemes:
                    surface = morpheme.surface()
                    key = morpheme.word_id(), surface
                    entries.append(cached.get(key) or self._entry(morpheme))
                    end += len(surface)
                    starts.append(end)
        return entries, starts

    def _morphemes(self, text: str) -> Iterator[Any]:
        """Yield lists of Sudachi's morphemes of a text, in order: one of all of it, or those of its
        halves where it is too long for Sudachi, which writes out signs such as ㍿ before it
        measures the text."""
        try:
            yield self.tokenize(text)
        except self._too_long:
            if len(text) < 2:
                raise
            half = len(text) // 2
            yield from self._morphemes(text[:half])
            yield from self._morphemes(text[half:])

    def _entry(self, morpheme: Any) -> Entry:
        """Make the entry of a morpheme anew and put it into the cache, which callers look into
        first, since each property costs a call of Sudachi.

        `normal` is Sudachi's normal form, but the word in lower case if it is in Latin letters, be
        they half or full width; `dictionary` is empty unless it is a verb or adjective.
        """
        part_of_speech, surface = morpheme.part_of_speech()[0], morpheme.surface()
        normal, spelled = self._normal_form(morpheme), fold(surface)
        inflected = part_of_speech in _INFLECTED
        dictionary = morpheme.dictionary_form() if inflected else ""
        # Sudachi has ドロー as the normal form of `draw`. An English word is no spelling
        # of that; it is stemmed where it is searched.
        if surface.isascii():
            normal = surface.casefold()
        elif normal.isascii():
            normal = normal.casefold()
        elif _is_latin(spelled):
            normal = spelled
        folded = fold(normal)
        if folded != spelled:
            written = morpheme.dictionary_form()
            if not self._variants.is_same_word(written, normal):
                folded = fold(written)
        function = part_of_speech in _FUNCTION
        entry = Entry(normal, dictionary, function, inflected, spelled, folded)
        if len(self._cache) >= MAX_WORDS:
            self._cache.clear()
        # The surface is part of the key, as the dictionary has one id for ＷＷＷ and www.
        self._cache[morpheme.word_id(), surface] = entry
        return entry

    def _normal_form(self, morpheme: Any) -> str:
        """Return Sudachi's normal form of a word; of a word that the dictionary lacks, the one that
        it has alone. Beside a sign that is written out it has a part of that, too: in ‼☺ there are
        ! and !☺, and which of such forms is cached would depend on the order of texts."""
        if morpheme.is_oov():
            surface = morpheme.surface()
            alone = list(self.tokenize(surface))
            if [one.word_id() for one in alone] != [morpheme.word_id()]:
                return unicodedata.normalize("NFKC", surface).lower()
            [morpheme] = alone
        return str(morpheme.normalized_form())

    @lru_cache(MAX_WORDS)  # noqa: B019  # there is one tokenizer, for the life of the process
    def is_word(self, text: str) -> bool:
        """Return whether a text is a word of the dictionary, in this spelling; never with a version
        of Sudachi that can't look words up."""
        return bool(self._lookup and self._lookup(text))

    @lru_cache(MAX_WORDS)  # noqa: B019
    def readings(self, word: str) -> tuple[str, ...]:
        """Return the readings of a word in the dictionary, in katakana, each once and in the
        dictionary's order, without those of proper names, which are many; none if it is no word in
        this spelling."""
        entries = self._lookup(word) if self._lookup else ()
        found = (
            entry.reading_form()
            for entry in entries
            if entry.surface() == word and entry.part_of_speech()[1] != "固有名詞"
        )
        return tuple(dict.fromkeys(found))

    def tokenize(self, text: str) -> Any:
        """Return Sudachi's own morphemes, not tokens, for the first 12,000 characters of a text.

        The rest of the text is ignored, and nothing is cached. Raises SudachiError if the text has
        more than 65,535 bytes in NFKC; one of 900 characters never does.
        """
        return self._of_thread.tokenizer.tokenize(text[:_MAX_LENGTH])

    @staticmethod
    def _split(text: str, longest: int) -> Iterator[str]:
        """Split a text into pieces that Sudachi takes, between words where possible.

        Joined, the pieces are the text. Each has at most so many characters and ends behind a full
        stop, comma, space or line break in its second half, or at the limit if there is none. An
        empty text is one empty piece.
        """
        start = 0
        while len(text) - start > longest:
            limit = start + longest
            breaks = [m.end() for m in _BREAK.finditer(text, start + longest // 2, limit)]
            yield text[start : (end := breaks[-1] if breaks else limit)]
            start = end
        yield text[start:]


class _TokenizerOfThread(threading.local):
    """Sudachi's own tokenizer, one for each thread: it refuses to be used by two at once. All share
    the dictionary, which is what takes time and memory."""

    def __init__(self, create: Callable[[], Any]) -> None:
        """Make the tokenizer of a thread: called in each that uses the object.

        create: returns a new one.
        """
        self.tokenizer = create()


def _longest_piece(text: str) -> int:
    """Return how many characters of a text Sudachi takes in one call, in linear time: 12,000, or
    1,000 if the text is no longer, or has more than 400 numbers."""
    if len(text) <= _SHORT_LENGTH:
        return _SHORT_LENGTH
    numbers = sum(1 for _ in islice(_NUMBER.finditer(text), _MOST_NUMBERS + 1))
    return _SHORT_LENGTH if numbers > _MOST_NUMBERS else _MAX_LENGTH


def _is_latin(folded: str) -> bool:
    """Return whether a folded word is in Latin letters, with or without accents.

    >>> _is_latin("draw"), _is_latin("it's"), _is_latin("ドロー"), _is_latin("°c"), _is_latin("12")
    (True, True, False, False, False)
    """
    return _LATIN.fullmatch(folded) is not None and _LATIN_LETTER.search(folded) is not None


@lru_cache(_MAX_STEMS)
def stem(word: str) -> str:
    """Return the stem of an English word, as the search index has it (Porter's); words that are not
    ASCII or have fewer than three letters unchanged.

    word: a word in lower case; upper case is not folded.

    >>> stem("draws"), stem("abilities"), stem("引く")
    ('draw', 'abil', '引く')
    """
    return _stemmer_of_thread.stem(word) if word.isascii() and len(word) > 2 else word


class _StemmerOfThread(threading.local):
    """The stemmer, one for each thread, as it keeps the word that it is working on."""

    def stem(self, word: str) -> str:
        """Return the stem of a word; the first call in a thread loads the stemmer."""
        known: Any = getattr(self, "stemmer", None)
        if known is None:
            from snowballstemmer import stemmer

            known = self.stemmer = stemmer("porter")
        return str(known.stemWord(word))


_stemmer_of_thread = _StemmerOfThread()
_loading = threading.Lock()


def tokenizer() -> Tokenizer:
    """Return the tokenizer of this process; the first call loads the dictionary."""
    with _loading:
        return _tokenizer()


@cache
def _tokenizer() -> Tokenizer:
    return Tokenizer()


def normal_forms(tokens: Iterable[Token]) -> list[tuple[str, int, int]]:
    """Return (normal form, start, end) of each content word; function words are left out.

    start, end are offsets in the text, as in the tokens. English words are in lower case, and not
    stemmed.

    表＋向き, as オモテ向き is split, counts as the single word 表向き.

    >>> normal_forms(tokenizer()("札をオモテ向きに"))
    [('札', 0, 1), ('表向き', 2, 7)]
    """
    forms: list[tuple[str, int, int]] = []
    for start, end, entry in tokens:
        if entry.function:
            continue
        if forms and forms[-1][2] == start and entry.normal in _SECOND_PARTS:
            whole = SPLIT_WORDS.get((forms[-1][0], entry.normal))
            if whole:
                forms[-1] = (whole, forms[-1][1], end)
                continue
        forms.append((entry.normal, start, end))
    return forms


def normal_text(entries: Sequence[Entry]) -> str:
    """Return the normal forms of a text's content words, joined by spaces, for the search index.
    English words are not stemmed, and split words are joined as in `normal_forms`.

    entries: those of the whole text, in order, as `Tokenizer.entries` gives them.

    >>> normal_text(tokenizer().entries("札をオモテ向きに置いた。")[0])
    '札 表向き 置く'
    """
    forms = " ".join([entry.normal for entry in entries if not entry.function])
    if any(second in forms for second in _SECOND_PARTS):
        # Entries cover the text, so that words touch if their places in the list do.
        tokens = (Token(place, place + 1, entry) for place, entry in enumerate(entries))
        forms = " ".join([form for form, _, _ in normal_forms(tokens)])
    return forms


class SpellingVariants:
    """Decides whether a dictionary's normal form of a word is the same word in another spelling.

    A dictionary gives one normal form to words of one meaning as well (貴方 for あんた). A spelling
    with other kana or kanji is read alike; one that has a kanji in common counts as the same word
    (引ける and 引く), and so does every other spelling in kana (プレイヤー and プレーヤー).

    >>> from sudachipy import Dictionary
    >>> is_same_word = SpellingVariants(Dictionary()).is_same_word
    >>> is_same_word("ふだ", "札"), is_same_word("ひける", "引く"), is_same_word("あんた", "貴方")
    (True, True, False)
    """

    def __init__(self, dictionary: Any) -> None:
        """dictionary: Sudachi's. Versions that can't look words up take all words for the same."""
        self._lookup = getattr(dictionary, "lookup", None)

    @lru_cache(_MAX_CACHED)  # noqa: B019
    def is_same_word(self, written: str, normal: str) -> bool:
        """Return whether a word and its normal form are one word.

        written, normal: both in dictionary form.
        """
        if self._lookup is None or not _KANJI_SIGN.search(normal):
            return True
        if fold(written) == fold(normal) or set(_KANJI_SIGN.findall(written)) & set(normal):
            return True
        readings = self._readings(normal)
        if fold(written) in readings:
            return True
        if not readings.isdisjoint(self._readings(written)):
            return True
        if written.endswith("る") and (sign := fold(written[-2:-1])) in _E_ROW:
            verb = written[:-2] + _ENDING[sign]  # whose potential the word may be: ひける, ひく
            return not readings.isdisjoint(self._readings(verb))
        return False

    def _readings(self, word: str) -> set[str]:
        """Return how a word may be read, folded (in hiragana): what the dictionary has and, for a
        word without kanji, the word itself. Empty for kanji that the dictionary lacks."""
        assert self._lookup is not None
        readings = {fold(found.reading_form()) for found in self._lookup(word)}
        return readings if _KANJI_SIGN.search(word) else {*readings, fold(word)}


def dictionary_form(text: str, tokens: list[Token], start: int, end: int) -> str:
    """Return text[start:end], the words of a link, with its last word in dictionary form; unchanged
    if that is no verb or adjective, or no word begins before its end.

    tokens: those of the whole text. The last word may go on behind the link: sites link a verb's
    stem and leave its ending outside. The ending identifies the verb, also where the word is its
    noun (引き) or its potential (引ける).

    >>> def linked(text, stem):
    ...     start = text.index(stem)
    ...     return dictionary_form(text, tokenizer()(text), start, start + len(stem))
    >>> linked("カードを引かせた", "引"), linked("1枚ごとの引きに", "引")
    ('引く', '引く')
    >>> linked("支払えない", "支払"), linked("手札に与えられ", "与え"), linked("場合は", "場合")
    ('支払う', '与える', '場合')
    """
    behind = bisect_left(tokens, end, key=attrgetter("start"))
    if not behind or tokens[behind - 1].end <= start:
        return text[start:end]
    last = tokens[behind - 1]
    if last.end > end and (ending := _ENDING.get(text[end])):
        verb = text[last.start : end] + ending
        if _is_verb(verb):
            return text[start : max(start, last.start)] + verb
    if last.entry.inflected:
        return text[start : max(start, last.start)] + last.entry.dictionary
    return text[start:end]


def verb_of_potential(form: str) -> str | None:
    """Return the normal form of the verb whose potential a word may be; None if there is none.

    form: the normal form of a word of any kind.

    >>> verb_of_potential("引ける"), verb_of_potential("加える"), verb_of_potential("引く")
    ('引く', None, None)
    """
    if len(form) < 3 or form[-1] != "る" or form[-2] not in _E_ROW:
        return None
    verb = form[:-2] + _ENDING[form[-2]]
    return tokenizer()(verb)[0].entry.normal if _is_verb(verb) else None


def verb_of_noun(form: str) -> str | None:
    """Return the normal form of the verb that a noun is derived from; None if there is none.

    form: the normal form of a word. It need not be a noun: a verb such as 引く gives itself.

    >>> verb_of_noun("負け"), verb_of_noun("支払い"), verb_of_noun("引け"), verb_of_noun("手札")
    ('負ける', '支払う', '引く', None)
    """
    if len(form) < 2 or form[-1] not in _ENDING:
        return None
    for verb in (form + "る", form[:-1] + _ENDING[form[-1]]):
        if _is_verb(verb):
            normal = tokenizer()(verb)[0].entry.normal
            return verb_of_potential(normal) or normal
    return None


_E_ROW = frozenset("えけげせてねべめれ")

# The kana that ends a godan verb, by any kana that its other forms have there: き, け, か → く.
_ENDING = {
    kana: row[2]
    for row in ("あいうえお", "かきくけこ", "がぎぐげご", "さしすせそ", "たちつてと", "なにぬねの",
                "ばびぶべぼ", "まみむめも", "らりるれろ")
    for kana in row
} | {"わ": "う"}  # fmt: skip


@lru_cache(1 << 14)  # words; a guard, as for stems: sites link the same words again and again
def _is_verb(text: str) -> bool:
    """Whether a text is one verb or adjective in its dictionary form."""
    tokens = tokenizer()(text)
    return len(tokens) == 1 and tokens[0].entry.inflected and tokens[0].entry.dictionary == text
