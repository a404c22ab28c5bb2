"""The exceptions whose message is meant for the person who runs a command; all are in ERRORS."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from graphs.errors import DrawError, OutOfTimeError, StoreError
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
