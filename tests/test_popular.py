"""What is stored for common words and popular nodes: the answers are those without it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

import kb
from graphs.store import best_passages, passage_index, reader
from graphs.store.connection import ReadConnection
from graphs.store.reader import Store
from graphs.writing import edge_counts as writing_edge_counts
from tests.conftest import SAMPLE
from tests.edits import Folder
from tests.rulebooks import base_of

ROWS = (
    "SELECT b.word, b.says, b.times, b.length, n.id FROM best_passage b "
    "JOIN node n ON n.key = b.passage ORDER BY 1, 2, 3, 4, 5",
    "SELECT * FROM common_word",
    "SELECT n.id, e.kind, e.number FROM edge_count e JOIN node n ON n.key = e.target ORDER BY 1, 2",
    "SELECT value FROM meta WHERE key = 'most edges out'",
)


@pytest.fixture(scope="module", autouse=True)
def _few_are_many() -> Iterator[None]:
    """Words in a few passages are common, and few passages are stored for each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(best_passages, "LEAST_PASSAGES", 12)
        patch.setattr(best_passages, "MOST_STORED", 40)
        patch.setattr(best_passages, "MOST_SAYING_NOTHING", 6)
        patch.setattr(writing_edge_counts, "LEAST_STORED", 2)
        yield


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[kb.KnowledgeBase]:
    path = tmp_path_factory.mktemp("popular") / "x.db"
    with base_of([SAMPLE], path) as opened:
        yield opened


def common_words(base: kb.KnowledgeBase) -> list[str]:
    return [word for (word,) in base._store.db.execute("SELECT word FROM common_word")]


@pytest.mark.parametrize("filters", [{}, {"game": "mtg"}, {"lang": "en"}, {"section": "ルール"}])
def test_searches_find_the_same(
    base: kb.KnowledgeBase, filters: kb.Filters, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = Random(1).sample(common_words(base), 30)
    asked = [(word, most) for word in words for most in (1, 5, 20)]
    stored = [base.search(word, most=most, **filters).as_json() for word, most in asked]
    monkeypatch.setattr(passage_index, "best_passages", lambda *_: None)
    for (word, most), found in zip(asked, stored, strict=True):
        assert found == base.search(word, most=most, **filters).as_json(), word


@pytest.mark.parametrize("ask", ['"{0} {0}"', '{0} "{0} {0}"', "{0}の{0}"])
def test_a_repeated_word_is_a_phrase(
    base: kb.KnowledgeBase, ask: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [ask.format(word) for word in common_words(base)]
    assert asked
    stored = [base.search(words).as_json() for words in asked]
    monkeypatch.setattr(passage_index, "best_passages", lambda *_: None)
    for words, found in zip(asked, stored, strict=True):
        assert found == base.search(words).as_json(), words


def test_common_words_are_answered_from_what_is_stored(
    base: kb.KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passage_index.PassageIndex, "ranked", None)
    answered = 0
    for word in common_words(base):
        try:
            answered += bool(base.search(word, most=2).hits)
        except TypeError:
            continue
    assert answered > 0.8 * len(common_words(base))


def test_many_scores_are_looked_up_at_once(
    base: kb.KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    statements: list[str] = []
    execute = ReadConnection.execute

    def counting(self: ReadConnection, sql: str, parameters: object = (), /) -> object:
        statements.append(sql)
        return execute(self, sql, parameters)

    best = base._store.passages.best_first('"カード"', True)
    assert best and len({score for _, _, score in best[1]}) > 5
    monkeypatch.setattr(ReadConnection, "execute", counting)
    assert base.search("カード", mentions=["引く"]).hits
    assert sum("WHERE p.key IN" in sql for sql in statements) <= 2  # says something, and not


def test_common_words_are_counted_as_the_index_has_them(base: kb.KnowledgeBase) -> None:
    store, words = base._store, list(common_words(base))
    assert words
    for word in words:
        query = f'"{word}"'
        rows = store.db.execute("SELECT count(*) FROM search WHERE search MATCH ?", (query,))
        [number] = rows.fetchone()
        assert store.passages.frequency(query) == number >= 12
        assert store.passages.frequency(query, most=5) == 5


def test_a_word_that_the_index_has_for_other_forms_is_ranked(base: kb.KnowledgeBase) -> None:
    assert best_passages.best_passages(base._store.db, "card", True)
    assert best_passages.best_passages(base._store.db, "cards", True) is None


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
