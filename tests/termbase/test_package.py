"""A new edition as a translator gets it: what is filled in, rewritten, marked; and the way back."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree

import kb
from kb.termbase.edition_translation import WorkUnit, edition_work
from tests.commands import printed
from tests.rulebooks import write_books

OLD = """
1. Boats
1.1. A boat carries up to three crates.
1.2. Whenever a boat sinks, its skipper puts its crates into the hold. See rule 2.2.
1.3. The skipper of the fastest boat takes two coins from the chest.
Example: The Heron is the fastest boat. Its skipper takes two coins.
2. Anchors
2.1. An anchored boat can't sail until its skipper raises the anchor.
2.2. Crates in the hold are wet.
"""
OLD_JA = """
1. 舟
1.1. 舟は木箱を最大3つまで運ぶ。
1.2. 舟が沈むたび、その船長は木箱を船倉に置く。rule 2.2 参照。
1.3. 最も速い舟の船長は宝箱から硬貨2枚を得る。
例：鷺が最も速い舟である。その船長は硬貨2枚を得る。
2. 錨
2.1. 錨を下ろした舟は、船長が錨を上げるまで航行できない。
2.2. 船倉の木箱は濡れている。
"""
NEW = """
1. Boats
1.1. A boat carries up to three crates.
1.2. Whenever a boat sinks, its skipper puts its crates into the hold. See rule 2.3.
1.3. The skipper of the fastest boat takes three coins from the chest.
Example: The Heron is the fastest boat. Its skipper takes two coins.
2. Anchors
2.1. An anchored boat can't sail until its skipper raises the anchor.
2.2. A boat with <two> anchors & no skipper stays where it is.
2.3. Crates in the hold are wet.
"""
LANGS = ("en", "ja")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[kb.KnowledgeBase]:
    folder = tmp_path_factory.mktemp("boats")
    books = {("20250101", "en"): OLD, ("20250101", "ja"): OLD_JA, ("20260101", "en"): NEW}
    kb.build([write_books(folder / "books", books)], folder / "kb.db", game="harbour")
    with kb.open(folder / "kb.db") as opened:
        yield opened


@pytest.fixture(scope="module")
def units(base: kb.KnowledgeBase) -> dict[str, WorkUnit]:
    work = edition_work(base._store, "20260101", "20250101", LANGS)
    return {unit.id: unit for unit in work.units}


def test_what_stayed_keeps_its_translation(units: dict[str, WorkUnit]) -> None:
    for number, target in (("1.1", "舟は木箱を最大3つまで運ぶ。"), ("2", "錨")):
        assert (units[number].kind, units[number].state) == ("same", "final")
        assert units[number].target == target
    moved = units["2.3"]
    assert (moved.kind, moved.state, moved.target) == ("moved", "final", "船倉の木箱は濡れている。")
    assert units["1.3.example-1"].state == "final"


def test_numbers_of_cited_rules_are_rewritten_in_the_translation(
    units: dict[str, WorkUnit],
) -> None:
    unit = units["1.2"]
    assert (unit.kind, unit.state) == ("renumbered", "final")
    assert unit.target == "舟が沈むたび、その船長は木箱を船倉に置く。rule 2.3 参照。"


def test_what_changed_has_the_text_before_beside_it(units: dict[str, WorkUnit]) -> None:
    unit = units["1.3"]
    assert (unit.kind, unit.state) == ("changed", "needs-review")
    assert unit.target == unit.old_target == "最も速い舟の船長は宝箱から硬貨2枚を得る。"
    marked = [
        (unit.old_source[start:end], unit.source[new_start:new_end])
        for start, end, new_start, new_end in unit.spans
    ]
    assert marked == [("two", "three")]


def test_what_is_new_has_what_is_most_like_it(units: dict[str, WorkUnit]) -> None:
    unit = units["2.2"]
    assert (unit.kind, unit.state, unit.target) == ("added", "new", "")
    assert unit.near is None or unit.near.score < 1


def test_a_translation_that_alone_cites_what_moved_is_looked_at(tmp_path: Path) -> None:
    japanese = OLD_JA.replace("最大3つまで運ぶ。", "最大3つまで運ぶ。rule 2.2 参照。")
    books = {("20250101", "en"): OLD, ("20250101", "ja"): japanese, ("20260101", "en"): NEW}
    kb.build([write_books(tmp_path / "books", books)], tmp_path / "kb.db", game="harbour")
    with kb.open(tmp_path / "kb.db") as base:
        work = edition_work(base._store, "20260101", "20250101", LANGS)
    unit = next(unit for unit in work.units if unit.id == "1.1")
    assert (unit.state, unit.notes) == (
        "needs-review",
        ("The translation alone cites 2.2 (now 2.3).",),
    )


def made(base: kb.KnowledgeBase, folder: Path) -> kb.PackageReport:
    return base.package("20260101", "20250101", folder, source_lang="en", target_lang="ja")


def test_counts_are_those_of_diff_and_add_up(base: kb.KnowledgeBase, tmp_path: Path) -> None:
    report = made(base, tmp_path)
    found = base.diff("20250101", "20260101", lang="en", typographic=True, examples=True)
    assert report.counts == {"same": found.same} | found.counts
    with (tmp_path / "report.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == sum(report.states.values())
    assert sum(int(row["words"]) for row in rows) == sum(report.words.values())
    assert {row["state"] for row in rows} == {"final", "needs-review", "new"}
    assert sorted(str(path) for path in report.files) == sorted(
        str(path.relative_to(tmp_path))
        for path in tmp_path.rglob("*")
        if path.is_file() and path.name != "omegat.project"
    )


@pytest.mark.parametrize("version", ["", ".2.1"])
def test_xliff_has_states_marks_and_no_open_markup(
    base: kb.KnowledgeBase, tmp_path: Path, version: str
) -> None:
    made(base, tmp_path)
    root = etree.parse(tmp_path / f"harbour-20260101.en-ja{version}.xlf").getroot()
    units = {unit.get("id"): unit for unit in root.iter("{*}trans-unit", "{*}unit")}
    new = units["2.2"]
    assert next(new.iter("{*}source")).text == (
        "A boat with <two> anchors & no skipper stays where it is."
    )
    notes = [note.text for note in units["1.3"].iter("{*}note")]
    assert "was: The skipper of the fastest boat takes ⟦two⟧ coins from the chest." in notes
    if not version:
        marks = [mark.text for mark in units["1.3"].iter("{*}mrk")]
        assert (marks, units["1.1"].get("approved")) == (["two"], "yes")
    else:
        assert next(units["1.1"].iter("{*}segment")).get("state") == "final"


FILLED = {
    "1.3": "最も速い舟の船長は宝箱から硬貨3枚を得る。",
    "2.2": "錨を<2つ>下ろし、船長のいない舟はその場にとどまる。",
}


def fill(file: Path) -> None:
    """Translate what is open in XLIFF 1.2, as a translator's tool would."""
    tree = etree.parse(file)
    for unit in tree.getroot().iter("{*}trans-unit"):
        if text := FILLED.get(unit.get("id", "")):
            target = unit.find("{*}target")
            assert target is not None
            target.text = text
            target.set("state", "final")
    tree.write(file, encoding="UTF-8", xml_declaration=True)


def test_the_way_back(base: kb.KnowledgeBase, tmp_path: Path) -> None:
    made(base, tmp_path)
    file = tmp_path / "harbour-20260101.en-ja.xlf"
    opened = base.check_package(file, "20250101")
    assert [(one.id, one.what) for one in opened] == [("1.3", "not final"), ("2.2", "untranslated")]
    fill(file)
    assert not base.check_package(file, "20250101").open
    books = {("20250101", "en"): OLD, ("20250101", "ja"): OLD_JA, ("20260101", "en"): NEW}
    sources = [write_books(tmp_path / "books", books), file]
    report = kb.build(sources, tmp_path / "kb.db", game="harbour")
    assert not report.warnings
    with kb.open(tmp_path / "kb.db") as built:
        rule = built.show("harbour/cr/20260101/ja/2.2").matches[0]
        assert rule.text == FILLED["2.2"]
        aligned = built.align("en", "ja", edition="20260101")
        assert (len(aligned.pairs), aligned.problems) == (8, ())
        assert not [one for one in built.check(file).problems if one.kind != "spelling"]


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("rule 2.3 参照", "rule 2.2 参照", None),  # final in the package: an editor's own choice
        ("Crates in the hold", "Boxes in the hold", "other source"),
        ('id="2.3"', 'id="2.4"', "missing"),
    ],
)
def test_what_is_wrong_in_what_came_back(
    base: kb.KnowledgeBase, tmp_path: Path, old: str, new: str, what: str | None
) -> None:
    made(base, tmp_path)
    file = tmp_path / "harbour-20260101.en-ja.xlf"
    fill(file)
    file.write_text(file.read_text("utf-8").replace(old, new), "utf-8")
    found = {one.what for one in base.check_package(file, "20250101")}
    assert (what in found) if what else not found


def test_files_of_omegat_are_read_back(base: kb.KnowledgeBase, tmp_path: Path) -> None:
    made(base, tmp_path)
    file = tmp_path / "omegat" / "source" / "harbour-20260101.en-ja.xlf"
    found = base.check_package(file, "20250101").open
    assert {one.what for one in found} == {"untranslated"}
    settings = (tmp_path / "omegat" / "omegat.project").read_text("utf-8")
    assert "<sentence_seg>false<" in settings
    memory = (tmp_path / "omegat" / "tm" / "auto" / "harbour-20260101.en-ja.tmx").read_text("utf-8")
    assert "船倉の木箱は濡れている。" in memory and "硬貨3枚" not in memory


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<xliff version='1.2'><file original='a.txt'></file></xliff>", "no XLIFF of a package"),
        ('<xliff><file original="sansho:harbour/cr/20260101">', "line 1"),
        ('<xliff><file original="sansho:harbour/cr/20260101"></file></xliff>', "languages"),
    ],
)
def test_files_that_are_no_package(
    base: kb.KnowledgeBase, tmp_path: Path, text: str, said: str
) -> None:
    file = tmp_path / "a.xlf"
    file.write_text(text, "utf-8")
    with pytest.raises(kb.SourceError, match=said):
        base.check_package(file, "20250101")


def test_entities_and_files_beside_it_are_not_read(base: kb.KnowledgeBase, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("treasure", "utf-8")
    file = tmp_path / "a.xlf"
    file.write_text(
        f'<!DOCTYPE xliff [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'
        '<xliff version="1.2"><file original="sansho:harbour/cr/20260101" source-language="en" '
        'target-language="ja"><body><trans-unit id="1.1"><source>&x;</source><target>&x;</target>'
        "</trans-unit></body></file></xliff>",
        "utf-8",
    )
    found = base.check_package(file, "20250101")
    assert "treasure" not in str(found.as_json())


def test_an_edition_without_a_translation(base: kb.KnowledgeBase, tmp_path: Path) -> None:
    with pytest.raises(kb.QuestionError, match="without a translation"):
        base.package("20250101", "20260101", tmp_path, source_lang="en", target_lang="ja")


def test_the_command(base: kb.KnowledgeBase, tmp_path: Path) -> None:
    out = tmp_path / "work"
    words = ["package", "20260101", "--from", "20250101", "--source-lang", "en"]
    code, said, _ = printed(*words, "--target-lang", "ja", "--out", out, of=base)
    assert code == 0 and "final 7, needs-review 1, new 1" in said
    file = out / "harbour-20260101.en-ja.xlf"
    code, said, _ = printed("package", "--from", "20250101", "--check", file, of=base)
    assert code == 1 and "7 of 9 texts are done" in said
    code, _, error = printed(*words, of=base)
    assert code == 2 and "--target-lang" in error


def test_what_somebody_translated_is_not_replaced(base: kb.KnowledgeBase, tmp_path: Path) -> None:
    made(base, tmp_path)
    made(base, tmp_path)  # nobody has worked on it
    file = tmp_path / "harbour-20260101.en-ja.xlf"
    fill(file)
    before = file.read_bytes()
    with pytest.raises(kb.QuestionError, match="somebody has translated"):
        made(base, tmp_path)
    assert file.read_bytes() == before
    base.package("20260101", "20250101", tmp_path, source_lang="en", target_lang="ja", replace=True)
    assert file.read_bytes() != before


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("3つまで", "4つまで", "amounts"),
        (
            "舟は木箱を最大3つまで運ぶ。",
            "舟は木箱を最大3つまで運ぶ。" + "乗組員は甲板にいる。" * 9,
            "longer",
        ),
        ("2.1. 錨を", "2.1. rule 1.1 参照。錨を", "alone cites 1.1"),
    ],
)
def test_what_is_hardly_the_translation_is_not_final(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    books = {
        ("20250101", "en"): OLD,
        ("20250101", "ja"): OLD_JA.replace(old, new),
        ("20260101", "en"): NEW,
    }
    kb.build([write_books(tmp_path / "books", books)], tmp_path / "kb.db", game="harbour")
    with kb.open(tmp_path / "kb.db") as base:
        work = edition_work(base._store, "20260101", "20250101", LANGS)
    [unit] = [one for one in work.units if one.kind == "same" and one.state != "final"]
    assert any(said in note for note in unit.notes)


def test_omegat_fills_in_only_what_has_one_translation(tmp_path: Path) -> None:
    english = OLD + "3. Boats\n3.1. A raft is a boat.\n"
    japanese = OLD_JA + "3. 舟艇\n3.1. 筏は舟である。\n"
    books = {
        ("20250101", "en"): english,
        ("20250101", "ja"): japanese,
        ("20260101", "en"): NEW + "3. Boats\n3.1. A raft is a boat.\n",
    }
    kb.build([write_books(tmp_path / "books", books)], tmp_path / "kb.db", game="harbour")
    with kb.open(tmp_path / "kb.db") as base:
        made(base, tmp_path / "out")
    folder, name = tmp_path / "out" / "omegat" / "tm", "harbour-20260101.en-ja.tmx"
    sure = (folder / "auto" / name).read_text("utf-8")
    assert "筏は舟である。" in sure and "舟艇" not in sure
    review = (folder / "penalty-030" / name).read_text("utf-8")
    assert "takes three coins" in review and "硬貨2枚" in review
