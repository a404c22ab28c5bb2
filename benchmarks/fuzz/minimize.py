"""Makes a failing input smaller as long as it fails in the same way (delta debugging)."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from benchmarks.fuzz.case import Case, Piece

Item = TypeVar("Item")
_LINES = re.compile(rb"(?<=\n)|(?=<)")
_TOKENS = re.compile(rb"(?<=[\s>\]}|;])|(?=[<\[{&])")


def minimized(
    case: Case, fails: Callable[[Case], bool], divisible: bool = True, seconds: float = 20
) -> Case:
    """Return a smaller case that fails, too; the case itself if nothing of it can be spared.

    fails: whether a case fails in the same way.
    divisible: whether bytes can be left out of pieces, not only whole pieces.
    seconds: how long to try, by the clock.

    >>> from benchmarks.fuzz.case import Piece
    >>> case = (Piece("a", b"some words and a bomb in it"), Piece("b", b"nothing"))
    >>> minimized(case, lambda case: any(b"bomb" in piece.data for piece in case))
    (Piece(name='a', data=b'bomb', about={}),)
    """
    until = time.monotonic() + seconds

    def spare(items: Sequence[Item], make: Callable[[Sequence[Item]], Case]) -> Sequence[Item]:
        return _fewest(items, lambda fewer: fails(make(fewer)), until)

    case = tuple(spare(case, tuple))
    if not divisible:
        return case
    for split in (_LINES.split, _TOKENS.split, _bytes):
        for place, piece in enumerate(case):
            before, after = case[:place], case[place + 1 :]
            make = partial(_with_part, before, piece, after)
            case = make(spare(split(piece.data), make))
    return case


def _with_part(before: Case, piece: Piece, after: Case, parts: Sequence[bytes]) -> Case:
    return (*before, piece.holding(b"".join(parts)), *after)


def _bytes(data: bytes) -> list[bytes]:
    return [data[place : place + 1] for place in range(len(data))]


def _fewest(
    items: Sequence[Item], fails: Callable[[Sequence[Item]], bool], until: float
) -> Sequence[Item]:
    """Return items of which as good as none can be left out: first halves are, then quarters…"""
    parts = 2
    while len(items) > 1 and time.monotonic() < until:
        step = max(1, len(items) // parts)
        for start in range(0, len(items), step):
            fewer = [*items[:start], *items[start + step :]]
            if time.monotonic() >= until:
                return items
            if fewer and fails(fewer):
                items, parts = fewer, max(2, parts - 1)
                break
        else:
            if step == 1:
                break
            parts = min(len(items), parts * 2)
    return items
