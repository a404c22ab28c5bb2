"""Results as graphs: as networkx knows them, and as pictures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from graphs.model import Edge, Node

if TYPE_CHECKING:
    import networkx as nx

    from graphs.picture.draw import Picture


class GraphResult:
    """A result that is also a graph: it says its nodes and edges, the rest follows."""

    __slots__ = ()

    def _nodes_and_edges(self) -> tuple[Iterable[Node], Iterable[Edge]]:
        """What the graph consists of, the node that stands in the middle first."""
        raise NotImplementedError

    def _columns(self) -> Mapping[str, int] | None:
        """Where the nodes of a picture stand from left to right, if the result says so."""
        return None

    def graph(self, dangling: bool = False) -> nx.MultiDiGraph[str]:
        """The result as `KnowledgeBase.graph` gives the whole: nodes with their fields, edges with
        their kind and the words that they rest on; `dangling` ones too, if asked for.

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
        """The result as a picture, of `most` nodes at most; what is not loaded is there, dashed.

        Raises DrawError where `pip install 'sansho[draw]'` is wanting.

        >>> from kb import sample
        >>> sample().path("121.2a", "616.1g", lang="ja", most=1).draw()
        <a picture: nodes 2, edges 1>
        """
        from graphs.picture.draw import draw

        graph = self.graph(dangling=True)
        return draw(graph, next(iter(graph), None), most, self._columns())
