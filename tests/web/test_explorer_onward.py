"""Pages lead on: from side by side to the rules beside and to reading, from a term to its rule."""

from __future__ import annotations

import json
import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

from starlette.testclient import TestClient

from kb.web.interface_words import QUESTIONS_IN_WORDS
from tests.page_markup import Markup

_PAIR = "first=en&second=ja&game=mtg&edition=20231117"


def _links(client: TestClient, address: str, page: str) -> list[dict[str, list[str]]]:
    """The parameters of the links to a page of the explorer."""
    answer = client.get(address)
    assert answer.status_code == 200, address
    parts = (urlsplit(link) for link in Markup(answer.text).links)
    return [parse_qs(part.query) for part in parts if part.path == f"/en/{page}"]


def test_side_by_side_leads_to_the_next_rule_and_to_reading(client: TestClient) -> None:
    address = f"/en/align?{_PAIR}&rule=121.2"
    rules = [each["rule"][0] for each in _links(client, address, "align") if "rule" in each]
    assert {"121.1", "121.3"} <= {*rules}
    [read] = [each for each in _links(client, address, "read") if "beside" in each]
    assert read["chapter"] == ["121.2"] and read["beside"] == ["ja"]
    assert client.get(f"/en/align?{_PAIR}").status_code == 200  # without a rule


def test_a_chapter_leads_to_itself_in_two_languages(client: TestClient) -> None:
    address = "/en/read?game=mtg&lang=en&edition=20231117&chapter=121"
    assert any(each.get("beside") == ["ja"] for each in _links(client, address, "read"))


def test_a_term_leads_to_the_history_of_its_rule(client: TestClient) -> None:
    terms = ("mtg/term/状況起因処理", "mtg/term/引く", "mtg/term/置換効果")
    found = [link for term in terms for link in _links(client, f"/en/node/{term}", "trace")]
    assert found and all("/cr/" in link["ref"][0] for link in found)


def test_the_interface_for_programs_shows_an_answer_and_says_what_each_field_is(
    client: TestClient,
) -> None:
    page = Markup(client.get("/en/programs").text)
    link = next(each for each in page.links if "format=json" in each and "/search?" in each)
    text = unescape(re.sub("<[^>]*>", "", client.get("/en/programs").text))
    assert json.dumps(client.get(link).json(), ensure_ascii=False, indent=2) in text
    document = client.get("/openapi.json").json()
    for each in (of["get"] for of in document["paths"].values()):
        assert QUESTIONS_IN_WORDS[each["operationId"]] in text
        assert all(field["description"] in text for field in each["parameters"][1:])
    japanese = client.get("/ja/programs").text
    assert not any(words in japanese for words in QUESTIONS_IN_WORDS.values())


def test_a_table_is_a_file_that_says_what_it_is_of(client: TestClient) -> None:
    address = "/ja/diff?before=20231117&after=20240730&game=mtg"
    assert any("format=csv" in link for link in Markup(client.get(address).text).links)
    answer = client.get(f"{address}&format=csv")
    assert 'filename="diff-20231117-20240730-mtg.csv"' in answer.headers["content-disposition"]
    odd = client.get("/ja/kwic", params={"q": '引く"; x', "format": "csv"})
    assert 'filename="kwic-x.csv"' in odd.headers["content-disposition"]


def test_suggestions_of_one_name_are_told_apart(client: TestClient) -> None:
    for typed in ("引く", "ドロー", "draw", "12", "手札"):
        found = client.get("/ja/suggest", params={"q": typed, "format": "json"}).json()
        shown = [(each["name"], each["about"]) for each in found["suggestions"]]
        assert len(shown) == len({*shown}), shown


def test_stale_pages_offer_each_older_edition_against_the_newest(client: TestClient) -> None:
    links = _links(client, "/en/impact", "impact")
    pairs = {(each["before"][0], each["after"][0]) for each in links if "before" in each}
    assert pairs and all(before < after for before, after in pairs)


def test_a_passage_is_headed_by_its_page(client: TestClient) -> None:
    page = client.get("/ja/node/mtgwiki/引く¶5").text
    heading = re.search("<h1>(.*?)</h1>", page, re.DOTALL)
    assert heading and "引く · MTG Wiki" in heading[1]


def test_a_term_is_found_by_any_name_in_an_address(client: TestClient) -> None:
    for name in ("state-based action", "State-Based Actions"):
        answer = client.get(f"/en/node/mtg/term/{name}")
        assert answer.status_code == 302 and "/node/mtg/term/" in answer.headers["location"]
    assert client.get("/en/node/mtg/term/zzzz").status_code == 404


def test_a_part_of_a_book_says_so_where_it_is_read(client: TestClient) -> None:
    page = client.get("/en/read?game=mtg&lang=en&edition=20231117").text
    assert re.search(r'class="warning">[^<]*rules', page.partition("</header>")[2])
