"""Prints one rule in all editions, for `sansho trace`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING

from kb.cli.render.editions.changed_text import changed_citations, numbers_of, print_old_and_new
from kb.cli.render.output import bold, counted, dim, echo, end_of_result
from kb.reason import Ask, Reason

if TYPE_CHECKING:
    from kb import LoadedEdition, RuleChange, Trace, TraceEntry

# Sub-rules of a kind that are named; of more, the rest is counted. By hand: about two lines of 80.
_MOST_NAMED = 12
# Kinds of changes that leave a sub-rule's text: they are counted only.
_WITHOUT_TEXT = frozenset(("same", "moved", "renumbered", "moved+renumbered"))


def print_trace(result: Trace, notice: str) -> None:
    """Print a rule's number in each edition and what happened to it: its text where it is new, the
    words that differ where it changed, and which of its sub-rules changed.

    notice: the knowledge base's notice to readers, printed below; empty if there is none.
    """
    loaded = {one.edition: one for one in result.loaded}
    newest = next(entry for entry in reversed(result.history) if entry.text is not None)
    language = loaded[newest.edition].language
    echo(bold(f"Rule {newest.number} of {newest.edition}"), dim(f"  {result.game} · in {language}"))
    for entry in result.history:
        _print_entry(entry, loaded[entry.edition])
    end_of_result(
        sums=_sums(result.history),
        cut=_how_to_see_more(result),
        left_out=result.also,
        notices=[notice],
    )


def _print_entry(entry: TraceEntry, loaded: LoadedEdition) -> None:
    """Print what a rule is in one edition."""
    if entry.kind == "not loaded":
        share = f"{loaded.rules:,} of {loaded.of:,}" if loaded.of else f"only {loaded.rules:,}"
        what = f"not loaded: {share} rules are here"
        echo(bold(entry.edition), dim(f"  {what}"))
        return
    if entry.kind == "merged" and entry.change and entry.change.before:
        echo(bold(entry.edition), f"  {numbers_of(entry.change)}  ", dim("merged into it"))
        return
    kind = "first here" if entry.kind == "first" else _own_change(entry)
    citations = changed_citations(entry.change) if entry.change else ""
    is_renumbered = kind in ("renumbered", "moved+renumbered")
    what = f"  {citations}" if is_renumbered else ""
    echo(bold(entry.edition), f"  {entry.number}  ", dim(kind), what, hang=4)
    if entry.kind == "split" and entry.change:
        echo(f"split from {entry.change.split_from}", indent=4)
    if entry.kind in ("first", "added", "split") and entry.text is not None:
        echo(entry.text, indent=4, hang=0)
    elif entry.change and entry.change.kind in ("changed", "moved+changed"):
        print_old_and_new(entry.change, indent=4)
    if entry.took_in:
        echo(f"took in {', '.join(entry.took_in)}", indent=4)
    below = {change.after.number for change in entry.sub_rules if change.after}
    if split_off := [number for number in entry.split_off if number not in below]:
        echo(f"split off {', '.join(split_off)}", indent=4)
    if entry.sub_rules:
        echo(_sub_rules(entry.sub_rules), indent=4)


def _own_change(entry: TraceEntry) -> str:
    """Return what happened to the rule itself, with `+` if it is more than one thing; `text same`
    if only its sub-rules changed."""
    kinds = [kind for kind in entry.kind.split("+") if kind != "sub-rules"]
    return "+".join(kinds) or "text same"


def _sub_rules(changes: Iterable[RuleChange]) -> str:
    """Return what happened to sub-rules, by kind: the numbers of those that were added, removed or
    changed, and behind them how many only moved or were renumbered: `sub-rules: added 1.2, 1.3; 4
    renumbered`."""
    by_kind: dict[str, list[str]] = {}
    for change in changes:
        rule = change.after or change.before
        assert rule
        by_kind.setdefault(change.kind, []).append(rule.number)
    named, counted_only = [], []
    for kind, numbers in by_kind.items():
        if kind in _WITHOUT_TEXT:
            counted_only.append(f"{len(numbers):,} {kind}")
            continue
        rest = len(numbers) - _MOST_NAMED
        more = f" and {rest:,} more" if rest > 0 else ""
        named.append(f"{kind} {', '.join(numbers[:_MOST_NAMED])}{more}")
    return f"sub-rules: {'; '.join((*named, *counted_only))}"


def _how_to_see_more(result: Trace) -> Reason | None:
    """Return the question that lists the sub-rules of the first edition that has more of them than
    are named; None if none has."""
    for before, entry in pairwise([one for one in result.history if one.text is not None]):
        kinds = Counter(change.kind for change in entry.sub_rules)
        if any(kinds[kind] > _MOST_NAMED for kind in kinds if kind not in _WITHOUT_TEXT):
            asked = {"before": before.edition, "after": entry.edition, "under": (entry.number,)}
            ask = Ask("diff", **asked, game=result.game, lang=result.lang)
            return Reason("changes_of_sub_rules", ask)
    return None


def _sums(history: Iterable[TraceEntry]) -> str:
    """Return in how many editions the rule is, and in how many it may be: `3 editions, 1 not
    loaded`."""
    having = counted(sum(entry.text is not None for entry in history), "edition")
    unknown = sum(entry.kind == "not loaded" for entry in history)
    return f"{having}, {unknown:,} not loaded" if unknown else having
