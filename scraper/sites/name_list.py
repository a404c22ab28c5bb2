"""Parses lists of names in Japanese and English (CSV, TSV or JSON, a name in each row).

The language of a column is recognised by its heading, else by its script (kana and kanji, or
Latin letters). A column of HTML ruby, or of kana alone, gives the readings. Whether the names are
terms or cards is recognised by headings, comments and the file's name, if these say it.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scraper.markup.page_builder import PageBuilder
from scraper.markup.size_limits import MOST_ROWS
from scraper.page import NamedKind, Page, Passage, ReadWarning, Ruby, text_size
from scraper.sites.games import game_of_file
from scraper.sites.site_catalogue import known_site
from scraper.sources.saved_pages import Snapshot

SOURCE = "namelist"
# What recognises a list and its columns is looked for in so many characters and rows. By hand: it
# takes time of each text that may be a list, and a few hundred rows have names of every kind.
_SAMPLE = 16_384
_SAMPLED_ROWS = 300
_MOST_COLUMNS = 64  # a guard of time against rows of very many cells; names stand further in front
_FEWEST_ROWS = 3  # of a document that nobody says is a list: one or two may be so by chance
_ENOUGH_WORDS = 3  # of headings, in a row with others: two may be the names in an entry
_ENOUGH = 0.6  # of the rows; it is not nearly all, as many names were never translated
_JAPANESE = re.compile(r"[ぁ-ゖァ-ヺ一-鿿々〆ヶ]")
_ANY_KANA = re.compile(r"[ぁ-ゖァ-ヺ]")
_KANA = re.compile(r"[ぁ-ゖァ-ヺー・\s＝－-]+")
_KANJI = re.compile(r"[一-鿿々〆ヶ]")
_CONTROL = re.compile(r"[^\S \u3000\xa0]+")  # white space that is none of a name: tabs, line breaks
_SURROGATE = re.compile(r"[\ud800-\udfff]")  # no file can hold them
_LATIN = re.compile(r"[A-Za-z]")
# Ids, numbers and addresses: no names, though in Latin letters.
_CODE = re.compile(r"[A-Z0-9_./:#-]*[0-9_/:#][A-Z0-9_./:#-]*|[a-z0-9]+(?:[_-][a-z0-9]+)+|\S*://.*")
_WIKI_TABLE = re.compile(r"^(?://)?\|.*\|[hfc]?\s*$", re.MULTILINE)
_DRAWN_LINE = re.compile(r"^\|?[ :|+-]*-{3}[ :|+-]*$", re.MULTILINE)  # below Markdown's heading
_RULE = re.compile(r"[\s:=+-]*")  # a cell of the line below a heading, as in Markdown
_SEPARATOR_LINE = re.compile(r"\s*sep=(\t|[,;|])\s*(?:\r\n?|\n)", re.IGNORECASE)
_RUBY_TAG = re.compile(r"(</?(?:ruby|rb|rt|rp)\b[^<>]*>)", re.IGNORECASE)
_DELIMITERS = "\t;|,"  # of several that fit alike the first: commas occur in names
_HEADINGS = (
    ("reading", frozenset("reading readings ruby kana yomi furigana 読み よみ ヨミ 読み方 読みがな "
                          "ふりがな フリガナ".split())),
    ("ja", frozenset("ja jp jpn japanese 日本語 日 和名 和訳".split())),
    ("en", frozenset("en eng english 英語 英 英名 英訳 原語 原文".split())),
    ("other", frozenset("zh cn chs cht tw chinese 中国語 中文 简体 繁體 簡体字 繁体字 ko kr korean "
                        "韓国語 fr french フランス語 de german ドイツ語 es spanish スペイン語 it "
                        "italian イタリア語 pt portuguese ポルトガル語 ru russian ロシア語 "
                        "romaji ローマ字 alias aliases 別名 異名 同義語 略称 id url uri slug note "
                        "notes memo definition 備考 説明 定義".split())),
)  # fmt: skip
# Words of headings, comments and file names that say what the names in a list are.
_TERM_WORDS = frozenset(
    "term terms terminology glossary keyword keywords vocabulary 用語 用語名 用語集 用語一覧 "
    "ルール用語 ゲーム用語 専門用語 語句 キーワード キーワード能力 キーワード処理 "
    "definition definitions 定義 語義 品詞".split()
)
_CARD_WORDS = frozenset(
    "card cards cardname cardnames カード カード名 カード名称 カード名一覧 カード一覧 カードリスト "
    "konami password passcode rarity mana cmc oracle toughness loyalty artist illustrator flavor "
    "scryfall multiverse collector atk レアリティ マナコスト マナ総量 収録 収録パック 収録セット "
    "攻撃力 守備力 タフネス 文明 種族 属性 カード番号 型番 イラスト イラストレーター".split()
)
# Forms of cells by which a column without such words says it: mana costs, power and toughness,
# numbers of cards; numbers of rules.
_CARD_CELL = re.compile(
    r"(?:\{[^{}\s]{1,5}\})+|[0-9*+]{1,3}/[0-9*+]{1,3}|[A-Z0-9]{2,6}-[A-Z]{0,3}\d{1,4}"
)
# In a rulebook the chapters have three digits (701.2b); fewer before the point may be an amount.
_TERM_CELL = re.compile(r"(?:CR|rule|ルール)?\s*[1-9]\d\d\.\d{1,3}[a-z]?", re.IGNORECASE)
# Headings that are compounds of the above: 英語カード名, カード名の読み.
_COMPOUND_HEADINGS = {
    "reading": re.compile(
        r"(?:カード名|用語|名前|名称|日本語)?の?(?:読み|よみ|ヨミ|ふりがな)(?:方|がな|仮名)?"
    ),
    "ja": re.compile(r".{0,5}(?:日本語|和名|和訳|邦訳|日本名).{0,4}"),
    "en": re.compile(r".{0,5}(?:英語|英名|英訳|英文).{0,4}"),
    "other": re.compile(r".{0,4}(?:番号|説明|定義|備考)"),
}  # fmt: skip
_STRONG_HEADING_WORDS = _TERM_WORDS | frozenset(
    "name names 名前 名称 訳語 カード名 カード名称".split()
)
_KIND_WORDS = _TERM_WORDS | _CARD_WORDS
_HEADING_WORDS = (
    _STRONG_HEADING_WORDS
    | _CARD_WORDS
    | frozenset(
        "no type kind category cost set text level power 種別 種類 分類 タイプ カテゴリ コスト "
        "セット テキスト レベル パワー".split()
    )
)
_CELLS: dict[NamedKind, re.Pattern[str]] = {"card": _CARD_CELL, "term": _TERM_CELL}
# Reasons why text is left out.
_SYNTAX = "list syntax (separators, quotes, keys)"
_OTHER_COLUMNS = "columns that hold no name"
_READING = "reading (kept with its word)"
_RUBY_MARKUP = "ruby markup"
_REPEATED_NAME = "the name again, with ruby markup"
_COMMENT = "comments in a list"
_PLACEHOLDER = "a word in place of a name that is not known"
_MOST_ALIKE = 5  # rows with one text for a Japanese name, by hand: two cards may share a name

Row = list[str]


@dataclass(frozen=True, slots=True)
class _Table:
    """The rows of a list.

    names: the names of the columns, as in JSON records; None if they may be the first row.
    about: other words on what the list holds: comments, or the key of the list in a JSON object.
    left_out: the number of characters in comments.
    """

    rows: list[Row]
    names: Row | None = None
    about: str = ""
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class _Columns:
    """The indices of the columns that are kept.

    ja, en: the columns of names; reading: the column of readings, or None.
    kind: the column that says of each row whether it names a term or a card, or None.
    head: whether the first row is a heading.
    share: in how much of the rows there is a name in both languages, from 0 to 1.
    """

    ja: int
    en: int
    reading: int | None
    kind: int | None
    head: bool
    share: float


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
    return _find_columns(table, _FEWEST_ROWS) is not None


def read(snapshot: Snapshot, text: str) -> list[Page]:
    """Return the list as one page: a passage `Japanese⇥English` for each row.

    A reading in ruby is kept as the passage's ruby; one in a column of its own is a third cell. If
    a column says of each row what it names, that is a fourth cell.
    A heading is a passage too (`head`). The page's name is `game/file`, or `file` if the game is
    unknown. Its `names` say what is named: as hinted, else as the list itself or its file's name
    says. For a text that is no such list, the page has no name and no passages, but a warning.
    """
    builder = PageBuilder(most=MOST_ROWS)
    table = _parse_table(text)
    columns = _find_columns(table, 1 if snapshot.hints.site == SOURCE else _FEWEST_ROWS)
    if columns is None:
        builder.leave_out("no list of names in two languages", text)
        builder.warnings.append(
            ReadWarning("list", "no columns of Japanese and English names in it")
        )
    else:
        cells = sum(text_size(cell) for row in table.rows for cell in row)
        if table.left_out:
            builder.left_out[_COMMENT] += table.left_out
        if syntax := text_size(text) - cells - table.left_out:
            builder.left_out[_SYNTAX] += syntax
        placeholders = _placeholders(table.rows, columns)
        for number, row in enumerate(table.rows):
            _add_row(builder, row, columns, placeholders, head=columns.head and not number)
    folders, stem = _path_of(snapshot)
    game = snapshot.hints.game or game_of_file(stem) or game_of_file(folders[-1])
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
            names=snapshot.hints.names
            or _stated_kind(table, columns, stem)
            or (columns and _kind_by_cells(table.rows, columns)),
        )
    ]


def _path_of(snapshot: Snapshot) -> tuple[list[str], str]:
    """Return the folders that a snapshot's file is in, and its name without the ending.

    The name is `list` if that is empty. There is at least one folder, which may be an empty text.
    An archive is a folder here. A record of a WARC file is named by its URL.
    """
    where = snapshot.where.replace("\\", "/").replace("!", "/")
    *folders, name = where.split("/")
    if snapshot.url and name.isdigit():
        *folders, name = snapshot.url.partition("?")[0].rstrip("/").split("/")
    stem = name[: name.rfind(".")] if name.rfind(".") > 0 else name
    return folders or [""], stem or "list"


def _stated_kind(table: _Table, columns: _Columns | None, stem: str) -> NamedKind | None:
    """Return what the names in a list are, by its headings, its comments and its file's name.

    None if these say nothing, or both. The headings come first, the file's name last.

    columns: the columns of the table, which say whether it has a heading; None if it is no list.
    stem: the name of the file, without the ending.

    >>> _stated_kind(_Table([], names=["用語", "英語"]), None, "list")
    'term'
    >>> _stated_kind(_Table([]), None, "card_names")
    'card'
    """
    headings = table.names or (table.rows[0] if columns and columns.head else [])
    for text in (" ".join(cell[:100] for cell in headings), table.about[:2000], stem):
        words = _words_in(text)
        terms, cards = bool(words & _TERM_WORDS), bool(words & _CARD_WORDS)
        if terms != cards:
            return "term" if terms else "card"
    return None


def _kind_by_cells(rows: Sequence[Row], columns: _Columns) -> NamedKind | None:
    """Return what the names in a list are, by the cells beside them, as those of most rows show it;
    None if they don't. The leftmost column that shows it decides; half of its cells are filled.

    columns: the columns of names and readings, whose cells are not looked at.

    >>> _kind_by_cells([["山", "Mountain", "{1}{R}"]] * 3, _Columns(0, 1, None, None, False, 1.0))
    'card'
    """
    sample = rows[columns.head : _SAMPLED_ROWS + columns.head]
    names = (columns.ja, columns.en, columns.reading)
    for index in range(min(_MOST_COLUMNS, max(map(len, sample), default=0))):
        cells = [row[index].strip() for row in sample if index < len(row) and index not in names]
        filled = [cell for cell in cells if cell]
        if 2 * len(filled) < len(sample):
            continue
        for kind, form in _CELLS.items():
            if sum(form.fullmatch(cell) is not None for cell in filled) > _ENOUGH * len(filled):
                return kind
    return None


def _words_in(text: str) -> set[str]:
    """Return the words of a heading or of a file's name, in lower case; empty if it has none.

    Anything but Latin letters, digits, kana and kanji parts words, and so does a capital letter
    behind a small one.

    >>> sorted(_words_in("cardName (EN)／日本語名"))
    ['card', 'en', 'name', '日本語名']
    """
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    return set(re.split(r"[^a-z0-9ぁ-ヺー一-鿿々]+", text.lower())) - {""}


# -- rows -------------------------------------------------------------------------------------


def _parse_table(text: str) -> _Table:
    """Return the rows of a document; none if it can't be parsed."""
    return _parse_json(text) if _is_json(text) else _parse_csv(text)


def _is_json(text: str) -> bool:
    """Whether a text begins like a JSON object or array, white space aside: with `{` or `[`."""
    return text.lstrip("\ufeff \r\n\t")[:1] in ("{", "[")


class _Pairs(list[tuple[str, Any]]):
    """A JSON object as pairs of key and value, as the same key may occur twice."""


_JSON = json.JSONDecoder(
    object_pairs_hook=_Pairs, parse_int=str, parse_float=str, parse_constant=str
)


def _parse_json(text: str) -> _Table:
    """Return the rows of a JSON object of names or records, or of an array of records or arrays.

    If the document is an object, its keys are the first column. A list that is the only one in an
    object, beside texts and numbers, is taken out of it; the lists of terms and of cards in one
    object are read together. Records may also stand one in each line (JSON Lines). Any other or
    malformed JSON gives no rows.
    """
    document = _load_json(text.lstrip("\ufeff"))
    about: list[str] = []
    while isinstance(document, _Pairs):
        containers = [pair for pair in document if isinstance(pair[1], list)]
        if len(containers) != 1 or len(containers[0][1]) < _FEWEST_ROWS:
            break
        key, document = containers[0]
        about.append(key)
    rows, names = _rows_of_json(document)
    if isinstance(document, _Pairs) and all(
        isinstance(part, list) and _words_in(key) & _KIND_WORDS for key, part in document
    ):
        parts = [_rows_of_json(part) for _, part in document]  # {"terms": …, "cards": …}
        if len({repr(part_names) for _, part_names in parts}) == 1:
            rows, names = [row for part_rows, _ in parts for row in part_rows], parts[0][1]
    return _Table(rows, names, " ".join(about))


def _load_json(text: str) -> Any:
    """Return a JSON document, or the records in its lines as a list; None if it is malformed.

    The records of lines must have a key for a language, as logs and manifests have the same form.
    """
    try:
        return _JSON.decode(text)
    except (ValueError, RecursionError):
        pass
    try:
        records = [_JSON.decode(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        return None
    first = records[0] if records else None
    names = [key for key, _ in first] if isinstance(first, _Pairs) else []
    return records if {"ja", "en"} & set(_columns_by_heading(names).values()) else None


def _rows_of_json(document: Any) -> tuple[list[Row], Row | None]:
    """Return the rows in a JSON document, and the names of their columns.

    Each row of an object begins with its key; what is no array in an array is a row of one cell.
    The names are None if the document's rows have none. There are no rows in a document that is
    neither an object nor an array.
    """
    if isinstance(document, _Pairs):
        if any(isinstance(value, _Pairs) for _, value in document):
            return _rows_of_records(
                [_Pairs([("", key), *_pairs(value)]) for key, value in document]
            )
        return [[key, _text_in(value)] for key, value in document], None
    if isinstance(document, list) and any(isinstance(entry, _Pairs) for entry in document):
        return _rows_of_records([_pairs(entry) for entry in document])
    if isinstance(document, list):
        entries = (entry if isinstance(entry, list) else [entry] for entry in document)
        return [[_text_in(value) for value in entry] for entry in entries], None
    return [], None


def _pairs(value: Any) -> _Pairs:
    """Return a JSON object as it is; any other value under an empty key."""
    return value if isinstance(value, _Pairs) else _Pairs([("", value)])


def _rows_of_records(records: Sequence[_Pairs]) -> tuple[list[Row], Row]:
    """Return records as rows, with a column for each key, and the names of the columns.

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
    return rows, list(column_of)[: _MOST_COLUMNS + 1]


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

    A first line such as `sep=;`, as Excel writes it, gives the delimiter. Rows that begin with `#`
    are comments, unless they are the heading. A table as in Markdown is also understood.
    """
    text = text.lstrip("\ufeff")
    separator = _SEPARATOR_LINE.match(text)
    text = text[separator.end() :] if separator else text
    delimiter = separator[1] if separator else _delimiter(_sample_of_lines(text))
    if delimiter is None:
        return _Table([])
    return _without_comments(_rows_of_csv(text, delimiter))


def _rows_of_csv(text: str, delimiter: str) -> list[Row]:
    """Return the cells in each line of a text that a delimiter separates.

    Quotes are syntax if the whole file is valid so; else they are part of the names, as in
    `"A" Cell Incubator`. A blank line gives a row without cells, or with one that is empty.
    """
    try:
        return list(csv.reader(io.StringIO(text, ""), delimiter=delimiter, strict=True))
    except csv.Error:
        return [line.split(delimiter) for line in text.splitlines()]


def _without_comments(rows: Sequence[Row]) -> _Table:
    """Return the rows that are no comments; the comments are what the table is about.

    A first row that begins with `#` is kept if it is a heading of several columns. Rows that only
    draw a line, as below the heading in Markdown, are dropped.
    """
    kept: list[Row] = []
    comments: list[str] = []
    for row in rows:
        is_comment = bool(row) and row[0].lstrip().startswith("#")
        if is_comment and (kept or len(row) < 2 or not _is_head(row)):
            comments += row
        elif not (any("-" in cell for cell in row) and all(map(_RULE.fullmatch, row))):
            kept.append(row)
    return _Table(kept, None, " ".join(comments), sum(map(text_size, comments)))


def _delimiter(sample: str) -> str | None:
    """Return the character that separates the cells: tab, `;`, `|` or a comma; None if none does.

    It is the one with which the most rows have names in two languages; of several, the one that
    gives rows of the same length. A table in a wiki's source is no list, but one in Markdown is.

    sample: the beginning of the file, whole lines; may be empty.
    """
    best: tuple[float, float] = (0.0, 0.0)
    found = None
    for delimiter in _DELIMITERS:
        if delimiter == "|" and _WIKI_TABLE.search(sample) and not _DRAWN_LINE.search(sample):
            continue
        table = _without_comments(_rows_of_csv(sample, delimiter))
        columns = _find_columns(table, 1)
        if columns is None:
            continue
        lengths = Counter(len(row) for row in table.rows if row)
        fit = round(columns.share, 2), max(lengths.values()) / sum(lengths.values())
        if fit > best:
            best, found = fit, delimiter
    return found


# -- columns ----------------------------------------------------------------------------------


def _find_columns(table: _Table, fewest: int) -> _Columns | None:
    """Find the columns of names and readings; None unless most rows are in both languages.

    The first `_SAMPLED_ROWS` rows are looked at. A column is chosen by its heading, else by its
    cells.

    table: its first row may be a heading only if its `names` are None.
    fewest: with fewer rows and no heading, the result is None.
    """
    first = next(iter(table.rows), [])
    head = table.names is None and _is_head(first)
    named = _columns_by_heading(table.names or (first if head else []))
    rows = [row for row in table.rows[head : _SAMPLED_ROWS + head] if any(row)]
    columns = [
        [row[n].strip() if n < len(row) else "" for row in rows]
        for n in range(min(_MOST_COLUMNS, max(map(len, rows), default=0)))
    ]
    if len(rows) < (1 if head else fewest):
        return None
    roles = {index: role for index, role in named.items() if index < len(columns)}
    ja = _choose_column(columns, roles, "ja", _japanese_score)
    en = _choose_column(columns, roles, "en", _english_score)
    if ja is None or en is None or ja == en:
        return None
    both = sum(
        _japanese_score(japanese) > 0 and _english_score(english) > 0
        for japanese, english in zip(columns[ja], columns[en], strict=True)
    )
    if both < _ENOUGH * len(rows):
        return None
    others = [n for n in range(len(columns)) if n not in (ja, en)]
    reading = next((n for n in others if roles.get(n) == "reading"), None)
    if reading is None:
        unnamed = (n for n in others if n not in roles and _has_readings(columns[n]))
        reading = next(unnamed, None)
    kind = next((n for n in others if n != reading and _says_kinds(columns[n])), None)
    return _Columns(ja, en, reading, kind, head, both / len(rows))


def _is_head(row: Row) -> bool:
    """Whether a row is a heading: a cell names a language, or all cells are words of headings, or
    three of them are.

    A row with any other Japanese text is none, so `カード⇥Card` is an entry.

    >>> _is_head(["用語", "英語"]), _is_head(["Term", "訳語"]), _is_head(["カード", "Card"])
    (True, True, False)
    >>> _is_head(["term", "用語", "type", "cost", "my remarks"])
    True
    """
    cells = [cell for cell in row[:_MOST_COLUMNS] if cell.strip()]
    usual = [bool(_words_in(cell[:100]) & _HEADING_WORDS) for cell in cells]
    roles = [_heading_role(cell) for cell in cells]
    if any(
        _JAPANESE.search(cell) and not (role or word)
        for cell, role, word in zip(cells, roles, usual, strict=True)
    ):
        return False
    strong = any(_words_in(cell[:100]) & _STRONG_HEADING_WORDS for cell in cells)
    return any(roles) or (strong and (all(usual) or sum(usual) >= _ENOUGH_WORDS))


def _columns_by_heading(names: Row) -> dict[int, str]:
    """Return the roles of the columns with a known heading, by their indices.

    The roles are `ja`, `en`, `reading`, and `other` for what is no name in these languages.

    names: the headings of all columns, in order.

    >>> _columns_by_heading(["id", "Name (EN)", "日本語名", "?"])
    {0: 'other', 1: 'en', 2: 'ja'}
    """
    roles = ((index, _heading_role(name)) for index, name in enumerate(names[:_MOST_COLUMNS]))
    return {index: role for index, role in roles if role}


def _heading_role(cell: str) -> str | None:
    """Return what a column with a heading holds; None if the heading does not say it.

    >>> _heading_role("Name (EN)"), _heading_role("英語カード名"), _heading_role("よみがえり")
    ('en', 'en', None)
    """
    words = _words_in(cell[:100])
    for role, headings in _HEADINGS:
        if words & headings or any(map(_COMPOUND_HEADINGS[role].fullmatch, words)):
            return role
    return None


def _japanese_score(cell: str) -> float:
    """Return how much a cell looks like a Japanese name, from 0 to 1.

    0 without Japanese characters, 0.5 with ruby tags, 0.9 for kana alone, 1 with kanji: ruby and
    kana alone are more likely the reading of a name.
    """
    if not _JAPANESE.search(cell):
        return 0.0
    return 0.5 if _RUBY_TAG.search(cell) else 1.0 if _KANJI.search(cell) else 0.9


def _english_score(cell: str) -> float:
    """Return 1 if a cell looks like an English name, 0.3 for a code or an address, else 0."""
    if not _LATIN.search(cell) or _JAPANESE.search(cell):
        return 0.0
    return 0.3 if _CODE.fullmatch(cell) else 1.0


def _choose_column(
    columns: Sequence[Row], roles: Mapping[int, str], role: str, score: Callable[[str], float]
) -> int | None:
    """Return the index of the column with names in a language, or None if no column has any.

    A column whose heading gives the language is chosen if it has any names; else the best of the
    columns whose headings give nothing. A column of many equal cells, such as the kinds of cards,
    is hardly one of names; nor is one without kana a Japanese one beside one with kana and kanji.

    columns: the cells of each column, without the heading.
    roles: what the headings say of columns, by their indices.
    role: the role of the column, `ja` or `en`.
    score: how much a cell looks like a name in the language.
    """
    scores = [
        sum(map(score, column)) * _variety(column) * _script_weight(role, column)
        for column in columns
    ]
    named = [n for n, given in roles.items() if given == role and scores[n]]
    if named:
        return named[0]
    unnamed = [n for n in range(len(columns)) if roles.get(n, role) == role]
    best = max(unnamed, key=lambda n: scores[n], default=None)
    return best if best is not None and scores[best] else None


def _says_kinds(column: Row) -> bool:
    """Whether the cells of a column say what each row names, and nothing else: `card`, 用語.

    Some may be empty, but fewer than half.
    """
    filled = [cell for cell in column if cell]
    return 2 * len(filled) > len(column) and all(map(row_kind, filled))


def row_kind(cell: str) -> NamedKind | None:
    """Return whether a cell says that its row names a term or a card; None if it says neither.

    >>> row_kind("Card"), row_kind("キーワード能力"), row_kind("クリーチャー")
    ('card', 'term', None)
    """
    words = _words_in(cell[:100])
    if not words or not words <= _KIND_WORDS:
        return None
    terms, cards = bool(words & _TERM_WORDS), bool(words & _CARD_WORDS)
    return None if terms == cards else "term" if terms else "card"


def _variety(column: Row) -> float:
    """Return in how far the cells of a column differ, more than 0 and up to 1; 1 if it is empty."""
    filled = [cell for cell in column if cell]
    return len(set(filled)) / len(filled) if filled else 1.0


def _script_weight(role: str, column: Row) -> float:
    """Return 1.2 for a column with kana and kanji if Japanese is looked for, else 1.

    Names in Chinese have no kana, and readings no kanji.
    """
    mixed = any(map(_ANY_KANA.search, column)) and any(map(_KANJI.search, column))
    return 1.2 if role == "ja" and mixed else 1.0


def _has_readings(column: Row) -> bool:
    """Whether most cells of a column that are not empty are in kana alone or have ruby.

    Most are more than `_ENOUGH` of them. Of an empty column it is false.
    """
    filled = [cell for cell in column if cell]
    kana = sum(_KANA.fullmatch(cell) is not None or "<ruby" in cell for cell in filled)
    return bool(filled) and kana > _ENOUGH * len(filled)


# -- entries ----------------------------------------------------------------------------------


def _placeholders(rows: Sequence[Row], columns: _Columns) -> frozenset[str]:
    """Return what stands in the column of Japanese names where a name is not known, as programs
    write it: a text without a Japanese letter in five rows or more, such as `undefined`.

    >>> columns = _Columns(0, 1, None, None, False, 1.0)
    >>> _placeholders([["森", "Forest"], *(["null", f"Isle {n}"] for n in range(5))], columns)
    frozenset({'null'})
    """
    counts = Counter(_clean(row[columns.ja]) for row in rows if columns.ja < len(row))
    return frozenset(
        text
        for text, count in counts.items()
        if text and count >= _MOST_ALIKE and not _JAPANESE.search(text)
    )


def _add_row(
    builder: PageBuilder, row: Row, columns: _Columns, placeholders: frozenset[str], head: bool
) -> None:
    """Add a row as a passage, and count what is left out of it. `head`: whether it is a heading.

    A row without any name is not added, only counted. Ruby in the name becomes the passage's ruby.
    A reading that repeats the name, with or without ruby, is left out, but its ruby is used. One
    with ruby of another text is left out. Any other is the third cell; the fourth is what the row
    says that it names.

    columns: the indices of the cells that are used; its own `head` is not looked at.
    placeholders: what stands for a Japanese name that is not known.
    """
    used = (columns.ja, columns.en, columns.reading, columns.kind)
    for index, cell in enumerate(row):
        if index not in used:
            builder.leave_out(_OTHER_COLUMNS, cell)
    japanese, english, reading, kind = (
        _clean(row[index]) if index is not None and index < len(row) else "" for index in used
    )
    if japanese in placeholders:
        builder.leave_out(_PLACEHOLDER, japanese)
        japanese = ""
    if not (japanese or english):
        builder.leave_out(_OTHER_COLUMNS, reading + kind)
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
    cells = (name, english, reading, kind)
    text = "\t".join(cells[: 4 if kind else 3 if reading else 2])
    builder.add(Passage("row", text, block=1, head=head, ruby=tuple(ruby)))


def _clean(cell: str) -> str:
    """Return a cell on one line, with a space for each run of tabs, line breaks and the like,
    U+FFFD for lone surrogates, and no white space at its ends."""
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
