"""Parses wikitext, MediaWiki's source text, into the pages that its served HTML would give.

This module parses blocks line by line (headings, lists, tables, paragraphs), and
`scraper.markup.wikitext_inline` the markup within them. Both write a tree, of which
`scraper.markup.html_walk` makes passages as it does for served pages.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import takewhile

from scraper.markup.html_walk import Element, MarkupRules, all_text, walk
from scraper.markup.page_builder import LinkTarget, PageBuilder
from scraper.markup.size_limits import (
    MOST_TEXT_MARKS,
    TEXT_MARKS,
    fit_text,
    parsed_beginning,
    with_rest,
)
from scraper.markup.wikitext_inline import DEEPEST, MARKUP, TABLE, Tree, inline, title_of
from scraper.page import Page, PassageKind, text_size
from scraper.sites import page_address, site_catalogue
from scraper.sites.mediawiki import interlanguage
from scraper.sources.saved_pages import Snapshot

_REDIRECT = re.compile(r"\s*#(?:REDIRECT|転送|リダイレクト)\s*:?\s*(?=\[\[)", re.IGNORECASE)
_TARGET = re.compile(r"\[\[([^\[\]|\n{}<>]+)(?:\|[^\[\]\n]*)?\]\]")
_OPAQUE = re.compile(
    r"<!--|<(?P<tag>nowiki|pre|ref|gallery|math|includeonly)(?:\s[^<>]*)?(?P<empty>/)?>"
    r"|(?P<open>\{\{+)|(?P<close>\}\}+)",
    re.IGNORECASE,
)
_HIDDEN = "\x01"  # stands for each character that is masked
_LIST = re.compile(r"[*#:;]+")
_TABLE = re.compile(r"([:\s]*)\{\|")
_RULE = re.compile(r"-{4,}")  # a line across the page: as many as MediaWiki asks for
_BLOCK = re.compile(
    r"</?(?:div|table|tr|td|th|p|ul|ol|dl|li|dt|dd|blockquote|center|h[1-6]|hr|caption|tbody)\b",
    re.IGNORECASE,
)
# In what a colon doesn't end the term of a `;` item: links, URLs (their scheme is short), tags.
_NOT_IN_TERM = re.compile(
    r"\[\[[^\[\]]*\]\]|\[[^\[\]]*\]|[A-Za-z]{1,12}://[^\s\]]*|<[^<>]*>", re.IGNORECASE
)
# The tags of a list and of its item, by the mark of the item.
_LISTS = {"*": ("ul", "li"), "#": ("ol", "li"), ":": ("dl", "dd"), ";": ("dl", "dt")}


def read(snapshot: Snapshot, text: str) -> list[Page]:
    """Return the page of a wikitext, such as an `action=raw` document, in a list.

    It is named by its URL; its name is empty if that does not say it. The page is `old` if the URL
    has an `oldid`.

    text: the wikitext.
    """
    found = page_address.read(snapshot.url, snapshot.url, in_utf8=True) if snapshot.url else None
    name = found.name if found else ""
    source = page_address.named_source(snapshot.url, snapshot.hints.site, "mediawiki")
    page = read_source(text, source, name, snapshot.url)
    return [page.with_(old=bool(re.search(r"[?&]oldid=\d", snapshot.url)))]


def read_source(text: str, source: str, name: str, url: str) -> Page:
    """Parse a wikitext into a page. The title is not a passage; templates are not expanded.

    text: the wikitext; an empty one gives a page without passages.
    source: the name of the site, such as `mtgwiki`.
    name: the name of the page, which is its title too.
    url: the URL of the page; may be empty.

    >>> page = read_source("== ルール ==\\n*[[引く|引い]]た", "mtgwiki", "手札", "")
    >>> [(p.kind, p.text, [link.target for link in p.links]) for p in page.passages]
    [('heading', 'ルール', []), ('item', '引いた', ['引く'])]
    >>> page.lost
    0
    """
    tree = Tree(name)
    text, rest = parsed_beginning(text, TEXT_MARKS, MOST_TEXT_MARKS)
    chars = text_size(text)
    body = _remove_comments(fit_text(text), tree)
    tree.start("body")
    body, redirect = _parse_redirect(body, tree)
    _BlockParser(tree).parse(body)
    _parse_footnotes(tree)
    builder = PageBuilder(name)
    root = tree.finish()
    walk(root, _markup_rules(root), builder)
    builder.left_out = +(builder.left_out + tree.left_out)
    page = builder.page(
        source=source,
        name=name,
        url=url,
        game=site_catalogue.game_of(source),
        engine="mediawiki",
        form="wikitext",
        title=name,
        chars=chars,
        categories=tuple(tree.categories),
        redirect=redirect if builder.passages else None,
    )
    return with_rest(page, rest, MOST_TEXT_MARKS)


def _parse_redirect(text: str, tree: Tree) -> tuple[str, str | None]:
    """Parse the redirect at the beginning of a text.

    Return the text after it, and the target's name with `#` and the section, if any. A text that
    is not a redirect is returned whole, with None. The link itself is added to the tree as a
    paragraph.
    """
    mark = _REDIRECT.match(text)
    link = _TARGET.match(text, mark.end()) if mark else None
    if mark is None or link is None:
        return text, None
    tree.leave_out("redirect mark", mark[0])
    inline(tree, link[0])
    tree.part()
    page, _, section = fit_text(link[1]).partition("#")
    target = title_of(page.lstrip(": "))
    section = section.replace("_", " ").strip()
    return text[link.end() :], (f"{target}#{section}" if section else target) if target else None


def _parse_footnotes(tree: Tree) -> None:
    """Add the footnotes to the end of the page. Parsing a footnote may give further footnotes.

    Takes them from `tree.notes`, which is empty afterwards.
    """
    while tree.notes:
        notes, tree.notes = tree.notes, []
        for note in notes:
            tree.start("div", kind="footnote")
            inline(tree, str(note))
            tree.close_to(1)


def _markup_rules(root: Element) -> MarkupRules:
    """Return how the passages of a page are found in the tree of its wikitext.

    They count its headings for their anchors, so that they are for one walk only.
    """
    counts: Counter[str] = Counter()

    def anchor(heading: Element) -> str:
        """Return the anchor of a heading: its text, with a number if the text is repeated.

        The second heading with a text gets ` 2`, the next ` 3`; case is ignored when they are
        counted.
        """
        text = " ".join(all_text(heading).split())
        counts[text.lower()] += 1
        return text if counts[text.lower()] == 1 else f"{text} {counts[text.lower()]}"

    return MarkupRules(
        [root], links={"a": _link}, anchor=anchor, kinds={"a": interlanguage, "div": _kind}
    )


def _link(element: Element) -> LinkTarget | None:
    """Return what an `a` of the tree links to, by its attributes."""
    return LinkTarget(element.get("kind"), element.get("target"), element.get("anchor"))


def _kind(element: Element) -> PassageKind | None:
    """Return the kind that is set on an element of the tree, or None."""
    kind: PassageKind | None = element.get("kind")
    return kind


# -- comments and opaque markup -----------------------------------------------------------
@dataclass(slots=True)
class _EndFinder:
    """Finds the ends of comments and tags in a text.

    An end that was not found once is not looked for again, so that the time is linear.

    lowered: the text in lower case.
    absent: the ends that do not occur any more.
    """

    lowered: str
    absent: set[str] = field(default_factory=set)

    def find(self, end: str, start: int) -> int:
        """Return the position after the first `end` that follows `start`; -1 if there is none.

        Calls must go forward: an end that was once not found is never found again.

        end: the end in lower case, such as `</ref>`.
        """
        if end in self.absent:
            return -1
        position = self.lowered.find(end, start)
        if position < 0:
            self.absent.add(end)
            return -1
        return position + len(end)


def _lowered(text: str) -> str:
    """Return a text in lower case, or as it is if that would change its length (as of `İ`)."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else text


def _remove_comments(text: str, tree: Tree) -> str:
    """Return a text without its comments, which are counted in the tree.

    The line of a comment that has a line to itself is removed as a whole. A comment that is not
    closed reaches to the end of the text; in `nowiki` and `pre` there are no comments.
    """
    if "<!--" not in text:
        return text
    lowered = _lowered(text)
    ends, parts, done, scan = _EndFinder(lowered), [], 0, 0
    opening = re.compile(r"<!--|<(nowiki|pre)(?:\s[^<>]*)?>")
    while match := opening.search(lowered, scan):
        if match[1]:
            scan = max(match.end(), ends.find(f"</{match[1]}>", match.end()))
            continue
        end = ends.find("-->", match.end())
        scan = len(text) if end < 0 else end
        tree.leave_out("comment", text[match.start() : scan])
        parts.append(text[done : match.start()])
        done = _end_of_removal(text, match.start(), scan)
        scan = max(scan, done)
    parts.append(text[done:])
    return "".join(parts)


def _end_of_removal(text: str, start: int, end: int) -> int:
    """Return where the text continues after the comment at text[start:end].

    This is the beginning of the next line if the comment has a line to itself, but for spaces and
    tabs; else `end`.
    """
    while start > 0 and text[start - 1] in " \t":
        start -= 1
    line_end = end
    while line_end < len(text) and text[line_end] in " \t":
        line_end += 1
    starts_line = start == 0 or text[start - 1] == "\n"
    ends_line = line_end < len(text) and text[line_end] == "\n"
    return line_end + 1 if starts_line and ends_line else end


def _masked(text: str) -> str:
    """Return a text of the same length with opaque markup masked, line ends in it included.

    Each masked character is `_HIDDEN`, so that a line of the mask may be several of the text.

    Opaque markup is what block markup is not looked for in: templates, and `nowiki`, `pre`, `ref`,
    `gallery`, `math` and `includeonly` with what they hold. What is not closed is not masked.
    """
    ends = _EndFinder(_lowered(text))
    spans: list[tuple[int, int]] = []
    template_starts: list[int] = []
    scan = 0
    while match := _OPAQUE.search(text, scan):
        scan = match.end()
        if match["open"]:
            template_starts += [match.start()] * max(1, len(match["open"]) // 2)
        elif match["close"]:
            pairs = max(1, len(match["close"]) // 2)
            closed = min(pairs, len(template_starts))
            spans += [(template_starts.pop(), scan) for _ in range(closed)]
        elif match["tag"] and not match["empty"]:
            end = ends.find(f"</{match['tag'].lower()}>", scan)
            if end > 0:
                spans.append((match.start(), end))
                scan = end
    return _mask_spans(text, spans)


def _mask_spans(text: str, spans: list[tuple[int, int]]) -> str:
    """Return a text with each character of the spans, which may overlap, as `_HIDDEN`.

    spans: (start, end) offsets in the text, `end` excluded, in any order.
    """
    parts, done = [], 0
    for start, end in sorted(spans):
        if end <= done:
            continue
        start = max(start, done)
        parts += [text[done:start], _HIDDEN * (end - start)]
        done = end
    return "".join([*parts, text[done:]])


# -- lines --------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class _Line:
    """A line of wikitext. `mask` is the same with opaque markup masked; markup is found in it."""

    text: str
    mask: str

    def cut(self, start: int, end: int | None = None) -> _Line:
        """Return line[start:end], of the text and the mask; `end` None is the end of the line."""
        return _Line(self.text[start:end], self.mask[start:end])


@dataclass(slots=True)
class _Container:
    """What lines are added to: the page, or a table (to the cell that is open).

    depth: how many elements were open before it.
    prefix: the marks of the last list item, with `;` as `:`; empty outside lists.
    lists: for each open list, how many elements were open before it.
    mode: the kind of the open block of lines: `p`, `pre` or `bare` (with block tags of its own);
        empty if none is open.
    lines: the lines of this block.
    row: whether a row of the table is open.
    """

    depth: int
    prefix: str = ""
    lists: list[int] = field(default_factory=list)
    mode: str = ""
    lines: list[str] = field(default_factory=list)
    row: bool = False


@dataclass(slots=True)
class _BlockParser:
    """Parses the lines of a wikitext into a tree.

    containers: the page and the open tables, the innermost last.
    """

    tree: Tree
    containers: list[_Container] = field(default_factory=list)

    def parse(self, text: str) -> None:
        """Parse all lines of a page, and close what they leave open.

        text: the wikitext without comments and without the mark of a redirect.
        """
        self.containers.append(_Container(self.tree.depth))
        mask, start = _masked(text), 0
        for masked_line in mask.split("\n"):
            end = start + len(masked_line)
            self.parse_line(_Line(text[start:end], masked_line))
            start = end + 1
        while len(self.containers) > 1:
            self.end_table()
        self.end_blocks()
        self.tree.close_to(self.containers[0].depth)

    @property
    def container(self) -> _Container:
        """The page or the innermost open table."""
        return self.containers[-1]

    def parse_line(self, line: _Line) -> None:
        """Parse a line, or the rest of the line that ends a table.

        In this order: `{|` begins a table; in a table, `|` and `!` are parsed as its lines; `=` is
        a heading; `*#:;` are items; `----` is left out and ends the blocks, and text after it is a
        paragraph. Any other line is parsed by `parse_plain_line`.
        """
        stripped = line.mask.lstrip()
        if table := _TABLE.match(line.mask):
            self.start_table(line, table)
        elif len(self.containers) > 1 and stripped.startswith(("|", "!")):
            self.parse_table_line(line.cut(len(line.mask) - len(stripped)))
        elif line.mask.startswith("=") and self.parse_heading(line):
            pass
        elif marks := _LIST.match(line.mask):
            self.parse_item(line, marks[0])
        elif rule := _RULE.match(line.mask):
            self.end_blocks()
            self.tree.leave_out(MARKUP, rule[0])
            self.tree.part()
            if line.mask[rule.end() :].strip():
                self.add("p", line.text[rule.end() :])
        else:
            self.parse_plain_line(line)

    def parse_plain_line(self, line: _Line) -> None:
        """Parse a line of a paragraph, of preformatted text, or with block tags of its own.

        A blank line ends the open blocks. A line that begins with `{{` and has nothing but
        templates and other opaque markup is added at once, apart from the paragraphs around it. A
        line with block tags has the mode `bare`, one that begins with a space the mode `pre`,
        without that space.
        """
        if not line.mask.strip():
            self.parse_blank_line(line)
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

    def parse_blank_line(self, line: _Line) -> None:
        """End the open blocks; but a line of white space belongs to preformatted text."""
        if self.container.mode == "pre" and line.text:
            self.container.lines.append(line.text[1:])
        else:
            self.end_blocks()

    def add(self, mode: str, text: str) -> None:
        """Add a line to the open block if that has the same mode, else to a new block.

        The line goes to the tree only when the block ends. `mode` is as in `_Container`.
        """
        if self.container.mode != mode or self.container.lists:
            self.end_blocks()
            self.container.mode = mode
        self.container.lines.append(text)

    def end_lines(self) -> None:
        """End the open block of lines, and add its text to the tree.

        The text becomes a `p` or `pre` element, in mode `bare` none; blank text is dropped.
        """
        container = self.container
        mode, text = container.mode, "\n".join(container.lines)
        container.mode, container.lines = "", []
        if not text.strip():
            return
        depth = self.tree.depth
        if mode in {"p", "pre"}:
            self.tree.start(mode)
        inline(self.tree, text)
        if mode in {"p", "pre"}:
            self.tree.close_to(depth)

    def end_blocks(self) -> None:
        """End the open block of lines and the open lists."""
        self.end_lines()
        if self.container.lists:
            self.tree.close_to(self.container.lists[0])
        self.container.lists, self.container.prefix = [], ""

    def parse_heading(self, line: _Line) -> bool:
        """Parse a line that begins with `=`.

        Return false, and leave the line unparsed, if it is not a heading: if it does not end with
        `=`, or is only one or two of them.
        """
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
    def parse_item(self, line: _Line, marks: str) -> None:
        """Parse a list item, nested as deep as it has marks.

        It continues the open lists as far as its marks agree with those of the item before.

        line: the whole line, with the marks.
        marks: what it begins with, such as `*#`.
        """
        self.end_lines()
        container = self.container
        self.tree.leave_out(MARKUP, marks)
        rest = line.cut(len(marks))
        kinds = marks[: DEEPEST // 2]
        same = len(
            list(
                takewhile(
                    lambda pair: pair[0] == pair[1].replace(";", ":"),
                    zip(container.prefix, kinds, strict=False),
                )
            )
        )
        if len(container.lists) > same:
            self.tree.close_to(container.lists[same])
            del container.lists[same:]
        if same and len(kinds) <= same:
            self.next_item(kinds[same - 1])
        for kind in kinds[same:]:
            container.lists.append(self.tree.depth)
            self.tree.start(_LISTS[kind][0])
            self.tree.start(_LISTS[kind][1])
        container.prefix = kinds.replace(";", ":")
        self.parse_item_text(rest, kinds[-1])

    def next_item(self, kind: str) -> None:
        """End the last item of the innermost list, and begin the next. `kind` is its mark."""
        self.tree.close_to(self.container.lists[-1] + 1)
        self.tree.start(_LISTS[kind][1])

    def parse_item_text(self, line: _Line, kind: str) -> None:
        """Parse the text of an item with a mark. In a `;` item a definition follows the colon.

        The colon ends the term and is left out, the definition becomes the next item (`:`). Colons
        in links, tags and URLs do not count. Without a colon, all is the term.

        line: the line after its marks; kind: the last of the marks.
        """
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
        """Begin a table; one that is nested too deep is parsed as part of the table around it.

        line: the whole line; all of it, with the table's attributes, is counted as markup.
        """
        self.end_blocks()
        self.tree.leave_out(TABLE, line.text)
        if len(self.containers) > DEEPEST // 6:
            return
        self.containers.append(_Container(self.tree.depth))
        self.tree.start("table")

    def end_table(self) -> None:
        """End the innermost table."""
        self.end_blocks()
        table = self.containers.pop()
        self.tree.close_to(table.depth)

    def parse_table_line(self, line: _Line) -> None:
        """Parse a line of a table that begins with `|` or `!`, without indent.

        `|}` ends the table; what follows it is parsed as a line of its own. `|-` ends the row and
        is left out with its attributes; `|+` begins the caption. Any other line has cells.
        """
        if line.mask.startswith("|}"):
            self.end_table()
            self.tree.leave_out(TABLE, "|}")
            rest = line.cut(2)
            if rest.mask.strip():
                self.parse_line(rest)
        elif line.mask.startswith("|-"):
            self.end_cell(to_row=False)
            self.tree.leave_out(TABLE, line.text)
        elif line.mask.startswith("|+"):
            self.end_cell(to_row=False)
            self.tree.leave_out(TABLE, "|+")
            self.add_cell(line.cut(2), "caption")
        else:
            self.parse_cells(line)

    def end_cell(self, to_row: bool) -> None:
        """End the open cell, and its row unless `to_row` is true; without a cell nothing but the
        blocks is ended."""
        self.end_blocks()
        table = self.container
        table.row = table.row and to_row
        self.tree.close_to(table.depth + (2 if table.row else 1))

    def parse_cells(self, line: _Line) -> None:
        """Parse a line with one or more cells of the same row.

        `!` at its beginning makes them heading cells, separated by `||` or `!!`; cells after `|`
        are separated by `||` only.
        """
        tag = "th" if line.mask.startswith("!") else "td"
        self.tree.leave_out(TABLE, line.mask[0])
        marks = re.compile(r"\|\||!!" if tag == "th" else r"\|\|")
        start = 1
        for mark in marks.finditer(line.mask, 1):
            self.add_cell(line.cut(start, mark.start()), tag)
            self.tree.leave_out(TABLE, mark[0])
            start = mark.end()
        self.add_cell(line.cut(start), tag)

    def add_cell(self, line: _Line, tag: str) -> None:
        """Begin a cell or caption with its attributes, if any, and the first line of its text.

        The attributes, up to the first bar, are left out. The cell remains open for further lines.

        line: the cell without the mark before it; tag: `td`, `th` or `caption`.
        """
        self.end_cell(to_row=tag != "caption")
        if tag != "caption" and not self.container.row:
            self.tree.start("tr")
            self.container.row = True
        bar = line.mask.find("|")
        if bar >= 0 and "[[" not in line.mask[:bar]:
            self.tree.leave_out(TABLE, line.text[: bar + 1])
            line = line.cut(bar + 1)
        self.tree.start(tag)
        inline(self.tree, line.text)
