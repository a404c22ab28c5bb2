"""Keeps what a check or a verification has read of an open base for the next one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, TypeVar

from graphs.store.reader import Store

Tools = TypeVar("Tools")
# Of each kind. A guard of memory: what a draft about Magic is held against takes 200 MB, of a game
# without many cards 10; what a text with citations is held against, 35.
_MOST_KEPT = 2


class _Key(NamedTuple):
    make: Callable[..., object]
    arguments: tuple[Hashable, ...]


@contextmanager
def kept(
    store: Store, make: Callable[..., Tools], *arguments: Hashable, **given: object
) -> Iterator[Tools]:
    """Give what a function makes of a base and some arguments, or made of the same before, for a
    `with` block. Nobody else has it meanwhile, and what breaks off half-way is not kept.

    given: further arguments of the function, which follow from the others.
    """
    key = _Key(make, arguments)
    tools: Tools = store.kept.pop(key, None) or make(store, *arguments, **given)
    yield tools
    of_kind = [each for each in [*store.kept] if isinstance(each, _Key) and each.make is make]
    for old in of_kind[: 1 - _MOST_KEPT]:
        store.kept.pop(old, None)
    if not store.is_closed:
        store.kept[key] = tools
