"""What people are told when something can't be done as asked."""

from graphs.errors import DrawError, StoreError
from scraper.errors import SourceError

__all__ = ["ERRORS", "BuildError", "DrawError", "QuestionError", "SourceError", "StoreError"]


class QuestionError(Exception):
    """A question that can't be answered as asked: the message says why, and what to do."""


class BuildError(Exception):
    """A build that can't go on, though its sources can be read: the message says why."""


ERRORS = (BuildError, DrawError, QuestionError, SourceError, StoreError)
