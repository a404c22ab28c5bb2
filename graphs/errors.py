"""What graphs tells a person when it can't do what was asked."""


class StoreError(Exception):
    """A knowledge base that can't be opened or written: the message says which, and why."""


class DrawError(Exception):
    """A picture that can't be drawn or written: the message says why, and what to do."""
