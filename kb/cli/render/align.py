"""Prints the rules of two languages, for `sansho align`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kb.cli.render.line_breaking import cell_width
from kb.cli.render.output import (
    bold,
    counted,
    dim,
    echo,
    end_of_result,
    text_width,
    warning,
)

if TYPE_CHECKING:
    from kb import AlignedPair, Alignment, Problem

_MAX_NUMBERS = 20  # of missing rules that are listed
_STOPS = (".", "。", ".”", "。」", ")", "）", ":", "：")  # at the end of a text that is no heading


def print_alignment(result: Alignment, notice: str) -> None:
    """Print each rule in two languages, a paragraph a language, and below it which citations
    differ; before the rules of an edition how much of it is loaded, and behind them the numbers of
    rules that one language lacks, at most 20.

    notice: the knowledge base's notice to readers, printed below; empty if there is none.
    """
    compared = {(pair.game, pair.edition) for pair in result.pairs}
    compared |= {(problem.game, problem.edition) for problem in result.problems}
    editions = list(dict.fromkeys((one.game, one.edition) for one in result.loaded))
    for index, (game, edition) in enumerate(one for one in editions if one in compared):
        if index:
            echo()
        _print_edition(result, game, edition)
    sums = f"{counted(len(result.pairs), 'pair')}, {counted(len(result.problems), 'problem')}"
    others = [f"{game} {edition}" for game, edition in editions if (game, edition) not in compared]
    cut = f"Not loaded in both languages: {', '.join(others)}" if others else None
    end_of_result(sums=sums, cut=cut, left_out=result.also, notices=[notice])


def _print_edition(result: Alignment, game: str, edition: str) -> None:
    """Print the rules of one edition, and where the two languages differ."""
    loaded = [one for one in result.loaded if (one.game, one.edition) == (game, edition)]
    shares = [
        f"{one.language} {one.rules:,}"
        + (f" of {one.of:,}" if one.of and one.rules < one.of else "")
        for one in loaded
    ]
    echo(bold(f"{game} {edition}"), dim(f"  rules loaded: {', '.join(shares)}"))
    problems = [one for one in result.problems if (one.game, one.edition) == (game, edition)]
    citing = {one.number: one for one in problems if one.kind == "citations"}
    for pair in result.pairs:
        if (pair.game, pair.edition) == (game, edition):
            _print_pair(pair, citing.get(pair.number))
    _print_missing([one for one in problems if one.kind == "missing"])
    languages = {one.lang: one.language for one in loaded}
    for one in result.not_loaded:
        if (one.game, one.edition) == (game, edition):
            what = f"{counted(one.rules, 'rule')} more can’t be compared:"
            echo(dim(f"{what} that part is not loaded in {languages[one.lang]}"))


def _print_pair(pair: AlignedPair, problem: Problem | None) -> None:
    """Print a rule's number and text in each language: headings on its line, other texts below it;
    and what one language alone cites.

    problem: which citations differ; None if none do.
    """
    echo()
    texts = " · ".join(" ".join(text.split()) for text in pair.texts.values())
    room = text_width() - cell_width(pair.number) - 2
    is_heading = not any(text.rstrip().endswith(_STOPS) for text in pair.texts.values())
    if is_heading and cell_width(texts) <= room:
        echo(bold(f"{pair.number}  {texts}"))
    else:
        echo(bold(pair.number))
        for lang, text in pair.texts.items():
            echo(dim(lang), "  ", text, indent=2, hang=4)
    if problem:
        cited = "; ".join(
            f"{', '.join(numbers)} in {lang} alone"
            for lang, numbers in problem.only.items()
            if numbers
        )
        echo(warning(f"cites {cited}"), indent=2, hang=4)


def _print_missing(problems: Iterable[Problem]) -> None:
    """Print the numbers of the rules that one language lacks, by the language that has them."""
    missing: dict[str, list[str]] = {}
    for problem in problems:
        missing.setdefault("".join(problem.only), []).append(problem.number)
    for lang, numbers in missing.items():
        left_out = len(numbers) - _MAX_NUMBERS
        more = f" and {left_out:,} more" if left_out > 0 else ""
        echo()
        what = f"{counted(len(numbers), 'rule')} in {lang} alone: "
        echo(warning(what), f"{', '.join(numbers[:_MAX_NUMBERS])}{more}")
