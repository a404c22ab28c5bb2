"""Prints nodes with their names, texts and captures, for `sansho show`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import indent
from typing import TYPE_CHECKING, Any

import click

from kb.cli.render.common import (
    bold,
    dim,
    name_of,
    place_of,
    print_notices,
    short,
)

_AROUND = 24  # characters on each side of words that are shown where they stand

if TYPE_CHECKING:
    from kb import Capture, KnowledgeBase, Node, Shown


def print_matches(result: Shown, ref: str, base: KnowledgeBase) -> None:
    """The nodes that a reference names."""
    if not result.matches:
        near = f" Near it: {'、'.join(result.near)}" if result.near else ""
        click.echo(f"Nothing is called {ref}.{near}", err=True)
    for place, node in enumerate(result.matches):
        if place:
            click.echo()
        _node(node, base)
        _taken(result.captures.get(node.id, ()))
    print_notices({node.notice for node in result.matches if node.notice})


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
    said = [
        f"{key.replace('_', ' ')} {', '.join(value) if isinstance(value, list) else value}"
        for key, value in values.items()
    ]
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
