"""Runs of text: nothing lost, spans in step, lines joined as a reader would."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from scraper.markup.page_builder import LinkTarget, TextRun
from scraper.page import text_size

PIECES = st.lists(
    st.one_of(
        st.text(st.sampled_from("カード引くabc 　\n\t。/"), max_size=8),
        st.sampled_from([("link",), ("close",), ("break",), ("strong",)]),
    ),
    max_size=30,
)


def play(pieces: list[str | tuple[str]]) -> tuple[TextRun, str]:
    run, opened, whole = TextRun(), [], ""
    for piece in pieces:
        if isinstance(piece, str):
            run.text(piece)
            whole += piece
        elif piece == ("link",):
            opened.append(run.open(LinkTarget("page", "X")))
        elif piece == ("strong",):
            opened.append(run.open_strong())
        elif piece == ("break",):
            run.line()
        elif opened:
            run.close(opened.pop())
    return run, whole


@given(PIECES)
@example(["a", ("link",), "\u3000", ("close",), "a"])
def test_conservation(pieces: list[str | tuple[str]]) -> None:
    run, whole = play(pieces)
    passage = run.passage("paragraph")
    assert text_size(passage.text) == text_size(whole)
    assert passage.text == passage.text.strip()
    for link in passage.links:
        assert 0 <= link.start < link.end <= len(passage.text)
        assert passage.text[link.start : link.end].strip()


@given(st.text(st.sampled_from("カード引くabc 　\n。"), max_size=40))
def test_idempotence(text: str) -> None:
    once = TextRun()
    once.text(text)
    first = once.passage("paragraph").text
    twice = TextRun()
    twice.text(first)
    assert twice.passage("paragraph").text == first


def test_lines_join_without_a_space_in_japanese_only() -> None:
    run = TextRun()
    run.text("カードを\n引く。\n  See the\nrules")
    assert run.passage("paragraph").text == "カードを引く。See the rules"


def test_a_space_that_is_written_stays() -> None:
    run = TextRun()
    run.text("引き分け になった　後")
    assert run.passage("paragraph").text == "引き分け になった　後"
