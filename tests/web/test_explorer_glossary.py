"""The glossary: in the order of dictionaries, each name once, its language said."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient

import kb
from kb.web.pages.glossary import _entries, _plain


@pytest.mark.parametrize("order", ["en", "ja"])
def test_each_name_stands_once_and_none_that_is_only_proposed(
    base: kb.KnowledgeBase, order: str
) -> None:
    concepts = list(base.termbase(game="mtg", uses=False))
    entries = _entries(concepts, "ja" if order == "ja" else "en")
    names = [(entry.names[0].lang, entry.names[0].text.casefold()) for entry in entries]
    assert len(names) == len({*names}) > 50
    assert {i for e in entries for i in (e.id, *e.others)} == {each.id for each in concepts}
    assert not [name for entry in entries for name in entry.names if name.why == "proposed"]
    keys = [entry.key for entry in entries]
    assert keys == sorted(keys)


def test_voiced_kana_stand_among_the_others() -> None:
    words = ["はっせい", "ばあい", "はいぼく", "ぱーまねんと", "はかい"]
    assert sorted(words, key=_plain) == ["ばあい", "はいぼく", "はかい", "はっせい", "ぱーまねんと"]


def test_only_the_languages_that_are_said_stand_beside_a_name(client: TestClient) -> None:
    page = client.get("/en/glossary?game=mtg").text
    assert "English, beside it Japanese" in page
    assert {*re.findall(r'class="other-name" lang="(\w+)"', page)} <= {"ja"}
