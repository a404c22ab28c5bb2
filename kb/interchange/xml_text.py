"""Makes text fit for XML, which has no place for some characters, not even escaped."""

from __future__ import annotations

import re

_UNFIT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """Return a text without the characters that XML 1.0 can't hold.

    These are most control characters, lone halves of surrogate pairs, U+FFFE and U+FFFF. What XML
    can hold stays, and is not escaped: whoever writes the file does that.

    >>> xml_text("引く\\x01 <b>\\ufffe")
    '引く <b>'
    """
    return _UNFIT.sub("", text)
