"""Prints what became of the claims of a text, for `sansho verify`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kb.cli.render.output import (
    Part,
    bad,
    bold,
    counted,
    dim,
    echo,
    end_of_result,
    good,
    said,
    warning,
    with_marks,
)

if TYPE_CHECKING:
    from kb import Claim, Verification

_WIDEST = 240  # characters of a text
_LONGEST_PATH = 40


def print_verification(result: Verification, notice: str, name: str) -> None:
    """Print each claim with its place, its verdict and the rule that shows it; below them what the
    text was held against, and how many claims there are of each verdict.

    name: of the text. notice: the knowledge base's notice to readers; empty if there is none.
    """
    place = name if len(name) <= _LONGEST_PATH else Path(name).name
    for claim in result.claims:
        _print_claim(place, claim)
    if result.claims:
        echo()
    for reason in result.held_against:
        echo(dim(f"Held against {said(reason)}"))
    if result.left_out:
        echo(warning(f"! {counted(result.left_out, 'claim')} not looked at; verify it in parts"))
    kinds = ", ".join(f"{count} {verdict}" for verdict, count in result.counts.items())
    total = sum(result.counts.values())
    sums = counted(total, "claim") + (f": {kinds}" if kinds else "")
    if hidden := total - len(result.claims):
        sums += f"; the {hidden} others are shown with --all"
    end_of_result(sums=sums, left_out=result.also, notices=[notice])


def _print_claim(place: str, claim: Claim) -> None:
    """Print a claim: where it stands and its verdict, then its words, its source and what is
    expected."""
    verdict = bad(claim.verdict) if claim.is_wrong else good(claim.verdict)
    where = bold(f"{place}:{claim.line}:{claim.start + 1}")
    echo(where, "  ", verdict, dim(f"  {claim.kind}"))
    echo(*_words(claim), indent=4)
    if claim.said:
        message = said(claim.said)
        echo(warning(message) if claim.is_wrong else dim(message), indent=4)
    if source := _source(claim):
        echo(dim(source), indent=4)
    if not claim.is_wrong:
        return
    if claim.expected and claim.kind == "quotation":
        spans = _expected_spans(claim)
        echo("→ ", *with_marks(_cut(claim.expected), spans, "good"), indent=4)
    elif claim.rule and claim.node:
        echo("→ ", _cut(claim.rule), indent=4)


def _words(claim: Claim) -> list[Part]:
    """Return the words of a claim, with those marked that differ from its source."""
    text = _cut(claim.text.replace("\n", " "))
    return with_marks(text, [(one.start, one.end) for one in claim.changes], "bad")


def _expected_spans(claim: Claim) -> list[tuple[int, int]]:
    """Return where the words stand in what is expected that the claim has not."""
    spans, position = [], 0
    for change in claim.changes:
        if not change.expected or not claim.expected:
            continue
        start = claim.expected.find(change.expected, position)
        if start >= 0:
            position = start + len(change.expected)
            spans.append((start, position))
    return spans


def _source(claim: Claim) -> str:
    """Return the citation line of a claim: the number, game and edition, and the address."""
    if claim.node is None:
        return ""
    what = f"rule {claim.number}" if claim.number else claim.node.id
    parts = [what, claim.game, claim.edition, claim.lang, claim.url]
    return " · ".join(part for part in parts if part)


def _cut(text: str) -> str:
    return text if len(text) <= _WIDEST else text[:_WIDEST] + "…"
