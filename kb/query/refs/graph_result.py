"""Query results as graphs: networkx graphs and pictures, whose nodes say where they stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from graphs.model import Edge, Node, page_and_section
from graphs.networkx_view import storable
from graphs.picture.edition_date import edition_date
from graphs.store.titles import PageTitle
from kb.query.refs.grouped_edges import ON_NO_PAGE

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
        """Return the titles of the pages that nodes stand on, by the page's id, as far as they are
        known; here none."""
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

        graph = self.graph(dangling=True)
        set_places(graph, self._nodes_and_edges()[0], self._pages())
        return draw(graph, next(iter(graph), None), most, self._columns())


def set_places(
    graph: nx.MultiDiGraph[str], nodes: Iterable[Node], pages: Mapping[str, PageTitle]
) -> None:
    """Set the attribute `place` of the nodes of a graph that is to be drawn.

    What stands on a page gets its title and section, of a rulebook the section alone, and of a page
    that is not among `pages` the section, or its id; rules get their edition and language if these
    are not the same for all rules. Others get none.

    nodes: of the graph. pages: the titles of the pages that they stand on, by id.
    """
    known = [node for node in nodes if storable(node.id) in graph]
    rules = [node for node in known if node.series]
    several_editions = len({rule.edition for rule in rules}) > 1
    several_languages = len({rule.lang for rule in rules}) > 1
    for node in known:
        page = pages.get(page_and_section(node.id)[0])
        if node.series:
            parts = [edition_date(node.edition) if several_editions else None]
            parts += [node.lang if several_languages else None]
        elif node.kind == "page" or node.kind in ON_NO_PAGE:
            continue
        elif page is None:
            section = node.section_title
            parts = [section or page_and_section(node.id)[0]]
        else:
            section = node.section_title
            section = "" if node.kind == "section" or section == page.title else section
            title = None if section and page.edition else page.title  # a rulebook's is long
            name = " › ".join(part for part in (title, section) if part)
            edition = edition_date(node.edition or page.edition)
            parts = [name, page.lang if page.edition else None, edition]
        if place := " · ".join(part for part in parts if part):
            graph.nodes[storable(node.id)]["place"] = place
