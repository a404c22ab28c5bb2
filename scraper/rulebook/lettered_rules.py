"""Finds sub-rules whose lines have only a letter: `a.` under 1.1.2, which is cited as 1.1.2a."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from itertools import zip_longest

from scraper.rulebook.numbering import Key, NumberedLine, number_key

_LETTER = re.compile(r"\s*(?P<open>\(?)(?P<letter>[a-z])(?:[.:)]|(?=\s))\s*(?=\S)")
_CITED = re.compile(r"(?<![\w.-])(\d{1,4}(?:[.-]\d{1,3})+)(\.?)([a-z])(?![\w])")
_FEWEST = 3  # citations of such sub-rules in a book that has them


def with_lettered_rules(
    lines: Sequence[str], rules: list[NumberedLine], omitted: Container[int]
) -> list[NumberedLine]:
    """Return the rules of a book with the sub-rules that have only a letter, in order.

    A list with letters is taken for sub-rules only if the book cites several of its items, as
    `1.1.2a` or `1.1.2.a`, and has no rules with such numbers: else it is part of its rule's text.

    lines: all lines of the book; rules: those that begin with a number; omitted: the indices of
        lines that are no text.
    """
    lists = list(_lists(lines, rules, omitted))
    if len(lists) < _FEWEST:
        return rules
    numbers = {rule.number for rule in rules}
    cited = {match for match in _CITED.findall("\n".join(lines)) if "".join(match) not in numbers}
    lettered = {(rule.number, letter) for rule, letter, _, _ in lists}
    proofs = Counter(dot for number, dot, letter in cited if (number, letter) in lettered)
    if proofs.total() < max(_FEWEST, len(cited) // 2):
        return rules
    separator = proofs.most_common(1)[0][0]
    sub_rules = [
        _sub_rule(rule, separator + letter, line, match) for rule, letter, line, match in lists
    ]
    return sorted([*rules, *sub_rules], key=lambda rule: rule.line)


def _lists(
    lines: Sequence[str], rules: Sequence[NumberedLine], omitted: Container[int]
) -> Iterator[tuple[NumberedLine, str, int, re.Match[str]]]:
    """Yield (rule, letter, line, match of its mark) of the items of lists that begin with `a`.

    lines, rules, omitted: as for `with_lettered_rules`. Only the first list under a rule counts.
    """
    for rule, following in zip_longest(rules, rules[1:]):
        end = following.line if following else len(lines)
        due = "a"
        for index in range(rule.line + 1, end):
            match = None if index in omitted else _LETTER.match(lines[index])
            if match and match["letter"] == due:
                yield rule, due, index, match
                due = chr(ord(due) + 1)


def _sub_rule(rule: NumberedLine, suffix: str, line: int, match: re.Match[str]) -> NumberedLine:
    """Return the sub-rule that a line states: its number is that of the rule above and a suffix.

    match: the match of the letter at the beginning of the line.
    """
    number = rule.number + suffix
    key: Key = number_key(number)
    indent = match.start("open")  # spans are counted in the line without indent
    span = (match.start("letter") - indent, match.end("letter") - indent)
    return NumberedLine(line, number, key, (False, "letter"), span, match.end() - indent)
