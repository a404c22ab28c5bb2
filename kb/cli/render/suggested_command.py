"""Prints the commands that a result suggests, so that a person can copy them whole."""

from __future__ import annotations

from kb.cli.render.line_breaking import cell_width
from kb.cli.render.output import dim, field, text_width
from kb.cli.wording import command as command_of
from kb.reason import Ask

_INDENT = 12  # columns before a field's value


def field_with_command(name: str, text: str, ask: Ask) -> None:
    """Print a field and the command of a question that tells more: behind it, or on the next line if that is
    where it fits."""
    command = command_of(ask)
    if _INDENT + cell_width(text) + 2 + cell_width(command) <= text_width():
        field(name, text, dim(f"; {command}"))
    else:
        field(name, text)
        field("", dim(command))
