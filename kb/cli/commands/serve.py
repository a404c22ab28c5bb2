"""The commands that serve a knowledge base: serve, for browsers; site, the same pages as files;
mcp, for assistants; and lsp, for editors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Literal

import click

import kb as public
from kb.cli import options
from kb.cli.command import Command
from kb.cli.print_result import fail, print_result, say
from kb.cli.signals import last_words


@contextmanager
def _needing(extra: str, what: str) -> Iterator[None]:
    """Within, a package that is not installed is reported as what it is needed for, and exits with
    2; a module of sansho's own that is missing is raised as ModuleNotFoundError.

    extra: of `pip install 'sansho[extra]'`. what: that needs it, as the message begins.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in {"kb", "scraper", "graphs"}:
            raise
        fail(f"{what} needs more than is installed: pip install 'sansho[{extra}]'")


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

    Prints the address to open, and serves until it is interrupted. It only reads, and
    with sansho[near] makes the vectors that are missing; if the file is built again meanwhile, the
    next page shows what is new. Without a knowledge base, here or
    named, it shows the bundled sample.

    \b
    Needs more than is installed by default:
      pip install 'sansho[web]'
    """
    with _needing("web", "the explorer"):
        from kb.web.server import serve as serve_explorer
    with ExitStack() as stack:
        if not options.is_named("kb_file") and not Path(kb_file).exists():
            sample = stack.enter_context(public.sample())
            click.echo(f"{kb_file}: not here; this is the bundled sample, a paraphrase", err=True)
            kb_file = str(sample.file)
        stack.enter_context(last_words(lambda: "the explorer is closed"))
        try:
            serve_explorer(kb_file, host, port, names, say)
        except OSError as error:
            fail(f"{host}, port {port}: can't listen there ({error.strerror}); try --port 0")


@click.command(cls=Command)
@click.argument("out")
@click.option("--game", default="", help="Only this game, e.g. mtg.")
@click.option("--edition", default="", help="Only this edition of rulebooks, e.g. 20231117.")
@click.option(
    "--lang",
    type=click.Choice(["en", "ja", "both"]),
    default="both",
    show_default=True,
    help="The language of the pages around the texts.",
)
@options.common
def site(out: str, game: str, edition: str, lang: str, kb_file: str, as_json: bool) -> None:
    """Write the explorer's pages as files into the folder OUT, for a host without a server.

    The pages of rules, terms, cards and wiki pages, the contents of rulebooks, what is cited most
    and the audit; links lead from file to file, so that index.html opens from the folder, too, and
    names are searched for in the browser. What needs a server is left out, with a word. A site that
    is there is replaced when the new one is whole.

    It has the texts whole: who publishes the folder passes them on. docs/site.md says what to mind.

    \b
      sansho site public --game mtg --lang en
    \b
    Needs more than is installed by default:
      pip install 'sansho[web]'
    """
    with _needing("web", "the site"):
        from kb.web.site import write_site
    langs: dict[str, tuple[Literal["en", "ja"], ...]] = {"en": ("en",), "ja": ("ja",)}
    report = write_site(
        kb_file, out, game=game, edition=edition, langs=langs.get(lang, ("en", "ja"))
    )
    print_result(report, as_json, "builds_and_audits.print_site")


@click.command(cls=Command)
@click.option(
    "--http",
    is_flag=True,
    help="Listen at an address of this machine alone; print it, and the token to send.",
)
@click.option(
    "--port",
    type=options.WholeNumber(0, 65_535),
    default=8081,
    show_default=True,
    help="With --http, the port to listen at; 0 for any that is free.",
)
@options.knowledge_base
def mcp(http: bool, port: int, kb_file: str) -> None:
    """Answer the questions of assistants: a server of the Model Context Protocol.

    It speaks on standard input and output, and is started by the program that the assistant runs
    in; or with --http at an address of this machine. Its tools are show, refs, path, search, ask,
    rulings, compare, termbase, trace, diff, align, impact, verify, check and loaded, and any text
    can be read by its id as sansho://node/ID. It only reads; if the file is built again meanwhile,
    the next question is answered from what is new.

    \b
    Needs more than is installed by default:
      pip install 'sansho[mcp]'
    """
    if options.is_named("port") and not http:
        fail("--port is of use with --http alone")
    with _needing("mcp", "the server for assistants"):
        if http:
            from kb.mcp.over_http import serve_http
        else:
            from kb.mcp.server import serve as serve_assistants
    with last_words(lambda: "the server for assistants is closed"):
        if not http:
            return serve_assistants(kb_file)
        try:
            serve_http(kb_file, port)
        except OSError as error:
            fail(f"port {port}: can't listen there ({error.strerror}); try --port 0")


@click.command(cls=Command)
@options.knowledge_base
def lsp(kb_file: str) -> None:
    """Verify citations and quotations as one writes: a server for editors.

    It speaks the Language Server Protocol on standard input and output, and is started by the
    editor. It shows the rule or term under the cursor, what `sansho verify` and, of drafts that
    the settings name, `sansho check` find, and repairs it. If the base is built again meanwhile,
    the next answer is from what is new. docs/tasks/in-an-editor.md says how to set editors up.

    \b
    Needs more than is installed by default:
      pip install 'sansho[lsp]'
    """
    with _needing("lsp", "the server for editors"):
        from kb.lsp.server import serve as serve_editor
    serve_editor(kb_file)
