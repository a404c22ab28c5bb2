"""HTML to passages: one walk over the tree, the same for every site.

A site says what is content, what is left out and why, and what its links are (`Manner`);
the walk does the rest: blocks, nested lists, tables, ruby, preformatted text, spans. It is
iterative, so that no nesting is too deep, and every character of text is either handed to a
passage or counted under a reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lxml import etree

from scraper.markup.page_builder import OpenSpan, PageBuilder, TextRun
from scraper.markup.soup import soup_tree
from scraper.page import LinkKind, PassageKind, text_size

Element = Any  # lxml's own type is private
Close = Callable[[], None]

_STRING = etree.XPath("string()")
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_LEFT_OUT = {
    "script": "script", "style": "style sheet", "head": "document head", "noscript": "script",
    "template": "script",
    # The reading is kept beside its word; the parentheses around it are for old browsers.
    "rt": "reading (kept with its word)", "rp": "ruby parenthesis",
}  # fmt: skip
_OWN_KIND: dict[str, PassageKind] = {
    "li": "item", "dt": "entry", "dd": "gloss", "pre": "pre", "blockquote": "quote",
    "caption": "caption",
}  # fmt: skip
_MAY_LINK = frozenset(("a", "span", "strong"))  # what a site's links are made of
_SPANS = _MAY_LINK | {"b", "ruby"}


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """What a site's link is: see `scraper.page.Link`."""

    kind: LinkKind
    target: str = ""
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class MarkupRules:
    """How one site writes its pages.

    contents: the elements whose text is the page's own, in reading order.
    outside: the reason for an element of the frame (its text is left out).
    omit: what is left out inside the content: the reason by `tag`, `.class` or `#id`.
    link: asked of every a, span and strong: what it links to, the reason to leave it out
        (a str), or None if it is no more than its text.
    anchor: the stable anchor of a heading.
    kinds: by tag, what tells the kind of passage that such an element is, where that is not
        what its tag says (or None).
    """

    contents: Sequence[Element]
    outside: Callable[[Element], str] = lambda element: "page frame"
    omit: Mapping[str, str] = field(default_factory=dict)
    link: Callable[[Element], LinkTarget | str | None] = lambda element: None
    anchor: Callable[[Element], str] = lambda element: ""
    kinds: Mapping[str, Callable[[Element], PassageKind | None]] = field(default_factory=dict)


def has_two_markers(signs: Sequence[str], text: str) -> bool:
    """Whether at least two of the signs are in a text; looks no further than that.

    >>> has_two_markers(['id="body"', "PukiWiki"], '<div id="body">PukiWiki 1.4.7')
    True
    """
    found = (sign for sign in signs if sign in text)
    return next(found, None) is not None and next(found, None) is not None


class Document(NamedTuple):
    """The tree of a page; `trouble` says why lxml could not build it, if it could not."""

    root: Element
    trouble: str = ""


def parse(text: str) -> Document:
    """Parse an HTML document: with lxml, or with BeautifulSoup where lxml would lose some of it.

    Never raises. No network, no entities beyond HTML's own.

    >>> document = parse("<div>" * 9999 + "deep")
    >>> all_text(document.root), document.trouble
    ('deep', 'nested deeper than lxml reads; read by BeautifulSoup')
    """
    text = _DECLARATION.sub("", text).replace("\x00", "\ufffd")
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, huge_tree=True, remove_pis=True, remove_comments=True
    )
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError, AssertionError):
        root = None
    if root is None:
        return Document(soup_tree(text), "no document that lxml reads; read by BeautifulSoup")
    if root.getnext() is not None:
        return Document(soup_tree(text), "two documents in one; read by BeautifulSoup")
    # What is nested too deep is dropped, and only the parser's log says so.
    if any(entry.level_name == "FATAL" for entry in parser.error_log):
        return Document(soup_tree(text), "nested deeper than lxml reads; read by BeautifulSoup")
    return Document(root)


def all_text(element: Element) -> str:
    """The text of an element and of all that is in it."""
    return str(_STRING(element))


def count_text(root: Element) -> int:
    """Characters of a document's text, counted apart from the walk that must account for it."""
    return text_size(all_text(root))


def walk(root: Element, manner: MarkupRules, composer: PageBuilder) -> None:
    """Read a whole document into `composer`, as `manner` says."""
    named = set(manner.contents)
    contents = [c for c in manner.contents if not any(a in named for a in c.iterancestors())]
    around = {ancestor for content in contents for ancestor in content.iterancestors()}
    if not contents:
        composer.leave_out(manner.outside(root), all_text(root))
    read_elsewhere = around.union(contents)
    for element in around:
        _leave_frame(element, manner, composer, read_elsewhere)
    state = _Walk(manner, composer)
    for content in contents:
        state.read(content)


def _leave_frame(
    element: Element, manner: MarkupRules, composer: PageBuilder, read_elsewhere: set[Element]
) -> None:
    """Count what stands in an element beside the contents that it holds."""
    loose = [element.text or ""]
    for child in element:
        if child not in read_elsewhere:
            reason = _LEFT_OUT.get(child.tag) or manner.outside(child)
            composer.leave_out(reason, all_text(child))
        loose.append(child.tail or "")
    composer.leave_out("page frame", " ".join(loose))


@dataclass(slots=True)
class _Frame:
    """A block that is open: which kind its text has and under what it hangs."""

    kind: PassageKind
    depth: int = 0
    ordinal: int | None = None
    parent: int | None = None
    first: int | None = None
    level: int = 0
    anchor: str = ""
    head: bool = False

    @property
    def above(self) -> int | None:
        """What a block inside this one hangs under."""
        return self.parent if self.first is None else self.first


@dataclass(slots=True)
class _List:
    tag: str
    count: int = 0
    last_entry: int | None = None


class _Classes(dict[str, str | None]):
    """The reason to leave an element out, by its whole class attribute."""

    def __init__(self, omit: Mapping[str, str]) -> None:
        self._omit = omit

    def __missing__(self, classes: str) -> str | None:
        found = (self._omit.get("." + name) for name in classes.split())
        reason = self[classes] = next(filter(None, found), None)
        return reason


class _Walk:
    """The walk through the contents of one page.

    Each block's tag has a method that opens it and gives what is to be done at its end. In
    a row of a table all blocks are alike: a cell is set off by a tab, the others by a line.
    """

    def __init__(self, manner: MarkupRules, composer: PageBuilder) -> None:
        self.manner = manner
        self.composer = composer
        self.run = TextRun()
        self.frames: list[_Frame] = []
        self.lists: list[_List] = []
        self.tables = self.cells = self.block = 0
        self.in_head = False
        self.opening = _OPEN
        self.by_tag = _LEFT_OUT | dict(manner.omit)
        self.by_class = _Classes(manner.omit)
        self.by_id = {key[1:]: reason for key, reason in manner.omit.items() if key[0] == "#"}

    def read(self, content: Element) -> None:
        """Read an element and all that is in it."""
        run, kinds, may_link = self.run, self.manner.kinds, self.manner.link
        by_tag, by_class, by_id = self.by_tag, self.by_class, self.by_id
        around: list[tuple[Iterator[Element], Element, Close | None, OpenSpan | None]] = []
        children: Iterator[Element] = iter((content,))
        while True:
            for element in children:
                tag = element.tag
                link = may_link(element) if tag in _MAY_LINK else None
                reason = by_tag.get(tag)
                if reason is None and (classes := element.get("class")):
                    reason = by_class[classes]
                if reason is None and by_id:
                    reason = by_id.get(element.get("id"))
                if reason is None and isinstance(link, str):
                    reason = link
                if reason is not None:
                    self.leave(element, reason)
                else:
                    close = span = None
                    if tag in kinds and (kind := kinds[tag](element)):
                        close = self.open_as(element, kind)
                    elif opening := self.opening.get(tag):
                        close = opening(self, element)
                    if tag in _SPANS:
                        span = self.begin(tag, link)  # type: ignore[arg-type]  # no str here
                    if text := element.text:
                        run.text(text)
                    if len(element):
                        around.append((children, element, close, span))
                        children = iter(element)
                        break
                    self.end(span, close)
                if around and (tail := element.tail):
                    run.text(tail)
            else:
                if not around:
                    break
                children, element, close, span = around.pop()
                self.end(span, close)
                if around and (tail := element.tail):
                    run.text(tail)
        self.flush()

    def leave(self, element: Element, reason: str) -> None:
        """Count what is left out. A reading is kept with the word that it stands above."""
        text = all_text(element)
        if element.tag == "rt":
            self.run.reading(text)
        self.composer.leave_out(reason, text)

    def begin(self, tag: str, link: LinkTarget | None) -> OpenSpan | None:
        """Begin a span of text."""
        if link is not None:
            return self.run.open_link(link.kind, link.target, link.anchor)
        if tag in {"b", "strong"}:
            return self.run.open_strong()
        return self.run.open_ruby() if tag == "ruby" else None

    def end(self, span: OpenSpan | None, close: Close | None) -> None:
        """Do what is to be done at the end of an element."""
        if span is not None:
            self.run.close(span)
        if close is not None:
            close()

    def flush(self) -> None:
        """Make a passage of the text so far, if there is any."""
        if not self.run:
            self.run.drop()
            return
        frame = self.frames[-1] if self.frames else _Frame("paragraph")
        if not self.lists and not self.tables and frame.kind != "quote":
            self.block += 1
        passage = self.run.passage(
            frame.kind,
            self.composer.section,
            self.block,
            frame.depth,
            frame.ordinal if frame.first is None else None,
            frame.above,
            frame.head,
        )
        if frame.kind == "heading":
            place = self.composer.heading(passage, frame.level, frame.anchor)
        else:
            place = self.composer.add(passage)
        if frame.first is None:
            frame.first = place
            if frame.kind == "entry" and self.lists:
                self.lists[-1].last_entry = place

    # -- blocks -------------------------------------------------------------------------
    def open_block(self, element: Element) -> Close:
        self.flush()
        return self.flush

    def open_break(self, element: Element) -> None:
        self.run.line()

    def open_own(self, element: Element) -> Close:
        return self.open_as(element, _OWN_KIND[element.tag])

    def open_as(self, element: Element, kind: PassageKind) -> Close:
        if self.opening is _OPEN_IN_ROW:
            return self.open_in_row(element)
        self.flush()
        outer = self.frames[-1] if self.frames else _Frame("paragraph")
        self.frames.append(_Frame(kind, outer.depth, parent=outer.above))
        self.run.verbatim = element.tag == "pre"
        return self.close_frame

    def close_frame(self) -> None:
        self.flush()
        self.frames.pop()
        self.run.verbatim = False

    def open_heading(self, element: Element) -> Close:
        self.flush()
        level, anchor = int(element.tag[1]), self.manner.anchor(element)
        self.frames.append(_Frame("heading", level=level, anchor=anchor))
        return self.close_frame

    def open_list(self, element: Element) -> Close:
        self.flush()
        if not self.lists:
            self.block += 1
        self.lists.append(_List(element.tag))
        return self.close_list

    def close_list(self) -> None:
        self.flush()
        self.lists.pop()

    def open_item(self, element: Element) -> Close:
        self.flush()
        tag = element.tag
        outer = self.frames[-1] if self.frames else _Frame("paragraph")
        around = self.lists[-1] if self.lists else _List("ul")
        parent, ordinal = outer.above, None
        if tag == "li" and around.tag == "ol":
            ordinal = around.count = around.count + 1
        elif tag == "dd" and around.last_entry is not None:
            parent = around.last_entry
        self.frames.append(_Frame(_OWN_KIND[tag], max(1, len(self.lists)), ordinal, parent))
        return self.close_frame

    # -- tables -------------------------------------------------------------------------
    def open_table(self, element: Element) -> Close:
        self.flush()
        self.tables += 1
        self.block += 1
        return self.close_table

    def close_table(self) -> None:
        self.flush()
        self.tables -= 1
        self.in_head = False

    def open_head(self, element: Element) -> Close:
        self.flush()
        self.in_head = True
        return self.close_head

    def close_head(self) -> None:
        self.flush()
        self.in_head = False

    def open_row(self, element: Element) -> Close:
        self.flush()
        outer = self.frames[-1] if self.frames else _Frame("paragraph")
        head = self.in_head or all(cell.tag == "th" for cell in element)
        self.frames.append(_Frame("row", parent=outer.first, head=head))
        self.cells, self.opening = 0, _OPEN_IN_ROW
        return self.close_row

    def close_row(self) -> None:
        self.opening = _OPEN
        self.close_frame()

    def open_in_row(self, element: Element) -> Close:
        self.run.line()
        return self.run.line

    def open_cell(self, element: Element) -> None:
        if self.cells:
            self.run.cell()
        self.cells += 1


_Opening = Callable[[_Walk, Element], Close | None]
_OPEN: dict[str, _Opening] = {
    **dict.fromkeys(
        "p div address center form fieldset section article main figure figcaption tbody tfoot "
        "td th hr details summary header footer nav aside body html".split(), _Walk.open_block),
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), _Walk.open_heading),
    **dict.fromkeys(("ul", "ol", "dl"), _Walk.open_list),
    **dict.fromkeys(("li", "dt", "dd"), _Walk.open_item),
    **dict.fromkeys(("pre", "blockquote", "caption"), _Walk.open_own),
    "table": _Walk.open_table, "thead": _Walk.open_head, "tr": _Walk.open_row,
    "br": _Walk.open_break,
}  # fmt: skip
_OPEN_IN_ROW: dict[str, _Opening] = {
    **dict.fromkeys(_OPEN, _Walk.open_in_row),
    "td": _Walk.open_cell, "th": _Walk.open_cell, "br": _Walk.open_break,
}  # fmt: skip
