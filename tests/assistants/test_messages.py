"""What a person typed and what a file says comes through every door as it is; and what a message
advises can be asked."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import lxml.html
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mcp.types import CallToolResult, TextContent
from starlette.testclient import TestClient

import kb
from kb.mcp.comparing import compare, diff, verify
from kb.mcp.editions import align, trace
from kb.mcp.lookup import loaded, show
from kb.mcp.passages import ask, rulings, search
from kb.mcp.questions import Questions
from kb.mcp.references import path, refs
from kb.mcp.translating import termbase
from kb.web.app import create_app
from tests.commands import run
from tests.rulebooks import described

# Pieces of what doors put into their own words, and what their own words are made of.
_PIECES = (
    "--max 40", "--kind rule", "--tree", "-1", 'game="mtg"', "edition=…", "again=True", "workers=1",
    "most is 0; give 1", "sansho show", ": sansho search x", "without --lang en", "{ref}", "%s",
    "<b>", "&amp;", "; nearest: mtg", "引", "ぬぬ", "Zzyzx", "‘", "'", '"', "…", " ",
)  # fmt: skip
_TYPED = (
    st.lists(st.one_of(st.sampled_from(_PIECES), st.text("ぬ札zq=\"'-#/", max_size=6)), max_size=5)
    .map(lambda pieces: " ".join("".join(pieces).split())[:80].strip())
    .filter(lambda text: len(text) > 2)
)


@pytest.fixture(scope="module")
def tools(base: kb.KnowledgeBase) -> Iterator[Questions]:
    questions = Questions(kb.ReopenedBase(base.file))
    yield questions
    questions.close()


def told(questions: Questions, tool: Any, **arguments: Any) -> str:
    result = questions.bound(tool, dict)(**arguments)
    assert isinstance(result, CallToolResult)
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def shown(client: TestClient, page: str, **parameters: Any) -> lxml.html.HtmlElement:
    return lxml.html.fromstring(client.get(f"/en/{page}", params=parameters).text)


# -- what was typed --------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=8)
@example('game="mtg"')
@example("--max 40")
@example("x: sansho show again=True")
@given(_TYPED)
def test_the_terminal_says_what_was_typed(base: kb.KnowledgeBase, typed: str) -> None:
    asked = [
        *([command, "--", typed] for command in ("show", "compare")),
        ["path", "--", typed, "121.4"],
        ["diff", "--", typed, "20231117"],
        *(["show", "121.4", f"--{option}={typed}"] for option in ("game", "edition", "lang")),
        ["search", "引く", f"--section={typed}"],
        ["search", "引く", f"--mentions={typed}"],
        ["refs", "引く", f"--after={typed}"],
    ]
    for words in asked:
        done = run(*words, of=base)
        if done.exit_code and not words[-1].startswith("--after"):
            assert typed in done.stderr, words
        for own in ("--game ", "--edition", "--again", "--workers", "--max 40"):
            assert done.stderr.count(own) <= typed.count(own) + ("--after" in words[-1]), words


@settings(max_examples=8)
@example('game="mtg"')
@example("--max 40")
@example("x: sansho show again=True")
@given(_TYPED)
def test_a_tool_says_what_was_typed(tools: Questions, typed: str) -> None:
    quoted = f"“{typed}”"
    for text in (
        told(tools, show, ref=[typed]),
        told(tools, refs, ref=typed),
        told(tools, path, start="121.4", end=typed),
        told(tools, compare, terms=[typed]),
        told(tools, diff, before=typed, after="20231117"),
        told(tools, show, ref=["121.4"], game=typed),
        told(tools, refs, ref="引く", edition=typed),
        told(tools, search, text="引く", lang=typed),
        told(tools, search, text="引く", mentions=typed),
        told(tools, search, text="引く", section=typed),
        told(tools, ask, question="引くとは？", game=typed),
        told(tools, verify, text="121.4", game=typed),
        told(tools, trace, ref=typed),
        told(tools, termbase, terms=[typed]),
        told(tools, rulings, ref=typed),
        told(tools, align, lang="ja", other=typed),
        told(tools, loaded, game=typed),
    ):
        assert quoted in text, text


@settings(max_examples=8)
@example('game="mtg"')
@example("--max 40")
@example("x: sansho show again=True")
@given(_TYPED)
def test_a_page_says_what_was_typed(client: TestClient, typed: str) -> None:
    for page, parameters in (
        ("refs", {"ref": typed}),
        ("compare", {"ref": typed}),
        ("path", {"start": "121.4", "end": typed}),
        ("diff", {"before": typed, "after": "20231117"}),
        ("search", {"q": "引く", "game": typed}),
        ("show", {"ref": "121.4", "edition": typed}),
        ("kwic", {"q": "引く", "mentions": typed}),
        ("node", {"id": typed}),
    ):
        answer = client.get(f"/en/{page}", params=parameters)
        if answer.status_code != 200:  # else it names something, such as an edition
            message = lxml.html.fromstring(answer.text).xpath("//*[@class='message']//text()")
            assert typed in "".join(message), page


def test_arguments_are_named_as_each_door_has_them(
    base: kb.KnowledgeBase, tools: Questions, client: TestClient
) -> None:
    """The same message beside what looks like it."""
    typed = 'game="mtg" --max 40'
    with pytest.raises(kb.NotFoundError) as error:
        base.refs(typed)
    assert str(error.value).startswith(f"nothing is called {typed}")
    assert run("refs", typed, of=base).stderr.startswith(f"sansho: nothing is called {typed}")
    assert told(tools, refs, ref=typed).startswith('nothing is called “game="mtg" --max 40”')
    assert f"nothing is called {typed}" in shown(client, "refs", ref=typed).text_content()
    with pytest.raises(kb.NotFoundError, match='it is a game: game="mtg"; its terms: base'):
        base.refs("MTG")
    assert 'it is a game: game="mtg"' in told(tools, refs, ref="MTG")
    assert (
        "it is a game: “Game: Magic: The Gathering”"
        in shown(client, "refs", ref="MTG").text_content()
    )
    with pytest.raises(kb.QuestionError) as error:
        base.top(most=0)
    assert str(error.value).startswith("most is 0; give a whole number")
    with pytest.raises(kb.QuestionError) as error:
        base.search("引く", after="x")
    assert str(error.value).startswith("after=… does not continue this list")
    assert run("search", "引く", "--after", "x", of=base).stderr.startswith(
        "sansho: --after does not"
    )


# -- what is advised -------------------------------------------------------------------------------
# A question of each command, with what its results leave out or advise.
_ADVISING = (
    ("kwic", "draw a card"), ("kwic", "draw a card", "--lang", "en", "--edition", "20231117"),
    ("kwic", "引く", "--lang", "en"),
    ("search", "draw", "--game", "ygo", "--lang", "en", "--kind", "ruling"),
    ("search", "hikuu"), ("search", "引く", "--lang", "en", "--mentions", "引く"),
    ("refs", "引く"), ("refs", "draw"), ("steps", "引く"), ("outcomes", "引く"), ("trace", "121.4"),
    ("compare", "121.4", "引く"), ("top",), ("top", "--mentioned"),
)  # fmt: skip


def advised(base: kb.KnowledgeBase, words: tuple[str, ...]) -> list[str]:
    """The commands that the text of a result advises, each on a line by itself or at its end."""
    done = run(*words, of=base)
    assert done.exit_code in (0, 1), done.output
    lines = [line for line in done.output.splitlines() if "sansho " in line]
    return [line[line.index("sansho ") :] for line in lines]


@pytest.mark.parametrize("words", _ADVISING, ids=" ".join)
def test_what_a_command_advises_can_be_asked(
    base: kb.KnowledgeBase, words: tuple[str, ...]
) -> None:
    commands = advised(base, words)
    assert commands
    for command in commands:
        assert f"--kb {base.file}" in command
        assert run(*shlex.split(command)[1:]).exit_code == 0, command


@pytest.mark.parametrize("words", _ADVISING, ids=" ".join)
def test_what_a_document_advises_can_be_asked(
    base: kb.KnowledgeBase, words: tuple[str, ...]
) -> None:
    document = json.loads(run(*words, "--json", of=base).stdout)
    asks = [each["ask"] for name in ("also", "hints") for each in document.get(name, ())]
    asks += [document["more"]["ask"]] if document.get("more") else []
    assert any(asks)
    for advised_ask in filter(None, asks):
        assert base.follow(kb.Ask(advised_ask["question"], **advised_ask["arguments"]))


@pytest.mark.parametrize("words", ["draw a card", "a card drawn"])
def test_the_rest_of_a_concordance_is_all_of_it(
    base: kb.KnowledgeBase, client: TestClient, words: str
) -> None:
    """Several words are one parameter, and the filters go along."""
    narrow: kb.Filters = {"lang": "en", "edition": "20231117"}
    for filters in (kb.Filters(), narrow):
        found = base.kwic(words, most=9_999, **filters)
        if not found.also:
            continue
        more = found.also[0].reason.values["passages"]
        passages = len({line.passage for line in found.lines})
        page = shown(client, "kwic", q=words, **filters)
        (link,) = page.xpath("//aside[@class='also']//a/@href")
        asked = parse_qs(urlsplit(link).query)
        assert all(len(values) == 1 for values in asked.values()), link
        document = client.get(link, params=asked | {"format": "json"}).json()
        assert document["total"] == passages + more


_PAGES = (
    ("kwic", {"q": "draw a card"}), ("kwic", {"q": "引く", "lang": "en"}), ("top", {}),
    ("search", {"q": "draw", "game": "ygo", "lang": "en", "kind": "ruling"}),
    ("search", {"q": "引く", "lang": "en", "mentions": "引く"}), ("search", {"q": "hikuu"}),
    ("ask", {"q": "カードを引くペンギンの値段は？", "lang": "ja"}), ("refs", {"ref": "引く"}),
    ("steps", {"ref": "引く"}), ("outcomes", {"ref": "引く"}), ("trace", {"ref": "121.4"}),
    ("compare", {"ref": ["121.4", "引く"]}), ("draw", {"ref": "draw"}), ("show", {"ref": "draw"}),
    ("diff", {"before": "20231117", "after": "20240730"}),
    ("align", {"first": "ja", "second": "en"}),
)  # fmt: skip


@pytest.mark.parametrize(("page", "parameters"), _PAGES, ids=str)
def test_what_a_page_advises_can_be_asked(
    client: TestClient, page: str, parameters: dict[str, Any]
) -> None:
    links = shown(client, page, **parameters).xpath(
        "//aside[@class='also']//a/@href | //main//p[@class='message']//a/@href"
    )
    for link in links:
        answer = client.get(link, follow_redirects=True)  # to what is unique
        assert answer.status_code == 200 and "Not understood" not in answer.text, link
        assert "No passage has these words" not in answer.text, link


def test_what_several_values_say_is_not_left_out_unsaid(client: TestClient) -> None:
    twice = client.get("/en/kwic?q=draw&q=card")
    assert "left out: q=card" in unescape(twice.text)
    assert client.get("/en/kwic?q=draw&q=card&format=json").status_code == 400
    both = client.get("/en/search?mentions=引く&mentions=手札")
    assert "Not understood" not in both.text
    assert both.text.count("<article") <= client.get("/en/search?mentions=引く").text.count(
        "<article"
    )
    assert "Not understood" not in client.get("/en/refs?ref=121&kind=cites&kind=mentions").text


def test_behind_its_end_a_page_says_how_long_a_list_is(client: TestClient) -> None:
    for page in ("diff?before=20231117&after=20240730", "align?first=ja&second=en"):
        answer = client.get(f"/en/{page}&start=90000")
        assert answer.status_code == 400 and "there are no more than" in answer.text, page
        assert client.get(f"/en/{page}&start=0").status_code == 200


def test_a_list_of_outcomes_goes_on_to_its_end(client: TestClient) -> None:
    address, seen = "/en/outcomes?ref=引く&most=1", set()
    while address not in seen:
        seen.add(address)
        page = lxml.html.fromstring(client.get(address).text)
        address = next(iter(page.xpath("//main//a[normalize-space()='More']/@href")), address)
    document = client.get(f"{address}&format=json").json()
    assert document["more"] is None and len(document["outcomes"]) == document["total"] > 1


def test_only_editions_are_written_as_dates(tmp_path: Path) -> None:
    """Not the eight digits of a page's title."""
    url = "http://mtgwiki.com/wiki/%E9%81%A0%E5%BE%81_20240730_x"
    described(tmp_path, {"a.wiki": "札を引くことを、遠征という。\n"}, url=url)
    kb.build([tmp_path], tmp_path / "x.db")
    served = kb.ReopenedBase(tmp_path / "x.db")
    with TestClient(create_app(served), "http://127.0.0.1") as opened:
        page = shown(opened, "compare", ref="遠征 20240730 x")
        assert "遠征 20240730 x · MTG Wiki" in page.text_content()
    served.close()
