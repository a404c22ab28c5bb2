"""No text of a page, name or argument controls the terminal that a command prints on."""

from __future__ import annotations

import csv
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from lxml import etree

import kb
from kb.cli.group import main
from tests.hostile_text import SEQUENCES, hostile, write_sources

# What sansho itself may send: styles, line ends, and what moves its line of progress.
_OWN = re.compile(
    r"\x1b\[(?:0|1|2|22|31|32|33|36|1;32|2;3\d|3\d(?:;1)?|38;5;\d+)m|\n|\r(?=\x1b\[)|\x1b\[2K"
)
_OBEYED = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_CHILD = """
import json, os, sys
from kb.cli.group import main
for words in json.loads(sys.stdin.read()):
    os.write(1, b"\\n$ " + ascii(words).encode() + b"\\n")
    try:
        main.main(words, "sansho")
    except SystemExit:
        continue
    except BaseException as error:
        print("raised", ascii(error))
"""
SEEDS = (1,)
_FORMATS = ("markdown", "html", "atom")
_OF_A_NODE = ("show", "refs", "trace", "steps", "outcomes", "rulings", "compare")


@pytest.fixture(scope="module", params=SEEDS)
def sources(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write_sources(tmp_path_factory.mktemp("hostile"), request.param)


@pytest.fixture(scope="module")
def base(sources: list[Path]) -> Path:
    path = sources[0].parent / "x.db"
    kb.build(sources, path)
    return path


def asked(base: Path, sources: list[Path]) -> Iterator[list[str]]:
    """Command lines for every command, about what is in a base and about hostile words."""
    rng = Random(1)
    with kb.open(base) as opened:
        nodes = opened.terms().terms
    names = sorted({node.label for node in nodes if node.label})
    words = [*names[:4], "121.1", "121", "Draw", *(hostile("引", rng) for _ in range(2))]
    for word in words:
        for command in _OF_A_NODE:
            yield [command, word]
        yield ["refs", word, "--depth", "2"]
        yield ["path", word, rng.choice(words)]
        yield ["search", word]
        yield ["kwic", word]
        yield ["ask", f"{word}とは何か？"]
        yield ["compare", word, "--json"]
        yield ["show", word, "--json"]
    yield from (["ask", "手札がないなら？", "--why"], ["kwic", "引く"], ["search", "カード"])
    yield ["draw", words[0], "--out", str(base.with_suffix(".svg"))]
    draft = base.with_name("draft.csv")
    with draft.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["en", "ja"])
        table.writerows(
            [f"Draw {word} 3 times, rule 121.1.", f"{word}を4回引く。"] for word in words
        )
    yield from (["check", str(draft)], ["check", str(draft), "--json"])
    yield from (["verify", str(draft)], ["verify", str(draft), "--json"])
    yield from (["termbase"], *(["termbase", word] for word in words))
    yield from (["top", "--mentioned"], ["terms"], ["audit"], ["stats"], ["align", "en", "ja"])
    yield from (["match", word] for word in words)
    langs = ["--source-lang", "ja", "--target-lang", "en"]
    yield ["package", "20241117", "--from", words[0], *langs, "--out", "/nowhere/x"]
    yield ["package", "--from", "20231117", "--check", str(draft)]
    yield ["update", "--kb", f"/nowhere/{SEQUENCES[0]}"]
    yield from (["impact"], ["impact", "--format", "csv"], ["impact", "--format", "markdown"])
    yield from (["changes", "20231117", "20241117", "--format", form] for form in _FORMATS)
    yield ["decide", words[0], "--prefer", words[-1], "--out", str(base.with_suffix(".csv"))]
    yield from (["diff", "20231117", "20241117"], ["export", "--out", "-"], ["completion", "bash"])
    yield ["build", *map(str, sources), "--kb", str(base.with_name("y.db")), "--workers", "1"]
    for sequence in SEQUENCES[::4]:
        yield [sequence]
        yield ["show", f"--{sequence}"]
        yield ["show", "121", "--game", sequence]
        yield ["show", "121", "--kb", f"/nowhere/{sequence}"]
        yield ["build", f"/nowhere/{sequence}", "--kb", sequence]
        yield ["refs", "121", "--kind", sequence, "--depth", sequence]
        yield ["near", sequence]
        yield ["mcp", "--kb", f"/nowhere/{sequence}"]
        yield ["lsp", "--kb", f"/nowhere/{sequence}"]
        yield ["plugins", sequence]
        yield ["site", f"/nowhere/{sequence}", "--game", sequence]
        yield ["serve", "--port", "0", "--kb", f"/nowhere/{sequence}"]
    hostile_url = f"http://127.0.0.1:1/{SEQUENCES[0]}"  # it is asked for again after some seconds
    yield ["crawl", hostile_url, "--into", f"/nowhere/{SEQUENCES[1]}"]
    yield ["demo"]


def shown(lines: list[list[str]], base: Path, term: str = "xterm-256color") -> str:
    """What a pseudo-terminal receives while a process runs command lines one after the other."""
    master, slave = pty.openpty()
    environment = os.environ | {
        "SANSHO_KB": str(base), "TERM": term, "COLUMNS": "100", "PAGER": "cat",
        "PYTHONUTF8": "1",
    }  # fmt: skip
    environment.pop("NO_COLOR", None)
    command = [sys.executable, "-c", _CHILD]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=slave, stderr=slave, env=environment
    ) as child:
        os.close(slave)
        assert child.stdin
        child.stdin.write(json.dumps(lines).encode())
        child.stdin.close()
        said = b""
        while data := _read(master):
            said += data
    os.close(master)
    return said.decode("utf-8", "surrogateescape").replace("\r\n", "\n")


def _read(master: int) -> bytes:
    """The next bytes of a pseudo-terminal; empty when the other side is closed."""
    try:
        return os.read(master, 1 << 16)
    except OSError:
        return b""


@pytest.mark.slow
def test_no_control_sequence_reaches_the_terminal(base: Path, sources: list[Path]) -> None:
    lines = list(asked(base, sources))
    assert {line[0] for line in lines} >= set(main.commands)
    answers = shown(lines, base).split("\n$ ")[1:]
    assert len(answers) == len(lines)
    for said in answers:
        assert "\nraised " not in said, said
        left = _OBEYED.search(_OWN.sub("\n", said).replace("\n", ""))
        assert not left, repr(said[max(0, said.find(left[0]) - 200) :][:600])


@pytest.mark.slow
def test_progress_is_a_line_that_is_rewritten(base: Path, sources: list[Path]) -> None:
    build = ["build", *map(str, sources), "--kb", str(base.with_name("z.db")), "--workers", "1"]
    said = shown([build], base).partition("]\n")[2]  # behind the words of the command
    line, _, result = said.rpartition("\r\x1b[2K")
    assert "\r\x1b[2Kreading 0 of " in line and "\n" not in line and "pages" in result
    assert "\x1b" not in shown([build], base, "dumb")


def test_pictures_of_hostile_names_are_well_formed(base: Path, tmp_path: Path) -> None:
    with kb.open(base) as opened:
        nodes = opened.terms().terms[::6]
        assert nodes
        for node in nodes:
            opened.draw(node.id).save(tmp_path / "x.svg")
            etree.parse(tmp_path / "x.svg")
