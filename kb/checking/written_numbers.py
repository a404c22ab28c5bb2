"""Remembers which numbers of rules were written into files, and tells them from older ones.

Nothing in a number says for which edition it was written. So each number that a repair writes is
kept beside the knowledge base, with a digest of the words around it. A line that was restored has
its former number, and counts as old again; a line that was edited since can't be told.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from graphs.store.file.atomic_file import open_output
from kb.errors import SourceError
from kb.reason import Reason

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
