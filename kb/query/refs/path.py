"""Finds the cheapest paths between two nodes; results as graphs, for networkx and pictures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from graphs.model import Edge, Node, page_and_section
from graphs.networkx_view import storable
from graphs.picture.scene import edition_date
from graphs.sort_orders import edition_key, language_key
from graphs.store.passage_index import PassageFilter
from graphs.store.reader import Store
from graphs.store.rule_versions import book_rows
from graphs.store.titles import PageTitle, page_name, page_titles
from graphs.walks import paths
from kb.language.fold import fold
from kb.query.lookup.arguments import MOST_PATHS
from kb.query.lookup.common_filters import Scope
from kb.query.lookup.cursor import longer_list
from kb.query.lookup.find_by_reference import resolve_edition
from kb.query.lookup.named_nodes import NamedThings
from kb.query.lookup.preferred_names import LISTS
from kb.query.refs.grouped_edges import ON_NO_PAGE
from kb.reason import Ask, LeftOut, Reason
from kb.result import ID_ALONE, UNREPORTED, ListResult, columns
from scraper.rulebook.documents_beside_rulebook import document_of_edition

_WORD = re.compile("[a-z0-9]+")
_MOST_TOGETHER = (
    500  # passages, by hand: what stands together in more tells nothing; a guard of time
)
_NOT_STATED = ("reading", "proposed", "listed")  # roles of names

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
    also: where names of both ends stand in one rule, of languages in whose texts names are no
        edges; what the two references name besides the ends of these paths; and how to ask for it.
    pages: the titles of the pages that passages, sections and so on stand on, by the page's id.
    lists: for each path the page or section that is all that connects two of its nodes, as both are
        in it, such as a list of names, or the rule that both ends are parts of, such as a chapter;
        else None. Such paths come last.
    """

    paths: tuple[tuple[Node | Edge, ...], ...]
    costs: tuple[int, ...]
    editions: tuple[tuple[tuple[str, ...], ...], ...] = ()
    languages: tuple[tuple[tuple[str, ...], ...], ...] = ()
    more: Reason | None = None
    also: tuple[LeftOut, ...] = ()
    pages: Mapping[str, PageTitle] = field(default_factory=dict, metadata=UNREPORTED)
    lists: tuple[Node | None, ...] = field(default=(), metadata=ID_ALONE)

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


def path(store: Store, start: NamedThings, end: NamedThings, most: int, scope: Scope) -> Paths:
    """Return at most `most` paths from any of some nodes to any of others, cheapest first, those
    that only lead through a list that both stand in last.

    start, end: what the two references name: a path may begin and end at any of the nodes.
    scope: of its edition are paths, if it has one. Else they are of the newest edition of each
        game, in the scope's language, and of that of an end that is not in it; if there are none,
        of any edition.

    Edges are followed in both directions. Paths that cost much more than the cheapest are left
    out; there are none if no path was found. `also` has what the references name besides, of the
    start first, behind the rules in which names of both stand together.
    """
    starts, ends = ([node.id for node in named.nodes] for named in (start, end))
    most_found = 2 * most + 1  # as those through lists may be among the first
    if scope.edition:
        edition = resolve_edition(store, scope.edition, scope.game)
        found = paths(store, starts, ends, most_found, lambda _, each: each == edition, False)
    else:
        newest = _newest_editions(store, (start.nodes, end.nodes), scope.lang)
        found = paths(store, starts, ends, most_found, lambda *each: each in newest)
        found = found or paths(store, starts, ends, most_found)
    lists = [_list_between(path.steps) for path in found]
    order = sorted(range(len(found)), key=lambda place: lists[place] is not None)
    found, lists = [found[place] for place in order], [lists[place] for place in order]
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
        (*_together(store, start, end, scope), *also),
        page_titles(store.db, _pages_of(step for path in shown for step in path.steps)),
        tuple(lists[:most]),
    )


def _together(
    store: Store, start: NamedThings, end: NamedThings, scope: Scope
) -> Iterator[LeftOut]:
    """Yield in how many rules the names of both ends stand together, and the search for these, in
    English or another language of Latin letters: in their texts no mentions are recorded, so that
    no path leads through them. A rule counts once, whatever its editions. Nothing for names that
    stand in no rule together, or in very many."""
    names, others = _names(start), _names(end)
    for lang in sorted(names.keys() & others.keys(), key=language_key):
        (name, game), (other, of_other) = names[lang], others[lang]
        is_latin = name.isascii() and other.isascii()  # else the tokenizer would be needed
        if not is_latin or game != of_other or name == other or scope.lang not in (None, lang):
            continue
        phrases = [" ".join(_WORD.findall(each.lower())) for each in (name, other)]
        query = " AND ".join(f'"{phrase}"' for phrase in phrases)
        narrow = PassageFilter(game, scope.source, scope.edition, lang, kind="rule")
        found = store.passages.occurrences(query, narrow) if all(phrases) else iter(())
        ids = [rule for _, rule, _ in islice(found, _MOST_TOGETHER + 1) if rule]
        if len(ids) > _MOST_TOGETHER:
            continue
        rules = list(store.get(ids).values())
        newest = max((rule.edition for rule in rules), key=edition_key, default=None)
        number = len({rule.rule for rule in rules})
        rules = [rule for rule in rules if rule.edition == newest]
        if rules:
            such = min(rules, key=lambda rule: len(rule.text or "")).number
            words = " ".join(f'"{each}"' if " " in each else each for each in (name, other))
            ask = Ask("search", text=words, kind="rule", game=game, edition=scope.edition)
            yield LeftOut(None, Reason("stand_together", ask, rules=number, rule=such))
            return


def _names(named: NamedThings) -> dict[str, tuple[str, str | None]]:
    """Return {language: (name, game)} of the terms, cards and headings that a reference names: of
    each language the name that was typed, or else the first that is neither a reading nor only
    proposed."""
    names: list[tuple[str, str, str | None]] = []
    for node in named.nodes:
        if node.kind == "rule" and node.lang and node.label:
            names.append((node.lang, node.label, node.game))
        if node.kind in ("term", "card"):
            stated = (each for each in node.labels if each.role not in _NOT_STATED)
            names += ((each.lang, each.text, node.game) for each in stated)
    names.sort(key=lambda each: fold(each[1]) != fold(named.ref))
    return {lang: (name, game) for lang, name, game in reversed(names)}


def _newest_editions(
    store: Store, ends: Iterable[Iterable[Node]], lang: str | None
) -> set[tuple[str | None, str]]:
    """Return (game, edition) of the newest edition of each game, and of the newest of its documents
    of each kind, in a language or in any; and of the newest of an end that is in none of these.

    ends: what a path may begin at, and end at.
    """
    newest = {
        (book.game, document_of_edition(book.edition)): book.edition
        for book in book_rows(store)
        if lang in (None, book.lang)
    }
    found: set[tuple[str | None, str]] = {(game, edition) for (game, _), edition in newest.items()}
    for nodes in ends:
        dated = [(node.game, node.edition) for node in nodes if node.edition]
        if dated and found.isdisjoint(dated):
            found.add(max(dated, key=lambda each: edition_key(each[1])))
    return found


def _list_between(steps: Sequence[Node | Edge]) -> Node | None:
    """Return the page, or the section of one, of which a path only says that two of its nodes are
    both in it, such as a list of names; or the rule that both its ends are parts of, if it only
    leads up to that and down again; None for other paths."""
    kinds = [step.kind for step in steps]
    is_within = set(kinds[1::2]) == {"part_of"}
    for place in range(1, len(steps) - 3, 2):
        node = steps[place + 1]
        if kinds[place] == kinds[place + 2] == "part_of" and isinstance(node, Node):
            is_above = all(
                isinstance(edge, Edge) and edge.target == node.id
                for edge in (steps[place], steps[place + 2])
            )
            if is_above and (node.kind in ("page", "section") or is_within):
                return node
    return None


def _pages_of(steps: Iterable[Node | Edge]) -> set[str]:
    """Return the ids of the pages that the nodes among some steps stand on, or are; rules, terms
    and the like, which stand on none, are left out."""
    nodes = (step for step in steps if isinstance(step, Node))
    return {page_and_section(node.id)[0] for node in nodes if node.kind not in ON_NO_PAGE}
