"""Groups edges as people read them: by direction, and as one where only the edition differs.

Names are looked for in Japanese alone: of other text it is said that mentions are not counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from graphs.model import STRENGTH, Edge, Node, kind_of_id, page_and_section
from graphs.sort_orders import edition_key, in_order, natural_key
from graphs.store.reader import Store
from graphs.store.titles import PageTitle
from kb.reason import Ask, LeftOut, Reason

_UNDIRECTED = frozenset({"same_concept"})
CONTAINMENT = frozenset({"part_of", "quotes"})
ON_NO_PAGE = frozenset(
    {"term", "rule", "document", "card", "edition"}
)  # what several pages may give
_Key = tuple[object, ...]
_NUMBERS = re.compile(r"\d[\w.]*\w|\d")
_SEARCHED = "ja"  # as `kb.knowledge.names.mentions` has it


@dataclass(frozen=True, slots=True)
class Reference:
    """What refers to what was asked for, or what that refers to: one edge, or several that say the
    same.

    inward: whether it leads to what was asked for; at several steps, to the nearer end. False for
        `same_concept`, which leads either way.
    depth: how many steps away it is, from 1.
    other: the node at the far end, in the newest edition; None if it is not loaded.
    near: the node at the near end: a named node, a part of it, or at several steps a node that was
        reached before; None if it is not loaded.
    page, near_page: the titles of the pages that `other` and `near` stand on; None for what stands
        on no single page, such as rules and terms.
    edges: the edges, that of the newest edition first; they differ by edition, or repeat the same
        words in the same passage.
    editions: the editions of the far end, the oldest first; empty if it has none.
    near_editions: the editions of the near end, where they are not those of the far end.
    edge_editions: the edition of the far end of each edge, in their order; empty if it has none.
    """

    inward: bool
    depth: int
    other: Node | None
    near: Node | None
    page: PageTitle | None
    near_page: PageTitle | None
    edges: tuple[Edge, ...]
    editions: tuple[str, ...] = ()
    near_editions: tuple[str, ...] = ()
    edge_editions: tuple[str, ...] = ()

    @property
    def edge(self) -> Edge:
        """The edge of the newest edition."""
        return self.edges[0]

    @property
    def times(self) -> int:
        """How often the words stand in one edition, at most."""
        return _times([self])


class Wording(NamedTuple):
    """The words of a reference in some editions.

    edge: that of the newest of them. number: the number that the far end had, if it is a rule.
    editions: these editions, the oldest first.
    """

    edge: Edge
    number: str | None
    editions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReferenceGroup:
    """All references of one kind and direction, equally far away, that have the same rule, term or
    page at the far end: one line for a person.

    references: in the order of the places; their `other` may be several passages of one page.
    mentions: where these are links, the mentions elsewhere at the same far end; else empty.
    is_page: whether `references` stand at several places of one page, which is then what the line
        is about.
    """

    references: tuple[Reference, ...]
    mentions: tuple[Reference, ...] = ()
    is_page: bool = False

    @property
    def first(self) -> Reference:
        """The reference whose words are shown: the first of `references`."""
        return self.references[0]

    @property
    def times(self) -> int:
        """At how many places of one edition the references stand, at most."""
        return _times(self.references)

    @property
    def mentioned(self) -> int:
        """At how many places of one edition the mentions stand, at most; 0 without any."""
        return _times(self.mentions) if self.mentions else 0

    @property
    def editions(self) -> tuple[str, ...]:
        """The editions of the far end, the oldest first."""
        return tuple(in_order(each for one in self._all for each in one.editions))

    def wordings(self, nodes: Mapping[str, Node]) -> list[Wording]:
        """Return in which words the references stand in which editions, the newest first: a rule is
        cited by the number that it had, by a rule that may have had another number, too.

        Words with the same numbers, in another language or with other dashes, are one. Mentions and
        links have the words of the first alone. nodes: those at the ends of the edges, by id.
        """
        found: dict[tuple[str, str | None], list[tuple[Edge, str]]] = {}
        weak = self.first.edge.kind in ("links_to", "mentions")
        for one in [self.first] if weak else self.references:
            for edge, edition in zip(one.edges, one.edge_editions, strict=True):
                words = " ".join(_NUMBERS.findall(edge.evidence.text)) or edge.evidence.text
                number = _rule_number(edge.source, nodes) if one.inward else None
                found.setdefault((words, number), []).append((edge, edition))
        wordings = []
        for (_, number), of in found.items():  # in the order of the edges, the first to be shown
            wordings.append(Wording(of[0][0], number, tuple(in_order(each for _, each in of))))
        key = edition_key
        return sorted(wordings, key=lambda one: key(max(one.editions, default=None)), reverse=True)

    @property
    def near_editions(self) -> tuple[str, ...]:
        """The editions of the near end, where they are not those of the far end."""
        return tuple(in_order(each for one in self._all for each in one.near_editions))

    @property
    def near(self) -> tuple[Reference, ...]:
        """A reference for each node at the near end, of each number one, the first; none for nodes
        that are not loaded."""
        found = {one.near.number or one.near.id: one for one in reversed(self._all) if one.near}
        return tuple(reversed(found.values()))

    @property
    def _all(self) -> tuple[Reference, ...]:
        return (*self.references, *self.mentions)


def _rule_number(node_id: str, nodes: Mapping[str, Node]) -> str | None:
    """Return the number of a rule, which its id ends with; `nodes` may lack older editions."""
    if node := nodes.get(node_id):
        return node.number
    return node_id.rpartition("/")[2] if kind_of_id(node_id) == "cr" else None


def _times(references: Iterable[Reference]) -> int:
    """Return at how many places of one page references stand, at most, each edge once; of a
    rulebook each edition is a page. references: at least one."""
    edges = {edge for reference in references for edge in reference.edges}
    return max(Counter(edge.evidence.page for edge in edges).values())


class _Ends:
    """Looks up the nodes at the ends of edges, and the pages that they stand on."""

    def __init__(
        self,
        nodes: Mapping[str, Node],
        pages: Mapping[str, PageTitle],
        headwords: Mapping[str, str],
    ) -> None:
        self._nodes, self._pages, self._headwords = nodes, pages, headwords

    def node(self, end: str | None) -> Node | None:
        """Return the node of an id; None if it is not loaded."""
        return self._nodes.get(end) if end else None

    def page(self, end: str | None, edge: Edge) -> PageTitle | None:
        """Return the title of the page that an end stands on; None if it stands on none."""
        node = self.node(end)
        if node is None or node.kind in ON_NO_PAGE:
            return None
        page = edge.evidence.page if end == edge.source else page_and_section(node.id)[0]
        return self._pages.get(page)

    def edition(self, end: str | None, edge: Edge) -> str:
        """Return the edition of an end, or of its page; empty if there is none."""
        node, page = self.node(end), self.page(end, edge)
        return (node.edition if node else None) or (page.edition if page else None) or ""

    def lang(self, edge: Edge, inward: bool) -> str | None:
        """Return the language of the far end of an edge; None if it has none or is not loaded."""
        node = self.node(_far_and_near(edge, inward)[0])
        return node.lang if node else None

    def without_edition(self, end: str | None, edge: Edge) -> _Key:
        """Return what an end has in common with the same thing in other editions, and of a rule in
        other languages; the id alone of what has no edition or is not loaded."""
        node = self.node(end)
        if node is None or not self.edition(end, edge):
            return (end,)
        if node.rule:
            return (node.rule,)
        section, headword = node.section_title, self._headwords.get(node.id)
        return node.kind, node.source, node.lang, section, headword, node.label, node.text


def linked_mentions(edges: Iterable[Edge]) -> set[Edge]:
    """Return the mentions that are links as well: one of the edges links the same node from words
    of the same passage that overlap with theirs."""
    links: dict[_Key, list[tuple[int, int]]] = {}
    mentions: list[tuple[_Key, Edge]] = []
    for edge in edges:
        place = edge.source, edge.target, edge.evidence.passage
        if edge.kind == "links_to":
            links.setdefault(place, []).append((edge.evidence.start, edge.evidence.end))
        elif edge.kind == "mentions":
            mentions.append((place, edge))
    return {
        edge
        for place, edge in mentions
        if any(
            start < edge.evidence.end and end > edge.evidence.start
            for start, end in links.get(place, ())
        )
    }


def group_references(
    edges: Iterable[tuple[Edge, int, bool]],
    nodes: Mapping[str, Node],
    pages: Mapping[str, PageTitle],
    headwords: Mapping[str, str],
    lang: str,
    lang_first: bool = False,
) -> list[Reference]:
    """Return edges as references, sorted as a person reads them.

    edges: each with its distance, from 1, and whether it leads to its near end.
    nodes: the ends of the edges, by id.
    pages: the titles of the pages that these stand on, by id (see `page_and_section`).
    headwords: of the entries of glossaries among them, by id.
    lang: the language whose words are shown of a rule that refers in several. lang_first: even if
        another language has a newer edition.

    The nearest come first, then what is referred to before what refers, strong kinds before weak
    ones, rules by their numbers before pages by their titles. Edges whose other end differs only by
    its edition, with the same words, are one reference; between two rules whatever the words. Of
    equal ones those in `lang` and of newer editions come first.
    """
    ends = _Ends(nodes, pages, headwords)
    groups: dict[tuple[int, bool, _Key], list[Edge]] = {}
    for edge, depth, inward in edges:
        group = depth, inward, _same_words(edge, inward, ends)
        groups.setdefault(group, []).append(edge)
    found = [
        _reference(inward, depth, of_group, ends, lang, lang_first)
        for (depth, inward, _), of_group in groups.items()
    ]
    # Of what is worded otherwise in other editions, the newest in that language comes first.
    found.sort(
        key=lambda one: (
            one.other is not None and one.other.lang == lang,
            edition_key(one.editions[-1] if one.editions else None),
        ),
        reverse=True,
    )
    return sorted(found, key=_reading_order)


def group_by_far_end(
    references: Iterable[Reference], headwords: Mapping[str, str]
) -> list[ReferenceGroup]:
    """Return references, as `group_references` sorts them, with those of one kind, direction and
    distance together that have the same far end, those of the newest edition first in each, in the
    order of the first of each. Mentions at a far end are with the links at it, if there are any.

    headwords: of the entries of glossaries, by the id of the passage.

    The far end is a rule, a term, a card, or the page that a passage stands on; of a rulebook's
    page, its section, or the entry of its glossary; of what is not loaded, its name.
    """
    groups: dict[_Key, dict[str, list[Reference]]] = {}
    for reference in references:
        kind = reference.edge.kind
        is_weak = kind in ("links_to", "mentions")
        far_end = (
            reference.depth,
            reference.inward,
            "" if is_weak else kind,
            _far_end(reference, headwords),
        )
        groups.setdefault(far_end, {}).setdefault(kind, []).append(reference)
    found = []
    for of_kinds in groups.values():
        first, *others = (_newest_first(of_kind) for of_kind in of_kinds.values())
        places: dict[str, set[str]] = {}  # by page: of a rulebook each edition is one
        for each in first:
            if each.other and each.page:
                places.setdefault(each.edge.evidence.page, set()).add(each.other.id)
        is_page = any(len(of_page) > 1 for of_page in places.values())
        mentions = tuple(each for other in others for each in other)
        found.append(ReferenceGroup(tuple(first), mentions, is_page))
    return sorted(found, key=lambda group: _reading_order(group.first))


def _newest_first(references: Iterable[Reference]) -> list[Reference]:
    return sorted(
        references, key=lambda one: edition_key(max(one.editions, default=None)), reverse=True
    )


def _far_end(reference: Reference, headwords: Mapping[str, str]) -> _Key:
    """Return what references with the same far end have in common: the rule, the node, the page, or
    of a rulebook's page its entry or section; the name of what is not loaded."""
    other, page = reference.other, reference.page
    if other is None:
        return (reference.edge.target_label,)
    if other.rule:
        return (other.rule,)
    if page is None or other.kind == "page":
        return (page_and_section(other.id)[0] if other.kind == "page" else other.id,)
    if page.edition:
        section = other.label if other.kind == "section" else other.section_title
        entry = headwords.get(other.id)
        return page.source, page.game, page.lang, entry or section
    return (page_and_section(other.id)[0],)


def leads_inward(edge: Edge, direction: str, nodes: Collection[str]) -> bool:
    """Return whether an edge's target is its near end.

    direction: in which edges were followed: `in`, `out` or `both`.
    nodes: the ids of the nodes from which this one was reached, at one of its ends or both.
    """
    return direction == "in" or (direction == "both" and edge.source not in nodes)


def _far_and_near(edge: Edge, inward: bool) -> tuple[str | None, str | None]:
    """Return the ids of the far and the near end of an edge."""
    return (edge.source, edge.target) if inward else (edge.target, edge.source)


def _same_words(edge: Edge, inward: bool, ends: _Ends) -> _Key:
    """Return what edges that make one reference have in common: between two rules, that they are of
    one kind; else also the words."""
    far, near = _far_and_near(edge, inward)
    rules = [node.rule if (node := ends.node(end)) else None for end in (far, near)]
    if all(rules):
        return edge.kind, *rules
    return (
        edge.kind,
        ends.without_edition(far, edge) if far else edge.target_label,
        ends.without_edition(near, edge) if near else edge.target_label,
        edge.evidence.text,
        str(edge.details or ""),
    )


def _reference(
    inward: bool, depth: int, edges: list[Edge], ends: _Ends, lang: str, lang_first: bool
) -> Reference:
    """Return the reference that the edges of one group make, in the newest edition and, where that
    has several languages, in `lang` if it is among them; with `lang_first` in the newest of `lang`,
    if any is. edges: at least one."""
    with_editions: list[tuple[str, str, Edge]] = []
    for edge in edges:
        far, near = _far_and_near(edge, inward)
        with_editions.append((ends.edition(far, edge), ends.edition(near, edge), edge))

    def order(item: tuple[str, str, Edge]) -> tuple[object, ...]:
        is_of_lang = ends.lang(item[2], inward) == lang
        return lang_first and is_of_lang, edition_key(item[0] or item[1]), is_of_lang

    with_editions.sort(key=order, reverse=True)
    newest = with_editions[0][2]
    far, near = _far_and_near(newest, inward)
    return Reference(
        inward and newest.kind not in _UNDIRECTED,
        depth,
        ends.node(far),
        ends.node(near),
        ends.page(far, newest),
        ends.page(near, newest),
        tuple(edge for *_, edge in with_editions),
        tuple(in_order(far_edition for far_edition, _, _ in with_editions)),
        tuple(in_order(near for far, near, _ in with_editions if near != far)),
        tuple(far_edition for far_edition, _, _ in with_editions),
    )


def _reading_order(reference: Reference) -> tuple[object, ...]:
    """Return the sort key of a reference: nearest first, outward before inward, strong kinds, rules
    by number, then language and title."""
    other, edge, page = reference.other, reference.edge, reference.page
    number = other.number if other and other.series else None
    name = (page and page.title) or (other and other.label) or edge.target_label
    return (
        reference.depth,
        reference.inward,
        STRENGTH[edge.kind],
        number is None,
        natural_key(number or ""),
        (other and other.lang) or "",
        name or "",
    )


def text_without_mentions(
    store: Store, game: str | None = None, node: Node | None = None
) -> tuple[LeftOut, ...]:
    """Return one entry if there is text that is not searched for names, and how to search it; else
    none.

    game: of the text; None for all games.
    node: what is looked for by its name; None if nothing particular is.
    """
    sources = store.values()["source"]
    languages = {lang for each in sources for lang in store.languages_of(each, game)} - {_SEARCHED}
    if not languages:
        return ()
    is_english = node and not any(label.lang == _SEARCHED for label in node.labels)
    code = "names_in_japanese_alone" if is_english else "names_in_japanese"
    langs = tuple(sorted(languages))
    lang = langs[0] if len(langs) == 1 else None
    words = _english_name(store, node, game, lang) if node else None
    ask = Ask("search", text=words, game=game, lang=lang) if words else None
    return (LeftOut(None, Reason(code, ask, langs=langs)),)


def _english_name(store: Store, node: Node, game: str | None, lang: str | None) -> str | None:
    """Return the first name of a node in Latin letters that a passage of a game and language (None
    for any) has, in any inflection; None without such."""
    # Here, as most answers have no text that is left out.
    from kb.query.lookup.passage_filters import passage_filter
    from kb.query.lookup.search_words import fulltext_query

    narrow = passage_filter(store, {"game": game, "lang": lang})
    for name in _names(node):
        query = fulltext_query(name) if name.isascii() else ""
        if query and store.passages.count(query, narrow, 1):
            return name
    return None


def _names(node: Node) -> list[str]:
    """Return the names of a node, its own label first, which may come twice; empty ones left
    out."""
    return [name for name in (node.label, *(label.text for label in node.labels)) if name]
