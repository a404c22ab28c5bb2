"""What a reference names in several editions, languages and games, and its references as text."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import kb
from graphs.model import Edge, EdgeKind, Evidence, Node
from graphs.store.titles import PageTitle
from kb.query.lookup.named_nodes import split_into_things
from kb.query.refs.refs import Refs
from tests.commands import run
from tests.pictures import parsed, texts
from tests.rulebooks import base_of, base_of_files, build_books, rulebook, write_books
from tests.webs import mediawiki

BOOK = """Harbour Comprehensive Rules

1. Harbour

100. Ships

100.1. A ship is a card with a sail. See rule 101, “Winds.”

100.2. A captain may board one empty ship, even if rule 101.1 says otherwise.

101. Winds

101.1. The wind turns once a round.{extra}

101.1a A becalmed ship stays where it is (see rule 101.1).
"""
JAPANESE = """ハーバー 総合ルール

1. 港

100. 船

100.1. 船とは、帆のあるカードである。rule 101〔風〕参照。

101. 風

101.1. 風は毎ラウンド1回変わる。
"""


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> kb.KnowledgeBase:
    """Three editions in English, one of them in Japanese too."""
    books = {
        ("20210101", "en"): BOOK.format(extra=""),
        ("20220101", "en"): BOOK.format(extra=""),
        ("20230101", "en"): BOOK.format(extra=" Storms count."),
        ("20220101", "ja"): JAPANESE,
    }
    return build_books(tmp_path_factory.mktemp("harbour"), books)


def test_a_number_means_the_rule_in_all_editions_and_languages(harbour: kb.KnowledgeBase) -> None:
    found = harbour.refs("101")
    named = [(node.edition, node.lang) for node in found.named]
    assert named == [("20230101", "en"), ("20220101", "ja"), ("20220101", "en"), ("20210101", "en")]
    assert found.node == found.named[0] and not found.also
    cites = harbour.refs("101", direction="in", kinds="cites").edges
    assert len(cites) == 4 and {edge.target for edge in cites} == {node.id for node in found.named}
    assert len(harbour.refs("101", lang="ja").named) == 1


def test_json_says_what_is_named(harbour: kb.KnowledgeBase) -> None:
    document = json.loads(run("refs", "101", "--json", of=harbour).stdout)
    assert document["node"] == document["named"][0] and len(document["named"]) == 4
    assert document["also"] == []
    assert {edge["kind"] for edge in document["edges"]} >= {"part_of", "quotes", "cites"}


def test_a_heading_names_a_term_in_both_languages_and_leads_to_the_rule(
    harbour: kb.KnowledgeBase,
) -> None:
    for heading in ("Winds", "風"):
        found = harbour.refs(heading)
        assert [node.id for node in found.named] == ["harbour/term/風"]
        assert found.also[0].id.endswith("/101")
    assert [node.lang for node in harbour.refs("Winds", lang="en").named] == ["en"] * 3


def test_editions_that_say_the_same_are_one_reference(harbour: kb.KnowledgeBase) -> None:
    [found] = harbour.refs("101", direction="in", kinds=["cites"]).references()
    assert (found.other and found.other.number, found.editions) == (
        "100.1",
        ("20210101", "20220101", "20230101"),
    )
    assert found.edge.source.startswith("harbour/cr/20230101/en") and len(found.edges) == 4
    said = run("refs", "101", "--kind", "cites", of=harbour).stdout
    assert "Cited by 1 rule." in said and said.count("100.1") == 1
    assert "(20210101, 20220101, 20230101)" in " ".join(said.split())


def test_what_a_rule_says_of_itself_is_left_out_and_counted(harbour: kb.KnowledgeBase) -> None:
    found = harbour.refs("101.1", with_parts=True, lang="en")
    assert not {"part_of", "quotes"} & {each.edge.kind for each in found.references()}
    within = [each for each in found.self_references() if each.kind == "cites"]
    assert len(within) == 3  # 101.1a cites 101.1
    assert len(found.references(everything=True)) > len(found.references())
    said = run("refs", "101.1", "--with-parts", "--lang", "en", of=harbour).stdout
    assert "101.1a" not in said.split("Left out")[0] and "references to itself (3)" in said
    assert "101.1a" in run("refs", "101.1", "--with-parts", "--all", of=harbour).stdout
    assert "--with-parts" in run("refs", "101.1", of=harbour).stdout
    none = run("refs", "101.1", "--kind", "mentions", "--lang", "en", of=harbour).stdout
    assert "101.1" in none and "--with-parts" not in none  # its sub-rules have none either


def test_kinds_that_are_asked_for_are_shown(harbour: kb.KnowledgeBase) -> None:
    said = run("refs", "101", "--kind", "part_of", of=harbour).stdout
    assert "Contains 1 rule" in said and "Left out" not in said


def test_a_cut_list_says_how_to_go_on(harbour: kb.KnowledgeBase) -> None:
    said = run("refs", "101", "--kind", "cites", "--max", "1", of=harbour).stdout
    assert "Cut at" not in said  # one rule cites it, in all editions and languages
    said = run("refs", "101.1", "--with-parts", "--all", "--max", "1", of=harbour).stdout
    assert " more" in said and "sansho refs 101.1 --max" in said


def test_wrong_kinds_are_refused_with_the_right_one(harbour: kb.KnowledgeBase) -> None:
    assert harbour.refs("101", kinds="cites,part_of").edges
    done = run("refs", "101", "--kind", "mention", of=harbour)
    assert done.exit_code == 2 and "nearest: mentions" in done.stderr


def test_things_of_one_name_are_told_apart() -> None:
    def rule(edition: str, number: str, game: str = "mtg", newest: str = "5") -> Node:
        node_id, of_rule = f"{game}/cr/{edition}/en/{number}", f"{game}/rule/{newest}@2/en"
        return Node(node_id, "rule", game, None, "en", edition, number, rule=of_rule)

    page, other = Node("mtgwiki/a", "page", game="mtg"), Node("dmwiki/a", "page", game="dm")
    nodes = [rule("1", "5"), rule("2", "5"), rule("1", "5", "dm"), page, other]
    assert [len(thing) for thing in split_into_things(nodes)] == [2, 1, 1, 1]
    # A rule that moved is one thing; two rules that had a number in turn are two.
    assert [len(thing) for thing in split_into_things([rule("1", "6"), rule("2", "5")])] == [2]
    others = [Node("x/term/a", "term", game="x"), rule("1", "6"), rule("2", "5")]
    assert [len(thing) for thing in split_into_things(others)] == [1, 2]
    both = [rule("2", "5"), rule("1", "5", newest="6")]
    assert [len(thing) for thing in split_into_things(both)] == [1, 1]


def test_other_senses_are_named_with_how_to_ask(tmp_path: Path) -> None:
    with base_of_files(
        tmp_path, {"page.html": mediawiki("帆", "<b>帆</b>は帆である。")}, game="mtg"
    ) as base:
        found = base.refs("帆")
        others = {left_out.id: left_out for left_out in found.also}
        assert found.node.id not in others and others
        for left_out in others.values():
            assert str(left_out.reason).startswith("a ") and left_out.reason.ask
            assert base.follow(left_out.reason.ask).node.id == left_out.id
        said = run("refs", "帆", of=base).stdout
        assert "also" in said and next(iter(others)) in said


def test_a_rule_of_another_game_is_asked_about_if_it_has_references(tmp_path: Path) -> None:
    books = {
        "harbour": BOOK.format(extra=""),
        "island": BOOK.format(extra="").replace("See rule 101, “Winds.”", "It floats."),
    }
    folders = [
        write_books(tmp_path / game, {("20210101", "en"): book}, game)
        for game, book in books.items()
    ]
    with base_of(folders, tmp_path / "x.db") as base:
        asked = [
            base.refs("101", game="harbour", direction="in", kinds="cites", with_parts=parts)
            for parts in (True, False)
        ]
        assert all(found.edges for found in asked)
        for parts, question in ((True, "refs"), (False, "show")):
            scoped = base.refs("101", direction="in", kinds="cites", with_parts=parts)
            [other] = scoped.also
            assert other.id and other.reason.ask and other.reason.ask.question == question
            found = base.follow(other.reason.ask)
            assert found.edges if question == "refs" else found.matches[0].id == other.id
        [at_the_end] = base.path("100.1", "101", game="harbour").also or [None]
        assert at_the_end is None
        for left_out in base.path("harbour/cr/20210101/en/100.1", "101").also:
            assert left_out.reason.ask == kb.Ask("show", ref=left_out.id)


def test_a_number_is_of_the_game_that_has_references(tmp_path: Path) -> None:
    silent = BOOK.format(extra="").replace("See rule 101, “Winds.”", "It floats.")
    books = {"harbour": ("20210101", BOOK.format(extra="")), "island": ("20220101", silent)}
    folders = [
        write_books(tmp_path / game, {(edition, "en"): book}, game)
        for game, (edition, book) in books.items()
    ]
    with base_of(folders, tmp_path / "x.db") as base:
        assert base.refs("100.1").node.game == "harbour"  # what contains what does not count
        cited = base.refs("101", direction="in", kinds="cites")
        assert cited.edges and cited.node.game == "harbour"
        [other] = cited.also
        assert other.id == "island/cr/20220101/en/101"
        assert other.reason.ask == kb.Ask("show", ref=other.id)
        assert base.refs("101", kinds="links_to").node.game == "island"  # neither has any


def test_the_same_concept_has_no_direction(base: kb.KnowledgeBase) -> None:
    edges = [edge for edge in base.refs("引く", game="mtg").edges if edge.kind == "same_concept"]
    assert edges
    for term in {end for edge in edges for end in (edge.source, edge.target) if end}:
        for reference in base.refs(term, kinds="same_concept").references():
            assert not reference.inward and reference.other and reference.other.id != term


def test_one_picture_of_all_editions(harbour: kb.KnowledgeBase) -> None:
    picture = harbour.draw("101", kinds=["cites"])
    said = texts(parsed(picture.svg()))
    assert sum("100.1" in text for text in said) == 1  # in all editions and languages
    assert picture.as_json()["also"] == []


@pytest.mark.shared
def test_the_page_that_cites_another_edition(rules_and_pages: kb.KnowledgeBase) -> None:
    base = rules_and_pages
    words = ["refs", "401.5", "--direction", "in", "--kind", "cites"]
    said = run(*words, of=base).stdout
    assert (
        "引く › ルール" in said
        and "CR:401.5" in said
        and "→ edition 20231117" in " ".join(said.split())
    )
    found = base.refs("引く", game="mtg")
    page, english = found.also
    assert page.id == "mtgwiki/引く" and english.reason.values["langs"] == ("en",)
    assert english.reason.ask == kb.Ask("search", text="Draw", game="mtg", lang="en")
    assert not base.refs("引く", game="mtg", kinds="links_to").also[1:]


def test_one_line_for_each_rule_or_page(tmp_path: Path) -> None:
    book = (
        "Harbour Comprehensive Rules\n\n1. Harbour\n\n100. Ships\n\n"
        "100.1. A ship is a card with a sail. See rule 401.5 and rule 402.1.\n\n"
        "100.2. Winds move ships (see rule 101). Storms do so twice (see rule 101).\n\n"
        "101. Winds\n\n101.1. The wind turns once a round.\n"
    )
    pages = {
        "船": "帆のあるカード。</p><h2>規則</h2><p>帆は一枚だけ張る。帆は畳める。",
        "帆": "<b>帆</b>は船の部品である。",
    }
    for name, content in pages.items():
        (tmp_path / f"{name}.html").write_text(mediawiki(name, content))
    books = write_books(tmp_path / "books", {("20230101", "en"): book})
    sources = [books, *(tmp_path / f"{name}.html" for name in pages)]
    with base_of(sources, tmp_path / "x.db", game="harbour") as base:
        [line] = base.refs("101", direction="in", kinds="cites").groups()
        assert (line.first.other and line.first.other.number, line.times) == ("100.2", 2)
        said = " ".join(run("refs", "100", "--with-parts", of=base).stdout.split())
        assert "Cites 2 rules that are not loaded and 1 rule." in said
        assert "Not loaded: rules 401.5 and 402.1 are not among the loaded rules" in said
        groups = base.refs("帆", kinds="mentions").groups()
        assert [(each.times, each.is_page) for each in groups] == [(2, True), (3, True)]
        said = run("refs", "帆", of=base).stdout
        assert "mentioned by 2 pages" in said and "×3" in said and said.count("船 ") == 1


def test_links_and_mentions_at_one_page_are_one_line() -> None:
    def edge(kind: EdgeKind, passage: str, start: int, page: str = "w/船") -> Edge:
        evidence = Evidence(page, f"{page}¶{passage}", start, start + 1, "帆")
        return Edge(kind, f"{page}¶{passage}", "h/term/帆", "帆", evidence)

    edges = [
        edge("links_to", "1", 0), edge("links_to", "2", 0), edge("mentions", "1", 0),
        edge("mentions", "2", 5), edge("mentions", "3", 0, "w/港"),
    ]  # fmt: skip
    nodes = {each.source: Node(each.source, "passage", text="帆の文", source="w") for each in edges}
    nodes["h/term/帆"] = Node("h/term/帆", "term", label="帆")
    pages = {page: PageTitle(page[2:], None, "w", None, "ja") for page in ("w/船", "w/港")}
    found = Refs(
        nodes["h/term/帆"],
        tuple(edges),
        (1,) * 5,
        (True,) * 5,
        nodes,
        centre=frozenset({"h/term/帆"}),
        pages=pages,
    )
    counts = [(each.first.edge.kind, each.times, each.mentioned) for each in found.groups()]
    assert counts == [("links_to", 2, 1), ("mentions", 1, 0)] and found.linked_mentions() == 1
    counts = [(each.times, each.mentioned) for each in found.groups(everything=True)]
    assert counts == [(2, 2), (1, 0)]


def test_sections_of_a_rulebook_are_far_ends_of_their_own() -> None:
    page, term = "h/cr/20230101/en", Node("h/term/sail", "term", label="sail")
    titles = {f"{page}#{number}": title for number, title in ((100, "Ships"), (101, "Winds"))}
    nodes = {id: Node(id, "section", label=title) for id, title in titles.items()}
    edges = tuple(
        Edge("mentions", id, term.id, "sail", Evidence(page, f"{id}¶1", 0, 4, "sail"))
        for id in titles
    )
    pages = {page: PageTitle("Rules", "h", "rulebook", "20230101", "en")}
    found = Refs(term, edges, (1, 1), (True, True), nodes, centre=frozenset({term.id}), pages=pages)
    assert [each.first.other.label for each in found.groups() if each.first.other] == [
        "Ships", "Winds",
    ]  # fmt: skip


def test_a_reason_without_the_target_names_it(tmp_path: Path) -> None:
    link = '<a class="external" href="http://v.example/x">x</a>'
    with base_of_files(tmp_path, {"a.html": mediawiki("甲", link)}, site="mtgwiki") as base:
        shown = run("refs", "mtgwiki/甲", of=base).stdout
    assert "Not loaded: outside the known sites: http://v.example/x" in shown


def test_a_rule_that_moved_is_called_by_its_newest_number_with_each_wording(
    tmp_path: Path,
) -> None:
    """What cited a part under another number, as a rule with another number, says so by edition."""
    old = {
        "100": "Ships", "100.1": "A ship that leaves the harbour is laid down beside the quay.",
        "100.1a": "A ship that returns is unloaded at once, whoever sails her.",
        "100.1b": "A ship that sinks is put into the deep, see rule 100.1a.",
        "101": "Crews", "101.1": "A crew may leave its ship in any port, see rule 100.1a.",
        "102": "Storms", "102.1": "A storm lasts until the end of the turn in which it began.",
    }  # fmt: skip
    new = {
        **{key: words for key, words in old.items() if key < "100.1a" or key == "102"},
        "100.1a": "A ship that nobody sails stays where she is, whatever happens.",
        "100.1b": old["100.1a"],
        "100.1c": old["100.1b"].replace("100.1a", "100.1b"),
        "101": "Weather", "101.1": old["102.1"],
        "102": "Crews", "102.1": old["101.1"].replace("100.1a", "100.1b"),
    }  # fmt: skip
    books = {("20240101", "en"): rulebook(old), ("20250101", "en"): rulebook(new)}
    with build_books(tmp_path, books) as base:
        found = base.refs("100.1", direction="in", kinds="cites", with_parts=True)
        [line] = found.groups()
        assert line.first.other is not None and line.first.other.number == "102.1"
        assert [
            (one.number, one.edge.evidence.text, one.editions) for one in line.wordings(found.nodes)
        ] == [
            ("102.1", "rule 100.1b", ("20250101",)),
            ("101.1", "rule 100.1a", ("20240101",)),
        ]
        [within] = found.groups_within()
        assert within.first.other is not None and within.first.other.number == "100.1c"


def test_two_rules_of_a_chapter_have_no_other_connection(tmp_path: Path) -> None:
    rules = {"5": "Ships", "5.1": "Hulls float.", "5.2": "Sails are white.", "5.3": "See rule 5.1."}
    base = build_books(tmp_path, {("20240101", "en"): rulebook(rules)})
    found = base.path("5.1", "5.2", most=1)
    assert found.lists[0] and found.lists[0].number == "5"
    shown = run("path", "5.1", "5.2", of=base).stdout
    assert "no connection but that both are in one chapter" in shown
    assert base.path("5.1", "5.3", most=1).lists == (None,)


def test_names_that_stand_together_in_english(base: kb.KnowledgeBase) -> None:
    """In English rules names are no edges: a path says where both stand, and how to see it."""
    left_out = base.path("Draw", "Hand").also[0]
    assert left_out.reason.code == "stand_together" and left_out.reason.ask
    hits = base.follow(left_out.reason.ask)
    assert hits and len(hits) == left_out.reason.values["rules"]
    for hit in hits:
        assert re.search(r"\bdraw.*\bhand|\bhand.*\bdraw", hit.node.text or "", re.I | re.S), hit
    in_japanese = base.path("Draw", "Hand", lang="ja").also
    assert all(each.reason.code != "stand_together" for each in in_japanese)


def test_references_are_shown_in_the_language_of_the_reader(tmp_path: Path) -> None:
    """A page in Japanese shows Japanese words where any edition has them, though English is newer;
    what no edition has in it is shown in the newest."""
    english = {"100": "Ships", "100.1": "A ship sails (see rule 100.2).", "100.2": "It floats."}
    japanese = {"100": "船", "100.1": "船は進む（ルール100.2参照）。", "100.2": "船は浮く。"}
    books = {
        ("20230101", "ja"): rulebook(japanese),
        ("20230101", "en"): rulebook(english),
        ("20240101", "en"): rulebook(english),
    }
    base = build_books(tmp_path, books)
    found = base.refs("100.2", direction="in", kinds="cites")
    for lang, shown in (("ja", "ja"), ("en", "en"), ("zh", "en"), (None, "en")):
        [line] = found.groups(lang=lang)
        assert line.first.other and line.first.other.lang == shown, lang
        assert line.editions == ("20230101", "20240101")


def test_parts_count_where_they_stood_elsewhere(tmp_path: Path) -> None:
    """What is below a rule now was a rule beside it once: what cited it then leans on the rule."""
    steers = "The captain of a ship steers it between the rocks for as long as the tide is out."
    sleeps = "A captain who is asleep hands the wheel to the oldest sailor who is on the deck."
    harbour = {"1": "Ships", "100": "Crews", "100.1": "Each crew has a cook and a parrot."}
    oath = "Whoever enters the harbour at night swears an oath"
    old = harbour | {"100.2": steers, "100.2a": sleeps, "101": "Oaths"}
    new = harbour | {
        "100.2": "Captains give orders.",
        "100.2a": "Orders are short.",
        "101": "Oaths",
    }
    new |= {"100.2b": steers, "100.2c": sleeps}
    books = {
        ("20220101", "en"): rulebook(old | {"101.1": f"{oath} (see rule 100.2a)."}),
        ("20230101", "en"): rulebook(new | {"101.1": f"{oath}."}),
        ("20240101", "en"): rulebook(new | {"101.1": f"{oath}."}),
    }
    base = build_books(tmp_path, books)
    part = base.refs("100.2c", direction="in", kinds="cites")
    assert {edge.evidence.text for edge in part.edges} == {"rule 100.2a"}
    for most in (None, 50):
        whole = base.refs("100.2", direction="in", kinds="cites", with_parts=True, most=most)
        assert {*part.edges} <= {*whole.edges} and whole.groups(), most
