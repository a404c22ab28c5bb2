"""The commands that hold a text against the rules: check (a draft) and verify (claims)."""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path

import click

import kb as public
from kb.cli import options
from kb.cli.command import Command
from kb.cli.print_result import NOTHING_FOUND, print_json, print_result

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


def _split(_context: click.Context, _option: click.Parameter, given: tuple[str, ...]) -> list[str]:
    """Return the values of an option that may be repeated or have several values with commas, in
    the order given, without white space around them and without empty ones."""
    return [value.strip() for values in given for value in values.split(",") if value.strip()]


@click.command(cls=Command)
@click.argument("file")
@click.option("--source", metavar="FILE", help="The text that the draft translates.")
@click.option("--source-lang", metavar="LANG", help="The language of the source, e.g. en.")
@click.option("--target-lang", metavar="LANG", help="The language of the draft, e.g. ja.")
@click.option("--game", help="The game that the draft is about, e.g. mtg.")
@click.option(
    "--edition",
    cls=options.EditionOption,
    help="The edition of the rules that the draft means, e.g. 20231117.",
)
@click.option(
    "--decisions",
    metavar="FILE",
    help="Your decisions on names (TOML, CSV, TBX, TMX or a glossary of OmegaT); they win.",
)
@click.option("--baseline", metavar="FILE", help="Keep quiet about what this file has.")
@click.option("--write-baseline", metavar="FILE", help="Write all problems to this file.")
@click.option(
    "--only", multiple=True, metavar="KINDS", callback=_split, help="Only problems of these kinds."
)
@click.option(
    "--skip", multiple=True, metavar="KINDS", callback=_split, help="No problems of these kinds."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif"]),
    default="text",
    show_default=True,
    help="How to print the problems.",
)
@options.common
def check(
    file: str,
    source: str | None,
    source_lang: str | None,
    target_lang: str | None,
    game: str | None,
    edition: str | None,
    decisions: str | None,
    baseline: str | None,
    write_baseline: str | None,
    only: list[str],
    skip: list[str],
    form: str,
    kb_file: str,
    as_json: bool,
) -> None:
    """Hold a translator's draft against the termbase and the rules.

    FILE is plain text, Markdown, HTML, XLIFF, TMX or CSV with a column of sources and one of
    translations. Of a draft without source, lines that begin with the number of a rule are held
    against this rule in the other language.

    \b
    The kinds of problems:
      missing-term merged-terms inconsistent-term   a term in other words
      missing-text                                  a sentence that seems to be left out
      deprecated-term forbidden-term other-game-term  a name not to be used
      opposite                                      the opposite of what the source says
      number rule-number moved-citation             numbers and cited rules
      card-name spelling                            names not as printed or as the house spells
    \b
    Exit code 0 if there are no problems, 1 if there are, 2 if the draft can't be read.
    """
    with public.open(kb_file) as base:
        found = base.check(
            file,
            original=source,
            source_lang=source_lang,
            target_lang=target_lang,
            game=game,
            edition=edition,
            decisions=decisions,
            baseline=baseline,
            only=only,
            skip=skip,
        )
        if write_baseline:
            found.write_baseline(write_baseline)
        if form == "sarif" and not as_json:
            print_json(found.as_sarif(version("sansho")))
        else:
            print_result(
                found, as_json or form == "json", "checked_texts.print_check", notice=base.notice
            )
    if found.problems:
        sys.exit(NOTHING_FOUND)
