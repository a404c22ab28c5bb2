"""The bundled sample: real markup, own words, and it says what it is."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

import pytest

import kb
from tests.conftest import SAMPLE

ENTRIES = [json.loads(line) for line in (SAMPLE / "manifest.jsonl").read_text("utf-8").splitlines()]


def test_four_sites_and_a_rulebook_in_two_languages(base: kb.KnowledgeBase) -> None:
    pages = base.nodes("page")
    assert len(pages) >= 15
    assert {page.source for page in pages} == {
        "mtgwiki",
        "yugioh-wiki",
        "dmwiki",
        "wisdom-guild",
        "pukiwiki",
        "rulebook",
    }
    assert {page.lang for page in pages if page.source == "rulebook"} == {"ja", "en"}
    types = [entry["headers"]["content-type"] for entry in ENTRIES if "headers" in entry]
    charsets = {each.partition("charset=")[2] for each in types} - {""}
    assert {c.upper() for c in charsets} == {"UTF-8", "EUC-JP"}


def test_it_says_that_it_is_a_paraphrase(base: kb.KnowledgeBase) -> None:
    """In the manifest, in the text of every page, in every node and in the output."""
    real = [entry for entry in ENTRIES if entry.get("game") != "lanterns"]  # which is made up
    assert all("Paraphrase" in entry["notice"] for entry in real)
    assert "not the official text" in base.notice
    assert all(node.notice for node in base.nodes() if node.game != "lanterns")
    passages = base.nodes("passage")
    for page in base.nodes("page"):
        own = [p.text or "" for p in passages if p.id.startswith((page.id + "#", page.id + "¶"))]
        text = "".join(own)
        redirect = text == "（ドローから転送）"
        assert redirect or re.search("公式の文章では|not the official", text), page.id


def test_what_it_is_about(base: kb.KnowledgeBase) -> None:
    """Drawing in three games, replacing a draw, the empty library, using a card, drafting."""
    for ref, game in (
        ("引く", "mtg"),
        ("ドロー", "ygo"),
        ("ドロー", "dm"),
        ("置換効果", "mtg"),
        ("ライブラリーアウト", "mtg"),
        ("使う", "dm"),
        ("ブースター・ドラフト", "mtg"),
    ):
        assert base.show(ref, game=game).matches[0].kind == "term", (ref, game)
    numbers = {node.number for node in base.nodes("rule") if node.lang == "ja"}
    assert {"121.4", "121.2a", "616.1g", "704.5b", "614.11", "905.1d"} <= numbers


def test_the_two_rulebooks_have_the_same_rules(base: kb.KnowledgeBase) -> None:
    per_language = {
        lang: {n.number for n in base.nodes("rule") if n.lang == lang and n.edition == "20231117"}
        for lang in ("ja", "en")
    }
    extra = per_language["ja"] - per_language["en"]
    assert per_language["en"] <= per_language["ja"] and len(per_language["en"]) > 60
    of_rulebook = {
        n for n in extra if base.show(f"mtg/cr/20231117/ja/{n}").matches[0].source == "rulebook"
    }
    assert of_rulebook == {"0", "10"}  # introduction and glossary are chapters in Japanese only


@pytest.mark.slow
def test_nothing_is_lost_and_nothing_is_warned_of(tmp_path: Path) -> None:
    report = kb.build(kb=tmp_path / "x.db")
    assert report.warnings == ()
    with kb.open(tmp_path / "x.db") as opened:
        assert opened.audit().lost == 0


@pytest.mark.shared
def test_its_sentences_are_its_own(shared: Path) -> None:
    """No run of 18 characters of running Japanese is also in a capture or a rulebook."""
    length = 18
    theirs = set()
    for path in [*shared.glob("seeds/*.txt"), *shared.glob("corpora/mtg-cr-ja/*.txt")]:
        text = squeezed(path.read_text("utf-8"))
        theirs |= {text[n : n + length] for n in range(len(text) - length + 1)}
    with kb.sample() as base:
        texts = [squeezed(n.text or "") for n in base.nodes("passage") if n.lang == "ja"]
    for text in texts:
        for n in range(len(text) - length + 1):
            run = text[n : n + length]
            assert run not in theirs or not re.search(r"[ぁ-ん]{2}.*[、。]", run), run


def squeezed(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())
