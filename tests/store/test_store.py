"""Look-ups cost what they find, not what there is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import kb
from graphs.model import STRENGTH
from graphs.store.edges import EdgePlace, EdgeRun, count_edges, edges_behind
from graphs.store.reader import Store
from graphs.store.references import rulings_referring
from kb.query.show.linked_text import linked_texts

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
    lambda store: store.procedures_on(["mtg/term/引く"], 100),
    lambda store: store.outcomes_on(["mtg/term/引く"], ["プレイヤー"], 100),
    lambda store: store.stated_in("outcome", ["mtgwiki/ライブラリー¶2"]),
    lambda store: store.passages_giving(["mtg/cr/20231117/ja/704"]),
    lambda store: linked_texts(store, ["mtg/cr/20231117/ja/704", "mtgwiki/ライブラリー¶2"]),
    lambda store: list(rulings_referring(store, ["mtg/term/引く"], 100)),
    lambda store: edges_behind(store, _runs(store), 2, EdgePlace(0, 0, 1, 1)),
    lambda store: [count_edges(store, store.keys(["mtgwiki/引く"]), end) for end in ("in", "out")],
]


def _runs(store: Store) -> list[EdgeRun]:
    keys = tuple(sorted(store.keys(["mtg/term/引く", "mtgwiki/引く"])))
    return [EdgeRun(kind, end, keys, 1_000) for kind in STRENGTH for end in ("out", "in")]


@pytest.mark.parametrize("ask", ASKED)
def test_no_table_is_searched(ask: Callable[[Store], object], base: kb.KnowledgeBase) -> None:
    said: list[str] = []
    with Store(base.file) as store:
        store.db.set_trace_callback(said.append)
        ask(store)
        store.db.set_trace_callback(None)
        assert said
        for statement in said:
            plan = [row[3] for row in store.db.execute(f"EXPLAIN QUERY PLAN {statement}")]
            assert not [step for step in plan if step.startswith(("SCAN edge", "SCAN n"))], plan
            assert not [step for step in plan if "node_kind (kind=?)" in step], plan


def test_a_fact_of_the_file_is_found_by_its_whole_name(base: kb.KnowledgeBase) -> None:
    with Store(base.file) as store:
        assert store.meta("made") is None and store.meta("made by")
