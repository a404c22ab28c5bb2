"""What a person states about sources: wrong values are refused, doubtful ones are warnings."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import kb
from tests.building.test_build import sansho
from tests.conftest import SAMPLE

BOOK = "Harbour Comprehensive Rules\n\n" + "".join(
    f"10{n}.{m}. Each player moves one of their boats to the next pier of the harbour.\n"
    for n in range(1, 4)
    for m in range(1, 5)
)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    folder = tmp_path / "books"
    folder.mkdir()
    (folder / "harbour.txt").write_text(BOOK, "utf-8")
    return folder


def wiki_page(folder: Path, name: str = "甲", manifest: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.txt").write_text(f"{name}\n提供:MTG Wiki\n{name}は語である。\n", "utf-8")
    if manifest:
        (folder / "manifest.jsonl").write_text(manifest, "utf-8")
    return folder


def said(report: kb.BuildReport) -> str:
    return "\n".join(f"{warning.where}: {warning.what}" for warning in report.warnings)


# -- refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hint", "value", "message"),
    [
        ("lang", "japanese", "nearest: ja"),
        ("lang", "klingon", "can't be read"),
        ("lang", "", "lang is empty"),
        ("game", "", "game is empty"),
        ("game", " ", "game is empty"),
        ("game", 7, "no text"),
        ("game", "a/b", "letters, digits"),
        ("edition", "soon", "neither a date"),
        ("edition", "2024", "neither a date"),
        ("edition", "20241399", "neither a date"),
        ("edition", "latest", "such as 20231117"),
        ("edition", "", "edition is empty"),
        ("site", "", "site is empty"),
        ("site", "mtgwki", "nearest: mtgwiki"),
        ("names", "", "names is empty"),
        ("names", "term5", "nearest: term"),
        ("workers", "2", "workers is '2'"),
        ("workers", True, "whole number"),
        ("kb", None, "name of a file"),
        ("sites", "", "name of a file"),
        ("add", "yes", "True or False"),
    ],
)
def test_impossible_values(book: Path, hint: str, value: Any, message: str) -> None:
    arguments: dict[str, Any] = {"kb": book.parent / "x.db", hint: value}
    with pytest.raises(kb.QuestionError, match=message):
        kb.build(book, **arguments)
    assert not (book.parent / "x.db").exists()


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--game", "--lang", "--edition", "--site", "--names"])
def test_empty_options_are_not_ignored(book: Path, option: str) -> None:
    done = sansho("build", book, option, "", "--kb", book.parent / "x.db")
    assert done.returncode == 2 and not (book.parent / "x.db").exists()


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("20231117", "20231117"),
        ("2023-11-17", "20231117"),
        ("2023/11/17", "20231117"),
        ("2023.11.17", "20231117"),
        ("2023年11月17日", "20231117"),
        ("17 Nov 2023", "20231117"),
        ("202311", "202311"),
        ("2023-11", "202311"),
        ("20231117b", "20231117b"),
        ("20231117.0", "20231117.0"),
        ("1.26.1", "1.26.1"),
        ("v1.10", "v1.10"),
        ("V2", "V2"),
        ("2.2.0", "2.2.0"),
        ("ver.1.2a", "ver.1.2a"),
        ("1.0-beta2", "1.0-beta2"),
        ("第3版", "第3版"),
    ],
)
def test_editions_that_look_like_one(book: Path, given: str, stored: str) -> None:
    report = kb.build(book, book.parent / "x.db", edition=given, game="harbour")
    with kb.open(report.kb) as base:
        assert set(base.stats().editions) == {stored}


def test_case_does_not_count(book: Path) -> None:
    report = kb.build(book, book.parent / "x.db", game="MTG", lang="EN", edition="V1.2")
    assert report.sources == {"mtg": {"rulebook": 1}}


# -- doubtful -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "near"),
    [("mgt", "mtg"), ("mtgg", "mtg"), ("yugioh", "ygo"), ("magic", "mtg"), ("lorcan", "lorcana"),
     ("one_piece", "one-piece"), ("weiss-shwarz", "weiss-schwarz"), ("pokemon-tcg", "pokemon")],
)  # fmt: skip
def test_a_new_game_near_a_known_one(book: Path, game: str, near: str) -> None:
    report = kb.build(book, book.parent / "x.db", game=game)
    assert report.sources == {game: {"rulebook": 1}}
    assert f"game {game}: a new game, near {near}" in said(report)
    with kb.open(report.kb) as base:
        assert f"game {game}" in {warning.where for warning in base.audit().warnings}


@pytest.mark.parametrize("game", ["mtg", "harbour", "klingon", "ws", "weiss-schwarz", "dm"])
def test_other_games_are_no_warning(book: Path, game: str) -> None:
    assert "a new game" not in said(kb.build(book, book.parent / "x.db", game=game))


def test_a_game_of_ones_own_site_is_known(book: Path) -> None:
    record = """
        [[site]]
        name = "harbour-wiki"
        game = "mtgo"
        engine = "pukiwiki"
        hosts = ["harbour.example"]
        pages = "https://harbour.example/?"
        script = "https://harbour.example/"
    """
    (book / "sites.toml").write_text(record, "utf-8")
    assert "a new game" not in said(kb.build(book, book.parent / "x.db", game="mtgo"))


def test_a_text_in_another_language(book: Path) -> None:
    path = book.parent / "x.db"
    assert "stated to be in the language ja" in said(kb.build(book, path, lang="ja"))
    assert "language" not in said(kb.build(book, path, lang="en"))
    page = SAMPLE / "mtgwiki" / "hiku.html"
    assert "written in ja" in said(kb.build(page, book.parent / "y.db", lang="en"))
    assert "written in" not in said(kb.build(page, book.parent / "y.db", lang="ja"))


# -- pages of wikis that are called rulebooks ------------------------------------------------------


def test_pages_of_a_wiki_are_no_rulebooks(tmp_path: Path) -> None:
    folder = wiki_page(tmp_path / "pages")
    with pytest.raises(kb.QuestionError, match="a page of a wiki, not a rulebook"):
        kb.build(folder, tmp_path / "x.db", site="rulebook")


def test_a_text_without_rules_names_no_new_game(tmp_path: Path) -> None:
    (tmp_path / "menu.txt").write_text("Menu\n\nEdit\nHistory\nNothing to read.\n", "utf-8")
    report = kb.build(tmp_path / "menu.txt", tmp_path / "x.db", site="rulebook")
    assert "no numbered rules" in said(report) and "no game is named" in said(report)
    with kb.open(report.kb) as base:
        assert [page.id for page in base.nodes("page")] == ["rulebook/rules/cr/undated/en"]


@pytest.mark.parametrize("name", ["\0", "\ud800", "a" * 300, "a" * 100_000])
def test_names_that_no_file_can_have(book: Path, name: str) -> None:
    with pytest.raises(kb.QuestionError, match="give the name of a file") as error:
        kb.build(book, name)
    assert len(str(error.value)) < 250
    str(error.value).encode()


def test_what_is_called_is_a_function(book: Path, tmp_path: Path) -> None:
    for name in ("progress", "say"):
        with pytest.raises(kb.QuestionError, match=f"{name} is 5; give a function"):
            kb.build(book, tmp_path / "x.db", **{name: 5})  # type: ignore[arg-type]
        with pytest.raises(kb.SourceError, match=f"{name} is 5; give a function"):
            kb.crawl(["http://0/"], tmp_path / "x", **{name: 5})  # type: ignore[arg-type]
    assert not (tmp_path / "x.db").exists()


# -- the words of Python and those of the command line ---------------------------------------------


@pytest.mark.slow
def test_messages_speak_as_the_person_does(tmp_path: Path) -> None:
    folder, path = wiki_page(tmp_path / "pages"), tmp_path / "x.db"
    kb.build(folder, path)
    with pytest.raises(kb.BuildError) as error:
        kb.build(kb=path)
    assert "--" not in str(error.value) and "again=True" in str(error.value)
    done = sansho("build", "--kb", path)
    assert done.returncode == 2 and "--again" in done.stderr and "True" not in done.stderr
    assert "…" not in done.stderr


@pytest.mark.slow
def test_warnings_of_parsers_name_options(tmp_path: Path) -> None:
    """On the terminal, in what they say from beginning to end; and what files are called stays."""
    folder = tmp_path / "game=…, again=True"
    folder.mkdir()
    (folder / 'site="x" --max 40.txt').write_text("ドロー\n\n カードを引くこと。\n", "utf-8")
    done = sansho("build", folder, "--kb", tmp_path / "x.db")
    assert f'first: {folder}/site="x" --max 40.txt: a text of no kind' in done.stderr
    assert done.stderr.endswith("left out (hint: --site)\n")


@pytest.mark.slow
def test_what_parsers_ask_for_is_asked_as_options(tmp_path: Path) -> None:
    """What a warning names as a hint is kept in the file, and an option on the terminal."""
    folder = tmp_path / "x"
    (folder / "books").mkdir(parents=True)
    rules = BOOK.partition("\n\n")[2]
    (folder / "books" / "nameless.txt").write_text(rules, "utf-8")
    (folder / "books" / "dated.txt").write_text(f"Updated: 3/4/2026\n\n{rules}", "utf-8")
    (folder / "draw.txt").write_text("ドロー\n\n カードを引くこと。\n", "utf-8")
    (folder / "x.html").write_text("<html><body><p>カードを引くこと。</body></html>", "utf-8")
    (folder / "names.csv").write_text("ja,en\n引く,Draw\n手札,Hand\n", "utf-8")
    (folder / "manifest.jsonl").write_text(json.dumps({"file": "names.csv", "game": "mtg"}))
    path = tmp_path / "x.db"
    warnings = kb.build(folder, path).warnings
    done = sansho("audit", "--kb", path)
    asked = {hint for each in warnings for hint in each.hints}
    assert asked == {"site", "game", "edition", "names"}, warnings
    with kb.open(path) as base:
        assert base.audit().warnings == warnings
    assert not re.search(r"\b(?:site|game|edition|names)=", done.stdout)
    assert all(f"--{name}" in done.stdout for name in asked)
