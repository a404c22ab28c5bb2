"""Prints procedures step by step, for `sansho steps`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kb.cli.render.line_breaking import cell_width
from kb.cli.render.output import bold, counted, dim, echo, end_of_result, print_nothing
from kb.cli.render.places import Addresses, place_name, print_elsewhere, print_place

if TYPE_CHECKING:
    from kb import Procedure, Procedures, Step

_USUAL_INTRODUCTION = 160  # characters; a longer one is cut at the end of a sentence
_SENTENCE_END = re.compile(r"[。！？]|[.!?](?=\s)")


def print_procedures(result: Procedures, ref: str) -> None:
    """Print procedures, each with its numbered steps; if there is none, a message on standard
    error. Those that only mention the term come last, under a line that says so.

    ref: the reference that they belong to, as the person typed it.
    """
    own = [procedure for procedure in result.procedures if procedure.why != "mention"]
    mentioning = [procedure for procedure in result.procedures if procedure.why == "mention"]
    if not result.procedures:
        print_nothing(f"No procedure belongs to {ref}.", left_out=result.also)
        return
    addresses = Addresses()
    for index, procedure in enumerate(own):
        if index:
            echo()
        _print_procedure(procedure, addresses)
    if mentioning:
        if own:
            echo()
            echo(bold(f"Procedures of other rules that mention {ref}:"))
        else:
            echo(
                f"{ref} has no procedure on its page or under its rule. ",
                bold("Procedures of other rules that mention it:"),
                hang=0,
            )
    for procedure in mentioning:
        echo()
        _print_procedure(procedure, addresses)
    end_of_result(
        sums=_sum(own, mentioning),
        left_out=result.also,
        notices=(procedure.node.notice for procedure in result.procedures),
    )


def _sum(own: list[Procedure], mentioning: list[Procedure]) -> str:
    """Return how many procedures there are."""
    verb = "mentions" if len(mentioning) == 1 else "mention"
    if not own:
        return f"{counted(len(mentioning), 'procedure')} that {verb} it"
    more = f", {len(mentioning)} more that {verb} it" if mentioning else ""
    return counted(len(own), "procedure") + more


def _print_procedure(procedure: Procedure, addresses: Addresses) -> None:
    """Print where a procedure stands, its introduction if that says more than the heading, and its
    steps; then where else it stands."""
    place = procedure.place
    print_place(place)
    text = procedure.node.label or ""
    introduction = text[place.number_length(text) :]
    if introduction.strip() and introduction.strip() not in place_name(place):
        echo(*_shortened(introduction), indent=2, hang=0)
    names = [_step_name(step) for step in procedure.steps]
    width = max(map(cell_width, names), default=0)
    for name, step in zip(names, procedure.steps, strict=True):
        words = " ".join(step.text.split())
        if step.rule:
            words = words[len(step.rule) :].lstrip(" .．:：") if _begins(words, step) else words
        padding = " " * (width - cell_width(name) + 1)
        echo(dim(name), padding, words, indent=2, hang=width + 1)
    print_elsewhere(place, procedure.same)
    addresses.print_new(place)


def _step_name(step: Step) -> str:
    """Return the number of a step: its rule's, or its own."""
    return step.rule or f"{step.n}."


def _begins(words: str, step: Step) -> bool:
    return words.lower().startswith(step.rule.lower())


def _shortened(text: str) -> tuple[str, ...]:
    """Return an introduction as parts to print: whole sentences, about 160 characters of them."""
    text = " ".join(text.split())
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    if len(text) <= _USUAL_INTRODUCTION or not ends:
        return (text,)
    cut = max((end for end in ends if end <= _USUAL_INTRODUCTION), default=ends[0])
    return (text[:cut], " …") if cut < len(text) else (text,)
