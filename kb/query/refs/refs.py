"""Lists the edges at a node, and those that are more steps away; in parts, the strongest first."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, cast

from graphs.model import STRENGTH, Edge, EdgeKind, Node, page_and_section
from graphs.sort_orders import edition_key
from graphs.store.edges import (
    BoundedEdges,
    EdgePlace,
    EdgeRun,
    End,
    count_edges,
    count_edges_elsewhere,
    count_edges_of_each,
    edges_behind,
)
from graphs.store.reader import Store
from graphs.store.rule_versions import versions_of
from graphs.store.titles import PageTitle, inherited_headings, page_titles
from graphs.walks import Ring, closure
from kb.query.lookup.arguments import Direction
from kb.query.lookup.cursor import cursor_place, next_part, not_of_this_list
from kb.query.lookup.named_nodes import NamedNodes
from kb.query.lookup.passage_places import find_entries
from kb.query.refs.grouped_edges import (
    CONTAINMENT,
    ON_NO_PAGE,
    Reference,
    ReferenceGroup,
    group_by_far_end,
    group_references,
    leads_inward,
    linked_mentions,
    text_without_mentions,
)
from kb.query.refs.path import GraphResult, set_places
from kb.reason import Ask, LeftOut, Reason, again
from kb.result import UNREPORTED, ListResult, columns

_DEFAULT_LANG = "ja"  # of a rule around what has no language

if TYPE_CHECKING:
    from graphs.picture.picture import Picture


@dataclass(frozen=True, slots=True, repr=False)
class Refs(ListResult[Edge], GraphResult, items="edges", item="edge"):
    """The edges at a node, in all its editions and languages.

    node: the likeliest node that the reference names.
    edges: the edges of all named nodes, nearer ones first.
    depths: how many steps away each edge is, from 1, in the same order.
    inward: whether each edge leads to its end that is nearer to the node, in the same order. Of
        those from one part of the node to another, False, unless only edges into it were asked for.
    nodes: the nodes at the ends of all these edges, by id.
    parts: if the node was taken together with its parts (a rule's sub-rules, a page's passages),
        the `part_of` and `quotes` edges that join these parts, for a graph or a picture; none if
        the edges were asked for in parts.
    named: all nodes that are answered: `node`, and the same thing in other editions and languages.
    also: what else the reference names, and how to ask for it.
    centre: the ids of the named nodes and, where they were taken with them, of their parts.
    direction, kinds: those that were asked for.
    pages: the titles of the pages that passages, sections and so on among `nodes` stand on, by id.
    headings: for rules without a heading, that of the nearest rule above, by id; for passages that
        are entries of a glossary, the headword.
    counts: if the edges were asked for in parts, how many there are of each kind in each direction,
        `out` and `in`, whatever `direction` and `kinds` are; else None.
    more: what to give as `after` for the next part; None if there is no more.
    unread: for a picture, for which only the strongest edges are read: how many others there are,
        by their kind. Empty otherwise.
    """

    node: Node
    edges: tuple[Edge, ...]
    depths: tuple[int, ...]
    inward: tuple[bool, ...] = field(metadata=UNREPORTED)
    nodes: Mapping[str, Node] = field(metadata=UNREPORTED)
    parts: tuple[Edge, ...] = field(default=(), metadata=UNREPORTED)
    named: tuple[Node, ...] = ()
    also: tuple[LeftOut, ...] = ()
    centre: frozenset[str] = field(default=frozenset(), metadata=UNREPORTED)
    direction: Direction = field(default="both", metadata=UNREPORTED)
    kinds: tuple[str, ...] = field(default=(), metadata=UNREPORTED)
    pages: Mapping[str, PageTitle] = field(default_factory=dict, metadata=UNREPORTED)
    headings: Mapping[str, str] = field(default_factory=dict, metadata=UNREPORTED)
    counts: Mapping[str, Mapping[str, int]] | None = None
    more: Reason | None = None
    unread: Mapping[str, int] = field(default_factory=dict, metadata=UNREPORTED)

    _COLUMNS = columns(
        "depth kind source source_number source_label target target_number target_label status "
        "words passage notice"
    )

    def _rows(self) -> Iterator[Mapping[str, object]]:
        for edge, depth in zip(self.edges, self.depths, strict=True):
            source, target = self.nodes.get(edge.source), self.nodes.get(edge.target or "")
            yield {
                "depth": depth,
                "kind": edge.kind,
                "source": edge.source,
                "source_number": source and source.number,
                "source_label": source and (source.label or self.headings.get(source.id)),
                "target": edge.target,
                "target_number": target and target.number,
                "target_label": (target and target.label) or edge.target_label,
                "status": edge.status,
                "words": edge.evidence.text,
                "passage": edge.evidence.passage,
                "notice": source and source.notice,
            }

    def _about(self) -> str:
        return f"of {self.node.number or self.node.label or self.node.id}"

    def references(self, everything: bool = False, lang: str | None = None) -> list[Reference]:
        """Return the edges as people read them: those that differ only by edition as one, in the
        order of kinds, numbers and titles.

        everything: also containment (`part_of`, `quotes`), mentions that are links as well, and
            what the node says of itself. These are left out otherwise; containment is not if
            `kinds` names it.
        lang: whose words are shown of a rule that refers in several languages, though another has
            a newer edition; by default the newest edition's, in the language of `node` if it can
            be.

        Of edges that were asked for in parts, only those of the same part are compared: a mention
        that is a link in another part is shown, and the editions of a reference are those of the
        part.

        >>> from kb import sample
        >>> found = sample().refs("121.4", lang="ja", direction="out").references()
        >>> found[0].other.number, found[0].edge.evidence.text
        ('704', 'rule 704')
        """
        links = set() if everything else linked_mentions(self.edges)
        shown = (
            (edge, depth, inward)
            for edge, depth, inward in zip(self.edges, self.depths, self.inward, strict=True)
            if everything or (self._is_shown(edge) and edge not in links)
        )
        of = lang or self.node.lang or _DEFAULT_LANG
        return group_references(shown, self.nodes, self.pages, self.headings, of, lang is not None)

    def groups(self, everything: bool = False, lang: str | None = None) -> list[ReferenceGroup]:
        """Return `references` as lines that a person reads: those at one rule, term or page
        together, and its mentions with its links unless `kinds` names mentions alone.

        >>> from kb import sample
        >>> [(group.first.other.number, group.times) for group in sample().refs(
        ...     "704", lang="ja", direction="in", kinds="cites", with_parts=True).groups()][:2]
        [('104.3b', 1), ('104.3c', 1)]
        """
        return group_by_far_end(self.references(everything, lang), self.headings)

    def groups_within(self) -> list[ReferenceGroup]:
        """Return, in lines as `groups` does, what one part of the node says of another, which
        `references` leaves out; empty without parts.

        >>> from kb import sample
        >>> found = sample().refs("704", lang="ja", direction="in", with_parts=True)
        >>> [(one.first.other.number, one.near[0].near.number) for one in found.groups_within()]
        []
        """
        edges = [edge for edge in self.self_references() if edge.kind not in CONTAINMENT]
        across = ((edge, 1, True) for edge in edges if edge.source != edge.target)
        lang = self.node.lang or _DEFAULT_LANG
        found = group_references(across, self.nodes, self.pages, self.headings, lang)
        return group_by_far_end(found, self.headings)

    def self_references(self) -> list[Edge]:
        """Return the edges that `references` leaves out, in their order: containment unless `kinds`
        names it, those that lead from the node, or a part that it was taken with, to itself, and
        translations between versions of one rule. Mentions that are links are not among them."""
        return [edge for edge in self.edges if not self._is_shown(edge)]

    def linked_mentions(self) -> int:
        """Return how many mentions `references` leaves out because they are links as well."""
        return len(linked_mentions(self.edges))

    def _is_shown(self, edge: Edge) -> bool:
        """Return whether `references` has an edge even if it does not return everything: not
        containment that `kinds` does not name, nor what leads from the node to itself, nor
        translations between versions of one rule elsewhere."""
        if edge.kind in CONTAINMENT:
            return edge.kind in self.kinds
        asked = [end in self.centre for end in (edge.source, edge.target)]
        if edge.kind == "translates" and not any(asked):
            ends = (self.nodes.get(end or "") for end in (edge.source, edge.target))
            rules = {node.rule if node else None for node in ends}
            return len(rules) > 1 or None in rules  # versions of a rule farther away are one line
        return not all(asked)

    def asked_counts(self) -> Iterator[tuple[str, str, int]]:
        """Yield (direction, kind, number) of `counts`, for the directions and kinds that were asked
        for; without kinds, all but containment. Nothing if the edges were not asked for in
        parts."""
        for end, counts in (self.counts or {}).items():
            for kind, number in counts.items():
                is_asked = kind in self.kinds if self.kinds else kind not in CONTAINMENT
                if self.direction in (end, "both") and is_asked:
                    yield end, kind, number

    def _nodes_and_edges(self) -> tuple[Iterable[Node], Iterable[Edge]]:
        named = self.named or (self.node,)
        return [*named, *self.nodes.values()], (*self.edges, *self.parts)

    def draw(self, most: int = 24) -> Picture:
        """Return a picture of the named nodes and those around them, with at most `most` nodes. A
        rule stands once for all its editions. Targets that are not loaded are dashed.
        """
        from graphs.networkx_view import as_networkx, storable
        from graphs.picture.draw import draw
        from graphs.picture.scene import Said

        nodes, edges, stands_for = merge_editions(
            *self._nodes_and_edges(), self.pages, self.node.lang or _DEFAULT_LANG
        )
        centres = dict.fromkeys(storable(stands_for[node.id]) for node in self.named)
        graph = as_networkx(nodes, edges, dangling=True)
        set_places(graph, nodes, self.pages)
        unread = tuple(
            Said("{number} {kind}", {"number": number, "kind": kind})
            for kind, number in sorted(self.unread.items())
        )
        remark = Said("edges that were not read: {unread}", {"unread": unread})
        picture = draw(graph, centres, most, remarks=[remark] if unread else ())
        return replace(picture, also=(*self.also, *self._not_read()))

    def _not_read(self) -> Iterator[LeftOut]:
        """Yield the kinds of edges of which not all were read, sorted by name, with how many were
        not and how to ask for them."""
        asked = again(without=("most", "game", "edition", "lang", "source")).arguments
        for kind, number in sorted(self.unread.items()):
            # To what is farther away, edges of other kinds may lead.
            of_kind = {"kinds": kind} if asked.get("depth", 1) == 1 else {}
            ask = Ask("refs", **{**asked, **of_kind, "ref": self.node.id})
            yield LeftOut(None, Reason("edges_not_read", ask, kind=kind, number=number))


class FoundEdge(NamedTuple):
    """An edge, how many steps away it is, and whether it leads to its nearer end."""

    edge: Edge
    depth: int
    inward: bool


def refs(
    store: Store,
    asked: NamedNodes,
    direction: Direction,
    kinds: tuple[str, ...],
    depth: int,
    with_parts: bool,
    most: int | None = None,
) -> Refs:
    """Return the edges at the nodes that a reference names; for a page or section those of all its
    parts.

    direction: `in` (edges whose target is a named node), `out` (whose source it is) or `both`.
    kinds: only edges of these kinds; all kinds if empty.
    depth: how many steps to follow, 1 for the nodes' own edges; a page's or section's edges are
        followed one step only.
    with_parts: take rules together with their sub-rules. Their `part_of` edges are then left out
        of `edges` unless `kinds` names them.
    most: how many edges are read at most at each step, the strongest first; None for all of them.
    """
    named = asked.nodes
    centre = {node.id for node in named}
    bounded = BoundedEdges(store, most) if most else None
    followed = kinds
    if bounded and (is_page(named[0]) or with_parts):
        # What is left out afterwards must not fill the bound.
        followed = kinds or tuple(kind for kind in STRENGTH if kind != "part_of")
    if is_page(named[0]):
        inside = [store.contents(node.id) for node in named]
        of_parts = (
            edge
            for part in inside
            for edge in _page_edges(bounded or store, *part, direction, followed)
        )
        centre = {end for part in inside for ids in part for end in ids}
        rings = [Ring(centre, list(dict.fromkeys(of_parts)))]
    else:
        starts = [node.id for node in named]
        if with_parts:
            starts += _parts_elsewhere(store, named)
            centre = set(store.with_sub_rules(starts))
        rings = list(closure(bounded or store, starts, depth, direction, followed, with_parts))
    found_edges = [
        FoundEdge(edge, steps, leads_inward(edge, direction, ring.nodes))
        for steps, ring in enumerate(rings, 1)
        for edge in ring.edges
    ]
    parts: tuple[Edge, ...] = ()
    if with_parts or is_page(named[0]):
        edges = [each.edge for each in found_edges]
        parts = _joining_edges(store, {node.id for node in named}, edges)
    found = with_ends(store, asked, found_edges, centre, direction, kinds, parts)
    return replace(found, unread=dict(bounded.unread)) if bounded else found


def with_ends(
    store: Store,
    asked: NamedNodes,
    found: Sequence[FoundEdge],
    centre: Iterable[str],
    direction: Direction,
    kinds: tuple[str, ...],
    parts: tuple[Edge, ...] = (),
) -> Refs:
    """Return edges with the nodes at their ends, and what a reader must know of these.

    centre: the ids of the named nodes, and of their parts if these count as they do.
    parts: the edges that join these parts.
    """
    named = asked.nodes
    edges = tuple(each.edge for each in found)
    ends = {end for edge in (*edges, *parts) for end in (edge.source, edge.target) if end}
    nodes = store.get(sorted(ends))  # neighbours in the file are read together
    return Refs(
        named[0],
        edges,
        tuple(each.depth for each in found),
        tuple(each.inward for each in found),
        nodes,
        parts,
        named,
        (*asked.also, *_unsearched(store, named[0], direction, kinds)),
        frozenset(centre),
        direction,
        kinds,
        page_titles(store.db, sorted(_pages_of_ends(edges, nodes))),
        _headings(store, nodes),
    )


def is_page(node: Node) -> bool:
    """Return whether the edges of a node are those of all its parts: of a page or a section."""
    return node.kind in {"page", "section"}


def has_references(
    store: Store,
    named: Iterable[Node],
    direction: Direction,
    kinds: tuple[str, ...],
    with_parts: bool,
) -> bool:
    """Return whether `refs` finds any edges between some nodes and others, as they are shown: with
    containment only if `kinds` names it. Those of pages are not looked for, but supposed.

    direction, kinds, with_parts: as for `refs`.
    """
    nodes = list(named)
    if is_page(nodes[0]):
        return True
    ids = [node.id for node in nodes]
    parts = store.with_sub_rules(ids) if with_parts else ids
    keys = set(store.keys(parts))

    def leads_elsewhere(kind: str, end: End) -> bool:
        pairs = list(store.neighbour_pairs(keys, cast(EdgeKind, kind), end == "out"))
        return not pairs or any(other not in keys for _, other in pairs)  # dangling ones: no pairs

    ends: tuple[End, ...] = ("out", "in")
    return any(
        leads_elsewhere(kind, end)
        for end in ends
        if direction in (end, "both")
        for kind in count_edges(store, keys, end)
        if kind in (kinds or STRENGTH.keys() - CONTAINMENT)
    )


def _unsearched(
    store: Store, node: Node, direction: Direction, kinds: tuple[str, ...]
) -> tuple[LeftOut, ...]:
    """Return one entry for the text in which no mentions of a term or card are looked for, if
    mentions of it are asked for and there is such text; else none."""
    if direction == "out" or (kinds and "mentions" not in kinds):
        return ()
    if node.kind not in ("term", "card"):
        return ()
    return text_without_mentions(store, node.game, node)


def _pages_of_ends(edges: Iterable[Edge], nodes: Mapping[str, Node]) -> set[str]:
    """Return the ids of the pages that the loaded ends of edges stand on, as far as they stand on
    any; the source of an edge stands on the page of its evidence."""
    on_pages = {node.id for node in nodes.values() if node.kind not in ON_NO_PAGE}
    of_sources = {edge.evidence.page for edge in edges if edge.source in on_pages}
    return of_sources | {
        page_and_section(edge.target)[0]
        for edge in edges
        if edge.target and edge.target in on_pages
    }


def _headings(store: Store, nodes: Mapping[str, Node]) -> dict[str, str]:
    """Return the headings above rules without one, and the headwords of glossary entries, by the
    ids of rules and passages; those that have none are left out."""
    passages = [
        node.id
        for node in nodes.values()
        if node.kind == "passage" and node.source == "rulebook" and not node.number
    ]
    bare = [node.id for node in nodes.values() if node.series and not node.label]
    return inherited_headings(store.db, bare) | find_entries(store, passages)


def _joining_edges(store: Store, named: set[str], edges: Sequence[Edge]) -> tuple[Edge, ...]:
    """Return what joins the parts of some nodes that are at edges or hold their evidence: the
    `part_of` edges on the way from each up to the nearest other one, if there is one, and the
    `quotes` edges between them.

    named: the ids of the nodes, which are joined to their parts, too.

    If a node on the way has several `part_of` edges, only the first is followed. No edge occurs
    twice.
    """
    ends = {end for edge in edges for end in (edge.source, edge.target) if end}
    passages = {edge.evidence.passage for edge in edges} - ends
    quotes = [edge for edge in store.edges(passages, "out", ["quotes"]) if edge.target in ends]
    nodes = {*named, *ends, *passages}
    above: dict[str, Edge] = {}
    ring = nodes
    while ring:
        found = store.edges(ring, "out", ["part_of"])
        above |= {edge.source: edge for edge in reversed(found)}
        ring = {edge.target for edge in found if edge.target} - above.keys()
    joined: dict[Edge, None] = {}
    for node in sorted(nodes):
        passed: list[Edge] = []
        while (edge := above.get(node)) and edge.target and edge not in passed:
            passed.append(edge)
            node = edge.target
            if node in nodes:
                joined |= dict.fromkeys(passed)
                break
    return *joined, *quotes


def _page_edges(
    store: Store | BoundedEdges,
    inside: list[str],
    rules: list[str],
    direction: Direction,
    kinds: tuple[str, ...],
) -> list[Edge]:
    """Return the edges of all parts of a page or section, and of the rules given there.

    Of the edges of the rules only those that a passage of the page states, or that lead to one of
    its parts: that other pages cite a rule is left out.

    inside, rules: the ids of the parts, and of the rules (see `Store.contents`).
    direction: `in`, `out` or `both`, as seen from the parts and rules.

    The `part_of` edges of the page's own structure are left out unless `kinds` names them.
    """
    within = set(inside)
    return [
        edge
        for edge in store.edges([*inside, *rules], direction, kinds)
        if (edge.kind != "part_of" or "part_of" in kinds)
        and (edge.evidence.passage in within or edge.target in within)
    ]


def merge_editions(
    nodes: Iterable[Node],
    edges: Iterable[Edge],
    pages: Mapping[str, PageTitle],
    lang: str = _DEFAULT_LANG,
) -> tuple[list[Node], list[Edge], dict[str, str]]:
    """Return nodes and edges in which a rule stands once for all its versions, and a text on a
    rulebook's pages once in each language for all editions; and {id of a node: id of the node that
    stands for it}.

    The newest edition's node stands for the others; its `edition` has all, with commas. Of edges
    that then have the same ends and words there is one. The order is kept.

    pages: the titles of the pages that passages stand on, by id; they say of which edition it is.
    lang: the language whose node stands for those of the newest edition, if there are several.

    >>> rules = [Node(f"x/{e}/5", "rule", edition=e, rule="5@2") for e in ("1", "2")]
    >>> [(node.id, node.edition) for node in merge_editions(rules, [], {})[0]]
    [('x/2/5', '1, 2')]
    """
    things: dict[tuple[str | None, ...], dict[str, Node]] = defaultdict(dict)
    for node in nodes:
        page = pages.get(page_and_section(node.id)[0]) if node.kind not in ON_NO_PAGE else None
        if page and page.edition:
            node = replace(node, edition=page.edition)
        things[_thing(node)].setdefault(node.id, node)
    merged: list[Node] = []
    stands_for: dict[str, str] = {}
    for thing in things.values():
        in_order = sorted(
            thing.values(), key=lambda node: (edition_key(node.edition), node.lang == lang)
        )
        editions = ", ".join(dict.fromkeys(node.edition for node in in_order if node.edition))
        newest = in_order[-1]
        merged.append(replace(newest, edition=editions) if len(in_order) > 1 else newest)
        stands_for |= dict.fromkeys(thing, newest.id)
    return merged, _merged_edges(edges, stands_for), stands_for


def _thing(node: Node) -> tuple[str | None, ...]:
    """Return what a node has in common with the same node of another edition: of a rule that alone,
    in any language, of a text its place and its words; of what has no edition its id."""
    if not node.edition:
        return (node.id,)
    if node.rule:
        return (node.rule,)
    section = node.section_title
    return node.kind, node.game, node.source, node.lang, section, node.label, node.text


def _merged_edges(edges: Iterable[Edge], stands_for: dict[str, str]) -> list[Edge]:
    """Return edges between the nodes that stand for their ends, of one kind and with the same words
    once, the first of each, in their order. stands_for: an end that is not in it stays."""
    found: dict[tuple[object, ...], Edge] = {}
    for edge in edges:
        source = stands_for.get(edge.source, edge.source)
        target = edge.target and stands_for.get(edge.target, edge.target)
        key = edge.kind, source, target, edge.target_label, edge.evidence.text
        found.setdefault(key, replace(edge, source=source, target=target))
    return list(found.values())


_ENDS: tuple[End, ...] = ("out", "in")
_FOLLOWED = tuple(kind for kind in STRENGTH if kind not in CONTAINMENT)
_BEGINNING = (0, 0, 0)  # table, key and row of a place before all edges of a run: keys begin at 1


def refs_in_parts(
    store: Store,
    asked: NamedNodes,
    direction: Direction,
    kinds: tuple[str, ...],
    with_parts: bool,
    most: int,
    after: str | None,
    depth: int = 1,
) -> Refs:
    """Return the next edges at the nodes that a reference names, at most `most`, and how many there
    are in all. Strong kinds come first, then edges out of the nodes, then those of the newest
    edition; containment is left out unless `kinds` names it, and is not followed.

    direction, kinds, with_parts, depth: as for `kb.query.refs.refs.refs`. The edges into a page are
        those into its parts, not those into the rules that are given there.
    after: `more` of the part before this one; None for the first part. QuestionError if it is of
        another question.
    """
    elsewhere = _parts_elsewhere(store, asked.nodes) if with_parts else []
    groups = _groups(store, asked.nodes, with_parts, elsewhere)
    steps = 1 if is_page(asked.nodes[0]) else depth
    wanted = _Wanted(direction, kinds or _FOLLOWED, with_parts)
    # A place is given by the numbers of rows, which are others after each build.
    [rows] = store.db.execute("SELECT max(rowid) FROM edge").fetchone()
    question = (str(rows), direction, *kinds, str(with_parts), *(node.id for node in asked.nodes))
    question = (*question, f"depth {steps}") if steps > 1 else question
    numbers = cursor_place(after, question)
    place = EdgePlace(*numbers) if numbers else None
    rings = islice(_rings(store, groups, wanted), steps)
    edges, last = _next_edges(store, rings, most, place, direction)
    if place and not edges:
        raise not_of_this_list()
    centre = {node_id for group in groups for node_id in group.ids}
    found = with_ends(store, asked, edges, centre, direction, kinds)
    counts: dict[End, Counter[str]] = {end: Counter() for end in _ENDS}
    for group in groups:
        for end in _ENDS:
            counts[end].update(group.counts[end])
        counts["out"].subtract(group.elsewhere)
    more = next_part(last, question) if last else None
    return replace(found, counts={end: _sorted(counts[end]) for end in _ENDS}, more=more)


class _Wanted(NamedTuple):
    """Which edges are followed, as for `kb.query.refs.refs.refs`; `kinds` has all that are."""

    direction: Direction
    kinds: tuple[str, ...]
    with_parts: bool

    @property
    def ends(self) -> tuple[End, ...]:
        """Where the edges are at the nodes from which they are followed."""
        return tuple(end for end in _ENDS if self.direction in (end, "both"))


class _Ring(NamedTuple):
    """The edges that are a number of steps away.

    nodes: the ids of the nodes at which they are, if edges in both directions are wanted.
    runs: what is read, in order. is_shown: whether an edge of a run is one of these edges, and has
        not been read in another run.
    """

    nodes: Collection[str]
    runs: Sequence[EdgeRun]
    is_shown: Callable[[EdgeRun, Edge], bool]


def _next_edges(
    store: Store, rings: Iterable[_Ring], most: int, place: EdgePlace | None, direction: Direction
) -> tuple[list[FoundEdge], EdgePlace | None]:
    """Return the edges behind a place (None for all), at most `most`, and the place of the last one
    if there are more, else None. The runs of a place are counted from those of the first ring."""
    edges: list[FoundEdge] = []
    before = 0
    for steps, (nodes, runs, is_shown) in enumerate(rings, 1):
        is_behind = place is not None and place.run >= before + len(runs)
        begin = place._replace(run=place.run - before) if place and place.run >= before else None
        begin = None if begin and begin[1:] == _BEGINNING else begin
        if not is_behind:
            left = most - len(edges)
            found, last = edges_behind(store, runs, max(left, 1), begin, is_shown, sort_few=True)
            if found and not left:
                return edges, EdgePlace(before, *_BEGINNING)
            edges += (
                FoundEdge(edge, steps, leads_inward(edge, direction, nodes)) for edge in found
            )
            if last:
                return edges, last._replace(run=before + last.run)
        before += len(runs)
    return edges, None


def _rings(store: Store, groups: Sequence[_Group], wanted: _Wanted) -> Iterator[_Ring]:
    """Yield the edges at some nodes, those one step further away, and so on, without end: rings of
    which nothing is new are yielded, too. An edge is in the nearest ring alone."""
    inside = {node_id for group in groups for node_id in group.inside}
    centre = {node_id for group in groups for node_id in group.ids}

    def is_at_centre(run: EdgeRun, edge: Edge) -> bool:
        # A rule's edges are the page's if they rest on its words.
        leads_out = edge.source in inside or (
            edge.source in centre and edge.evidence.passage in inside
        )
        return leads_out if run.end == "out" else wanted.direction == "in" or not leads_out

    yield _Ring(centre, _runs(groups, wanted), is_at_centre)
    visited = {key for group in groups for keys in group.keys.values() for key in keys}
    frontier = visited
    while True:
        seen = frozenset(store.ids(visited).values())
        frontier = _neighbours(store, frontier, wanted) - visited
        visited = visited | frontier
        keys = tuple(sorted(frontier))
        own = frozenset(store.ids(keys).values()) if wanted.direction == "both" else frozenset()
        ids = list(own)
        counts = {end: count_edges(store, keys, end) for end in wanted.ends}
        group = _Group(ids, ids, dict.fromkeys(_ENDS, keys), counts)
        yield _Ring(own, _runs([group], wanted), partial(_is_new, wanted.direction, seen, own))


def _is_new(
    direction: Direction, seen: Collection[str], own: Collection[str], run: EdgeRun, edge: Edge
) -> bool:
    """Return whether an edge is at no node that is nearer, nor was read where it leads out.

    seen, own: the ids of the nodes that are nearer, and of those that the run is of.
    """
    if direction != "both":  # an edge is met at its one end alone
        return True
    if run.end == "out":
        return edge.target not in seen
    return edge.source not in seen and edge.source not in own


def _neighbours(store: Store, keys: Collection[int], wanted: _Wanted) -> set[int]:
    """Return the keys of the nodes that are one step away from some nodes by edges of the wanted
    kinds and directions; with parts, of their sub-rules, too. Some of the nodes may be among
    them."""
    found = {
        neighbour
        for kind in wanted.kinds
        for end in wanted.ends
        for _, neighbour in store.neighbour_pairs(keys, cast(EdgeKind, kind), end == "out")
    }
    if wanted.with_parts:
        ids = store.with_sub_rules(store.ids(found).values())
        found = set(store.keys(ids))
    return found


class _Group(NamedTuple):
    """A named node with the parts that count as it does.

    inside: the ids of all these; ids: and of the rules that a page gives.
    keys, counts: of each direction, the keys of what has the edges, sorted; and how many there are
        of each kind.
    elsewhere: how many of these, by kind, lead out of the rules and are stated on other pages:
        they are no edges of the page.
    """

    inside: Sequence[str]
    ids: Sequence[str]
    keys: dict[End, tuple[int, ...]]
    counts: dict[End, dict[str, int]]
    elsewhere: Mapping[str, int] = {}


def _parts_elsewhere(store: Store, versions: Sequence[Node]) -> list[str]:
    """Return the ids, sorted, of the versions of a rule's sub-rules that are in none of its own:
    as 903.9b was 903.9 once, what cited 903.9a then leans on 903.9 now. None for one version alone.

    versions: of the rule, the newest first.
    """
    if len(versions) < 2 or not versions[0].rule:
        return []
    parts = set(store.with_sub_rules([versions[0].id])) - {versions[0].id}
    inside = store.with_sub_rules(version.id for version in versions)
    others = {row.id for row in versions_of(store, parts)}.difference(inside)
    return store.with_sub_rules(others)


def _groups(
    store: Store, nodes: Iterable[Node], with_sub_rules: bool, elsewhere: Sequence[str]
) -> list[_Group]:
    """Return each of some nodes with the parts that count as it does: a page's contents, or a
    rule's sub-rules; without either it is alone. elsewhere: the ids of further parts, if any, which
    come last, together."""
    parts: list[tuple[Sequence[str], Sequence[str]]] = []
    nodes = list(nodes)
    below = store.with_sub_rules_of_each([node.id for node in nodes]) if with_sub_rules else {}
    for node in nodes:
        inside, rules = below.get(node.id, [node.id]), list[str]()
        if is_page(node):
            inside, rules = store.contents(node.id)
        parts.append((inside, rules))
    if elsewhere:
        parts.append((elsewhere, []))
    key_of = store.keys_by_id(each for ids in parts for of in ids for each in of)
    own = [_sorted_keys(key_of, inside) for inside, _ in parts]
    given = [_sorted_keys(key_of, rules) for _, rules in parts]
    both = [tuple(sorted({*a, *b})) for a, b in zip(own, given, strict=True)]
    counts = zip(
        count_edges_of_each(store, own, "in"), count_edges_of_each(store, both, "out"), strict=True
    )
    return [
        _Group(
            inside,
            [*inside, *rules],
            {"in": inward, "out": outward},
            {"in": into, "out": out},
            count_edges_elsewhere(store, of_rules, frozenset(inward)),
        )
        for (inside, rules), inward, outward, of_rules, (into, out) in zip(
            parts, own, both, given, counts, strict=True
        )
    ]


def _sorted_keys(key_of: Mapping[str, int], ids: Iterable[str]) -> tuple[int, ...]:
    return tuple(sorted({key_of[each] for each in ids if each in key_of}))


def _runs(groups: Iterable[_Group], wanted: _Wanted) -> list[EdgeRun]:
    """Return what is read, in order: strong kinds first, of one kind the edges out, then those in;
    of these those of the first groups, which are the newest editions'."""
    return [
        EdgeRun(kind, end, group.keys[end], group.counts[end].get(kind, 0))
        for kind in sorted(set(wanted.kinds), key=STRENGTH.__getitem__)
        for end in wanted.ends
        for group in groups
    ]


def _sorted(numbers: Counter[str]) -> dict[str, int]:
    """Return {kind: the number of edges}, the strongest kind first, without those of 0."""
    return {kind: numbers[kind] for kind in STRENGTH if numbers[kind]}
