"""Two wordings of one rule: both are kept, and where they differ is shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kb
from kb.language.typography import fold_typography, fold_with_spans
from kb.language.word_diff import differences, typographic_differences
from tests.commands import run
from tests.rulebooks import described

_HEAD = "== 引用:総合ルール {}.0 ==\n*905.2c 札の中には、{}で選ぶものがある。\n*905.3 同じ。\n"
PAGES = {
    "甲": _HEAD.format(20300101, "オモテ向き"),
    "乙": _HEAD.format(20300101, "表向き"),
    "丙": _HEAD.format(20310101, "裏向き"),
}


def _built(folder: Path) -> Path:
    for name, text in PAGES.items():
        url = f"http://mtgwiki.com/index.php?title={name}&action=raw"
        described(folder, {f"{name}.wiki": text}, url=url)
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
    shown = run("show", rule.id, of=path).output
    assert re.search("wording +of [甲乙]:", shown) and "「表向き」" in shown


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


# -- typography -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("the captain’s “sail”", 'the captain\'s "sail"'),
        ("the captain`s „sail‟", "the captain´s ''sail''"),
        ("one–two — three", "one‒two--three"),
        ("−1／−1", "-1/–1"),
        ("pays the rest . . . .", "pays the rest…."),
        ("a co\u00adloured\u200b sail", "a\u00a0coloured\r\n  sail "),
        ("札（１枚）を 引く・・・", "札(1枚)を\n引く……"),
        ("ｶﾞﾚｵﾝ 号", "ガレオン号"),
        ("か\u3099れおん〜", "がれおん～"),
    ],
)
def test_typography_is_no_difference(text: str, other: str) -> None:
    assert fold_typography(text) == fold_typography(other)
    assert differences(text, other) == []
    assert typographic_differences(text, other) != []


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("face-down", "face down"),
        ("face-down", "facedown"),
        ("now here", "nowhere"),
        ("Draw", "draw"),
        ("「札」", "『札』"),
        ("the “sail”", "the sail"),
        ('2.5"', "2.5'"),
        ("x²", "x2"),
        ("船", "舟"),
    ],
)
def test_other_differences_stay(text: str, other: str) -> None:
    assert fold_typography(text) != fold_typography(other)


@given(
    st.text(st.sampled_from("a １ｶﾞか\u3099札“”'’-–—.…・ \n\u00a0\u00ad\u200b「」～é́"), max_size=30)
)
def test_folded_text_knows_where_it_comes_from(text: str) -> None:
    folded, spans = fold_with_spans(text)
    assert folded == fold_typography(text) and len(spans) == len(folded)
    ends = [0, *(end for _, end in spans)]
    assert all(0 <= start < end <= len(text) for start, end in spans) and ends == sorted(ends)
    for sign, (start, end) in zip(folded, spans, strict=True):
        assert sign == " " or sign in fold_typography(text[start:end])


def test_a_rule_number_differs_as_a_whole() -> None:
    [(start, end, a, b)] = differences("See rule 704.5k.", "See rule 704.12m.")
    assert ("See rule 704.5k."[start:end], "See rule 704.12m."[a:b]) == ("704.5k", "704.12m")
