"""Finds the rules of books that are laid out as outlines: `I.`, below it `A.`, `1.` and `a.`, each
line with its own label alone, and cited as `I.A.1.a`."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from string import ascii_lowercase, ascii_uppercase

from scraper.rulebook.numbering import Form, NumberedLine, number_key

_LABEL = re.compile(r"([IVX]{1,6}|[A-Z]|\d{1,2}|[a-z])[.)]\s+(?=\S)")
_CITED = re.compile(r"(?<![\w.])[IVX]{1,6}\.[A-Z](?:\.\d{1,2}(?:\.[a-z])?)?(?![\w.]*\w)")
# Citations of an outline, and its rules. By hand: fewer citations may be of another book, and fewer
# rules may be a list.
_FEWEST_CITED, _FEWEST = 3, 8
# Lines that may be the first of the outline, each tried to the end: those in the contents, running
# heads and lists come before. By hand.
_MOST_STARTS = 5
# The labels of each level, in order; the four that are known to be cited (`I.A.1.a`).
_LEVELS: tuple[Sequence[str], ...] = (
    "I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX".split(),
    ascii_uppercase,
    tuple(map(str, range(1, 100))),
    ascii_lowercase,
)


def outline_rules(lines: Sequence[str], omitted: Container[int]) -> list[NumberedLine]:
    """Return the rules of a book that is laid out as an outline, in order; empty for others.

    It is one if it has at least three citations by the labels above them (`II.C.3`), and eight
    rules. A label counts if it is the next of its level, or the first below the last one; others
    are text. Of several lines with `I` the one with the most rules below it is the first.

    omitted: the indices of lines that are skipped.

    >>> text = "I. Play|A. Draw|1. See I.A.2 or I.B.|2. Keep it.|B. Go|1. By I.A.1.|2. End.|3. Or"
    >>> [rule.number for rule in outline_rules([f"{line} not." for line in text.split("|")], ())]
    ['I', 'I.A', 'I.A.1', 'I.A.2', 'I.B', 'I.B.1', 'I.B.2', 'I.B.3']
    """
    if sum(len(_CITED.findall(line)) for line in lines) < _FEWEST_CITED:
        return []
    labels = [
        (n, match)
        for n, line in enumerate(lines)
        if n not in omitted and (match := _LABEL.match(line.strip()))
    ]
    # The contents begin as the text does.
    starts = [at for at, (_, match) in enumerate(labels) if match[1] == "I"][:_MOST_STARTS]
    found = max((_chain(labels[at:]) for at in starts), key=len, default=[])
    return found if len(found) >= _FEWEST else []


def _chain(labels: Sequence[tuple[int, re.Match[str]]]) -> list[NumberedLine]:
    """Return the rules of the labels that follow each other from the first on.

    labels: the lines that begin with one, and its match in the stripped line.
    """
    path: list[int] = []  # the place of the last label at each level
    found = []
    for n, match in labels:
        level = _level(match[1], path)
        if level is None:
            continue
        path[level:] = [path[level] + 1 if level < len(path) else 0]
        number = ".".join(names[place] for names, place in zip(_LEVELS, path, strict=False))
        form: Form = (False, "outline", level)
        found.append(
            NumberedLine(n, number, number_key(number, {0}), form, match.span(1), match.end())
        )
    return found


def _level(label: str, path: Sequence[int]) -> int | None:
    """Return the level of a label, from 0 for `I`, the deepest where it is the next one; None where
    it is at none.

    path: as in `_chain`.
    """
    for level in range(min(len(path), len(_LEVELS) - 1), -1, -1):
        due = path[level] + 1 if level < len(path) else 0
        if due < len(_LEVELS[level]) and _LEVELS[level][due] == label:
            return level
    return None
