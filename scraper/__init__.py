"""How pages are kept, decoded and read: bytes in, `Page` out.

>>> from scraper import Snapshot, read_pages
>>> shot = Snapshot("demo.txt", "引く\\n提供:MTG Wiki\\nカードを引く。".encode())
>>> pages, warnings = read_pages(shot)
>>> pages[0].name, [p.kind for p in pages[0].passages], pages[0].lost
('引く', ['title', 'paragraph'], 0)
"""

from typing import TYPE_CHECKING, Any

from scraper.errors import SourceError
from scraper.page import Link, Page, Passage, Ruby, Section, Warn, size
from scraper.snapshot import Hints, Snapshot, snapshots

if TYPE_CHECKING:
    from scraper.detect import read_pages

__all__ = [
    "Hints", "Link", "Page", "Passage", "Ruby", "Section", "Snapshot", "SourceError", "Warn",
    "read_pages", "size", "snapshots",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "read_pages":  # loads the parsers, which reading a knowledge base does without
        from scraper.detect import read_pages

        return read_pages
    raise AttributeError(f"module 'scraper' has no attribute {name!r}")
