"""Prints what changed between two editions, for `sansho diff`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from kb.cli.render.editions.changed_text import changed_citations, numbers_of, print_old_and_new
from kb.cli.render.line_breaking import cell_width
from kb.cli.render.output import (
    also,
    bold,
    counted,
    dim,
    echo,
    more,
    note,
    print_table,
    shortened,
    text_width,
    total,
)
from kb.cli.wording import command_with

if TYPE_CHECKING:
    from kb import Diff, RuleChange

# Changes that leave a rule's own words as they were, but for the numbers that it cites.
_ON_ONE_LINE = frozenset(("merged", "moved", "renumbered", "moved+renumbered"))
_TYPOGRAPHY = "in quotation marks, dashes, width or spaces"
_GLOSSARY_KINDS = ("added", "removed", "changed", "renumbered")
_LONG = 36  # changes; of more, the sections are listed first. By hand: more than a few screens


def print_diff(result: Diff, notice: str, glossary: bool = False) -> None:
    """Print how many rules changed and how, by section too if they are many; then each of them with
    the words that differ.

    notice: the knowledge base's notice to readers, printed below; empty if there is none.
    glossary: whether to print the entries of the glossary that changed, instead of the rules.
    """
    language = result.loaded[0].language
    echo(bold(f"{result.before} → {result.after}"), dim(f"  {result.game} · in {language}"))
    total(_sums(result))
    _print_what_is_not_listed(result)
    also(result.also)
    if len(result.changes) > _LONG and len(result.sections) > 1 and not glossary:
        _print_sections(result)
    was_short = False
    for change in (result.glossary or ()) if glossary else result.changes:
        is_short = change.kind in _ON_ONE_LINE
        if not (is_short and was_short):
            echo()
        (_print_on_one_line if is_short else _print_texts)(change)
        was_short = is_short
    if notice:
        echo()
        note([notice])


def _sums(result: Diff) -> str:
    """Return how many rules are listed of each kind, and how many are the same: `3 added, 400
    same`."""
    listed = {change.kind for change in result.changes}
    counts: dict[str, int] = {
        kind: count for kind, count in result.counts.items() if kind in listed
    }
    return f"{_list_counts(counts)}{', ' if counts else ''}{result.same:,} same"


def _list_counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {kind}" for kind, count in counts.items())


def _print_what_is_not_listed(result: Diff) -> None:
    """Print how many of the same rules differ in typography or examples alone, how many changes
    were filtered out, and how many rules can't be compared."""
    listed = {change.kind for change in result.changes}
    for kind, count in (("typographic", result.typographic), ("examples", result.examples)):
        if count and kind not in listed and kind not in result.filtered_out:
            verb, whose = ("differs", "its") if count == 1 else ("differ", "their")
            where = f"in {whose} examples" if kind == "examples" else _TYPOGRAPHY
            echo(f"{count:,} of the same {verb} only {where}; --{kind} lists them")
    if result.filtered_out:
        echo(f"left out by the filters: {_list_counts(result.filtered_out)}")
    if result.glossary is not None:
        kinds = Counter[str](change.kind for change in result.glossary)
        what = ", ".join(f"{kinds[kind]:,} {kind}" for kind in _GLOSSARY_KINDS if kinds[kind])
        more((f"glossary: {what or 'the same'}", command_with(glossary=True) if kinds else ""))
    for edition, count in result.not_loaded.items():
        other = result.before if edition == result.after else result.after
        loaded = next(one for one in result.loaded if one.edition == edition)
        share = f"{loaded.rules:,} of {loaded.of:,}" if loaded.of else f"only {loaded.rules:,}"
        echo(
            f"not loaded: {counted(count, 'rule')} of {other} can’t be looked up in {edition}: of "
            f"that edition {share} rules are here in {loaded.language}"
        )


def _print_sections(result: Diff) -> None:
    """Print how many changes of each kind there are by section, and how to see fewer."""
    echo()
    room = text_width() // 2
    rows = [
        (
            bold(section.number),
            shortened(section.heading, room),
            _list_counts(section.counts),
        )
        for section in result.sections
    ]
    print_table(("", "", ""), rows)
    number = max(result.sections, key=lambda section: sum(section.counts.values())).number
    more(f"Fewer: --under {number}, --kind added,changed, --words WORDS, --mentions TERM")


def _print_on_one_line(change: RuleChange) -> None:
    """Print a rule's numbers, the kind of change, and the beginning of its text, or the numbers of
    cited rules that changed."""
    numbers = numbers_of(change)
    citations = changed_citations(change)
    rule = change.after or change.before
    text = rule.text if rule else ""
    room = text_width() - cell_width(f"{numbers}  {change.kind}  ")
    what = citations or shortened(text, max(20, room))
    echo(bold(numbers), dim(f"  {change.kind}  "), what, hang=4)


def _print_texts(change: RuleChange) -> None:
    """Print a rule's numbers, the kind of change, and its texts with the differences marked."""
    echo(bold(numbers_of(change)), dim(f"  {change.kind}"))
    print_old_and_new(change, indent=2)
