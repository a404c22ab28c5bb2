"""Reads the comments in a draft that tell to ignore findings.

In HTML, Markdown, XLIFF and TMX they are `<!-- sansho: ignore -->`, in plain text also lines or
ends of lines such as `# sansho: ignore` and `// sansho: ignore`. A comment at the end of a segment,
or behind it on its last line, is about that segment, any other about the next one. It may name the
kinds of findings: `sansho: ignore missing-term, number`. What stands behind a colon, a dash or a
bracket is a remark. From `ignore-start` to `ignore-end` all segments are meant.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from kb.checking.draft import KINDS

# All are bounded against hostile text; a comment is a line.
_COMMAND = re.compile(
    r"sansho\s{0,20}[:：]\s{0,20}(ignore(?:-start|-end)?)(?![\w-])"
    r"((?:[\s,、]{1,20}[a-z][a-z-]{0,40}(?![\w-]))*+)",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"<!--\s{0,100}(sansho\s{0,20}[:：](?:(?!-->).){0,1000})-->", re.DOTALL)
_PLAIN = re.compile(
    r"(?:^|(?<=\s))(?:#|//)[ \t]{0,20}(sansho[ \t]{0,20}[:：][^\n]{0,1000})", re.MULTILINE
)
# What may stand behind a comment at the end of a line: ends of elements and of a table's row.
_REST_OF_LINE = re.compile(r"(?:[\s|]|</[^<>\n]{0,40}>)*+")


@dataclass(frozen=True, slots=True)
class IgnoreComment:
    """A comment that tells to ignore findings.

    command: `ignore` one segment, or `ignore-start` and `ignore-end` for several.
    kinds: the kinds of findings; None for all.
    unknown: words that are no kinds; they are left out of `kinds`.
    start, end: where the comment stands in the file's text.
    """

    command: Literal["ignore", "ignore-start", "ignore-end"]
    kinds: frozenset[str] | None
    unknown: tuple[str, ...] = ()
    start: int = 0
    end: int = 0


def parse_comment(text: str, start: int = 0, end: int = 0) -> IgnoreComment | None:
    """Parse the inside of a comment; None if it is not for sansho. One that names only unknown
    kinds ignores none.

    start, end: where the comment stands.

    >>> comment = parse_comment(" sansho: ignore number, missing-term (as printed) ")
    >>> comment.command, sorted(comment.kinds)
    ('ignore', ['missing-term', 'number'])
    >>> parse_comment("sansho: ignore").kinds is None, parse_comment("ignore sansho")
    (True, None)
    """
    found = _COMMAND.match(text.lstrip("#/ \t\n").removeprefix("<!--").lstrip())
    if not found:
        return None
    words = re.findall(r"[a-z-]+", found[2].lower())
    kinds = frozenset(words).intersection(KINDS) if words else None
    unknown = tuple(dict.fromkeys(word for word in words if word not in KINDS))
    command = found[1].lower()
    assert command in ("ignore", "ignore-start", "ignore-end")
    return IgnoreComment(command, kinds, unknown, start, end)  # type: ignore[arg-type]


def comments_in(text: str, is_plain: bool = False) -> list[IgnoreComment]:
    """Return the comments of a text for sansho, in their order.

    is_plain: whether lines with `#` and `//` are comments, too.

    >>> [c.command for c in comments_in("Draw. # sansho: ignore\\n<!-- sansho: ignore-start -->", True)]
    ['ignore', 'ignore-start']
    """  # noqa: E501
    patterns = [_MARKUP, _PLAIN] if is_plain else [_MARKUP]
    found = [
        comment
        for pattern in patterns
        for match in pattern.finditer(text)
        if (comment := parse_comment(match[1], *match.span()))
    ]
    return sorted(found, key=lambda comment: comment.start)


class IgnoredKinds:
    """Which kinds of findings the comments read so far tell to ignore.

    >>> ignored = IgnoredKinds()
    >>> ignored.read(IgnoreComment("ignore", frozenset({"number"})))
    >>> ignored.take(), ignored.take()
    (frozenset({'number'}), frozenset())
    """

    def __init__(self) -> None:
        self._next: frozenset[str] | None = frozenset()
        self._region: frozenset[str] | None = frozenset()

    def read(self, comment: IgnoreComment) -> None:
        """Take a comment into account, for what comes behind it; an `ignore-end` ends all, whatever
        kinds it names."""
        if comment.command == "ignore":
            self._next = union(self._next, comment.kinds)
        elif comment.command == "ignore-start":
            self._region = union(self._region, comment.kinds)
        else:
            self._region = frozenset()

    def take(self) -> frozenset[str] | None:
        """Return the kinds to ignore in the next segment, None for all; a comment on one segment
        is used up by that."""
        kinds = union(self._region, self._next)
        self._next = frozenset()
        return kinds


def union(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    """Return the kinds of both sets, where None is all kinds."""
    return None if one is None or other is None else one | other


class TextComments:
    """Tells which kinds of findings to ignore in the segments of a text, taken in their order."""

    def __init__(self, text: str, comments: Iterable[IgnoreComment]) -> None:
        """comments: of the text, in their order."""
        self._text = text
        self._comments = list(comments)
        self._starts = [comment.start for comment in self._comments]
        self._done = 0
        self._used: set[int] = set()  # the comments that are about a segment before them
        self._ignored = IgnoredKinds()
        self._line = 0, -1  # start and end of the line looked at last

    def kinds(self, start: int, end: int) -> frozenset[str] | None:
        """Return the kinds to ignore in the segment from `start` to `end`, without overlap behind
        the one asked for before; None for all."""
        if not self._comments:
            return frozenset()
        while self._done < len(self._comments) and self._comments[self._done].end <= start:
            if self._done not in self._used:
                self._ignored.read(self._comments[self._done])
            self._done += 1
        kinds = self._ignored.take()
        behind = self._behind(end)
        last = bisect_left(self._starts, end)
        about = [*range(self._done, last), *([behind] if behind is not None else [])]
        for index in about:
            if self._comments[index].command == "ignore":
                kinds = union(kinds, self._comments[index].kinds)
                self._used.add(index)
        return kinds

    def _behind(self, end: int) -> int | None:
        """Return the index of the comment that ends the line on which a segment ends; None if
        there is none behind the segment."""
        begin, line_end = self._line
        if not begin <= end <= line_end:
            found = self._text.find("\n", end)
            line_end = found if found >= 0 else len(self._text)
            self._line = end, line_end
        index = bisect_left(self._starts, line_end) - 1
        if index < 0 or self._comments[index].start < end:
            return None
        rest = _REST_OF_LINE.match(self._text, self._comments[index].end, line_end)
        return index if rest and rest.end() == line_end else None


def warnings_of(path: str, comments: Iterable[IgnoreComment]) -> list[str]:
    """Return what is wrong with the comments of a file: words that are no kinds of findings, an
    `ignore-start` without its end and the reverse. A line each, at most one of a sort.

    path: of the file, for the lines.
    """
    from kb.language.nearest_value import nearest

    unknown: dict[str, None] = {}
    is_open, stray = False, False
    for comment in comments:
        unknown |= dict.fromkeys(comment.unknown)
        stray |= comment.command == "ignore-end" and not is_open
        is_open = comment.command == "ignore-start" or (is_open and comment.command == "ignore")
    lines = []
    if unknown:
        word = next(iter(unknown))
        near = nearest(word, KINDS, 1)
        what = f"; nearest: {near[0]}" if near else ""
        more = f" (and {len(unknown) - 1} more such words)" if len(unknown) > 1 else ""
        lines.append(
            f"{path}: a comment ignores {word}, which is no kind of finding{what}{more} "
            f"(there are: {', '.join(KINDS)})"
        )
    if is_open:
        lines.append(f"{path}: sansho: ignore-start has no ignore-end; all that follows is ignored")
    if stray:
        lines.append(f"{path}: sansho: ignore-end has no ignore-start before it")
    return lines
