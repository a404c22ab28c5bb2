"""Results as tables: every cell a text, every text escaped, pandas only when asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import SimpleNamespace

import pytest

import kb
from kb.query.table_result import Table, TableResult, table_row

HOSTILE = "<script>alert('鹿')</script>&\"\n二行目"

ASKED: dict[str, Callable[[kb.KnowledgeBase], TableResult]] = {
    "show": lambda base: base.show("121.4"),
    "refs": lambda base: base.refs("121.8", lang="ja"),
    "search": lambda base: base.search("引く"),
    "kwic": lambda base: base.kwic("引く"),
    "ask": lambda base: base.ask("空のライブラリーから引こうとするとどうなりますか？"),
    "compare": lambda base: base.compare("引く", game="mtg"),
    "terms": lambda base: base.terms(game="dm"),
    "outcomes": lambda base: base.outcomes("引く"),
}


@pytest.mark.parametrize("name", ASKED)
def test_each_result_is_a_table(base: kb.KnowledgeBase, name: str) -> None:
    result = ASKED[name](base)
    table = result.table()
    assert table.rows and len({tuple(one) for one in table.rows}) == 1
    assert all(isinstance(cell, str) for one in table.rows for cell in one.values())
    assert result._repr_html_().count("<tr>") == len(table.rows) + 1
    assert len(repr(table).splitlines()) == len(table.rows) + 1 + len(table.notices)


def test_a_diff_is_a_table() -> None:
    before, after = kb.RuleText("1.1", "<b>前</b>"), kb.RuleText("1.2", "後")
    changes = (kb.RuleChange("moved+changed", before, after), kb.RuleChange("added", None, after))
    diff = kb.Diff("mtg", "ja", "20230101", "20240101", changes, 3)
    assert diff.table().rows[1]["number_before"] == "" == diff.table().rows[1]["text_before"]
    assert "&lt;b&gt;前&lt;/b&gt;" in diff._repr_html_() and "<b>" not in diff._repr_html_()


@pytest.mark.parametrize("name", ["text", "notice", "<i>"])
def test_hostile_text_is_escaped_wherever_it_stands(name: str) -> None:
    table = Table((table_row(**{"game": "mtg", name: HOSTILE}),))
    html = table._repr_html_()
    assert "<script" not in html and "<i>" not in html and "&lt;script&gt;" in html
    assert "二行目" in html


def test_what_must_be_told_is_told_once(base: kb.KnowledgeBase) -> None:
    table = base.kwic("引く", game="ygo").table()
    assert len(table.rows) > 1 and table.notices
    for notice in table.notices:
        assert table._repr_html_().count(notice) == 1 == repr(table).count(notice)
    assert "notice" in table.rows[0] and "notice" not in table.columns


def test_nothing_is_said(base: kb.KnowledgeBase) -> None:
    empty = base.search("ぺんぎん")
    assert empty._repr_html_() == "<p>nothing found</p>"
    assert repr(empty.table()) == "nothing found"


def test_a_frame_has_the_rows(base: kb.KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=lambda rows: rows))
    found = base.compare("引く", game="mtg")
    assert found.to_frame() == list(found.table().rows)


def test_without_pandas_it_says_what_to_do(
    base: kb.KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(kb.QuestionError, match="pip install pandas"):
        base.show("引く").to_frame()
