"""The dataclasses of a verification: a citation or quotation in a text, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from graphs.model import Node
from kb.reason import Reason
from kb.result import reported

ClaimKind = Literal["citation", "quotation"]
Verdict = Literal[
    "exact", "typographic", "not loaded", "repaired", "contradicts", "other edition", "not found"
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
        meant); `not found`.
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
