"""Draw the surroundings of a node as a picture: select nodes and edges; save it as SVG or PNG.

Drawing needs matplotlib and a font with Japanese characters: `pip install 'sansho[draw]'`.
`layout` computes where boxes stand, `lettering` what is written in them; `paint` makes the figure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

from graphs.errors import DrawError, StoreError
from graphs.model import EdgeKind
from graphs.natural_order import NaturalKey, natural_key
from graphs.networkx_view import structured
from graphs.path_search import COST
from graphs.picture.layout import columns_around
from graphs.picture.lettering import font_file
from graphs.picture.paint import EDGE_STYLES, UNDIRECTED, DrawnEdge, paint
from graphs.store.atomic_file import open_output

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.figure import Figure

FORMATS = ("svg", "png")
_DPI = 110
_DRAWING = Lock()  # matplotlib's settings and fonts are the whole process's
_DANGLING_COST = 2  # what a dangling edge costs more than others


class LeftOut(Protocol):
    """Something that is left out, with its fields for JSON."""

    def as_json(self) -> dict[str, str]:
        """Return the fields by their names."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A picture of a graph. Notebooks display it; `save` writes it to a file.

    figure: the matplotlib figure
    nodes, edges: how many nodes and edges are drawn
    left_out: how many nodes of the graph are not drawn
    also: what else is left out, because it is not in the graph
    """

    figure: Figure
    nodes: int
    edges: int
    left_out: int
    also: Sequence[LeftOut] = ()

    def __repr__(self) -> str:
        more = f"; {_left_out_remark(self.left_out)}" if self.left_out else ""
        return f"<a picture: nodes {self.nodes}, edges {self.edges}{more}>"

    def _repr_png_(self) -> bytes:
        return self.as_bytes("png")

    def as_json(self) -> dict[str, Any]:
        """Return `{"nodes", "edges", "left_out", "also"}`, as `sansho draw --json` prints them.

        The first three are numbers, `also` is a list; the picture itself is not included.
        """
        also = [each.as_json() for each in self.also]
        return {
            "nodes": self.nodes, "edges": self.edges, "left_out": self.left_out, "also": also,
        }  # fmt: skip

    def as_bytes(self, form: str) -> bytes:
        """Return the content of an image file; `form` is `svg` or `png`.

        It has no date in it: the same graph gives the same bytes.
        """
        import matplotlib

        out = BytesIO()
        no_metadata = {"Date": None, "Creator": None} if form == "svg" else {"Software": None}
        # Characters are outlines in an SVG, so that it shows where the font is not installed.
        outlines = matplotlib.rc_context({"svg.hashsalt": "sansho", "svg.fonttype": "path"})
        with _DRAWING, outlines:
            self.figure.savefig(out, format=form, dpi=_DPI, metadata=no_metadata)
        return out.getvalue()

    def save(self, out: str | Path) -> None:
        """Write the picture to a file, in the format of the file's suffix: `.svg` or `.png`.

        An existing file is replaced when the new one is complete. Raises DrawError if the suffix
        is another, or if the file can't be written.
        """
        content = self.as_bytes(form_of(out))
        try:
            with open_output(out) as output:
                output.write(content)
        except StoreError as error:
            raise DrawError(str(error)) from error


def form_of(out: str | Path) -> str:
    """Return the image format of a file name, from its suffix.

    Raises DrawError if it is not one of FORMATS.

    out: the name or the path of a file, which need not exist; the suffix in any case

    >>> form_of("引く.SVG")
    'svg'
    """
    form = Path(out).suffix.removeprefix(".").lower()
    if form not in FORMATS:
        raise DrawError(f"{out}: a picture is .{' or .'.join(FORMATS)}; name the file so")
    return form


def draw(
    graph: nx.MultiDiGraph[str],
    centre: str | Iterable[str] | None = None,
    most: int = 24,
    columns: Mapping[str, int] | None = None,
) -> Picture:
    """Return a picture of a graph as `KnowledgeBase.graph` and the results' `graph` return it.

    centre: the id of the node in the middle, or the ids of several; if None, the node with the
        most edges. Ignored if there are `columns`.
    most: how many nodes are drawn at most: those that the strongest edges connect to the centre,
        or to the starts. Nodes that no edges connect to these are never drawn.
    columns: {id: column} of every node, from left to right: starts are in column 0 and ends in
        the last one. If None, the centre is in the middle, nodes that lead to it are on its left,
        and nodes that it leads to on its right.

    Raises DrawError if the graph is empty, or if matplotlib or the font is not installed.

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
    strongest = _strongest_edges(graph)
    if columns is None:
        centres = [centre] if isinstance(centre, str) else list(centre or ())
        highlighted = set(centres or [max(sorted(graph), key=graph.degree)])
        predecessors = _nearest_nodes(strongest, highlighted, most)
        columns = columns_around(predecessors, _outward_nodes(strongest, highlighted))
    else:
        highlighted = {node for node in graph if columns[node] in (0, max(columns.values()))}
        starts = {node for node in graph if not columns[node]}
        predecessors = _nearest_nodes(strongest, starts, most)
    edges = [edge for edge in strongest if {edge.source, edge.target} <= predecessors.keys()]
    left_out = len(graph) - len(predecessors)
    nodes = {node: graph.nodes[node] for node in predecessors}
    with _DRAWING:
        figure = paint(nodes, columns, edges, highlighted, _left_out_remark(left_out))
    return Picture(figure, len(predecessors), len(edges), left_out)


def _left_out_remark(left_out: int) -> str:
    """Return how many nodes are left out, in words; empty if none is."""
    what = "1 more node is" if left_out == 1 else f"{left_out} more nodes are"
    return f"{what} left out" if left_out else ""


def _strongest_edges(graph: nx.MultiDiGraph[str]) -> list[DrawnEdge]:
    """Return, for each pair of connected nodes, the edge that costs least and how many there are.

    Both directions count together. An edge costs what its kind costs in a path, and more if its
    target is not loaded. The kind of a `same_concept` whose relation is `close` is given as
    `close_concept`. Edges from a node to itself are ignored.

    graph: as `draw` takes it; a node without a `kind` counts as not loaded
    """
    strongest: dict[frozenset[str], DrawnEdge] = {}
    for source, target, data in graph.edges(data=True):
        if source != target:
            kind: EdgeKind = data["kind"]
            cost = COST[kind] + _DANGLING_COST * ("kind" not in graph.nodes[target])
            close = (structured(data, "details") or {}).get("relation") == "close"
            edge = DrawnEdge(source, target, "close_concept" if close else kind, cost)
            pair = frozenset((source, target))
            known = strongest.get(pair, edge._replace(number=0))
            best = min(known, edge, key=lambda edge: (edge.cost, edge.kind, edge.source))
            strongest[pair] = best._replace(number=known.number + 1)
    return list(strongest.values())


def _outward_nodes(edges: Iterable[DrawnEdge], centre: Collection[str]) -> set[str]:
    """Return the nodes to which edges lead from the centre; an undirected edge leads both ways.

    centre: the ids of one or more nodes
    """
    undirected = {
        edge.source for edge in edges if edge.target in centre and edge.kind in UNDIRECTED
    }
    return undirected | {edge.target for edge in edges if edge.source in centre}


def _nearest_nodes(edges: Iterable[DrawnEdge], starts: Iterable[str], most: int) -> dict[str, str]:
    """Return {node: its predecessor on the cheapest way from any start} of the nearest nodes.

    Nodes are sorted by what the way costs, then by the kind of the last edge, then by name. A
    start is its own predecessor. There are `most` nodes at most, starts included; edges are
    followed in both directions, and nodes that none connects to a start are left out.
    """
    edges_at: dict[str, list[DrawnEdge]] = defaultdict(list)
    for edge in edges:
        edges_at[edge.source].append(edge)
        edges_at[edge.target].append(edge)
    kinds = list(EDGE_STYLES)
    # (cost, kind of the last edge, minus the number of edges, sortable name, node, predecessor)
    queue = sorted((0, 0, 0, natural_key(start), start, start) for start in starts)
    reached: dict[str, tuple[int, int, NaturalKey, str]] = {}
    while queue and len(reached) < most:
        cost, kind, _, name, node, predecessor = heappop(queue)
        if node not in reached:
            reached[node] = cost, kind, name, predecessor
            for edge in edges_at[node]:
                other = edge.target if edge.source == node else edge.source
                rank = kinds.index(edge.kind), -edge.number, natural_key(other)
                heappush(queue, (cost + edge.cost, *rank, other, node))
    return {
        node: reached[node][-1] for node in sorted(reached, key=lambda node: reached[node][:-1])
    }
