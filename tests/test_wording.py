"""Two wordings of one rule: both are kept, and where they differ is shown."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import kb
from kb.cli.main import main
from kb.language.word_diff import differences

_HEAD = "== 引用:総合ルール {}.0 ==\n*905.2c 札の中には、{}で選ぶものがある。\n*905.3 同じ。\n"
PAGES = {
    "甲": _HEAD.format(20300101, "オモテ向き"),
    "乙": _HEAD.format(20300101, "表向き"),
    "丙": _HEAD.format(20310101, "裏向き"),
}


def _built(folder: Path) -> Path:
    for name, text in PAGES.items():
        (folder / f"{name}.wiki").write_text(text, "utf-8")
    lines = [
        {"file": f"{name}.wiki", "url": f"http://mtgwiki.com/index.php?title={name}&action=raw"}
        for name in PAGES
    ]
    (folder / "manifest.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    kb.build([folder], folder / "kb.db")
    return folder / "kb.db"


def test_both_wordings_are_kept(tmp_path: Path) -> None:
    path = _built(tmp_path)
    with kb.open(path) as base:
        [rule] = base.show("905.2c", edition="20300101").matches
        [same] = base.show("905.3", edition="20300101").matches
        [later] = base.show("905.2c", edition="20310101").matches
        quoted = base.refs(rule.id, kinds=["quotes"], direction="in").edges
    assert rule.details is not None and rule.text is not None
    [wording] = rule.details["wordings"]
    changed = [(rule.text[a:b], wording["text"][c:d]) for a, b, c, d in wording["differs"]]
    assert changed in ([("オモテ向き", "表向き")], [("表向き", "オモテ向き")])
    assert {edge.evidence.page for edge in quoted} == {"mtgwiki/甲", "mtgwiki/乙"}
    assert same.details is None and later.details is None
    shown = CliRunner().invoke(main, ["show", rule.id, "--kb", str(path)]).output
    assert "otherwise in mtgwiki/" in shown and "「表向き」" in shown


@given(st.text("あ札、。 Ａa1\n", max_size=40), st.text("あ札、。 Ａa1\n", max_size=40))
def test_what_differs_makes_the_one_from_the_other(text: str, other: str) -> None:
    from unicodedata import normalize

    made, at = "", 0
    for start, end, a, b in differences(text, other):
        assert at <= start <= end <= len(text) and 0 <= a <= b <= len(other)
        made += text[at:start] + other[a:b]
        at = end
    made += text[at:]
    assert "".join(normalize("NFKC", made).split()) == "".join(normalize("NFKC", other).split())
