"""Keeps what references were taken for while a page is made, so that the page says it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from threading import local
from typing import Any

import kb


class _Taken(local):
    """The messages of the page that this thread makes."""

    def __init__(self) -> None:
        self.messages: list[str] = []


_TAKEN = _Taken()
_OTHER = [warnings.showwarning]  # shows other warnings


def collect_taken() -> None:
    """Keep each `kb.TakenAsWarning` with the thread that it is of, and leave other warnings to
    whoever shows them. `warnings.catch_warnings` can't: it is for one thread."""
    warnings.simplefilter("always", kb.TakenAsWarning)
    if warnings.showwarning is not _keep_or_show:
        _OTHER[0] = warnings.showwarning
        warnings.showwarning = _keep_or_show


def forget_taken() -> None:
    """Begin a page: nothing was taken for anything yet."""
    _TAKEN.messages = []


def taken_messages() -> tuple[str, ...]:
    """Return what references were taken for since the page was begun, each once."""
    return tuple(dict.fromkeys(_TAKEN.messages))


def remember_taken(messages: Iterable[str]) -> None:
    """Add what was said when the same question was asked before."""
    _TAKEN.messages += messages


def _keep_or_show(
    message: Warning | str, category: type[Warning], *args: Any, **kwargs: Any
) -> None:
    if issubclass(category, kb.TakenAsWarning):
        _TAKEN.messages.append(str(message))
    else:
        _OTHER[0](message, category, *args, **kwargs)
