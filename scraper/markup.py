"""HTML to passages: one walk over the tree, the same for every site.

A site says what is content, what is left out and why, and what its links are (`Manner`);
the walk does the rest: blocks, nested lists, tables, ruby, preformatted text, spans. It is
iterative, so that no nesting is too deep, and every character of text is either handed to a
passage or counted under a reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import unescape
from typing import Any

from lxml import etree, html

from scraper.compose import Composer, Run, Span
from scraper.page import LinkKind, PassageKind, size

Element = Any  # lxml's own type is private

_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_BLOCKS = frozenset(
    "p div blockquote address center form fieldset section article main figure figcaption "
    "table tbody thead tfoot tr td th ul ol dl li dt dd pre h1 h2 h3 h4 h5 h6 hr caption "
    "details summary header footer nav aside body html".split()
)
_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_MAY_LINK = frozenset(("a", "span", "strong"))  # what a site's links are made of
_MAY_DIFFER = frozenset(("a", "span", "h1", "div", "table", "note"))  # not what the tag says
_SILENT = {"script": "script", "style": "style sheet", "head": "document head",
           "noscript": "script", "template": "script"}  # fmt: skip
# The reading is kept beside its word; the parentheses around it are for old browsers.
_RUBY = {"rt": "reading (kept with its word)", "rp": "ruby parenthesis"}
_OWN_KIND: dict[str, PassageKind] = {
    "li": "item", "dt": "entry", "dd": "gloss", "pre": "pre", "blockquote": "quote",
    "caption": "caption",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class LinkTo:
    """What a site's link is: see `scraper.page.Link`."""

    kind: LinkKind
    target: str = ""
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Manner:
    """How one site writes its pages.

    contents: the elements whose text is the page's own, in reading order.
    outside: the reason for an element of the frame (its text is left out).
    omit: the reason to leave an element inside the content out, or None.
    link: what an element links to, or None if it is no link.
    anchor: the stable anchor of a heading.
    kind: a kind of passage for an element that is not what its tag says, or None.
    The last three are asked of few tags: see `_MAY_LINK` and `_MAY_DIFFER`.
    """

    contents: Sequence[Element]
    outside: Callable[[Element], str]
    omit: Callable[[Element], str | None]
    link: Callable[[Element], LinkTo | None]
    anchor: Callable[[Element], str] = lambda element: ""
    kind: Callable[[Element], PassageKind | None] = lambda element: None


def parse(text: str) -> Element | None:
    """The tree of an HTML document, or None if it has none that the parser can build: it
    drops what is nested some thousand deep, and says so only in its log.

    No network, no entities beyond HTML's own.
    """
    text = _DECLARATION.sub("", text).replace("\x00", "\ufffd")
    parser = html.HTMLParser(no_network=True, huge_tree=True, remove_pis=True)
    try:
        root = html.document_fromstring(text, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError, AssertionError):
        return None
    dropped = any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log)
    return None if dropped else root


def all_text(element: Element) -> str:
    """The text of an element and of all that is in it."""
    return str(element.xpath("string()"))


def count(root: Element) -> int:
    """Characters of a document's text, counted apart from the walk that must account for it."""
    return size(all_text(root))


@dataclass(slots=True)
class _Frame:
    """A block that is open: which kind its text has and under what it hangs."""

    element: Element
    kind: PassageKind
    depth: int = 0
    ordinal: int | None = None
    parent: int | None = None
    first: int | None = None
    level: int = 0
    anchor: str = ""
    head: bool = False


@dataclass(slots=True)
class _List:
    tag: str
    count: int = 0
    last_entry: int | None = None


@dataclass(slots=True)
class _Walk:
    manner: Manner
    composer: Composer
    run: Run = field(default_factory=Run)
    frames: list[_Frame] = field(default_factory=list)
    lists: list[_List] = field(default_factory=list)
    spans: dict[Element, Span] = field(default_factory=dict)
    tables: int = 0
    rows: int = 0
    in_thead: bool = False
    block: int = 0

    # -- text ---------------------------------------------------------------------------
    def text(self, data: str | None) -> None:
        if data:
            self.run.text(data)

    def flush(self) -> None:
        """Make a passage of the text so far, if there is any."""
        if not self.run:
            self.run.passage("paragraph")
            return
        frame = self.frames[-1] if self.frames else _Frame(None, "paragraph")
        if not self.lists and not self.tables and frame.kind != "quote":
            self.block += 1
        passage = self.run.passage(
            frame.kind,
            section=self.composer.section,
            block=self.block,
            depth=frame.depth,
            ordinal=frame.ordinal if frame.first is None else None,
            parent=frame.parent if frame.first is None else frame.first,
            head=frame.head,
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
    def open(self, element: Element, tag: str) -> None:
        kind = self.manner.kind(element) if tag in _MAY_DIFFER else None
        if tag in _BLOCKS or kind:
            self._open_block(element, tag, kind)
            if tag in _BLOCKS:
                return
        if tag == "br":
            self.run.break_()
        elif tag in _MAY_LINK and (to := self.manner.link(element)) is not None:
            self.spans[element] = self.run.open_link(to.kind, to.target, to.anchor)
        elif tag in {"b", "strong"}:
            self.spans[element] = self.run.open_strong()
        elif tag == "ruby":
            self.spans[element] = self.run.open_ruby()

    def _open_block(self, element: Element, tag: str, kind: PassageKind | None) -> None:
        if self.rows:
            self._open_in_row(tag)
            return
        self.flush()
        outer = self.frames[-1] if self.frames else _Frame(None, "paragraph")
        if tag in {"ul", "ol", "dl"}:
            if not self.lists:
                self.block += 1
            self.lists.append(_List(tag))
        elif tag == "table":
            self.tables += 1
            self.block += 1
        elif tag == "thead":
            self.in_thead = True
        elif tag == "tr":
            self.rows = 1
            head = self.in_thead or all(cell.tag == "th" for cell in element)
            self.frames.append(_Frame(element, "row", parent=outer.first, head=head))
        elif tag in _HEADINGS:
            level, anchor = _HEADINGS[tag], self.manner.anchor(element)
            self.frames.append(_Frame(element, kind or "heading", level=level, anchor=anchor))
        elif tag in {"li", "dt", "dd"}:
            self.frames.append(self._item(element, outer))
        elif kind or tag in _OWN_KIND:
            own = kind or _OWN_KIND[tag]
            parent = outer.first if outer.first is not None else outer.parent
            self.frames.append(_Frame(element, own, outer.depth, parent=parent))
            self.run.verbatim = tag == "pre"

    def _item(self, element: Element, outer: _Frame) -> _Frame:
        tag = element.tag
        around = self.lists[-1] if self.lists else _List("ul")
        parent = outer.first if outer.first is not None else outer.parent
        ordinal = None
        if tag == "li" and around.tag == "ol":
            around.count += 1
            ordinal = around.count
        if tag == "dd" and around.last_entry is not None:
            parent = around.last_entry
        return _Frame(element, _OWN_KIND[tag], max(1, len(self.lists)), ordinal, parent)

    def _open_in_row(self, tag: str) -> None:
        if tag == "tr":
            self.rows += 1
            self.run.break_()
        elif tag in {"td", "th"}:
            if self.run:
                self.run.break_("\t")
        else:
            self.run.break_()

    def close(self, element: Element, tag: str) -> None:
        span = self.spans.pop(element, None)
        if span is not None:
            self.run.close(span)
        own = bool(self.frames) and self.frames[-1].element is element
        if tag not in _BLOCKS and not own:
            return
        if self.rows:
            self._close_in_row(tag)
            return
        self.flush()
        if own:
            self.frames.pop()
            self.run.verbatim = False
        if tag in {"ul", "ol", "dl"} and self.lists:
            self.lists.pop()
        elif tag in {"thead", "table"}:
            self.in_thead = False
            self.tables -= tag == "table"

    def _close_in_row(self, tag: str) -> None:
        if tag == "tr":
            self.rows -= 1
            if not self.rows:
                self.flush()
                self.frames.pop()
        elif tag not in {"td", "th"} and tag in _BLOCKS:
            self.run.break_()


def walk(root: Element, manner: Manner, composer: Composer) -> None:
    """Read a whole document into `composer`, as `manner` says."""
    contents = set(manner.contents)
    around = {ancestor for content in contents for ancestor in content.iterancestors()}
    state = _Walk(manner, composer)
    inside: Element | None = None
    skipped: Element | None = None
    events = etree.iterwalk(root, events=("start", "end", "comment"))
    for event, element in events:
        if event == "start":
            if inside is None and element in contents:
                inside = element
            if reason := _reason(manner, element, inside is not None, around):
                _leave(state, element, reason)
                events.skip_subtree()
                skipped = element
            elif inside is not None:
                state.open(element, element.tag)
                state.text(element.text)
            else:
                composer.leave_out("page frame", element.text or "")
            continue
        if event == "end" and element is not skipped:
            if inside is not None:
                state.close(element, element.tag)
            if element is inside:
                state.flush()
                inside = None
        if inside is not None:
            state.text(element.tail)
        else:
            composer.leave_out("page frame", element.tail or "")


def _reason(manner: Manner, element: Element, inside: bool, around: set[Element]) -> str | None:
    if silent := _SILENT.get(element.tag):
        return silent
    if inside:
        return _RUBY.get(element.tag) or manner.omit(element)
    return None if element in around else manner.outside(element)


def _leave(state: _Walk, element: Element, reason: str) -> None:
    text = all_text(element)
    if element.tag == "rt":
        ruby = element.getparent()
        while ruby is not None and ruby.tag != "ruby":
            ruby = ruby.getparent()
        span = state.spans.get(ruby)
        if span is not None and span.reading is not None:
            span.reading.append("".join(text.split()))
    state.composer.leave_out(reason, text)


def tags_stripped(text: str) -> str:
    """The text of a document whose tree could not be built (nested beyond any measure)."""
    return unescape(re.sub(r"<[^<>]{0,5000}>", " ", text))
