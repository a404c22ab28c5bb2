"""What narrows a question: game, edition, language, source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

from graphs.model import Node


class Filters(TypedDict, total=False):
    """The keyword arguments that narrow a question: `game` (`mtg`), `edition` (`20231117`),
    `lang` (`ja`), `source` (`mtgwiki`). One that is None narrows nothing."""

    game: str | None
    edition: str | None
    lang: str | None
    source: str | None


@dataclass(frozen=True, slots=True)
class Scope:
    """The part of a knowledge base that a question is about; None stands for all.

    >>> Scope(game="mtg").includes(Node("mtg/term/引く", "term", game="mtg", lang="ja"))
    True
    """

    game: str | None = None
    edition: str | None = None
    lang: str | None = None
    source: str | None = None

    def includes(self, node: Node) -> bool:
        """Whether a node has every value that the scope names."""
        return (
            self.game in (None, node.game)
            and self.edition in (None, node.edition)
            and self.lang in (None, node.lang)
            and self.source in (None, node.source)
        )


EVERYTHING = Scope()
