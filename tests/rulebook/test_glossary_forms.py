"""Glossaries in every form: which lines are headwords, and what the headwords say."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.knowledge.glossary import parse_heads
from scraper import Hints, Page, Snapshot
from scraper.page import text_size
from scraper.rulebook.glossary import glossary_pieces
from scraper.rulebook.page_layout import join_lines
from scraper.sites import rulebook_text
from tests.rulebooks import base_of, base_of_files

_Row = tuple[str, ...]


def _cases() -> dict[str, tuple[str, str, str]]:
    """The cases of `gold/glossaries.txt` by their forms: language, text and table."""
    cases = {}
    text = (Path(__file__).parents[1] / "gold/glossaries.txt").read_text("utf-8")
    for case in text.split("\n=== ")[1:]:
        title, _, body = case.partition("\n")
        lang, _, form = title.partition(": ")
        printed, _, table = body.partition("\n>>>\n")
        cases[form] = (lang, printed + "\n", table.strip("\n"))
    return cases


CASES = _cases()


def read_entries(text: str) -> list[tuple[str, list[str]]]:
    """The headwords of a glossary as printed, each with its glosses."""
    lines = ["Glossary", *text.splitlines()]
    passages: list[tuple[str, list[str]]] = []
    for pieces in glossary_pieces(lines, (), {0: "glossary"}, (), None).values():
        for piece in pieces:
            if piece.continues:
                passages[-1][1].append(piece.text)
            else:
                passages.append((piece.kind, [piece.text]))
    entries: list[tuple[str, list[str]]] = []
    for kind, texts in passages:
        if kind == "entry":
            entries.append((join_lines(texts), []))
        elif kind == "gloss":
            entries[-1][1].append(join_lines(texts))
    return entries


def table_of(lang: str, text: str) -> list[_Row]:
    """What is read of a glossary: a row an entry, as in the tables of `gold/glossaries.txt`."""
    entries = read_entries(text)
    heads = parse_heads([entry for entry, _ in entries], [glosses for _, glosses in entries], lang)
    rows = []
    for head, (_, glosses) in zip(heads, entries, strict=True):
        name = head.headword
        gloss = " / ".join(glosses[head.glosses_of_names :])[head.gloss_start :]
        parts = (name.label, name.reading, name.english, ";".join(head.others), gloss)
        rows.append(tuple(part or "-" for part in parts))
    return rows


@pytest.mark.parametrize("form", CASES)
def test_form(form: str) -> None:
    lang, text, table = CASES[form]
    assert table_of(lang, text) == [tuple(row.split(" | ", 4)) for row in table.splitlines()]


def test_there_are_sixty_headwords() -> None:
    sizes = dict.fromkeys(("ja", "en", "zh", "de"), 0)
    for lang, _, table in CASES.values():
        sizes[lang] += len(table.splitlines())
    assert all(sizes[lang] >= 20 for lang in ("ja", "en", "zh")) and sum(sizes.values()) >= 60, (
        sizes
    )


RULES = "\n".join(f"1.{n}. 定め{n}。" for n in range(1, 9))


def read(text: str) -> Page:
    return rulebook_text.read(Snapshot("book.txt", text.encode(), hints=Hints()), text)[0]


@pytest.mark.parametrize("form", CASES)
def test_a_book_keeps_every_line(form: str) -> None:
    """Every line of the glossary is in one passage, and its letters are headings."""
    lang, text, table = CASES[form]
    heading = {"ja": "用語集", "en": "Glossary", "zh": "词汇表", "de": "Glossar"}[lang]
    page = read(f"見本 総合ルール\n2024年3月1日施行\n\n1. 総則\n{RULES}\n\n{heading}\n{text}")
    assert page.lost == 0
    start = next(n for n, p in enumerate(page.passages) if p.text == heading)
    passages = page.passages[start + 1 :]
    assert sum(text_size(p.text) for p in passages) == text_size(text)
    assert {p.kind for p in passages} <= {"entry", "gloss", "heading"}
    assert sum(p.kind == "entry" for p in passages) == len(table.splitlines())
    entry = -1
    for n, passage in enumerate(page.passages):
        entry = n if passage.kind == "entry" else entry
        assert passage.kind != "gloss" or passage.parent == entry


def test_terms_of_a_japanese_glossary(tmp_path: Path) -> None:
    _, text, table = CASES["blank lines, readings, English before the gloss"]
    rules = f"1. 総則\n{RULES}\n3. 行動\n3.2. 刻む。"
    book = f"見本 総合ルール\n2024年3月1日施行\n\n{rules}\n\n用語集\n\n{text}"
    with base_of_files(
        tmp_path, {"book.txt": book}, site="rulebook", game="demo", lang="ja"
    ) as base:
        terms = {node.id: node for node in base.nodes("term")}
        rows = [tuple(row.split(" | ", 4)) for row in table.splitlines()]
        found = {(term.label, term.reading) for term in terms.values()}
        assert {row[:2] for row in rows} <= found
        assert "demo/term/刻印 (Engrave)" in terms and "demo/term/刻印 (Engraving)" in terms
        assert terms["demo/term/エンジン点火!"].text == "速さの無い対戦者に速さを与える。"
        [named] = [node for node in base.show("様式").matches if node.kind == "term"]
        assert named.label == "様式を持つ"
        names = {(name.lang, name.text) for name in named.labels}
        assert {("ja", "様式"), ("en", "Modal"), ("en", "Mode")} <= names
        [owner] = [node for node in base.show("Owner").matches if node.kind == "term"]
        assert owner.id == "demo/term/オーナー" and owner.lang == "ja"
        [defined] = base.refs("demo/term/刻印 (Engrave)", direction="in", kinds=["defines"]).edges
        [cited] = base.refs("demo/cr/20240301/ja/3.2", direction="in", kinds=["cites"]).edges
        assert cited.source == defined.source and cited.evidence.text == "3.2"


def test_terms_of_a_chinese_glossary(tmp_path: Path) -> None:
    """A Chinese headword is the English term of the English that stands with it."""
    _, text, table = CASES["Chinese and English, blank lines"]
    rules = "1. 总则\n" + "\n".join(f"1.{n}. 牌手在回合中进行动作。" for n in range(1, 9))
    (tmp_path / "zh.txt").write_text(f"样本\n2024年3月1日\n\n{rules}\n\n词汇表\n\n{text}", "utf-8")
    english = "1. General\n" + "\n".join(f"1.{n}. Rule {n}." for n in range(1, 9))
    english += "\n\nGlossary\n\nGraveyard\nA place.\n\nHand\nMore.\n"
    (tmp_path / "en.txt").write_text(f"Sample\n\n{english}", "utf-8")
    with base_of(
        [tmp_path / "zh.txt", tmp_path / "en.txt"], tmp_path / "kb.db", game="demo"
    ) as base:
        terms = {node.id: node for node in base.nodes("term")}
        labels = {row.split(" | ")[0] for row in table.splitlines()}
        assert labels | {"Hand"} == {term.label for term in terms.values()}
        [graveyard] = [node for node in base.show("Graveyard").matches if node.kind == "term"]
        assert graveyard.id == "demo/term/Graveyard"
        names = {(name.lang, name.text) for name in graveyard.labels}
        assert {("zh", "坟墓场"), ("en", "Graveyard")} <= names


def test_a_japanese_gloss_describes_before_the_english_one_of_its_edition(tmp_path: Path) -> None:
    """And two English headwords never become one term."""
    japanese = "刻印 (Engrave)\n印を刻むこと。\n\n裏向き (Face Down)\n表が見えないこと。\n"
    english = "Engrave\nTo cut.\n\nEngraving\nA cut.\n\nFace Down\nNot seen.\n"
    rules = "1. General\n" + "\n".join(f"1.{n}. Rule {n}." for n in range(1, 9))
    date = "2024-03-01"
    with base_of_files(
        tmp_path,
        {
            "ja.txt": f"見本\n{date}施行\n\n1. 総則\n{RULES}\n\n用語集\n\n{japanese}",
            "en.txt": f"Demo\nEffective {date}\n\n{rules}\n\nGlossary\n\n{english}",
        },
        game="demo",
    ) as base:
        terms = {node.id: node for node in base.nodes("term")}
        assert set(terms) == {"demo/term/刻印", "demo/term/裏向き", "demo/term/Engraving"}
        assert terms["demo/term/刻印"].text == "印を刻むこと。"


def test_a_glossary_that_is_not_understood_is_a_warning() -> None:
    prose = "Whoever looks for a word finds it in the text that explains it at length. " * 60
    rules = f"Demo\n\n1. General\n{RULES}\n\n"
    assert "glossary" in {w.where for w in read(f"{rules}Glossary\n\nPerch\n{prose}\n").warnings}
    paragraphs = "\n".join([prose[:150]] * 6)
    assert "glossary" in {w.where for w in read(f"{rules}Glossary\n{paragraphs}\n").warnings}
    fine = read(f"{rules}Glossary\n\nPerch\nA rest.\n").warnings
    assert "glossary" not in {w.where for w in fine}


UNPUNCTUATED = [
    ("Drift", "To move a card from the jetty to the harbour and back"),
    ("Ember Row", "The place where cards of the kiln are kept face down in any order"),
    ("Gale", "A mark that does nothing by itself but other cards count it"),
    ("Harrow Cost", "What a player pays to use the harrow unless another card says otherwise"),
    ("Kiln", "Short for a card of the kiln"),
    ("Lantern", "See Ember Row"),
]
LAYOUTS = ["{0}\n{1}", "{0}: {1}", "{0} – {1}", "{0}   {1}", "■{0}\n{1}", "{0}:\n{1}", "【{0}】{1}"]


@pytest.mark.parametrize("columns", [34, 44, 60, 200])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_small_glossaries_without_full_stops_in_broken_lines(layout: str, columns: int) -> None:
    text = "\n".join(
        "\n".join(textwrap.wrap(line, columns))
        for entry in UNPUNCTUATED
        for line in layout.format(*entry).replace("   ", "\u2003" * 3).split("\n")
    ).replace("\u2003", " ")
    heads = [head.strip("■【】:– ") for head, _ in read_entries(text)]
    assert heads == [name for name, _ in UNPUNCTUATED]


def test_a_reference_to_another_entry_is_no_headword() -> None:
    """Though it is as short as one, and glosses end in no full stop."""
    text = "\n".join(f"{name}\n{gloss}\nSee {UNPUNCTUATED[-1][0]}" for name, gloss in UNPUNCTUATED)
    assert [head for head, _ in read_entries(text)] == [name for name, _ in UNPUNCTUATED]


@pytest.mark.parametrize(
    "titles", ["| Term | Meaning |\n|---|:---|", "| 用語 | 意味 |", "Term\tDefinition"]
)
def test_titles_of_columns_are_no_entries(titles: str) -> None:
    row = "{0}\t{1}" if "\t" in titles else "| {0} | {1} |"
    text = titles + "\n" + "\n".join(row.format(*entry) for entry in UNPUNCTUATED)
    assert [head.strip("| ") for head, _ in read_entries(text)] == [n for n, _ in UNPUNCTUATED]


LINES = st.lists(
    st.text(st.sampled_from("AaZ あア漢。.:：-—()（）【】[]1①/、\t　\u3000■・“”行"), max_size=24),
    max_size=30,
)


@given(LINES, st.sampled_from([None, 20, 80]))
def test_any_lines(lines: list[str], edge: int | None) -> None:
    """Every line is read, with all of its letters; no headword is too odd to be parsed."""
    pieces = glossary_pieces(["Glossary", *lines], (), {0: "glossary"}, (), edge)
    texts = [piece.text for of_line in pieces.values() for piece in of_line]
    assert list(map(text_size, map("".join, zip(texts)))) == list(map(text_size, texts))
    assert sum(map(text_size, texts)) == sum(map(text_size, lines))
    for lang in ("ja", "en", "zh"):
        heads = parse_heads(texts, [[text, text] for text in texts], lang)
        assert len(heads) == len(texts) and all(head.headword.label for head in heads)


@pytest.mark.slow
def test_a_long_glossary_takes_linear_time() -> None:
    lines = [f"Head {n}\nGloss of the head {n}." for n in range(4000)]
    assert len(read_entries("\n".join(lines))) == 4000
    hostile = [
        f"a{sign * 9000}b" for sign in ("（X）", "(x)", "/", "、", "[", " ", "-", "“a”", "“")
    ]
    assert len(parse_heads(hostile, [[]] * len(hostile))) == len(hostile)
    assert read_entries("\n".join(line for sign in hostile for line in [sign, "x."] * 9))


def corpus_entries(path: Path) -> list[str]:
    return [p.text for p in read(path.read_text("utf-8-sig")).passages if p.kind == "entry"]


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("lorcana-cr-en/comprehensive-rules-en.20251031.txt", "UPDATE SUMMARY"),
        ("rulebooks-more/lorcana-comprehensive-rules-2.2.0.en.txt", "  Update Summary"),
    ],
)
def test_glossaries_without_blank_lines(shared: Path, name: str, end: str) -> None:
    """Headwords counted by another way: short lines without a full stop between sentences."""
    path = shared / "corpora" / name
    text = re.split(r"(?im)^ *glossary$", path.read_text("utf-8-sig"))[1].partition(f"\n{end}\n")[0]
    lines = [line.strip() for line in text.splitlines()]
    lines = [n for n in lines if n and not re.match(r"disneylorcana|©Disney|Based on the", n)]
    heads = {
        line
        for before, line in zip([".", *lines], lines, strict=False)
        if len(line) < 50 and not line.endswith((".", ".”", ")")) and before[-1] in ".”)"
        if not line.startswith("“[")
    }
    found = corpus_entries(path)
    assert len(found) == len(set(found)) and set(found) == heads and len(heads) > 80
