"""The export: which format, which options, what is written and what is left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lxml import etree
from translate.storage.tmx import tmxfile

import kb
from kb.interchange.export import FORMATS
from tests.commands import printed
from tests.rulebooks import base_of_files

CONCEPTS = ["tbx", "tbx2008", "skos", "jsonld", "csv"]
BILINGUAL = ["omegat", "utx"]


@pytest.fixture(scope="module")
def base() -> kb.KnowledgeBase:
    return kb.sample()


@pytest.mark.parametrize(
    "known", [each for each in FORMATS if each.content != "project"], ids=lambda known: known.name
)
def test_every_format_is_written_by_its_name_and_its_suffixes(
    base: kb.KnowledgeBase, tmp_path: Path, known: object
) -> None:
    assert isinstance(known, type(FORMATS[0]))
    report = base.export(tmp_path / "named", known.name)
    assert report.format == known.name and (tmp_path / "named").stat().st_size > 1000
    assert (report.entries or report.nodes or 0) > 50
    content = (tmp_path / "named").read_bytes()
    for suffix in known.suffixes:
        assert base.export(tmp_path / f"x{suffix}").format == known.name
        assert (tmp_path / f"x{suffix}").read_bytes() == content  # the same each time


def test_a_project_of_omegat_keeps_what_a_translator_put_there(
    base: kb.KnowledgeBase, tmp_path: Path
) -> None:
    folder = tmp_path / "project"
    report = base.export(folder, "omegat-project", source_lang="en", target_lang="ja")
    assert (report.entries or 0) > 50 and (report.units or 0) > 10
    settings = etree.parse(folder / "omegat.project").getroot()
    fields = {field.tag: field.text for field in settings[0]}
    assert (fields["source_lang"], fields["target_lang"]) == ("en", "ja")
    for name in ("source", "target", "tm", "glossary", "dictionary", "omegat"):
        assert (folder / name).is_dir()
    glossary = (folder / "glossary" / "sansho.utf8").read_text()
    assert all(line.count("\t") == 2 for line in glossary.splitlines())
    assert (
        len(tmxfile.parsestring((folder / "tm" / "sansho.tmx").read_bytes()).units) == report.units
    )
    (folder / "omegat.project").write_text("mine")
    (folder / "glossary" / "glossary.txt").write_text("mine")
    base.export(folder, "omegat-project", source_lang="en", target_lang="ja")
    assert (folder / "omegat.project").read_text() == "mine"
    assert (folder / "glossary" / "glossary.txt").read_text() == "mine"


def test_no_project_is_made_on_standard_output(base: kb.KnowledgeBase) -> None:
    with pytest.raises(kb.QuestionError, match="folder"):
        base.export("-", "omegat-project")


@pytest.mark.parametrize("form", CONCEPTS + BILINGUAL)
def test_names_are_counted_by_language(base: kb.KnowledgeBase, tmp_path: Path, form: str) -> None:
    found = base.termbase()
    report = base.export(tmp_path / "x", form)
    counted = {
        lang: sum(name.lang == lang for concept in found for name in concept.names)
        for lang in ("en", "ja")
    }
    assert report.names == counted and report.nodes is None
    assert report.also[0].reason.ask == kb.Ask("export", out=tmp_path / "x", form=form, cards=True)
    assert report.proposed == sum(n.why == "proposed" for c in found for n in c.names) > 0


@pytest.mark.parametrize("form", BILINGUAL)
def test_the_languages_of_a_glossary_are_said(
    base: kb.KnowledgeBase, tmp_path: Path, form: str
) -> None:
    report = base.export(tmp_path / "x", form)
    assert (report.source_lang, report.target_lang) == ("ja", "en")
    assert "Draw" in (tmp_path / "x").read_text("utf-8")
    [left] = [each for each in report.also if "no name in English" in str(each)]
    assert 'decisions="FILE" adds names' in str(left)
    turned = base.export(tmp_path / "y", form, source_lang="en")
    assert (turned.source_lang, turned.target_lang) == ("en", "ja")
    code, out, _ = printed("export", "--out", tmp_path / "z", "--format", form, of=base)
    assert code == 0 and "from ja into en" in out and "--source-lang" in out


def test_languages_status_game_and_cards_choose(base: kb.KnowledgeBase, tmp_path: Path) -> None:
    whole = base.export(tmp_path / "x.csv")
    japanese = base.export(tmp_path / "x.csv", langs="ja")
    assert japanese.names == {"ja": (whole.names or {})["ja"]}
    assert japanese.also[1].reason.ask == kb.Ask("export", out=tmp_path / "x.csv")
    game = base.export(tmp_path / "x.csv", game="ygo")
    assert 0 < (game.entries or 0) < (whole.entries or 0)
    cards = base.export(tmp_path / "x.csv", cards=True)
    assert (cards.entries or 0) > (whole.entries or 0) and not cards.also
    approved = base.export(tmp_path / "x.csv", status="approved")
    assert approved.proposed == 0 and approved.also[-1].reason.code == "not_approved"
    whole_again = base.follow(approved.also[-1].reason.ask)
    assert whole_again.names == whole.names and whole_again.out == str(tmp_path / "x.csv")
    base.export(tmp_path / "x.csv", status="approved")
    assert ",proposed," not in (tmp_path / "x.csv").read_text("utf-8")


def test_decisions_of_a_file_win(base: kb.KnowledgeBase, tmp_path: Path) -> None:
    decisions = tmp_path / "mine.csv"
    decisions.write_text(
        "term,lang,name,status,note,game\n"
        "引く,en,Draw,forbidden,ours,mtg\n"
        "引く,en,Pull,preferred,ours,mtg\n"
        "まだない,en,Nothing Yet,preferred,,\n",
        "utf-8",
    )
    report = base.export(tmp_path / "x.csv", decisions=decisions)
    rows = (tmp_path / "x.csv").read_text("utf-8").splitlines()
    [pull] = [row for row in rows if ",Pull," in row]
    assert ",preferred,decision," in pull and "mine.csv:3" in pull
    assert [row for row in rows if ",Draw,forbidden,decision," in row]
    assert [row for row in rows if row.startswith("decision/まだない,")]
    [notice] = report.notices
    assert "mine.csv:4" in notice.where
    code, out, _ = printed("export", "--out", tmp_path / "y.csv", "--decisions", decisions, of=base)
    assert code == 0 and "a new concept is made of it" in " ".join(out.split())
    # What was written is read as decisions, and changes nothing else.
    again = base.export(tmp_path / "z.csv", decisions=tmp_path / "x.csv", game="mtg")
    assert (again.names or {}).keys() == {"en", "ja"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--out", "x.jsonl", "--cards"], "--cards has no use in jsonl"),
        (["--out", "x.graphml", "--game", "mtg"], "--game has no use in graphml"),
        (["--out", "x.tmx", "--status", "all"], "--status has no use in tmx"),
        (["--out", "x.txt", "--lang", "ja"], "--lang has no use in omegat"),
        (["--out", "x.tbx", "--source-lang", "ja"], "--source-lang has no use in tbx"),
        (["--out", "x.tmx", "--lang", "ja"], "two languages or more"),
        (["--out", "x.txt", "--source-lang", "en", "--target-lang", "en"], "both en"),
        (["--out", "x.txt", "--source-lang", "jp"], "nearest: ja"),
        (["--out", "x.csv", "--lang", "ja,xx"], "language"),
        (["--out", "x.csv", "--game", "MTGG"], "nearest: mtg"),
        (["--out", "x.csv", "--decisions", "none.csv"], "none.csv"),
        *((["--out", name], "tbx (.tbx)") for name in ("x.docx", "x", "x.jsonl.zip", ".jsonl")),
        (["--out", "x.jsonl", "--format", "jsnol"], "nearest: jsonl"),
        (["--out", "x", "--format", "tbx2009"], "tbx2008"),
    ],
)
def test_what_has_no_use_is_refused_in_one_line(
    base: kb.KnowledgeBase,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = printed("export", *words, of=base)
    assert (code, out) == (2, "") and said in " ".join(err.split())
    assert not list(tmp_path.iterdir())


def test_a_glossary_needs_two_languages(tmp_path: Path) -> None:
    text = "1. 甲\n\n" + "".join(f"{n}. 項目\n\n{n}.1. 札を引く。\n\n" for n in range(100, 120))
    with base_of_files(
        tmp_path,
        {"ja.txt": text + "用語集\n\n引く\n札を手札に加えること。\n"},
        game="made",
        site="rulebook",
        lang="ja",
    ) as base:
        with pytest.raises(kb.QuestionError, match="two languages"):
            base.export(tmp_path / "x.txt")
        decisions = [kb.Decision("引く", "en", "draw")]
        assert base.export(tmp_path / "x.txt", decisions=decisions).entries == 1


def test_a_failed_export_leaves_the_old_file(
    base: kb.KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import kb.interchange.tbx as tbx

    (tmp_path / "x.tbx").write_text("old")

    def fail(*_: object) -> int:
        raise kb.StoreError("in the middle")

    monkeypatch.setattr(tbx, "write", fail)
    with pytest.raises(kb.StoreError, match="in the middle"):
        base.export(tmp_path / "x.tbx")
    assert (tmp_path / "x.tbx").read_text() == "old" and len(list(tmp_path.iterdir())) == 1


def test_to_standard_output_and_as_json(base: kb.KnowledgeBase, tmp_path: Path) -> None:
    code, out, _ = printed("export", "--out", "-", "--format", "csv", "--game", "mtg", of=base)
    assert code == 0 and out.startswith("\ufeffconcept,") and "entries" not in out
    code, out, _ = printed("export", "--out", tmp_path / "x.tmx", "--json", of=base)
    document = json.loads(out)
    assert code == 0 and document["format"] == "tmx" and document["entries"] > 50
    assert document["names"].keys() == {"en", "ja"} and document["nodes"] is None


def test_the_module_of_a_format_is_imported_when_it_is_used() -> None:
    import subprocess
    import sys

    code = (
        "import sys, kb.interchange.export; print([m for m in sys.modules "
        "if m in ('kb.interchange.tbx', 'kb.interchange.skos', 'rdflib', 'lxml')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_an_edition_stands_once_in_who_gives_a_name_or_definition(tmp_path: Path) -> None:
    for edition, more in (("20250602", ""), ("20260116", " Again.")):
        (tmp_path / f"core-rules.{edition}.en.txt").write_text(
            f"Core Rules ({edition})\n1. Game\n1.1. Draw. Take a card.\n1.2. Discard.{more}\n"
            "8. End\n8.1. See rule 1.2.\nGlossary\n"
            "Draw\nTo take a card.\n\nDiscard\nTo lose a card.\n"
        )
    kb.build([tmp_path], tmp_path / "kb.db", game="mtg", site="rulebook")
    with kb.open(tmp_path / "kb.db") as base:
        for form in CONCEPTS:
            base.export(tmp_path / form, form)
            text = (tmp_path / form).read_text("utf-8")
            assert "Core Rules (20260116)" in text
            assert "(20260116) (" not in text and "edition 20260116" not in text
        assert base.compare("draw")[0].authority == "Core Rules (20260116)"
