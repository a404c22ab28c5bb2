"""Where the nodes of a picture stand: in columns left and right of the one in the middle."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from statistics import fmean

Point = tuple[float, float]  # the width and height of a box, or the place of its middle
_GAP, _BETWEEN = 9.0, 90.0  # between the boxes of a column, between columns
_UNEVEN = 4  # boxes that one side may have more than the other, and none changes over


def columns_around(before: Mapping[str, str], outward: Collection[str]) -> dict[str, int]:
    """The column of each node: 0 in the middle, 1, 2… to its right, -1, -2… to its left.

    The first of `before` stands in the middle, each other one step further out than the node
    before it: on the right if it is `outward`, else on the left; but where one side would have
    many more, the last of them change over.

    >>> columns_around({"a": "a", "b": "a", "c": "a", "d": "c"}, {"b"})
    {'a': 0, 'b': 1, 'c': -1, 'd': -2}
    """
    middle, *others = before
    behind = dict.fromkeys(others, 1)  # a node, and all that are reached over it
    for node in reversed(others):
        if before[node] != middle:
            behind[before[node]] += behind[node]
    near = [node for node in others if before[node] == middle]
    columns = {middle: 0} | {node: 1 if node in outward else -1 for node in near}
    heavier = sum(columns[node] * behind[node] for node in near)
    for node in reversed(near):
        if columns[node] * heavier > 0 and behind[node] + _UNEVEN <= abs(heavier):
            heavier -= 2 * columns[node] * behind[node]
            columns[node] *= -1
    for node in others:
        inner = columns[before[node]]
        columns.setdefault(node, inner + (1 if inner > 0 else -1))
    return {node: columns[node] for node in before}


def box_positions(
    columns: Mapping[str, int], sizes: Mapping[str, Point], joined: Mapping[str, Collection[str]]
) -> dict[str, Point]:
    """The middle of each node's box, given the widths and heights; upwards and to the right.

    The boxes of a column stand below each other, as near as may be to those further in that they
    are `joined` to; else in the order in which they are given.
    """
    stacks: dict[int, list[str]] = defaultdict(list)
    for node, column in columns.items():
        stacks[column].append(node)
    found: dict[str, Point] = {}
    edge = {1: 0.0, -1: 0.0}  # where the columns of a side end
    for column in sorted(stacks, key=lambda column: (abs(column), column)):
        side = 1 if column >= 0 else -1
        level = {
            node: fmean([found[other][1] for other in joined[node] if other in found] or [0.0])
            for node in stacks[column]
        }
        width = max(sizes[node][0] for node in level)
        height = sum(sizes[node][1] for node in level) + _GAP * (len(level) - 1)
        inner = edge[side] + _BETWEEN if column else -width / 2
        top = fmean(level.values()) + height / 2
        for node in sorted(level, key=lambda node: -level[node]):
            wide, high = sizes[node]
            found[node] = side * (inner + wide / 2), top - high / 2
            top -= high + _GAP
        edge[side] = inner + width
        if not column:
            edge[-1] = edge[1]
    return found
