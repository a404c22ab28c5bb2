"""English names of terms in a third language: by headings, and by the order of the glossaries."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphs.writing.names_and_merges import DefiningPassage, NodeName
from graphs.writing.rules import StatedRule
from kb.knowledge.names.merged_names import synonymous_terms
from kb.knowledge.translations.glossaries_in_order import labels_of_further_languages
from kb.knowledge.translations.headwords_together import headwords_together
from kb.language.fold import fold
from tests.rulebooks import build_books, rulebook

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


# Rules in which the headwords of two glossaries stand; the German one is sorted anew.
TOGETHER = [
    ("A captain moors a boat.", "Eine Kapitänin vertäut ein Boot."),
    ("Moored – A moored boat stays.", "Vertäut – Ein vertäutes Boot bleibt."),
    ("A lantern lights a moored boat.", "Eine Laterne erhellt ein vertäutes Boot."),
    ("To moor a boat takes a coin.", "Ein Boot zu vertäuen kostet eine Münze."),
    ("Each lantern needs oil.", "Jede Laterne braucht Öl."),
    ("Lanterns go out at dawn.", "Laternen erlöschen am Morgen."),
    ("A lantern is light.", "Eine Laterne ist leicht."),
    ("You may moor it at night.", "Nachts darf es vertäut werden."),
    ("Moor what drifts.", "Vertäue, was treibt."),
    ("No moored boat sinks.", "Kein vertäutes Boot sinkt."),
    ("It is still moored.", "Es ist noch vertäut."),
    ("The wind turns.", "Der Wind dreht."),
    ("Coins are round.", "Münzen sind rund."),
    ("The tide comes in.", "Die Flut kommt."),
    ("Nobody pays twice for the pier.", "Niemand zahlt zweimal für den Steg."),
    ("At dusk the gates close.", "Abends schließen die Tore."),
    ("A gull steals bread.", "Eine Möwe stiehlt Brot."),
    ("Fog hides the pier.", "Nebel verbirgt den Steg."),
    *((f"Pier {n} is closed.", f"Steg {n} ist gesperrt.") for n in range(5, 17)),
]
HEADWORDS = {
    "en": {"Lantern": "A light.", "Moor": "To tie a boat.", "Moored": "Tied.", "Keel": "Below."},
    "de": {"Vertäuen": "Binden.", "Kiel": "Unten.", "Vertäut": "Gebunden.", "Laterne": "Licht."},
}


def test_headwords_of_the_same_rules_translate_each_other() -> None:
    def stated(lang: str, number: int, text: str) -> StatedRule:
        rule = f"{number}. {text}"
        passage = f"p{lang}{number}"
        return StatedRule(
            passage, "port", "20260101", str(number), lang, "", passage, rule,
            len(rule) - len(text), len(rule),
        )  # fmt: skip

    groups = [
        (stated("de", n, german), stated("en", n, english))
        for n, (english, german) in enumerate(TOGETHER, 1)
    ]
    of_both = names(*((lang, one) for lang, of_lang in HEADWORDS.items() for one in of_lang))
    pairs = {pair.english: pair for pair in headwords_together(groups, of_both)}
    # Of two words with one beginning, those that head one rule go together; nothing has the keel.
    assert {name: pair.name for name, pair in pairs.items()} == {
        "Lantern": "Laterne", "Moored": "Vertäut", "Moor": "Vertäuen",
    }  # fmt: skip
    english, span, german, german_span = pairs["Lantern"].examples[0]
    assert english.text[slice(*span)] == "lantern" and german.text[slice(*german_span)] == "Laterne"
    assert (pairs["Lantern"].both, pairs["Lantern"].of) == (4, 4)
    assert not list(headwords_together(groups[-7:], of_both))


def test_proposed_names_of_a_third_language_are_given_with_their_grounds(tmp_path: Path) -> None:
    texts = [
        {f"1.{n}": pair[side] for n, pair in enumerate(TOGETHER, 1)} for side in (0, 1)
    ]  # fmt: skip
    entries = {
        lang: "\n".join(["", head, "", *(f"{name}\n{gloss}\n" for name, gloss in of_lang.items())])
        for (lang, of_lang), head in zip(HEADWORDS.items(), ("Glossary", "Glossar"), strict=True)
    }
    books = {
        ("20260101", "en"): rulebook({"1": "Port", **texts[0]}, "Port Rules", entries["en"]),
        ("20260101", "de"): rulebook({"1": "Hafen", **texts[1]}, "Hafenregeln", entries["de"]),
    }
    base = build_books(tmp_path, books, "port")
    for asked, lang, proposed in (("Lantern", "de", "Laterne"), ("Laterne", "en", "Lantern")):
        [concept] = base.termbase(f"port/term/{asked}").concepts
        [name] = [one for one in concept.names if one.lang == lang]
        assert (name.text, name.why, name.score is not None) == (proposed, "proposed", True)
        assert "in 4 of 4 aligned texts" in (name.note or "")
    # Where nothing tells it, what may be the same is named.
    undecided = base.termbase("Keel")
    assert undecided.lacking == {"port/term/Keel": ("de",)}
    assert "Kiel" in str(undecided.also[0]) and "Laterne" not in str(undecided.also[0])
