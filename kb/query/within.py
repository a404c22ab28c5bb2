"""What narrows `search` and `kwic`: where passages stand, and what they mention and cite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, TypedDict, get_args

from graphs.model import EdgeKind, NodeKind
from graphs.store import Store
from graphs.within import Within
from kb.errors import QuestionError
from kb.fold import fold
from kb.query.lookup import edition_of, named

Given = Literal["rule", "ruling", "procedure", "step", "outcome"]


class Where(TypedDict, total=False):
    """Which passages count: those of a `game` (`mtg`), a `source` (`mtgwiki`), an `edition`, a
    language; in a `section` with this in its name; that give a rule or state something else of a
    `kind` (a ruling, where it is asked); that `mentions` a term or card and `cites` a rule or one
    of its sub-rules: all of them, where several are named."""

    game: str | None
    source: str | None
    edition: str | None
    lang: str | None
    section: str | None
    kind: Given | None
    mentions: str | Iterable[str]
    cites: str | Iterable[str]


def within(store: Store, where: Where) -> Within:
    """The condition that a person's words mean. Raises QuestionError for what names nothing."""
    kind, edition, section = where.get("kind"), where.get("edition"), where.get("section")
    if kind and kind not in get_args(Given):
        raise QuestionError(f"no kind {kind} to look for; there are: {', '.join(get_args(Given))}")
    wanted = fold(section or "")
    return Within(
        where.get("game"), where.get("source"), edition and edition_of(store, edition),
        where.get("lang"), kind, (lambda name: wanted in fold(name)) if wanted else None,
        (*_edges(store, where, "mentions", "term", "card"), *_edges(store, where, "cites", "rule")),
    )  # fmt: skip


def _edges(
    store: Store, where: Where, edge: Literal["mentions", "cites"], *kinds: NodeKind
) -> Iterator[tuple[EdgeKind, tuple[str, ...]]]:
    """For each reference that an edge must lead to, the nodes of some kinds that it names."""
    refs = where.get(edge, ())
    for ref in [refs] if isinstance(refs, str) else refs:
        nodes = named(store, ref, *kinds, game=where.get("game"))
        yield edge, tuple(store.below(node.id for node in nodes))
