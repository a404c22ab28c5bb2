"""A rulebook in several files, such as a chapter each, is one book."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import kb
from scraper import Hints, Page, ReadWarning, Snapshot, read_pages, snapshots
from scraper.sources import files_read_together
from tests.rulebooks import base_of, base_of_files

_CHAPTERS = 5
_NUMBER = re.compile(
    r"(?m)^[#\s]*(\d{3})(?:\.\s?(\d{1,2}))?\s?([a-zA-Z])?(?=[.\s「（《ぁ-ヶ一-龠])"
)


def chapter(number: int, word: str = "card") -> str:
    rules = [
        f"{number}.1.{rule}. A player draws a {word} by rule {rule}.1.1." for rule in (1, 2, 3)
    ]
    return "\n".join([f"{number}. Chapter", f"{number}.1. Section", *rules]) + "\n"


def write(folder: Path, names: str = "{}-chapter.md") -> Path:
    folder.mkdir()
    for number in range(1, _CHAPTERS + 1):
        text = chapter(number)
        if number == 1:
            text = f"Harbour Comprehensive Rules\n2030-01-02\n\n{text}"
        elif number == 3:
            text = f"---\nname: three\n---\n{text}"
        (folder / names.format(number)).write_text(text, encoding="utf-8")
    return folder


def read(folder: Path, game: str | None = None) -> tuple[list[Page], list[str]]:
    """The pages of a folder, and the warnings."""
    pages, warnings = [], []
    for found in snapshots(folder, Hints(game=game)):
        if isinstance(found, Snapshot):
            of_file, of_pages = read_pages(found)
            pages += of_file
            warnings += [warning.what for warning in of_pages]
        elif isinstance(found, ReadWarning):
            warnings.append(found.what)
    return pages, warnings


@pytest.mark.parametrize("names", ["{}-chapter.md", "part {}.txt"])
def test_a_chapter_a_file(names: str, tmp_path: Path) -> None:
    folder = write(tmp_path / "book", names)
    (folder / "README.md").write_text("How this was made: 1. with care, 2. in haste.\n")
    with base_of([folder], tmp_path / "x.db") as base:
        [book] = base.stats().rulebooks
        assert (book.edition, book.rules) == ("20300102", 5 * _CHAPTERS)
        assert base.show("5.1.3").matches
        assert len(base.refs("3.1.1", direction="in", kinds=["cites"])) == _CHAPTERS
        assert any("5 files whose numbers continue" in w.what for w in base.audit().warnings)


def test_contents_may_be_a_file_and_numbers_alone_or_glued(tmp_path: Path) -> None:
    """The contents of the title page have the numbers of all other files."""
    folder = write(tmp_path / "book", "0{}-chapter.txt")
    contents = "\n".join(f"{n}. Chapter\n{n}.1 Section" for n in range(1, _CHAPTERS + 1))
    title = "Harbour Comprehensive Rules\n2030-01-02\n"
    (folder / "00-title.txt").write_text(f"{title}\nContents\n\n{contents}\n", encoding="utf-8")
    alone, glued = (folder / f"0{n}-chapter.txt" for n in (2, 3))
    alone.write_text(re.sub(r"(?m)^(\d\.1\.?\d?)\.? ", r"\1\n", chapter(2)), encoding="utf-8")
    glued.write_text(re.sub(r"(?m)^(\d\.1\.\d)\. A", r"\1「A」", chapter(3)), encoding="utf-8")
    with base_of([folder], tmp_path / "x.db") as base:
        [book] = base.stats().rulebooks
        assert (book.game, book.edition, book.rules) == ("harbour", "20300102", 5 * _CHAPTERS)


def test_a_title_page_and_a_glossary_may_be_files_too(tmp_path: Path) -> None:
    folder = tmp_path / "book"
    numerals = ("I", "II", "III", "IV", "V")
    files = {"0-title.md": "# Harbour\nComprehensive Rules, 2 January 2030\n"}
    for place, numeral in enumerate(numerals, 1):
        rules = re.sub(rf"(?m)^{place}\.", f"{numeral}.", chapter(place).partition("\n")[2])
        files[f"{place}-part.md"] = f"# Chapter {numeral}: Part\n\n{rules}I.1 ; so it is.\n"
    files["6-words.md"] = "# Glossary\n\n**Sail**\n\nWhat moves a ship.\n"
    files["notes.md"] = "Nothing to see.\n"
    folder.mkdir()
    with base_of_files(folder, files) as base:
        [book] = base.stats().rulebooks
        assert (book.game, book.edition, book.rules) == ("harbour", "20300102", 5 * _CHAPTERS)
        assert base.show("Sail").matches and base.show("V.1.3").matches


def test_parts_are_known_by_their_first_lines(tmp_path: Path) -> None:
    """A title page, a history whose numbers are those of rules, and links to the next file."""
    folder = write(tmp_path / "book", "{}-chapter.md")
    links = "\n---\n\n[← Before](0.md) | [Contents](README.md) | [Next →](2.md)\n"
    for path in folder.iterdir():
        text = path.read_text("utf-8").replace("Harbour Comprehensive Rules\n2030-01-02\n", "")
        path.write_text(re.sub(r"(?m)^(\d\. )", r"# \1", text) + links, "utf-8")
    (folder / "README.md").write_text("# Harbour Complete Rules\n\nEffective 2030-03-04\n", "utf-8")
    history = "# Change log\n\n- 2029-01-01\n**1.1.1.** New.\n**5.1.2.** New.\n"
    (folder / "news.md").write_text(history, "utf-8")
    (folder / "thanks.md").write_text("We thank 2 harbours.\n", "utf-8")
    with base_of([folder], tmp_path / "x.db") as base:
        [book] = base.stats().rulebooks
        assert (book.game, book.edition, book.rules) == ("harbour", "20300304", 5 * _CHAPTERS)
        [shown] = base.show("2.1.3").matches
        assert shown.text == "A player draws a card by rule 3.1.1."
        assert not base.search("Next").hits


def test_what_changes_in_a_part_changes_in_the_book(tmp_path: Path) -> None:
    folder = write(tmp_path / "book")
    kb.build([folder], tmp_path / "x.db")
    (folder / "4-chapter.md").write_text(chapter(4, "sail"), encoding="utf-8")
    kb.build([folder], tmp_path / "x.db")
    with kb.open(tmp_path / "x.db") as base:
        for number, word in ((4, "sail"), (5, "card")):
            [rule] = base.show(f"{number}.1.1").matches
            assert word in (rule.text or "")


def test_no_group_divides_a_book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path / "book")
    monkeypatch.setattr(files_read_together, "_ends_group", lambda name: True)
    [group] = files_read_together.file_groups(folder)
    assert isinstance(group, files_read_together.FileGroup)
    found = list(files_read_together.read_group(group, Hints()))
    assert len(found) == 2 and found[1].where == str(folder)


@pytest.mark.parametrize(
    "second",
    [
        f"Island Rules\n2031-01-02\n{chapter(2)}",  # another edition
        "2. 章\n2.1. 札\n2.1.1. カードを引く。\n2.1.2. カードを捨てる。\n",  # another language
        chapter(4),  # what is between is missing
        chapter(1, "deck"),  # the same numbers
        "201. Words\n201.1. A word is one.\n201.2. A name is one.\n",  # other numbers
    ],
)
def test_what_is_no_part(second: str, tmp_path: Path) -> None:
    first = tmp_path / "1.md"
    first.write_text(f"Harbour Rules\n2030-01-02\n{chapter(1)}")
    (tmp_path / "2.md").write_text(second)
    assert not any("continue each" in what for what in read(tmp_path)[1])
    (tmp_path / "2.md").write_text(chapter(2))
    assert any("continue each" in what for what in read(tmp_path)[1])


@pytest.mark.shared
def test_duel_masters_in_chapters(shared: Path) -> None:
    """Told apart from the parser: the numbers that the lines begin with."""
    folder = shared / "corpora/rulebooks-third/dm-chapters"
    [page], _ = read(folder, "dm")
    wanted = set()
    for path in folder.iterdir():
        for match in _NUMBER.finditer(path.read_text("utf-8")):
            number = match[1] + (f".{match[2]}" if match[2] else "") + (match[3] or "").lower()
            wanted.add(number)
    found = {passage.rule.number for passage in page.passages if passage.rule}
    assert len(wanted - found) <= 0.01 * len(wanted) and len(wanted) > 600
