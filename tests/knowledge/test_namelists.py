"""Lists of names in two languages: every form, nothing lost."""

from __future__ import annotations

import json
import re
import time
from copy import deepcopy
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graphs.writing.best_claims import SharedNodes
from graphs.writing.edge_targets import EdgeTargets
from graphs.writing.page_claims import rows_in_pieces
from graphs.writing.writer import writing
from kb.knowledge import extract
from kb.language.tokens import tokenizer
from scraper import Hints, Page, Snapshot, read_pages
from scraper.sites import name_list
from tests.hostile.test_hostile import check
from tests.knowledge.test_cards import cards, facts_of, names
from tests.pages.test_golden import marked
from tests.timing import grows_linearly


def read_list(text: str, where: str = "list.csv", game: str | None = None) -> Page:
    (page,) = name_list.read(Snapshot(where, text.encode(), hints=Hints(game=game)), text)
    check(page)
    return page


CSV = """en,ja,読み
"Nissa, Worldsoul Speaker",世界魂の代弁者、ニッサ,せかいだましいのだいべんしゃにっさ
Forest,森,もり
Island,島,しま
"""
TSV = (
    "id\ten\tja\tja_ruby_html\n"
    '1\t"A" Cell Incubator\t「Ａ」細胞培養装置\t'
    "「<ruby>Ａ<rt>エー</rt></ruby>」<ruby>細<rt>さい</rt></ruby><ruby>胞<rt>ぼう</rt></ruby><ruby>培養<rt>ばいよう</rt></ruby><ruby>装置<rt>そうち</rt></ruby>\n"
    "2\tLimit Reverse\tリミット・リバース\tリミット・リバース\n"
    "3\tPolymerization\t融合\t<ruby>融<rt>ゆう</rt></ruby><ruby>合<rt>ごう</rt></ruby>\n"
)


def test_a_list_with_readings_in_a_column() -> None:
    page = read_list(CSV, "mtg_names.csv")
    assert (page.source, page.name, page.game) == ("namelist", "mtg/mtg_names", "mtg")
    assert [p.text for p in page.passages[:2]] == [
        "ja\ten\t読み",
        "世界魂の代弁者、ニッサ\tNissa, Worldsoul Speaker\tせかいだましいのだいべんしゃにっさ",
    ]
    assert page.passages[0].head and {p.kind for p in page.passages} == {"row"}
    claims = facts_of(page)
    assert names(claims, "mtg/card/森") == {
        ("ja", "preferred", "森"),
        ("en", "preferred", "Forest"),
        ("ja", "reading", "もり"),
    }
    assert len(cards(claims)) == 3


def test_a_list_with_ruby() -> None:
    page = read_list(TSV, "names.tsv", game="ygo")
    assert page.game == "ygo" and page.name == "ygo/names"
    assert marked(page.passages[1]).startswith("「{Ａ|エー}」{細|さい}{胞|ぼう}")
    assert page.passages[1].text.endswith('\t"A" Cell Incubator')
    assert page.left_out["columns that hold no name"] == len("id") + 3
    claims = facts_of(page)
    readings = {card.label: card.reading for card in cards(claims)}
    assert readings == {
        "「A」細胞培養装置": "「エー」さいぼうばいようそうち",
        "リミット・リバース": None,
        "融合": "ゆうごう",
    }
    (edge,) = [want for want in claims.edges if want.target == "ygo/card/融合"]
    assert edge.kind == "defines" and (edge.start, edge.end) == (0, 2)


@pytest.mark.parametrize(
    "text",
    [
        '{"Forest": "森", "Island": "島", "Swamp": "\\u6cbc"}',
        '{"森": "Forest", "島": "Island", "沼": "Swamp"}',
        '[["Forest", "森"], ["Island", "島"], ["Swamp", "沼"]]',
        '[{"en": "Forest", "ja": "森", "n": 1.50}, {"ja": "島", "en": "Island"},'
        ' {"en": "Swamp", "ja": "沼", "sets": ["LEA", {"a": null}]}]',
        '{"1": {"en": "Forest", "ja": "森"}, "2": {"ja": "島", "en": "Island"},'
        ' "3": {"en": "Swamp", "ja": "沼"}}',
        "Forest,森\r\nIsland,島\r\nSwamp,沼\r\n",
        "森;Forest\n島;Island\n沼;Swamp",
        "\ufeff日本語名|英語名\n森|Forest\n島|Island\n沼|Swamp",
        '"Forest","森"\n"Island","島"\n"Swamp","沼"\n',
        "sep=;\r\n森;Forest\r\n島;Island\r\n沼;Swamp\r\n",
        "# made by hand, 2026\n森,Forest\n# lands, again\n島,Island\n\n沼,Swamp\n",
        "#日本語,英語\n森,Forest\n島,Island\n沼,Swamp\n",
        "英語カード名,日本語カード名\nForest,森\nIsland,島\nSwamp,沼\n",
        "名前,Name\n森,Forest\n島,Island\n沼,Swamp\n",
        "| 日本語 | 英語 |\n|---|:-:|\n| 森 | Forest |\n| 島 | Island |\n| 沼 | Swamp |\n",
        "中文,英語,日本語\n树林,Forest,森\n海岛,Island,島\n沼泽,Swamp,沼\n",
        "LEA-001,Forest,森,Land\nLEA-002,Island,島,Land\nLEA-003,Swamp,沼,Land\n",
        '{"ja":"森","en":"Forest"}\n{"ja":"島","en":"Island"}\n{"ja":"沼","en":"Swamp"}\n',
        '{"version": 2, "names": [["Forest", "森"], ["Island", "島"], ["Swamp", "沼"]]}',
        '{"terms": {"Forest": "森", "Island": "島"}, "cards": {"Swamp": "沼"}}',
        '{"names": {"Forest": "森", "Island": "島", "Swamp": "沼"}}',
        "森,Forest\n島,Island\n森,Forest\n沼,Swamp\n",
    ],
)
def test_forms_of_lists(text: str) -> None:
    assert name_list.recognises(text, "")
    claims = facts_of(read_list(text, game="mtg"))
    found = {c.id: names(claims, c.id) for c in cards(claims)}
    assert found == {
        f"mtg/card/{ja}": {("ja", "preferred", ja), ("en", "preferred", en)}
        for ja, en in (("森", "Forest"), ("島", "Island"), ("沼", "Swamp"))
    }


@pytest.mark.parametrize("charset", ["utf-8-sig", "utf-16", "cp932", "euc_jp"])
def test_lists_in_any_charset(charset: str) -> None:
    text = "用語,英語\n飛行,Flying\n到達,Reach\n警戒,Vigilance\n"
    pages, warnings = read_pages(Snapshot("list.csv", text.encode(charset)))
    assert [p.text for p in pages[0].passages[1:2]] == ["飛行\tFlying"] and not warnings


@pytest.mark.parametrize(
    ("text", "where", "kind"),
    [
        ("用語,英語\n飛行,Flying\n", "list.csv", "term"),
        ("Term\tJapanese\nFlying\t飛行\n", "list.tsv", "term"),
        ("カード名,英名\n飛行,Flying\n", "terms.csv", "card"),
        ("card_name,ja\nFlight,飛行\n", "list.csv", "card"),
        ("# 用語集\n飛行,Flying\n到達,Reach\n警戒,Vigilance\n", "list.csv", "term"),
        ("飛行,Flying\n到達,Reach\n警戒,Vigilance\n", "x/mtg_glossary.csv", "term"),
        ("飛行,Flying\n到達,Reach\n警戒,Vigilance\n", "x/mtg_cards.csv", "card"),
        ("カード,Card\n用語,Term\n山札,Library\n", "list.csv", None),
        ('{"terms": [["飛行", "Flying"], ["到達", "Reach"], ["警戒", "Vigilance"]]}', "l", "term"),
    ],
)
def test_what_a_list_says_that_it_names(text: str, where: str, kind: str | None) -> None:
    page = read_list(text, where)
    assert page.names == kind
    assert next(p.text.split("\t")[0] for p in page.passages if not p.head) in "飛行 カード"


def test_without_headings_a_column_in_kanji_alone_is_chinese_beside_one_with_kana() -> None:
    page = read_list(
        "手牌上限,手札の上限,Hand size limit\n抽牌阶段,カードを引く,Draw step\n"
        "弃牌区域,捨て札置き場,Discard pile\n牌库底部,山札の一番下,Bottom of the deck\n"
    )
    assert page.passages[0].text == "手札の上限\tHand size limit"


def test_names_that_are_words_of_headings_are_names() -> None:
    page = read_list('{"カード": "Card", "用語": "Term", "キーワード": "Keyword"}')
    assert [p.text for p in page.passages] == ["カード\tCard", "用語\tTerm", "キーワード\tKeyword"]
    assert page.names is None


def test_a_person_says_what_a_list_names() -> None:
    hints = Hints(game="mtg", names="term")
    (page,) = name_list.read(Snapshot("cards.csv", b"", hints=hints), CSV)
    claims = facts_of(page)
    assert not cards(claims)
    assert names(claims, "mtg/term/森") == {
        ("ja", "listed", "森"),
        ("en", "listed", "Forest"),
        ("ja", "reading", "もり"),
    }


def test_several_names_of_one_term_in_a_cell() -> None:
    text = "用語,英語\n飛行 / 空を飛ぶ,Flying\nオーナー、所有者,Owner\n墓地,Graveyard / Yard\n"
    claims = facts_of(read_list(text, game="mtg"))
    assert names(claims, "mtg/term/飛行") == {
        ("ja", "listed", "飛行"),
        ("ja", "listed", "空を飛ぶ"),
        ("en", "listed", "Flying"),
    }
    assert ("ja", "listed", "所有者") in names(claims, "mtg/term/オーナー")
    assert ("en", "listed", "Yard") in names(claims, "mtg/term/墓地")


def test_a_comma_in_the_name_of_a_card_separates_no_names() -> None:
    claims = facts_of(read_list(CSV, game="mtg"))
    assert "mtg/card/世界魂の代弁者、ニッサ" in {card.id for card in cards(claims)}


def test_each_row_is_the_evidence_of_its_own_name() -> None:
    claims = facts_of(read_list(CSV, game="mtg"))
    assert all(edge.source == edge.passage for edge in claims.edges)


def test_an_entry_without_a_japanese_name_is_kept_but_no_card() -> None:
    page = read_list('{"Forest": "森", "Tundra": "undefined", "Island": "島", "Swamp": "沼"}')
    assert page.passages[1].text == "undefined\tTundra"
    assert len(cards(facts_of(page))) == 3


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[[[",
        "森\n島\n",
        "カードを引く。\n100.1. Draw a card.\n",
        '{"a": "b", "c": "d", "e": "f"}',
        '{"parse": {"title": "引く", "text": {"*": "<p>Draw</p>"}}}',
        "<p>森,Forest</p>\n" * 5,
        "カードを引く、手札、墓地、ライブラリー\n" * 9,
        "|日本語|英語|h\n|森|Forest|\n|島|Island|\n|沼|Swamp|\n",
    ],
)
def test_what_is_no_list(text: str) -> None:
    assert not name_list.recognises(text, "")
    assert not name_list.recognises("en,ja\n" + text, "http://mtgwiki.com/wiki/X")
    assert text.startswith("<") or read_list(text).name == ""


_SCRAPS = ["en", "ja", "読み", ",", "\t", ";", "|", '"', '""', "'", "\n", "\r\n", "\r", "森",
           "しま", "Forest", "[", "]", "{", "}", ":", '"森"', '"Forest"', '":"', "\\u3042",
           "\\ud800", "1e5", "<ruby>", "<rt>", "</rt>", "</ruby>", "<rp>", " ", "\u3000",
           "\ufeff", "null",
           "en,ja\n森,Forest\n島,Island\n沼,Swamp\n"]  # fmt: skip


@given(st.text(max_size=500) | st.lists(st.sampled_from(_SCRAPS), max_size=60).map("".join))
@example("en,ja\n" + "森,Forest\n" * 4 + "<ruby>\u3000<rt>x y</rt>,z\n\n,\n")
@example('[{"ja":"森","en":"A \\ud800"},{"ja":"島","en":"B"},{"ja":"沼","en":"C"}]')
def test_any_text_as_a_list(text: str) -> None:
    name_list.recognises(text, "http://[")
    extract(read_list(text), tokenizer())


_NAMES = st.lists(
    st.tuples(
        st.text("森島沼ンー・「」\"',;| <", min_size=1).map("森{}".format),
        st.text("abcA \"',;|<", min_size=1).map("A{}".format),
    ),
    min_size=3,
    max_size=12,
)


@given(_NAMES)
def test_any_names_come_through_json(entries: list[tuple[str, str]]) -> None:
    page = read_list(json.dumps(entries))
    rows = [tuple(p.text.split("\t")) for p in page.passages]
    assert rows == [(ja.strip(), en.strip()) for ja, en in entries]


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", ["'\"", '"', "森,Forest\n", '森,"A"\n', "[", '{"森":', ",", "<ruby>", "a", "森\t"]
)
def test_lists_take_linear_time(unit: str) -> None:
    assert grows_linearly(
        lambda size: read_list("森,Forest\n" * 4 + unit * (size // len(unit))), 200_000
    )


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "game", "entries", "ruby"),
    [("mtg_names_en_ja.json", "mtg", 29_332, 0), ("yugioh_names_en_ja.tsv", "ygo", 14_252, 9_078)],
)
def test_whole_lists(
    shared: Path, tmp_path: Path, name: str, game: str, entries: int, ruby: int
) -> None:
    text = (shared / "corpora/lexicon" / name).read_text("utf-8")
    began = time.process_time()
    assert name_list.recognises(text, "")
    page = read_list(text, name)
    claims = facts_of(page)
    with writing(tmp_path / "list.db") as writer:
        writer.add(next(rows_in_pieces([deepcopy(claims)])))  # which empties them
        writer.finish_pages()
        SharedNodes(writer).resolve()
        EdgeTargets(writer).resolve(lambda wanted: [])
        writer.finish()
    assert time.process_time() - began < 30
    assert page.name == f"{game}/{name.partition('.')[0]}" and page.lost == 0
    assert len(cards(claims)) == entries
    assert [want.kind for want in claims.edges] == ["defines"] * entries
    if name.endswith("json"):
        named = json.loads(text).items()
        pairs = {("" if ja == "undefined" else ja, en) for en, ja in named}
    else:
        quoted = [line.split("\t") for line in text.splitlines()]
        lines = [[re.sub('"("?)', r"\1", cell) for cell in line] for line in quoted]
        pairs = {(line[3], line[2]) for line in lines}
        assert sum(bool(p.ruby) for p in page.passages) == sum("<rt>" in line[4] for line in lines)
    assert {tuple(p.text.split("\t")[:2]) for p in page.passages} == pairs
    assert sum(bool(card.reading) for card in cards(claims)) == ruby


def test_a_word_for_no_name_is_none() -> None:
    """Programs write `undefined` where a name is not known: nothing is called so."""
    known = {f"Hill {number}": f"丘{number}" for number in range(12)}
    unknown = {f"Isle {number}": "undefined" for number in range(6)}
    page = read_list(json.dumps({**known, **unknown}), "x.json")
    assert page.left_out["a word in place of a name that is not known"] == 6 * len("undefined")
    assert [passage.text for passage in page.passages][11:13] == ["丘11\tHill 11", "\tIsle 0"]
