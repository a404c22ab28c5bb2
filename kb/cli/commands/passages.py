"""The commands that find passages: search, kwic and ask."""

from __future__ import annotations

from typing import Any

import click

import kb as public
from kb.cli import options
from kb.cli.command import Command
from kb.cli.print_result import print_result


@click.command(cls=Command)
@click.argument("text", nargs=-1, metavar="[WORDS]...")
@options.most("How many passages at most.", 10, 1000)
@click.option("--any-word", is_flag=True, help="Find passages with any of the words, not with all.")
@options.next_part
@options.passage_filters
@options.common
def search(
    text: tuple[str, ...],
    most: int,
    any_word: bool,
    after: str | None,
    kb_file: str,
    as_json: bool,
    **filters: Any,
) -> None:
    """Find passages with WORDS, in any inflection or spelling.

    Words written together are a phrase, and so are words in quotation marks within WORDS
    ('"draw a card"'); other words must all occur, and of several English words the passages with
    the phrase come first. Without WORDS
    all passages that the options choose are listed, in the order of the pages:

    \b
      sansho search --mentions 引く --cites 614
      sansho search --kind ruling --section FAQ
    """
    with public.open(kb_file) as base:
        found = base.search(" ".join(text), most=most, any_word=any_word, after=after, **filters)
        print_result(
            found,
            as_json,
            "passages.print_hits",
            bool(found.hits),
            words=" ".join(text),
            narrowed=any(filters.values()),
        )


@click.command(cls=Command)
@click.argument("text", nargs=-1, metavar="[WORDS]...")
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
    type=options.WholeNumber(1, 200),
    default=30,
    show_default=True,
    help="Characters of context on each side.",
)
@options.most("How many lines at most.", 50, 100_000)
@click.option(
    "--each-edition",
    is_flag=True,
    help="Print the same line for each edition that has it, not once with their number (×3).",
)
@click.option(
    "--with",
    "with_lang",
    metavar="LANG",
    help="Print below each line of a rule its translation into this language, e.g. en.",
)
@options.next_part
@options.passage_filters
@options.common
def kwic(
    text: tuple[str, ...],
    order: public.LineOrder,
    width: int,
    most: int,
    each_edition: bool,
    with_lang: str | None,
    after: str | None,
    kb_file: str,
    as_json: bool,
    **filters: Any,
) -> None:
    """Print a concordance: each occurrence of WORDS in its context.

    Words are found in any inflection or spelling. There is a line for each occurrence, with the
    words one below the other. Several English words are one phrase where they occur as one. Without
    WORDS there is a line for each place that mentions or cites what the options name:

    \b
      sansho kwic --cites 121
    """
    with public.open(kb_file) as base:
        found = base.kwic(
            " ".join(text),
            order=order,
            width=width,
            most=most,
            merge_editions=not each_edition,
            after=after,
            with_lang=with_lang,
            **filters,
        )
        print_result(
            found,
            as_json,
            "passages.print_lines",
            bool(found.lines),
            words=" ".join(text),
            narrowed=any(filters.values()),
        )


@click.command(cls=Command)
@click.argument("question", nargs=-1, required=True)
@click.option(
    "--top",
    type=options.WholeNumber(1, 100),
    default=5,
    show_default=True,
    help="How many answers at most.",
)
@click.option("--game", help="Only this game, e.g. mtg; by default the question's words decide.")
@options.edition("Only this edition of a rulebook, e.g. 20231117.")
@click.option("--lang", help="Only passages in this language, e.g. ja.")
@click.option(
    "--why", is_flag=True, help="Say why each answer was chosen, and what it does not speak of."
)
@options.common
def ask(
    question: tuple[str, ...], top: int, why: bool, kb_file: str, as_json: bool, **filters: Any
) -> None:
    """Answer a question with the passages that state the answer.

    QUESTION is in Japanese or English. What another command answers exactly, such as which rules
    cite one or what a term is called in English, is answered by that, and the command is named.
    """
    with public.open(kb_file) as base:
        found = base.ask(" ".join(question), top=top, **filters)
        print_result(found, as_json, "passages.print_answers", bool(found), why=why)
