"""Reads a draft in XLIFF 1.2, or 2: a segment is a unit's target with its source."""

from __future__ import annotations

from collections.abc import Iterator

from kb.checking.draft import Segment
from kb.checking.drafts.draft_file import DraftFile
from kb.checking.drafts.segments import SegmentText, Unit, segments_of_units, units_and_comments
from kb.checking.ignore_comments import IgnoreComment, parse_comment
from kb.interchange.xml_events import InlineText, XmlEvent

# Other translations, the source cut in sentences, and what is no text: not the draft.
_LEFT_OUT = frozenset(("alt-trans", "seg-source", "bin-unit", "ignorable", "matches", "glossary"))
_UNITS = ("trans-unit", "unit")  # of XLIFF 1.2 and of XLIFF 2
_UNTOUCHED_STATES = frozenset(("new", "needs-translation", "initial"))
_NOT_TRANSLATABLE = "are marked translate=no"
_UNTOUCHED = "have the source as their translation, and a state that says it isn't done"
_LANGUAGES = {  # of the source and the target, by the element that gives them
    "file": ("source-language", "target-language"),
    "xliff": ("srcLang", "trgLang"),
}


def read(file: DraftFile, warnings: list[str]) -> Iterator[Segment]:
    """Yield a segment for each unit that has a target, in XLIFF 2 for each segment of it, in order,
    with the languages of its file; not for those that aren't to be translated, or untouched.

    Raises SourceError where the XML is broken.
    """
    reader = _XliffReader(file.path)
    units = units_and_comments(file.xml_events(), reader.take)
    yield from segments_of_units(file.path, units, warnings)


class _XliffReader:
    """Collects what belongs to the unit that is being read."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._languages: dict[str, str | None] = {}
        self._outside = 0  # elements in each other that are left out
        self._inline: InlineText | None = None
        self._note: list[str] | None = None
        self._comments: list[IgnoreComment] = []  # in the notes of the unit
        self._translate = [True]  # of the elements that are open
        self._unit = ""  # the id of the unit that is open
        self._is_in_unit = False
        self._is_2 = False
        self._begin_segment(0)

    def _begin_segment(self, line: int, name: str = "") -> None:
        """Forget the segment before."""
        self._name, self._line, self._state = name, line, ""
        self._source = ""
        self._target: SegmentText | None = None

    def take(self, event: XmlEvent) -> list[Unit | IgnoreComment]:
        """Take an event into account; return the unit that it ends, in XLIFF 2 the segment, after
        comments in the unit's notes, or the comment in a note outside of units; empty for most
        events."""
        if self._inline:
            if self._inline.take(event):
                self._end_inline(self._inline)
        elif self._outside or (event.kind == "start" and event.text in _LEFT_OUT):
            self._outside += {"start": 1, "end": -1}.get(event.kind, 0)
        elif event.kind == "start":
            self._start(event)
        elif event.kind == "text":
            if self._note is not None:
                self._note.append(event.text)
        else:
            return self._end(event)
        return []

    def _start(self, event: XmlEvent) -> None:
        """Take the start of an element into account, outside of source and target."""
        name, given = event.text, event.attributes
        self._translate.append(
            given.get("translate", "yes") != "no" if "translate" in given else self._translate[-1]
        )
        if name in _LANGUAGES:
            for side, attribute in zip(("source", "target"), _LANGUAGES[name], strict=True):
                self._languages[side] = given.get(attribute) or self._languages.get(side)
        if name == "xliff":
            self._is_2 = given.get("version", "1.2").startswith("2")
        elif name in _UNITS:
            self._unit, self._comments, self._is_in_unit = given.get("id", ""), [], True
            self._begin_segment(event.line)
        elif name == "segment":
            self._begin_segment(event.line, given.get("id", ""))
            self._state = given.get("state", "")
        elif name in ("source", "target"):
            self._inline = InlineText(name)
            if name == "target":
                self._state = given.get("state", self._state)
        elif name == "note":
            self._note = []

    def _end_inline(self, inline: InlineText) -> None:
        """Keep the text of a source or target that has ended."""
        self._inline = None
        self._translate.pop()
        built = SegmentText(inline.pieces)
        if inline.name == "source":
            self._source = built.text()
        else:
            self._target = built

    def _end(self, event: XmlEvent) -> list[Unit | IgnoreComment]:
        """Take the end of an element into account, as `take` does."""
        translate = self._translate.pop()
        if event.text == "note" and self._note is not None:
            comment = parse_comment("".join(self._note))
            self._note = None
            if comment and self._is_in_unit:
                self._comments.append(comment)
            elif comment:
                return [comment]
        ended: list[Unit | IgnoreComment] = []
        if event.text == ("segment" if self._is_2 else "trans-unit"):
            ended = [*self._comments, self._complete(translate)]
        if event.text in _UNITS:
            self._unit, self._is_in_unit = "", False
        return ended

    def _complete(self, translate: bool) -> Unit:
        """Return the unit, or the segment of a unit, that has ended: with the reason to skip it, if
        it is not to be translated, or its target is its source in a state that says it isn't done.
        """
        text = self._target.text() if self._target else ""
        untouched = self._state in _UNTOUCHED_STATES and text and text == self._source
        skipped = _NOT_TRANSLATABLE if not translate else _UNTOUCHED if untouched else ""
        return Unit(
            id="/".join(filter(None, (self._unit, self._name))),
            line=self._line,
            source=self._source,
            target=self._target,
            source_lang=self._languages.get("source"),
            target_lang=self._languages.get("target"),
            skipped=skipped,
        )
