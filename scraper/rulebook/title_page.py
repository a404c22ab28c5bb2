"""Finds what stands before the rules of a book, and in it the title and the name of the game."""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from scraper.rulebook.edition import is_date, without_dates
from scraper.rulebook.languages import alternatives
from scraper.rulebook.numbering import ends_sentence, number_at
from scraper.rulebook.page_layout import RUNNING_HEAD

# By hand, where no reason is beside them.
# Lines that are looked at before the first rule, which is line 589 at most in books of five games.
_MOST_LINES = 1000
_LAST_LINES = 12  # that are looked at behind the last rule: a colophon
_LONGEST_TITLE = 80  # characters: a line of print, as of headings in `numbering`
_LONGEST_LINE = 400  # characters that are looked at, to bound time: far above `_LONGEST_TITLE`
_LONGEST_NAME = 40  # characters of an id, which is in the name of each page: longer ones are cut
_FIRST_LINES = 20  # that are not empty, among which the title is: half a title page
# Lines of a title above the line that says that it is a rulebook, and lines, blank ones counted,
# among which they stand: names are set over several lines, with space between.
_LINES_ABOVE, _SPREAD = 3, 8
# What the titles of rulebooks contain besides the name of the game.
_GENERIC = re.compile(
    alternatives(lambda lang: lang.generic_titles)
    + rf"|{alternatives(lambda lang: lang.effective + lang.updated)}[a-z]*",
    re.IGNORECASE,
)
_RULE = re.compile(
    r"\brules?\b|rule\s*book|ルール|規則|规则|規則|규칙|regel|règle|\breg(?:la|ol[ae]|ra)|regolament"
    r"|reglement|reglamento|regulamento|anleitung|\bmanue?a?le? d[eiu]|遊び方",
    re.IGNORECASE,
)
_LETTERS_APART = re.compile(r"\w(?: \w){2,}")  # as a logo is set
_CONTENTS = re.compile(alternatives(lambda lang: lang.contents), re.IGNORECASE)
_HISTORY = re.compile(alternatives(lambda lang: lang.history) + r"(?!\w).{0,30}", re.IGNORECASE)
# Three dots before a page, or a tab.
_ENTRY = re.compile(r"(?:(?:[.．…·・‥_]\s?){3}|\t)\s*\d{1,4}$")
# Characters at the end of a line that show it to be one of the contents: a line of dots took time
# that grew with its square.
_LONGEST_ENTRY_END = 24
_TITLE_LABEL = re.compile(r"^(?:title|game|タイトル|ゲーム名?)\s*[:：]\s*", re.IGNORECASE)
_LINK = re.compile(r"!?\[([^\[\]]{0,200})\]\([^()]{0,300}\)")
_NO_NAME = re.compile(  # what a game is, not what it is called; without spaces
    "(?:sammel)?kartenspiel|"
    "(?:official)?(?:trading|collectible|living|expandable)?(?:card)?game|tcg|ccg|lcg|ocg|edition|"
    r"\w{1,10}版|"  # デラックス版: an edition
    "(?:オフィシャル|公式)?(?:トレーディング)?カードゲーム|(?:集换式|集換式)?[卡纸紙]牌(?:游戏|遊戲|对战|對戰)",
)
# Lines of YAML in front of a Markdown file; bounded, as `---` may be a ruler that nothing closes.
FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(?:[^\n]{0,500}\n){1,40}?---[ \t]*\r?\n")
_COMPANY = re.compile(  # a line that names one names no game, though it is said again below
    r"\b(?:llc|inc|ltd|gmbh|s\.?[arl]\.?(?:r\.?)?(?:l\.?)?|corp|verlag|éditions|editorial|edizioni"
    r"|editora|press|publishing|presents|présente|präsentiert|presenta)\b|株式会社|주식회사|有限公司",
    re.IGNORECASE,
)
# The same behind a name, where it may stand or not: one game, one name.
_ABBREVIATION = re.compile(r"[(（]\s?[A-Z]{2,5}\s?[)）]")  # of the document: Spielregeln (TSR)
_OF_NAME = frozenset("tm tcg ccg lcg ocg kartenspiel sammelkartenspiel".split())
_WORD = re.compile(r"\w+")
_JOINING = frozenset(
    "the a an of for from to and in by date für der die das von zu ab dem de du des la le les pour "
    "au aux à del el di della dal il do da dos das para per".split()
)


@dataclass(frozen=True, slots=True)
class OuterLines:
    """The lines of a rulebook that are outside its rules, as far as they may say what book it is.

    front: those before the first rule, by index; numbered lines and entries of the contents are
        empty, and so are all from a history of the book on.
    heads: the running heads and feet of the pages, each wording once.
    end: the last lines behind the last rule; empty if they are the book's history.
    """

    front: tuple[str, ...]
    heads: tuple[str, ...]
    end: tuple[str, ...]


def outer_lines(
    lines: Sequence[str],
    omitted: Mapping[int, str],
    parts: Mapping[int, str],
    rules: Collection[int],
) -> OuterLines:
    """Return the lines of a rulebook that are outside its rules, without Markdown's marks.

    A rule that is nothing but a date (`3 Feb 2025`) is none here. Without rules all lines, up to
    1,000, are in front.

    lines: all lines of the book.
    omitted: {index of a line: reason}, as `page_layout` gives them.
    parts: {index of the heading of a part: which part}, such as `history`.
    rules: the indices of the lines that begin a rule.
    """
    first = next((n for n in sorted(rules) if not is_date(lines[n])), len(lines))
    front = [""] * min(first, _MOST_LINES)
    for n in range(len(front)):
        line = _plain(lines[n])
        if parts.get(n) == "history" or (n not in omitted and _HISTORY.fullmatch(line)):
            break
        front[n] = "" if _is_entry(line) else line
    heads = {_plain(lines[n]): None for n, why in sorted(omitted.items()) if why == RUNNING_HEAD}
    return OuterLines(tuple(front), tuple(heads), _last_lines(lines, omitted, parts, rules))


def _last_lines(
    lines: Sequence[str],
    omitted: Container[int],
    parts: Mapping[int, str],
    rules: Collection[int],
) -> tuple[str, ...]:
    """Return the last twelve lines with text, of those behind the last rule, or behind the last
    heading of a part that follows it, that are not omitted; none in a history, whose dates are of
    all editions. Without rules there are none.

    The arguments are those of `outer_lines`.
    """
    last = max(rules, default=len(lines))
    closing = max((n for n in parts if n > last), default=last)
    if parts.get(closing) == "history":
        return ()
    behind = (n for n in range(closing + 1, len(lines)) if n not in omitted)
    return tuple(line for n in behind if (line := _plain(lines[n])))[-_LAST_LINES:]


def _plain(line: str) -> str:
    """Return the beginning of a line without indent, Markdown's marks, and a label such as
    `Title:`; of links their words. Letters that are set apart (`G A M E`) are joined."""
    text = _LINK.sub(r"\1", line[:_LONGEST_LINE])
    text = re.sub(r"^\s*(?:#{1,6}|>)\s+|[*_\\`]+|\s#+\s*$", "", text).strip()
    words = re.split(r"\s{2,}", text)
    if any(map(_LETTERS_APART.fullmatch, words)):
        text = " ".join("".join(w.split()) if _LETTERS_APART.fullmatch(w) else w for w in words)
    return _TITLE_LABEL.sub("", text)


def _is_entry(line: str) -> bool:
    """Whether a line is one of the table of contents (its heading, or with a page behind dots or a
    tab), or begins with a number and is no date."""
    if _CONTENTS.fullmatch(line) or _ENTRY.search(line[-_LONGEST_ENTRY_END:]):
        return True
    return number_at(line) is not None and not is_date(line)


@dataclass(frozen=True, slots=True)
class Title:
    """The title of a rulebook.

    text: the title as printed, its lines joined; empty if none was found.
    lines: the lines in which the name of the game may stand.
    names: ids for the game from what may be its name in the title, the likeliest first; empty if
        the title names no game.
    joined: the ids if two or three lines above the title are one name, the longest first.
    pieces: the ids of all pieces of its line.
    """

    text: str
    lines: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    joined: tuple[str, ...] = ()
    pieces: tuple[str, ...] = ()


def find_title(outer: OuterLines) -> Title:
    """Return the title of a rulebook, with what it calls the game.

    It is the first heading that says that it is of rules, with what stands directly above or below
    it if it does not name the game; without one in front of the rules, it is looked for in the
    running heads. Else it is the first line, which names a game only if it is a heading.

    >>> book = OuterLines(("Sample Game", "", "Comprehensive Rules", "Version 1.2"), (), ())
    >>> title = find_title(book)
    >>> title.text, title.names
    ('Sample Game Comprehensive Rules', ('sample-game',))
    >>> find_title(OuterLines((), (), ())).names
    ()
    """
    for lines in (outer.front, outer.heads):
        at = _line_of_title(lines)
        if at is not None:
            return _title_at(lines, at)
    first = next((line for line in (*outer.front, *outer.heads) if line), "")
    name = _name_in(first) if _is_heading(first) else None
    return Title(first, (first,), (name,)) if name else Title(first)


def names_rules(line: str) -> bool:
    """Whether a line may be the title of a rulebook: a short one, no sentence, with a word for
    rules, in any case and also behind Markdown's marks.

    >>> names_rules("# Sample Game – Official Rules"), names_rules("How this was made")
    (True, False)
    """
    text = _plain(line)
    return _is_heading(text) and _RULE.search(text) is not None


def _line_of_title(lines: Sequence[str]) -> int | None:
    """Return the index of the first heading that says that it is of rules; None without one among
    the first 20 that are not empty. One that says nothing else may be a link of a web page: others
    come first."""
    filled = (n for n, line in enumerate(lines) if line)
    first = islice(filled, _FIRST_LINES)
    found = [n for n in first if _is_heading(lines[n]) and _RULE.search(lines[n])]
    return min(found, key=lambda n: _RULE.fullmatch(lines[n]) is not None, default=None)


def _title_at(lines: Sequence[str], at: int) -> Title:
    """Return the title one of whose lines is that with the index `at`. Names come from that line,
    then from those above, the nearest first, then from that below; from above first, if the line
    itself does not begin with a name."""
    above = [n for n in range(max(0, at - _SPREAD), at) if lines[n]][-_LINES_ABOVE:]
    above = [n for n in above if all(_is_heading(line) for line in lines[n:at] if line)]
    below = [at + 1] if at + 1 < len(lines) and _is_heading(lines[at + 1]) else []
    block = tuple(lines[n] for n in (*above, at, *below))
    named = [(n, name) for n in (at, *reversed(above), *below) if (name := _name_in(lines[n]))]
    windows = (above[n : n + size] for size in (3, 2) for n in range(len(above) - size + 1))
    joined = [_name_in(" ".join(lines[n] for n in window)) for window in windows]
    # One word may be set over two lines, too.
    joined += [f"{one}{two}" for one, two in pairwise(_name_in(lines[n]) or "" for n in above)]
    if not _names_first(lines[at]):  # the name is above, and shorter than what is said of it
        named.sort(key=lambda each: (each[0] >= at, each[1].count("-") * (each[0] < at)))
    first = named[0][0] if named else at
    whole = " ".join(filter(None, lines[min(first, at) : max(first, at) + 1]))
    names = tuple(name for _, name in named)
    return Title(whole, block, names, tuple(filter(None, joined)), tuple(names_in(lines[at])))


def _is_heading(line: str) -> bool:
    """Whether a line may be a part of a title: it is short and no sentence. Not if it is empty."""
    return 0 < len(line) <= _LONGEST_TITLE and not ends_sentence(line)


def _names_first(title: str) -> bool:
    """Whether a title begins with a name, or has it behind a word such as `of`: what else stands
    behind the word for rules says of what date or kind they are."""
    pieces = (_WORD.findall(piece) for piece in _pieces(title))
    return any(
        (not n or words[0] in _JOINING) and any(word not in _JOINING for word in words)
        for n, words in enumerate(pieces)
        if words
    )


def _pieces(title: str) -> list[str]:
    """Return what stands between the generic words of a title, in NFKC and lower case, dates and
    versions aside; pieces may be blank."""
    return _GENERIC.split(without_dates(title).lower())


def _name_in(title: str) -> str | None:
    """Return an id for an unknown game from a line of a title; None if it names no game.

    It is what stands before or else behind generic words, a version or a date, in NFKC and lower
    case, its words joined with `-`; at most 40 characters.

    >>> _name_in("サンプルカードゲーム 総合ルール ver.1.02"), _name_in("総合ルール")
    ('サンプルカードゲーム', None)
    >>> _name_in("Sample Core Rules, last updated: 2025-10-01"), _name_in("Core Rules of Sample")
    ('sample', 'sample')
    """
    return next(names_in(title), None)


def names_in(title: str) -> Iterator[str]:
    """Yield an id for each piece of a title that may be a name, from left to right, as `_name_in`
    gives the first; none for a line that names a company."""
    for piece in () if _COMPANY.search(title) else _pieces(_ABBREVIATION.sub(" ", title)):
        words = _WORD.findall(piece)
        while words and (words[0] in _JOINING or words[0] in _OF_NAME):
            words = words[1:]
        while words and (words[-1] in _JOINING or words[-1] in _OF_NAME):
            words = words[:-1]
        name = "".join(words)
        if len(name) > 1 + name.isascii() and not name.isdecimal() and not _NO_NAME.fullmatch(name):
            yield "-".join(words)[:_LONGEST_NAME].strip("-")
