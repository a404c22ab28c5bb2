"""Texts with their references in place: which words lead where."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import kb
from kb.query.show.linked_text import LinkedText, TextLink, _without_overlaps
from tests.altered import altering
from tests.rulebooks import base_of, build_books
from tests.webs import mediawiki

BOOK = """Harbour Comprehensive Rules

1. Harbour

100. Ships

100.1. A ship is a card with a sail. See rule 101, “Winds.”

100.2. A captain who boards does this:
• she shows a card (see rule 101.1);
• she pays, as rule 999.9 says, and rule 101.1 too.
Example: A captain without a card looks at rule 100.1.

101. Winds

101.1. The wind turns once a round.
"""
Shown = list[tuple[str, str, str | None]]


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> kb.KnowledgeBase:
    books = {("20210101", "en"): BOOK, ("20220101", "en"): BOOK.replace("once", "twice")}
    return build_books(tmp_path_factory.mktemp("harbour"), books)


def shown(text: LinkedText) -> Shown:
    return [(text.text[link.start : link.end], link.kind, link.target) for link in text.links]


def only(base: kb.KnowledgeBase, node_id: str) -> LinkedText:
    found = base.linked_texts([node_id])
    assert list(found) == [node_id]
    return found[node_id]


def test_a_rule_has_its_citations_in_its_own_text(harbour: kb.KnowledgeBase) -> None:
    book = "harbour/cr/20220101/en"
    text = only(harbour, f"{book}/100.1")
    assert text.text.startswith("A ship is")  # and not with the number, as the passage does
    assert ("rule 101", "cites", f"{book}/101") in shown(text)
    passage = only(harbour, text.passage or "")
    assert passage.text.startswith("100.1") and passage.passage == passage.id
    assert shown(passage) == shown(text)


def test_a_rule_of_several_paragraphs_has_the_references_of_all(harbour: kb.KnowledgeBase) -> None:
    book = "harbour/cr/20210101/en"
    text = only(harbour, f"{book}/100.2")
    cites = [each for each in shown(text) if each[1] == "cites"]
    assert cites == [
        ("rule 101.1", "cites", f"{book}/101.1"),
        ("rule 999.9", "cites", None),
        ("rule 101.1", "cites", f"{book}/101.1"),
    ]  # in the edition of the text; that of the example is not in it
    [dangling] = [link for link in text.links if link.target is None]
    assert dangling.label == "999.9" and dangling.reason


def test_many_texts_come_in_the_order_asked_for_without_those_that_are_none(
    harbour: kb.KnowledgeBase,
) -> None:
    rules = [rule.id for rule in harbour.nodes("rule")][::-1]
    found = harbour.linked_texts([*rules, "harbour/none", *rules])
    assert list(found) == rules
    assert all(found[rule.id].text == rule.text for rule in harbour.nodes("rule"))
    assert not harbour.linked_texts([])
    with pytest.raises(kb.QuestionError, match="ids is None"):
        harbour.linked_texts([None])  # type: ignore[list-item]


def test_a_link_to_a_page_has_the_term_of_that_page_beside_it(tmp_path: Path) -> None:
    pages = {
        "錨": "<b>錨</b>（いかり）とは、船を止める札である。",
        "帆走": '<a href="/錨">錨</a>を上げてから進む。錨は<a href="/竜骨">竜骨</a>に付く。',
    }
    for name, content in pages.items():
        (tmp_path / f"{name}.html").write_text(mediawiki(name, content), "utf-8")
    with base_of([tmp_path], tmp_path / "kb.db", game="mtg", lang="ja") as base:
        text = only(base, base.search("錨を上げてから").hits[0].node.id)
        link, mention, dangling = text.links
        assert (link.kind, text.text[link.start : link.end]) == ("links_to", "錨")
        assert link.target and link.also == ("mtg/term/錨",)
        assert (mention.kind, mention.target, mention.also) == ("mentions", "mtg/term/錨", ())
        assert mention.start > link.end
        assert (dangling.kind, dangling.target, dangling.label) == ("links_to", None, "竜骨")
        json.dumps(text.as_json())


def link(start: int, end: int, kind: str, target: str | None = "a") -> TextLink:
    return TextLink(start, end, target, target or "?", kind)


@pytest.mark.parametrize(
    ("links", "kept"),
    [
        ([link(0, 9, "mentions"), link(2, 4, "links_to")], [link(2, 4, "links_to")]),
        ([link(0, 9, "links_to"), link(8, 12, "cites")], [link(8, 12, "cites")]),
        ([link(0, 3, "mentions"), link(2, 9, "mentions")], [link(2, 9, "mentions")]),
        ([link(3, 5, "cites"), link(0, 3, "cites")], [link(0, 3, "cites"), link(3, 5, "cites")]),
        ([link(1, 2, "mentions"), link(1, 2, "mentions")], [link(1, 2, "mentions")]),
        ([link(1, 2, "mentions"), link(1, 2, "cites")], [link(1, 2, "cites")]),
        ([link(1, 2, "cites", None), link(1, 2, "cites", "b")], [link(1, 2, "cites", "b")]),
        (
            [link(1, 2, "mentions", "c"), link(1, 2, "links_to", "b"), link(1, 2, "mentions", "d")],
            [TextLink(1, 2, "b", "b", "links_to", None, ("c", "d"))],
        ),
    ],
)
def test_of_links_that_overlap_the_strongest_and_longest_is_kept(
    links: list[TextLink], kept: list[TextLink]
) -> None:
    assert list(_without_overlaps(links)) == kept == list(_without_overlaps(links[::-1]))


def test_every_text_of_the_sample_stands_in_a_passage(base: kb.KnowledgeBase) -> None:
    for kind in ("passage", "rule", "step", "outcome", "ruling"):
        nodes = {node.id: node for node in base.nodes(kind) if node.text}  # type: ignore[arg-type]
        found = base.linked_texts(nodes)
        assert found.keys() == nodes.keys()
        for text in found.values():
            assert text.text == nodes[text.id].text and text.passage
            ends = [end for link in text.links for end in (link.start, link.end)]
            assert ends == sorted(ends)


def test_all_references_of_a_passage_are_shown(base: kb.KnowledgeBase) -> None:
    passages = [node.id for node in base.nodes("passage")]
    texts = base.linked_texts(passages)
    asked = 0
    for passage in passages[::7]:
        for edge in base.refs(passage, direction="out", kinds=["cites", "links_to"]).edges:
            if edge.evidence.passage != passage or edge.evidence.start == edge.evidence.end:
                continue
            asked += 1
            places = [x for x in texts[passage].links if x.start <= edge.evidence.start < x.end]
            assert any(edge.target in (None, x.target, *x.also) for x in places), edge
    assert asked > 50


def test_an_edge_beyond_its_text_is_said_to_be_damage(
    tmp_path: Path, harbour: kb.KnowledgeBase
) -> None:
    copy = tmp_path / "kb.db"
    copy.write_bytes(harbour.file.read_bytes())
    with altering(copy) as db:
        db.execute("UPDATE edge SET \"end\" = 999999 WHERE kind = 'cites'")
    with kb.open(copy) as base, pytest.raises(kb.StoreError, match="damaged"):
        base.linked_texts([rule.id for rule in base.nodes("rule")])


GLOSSARY = """Harbour Comprehensive Rules

1. Harbour

100. Ships

100.1. If a captain boards long ships, she loses the sea game. See rule 100.2.

100.2. A captain’s long boarding ends.

Glossary

Board
To enter a ship.

Captain
Who leads a ship.

If
A word in a condition.

Long Ship
A ship that is long.

Ship
What swims.
"""


def test_names_of_terms_in_english_texts(tmp_path: Path) -> None:
    """Inflections count, the longest name wins, everyday words are no names."""
    with build_books(tmp_path, {("20210101", "en"): GLOSSARY}) as base:
        rules = {rule.number: rule.id for rule in base.nodes("rule")}
        texts = base.linked_texts([rules["100.1"], rules["100.2"]])
    named = [
        (words, target.rpartition("/")[2])
        for words, kind, target in shown(texts[rules["100.1"]])
        if kind == "name" and target
    ]
    assert named == [("captain", "Captain"), ("boards", "Board"), ("long ships", "Long Ship")]
    names = [words for words, kind, _ in shown(texts[rules["100.2"]]) if kind == "name"]
    assert names == ["captain", "boarding"]


def test_of_terms_of_one_name_the_most_used_comes_first(tmp_path: Path) -> None:
    build_books(tmp_path, {("20210101", "en"): GLOSSARY}).close()
    with altering(tmp_path / "kb.db") as db:  # the captain gets the name of the ship
        db.execute(
            "UPDATE label SET text = 'Ship' WHERE text = 'Captain' AND node IN "
            "(SELECT key FROM node WHERE kind = 'term')"
        )
    for moved, first in ((False, "Captain"), (True, "Ship")):
        with altering(tmp_path / "kb.db") as db:
            db.execute(
                "UPDATE edge SET target = (SELECT key FROM node WHERE id = 'harbour/term/Ship') "
                "WHERE ? AND target = (SELECT key FROM node WHERE id = 'harbour/term/Captain')",
                (moved,),
            )
        with kb.open(tmp_path / "kb.db") as base:
            [rule] = [rule.id for rule in base.nodes("rule") if rule.number == "100"]
            [link] = only(base, rule).links
            assert link.target == f"harbour/term/{first}" and len(link.also) == 1


def test_a_participle_is_no_name_of_another_and_an_everyday_verb_none(tmp_path: Path) -> None:
    glossary = """
Glossary

Blocked Ship
A ship that is held in the harbour.

Blocking Ship
A ship that holds another.

Moor
To tie a ship to the quay.

Removed
Taken away.
"""
    book = "Harbour Comprehensive Rules\n\n100. Ships\n\n100.1. A blocking ship moored beside "
    book += "blocked ships is removed, and blocks a ship.\n"
    books = {("20210101", "en"): book + glossary}
    with build_books(tmp_path, books) as base:
        [found] = base.linked_texts(["harbour/cr/20210101/en/100.1"]).values()
    assert [each for each in shown(found) if each[1] == "name"] == [
        ("blocking ship", "name", "harbour/term/Blocking Ship"),
        ("moored", "name", "harbour/term/Moor"),
        ("blocked ships", "name", "harbour/term/Blocked Ship"),
    ]


def test_words_of_addresses_and_of_other_words_are_no_names(tmp_path: Path) -> None:
    glossary = """
Glossary

Backup
A second sail.

Harbourer
Who owns the quay.

Limited
A way to race.

Role
What a sailor does.
"""
    book = "Harbour Comprehensive Rules\n\n100. Ships\n\n100.1. See WPN.Harbourer.com. Crews limit "
    book += "the cargo, and a wave rolls them to back up. A limited crew has roles and a backup.\n"
    with build_books(tmp_path, {("20210101", "en"): book + glossary}) as base:
        [found] = base.linked_texts(["harbour/cr/20210101/en/100.1"]).values()
    names = [words for words, kind, _ in shown(found) if kind == "name"]
    assert names == ["limited", "roles", "backup"]
