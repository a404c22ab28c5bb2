"""The exception of the scraper package, with a message for the user."""


class SourceError(Exception):
    """Raised when a source of pages can't be used; the message says which source, and why."""
