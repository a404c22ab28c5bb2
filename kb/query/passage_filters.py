"""What narrows `search` and `kwic` to some passages: where they stand, what they give and cite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, get_args

from graphs.model import EdgeKind, NodeKind
from graphs.store.passage_filter import PassageFilter
from graphs.store.reader import Store
from kb.errors import QuestionError
from kb.language.fold import fold
from kb.query.lookup import edition_of, find_named
from kb.query.scope import Filters, Scope

StatementKind = Literal["rule", "ruling", "procedure", "step", "outcome"]


class PassageFilters(Filters, total=False):
    """The keyword arguments that narrow to some passages, besides those of `Filters`: `section`,
    a part of a section's name; `kind`, what the passage states; `mentions`, terms or cards that
    it must mention; `cites`, rules (with their sub-rules) that it must cite. Of several, a
    passage must have all."""

    section: str | None
    kind: StatementKind | None
    mentions: str | Iterable[str]
    cites: str | Iterable[str]


def passage_filter(store: Store, filters: PassageFilters) -> PassageFilter:
    """The filter that keyword arguments stand for. Raises QuestionError for an unknown kind and
    for a reference that names nothing."""
    kind, edition, section = filters.get("kind"), filters.get("edition"), filters.get("section")
    if kind and kind not in get_args(StatementKind):
        known = ", ".join(get_args(StatementKind))
        raise QuestionError(f"no kind {kind} to look for; there are: {known}")
    wanted = fold(section or "")
    return PassageFilter(
        game=filters.get("game"),
        source=filters.get("source"),
        edition=edition and edition_of(store, edition),
        lang=filters.get("lang"),
        kind=kind,
        section=(lambda name: wanted in fold(name)) if wanted else None,
        edges=(
            *_edges(store, filters, "mentions", "term", "card"),
            *_edges(store, filters, "cites", "rule"),
        ),
    )


def _edges(
    store: Store,
    filters: PassageFilters,
    edge: Literal["mentions", "cites"],
    *kinds: NodeKind,
) -> Iterator[tuple[EdgeKind, tuple[str, ...]]]:
    """For each reference that an edge must lead to, the ids of the nodes that it names."""
    refs = filters.get(edge, ())
    for ref in [refs] if isinstance(refs, str) else refs:
        nodes = find_named(store, ref, *kinds, scope=Scope(game=filters.get("game")))
        yield edge, tuple(store.below(node.id for node in nodes))
