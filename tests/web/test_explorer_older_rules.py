"""What is of an older edition says so, with the number of today."""

from __future__ import annotations

import re

from starlette.testclient import TestClient

import kb
from kb.web.base_counts import loaded

_OLD = "mtg/cr/20231117/en/121.4"


def _notes(page: str) -> list[str]:
    return re.findall(r'<p class="facts older">(.*?)</p>', page, re.DOTALL)


def test_an_old_rule_names_the_new_one(client: TestClient, base: kb.KnowledgeBase) -> None:
    old = base.present_rules([node.id for node in base.nodes("rule")])
    assert old
    for node_id, present in list(old.items())[:20]:
        assert kb.edition_key(present.of) < kb.edition_key(present.gone_in or present.edition)
        for page in ("node", "preview"):
            [note, *_] = _notes(client.get(f"/en/{page}/{node_id}").text)
            assert present.gone_in or f"/en/node/{present.id}" in note


def test_a_rule_of_the_newest_edition_bears_no_note(
    client: TestClient, base: kb.KnowledgeBase
) -> None:
    rules = [node.id for node in base.nodes("rule")]
    new = set(rules) - base.present_rules(rules).keys()
    assert new and not _notes(client.get(f"/en/node/{min(new)}").text)


def test_old_quotations_on_a_page_are_counted(client: TestClient, base: kb.KnowledgeBase) -> None:
    page = client.get("/en/node/mtgwiki/引く").text
    found = re.search(r"of an older edition \(2023-11-17\): (\d+)", page)
    quoted = base.refs("mtgwiki/引く", direction="out", kinds="quotes").nodes
    old = base.present_rules(list(quoted))
    assert bool(found) == bool(old)


def test_a_history_names_the_rule_that_had_its_number_before(
    client: TestClient, base: kb.KnowledgeBase
) -> None:
    pairs = loaded(base).edition_pairs()
    assert pairs
    for game, lang, before, after in pairs:
        numbers = {n.number for n in base.nodes("rule") if (n.edition, n.lang) == (before, lang)}
        diff = base.diff(before, after, game=game, lang=lang, kinds=("added", "split"))
        for change in diff.changes[:10]:
            assert change.after
            page = client.get(f"/en/trace?ref={game}/cr/{after}/{lang}/{change.after.number}").text
            assert ("this number was another rule" in page) == (change.after.number in numbers)


def test_of_an_edition_that_is_loaded_in_part_nothing_is_said_to_be_gone(
    client: TestClient,
) -> None:
    page = client.get("/en/node/mtg/cr/20231117/ja/121.4").text  # of 20240730 a chapter is there
    assert "no longer" not in page


def test_the_id_of_a_rule_is_no_title(client: TestClient, base: kb.KnowledgeBase) -> None:
    rule = base.show("121.4", game="mtg").matches[0].rule
    page = client.get("/en/show", params={"ref": rule}).text
    [title], [heading] = re.findall(r"<title>(.*?)<", page), re.findall(r"<h1>(.*?)</h1>", page)
    assert title.startswith("121.4 · ") and "121.4" in heading
    assert rule and rule not in title + heading
    page = client.get("/en/refs", params={"ref": rule, "direction": "in"}).text
    assert "what refers to it" in page.partition("Change the selection")[0]
