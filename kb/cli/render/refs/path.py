"""Prints the paths between two nodes, for `sansho path`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kb.cli.render.line_breaking import cell_width
from kb.cli.render.node_names import name_of
from kb.cli.render.output import bold, counted, dim, echo, end_of_result
from kb.cli.render.refs.edges import holding_node, place_of, words_in_context
from kb.wording import VERBS, how_proposed

if TYPE_CHECKING:
    from kb import Edge, KnowledgeBase, Node, Paths
    from kb.cli.render.output import Part

_SHORT_TEXT = 40  # columns of a passage that is shown whole
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
    if result.paths and not any(result.costs):
        _print_same(result, start, end)
        return
    nodes = {step.id: step for path in result.paths for step in path if isinstance(step, Node)}
    numbered = zip(result.paths, result.costs, result.editions, result.languages, strict=True)
    for rank, (path, cost, editions, languages) in enumerate(numbered, 1):
        if rank > 1:
            echo()
        echo(bold(f"{rank}. {counted(len(path) // 2, 'step')}"), dim(f"  cost {cost}"))
        last = ""
        of_nodes = zip(editions, languages, strict=True)
        for step in path:
            if isinstance(step, Node):
                _print_node(step, *next(of_nodes), result)
                last = step.id
            else:
                _print_edge(step, last, nodes, holding_node(step, nodes, base))
    end_of_result(
        cut=result.more,
        left_out=result.also,
        notices=(node.notice for node in nodes.values()),
    )


def _print_same(result: Paths, start: str, end: str) -> None:
    """Print that both references name the same, and what this is."""
    echo(bold(f"{start} and {end} are names of the same thing."))
    from kb import Node

    nodes = [step for path in result.paths for step in path if isinstance(step, Node)]
    for node, editions, languages in zip(nodes, result.editions, result.languages, strict=True):
        _print_node(node, editions[0], languages[0], result)
    end_of_result(
        cut=result.more,
        left_out=result.also,
        notices=(node.notice for node in nodes),
    )


def _print_node(
    node: Node, editions: Sequence[str], languages: Sequence[str], result: Paths
) -> None:
    """Print a node's name and where it is from, with the editions and languages in which it is on
    the path."""
    page = result.page_of(node)
    name = place_of(node, page) if page else name_of(node)
    noun = "edition" if len(editions) == 1 else "editions"
    facts = [node.kind, node.game, ", ".join(languages)]
    facts.append(f"{noun} {', '.join(editions)}" if editions else None)
    if node.kind == "passage" and node.text and cell_width(node.text) <= _SHORT_TEXT:
        name += f": {node.text}"  # a heading, or the head of an entry
    echo(bold(name), "  ", dim(" · ".join(fact for fact in facts if fact)), indent=3, hang=4)


def _print_edge(edge: Edge, last: str, nodes: Mapping[str, Node], source: Node | None) -> None:
    """Print what connects a node with the one below, the words that it rests on, and why a rule
    cites one of another language.

    last: the id of the node above, which is the edge's source or its target.
    nodes: both nodes, by id.
    source: the node whose text holds the words.
    """
    forward = edge.source == last
    words: list[Part] = [] if edge.kind in _CONTAINMENT else words_in_context(edge, source)
    verb = VERBS[edge.kind][0 if forward else 1]
    parts: list[Part] = ["  ", *words] if words else []
    if edge.is_proposed:
        parts.append(dim(f" ({how_proposed(edge)})"))
    if why := _why_other_language(edge, nodes):
        parts.append(dim(f" ({why})"))
    echo(dim(f"↓ {verb}"), *parts, indent=5, hang=4)


def _why_other_language(edge: Edge, nodes: Mapping[str, Node]) -> str:
    """Return why a rule cites a rule in another language; empty if it does not.

    nodes: the ends of the edge, by id.
    """
    citing, cited = nodes[edge.source], nodes[edge.target or edge.source]
    if edge.kind != "cites" or citing.lang == cited.lang or not (citing.lang and cited.lang):
        return ""
    return f"{cited.number} in {citing.lang} is not loaded"
