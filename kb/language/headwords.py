"""Parses headwords into label, reading, English and qualifier, and makes labels of them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from graphs.model import Label, Role
from graphs.writing.page_claims import LabelClaim
from kb.language.citations.citation_grammar import is_citation, without_bracketed_citations
from kb.language.fold import fold, plain

_ANY_KANA = re.compile(r"[ぁ-ゖァ-ヺｦ-ﾝ]")
_NO_READING = re.compile(r"[A-Za-zＡ-Ｚａ-ｚ一-鿿々〆]")
_OPENING, _CLOSING = "(（", ")）"
# Voicing marks on their own, as in う゛, and the same that join the kana before them.
_MARKS = str.maketrans({"゛": "\u3099", "ﾞ": "\u3099", "゜": "\u309a", "ﾟ": "\u309a"})


def labels_of(headword: Headword, lang: str = "ja", role: Role = "preferred") -> list[Label]:
    """Return a headword as labels: the word itself, then its English, then its reading.

    lang, role: those of the word itself. English, as a preferred name, and reading are added where
    the headword has them; the qualifier is in none.

    >>> [label.text for label in labels_of(Headword("引く", "ひく", "Draw"))]
    ['引く', 'Draw', 'ひく']
    """
    labels = [Label(lang, headword.label, role)]
    labels += [Label("en", headword.english)] if headword.english else []
    labels += [Label("ja", headword.reading, "reading")] if headword.reading else []
    return labels


def label_claims(node: str, labels: Iterable[Label], passage: str) -> list[LabelClaim]:
    """Return a claim for each distinct label, in order: that a passage gives it to a node. Labels
    are the same only if text, language and role are.

    node, passage: their ids.
    """
    return [LabelClaim(node, label, fold(label.text), passage) for label in dict.fromkeys(labels)]


_BETWEEN_PARTS = re.compile(r"\s*[/／]\s*| or ")
_MIDDLE_DOT = re.compile(r"[・･]")
# A part that needs words of another one, or is no name: Remove Damage in Deal/Remove Damage.
_NO_NAME = re.compile(r"[をにがの：:()（）\[\]&＆、,。.]|^[^\w]|^或|和$")
_KANJI_OR_HIRAGANA = re.compile(r"[一-鿿々〆ぁ-ゖ]")
_DONE = re.compile(r"([ァ-ヺー]{2,})する")


def parts_of_heading(heading: str) -> tuple[str, ...]:
    """Return the names that a heading gives beside each other, if each is a word by itself; of a
    verb such as アクトする also what is done. Empty for other headings.

    Words between slashes or an `or` are names if all have as many words. A middle dot joins
    katakana to one word, so that only words with kanji or hiragana are names between dots.

    >>> parts_of_heading("Rest/Recover"), parts_of_heading("Tap or Untap")
    (('Rest', 'Recover'), ('Tap', 'Untap'))
    >>> parts_of_heading("スタンドする/アクトする")
    ('スタンドする', 'アクトする', 'スタンド', 'アクト')
    >>> [parts_of_heading(each) for each in ("表向き・裏向き", "カード・タイプ", "Deal/Remove It")]
    [('表向き', '裏向き'), (), ()]
    """
    parts = _BETWEEN_PARTS.split(heading.strip())
    if len(parts) == 1 and all(map(_KANJI_OR_HIRAGANA.search, _MIDDLE_DOT.split(heading))):
        parts = _MIDDLE_DOT.split(heading.strip())
    alike = len({(len(part.split()), part.isascii()) for part in parts}) == 1
    if len(parts) == 1 or not alike or any(not part or _NO_NAME.search(part) for part in parts):
        return ()
    if " or " in heading and " " in parts[0]:
        return ()
    done = [verb[1] for part in parts if (verb := _DONE.fullmatch(part))]
    return tuple(dict.fromkeys([*parts, *done]))


_SLASH = re.compile(r"[/／](?=\s*+([A-Za-z0-9\"'“(]))")  # behind which English may stand
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_PARENTHESES = re.compile(r"[(（]([^()（）]*)[)）]")
_LAST_PARENTHESES = re.compile(r"([^()（）]+)[(（]([^()（）]+)[)）]")
_KANA = re.compile(r"[ぁ-ゖァ-ヺー・\s]+")
_KANJI = re.compile(r"[一-鿿々〆ヶ]")
_READ_AS_WRITTEN = re.compile(r"[ぁ-ゖァ-ヺー]")
_READING = re.compile(r"[ぁ-ゖァ-ヺー・、，！？!?\s]+")
_LONGEST_READ = 80  # characters; a guard: the longest reading of a card's name has 40
# At most, that one kanji or Latin letter is read as: of 23,000 readings above names of cards none
# has more for each kanji, and ten have six.
_KANA_FOR_A_SIGN = 6


@dataclass(frozen=True, slots=True)
class Headword:
    """A name, parsed into its parts.

    label: the name itself.
    reading: how all of it is read, in kana.
    english: the English name beside it.
    qualifier: what distinguishes it from homonyms, as given in parentheses behind the name.
    card: whether it is marked as a card's name (《》).
    """

    label: str
    reading: str | None = None
    english: str | None = None
    qualifier: str | None = None
    card: bool = False


def parse_headword(text: str, ruby: Sequence[tuple[int, int, str]] = ()) -> Headword:
    """Parse a title or heading; any text gives a headword. What it lacks is None.

    Citations in brackets are no part of it. The reading is None, too, if some of the kanji have no
    reading. A label is empty only if the text is, but for 《》, spaces and citations in brackets.

    ruby: (start, end, reading) for each text[start:end] that has a reading above it, in order.

    >>> name = parse_headword("通常(つうじょう)のドロー/Normal Draw")
    >>> name.label, name.reading, name.english
    ('通常のドロー', 'つうじょうのドロー', 'Normal Draw')
    >>> [parse_headword(f"使う（{note}）").qualifier for note in ("キーワード処理", "CR:601")]
    ['キーワード処理', None]
    >>> parse_headword("《霧の港/Misty Port》").english
    'Misty Port'
    >>> parse_headword("通常のドロー/Normal Draw", [(0, 2, "つうじょう")]).reading
    'つうじょうのドロー'
    >>> parse_headword("《サイバー・I》", [(6, 7, "アイ")])
    Headword(label='サイバー・I', reading='サイバー・アイ', english=None, qualifier=None, card=True)
    """
    if ruby:
        pieces, position = [], 0
        for start, end, reading in ruby:
            pieces += [text[position:start], reading]
            position = end
        full_reading = parse_headword("".join([*pieces, text[position:]])).label
        incomplete = _KANJI.search(full_reading)
        return replace(parse_headword(text), reading=None if incomplete else full_reading)
    card = "《" in text and "》" in text
    text = without_bracketed_citations(text)
    text = text.replace("《", "").replace("》", "").strip()
    english: str | None = None
    reading_behind: str | None = None
    if (halves := _split_at_english(text)) and not is_citation(halves[1]):
        english, reading_behind = split_reading(halves[1])
        text, english = halves[0].strip(), plain(english)
    label, whole_reading, qualifier = _parse_parentheses(text)
    whole_reading = whole_reading or reading_behind
    return Headword(plain(label) or plain(text), whole_reading, english, qualifier, card)


def _split_at_english(text: str) -> tuple[str, str] | None:
    """Split a name at the slash before its English; None if there is no English.

    That is the first slash behind the last sign that is not ASCII, of those that Latin letters
    follow: `霧/氷/Mist/Ice` has the English `Mist/Ice`. It stands in the first line.
    """
    first_line = text.partition("\n")[0]
    slashes = [slash for slash in _SLASH.finditer(text) if slash.start() < len(first_line)]
    if not slashes:
        return None
    last = slashes[-1].start()
    before = max((sign.start() for sign in _NOT_ASCII.finditer(text, 0, last)), default=-1)
    if before < 0:
        return None
    slash = next(slash for slash in slashes if slash.start() > before)
    return text[: slash.start()], text[slash.start(1) :]


def reads_as(name: str, reading: str) -> bool:
    """Return whether kana may be how all of a name is read: whether the kana of the name are in
    them, in order, with more kana for each kanji, Latin letter and digit.

    Signs and spaces don't count, nor the difference of hiragana and katakana. False for names and
    readings of more than 80 characters.

    >>> reads_as("裏向き", "うらむき"), reads_as("トークン", "とーくん"), reads_as("引く", "ドロー")
    (True, True, False)
    """
    name, reading = (re.sub(r"[^\wー]|_", "", fold(text)) for text in (name, reading))
    if not name or not reading or max(len(name), len(reading)) > _LONGEST_READ:
        return False
    ends = {0}  # how much of the reading the name may have used up so far
    for sign in name:
        if _READ_AS_WRITTEN.match(sign):
            ends = {end + 1 for end in ends if reading[end : end + 1] == sign}
        else:
            least = 1 if _KANJI.match(sign) else 0
            ends = {end + more for end in ends for more in range(least, _KANA_FOR_A_SIGN + 1)}
        ends = {end for end in ends if end <= len(reading)}
    return len(reading) in ends


def _parse_parentheses(text: str) -> tuple[str, str | None, str | None]:
    """Return the text without the parentheses that give these, its reading and its qualifier, None
    where it has none.

    Parentheses at the end may hold the reading of all before them. Otherwise kana in parentheses
    are the reading of the kanji before them; the reading is None if some kanji have none. Other
    parentheses at the end are the qualifier; those elsewhere stay.
    """
    last = _LAST_PARENTHESES.fullmatch(text)
    if last and _READING.fullmatch(last[2]) and reads_as(last[1], last[2]):
        return last[1].rstrip(), plain(last[2]), None
    labels: list[str] = []
    readings: list[str] = []
    qualifier, position, has_reading = None, 0, False
    for match in _PARENTHESES.finditer(text):
        before = text[position : match.start()]
        position = match.end()
        labels.append(before)
        if _KANA.fullmatch(match[1]) and _KANJI.search(before):
            readings += [_without_kanji_at_end(before), match[1]]
            has_reading = True
        elif position == len(text) and match.start():
            readings.append(before)
            qualifier = plain(match[1])
        else:
            labels.append(match[0])
            readings += [before, match[0]]
    reading = plain("".join([*readings, text[position:]]))
    complete = has_reading and not _KANJI.search(reading)
    return "".join([*labels, text[position:]]), (reading if complete else None), qualifier


def _without_kanji_at_end(text: str) -> str:
    """Return a text without the kanji that it ends with; a line end behind them stays."""
    last = end = len(text.removesuffix("\n"))
    while end and _KANJI.match(text, end - 1):
        end -= 1
    return text[:end] + text[last:]


def split_reading(text: str) -> tuple[str, str | None]:
    """Return a name without the reading in parentheses at its end, and the reading.

    A reading is kana, perhaps with signs and digits, but no letters or kanji; it comes in NFKC.
    Without one the text is returned as it is, with None; parentheses that are empty or hold only
    dashes or question marks are dropped, with None.

    >>> split_reading("霧/Mist（きり）"), split_reading("Mist (Used)")
    (('霧/Mist', 'きり'), ('Mist (Used)', None))
    """
    name = text.rstrip()
    start = _last_parentheses(name)
    if start <= 0:
        return text, None
    inside = name[start + 1 : -1].strip()
    if not inside.strip("-−－―? ？"):
        return name[:start].rstrip(), None
    if not _ANY_KANA.search(inside) or _NO_READING.search(inside):
        return text, None
    return name[:start].rstrip(), joined_marks(inside)


def joined_marks(reading: str) -> str:
    """Return a reading in NFKC, with voicing marks joined to the kana that they stand behind.

    >>> joined_marks("う゛ぇーる")
    'ゔぇーる'
    """
    return plain(unicodedata.normalize("NFC", reading.translate(_MARKS)))


def _last_parentheses(text: str) -> int:
    """Return where the parentheses that end a text begin, with all that is nested in them; -1 if
    there are none, or nothing opens them."""
    depth = 0
    for index in reversed(range(len(text))):
        if text[index] in _CLOSING:
            depth += 1
        elif text[index] in _OPENING:
            depth -= 1
        if depth == 0:
            return index if index < len(text) - 1 else -1
    return -1
