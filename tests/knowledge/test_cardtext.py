"""What is printed on cards: the boxes in which pages show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.model import Node
from kb.knowledge import extract
from kb.knowledge.cards import cards as cards_of
from kb.knowledge.prepared_page import PageContext
from kb.language.tokens import tokenizer
from scraper import Hints, Page, Passage, Snapshot
from scraper.page import PassageKind, Ruby
from scraper.sites import plain_text_capture
from tests.knowledge.test_cards import FIRE, card_page, cards, facts_of, names, row
from tests.timing import grows_linearly

_WIKIS: dict[str, tuple[str]] = {
    "dm": ("dmwiki", "pukiwiki"),
    "ygo": ("yugioh-wiki", "pukiwiki"),
    "mtg": ("mtgwiki", "mediawiki"),
}


def page_of(game: str, *passages: Passage, name: str = "霧の港") -> Page:
    source, engine = _WIKIS.get(game, (game, "pukiwiki"))
    return Page(
        source,
        name,
        "",
        game=game or None,
        title=name,
        engine=engine,
        passages=(Passage("title", name), *passages),
    )


def rows(*texts: str, block: int = 1) -> list[Passage]:
    return [Passage("row", text, block=block) for text in texts]


def found(game: str, *passages: Passage, name: str = "霧の港") -> dict[str, Node]:
    return {card.label or "": card for card in cards(facts_of(page_of(game, *passages, name=name)))}


def printed(game: str, *passages: Passage, name: str = "霧の港") -> dict[str, object]:
    [card] = [card for card in found(game, *passages, name=name).values() if card.details]
    return dict(card.details or {})


GUARD = ("霧笛の番人　UC　水文明　(3)", "クリーチャー：リキッド　2000+", "■ブロッカー",
         "これが出た時、カードを１枚引く。")  # fmt: skip
GUARDED = {"rarity": "UC", "civilization": "水文明", "cost": "3", "type": "クリーチャー",
           "race": "リキッド", "power": "2000+", "abilities": ["ブロッカー"]}  # fmt: skip
SONG = ("潮騒の調べ　R　光/水文明　（２）", "呪文", "カードを２枚引く。")
SUNG = {"rarity": "R", "civilization": "光/水文明", "cost": "２", "type": "呪文"}


def test_a_duel_masters_box() -> None:
    shown = found("dm", *rows(*GUARD), Passage("paragraph", "水文明の例。"))
    assert shown.keys() == {"霧笛の番人"}
    card = shown["霧笛の番人"]
    assert (card.id, card.details) == ("dm/card/霧笛の番人", GUARDED)
    assert card.text == "■ブロッカー\nこれが出た時、カードを１枚引く。"
    narrow = "\n".join(GUARD).replace("　", " ").replace("：", ":")
    assert printed("dm", Passage("paragraph", narrow)) == GUARDED


@pytest.mark.parametrize(
    ("head", "fields"),
    [
        ("霧 の 番人 SR(SSR) 火文明 (14)", ("霧 の 番人", "SR(SSR)", "火文明", "14")),
        ("霧の番人 無色 (∞)", ("霧の番人", None, "無色", "∞")),
        (
            "霧の番人 なし 光/水/闇/火/自然文明 (5)",
            ("霧の番人", "なし", "光/水/闇/火/自然文明", "5"),
        ),
        ("霧(キリ)番 P ゼロ文明(0)", ("霧番", "P", "ゼロ文明", "0")),
    ],
)
def test_heads_of_duel_masters_boxes(head: str, fields: tuple[str | None, ...]) -> None:
    [(label, card)] = found("dm", *rows(head, "D2フィールド")).items()
    told = card.details or {}
    assert (label, told.get("rarity"), told["civilization"], told["cost"]) == fields
    assert told["type"] == "D2フィールド" and card.text is None


@pytest.mark.parametrize(
    ("line", "type_", "race", "power"),
    [
        ("クリーチャー：？？？　16000", "クリーチャー", "？？？", "16000"),
        ("オレガ・オーラ:甲/乙 +2000", "オレガ・オーラ", "甲/乙", "+2000"),
        ("呪文：甲・乙", "呪文", "甲・乙", None),
        ("城", "城", None, None),
        ("進化クリーチャー：甲 ∞", "進化クリーチャー", "甲", "∞"),
    ],
)
def test_types_in_duel_masters_boxes(
    line: str, type_: str, race: str | None, power: str | None
) -> None:
    told = printed("dm", *rows(GUARD[0], line, "引く。"))
    assert (told["type"], told.get("race"), told.get("power")) == (type_, race, power)


def test_a_twin_card_is_one_card_with_two_faces() -> None:
    shown = found("dm", *rows(*GUARD, *SONG))
    card = shown["霧笛の番人/潮騒の調べ"]
    assert len(shown) == 1 and card.text == "\n".join([*GUARD[2:], SONG[2]])
    assert card.details == {
        "faces": [
            {"name": "霧笛の番人", **GUARDED, "text": "\n".join(GUARD[2:])},
            {"name": "潮騒の調べ", **SUNG, "text": SONG[2]},
        ]
    }
    claims = facts_of(page_of("dm", *rows(*GUARD, *SONG)))
    assert {("ja", "alias", "霧笛の番人"), ("ja", "alias", "潮騒の調べ")} < names(claims, card.id)


def test_boxes_run_together_are_cards_unless_the_page_joins_their_names() -> None:
    together = Passage("paragraph", "\n".join([*GUARD, *SONG]))
    assert found("dm", together).keys() == {"霧笛の番人", "潮騒の調べ"}
    joined = Passage("item", "《霧笛の番人/潮騒の調べ》の例。")
    assert found("dm", together, joined).keys() == {"霧笛の番人/潮騒の調べ"}
    blocks = [*rows(*GUARD), *rows(*SONG, block=2)]
    assert found("dm", *blocks).keys() == {"霧笛の番人", "潮騒の調べ"}


def test_each_box_of_a_text_capture_is_a_passage() -> None:
    text = (
        "海のカード\n\n読む順に並ぶ。\n\n" + "\n".join(["例。", *GUARD, *SONG]) + "\n\nおわり。\n"
    )
    hints = Hints(site="dmwiki")
    (page,) = plain_text_capture.read(Snapshot("a.txt", text.encode(), hints=hints), text)
    shown = [replace(passage, section=0) for passage in page.passages]
    assert [passage.text for passage in shown if passage.kind == "paragraph"] == [
        "読む順に並ぶ。",
        "例。",
        "\n".join(line.strip() for line in GUARD),
        "\n".join(line.strip() for line in SONG),
        "おわり。",
    ]
    assert page.lost == 0
    assert found("dm", *shown).keys() == {"霧笛の番人", "潮騒の調べ"}
    joined = Passage("item", "《霧笛の番人/潮騒の調べ》の例。")
    assert found("dm", *shown, joined).keys() == {"霧笛の番人/潮騒の調べ"}


def test_a_box_on_the_page_of_its_card_weighs_more() -> None:
    own = facts_of(page_of("dm", *rows(*GUARD), name="《霧笛の番人》"))
    other = facts_of(page_of("dm", *rows(*GUARD)))
    assert {claim.rank for claim in own.nodes} == {0}
    assert {claim.rank for claim in other.nodes if claim.node.kind == "card"} == {1}
    [defines] = [edge for edge in other.edges if edge.target == "dm/card/霧笛の番人"]
    assert (defines.kind, defines.source) == ("defines", "dmwiki/霧の港")
    assert GUARD[0][defines.start : defines.end] == "霧笛の番人"
    assert len([edge for edge in own.edges if edge.kind == "defines"]) == 1


@pytest.mark.parametrize(
    "lines",
    [
        ("名前　レアリティ　文明　(コスト)", "種別：種族　パワー"),
        ("最大", "《霧笛の番人》", "3"),
        ("霧笛の番人 UC 水文明 (3)",),
        ("霧笛の番人 UC 水文明 (3)", "これは、カードの例である。"),
        ("水文明 (3)", "クリーチャー：リキッド 2000"),
        ("水文明のカード (4)枚", "呪文"),
        ("霧笛の番人 UC 海文明 (3)", "呪文"),
        (GUARD[0] + "\t3", GUARD[1]),
    ],
)
def test_what_is_no_box(lines: tuple[str, ...]) -> None:
    assert not found("dm", *rows(*lines))
    if "\t" not in lines[0]:
        assert not found("dm", Passage("paragraph", "\n".join(lines)))


def test_any_form_in_a_game_that_nobody_knows() -> None:
    card = found("x", *rows(*GUARD))["霧笛の番人"]
    assert (card.id, card.details) == ("x/card/霧笛の番人", GUARDED)
    assert not found("", *rows(*GUARD))  # whose cards would these be?


KEEPER = "効果モンスター\n星４/水属性/魚族/攻 800/守   ?\n（１）：発動できる。\nドローする。"


def test_a_yugioh_card() -> None:
    heading = Passage("heading", "《霧の守り手/Mist Keeper》", ruby=(Ruby(1, 2, "きり"),))
    shown = found("ygo", heading, Passage("pre", KEEPER), Passage("pre", KEEPER))
    card = shown["霧の守り手"]
    assert card.text == "（１）：発動できる。\nドローする。"
    assert card.details == {
        "type": "効果モンスター",
        "level": "星４",
        "attribute": "水属性",
        "race": "魚族",
        "atk": "800",
        "def": "?",
    }
    claims = facts_of(page_of("ygo", heading, Passage("pre", KEEPER)))
    assert ("en", "preferred", "Mist Keeper") in names(claims, card.id)


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("永続罠（禁止カード）\n引く。", {"type": "永続罠", "limit": "禁止カード"}),
        (
            "リンク・効果モンスター\n闇属性/魚族/攻2300\n【LINK−3：上/左下/右下】\n引く。",
            {
                "type": "リンク・効果モンスター",
                "attribute": "闇属性",
                "race": "魚族",
                "atk": "2300",
                "link": "3",
                "markers": "上/左下/右下",
            },
        ),
        (
            "エクシーズ・ペンデュラム・効果モンスター\nランク４/光属性/魚族/攻   0/守1800\n"
            "【Ｐスケール：青４/赤８】\n引く。",
            {
                "type": "エクシーズ・ペンデュラム・効果モンスター",
                "rank": "ランク４",
                "attribute": "光属性",
                "race": "魚族",
                "atk": "0",
                "def": "1800",
                "scale": "青４/赤８",
            },
        ),
    ],
)
def test_types_and_values_of_yugioh_cards(text: str, fields: dict[str, str]) -> None:
    heading = Passage("heading", "《霧の守り手》")
    assert printed("ygo", heading, Passage("pre", text)) == fields
    assert found("ygo", heading, Passage("pre", text))["霧の守り手"].text == "引く。"
    assert printed("ygo", Passage("pre", f"《霧の守り手》\n{text}")) == fields


def test_a_yugioh_card_run_together_with_its_article() -> None:
    capture = Passage("paragraph", f"{KEEPER}\n霧の港で登場した水属性のモンスター。\n引ける。")
    card = found("ygo", Passage("heading", "《霧の守り手》"), capture)["霧の守り手"]
    assert card.text == "（１）：発動できる。\nドローする。"
    above = Passage("paragraph", f"《霧の守り手/Mist Keeper》 †\n{KEEPER}")
    assert printed("ygo", above)["level"] == "星４"
    away = [Passage("heading", "《霧の守り手》"), Passage("paragraph", "地の文。"), capture]
    assert not any(card.details for card in found("ygo", *away).values())


def test_what_is_no_yugioh_card() -> None:
    for above in (Passage("heading", "効果モンスター"), Passage("heading", "《甲》と《乙》")):
        assert not found("ygo", above, Passage("pre", KEEPER))
    prose = Passage("pre", "効果モンスターの例である。\nドローする。")
    named = found("ygo", Passage("heading", "《霧の守り手》"), prose)
    assert [(card.text, card.details) for card in named.values()] == [(None, None)]


def test_a_heading_names_a_card() -> None:
    claims = facts_of(
        page_of("dm", Passage("heading", "《霧笛》"), Passage("heading", "《甲》と乙"))
    )
    assert [card.id for card in cards(claims)] == ["dm/card/霧笛"]
    [want] = [want for want in claims.edges if want.target == "dm/card/霧笛"]
    assert want.kind == "mentions"


def div(*texts: str) -> list[Passage]:
    head, *rest = [Passage("paragraph", text) for text in texts]
    return [replace(head, strong=((0, head.text.index("\n")),)), *rest]


ANGEL = ("Mist Angel / 霧の天使 (３)(青/白)\n伝説のクリーチャー — 天使(Angel) 霊(Spirit)",
         "飛行、警戒（攻撃してもタップしない。）\nこれが出たとき、カードを１枚引く。")  # fmt: skip
OF_ANGEL = {"mana_cost": "(３)(青/白)", "type": "伝説のクリーチャー — 天使(Angel) 霊(Spirit)",
            "pt": "3/3", "abilities": ["飛行", "警戒"]}  # fmt: skip


def test_a_card_on_mtg_wiki() -> None:
    prose = Passage("paragraph", "霧の港で登場した天使。")
    shown = found("mtg", Passage("paragraph", "*"), *div(*ANGEL, "3/3"), prose)
    card = shown["霧の天使"]
    assert (card.text, card.details) == (ANGEL[1], OF_ANGEL)
    claims = facts_of(page_of("mtg", *div(*ANGEL, "3/3")))
    assert ("en", "preferred", "Mist Angel") in names(claims, card.id)


@pytest.mark.parametrize(
    ("texts", "label", "told", "text"),
    [
        (
            ("Mist Cub / 霧の仔 (緑)\nクリーチャー — 熊(Bear)", "2/2", "地の文。"),
            "霧の仔",
            {"pt": "2/2"},
            None,
        ),
        (
            ("Mist Sage (青)\nプレインズウォーカー — 甲(A)", "[+1]：引く。", "3", "地の文。"),
            "Mist Sage",
            {"loyalty": "3"},
            "[+1]：引く。",
        ),
        (
            ("Mist Port / 霧の港\n基本土地 — 島(Island)\n(Ｔ)：(青)を加える。", "地の文。"),
            "霧の港",
            {"type": "基本土地 — 島(Island)"},
            "(Ｔ)：(青)を加える。",
        ),
    ],
)
def test_forms_of_cards_on_mtg_wiki(
    texts: Sequence[str], label: str, told: dict[str, str], text: str | None
) -> None:
    [(found_label, card)] = found("mtg", *div(*texts)).items()
    assert found_label == label and card.text == text
    assert told.items() <= dict(card.details or {}).items()


def test_a_card_on_mtg_wiki_in_a_capture_of_lines() -> None:
    texts = [
        "Mist Angel / 霧の天使 (３)(青/白)",
        "クリーチャー — 天使(Angel)",
        "",
        "飛行",
        "警戒",
        "",
        "3/3",
        "",
        "Mist Bell / 霧の鐘 (２)",
        "アーティファクト",
        "",
        "(Ｔ)：引く。",
        "",
        "霧の港で登場した。",
    ]
    lines = [Passage("paragraph", text, block=at) for at, text in enumerate(texts) if text]
    shown = found("mtg", *lines)
    assert {label: card.text for label, card in shown.items()} == {
        "霧の天使": "飛行\n警戒",
        "霧の鐘": "(Ｔ)：引く。",
    }
    assert (shown["霧の天使"].details or {})["pt"] == "3/3"


def test_faces_on_the_page_of_a_card_and_cards_that_follow_each_other() -> None:
    boxes = [
        *div(*ANGEL, "3/3\nMist Bell / 霧の鐘\n〔青〕アーティファクト"),
        Passage("paragraph", "(Ｔ)：引く。"),
    ]
    own = found("mtg", *boxes, name="霧の天使/Mist Angel")["霧の天使"]
    assert own.details == {
        **OF_ANGEL,
        "faces": [
            {"name": "霧の天使", "english": "Mist Angel", **OF_ANGEL, "text": ANGEL[1]},
            {
                "name": "霧の鐘",
                "english": "Mist Bell",
                "type": "〔青〕アーティファクト",
                "text": "(Ｔ)：引く。",
            },
        ],
    }
    assert found("mtg", *boxes).keys() == {"霧の天使", "霧の鐘"}


@pytest.mark.parametrize(
    "text",
    [
        "アーティファクト\nクリーチャー",
        "霧の天使\nクリーチャー",
        "甲/A\nクリーチャーの例。",
        "Mist Angel / 霧の天使\nこれはクリーチャーである。",
        "Mist Angel / 霧の天使",
    ],
)
def test_what_is_no_card_on_mtg_wiki(text: str) -> None:
    assert not found("mtg", Passage("paragraph", text), Passage("paragraph", "2/2"))


def test_what_a_table_of_details_prints() -> None:
    page = card_page(
        row("カード名", "<b>霧/Mist</b>（きり）")
        + row("マナコスト", "(１)(青)")
        + row("タイプ", "クリーチャー — 霊(Spirit)")
        + row("テキスト", "<p>飛行</p>")
        + row("オラクル", "Flying")
        + row("Ｐ／Ｔ", "1/2")
        + row("セット等", "コモン, 霧の港 (7/99)"),
        title="霧/Mist",
    )
    (card,) = cards(facts_of(page))
    assert card.details == {
        "mana_cost": "(１)(青)",
        "type": "クリーチャー — 霊(Spirit)",
        "oracle": "Flying",
        "pt": "1/2",
        "rarity": "コモン",
        "set": "霧の港",
        "number": "7/99",
        "abilities": ["飛行"],
    }
    (halves,) = cards(facts_of(FIRE))
    assert halves.details == {
        "faces": [
            {"name": "火", "english": "Fire", "reading": "ひ", "text": "火は２点を与える。"},
            {"name": "氷", "english": "Ice", "reading": "こおり", "text": "それをタップする。"},
        ]
    }


_LINES = st.lists(
    st.sampled_from(
        [
            *GUARD,
            *SONG,
            *KEEPER.split("\n"),
            *"\n".join(ANGEL).split("\n"),
            "3/3",
            "",
            "《霧笛》",
            "通常罠",
            "\t",
            "無色 (3)",
            "3",
            "(",
            "/",
        ]
    ),
    max_size=12,
).map("\n".join)
_KINDS: list[PassageKind] = ["paragraph", "row", "pre", "heading", "note"]


@given(
    st.lists(st.tuples(st.sampled_from(_KINDS), _LINES | st.text(max_size=40)), max_size=8),
    st.sampled_from(["dm", "ygo", "mtg", "x"]),
    st.sampled_from(["霧の港", "《霧笛》", "霧の天使/Mist Angel"]),
)
def test_any_passages_give_evidence(
    parts: list[tuple[PassageKind, str]], game: str, name: str
) -> None:
    page = page_of(game, *(Passage(kind, text) for kind, text in parts), name=name)
    context = PageContext.of(page, tokenizer())
    for card in cards_of(context):
        place, start, end = card.named
        assert start < end <= len(page.passages[place].text) and card.name.label
        for face in card.faces:
            told = "\n".join(page.passages[at].text for at in face.texts)
            assert all(line in told for line in face.text.split("\n"))
            assert 0 <= face.place < len(page.passages)
    extract(page, tokenizer())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "kind", "unit"),
    [
        ("dm", "paragraph", "\n".join(GUARD) + "\n"),
        ("dm", "row", "あ R 水文明 (" * 9),
        ("dm", "paragraph", "あ" * 60 + " 水文明 (4)\n" + "い" * 29 + "：" + "い 1" * 9 + "。\n"),
        ("ygo", "pre", "《霧笛》\n通常罠\n"),
        ("ygo", "pre", "効果モンスター\n" + "星４/" * 40 + "\n"),
        ("mtg", "paragraph", "A / " + "い" * 55 + "(白)" * 20 + "(\nクリーチャー — 人\n"),
        ("mtg", "paragraph", "A\nクリーチャー\n"),
        ("mtg", "paragraph", "A / い\nクリーチャー\n飛行\n"),
    ],
)
def test_boxes_take_linear_time(game: str, kind: PassageKind, unit: str) -> None:
    def work(size: int) -> object:
        text = unit * (size // len(unit))
        strong = tuple((at, at + 1) for at in range(0, len(text), len(unit)))
        whole = page_of(game, Passage("heading", "《霧笛》"), Passage(kind, text, strong=strong))
        apart = page_of(game, *(Passage(kind, unit) for _ in range(size // len(unit))))
        return [list(cards_of(PageContext.of(page, tokenizer()))) for page in (whole, apart)]

    assert grows_linearly(work, 60_000)
