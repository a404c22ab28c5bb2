"""Prints the edges at a node, for `sansho refs`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import click

from kb.cli.render.common import (
    bold,
    console,
    counted,
    dim,
    name_of,
    new_table,
    place_of,
    plain,
    print_notices,
    short,
)

if TYPE_CHECKING:
    from kb import Edge, KnowledgeBase, Node, Refs

_AROUND = 24  # characters on each side of words that are shown where they stand


def _end(node_id: str | None, label: str, nodes: Any) -> str:
    node = nodes.get(node_id or "")
    if node is None:
        return label if node_id is None else node_id
    return name_of(node) if node.kind != "passage" else node.id


def print_refs(result: Refs, base: KnowledgeBase, with_parts: bool) -> None:
    """The edges at a node, nearest first, the strongest kinds first."""
    node = result.node
    click.echo(f"{bold(name_of(node))}  {dim(place_of(node))}")
    if not result.edges:
        click.echo("No edges of these kinds.", err=True)
    steps = sorted(set(result.depths))
    for step in steps:
        edges = [
            edge for edge, depth in zip(result.edges, result.depths, strict=True) if depth == step
        ]
        if len(steps) > 1:
            click.echo(bold(f"\n{counted(step, 'step')} away: {counted(len(edges), 'edge')}"))
        _table_of(edges, result)
    print_matches = {edge.source for edge in result.edges}
    passages = dict.fromkeys(edge.evidence.passage for edge in result.edges)
    unseen = [passage for passage in passages if passage not in print_matches]
    for passage in unseen[:8]:
        click.echo(dim(f"in {passage}"))
    if len(unseen) > 8:
        click.echo(dim(f"and {len(unseen) - 8} more passages (--json names each)"))
    if node.kind == "rule" and not with_parts and base.parts(node.id):
        click.echo(dim("its sub-rules' own edges are not among these: --with-parts"))
    for reason in dict.fromkeys(edge.reason for edge in result.edges if edge.reason):
        click.echo(f"not loaded: {reason}")
    print_notices({n.notice for n in result.nodes.values() if n.notice})


def _table_of(edges: Iterable[Edge], result: Refs) -> None:
    table = new_table("", "from", "to", "words")
    rows: Counter[tuple[str, str, str, str]] = Counter()
    for edge in sorted(edges, key=lambda edge: _by_strength(edge, result.nodes)):
        start = _end(edge.source, edge.source, result.nodes)
        end = _end(edge.target, f"{edge.target_label} (not loaded)", result.nodes)
        # What others say is shown in their words; what a node itself says is known.
        other = None if edge.source == result.node.id else result.nodes.get(edge.source)
        rows[edge.kind, start, end, _said(edge, other)] += 1
    here = ""
    for (kind, start, end, words), times in rows.items():
        quoted = words + (f" ×{times}" if times > 1 else "")
        table.add_row(kind if kind != here else "", *map(plain, (start, end, quoted)))
        here = kind
    console().print(table)


def _by_strength(edge: Edge, nodes: Mapping[str, Node]) -> tuple[object, ...]:
    """Strong kinds first, rules before passages and in the order of their numbers."""
    from kb import STRENGTH

    source = nodes.get(edge.source)
    number = (source.number if source else None) or ""
    parts = re.findall(r"\d+|[a-z]+", number)
    return STRENGTH[edge.kind], not number, [part.rjust(4) for part in parts]


def _said(edge: Edge, source: Node | None) -> str:
    """The words that an edge rests on, in those around them where `source` is who says them; and
    what else is known of the edge."""
    evidence, details = edge.evidence, edge.details or {}
    said = f"「{short(evidence.text, 48)}」"
    if source and source.text and len(evidence.text) < _AROUND:
        own = source.id == evidence.passage  # a rule's text may differ from the passage's
        start = evidence.start if own else source.text.find(evidence.text)
        if start >= 0:
            after = source.text[start + len(evidence.text) :]
            said = f"{_last(source.text[:start])}{said}{short(after, _AROUND)}"
    remarks = [details.get(name) for name in ("how", "relation", "basis")]
    remarks += [f"headed {details['headed']} there"] if "headed" in details else []
    told = ", ".join(remark for remark in remarks if remark and remark != "see")
    return said + (f" ({told})" if told else "")


def _last(text: str) -> str:
    """The end of a text, on one line."""
    return short(text[::-1], _AROUND)[::-1]
