"""A page made ready for the extractors: ids given, words found where they are asked for."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from graphs.model import Node, NodeKind
from kb.language.fold import plain
from kb.language.tokens import Token, Tokenizer
from scraper import Page

_WARNED = 10**9  # beyond any other rank
_PLACE = "¶"  # between a section and the number of a passage in it; in no title


@dataclass(frozen=True, slots=True)
class PageContext:
    """A page with the ids of its parts, and the words of a passage where they are needed."""

    page: Page
    page_id: str
    section_ids: tuple[str, ...]
    passage_ids: tuple[str, ...]
    notice: str | None
    _words: Tokenizer
    _found: dict[int, list[Token]] = field(default_factory=dict)

    @classmethod
    def of(cls, page: Page, words: Tokenizer, notice: str = "") -> PageContext:
        """Give a page's parts their ids: sections by their titles, passages by their places."""
        page_id = f"{page.source}/{page.name}"
        sections = {page_id: 1}  # and how often a title was met
        for section in page.sections[1:]:
            named = again = f"{page_id}#{plain(section.title).replace(_PLACE, ' ')}"
            while again in sections:
                sections[named] += 1
                again = f"{named}_{sections[named]}"
            sections[again] = 1
        section_ids = tuple(sections)
        count: Counter[int] = Counter()
        passages = []
        for passage in page.passages:
            count[passage.section] += 1
            passages.append(f"{section_ids[passage.section]}{_PLACE}{count[passage.section]}")
        return cls(page, page_id, section_ids, tuple(passages), notice or None, words)

    def words(self, place: int) -> list[Token]:
        """The words of a passage, found when they are asked for."""
        if place not in self._found:
            self._found[place] = self._words(self.page.passages[place].text)
        return self._found[place]

    def node(self, node_id: str, kind: NodeKind, **facts: Any) -> Node:
        """A node that the page speaks of: what all of a page's nodes share, and `facts`."""
        page = self.page
        return Node(
            node_id,
            kind,
            **{
                "game": self.game,
                "source": page.source,
                "lang": page.lang,
                "url": page.url or None,
                "notice": self.notice,
                **facts,
            },
        )

    def rank(self, authority: int = 0) -> int:
        """How much the page's claims weigh, the less the more: a text of which readers must be
        warned speaks only where no other does."""
        return authority + (_WARNED if self.notice else 0)

    @property
    def game(self) -> str:
        """The game that the page is about; if nobody knows it, the page's source."""
        return self.page.game or self.page.source

    @property
    def is_game_known(self) -> bool:
        """Whether the page's site, its text or a person says which game it is about. Only then
        are linked pages and boxes taken for terms and cards: a wiki may be about anything."""
        return self.page.game is not None

    @property
    def is_wiki(self) -> bool:
        """Whether the page is of a wiki, whatever its host."""
        return self.page.engine in {"mediawiki", "pukiwiki"}
