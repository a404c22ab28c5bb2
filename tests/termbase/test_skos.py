"""SKOS: rdflib reads the concepts that were written, and they keep the conditions of SKOS."""

from __future__ import annotations

import io
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest
from rdflib import BNode, Graph, Literal, Namespace, URIRef
from rdflib.namespace import DCTERMS, OWL, RDF, SKOS

import kb
from kb.control_characters import xml_text
from kb.interchange import skos
from kb.interchange.skos import language_tag, named, web_address
from kb.termbase.model import (
    Concept,
    ConceptDefinition,
    ConceptName,
    ConceptSpelling,
    RelatedConcept,
)
from tests.hostile_text import SEQUENCES
from tests.termbases import HOSTILE, many_concepts

XL = Namespace("http://www.w3.org/2008/05/skos-xl#")
NDL = Namespace("http://ndl.go.jp/dcndl/terms/")
OWN = Namespace(skos.OWN)
ROLES = ("prefLabel", "altLabel", "hiddenLabel")
WRITERS: dict[str, Callable[..., int]] = {"turtle": skos.write, "json-ld": skos.write_jsonld}
ODD = (
    *HOSTILE, *SEQUENCES, '"""', "'''", '"', "\\", '\\"', "\\u0041\\x", "a\r\nb\n\n", "@en",
    "^^xsd:a", "<a> ; . ] #", "\x00\x01\x7f\x85", "\u3000", "\U0001f0cf", "_:b0", "skos:prefLabel",
    "é", "e\u0301",
)  # fmt: skip
LANGS = ("ja", "JA", "ja-Latn", "zh_Hans", "", "in English", "<x>", "@en", "ja\x00", "é", "a" * 9)

Names = dict[tuple[str, str], str]  # the status, by language and text


def read(concepts: Iterable[Concept], form: str = "turtle", langs: Any = None) -> Graph:
    """Return what rdflib reads of concepts that were written."""
    concepts, out = list(concepts), io.BytesIO()
    assert WRITERS[form](concepts, out, langs) <= len(concepts)
    return Graph(bind_namespaces="none").parse(data=out.getvalue(), format=form)


def one(*names: ConceptName, **fields: Any) -> Concept:
    return Concept("mtg/term/引く", "mtg", names, **fields)


def iri(concept: str) -> URIRef:
    return URIRef(named(skos.CONCEPTS, concept).text)


def labels(graph: Graph, role: str, concept: str = "mtg/term/引く") -> set[tuple[str, str]]:
    return {(o.language, str(o)) for o in graph.objects(iri(concept), SKOS[role])}  # type: ignore[union-attr]


def notes(graph: Graph) -> str:
    return "\n".join(map(str, graph.objects(iri("mtg/term/引く"), SKOS.editorialNote)))


def tree(graph: Graph, node: Any) -> Any:
    """Return a resource without a name as what is stated of it; others as they are."""
    if not isinstance(node, BNode):
        return node
    return frozenset((name, tree(graph, value)) for name, value in graph.predicate_objects(node))


def statements(graph: Graph) -> Counter[Any]:
    inner = {value for value in graph.objects() if isinstance(value, BNode)}
    return Counter(
        (tree(graph, subject), name, tree(graph, value))
        for subject, name, value in graph
        if subject not in inner
    )


def xl_labels(graph: Graph, concept: Any, role: str) -> Iterator[tuple[Literal, Any]]:
    for label in graph.objects(concept, XL[role]):
        assert (label, RDF.type, XL.Label) in graph
        (form,) = graph.objects(label, XL.literalForm)  # S52: exactly one
        yield form, label  # type: ignore[misc]


def check_conditions(graph: Graph) -> None:
    """Check the integrity conditions of SKOS and SKOS-XL."""
    concepts = set(graph.subjects(RDF.type, SKOS.Concept))
    schemes = set(graph.subjects(RDF.type, SKOS.ConceptScheme))
    xl = set(graph.subjects(RDF.type, XL.Label))
    assert not concepts & schemes and not xl & (concepts | schemes)  # S9, S48
    assert set(graph.objects(None, SKOS.inScheme)) <= schemes  # S4, S6
    assert set(graph.objects(None, SKOS.topConceptOf)) <= schemes
    for concept in concepts:
        by_role = {role: set(graph.objects(concept, SKOS[role])) for role in ROLES}
        for a, b in combinations(ROLES, 2):  # S13
            assert not by_role[a] & by_role[b]
        tags = Counter(label.language.lower() for label in by_role["prefLabel"])  # type: ignore
        assert set(tags.values()) <= {1}  # S14
        for role in ROLES:  # S55, S56, S57: what the labels of SKOS-XL say, those of SKOS do
            assert Counter(form for form, _ in xl_labels(graph, concept, role)) == Counter(
                by_role[role]
            )
        exact, close, *others = (
            set(graph.objects(concept, SKOS[name]))
            for name in ("exactMatch", "closeMatch", "broadMatch", "relatedMatch", "related")
        )
        assert concept not in exact | close
        assert not exact & (close | others[0] | others[1])  # S46
        assert not others[2]  # S27: nothing is related, so nothing is broader as well
    assert set(graph.subjects(SKOS.prefLabel)) <= concepts | schemes


def expected_names(concept: Concept) -> Names:
    return {
        (name.lang, xml_text(name.text)): name.status
        for name in concept.names
        if xml_text(name.text)
    }


def stated_names(graph: Graph, concept: Any) -> Names:
    return {
        (str(form.language), str(form)): str(graph.value(label, OWN.status))
        for role in ROLES
        for form, label in xl_labels(graph, concept, role)
        if graph.value(label, OWN.status)
    }


@pytest.mark.parametrize("form", WRITERS)
def test_another_reader_gives_the_same_concepts(form: str) -> None:
    concepts = list(many_concepts(52))
    graph = read(concepts, form)
    check_conditions(graph)
    assert {concept.id for concept in concepts} == {
        str(value)
        for concept, value in graph.subject_objects(DCTERMS.identifier)
        if (concept, RDF.type, SKOS.Concept) in graph
    }
    for concept in concepts:
        node = iri(concept.id)
        assert stated_names(graph, node) == expected_names(concept)
        stated = {
            (str(form), str(reading))
            for role in ROLES
            for form, label in xl_labels(graph, node, role)
            for reading in graph.objects(label, NDL.transcription)
        }
        assert stated == {
            (xml_text(name.text), xml_text(name.reading)) for name in concept.names if name.reading
        }
        assert {(text.language, str(text)) for text in graph.objects(node, SKOS.definition)} == {  # type: ignore
            (definition.lang, xml_text(definition.text)) for definition in concept.definitions
        }
        (game,) = graph.objects(node, SKOS.inScheme)
        assert str(graph.value(game, DCTERMS.title)) == (concept.game or "no game")
        for relation in ("exact", "close"):
            assert set(graph.objects(node, SKOS[f"{relation}Match"])) == {
                iri(other.id) for other in concept.related if other.relation == relation
            } - {node}
        spelled = {str(form) for form, label in xl_labels(graph, node, "hiddenLabel")}
        assert spelled >= {xml_text(spelling.text) for spelling in concept.spellings}


@pytest.mark.parametrize("form", WRITERS)
def test_the_termbase_of_the_sample_comes_back(
    base: kb.KnowledgeBase, tmp_path: Path, form: str
) -> None:
    file = tmp_path / {"turtle": "x.ttl", "json-ld": "x.jsonld"}[form]
    report = base.export(file, cards=True)
    concepts = list(base.termbase(cards=True))
    graph = Graph(bind_namespaces="none").parse(file, format=form)
    check_conditions(graph)
    assert report.entries == len(concepts) == len(set(graph.subjects(RDF.type, SKOS.Concept)))
    for concept in concepts:
        assert stated_names(graph, iri(concept.id)) == expected_names(concept)
    concept = iri("mtg/term/引く")
    assert labels(graph, "prefLabel") == {("ja", "引く"), ("en", "Draw")}
    assert iri("ygo/term/ドロー") in set(graph.objects(concept, SKOS.exactMatch))
    assert graph.value(concept, SKOS.definition)
    assert "やまふだ" in {str(text) for text in graph.objects(None, NDL.transcription)}


def test_both_forms_say_the_same() -> None:
    concepts = [*many_concepts(26), *strange_concepts()]
    assert statements(read(concepts)) == statements(read(concepts, "json-ld"))


def strange_concepts() -> Iterator[Concept]:
    """Yield concepts whose texts, languages, ids and addresses are odd."""
    for number, odd in enumerate(ODD):
        lang = LANGS[number % len(LANGS)]
        url = f"http://wiki.example/{odd}?{odd}#{odd}"
        name = ConceptName(
            lang, f"名{odd}", why="decision", authority=odd, passage=odd, url=url, edition=odd,
            reading=odd, context=odd, context_passage=odd, note=odd, score=float("nan"),
        )  # fmt: skip
        yield Concept(
            f"x/{odd}/../{number}",
            f"game{odd}",
            (name, ConceptName(lang, odd, "forbidden"), ConceptName("ja", f"{odd}\x01")),
            definitions=(ConceptDefinition(lang, f"説{odd}", odd, odd, url, odd),),
            related=(RelatedConcept(f"y/{odd}", "exact", odd),),
            spellings=(ConceptSpelling(lang, odd, 2), ConceptSpelling(lang, f"{odd}字", 0)),
            url=odd if number % 2 else url,
        )


def test_hostile_text_comes_back(caplog: pytest.LogCaptureFixture) -> None:
    concepts = list(strange_concepts())
    with caplog.at_level(logging.WARNING):
        graph = read(concepts)
    assert not caplog.records  # as rdflib gives for an IRI that is none
    check_conditions(graph)
    assert len(set(graph.subjects(RDF.type, SKOS.Concept))) == len(concepts)
    for concept in concepts:
        names = {text: status for (_, text), status in stated_names(graph, iri(concept.id)).items()}
        assert names[xml_text(concept.names[0].text)] == "preferred"
        (definition,) = graph.objects(iri(concept.id), SKOS.definition)
        assert str(definition) == xml_text(concept.definitions[0].text)
    for page in graph.objects(None, DCTERMS.source):  # an address of the web, or a text
        assert isinstance(page, Literal) or re.fullmatch(
            r"https?://[\w!$%&'()*+,/:;=?@~.#-]+", page
        )
    values = [str(value) for value in graph.objects()]
    assert all(xml_text(value) == value for value in values)


def test_files_obey_no_terminal_and_have_a_line_for_each_statement() -> None:
    for writer in WRITERS.values():
        writer(list(strange_concepts()), out := io.BytesIO())
        lines = out.getvalue().decode().split("\n")
        assert len(lines) > 10
        assert not any(
            character in line for line in lines for character in "\x1b\x9b\u202e\u2028\r"
        )


@pytest.mark.parametrize(
    ("url", "iri"),
    [
        ("http://a.example", "http://a.example"),
        ("HTTPS://a.example:80/b?c=%E5&d#e", "HTTPS://a.example:80/b?c=%E5&d#e"),
        ("http://日本.example/引く?引#引", "http://%E6%97%A5%E6%9C%AC.example/%E5%BC%95%E3%81%8F?%E5%BC%95#%E5%BC%95"),
        ("http://a.example/[b]{c}|d^e`f\\g\"<h> i\n", "http://a.example/%5Bb%5D%7Bc%7D%7Cd%5Ee%60f%5Cg%22%3Ch%3E%20i%0A"),
        ("http://a.example/100%#b#c#", "http://a.example/100%25#b%23c%23"),
        ("http://a.example?%4", "http://a.example?%254"),
        *((other, None) for other in (
            "", "javascript:alert(1)", "http://", "http:///a", "http://a b/", "http://[::1]/", "ftp://a/",
            "http://user@a/", "http://a:b/", "http://a:", "http://a%00/", "//a/", "a", "mailto:a@b",
        )),
    ],
)  # fmt: skip
def test_only_addresses_of_the_web_are_linked(url: str, iri: str | None) -> None:
    address = web_address(url)
    assert (address and address.text) == iri


@pytest.mark.parametrize(
    ("lang", "tag"),
    [
        ("ja", "ja"), ("JA", "ja"), ("zh_hans_tw", "zh-Hans-TW"), ("es-419", "es-419"),
        ("ja-Latn-hepburn", "ja-Latn-hepburn"), ("en-x-house", "en-x-house"), ("zh-yue", "zh-yue"),
        *((wrong, "und") for wrong in (
            "", "j", "ja-", "-ja", "ja--JP", "日本", "ja JP", "ja\n", "a" * 9, "ja-a", "en-gb-gb",
            "en-u", "de-1901-1901", "ja-x", "<ja>", "ja@x",
        )),
    ],
)  # fmt: skip
def test_language_tags_are_well_formed(lang: str, tag: str) -> None:
    assert language_tag(lang) == tag


def test_ids_are_told_apart() -> None:
    ids = [
        "a/b", "a%2Fb", "a b", "a%20b", "a+b", "é", "e\u0301", "a/./b", "a/../b", "a//b", "a#b",
        "A/b", "a/b/", "a\x00", "a\x01", "\ud800", "a?b", "",
    ]  # fmt: skip
    concepts = [Concept(text, None, (ConceptName("ja", "名"),)) for text in ids]
    for form in WRITERS:
        assert len(set(read(concepts, form).subjects(RDF.type, SKOS.Concept))) == len(ids)


def test_status_decides_what_kind_of_label_a_name_is() -> None:
    graph = read(
        [
            one(
                ConceptName(
                    "ja",
                    "引く",
                    authority="引く (2026)",
                    url="http://wiki.example/引く",
                    count=3,
                ),
                ConceptName("ja", "ドロー", "admitted", "alias"),
                ConceptName("ja", "抜く", "deprecated", "older edition"),
                ConceptName("ja", "取る", "forbidden", "decision", note="a different action"),
                ConceptName("en", "draw", part_of_speech="verb"),
                spellings=(ConceptSpelling("ja", "ひく", 4), ConceptSpelling("ja", "引く", 9)),
            )
        ]
    )
    check_conditions(graph)
    assert labels(graph, "prefLabel") == {("ja", "引く"), ("en", "draw")}
    assert labels(graph, "altLabel") == {("ja", "ドロー")}
    assert labels(graph, "hiddenLabel") == {("ja", "抜く"), ("ja", "取る"), ("ja", "ひく")}
    assert "“抜く”: deprecated; only an older edition uses it" in notes(graph)
    assert "“取る”: forbidden; a person's decision; a different action" in notes(graph)
    assert "引く" not in notes(graph)
    label = graph.value(predicate=XL.literalForm, object=Literal("引く", lang="ja"))
    assert graph.value(label, DCTERMS.source) == URIRef("http://wiki.example/%E5%BC%95%E3%81%8F")
    assert str(graph.value(label, DCTERMS.bibliographicCitation)) == "引く (2026)"
    spelling = graph.value(predicate=XL.literalForm, object=Literal("ひく", lang="ja"))
    assert graph.value(spelling, OWN["count"]) == Literal(4)
    assert graph.value(spelling, OWN.status) is None


def test_a_proposed_name_is_preferred_only_where_there_is_no_other() -> None:
    proposed = ConceptName("en", "Draw", why="proposed", score=31.25)
    for others in (
        [ConceptName("en", "Take", "admitted", "alias")],
        [ConceptName("en", "Take")],
        [ConceptName("en", "Pull", "admitted", "proposed")],
    ):
        for names in ([proposed, *others], [*others, proposed]):
            graph = read([one(*names)])
            assert ("en", "Draw") in labels(graph, "altLabel")
            assert "“Draw”: proposed: no page states it" in notes(graph)
            assert "the only name" not in notes(graph)
    for others in ([], [ConceptName("ja", "引く")], [ConceptName("en", "Take", "forbidden")]):
        graph = read([one(proposed, *others)])
        assert ("en", "Draw") in labels(graph, "prefLabel")
        assert "the only name in this language; log-likelihood ratio 31.2" in notes(graph)


def test_one_text_is_one_label_with_all_that_is_known_of_it() -> None:
    names = (
        ConceptName("ja", "引く", "admitted", "alias", "甲", reading="ひく"),
        ConceptName("JA", "引\x01く", "preferred", "title", "乙", reading="ヒク"),
        ConceptName("ja", "引き", "preferred", "title"),
        ConceptName("ja", "引き", "forbidden", "decision"),
        ConceptName("ja", "引 く", "preferred", "title"),
        ConceptName("ja", ""),
    )
    graph = read([one(*names, spellings=(ConceptSpelling("ja", "引\x02く", 1),))])
    check_conditions(graph)
    assert labels(graph, "prefLabel") == {("ja", "引く")}
    assert labels(graph, "altLabel") == {("ja", "引 く")}  # of two preferred ones the second
    assert labels(graph, "hiddenLabel") == {("ja", "引き")}
    ((_, label),) = xl_labels(graph, iri("mtg/term/引く"), "prefLabel")
    assert {str(text) for text in graph.objects(label, DCTERMS.bibliographicCitation)} == {
        "甲",
        "乙",
    }
    readings = graph.objects(label, NDL.transcription)
    assert {(text.language, str(text)) for text in readings} == {  # type: ignore[union-attr]
        ("ja-Hira", "ひく"), ("ja-Kana", "ヒク")
    }  # fmt: skip


@pytest.mark.parametrize(
    ("reading", "script"),
    [
        ("ひく", "Hira"),
        ("ヒク・ー", "Kana"),
        ("ドローする", "Hrkt"),
        ("hiku", "Latn"),
        ("ドロー 2", "Kana"),
    ],
)
def test_a_reading_has_the_tag_of_its_script(reading: str, script: str) -> None:
    graph = read([one(ConceptName("ja", "引く", reading=reading))])
    ((_, label),) = xl_labels(graph, iri("mtg/term/引く"), "prefLabel")
    assert graph.value(label, NDL.transcription) == Literal(reading, lang=f"ja-{script}")


def test_definitions_are_plain_texts_whose_source_is_told() -> None:
    definitions = (
        ConceptDefinition("ja", "手札に加えること。", "甲", "wiki/引く¶1", "http://wiki.example/"),
        ConceptDefinition("ja", "カードを取ること。", "乙 (2026)"),
        ConceptDefinition("en", "To take a card."),
        ConceptDefinition("en", "\x01"),
    )
    graph = read([one(ConceptName("ja", "引く"), definitions=definitions)])
    assert len(list(graph.objects(iri("mtg/term/引く"), SKOS.definition))) == 3
    sources = {
        str(graph.value(axiom, OWL.annotatedTarget)): (
            str(graph.value(axiom, DCTERMS.bibliographicCitation)),
            graph.value(axiom, DCTERMS.source),
        )
        for axiom in graph.subjects(OWL.annotatedSource, iri("mtg/term/引く"))
    }
    assert sources == {
        "手札に加えること。": ("甲", URIRef("http://wiki.example/")),
        "カードを取ること。": ("乙 (2026)", None),
    }


def test_a_concept_that_is_the_same_is_no_close_one_and_not_itself() -> None:
    related = (
        RelatedConcept("ygo/term/ドロー", "close", "both"),
        RelatedConcept("ygo/term/ドロー", "exact"),
        RelatedConcept("ygo/term/ドロー", "close"),
        RelatedConcept("dm/term/引く", "close"),
        RelatedConcept("mtg/term/引く", "exact"),
    )
    graph = read([one(ConceptName("ja", "引く"), related=related)])
    check_conditions(graph)
    concept = iri("mtg/term/引く")
    assert set(graph.objects(concept, SKOS.exactMatch)) == {iri("ygo/term/ドロー")}
    assert set(graph.objects(concept, SKOS.closeMatch)) == {iri("dm/term/引く")}
    assert "close match with ygo/term/ドロー: both" in notes(graph)


@pytest.mark.parametrize("form", WRITERS)
def test_languages_may_be_chosen(form: str) -> None:
    concepts = [
        one(ConceptName("ja", "引く"), ConceptName("en", "draw"), ConceptName("fr", "piocher")),
        Concept("x", None, (ConceptName("de", "ziehen"),)),
    ]
    graph = read(concepts, form, ("ja", "en"))
    assert labels(graph, "prefLabel") == {("ja", "引く"), ("en", "draw")}
    assert set(graph.subjects(RDF.type, SKOS.Concept)) == {iri("mtg/term/引く")}
    assert WRITERS[form](concepts, io.BytesIO(), ("ja", "en")) == 1
    assert len(list(read([], form))) == 0


@pytest.mark.parametrize("form", WRITERS)
def test_the_file_grows_while_concepts_are_read(form: str) -> None:
    out, sizes = io.BytesIO(), []

    def concepts() -> Iterator[Concept]:
        for concept in many_concepts(60):
            sizes.append(out.tell())
            yield concept

    WRITERS[form](concepts(), out)
    assert max(b - a for a, b in pairwise([*sizes, out.tell()])) < out.tell() / 5
