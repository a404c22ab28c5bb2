"""Writes the graph as JSON Lines: one node or edge per line, always in the same order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from graphs.store.reader import Store
from kb.control_characters import json_text


def lines(store: Store) -> Iterator[str]:
    """Yield each node and then each edge as a line of JSON without its line break.

    Lines are `{"node": {…}}`, sorted by id, then `{"edge": {…}}`, sorted by the source's id, the
    kind and the target's id. The inner objects are those of `as_json`.
    """
    for node in store.nodes():
        yield json_text({"node": node.as_json()})
    for edge in store.all_edges():
        yield json_text({"edge": edge.as_json()})


def write(store: Store, out: BinaryIO) -> tuple[int, int]:
    """Write the graph to an open file, and return the number of nodes and the number of edges."""
    nodes = edges = 0
    for line in lines(store):
        out.write(line.encode() + b"\n")
        nodes, edges = (nodes + 1, edges) if line[2] == "n" else (nodes, edges + 1)
    return nodes, edges
