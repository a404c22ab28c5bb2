"""Verifies a text: which of its citations and quotations are those of the knowledge base."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from graphs.sort_orders import edition_key
from graphs.store.reader import Store
from kb.checking.baseline import fingerprints, read_baseline, write_baseline
from kb.checking.claims.citation_verdicts import NumberVerdicts
from kb.checking.claims.claim import Claim, VerifiedText
from kb.checking.claims.loaded_rulebooks import Rulebooks
from kb.checking.claims.other_subjects import OtherSubjects
from kb.checking.claims.quotation_sources import QuotationSources
from kb.checking.claims.stale_citations import StaleClaims
from kb.checking.claims.verifier import Verifier
from kb.checking.code_text import is_code
from kb.checking.draft import Finding
from kb.checking.fix_numbers import FixedFile, file_key, fixed_files
from kb.checking.written_numbers import (
    WrittenNumber,
    number_in,
    remembered,
    tell_apart,
    written_into,
)
from kb.errors import QuestionError, SourceError
from kb.language.nearest_value import shown
from kb.query.lookup.arguments import text_of
from kb.reason import Argument, LeftOut, Reason
from kb.result import ListResult, columns, reported

# Guards of time and memory; the longest rulebook, Magic's, has less than a million characters.
LONGEST = 2_000_000  # characters of a text
_FARTHEST = 200  # characters between a quotation and the number that it stands beside
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
    files: how many files were read; 0 for a text.
    """

    claims: tuple[Claim, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
    game: str | None = None
    edition: str | None = None
    held_against: tuple[Reason, ...] = ()
    also: tuple[LeftOut, ...] = ()
    left_out: int = 0
    files: int = 0

    _COLUMNS = columns("file line start kind text verdict number edition expected message")

    @reported
    def against(self) -> tuple[str, ...]:
        """What it was held against, in words, a sentence each."""
        return tuple(map(str, self.held_against))

    @reported
    def stands(self) -> bool:
        """Whether no claim is wrong, as far as what is loaded tells it; False if some were not
        looked at, True if there are none."""
        return not self.left_out and not any(claim.is_wrong for claim in self.claims)

    def as_sarif(self, version: str) -> dict[str, Any]:
        """Return the wrong claims as a SARIF 2.1.0 log. version: of sansho."""
        from kb.checking.sarif import sarif_of_claims

        found: dict[str, list[Finding]] = {}
        for claim in self.problems.claims:
            found.setdefault(claim.file, []).append(_finding(claim))
        return sarif_of_claims(found, version)

    def write_baseline(self, out: str | Path) -> int:
        """Write the wrong claims as a baseline for `without`, and return how many there are.

        out: the file, which is replaced, or `-`. Raises StoreError if it can't be written.
        """
        return write_baseline(map(_finding, self.problems.claims), out)

    def without(self, baseline: str | Path) -> Verification:
        """Return the same without the wrong claims that a baseline has; `counts` are those of all.

        Raises SourceError if the file is no baseline.
        """
        known = read_baseline(baseline)
        wrong = [claim for claim in self.claims if claim.is_wrong]
        prints = [each for _, each in fingerprints(map(_finding, wrong))]
        old = {id(claim) for claim, each in zip(wrong, prints, strict=True) if each in known}
        return replace(self, claims=tuple(one for one in self.claims if id(one) not in old))

    def fixed(self, left_out: dict[str, Reason] | None = None) -> list[FixedFile]:
        """Return the files in which a number can be mended, with it mended; nothing is written.

        left_out: is given the files in which none can be, and why.

        Raises SourceError if a file can't be read any more.
        """
        by_file: dict[str, list[Claim]] = {}
        for claim in self.claims:
            by_file.setdefault(claim.file, []).append(claim)
        return list(fixed_files(by_file, left_out))

    @property
    def numbers(self) -> tuple[int, int]:
        """How many citations stand, and of how many of these nothing but the number was compared:
        no quotation beside them is in the words of their rule."""
        standing = [claim for claim in self.claims if claim.stands]
        quoted = {(claim.file, claim.cited) for claim in standing if claim.kind == "quotation"}
        numbers = [(claim.file, claim.number) for claim in standing if claim.kind == "citation"]
        return len(numbers), sum(number not in quoted for number in numbers)

    @property
    def problems(self) -> Verification:
        """The same with only those claims that are wrong; `counts` are those of all."""
        return replace(self, claims=tuple(claim for claim in self.claims if claim.is_wrong))


def _finding(claim: Claim) -> Finding:
    """Return a wrong claim as a finding, for a baseline or SARIF."""
    return Finding(
        claim.line,
        claim.start,
        claim.end,
        claim.text,
        claim.verdict.replace(" ", "-"),
        claim.expected,
        said=claim.said,
        suggestion=claim.fix,
        segment_text=f"{file_key(claim.file)}\n{claim.text}",
        end_line=claim.end_line,
    )


class KnownRules:
    """What is read of a knowledge base once, for several texts."""

    def __init__(self, store: Store, against: str | None) -> None:
        """against: the edition that should hold now; None for the newest."""
        self._store, self.rulebooks = store, Rulebooks(store)
        self._sources = cache(partial(QuotationSources, store, self.rulebooks))
        self._numbers = cache(partial(NumberVerdicts, self.rulebooks))
        self.subjects = OtherSubjects(store, self.rulebooks)
        self.stale = StaleClaims(store, self.rulebooks, against)
        self.mended = remembered(store.path)

    def verifier(
        self, text: str, game: str | None, edition: str | None, lang: str | None, is_code: bool
    ) -> Verifier:
        """Return what holds a text against the rules; the arguments are those of `verify`."""
        sources = self._sources(game, lang)
        asked = VerifiedText(
            self._store, text, game, edition, lang, self.rulebooks, sources, is_code
        )
        return Verifier(asked, self._numbers(game, lang))


def verify(
    store: Store,
    text: str,
    game: str | None = None,
    edition: str | None = None,
    lang: str | None = None,
    against: str | None = None,
    known: KnownRules | None = None,
    file: str = "",
) -> Verification:
    """Return what a text cites and quotes, each with a verdict.

    game, edition, lang: what it is about; None for what it says itself, and the newest edition.
    against: the edition that should hold now, if `edition` says what the text was written for; None
        for the newest.
    known: what was read of the store before; None to read it.
    file: that has the text, by whose path numbers are known that were mended before.

    Raises QuestionError if the text is longer than 2,000,000 characters.
    """
    if len(text) > LONGEST:
        sizes = {"characters": len(text), "most": LONGEST}
        raise QuestionError("verified_text_too_long", argument=Argument("text"), **sizes)
    if edition and against and edition_key(against) < edition_key(edition):
        raise QuestionError("impact_order", before=edition, after=against)
    known = known or KnownRules(store, against)
    starts = _line_starts(text)
    code = bool(file) and is_code(file)
    verifier = known.verifier(text, game, edition, lang, code)
    drafts = verifier.claims(MOST_CLAIMS)
    against_now: tuple[Reason, ...] = ()
    if edition is None:
        drafts = known.subjects.held(drafts, text)
    else:
        mended = _Mended(text, drafts, written_into(file, known.mended))
        old = [draft for draft in drafts if draft not in mended]
        held = known.subjects.held(old, text, known.stale.after)
        drafts = [known.stale.now(draft, text) for draft in held]
        drafts = [replace(one, fix=None) if one.span in mended.unsure else one for one in drafts]
        against_now = known.stale.editions()
        if mended.places:
            now = known.verifier(text, game, against, lang, code)
            drafts += [one for one in now.claims(MOST_CLAIMS) if one in mended]
            drafts.sort(key=lambda one: one.span)
    claims = tuple(_placed(draft, text, starts) for draft in drafts)
    return Verification(
        claims,
        dict(Counter(claim.verdict for claim in claims).most_common()),
        verifier.game,
        verifier.edition,
        (*verifier.against(claims), *against_now),
        tuple(verifier.also(claims)),
        verifier.left_out,
    )


class _Mended:
    """Which claims of a text have numbers that a repair wrote into its file.

    places: {span of a citation: its number}. unsure: spans of those of which that can't be told.
    """

    def __init__(
        self, text: str, claims: Iterable[Claim], written: Sequence[WrittenNumber]
    ) -> None:
        spans = [one.span for one in claims if one.kind == "citation"] if written else []
        new, self.unsure = tell_apart(text, spans, written)
        self.places = {span: number_in(text, *span)[2] for span in new}

    def __contains__(self, claim: Claim) -> bool:
        """Whether a citation is there, or stands beside a quotation."""
        if claim.kind == "citation":
            return claim.span in self.places
        start, end = claim.span
        return any(
            claim.cited == number and first < end + _FARTHEST and start - _FARTHEST < last
            for (first, last), number in self.places.items()
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
