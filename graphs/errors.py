"""The exceptions of `graphs`. Their messages are shown to people."""


class StoreError(Exception):
    """A knowledge base can't be opened or written. The message names the file and the reason."""


class OlderFileError(StoreError):
    """A knowledge base was made by an older version, and can be built again."""


class OutOfTimeError(Exception):
    """Work was ended that took longer than its time limit, or that was given up."""


class DrawError(Exception):
    """A picture can't be drawn or written. The message gives the reason and says what to do."""
