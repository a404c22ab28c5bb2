"""A graph as a picture: what stands around one node, by its strongest edges.

Needs matplotlib and a font with Japanese letters: `pip install 'sansho[draw]'`. What is drawn is
chosen here; `layout` says where it stands, `paint` how it looks, `lettering` what it says.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from graphs.errors import DrawError
from graphs.model import EdgeKind
from graphs.paths import COST
from graphs.picture.layout import columns_around
from graphs.picture.lettering import font_file
from graphs.picture.paint import EDGE_STYLES, UNDIRECTED, DrawnEdge, paint

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.figure import Figure

FORMATS = ("svg", "png")
_DPI = 110
_NOT_LOADED = 2  # what an edge costs more whose target is not there


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A picture of a graph. A notebook shows it, `save` writes it, `figure` is matplotlib's own.

    `left_out` is how many nodes there was no place for.
    """

    figure: Figure
    nodes: int
    edges: int
    left_out: int

    def __repr__(self) -> str:
        more = f"; {_more(self.left_out)}" if self.left_out else ""
        return f"<a picture: nodes {self.nodes}, edges {self.edges}{more}>"

    def _repr_png_(self) -> bytes:
        return self.as_bytes("png")

    def as_json(self) -> dict[str, int]:
        """As `sansho draw --json` prints it."""
        return {"nodes": self.nodes, "edges": self.edges, "left_out": self.left_out}

    def as_bytes(self, form: str) -> bytes:
        """The picture as `svg` or `png`, without a date: the same graph gives the same bytes."""
        import matplotlib

        out = BytesIO()
        silent = {"Date": None, "Creator": None} if form == "svg" else {"Software": None}
        # Letters are outlines in an SVG: it shows where the font is not installed.
        with matplotlib.rc_context({"svg.hashsalt": "sansho", "svg.fonttype": "path"}):
            self.figure.savefig(out, format=form, dpi=_DPI, metadata=silent)
        return out.getvalue()

    def save(self, out: str | Path) -> None:
        """Write the picture as the file's name says: SVG or PNG.

        Raises DrawError if the name says neither, or if the file can't be written.
        """
        content = self.as_bytes(form_of(out))
        try:
            Path(out).write_bytes(content)
        except OSError as error:
            raise DrawError(f"{out}: can't be written: {error.strerror or error}") from error


def form_of(out: str | Path) -> str:
    """The format that a file's name says. Raises DrawError if a picture can't have it.

    >>> form_of("引く.SVG")
    'svg'
    """
    form = Path(out).suffix.removeprefix(".").lower()
    if form not in FORMATS:
        raise DrawError(f"{out}: a picture is .{' or .'.join(FORMATS)}; name the file so")
    return form


def draw(
    graph: nx.MultiDiGraph[str],
    centre: str | None = None,
    most: int = 24,
    columns: Mapping[str, int] | None = None,
) -> Picture:
    """Draw a graph, as knowledge bases and results give it.

    centre: the node in the middle; without it the one at which most edges stand.
    most: how many nodes at most; first those to which the strongest edges lead from the centre.
    columns: the column of each node, from the left, with starts in the first and ends in the last;
        without it the centre is in the middle, what leads to it left, what it leads to right.

    Raises DrawError if there is nothing to draw, or if what draws it is not installed.

    >>> from networkx import MultiDiGraph
    >>> graph = MultiDiGraph()
    >>> graph.add_nodes_from([("a", {"kind": "rule"}), ("b", {"kind": "rule"})])
    >>> key = graph.add_edge("a", "b", kind="cites")
    >>> draw(graph)
    <a picture: nodes 2, edges 1>
    """
    font_file()
    if not graph:
        raise DrawError("there is nothing to draw: no node")
    strongest = _strongest(graph)
    if columns is None:
        outstanding = {centre or max(sorted(graph), key=graph.degree)}
        before = _nearest(strongest, outstanding, most)
        columns = columns_around(before, _outward(strongest, outstanding))
    else:
        outstanding = {node for node in graph if columns[node] in (0, max(columns.values()))}
        before = _nearest(strongest, {node for node in graph if not columns[node]}, most)
    lines = [line for line in strongest if {line.source, line.target} <= before.keys()]
    left_out = len(graph) - len(before)
    nodes = {node: graph.nodes[node] for node in before}
    figure = paint(nodes, columns, lines, outstanding, _more(left_out))
    return Picture(figure, len(before), len(lines), left_out)


def _more(left_out: int) -> str:
    what = "1 more node is" if left_out == 1 else f"{left_out} more nodes are"
    return f"{what} left out" if left_out else ""


def _strongest(graph: nx.MultiDiGraph[str]) -> list[DrawnEdge]:
    """For each two nodes the strongest edge between them, with how many there are."""
    found: dict[frozenset[str], DrawnEdge] = {}
    for source, target, data in graph.edges(data=True):
        if source != target:
            kind: EdgeKind = data["kind"]
            cost = COST[kind] + _NOT_LOADED * ("kind" not in graph.nodes[target])
            close = (data.get("details") or {}).get("relation") == "close"
            line = DrawnEdge(source, target, "close_concept" if close else kind, cost)
            pair = frozenset((source, target))
            known = found.get(pair, line._replace(number=0))
            best = min(known, line, key=lambda line: (line.cost, line.kind, line.source))
            found[pair] = best._replace(number=known.number + 1)
    return list(found.values())


def _outward(strongest: Iterable[DrawnEdge], centre: Collection[str]) -> set[str]:
    """What the centre leads to, or is said to be one with."""
    mutual = {
        line.source for line in strongest if line.target in centre and line.kind in UNDIRECTED
    }
    return mutual | {line.target for line in strongest if line.source in centre}


def _nearest(strongest: Iterable[DrawnEdge], starts: Iterable[str], most: int) -> dict[str, str]:
    """The nodes to which the strongest edges lead from some, these first; each with the node by
    which it is reached. Those of one kind in the order of their names."""
    around: dict[str, list[DrawnEdge]] = defaultdict(list)
    for line in strongest:
        around[line.source].append(line)
        around[line.target].append(line)
    kinds = list(EDGE_STYLES)
    reached = sorted((0, 0, 0, _natural(start), start, start) for start in starts)
    found: dict[str, tuple[int, int, list[tuple[int, str]], str]] = {}
    while reached and len(found) < most:
        cost, kind, _, name, node, before = heappop(reached)
        if node not in found:
            found[node] = cost, kind, name, before
            for line in around[node]:
                other = line.target if line.source == node else line.source
                rank = kinds.index(line.kind), -line.number, _natural(other)
                heappush(reached, (cost + line.cost, *rank, other, node))
    return {node: found[node][-1] for node in sorted(found, key=lambda node: found[node][:-1])}


def _natural(text: str) -> list[tuple[int, str]]:
    """Sorts 120.10 behind 120.9."""
    return [(int(digits or 0), other) for digits, other in re.findall(r"(\d+)|(\D+)", text)]
