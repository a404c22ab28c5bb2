"""The exceptions whose message is meant for the person who runs a command; all are in ERRORS.

Errors that a damaged or forged file causes are told from errors of the program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from graphs.errors import DrawError, OutOfTimeError, StoreError
from graphs.store.file.row_checks import RowError, damaged
from graphs.store.reader import Store
from kb.reason import Reason
from scraper.errors import SourceError

__all__ = [
    "ERRORS", "BuildError", "DrawError", "NotFoundError", "OutOfTimeError", "QuestionError",
    "ReasonError",
    "SourceError", "StoreError",
]  # fmt: skip


class ReasonError(Exception):
    """An error whose message is a reason, which each door words in its own way.

    code: that of the reason, or the reason itself. values: what stands in its places.

    >>> ReasonError("no_rule_number", given="引く").reason
    Reason(None, 'no_rule_number', {'given': '引く'})
    """

    def __init__(self, code: str | Reason, /, **values: Any) -> None:
        self.reason = code if isinstance(code, Reason) else Reason(code, **values)
        super().__init__(self.reason)


class QuestionError(ReasonError):
    """A question can't be answered as asked; the message says why, and what to do."""


class NotFoundError(QuestionError):
    """A reference names nothing in the knowledge base.

    near: names of what may be meant, the likeliest first; often empty. They are in the message.

    >>> NotFoundError("unknown_ref", ref="引け", near=["引く"]).near
    ('引く',)
    """

    @property
    def near(self) -> tuple[str, ...]:
        """Names of what may be meant, the likeliest first."""
        near: Iterable[str] = self.reason.values.get("near", ())
        return tuple(near)


class BuildError(ReasonError):
    """A build can't go on, although its sources can be read; the message says why."""


ERRORS = (BuildError, DrawError, QuestionError, SourceError, StoreError)


# What a value that is not as it must be can cause where it is used.
UNEXPECTED = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    RuntimeError,
    TypeError,
    ValueError,
)


@contextmanager
def answering(store: Store) -> Iterator[None]:
    """Answer one question in the `with` block: what it may cost is limited, and an error that the
    file causes is a StoreError.

    What a look-up reads is checked only as far as it is used. If it fails all the same, the whole
    file is read and checked; if nothing is wrong with it, the error goes on as it is.
    """
    store.begin_question()
    try:
        yield
    except RowError as error:
        raise damaged(store.path, error) from error
    except UNEXPECTED as error:
        if damage := _damage(store):
            raise damage from error
        raise


def damage_of(file: str | Path) -> StoreError | None:
    """Return what is wrong with a file, as an error that is not raised; None if nothing is, or if
    there is no such file."""
    if not Path(file).is_file():
        return None
    try:
        with Store(Path(file)) as store:
            return _damage(store)
    except StoreError as error:
        return error


def _damage(store: Store) -> StoreError | None:
    """Return the first thing that is wrong with an open file, as an error that is not raised; None
    if nothing is. The whole file is read."""
    from graphs.store.validation import faults

    try:
        fault = next(faults(store.db), None)
    except StoreError as error:
        return error
    return damaged(store.path, f"{fault.where}: {fault.what}") if fault else None
