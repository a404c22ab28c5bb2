"""Keeps what a check or a verification has read of an open base for the next one, and what a
method returned."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from types import MethodType
from typing import Any, Concatenate, Generic, NamedTuple, ParamSpec, TypeVar

from graphs.store.reader import Store

Tools = TypeVar("Tools")
_P = ParamSpec("_P")
_R = TypeVar("_R")
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


class _CachedMethod(Generic[_P, _R]):
    def __init__(self, method: Callable[Concatenate[Any, _P], _R], most: int | None) -> None:
        self._method, self._most = method, most

    def __set_name__(self, _owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, _owner: type) -> Callable[_P, _R]:
        bound: Callable[_P, _R]
        bound = lru_cache(self._most)(MethodType(self._method, instance))  # type: ignore[assignment]
        instance.__dict__[self._name] = bound  # which is found there from now on
        return bound


def cached_method(
    most: int | None = None,
) -> Callable[[Callable[Concatenate[Any, _P], _R]], _CachedMethod[_P, _R]]:
    """Return a decorator of a method whose results each object keeps by their arguments.

    most: results that are kept; None for all.
    """
    return lambda method: _CachedMethod(method, most)
