"""The words of a search: widths, phrases, function words, and what is said where nothing is."""

from __future__ import annotations

import pytest

from kb.language.tokens import normal_forms, tokenizer

# Latin letters of several widths, and signs that are compositions of them.
SAME_WORDS = [
    ("ＤＲＡＷ", "draw"),
    ("Ｄｒａｗ", "draw"),
    ("ｄraw", "draw"),
    ("𝐝𝐫𝐚𝐰", "draw"),
    ("ＰＲＩＯＲＩＴＹ", "priority"),
    ("ｔｈｅ", "the"),
    ("ＭＴＧ", "mtg"),
    ("ﬁrst", "first"),
    ("it’s", "it's"),
    ("ﾄﾞﾛｰ", "ドロー"),
]


@pytest.mark.parametrize(("written", "usual"), SAME_WORDS)
def test_width_does_not_count(written: str, usual: str) -> None:
    forms = [[form for form, _, _ in normal_forms(tokenizer()(w))] for w in (written, usual)]
    assert forms[0] == forms[1] == [usual]


def test_signs_and_numbers_stay_as_they_are() -> None:
    assert [form for form, _, _ in normal_forms(tokenizer()("Ⅳ １２ 引く ℃"))] == [
        "4", "12", "引く", "度",
    ]  # fmt: skip
