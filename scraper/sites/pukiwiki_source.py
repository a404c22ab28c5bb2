"""Parses PukiWiki's source text, from a data folder or a source view, into pages.

This module finds, line by line, the blocks that PukiWiki would serve of it, and
`scraper.markup.pukiwiki_inline` parses the markup within a line. `scraper.markup.block_writer`
makes passages of both, as it does of a tree of HTML. So a page has the same passages from its
source as from its HTML, except for what plugins add. Marks of the markup are counted under their
reasons as they are parsed. The page's name is not in its source, but it is the title passage and
counted with the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from scraper.markup.block_writer import BlockWriter, Close
from scraper.markup.html_walk import Element, all_text, count_text
from scraper.markup.page_builder import OpenSpan, PageBuilder
from scraper.markup.pukiwiki_inline import Here, Mark, pieces
from scraper.markup.size_limits import fit_text
from scraper.page import Page, text_size
from scraper.sites import page_address, site_catalogue
from scraper.sites.pukiwiki import names_in_utf8, text_in_utf8
from scraper.sources.saved_pages import Snapshot

# Markup that hardly any other text has. Bounds in these patterns are guards of time: names and
# spans of a line are shorter.
_STRONG_SIGNS = (
    re.compile(r"(?m)^\*{1,3}[^\n\[]{0,200}\[#[A-Za-z][\w-]{1,60}\]"),
    re.compile(r"(?m)^#(?:author\(|freeze\b|contents\b|pcomment\b|region\b|norelated\b|br\b)"),
    re.compile(r"(?m)^[-+]{1,3} ?\[\[[^\]\n]{1,200}\]\]"),
    re.compile(r"&(?:ruby|size|color|new|attachref|aname)[({][^\n;]{1,200};"),
    re.compile(r"\[\[[^\]\n|>]{1,100}>[^\]\n|>]{1,100}\]\]"),
)
# Markup that other formats may also have.
_WEAK_SIGNS = (
    re.compile(r"(?m)[^\n]~$"),
    re.compile(r"(?m)^\|[^\n]{0,2000}\|[hfc]?$"),
    re.compile(r"''[^'\n]{1,200}''"),
    re.compile(r"\[\[[^\]\n|]{1,100}\]\]"),
    re.compile(r"(?m)^----"),
    re.compile(r"(?m)^[-+]{1,3}[^-+\s]"),
    re.compile(r"(?m)^\*{1,3}[^*\s]"),
    re.compile(r"&br;"),
    re.compile(r"(?m)^//"),
)
# What only HTML and wikitext have, and captures of views.
_OTHER_FORMAT = re.compile(
    r"\A\s{0,99}<|^\[ ?トップ ?[\]|]|^PukiWiki \d[\d.]+ .*(?:©|Copyright)"
    r"|\{\{|\[\[(?:Category|カテゴリ|File|ファイル):|^==+[^=\n]{1,200}==+[ \t]*$"
    r"|<ref\b|<br\s{0,9}/?>",
    re.MULTILINE | re.IGNORECASE,
)
_HEX_NAME = re.compile(r"(?:[0-9A-Fa-f]{2}){1,200}")  # file systems take 255 signs in a name
_NOT_IN_NAME = re.compile("[\x00-\x1f\x7f\ufffd]")  # bytes of no name: hex digits of a date, say
_ALIGN = re.compile(r"(?:LEFT|CENTER|RIGHT):")
_ANCHOR = re.compile(r"\[#([A-Za-z][\w-]+)\]", re.ASCII)
# The bounds of 64 and 500 are guards: they bound time.
_BLOCK_PLUGIN = re.compile(r"#(\w{1,64})(?:\(|\{\{|$)", re.ASCII)
_MULTILINE_PLUGIN = re.compile(r"#[^{]{1,500}(\{\{+)\s*$")
_TABLE = re.compile(r"\|(.+)\|([hHfFcC]?)$")
_CELL_STYLE = re.compile(r"(?:LEFT|CENTER|RIGHT|(?:BG)?COLOR\([#\w]+\)|SIZE\(\d+\)):", re.ASCII)
_LISTS = {"-": "ul", "+": "ol"}  # tags by marks
# The reason to leave a plugin out, by its name; "plugin" for all others.
_PLUGIN_REASONS = {"author": "author line", "ref": "picture", "attachref": "picture",
                   "contents": "table of contents", "aname": "anchor mark"}  # fmt: skip
_Cell = tuple[str, str, bool]  # a cell's style marks, its text, whether it is a heading cell


def recognises(text: str, url: str) -> bool:
    """Whether a text is the source of a PukiWiki page, judged by the markup in it.

    It has a strong sign and another one, strong or weak, and nothing of another format, in its
    first 100,000 characters. The URL is ignored.

    >>> recognises("*引く [#top]\\n-[[ドロー]]を見る。~\\n", "")
    True
    >>> recognises("== 引く ==\\n* [[ドロー]]\\n", ""), recognises("*注意* -[[a]]", "")
    (False, False)
    """
    start = text[:100_000]
    if _OTHER_FORMAT.search(start):
        return False
    strong = sum(sign.search(start) is not None for sign in _STRONG_SIGNS)
    return strong > 0 and strong + sum(s.search(start) is not None for s in _WEAK_SIGNS) >= 2


def name_of(snapshot: Snapshot) -> str:
    """Return the name of a page: from its URL, or the file's name, decoded if it is in hex digits.

    A file's name in anything but hex digits is the name without folder and ending. Never the title
    in the text, which PukiWiki's source does not have.

    >>> name_of(Snapshot("wiki/BBC8A4A6.txt", b"")), name_of(Snapshot("使う.txt", b""))
    ('使う', '使う')
    """
    url, in_utf8 = snapshot.url, text_in_utf8(snapshot.data)
    found = page_address.read(url, url, in_utf8) if url else None
    if found and found.name:
        return found.name
    return named_by_file(snapshot.where, in_utf8) or _stem(snapshot.where)


def named_by_file(where: str, in_utf8: bool = False) -> str:
    """Return the name of the page in a file of PukiWiki's data folder, which is in hex digits.

    Empty if the file has another name, or if the digits give no name, as those of a date.

    where: the path of the file. The digits are the bytes of the name in EUC-JP or UTF-8.
    in_utf8: whether it is known to be UTF-8.

    >>> named_by_file("wiki/BBC8A4A6.txt"), named_by_file("rules/20240802.txt")
    ('使う', '')
    """
    stem = _stem(where)
    if not where.endswith(".txt") or not _HEX_NAME.fullmatch(stem):
        return ""
    digits = (stem[n : n + 2] for n in range(0, len(stem), 2))
    name = page_address.name_from_percent("".join(f"%{pair}" for pair in digits), in_utf8)
    return "" if _NOT_IN_NAME.search(name) else name


def _stem(where: str) -> str:
    """Return the name of a file without folder and ending.

    where: a path, or a place in an archive; only what follows the last `/` counts.
    """
    return Path(where.rpartition("/")[2]).stem


def read(snapshot: Snapshot, text: str) -> list[Page]:
    """Parse the source text of a page; return the page in a list.

    Its name is that of `name_of`. The name is also the first passage, and counted in `chars`.
    """
    return [_parse_page(snapshot, text, name_of(snapshot))]


def from_view(snapshot: Snapshot, text: str, root: Element) -> list[Page]:
    """Return the page whose source an HTML view shows (`plugin=source`, or a backup's source).

    The rest of the view is left out as its frame. The list is empty if there is no source in it.
    The page is `old` if the view shows a backup, else `via`. Its name is that in the URL, else that
    in the view's title.

    text: the HTML of the view; root: its tree.
    """
    sources = root.xpath('//pre[@id="source"]') or root.xpath('//*[@id="body"]/pre')
    if not sources:
        return []
    source = all_text(sources[0])
    title = "".join(root.xpath("//title/text()"))
    page = _parse_page(snapshot, source, _name_in_view(snapshot.url, text, title))
    whole = count_text(root)
    frame = whole - text_size(source)
    left_out = {**page.left_out, **({"page frame": frame} if frame else {})}
    old = any(words in title for words in ("のバックアップ", "の履歴"))
    return [page.with_(chars=page.chars + frame, left_out=left_out, old=old, via=not old)]


def _name_in_view(url: str, text: str, title: str) -> str:
    """Return the name of the page whose source a view shows, from its URL or its title.

    text: the HTML of the view, whose links show the charset of names.

    It is the name that the URL gives; else the part of the title before `のバックアップ`,
    `の履歴ソース`, `のソース` or the last ` - `. Empty if none of these is there.
    """
    found = page_address.read(url, url, names_in_utf8(text, url)) if url else None
    if found and found.name:
        return found.name
    for words in ("のバックアップ", "の履歴ソース", "のソース"):
        if words in title:
            return title.rpartition(words)[0].strip()
    return title.rpartition(" - ")[0].strip()


def _parse_page(snapshot: Snapshot, text: str, name: str) -> Page:
    """Parse the source text of a page with a name, which is also its title passage.

    name: with the wiki's prefix or without; links get the prefix only if the name has it. Its
        characters are added to those of the text in `chars`.
    """
    url, builder = snapshot.url, PageBuilder(name)
    prefix = page_address.name_prefix(url)
    prefix = prefix if name.startswith(prefix) else ""
    _BlockParser(Here(name, prefix), builder).parse(text, name)
    source = page_address.named_source(url, snapshot.hints.site, "pukiwiki")
    return builder.page(
        source=source,
        name=name,
        url=url,
        game=site_catalogue.game_of(source),
        engine="pukiwiki",
        form="pukiwiki source",
        title=name.removeprefix(prefix),
        chars=text_size(text) + text_size(name),
    )


# -- blocks -------------------------------------------------------------------------------
@dataclass(slots=True)
class _Block:
    """A block that is open.

    kind: `ul`, `ol`, `dl`, `item`, `quote`, `table`, `csv`, `pre`, `paragraph`, `align`, or `line`
        for lines without a mark.
    close: what to call at its end; None if it begins no block of the page.
    level: how deep a list, item or quote is nested, from 1 to 3.
    columns: the number of columns of a table.
    rows: the rows of a table so far: the mark at the row's end, and its cells.
    """

    kind: str
    close: Close | None = None
    level: int = 0
    columns: int = 0
    rows: list[tuple[str, list[str]]] = field(default_factory=list)

    def holds(self, kind: str, level: int, columns: int) -> bool:
        """Whether another block goes inside this one or continues it; if not, this one ends.

        A list, quote or table is continued by one of the same kind (and level or columns), text
        lines by text lines; the block is then not opened again.

        kind: as in the fields of a block, or `plugin`. level, columns: those of the other block;
            0 if its kind has none.
        """
        is_list = kind in {"ul", "ol", "dl"}
        if self.kind in {"ul", "ol", "dl"}:
            return not is_list or (self.kind == kind and self.level == level)
        if self.kind == "item":
            return not is_list or level > self.level
        if self.kind == "quote":
            return kind != "quote" or level >= self.level
        if self.kind in {"table", "csv"}:
            return kind == self.kind and columns == self.columns
        return self.kind == kind if self.kind in {"line", "pre"} else kind == "line"


class _BlockParser:
    """Parses the source of a page, line by line, into passages.

    here: the page.
    leave_out: counts omitted text, by a reason.
    writer: makes the passages; run: the text of the current one.
    open: the open blocks, the outermost first.
    notes: the source of the footnotes.
    quotes: the number of open quotes by level.
    fences: the lines that end the open plugins of several lines.
    """

    def __init__(self, here: Here, builder: PageBuilder) -> None:
        self.here = here
        self.leave_out = builder.leave_out
        self.writer = BlockWriter(builder)
        self.run = self.writer.run
        self.open: list[_Block] = []
        self.notes: list[str] = []
        self.quotes: dict[int, int] = {}
        self.fences: list[str] = []

    def parse(self, text: str, name: str) -> None:
        """Parse a whole page: its name (the title), its lines, its footnotes (at the end).

        The passages are added to the builder. Call it only once.

        text: the source of the page; name: its name.
        """
        close = self.writer.open_as("title")
        self.add_text(fit_text(name))
        close()
        for line in fit_text(text).split("\n"):
            self.parse_line(line.rstrip("\r"))
        self.close_all()
        for note in self.notes:  # grows in the loop: a footnote may have footnotes
            close = self.writer.open_as("footnote")
            self.add_inline(note)
            close()
        self.writer.flush()

    def add_text(self, text: str) -> None:
        """Add text to the current passage."""
        if text:
            self.run.text(text)

    # -- lines --------------------------------------------------------------------------
    def parse_line(self, line: str) -> None:
        """Parse a line of the source, without its line end. An empty line closes all blocks.

        A comment (`//`) is left out. The line that ends the last plugin in `fences` closes all
        blocks and is left out. An align mark (`CENTER:`) opens a block, in which the rest of the
        line is parsed.
        """
        if line.startswith("//"):
            self.leave_out("comment", line)
            return
        if self.fences and line.rstrip() == self.fences[-1]:
            self.close_all()
            self.leave_out("plugin", self.fences.pop())
            return
        if align := _ALIGN.match(line):
            self.leave_out("style mark", align[0])
            self.begin("align")
            line = line[align.end() :]
        elif not line:
            self.close_all()
        if line:
            self.parse_block_line(line)

    def parse_block_line(self, line: str) -> None:
        """Parse a line, which is not empty, by the mark that it begins with.

        `----` closes all blocks and is left out whole; `*` is a heading; a space or tab begins
        preformatted text; `-` and `+` are items; `>` and `<` quotes; `#` is a plugin; `:`, `|` and
        `,` are definitions, rows and CSV. All else, and what only looks like one of the last four,
        is text.
        """
        mark = line[0]
        if line.startswith("----"):
            self.close_all()
            self.leave_out("rule", line)
        elif mark == "*":
            self.parse_heading(line)
        elif mark in " \t":
            self.parse_preformatted(line)
        elif mark in _LISTS:
            self.parse_item(line, mark)
        elif mark in "><":
            self.parse_quote(line, mark)
        elif mark == "#" and (plugin := _BLOCK_PLUGIN.match(line)):
            self.parse_plugin(line, plugin[1])
        elif not (mark in ":|," and self.parse_cells_line(line, mark)):
            self.parse_text(line)

    def parse_cells_line(self, line: str, mark: str) -> bool:
        """Parse a definition, a table row or a line of CSV.

        Return false, and leave the line unparsed, if it is only text.

        mark: the first character of the line: `:`, `|` or `,`.
        """
        if mark == ":":
            return self.parse_definition(line)
        if mark == "|":
            row = _TABLE.fullmatch(line)
            if row:
                self.add_row("table", row[2].lower(), row[1].split("|"), row[2])
            return row is not None
        if line != ",":
            self.add_row("csv", "", _csv_cells(line[1:]), "")
        return line != ","

    def parse_heading(self, line: str) -> None:
        """Parse a heading, with the anchor that may be in it. All open blocks are closed before.

        One to three `*` give the levels 2 to 4. The first `[#anchor]` is the anchor (else empty);
        it and the marks are left out of the text.
        """
        self.close_all()
        level = min(3, len(line) - len(line.lstrip("*")))
        text, anchor = line[level:], ""
        self.leave_out("markup", line[:level])
        if match := _ANCHOR.search(text):
            anchor = match[1]
            self.leave_out("anchor mark", match[0])
            text = text[: match.start()] + text[match.end() :]
        close = self.writer.open_heading(level + 1, anchor)
        self.add_inline(text)
        close()

    def parse_preformatted(self, line: str) -> None:
        """Parse a line of preformatted text, which continues an open `pre` block or opens one.

        One space at its beginning is removed, a tab is not. Nothing in the line is parsed as
        markup.
        """
        self.close_for("pre")
        if self.open and self.open[-1].kind == "pre":
            self.run.text("\n")
        else:
            self.push("pre", self.writer.open_as("pre", verbatim=True))
        self.add_text(line.removeprefix(" "))

    def parse_plugin(self, line: str, name: str) -> None:
        """Parse a line with a block plugin, which is left out.

        If it opens a plugin of several lines, the line that closes it is left out as well, but
        the lines between are parsed as the page's.

        name: the name of the plugin, as it is written.
        """
        self.close_for("plugin")
        if opening := _MULTILINE_PLUGIN.match(line):
            self.fences.append("}" * len(opening[1]))
        self.leave_out(_PLUGIN_REASONS.get(name.lower(), "plugin"), line)
        if name.lower() == "br":
            self.run.line()
        else:
            self.writer.flush()

    def parse_text(self, line: str) -> None:
        """Parse a line of text, which continues the open block or begins a paragraph.

        `~` at its beginning begins a new paragraph, `~` at its end is a line break; both are left
        out. The line must not be empty.
        """
        if line[0] == "~" and line != "~":
            self.leave_out("markup", "~")
            self.begin("paragraph")
            line = line[1:]
        self.close_for("line")
        if self.open and self.open[-1].kind == "line":
            self.run.text("\n")
        else:
            is_paragraph = not self.open or self.open[-1].kind == "quote"
            self.push("line", self.writer.open_block() if is_paragraph else None)
        if line.endswith("~"):
            self.add_inline(line[:-1])
            self.leave_out("line break", "~")
            self.run.line()
        else:
            self.add_inline(line)

    # -- lists, quotes ------------------------------------------------------------------
    def parse_item(self, line: str, mark: str) -> None:
        """Parse a list item.

        Marks alone open an empty item if they begin a list; else they only close the item before.

        line: the whole line, with the marks; mark: its first character, `-` or `+`.
        """
        level = _level(line, mark)
        tag, rest = _LISTS[mark], line[level:].lstrip()
        self.leave_out("markup", line[:level])
        continues = self.begin_list(tag, level)
        if continues and not rest:
            return
        self.push("item", self.writer.open_item("li"), level)
        if rest:
            self.parse_text(rest)

    def begin_list(self, tag: str, level: int) -> bool:
        """Open a list unless the innermost open block is such a list; return whether it is.

        Blocks that can't contain the list are closed before. True means that no list was opened.

        tag: `ul`, `ol` or `dl`; level: how deep it is nested, from 1 to 3.
        """
        self.close_for(tag, level)
        continues = bool(self.open) and self.open[-1].kind == tag
        if not continues:
            self.push(tag, self.writer.open_list(tag), level)
        return continues

    def parse_definition(self, line: str) -> bool:
        """Parse a line with a term and its definition, with the marks (`:`) before the term.

        Return false, and leave the line unparsed, if it has no `|`.
        """
        term, bar, definition = line.partition("|")
        if not bar:
            return False
        level = _level(term, ":")
        self.leave_out("markup", term[:level] + bar)
        self.begin_list("dl", level)
        for tag, text in (("dt", term[level:].lstrip()), ("dd", definition)):
            while self.open[-1].kind != "dl":
                self.pop()
            self.push("item", self.writer.open_item(tag), level)
            if text:
                self.parse_text(text)
        return True

    def parse_quote(self, line: str, mark: str) -> None:
        """Parse a line that begins (`>`) or ends (`<`) a quote.

        `>` opens a quote unless one of its level is innermost. `<` closes blocks up to the
        innermost quote of its level; if none of that level is open, nothing is closed. Text after
        the marks is parsed.

        mark: the first character of the line; how many there are, at most 3, is the level.
        """
        level = _level(line, mark)
        self.leave_out("markup", line[:level])
        rest = line[level:].lstrip()
        if mark == "<":
            while self.quotes.get(level):
                block = self.open[-1]
                self.pop()
                if block.kind == "quote" and block.level == level:
                    break
        else:
            self.close_for("quote", level)
            if not (self.open and self.open[-1].kind == "quote" and self.open[-1].level == level):
                self.push("quote", self.writer.open_as("quote"), level)
        if rest:
            self.parse_text(rest)

    # -- tables -------------------------------------------------------------------------
    def add_row(self, kind: str, part: str, cells: list[str], mark: str) -> None:
        """Add a row to the open table if that has as many columns, else to a new table.

        kind: `table` or `csv`.
        cells: the cells as they are written, with their style marks or quotes.
        part: the part of the table: `h` (head), `f` (foot), `c` (column styles) or empty (body).
        mark: the letter after the row, as it is written.
        """
        self.close_for(kind, columns=len(cells))
        if not (self.open and self.open[-1].kind == kind):
            self.push(kind, self.writer.open_table(), columns=len(cells))
        self.open[-1].rows.append((part, cells))
        if kind == "table":
            self.leave_out("markup", "|" * (len(cells) + 1) + mark)
        else:
            self.leave_out("markup", "," * len(cells))

    def add_table(self, table: _Block) -> None:
        """Add the rows of a table to the page in the order in which they are served.

        The head comes first, then the foot, then the body. Rows of column styles are left out.
        """
        if table.kind == "csv":
            for _, written in table.rows:
                cells = [(*_parse_csv_cell(cell), False) for cell in written]
                self.add_cells(cells, [cell != "==" for cell in written])
            return
        rows = [[_parse_cell(cell) for cell in cells] for _, cells in table.rows]
        shown = [[text not in {">", "~"} for _, text, _ in cells] for cells in rows]
        parts = _parts_of_rows([part for part, _ in table.rows], rows)
        for current in ("c", "h", "f", ""):
            close = self.writer.open_head() if current == "h" else None
            for part, cells, visible in zip(parts, rows, shown, strict=True):
                if part == current == "c":
                    for style, text, _ in cells:
                        self.leave_out("column style", style + text)
                    self.leave_out("column style", "~" * sum(head for _, _, head in cells))
                elif part == current:
                    self.add_cells(cells, visible)
            if close:
                close()

    def add_cells(self, cells: list[_Cell], shown: list[bool]) -> None:
        """Add a row to the page. A cell that is not shown is joined with its neighbour.

        A cell with a block plugin is added empty, its text left out; the text of others is parsed.

        shown: for each of the cells whether it is shown; the text of all others is left out.
        """
        heads = [head for (_, _, head), visible in zip(cells, shown, strict=True) if visible]
        headers = heads.index(False) if False in heads else len(heads)
        close = self.writer.open_row(headers, len(heads) - headers)
        for (style, text, head), visible in zip(cells, shown, strict=True):
            if style:
                self.leave_out("style mark", style)
            if head:
                self.leave_out("markup", "~")
            if not visible:
                self.leave_out("joined cell", text)
                continue
            self.writer.open_cell()
            if text.startswith("#") and (plugin := _BLOCK_PLUGIN.match(text)):
                self.leave_out(_PLUGIN_REASONS.get(plugin[1].lower(), "plugin"), text)
            else:
                self.add_inline(text)
        close()

    # -- open blocks --------------------------------------------------------------------
    def begin(self, kind: str) -> None:
        """Open an `align` or a `paragraph` after the blocks that can't contain it are closed."""
        self.close_for(kind)
        self.push(kind, self.writer.open_block())

    def close_for(self, kind: str, level: int = 0, columns: int = 0) -> None:
        """Close the innermost blocks that can't contain a new block, nor be continued by it.

        kind, level, columns: those of the new block, as `_Block.holds` takes them.
        """
        while self.open and not self.open[-1].holds(kind, level, columns):
            self.pop()

    def push(self, kind: str, close: Close | None, level: int = 0, columns: int = 0) -> None:
        """Open a block inside the innermost open block; nothing is closed before.

        The arguments are the fields of the block.
        """
        self.open.append(_Block(kind, close, level, columns))
        if kind == "quote":
            self.quotes[level] = self.quotes.get(level, 0) + 1

    def pop(self) -> None:
        """Close the innermost open block. The rows of a table are added to the page only now."""
        block = self.open.pop()
        if block.kind == "quote":
            self.quotes[block.level] -= 1
        if block.rows:
            self.add_table(block)
        if block.close:
            block.close()

    def close_all(self) -> None:
        """Close all open blocks."""
        while self.open:
            self.pop()

    # -- inline -------------------------------------------------------------------------
    def add_inline(self, text: str) -> None:
        """Parse inline markup and add it to the current passage. The source of footnotes in it goes
        to `notes`, from which `parse` makes passages at the end of the page."""
        run, spans = self.run, list[OpenSpan]()
        for piece in pieces(text, self.here, self.leave_out):
            if isinstance(piece, str):
                run.text(piece)
            else:
                self.add_mark(piece, spans)

    def add_mark(self, mark: Mark, spans: list[OpenSpan]) -> None:
        """Add what is beside the texts of a line: begin or end a span, break the line, or keep the
        source of a footnote for the end of the page.

        spans: those that are open, the innermost last; it is changed.
        """
        run = self.run
        if mark.to is not None:
            spans.append(run.open(mark.to))
        elif mark.what == "strong":
            spans.append(run.open_strong())
        elif mark.what == "end":
            run.close(spans.pop())
        elif mark.what == "break":
            run.line()
        elif mark.what == "note":
            self.notes.append(mark.text)
        elif mark.what == "ruby":
            spans.append(run.open_ruby())
        else:
            run.reading(mark.text)
            self.leave_out("reading (kept with its word)", mark.text)
            run.close(spans.pop())


def _level(line: str, mark: str) -> int:
    """Return how many marks a line begins with, at most 3, as PukiWiki has three levels; 0 if it
    begins with none."""
    return min(3, len(line) - len(line.lstrip(mark)))


def _parts_of_rows(parts: list[str], rows: list[list[_Cell]]) -> list[str]:
    """Return the part of the table that each row goes to.

    A row with a cell that continues the cell above (`~`) goes to the same part as that cell.

    parts: for each row the part by the mark at its end: `h`, `f`, `c` or empty.
    rows: the cells of each row, as many in all; at least one row.
    """
    parts = list(parts)
    for column in range(len(rows[0])):
        start = -1
        for index, cells in enumerate(rows):
            if cells[column][1] != "~":
                start = index
            elif start >= 0:
                parts[index] = parts[start]
    return parts


def _parse_cell(cell: str) -> _Cell:
    """Return a cell's style marks, its text, and whether it is a heading cell.

    >>> _parse_cell("CENTER:BGCOLOR(#fff):~引く"), _parse_cell("~")
    (('CENTER:BGCOLOR(#fff):', '引く', True), ('', '~', False))
    """
    start = 0
    while style := _CELL_STYLE.match(cell, start):
        start = style.end()
    text = cell[start:]
    head = text.startswith("~") and text != "~"
    return cell[:start], text[head:], head


def _csv_cells(line: str) -> list[str]:
    """Return the cells of a CSV line as they are written, with their quotes.

    Commas inside quotes separate nothing.

    line: the line without the comma that it begins with.
    """
    cells: list[str] = []
    start = 0
    quotes = True  # whether quotes are still closed; if one is not, no later one is
    while start <= len(line):
        end = -1
        if quotes and line.startswith('"', start):
            end = _quote_end(line, start)
            quotes = end >= 0
        if end < 0 or (end < len(line) and line[end] != ","):
            end = line.find(",", start)
            end = len(line) if end < 0 else end
        cells.append(line[start:end])
        start = end + 1
    return cells


def _quote_end(line: str, start: int) -> int:
    """Return the offset after the closing quote of the text whose opening quote is at `start`.

    -1 if it is not closed. Two quotes (`""`) inside it are a quote of the text.
    """
    position = line.find('"', start + 1)
    while position >= 0 and line.startswith('""', position):
        position = line.find('"', position + 2)
    return position + 1 if position >= 0 else -1


def _parse_csv_cell(cell: str) -> tuple[str, str]:
    """Return the quotes of a CSV cell that are syntax, and its text.

    >>> _parse_csv_cell('"引""く"'), _parse_csv_cell("引く")
    (('\"\"\"', '引"く'), ('', '引く'))
    """
    if len(cell) < 2 or not (cell[0] == cell[-1] == '"'):
        return "", cell
    inside = cell[1:-1]
    text = inside.replace('""', '"')
    return '""' + '"' * (len(inside) - len(text)), text
