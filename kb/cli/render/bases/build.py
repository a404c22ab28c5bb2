"""Prints the result of a build: what is in it, what changed, what went; of the demo; of vectors."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from shlex import quote
from typing import TYPE_CHECKING

from kb.cli.render.line_breaking import cell_width
from kb.cli.render.output import (
    Part,
    bad,
    bold,
    counted,
    dim,
    echo,
    field,
    good,
    text_width,
)
from kb.cli.render.passages.ask import print_answers
from kb.cli.render.warnings import print_warnings

if TYPE_CHECKING:
    from kb import Answers, BuildReport, GraphChanges, Removals, SharedPages, VectorReport

_DEFAULT_FILE = "sansho.db"
_MAX_NAMED = 12  # changed nodes that are listed
_MAX_WARNINGS = 6  # different ones
_MAX_SOURCES = 4  # from which pages are taken that several have
_MAX_EXAMPLES = 3  # of these pages


def print_build(report: BuildReport, next_steps: bool = True) -> None:
    """Print the pages by game and source, the nodes and edges, what changed and what went, and, on
    standard error, the warnings.

    next_steps: print also what to do next.
    """
    print_summary(report)
    if report.changes is not None:
        _print_changes(report.changes)
    elif report.removed:
        _print_removals(report.removed)
    print_warnings(report.warnings, _MAX_WARNINGS, err=True)
    if next_steps:
        print_next(
            ("show NAME", "look up a rule, term, card or page"),
            ("audit", "see what dangles or could not be read"),
            kb_file=report.kb,
        )


def print_summary(report: BuildReport) -> None:
    """Print the file, its pages by game and source, and the numbers of nodes and edges."""
    echo(
        bold(report.kb),
        f"  {counted(report.pages, 'page')} ",
        dim(f"in {report.seconds:.1f} s{_what_was_read(report)}"),
    )
    print_pages(report.sources)
    _print_shared(report.shared)
    field("nodes", _listed(report.nodes, plural=True))
    dangling = f"; {report.dangling:,} of them dangle" if report.dangling else ""
    field("edges", _listed(report.edges), dangling)


def print_pages(sources: Mapping[str, Mapping[str, int]]) -> None:
    """Print the number of pages of each source under the games that they are of.

    sources: {game: {source: pages}}; the game is empty where none is known.
    """
    games = [game or "no game" for game in sources]
    width = max(map(cell_width, games), default=0) + 2
    for game, numbers in zip(games, sources.values(), strict=True):
        named = [f"{number:,} of {source}" for source, number in numbers.items()]
        first = next(iter(numbers.values()))
        named[0] = named[0].replace(" of", " page of" if first == 1 else " pages of", 1)
        padding = " " * (max(10, width) - cell_width(game))
        hang = min(max(10, width), text_width() // 2)
        echo(dim(game), padding, ", ".join(named), indent=2, hang=hang)


def _what_was_read(report: BuildReport) -> str:
    """Return what a build over shards or an update read: the first reads shards, the second files,
    and captures that are not used count, too."""
    if report.shards:
        return f"; {report.shards['read']} of {counted(report.shards['all'], 'shard')} read"
    if report.changes is None:
        return ""
    if not report.read and report.changes:
        return "; files are gone, and none is new or changed"
    if not report.read:
        return "; nothing in the sources is new or changed"
    return f"; {counted(report.read, 'file')} read, as new or changed"


def _print_shared(shared: SharedPages) -> None:
    """Print how many pages several sources have, and which source each is taken from."""
    number = sum(shared.taken_from.values())
    for index, (source, pages) in enumerate(shared.taken_from.items()):
        if index == _MAX_SOURCES:
            field(
                "", dim(f"and {len(shared.taken_from) - index:,} more sources: --json names them")
            )
            break
        examples = [page for page, taken in shared.named if taken == source][:_MAX_EXAMPLES]
        more = ", …" if pages > len(examples) else ""
        head = f"{counted(number, 'page')} in several sources; taken from " if not index else ""
        field(
            "" if index else "shared",
            f"{head}{source}: {pages:,}",
            dim(f" ({', '.join(examples)}{more})") if examples else "",
        )


def print_next(*steps: tuple[str, str], kb_file: str) -> None:
    """Print commands to type next, each with what it gives.

    steps: (command without `sansho` and the file, what it gives).
    kb_file: the knowledge base that they are for; it is named unless it is the default.
    """
    default = os.environ.get("SANSHO_KB", _DEFAULT_FILE)
    option = "" if kb_file == default else f" --kb {quote(kb_file)}"
    echo()
    for index, (command, gives) in enumerate(steps):
        name = "next" if not index else ""
        field(name, gives, command=f"sansho {command}{option}", separator=": ", indent=0)


def _listed(numbers: Mapping[str, int], plural: bool = False) -> str:
    """Return numbers by kind, the greatest first.

    plural: put a kind into the plural where there are several: kinds of edges are verbs.
    """
    ranked = sorted(numbers.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(
        counted(number, kind) if plural else f"{number:,} {kind}" for kind, number in ranked
    )


def _print_changes(changes: GraphChanges) -> None:
    """Print how many nodes and edges of each kind were added (`+`), removed (`−`) and changed
    (`~`), and the first of these nodes, with the same signs, those that were removed first."""
    if not changes:
        field("changed", "nothing")
        return
    for title, kinds in (("nodes", changes.nodes), ("edges", changes.edges)):
        parts: list[Part] = [f"{title}: "]
        for index, (kind, numbers) in enumerate(kinds.items()):
            parts.append(f"{', ' if index else ''}{kind}")
            for change in ("added", "removed", "changed"):
                if number := numbers.get(change):
                    parts += [" ", _signed(change, f"{number:,}")]
        if kinds:
            field("changed", *parts)
    names = [(change, f"{kind} {node_id}") for change, kind, node_id in changes.named]
    _print_named(names, changes.nameable)


def _print_removals(removed: Removals) -> None:
    """Print how many pages, rules, terms… went, and the first of them."""
    field("went", bad(", ".join(counted(number, kind) for kind, number in removed.nodes.items())))
    names = [("removed", f"{kind} {node_id}") for kind, node_id in removed.named]
    _print_named(names, sum(removed.nodes.values()))


def _print_named(nodes: Sequence[tuple[str, str]], number: int) -> None:
    """Print the first of some nodes, a line each, and how many others there are.

    nodes: (what became of it, its kind and id); number: how many there are, named or not.
    """
    for change, name in nodes[:_MAX_NAMED]:
        echo(_signed(change, f" {name}"), indent=12)
    if number > _MAX_NAMED:
        rest = f"and {number - _MAX_NAMED:,} more: --json names the first hundred"
        echo(dim(rest), indent=12)


def _signed(change: str, text: str) -> Part:
    """Return a text behind the sign of what became of it: `+`, `−` or `~`."""
    if change == "added":
        return good(f"+{text}")
    return bad(f"−{text}") if change == "removed" else f"~{text}"


def print_vectors(result: VectorReport) -> None:
    """Print the file, how many passages have a vector, what was made, how large and how long."""
    echo(bold(result.file), f"  {counted(result.passages, 'passage')}, {_size(result.bytes)}")
    made = f"{counted(result.made, 'vector')} made"
    deleted = f", {result.deleted:,} deleted" if result.deleted else ""
    echo(made + deleted, dim(f" in {result.seconds:,.1f} s by {result.encoder}"), indent=2)


def _size(number: int) -> str:
    """Return a number of bytes for people.

    >>> _size(300_000), _size(41_260_000)
    ('0.3 MB', '41.3 MB')
    """
    return f"{number / 1e6:,.1f} MB"


def print_demo(result: Answers, report: BuildReport) -> None:
    """Print what was built, a question with its answers, and commands to try next.

    result: the answers, which also contain the question, as `ask` gives them.
    report: the build of the sample that was asked.
    """
    print_summary(report)
    echo()
    echo(bold(f"Q  {result.question}"), hang=3)
    echo()
    print_answers(result)
    print_next(
        ("show 121.4", "the rule"),
        ("path 引く 状況起因処理", "how they connect"),
        kb_file=report.kb,
    )
    field("", "your own pages", command="sansho build FOLDER", separator=": ", indent=0)
    field("", "everything else", command="sansho --help", separator=": ", indent=0)
