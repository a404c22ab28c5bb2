"""The exceptions whose message is meant for the person who runs a command; all are in ERRORS."""

from collections.abc import Iterable

from graphs.errors import DrawError, OutOfTimeError, StoreError
from scraper.errors import SourceError

__all__ = [
    "ERRORS", "BuildError", "DrawError", "NotFoundError", "OutOfTimeError", "QuestionError",
    "SourceError", "StoreError", "TakenAsWarning", "VectorsWarning",
]  # fmt: skip


class QuestionError(Exception):
    """A question can't be answered as asked; the message says why, and what to do."""


class NotFoundError(QuestionError):
    """A reference names nothing in the knowledge base.

    near: names of what may be meant, the likeliest first; often empty. They are in the message.

    >>> NotFoundError("nothing is called 引け", ["引く"]).near
    ('引く',)
    """

    def __init__(self, message: str, near: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.near = tuple(near)


class TakenAsWarning(UserWarning):
    """A reference that names nothing was taken for the one name that sounds or is spelled the same;
    the message says which, and how it was found."""


class VectorsWarning(UserWarning):
    """Sentence vectors can't be kept beside the knowledge base; the message says why."""


class BuildError(Exception):
    """A build can't go on, although its sources can be read; the message says why."""


ERRORS = (BuildError, DrawError, QuestionError, SourceError, StoreError)
