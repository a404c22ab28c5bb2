"""Words that a command does not take: the error says where they belong."""

from __future__ import annotations

import re
import shlex

import pytest

import kb
from tests.commands import run


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ("show draw a card", 'quotes: sansho show "draw a card"'),
        ("outcomes 通常の ドロー --game mtg", 'quotes: sansho outcomes "通常の ドロー"'),
        ("show 121.4 121.5", "one after the other: sansho show 121.4 sansho show 121.5"),
        ("path 121 704 616", "sansho path 121 704 sansho path 704 616"),
        ("path 引く draw a", "Put a name of several words in quotes"),
        ("top 10", "sansho top --under 10 or --max 10"),
        ("top mentioned", "sansho top --mentioned"),
        ("refs 121 out", "sansho refs 121 --direction out"),
        ("diff 20231117 20240730 121", "sansho diff 20231117 20240730 --under 121"),
        ("diff 20231117 20240730 20260116", "Ask one after the other"),
        ("search 引く --max ten", "'ten': give a whole number from 1 to"),
        ("refs 引く --depth 99", "'99': give a whole number from 1 to 20."),
        ("terms 引く", 'sansho show "引く"'),
        ("stats `ls`", "sansho show '`ls`'"),
        ("top --cited --linked", "give one of --cited and --linked"),
    ],
)
def test_the_error_says_where_words_belong(words: str, advice: str) -> None:
    done = run(*words.split())
    assert done.exit_code == 2 and not done.stdout
    assert advice in " ".join(done.stderr.split())


def test_help_and_completion_come_first() -> None:
    assert run("top", "10", "--help").exit_code == 0


def test_a_word_that_begins_with_a_dash_stands_behind_two(base: kb.KnowledgeBase) -> None:
    said = run("search", "--max", "1", "--", "--カード", of=base).stdout
    more = re.search(r"sansho (search .* -- .*)", said)
    assert more and run(*shlex.split(more[1]), of=base).exit_code == 0
