"""Prints how the text of a rule changed, for `sansho diff` and `sansho trace`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from kb.cli.render.output import Styled, echo, with_marks

if TYPE_CHECKING:
    from kb import RuleChange

# Characters of unchanged text that are shown on either side of a change. By hand: most of a
# sentence, a line of 80 columns or less; `…` stands for at least half as much again (`_shortened`).
_CONTEXT = 60


def print_old_and_new(change: RuleChange, indent: int) -> None:
    """Print a rule's old text behind `-` and its new one behind `+`, with the words that differ
    marked, and without what is far from them. An added or removed rule has one text only."""
    sides: tuple[Literal["bad", "good"], ...] = ("bad", "good")
    signs: tuple[Literal["-", "+"], ...] = ("-", "+")
    # A span of a change is (start before, end before, start after, end after).
    for rule, sign, style, first in zip(
        (change.before, change.after), signs, sides, (0, 2), strict=True
    ):
        if rule:
            spans = [span[first : first + 2] for span in change.spans]
            text, marks = _excerpt(rule.text, spans, sign)
            echo(Styled(sign, style), " ", *with_marks(text, marks, style), indent=indent)


def changed_citations(change: RuleChange) -> str:
    """Return what changed in a text of which only citations did: `cites 704.5a → 704.5b, …`, each
    once; empty if nothing did, and for a rule that was added or removed."""
    before, after = change.before, change.after
    if not (before and after):
        return ""
    citations = [
        f"{before.text[start:end]} → {after.text[new_start:new_end]}"
        for start, end, new_start, new_end in change.spans
    ]
    return f"cites {', '.join(dict.fromkeys(citations))}" if citations else ""


def numbers_of(change: RuleChange) -> str:
    """Return a rule's number before and after with ` → `, once if it stayed; of a merged or split
    one also that of the other rule, which may have the same number: `121.1 → 121.1 → 121.2`."""
    numbers = dict.fromkeys(rule.number for rule in (change.before, change.after) if rule)
    others = (change.split_from, *numbers, change.into)
    return " → ".join(number for number in others if number)


def _excerpt(
    text: str, spans: Sequence[tuple[int, ...]], sign: Literal["-", "+"]
) -> tuple[str, list[tuple[int, int]]]:
    """Return a text with its differences between marks and what is far from them left out; and
    where in it they are.

    spans: (start, end) in the text, in order; an empty one is a place where the other text has
        more, and is not marked. If there are none, the text stays as it is.
    sign: which of the two texts it is. Its marks are those of Git, `[-…-]` and `{+…+}`: plain
        brackets stand in rules, too.
    """
    opening, closing = ("[-", "-]") if sign == "-" else ("{+", "+}")
    marks: list[tuple[int, int]] = []
    shown, position = "", 0
    for index, (start, end) in enumerate(spans):
        shown += _shortened(text[position:start], index == 0, False)
        if start < end:
            difference = f"{opening}{text[start:end]}{closing}"
            marks.append((len(shown), len(shown) + len(difference)))
            shown += difference
        position = end
    return shown + _shortened(text[position:], not spans, True), marks


def _shortened(unchanged: str, is_first: bool, is_last: bool) -> str:
    """Return a stretch of unchanged text with `…` for what is far from both ends of it, and for the
    part of a word before or behind that; as it is if that would save little.

    is_first, is_last: whether no change is before it, behind it; of these ends nothing is kept. If
        both, nothing is left out.
    """
    keep_left, keep_right = (0 if is_first else _CONTEXT), (0 if is_last else _CONTEXT)
    if is_first == is_last is True or len(unchanged) <= keep_left + keep_right + _CONTEXT // 2:
        return unchanged
    left = re.sub(r"(?<=\s)\w+$", "", unchanged[:keep_left])
    right = re.sub(r"^\w+(?=\s)", "", unchanged[len(unchanged) - keep_right :])
    return f"{left}…{right}"
