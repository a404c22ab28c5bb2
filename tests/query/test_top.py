"""What is cited, mentioned and linked most often."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import kb
from tests.commands import printed, run
from tests.rulebooks import base_of, build_books, write_books
from tests.webs import mediawiki

BOOK = """Harbour Comprehensive Rules

1. Harbour

100. Ships

100.1. A ship is a card with a sail. See rule 101, “Winds.”

100.2. A captain may board one empty ship; see rule 101, “Winds,” and rule 101.1.

101. Winds

101.1. The wind turns once a round.

101.1a A becalmed ship stays where it is (see rule 100.1).
"""


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> kb.KnowledgeBase:
    books = {(edition, "en"): BOOK for edition in ("20210101", "20220101")}
    return build_books(tmp_path_factory.mktemp("harbour"), books)


def ranking(found: kb.Top) -> list[tuple[str | None, str | None, int]]:
    return [(each.node.edition, each.node.number, each.count) for each in found.nodes]


def test_a_rule_is_counted_once(harbour: kb.KnowledgeBase) -> None:
    """By the rules that cite it, in whatever edition: as many as refs lists."""
    found = harbour.top()
    newest = [("20220101", "101", 2), ("20220101", "100.1", 1), ("20220101", "101.1", 1)]
    assert ranking(found) == newest and found.more is None
    [counted] = found.also
    assert counted.reason.code == "all_editions_counted"
    assert harbour.follow(counted.reason.ask) == harbour.top(game="harbour", edition="20220101")
    for each in found.nodes:
        assert each.node.rule
        assert (
            len(harbour.refs(each.node.rule, direction="in", kinds="cites").groups()) == each.count
        )
    older = harbour.top(edition="2021-01-01")
    assert ranking(older) == [("20210101", *rest) for _, *rest in newest] and not older.also


def test_what_a_fragment_of_a_newer_edition_cites_counts_too(tmp_path: Path) -> None:
    shorter = BOOK[: BOOK.index("101.1a")]
    books = {("20210101", "en"): BOOK, ("20220101", "en"): shorter}
    with build_books(tmp_path, books) as base:
        assert ranking(base.top())[0] == ("20220101", "101", 2)
    books["20230101", "en"] = "Harbour Comprehensive Rules\n\n101. Winds\n\n101.9. See rule 101.\n"
    with build_books(tmp_path, books) as base:
        assert ranking(base.top())[0] == ("20230101", "101", 3)


def test_filters(harbour: kb.KnowledgeBase) -> None:
    assert [number for _, number, _ in ranking(harbour.top(under="101"))] == ["101", "101.1"]
    assert [number for _, number, _ in ranking(harbour.top(most=1))] == ["101"]
    assert harbour.follow(harbour.top(most=1).more.ask) == harbour.top(most=2)
    assert not harbour.top(kind="term").nodes and not harbour.top("linked").nodes
    assert len(harbour.top(kind="rule", game="harbour", lang="en").nodes) == 3


def test_a_language_says_which_rules_are_listed_and_not_how_often_they_count(
    base: kb.KnowledgeBase,
) -> None:
    counts = {each.node.rule: each.count for each in base.top(kind="rule", most=10_000).nodes}
    for lang in ("en", "ja"):
        found = base.top(kind="rule", lang=lang, most=10_000).nodes
        assert found and {each.node.lang for each in found} == {lang}
        assert all(each.count == counts[each.node.rule] for each in found)


def test_counts_are_those_of_all_edges(base: kb.KnowledgeBase) -> None:
    for by, kind in (("mentioned", "mentions"), ("linked", "links_to")):
        found = base.top(by, most=10_000)  # type: ignore[arg-type]
        counted = found.nodes
        assert counted and list(counted) == sorted(counted, key=lambda each: -each.count)
        graph = base.graph()
        asks = [left_out.reason.ask for left_out in found.also if left_out.reason.ask]
        others = [ask.arguments["edition"] for ask in asks if "edition" in ask.arguments]
        of_others = tuple(f"/{edition}/" for edition in others)
        for each in counted:
            edges = graph.in_edges(each.node.id, data=True)
            in_others = [any(each in source for each in of_others) for source, *_ in edges]
            assert each.count == sum(
                data["kind"] == kind and not is_in_other
                for (*_, data), is_in_other in zip(edges, in_others, strict=True)
            )


def test_mentions_are_counted_in_one_edition(tmp_path: Path) -> None:
    rules = ("1. 港", "100. 船", "100.1. 帆は船を動かす。", "100.2. 帆は一枚である。")
    book = "\n\n".join(("ハーバー 総合ルール", *rules, ""))
    books = {("20210101", "ja"): book, ("20220101", "ja"): book}
    (tmp_path / "page.html").write_text(mediawiki("帆", "<b>帆</b>は帆である。"))
    sources = [write_books(tmp_path / "books", books), tmp_path / "page.html"]
    with base_of(sources, tmp_path / "x.db", game="harbour") as base:
        counts = {each.node.label: each.count for each in base.top("mentioned").nodes}
        older = base.top("mentioned", kind="term", edition="20210101").nodes
        in_older = {each.node.label: each.count for each in older}
        edges = base.refs("帆", direction="in", kinds="mentions").edges
        assert in_older["帆"] == 2 and counts["帆"] == len(edges) - 2
        [left_out] = base.top("mentioned").also
        assert left_out.reason.ask == kb.Ask(
            "top", by="mentioned", edition="20210101", game="harbour"
        )


def test_a_hint_replaces_the_ranking_that_was_typed(harbour: kb.KnowledgeBase) -> None:
    said = " ".join(run("top", "--linked", "--kind", "rule", of=harbour).output.split())
    assert "sansho top --cited --kind rule" in said and "--linked --kind" not in said


def test_what_is_counted_otherwise_is_named(harbour: kb.KnowledgeBase) -> None:
    found = harbour.top("linked", kind="rule")
    [cited] = found.also
    assert not found.nodes and cited.reason.ask == kb.Ask("top", by="cited", kind="rule")
    assert not harbour.top("cited", kind="card").also
    [english] = harbour.top("mentioned", kind="card").also
    assert str(english) == "text in English: names are looked for in Japanese text alone"


def test_another_edition_is_that_of_its_game(tmp_path: Path) -> None:
    """Editions of two games have the same names."""
    editions = ("20210101", "20220101")
    folders = [
        write_books(tmp_path / game, {(edition, "en"): BOOK for edition in editions}, game)
        for game in ("harbour", "island")
    ]
    with base_of(folders, tmp_path / "x.db") as base:
        for left_out in base.top(most=2).also:
            assert left_out.reason.ask
            found = base.follow(left_out.reason.ask)
            assert {each.node.game for each in found.nodes} == {left_out.reason.values["game"]}


def test_wrong_values_are_refused(harbour: kb.KnowledgeBase) -> None:
    with pytest.raises(kb.QuestionError, match="nearest: rule"):
        harbour.top(kind="rules")  # type: ignore[arg-type]
    with pytest.raises(kb.QuestionError):
        harbour.top(under="999")


def test_command(harbour: kb.KnowledgeBase) -> None:
    code, said, _ = printed("top", of=harbour)
    assert code == 0 and "101 Winds" in said
    assert max(len(line) for line in said.splitlines() if "sansho " not in line) <= 80
    document = json.loads(printed("top", "--json", "--max", "1", of=harbour)[1])
    assert [set(each) for each in document["nodes"]] == [{"node", "count"}]
    assert document["more"]["ask"] == {"question": "top", "arguments": {"most": 2}}
    assert [each["reason"] for each in document["also"]] == ["all_editions_counted"]
    code, _, said = printed("top", "--linked", of=harbour)
    assert code == 1 and "No links" in said
    assert printed("top", "--kind", "rules", of=harbour)[0] == 2


@pytest.mark.shared
def test_the_rules_that_are_cited_most(rules_and_pages: kb.KnowledgeBase) -> None:
    found = rules_and_pages.top(game="mtg", most=10).nodes
    assert "704" in [each.node.number for each in found]
    assert len({each.node.edition for each in found}) == 1
