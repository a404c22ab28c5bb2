"""What readers who knew nothing of the explorer could not find or misread, on a small base and on
the sample."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

import pytest
from starlette.testclient import TestClient

import kb
from kb.web.app import create_app
from tests.knowledge.test_cards import CARD, URL, row
from tests.rulebooks import base_of, described, rulebook, write_books

_RULES = {
    "100": "総則",
    "100.1": "港で負けたプレイヤーは、満潮起因処理によって敗北する。",
    "703": "満潮起因処理",
    "703.1": "満潮起因処理は、潮が満ちると自動的に行われる。",
    "703.2": "満潮起因処理は、誰も操ることがない。",
}
_SAILS = {
    "300": "Sails",
    "300.1": "A sail that is torn is lowered at once.",
    "300.2": "A captain may lower two sails in a storm.",
    "300.3": "A ship whose sails are lowered stays where it is until the next morning.",
    "301": "Harbours",
    **{f"301.{n}": f"In harbour {n} sails are lowered (see rule 300.1)." for n in range(1, 46)},
}
_NEW_SAILS = _SAILS | {"300.2": "A captain may lower three sails in a storm."}
_GLOSSARY = """
Glossary

Tide
1. The water that lifts a ship.
2. A card that moves all ships at once.

Torn
Of a sail: with a hole in it.
"""
_IN_JAPANESE = {"300": "帆", "300.1": "破れた帆はすぐに降ろす。", "300.2": "嵐では二枚降ろせる。"}
_ON_WIKI = "http://mtgwiki.com/index.php?title="
_WIKI = """係留とは、船をつなぐこと。
*一本目の綱。
**細い綱。
*二本目の綱。
#先に結ぶ。
#次に引く。
;もやい
:結び方の一つ。
{|
!港!!深さ
|-
|北港||七尋
|}
波は高い<ref>冬に限る。</ref>。
"""


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Asks an explorer of the small base."""
    folder = tmp_path_factory.mktemp("trials")
    card = CARD.format(
        title="マストブランド/Mastbrand",
        wiki="",
        rows=row("カード名", "マストブランド/Mastbrand（ますとぶらんど）") + row("タイプ", "船"),
    )
    sails = {
        ("20230101", "en"): rulebook(_SAILS),
        ("20230101", "ja"): rulebook(_IN_JAPANESE, "総合ルール"),
        ("20250101", "en"): rulebook(_NEW_SAILS, glossary=_GLOSSARY),
    }
    sources = [
        described(folder / "cards", {"card.html": card}, url=URL.format("X1")),
        write_books(folder / "sails", sails, "riftbound"),
        write_books(folder / "books", {("20250101", "ja"): rulebook(_RULES)}, "dm"),
        described(folder / "wiki", {"unread.bin": b"\0\1\2\3" * 40}, url=f"{_ON_WIKI}港"),
        described(folder / "wiki", {"係留.wiki": _WIKI}, url=f"{_ON_WIKI}係留&action=raw"),
        described(folder / "names", {"names.csv": "満潮起因処理,Tidal Action\n"}, game="dm"),
    ]
    with base_of(sources, folder / "kb.db", workers=1) as base:
        served = kb.ReopenedBase(base.file)
        with TestClient(create_app(served), "http://127.0.0.1") as client:
            yield client
        served.close()


def _words(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_the_reading_of_a_card_in_kana_stands_below_its_heading(
    read: TestClient, lang: str
) -> None:
    page = read.get(f"/{lang}/node/mtg/card/マストブランド").text
    heading = page.partition("<h1")[2].partition("</h1>")[0]
    assert "ますとぶらんど" not in heading and "Mastbrand" in heading
    assert "ますとぶらんど</span></span></p>" in page


def test_the_preview_of_a_term_that_nothing_defines_names_the_rule_it_shows(
    read: TestClient,
) -> None:
    page = read.get("/en/preview/dm/term/満潮起因処理").text
    words = _words(page)
    assert "Comprehensive Rules · Japanese 2025-01-01" in words
    assert "703 満潮起因処理" in words and "703.2 満潮" in words
    assert "No page defines it" not in words
    assert "<rt>まんちょうきいんしょり</rt>" in page and "made by Sudachi" in words


def test_a_wiki_page_is_set_as_the_wiki_sets_it(read: TestClient) -> None:
    page = read.get("/ja/node/mtgwiki/係留").text
    article = page.partition('<article lang="ja">')[2].partition("</article>")[0]
    article = re.sub(r"¶|</?(?:a|p|span|div)\b[^>]*>|(?<=<t[dh]) [^>]*|\n", "", article)
    for part in (
        "<ul><li>一本目の綱。<ul><li>細い綱。</li></ul></li><li>二本目の綱。</li></ul>",
        "<ol><li>先に結ぶ。</li><li>次に引く。</li></ol>",
        "<dl><dt>もやい</dt><dd>結び方の一つ。</dd></dl>",
        "<table><tr><th>港</th><th>深さ</th></tr><tr><td>北港</td><td>七尋</td></tr></table>",
    ):
        assert part in article, article
    assert "&lt;ref" not in page and 'class="text footnote"' in page


def test_a_number_leads_to_the_newest_edition_where_an_older_one_is_translated_in_part(
    read: TestClient,
) -> None:
    newest = "riftbound/cr/20250101/en/300.1"
    [found] = read.get("/ja/suggest?q=300.1&format=json").json()["suggestions"]
    assert found["id"] == newest
    answer = read.get("/ja/search?q=300.1", follow_redirects=False)
    assert newest in answer.headers["location"]


def test_an_old_rule_says_whether_the_newest_edition_has_its_words(read: TestClient) -> None:
    old = "/en/node/riftbound/cr/20230101"
    same = "The edition of 2025-01-01 has the same words (English)."
    assert same in _words(read.get(f"{old}/ja/300.1").text)
    assert same in _words(read.get(f"{old}/en/300.1").text)
    page = read.get(f"{old}/ja/300.2").text
    assert "The edition of 2025-01-01 has other words (English): what changed" in _words(page)
    changes = re.search(r'href="(/en/diff[^"]*)">The edition', page)
    assert changes and "three" in read.get(unescape(changes[1])).text
    assert "has the same words" not in read.get("/en/node/riftbound/cr/20250101/en/300.1").text


def test_what_refers_to_a_rule_is_counted_as_it_is_listed(read: TestClient) -> None:
    page = read.get("/en/node/riftbound/cr/20250101/en/300.1").text
    listed = page.partition('id="inward"')[2].partition("</section>")[0]
    assert "What refers to it (45)" in page and "More references (45)" in listed
    assert "Over all editions: 45 rules · in this edition: 45" in _words(listed)
    above, *lines = listed.split("<li>")
    assert len(lines) == 40
    for edition in ("2023-01-01", "2025-01-01"):  # of all at once, or of each
        assert edition in above or all(edition in line for line in lines)


def test_what_refers_to_a_term_is_counted_as_it_is_listed(client: TestClient) -> None:
    page = client.get("/en/node/mtg/term/ライブラリー").text
    listed = page.partition('id="inward"')[2].partition("</section>")[0]
    number = re.search(r'#inward">What refers to it \((\d+)( references)?\)', page)
    assert number and (number[2] or int(number[1]) == listed.count("<li>"))


def test_files_that_could_not_be_read_are_named_below_their_folder(read: TestClient) -> None:
    page = read.get("/ja/audit").text
    listed = page.rpartition("<h2>")[2]
    assert "unread.bin" in listed and not re.search(r"<li>(?:/|[A-Z]:)", listed)
    warnings = read.get("/en/audit?format=json").json()["warnings"]
    assert warnings and not any(each["where"].startswith("/") for each in warnings)


def test_a_section_in_the_feed_leads_to_its_changes(read: TestClient) -> None:
    feed = read.get("/en/feed").text
    assert "Riftbound, English: 2025-01-01" in feed
    address = re.search(r'<li><a href="http://[^/]*(/en/diff[^"]*)">300 Sails', feed)
    assert address and "three" in read.get(unescape(address[1])).text


def test_passages_about_a_word_come_first(client: TestClient) -> None:
    hits = client.get("/ja/search?q=ライブラリー&all=1").text.partition("<ol")[2].split("<li>")[1:]
    about = ["ライブラリー</a>" in hit or "› ライブラリー" in hit for hit in hits]
    assert any(about) and about == sorted(about, reverse=True)


@pytest.mark.parametrize(
    "page", ["compare?ref=mtg/term/サイドボード", "search?q=サイドボード&all=1"]
)
def test_terms_are_defined_in_the_reader_s_language(client: TestClient, page: str) -> None:
    definitions = {
        lang: re.search(
            rf'<p class="(?:text|words)" dir="auto" lang="{lang}">([^<]+)',
            client.get(f"/{lang}/{page}").text,
        )
        for lang in ("en", "ja")
    }
    assert definitions["en"] and definitions["en"][1].isascii()
    assert definitions["ja"] and not definitions["ja"][1].isascii()


def test_terms_of_one_name_are_told_apart(read: TestClient) -> None:
    words = _words(read.get("/en/search?q=Tide&all=1").text)
    assert "Tide (1) term" in words and "Tide (2) term" in words


def test_a_rule_beside_another_shows_its_own_number(read: TestClient) -> None:
    book = "game=riftbound&edition=20250101&lang=en&chapter=300"
    page = read.get(f"/en/read?{book}&beside=ja").text
    beside = page.partition('<div class="other"')[2]
    assert "破れた帆" in beside and 'class="number"' not in beside.partition("</div>")[0]
    assert '<span class="number">300–301</span>' in page
