"""Verifies a text: which of its citations and quotations are those of the knowledge base."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from graphs.store.reader import Store
from kb.checking.claims.claim import Claim
from kb.checking.claims.verifier import Verifier
from kb.errors import QuestionError
from kb.query.list_result import ListResult
from kb.query.table_result import Table, table_row
from kb.reason import Argument, LeftOut, Reason

LONGEST = 2_000_000  # characters of a text
MOST_CLAIMS = 10_000


@dataclass(frozen=True, slots=True, repr=False)
class Verification(ListResult[Claim]):
    """What a text claims of the rules, and what of it stands.

    claims: its citations and quotations, in their order.
    counts: {verdict: how many claims}, the most frequent first.
    game, edition: that it was taken to be about, or that a person asked for; None if its claims are
        of several, or of the newest edition.
    against: what it was held against.
    also: the games and editions that it was not taken to be about, and how to choose them.
    left_out: how many claims were not looked at, because there are too many.
    """

    claims: tuple[Claim, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
    game: str | None = None
    edition: str | None = None
    against: tuple[Reason, ...] = ()
    also: tuple[LeftOut, ...] = ()
    left_out: int = 0

    _ITEM = "claim"

    def _items(self) -> tuple[Claim, ...]:
        return self.claims

    @property
    def stands(self) -> bool:
        """Whether all claims are right."""
        return not self.left_out and all(claim.stands for claim in self.claims)

    @property
    def problems(self) -> Verification:
        """The same with only those claims that don't stand; `counts` are those of all."""
        return replace(self, claims=tuple(claim for claim in self.claims if not claim.stands))

    def table(self) -> Table:
        """Return a table with a row per claim: `line`, `start`, `kind`, `text`, `verdict`,
        `number`, `edition`, `expected`, `message`."""
        names = (
            "line", "start", "kind", "text", "verdict", "number", "edition", "expected", "message",
        )  # fmt: skip
        return Table(
            tuple(
                table_row(**{name: getattr(claim, name) for name in names}) for claim in self.claims
            )
        )

    def as_json(self) -> dict[str, Any]:
        """Return the object that `sansho verify --json` prints."""
        claims: list[Mapping[str, Any]] = [claim.as_json() for claim in self.claims]
        return {
            "claims": claims,
            "counts": dict(self.counts),
            "stands": self.stands,
            "game": self.game,
            "edition": self.edition,
            "against": list(map(str, self.against)),
            "against_said": [reason.as_json() for reason in self.against],
            "also": [each.as_json() for each in self.also],
            "left_out": self.left_out,
        }


def verify(
    store: Store,
    text: str,
    game: str | None = None,
    edition: str | None = None,
    lang: str | None = None,
) -> Verification:
    """Return what a text cites and quotes, each with a verdict.

    game, edition, lang: what it is about; None for what it says itself, and the newest edition.

    Raises QuestionError if the text is too long.
    """
    if len(text) > LONGEST:
        sizes = {"characters": len(text), "most": LONGEST}
        raise QuestionError("verified_text_too_long", argument=Argument("text"), **sizes)
    verifier = Verifier(store, text, game, edition, lang)
    starts = _line_starts(text)
    drafts = verifier.claims(MOST_CLAIMS)
    claims = tuple(_placed(draft, text, starts) for draft in drafts)
    return Verification(
        claims,
        dict(Counter(claim.verdict for claim in claims).most_common()),
        verifier.context.game,
        verifier.context.edition_of_text,
        tuple(verifier.against(claims)),
        tuple(verifier.also(claims)),
        verifier.left_out,
    )


def _line_starts(text: str) -> list[int]:
    starts = [0]
    position = text.find("\n")
    while position >= 0:
        starts.append(position + 1)
        position = text.find("\n", position + 1)
    return starts


def _placed(claim: Claim, text: str, starts: list[int]) -> Claim:
    """Return a claim with its lines and columns, which follow from its span."""
    start, end = claim.span
    line = bisect_right(starts, start)
    last = bisect_right(starts, max(start, end - 1))
    return replace(
        claim,
        line=line,
        start=start - starts[line - 1],
        end=end - starts[last - 1],
        end_line=last,
        text=text[start:end],
    )
