"""Reads a draft in a table: CSV or TSV with a column of source texts and one of translations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice

from kb.checking.draft import Segment
from kb.checking.drafts.draft_file import DraftFile, language_code
from kb.checking.drafts.segments import LinePlaces, SegmentText, Unit, segments_of_units
from kb.checking.ignore_comments import IgnoreComment, parse_comment
from kb.errors import SourceError

_MOST_CELLS = 100  # of a row that are read: a guard, any number beyond a table's columns would do
_ROWS_LOOKED_AT = 50  # to tell separator and columns: by hand, as a table's first rows show it
_QUOTED = re.compile(r'"([^"]*+(?:""[^"]*+)*+)"')
_SOURCE = frozenset("source src original 原文 原語 ソース".split())
_TARGET = frozenset("target tgt translation 訳文 翻訳 訳 訳語 ターゲット".split())
_COMMENT = frozenset("comment comments note notes remark remarks 備考 コメント 注記 メモ".split())
_ID = frozenset("id key no no. number 番号 キー".split())
_LANGUAGES = {
    "english": "en", "英語": "en", "英文": "en", "japanese": "ja", "日本語": "ja", "和文": "ja",
    "chinese": "zh", "中国語": "zh", "中文": "zh", "en": "en", "ja": "ja", "jp": "ja", "zh": "zh",
    "eng": "en", "jpn": "ja", "zho": "zh",
    "de": "de", "es": "es", "fr": "fr", "it": "it", "ko": "ko", "pt": "pt", "ru": "ru",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table.

    text: what it says. start, end: of its content in the file; quoted: whether in quotation marks,
        which are not part of the content.
    """

    text: str
    start: int
    end: int
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class _Columns:
    """Which column is what, by index from 0; languages are None if the header names none."""

    source: int = 0
    target: int = 1
    comment: int | None = 2
    id: int | None = None
    source_lang: str | None = None
    target_lang: str | None = None
    has_header: bool = False


def read(
    file: DraftFile, warnings: list[str], source_lang: str | None, target_lang: str | None
) -> Iterator[Segment]:
    """Yield a segment for each row that has a translation, in order, with the languages that the
    header names. Without a header, the first two columns are source and translation, a third is
    comments.

    source_lang, target_lang: which of two columns that are named after languages is the source.

    Raises SourceError if it can't be said which column is the translation.
    """
    separator = separator_of(file)
    first = list(islice(rows(file.text, separator), _ROWS_LOOKED_AT))
    columns = _columns(file.path, first, source_lang, target_lang)
    yield from segments_of_units(
        file.path, _units(file.text, separator, columns), warnings, columns.target_lang
    )


def _units(text: str, separator: str, columns: _Columns) -> Iterator[Unit | IgnoreComment]:
    """Yield the rows as translation units, each behind the comment for sansho that it has; ids are
    those of the column of ids, else the row's number from 1 without the header."""
    places = LinePlaces(text)
    numbers = count(1)
    for row in islice(rows(text, separator), int(columns.has_header), None):
        cells = dict(enumerate(row))
        comment = cells.get(-1 if columns.comment is None else columns.comment)
        if comment and (parsed := parse_comment(comment.text)):
            yield parsed
        number = next(numbers)
        source, target = cells.get(columns.source), cells.get(columns.target)
        named = cells.get(-1 if columns.id is None else columns.id)
        yield Unit(
            id=named.text.strip() if named and named.text.strip() else str(number),
            line=places.place(row[0].start)[0],
            source=" ".join(source.text.split("\n")).strip() if source else "",
            target=_cell_text(text, target, places) if target else None,
            source_lang=columns.source_lang,
            target_lang=columns.target_lang,
        )


def _cell_text(text: str, cell: Cell, places: LinePlaces) -> SegmentText:
    """Return the text of a cell with its places; line breaks in it are spaces."""
    built = SegmentText()
    start = cell.start
    pieces = re.finditer(r'""|\n|[^"\n]+|"', text[cell.start : cell.end]) if cell.quoted else ()
    for piece in pieces:
        at = places.place(start + piece.start())
        if piece[0] == "\n":
            built.add_gap("\n", *at)
        else:
            built.add('"' if piece[0] == '""' else piece[0], *at)
    if not cell.quoted:
        built.add(cell.text, *places.place(start))
    return built


def separator_of(file: DraftFile) -> str:
    """Return the sign between the columns: a tab, comma or semicolon, whichever gives most of the
    first rows the same number of columns, two or more; of ties in this order, a comma if none does.
    In a file called `.tsv` it is a tab.

    >>> separator_of(DraftFile("a.csv", "csv", "引く;draw, then\\n捨てる;discard\\n"))
    ';'
    """
    if file.path.lower().endswith(".tsv"):
        return "\t"
    best = ",", 0
    for separator in "\t,;":
        widths = [len(row) for row in islice(rows(file.text, separator), _ROWS_LOOKED_AT)]
        widths = [width for width in widths if width > 1]
        score = Counter(widths).most_common(1)[0][1] if widths else 0
        best = (separator, score) if score > best[1] else best
    return best[0]


def rows(text: str, separator: str) -> Iterator[list[Cell]]:
    """Yield the rows of a table, with the place of each cell; empty lines are left out.

    A cell may stand in quotation marks; then a separator or line break belongs to it, and a doubled
    mark is one. A mark that isn't closed before a separator or line end is a sign like others.
    Cells beyond the hundredth of a row are left out.

    >>> [[cell.text for cell in row] for row in rows('a,"b ""c"", d"\\n\\n"e" f,g\\n', ",")]
    [['a', 'b "c", d'], ['"e" f', 'g']]
    """
    position, size = 0, len(text)
    ends = re.compile(f"[{separator}\n]")
    last_quote = text.rfind('"')
    while position < size:
        row: list[Cell] = []
        while True:
            cell, position = _cell(text, position, ends, last_quote)
            if len(row) < _MOST_CELLS:
                row.append(cell)
            if position >= size or text[position] == "\n":
                break
            position += 1
        position += 1
        if len(row) > 1 or row[0].text.strip():
            yield row


def _cell(text: str, start: int, ends: re.Pattern[str], last_quote: int) -> tuple[Cell, int]:
    """Return the cell that begins at `start`, and where the sign behind it stands.

    ends: matches what may stand behind a cell. last_quote: where the last quotation mark stands.
    """
    if text.startswith('"', start) and start < last_quote:
        quoted = _QUOTED.match(text, start)
        if quoted and (quoted.end() == len(text) or ends.match(text, quoted.end())):
            inside = quoted[1].replace('""', '"')
            return Cell(inside, start + 1, quoted.end() - 1, True), quoted.end()
    found = ends.search(text, start)
    end = found.start() if found else len(text)
    return Cell(text[start:end], start, end), end


def _columns(
    path: str, first: list[list[Cell]], source_lang: str | None, target_lang: str | None
) -> _Columns:
    """Return which column is what, by the header if there is one, else the first three in order;
    raise SourceError as `read`: without a header, for one column and for more than three.

    first: the first rows; without any, as without a header.
    """
    if not first:
        return _Columns()
    header = [cell.text.strip().lower() for cell in first[0]]
    languages = {i: lang for i, name in enumerate(header) if (lang := _language(name))}
    sources = [i for i, name in enumerate(header) if name in _SOURCE]
    targets = [i for i, name in enumerate(header) if name in _TARGET]
    if len(languages) > 1 and not (sources and targets):
        sources, targets = _by_language(path, languages, source_lang, target_lang)
    if sources and targets and sources[0] != targets[0]:
        return _Columns(
            source=sources[0],
            target=targets[0],
            comment=_comment_column(header, {sources[0], targets[0]}),
            id=next((i for i, name in enumerate(header) if name in _ID), None),
            source_lang=languages.get(sources[0]),
            target_lang=languages.get(targets[0]),
            has_header=True,
        )
    widths = Counter(len(row) for row in first).most_common(1)[0][0]
    if widths < 2 and max(map(len, first)) < 2:
        raise SourceError(
            f"{path}: has one column; give source and translation in two, or name the source's "
            "file beside it"
        )
    if widths > 3:
        raise SourceError(
            f"{path}: has {widths} columns; name two of them source and target in the first row"
        )
    return _Columns()


def _language(name: str) -> str | None:
    """Return the code of the language that the name of a column, in small letters, is, such as
    `en`, `ja-jp` or `japanese`; None if it is none."""
    return _LANGUAGES.get(name) or (
        _LANGUAGES.get(language_code(name) or "")
        if re.fullmatch(r"[a-z]{2}[-_][a-z]{2,4}", name)
        else None
    )


def _by_language(
    path: str, languages: dict[int, str], source_lang: str | None, target_lang: str | None
) -> tuple[list[int], list[int]]:
    """Return the columns of source and target, one each, by their languages, the first two if none
    is named; where one is named, the other is the first of another.

    languages: of the columns, by index, two at least. Raises SourceError if no column is in a
    language named, and if there are more than two and the target's isn't named.
    """
    source, target = language_code(source_lang), language_code(target_lang)
    for lang in (source, target):
        if lang and lang not in languages.values():
            there = ", ".join(languages.values())
            raise SourceError(f"{path}: no column is in {lang} (there are: {there})")
    if len(languages) > 2 and not target:
        there = ", ".join(languages.values())
        raise SourceError(f"{path}: columns in {there}; say the target's language")
    targets = [i for i, lang in languages.items() if lang == target]
    sources = [i for i, lang in languages.items() if lang == source]
    if not targets:
        targets = [i for i in languages if i not in sources[:1]][0 if sources else 1 :]
    if not sources:
        sources = [i for i in languages if i != targets[0]]
    return sources[:1], targets[:1]


def _comment_column(header: list[str], taken: set[int]) -> int | None:
    """Return the index of the column of comments, which may be the third of three; None without.

    taken: the columns of source and target.
    """
    others = [index for index in range(len(header)) if index not in taken]
    named = [index for index in others if header[index] in _COMMENT]
    return next(iter(named or (others if len(header) == 3 else ())), None)
