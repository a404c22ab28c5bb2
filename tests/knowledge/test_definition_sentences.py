"""Sentences that define something, told from those that only announce or refer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.language.sentences import defining_part, only_announces, sentences
from tests.timing import grows_linearly

ANNOUNCING = [
    "本項で解説する。",
    "本項目では札を積むことについて説明しています。",
    "ここでは主に対戦での扱いを述べる。",
    "以下、種類ごとに紹介する。",
    "この記事は書きかけです。",
    "山札を参照。",
    "詳しくは山札の項を参照のこと。",
    "詳細は公式の文書にて確認できる。",
    "くわしくは山札へ。",
    "手順については「札の使い方」を参照してください。",
    "札の使い方の項目も見よ。",
    "→札の使い方",
    "札の積み方をまとめたページです。",
    "札の積み方に関する記事。",
    "札の積み方についてくわしく解説していきます。",
    "例外については後述する。",
    "この項目では、札について説明しています。",
    "同じ名の札については「札（遊び）」をご覧ください。",
    "※この文章は古いかもしれない。",
    "この語は以下のものを指す。",
    "rule 5〔山札〕参照。",
    "See rule 12, “Stacking.”",
    "See also Stack.",
    "For more about stacking, see section 4.",
    "This page describes how cards are stacked.",
    "参见山札。",
]
DEFINING = [
    "山札の一番上の札を手札に加えること。",
    "積むとは、札を山札の下に置くことである（山札を参照）。",
    "相手の手札の枚数を参照する効果である。",
    "詳細な手順を持つ行動である。",
    "この記号は札を横向きにすることを表す。",
    "次の手番に札を引く。",
    "ここの札は強いと表示される。",
    "札の枚数を相手に説明する行動。",
    "本の一ページを表す札である。",
    "To put a card under the pile.",
    "A card that can see other cards.",
    "For each captain there is one ship.",
    "致死の傷とは、以下に示すものより大きい傷である。",
]


@pytest.mark.parametrize("sentence", [*ANNOUNCING, *DEFINING[:-1]])
def test_announcing_and_defining(sentence: str) -> None:
    lang = "en" if sentence.isascii() or "“" in sentence else "ja"
    announces = sentence in ANNOUNCING
    assert only_announces(sentence) == announces
    assert defining_part(sentence, lang) == (None if announces else (0, len(sentence)))


@pytest.mark.parametrize(
    ("text", "lang", "part"),
    [
        ("本項で解説する。積むとは、札を置くことである。", "ja", "積むとは、札を置くことである。"),
        ("札を置くこと。詳細は山札を参照。", "ja", "札を置くこと。"),
        ("Pile。札を積む。本項で解説する。", "ja", None),
        ("札山", "ja", None),
        ("1. To stack. See rule 5. 2. A pile.", "en", "1. To stack. See rule 5. 2. A pile."),
        ("Pile.", "en", None),
        ("See rule 5.", "en", None),
        ("2. All the cards of a pile.", "en", "2. All the cards of a pile."),
        ("「札を置く。」と書かれた札を使うこと。", "ja", "「札を置く。」と書かれた札を使うこと。"),
    ],
)
def test_part(text: str, lang: str, part: str | None) -> None:
    found = defining_part(text, lang)
    assert (text[slice(*found)] if found else None) == part


@given(st.text(st.sampled_from("本項で解説。「」（)See. 12a→※参照とは\n"), max_size=60))
def test_any_text(text: str) -> None:
    for lang in ("ja", "en", None):
        spans = list(sentences(text, lang))
        assert all(start < end for start, end in spans)
        assert "".join("".join(text[s:e] for s, e in spans).split()) == "".join(text.split())
        part = defining_part(text, lang)
        assert part is None or text[slice(*part)]


def test_time_grows_linearly() -> None:
    for piece in ("本項", "以下の", "For ", "「", "See a. ", "(", "1. "):
        assert grows_linearly(lambda n, p=piece: defining_part(p * n, "en"), 2_000)
