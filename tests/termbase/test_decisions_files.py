"""Decisions of a person, read from files of any format; wrong ones are one line that says where."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.errors import ERRORS, SourceError
from kb.interchange import csv_terms, decisions_file, lines_of_any_charset, tbx
from kb.interchange.decisions_file import read_decisions
from kb.termbase.model import Concept, ConceptName, Decision
from tests.termbases import many_concepts

LANGS = ("ja", "en")
Save = Callable[..., Path]


@pytest.fixture
def save(tmp_path: Path) -> Save:
    """Saves a text, or bytes, under a name."""

    def save(name: str, content: str | bytes, charset: str = "utf-8") -> Path:
        path = tmp_path / name
        path.write_bytes(
            content if isinstance(content, bytes) else content.encode(charset, "surrogateescape")
        )
        return path

    return save


def refused(path: Path, langs: tuple[str, str] | None = LANGS) -> str:
    """Return the message of the error that a file gives, without the folder."""
    with pytest.raises(ERRORS) as raised:
        list(read_decisions(path, langs))
    message = str(raised.value)
    assert "\n" not in message and len(message) < 500
    return message.replace(f"{path.parent}{os.sep}", "")


def test_toml_by_hand(save: Save) -> None:
    path = save(
        "mine.toml",
        """
game = "mtg"
lang = "en"

[[decision]]
term = "引く"
prefer = "draw"
admit = ["draw a card"]
forbid = ["pull", "tug"]
note = "a verb"

[[decision]] # "[[decision]]"
term = "mtg/term/墓地"
lang = "en-US"
game = "ygo"
deprecate = "grave"
part_of_speech = "noun"
reading = "ぼち"
definition = "Where they lie."
""",
    )
    first, second = f"{path}:5", f"{path}:12"
    assert list(read_decisions(path)) == [
        Decision("引く", "en", "draw", "preferred", "a verb", "mtg", where=first),
        Decision("引く", "en", "draw a card", "admitted", "a verb", "mtg", where=first),
        Decision("引く", "en", "pull", "forbidden", "a verb", "mtg", where=first),
        Decision("引く", "en", "tug", "forbidden", "a verb", "mtg", where=first),
        Decision(
            "mtg/term/墓地", "en", "grave", "deprecated", "", "ygo", "ぼち", "noun",
            "Where they lie.", second,
        ),
    ]  # fmt: skip


def test_the_place_of_a_table_is_its_number_where_lines_cannot_be_told(save: Save) -> None:
    text = 'decision = [{term = "a", lang = "en", prefer = "b"}, {term = "c", lang = "en"}]'
    assert refused(save("a.toml", text)).startswith("a.toml: [[decision]] number 2: nothing is")
    text = '[[decision]]\nterm="a"\nlang="en"\nprefer="b"\nnote="""\n[[decision]]\n"""'
    (decision,) = read_decisions(save("a.toml", text))
    assert decision.where.endswith("a.toml: [[decision]] number 1")


_TABLE = '\n[[decision]]\nterm = "a"\nlang = "en"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a.toml: no table [[decision]] in it"),
        ("decision = 1", "a.toml: no table [[decision]] in it"),
        ("decision = [1]", "a.toml: no table [[decision]] in it"),
        ("[decision]\nterm='a'", "a.toml: write [[decision]] for [decision]"),
        ("a = ", "a.toml: not TOML: Invalid value (at end of document)"),
        ("\na = b\n", "a.toml:2: not TOML: Invalid value (at line 2, column 5)"),
        (f"x = {'[' * 5000}", "a.toml: not TOML: "),
        (f"x = {'9' * 5000}", "a.toml: not TOML: "),
        ("gane = 'mtg'" + _TABLE, "a.toml: no key gane; nearest: game"),
        (_TABLE + "perfer = 'b'", "a.toml:2: no key perfer; nearest: prefer"),
        (_TABLE, "a.toml:2: nothing is decided; write prefer, admit, deprecate, forbid"),
        (_TABLE + "prefer = 1", "a.toml:2: prefer is no name"),
        (_TABLE + "prefer = ['b', 1]", "a.toml:2: prefer is no name"),
        (_TABLE + "prefer = ' '", "a.toml:2: prefer is no name"),
        (_TABLE + "prefer = 'b'\nnote = 1", "a.toml:2: note is no text"),
        (_TABLE + "prefer = 'b'\ngame = ['mtg']", "a.toml:2: game is no text"),
        ("game = 1" + _TABLE + "prefer = 'b'", "a.toml:2: game is no text"),
        (_TABLE + "prefer = ['b', 'c']", "a.toml:2: c is preferred for a (en), but "),
        (_TABLE + "prefer = 'b'\nforbid = 'b'", "a.toml:2: b is forbidden for a (en), but "),
        ("[[decision]]\nterm = 'a'\nprefer = 'b'", "a.toml:1: lang is missing"),
        ("[[decision]]\nlang = 'en'\nprefer = 'b'", "a.toml:1: term is missing"),
        (_TABLE.replace("en", "English") + "prefer = 'b'", "a.toml:2: English is no language"),
        (_TABLE + "prefer = 'b'\npart_of_speech = 'nuon'", "a.toml:2: no part of speech nuon; n"),
        ("\na" + ".a" * 60 + "=1", "a.toml:2: more than 50 points on a line"),
        (_TABLE + "prefer = 'b'\nnote = '\udce9t'", "a.toml:6: not text in UTF-8"),
        ("#" * (decisions_file.LARGEST_TOML + 1), "a.toml: larger than 256 kB"),
    ],
)
def test_wrong_toml(save: Save, text: str, message: str) -> None:
    assert refused(save("a.toml", text)).startswith(message)


def test_csv_by_hand(save: Save) -> None:
    path = save(
        "mine.csv",
        "Note, TERM ,Lang,name,Status,game\r\n"
        '"two\r\nlines",引く,en,"draw, then",,mtg\r\n'
        ",,,,,\r\n"
        ",引く,en,pull,Forbid\r\n"
        ",墓地,en-US, graveyard ,admitted,,\r\n",
    )
    assert list(read_decisions(path)) == [
        Decision("引く", "en", "draw, then", "preferred", "two\r\nlines", "mtg", where=f"{path}:2"),
        Decision("引く", "en", "pull", "forbidden", where=f"{path}:5"),
        Decision("墓地", "en", "graveyard", "admitted", where=f"{path}:6"),
    ]


@pytest.mark.parametrize("sign", [",", ";", "\t"])
@pytest.mark.parametrize("charset", ["utf-8", "utf-8-sig", "utf-16", "cp932", "euc-jp"])
@pytest.mark.parametrize("end", ["\r\n", "\n", "\r"])
def test_what_spreadsheets_save(save: Save, sign: str, charset: str, end: str) -> None:
    rows = ("term,lang,name,note", "カードを引く,en,draw,", "墓地,en,graveyard,ずっと")
    text = "".join(row.replace(",", sign) + end for row in rows)
    for name in ("a.csv", "a.txt"):
        found = list(read_decisions(save(name, text, charset), LANGS))
        assert [(item.term, item.name, item.note) for item in found] == [
            ("カードを引く", "draw", ""), ("墓地", "graveyard", "ずっと")
        ]  # fmt: skip


def test_the_charset_is_told_by_what_comes_late(save: Save) -> None:
    text = "term,lang,name\n" + "draw,en,a\n" * 20_000 + "引く,en,ドロー\n"
    *_, last = read_decisions(save("a.csv", text, "cp932"))
    assert (last.term, last.name) == ("引く", "ドロー")


_HEADER = "term,lang,name,status\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a.csv: empty"),
        ("\n \n", "a.csv: empty"),
        ("term,lang\na,en\n", "a.csv:1: no column name;"),
        ("\nterm,lang,nmae\n", "a.csv:2: no column nmae; nearest: name"),
        ("引く,draw\n", "a.csv:1: no names of columns; write them in the first"),
        ('lang,"a\nb\x01"\n', "a.csv:1: no column a b (there are"),
        (_HEADER + 'a,en,"b\nc"\na,en,"d\ne"\n', "a.csv:4: d e is preferred for a (en), but"),
        ("term,lang,name,Name\n", "a.csv:1: the column Name is there twice"),
        ("term,concept,lang,name\n", "a.csv:1: the column concept is there twice"),
        (_HEADER + "\na,en,b,prefered\n", "a.csv:3: no status prefered; nearest: preferred (the"),
        (_HEADER + "a,en,b,nope\n", "a.csv:2: no status nope (there are: preferred, admitted, d"),
        (_HEADER + "a,en,b,,c\n", "a.csv:2: 5 cells, but the first line names 4 columns"),
        (_HEADER + "a,en\n", "a.csv:2: the column name is empty"),
        (_HEADER + ",en,b\n", "a.csv:2: the column term is empty"),
        (_HEADER + "a,,b\n", "a.csv:2: the column lang is empty"),
        (_HEADER + "a,e n,b\n", "a.csv:2: e n is no language"),
        (_HEADER + 'a,en,"b\nc', "a.csv:2: not CSV: unexpected end of data"),
        (_HEADER + 'a,en,"b" c\n', "a.csv:2: not CSV: ',' expected after '\"'"),
        (_HEADER + "a,en,b\na,en,c\n", "a.csv:3: c is preferred for a (en), but a.csv:2 says b"),
        (_HEADER + "a,en,b\n,,,\na,en,b,forbid\n", "a.csv:4: b is forbidden for a (en), but a.c"),
        ("term,lang,name,status\na,en,b,forbid\na,en,b,prefer\n", "a.csv:3: b is preferred for a"),
        (_HEADER + "a,en," + "b" * 200_000, "a.csv:2: not CSV: field larger than field limit"),
        ("a" * (lines_of_any_charset.LONGEST_LINE + 1), "a.csv:1: a line longer than 1048576"),
        (_HEADER + "a,en," + '"\n",' * 300_000, "a.csv:2: a row longer than 1048576"),
        ("term,lang,name" + "," * 900_000 + "x", "a.csv:1: no column ''"),
    ],
)
def test_wrong_csv(save: Save, text: str, message: str) -> None:
    assert refused(save("a.csv", text)).startswith(message)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"term,lang,name\na,en,\xff\xff\xff\n", "a.csv:2: not text in UTF-8"),
        ("term,lang,name\n引く,en,a\n".encode() + b"a,en,\xe5\n", "a.csv:3: not text in UTF-8"),
        ("term,lang,name\n".encode("utf-16-le"), "a.csv: UTF-16 without a byte order mark"),
        ("term,lang,name\n".encode("utf-16") + b"a", "a.csv:2: not text in UTF-16"),
        (b"\x89PNG\r\n\x1a\n\0\0", "a.csv:1: not text in UTF-8"),
        ("term,lang,name\na,fr,défausser\n".encode("cp1252"), "a.csv:2: not text in UTF-8"),
    ],
)
def test_what_is_no_text(save: Save, data: bytes, message: str) -> None:
    assert refused(save("a.csv", data)).startswith(message)


def test_no_statuses_contradict_each_other_across_concepts(save: Save) -> None:
    text = "term,lang,name,game\na,en,b,mtg\na,ja,c,mtg\na,en,d,ygo\ne,en,b,mtg\na,en,b,mtg\n"
    assert len(list(read_decisions(save("a.csv", text)))) == 5


def test_an_exported_termbase_is_a_file_of_decisions(tmp_path: Path) -> None:
    path = tmp_path / "terms.csv"
    with path.open("wb") as out:
        csv_terms.write(many_concepts(200), out)
    names = [name for concept in many_concepts(200) for name in concept.names]
    unedited = [name for name in names if (name.why, name.status) == ("proposed", "admitted")]
    assert len(list(read_decisions(path))) == len(names) - len(unedited) < len(names)


def test_a_glossary_of_omegat(save: Save) -> None:
    for suffix in (".txt", ".utf8", ".tab", ".TSV"):
        (found,) = read_decisions(save(f"a{suffix}", "引く\tdraw\n"), LANGS)
        assert (found.term, found.lang, found.name) == ("引く", "en", "draw")
    assert "does not say its languages" in refused(save("a.txt", "引く\tdraw\n"), None)


def test_two_preferred_targets_are_not_a_contradiction_in_a_glossary(save: Save) -> None:
    found = read_decisions(save("a.txt", "引く\tdraw\n引く\tpull\n"), LANGS)
    assert [item.status for item in found] == ["preferred", "admitted"]


def test_tmx(save: Save) -> None:
    segments = '<tuv xml:lang="ja"><seg>引く</seg></tuv><tuv xml:lang="en"><seg>draw</seg></tuv>'
    path = save("a.tmx", f'<tmx><header srclang="ja"/><body><tu>{segments}</tu></body></tmx>')
    (found,) = read_decisions(path)
    assert (found.term, found.lang, found.name) == ("引く", "en", "draw")
    (found,) = read_decisions(path, ("en", "ja"))
    assert (found.term, found.lang, found.name) == ("draw", "ja", "引く")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("<xliff/>", "a.tbx: its root element is xliff, but TBX (root"),
        ("", "a.tbx is empty"),
        ("引く,draw", "a.tbx: not well-formed XML: "),
        ("<!--" + "a" * (1 << 20), "a.tbx: not well-formed XML: "),
        ("<" + "a" * (1 << 20), "a.tbx: not well-formed XML: "),
        ('<?xml version="1.0" encoding="Shift_JIS"?><tbx/>', "a.tbx: none of the elements"),
    ],
)
def test_what_is_no_tbx(save: Save, data: str, message: str) -> None:
    assert refused(save("a.tbx", data)).startswith(message)


def test_what_is_no_file_of_decisions(save: Save, tmp_path: Path) -> None:
    assert refused(save("a.docx", "")).startswith("a.docx: no format of decisions is known by")
    assert refused(tmp_path / "none.csv") == "none.csv: can't be read: No such file or directory"
    (tmp_path / "b.csv").mkdir()
    assert refused(tmp_path / "b.csv") == "b.csv: can't be read: a folder, not a file; not read"
    os.mkfifo(tmp_path / "c.toml")
    assert refused(tmp_path / "c.toml").startswith("c.toml: can't be read: a named pipe")


def test_the_number_of_decisions_is_bounded(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decisions_file, "MOST_DECISIONS", 2)
    path = save("a.csv", "term,lang,name\n" + "".join(f"a{n},en,b\n" for n in range(3)))
    assert refused(path) == "a.csv: more than 2 decisions; not read"


def test_a_line_without_an_end_is_not_read_to_the_end(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("term,lang,name\n引く,en,", encoding="utf-8")
    with path.open("r+b") as file:
        file.truncate(3 << 30)  # takes no room on the disk
    assert refused(path) == "a.csv:2: a line longer than 1048576 characters; not read"


def test_a_file_that_cannot_be_read_twice(save: Save) -> None:
    read_end, write_end = os.pipe()
    with os.fdopen(write_end, "wb") as into:
        into.write("term,lang,name\n引く,en,draw\n".encode("cp932"))
    with os.fdopen(read_end, "rb") as file:
        (found,) = csv_terms.read(file, "-")
    assert (found.term, found.where) == ("引く", "-:2")


@given(
    data=st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode()),
    head=st.sampled_from((b"", b"term,lang,name\n", b"[[decision]]\n", b"<tmx><body><tu>")),
    suffix=st.sampled_from((".toml", ".csv", ".txt", ".tmx")),
)
def test_any_bytes_are_read_or_refused(data: bytes, head: bytes, suffix: str) -> None:
    file, said = io.BytesIO(head + data), f"a{suffix}"
    decisions = []
    try:
        decisions = list(decisions_file._read(file, f"a{suffix}", LANGS))  # type: ignore[arg-type]
    except SourceError as error:
        said = str(error)
    assert said.startswith(f"a{suffix}")
    assert all(decision.name and decision.term for decision in decisions)


@pytest.mark.parametrize("write", [tbx.write, tbx.write_2008])
def test_tbx_of_either_version(tmp_path: Path, write: Callable[..., int]) -> None:
    path = tmp_path / "a.TBX"
    with path.open("wb") as out:
        write(many_concepts(8), out)
    assert len(list(read_decisions(path))) == 32


def test_two_entries_of_one_name_are_no_contradiction_in_another_tools_termbase(save: Save) -> None:
    entries = "".join(
        f'<conceptEntry id="c{number}"><langSec xml:lang="ja"><termSec><term>引く</term></termSec>'
        f'</langSec><langSec xml:lang="en"><termSec><term>{name}</term></termSec></langSec>'
        "</conceptEntry>"
        for number, name in enumerate(("draw", "subtract"))
    )
    text = f'<tbx xmlns="urn:iso:std:iso:30042:ed-2"><text><body>{entries}</body></text></tbx>'
    found = [(item.name, item.status) for item in read_decisions(save("a.tbx", text))]
    assert found[1::2] == [("draw", "preferred"), ("subtract", "admitted")]


@pytest.mark.parametrize(
    ("module", "suffix"), [("csv_terms", "csv"), ("tbx", "tbx"), ("omegat", "txt")]
)
def test_an_export_that_nobody_edited_decides_on_no_proposed_name(
    tmp_path: Path, module: str, suffix: str
) -> None:
    concept = Concept(
        "g/term/Spell",
        "g",
        (
            ConceptName("en", "Spell"),
            ConceptName("ja", "呪文", "admitted", "proposed", score=30.0),
        ),
    )
    file = tmp_path / f"export.{suffix}"
    with file.open("wb") as out:
        import_module(f"kb.interchange.{module}").write([concept], out, ("en", "ja"))
    decisions = list(read_decisions(file, ("en", "ja")))
    assert "呪文" not in [decision.name for decision in decisions]
