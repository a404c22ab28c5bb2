"""Verifies a text: which of its citations and quotations are those of the knowledge base."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from graphs.store.reader import Store
from kb.checking.claims.claim import Claim, VerifiedText
from kb.checking.claims.verifier import Verifier
from kb.errors import QuestionError, SourceError
from kb.language.nearest_value import shown
from kb.query.lookup.arguments import text_of
from kb.reason import Argument, LeftOut, Reason
from kb.result import ListResult, columns, reported

# Guards of time and memory; the longest rulebook, Magic's, has less than a million characters.
LONGEST = 2_000_000  # characters of a text
MOST_CLAIMS = 10_000  # that are looked at; the rest is counted
LARGEST = 8 << 20  # bytes of a text: four for each character of `LONGEST`


@dataclass(frozen=True, slots=True, repr=False)
class Verification(ListResult[Claim], items="claims", item="claim"):
    """What a text claims of the rules, and what of it stands.

    claims: its citations and quotations, in their order.
    counts: {verdict: how many claims}, the most frequent first.
    game, edition: that it was taken to be about, or that a person asked for; None if its claims are
        of several, or of the newest edition.
    held_against: what it was held against.
    also: the games and editions that it was not taken to be about, and how to choose them.
    left_out: how many claims were not looked at, because there are too many.
    """

    claims: tuple[Claim, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
    game: str | None = None
    edition: str | None = None
    held_against: tuple[Reason, ...] = ()
    also: tuple[LeftOut, ...] = ()
    left_out: int = 0

    _COLUMNS = columns("line start kind text verdict number edition expected message")

    @reported
    def against(self) -> tuple[str, ...]:
        """What it was held against, in words, a sentence each."""
        return tuple(map(str, self.held_against))

    @reported
    def stands(self) -> bool:
        """Whether no claim is wrong, as far as what is loaded tells it; False if some were not
        looked at, True if there are none."""
        return not self.left_out and not any(claim.is_wrong for claim in self.claims)

    @property
    def problems(self) -> Verification:
        """The same with only those claims that are wrong; `counts` are those of all."""
        return replace(self, claims=tuple(claim for claim in self.claims if claim.is_wrong))


def verify(
    store: Store,
    text: str,
    game: str | None = None,
    edition: str | None = None,
    lang: str | None = None,
) -> Verification:
    """Return what a text cites and quotes, each with a verdict.

    game, edition, lang: what it is about; None for what it says itself, and the newest edition.

    Raises QuestionError if the text is longer than 2,000,000 characters.
    """
    if len(text) > LONGEST:
        sizes = {"characters": len(text), "most": LONGEST}
        raise QuestionError("verified_text_too_long", argument=Argument("text"), **sizes)
    held = VerifiedText(store, text, game, edition, lang)
    verifier = Verifier(held)
    starts = _line_starts(text)
    drafts = verifier.claims(MOST_CLAIMS)
    claims = tuple(_placed(draft, text, starts) for draft in drafts)
    return Verification(
        claims,
        dict(Counter(claim.verdict for claim in claims).most_common()),
        held.context.game,
        held.context.edition_of_text,
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


def text_to_verify(given: object) -> str:
    """Return the text that a person gives: as text, as bytes, or as the path of a file. Of bytes
    and files the charset is recognised, and each line ends with a line feed alone.

    Raises SourceError if a file can't be read, if it or bytes are too large or no text, and
    QuestionError for anything else.

    >>> text_to_verify("See 121.4".encode("utf-16"))
    'See 121.4'
    """
    if isinstance(given, str):
        return text_of("text", given, empty=True)
    if isinstance(given, bytes):
        return _decoded(given)
    if isinstance(given, Path):
        from kb.checking.drafts.draft_file import open_draft

        return open_draft(given, LARGEST).text
    raise QuestionError("no_text_to_verify", argument=Argument("text"), given=shown(given))


def _decoded(data: bytes) -> str:
    if len(data) > LARGEST:
        raise SourceError(f"larger than {LARGEST >> 20} MB; verify it in parts")
    from scraper.sources.charset import decode

    text = decode(data).text
    if "\0" in text:
        raise SourceError("not a text (it has NUL characters)")
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
