"""Verifies and checks texts again and again, as an editor does, and reads the base once for all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from graphs.model import Node
from graphs.store.reader import Store
from kb.checking.check import Check, check_file
from kb.checking.claims.claim import Claim
from kb.checking.draft import Finding
from kb.checking.fix_numbers import (
    WrittenNumber,
    named_edition,
    remember,
    sure_numbers,
    words_of_file,
    written_number,
)
from kb.checking.kept_tools import kept
from kb.checking.verify import (
    Asked,
    KnownRules,
    Verification,
    forget_written_numbers,
    verify_text_of_file,
)
from kb.language.english_inflection import EnglishFinder
from kb.language.fold import fold
from kb.language.tokens import tokenizer

_LINE_END = re.compile(r"\r\n|\r|\n")
_NUMBER = re.compile(r"\d[\w.,-]*\w|\d")
_RULE_NUMBER = re.compile(r"(?=.*\d)[\w.()-]{1,16}")  # and no words of a rule
_MARKS = frozenset("“「『«‘„｢〝\"＂'")
# By hand: the longest names of rulebooks have five words, in Japanese eight with their particles;
# a name stands in less than so many characters on each side of the cursor.
_MOST_WORDS, _AROUND = 8, 120


class Edit(NamedTuple):
    """Words to be written in the place of others: lines from 1, columns in characters from 0, the
    end excluded, as those of `Claim`."""

    line: int
    start: int
    end_line: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Repair:
    """How something that is wrong in a text can be repaired.

    problem: what is wrong. edits: what to write, without overlaps.
    sure: whether nobody need look at it; else it is one of several ways.
    number: of a rule that moved, to be remembered as written; None for other repairs.
    """

    problem: Claim | Finding
    edits: tuple[Edit, ...]
    sure: bool
    number: WrittenNumber | None = None


class NameAt(NamedTuple):
    """A name at a place in a line: from `start` to `end`, of the terms and cards with these ids."""

    start: int
    end: int
    ids: tuple[str, ...]


class Proofreader:
    """Holds texts against a knowledge base, one after the other or one in many versions.

    What the first text needs of the base is kept for those that follow: of a base with ten thousand
    names the first check takes half a minute, the next a third of a second. The base must stay
    open. Two threads may use it if one alone calls `check` and the other everything else.
    """

    def __init__(self, store: Store, asked: Asked) -> None:
        """asked: of all texts."""
        self._store, self._asked = store, asked
        forget_written_numbers(store)

    def verify(self, text: str, file: str = "") -> Verification:
        """Return what a text cites and quotes, as `KnowledgeBase.verify_files` does of a file.

        file: the name of its file, which need not be there: of source code comments and strings
            count.
        """
        return verify_text_of_file(self._store, text, file or "text.txt", self._asked)

    def check(self, draft: str | Path, original: str | Path | None = None) -> Check:
        """Return where a draft departs from the termbase, the rules and its original, as
        `KnowledgeBase.check` does. Raises SourceError and QuestionError likewise."""
        from kb.interchange.decide import decisions_beside, used_beside

        _, used = used_beside(self._store.path)
        decisions = decisions_beside(self._store.path) if used else None
        of = (None, None), self._asked.game, self._asked.edition, decisions, None, (), ()
        return check_file(self._store, draft, original, *of)

    def repairs(
        self, text: str, problems: Iterable[Claim | Finding], file: str = "text.txt"
    ) -> Iterator[Repair]:
        """Yield how problems of a text can be repaired, in their order, for those that can: numbers
        as `sansho verify --fix` writes them and others that a verdict expects, the words of a
        quotation, and what `check` suggests.

        file: the name of the text's file, as for `verify`.
        """
        problems = list(problems)
        lines, words = _LINE_END.split(text), words_of_file(file, text)
        claims = [one for one in problems if isinstance(one, Claim)]
        named = named_edition(text, claims)
        sure = {} if named else {id(one): fix for one, fix in sure_numbers(text, claims)}
        for one in problems:
            there = _words_at(lines, one)
            if isinstance(one, Finding):
                if one.suggestion is not None and one.text and there == one.text:
                    yield Repair(one, (_edit(one, one.suggestion),), True)
            elif fix := sure.get(id(one)):
                yield Repair(one, (_edit(one, fix),), True, written_number(words, one))
            elif one.is_wrong and (edits := _edits(one, there)):
                is_sure = one.verdict == "repaired" and _is_quoted(lines, one)
                moved = one.verdict in ("moved", "other edition") and one.kind == "citation"
                yield Repair(one, edits, is_sure, written_number(words, one) if moved else None)

    def since(self, claim: Claim) -> Claim | None:
        """Return a right citation of an older edition as the newest one leaves it, in whatever
        language that is loaded: `moved`, `changed` or `gone`; None if nothing has changed."""
        if not claim.stands or claim.kind != "citation":
            return None
        with kept(self._store, KnownRules, self._asked.against) as rules:
            now = rules.stale.now(claim)
        return None if now is claim else now

    def remember(self, file: str, numbers: Iterable[WrittenNumber], text: str) -> None:
        """Keep that numbers of the newer edition were written into a file, so that they are not
        taken for old ones; as `sansho verify --fix` does.

        text: of the file, with them. Raises StoreError if the record can't be written.
        """
        remember(self._store.path, {file: (list(numbers), text)})
        forget_written_numbers(self._store)

    def name_at(self, line: str, column: int, game: str | None = None) -> NameAt | None:
        """Return the longest name of terms or cards at a place in a line, in any inflection; None
        if there is none.

        game: whose terms come first; those of others count if it has none of the name.
        """
        begin = max(0, column - _AROUND)
        window, at = line[begin : column + _AROUND], column - begin
        found: list[NameAt] = []
        spans = _spans_around(window, at)
        for folded, node in self._store.find_by_names(sorted(spans)):
            found += [NameAt(*span, (node.id,)) for span in spans[folded]]
        for one in self._english.find(window):
            if one.start <= at < one.end:
                found.append(NameAt(one.start, one.end, one.concepts))
        if not found:
            return None
        longest = max(found, key=lambda name: name.end - name.start)[:2]
        ids = dict.fromkeys(each for name in found if name[:2] == longest for each in name.ids)
        own = [each for each in ids if each.partition("/")[0] == (game or self._asked.game)]
        return NameAt(longest[0] + begin, longest[1] + begin, tuple(own or ids))

    @cached_property
    def _english(self) -> EnglishFinder:
        return EnglishFinder((node, name) for node, name, _ in self._store.english_term_names())

    def place_of(self, rule: Node) -> tuple[Path, int] | None:
        """Return the file that a rule was read from, if it is still there, and the line in it from
        0: that of the rule in a text, else the first. None without such a file."""
        given_by = self._store.passages_giving([rule.id])
        page = re.split("[#¶]", given_by[0])[0] if given_by else ""
        for _, capture in self._store.provenance.captures(page):
            for folder in (Path.cwd(), self._store.path.absolute().parent):
                file = folder / capture.place
                if capture.chosen and file.is_file():
                    return file, _line_of(rule, file)
        return None


def _words_at(lines: Sequence[str], problem: Claim | Finding) -> str:
    """Return the words at the place of a problem; empty where that is not in the lines."""
    last = problem.end_line or problem.line
    if not 0 < problem.line <= last <= len(lines):
        return ""
    if last == problem.line:
        return lines[last - 1][problem.start : problem.end]
    between = lines[problem.line : last - 1]
    first = lines[problem.line - 1][problem.start :]
    return "\n".join([first, *between, lines[last - 1][: problem.end]])


def _is_quoted(lines: Sequence[str], claim: Claim) -> bool:
    """Whether a claim is a quotation in quotation marks, or in a block quote of Markdown, and of
    the rule that is cited beside it, if one is."""
    if claim.kind != "quotation" or (claim.cited and claim.number not in claim.cited.split(", ")):
        return False
    before = lines[claim.line - 1][: claim.start]
    return before.lstrip().startswith(">") or before.rstrip("*_ ")[-1:] in _MARKS


def _edit(problem: Claim | Finding, text: str) -> Edit:
    last = problem.end_line or problem.line
    return Edit(problem.line, problem.start, last, problem.end, text)


def _edits(claim: Claim, there: str) -> tuple[Edit, ...]:
    """Return what to write in a claim: the number that is expected in the place of the only one
    that it has, or in a quotation the words that differ. Nothing where the verdict expects nothing
    certain, or if the text stands otherwise than it was read, as in strings of several lines.

    there: the words of the text at the claim's place.
    """
    if claim.kind == "quotation":
        if there != claim.text or claim.verdict not in ("repaired", "contradicts"):
            return ()
        return tuple(_within(claim, one.start, one.end, one.expected) for one in claim.changes)
    numbers = list(_NUMBER.finditer(there))
    expected = claim.expected or ""
    if len(numbers) != 1 or not _RULE_NUMBER.fullmatch(expected) or "\n" in there:
        return ()
    return (_within(claim, *numbers[0].span(), expected, there),)


def _within(claim: Claim, start: int, end: int, text: str, there: str | None = None) -> Edit:
    """Return an edit at a span of a claim's words; of a span with nothing in it, with a space that
    keeps the words apart.

    there: those words; None for the claim's own.
    """
    words = claim.text if there is None else there
    if start == end and text:
        before, behind = words[start - 1 : start], words[end : end + 1]
        text = " " * (before.isalnum() and before.isascii()) + text
        text += " " * (behind.isalnum() and behind.isascii())
    elif not text and words[start - 1 : start] in ("", " ") and words[end : end + 1] == " ":
        end += 1  # else two spaces would be left
    return Edit(*_place_in(claim, words[:start]), *_place_in(claim, words[:end]), text)


def _place_in(claim: Claim, before: str) -> tuple[int, int]:
    """Return the line and column behind the first words of a claim."""
    lines = before.split("\n")
    column = len(lines[-1]) + (claim.start if len(lines) == 1 else 0)
    return claim.line + len(lines) - 1, column


def _spans_around(text: str, at: int) -> dict[str, list[tuple[int, int]]]:
    """Return {folded words: spans} of what stands around a place and may be a name: some words of
    the text as they are written, and with the last in its dictionary form."""
    entries, starts = tokenizer().entries(text)
    ends = [min(end, len(text)) for end in starts[1 : len(entries) + 1]]
    own = next((i for i, end in enumerate(ends) if starts[i] <= at < end), None)
    spans: dict[str, list[tuple[int, int]]] = {}
    if own is None or not text[at].isalnum():
        return spans
    for first in range(max(0, own - _MOST_WORDS), own + 1):
        for last in range(own, min(len(entries), first + _MOST_WORDS)):
            start, end = starts[first], ends[last]
            written = text[start:end]
            lead = len(written) - len(written.lstrip())
            span = start + lead, end - len(written) + len(written.rstrip())
            normal = "".join(entry.folded for entry in entries[first : last + 1])
            for folded in {fold(written.strip()), normal}:
                spans.setdefault(folded, []).append(span)
    return spans


def _line_of(rule: Node, file: Path) -> int:
    """Return the line of a text, from 0, that begins with a rule's number, the last of several, as
    contents come first; 0 if none does, and for other files."""
    if file.suffix.lower() not in (".txt", ".md") or not rule.number:
        return 0
    begins = re.compile(rf"\W{{0,8}}{re.escape(rule.number)}\.?(?=\s)")
    lines = _LINE_END.split(file.read_text("utf-8", "replace"))
    return max((i for i, line in enumerate(lines) if begins.match(line)), default=0)
