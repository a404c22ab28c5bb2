"""How pages are kept, decoded and read: bytes in, `Page` out.

>>> from scraper import Snapshot, read_pages
>>> shot = Snapshot("demo.txt", "引く\\n提供:MTG Wiki\\nカードを引く。".encode())
>>> pages, warnings = read_pages(shot)
>>> pages[0].name, [p.kind for p in pages[0].passages], pages[0].lost
('引く', ['title', 'paragraph'], 0)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scraper.detect import Part, parts, read_pages, read_part, stream_pages
    from scraper.errors import SourceError
    from scraper.page import Link, Page, Passage, Ruby, Section, Warn, size
    from scraper.snapshot import Hints, Same, Snapshot, snapshots

__all__ = [
    "Hints", "Link", "Page", "Part", "Passage", "Ruby", "Same", "Section", "Snapshot",
    "SourceError", "Warn", "parts", "read_pages", "read_part", "size", "snapshots", "stream_pages",
]  # fmt: skip

# Loaded when asked for: looking something up in a knowledge base needs no parser.
_HOME = {
    "detect": ("Part", "parts", "read_pages", "read_part", "stream_pages"),
    "errors": ("SourceError",),
    "page": ("Link", "Page", "Passage", "Ruby", "Section", "Warn", "size"),
    "snapshot": ("Hints", "Same", "Snapshot", "snapshots"),
}


def __getattr__(name: str) -> Any:
    for module, names in _HOME.items():
        if name in names:
            return getattr(import_module(f"scraper.{module}"), name)
    raise AttributeError(f"module 'scraper' has no attribute {name!r}")
