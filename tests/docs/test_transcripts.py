"""What commands print is what was read and kept, and every line of it fits the terminal."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from wcwidth import wcswidth

from tests.shared_bases import folder_of_run
from tests.transcripts import (
    COMMANDS,
    FOLDER,
    REAL_COMMANDS,
    WIDTHS,
    all_transcripts,
    file_name,
    transcript,
)

_NO_BEGINNING = "。、，．）」』】〕》"
# An address is never broken, nor is a command, which is copied.
_UNBROKEN = re.compile(r"\s*(?:(https?|file):\S+|sansho .*)$")


def problems(text: str, columns: int) -> list[str]:
    """The lines of a transcript that are too wide, or that begin or end as no line should."""
    return [
        line
        for line in text.splitlines()
        if (wcswidth(line) > columns and not _UNBROKEN.match(line) and not line.startswith("! "))
        or line.lstrip()[:1] in {*_NO_BEGINNING}
        or line != line.rstrip()
    ]


def check(real: bool, folder: Path | None = None) -> None:
    differing = []
    for name, text in all_transcripts(real, folder):
        golden = FOLDER / name
        if not golden.is_file() or golden.read_text("utf-8") != text:
            differing.append(name)
        for part in re.split(r"^(?=\$ sansho )", text, flags=re.M)[1:]:
            head, _, printed = part.partition("\n")
            columns = int(re.findall(r"# (\d+) columns", head)[0])
            assert problems(printed, columns) == [], head
            assert printed.strip(), head
    assert differing == [], "read them (python -m tests.transcripts), then keep them (--keep)"


@pytest.mark.slow
def test_the_sample() -> None:
    check(False)


@pytest.mark.slow
@pytest.mark.shared
def test_real_pages(tmp_path_factory: pytest.TempPathFactory) -> None:
    check(True, folder_of_run(tmp_path_factory))


def test_no_transcript_is_left_over() -> None:
    wanted = {file_name(command, False) for command in COMMANDS}
    wanted |= {file_name(command, True) for command in REAL_COMMANDS}
    assert {path.name for path in FOLDER.iterdir()} == wanted
    assert len(WIDTHS) == 2 and len(COMMANDS) >= 20 and len(REAL_COMMANDS) >= 20


def test_the_check_can_fail() -> None:
    assert problems("あ" * 41, 80) and problems("  。", 80) and problems("x ", 80)
    assert not problems("あ" * 40 + "\n  http://x/" + "y" * 90, 80)
    assert "Usage" in transcript("show --help", 80)
