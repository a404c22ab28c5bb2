"""Charsets: what browsers read, what pages declare, what is broken."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scraper.page import text_size
from scraper.sources.charset import decode

EUC = "text/html; charset=EUC-JP"


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("ada1", "①"),
        ("adb6", "Ⅱ"),
        ("adea", "㈱"),
        ("fce2", "髙"),
        ("f9f5", "﨑"),
        ("a1dd", "－"),
        ("a1c1", "～"),
        ("a1c2", "∥"),
        ("a1bd", "―"),
        ("a1f1", "￠"),
        ("a2cc", "￢"),
        ("8eb1", "ｱ"),
        ("b0fa", "引"),
    ],
)
def test_euc_as_browsers_read_it(raw: str, text: str) -> None:
    decoded = decode(bytes.fromhex(raw), EUC)
    assert (decoded.text, decoded.warnings) == (text, ())


def test_nec_rows_keep_the_text_around_them() -> None:
    mixed = "前".encode("euc_jp") + bytes.fromhex("ada1fce2") + "後".encode("euc_jp")
    assert decode(mixed, EUC).text == "前①髙後"


@pytest.mark.parametrize("charset", ["utf-8", "utf-8-sig", "utf-16", "euc_jp", "cp932"])
def test_declared_and_not(charset: str) -> None:
    text = "<p>カードを引く。ライブラリーの一番上</p>" * 3
    assert decode(text.encode(charset), f"text/html; charset={charset}").text == text
    if charset not in {"euc_jp", "cp932"}:
        assert decode(text.encode(charset)).text == text


@pytest.mark.parametrize("charset", ["euc_jp", "cp932"])
def test_undeclared_japanese(charset: str) -> None:
    text = "通常のドローの代わりに、別の処理を行う効果について。" * 4
    assert decode(text.encode(charset)).text == text


def test_the_page_names_its_charset() -> None:
    page = '<?xml version="1.0" encoding="EUC-JP" ?><html>召喚</html>'
    assert decode(page.encode("euc_jp")).text == page
    page = (
        '<html><meta http-equiv="content-type" content="text/html; charset=Shift_JIS">召喚</html>'
    )
    assert decode(page.encode("cp932")).text == page


def test_a_page_that_lies() -> None:
    decoded = decode("召喚する".encode(), EUC)
    assert decoded.text == "召喚する"
    assert decoded.warnings[0].what == "declared as euc_jp but is UTF-8"


def test_broken_bytes_are_told_with_their_place() -> None:
    data = "召喚".encode("euc_jp") + b"\xff" + "する".encode("euc_jp")
    decoded = decode(data, EUC)
    assert decoded.text == "召喚\ufffdする"
    assert (decoded.warnings[0].where, decoded.warnings[0].what) == (
        "byte 4",
        "no euc_jp character: ff",
    )


@given(st.binary(max_size=500), st.sampled_from(["", EUC, "charset=utf-16", "charset=no-such"]))
def test_never_raises(data: bytes, content_type: str) -> None:
    assert isinstance(decode(data, content_type).text, str)


@pytest.mark.slow
@given(st.text(st.characters(codec="euc_jp", exclude_characters="¥‾"), max_size=80))
def test_what_python_reads_is_read_alike(text: str) -> None:
    """Letter for letter what Python's codec says, but for the seven signs of Windows."""
    signs = str.maketrans("−〜‖¢£¬", "－～∥￠￡￢")
    raw = text.encode("euc_jp")
    wanted = raw.decode("euc_jp").translate(signs)
    got = decode(raw, EUC).text
    assert got == wanted or raw.decode("utf-8", "ignore") == got


@pytest.mark.shared
def test_the_probe_page(shared: Path) -> None:
    page = shared / "pages" / "encoding" / "encoding-probe.puki147.eucjp.html"
    text = decode(page.read_bytes()).text
    for sign in "①Ⅱ㈱髙－～∥―￠￢ｱ":
        assert f'<td class="style_td">{sign}</td>' in text
    assert text_size(text) > 400


@pytest.mark.parametrize(
    "charset",
    [
        "base64",
        "hex",
        "rot13",
        "idna",
        "punycode",
        "undefined",
        "zip",
        "a\0b",
        "x" * 999,
        "utf-7",
        "unicode_escape",
    ],
)
def test_a_charset_that_is_none(charset: str) -> None:
    """Python has codecs that are no charsets, and a page may declare anything."""
    data = b"<p>" + "カード".encode("euc_jp")
    assert "カード" in decode(data, f"text/html; charset={charset}").text or charset.startswith("u")
