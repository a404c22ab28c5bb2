"""Characters that control a display or show nothing: found, escaped in JSON and XML, left out."""

from __future__ import annotations

import json
import re
from typing import Any

# Control characters but tabs and line feeds, those that change the direction of text or show
# nothing, halves of surrogate pairs. A terminal obeys some of them, UTF-8 and HTML lack others.
# Each door puts something else in their place, but all look for the same ones.
CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u206f"
    "\ud800-\udfff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
# By the production Char of XML 1.0.
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def json_text(document: Any) -> str:
    """Return a document as JSON on one line; control characters in its texts are escaped.

    document: what `json.dumps` takes. Who parses the JSON gets exactly the same document.

    >>> json_text({"引く": "a\\x9bb"})
    '{"引く": "a\\\\u009bb"}'
    """
    text = json.dumps(document, ensure_ascii=False)
    # None of these characters can be printed, which is much faster to find out.
    return text if text.isprintable() else CONTROLS.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1]


def printable_xml(xml: str) -> str:
    """Return XML with tabs, and what terminals obey besides, as references to characters.

    xml: well-formed, without comments, CDATA sections and processing instructions that hold such
        characters: there a reference would be text. Every reader takes the result for the same.

    >>> printable_xml("<term>a\\x9bb</term>")
    '<term>a&#155;b</term>'
    """
    return CONTROLS.sub(lambda found: f"&#{ord(found[0])};", xml.replace("\t", "&#9;"))


def xml_text(text: str) -> str:
    """Return a text without the characters that XML 1.0 can't hold.

    These are most control characters, lone halves of surrogate pairs, U+FFFE and U+FFFF. What XML
    can hold stays, and is not escaped: whoever writes the file does that.

    >>> xml_text("引く\\x01 <b>\\ufffe")
    '引く <b>'
    """
    return _NOT_IN_XML.sub("", text)
