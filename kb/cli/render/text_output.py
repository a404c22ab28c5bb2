"""Helpers that all commands print with: node names, tables, notices, bold and dim text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from kb import Node

_MAX_CHARS = 160  # of a text that is shown on one line
_MAX_QUESTION = 60  # characters of a ruling's question


def dim(text: str) -> str:
    """Return a text styled as secondary."""
    return click.style(text, dim=True)


def bold(text: str) -> str:
    """Return a text styled as a heading."""
    return click.style(text, bold=True)


def name_of(node: Node) -> str:
    """Return the name that people use for a node: a rule's number and heading, a ruling's question,
    another node's label, or its id if it has none."""
    if node.kind == "rule":
        heading = f" {node.label}" if node.label else ""
        return f"{node.number}{heading}"
    if node.kind == "ruling":
        return f"「{short(node.label or '', _MAX_QUESTION)}」"
    return node.label or node.id


def origin_of(node: Node) -> str:
    """Return a node's kind, game, edition, date, language and source, as far as it has them, in one
    text with ` · ` between them."""
    edition = node.edition and f"edition {node.edition}"
    parts = [node.kind, node.game, edition, node.date, node.lang, node.source]
    return " · ".join(part for part in parts if part)


def short(text: str, most: int = _MAX_CHARS) -> str:
    """Return a text on one line, cut off with `…` if it is longer than `most` characters.

    >>> short("引く（ドロー）", 5)
    '引く（ド…'
    """
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"


def counted(number: int, noun: str) -> str:
    """Return a number with a noun, in the plural where needed.

    noun: in the singular; its plural must be formed with `s`.

    >>> counted(1, "page"), counted(2, "page")
    ('1 page', '2 pages')
    """
    return f"{number} {noun}{'s' * (number != 1)}"


def print_notices(notices: set[str]) -> None:
    """Print notices to readers about the sources, sorted, on lines of their own below a result;
    nothing if there are none."""
    for notice in sorted(notices):
        for line in notice.splitlines():
            click.echo(dim(f"Note: {line}"))


# rich is imported only where something is laid out in columns, because that takes time.


def console() -> Console:
    """Return a rich console for standard output."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=False)


def new_table(*headings: str) -> Table:
    """Return a table with these headings, whose cells are wrapped, not cut off."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def cell(text: str) -> Text:
    """Return text of a page for a cell of a table; nothing in it is read as rich's markup."""
    from rich.text import Text

    return Text(text)
