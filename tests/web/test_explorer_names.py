"""What things are called on pages: names, dates and sources in the place of ids."""

from __future__ import annotations

import re
from html import unescape

import pytest
from starlette.testclient import TestClient

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
