"""Exports the whole graph to a file in a given interchange format, or in that of its suffix."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from graphs.errors import StoreError
from graphs.store.reader import Store
from kb.errors import QuestionError
from kb.interchange import jsonl
from kb.language.nearest import known_value
from kb.query.arguments import text_of


@dataclass(frozen=True, slots=True)
class Format:
    """An interchange format.

    name: as it is given to `--format`.
    suffixes: of files that have this format, in lower case, with the dot; a suffix may belong to
        several formats, and then it goes to the first.
    write: writes a graph to a file, and returns how many nodes and edges were written.
    """

    name: str
    suffixes: tuple[str, ...]
    write: Callable[[Store, str], tuple[int, int]]


_STREAM_FORMAT = Format("jsonl", (".jsonl", ".ndjson"), jsonl.write)  # of what has no suffix
FORMATS = (_STREAM_FORMAT,)


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What an export wrote.

    out: the file; `-` is standard output.
    format: the interchange format.
    nodes, edges: how many of each were written.
    """

    out: str
    format: str
    nodes: int
    edges: int

    def as_json(self) -> dict[str, Any]:
        """Return {"out", "format", "nodes", "edges"}, the object that `sansho export --json`
        prints."""
        return asdict(self)


def export(store: Store, out: str, form: str | None = None) -> ExportReport:
    """Write the whole graph to a file. An existing file is replaced.

    out: the file; `-` is standard output.
    form: the name of a format such as `jsonl`; None for that of the file's suffix, and for JSON
        Lines on standard output or a device.

    Raises QuestionError if the format or the suffix is unknown or if `out` is the knowledge base
    itself, and StoreError if the file can't be written.
    """
    if out != "-" and os.path.realpath(out) == os.path.realpath(store.path):
        raise QuestionError(f"{out} is the knowledge base itself; name another file")
    chosen = _format_of(out) if form is None else _format_named(form)
    nodes, edges = chosen.write(store, out)
    return ExportReport(out, chosen.name, nodes, edges)


def _format_named(name: str) -> Format:
    """Return the format of a name; raise QuestionError, with the nearest, if there is none."""
    formats = {known.name: known for known in FORMATS}
    return formats[known_value("format", text_of("form", name), formats)]


def _format_of(out: str) -> Format:
    """Return the format of a file by its suffix, also by that of the file that a link leads to.

    Raises QuestionError, with the formats that there are, if the suffix is of none of them, and
    StoreError if no file can be written there.
    """
    path = Path(os.path.realpath(out))
    try:
        is_stream = out == "-" or (path.exists() and not path.is_file())
    except OSError as error:  # a name that no file can have
        raise StoreError(f"{out}: can't be written: {error.strerror}") from error
    if is_stream:
        return _STREAM_FORMAT
    for suffix in (Path(out).suffix.lower(), path.suffix.lower()):
        for known in FORMATS:
            if suffix in known.suffixes:
                return known
    if not path.parent.is_dir():
        raise StoreError(f"{out}: can't be written: {path.parent} is no folder")
    formats = ", ".join(f"{known.name} ({' '.join(known.suffixes)})" for known in FORMATS)
    suffix = Path(out).suffix
    named = f"no format is known by the suffix {suffix}" if suffix else "the name has no suffix"
    raise QuestionError(
        f"{out}: {named}, and nothing is written; give form=…, or a suffix of {formats}"
    )
