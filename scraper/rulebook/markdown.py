"""Removes the marks of Markdown from the lines of a rulebook."""

from __future__ import annotations

import re
from collections.abc import Sequence

from scraper.rulebook.numbering import is_number_alone, levels, number_at

_HEADING = re.compile(r"\s*#{1,6}\s+(?=\S)")
_NUMBERED = re.compile(r"\s*(?:[-*+]\s+)?\*\*[\dA-Z]{1,4}[.\-)]")
_RULE_ITEM = re.compile(r"(\s*)[-*+]\s+(?=\S)")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)")
_MARKS = re.compile(r"\*\*|__|`|\\(?=[^\w\s])")
# Possessive: else a line of spaces alone took the square of its length.
_TABLE_RULER = re.compile(r"\s*+\|?(?:\s*+:?-{3,}+:?\s*+\|)+(?:\s*+:?-{3,}+:?)?\s*+")
_FEWEST = 3  # headings or numbers in bold type in a text that is Markdown


def without_markdown(lines: Sequence[str]) -> list[str]:
    """Return the lines without the marks of headings, bold type, code and links; a list item that
    begins with the number of a rule loses its bullet, and a heading that is only a number gets the
    text below it. Other texts than Markdown are returned as they are.

    There are as many lines as before; the rulers of tables become empty.

    >>> without_markdown(["# Rules", "## 1. Zones", "### 1-1. Hand", "- **1-1-1.** It is hidden."])
    ['Rules', '1. Zones', '1-1. Hand', '1-1-1. It is hidden.']
    >>> without_markdown(["- 1.1 A zone"])
    ['- 1.1 A zone']
    """
    marked = sum(bool(_HEADING.match(line) or _NUMBERED.match(line)) for line in lines)
    if marked < _FEWEST:
        return list(lines)
    plain = [_plain(line) for line in lines]
    for n, line in enumerate(lines):
        if _HEADING.match(line) and is_number_alone(plain[n].strip()):
            _join_with_text(plain, lines, n)
    return plain


def _join_with_text(plain: list[str], lines: Sequence[str], heading: int) -> None:
    """Put the text below a heading that is only a number behind the number; it becomes empty.

    plain, lines: the lines without and with marks; heading: the index of the heading.
    """
    following = next((n for n in range(heading + 1, len(lines)) if lines[n].strip()), None)
    if following is not None and not _HEADING.match(lines[following]):
        plain[heading] = f"{plain[heading].rstrip()} {plain[following].strip()}"
        plain[following] = ""


def _plain(line: str) -> str:
    """Return a line of Markdown without its marks; empty for the ruler of a table."""
    if _TABLE_RULER.fullmatch(line):
        return ""
    if heading := _HEADING.match(line):
        line = line[heading.end() :].rstrip("# ")
    line = _MARKS.sub("", _LINK.sub(r"\1", line))
    item = _RULE_ITEM.match(line)
    rest = line[item.end() :] if item else ""
    number = number_at(rest)
    begins_rule = is_number_alone(rest.strip()) or (number and len(levels(number.number)) > 1)
    return item[1] + rest if item and begins_rule else line
