"""URLs of one page, in all the forms that are met, lead to one address."""

from __future__ import annotations

from urllib.parse import unquote_to_bytes, urldefrag, urljoin

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scraper.sites import page_address, site_catalogue
from scraper.sites.site_catalogue import Site, Wiki

DRAW = "yugioh-wiki", "通常のドロー"
EUC = "%C4%CC%BE%EF%A4%CE%A5%C9%A5%ED%A1%BC"
HIKU = "%E5%BC%95%E3%81%8F"


@pytest.mark.parametrize(
    ("url", "source", "name"),
    [
        (f"https://yugioh-wiki.net/index.php?{EUC}", *DRAW),
        (f"http://www.yugioh-wiki.net/?{EUC}", *DRAW),
        (f"https://yugioh-wiki.net:443/index.php?{EUC}#faq", *DRAW),
        (f"https://m.yugioh-wiki.net/index.php?cmd=read&page={EUC}", *DRAW),
        ("https://yugioh-wiki.net/index.php?FrontPage", "yugioh-wiki", "FrontPage"),
        ("https://yugioh-wiki.net/", "yugioh-wiki", "FrontPage"),
        ("https://yugioh-wiki.net/rush/index.php?%E5%8A%B9%E6%9E%9C", "yugioh-wiki", "rush/効果"),
        ("https://rush.yugioh-wiki.net/?%E5%8A%B9%E6%9E%9C", "yugioh-wiki", "rush/効果"),
        ("https://rush.yugioh-wiki.net", "yugioh-wiki", "rush/FrontPage"),
        ("https://yugioh-wiki.net/rush/index.php", "yugioh-wiki", "rush/FrontPage"),
        ("https://dm-wiki.com/?%BB%C8%A4%A6", "dmwiki", "使う"),
        ("https://dmarchive.net/?%BB%C8%A4%A6", "dmwiki", "使う"),
        ("https://dmwiki.net/%E4%BD%BF%E3%81%86", "dmwiki", "使う"),
        ("http://m.dmwiki.net/%A5%C8%A5%EA%A5%AC%A1%BC", "dmwiki", "トリガー"),
        ("https://dmwiki.net/%E8%A7%92%E5%8F%A4+x", "dmwiki", "角古 x"),
        ("https://yugioh-wiki.net/index.php?%C8%AF%C6%B0", "yugioh-wiki", "発動"),
        (f"http://mtgwiki.com/wiki/{HIKU}", "mtgwiki", "引く"),
        (f"https://www.mtgwiki.com/wiki/{HIKU}#.E3.83.AB.E3.83.BC.E3.83.AB", "mtgwiki", "引く"),
        (f"http://mtgwiki.com/index.php?title={HIKU}", "mtgwiki", "引く"),
        (f"http://mtgwiki.com/index.php?redirect=no&title={HIKU}", "mtgwiki", "引く"),
        ("http://mtgwiki.com/wiki/Who/What/When_Where", "mtgwiki", "Who/What/When Where"),
        ("http://mtgwiki.com/wiki/Lim-D%C3%BBl", "mtgwiki", "Lim-Dûl"),
        ("http://mtgwiki.com/wiki/wheel_of_Fortune", "mtgwiki", "Wheel of Fortune"),
        ("http://whisper.wisdom-guild.net/cr/r/121.2", "wisdom-guild", "cr/r/121.2"),
        ("http://whisper.wisdom-guild.net/card/Lim-D%C3%BBl/", "wisdom-guild", "card/Lim-Dûl"),
    ],
)
def test_one_page(url: str, source: str, name: str) -> None:
    found = page_address.read(url)
    assert found is not None
    assert (found.source, found.name, found.view) == (source, name, "")


@pytest.mark.parametrize(
    ("url", "view"),
    [
        (f"https://yugioh-wiki.net/index.php?cmd=edit&page={EUC}", "edit"),
        (f"https://yugioh-wiki.net/index.php?cmd=diff&page={EUC}", "diff"),
        (f"http://mtgwiki.com/index.php?title={HIKU}&action=history", "history"),
        (f"http://mtgwiki.com/index.php?title={HIKU}&oldid=33", "oldid"),
    ],
)
def test_other_views(url: str, view: str) -> None:
    found = page_address.read(url)
    assert found is not None and found.view == view and found.name in {"通常のドロー", "引く"}


def test_red_links_and_anchors() -> None:
    base = "http://mtgwiki.com/wiki/X"
    red = page_address.read(f"/index.php?title={HIKU}&action=edit&redlink=1", base)
    assert red is not None and red.redlink and red.view == "" and red.name == "引く"
    part = page_address.read("/wiki/X#.E3.83.AB.E3.83.BC.E3.83.AB", base)
    assert part is not None and part.anchor == "ルール"


@pytest.mark.parametrize(
    ("written", "anchor"),
    [
        (".E3.83.AB.E3.83.BC.E3.83.AB702.15", "ルール702.15"),
        (".E5.BC.95.E3.81.8F.15", "引く.15"),
        (".E5.BC.95.E3.81.8F.89.AB", "引く.89.AB"),
        (".E5.BC.95.E3.81.8F_1.20.2C_2.30_.28a.29.2541", "引く 1.20, 2.30 (a)%41"),
        (".F0.9F.83.8F.7E", "🃏~"),
        ("702.15", "702.15"),
    ],
)
def test_dots_in_an_anchor(written: str, anchor: str) -> None:
    """A dot before two digits is one, unless a character is written so."""
    assert page_address.decoded_anchor(written) == anchor


@pytest.mark.parametrize(
    ("canonical", "others"),
    [
        (
            f"https://yugioh-wiki.net/index.php?{EUC}",
            [
                f"http://www.yugioh-wiki.net/?{EUC}",
                f"https://yugioh-wiki.net:443/index.php?{EUC}",
                f"https://m.yugioh-wiki.net/?page={EUC}&cmd=read",
                f"https://yugioh-wiki.net/?{EUC.lower()}",
            ],
        ),
        (
            "https://yugioh-wiki.net/rush/index.php?%E5%8A%B9%E6%9E%9C",
            [
                "http://yugioh-wiki.net:80/rush/?%E5%8A%B9%E6%9E%9C",
                "https://rush.yugioh-wiki.net/index.php?cmd=read&page=%E5%8A%B9%E6%9E%9C",
            ],
        ),
        (
            f"http://mtgwiki.com/wiki/{HIKU}",
            [
                f"https://www.mtgwiki.com/wiki/{HIKU}",
                f"http://mtgwiki.com/index.php?title={HIKU}",
                f"http://mobile.mtgwiki.com/index.php?redirect=no&title={HIKU}",
            ],
        ),
        (
            "http://mtgwiki.com/wiki/Who/What_(x)",
            ["http://mtgwiki.com/index.php?title=who/What+(x)"],
        ),
        (
            "https://dmwiki.net/%E4%BD%BF%E3%81%86",
            ["http://m.dmwiki.net/?%E4%BD%BF%E3%81%86", "https://dmwiki.net/%BB%C8%A4%A6"],
        ),
        ("https://wiki.example/index.php?a", ["https://wiki.example:443/index.php?a"]),
        (f"http://mtgwiki.com/index.php?title={HIKU}&oldid=33", []),
        ("http://mtgwiki.com/", ["http://mtgwiki.com:80/"]),
        ("http://mtgwiki.com/index.php", []),
        ("http://mtgwiki.com/wiki/", []),
        ("https://dmwiki.net/FrontPage", ["http://dmwiki.net/", "https://m.dmwiki.net/index.php"]),
    ],
)
def test_one_address(canonical: str, others: list[str]) -> None:
    for url in [canonical, *others]:
        assert page_address.canonical(url) == canonical, url


@pytest.mark.parametrize("url", ["mailto:a@b", "javascript:x()", "ftp://mtgwiki.com/wiki/X"])
def test_no_page(url: str) -> None:
    assert page_address.read(url) is None


@given(st.text(max_size=100))
def test_never_raises(text: str) -> None:
    page_address.read(text)
    once = page_address.canonical("https://yugioh-wiki.net/index.php?" + text)
    assert page_address.canonical(once) == once
    page_address.read("https://yugioh-wiki.net/index.php?" + text)
    page_address.read(text, "http://mtgwiki.com/wiki/X")


@settings(max_examples=500)
@given(st.text(alphabet="%0aE引/+=_ \r\n", max_size=12))
def test_a_name_is_unescaped_as_urllib_does(text: str) -> None:
    """Also with broken escapes, and with the signs that quoted-printable has for other things."""
    assert page_address.unescaped(text) == unquote_to_bytes(text)


@settings(max_examples=300)
@given(
    st.lists(
        st.sampled_from([*"/?#:&=.\t\n", "//", "..", "http:", "https://", "HTTP://", "mtgwiki.com",
                         "wiki/", "title=", "X", "引く", "%BB%C8"]), max_size=7
    ).map("".join),
    st.sampled_from(["http:", "https:"]),
    st.sampled_from(["", "/wiki/X", "/a/b/X?a=b#c", "/?X", "/index.php?title=X#a"]),
)  # fmt: skip
def test_a_relative_url_means_what_a_browser_takes_it_for(url: str, scheme: str, path: str) -> None:
    """Whatever part of the base is used, so that pages have what is parsed in common."""
    base, url = f"{scheme}//mtgwiki.com{path}", url.strip()
    joined = urljoin(base, url) if url else urldefrag(base)[0]
    assert page_address.read(url, base) == page_address.read(joined)


def test_a_link_that_pages_have_in_common_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    joined = []

    def join(base: str, url: str) -> str:
        joined.append(url)
        return urljoin(base, url)

    monkeypatch.setattr(page_address, "urljoin", join)
    for name in ("X1", "X2"):
        for url in ("/wiki/Once", "?Once", "index.php?Once"):
            page_address.read(url, f"http://once.example/w/?{name}")
    assert joined == ["/wiki/Once", "", "index.php"]


@pytest.mark.parametrize(
    ("url", "base", "name"),
    [
        ("./", "https://a.jp/dm/index.php?X", "FrontPage"),
        ("index.php", "https://a.jp/wiki/?X", "FrontPage"),
        ("/dm/index.php", "https://a.jp/dm/?X", "FrontPage"),
        ("/wiki/", "https://a.jp/wiki/X", "FrontPage"),
        ("/", "https://a.jp/wiki/X/Y", "FrontPage"),
        ("/index.php", "https://a.jp/index.php/X", "FrontPage"),
        ("https://a.jp/dm/", "https://a.jp/dm/index.php?X", "FrontPage"),
        ("https://a.jp/dm/index.php", "https://a.jp/dm/?X", "FrontPage"),
        ("http://a.jp/dm/", "https://a.jp/dm/?X", "FrontPage"),
        ("https://A.jp:443/dm/index.php", "https://www.a.jp/dm/?X", "FrontPage"),
        ("https://a.jp/?X", "http://[", "X"),
        ("./?X%20Y ", "https://a.jp/dm/?X", "X Y"),
        (" /wiki/X\n", "http://mtgwiki.com/wiki/Y", "X"),
        ("/index.php/X_Y", "http://mtgwiki.com/wiki/Y", "X Y"),
        ("/index.php/X", "http://a.jp/index.php/Y", "X"),
        ("wiki.php?%B0%FA%A4%AF", "http://a.jp/wiki/wiki.php?X", "引く"),
        ("pukiwiki.php?plugin=related&page=X", "http://a.jp/wiki/pukiwiki.php?X", "X"),
    ],
)  # fmt: skip
def test_links_of_wikis_wherever_they_are(url: str, base: str, name: str) -> None:
    found = page_address.read(url, base)
    assert found is not None and found.name == name and found.front == (name == "FrontPage")


@pytest.mark.parametrize("pages", ["https://w.example/", "https://w.example/index.php/"])
def test_the_script_of_a_mediawiki_is_no_title(pages: str) -> None:
    """Wherever its articles are; one may be called as a script, too."""
    wiki = Wiki(("w.example",), pages, "https://w.example/w/index.php")
    with site_catalogue.using((Site("w", "ws", "mediawiki", (wiki,)),)):
        red = page_address.read("/w/index.php?title=X&action=edit&redlink=1", f"{pages}Y")
        assert red is not None and red.name == "X" and red.redlink
        assert page_address.canonical("https://w.example/w/index.php?title=X") == f"{pages}X"
        assert page_address.canonical("https://w.example/index.php/X") == f"{pages}X"
        assert page_address.canonical(f"{pages}X.php") == f"{pages}X.php"
        assert page_address.read("/w/api.php?action=query", f"{pages}Y") is None


def test_the_root_of_its_host_is_no_page_of_a_pukiwiki_in_a_folder() -> None:
    for url in ("/", "https://a.jp", "/index.php", "../"):
        assert page_address.read(url, "https://a.jp/dm/?X") is None
    wiki = Wiki(("b.jp",), "https://b.jp/wiki/?", "https://b.jp/wiki/")
    with site_catalogue.using((Site("b", "ws", "pukiwiki", (wiki,)),)):
        assert page_address.read("/", "https://b.jp/wiki/?X") is None
        assert page_address.canonical("https://b.jp/") == "https://b.jp/"
        assert page_address.canonical("https://b.jp/wiki/") == "https://b.jp/wiki/?FrontPage"


def test_a_search_of_wisdom_guild_is_no_page() -> None:
    assert page_address.read("http://whisper.wisdom-guild.net/search.php?subtype[]=Angel") is None
