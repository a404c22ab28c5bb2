"""The filters of `search` and `kwic`: by section, kind of statement, mentions and citations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, get_args

from graphs.model import EdgeKind, NodeKind
from graphs.store.reader import Store
from graphs.store.sql_passage_filter import PassageFilter
from kb.errors import QuestionError
from kb.language.fold import fold
from kb.query.common_filters import Filters, Scope
from kb.query.find_nodes import find_named, resolve_edition

StatementKind = Literal["rule", "ruling", "procedure", "step", "outcome"]


class PassageFilters(Filters, total=False):
    """The keyword arguments by which passages can be filtered, besides those of `Filters`.

    section: part of the name of the passage's section.
    kind: what the passage states.
    mentions: references to one or more terms or cards, all of which the passage must mention.
    cites: references to one or more rules, all of which the passage must cite; a citation of a
        sub-rule counts, too.
    """

    section: str | None
    kind: StatementKind | None
    mentions: str | Iterable[str]
    cites: str | Iterable[str]


def passage_filter(store: Store, filters: PassageFilters) -> PassageFilter:
    """Return the filter of the store for some keyword arguments.

    filters: as a person gives them; those that are left out, None or empty filter nothing.

    Raises QuestionError for an unknown kind and for a reference that names nothing.
    """
    kind, edition, section = filters.get("kind"), filters.get("edition"), filters.get("section")
    if kind and kind not in get_args(StatementKind):
        known = ", ".join(get_args(StatementKind))
        raise QuestionError(f"no kind {kind} to look for; there are: {known}")
    section_part = fold(section or "")
    return PassageFilter(
        game=filters.get("game"),
        source=filters.get("source"),
        edition=edition and resolve_edition(store, edition),
        lang=filters.get("lang"),
        kind=kind,
        section=(lambda name: section_part in fold(name)) if section_part else None,
        edges=(
            *_required_edges(store, filters, "mentions", "term", "card"),
            *_required_edges(store, filters, "cites", "rule"),
        ),
    )


def _required_edges(
    store: Store,
    filters: PassageFilters,
    edge_kind: Literal["mentions", "cites"],
    *kinds: NodeKind,
) -> Iterator[tuple[EdgeKind, tuple[str, ...]]]:
    """Yield (kind of edge, ids of the nodes that it may lead to) for each reference in a filter.

    A passage must have an edge to at least one node of each pair. Rules include their sub-rules.

    edge_kind: the filter to read, which has the same name as its kind of edge.
    kinds: the kinds of nodes that the reference may name.

    Raises QuestionError for a reference that names no node of these kinds.
    """
    refs = filters.get(edge_kind, ())
    for ref in [refs] if isinstance(refs, str) else refs:
        nodes = find_named(store, ref, *kinds, scope=Scope(game=filters.get("game")))
        yield edge_kind, tuple(store.with_sub_rules(node.id for node in nodes))
