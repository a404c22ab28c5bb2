"""Finds names that a Japanese sentence gives in both languages: `闇の腹心/Dark Confidant`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kb.language.name_beginning import name_beginning
from kb.language.tokens import Tokenizer

_LONGEST = 48  # characters before the slash that may belong to the name, or introduce it
_LONGEST_ENGLISH = 100
_LETTER = "ぁ-ゖァ-ヺー一-鿿々〆ヶ"
# From the slash to the left: all that a Japanese name may contain; two names of halves of a card.
_BEFORE = re.compile(
    rf"[！？!?…Ⅱ]?[{_LETTER}・＝゠0-9０-９、]*(?:(?:\+|＋|//)[{_LETTER}・0-9、]+)?"
)
_ENGLISH = re.compile(
    rf"(?:[A-Za-zÀ-ɏ0-9 '’\-,.:!?&+＋_\"“”]|(?<=[A-Za-z ])//(?=[A-Za-z ])){{2,{_LONGEST_ENGLISH}}}"
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
    rf"(?<=[{_LETTER}0-9０-９！？!?…Ⅱ])[/／](?=[A-ZÀ-Þ0-9+\"“])"
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

    japanese, english: the two names.
    """

    start: int
    end: int
    japanese: str
    english: str


def bilingual_names(
    text: str, tokenizer: Tokenizer, known: Mapping[str, str] | None = None
) -> Iterator[BilingualName]:
    """Yield the names that a Japanese text gives in both languages, in order.

    The English must be written as a title, with capitals: `Draw card(s)` is none. Nothing is
    found where it is unclear which words before the slash belong to the name.

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
    """Return the offsets of the slashes in a text that may separate a name's two languages.

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
    first = max(previous, slash - _LONGEST)
    run = _BEFORE.match(text[first:slash][::-1])
    segment = run[0][::-1].lstrip("・") if run else ""
    english = _english_at(text, slash + 1, segment)
    if not segment or english is None:
        return None
    end = slash + 1 + len(english)
    known_name = known.get(english) or _name_with_bonus(text[first:slash], english)
    if known_name and text.endswith(known_name, first, slash):
        return BilingualName(slash - len(known_name), end, known_name, english)
    start = slash - len(segment)
    if start == first > previous or (start and not _may_precede(text[start - 1], english)):
        return None
    alone = _is_set_apart(text, start, end)
    connected, listed = _connective(text[start - 1] if start else "", segment)
    if connected is None:
        return None
    words = segment[connected:]
    beginning = name_beginning(words, english, tokenizer, alone=alone, listed=listed)
    if beginning is None:
        return None
    japanese = words[beginning:]
    return BilingualName(slash - len(japanese), end, japanese, english)


def _name_with_bonus(before: str, english: str) -> str:
    """Return the name at the end of a text that begins with the number that the English name
    begins with, +1の鎚矛 for +1 Mace; empty if there is none."""
    number = _BONUS.match(english)
    start = max(before.rfind(sign + number[1]) for sign in "+＋") if number else -1
    return before[start:] if start >= 0 else ""


def _may_precede(sign: str, english: str) -> bool:
    """Return whether a name, or words that introduce it, may begin behind a character."""
    if sign in ":：" and ":" in english:
        return False  # 召喚：霧の番人/Summon: Mist Warden
    return sign in _OPENING or sign in _CLOSING or sign in _BOUNDARIES or _ends_english(sign)


def _ends_english(sign: str) -> bool:
    """Return whether a character may be the end of an English name."""
    return sign.isalnum() or sign in "'’"


def _is_set_apart(text: str, start: int, end: int) -> bool:
    """Return whether text[start:end] is a line or a table's cell of its own, or in brackets."""
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    if before in _OPENING and after in _CLOSING and before and after:
        return True
    return before in {"", "\n", "\t"} and after in {"", "\n", "\t"}


def _connective(before: str, segment: str) -> tuple[int | None, bool]:
    """Return where in a segment the words begin that may belong to a name, and whether it is one
    of a list.

    A particle that a verb may govern is left there. Behind a quotation a connective may stand, and
    behind English words one must, or they are part of the same word: else the first result is None.

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
    """Return the English name that begins at an offset; None if there is none, or no clear end.

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
    is_joined = any(sign in english[1:] for sign in ("+", "＋", "//"))
    is_japanese_joined = any(sign in japanese for sign in ("+", "＋", "//"))
    return english if is_title(english) and is_joined == is_japanese_joined else None


def _without_end(run: str) -> str:
    """Return the name that a run of English words begins with: what precedes a full stop or dash,
    without signs at its end."""
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
    """Return whether English words are written as a title is, and are no abbreviation or file.

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
