"""The command that serves the explorer: serve."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import click

import kb as public
from kb.cli import options
from kb.cli.command import Command
from kb.cli.print_result import fail
from kb.cli.signals import last_words

_NEEDED = "the explorer needs more than is installed: pip install 'sansho[web]'"


@click.command(cls=Command)
@click.option(
    "--port",
    type=options.WholeNumber(0, 65_535),
    default=8080,
    show_default=True,
    help="The port to listen at; 0 for any that is free.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen at. With another one than this machine's own, others can read.",
)
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="NAME",
    help="A name by which browsers may call it, besides localhost; may be repeated.",
)
@options.knowledge_base
def serve(port: int, host: str, names: tuple[str, ...], kb_file: str) -> None:
    """Show the knowledge base in a browser: the explorer.

    Prints the address to open, and serves until it is interrupted. It only reads; if the file is
    built again meanwhile, the next page shows what is new. Without a knowledge base, here or
    named, it shows the bundled sample.

    \b
    Needs more than is installed by default:
      pip install 'sansho[web]'
    """
    try:
        from kb.web.server import serve as serve_explorer
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in {"kb", "scraper", "graphs"}:
            raise
        fail(_NEEDED)
    with ExitStack() as stack:
        if not options.is_named("kb_file") and not Path(kb_file).exists():
            sample = stack.enter_context(public.sample())
            click.echo(f"{kb_file}: not here; this is the bundled sample, a paraphrase", err=True)
            kb_file = str(sample.file)
        stack.enter_context(last_words(lambda: "the explorer is closed"))
        try:
            serve_explorer(kb_file, host, port, names)
        except OSError as error:
            fail(f"{host}, port {port}: can't listen there ({error.strerror}); try --port 0")
