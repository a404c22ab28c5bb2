"""Prints nodes with their names, texts, main edges and captures, for `sansho show`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import indent
from typing import TYPE_CHECKING, Any

import click

from kb.cli.render.text_output import bold, dim, name_of, origin_of, print_notices, short

if TYPE_CHECKING:
    from kb import Capture, Evidence, KnowledgeBase, Node, Shown

_MAX_DIFFERENCES = 6  # between two wordings of a rule
_MAX_NAMES = 12  # of nodes at edges of one kind


def print_matches(result: Shown, ref: str, base: KnowledgeBase) -> None:
    """Print the nodes that a reference names; if there are none, names that are similar to it, on
    standard error.

    ref: the reference, as the person typed it.
    base: the knowledge base that was asked; it is asked for the nodes' edges and openings, too.
    """
    if not result.matches:
        click.echo(_nothing_found(result, ref, base), err=True)
    for index, node in enumerate(result.matches):
        if index:
            click.echo()
        _print_node(node, base, result.examples.get(node.id, ()))
        _print_captures(result.captures.get(node.id, ()))
    print_notices({node.notice for node in result.matches if node.notice})


def _nothing_found(result: Shown, ref: str, base: KnowledgeBase) -> str:
    """Return what to say of a reference that names nothing: what it names without the filters; if
    that is nothing either, names that are similar to it, if there are any."""
    if elsewhere := base.show(ref).matches:
        places = dict.fromkeys(f"{name_of(node)} ({origin_of(node)})" for node in elsewhere)
        return f"Nothing there is called {ref}. Without the filters: {'; '.join(places)}"
    near = f" Near it: {'、'.join(result.near)}" if result.near else ""
    return f"Nothing is called {ref}.{near}"


def _print_node(node: Node, base: KnowledgeBase, examples: Sequence[Evidence]) -> None:
    """Print a node: its names, its text, what depends on its kind, and its URL and id.

    A ruling's text is printed as question and answer, any other only if it is not the label.
    Besides: for a rule its examples, for a card its printed values, for a page its opening, for a
    rule, term or card its main edges, and for a node with other wordings where they differ.
    """
    click.echo(f"{bold(name_of(node))}  {dim(origin_of(node))}")
    other_labels = (label for label in node.labels if label.text != node.label)
    for index, label in enumerate(other_labels):
        by = dim(f" by {label.passages[0]}") if label.passages else ""
        title = "also" if not index else ""
        click.echo(f"  {title:<8} {label.text} ({label.lang}, {label.role}){by}")
    if node.kind == "ruling":
        click.echo(indent(f"Q: {node.label}\nA: {node.text or '(none given)'}", "  "))
    elif node.text and node.text != node.label:
        click.echo(indent(node.text, "  "))
    for example in examples:
        click.echo(indent(example.text, "  "))
    for wording in (node.details or {}).get("wordings", ()):
        _print_wording(node.text or "", wording)
    if node.kind == "card":
        _print_card_values(node.details or {})
    if node.kind == "page":
        for passage in base.opening(node.id):
            click.echo(f"  {short(passage.text or '')}")
    if node.kind in {"rule", "term", "card"}:
        _print_main_edges(node, base)
    if node.url:
        click.echo(f"  {dim(node.url)}")
    click.echo(f"  {dim(node.id)}")


def _print_captures(captures: Sequence[Capture]) -> None:
    """Print when a page was captured, and its other captures with the reasons against them.

    captures: those of one page, the fittest first; empty for a node that is no page.
    """
    for capture in captures:
        when = capture.taken or "at an unknown time"
        origin = f"{capture.place} ({capture.form}"
        if capture.why_not:
            click.echo(f"  {dim(f'also taken {when}: {origin}; {capture.why_not})')}")
        else:
            click.echo(f"  {dim(f'taken {when}: {origin})')}")


def _print_wording(text: str, wording: Mapping[str, Any]) -> None:
    """Print where another page's wording of a rule differs from the rule's text.

    text: the rule's text.
    wording: the id of the other page in `page`, its wording in `text`, and in `differs` the spans
        (start and end in the rule's text, start and end in the page's wording).
    """
    other = wording["text"]
    differences = [
        f"「{text[start:end]}」→「{other[other_start:other_end]}」"
        for start, end, other_start, other_end in wording["differs"][:_MAX_DIFFERENCES]
    ]
    more = " …" if len(wording["differs"]) > _MAX_DIFFERENCES else ""
    click.echo(f"  otherwise in {wording['page']}: {', '.join(differences)}{more}")


def _print_card_values(details: Mapping[str, Any]) -> None:
    """Print what is printed on a card besides its text (cost, type, power…), face by face.

    details: {name: text or list of texts}; in `faces` a list of the same for each face.
    """
    values = {name: value for name, value in details.items() if name not in {"faces", "text"}}
    fields = [
        f"{name.replace('_', ' ')} {', '.join(value) if isinstance(value, list) else value}"
        for name, value in values.items()
    ]
    if fields:
        click.echo(indent("; ".join(fields), "  "))
    for face in details.get("faces", ()):
        _print_card_values(face)


def _print_main_edges(node: Node, base: KnowledgeBase) -> None:
    """Print the names of the nodes that a node is part of, consists of, cites or is cited by, the
    ids of the nodes that define it, and the rulings that mention it; at most 12 for each relation.

    Rulings are only shown for a card, with their ids. The target of a dangling edge is shown by
    its label, as not loaded.
    """
    # An everyday term is mentioned in thousands of places: `refs` lists them.
    kinds = ["cites", "part_of", "defines"] + ["mentions"] * (node.kind == "card")
    found = base.refs(node.id, kinds=kinds)
    relations: dict[tuple[str, str], None] = {}  # (relation, name), each once, in order
    for edge in found.edges:
        out = edge.source == node.id
        other = found.nodes.get((edge.target if out else edge.source) or "")
        name = name_of(other) if other else f"{edge.target_label} (not loaded)"
        if edge.kind == "cites":
            relations["cites" if out else "cited by", name] = None
        elif edge.kind == "part_of":
            relations["part of" if out else "parts", name] = None
        elif edge.kind == "defines":
            relations["defined", edge.source] = None
        elif other and other.kind == "ruling":
            relations["asked", f"{name} ({edge.source})"] = None
    for shown in ("part of", "parts", "cites", "cited by", "defined", "asked"):
        names = [name for relation, name in relations if relation == shown]
        if names:
            more = " …" if len(names) > _MAX_NAMES else ""
            click.echo(f"  {shown:<8} {', '.join(names[:_MAX_NAMES])}{more}")
