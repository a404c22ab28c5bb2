"""The commands that hold a text against the rules: check (a draft) and verify (claims)."""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click

import kb as public
from kb.cli import options
from kb.cli.command import Command
from kb.cli.print_result import NOTHING_FOUND, fail, print_json, print_result, say
from kb.shared_wording import counted

# Bytes of standard input: the most that `kb.checking.verify` takes (LARGEST), which refuses the one
# more that is read.
_LARGEST = 8 << 20
# Claims that are all shown on a terminal, by hand: with two to four lines each, more fill several
# screens. The help of --problems says this number.
_MOST_ON_TERMINAL = 20


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--game", help="The game that the text is about, e.g. mtg.")
@options.edition("The edition of the rules that the text was written for, e.g. 20231117.")
@click.option(
    "--against",
    metavar="EDITION",
    help="With --edition: the edition that should hold now. [default: the newest]",
)
@click.option("--lang", help="Hold it against rules and pages of this language only, e.g. en.")
@click.option(
    "--problems/--all",
    default=None,
    help="Only the claims that don't stand, or all. [default: all, on a terminal up to 20]",
)
@click.option(
    "--fix", is_flag=True, help="Write the numbers of rules that moved whole into the files."
)
@click.option(
    "--diff", "show_diff", is_flag=True, help="Print what --fix writes, and write nothing."
)
@click.option("--baseline", metavar="FILE", help="Keep quiet about problems that this file has.")
@click.option("--write-baseline", metavar="FILE", help="Write all problems to this file.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif", "github"]),
    default="text",
    show_default=True,
    help="How to print the claims; sarif and github have the problems.",
)
@options.common
def verify(
    files: tuple[str, ...],
    problems: bool | None,
    fix: bool,
    show_diff: bool,
    baseline: str | None,
    write_baseline: str | None,
    form: str,
    kb_file: str,
    as_json: bool,
    **asked: Any,
) -> None:
    """Say of each citation and quotation in a text whether it is right.

    A FILE is plain text or Markdown (an assistant's answer, a draft, a post), data, or source code,
    of which comments and strings count; a folder, with all below it; or a pattern such as
    'src/**/*.py'. With - a text is read from standard input. Quoted names of terms and cards are no
    claims.

    \b
    The verdicts:
      exact          the number or the words are there
      typographic    but for quotation marks, dashes, width, spaces, case
      repaired       nearly: what should stand there is shown
      contradicts    what differs or is left out turns the sense
      other edition  right in another edition, which is named
      about something else  the number is there, the sentence speaks of another rule
      not found      no rule of this number, no rule or page with these words
      not loaded     nobody can tell: what would say it is not loaded
    \b
    And with --edition, of what was right in it:
      moved          the rule has another number now, which is shown
      changed        the rule says something else now
      gone           the rule is not there any more
    \b
    What a new edition made of the citations in a project; then write the numbers that are sure:
      sansho verify src docs --edition 20231117 --problems
      sansho verify src docs --edition 20231117 --fix
    \b
    Exit code 0 if no claim is wrong (with --fix: any more), 1 if some are, 2 if a text can't be
    read.
    """
    is_text = files == ("-",)
    if (fix or show_diff) and (is_text or asked["edition"] is None):
        fail("--fix and --diff need files, and --edition: what they were written for")
    with public.open(kb_file) as base:
        if is_text:
            found = base.verify(sys.stdin.buffer.read(_LARGEST + 1), **asked)
        else:
            found = base.verify_files(*files, **asked)
        if write_baseline:
            found.write_baseline(write_baseline)
        if baseline:
            found = found.without(baseline)
        if fix or show_diff:
            if _fix(found, show_diff, base.file):
                sys.exit(NOTHING_FOUND)
            return
        if problems is None and not as_json and sys.stdout.isatty():
            problems = len(found.claims) > _MOST_ON_TERMINAL
        shown = found.problems if problems else found
        if form == "sarif" and not as_json:
            print_json(found.as_sarif(version("sansho")))
        elif form == "github" and not as_json:
            print_result(found, False, "checked_texts.print_annotations")
        else:
            print_result(
                shown,
                as_json or form == "json",
                "checked_texts.print_verification",
                notice=base.notice,
                name="standard input" if is_text else "",
            )
    if not found.stands:
        sys.exit(NOTHING_FOUND)


def _fix(found: public.Verification, only_show: bool, kb_file: Path) -> int:
    """Write the numbers that are sure into the files, or print what would be written; return how
    many claims are wrong still.

    kb_file: the knowledge base, beside which the numbers that were mended are kept."""
    from kb.checking.fix_numbers import remember
    from kb.cli.render.output import printable

    left_out: dict[str, public.Reason] = {}
    fixed = found.fixed(left_out)
    if fixed and not only_show:
        # First: what breaks off in between must mend no number twice.
        remember(kb_file, {each.file: (each.written, each.after) for each in fixed})
    for each in fixed:
        if only_show:
            is_read = sys.stdout.isatty()  # and not kept as a patch, which has each byte
            lines = "".join(f"{printable(line)}\n" for line in each.diff()) if is_read else ""
            click.echo(lines or each.patch(), nl=False)
        else:
            each.write()
    count = sum(each.count for each in fixed)
    done = "would be mended" if only_show else "mended"
    for reason in left_out.values():
        say(reason)
    say(f"{counted(count, 'number')} in {counted(len(fixed), 'file')} {done}")
    if fixed and only_show:
        say("a patch that you apply yourself is not remembered: verify then with the newer edition")
    wrong = sum(claim.is_wrong for claim in found.claims)
    left = wrong if only_show else wrong - count
    if wrong > count:
        say(f"{counted(wrong - count, 'claim')} can't be mended so: --problems lists them")
    return left


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
@options.edition("The edition of the rules that the draft means, e.g. 20231117.")
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
    write_baseline: str | None,
    form: str,
    kb_file: str,
    as_json: bool,
    **asked: Any,
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
        found = base.check(file, original=source, **asked)
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
