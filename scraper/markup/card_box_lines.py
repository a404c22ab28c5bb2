"""Finds where boxes of cards begin among the lines of a plain text, which shows no borders."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_LONGEST = 120  # characters in the lines at the beginning of a box
_SENTENCE_END = "。"
# The first line of a box with its name, and what the second line must have, by form of the box:
# name, civilization and cost; or a name in 《》.
_BEGINNINGS = (
    (
        re.compile(r".*(?:文明|無色).*[(（][0-9０-９XＸ∞?？]{1,3}[)）]"),
        re.compile(r"[:：]|呪文|城|ギア"),
    ),
    (re.compile(r"《[^《》]*》[ \u3000†]*"), re.compile(r"モンスター|魔法|罠")),
)  # fmt: skip


def split_at_card_boxes(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield the lines of a block in parts: a part for each box of a card that begins in it.

    What is before the first box is a part too. Without a box there is one part.

    >>> boxes = ["例。", "霧の番人 R 水文明 (3)", "クリーチャー:乙 2000", "引く。"]
    >>> list(split_at_card_boxes(boxes))
    [['例。'], ['霧の番人 R 水文明 (3)', 'クリーチャー:乙 2000', '引く。']]
    """
    starts = [n for n in range(1, len(lines) - 1) if _begins_box(lines[n], lines[n + 1])]
    for start, end in zip([0, *starts], [*starts, len(lines)], strict=True):
        yield list(lines[start:end])


def _begins_box(line: str, following: str) -> bool:
    """Whether a line and the one below it are the first two of a box."""
    if max(len(line), len(following)) > _LONGEST or _SENTENCE_END in line + following:
        return False
    return any(
        name.fullmatch(line.strip()) and kind.search(following) for name, kind in _BEGINNINGS
    )
