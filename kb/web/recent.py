"""Keeps the last long answers, so that the next part of a list needs no new question."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import kb
from kb.reason import take_for

# Answers of a knowledge base, by hand: enough for readers who turn pages at the same time; each may
# be a whole comparison of editions in memory.
_MOST = 4
_Answer = TypeVar("_Answer")
_KEPT: WeakKeyDictionary[kb.KnowledgeBase, OrderedDict[Hashable, Any]] = WeakKeyDictionary()
_LOCK = Lock()


def recent(base: kb.KnowledgeBase, question: Hashable, answer: Callable[[], _Answer]) -> _Answer:
    """Return the answer to a question, as it was found before if that was among the last four; what
    names in it were taken for is then said again.

    question: what tells it from all other questions. answer: finds the answer, or raises.
    """
    with _LOCK:
        kept = _KEPT.setdefault(base, OrderedDict())
        if question in kept:
            kept.move_to_end(question)
            known: _Answer = kept[question]
            for reason in getattr(known, "taken_as", ()):
                take_for(reason)
            return known
    found = answer()
    with _LOCK:
        kept[question] = found
        while len(kept) > _MOST:
            kept.popitem(last=False)
    return found
