"""Terms that running text names, on sentences and pages written for the purpose."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.knowledge import extract
from kb.knowledge.names.mentions import Annotator, searchable_names, spellings
from kb.knowledge.names.naming_phrases import named_terms
from kb.language.tokens import tokenizer
from scraper import Page, Passage
from scraper.page import Section
from tests.rulebooks import base_of_files
from tests.timing import grows_linearly

NAMED = [
    ("それを「青い札/blue card」という。", ["青い札/blue card"]),
    ("「光る／shining」や「曇る／clouded」は色ではない。", ["光る/shining", "曇る/clouded"]),
    ("終わるまでの間を、配札ラウンド/deal roundと呼ぶ。", ["配札ラウンド/deal round"]),
    ("この決まりは「札の掟」と呼ばれる。", ["札の掟"]),
    ("「札を使う」とは、札を場に出すこと。", ["札を使う"]),
    ("　引き分けの事を、「ドロー」ということもある。", ["引き分け=ドロー"]),
    ("Windows/Macの両方で遊べる。", []),
    ("攻撃力/守備力は1900/1200。", []),
    ("「その札/that card」とは呼ばない。", []),
    ("「札を引く」という文がある。", []),
    ("彼は「がんばれ」と言った。", []),
]


def _shown(text: str) -> list[str]:
    return [
        "=".join(
            [f"{n.name.label}/{n.name.english}" if n.name.english else n.name.label, *n.others]
        )
        for n in named_terms(text)
    ]


@pytest.mark.parametrize(("text", "names"), NAMED)
def test_names(text: str, names: list[str]) -> None:
    assert _shown(text) == names


def test_a_rule_defines_by_its_beginning() -> None:
    [found] = named_terms("5.1 三人戦とは、三人で戦うこと。", 4, rule=True)
    assert (found.name.label, found.defines) == ("三人戦", True)
    assert not list(named_terms("5.1 札を引くこととは異なる。", 4, rule=True))
    assert not list(named_terms("5.1 このこととは関係がない。", 4, rule=True))


@given(st.text(st.sampled_from("「」『』/／あ札X Yとは呼ぶの事を、(または)"), max_size=80))
def test_any_text(before: str) -> None:
    text = f"{before}。駒を倒すことを「撤退」と呼ぶ。"
    namings = list(named_terms(text))
    assert "撤退" in [naming.name.label for naming in namings], text
    for naming in namings:
        assert text[naming.start : naming.end].startswith(naming.name.label)


@pytest.mark.slow
def test_time_grows_linearly() -> None:
    for unit in ("「あ/", "あとは", "「あ」とも", "、あ/a", "あの事を、「", "(("):
        assert grows_linearly(
            lambda n, unit=unit: list(named_terms(unit * (n // len(unit)), rule=True)), 40_000
        )


def test_a_wiki_page(tmp_path: Path) -> None:
    page = (
        "*山札を切る\n"
        " 山札を「札の束/pile」と呼ぶ。\n"
        ":切り札|一番強い札。奥の手とも。\n\n"
        "[[参加者]]は[[二枚札>二枚の札]]を[[引いた>引く]]。\n"
    ).replace(" 山札", "山札")
    name = "山札を切る".encode().hex().upper()
    with base_of_files(tmp_path, {f"{name}.txt": page}, site="dmwiki") as base:
        terms = {node.label: node for node in base.nodes("term")}
        pile, trump = terms["札の束"], terms["切り札"]
    assert {(label.lang, label.text) for label in pile.labels} == {("ja", "札の束"), ("en", "pile")}
    assert all(label.passages for label in pile.labels)
    assert [label.text for label in trump.labels] == ["切り札", "奥の手"]
    assert trump.text == "一番強い札。奥の手とも。"
    assert [label.text for label in terms["二枚の札"].labels] == ["二枚の札", "二枚札"]
    assert [label.text for label in terms["引く"].labels] == ["引く"]


@pytest.mark.parametrize(
    "opening",
    [
        "カードを引く（CR:121.1）。山札の一番上を手札に加える。",
        "引く(rule 121.1)とは、手札に加えること。",
        "引く（CR 121、704.5b）は、手札に加えること。",
        "「引く／CR:121.1」と呼ぶ。",
        "カードを引く／CR121.1を見る。",
    ],
)
def test_a_citation_beside_a_name_is_no_other_name_of_it(opening: str) -> None:
    page = Page(
        source="mtgwiki",
        engine="mediawiki",
        name="引く",
        url="",
        game="mtg",
        title="引く",
        lang="ja",
        sections=(Section(""),),
        passages=(Passage("title", "引く"), Passage("paragraph", opening)),
    )
    labels = extract(page, tokenizer()).labels
    assert {one.label.text for one in labels if one.node == "mtg/term/引く"} >= {"引く"}
    assert not [one.label.text for one in labels if "121" in one.label.text]


def test_a_terms_own_name_goes_before_another_terms_alias() -> None:
    from graphs.writing.names_and_merges import NodeName
    from graphs.writing.passage_annotations import PassageText
    from kb.language.fold import fold

    names = [
        NodeName(f"g/term/{term}", "ja", role, fold(text), text)
        for term, role, text in (
            ("1", "preferred", "攻撃力"),
            ("2", "alias", "攻撃力"),
            ("2", "preferred", "ステータス"),
        )
    ]
    teller = Annotator(spellings(searchable_names(names), tokenizer()), tokenizer())
    told = teller([PassageText("g", "ja", "攻撃力を見る。", ())])[0]
    assert [one.node for one in told.mentions] == ["g/term/1"]


@pytest.mark.parametrize("name", ["トーク:墓地", "MenuBar", "利用者:某"])
def test_what_is_no_article_states_no_facts(name: str) -> None:
    said = Passage("paragraph", "「空打ち」とは、手札がない場合、負けることである。")
    article = Page("mtgwiki", "墓地", "", game="mtg", engine="mediawiki", passages=(said,))
    kinds = {part.node.kind for part in extract(article, tokenizer()).parts}
    assert extract(article, tokenizer()).nodes and "outcome" in kinds
    claims = extract(article.with_(name=name), tokenizer())
    assert not claims.nodes and {part.node.kind for part in claims.parts} == {"page", "passage"}
