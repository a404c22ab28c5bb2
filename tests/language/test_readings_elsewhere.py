"""Readings of names: of the term's own pages, of another term's of the same name, or made."""

from __future__ import annotations

import pytest

import kb
from kb.language import made_readings as module
from kb.language.made_readings import (
    MADE_BY_SUDACHI,
    MADE_WITH_TABLE,
    likeliest_reading,
    made_readings,
)
from kb.language.tokens import tokenizer
from tests.commands import run
from tests.rulebooks import wiki_source

PAGES = {
    ("dmwiki", "手札"): "*手札(てふだ) [#top]\n引いた札を持つ場所。~\n-[[墓地]]\n-[[盤面]]\n",
    ("dmwiki", "墓地"): "*墓地(はかち) [#top]\n使った札を置く場所。~\n",
    ("dmwiki", "盤面"): "*盤面(フィールド) [#top]\n札を並べる場所。~\n",
    ("yugioh-wiki", "手札"): "*手札/Hand [#top]\n引いた札を持っておく場所。~\n-[[盤面]]\n",
    ("yugioh-wiki", "墓地"): "*墓地(ぼち)/Graveyard [#top]\n使った札を置く所。~\n-[[手札]]\n",
    ("yugioh-wiki", "盤面"): "*盤面/Board [#top]\n札を並べる所。~\n-[[山札]]\n",
    ("yugioh-wiki", "山札"): "*山札/Deck [#top]\n札の束。~\n",
}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("readings")
    for (site, title), text in PAGES.items():
        wiki_source(folder / site, {title: text}, site)
    kb.build([folder / "dmwiki", folder / "yugioh-wiki"], folder / "kb.db")
    return str(folder / "kb.db")


def reading_and_note(path: str, term: str) -> tuple[str | None, str]:
    with kb.open(path) as base:
        [concept] = base.termbase(term)
    [name] = [name for name in concept.names if name.lang == "ja"]
    return name.reading, name.note


FROM_DM = "reading that dmwiki gives for dm/term/手札"


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("dm/term/手札", ("てふだ", "")),
        ("ygo/term/手札", ("てふだ", FROM_DM)),
        # What the term's own page gives stays, whatever another one gives.
        ("dm/term/墓地", ("はかち", "")),
        ("ygo/term/墓地", ("ぼち", "")),
        # A foreign word in katakana is what it is called, and not how it is read.
        ("ygo/term/盤面", ("バンメン", MADE_BY_SUDACHI)),
        ("ygo/term/山札", ("ヤマフダ", MADE_WITH_TABLE)),
    ],
)
def test_a_stated_reading_comes_before_a_made_one(
    path: str, term: str, expected: tuple[str, str]
) -> None:
    assert reading_and_note(path, term) == expected
    with kb.open(path) as base:
        row = base.compare(term).rows[0]
    reading, note = expected
    made = "made by" in note
    assert row.reading_basis == (note or None)
    assert (row.reading, row.made_reading) == ((None, reading) if made else (reading, None))


def test_the_command_says_whose_reading_it_is(path: str) -> None:
    for command in ("compare", "termbase"):
        ran = run(command, "ygo/term/手札", of=path)
        shown = " ".join(ran.output.split())
        assert "てふだ" in shown and FROM_DM in shown and "シュサツ" not in shown


# -- the table of card-game words ---------------------------------------------------------------


def test_each_word_of_the_table_is_read_otherwise_by_sudachi() -> None:
    table = module._table()
    assert table
    for word, reading in table.items():
        morphemes = tokenizer().tokenize(word)
        usual = "".join(morpheme.reading_form() for morpheme in morphemes)
        assert usual != reading and module._ALL_KANA.fullmatch(reading), word


@pytest.mark.parametrize(
    ("name", "reading", "basis"),
    [
        ("山札の一番上", "ヤマフダノイチバンウエ", MADE_WITH_TABLE),
        ("手札を捨てる", "テフダヲステル", MADE_WITH_TABLE),
        ("表のカード", "オモテノカード", MADE_WITH_TABLE),
        ("一覧表", "イチランヒョウ", MADE_BY_SUDACHI),
        ("表向き", "オモテムキ", MADE_BY_SUDACHI),
        ("捨て札", "ステフダ", MADE_BY_SUDACHI),
        ("手番", "テバン", MADE_BY_SUDACHI),
    ],
)
def test_readings_of_card_game_words(name: str, reading: str, basis: str) -> None:
    made = likeliest_reading(tokenizer().tokenize(name))
    assert made and (made.kana, made.basis) == (reading, basis)
    assert made_readings(name, tokenizer())[0] == reading


def test_what_sudachi_reads_is_still_a_form_for_finding() -> None:
    assert made_readings("手札", tokenizer())[:2] == ["テフダ", "シュサツ"]
    assert "ヤマサツ" in made_readings("山札", tokenizer())
