"""Says where the nodes of a picture stand: the page's title, and edition and language where the
nodes differ in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from graphs.model import Node, page_and_section
from graphs.networkx_view import storable
from graphs.picture.edition_date import edition_date
from graphs.store.titles import PageTitle
from kb.query.references import ON_NO_PAGE

if TYPE_CHECKING:
    import networkx as nx


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
    rules = [node for node in known if node.kind == "rule"]
    several_editions = len({rule.edition for rule in rules}) > 1
    several_languages = len({rule.lang for rule in rules}) > 1
    for node in known:
        page = pages.get(page_and_section(node.id)[0])
        if node.kind == "rule":
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
