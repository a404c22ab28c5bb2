"""Shared by all printed answers: names, places, tables, notices, bold and dim text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from kb import Node

_LONGEST = 160


def dim(text: str) -> str:
    """What is read second."""
    return click.style(text, dim=True)


def bold(text: str) -> str:
    """What is read first."""
    return click.style(text, bold=True)


def name_of(node: Node) -> str:
    """What a person calls a node."""
    if node.kind == "rule":
        heading = f" {node.label}" if node.label else ""
        return f"{node.number}{heading}"
    if node.kind == "ruling":
        return f"「{short(node.label or '', 60)}」"
    return node.label or node.id


def place_of(node: Node) -> str:
    """Where a node stands: kind, game, edition, language, source."""
    edition = node.edition and f"edition {node.edition}"
    parts = [node.kind, node.game, edition, node.date, node.lang, node.source]
    return " · ".join(part for part in parts if part)


def short(text: str, most: int = _LONGEST) -> str:
    """A text on one line, cut where it is longer than `most` characters."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"


def counted(number: int, what: str) -> str:
    """How many of what: `1 page`, `2 pages`."""
    return f"{number} {what}{'s' * (number != 1)}"


def print_notices(notices: set[str]) -> None:
    """What a reader must be told of the sources, once, below the answer."""
    for notice in sorted(notices):
        for line in notice.splitlines():
            click.echo(dim(f"Note: {line}"))


def console() -> Console:
    """The terminal, as rich knows it; loaded when something is laid out in columns."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=False)


def new_table(*columns: str) -> Table:
    """A table with these headings, whose cells are folded and not cut."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def plain(text: str) -> Any:
    """A page's text for a table."""
    from rich.text import Text

    return Text(text)  # page text is never read as console markup
