"""The graph as JSON Lines: a node or an edge a line, always in the same order."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from graphs.errors import StoreError
from graphs.store.reader import Store


def lines(store: Store) -> Iterator[str]:
    """Each node and each edge as one line of JSON, nodes first, in the order of ids."""
    for node in store.nodes():
        yield json.dumps({"node": node.as_json()}, ensure_ascii=False)
    for edge in store.all_edges():
        yield json.dumps({"edge": edge.as_json()}, ensure_ascii=False)


def write(store: Store, out: str) -> tuple[int, int]:
    """Write the graph to a file, or to standard output for `-`; how many nodes and edges.

    The file is replaced when the new one is whole. Raises StoreError if it can't be written.
    """
    nodes = edges = 0
    try:
        with _target(out) as target:
            for line in lines(store):
                target.write(line + "\n")
                nodes, edges = (nodes + 1, edges) if line[2] == "n" else (nodes, edges + 1)
    except OSError as error:
        raise StoreError(f"{out}: can't be written: {error.strerror or error}") from error
    return nodes, edges


@contextmanager
def _target(out: str) -> Iterator[TextIO]:
    """What to write to: standard output, a device as it is, or what takes a file's place at the
    end of the `with`."""
    path = Path(os.path.realpath(out))
    if out == "-":
        yield sys.stdout
    elif path.exists() and not path.is_file():
        with path.open("w", encoding="utf-8") as device:
            yield device
    else:
        unfinished = path.with_name(f"{path.name}.unfinished")
        try:
            with unfinished.open("w", encoding="utf-8") as file:
                yield file
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)
