"""Look-ups cost what they find, not what there is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from graphs.store.reader import Store
from kb.building.pipeline import build

ASKED: list[Callable[[Store], object]] = [
    lambda store: store.edges(["mtg/term/引く"]),
    lambda store: store.edges(["mtg/term/引く"], "in", ["mentions"]),
    lambda store: store.node("mtg/term/引く"),
    lambda store: store.find_by_number("121.4"),
    lambda store: store.find_by_label("引く"),
    lambda store: store.parts("mtg/cr/20231117/ja/121"),
    lambda store: store.with_sub_rules(["mtg/cr/20231117/ja/704"]),
    lambda store: list(store.neighbour_pairs(store.keys(["mtg/term/引く"]), "mentions", out=False)),
    lambda store: store.between(*store.keys(["mtg/cr/20231117/ja/121.4", "mtg/term/引く"])),
    lambda store: list(store.degrees(store.keys(["mtg/term/引く"]))),
    lambda store: store.passages.lookup(["mtgwiki/ライブラリー¶2"]),
    lambda store: store.passages.following(["mtgwiki/ライブラリー¶2"], 3),
    lambda store: store.passages.neighbouring_words(["mtgwiki/ライブラリー¶2"]),
    lambda store: store.first_passages("mtgwiki/ライブラリー", 2),
    lambda store: store.procedures_on(["mtg/term/引く"]),
    lambda store: store.outcomes_on(["mtg/term/引く"], ["プレイヤー"]),
    lambda store: store.stated_in("outcome", ["mtgwiki/ライブラリー¶2"]),
]


@pytest.mark.parametrize("ask", ASKED)
def test_no_table_is_searched(ask: Callable[[Store], object], tmp_path: Path) -> None:
    build(kb=tmp_path / "kb.db")
    said: list[str] = []
    with Store(tmp_path / "kb.db") as store:
        store.db.set_trace_callback(said.append)
        ask(store)
        store.db.set_trace_callback(None)
        assert said
        for statement in said:
            plan = [row[3] for row in store.db.execute(f"EXPLAIN QUERY PLAN {statement}")]
            assert not [step for step in plan if step.startswith(("SCAN edge", "SCAN n"))], plan
            assert not [step for step in plan if "node_kind (kind=?)" in step], plan
