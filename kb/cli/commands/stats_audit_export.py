"""The commands about a whole knowledge base: stats, audit and export."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import click

import kb as public
from kb.cli import options
from kb.cli.command import Command
from kb.cli.print_result import fail, print_json, print_result


@click.command(cls=Command)
@options.common
def stats(kb_file: str, as_json: bool) -> None:
    """Count pages by game and source, rules by edition and language, nodes and edges by kind."""
    with public.open(kb_file) as base:
        print_result(base.stats(), as_json, "builds_and_audits.print_stats", notice=base.notice)


def _split(_context: click.Context, _option: click.Parameter, given: tuple[str, ...]) -> list[str]:
    """Return the values of an option that may be repeated or have several values with commas, in
    the order given; an empty one stays, for `audit` to refuse."""
    return [value.strip() for values in given for value in values.split(",")]


@click.command(cls=Command)
@click.option(
    "--dangling",
    "kinds",
    multiple=True,
    metavar="KIND",
    callback=_split,
    help="List all dangling edges of this kind, e.g. cites, with where they stand and their words; "
    "may be repeated.",
)
@click.option(
    "--deep",
    is_flag=True,
    help="Check the file itself, too: its checksum, its tables and each of their rows.",
)
@click.option("--books", is_flag=True, help="Print how well each rulebook seems to be read.")
@options.common
def audit(kinds: list[str], deep: bool, books: bool, kb_file: str, as_json: bool) -> None:
    """Report which text was kept, left out, lost or unreadable.

    Adds up every character of the sources, and counts dangling edges (references to what is not
    in the knowledge base) by kind and reason, and the warnings of the build.

    \b
    Every citation of a rule that is not there:
      sansho audit --dangling cites
    \b
    What of a rulebook may be missing or misread:
      sansho audit --books
    \b
    Whether the file is as it was built; if not, what is wrong with it, and exit code 2:
      sansho audit --deep
    """
    damage = public.find_damage(kb_file) if deep else None
    if damage:
        print_result(_Damages(damage), as_json, "builds_and_audits.print_damage")
        fail(f"{kb_file}: damaged; build it again from its sources")
    with public.open(kb_file) as base:
        result = replace(base.audit(kinds), damage=damage)
        print_result(result, as_json, "builds_and_audits.print_audit", kinds=kinds, books=books)


def _print_schema(context: click.Context, _option: click.Parameter, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        print_json(public.json_schema())
        context.exit()


@dataclass(frozen=True, slots=True)
class _Damages:
    """What is wrong with a file that can't be audited further."""

    damage: tuple[public.Damage, ...]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@click.command(cls=Command)
@click.option(
    "--format",
    "form",
    metavar="FORMAT",
    help="The interchange format, as below. By default that of the file's suffix.",
)
@click.option("--out", required=True, metavar="FILE", help="The file to write; - prints it.")
@click.option(
    "--schema",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_schema,
    help="Print the JSON Schema of all JSON that sansho writes, and do nothing else.",
)
@options.decisions
@click.option("--game", help="Only this game, e.g. mtg.")
@click.option(
    "--lang",
    "langs",
    multiple=True,
    metavar="LANG",
    callback=_split,
    help="Only names and texts in these languages, e.g. ja,en; may be repeated.",
)
@click.option(
    "--source-lang", metavar="LANG", help="The language that a glossary translates from, e.g. ja."
)
@click.option("--target-lang", metavar="LANG", help="The language that it translates into.")
@click.option("--cards", is_flag=True, help="Write cards besides terms.")
@click.option(
    "--status",
    type=click.Choice(["all", "approved"]),
    help="approved leaves out names that are deprecated, forbidden or only proposed.",
)
@options.common
def export(
    out: str, form: str | None, langs: list[str], kb_file: str, as_json: bool, **chosen: Any
) -> None:
    """Write the termbase, aligned texts or the whole graph to a file.

    \b
    Terms with their names in all languages:
      tbx      .tbx               TBX 3, dialect Linguist
      tbx2008                     TBX of 2008, for tools that read nothing newer
      skos     .ttl               SKOS in Turtle
      jsonld   .jsonld            SKOS in JSON-LD
      csv      .csv               a row for each name
    Terms in two languages, by default the two commonest:
      omegat   .txt .utf8         a glossary for OmegaT
      utx      .utx               a UTX glossary
    Rules and glosses that are there in several languages:
      tmx      .tmx               a translation memory
      omegat-project              a folder for OmegaT, with glossary and memory
    The whole graph:
      graphml  .graphml           for Gephi, yEd and networkx
      jsonl    .jsonl .ndjson     a node or an edge a line

    An option that a format has no use for is refused.
    """
    with public.open(kb_file) as base:
        report = base.export(out, form, langs=[lang for lang in langs if lang], **chosen)
        if out != "-":
            print_result(report, as_json, "checked_texts.print_export")
