"""Prints outcomes, steps and rulings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from kb.cli.render.output import (
    Part,
    bold,
    cell_width,
    counted,
    dim,
    echo,
    end_of_result,
    print_nothing,
    shortened,
)
from kb.cli.render.passages import (
    Addresses,
    elsewhere,
    place_name,
    print_elsewhere,
    print_place,
    section_name,
)

if TYPE_CHECKING:
    from kb import Outcome, Outcomes, Procedure, Procedures, Ruling, Rulings

_MARKS = "must, may, cannot: demanded, allowed, forbidden; without a mark: so it is"
_MARK_WIDTH = 8  # columns of the modality: those of `except: `, and two more than `cannot` has
# Columns of a statement that an outcome is an exception to, by hand: less than a line, as it stands
# before the outcome itself.
_MAX_STATEMENT = 60
# Of exceptions to exceptions that are indented: 36 columns with the indent of a section, which
# leave about half of a line of 80.
_MAX_DEPTH = 4
_INDENT = 2  # columns, as `echo` indents what continues


def print_outcomes(result: Outcomes, ref: str) -> None:
    """Print outcomes as blocks, by game: the section, what they are about, and each condition with
    its result. An exception stands below the statement that it is an exception to. If there is no
    outcome, print a message on standard error.

    ref: what the outcomes were asked for, as the person typed it.
    """
    if not result.outcomes:
        print_nothing(f"No outcome is stated for {ref}.", left_out=result.also)
        return
    echo(dim(_MARKS))
    addresses = Addresses()
    exceptions = _exceptions(result.outcomes)
    games = list(dict.fromkeys(outcome.place.game for outcome in result.outcomes))
    shown_game = ""
    for block in _by_place(result.outcomes, exceptions):
        echo()
        if len(games) > 1 and block[0].place.game != shown_game:
            shown_game = block[0].place.game
            echo(bold(f"{ref} in {shown_game}"), dim(f"  only these: --game {shown_game}"))
            echo()
        _print_block(block, exceptions, addresses)
    end_of_result(
        sums=_sums(result, len(games)),
        cut=result.more,
        left_out=result.also,
        notices=(outcome.node.notice for outcome in result.outcomes),
    )


def _sums(result: Outcomes, games: int) -> str:
    """Return how many outcomes there are, and in how many games if in several; of a result that was
    cut `the first 50 of 212 outcomes`."""
    if result.more:
        return f"the first {len(result.outcomes)} of {counted(result.total, 'outcome')}"
    return counted(result.total, "outcome") + (f" in {games} games" if games > 1 else "")


def _exceptions(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """Return {id of an outcome: its exceptions, in order} for those that are printed below it, as
    it comes before them; an exception to a later one, or to none that is here, is not in it."""
    seen: set[str] = set()
    found: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.exception_to in seen:
            found.setdefault(outcome.exception_to or "", []).append(outcome)
        seen.add(outcome.node.id)
    return found


def _by_place(
    outcomes: Sequence[Outcome], exceptions: Mapping[str, Sequence[Outcome]]
) -> Iterator[list[Outcome]]:
    """Yield the outcomes that are not printed as exceptions, those of a section of a page (in an
    edition) in one list; the sections and the outcomes in the order given."""
    below = {outcome.node.id for group in exceptions.values() for outcome in group}
    blocks: dict[tuple[str, str, str], list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.node.id not in below:
            place = outcome.place
            key = place.page_id, section_name(place), place.edition
            blocks.setdefault(key, []).append(outcome)
    yield from blocks.values()


def _print_block(
    block: list[Outcome], exceptions: Mapping[str, Sequence[Outcome]], addresses: Addresses
) -> None:
    """Print the outcomes of one section under its heading, by rule and subject."""
    place = block[0].place
    print_place(place, name=section_name(place))
    others = Counter(elsewhere(outcome.place, outcome.same) for outcome in _all(block, exceptions))
    [(common, _)] = others.most_common(1)
    if common:
        echo(dim(f"also in {common}"), indent=_INDENT)
    addresses.print_new(place)
    subjects: dict[str, list[Outcome]] = {}
    for outcome in block:
        subjects.setdefault(_subject(outcome), []).append(outcome)
    for subject, outcomes in subjects.items():
        if subject:
            echo(bold(subject), indent=_INDENT)
        for outcome in outcomes:
            _print_outcome(outcome, exceptions, common)


def _subject(outcome: Outcome) -> str:
    """Return the number of the rule that states an outcome, and what it is about unless the heading
    of the section says so; empty if there is neither."""
    place = outcome.place
    subject = "" if outcome.subject in (place.heading, place_name(place)) else outcome.subject
    return f"{place.number} {subject}".strip()


def _all(
    outcomes: Iterable[Outcome], exceptions: Mapping[str, Sequence[Outcome]]
) -> Iterator[Outcome]:
    """Yield outcomes, each followed by its exceptions and theirs."""
    waiting = list(outcomes)[::-1]
    while waiting:
        outcome = waiting.pop()
        yield outcome
        waiting += list(exceptions.get(outcome.node.id, ()))[::-1]


def _print_outcome(
    outcome: Outcome, exceptions: Mapping[str, Sequence[Outcome]], common: str
) -> None:
    """Print an outcome and, below it, its exceptions.

    common: where else most outcomes of the section stand, which its heading says.
    """
    waiting = [(outcome, 0)]
    while waiting:
        stated, depth = waiting.pop()
        subject = stated.subject if stated.subject != outcome.subject else ""
        _print_statement(stated, depth, subject, common)
        waiting += [(child, depth + 1) for child in exceptions.get(stated.node.id, ())][::-1]


def _print_statement(outcome: Outcome, depth: int, subject: str, common: str) -> None:
    """Print one condition with its result behind its modality.

    depth: how many statements it is an exception below.
    subject: printed before the condition, where the heading above is another one.
    common: where else it stands if nothing is said.
    """
    indent = 2 * _INDENT + _MARK_WIDTH * min(depth, _MAX_DEPTH)
    mark = "" if outcome.modality == "is" else outcome.modality
    hang = _MARK_WIDTH
    parts: list[Part] = []
    if depth:
        parts = [dim(f"except: {mark}".rstrip() + " ")]
    elif mark:
        parts = [dim(mark.ljust(_MARK_WIDTH))]
    else:
        indent, hang = indent + _MARK_WIDTH, 0
    if outcome.exception_to and not depth:
        parts.append(dim(f"(except from 「{shortened(outcome.exception_to, _MAX_STATEMENT)}」) "))
    if subject:
        parts.append(f"{subject}: ")
    if outcome.condition:
        parts += [_on_one_line(outcome.condition), dim(" → ")]
    parts.append(_on_one_line(outcome.result))
    others = elsewhere(outcome.place, outcome.same)
    if others != common:
        parts.append(dim(f"  (also in {others})" if others else f"  (not in {common})"))
    echo(*parts, indent=indent, hang=hang)


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


_MARK = 3  # columns of what tells a question from an answer: `Q` or `A`, and two spaces


def print_rulings(result: Rulings, ref: str) -> None:
    """Print each question with its answer and date under the page that has it. If there is none,
    print a message on standard error.

    ref: what the rulings were asked for, as the person typed it.
    """
    if not result.rulings:
        print_nothing(f"No ruling speaks of {ref}.", left_out=result.also)
        return
    addresses = Addresses()
    of_places = groupby(result.rulings, lambda ruling: (ruling.place.page_id, ruling.place.section))
    for number, (_, rulings) in enumerate(of_places):
        if number:
            echo()
        _print_page(list(rulings), addresses)
    shown = counted(len(result.rulings), "ruling")
    end_of_result(
        sums=f"the first {shown}" if result.more else shown,
        cut=result.more,
        left_out=result.also,
        notices=(ruling.node.notice for ruling in result.rulings),
    )


def _print_page(rulings: list[Ruling], addresses: Addresses) -> None:
    """Print the rulings of one section of a page under its name."""
    place = rulings[0].place
    print_place(place)
    addresses.print_new(place)
    for ruling in rulings:
        echo(dim("Q".ljust(_MARK)), " ".join(ruling.question.split()), indent=2, hang=_MARK)
        first, *others = ruling.answer.splitlines() or [""]
        echo(dim("A".ljust(_MARK)), first, indent=2, hang=_MARK)
        for line in others:
            echo(line, indent=2 + _MARK)
        if ruling.date:
            echo(dim(ruling.date), indent=2 + _MARK)


# Characters; a longer one is cut at the end of a sentence. By hand: two lines of 80, four in
# Japanese, so that the steps are on the screen, too.
_USUAL_INTRODUCTION = 160
# A Latin sign only before white space: `704.5a` has a dot, too.
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
    """Return how many procedures there are: `2 procedures, 3 more that mention it`."""
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
    names = [step.rule or f"{step.n}." for step in procedure.steps]
    width = max(map(cell_width, names), default=0)
    for name, step in zip(names, procedure.steps, strict=True):
        words = " ".join(step.text.split())
        if step.rule and words.lower().startswith(step.rule.lower()):
            words = words[len(step.rule) :].lstrip(" .．:：")
        padding = " " * (width - cell_width(name) + 1)
        echo(dim(name), padding, words, indent=2, hang=width + 1)
    print_elsewhere(place, procedure.same)
    addresses.print_new(place)


def _shortened(text: str) -> tuple[str, ...]:
    """Return an introduction as parts to print: its whole sentences within 160 characters, or the
    first if that alone is longer, and ` …`; all of a text that is no longer or has no end of a
    sentence."""
    text = " ".join(text.split())
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    if len(text) <= _USUAL_INTRODUCTION or not ends:
        return (text,)
    cut = max((end for end in ends if end <= _USUAL_INTRODUCTION), default=ends[0])
    return (text[:cut], " …") if cut < len(text) else (text,)
