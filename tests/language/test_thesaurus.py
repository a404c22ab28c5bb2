"""The thesaurus: its tables are sound, its normal forms current, and questions find its words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import kb
from graphs.store.reader import Store
from kb.language import thesaurus
from kb.language.thesaurus import (
    BOTH_WAYS,
    FORMS,
    TABLES,
    digest,
    longest_phrase,
    phrase_form,
    read_rows,
    related_words,
    rows_in_normal_forms,
)
from kb.language.tokens import tokenizer
from kb.query.answers.question import parse_question
from scraper.sites.games import find_games


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A base that has none of the words of the thesaurus as names."""
    folder = tmp_path_factory.mktemp("thesaurus")
    (folder / "塗装.txt").write_text("塗装とは、壁にペンキを塗ること。\n", "utf-8")
    kb.build([folder / "塗装.txt"], folder / "kb.db", site="pukiwiki", game="dm", workers=1)
    with Store(folder / "kb.db") as opened:
        yield opened


def related(store: Store, question: str) -> set[str]:
    return {form for term in parse_question(store, question).query_terms for form in term.related}


def rows(name: str) -> list[tuple[list[str], list[str]]]:
    (path,) = (path for path in TABLES if path.name == name)
    return list(read_rows(path.read_text("utf-8").splitlines(), TABLES[path][0]))


def test_the_normal_forms_are_those_of_the_tables() -> None:
    written = FORMS.read_text("utf-8").splitlines()
    assert digest() in written[0], "run `python -m kb.language.thesaurus`"
    found = list(rows_in_normal_forms())
    assert len(written) == len(found) > 1500
    # Another edition of the dictionary may know a word that this one splits.
    differing = [line for line, other in zip(written, found, strict=True) if line != other]
    assert len(differing) < len(written) / 50, differing[:20]


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.name)
def test_a_table_says_what_it_is_and_has_no_row_twice(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    assert lines[0].startswith("# ")
    data = [line for line in lines if not line.startswith("#")]
    assert all(line.count("\t") == 2 for line in data)
    keys = [tuple(line.split("\t")[:2]) for line in data]
    assert [key for key in keys if keys.count(key) > 1] == []


def test_a_row_of_names_has_both_languages_and_slang_both_columns() -> None:
    assert rows("thesaurus_of_games.tsv") and rows("slang.tsv")
    for japanese, english in rows("thesaurus_of_games.tsv"):
        assert japanese and english and all(map(str.isascii, english)), (japanese, english)
        assert not any(map(str.isascii, japanese)), japanese
    for said, written in rows("slang.tsv"):
        assert said and written and not set(said) & set(written), (said, written)


@pytest.mark.slow
def test_every_name_is_found_in_a_question(store: Store) -> None:
    # A phrase that has nothing but stop words is no word to search for: might, like.
    lost = []
    for names in (rows("thesaurus_of_games.tsv"), rows("slang.tsv")):
        for japanese, english in names:
            for name in japanese:
                asked = f"{name}って何？" if not name.isascii() else f"what is {name}?"
                # What is the name of a game, too, is not searched for.
                if not related(store, asked) and not find_games(asked):
                    lost.append((name, english))
    assert lost == []


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("接死を持つクリーチャーがブロックするとどうなる？", "deathtouch"),
        ("護法って何？", "ward"),
        ("徘徊って何？", "prowl"),
        ("族霊鎧って何ですか", "umbra armor"),
        ("コピー可能な値とは", "copiable value"),
        ("戦場に出る時に誘発する？", "enters the battlefield"),
        ("アップキープ・ステップに唱えられる？", "upkeep step"),
        ("S・トリガーは使える？", "shield trigger"),
        ("双頭巨人戦で先攻は？", "two headed giant"),
        ("裏側守備表示のモンスター", "face down defense position"),
        ("エグザートしているキャラクター", "exerted"),
        ("does deathtouch work with first strike?", "接 死"),
        ("can I cast it during my upkeep?", "アップ キープ"),
        ("What are state-based actions?", "状況 起因 処理"),
        ("a spell was milled", "切削"),
        ("special summoning from the hand", "特殊 召喚"),
        ("デッキ切れになったら負け？", "library with no cards"),
        ("i deck out, do I lose?", "library with no cards"),
        ("土地を横向きにする", "tapped"),
    ],
)
def test_a_question_finds_the_word_of_the_other_language(
    store: Store, question: str, word: str
) -> None:
    assert word in related(store, question)


def test_slang_is_read_one_way() -> None:
    assert "戦闘 ダメージ" in related_words("相打ち")
    assert "相打ち" not in related_words("戦闘 ダメージ")
    assert "抜ける" not in related_words("leave") and "leaves the game" in related_words("抜ける")
    directions = {row.split("\t")[2] for row in FORMS.read_text("utf-8").splitlines()[1:]}
    assert directions == {BOTH_WAYS, thesaurus.ONE_WAY}


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("戦場に出る", "戦場 出る"),
        ("コピー可能な値", "コピー 可能 値"),
        ("マナ・プール", "マナ プール"),
        ("face-down", "face down"),
        ("戦場、出る", ""),
        ("戦場に", ""),
        ("を出る", ""),
        ("", ""),
    ],
)
def test_a_phrase_has_only_words_and_what_links_them(text: str, form: str) -> None:
    assert phrase_form(tokenizer()(text)) == form


def test_a_word_in_japanese_names_a_term_that_the_pages_have_in_english(tmp_path: Path) -> None:
    pages = [tmp_path / f"{name}.txt" for name in ("Deathtouch", "Double strike", "strike")]
    for page in pages:
        page.write_text(f"{page.stem} is something that creatures have.\n", "utf-8")
    kb.build(pages, tmp_path / "kb.db", site="pukiwiki", game="mtg", workers=1)
    with Store(tmp_path / "kb.db") as opened:
        for question, term in (("接死とは", "Deathtouch"), ("二段攻撃って何？", "Double strike")):
            (found,) = parse_question(opened, question).query_terms
            assert found.term_ids == (f"mtg/term/{term}",)


def test_a_verb_before_te_nani_stays_a_verb(store: Store) -> None:
    (term,) = (
        t for t in parse_question(store, "手札を持って何をする？").query_terms if t.start < 2
    )
    assert term.text == "手札"
    assert [t.text for t in parse_question(store, "手札を切って何をする？").query_terms] == [
        "手札",
        "切っ",
    ]
    assert [t.text for t in parse_question(store, "徘徊って何？").query_terms] == ["徘徊"]


@pytest.mark.parametrize(
    ("word", "other"),
    [("generate", "general"), ("string", "stringy"), ("countered", "counter")],
)
def test_only_endings_of_inflection_are_taken_off(word: str, other: str) -> None:
    is_inflected = (word, other) == ("countered", "counter")
    same = thesaurus._without_endings(word) == thesaurus._without_endings(other)
    assert same == is_inflected


def test_the_longest_phrase_is_short() -> None:
    assert 4 <= longest_phrase() <= 6  # each word of a question begins so many phrases to look up
