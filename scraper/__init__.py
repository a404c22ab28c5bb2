"""Reads pages of card-game wikis and rulebooks: fetches, stores and decodes bytes, parses `Page`s.

>>> from scraper import Snapshot, read_pages
>>> snapshot = Snapshot("demo.txt", "引く\\n提供:MTG Wiki\\nカードを引く。".encode())
>>> pages, warnings = read_pages(snapshot)
>>> pages[0].name, [passage.kind for passage in pages[0].passages], pages[0].lost
('引く', ['title', 'paragraph'], 0)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scraper.detect_format import Part, parts, read_pages, read_part, stream_pages
    from scraper.errors import SourceError
    from scraper.page import Link, Page, Passage, ReadWarning, Ruby, Section, text_size
    from scraper.sources.saved_pages import Hints, Snapshot, Unchanged, snapshots

__all__ = [
    "Hints", "Link", "Page", "Part", "Passage", "ReadWarning", "Ruby", "Section", "Snapshot",
    "SourceError", "Unchanged", "parts", "read_pages", "read_part", "snapshots", "stream_pages",
    "text_size",
]  # fmt: skip

# The public names by the module that defines them. A module is imported when one of its names is
# first used, because a lookup in a knowledge base needs no parser.
_MODULES = {
    "scraper.detect_format": ("Part", "parts", "read_pages", "read_part", "stream_pages"),
    "scraper.errors": ("SourceError",),
    "scraper.page": ("Link", "Page", "Passage", "ReadWarning", "Ruby", "Section", "text_size"),
    "scraper.sources.saved_pages": ("Hints", "Snapshot", "Unchanged", "snapshots"),
}


def __getattr__(name: str) -> Any:
    """Import the module that defines a public name, and return what the name stands for.

    Raises AttributeError for any other name.
    """
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module 'scraper' has no attribute {name!r}")
