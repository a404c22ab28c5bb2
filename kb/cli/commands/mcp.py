"""The command that serves assistants: mcp."""

from __future__ import annotations

import click

from kb.cli import options
from kb.cli.command import Command
from kb.cli.print_result import fail
from kb.cli.signals import last_words

_NEEDED = "the server for assistants needs more than is installed: pip install 'sansho[mcp]'"


@click.command(cls=Command)
@options.knowledge_base
def mcp(kb_file: str) -> None:
    """Answer the questions of assistants: a server of the Model Context Protocol.

    It speaks on standard input and output, and is started by the program that the assistant runs
    in. Its tools are show, refs, path, search, ask, compare, diff and verify, and any text can be
    read by its id as sansho://node/ID. It only reads; if the file is built again meanwhile, the
    next question is answered from what is new.

    \b
    Needs more than is installed by default:
      pip install 'sansho[mcp]'
    """
    try:
        from kb.mcp.server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in {"kb", "scraper", "graphs"}:
            raise
        fail(_NEEDED)
    with last_words(lambda: "the server for assistants is closed"):
        serve(kb_file)
