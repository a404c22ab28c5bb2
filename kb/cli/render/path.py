"""Prints the paths between two nodes, for `sansho path`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kb.cli.render.edges import VERBS, holding_node, place_of, words_in_context
from kb.cli.render.node_names import name_of
from kb.cli.render.output import bold, counted, dim, echo, end_of_result

if TYPE_CHECKING:
    from kb import Edge, KnowledgeBase, Node, Paths
    from kb.cli.render.output import Part

_CONTAINMENT = ("part_of", "quotes")  # their words are the whole passage


def print_paths(result: Paths, base: KnowledgeBase, start: str, end: str) -> None:
    """Print each path as its nodes with what connects them, the cheapest path first; if there is
    none, a message on standard error.

    base: the knowledge base that was asked, for the texts around the words of edges.
    start, end: the references that were given, as the person typed them.
    """
    from kb import Node

    if not result.paths:
        echo(f"No path from {start} to {end}.", err=True)
    nodes = {step.id: step for path in result.paths for step in path if isinstance(step, Node)}
    numbered = zip(result.paths, result.costs, result.editions, strict=True)
    for rank, (path, cost, editions) in enumerate(numbered, 1):
        if rank > 1:
            echo()
        echo(bold(f"{rank}. {counted(len(path) // 2, 'step')}"), dim(f"  cost {cost}"))
        last = ""
        of_nodes = iter(editions)
        for step in path:
            if isinstance(step, Node):
                _print_node(step, next(of_nodes), result)
                last = step.id
            else:
                _print_edge(step, last, holding_node(step, nodes, base))
    end_of_result(
        cut=result.more and f"{result.more} shows more",
        notices=(node.notice for node in nodes.values()),
    )


def _print_node(node: Node, editions: Sequence[str], result: Paths) -> None:
    """Print a node's name and where it is from, with the editions in which it is on the path."""
    page = result.page_of(node)
    name = place_of(node, page) if page else name_of(node)
    noun = "edition" if len(editions) == 1 else "editions"
    facts = [node.kind, node.game, node.lang, f"{noun} {', '.join(editions)}" if editions else None]
    echo(bold(name), "  ", dim(" · ".join(fact for fact in facts if fact)), indent=3, hang=4)


def _print_edge(edge: Edge, last: str, source: Node | None) -> None:
    """Print what connects a node with the one below, and the words that it rests on.

    last: the id of the node above, which is the edge's source or its target.
    source: the node whose text holds the words.
    """
    forward = edge.source == last
    words: list[Part] = [] if edge.kind in _CONTAINMENT else words_in_context(edge, source)
    verb = VERBS[edge.kind][0 if forward else 1]
    echo(dim(f"↓ {verb}"), *(["  ", *words] if words else []), indent=5, hang=4)
