"""Prints and writes what an update of a knowledge base brought (`sansho update`), and what two
builds of one differ in (`sansho changes --since`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kb.cli.render.builds_and_audits import print_build
from kb.cli.render.changes import atom
from kb.cli.render.documents import (
    Block,
    Entry,
    Heading,
    Paragraph,
    Piece,
    Rows,
    markdown_lines,
    page_lines,
)
from kb.cli.render.impact import checklist
from kb.cli.render.output import counted, echo, field, printable, total

if TYPE_CHECKING:
    from kb import BuildChanges, CrawlReport, UpdateReport

_MOST_NAMED = 10  # of each list, on a screen; by hand. The document has all


def print_update(result: UpdateReport, written: str | None) -> None:
    """Print what each crawl fetched, what the build read, what came, changed or went, and how much
    that makes stale. written: the file that has it as Markdown."""
    for place, one in result.crawled.items():
        field("crawled", f"{place}: {_fetched(one)}")
    for place, why in result.failed.items():
        field("failed", f"{place}: {why}")
    print_build(result.build, next_steps=False)
    _print_lists(result.changes)
    for impact in result.impact:
        pages = counted(len(impact.pages), "page")
        field("stale", f"{counted(impact.total, 'statement')} on {pages} of {impact.game}")
    if written:
        total(f"written to {written}")


def update_as_markdown(result: UpdateReport) -> str:
    """Return what came as Markdown: crawls, what two builds differ in, and each stale statement as
    an item to tick off."""
    lines = [f"# {result.build.kb}", ""]
    for place, one in result.crawled.items():
        lines.append(f"- {place}: {_fetched(one)}")
    lines += [f"- {place}: not crawled: {why}" for place, why in result.failed.items()]
    lines += ["", *markdown_lines(_parts(result.changes))]
    for impact in result.impact:
        lines += ["", *checklist(impact)]
    return printable("\n".join([*lines, ""]))


def _fetched(crawl: CrawlReport) -> str:
    return f"{counted(crawl.fetched, 'page')} fetched, {crawl.unchanged:,} unchanged"


def _lists(result: BuildChanges) -> Iterator[tuple[str, list[str]]]:
    """Yield the name of each list of what came, changed or went that has something, and its
    lines."""
    lists = {
        "New editions": [_edition(one) for one in result.editions_added],
        "Editions that went": [_edition(one) for one in result.editions_removed],
        "New pages": result.pages_added,
        "Changed pages": result.pages_changed,
        "Pages that went": result.pages_removed,
        "New terms": result.terms_added,
        "Terms that went": result.terms_removed,
        "New names of terms": [_name(one) for one in result.names_added],
        "Names that went": [_name(one) for one in result.names_removed],
    }
    return ((name, list(lines)) for name, lines in lists.items() if lines)


def _edition(edition: tuple[str, str, str]) -> str:
    game, date, lang = edition
    return f"{game} {date} ({lang})"


def _name(name: tuple[str, str, str]) -> str:
    term, lang, text = name
    return f"{term}: {text} ({lang})"


def _print_lists(result: BuildChanges) -> None:
    for name, lines in _lists(result):
        rest = f"; {len(lines) - _MOST_NAMED:,} more" if len(lines) > _MOST_NAMED else ""
        field(name.lower(), f"{len(lines):,}: {', '.join(lines[:_MOST_NAMED])}{rest}")


def _parts(result: BuildChanges) -> Iterator[Block]:
    """Yield the lists, each with its heading, and how many edges of each kind there were and
    are."""
    for name, lines in _lists(result):
        yield Heading(2, f"{name} ({len(lines):,})")
        yield from (Entry(line, ()) for line in lines)
    if result.edges:
        yield Heading(2, "References")
        rows = [(kind, f"{old:,}", f"{new:,}") for kind, (old, new) in result.edges.items()]
        yield Rows(("kind", "before", "now"), rows)
    if not result.edges and not any(_lists(result)):
        yield Heading(2, "Nothing changed")


def build_changes_document(result: BuildChanges, form: str, notice: str, updated: str) -> bytes:
    """Return what two builds differ in as a file.

    form: `markdown`, `html` or `atom`, a feed with an entry for each list. notice: the notice of
    the knowledge base to readers. updated: when the newer one was built, as Atom writes times.
    """
    title = f"What changed in {result.after} since {result.before}"
    first: list[Block] = [Paragraph([Piece(notice)])] if notice else []
    first.append(Paragraph([Piece(f"{counted(result.pages_same, 'page')} with the same text.")]))
    if form == "atom":
        entries = (
            ((name,), f"{name} ({len(lines):,})", [Entry(line, ()) for line in lines])
            for name, lines in _lists(result)
        )
        return atom(("builds", updated), title, updated, first, entries)
    blocks = [Heading(1, title), *first, *_parts(result)]
    lines = page_lines(blocks) if form == "html" else markdown_lines(blocks)
    return "".join(f"{line}\n" for line in lines).encode()


def print_build_changes(result: BuildChanges, out: str) -> None:
    """Print which file was written, and what two builds differ in."""
    echo(f"{out}: {result.before} → {result.after}")
    _print_lists(result)
    total(f"{counted(result.pages_same, 'page')} with the same text")
