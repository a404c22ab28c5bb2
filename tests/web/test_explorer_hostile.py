"""Pages whose texts try to run something show them as text: in their HTML, and in a browser."""

from __future__ import annotations

import itertools
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

import httpx
import lxml.html
import pytest

import kb
from kb.web.addresses import clean, node_address, question_address
from kb.web.app import create_app
from kb.web.interface_language import Interface
from kb.web.pages import PAGES
from tests.altered import altering
from tests.explorer import PHONE, Visitor, forbidden, overflow, serving
from tests.hostile_markup import PAYLOADS, PRODUCT, one_line, write_sources

_ADDRESSES = ("href", "src", "action", "formaction", "data", "poster", "xlink:href", "cite", "ping")
_STATUSES = (200, 302, 400, 404, 413, 414)
_NEVER = ("iframe", "object", "embed", "base", "style", "template", "img", "audio", "video")
# What pages are asked for by: each gets a payload in turn.
_PARAMETERS = (
    "q", "ref", "before", "after", "start", "end", "first", "second", "game", "lang", "edition",
    "source", "kind", "most", "mentions", "direction", "order", "sort", "id", "format", "text",
    "rule", "words", "by", "in", "page", "section", "depth", "from", "state", "x\"'><y",
)  # fmt: skip
_WIDE_PAGES = (  # that show many payloads at once
    "/en/", "/ja/search?q=引く", "/en/search?q=draw", "/ja/search?q=script", "/ja/search?q=evil",
    "/en/kwic?q=引く", "/en/kwic?q=draw&most=200", "/ja/ask?q=引くとどうなりますか",
    "/en/ask?q=draw+a+card", "/en/compare?ref=引く", "/en/impact", "/en/top", "/en/audit",
    "/en/diff?before=20231117&after=20241108&lang=en", "/ja/diff?before=20231117&after=20241108",
    "/en/align?first=en&second=ja", "/en/trace?ref=100.1", "/en/draw?ref=100.1",
    "/ja/draw?ref=mtg/term/引く", "/en/refs?ref=mtg/term/引く", "/en/show?ref=引く",
    "/en/programs", "/en/glossary?game=mtg", "/ja/glossary?game=mtg&letter=%23",
    "/en/chapters", "/en/rulings?ref=引く", "/en/steps?ref=引く", "/en/outcomes?ref=引く",
    "/en/suggest?q=引く", "/en/verify?text=%3Cscript%3Eran=40%3C/script%3E+100.1+{{7919*7907}}",
    "/en/contents?game=mtg&edition=20241108&lang=en", "/ja/read",
    "/ja/read?game=mtg&edition=20241108&lang=en&chapter=1&beside=ja&marks=full",
    "/en/path?start=100.1&end=100.5", "/ja/preview/mtg/term/引く",
    "/en/preview/mtg/cr/20241108/en/100", "/en/commentary?ref=mtg/cr/20241108/en/100.1",
    "/en/node/mtg/cr/20241108/en/100", "/ja/node/mtg/cr/20241108/ja/100", "/en/node/mtg/term/引く",
    "/ja/node/mtgwiki/引く", "/en/node/rulebook/mtg/cr/20241108/en", "/en/node/namelist/names",
)  # fmt: skip


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A knowledge base of hostile sources."""
    folder = tmp_path_factory.mktemp("hostile")
    path = folder / "hostile.db"
    kb.build(write_sources(folder), path)
    return path


@pytest.fixture(scope="module")
def server(hostile: Path) -> Iterator[str]:
    """The address of an explorer of the hostile knowledge base."""
    served = kb.ReopenedBase(hostile)
    with serving(create_app(served)) as address:
        yield address
    served.close()


@pytest.fixture(scope="module")
def client(server: str) -> Iterator[httpx.Client]:
    """Asks the explorer without a browser."""
    with httpx.Client(base_url=server, timeout=20) as opened:
        yield opened


def _parsed(client: httpx.Client, address: str, data: str | None = None) -> lxml.html.HtmlElement:
    """Ask for a page; check that nothing in its headers and HTML is active but what is ours."""
    answer = client.post(address, content=data) if data else client.get(address)
    assert answer.status_code in _STATUSES, (answer.status_code, address)
    assert re.fullmatch(r"/|/(en|ja)/(node/.*)?", answer.headers.get("location", "/"))
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert not {"set-cookie", "ran"} & set(answer.headers), address
    if not answer.headers.get("content-type", "").startswith("text/html"):
        assert answer.headers["x-content-type-options"] == "nosniff"
        return lxml.html.fromstring("<p>")
    assert PRODUCT not in answer.text, address
    page = lxml.html.document_fromstring(answer.content)
    found = [*_active(page)]
    assert not found, (address, found[:3])
    return page


def _active(page: lxml.html.HtmlElement) -> Iterator[str]:
    """What of a page a browser might run, load or be sent to by somebody else's words."""
    for element in page.iter(lxml.html.etree.Element):
        tag = str(element.tag)
        shown = lxml.html.tostring(element, encoding="unicode")[:200]
        own_script = tag == "script" and element.get("src", "").startswith("/static/")
        if tag in _NEVER or (tag == "script" and (not own_script or element.text)):
            yield shown
        if tag == "meta" and element.get("http-equiv"):
            yield shown
        for name, value in element.attrib.items():
            parts = urlsplit(value)
            local = not parts.scheme and not parts.netloc and not value.startswith(("//", "/\\"))
            if name.startswith("on") or name in ("style", "srcdoc", "autofocus"):
                yield shown
            if name in _ADDRESSES and not local and parts.scheme not in ("http", "https"):
                yield shown
            if name in _ADDRESSES and not local and (tag, name) != ("a", "href"):
                yield shown


def _text(page: lxml.html.HtmlElement) -> str:
    return " ".join(page.text_content().split())


@pytest.mark.slow
def test_every_page_shows_hostile_texts_as_text(client: httpx.Client) -> None:
    asked = {urlsplit(address).path.split("/")[2] for address in _WIDE_PAGES}
    assert {path.partition("/")[0] for path in PAGES} - {"feed"} <= asked  # it is no page
    for address in _WIDE_PAGES:
        _parsed(client, address)
    shown = _text(_parsed(client, "/en/node/mtg/cr/20241108/en/100"))
    for payload in PAYLOADS:
        assert str(clean(one_line(payload))) in shown, payload


@pytest.mark.slow
def test_every_node_has_a_page_whatever_its_id_has_in_it(
    client: httpx.Client, hostile: Path
) -> None:
    with kb.open(hostile) as base:
        named = [*base.nodes("page"), *base.nodes("term")[::4], *base.nodes("card")[::4]]
        others = [n for kind in ("section", "outcome", "passage") for n in base.nodes(kind)[::90]]
    for node in named + others:
        address = node_address("en", node.id)
        page = _parsed(client, address)
        heading = _text(page.find(".//h1"))
        assert "no node" not in heading, address
        if node.kind in ("term", "card", "page") and node.label:
            shown = str(clean(node.label))
            if node.kind == "page":
                shown = Interface("en").title(shown, node.source)
            assert " ".join(shown.split()) in heading, address


@pytest.mark.slow
def test_what_is_asked_is_shown_as_text(client: httpx.Client) -> None:
    payloads = itertools.cycle(PAYLOADS)
    for name in (path for path in PAGES if "{" not in path):
        for _ in range(3):
            given = {parameter: next(payloads) for parameter in _PARAMETERS}
            _parsed(client, f"/en/{name}?{urlencode(given)}")
            _parsed(client, question_address("ja", name, q=given["q"], ref=given["q"]))
    for payload in PAYLOADS:
        _parsed(client, f"/en/{quote(payload)}")


@pytest.mark.slow
def test_a_forged_address_of_a_page_leads_nowhere(hostile: Path, tmp_path: Path) -> None:
    forged = shutil.copy(hostile, tmp_path / "forged.db")
    with altering(Path(forged)) as db:
        db.execute("UPDATE node SET url = 'javascript:ran=30//' || url WHERE url IS NOT NULL")
    served = kb.ReopenedBase(forged)
    with serving(create_app(served)) as address, httpx.Client(base_url=address) as other:
        page = _parsed(other, "/en/node/mtgwiki/引く")
    assert "javascript:ran=30" not in lxml.html.tostring(page, encoding="unicode")
    served.close()


@pytest.mark.slow
@pytest.mark.parametrize("lang", ["en", "ja"])
def test_nothing_of_it_runs_in_a_browser(browser, server: str, lang: str) -> None:
    addresses = [each for each in _WIDE_PAGES if each.startswith(f"/{lang}/")]
    addresses += [question_address(lang, "search", q=payload) for payload in PAYLOADS[::12]]
    visit = Visitor(browser, server)
    visit.allow("console error: Failed to load resource: the server responded with a status of 40")
    page = visit(f"/{lang}/", viewport=PHONE)
    for address in addresses:
        visit.go(page, address)
        assert page.evaluate("window.ran") is None, address
        assert not forbidden(page), address
        assert not overflow(page)  # very long words break
    visit.close()
