"""The command line: one command a question, the same names as in Python."""

from __future__ import annotations

import errno
import json
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn, TypeVar, get_args

import click

import kb as public

F = TypeVar("F", bound=Callable[..., Any])
NOTHING_FOUND, CANT = 1, 2
DEFAULT = "sansho.db"
DEMO = "sansho-demo.db"
QUESTION = "ライブラリーから引こうとしたプレイヤーが敗北するのはどんなとき？"
_FILTERS = {"source": "mtgwiki", "lang": "ja", "edition": "20231117", "game": "mtg"}


class _Group(click.Group):
    """Says what was wrong in one line, with exit code 2, and never with a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except public.ERRORS as error:
            _fail(str(error))
        except (KeyboardInterrupt, click.Abort):
            _fail("interrupted; what was there before is kept")
        except UnicodeEncodeError as error:
            _fail(f"{error.object!r}: not text, as {error.encoding} has it")
        except OSError as error:
            if error.errno == errno.EPIPE:  # who reads has read enough
                raise
            _fail(f"{error.filename or 'the system'}: {error.strerror or error}")


def _fail(message: str) -> NoReturn:
    click.echo(f"sansho: {message}", err=True)
    sys.exit(CANT)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="sansho", prog_name="sansho")
def main() -> None:
    """Japanese card-game rules as one graph: terms, rules, cross-references.

    Start with `sansho demo`; then `sansho build FOLDER` and `sansho show 121.4`.
    """


def _common(command: F) -> F:
    command = click.option("--json", "as_json", is_flag=True, help="One JSON document instead.")(
        command
    )
    return click.option(
        "--kb",
        "path",
        default=DEFAULT,
        show_default=True,
        metavar="FILE",
        help="The knowledge base.",
    )(command)


def _filters(command: F) -> F:
    """The options that narrow what a REF may mean: the fields of `kb.Filters`."""
    for name, example in _FILTERS.items():
        command = click.option(f"--{name}", help=f"Only this {name}, e.g. {example}.")(command)
    return command


def _hints(command: F) -> F:
    """The options that say what detection can't know of the sources of a build."""
    for name, example in (("edition", "20231117"), ("lang", "ja"), ("game", "mtg")):
        what = f"The {name} of the sources, where they do not tell it, e.g. {example}."
        command = click.option(f"--{name}", help=what)(command)
    command = _sites(command)
    what = "The site or kind of the sources, where detection is not enough, e.g. dmwiki, rulebook."
    return click.option("--site", help=what)(command)


def _sites(command: F) -> F:
    what = "Wikis of your own, as TOML (else sites.toml beside the pages); see docs/extending.md."
    return click.option("--sites", metavar="FILE", help=what)(command)


def _around(command: F) -> F:
    """The options that say which edges around a node are meant."""
    command = click.option(
        "--with-parts", is_flag=True, help="Take a rule together with its sub-rules."
    )(_filters(command))
    command = click.option(
        "--depth",
        type=click.IntRange(1, 20),
        default=1,
        show_default=True,
        help="How many steps out; each edge once, nearest first.",
    )(command)
    command = click.option(
        "--kind",
        "kinds",
        default="",
        help="Only these kinds, e.g. cites,links_to.",
        callback=lambda _context, _option, given: [kind for kind in given.split(",") if kind],
    )(command)
    return click.option(
        "--direction",
        type=click.Choice(["in", "out", "both"]),
        default="both",
        show_default=True,
        help="Edges into REF, out of it, or both.",
    )(command)


def _passage_filters(command: F) -> F:
    """The options that narrow to some passages: the fields of `kb.PassageFilters`."""
    for name, what in (
        ("cites", "that cite this rule or a sub-rule of it, e.g. 614 (may be repeated)"),
        ("mentions", "that mention this term or card, e.g. 引く (may be repeated)"),
    ):
        command = click.option(
            f"--{name}", multiple=True, metavar="REF", help=f"Only passages {what}."
        )(command)
    kinds = click.Choice(get_args(public.StatementKind))
    command = click.option("--kind", type=kinds, help="Only passages that give or state such.")(
        command
    )
    command = click.option("--section", help="Only this section, e.g. FAQ (a part of its name).")(
        command
    )
    return _filters(command)


def _answer(result: Any, as_json: bool, render: str, found: bool = True, **more: Any) -> None:
    """Print an answer as JSON or for people; exit 1 where nothing was found."""
    if as_json:
        click.echo(json.dumps(result.as_json(), ensure_ascii=False))
    else:
        module, _, function = render.partition(".")
        getattr(import_module(f"kb.cli.render.{module}"), function)(result, **more)
    if not found:
        sys.exit(NOTHING_FOUND)


@main.command()
@click.option(
    "--kb",
    "path",
    default=DEMO,
    show_default=True,
    metavar="FILE",
    help="Where to keep the sample's knowledge base.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document instead.")
def demo(path: str, as_json: bool) -> None:
    """Build the bundled sample and answer one question on it."""
    if Path(path).exists():
        with public.open(path) as base:
            if not base.is_sample:
                _fail(f"{path}: a knowledge base that is not the sample; choose another --kb")
    report = public.build(kb=path)
    with public.open(path) as base:
        answers = base.ask(QUESTION, top=3)
        _answer(
            answers,
            as_json,
            "demo.print_demo",
            bool(answers.answers),
            report=report,
            notice=base.notice,
        )


@main.command()
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@_hints
@click.option(
    "--workers",
    type=click.IntRange(1),
    metavar="N",
    help="Processes that read at once, at most (else one for each core, up to four). "
    "The graph is the same.",
)
@click.option("--again", is_flag=True, help="Build from what it was built from before.")
@_common
def build(
    sources: tuple[str, ...],
    path: str,
    as_json: bool,
    workers: int | None,
    again: bool,
    **hints: Any,
) -> None:
    """Build a knowledge base from files and folders (none: the bundled sample).

    A SOURCE is a saved page, a text capture, a rulebook text, or a folder of them; a folder's
    manifest.jsonl tells URLs and times. The second time only what changed is read, and what that
    changed in the graph is told. The old file is replaced when the new one is whole.
    """
    from kb.cli.render.progress import build_progress

    with build_progress() as tell:
        report = public.build(sources, path, progress=tell, workers=workers, again=again, **hints)
    _answer(report, as_json, "build.print_build")


@main.command()
@click.argument("targets", nargs=-1, required=True, metavar="SITE|URL...")
@click.option(
    "--into",
    required=True,
    metavar="FOLDER",
    help="A folder, or a WARC file if the name ends in .warc or .warc.gz.",
)
@click.option(
    "--depth",
    type=click.IntRange(0),
    metavar="N",
    help="How many links away from what is named (else 0 for pages of a named site, and "
    "the whole site for any other).",
)
@click.option(
    "--max",
    "most",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    metavar="N",
    help="How many pages at most.",
)
@click.option(
    "--delay",
    type=float,
    default=1.0,
    show_default=True,
    metavar="SECONDS",
    help="Between two requests to a host; more, if it asks for that.",
)
@click.option(
    "--source/--html",
    default=False,
    show_default=True,
    help="Fetch the source text of a wiki's pages, or the pages.",
)
@click.option(
    "--contact",
    default="",
    metavar="TEXT",
    help="How the site's operators reach you: a mail address, a web page.",
)
@_sites
@click.option("--json", "as_json", is_flag=True, help="One JSON document instead.")
def crawl(targets: tuple[str, ...], into: str, as_json: bool, **how: Any) -> None:
    """Fetch pages, slowly and as the site's robots.txt allows.

    SITE is mtgwiki, yugioh-wiki, dmwiki, wisdom-guild or one of --sites, with names of its pages
    behind it (`sansho crawl mtgwiki 引く --depth 1 --into pages`) or alone: then all that it lists,
    and the next time what changed since. A URL is the page or site to begin with. The same command
    goes on where it was interrupted, and looks for changes after it is done.
    """
    from kb.cli.render.progress import crawl_progress

    try:
        with crawl_progress() as (say, progress):
            done = public.crawl(targets, into, say=say, progress=progress, **how)
    except KeyboardInterrupt:
        _fail("interrupted; what was fetched is kept, and the same command goes on from there")
    found = bool(done.fetched or done.unchanged)
    _answer(done, as_json, "crawl.print_crawl", found or bool(done.failed), into=into)
    if not found:
        sys.exit(CANT)


@main.command()
@click.argument("ref")
@_filters
@_common
def show(ref: str, path: str, as_json: bool, **filters: Any) -> None:
    """Show what REF names: a rule (121.4), a term in any of its names, a page, a card, an id."""
    with public.open(path) as base:
        shown = base.show(ref, **filters)
        _answer(shown, as_json, "show.print_matches", bool(shown.matches), ref=ref, base=base)


@main.command()
@click.argument("ref")
@_around
@_common
def refs(ref: str, path: str, as_json: bool, **around: Any) -> None:
    """Show the edges at REF, each with the words that it rests on.

    What depends on rule 704, on what depends on it, and so on, by the words of each:
    `sansho refs 704 --direction in --kind cites --with-parts --depth 3`.
    """
    with public.open(path) as base:
        found = base.refs(ref, **around)
        _answer(
            found,
            as_json,
            "refs.print_refs",
            bool(found.edges),
            base=base,
            with_parts=around["with_parts"],
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
    help="How many nodes at most; the strongest edges' first.",
)
@_around
@_common
def draw(ref: str, out: str, most: int, path: str, as_json: bool, **around: Any) -> None:
    """Draw what stands around REF, as a picture with a legend.

    Needs matplotlib and a Japanese font: pip install 'sansho[draw]'.
    """
    with public.open(path) as base:
        picture = base.draw(ref, most=most, **around)
        picture.save(out)
        _answer(picture, as_json, "draw.print_picture", out=out)


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
@_filters
@_common
def path(start: str, end: str, most: int, path: str, as_json: bool, **filters: Any) -> None:
    """Show how A leads to B: the ways that cost least, each edge with its words.

    To cite or define costs little, to link more, to mention most; and any edge costs more, the
    more of its kind its nodes have.
    """
    with public.open(path) as base:
        ways = base.path(start, end, most=most, **filters)
        _answer(ways, as_json, "path.print_paths", bool(ways.paths), start=start, end=end)


@main.command()
@click.argument("words", nargs=-1, required=True)
@click.option(
    "--max",
    "most",
    type=click.IntRange(1, 1000),
    default=10,
    show_default=True,
    help="How many hits at most.",
)
@_passage_filters
@_common
def search(words: tuple[str, ...], most: int, path: str, as_json: bool, **filters: Any) -> None:
    """Find passages by WORDS, in any inflection and any spelling."""
    with public.open(path) as base:
        hits = base.search(" ".join(words), most=most, **filters)
        _answer(
            hits,
            as_json,
            "search.print_hits",
            bool(hits.hits),
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
    help="By place, or by what stands before or behind.",
)
@click.option(
    "--width",
    type=click.IntRange(1, 200),
    default=30,
    show_default=True,
    help="Characters on each side.",
)
@click.option(
    "--max",
    "most",
    type=click.IntRange(1, 100_000),
    default=50,
    show_default=True,
    help="How many lines at most.",
)
@_passage_filters
@_common
def kwic(
    words: tuple[str, ...],
    order: public.LineOrder,
    width: int,
    most: int,
    path: str,
    as_json: bool,
    **filters: Any,
) -> None:
    """Show each place where WORDS stand, with what is around them: a concordance."""
    with public.open(path) as base:
        found = base.kwic(" ".join(words), order=order, width=width, most=most, **filters)
        _answer(
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
@click.option("--game", help="Only this game, e.g. mtg; else the question's words tell it.")
@_common
def ask(question: tuple[str, ...], top: int, game: str | None, path: str, as_json: bool) -> None:
    """Answer QUESTION, in Japanese or English, by the passages that say it."""
    with public.open(path) as base:
        found = base.ask(" ".join(question), top=top, game=game)
        _answer(found, as_json, "ask.print_answers", bool(found.answers))


@main.command()
@click.argument("refs", nargs=-1, required=True, metavar="TERM...")
@click.option("--game", help="Only terms of this game, e.g. mtg, and what they are elsewhere.")
@_common
def compare(refs: tuple[str, ...], game: str | None, path: str, as_json: bool) -> None:
    """Show one concept side by side: TERM and what it is in other games."""
    with public.open(path) as base:
        found = base.compare(*refs, game=game)
        _answer(found, as_json, "compare.print_comparison", bool(found.rows))


@main.command()
@click.argument("before", metavar="EDITION")
@click.argument("after", metavar="EDITION")
@click.option("--rule", help="Only this rule (by either number) and its sub-rules, e.g. 702.")
@click.option("--lang", help="The language, e.g. ja.")
@click.option("--game", help="The game, e.g. mtg.")
@_common
def diff(
    before: str,
    after: str,
    rule: str | None,
    lang: str | None,
    game: str | None,
    path: str,
    as_json: bool,
) -> None:
    """Show what changed from one EDITION of a rulebook to another."""
    with public.open(path) as base:
        found = base.diff(before, after, rule=rule, lang=lang, game=game)
        _answer(found, as_json, "diff.print_diff", notice=base.notice)


@main.command()
@click.argument("rule")
@_filters
@_common
def trace(rule: str, path: str, as_json: bool, **filters: Any) -> None:
    """Follow RULE through all editions: its numbers, and what became of its text."""
    with public.open(path) as base:
        found = base.trace(rule, **filters)
        _answer(found, as_json, "trace.print_trace", notice=base.notice)


@main.command()
@click.argument("lang")
@click.argument("other", metavar="LANG")
@click.option("--rule", help="Only this rule and its sub-rules, e.g. 121.")
@click.option("--edition", help="Only this edition, e.g. 20231117.")
@click.option("--game", help="Only this game, e.g. mtg.")
@_common
def align(
    lang: str,
    other: str,
    rule: str | None,
    edition: str | None,
    game: str | None,
    path: str,
    as_json: bool,
) -> None:
    """Set the rules in two languages side by side, and tell what does not agree."""
    with public.open(path) as base:
        found = base.align(lang, other, rule=rule, edition=edition, game=game)
        _answer(found, as_json, "align.print_alignment", notice=base.notice)


@main.command()
@click.argument("term")
@_filters
@_common
def steps(term: str, path: str, as_json: bool, **filters: Any) -> None:
    """List the procedures of TERM, step by step."""
    with public.open(path) as base:
        found = base.steps(term, **filters)
        _answer(found, as_json, "steps.print_procedures", bool(found.procedures), ref=term)


@main.command()
@click.argument("term")
@_filters
@_common
def outcomes(term: str, path: str, as_json: bool, **filters: Any) -> None:
    """Tabulate what happens on which condition, for TERM."""
    with public.open(path) as base:
        found = base.outcomes(term, **filters)
        _answer(found, as_json, "outcomes.print_outcomes", bool(found.outcomes), ref=term)


@main.command()
@click.option("--lang", help="Only terms with a name in this language, e.g. en.")
@click.option("--source", help="Only terms of this source, e.g. mtgwiki.")
@click.option("--game", help="Only this game, e.g. mtg.")
@_common
def terms(game: str | None, source: str | None, lang: str | None, path: str, as_json: bool) -> None:
    """List all terms with their readings and English names."""
    with public.open(path) as base:
        found = base.terms(game=game, source=source, lang=lang)
        _answer(found, as_json, "terms.print_terms", bool(found.terms), notice=base.notice)


@main.command()
@_common
def stats(path: str, as_json: bool) -> None:
    """Count what is there: by kind, source, game and edition."""
    with public.open(path) as base:
        _answer(base.stats(), as_json, "stats.print_stats", notice=base.notice)


@main.command()
@_common
def audit(path: str, as_json: bool) -> None:
    """Add up where every character went, and list what dangles and what was unreadable."""
    with public.open(path) as base:
        _answer(base.audit(), as_json, "audit.print_audit")


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
@_common
def export(form: str, out: str, path: str, as_json: bool) -> None:
    """Write the whole graph in an interchange format."""
    with public.open(path) as base:
        written = base.export(out, form)
        if out != "-":
            _answer(written, as_json, "export.print_export")
