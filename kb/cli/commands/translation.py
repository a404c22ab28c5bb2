"""The commands of a translator's work: match and package."""

from __future__ import annotations

from typing import Any

import click

import kb as public
from kb.cli import options
from kb.cli.command import Command
from kb.cli.print_result import fail, print_result


@click.command(cls=Command)
@click.argument("text", nargs=-1, required=True, metavar="SENTENCE...")
@click.option("--lang", help="The language of SENTENCE; by its script, Japanese or English.")
@click.option("--target-lang", help="The language of the translations; Japanese or English.")
@click.option("--game", help="Only texts of this game, e.g. mtg.")
@options.most("How many matches at most.", 5, 100)
@options.common
def match(text: tuple[str, ...], kb_file: str, as_json: bool, **chosen: Any) -> None:
    """Show how SENTENCE, or what is nearest to it, was translated before.

    It is looked for in rules, their headings and examples, glosses, and names of terms and cards
    that are loaded in both languages. Each match has its score (100: all words are the same), both
    languages, with the words that SENTENCE has otherwise marked, and where it stands.
    """
    with public.open(kb_file) as base:
        found = base.match(" ".join(text), **chosen)
        print_result(found, as_json, "checked_texts.print_translations", bool(found.matches))


@click.command(cls=Command)
@click.argument("edition", required=False, metavar="[EDITION]")
@click.option(
    "--from",
    "before",
    required=True,
    metavar="EDITION",
    help="The older edition, which is loaded in both languages.",
)
@click.option("--source-lang", help="The language of the new edition, e.g. en.")
@click.option("--target-lang", help="The language that it is translated into, e.g. ja.")
@click.option("--out", metavar="FOLDER", help="The folder that is written.")
@click.option("--check", "returned", metavar="FILE", help="Look at XLIFF that came back, instead.")
@click.option("--game", help="The game, e.g. lorcana; needed if several have these editions.")
@click.option("--replace", is_flag=True, help="Replace also XLIFF that somebody translated in.")
@options.decisions
@options.common
def package(
    edition: str | None,
    before: str,
    out: str | None,
    returned: str | None,
    kb_file: str,
    as_json: bool,
    **chosen: Any,
) -> None:
    """Write the work of a new EDITION for a translator into a folder.

    It has XLIFF 1.2 and 2.1, a project of OmegaT, the termbase, the memory, and a report by which
    the work is quoted. Unchanged rules keep their translation, and are final; in those that only
    cite rules with other numbers these are rewritten; changed ones have the old text and its
    translation beside them, with the words that differ marked; new ones what is most like them.

    \b
      sansho package 20260709 --from 20251031 --source-lang en --target-lang ja --out work
      sansho package --from 20251031 --check work/lorcana-20260709.en-ja.xlf
      sansho build work/lorcana-20260709.en-ja.xlf --add
    """
    with public.open(kb_file) as base:
        if returned:
            found = base.check_package(returned, before, game=chosen["game"])
            print_result(found, as_json, "checked_texts.print_returned", not found.open)
            return
        if not (edition and chosen["source_lang"] and chosen["target_lang"] and out):
            fail("package: give EDITION, --source-lang, --target-lang and --out; or --check FILE")
        report = base.package(edition, before, out, **chosen)
        print_result(report, as_json, "checked_texts.print_package")
