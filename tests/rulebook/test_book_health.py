"""What may have been lost of a rulebook is said: good books are silent, damaged ones are not."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from time import process_time

import pytest

from scraper import Hints, Snapshot
from scraper.sites import rulebook_text

_BOOKS = (
    "mtg-cr-en/*.txt", "mtg-cr-en-middle/*.txt", "mtg-cr-en-older/*.txt", "mtg-cr-ja/*.txt",
    "lorcana-cr-en/*.txt", "lorcana-cr-ja/*.txt", "lorcana-cr-ja-editions/*.txt",
    "rulebooks-more/*.txt", "rulebooks-third/lorcana-comp*.txt",
)  # fmt: skip
_CHAPTERS = 6


def problems(text: str) -> list[str]:
    page = rulebook_text.read(Snapshot("book.txt", text.encode(), hints=Hints()), text)[0]
    return [warning.what for warning in page.warnings if warning.where == "numbering"]


def book() -> str:
    """A rulebook of six chapters whose rules cite each other."""
    lines = ["Sample Card Game Comprehensive Rules", ""]
    for chapter in range(1, _CHAPTERS + 1):
        lines.append(f"{chapter}. Part {'ABCDEF'[chapter - 1]}")
        for section in range(1, 5):
            lines.append(f"{chapter}.{section}. Section {'abcd'[section - 1]}")
            lines += [
                f"{chapter}.{section}.{rule}. A player draws a card, see rule "
                f"{chapter % _CHAPTERS + 1}.{section}.{rule}."
                for rule in range(1, 7)
            ]
    return "\n".join(lines) + "\n"


def test_a_good_book_is_silent() -> None:
    assert not problems(book())


def _without(pattern: str) -> Callable[[str], str]:
    return lambda text: re.sub(pattern, "", text, flags=re.MULTILINE)


def _with_letters(text: str) -> str:
    """Letters that look like digits, as recognition of a printed page gives them."""
    return re.sub(
        r"(?m)^([34])\.(\d)\.([16])\.", lambda m: f"{m[1]}.{m[2]}.{'lO'[m[3] == '6']}.", text
    )


def _swapped(text: str) -> str:
    """Two pages in the wrong order."""
    lines = text.splitlines()
    return "\n".join([*lines[:40], *lines[80:120], *lines[40:80], *lines[120:]]) + "\n"


@pytest.mark.parametrize(
    ("damage", "place"),
    [
        (_without(r"^3\..*\n"), "2.4.6 → 4"),
        (_without(r"^4\.2\.[2-4].*\n"), "4.2.1 → 4.2.5"),
        (_without(r"^[2-5]\.\d\.\d\. "), "line 5: 2.1.1"),
        (_with_letters, "where letters stand for digits: 8 (line 63: 3.1.1"),
        (_swapped, "line"),
    ],
)  # fmt: skip
def test_a_damaged_book_is_not(damage: Callable[[str], str], place: str) -> None:
    assert place in " ".join(problems(damage(book())))


def test_what_only_the_contents_have_is_missing_at_either_end() -> None:
    contents = "\n".join(f"{n}. Part {'ABCDEF'[n - 1]}" for n in range(1, _CHAPTERS + 1))
    text = book().replace("\n\n", f"\n\nContents\n{contents}\n\n", 1)
    assert not problems(text)
    without_last = re.sub(r"(?m)^6\.\d.*\n|6\. Part F\n(?=6)", "", text)
    missing = "contents that the book does not have: 1 (line 9: 6)"
    assert any(missing in what for what in problems(without_last))


def test_numbers_below_the_heading_of_a_glossary() -> None:
    text = book().replace("4.2. Section b", "4.2. Glossary\nDraw\nTo take a card.", 1)
    text = re.sub(r"(?m)^(?:4\.2\.\d|4\.3|5|6)\. .*\n", "", text)
    assert any("below the heading of a glossary" in what for what in problems(text))


def test_a_section_that_the_author_left_out_is_none() -> None:
    """Nothing in the book speaks of it."""
    text = _without(r"^3\..*\n")(book())
    assert not problems(re.sub(r"rule 3\.", "rule 2.", text))


def test_an_excerpt_may_jump() -> None:
    text = _without(r"^[14]\.2.*\n")(book())
    assert problems(text) and not problems(text.replace("\n\n", "\nAn excerpt.\n\n", 1))


@pytest.mark.slow
def test_no_text_takes_a_time_without_bound() -> None:
    """Each of these took the square of its length, or longer."""
    hostile = (
        book().replace("a card", f"1.1{'a' * 60}A", 1),
        book() + "1.1.1. A card.\n" * 20_000,
        "Glossary\n" * 20_000 + book(),
        book() + "9.9.9\n" * 20_000,
    )
    for text in hostile:
        begun = process_time()
        problems(text)
        assert process_time() - begun < 20


def test_a_rule_without_end() -> None:
    text = book().replace("5.2.3. A player", "5.2.3. A player " + "moves on and " * 600)
    assert ": 5.2.3)" in problems(text)[0]


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.parametrize("books", _BOOKS)
def test_good_books(shared: Path, books: str) -> None:
    found = {
        path.name: problems(path.read_text("utf-8-sig"))
        for path in (shared / "corpora").glob(books)
    }
    assert found
    assert not {what for problem in found.values() for what in problem if "among" not in what}


@pytest.mark.shared
def test_a_column_whose_numbers_did_not_come_out(shared: Path) -> None:
    text = next((shared / "corpora").glob("rulebooks-third/force*.txt")).read_text("utf-8-sig")
    assert any("line 1771: 604.1b" in what for what in problems(text))


@pytest.mark.slow
@pytest.mark.shared
def test_rules_that_are_gone_from_a_good_book_are_told(shared: Path) -> None:
    """Twenty lines that begin with numbers are cut out of a book's middle: mostly a number is cited
    or jumps, but not where the last rules of sections are gone."""
    text = next((shared / "corpora/lorcana-cr-en").glob("*.txt")).read_text("utf-8-sig")
    lines = text.splitlines()
    numbered = [n for n, line in enumerate(lines) if re.match(r"\s*\d+\.\d+\.\d+\.", line)]
    told = 0
    for seed in range(8):
        start = Random(seed).randrange(100, len(numbered) - 100)
        gone = set(numbered[start : start + 20])
        told += bool(problems("\n".join(line for n, line in enumerate(lines) if n not in gone)))
    assert told >= 6
