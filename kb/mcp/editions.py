"""The tools `trace`, a rule through all editions, and `align`, a rulebook in two languages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from kb import KnowledgeBase
from kb.mcp.citing import Game, Lang, Skip, listed
from kb.mcp.comparing import change_lines
from kb.mcp.replies import Reply, fact, name, part_of, quote, reply
from kb.shared_wording import counted

if TYPE_CHECKING:
    from kb import AlignedPair, Problem, TraceEntry

# By hand: entries that stayed the same take a line, and those that changed hundreds of characters.
_MostEditions = Annotated[int, Field(ge=1, le=60, description="Editions at most.")]
_MostRules = Annotated[int, Field(ge=1, le=40, description="Rules at most.")]
_RuleRef = Annotated[
    str,
    Field(
        min_length=1,
        max_length=300,
        description="The rule: its number (701.19), heading or term, or id.",
    ),
]
_OfEdition = Annotated[
    str | None, Field(description="The edition in which the number is meant: 20231117.")
]
_Language = Field(min_length=2, max_length=12)
_First = Annotated[str, _Language, Field(description="One language: ja.")]
_Second = Annotated[str, _Language, Field(description="The other: en.")]
_Rule = Annotated[
    str | None,
    Field(max_length=40, description="Only this rule and its sub-rules: 704."),
]
_Edition = Annotated[
    str | None, Field(description="Only this edition: 20231117. Without it all that both have.")
]
_OnlyProblems = Annotated[bool, Field(description="Only rules where the two disagree.")]
_MAX_SUB_RULES = 12  # of which is said what changed, in a line


def trace(
    base: KnowledgeBase,
    ref: _RuleRef,
    game: Game = None,
    edition: _OfEdition = None,
    lang: Lang = None,
    most: _MostEditions = 30,
    skip: Skip = 0,
) -> Reply:
    """Tell the history of one rule through all editions: when it came, moved, was reworded, split,
    merged or removed, with the words. Use it for "since when does 903.4 say so?" and "what was the
    number of this rule in 2023?". For all changes between two editions use diff."""
    found = base.trace(ref, game=game, edition=edition, lang=lang)
    own = [(entry, _entry_lines(found.history, place)) for place, entry in enumerate(found.history)]
    origins = [
        (entry, [f"before {fact(origin.became)} of {fact(origin.in_edition)}, {first}", *lines])
        for origin in found.origins
        for entry in origin.events
        for first, *lines in [_entry_lines(origin.history, origin.history.index(entry))]
    ]
    entries = own + origins
    part = part_of(entries, lambda each: each[1], skip, most, "editions")
    text = [f"history · {fact(found.game)} · {fact(found.lang)}", *part.lines]
    items = [
        {"edition": entry.edition, "number": entry.number, "change": entry.kind}
        for entry, _ in entries[skip : part.stop]
    ]
    return reply(text, items, part, found.also, [base.notice])


def _entry_lines(history: Sequence[TraceEntry], place: int) -> list[str]:
    entry = history[place]
    # The first that is loaded: the rule may be older.
    kind = entry.kind if place or entry.kind != "first" else "first edition loaded"
    lines = [f"edition {fact(entry.edition)}: {fact(entry.number or '?')} · {kind}"]
    before = history[place - 1].edition if place else ""
    if entry.change and before:
        lines += change_lines(entry.change, before, entry.edition)[1:]
    elif entry.text is not None and not (place and entry.kind in ("same", "sub-rules")):
        lines += quote(entry.text)
    below = [
        f"{fact(text.number)} {change.kind}"
        for change in entry.sub_rules
        if (text := change.after or change.before)
    ]
    lines += [f"sub-rules: {listed(below, _MAX_SUB_RULES)}"] if below else []
    for words, numbers in (("took in", entry.took_in), ("split off", entry.split_off)):
        lines += [f"{words} {listed(map(fact, numbers))}"] if numbers else []
    return lines


def align(
    base: KnowledgeBase,
    lang: _First,
    other: _Second,
    rule: _Rule = None,
    edition: _Edition = None,
    game: Game = None,
    only_problems: _OnlyProblems = False,
    most: _MostRules = 20,
    skip: Skip = 0,
) -> Reply:
    """Show the rules of one edition in two languages side by side, and where they disagree: rules
    that one lacks, other numbers, other citations. Use it for "how is 704.5 worded in Japanese and
    English?" and to check an official translation (only_problems=true)."""
    found = base.align(lang, other, rule=rule, edition=edition, game=game)
    rows = [
        (rule, problems, rule.numbers.get(found.langs[1], ""))
        for rule, problems in found.rules()
        if problems or not only_problems
    ]
    part = part_of(rows, lambda row: list(_row_lines(*row)), skip, most, "rules")
    editions = listed(dict.fromkeys(fact(pair.edition) for pair in found.pairs))
    text = [
        f"{counted(len(found.pairs), 'rule')} in both {fact(lang)} and {fact(other)}"
        f"{f' (edition {editions})' if editions else ''}; "
        f"{counted(len(found.problems), 'problem')}"
    ]
    for each in found.not_loaded:
        where = f"edition {fact(each.edition)} in {fact(each.lang)}"
        text.append(
            f"not compared: {counted(each.rules, 'rule')}: only a part of {where} is loaded"
        )
    for first, second in found.translated_by.items():
        # Which is the original, no edition says for sure.
        text.append(
            f"neighbouring editions, of different dates: {fact(first)} in {fact(lang)}, "
            f"{fact(second)} in {fact(other)}; what differs may be a change and no fault"
        )
    items = [
        {
            "game": rule.game,
            "edition": rule.edition,
            "number": rule.number,
            "other": other,
            "problems": [one.kind for one in problems],
        }
        for rule, problems, other in rows[skip : part.stop]
    ]
    lines = [*text, *([""] if part.lines else []), *part.lines]
    return reply(lines, items, part, found.also, [base.notice])


def _row_lines(rule: AlignedPair, problems: Iterable[Problem], other: str) -> Iterator[str]:
    number = fact(rule.number) + (f" / {fact(other)}" if other else "")
    yield f"{number} · {fact(rule.game)} · edition {fact(rule.edition)}"
    for lang, text in rule.texts.items():
        yield from (f"{fact(lang)}:", *quote(text))
    for one in problems:
        yield f"problem: {one.kind}: {name(one.what, 300)}"
