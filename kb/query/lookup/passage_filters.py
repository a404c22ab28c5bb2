"""The filters of `search` and `kwic`: by section, kind of statement, mentions and citations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, cast

from graphs.model import EdgeKind, NodeKind
from graphs.store.passage_index import PassageFilter
from graphs.store.reader import Store
from kb.errors import QuestionError
from kb.language.fold import fold
from kb.language.nearest_value import nearest, shown
from kb.query.lookup.common_filters import Filters, Ref, Scope
from kb.query.lookup.find_by_reference import find_named, resolve_edition

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
    mentions: Ref | Iterable[Ref] | None
    cites: Ref | Iterable[Ref] | None


def passage_filter(store: Store, filters: PassageFilters) -> PassageFilter:
    """Return the filter of the store for some keyword arguments.

    filters: as `check_arguments` leaves them; those that are left out, None or empty filter
        nothing.

    Raises QuestionError for a reference that names nothing.
    """
    edition, section_part = filters.get("edition"), fold(filters.get("section") or "")
    return PassageFilter(
        game=filters.get("game"),
        source=filters.get("source"),
        edition=edition and resolve_edition(store, edition),
        lang=filters.get("lang"),
        kind=filters.get("kind"),
        section=(lambda name: section_part in fold(name)) if section_part else None,
        edges=(
            *_required_edges(store, filters, "mentions", "term", "card"),
            *_required_edges(store, filters, "cites", "rule", "document"),
        ),
    )


def is_narrowed(filters: PassageFilters) -> bool:
    """Return whether any filter is given that leaves passages out.

    >>> is_narrowed({"game": "mtg"}), is_narrowed({"game": None, "mentions": ()})
    (True, False)
    """
    return any(filters.values())


def filter_words(filters: PassageFilters) -> Iterator[str]:
    """Yield a text for each of some filters that leaves passages out, by their names.

    >>> list(filter_words({"lang": None, "game": "mtg", "cites": ("614",)}))
    ["cites=('614',)", "game='mtg'"]
    """
    return (f"{name}={value!r}" for name, value in sorted(filters.items()) if value)


def references(filters: PassageFilters, name: Literal["mentions", "cites"]) -> tuple[str, ...]:
    """Return the references in a filter, as the check of arguments leaves them; empty without
    it."""
    return cast("tuple[str, ...]", filters.get(name) or ())


def refuse_unknown_section(store: Store, filters: PassageFilters) -> None:
    """Raise QuestionError if a section is asked for and no section or page has such a name; the
    message gives the names that are nearest.

    It reads the names of all sections: call it only where nothing was found.
    """
    section = filters.get("section")
    if not section or not fold(section):
        return
    names = store.section_names()
    if any(fold(section) in fold(name) for name in names):
        return
    near = tuple(nearest(section, names))
    raise QuestionError("no_section", section=shown(section), near=near)


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

    Raises NotFoundError for a reference that names nothing, QuestionError for one that names no
    node of these kinds.
    """
    for ref in references(filters, edge_kind):
        nodes = find_named(store, ref, *kinds, scope=Scope(game=filters.get("game")))
        yield edge_kind, tuple(store.with_sub_rules(node.id for node in nodes))
