"""Keeps the findings of an earlier check, so that a later one gives only the new ones.

A baseline is a JSON file that belongs to one draft. A finding is known again by its kind, its
words, what was expected, and the text of its segment, not by its line: what is written above it
doesn't make it new, but a change of the segment itself does.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from pathlib import Path
from typing import Any

from graphs.store.file.atomic_file import open_output
from kb.checking.draft import Finding
from kb.control_characters import json_text
from kb.errors import SourceError
from scraper.sources import limits

# Bytes of a baseline. A guard of memory: a finding takes one or two hundred.
LARGEST = 50 << 20
_VERSION = 1  # of the format: one more when older baselines can't be read any longer
_DIGITS = 20  # of a fingerprint: 80 bits, by which a million findings hardly ever meet by chance


def fingerprints(findings: Iterable[Finding]) -> Iterator[tuple[Finding, str]]:
    """Yield each finding, in order, with a short text by which it is known again in a later check:
    20 hexadecimal digits.

    Of findings that are the same in all that counts, the second has another one than the first.
    """
    seen: Counter[bytes] = Counter()
    for finding in findings:
        parts = (finding.kind, finding.text, finding.expected, finding.segment_text)
        digest = hashlib.sha256(json.dumps(parts).encode()).digest()
        seen[digest] += 1
        again = f"{seen[digest]}".encode()
        yield finding, hashlib.sha256(digest + again).hexdigest()[:_DIGITS]


def new_findings(findings: Iterable[Finding], baseline: Container[str]) -> Iterator[Finding]:
    """Yield the findings that a baseline doesn't have, in their order.

    findings: all of a draft, in their order: of two that are the same, a baseline that has one
        keeps the first. baseline: as `read_baseline` returns it.
    """
    return (finding for finding, known in fingerprints(findings) if known not in baseline)


def read_baseline(path: str | Path) -> frozenset[str]:
    """Return the fingerprints of the findings in a baseline; none if it was written without any.

    Raises SourceError if the file can't be read, is larger than 50 MB, is no JSON, or is no
    baseline of this version.
    """
    try:
        with Path(path).open("rb") as file:
            data = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        what = getattr(error, "strerror", None) or error
        raise SourceError(f"{path}: the baseline can't be read: {what}") from error
    if len(data) > LARGEST:
        raise SourceError(f"{path}: larger than {limits.size(LARGEST)}, so it is no baseline")
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{path}: no baseline, as it is no JSON; write it anew") from error
    found = _fingerprints_in(document)
    if found is None:
        raise SourceError(f"{path}: no baseline of this version of sansho; write it anew")
    return found


def write_baseline(findings: Iterable[Finding], out: str | Path) -> int:
    """Write the findings of a draft as its baseline, and return how many there are.

    out: the file, which is replaced, or `-`. Raises StoreError if it can't be written.
    """
    count = 0
    with open_output(out) as file:
        file.write(f'{{"sansho-baseline": {_VERSION}, "findings": ['.encode())
        for finding, fingerprint in fingerprints(findings):
            entry = {"fingerprint": fingerprint, "kind": finding.kind, "text": finding.text}
            file.write(b",\n" if count else b"\n")
            file.write(json_text({**entry, "expected": finding.expected}).encode())
            count += 1
        file.write(b"\n]}\n")
    return count


def _fingerprints_in(document: Any) -> frozenset[str] | None:
    """Return the fingerprints in the JSON of a baseline; None if it isn't one of this version, or
    if any of its entries has none."""
    if not isinstance(document, dict) or document.get("sansho-baseline") != _VERSION:
        return None
    entries = document.get("findings")
    if not isinstance(entries, list):
        return None
    found: set[str] = set()
    for entry in entries:
        fingerprint = entry.get("fingerprint") if isinstance(entry, dict) else None
        if not isinstance(fingerprint, str):
            return None
        found.add(fingerprint)
    return frozenset(found)
