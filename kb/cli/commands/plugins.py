"""The command about what other distributions add: plugins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

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
    one. With SANSHO_PLUGINS=none in the environment none is read.
    """
    found = Plugins(public.PLUGIN_INTERFACE, public.PLUGIN_GROUPS, public.plugins())
    print_result(found, as_json, "builds_and_audits.print_plugins")


@dataclass(frozen=True, slots=True)
class Plugins:
    """The plug-ins that are installed.

    interface: the version of what they are promised.
    groups: what can be added, and what it does.
    plugins: what is installed, in the order of the groups.
    """

    interface: int
    groups: Mapping[str, str]
    plugins: tuple[public.Plugin, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the fields as a dict for JSON."""
        return asdict(self)
