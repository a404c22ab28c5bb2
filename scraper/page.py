"""The `Page` that every site's parser returns: sections, passages, links, readings, warnings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

LinkKind = Literal["page", "missing", "glossary", "rule", "anchor", "external"]
NamedKind = Literal["term", "card"]  # what the names in a list of names are
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
    "example",
    "contents",
]


_COUNTED = 1_000_000  # characters that are counted at once; their words take up to 44 MB


def text_size(text: str) -> int:
    """Return the length of a text in characters, without white space.

    White space is the page's layout (indents, line ends, U+3000 padding), which a parser may
    fold. Every other character is counted and must be accounted for.

    >>> text_size(" カード を\\n引く　")
    6
    """
    if " " not in text and text.isprintable():  # as nearly all marks and names of a page
        return len(text)
    if len(text) <= _COUNTED:
        return sum(map(len, text.split()))
    parts = (text[start : start + _COUNTED] for start in range(0, len(text), _COUNTED))
    return sum(map(text_size, parts))  # all words of a huge text would take much memory


# Links and passages, of which a page has hundreds, are never changed either, but only by
# convention: Python takes four to six times as long to make a frozen object.
@dataclass(slots=True, unsafe_hash=True)
class Link:
    """A link that the site itself set in a passage: text[start:end] leads to `target`.

    start, end: the span of the linked text in the passage, `end` excluded.
    kind: what the link leads to.
    target: the name of a page (kinds page, missing and anchor), a glossary key or a rule's
        number as the site writes it, or a URL (external). It is empty where a capture keeps the
        span of a link but not its destination.
    anchor: the place in the target page, without `#`; empty for the whole page.
    """

    start: int
    end: int
    kind: LinkKind
    target: str = ""
    anchor: str = ""

    def at(self, start: int, end: int) -> Link:
        """Return a copy of the link with another span; the passage's text is not checked.

        start, end: offsets in the passage's text, `end` excluded.
        """
        return Link(start, end, self.kind, self.target, self.anchor)


class RuleNumber(NamedTuple):
    """The number of the rule that a passage states.

    number: the number as ids write it, such as `121.4` for `１２１．４．`.
    start, end: the span of the number in the passage's text.
    text_start: where the text after the number starts.
    """

    number: str
    start: int
    end: int
    text_start: int


@dataclass(frozen=True, slots=True)
class Ruby:
    """A reading printed above text[start:end] of a passage; the text itself lacks it."""

    start: int
    end: int
    reading: str


@dataclass(slots=True, unsafe_hash=True)  # not frozen: see `Link`
class Passage:
    """The smallest text worth citing: a paragraph, a list item, a table row, a rule.

    kind: what it is on the page, such as `heading` or `row`; `contents` is an entry of a table of
        contents that names what is not on the page.
    text: the page's own text. Cells of a row are separated by tabs, lines by line feeds.
    section: the index of its section in `Page.sections`.
    block: the number of its list, table or paragraph in the page; rows of one table have the
        same number, rows of the next table another.
    depth: how deep its list is nested, 1 for an outermost list, 0 outside lists.
    ordinal: the number of an item in an ordered list, counted from 1.
    parent: the index in `Page.passages` of the list item, entry or rule that it belongs to.
    rule: the number of the rule that it states, if the parser of a rulebook found one.
    head: true for the heading row of a table.
    row_heads: how many cells at the start of a row are its headers; 0 in a heading row.
    links, ruby, strong: the links, readings and (start, end) spans of emphasis in the text.
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
    rule: RuleNumber | None = None
    row_heads: int = 0


@dataclass(frozen=True, slots=True)
class Section:
    """The part of a page under one heading. Section 0 is the part before the first heading.

    title: the text of the heading; of section 0, the title of the page or empty.
    level: the heading's level, 1 for h1; 0 for section 0.
    anchor: the site's stable anchor of the heading, or empty.
    parent: the index in `Page.sections` of the section that this one is nested in.
    """

    title: str
    level: int = 0
    anchor: str = ""
    parent: int | None = None


@dataclass(frozen=True, slots=True)
class ReadWarning:
    """Something that could not be read.

    where: the file, with the byte or line if that is known.
    what: what is wrong.
    hints: the names of the hints whose value says what is missing, such as `game`; often none.
    """

    where: str
    what: str
    hints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """One parsed page of one source.

    source: the site that it comes from, such as `mtgwiki`.
    name: the page's name on its site. It is empty for a view that is not an article: then
        there are no passages, and `left_out` names the kind of view.
    url: the address that it was fetched from.
    lang: the language of the page, as a code (`ja`, `en`).
    game: the game that it is about, as a code (`mtg`, `ygo`, `dm`), or None if unknown.
    engine: the software of the site (`mediawiki`) or the kind of source (`rulebook`), or empty.
    form: the form of the document, such as `html`, `wikitext`, `rulebook text`, `PDF`; empty for
        one that is refused whole.
    title: the title that readers see.
    sections, passages: the text, in reading order. `sections[0]` always exists.
    chars: the number of characters in the whole document, counted by `text_size`.
    left_out: the number of characters that are in no passage, by reason, counted alike.
    warnings: what could not be read.
    categories: the categories that the wiki puts the page in.
    edition: the dated version of the rulebook that the whole page gives, if it states one.
    document: which document beside a game's rulebook it is, such as `tournament-rules`; None if it
        is none (see `scraper.rulebook.documents_beside_rulebook`).
    redirect: the name of the page that this one only redirects to, followed by `#` and the
        section if it redirects to a section.
    old: true for a revision that its site has replaced.
    via: true for a view under another name or for print.
    whole: false if the document breaks off.
    names: what a list of names names; None if it does not say, and for any other page.
    unnamed: true if it says nowhere what it is called, so that it is named after its file.
    """

    source: str
    name: str
    url: str
    lang: str = "ja"
    game: str | None = None
    engine: str = ""
    form: str = "html"
    title: str = ""
    sections: tuple[Section, ...] = (Section(""),)
    passages: tuple[Passage, ...] = ()
    chars: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[ReadWarning, ...] = ()
    categories: tuple[str, ...] = ()
    edition: str | None = None
    document: str | None = None
    redirect: str | None = None
    old: bool = False
    via: bool = False
    whole: bool = True
    names: NamedKind | None = None
    unnamed: bool = False

    @property
    def kept(self) -> int:
        """The number of characters in passages, without white space, as `text_size` counts."""
        return sum(text_size(p.text) for p in self.passages)

    @property
    def lost(self) -> int:
        """The number of characters in no passage and under no reason; 0 if the parser is right.

        It is negative if characters are counted twice.
        """
        return self.chars - self.kept - sum(self.left_out.values())

    def with_(self, **changes: object) -> Page:
        """Return a copy of the page with some fields changed.

        changes: the new values by the names of the fields; an unknown name raises TypeError.
        """
        return replace(self, **changes)  # type: ignore[arg-type]
