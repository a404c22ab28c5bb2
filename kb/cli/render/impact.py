"""Prints what a newer edition touches (`sansho impact`): as text, as CSV, as a list in Markdown."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from kb.cli.render.documents import markdown
from kb.cli.render.editions import print_old_and_new
from kb.cli.render.output import (
    also,
    bold,
    counted,
    dim,
    echo,
    more,
    note,
    printable,
    shortened,
    total,
    warning,
)

if TYPE_CHECKING:
    from kb import Impact, Touched

_LONGEST = 160  # characters of a statement's words: two lines of 80, by hand; --json has them whole
_MEANS = {
    "number": "cite a number that is another now, or is gone",
    "words": "give words that are others now",
    "sense": "cite a rule that says something else now",
}


def print_text(result: Impact, notice: str) -> None:
    """Print how many statements are touched, then those of each page, the words that differ marked.

    notice: the knowledge base's notice to readers, printed below; empty if there is none.
    """
    echo(bold(f"{result.before} → {result.after}"), dim(f"  {result.game} · {result.lang}"))
    stale = f"{counted(result.total, 'statement')} on {counted(len(result.pages), 'page')}"
    total(f"{stale} may be stale now, of {result.checked:,} looked at")
    if result.unchecked:
        checked = f"{counted(result.unchecked, 'statement')} could not be checked"
        echo(
            warning(f"{checked}: only a part of these editions is loaded in {result.lang}"),
            indent=2,
        )
    for kind, count in result.counts.items():
        echo(f"{count:,} {_MEANS[kind]}", indent=2)
    for page, touched in _by_page(result):
        echo()
        echo(bold(page), dim(f"  {counted(result.pages[page], 'statement')}"))
        for one in touched:
            _print_one(one)
    more(result.more)
    also(result.also)
    if notice:
        echo()
        note([notice])


def _by_page(result: Impact) -> Iterator[tuple[str, Iterable[Touched]]]:
    return groupby(result.touched, key=lambda one: one.evidence.page)


def _print_one(one: Touched) -> None:
    words = " ".join(one.sentence.split())
    echo(bold(one.kind), f"  {_numbers(one)} {one.change}  ", dim(one.evidence.passage), indent=2)
    echo(shortened(words, _LONGEST), indent=4)
    if one.kind != "number" or one.change not in ("moved", "merged"):
        print_old_and_new(one, indent=4)


def _numbers(one: Touched) -> str:
    """Return the number before and after, `121.4 → 121.5`; once if it stayed."""
    numbers = [each.number for each in (one.before, one.after) if each]
    return " → ".join(dict.fromkeys([*numbers, *([one.into] if one.into else [])]))


def print_csv(result: Impact, notice: str) -> None:
    """Print a row for each statement, below the names of the columns. notice: is not printed."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    found = result.table()
    table.writerow(found.declared)
    table.writerows([[row.get(name, "") for name in found.declared] for row in found.rows])
    print(printable(text.getvalue()), end="")


def print_markdown(result: Impact, notice: str) -> None:
    """Print a heading for each page and an item to tick off for each statement. notice: is printed
    at the end."""
    lines = checklist(result)
    print(printable("\n".join([*lines, *(["", markdown(notice)] if notice else [])])))


def checklist(result: Impact) -> list[str]:
    """Return the lines of a list in Markdown: a heading for each page, an item to tick off for each
    statement."""
    lines = [
        f"# {result.game}: {result.before} → {result.after}",
        "",
        f"{result.total:,} of {result.checked:,} statements may be stale now.",
    ]
    for page, touched in _by_page(result):
        lines += ["", f"## {markdown(page)}", ""]
        for one in touched:
            words = shortened(" ".join(one.sentence.split()), _LONGEST)
            lines.append(f"- [ ] {_numbers(one)} ({one.change}, {one.kind}): {markdown(words)}")
    return lines
