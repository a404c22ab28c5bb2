"""TBX 3 and TBX 2008: what is written is valid and read alike by other readers; what others write
is read; what can't be read is one message."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from io import BytesIO
from itertools import islice
from pathlib import Path
from random import Random
from typing import BinaryIO, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from translate.storage.tbx import tbxfile

from kb.control_characters import xml_text
from kb.errors import ERRORS
from kb.interchange import tbx
from kb.interchange.tbx import concept_of_id, xml_id
from kb.termbase.model import (
    Concept,
    ConceptDefinition,
    ConceptName,
    ConceptSpelling,
    Decision,
    RelatedConcept,
)
from tests.termbases import HOSTILE, hostile_concepts, many_concepts
from tests.timing import grows_linearly

Write = Callable[..., int]
VERSIONS = (tbx.write, tbx.write_2008)
NS = {"t": "urn:iso:std:iso:30042:ed-2"}
LANG = "{http://www.w3.org/XML/1998/namespace}lang"
DRAW = Concept(
    "mtg/term/引く",
    "mtg",
    (
        ConceptName("ja", "引く", reading="ひく", part_of_speech="verb", authority="引く",
                    url="https://wiki.example/引く", passage="mtgwiki/引く#1",
                    context="カードを1枚引く。", context_passage="mtg/cr/1/ja/121.1", count=3),
        ConceptName("ja", "ドロー", "admitted", "alias"),
        ConceptName("en", "draw", authority="Rules (20260709)"),
        ConceptName("en", "pull", "deprecated", "older edition"),
        ConceptName("en", "fetch", "forbidden", "decision", note="means a search"),
        ConceptName("en", "drawing", "admitted", "proposed", score=12.5),
    ),
    definitions=(ConceptDefinition("ja", "山札の上から手札に加える。", "引く (3)"),),
    related=(RelatedConcept("ygo/term/ドロー", "close", "both glossaries"),),
    spellings=(ConceptSpelling("ja", "ひく", 7),),
    url="https://wiki.example/引く?a=b&c=d",
)  # fmt: skip


def written(version: Write, *concepts: Concept, langs: tuple[str, str] | None = None) -> bytes:
    out = BytesIO()
    assert version(concepts, out, langs) == len(concepts)
    return out.getvalue()


def decisions(document: bytes | str) -> list[Decision]:
    data = document.encode() if isinstance(document, str) else document
    return list(tbx.read(BytesIO(data), "terms.tbx"))


def expected(concepts: tuple[Concept, ...]) -> list[tuple[object, ...]]:
    """What decisions must say of concepts, when characters that XML can't hold are gone."""
    return [
        (
            concept.id, name.lang, xml_text(name.text), name.status, xml_text(name.note),
            concept.game, name.reading and xml_text(name.reading), name.part_of_speech,
            "\n\n".join(
                xml_text(item.text) for item in concept.definitions if item.lang == name.lang
            ),
        )
        for concept in concepts
        for name in concept.names
    ]  # fmt: skip


def said(found: list[Decision]) -> list[tuple[object, ...]]:
    return [
        (item.term, item.lang, item.name, item.status, item.note, item.game, item.reading,
         item.part_of_speech, item.definition)
        for item in found
    ]  # fmt: skip


@pytest.mark.parametrize("version", VERSIONS)
def test_round_trip(version: Write) -> None:
    concepts = (DRAW, *hostile_concepts())
    assert said(decisions(written(version, *concepts))) == expected(concepts)


@pytest.mark.parametrize("version", VERSIONS)
@settings(max_examples=60, deadline=None)
@given(text=st.text(st.characters(codec=None)), concept=st.text(st.characters(codec=None)))
def test_round_trip_of_any_text(version: Write, text: str, concept: str) -> None:
    name = ConceptName("ja", f"a{text}b", note=f"c{text}d", reading=f"e{text}f", authority=text)
    (found,) = decisions(written(version, Concept(f"mtg/term/{concept}", None, (name,))))
    assert found.term == f"mtg/term/{concept}"
    assert (found.name, found.note, found.reading) == tuple(
        re.sub(r"(?<![ \t])[ \t]*\r?\n[ \t]+", " ", xml_text(given))
        for given in (name.text, name.note, name.reading or "")
    )


# --- what is written --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def schema() -> etree.RelaxNG:
    return etree.RelaxNG(etree.parse(Path(__file__).with_name("tbx_linguist.rng")))


STRANGE = (
    Concept("", None, (ConceptName("en", "nameless"),)),
    Concept("9/-.x_y:z・ー々Ａ\ud800\x00", None, (ConceptName("ja", "奇妙"),), url="no address"),
    Concept(
        "mtg/term/孤立", "mtg", (ConceptName("ja", "孤立"), ConceptName("en", "\x01 ")),
        definitions=(ConceptDefinition("en", "alone"), ConceptDefinition("not a tag!", "so")),
        spellings=(ConceptSpelling("en", "alone", 1),),
        url="https://wiki.example/a b%zz[1]#x#y<\x01",
    ),
)  # fmt: skip

# A rule of TBX-Linguist's Schematron: an expression that finds what breaks it.
RULES = {
    "a termNote belongs to a term": "//t:termNote[not(parent::t:termSec)]",
    "a type is not empty": "//*[@type='']",
    "a target is an address or an id of the file":
        "//*[@target][not(starts-with(@target, 'http')) and not(@target = //@id)]",
    "the dialect is TBX-Linguist": "/*[not(@type='TBX-Linguist')]",
    "the style is dca": "/*[not(@style='dca')]",
    "all elements are of TBX": f"//*[namespace-uri() != '{NS['t']}']",
    "a subject field belongs to a concept":
        "//t:descrip[@type='subjectField'][not(parent::t:conceptEntry)]",
    "the values of administrativeStatus":
        "//t:termNote[@type='administrativeStatus'][not(.='preferredTerm-admn-sts' or "
        ".='admittedTerm-admn-sts' or .='deprecatedTerm-admn-sts' or "
        ".='supersededTerm-admn-sts')]",
    "the values of partOfSpeech":
        "//t:termNote[@type='partOfSpeech'][not(.='noun' or .='verb' or .='adjective' or "
        ".='adverb' or .='other')]",
    "the values of termType":
        "//t:termNote[@type='termType'][not(.='fullForm' or .='acronym' or .='abbreviation' or "
        ".='shortForm' or .='variant' or .='phrase')]",
    "a source belongs to a concept, a language, a term or a description":
        "//t:admin[@type='source'][not(parent::t:conceptEntry or parent::t:langSec or "
        "parent::t:termSec or parent::t:descripGrp)]",
    "a context belongs to a term":
        "//t:descrip[@type='context'][not(parent::t:termSec or "
        "parent::t:descripGrp/parent::t:termSec)]",
    "a definition belongs to a concept or a language":
        "//t:descrip[@type='definition'][not(parent::t:conceptEntry or parent::t:langSec or "
        "parent::t:descripGrp/parent::t:conceptEntry or parent::t:descripGrp/parent::t:langSec)]",
    "a cross reference belongs to a concept or a term":
        "//t:ref[@type='crossReference'][not(parent::t:conceptEntry or parent::t:termSec)]",
    "an external one, too":
        "//t:xref[@type='externalCrossReference']"
        "[not(parent::t:conceptEntry or parent::t:termSec)]",
    "a reading belongs to a term":
        "//t:admin[@type='reading'][not(parent::t:termSec or "
        "parent::t:adminGrp/parent::t:termSec)]",
}  # fmt: skip


def broken_rules(document: etree._Element) -> list[str]:
    return [rule for rule, breach in RULES.items() if document.xpath(breach, namespaces=NS)]


def test_tbx3_is_valid(schema: etree.RelaxNG) -> None:
    document = etree.fromstring(written(tbx.write, DRAW, *STRANGE, *hostile_concepts()))
    assert schema.validate(document), schema.error_log
    assert broken_rules(document) == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (b"<term>draw</term>", b""),
        (b' id="mtg.term.', b' id="mtg/term/'),
        (b' xml:lang="ja"', b""),
        (b'type="reading"', b'type="pronunciation"'),
        (b'type="crossReference"', b'type="relatedConcept"'),
        (b'target="https:', b'target="ftp:'),
        (b"<note>preferred: title</note>", b"<termNote type='partOfSpeech'>verb</termNote>"),
        (b"conceptEntry", b"termEntry"),
        (b'type="definition"', b'type="explanation"'),
    ],
)
def test_schema_refuses(schema: etree.RelaxNG, right: bytes, wrong: bytes) -> None:
    document = written(tbx.write, DRAW)
    assert right in document
    assert not schema.validate(etree.fromstring(document.replace(right, wrong)))


def test_rules_can_be_broken() -> None:
    document = written(tbx.write, DRAW)
    for right, wrong, rule in (
        (b"deprecatedTerm-admn-sts", b"deprecated", "the values of administrativeStatus"),
        (b">verb<", b">v<", "the values of partOfSpeech"),
        (b'"context"', b'"definition"', "a definition belongs to a concept or a language"),
        (b'"definition"', b'"context"', "a context belongs to a term"),
        (b"TBX-Linguist", b"TBX-Basic", "the dialect is TBX-Linguist"),
    ):
        assert broken_rules(etree.fromstring(document.replace(right, wrong))) == [rule]


def test_what_tbx3_says() -> None:
    """Read with the standard library, by the names of the data categories."""
    root = ElementTree.fromstring(written(tbx.write, DRAW))
    (entry,) = root.iter(f"{{{NS['t']}}}conceptEntry")
    assert concept_of_id(entry.attrib["id"]) == DRAW.id
    assert entry.findtext("t:descrip[@type='subjectField']", "", NS) == "mtg"
    assert entry.findtext("t:ref[@type='crossReference']", "", NS) == (
        "ygo/term/ドロー (close: both glossaries)"
    )
    (link,) = entry.findall("t:xref[@type='externalCrossReference']", NS)
    assert link.attrib["target"] == "https://wiki.example/%E5%BC%95%E3%81%8F?a=b&c=d"
    japanese, english = entry.findall("t:langSec", NS)
    assert (japanese.get(LANG), english.get(LANG)) == ("ja", "en")
    definition = japanese.find("t:descripGrp", NS)
    assert definition is not None
    assert [(item.get("type"), item.text) for item in definition] == [
        ("definition", "山札の上から手札に加える。"),
        ("source", "引く (3)"),
    ]
    assert japanese.findtext("t:note", "", NS) == "spellings met: ひく (7)"
    names = {
        term.findtext("t:term", "", NS): [
            (item.get("type", "note"), item.text)
            for item in term.iter()
            if item.text and item.text.strip() and not item.tag.endswith("}term")
        ]
        for term in entry.iter(f"{{{NS['t']}}}termSec")
    }
    status = "administrativeStatus"
    assert names == {
        "引く": [
            (status, "preferredTerm-admn-sts"), ("partOfSpeech", "verb"), ("reading", "ひく"),
            ("context", "カードを1枚引く。"), ("source", "mtg/cr/1/ja/121.1"),
            ("source", "引く, https://wiki.example/引く, mtgwiki/引く#1"),
            ("note", "preferred: title, met 3 times"),
        ],
        "ドロー": [(status, "admittedTerm-admn-sts"), ("note", "admitted: alias")],
        "draw": [
            (status, "preferredTerm-admn-sts"), ("source", "Rules (20260709)"),
            ("note", "preferred: title"),
        ],
        "pull": [(status, "deprecatedTerm-admn-sts"), ("note", "deprecated: older edition")],
        "fetch": [
            (status, "deprecatedTerm-admn-sts"), ("note", "forbidden: decision"),
            ("note", "means a search"),
        ],
        "drawing": [
            (status, "admittedTerm-admn-sts"),
            ("source", "proposed, no page states it, score 12.5"),
            ("note", "admitted: proposed, no page states it, score 12.5"),
        ],
    }  # fmt: skip


def test_abbreviation_is_a_term_type() -> None:
    concept = Concept(
        "mtg/term/墓地", "mtg", (ConceptName("en", "GY", "admitted", "abbreviation"),)
    )
    for version in VERSIONS:
        assert b'<termNote type="termType">abbreviation</termNote>' in written(version, concept)


@pytest.mark.parametrize("version", VERSIONS)
def test_languages_that_come_first(version: Write) -> None:
    document = etree.fromstring(written(version, DRAW, langs=("en", "ja")))
    assert document.xpath("//@xml:lang") == ["en", "en", "ja"]


@pytest.mark.parametrize("version", VERSIONS)
def test_no_concepts_and_no_names(version: Write) -> None:
    out = BytesIO()
    assert version([Concept("a", None, (ConceptName("en", "\x00"),))], out) == 0
    assert decisions(out.getvalue()) == []


@pytest.mark.parametrize("concept", ["", "/", "a/b.c", "_2f_", "1", "-", "ー", "々", "\ud800"])
def test_xml_id_is_an_ncname_that_leads_back(concept: str) -> None:
    etree.fromstring(f'<a xml:id="{xml_id(concept)}"/>')
    name = etree.RelaxNG(etree.fromstring(
        '<element name="a" xmlns="http://relaxng.org/ns/structure/1.0" datatypeLibrary='
        '"http://www.w3.org/2001/XMLSchema-datatypes"><data type="NCName"/></element>'
    ))  # fmt: skip
    assert name.validate(etree.fromstring(f"<a>{xml_id(concept)}</a>"))
    assert concept_of_id(xml_id(concept)) == concept


# --- what other programs read in TBX 2008 --------------------------------------------------------


def test_translate_toolkit_reads_tbx2008() -> None:
    concepts = (DRAW, *many_concepts(2 * len(HOSTILE)))
    store = tbxfile.parsestring(written(tbx.write_2008, *concepts), "ja", "en")
    assert [unit.getid() for unit in store.units] == [xml_id(concept.id) for concept in concepts]
    for unit, concept in zip(store.units, concepts, strict=True):
        for lang, terms in (("ja", unit.get_source_terms()), ("en", unit.get_target_terms())):
            names = [name for name in concept.names if name.lang == lang]
            assert [" ".join(term.text.split()) for term in terms] == [
                " ".join(xml_text(name.text).split()) for name in names
            ]
            assert [term.deprecated for term in terms] == [
                name.status in ("deprecated", "forbidden") for name in names
            ]


def omegat_entries(document: bytes, source: str, target: str) -> list[tuple[str, str, str]]:
    """The glossary entries that OmegaT makes of a TBX file: source, target, comment.

    It takes elements of any namespace, and each source term with each target term. The comment has
    the descriptions of the concept, then those, the term notes and the administrative information
    of both languages, then the notes of the concept; notes on a term are passed over.
    """
    found = []
    for entry in etree.fromstring(document).iter("{*}termEntry", "{*}conceptEntry"):
        terms: dict[str, list[str]] = {source: [], target: []}
        lines = [line for child in entry for line in _omegat_lines(child, "descrip")]
        for section in entry.iterchildren("{*}langSet", "{*}langSec"):
            lang = section.get(LANG, "").split("-")[0].lower()
            if lang in terms:
                terms[lang] += [term.text or "" for term in section.iter("{*}term")]
                names = section.iterchildren("{*}tig", "{*}termSec")
                for element in (*section, *(child for name in names for child in name)):
                    lines += _omegat_lines(element, "descrip", "termNote", "admin")
        lines += [note.text or "" for note in entry.iterchildren("{*}note")]
        found += [(a, b, "\n".join(lines)) for a in terms[source] for b in terms[target]]
    return found


def _omegat_lines(element: etree._Element, *taken: str) -> list[str]:
    name = etree.QName(element).localname
    described = element.find("{*}descrip") if name == "descripGrp" else element
    if described is None or etree.QName(described).localname not in taken:
        return []
    return [f"{described.get('type')}: {described.text}"]


@pytest.mark.parametrize("version", VERSIONS)
def test_what_omegat_reads(version: Write) -> None:
    found = omegat_entries(written(version, DRAW), "ja", "en")
    assert [(one, other) for one, other, _ in found] == [
        (one, other) for one in ("引く", "ドロー") for other in ("draw", "pull", "fetch", "drawing")
    ]
    kind = "reading" if version is tbx.write else "pronunciation"
    assert found[0][2].splitlines() == [
        "subjectField: mtg",
        "definition: 山札の上から手札に加える。",
        "administrativeStatus: preferredTerm-admn-sts",
        "partOfSpeech: verb",
        f"{kind}: ひく",
        "context: カードを1枚引く。",
        "source: 引く, https://wiki.example/引く, mtgwiki/引く#1",
        "administrativeStatus: admittedTerm-admn-sts",
        "administrativeStatus: preferredTerm-admn-sts",
        "source: Rules (20260709)",
        "administrativeStatus: deprecatedTerm-admn-sts",
        "administrativeStatus: deprecatedTerm-admn-sts",
        "administrativeStatus: admittedTerm-admn-sts",
        "source: proposed, no page states it, score 12.5",
        "concept: mtg/term/引く",
    ]


def test_order_in_tbx2008() -> None:
    """The DTD wants the term first, then its notes, then all else."""
    document = etree.fromstring(written(tbx.write_2008, DRAW, *hostile_concepts()))
    assert document.xpath("//tig[not(*[1][self::term])]") == []
    assert (
        document.xpath("//termNote[preceding-sibling::*[not(self::term or self::termNote)]]") == []
    )
    assert document.xpath("//langSet[tig/following-sibling::*[not(self::tig)]]") == []
    assert document.xpath("//termEntry[langSet/following-sibling::*[not(self::langSet)]]") == []
    assert document.getroottree().docinfo.system_url == "TBXcoreStructV02.dtd"


# --- what others write ---------------------------------------------------------------------------

DCT = """<?xml version="1.0"?><?xml-model href="x.rng"?>
<tbx type="TBX-Linguist" style="dct" xml:lang="en" xmlns="urn:iso:std:iso:30042:ed-2"
  xmlns:min="http://www.tbxinfo.net/ns/min" xmlns:basic="http://www.tbxinfo.net/ns/basic"
  xmlns:ling="http://www.tbxinfo.net/ns/linguist">
<tbxHeader><fileDesc><sourceDesc><p>by hand</p></sourceDesc></fileDesc></tbxHeader><text><body>
<conceptEntry id="c1"><min:subjectField>Magic: The Gathering</min:subjectField>
 <langSec xml:lang="en-US">
  <descripGrp><basic:definition>To put a card
      into a hand.</basic:definition><basic:source>x</basic:source><note>on it</note></descripGrp>
  <termSec><term>draw</term><min:partOfSpeech>verb</min:partOfSpeech>
   <min:administrativeStatus>preferred</min:administrativeStatus></termSec>
  <termSec><term>pull</term><min:administrativeStatus>obsolete</min:administrativeStatus>
   <note>old</note><note>very</note></termSec></langSec>
 <langSec xml:lang="ja"><termSec><term>
    引く
   </term><adminGrp><ling:reading>ひく</ling:reading><ling:readingNote>kana</ling:readingNote>
   </adminGrp></termSec></langSec>
</conceptEntry></body></text></tbx>"""


def test_dct_style() -> None:
    assert said(decisions(DCT)) == [
        ("引く", "en", "draw", "preferred", "", "mtg", None, "verb",
         "To put a card into a hand."),
        ("引く", "en", "pull", "deprecated", "old\nvery", "mtg", None, None,
         "To put a card into a hand."),
        ("引く", "ja", "引く", "preferred", "", "mtg", "ひく", None, ""),
    ]  # fmt: skip


MARTIF = """<?xml version="1.0"?>
<!DOCTYPE martif SYSTEM "file:///no/such/TBXBasiccoreStructV02.dtd">
<martif type="TBX-Basic" xml:lang="en"><martifHeader><fileDesc><sourceDesc><p/></sourceDesc>
</fileDesc></martifHeader><text><body>
<termEntry id="e1"><descrip type="subjectField">heraldry</descrip>
 <descrip type="definition">A stack.</descrip>
 <langSet xml:lang="en"><ntig><termGrp><term>the <hi type="bold">deck</hi></term>
  <termNote type="partOfSpeech">properNoun</termNote><termNoteGrp>
  <termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote><note>n</note>
  </termNoteGrp></termGrp><note>said often</note></ntig>
  <ntig><termGrp><term>library</term></termGrp></ntig><ntig><termGrp><term>pile</term></termGrp>
  </ntig></langSet>
 <langSet lang="ja_JP"><tig><term>山札</term><termNote type="pronunciation">やまふだ</termNote>
  <descrip type="definition">積んだ札。</descrip></tig></langSet>
 <langSet xml:lang="fr"><tig><term>pioche</term><termNote type="pronunciation">pjɔʃ</termNote>
  <termNote type="administrativeStatus">legalTerm-admn-sts</termNote></tig></langSet>
</termEntry></body></text></martif>"""


def test_tbx2008_by_others() -> None:
    assert said(decisions(MARTIF)) == [
        ("山札", "en", "the deck", "deprecated", "said often", None, None, "noun", "A stack."),
        ("山札", "en", "library", "preferred", "", None, None, None, "A stack."),
        ("山札", "en", "pile", "admitted", "", None, None, None, "A stack."),
        ("山札", "ja", "山札", "preferred", "", None, "やまふだ", None, "積んだ札。"),
        ("山札", "fr", "pioche", "preferred", "", None, None, None, ""),
    ]  # fmt: skip
    assert [item.where for item in decisions(MARTIF)] == ["terms.tbx:5"] * 5


@pytest.mark.parametrize(
    "entry",
    [
        '<entry id="C1"><langGroup xml:lang="ja"><termGroup><term>犬</term>{}</termGroup>'
        "</langGroup></entry>",
        '<conceptEntry id="C1"><langGroup xml:lang="ja"><termGroup><term>犬</term>{}</termGroup>'
        "</langGroup></conceptEntry>",
        '<termEntry id="C1"><langSet xml:lang="ja"><tig><term>犬</term>{}</tig></langSet>'
        "</termEntry>",
    ],
)
def test_tbx_min_of_2013(entry: str) -> None:
    said_of_it = "<termStatus>notRecommended</termStatus><partOfSpeech>noun</partOfSpeech>"
    document = f'<TBX dialect="TBX-Min"><body>{entry.format(said_of_it)}</body></TBX>'
    (found,) = decisions(document)
    assert (found.term, found.status, found.part_of_speech) == ("犬", "deprecated", "noun")


@pytest.mark.parametrize(
    ("value", "status"),
    [
        ("preferredTerm-admn-sts", "preferred"),
        ("preferredTermAdmnSts", "preferred"),
        ("admittedTerm", "admitted"),
        ("supersededTerm-admn-sts", "deprecated"),
        ("Not recommended", "deprecated"),
        ("deprecatedTerm-admn-sts", "deprecated"),
        ("forbidden", "forbidden"),
        ("regulatedTerm-admn-sts", "preferred"),  # the first without a status of ours
        ("nonsense", "preferred"),
    ],
)
def test_statuses(value: str, status: str) -> None:
    note = f'<termNote type="administrativeStatus">{value}</termNote>'
    (found,) = decisions(one_term(f"<termSec><term>x</term>{note}</termSec>"))
    assert found.status == status


def one_term(term: str, entry: str = "", start: str = "") -> str:
    return (
        f'{start}<tbx type="TBX-Core" style="dca" xml:lang="en"><text><body><conceptEntry id="c1">'
        f'{entry}<langSec xml:lang="en">{term}</langSec></conceptEntry></body></text></tbx>'
    )


TERM = "<termSec><term>x</term></termSec>"


def test_concept_of_a_file_that_another_tool_numbered_anew() -> None:
    document = written(tbx.write, DRAW).replace(xml_id(DRAW.id).encode(), b"_42")
    assert {item.term for item in decisions(document)} == {DRAW.id}


def test_concept_of_a_file_without_notes() -> None:
    entries = one_term(TERM).replace("c1", "mtg.term.引く")
    assert [item.term for item in decisions(entries)] == ["mtg/term/引く"]
    assert [item.term for item in decisions(one_term(TERM))] == ["x"]


def test_a_status_that_was_changed_in_another_tool_holds() -> None:
    forbidden = written(
        tbx.write, Concept("mtg/term/x", "mtg", (ConceptName("en", "x", "forbidden"),))
    )
    assert [item.status for item in decisions(forbidden)] == ["forbidden"]
    changed = forbidden.replace(b"deprecatedTerm", b"admittedTerm")
    assert [item.status for item in decisions(changed)] == ["admitted"]


@pytest.mark.parametrize("charset", ["utf-8-sig", "utf-16", "shift_jis", "euc-jp"])
def test_charsets(charset: str) -> None:
    stated = charset.removesuffix("-sig")
    document = one_term(
        "<termSec><term>引く</term></termSec>", "", f'<?xml version="1.0" encoding="{stated}"?>'
    )
    assert [item.name for item in decisions(document.encode(charset))] == ["引く"]


# --- what can't be read --------------------------------------------------------------------------

BOMB = '<!DOCTYPE tbx [<!ENTITY a "aaaa">' + "".join(
    f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9)
) + "]>"  # fmt: skip


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("\x1f\x8b\x08\x00", "compressed"),
        ("PK\x03\x04", "compressed"),
        ("<!doctype html><html><body>", "not well-formed"),
        ("<html><body><p>TBX</p></body></html>", "root element is html"),
        ('<tmx version="1.4"><body/></tmx>', "root element is tmx"),
        ("<mtf><conceptGrp/></mtf>", "root element is mtf"),
        ("source\ttarget\n引く\tdraw\n", "not well-formed"),
        ("{}", "not well-formed"),
        ("\ud800", "not well-formed"),
        (one_term(TERM)[:-20], "not well-formed"),
        (one_term("<termSec><term>a & b</term></termSec>"), "not well-formed"),
        (one_term("<termSec><term>\x01</term></termSec>"), "not well-formed"),
        (one_term("<termSec><term>&nbsp;</term></termSec>"), "not well-formed"),
        (one_term("<termSec><term>&j;</term></termSec>", "", BOMB), "declares entities"),
        (one_term(TERM, "", '<!DOCTYPE tbx [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
         "entities"),
        (one_term(TERM, "", '<!DOCTYPE tbx [<!ENTITY % x SYSTEM "file:///etc/passwd"> %x;]>'),
         "entities"),
        (one_term("<termSec><term>a&nbsp;b</term></termSec>", "", '<!DOCTYPE tbx SYSTEM "x.dtd">'),
         "entity &nbsp;"),
        (one_term(TERM).replace('<langSec xml:lang="en">', "<langSec>"), "no xml:lang"),
        (one_term(TERM).replace('<langSec xml:lang="en">', '<langSec xml:lang="English">'),
         "English is no language"),
        (one_term(TERM).replace("conceptEntry", "concept"), "conceptEntry, termEntry"),
        (one_term(TERM).replace("langSec", "language"), "no name is in its entries"),
        (one_term(TERM).replace("termSec", "termUnit"), "no name is in its entries"),
        ("<tbx/>", "conceptEntry, termEntry"),
        (one_term("<i>" * 300 + TERM + "</i>" * 300), "not well-formed"),
        (one_term(TERM + f"<a>{'a' * (1 << 20)}</a>" * 9), "more than 8 MB"),
        ("<!--" + "a" * (1 << 23) + "-->" + one_term(TERM), "more than 8 MB"),
        (one_term(TERM, "", '<?xml version="1.0" encoding="klingon"?>'), "not well-formed"),
    ],
    ids=lambda value: value[:20].encode("unicode-escape").decode(),
)  # fmt: skip
def test_wrong_input_is_one_message(document: str, message: str) -> None:
    data = document.encode("utf-8", "surrogatepass")
    if document.startswith("\x1f"):
        data = b"\x1f\x8b\x08\x00"
    with pytest.raises(ERRORS) as error:
        list(tbx.read(BytesIO(data), "terms.tbx"))
    assert message in str(error.value)
    assert str(error.value).startswith("terms.tbx")
    assert len(str(error.value).splitlines()) == 1
    assert len(str(error.value)) < 300


def test_damaged_files_are_read_or_refused() -> None:
    document, random = written(tbx.write, DRAW), Random(5)
    refused = 0
    for _ in range(300):
        damaged = bytearray(document)
        start = random.randrange(len(damaged))
        damaged[start : start + random.choice((0, 1, 5, 500))] = random.choice(
            (b"", b"<", b">", b"&", b'"', b"\xff", b"\x00", b"<term>", b"</body>", b"<tbx>")
        )
        try:
            decisions(bytes(damaged))
        except ERRORS:
            refused += 1
    assert 100 < refused < 300


# --- any length ----------------------------------------------------------------------------------


class EndlessFile:
    """A TBX file without an end; `served` is how many bytes were asked for."""

    def __init__(self) -> None:
        start, _, rest = one_term(TERM).encode().partition(b"<conceptEntry")
        self.start, self.entry = start, (b"<conceptEntry" + rest).partition(b"</body>")[0]
        self.served = 0

    def read(self, size: int = -1) -> bytes:
        block = self.entry * 100
        data = block if self.served else self.start + block
        self.served += len(data)
        return data


def test_reading_needs_no_end_of_the_file() -> None:
    file = EndlessFile()
    found = list(islice(tbx.read(cast(BinaryIO, file), "endless"), 1000))
    assert len(found) == 1000
    assert file.served < 2 * 1000 * len(file.entry)


def test_nothing_of_the_file_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither entries nor what stands between them pile up in the tree."""
    from kb.interchange import tbx

    sizes = []
    original = tbx._decisions

    def counting(entry: etree._Element, file: str) -> Iterator[Decision]:
        sizes.append(sum(1 for _ in entry.getroottree().iter()))
        return original(entry, file)

    monkeypatch.setattr(tbx, "_decisions", counting)
    entry = one_term(TERM).partition("<body>")[2].partition("</body>")[0]
    junk = f"<!-- c --><?pi x?><other><nested>{entry}</nested></other>text"
    list(decisions(one_term(TERM).replace("<body>", "<body>" + (entry + junk) * 500)))
    assert len(sizes) == 1001
    assert max(sizes[500:]) <= 1.1 * max(sizes[:300])


def test_writing_asks_for_one_concept_after_the_other() -> None:
    out, sizes = BytesIO(), []

    def concepts() -> Iterator[Concept]:
        for concept in many_concepts(50):
            sizes.append(len(out.getvalue()))
            yield concept

    assert tbx.write(concepts(), out) == 50
    assert sizes == sorted(set(sizes))


def huge_entry(size: int) -> str:
    """One entry with a number of everything that can be had more than once."""
    languages = "".join(
        f'<langSec xml:lang="{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}{chr(97 + i // 676)}">'
        f"{TERM}</langSec>"
        for i in range(size)
    )
    definitions = '<descrip type="definition">x</descrip><note>n</note>' * size
    nested = "<aGrp>" * 100 + "<note>n</note>" * size + "</aGrp>" * 100
    term = f"<termSec><term>a{' ' * size * 10}b{chr(10) * size}c</term></termSec>"
    inline = "<hi>" * 100 + "x<ph>code</ph>" * size + "</hi>" * 100
    hi = f"<termSec><term>{inline}</term></termSec>"
    return one_term(term + hi + TERM * size, definitions + nested + languages)


def test_time_grows_with_the_size_of_an_entry() -> None:
    assert decisions(huge_entry(3))[-4].name == "xxx"
    assert grows_linearly(lambda size: decisions(huge_entry(size)), 1000)


@pytest.mark.parametrize("version", VERSIONS)
def test_time_grows_with_the_number_of_concepts(version: Write) -> None:
    assert grows_linearly(lambda size: decisions(written(version, *many_concepts(size))), 150)
