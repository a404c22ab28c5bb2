"""Prints the result of a command, as JSON or as text, and exits with the code that it means."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

import click

if TYPE_CHECKING:
    from kb import Reason

NOTHING_FOUND, CANNOT_BE_DONE = 1, 2  # exit codes, as those of grep; 2 is click’s, too


def print_result(
    result: Any, as_json: bool, render: str, found: bool = True, **arguments: Any
) -> None:
    """Print a result, as JSON or as text, and exit with 1 if nothing was found.

    result: an object with a method `as_json`.
    as_json: print one JSON document on one line; `render` and `arguments` are then not used.
    render: the `module.function` in `kb.cli.render` that prints it as text.
    found: whether anything was found; if false, the result is printed all the same.
    arguments: keyword arguments for that function, after the result.
    """
    for reason in getattr(result, "taken_as", ()):
        say(reason)
    if as_json:
        print_json(result.as_json())
    else:
        from kb.cli.render.output import paged

        module, _, function = render.rpartition(".")
        with paged():
            getattr(import_module(f"kb.cli.render.{module}"), function)(result, **arguments)
    if not found:
        sys.exit(NOTHING_FOUND)


def print_json(document: Mapping[str, Any]) -> None:
    """Print a JSON document on one line of standard output, in UTF-8 whatever its charset is."""
    from kb.control_characters import json_text  # whose expression takes time to compile

    click.echo(json_text(document).encode())


def say(reason: Reason | str) -> None:
    """Print a sentence on standard error, after `sansho: `, with the command that goes on from a
    reason if it has one."""
    from kb.cli.render.output import echo
    from kb.cli.wording import TERMINAL

    sentence, command = (
        (reason, "") if isinstance(reason, str) else TERMINAL.sentence_and_command(reason)
    )
    echo(f"sansho: {sentence}", command=command, err=True)


def fail(reason: Reason | str, code: int = CANNOT_BE_DONE) -> NoReturn:
    """Say why something can't be done (`say`), and exit with a code."""
    say(reason)
    sys.exit(code)
