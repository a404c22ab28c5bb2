"""TMX 1.4b: what is written is valid and others read it; what is read may be anybody's."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest
from lxml import etree
from translate.storage.tmx import tmxfile

from kb.control_characters import xml_text
from kb.errors import SourceError
from kb.interchange import tmx
from kb.interchange.tmx import LONGEST_TEXT, TmxUnit
from kb.termbase.model import TranslationUnit
from tests.termbases import HOSTILE, many_concepts

# The content model of TMX 1.4b, with the attributes that it requires and those that are written.
DTD = etree.DTD(
    io.StringIO(
        """
    <!ELEMENT tmx (header, body)>
    <!ATTLIST tmx version CDATA #FIXED "1.4">
    <!ELEMENT header (note | prop | ude)*>
    <!ATTLIST header creationtool CDATA #REQUIRED creationtoolversion CDATA #REQUIRED
        segtype (block | paragraph | sentence | phrase) #REQUIRED o-tmf CDATA #REQUIRED
        adminlang CDATA #REQUIRED srclang CDATA #REQUIRED datatype CDATA #REQUIRED>
    <!ELEMENT body (tu*)>
    <!ELEMENT tu ((note | prop)*, tuv+)>
    <!ATTLIST tu tuid CDATA #IMPLIED>
    <!ELEMENT tuv ((note | prop)*, seg)>
    <!ATTLIST tuv xml:lang CDATA #REQUIRED>
    <!ELEMENT seg (#PCDATA | bpt | ept | ph | it | hi | ut)*>
    <!ELEMENT note (#PCDATA)>
    <!ELEMENT prop (#PCDATA)>
    <!ATTLIST prop type CDATA #REQUIRED>
    <!ELEMENT ude EMPTY>
    <!ELEMENT bpt (#PCDATA | sub)*> <!ELEMENT ept (#PCDATA | sub)*> <!ELEMENT ph (#PCDATA | sub)*>
    <!ELEMENT it (#PCDATA | sub)*> <!ELEMENT ut (#PCDATA | sub)*>
    <!ELEMENT hi (#PCDATA | bpt | ept | ph | it | hi | ut)*>
    <!ELEMENT sub (#PCDATA | bpt | ept | ph | it | hi | ut)*>
    """
    )
)


def hostile_units() -> list[TranslationUnit]:
    units = [
        TranslationUnit(concept.id, "gloss", ((ja.lang, ja.text), (en.lang, en.text)), concept.game)
        for concept in many_concepts(2 * len(HOSTILE))
        for ja, en in [concept.definitions]
    ]
    rule = (("ja", "1枚引く。"), ("en", "Draw one."), ("de", "Zieh eine."))
    return [*units, TranslationUnit('a"<\n', "rule", rule, "mtg", "20260709")]


def texts(unit: TmxUnit) -> tuple[tuple[str, str], ...]:
    return tuple((each.lang, each.text) for each in unit.texts)


def written(units: list[TranslationUnit], langs: tuple[str, str] | None = None) -> bytes:
    out = io.BytesIO()
    count = tmx.write(units, out, langs)
    assert out.getvalue().count(b"<tu ") == count
    return out.getvalue()


def test_it_is_valid_and_an_independent_reader_finds_the_same_pairs() -> None:
    data = written(hostile_units(), ("ja", "en"))
    assert DTD.validate(etree.fromstring(data)), DTD.error_log
    store = tmxfile(io.BytesIO(data), sourcelanguage="ja", targetlanguage="en")
    found = [(unit.getid(), unit.source, unit.target) for unit in store.units]
    assert found == [
        (xml_text(unit.id), *(xml_text(text) for lang, text in unit.texts if lang != "de"))
        for unit in hostile_units()
    ]


def test_it_reads_back_what_it_writes_with_all_languages() -> None:
    data = written(hostile_units())
    assert DTD.validate(etree.fromstring(data)), DTD.error_log
    assert b'srclang="*all*"' in data
    read = list(tmx.read_units(io.BytesIO(data), "a.tmx"))
    assert [(unit.id, texts(unit), unit.game) for unit in read] == [
        (xml_text(unit.id), tuple((lang, xml_text(text)) for lang, text in unit.texts), unit.game)
        for unit in hostile_units()
    ]
    assert {unit.source_lang for unit in read} == {""}


def test_properties_tell_where_a_unit_belongs() -> None:
    root = etree.fromstring(written(hostile_units()[-1:]))
    properties = {prop.get("type"): prop.text for prop in root.iter("prop")}
    assert properties == {"x-game": "mtg", "x-edition": "20260709", "x-kind": "rule"}


def test_the_source_language_comes_first_and_others_are_left_out() -> None:
    data = written(hostile_units(), ("en", "de"))
    (unit,) = tmx.read_units(io.BytesIO(data), "a.tmx")
    assert texts(unit) == (("en", "Draw one."), ("de", "Zieh eine."))
    assert unit.source_lang == "en"


def test_a_unit_without_two_texts_is_left_out() -> None:
    one = TranslationUnit("a", "rule", (("ja", "引く"), ("en", " \x01")))
    assert b"<tu" not in written([one])
    assert DTD.validate(etree.fromstring(written([])))


def _file(segments: str, header: str = "", unit: str = "", prolog: str = "") -> io.BytesIO:
    text = f"{prolog}<tmx><header {header}/><body>\n<tu {unit}>{segments}</tu></body></tmx>"
    return io.BytesIO(text.encode())


def _segment(content: str, lang: str = 'xml:lang="en"') -> str:
    return f"\n<tuv {lang}>\n<seg>{content}</seg></tuv>"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("a <hi>b <hi>c</hi></hi> d", "a b c d"),
        ('a<bpt i="1">&lt;b></bpt>b<ept i="1">&lt;/b></ept>c', "abc"),
        ("a<ph>{0}<sub>title</sub></ph>b", "ab"),
        ("a<it pos='begin'>[x]</it><ut>\\par</ut>b", "ab"),
        ('a<ph type="lb"/>b', "a\nb"),
        ("<hi>a<bpt i='1'>x<sub>s<ph>y</ph>t</sub></bpt>b</hi>", "ab"),
        ("a<!-- c --><![CDATA[<b>]]>&amp;&#x5f15;", "a<b>&引"),
        ("a<ph/><?pi x?>b", "ab"),
        ("", ""),
        ("  a\n b ", "  a\n b "),
    ],
)
def test_inline_codes_are_no_text_and_what_is_marked_is(content: str, text: str) -> None:
    (unit,) = tmx.read_units(_file(_segment(content)), "a.tmx")
    assert texts(unit) == (("en", text),)


def test_languages_and_the_lines_of_their_texts() -> None:
    segments = _segment("Draw") + _segment("引く", 'lang="JA-JP"')
    (unit,) = tmx.read_units(_file(segments, 'srclang="EN-us"', 'tuid="7"'), "a.tmx")
    assert (unit.id, texts(unit)) == ("7", (("en", "Draw"), ("JA-JP", "引く")))
    assert (unit.source_lang, [each.line for each in unit.texts]) == ("EN-us", [4, 6])
    (unit,) = tmx.read_units(_file(segments, 'srclang="*all*"', 'srclang="ja"'), "a.tmx")
    assert unit.source_lang == "ja"


def test_lines_are_right_in_long_files() -> None:
    (unit,) = tmx.read_units(_file("\n" * 70_000 + _segment("Draw")), "a.tmx")
    assert unit.texts[0].line == 70_004


@pytest.mark.parametrize("charset", ["utf-8-sig", "utf-16"])
def test_byte_order_marks(charset: str) -> None:
    data = _file(_segment("引く")).getvalue().decode().encode(charset)
    (unit,) = tmx.read_units(io.BytesIO(data), "a.tmx")
    assert texts(unit) == (("en", "引く"),)


def test_attributes_that_a_dtd_adds_are_not_read() -> None:
    prolog = '<!DOCTYPE tmx [<!ATTLIST tuv xml:lang CDATA "en">]>'
    with pytest.raises(SourceError, match="a tuv without xml:lang"):
        list(tmx.read(_file(_segment("a", ""), prolog=prolog), "a.tmx"))


def test_text_split_over_pieces_of_the_file_is_whole() -> None:
    text = "引く & " * 60_000
    (unit,) = tmx.read_units(_file(_segment(text.replace("&", "&amp;"))), "a.tmx")
    assert unit.texts[0].text == text


_DOCTYPE = '<!DOCTYPE tmx SYSTEM "tmx14.dtd">'


def test_a_reference_to_the_published_dtd_is_fine() -> None:
    (unit,) = tmx.read_units(_file(_segment("a"), prolog=_DOCTYPE), "a.tmx")
    assert texts(unit) == (("en", "a"),)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (_file(_segment("a<b></seg>")), r"a\.tmx: line 4: the XML is broken: mismatched tag"),
        (io.BytesIO(b""), r"a\.tmx: line 1: the XML is broken: no element found"),
        (io.BytesIO(b"<tmx><body><tu>"), r"a\.tmx: line 1: the XML is broken"),
        (io.BytesIO(b"\n<xliff/>"), r"a\.tmx: line 2: the root element is xliff"),
        (io.BytesIO(b"PK\x03\x04"), r"a\.tmx: line 1: the XML is broken"),
        (io.BytesIO(b'<?xml version="1.0" encoding="Shift_JIS"?><tmx/>'), "save it as UTF-8"),
        (io.BytesIO(b'<?xml version="1.0" encoding="x-none"?><tmx/>'), "a.tmx"),
        (_file(_segment("a", "")), r"a\.tmx:4: a tuv without xml:lang"),
        (_file(_segment("a", 'xml:lang="Japanese!"')), r"a\.tmx:4: Japanese! is no language"),
        (
            _file(_segment("&e;"), prolog='<!DOCTYPE tmx [<!ENTITY e "x">]>'),
            "line 1: the entity e is one of its own",
        ),
        (
            _file(
                _segment("&e;"), prolog='<!DOCTYPE tmx [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
            ),
            "line 1: the entity e is one of its own",
        ),
        (
            _file(_segment("&nbsp;"), prolog=_DOCTYPE),
            r"a\.tmx: line 4: the entity nbsp is one of its own",
        ),
        (_file(_segment("&nbsp;")), r"a\.tmx: line 4: the XML is broken: undefined entity"),
        (_file(_segment("<hi>" * 2000)), "nested more than 1000 deep"),
        (_file(_segment("a" * (LONGEST_TEXT + 1))), "a text longer than"),
        (_file(_segment("a") * 1001), "over 1000 texts"),
    ],
)
def test_what_cannot_be_read_is_one_line(data: io.BytesIO, message: str) -> None:
    data.seek(0)
    with pytest.raises(SourceError, match=message) as raised:
        list(tmx.read(data, "a.tmx"))
    assert "\n" not in str(raised.value)


class _Endless(io.RawIOBase):
    """A file that begins in some way and then repeats the same for ever."""

    def __init__(self, begin: bytes, again: bytes) -> None:
        self._pieces = self._parts(begin, again)
        self.given = 0

    @staticmethod
    def _parts(begin: bytes, again: bytes) -> Iterator[bytes]:
        yield begin
        while True:
            yield again * (60_000 // len(again))

    def read(self, size: int = -1) -> bytes:
        piece = next(self._pieces)
        self.given += len(piece)
        return piece


@pytest.mark.parametrize(
    ("begin", "again"),
    [
        (b"<tmx ", b"a"),
        (b'<tmx a="', b"a "),
        (b"<tmx><!--", b"a"),
        (b"<tmx><header/><body><tu><tuv xml:lang='en'><seg>", b"a"),
        (b"<tmx><header/><body><tu><tuv xml:lang='en'><seg>", b"<hi>"),
        (b"<tmx><header/><body><tu>", b"<tuv xml:lang='en'><seg/></tuv>"),
        (b"<tmx><header/><body><tu><tuv xml:lang='en'>", b"<seg>a</seg>"),
    ],
)
def test_nothing_endless_is_kept(begin: bytes, again: bytes) -> None:
    endless = _Endless(begin, again)
    with pytest.raises(SourceError):
        list(tmx.read(endless, "a.tmx"))  # type: ignore[arg-type]
    assert endless.given < 16 << 20


def _terms(*pairs: tuple[str, str]) -> io.BytesIO:
    units = [
        TranslationUnit(str(number), "gloss", (("ja", ja), ("en", en)), "mtg")
        for number, (ja, en) in enumerate(pairs)
    ]
    return io.BytesIO(written(units))


def test_short_units_are_decisions_on_terms() -> None:
    file = _terms(("引く", "draw"), ("引く", "pull"), ("引く", "draw"), ("1枚引く。", "Draw it."))
    found = [
        (item.term, item.lang, item.name, item.status, item.game, item.where)
        for item in tmx.read(file, "a.tmx")
    ]
    assert found == [
        ("引く", "en", "draw", "preferred", "mtg", "a.tmx:9"),
        ("引く", "en", "pull", "admitted", "mtg", "a.tmx:15"),
        ("引く", "en", "draw", "preferred", "mtg", "a.tmx:21"),
    ]


def test_the_languages_of_decisions_may_be_given() -> None:
    file = _terms(("引く", "draw"))
    (found,) = tmx.read(file, "a.tmx", ("en", "ja"))
    assert (found.term, found.lang, found.name) == ("draw", "ja", "引く")


def test_a_memory_of_sentences_is_no_termbase() -> None:
    with pytest.raises(SourceError, match=r"a\.tmx: none of its 1 units is a term"):
        list(tmx.read(_terms(("1枚引く。", "Draw a card.")), "a.tmx"))
