"""Card pages: cards with their names, readings and texts, nothing lost."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graphs.model import Node
from graphs.writing.page_claims import PageClaims
from kb.knowledge import extract
from kb.language.tokens import tokenizer
from scraper import Page, Snapshot
from scraper.markup.html_walk import parse
from scraper.sites import wisdom_guild_card
from scraper.sources.charset import decode
from tests.hostile.test_hostile import MARKUP, check
from tests.pages.test_golden import marked

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
    (page,) = wisdom_guild_card.read(Snapshot("test", data, url), text, parse(text).root)
    check(page)
    return page


def facts_of(page: Page) -> PageClaims:
    return extract(page, tokenizer())


def cards(claims: PageClaims) -> list[Node]:
    return [claim.node for claim in claims.nodes if claim.node.kind == "card"]


def names(claims: PageClaims, node_id: str) -> set[tuple[str, str, str]]:
    return {(c.label.lang, c.label.role, c.label.text) for c in claims.labels if c.node == node_id}


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
        "buttons": 1,
        "document head": 1,
        "menu tabs": 2,
        "prices, statistics, formats, credits": 2,
        "side bar (advertisements, names in other languages)": 2,
        "site footer": 1,
        "site header and search": 2,
    }


def test_a_card_node() -> None:
    claims = facts_of(SERRA)
    (card,) = cards(claims)
    assert (card.id, card.kind, card.label) == ("mtg/card/セラの天使", "card", "セラの天使")
    assert card.reading == "せらのてんし"
    assert card.text == "飛行\nカードを引いてもよい。"
    assert names(claims, card.id) == {
        ("ja", "preferred", "セラの天使"),
        ("en", "preferred", "Serra Angel"),
        ("ja", "reading", "せらのてんし"),
        ("ja", "alias", "セラの天使/Serra Angel"),
    }
    (defines,) = [want for want in claims.edges if want.kind == "defines"]
    assert (defines.source, defines.target) == ("wisdom-guild/card/X1", card.id)
    assert SERRA.passages[0].text[defines.start : defines.end] == "セラの天使"
    assert "mtgwiki/セラの天使/Serra Angel" in {want.target for want in claims.edges}


def test_a_card_of_two_halves() -> None:
    assert marked(FIRE.passages[2]) == "テキスト⇥火は２点を与える。⇥それをタップする。"
    claims = facts_of(FIRE)
    (card,) = cards(claims)
    assert (card.id, card.reading) == ("mtg/card/火+氷", "ひ+こおり")
    assert card.text == "火は２点を与える。\nそれをタップする。"
    assert {
        ("en", "preferred", "Fire+Ice"),
        ("en", "alias", "Ice"),
        ("ja", "alias", "氷"),
        ("ja", "reading", "こおり"),
    } <= names(claims, card.id)


def test_a_card_with_a_back_face() -> None:
    page = card_page(
        row("カード名", "<b>表/Front</b>（おもて）")
        + row("テキスト", "一")
        + row("カード名", "<b>裏/Back</b>（うら）")
        + row("テキスト", "二"),
        title="表/Front",
    )
    (card,) = cards(facts_of(page))
    assert (card.label, card.reading, card.text) == ("表", "おもて", "一\n二")
    assert ("ja", "alias", "裏") in names(facts_of(page), card.id)


@pytest.mark.parametrize(
    ("cell", "english", "reading"),
    [
        ("港、ヴェル/Vel, Misty Port（みなとう゛ぇる）", "Vel, Misty Port", "みなとゔぇる"),
        ("霧の港/Misty Port（キリノミナト）", "Misty Port", "キリノミナト"),
        ("霧の港/Misty Port（きりのみなと！　だい２）", "Misty Port", "きりのみなと! だい2"),
        ("港（旧）/Port (Old)（みなと（きゅう））", "Port (Old)", "みなと(きゅう)"),
        ("霧の港/Misty Port（）", "Misty Port", None),
        ("霧の港/Misty Port (Old)", "Misty Port (Old)", None),
        ("霧の港/Misty Port", "Misty Port", None),
    ],
)  # fmt: skip
def test_a_faces_name_without_its_reading(cell: str, english: str, reading: str | None) -> None:
    page = card_page(
        row("カード名", "<b>表/Front</b>（おもて）") + row("カード名", cell), title="表/Front"
    )
    (card,) = cards(facts_of(page))
    assert card.details
    face = card.details["faces"][1]
    assert (face.get("english"), face.get("reading")) == (english, reading)
    found = names(facts_of(page), card.id)
    assert ("en", "alias", english) in found
    assert not [text for lang, _, text in found if lang == "en" and not text.isascii()]


def test_glossary_terms_and_homonyms() -> None:
    text = "".join(
        GLOSSARY.format(*pair) + "。"
        for pair in (("counter_n", "カウンター"), ("counter_v", "打ち消す"), ("draw_1", "引く"))
    )
    claims = facts_of(
        card_page(row("カード名", "甲/A") + row("テキスト", text + DRAW + "いた"), "甲/A")
    )
    for term in ("カウンター", "打ち消す"):
        assert ("en", "preferred", "counter") in names(claims, f"mtg/term/{term}")
    assert ("en", "preferred", "draw") in names(claims, "mtg/term/引く")
    assert not names(claims, "mtg/term/引")


def test_a_link_in_a_link_is_two_links() -> None:
    inner = GLOSSARY.format("mana_cost", "マナ・コスト")
    page = card_page(row("テキスト", GLOSSARY.format("converted_mana_cost", "点数で見た" + inner)))
    text = page.passages[-1]
    assert {(text.text[link.start : link.end], link.target) for link in text.links} == {
        ("点数で見たマナ・コスト", "converted_mana_cost"),
        ("マナ・コスト", "mana_cost"),
    }


def test_a_page_without_details_is_no_card() -> None:
    page = read_card("<html><body><p>なし</p></body></html>".encode(), URL.format("X"))
    assert (page.name, page.passages, page.left_out) == ("", (), {"page frame": 2})
    assert not wisdom_guild_card.recognises("<html>なし</html>", URL.format("X"))


_CELLS = st.lists(
    st.sampled_from(
        [
            "<p>",
            "</p>",
            "<td>",
            "</td>",
            "<tr>",
            "</tr>",
            "<th>カード名",
            "<th>テキスト",
            "</table>",
            "<table>",
            "</div>",
            "<h1>",
            "<br>",
            "火/Fire",
            "（ひ）",
            "<i>",
            '<a href="/cr/glossary/g_draw_1/">',
            "</a>",
            "引く",
            "\n",
            "\t",
            "&#9;",
            '<div class="wg-whisper-card-detail">',
            '<a href="http://[/card/">',
        ]
    ),
    max_size=50,
).map("".join)


@given(_CELLS | MARKUP, _CELLS | MARKUP, st.text(max_size=30))
@example('<a href="/cr/glossary/g_x/"><p>甲</p><td>乙</a>', "", "%FF")
def test_any_markup_in_a_card_frame(rows: str, title: str, wiki: str) -> None:
    page = card_page(rows, title, re.sub(r"[\"<>&{}]", "", wiki))
    if page.name:
        known = facts_of(page)
        texts = dict(zip(_passage_ids(known), (p.text for p in page.passages), strict=True))
        for edge in known.edges:
            assert 0 <= edge.start <= edge.end <= len(texts[edge.passage])


def _passage_ids(claims: PageClaims) -> list[str]:
    return [own.node.id for own in claims.parts if own.node.kind == "passage"]


@given(st.text(max_size=500), st.sampled_from(["", "::", URL.format("X"), "http://["]))
def test_any_text_as_a_card(text: str, url: str) -> None:
    read_card(text.encode(), url)


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
        assert wisdom_guild_card.recognises(markup, page.url) and page.lost == 0
        claims = facts_of(page)
        (card,) = cards(claims)
        seen.add(card.id)
        ja, en = re.findall(r"<h1[^>]*>(.*?)/(.*?)</h1>", markup)[0]
        assert (card.label, card.url) == (ja, page.url)
        assert {("ja", "preferred", ja), ("en", "preferred", en)} <= names(claims, card.id)
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
        claims = facts_of(page)
        found |= {
            (p.text[k.start : k.end], k.target)
            for p in page.passages
            for k in p.links
            if k.kind == "glossary"
        }
        for claim in claims.nodes:
            if claim.node.kind == "term" and claim.rank < 10:  # not what a type line names
                terms.setdefault(claim.node.id.removeprefix("mtg/term/"), set())
        for label in claims.labels:
            if label.node.removeprefix("mtg/term/") in terms and label.label.lang == "en":
                terms[label.node.removeprefix("mtg/term/")].add(label.label.text)
    assert found == wanted and len(wanted) == 77
    for text, key in wanted:
        english = re.sub(r"_(?:[nv]|\d)$", "", key).replace("_", " ")
        assert any(english in terms[term] for term in terms if term.startswith(text)), (text, key)
    assert terms["カウンター"] == {"counter"} == terms["打ち消す"]
    assert all(terms.values())
    assert len(terms) == len({text for text, _ in wanted})
