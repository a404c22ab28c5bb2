"""Pages of boxes come out in the order in which people read them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scraper.rulebook.pdf_reading_order import Box, in_order
from tests.timing import grows_linearly

HEIGHT, PITCH = 10.0, 13.0


class Sheet:
    """A page that is being set, from the top down; `lines` is what is read."""

    def __init__(self, seed: int = 0, between: float = 6.0) -> None:
        self.random = random.Random(seed)
        self.between = between  # white space between paragraphs
        self.boxes: list[Box] = []
        self.drawings: list[Box] = []
        self.lines: list[str] = []
        self.y = 780.0

    def put(self, x: float, width: float, text: str, y: float | None = None) -> None:
        top = self.y if y is None else y
        self.boxes.append(Box(x, top - HEIGHT, x + width, top, text, len(self.boxes)))

    def line(self, x: float, width: float, text: str) -> None:
        self.put(x, width, text)
        self.lines.append(text)
        self.y -= 2 * PITCH

    def text(self, name: str, x: float, width: float, count: int) -> None:
        """Running text: paragraphs of some lines, the last of which is short."""
        left = 0
        for n in range(count):
            left = left or self.random.randint(1, 6)
            left -= 1
            fill = self.random.uniform(0.94, 1.0) if left else self.random.uniform(0.1, 0.9)
            self.put(x, fill * width, f"{name}{n}")
            self.lines.append(f"{name}{n}")
            self.y -= PITCH if left else PITCH + self.between

    def columns(self, counts: Sequence[int], names: str = "LMR", shift: float = 0.0) -> None:
        """Columns of text beside each other; `shift` is how much lower each begins."""
        width = 500 / len(counts)
        top, ends = self.y, []
        for n, count in enumerate(counts):
            self.y = top - n * shift
            self.text(names[n], 40 + n * width, width - 20, count)
            ends.append(self.y)
        self.y = min(ends) - 10

    def picture(self, x: float, width: float, height: float) -> None:
        self.drawings.append(Box(x, self.y - height, x + width, self.y, ""))
        self.y -= height + 12

    def rule(self, x: float = 40, width: float = 480) -> None:
        self.drawings.append(Box(x, self.y + 1, x + width, self.y + 1.5, ""))
        self.y -= 2

    def table(self, widths: Iterable[float], count: int) -> None:
        for n in range(count):
            x, cells = 40.0, []
            for column, width in enumerate(widths):
                self.put(x, width * self.random.uniform(0.3, 0.8), f"{'abcde'[column]}{n}")
                cells.append(f"{'abcde'[column]}{n}")
                x += width
            self.lines.append(" ".join(cells))
            self.y -= PITCH + 2


def two_columns(sheet: Sheet) -> None:
    sheet.columns([40, 40])


def not_on_one_grid(sheet: Sheet) -> None:
    sheet.columns([38, 38], shift=6)


def three_columns(sheet: Sheet) -> None:
    sheet.columns([40, 40, 40])


def the_last_page_of_a_chapter(sheet: Sheet) -> None:
    sheet.columns([40, 14])


def a_chapter_begins_in_the_middle(sheet: Sheet) -> None:
    sheet.columns([18, 18])
    sheet.y -= 12
    sheet.line(40, 90, "2. Chapter")
    sheet.columns([10, 10], "lr")


def a_heading_in_the_centre(sheet: Sheet) -> None:
    sheet.columns([18, 17])
    sheet.line(200, 180, "Chapter")
    sheet.columns([10, 10], "lr")


def one_column_and_two(sheet: Sheet) -> None:
    sheet.text("o", 40, 480, 9)
    sheet.y -= 10
    sheet.columns([12, 12])
    sheet.text("p", 40, 480, 9)


def a_picture_across(sheet: Sheet) -> None:
    sheet.columns([15, 15])
    sheet.picture(100, 350, 100)
    sheet.line(180, 220, "caption")
    sheet.columns([8, 8], "lr")


def a_heading_above_a_picture(sheet: Sheet) -> None:
    sheet.columns([15, 14])
    sheet.y -= 12
    sheet.line(40, 90, "2. Chapter")
    sheet.picture(100, 350, 100)
    sheet.columns([8, 8], "lr")


def a_drawn_line_across(sheet: Sheet) -> None:
    sheet.columns([12, 12])
    sheet.rule()
    sheet.columns([12, 12], "lr")


def a_table(sheet: Sheet) -> None:
    sheet.text("o", 40, 480, 6)
    sheet.table([140, 60, 60, 220], 12)


def a_table_of_three(sheet: Sheet) -> None:
    sheet.text("o", 40, 480, 6)
    sheet.table([160, 160, 160], 10)


def a_head_and_a_foot_on_both_sides(sheet: Sheet) -> None:
    for y, part in ((820.0, "head"), (40.0, "foot")):
        sheet.put(40, 80, f"{part} left", y)
        sheet.put(430, 90, f"{part} right", y)
    sheet.columns([36, 36])
    sheet.lines = ["head left head right", *sheet.lines, "foot left foot right"]


def a_page_number_on_the_left(sheet: Sheet) -> None:
    sheet.put(40, 12, "12", 30.0)
    sheet.columns([36, 20])
    sheet.lines.append("12")


def contents_in_two_columns(sheet: Sheet) -> None:
    sheet.line(240, 80, "Contents")
    top = sheet.y
    for x in (40, 300):
        sheet.y = top
        for n in range(20):
            sheet.put(x, sheet.random.uniform(60, 150), f"Title {x} {n}")
            sheet.put(x + 210, 10, f"{n}")
            sheet.lines.append(f"Title {x} {n} {n}")
            sheet.y -= PITCH


def numbers_set_apart(sheet: Sheet) -> None:
    top = sheet.y
    for x in (40, 300):
        sheet.y = top
        for n in range(12):
            indent = sheet.random.choice([0, 20])
            sheet.put(x + indent, 25, f"{x}.{n}.")
            sheet.put(x + indent + 40, 180 - indent, f"text {n}")
            sheet.lines.append(f"{x}.{n}. text {n}")
            sheet.y -= PITCH
            for _ in range(sheet.random.randint(0, 2)):
                sheet.put(x + indent + 40, 178 - indent, "more")
                sheet.lines.append("more")
                sheet.y -= PITCH


LAYOUTS = [
    two_columns, not_on_one_grid, three_columns, the_last_page_of_a_chapter,
    a_chapter_begins_in_the_middle, a_heading_in_the_centre, one_column_and_two, a_picture_across,
    a_heading_above_a_picture, a_drawn_line_across, a_table, a_table_of_three,
    a_head_and_a_foot_on_both_sides, a_page_number_on_the_left, contents_in_two_columns,
    numbers_set_apart,
]  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.__name__)
@pytest.mark.parametrize("order", ["columns first", "rows first", "shuffled"])
def test_layouts(layout: Callable[[Sheet], None], order: str) -> None:
    """Whatever the order in which the file draws the page."""
    for seed, between in ((1, 0.0), (2, 6.0), (3, 6.0)):
        sheet = Sheet(seed, between)
        layout(sheet)
        boxes = list(sheet.boxes)
        if order == "rows first":
            boxes.sort(key=lambda box: (-box.top, box.left))
        elif order == "shuffled":
            random.Random(seed).shuffle(boxes)
        drawn = [Box(b.left, b.bottom, b.right, b.top, b.text, n) for n, b in enumerate(boxes)]
        assert in_order(drawn, sheet.drawings) == sheet.lines


def test_lists_side_by_side_are_told_from_a_table_by_how_they_are_drawn() -> None:
    cells = [(n, x) for n in range(8) for x in (40, 300)]
    width = [90, 120, 60, 200, 80, 100, 70, 110]

    def boxes(places: Iterable[tuple[int, int]]) -> list[Box]:
        return [
            Box(x, 700 - 14 * n, x + width[n], 710 - 14 * n, f"{x}-{n}", drawn)
            for drawn, (n, x) in enumerate(places)
        ]

    assert in_order(boxes(cells))[:2] == ["40-0 300-0", "40-1 300-1"]
    assert in_order(boxes(sorted(cells, key=lambda cell: cell[1])))[:2] == ["40-0", "40-1"]


def test_the_rows_of_a_drawn_table() -> None:
    """A cell of several lines, in the middle of whose height the other cells stand."""
    sheet = Sheet()
    for n in range(4):
        sheet.rule()
        sheet.put(50, 60, f"name {n}", sheet.y - 8)
        sheet.put(150, 10, f"{n}", sheet.y - 8)
        sheet.put(200, 300, "it does this", sheet.y - 2)
        sheet.put(200, 250, "and that", sheet.y - 14)
        sheet.y -= 30
    sheet.rule()
    assert in_order(sheet.boxes, sheet.drawings) == [
        f"name {n} {n} it does this and that" for n in range(4)
    ]


def test_time_is_linear() -> None:
    def order(count: int) -> None:
        boxes = [
            Box(n % 7 * 30, -n * 20, n % 7 * 30 + 20, 10 - n * 20, "x") for n in range(count)
        ] + [Box(n * 20, 100, n * 20 + 9, 110, "x") for n in range(count)]
        assert len(in_order(boxes)) > count / 7

    assert grows_linearly(order, 2_000)


number = st.floats(-1e6, 1e6) | st.integers(-30, 30).map(float)


@given(st.lists(st.tuples(number, number, number, number, st.sampled_from(["x", "a b", ""]))))
def test_every_box_is_read(sides: list[tuple[float, float, float, float, str]]) -> None:
    boxes = [Box(*side) for side in sides]
    texts = [box for box in boxes if box.text]
    read = "".join(in_order(texts, [box for box in boxes if not box.text]))
    assert sorted(read.replace(" ", "")) == sorted("".join(b.text for b in texts).replace(" ", ""))
