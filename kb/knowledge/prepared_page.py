"""A page prepared for the extractors: ids of its parts, cached tokens, what its nodes share."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import accumulate, takewhile
from typing import Any, NamedTuple

from graphs.model import Node, NodeKind
from kb.knowledge import claim_ranks
from kb.language.fold import plain
from kb.language.tokens import Token, Tokenizer
from scraper import Page, Passage
from scraper.page_names import ends_like_part
from scraper.sites.site_catalogue import engines_of_plugins

_LINE_SIZE = 20  # characters: what is made of a line takes the memory of so many more
# In the cache: a token takes over 100 bytes. A guard: some 40 MB at most; only a page of the size
# of a long rulebook has as many.
_MOST_TOKENS = 400_000
_PASSAGE_SIGN = "¶"  # between a section's id and the number of a passage in it; not in titles


class StatedRule(NamedTuple):
    """The rule that a passage states, or whose text it continues.

    id: the rule's id.
    number: its number, such as `121.4`.
    text_start: where the text after the number starts in the passage.
    states: whether the passage begins with the number; false for the further paragraphs, lists and
        examples of the rule.
    """

    id: str
    number: str
    text_start: int
    states: bool


@dataclass(frozen=True, slots=True)
class PageContext:
    """A page with the ids of its parts, and the tokens of its passages.

    page_id: the page's id.
    section_ids: the ids of `page.sections`, in order; that of section 0 is the page's id.
    passage_ids: the ids of `page.passages`, in order.
    notice: a warning about the source that readers must see; None if there is none.
    stated_rules: the rules that passages state, by the passages' indices: empty until the rules of
        the page are extracted, which are the first.

    The extractors refer to a passage by its place, which is its index in `page.passages`.
    """

    page: Page
    page_id: str
    section_ids: tuple[str, ...]
    passage_ids: tuple[str, ...]
    notice: str | None
    _tokenizer: Tokenizer
    stated_rules: dict[int, StatedRule] = field(default_factory=dict)
    _tokens: dict[int, list[Token]] = field(default_factory=dict)  # by place
    _cached: list[int] = field(default_factory=lambda: [0])  # the number of tokens in `_tokens`
    _shared: dict[str, Any] = field(init=False)  # by name: the fields that all nodes share

    def __post_init__(self) -> None:
        page = self.page
        shared = {
            "game": self.game,
            "source": page.source,
            "lang": page.lang,
            "url": page.url or None,
            "notice": self.notice,
        }
        object.__setattr__(self, "_shared", shared)

    @classmethod
    def of(cls, page: Page, tokenizer: Tokenizer, notice: str = "") -> PageContext:
        """Return the context of a page.

        The id of a section contains its title, and a number from 2 if earlier sections have the
        same title. The id of a passage contains its number in its section, from 1. Ids are unique
        within the page.

        notice: a warning about the source that readers must see; empty if there is none.

        >>> from kb.language.tokens import tokenizer
        >>> from scraper import Passage
        >>> page = Page("mtgwiki", "引く", url="", passages=(Passage("paragraph", "引くこと。"),))
        >>> PageContext.of(page, tokenizer()).passage_ids
        ('mtgwiki/引く¶1',)
        """
        page_id = f"{page.source}/{page.name}"
        title_counts = {page_id: 1}  # by id of a section: how many sections have its title
        for section in page.sections[1:]:
            title = plain(section.title).replace(_PASSAGE_SIGN, " ")
            if ends_like_part(title):
                title += "_"
            base = section_id = f"{page_id}#{title}"
            while section_id in title_counts:
                title_counts[base] += 1
                section_id = f"{base}_{title_counts[base]}"
            title_counts[section_id] = 1
        section_ids = tuple(title_counts)
        passage_counts: Counter[int] = Counter()
        passage_ids = []
        for passage in page.passages:
            passage_counts[passage.section] += 1
            number = passage_counts[passage.section]
            passage_ids.append(f"{section_ids[passage.section]}{_PASSAGE_SIGN}{number}")
        return cls(page, page_id, section_ids, tuple(passage_ids), notice or None, tokenizer)

    def tokens(self, place: int) -> list[Token]:
        """Return the tokens of the passage at an index in `page.passages`.

        The list is cached, as long as the page has no more than 400,000 tokens: callers must not
        change it.
        """
        known = self._tokens.get(place)
        if known is None:
            known = self._tokenizer(self.page.passages[place].text)
            if self._cached[0] + len(known) <= _MOST_TOKENS:
                self._cached[0] += len(known)
                self._tokens[place] = known
        return known

    def beginning(self, most: int) -> PageContext:
        """Return the context of the first passages of the page, those with at most so many
        characters together, as `extracted_size` counts them; the context itself if these are
        all. No passage is cut: none is left if the first is longer. Rules and tokens are shared."""
        passages = self.page.passages
        ends = accumulate(map(extracted_size, passages))
        number = sum(1 for _ in takewhile(lambda end: end <= most, ends))
        if number == len(passages):
            return self
        page = self.page.with_(passages=passages[:number])
        return replace(self, page=page, passage_ids=self.passage_ids[:number])

    def make_node(self, node_id: str, kind: NodeKind, **fields: Any) -> Node:
        """Return a node with the fields that all nodes of the page share, and some of its own.

        fields: fields of `Node` by name; they override the shared ones.
        """
        return Node(node_id, kind, **self._shared | fields)

    def rank(self, base: int = 0) -> int:
        """Return the rank of a claim: `base`, or behind all claims without notice if the page has
        a notice. The claim with the lowest rank describes a node.

        base: the rank among claims without notice, of `kb.knowledge.claim_ranks`.
        """
        return base + (claim_ranks.NOTICE if self.notice else 0)

    @property
    def game(self) -> str:
        """The game that the page is about; the page's source if the game is unknown."""
        return self.page.game or self.page.source

    @property
    def is_game_known(self) -> bool:
        """Whether the game that the page is about is known: from its site, its text or a person.

        Only then do its links and boxes give terms and cards, as a wiki may be about anything.
        """
        return self.page.game is not None

    @property
    def is_wiki(self) -> bool:
        """Whether the page is a MediaWiki's or a PukiWiki's, on any host, or of a wiki that a
        plug-in reads."""
        return self.page.engine in {"mediawiki", "pukiwiki", *engines_of_plugins()}


def extracted_size(passage: Passage) -> int:
    """Return how much there is to extract from in a passage: its characters, and 20 a line break.

    >>> extracted_size(Passage("paragraph", "札を\\n引く"))
    25
    """
    return len(passage.text) + _LINE_SIZE * passage.text.count("\n")
