"""The commands about terms: compare, steps, outcomes, rulings, terms, termbase and decide."""

from __future__ import annotations

from typing import Any

import click

import kb as public
from kb.cli import options
from kb.cli.command import Command
from kb.cli.print_result import print_result


@click.command(cls=Command)
@click.argument("refs", nargs=-1, required=True, metavar="TERM...")
@click.option("--game", help="Compare only terms of this game, e.g. mtg, with those of others.")
@options.common
def compare(refs: tuple[str, ...], game: str | None, kb_file: str, as_json: bool) -> None:
    """Compare TERM with the same concept in other games.

    Shows the names and the definition of each term, and why the concept is the same.
    """
    with public.open(kb_file) as base:
        found = base.compare(*refs, game=game)
        print_result(found, as_json, "lookup.print_comparison", bool(found.rows))


@click.command(cls=Command)
@click.argument("ref", metavar="TERM")
@options.filters
@options.common
def steps(ref: str, kb_file: str, as_json: bool, **filters: Any) -> None:
    """List the procedures of TERM, step by step.

    A procedure is an ordered list of things to do, such as the steps of a phase. Those on the
    term's page and under its rule come first, then those of other rules that mention it.
    """
    with public.open(kb_file) as base:
        found = base.steps(ref, **filters)
        print_result(found, as_json, "statements.print_procedures", bool(found.procedures), ref=ref)


@click.command(cls=Command)
@click.argument("ref", metavar="TERM")
@click.option(
    "--max",
    "most",
    type=click.IntRange(1, 10_000),
    default=50,
    show_default=True,
    help="How many outcomes at most.",
)
@options.filters
@options.common
def outcomes(ref: str, most: int, kb_file: str, as_json: bool, **filters: Any) -> None:
    """List what happens under which condition, for TERM.

    Prints, by game, section and subject, each condition with its result and whether that must, may
    or cannot be done; without such a mark it is so. Exceptions stand below what they are exceptions
    to.
    """
    with public.open(kb_file) as base:
        found = base.outcomes(ref, most=most, **filters)
        print_result(found, as_json, "statements.print_outcomes", bool(found.outcomes), ref=ref)


@click.command(cls=Command)
@click.argument("ref")
@click.option(
    "--max",
    "most",
    type=click.IntRange(1, 10_000),
    default=20,
    show_default=True,
    help="How many rulings at most.",
)
@options.filters
@options.common
def rulings(ref: str, most: int, kb_file: str, as_json: bool, **filters: Any) -> None:
    """List the questions and answers that speak of REF.

    REF is a term, card, rule or page. Those on its own page come first, then those that cite, link
    or mention it, each with its page and, if the page says it, its date.
    """
    with public.open(kb_file) as base:
        found = base.rulings(ref, most=most, **filters)
        print_result(found, as_json, "statements.print_rulings", bool(found.rulings), ref=ref)


@click.command(cls=Command)
@click.option("--lang", help="Only terms with a name in this language, e.g. en.")
@click.option("--source", help="Only terms of this source, e.g. mtgwiki.")
@click.option("--game", help="Only this game, e.g. mtg.")
@options.common
def terms(kb_file: str, as_json: bool, **filters: Any) -> None:
    """List all terms with their readings and English names."""
    with public.open(kb_file) as base:
        found = base.terms(**filters)
        print_result(found, as_json, "lookup.print_terms", bool(found.terms), notice=base.notice)


@click.command(cls=Command)
@click.argument("term", required=False)
@options.decisions
@click.option("--cards", is_flag=True, help="List cards besides terms.")
@click.option("--lang", help="Only terms with a name in this language, e.g. en.")
@click.option("--source", help="Only terms of this source, e.g. mtgwiki.")
@click.option("--game", help="Only this game, e.g. mtg.")
@options.common
def termbase(term: str | None, kb_file: str, as_json: bool, **chosen: Any) -> None:
    """List the names of TERM, or of all terms, in every language.

    Says of each name whether it is preferred, admitted, deprecated or forbidden, why, and who gives
    it. Of one TERM also the definitions, sentences that use the names, the spellings that were met,
    and what it is in other games.
    """
    with public.open(kb_file) as base:
        found = base.termbase(term, **chosen)
        arguments = {"whole": term is not None, "notice": base.notice}
        print_result(found, as_json, "checked_texts.print_termbase", bool(found), **arguments)


@click.command(cls=Command)
@click.argument("term")
@click.option("--prefer", metavar="NAME", help="The name to use from now on.")
@click.option("--forbid", metavar="NAME", help="A name that must not be used.")
@click.option("--admit", metavar="NAME", help="A name that may be used, too.")
@click.option("--note", default="", help="Why, for readers.")
@click.option("--lang", help="The language of the names. [default: by their letters]")
@click.option("--game", help="The game of the term, e.g. mtg.")
@click.option(
    "--out",
    "into",
    metavar="FILE",
    help="Another file than FILE.decisions.csv beside the knowledge base.",
)
@options.common
def decide(term: str, kb_file: str, as_json: bool, **decided: Any) -> None:
    """Write what you decide of the names of TERM, and show it as it is then.

    It is kept in a file beside the knowledge base, which termbase, check and export use from then
    on, and say so.

    \b
    The house says "turn order" and not "playing order":
      sansho decide 手番順 --prefer "turn order" --forbid "playing order" --note "as on the box"
    """
    with public.open(kb_file) as base:
        found = base.decide(term, **decided)
        arguments = {"whole": True, "notice": base.notice}
        print_result(found, as_json, "checked_texts.print_termbase", bool(found), **arguments)
