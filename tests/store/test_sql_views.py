"""The views for SQL give what Python gives, by indexes, and are documented column by column."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import kb
from graphs.model import Edge, Evidence
from graphs.store.file.sql_views import VIEWS
from graphs.store.reader import Store
from kb.language.fold import fold
from tests.conftest import ROOT, SHARED
from tests.sql_recipes import PAGE, current, opened, recipes, views

Rows = Callable[..., list[tuple[Any, ...]]]
NAMES = re.findall(r"CREATE VIEW (\w+)", VIEWS)
NUMBERS = {"position", "span_start", "span_end", "rules", "total", "whole", "times"}


class Case:
    """A knowledge base: as Python answers from it, its store, and its file open for SQL."""

    def __init__(self, base: kb.KnowledgeBase, db: sqlite3.Connection) -> None:
        self.base, self.store, self.db = base, Store(base.file), db

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        return self.db.execute(query, values).fetchall()


@pytest.fixture(scope="module", params=["sample", pytest.param("real", marks=pytest.mark.shared)])
def case(request: pytest.FixtureRequest, built: Callable[..., kb.KnowledgeBase]) -> Iterator[Case]:
    real = [SHARED / name for name in ("seeds", "corpora/mtg-cr-ja")]
    base = kb.sample() if request.param == "sample" else built(*real)
    with opened(base.file) as db:
        yield Case(base, db)


def test_rules(case: Case) -> None:
    expected = {
        (n.id, n.game, n.edition, n.lang, n.number, n.label, n.text, n.source, n.url, n.notice)
        for n in case.store.nodes("rule")
    }
    found = case.rows(
        "SELECT id, game, edition, lang, number, heading, text, source, url, notice FROM rules"
    )
    assert len(found) == len(expected) > 100 and set(found) == expected
    rules, above = {row[0] for row in found}, dict[str, str]()
    for edge in case.store.all_edges():
        if edge.kind == "part_of" and edge.target and edge.source in rules:
            above[edge.source] = min(edge.target, above.get(edge.source, edge.target))
    assert dict(case.rows("SELECT id, part_of FROM rules WHERE part_of NOT NULL")) == above


def _place(evidence: Evidence) -> tuple[Any, ...]:
    return evidence.page, evidence.passage, evidence.start, evidence.end, evidence.text


_CITATIONS = (
    "SELECT citing, cited, cited_number, reason, how, page, passage, span_start, span_end, words "
    "FROM citations"
)


def _citation(edge: Edge) -> tuple[Any, ...]:
    how = (edge.details or {}).get("how")
    return edge.source, edge.target, edge.target_label, edge.reason, how, *_place(edge.evidence)


def test_citations(case: Case) -> None:
    edges = [edge for edge in case.store.all_edges() if edge.kind == "cites"]
    found = case.rows(_CITATIONS)
    assert Counter(found) == Counter(map(_citation, edges)) and len(found) > 50
    dangling = {_citation(edge) for edge in edges if edge.status == "dangling"}
    assert set(case.rows(f"{_CITATIONS} WHERE cited IS NULL")) == dangling and dangling
    nodes = case.store.get({edge.target for edge in edges if edge.target})
    for cited, number, edition, lang in case.rows(
        "SELECT cited, cited_number, cited_edition, cited_lang FROM citations WHERE cited NOT NULL"
    ):
        node = nodes[cited]
        assert (number, edition, lang) == (node.number, node.edition, node.lang)
    [(most_cited,)] = case.rows(
        "SELECT cited_number FROM citations WHERE cited NOT NULL "
        "GROUP BY 1 ORDER BY count(*) DESC LIMIT 1"
    )
    refs = case.base.refs(most_cited, direction="in", kinds=["cites"])
    targets = {edge.target for edge in refs.edges}
    marks = ",".join("?" * len(targets))
    into = case.rows(f"{_CITATIONS} WHERE cited IN ({marks})", *targets)
    assert Counter(into) == Counter(map(_citation, refs.edges)) and into


def test_mentions(case: Case) -> None:
    expected = Counter(
        (edge.target, edge.source, edge.reason, *_place(edge.evidence))
        for edge in case.store.all_edges()
        if edge.kind == "mentions"
    )
    columns = "term, mentioning, reason, page, passage, span_start, span_end, words"
    found = Counter(case.rows(f"SELECT {columns} FROM mentions"))
    assert found == expected and found.total() > 1000
    refs = case.base.refs("mtg/term/引く", direction="in", kinds=["mentions"])
    rows = case.rows("SELECT mentioning FROM mentions WHERE term = 'mtg/term/引く'")
    assert Counter(source for (source,) in rows) == Counter(edge.source for edge in refs.edges)


@pytest.mark.parametrize("view", ["citations", "mentions"])
def test_the_words_are_those_of_the_passage(case: Case, view: str) -> None:
    places = case.rows(
        "SELECT text, span_start, span_end, words "
        f"FROM {view} v JOIN passages p ON p.id = v.passage"
    )
    assert len(places) == case.rows(f"SELECT count(*) FROM {view}")[0][0]
    assert all(words and text[start:end] == words for text, start, end, words in places)


def test_terms(case: Case) -> None:
    found = case.base.terms()
    expected = {
        (t.id, t.game, t.label, t.lang, t.reading, t.text, t.source, t.url, t.notice)
        for t in found.terms
    }
    columns = "id, game, name, lang, reading, text, source, url, notice"
    assert set(case.rows(f"SELECT {columns} FROM terms")) == expected
    assert case.rows("SELECT count(*) FROM terms") == [(len(found),)]
    english = {
        term.id: next(
            label.text
            for label in term.labels
            if label.lang == "en" and label.role not in ("reading", "proposed")
        )
        for term in case.base.terms(lang="en").terms
    }
    assert english == dict(case.rows("SELECT id, english FROM terms WHERE english NOT NULL"))


def test_names(case: Case) -> None:
    nodes = [node for node in case.store.nodes() if node.labels]
    expected = Counter(
        (n.id, n.kind, n.game, label.text, label.lang, label.role)
        for n in nodes
        for label in n.labels
    )
    assert Counter(case.rows("SELECT id, kind, game, name, lang, role FROM names")) == expected
    given = {
        (n.id, label.text, label.lang, passage)
        for n in nodes
        for label in n.labels
        for passage in label.passages
    }
    rows = case.rows("SELECT id, name, lang, passage FROM names WHERE passage NOT NULL")
    assert set(rows) <= given and rows
    assert case.rows("SELECT count(*) FROM names WHERE page IS NULL") == [(0,)]


def test_passages_and_outcomes(case: Case) -> None:
    expected = {(n.id, n.section, n.text, n.url) for n in case.store.nodes("passage")}
    found = case.rows("SELECT id, section, text, url FROM passages")
    assert len(found) == len(expected) and set(found) == expected
    parts = ("subject", "condition", "result", "modality", "exception_to", "card")
    stated = {
        (n.id, n.text, *((n.details or {}).get(part) or None for part in parts))
        for n in case.store.nodes("outcome")
    }
    rows = case.rows(f"SELECT id, text, {', '.join(parts)} FROM outcomes")
    assert len(rows) == len(stated) > 100 and set(rows) == stated
    rule = case.base.show("121.4", lang="ja", edition="20231117").matches[0]
    texts = [text for (text,) in case.rows("SELECT text FROM passages WHERE rule = ?", rule.id)]
    assert texts and all(rule.text in text for text in texts[:1])


def test_full_text(case: Case) -> None:
    found = dict(case.rows("SELECT passage, text FROM full_text WHERE words MATCH '引く'"))
    direct = {passage for passage, *_ in case.store.passages.matching("引く", 100_000)}
    assert set(found) == direct and len(found) > 20
    assert any("引く" not in text for text in found.values())
    assert case.rows("SELECT passage FROM full_text WHERE words MATCH '引いた'") == []


def test_no_key_is_shown(case: Case) -> None:
    for name in NAMES:
        found = case.db.execute(f"SELECT * FROM {name} LIMIT 300")
        columns = [column for column, *_ in found.description]
        rows = found.fetchall()
        assert rows, name
        for row in rows:
            numbers = {c for c, value in zip(columns, row, strict=True) if isinstance(value, int)}
            assert numbers <= NUMBERS


@pytest.mark.parametrize(
    "condition",
    [
        "rules WHERE id = ?", "rules WHERE number = ?", "rules WHERE number GLOB '704.*' AND ?",
        "citations WHERE citing = ?", "citations WHERE cited = ?",
        "citations WHERE citing_number = ?", "citations WHERE cited_number = ?",
        "terms WHERE id = ?", "names WHERE id = ?", "names WHERE name = ?",
        "mentions WHERE term = ?", "mentions WHERE mentioning = ?",
        "mentions WHERE mentioning_number = ?",
        "passages WHERE id = ?", "passages WHERE rule = ?", "passages WHERE number = ?",
        "outcomes WHERE rule = ?", "outcomes WHERE number = ?",
        "names n JOIN mentions m ON m.term = n.id WHERE n.name = ?",
        "mentions m JOIN passages p ON p.id = m.passage WHERE m.term = ?",
    ],
)  # fmt: skip
def test_look_ups_use_indexes(case: Case, condition: str) -> None:
    plan = case.rows(f"EXPLAIN QUERY PLAN SELECT * FROM {condition}", "a")
    steps = [step for *_, step in plan]
    assert [step for step in steps if step.startswith("SCAN")] == []
    assert any(step.startswith("SEARCH") for step in steps)


def test_every_column_is_documented(case: Case) -> None:
    documented = {name: [c for columns, _ in rows for c in columns] for name, _, rows in views()}
    assert list(documented) == NAMES
    for name in NAMES:
        stored = [column for _, column, *_ in case.rows(f"PRAGMA table_info({name})")]
        assert sorted(documented[name]) == sorted(stored)


def test_the_page_is_current() -> None:
    page = PAGE.read_text("utf-8")
    assert page == current(page), "python -m tests.sql_recipes writes it; read the difference"
    assert len(recipes(page)) >= 10


def test_the_settings_for_datasette(case: Case) -> None:
    """They describe the views and hide the tables."""
    settings = json.loads((ROOT / "docs" / "datasette.json").read_text("utf-8"))
    [database] = settings["databases"].values()
    tables = case.rows(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual') "
        "AND name NOT LIKE 'sqlite%'"
    )
    hidden = {name for name, table in database["tables"].items() if table.get("hidden")}
    assert hidden == {name for (name,) in tables} and {*NAMES, *hidden} == {*database["tables"]}
    for name in NAMES:
        table = database["tables"][name]
        columns = {column for _, column, *_ in case.rows(f"PRAGMA table_info({name})")}
        assert {*table["facets"], *table["columns"]} <= columns
    for query in database["queries"].values():
        values = {"words": fold("引く"), "number": "704"}
        assert case.db.execute(query["sql"], values).fetchall()


def _recipe(heading: str, case: Case) -> list[tuple[Any, ...]]:
    """All rows of the recipe under a heading."""
    _, _, text = PAGE.read_text("utf-8").partition(f"### {heading}")
    return case.rows(recipes(text)[0].rpartition(" LIMIT ")[0])


def test_recipes_answer_as_python_does(case: Case) -> None:
    missing = [e for e in case.store.dangling() if e.kind == "cites" and "¶" not in e.source]
    if case.rows("SELECT id FROM rules WHERE number = '704'"):  # not of the captured pages
        refs = case.base.refs("704", direction="in", kinds=["cites"], with_parts=True)
        edges = [e for e in (*refs.edges, *missing) if e.target_label.startswith("704")]
        citing = {
            (e.source.rpartition("/")[2], e.evidence.text) for e in edges if "¶" not in e.source
        }
        leaning = {(row[0], row[-1]) for row in _recipe("Which rules lean on 704", case)}
        assert leaning == citing and len(leaning) > 4
    english = {term.id for term in case.base.terms(game="mtg", lang="en")}
    nameless = {row[1] for row in _recipe("Which terms have no English name", case)}
    assert nameless and not nameless & english
    assert nameless <= {term.id for term in case.base.terms(game="mtg")}
    rules = {row[0] for row in _recipe("Which rules cite a rule that is not loaded", case)}
    assert rules == {edge.source for edge in missing} and rules
