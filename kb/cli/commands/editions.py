"""The commands that compare editions and languages: diff, changes, impact, trace, align."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import click

import kb as public
from kb.cli import options
from kb.cli.command import Command
from kb.cli.print_result import fail, print_result

_under = click.option(
    "--under",
    "--rule",
    "under",
    multiple=True,
    metavar="N",
    help="Only this rule, by its number in either edition, and its sub-rules, e.g. 702; may be "
    "repeated.",
)


def _kinds(text: str) -> Callable[[options.Command], options.Command]:
    return click.option(
        "--kind",
        "kinds",
        default="",
        metavar="KINDS",
        help=text,
        callback=lambda _context, _option, value: [kind for kind in value.split(",") if kind],
    )


@click.command(cls=Command)
@click.argument("before", metavar="EDITION")
@click.argument("after", metavar="EDITION")
@_under
@_kinds("Only changes of these kinds, e.g. added,changed,moved+changed.")
@click.option("--words", default="", help="Only rules with these words in either edition.")
@click.option(
    "--mentions",
    multiple=True,
    metavar="REF",
    help="Only rules that mention this term or card in either edition; may be repeated.",
)
@click.option("--lang", help="The language to compare, e.g. ja.")
@click.option("--game", help="The game, e.g. mtg.")
@click.option(
    "--typographic",
    is_flag=True,
    help="List also rules that differ only in quotation marks, dashes, width or spaces.",
)
@click.option(
    "--examples", is_flag=True, help="List also rules that differ only in the examples below them."
)
@click.option(
    "--glossary", is_flag=True, help="List what changed in the glossary, instead of the rules."
)
@options.common
def diff(
    before: str, after: str, glossary: bool, kb_file: str, as_json: bool, **chosen: Any
) -> None:
    """Show what changed between two editions of a rulebook.

    An EDITION is its date, e.g. 20231117; the old one comes first. They are compared in the
    language in which most of both is loaded, unless --lang says which.
    """
    with public.open(kb_file) as base:
        found = base.diff(before, after, **chosen)
        print_result(found, as_json, "editions.print_diff", notice=base.notice, glossary=glossary)


@click.command(cls=Command)
@click.argument("before", metavar="[OLD]", required=False)
@click.argument("after", metavar="[NEW]", required=False)
@click.option(
    "--since",
    metavar="FILE",
    help="Instead of two editions compare this older build of the knowledge base with it.",
)
@click.option(
    "--out",
    default="-",
    show_default=True,
    metavar="FILE",
    help="The file to write: .md, .html or .atom; - for standard output.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["markdown", "html", "atom"]),
    help="The format. By default that of the file's suffix, and Markdown on standard output.",
)
@_under
@click.option("--lang", help="The language to compare, e.g. ja.")
@click.option("--game", help="The game, e.g. mtg.")
@options.common
def changes(
    before: str | None,
    after: str | None,
    since: str | None,
    out: str,
    form: str | None,
    under: tuple[str, ...],
    lang: str | None,
    game: str | None,
    kb_file: str,
    as_json: bool,
) -> None:
    """Write what changed between two editions as a document to publish.

    New, changed, moved and removed rules with their words, what differs marked, the glossary, and
    which loaded pages may be stale now: as Markdown, as a page by itself, or as an Atom feed with
    an entry for each section. OLD and NEW are dates, e.g. 20231117.

    \b
    A page for the readers of a wiki, and a feed:
      sansho changes 20231117 20240730 --out changes.html
      sansho changes 20231117 20240730 --out changes.atom

    \b
    What a new build of the knowledge base brought: editions, pages, terms, names:
      sansho changes --since before.db --out news.md
    """
    from kb.cli.render.changes import document, format_of

    form = form or format_of(out)
    if since is not None and (before or under or lang or game):
        raise click.UsageError("--since compares two builds: give no edition, rule, language, game")
    if since is None and not (before and after):
        raise click.UsageError("give two editions, the older one first, or --since FILE")
    with public.open(kb_file) as base:
        found: public.Changes | public.BuildChanges
        if since is not None:
            from kb.cli.render.changes import build_changes_document

            found, render = base.changes_since(since), "changes.print_build_changes"
            built = datetime.fromtimestamp(base.file.stat().st_mtime, UTC)
            time = f"{built:%Y-%m-%dT%H:%M:%SZ}"  # as Atom writes times
            written = build_changes_document(found, form, base.notice, time)
        else:
            assert before and after
            found = base.changes(before, after, under=under, lang=lang, game=game)
            written, render = document(found, form, base.notice), "changes.print_written"
        if out != "-" or not as_json:
            with public.open_output(out) as output:
                output.write(written)
        if out != "-" or as_json:
            print_result(found, as_json, render, out=out)


@click.command(cls=Command)
@click.argument("editions", nargs=-1, metavar="[OLD] [NEW]")
@_kinds("Only these: number (of a rule that is cited), words (that are quoted), sense.")
@click.option("--source", help="Only pages of this source, e.g. mtgwiki.")
@click.option("--lang", help="The language in which the rules are compared, e.g. en.")
@click.option("--game", help="The game, e.g. mtg.")
@options.most("How many statements at most.", 1_000, 100_000)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "csv", "markdown"]),
    default="text",
    show_default=True,
    help="How to print it: csv has a row for each statement, markdown is a list to tick off.",
)
@options.common
def impact(
    editions: tuple[str, ...], form: str, kb_file: str, as_json: bool, **chosen: Any
) -> None:
    """List what a newer edition makes stale in the loaded pages.

    Pages' sentences, rulings, quoted rules and terms that cite, quote or explain what was changed,
    moved or removed, by page, each with the words before and after. An edition is its date, e.g.
    20231117; without editions the newest is held against the one before it.

    \b
    Which of my wiki's pages are wrong now, to go through one by one:
      sansho impact --source mtgwiki --format markdown > stale.md
    """
    with public.open(kb_file) as base:
        found = base.impact(*editions, **chosen)
        print_result(found, as_json, f"changes.print_impact_as_{form}", notice=base.notice)


@click.command(cls=Command)
@click.argument("ref", required=False, metavar="RULE")
@click.option(
    "--unsure",
    is_flag=True,
    help="List instead which versions of rules were taken for one without being sure.",
)
@options.most("With --unsure: how many, the least sure first.", 20, 100_000)
@options.filters
@options.common
def trace(
    ref: str | None, unsure: bool, most: int, kb_file: str, as_json: bool, **filters: Any
) -> None:
    """Show the history of RULE through all editions.

    Shows its number in each edition, what changed in its text, and which of its sub-rules changed.
    """
    if unsure == (ref is not None):
        fail("trace: give a RULE, or --unsure")
    with public.open(kb_file) as base:
        if unsure:
            narrowed = {name: value for name, value in filters.items() if name != "source"}
            unsure_found = base.unsure_matches(most=most, **narrowed)
            print_result(unsure_found, as_json, "editions.print_unsure", notice=base.notice)
            return
        found = base.trace(str(ref), **filters)
        print_result(found, as_json, "editions.print_trace", notice=base.notice)


@click.command(cls=Command)
@click.argument("lang")
@click.argument("other", metavar="LANG")
@click.option("--rule", help="Only this rule and its sub-rules, e.g. 121; prints their texts, too.")
@options.edition("Only this edition, e.g. 20231117.")
@click.option("--game", help="Only this game, e.g. mtg.")
@click.option("--pairs", is_flag=True, help="Print the texts of all rules, too.")
@click.option(
    "--html",
    "html_file",
    metavar="FILE",
    help="Write the rules side by side as an HTML page, with their terms marked; - for standard "
    "output.",
)
@options.common
def align(
    lang: str,
    other: str,
    rule: str | None,
    edition: str | None,
    game: str | None,
    pairs: bool,
    html_file: str | None,
    kb_file: str,
    as_json: bool,
) -> None:
    """Show where the rules in two languages differ.

    It says how much of either language is loaded, and lists missing rules, headings without their
    numbers, and citations and numbers that differ. A LANG is a code, e.g. ja, en.

    \b
    A page to read or print, both languages side by side:
      sansho align ja en --html rules.html
    """
    if as_json and html_file == "-":
        fail("--html -: standard output takes either the page or --json; name a file")
    with public.open(kb_file) as base:
        found = base.align(
            lang, other, rule=rule, edition=edition, game=game, marks=html_file is not None
        )
        if html_file is not None:
            from kb.cli.render.editions import alignment_page

            with public.open_output(html_file) as output:
                for line in alignment_page(found, base.notice):
                    output.write(f"{line}\n".encode())
        if html_file != "-":
            print_result(
                found,
                as_json,
                "editions.print_alignment",
                notice=base.notice,
                pairs=pairs or rule is not None,
                page=html_file,
            )
