"""A rulebook's glossary gives terms, and a term has one node in whatever language it is met."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import kb
from scraper import Hints, Snapshot
from scraper.rulebook.glossary import read_glossaries
from scraper.rulebook.numbering import number_at
from scraper.rulebook.part_headings import part_of_heading
from scraper.sites import rulebook_text
from tests.pages.test_wikitext import export, page_xml
from tests.rulebooks import base_of, base_of_files
from tests.shared_bases import ENGLISH_RULES

RULES = "\n\n".join(f"100.{n}. Rule {n} of this game." for n in range(1, 9))
BOOK = """Demo Game Comprehensive Rules

These rules are effective as of {date}.

Contents
1. General
Glossary

1. General

100. Rules

{rules}

Glossary

Draw
1. To {word} the top card.
2. A game that nobody wins.

Counter
Something put on a card.

Bury (Obsolete)
What is now called something else.

Marker (Obsolete)
An obsolete term for a counter. It stands on old cards.
"""


def book(folder: Path, date: str, word: str) -> Path:
    path = folder / f"{word}.txt"
    path.write_text(BOOK.format(date=date, word=word, rules=RULES), "utf-8")
    return path


def test_entries_become_terms_and_the_newest_speaks(tmp_path: Path) -> None:
    books = [book(tmp_path, "May 1, 2024", "take"), book(tmp_path, "May 2, 2023", "lift")]
    with base_of(books, tmp_path / "kb.db", game="demo") as base:
        [draw, tie] = [node for node in base.show("draw").matches if node.kind == "term"]
        assert (draw.id, draw.text) == ("demo/term/Draw (1)", "1. To take the top card.")
        assert (tie.label, tie.text) == ("Draw", "2. A game that nobody wins.")
        defined = base.refs(draw.id, direction="in", kinds=["defines"]).edges
        assert sorted(edge.evidence.text[:10] for edge in defined) == ["1. To lift", "1. To take"]
        [bury] = [node for node in base.show("Bury").matches if node.kind == "term"]
        assert (bury.label, bury.id) == ("Bury", "demo/term/Bury (Obsolete)")
        marked = [node.id for node in base.show("marker").matches if node.kind == "term"]
        assert marked == ["demo/term/Counter", "demo/term/Marker (Obsolete)"]


def test_an_english_entry_is_the_japanese_term_of_that_name(tmp_path: Path) -> None:
    """But not where two Japanese terms have the name."""
    pages = {
        "引く": "引く/Draw",
        "カウンター": "カウンター/Counter",
        "打ち消す": "打ち消す/Counter",
    }
    for name, heading in pages.items():
        text = f"*{heading} [#top]\n-[[カード]]のこと。~\n''{name}''の説明。~\n"
        stem = name.encode("utf-8").hex().upper()
        (tmp_path / f"{stem}.txt").write_text(text, "utf-8")
    book(tmp_path, "May 1, 2024", "take")
    with base_of([tmp_path], tmp_path / "kb.db", game="demo") as base:
        [draw, tie] = [node for node in base.show("Draw").matches if node.kind == "term"]
        assert (draw.id, draw.lang) == ("demo/term/引く", "ja")
        assert (draw.text, tie.id) == ("1. To take the top card.", "demo/term/Draw (2)")
        ids = {node.id for node in base.show("Counter").matches if node.kind == "term"}
        assert ids == {"demo/term/Counter", "demo/term/カウンター", "demo/term/打ち消す"}


@pytest.mark.slow
@pytest.mark.shared
def test_every_entry_of_the_rulebooks(shared: Path, built: Callable[..., kb.KnowledgeBase]) -> None:
    """As many terms as entries, counted by another way: lines behind an empty line."""
    books = [shared / source for source in ENGLISH_RULES]
    base = built(*books)
    entries: set[str] = set()
    for path in books:
        text = path.read_text("utf-8-sig").replace("\r\n", "\n")
        glossary = text.rpartition("\nGlossary\n")[2].partition("\nCredits\n")[0]
        heads = re.findall(r"(?m)^\n(\S.*)\n(?=\S)", "\n" + glossary)
        entries.update(head.translate(str.maketrans("‘’“”", "''\"\"")) for head in heads)
    ids = {node.id for node in base.nodes("term")}
    assert len({re.sub(r" \(\d\)$", "", one) for one in ids}) == len(entries)
    assert "mtg/term/Counter (2)" in ids and "mtg/term/Library (2)" not in ids
    [trample] = [node for node in base.show("Trample").matches if node.kind == "term"]
    assert trample.text and "702.19" in trample.text


def test_a_redirect_over_a_redirect_names_the_last_page(tmp_path: Path) -> None:
    """And a link to the name between them makes no term of its own."""
    pages = [
        page_xml("引く", "'''引く'''とは、カードを加えること。"),
        page_xml("ドロー", "#REDIRECT [[引く]]"),
        page_xml("ドローする", "#REDIRECT [[ドロー]]"),
        page_xml("手札", "[[ドロー]]して増やす。[[キャントリップ]]も見よ。"),
    ]
    with base_of_files(tmp_path, {"dump.xml": export(*pages)}) as base:
        for name in ("引く", "ドロー", "ドローする"):
            [term] = [node for node in base.show(name).matches if node.kind == "term"]
            assert (term.id, term.label) == ("mtg/term/引く", "引く")
        [unwritten] = [n for n in base.show("キャントリップ").matches if n.kind == "term"]
        assert unwritten.id == "mtg/term/キャントリップ"


def test_one_of_homonymous_entries_is_the_wiki_page_of_the_bare_name(tmp_path: Path) -> None:
    """The one with its English; the other stays a term of its own."""
    page = "*刻印/Engrave [#top]\n-[[カード]]のこと。~\n''刻印''の説明。~\n"
    (tmp_path / f"{'刻印'.encode().hex().upper()}.txt").write_text(page, "utf-8")
    rules = "\n".join(f"1.{n}. 定め{n}。" for n in range(1, 9))
    glossary = (
        "刻印 (Engrave)\n印を刻む行動。\n\n刻印 (Engraving)\n刻まれた印。\n\n札 (Card)\n紙。\n"
    )
    book = f"見本 総合ルール\n2024年3月1日施行\n\n1. 総則\n{rules}\n\n用語集\n\n{glossary}"
    with base_of_files(tmp_path, {"book.txt": book}, game="demo") as base:
        ids = {node.id for node in base.show("刻印").matches if node.kind == "term"}
        assert ids == {"demo/term/刻印", "demo/term/刻印 (Engraving)"}
        [usual] = [node for node in base.show("Engrave").matches if node.kind == "term"]
        assert usual.id == "demo/term/刻印"
        assert base.refs(usual.id, direction="in", kinds=["defines"]).edges


ENTRIES = {"Perch": "Where a card rests.", "Roost": "To put a card down.", "Wing": "A side."}


@pytest.mark.parametrize(
    ("heading", "number", "below"),
    [
        ("2. Glossary", "2.{}. ", "2.{}.1. "),
        ("2. Glossary", "2.{}. ", ""),
        ("Appendix A: Glossary", "A.{}. ", "A.{}.1. "),
    ],
)
def test_a_glossary_of_numbered_rules_gives_rules_and_terms(
    tmp_path: Path, heading: str, number: str, below: str
) -> None:
    """And the rules of the next chapter follow."""
    rules = "\n".join(f"1.{n}. Rule {n}.\n1.{n}.1. More of it." for n in range(1, 9))
    lines = [
        f"{number.format(n)}{name}\n{below.format(n)}{gloss}"
        for n, (name, gloss) in enumerate(ENTRIES.items(), 1)
    ]
    text = f"Demo Rules\n\n1. General\n{rules}\n{heading}\n" + "\n".join(lines)
    if heading[0].isdigit():
        text += "\n3. End\n3.1. Who has no card loses.\n"
    with base_of_files(tmp_path, {"book.txt": text}, site="rulebook", game="demo") as base:
        assert {term.label: term.text for term in base.nodes("term")} == ENTRIES
        numbers = {rule.number for rule in base.nodes("rule")}
        expected = {template.format(n).rstrip(". ") for template in (number, below) for n in (1, 3)}
        assert expected - {""} <= numbers and ("3.1" in numbers) == heading[0].isdigit()


def test_a_section_named_glossary_ends_at_the_next_section() -> None:
    rules = "\n".join(f"7.{n}. Rule {n}.\n7.{n}.1. More of it." for n in range(1, 5))
    text = f"Demo\n\n7. Words\n{rules}\n7.5. Glossary\nPerch\nA rest.\nRoost\nA sleep.\n"
    text += "7.6. Further\n7.6.1. Nothing else.\n7.6.2. Really.\n"
    [page] = rulebook_text.read(Snapshot("book.txt", b"", hints=Hints()), text)
    numbers = [p.rule.number for p in page.passages if p.rule]
    assert numbers[-4:] == ["7.5", "7.6", "7.6.1", "7.6.2"]
    assert [p.text for p in page.passages if p.kind == "entry"] == ["Perch", "Roost"]


@pytest.mark.parametrize(
    "heading",
    [
        "## Glossary", "**Glossary**", "12. Glossary", "第12章 用語集", "付録B 用語集",
        "Appendix A: Glossary", "Glossary of Terms", "用語集（五十音順）", "Glossary (A–Z)",
        "■用語集■", "【用語解説】", "- Glossary -", "附录A 词汇表", "用語集 / Glossary", "用 語 集",
        "Glossary:", "ゲーム用語集", "Appendix – Glossary of Game Terms", "# 3. Glossary",
    ],
)  # fmt: skip
def test_headings_of_glossaries(heading: str) -> None:
    assert part_of_heading(heading) == "glossary"
    text = f"Demo\n\n1. General\n{RULES}\n\n{heading}\n\nPerch\nA rest.\n\nRoost\nA sleep.\n"
    [page] = rulebook_text.read(Snapshot("book.txt", b"", hints=Hints()), text)
    assert [p.text for p in page.passages if p.kind == "entry"] == ["Perch", "Roost"]
    assert [p.kind for p in page.passages if p.text == heading] == ["heading"]


@pytest.mark.parametrize(
    "line", ["rules glossary", "See the Glossary.", "a glossary of", "用語集を参照", "用語集に", ""]
)
def test_lines_that_head_no_part(line: str) -> None:
    assert part_of_heading(line) is None


def test_only_the_rules_of_a_glossary_are_its_entries() -> None:
    lines = [
        *("2. Turns", "2.1. Dawn: A turn begins.", "2.2. Dusk: A turn ends."),
        *("3. Glossary", "3.1. Draw: To take.", "3.2. Hand: What is taken."),
    ]
    rules = {n: found for n, line in enumerate(lines) if (found := number_at(line, n))}
    pieces = read_glossaries(lines, (), {0: "chapter", 3: "glossary"}, rules, None)
    assert [piece.text for piece in pieces[4]] == ["3.1. Draw:", "To take."]
    assert not pieces.keys() & {1, 2}
