"""Parses lists of names in Japanese and English (CSV, TSV or JSON, a name in each row).

The language of a column is recognised by its heading, else by its script (kana and kanji, or
Latin letters). A column of HTML ruby, or of kana alone, gives the readings.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from scraper.markup.page_builder import PageBuilder
from scraper.page import Page, Passage, ReadWarning, Ruby, text_size
from scraper.sites.games import game_of_file
from scraper.sites.site_catalogue import known_site
from scraper.sources.snapshot import Snapshot

SOURCE = "namelist"
_SAMPLE = 16_384  # characters
_SAMPLED_ROWS = 300
_MOST_COLUMNS = 64
_FEWEST_ROWS = 3
_ENOUGH = 0.6  # of the rows; it is not nearly all, as many names were never translated
_JAPANESE = re.compile(r"[ぁ-ゖァ-ヺ一-鿿々〆ヶ]")
_KANA = re.compile(r"[ぁ-ゖァ-ヺー・\s＝－-]+")
_KANJI = re.compile(r"[一-鿿々〆ヶ]")
_CONTROL = re.compile(r"[^\S \u3000\xa0]+")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_LATIN = re.compile(r"[A-Za-z]")
_RUBY_TAG = re.compile(r"(</?(?:ruby|rb|rt|rp)\b[^<>]*>)", re.IGNORECASE)
_HEADINGS = (
    ("reading", frozenset("reading readings ruby kana yomi furigana 読み よみ ヨミ 読み方 読みがな "
                          "ふりがな フリガナ".split())),
    ("ja", frozenset("ja jp jpn japanese 日本語 日本語名 和名 和訳".split())),
    ("en", frozenset("en eng english 英語 英語名 英名".split())),
)  # fmt: skip
# Reasons why text is left out.
_SYNTAX = "list syntax (separators, quotes, keys)"
_OTHER_COLUMNS = "columns that hold no name"
_READING = "reading (kept with its word)"
_RUBY_MARKUP = "ruby markup"
_REPEATED_NAME = "the name again, with ruby markup"

Row = list[str]


@dataclass(frozen=True, slots=True)
class _Table:
    """The rows of a list.

    names: the names of the columns, as in JSON records; None if they may be the first row.
    """

    rows: list[Row]
    names: Row | None = None


@dataclass(frozen=True, slots=True)
class _Columns:
    """The indices of the columns that are kept.

    ja, en: the columns of names; reading: the column of readings, or None.
    head: whether the first row is a heading.
    """

    ja: int
    en: int
    reading: int | None
    head: bool


def recognises(text: str, url: str) -> bool:
    """Whether a text is a list of names in Japanese and English.

    Never if it is markup (begins with `<`) or if `url` belongs to a known site. Only the beginning
    of a CSV or TSV file is looked at. `url` may be empty.

    >>> recognises("en,ja\\nForest,森\\nIsland,島\\nSwamp,沼\\n", "")
    True
    >>> recognises("森へ行く。\\nA forest, an island.\\n", "")
    False
    """
    if text.lstrip("\ufeff \r\n\t").startswith("<"):
        return False
    if known_site(url):
        return False
    table = _parse_table(text if _is_json(text) else _sample_of_lines(text))
    return _find_columns(table) is not None


def read(snapshot: Snapshot, text: str) -> list[Page]:
    """Return the list as one page: a passage `Japanese⇥English` for each row.

    A reading in ruby is kept as the passage's ruby; one in a column of its own is a third cell.
    A heading is a passage too (`head`). The page's name is `game/file`, or `file` if the game is
    unknown. For a text that is no such list, the page has no name and no passages, but a warning.
    """
    builder = PageBuilder()
    table = _parse_table(text)
    columns = _find_columns(table)
    if columns is None:
        builder.leave_out("no list of names in two languages", text)
        builder.warnings.append(
            ReadWarning("list", "no columns of Japanese and English names in it")
        )
    else:
        cells = sum(text_size(cell) for row in table.rows for cell in row)
        if syntax := text_size(text) - cells:
            builder.left_out[_SYNTAX] += syntax
        for number, row in enumerate(table.rows):
            _add_row(builder, row, columns, head=columns.head and not number)
    stem, game = _stem(snapshot), _game(snapshot)
    name = f"{game}/{stem}" if game else stem
    return [
        builder.page(
            source=SOURCE,
            engine=SOURCE,
            name=name if builder.passages else "",
            url=snapshot.url,
            game=game,
            form="name list",
            title=stem,
            chars=text_size(text),
        )
    ]


def _stem(snapshot: Snapshot) -> str:
    """Return the name of a snapshot's file without folder and ending; `list` if that is empty."""
    return PurePath(snapshot.where.replace("\\", "/")).stem or "list"


def _game(snapshot: Snapshot) -> str | None:
    """Return the game that the user's hint or else the file's name gives; None if neither does."""
    stem = _stem(snapshot)
    return snapshot.hints.game or game_of_file(stem)


# -- rows -------------------------------------------------------------------------------------


def _parse_table(text: str) -> _Table:
    """Return the rows of a document; none if it can't be parsed."""
    return _parse_json(text) if _is_json(text) else _parse_csv(text)


def _is_json(text: str) -> bool:
    """Whether a text begins like a JSON object or array."""
    return text.lstrip("\ufeff \r\n\t")[:1] in ("{", "[")


class _Pairs(list[tuple[str, Any]]):
    """A JSON object as pairs of key and value, as the same key may occur twice."""


def _parse_json(text: str) -> _Table:
    """Return the rows of a JSON object of names or records, or of an array of records or arrays.

    If the document is an object, its keys are the first column. Any other or malformed JSON gives
    no rows.
    """
    try:
        document = json.loads(
            text.lstrip("\ufeff"),
            object_pairs_hook=_Pairs,
            parse_int=str,
            parse_float=str,
            parse_constant=str,
        )
    except (ValueError, RecursionError):
        return _Table([])
    if isinstance(document, _Pairs):
        if any(isinstance(value, _Pairs) for _, value in document):
            return _table_of_records(
                [_Pairs([("", key), *_pairs(value)]) for key, value in document]
            )
        return _Table([[key, _text_in(value)] for key, value in document])
    if isinstance(document, list) and any(isinstance(entry, _Pairs) for entry in document):
        return _table_of_records([_pairs(entry) for entry in document])
    if isinstance(document, list):
        entries = (entry if isinstance(entry, list) else [entry] for entry in document)
        return _Table([[_text_in(value) for value in entry] for entry in entries])
    return _Table([])


def _pairs(value: Any) -> _Pairs:
    """Return a JSON object as it is; any other value under an empty key."""
    return value if isinstance(value, _Pairs) else _Pairs([("", value)])


def _table_of_records(records: Sequence[_Pairs]) -> _Table:
    """Return records as rows, with a column for each key.

    The columns are in the order in which the keys first occur. A missing key gives an empty cell,
    or none at a row's end; the values of a repeated key are joined with spaces. Keys beyond
    `_MOST_COLUMNS` share the last column.
    """
    keys = dict.fromkeys(key for record in records for key, _ in record)
    column_of = {key: min(n, _MOST_COLUMNS) for n, key in enumerate(keys)}
    rows: list[Row] = []
    for record in records:
        cells: dict[int, list[str]] = {}
        for key, value in record:
            cells.setdefault(column_of[key], []).append(_text_in(value))
        rows.append([" ".join(cells.get(n, ())) for n in range(max(cells, default=-1) + 1)])
    return _Table(rows, list(column_of)[: _MOST_COLUMNS + 1])


def _text_in(value: Any) -> str:
    """Return the texts in a JSON value, however deep, separated by spaces; a text as it is.

    The keys of objects are included; true, false and null are skipped. Numbers are texts already.
    """
    if isinstance(value, str):
        return value
    texts: list[str] = []
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            texts.append(item)
        elif isinstance(item, (list, tuple)):
            stack += reversed(item)
    return " ".join(texts)


def _sample_of_lines(text: str) -> str:
    """Return the beginning of a text, at most `_SAMPLE` characters of whole lines.

    Empty if the first line is longer than that.
    """
    if len(text) <= _SAMPLE:
        return text
    return text[: _SAMPLE + 1].rpartition("\n")[0]


def _parse_csv(text: str) -> _Table:
    """Return the rows of a CSV or TSV file, the heading included; none if it has no delimiter.

    Quotes are syntax if the whole file is valid so; else they are part of the names, as in
    `"A" Cell Incubator`.
    """
    text = text.lstrip("\ufeff")
    delimiter = _delimiter(_sample_of_lines(text))
    if delimiter is None:
        return _Table([])
    try:
        return _Table(list(csv.reader(io.StringIO(text, ""), delimiter=delimiter, strict=True)))
    except csv.Error:
        return _Table([line.split(delimiter) for line in text.splitlines()])


def _delimiter(sample: str) -> str | None:
    """Return the character (tab, comma, `;` or `|`) that separates the cells, or None.

    Quoted text is removed first: commas in it separate nothing, and the sniffer's patterns for
    quotes may take practically forever.

    sample: the beginning of the file, whole lines; may be empty.
    """
    bare = re.sub(r"[\"']", "", re.sub(r'"[^"\n]*"', "x", sample))
    try:
        return csv.Sniffer().sniff(bare, "\t,;|").delimiter
    except csv.Error:
        lines = bare.splitlines()
        counts = {sign: sum(sign in line for line in lines) for sign in "\t,;|"}
        likeliest = max(counts, key=lambda sign: counts[sign])
        return likeliest if counts[likeliest] > _ENOUGH * len(lines) else None


# -- columns ----------------------------------------------------------------------------------


def _find_columns(table: _Table) -> _Columns | None:
    """Find the columns of names and readings; None unless most rows are in both languages.

    None too for fewer than `_FEWEST_ROWS` rows besides the heading. The first `_SAMPLED_ROWS`
    rows are looked at. The first row is a heading if a cell of it is a known heading and none is a
    Japanese name. A column is chosen by its heading, else by its cells.

    table: its first row may be a heading only if its `names` are None.
    """
    names = table.names or next(iter(table.rows), [])
    named = _columns_by_heading(names)
    head = table.names is None and bool(named) and not any(map(_is_japanese_name, names))
    rows = table.rows[head : _SAMPLED_ROWS + head]
    columns = [
        [row[n].strip() if n < len(row) else "" for row in rows]
        for n in range(min(_MOST_COLUMNS, max(map(len, rows), default=0)))
    ]
    if len(rows) < _FEWEST_ROWS:
        return None
    ja = _choose_column(columns, named.get("ja"), _japanese_score)
    en = _choose_column(columns, named.get("en"), _english_score)
    if ja is None or en is None or ja == en:
        return None
    both = sum(
        _japanese_score(japanese) > 0 and _english_score(english) > 0
        for japanese, english in zip(columns[ja], columns[en], strict=True)
    )
    if both < _ENOUGH * len(rows):
        return None
    others = [n for n in range(len(columns)) if n not in (ja, en)]
    reading = named.get("reading")
    if reading not in others:
        reading = next((n for n in others if _has_readings(columns[n])), None)
    return _Columns(ja, en, reading, head)


def _columns_by_heading(names: Row) -> dict[str, int]:
    """Return the indices of columns with a known heading, by what they hold.

    The keys are `ja`, `en` and `reading`; one that no heading gives is missing. Of several columns
    with the same role the first one counts.

    names: the headings of all columns, in order.

    >>> _columns_by_heading(["id", "Name (EN)", "日本語名"])
    {'en': 1, 'ja': 2}
    """
    columns: dict[str, int] = {}
    for index, name in enumerate(names[:_MOST_COLUMNS]):
        words = set(re.split(r"[^a-z0-9ぁ-ヺー一-鿿]+", name[:100].lower()))
        role = next((role for role, headings in _HEADINGS if words & headings), None)
        if role:
            columns.setdefault(role, index)
    return columns


def _is_japanese_name(cell: str) -> bool:
    """Whether a cell of the first row is a Japanese name and not a heading."""
    is_heading = bool(_columns_by_heading([cell]))
    return bool(cell.strip()) and not is_heading and _JAPANESE.search(cell) is not None


def _japanese_score(cell: str) -> float:
    """Return how much a cell looks like a Japanese name, from 0 to 1.

    0 without Japanese characters, 0.5 with ruby tags, 0.9 for kana alone, 1 with kanji: ruby and
    kana alone are more likely the reading of a name.
    """
    if not _JAPANESE.search(cell):
        return 0.0
    return 0.5 if _RUBY_TAG.search(cell) else 1.0 if _KANJI.search(cell) else 0.9


def _english_score(cell: str) -> float:
    """Return 1 if a cell looks like an English name, else 0."""
    return 1.0 if _LATIN.search(cell) and not _JAPANESE.search(cell) else 0.0


def _choose_column(
    columns: Sequence[Row], named: int | None, score: Callable[[str], float]
) -> int | None:
    """Return the index of the column with names in a language, or None if no column has any.

    columns: the cells of each column, without the heading.
    named: the index of the column whose heading gives the language, or None; it is chosen if it
        has any names.
    score: how much a cell looks like a name in the language; else the best column is chosen.
    """
    scores = [sum(map(score, column)) for column in columns]
    if named is not None and named < len(columns) and scores[named]:
        return named
    best = max(range(len(columns)), key=lambda n: scores[n], default=None)
    return best if best is not None and scores[best] else None


def _has_readings(column: Row) -> bool:
    """Whether most cells of a column that are not empty are in kana or have ruby."""
    filled = [cell for cell in column if cell]
    kana = sum(_KANA.fullmatch(cell) is not None or "<ruby" in cell for cell in filled)
    return bool(filled) and kana > _ENOUGH * len(filled)


# -- entries ----------------------------------------------------------------------------------


def _add_row(builder: PageBuilder, row: Row, columns: _Columns, head: bool) -> None:
    """Add a row as a passage, and count what is left out of it. `head`: whether it is a heading.

    A row without any name is not added, only counted. Ruby in the name becomes the passage's ruby.
    A reading that repeats the name, with or without ruby, is left out, but its ruby is used. One
    with ruby of another text is left out. Any other is the third cell.

    columns: the indices of the cells that are used; its own `head` is not looked at.
    """
    used = (columns.ja, columns.en, columns.reading)
    for index, cell in enumerate(row):
        if index not in used:
            builder.leave_out(_OTHER_COLUMNS, cell)
    japanese, english, reading = (
        _clean(row[index]) if index is not None and index < len(row) else "" for index in used
    )
    if not (japanese or english):
        builder.leave_out(_OTHER_COLUMNS, reading)
        return
    name, ruby = _parse_ruby(japanese)
    _count_left_out(builder, japanese, name, ruby, _RUBY_MARKUP)
    reading_base, reading_ruby = _parse_ruby(reading)
    if reading == name or (reading_ruby and reading_base == name):
        ruby = reading_ruby or ruby
        _count_left_out(builder, reading, "", reading_ruby, _REPEATED_NAME)
        reading = ""
    elif reading_ruby:
        builder.leave_out("ruby that is not the name's", reading)
        reading = ""
    text = "\t".join((name, english, reading) if reading else (name, english))
    builder.add(Passage("row", text, block=1, head=head, ruby=tuple(ruby)))


def _clean(cell: str) -> str:
    """Return a cell on one line, without lone surrogates."""
    return _SURROGATE.sub("\ufffd", _CONTROL.sub(" ", cell)).strip()


def _count_left_out(
    builder: PageBuilder, cell: str, kept: str, ruby: list[Ruby], reason: str
) -> None:
    """Count what is left out of a cell: the readings in it, and the rest under a reason.

    kept: the part of the cell that is in the passage.
    ruby: all readings in the cell; only their texts are used, not their spans.
    """
    readings = "".join(r.reading for r in ruby)
    builder.leave_out(_READING, readings)
    if rest := text_size(cell) - text_size(kept) - text_size(readings):
        builder.left_out[reason] += rest


def _parse_ruby(cell: str) -> tuple[str, list[Ruby]]:
    """Return the text of a cell without ruby markup, and the readings with their spans in it.

    >>> _parse_ruby("<ruby>灰<rt>はる</rt></ruby>の")
    ('灰の', [Ruby(start=0, end=1, reading='はる')])
    """
    text: list[str] = []
    readings: list[Ruby] = []
    length, start, inside = 0, 0, ""
    for piece in _RUBY_TAG.split(cell):
        tag = piece[1:].partition(">")[0].split()[0].lower() if _RUBY_TAG.fullmatch(piece) else ""
        if tag in {"ruby", "rb", "rt", "rp"}:
            inside = tag
            start = length if tag == "ruby" else start
        elif tag:
            start = length if tag == "/rt" else start
            inside = ""
        elif inside == "rt":
            reading = "".join(piece.split())
            if reading and start < length:
                readings.append(Ruby(start, length, reading))
        elif inside != "rp":
            text.append(piece)
            length += len(piece)
    return "".join(text), readings
