"""What things are called on pages: names, dates and sources in the place of ids."""

from __future__ import annotations

import re
from html import unescape

import pytest
from starlette.testclient import TestClient

from kb.web.pages.node import CardName, _first_by_language
from tests.page_markup import Markup

_RULE = "mtg/cr/20231117/en/121.4"
_TERM = "mtg/term/引く"


def _field(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found, name
    return unescape(found[1])


@pytest.mark.parametrize(
    ("address", "field", "node"),
    [
        ("refs", "ref", _RULE), ("trace", "ref", _RULE), ("draw", "ref", _TERM),
        ("compare", "ref", _TERM), ("rulings", "ref", _TERM), ("outcomes", "ref", _TERM),
        ("kwic", "mentions", _TERM), ("search", "cites", _RULE),
    ],
)  # fmt: skip
def test_fields_show_names_and_keep_the_id(
    client: TestClient, address: str, field: str, node: str
) -> None:
    page = client.get(f"/en/{address}", params={field: node}).text
    shown = _field(page, field)
    assert "/" not in shown and "Magic: The Gathering" in shown
    assert _field(page, f"{field}-id") == node
    sent = {field: shown, f"{field}-id": node, "format": "json"}
    same = client.get(f"/en/{address}", params=sent)
    assert same.json() == client.get(f"/en/{address}?{field}={node}&format=json").json()
    if address == "rulings":
        return  # of which there are none here
    other = client.get(f"/en/{address}", params=sent | {field: "ライブラリー"})  # typed over it
    assert other.json() != same.json()


def test_a_rule_in_a_field_says_its_edition_or_all(client: TestClient) -> None:
    page = client.get("/ja/refs", params={"ref": _RULE}).text
    assert _field(page, "ref") == "121.4 · マジック：ザ・ギャザリング · 2023-11-17 · 英語"
    whole = client.get(f"/en/node/{_RULE}?format=json").json()["matches"][0]["rule"]
    page = client.get("/en/refs", params={"ref": whole}).text
    assert _field(page, "ref") == "121.4 · Magic: The Gathering · all editions"


_ID = re.compile(r"\b(?:mtgwiki|dmwiki|wisdom-guild|yugioh-wiki|namelist|undated)\b|GMT")


@pytest.mark.parametrize(
    "address",
    ["", "node/mtgwiki/引く", "node/" + _RULE, "node/" + _TERM, "diff", "impact", "path", "top",
     "search?q=引く&all=1", "kwic?q=引く", "show?ref=引く", "ask?q=引くとは？", "align", "glossary",
     "audit"],
)  # fmt: skip
def test_no_id_is_a_word_of_a_page(client: TestClient, address: str) -> None:
    page = client.get(f"/ja/{address}").text
    address_in_print = r'<p class="printed-source">.*?</p>'
    unread = rf"<pre.*?</pre>|{address_in_print}|<[^>]*>"
    text = unescape(re.sub(unread, " ", page, flags=re.DOTALL))
    assert not _ID.findall(text) and not re.search(r"(?<![\w/.])(?:mtg|dm|ygo)(?![\w/.])", text)


@pytest.mark.parametrize(
    "name", ["kwic", "rulings", "steps", "outcomes", "path", "compare", "refs"]
)
def test_titles_of_empty_forms_begin_with_words(client: TestClient, name: str) -> None:
    title = re.search("<title>(.*?)</title>", client.get(f"/en/{name}").text, re.DOTALL)
    assert title and title[1][:1].isalpha(), title


def test_the_edition_of_a_form_is_that_of_its_rule_and_can_be_changed(client: TestClient) -> None:
    page = client.get("/en/trace", params={"ref": _RULE}).text
    assert '<option value="20231117" selected>' in page
    sent = {"ref": _field(page, "ref"), "ref-id": _RULE, "edition": "20231117", "lang": "ja"}
    page = client.get("/en/refs", params=sent).text
    assert _field(page, "ref").endswith("2023-11-17 · Japanese"), _field(page, "ref")
    gone = client.get("/en/refs", params=sent | {"edition": "20240730"})
    assert gone.status_code == 404 and "121.4" in gone.text


def test_a_rule_leads_to_its_references_over_all_editions(client: TestClient) -> None:
    page = client.get("/en/node/mtg/cr/20231117/en/121").text
    links = [each for each in Markup(page).links if "/refs?" in each and "with_parts" in each]
    link = next(each for each in links if "direction=in" in each)
    answer = client.get(link)
    assert answer.status_code == 200 and "all editions" in _field(answer.text, "ref")
    one = client.get("/en/refs?ref=mtg/cr/20231117/en/121&with_parts=1&direction=in").text
    assert "of this edition alone" in one and "over all editions" in one


_SOURCE = r"mtgwiki|dmwiki|wisdom-guild|yugioh-wiki|namelist|rulebook"
_RAW = re.compile(
    rf"\w+/(?:card|term|cr|rule)/|\b(?:{_SOURCE})\b|(?<!\w)(?:mtg|dm|ygo|en|ja)(?!\w)"
)


@pytest.mark.parametrize("lang", ["en", "ja"])
@pytest.mark.parametrize(
    "address",
    ["node/" + _RULE, "node/mtg/cr/20231117/en/704", "node/" + _TERM, "node/mtg/card/嘘か真か",
     "node/ygo/card/灰流うらら", "draw?ref=" + _RULE, "draw?ref=" + _TERM, "draw?ref=mtgwiki/引く",
     f"path?start={_TERM}&end=ygo/term/ドロー", "path?start=121.4&end=704",
     "compare?ref=" + _TERM, "refs?ref=" + _TERM],
)  # fmt: skip
def test_links_and_pictures_show_names(client: TestClient, address: str, lang: str) -> None:
    answer = client.get(f"/{lang}/{address}")
    assert answer.status_code == 200
    shown = re.findall(r"<(a|text|title)\b[^>]*>(.*?)</\1>", answer.text, re.DOTALL)
    words = [unescape(re.sub("<[^>]+>", " ", inside)) for _, inside in shown]
    assert len(words) > 20 and not [each for each in words if _RAW.search(each)]


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_a_rule_has_one_count(client: TestClient, lang: str) -> None:
    front = client.get(f"/{lang}/").text
    top = client.get(f"/{lang}/top?kind=rule&most=1000").text
    counts = re.findall(r'/node/([^"]*)">[^<]*</a> <span class="facts">[^<]*?(\d+)[×回]', front)
    assert len(counts) > 3
    listed = re.findall(r'href="([^"]*)">([\d,]+)</a></td><td><a href="/../node/([^"]*)"', top)
    of_number = {node.rpartition("/")[2]: (count, link) for link, count, node in listed}
    for node, count in counts:
        found, link = of_number[node.rpartition("/")[2]]
        assert found == count
    assert re.search(f"[(（]{found}[)）]", client.get(unescape(link)).text)


def test_what_a_card_does_stands_before_where_it_is_from(client: TestClient) -> None:
    page = client.get("/ja/node/dm/card/サイバー・I・チョイス").text
    printed = page.partition('class="printed"')[2].partition("</section>")[0]
    places = [printed.index(words) for words in ("水文明", "クリーチャー", "3000", "does", "レア")]
    assert places == sorted(places)


def test_a_card_is_headed_by_its_name_in_the_language_of_the_page() -> None:
    names = [CardName("ja", "予言", None, "preferred"),
             CardName("en", "Foresee", None, "preferred"),
             CardName("ja", "予言/Foresee", None, "alias")]  # fmt: skip
    assert _first_by_language(names) == names[:2]


def test_the_heading_of_a_card_is_in_the_language_of_the_page(client: TestClient) -> None:
    for lang, first in (("ja", "嘘か真か"), ("en", "Fact or Fiction")):
        page = client.get(f"/{lang}/node/mtg/card/嘘か真か").text
        assert re.sub("<rp>.*?</rp>|<rt>.*?</rt>|<[^>]+>", "",
                      page.partition("<h1")[2].partition("</span>")[0]).endswith(first)  # fmt: skip


def test_a_form_is_folded_where_there_is_an_answer(client: TestClient) -> None:
    asked = client.get("/en/align?first=en&second=ja&game=mtg&edition=20231117&rule=121").text
    said = re.search(r'<details class="again"><summary><b>(.*?)</b>', asked)
    assert said
    assert (
        re.sub("<.*?>", "", said[1])
        == "Magic: The Gathering · 2023-11-17 · English – Japanese · 121"
    )
    assert '<details class="again">' not in client.get("/en/align").text


def test_what_can_be_done_with_a_rule_stands_before_its_text(client: TestClient) -> None:
    page = client.get("/en/node/" + _RULE).text
    assert page.index('class="neighbours actions"') < page.index('class="rule indent0 own"')
