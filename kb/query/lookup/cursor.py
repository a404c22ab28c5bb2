"""Cursors: short texts with which a question goes on where the part before ended."""

from __future__ import annotations

import re
from collections.abc import Iterable
from zlib import crc32

from kb.errors import QuestionError
from kb.reason import Argument, Reason, again

# Up to six numbers and a checksum. 18 digits fit into SQLite's 64 bits; no order has more numbers.
_CURSOR = re.compile(r"[0-9]{1,18}(?:\.[0-9]{1,18}){0,5}\.[0-9a-f]{8}")


def next_part(place: Iterable[int], question: Iterable[str]) -> Reason:
    """Return that a list goes on behind a place, with the question that gives the next part: the
    place is its `after`, as a text that only the same question understands.

    place: numbers that are not negative. question: all that the order of the result depends on,
        with the state of the file if other builds have another order.
    """
    numbers = ".".join(map(str, place))
    return Reason("goes_on", again(after=f"{numbers}.{_check(numbers, question)}"))


def longer_list(wanted: int, most: int, limit: int) -> Reason | None:
    """Return that a list that ended at `most` goes on, with the question that gives more of it;
    None if no more may be asked for.

    wanted: how many would do. limit: how many may be asked for at most.
    """
    allowed = min(wanted, limit)
    return Reason("goes_on", again(most=allowed)) if allowed > most else None


def cursor_place(text: str | None, question: Iterable[str]) -> tuple[int, ...]:
    """Return the place that `next_part` wrote, empty without a cursor, and for `start`.

    Raises QuestionError for a cursor of another question, and for any other text, an empty one,
    too.
    """
    if text is None or text == "start":
        return ()
    if _CURSOR.fullmatch(text):
        numbers, _, check = text.rpartition(".")
        if check == _check(numbers, question):
            return tuple(map(int, numbers.split(".")))
    raise not_of_this_list()


def not_of_this_list() -> QuestionError:
    """Return (not raise) the error for a cursor that is of another question or build."""
    return QuestionError("after_another_list", after=Argument("after", ...))


def _check(numbers: str, question: Iterable[str]) -> str:
    """Return a checksum of a place and of what was asked, as eight hexadecimal digits: against
    slips, not against forgery."""
    return f"{crc32(chr(0).join([numbers, *question]).encode()):08x}"
