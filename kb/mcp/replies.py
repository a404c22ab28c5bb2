"""What a tool gives back: a text and a document, each of limited size."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from kb.mcp.quoting import name, one_line, visible

Item = TypeVar("Item")

# Characters of the text, as the guide says. By hand: a model reads all of it and pays for it;
# `more` says how to go on.
MOST_TEXT = 12_000
_LONGEST_NOTICE = 600  # characters, by hand: a paragraph; it stands in every answer
# Characters of the document as JSON, by hand: five times the text, as it has the ids and all
# fields.
_MOST_DOCUMENT = 60_000
# (characters of a text, members of a list) that are tried until the document is small enough. The
# lists of items themselves are as long as the text says. By hand: texts are cut before lists are
# short; the last makes 40,000 characters of 2,000 objects with 50 texts of 9,000 each.
_SIZES = ((8_000, 400), (2_000, 40), (1_000, 20), (400, 10), (120, 5), (40, 2))


@dataclass(frozen=True, slots=True)
class Reply:
    """What a tool answers.

    text: complete by itself: citations, words, evidence, how to go on.
    document: the same for programs, as the tool's schema declares it.
    """

    text: str
    document: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Part:
    """Some of a list of items, as a tool gives them.

    lines: the text of the items. stop: the index behind the last of them.
    more: how to get those after it; None if there are none.
    """

    lines: list[str]
    stop: int
    more: str | None


def part_of(
    items: Sequence[Item],
    render: Callable[[Item], list[str]],
    skip: int,
    most: int,
    noun: str,
    size_of: Callable[[Item], int] = lambda _: 0,
) -> Part:
    """Return the text of at most `most` items behind the first `skip`, fewer if they are long, but
    one at least: the first is never left out. Behind the last item there is one line that says so;
    of no items there are no lines.

    render: makes the lines of an item; noun: what items are called, in the plural.
    size_of: how many characters an item takes in the document.
    """
    if items and skip >= len(items):
        return Part([f"no more than {len(items):,} {noun}"], len(items), None)
    lines: list[str] = []
    stop = min(skip, len(items))
    size, in_document, was_long = 0, 0, False
    for item in items[skip : skip + most]:
        rendered = render(item)
        length = sum(len(line) + 1 for line in rendered)
        in_document += size_of(item)
        too_long = size + length > MOST_TEXT * 3 // 4 or in_document > _MOST_DOCUMENT * 2 // 3
        if lines and too_long:
            break
        # A blank line sets apart what is more than a line.
        apart = bool(lines) and (len(rendered) > 1 or was_long)
        lines += ["", *rendered] if apart else rendered
        was_long = len(rendered) > 1
        size += length
        stop += 1
    more = None
    if stop < len(items):
        shown = f"{skip + 1:,}–{stop:,}" if skip else f"the first {stop:,}"
        more = f"{shown} of {len(items):,} {noun}; skip={stop} gives the next"
    return Part(lines, stop, more)


def reply(
    lines: Iterable[str], document: Mapping[str, Any], notices: Iterable[str | None] = ()
) -> Reply:
    """Return a reply with its text and its document cut to their sizes, and how to go on at the
    end of the text.

    document: may have `more`, a sentence of the tool's own words, or None; in the reply `more` also
        says what was cut, and `notices` are added.
    notices: what readers must be told of the texts; those that are the same are one.
    """
    told = list(dict.fromkeys(one_line(notice, _LONGEST_NOTICE) for notice in notices if notice))
    fitted, cut = _fitted(document)
    more = document.get("more") or ""
    text = "\n".join(lines)
    if len(text) > MOST_TEXT:
        text = text[:MOST_TEXT].rpartition("\n")[0] + "\n(the text is cut here)"
    ending = [f"more: {more}"] * bool(more) + [
        f"notice: {name(notice, _LONGEST_NOTICE)}" for notice in told
    ]
    fitted["more"] = "; ".join(filter(None, [more, cut])) or None
    fitted["notices"] = told
    return Reply("\n".join([text, *ending]), fitted)


def _fitted(document: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Return a document that is small enough, or as small as the last of `_SIZES` makes it, and
    what was cut in it, in words; empty if nothing was."""
    for most_chars, most_items in _SIZES:
        cuts: list[str] = []
        fitted = {key: _cut(value, most_chars, most_items, cuts) for key, value in document.items()}
        if len(json.dumps(fitted, ensure_ascii=False)) <= _MOST_DOCUMENT:
            break
    return fitted, f"in the structured content {', '.join(sorted(set(cuts)))} cut" if cuts else ""


def _cut(value: Any, most_chars: int, most_items: int, cuts: list[str]) -> Any:
    """Return a value of a document as JSON has it, with long texts, lists and mappings cut, which
    is added to `cuts` in words; in texts and names U+FFFD stands for what controls or is not
    seen."""
    if hasattr(value, "as_json"):
        value = value.as_json()
    if isinstance(value, str):
        if len(value) > most_chars:
            cuts.append("long texts are")
            value = value[:most_chars]
        return visible(value)
    if isinstance(value, Mapping):
        if len(value) > most_items:
            cuts.append("long lists are")
        return {
            visible(str(key)): _cut(each, most_chars, most_items, cuts)
            for key, each in list(value.items())[:most_items]
        }
    if isinstance(value, list | tuple | set | frozenset):
        if len(value) > most_items:
            cuts.append("long lists are")
        return [_cut(each, most_chars, most_items, cuts) for each in list(value)[:most_items]]
    return value
