"""The filters that most queries share: game, edition, language and source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypedDict

from graphs.model import Node

if TYPE_CHECKING:
    from kb.query.lookup.passage_places import Place


class OfNode(Protocol):
    """An entry of a result that is about one node, such as a hit of `search`."""

    @property
    def node(self) -> Node:
        """The node."""


# What questions take for a reference. A node, or an entry, stands for the node's id.
Ref = str | Node | OfNode


class Filters(TypedDict, total=False):
    """The keyword arguments by which most queries can be filtered; None filters nothing.

    game: a game, such as `mtg`.
    edition: an edition of a rulebook, such as `20231117`; or `as of 2024-03-01`, for the one in
        force then.
    lang: a language, such as `ja`.
    source: a source, such as `mtgwiki`.
    """

    game: str | None
    edition: str | None
    lang: str | None
    source: str | None


FILTERS = tuple(Filters.__annotations__)


@dataclass(frozen=True, slots=True)
class Scope:
    """The part of a knowledge base that a query is about: the same fields as in `Filters`, where
    None means any value.

    >>> Scope(game="mtg").includes(Node("mtg/term/引く", "term", game="mtg", lang="ja"))
    True
    """

    game: str | None = None
    edition: str | None = None
    lang: str | None = None
    source: str | None = None

    def includes(self, node: Node | Place) -> bool:
        """Return whether a node or place has the value of each field of the scope that is not None.

        A node without an edition, language or source is not in a scope that names one.
        """
        return (
            self.game in (None, node.game)
            and self.edition in (None, node.edition)
            and self.lang in (None, node.lang)
            and self.source in (None, node.source)
        )


EVERYTHING = Scope()
