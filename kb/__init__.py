"""sansho: a knowledge base over Japanese card-game rules.

>>> import kb
>>> base = kb.sample()
>>> base.show("引く").matches[0].id
'mtg/term/引く'
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb.base import Direction, KnowledgeBase, sample
from kb.errors import ERRORS, BuildError, DrawError, QuestionError, SourceError, StoreError

if TYPE_CHECKING:
    from graphs.changed import Changed
    from graphs.draw import Picture, draw
    from graphs.model import STRENGTH, Edge, Evidence, Label, Node
    from kb.builder import Report, build
    from kb.export import Exported
    from kb.query.about import Outcome, Outcomes, Procedure, Procedures, Step, Terms
    from kb.query.align import Alignment, Pair, Problem
    from kb.query.ask import Answer, Answers
    from kb.query.compare import Comparison, Row
    from kb.query.demo import Cited, Demonstration
    from kb.query.diff import Change, Diff, Stated, Trace, Traced
    from kb.query.kwic import Line, Lines, Order
    from kb.query.lookup import Capture, Shown
    from kb.query.search import Hit, Hits
    from kb.query.table import Table
    from kb.query.walk import Paths, Refs
    from kb.query.whole import Audit, Stats
    from kb.query.within import Given, Where
    from scraper.crawl import Crawled, Failure, crawl
    from scraper.crawl.work import Headway

__all__ = [
    "ERRORS", "STRENGTH", "Alignment", "Answer", "Answers", "Audit", "BuildError", "Capture",
    "Change", "Changed", "Cited", "Comparison", "Crawled", "Demonstration", "Diff", "Direction",
    "DrawError", "Edge", "Evidence", "Exported", "Failure", "Given", "Headway", "Hit", "Hits",
    "KnowledgeBase", "Label", "Line", "Lines", "Node", "Order", "Outcome", "Outcomes", "Pair",
    "Paths", "Picture", "Problem", "Procedure", "Procedures", "QuestionError", "Refs", "Report",
    "Row", "Shown", "SourceError", "Stated", "Stats", "Step", "StoreError", "Table", "Terms",
    "Trace", "Traced", "Where", "build", "crawl", "draw", "open", "sample",
]  # fmt: skip

# Loaded when asked for: a look-up waits for no parser and no dictionary.
_HOME = {
    "graphs.changed": ("Changed",),
    "graphs.draw": ("Picture", "draw"),
    "graphs.model": ("STRENGTH", "Edge", "Evidence", "Label", "Node"),
    "kb.builder": ("Report", "build"),
    "kb.export": ("Exported",),
    "kb.query.ask": ("Answer", "Answers"),
    "kb.query.about": ("Outcome", "Outcomes", "Procedure", "Procedures", "Step", "Terms"),
    "kb.query.align": ("Alignment", "Pair", "Problem"),
    "kb.query.compare": ("Comparison", "Row"),
    "kb.query.demo": ("Cited", "Demonstration"),
    "kb.query.diff": ("Change", "Diff", "Stated", "Trace", "Traced"),
    "kb.query.kwic": ("Line", "Lines", "Order"),
    "kb.query.lookup": ("Capture", "Shown"),
    "kb.query.search": ("Hit", "Hits"),
    "kb.query.table": ("Table",),
    "kb.query.walk": ("Paths", "Refs"),
    "kb.query.whole": ("Audit", "Stats"),
    "kb.query.within": ("Given", "Where"),
    "scraper.crawl": ("Crawled", "Failure", "crawl"),
    "scraper.crawl.work": ("Headway",),
}


def open(path: str | Path = "sansho.db") -> KnowledgeBase:
    """Open a knowledge base for reading.

    Raises StoreError if there is none, if it is no knowledge base, or if a newer sansho
    made it.
    """
    return KnowledgeBase(path)


def __getattr__(name: str) -> Any:
    for module, names in _HOME.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module 'kb' has no attribute {name!r}")
