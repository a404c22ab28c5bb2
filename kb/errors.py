"""What people are told when something can't be done as asked."""

from graphs.errors import StoreError
from scraper.errors import SourceError

__all__ = ["ERRORS", "QuestionError", "SourceError", "StoreError"]


class QuestionError(Exception):
    """A question that can't be answered as asked: the message says why, and what to do."""


ERRORS = (QuestionError, SourceError, StoreError)
