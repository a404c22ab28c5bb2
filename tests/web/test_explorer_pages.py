"""The pages that people look things up on: search, home, terms, cards, lists and what is taken
away from them."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient


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


@pytest.mark.parametrize(("typed", "kind"), [("doro", "term"), ("CR 121", "rule")])
def test_what_is_suggested_first_is_what_was_typed(
    client: TestClient, typed: str, kind: str
) -> None:
    found = client.get("/en/suggest", params={"q": typed, "format": "json"}).json()["suggestions"]
    assert found[0]["about"].startswith(kind)
    assert client.get(found[0]["address"]).status_code in (200, 302)
