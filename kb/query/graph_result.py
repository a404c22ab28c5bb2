"""Query results as graphs: networkx graphs and pictures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from graphs.model import Edge, Node
from graphs.store.titles import PageTitle

if TYPE_CHECKING:
    import networkx as nx

    from graphs.picture.picture import Picture


class GraphResult:
    """A mixin for results that are also graphs; a subclass defines `_nodes_and_edges`."""

    __slots__ = ()

    def _nodes_and_edges(self) -> tuple[Iterable[Node], Iterable[Edge]]:
        """Return (nodes, edges) of the graph, the node in the middle of a picture first.

        The edges may be dangling, with None as their target.
        """
        raise NotImplementedError

    def _columns(self) -> Mapping[str, int] | None:
        """Return {id of a node: its column in a picture, from the left}, or None for any layout."""
        return None

    def _pages(self) -> Mapping[str, PageTitle]:
        """Return the titles of the pages that nodes stand on, by id, as far as they are known."""
        return {}

    def graph(self, dangling: bool = False) -> nx.MultiDiGraph[str]:
        """Return the result for networkx, like `KnowledgeBase.graph` the whole graph: with the
        nodes' and edges' fields as attributes. `dangling` includes edges whose target is not
        loaded.

        >>> from kb import sample
        >>> graph = sample().path("121.2a", "616.1g", lang="ja", most=1).graph()
        >>> [(data["kind"], data["text"]) for _, _, data in graph.edges(data=True)]
        [('cites', 'rule 616.1g')]
        >>> [fields["number"] for _, fields in graph.nodes(data=True)]
        ['121.2a', '616.1g']
        """
        from graphs.networkx_view import as_networkx

        return as_networkx(*self._nodes_and_edges(), dangling)

    def draw(self, most: int = 24) -> Picture:
        """Return a picture of the result with at most `most` nodes; targets that are not loaded
        are dashed.

        >>> from kb import sample
        >>> sample().path("121.2a", "616.1g", lang="ja", most=1).draw()
        <a picture: nodes 2, edges 1>
        """
        from graphs.picture.draw import draw
        from kb.query.picture_places import set_places

        graph = self.graph(dangling=True)
        set_places(graph, self._nodes_and_edges()[0], self._pages())
        return draw(graph, next(iter(graph), None), most, self._columns())
