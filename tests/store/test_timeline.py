"""The picture of a rule's history: stretches of the same text, marks, links."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from random import Random
from typing import get_args

import pytest

from graphs.picture.scene import Said
from graphs.picture.styles import CHANGE_HUES
from graphs.picture.timeline import MARGIN, TimelineEntry, timeline
from kb.rules.change_kind_names import RuleChangeKind
from tests.pictures import SVG, faults, parsed, texts
from tests.rulebooks import build_books

KINDS = ["same"] * 4 + ["changed", "moved+changed", "renumbered+sub-rules", "not loaded", "moved"]


def test_every_kind_has_its_look() -> None:
    kinds = {part for kind in get_args(RuleChangeKind) for part in kind.split("+")}
    assert kinds - {"typographic", "examples"} <= CHANGE_HUES.keys()


@pytest.mark.parametrize(("count", "seed"), list(product([1, 2, 7, 8, 24], [1, 2])))
def test_texts_lie_apart(count: int, seed: int) -> None:
    rng = Random(seed)
    kinds = [("added",), *(tuple(rng.choice(KINDS).split("+")) for _ in range(count - 1))]
    entries = [
        TimelineEntry(
            str(20200101 + index), kind, f"x/{index}", f"{index}.1a",
            rng.choice(["Wind moves a ship. " * 9, "船は風で動く。" * 9, "あ", "", "x" * 99]),
        )
        for index, kind in enumerate(kinds)
    ]  # fmt: skip
    picture = timeline(entries, Said("a rule"))
    for narrow in (False, True):
        svg = picture.svg(str, narrow)
        assert not faults(svg)
        marks = [group for group in parsed(svg) if group.get("class", "").startswith("mark")]
        assert [mark.attrib["href"] for mark in marks] == [f"x/{n}" for n in range(count)]
    assert picture.as_bytes("png").startswith(b"\x89PNG") or count > 1


def test_a_history_is_drawn(tmp_path: Path) -> None:
    def book(rule: str) -> str:
        lines = ("1. Harbour", "100. Ships", f"100.1. {rule}", "101. Winds", "101.1. Wind blows.")
        return "\n\n".join(("Harbour Comprehensive Rules", *lines, ""))

    rules = {
        "20200101": "A ship is a card.",
        "20210101": "A ship is a card.",
        "20220101": "A ship is a card with a sail.",
    }
    books = {(edition, "en"): book(rule) for edition, rule in rules.items()}
    with build_books(tmp_path, books) as base:
        found = base.trace("100.1")
        picture = found.draw()
        assert (picture.nodes, picture.edges) == (3, 2)
        svg = picture.svg({each.id: f"/{each.edition}" for each in base.nodes("rule")})
        boxes = [group for group in parsed(svg) if group.get("class", "").startswith("entry")]
        assert [box.attrib["href"] for box in boxes] == ["/20200101", "/20220101"]
        dates = {f"{edition[:4]}-{edition[4:6]}-{edition[6:]}" for edition in rules}
        assert {"first", "same", "changed", *dates} <= set(texts(parsed(svg)))
        titles = [group.findtext(f"{SVG}title") for group in boxes]
        assert titles[1] == f"2022-01-01: 100.1 (changed)\n{rules['20220101']}"


def test_the_axis_begins_at_the_margin() -> None:
    picture = timeline(
        [TimelineEntry("20200101", ("added",), "x", "1.1a", "Wind.")], Said("a rule")
    )
    assert re.search(rf'class="axis" d="M{MARGIN:g} ', picture.svg(str, False))
