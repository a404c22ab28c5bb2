"""What `search` and `kwic` give in parts: all of it, once, in the order of the whole."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kb
from kb.query.passages import search
from tests.commands import run
from tests.rulebooks import build_books

_QUESTIONS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("search", "カード", {}),
    ("search", "draw a card", {}),
    ("search", "カード 引く", {"any_word": True, "game": "mtg"}),
    ("search", "", {"mentions": "引く"}),
    ("search", "引く", {"section": "ルール"}),
    ("kwic", "カード", {}),
    ("kwic", "引く", {"merge_editions": True}),
    ("kwic", "draw", {"order": "right", "lang": "en"}),
    ("kwic", "", {"cites": ["614"]}),
)


_BOOK = """Harbour Comprehensive Rules

1. Harbour

100. Ships

100.1. {first} a ship with a crate moves its crate.

Example: A ship with one crate leaves the harbour and comes back to it in the next round.

100.2. A ship with a crate stays.

100.3. A crate is no ship.
"""


def _parts(ask: Callable[..., Any], text: str, most: int, options: dict[str, Any]) -> list[Any]:
    parts = [ask(text, most=most, **options)]
    while parts[-1].more:
        assert len(parts[-1]) == most
        parts.append(ask(text, most=most, after=parts[-1].more, **options))
    return parts


@pytest.mark.slow
@pytest.mark.parametrize(("command", "text", "options"), _QUESTIONS)
def test_the_parts_are_the_whole(
    base: kb.KnowledgeBase, command: str, text: str, options: dict[str, Any]
) -> None:
    ask = getattr(base, command)
    whole = ask(text, most=1_000, **options)
    assert len(whole) > 3 and whole.more is None
    for most in (3, 40):
        parts = _parts(ask, text, most, options)
        assert [each for part in parts for each in part] == list(whole)
        assert [part.before for part in parts] == list(range(0, len(whole), most))
        assert {part.total for part in parts} == {whole.total}
        assert {getattr(part, "line_total", None) for part in parts} == {
            getattr(whole, "line_total", None)
        }


def test_a_hit_does_not_depend_on_how_many_are_wanted(tmp_path: Path) -> None:
    books = {
        ("20210101", "en"): _BOOK.format(first="Once a round"),
        ("20220101", "en"): _BOOK.format(first="At any time, as often as its captain likes,"),
    }
    with build_books(tmp_path, books) as opened:
        whole = opened.search("crate", most=100)
        shown = {(hit.place.edition, hit.node.number): hit.snippet for hit in whole}
        # Of the newer edition its words, not its example, which the older one has as well.
        assert "as often as" in shown["20220101", "100.1"]
        assert [len(hit.same) for hit in whole if hit.node.number in ("100.2", "100.3")] == [1, 1]
        for most in range(1, len(whole)):
            assert opened.search("crate", most=most).hits == whole.hits[:most]


def test_the_newest_edition_is_shown_however_far_behind_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = "".join(f"100.{n}. Mast {n} has no crate.\n\n" for n in range(4, 60))
    book = _BOOK.format(first="Then") + more
    books = {("20210101", "en"): book, ("20220101", "en"): book}
    with build_books(tmp_path, books) as opened:
        whole = opened.search(kind="rule", most=100)
        assert {hit.place.edition for hit in whole} == {"20220101"}
        assert sum(len(hit.same) for hit in whole) == len(whole)
        monkeypatch.setattr(search, "_MOST_COPIES", 1)
        parts = _parts(opened.search, "", 2, {"kind": "rule"})
        assert [hit for part in parts for hit in part] == list(whole)


@pytest.mark.shared
@pytest.mark.parametrize("words", ["ability", "カード"])
def test_hits_of_real_rules_do_not_depend_on_how_many_are_wanted(
    rules_and_pages: kb.KnowledgeBase, words: str
) -> None:
    whole = rules_and_pages.search(words, most=500)
    for most in (1, 7, 60):
        assert rules_and_pages.search(words, most=most).hits == whole.hits[:most]


@pytest.mark.shared
def test_rules_that_are_listed_are_those_of_the_newest_edition(
    rules_and_pages: kb.KnowledgeBase,
) -> None:
    """Chapters, too: they come last in a rulebook, and among the rules where a page quotes them."""
    whole = rules_and_pages.search(kind="rule", lang="ja", most=500)
    assert any(hit.same for hit in whole)
    for most in (15, 16, 17, 40, 130, 180):
        found = rules_and_pages.search(kind="rule", lang="ja", most=most)
        assert found.hits == whole.hits[:most]


@pytest.mark.parametrize("command", ["search", "kwic"])
def test_a_part_goes_on_with_its_own_question_alone(base: kb.KnowledgeBase, command: str) -> None:
    ask = getattr(base, command)
    more = ask("カード", most=3).more
    for text, after in (("引く", more), ("カード", f"9{more}"), ("カード", "3"), ("カード", "")):
        with pytest.raises(kb.QuestionError, match="does not continue this list"):
            ask(text, after=after)
    with pytest.raises(kb.QuestionError, match="does not continue this list"):
        ask("カード", game="mtg", after=more)
    for no_place in (3, b"x", True, ["3.00000000"]):
        with pytest.raises(kb.QuestionError, match="give what `more` of the part before says"):
            ask("カード", after=no_place)
    assert len(ask("カード", most=5, after=more)) == 5  # as many as one likes


def test_sorted_lines_go_on_in_the_same_width_alone(base: kb.KnowledgeBase) -> None:
    for order in ("left", "right"):
        more = base.kwic("カード", order=order, most=3, width=30).more
        with pytest.raises(kb.QuestionError, match="does not continue this list"):
            base.kwic("カード", order=order, most=3, width=5, after=more)
    more = base.kwic("カード", most=3, width=30).more
    assert base.kwic("カード", most=3, width=5, after=more).lines  # in the order of the pages


@pytest.mark.parametrize(
    ("command", "shown", "next_ones"),
    [
        ("search", "2 of the hits ({total} passages", "3–4 of the hits"),
        ("kwic", "2 of {line_total} lines", "3–4 of"),
    ],
)
def test_the_command_says_how_to_go_on(
    base: kb.KnowledgeBase, command: str, shown: str, next_ones: str
) -> None:
    document = json.loads(run(command, "カード", "--max", "2", "--json", of=base).stdout)
    more = document["more"]["ask"]["arguments"]["after"]
    first = run(command, "カード", "--max", "2", of=base).stdout
    assert shown.format(**document) in first and f" --after {more}" in first
    assert next_ones in run(command, "カード", "--max", "2", "--after", more, of=base).stdout
    wrong = run(command, "引く", "--after", more, of=base)
    assert wrong.exit_code == 2 and "--after" in wrong.stderr and not wrong.stdout
