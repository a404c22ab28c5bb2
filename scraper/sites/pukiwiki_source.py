"""PukiWiki as it is written: the source text of a page, from a dump or a source view.

The lines are read into the tree that PukiWiki would serve of them, and that tree goes the
way of all HTML (`scraper.markup.walk`): so a page read from its source has the passages of
the same page read as served, but for what plugins put there. Signs of the markup are
counted where they are found, under their reasons; the page's name, which is not in its
source, stands in the title passage and is counted with the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lxml import etree

from scraper.markup.html_walk import Element, LinkTarget, MarkupRules, all_text, count_text, walk
from scraper.markup.page_builder import PageBuilder
from scraper.markup.pukiwiki_inline import Here, Piece, pieces
from scraper.page import Page, text_size
from scraper.sites import address, catalogue
from scraper.sources.snapshot import Snapshot

_STRONG_SIGNS = (
    re.compile(r"(?m)^\*{1,3}[^\n\[]{0,200}\[#[A-Za-z][\w-]{1,60}\]"),
    re.compile(r"(?m)^#(?:author\(|freeze\b|contents\b|pcomment\b|region\b|norelated\b|br\b)"),
    re.compile(r"(?m)^[-+]{1,3} ?\[\[[^\]\n]{1,200}\]\]"),
    re.compile(r"&(?:ruby|size|color|new|attachref|aname)[({][^\n;]{1,200};"),
    re.compile(r"\[\[[^\]\n|>]{1,100}>[^\]\n|>]{1,100}\]\]"),
)
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
_OTHER = re.compile(
    r"\A\s{0,99}<|\{\{|\[\[(?:Category|カテゴリ|File|ファイル):|^==+[^=\n]{1,200}==+[ \t]*$"
    r"|<ref\b|<br\s{0,9}/?>",
    re.MULTILINE | re.IGNORECASE,
)
_HEX_NAME = re.compile(r"(?:[0-9A-Fa-f]{2}){1,200}")
_NO_NAME = re.compile("[\x00-\x1f\x7f\ufffd]")
_UNREADABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_ALIGN = re.compile(r"(?:LEFT|CENTER|RIGHT):")
_ANCHOR = re.compile(r"\[#([A-Za-z][\w-]+)\]", re.ASCII)
_BLOCK_PLUGIN = re.compile(r"#(\w{1,64})(?:\(|\{\{|$)", re.ASCII)
_OPENS_LINES = re.compile(r"#[^{]{1,500}(\{\{+)\s*$")
_TABLE = re.compile(r"\|(.+)\|([hHfFcC]?)$")
_CELL_STYLE = re.compile(r"(?:LEFT|CENTER|RIGHT|(?:BG)?COLOR\([#\w]+\)|SIZE\(\d+\)):", re.ASCII)
_LISTS = {"-": "ul", "+": "ol"}
_PLUGIN_REASONS = {"author": "author line", "ref": "picture", "attachref": "picture",
                   "contents": "table of contents", "aname": "anchor mark"}  # fmt: skip


def recognises(text: str, url: str) -> bool:
    """Whether the text is the source of a PukiWiki page: it bears several of its signs.

    >>> recognises("*引く [#top]\\n-[[ドロー]]を見る。~\\n", "")
    True
    >>> recognises("== 引く ==\\n* [[ドロー]]\\n", ""), recognises("*注意* -[[a]]", "")
    (False, False)
    """
    start = text[:100_000]
    if _OTHER.search(start):
        return False
    strong = sum(sign.search(start) is not None for sign in _STRONG_SIGNS)
    return strong > 0 and strong + sum(s.search(start) is not None for s in _WEAK_SIGNS) >= 2


def name_of(snapshot: Snapshot) -> str:
    """The page's name: from its URL, or from a file name of hex digits, or the file's.

    >>> name_of(Snapshot("wiki/BBC8A4A6.txt", b"")), name_of(Snapshot("使う.txt", b""))
    ('使う', '使う')
    """
    found = address.read(snapshot.url) if snapshot.url else None
    if found and found.name:
        return found.name
    return named_by_file(snapshot.where) or _stem(snapshot.where)


def named_by_file(where: str) -> str:
    """The page that a file of PukiWiki's data folder holds: its name is in hex digits.

    Empty where the digits are no name, such as those of a date.

    >>> named_by_file("wiki/BBC8A4A6.txt"), named_by_file("rules/20240802.txt")
    ('使う', '')
    """
    stem = _stem(where)
    if not where.endswith(".txt") or not _HEX_NAME.fullmatch(stem):
        return ""
    digits = (stem[n : n + 2] for n in range(0, len(stem), 2))
    name = address.name_from_percent("".join(f"%{pair}" for pair in digits))
    return "" if _NO_NAME.search(name) else name


def _stem(where: str) -> str:
    return Path(where.rpartition("/")[2]).stem


def read(snapshot: Snapshot, text: str) -> list[Page]:
    """The page that the source is of."""
    return [_page(snapshot, text, name_of(snapshot))]


def from_view(snapshot: Snapshot, text: str, root: Element) -> list[Page]:
    """The page whose source a view shows (`plugin=source`, a backup's source).

    All else of the view is left out as its frame. Gives no page where the view has no source.
    """
    sources = root.xpath('//pre[@id="source"]') or root.xpath('//*[@id="body"]/pre')
    if not sources:
        return []
    source = all_text(sources[0])
    title = "".join(root.xpath("//title/text()"))
    page = _page(snapshot, source, _name_in_view(snapshot.url, title))
    whole = count_text(root)
    frame = whole - text_size(source)
    left_out = {**page.left_out, **({"page frame": frame} if frame else {})}
    old = any(sign in title for sign in ("のバックアップ", "の履歴"))
    return [page.with_(chars=page.chars + frame, left_out=left_out, old=old, via=not old)]


def _name_in_view(url: str, title: str) -> str:
    found = address.read(url) if url else None
    if found and found.name:
        return found.name
    for sign in ("のバックアップ", "の履歴ソース", "のソース"):
        if sign in title:
            return title.rpartition(sign)[0].strip()
    return title.rpartition(" - ")[0].strip()


def _page(snapshot: Snapshot, text: str, name: str) -> Page:
    url, composer = snapshot.url, PageBuilder(name)
    prefix = "rush/" if "/rush/" in url and name.startswith("rush/") else ""
    tree = _Tree(Here(name, prefix), composer)
    tree.page(_UNREADABLE.sub(_replaced, text), _UNREADABLE.sub(_replaced, name))
    root = tree.builder.close()
    manner = MarkupRules(
        contents=[root],
        link=lambda element: tree.links[int(element.get("n"))] if element.tag == "a" else None,
        anchor=lambda element: str(element.get("anchor", "")),
        kinds={"h1": lambda element: "title", "note": lambda element: "footnote"},
    )
    walk(root, manner, composer)
    source = address.named_source(url, snapshot.hints.site, "pukiwiki")
    return composer.page(
        source=source,
        name=name,
        url=url,
        game=catalogue.game_of(source),
        engine="pukiwiki",
        form="pukiwiki source",
        title=name,
        chars=text_size(text) + text_size(name),
    )


def _replaced(found: re.Match[str]) -> str:
    return " " if found[0].isspace() else "\ufffd"


@dataclass(slots=True)
class _Box:
    """A block that is open: its element (none for bare lines) and what tells it from others."""

    what: str
    element: str = ""
    level: int = 0
    columns: int = 0
    rows: list[tuple[str, list[str]]] = field(default_factory=list)

    def holds(self, what: str, level: int, columns: int) -> bool:
        """Whether a block goes inside this one; if not, this one ends before it."""
        own, is_list = self.what, what in {"ul", "ol", "dl"}
        if own in {"ul", "ol", "dl"}:
            return not is_list or (own == what and self.level == level)
        if own == "item":
            return not is_list or level > self.level
        if own == "quote":
            return what != "quote" or level >= self.level
        if own in {"table", "csv"}:
            return what == own and columns == self.columns
        return own == what if own in {"line", "pre"} else what == "line"


@dataclass(slots=True)
class _Tree:
    """Builds the tree of a page, line after line."""

    here: Here
    composer: PageBuilder
    builder: Any = field(default_factory=lambda: etree.TreeBuilder())
    open: list[_Box] = field(default_factory=list)
    links: list[LinkTarget] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    quotes: dict[int, int] = field(default_factory=dict)
    fences: list[str] = field(default_factory=list)

    def page(self, text: str, name: str) -> None:
        """The whole page: its name, its lines, its footnotes."""
        self.builder.start("body", {})
        self.element("h1", name)
        for line in text.split("\n"):
            self.line(line.rstrip("\r"))
        self.close_all()
        for note in self.notes:  # grows while it is read: a footnote may have its own
            self.builder.start("note", {})
            self.inline(note)
            self.builder.end("note")
        self.builder.end("body")

    def out(self, reason: str, text: str) -> None:
        self.composer.leave_out(reason, text)

    def element(self, tag: str, text: str) -> None:
        self.builder.start(tag, {})
        self.builder.data(text)
        self.builder.end(tag)

    # -- lines --------------------------------------------------------------------------
    def line(self, line: str) -> None:
        if line.startswith("//"):
            self.out("comment", line)
            return
        if self.fences and line.rstrip() == self.fences[-1]:
            self.close_all()
            self.out("plugin", self.fences.pop())
            return
        if align := _ALIGN.match(line):
            self.out("style mark", align[0])
            self.begin(_Box("align", "div"))
            line = line[align.end() :]
        elif not line:
            self.close_all()
        if line:
            self.block(line)

    def block(self, line: str) -> None:
        head = line[0]
        if line.startswith("----"):
            self.close_all()
            self.out("rule", line)
        elif head == "*":
            self.heading(line)
        elif head in " \t":
            self.preformatted(line)
        elif head in _LISTS:
            self.item(line, head)
        elif head in "><":
            self.quote(line, head)
        elif head == "#" and (found := _BLOCK_PLUGIN.match(line)):
            self.plugin(line, found[1])
        elif not (head in ":|," and self.by_cells(line, head)):
            self.text_line(line)

    def by_cells(self, line: str, head: str) -> bool:
        """A definition, a row, a line of CSV. False where it is only text."""
        if head == ":":
            return self.definition(line)
        if head == "|":
            found = _TABLE.fullmatch(line)
            if found:
                self.row("table", found[2].lower(), found[1].split("|"), found[2])
            return found is not None
        if line != ",":
            self.row("csv", "", _csv_cells(line[1:]), "")
        return line != ","

    def heading(self, line: str) -> None:
        self.close_all()
        level = min(3, len(line) - len(line.lstrip("*")))
        text, anchor = line[level:], ""
        self.out("markup", line[:level])
        if found := _ANCHOR.search(text):
            anchor = found[1]
            self.out("anchor mark", found[0])
            text = text[: found.start()] + text[found.end() :]
        self.builder.start(f"h{level + 1}", {"anchor": anchor})
        self.inline(text)
        self.builder.end(f"h{level + 1}")

    def preformatted(self, line: str) -> None:
        self.reach("pre")
        if self.open and self.open[-1].what == "pre":
            self.builder.data("\n")
        else:
            self.push(_Box("pre", "pre"))
        self.builder.data(line.removeprefix(" "))

    def plugin(self, line: str, name: str) -> None:
        self.reach("plugin")
        if fence := _OPENS_LINES.match(line):
            self.fences.append("}" * len(fence[1]))
        self.out(_PLUGIN_REASONS.get(name.lower(), "plugin"), line)
        tag = "br" if name.lower() == "br" else "div"
        self.builder.start(tag, {})
        self.builder.end(tag)

    def text_line(self, line: str) -> None:
        if line[0] == "~" and line != "~":
            self.out("markup", "~")
            self.begin(_Box("paragraph", "p"))
            line = line[1:]
        self.reach("line")
        if self.open and self.open[-1].what == "line":
            self.builder.data("\n")
        else:
            self.push(_Box("line", "" if self.open and self.open[-1].what != "quote" else "p"))
        self.inline_with_break(line)

    def inline_with_break(self, line: str) -> None:
        if line.endswith("~"):
            self.inline(line[:-1])
            self.out("line break", "~")
            self.builder.start("br", {})
            self.builder.end("br")
        else:
            self.inline(line)

    # -- lists, quotes ------------------------------------------------------------------
    def item(self, line: str, head: str) -> None:
        level = _level(line, head)
        tag, rest = _LISTS[head], line[level:].lstrip()
        self.out("markup", line[:level])
        same = self.begin_list(tag, level)
        if same and not rest:
            return
        if same and self.open[-1].what == "item":
            self.pop()
        self.push(_Box("item", "li", level))
        if rest:
            self.text_line(rest)

    def begin_list(self, tag: str, level: int) -> bool:
        """Open a list, or go on with the one that is open (True): its last item is open."""
        self.reach(tag, level)
        same = bool(self.open) and self.open[-1].what == tag
        if not same:
            self.push(_Box(tag, tag, level))
        return same

    def definition(self, line: str) -> bool:
        term, bar, meaning = line.partition("|")
        if not bar:
            return False
        level = _level(term, ":")
        self.out("markup", term[:level] + bar)
        self.begin_list("dl", level)
        for tag, text in (("dt", term[level:].lstrip()), ("dd", meaning)):
            if self.open[-1].what == "item":
                self.pop()
            self.push(_Box("item", tag, level))
            if text:
                self.text_line(text)
            while self.open[-1].what != "item":
                self.pop()
        return True

    def quote(self, line: str, head: str) -> None:
        level = _level(line, head)
        self.out("markup", line[:level])
        rest = line[level:].lstrip()
        if head == "<":
            while self.quotes.get(level):
                box = self.open[-1]
                self.pop()
                if box.what == "quote" and box.level == level:
                    break
        else:
            self.reach("quote", level)
            if not (self.open and self.open[-1].what == "quote" and self.open[-1].level == level):
                self.push(_Box("quote", "blockquote", level))
        if rest:
            self.text_line(rest)

    # -- tables -------------------------------------------------------------------------
    def row(self, what: str, part: str, cells: list[str], sign: str) -> None:
        self.reach(what, columns=len(cells))
        if not (self.open and self.open[-1].what == what):
            self.push(_Box(what, "table", columns=len(cells)))
        self.open[-1].rows.append((part, cells))
        if what == "table":
            self.out("markup", "|" * (len(cells) + 1) + sign)
        else:
            self.out("markup", "," * len(cells))

    def table(self, box: _Box) -> None:
        """The rows of a table in the order in which they are served: head, foot, body."""
        if box.what == "csv":
            for _, written in box.rows:
                self.cells(
                    [(*_csv_cell(cell), False) for cell in written], [c != "==" for c in written]
                )
            return
        read = [[_cell(cell) for cell in cells] for _, cells in box.rows]
        shown = [[text not in {">", "~"} for _, text, _ in cells] for cells in read]
        parts = _parts([part for part, _ in box.rows], read)
        for wanted in ("c", "h", "f", ""):
            if wanted == "h":
                self.builder.start("thead", {})
            for part, cells, visible in zip(parts, read, shown, strict=True):
                if part == wanted == "c":
                    for sign, text, _ in cells:
                        self.out("column style", sign + text)
                    self.out("column style", "~" * sum(head for _, _, head in cells))
                elif part == wanted:
                    self.cells(cells, visible)
            if wanted == "h":
                self.builder.end("thead")

    def cells(self, cells: list[tuple[str, str, bool]], shown: list[bool]) -> None:
        self.builder.start("tr", {})
        for (style, text, head), visible in zip(cells, shown, strict=True):
            self.out("style mark", style)
            self.out("markup", "~" if head else "")
            if not visible:
                self.out("joined cell", text)
                continue
            self.builder.start("th" if head else "td", {})
            if text.startswith("#") and (found := _BLOCK_PLUGIN.match(text)):
                self.out(_PLUGIN_REASONS.get(found[1].lower(), "plugin"), text)
            else:
                self.inline(text)
            self.builder.end("th" if head else "td")
        self.builder.end("tr")

    # -- what is open -------------------------------------------------------------------
    def begin(self, box: _Box) -> None:
        self.reach(box.what, box.level)
        self.push(box)

    def reach(self, what: str, level: int = 0, columns: int = 0) -> None:
        """Close what a new block does not go into."""
        while self.open and not self.open[-1].holds(what, level, columns):
            self.pop()

    def push(self, box: _Box) -> None:
        self.open.append(box)
        if box.what == "quote":
            self.quotes[box.level] = self.quotes.get(box.level, 0) + 1
        if box.element:
            self.builder.start(box.element, {})

    def pop(self) -> None:
        box = self.open.pop()
        if box.what == "quote":
            self.quotes[box.level] -= 1
        if box.rows:
            self.table(box)
        if box.element:
            self.builder.end(box.element)

    def close_all(self) -> None:
        while self.open:
            self.pop()

    # -- inline -------------------------------------------------------------------------
    def inline(self, text: str) -> None:
        for piece in pieces(text, self.here):
            self.piece(piece)

    def piece(self, piece: Piece) -> None:
        if piece.what == "text":
            self.builder.data(_UNREADABLE.sub(_replaced, piece.text))
        elif piece.what == "out":
            self.out(piece.reason, piece.text)
        elif piece.what == "note":
            self.notes.append(piece.text)
        elif piece.what == "break":
            self.builder.start("br", {})
            self.builder.end("br")
        else:
            self.holder(piece)

    def holder(self, piece: Piece) -> None:
        """A piece that holds others: a link, strong words, a word with its reading."""
        tag = {"link": "a", "ruby": "ruby"}.get(piece.what, "strong")
        if piece.to is not None:
            self.links.append(piece.to)
        self.builder.start(tag, {"n": str(len(self.links) - 1)} if tag == "a" else {})
        for part in piece.inside:
            self.piece(part)
        if tag == "ruby":
            self.element("rt", piece.text)
        self.builder.end(tag)


def _level(line: str, head: str) -> int:
    return min(3, len(line) - len(line.lstrip(head)))


def _parts(parts: list[str], cells: list[list[tuple[str, str, bool]]]) -> list[str]:
    """The part of the table that each row is in: one that goes on a cell goes with its row."""
    parts = list(parts)
    for column in range(len(cells[0])):
        begun = -1
        for place, row in enumerate(cells):
            if row[column][1] != "~":
                begun = place
            elif begun >= 0:
                parts[place] = parts[begun]
    return parts


def _cell(cell: str) -> tuple[str, str, bool]:
    """A cell's style marks, its text, and whether it is a heading cell.

    >>> _cell("CENTER:BGCOLOR(#fff):~引く"), _cell("~")
    (('CENTER:BGCOLOR(#fff):', '引く', True), ('', '~', False))
    """
    at = 0
    while style := _CELL_STYLE.match(cell, at):
        at = style.end()
    text = cell[at:]
    head = text.startswith("~") and text != "~"
    return cell[:at], text[head:], head


def _csv_cells(line: str) -> list[str]:
    """The cells of a CSV line as they are written: commas inside quotes divide nothing."""
    cells: list[str] = []
    at = 0
    quotes = True
    while at <= len(line):
        end = -1
        if quotes and line.startswith('"', at):
            end = _quote_end(line, at)
            quotes = end >= 0
        if end < 0 or (end < len(line) and line[end] != ","):
            end = line.find(",", at)
            end = len(line) if end < 0 else end
        cells.append(line[at:end])
        at = end + 1
    return cells


def _quote_end(line: str, start: int) -> int:
    at = line.find('"', start + 1)
    while at >= 0 and line.startswith('""', at):
        at = line.find('"', at + 2)
    return at + 1 if at >= 0 else -1


def _csv_cell(cell: str) -> tuple[str, str]:
    """The quotes of a CSV cell and what they hold.

    >>> _csv_cell('"引""く"'), _csv_cell("引く")
    (('\"\"\"', '引"く'), ('', '引く'))
    """
    if len(cell) < 2 or not (cell[0] == cell[-1] == '"'):
        return "", cell
    inside = cell[1:-1]
    text = inside.replace('""', '"')
    return '""' + '"' * (len(inside) - len(text)), text
