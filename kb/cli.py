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
        "--kb", "path", default=DEFAULT, show_default=True, metavar="FILE",
        help="The knowledge base.",
    )(command)  # fmt: skip


def _narrow(command: F) -> F:
    for name, example in (("lang", "ja"), ("edition", "20231117"), ("game", "mtg")):
        command = click.option(f"--{name}", help=f"Only this {name}, e.g. {example}.")(command)
    return command


def _around(command: F) -> F:
    """The options that say which edges around a node are meant."""
    command = click.option(
        "--with-parts", is_flag=True, help="Take a rule together with its sub-rules."
    )(_narrow(command))
    command = click.option(
        "--depth", type=click.IntRange(1, 20), default=1, show_default=True,
        help="How many steps out; each edge once, nearest first.",
    )(command)  # fmt: skip
    command = click.option(
        "--kind", "kinds", default="", help="Only these kinds, e.g. cites,links_to.",
        callback=lambda _context, _option, given: [kind for kind in given.split(",") if kind],
    )(command)  # fmt: skip
    return click.option(
        "--direction", type=click.Choice(["in", "out", "both"]), default="both",
        show_default=True, help="Edges into REF, out of it, or both.",
    )(command)  # fmt: skip


def _where(command: F) -> F:
    """The options that narrow to some passages: the fields of `kb.Where`."""
    for name, what in (
        ("cites", "that cite this rule or a sub-rule of it, e.g. 614 (may be repeated)"),
        ("mentions", "that mention this term or card, e.g. 引く (may be repeated)"),
    ):
        command = click.option(f"--{name}", multiple=True, metavar="REF",
                               help=f"Only passages {what}.")(command)  # fmt: skip
    kinds = click.Choice(get_args(public.Given))
    command = click.option("--kind", type=kinds, help="Only passages that give or state such.")(
        command
    )
    for name, example in (("section", "FAQ (a part of its name)"), ("source", "mtgwiki")):
        command = click.option(f"--{name}", help=f"Only this {name}, e.g. {example}.")(command)
    return _narrow(command)


def _answer(result: Any, as_json: bool, human: str, found: bool = True, **more: Any) -> None:
    """Print an answer as JSON or for people; exit 1 where nothing was found."""
    if as_json:
        click.echo(json.dumps(result.as_json(), ensure_ascii=False))
    else:
        module, _, shown = human.partition(".")
        getattr(import_module(f"kb.render.{module}"), shown)(result, **more)
    if not found:
        sys.exit(NOTHING_FOUND)


@main.command()
@click.option("--kb", "path", default=DEMO, show_default=True, metavar="FILE",
              help="Where to keep the sample's knowledge base.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="One JSON document instead.")
def demo(path: str, as_json: bool) -> None:
    """Build the bundled sample and answer one question on it."""
    if Path(path).exists():
        with public.open(path) as base:
            if not base.is_sample:
                _fail(f"{path}: a knowledge base that is not the sample; choose another --kb")
    report = public.build(kb=path)
    with public.open(path) as base:
        answer = base.demonstrate()
        _answer(answer, as_json, "passages.demo", bool(answer.answers), report=report, base=base)


@main.command()
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@click.option(
    "--site", help="The site, where detection is not enough: mtgwiki, yugioh-wiki, dmwiki, …"
)
@click.option("--workers", type=click.IntRange(1), metavar="N",
              help="Processes that read at once, at most (else one for each core, up to four). "
              "The graph is the same.")  # fmt: skip
@click.option("--again", is_flag=True, help="Build from what it was built from before.")
@_narrow
@_common
def build(
    sources: tuple[str, ...], path: str, as_json: bool, site: str | None, workers: int | None,
    again: bool, game: str | None, lang: str | None, edition: str | None,
) -> None:  # fmt: skip
    """Build a knowledge base from files and folders (none: the bundled sample).

    A SOURCE is a saved page, a text capture, a rulebook text, or a folder of them; a folder's
    manifest.jsonl tells URLs and times. The second time only what changed is read, and what that
    changed in the graph is told. The old file is replaced when the new one is whole.
    """
    from kb.render.whole import progress

    with progress() as tell:
        report = public.build(
            sources,
            path,
            site=site,
            game=game,
            lang=lang,
            edition=edition,
            progress=tell,
            workers=workers,
            again=again,
        )
    _answer(report, as_json, "whole.built")


@main.command()
@click.argument("targets", nargs=-1, required=True, metavar="SITE|URL...")
@click.option("--into", required=True, metavar="FOLDER",
              help="A folder, or a WARC file if the name ends in .warc or .warc.gz.")  # fmt: skip
@click.option("--depth", type=click.IntRange(0), metavar="N",
              help="How many links away from what is named (else 0 for pages of a named site, and "
              "the whole site for any other).")  # fmt: skip
@click.option("--max", "most", type=click.IntRange(1), default=1000, show_default=True,
              metavar="N", help="How many pages at most.")  # fmt: skip
@click.option("--delay", type=float, default=1.0, show_default=True,
              metavar="SECONDS",
              help="Between two requests to a host; more, if it asks for that.")  # fmt: skip
@click.option("--source/--html", default=False, show_default=True,
              help="Fetch the source text of a wiki's pages, or the pages.")  # fmt: skip
@click.option("--contact", default="", metavar="TEXT",
              help="How the site's operators reach you: a mail address, a web page.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="One JSON document instead.")
def crawl(targets: tuple[str, ...], into: str, as_json: bool, **how: Any) -> None:
    """Fetch pages, slowly and as the site's robots.txt allows.

    SITE is mtgwiki, yugioh-wiki, dmwiki or wisdom-guild, with names of its pages behind it
    (`sansho crawl mtgwiki 引く --depth 1 --into pages`) or alone: then all that it lists, and the
    next time what changed since. A URL is the page or site to begin with. The same command goes on
    where it was interrupted, and looks for changes after it is done.
    """
    from kb.render.crawling import watched

    try:
        with watched() as (say, progress):
            done = public.crawl(targets, into, say=say, progress=progress, **how)
    except KeyboardInterrupt:
        _fail("interrupted; what was fetched is kept, and the same command goes on from there")
    found = bool(done.fetched or done.unchanged)
    _answer(done, as_json, "crawling.crawled", found or bool(done.failed), into=into)
    if not found:
        sys.exit(CANT)


@main.command()
@click.argument("ref")
@_narrow
@_common
def show(
    ref: str, path: str, as_json: bool, game: str | None, edition: str | None, lang: str | None
) -> None:
    """Show what REF names: a rule (121.4), a term in any of its names, a page, a card, an id."""
    with public.open(path) as base:
        shown = base.show(ref, game=game, edition=edition, lang=lang)
        _answer(shown, as_json, "nodes.shown", bool(shown.matches), ref=ref, base=base)


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
        _answer(found, as_json, "nodes.references", bool(found.edges), base=base,
                with_parts=around["with_parts"])  # fmt: skip


@main.command()
@click.argument("ref")
@click.option("--out", required=True, metavar="FILE", help="The file to write: .svg or .png.")
@click.option("--max", "most", type=click.IntRange(2, 200), default=24, show_default=True,
              help="How many nodes at most; the strongest edges' first.")  # fmt: skip
@_around
@_common
def draw(ref: str, out: str, most: int, path: str, as_json: bool, **around: Any) -> None:
    """Draw what stands around REF, as a picture with a legend.

    Needs matplotlib and a Japanese font: pip install 'sansho[draw]'.
    """
    with public.open(path) as base:
        picture = base.draw(ref, most=most, **around)
        picture.save(out)
        _answer(picture, as_json, "nodes.drawn", out=out)


@main.command()
@click.argument("start", metavar="A")
@click.argument("end", metavar="B")
@click.option("--max", "most", type=click.IntRange(1, 100), default=3, show_default=True,
              help="How many paths at most.")  # fmt: skip
@_narrow
@_common
def path(
    start: str, end: str, most: int, path: str, as_json: bool, game: str | None,
    edition: str | None, lang: str | None,
) -> None:  # fmt: skip
    """Show how A leads to B: the ways that cost least, each edge with its words.

    To cite or define costs little, to link more, to mention most; and any edge costs more, the
    more of its kind its nodes have.
    """
    with public.open(path) as base:
        ways = base.path(start, end, most=most, game=game, edition=edition, lang=lang)
        _answer(ways, as_json, "nodes.ways", bool(ways.paths), start=start, end=end)


@main.command()
@click.argument("words", nargs=-1, required=True)
@click.option("--max", "most", type=click.IntRange(1, 1000), default=10, show_default=True,
              help="How many hits at most.")  # fmt: skip
@_where
@_common
def search(words: tuple[str, ...], most: int, path: str, as_json: bool, **where: Any) -> None:
    """Find passages by WORDS, in any inflection and any spelling."""
    with public.open(path) as base:
        hits = base.search(" ".join(words), most=most, **where)
        _answer(hits, as_json, "passages.found", bool(hits.hits), words=" ".join(words),
                narrowed=any(where.values()))  # fmt: skip


@main.command()
@click.argument("words", nargs=-1, required=True)
@click.option("--sort", "order", type=click.Choice(["place", "left", "right"]), default="place",
              show_default=True, help="By place, or by what stands before or behind.")  # fmt: skip
@click.option("--width", type=click.IntRange(1, 200), default=30, show_default=True,
              help="Characters on each side.")  # fmt: skip
@click.option("--max", "most", type=click.IntRange(1, 100_000), default=50, show_default=True,
              help="How many lines at most.")  # fmt: skip
@_where
@_common
def kwic(
    words: tuple[str, ...], order: public.Order, width: int, most: int, path: str, as_json: bool,
    **where: Any,
) -> None:  # fmt: skip
    """Show each place where WORDS stand, with what is around them: a concordance."""
    with public.open(path) as base:
        found = base.kwic(" ".join(words), order=order, width=width, most=most, **where)
        _answer(found, as_json, "passages.concordance", bool(found.lines), words=" ".join(words),
                narrowed=any(where.values()), width=width)  # fmt: skip


@main.command()
@click.argument("question", nargs=-1, required=True)
@click.option("--top", type=click.IntRange(1, 100), default=5, show_default=True,
              help="How many answers at most.")  # fmt: skip
@click.option("--game", help="Only this game, e.g. mtg; else the question's words tell it.")
@_common
def ask(question: tuple[str, ...], top: int, game: str | None, path: str, as_json: bool) -> None:
    """Answer QUESTION, in Japanese or English, by the passages that say it."""
    with public.open(path) as base:
        found = base.ask(" ".join(question), top=top, game=game)
        _answer(found, as_json, "passages.answered", bool(found.answers))


@main.command()
@click.argument("refs", nargs=-1, required=True, metavar="TERM...")
@click.option("--game", help="Only terms of this game, e.g. mtg, and what they are elsewhere.")
@_common
def compare(refs: tuple[str, ...], game: str | None, path: str, as_json: bool) -> None:
    """Show one concept side by side: TERM and what it is in other games."""
    with public.open(path) as base:
        found = base.compare(*refs, game=game)
        _answer(found, as_json, "terms.compared", bool(found.rows))


@main.command()
@click.argument("before", metavar="EDITION")
@click.argument("after", metavar="EDITION")
@click.option("--rule", help="Only this rule (by either number) and its sub-rules, e.g. 702.")
@click.option("--lang", help="The language, e.g. ja.")
@click.option("--game", help="The game, e.g. mtg.")
@_common
def diff(
    before: str, after: str, rule: str | None, lang: str | None, game: str | None, path: str,
    as_json: bool,
) -> None:  # fmt: skip
    """Show what changed from one EDITION of a rulebook to another."""
    with public.open(path) as base:
        found = base.diff(before, after, rule=rule, lang=lang, game=game)
        _answer(found, as_json, "books.differences", notice=base.notice)


@main.command()
@click.argument("rule")
@_narrow
@_common
def trace(
    rule: str, path: str, as_json: bool, game: str | None, edition: str | None, lang: str | None
) -> None:
    """Follow RULE through all editions: its numbers, and what became of its text."""
    with public.open(path) as base:
        found = base.trace(rule, game=game, edition=edition, lang=lang)
        _answer(found, as_json, "books.history", notice=base.notice)


@main.command()
@click.argument("lang")
@click.argument("other", metavar="LANG")
@click.option("--rule", help="Only this rule and its sub-rules, e.g. 121.")
@click.option("--edition", help="Only this edition, e.g. 20231117.")
@click.option("--game", help="Only this game, e.g. mtg.")
@_common
def align(
    lang: str, other: str, rule: str | None, edition: str | None, game: str | None, path: str,
    as_json: bool,
) -> None:  # fmt: skip
    """Set the rules in two languages side by side, and tell what does not agree."""
    with public.open(path) as base:
        found = base.align(lang, other, rule=rule, edition=edition, game=game)
        _answer(found, as_json, "books.aligned", notice=base.notice)


@main.command()
@click.argument("term")
@_narrow
@_common
def steps(
    term: str, path: str, as_json: bool, game: str | None, edition: str | None, lang: str | None
) -> None:
    """List the procedures of TERM, step by step."""
    with public.open(path) as base:
        found = base.steps(term, game=game, edition=edition, lang=lang)
        _answer(found, as_json, "terms.procedures", bool(found.procedures), ref=term)


@main.command()
@click.argument("term")
@_narrow
@_common
def outcomes(
    term: str, path: str, as_json: bool, game: str | None, edition: str | None, lang: str | None
) -> None:
    """Tabulate what happens on which condition, for TERM."""
    with public.open(path) as base:
        found = base.outcomes(term, game=game, edition=edition, lang=lang)
        _answer(found, as_json, "terms.stated", bool(found.outcomes), ref=term)


@main.command()
@click.option("--lang", help="Only terms with a name in this language, e.g. en.")
@click.option("--source", help="Only terms of this source, e.g. mtgwiki.")
@click.option("--game", help="Only this game, e.g. mtg.")
@_common
def terms(game: str | None, source: str | None, lang: str | None, path: str, as_json: bool) -> None:
    """List all terms with their readings and English names."""
    with public.open(path) as base:
        found = base.terms(game=game, source=source, lang=lang)
        _answer(found, as_json, "terms.glossary", bool(found.terms), notice=base.notice)


@main.command()
@_common
def stats(path: str, as_json: bool) -> None:
    """Count what is there: by kind, source, game and edition."""
    with public.open(path) as base:
        _answer(base.stats(), as_json, "whole.counts", notice=base.notice)


@main.command()
@_common
def audit(path: str, as_json: bool) -> None:
    """Add up where every character went, and list what dangles and what was unreadable."""
    with public.open(path) as base:
        _answer(base.audit(), as_json, "whole.audited")


@main.command()
@click.option("--format", "form", type=click.Choice(["jsonl"]), default="jsonl", show_default=True,
              help="The interchange format.")  # fmt: skip
@click.option("--out", required=True, metavar="FILE", help="The file to write; - prints it.")
@_common
def export(form: str, out: str, path: str, as_json: bool) -> None:
    """Write the whole graph in an interchange format."""
    with public.open(path) as base:
        written = base.export(out, form)
        if out != "-":
            _answer(written, as_json, "whole.exported")
