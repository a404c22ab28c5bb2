"""sansho: a knowledge base over Japanese card-game rules.

>>> import kb
>>> base = kb.sample()
>>> base.show("引く").matches[0].id
'mtg/term/引く'
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphs.model import STRENGTH, Edge, Evidence, Label, Node
from kb.base import Direction, KnowledgeBase, sample
from kb.errors import ERRORS, QuestionError, SourceError, StoreError
from kb.results import (
    Audit, Cited, Demonstration, Exported, Hit, Hits, Paths, Refs, Report, Shown, Stats,
)  # fmt: skip

if TYPE_CHECKING:
    from kb.builder import build

__all__ = [
    "ERRORS", "STRENGTH", "Audit", "Cited", "Demonstration", "Direction", "Edge", "Evidence", "Exported", "Hit", "Hits", "KnowledgeBase", "Label",
    "Node", "Paths", "QuestionError", "Refs", "Report", "Shown", "SourceError", "Stats",
    "StoreError", "build", "open", "sample",
]  # fmt: skip


def open(path: str | Path = "sansho.db") -> KnowledgeBase:
    """Open a knowledge base for reading.

    Raises StoreError if there is none, if it is no knowledge base, or if a newer sansho
    made it.
    """
    return KnowledgeBase(path)


def __getattr__(name: str) -> Any:
    if name == "build":  # loads the parsers and Sudachi, which reading does without
        from kb.builder import build

        return build
    raise AttributeError(f"module 'kb' has no attribute {name!r}")
