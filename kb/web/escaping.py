"""The one door by which text enters a page of the explorer: cleaned, then escaped."""

from __future__ import annotations

from markupsafe import Markup

from kb.control_characters import CONTROLS


def clean(value: object) -> object:
    """Return what a template may print: text without characters that change the direction of
    what follows, or that HTML can't hold; each shows as �. None is nothing.

    >>> clean("a\\u202eb"), clean(None), clean(3)
    ('a�b', '', 3)
    """
    if value is None:
        return ""
    if isinstance(value, Markup):
        return value
    return CONTROLS.sub("\ufffd", value) if isinstance(value, str) else value


def escaped(text: str) -> Markup:
    """Return a text as HTML that shows it.

    >>> escaped("<b>\\x9b")
    Markup('&lt;b&gt;�')
    """
    return Markup.escape(clean(text))
