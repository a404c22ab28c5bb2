"""The interchange formats: their names and suffixes, what is written in them, and by which file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from graphs.errors import StoreError
from kb.errors import QuestionError
from kb.language.nearest import known_value
from kb.query.arguments import text_of
from kb.reason import Argument

# What is written: the whole graph; concepts with all their names; the names of two languages beside
# each other; texts in several languages; a folder with the last two.
Content = Literal["graph", "concepts", "bilingual", "units", "project"]


@dataclass(frozen=True, slots=True)
class Format:
    """An interchange format.

    name: as it is given to `--format`.
    suffixes: of files that have this format, in lower case, with the dot; a suffix may belong to
        several formats, and then it goes to the first. A format without any is chosen by name.
    content: what is written in it.
    module: the file of this wing that writes it.
    title: what it is called, for people.
    writer: the name of the function that writes it.
    """

    name: str
    suffixes: tuple[str, ...]
    content: Content
    module: str
    title: str
    writer: str = "write"

    def write(self, *arguments: Any, **options: Any) -> Any:
        """Call the function that writes this format; its module is imported only now."""
        module = import_module(f"kb.interchange.{self.module}")
        return getattr(module, self.writer)(*arguments, **options)


FORMATS = (
    Format("tbx", (".tbx",), "concepts", "tbx", "TBX 3, dialect Linguist"),
    Format("tbx2008", (), "concepts", "tbx2008", "TBX of 2008 (MARTIF)"),
    Format("tmx", (".tmx",), "units", "tmx", "TMX 1.4b"),
    Format("skos", (".ttl",), "concepts", "skos", "SKOS in Turtle"),
    Format("jsonld", (".jsonld",), "concepts", "skos", "SKOS in JSON-LD", "write_jsonld"),
    Format("omegat", (".txt", ".utf8"), "bilingual", "omegat", "OmegaT glossary"),
    Format(
        "omegat-project",
        (),
        "project",
        "omegat",
        "project folder for OmegaT",
        "write_project",
    ),
    Format("utx", (".utx",), "bilingual", "utx", "UTX 1.11"),
    Format("csv", (".csv",), "concepts", "csv_terms", "CSV"),
    Format("graphml", (".graphml",), "graph", "graphml", "GraphML"),
    Format("jsonl", (".jsonl", ".ndjson"), "graph", "jsonl", "JSON Lines"),
)
_STREAM_FORMAT = FORMATS[-1]  # of what has no suffix


def format_named(name: str) -> Format:
    """Return the format of a name; raise QuestionError, with the nearest, if there is none."""
    formats = {known.name: known for known in FORMATS}
    return formats[known_value("format", text_of("form", name), formats)]


def format_of(out: str) -> Format:
    """Return the format of a file by its suffix, also by that of the file that a link leads to; of
    standard output and devices JSON Lines.

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
    suffix = Path(out).suffix
    raise QuestionError(
        "unknown_suffix" if suffix else "no_suffix",
        out=str(out),
        suffix=suffix,
        form=Argument("form", ...),
        formats=tuple(
            f"{known.name} ({' '.join(known.suffixes)})" for known in FORMATS if known.suffixes
        ),
    )
