"""Finds names that a Japanese sentence gives in both languages: `闇の腹心/Dark Confidant`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kb.language.citations.citation_grammar import is_citation
from kb.language.headwords import reads_as
from kb.language.japanese_name_start import name_beginning
from kb.language.tokens import Tokenizer
from kb.language.transliteration import likeness

# Characters before the slash that may belong to the name, or introduce it: of 47,000 names of two
# card games, the longest has 36 in Japanese. Of the English, the longest two have 141 and 64: where
# a run of Latin letters is as long as _LONGEST_ENGLISH, it has no clear end.
_LONGEST = 48
_LONGEST_ENGLISH = 100
_LETTER = "ぁ-ゖァ-ヺー一-鿿々〆ヶ"
# From the slash to the left: all that a Japanese name may contain; two names of halves of a card.
_BEFORE = re.compile(
    rf"[！？!?…Ⅱ]?[{_LETTER}・＝゠0-9０-９、]*(?:(?:\+|＋|//?)[{_LETTER}・0-9、]+)?"
)
_KANA = "ぁ-ゖァ-ヺー・＝゠ 　"
# A reading in brackets, behind the word or name that is so read; and within brackets, a reading
# before the slash, up to the bracket. The longest reading of a card's name has 40 signs.
_READING = re.compile(rf"(?<=[{_LETTER}])[(（]([{_KANA}]{{1,48}})[)）]")
_ONLY_KANA = re.compile(rf"[{_KANA}]+")
_BEFORE_READ = frozenset("はがをもや、")  # they hardly stand within names
# A reading sounds like the English: five in six names in katakana do so beside their own English
# name, and one in fifty beside another one.
_LIKE = 0.7
_HALVES = re.compile(r"[+＋]|//?")
_ENGLISH = re.compile(
    r"(?:[A-Za-zÀ-ɏ0-9 '’\-,.:!?&+＋_\"“”]|(?<=[A-Za-z ])//(?=[A-Za-z ])"
    rf"|(?<=[A-Za-z])/(?=[A-Z])){{2,{_LONGEST_ENGLISH}}}"
)

# What may stand directly before a name, or before words that introduce it. All else is part of a
# longer expression, such as a path, of which nothing is taken.
_OPENING = frozenset('「『“"(（《〈【［[〔{<')
_CLOSING = frozenset("」』”)）》〉】］]〕}>")
_BOUNDARIES = frozenset("・ \t\n\r\u3000。：:；;！？!?→⇒←↓※●■◆○◎□▲△★☆♪…‥—―|｜*＊，,")
# What connects a name with the quotation or English words before it.
_CONNECTIVE = re.compile(
    "(?:など|等)?(?:、|・|または|および|及び|として|といった|という|による|のような"
    "|(?:から|より|まで|[にでとへ])[はもの]|から|より|まで|[はがをにでとやもかへの])"
    "|など|等|以[外降下上前]"
)
_GOVERNING = frozenset("を に が で".split())  # what a verb behind them belongs to
_LIST_SIGNS = frozenset("、 ・ や と または および 及び".split())

_SMALL_WORDS = frozenset(
    "of the to in and for with a an by from into at on upon en il or nor as but de da del della di "
    "du la le van von der den bin no yn vs".split()
)
# Of two English words, the second one is written with a capital or is a small word.
_SLASH = re.compile(
    rf"(?<=[{_LETTER}0-9０-９！？!?…Ⅱ)）])[/／](?=[A-ZÀ-Þ0-9+\"“])"
    rf"(?![A-Za-z'’]{{1,30}} (?!(?:{'|'.join(sorted(_SMALL_WORDS))})\b)[a-z]{{3}})"
)
_TITLE_WORD = re.compile(r"[\"“'’&+\-]*(?:[A-ZÀ-Þ0-9]|[a-z]{1,2}['’][A-Za-z])")
_LOWER_CASE = re.compile("[a-zà-ɏ]{2}")
_FILE_NAME = re.compile(r"[a-z0-9]\.[a-z]{2}|[a-z]_")
# Where English words end within a run of them.
_ABBREVIATION = re.compile(r"(?:^|[ .])(?:[A-Z]|Dr|Mr|Mrs|Ms|St|No|Vol|Jr)\.$")
_FULL_STOP = re.compile(r"\.(?= )")
_DASH = re.compile(r" [-‐–—]+(?: |$)|(?<=[?!]) (?=[A-Z])")
_AMOUNT = re.compile(r" [x×]?(\d{1,4})$")
_BONUS = re.compile(r"\+(\d)")
_NO_END = frozenset("/／\\@=#~%")  # directly behind a word, they make it part of something else


@dataclass(frozen=True, slots=True)
class BilingualName:
    """A name in both languages, at text[start:end]: the Japanese, a slash, the English.

    japanese, english: the two names, without readings in brackets.
    reading: the reading of all of the Japanese name that the text gives; empty if it gives none.
    """

    start: int
    end: int
    japanese: str
    english: str
    reading: str = ""


def bilingual_names(
    text: str, tokenizer: Tokenizer, known: Mapping[str, str] | None = None
) -> Iterator[BilingualName]:
    """Yield the names that a Japanese text gives in both languages, in order.

    The English must be written as a title, with capitals: `Draw card(s)` is none. Nothing is
    found where it is unclear which words before the slash belong to the name. Names do not overlap;
    one that a text gives twice comes twice.

    known: {English name: the Japanese name that belongs to it}, where that is known.

    >>> from kb.language.tokens import tokenizer
    >>> text = "対戦相手が霧の番人/Mist Warden、北の港/North Portなどを持つ。P/Tは3/3。"
    >>> [(name.japanese, name.english) for name in bilingual_names(text, tokenizer())]
    [('霧の番人', 'Mist Warden'), ('北の港', 'North Port')]
    """
    previous = 0  # the end of the last name
    for slash in slashes(text):
        if slash > previous:
            name = _name_at(text, slash, previous, tokenizer, known or {})
            if name is not None:
                yield name
                previous = name.end


def slashes(text: str) -> list[int]:
    """Return the offsets of the slashes in a text that may separate a name's two languages, in
    order: behind Japanese, a digit or a sign that ends a name, before a capital, digit, + or
    quotation mark.

    >>> slashes("白/黒の霧/Mist")
    [5]
    """
    if "/" not in text and "／" not in text:
        return []
    return [slash.start() for slash in _SLASH.finditer(text)]


def _name_at(
    text: str, slash: int, previous: int, tokenizer: Tokenizer, known: Mapping[str, str]
) -> BilingualName | None:
    """Return the name around a slash; None if there is none, or it is unclear where it begins.

    slash: the offset of the slash.
    previous: the end of the name before this one; 0 if there is none.
    known: see `bilingual_names`.
    """
    before = _Before.of(text, max(previous, slash - 2 * _LONGEST), slash)
    run = _BEFORE.match(before.text[::-1])
    segment = run[0][::-1].lstrip("・") if run else ""
    english = _english_at(text, slash + 1, segment)
    if not segment or english is None:
        return None
    end = slash + 1 + len(english)
    known_name = known.get(english) or _name_with_bonus(before.text, english)
    if known_name and before.text.endswith(known_name):
        return before.name(known_name, end, english)
    length = len(before.text) - len(segment)
    start = before.offset(length)
    if length == 0 and before.is_cut:
        return None
    if start and not _may_precede(text[start - 1], english):
        return None
    if _is_in_brackets_behind_a_word(text, start, end) and _ONLY_KANA.fullmatch(segment):
        outside = _Before.of(text, max(previous, start - 1 - _LONGEST), start - 1)
        if not _is_example(outside.text, segment):
            after = text[end + 1 : end + 2]
            return _name_of_reading(outside, segment, english, end, after, tokenizer)
    alone = _is_set_apart(text, start, end)
    connected, listed = _connective(text[start - 1] if start else "", segment)
    if connected is None:
        return None
    words = segment[connected:]
    so_read = _words_so_read(words, before.readings.get(len(before.text), ""), tokenizer)
    if so_read:
        return before.name(so_read, end, english)
    half, english_half = _first_halves(words, english)
    beginning = name_beginning(half, english_half, tokenizer, alone=alone, listed=listed)
    return None if beginning is None else before.name(words[beginning:], end, english)


@dataclass(frozen=True, slots=True)
class _Before:
    """What stands before a slash, without readings in brackets.

    is_cut: whether more stands before it.
    offsets: of its characters in the whole text, and of the slash.
    readings: {how many characters precede a reading: the reading}.
    """

    text: str
    is_cut: bool
    offsets: Sequence[int]
    readings: Mapping[int, str]

    @classmethod
    def of(cls, text: str, first: int, slash: int) -> _Before:
        """Return what `text[first:slash]` ends with, without its readings: at most `_LONGEST`
        characters."""
        pieces: list[str] = []
        offsets: list[int] = []
        readings: dict[int, str] = {}
        start = first
        for match in [*_READING.finditer(text, first, slash), None]:
            end = match.start() if match else slash
            pieces.append(text[start:end])
            offsets += range(start, end)
            if match:
                readings[len(offsets)] = match[1]
                start = match.end()
        cut = max(0, len(offsets) - _LONGEST)
        kept = {place - cut: reading for place, reading in readings.items() if place >= cut}
        is_cut = cut > 0 or (first > 0 and slash - first >= _LONGEST)
        return cls("".join(pieces)[cut:], is_cut, [*offsets[cut:], slash], kept)

    def offset(self, length: int) -> int:
        """Return where in the whole text the character at an offset stands; for the length of
        `text`, the slash."""
        return self.offsets[length]

    def name(self, japanese: str, end: int, english: str) -> BilingualName | None:
        """Return the name that ends at the slash; None if it begins behind a reading, which is that
        of a word of the same name. It has a reading only if that stands at its end and is of all of
        it."""
        first = len(self.text) - len(japanese)
        if first in self.readings:
            return None
        within = [place for place in self.readings if place > first]
        reading = self.readings[within[0]] if within == [len(self.text)] else ""
        reading = reading if _reads(reading, japanese, english) else ""
        return BilingualName(self.offset(first), end, japanese, english, reading.strip())


def _reads(reading: str, japanese: str, english: str) -> bool:
    """Return whether kana may be the reading of all of a name: its own, or that of the English.
    Never if they are empty."""
    sounds_alike = likeness(reading, english, whole=True) > _LIKE
    return bool(reading) and (sounds_alike or reads_as(japanese, reading))


def _katakana(text: str) -> str:
    """Return a text of the same length with its hiragana in katakana; all else stays."""
    return "".join(chr(ord(sign) + 0x60) if "ぁ" <= sign <= "ゖ" else sign for sign in text)


def _is_in_brackets_behind_a_word(text: str, start: int, end: int) -> bool:
    """Return whether text[start:end] is in brackets of its own directly behind a Japanese word."""
    is_enclosed = start > 1 and text[start - 1] in "(（" and text[end : end + 1] in {")", "）"}
    return is_enclosed and re.match(f"[{_LETTER}]", text[start - 2]) is not None


def _is_example(before: str, kana: str) -> bool:
    """Return whether kana in brackets are no reading, but an example of what the words before
    name: those words end in katakana, など, 等, 例 or a particle. Kana with any hiragana are a
    reading."""
    in_hiragana = re.search("[ぁ-ゖ]", kana) is not None
    return (
        not in_hiragana
        and re.search("[ァ-ヺー]$|など$|等$|例$|[はがをにでとも]$", before) is not None
    )


def _name_of_reading(
    before: _Before, reading: str, english: str, end: int, after: str, tokenizer: Tokenizer
) -> BilingualName | None:
    """Return the name that stands before brackets with its reading and its English; None if it is
    unclear where it begins.

    It is the words that are so read, or all that stands in the line or cell: elsewhere, kana that
    are no reading of the words before may be an example of them.

    after: the character behind the brackets; empty if there is none.
    """
    run = _BEFORE.match(before.text[::-1])
    segment = run[0][::-1] if run else ""
    japanese = _words_so_read(segment, reading, tokenizer)
    first = len(before.text) - len(segment)
    begins_line = not before.is_cut if first == 0 else before.text[first - 1] in "\n\t"
    is_line = begins_line and after in {"", "\n", "\t"}
    if not japanese and is_line and _reads(reading, segment, english):
        japanese = segment
    if not japanese:
        return None
    start = before.offset(len(before.text) - len(japanese))
    return BilingualName(start, end, japanese, english, reading.strip())


def _words_so_read(text: str, reading: str, tokenizer: Tokenizer) -> str:
    """Return the words at the end of a text that are read so, in kana; empty if there are none, or
    the reading begins within a word.

    A particle, a comma or nothing must stand before them: in 暗黒騎士(きし), part of a name is read
    so.
    """
    sounds, wanted = "", re.sub("[・＝゠ 　]", "", _katakana(reading))
    for word in reversed([*tokenizer.tokenize(text)]):
        sounds = _katakana(word.reading_form()) + sounds
        if len(sounds) >= len(wanted):
            is_apart = not text[: word.begin()] or text[word.begin() - 1] in _BEFORE_READ
            return text[word.begin() :] if sounds == wanted and is_apart else ""
    return ""


def _first_halves(japanese: str, english: str) -> tuple[str, str]:
    """Return (Japanese, English) of the first half of a card, if two names are those of both its
    halves, joined by +, / or //; else the two names."""
    ours, theirs = _HALVES.search(japanese), _HALVES.search(english, 1)
    if ours is None or theirs is None or not ours.start():
        return japanese, english
    return japanese[: ours.start()], english[: theirs.start()].strip()


def _name_with_bonus(before: str, english: str) -> str:
    """Return the name at the end of a text that begins with the number that the English name
    begins with, +1の鎚矛 for +1 Mace; empty if there is none."""
    number = _BONUS.match(english)
    start = max(before.rfind(sign + number[1]) for sign in "+＋") if number else -1
    return before[start:] if start >= 0 else ""


def _may_precede(sign: str, english: str) -> bool:
    """Return whether a name, or words that introduce it, may begin behind a character: a bracket, a
    quotation mark, white space or a sign of `_BOUNDARIES`, a letter or digit; a colon only if the
    English has none."""
    if sign in ":：" and ":" in english:
        return False  # 召喚：霧の番人/Summon: Mist Warden
    return sign in _OPENING or sign in _CLOSING or sign in _BOUNDARIES or _ends_english(sign)


def _ends_english(sign: str) -> bool:
    """Return whether a character may be the end of an English name: any letter or digit, of any
    script, or an apostrophe."""
    return sign.isalnum() or sign in "'’"


def _is_set_apart(text: str, start: int, end: int) -> bool:
    """Return whether text[start:end] is a line or a table's cell of its own, or in brackets."""
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    if before in _OPENING and after in _CLOSING and before and after:
        return True
    return before in {"", "\n", "\t"} and after in {"", "\n", "\t"}


def _connective(before: str, segment: str) -> tuple[int | None, bool]:
    """Return where in a segment the words begin that may belong to a name, and whether it is one
    of a list: whether English and a sign such as 、 or や stand before it.

    A particle that a verb may govern is left there. Behind a closing bracket or quotation mark a
    connective may stand, and behind English words one must, or they are part of the same word: else
    the first result is None. Behind anything else it is 0.

    before: the character before the segment; empty if there is none.
    """
    if not before or not (before in _CLOSING or _ends_english(before)):
        return 0, False
    match = _CONNECTIVE.match(segment)
    if match is None:
        return (0 if before in _CLOSING else None), False
    is_list = _ends_english(before) and match[0] in _LIST_SIGNS
    return (0 if match[0] in _GOVERNING else match.end()), is_list


def _english_at(text: str, start: int, japanese: str) -> str | None:
    """Return the English name that begins at an offset, without an amount and signs behind it;
    None if there is none that is written as a title, if it is a citation, or has no clear end.

    japanese: what stands before the slash. Both names join those of two halves of a card, or none.
    """
    run = _ENGLISH.match(text, start)
    if run is None or len(run[0]) == _LONGEST_ENGLISH:
        return None
    after = text[run.end() : run.end() + 1]
    is_cut_off = run[0][-1] in "-_&+" and after and after not in _BOUNDARIES | _CLOSING
    if (after and after in _NO_END) or is_cut_off:
        return None
    english = _without_amount(_without_end(run[0]), japanese)
    if english.startswith("+"):
        japanese = re.split("[+＋]", japanese)[-1]
    joints, japanese_joints = _HALVES.findall(english[1:]), _HALVES.findall(japanese)
    is_like = bool(joints) == bool(japanese_joints)
    if "/" in joints or "/" in japanese_joints:  # 火/氷/Fire/Ice, but not 火/氷/Fire//Ice
        is_like = joints == japanese_joints == ["/"]
    return english if is_title(english) and is_like and not is_citation(english) else None


def _without_end(run: str) -> str:
    """Return the name that a run of English words begins with: what precedes a full stop or dash,
    without signs at its end, or a quotation mark there that nothing opens; empty if nothing else is
    in it."""
    for stop in _FULL_STOP.finditer(run):
        if not _ABBREVIATION.search(run[: stop.end()]):
            run = run[: stop.start()]
            break
    if dash := _DASH.search(run):
        run = run[: dash.start()]
    run = run.rstrip(" ,:-&+＋_“")
    if run.endswith(".") and not _ABBREVIATION.search(run):
        run = run.rstrip(".")
    if run.endswith(('"', "”")) and run.count('"') % 2 + run.count("”") - run.count("“"):
        run = run[:-1]
    return run


def _without_amount(english: str, japanese: str) -> str:
    """Return a name without an amount behind it, as in lists of decks: a number that the Japanese
    name does not have."""
    amount = _AMOUNT.search(english)
    if amount and amount[1] not in unicodedata.normalize("NFKC", japanese):
        return english[: amount.start()]
    return english


def is_title(words: str) -> bool:
    """Return whether English words are written as a title is, and are no abbreviation or file: all
    begin with a capital or digit but for small words (`of`), which are not the last or the first.

    >>> [is_title(words) for words in ("Gate of Mist", "Draw card", "EDH", "Name.txt", "")]
    [True, False, False, False, False]
    """
    parts = words.split()
    if not parts or not _LOWER_CASE.search(words) or _FILE_NAME.search(words):
        return False
    return (
        _TITLE_WORD.match(parts[0]) is not None
        and parts[-1] not in _SMALL_WORDS
        and all(part in _SMALL_WORDS or part == "//" or _TITLE_WORD.match(part) for part in parts)
    )
