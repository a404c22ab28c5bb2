"""Finds the cheapest paths between two nodes; results as graphs, for networkx and pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphs.model import Edge, Node, page_and_section
from graphs.networkx_view import storable
from graphs.picture.scene import edition_date
from graphs.store.reader import Store
from graphs.store.titles import PageTitle, page_name, page_titles
from graphs.walks import paths
from kb.query.lookup.arguments import MOST_PATHS
from kb.query.lookup.cursor import longer_list
from kb.query.lookup.named_nodes import NamedThings
from kb.query.lookup.preferred_names import LISTS
from kb.query.refs.grouped_edges import ON_NO_PAGE
from kb.reason import LeftOut, Reason
from kb.result import UNREPORTED, ListResult, columns

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
        """Return a picture of at most `most` nodes of the result, those nearest to its first node
        or to where paths start; what no edges join to these is left out. Targets that are not
        loaded are dashed. Raises DrawError if the result has no nodes.

        >>> from kb import sample
        >>> sample().path("121.2a", "616.1g", lang="ja").draw(most=2)
        <a picture: nodes 2, edges 1; 2 more nodes are left out>
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
    are not the same for all rules. A list of names is called by its source, its title being an id.
    Others get none; of a page its name is the `label`.

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
        elif node.kind == "page":
            graph.nodes[storable(node.id)]["label"] = page_name(node) or node.id
            continue
        elif node.kind in ON_NO_PAGE:
            continue
        elif page is None:
            section = node.section_title
            parts = [section or page_and_section(node.id)[0]]
        else:
            section = node.section_title
            section = "" if node.kind == "section" or section == page.title else section
            title = page.source if page.source == LISTS else page.title
            title = None if section and page.edition else title  # a rulebook's is long
            name = " › ".join(part for part in (title, section) if part)
            edition = edition_date(node.edition or page.edition)
            parts = [name, page.lang if page.edition else None, edition]
        if place := " · ".join(part for part in parts if part):
            graph.nodes[storable(node.id)]["place"] = place


@dataclass(frozen=True, slots=True, repr=False)
class Paths(ListResult[tuple[Node | Edge, ...]], GraphResult, items="paths", item="path"):
    """Paths between two nodes, cheapest first. Those that differ only by edition or language are
    one.

    paths: each path as node, edge, node, …, node, in the newest edition in which it is cheapest.
    costs: the cost of each path, in the same order.
    editions: for each path, and each node of it, the editions in which the path goes through it,
        the oldest first; empty for a node without an edition.
    languages: the same for languages, that of the node in `paths` first.
    more: how to get further paths, if there are any that are not much dearer; else None.
    also: what the two references name besides the ends of these paths, and how to ask for it.
    pages: the titles of the pages that passages, sections and so on stand on, by the page's id.
    """

    paths: tuple[tuple[Node | Edge, ...], ...]
    costs: tuple[int, ...]
    editions: tuple[tuple[tuple[str, ...], ...], ...] = ()
    languages: tuple[tuple[tuple[str, ...], ...], ...] = ()
    more: Reason | None = None
    also: tuple[LeftOut, ...] = ()
    pages: Mapping[str, PageTitle] = field(default_factory=dict, metadata=UNREPORTED)

    _COLUMNS = columns("path cost source kind target words")

    def page_of(self, node: Node) -> PageTitle | None:
        """Return the title of the page that a node of a path stands on; None for a page itself, and
        for what stands on no single page, such as rules and terms."""
        stands_on_page = node.kind != "page" and node.kind not in ON_NO_PAGE
        return self.pages.get(page_and_section(node.id)[0]) if stands_on_page else None

    def _rows(self) -> Iterator[Mapping[str, object]]:
        for number, (path, cost) in enumerate(zip(self.paths, self.costs, strict=True), 1):
            for edge in path:
                if isinstance(edge, Edge):
                    yield {
                        "path": number,
                        "cost": cost,
                        "source": edge.source,
                        "kind": edge.kind,
                        "target": edge.target or edge.target_label,
                        "words": edge.evidence.text,
                    }

    def _nodes_and_edges(self) -> tuple[Iterable[Node], Iterable[Edge]]:
        steps = [step for path in self.paths for step in path]
        nodes = [step for step in steps if isinstance(step, Node)]
        return nodes, [step for step in steps if isinstance(step, Edge)]

    def _pages(self) -> Mapping[str, PageTitle]:
        return self.pages

    def _columns(self) -> Mapping[str, int]:
        """Return {name of a node in the graph: its column, from 0}: its rightmost position in any
        path, counted in nodes, and for the ends the last column.

        Objects in a path that are no `Node` have no column. Without paths the result is empty.
        """
        columns: dict[str, int] = {}
        for path in self.paths:
            for position, node in enumerate(path[::2]):
                if isinstance(node, Node):
                    name = storable(node.id)
                    columns[name] = max(position, columns.get(name, 0))
        last = max(columns.values(), default=0)
        return columns | {
            storable(path[-1].id): last for path in self.paths if isinstance(path[-1], Node)
        }


def path(store: Store, start: NamedThings, end: NamedThings, most: int) -> Paths:
    """Return at most `most` paths from any of some nodes to any of others, cheapest first.

    start, end: what the two references name: a path may begin and end at any of the nodes.

    Edges are followed in both directions. Paths that cost much more than the cheapest are left
    out; there are none if no path was found. `also` has what the references name besides, of the
    start first.
    """
    starts, ends = ([node.id for node in named.nodes] for named in (start, end))
    found = paths(store, starts, ends, most + 1)
    shown = found[:most]
    also: dict[LeftOut, None] = {}
    for named, index in ((start, 0), (end, -1)):
        taken = {step.id for path in shown if isinstance(step := path.steps[index], Node)}
        also |= dict.fromkeys(named.left_out(taken))
    return Paths(
        tuple(tuple(path.steps) for path in shown),
        tuple(path.cost for path in shown),
        tuple(path.editions for path in shown),
        tuple(path.languages for path in shown),
        longer_list(2 * most, most, MOST_PATHS) if len(found) > most else None,
        tuple(also),
        page_titles(store.db, _pages_of(step for path in shown for step in path.steps)),
    )


def _pages_of(steps: Iterable[Node | Edge]) -> set[str]:
    """Return the ids of the pages that the nodes among some steps stand on, or are; rules, terms
    and the like, which stand on none, are left out."""
    nodes = (step for step in steps if isinstance(step, Node))
    return {page_and_section(node.id)[0] for node in nodes if node.kind not in ON_NO_PAGE}
