"""What scraper tells a person when it can't do what was asked."""


class SourceError(Exception):
    """A source of pages that can't be used: the message says which, and why."""
