"""Who is said to give a name: the page that defines it, else the newest rulebook that writes it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import kb
from kb.query.authority import authority_of

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
    rules, wiki = folder / "rulebook", folder / "dmwiki"
    rules.mkdir()
    wiki.mkdir()
    for number, (date, word) in enumerate(
        [("2024年7月30日", "起因処理と盤面処理"), ("2026年1月16日", "手札の起因処理")]
    ):
        text = RULES.format(date=date, word=word)
        (rules / f"{number}.txt").write_text(text, "utf-8")
    lines = []
    for title, text in (("山札", WIKI), ("手札", HAND)):
        name = f"{title.encode().hex().upper()}.txt"
        (wiki / name).write_text(text, "utf-8")
        lines.append(json.dumps({"file": name, "site": "dmwiki"}))
    (wiki / "manifest.jsonl").write_text("\n".join(lines), "utf-8")
    kb.build([wiki], folder / "x.db", game="dm")
    kb.build([rules], folder / "x.db", game="dm", site="rulebook", keep=True)
    return kb.open(folder / "x.db")
