"""Tables of terms: CSV, glossaries of OmegaT, UTX; read by others' readers and back."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from translate.storage.omegat import OmegaTFile
from translate.storage.utx import UtxFile

from kb.control_characters import xml_text
from kb.errors import SourceError
from kb.interchange import csv_terms, omegat, utx
from kb.interchange.utx import on_one_line
from kb.termbase.model import Concept, ConceptDefinition, ConceptName
from tests.termbases import HOSTILE, hostile_concepts, many_concepts

LANGS = ("ja", "en")
FORMULAS = ('=HYPERLINK("http://x")', "+1/+1カウンター", "-1", "@a", "＝1", "'=1", "''-1", "'tis")
BREAKS = ("a\u2028b", "a\x85b", "a\x0bb", "a\x1cb", "a\rb", "\u200fשלום", "a\ttab", '5" disc')


def concept(*names: ConceptName, **fields: object) -> Concept:
    return replace(Concept("mtg/term/引く", "mtg", names), **fields)  # type: ignore[arg-type]


def drawing(*english: ConceptName) -> Concept:
    return concept(ConceptName("ja", "引く", reading="ひく", part_of_speech="verb"), *english)


def hostile() -> list[Concept]:
    """The shared hostile concepts, and names that are hostile to tables."""
    mean = [
        Concept(
            f"mtg/term/{number}",
            "mtg",
            (ConceptName("ja", f"字{number}"), ConceptName("en", f"{text} {number}", note=text)),
        )
        for number, text in enumerate((*FORMULAS, *BREAKS, *HOSTILE))
    ]
    return [*hostile_concepts()[::7], *mean]


def csv_of(concepts: list[Concept], langs: tuple[str, str] | None = None) -> bytes:
    out = io.BytesIO()
    count = csv_terms.write(concepts, out, langs)
    assert count == len(list(csv.reader(io.StringIO(out.getvalue().decode(), newline="")))) - 1
    return out.getvalue()


def test_a_csv_reader_finds_each_name_in_a_row() -> None:
    text = csv_of(hostile()).decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    names = [(item, name) for item in hostile() for name in item.names]
    for row, (item, name) in zip(rows, names, strict=True):
        assert row["concept"] == xml_text(item.id)
        assert row["name"] in (xml_text(name.text), f"'{xml_text(name.text)}")
        assert (row["lang"], row["status"], row["why"]) == (name.lang, name.status, name.why)
        assert (row["game"], row["part_of_speech"]) == (item.game or "", name.part_of_speech or "")
        assert (row["count"], row["edition"]) == (str(name.count), name.edition or "")


def test_csv_comes_back_exactly() -> None:
    found = list(csv_terms.read(io.BytesIO(csv_of(hostile())), "a.csv"))
    wanted = [(item, name) for item in hostile() for name in item.names]
    for decision, (item, name) in zip(found, wanted, strict=True):
        assert decision.term == xml_text(item.id).strip()
        assert decision.name == xml_text(name.text).strip()
        assert decision.note == xml_text(name.note)
        assert decision.reading == (xml_text(name.reading) if name.reading else None)
        assert (decision.lang, decision.status) == (name.lang, name.status)
        assert (decision.game, decision.part_of_speech) == (item.game, name.part_of_speech)


@given(st.text(), st.text(), st.text())
def test_any_text_comes_back_from_csv(text: str, note: str, definition: str) -> None:
    item = concept(
        ConceptName("ja", text, note=note), definitions=(ConceptDefinition("ja", definition),)
    )
    found = list(csv_terms.read(io.BytesIO(csv_of([item])), "a.csv"))
    wanted = (xml_text(text).strip(), xml_text(note), xml_text(definition))
    assert [(row.name, row.note, row.definition) for row in found] == [wanted][: bool(wanted[0])]


@given(st.text(), st.text())
def test_any_text_fits_into_a_line(source: str, target: str) -> None:
    item = concept(ConceptName("ja", source), ConceptName("en", target, note=source))
    data = omegat_of([item])
    assert not data or len(as_omegat_reads(data)) == 1
    lines = utx_of([item]).decode().split("\r\n")
    assert all(line.count("\t") == 7 for line in lines[1:-1])


def test_definitions_stand_in_the_row_of_their_language() -> None:
    item = concept(
        ConceptName("ja", "引く"),
        ConceptName("ja", "ドロー", "admitted"),
        ConceptName("en", "draw"),
        definitions=(
            ConceptDefinition("en", "=To take a card.", "Glossary (2026)"),
            ConceptDefinition("en", "To put it\ninto the hand."),
            ConceptDefinition("de", "Ziehen."),
        ),
    )
    data = csv_of([item])
    found = [decision.definition for decision in csv_terms.read(io.BytesIO(data), "a.csv")]
    assert found == ["Ziehen.", "", "=To take a card.\n\nTo put it\ninto the hand."]
    assert "\"'=To take a card." in data.decode()
    assert "Glossary (2026)" in data.decode()


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_is_a_formula_and_the_guard_goes_when_it_is_read(text: str) -> None:
    data = csv_of([concept(ConceptName("en", text, note=f"\t{text}"))])
    cells = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))[1]
    assert not any(cell.startswith(tuple("=+-@\t\r＝＋－＠")) for cell in cells)
    (decision,) = csv_terms.read(io.BytesIO(data), "a.csv")
    assert (decision.name, decision.note) == (text, f"\t{text}")


def test_csv_is_utf8_with_a_byte_order_mark_and_the_languages_asked_for() -> None:
    item = drawing(ConceptName("en", "draw"), ConceptName("de", "ziehen"))
    data = csv_of([item], ("ja", "en"))
    assert data.startswith("\ufeffconcept,".encode())
    assert [decision.lang for decision in csv_terms.read(io.BytesIO(data), "a")] == ["ja", "en"]
    assert csv_of([item], ("fr", "it")).count(b"\n") == 1


def omegat_of(concepts: list[Concept], left_out: Counter[str] | None = None) -> bytes:
    out = io.BytesIO()
    count = omegat.write(concepts, out, LANGS, left_out)
    assert out.getvalue().count(b"\n") == count
    return out.getvalue()


def as_omegat_reads(data: bytes) -> list[tuple[str, ...]]:
    """Split a glossary as OmegaT's reader does: lines as Java knows them, then tabs."""
    lines = data.decode().replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n")
    entries = [tuple(line.split("\t")) for line in lines]
    assert all(
        len(entry) == 3 and entry[0] and entry[1] and not entry[0].startswith("#")
        for entry in entries
    )
    return entries


def test_omegat_and_another_reader_find_the_same_entries() -> None:
    data = omegat_of(hostile())
    entries = as_omegat_reads(data)
    store = OmegaTFile.parsestring(data)
    units = [(unit.source, unit.target, unit.getnotes()) for unit in store.units if unit.source]
    assert units == entries
    usable = {
        on_one_line(name.text)
        for item in hostile()
        for name in item.names
        if name.lang == "en" and name.status in ("preferred", "admitted")
    }
    assert {target for _, target, _ in entries} == usable - {""}


def test_each_source_name_has_the_best_target_and_the_best_source_each_target() -> None:
    item = concept(
        ConceptName("ja", "ドロー", "deprecated"),
        ConceptName("ja", "引く"),
        ConceptName("en", "pull", "admitted", "other translator"),
        ConceptName("en", "draw", authority="Glossary (2026)", note="a verb"),
        ConceptName("en", "tug", "forbidden", note="never"),
    )
    best = "preferred (title) · game mtg · Glossary (2026) · a verb · not: tug (forbidden: never)"
    assert as_omegat_reads(omegat_of([item])) == [
        (
            "引く",
            "draw",
            best,
        ),
        ("引く", "pull", "admitted (other translator) · game mtg · not: tug (forbidden: never)"),
        (
            "ドロー",
            "draw",
            best.replace("a verb", "ドロー is deprecated (title) · a verb"),
        ),
    ]


def test_the_first_entry_of_a_glossary_is_the_sense_that_is_needed_first() -> None:
    """Homonyms: a proposed name comes last, however often it is used, then the rarer one; two of
    the same target are one entry, with a definition."""
    definition = ConceptDefinition("en", "To take the top card. " * 20)
    senses = [
        concept(
            ConceptName("ja", "引く"), ConceptName("en", "tie", "admitted", "proposed", count=9)
        ),
        concept(ConceptName("ja", "引く"), ConceptName("en", "pull", count=2)),
        concept(
            ConceptName("ja", "引く"), ConceptName("en", "draw", count=7), definitions=(definition,)
        ),
        concept(ConceptName("ja", "引く"), ConceptName("en", "draw", count=1)),
    ]
    found = as_omegat_reads(omegat_of(senses))
    assert [target for _, target, _ in found] == ["draw", "pull", "tie"]
    assert "means: To take the top card. To take" in found[0][2] and found[0][2].endswith("…")


def test_what_a_glossary_has_no_place_for_is_counted() -> None:
    left_out = Counter[str]()
    data = omegat_of(
        [
            drawing(ConceptName("en", "tug", "forbidden")),
            drawing(),
            drawing(ConceptName("en", " \t\x01")),
            concept(ConceptName("en", "draw")),
            concept(ConceptName("ja", "#1"), ConceptName("en", "number one")),
            concept(ConceptName("ja", "\t# 2"), ConceptName("en", "number two")),
        ],
        left_out,
    )
    assert data == b""
    assert left_out == {"no target": 3, "no source": 1, "begins with #": 2}


def test_proposed_names_and_readings_are_told_in_the_comment() -> None:
    item = drawing(ConceptName("en", "draw", "admitted", "proposed", score=12.5))
    ((_, _, comment),) = as_omegat_reads(omegat_of([item]))
    assert comment == "admitted (proposed) · game mtg · reading ひく"


def test_an_entry_whose_source_name_is_proposed_is_proposed() -> None:
    item = concept(
        ConceptName("ja", "引く", "preferred", "proposed", note="in 3 of 4 texts"),
        ConceptName("en", "draw", note="a verb"),
    )
    data = omegat_of([item])
    ((_, _, comment),) = as_omegat_reads(data)
    assert comment == "admitted (proposed) · game mtg · in 3 of 4 texts · a verb"
    (decision,) = omegat.read(io.BytesIO(data), "a.txt", LANGS)
    assert decision.status == "admitted"
    assert utx_of([item]).split(b"\t")[-4] == b"provisional"


def test_a_glossary_comes_back_with_its_statuses() -> None:
    item = drawing(
        ConceptName("en", "draw", "admitted", "proposed"), ConceptName("en", "pull", "admitted")
    )
    other = replace(drawing(ConceptName("en", "draw cards")), game="ygo")
    found = [
        (decision.game, decision.term, decision.name, decision.status, decision.note)
        for decision in omegat.read(io.BytesIO(omegat_of([item, other])), "a.txt", LANGS)
    ]
    assert found == [
        ("mtg", "引く", "pull", "admitted", "reading ひく"),
        ("mtg", "引く", "draw", "admitted", "reading ひく"),
        ("ygo", "引く", "draw cards", "preferred", "reading ひく"),
    ]


def test_a_glossary_by_hand() -> None:
    text = (
        "\ufeff# my terms\n\n引く\tdraw\n引く\tpull\told\textra\n"
        "捨てる\n\tnothing\n#引く\tno\n墓地 \t graveyard "
    )
    found = [
        (item.term, item.name, item.status, item.note, item.where)
        for item in omegat.read(io.BytesIO(text.encode()), "a.txt", LANGS)
    ]
    assert found == [
        ("引く", "draw", "preferred", "", "a.txt:3"),
        ("引く", "pull", "admitted", "old", "a.txt:4"),
        ("墓地", "graveyard", "preferred", "", "a.txt:8"),
    ]


def test_a_text_without_tabs_is_no_glossary() -> None:
    with pytest.raises(SourceError, match=r"a\.txt:2: no entry of a glossary"):
        list(omegat.read(io.BytesIO("\n引く,draw\n".encode()), "a.txt", LANGS))
    assert list(omegat.read(io.BytesIO(b"# nothing yet\n"), "a.txt", LANGS)) == []


def utx_of(concepts: list[Concept]) -> bytes:
    out = io.BytesIO()
    count = utx.write(concepts, out, LANGS)
    assert out.getvalue().count(b"\r\n") == count + 2
    return out.getvalue()


def test_utx_as_its_specification_and_another_reader_have_it() -> None:
    data = utx_of(hostile())
    lines = data.decode().split("\r\n")
    assert lines[0].startswith("#UTX 1.11; ja/en; ") and not data.startswith(b"\xef\xbb\xbf")
    columns = lines[1].removeprefix("#").split("\t")
    assert columns[:3] == ["src", "tgt", "src:pos"]
    rows = [dict(zip(columns, line.split("\t"), strict=True)) for line in lines[2:-1]]
    assert all(cell and "\n" not in cell for row in rows for cell in row.values())
    assert {row["term status"] for row in rows} == {
        "approved", "non-standard", "provisional", "forbidden"
    }  # fmt: skip
    store = UtxFile.parsestring(data)
    assert [(unit.source, unit.target) for unit in store.units] == [
        (row["src"], row["tgt"]) for row in rows
    ]
    assert (store.getsourcelanguage(), store.gettargetlanguage()) == LANGS


@pytest.mark.parametrize(
    ("name", "status"),
    [
        (ConceptName("en", "draw"), "approved"),
        (ConceptName("en", "draw", "admitted"), "non-standard"),
        (ConceptName("en", "draw", "admitted", "proposed"), "provisional"),
        (ConceptName("en", "draw", "deprecated", "older edition"), "forbidden"),
        (ConceptName("en", "draw", "forbidden", "decision"), "forbidden"),
    ],
)
def test_term_statuses(name: ConceptName, status: str) -> None:
    line = utx_of([drawing(name)]).decode().split("\r\n")[2]
    assert line.split("\t")[:5] == ["引く", "draw", "verb", "-", status]


@pytest.mark.parametrize("write", [csv_terms.write, utx.write])
def test_concepts_are_written_as_they_come(write: Callable[..., int]) -> None:
    out = io.BytesIO()

    def watched() -> Iterator[Concept]:
        for number, item in enumerate(many_concepts(200)):
            assert number < 100 or out.tell() > 20_000
            yield item

    write(watched(), out, LANGS)
    assert out.tell() > 20_000


def test_the_same_concepts_give_the_same_file() -> None:
    assert utx_of(hostile()) == utx_of(hostile())
