"""The list of terms, on pages written for the purpose."""

from __future__ import annotations

from pathlib import Path

import pytest

import kb
from tests.commands import run
from tests.rulebooks import base_of, base_of_files, described, wiki_source
from tests.webs import mediawiki

PAGES = {
    "dmwiki": {"捨てる": "*捨てる/Discard [#top]\n札を墓地に置くこと。~\n-[[墓地]]\n"},
    "yugioh-wiki": {"墓地": "*墓地/Graveyard [#top]\n使った札を置く場所。~\n"},
}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("terms")
    sites = [wiki_source(folder / site, pages, site) for site, pages in PAGES.items()]
    kb.build(sites, folder / "kb.db")
    return str(folder / "kb.db")


def said(path: str, *words: str, code: int = 0) -> str:
    ran = run("terms", *words, of=path)
    assert ran.exit_code == code, ran.output
    return ran.output


def test_sources_and_what_filters_leave_out(path: str) -> None:
    with kb.open(path) as base:
        found = base.terms(game="ygo")
        every = base.terms()
    assert found.games == {"dm": 2, "ygo": 1}
    assert (len(found.terms), found.left_out, every.left_out) == (1, 2, 0)
    assert found.sources == {"ygo/term/墓地": ("yugioh-wiki",)}
    document = found.as_json()
    assert (document["left_out"], document["games"]) == (2, {"dm": 2, "ygo": 1})


def test_text(path: str) -> None:
    text = said(path)
    assert "3 terms (dm 2, ygo 1)" in text
    assert text.index("捨てる") < text.index("Graveyard")  # by game
    assert "1 term of ygo; the filters leave out 2" in said(path, "--game", "ygo")
    assert all(len(line) <= 80 for line in text.splitlines())


def test_none(path: str) -> None:
    assert "No such terms; there are dm 2, ygo 1." in said(
        path, "--game", "ygo", "--source", "dmwiki", code=1
    )


def test_each_name_stands_in_the_column_of_its_language(path: str) -> None:
    lines = said(path).splitlines()
    assert lines[0].split() == ["name", "English", "game", "sources"]
    [graveyard] = [line for line in lines if "ygo" in line and "Graveyard" in line]
    assert graveyard.startswith("墓地")
    lines = said(path, "--lang", "en").splitlines()
    assert lines[0].split() == ["English", "name", "game", "sources"]
    assert [line.split()[:2] for line in lines[2:4]] == [
        ["Discard", "捨てる"],
        ["Graveyard", "墓地"],
    ]


def test_an_english_term_has_no_other_name(tmp_path: Path) -> None:
    (tmp_path / "harbour.20240101.txt").write_text(
        "2024 Harbour Comprehensive Rules\n\n1. Port\n\n100. Load\n\n100.1. Slow.\n\nGlossary\n\n"
        "Ship, Local\nA card with a sail.\n\nLoad\n1. To bring in.\n2. What is brought.\n",
        "utf-8",
    )
    kb.build([tmp_path], tmp_path / "kb.db", site="rulebook", game="harbour")
    for options in ((), ("--lang", "en")):
        lines = said(str(tmp_path / "kb.db"), *options).splitlines()
        assert lines[0].split() == ["English", "game", "sources"]
        assert [line.partition("  ")[0] for line in lines[2:4]] == ["Load (1)", "Load (2)"]


def test_terms_stand_in_the_order_of_their_readings(tmp_path: Path) -> None:
    words = ("山札", "手札", "Combat", "引く", "アンタップ", "カードプール", "墓地", "Ability")
    body = "".join(f"<p><b>{word}</b>とは、用語である。</p>" for word in words)
    for word in words:
        page = mediawiki(word, f"<b>{word}</b>とは、用語である。</p><p>終わり。")
        (tmp_path / f"{word}.html").write_text(page, "utf-8")
    links = (
        '<a href="/index.php?title=カード・プール&amp;action=edit&amp;redlink=1" class="new" '
        'title="カード・プール (存在しないページ)">カード・プール</a>と'
        '<a href="/index.php?title=100%25&amp;action=edit&amp;redlink=1" class="new" '
        'title="100% (存在しないページ)">100%</a>の話。'
    )
    with base_of_files(
        tmp_path, {"話.html": mediawiki("お話", f"{links}{body}")}, game="mtg", lang="ja"
    ) as base:
        labels = [term.label for term in base.terms().terms]
        [pool] = [term for term in base.terms().terms if "プール" in (term.label or "")]
        assert {label.text for label in pool.labels} >= {"カードプール", "カード・プール"}
    assert labels == [
        "アンタップ", "お話", "カードプール", "手札", "引く", "墓地", "山札", "Ability", "Combat",
    ]  # fmt: skip
    printed = [line.partition(" ")[0] for line in said(str(tmp_path / "kb.db")).splitlines()]
    assert [word for word in printed if word in labels] == labels


def test_a_word_that_joins_sentences_is_not_spoken_of(tmp_path: Path) -> None:
    """Glossaries have entries for such words; they do not make every second text one on them."""
    for word, definition in {
        "場合": "<b>場合</b>とは、条件を述べる語である。",
        "山札": "<b>山札</b>とは、札の山である。山札がない場合、山札の場合ではない。",
    }.items():
        (tmp_path / f"{word}.html").write_text(mediawiki(word, definition), "utf-8")
    with base_of([tmp_path], tmp_path / "kb.db", game="mtg", lang="ja") as base:
        assert {term.label for term in base.terms().terms} == {"場合", "山札"}
        [most] = base.top(by="mentioned").nodes
    assert most.node.label == "山札"


def test_a_name_may_look_like_the_beginning_of_an_id(tmp_path: Path) -> None:
    url = "http://whisper.wisdom-guild.net/card/M055/"
    with base_of(
        [described(tmp_path / "pages", {"a.html": "森"}, url=url)], tmp_path / "kb.db"
    ) as base:
        term = base.terms().terms[0]
    assert (term.id, term.kind) == ("mtg/term/card/M055", "term")
    assert kb.find_damage(base.file) == ()
