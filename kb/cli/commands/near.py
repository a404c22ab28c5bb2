"""The command about sentence vectors: near."""

from __future__ import annotations

import click

import kb as public
from kb.cli import options
from kb.cli.command import Command
from kb.cli.print_result import print_result
from kb.cli.signals import last_words

_KEPT = "interrupted; what was made is kept, and the same command goes on from there"


@click.command(cls=Command)
@click.argument("action", type=click.Choice(["build"]), metavar="build")
@options.common
def near(action: str, kb_file: str, as_json: bool) -> None:
    """Make sentence vectors of all passages, by which ask finds what other words say.

    They are kept in FILE.near, beside the knowledge base FILE. That file may be deleted at any
    time. What is there already is not made again: not after an interruption, and not for passages
    that are as they were before the knowledge base was built again.

    \b
    Needs an encoder:
      pip install 'sansho[near]'
    """
    assert action == "build"
    from kb.cli.render.progress import build_progress

    with last_words(lambda: _KEPT), build_progress() as progress:
        report = public.build_vectors(kb_file, progress=progress)
    print_result(report, as_json, "near.print_vectors")
