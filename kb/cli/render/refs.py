"""Prints the edges at a node with their evidence, for `sansho refs`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import click

from kb.cli.render.text_output import (
    bold,
    cell,
    console,
    counted,
    dim,
    name_of,
    new_table,
    origin_of,
    print_notices,
    short,
)

if TYPE_CHECKING:
    from kb import Edge, KnowledgeBase, Node, Refs

_CONTEXT = 24  # characters of context that are shown on each side of an edge's evidence
_MAX_WORDS = 48  # characters of an edge's evidence
_MAX_PASSAGES = 8  # passages that are listed below the table


def print_refs(result: Refs, base: KnowledgeBase, with_parts: bool) -> None:
    """Print a node's name, tables of the edges at it, nearest first, and the ids of the passages
    they are taken from. Without any edge, a message on standard error stands for the tables.

    Edges at the same distance share a table, with a heading if there are several distances. Below
    are a hint if a rule's sub-rules are not included, and why targets of edges are not loaded.

    base: the knowledge base that was asked; it tells whether a rule has sub-rules.
    with_parts: whether a rule was taken together with its sub-rules.
    """
    node = result.node
    click.echo(f"{bold(name_of(node))}  {dim(origin_of(node))}")
    if not result.edges:
        click.echo("No edges of these kinds.", err=True)
    depths = sorted(set(result.depths))
    for depth in depths:
        edges = [
            edge
            for edge, edge_depth in zip(result.edges, result.depths, strict=True)
            if edge_depth == depth
        ]
        if len(depths) > 1:
            click.echo(bold(f"\n{counted(depth, 'step')} away: {counted(len(edges), 'edge')}"))
        _print_table(edges, result)
    _print_passages(result.edges)
    if node.kind == "rule" and not with_parts and base.parts(node.id):
        click.echo(dim("edges of its sub-rules are not shown; add --with-parts"))
    for reason in dict.fromkeys(edge.reason for edge in result.edges if edge.reason):
        click.echo(f"not loaded: {reason}")
    print_notices({end.notice for end in result.nodes.values() if end.notice})


def _print_passages(edges: Iterable[Edge]) -> None:
    """Print the ids of the passages that edges are taken from, at most 8, without those that are
    themselves the source of an edge, which the tables show."""
    sources = {edge.source for edge in edges}
    passages = dict.fromkeys(edge.evidence.passage for edge in edges)
    unseen = [passage for passage in passages if passage not in sources]
    for passage in unseen[:_MAX_PASSAGES]:
        click.echo(dim(f"in {passage}"))
    if len(unseen) > _MAX_PASSAGES:
        more = len(unseen) - _MAX_PASSAGES
        click.echo(dim(f"and {more} more passages (--json names each)"))


def _print_table(edges: Iterable[Edge], result: Refs) -> None:
    """Print a table of edges, the strongest kinds first; equal rows are one row with a count.

    edges: some of the result's edges.
    result: the whole result, for the node that was asked for and the nodes at the ends.
    """
    table = new_table("", "from", "to", "words")
    rows: Counter[tuple[str, str, str, str]] = Counter()
    for edge in sorted(edges, key=lambda edge: _strength_key(edge, result.nodes)):
        start = _end_name(edge.source, edge.source, result.nodes)
        end = _end_name(edge.target, f"{edge.target_label} (not loaded)", result.nodes)
        # The person knows the node that they asked for: only other nodes' texts give context.
        source = None if edge.source == result.node.id else result.nodes.get(edge.source)
        rows[edge.kind, start, end, _describe(edge, source)] += 1
    last_kind = ""
    for (kind, start, end, words), times in rows.items():
        counted_words = words + (f" ×{times}" if times > 1 else "")
        table.add_row(kind if kind != last_kind else "", *map(cell, (start, end, counted_words)))
        last_kind = kind
    console().print(table)


def _end_name(node_id: str | None, label: str, nodes: Mapping[str, Node]) -> str:
    """Return the name of the node at an end of an edge.

    For a passage, or a node that is not in `nodes`, it is the id; without an id, `label`.

    node_id: the id of the node; None for the target of a dangling edge.
    nodes: nodes by their ids.
    """
    node = nodes.get(node_id or "")
    if node is None:
        return label if node_id is None else node_id
    return name_of(node) if node.kind != "passage" else node.id


def _strength_key(edge: Edge, nodes: Mapping[str, Node]) -> tuple[object, ...]:
    """Return a sort key: strong kinds first, rules before passages, rules by their numbers. Number
    and kind of node are those of the edge's source.

    nodes: nodes by their ids; a source that is not among them counts as a passage.
    """
    from kb import STRENGTH

    source = nodes.get(edge.source)
    number = (source.number if source else None) or ""
    parts = re.findall(r"\d+|[a-z]+", number)
    return STRENGTH[edge.kind], not number, [part.rjust(4) for part in parts]


def _describe(edge: Edge, source: Node | None) -> str:
    """Return an edge's evidence in quotes, with context if it is short, and in parentheses its
    details, such as how it cites.

    The context is up to 24 characters of the source's text on each side, outside the quotes; there
    is none for evidence of 24 characters or more, or if the text does not contain it. The details
    are `how` (but not `see`), `relation`, `basis` and `headed`; others are not shown.

    source: the node whose text is shown around short evidence; None for no context.
    """
    evidence, details = edge.evidence, edge.details or {}
    words = f"「{short(evidence.text, _MAX_WORDS)}」"
    if source and source.text and len(evidence.text) < _CONTEXT:
        # Evidence is a span of its passage; a rule that the passage gives may have other text.
        is_passage = source.id == evidence.passage
        start = evidence.start if is_passage else source.text.find(evidence.text)
        if start >= 0:
            after = source.text[start + len(evidence.text) :]
            words = f"{_short_end(source.text[:start])}{words}{short(after, _CONTEXT)}"
    details_shown = [details.get(name) for name in ("how", "relation", "basis")]
    details_shown += [f"headed {details['headed']} there"] if "headed" in details else []
    remarks = ", ".join(detail for detail in details_shown if detail and detail != "see")
    return words + (f" ({remarks})" if remarks else "")


def _short_end(text: str) -> str:
    """Return the end of a text (24 characters at most) on one line, after `…` if its beginning is
    cut off."""
    return short(text[::-1], _CONTEXT)[::-1]
