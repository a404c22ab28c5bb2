"""The commands about a whole knowledge base: stats, audit and export."""

from __future__ import annotations

import click

import kb as public
from kb.cli import options
from kb.cli.print_result import print_result


@click.command()
@options.common
def stats(kb_file: str, as_json: bool) -> None:
    """Count nodes and edges by kind, source, game and edition."""
    with public.open(kb_file) as base:
        print_result(base.stats(), as_json, "stats.print_stats", notice=base.notice)


@click.command()
@options.common
def audit(kb_file: str, as_json: bool) -> None:
    """Report which text was kept, left out, lost or unreadable.

    Adds up every character of the sources, and lists dangling edges (references to what is not
    in the knowledge base) and the warnings of the build.
    """
    with public.open(kb_file) as base:
        print_result(base.audit(), as_json, "audit.print_audit")


@click.command()
@click.option(
    "--format",
    "form",
    type=click.Choice(["jsonl"]),
    default="jsonl",
    show_default=True,
    help="The interchange format.",
)
@click.option("--out", required=True, metavar="FILE", help="The file to write; - prints it.")
@options.common
def export(form: str, out: str, kb_file: str, as_json: bool) -> None:
    """Write the whole graph to a file in an interchange format."""
    with public.open(kb_file) as base:
        report = base.export(out, form)
        if out != "-":
            print_result(report, as_json, "export.print_export")
