"""The commands that make a knowledge base and its vectors: demo, build, crawl, update and near."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

import kb as public
from kb.cli import options
from kb.cli.command import GIVEN_WORDS, Command, as_text
from kb.cli.print_result import CANNOT_BE_DONE, fail, print_result, say
from kb.cli.signals import last_words

_DEMO_QUESTION = "ライブラリーから引こうとしたプレイヤーが敗北するのはどんなとき？"
_KEPT = "interrupted; what was {} is kept, and the same command goes on from there"
_VECTORS_LEFT = "interrupted; {} is complete, and sansho near build makes the other vectors"
_near_option = click.option(
    "--near",
    is_flag=True,
    help="Make the vectors for answers by meaning, too, as sansho near build does.",
)


def _words_of_build(kb_file: str) -> Callable[[], str]:
    """Return what gives the last words of a build that a signal ends: by whether the file was
    replaced since this was called."""
    before = _version(kb_file)

    def words() -> str:
        if _version(kb_file) != before:
            return f"interrupted when {kb_file} was complete; it is the new one"
        return "interrupted; what was there before is kept"

    return words


def _version(file: str) -> tuple[int, int] | None:
    """Return what changes when a file is replaced (its inode and time); None if it can't be
    found."""
    try:
        found = Path(file).stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def _make_vectors(kb_file: str, as_json: bool) -> None:
    """Make the vectors of a knowledge base that was built, and print what was made, if not as
    JSON: that is the document of the build."""
    from kb.cli.render.builds_and_audits import print_vectors
    from kb.cli.render.progress import build_progress

    with last_words(lambda: _VECTORS_LEFT.format(kb_file)), build_progress() as progress:
        report = public.build_vectors(kb_file, progress=progress)
    if not as_json:
        print_vectors(report)


def _say_vectors_missing(kb_file: str) -> None:
    """Say how to make the vectors that a knowledge base lacks, and how long that takes here; or why
    that can't be estimated. Without an encoder nothing is said."""
    try:
        missing = public.missing_vectors(kb_file)
    except (public.QuestionError, public.StoreError) as error:
        say(public.reason_of(error))
        return
    if missing:
        from kb.cli.render.builds_and_audits import vectors_to_make

        say(vectors_to_make(missing, kb_file))


@click.command(cls=Command)
@click.option(
    "--kb",
    "kb_file",
    default=options.DEMO_FILE,
    show_default=True,
    metavar="FILE",
    help="The file to keep the sample's knowledge base in.",
)
@_near_option
@options.json_document
def demo(kb_file: str, near: bool, as_json: bool) -> None:
    """Build the bundled sample and answer one question from it."""
    if near:
        public.required_encoder()
    if Path(kb_file).exists():
        with public.open(kb_file) as base:
            if not base.is_sample:
                fail(f"{kb_file}: a knowledge base that is not the sample; choose another --kb")
    with last_words(_words_of_build(kb_file)):
        report = public.build(kb=kb_file, replace=True)  # the sample, whatever was in it before
    if near:
        _make_vectors(kb_file, as_json)
    with public.open(kb_file) as base:
        answers = base.ask(_DEMO_QUESTION, top=3)
        print_result(
            answers,
            as_json,
            "builds_and_audits.print_demo",
            bool(answers.answers),
            report=report,
        )
    if not near:
        _say_vectors_missing(kb_file)


@click.command(cls=Command)
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@options.hints
@click.option(
    "--workers",
    type=options.WholeNumber(1),
    metavar="N",
    help="How many processes read at once, at most (by default one per core, up to four). "
    "The graph does not depend on it.",
)
@click.option("--again", is_flag=True, help="Build from the same sources and hints as before.")
@click.option(
    "--add",
    is_flag=True,
    help="Keep the sources of before, with their hints, beside these; each keeps its own.",
)
@click.option(
    "--replace",
    is_flag=True,
    help="Do it even if that takes away more than a third of the pages that are there.",
)
@click.option(
    "--shards",
    metavar="FOLDER",
    help="Read very large sources in shards, keep the rows of each in this folder (or URL, such as "
    "s3://…), and read a shard again only if it has changed: pip install 'sansho[dist]'.",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="With --shards: the Dask scheduler whose workers read them, such as tcp://10.0.0.1:8786.",
)
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Say on standard error what is read, and why a line begins no rule, a number cites "
    "nothing, a name is not looked for. One process reads, whatever --workers says.",
)
@_near_option
@options.corrections
@options.common
def build(
    sources: tuple[str, ...],
    kb_file: str,
    as_json: bool,
    workers: int | None,
    verbose: bool,
    near: bool,
    **given: Any,
) -> None:
    """Build or update a knowledge base from files and folders.

    A SOURCE is a file (a saved page, a text capture, a WARC file, an archive, a wiki's dump or
    source text, a rulebook) or a folder of such files; a manifest.jsonl in it gives URLs and
    times. Without SOURCE, the bundled sample is built.

    If the knowledge base is there already, only what changed in the sources is read, and the
    changes in the graph are printed (with --shards, what was removed). The old file is replaced
    when the new one is complete; a build that would take away more than a third of its pages stops
    before that.

    \b
    Other pages beside those that are there:
      sansho build MORE --add --kb rules.db
    """
    from kb.cli.render.progress import build_progress, logged, print_message

    if near:
        public.required_encoder()  # what is missing is said before the work is done
    workers = 1 if verbose else workers  # other processes have logs of their own
    with last_words(_words_of_build(kb_file)), logged(verbose), build_progress() as progress:
        report = public.build(
            sources, kb_file, progress=progress, say=print_message, workers=workers, **given
        )
    print_result(report, as_json, "builds_and_audits.print_build")
    if near:
        _make_vectors(kb_file, as_json)
    else:
        _say_vectors_missing(kb_file)


@click.command(cls=Command)
@click.argument("targets", nargs=-1, required=True, metavar="SITE|URL...")
@click.option(
    "--into",
    required=True,
    metavar="FOLDER",
    help="Where to keep the pages: a folder, or a WARC file if the name ends in .warc or .warc.gz.",
)
@click.option(
    "--depth",
    type=options.WholeNumber(0),
    metavar="N",
    help="How many links to follow from the targets (by default 0 for pages of a named site, and "
    "the whole site for any other).",
)
@options.most("How many pages to fetch at most.", 1000, metavar="N")
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
@options.json_document
def crawl(targets: tuple[str, ...], into: str, as_json: bool, **options: Any) -> None:
    """Download wiki pages slowly, as each site's robots.txt allows.

    SITE is mtgwiki, yugioh-wiki, dmwiki, wisdom-guild or a site of your own (--sites). After it
    come the names of pages. Without names, all pages that the site lists are fetched, and the next
    time those that changed since. A URL is the page or site to begin with.

    \b
    A page and what it links to:
      sansho crawl mtgwiki 引く --depth 1 --into pages

    If a crawl was interrupted, or a site gave nothing more (exit code 1), the same command
    continues it; if it is complete, the same command looks for changes.
    """
    from kb.cli.render.progress import crawl_progress, print_message

    with last_words(lambda: _KEPT.format("fetched")), crawl_progress() as progress:
        report = public.crawl(targets, into, say=print_message, progress=progress, **options)
    fetched = bool(report.fetched or report.unchanged)
    words = as_text(click.get_current_context().meta[GIVEN_WORDS])
    print_result(
        report,
        as_json,
        "builds_and_audits.print_crawl",
        not report.given_up and (fetched or bool(report.failed)),
        into=into,
        command=shlex.join(["sansho", "crawl", *words]),
    )
    if not fetched:
        sys.exit(CANNOT_BE_DONE)


@click.command(cls=Command)
@click.option(
    "--out", metavar="FILE", help="Write what came as Markdown, too; - for standard output."
)
@click.option(
    "--contact",
    default="",
    metavar="TEXT",
    help="How the sites' operators can reach you: a mail address or a web page.",
)
@options.most("How many pages of each site to fetch at most.", 1000, metavar="N")
@_near_option
@options.common
def update(
    out: str | None, contact: str, most: int, near: bool, kb_file: str, as_json: bool
) -> None:
    """Bring a knowledge base up to date, and say what came and what that makes stale.

    Folders that sansho crawl fills are crawled again, changed and new files of all other sources
    are read, and the knowledge base is built anew. Of a new edition of a rulebook it lists which
    pages are stale now. One command for a timer; the exit code is 1 if a site gave nothing.

    \b
      sansho update --contact me@example.org --out news.md
    """
    from kb.cli.render.changes import update_as_markdown
    from kb.cli.render.progress import build_progress, print_message

    if near:
        public.required_encoder()
    with last_words(_words_of_build(kb_file)), build_progress() as progress:
        report = public.update(
            kb_file, contact=contact, most=most, say=print_message, progress=progress
        )
    if out is not None:
        with public.open_output(out) as file:
            file.write(update_as_markdown(report).encode())
    if near:
        _make_vectors(kb_file, as_json or out == "-")
    else:
        _say_vectors_missing(kb_file)
    if out != "-":
        is_whole = not report.failed and not any(one.given_up for one in report.crawled.values())
        print_result(report, as_json, "changes.print_update", is_whole, written=out)


@click.command(cls=Command)
@click.argument("action", type=click.Choice(["build"]), metavar="build")
@options.common
def near(action: str, kb_file: str, as_json: bool) -> None:
    """Make sentence vectors of all passages, by which ask finds what other words say.

    They are kept in FILE.near, beside the knowledge base FILE. That file may be deleted at any
    time. What is there already is not made again: not after an interruption, and not for passages
    that are as they were before the knowledge base was built again.

    \b
    Needs an encoder:
      pip install 'sansho[near]'
    """
    assert action == "build"
    from kb.cli.render.progress import build_progress

    with last_words(lambda: _KEPT.format("made")), build_progress() as progress:
        report = public.build_vectors(kb_file, progress=progress)
    print_result(report, as_json, "builds_and_audits.print_vectors")
