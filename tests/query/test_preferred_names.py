"""Who is said to give a name: the page that defines it, else the newest rulebook that writes it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import kb
from graphs.store.termbase_rows import NameRow
from kb.query.lookup.preferred_names import RulebookUses, authority_of, by_authority
from tests.rulebooks import base_of, build_books, described, rulebook, wiki_source

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


def test_a_name_has_its_authority_in_its_own_language(tmp_path: Path) -> None:
    """A Japanese rulebook that gives an English name in brackets is not who calls it so, if there
    is an English one; and a wiki's page comes before that of a single card."""
    books = {
        ("20240101", "en"): rulebook({"1": "Zones", "1.1": "The Trash lies open."}),
        ("20240101", "ja"): rulebook(
            {"1": "領域", "1.1": "トラッシュ(Trash)は表向き。"}, "港 総合ルール"
        ),
    }
    base = build_books(tmp_path, books)
    page = "rulebook/harbour/cr/20240101/ja#1¶1"
    row = NameRow(
        "harbour/term/トラッシュ", "en", "Trash", "preferred", "rulebook", "20240101",
        page, "港 総合ルール", None, False, 1,
    )  # fmt: skip
    uses = RulebookUses(base._store, [row])
    assert uses.giver(row).page == "Harbour Comprehensive Rules"
    assert uses.giver(replace(row, text="Heap")).page == "港 総合ルール"
    card = replace(row, source="wiki", passage="wiki/card/1¶1", count=9)
    assert by_authority([card, replace(card, passage="wiki/a¶1", count=1)])[0].count == 1
