"""English names of terms in a third language: by headings, and by the order of the glossaries."""

from __future__ import annotations

import pytest

from graphs.writing.names_and_merges import DefiningPassage, NodeName
from graphs.writing.rules import StatedRule
from kb.knowledge.names.merged_names import synonymous_terms
from kb.knowledge.translations.glossaries_in_order import labels_of_further_languages
from kb.language.fold import fold

LETTERS = [*"abcdefghijklmnopqrstuvwxyz", "aa", "bb", "cc", "dd"]
ENGLISH = [f"{letter} thing" for letter in LETTERS]
GERMAN = [f"{letter} Ding" for letter in LETTERS]


def glossary(lang: str, entries: list[tuple[str, str]]) -> list[DefiningPassage]:
    page = f"rulebook/port/cr/20260101/{lang}#Glossary"
    return [
        DefiningPassage(f"port/term/{name}", lang, f"{page}¶{place}", text, sure=True)
        for place, (name, text) in enumerate(entries, 1)
    ]


def names(*langs_and_texts: tuple[str, str]) -> list[NodeName]:
    return [
        NodeName(f"port/term/{text}", lang, "preferred", fold(text), text)
        for lang, text in langs_and_texts
    ]


def citing(names_of: list[str], without: int = 0) -> list[tuple[str, str]]:
    """The entries cite a rule each, but for every fifth."""
    return [
        (name, f"100.{n}" if n % 5 else "...") for n, name in enumerate(names_of, 1) if n != without
    ]


def heading(lang: str, number: str, text: str) -> StatedRule:
    return StatedRule(
        f"{lang}{number}", "port", "20260101", number, lang, text, f"p{lang}", text, 0, 1
    )


ALL_NAMES = names(*(("en", one) for one in ENGLISH), *(("de", one) for one in GERMAN))


def found(definitions: list[DefiningPassage]) -> dict[str, str]:
    labels = labels_of_further_languages(definitions, ALL_NAMES, ())
    return {one.node.removeprefix("port/term/"): one.text for one in labels}


def test_glossaries_in_one_order_name_each_other() -> None:
    both = [*glossary("en", citing(ENGLISH)), *glossary("de", citing(GERMAN))]
    assert found(both) == dict(zip(GERMAN, ENGLISH, strict=True))


@pytest.mark.parametrize("lacking", [7, 10, 30])
def test_an_entry_that_one_lacks_moves_no_other(lacking: int) -> None:
    both = [*glossary("en", citing(ENGLISH)), *glossary("de", citing(GERMAN, without=lacking))]
    expected = dict(zip(GERMAN, ENGLISH, strict=True))
    del expected[GERMAN[lacking - 1]]
    assert found(both).items() <= expected.items()
    assert len(found(both)) >= len(expected) - 1  # beside the one lacking, which cites nothing


def test_a_glossary_that_is_sorted_anew_tells_nothing() -> None:
    entries = citing(GERMAN)
    both = [
        *glossary("en", citing(ENGLISH)),
        *glossary("de", [*entries[1::2], *entries[::2]][::-1]),
    ]
    assert found(both) == {}


def test_too_few_entries_tell_nothing() -> None:
    both = [*glossary("en", citing(ENGLISH[:9])), *glossary("de", citing(GERMAN[:9]))]
    assert found(both) == {}


def test_a_heading_names_a_term_by_the_english_one_in_singular() -> None:
    group = [heading("de", "1", "c Ding"), heading("en", "1", "C Things")]
    [label] = labels_of_further_languages((), ALL_NAMES, [group])
    assert (label.node, label.lang, label.text) == ("port/term/c Ding", "en", "c thing")
    two = [heading("de", "2", "c Ding"), heading("en", "2", "Other")]
    assert labels_of_further_languages((), ALL_NAMES, [group, two]) == []


def test_terms_of_a_third_language_are_merged_into_the_others() -> None:
    stated = names(
        ("en", "boat"), ("de", "Boot"), ("ja", "舟"), ("zh", "船"), ("en", "oar"), ("de", "Ruder")
    )
    derived = [
        NodeName(f"port/term/{one}", "en", "preferred", fold(english), english)
        for one, english in (("Boot", "boat"), ("舟", "boat"), ("船", "boat"), ("Ruder", "oar"))
    ]
    assert synonymous_terms([*stated, *derived]) == {
        "port/term/Boot": "port/term/舟",
        "port/term/Ruder": "port/term/oar",
        "port/term/boat": "port/term/舟",
        "port/term/船": "port/term/舟",
    }
