"""The commands that find passages: search, kwic and ask."""

from __future__ import annotations

from typing import Any

import click

import kb as public
from kb.cli import options
from kb.cli.print_result import print_result


@click.command()
@click.argument("words", nargs=-1, required=True)
@click.option(
    "--max",
    "most",
    type=click.IntRange(1, 1000),
    default=10,
    show_default=True,
    help="How many passages at most.",
)
@options.passage_filters
@options.common
def search(words: tuple[str, ...], most: int, kb_file: str, as_json: bool, **filters: Any) -> None:
    """Find passages with WORDS, in any inflection or spelling.

    Words written together are a phrase; words separated by spaces must all occur.
    """
    with public.open(kb_file) as base:
        found = base.search(" ".join(words), most=most, **filters)
        print_result(
            found,
            as_json,
            "search.print_hits",
            bool(found.hits),
            words=" ".join(words),
            narrowed=any(filters.values()),
        )


@click.command()
@click.argument("words", nargs=-1, required=True)
@click.option(
    "--sort",
    "order",
    type=click.Choice(["place", "left", "right"]),
    default="place",
    show_default=True,
    help="Sort by place, or by the context to the left or to the right.",
)
@click.option(
    "--width",
    type=click.IntRange(1, 200),
    default=30,
    show_default=True,
    help="Characters of context on each side.",
)
@click.option(
    "--max",
    "most",
    type=click.IntRange(1, 100_000),
    default=50,
    show_default=True,
    help="How many lines at most.",
)
@options.passage_filters
@options.common
def kwic(
    words: tuple[str, ...],
    order: public.LineOrder,
    width: int,
    most: int,
    kb_file: str,
    as_json: bool,
    **filters: Any,
) -> None:
    """Print a concordance: each occurrence of WORDS in its context.

    Words are found in any inflection or spelling. There is a line for each occurrence, with the
    words one below the other.
    """
    with public.open(kb_file) as base:
        found = base.kwic(" ".join(words), order=order, width=width, most=most, **filters)
        print_result(
            found,
            as_json,
            "kwic.print_lines",
            bool(found.lines),
            words=" ".join(words),
            narrowed=any(filters.values()),
            width=width,
        )


@click.command()
@click.argument("question", nargs=-1, required=True)
@click.option(
    "--top",
    type=click.IntRange(1, 100),
    default=5,
    show_default=True,
    help="How many answers at most.",
)
@click.option("--game", help="Only this game, e.g. mtg; by default the question's words decide.")
@options.common
def ask(question: tuple[str, ...], top: int, game: str | None, kb_file: str, as_json: bool) -> None:
    """Answer a question with the passages that state the answer.

    QUESTION is in Japanese or English.
    """
    with public.open(kb_file) as base:
        found = base.ask(" ".join(question), top=top, game=game)
        print_result(found, as_json, "ask.print_answers", bool(found.answers))
