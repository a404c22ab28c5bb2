"""Writes the graph as JSON Lines: one node or edge per line, always in the same order."""

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
    """Yield each node and then each edge as a line of JSON without its line break, by id."""
    for node in store.nodes():
        yield json.dumps({"node": node.as_json()}, ensure_ascii=False)
    for edge in store.all_edges():
        yield json.dumps({"edge": edge.as_json()}, ensure_ascii=False)


def write(store: Store, out: str) -> tuple[int, int]:
    """Write the graph to a file, or to standard output for `-`.

    Returns the number of nodes and the number of edges. An existing file is replaced only when
    the new one is complete. Raises StoreError if it can't be written.
    """
    nodes = edges = 0
    try:
        with _open_output(out) as output:
            for line in lines(store):
                output.write(line + "\n")
                nodes, edges = (nodes + 1, edges) if line[2] == "n" else (nodes, edges + 1)
    except OSError as error:
        raise StoreError(f"{out}: can't be written: {error.strerror or error}") from error
    return nodes, edges


@contextmanager
def _open_output(out: str) -> Iterator[TextIO]:
    """Open what to write to, as a context manager: standard output for `-`, a device, or a
    temporary file that replaces the file `out` at the end of the `with` block.

    If the block fails, the temporary file is deleted.
    """
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
