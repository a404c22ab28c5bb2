"""MediaWiki's own source: wikitext, read into the pages that the served HTML gives.

Lines decide what is a heading, a list, a table, a paragraph; `scraper.wikimarkup` reads what
is in them. Both write a tree, and the walk that reads served pages makes the passages.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import PurePath

from scraper.markup.html_walk import Element, LinkTarget, MarkupRules, all_text, walk
from scraper.markup.page_builder import PageBuilder
from scraper.markup.wikitext_inline import DEEPEST, MARKUP, TABLE, Tree, clean, inline, title_of
from scraper.page import Page, PassageKind, text_size
from scraper.sites import address, catalogue
from scraper.sites.mediawiki import interlanguage
from scraper.sources.snapshot import Snapshot

_REDIRECT = re.compile(r"\s*#(?:REDIRECT|転送|リダイレクト)\s*:?\s*(?=\[\[)", re.IGNORECASE)
_TARGET = re.compile(r"\[\[([^\[\]|\n{}<>]+)(?:\|[^\[\]\n]*)?\]\]")
_OPAQUE = re.compile(
    r"<!--|<(?P<tag>nowiki|pre|ref|gallery|math|includeonly)(?:\s[^<>]*)?(?P<empty>/)?>"
    r"|(?P<open>\{\{+)|(?P<close>\}\}+)",
    re.IGNORECASE,
)
_HIDDEN = "\x01"
_LIST = re.compile(r"[*#:;]+")
_TABLE = re.compile(r"([:\s]*)\{\|")
_RULE = re.compile(r"-{4,}")
_BLOCK = re.compile(
    r"</?(?:div|table|tr|td|th|p|ul|ol|dl|li|dt|dd|blockquote|center|h[1-6]|hr|caption|tbody)\b",
    re.IGNORECASE,
)
_NOT_IN_TERM = re.compile(
    r"\[\[[^\[\]]*\]\]|\[[^\[\]]*\]|[A-Za-z]{1,12}://[^\s\]]*|<[^<>]*>", re.IGNORECASE
)
_LISTS = {"*": ("ul", "li"), "#": ("ol", "li"), ":": ("dl", "dd"), ";": ("dl", "dt")}


def read(snapshot: Snapshot, text: str) -> list[Page]:
    """The page that an `action=raw` snapshot holds, named by its address (or its file)."""
    found = address.read(snapshot.url) if snapshot.url else None
    name = found.name if found else PurePath(snapshot.where).stem
    source = address.named_source(snapshot.url, snapshot.hints.site, "mediawiki")
    page = read_source(text, source, name, snapshot.url)
    return [page.with_(old=bool(re.search(r"[?&]oldid=\d", snapshot.url)))]


def read_source(text: str, source: str, name: str, url: str) -> Page:
    """The page that a wikitext makes. Its title is not in it, and templates stay unexpanded.

    >>> page = read_source("== ルール ==\\n*[[引く|引い]]た", "mtgwiki", "手札", "")
    >>> [(p.kind, p.text, [link.target for link in p.links]) for p in page.passages]
    [('heading', 'ルール', []), ('item', '引いた', ['引く'])]
    >>> page.lost
    0
    """
    tree = Tree(name)
    chars = text_size(text)
    body = _comments_out(clean(text), tree)
    tree.start("body")
    body, redirect = _redirect(body, tree)
    _Lines(tree).read(body)
    _footnotes(tree)
    composer = PageBuilder(name)
    root = tree.finish()
    walk(root, _manner(root, name), composer)
    composer.left_out = +(composer.left_out + tree.left_out)
    return composer.page(
        source=source,
        name=name,
        url=url,
        game=catalogue.game_of(source),
        engine="mediawiki",
        form="wikitext",
        title=name,
        chars=chars,
        categories=tuple(tree.categories),
        redirect=redirect if composer.passages else None,
    )


def _redirect(text: str, tree: Tree) -> tuple[str, str | None]:
    """What stands below a redirect, and the page that it leads to."""
    mark = _REDIRECT.match(text)
    link = _TARGET.match(text, mark.end()) if mark else None
    if mark is None or link is None:
        return text, None
    tree.leave_out("redirect mark", mark[0])
    inline(tree, link[0])
    tree.part()
    page, _, section = clean(link[1]).partition("#")
    target = title_of(page.lstrip(": "))
    section = section.replace("_", " ").strip()
    return text[link.end() :], (f"{target}#{section}" if section else target) if target else None


def _footnotes(tree: Tree) -> None:
    """The footnotes, which stand below the page; one may hold others."""
    while tree.notes:
        notes, tree.notes = tree.notes, []
        for note in notes:
            tree.start("div", kind="footnote")
            inline(tree, str(note))
            tree.close_to(1)


def _manner(root: Element, name: str) -> MarkupRules:
    seen: Counter[str] = Counter()

    def anchor(heading: Element) -> str:
        text = " ".join(all_text(heading).split())
        seen[text.lower()] += 1
        return text if seen[text.lower()] == 1 else f"{text} {seen[text.lower()]}"

    return MarkupRules([root], link=_link, anchor=anchor, kinds={"a": interlanguage, "div": _kind})


def _link(element: Element) -> LinkTarget | None:
    if element.tag != "a":
        return None
    return LinkTarget(element.get("kind"), element.get("target"), element.get("anchor"))


def _kind(element: Element) -> PassageKind | None:
    kind: PassageKind | None = element.get("kind")
    return kind


# -- what hides markup --------------------------------------------------------------------
@dataclass(slots=True)
class _Closers:
    """Finds ends of what has opened; what is not found once is not looked for again."""

    text: str
    low: str
    absent: set[str] = field(default_factory=set)

    def after(self, closer: str, start: int) -> int:
        """Where the closer that follows ends, or -1."""
        if closer in self.absent:
            return -1
        place = self.low.find(closer, start)
        if place < 0:
            self.absent.add(closer)
            return -1
        return place + len(closer)


def _comments_out(text: str, tree: Tree) -> str:
    """The text without its comments. One that has a line to itself takes the line with it."""
    if "<!--" not in text:
        return text
    low = text.lower() if len(text.lower()) == len(text) else text
    closers, parts, at, scan = _Closers(text, low), [], 0, 0
    opener = re.compile(r"<!--|<(nowiki|pre)(?:\s[^<>]*)?>")
    while match := opener.search(low, scan):
        if match[1]:
            scan = max(match.end(), closers.after(f"</{match[1]}>", match.end()))
            continue
        end = closers.after("-->", match.end())
        scan = len(text) if end < 0 else end
        tree.leave_out("comment", text[match.start() : scan])
        parts.append(text[at : match.start()])
        at = _line_over(text, match.start(), scan)
        scan = max(scan, at)
    parts.append(text[at:])
    return "".join(parts)


def _line_over(text: str, start: int, end: int) -> int:
    """Where to go on after a comment: at the next line, if it had this one to itself."""
    while start > 0 and text[start - 1] in " \t":
        start -= 1
    over = end
    while over < len(text) and text[over] in " \t":
        over += 1
    alone = (start == 0 or text[start - 1] == "\n") and over < len(text) and text[over] == "\n"
    return over + 1 if alone else end


def _masked(text: str) -> str:
    """The text with what hides its markup and line ends (templates, nowiki, notes) blotted out."""
    low = text.lower() if len(text.lower()) == len(text) else text
    closers = _Closers(text, low)
    hidden: list[tuple[int, int]] = []
    opened: list[int] = []
    at = 0
    while match := _OPAQUE.search(text, at):
        at = match.end()
        if match["open"]:
            opened += [match.start()] * max(1, len(match["open"]) // 2)
        elif match["close"]:
            pairs = max(1, len(match["close"]) // 2)
            hidden += [(opened.pop(), at) for _ in range(min(pairs, len(opened)))]
        elif match["tag"] and not match["empty"]:
            end = closers.after(f"</{match['tag'].lower()}>", at)
            if end > 0:
                hidden.append((match.start(), end))
                at = end
    return _blot(text, hidden)


def _blot(text: str, hidden: list[tuple[int, int]]) -> str:
    parts, at = [], 0
    for start, end in sorted(hidden):
        if end <= at:
            continue
        start = max(start, at)
        parts += [text[at:start], _HIDDEN * (end - start)]
        at = end
    return "".join([*parts, text[at:]])


# -- lines --------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class _Line:
    """A line, and the same with what is hidden blotted out."""

    text: str
    mask: str

    def cut(self, start: int, end: int | None = None) -> _Line:
        return _Line(self.text[start:end], self.mask[start:end])


@dataclass(slots=True)
class _Place:
    """Where lines go: the page, or a cell of a table."""

    depth: int
    prefix: str = ""
    lists: list[int] = field(default_factory=list)
    mode: str = ""
    lines: list[str] = field(default_factory=list)
    row: bool = False


@dataclass(slots=True)
class _Lines:
    tree: Tree
    places: list[_Place] = field(default_factory=list)

    def read(self, text: str) -> None:
        """Read a page's lines."""
        self.places.append(_Place(self.tree.depth))
        mask, at = _masked(text), 0
        for piece in mask.split("\n"):
            self.line(_Line(text[at : at + len(piece)], piece))
            at += len(piece) + 1
        while len(self.places) > 1:
            self.end_table()
        self.end_blocks()
        self.tree.close_to(self.places[0].depth)

    @property
    def place(self) -> _Place:
        return self.places[-1]

    def line(self, line: _Line) -> None:
        mark = line.mask.lstrip()
        if table := _TABLE.match(line.mask):
            self.start_table(line, table)
        elif len(self.places) > 1 and mark.startswith(("|", "!")):
            self.table_line(line.cut(len(line.mask) - len(mark)))
        elif line.mask.startswith("=") and self.heading(line):
            pass
        elif marks := _LIST.match(line.mask):
            self.item(line, marks[0])
        elif rule := _RULE.match(line.mask):
            self.end_blocks()
            self.tree.leave_out(MARKUP, rule[0])
            self.tree.part()
            if line.mask[rule.end() :].strip():
                self.add("p", line.text[rule.end() :])
        else:
            self.plain(line)

    def plain(self, line: _Line) -> None:
        """A line of a paragraph, of preformatted text, or of a block that has its own tags."""
        if not line.mask.strip():
            self.blank(line)
        elif line.text.startswith("{{") and not line.mask.strip(f" \t{_HIDDEN}"):
            self.end_blocks()
            self.tree.part()
            inline(self.tree, line.text)
            self.tree.part()
        elif _BLOCK.search(line.mask):
            self.add("bare", line.text)
        elif line.mask.startswith(" "):
            self.add("pre", line.text[1:])
        else:
            self.add("p", line.text)

    def blank(self, line: _Line) -> None:
        if self.place.mode == "pre" and line.text:
            self.place.lines.append(line.text[1:])
        else:
            self.end_blocks()

    def add(self, mode: str, text: str) -> None:
        """Add a line to the block that is open, or open one of its mode."""
        if self.place.mode != mode or self.place.lists:
            self.end_blocks()
            self.place.mode = mode
        self.place.lines.append(text)

    def end_lines(self) -> None:
        place = self.place
        mode, text = place.mode, "\n".join(place.lines)
        place.mode, place.lines = "", []
        if not text.strip():
            return
        depth = self.tree.depth
        if mode in {"p", "pre"}:
            self.tree.start(mode)
        inline(self.tree, text)
        if mode in {"p", "pre"}:
            self.tree.close_to(depth)

    def end_blocks(self) -> None:
        """End the paragraph or the lists that are open."""
        self.end_lines()
        if self.place.lists:
            self.tree.close_to(self.place.lists[0])
        self.place.lists, self.place.prefix = [], ""

    def heading(self, line: _Line) -> bool:
        mask = line.mask.rstrip()
        left = len(mask) - len(mask.lstrip("="))
        right = len(mask) - len(mask.rstrip("="))
        level = min(left, right, 6) if left < len(mask) else min((len(mask) - 1) // 2, 6)
        if level < 1:
            return False
        self.end_blocks()
        depth = self.tree.depth
        self.tree.leave_out(MARKUP, "=" * (2 * level))
        self.tree.start(f"h{level}")
        inline(self.tree, line.text[level : len(mask) - level])
        self.tree.close_to(depth)
        return True

    # -- lists --------------------------------------------------------------------------
    def item(self, line: _Line, marks: str) -> None:
        """An item: as deep as its marks, in the lists of the item before where they agree."""
        self.end_lines()
        place = self.place
        self.tree.leave_out(MARKUP, marks)
        rest = line.cut(len(marks))
        kinds = marks[: DEEPEST // 2]
        same = len(
            list(
                takewhile(
                    lambda pair: pair[0] == pair[1].replace(";", ":"),
                    zip(place.prefix, kinds, strict=False),
                )
            )
        )
        if len(place.lists) > same:
            self.tree.close_to(place.lists[same])
            del place.lists[same:]
        if same and len(kinds) <= same:
            self.next_item(kinds[same - 1])
        for kind in kinds[same:]:
            place.lists.append(self.tree.depth)
            self.tree.start(_LISTS[kind][0])
            self.tree.start(_LISTS[kind][1])
        place.prefix = kinds.replace(";", ":")
        self.item_text(rest, kinds[-1])

    def next_item(self, kind: str) -> None:
        self.tree.close_to(self.place.lists[-1] + 1)
        self.tree.start(_LISTS[kind][1])

    def item_text(self, line: _Line, kind: str) -> None:
        """The text of an item; of a term, what stands behind its colon explains it."""
        colon = -1
        if kind == ";":
            mask = _NOT_IN_TERM.sub(lambda match: _HIDDEN * len(match[0]), line.mask)
            colon = mask.find(":")
        if colon < 0:
            inline(self.tree, line.text)
            return
        inline(self.tree, line.text[:colon])
        self.tree.leave_out(MARKUP, ":")
        self.next_item(":")
        inline(self.tree, line.text[colon + 1 :])

    # -- tables -------------------------------------------------------------------------
    def start_table(self, line: _Line, table: re.Match[str]) -> None:
        self.end_blocks()
        self.tree.leave_out(TABLE, line.text)
        if len(self.places) > DEEPEST // 6:
            return
        self.places.append(_Place(self.tree.depth))
        self.tree.start("table")

    def end_table(self) -> None:
        self.end_blocks()
        place = self.places.pop()
        self.tree.close_to(place.depth)

    def table_line(self, line: _Line) -> None:
        if line.mask.startswith("|}"):
            self.end_table()
            self.tree.leave_out(TABLE, "|}")
            rest = line.cut(2)
            if rest.mask.strip():
                self.line(rest)
        elif line.mask.startswith("|-"):
            self.end_cell(to_row=False)
            self.tree.leave_out(TABLE, line.text)
        elif line.mask.startswith("|+"):
            self.end_cell(to_row=False)
            self.tree.leave_out(TABLE, "|+")
            self.cell(line.cut(2), "caption")
        else:
            self.cells(line)

    def end_cell(self, to_row: bool) -> None:
        """End the cell that is open, and its row unless another cell follows in it."""
        self.end_blocks()
        place = self.place
        place.row = place.row and to_row
        self.tree.close_to(place.depth + (2 if place.row else 1))

    def cells(self, line: _Line) -> None:
        tag = "th" if line.mask.startswith("!") else "td"
        self.tree.leave_out(TABLE, line.mask[0])
        marks = re.compile(r"\|\||!!" if tag == "th" else r"\|\|")
        at = 1
        for mark in marks.finditer(line.mask, 1):
            self.cell(line.cut(at, mark.start()), tag)
            self.tree.leave_out(TABLE, mark[0])
            at = mark.end()
        self.cell(line.cut(at), tag)

    def cell(self, line: _Line, tag: str) -> None:
        """A cell or caption: its attributes, if it has any, and the first line of its text."""
        self.end_cell(to_row=tag != "caption")
        if tag != "caption" and not self.place.row:
            self.tree.start("tr")
            self.place.row = True
        bar = line.mask.find("|")
        if bar >= 0 and "[[" not in line.mask[:bar]:
            self.tree.leave_out(TABLE, line.text[: bar + 1])
            line = line.cut(bar + 1)
        self.tree.start(tag)
        inline(self.tree, line.text)
