"""Card pages and lists of names: cards with their names, readings and texts, nothing lost."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graphs.facts import Facts
from graphs.model import Node
from graphs.write import writing
from kb.extract import extract
from kb.extract.cards import cards as cards_of
from kb.extract.reading import Reading
from kb.words import words
from scraper import Hints, Page, Passage, Snapshot
from scraper.decode import decode
from scraper.markup import parse
from scraper.page import PassageKind, Ruby
from scraper.sites import namelist, wisdomcard
from tests.test_golden import marked
from tests.test_hostile import MARKUP, check
from tests.timing import grows_linearly

URL = "http://whisper.wisdom-guild.net/card/{}/"
CARD = (
    '<html><head><title>t</title></head><body><div id="root"><div id="top">検索</div>'
    '<div class="wg-whisper-card-title"><h1 class="wg-title">{title}</h1>'
    '<span class="right">別</span></div><div id="main"><div id="rightmenu">広告'
    '<div class="owl-tip-mtgwiki" q="{wiki}"></div></div><div class="wg-menu-bar">価格</div>'
    '<div class="wg-whisper-card-detail"><table>{rows}</table></div>'
    '<div class="padding-vertical">9 円</div></div><div id="bottom">©</div></div></body></html>'
)
GLOSSARY = '<a href="http://whisper.wisdom-guild.net/cr/glossary/g_{}/">{}</a>'


def row(label: str, *values: str) -> str:
    cells = "".join(f'\n<td class="lc">{value}</td>' for value in values)
    return f'<tr>\n<th class="dc">{label}</th>{cells}\n</tr>'


def card_page(rows: str, title: str = "", wiki: str = "", url: str = URL.format("X1")) -> Page:
    return read_card(CARD.format(title=title, wiki=wiki, rows=rows).encode(), url)


def read_card(data: bytes, url: str) -> Page:
    text = decode(data, "text/html").text
    root = parse(text)
    assert root is not None
    (page,) = wisdomcard.read(Snapshot("test", data, url), text, root)
    check(page)
    return page


def read_list(text: str, where: str = "list.csv", game: str | None = None) -> Page:
    (page,) = namelist.read(Snapshot(where, text.encode(), hints=Hints(game=game)), text)
    check(page)
    return page


def facts_of(page: Page) -> Facts:
    return extract(page, words())


def cards(facts: Facts) -> list[Node]:
    return [claim.node for claim in facts.claims if claim.node.kind == "card"]


def names(facts: Facts, node_id: str) -> set[tuple[str, str, str]]:
    return {(c.label.lang, c.label.role, c.label.text) for c in facts.labels if c.node == node_id}


# -- card pages -------------------------------------------------------------------------------

DRAW = GLOSSARY.format("draw_1", "引")
SERRA = card_page(
    row("カード名", "<b>セラの天使/Serra Angel</b>\n\t（せらのてんし）\t")
    + row("マナコスト", "(３)(白)(白)")
    + row(
        "テキスト", f"<p>{GLOSSARY.format('flying', '飛行')}</p>\n<p>カードを{DRAW}いてもよい。</p>"
    )
    + row("オラクル", "<p>Flying</p>\n<p>You may draw a card.</p>")
    + row("フレーバ", "<i></i>")
    + row("再録", '<a href="http://whisper.wisdom-guild.net/card/M15273/">M15</a> <b>10E</b>'),
    title="セラの天使/Serra Angel",
    wiki="%E3%82%BB%E3%83%A9%E3%81%AE%E5%A4%A9%E4%BD%BF%2FSerra+Angel",
)
FIRE = card_page(
    row("カード名", "<b>火/Fire</b>（ひ）", "<b>氷/Ice</b>（こおり）")
    + row("テキスト", "<p>火は２点を与える。</p>", "<p>それをタップする。</p>"),
    title="火+氷/Fire+Ice",
    wiki="%E7%81%AB%2B%E6%B0%B7%2FFire%2BIce",
)


def test_rows_of_a_card() -> None:
    assert (SERRA.source, SERRA.game, SERRA.name) == ("wisdom-guild", "mtg", "card/X1")
    assert SERRA.title == "セラの天使/Serra Angel"
    assert [marked(p) for p in SERRA.passages[1:]] == [
        "カード名⇥*セラの天使/Serra Angel*（せらのてんし）",
        "マナコスト⇥(３)(白)(白)",
        "テキスト⇥[飛行|glossary|flying]⏎カードを[引|glossary|draw_1]いてもよい。",
        "オラクル⇥Flying⏎You may draw a card.",
        "フレーバ⇥",
        "再録⇥[M15|page|card/M15273] *10E*",
    ]


def test_what_is_left_out_has_its_reason() -> None:
    assert SERRA.left_out == {
        "buttons": 1, "document head": 1, "menu tabs": 2,
        "prices, statistics, formats, credits": 2,
        "side bar (advertisements, names in other languages)": 2,
        "site footer": 1, "site header and search": 2,
    }  # fmt: skip


def test_a_card_node() -> None:
    facts = facts_of(SERRA)
    (card,) = cards(facts)
    assert (card.id, card.kind, card.label) == ("mtg/card/セラの天使", "card", "セラの天使")
    assert card.reading == "せらのてんし"
    assert card.text == "飛行\nカードを引いてもよい。"
    assert names(facts, card.id) == {
        ("ja", "preferred", "セラの天使"), ("en", "preferred", "Serra Angel"),
        ("ja", "reading", "せらのてんし"), ("ja", "alias", "セラの天使/Serra Angel"),
    }  # fmt: skip
    (defines,) = [want for want in facts.wants if want.kind == "defines"]
    assert (defines.source, defines.want) == ("wisdom-guild/card/X1", card.id)
    assert SERRA.passages[0].text[defines.start : defines.end] == "セラの天使"
    assert "mtgwiki/セラの天使/Serra Angel" in {want.want for want in facts.wants}


def test_a_card_of_two_halves() -> None:
    assert marked(FIRE.passages[2]) == "テキスト⇥火は２点を与える。⇥それをタップする。"
    facts = facts_of(FIRE)
    (card,) = cards(facts)
    assert (card.id, card.reading) == ("mtg/card/火+氷", "ひ+こおり")
    assert card.text == "火は２点を与える。\nそれをタップする。"
    assert {("en", "preferred", "Fire+Ice"), ("en", "alias", "Ice"), ("ja", "alias", "氷"),
            ("ja", "reading", "こおり")} <= names(facts, card.id)  # fmt: skip


def test_a_card_with_a_back_face() -> None:
    page = card_page(
        row("カード名", "<b>表/Front</b>（おもて）") + row("テキスト", "一")
        + row("カード名", "<b>裏/Back</b>（うら）") + row("テキスト", "二"), title="表/Front",
    )  # fmt: skip
    (card,) = cards(facts_of(page))
    assert (card.label, card.reading, card.text) == ("表", "おもて", "一\n二")
    assert ("ja", "alias", "裏") in names(facts_of(page), card.id)


def test_glossary_terms_and_homonyms() -> None:
    text = "".join(
        GLOSSARY.format(*pair) + "。"
        for pair in (("counter_n", "カウンター"), ("counter_v", "打ち消す"), ("draw_1", "引く"))
    )
    facts = facts_of(
        card_page(row("カード名", "甲/A") + row("テキスト", text + DRAW + "いた"), "甲/A")
    )
    for term in ("カウンター", "打ち消す"):
        assert ("en", "preferred", "counter") in names(facts, f"mtg/term/{term}")
    assert ("en", "preferred", "draw") in names(facts, "mtg/term/引く")
    assert not names(facts, "mtg/term/引")


def test_a_link_in_a_link_is_two_links() -> None:
    inner = GLOSSARY.format("mana_cost", "マナ・コスト")
    page = card_page(row("テキスト", GLOSSARY.format("converted_mana_cost", "点数で見た" + inner)))
    text = page.passages[-1]
    assert {(text.text[link.start : link.end], link.target) for link in text.links} == {
        ("点数で見たマナ・コスト", "converted_mana_cost"), ("マナ・コスト", "mana_cost"),
    }  # fmt: skip


def test_a_page_without_details_is_no_card() -> None:
    page = read_card("<html><body><p>なし</p></body></html>".encode(), URL.format("X"))
    assert (page.name, page.passages, page.left_out) == ("", (), {"page frame": 2})
    assert not wisdomcard.recognises("<html>なし</html>", URL.format("X"))


_CELLS = st.lists(
    st.sampled_from(["<p>", "</p>", "<td>", "</td>", "<tr>", "</tr>", "<th>カード名",
                     "<th>テキスト", "</table>", "<table>", "</div>", "<h1>", "<br>", "火/Fire",
                     "（ひ）", "<i>",
                     '<a href="/cr/glossary/g_draw_1/">', "</a>", "引く", "\n", "\t", "&#9;",
                     '<div class="wg-whisper-card-detail">', '<a href="http://[/card/">']),
    max_size=50,
).map("".join)  # fmt: skip


@given(_CELLS | MARKUP, _CELLS | MARKUP, st.text(max_size=30))
@example('<a href="/cr/glossary/g_x/"><p>甲</p><td>乙</a>', "", "%FF")
def test_any_markup_in_a_card_frame(rows: str, title: str, wiki: str) -> None:
    page = card_page(rows, title, re.sub(r"[\"<>&{}]", "", wiki))
    if page.name:
        known = facts_of(page)
        texts = dict(zip(_passage_ids(known), (p.text for p in page.passages), strict=True))
        for want in known.wants:
            assert 0 <= want.start <= want.end <= len(texts[want.passage])


def _passage_ids(facts: Facts) -> list[str]:
    return [own.node.id for own in facts.nodes if own.node.kind == "passage"]


@given(st.text(max_size=500), st.sampled_from(["", "::", URL.format("X"), "http://["]))
def test_any_text_as_a_card(text: str, url: str) -> None:
    if parse(text) is not None:
        read_card(text.encode(), url)


# -- boxes on the pages of wikis ---------------------------------------------------------------


def page_of(game: str, *passages: Passage, name: str = "霧の港") -> Page:
    source = {"dm": "dmwiki", "ygo": "yugioh-wiki", "mtg": "mtgwiki"}.get(game, game)
    return Page(source, name, "", game=game, title=name,
                passages=(Passage("title", name), *passages))  # fmt: skip


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
        ("呪文：甲・乙", "呪文", "甲・乙", None), ("城", "城", None, None),
        ("進化クリーチャー：甲 ∞", "進化クリーチャー", "甲", "∞"),
    ],
)  # fmt: skip
def test_types_in_duel_masters_boxes(
    line: str, type_: str, race: str | None, power: str | None
) -> None:
    told = printed("dm", *rows(GUARD[0], line, "引く。"))
    assert (told["type"], told.get("race"), told.get("power")) == (type_, race, power)


def test_a_twin_card_is_one_card_with_two_faces() -> None:
    shown = found("dm", *rows(*GUARD, *SONG))
    card = shown["霧笛の番人/潮騒の調べ"]
    assert len(shown) == 1 and card.text == "\n".join([*GUARD[2:], SONG[2]])
    assert card.details == {"faces": [
        {"name": "霧笛の番人", **GUARDED, "text": "\n".join(GUARD[2:])},
        {"name": "潮騒の調べ", **SUNG, "text": SONG[2]},
    ]}  # fmt: skip
    facts = facts_of(page_of("dm", *rows(*GUARD, *SONG)))
    assert {("ja", "alias", "霧笛の番人"), ("ja", "alias", "潮騒の調べ")} < names(facts, card.id)


def test_boxes_run_together_are_cards_unless_the_page_joins_their_names() -> None:
    together = Passage("paragraph", "\n".join([*GUARD, *SONG]))
    assert found("dm", together).keys() == {"霧笛の番人", "潮騒の調べ"}
    joined = Passage("item", "《霧笛の番人/潮騒の調べ》の例。")
    assert found("dm", together, joined).keys() == {"霧笛の番人/潮騒の調べ"}
    blocks = [*rows(*GUARD), *rows(*SONG, block=2)]
    assert found("dm", *blocks).keys() == {"霧笛の番人", "潮騒の調べ"}


def test_a_box_on_the_page_of_its_card_weighs_more() -> None:
    own = facts_of(page_of("dm", *rows(*GUARD), name="《霧笛の番人》"))
    other = facts_of(page_of("dm", *rows(*GUARD)))
    assert {claim.rank for claim in own.claims} == {0}
    assert {claim.rank for claim in other.claims if claim.node.kind == "card"} == {1}
    [defines] = [want for want in other.wants if want.want == "dm/card/霧笛の番人"]
    assert (defines.kind, defines.source) == ("defines", "dmwiki/霧の港")
    assert GUARD[0][defines.start : defines.end] == "霧笛の番人"
    assert len([w for w in own.wants if w.kind == "defines"]) == 1


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


def test_no_form_is_known_of_other_games() -> None:
    assert not found("x", *rows(*GUARD), Passage("heading", "《霧笛の番人》"))


KEEPER = "効果モンスター\n星４/水属性/魚族/攻 800/守   ?\n（１）：発動できる。\nドローする。"


def test_a_yugioh_card() -> None:
    heading = Passage("heading", "《霧の守り手/Mist Keeper》", ruby=(Ruby(1, 2, "きり"),))
    shown = found("ygo", heading, Passage("pre", KEEPER), Passage("pre", KEEPER))
    card = shown["霧の守り手"]
    assert card.text == "（１）：発動できる。\nドローする。"
    assert card.details == {
        "type": "効果モンスター", "level": "星４", "attribute": "水属性", "race": "魚族",
        "atk": "800", "def": "?",
    }  # fmt: skip
    facts = facts_of(page_of("ygo", heading, Passage("pre", KEEPER)))
    assert ("en", "preferred", "Mist Keeper") in names(facts, card.id)


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("永続罠（禁止カード）\n引く。", {"type": "永続罠", "limit": "禁止カード"}),
        ("リンク・効果モンスター\n闇属性/魚族/攻2300\n【LINK−3：上/左下/右下】\n引く。",
         {"type": "リンク・効果モンスター", "attribute": "闇属性", "race": "魚族", "atk": "2300",
          "link": "3", "markers": "上/左下/右下"}),
        ("エクシーズ・ペンデュラム・効果モンスター\nランク４/光属性/魚族/攻   0/守1800\n"
         "【Ｐスケール：青４/赤８】\n引く。",
         {"type": "エクシーズ・ペンデュラム・効果モンスター", "rank": "ランク４",
          "attribute": "光属性", "race": "魚族", "atk": "0", "def": "1800",
          "scale": "青４/赤８"}),
    ],
)  # fmt: skip
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
    facts = facts_of(
        page_of("dm", Passage("heading", "《霧笛》"), Passage("heading", "《甲》と乙"))
    )
    assert [card.id for card in cards(facts)] == ["dm/card/霧笛"]
    [want] = [want for want in facts.wants if want.want == "dm/card/霧笛"]
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
    facts = facts_of(page_of("mtg", *div(*ANGEL, "3/3")))
    assert ("en", "preferred", "Mist Angel") in names(facts, card.id)


@pytest.mark.parametrize(
    ("texts", "label", "told", "text"),
    [
        (("Mist Cub / 霧の仔 (緑)\nクリーチャー — 熊(Bear)", "2/2", "地の文。"), "霧の仔",
         {"pt": "2/2"}, None),
        (("Mist Sage (青)\nプレインズウォーカー — 甲(A)", "[+1]：引く。", "3", "地の文。"),
         "Mist Sage", {"loyalty": "3"}, "[+1]：引く。"),
        (("Mist Port / 霧の港\n基本土地 — 島(Island)\n(Ｔ)：(青)を加える。", "地の文。"), "霧の港",
         {"type": "基本土地 — 島(Island)"}, "(Ｔ)：(青)を加える。"),
    ],
)  # fmt: skip
def test_forms_of_cards_on_mtg_wiki(
    texts: Sequence[str], label: str, told: dict[str, str], text: str | None
) -> None:
    [(found_label, card)] = found("mtg", *div(*texts)).items()
    assert found_label == label and card.text == text
    assert told.items() <= dict(card.details or {}).items()


def test_a_card_on_mtg_wiki_in_a_capture_of_lines() -> None:
    texts = ["Mist Angel / 霧の天使 (３)(青/白)", "クリーチャー — 天使(Angel)", "", "飛行", "警戒",
             "", "3/3", "", "Mist Bell / 霧の鐘 (２)", "アーティファクト", "", "(Ｔ)：引く。", "",
             "霧の港で登場した。"]  # fmt: skip
    lines = [Passage("paragraph", text, block=at) for at, text in enumerate(texts) if text]
    shown = found("mtg", *lines)
    assert {label: card.text for label, card in shown.items()} == {
        "霧の天使": "飛行\n警戒", "霧の鐘": "(Ｔ)：引く。",
    }  # fmt: skip
    assert (shown["霧の天使"].details or {})["pt"] == "3/3"


def test_faces_on_the_page_of_a_card_and_cards_that_follow_each_other() -> None:
    boxes = [*div(*ANGEL, "3/3\nMist Bell / 霧の鐘\n〔青〕アーティファクト"),
             Passage("paragraph", "(Ｔ)：引く。")]  # fmt: skip
    own = found("mtg", *boxes, name="霧の天使/Mist Angel")["霧の天使"]
    assert own.details == {**OF_ANGEL, "faces": [
        {"name": "霧の天使", "english": "Mist Angel", **OF_ANGEL, "text": ANGEL[1]},
        {"name": "霧の鐘", "english": "Mist Bell", "type": "〔青〕アーティファクト",
         "text": "(Ｔ)：引く。"},
    ]}  # fmt: skip
    assert found("mtg", *boxes).keys() == {"霧の天使", "霧の鐘"}


@pytest.mark.parametrize(
    "text", ["アーティファクト\nクリーチャー", "霧の天使\nクリーチャー", "甲/A\nクリーチャーの例。",
             "Mist Angel / 霧の天使\nこれはクリーチャーである。", "Mist Angel / 霧の天使"],
)  # fmt: skip
def test_what_is_no_card_on_mtg_wiki(text: str) -> None:
    assert not found("mtg", Passage("paragraph", text), Passage("paragraph", "2/2"))


def test_what_a_table_of_details_prints() -> None:
    page = card_page(
        row("カード名", "<b>霧/Mist</b>（きり）") + row("マナコスト", "(１)(青)")
        + row("タイプ", "クリーチャー — 霊(Spirit)") + row("テキスト", "<p>飛行</p>")
        + row("オラクル", "Flying") + row("Ｐ／Ｔ", "1/2")
        + row("セット等", "コモン, 霧の港 (7/99)"),
        title="霧/Mist",
    )  # fmt: skip
    (card,) = cards(facts_of(page))
    assert card.details == {
        "mana_cost": "(１)(青)", "type": "クリーチャー — 霊(Spirit)", "oracle": "Flying",
        "pt": "1/2", "rarity": "コモン", "set": "霧の港", "number": "7/99",
        "abilities": ["飛行"],
    }  # fmt: skip
    (halves,) = cards(facts_of(FIRE))
    assert halves.details == {"faces": [
        {"name": "火", "english": "Fire", "reading": "ひ", "text": "火は２点を与える。"},
        {"name": "氷", "english": "Ice", "reading": "こおり", "text": "それをタップする。"},
    ]}  # fmt: skip


_LINES = st.lists(
    st.sampled_from([*GUARD, *SONG, *KEEPER.split("\n"), *"\n".join(ANGEL).split("\n"), "3/3", "",
                     "《霧笛》", "通常罠", "\t", "無色 (3)", "3", "(", "/"]), max_size=12,
).map("\n".join)  # fmt: skip
_KINDS: list[PassageKind] = ["paragraph", "row", "pre", "heading", "note"]


@given(st.lists(st.tuples(st.sampled_from(_KINDS), _LINES | st.text(max_size=40)), max_size=8),
       st.sampled_from(["dm", "ygo", "mtg", "x"]),
       st.sampled_from(["霧の港", "《霧笛》", "霧の天使/Mist Angel"]))  # fmt: skip
def test_any_passages_give_evidence(
    parts: list[tuple[PassageKind, str]], game: str, name: str
) -> None:
    page = page_of(game, *(Passage(kind, text) for kind, text in parts), name=name)
    reading = Reading.of(page, words())
    for card in cards_of(reading):
        place, start, end = card.named
        assert start < end <= len(page.passages[place].text) and card.name.label
        for face in card.faces:
            told = "\n".join(page.passages[at].text for at in face.texts)
            assert all(line in told for line in face.text.split("\n"))
            assert 0 <= face.place < len(page.passages)
    extract(page, words())


@pytest.mark.parametrize(
    ("game", "kind", "unit"),
    [
        ("dm", "paragraph", "\n".join(GUARD) + "\n"), ("dm", "row", "あ R 水文明 (" * 9),
        ("dm", "paragraph", "あ" * 60 + " 水文明 (4)\n" + "い" * 29 + "：" + "い 1" * 9 + "。\n"),
        ("ygo", "pre", "《霧笛》\n通常罠\n"),
        ("ygo", "pre", "効果モンスター\n" + "星４/" * 40 + "\n"),
        ("mtg", "paragraph", "A / " + "い" * 55 + "(白)" * 20 + "(\nクリーチャー — 人\n"),
        ("mtg", "paragraph", "A\nクリーチャー\n"),
        ("mtg", "paragraph", "A / い\nクリーチャー\n飛行\n"),
    ],
)  # fmt: skip
def test_boxes_take_linear_time(game: str, kind: PassageKind, unit: str) -> None:
    def work(size: int) -> object:
        text = unit * (size // len(unit))
        strong = tuple((at, at + 1) for at in range(0, len(text), len(unit)))
        whole = page_of(game, Passage("heading", "《霧笛》"), Passage(kind, text, strong=strong))
        apart = page_of(game, *(Passage(kind, unit) for _ in range(size // len(unit))))
        return [list(cards_of(Reading.of(page, words()))) for page in (whole, apart)]

    assert grows_linearly(work, 60_000)


# -- lists of names ---------------------------------------------------------------------------

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
    facts = facts_of(page)
    assert names(facts, "mtg/card/森") == {
        ("ja", "preferred", "森"), ("en", "preferred", "Forest"), ("ja", "reading", "もり"),
    }  # fmt: skip
    assert len(cards(facts)) == 3


def test_a_list_with_ruby() -> None:
    page = read_list(TSV, "names.tsv", game="ygo")
    assert page.game == "ygo" and page.name == "ygo/names"
    assert marked(page.passages[1]).startswith("「{Ａ|エー}」{細|さい}{胞|ぼう}")
    assert page.passages[1].text.endswith('\t"A" Cell Incubator')
    assert page.left_out["columns that hold no name"] == len("id") + 3
    facts = facts_of(page)
    readings = {card.label: card.reading for card in cards(facts)}
    assert readings == {
        "「A」細胞培養装置": "「エー」さいぼうばいようそうち",
        "リミット・リバース": None, "融合": "ゆうごう",
    }  # fmt: skip
    (edge,) = [want for want in facts.wants if want.want == "ygo/card/融合"]
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
    ],
)
def test_forms_of_lists(text: str) -> None:
    assert namelist.recognises(text, "")
    facts = facts_of(read_list(text, game="mtg"))
    found = {c.id: names(facts, c.id) for c in cards(facts)}
    assert found == {
        f"mtg/card/{ja}": {("ja", "preferred", ja), ("en", "preferred", en)}
        for ja, en in (("森", "Forest"), ("島", "Island"), ("沼", "Swamp"))
    }


def test_an_entry_without_a_japanese_name_is_kept_but_no_card() -> None:
    page = read_list('{"Forest": "森", "Tundra": "undefined", "Island": "島", "Swamp": "沼"}')
    assert page.passages[1].text == "undefined\tTundra"
    assert len(cards(facts_of(page))) == 3


@pytest.mark.parametrize(
    "text",
    ["", "{", "[[[", "森\n島\n", "カードを引く。\n100.1. Draw a card.\n",
     '{"a": "b", "c": "d", "e": "f"}',
     '{"parse": {"title": "引く", "text": {"*": "<p>Draw</p>"}}}', "<p>森,Forest</p>\n" * 5,
     "カードを引く、手札、墓地、ライブラリー\n" * 9],
)  # fmt: skip
def test_what_is_no_list(text: str) -> None:
    assert not namelist.recognises(text, "")
    assert not namelist.recognises("en,ja\n" + text, "http://mtgwiki.com/wiki/X")
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
    namelist.recognises(text, "http://[")
    extract(read_list(text), words())


_NAMES = st.lists(
    st.tuples(st.text("森島沼ンー・「」\"',;| <", min_size=1).map("森{}".format),
              st.text("abcA \"',;|<", min_size=1).map("A{}".format)), min_size=3, max_size=12,
)  # fmt: skip


@given(_NAMES)
def test_any_names_come_through_json(entries: list[tuple[str, str]]) -> None:
    page = read_list(json.dumps(entries))
    rows = [tuple(p.text.split("\t")) for p in page.passages]
    assert rows == [(ja.strip(), en.strip()) for ja, en in entries]


@pytest.mark.parametrize(
    "unit", ["'\"", '"', "森,Forest\n", '森,"A"\n', "[", '{"森":', ",", "<ruby>", "a", "森\t"]
)
def test_lists_take_linear_time(unit: str) -> None:
    assert grows_linearly(
        lambda size: read_list("森,Forest\n" * 4 + unit * (size // len(unit))), 200_000
    )


# -- the real ones ----------------------------------------------------------------------------


def card_files(shared: Path) -> Sequence[Path]:
    return sorted((shared / "pages/wisdom-guild").glob("card_*.html"))


def real(path: Path) -> Page:
    return read_card(path.read_bytes(), URL.format(path.stem.removeprefix("card_")))


def plain_rows(markup: str, label: str) -> list[str]:
    """What the details give under a label, by a pattern on the file."""
    found = re.findall(rf"(?s)<th[^>]*>{label}</th>(.*?)</tr>", markup)
    cells = [cell for part in found for cell in re.findall(r"(?s)<td[^>]*>(.*?)</td>", part)]
    return [re.sub(r"<[^>]*>", "", cell).strip() for cell in cells]


@pytest.mark.shared
def test_forty_cards(shared: Path) -> None:
    files = card_files(shared)
    assert len(files) == 40
    seen = set()
    for path in files:
        markup = path.read_text("utf-8")
        page = real(path)
        assert wisdomcard.recognises(markup, page.url) and page.lost == 0
        facts = facts_of(page)
        (card,) = cards(facts)
        seen.add(card.id)
        ja, en = re.findall(r"<h1[^>]*>(.*?)/(.*?)</h1>", markup)[0]
        assert (card.label, card.url) == (ja, page.url)
        assert {("ja", "preferred", ja), ("en", "preferred", en)} <= names(facts, card.id)
        read = re.findall(r"（([ぁ-んー]+)）", " ".join(plain_rows(markup, "カード名")))
        assert card.reading and card.reading.split("+")[0] == read[0]
        assert len(read) == len(plain_rows(markup, "カード名"))
        for label in ("テキスト", "オラクル"):
            wanted = "".join("".join(plain_rows(markup, label)).split())
            rows = [
                p.text.split("\t")[1:] for p in page.passages if p.text.startswith(f"{label}\t")
            ]
            assert "".join("".join(map("".join, rows)).split()) == wanted != ""
        assert "".join((card.text or "").split()) == "".join(
            "".join(plain_rows(markup, "テキスト")).split()
        )
    assert len(seen) == 40


def stated_pairs(markup: str) -> set[tuple[str, str]]:
    """(linked words, key) of every glossary link, by a pattern on the file: first the links
    that hold no other, then those that hold one."""
    link = r'<a href="[^"]*/glossary/g_([^"/]*)/">([^<]*)</a>'
    inner = {(text, key) for key, text in re.findall(link, markup)}
    outer = {(text, key) for key, text in re.findall(link, re.sub(link, r"\2", markup))}
    assert markup.count("/glossary/g_") == len(re.findall(link, markup)) + len(
        re.findall(link, re.sub(link, r"\2", markup))
    )
    return inner | outer


@pytest.mark.shared
def test_every_pair_that_the_glossary_links_state(shared: Path) -> None:
    wanted: set[tuple[str, str]] = set()
    found: set[tuple[str, str]] = set()
    terms: dict[str, set[str]] = {}
    for path in card_files(shared):
        wanted |= stated_pairs(path.read_text("utf-8"))
        page = real(path)
        facts = facts_of(page)
        found |= {(p.text[k.start : k.end], k.target) for p in page.passages for k in p.links
                  if k.kind == "glossary"}  # fmt: skip
        for claim in facts.claims:
            if claim.node.kind == "term" and claim.rank < 10:  # not what a type line names
                terms.setdefault(claim.node.id.removeprefix("mtg/term/"), set())
        for label in facts.labels:
            if label.node.removeprefix("mtg/term/") in terms and label.label.lang == "en":
                terms[label.node.removeprefix("mtg/term/")].add(label.label.text)
    assert found == wanted and len(wanted) == 77
    for text, key in wanted:
        english = re.sub(r"_(?:[nv]|\d)$", "", key).replace("_", " ")
        assert any(english in terms[term] for term in terms if term.startswith(text)), (text, key)
    assert terms["カウンター"] == {"counter"} == terms["打ち消す"]
    assert all(terms.values())
    assert len(terms) == len({text for text, _ in wanted})


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
    assert namelist.recognises(text, "")
    page = read_list(text, name)
    facts = facts_of(page)
    with writing(tmp_path / "list.db") as writer:
        writer.add(facts)
        writer.settle(lambda wanted: [])
        writer.finish()
    assert time.process_time() - began < 30
    assert page.name == f"{game}/{name.partition('.')[0]}" and page.lost == 0
    assert len(cards(facts)) == entries
    assert [want.kind for want in facts.wants] == ["defines"] * entries
    if name.endswith("json"):
        pairs = {(ja, en) for en, ja in json.loads(text).items()}
    else:
        quoted = [line.split("\t") for line in text.splitlines()]
        lines = [[re.sub('"("?)', r"\1", cell) for cell in line] for line in quoted]
        pairs = {(line[3], line[2]) for line in lines}
        assert sum(bool(p.ruby) for p in page.passages) == sum("<rt>" in line[4] for line in lines)
    assert {tuple(p.text.split("\t")[:2]) for p in page.passages} == pairs
    assert sum(bool(card.reading) for card in cards(facts)) == ruby
