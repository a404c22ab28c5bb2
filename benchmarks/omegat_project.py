"""Whether OmegaT itself opens a project that sansho wrote, and what its glossary then shows.

    python -m benchmarks.omegat_project BASE [--game GAME] [--langs ja,en] [--omegat FOLDER]

FOLDER: that has `OmegaT.jar` (by default where Debian's package puts it); without one, or without
`java`, that is said, and the exit code is 0. The project is exported and opened without a window to
translate segments made of terms with several entries; the glossary is read by OmegaT's own class.
Printed is how many entries have a definition, and of each such term the first entry. The exit code
is 1 if OmegaT doesn't open the project, or reads other entries than were written.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import kb

_DEBIAN = "/usr/share/omegat"
_MOST_SECONDS = 300
_SEGMENTS = 20
# Read as OmegaT reads a glossary when it opens a project.
_READER = r"""
import org.omegat.gui.glossary.GlossaryReaderTSV
GlossaryReaderTSV.read(new File(args[0]), false).each {
    println([it.srcText, it.locText, it.commentText].join("\t").replace("\n", " "))
}
"""


def entries_read(omegat: Path, glossary: Path) -> list[tuple[str, str, str]]:
    """Return (source, target, comment) of the entries that OmegaT reads of a glossary."""
    with tempfile.NamedTemporaryFile("w", suffix=".groovy") as script:
        script.write(_READER)
        script.flush()
        jars = f"{omegat / 'OmegaT.jar'}:/usr/share/java/*:{omegat / 'lib'}/*"
        command = ["java", "-cp", jars, "groovy.ui.GroovyMain", script.name, str(glossary)]
        out = subprocess.run(
            command, capture_output=True, text=True, check=True, timeout=_MOST_SECONDS
        ).stdout
    rows = (line.split("\t") for line in out.splitlines())
    return [(row[0], row[1], "\t".join(row[2:])) for row in rows if len(row) > 1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base")
    parser.add_argument("--game", default="mtg")
    parser.add_argument("--langs", default="ja,en")
    parser.add_argument("--omegat", default=_DEBIAN, type=Path)
    given = parser.parse_args()
    if not (Path(given.omegat) / "OmegaT.jar").exists() or not shutil.which("java"):
        print(f"no OmegaT in {given.omegat}, or no java: nothing was tried")
        return 0
    source, target = given.langs.split(",")
    with tempfile.TemporaryDirectory() as folder, kb.open(given.base) as base:
        project = Path(folder) / "project"
        base.export(
            project, "omegat-project", game=given.game, source_lang=source, target_lang=target
        )
        glossary = project / "glossary" / "sansho.utf8"
        written = [line.split("\t") for line in glossary.read_text("utf-8").splitlines()]
        by_source: dict[str, list[list[str]]] = defaultdict(list)
        for row in written:
            by_source[row[0]].append(row)
        several = [name for name, rows in by_source.items() if len(rows) > 1][:_SEGMENTS]
        (project / "source" / "segments.txt").write_text("\n\n".join(several), "utf-8")
        jar = str(Path(given.omegat) / "OmegaT.jar")
        command = ["java", "-jar", jar, str(project), "--mode=console-translate"]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=_MOST_SECONDS)
        is_open = ran.returncode == 0 and (project / "target" / "segments.txt").exists()
        read = entries_read(Path(given.omegat), glossary)
        print(f"opened without a window: {'yes' if is_open else 'no'}")
        defined = sum("means: " in comment for _, _, comment in read)
        print(f"entries: {len(written)} written, {len(read)} read, {defined} with a definition")
        for name in several:
            rows = [one for one in read if one[0] == name]
            first = rows[0] if rows else ("", "none", "")
            print(f"  {name}: {first[1]} ({first[2].partition(' · ')[0]}), of {len(rows)}")
    return 0 if is_open and [row[:2] for row in written] == [list(r[:2]) for r in read] else 1


if __name__ == "__main__":
    sys.exit(main())
