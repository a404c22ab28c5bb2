"""Writes the numbers that cited rules have now into files: those of rules that moved whole.

What may be no citation, or was written for the newer edition already, is never mended: a wrong
number that is silently made another one is worse than one that is left.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from graphs.store.file.atomic_file import open_output
from kb.checking.claims.claim import Claim
from kb.checking.code_text import written_words
from kb.errors import SourceError
from kb.reason import Reason
from scraper.sources.charset import decode

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


@dataclass(frozen=True, slots=True)
class FixedFile:
    """A file with the numbers that were mended in it.

    file: its path. before, after: its text. charset: in which it is written.
    count: how many numbers were mended. written: the numbers, to be remembered.
    """

    file: str
    before: str
    after: str
    charset: str
    count: int
    written: tuple[WrittenNumber, ...] = ()

    def diff(self) -> Iterator[str]:
        """Yield the lines of a unified diff without their line feeds; carriage returns and a byte
        order mark are in it, as `patch` and `git apply` compare them."""
        mark = "\ufeff" * self.charset.endswith("sig")
        before, after = (_lines(mark + text) for text in (self.before, self.after))
        for line in difflib.unified_diff(before, after, f"a/{self.file}", f"b/{self.file}"):
            yield line.removesuffix("\n")
            if not line.endswith("\n"):
                yield r"\ No newline at end of file"

    def patch(self) -> bytes:
        """Return the unified diff for `patch` and `git apply`, which compare bytes: in the charset
        of the file, or in UTF-8 for one in UTF-16, which neither can mend."""
        charset = "utf-8" if self.charset.startswith("utf") else self.charset
        return "".join(f"{line}\n" for line in self.diff()).encode(charset)

    def write(self) -> None:
        """Write the file in its charset, with its own line ends and mode.

        Raises StoreError if it can't be written.
        """
        with open_output(self.file) as output:
            output.write(self.after.encode(self.charset))


# What says that a number is a rule's: before it, or before a list that it stands in.
_LEAD = r"(?i:\bC\.?R\.?|\brules?|§|ルール|規則)[\"']?\s*[:#|=]?\s*[\"']?"
_LED = re.compile(rf"[\[(（]?{_LEAD}(?=\d)")
_LED_LIST = re.compile(
    rf"{_LEAD}(?:\d[\w.]*(?:\s*[-–〜~]\s*\d[\w.]*)?\s*(?:[(（][^()（）]{{1,30}}[)）]\s*)?"
    r"(?:[,;、・]|and\b|or\b|と|及び)+\s*)*$"
)
_LAST_NUMBER = re.compile(r"\d[\w.]*$", re.ASCII)
_BARE = re.compile(r"\d{3}\.\d{1,3}[a-z]")  # a number that says by its letter what it is
# What was, and what is now: a line that tells of both is right as it is.
_TELLS_BOTH = re.compile(
    r"(?i)\b(?:formerly|previously|originally|used to be|renumbered|moved (?:to|from)|now rule)\b"
    r"|\bwas (?:CR |rule |§)?\d|\d[a-z]?\s*(?:→|->|=>)\s*\S{0,8}\d|旧|以前は|もとは|元は|だった"
)
# A number of something else: measured, of a file, of a part or build, of other rules.
_MEASURED = re.compile(
    r"\s?(?:[mckμn]?m|[mk]?g|[mμn]?s|k?[VWA]|[kMG]?Hz|[€$£¥%°±×])(?![A-Za-z])|\.[A-Za-z]{1,5}\b"
)
_OF_ELSE = re.compile(
    r"(?i)\b(?:rfc|frcp|fre|iso|ieee|pep|request|sample|build|parts?|model|resistor|capacitor|sha\d*"
    r"|hash|commit|id)[\"']?\s*[:=]?\s*[\"']?$"
)
# Beside such signs a number is of something else: an issue, a version, a part of a word.
_NOT_BEFORE, _NOT_BEHIND = frozenset("#@/\\=~^.-_$€¥"), frozenset("/\\_%@$€¥")
_MONTHS = "January February March April May June July August September October November December"
# Around a date that is a cell of a table, of which a row may have any.
_CELL_BEFORE, _CELL_END = re.compile(r"(?:^|[,;\t|])\s*\"?$"), re.compile(r"\"?\s*(?:[,;\t|]|$)")
_NAMED_DAY = re.compile(
    rf"\b({'|'.join(_MONTHS.split())}) (\d{{1,2}}),? (20\d\d)\b"
    r"|\b(20\d\d)([-./]?)(\d\d)\5(\d\d)\b|(20\d\d)年(\d{1,2})月(\d{1,2})日"
)


def fixed_files(
    claims: Mapping[str, Sequence[Claim]], left_out: dict[str, Reason] | None = None
) -> Iterator[FixedFile]:
    """Yield the files in which a number can be mended, with it mended; nothing is written.

    claims: {file: its claims}. Only a claim that has a `fix` counts, where it stands as it was
    read, and only if the words around it show that it is a citation, and none of another edition.
    left_out: is given the files in which nothing can be mended, and why: those whose bytes their
    text doesn't give back, or that may not be written, and those that name an edition, which their
    numbers are right by.

    Raises SourceError if a file can't be read any more.
    """
    for file, of_file in claims.items():
        wanted = [claim for claim in of_file if claim.fix]
        if not wanted:
            continue
        try:
            data = Path(file).read_bytes()
        except OSError as error:
            raise SourceError(Reason("said", text=f"{file}: {error.strerror}")) from error
        decoded = decode(data)
        reason = None
        is_written_back = _encoded(decoded.text, decoded.charset) == data
        if decoded.warnings or not is_written_back or not os.access(file, os.W_OK):
            reason = Reason("not_written_back", file=file)
        elif day := named_edition(decoded.text, wanted):
            reason = Reason("names_its_edition", file=file, edition=day)
        if reason:
            if left_out is not None:
                left_out[file] = reason
            continue
        after, written = _mended(decoded.text, file, of_file)
        if written:
            yield FixedFile(
                file, decoded.text, after, decoded.charset, len(written), tuple(written)
            )


def _edition(claim: Claim) -> str:
    return (claim.node.edition or "") if claim.node else ""


def _named_days(text: str, as_editions: bool = False) -> set[str]:
    """Return the days that a text names, as editions are called.

    as_editions: without those that are a cell of a table.

    >>> sorted(_named_days("As of November 17, 2023; 2026-01-16 and 20240802"))
    ['20231117', '20240802', '20260116']
    """
    found: set[str] = set()
    for match in _NAMED_DAY.finditer(text):
        is_cell = _CELL_BEFORE.search(text, 0, match.start()) and _CELL_END.match(text, match.end())
        if as_editions and is_cell:
            continue
        month, day, year, *others = match.groups()
        if month:
            found.add(f"{year}{_MONTHS.split().index(month) + 1:02}{int(day):02}")
        else:
            digits = [other for other in others if other and other.isdigit()]
            found.add(digits[0] + "".join(f"{int(one):02}" for one in digits[1:]))
    return found


def _may_be_mended(line: str, claim: Claim) -> bool:
    """Return whether what stands around a number shows that it is a rule's, and of no other edition
    than the claim's.

    It must be led by `rule`, `CR` or the like, alone or in a list, or have a letter behind it and
    no sign beside it that makes it something else (`#701.4a`, `=701.8a`).
    """
    if _named_days(line, as_editions=True) - {_edition(claim)} or _TELLS_BOTH.search(line):
        return False
    before, behind = line[: claim.start], line[claim.end :]
    if _MEASURED.match(behind) or _OF_ELSE.search(before):
        return False
    if _LED.match(claim.text) or _LED_LIST.search(before):
        return re.match(r"[A-Za-z0-9_]", behind) is None
    if not _BARE.fullmatch(claim.text.strip(" .()[]")):
        return False
    is_apart = not (before[-1:].isalnum() or behind[:1].isalnum())
    return is_apart and before[-1:] not in _NOT_BEFORE and behind[:1] not in _NOT_BEHIND


def _in_data(cited: str, claim: Claim) -> str | None:
    """Return what is to stand for a citation that goes over signs of its file, which is read
    without them, as `rule: "701.4a"` does; None if it isn't the number behind them."""
    number = _LAST_NUMBER.search(claim.text)
    is_read_so = all(read in (there, " ") for read, there in zip(claim.text, cited, strict=False))
    if not (number and claim.fix and claim.expected and is_read_so and cited.endswith(number[0])):
        return None
    return cited[: number.start()] + claim.expected if claim.fix.endswith(claim.expected) else None


def _encoded(text: str, charset: str) -> bytes | None:
    try:
        return text.encode(charset)
    except UnicodeError:
        return None


def _lines(text: str) -> list[str]:
    return _LINE.findall(text)


def sure_numbers(text: str, claims: Iterable[Claim]) -> Iterator[tuple[Claim, str]]:
    """Yield citations of rules that moved whole with what is to stand for them, by their lines. A
    line of which one number that moved can't be mended is left out: else old and new would stand in
    one sentence.

    claims: of the text; those of other verdicts than `moved` don't count.
    """
    lines = _lines(text)
    by_line: dict[int, list[Claim]] = defaultdict(list)
    for claim in claims:
        if claim.verdict == "moved":
            by_line[claim.line].append(claim)
    for number, of_line in by_line.items():
        line = lines[number - 1] if number <= len(lines) else ""
        fixes = [(claim, _fix(line, claim)) for claim in of_line]
        if all(fix for _, fix in fixes):
            yield from ((claim, fix) for claim, fix in fixes if fix)


def named_edition(text: str, claims: Iterable[Claim]) -> str | None:
    """Return the edition that a text names by its day, of those whose rules have a fix in it; its
    numbers are right by that. None if it names none."""
    return min(_named_days(text) & {_edition(one) for one in claims if one.fix}, default=None)


def _mended(text: str, file: str, claims: Iterable[Claim]) -> tuple[str, list[WrittenNumber]]:
    """Return a text with numbers mended, and what was written, a number each."""
    lines, written = _lines(text), list[WrittenNumber]()
    words = words_of_file(file, text)
    fixes = sorted(sure_numbers(text, claims), key=lambda pair: pair[0].start, reverse=True)
    for claim, fix in fixes:
        line = lines[claim.line - 1]
        lines[claim.line - 1] = line[: claim.start] + fix + line[claim.end :]
        written.append(written_number(words, claim))
    return "".join(lines), written


def words_of_file(file: str, text: str) -> list[str]:
    """Return the lines of a file as `verify` reads them: of source code comments and strings."""
    return written_words(file, re.sub(r"\r\n?", "\n", text)).split("\n")


def written_number(words: Sequence[str], claim: Claim) -> WrittenNumber:
    """Return what is to be remembered once the number that a claim expects is written.

    words: the lines that `words_of_file` returns.
    """
    line = words[claim.line - 1]
    start, end, before = number_in(line, claim.start, claim.end)
    return WrittenNumber(digest_around(line, start, end), before, claim.expected or "")


def _fix(line: str, claim: Claim) -> str | None:
    """Return what is to stand for a citation in a line; None where that isn't sure."""
    if (claim.end_line or claim.line) != claim.line:
        return None
    cited = line[claim.start : claim.end]
    fix = claim.fix if cited == claim.text else _in_data(cited, claim)
    return fix if fix and _may_be_mended(line, claim) else None


def file_key(file: str) -> str:
    """Return by what a file is known again, wherever its project lies: its name and its folder's.

    >>> file_key("/home/me/engine/src/turn.py")
    'src/turn.py'
    """
    return "/".join(Path(file).absolute().parts[-2:])


_NUMBER = re.compile(r"\d(?:[\dA-Za-z.．]*[\dA-Za-z])?")
_AROUND = 40  # characters on each side: by hand, as a paragraph may be edited elsewhere in a line


class WrittenNumber(NamedTuple):
    """A number that was written in the place of another.

    around: a digest of the words around it in its line, in which other numbers are all the same.
    """

    around: str
    before: str
    after: str


def number_in(text: str, start: int = 0, end: int | None = None) -> tuple[int, int, str]:
    """Return where the last number of a span stands, and the number; without one an empty span.

    >>> number_in("See CR 701.15a, too", 4, 14)
    (7, 14, '701.15a')
    """
    found = (0, 0, "")
    for match in _NUMBER.finditer(text, start, len(text) if end is None else end):
        found = (*match.span(), unicodedata.normalize("NFKC", match[0]))
    return found


def digest_around(line: str, start: int, end: int) -> str:
    """Return a digest of the words around a number in a line: the same before and after numbers of
    the line were repaired."""
    before, behind = (_NUMBER.sub("#", " ".join(one.split())) for one in (line[:start], line[end:]))
    words = f"{before[-_AROUND:]}\n{behind[:_AROUND]}"
    return hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()[:16]


def tell_apart(
    text: str, spans: Iterable[tuple[int, int]], written: Sequence[WrittenNumber]
) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """Return which citations of a text have a number that was written into it, and of which that
    can't be told; the others are as old as the text.

    spans: of the citations. written: the numbers that were written into the file.
    """
    places: dict[str, dict[tuple[int, int], str]] = defaultdict(dict)
    for span in spans:
        start, end, number = number_in(text, *span)
        first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        line = text[first : last if last >= 0 else len(text)]
        places[digest_around(line, start - first, end - first)][span] = number
    lost = {one.after for one in written if one.around not in places}
    new: set[tuple[int, int]] = set()
    unsure: set[tuple[int, int]] = set()
    for around, cited in places.items():
        here = Counter(cited.values())
        before = Counter(one.before for one in written if one.around == around)
        after = Counter(one.after for one in written if one.around == around)
        is_restored = bool(here.keys() & before.keys() - after.keys())
        for span, number in cited.items():
            if not after:
                unsure.update([span] if number in lost else [])  # the line may have been edited
            elif number in after and not is_restored and here[number] <= after[number]:
                new.add(span)
            elif number in after and not (is_restored and here >= before):
                unsure.add(span)
    return new, unsure


def _key(file: str) -> str:
    return file if "://" in file else str(Path(file).absolute())


def remembered(kb: Path) -> Mapping[str, tuple[WrittenNumber, ...]]:
    """Return {absolute path of a file: the numbers that were written into it} with a knowledge
    base; empty if there is no record of them.

    Raises SourceError if it is there and can't be read: without it, numbers that were mended would
    be taken for old ones, and mended again.
    """
    path = _record(kb)
    if not path.exists():
        return {}
    try:
        files = json.loads(path.read_bytes())["files"]
        return {
            str(file): tuple(WrittenNumber(*map(str, one)) for one in numbers)
            for file, numbers in files.items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise SourceError(Reason("mended_unreadable", path=str(path))) from error


def written_into(
    file: str, known: Mapping[str, tuple[WrittenNumber, ...]]
) -> tuple[WrittenNumber, ...]:
    """Return the numbers that were written into a file, of `remembered` ones."""
    return known.get(_key(file), ()) if file and known else ()


def remember(kb: Path, files: Mapping[str, tuple[Collection[WrittenNumber], str]]) -> None:
    """Keep which numbers were written, in `FILE.mended` beside the knowledge base `FILE`; what was
    written before and does not stand in the text any more is dropped.

    files: {path: (the numbers, the text with them)}. Raises StoreError if it can't be written.
    """
    known = dict(remembered(kb))
    for file, (written, text) in files.items():
        before = Counter(one for one in written_into(file, known) if one.after in text)
        # The greater count of the two: what was undone and is written again counts once.
        known[_key(file)] = tuple((before | Counter(map(WrittenNumber._make, written))).elements())
    with open_output(_record(kb)) as output:
        as_json = {file: sorted(numbers) for file, numbers in sorted(known.items()) if numbers}
        output.write(json.dumps({"files": as_json}, indent=0, ensure_ascii=False).encode())


def _record(kb: Path) -> Path:
    return kb.with_name(f"{kb.name}.mended")
