"""Lists of names in two languages: CSV, TSV or JSON, an entry a row.

Which column holds which language is read from the heading words, else from the script: kana
and kanji against Latin. A column of HTML ruby, or one of kana alone, gives the readings.
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
from scraper.sites.catalogue import known_site
from scraper.sites.games import game_of_file
from scraper.sources.snapshot import Snapshot

SOURCE = "namelist"
_SAMPLE = 16_384
_SAMPLED_ROWS = 300
_MOST_COLUMNS = 64
_FEWEST = 3
_ENOUGH = 0.6  # of the entries; names that were never translated are many
_JAPANESE = re.compile(r"[ぁ-ゖァ-ヺ一-鿿々〆ヶ]")
_KANA = re.compile(r"[ぁ-ゖァ-ヺー・\s＝－-]+")
_KANJI = re.compile(r"[一-鿿々〆ヶ]")
_CONTROL = re.compile(r"[^\S \u3000\xa0]+")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_LATIN = re.compile(r"[A-Za-z]")
_RUBY_TAG = re.compile(r"(</?(?:ruby|rb|rt|rp)\b[^<>]*>)", re.IGNORECASE)
_HEADS = (
    ("reading", frozenset("reading readings ruby kana yomi furigana 読み よみ ヨミ 読み方 読みがな "
                          "ふりがな フリガナ".split())),
    ("ja", frozenset("ja jp jpn japanese 日本語 日本語名 和名 和訳".split())),
    ("en", frozenset("en eng english 英語 英語名 英名".split())),
)  # fmt: skip
_MARKS = "list syntax (separators, quotes, keys)"
_OTHER = "columns that hold no name"
_READING = "reading (kept with its word)"
_RUBY = "ruby markup"
_AGAIN = "the name again, with ruby markup"

Row = list[str]


@dataclass(frozen=True, slots=True)
class _Table:
    """The entries of a list; `names` are those of the columns, where they are no row of it."""

    rows: list[Row]
    names: Row | None = None


@dataclass(frozen=True, slots=True)
class _Columns:
    """Which column is what; `head` tells that the first row names them."""

    ja: int
    en: int
    reading: int | None
    head: bool


def recognises(text: str, url: str) -> bool:
    """Whether the text is a list of names in Japanese and English.

    >>> recognises("en,ja\\nForest,森\\nIsland,島\\nSwamp,沼\\n", "")
    True
    >>> recognises("森へ行く。\\nA forest, an island.\\n", "")
    False
    """
    if text.lstrip("\ufeff \r\n\t").startswith("<"):
        return False
    try:
        if url and known_site(url):
            return False
    except ValueError:
        pass  # no URL at all; the text must speak for itself
    table = _table(text if _is_json(text) else _whole_lines(text))
    return _columns(table) is not None


def read(snapshot: Snapshot, text: str) -> list[Page]:
    """The list as one page: `Japanese⇥English` a row, with its reading above it, or as a third
    cell where the list gives it in a column of its own."""
    composer = PageBuilder()
    table = _table(text)
    columns = _columns(table)
    if columns is None:
        composer.leave_out("no list of names in two languages", text)
        composer.warnings.append(
            ReadWarning("list", "no columns of Japanese and English names in it")
        )
    else:
        cells = sum(text_size(cell) for row in table.rows for cell in row)
        if marks := text_size(text) - cells:
            composer.left_out[_MARKS] += marks
        for number, row in enumerate(table.rows):
            _entry(composer, row, columns, head=columns.head and not number)
    stem, game = _stem(snapshot), _game(snapshot)
    name = f"{game}/{stem}" if game else stem
    return [
        composer.page(
            source=SOURCE,
            engine=SOURCE,
            name=name if composer.passages else "",
            url=snapshot.url,
            game=game,
            form="name list",
            title=stem,
            chars=text_size(text),
        )
    ]


def _stem(snapshot: Snapshot) -> str:
    return PurePath(snapshot.where.replace("\\", "/")).stem or "list"


def _game(snapshot: Snapshot) -> str | None:
    """The game that the hint names, else the file's name."""
    stem = _stem(snapshot)
    return snapshot.hints.game or game_of_file(stem)


# -- rows -------------------------------------------------------------------------------------


def _table(text: str) -> _Table:
    return _json(text) if _is_json(text) else _separated(text)


def _is_json(text: str) -> bool:
    return text.lstrip("\ufeff \r\n\t")[:1] in ("{", "[")


class _Pairs(list[tuple[str, Any]]):
    """An object of JSON as it is written: the same key may come twice."""


def _json(text: str) -> _Table:
    """The entries of a JSON object of names, or of a list of records or of arrays."""
    try:
        whole = json.loads(
            text.lstrip("\ufeff"),
            object_pairs_hook=_Pairs,
            parse_int=str,
            parse_float=str,
            parse_constant=str,
        )
    except (ValueError, RecursionError):
        return _Table([])
    if isinstance(whole, _Pairs):
        if any(isinstance(value, _Pairs) for _, value in whole):
            return _records([_Pairs([("", key), *_pairs(value)]) for key, value in whole])
        return _Table([[key, _flat(value)] for key, value in whole])
    if isinstance(whole, list) and any(isinstance(entry, _Pairs) for entry in whole):
        return _records([_pairs(entry) for entry in whole])
    if isinstance(whole, list):
        entries = (entry if isinstance(entry, list) else [entry] for entry in whole)
        return _Table([[_flat(value) for value in entry] for entry in entries])
    return _Table([])


def _pairs(value: Any) -> _Pairs:
    return value if isinstance(value, _Pairs) else _Pairs([("", value)])


def _records(records: Sequence[_Pairs]) -> _Table:
    """Records as rows, a column a key. Keys beyond measure share the last column."""
    keys = dict.fromkeys(key for record in records for key, _ in record)
    places = {key: min(n, _MOST_COLUMNS) for n, key in enumerate(keys)}
    rows: list[Row] = []
    for record in records:
        cells: dict[int, list[str]] = {}
        for key, value in record:
            cells.setdefault(places[key], []).append(_flat(value))
        rows.append([" ".join(cells.get(n, ())) for n in range(max(cells, default=-1) + 1)])
    return _Table(rows, list(places)[: _MOST_COLUMNS + 1])


def _flat(value: Any) -> str:
    """The text in a JSON value, however deep."""
    if isinstance(value, str):
        return value
    found: list[str] = []
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, (list, tuple)):
            waiting += reversed(one)
    return " ".join(found)


def _whole_lines(text: str) -> str:
    """A sample of the text that ends with a line."""
    if len(text) <= _SAMPLE:
        return text
    return text[: _SAMPLE + 1].rpartition("\n")[0]


def _separated(text: str) -> _Table:
    """The rows of a CSV or TSV file. Quotes are its marks if all of them can be; else they
    belong to the names, as in `"A" Cell Incubator`."""
    text = text.lstrip("\ufeff")
    delimiter = _delimiter(_whole_lines(text))
    if delimiter is None:
        return _Table([])
    try:
        return _Table(list(csv.reader(io.StringIO(text, ""), delimiter=delimiter, strict=True)))
    except csv.Error:
        return _Table([line.split(delimiter) for line in text.splitlines()])


def _delimiter(sample: str) -> str | None:
    """The sign between the cells, or None.

    Quoted text goes first: its commas are none of the table's, and the sniffer's patterns
    for quotes take time beyond measure on hostile ones.
    """
    bare = re.sub(r"[\"']", "", re.sub(r'"[^"\n]*"', "x", sample))
    try:
        return csv.Sniffer().sniff(bare, "\t,;|").delimiter
    except csv.Error:
        lines = bare.splitlines()
        found = {sign: sum(sign in line for line in lines) for sign in "\t,;|"}
        likeliest = max(found, key=lambda sign: found[sign])
        return likeliest if found[likeliest] > _ENOUGH * len(lines) else None


# -- columns ----------------------------------------------------------------------------------


def _columns(table: _Table) -> _Columns | None:
    """Which column is what; None if there are not both languages in most rows."""
    names = table.names or next(iter(table.rows), [])
    named = _named(names)
    head = table.names is None and bool(named) and not any(map(_is_entry, names))
    rows = table.rows[head : _SAMPLED_ROWS + head]
    columns = [
        [row[n].strip() if n < len(row) else "" for row in rows]
        for n in range(min(_MOST_COLUMNS, max(map(len, rows), default=0)))
    ]
    if len(rows) < _FEWEST:
        return None
    ja = _pick(columns, named.get("ja"), _japanese)
    en = _pick(columns, named.get("en"), _english)
    if ja is None or en is None or ja == en:
        return None
    both = sum(
        _japanese(a) > 0 and _english(b) > 0 for a, b in zip(columns[ja], columns[en], strict=True)
    )
    if both < _ENOUGH * len(rows):
        return None
    rest = [n for n in range(len(columns)) if n not in (ja, en)]
    reading = named.get("reading")
    if reading not in rest:
        reading = next((n for n in rest if _gives_readings(columns[n])), None)
    return _Columns(ja, en, reading, head)


def _named(names: Row) -> dict[str, int]:
    """The columns whose heading says what is in them."""
    found: dict[str, int] = {}
    for place, name in enumerate(names[:_MOST_COLUMNS]):
        words = set(re.split(r"[^a-z0-9ぁ-ヺー一-鿿]+", name[:100].lower()))
        role = next((role for role, known in _HEADS if words & known), None)
        if role:
            found.setdefault(role, place)
    return found


def _is_entry(name: str) -> bool:
    """Whether what stands in the first row is a name and no heading."""
    return bool(name.strip()) and not _named([name]) and _JAPANESE.search(name) is not None


def _japanese(cell: str) -> float:
    """How much a cell is a Japanese name; ruby and bare kana are rather a reading of one."""
    if not _JAPANESE.search(cell):
        return 0.0
    return 0.5 if _RUBY_TAG.search(cell) else 1.0 if _KANJI.search(cell) else 0.9


def _english(cell: str) -> float:
    return 1.0 if _LATIN.search(cell) and not _JAPANESE.search(cell) else 0.0


def _pick(columns: Sequence[Row], named: int | None, worth: Callable[[str], float]) -> int | None:
    """The column that its heading names, else the one with the most to show; None if none has."""
    worths = [sum(map(worth, column)) for column in columns]
    if named is not None and named < len(columns) and worths[named]:
        return named
    best = max(range(len(columns)), key=lambda n: worths[n], default=None)
    return best if best is not None and worths[best] else None


def _gives_readings(column: Row) -> bool:
    given = [cell for cell in column if cell]
    kana = sum(_KANA.fullmatch(cell) is not None or "<ruby" in cell for cell in given)
    return bool(given) and kana > _ENOUGH * len(given)


# -- entries ----------------------------------------------------------------------------------


def _entry(composer: PageBuilder, row: Row, columns: _Columns, head: bool) -> None:
    wanted = (columns.ja, columns.en, columns.reading)
    for place, cell in enumerate(row):
        if place not in wanted:
            composer.leave_out(_OTHER, cell)
    japanese, english, above = (
        _tidy(row[place]) if place is not None and place < len(row) else "" for place in wanted
    )
    if not (japanese or english):
        composer.leave_out(_OTHER, above)
        return
    name, ruby = _ruby(japanese)
    _account(composer, japanese, name, ruby, _RUBY)
    again, over = _ruby(above)
    if above == name or (over and again == name):
        ruby = over or ruby
        _account(composer, above, "", over, _AGAIN)
        above = ""
    elif over:
        composer.leave_out("ruby that is not the name's", above)
        above = ""
    text = "\t".join((name, english, above) if above else (name, english))
    composer.add(Passage("row", text, block=1, head=head, ruby=tuple(ruby)))


def _tidy(cell: str) -> str:
    """A cell on one line."""
    return _SURROGATE.sub("\ufffd", _CONTROL.sub(" ", cell)).strip()


def _account(composer: PageBuilder, cell: str, kept: str, ruby: list[Ruby], reason: str) -> None:
    """Count what of a cell stands above the name, and what is markup."""
    above = "".join(r.reading for r in ruby)
    composer.leave_out(_READING, above)
    if rest := text_size(cell) - text_size(kept) - text_size(above):
        composer.left_out[reason] += rest


def _ruby(cell: str) -> tuple[str, list[Ruby]]:
    """The text of a cell of HTML, and the readings above it.

    >>> _ruby("<ruby>灰<rt>はる</rt></ruby>の")
    ('灰の', [Ruby(start=0, end=1, reading='はる')])
    """
    text: list[str] = []
    found: list[Ruby] = []
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
                found.append(Ruby(start, length, reading))
        elif inside != "rp":
            text.append(piece)
            length += len(piece)
    return "".join(text), found
