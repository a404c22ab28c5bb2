"""Prints what changed between two editions, for `sansho diff`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

import click

from kb.cli.render.text_output import bold, dim, print_notices
from kb.cli.render.wrapped_text import cell_width, text_width, wrapped

if TYPE_CHECKING:
    from kb import Diff, RuleChange

_CONTEXT = 60  # characters of unchanged text that are shown on either side of a change
_ON_ONE_LINE = frozenset(("moved", "renumbered", "moved+renumbered"))
_TYPOGRAPHY = "quotation marks, dashes, width or spaces"


def print_diff(result: Diff, notice: str) -> None:
    """Print how many rules changed and how, then each of them with the old and the new text.

    notice: the knowledge base's notice to readers, printed below; empty if there is none.
    """
    click.echo(bold(f"{result.before} → {result.after}") + dim(f"  {result.game} · {result.lang}"))
    click.echo(wrapped(_summary(result), ""))
    was_short = False
    for change in result.changes:
        is_short = change.kind in _ON_ONE_LINE
        if not (is_short and was_short):
            click.echo()
        (_print_on_one_line if is_short else _print_texts)(change)
        was_short = is_short
    print_notices({notice} if notice else set())


def _summary(result: Diff) -> str:
    """Return how many rules there are of each kind, and how many differ in typography or examples
    alone."""
    listed = {change.kind for change in result.changes}
    counts = result.counts
    unlisted = {
        "typographic": f"only in {_TYPOGRAPHY}",
        "examples": "only in their examples",
    }
    kinds = [
        f"{number:,} {kind}"
        for kind, number in counts.items()
        if kind not in unlisted or kind in listed
    ]
    summary = ", ".join([*kinds, f"{result.same:,} same"])
    for kind, how in unlisted.items():
        if counts.get(kind) and kind not in listed:
            differ = "differ" if counts[kind] > 1 else "differs"
            summary += f"\n{counts[kind]:,} of the same {differ} {how}; --{kind} lists them"
    return summary


def _print_on_one_line(change: RuleChange) -> None:
    """Print a rule's numbers, the kind of change, and the beginning of its text, or the numbers of
    cited rules that changed."""
    before, after = change.before, change.after
    assert before and after
    if change.spans:
        citations = [
            f"{before.text[start:end]} → {after.text[new_start:new_end]}"
            for start, end, new_start, new_end in change.spans
        ]
        what = "cites " + ", ".join(dict.fromkeys(citations))
    else:
        what = " ".join(after.text.split())
    head = f"{_numbers(change)}  {change.kind}  "
    what = _beginning(what, text_width() - cell_width(head))
    click.echo(f"{bold(_numbers(change))}  {dim(change.kind)}  {what}")


def _print_texts(change: RuleChange) -> None:
    """Print a rule's numbers, the kind of change, and its texts with the differences marked.

    The old text follows `-`, the new one `+`; an added or removed rule has only one of them.
    """
    before, after = change.before, change.after
    click.echo(f"{bold(_numbers(change))}  {dim(change.kind)}")
    # A span of a change is (start before, end before, start after, end after).
    for rule, sign, colour, first in ((before, "-", "red", 0), (after, "+", "green", 2)):
        if rule:
            spans = [span[first : first + 2] for span in change.spans]
            text, marks = _excerpt(rule.text, spans)
            click.echo(_marked_text(text, marks, sign, colour))


def _numbers(change: RuleChange) -> str:
    """Return a rule's number before and after, once if it stayed."""
    numbers = [rule.number for rule in (change.before, change.after) if rule]
    return " → ".join(dict.fromkeys(numbers))


def _marked_text(text: str, marks: Sequence[tuple[int, int]], sign: str, colour: str) -> str:
    """Return a text behind a sign, wrapped, with its marks in a colour."""
    return wrapped(
        text,
        "    ",
        first=f"  {click.style(sign, fg=colour)} ",
        marks=marks,
        style=lambda part: click.style(part, fg=colour, bold=True),
    )


def _excerpt(text: str, spans: Sequence[tuple[int, ...]]) -> tuple[str, list[tuple[int, int]]]:
    """Return a text with its differences in brackets and what is far from them left out; and
    where in it the brackets are.

    spans: (start, end) in the text, in order; an empty one is a place where the other text has
        more, and is not put in brackets. If there are none, the text stays as it is.
    """
    marks: list[tuple[int, int]] = []
    shown, position = "", 0
    for index, (start, end) in enumerate(spans):
        shown += _shortened(text[position:start], index == 0, False)
        if start < end:
            difference = f"[{text[start:end]}]"
            marks.append((len(shown), len(shown) + len(difference)))
            shown += difference
        position = end
    return shown + _shortened(text[position:], not spans, True), marks


def _shortened(unchanged: str, is_first: bool, is_last: bool) -> str:
    """Return a stretch of unchanged text with `…` for what is far from both ends of it.

    is_first, is_last: whether no change is before it, behind it; of these ends nothing is kept. If
        both, nothing is left out.
    """
    keep_left, keep_right = (0 if is_first else _CONTEXT), (0 if is_last else _CONTEXT)
    if is_first == is_last is True or len(unchanged) <= keep_left + keep_right + _CONTEXT // 2:
        return unchanged
    left = re.sub(r"(?<=\s)\w+$", "", unchanged[:keep_left])
    right = re.sub(r"^\w+(?=\s)", "", unchanged[len(unchanged) - keep_right :])
    return f"{left}…{right}"


def _beginning(text: str, room: int) -> str:
    """Return the beginning of a text that takes at most `room` columns, with `…` if cut off."""
    text = " ".join(text.split())
    if cell_width(text) <= room:
        return text
    columns = accumulate((cell_width(sign) for sign in text), initial=1)
    return text[: sum(1 for column in columns if column <= room) - 1] + "…"
