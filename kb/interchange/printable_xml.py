"""Makes XML fit for a terminal: characters that one obeys are written as references."""

from __future__ import annotations

import re

from kb.json_text import TERMINAL_CONTROLS

_ESCAPED = re.compile(f"\t|{TERMINAL_CONTROLS.pattern}")


def printable_xml(xml: str) -> str:
    """Return XML with tabs, and what terminals obey besides, as references to characters.

    xml: well-formed, without comments, CDATA sections and processing instructions that hold such
        characters: there a reference would be text. Every reader takes the result for the same.

    >>> printable_xml("<term>a\\x9bb</term>")
    '<term>a&#155;b</term>'
    """
    return _ESCAPED.sub(lambda found: f"&#{ord(found[0])};", xml)
