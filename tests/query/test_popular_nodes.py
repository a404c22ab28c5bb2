"""Nodes that very much is said of: what is read for them is bounded, and the answer says so."""

from __future__ import annotations

from dataclasses import replace

import pytest

import kb
from kb.cli.render.lookup import print_term
from kb.query.show import term_profile
from kb.query.statements import steps_and_outcomes


def test_what_is_looked_for_at_mentions_says_that_not_all_were_looked_at(
    base: kb.KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    mentioned = {
        "outcome": "mtg/term/引く", "procedure": "dm/term/使う", "ruling": "ygo/term/ドロー",
    }  # fmt: skip

    def said(kind: str, term: str = "") -> list[kb.LeftOut]:
        questions = {"outcome": base.outcomes, "procedure": base.steps, "ruling": base.rulings}
        left_out: tuple[kb.LeftOut, ...] = questions[kind](term or mentioned[kind]).also  # type: ignore[operator]
        return [each for each in left_out if "looked at" in str(each)]

    assert not said("outcome") and not said("procedure") and not said("ruling")
    monkeypatch.setattr(steps_and_outcomes, "MOST_MENTIONS", 3)
    for kind, term in mentioned.items():
        [cut] = said(kind)
        assert cut.id == term and "the first 3 mentions" in str(cut)
        assert cut.reason.ask == kb.Ask("search", mentions=term, kind=kind)
    assert not said("ruling", "mtg/term/引く")  # which no ruling mentions


def test_the_profile_of_a_term_is_that_of_its_first_mentions(
    base: kb.KnowledgeBase,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def profile(node_id: str) -> kb.TermProfile:
        found = base.show(node_id).entries[0].term
        assert found
        return found

    asked = {"ygo/term/ドロー", *(term.id for term in base.nodes("term") if term.game == "ygo")}
    term = max(asked, key=lambda each: (profile(each).rulings > 0, profile(each).mentions))
    whole = profile(term)
    assert whole.read == whole.mentions > 2 and whole.rulings
    monkeypatch.setattr(term_profile, "_MAX_READ", 2)
    part = profile(term)
    assert (part.read, part.mentions >= whole.mentions) == (2, True)
    assert part.rulings <= whole.rulings and sum(each.count for each in part.spellings) == 2
    monkeypatch.setattr(term_profile, "_MAX_READ", whole.mentions - 1)
    part = replace(profile(term), rulings=7)
    print_term(base.show(term).matches[0], part, term)
    said = " ".join(capsys.readouterr().out.split())
    assert f"7 rulings among the first {part.read} mentions" in said


def test_what_cites_a_rule_is_counted_by_rules_and_pages(base: kb.KnowledgeBase) -> None:
    context = base.show("704", lang="ja").entries[0].rule
    assert context
    edges = base.refs("704", lang="ja", direction="in", kinds="cites").edges
    nodes = {node.id: node for node in [*base.nodes("rule"), *base.nodes("passage")]}
    numbers = {nodes[edge.source].number for edge in edges}
    assert context.cited_by.rules and numbers.issuperset(context.cited_by.rules)
    pages = {edge.evidence.page for edge in edges if nodes[edge.source].kind == "passage"}
    assert context.cited_by.pages == len([each for each in pages if each[:8] != "rulebook"])
