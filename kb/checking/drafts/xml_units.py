"""What the readers of XLIFF and TMX share: units with comments, text with inline elements."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from kb.checking.drafts.bilingual import Unit
from kb.checking.drafts.segment_text import SegmentText
from kb.checking.drafts.xml_events import XmlEvent
from kb.checking.ignore_comments import IgnoreComment, parse_comment

# Elements whose content is code of the original format; `sub` in them is text again.
_CODE = frozenset(("bpt", "ept", "it", "ph", "ut"))
_LINE_BREAK = re.compile(
    r"\s*(?:<(?:[\w]+:)?(?:br|lb)\b[^>]*>|\\n|[\n\r\u2028]+)\s*", re.IGNORECASE
)
_LONGEST_CODE = 200  # characters of a code that may be a line break


class InlineText:
    """The text of an element, `<source>`, `<target>` or `<seg>`, while its events are taken.

    Codes of the original format are left out; a code that breaks the line is a space.
    """

    def __init__(self, name: str) -> None:
        """name: of the element."""
        self.name = name
        self.built = SegmentText()
        self._visible = [True]
        self._code = ""

    def take(self, event: XmlEvent) -> bool:
        """Take an event into account; return whether it ends the element."""
        if event.kind == "text":
            self._take_text(event)
        elif event.kind == "start":
            if event.attributes.get("ctype") == "lb" or event.attributes.get("subType") == "xlf:lb":
                self.built.add_gap("\n", event.line, event.column)
            is_text = self._visible[-1] and event.text not in _CODE
            if event.text == "sub":
                is_text = True
                self.built.add_gap(" ", event.line, event.column)
            self._visible.append(is_text)
            self._code = ""
        elif event.kind == "end":
            if len(self._visible) == 1:
                return True
            if not self._visible.pop() and _LINE_BREAK.fullmatch(self._code):
                self.built.add_gap("\n", event.line, event.column)
            if event.text == "sub":
                self.built.add_gap(" ", event.line, event.column)
        return False

    def _take_text(self, event: XmlEvent) -> None:
        if self._visible[-1]:
            self.built.add_collapsed(event.text, event.line, event.column)
        elif len(self._code) < _LONGEST_CODE:
            self._code += event.text[:_LONGEST_CODE]


def units_and_comments(
    events: Iterable[XmlEvent],
    take: Callable[[XmlEvent], Iterable[Unit | IgnoreComment]],
) -> Iterator[Unit | IgnoreComment]:
    """Yield what a reader makes of the events of a file, with the comments for sansho.

    A comment at the end of the line on which a unit ends comes before that unit, as it is about it.

    take: returns the units, and the comments in notes, that an event completes.
    """
    held: Unit | None = None  # it may have a comment behind it
    held_line = 0
    for event in events:
        if event.kind == "comment":
            comment = parse_comment(event.text)
            if comment and held and event.ends_line and event.line == held_line:
                yield comment
                comment = None
            if held and (comment or event.line == held_line):
                yield held
                held = None
            if comment:
                yield comment
            continue
        for item in take(event):
            if held:
                yield held
                held = None
            if isinstance(item, Unit):
                held, held_line = item, event.line
            else:
                yield item
    if held:
        yield held
