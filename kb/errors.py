"""The exceptions whose message is meant for the person who runs a command; all are in ERRORS."""

from graphs.errors import DrawError, StoreError
from scraper.errors import SourceError

__all__ = ["ERRORS", "BuildError", "DrawError", "QuestionError", "SourceError", "StoreError"]


class QuestionError(Exception):
    """A question can't be answered as asked; the message says why, and what to do."""


class BuildError(Exception):
    """A build can't go on, although its sources can be read; the message says why."""


ERRORS = (BuildError, DrawError, QuestionError, SourceError, StoreError)
