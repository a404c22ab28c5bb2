"""A question with its command: which rules lean on each other in a circle?

    sansho circles --game mtg

Rules that cite each other, directly or by way of others, can only be understood together.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import click
import networkx as nx

import kb
from kb.cli import options
from kb.cli.command import Command
from kb.cli.print_result import NOTHING_FOUND, fail, print_json


@dataclass(frozen=True)
class Circle:
    """Rules that lean on each other, through all editions.

    game: whose. rules: their ids, those first that have most citations of and by the others.
    way: the shortest way round, from the first of them back to it.
    """

    game: str
    rules: tuple[str, ...]
    way: tuple[str, ...]


def find_circles(base: kb.KnowledgeBase, game: str | None = None) -> list[Circle]:
    """Return the circles in what rules cite, the largest first.

    base: an open knowledge base. game: only this game's.
    """
    graph = base.graph(by="rule", game=game)
    cites = nx.DiGraph(
        (source, target)
        for source, target, edge in graph.edges(data=True)
        if edge["kind"] == "cites"
    )
    found = []
    for ids in nx.strongly_connected_components(cites):
        if len(ids) > 1:
            part = cites.subgraph(ids)
            rules = sorted(ids, key=lambda rule: (-part.degree(rule), rule))
            ways = (nx.shortest_path(part, after, rules[0]) for after in part.successors(rules[0]))
            way = min(ways, key=lambda path: (len(path), path))
            found.append(Circle(graph.nodes[rules[0]]["game"], tuple(rules), (rules[0], *way)))
    return sorted(found, key=lambda circle: (-len(circle.rules), circle.rules))


@click.command(cls=Command)
@click.option("--game", help="Only this game, e.g. mtg.")
@options.common
def circles(kb_file: str, as_json: bool, **filters: Any) -> None:
    """List the rules that cite each other in a circle, through all editions."""
    with kb.open(kb_file) as base:
        found = find_circles(base, **filters)
        numbers = {rule: base.show(rule).matches[0].number for one in found for rule in one.way}
    if as_json:
        print_json({"circles": [asdict(circle) for circle in found]})
        return
    for circle in found:
        way = " → ".join(str(numbers[rule]) for rule in circle.way)
        click.echo(f"{circle.game}: {len(circle.rules)} rules, such as {way}")
    if not found:
        fail("no rules cite each other in a circle", NOTHING_FOUND)
