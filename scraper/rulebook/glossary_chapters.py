"""Tells what a glossary is whose lines are numbered as rules are: rules, entries, or both.

A glossary may be a chapter of its book (`12. Glossary`), with numbers below the chapter's own. Each
such number is a rule. Where rules below rules explain the names (`12.1. Draw`, `12.1.1. To take…`)
the chapter is one like any other; where each number has a headword and its gloss (`12.1. Draw: To
take…`), it is an entry, too.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping, Sequence
from itertools import pairwise

from scraper.rulebook.glossary import Piece, glossary_pieces
from scraper.rulebook.numbering import Key, NumberedLine
from scraper.rulebook.part_headings import heading_number

_SEVERAL_LINES = 4  # of a glossary, which should have more than one entry
_LONGEST_GLOSS = 3000  # characters; books give up to 1,000
_HEADWORDS_SHARE = 0.9  # of the numbered lines of a glossary, so that they are its entries


def is_in_chapter(chapter: Key, key: Key) -> bool:
    """Whether a number is below that of a glossary's heading; never if that has none, `()`.

    >>> is_in_chapter((12,), (12, 1)), is_in_chapter((), (1,))
    (True, False)
    """
    return bool(chapter) and len(key) > len(chapter) and key[: len(chapter)] == chapter


def ends_chapter(chapter: Key, key: Key) -> bool:
    """Whether a number is the next one beside that of the heading of a section: 721 for 720.

    >>> ends_chapter((7, 720), (7, 721)), ends_chapter((12,), (13,))
    (True, False)
    """
    return len(chapter) > 1 and key == (*chapter[:-1], chapter[-1] + 1)


def read_glossaries(
    lines: Sequence[str],
    omitted: Container[int],
    parts: Mapping[int, str],
    rules: Mapping[int, NumberedLine],
    edge: int | None,
) -> dict[int, tuple[Piece, ...]]:
    """Return the pieces of each line of a rulebook's glossaries, by the index of the line.

    Lines that begin a rule are among them if they are entries, too.

    lines, omitted, parts, edge: as for `glossary_pieces`.
    rules: the lines that begin a rule, by their indices.

    >>> from scraper.rulebook.numbering import number_at
    >>> lines = ["3. Glossary", "3.1. Draw: To take.", "3.2. Hand: What is taken."]
    >>> rules = {n: number_at(lines[n], n) for n in (1, 2)}
    >>> pieces = read_glossaries(lines, (), {0: "glossary"}, rules, None)
    >>> [piece.text for piece in pieces[1]]
    ['3.1. Draw:', 'To take.']
    """
    entries: set[int] = set()
    starts = [*sorted(parts), len(lines)]
    for start, end in pairwise(starts):
        if parts[start] == "glossary":
            entries.update(_flat_rules(lines[start], start, end, rules))
    others = rules.keys() - entries
    pieces = glossary_pieces(lines, omitted, parts, others, edge)
    heads = [n for n in entries if n in pieces and pieces[n][0].kind == "entry"]
    if len(heads) < _HEADWORDS_SHARE * len(entries):
        return glossary_pieces(lines, omitted, parts, rules, edge)
    return pieces


def _flat_rules(
    heading: str, start: int, end: int, rules: Mapping[int, NumberedLine]
) -> Collection[int]:
    """Return the lines of the rules directly below a glossary's heading; none if any of these has
    rules below it.

    start, end: the lines between which the rules of the glossary stand.
    """
    number = heading_number(heading)
    within = {n: rule.key for n, rule in rules.items() if start < n < end}
    lettered = {rule.key[:1] for rule in map(rules.__getitem__, within) if rule.number[0].isalpha()}
    chapter = number.key if number else next(iter(lettered)) if len(lettered) == 1 else ()
    below = {n: key for n, key in within.items() if is_in_chapter(chapter, key)}
    return below if all(len(key) == len(chapter) + 1 for key in below.values()) else ()


def unread_glossary(
    lines: Sequence[str], parts: Mapping[int, str], glossaries: Mapping[int, Sequence[Piece]]
) -> tuple[int, str] | None:
    """Return the line of the first glossary in which hardly any headwords were told from glosses,
    and what is wrong with it; None if there is none.

    That is a glossary of several lines with fewer than two headwords, or one with a gloss that is
    far longer than any a book gives.

    lines, parts: as for `read_glossaries`, which returned the `glossaries`.

    >>> lines = ["Glossary", *("word " * 50 for _ in range(5))]
    >>> pieces = read_glossaries(lines, (), {0: "glossary"}, {}, None)
    >>> unread_glossary(lines, {0: "glossary"}, pieces) is None
    False
    """
    for start, end in pairwise([*sorted(parts), len(lines)]):
        if parts[start] != "glossary":
            continue
        own = [n for n in range(start + 1, end) if n in glossaries]
        pieces = [piece for n in own for piece in glossaries[n]]
        heads = sum(piece.kind == "entry" and not piece.continues for piece in pieces)
        longest = size = 0
        for piece in pieces:
            size = 0 if piece.kind in ("entry", "heading") else size + len(piece.text)
            longest = max(longest, size)
        if len(own) >= _SEVERAL_LINES and heads < 2:
            return start, f"{heads or 'no'} headwords were told from glosses in {len(own)} lines"
        if longest > _LONGEST_GLOSS:
            return start, f"a gloss of {longest} characters; headwords in it may be unread"
    return None
