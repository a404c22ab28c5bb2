"""The dataclasses of a verification: a citation or quotation in a text, and what became of it.

With them: the text that makes the claims and what they are held against, and the spans of a text
near a place, in a time that does not grow with how many there are.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Generic, Literal, Protocol, TypeVar

from graphs.model import Node
from graphs.store.reader import Store
from kb.checking.claims.game_and_edition_meant import TextContext
from kb.checking.claims.loaded_rulebooks import Rulebooks
from kb.checking.claims.quotation_sources import QuotationSources
from kb.checking.claims.readable_text import readable_text
from kb.reason import Reason
from kb.result import reported


class Span(Protocol):
    """Anything with a place in a text."""

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


T = TypeVar("T", bound=Span)


class SpanIndex(Generic[T]):
    """Spans of one text, in order of their beginnings; they may overlap."""

    def __init__(self, spans: Iterable[T]) -> None:
        self.spans = sorted(spans, key=lambda one: (one.start, -one.end))
        self._starts = [one.start for one in self.spans]
        self._ends = sorted(one.end for one in self.spans)
        # The end of the longest of all that begin up to a place tells whether any reaches so far.
        self._reach = list(accumulate((one.end for one in self.spans), max))

    def beginning_in(self, start: int, end: int) -> list[T]:
        """Return the spans that begin in [start, end], in order; those that begin at `end`, too."""
        return self.spans[bisect_left(self._starts, start) : bisect_right(self._starts, end)]

    def within(self, start: int, end: int) -> list[T]:
        """Return the spans that lie in [start, end], in order, also in each other."""
        return [one for one in self.beginning_in(start, end) if one.end <= end]

    def around(self, start: int, end: int) -> list[T]:
        """Return the spans that [start, end) lies in, the last begun first; empty without any."""
        found: list[T] = []
        index = bisect_right(self._starts, start) - 1
        while index >= 0 and self._reach[index] >= end:
            if self.spans[index].end >= end:
                found.append(self.spans[index])
            index -= 1
        return found

    def touches(self, start: int, end: int) -> bool:
        """Whether a span has a character of [start, end) in common."""
        index = bisect_left(self._starts, end)
        return index > 0 and self._reach[index - 1] > start

    def covers(self, start: int, end: int) -> bool:
        """Whether [start, end) lies in a span, all of it in one."""
        index = bisect_right(self._starts, start)
        return index > 0 and self._reach[index - 1] >= end

    def last_end(self, place: int) -> int:
        """Return where the last span ends that ends before a place or at it; 0 without one."""
        index = bisect_right(self._ends, place)
        return self._ends[index - 1] if index else 0


class VerifiedText:
    """A text and what is known of it.

    store, rulebooks, sources: the knowledge base, its rules, and where words of quotations stand.
    readable: the text as people read it.
    context: which game and edition is meant at which place.
    asked_game, asked_edition, asked_lang: what a person says that it is about; None if nothing.
    """

    def __init__(
        self,
        store: Store,
        text: str,
        game: str | None,
        edition: str | None,
        lang: str | None,
        rulebooks: Rulebooks,
        sources: QuotationSources,
        is_code: bool = False,
    ) -> None:
        """rulebooks, sources: of the store, for several texts. is_code: whether the text is the
        comments and strings of source code."""
        self.store, self.rulebooks, self.sources, self.is_code = store, rulebooks, sources, is_code
        self.asked_game, self.asked_edition, self.asked_lang = game, edition, lang
        self.readable = readable_text(text)
        self.context = TextContext(self.readable.text, self.rulebooks, game, edition)

    def games_quoted(self, offset: int) -> tuple[str, ...]:
        """Return the games whose rules may be quoted at some place, the likeliest first: those of
        `TextContext.games_at`, then all others with rules, unless a person asked for one."""
        likely = self.context.games_at(offset)
        others = () if self.asked_game else self.rulebooks.games
        return tuple(dict.fromkeys([*likely, *others]))

    def lang_named(self, offset: int) -> str | None:
        """Return the language that a person asks for, or that the text names for the rules at a
        place; None if neither does, and where a person asks for an edition, which is meant in
        whatever language there is."""
        if self.asked_edition:
            return None
        return self.asked_lang or self.context.lang_named(offset)

    def known_numbers(self) -> frozenset[str]:
        """Return the numbers of the rules of the games that the text is about or names, of all
        editions; if it is about none, of all games."""
        last = self.context.games_at(len(self.readable.text))
        games = {self.context.game, *last, *self.context.named_games}
        return frozenset().union(*map(self.rulebooks.known, games))


ClaimKind = Literal["citation", "quotation"]
Verdict = Literal[
    "exact",
    "typographic",
    "not loaded",
    "repaired",
    "contradicts",
    "other edition",
    "moved",
    "changed",
    "gone",
    "about something else",
    "not found",
]
STANDS: frozenset[str] = frozenset(("exact", "typographic"))


@dataclass(frozen=True, slots=True)
class ChangedWords:
    """Words of a quotation that stand instead of others.

    start, end: of `text` in the claim's text. text: what the claim has there; empty if words are
        left out.
    expected: what its source has there; empty if words are added.
    """

    start: int
    end: int
    text: str
    expected: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A citation or a quotation in a text, held against the knowledge base.

    line, start, end: where it is; `start` is a column of `line`, `end` of `end_line`, both in
        characters from 0, the end excluded. A quotation is without its quotation marks.
    end_line: the last line.
    span: start and end in the whole text, in characters.
    text: the words of the text, as they stand there.
    kind: `citation` or `quotation`.
    verdict: `exact`; `typographic` (the same but for quotation marks, dashes, width, spaces,
        hyphens, case, or omissions that are marked); `not loaded` (nobody can tell:
        what would say it is not loaded, such as the edition meant in the language of the words);
        `repaired` (nearly: `expected` is right, and `changes` are the words that differ);
        `contradicts` (the same, and the words that differ or are left out turn the sense: `can` for
        `can't`); `other edition` (right in the one that `edition` names, and not in the one that is
        meant); of a text that was written for an older edition: `moved` (the rule has another
        number now), `changed` (it says something else now), `gone`; `about something else` (the
        number is there, and the sentence speaks of another rule); `not found`.
    file: that it stands in; empty of a text.
    fix: what can be written in the place of `text`, where that is sure: the number of a rule that
        moved whole.
    node: the rule cited, or what is quoted: a rule, else a passage; None if it was not found.
    expected: what should stand there: a rule's number, or the words of the source; None if nothing
        better is known.
    edition, game, lang, number, url: of the node; None if it has none.
    heading: of the rule cited, or else of the nearest rule above it that has one: a number that was
        another rule's before shows by it. None of a quotation.
    rule: the words of the rule, or of the passage; None without any.
    said: what is to be said of it; None if there is nothing to say.
    changes: of a repaired quotation.
    renumbered: the number that the rule has in the edition that is meant; None if it has none, or
        no other.
    cited: the number that a quotation is said to be of; None if none stands beside it.
    also: what else the number means, by how it is reached: `riftbound 121.4`.
    number_alone: whether a citation stands and nothing but its number was compared: no quotation
        beside it is in the words of its rule. What the sentence says may be wrong.
    """

    line: int
    start: int
    end: int
    text: str
    kind: ClaimKind
    verdict: Verdict
    node: Node | None = None
    expected: str | None = None
    said: Reason | None = None
    edition: str | None = None
    game: str | None = None
    lang: str | None = None
    number: str | None = None
    url: str | None = None
    heading: str | None = None
    rule: str | None = None
    changes: tuple[ChangedWords, ...] = ()
    renumbered: str | None = None
    cited: str | None = None
    also: tuple[str, ...] = ()
    end_line: int = 0
    span: tuple[int, int] = (0, 0)
    file: str = ""
    fix: str | None = None
    number_alone: bool = False

    @property
    def shown_verdict(self) -> str:
        """The verdict as people read it: `number exists` where nothing else was compared."""
        return "number exists" if self.number_alone else self.verdict

    @reported
    def stands(self) -> bool:
        """Whether the text is right: `exact` or `typographic`."""
        return self.verdict in STANDS

    @property
    def is_wrong(self) -> bool:
        """Whether the text is wrong, as far as what is loaded tells it: neither `stands` nor `not
        loaded`."""
        return not self.stands and self.verdict != "not loaded"

    @reported
    def message(self) -> str:
        """What is to be said of it, in one sentence; empty if there is nothing to say."""
        return str(self.said) if self.said else ""


# Characters of a rule in a claim, for display: of Magic's 3,250 rules with a point, 14 are longer.
MOST_SHOWN = 1_000


def with_node(claim: Claim, node: Node) -> Claim:
    return replace(
        claim,
        node=node,
        edition=node.edition,
        game=node.game,
        lang=node.lang,
        number=node.number,
        url=node.url,
        rule=(node.text or node.label or "")[:MOST_SHOWN],
    )
