"""Keeps the last long answers, so that the next part of a list needs no new question."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import kb
from kb.reason import take_for

_MOST = 4  # answers of a knowledge base
_Answer = TypeVar("_Answer")
_KEPT: WeakKeyDictionary[kb.KnowledgeBase, OrderedDict[Hashable, Any]] = WeakKeyDictionary()
_LOCK = Lock()


def recent(base: kb.KnowledgeBase, question: Hashable, answer: Callable[[], _Answer]) -> _Answer:
    """Return the answer to a question, as it was found before if that was among the last.

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
