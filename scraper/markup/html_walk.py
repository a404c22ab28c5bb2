"""Parses HTML, and walks over its tree to make the passages of a page, the same for every site.

A site defines what is content, what is left out and why, and what its links are (`MarkupRules`).
The walk does the rest: blocks, nested lists, tables, ruby, preformatted text, spans. It is
iterative, so that no nesting is too deep, and it puts every character of text into a passage or
counts it under a reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, NamedTuple

from lxml import etree

from scraper.markup.block_writer import BlockWriter, Close
from scraper.markup.html_tokens import Token, tokens
from scraper.markup.page_builder import LinkTarget, OpenSpan, PageBuilder
from scraper.markup.size_limits import UNCLOSED, deep_tree, fit_text
from scraper.page import PassageKind, ReadWarning, text_size

Element = Any  # lxml's type is private

_STRING: Any = etree.XPath("string()", smart_strings=False)
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_SURROGATE = re.compile("[\ud800-\udfff]")
_END_TAG = re.compile(r"</[A-Za-z][^ \t\n\r\f/>]*")
_DOCUMENT_END = re.compile(r"</(?:body|html)(?=[ \t\n\r\f/>])", re.IGNORECASE)
_NOTHING_MORE = re.compile(
    r"(?>\s+|</(?:body|html)[^<>]*>|<!--(?>[^-]+|-(?!->))*-->)*", re.IGNORECASE
)
_END_MARK = "sansho-end"  # a tag behind the document shows whether lxml has come to its end
_TOO_DEEP = "nested deeper than lxml reads; what is deeper is read side by side"
_NEVER_CLOSED = "a tag or comment that is never closed; what is behind it is read, too"
# The reason to leave an element out on every site, by its tag.
_LEFT_OUT = {
    "script": "script", "style": "style sheet", "head": "document head", "noscript": "script",
    "template": "script",
    # The reading is kept as the passage's ruby; the parentheses around it are for old browsers.
    "rt": "reading (kept with its word)", "rp": "ruby parenthesis",
    UNCLOSED: "tag or comment that is never closed",
}  # fmt: skip
_SPANS = frozenset(("b", "strong", "ruby"))  # elements that are marked in the text


@dataclass(frozen=True, slots=True)
class MarkupRules:
    """How the passages of a page are found in the HTML of one site.

    contents: the elements whose text is the page's own, in reading order.
    outside: returns the reason to leave out an element of the frame around the contents.
    omit: the reasons to leave out elements inside the contents, by `tag`, `.class` or `#id`.
    links: by tag, a function that returns what an element links to, the reason to leave it out (a
        str), or None if it is only text.
    anchor: returns the stable anchor of a heading, or an empty text.
    kinds: by tag, a function that returns the kind of passage that an element is, or None if it
        is treated as its tag says.
    """

    contents: Sequence[Element]
    outside: Callable[[Element], str] = lambda element: "page frame"
    omit: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, Callable[[Element], LinkTarget | str | None]] = field(default_factory=dict)
    anchor: Callable[[Element], str] = lambda element: ""
    kinds: Mapping[str, Callable[[Element], PassageKind | None]] = field(default_factory=dict)


def has_two_markers(markers: Sequence[str], text: str) -> bool:
    """Whether at least two of some strings occur in a text; their case must be the same.

    markers: the strings; one that is given twice counts twice.

    >>> has_two_markers(['id="body"', "PukiWiki"], '<div id="body">PukiWiki 1.4.7')
    True
    """
    found = (marker for marker in markers if marker in text)
    return next(found, None) is not None and next(found, None) is not None


class Document(NamedTuple):
    """A parsed HTML document.

    root: its root element.
    trouble: what is wrong with it that needed more than lxml; empty for nearly all documents.
    """

    root: Element
    trouble: str = ""


def parse(text: str) -> Document:
    """Parse an HTML document with lxml, or without it where lxml would lose a part of it.

    Never raises: an empty text gives an empty root. Makes no requests and resolves no entities
    other than HTML's own. Comments are not in the tree. Markup that is never closed hides nothing
    of what is behind it: it is in the tree as an element `UNCLOSED`. What is behind a stray
    `</body>` or `</html>` is in the elements that are open there, as in browsers.

    text: the decoded document, or a fragment of one.

    >>> document = parse("<div>" * 9999 + "deep")
    >>> all_text(document.root), document.trouble
    ('deep', 'nested deeper than lxml reads; what is deeper is read side by side')
    >>> document = parse("<p title='a>b<p>c")
    >>> all_text(document.root), document.trouble
    ("a>bc<p title='", 'a tag or comment that is never closed; what is behind it is read, too')
    """
    text = _DECLARATION.sub("", text.lstrip("\ufeff")).replace("\0", "\ufffd")
    try:
        return _document(text)
    except UnicodeEncodeError:
        return _document(_SURROGATE.sub("\ufffd", text))


def _document(text: str) -> Document:
    """Parse a document without NULs. Raises UnicodeEncodeError if it has halves of surrogate
    pairs."""
    root, is_whole = None, False
    goes_on = _goes_on_behind_its_end(text)
    if not goes_on:
        root, is_whole = _lxml_tree(text)
        if root is not None and is_whole:
            return Document(root)
    if goes_on or root is not None:
        found = [token for token in tokens(text) if token.kind == "unclosed" or _is_end(token)]
        root, is_whole = _lxml_tree(_without(text, found))
        if root is not None and is_whole:
            unclosed = "".join(token.text for token in found if token.kind == "unclosed")
            if unclosed:
                etree.SubElement(root, UNCLOSED).text = fit_text(unclosed)
            return Document(root, _NEVER_CLOSED if unclosed else "")
    return Document(deep_tree(text), _TOO_DEEP)


def _goes_on_behind_its_end(text: str) -> bool:
    """Whether there is more than white space and comments behind the first `</body>` or `</html>`;
    False if there is no such tag.

    Such a tag closes nothing (HTML Standard, 13.2.6.4.7 and 13.2.6.4.19: what follows goes on where
    the document was), but lxml closes all that is open, and so an article that it is in.
    """
    end = _DOCUMENT_END.search(text)
    return end is not None and not _NOTHING_MORE.fullmatch(text, end.start())


def _is_end(token: Token) -> bool:
    """Whether a token is the end of the document, `</body>` or `</html>`."""
    return token.kind == "end" and token.text in ("body", "html")


def _lxml_tree(text: str) -> tuple[Element | None, bool]:
    """Parse an HTML document with lxml.

    Return the root, or None if it is nested deeper than lxml reads; and whether lxml has read it
    to its end: what is behind markup that is never closed it drops in silence.

    text: without NULs. Raises UnicodeEncodeError if it has halves of surrogate pairs.
    """
    mark = _END_MARK
    while mark in text:
        mark += "x"
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, huge_tree=True, remove_pis=True, remove_comments=True
    )
    data = f"{text}<{mark}>".encode()
    try:
        root = etree.fromstring(data, parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError, AssertionError):
        return None, False
    # lxml drops what is nested too deep, and says so only in the parser's log.
    if root is None or any(entry.level_name == "FATAL" for entry in parser.error_log):
        return None, False
    further = list(root.itersiblings())  # what is behind `</html>`
    is_whole = _take_mark(further[-1] if further else root, mark)
    for sibling in further:  # one without text is removed: what searches the tree would find it
        (root if all_text(sibling).strip() else etree.Element("empty")).append(sibling)
    return root, is_whole


def _take_mark(root: Element, mark: str) -> bool:
    """Remove the mark at the end of a tree; return whether it was there, as nothing is lost then.

    In an element whose text has no tags, the mark is text.
    """
    last = root
    while len(last):
        if last[-1].tail:
            return False
        last = last[-1]
    if last.tag == mark:
        last.getparent().remove(last)
        return True
    text = last.text or ""
    if text.endswith(f"<{mark}>"):
        last.text = fit_text(text[: -len(mark) - 2])
        return True
    return False


def _without(text: str, pieces: Sequence[Token]) -> str:
    """Return a document without some of its markup.

    An end tag that is never closed is closed in its place, as it ends a script or the like. Any
    other piece becomes an empty comment, which neither joins what is around it nor is text.
    """
    kept: list[str] = []
    done = 0
    for piece in pieces:
        end_tag = piece.kind == "unclosed" and _END_TAG.match(piece.text)
        kept += text[done : piece.start], f"{end_tag[0]}>" if end_tag else "<!---->"
        done = piece.end
    return "".join([*kept, text[done:]])


def all_text(element: Element) -> str:
    """Return the text of an element and of everything in it, scripts too, as it is in the markup;
    empty if there is none.

    The text after the element (its tail) is not included.
    """
    return _STRING(element) if len(element) else element.text or ""


def count_text(root: Element) -> int:
    """Return the number of characters of a document's text, scripts and all, without white space.

    It is counted independently of the walk, whose result must add up to it.
    """
    return text_size(all_text(root))


def walk(root: Element, rules: MarkupRules, builder: PageBuilder) -> None:
    """Add the passages of a whole document to a page, and count what is left out of it.

    Every character outside the contents is counted under a reason, too. Contents inside other
    contents are read once. If the rules have no contents, the whole document is left out.

    root: the root of the tree that the contents of the rules are in.
    builder: what the passages, headings and counts are added to; nothing else is returned.
    """
    given = set(rules.contents)
    contents = [c for c in rules.contents if not any(a in given for a in c.iterancestors())]
    ancestors = {ancestor for content in contents for ancestor in content.iterancestors()}
    if not contents:
        builder.leave_out(rules.outside(root), all_text(root))
    counted_elsewhere = ancestors.union(contents)
    for element in ancestors:
        _leave_out_frame(element, rules, builder, counted_elsewhere)
    walker = _Walker(rules, builder)
    for content in contents:
        walker.read(content)
    _warn_of_no_text(contents, builder)


def _warn_of_no_text(contents: Sequence[Element], builder: PageBuilder) -> None:
    """Add a warning if no content but a heading has text, although the frame has some: the element
    of the page's text is missing, or the site calls it otherwise than it used to."""
    if any(passage.kind not in ("title", "heading") for passage in builder.passages):
        return
    left_out = builder.left_out.get("page frame", 0)
    if left_out and not any(all_text(e).strip() for e in contents if e.tag != "h1"):
        where_it_is = "no text was found where a page of this site keeps it"
        what = f"{where_it_is}; {left_out:,} characters are left out as page frame"
        builder.warnings.append(ReadWarning("page", what))


def _leave_out_frame(
    element: Element, rules: MarkupRules, builder: PageBuilder, counted_elsewhere: set[Element]
) -> None:
    """Count the text in an ancestor of contents that is not in another ancestor or in contents.

    rules: their `outside` gives the reason for a child, unless its tag alone is one.
    element: the ancestor; counted_elsewhere: all ancestors and all contents.
    """
    loose = [element.text or ""]
    for child in element:
        if child not in counted_elsewhere:
            reason = _LEFT_OUT.get(child.tag) or rules.outside(child)
            builder.leave_out(reason, all_text(child))
        loose.append(child.tail or "")
    builder.leave_out("page frame", " ".join(loose))


class _ReasonsByClass(dict[str, str | None]):
    """A cache of the reason to leave an element out, or None, by its whole class attribute."""

    def __init__(self, omit: Mapping[str, str]) -> None:
        self._omit = omit

    def __missing__(self, classes: str) -> str | None:
        reasons = (self._omit.get("." + name) for name in classes.split())
        reason = self[classes] = next(filter(None, reasons), None)
        return reason


class _Walker(BlockWriter):
    """Walks through the contents of one page and makes passages.

    by_tag, by_class, by_id: the reasons to leave elements out.
    """

    def __init__(self, rules: MarkupRules, builder: PageBuilder) -> None:
        super().__init__(builder)
        self.rules = rules
        self.by_tag = _LEFT_OUT | dict(rules.omit)
        self.by_class = _ReasonsByClass(rules.omit)
        self.by_id = {key[1:]: reason for key, reason in rules.omit.items() if key[0] == "#"}

    def read(self, content: Element) -> None:
        """Make passages of an element and everything in it, and add them to the builder.

        An element with a reason (by its tag, else a class, its id, its link) is left out with all
        that is in it. Text without a block is a paragraph. The tail of the element is not read.

        content: is itself an element to be read, and may be left out as a whole.
        """
        # This loop is the hot path of a build, so it calls no methods that it can do without.
        run, kinds, links = self.run, self.rules.kinds, self.rules.links
        by_tag, by_class, by_id = self.by_tag, self.by_class, self.by_id
        # The open elements that something ends with, each with its block and its span.
        ends: list[tuple[Element, Close | None, OpenSpan | None]] = []
        elements = etree.iterwalk(content, events=("start", "end"))
        for event, element in elements:
            if event == "end":
                if ends and ends[-1][0] is element:
                    _, close, span = ends.pop()
                    if span is not None:
                        run.close(span)
                    if close is not None:
                        close()
                if (tail := element.tail) and element is not content:
                    run.text(tail)
                continue
            tag = element.tag
            link: LinkTarget | str | None = None
            reason = by_tag.get(tag)
            if reason is None and (classes := element.get("class")):
                reason = by_class[classes]
            if reason is None and by_id:
                reason = by_id.get(element.get("id"))
            if reason is None and tag in links:
                link = links[tag](element)
                if isinstance(link, str):
                    reason = link
            if reason is not None:
                self.leave_out(element, reason)
                elements.skip_subtree()
                continue
            close = span = None
            if tag in kinds and (kind := kinds[tag](element)):
                close = self.open_as(kind, tag == "pre")
            elif opening := (_OPEN_IN_ROW if self.in_row else _OPEN).get(tag):
                close = opening(self, element)
            if link is not None:
                span = run.open(link)  # type: ignore[arg-type]  # no str here
            elif tag in _SPANS:
                span = run.open_ruby() if tag == "ruby" else run.open_strong()
            if close is not None or span is not None:
                ends.append((element, close, span))
            if text := element.text:
                run.text(text)
        self.flush()

    def leave_out(self, element: Element, reason: str) -> None:
        """Count the text of an element and all in it as left out.

        The text of an `rt` is counted too, and also becomes a reading of the ruby that is open.

        reason: what it is counted under.
        """
        text = all_text(element)
        if element.tag == "rt":
            self.run.reading(text)
        self.builder.leave_out(reason, text)

    def open_heading_element(self, element: Element) -> Close:
        """Begin a heading, h1 to h6: its level is the digit of the tag, its anchor what the rules
        say."""
        return self.open_heading(int(element.tag[1]), self.rules.anchor(element))

    def open_row_element(self, element: Element) -> Close:
        """Begin a row of a table; its headers are the `th` before the first other cell."""
        headers = sum(1 for _ in takewhile(lambda cell: cell.tag == "th", element))
        return self.open_row(headers, len(element) - headers)


_Opening = Callable[[_Walker, Element], Close | None]
_OPEN: dict[str, _Opening] = {
    **dict.fromkeys(
        "p div address center form fieldset section article main figure figcaption tbody tfoot "
        "td th hr details summary header footer nav aside body html".split(),
        lambda walker, element: walker.open_block()),
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), _Walker.open_heading_element),
    **dict.fromkeys(("ul", "ol", "dl"), lambda walker, element: walker.open_list(element.tag)),
    **dict.fromkeys(("li", "dt", "dd"), lambda walker, element: walker.open_item(element.tag)),
    "pre": lambda walker, element: walker.open_as("pre", verbatim=True),
    "blockquote": lambda walker, element: walker.open_as("quote"),
    "caption": lambda walker, element: walker.open_as("caption"),
    "table": lambda walker, element: walker.open_table(),
    "thead": lambda walker, element: walker.open_head(),
    "tr": _Walker.open_row_element,
    "br": lambda walker, element: walker.run.line(),
}  # fmt: skip
_OPEN_IN_ROW: dict[str, _Opening] = {
    **dict.fromkeys(_OPEN, lambda walker, element: walker.open_in_row()),
    **dict.fromkeys(("td", "th"), lambda walker, element: walker.open_cell()),
    "br": lambda walker, element: walker.run.line(),
}
