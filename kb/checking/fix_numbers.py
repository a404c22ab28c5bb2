"""Writes the numbers that cited rules have now into files: those of rules that moved whole.

Nothing in a number says for which edition it was written. So the lines that were mended are kept
beside the knowledge base: a second run takes them for lines of the newer edition.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

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
    count: how many numbers were mended.
    """

    file: str
    before: str
    after: str
    charset: str
    count: int

    def mended_lines(self) -> Iterator[str]:
        """Yield the keys of the lines that were mended, for `remember`."""
        texts = [written_words(self.file, text) for text in (self.before, self.after)]
        for before, after in zip(*map(_lines, texts), strict=True):
            if before != after:
                yield line_key(self.file, after)

    def diff(self) -> Iterator[str]:
        """Yield the lines of a unified diff, without line ends."""
        before, after = (
            [line.rstrip("\r\n") for line in _lines(text)] for text in (self.before, self.after)
        )
        names = f"a/{self.file}", f"b/{self.file}"
        yield from difflib.unified_diff(before, after, *names, lineterm="")

    def write(self) -> None:
        """Write the file in its charset, with its own line ends and mode.

        Raises StoreError if it can't be written.
        """
        with open_output(self.file) as output:
            output.write(self.after.encode(self.charset))


def fixed_files(claims: Mapping[str, Sequence[Claim]]) -> Iterator[FixedFile]:
    """Yield the files in which a number can be mended, with it mended; nothing is written.

    claims: {file: its claims}. Only a claim that has a `fix` counts, and only where it stands as it
    was read. A file whose bytes its text doesn't give back is left out.

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
        if decoded.warnings or _encoded(decoded.text, decoded.charset) != data:
            continue
        after, count = _mended(decoded.text, wanted)
        if count:
            yield FixedFile(file, decoded.text, after, decoded.charset, count)


def _encoded(text: str, charset: str) -> bytes | None:
    try:
        return text.encode(charset)
    except UnicodeError:
        return None


def _lines(text: str) -> list[str]:
    return _LINE.findall(text)


def _mended(text: str, claims: Iterable[Claim]) -> tuple[str, int]:
    """Return a text with numbers mended, and how many; the last first, so that places stay."""
    lines, count = _lines(text), 0
    for claim in sorted(claims, key=lambda one: (one.line, one.start), reverse=True):
        if claim.line > len(lines) or (claim.end_line or claim.line) != claim.line:
            continue
        line = lines[claim.line - 1]
        if line[claim.start : claim.end] == claim.text and claim.fix:
            lines[claim.line - 1] = line[: claim.start] + claim.fix + line[claim.end :]
            count += 1
    return "".join(lines), count


def line_key(file: str, line: str) -> str:
    """Return by what a mended line is known again: 16 hexadecimal digits of the file's name and the
    line, but for white space around it."""
    text = f"{Path(file).name}\n{line.strip()}"
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def remembered(kb: Path) -> frozenset[str]:
    """Return the keys of the lines that were mended with a knowledge base; none if there is no file
    of them.

    Raises SourceError if it is there and can't be read: without it, numbers that were mended would
    be taken for old ones, and mended again.
    """
    path = _record(kb)
    if not path.exists():
        return frozenset()
    try:
        return frozenset(map(str, json.loads(path.read_bytes())["lines"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise SourceError(
            f"{path}: the lines that --fix wrote can't be read; delete it if there are none"
        ) from error


def remember(kb: Path, fixed: Iterable[FixedFile]) -> None:
    """Keep which lines were mended, besides those that are known, in `FILE.mended` beside the
    knowledge base `FILE`.

    Raises StoreError if it can't be written.
    """
    lines = {*remembered(kb), *(key for each in fixed for key in each.mended_lines())}
    with open_output(_record(kb)) as output:
        output.write(json.dumps({"lines": sorted(lines)}, indent=0).encode())


def _record(kb: Path) -> Path:
    return kb.with_name(f"{kb.name}.mended")
