"""Citations as edges: how a rule is cited, and whether it is headed as the text says."""

from __future__ import annotations

from pathlib import Path

import kb

RULES = """\
総合ルール 2020年1月1日

5. 試合

501. 始め方

501.1. 札を配る。rule 502〔勝ち方〕参照。

501.2. rule 502〔終わり方〕に従う。

502. 勝ち方

502.1. 相手の札が尽きたら勝つ。
"""


def test_a_heading_that_disagrees_is_marked(tmp_path: Path) -> None:
    source = tmp_path / "rules.txt"
    source.write_text(RULES, "utf-8")
    kb.build([source], tmp_path / "kb.db", game="mtg", site="rulebook")
    with kb.open(tmp_path / "kb.db") as base:
        agreeing = base.refs("501.1", kinds=["cites"], direction="out").edges
        other = base.refs("501.2", kinds=["cites"], direction="out").edges
    assert [edge.details for edge in agreeing] == [{"how": "see", "heading": "勝ち方"}]
    assert [edge.details for edge in other] == [
        {"how": "subject to", "heading": "終わり方", "headed": "勝ち方"}
    ]
