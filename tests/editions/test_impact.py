"""`sansho impact`: what a newer edition makes stale in the loaded pages."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

import kb
from tests.commands import printed
from tests.rulebooks import base_of, described, rulebook, wiki_source, write_books

OLD = {
    "100": "Ships",
    "100.1": "A ship leaves the harbour when its owner hoists the sail.",
    "100.2": "To moor a ship, its owner pays two coins and turns it upright.",
    "100.3": "A wreck is a ship that has more holes than planks.",
    "100.4": "An anchor holds one ship for as long as nobody lifts it.",
    "100.5": "The tide turns each ship that no anchor holds (see rule 100.4).",
    "100.6": "A lantern burns for two turns.",
}
# 100.3 is gone, so that those behind it move; 100.2 says another number of coins.
NEW = {
    "100": "Ships",
    "100.1": OLD["100.1"],
    "100.2": OLD["100.2"].replace("two coins", "three coins"),
    "100.3": OLD["100.4"],
    "100.4": OLD["100.5"].replace("100.4", "100.3"),
    "100.5": OLD["100.6"],
}
PAGE = """*船
出港については[[総合ルール]] 100.1を参照。
係留は総合ルール 100.2のとおり。
難破は総合ルール 100.3。錨は総合ルール 100.4で、灯りは総合ルール 100.6である。
"""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> kb.KnowledgeBase:
    folder = tmp_path_factory.mktemp("impact")
    for name in ("books", "wiki"):
        (folder / name).mkdir()
    books = {("20230101", "en"): rulebook(OLD), ("20240101", "en"): rulebook(NEW)}
    sources = [
        write_books(folder / "books", books, "dm"),
        wiki_source(folder / "wiki", {"船": PAGE}, "dmwiki"),
    ]
    return base_of(sources, folder / "kb.db")


def test_each_citation_of_what_changed_is_found(base: kb.KnowledgeBase) -> None:
    found = base.impact("20230101", "20240101")
    assert [(one.evidence.text, one.kind, one.change) for one in found.touched] == [
        ("ルール 100.2", "sense", "changed"),
        ("ルール 100.3", "number", "removed"),
        ("ルール 100.4", "number", "moved"),
        ("ルール 100.6", "number", "moved"),
    ]
    assert found.counts == {"number": 3, "sense": 1}
    assert (found.total, found.checked, found.untouched) == (4, 5, 1)
    assert found.pages == {"dmwiki/船": 4}


def test_each_has_its_sentence_and_the_words_that_differ(base: kb.KnowledgeBase) -> None:
    changed, gone, moved, _ = base.impact("20230101", "20240101").touched
    assert changed.sentence == "係留は総合ルール 100.2のとおり。"
    assert changed.before and changed.after
    [(start, end, new_start, new_end)] = changed.spans
    assert changed.before.text[start:end] == "two"
    assert changed.after.text[new_start:new_end] == "three"
    assert gone.after is None and gone.before and gone.before.number == "100.3"
    assert moved.after and moved.after.number == "100.3"


def test_without_editions_the_newest_two_are_compared(base: kb.KnowledgeBase) -> None:
    found = base.impact()
    assert (found.before, found.after, found.total) == ("20230101", "20240101", 4)
    assert base.impact("20240101").total == 4


def test_kinds_sources_and_a_part(base: kb.KnowledgeBase) -> None:
    assert [one.kind for one in base.impact(kinds=["sense"])] == ["sense"]
    assert base.impact(source="dmwiki").total == 4
    part = base.impact(most=1)
    assert (len(part), part.total) == (1, 4) and part.more is not None


def test_what_can_not_be_asked(base: kb.KnowledgeBase) -> None:
    for editions in (
        ("20240101", "20230101"),
        ("20230101", "20230101"),
        ("1", "2", "3"),
        ("2042",),
    ):
        with pytest.raises(kb.QuestionError):
            base.impact(*editions)
    with pytest.raises(kb.QuestionError, match="nearest"):
        base.impact(kinds=["wordz"])  # type: ignore[list-item]


def test_one_edition_alone_touches_nothing(tmp_path: Path) -> None:
    alone = base_of(
        [write_books(tmp_path, {("20230101", "en"): rulebook(OLD)}, "dm")], tmp_path / "kb.db"
    )
    with pytest.raises(kb.QuestionError, match="no two editions"):
        alone.impact()


def test_documents_beside_the_rules_have_editions_of_their_own(tmp_path: Path) -> None:
    books = {
        (f"tournament-rules-{edition}", "en"): rulebook(rules, "Harbour Tournament Rules")
        for edition, rules in (("20230101", OLD), ("20240101", NEW))
    }
    base = base_of([write_books(tmp_path, books, "dm")], tmp_path / "kb.db")
    found = base.impact("tournament-rules-20230101", "tournament-rules-20240101")
    assert (found.game, found.total) == ("dm", 0)


def test_what_names_the_newer_edition_is_as_right_as_ever(tmp_path: Path) -> None:
    for name in ("books", "wiki"):
        (tmp_path / name).mkdir()
    books = {("20230101", "en"): rulebook(OLD), ("20240101", "en"): rulebook(NEW)}
    page = "*船\n2024年1月1日版の総合ルール 100.4を参照。\n総合ルール 100.4。\n"
    sources = [
        write_books(tmp_path / "books", books, "dm"),
        wiki_source(tmp_path / "wiki", {"船": page}, "dmwiki"),
    ]
    found = base_of(sources, tmp_path / "kb.db").impact()
    assert found.total <= 2 and all(one.kind == "number" for one in found)


def test_as_csv_and_as_a_list_to_tick_off(base: kb.KnowledgeBase) -> None:
    path = str(base.file)
    rows = list(csv.DictReader(io.StringIO(printed("impact", "--format", "csv", "--kb", path)[1])))
    assert [row["number_before"] for row in rows] == ["100.2", "100.3", "100.4", "100.6"]
    assert rows[2]["number_after"] == "100.3"
    listed = printed("impact", "--format", "markdown", "--kb", path)[1]
    assert listed.count("- [ ]") == 4 and "## dmwiki/船" in listed
    assert "100.4 → 100.3 (moved, number)" in listed


def test_a_page_that_was_mended_is_not_stale_again(tmp_path: Path) -> None:
    old = {"100": "Ships", "100.1": "A ship sails.", "101": "Tides", "101.1": "A tide turns."}
    new = {"100": "Crates", "100.1": "A crate sinks.", "101": "Ships", "101.1": "A ship sails."}
    new |= {"102": "Tides", "102.1": "A tide turns."}
    books = {("20230101", "en"): rulebook(old), ("20240101", "en"): rulebook(new)}
    write_books(tmp_path / "books", books, "mtg")
    for name, text in (
        ("Old", "Ships sail (CR:100.1)."),
        ("Mended", "Ships sail (CR:101.1)."),
        ("Bare", "They turn (CR:101.1)."),
    ):
        (tmp_path / "books" / f"{name}.txt").write_text(f"*{name}\n{text}\n", "utf-8")
    pages = [str(tmp_path / "books" / f"{name}.txt") for name in ("Old", "Mended", "Bare")]
    kb.build([tmp_path / "books"], tmp_path / "kb.db")
    kb.build(pages, tmp_path / "kb.db", site="pukiwiki", game="mtg", lang="en", add=True)
    with kb.open(tmp_path / "kb.db") as base:
        found = base.impact("20230101", "20240101", game="mtg")
    stale = {one.evidence.page.rpartition("/")[2] for one in found}
    assert {"Old", "Bare"} <= stale and "Mended" not in stale


def test_what_is_on_rules_of_an_edition_that_is_not_loaded_is_told(tmp_path: Path) -> None:
    for name in ("books", "wiki"):
        (tmp_path / name).mkdir()
    books = {("20230101", "en"): rulebook(OLD), ("20240101", "en"): rulebook(NEW)}
    page = "== 引用:総合ルール 20230601.0 ==\n*100.2 船を係留するには、硬貨3枚を支払う。\n"
    url = "http://mtgwiki.com/index.php?title=船&action=raw"
    sources = [
        write_books(tmp_path / "books", books, "mtg"),
        described(tmp_path / "wiki", {"船.wiki": page}, url=url),
    ]
    base = base_of(sources, tmp_path / "kb.db")
    found = base.impact()
    assert (found.total, found.checked, found.unchecked) == (0, 0, 1)
    assert "1 statement could not be checked" in printed("impact", of=base)[1]
    [told] = found.also
    assert told.reason.code == "impact_unknown"
    assert str(told.reason).startswith("1 statement on rules of edition 20230601,")


def test_another_word_for_players_is_no_change_of_sense(tmp_path: Path) -> None:
    old = {"100": "Ships", "100.1": "Each person pays a coin.", "100.2": "Each person taps a ship."}
    new = old | {"100.1": "Each player pays a coin.", "100.2": "Each person untaps a ship."}
    books = {("20230101", "en"): rulebook(old), ("20240101", "en"): rulebook(new)}
    pages = {"船": "*船 [#top]\n硬貨はrule 100.1、向きはrule 100.2を参照。~\n"}
    for name in ("books", "wiki"):
        (tmp_path / name).mkdir()
    wiki = wiki_source(tmp_path / "wiki", pages, "dmwiki")
    books_folder = write_books(tmp_path / "books", books, "dm")
    found = base_of([books_folder, wiki], tmp_path / "kb.db").impact()
    kinds = {one.before.number: one.kind for one in found if one.before}
    assert kinds == {"100.1": "words", "100.2": "sense"}
