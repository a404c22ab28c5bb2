"""Makes the passages of a page from its text and the blocks that begin and end around it.

Blocks are those of HTML: paragraphs, headings, nested lists, quotes, tables. `html_walk` tells
them from a tree, `scraper.sites.pukiwiki_source` from lines of source. White space and spans
within a passage are the business of `page_builder`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from scraper.markup.page_builder import PageBuilder, TextRun
from scraper.page import PassageKind

Close = Callable[[], None]  # called at the end of a block
_ITEM_KINDS: dict[str, PassageKind] = {"li": "item", "dt": "entry", "dd": "gloss"}


@dataclass(slots=True)
class _OpenBlock:
    """A block that is open, and what its passages get.

    kind, depth, ordinal, head, row_heads: the fields of its passages; only the first one has the
        ordinal.
    parent: the index of the passage that the block belongs to.
    first: the index of its first passage; None as long as it has none.
    level, anchor: the level and anchor of a heading.
    """

    kind: PassageKind
    depth: int = 0
    ordinal: int | None = None
    parent: int | None = None
    first: int | None = None
    level: int = 0
    anchor: str = ""
    head: bool = False
    row_heads: int = 0

    @property
    def above(self) -> int | None:
        """The index in the page of the passage that a block inside this one belongs to, or None."""
        return self.parent if self.first is None else self.first


@dataclass(slots=True)
class _OpenList:
    """A list that is open.

    count: the number of its items so far, if it is ordered.
    last_entry: the index of the passage of the last `dt`.
    """

    tag: str
    count: int = 0
    last_entry: int | None = None


# What text outside all blocks is in; it is never changed.
_PARAGRAPH = _OpenBlock("paragraph")


class BlockWriter:
    """Makes passages of text and blocks, and adds them to a page.

    For each kind of block there is a method that begins it and returns what to call at its end.
    Text is added to `run`. In a row of a table all blocks are alike: a tab separates cells, a line
    feed the others.

    builder: the page.
    run: the text of the current passage so far.
    blocks, lists: the open blocks and lists, the innermost last.
    tables: the number of open tables; cells: the number of cells in the current row.
    block: the number of the current block, as in `Passage.block`.
    in_head: whether a table's head is open; in_row: whether a row is.
    """

    def __init__(self, builder: PageBuilder) -> None:
        self.builder = builder
        self.run = TextRun()
        self.blocks: list[_OpenBlock] = []
        self.lists: list[_OpenList] = []
        self.tables = self.cells = self.block = 0
        self.in_head = self.in_row = False

    def flush(self) -> None:
        """Add a passage of the text so far to the page; discard it if it is only white space.

        The passage gets kind, depth and parent from the innermost block, and its ordinal if it is
        the block's first. A heading opens a section. Outside lists, tables and quotes each passage
        has a new block number. Notes the index of a block's first passage, and of a list's `dt`.
        """
        run, builder = self.run, self.builder
        if not run.pieces:
            return
        if not run:
            run.drop()
            return
        block = self.innermost_block
        kind = block.kind
        if not self.lists and not self.tables and kind != "quote":
            self.block += 1
        is_heading = kind == "heading"
        passage = run.passage(
            kind,
            len(builder.sections) - 1 + is_heading,
            self.block,
            block.depth,
            block.ordinal if block.first is None else None,
            block.above,
            block.head,
            block.row_heads,
        )
        if is_heading:
            index = builder.heading(passage, block.level, block.anchor)
        else:
            index = builder.add(passage)
        if block.first is None and block is not _PARAGRAPH:
            block.first = index
            if kind == "entry" and self.lists:
                self.lists[-1].last_entry = index

    @property
    def innermost_block(self) -> _OpenBlock:
        """The innermost open block; if none is open, that of a paragraph."""
        return self.blocks[-1] if self.blocks else _PARAGRAPH

    # -- blocks -------------------------------------------------------------------------
    def open_block(self) -> Close:
        """Begin a block that only separates passages: the text so far becomes a passage.

        No block is opened: what is inside gets kind and parent from the block around it. At the
        end of the block its text becomes a passage too.
        """
        if self.run.pieces:
            self.flush()
        return self.flush

    def open_as(self, kind: PassageKind, verbatim: bool = False) -> Close:
        """Begin a block with passages of a kind; inside a row only a line, and the kind and
        `verbatim` are ignored.

        The text so far becomes a passage. The block has the depth of the one around it, and
        belongs to that one's passage.

        verbatim: whether white space is kept, as inside a `pre`.
        """
        if self.in_row:
            return self.open_in_row()
        self.flush()
        outer = self.innermost_block
        self.blocks.append(_OpenBlock(kind, outer.depth, parent=outer.above))
        self.run.verbatim = verbatim
        return self.close_block

    def close_block(self) -> None:
        """End the innermost block: the rest of its text becomes a passage of it.

        White space is folded again after that.
        """
        self.flush()
        self.blocks.pop()
        self.run.verbatim = False

    def open_heading(self, level: int, anchor: str) -> Close:
        """Begin a heading; the text so far becomes a passage.

        The section is opened only by `flush`, so a heading without text opens none.

        level: 1 for the highest; anchor: the site's stable anchor, or empty.
        """
        self.flush()
        self.blocks.append(_OpenBlock("heading", level=level, anchor=anchor))
        return self.close_block

    def open_list(self, tag: str) -> Close:
        """Begin a list (`ul`, `ol`, `dl`); the text so far becomes a passage.

        Only a list that is in no other list begins a new block number.
        """
        self.flush()
        if not self.lists:
            self.block += 1
        self.lists.append(_OpenList(tag))
        return self.close_list

    def close_list(self) -> None:
        """End the innermost list; the rest of the text in it becomes a passage."""
        self.flush()
        self.lists.pop()

    def open_item(self, tag: str) -> Close:
        """Begin an item (`li`), an entry (`dt`) or its gloss (`dd`); the text so far is a passage.

        Only an item of an `ol` has an ordinal, counted from 1. A gloss belongs to the last entry
        of the innermost list; everything else, and a gloss without entry, to the block around it.
        The depth is the number of open lists, 1 if there is none.
        """
        self.flush()
        parent, ordinal = self.innermost_block.above, None
        if self.lists:
            innermost_list = self.lists[-1]
            if tag == "li" and innermost_list.tag == "ol":
                ordinal = innermost_list.count = innermost_list.count + 1
            elif tag == "dd" and innermost_list.last_entry is not None:
                parent = innermost_list.last_entry
        self.blocks.append(_OpenBlock(_ITEM_KINDS[tag], len(self.lists) or 1, ordinal, parent))
        return self.close_block

    # -- tables -------------------------------------------------------------------------
    def open_table(self) -> Close:
        """Begin a table with a new block number; the text so far becomes a passage.

        Nested tables are counted in `tables`.
        """
        self.flush()
        self.tables += 1
        self.block += 1
        return self.close_table

    def close_table(self) -> None:
        """End the innermost table, and a head that is open; the text so far becomes a passage."""
        self.flush()
        self.tables -= 1
        self.in_head = False

    def open_head(self) -> Close:
        """Begin the head (`thead`) of a table, whose rows are all heading rows."""
        self.flush()
        self.in_head = True
        return self.close_head

    def close_head(self) -> None:
        """End the head of a table."""
        self.flush()
        self.in_head = False

    def open_row(self, headers: int, others: int) -> Close:
        """Begin a row of a table; it is a heading row in the head, or if all its cells are headers.

        The row becomes one passage, which belongs to the first passage of the block around it. Up
        to its end blocks inside begin no passages.

        headers: how many cells at its beginning are headers; others: how many cells follow these.
        """
        self.flush()
        head = self.in_head or not others
        self.blocks.append(
            _OpenBlock(
                "row",
                parent=self.innermost_block.first,
                head=head,
                row_heads=0 if head else headers,
            )
        )
        self.cells, self.in_row = 0, True
        return self.close_row

    def close_row(self) -> None:
        """End a row: its text becomes a passage, and blocks begin passages again."""
        self.in_row = False
        self.close_block()

    def open_in_row(self) -> Close:
        """Begin a block of any kind inside a row: a line break, and another one at its end.

        Lists, headings and tables in a row are not distinguished from other blocks.
        """
        self.run.line()
        return self.run.line

    def open_cell(self) -> None:
        """Begin a cell of a row: adds a tab, except before the first cell of the row."""
        if self.cells:
            self.run.cell()
        self.cells += 1
