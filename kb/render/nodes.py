"""Nodes, their edges, and the ways between them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from textwrap import indent
from typing import TYPE_CHECKING, Any

import click

from kb.render.pieces import (
    bold,
    console,
    dim,
    many,
    name_of,
    new_table,
    place_of,
    plain,
    short,
    tell_notices,
)

_AROUND = 24  # characters on each side of words that are shown where they stand

if TYPE_CHECKING:
    from kb import Capture, Edge, KnowledgeBase, Node, Paths, Picture, Refs, Shown


def shown(result: Shown, ref: str, base: KnowledgeBase) -> None:
    """The nodes that a reference names."""
    if not result.matches:
        near = f" Near it: {'、'.join(result.near)}" if result.near else ""
        click.echo(f"Nothing is called {ref}.{near}", err=True)
    for place, node in enumerate(result.matches):
        if place:
            click.echo()
        _node(node, base)
        _taken(result.captures.get(node.id, ()))
    tell_notices({node.notice for node in result.matches if node.notice})


def _node(node: Node, base: KnowledgeBase) -> None:
    click.echo(f"{bold(name_of(node))}  {dim(place_of(node))}")
    for place, label in enumerate(one for one in node.labels if one.text != node.label):
        by = dim(f" by {label.passages[0]}") if label.passages else ""
        lead = "also" if not place else ""
        click.echo(f"  {lead:<8} {label.text} ({label.lang}, {label.role}){by}")
    if node.kind == "ruling":
        click.echo(indent(f"Q: {node.label}\nA: {node.text or '(none given)'}", "  "))
    elif node.text and node.text != node.label:
        click.echo(indent(node.text, "  "))
    for wording in (node.details or {}).get("wordings", ()):
        _worded(node.text or "", wording)
    if node.kind == "card":
        _printed(node.details or {})
    if node.kind == "page":
        for passage in base.opening(node.id):
            click.echo(f"  {short(passage.text or '')}")
    if node.kind in {"rule", "term", "card"}:
        _edges_in_brief(node, base)
    if node.url:
        click.echo(f"  {dim(node.url)}")
    click.echo(f"  {dim(node.id)}")


def _taken(captures: Sequence[Capture]) -> None:
    """When a page was taken, and what else was read of it."""
    for one in captures:
        when = one.taken or "at a time that nobody noted"
        if one.why_not:
            click.echo(f"  {dim(f'also taken {when}: {one.place} ({one.form}; {one.why_not})')}")
        else:
            click.echo(f"  {dim(f'taken {when}: {one.place} ({one.form})')}")


def _worded(text: str, wording: Mapping[str, Any]) -> None:
    """How another page words a rule, by what differs."""
    other = wording["text"]
    changes = [f"「{text[a:b]}」→「{other[c:d]}」" for a, b, c, d in wording["differs"][:6]]
    more = " …" if len(wording["differs"]) > 6 else ""
    click.echo(f"  otherwise in {wording['page']}: {', '.join(changes)}{more}")


def _printed(details: Mapping[str, Any]) -> None:
    """What is printed on a card beside its text, face by face."""
    values = {key: value for key, value in details.items() if key not in {"faces", "text"}}
    said = [f"{key.replace('_', ' ')} {', '.join(value) if isinstance(value, list) else value}"
            for key, value in values.items()]  # fmt: skip
    if said:
        click.echo(indent("; ".join(said), "  "))
    for face in details.get("faces", ()):
        _printed(face)


def _edges_in_brief(node: Node, base: KnowledgeBase) -> None:
    # A term of everyday is mentioned in thousands of places: `refs` lists them.
    kinds = ["cites", "part_of", "defines"] + ["mentions"] * (node.kind == "card")
    found = base.refs(node.id, kinds=kinds)
    said: dict[tuple[str, str], None] = {}
    for edge in found.edges:
        out = edge.source == node.id
        other = found.nodes.get((edge.target if out else edge.source) or "")
        name = name_of(other) if other else f"{edge.target_label} (not loaded)"
        if edge.kind == "cites":
            said["cites" if out else "cited by", name] = None
        elif edge.kind == "part_of":
            said["part of" if out else "parts", name] = None
        elif edge.kind == "defines":
            said["defined", edge.source] = None
        elif other and other.kind == "ruling":
            said["asked", f"{name} ({edge.source})"] = None
    for kind in ("part of", "parts", "cites", "cited by", "defined", "asked"):
        names = [name for k, name in said if k == kind]
        if names:
            click.echo(f"  {kind:<8} {', '.join(names[:12])}{' …' if len(names) > 12 else ''}")


def _end(node_id: str | None, label: str, nodes: Any) -> str:
    node = nodes.get(node_id or "")
    if node is None:
        return label if node_id is None else node_id
    return name_of(node) if node.kind != "passage" else node.id


def references(result: Refs, base: KnowledgeBase, with_parts: bool) -> None:
    """The edges at a node, nearest first, the strongest kinds first."""
    node = result.node
    click.echo(f"{bold(name_of(node))}  {dim(place_of(node))}")
    if not result.edges:
        click.echo("No edges of these kinds.", err=True)
    steps = sorted(set(result.depths))
    for step in steps:
        edges = [edge for edge, depth in zip(result.edges, result.depths, strict=True)
                 if depth == step]  # fmt: skip
        if len(steps) > 1:
            click.echo(bold(f"\n{many(step, 'step')} away: {many(len(edges), 'edge')}"))
        _table_of(edges, result)
    shown = {edge.source for edge in result.edges}
    passages = dict.fromkeys(edge.evidence.passage for edge in result.edges)
    unseen = [passage for passage in passages if passage not in shown]
    for passage in unseen[:8]:
        click.echo(dim(f"in {passage}"))
    if len(unseen) > 8:
        click.echo(dim(f"and {len(unseen) - 8} more passages (--json names each)"))
    if node.kind == "rule" and not with_parts and base.parts(node.id):
        click.echo(dim("its sub-rules' own edges are not among these: --with-parts"))
    for reason in dict.fromkeys(edge.reason for edge in result.edges if edge.reason):
        click.echo(f"not loaded: {reason}")
    tell_notices({n.notice for n in result.nodes.values() if n.notice})


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


def drawn(result: Picture, out: str) -> None:
    """What a picture shows, and where it is."""
    more = f"; {many(result.left_out, 'more node')} left out" if result.left_out else ""
    click.echo(f"{out}: {many(result.nodes, 'node')}, {many(result.edges, 'edge')}{more}")


def ways(result: Paths, start: str, end: str) -> None:
    """The paths between two nodes."""
    if not result.paths:
        click.echo(f"No path from {start} to {end}.", err=True)
    from kb import Node

    notices: set[str] = set()
    for place, (way, cost) in enumerate(zip(result.paths, result.costs, strict=True), 1):
        click.echo(bold(f"{place}. {many(len(way) // 2, 'step')}") + dim(f", cost {cost}"))
        before: Node | None = None
        for step in way:
            if isinstance(step, Node):
                click.echo(f"  {name_of(step)}  {dim(place_of(step))}")
                before = step
                notices |= {step.notice} if step.notice else set()
            else:
                _step(step, before)
    tell_notices(notices)


def _step(edge: Edge, before: Node | None) -> None:
    forward = before is not None and edge.source == before.id
    arrow = f"──{edge.kind}──▶" if forward else f"◀──{edge.kind}──"
    words = f"「{short(edge.evidence.text, 60)}」"
    click.echo(f"    {arrow} {words}  {dim(edge.evidence.passage)}")
