"""Results as tables: every cell a text, every text escaped, pandas only when asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

import kb
from kb.result import UNREPORTED, ListResult, Table, columns, reported
from tests.reference_pages import result as reference

HOSTILE = "<script>alert('鹿')</script>&\"\n二行目"

ASKED: dict[str, Callable[[kb.KnowledgeBase], ListResult[Any]]] = {
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
    table = Table(({"game": "mtg", name: HOSTILE},))
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


def test_a_frame_has_numbers_and_gaps(base: kb.KnowledgeBase) -> None:
    frame = base.refs("704", direction="in", kinds="cites").to_frame()
    assert frame["depth"].dtype == "int64" and set(frame["depth"]) == {1}
    assert "704" in set(frame["target_number"]) and "状況起因処理" in set(frame["target_label"])
    assert frame["source_number"].isna().sum() == sum(
        base.show(source).matches[0].number is None for source in frame["source"]
    )
    terms = base.terms(game="ygo").to_frame().set_index("term")
    draw = terms.loc["ygo/term/通常のドロー"]
    assert (draw["ja"], draw["en"]) == ("通常のドロー", "Normal Draw")
    assert "reading" in terms and terms["en"].isna().any()


# -- a declaration ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tally:
    """How often a rule is cited. rule: its number. times: how often."""

    rule: kb.Node
    times: int


@dataclass(frozen=True, slots=True, repr=False)
class Tallies(ListResult[Tally]):
    """What is counted.

    tallies: each rule.
    by: who counts; None if nobody says.
    inner: what only Python has.
    """

    tallies: tuple[Tally, ...]
    by: str | None = None
    inner: int = field(default=0, metadata=UNREPORTED)

    _ITEM = "tally"
    _COLUMNS = columns("number=rule.number times")

    def _items(self) -> tuple[Tally, ...]:
        return self.tallies

    @reported
    def total(self) -> int:
        """The sum."""
        return sum(each.times for each in self.tallies)


@pytest.mark.parametrize(
    ("empty", "column"),
    [
        (lambda base: base.search("ぺんぎん"), "text"),
        (lambda base: base.diff("20231117", "20231117", lang="ja"), "text_after"),
        (lambda base: base.show("ぺんぎん"), "text"),
        (lambda base: base.verify("一枚のカード。"), "verdict"),
        (lambda base: base.kwic("ぺんぎん"), "key"),
    ],
)
def test_a_frame_without_rows_has_its_columns(
    base: kb.KnowledgeBase, empty: Callable[[kb.KnowledgeBase], Any], column: str
) -> None:
    found = empty(base)
    assert not found and len(found.to_frame()[column]) == 0
    assert repr(found.table()) == "nothing found"


def test_an_empty_alignment_has_a_column_for_each_language() -> None:
    frame = kb.Alignment(("ja", "en"), (), ()).to_frame()
    assert [*frame.columns] == ["game", "edition", "number", "ja", "en", "problem"]


def test_a_result_is_declared_once() -> None:
    node = kb.Node("x/5", "rule", number="5")
    found = Tallies((Tally(node, 3), Tally(kb.Node("x/6", "rule"), 4)), "me", 9)
    document = found.as_json()
    assert set(document) == {"taken_as", "tallies", "by", "total"} and document["total"] == 7
    assert document["tallies"][0] == {"rule": node.as_json(), "times": 3}
    assert found.table().rows == ({"number": "5", "times": "3"}, {"number": "", "times": "4"})
    assert repr(found) == "<Tallies: 2 tallies>\n  5 | 3\n  4"
    assert list(found.to_frame()["times"]) == [3, 4]
    page = "".join(reference("Tallies", Tallies))
    assert "- `by`: who counts; None if nobody says." in page
    assert "JSON: `taken_as`, `tallies`, `by`, `total`." in page
    assert "Table: `number`, `times`." in page


def test_without_pandas_it_says_what_to_do(
    base: kb.KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(kb.QuestionError, match="pip install pandas"):
        base.show("引く").to_frame()
