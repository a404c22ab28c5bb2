"""Parses inline wikitext (links, emphasis, tags, templates) into the tree that `html_walk` reads.

Every character of the source goes into the tree as text, or is counted in `Tree.left_out` under
the reason why it is not text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import unescape
from typing import Any
from urllib.parse import unquote

import mwparserfromhell
from lxml import etree
from mwparserfromhell import nodes

from scraper.markup.size_limits import CLOSES, fit_text
from scraper.page import text_size

MARKUP = "wiki markup"
TEMPLATE = "template (not expanded)"
CATEGORY = "categories (kept as data)"
TABLE = "table markup"
# Open elements; what is nested deeper is parsed as if it were not nested. A guard of what reads the
# tree: captured pages go to 10.
DEEPEST = 60

_NAMESPACES = {
    "category": "カテゴリ", "file": "ファイル", "image": "ファイル", "画像": "ファイル",
    "media": "メディア", "special": "特別", "talk": "トーク", "user": "利用者",
    "template": "テンプレート", "help": "ヘルプ", "mediawiki": "MediaWiki",
}  # fmt: skip
_INTERWIKI = {
    "wikipedia": "http://en.wikipedia.org/wiki/", "google": "http://www.google.com/search?q=",
}  # fmt: skip
_BLOCK_TAGS = frozenset(
    "div p blockquote center table caption thead tbody tfoot tr td th ul ol li dl dt dd "
    "h1 h2 h3 h4 h5 h6".split()
)
_INLINE_TAGS = frozenset(
    "b strong i em u s strike del ins small big sub sup span font code tt kbd samp var cite q "
    "abbr bdi bdo dfn mark data time wbr br hr ruby rb rt rp rtc noinclude onlyinclude "
    "includeonly nowiki pre ref references gallery math poem section".split()
)
_SHOWN_TAGS = frozenset(("b", "strong", "ruby", "rb", "rt", "rp"))
_SPECIAL = re.compile(r"[\[\]<{&]|://")
# The bounds of names are guards: the longest, `includeonly`, has eleven letters.
_TEXT_MARK = re.compile(
    r"(?P<quotes>'{2,})|(?P<tag></?(?P<name>[A-Za-z][A-Za-z0-9]{0,15})(?:[\s/][^<>]*)?>)"
    r"|(?P<switch>__(?:[A-Z]{3,20}|目次|目次強制|目次非表示|節編集非表示|全見出し目次)__)|\n"
)
_PAIRS = re.compile(
    r"(?P<open>\[\[|\{\{+|\[(?=[A-Za-z+.-]{0,12}:?//)|\{\||<!--|<[A-Za-z][A-Za-z0-9]{0,15}(?=[\s>]))"
    r"|(?P<close>\]\]?|\}\}+|\|\}|-->|</[A-Za-z]|/>)"
)
_SORT_KEY = re.compile(r"\s*(?:DEFAULTSORT|DEFAULTSORTKEY|デフォルトソート)\s*[:：]")
_CITATION = re.compile(r"\s*#cr\s*[:：]\s*\d", re.IGNORECASE)
_CARD = re.compile(r"\s*#card\s*[:：](.+)", re.IGNORECASE | re.DOTALL)
_CARD_TEXT = "カードテキスト"
_SIZE = re.compile(r"(?:thumb|thumbnail|frame|framed|サムネイル|フレーム)(?:=.*)?", re.IGNORECASE)


@dataclass(slots=True)
class Tree:
    """A tree of HTML elements under construction.

    name: the name of the page.
    left_out: the number of characters of the source that are not text, by reason.
    categories: the names of the page's categories.
    notes: the parsed footnotes, in their order.
    numbered: how many external links without words there are; readers see them as [1], [2]…
    """

    name: str = ""
    left_out: Counter[str] = field(default_factory=Counter)
    categories: list[str] = field(default_factory=list)
    notes: list[Any] = field(default_factory=list)
    numbered: int = 0
    _builder: Any = field(default_factory=lambda: etree.TreeBuilder())
    _open: list[tuple[str, bool]] = field(default_factory=list)

    @property
    def depth(self) -> int:
        """The number of open elements."""
        return len(self._open)

    def leave_out(self, reason: str, text: str) -> None:
        """Count a part of the source that is not text of the page, under a reason.

        text: the part itself, as it is in the source.
        """
        if amount := text_size(text):
            self.left_out[reason] += amount

    def data(self, text: str) -> None:
        """Add text of the page. lxml must be able to store it (see `fit_text`)."""
        self._builder.data(text)

    def start(self, tag: str, html: bool = False, **attributes: str) -> None:
        """Open an element inside the innermost open one.

        html: whether the source itself has the tag, so that an end tag in it may close the element.
        attributes: those of the element; characters that lxml can't store are replaced.
        """
        self._builder.start(tag, {key: fit_text(value) for key, value in attributes.items()})
        self._open.append((tag, html))

    def close_to(self, depth: int) -> None:
        """Close the innermost elements until only `depth` are open; none if no more are."""
        while len(self._open) > depth:
            self._builder.end(self._open.pop()[0])

    def part(self) -> None:
        """End the paragraph, by adding an empty `div`."""
        self._builder.start("div", {})
        self._builder.end("div")

    def start_html(self, tag: str) -> None:
        """Open the element of a block's start tag in the source.

        Elements that the tag ends (`li` an open `li`) are closed before. At the depth `DEEPEST` no
        element is opened; only the paragraph ends.

        tag: its name in lower case.
        """
        while self._open and self._open[-1][1] and self._open[-1][0] in CLOSES.get(tag, ()):
            self.close_to(self.depth - 1)
        if self.depth < DEEPEST:
            self.start(tag, html=True)
        else:
            self.part()

    def end_html(self, tag: str) -> None:
        """Close the element of a block's end tag in the source.

        Elements that are open inside it are closed too. If that would close an element that has no
        tag in the source, or none with the tag is open, only the paragraph ends.

        tag: its name in lower case.
        """
        for index in range(self.depth - 1, -1, -1):
            name, html = self._open[index]
            if not html:
                break
            if name == tag:
                self.close_to(index)
                return
        self.part()

    def finish(self) -> Any:
        """Close all elements and return the root of the tree, an element of lxml.

        Nothing can be added afterwards.
        """
        self.close_to(0)
        return self._builder.close()


def title_of(text: str) -> str:
    """Return a page's name as the site writes it: case of the first letter, spaces, namespaces.

    Character references and percent-encoding are decoded, too. Only the usual English names of
    namespaces (and 画像) are replaced.

    text: a name as in a link, without `#` and a section.

    >>> title_of("category:draw_step"), title_of("wheel of Fortune")
    ('カテゴリ:Draw step', 'Wheel of Fortune')
    """
    name = " ".join(unescape(text).replace("_", " ").split())
    if "%" in name:
        name = unquote(name)
    prefix, colon, rest = name.partition(":")
    namespace = _NAMESPACES.get(prefix.strip().lower())
    if colon and namespace:
        return f"{namespace}:{_capitalize(rest.strip())}"
    return _capitalize(name)


def _capitalize(name: str) -> str:
    return name[:1].upper() + name[1:]


def inline(tree: Tree, text: str) -> None:
    """Parse a line or another piece of wikitext, and add it to the tree.

    Emphasis ends with the piece, but HTML blocks that it opens (`<div>`) remain open. Wikitext that
    is nested too deep, or that can't be parsed, is added as text, its emphasis and single tags
    apart. Headings, lists and tables are not parsed.
    """
    _InlineParser(tree).parse(text)


def _is_too_nested(text: str) -> bool:
    """Whether a text has so many unclosed or nested marks that mwparserfromhell would be slow.

    That parser backtracks, so it would take time that grows with the square of the length. Lines of
    captured pages have at most 2 levels, 1 mark that is not closed, and 11 in all; 24, 12 and
    20,000 are the bounds.
    """
    depth = deepest = opened = 0
    for match in _PAIRS.finditer(text):
        if match["open"]:
            depth += 1
            opened += 1
            deepest = max(deepest, depth)
        elif depth:
            depth -= 1
    return deepest > 24 or depth > 12 or opened > 20_000


@dataclass(slots=True)
class _InlineParser:
    """Parses one piece of wikitext into a tree. The methods for nodes take mwparserfromhell's.

    bold: how many elements were open outside the bold text that is open; -1 if none is.
    """

    tree: Tree
    bold: int = -1

    def parse(self, text: str) -> None:
        """Parse wikitext that stands alone: emphasis ends with it."""
        if not _SPECIAL.search(text) or _is_too_nested(text):
            self.add_text(text)
        else:
            self.parse_nodes(text)
        self.end_bold()

    def parse_nodes(self, text: str) -> None:
        """Parse wikitext with mwparserfromhell; add it as text if that fails or loses anything."""
        try:
            code = mwparserfromhell.parse(text, skip_style_tags=True)
            lossless = str(code) == text
        except Exception:  # mwparserfromhell's bugs raise many kinds of exceptions
            lossless = False
        if lossless:
            self.add_nodes(code.nodes)
        else:
            self.add_text(text)

    def add_contents(self, code: Any) -> None:
        """Add what is inside a link or a tag, where emphasis is independent.

        code: the contents as mwparserfromhell parsed them, a `Wikicode`.
        """
        inside = _InlineParser(self.tree)
        inside.add_nodes(code.nodes)
        inside.end_bold()

    def add_nodes(self, siblings: Iterable[Any]) -> None:
        """Add the nodes of mwparserfromhell that stand side by side, in their order.

        Comments are left out; nodes of a kind that has no method here are added as text.
        """
        for node in siblings:
            if isinstance(node, nodes.Text):
                self.add_text(node.value)
            elif isinstance(node, nodes.Wikilink):
                self.add_wikilink(node)
            elif isinstance(node, nodes.Tag):
                self.add_tag(node)
            elif isinstance(node, nodes.ExternalLink):
                self.add_external_link(node)
            elif isinstance(node, nodes.HTMLEntity):
                self.add_entity(str(node))
            elif isinstance(node, nodes.Template):
                self.add_template(node)
            elif isinstance(node, nodes.Argument):
                self.add_argument(node)
            elif isinstance(node, nodes.Comment):
                self.tree.leave_out("comment", str(node))
            else:
                self.add_text(str(node))

    # -- text ---------------------------------------------------------------------------
    def add_text(self, text: str) -> None:
        """Add text, with the marks of emphasis and the tags without a pair that are in it.

        Behaviour switches (`__TOC__`) are left out. A line feed ends open bold text and is kept.
        """
        done = 0
        for match in _TEXT_MARK.finditer(text):
            self.tree.data(text[done : match.start()])
            done = match.end()
            if match["quotes"]:
                self.add_quotes(match[0])
            elif match["tag"]:
                self.add_unpaired_tag(match[0], match["name"].lower())
            elif match["switch"]:
                self.tree.leave_out("behaviour switch", match[0])
            else:
                self.end_bold()
                self.tree.data("\n")
        self.tree.data(text[done:])

    def add_quotes(self, marks: str) -> None:
        """Begin or end emphasis: two quotes are italic, three bold, five both; the rest is text.

        Only bold is kept in the tree: three or more quotes end it if it is open (`bold`), else
        begin it. Of four quotes the first is text. `marks` are two or more quotes.
        """
        excess = 1 if len(marks) == 4 else max(0, len(marks) - 5)
        self.tree.data("'" * excess)
        self.tree.leave_out(MARKUP, marks[excess:])
        if len(marks) - excess == 2:
            return
        if self.bold >= 0:
            self.end_bold()
        else:
            self.bold = self.tree.depth
            self.tree.start("b")

    def end_bold(self) -> None:
        if self.bold >= 0:
            self.tree.close_to(self.bold)
            self.bold = -1

    def add_unpaired_tag(self, source: str, name: str) -> None:
        """Add a tag whose partner is on another line, or that has none.

        A tag that the wiki does not know is added as text; of all others the source is left out.
        `br` becomes an element, `hr` ends the paragraph, a block's tag opens or closes its element.
        Other inline tags, and blocks that close themselves, add nothing.

        source: the tag as written, such as `</div>`; name: its name in lower case.
        """
        if name not in _BLOCK_TAGS and name not in _INLINE_TAGS:
            self.tree.data(source)
            return
        self.tree.leave_out(MARKUP, source)
        if name == "br":
            self.add_empty("br")
        elif name == "hr":
            self.tree.part()
        elif name in _BLOCK_TAGS and not source.endswith("/>"):
            self.end_bold()
            (self.tree.end_html if source[1] == "/" else self.tree.start_html)(name)

    def add_empty(self, tag: str) -> None:
        """Add an element without contents, and close it."""
        depth = self.tree.depth
        self.tree.start(tag)
        self.tree.close_to(depth)

    def add_entity(self, source: str) -> None:
        """Add the character that a character reference, such as `&amp;`, stands for.

        A reference that HTML does not know is added as it is written.
        """
        shown = fit_text(unescape(source))
        self.tree.data(shown)
        excess = text_size(source) - text_size(shown)
        self.tree.left_out["character reference"] += excess

    # -- links --------------------------------------------------------------------------
    def add_wikilink(self, node: Any) -> None:
        """Add a link in double brackets: to a page, a category or a file.

        A category is only kept in `Tree.categories`, of a file at most the caption is shown; with a
        colon before its name, each is a link to its page. A link whose title is blank or has
        brackets, tabs or line feeds in it is added as text.
        """
        title, label = str(node.title), node.text
        if not title.strip() or re.search(r"[\[\]{}<>\n\t]", unescape(title)):
            self.add_text(str(node))
            return
        namespace = title_of(title).partition(":")[0] if ":" in title else ""
        if namespace == "カテゴリ" and not title.lstrip().startswith(":"):
            self.add_category(title, str(node))
        elif namespace == "ファイル" and not title.lstrip().startswith(":"):
            self.add_file(node)
        else:
            self.add_page_link(title, label, str(node))

    def add_category(self, title: str, source: str) -> None:
        """Add a category to `Tree.categories`, unless it is there already.

        title: the name with its namespace, as in the link; source: the whole link.
        """
        name = title_of(title).partition(":")[2]
        if name not in self.tree.categories:
            self.tree.categories.append(name)
        self.tree.leave_out(CATEGORY, source)

    def add_file(self, node: Any) -> None:
        """Add the caption of a picture as a passage of its own, if the page shows one below it.

        Otherwise the whole link is left out.
        """
        source = str(node)
        parts = _split_options(node.text)
        caption = next((part for part in reversed(parts[-1:]) if not _is_option(part)), None)
        if caption is None or not any(_SIZE.fullmatch(p.strip()) for p in map(str, parts)):
            self.tree.leave_out("file", source)
            return
        inside = str(caption)
        self.tree.left_out["file"] += text_size(source) - text_size(inside)
        depth = self.tree.depth
        self.tree.start("div")
        self.add_contents(mwparserfromhell.parse(inside, skip_style_tags=True))
        self.tree.close_to(depth)

    def add_page_link(self, title: str, label: Any, source: str) -> None:
        """Add a link to a page as `a`. It shows its label, parsed, or without one its title.

        The title is shown as written, with character references decoded, without a colon before it.

        title, label: what is before and after the bar; source: the whole link.
        """
        kind, target, anchor = self.resolve_link(title)
        depth = self.tree.depth
        self.tree.start("a", kind=kind, target=target, anchor=anchor)
        if label is None or not str(label).strip():
            shown = unescape(title).strip().removeprefix(":")
            self.tree.data(fit_text(shown))
            self.tree.left_out[MARKUP] += text_size(source) - text_size(shown)
        else:
            self.tree.left_out[MARKUP] += 5  # [[ | ]]
            self.tree.leave_out("link target", title)
            self.add_contents(label)
        self.tree.close_to(depth)

    def resolve_link(self, title: str) -> tuple[str, str, str]:
        """Return the kind, target and anchor of a link (see `scraper.page.Link`).

        The kind is `page`, `anchor` (a section of this page) or `external` (a page of another
        wiki); never `missing`, as the source does not tell.

        title: what is in the link before the bar, with the section.
        """
        page, _, anchor = fit_text(unescape(title)).strip().removeprefix(":").partition("#")
        anchor = " ".join(anchor.replace("_", " ").split())
        prefix, colon, rest = page.partition(":")
        if not page.strip():
            return "anchor", self.tree.name, anchor
        if colon and (base := _INTERWIKI.get(prefix.strip().lower())):
            return "external", base + rest.strip().replace(" ", "_"), ""
        return "page", title_of(page), anchor

    def add_external_link(self, node: Any) -> None:
        """Add a link to a URL as `a`.

        It shows its words, parsed; in brackets without words the next number (`[1]`, counted in
        `Tree.numbered`); without brackets the URL.
        """
        source, url = str(node), fit_text(str(node.url))
        depth = self.tree.depth
        self.tree.start("a", kind="external", target=unescape(url).strip(), anchor="")
        if node.title is not None and str(node.title).strip():
            inside = str(node.title)
            self.tree.leave_out("link target", str(node.url))
            self.tree.left_out[MARKUP] += (
                text_size(source) - text_size(inside) - text_size(str(node.url))
            )
            self.add_contents(node.title)
        elif node.brackets:
            self.tree.numbered += 1
            shown = f"[{self.tree.numbered}]"
            self.tree.data(shown)
            self.tree.left_out["link target"] += text_size(source) - text_size(shown)
        else:
            self.tree.data(url)
            self.tree.left_out[MARKUP] += text_size(source) - text_size(url)
        self.tree.close_to(depth)

    # -- tags ---------------------------------------------------------------------------
    def add_tag(self, node: Any) -> None:
        """Add a tag with its contents to the tree, each kind in its own way.

        A tag that is not known is shown as text, with its contents parsed. The contents of `ref`
        are kept in `Tree.notes`; a gallery becomes a list of its captions; `math`, `includeonly`
        and `references` are left out.

        node: a `Tag` of mwparserfromhell.
        """
        source, name = str(node), str(node.tag).strip().lower()
        inside = "" if node.contents is None else str(node.contents)
        if node.wiki_markup or (name not in _BLOCK_TAGS and name not in _INLINE_TAGS):
            self.add_unknown_tag(node, source, inside)
        elif name in {"includeonly", "math"}:
            self.tree.leave_out("only for inclusion" if name != "math" else "formula", source)
        elif name == "ref":
            self.add_reference(node, source, inside)
        elif name == "references":
            self.tree.leave_out("footnote mark", source)
        elif name == "gallery":
            self.add_gallery(source, inside)
        else:
            self.tree.left_out[MARKUP] += text_size(source) - text_size(inside)
            self.add_known_tag(name, node, inside)

    def add_unknown_tag(self, node: Any, source: str, inside: str) -> None:
        """Add a tag that the wiki does not know: it is shown as it is, its contents are parsed.

        Without contents, or if it closes itself or is a mark of wikitext, it is all added as text.

        source: the tag with its contents, as written; inside: the contents, as written.
        """
        start = source.find(inside, len(str(node.tag))) if inside else -1
        if node.wiki_markup or start < 0 or node.self_closing:
            self.add_text(source)
            return
        close = source.rfind("</")
        start = close - len(inside)
        if start < 0 or source[start:close] != inside:
            self.add_text(source)
            return
        self.tree.data(source[:start])
        self.add_contents(node.contents)
        self.tree.data(source[close:])

    def add_known_tag(self, name: str, node: Any, inside: str) -> None:
        """Add a tag that the wiki knows; the source of the tag itself is already left out.

        `br` becomes an element, `hr` ends the paragraph; in `nowiki` and `pre` only character
        references are parsed. Bold and ruby tags and blocks become elements. Of other tags only the
        contents are added.

        name: the tag's name in lower case; inside: its contents, as written.
        """
        depth = self.tree.depth
        if name == "br":
            self.add_empty("br")
        elif name == "hr":
            self.tree.part()
        elif name in {"nowiki", "pre"}:
            if name == "pre":
                self.tree.start("pre")
            self.add_literal(inside)
        elif name in _SHOWN_TAGS:
            self.tree.start(name)
            self.add_contents(node.contents)
        elif name in _BLOCK_TAGS:
            self.end_bold()
            depth = self.tree.depth
            self.tree.start_html(name)
            depth = min(depth, self.tree.depth)
            self.add_contents(node.contents)
            self.tree.end_html(name)
            return
        else:
            self.add_contents(node.contents)
        self.tree.close_to(depth)

    def add_literal(self, text: str) -> None:
        """Add text in which only character references are markup, and line ends are kept."""
        done = 0
        for match in re.finditer(r"&#?\w{1,31};", text):
            self.tree.data(text[done : match.start()])
            self.add_entity(match[0])
            done = match.end()
        self.tree.data(text[done:])

    def add_reference(self, node: Any, source: str, inside: str) -> None:
        """Keep the contents of a `ref` tag for the footnotes (`Tree.notes`).

        A tag with blank contents or none (a repeated footnote) is left out whole.

        source: the tag with its contents, as written; inside: the contents, as written.
        """
        if not inside.strip():
            self.tree.leave_out("footnote mark", source)
            return
        self.tree.left_out["footnote mark"] += text_size(source) - text_size(inside)
        self.tree.notes.append(node.contents)

    def add_gallery(self, source: str, inside: str) -> None:
        """Add the captions of a gallery as a list.

        Each line gives an item; the file's name before the first bar is left out. A line without a
        bar has no caption and gives an empty item.

        source: the tag with its contents, as written; inside: the contents, a picture per line.
        """
        self.tree.left_out[MARKUP] += text_size(source) - text_size(inside)
        depth = self.tree.depth
        self.tree.start("ul")
        for line in inside.split("\n"):
            name, bar, caption = line.partition("|")
            self.tree.leave_out("file", name + bar)
            self.tree.start("li")
            _InlineParser(self.tree).parse(caption)
            self.tree.close_to(depth + 1)
        self.tree.close_to(depth)

    # -- templates ----------------------------------------------------------------------
    def add_template(self, node: Any) -> None:
        """Add the arguments of a template; what it would expand to is not known.

        `#cr:` with a number is shown as written, without `#`; `#card:` as a passage `card:…` (both
        without arguments). The values of カードテキスト are added, each followed by a line break.
        Any other template with named arguments gives a table of these only. All others, and sort
        keys, are left out.
        """
        source, name = str(node), str(node.name)
        card = _CARD.match(name)
        if _CITATION.match(name) and not node.params:
            shown = name.strip().removeprefix("#")
            self.tree.data(shown)
            self.tree.left_out[TEMPLATE] += text_size(source) - text_size(shown)
        elif card and not node.params:
            self.add_note(source, f"card:{card[1].strip()}")
        elif _SORT_KEY.match(name):
            self.tree.leave_out("sort key", source)
        elif name.strip() == _CARD_TEXT:
            self.add_lines(source, [p.value for p in node.params])
        elif any(p.showkey for p in node.params):
            self.add_box(source, [p for p in node.params if p.showkey])
        else:
            self.tree.leave_out(TEMPLATE, source)

    def add_note(self, source: str, shown: str) -> None:
        """Add text for a template that embeds something else, as a passage of its own.

        source: the template as written; shown: the text.
        """
        self.tree.left_out[TEMPLATE] += text_size(source) - text_size(shown)
        depth = self.tree.depth
        self.tree.start("div", kind="note")
        self.tree.data(fit_text(shown))
        self.tree.close_to(depth)

    def add_box(self, source: str, parameters: list[Any]) -> None:
        """Add the named parameters of a box as a table, each a row of name and value.

        source: the template as written; parameters: mwparserfromhell's.
        """
        shown = sum(text_size(str(p.name)) + text_size(str(p.value)) for p in parameters)
        self.tree.left_out[TEMPLATE] += text_size(source) - shown
        depth = self.tree.depth
        self.tree.start("table")
        for parameter in parameters:
            self.tree.start("tr")
            for tag, code in (("th", parameter.name), ("td", parameter.value)):
                self.tree.start(tag)
                self.add_contents(code)
                self.tree.close_to(depth + 2)
            self.tree.close_to(depth + 1)
        self.tree.close_to(depth)

    def add_lines(self, source: str, values: list[Any]) -> None:
        """Add the values of a template that only lays them out, with a line break after each.

        source: the template as written.
        """
        self.tree.left_out[TEMPLATE] += text_size(source) - sum(
            text_size(str(value)) for value in values
        )
        depth = self.tree.depth
        self.tree.start("div")
        for value in values:
            self.add_contents(value)
            self.add_empty("br")
        self.tree.close_to(depth)

    def add_argument(self, node: Any) -> None:
        """Add the default of a template's own parameter, or its source if it has no default."""
        source = str(node)
        if node.default is None:
            self.tree.data(source)
            return
        self.tree.left_out[TEMPLATE] += text_size(source) - text_size(str(node.default))
        self.add_contents(node.default)


def _split_options(code: Any) -> list[str]:
    """Split the options of a picture at the bars that are in no link or template.

    code: all that follows the first bar of the link, parsed, or None if there is no bar; then the
        result is empty. A caption is the last part. Parts keep their white space.
    """
    if code is None:
        return []
    parts = [""]
    for node in code.nodes:
        if isinstance(node, nodes.Text):
            first, *rest = node.value.split("|")
            parts[-1] += first
            parts += rest
        else:
            parts[-1] += str(node)
    return parts


def _is_option(part: str) -> bool:
    """Whether a part of a picture's link is a known option, and not its caption.

    True for a blank part, too.
    """
    known = r"(?:thumb|thumbnail|frame|framed|frameless|border|left|right|center|none|\d*x?\d+px)"
    return bool(re.fullmatch(rf"\s*(?:{known}|[a-z]+=[^=]*|)\s*", part))
