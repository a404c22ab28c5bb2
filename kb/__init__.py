"""sansho: a knowledge base over Japanese card-game rules.

>>> import kb
>>> base = kb.sample()
>>> base.show("引く").matches[0].id
'mtg/term/引く'
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from pathlib import Path

TYPE_CHECKING = False  # as a type checker reads it; its module alone takes milliseconds
if TYPE_CHECKING:
    from typing import Any

    from kb import Damage, KnowledgeBase


def open(path: str | Path = "sansho.db") -> KnowledgeBase:
    """Open a knowledge base for reading; it must exist already, as `build` writes it.

    path: its file.

    Raises StoreError if there is none, if it is no knowledge base, if another version of sansho
    made it, or if it is damaged: `find_damage` says what is.
    """
    from kb.api import KnowledgeBase

    return KnowledgeBase(path)


def find_damage(path: str | Path = "sansho.db") -> tuple[Damage, ...]:
    """Return what is wrong with the file of a knowledge base; empty if it is as it was built.

    The whole file is read: its checksum, SQLite's own checks, and what its rows refer to. Unlike
    `open`, it takes a damaged file, in order to say what is damaged.

    path: its file.

    Raises StoreError if there is none, if it is no knowledge base, or if another version of
    sansho made it.

    >>> from kb import sample
    >>> find_damage(sample().file)
    ()
    """
    from graphs.store.validation import find_damage
    from kb.query.lookup.arguments import path_of

    return find_damage(path_of("path", path))


@cache
def _modules() -> dict[str, str]:
    """Return {public name: the module that defines it}, as `__init__.pyi` has them for type
    checkers: modules are imported when a name is first used, so that a look-up loads neither a
    parser nor the dictionary."""
    stub = Path(__file__).with_suffix(".pyi").read_text("utf-8")
    imports = re.findall(r"^from (\S+) import (\([^)]*\)|.*)$", stub, re.MULTILINE)
    return {name: module for module, names in imports for name in re.findall(r" as (\w+)", names)}


def __getattr__(name: str) -> Any:
    """Import a public name from its module when it is first used, and return what it names.

    Raises AttributeError for any other name.
    """
    if name == "__all__":
        return __dir__()
    module = _modules().get(name)
    if module is None:
        raise AttributeError(f"module 'kb' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(module), name)
    return value


def __dir__() -> list[str]:
    return sorted({*_modules(), "find_damage", "open"})
