"""The pages that people look things up on: search, home, terms, cards, lists and what is taken
away from them."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from html import unescape
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from starlette.testclient import TestClient

import kb
from kb.web.app import create_app
from kb.web.pages import PAGES
from tests.page_markup import Markup
from tests.rulebooks import build_books, rulebook


@pytest.mark.parametrize(
    ("words", "node"),
    [
        ("CR 121.4", "mtg/cr/20231117/en/121.4"),
        ("１２１．４", "mtg/cr/20231117/en/121.4"),
        ("MTG 121.4", "mtg/cr/20231117/en/121.4"),
        ("state-based action", "mtg/term/状況起因処理"),
    ],
)
def test_a_search_for_what_is_unique_leads_to_it(client: TestClient, words: str, node: str) -> None:
    answer = client.get("/en/search", params={"q": words})
    assert answer.status_code == 302
    page = client.get(answer.headers["location"])
    assert page.url.path == f"/en/node/{node}" and words in page.text
    every = client.get("/en/search", params={"q": words, "all": 1})
    assert every.status_code == 200 and "<h2>" in every.text


def test_a_slip_leads_to_the_name_that_is_like_it(client: TestClient) -> None:
    page = client.get("/en/search", params={"q": "libary"}).text
    assert "like it is" in page and "/node/mtg/term/" in page


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_what_is_called_so_is_listed_in_the_language_of_the_page(
    client: TestClient, lang: str
) -> None:
    for words in ("doro", "ドロー", "player"):  # with names in one language, and in both
        answer = client.get(f"/{lang}/search", params={"q": words, "all": 1})
        assert answer.status_code == 200 and "/node/" in answer.text


@pytest.mark.parametrize(("typed", "kind"), [("doro", "term"), ("CR 121", "rule")])
def test_what_is_suggested_first_is_what_was_typed(
    client: TestClient, typed: str, kind: str
) -> None:
    found = client.get("/en/suggest", params={"q": typed, "format": "json"}).json()["suggestions"]
    assert found[0]["about"].startswith(kind)
    assert client.get(found[0]["address"]).status_code in (200, 302)


# -- home, glossary, terms, cards ------------------------------------------------------------------


def test_home_leads_to_books_terms_and_questions(client: TestClient) -> None:
    page = client.get("/en/").text
    assert "Magic: The Gathering" in page and ">mtg<" not in page
    links = Markup(page).links
    for start in (
        "/en/contents?",
        "/en/node/mtg/term/",
        "/en/ask?q=What",
        "/en/glossary?",
        "/en/diff?",
    ):
        assert any(link.startswith(start) for link in links), start


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_each_letter_of_a_glossary_has_its_terms_with_definitions(
    client: TestClient, lang: str
) -> None:
    index = client.get(f"/{lang}/glossary?game=mtg").text
    letters = [link for link in Markup(index).links if "letter=" in link]
    assert len(letters) == len(set(letters)) > 5
    pages = [client.get(link).text for link in letters]
    assert all('<dl class="glossary">' in page for page in pages)
    shown = sum(page.count("<dt id=") for page in pages)
    assert shown == index.count("<li><a href=") > 50
    assert client.get(f"/{lang}/glossary?game=mtg&letter=zz").status_code == 404


def test_a_term_is_called_in_both_languages_and_defined_first(client: TestClient) -> None:
    page = client.get("/en/node/mtg/term/引く").text
    heading = page.partition("<h1")[2].partition("</h1>")[0]
    assert heading.index("Draw") < heading.index("引<rp>") and "<rt>ひ</rt>" in heading
    assert page.index('class="definition"') < page.index(">Names<")
    japanese = client.get("/ja/node/mtg/term/引く").text.partition("<h1")[2]
    assert japanese.index("引<rp>") < japanese.index("Draw")


def test_each_side_of_a_change_has_the_date_of_its_edition(client: TestClient) -> None:
    page = client.get("/ja/diff?before=20231117&after=20240730&game=mtg&lang=ja").text
    changes = page.partition('class="change"')[2]
    sides = re.findall(r'<div class="side"><time>([-0-9]+)</time><p', changes)
    assert set(sides) == {"2023-11-17", "2024-07-30"}
    fields = page.partition('name="before"')[2].partition("</select>")[0]
    assert ">2023-11-17</option>" in fields and 'class="sections" open' not in page


def test_sections_are_headings_where_languages_stand_side_by_side(client: TestClient) -> None:
    page = client.get("/en/align?first=en&second=ja&game=mtg&edition=20231117&rule=121").text
    pairs = re.findall(r'<article class="(pair[^"]*)">\s*<h3><a[^>]*>([\da-z.]+)<', page)
    heads = {number for kind, number in pairs if "heading" in kind}
    assert heads == {"121"}


def test_a_card_has_all_its_values_and_its_text(client: TestClient) -> None:
    page = client.get("/en/node/ygo/card/灰流うらら").text
    printed = page.partition('class="printed"')[2].partition("</section>")[0]
    for words in ("1800", "炎属性", "墓地へ送る"):
        assert words in re.sub("<[^>]+>", "", printed), words


# -- to take away ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        "search?q=引く&most=5", "kwic?q=引く", "refs?ref=704", "rulings?ref=灰流うらら",
        "top?by=cited", "trace?ref=121.4", "glossary?game=ygo", "suggest?q=hik",
        "diff?before=20231117&after=20240730&game=mtg&lang=ja",
    ],
)  # fmt: skip
def test_a_list_is_a_table(client: TestClient, address: str) -> None:
    answer = client.get(f"/en/{address}&format=csv")
    assert answer.headers["content-type"].startswith("text/csv")
    header, *rows = csv.reader(StringIO(answer.text.removeprefix("\ufeff")))
    assert header and rows and all(len(row) == len(header) for row in rows)
    assert "format=csv" in client.get(f"/en/{address}").text


def test_a_page_is_cited_in_each_form(client: TestClient) -> None:
    page = client.get("/en/node/mtg/cr/20231117/ja/121.4").text
    forms = [unescape(each) for each in re.findall(r"<pre[^>]*>(.*?)</pre>", page, re.S)]
    text, markdown, wikitext, bibtex, csl = forms
    address = "http://127.0.0.1/en/node/mtg/cr/20231117/ja/121.4"
    assert all(address in form for form in forms)
    assert text.count("Magic: The Gathering") == 1 and "121.4 (2023-11-17, Japanese)" in text
    assert "comprehensive rules" in wikitext
    assert (
        markdown.startswith("[Magic: The Gathering, comprehensive rules 121.4")
        and wikitext[0] == "["
    )
    assert bibtex.startswith("@misc{mtg-cr-20231117-ja-121-4,")
    assert json.loads(csl)[0]["issued"] == {"date-parts": [[2023, 11, 17]]}
    # What has a source is cited there, and its key tells it from others in Japanese letters.
    terms = [client.get(f"/en/node/mtg/term/{name}").text for name in ("引く", "手札")]
    entries = [
        re.findall(r"@misc\{(mtg-term-\w+),.*?url = \{(.*?)\}", page, re.S) for page in terms
    ]
    assert entries[0][0][0] != entries[1][0][0]
    assert entries[0][0][1].startswith("http://mtgwiki.com/")


def test_each_paragraph_has_a_link(client: TestClient) -> None:
    for address in ("node/mtg/cr/20231117/ja/121", "node/mtgwiki/引く"):
        page = Markup(client.get(f"/en/{address}").text)
        anchors = [link for link in page.links if link.startswith("#")]
        assert len(anchors) > 3 and not page.amiss


# -- for programs ----------------------------------------------------------------------------------


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if "$ref" in part:
            yield part["$ref"]
        for each in part.values():
            yield from _references(each)
    elif isinstance(part, list):
        for each in part:
            yield from _references(each)


def test_all_references_of_the_openapi_document_lead_somewhere(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    schemas = document["components"]["schemas"]
    names = {each.rpartition("/")[2] for each in _references(document)}
    assert names == schemas.keys() and all(schemas.values())
    operations = [path["get"]["operationId"] for path in document["paths"].values()]
    assert len(operations) == len(set(operations)) and set(operations) <= PAGES.keys()


def test_pages_know_the_parameters_that_are_declared(client: TestClient) -> None:
    """Whatever their values: a page says which of its parameters it does not know."""
    given = {"ref": "121.4", "q": "draw", "game": "mtg", "start": "121.2a", "end": "616.1g",
             "before": "20231117", "after": "20240730", "first": "ja", "second": "en",
             "edition": "20231117", "lang": "ja", "text": "CR 121.4", "rule": "121"}  # fmt: skip
    document = client.get("/openapi.json").json()
    for path, of_path in document["paths"].items():
        asked = {}
        for parameter in of_path["get"]["parameters"][2:]:
            if parameter["name"] in given and (parameter["required"] or parameter["name"] == "q"):
                asked[parameter["name"]] = given[parameter["name"]]
        optional = [each["name"] for each in of_path["get"]["parameters"][2:]]
        address = path.replace("{interface}", "en")
        answer = client.get(address, params=asked | {"format": "json"})
        assert answer.status_code in (200, 400), (address, answer.text[:300])
        for name in optional:
            told = client.get(address, params=asked | {name: given.get(name, "1")}).text
            assert "Not understood in this address" not in told, (address, name)


def test_json_has_the_fields_that_are_declared(client: TestClient) -> None:
    schemas = client.get("/openapi.json").json()["components"]["schemas"]
    for address, name in (
        ("search?q=引く", "Hits"),
        ("refs?ref=704", "Refs"),
        ("top?by=cited", "Top"),
    ):
        found = client.get(f"/en/{address}&format=json").json()
        assert found.keys() == schemas[name]["properties"].keys(), name


def test_the_feed_is_atom(client: TestClient) -> None:
    from lxml import etree

    answer = client.get("/en/feed")
    assert answer.headers["content-type"].startswith("application/atom+xml")
    root = etree.fromstring(answer.content)
    atom = {"a": "http://www.w3.org/2005/Atom"}
    assert root.findtext("a:id", namespaces=atom) and root.findtext("a:updated", namespaces=atom)
    entries = root.findall("a:entry", namespaces=atom)
    assert entries and all(e.findtext("a:updated", namespaces=atom)[:2] == "20" for e in entries)
    [link, *_] = entries[0].findall("a:link", namespaces=atom)
    assert client.get(link.get("href")).status_code == 200


def test_outcomes_lead_to_the_rest(client: TestClient) -> None:
    page = client.get("/en/node/mtg/term/引く").text
    for words in re.findall(r'class="more">(.*?)</p>', page):
        assert "<a href=" in words


def test_a_term_is_found_by_any_of_its_names(client: TestClient) -> None:
    answer = client.get("/en/node/ygo/term/Normal Draw", follow_redirects=False)
    assert answer.status_code == 302
    assert unquote(answer.headers["location"]).endswith("/node/ygo/term/通常のドロー")
    assert client.get("/en/node/mtg/term/none of these").status_code == 404


def test_a_history_is_of_the_number_as_the_chosen_edition_has_it(tmp_path: Path) -> None:
    first = {"1": "Docks", "1.1": "A crane lifts one crate.", "1.2": "A barrel rolls downhill."}
    second = {"1": "Docks", "1.1": "A barrel rolls downhill.", "1.2": "Ropes are coiled at night."}
    books = {("20230101", "en"): rulebook(first), ("20240101", "en"): rulebook(second)}
    with build_books(tmp_path, books) as base:
        found = TestClient(create_app(kb.ReopenedBase(base.file)), base_url="http://localhost")
        asked = {"ref": "harbour/cr/20240101/en/1.1", "format": "json"}
        numbers = [
            {each["number"] for each in found.get("/en/trace", params=given).json()["history"]}
            for given in (asked, asked | {"edition": "20230101"})
        ]
    assert numbers[0] == {"1.1", "1.2"}  # the barrel's
    assert numbers[1] != numbers[0] and "1.2" not in numbers[1]  # the crane's
