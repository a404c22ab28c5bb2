"""Entries of glossaries in two languages: one another's by what their texts name, or by their
order."""

from __future__ import annotations

import pytest

from graphs.writing.names_and_merges import DefiningPassage, NodeName
from kb.knowledge.translations.aligned_texts import (
    GlossaryEntry,
    english_key,
    labels_by_glosses,
    pairs_by_glosses,
    pairs_by_order,
)
from kb.language.fold import fold

NAMES = [
    ("帆船", "ship"),
    ("港町", "harbour"),
    ("大錨", "anchor"),
    ("追い風", "wind"),
    ("船長", "skipper"),
]


def entry(lang: str, place: int, name: str, text: str) -> GlossaryEntry:
    passage = f"rulebook/port/cr/20260101/{lang}#Glossary¶{place}"
    return GlossaryEntry(f"port/term/{name}", lang, (name,), passage, text)


OURS = [
    entry("ja", 1, "入港", "帆船が港町に入り、大錨を下ろすこと。最初に船長が行う。"),
    entry("ja", 2, "出港", "帆船が追い風で港町を出ること。"),
    entry("ja", 3, "凪", "海が静かなこと。"),
]
THEIRS = [
    entry("en", 1, "arrival", "A ship in a harbour drops its anchor. The skipper is first."),
    entry("en", 2, "departure", "When a ship leaves the harbour with the wind."),
    entry("en", 3, "calm", "A sea that is still."),
]  # fmt: skip


def test_entries_that_name_the_same_things_are_one_anothers() -> None:
    found = pairs_by_glosses([*OURS, *THEIRS], {"port": NAMES})
    assert [(one.names[0], other.names[0]) for one, other in found] == [
        ("入港", "arrival"),
        ("出港", "departure"),
    ]


def test_entries_of_another_document_are_none() -> None:
    elsewhere = [
        GlossaryEntry(one.node, one.lang, one.names, one.passage.replace("/cr/", "/tr/"), one.text)
        for one in THEIRS
    ]
    assert not list(pairs_by_glosses([*OURS, *elsewhere], {"port": NAMES}))


def test_two_that_are_as_alike_tell_nothing() -> None:
    again = entry("en", 4, "landing", THEIRS[0].text)
    found = pairs_by_glosses([*OURS, *THEIRS, again], {"port": NAMES})
    assert [one.names[0] for one, _ in found] == ["出港"]


def between_known(
    ours: str, theirs: str, are_known: bool = True
) -> list[tuple[GlossaryEntry, GlossaryEntry]]:
    """What is found of two entries, of 凪 and `calm`, with these texts, at one place of glossaries
    whose other entries are known to be the same, or not."""
    known = [
        (entry("ja", n, f"語{n}", "名前"), entry("en", n, f"word {n}", "name"))
        for n in range(1, 16)
        if n != 7
    ]
    between = entry("ja", 7, "凪", ours), entry("en", 7, "calm", theirs)
    entries = sorted(
        (one for pair in (*known, between) for one in pair),
        key=lambda one: (one.lang, int(one.passage.rpartition("¶")[2])),
    )
    nothing = {one.node: dict[str, list[str]]() for one in entries}
    return list(pairs_by_order(entries, between, known if are_known else [], nothing, {}))


def test_in_glossaries_of_one_order_a_name_in_common_is_enough() -> None:
    [(ours, theirs)] = between_known("語3の港。", "A word 3 at a port.")
    assert (ours.names, theirs.names) == (("凪",), ("calm",))


@pytest.mark.parametrize(
    ("ours", "theirs", "are_known"),
    [
        ("語3の港。", "Still like word 5.", True),  # nothing in common
        ("語3の港。", "A word 3 at a port.", False),  # no order
    ],
)
def test_the_place_alone_tells_nothing(ours: str, theirs: str, are_known: bool) -> None:
    assert not between_known(ours, theirs, are_known)


def test_an_entry_of_another_edition_goes_with_its_name() -> None:
    """`landing, landed` of a later edition is the `landing` that is found."""
    head = GlossaryEntry(
        "port/term/come in",
        "en",
        ("arrival", "arrived"),
        "rulebook/port/cr/20270101/en#G",
        "A ship.",
    )
    other = entry("ja", 9, "停泊", "帆船が港町で、大錨を下ろすこと。最初に船長が行う。")
    [*found] = pairs_by_glosses([*OURS, other, *THEIRS, head], {"port": NAMES})
    assert found and head not in [theirs for _, theirs in found]


def test_terms_get_the_name_of_the_entry() -> None:
    definitions = [
        DefiningPassage(one.node, one.lang, one.passage, one.text, True) for one in (*OURS, *THEIRS)
    ]
    named = [
        NodeName(one.node, one.lang, "preferred", fold(one.names[0]), one.names[0])
        for one in (*OURS, *THEIRS)
    ]
    suggested = [("port", japanese, english) for japanese, english in NAMES]
    labels = labels_by_glosses(definitions, named, (), suggested)
    assert [(label.node, label.lang, label.text) for label in labels] == [
        ("port/term/入港", "en", "arrival"),
        ("port/term/出港", "en", "departure"),
    ]


def test_a_possessive_is_no_other_word() -> None:
    assert (
        english_key("players’ hands") == english_key("player’s hand") == english_key("Player Hands")
    )
