"""Nodes, their edges, and the ways between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from textwrap import indent
from typing import TYPE_CHECKING, Any

import click

from kb.render.pieces import (
    bold,
    console,
    dim,
    name_of,
    new_table,
    place_of,
    plain,
    short,
    tell_notices,
)

if TYPE_CHECKING:
    from kb import Edge, KnowledgeBase, Node, Paths, Refs, Shown


def shown(result: Shown, ref: str, base: KnowledgeBase) -> None:
    """The nodes that a reference names."""
    if not result.matches:
        near = f" Near it: {'、'.join(result.near)}" if result.near else ""
        click.echo(f"Nothing is called {ref}.{near}", err=True)
    for place, node in enumerate(result.matches):
        if place:
            click.echo()
        _node(node, base)
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


def references(result: Refs) -> None:
    """The edges at a node, by the passages that state them, the strongest kinds first."""
    node = result.node
    click.echo(f"{bold(name_of(node))}  {dim(place_of(node))}")
    if not result.edges:
        click.echo("No edges of these kinds.", err=True)
        return
    from kb import STRENGTH

    table = new_table("", "from", "to", "words")
    rows: Counter[tuple[str, str, str, str]] = Counter()
    for edge in sorted(result.edges, key=lambda edge: STRENGTH[edge.kind]):
        start = _end(edge.source, edge.source, result.nodes)
        end = _end(edge.target, f"{edge.target_label} (not loaded)", result.nodes)
        rows[edge.kind, start, end, _said(edge)] += 1
    here = ""
    for (kind, start, end, words), times in rows.items():
        quoted = words + (f" ×{times}" if times > 1 else "")
        table.add_row(kind if kind != here else "", *map(plain, (start, end, quoted)))
        here = kind
    console().print(table)
    passages = dict.fromkeys(edge.evidence.passage for edge in result.edges)
    for passage in list(passages)[:8]:
        click.echo(dim(f"in {passage}"))
    if len(passages) > 8:
        click.echo(dim(f"and {len(passages) - 8} more passages (--json names each)"))
    for reason in dict.fromkeys(edge.reason for edge in result.edges if edge.reason):
        click.echo(f"not loaded: {reason}")
    tell_notices({n.notice for n in result.nodes.values() if n.notice})


def _said(edge: Edge) -> str:
    """The words that an edge rests on, and what else is known of it."""
    details = edge.details or {}
    remarks = [details.get(name) for name in ("how", "relation", "basis")]
    remarks += [f"headed {details['headed']} there"] if "headed" in details else []
    said = ", ".join(remark for remark in remarks if remark and remark != "see")
    return f"「{short(edge.evidence.text, 48)}」" + (f" ({said})" if said else "")


def ways(result: Paths, start: str, end: str) -> None:
    """The paths between two nodes."""
    if not result.paths:
        click.echo(f"No path from {start} to {end}.", err=True)
    from kb import Node

    notices: set[str] = set()
    for place, way in enumerate(result.paths, 1):
        click.echo(bold(f"{place}. {len(way) // 2} step{'s' if len(way) > 3 else ''}"))
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
