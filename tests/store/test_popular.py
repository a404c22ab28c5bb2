"""What is stored for popular nodes, and how common words are ranked: the answers are those of all
edges and all passages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

import kb
from graphs.store import passage_index, reader
from graphs.store.passage_index import ALL_PASSAGES
from graphs.store.reader import Store
from graphs.writing import writer
from tests.conftest import SAMPLE
from tests.edits import Folder
from tests.rulebooks import base_of

WORDS = ("カード", "引く", "呪文", "card", "spell", "ルール", "能力")
ROWS = (
    "SELECT n.id, e.kind, e.number FROM edge_count e JOIN node n ON n.key = e.target ORDER BY 1, 2",
    "SELECT value FROM meta WHERE key IN ('most edges out', 'indexed') ORDER BY key",
)


@pytest.fixture(scope="module", autouse=True)
def _few_are_many() -> Iterator[None]:
    """The numbers of few edges are stored."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer, "LEAST_STORED", 2)
        yield


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[kb.KnowledgeBase]:
    path = tmp_path_factory.mktemp("popular") / "x.db"
    with base_of([SAMPLE], path) as opened:
        yield opened


@pytest.mark.slow
@pytest.mark.parametrize("filters", [{}, {"game": "mtg"}, {"lang": "en"}, {"section": "ルール"}])
def test_searches_find_the_same_however_few_passages_are_ranked_first(
    base: kb.KnowledgeBase, filters: kb.Filters, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [(word, most) for word in WORDS for most in (1, 5, 20)]
    found = [base.search(word, most=most, **filters).as_json() for word, most in asked]
    monkeypatch.setattr(passage_index.PassageIndex.ranked, "__defaults__", (ALL_PASSAGES, 3))
    assert found == [base.search(word, most=most, **filters).as_json() for word, most in asked]


@pytest.mark.parametrize("first_rows", [1, 2, 7, 100_000])
def test_passages_are_ranked_by_their_scores_and_ids(
    base: kb.KnowledgeBase, first_rows: int
) -> None:
    for word in WORDS:
        query = f'"{word}"'
        rows = base._store.db.execute(
            "SELECT n.id, -rank FROM search JOIN node n ON n.key = search.rowid "
            "WHERE search MATCH ?",
            (query,),
        )
        expected = [(key, round(score, 4)) for key, score in sorted(rows, key=_best_first)]
        ranked = base._store.passages.ranked(query, first_rows=first_rows)
        assert [(passage, score) for passage, _, score in ranked] == expected != []


def _best_first(row: tuple[str, float]) -> tuple[float, str]:
    passage, score = row
    return -score, passage


def test_paths_and_counts_are_the_same(
    base: kb.KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = [("引く", "捨てる"), ("カード", "704"), ("灰流うらら", "置換効果"), ("121.4", "手札")]
    stored = [base.path(*pair).as_json() for pair in ends]
    keys = [key for (key,) in base._store.db.execute("SELECT key FROM node")]
    degrees = sorted(base._store.degrees(keys))
    monkeypatch.setattr(reader, "stored_counts", lambda *_: iter(()))
    assert degrees == sorted(base._store.degrees(keys))
    assert stored == [base.path(*pair).as_json() for pair in ends]


@pytest.mark.slow
def test_a_second_build_stores_the_same(tmp_path: Path) -> None:
    rng = Random(0)
    pages = Folder.of(tmp_path / "pages", rng, SAMPLE)
    path = tmp_path / "x.db"
    kb.build([pages.path], path)
    for number in range(2):
        for _ in range(4):
            pages.edit()
        pages.save()
        kb.build([pages.path], path)
        whole = tmp_path / f"{number}.db"
        kb.build([pages.path], whole)
        with Store(path) as renewed, Store(whole) as built:
            for query in ROWS:
                assert renewed.db.execute(query).fetchall() == built.db.execute(query).fetchall()
