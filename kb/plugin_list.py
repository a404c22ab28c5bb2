"""Lists the plug-ins, each loaded in the way in which it is used, to know what is wrong with it."""

from __future__ import annotations

from scraper.plugins import Plugin, installed_plugins, loaded, objects


def plugins() -> tuple[Plugin, ...]:
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
    objects("commands", click.Command)
    for group in ("encoders", "rerankers"):
        loaded(group, object, _callable)
    return installed_plugins()


def _callable(made: object) -> None:
    if not callable(made):
        raise TypeError("not a function that takes what stands behind its name's colon")
