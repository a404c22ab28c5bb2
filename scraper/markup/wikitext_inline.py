"""The inside of a line of wikitext, as a tree that the walk over served pages reads too.

Every character of the source goes into the tree as text or is counted under the reason why
it is no text (`Tree.left_out`).
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

from scraper.page import text_size

MARKUP = "wiki markup"
TEMPLATE = "template (not expanded)"
CATEGORY = "categories (kept as data)"
TABLE = "table markup"
DEEPEST = 60  # open elements; what is nested deeper is read as if it were not

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
_IMPLIES_END = {
    "li": ("li",), "dt": ("dt", "dd"), "dd": ("dt", "dd"), "p": ("p",), "td": ("td", "th"),
    "th": ("td", "th"), "tr": ("td", "th", "tr"),
}  # fmt: skip
_SHOWN_TAGS = frozenset(("b", "strong", "ruby", "rb", "rt", "rp"))
_SPECIAL = re.compile(r"[\[\]<{&]|://")
_PIECE = re.compile(
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
    """The elements built so far, those still open, and what is no text, by its reason."""

    name: str = ""
    left_out: Counter[str] = field(default_factory=Counter)
    categories: list[str] = field(default_factory=list)
    notes: list[Any] = field(default_factory=list)
    numbered: int = 0
    _builder: Any = field(default_factory=lambda: etree.TreeBuilder())
    _open: list[tuple[str, bool]] = field(default_factory=list)

    @property
    def depth(self) -> int:
        """How many elements are open."""
        return len(self._open)

    def leave_out(self, reason: str, text: str) -> None:
        """Count source text that is no text of the page."""
        if amount := text_size(text):
            self.left_out[reason] += amount

    def data(self, text: str) -> None:
        """Text of the page."""
        self._builder.data(text)

    def start(self, tag: str, html: bool = False, **facts: str) -> None:
        """Open an element; `html` says that the source itself has the tag."""
        self._builder.start(tag, {key: clean(value) for key, value in facts.items()})
        self._open.append((tag, html))

    def close_to(self, depth: int) -> None:
        """Close the elements opened since `depth` was how many there were."""
        while len(self._open) > depth:
            self._builder.end(self._open.pop()[0])

    def part(self) -> None:
        """End the paragraph here."""
        self._builder.start("div", {})
        self._builder.end("div")

    def start_html(self, tag: str) -> None:
        """A block's tag in the source."""
        while self._open and self._open[-1][1] and self._open[-1][0] in _IMPLIES_END.get(tag, ()):
            self.close_to(self.depth - 1)
        if self.depth < DEEPEST:
            self.start(tag, html=True)
        else:
            self.part()

    def end_html(self, tag: str) -> None:
        """A block's end tag in the source: ends what it can, within what is open around it."""
        for place in range(self.depth - 1, -1, -1):
            name, html = self._open[place]
            if not html:
                break
            if name == tag:
                self.close_to(place)
                return
        self.part()

    def finish(self) -> Any:
        """The root of the whole tree."""
        self.close_to(0)
        return self._builder.close()


def title_of(text: str) -> str:
    """A page's name as the site writes it: case of the first letter, spaces, namespaces.

    >>> title_of("category:draw_step"), title_of("wheel of Fortune")
    ('カテゴリ:Draw step', 'Wheel of Fortune')
    """
    name = " ".join(unescape(text).replace("_", " ").split())
    if "%" in name:
        name = unquote(name)
    space, colon, rest = name.partition(":")
    known = _NAMESPACES.get(space.strip().lower())
    if colon and known:
        return f"{known}:{_upper(rest.strip())}"
    return _upper(name)


def _upper(name: str) -> str:
    return name[:1].upper() + name[1:]


def inline(tree: Tree, text: str) -> None:
    """Put a piece of wikitext into the tree: links, emphasis, tags, templates and the rest."""
    _Inline(tree).piece(text)


def _tangled(text: str) -> bool:
    """Whether what opens in a text is left open, or nested, so often that the parser, which
    tries each way, would take time that grows with the square of the length."""
    depth = worst = opened = 0
    for match in _PAIRS.finditer(text):
        if match["open"]:
            depth += 1
            opened += 1
            worst = max(worst, depth)
        elif depth:
            depth -= 1
    return worst > 24 or depth > 12 or opened > 20_000


@dataclass(slots=True)
class _Inline:
    tree: Tree
    bold: int = -1

    def piece(self, text: str) -> None:
        """Read wikitext that stands alone: emphasis ends with it."""
        if not _SPECIAL.search(text) or _tangled(text):
            self.text(text)
        else:
            self.parsed(text)
        self.end_bold()

    def parsed(self, text: str) -> None:
        try:
            code = mwparserfromhell.parse(text, skip_style_tags=True)
            faithful = str(code) == text
        except Exception:  # the parser's own faults are of many kinds
            faithful = False
        if faithful:
            self.nodes(code.nodes)
        else:
            self.text(text)

    def within(self, code: Any) -> None:
        """Read what is inside a link or a tag, where emphasis is on its own."""
        inside = _Inline(self.tree)
        inside.nodes(code.nodes)
        inside.end_bold()

    def nodes(self, found: Iterable[Any]) -> None:
        for node in found:
            if isinstance(node, nodes.Text):
                self.text(node.value)
            elif isinstance(node, nodes.Wikilink):
                self.link(node)
            elif isinstance(node, nodes.Tag):
                self.tag(node)
            elif isinstance(node, nodes.ExternalLink):
                self.external(node)
            elif isinstance(node, nodes.HTMLEntity):
                self.entity(str(node))
            elif isinstance(node, nodes.Template):
                self.template(node)
            elif isinstance(node, nodes.Argument):
                self.argument(node)
            elif isinstance(node, nodes.Comment):
                self.tree.leave_out("comment", str(node))
            else:
                self.text(str(node))

    # -- text ---------------------------------------------------------------------------
    def text(self, text: str) -> None:
        """Text, with the marks for emphasis and the tags that stand alone in it."""
        at = 0
        for match in _PIECE.finditer(text):
            self.tree.data(text[at : match.start()])
            at = match.end()
            if match["quotes"]:
                self.quotes(match[0])
            elif match["tag"]:
                self.lone_tag(match[0], match["name"].lower())
            elif match["switch"]:
                self.tree.leave_out("behaviour switch", match[0])
            else:
                self.end_bold()
                self.tree.data("\n")
        self.tree.data(text[at:])

    def quotes(self, marks: str) -> None:
        """Two are italic, three bold, five both; what is more is text."""
        over = 1 if len(marks) == 4 else max(0, len(marks) - 5)
        self.tree.data("'" * over)
        self.tree.leave_out(MARKUP, marks[over:])
        if len(marks) - over == 2:
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

    def lone_tag(self, source: str, name: str) -> None:
        """A tag whose pair is on another line, or that has none."""
        if name not in _BLOCK_TAGS and name not in _INLINE_TAGS:
            self.tree.data(source)
            return
        self.tree.leave_out(MARKUP, source)
        if name == "br":
            self.empty("br")
        elif name == "hr":
            self.tree.part()
        elif name in _BLOCK_TAGS and not source.endswith("/>"):
            self.end_bold()
            (self.tree.end_html if source[1] == "/" else self.tree.start_html)(name)

    def empty(self, tag: str) -> None:
        depth = self.tree.depth
        self.tree.start(tag)
        self.tree.close_to(depth)

    def entity(self, source: str) -> None:
        shown = clean(unescape(source))
        self.tree.data(shown)
        over = text_size(source) - text_size(shown)
        self.tree.left_out["character reference"] += over

    # -- links --------------------------------------------------------------------------
    def link(self, node: Any) -> None:
        title, label = str(node.title), node.text
        if not title.strip() or re.search(r"[\[\]{}<>\n\t]", unescape(title)):
            self.text(str(node))
            return
        space = title_of(title).partition(":")[0] if ":" in title else ""
        if space == "カテゴリ" and not title.lstrip().startswith(":"):
            self.category(title, str(node))
        elif space == "ファイル" and not title.lstrip().startswith(":"):
            self.file(node)
        else:
            self.page_link(title, label, str(node))

    def category(self, title: str, source: str) -> None:
        name = title_of(title).partition(":")[2]
        if name not in self.tree.categories:
            self.tree.categories.append(name)
        self.tree.leave_out(CATEGORY, source)

    def file(self, node: Any) -> None:
        """A picture: what stands below it is a passage of its own, where it is below it."""
        source = str(node)
        parts = _split(node.text)
        caption = next((part for part in reversed(parts[-1:]) if not _is_option(part)), None)
        if caption is None or not any(_SIZE.fullmatch(p.strip()) for p in map(str, parts)):
            self.tree.leave_out("file", source)
            return
        inside = str(caption)
        self.tree.left_out["file"] += text_size(source) - text_size(inside)
        depth = self.tree.depth
        self.tree.start("div")
        self.within(mwparserfromhell.parse(inside, skip_style_tags=True))
        self.tree.close_to(depth)

    def page_link(self, title: str, label: Any, source: str) -> None:
        kind, target, anchor = self.leads_to(title)
        depth = self.tree.depth
        self.tree.start("a", kind=kind, target=target, anchor=anchor)
        if label is None or not str(label).strip():
            shown = unescape(title).strip().removeprefix(":")
            self.tree.data(clean(shown))
            self.tree.left_out[MARKUP] += text_size(source) - text_size(shown)
        else:
            self.tree.left_out[MARKUP] += 5  # [[ | ]]
            self.tree.leave_out("link target", title)
            self.within(label)
        self.tree.close_to(depth)

    def leads_to(self, title: str) -> tuple[str, str, str]:
        """The kind, target and anchor of a link."""
        page, _, anchor = clean(unescape(title)).strip().removeprefix(":").partition("#")
        anchor = " ".join(anchor.replace("_", " ").split())
        prefix, colon, rest = page.partition(":")
        if not page.strip():
            return "anchor", self.tree.name, anchor
        if colon and (base := _INTERWIKI.get(prefix.strip().lower())):
            return "external", base + rest.strip().replace(" ", "_"), ""
        return "page", title_of(page), anchor

    def external(self, node: Any) -> None:
        source, url = str(node), clean(str(node.url))
        depth = self.tree.depth
        self.tree.start("a", kind="external", target=unescape(url).strip(), anchor="")
        if node.title is not None and str(node.title).strip():
            inside = str(node.title)
            self.tree.leave_out("link target", str(node.url))
            self.tree.left_out[MARKUP] += (
                text_size(source) - text_size(inside) - text_size(str(node.url))
            )
            self.within(node.title)
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
    def tag(self, node: Any) -> None:
        source, name = str(node), str(node.tag).strip().lower()
        inside = "" if node.contents is None else str(node.contents)
        if node.wiki_markup or (name not in _BLOCK_TAGS and name not in _INLINE_TAGS):
            self.as_text(node, source, inside)
        elif name in {"includeonly", "math"}:
            self.tree.leave_out("only for inclusion" if name != "math" else "formula", source)
        elif name == "ref":
            self.reference(node, source, inside)
        elif name == "references":
            self.tree.leave_out("footnote mark", source)
        elif name == "gallery":
            self.gallery(source, inside)
        else:
            self.tree.left_out[MARKUP] += text_size(source) - text_size(inside)
            self.known_tag(name, node, inside)

    def as_text(self, node: Any, source: str, inside: str) -> None:
        """A tag that is none of the wiki's: it is shown as it stands, what is in it is read."""
        start = source.find(inside, len(str(node.tag))) if inside else -1
        if node.wiki_markup or start < 0 or node.self_closing:
            self.text(source)
            return
        close = source.rfind("</")
        start = close - len(inside)
        if start < 0 or source[start:close] != inside:
            self.text(source)
            return
        self.tree.data(source[:start])
        self.within(node.contents)
        self.tree.data(source[close:])

    def known_tag(self, name: str, node: Any, inside: str) -> None:
        depth = self.tree.depth
        if name == "br":
            self.empty("br")
        elif name == "hr":
            self.tree.part()
        elif name in {"nowiki", "pre"}:
            if name == "pre":
                self.tree.start("pre")
            self.literal(inside)
        elif name in _SHOWN_TAGS:
            self.tree.start(name)
            self.within(node.contents)
        elif name in _BLOCK_TAGS:
            self.end_bold()
            depth = self.tree.depth
            self.tree.start_html(name)
            depth = min(depth, self.tree.depth)
            self.within(node.contents)
            self.tree.end_html(name)
            return
        else:
            self.within(node.contents)
        self.tree.close_to(depth)

    def literal(self, text: str) -> None:
        """Text in which no markup counts but character references."""
        at = 0
        for match in re.finditer(r"&#?\w{1,31};", text):
            self.tree.data(text[at : match.start()])
            self.entity(match[0])
            at = match.end()
        self.tree.data(text[at:])

    def reference(self, node: Any, source: str, inside: str) -> None:
        if not inside.strip():
            self.tree.leave_out("footnote mark", source)
            return
        self.tree.left_out["footnote mark"] += text_size(source) - text_size(inside)
        self.tree.notes.append(node.contents)

    def gallery(self, source: str, inside: str) -> None:
        self.tree.left_out[MARKUP] += text_size(source) - text_size(inside)
        depth = self.tree.depth
        self.tree.start("ul")
        for line in inside.split("\n"):
            name, bar, caption = line.partition("|")
            self.tree.leave_out("file", name + bar)
            self.tree.start("li")
            _Inline(self.tree).piece(caption)
            self.tree.close_to(depth + 1)
        self.tree.close_to(depth)

    # -- templates ----------------------------------------------------------------------
    def template(self, node: Any) -> None:
        """What a template would put here can't be known; what it is given is kept as data."""
        source, name = str(node), str(node.name)
        card = _CARD.match(name)
        if _CITATION.match(name) and not node.params:
            shown = name.strip().removeprefix("#")
            self.tree.data(shown)
            self.tree.left_out[TEMPLATE] += text_size(source) - text_size(shown)
        elif card and not node.params:
            self.note(source, f"card:{card[1].strip()}")
        elif _SORT_KEY.match(name):
            self.tree.leave_out("sort key", source)
        elif name.strip() == _CARD_TEXT:
            self.values(source, [p.value for p in node.params], "br")
        elif any(p.showkey for p in node.params):
            self.box(source, [p for p in node.params if p.showkey])
        else:
            self.tree.leave_out(TEMPLATE, source)

    def note(self, source: str, shown: str) -> None:
        self.tree.left_out[TEMPLATE] += text_size(source) - text_size(shown)
        depth = self.tree.depth
        self.tree.start("div", kind="note")
        self.tree.data(clean(shown))
        self.tree.close_to(depth)

    def box(self, source: str, given: list[Any]) -> None:
        """The named parameters of a box, each as a row of name and value."""
        shown = sum(text_size(str(p.name)) + text_size(str(p.value)) for p in given)
        self.tree.left_out[TEMPLATE] += text_size(source) - shown
        depth = self.tree.depth
        self.tree.start("table")
        for parameter in given:
            self.tree.start("tr")
            for tag, code in (("th", parameter.name), ("td", parameter.value)):
                self.tree.start(tag)
                self.within(code)
                self.tree.close_to(depth + 2)
            self.tree.close_to(depth + 1)
        self.tree.close_to(depth)

    def values(self, source: str, values: list[Any], between: str) -> None:
        """The values of a template that only lays them out, each on its line."""
        self.tree.left_out[TEMPLATE] += text_size(source) - sum(
            text_size(str(value)) for value in values
        )
        depth = self.tree.depth
        self.tree.start("div")
        for value in values:
            self.within(value)
            self.empty(between)
        self.tree.close_to(depth)

    def argument(self, node: Any) -> None:
        """A template's own parameter: its default, or, where it has none, as it stands."""
        source = str(node)
        if node.default is None:
            self.tree.data(source)
            return
        self.tree.left_out[TEMPLATE] += text_size(source) - text_size(str(node.default))
        self.within(node.default)


def _split(code: Any) -> list[str]:
    """The options of a picture, cut at the bars that are in no link or template."""
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
    known = r"(?:thumb|thumbnail|frame|framed|frameless|border|left|right|center|none|\d*x?\d+px)"
    return bool(re.fullmatch(rf"\s*(?:{known}|[a-z]+=[^=]*|)\s*", part))


_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def clean(text: str) -> str:
    """Text with what no tree can hold replaced, one character by one.

    >>> clean("a\\x00b\\x0cc")
    'a\\ufffdb c'
    """
    return _UNFIT.sub(lambda match: " " if match[0].isspace() else "\ufffd", text)
