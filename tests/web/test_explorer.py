"""The explorer over HTTP, without a browser: every page, its JSON, errors, limits, links."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urljoin, urlsplit

import pytest
from starlette.testclient import TestClient

import kb
from kb.control_characters import json_text
from kb.web.app import create_app
from kb.web.pages import PAGES
from tests.commands import run
from tests.page_markup import Markup
from tests.rulebooks import build_books, write_books

_OF_KIND = 2  # links of a kind that are followed
_RULE = "mtg/cr/20231117/ja/121.4"
_DIFF = "diff?before=20231117&after=20240730&game=mtg&lang=ja"
# A page of each kind with something on it, and the command that gives the same.
_ASKED: dict[str, list[str] | None] = {
    "": ["stats"],
    "align?first=ja&second=en&rule=121.2": ["align", "ja", "en", "--rule", "121.2"],
    "ask?q=引くとは何ですか&top=3": ["ask", "引くとは何ですか", "--top", "3"],
    "audit": ["audit"],
    "audit?dangling=cites": ["audit", "--dangling", "cites"],
    f"commentary?ref={_RULE}": None,
    "compare?ref=引く&ref=使う": ["compare", "引く", "使う"],
    "chapters?game=mtg&edition=20231117&lang=ja": None,
    "contents?game=mtg&edition=20231117&lang=ja": None,
    _DIFF: ["diff", "20231117", "20240730", "--game", "mtg", "--lang", "ja"],
    f"{_DIFF}&rule=121&words=引く&typographic=1": [
        "diff", "20231117", "20240730", "--game", "mtg", "--lang", "ja", "--under", "121",
        "--words", "引く", "--typographic",
    ],
    "draw?ref=121.4&lang=ja": None,
    "feed": None,
    "glossary?game=mtg&order=en&letter=A": None,
    "impact?before=20231117&after=20240730&game=mtg": [
        "impact", "20231117", "20240730", "--game", "mtg",
    ],
    "kwic?q=引く&order=right&width=20&most=40": [
        "kwic", "引く", "--sort", "right", "--width", "20", "--max", "40",
    ],
    "kwic?mentions=引く&each_edition=1&most=50": ["kwic", "--mentions", "引く", "--each-edition"],
    f"node/{_RULE}": ["show", _RULE, "--tree"],
    "node/mtg/term/引く": ["show", "mtg/term/引く", "--tree"],
    "node/mtgwiki/引く": ["show", "mtgwiki/引く", "--tree"],
    "node?id=mtg/term/引く": ["show", "mtg/term/引く", "--tree"],
    "outcomes?ref=通常のドロー": ["outcomes", "通常のドロー"],
    "path?start=121.2a&end=616.1g&lang=ja": ["path", "121.2a", "616.1g", "--lang", "ja"],
    "preview/mtg/term/引く": None,
    f"preview?id={_RULE}": None,
    "programs": None,
    "read": None,
    "read?game=mtg&lang=en&edition=20231117&chapter=121&beside=ja": None,
    "refs?ref=704&direction=in&kind=cites&most=3": None,
    "rulings?ref=灰流うらら": None,
    "search?q=引く&game=mtg&most=10": ["search", "引く", "--game", "mtg"],
    "search?mentions=置換効果&cites=614&most=10": [
        "search", "--mentions", "置換効果", "--cites", "614",
    ],
    "show?ref=引く": ["show", "引く"],
    "steps?ref=ドローフェイズ": ["steps", "ドローフェイズ"],
    "suggest?q=hik": None,
    "top?by=mentioned&kind=term&most=5": [
        "top", "--mentioned", "--kind", "term", "--max", "5",
    ],
    "trace?ref=121.4": ["trace", "121.4"],
    "verify?text=CR 121.4, 999.9": None,
}  # fmt: skip
_ADDRESSES = list(_ASKED)
_NEED_A_QUESTION = ("node", "contents", "chapters", "preview", "commentary")


@pytest.fixture(scope="module")
def pages(client: TestClient) -> dict[str, str]:
    """{address: its page}, of each kind in both languages, empty and with a question."""
    empty = [name for name in PAGES if "{" not in name and name not in _NEED_A_QUESTION]
    addresses = [f"/en/{name}" for name in (*_ADDRESSES, *empty)]
    addresses += [f"/ja/{name}" for name in _ADDRESSES[::3]]
    found = {}
    for address in dict.fromkeys(addresses):
        answer = client.get(address)
        assert answer.status_code == 200, (address, answer.status_code)
        found[address] = answer.text
    return found


def _printed(base: kb.KnowledgeBase, words: list[str]) -> str:
    answer = run(*words, "--json", of=base)
    assert answer.exit_code in (0, 1), (words, answer.output)
    return str(answer.stdout).removesuffix("\n")


def _json(client: TestClient, address: str) -> Any:
    mark = "&" if "?" in address else "?"
    return client.get(f"/en/{address}{mark}format=json")


# -- every page ------------------------------------------------------------------------------------


def test_every_kind_of_page_is_asked_for() -> None:
    assert {name.partition("/")[0] for name in PAGES} == {
        name.partition("?")[0].partition("/")[0] for name in _ADDRESSES
    }


@pytest.mark.slow
def test_every_page_is_sound(pages: dict[str, str]) -> None:
    pages = {address: text for address, text in pages.items() if not address.endswith("/feed")}
    amiss = {address: Markup(text).amiss for address, text in pages.items()}
    assert not {address: found for address, found in amiss.items() if found}
    assert all(Markup(text).lang == address[1:3] for address, text in pages.items())


@pytest.mark.slow
def test_no_field_changes_what_was_asked(pages: dict[str, str]) -> None:
    text = pages[f"/en/{_DIFF}&rule=121&words=引く&typographic=1"]
    for kept in (
        '<option value="20231117" selected>', '<option value="20240730" selected>',
        'name="rule" value="121"', 'name="words" value="引く"',
        '<details class="more-fields" open>', 'name="typographic" value="1" checked',
    ):  # fmt: skip
        assert kept in text, kept


@pytest.mark.slow
def test_json_is_what_the_command_prints(client: TestClient, base: kb.KnowledgeBase) -> None:
    asked = {address: words for address in _ADDRESSES if (words := _ASKED[address])}
    assert len(asked) > 10
    for address, words in asked.items():
        answer = _json(client, address)
        assert answer.headers["content-type"] == "application/json"
        assert answer.text == _printed(base, words), address


def test_json_of_parts_is_what_python_returns(client: TestClient, base: kb.KnowledgeBase) -> None:
    found = base.refs("704", direction="in", kinds="cites", most=3)
    assert _json(client, "refs?ref=704&direction=in&kind=cites&most=3").text == json_text(
        found.as_json()
    )
    rest = base.refs("704", direction="in", kinds="cites", most=3, after=found.more)
    answer = client.get(
        "/en/refs",
        params={"ref": "704", "direction": "in", "kind": "cites", "most": 3,
                "after": found.more.ask.arguments["after"], "format": "json"},
    )  # fmt: skip
    assert rest.edges and answer.text == json_text(rest.as_json())
    assert _json(client, "rulings?ref=灰流うらら").text == json_text(
        base.rulings("灰流うらら").as_json()
    )
    verified = client.post("/en/verify?format=json", data={"text": "CR 121.4, 999.9"})
    assert verified.text == json_text(base.verify("CR 121.4, 999.9").as_json())


@pytest.mark.slow
def test_all_links_lead_somewhere(client: TestClient, pages: dict[str, str]) -> None:
    """Of the links of each kind the first few; all fragments within a page."""
    known = {address: Markup(text) for address, text in pages.items()}
    asked: dict[str, set[str]] = {}
    for address in list(known):
        for link in known[address].links:
            target, _, fragment = urljoin(address, link).partition("#")
            if urlsplit(target).netloc:
                assert urlsplit(link).scheme in ("http", "https"), link
                continue
            of_kind = asked.setdefault(_kind(target), set())
            if target not in known and target not in of_kind and len(of_kind) < _OF_KIND:
                of_kind.add(target)
                answer = client.get(target)
                assert answer.status_code == 200, (address, link, answer.status_code)
                assert "Not understood" not in answer.text, (address, link)
                if answer.headers["content-type"].startswith("text/html"):
                    known[target] = Markup(answer.text)
                    assert not known[target].amiss, target
            if fragment and target in known:
                assert unquote(fragment) in known[target].ids, (address, link)
    assert len(asked) > 20


def _kind(address: str) -> str:
    """Return what page an address is of, in either language, and whether as JSON."""
    path = address.partition("?")[0].split("/")
    name = path[2] if len(path) > 2 else path[1]
    return f"{name} {path[-2] if 'node' in path else ''} {'format=json' in address}"


@pytest.mark.slow
def test_left_out_options_are_links(client: TestClient, pages: dict[str, str]) -> None:
    """What a result leaves out, and says by options how to get, is a link to the same page."""
    top = client.get("/en/top?by=mentioned").text
    links = [each for each in Markup(top).links if "edition=20240730" in each]
    assert links and "20240730" in client.get(links[0]).text


def test_examples_are_those_of_this_base(client: TestClient, pages: dict[str, str]) -> None:
    for page in ("ask", "compare", "kwic", "path", "refs", "search", "show", "trace"):
        markup = Markup(pages[f"/en/{page}"])
        examples = [each for each in markup.links if each.startswith(f"/en/{page}?")]
        assert examples, page
        assert client.get(examples[0]).status_code == 200, page


def test_a_text_that_a_form_sends_is_shown_as_it_was_written(client: TestClient) -> None:
    text = "CR 121.4\r\nline two\r\n" + "x" * 9_000  # longer than an address may be
    answer = client.post("/en/verify", data={"text": text})
    assert answer.status_code == 200
    assert "\ufffd" not in answer.text and text.replace("\r\n", "\n") in answer.text
    markup = Markup(answer.text)
    assert max(map(len, markup.links)) < 8_000 and not markup.amiss
    assert 'formaction="/en/verify?format=json"' in answer.text
    document = client.post("/en/verify?format=json", data={"text": text}).json()
    assert [claim["line"] for claim in document["claims"]] == [1]


def test_what_a_reference_was_taken_for_is_said(base: kb.KnowledgeBase) -> None:
    """On each page that looks one up, on the next part of a list, and on no other page."""
    said = "ライブラリイ is taken for ライブラリー"
    served = kb.ReopenedBase(base.file)
    with TestClient(create_app(served), "http://127.0.0.1") as client:
        create_app(served)  # a second one in the same process changes nothing
        for page in ("refs", "draw", "steps", "compare", "show", "rulings"):
            answer = client.get(f"/en/{page}", params={"ref": "ライブラリイ"})
            assert answer.text.count(said) == 1, page
            assert said not in client.get(f"/en/{page}", params={"ref": "ライブラリー"}).text
        for start in (0, 0):  # found, and kept
            given = {"mentions": "ライブラリイ", "start": str(start)}
            answer = client.get("/en/diff", params={**_query(_DIFF), **given})
            assert answer.text.count(said) == 1


def _query(address: str) -> dict[str, str]:
    return dict(parse_qsl(address.partition("?")[2]))


# -- what can't be answered ------------------------------------------------------------------------


def test_unknown_names_get_the_nearest(client: TestClient) -> None:
    for page in ("refs", "compare", "steps", "show"):
        answer = client.get(f"/en/{page}", params={"ref": "ライブラリーアウ"})
        assert answer.status_code == 404, page
        assert ">ライブラリーアウト</a>" in answer.text, page
        assert not Markup(answer.text).amiss
    document = _json(client, "refs?ref=ライブラリーアウ").json()
    assert (
        "ライブラリーアウト" in document["near"]
        and document["error"]["values"]["ref"] == "ライブラリーアウ"
    )
    assert client.get("/en/node/mtg/term/ない").status_code == 404


def test_a_search_gives_near_names_as_links(client: TestClient) -> None:
    """Whether or not passages have the words, and without the commands that results name."""
    for typed, name in (("ライブラリ", "ライブラリー"), ("lybrary", "Library")):
        answer = client.get("/en/search", params={"q": typed})
        assert f"like it is {name}<" in answer.text and "/node/mtg/term/" in answer.text, typed
        assert ": sansho " not in answer.text and not Markup(answer.text).amiss
    by_sound = client.get("/en/search", params={"q": "hiku", "all": 1}).text
    assert "Names that match" in by_sound and "No passage has" not in by_sound
    assert "Did you mean" not in client.get("/en/search", params={"q": "引く"}).text
    narrowed = client.get("/en/search", params={"q": "灰流うらら", "game": "mtg", "lang": "ja"})
    assert "/en/search?q=%E7%81%B0" in narrowed.text


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("search?q=引く&most=0", "most: give a whole number from 1 to"),
        ("search?q=引く&most=１", "most: give a whole number"),
        ("search?q=引く&most=99999999999999999999999", "most"),
        ("kwic?q=引く&order=up", "order: up is none of place, left, right"),
        ("kwic?q=引く&width=x", "width"),
        ("search?q=引く&edition=1999", "1999"),
        ("search?q=引く&game=chess", "chess"),
        ("diff?before=20231117&after=19990101", "19990101"),
        ("diff?before=20231117&after=20240730&kind=eaten", "eaten"),
        ("diff?before=20231117&after=20240730&start=-1", "start"),
        ("align?first=ja&second=ja", "one language"),
        ("align?first=ja&second=xx", "xx"),
        ("top?by=loved", "by: loved is none of"),
        ("top?kind=planet", "kind: planet is none of"),
        ("refs?ref=704&direction=up", "direction"),
        ("refs?ref=704&kind=eats", "eats"),
        ("refs?ref=704&after=nonsense", "after"),
        ("draw?ref=704&most=1000", "most"),
        ("audit?dangling=eats", "eats"),
        ("contents?game=mtg", "give the game, the edition and the language"),
        (f"ask?q={'x' * 901}", "at most 900, without"),
    ],
)
def test_what_is_asked_wrongly_is_said(client: TestClient, address: str, words: str) -> None:
    answer = client.get(f"/en/{address}")
    assert answer.status_code == 400
    assert words in answer.text
    assert not Markup(answer.text).amiss
    document = _json(client, address)
    assert document.status_code == 400 and set(document.json()) == {"error", "near"}


def test_each_game_that_may_be_meant_is_a_link(tmp_path: Path) -> None:
    books = {("20210101", "en"): "1. Sails\n101. Wind\n101.1. A sail needs it, see rule 101.\n"}
    folders = [write_books(tmp_path / game, books, game) for game in ("harbour", "island")]
    kb.build(folders, tmp_path / "kb.db")
    served = kb.ReopenedBase(tmp_path / "kb.db")
    with TestClient(create_app(served), "http://127.0.0.1", follow_redirects=False) as client:
        for address in ("chapters", "trace?ref=101.1"):
            said = client.get(f"/en/{address}")
            message = re.search('<p class="message".*?</p>', said.text, re.S)
            assert message and said.status_code == 400
            links = {unescape(link) for link in re.findall('href="([^"]+)"', message[0])}
            assert {_query(link)["game"] for link in links} == {"harbour", "island"}
            assert {client.get(link).status_code for link in links} == {200}
    served.close()


def test_languages_that_are_not_there_together_get_the_pairs_that_are(
    long_section: TestClient, client: TestClient
) -> None:
    none = long_section.get("/en/align?first=ja&second=en")
    assert none.status_code == 400 and "No edition is loaded in two languages" in none.text
    wrong = client.get("/en/align?game=mtg&edition=20231117&first=ja&second=ja")
    links = [each for each in Markup(wrong.text).links if each.startswith("/en/align?first=")]
    assert wrong.status_code == 400 and links
    assert all(client.get(each).status_code == 200 for each in links)


def test_the_form_for_two_languages_asks_for_a_pair_that_is_there(client: TestClient) -> None:
    for lang in ("en", "ja"):
        page = client.get(f"/{lang}/align").text
        chosen = dict(
            re.findall(r'<select name="(\w+)">(?:(?!</select>).)*?"(\w+)" selected', page, re.S)
        )
        assert chosen.keys() >= {"game", "edition", "first", "second"}
        assert client.get(f"/{lang}/align", params=chosen).status_code == 200


def test_a_node_that_is_not_there_leads_to_what_is_called_so(client: TestClient) -> None:
    for missing, link in (
        ("mtg/cr/19990101/en/121.4", "/en/node/mtg/cr/20231117/ja/121.4"),
        ("rulebook/mtg/cr/19990101/en#121.4. x", "/en/node/mtg/cr/20231117/ja/121.4"),
        ("ygowiki/引く", "/en/node/mtg/term/%E5%BC%95%E3%81%8F"),
        (
            "mtg/term/ライブラリ",
            "/en/search?q=%E3%83%A9%E3%82%A4%E3%83%96%E3%83%A9%E3%83%AA%E3%83%BC",
        ),
    ):
        answer = client.get("/en/node", params={"id": missing})
        assert answer.status_code == 404 and link in Markup(answer.text).links, missing
        assert any(each.startswith("/en/search?q=") for each in Markup(answer.text).links)
        assert not Markup(answer.text).amiss


def test_addresses_that_are_not_there_lead_on(client: TestClient) -> None:
    for address in ("/nothing", "/fr/top"):
        answer = client.get(address)
        assert answer.status_code == 404 and '<a href="/en/">' in answer.text
    for address in ("/nothing", "/en/nothing", "/ja/nothing"):
        answer = client.get(f"{address}?format=json")
        assert answer.status_code == 404 and set(answer.json()) == {"error", "near"}


def test_what_no_page_knows_is_said(client: TestClient, pages: dict[str, str]) -> None:
    """A parameter that a page doesn't know, on pages with and without an answer."""
    said = "Not understood in this address, and left out: "
    for page in (
        "", "search?q=引く", "kwic?q=引く", "refs?ref=704", "top", "ask", "diff", _DIFF, _DIFF,
        "align", "verify", f"node/{_RULE}",
    ):  # fmt: skip
        mark = "&" if "?" in page else "?"
        answer = client.get(f"/en/{page}{mark}max=abc&banana=<b>")
        assert f"{said}max, banana" in answer.text, page
        assert not Markup(answer.text).amiss
        assert _json(client, f"{page}{mark}max=abc").status_code == 400, page
    assert _json(client, "top?max=5").json()["error"]["values"] == {"names": ["max"]}
    assert not [address for address, text in pages.items() if said in text]
    for wrong in ("diff?typographic=maybe", f"{_DIFF}&examples=maybe", "search?any_word=x&q=a"):
        answer = client.get(f"/en/{wrong}")
        assert answer.status_code == 400 and "give 1 or 0" in answer.text, wrong


def test_an_address_without_a_question_has_no_json(client: TestClient) -> None:
    answer = client.get("/en/kwic?format=json")
    assert answer.status_code == 400 and answer.json()["error"]["reason"] == "nothing_asked"


def test_parameters_called_as_parameters_of_functions_are_harmless(client: TestClient) -> None:
    names = ("name", "interface", "visit", "lang", "self", "base", "t", "url", "start", "after")
    for page in ("top", "search?q=引く", f"node/{_RULE}", "nothing"):
        mark = "&" if "?" in page else "?"
        meant = ("start", "after") if page.startswith("search") else ("start",)
        extra = "&".join(f"{name}=ja" for name in names if name not in meant)
        assert client.get(f"/en/{page}{mark}{extra}").status_code in (200, 404), page


def test_other_pages_and_methods_are_refused(client: TestClient) -> None:
    assert client.get("/en/nothing").status_code == 404
    assert "そのようなページはありません" in client.get("/ja/nothing").text
    assert client.get("/nothing").status_code == 404
    assert client.get("/static/../app.py").status_code == 404
    assert client.get("/static/%2e%2e/app.py").status_code == 404
    for method in ("POST", "PUT", "DELETE"):
        assert client.request(method, "/en/search").status_code == 405
    assert client.head("/en/").status_code == 200


def test_a_browser_gets_the_language_it_prefers(client: TestClient) -> None:
    for wanted, got in (("ja,en;q=0.5", "/ja/"), ("de", "/en/"), ("", "/en/")):
        answer = client.get("/", headers={"accept-language": wanted})
        assert answer.status_code == 302 and answer.headers["location"] == got


# -- what keeps it safe ----------------------------------------------------------------------------


def test_strangers_are_refused(client: TestClient) -> None:
    for host in ("evil.example", "127.0.0.1.evil.example", ""):
        assert client.get("/en/", headers={"host": host}).status_code == 400
    assert client.get("/en/", headers={"host": "localhost:8031"}).status_code == 200


def test_every_answer_has_the_headers_of_safety(client: TestClient) -> None:
    answers = [
        client.get(address)
        for address in (
            "/", "/en/", "/en/nothing", "/nothing", "/static/sansho.css", "/static/nothing",
            "/en/top?format=json", "/en/top?by=x", "/en/search?q=" + "x" * 9_000,
        )
    ]  # fmt: skip
    answers += [
        client.get("/en/", headers={"host": "evil.example"}),
        client.post("/en/verify", content=b"x" * 1_000_001),
        client.post("/en/top"),
    ]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy, answer.url
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert "set-cookie" not in answer.headers and "server" not in answer.headers


def test_what_is_too_long_or_too_much_is_refused(client: TestClient) -> None:
    assert client.get("/en/search?q=" + "x" * 9_000).status_code == 414
    assert client.get("/en/" + "x" * 9_000).status_code == 414
    assert client.post("/en/verify", content=b"text=" + b"x" * 1_000_001).status_code == 413
    too_long = client.post("/en/verify", data={"text": "x" * 100_001})
    assert too_long.status_code == 400 and "100,001" in too_long.text
    many = "&".join(f"kind=cites&x{n}=1" for n in range(200))
    assert client.get(f"/en/refs?ref=704&{many}").status_code == 200
    fields = "&".join(f"x{n}=1" for n in range(2_000))
    assert client.post("/en/verify", content=fields).status_code == 413
    assert client.get("/en/search?q=" + "引く " * 100).status_code in (200, 400)


def test_nothing_that_is_asked_becomes_markup(client: TestClient) -> None:
    hostile = "\"'><script>alert(1)</script>\u202e\x00<b x="
    for name in (*(path for path in PAGES if "{" not in path), "nothing"):
        given = dict.fromkeys(("q", "ref", "start", "end", "before", "game", "lang", "by"), hostile)
        answer = client.get(f"/en/{name}", params=given)
        assert answer.status_code in (200, 400, 404), name
        assert "<script>" not in answer.text and "\u202e" not in answer.text, name
        assert name == "feed" or not Markup(answer.text).amiss, name
    answer = client.post("/en/verify", data={"text": f"CR 121.4 {hostile}</textarea>"})
    assert "<script>" not in answer.text and answer.text.count("</textarea>") == 1


def test_a_base_that_is_built_again_is_served(base: kb.KnowledgeBase, tmp_path: Path) -> None:
    path = tmp_path / "served.db"
    shutil.copy(base.file, path)
    books = write_books(
        tmp_path / "books", {("20300101", "ja"): "1. 始め\n100. 準備\n100.1. 札。\n"}
    )
    with TestClient(create_app(kb.ReopenedBase(path)), "http://127.0.0.1") as client:
        assert "20231117" in client.get("/en/?format=json").text
        other = tmp_path / "other.db"
        kb.build([books], other)
        other.replace(path)
        document = json.loads(client.get("/en/?format=json").text)
        assert "20231117" not in json.dumps(document)
        assert client.get(f"/en/node/{_RULE}").status_code == 404
        assert "mtg" not in client.get("/en/").text
        assert client.get("/en/show?ref=121.4").status_code == 404


# -- long sections ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def long_section(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Asks an explorer of a section that is too long for one page, in two editions."""
    folder = tmp_path_factory.mktemp("long")
    rules = "".join(f"100.{n}. カード{n}を引く。規則100.1を参照する。\n" for n in range(1, 231))
    text = f"1. 始め\n100. 準備\n{rules}101. 札\n101.1. 札は規則100.2による。\n"
    build_books(folder, {("20300101", "ja"): text, ("20310101", "ja"): text}).close()
    served = kb.ReopenedBase(folder / "kb.db")
    with TestClient(create_app(served), "http://127.0.0.1", follow_redirects=False) as opened:
        yield opened
    served.close()


def test_a_long_section_is_read_in_parts(long_section: TestClient) -> None:
    section = "/en/node/harbour/cr/20310101/ja/100"
    first = long_section.get(section)
    assert f"{section}?full=1" in Markup(first.text).links
    read: list[str] = []
    address: str | None = f"{section}?full=1"
    while address:
        answer = long_section.get(address)
        assert answer.status_code == 200 and not Markup(answer.text).amiss
        read += re.findall(r'class="number" href="[^"]*">(100\.\d+)<', answer.text)
        address = next(
            (each for each in re.findall(r'rel="next" href="([^"]*start[^"]*)"', answer.text)), None
        )
        address = address and address.replace("&amp;", "&")
    assert read == [f"100.{n}" for n in range(1, 231)]
    assert long_section.get(f"{section}?full=1&start=x").status_code == 400


def test_headings_are_not_said_twice(long_section: TestClient) -> None:
    main = long_section.get("/en/node/harbour/cr/20310101/ja/100").text.partition("<main")[2]
    assert main.partition('class="outline"')[0].count("準備") == 1
    assert "1 rules" not in main


def test_references_of_sub_rules_are_one_link_away(long_section: TestClient) -> None:
    section = "harbour/cr/20310101/ja/101"
    page = Markup(long_section.get(f"/en/node/{section}").text)
    link = next(each for each in page.links if "with_parts=1" in each and "direction=out" in each)
    assert "100.2" in long_section.get(link).text
    assert "100.2" not in long_section.get(link.replace("with_parts=1", "with_parts=0")).text
    chapter = Markup(long_section.get("/en/node/harbour/cr/20310101/ja/1").text)
    assert any(each.startswith("/en/chapters?") for each in chapter.links)


def test_references_of_a_definition_are_one_link_away(client: TestClient) -> None:
    page = Markup(client.get("/en/node/mtg/term/引く").text)
    links = [each for each in page.links if each.startswith("/en/refs?ref=mtgwiki")]
    assert links and "mentions" in client.get(links[0]).text


def test_references_of_several_steps(client: TestClient, base: kb.KnowledgeBase) -> None:
    asked = "refs?ref=704&lang=ja&depth=2"
    first = base.refs("704", lang="ja", depth=2, most=100)
    assert _json(client, asked).text == json_text(first.as_json()) and {*first.depths} == {1, 2}
    shown = client.get(f"/en/{asked}").text
    lines = base.refs("704", lang="ja", depth=2).groups()
    assert (
        f"References over all editions ({len(lines)})" in shown
    )  # each once, whatever the editions
    arrows = ["←" if group.first.inward else "→" for group in lines[:100]]
    assert re.findall('class="edge">([←→])', shown) == arrows and "→" in arrows[5:]
    page = Markup(client.get(f"/en/{asked}&most=2").text)
    [more] = (link for link in page.links if "after=" in link)
    assert "depth=2" in more and client.get(more).status_code == 200
    for wrong in ("depth=4", "depth=x", "depth=2&after=1"):
        assert client.get(f"/en/refs?ref=704&{wrong}").status_code == 400, wrong


def test_a_part_with_references_within_a_page_leads_on(long_section: TestClient) -> None:
    address = "/en/refs?ref=rulebook/harbour/cr/20310101/ja&kind=cites&most=100"
    for is_last in (False, False, True):
        page = long_section.get(address).text
        assert not Markup(page).amiss and (">none<" in page) is is_last
        link = re.search(r'href="([^"]+)">More references', page)
        assert (link is None) is is_last
        address = unescape(link[1]) if link else ""


def test_what_is_one_is_said_to_be_one(long_section: TestClient) -> None:
    lead = long_section.get("/en/").text.partition('class="lead">')[2]
    assert lead.startswith("1 game, 2 rulebooks, ")
    assert "1ゲーム・総合ルール2点・" in long_section.get("/ja/").text


def test_a_rule_of_several_editions_is_suggested_once(long_section: TestClient) -> None:
    found = long_section.get("/en/suggest?q=準備&format=json").json()["suggestions"]
    assert [each["id"] for each in found if "/cr/" in each["id"]] == ["harbour/cr/20310101/ja/100"]
    numbered = long_section.get("/en/suggest?q=100.22&format=json").json()["suggestions"]
    assert len(numbered) == len({each["name"] for each in numbered}) == 8
    assert "/node/" in long_section.get(numbered[0]["address"]).headers["location"]


def test_editions_are_listed_with_their_game(client: TestClient, long_section: TestClient) -> None:
    assert ">2024-07-30 · Magic: The Gathering</option>" in client.get("/en/diff").text
    for asked in (client, long_section):
        page = asked.get("/en/diff").text
        chosen = dict(re.findall(r'<select name="(before|after)">.*?"(\w+)" selected', page, re.S))
        assert asked.get("/en/diff", params=chosen).status_code == 200


def test_a_rule_leads_to_what_changed_since_the_edition_before(long_section: TestClient) -> None:
    link = "/en/diff?before=20300101&after=20310101&game=harbour&lang=ja&rule=100.3"
    assert link in Markup(long_section.get("/en/node/harbour/cr/20310101/ja/100.3").text).links
    assert long_section.get(link).status_code == 200
    oldest = Markup(long_section.get("/en/node/harbour/cr/20300101/ja/100.3").text)
    assert not any(
        each.startswith("/en/diff?") and "after=20300101" in each for each in oldest.links
    )


def test_a_card_shows_what_is_printed_on_it(client: TestClient) -> None:
    page = client.get("/en/node/mtg/card/予言").text
    assert "Mana cost" in page and "ソーサリー" in page and "敗北" not in page
    assert "マナ・コスト" in client.get("/ja/node/mtg/card/予言").text
    assert "/en/compare?" not in page, "cards are not compared"


def test_suggestions_are_the_names_that_begin_so(client: TestClient) -> None:
    found = client.get("/en/suggest?q=draw&format=json").json()["suggestions"]
    assert found and all(each["name"].casefold().startswith("draw") for each in found)
