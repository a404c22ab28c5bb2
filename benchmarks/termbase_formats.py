"""How long a large termbase takes to be written and read in an interchange format, and its memory.

    python -m benchmarks.termbase_formats [FORMAT ...] [--concepts 30000]

FORMAT: a module of `kb.interchange` with `write(concepts, out)` and maybe `read(file, name)`; by
default `tbx` and `tbx2008`. The concepts are made up (`tests.termbases`): in each of two languages
two names, a definition and a context, hostile and long texts among them. Each measurement has a
process of its own, so that its peak of memory is its own. The exit code is 1 if one takes longer
than 10 seconds of the processor or more than 300 MB.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path

from tests.termbases import many_concepts

CONCEPTS = 30_000
_MOST_SECONDS = 10.0
_MOST_MB = 300.0


def measure(form: str, is_reading: bool, file: Path, concepts: int) -> bool:
    """Write or read a file, print what that took, and return whether it is within the limits."""
    module = import_module(f"kb.interchange.{form}")
    began = time.process_time()
    if is_reading:
        with file.open("rb") as source:
            count = sum(1 for _ in module.read(source, file.name))
    else:
        with file.open("wb") as out:
            count = module.write(many_concepts(concepts), out)
    seconds = time.process_time() - began
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    verb, what = ("read", "decisions") if is_reading else ("written", "entries")
    print(
        f"{form:10} {count:8,} {what} {verb} in {seconds:5.1f} s, at most {megabytes:4.0f} MB; "
        f"{file.stat().st_size / 2**20:.0f} MB file",
        flush=True,
    )
    return seconds <= _MOST_SECONDS and megabytes <= _MOST_MB


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("formats", nargs="*", default=["tbx", "tbx2008"])
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
            module = import_module(f"kb.interchange.{form}")
            for step in ("write", "read") if hasattr(module, "read") else ("write",):
                command = [sys.executable, "-m", "benchmarks.termbase_formats", form, "--one", step]
                options = ["--file", f"{folder}/{form}", "--concepts", str(given.concepts)]
                failures += subprocess.run([*command, *options], check=False).returncode != 0
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
