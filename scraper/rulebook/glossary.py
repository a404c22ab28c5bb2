"""Tells the headwords of a glossary from their glosses, in whatever form a rulebook prints them.

The form is inferred from the document, as numbering is. Headwords that stand in one line with
their gloss are cut off at the sign that most lines have (a colon, a dash, brackets, wide space).
Otherwise each line is a headword (`scraper.rulebook.glossary_lines`) or belongs to a gloss.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from scraper.rulebook.glossary_lines import (
    BULLET,
    NOTE,
    OPENING,
    SENSE,
    SENTENCE_INSIDE,
    GlossaryLine,
    counted_rows,
    glosses_are_sentences,
    headword_rows,
    line_indents,
    names_again,
    runs_on,
    sort_fold,
    sort_key,
    wrap_edge,
)
from scraper.rulebook.numbering import Key, NumberedLine, ends_sentence
from scraper.rulebook.page_layout import is_full, right_edge, width
from scraper.rulebook.part_headings import heading_number

PieceKind = Literal["heading", "entry", "gloss", "paragraph"]

_CLOSING = ")）]］】〕〉》」』＞>"
_BRACKETS = (("【", "】"), ("［", "］"), ("[", "]"), ("〔", "〕"), ("〈", "〉"), ("＜", "＞"),
             ("<", ">"), ("《", "》"), ("「", "」"), ("『", "』"))  # fmt: skip
# Bounds of headwords and what belongs to them here are by hand: the widest headword in the books of
# two games takes 81 columns. They also bound time where a sign never comes.
_BRACKETED = "|".join(
    f"{re.escape(a)}[^{re.escape(a + b)}]{{1,40}}{re.escape(b)}" for a, b in _BRACKETS
)
_IN_PARENTHESES = r"[(（][^()（）]{1,60}[)）]"
_SEVERAL_LINES = 4  # of a glossary, which should have more than one entry: two and their glosses
_LONGEST_GLOSS = 3000  # characters; books give up to 1,000
# Of the numbered lines of a glossary, so that they are its entries. By hand: nearly all, as where
# some numbers have no headword behind them, all are rules.
_HEADWORDS_SHARE = 0.9


def _before(signs: str, longest: int = 90) -> str:
    """Return a pattern for a headword without certain signs, but for those in its parentheses or
    quotation marks, which count as one of at most `longest` characters."""
    return rf"(?>{_IN_PARENTHESES}|“[^“”]{{1,60}}”|[^{signs}]){{1,{longest}}}?"


# Headword and gloss in one line: group 1 is the headword with its sign, group 2 the gloss. Of signs
# that as many lines have the first counts; the full stop is last, as any sentence has one.
_SEPARATORS = {
    "brackets": re.compile(
        rf"((?:[ぁ-ゖー]{{1,20}}\s*)?(?:{_BRACKETED})\s*(?:{_IN_PARENTHESES})?\s*)(.*)"
    ),
    "colon": re.compile(rf"({_before(':：')}(?:：|:(?!//|(?<=\d:)\d))(?:\*\*|__)?\s*)(.*)"),
    "dash": re.compile(
        rf"({_before('–—―')}(?:\s+[-‐−–—―]{{1,2}}\s+|\s*(?:[–—―]{{2}}|[–—―](?!(?<=\d.)\d))\s*))(.*)"
    ),
    "equals": re.compile(rf"({_before('=＝')}[=＝]\s*)(.*)"),
    "leader": re.compile(rf"({_before('…‥→⇒')}\s*(?:[…‥]+|[→⇒]|->)\s*)(.*)"),
    "cell": re.compile(r"(\|?[^|]{1,90}\|\s*)([^|]*\|?)"),
    "space": re.compile(r"(\S(?:[^\t\u3000]{0,88}?\S)?(?:[ \u3000]*\t\s*|\u3000\s*|\s{2,}))(.*)"),
    "parentheses": re.compile(rf"([^\s()（）][^()（）]{{0,40}}{_IN_PARENTHESES}\s*)(.*)"),
    "full stop": re.compile(r"([^.。．]{1,40}(?:\.\s+|[。．]\s*))(.*)"),
}
# Of the lines that have the sign; of other signs 0.6, above a half. By hand: more lines than those
# with headwords have a full stop.
_SHARES = {"full stop": 0.8}
_SIGNS_BEHIND = ":：=＝|-‐−–—―…‥→⇒> "
# As `sort_fold` gives it, so that a is also A and か also ガ; or a range of letters, or a row.
_LETTER = re.compile(r"[a-z]|[0-9]-?[0-9]|[a-z]\s?[-~]\s?[a-z]|([ぁ-ん])(?:行|\s?[-~]\s?[ぁ-ん])?")
_OTHER_LETTERS = re.compile(r"(?:記号|数字|英字|英数字?|その他|符号|symbols?|numbers?|other)")
_ROWS = ("あいうえお", "かきくけこ", "さしすせそ", "たちつてと", "なにぬねの",
         "はひふへほ", "まみむめも", "やゆよ", "らりるれろ", "わゐゑをん")  # fmt: skip
_ONLY_NAMES = re.compile(r"[(（][^()（）]{1,60}[)）]")
# Three strokes near the beginning, as Markdown has them at least.
_TABLE_RULE = re.compile(r"(?=.{0,9}[-=─━]{3})[|│+:=\-─━\s]+")
_TABLE_CELL = re.compile(r"[|│\t\u3000:：/／]|\s[–—-]\s|\s\s")
_NAME_COLUMN = re.compile(
    r"(?:terms?|key ?words?|words?|names?|entry|english|japanese|reading|abbreviation)"
    r"|用語|語句?|名称|名前|項目|キーワード|略語|よみ(?:がな|かた)?|読み(?:方|仮名)?|ふりがな"
    r"|(?:英語|日本語|英文|日文|中文)(?:名|表記)?|术语|術語|词汇|詞彙|词语|用语|名词|名詞|名[称稱]|关键词",
    re.IGNORECASE,
)
_GLOSS_COLUMN = re.compile(
    r"(?:meanings?|definitions?|descriptions?|explanations?|details?|notes?|see(?: also)?"
    r"|references?|rules?|sections?)"
    r"|意味|説明|解説|定義|内容|備考|参照|含[义義]|释义|釋義|解[释釋]|[说說]明|定[义義]|描述|[备備]注",
    re.IGNORECASE,
)
_WIDEST_TITLES = 90  # columns of text, as of a headword: titles of columns are one line of a page
_LONGER = 16  # columns that a headword may be longer than all that are known, which may be few
_LONGEST_DIVIDER = 40  # characters, to save time: a letter with signs around it has fewer
# By hand: most headwords are shorter, and each further gap may be one by chance.
_LONGEST_GLUED = 40  # characters of a line in which a headword without a sign ends
# By hand: once may be a slip.
_OFTEN_SMALL = 2  # times that a word is written in small letters, which then begins a sentence
# Of the headwords of a glossary in the order of its language; four in five, as for `_are_sorted`:
# some are sorted by another reading.
_SORTED_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class Piece:
    """A line of a glossary, or its headword or gloss if it has both.

    kind: `entry` for a headword, `gloss`, `heading` for a letter that divides the glossary, or
        `paragraph` for what stands before the first headword.
    text: the text, stripped. A headword keeps its sign, such as a colon.
    continues: whether it goes on with the piece before, with which it makes one passage.
    """

    kind: PieceKind
    text: str
    continues: bool = False


def glossary_pieces(
    lines: Sequence[str],
    omitted: Container[int],
    parts: Mapping[int, str],
    rules: Container[int],
    edge: int | None,
) -> dict[int, tuple[Piece, ...]]:
    """Return the pieces of each line of a rulebook's glossaries, by the index of the line.

    A glossary goes from its heading to the next heading of a part, or the next rule. Blank and
    omitted lines have no pieces, nor has the heading of the glossary.

    lines: all lines of the book.
    omitted, rules: the indices of the lines that are left out, and of those that begin a rule.
    parts: the names of the parts, such as `glossary`, by the indices of their headings.
    edge: the column where lines are broken; None if each line is a paragraph.

    >>> lines = ["Glossary", "Draw", "To take a card.", "Hand", "The cards drawn."]
    >>> pieces = glossary_pieces(lines, (), {0: "glossary"}, (), None)
    >>> [piece.kind for of_line in pieces.values() for piece in of_line]
    ['entry', 'gloss', 'entry', 'gloss']
    """
    pieces: dict[int, tuple[Piece, ...]] = {}
    indices: list[int] = []
    part: list[GlossaryLine] = []
    in_glossary = blank = page = False
    for n, line in enumerate(lines):
        if n in omitted:
            page = True
        elif not line.strip():
            blank = True
        else:
            if n in parts or n in rules:
                if part:
                    pieces.update(zip(indices, parse_glossary(part, edge), strict=True))
                    indices, part = [], []
                in_glossary = parts.get(n) == "glossary"
            elif in_glossary:
                indices.append(n)
                part.append(GlossaryLine(line, blank, page))
            blank = page = False
    if part:
        pieces.update(zip(indices, parse_glossary(part, edge), strict=True))
    return pieces


def parse_glossary(
    lines: Sequence[GlossaryLine], edge: int | None = None
) -> list[tuple[Piece, ...]]:
    """Return the pieces of each line of a glossary: one, or headword and gloss.

    Where no headwords are told, all lines are paragraphs; without lines the result is empty.

    lines: the lines below the heading of the glossary; any text.
    edge: the column where the file breaks its lines; if None, that is found out here.

    >>> [[p.text for p in pieces] for pieces in parse_glossary([GlossaryLine("手札：持つ札。")])]
    [['手札：', '持つ札。']]
    """
    table_lines = _table_lines(lines)
    dividers = _dividers(lines)
    body = [n for n in range(len(lines)) if n not in dividers and n not in table_lines]
    rows = [lines[n] for n in body]
    cuts = _inline_heads(rows)
    heads = set(cuts) if cuts else headword_rows(rows)
    if not cuts:
        cuts = _glued_heads(rows, heads)
        heads |= cuts.keys()
    titles, beside = _other_lists(rows, heads)
    heads -= titles | beside
    begun = {row for row, cut in cuts.items() if cut < len(rows[row].text.strip())}
    continued = _continued_rows(rows, heads, begun, edge)
    pieces: list[tuple[Piece, ...]] = [(Piece("heading", line.text.strip()),) for line in lines]
    for n in table_lines:
        pieces[n] = (Piece("paragraph", lines[n].text.strip()),)
    first = min(heads, default=0)
    for row, n in enumerate(body):
        text = rows[row].text.strip()
        if row in heads:
            cut = cuts.get(row, len(text))
            gloss = (Piece("gloss", text[cut:]),) if text[cut:] else ()
            pieces[n] = (Piece("entry", text[:cut].rstrip()), *gloss)
        else:
            kind: PieceKind = "gloss" if heads and row > first else "paragraph"
            kind = "heading" if row in titles else "paragraph" if row in beside else kind
            pieces[n] = (Piece(kind, text, kind != "heading" and row in continued),)
    return pieces


# -- titles of columns ------------------------------------------------------------------------


def _table_lines(lines: Sequence[GlossaryLine]) -> set[int]:
    """Return the indices of the lines that give the titles of a table's columns (known titles, or
    cells above the first ruler), and of all rulers of the table."""
    rules = {n for n, line in enumerate(lines) if _TABLE_RULE.fullmatch(line.text.strip())}
    titles = {n for n, line in enumerate(lines) if _gives_columns(line.text)}
    above = {n - 1 for n in rules if n and _TABLE_CELL.search(lines[n - 1].text.strip())}
    first = {min(above)} if above else set()
    return rules | titles | first


def _gives_columns(text: str) -> bool:
    """Whether a line consists of titles of columns, such as `Term` and `Meaning`: the first for
    names, and at least one for glosses."""
    if width(text) > _WIDEST_TITLES:
        return False
    cells = [cell.strip(" *_") for cell in _TABLE_CELL.split(text.strip(" |\t\u3000"))]
    cells = [cell for cell in cells if cell] or [""]
    names = [_NAME_COLUMN.fullmatch(cell) is not None for cell in cells]
    glosses = [_GLOSS_COLUMN.fullmatch(cell) is not None for cell in cells]
    known = all(name or gloss for name, gloss in zip(names, glosses, strict=True))
    return known and names[0] and any(glosses)


# -- letters that divide a glossary ------------------------------------------------------------


def _dividers(lines: Sequence[GlossaryLine]) -> set[int]:
    """Return the indices of the lines that only give the letter of the headwords below them.

    They are at least two letters or rows of kana of which nine in ten ascend, and the headwords
    below begin with them (three letters, if that can't be told); all of them, or none: in `X`,
    `A number that…`, `X` is a headword.
    """
    found: list[tuple[int, str]] = []
    certain = True
    for n, line in enumerate(lines[:-1]):
        letter = _letter_of(line.text)
        if letter is None:
            continue
        following = sort_key(lines[n + 1].text)
        is_row = letter == "" or line.text.rstrip(" 】])）").endswith("行")
        if is_row or following is None or _is_under(following, letter):
            found.append((n, letter))
            certain = certain and following is not None
    letters = [letter for _, letter in found if letter]
    ascending = sum(a < b for a, b in pairwise(letters))
    fewest = 2 if certain or not all(letter.isascii() for letter in letters) else 3
    is_divided = len(letters) >= fewest and ascending * 10 >= 9 * (len(letters) - 1)
    return {n for n, _ in found} if is_divided else set()


def _letter_of(text: str) -> str | None:
    """Return the letter of a line that gives nothing else, as in sort keys (`a` for `[A]` and
    `A-C`, `あ` for `ア行`); "" for `記号` and the like, None for other lines."""
    if len(text) > _LONGEST_DIVIDER:
        return None
    plain = sort_fold(text)
    plain = re.sub(
        rf"^[\s{BULLET}{re.escape(OPENING)}-]+|[\s\])）］】〕〉》」』>＞:：-]+$", "", plain
    )
    if _OTHER_LETTERS.fullmatch(plain):
        return ""
    return plain[0] if _LETTER.fullmatch(plain) else None


def _is_under(key: str, letter: str) -> bool:
    """Whether a headword of this sort key stands below this letter (of kana, its row; of a to z,
    any letter from it on, as letters without headwords are left out)."""
    row = next((row for row in _ROWS if letter in row), letter)
    return key[:1] in row or (letter.isascii() and letter.isalpha() and key[:1] >= letter)


# -- headword and gloss in one line ------------------------------------------------------------


def _inline_heads(rows: Sequence[GlossaryLine]) -> dict[int, int]:
    """Return the lines that hold a headword and its gloss, with the place where the gloss begins
    in the stripped line; empty if headwords have lines of their own.

    That is the form if one sign separates the two in most lines that begin something. Of several
    signs the one with the most lines counts; what stands before it three times is no headword. A
    cut at the end of its line has the gloss below.
    """
    if not rows:
        return {}
    edge = wrap_edge(rows)
    indents = line_indents(rows)
    lines = [n for n, indent in enumerate(indents) if not indent]
    found: list[dict[int, int]] = []
    counted = counted_rows(rows)
    finished = glosses_are_sentences(rows)
    starts = {n for n in lines if not n or not runs_on(rows[n - 1].text, rows[n], edge)}
    for name, separator in _SEPARATORS.items():
        cuts: dict[int, int] = {}
        heads: Counter[str] = Counter()
        for n in lines:
            match = separator.fullmatch(rows[n].text.strip())
            numbered = SENSE.match(match[1]) if match else None
            if numbered and n not in counted:
                continue
            if match and _may_be_inline_head(
                match[1][numbered.end() if numbered else 0 :], match[2]
            ):
                cuts[n] = match.end(1)
                heads[match[1]] += 1
        cuts = {n: cut for n, cut in cuts.items() if heads[rows[n].text.strip()[:cut]] < 3}
        share = _SHARES.get(name, 0.6)
        sure = cuts
        if len(cuts) < share * len(lines):
            sure = {n: cut for n, cut in cuts.items() if n in starts}
        with_gloss = sum(cut < len(rows[n].text.strip()) for n, cut in sure.items())
        if len(sure) >= share * len(starts) and with_gloss * 2 > len(sure):
            found.append(sure if finished else _with_alike(rows, sure, cuts))
        if found and name == "parentheses":
            break  # a full stop separates the two only if no other sign does
    return max(found, key=len, default={})


def _glued_heads(rows: Sequence[GlossaryLine], heads: Collection[int]) -> dict[int, int]:
    """Return the lines in which a headword and its gloss got on one line without any sign, in a
    glossary whose headwords have lines of their own; with the place where the gloss begins. Empty
    if the headwords are fewer than four, or not sorted.

    The line before ends a sentence, the first words stand in the order of the headwords around
    them, and the next is one that the glossary writes in small letters elsewhere, so that its
    capital begins a sentence: `stack Several instances of…` between `Stack` and `Strength`.
    """
    names = {n: sort_fold(rows[n].text.strip()) for n in sorted(heads)}
    ascending = sum(before <= after for before, after in pairwise(names.values()))
    if len(names) < _SEVERAL_LINES or ascending < _SORTED_SHARE * (len(names) - 1):
        return {}
    small = Counter(re.findall(r"\b[^\W\d_A-Z]\w*", "\n".join(row.text for row in rows)))
    found: dict[int, int] = {}
    above = ""
    for n, row in enumerate(rows):
        text = row.text.strip()
        if n in names:
            above = names[n]
        elif n and n - 1 not in names and above and ends_sentence(rows[n - 1].text):
            below = next((name for m, name in names.items() if m > n), "")
            for gap in re.finditer(r"(?<=[^\W\d]) (?=[^\W\d_]+ )", text[:_LONGEST_GLUED]):
                name, word = sort_fold(text[: gap.start()]), text[gap.end() :].split(" ", 1)[0]
                is_capital = word[0].isupper() and small[word.lower()] >= _OFTEN_SMALL
                if is_capital and above < name < below:
                    found[n], above = gap.end(), name
                    break
    return found


def _with_alike(
    rows: Sequence[GlossaryLine], sure: Mapping[int, int], cuts: Mapping[int, int]
) -> dict[int, int]:
    """Return the sure cuts with those of further lines whose headwords look like the sure ones.

    These stand behind a full line, so that they might go on with its gloss, if glosses end in no
    full stop. They begin as most sure headwords do and are hardly longer than these.
    """
    names = {n: rows[n].text.strip()[:cut] for n, cut in cuts.items()}
    longest = max((width(names[n]) for n in sure), default=0) + _LONGER
    kinds = Counter(_kind(names[n]) for n in sure)
    usual = {kind for kind, count in kinds.items() if count * 5 >= len(sure)}
    return {
        n: cut
        for n, cut in cuts.items()
        if n in sure or (width(names[n]) <= longest and _kind(names[n]) in usual)
    }


def _kind(text: str) -> str:
    """Return what a text, not empty, begins with: `1` for a digit, `A` or `a` for a capital or
    small letter, `字` for a letter without case, else the sign itself."""
    first = text[0]
    if not first.isalpha():
        return "1" if first.isdigit() else first
    return "A" if first.isupper() else "a" if first.islower() else "字"


def _may_be_inline_head(head: str, gloss: str) -> bool:
    """Whether the two parts of a line may be headword and gloss; the gloss may be empty.

    A headword has a letter, at most 90 columns, no sentence in it, and closes its parentheses; a
    gloss takes at least four columns.
    """
    name = head.strip().rstrip(_SIGNS_BEHIND)
    name = re.sub(r"(?<=[\w)）”])[.。．]$", "", name)
    bare = NOTE.sub("", name).rstrip(_CLOSING)
    return (
        re.search(r"[^\W\d]", name) is not None
        and width(name) <= 90
        and not SENTENCE_INSIDE.search(NOTE.sub("", name))
        and not (ends_sentence(bare) and bare[-1] not in "!！?？")
        and all(name.count(a) == name.count(b) for a, b in ("()", "（）"))
        and (not gloss or width(gloss) >= 4)
    )


def _other_lists(rows: Sequence[GlossaryLine], heads: Container[int]) -> tuple[set[int], set[int]]:
    """Return the indices of the titles of lists in a glossary that are in another form than its
    entries, and of the lines of these lists. Both are empty if there are none.

    Where entries are separated by blank lines, a line alone between two is such a title, and the
    lines below it up to the next blank line are its list.
    """
    blocks = [n for n, row in enumerate(rows) if row.after_blank and not row.begins_page]
    alone = {n for n, following in pairwise(blocks) if following == n + 1}
    if len(alone) * 20 > len(blocks) or sum(n in heads for n in blocks) * 10 < len(blocks) * 9:
        return set(), set()
    beside: set[int] = set()
    for title in alone:
        end = next((n for n in blocks if n > title + 1), len(rows))
        beside.update(range(title + 1, end))
    return alone, beside


# -- glosses in several lines ------------------------------------------------------------------


def _gives_names(head: str, text: str) -> bool:
    """Whether the line below a headword only gives names of it: it is in parentheses whole, or a
    reading or a name in Latin letters (`names_again`)."""
    return _ONLY_NAMES.fullmatch(text) is not None or names_again(head, text)


def _continued_rows(
    rows: Sequence[GlossaryLine], heads: Container[int], begun: Container[int], edge: int | None
) -> set[int]:
    """Return the indices of the lines that go on with the paragraph of the line before.

    There are none if each line is a paragraph, as in a file whose glosses are not broken. A line
    of names in parentheses below a headword stays by itself.

    begun: the headwords with the beginning of their gloss in the same line.
    edge: the column where lines are broken, or None if that is to be found out.
    """
    own_edge = right_edge([row.text for row in rows])
    candidates = [
        n
        for n, row in enumerate(rows)
        if n
        and n not in heads
        and (n - 1 not in heads or n - 1 in begun)
        and not (n - 2 in heads and _gives_names(rows[n - 2].text, rows[n - 1].text.strip()))
        and not SENSE.match(row.text.strip())
    ]
    broken = [n for n in candidates if runs_on(rows[n - 1].text, rows[n], own_edge)]
    if edge is None and len(broken) * 10 < len(candidates):
        return set()
    return {
        n
        for n in candidates
        if (rows[n].begins_page or not rows[n].after_blank)
        and not (
            ends_sentence(rows[n - 1].text)
            and not is_full(rows[n - 1].text, rows[n].text, own_edge)
        )
    }


def is_in_chapter(chapter: Key, key: Key) -> bool:
    """Whether a number is below that of a glossary's heading; never if that has none, `()`.

    >>> is_in_chapter((12,), (12, 1)), is_in_chapter((), (1,))
    (True, False)
    """
    return bool(chapter) and len(key) > len(chapter) and key[: len(chapter)] == chapter


def ends_chapter(chapter: Key, key: Key) -> bool:
    """Whether a number is the next one beside that of the heading of a section: 721 for 720.

    >>> ends_chapter((7, 720), (7, 721)), ends_chapter((12,), (13,))
    (True, False)
    """
    return len(chapter) > 1 and key == (*chapter[:-1], chapter[-1] + 1)


def read_glossaries(
    lines: Sequence[str],
    omitted: Container[int],
    parts: Mapping[int, str],
    rules: Mapping[int, NumberedLine],
    edge: int | None,
) -> dict[int, tuple[Piece, ...]]:
    """Return the pieces of each line of a rulebook's glossaries, by the index of the line.

    Lines that begin a rule are among them if they are entries, too: those directly below the number
    of the glossary's heading, if nine in ten of them begin with a headword.

    lines, omitted, parts, edge: as for `glossary_pieces`.
    rules: the lines that begin a rule, by their indices.

    >>> from scraper.rulebook.numbering import number_at
    >>> lines = ["3. Glossary", "3.1. Draw: To take.", "3.2. Hand: What is taken."]
    >>> rules = {n: number_at(lines[n], n) for n in (1, 2)}
    >>> pieces = read_glossaries(lines, (), {0: "glossary"}, rules, None)
    >>> [piece.text for piece in pieces[1]]
    ['3.1. Draw:', 'To take.']
    """
    entries: set[int] = set()
    starts = [*sorted(parts), len(lines)]
    for start, end in pairwise(starts):
        if parts[start] == "glossary":
            entries.update(_flat_rules(lines[start], start, end, rules))
    others = rules.keys() - entries
    pieces = glossary_pieces(lines, omitted, parts, others, edge)
    heads = [n for n in entries if n in pieces and pieces[n][0].kind == "entry"]
    if len(heads) < _HEADWORDS_SHARE * len(entries):
        return glossary_pieces(lines, omitted, parts, rules, edge)
    return pieces


def _flat_rules(
    heading: str, start: int, end: int, rules: Mapping[int, NumberedLine]
) -> Collection[int]:
    """Return the lines of the rules directly below a glossary's heading; none if any of these has
    rules below it. Of a heading without a number they are those of its one appendix (`A-1`).

    start, end: the lines between which the rules of the glossary stand, both excluded.
    """
    number = heading_number(heading)
    within = {n: rule.key for n, rule in rules.items() if start < n < end}
    lettered = {rule.key[:1] for rule in map(rules.__getitem__, within) if rule.number[0].isalpha()}
    chapter = number.key if number else next(iter(lettered)) if len(lettered) == 1 else ()
    below = {n: key for n, key in within.items() if is_in_chapter(chapter, key)}
    return below if all(len(key) == len(chapter) + 1 for key in below.values()) else ()


def unread_glossary(
    lines: Sequence[str], parts: Mapping[int, str], glossaries: Mapping[int, Sequence[Piece]]
) -> tuple[int, str] | None:
    """Return the line of the first glossary in which hardly any headwords were told from glosses,
    and what is wrong with it; None if there is none.

    That is a glossary of four lines or more with fewer than two headwords, or one with a gloss of
    more than 3,000 characters, far longer than any a book gives. The line is that of its heading.

    lines, parts: as for `read_glossaries`, which returned the `glossaries`.

    >>> lines = ["Glossary", *("word " * 50 for _ in range(5))]
    >>> pieces = read_glossaries(lines, (), {0: "glossary"}, {}, None)
    >>> unread_glossary(lines, {0: "glossary"}, pieces) is None
    False
    """
    for start, end in pairwise([*sorted(parts), len(lines)]):
        if parts[start] != "glossary":
            continue
        own = [n for n in range(start + 1, end) if n in glossaries]
        pieces = [piece for n in own for piece in glossaries[n]]
        heads = sum(piece.kind == "entry" and not piece.continues for piece in pieces)
        longest = size = 0
        for piece in pieces:
            size = 0 if piece.kind in ("entry", "heading") else size + len(piece.text)
            longest = max(longest, size)
        if len(own) >= _SEVERAL_LINES and heads < 2:
            return start, f"{heads or 'no'} headwords were told from glosses in {len(own)} lines"
        if longest > _LONGEST_GLOSS:
            return start, f"a gloss of {longest} characters; headwords in it may be unread"
    return None
