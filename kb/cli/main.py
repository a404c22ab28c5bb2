"""The commands of `sansho` and their options; most commands are a method of KnowledgeBase."""

from __future__ import annotations

import errno
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import click

import kb as public
from kb.cli import options

_NOTHING_FOUND, _ERROR = 1, 2  # exit codes
_DEMO_FILE = "sansho-demo.db"
_DEMO_QUESTION = "ライブラリーから引こうとしたプレイヤーが敗北するのはどんなとき？"


class _Group(click.Group):
    """A group of commands that reports an error in one line, without a traceback; exit code 2."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was given.

        The errors in `kb.ERRORS`, an interruption, text that can't be encoded and errors of the
        operating system become one line on standard error and the exit code 2, not a traceback.
        A closed standard output (EPIPE) is left to click; other exceptions are raised.
        """
        try:
            return super().invoke(ctx)
        except public.ERRORS as error:
            _fail(str(error))
        except (KeyboardInterrupt, click.Abort):
            _fail("interrupted; what was there before is kept")
        except UnicodeEncodeError as error:
            _fail(f"{error.object!r}: not text that can be encoded as {error.encoding}")
        except OSError as error:
            if error.errno == errno.EPIPE:  # standard output was closed, as by `head`
                raise  # click exits without a message
            _fail(f"{error.filename or 'the system'}: {error.strerror or error}")


def _fail(message: str) -> NoReturn:
    """Print a message on standard error, after `sansho: `, and exit with code 2."""
    click.echo(f"sansho: {message}", err=True)
    sys.exit(_ERROR)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="sansho", prog_name="sansho")
def main() -> None:
    """Look up and cross-reference the rules of Japanese card games.

    sansho reads wiki pages and rulebooks into a knowledge base, which is one file: a graph of
    terms, rules, cards and rulings, and of the references between them, each with the words of
    the page that it rests on.

    \b
    Start with:
      sansho demo             build a small sample and answer a question from it
      sansho build FOLDER     build a knowledge base from your own pages
      sansho show 121.4       look something up in it
      sansho COMMAND --help   explain a command and its options
    """


def _print_result(
    result: Any, as_json: bool, render: str, found: bool = True, **arguments: Any
) -> None:
    """Print a result, as JSON or as text, and exit with 1 if nothing was found.

    result: an object with a method `as_json`.
    as_json: print one JSON document on one line; `render` and `arguments` are then not used.
    render: the `module.function` in `kb.cli.render` that prints it as text.
    found: whether anything was found; if false, the result is printed all the same.
    arguments: keyword arguments for that function, after the result.
    """
    if as_json:
        click.echo(json.dumps(result.as_json(), ensure_ascii=False))
    else:
        module, _, function = render.partition(".")
        getattr(import_module(f"kb.cli.render.{module}"), function)(result, **arguments)
    if not found:
        sys.exit(_NOTHING_FOUND)


# -- commands ---------------------------------------------------------------------------------


@main.command()
@click.option(
    "--kb",
    "kb_file",
    default=_DEMO_FILE,
    show_default=True,
    metavar="FILE",
    help="The file to keep the sample's knowledge base in.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
def demo(kb_file: str, as_json: bool) -> None:
    """Build the bundled sample and answer one question from it."""
    if Path(kb_file).exists():
        with public.open(kb_file) as base:
            if not base.is_sample:
                _fail(f"{kb_file}: a knowledge base that is not the sample; choose another --kb")
    report = public.build(kb=kb_file)
    with public.open(kb_file) as base:
        answers = base.ask(_DEMO_QUESTION, top=3)
        _print_result(
            answers,
            as_json,
            "demo.print_demo",
            bool(answers.answers),
            report=report,
        )


@main.command()
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@options.hints
@click.option(
    "--workers",
    type=click.IntRange(1),
    metavar="N",
    help="How many processes read at once, at most (by default one per core, up to four). "
    "The graph does not depend on it.",
)
@click.option("--again", is_flag=True, help="Build from the same sources and hints as before.")
@options.common
def build(
    sources: tuple[str, ...],
    kb_file: str,
    as_json: bool,
    workers: int | None,
    again: bool,
    **hints: Any,
) -> None:
    """Build or update a knowledge base from files and folders.

    A SOURCE is a file (a saved page, a text capture, a WARC file, an archive, a wiki's dump or
    source text, a rulebook) or a folder of such files; a manifest.jsonl in it gives URLs and
    times. Without SOURCE, the bundled sample is built.

    If the knowledge base is there already, only what changed in the sources is read, and the
    changes in the graph are printed. The old file is replaced when the new one is complete.
    """
    from kb.cli.render.progress import build_progress

    with build_progress() as progress:
        report = public.build(
            sources, kb_file, progress=progress, workers=workers, again=again, **hints
        )
    _print_result(report, as_json, "build.print_build")


@main.command()
@click.argument("targets", nargs=-1, required=True, metavar="SITE|URL...")
@click.option(
    "--into",
    required=True,
    metavar="FOLDER",
    help="Where to keep the pages: a folder, or a WARC file if the name ends in .warc or .warc.gz.",
)
@click.option(
    "--depth",
    type=click.IntRange(0),
    metavar="N",
    help="How many links to follow from the targets (by default 0 for pages of a named site, and "
    "the whole site for any other).",
)
@click.option(
    "--max",
    "most",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    metavar="N",
    help="How many pages to fetch at most.",
)
@click.option(
    "--delay",
    type=float,
    default=1.0,
    show_default=True,
    metavar="SECONDS",
    help="The pause between two requests to a host; longer if the host asks for that.",
)
@click.option(
    "--source/--html",
    default=False,
    show_default=True,
    help="Fetch the source text of a wiki's pages, or the pages as HTML.",
)
@click.option(
    "--contact",
    default="",
    metavar="TEXT",
    help="How the site's operators can reach you: a mail address or a web page.",
)
@options.sites
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
def crawl(targets: tuple[str, ...], into: str, as_json: bool, **options: Any) -> None:
    """Download wiki pages slowly, as each site's robots.txt allows.

    SITE is mtgwiki, yugioh-wiki, dmwiki, wisdom-guild or a site of your own (--sites). After it
    come the names of pages. Without names, all pages that the site lists are fetched, and the next
    time those that changed since. A URL is the page or site to begin with.

    \b
    A page and what it links to:
      sansho crawl mtgwiki 引く --depth 1 --into pages

    If a crawl was interrupted, the same command continues it; if it is complete, the same command
    looks for changes.
    """
    from kb.cli.render.progress import crawl_progress

    try:
        with crawl_progress() as (say, progress):
            report = public.crawl(targets, into, say=say, progress=progress, **options)
    except KeyboardInterrupt:
        _fail("interrupted; what was fetched is kept, and the same command goes on from there")
    fetched = bool(report.fetched or report.unchanged)
    _print_result(report, as_json, "crawl.print_crawl", fetched or bool(report.failed), into=into)
    if not fetched:
        sys.exit(_ERROR)


@main.command()
@click.argument("ref")
@options.filters
@options.common
def show(ref: str, kb_file: str, as_json: bool, **filters: Any) -> None:
    """Look up a rule, term, card or page and show its text.

    REF is a rule's number (121.4), a term or card by any of its names (引く, draw), a page's
    title, or an id. Everything that it names is shown.
    """
    with public.open(kb_file) as base:
        shown = base.show(ref, **filters)
        _print_result(shown, as_json, "show.print_matches", bool(shown.matches), ref=ref, base=base)


@main.command()
@click.argument("ref")
@options.edge_options
@options.common
def refs(ref: str, kb_file: str, as_json: bool, **options: Any) -> None:
    """List what REF refers to and what refers to it.

    Each reference (edge) is shown with its evidence: the words that it rests on. For what REF may
    be see `sansho show --help`.

    \b
    All rules and passages that depend on rule 704, directly or through others:
      sansho refs 704 --direction in --kind cites --with-parts --depth 3
    """
    with public.open(kb_file) as base:
        found = base.refs(ref, **options)
        _print_result(
            found,
            as_json,
            "refs.print_refs",
            bool(found.edges),
            base=base,
            with_parts=options["with_parts"],
        )


@main.command()
@click.argument("ref")
@click.option("--out", required=True, metavar="FILE", help="The file to write: .svg or .png.")
@click.option(
    "--max",
    "most",
    type=click.IntRange(2, 200),
    default=24,
    show_default=True,
    help="How many nodes to show at most; those at the strongest edges come first.",
)
@options.edge_options
@options.common
def draw(ref: str, out: str, most: int, kb_file: str, as_json: bool, **options: Any) -> None:
    """Draw REF and the nodes around it, as a picture with a legend.

    For what REF may be see `sansho show --help`. Needs matplotlib and a Japanese font:
    pip install 'sansho[draw]'.
    """
    with public.open(kb_file) as base:
        picture = base.draw(ref, most=most, **options)
        picture.save(out)
        _print_result(picture, as_json, "draw.print_picture", out=out)


@main.command()
@click.argument("start", metavar="A")
@click.argument("end", metavar="B")
@click.option(
    "--max",
    "most",
    type=click.IntRange(1, 100),
    default=3,
    show_default=True,
    help="How many paths at most.",
)
@options.filters
@options.common
def path(start: str, end: str, most: int, kb_file: str, as_json: bool, **filters: Any) -> None:
    """Show how A and B are connected: the paths that cost least.

    A and B are as REF in `sansho show --help`. Each edge of a path is shown with the words that it
    rests on. Citing and defining cost little, links more, mentions most; and an edge costs more,
    the more edges of its kind its nodes have.
    """
    with public.open(kb_file) as base:
        found = base.path(start, end, most=most, **filters)
        _print_result(found, as_json, "path.print_paths", bool(found.paths), start=start, end=end)


@main.command()
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
        _print_result(
            found,
            as_json,
            "search.print_hits",
            bool(found.hits),
            words=" ".join(words),
            narrowed=any(filters.values()),
        )


@main.command()
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
        _print_result(
            found,
            as_json,
            "kwic.print_lines",
            bool(found.lines),
            words=" ".join(words),
            narrowed=any(filters.values()),
            width=width,
        )


@main.command()
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
        _print_result(found, as_json, "ask.print_answers", bool(found.answers))


@main.command()
@click.argument("refs", nargs=-1, required=True, metavar="TERM...")
@click.option("--game", help="Compare only terms of this game, e.g. mtg, with those of others.")
@options.common
def compare(refs: tuple[str, ...], game: str | None, kb_file: str, as_json: bool) -> None:
    """Compare TERM with the same concept in other games.

    Shows the names and the definition of each term, and why the concept is the same.
    """
    with public.open(kb_file) as base:
        found = base.compare(*refs, game=game)
        _print_result(found, as_json, "compare.print_comparison", bool(found.rows))


@main.command()
@click.argument("before", metavar="EDITION")
@click.argument("after", metavar="EDITION")
@click.option(
    "--rule",
    help="Only this rule, by its number in either edition, and its sub-rules, e.g. 702.",
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
@options.common
def diff(
    before: str,
    after: str,
    rule: str | None,
    lang: str | None,
    game: str | None,
    typographic: bool,
    examples: bool,
    kb_file: str,
    as_json: bool,
) -> None:
    """Show what changed between two editions of a rulebook.

    An EDITION is its date, e.g. 20231117; the old one comes first.
    """
    with public.open(kb_file) as base:
        found = base.diff(
            before,
            after,
            rule=rule,
            lang=lang,
            game=game,
            typographic=typographic,
            examples=examples,
        )
        _print_result(found, as_json, "diff.print_diff", notice=base.notice)


@main.command()
@click.argument("rule")
@options.filters
@options.common
def trace(rule: str, kb_file: str, as_json: bool, **filters: Any) -> None:
    """Show the history of RULE through all editions.

    Shows its number in each edition, its text where that is new or changed, and which of its
    sub-rules changed.
    """
    with public.open(kb_file) as base:
        found = base.trace(rule, **filters)
        _print_result(found, as_json, "trace.print_trace", notice=base.notice)


@main.command()
@click.argument("lang")
@click.argument("other", metavar="LANG")
@click.option("--rule", help="Only this rule and its sub-rules, e.g. 121.")
@click.option("--edition", help="Only this edition, e.g. 20231117.")
@click.option("--game", help="Only this game, e.g. mtg.")
@options.common
def align(
    lang: str,
    other: str,
    rule: str | None,
    edition: str | None,
    game: str | None,
    kb_file: str,
    as_json: bool,
) -> None:
    """Show the rules in two languages side by side.

    Below the rules it lists where the languages differ: rules that only one has, and citations.
    A LANG is a code, e.g. ja, en.
    """
    with public.open(kb_file) as base:
        found = base.align(lang, other, rule=rule, edition=edition, game=game)
        _print_result(found, as_json, "align.print_alignment", notice=base.notice)


@main.command()
@click.argument("term")
@options.filters
@options.common
def steps(term: str, kb_file: str, as_json: bool, **filters: Any) -> None:
    """List the procedures of TERM, step by step.

    A procedure is an ordered list of things to do, such as the steps of a phase.
    """
    with public.open(kb_file) as base:
        found = base.steps(term, **filters)
        _print_result(found, as_json, "steps.print_procedures", bool(found.procedures), ref=term)


@main.command()
@click.argument("term")
@options.filters
@options.common
def outcomes(term: str, kb_file: str, as_json: bool, **filters: Any) -> None:
    """List what happens under which condition, for TERM.

    Prints a table of subject, condition, result, and modality (must, may, cannot, is).
    """
    with public.open(kb_file) as base:
        found = base.outcomes(term, **filters)
        _print_result(found, as_json, "outcomes.print_outcomes", bool(found.outcomes), ref=term)


@main.command()
@click.option("--lang", help="Only terms with a name in this language, e.g. en.")
@click.option("--source", help="Only terms of this source, e.g. mtgwiki.")
@click.option("--game", help="Only this game, e.g. mtg.")
@options.common
def terms(
    game: str | None, source: str | None, lang: str | None, kb_file: str, as_json: bool
) -> None:
    """List all terms with their readings and English names."""
    with public.open(kb_file) as base:
        found = base.terms(game=game, source=source, lang=lang)
        _print_result(found, as_json, "terms.print_terms", bool(found.terms), notice=base.notice)


@main.command()
@options.common
def stats(kb_file: str, as_json: bool) -> None:
    """Count nodes and edges by kind, source, game and edition."""
    with public.open(kb_file) as base:
        _print_result(base.stats(), as_json, "stats.print_stats", notice=base.notice)


@main.command()
@options.common
def audit(kb_file: str, as_json: bool) -> None:
    """Report which text was kept, left out, lost or unreadable.

    Adds up every character of the sources, and lists dangling edges (references to what is not
    in the knowledge base) and the warnings of the build.
    """
    with public.open(kb_file) as base:
        _print_result(base.audit(), as_json, "audit.print_audit")


@main.command()
@click.option(
    "--format",
    "form",
    type=click.Choice(["jsonl"]),
    default="jsonl",
    show_default=True,
    help="The interchange format.",
)
@click.option("--out", required=True, metavar="FILE", help="The file to write; - prints it.")
@options.common
def export(form: str, out: str, kb_file: str, as_json: bool) -> None:
    """Write the whole graph to a file in an interchange format."""
    with public.open(kb_file) as base:
        report = base.export(out, form)
        if out != "-":
            _print_result(report, as_json, "export.print_export")
