"""What commands print, at 80 and at 120 columns, kept to be read.

    python -m tests.transcripts [WORD…]

prints all transcripts (or those of the commands with WORD in them) as they are now, and

    python -m tests.transcripts --keep

keeps them in tests/golden_output: read the difference before it is committed. Transcripts of the
bundled sample are kept as they are. Those of captured pages and rulebooks are kept without words,
whose text is not ours: each letter is replaced by one of the same width, and a digest of the real
text stands below.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import sys
import tempfile
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from click.testing import CliRunner

from kb.cli.group import main
from tests.conftest import ROOT, SHARED
from tests.shared_bases import RULES_AND_PAGES, built_once

FOLDER = ROOT / "tests" / "golden_output"
WIDTHS = (80, 120)
SAMPLE_SOURCES = ("kb/sample",)
_OF_BOTH = (
    "show 121.4",
    "show 引く",
    "refs 401.5 --direction in --kind cites",
    "refs 121.4",
    "path 121.2a 616.1g",
    "search カードを引く",
    "search 通常のドロー",
    "kwic ドロー --max 12",
    "ask カードを引けないときはどうなる？",
    "ask 'What happens if a player draws from an empty library?' --why",
    "compare 引く",
    "outcomes 通常のドロー",
    "terms --game ygo",
    "termbase 引く",
    "stats",
    "audit",
)
COMMANDS = (
    *_OF_BOTH,
    "show 121 --lang ja --tree",
    "show ドロ",
    "top",
    "search --mentions 引く --cites 121",
    "diff 20231117 20231117",
    "trace 121.4",
    "align ja en",
    "align ja en --rule 121",
    "steps ドローフェイズ",
    "verify tests/gold/answer.md",
)
REAL_COMMANDS = (
    *_OF_BOTH,
    "show mtgwiki/引く",
    "show 704 --edition 20260116 --tree",
    "refs 引く --direction in --max 8",
    "path 引く 'State-Based Actions'",
    "top --max 8",
    "diff 20231117 20240730 --under 702",
    "trace 702.26",
    "align ja en --edition 20260116",
    "align ja en --edition 20260116 --rule 103.5",
    "steps 引く",
)


# The end of the place where a result goes on: it is another one for each build.
_CHECK = re.compile(r"(--after [0-9.]+\.)[0-9a-f]{8}")


def file_name(command: str, real: bool) -> str:
    """The name of the file in which the transcripts of a command are kept."""
    name = re.sub(r"[^\w.]+", "-", command).strip("-")
    return f"{'real' if real else 'sample'}-{name}.txt"


def transcript(command: str, columns: int) -> str:
    """What a command prints on a terminal of some columns, standard error behind `! `."""
    environment = {"COLUMNS": str(columns), "NO_COLOR": "1"}
    done = CliRunner().invoke(main, shlex.split(command), env=environment)
    assert not done.exception or isinstance(done.exception, SystemExit), done.exception
    errors = "".join(f"! {line}\n" for line in done.stderr.splitlines())
    return _CHECK.sub(r"\1xxxxxxxx", done.stdout + errors)


def both(command: str, real: bool) -> str:
    """The text of a golden file: the transcripts of a command at both widths."""
    text = ""
    for columns in WIDTHS:
        printed = transcript(command, columns)
        text += f"$ sansho {command}    # {columns} columns\n"
        if real:
            digest = hashlib.sha256(printed.encode()).hexdigest()[:16]
            text += f"{without_words(printed)}# digest of the text: {digest}\n"
        else:
            text += printed
    return text


def without_words(text: str) -> str:
    """A text with each letter replaced by one of the same kind and width."""
    return "".join(map(_letter, text))


def _letter(letter: str) -> str:
    if letter.isdigit():
        return "0"
    if letter.isascii():
        return "x" if letter.isalpha() else letter
    if "ぁ" <= letter <= "ゟ":
        return "か"
    if "ァ" <= letter <= "ヺ":
        return "カ"
    if unicodedata.category(letter).startswith("L") and letter not in "ー々":
        return "字" if unicodedata.east_asian_width(letter) in "WF" else "x"
    return letter


@contextmanager
def base_in_place(real: bool, folder: Path | None = None) -> Iterator[None]:
    """Build the knowledge base that the commands are run on, in a folder where others may have
    built it, and go to the folder of its sources meanwhile, so that no path of this machine is
    printed."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as temporary:
        os.chdir(SHARED if real else ROOT)
        try:
            sources = RULES_AND_PAGES if real else SAMPLE_SOURCES
            path = built_once(folder or Path(temporary), [Path(source) for source in sources])
            os.environ["SANSHO_KB"] = str(path)
            yield
        finally:
            os.environ.pop("SANSHO_KB", None)
            os.chdir(before)


def all_transcripts(real: bool, folder: Path | None = None) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each golden file; folder: see `base_in_place`."""
    with base_in_place(real, folder):
        for command in REAL_COMMANDS if real else COMMANDS:
            yield file_name(command, real), both(command, real)


def _keep() -> None:
    for real in (False, True):
        for name, text in all_transcripts(real):
            (FOLDER / name).write_text(text, "utf-8")


def _print(words: list[str]) -> None:
    for real in (False, True):
        with base_in_place(real):
            for command in REAL_COMMANDS if real else COMMANDS:
                for columns in WIDTHS if all(word in command for word in words) else ():
                    print(f"$ sansho {command}    # {columns} columns")
                    print(transcript(command, columns))


if __name__ == "__main__":
    _keep() if sys.argv[1:] == ["--keep"] else _print(sys.argv[1:])
