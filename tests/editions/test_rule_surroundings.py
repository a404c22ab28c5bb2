"""A rule that is not there was removed if what stood around it is loaded: books with parts torn
off, invented ones and a real one."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from kb.rules.alignment import is_under
from kb.rules.changes import EditionComparison, Surroundings
from kb.rules.loaded_editions import Gaps, measured_rules


def orchard(chapters: int = 3, sections: int = 5, rules: int = 4) -> dict[str, str]:
    """A rulebook of an invented game, no two rules of which are alike."""
    texts: dict[str, str] = {}
    for chapter in range(1, chapters + 1):
        texts[f"{chapter}"] = f"Orchard part {chapter}"
        for section in range(sections):
            number = f"{chapter}{section:02}"
            texts[number] = f"Trees of kind {number}"
            for rule in range(1, rules + 1):
                texts[f"{number}.{rule}"] = (
                    f"Tree w{number}x{rule} bears v{number}y{rule} in season u{number}z{rule}."
                )
    return texts


def without(texts: Mapping[str, str], *numbers: str) -> dict[str, str]:
    """The rules that are not under any of some numbers."""
    return {
        number: text
        for number, text in texts.items()
        if not any(is_under(number, above) for above in numbers)
    }


def only(texts: Mapping[str, str], *numbers: str) -> dict[str, str]:
    return {
        number: text
        for number, text in texts.items()
        if any(is_under(number, above) for above in numbers)
    }


def rows(old: Mapping[str, str], new: Mapping[str, str]) -> tuple[bool, dict[str, str | None]]:
    """Whether the newer of two editions counts as whole, and what became of each rule before."""
    numbers = {("1", "en"): frozenset(old), ("2", "en"): frozenset(new)}
    loaded = measured_rules("orchard", numbers, lambda edition, lang: ())
    gaps = loaded.gaps("1", "en"), loaded.gaps("2", "en")
    compared = EditionComparison(old, new, *gaps)
    kinds = {before: compared.kind(before, after) for before, after in compared.pairs() if before}
    return loaded.loaded("2", "en").whole, kinds


WHOLE = orchard()


def test_a_section_that_a_whole_edition_lacks_was_removed() -> None:
    whole, kinds = rows(WHOLE, without(WHOLE, "203"))
    assert whole and {n for n, kind in kinds.items() if kind == "removed"} == set(
        only(WHOLE, "203")
    )


@pytest.mark.parametrize("part", [("1",), ("102", "103"), ("101.2",), ("302", "3", "101")])
def test_what_a_part_of_an_edition_lacks_is_not_loaded(part: tuple[str, ...]) -> None:
    new = only(WHOLE, *part) if part != ("302", "3", "101") else only(WHOLE, "302", "101")
    whole, kinds = rows(WHOLE, new)
    assert not whole and set(kinds.values()) == {None, "not loaded"}
    assert {n for n, kind in kinds.items() if kind == "not loaded"} == WHOLE.keys() - new.keys()


def test_a_rule_missing_between_loaded_ones_of_a_part_was_removed() -> None:
    part = only(WHOLE, "102")
    whole, kinds = rows(WHOLE, without(part, "102.2"))  # its number is free
    assert not whole and kinds["102.2"] == "removed" and kinds["103.1"] == "not loaded"
    closed_up = part | {"102.2": part["102.3"], "102.3": part["102.4"]}
    del closed_up["102.4"]
    whole, kinds = rows(WHOLE, closed_up)
    assert not whole and kinds["102.2"] == "removed" and kinds["102.3"] == "moved"


def test_scattered_rules_say_nothing_of_those_between() -> None:
    new = {n: WHOLE[n] for n in ("102", "102.1", "102.4", "203.2")}
    assert set(rows(WHOLE, new)[1].values()) == {None, "not loaded"}


def test_the_end_of_a_part_may_be_torn() -> None:
    part = without(only(WHOLE, "102"), "102.4")
    assert rows(WHOLE, part)[1]["102.4"] == "not loaded"


def test_a_part_that_cites_what_it_lacks_is_no_whole_edition() -> None:
    """Two of three chapters; what it cites decides."""
    old, new = orchard(), only(orchard(), "1", "2")
    numbers = {("1", "en"): frozenset(old), ("2", "en"): frozenset(new)}
    for cited, whole in ((["301.2"], False), (["101.1", "202.2"], True)):
        loaded = measured_rules("orchard", numbers, lambda edition, lang, cited=cited: cited)  # type: ignore[misc]
        assert loaded.loaded("2", "en").whole is whole
        assert loaded.loaded("2", "en").of == (len(new) if whole else len(old))


def test_another_language_says_what_an_edition_has() -> None:
    """Of the newer edition the other language is whole: what is in it was not removed."""
    new = without(WHOLE, "203")
    numbers = {
        ("1", "en"): frozenset(WHOLE),
        ("2", "en"): frozenset(without(new, "301")),
        ("2", "ja"): frozenset(new),
    }
    loaded = measured_rules("orchard", numbers, lambda edition, lang: ())
    assert loaded.gaps("2", "en") == Gaps(frozenset(only(new, "301")))
    compared = EditionComparison(
        WHOLE, without(new, "301"), loaded.gaps("1", "en"), loaded.gaps("2", "en")
    )
    kinds = {before: compared.kind(before, after) for before, after in compared.pairs()}
    assert {kinds[number] for number in only(WHOLE, "301")} == {"not loaded"}
    assert {kinds[number] for number in only(WHOLE, "203")} == {"removed"}


def test_ten_thousand_rules_take_no_time() -> None:
    texts = orchard(9, 40, 25)
    part = {number: text for index, (number, text) in enumerate(texts.items()) if index % 3}
    same = {number: number for number in part}
    place = Surroundings(texts, part, same, Gaps(others=True))
    began = time.process_time()
    loaded = [number for number in texts if number not in part and place.is_loaded(number)]
    assert len(loaded) > 3000 and time.process_time() - began < 3  # 0.2 on a quiet machine


@pytest.mark.slow
@pytest.mark.shared
def test_parts_of_a_real_edition(shared: Path) -> None:
    """A book torn behind each of its chapters, and a book that lost a section."""
    from tests.editions.test_editions import plain_rules

    folder = shared / "corpora" / "mtg-cr-en"
    old, new = (
        plain_rules((folder / f"MagicCompRules_{one}.txt").read_text("utf-8-sig"))
        for one in ("20231117", "20240802")
    )
    whole, kinds = rows(old, without(new, "704"))
    assert whole and list(kinds.values()).count("removed") == len(only(old, "704"))
    for last in (2, 5):
        torn = only(new, *map(str, range(1, last + 1)))
        whole, kinds = rows(old, torn)
        assert not whole and "removed" not in kinds.values()
    few = only(new, *(f"10{n}" for n in range(7)))
    assert "removed" not in rows(old, few)[1].values()
    assert rows(old, without(few, "103.2"))[1]["103.2"] == "removed"


def test_a_book_numbered_otherwise_is_no_part() -> None:
    """An older, shorter edition whose chapters have other numbers since."""
    old = {number.replace("2", "5", 1) if number[0] == "2" else f"6{number[1:]}": text
           for number, text in WHOLE.items() if number[0] in "23"}  # fmt: skip
    numbers = {("1", "en"): frozenset(old), ("2", "en"): frozenset(WHOLE)}
    loaded = measured_rules("orchard", numbers, lambda edition, lang: ())
    assert loaded.loaded("1", "en").whole and loaded.loaded("1", "en").of == len(old)
    cites = {"1": [f"90{n}.1" for n in range(9)], "2": []}
    torn = measured_rules("orchard", numbers, lambda edition, lang: cites[edition])
    assert not torn.loaded("1", "en").whole
