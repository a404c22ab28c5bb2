"""What people are told when something can't be done as asked."""

from graphs import StoreError
from scraper import SourceError


class QuestionError(Exception):
    """A question that can't be answered as asked: the message says why, and what to do."""


ERRORS = (QuestionError, SourceError, StoreError)
