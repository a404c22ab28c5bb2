"""The command that holds the citations and quotations of a text against the rules: verify."""

from __future__ import annotations

import sys
from pathlib import Path

import click

import kb as public
from kb.cli import options
from kb.cli.command import Command
from kb.cli.print_result import NOTHING_FOUND, print_result

# Bytes of standard input: the most that `kb.checking.verify` takes (LARGEST), which refuses the one
# more that is read.
_LARGEST = 8 << 20
# Claims that are all shown on a terminal, by hand: with two to four lines each, more fill several
# screens. The help of --problems says this number.
_MOST_ON_TERMINAL = 20


@click.command(cls=Command)
@click.argument("file")
@click.option("--game", help="The game that the text is about, e.g. mtg.")
@click.option(
    "--edition",
    cls=options.EditionOption,
    help="The edition of the rules that the text means, e.g. 20231117.",
)
@click.option("--lang", help="Hold it against rules and pages of this language only, e.g. en.")
@click.option(
    "--problems/--all",
    default=None,
    help="Only the claims that don't stand, or all. [default: all, on a terminal up to 20]",
)
@options.common
def verify(
    file: str,
    game: str | None,
    edition: str | None,
    lang: str | None,
    problems: bool | None,
    kb_file: str,
    as_json: bool,
) -> None:
    """Say of each citation and quotation in a text whether it is right.

    FILE is plain text or Markdown: an assistant's answer, a draft, a post. With - it is read from
    standard input. Quoted names of terms and cards are no claims.

    \b
    The verdicts:
      exact          the number or the words are there
      typographic    but for quotation marks, dashes, width, spaces, case
      repaired       nearly: what should stand there is shown
      contradicts    what differs or is left out turns the sense
      other edition  right in another edition, which is named
      not found      no rule of this number, no rule or page with these words
      not loaded     nobody can tell: what would say it is not loaded
    \b
    Exit code 0 if no claim is wrong, 1 if some are, 2 if the text can't be read.
    """
    with public.open(kb_file) as base:
        given = sys.stdin.buffer.read(_LARGEST + 1) if file == "-" else Path(file)
        found = base.verify(given, game=game, edition=edition, lang=lang)
        if problems is None and not as_json and sys.stdout.isatty():
            problems = len(found.claims) > _MOST_ON_TERMINAL
        name = "standard input" if file == "-" else file
        shown = found.problems if problems else found
        print_result(
            shown, as_json, "checked_texts.print_verification", notice=base.notice, name=name
        )
    if not found.stands:
        sys.exit(NOTHING_FOUND)
