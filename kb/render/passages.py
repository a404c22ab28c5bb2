"""Passages: found, in a concordance, as answers."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING

import click

from kb.render.pieces import bold, console, dim, name_of, place_of, tell_notices
from kb.render.whole import built

if TYPE_CHECKING:
    from kb import Answers, Demonstration, Hits, KnowledgeBase, Lines, Node, Report

_PLACE, _KEY_AND_PLACE = 22, 34  # cells of a line of the concordance


def found(result: Hits, words: str, narrowed: bool) -> None:
    """The passages that a search found."""
    if not result.hits:
        _none(words, narrowed)
    for hit in result.hits:
        _hit(hit.node, hit.snippet, hit.spans)
    tell_notices({hit.node.notice for hit in result.hits if hit.node.notice})


def _none(words: str, narrowed: bool) -> None:
    click.echo(f"No {'such ' * narrowed}passage has {words}.", err=True)


def _hit(node: Node, snippet: str, spans: tuple[tuple[int, int], ...]) -> None:
    shown, at = "", 0
    for start, end in spans:
        shown += snippet[at:start] + click.style(snippet[start:end], bold=True, fg="green")
        at = end
    name = name_of(node) if node.kind == "rule" else node.id
    where = place_of(node) if node.kind == "rule" else node.source or ""
    click.echo(f"{bold(name)}  {dim(where)}")
    click.echo("  " + (shown + snippet[at:]).replace("\n", " "))


def demo(result: Demonstration, report: Report, base: KnowledgeBase) -> None:
    """The newcomer's first minute."""
    built(report)
    click.echo(f"\n{bold('Q')} {result.question}")
    for place, answer in enumerate(result.answers, 1):
        hit = answer.hit
        click.echo(f"\n{place}. ", nl=False)
        _hit(hit.node, hit.snippet, hit.spans)
        for edge in answer.citations:
            target = edge.target or f"{edge.target_label} (not in the sample)"
            click.echo(f"     cites {target} 「{edge.evidence.text}」")
        if hit.node.url:
            click.echo(f"     {dim(hit.node.url)}")
    click.echo()
    tell_notices({base.notice})
    click.echo(f"\nNext:  sansho show 121.4 --kb {report.kb}")
    click.echo(f"       sansho path 引く 状況起因処理 --kb {report.kb}")
    click.echo("       sansho build FOLDER     your own pages; `sansho --help` lists the rest")


def concordance(result: Lines, words: str, narrowed: bool, width: int) -> None:
    """A line a place, the words one below the other."""
    if not result.lines:
        _none(words, narrowed)
        return
    from rich.cells import cell_len, set_cell_size

    # Japanese letters take two cells of a terminal: the keys stand below each other by cells.
    side = max(10, min(2 * width, (console().width - _KEY_AND_PLACE) // 2))
    for line in result.lines:
        left = line.left
        while cell_len(left) > side:
            left = left[1:]
        right = set_cell_size(line.right, side)
        gap = " " * (side - cell_len(left))
        place = dim(set_cell_size(name_of(line.node), _PLACE).rstrip())
        click.echo(f"{gap}{left} {bold(line.key)} {right} {place}")
    tell_notices({line.node.notice for line in result.lines if line.node.notice})


def answered(result: Answers) -> None:
    """The passages that answer a question, each with the rules that it cites, and why."""
    if not result.answers:
        click.echo("The pages do not say.", err=True)
    for one in result.answers:
        if one.rank > 1:
            click.echo()
        click.echo(f"{one.rank}. {bold(name_of(one.node))}  {dim(place_of(one.node))}")
        click.echo(indent(one.passage.text or "", "   "))
        if cited := dict.fromkeys(edge.target_label for edge in one.citations):
            click.echo(f"   cites {', '.join(cited)}")
        click.echo(dim(f"   {'; '.join(one.why)}"))
        click.echo(dim(f"   {one.passage.id}"))
    tell_notices({one.node.notice for one in result.answers if one.node.notice})
