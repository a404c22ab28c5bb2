"""Writes the numbers that cited rules have now into files: those of rules that moved whole.

Nothing in a number says for which edition it was written. So the numbers that were written into
each file are kept beside the knowledge base: a second run takes these for numbers of the newer
edition. What may be no citation, or was written for the newer edition already, is never mended: a
wrong number that is silently made another one is worse than one that is left.
"""

from __future__ import annotations

import difflib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from graphs.store.file.atomic_file import open_output
from kb.checking.claims.claim import Claim
from kb.errors import SourceError
from kb.reason import Reason
from scraper.sources.charset import decode

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


@dataclass(frozen=True, slots=True)
class FixedFile:
    """A file with the numbers that were mended in it.

    file: its path. before, after: its text. charset: in which it is written.
    count: how many numbers were mended. numbers: those that were written, each once.
    """

    file: str
    before: str
    after: str
    charset: str
    count: int
    numbers: frozenset[str] = frozenset()

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
_LEAD = r"(?i:\bC\.?R\.?|\brules?|§|ルール|規則)\s*[:#|=]?\s*[\"']?"
_LED = re.compile(rf"[\[(（]?{_LEAD}(?=\d)")
_LED_LIST = re.compile(
    rf"{_LEAD}(?:\d[\w.]*(?:\s*[-–〜~]\s*\d[\w.]*)?\s*(?:[,;、・]|and\b|or\b|と|及び)+\s*)*$"
)
_LAST_NUMBER = re.compile(r"\d[\w.]*$", re.ASCII)
_BARE = re.compile(r"\d{3}\.\d{1,3}[a-z]")  # a number that says by its letter what it is
# Beside such signs a number is of something else: an issue, a version, a part of a word.
_NOT_BEFORE, _NOT_BEHIND = frozenset("#@/\\=~^.-_$€¥"), frozenset("/\\_%@$€¥")
_MONTHS = "January February March April May June July August September October November December"
_DAY_AS_EDITION = re.compile(
    r"(?i)\b(?:of|since|from|until|before|after|by|edition|version|rules|effective|updated?|dated)"
    r"\W{0,3}$"
)
_DAY_BEHIND = re.compile(
    r"\W{0,2}(?:版|時点|現在|以降|以前|から|まで|付|施行|(?i:edition|version|rules))"
)
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
        elif days := sorted(_named_days(decoded.text) & {_edition(claim) for claim in wanted}):
            reason = Reason("names_its_edition", file=file, edition=days[0])
        if reason:
            if left_out is not None:
                left_out[file] = reason
            continue
        after, numbers = _mended(decoded.text, wanted)
        if numbers:
            yield FixedFile(
                file, decoded.text, after, decoded.charset, len(numbers), frozenset(numbers)
            )


def _edition(claim: Claim) -> str:
    return (claim.node.edition or "") if claim.node else ""


def _named_days(text: str, as_editions: bool = False) -> set[str]:
    """Return the days that a text names, as editions are called.

    as_editions: only those beside words that say since or until when something holds, and those
        without signs, as in the name of an edition's file: the date in a row of a table is none.

    >>> sorted(_named_days("As of November 17, 2023; 2026-01-16 and 20240802"))
    ['20231117', '20240802', '20260116']
    """
    found: set[str] = set()
    for match in _NAMED_DAY.finditer(text):
        is_plain = match[0].isdigit() or bool(_DAY_AS_EDITION.search(text, 0, match.start()))
        if as_editions and not is_plain and not _DAY_BEHIND.match(text, match.end()):
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
    if _named_days(line, as_editions=True) - {_edition(claim)}:
        return False
    before, behind = line[: claim.start], line[claim.end :]
    if _LED.match(claim.text) or _LED_LIST.search(before):
        return not behind[:1].isalnum()
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


def _mended(text: str, claims: Iterable[Claim]) -> tuple[str, list[str]]:
    """Return a text with numbers mended, and what was written, a number each; the last first, so
    that places stay."""
    lines, written = _lines(text), list[str]()
    for claim in sorted(claims, key=lambda one: (one.line, one.start), reverse=True):
        if claim.line > len(lines) or (claim.end_line or claim.line) != claim.line:
            continue
        line = lines[claim.line - 1]
        cited = line[claim.start : claim.end]
        fix = claim.fix if cited == claim.text else _in_data(cited, claim)
        if fix and _may_be_mended(line, claim):
            lines[claim.line - 1] = line[: claim.start] + fix + line[claim.end :]
            written.append(claim.expected or fix)
    return "".join(lines), written


def file_key(file: str) -> str:
    """Return by what a file is known again, wherever its project lies: its name and its folder's.

    >>> file_key("/home/me/engine/src/turn.py")
    'src/turn.py'
    """
    return "/".join(Path(file).parts[-2:])


def remembered(kb: Path) -> Mapping[str, frozenset[str]]:
    """Return {key of a file: numbers that were written into it} with a knowledge base; empty if
    there is no record of them.

    Raises SourceError if it is there and can't be read: without it, numbers that were mended would
    be taken for old ones, and mended again.
    """
    path = _record(kb)
    if not path.exists():
        return {}
    try:
        files = json.loads(path.read_bytes())["files"]
        return {str(file): frozenset(map(str, numbers)) for file, numbers in files.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise SourceError(Reason("mended_unreadable", path=str(path))) from error


def remember(kb: Path, fixed: Iterable[FixedFile]) -> None:
    """Keep which numbers were written, besides those that are known, in `FILE.mended` beside the
    knowledge base `FILE`.

    Raises StoreError if it can't be written.
    """
    known = {file: set(numbers) for file, numbers in remembered(kb).items()}
    for each in fixed:
        known.setdefault(file_key(each.file), set()).update(each.numbers)
    files = {file: sorted(numbers) for file, numbers in sorted(known.items())}
    with open_output(_record(kb)) as output:
        output.write(json.dumps({"files": files}, indent=0, ensure_ascii=False).encode())


def _record(kb: Path) -> Path:
    return kb.with_name(f"{kb.name}.mended")
