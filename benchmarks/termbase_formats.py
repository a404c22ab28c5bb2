"""How long a large termbase takes to be written and read in an interchange format, and its memory.

    python -m benchmarks.termbase_formats [FORMAT ...] [--concepts 30000]

FORMAT: a module of `kb.interchange` with `write` and maybe `read`; by default all that are written
in a stream. Glossaries are written from Japanese into English, TMX of the definitions. The concepts
are made up (`tests.termbases`): in each of two languages two names, a definition and a context,
hostile and long texts among them. Each measurement has a process of its own, so that its peak of
memory is its own. The exit code is 1 if one takes longer than 10 seconds of the processor or more
than 300 MB.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from kb.termbase.model import TranslationUnit
from tests.termbases import many_concepts

CONCEPTS = 30_000
_FORMATS = ("tbx", "tbx2008", "csv_terms", "omegat", "utx", "tmx")
_LANGS = ("ja", "en")
_GLOSSARIES = ("omegat", "utx")  # they have a source and a target language
_MOST_SECONDS = 10.0
_MOST_MB = 300.0


def measure(form: str, is_reading: bool, file: Path, concepts: int) -> bool:
    """Write or read a file, print what that took, and return whether it is within the limits."""
    module = import_module(f"kb.interchange.{form.removesuffix('2008')}")
    langs = (_LANGS,) if form in _GLOSSARIES else ()
    began = time.process_time()
    if is_reading:
        read = module.read_units if form == "tmx" else module.read
        with file.open("rb") as source:
            count = sum(1 for _ in read(source, file.name, *langs))
    else:
        made = _units(concepts) if form == "tmx" else many_concepts(concepts)
        with file.open("wb") as out:
            write = module.write_2008 if form == "tbx2008" else module.write
            count = write(made, out, *langs)
    seconds = time.process_time() - began
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    verb = "read" if is_reading else "written"
    print(
        f"{form:10} {count:8,} entries {verb} in {seconds:5.1f} s, at most {megabytes:4.0f} MB; "
        f"{file.stat().st_size / 2**20:.0f} MB file",
        flush=True,
    )
    return seconds <= _MOST_SECONDS and megabytes <= _MOST_MB


def _units(concepts: int) -> Iterator[TranslationUnit]:
    """Yield a unit for each of some made-up concepts, of its definitions."""
    for concept in many_concepts(concepts):
        texts = tuple((definition.lang, definition.text) for definition in concept.definitions)
        yield TranslationUnit(concept.id, "gloss", texts, concept.game)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("formats", nargs="*", default=list(_FORMATS))
    parser.add_argument("--concepts", type=int, default=CONCEPTS)
    parser.add_argument("--one", choices=("write", "read"), help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        (form,) = given.formats
        return not measure(form, given.one == "read", given.file, given.concepts)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for form in given.formats:
            module = import_module(f"kb.interchange.{form.removesuffix('2008')}")
            for step in ("write", "read") if hasattr(module, "read") else ("write",):
                command = [sys.executable, "-m", "benchmarks.termbase_formats", form, "--one", step]
                options = ["--file", f"{folder}/{form}", "--concepts", str(given.concepts)]
                failures += subprocess.run([*command, *options], check=False).returncode != 0
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
