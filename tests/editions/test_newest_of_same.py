"""Of what several editions say in the same words, also but for typography, the newest is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

import kb
from kb.query.answers.bm25 import ScoredCandidate
from kb.query.answers.candidates import Candidate
from kb.query.answers.shortlist import newest_of_same
from kb.query.lookup.common_filters import Scope
from tests.rulebooks import build_books, rulebook

BOOK = """Harbour Comprehensive Rules

1. Harbour

100. Ships

100.1. A captain’s ship that “sinks” leaves the sea — see rule 100.2.

100.2. A sunken ship stays under water.
"""
STRAIGHT = BOOK.replace("’", "'").replace("“", '"').replace("”", '"').replace(" — ", "--")
REWORDED = BOOK.replace("under water", "below")


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> kb.KnowledgeBase:
    books = {("20200101", "en"): STRAIGHT, ("20210101", "en"): BOOK, ("20220101", "en"): REWORDED}
    return build_books(tmp_path_factory.mktemp("harbour"), books)


def test_search_and_concordances_have_it_once(harbour: kb.KnowledgeBase) -> None:
    hit = harbour.search("sinks", edition=None).hits[0]
    assert (hit.place.edition, [place.edition for place in hit.same]) == (
        "20220101",
        ["20210101", "20200101"],
    )
    [line] = harbour.kwic("sinks", merge_editions=True).lines
    assert line.place.edition == "20220101" and len(line.same) == 2


def test_an_answer_that_was_found_in_an_older_edition(harbour: kb.KnowledgeBase) -> None:
    store = harbour._store
    (rule,) = harbour.show("100.1", edition="20200101").matches
    [passage] = store.passages.passages_giving([rule.id])
    [indexed] = store.passages.lookup([passage]).values()
    old = ScoredCandidate(Candidate(indexed, "", None, "", ""), score=2.0)
    [newest], copies = newest_of_same(store, [old], Scope())
    assert newest.passage.edition == "20220101" and newest.score == 2.0
    assert len(copies[newest.passage.id]) == 2 and passage in copies[newest.passage.id]
    [kept], _ = newest_of_same(store, [old], Scope(edition="20200101"))
    assert kept.passage == indexed


def test_an_answer_in_other_words_stays(harbour: kb.KnowledgeBase) -> None:
    store = harbour._store
    (rule,) = harbour.show("100.2", edition="20200101").matches
    found = store.passages.lookup(store.passages.passages_giving([rule.id]))
    old = [ScoredCandidate(Candidate(each, "", None, "", "")) for each in found.values()]
    [newest], _ = newest_of_same(store, old, Scope())
    assert newest.passage.edition == "20210101"


def test_an_answer_is_that_of_the_newest(harbour: kb.KnowledgeBase) -> None:
    best = harbour.ask("What happens if a ship sinks?").answers[0]
    assert (best.place.number, best.place.edition) == ("100.1", "20220101")
    assert [place.edition for place in best.same] == ["20210101", "20200101"]


def test_a_rule_is_one_answer_in_its_newest_words(tmp_path: Path) -> None:
    """Moved and reworded since, and its number another rule's; one that is gone says so."""
    old = {
        "1": "Harbour", "100": "Ships",
        "100.1": "A ship that sinks leaves the sea at the end of the round in which it sank.",
        "100.2": "Salt that gets wet is worth nothing, whoever owns the barrels that it is in.",
    }  # fmt: skip
    new = {
        "1": "Harbour", "100": "Ships",
        "100.1": "Rafts carry neither captains nor goods.",
        "100.2": "A ship that sinks leaves the sea at the end of the turn in which it sank.",
    }  # fmt: skip
    books = {("20200101", "en"): rulebook(old), ("20210101", "en"): rulebook(new)}
    base = build_books(tmp_path, books)
    first, *others = base.ask("When does a ship that sank in a round leave the sea?").answers
    assert (first.node.number, first.place.edition) == ("100.2", "20210101")
    assert [(place.edition, place.number) for place in first.reworded] == [("20200101", "100.1")]
    assert first.node.rule not in {other.node.rule for other in others}
    [salt] = base.ask("What is salt worth that gets wet?", top=1).answers
    assert salt.since and salt.since.code == "rule_removed"
    [old_answer] = base.ask("When does a ship leave the sea?", edition="20200101", top=1).answers
    assert old_answer.place.edition == "20200101"
