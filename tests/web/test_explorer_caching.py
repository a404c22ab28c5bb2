"""What browsers may keep of the explorer, and how they ask whether it still holds."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import kb
from kb.web.app import create_app
from kb.web.caching import _SlowPages
from tests.conftest import SAMPLE

_RULE = "/en/node/mtg/cr/20231117/ja/121.4"


def test_a_page_that_is_known_is_not_made_again(client: TestClient, base: kb.KnowledgeBase) -> None:
    first = client.get(_RULE)
    tag = first.headers["etag"]
    assert first.headers["cache-control"] == "no-cache"
    for given in (tag, f'"other", {tag}'):
        again = client.get(_RULE, headers={"If-None-Match": given})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
        assert again.headers["content-security-policy"]
    assert client.get(_RULE, headers={"If-None-Match": 'W/"other"'}).status_code == 200
    assert client.head(_RULE).headers["etag"] == tag


def test_each_address_and_language_has_a_tag_of_its_own(client: TestClient) -> None:
    addresses = (_RULE, _RULE.replace("/en/", "/ja/", 1), f"{_RULE}?format=json", "/en/", "/en/top")
    assert len({client.get(address).headers["etag"] for address in addresses}) == len(addresses)


def test_what_depends_on_more_than_the_base_has_no_tag(client: TestClient) -> None:
    assert "etag" not in client.get("/en/ask?q=引く").headers  # on vectors, which come later
    assert "etag" not in client.post("/en/verify", data={"text": "CR 121.4"}).headers
    assert "etag" not in client.get("/en/node/no/such").headers


def test_the_tag_is_that_of_the_content_not_of_the_file(tmp_path: Path) -> None:
    kb.build([SAMPLE], tmp_path / "a.db")
    shutil.copy2(tmp_path / "a.db", tmp_path / "b.db")
    served = [kb.ReopenedBase(tmp_path / name) for name in ("a.db", "b.db")]
    clients = [TestClient(create_app(each), "http://127.0.0.1") for each in served]
    tags = {each.get(_RULE).headers["etag"] for each in clients}
    assert len(tags) == 1
    kb.build([SAMPLE / "mtgwiki", SAMPLE / "rulebook"], tmp_path / "c.db")
    (tmp_path / "c.db").replace(tmp_path / "b.db")
    [tag] = tags
    answer = clients[1].get(_RULE, headers={"If-None-Match": tag})
    assert answer.status_code == 200
    assert answer.headers["etag"] != tag


def test_a_page_that_took_long_is_kept_as_it_is(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = _SlowPages()
    monkeypatch.setattr("kb.web.caching._SLOW", pages)
    monkeypatch.setattr("kb.web.caching._LONG", 0.0)
    answers = [
        client.get(_RULE, headers={"Accept-Encoding": each}) for each in ("gzip", "", "gzip")
    ]
    assert len({answer.text for answer in answers}) == 1
    assert [answer.headers.get("content-encoding") for answer in answers] == ["gzip", None, "gzip"]
    assert len({answer.headers["etag"] for answer in answers}) == 1
    monkeypatch.setattr("kb.web.caching._MOST_BYTES", 1)
    client.get("/en/")
    assert pages.get(answers[0].headers["etag"]) is None  # memory is bounded


def test_vectors_that_are_made_change_the_front_page_alone(base: kb.KnowledgeBase) -> None:
    served = kb.ReopenedBase(base.file)
    asking = TestClient(create_app(served), "http://127.0.0.1")
    served.vectors = kb.Reason("too_much_to_do")
    assert "etag" not in asking.get("/en/").headers
    assert "etag" in asking.get(_RULE).headers
    served.close()
