"""Writes JSON that is exact, and harmless on a terminal."""

from __future__ import annotations

import json
import re
from typing import Any

# Control characters, those that change the direction of text or show nothing, halves of surrogate
# pairs: JSON may have them as they are, but a terminal obeys some, and UTF-8 lacks others.
TERMINAL_CONTROLS = re.compile(
    "[\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u206f\ud800-\udfff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def json_text(document: Any) -> str:
    """Return a document as JSON on one line; control characters in its texts are escaped.

    document: what `json.dumps` takes, and objects with a method `as_json`. Who parses the JSON gets exactly the same document.

    >>> json_text({"引く": "a\\x9bb"})
    '{"引く": "a\\\\u009bb"}'
    """
    text = json.dumps(document, ensure_ascii=False, default=lambda value: value.as_json())
    # None of these characters can be printed, which is much faster to find out.
    return text if text.isprintable() else TERMINAL_CONTROLS.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1]
