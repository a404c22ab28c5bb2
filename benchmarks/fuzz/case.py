"""What a case of the fuzzer is: some pieces of input, made of a seed and a number alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an input that can be left out or made shorter: a file, a word, an edit.

    name: what it is, such as the name of a file.
    data: its bytes.
    about: what else is known of it, such as the `url` of a page.
    """

    name: str
    data: bytes
    about: Mapping[str, str] = field(default_factory=dict)

    def holding(self, data: bytes) -> Piece:
        """Return the same piece with other bytes."""
        return replace(self, data=data)


Case = tuple[Piece, ...]


def size_of(case: Case) -> int:
    """Return the number of bytes of all pieces."""
    return sum(len(piece.data) for piece in case)


class Failure(AssertionError):
    """Something that must hold of an input does not.

    kind: what, without anything that differs from input to input.
    """

    def __init__(self, kind: str, message: str = "") -> None:
        super().__init__(f"{kind}: {message}" if message else kind)
        self.kind = kind


class Target(Protocol):
    """A kind of input, and what must hold of it.

    name: as the command line names it.
    cases: how many there are in a full run.
    divisible: whether a piece still means something when bytes of it are missing.
    """

    @property
    def name(self) -> str: ...

    @property
    def cases(self) -> int: ...

    @property
    def divisible(self) -> bool: ...

    def make(self, random: Random) -> Case:
        """Return an input that depends on `random` alone."""

    def check(self, case: Case) -> None:
        """Raise anything if an input breaks what must hold."""

    def seconds(self, case: Case) -> float:
        """Return how much processor time an input may take."""


def random_of(target: str, seed: int, number: int) -> Random:
    """Return the source of randomness of one case, which depends on nothing else.

    >>> random_of("pages", 1, 2).random() == random_of("pages", 1, 2).random()
    True
    """
    return Random(f"{target} {seed} {number}")
