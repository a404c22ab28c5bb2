"""Prints answers with their citations, for `sansho ask`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kb.cli.render.output import (
    bold,
    dim,
    echo,
    end_of_result,
    field,
    print_nothing,
    said,
    warning,
)
from kb.cli.render.places import Addresses, elsewhere, print_elsewhere, print_place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kb import Answer, Answers

_MAX_REST = 300  # characters of a passage besides the sentence that decides
_MAX_CITED = 8  # citations that are printed
_INDENT = 3


def print_answers(result: Answers, why: bool = False) -> None:
    """Print the passages that answer a question: first the sentence that decides, then where it
    stands and what it cites; without any, a message on standard error.

    why: print also the reasons why each was chosen, and what was asked and not found.
    """
    if not result.answers:
        _print_nothing(result)
    addresses = Addresses()
    beneath: dict[str, list[Answer]] = {}
    for answer in result.answers:
        beneath.setdefault(answer.group or answer.passage.id, []).append(answer)
    for answer, *siblings in beneath.values():
        if answer.rank > 1:
            echo()
        _print_answer(answer, addresses, why)
        if siblings:
            _print_siblings(answer, siblings, why)
    if result.answers and (missing := _missing(result)):
        echo()
        echo(dim(f"{missing[0].upper()}{missing[1:]}."))
    end_of_result(notices=(answer.node.notice for answer in result.answers))


def _print_nothing(result: Answers) -> None:
    """Print that the pages do not say, of which words nothing speaks, which game is not loaded, and
    what is near to them."""
    missing = _missing(result)
    print_nothing(f"The pages do not say{': ' if missing else ''}{missing}.", result.hints)


def _missing(result: Answers) -> str:
    """Return what of a question is not loaded and which of its words no page has; empty if none."""
    games = f"{_or(result.missing_games)} is not loaded" if result.missing_games else ""
    words = f"nothing here speaks of {_or(result.unknown)}" if result.unknown else ""
    return "; ".join(filter(None, [games, words]))


def _or(words: tuple[str, ...]) -> str:
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def _print_answer(answer: Answer, addresses: Addresses, why: bool) -> None:
    """Print one answer."""
    place = answer.place
    text = answer.passage.text or ""
    start, end = answer.decides
    echo(f"{answer.rank}. ".ljust(_INDENT), bold(_on_one_line(text[start:end])), hang=_INDENT)
    if rest := _rest(answer):
        echo(dim(rest), indent=_INDENT, hang=0)
    print_place(place, _INDENT)
    print_elsewhere(place, answer.same, _INDENT)
    if others := elsewhere(place, answer.reworded):
        echo(dim(f"in other words in {others}"), indent=_INDENT)
    if answer.gone:
        echo(warning(said(answer.gone)), indent=_INDENT)
    addresses.print_new(place, _INDENT)
    if cited := _cited(answer):
        field("cites", cited, indent=_INDENT)
    if answer.part:
        field("on", answer.part, indent=_INDENT)
    if why:
        _print_why(answer, _INDENT)


def _print_siblings(answer: Answer, siblings: Sequence[Answer], why: bool) -> None:
    """Print the answers that are sub-rules of the same rule as one above them: of each its number
    and the sentence that decides."""
    rule = answer.group.rpartition("/")[2]
    echo(f"also under {f'{rule} {answer.place.heading}'.rstrip()}:", indent=_INDENT)
    for sibling in siblings:
        start, end = sibling.decides
        sentence = _on_one_line((sibling.passage.text or "")[start:end])
        label = f"{sibling.rank}. {sibling.place.number}  "
        echo(label, sentence, indent=_INDENT, hang=_INDENT)
        inner = 2 * _INDENT
        if sibling.part and sibling.part != answer.part:
            field("on", sibling.part, indent=inner)
        if why:
            _print_why(sibling, inner)


def _print_why(answer: Answer, indent: int) -> None:
    """Print why an answer was chosen, and what it does not have."""
    field("why", "; ".join(map(said, answer.why)), indent=indent)
    if answer.not_found:
        field("not there", ", ".join(answer.not_found), indent=indent)


def _rest(answer: Answer) -> str:
    """Return the passage around the sentence that decides, which is … here; empty if there is
    nothing else. What is long is cut, with another …."""
    before, behind = answer.context(_MAX_REST)
    return f"{before} … {behind}".strip() if before or behind else ""


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def _cited(answer: Answer) -> str:
    """Return the rules that an answer cites, each once, with what they are about."""
    cited: dict[str, str] = {}
    for edge, heading in zip(answer.citations, answer.headings, strict=True):
        cited[edge.target_label] = cited.get(edge.target_label) or heading
    parts = [f"{number} {heading}".rstrip() for number, heading in cited.items()]
    more = [f"and {len(parts) - _MAX_CITED} more"] if len(parts) > _MAX_CITED else []
    return "; ".join([*parts[:_MAX_CITED], *more])
