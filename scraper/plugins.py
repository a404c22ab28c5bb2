"""Plug-ins: what other distributions add to sansho, found by their entry points.

A distribution names an object in one of `PLUGIN_GROUPS`; it is of the type of what is built in.
Little is read to find out that there is none, as nearly everywhere: a look-up pays a millisecond.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from scraper.errors import SourceError

# The version of what plug-ins are promised (docs/plugins.md): raised when that is broken.
PLUGIN_INTERFACE = 1
# What loading or running a plug-in may raise; a script without a guard ends its process.
FAILURES = (Exception, SystemExit)
# Of the environment: `none` reads no plug-in, to see whether one is at fault.
VARIABLE = "SANSHO_PLUGINS"
RAISE = (
    "SANSHO_RAISE"  # of the environment, if it is set: what a parser or plug-in raises is raised
)
# What can be added, and what it does, for people.
PLUGIN_GROUPS: Mapping[str, str] = {
    "sites": "reads the pages of a family of sites",
    "games": "a game and its names",
    "rulebook_languages": "the words that rulebooks in a language are read by",
    "kinds": "a kind of knowledge, extracted from each page",
    "commands": "a command",
    "formats": "a format of exports",
    "encoders": "makes the sentence vectors, named by SANSHO_ENCODER",
    "rerankers": "orders answers, named by SANSHO_RERANKER",
}
_PREFIX = "sansho."
_LONGEST_REASON = 200  # characters of what a plug-in raises, in a warning of one line


class PluginError(SourceError):
    """A plug-in that was asked for by its name failed; the message says which, and how."""


@dataclass(slots=True)
class Plugin:
    """An object that a distribution adds.

    group: one of `PLUGIN_GROUPS`; name: what the object is called there, such as a command's name.
    value: where it is, as `module:attribute`.
    distribution, version: what it is installed with.
    problem: why it is of no use, as far as that is known: one line, empty without one.
    """

    group: str
    name: str
    value: str
    distribution: str
    version: str
    problem: str = field(default="", compare=False)

    def __str__(self) -> str:
        return f"plug-in {self.name} ({self.group}) of {self.distribution} {self.version}"

    def load(self) -> Any:
        """Return the object. Raises whatever importing it does."""
        module, _, attribute = self.value.partition(":")
        found: Any = import_module(module.strip())
        for part in filter(None, attribute.strip().split(".")):
            found = getattr(found, part)
        return found

    def failed(self, error: BaseException | str, doing: str = "") -> str:
        """Note that the plug-in failed, and log a warning, once for each problem of a process.

        error: what it raised, or what is wrong with it. doing: what it did then, such as a page's
        name, or empty. Returns the message.
        """
        if isinstance(error, BaseException) and os.environ.get(RAISE):
            raise error
        what = f"{type(error).__name__}: {error}" if isinstance(error, BaseException) else error
        self.problem = " ".join(what.split())[:_LONGEST_REASON]
        message = f"{self}{doing and f', at {doing}'}: {self.problem}"
        if (self.group, self.name, self.problem) not in _warned:
            _warned.add((self.group, self.name, self.problem))
            logging.getLogger(__name__).warning("sansho: %s", message)
        return message


_warned: set[tuple[str, str, str]] = set()


@cache
def installed_plugins() -> tuple[Plugin, ...]:
    """Return the plug-ins that are installed, none of them loaded, in the order of `PLUGIN_GROUPS`
    and of their names. Of two with one name the first on Python's path counts; the other has a
    problem, as has one of a group that there is not."""
    if os.environ.get(VARIABLE, "").strip().lower() == "none":
        return ()
    found: list[Plugin] = []
    for folder in _folders_with_plugins():
        from importlib.metadata import PathDistribution  # slow to import, and seldom needed

        distribution = PathDistribution(folder)
        for entry in distribution.entry_points:
            group = entry.group.removeprefix(_PREFIX)
            if entry.group == group:
                continue
            plugin = Plugin(group, entry.name, entry.value, distribution.name, distribution.version)
            same = [one for one in found if (one.group, one.name) == (group, entry.name)]
            if group not in PLUGIN_GROUPS:
                plugin.problem = f"no group {group}; there are {', '.join(PLUGIN_GROUPS)}"
            elif same:
                plugin.problem = f"{same[0].distribution} has one of this name, too, which counts"
            found.append(plugin)
    order = [*PLUGIN_GROUPS, *(one.group for one in found)]
    return tuple(sorted(found, key=lambda one: (order.index(one.group), one.name)))


def _folders_with_plugins() -> Iterator[Path]:
    """Yield the `.dist-info` folders of distributions whose entry points name sansho.

    This reads the files itself, as `importlib.metadata` alone takes longer to import than most
    answers: some 30 ms.
    """
    for path in dict.fromkeys(Path(each or ".").absolute() for each in sys.path):
        for file in path.glob("*-info/entry_points.txt"):
            with suppress(OSError):
                if f"[{_PREFIX}".encode() in file.read_bytes():
                    yield file.parent


def loaded(
    group: str,
    kind: type[Any],
    check: Callable[[str, Any], object] | None = None,
    taken: Collection[str] = (),
) -> list[tuple[Plugin, Any]]:
    """Return the plug-ins of a group with their objects. One that can't be loaded, is not of the
    wanted type, has a name that is taken or does not pass the check is warned of and left out.

    kind: the type of the objects; a Protocol must be checkable at run time.
    check: takes a plug-in's name and object, and raises an exception if it is of no use.
    taken: the names of what is built in.
    """
    found = []
    for plugin in installed_plugins():
        if plugin.group == group and not plugin.problem:
            try:
                if plugin.name in taken:
                    raise ValueError(f"{plugin.name} is built in; call it otherwise")
                made = plugin.load()
                if not isinstance(made, kind):
                    raise TypeError(f"not a {kind.__name__}{_lacking(made, kind)}")
                if check:
                    check(plugin.name, made)
                found.append((plugin, made))
            except FAILURES as error:  # whatever a stranger's module does
                plugin.failed(error)
    return found


def _lacking(made: object, kind: type[Any]) -> str:
    """Return what an object lacks of a Protocol, or of which type it is, for a message."""
    wanted = [name for name in vars(kind) if not name.startswith("_")]
    lacking = [name for name in wanted if not hasattr(made, name)]
    if getattr(kind, "_is_protocol", False) and lacking:
        return f": it has no {' and no '.join(lacking)}"
    return f" but {type(made).__name__}"


def named(group: str, name: str) -> Plugin | None:
    """Return the plug-in of a group that has a name; None without one. It is not loaded."""
    return next(
        (one for one in installed_plugins() if (one.group, one.name) == (group, name)), None
    )


def making(group: str, name: str, kind: type[Any]) -> tuple[Plugin, Callable[[str], Any]] | None:
    """Return the plug-in of a name, and what it makes an encoder or a reranker with; None without.

    The function takes what stands behind the name's colon. It raises PluginError if the plug-in is
    of no use, or makes something else than a `kind`, which is a Protocol.
    """
    plugin = named(group, name)
    if plugin is None:
        return None

    def make(model: str) -> Any:
        try:
            made = plugin.load()(model)
            if not isinstance(made, kind):
                raise TypeError(f"made no {kind.__name__}{_lacking(made, kind)}")
            return made
        except FAILURES as error:
            raise PluginError(plugin.failed(error)) from error

    return plugin, make


def fingerprint() -> str:
    """Return what tells two sets of plug-ins apart that read and extract: their names with their
    distributions' versions and a digest of all Python files beside their module; empty without."""
    import hashlib
    from importlib.util import find_spec

    parts = []
    for plugin in installed_plugins():
        if plugin.group in ("sites", "games", "rulebook_languages", "kinds"):
            digest = hashlib.sha256()
            try:
                spec = find_spec(plugin.value.partition(":")[0].strip())
                origin = Path(spec.origin) if spec and spec.origin else None
                package = plugin.value.partition(":")[0].partition(".")[0].strip()
                for file in _files_of(origin, package) if origin else ():
                    digest.update(file.read_bytes() + b"\0")
            except (*FAILURES,):  # it is said where it is loaded
                pass
            name = f"{plugin.name} of {plugin.distribution} {plugin.version}"
            parts.append(f"{name} {digest.hexdigest()[:8]}")
    return ", ".join(parts)


def _files_of(origin: Path, package: str) -> list[Path]:
    """Return the Python files that a plug-in's module may import beside it: all of its package, or
    of modules that lie beside it those whose names begin as its own."""
    top = next((up for up in origin.parents if up.name == package), None)
    if top:
        return sorted(top.rglob("*.py"))
    return sorted(origin.parent.glob(f"{package.rpartition('_')[0] or package}*.py"))
