"""Who is said to give a name: the page that defines it, else the newest rulebook that writes it."""

from __future__ import annotations

from dataclasses import replace

import pytest

import kb
from graphs.store.termbase_rows import NameRow
from kb.query.lookup.preferred_names import RulebookUses, authority_of
from tests.rulebooks import base_of, described, wiki_source

RULES = """合成ゲーム 総合ルール
このルールは{date}から有効です。

1. ゲームの考え方

100. 原則

100.1. 手番の始めに{word}を行う。

100.2. 山札は札の束である。
"""
WIKI = "*山札 [#top]\n札の束。[[起因処理]]と[[盤面処理]]を参照。[[手札]]も参照。\n"
HAND = "*手札 [#top]\n引いた札を持つ場所。\n"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> kb.KnowledgeBase:
    folder = tmp_path_factory.mktemp("authority")
    uses = [("2024年7月30日", "起因処理と盤面処理"), ("2026年1月16日", "手札の起因処理")]
    books = {f"{date}.txt": RULES.format(date=date, word=word) for date, word in uses}
    rules = described(folder / "rulebook", books, site="rulebook", game="dm")
    wiki = wiki_source(folder / "dmwiki", {"山札": WIKI, "手札": HAND}, "dmwiki")
    return base_of([wiki, rules], folder / "x.db")


@pytest.mark.parametrize(
    ("term", "authority", "edition"),
    [
        ("起因処理", "合成ゲーム 総合ルール (20260116)", "20260116"),
        ("盤面処理", "合成ゲーム 総合ルール (20240730)", "20240730"),
        ("手札", "手札 (dmwiki)", None),  # its own page defines it
    ],
)
def test_a_rulebook_that_writes_a_name_comes_before_a_page_that_only_links_it(
    base: kb.KnowledgeBase, term: str, authority: str, edition: str | None
) -> None:
    [concept] = base.termbase(f"dm/term/{term}")
    [name] = [name for name in concept.names if name.lang == "ja"]
    assert (name.authority, name.edition) == (authority, edition)
    [compared] = base.compare(f"dm/term/{term}").rows[0].names
    assert (compared.authority, compared.passage) == (authority, name.passage)


def test_an_older_rulebook_does_not_come_before_a_newer_page() -> None:
    old = NameRow(
        "x/term/a", "ja", "a", "preferred", "wiki", "20250101", "p", "page", None, False, 1
    )
    use = ("20240730", "q", "rules", None)
    uses = RulebookUses.__new__(RulebookUses)
    uses._newest = {("x/term/a", "ja", "a"): use}
    assert uses.giver(old) is old
    assert uses.giver(replace(old, edition="20230101")).page == "rules"
    assert uses.giver(replace(old, role="alias", edition="20230101")).page == "page"


def test_a_page_of_the_rule_viewer_is_called_by_its_section() -> None:
    assert authority_of("cr/r/704", None, "wisdom-guild") == "総合ルール 704 (wisdom-guild)"
    assert authority_of("cr/r/704", None, "rulebook") == "cr/r/704"
    assert authority_of("cr/read me", None, "mtgwiki") == "cr/read me (mtgwiki)"
