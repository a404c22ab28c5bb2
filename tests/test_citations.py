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


LEVELS = """\
Nest Rules, effective 2 May 2021

100. Nests

101. Building

101.1. A nest has parts.

101.1.a. The floor. See 102, “Eggs.”

101.1.b. The wall, 2.5" by 3.5".

101.1.c. The rim, as 101.1.a-b say.

102. Eggs

102.1. Lay them on the floor (101.1.a).

102.2. Follow rule 101.1.c. or rules 101.1.a‒c.
"""

CHINESE = """\
巢穴规则

此规则于2021年5月2日起生效。

100. 总则

101. 筑巢

101.1. 巢有底和壁。参见规则102，“蛋”。

101.2a牌手按照规则101.1和102.1筑巢。

102. 蛋

102.1. 这是规则101.1的例外。
"""


def _cited(folder: Path, text: str, *rules: str) -> dict[str, list[str]]:
    """What some rules of a book cite, in the order of its text."""
    source = folder / "rules.txt"
    source.write_text(text, "utf-8")
    kb.build([source], folder / "kb.db", game="nest", site="rulebook")
    with kb.open(folder / "kb.db") as base:
        found = {rule: base.refs(rule, kinds=["cites"], direction="out").edges for rule in rules}
    return {
        rule: [edge.target.rpartition("/")[2] for edge in edges] for rule, edges in found.items()
    }


def test_numbers_of_any_levels_are_cited(tmp_path: Path) -> None:
    assert _cited(tmp_path, LEVELS, "101.1.a", "101.1.b", "101.1.c", "102.1", "102.2") == {
        "101.1.a": ["102"],
        "101.1.b": [],
        "101.1.c": ["101.1.a", "101.1.b"],
        "102.1": ["101.1.a"],
        "102.2": ["101.1.c", "101.1.a", "101.1.b", "101.1.c"],
    }


def test_a_chinese_rulebook_cites(tmp_path: Path) -> None:
    assert _cited(tmp_path, CHINESE, "101.1", "101.2a", "102.1") == {
        "101.1": ["102"],
        "101.2a": ["101.1", "102.1"],
        "102.1": ["101.1"],
    }
