"""Citations of rules by their numbers, in Japanese and English."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from graphs.facts import Facts, Want
from kb.extract.reading import Reading
from kb.extract.rules import LATEST, editions, rule_id

# The patterns, apart from what is done with them.
_NUMBER = r"\d{1,3}(?:\.\d{1,3}[a-z]?)?(?![\d.]*\d)"
_RANGE = rf"{_NUMBER}(?:\s?[-–—~〜～]\s?(?:\d{{1,3}}\.\d{{1,3}}[a-z]?|[a-z])(?![a-z\d]))?"
_HEADING = r"(?:〔(?P<heading>[^〔〕]{1,80})〕)?"
_WORD = re.compile(r"\b(?:rules?|sections?)\s+(?=\d)|\bCR\s?[:：]?\s?(?=\d)", re.IGNORECASE)
_FIRST = re.compile(rf"(?P<number>{_RANGE}){_HEADING}")
_NEXT = re.compile(
    r"\s?(?:[、,]\s?(?:and/or|and|or|および|または)?|・|および|及び|または|又は|並びに|や|と|"
    r"and/or\b|and\b|or\b|&|/)\s?"
    rf"(?P<word>(?:rules?|sections?|CR[:：]?)\s?)?(?P<number>{_RANGE}){_HEADING}",
    re.IGNORECASE,
)
_TO = re.compile(r"(.+?)\s?[-–—~〜～]\s?(.+)")
_LETTERS = "abcdefghijkmnpqrstuvwxyz"  # sub-rules skip l and o


@dataclass(frozen=True, slots=True)
class Citation:
    """A rule cited in text[start:end], with the heading that the text gives it, if any."""

    number: str
    start: int
    end: int
    heading: str | None = None


def citations(text: str) -> Iterator[Citation]:
    """The citations in a text, in order; lists and ranges as one citation a rule.

    >>> [c.number for c in citations("rule 614〔置換効果〕、rule 615〔軽減効果〕参照。")]
    ['614', '615']
    >>> [c.number for c in citations("See rules 103.2a–c and 509.1, and section 7.")]
    ['103.2a', '103.2b', '103.2c', '509.1', '7']
    >>> list(citations("バージョン 1.4.7、2024.11.17、3/3 のクリーチャー"))
    []
    """
    at = 0
    while word := _WORD.search(text, at):
        small = word[0].lower().startswith("section")
        found, begin = _FIRST.match(text, word.end()), word.start()
        at = word.end()
        while found:
            for number in _expanded(found["number"]):
                yield Citation(number, begin, found.end(), found["heading"])
            at = found.end()
            found = _NEXT.match(text, at)
            if found and not (small or found["word"]) and len(found["number"]) < 3:
                found = None  # 「rule 614、3つの…」 counts something
            if found:
                begin = found.start("word") if found["word"] else found.start("number")


def _expanded(text: str) -> list[str]:
    """The numbers that a number or a range names."""
    found = _TO.fullmatch(text)
    if not found:
        return [text]
    first, last = found[1], found[2]
    if last.isalpha() and first[-1].isalpha():
        stem, letters = first[:-1], (first[-1], last)
    elif last[:-1] == first[:-1] and last[-1].isalpha() and first[-1].isalpha():
        stem, letters = first[:-1], (first[-1], last[-1])
    else:
        return _steps(first, last)
    begin, end = (_LETTERS.find(letter) for letter in letters)
    return [stem + letter for letter in _LETTERS[begin : end + 1]] if 0 <= begin <= end else [first]


def _steps(first: str, last: str) -> list[str]:
    """The whole rules from one to another of the same section."""
    stem, _, begin = first.rpartition(".")
    other, _, end = last.rpartition(".")
    if stem and stem == other and begin.isdigit() and end.isdigit() and int(begin) <= int(end):
        return [f"{stem}.{n}" for n in range(int(begin), min(int(end), int(begin) + 99) + 1)]
    return [first, last] if "." in last else [first]


def extract(reading: Reading, facts: Facts, given: Mapping[int, str]) -> None:
    """Every citation as an edge from the rule that the passage gives, or from the passage.

    It resolves in the edition of the text that cites: the section's, else the one edition
    that the page quotes, else the newest there is.
    """
    if reading.page.source == "namelist":
        return  # `Machina Armored Unit Rule 1` is a name
    per_section = editions(reading)
    quoted = {edition for edition in per_section if edition}
    only = quoted.pop() if len(quoted) == 1 else LATEST
    for place, passage in enumerate(reading.page.passages):
        if passage.kind in {"title", "heading"}:
            continue
        edition = per_section[passage.section] or only
        found = list(citations(passage.text))
        found += [
            Citation(link.target, link.start, link.end)
            for link in passage.links
            if link.kind == "rule"
            and link.target
            and not any(c.start < link.end and link.start < c.end for c in found)
        ]
        source = given.get(place, reading.passage_ids[place])
        for citation in found:
            want = _want(reading, source, edition, reading.passage_ids[place], citation)
            facts.wants.append(want)


def _want(reading: Reading, source: str, edition: str, passage: str, found: Citation) -> Want:
    lang = reading.page.lang
    of = "any loaded edition" if edition == LATEST else f"{edition} ({lang})"
    return Want(
        "cites", source, rule_id(reading.game, edition, lang, found.number), found.number, passage,
        found.start, found.end, f"rule {found.number} is not among the loaded rules of {of}",
    )  # fmt: skip
