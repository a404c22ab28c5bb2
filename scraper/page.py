"""What every site turns bytes into: a page of sections and passages, with nothing lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

LinkKind = Literal["page", "missing", "glossary", "rule", "anchor", "external"]
PassageKind = Literal[
    "title",
    "heading",
    "paragraph",
    "item",
    "row",
    "pre",
    "entry",
    "gloss",
    "quote",
    "caption",
    "footnote",
    "note",
]


def text_size(text: str) -> int:
    """The length of a text in characters, white space not counted.

    White space is the page's layout (indents, line ends, U+3000 padding), so it is what a
    parser may fold; everything else is counted and must be accounted for.

    >>> text_size(" カード を\\n引く　")
    6
    """
    return sum(map(len, text.split()))


@dataclass(frozen=True, slots=True)
class Link:
    """A site's own link in a passage: text[start:end] leads to target.

    `target` is a page's name (page, missing, anchor), a glossary key or a rule's number as
    the site writes it, or a URL (external). It is empty where a capture keeps the place of
    a link but not where it leads.
    """

    start: int
    end: int
    kind: LinkKind
    target: str = ""
    anchor: str = ""

    def at(self, start: int, end: int) -> Link:
        """The same link at another place."""
        return Link(start, end, self.kind, self.target, self.anchor)


@dataclass(frozen=True, slots=True)
class Ruby:
    """A reading printed above text[start:end]."""

    start: int
    end: int
    reading: str


@dataclass(frozen=True, slots=True)
class Passage:
    """The smallest text worth citing: a paragraph, a list item, a table row, a rule.

    `section` and `parent` are places in the page's own lists (`parent` is the list item or
    the entry that this passage hangs under). `block` numbers the lists, tables and
    paragraphs of a page, so that rows of one table can be told from those of the next.
    `ordinal` is the number of an item in an ordered list, counted from 1; `head` marks the
    heading row of a table. Cells of a row are separated by tabs, lines by line feeds.
    """

    kind: PassageKind
    text: str
    section: int = 0
    block: int = 0
    depth: int = 0
    ordinal: int | None = None
    parent: int | None = None
    head: bool = False
    links: tuple[Link, ...] = ()
    ruby: tuple[Ruby, ...] = ()
    strong: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A heading's part of a page. Section 0 is what stands before the first heading."""

    title: str
    level: int = 0
    anchor: str = ""
    parent: int | None = None


@dataclass(frozen=True, slots=True)
class ReadWarning:
    """Something that could not be read as it stands: where, and what."""

    where: str
    what: str


@dataclass(frozen=True, slots=True)
class Page:
    """One page of one source, read.

    `name` is the page's name on its site (empty for a view that is not an article: then
    there are no passages and `left_out` says what it was). `chars` counts the text of the
    whole document and `left_out` what is in no passage, by reason, both as `size` counts.
    `redirect` names the page that this one only points to, with `#` and the section if
    it points to one. `edition` is the dated version
    of the rulebook that the whole page gives, where it says so. `old` marks a revision that
    its site has replaced, `via` a view under another name or for print, `whole` is false where
    the document breaks off.
    """

    source: str
    name: str
    url: str
    lang: str = "ja"
    game: str | None = None
    form: str = "html"
    title: str = ""
    sections: tuple[Section, ...] = (Section(""),)
    passages: tuple[Passage, ...] = ()
    chars: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[ReadWarning, ...] = ()
    categories: tuple[str, ...] = ()
    edition: str | None = None
    redirect: str | None = None
    old: bool = False
    via: bool = False
    whole: bool = True

    @property
    def kept(self) -> int:
        """Characters that stand in passages, white space not counted."""
        return sum(text_size(p.text) for p in self.passages)

    @property
    def lost(self) -> int:
        """Characters that are in no passage and under no reason. Zero, or a parser is wrong."""
        return self.chars - self.kept - sum(self.left_out.values())

    def with_(self, **changes: object) -> Page:
        """A copy with some fields changed."""
        return replace(self, **changes)  # type: ignore[arg-type]
