"""The command about what other distributions add: plugins."""

from __future__ import annotations

import click

import kb as public
from kb.cli import options
from kb.cli.command import Command
from kb.cli.print_result import print_result


@click.command(cls=Command)
@options.json_document
def plugins(as_json: bool) -> None:
    """List the plug-ins that are installed, what each adds, and which are of no use, and why.

    A plug-in is a Python package with an entry point of sansho; docs/plugins.md shows how to write
    one. With SANSHO_PLUGINS=none in the environment none is read. The exit code is 1 if one is of
    no use.
    """
    found = public.plugins()
    works = not any(plugin.problem for plugin in found)
    print_result(found, as_json, "builds_and_audits.print_plugins", found=works)
